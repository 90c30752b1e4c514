//! The data of a comparison: two contenders in the rounds that both ran in.

/// A contender and the baseline, measured in the same rounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pair<'a> {
    /// `ln t(contender) - ln t(baseline)` of the kept rounds: one slice for each fork, in time
    /// order.
    pub forks: Vec<&'a [f64]>,
}
