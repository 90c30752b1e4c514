//! The table: one file for each library, one line for each contender. `ring_like` has what two of
//! the libraries share.

mod aes_gcm;
mod aws_lc_rs;
mod blake3;
mod graviola;
mod ring;
mod ring_like;
mod rustcrypto;
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
    aws_lc_rs::AWS_LC_RS,
    aws_lc_rs::READ_1K,
    graviola::GRAVIOLA,
    aes_gcm::AES_GCM,
    blake3::BLAKE3,
    siphasher::SIPHASHER,
    std_hasher::STD_DEFAULT_HASHER,
    EMPTY,
];
