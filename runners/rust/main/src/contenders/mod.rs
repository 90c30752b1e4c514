//! The table: one file for each library or group of crates, one line for each contender.
//! `ring_like` and `digest_011` have the code that several of them share.

#[cfg(feature = "aws-lc-rs")]
mod aws_lc_rs;
#[cfg(feature = "blake2_simd")]
mod blake2_simd;
#[cfg(feature = "blake3")]
mod blake3;
#[cfg(feature = "rustcrypto")]
mod digest_011;
#[cfg(feature = "graviola")]
mod graviola;
#[cfg(feature = "marks")]
mod marks;
#[cfg(feature = "ring")]
mod ring;
#[cfg(any(feature = "aws-lc-rs", feature = "ring"))]
mod ring_like;
#[cfg(feature = "rustcrypto")]
mod rustcrypto;
#[cfg(feature = "rustcrypto_aead")]
mod rustcrypto_aead;
#[cfg(feature = "siphasher")]
mod siphasher;
mod std_hasher;
#[cfg(feature = "tiny-keccak")]
mod tiny_keccak;
#[cfg(feature = "xxhash-rust")]
mod xxhash;

use cupel_rust_contender::Contender;
use cupel_rust_contender::empty::EMPTY;

/// Every contender of this runner.
pub const CONTENDERS: &[Contender] = &[
    #[cfg(feature = "ring")]
    ring::RING,
    #[cfg(feature = "ring")]
    ring::READ_1K,
    #[cfg(feature = "ring")]
    ring::COPY,
    #[cfg(feature = "rustcrypto")]
    rustcrypto::SHA2_010,
    #[cfg(feature = "rustcrypto")]
    rustcrypto::SHA2_010_READ_1K,
    #[cfg(feature = "rustcrypto")]
    rustcrypto::SHA2_010_COPY,
    #[cfg(feature = "rustcrypto")]
    rustcrypto::SHA2_011,
    #[cfg(feature = "rustcrypto")]
    rustcrypto::SHA2_011_READ_1K,
    #[cfg(feature = "rustcrypto")]
    rustcrypto::SHA1_010,
    #[cfg(feature = "rustcrypto")]
    rustcrypto::SHA1_011,
    #[cfg(feature = "rustcrypto")]
    rustcrypto::SHA3,
    #[cfg(feature = "rustcrypto")]
    rustcrypto::SHAKE,
    #[cfg(feature = "rustcrypto")]
    rustcrypto::BLAKE2,
    #[cfg(feature = "rustcrypto")]
    rustcrypto::CMAC,
    #[cfg(feature = "aws-lc-rs")]
    aws_lc_rs::AWS_LC_RS,
    #[cfg(feature = "aws-lc-rs")]
    aws_lc_rs::READ_1K,
    #[cfg(feature = "graviola")]
    graviola::GRAVIOLA,
    #[cfg(feature = "rustcrypto_aead")]
    rustcrypto_aead::AES_GCM,
    #[cfg(feature = "rustcrypto_aead")]
    rustcrypto_aead::AES_GCM_SIV,
    #[cfg(feature = "rustcrypto_aead")]
    rustcrypto_aead::CHACHA20POLY1305,
    #[cfg(feature = "blake2_simd")]
    blake2_simd::BLAKE2B,
    #[cfg(feature = "blake2_simd")]
    blake2_simd::BLAKE2S,
    #[cfg(feature = "blake3")]
    blake3::BLAKE3,
    #[cfg(feature = "siphasher")]
    siphasher::SIPHASHER,
    #[cfg(feature = "tiny-keccak")]
    tiny_keccak::TINY_KECCAK,
    #[cfg(feature = "marks")]
    marks::KOMIHASH,
    #[cfg(feature = "marks")]
    marks::RAPIDHASH,
    #[cfg(feature = "marks")]
    marks::WYHASH,
    #[cfg(feature = "xxhash-rust")]
    xxhash::XXHASH,
    std_hasher::STD_DEFAULT_HASHER,
    EMPTY,
];
