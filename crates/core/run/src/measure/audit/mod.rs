//! Whether a runner's answers are true, and whether something else disturbed it.

pub mod clock;
pub mod company;
pub mod disturbance;
pub mod expectation;
pub mod makeup;
pub mod thread_time;
