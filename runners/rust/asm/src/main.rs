//! The runner of RustCrypto's SHA-1 and SHA-2 with the feature `asm`: Project Nayuki's assembly in
//! the crates sha1-asm and sha2-asm.

use cupel_rust_contender::empty::EMPTY;
use cupel_rust_contender::hash::digest;
use cupel_rust_contender::mac::mac;
use cupel_rust_contender::rustcrypto_010::{Hash010, Hmac, Mac010};
use cupel_rust_contender::{Contender, cpu, locked};

const SHA2_010_ASM: Contender = Contender {
    name: "sha2-0.10-asm",
    library: "sha2",
    version: locked("sha2", "0.10"),
    licence: "MIT OR Apache-2.0",
    summary: "feature asm; new, update, finalize; HMAC from the crate hmac, cloned after the key",
    fixed_key: None,
    missing: || None,
    code_path: |primitive| cpu::rustcrypto_sha(primitive, "sha2-asm", true),
    offers: &[
        digest::<Hash010<sha2_010::Sha256>>("sha256"),
        digest::<Hash010<sha2_010::Sha512>>("sha512"),
        digest::<Hash010<sha2_010::Sha512_256>>("sha512-256"),
        mac::<Mac010<Hmac<sha2_010::Sha256>>>("hmac-sha256"),
        mac::<Mac010<Hmac<sha2_010::Sha512>>>("hmac-sha512"),
    ],
};

const SHA1_010_ASM: Contender = Contender {
    name: "sha1-0.10-asm",
    library: "sha1",
    version: locked("sha1", "0.10"),
    summary: "feature asm; new, update, finalize",
    code_path: |primitive| cpu::rustcrypto_sha(primitive, "sha1-asm", true),
    offers: &[digest::<Hash010<sha1_010::Sha1>>("sha1")],
    ..SHA2_010_ASM
};

const CONTENDERS: &[Contender] = &[SHA2_010_ASM, SHA1_010_ASM, EMPTY];

fn main() -> std::io::Result<()> {
    cupel_rust_contender::serve("rust-asm", CONTENDERS)
}
