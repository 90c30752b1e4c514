//! siphasher: SipHash with 64 and with 128 bits of output.

use cupel_rust_contender::hash::put;
use cupel_rust_contender::key::Keyed;
use cupel_rust_contender::mac::{Mac, mac};
use cupel_rust_contender::{Contender, locked};
use siphasher::{sip, sip128};
use std::hash::Hasher;

pub const SIPHASHER: Contender = Contender {
    name: "siphasher",
    library: "siphasher",
    version: locked("siphasher", "1"),
    licence: "MIT OR Apache-2.0",
    summary: "the keyed hasher's `hash`, Hasher::write on a copy of it where streamed; output \
              little-endian",
    fixed_key: None,
    missing: || None,
    code_path: |_| "portable Rust".to_string(),
    offers: &[
        mac::<Sip13>("siphash-1-3"),
        mac::<Sip24>("siphash-2-4"),
        mac::<Sip13x128>("siphash-1-3-128"),
        mac::<Sip24x128>("siphash-2-4-128"),
    ],
};

/// `$bytes` turns the hash of a whole message into the output; `$finish` does so for the hasher
/// after the last piece.
macro_rules! siphash {
    ($name:ident, $hasher:ty, $bytes:expr, $finish:expr) => {
        struct $name($hasher);

        impl Keyed for $name {
            #[inline(always)]
            fn new(key: &[u8]) -> Result<Self, &'static str> {
                let key: &[u8; 16] = key.try_into().map_err(|_| "takes keys of 16 bytes only")?;
                Ok($name(<$hasher>::new_with_key(key)))
            }
        }

        impl Mac for $name {
            #[inline(always)]
            fn tag_pieces<'a>(
                &self,
                pieces: impl Iterator<Item = &'a [u8]>,
                output: &mut [u8],
            ) -> usize {
                let mut hasher = self.0;
                pieces.for_each(|piece| hasher.write(piece));
                put(&$bytes($finish(&hasher)), output)
            }

            #[inline(always)]
            fn tag(&self, message: &[u8], output: &mut [u8]) -> usize {
                put(&$bytes(self.0.hash(message)), output)
            }
        }
    };
}

siphash!(Sip13, sip::SipHasher13, u64::to_le_bytes, sip::SipHasher13::finish);
siphash!(Sip24, sip::SipHasher24, u64::to_le_bytes, sip::SipHasher24::finish);
siphash!(Sip13x128, sip128::SipHasher13, bytes, sip128::Hasher128::finish128);
siphash!(Sip24x128, sip128::SipHasher24, bytes, sip128::Hasher128::finish128);

fn bytes(hash: sip128::Hash128) -> [u8; 16] {
    hash.as_bytes()
}
