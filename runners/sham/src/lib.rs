//! A runner that follows a script: contenders with known true times on a simulated machine, and
//! faults of every kind that a real runner has shown. Nothing in it takes real time, so that Cupel's
//! statistics can be held against the truth over thousands of runs.
//!
//! [`script`] says what happens, [`model`] is the simulated machine (also for use without a
//! process), [`sham`] speaks the protocol.

pub mod clock;
pub mod model;
pub mod primitive;
pub mod script;
pub mod sham;

mod burst;
mod jit;
mod misbehave;
mod random;
