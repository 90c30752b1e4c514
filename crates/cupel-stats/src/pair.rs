//! What is compared: two contenders in the rounds that both of them ran in.

/// A contender and the baseline, measured in the same rounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pair<'a> {
    /// `ln t(contender) - ln t(baseline)` of the kept rounds, one slice a fork, in time order.
    pub forks: Vec<&'a [f64]>,
}
