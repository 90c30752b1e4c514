//! SHA-1 and SHA-256 (FIPS 180-4): whole messages, pieces with the traits of `digest`, and many at
//! once.

use crate::{ffi, parts, wipe};
use digest::consts::{U20, U32, U64};
use digest::{
    FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset, Update,
    block_api::BlockSizeUser,
};
use std::ffi::CStr;
use std::mem::MaybeUninit;

macro_rules! hash {
    ($Hash:ident, $State:ident, $bytes:literal, $Size:ty, $about:literal, $one:ident, $about_one:literal,
     $many:ident, $about_many:literal,
     $all:ident, $begin:ident, $update:ident, $finish:ident, $side_by_side:ident) => {
        #[doc = $about]
        #[derive(Clone)]
        pub struct $Hash(ffi::$State);

        impl Default for $Hash {
            fn default() -> Self {
                let mut state = MaybeUninit::<ffi::$State>::uninit();
                // SAFETY: begin writes every field except the block, whose bytes are read only
                // after they were written. Zeros first, so that the whole value is initialised.
                unsafe {
                    state.as_mut_ptr().write_bytes(0, 1);
                    ffi::$begin(state.as_mut_ptr());
                    Self(state.assume_init())
                }
            }
        }

        impl Update for $Hash {
            fn update(&mut self, piece: &[u8]) {
                // SAFETY: the state was begun, and the length is the piece's.
                unsafe { ffi::$update(&mut self.0, piece.as_ptr().cast(), piece.len()) };
            }
        }

        impl OutputSizeUser for $Hash {
            type OutputSize = $Size;
        }

        impl BlockSizeUser for $Hash {
            type BlockSize = U64;
        }

        impl FixedOutput for $Hash {
            fn finalize_into(mut self, out: &mut Output<Self>) {
                // SAFETY: the output has the digest's length.
                unsafe { ffi::$finish(&mut self.0, out.as_mut_ptr()) };
            }
        }

        impl Reset for $Hash {
            fn reset(&mut self) {
                *self = Self::default();
            }
        }

        impl FixedOutputReset for $Hash {
            fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
                std::mem::take(self).finalize_into(out);
            }
        }

        impl HashMarker for $Hash {}

        impl Drop for $Hash {
            fn drop(&mut self) {
                // SAFETY: only integers.
                unsafe { wipe(&mut self.0) };
            }
        }

        #[doc = $about_one]
        pub fn $one(message: &[u8]) -> [u8; $bytes] {
            let mut digest = [0; $bytes];
            // SAFETY: both have the given lengths.
            unsafe { ffi::$all(digest.as_mut_ptr(), message.as_ptr().cast(), message.len()) };
            digest
        }

        #[doc = $about_many]
        pub fn $many<M: AsRef<[u8]>>(messages: &[M]) -> Vec<[u8; $bytes]> {
            let (starts, lengths) = parts(messages);
            let mut digests = vec![[0; $bytes]; messages.len()];
            // SAFETY: all three have the given number of entries, and each message its length.
            unsafe {
                ffi::$side_by_side(
                    digests.as_mut_ptr(),
                    starts.as_ptr(),
                    lengths.as_ptr(),
                    messages.len(),
                );
            }
            digests
        }
    };
}

hash!(
    Sha256,
    Sha256State,
    32,
    U32,
    "SHA-256 of a message in pieces, with the traits of `digest`.",
    sha256,
    "SHA-256 of a whole message.",
    sha256_many,
    "SHA-256 of messages of any lengths, computed side by side. The digests are in their order.",
    cupel_sha256,
    cupel_sha256_begin,
    cupel_sha256_update,
    cupel_sha256_finish,
    cupel_sha256_many
);

hash!(
    Sha1,
    Sha1State,
    20,
    U20,
    "SHA-1 of a message in pieces. Only for formats that require it: collisions are practical.",
    sha1,
    "SHA-1 of a whole message.",
    sha1_many,
    "SHA-1 of messages of any lengths, computed side by side. The digests are in their order.",
    cupel_sha1,
    cupel_sha1_begin,
    cupel_sha1_update,
    cupel_sha1_finish,
    cupel_sha1_many
);

/// The code path for SHA-256 of one message: `portable`, `ssse3`, `avx2`, `shani` or `armsha`.
pub fn sha256_code() -> &'static str {
    // SAFETY: a static string.
    unsafe { CStr::from_ptr(ffi::cupel_sha256_code()) }.to_str().unwrap_or_default()
}

/// The code path for SHA-256 of many messages: one of [`sha256_code`]'s, or `avx512`.
pub fn sha256_many_code() -> &'static str {
    // SAFETY: a static string.
    unsafe { CStr::from_ptr(ffi::cupel_sha256_many_code()) }.to_str().unwrap_or_default()
}
