//! From log-ratios of times to intervals and verdicts.
//!
//! Pure functions: no input or output, no clock, and randomness only if the caller passes it in.
//! Every number of a report can be computed again from the stored slices. All ratios are natural
//! logarithms; below zero, the contender is faster.
//!
//! [`mod@compare`] has the interval of a ratio, and [`mod@verdict`] its verdict. `cupel-analyse`
//! decides which slices count, and whether a comparison may have verdicts at all.

pub mod carry_over;
pub mod change;
pub mod compare;
pub mod dependence;
pub mod eprocess;
pub mod interval;
pub mod levels;
pub mod line;
pub mod order;
pub mod pair;
pub mod placebo;
pub mod prior;
pub mod quantile;
mod scatter;
pub mod shares;
pub mod signed_rank;
pub mod size;
pub mod steadiness;
mod student;
pub mod turns;
pub mod verdict;
pub mod warmup;

pub use change::{Change, Shape, Step, change, shift};
pub use compare::{Comparison, PairLevel, Without, compare};
pub use interval::{Interval, Side};
pub use line::Line;
pub use pair::Pair;
pub use prior::Prior;
pub use steadiness::{Steadiness, steadiness};
pub use verdict::{ENOUGH_FORKS, floor_of, verdict};

/// The fewest rounds of a cell that must count in a fork for it to be a sample: the median of fewer
/// rounds shows more of their noise than of the process. More of them in fewer forks would make
/// intervals wider, because processes differ more than the medians of ten rounds do.
pub const FEWEST_ROUNDS: usize = 10;

/// The fewest rounds if the cell's code is compiled at run time. Its first rounds may still fall,
/// and each of its forks costs seconds anyway.
pub const FEWEST_ROUNDS_IF_COMPILED: usize = 20;
