//! The runner of RustCrypto's AEADs with code that the crates have and a default build leaves out:
//! VAES and AVX-512. `contenders/rust-wide.toml` says which flags of the compiler bring it.

#[path = "../../main/src/contenders/rustcrypto_aead.rs"]
mod rustcrypto_aead;

use cupel_rust_contender::Contender;
use cupel_rust_contender::empty::EMPTY;
use rustcrypto_aead::{AES_GCM, AES_GCM_SIV, CHACHA20POLY1305};

const CONTENDERS: &[Contender] = &[AES_GCM, AES_GCM_SIV, CHACHA20POLY1305, EMPTY];

fn main() -> std::io::Result<()> {
    cupel_rust_contender::serve("rust-wide", CONTENDERS)
}
