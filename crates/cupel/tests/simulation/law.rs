//! How many runs there are, and the checks that so few allow. `make test` makes few runs, which
//! show that each scenario still runs and is not grossly wrong; `make test-all` (`CUPEL_TEST_ALL`)
//! makes a fifth of them, and `make evidence` (`CUPEL_EVIDENCE`) all. A check of fewer runs asks
//! for less, by the binomial law.

/// A check of a value that is only just right fails as often as this by the choice of its seeds.
const ERROR: f64 = 0.001;

/// The number of runs to make here, of this many.
pub fn runs(all: u64) -> u64 {
    if evidence() {
        return all;
    }
    if every_test() { (all / 5).max(20).min(all) } else { (all / 50).max(10) }
}

/// The number of runs that take long to make here, of this many.
pub fn few_runs(all: u64) -> u64 {
    if evidence() {
        return all;
    }
    if every_test() { (all / 40).max(20).min(all) } else { 5 }
}

fn evidence() -> bool {
    std::env::var_os("CUPEL_EVIDENCE").is_some()
}

fn every_test() -> bool {
    std::env::var_os("CUPEL_TEST_ALL").is_some()
}

/// How often something must be seen in `n` cases, where its true share is `share` or more. All of
/// that share where there is time for all runs; else as many as are missed once in a thousand
/// choices of seeds.
pub fn at_least(share: f64, n: usize) -> usize {
    if evidence() { (share * n as f64 - 1e-9).ceil() as usize } else { fewest(share, n) }
}

/// How often something may be seen in `n` cases, where its true share is `share` or less.
pub fn at_most(share: f64, n: usize) -> usize {
    n - at_least(1.0 - share, n)
}

/// The largest count that a binomial variable of `n` and `share` stays below with a probability of
/// at most [`ERROR`].
fn fewest(share: f64, n: usize) -> usize {
    let mut below = 0.0;
    (0..=n)
        .find(|&k| {
            below += probability(k, share, n);
            below > ERROR
        })
        .unwrap_or(n)
}

/// The probability of `k` of `n`.
fn probability(k: usize, share: f64, n: usize) -> f64 {
    let ln_choose: f64 = (1..=k).map(|i| ((n - k + i) as f64 / i as f64).ln()).sum();
    let ln = |p: f64, times: usize| if times == 0 { 0.0 } else { times as f64 * p.ln() };
    (ln_choose + ln(share, k) + ln(1.0 - share, n - k)).exp()
}

/// Against tables of the binomial law.
#[test]
fn the_law_is_the_binomial_one() {
    assert!((probability(3, 0.5, 10) - 120.0 / 1024.0).abs() < 1e-12);
    let all: f64 = (0..=200).map(|k| probability(k, 0.95, 200)).sum();
    assert!((all - 1.0).abs() < 1e-9);
    // P(X < 179) = 0.00048 and P(X < 180) = 0.00116 of 200 at 0.95.
    assert_eq!(fewest(0.95, 200), 179);
    assert_eq!(fewest(1.0, 20), 20);
    assert_eq!(fewest(0.0, 20), 0);
}
