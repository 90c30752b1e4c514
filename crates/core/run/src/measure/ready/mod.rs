//! Until a cell may be timed: its process is prepared, verified, warm and steady.

pub mod prepare;
pub mod recompilation;
pub mod steady;
pub mod verification;
pub mod warm_up;
