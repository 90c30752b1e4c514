//! Whether what a runner answers is true, and whether something else disturbed it.

pub mod clock;
pub mod company;
pub mod disturbance;
pub mod expectation;
pub mod thread_time;
