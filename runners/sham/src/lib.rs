//! A runner that follows a script: contenders with known true times on a simulated machine, with
//! faults of every kind that real runners have shown. It takes no real time, so Cupel's statistics
//! can be compared with the truth over thousands of runs.
//!
//! [`script`] has the events, [`model`] is the simulated machine (which works without a process
//! too), [`sham`] speaks the protocol.

pub mod clock;
pub mod edit;
pub mod model;
pub mod primitive;
pub mod script;
pub mod sham;

mod burst;
mod jit;
mod misbehave;
mod random;
mod tick;
