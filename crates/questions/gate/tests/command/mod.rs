//! The question of a gate: over benchmark programs, over contenders, and the results of other
//! programs.

mod against;
mod foreign;
#[cfg(unix)]
mod gate;
mod kept;
