//! RustCrypto's hashes and MACs. The releases of `digest` 0.10 and 0.11 are side by side for SHA-1
//! and SHA-2, without assembly. The other runner hosts 0.10 with assembly.

use super::digest_011::{Hash011, Mac011, Xof011};
use cupel_rust_contender::hash::digest;
use cupel_rust_contender::mac::mac;
use cupel_rust_contender::rustcrypto_010::{Hash010, Hmac as Hmac012, Mac010};
use cupel_rust_contender::{Contender, cpu, file, locked};
use hmac_013::Hmac as Hmac013;

const STREAMED: &str = "new, update, finalize; HMAC from the crate hmac, cloned after the key";
const READ_1K: &str = "BufReader<File>, read into 1 KiB, update";
const COPY: &str = "BufReader<File>, io::copy into a Write around update";

pub const SHA2_010: Contender = Contender {
    name: "sha2-0.10",
    library: "sha2",
    version: locked("sha2", "0.10"),
    licence: "MIT OR Apache-2.0",
    summary: STREAMED,
    fixed_key: None,
    missing: || None,
    code_path: |primitive| cpu::rustcrypto_sha(primitive, "soft", false),
    offers: &[
        digest::<Hash010<sha2_010::Sha256>>("sha256"),
        digest::<Hash010<sha2_010::Sha512>>("sha512"),
        digest::<Hash010<sha2_010::Sha512_256>>("sha512-256"),
        mac::<Mac010<Hmac012<sha2_010::Sha256>>>("hmac-sha256"),
        mac::<Mac010<Hmac012<sha2_010::Sha512>>>("hmac-sha512"),
    ],
};

pub const SHA2_010_READ_1K: Contender = Contender {
    name: "sha2-0.10-read-1k",
    summary: READ_1K,
    offers: &[file::read_1k::<Hash010<sha2_010::Sha256>>("sha256")],
    ..SHA2_010
};

pub const SHA2_010_COPY: Contender = Contender {
    name: "sha2-0.10-copy",
    summary: COPY,
    offers: &[file::copy::<Hash010<sha2_010::Sha256>>("sha256")],
    ..SHA2_010
};

pub const SHA2_011: Contender = Contender {
    name: "sha2-0.11",
    version: locked("sha2", "0.11"),
    code_path: |primitive| cpu::rustcrypto_sha(primitive, "soft", true),
    offers: &[
        digest::<Hash011<sha2_011::Sha256>>("sha256"),
        digest::<Hash011<sha2_011::Sha512>>("sha512"),
        digest::<Hash011<sha2_011::Sha512_256>>("sha512-256"),
        mac::<Mac011<Hmac013<sha2_011::Sha256>>>("hmac-sha256"),
        mac::<Mac011<Hmac013<sha2_011::Sha512>>>("hmac-sha512"),
    ],
    ..SHA2_010
};

pub const SHA2_011_READ_1K: Contender = Contender {
    name: "sha2-0.11-read-1k",
    summary: READ_1K,
    offers: &[file::read_1k::<Hash011<sha2_011::Sha256>>("sha256")],
    ..SHA2_011
};

pub const SHA1_010: Contender = Contender {
    name: "sha1-0.10",
    library: "sha1",
    version: locked("sha1", "0.10"),
    summary: "new, update, finalize",
    offers: &[digest::<Hash010<sha1_010::Sha1>>("sha1")],
    ..SHA2_010
};

pub const SHA1_011: Contender = Contender {
    name: "sha1-0.11",
    library: "sha1",
    version: locked("sha1", "0.11"),
    summary: "new, update, finalize",
    offers: &[digest::<Hash011<sha1_011::Sha1>>("sha1")],
    ..SHA2_011
};

pub const SHA3: Contender = Contender {
    name: "sha3",
    library: "sha3",
    version: locked("sha3", "0.12"),
    summary: "new, update, finalize",
    code_path: |_| keccak(),
    offers: &[digest::<Hash011<sha3::Sha3_256>>("sha3-256")],
    ..SHA2_010
};

pub const SHAKE: Contender = Contender {
    name: "shake",
    library: "shake",
    version: locked("shake", "0.1"),
    summary: "default, update, finalize_xof_into",
    offers: &[digest::<Xof011<shake::Shake128, 32>>("shake128")],
    ..SHA3
};

pub const BLAKE2: Contender = Contender {
    name: "blake2",
    library: "blake2",
    version: locked("blake2", "0.11"),
    summary: "new, update, finalize",
    code_path: |_| "portable Rust".to_string(),
    offers: &[
        digest::<Hash011<blake2::Blake2b512>>("blake2b"),
        digest::<Hash011<blake2::Blake2s256>>("blake2s"),
    ],
    ..SHA2_010
};

pub const CMAC: Contender = Contender {
    name: "cmac",
    library: "cmac",
    version: locked("cmac", "0.8"),
    summary: "update and finalize on a clone of the keyed state",
    code_path: |_| cpu::rustcrypto_aes().to_string(),
    offers: &[mac::<Mac011<cmac::Cmac<aes::Aes128>>>("aes-cmac")],
    ..SHA2_010
};

/// The selection of keccak 0.2 (src/lib.rs).
fn keccak() -> String {
    let arm = cfg!(target_arch = "aarch64") && cpu::offers(&["sha3"]);
    (if arm { "keccak: Arm sha3 instructions" } else { "keccak: soft" }).to_string()
}
