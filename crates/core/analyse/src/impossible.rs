//! Figures that cannot be: times that no processor reaches, and contradictions.

use super::Time;
use super::series::Series;
use cupel_base::primitives::EMPTY;
use cupel_base::text;
use cupel_plan::Plan;
use cupel_stats::Comparison;
use std::collections::BTreeMap;

/// The most bytes that one thread can load in a nanosecond: two loads of 64 bytes in each cycle of
/// 6 GHz. No kernel of cryptography is within a factor of ten of it, but a clock that misses its
/// calls soon is.
const MOST_BYTES_PER_NS: f64 = 768.0;

/// The share of its runner's empty call that a call may seem to take. The two are measured in
/// separate rounds, so the machine may have changed between them.
const OF_EMPTY: f64 = 0.5;

/// A time and a ratio may differ by this much (a ratio minus one) for any reason.
const TOLERATED: f64 = 0.02;

/// Why the times of cells cannot be true, by cell. Work that loads faster than a processor can is
/// remembered or not done, also at the sizes at which that does not show.
pub(super) fn times(plan: &Plan, series: &Series) -> BTreeMap<usize, String> {
    let cells = || 0..plan.cells.len();
    let loads: BTreeMap<usize, String> =
        cells().filter_map(|cell| Some((cell, loads(plan, series, cell)?))).collect();
    let of_cell = |cell: usize| {
        let alike = loads.iter().find(|&(&other, _)| is_same_work(plan, cell, other));
        let why = loads.get(&cell).cloned().or_else(|| {
            let (&other, why) = alike?;
            let size = text::bytes(plan.workload_of(other).size);
            Some(format!("at {size}, {why}"))
        });
        Some((cell, why.or_else(|| shorter_than_empty(plan, series, cell))?))
    };
    cells().filter_map(of_cell).collect()
}

/// Whether two cells have one contender and differ in the size of their messages only.
fn is_same_work(plan: &Plan, cell: usize, other: usize) -> bool {
    let (own, others) = (plan.workload_of(cell), plan.workload_of(other));
    plan.cells[cell].contender == plan.cells[other].contender
        && (&own.primitive, own.operation, &own.contract, own.shape)
            == (&others.primitive, others.operation, &others.contract, others.shape)
}

/// Why a cell's time is too short to load its messages, if it is.
fn loads(plan: &Plan, series: &Series, cell: usize) -> Option<String> {
    let time = series.time(cell)?;
    let workload = plan.workload_of(cell);
    let bytes = workload.bytes_per_call();
    let threads = f64::from(workload.contract.threads.max(1));
    (bytes > MOST_BYTES_PER_NS * threads * time.median).then(|| {
        format!(
            "{} per call for {bytes} bytes is more than a processor can load: its times are wrong",
            text::time(time.median)
        )
    })
}

/// Why a cell's time is too short for its runner, if it is.
fn shorter_than_empty(plan: &Plan, series: &Series, cell: usize) -> Option<String> {
    let time = series.time(cell)?;
    if plan.workload_of(cell).primitive == EMPTY {
        return None;
    }
    let empty = empty_call(plan, series, cell)?;
    (time.high < OF_EMPTY * empty.low).then(|| {
        format!(
            "{} per call is less than an empty call of its runner takes ({}): its times are wrong",
            text::time(time.median),
            text::time(empty.median)
        )
    })
}

/// The time of an empty call through the runner of a cell.
fn empty_call(plan: &Plan, series: &Series, cell: usize) -> Option<Time> {
    let own = &plan.contender_of(cell).name;
    let overhead = plan.comparisons.iter().find(|comparison| comparison.overhead)?;
    let mut cells = overhead.cells.iter().filter(|&&other| !plan.cells[other].control);
    series.time(*cells.find(|&&other| plan.contender_of(other).name.has_the_runner_of(own))?)
}

/// Half the width of a time's interval, in logarithms.
fn reach(time: &Time) -> f64 {
    (time.high / time.low).ln() / 2.0
}

/// Why a ratio gets no verdict, if the times of its two sides contradict it. A ratio comes from the
/// rounds that both had, a time from all rounds of one of them.
pub(super) fn contradiction(own: &Time, base: &Time, compared: &Comparison) -> Option<String> {
    let times = own.median.ln() - base.median.ln();
    let allowed = compared.interval.half_width() + reach(own) + reach(base) + TOLERATED.ln_1p();
    ((times - compared.estimate).abs() > allowed).then(|| {
        format!(
            "in its own rounds it took {} times as long as the baseline in all of the run, and {} \
             times as long in the rounds that both had: one of the two changed while the run went on",
            text::ratio_digits(times.exp()),
            text::ratio_digits(compared.estimate.exp())
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_stats::{Pair, Prior, compare};

    /// The baseline took 64 us in the rounds that both had, and 1.1 us in most of the run.
    #[test]
    fn times_that_contradict_their_ratio_are_said_with_both_figures() {
        let time = |median: f64| Time { median, low: 0.99 * median, high: 1.01 * median };
        let forks = [0.0023_f64, 0.00231, 0.00229, 0.0023, 0.00231, 0.0023];
        let pair = Pair { forks: forks.map(f64::ln).to_vec(), rounds: 60 };
        let compared = compare(&pair, 0.05, &Prior::NOTHING, 1.0);
        let why = contradiction(&time(148.0), &time(1100.0), &compared).expect("a contradiction");
        assert!(why.contains("0.135") && why.contains("0.002"), "{why}");
        assert_eq!(contradiction(&time(148.0), &time(64_300.0), &compared), None);
    }
}
