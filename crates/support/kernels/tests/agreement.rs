//! Compares every function with the RustCrypto crates and siphasher, on messages of any length,
//! whole and in pieces.

use cupel_kernels::digest::{Digest, FixedOutputReset, Update};
use cupel_kernels::plan::{self, PlanError};
use cupel_kernels::{
    HmacSha256, Sha1, Sha256, SipHash, sha1, sha1_many, sha256, sha256_code, sha256_many,
};
use hmac::{KeyInit, Mac};
use proptest::collection::vec;
use proptest::prelude::*;
use siphasher::sip::{SipHasher13, SipHasher24};
use std::hash::Hasher;

fn pieces(message: &[u8], mut lengths: impl Iterator<Item = usize>) -> Vec<&[u8]> {
    let mut rest = message;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let (piece, left) = rest.split_at(lengths.next().unwrap_or(1).min(rest.len()));
        pieces.push(piece);
        rest = left;
    }
    pieces
}

proptest! {
    #[test]
    fn hashes_are_those_of_rustcrypto(
        message in vec(any::<u8>(), 0..2000), lengths in vec(1_usize..200, 1..20),
    ) {
        prop_assert_eq!(&sha256(&message)[..], &sha2::Sha256::digest(&message)[..]);
        prop_assert_eq!(&sha1(&message)[..], &sha1::Sha1::digest(&message)[..]);
        let (mut long, mut short) = (Sha256::new(), Sha1::new());
        for piece in pieces(&message, lengths.iter().copied().cycle()) {
            Update::update(&mut long, piece);
            Update::update(&mut short, piece);
        }
        let copy = long.clone();
        prop_assert_eq!(long.finalize_fixed_reset(), copy.finalize());
        prop_assert_eq!(&long.finalize()[..], &sha256(b"")[..], "it begins again");
        let copy = short.clone();
        Digest::reset(&mut short);
        prop_assert_eq!(&short.finalize()[..], &sha1(b"")[..], "it begins again");
        prop_assert_eq!(&copy.finalize()[..], &sha1(&message)[..]);
    }

    #[test]
    fn many_are_each_as_one(messages in vec(vec(any::<u8>(), 0..300), 0..40), key in any::<[u8; 16]>()) {
        let each: Vec<[u8; 32]> = messages.iter().map(|m| sha256(m)).collect();
        prop_assert_eq!(sha256_many(&messages), each);
        let each: Vec<[u8; 20]> = messages.iter().map(|m| sha1(m)).collect();
        prop_assert_eq!(sha1_many(&messages), each);
        for sip in [SipHash::new_2_4(key), SipHash::new_1_3(key)] {
            let each: Vec<u64> = messages.iter().map(|m| sip.hash(m)).collect();
            prop_assert_eq!(sip.hash_many(&messages), each);
            let each: Vec<[u8; 16]> = messages.iter().map(|m| sip.hash_128(m)).collect();
            prop_assert_eq!(sip.hash_many_128(&messages), each);
        }
    }

    #[test]
    fn tags_are_those_of_their_crates(
        key in vec(any::<u8>(), 0..200), sip in any::<[u8; 16]>(), message in vec(any::<u8>(), 0..600), bit in 0_usize..256,
    ) {
        let mine = HmacSha256::new(&key);
        let theirs = hmac::Hmac::<sha2::Sha256>::new_from_slice(&key).unwrap().chain_update(&message);
        let mut tag = mine.tag(&message);
        prop_assert_eq!(&tag[..], &theirs.finalize().into_bytes()[..]);
        prop_assert!(mine.verify(&tag, &message));
        tag[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(!mine.verify(&tag, &message));
        let mut theirs = SipHasher24::new_with_key(&sip);
        theirs.write(&message);
        prop_assert_eq!(SipHash::new_2_4(sip).hash(&message), theirs.finish());
        let mut theirs = SipHasher13::new_with_key(&sip);
        theirs.write(&message);
        prop_assert_eq!(SipHash::new_1_3(sip).hash(&message), theirs.finish());
    }
}

#[test]
fn rounds_of_none_are_refused_and_the_code_has_a_name() {
    assert!(SipHash::with_rounds([0; 16], 0, 4).is_none());
    assert!(SipHash::with_rounds([0; 16], 2, 0).is_none());
    let known = ["portable", "ssse3", "avx2", "shani", "armsha"];
    assert!(known.contains(&sha256_code()), "{}", sha256_code());
}

#[test]
fn a_plan_says_which_code_a_class_takes_until_it_is_cleared() {
    let Some(cpu) = plan::cpu() else { return };
    let code = plan::sha256_many_code;
    plan::clear();
    let usual = (code(16, 4096), code(16, 4095), code(15, 4096));
    let text = format!(
        "cupel-plan 1\n{cpu}\ndate 2026-11-27\nsha256-many 16+ 4096+ avx2 0.800 0.900\nend\n"
    );
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("agreement.plan");
    std::fs::write(&file, &text).unwrap();
    plan::load(&file).expect("the library reads it");
    assert!(matches!(plan::use_text(b"cupel-plan 2\n"), Err(PlanError::Damaged)));
    let other = text.replace(&cpu, "cpu Abacus 1 1 1");
    assert!(matches!(plan::use_text(other.as_bytes()), Err(PlanError::OtherCpu)));
    assert!(matches!(plan::load("no/such/plan"), Err(PlanError::Unreadable(_))));
    let named = if has_avx2() { "avx2" } else { usual.0 };
    assert_eq!((code(16, 4096), code(16, 4095), code(15, 4096)), (named, usual.1, usual.2));
    plan::clear();
    assert_eq!(code(16, 4096), usual.0);
}

fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}
