//! The declarations of `kernels/include/cupel.h` that the safe modules use.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// A SHA-256 in progress.
#[repr(C)]
#[derive(Clone)]
pub struct Sha256State {
    h: [u32; 8],
    length: u64,
    block: [u8; 64],
}

/// A SHA-1 in progress.
#[repr(C)]
#[derive(Clone)]
pub struct Sha1State {
    h: [u32; 5],
    length: u64,
    block: [u8; 64],
}

/// A prepared key of HMAC-SHA-256.
#[repr(C)]
#[derive(Clone)]
pub struct HmacKey {
    inner: [u32; 8],
    outer: [u32; 8],
}

unsafe extern "C" {
    pub fn cupel_sha256(digest: *mut u8, message: *const c_void, length: usize);
    pub fn cupel_sha256_begin(state: *mut Sha256State);
    pub fn cupel_sha256_update(state: *mut Sha256State, piece: *const c_void, length: usize);
    pub fn cupel_sha256_finish(state: *mut Sha256State, digest: *mut u8);
    pub fn cupel_sha256_many(
        digests: *mut [u8; 32],
        messages: *const *const c_void,
        lengths: *const usize,
        count: usize,
    );
    pub fn cupel_sha1(digest: *mut u8, message: *const c_void, length: usize);
    pub fn cupel_sha1_begin(state: *mut Sha1State);
    pub fn cupel_sha1_update(state: *mut Sha1State, piece: *const c_void, length: usize);
    pub fn cupel_sha1_finish(state: *mut Sha1State, digest: *mut u8);
    pub fn cupel_sha1_many(
        digests: *mut [u8; 20],
        messages: *const *const c_void,
        lengths: *const usize,
        count: usize,
    );
    pub fn cupel_hmac_sha256_prepare(key: *mut HmacKey, bytes: *const c_void, length: usize);
    pub fn cupel_hmac_sha256(
        tag: *mut u8,
        key: *const HmacKey,
        message: *const c_void,
        length: usize,
    );
    pub fn cupel_hmac_sha256_verify(
        tag: *const u8,
        key: *const HmacKey,
        message: *const c_void,
        length: usize,
    ) -> c_int;
    pub fn cupel_siphash(
        tag: *mut u8,
        tag_length: usize,
        c: c_uint,
        d: c_uint,
        key: *const u8,
        message: *const c_void,
        length: usize,
    ) -> c_int;
    pub fn cupel_siphash_many(
        tags: *mut u8,
        tag_length: usize,
        c: c_uint,
        d: c_uint,
        key: *const u8,
        messages: *const *const c_void,
        lengths: *const usize,
        count: usize,
    ) -> c_int;
    pub fn cupel_wipe(secret: *mut c_void, length: usize);
    pub fn cupel_sha256_code() -> *const c_char;
    pub fn cupel_sha256_many_code() -> *const c_char;
    pub fn cupel_sha1_many_code_for(count: usize, length: usize) -> *const c_char;
    pub fn cupel_sha256_many_code_for(count: usize, length: usize) -> *const c_char;
    pub fn cupel_plan_use(text: *const c_char, length: usize) -> c_int;
    pub fn cupel_plan_clear();
    pub fn cupel_plan_cpu(line: *mut c_char) -> c_int;
}
