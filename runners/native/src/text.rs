//! Strings that come from C.

use std::ffi::{CStr, c_char};

/// The text at `from`; `None` for a null pointer. Bytes that are not UTF-8 are replaced. Only for
/// text that people read and nothing compares.
///
/// # Safety
/// `from` is null or points to a NUL-terminated string.
pub unsafe fn lossy(from: *const c_char) -> Option<String> {
    if from.is_null() {
        return None;
    }
    // SAFETY: not null, and NUL-terminated by this function's own requirement.
    Some(unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned())
}

/// The text at `from`, which must not be null and must be UTF-8.
///
/// # Errors
/// Its fault, as the rest of a sentence that begins with the field's name: "is NULL".
///
/// # Safety
/// As for [`lossy`].
pub unsafe fn strict(from: *const c_char) -> Result<String, &'static str> {
    if from.is_null() {
        return Err("is NULL");
    }
    // SAFETY: not null, and NUL-terminated by this function's own requirement.
    let text = unsafe { CStr::from_ptr(from) }.to_str().map_err(|_| "is not UTF-8")?;
    if text.is_empty() { Err("is empty") } else { Ok(text.to_string()) }
}
