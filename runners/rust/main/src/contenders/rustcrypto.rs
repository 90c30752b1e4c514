//! RustCrypto's SHA-1 and SHA-2, the releases of `digest` 0.10 and 0.11 side by side, without
//! assembly. The other runner hosts 0.10 with assembly.

use cupel_rust_contender::hash::{Hash, digest, put};
use cupel_rust_contender::key::Keyed;
use cupel_rust_contender::mac::{Mac, mac};
use cupel_rust_contender::rustcrypto_010::{Hash010, Hmac as Hmac012, Mac010};
use cupel_rust_contender::{Contender, cpu, file, locked};
use hmac_013::{Hmac as Hmac013, KeyInit, Mac as _};
use sha2_011::Digest;

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
        mac::<Mac010<Hmac012<sha2_010::Sha256>>>("hmac-sha256"),
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
        mac::<HmacSha256>("hmac-sha256"),
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

/// A hash of `digest` 0.11, called as its documentation shows.
struct Hash011<D>(D);

impl<D: Digest + 'static> Hash for Hash011<D> {
    #[inline(always)]
    fn new() -> Self {
        Hash011(D::new())
    }

    #[inline(always)]
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    #[inline(always)]
    fn finish(self, output: &mut [u8]) -> usize {
        put(&self.0.finalize(), output)
    }
}

/// HMAC of `digest` 0.11; the keyed state is cloned for each message.
struct HmacSha256(Hmac013<sha2_011::Sha256>);

impl Keyed for HmacSha256 {
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        let hmac = KeyInit::new_from_slice(key).map_err(|_| "takes no key of this length")?;
        Ok(HmacSha256(hmac))
    }
}

impl Mac for HmacSha256 {
    #[inline(always)]
    fn tag_pieces<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>, output: &mut [u8]) -> usize {
        let mut hmac = self.0.clone();
        pieces.for_each(|piece| hmac.update(piece));
        put(&hmac.finalize().into_bytes(), output)
    }
}
