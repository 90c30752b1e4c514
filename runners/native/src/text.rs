//! Strings that come from C.

use std::ffi::{CStr, c_char};

/// The text at `from`; `None` for a null pointer. Bytes that are not UTF-8 are replaced, for text
/// that a person reads and nothing compares.
///
/// # Safety
/// `from` is null or points to a NUL-terminated string.
pub unsafe fn lossy(from: *const c_char) -> Option<String> {
    if from.is_null() {
        return None;
    }
    // SAFETY: not null, and NUL-terminated by this function's own condition.
    Some(unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned())
}

/// The text at `from`, where it must be text.
///
/// # Errors
/// What is wrong with it, to be read after the field's name: "is NULL".
///
/// # Safety
/// As for [`lossy`].
pub unsafe fn strict(from: *const c_char) -> Result<String, &'static str> {
    if from.is_null() {
        return Err("is NULL");
    }
    // SAFETY: not null, and NUL-terminated by this function's own condition.
    let text = unsafe { CStr::from_ptr(from) }.to_str().map_err(|_| "is not UTF-8")?;
    if text.is_empty() { Err("is empty") } else { Ok(text.to_string()) }
}
