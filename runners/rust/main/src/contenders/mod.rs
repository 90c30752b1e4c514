//! The table: one file for each library or group of crates, one line for each contender.
//! `ring_like` and `digest_011` have what several of them share.

mod aws_lc_rs;
mod blake2_simd;
mod blake3;
mod digest_011;
mod graviola;
mod ring;
mod ring_like;
mod rustcrypto;
mod rustcrypto_aead;
mod siphasher;
mod std_hasher;

use cupel_rust_contender::Contender;
use cupel_rust_contender::empty::EMPTY;

/// Every contender of this runner.
pub const CONTENDERS: &[Contender] = &[
    ring::RING,
    ring::READ_1K,
    ring::COPY,
    rustcrypto::SHA2_010,
    rustcrypto::SHA2_010_READ_1K,
    rustcrypto::SHA2_010_COPY,
    rustcrypto::SHA2_011,
    rustcrypto::SHA2_011_READ_1K,
    rustcrypto::SHA1_010,
    rustcrypto::SHA1_011,
    rustcrypto::SHA3,
    rustcrypto::SHAKE,
    rustcrypto::BLAKE2,
    rustcrypto::CMAC,
    aws_lc_rs::AWS_LC_RS,
    aws_lc_rs::READ_1K,
    graviola::GRAVIOLA,
    rustcrypto_aead::AES_GCM,
    rustcrypto_aead::AES_GCM_SIV,
    rustcrypto_aead::CHACHA20POLY1305,
    blake2_simd::BLAKE2B,
    blake2_simd::BLAKE2S,
    blake3::BLAKE3,
    siphasher::SIPHASHER,
    std_hasher::STD_DEFAULT_HASHER,
    EMPTY,
];
