//! Which code a batch takes on this CPU: a plan. Digests never depend on it.
//! `kernels/include/cupel.h` has the format, and the moment at which the variable `CUPEL_PLAN` is
//! read.

use crate::ffi;
use std::ffi::{CStr, c_char};
use std::fmt;
use std::io::Read;
use std::path::Path;

/// The longest text that can be a plan, in bytes (`CUPEL_PLAN_MOST`).
const MOST: u64 = 4096;

/// Room for a CPU's line (`CUPEL_PLAN_CPU`).
const CPU: usize = 64;

/// Why a plan is not used.
#[derive(Debug)]
pub enum PlanError {
    /// It is damaged, or of another version.
    Damaged,
    /// It is for another CPU, or this build cannot identify the CPU.
    OtherCpu,
    /// The file cannot be read.
    Unreadable(std::io::Error),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Damaged => f.write_str("the plan is damaged, or of another version"),
            PlanError::OtherCpu => {
                f.write_str("the plan is for another CPU: `plan::cpu` has the line of this one")
            }
            PlanError::Unreadable(error) => write!(f, "the plan cannot be read: {error}"),
        }
    }
}

impl std::error::Error for PlanError {}

/// Uses a plan, for the whole process, from the next batch on.
///
/// # Errors
/// If it is not valid here; then the plan in use stays.
pub fn use_text(text: &[u8]) -> Result<(), PlanError> {
    // SAFETY: the length is the text's.
    match unsafe { ffi::cupel_plan_use(text.as_ptr().cast::<c_char>(), text.len()) } {
        0 => Ok(()),
        -2 => Err(PlanError::OtherCpu),
        _ => Err(PlanError::Damaged),
    }
}

/// Loads the plan from a file.
///
/// # Errors
/// As for [`use_text`], and if the file cannot be read.
pub fn load(path: impl AsRef<Path>) -> Result<(), PlanError> {
    let mut text = Vec::new();
    let file = std::fs::File::open(path).map_err(PlanError::Unreadable)?;
    file.take(MOST).read_to_end(&mut text).map_err(PlanError::Unreadable)?;
    use_text(&text)
}

/// Back to the defaults, also without the plan that the environment names.
pub fn clear() {
    // SAFETY: takes nothing.
    unsafe { ffi::cupel_plan_clear() };
}

/// The line by which a plan names this CPU, without its end of line; `None` if this build cannot
/// identify it.
pub fn cpu() -> Option<String> {
    let mut line = [0_u8; CPU];
    // SAFETY: the line has the size that the library writes at most.
    if unsafe { ffi::cupel_plan_cpu(line.as_mut_ptr().cast::<c_char>()) } != 0 {
        return None;
    }
    let line = CStr::from_bytes_until_nul(&line).ok()?;
    Some(line.to_str().ok()?.trim_end().to_string())
}

/// The code path for a SHA-1 batch of `count` messages, the first of `length` bytes.
pub fn sha1_many_code(count: usize, length: usize) -> &'static str {
    // SAFETY: a static string.
    unsafe { CStr::from_ptr(ffi::cupel_sha1_many_code_for(count, length)) }
        .to_str()
        .unwrap_or_default()
}

/// The code path for a SHA-256 batch of `count` messages, the first of `length` bytes.
pub fn sha256_many_code(count: usize, length: usize) -> &'static str {
    // SAFETY: a static string.
    unsafe { CStr::from_ptr(ffi::cupel_sha256_many_code_for(count, length)) }
        .to_str()
        .unwrap_or_default()
}
