//! From log-ratios of times to intervals and verdicts.
//!
//! Pure functions: no input or output, no clock, and randomness only where the caller passes it in,
//! so that every number of a report can be computed again from the stored slices. All ratios are
//! natural logarithms of time over time; below zero the contender is the faster side.

pub mod compare;
pub mod dependence;
pub mod eprocess;
pub mod interval;
pub mod levels;
pub mod line;
pub mod order;
pub mod pair;
pub mod quantile;
pub mod size;
pub mod spread;
pub mod steadiness;
pub mod verdict;
pub mod warmup;

pub use compare::{Comparison, compare};
pub use interval::{Interval, Side};
pub use line::{Line, crossover};
pub use pair::Pair;
pub use spread::Spread;
pub use steadiness::{Steadiness, steadiness};
pub use verdict::{Verdict, verdict};

/// A fork in which fewer rounds of a pair count is no sample of it: the median of a few rounds says
/// more of their noise than of the process.
pub const FEWEST_ROUNDS: usize = 20;
