//! The types of `protocol/cupel_contender.h`, field by field. The header is authoritative and
//! explains each field. If it changes, change this file and [`VERSION`].
#![allow(missing_docs)]

use std::ffi::{c_char, c_int, c_void};

pub const VERSION: c_int = 1;

pub const OK: c_int = 0;
pub const UNSUPPORTED: c_int = 1;
pub const MISSING: c_int = 2;
pub const FAILED: c_int = 3;
pub const REFUSED: c_int = 4;

pub const KEY_NONE: c_int = 0;
pub const KEY_PREPARED: c_int = 1;
pub const KEY_PER_CALL: c_int = 2;

#[repr(C)]
pub struct Contender {
    pub name: *const c_char,
    pub library: *const c_char,
    pub version: *const c_char,
    pub licence: *const c_char,
    pub summary: *const c_char,
    pub offers: *const c_char,
}

#[repr(C)]
pub struct Task {
    pub primitive: *const c_char,
    pub operation: *const c_char,
    pub key: *const u8,
    pub key_len: usize,
    pub key_schedule: c_int,
    pub chunks: *const u32,
    pub chunk_count: usize,
}

#[repr(C)]
pub struct Io {
    pub nonce: *const u8,
    pub nonce_len: usize,
    pub ad: *const u8,
    pub ad_len: usize,
    pub input: *const u8,
    pub input_len: usize,
    pub output: *mut u8,
    pub output_len: usize,
}

#[repr(C)]
pub struct Batch {
    pub count: usize,
    pub messages: *const *const u8,
    pub lengths: *const usize,
    pub output: *mut u8,
    pub output_len: usize,
}

#[repr(C)]
pub struct State {
    pub data: *mut c_void,
    pub code_path: *const c_char,
    pub reason: *const c_char,
}

pub type AbiFn = unsafe extern "C" fn() -> c_int;
pub type DescribeFn = unsafe extern "C" fn(usize) -> *const Contender;
pub type OpenFn = unsafe extern "C" fn(usize, *const Task, *mut State) -> c_int;
pub type CallFn = unsafe extern "C" fn(*mut State, *mut Io) -> c_int;
pub type CallManyFn = unsafe extern "C" fn(*mut State, *mut Batch) -> c_int;
pub type PrefixFn = unsafe extern "C" fn(*mut State, *const u8, usize) -> c_int;
pub type CloseFn = unsafe extern "C" fn(*mut State);
