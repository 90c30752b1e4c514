//! The data of a comparison: the log-ratios of two contenders in each fork.

/// Two contenders that were measured in the same rounds of some forks. The fork is the sample: two
/// processes differ for their whole life, however many rounds they run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pair {
    /// For each fork, the median of `ln t(contender) - ln t(baseline)` over its rounds.
    pub forks: Vec<f64>,
    /// The rounds that these medians are taken over, in all forks together.
    pub rounds: usize,
}
