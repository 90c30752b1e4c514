//! Which code path of our C library a batch of messages takes on this CPU: measured class by class,
//! and written as a plan that the library reads (`kernels/include/cupel.h` has its format).
//!
//! A path takes the place of the default in a class only if it is faster by more than the tie zone
//! at one of the class's points, and not slower at any. Everything else keeps the default.

use anyhow::{Result, bail};

mod choice;
mod cpu;
mod file;
mod question;

pub use choice::{Choice, Chosen, choose};
pub use cpu::line as cpu_line;
pub use file::plan;
pub use question::{Class, DEFAULT, NAME, PRIMITIVES, measured, suite};

/// Whether a plan is in the way of measuring what the library does without one.
///
/// # Errors
/// If the environment names a plan.
pub fn without_plan() -> Result<()> {
    if std::env::var_os("CUPEL_PLAN").is_some_and(|plan| !plan.is_empty()) {
        bail!("CUPEL_PLAN is set, but the default is measured without a plan: unset it");
    }
    Ok(())
}
