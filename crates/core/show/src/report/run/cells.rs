//! A run as flat rows, one for each cell. All file formats use them.

use crate::report::number::{ends, finite};
use cupel_analyse::{Analysis, Answer, Processes, RatioLevel, Row, Verdict};
use cupel_base::name::ContenderName;
use cupel_base::primitives::EMPTY;
use cupel_base::text;
use cupel_protocol::workload::Workload;
use cupel_store::Recorded;
use serde::Serialize;

/// One cell. Its names are also the columns and fields. All times are in ns.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CellRow {
    /// The contender's full name, with its primitive in a choice: `rust/ring with aes-256-gcm`.
    pub contender: ContenderName,
    /// The row's own primitive, if it belongs to a choice.
    pub primitive: String,
    pub operation: String,
    /// The work inside the timed call, in words.
    pub contract: String,
    /// `throughput` or `latency`.
    pub shape: String,
    /// Message length in bytes.
    pub size: u64,
    pub ns_median: Option<f64>,
    pub ns_low: Option<f64>,
    pub ns_high: Option<f64>,
    /// The median less the harness overhead; absent if the overhead is over a fifth of it.
    pub ns_net: Option<f64>,
    pub gb_per_s: Option<f64>,
    /// The contender that ratios refer to.
    pub baseline: Option<ContenderName>,
    /// The time divided by the baseline's.
    pub ratio: Option<f64>,
    pub ratio_low: Option<f64>,
    pub ratio_high: Option<f64>,
    /// The interval of the ratio that is joint with all others of the run, and not only with the
    /// others of its table.
    pub run_low: Option<f64>,
    pub run_high: Option<f64>,
    /// The ratios of two kinds of processes, if there are two: `0.951:5 1.049:6`.
    pub ratio_levels: String,
    pub verdict: &'static str,
    pub reason: Option<String>,
    pub forks: usize,
    /// The rounds that count.
    pub rounds: usize,
    /// The rounds that do not count because this cell or the baseline was disturbed.
    pub dropped: usize,
    /// The smallest difference that the forks can show, as a share; absent without a control.
    pub floor: Option<f64>,
    /// How many intervals of its table are joint.
    pub table_intervals: usize,
    /// Whether the control makes this comparison untrusted.
    pub untrusted: bool,
    /// The fixed cost of a call, fitted over all sizes of the chart, if they show it.
    pub fixed_ns: Option<f64>,
    /// The cost per byte, fitted over all sizes of the chart, if they show it.
    pub per_byte_ns: Option<f64>,
    /// The cell's first call in a fresh process.
    pub first_call_ns: Option<f64>,
    /// Bytes allocated per call, if the runner can know.
    pub allocated_per_call: Option<f64>,
    /// The time of garbage collection per call, which all times and ratios include.
    pub collecting_ns_per_call: Option<f64>,
    /// The median without it.
    pub ns_without_collecting: Option<f64>,
    /// The ratio without it, of the contender and of the baseline.
    pub ratio_without_collecting: Option<f64>,
    pub ratio_without_collecting_low: Option<f64>,
    pub ratio_without_collecting_high: Option<f64>,
    /// The speeds of its processes, if there are several: `34100:5 52000:1` is 34.1 us in five of
    /// six.
    pub levels: String,
    /// The factor by which it slows the slice after it. Removed from all times; 1 if uncertain.
    pub slows_next: f64,
    /// The lowest level of its loop's code among the forks, in the runtime's numbering.
    pub compile_level: Option<u32>,
    /// The time inside slices until nothing more was compiled: the median over the forks.
    pub steady_after_ns: Option<f64>,
    /// How often its code was compiled again in rounds, over all forks.
    pub recompiled: Option<u32>,
    /// The forks that do not count because its code did not settle.
    pub unsteady_forks: usize,
    /// How each fork ran: `flat`, `warming`, `slowing`, `unsettled`.
    pub steadiness: String,
    pub version: String,
    pub code_path: String,
    /// The results of leak tests of this build on this machine: `leaks`, `none seen`, `cannot be
    /// decided here`, or `not tested`.
    pub leaks: &'static str,
    /// When it was tested.
    pub leaks_tested: Option<String>,
}

/// Every cell of a run, in the order of the tables.
pub fn rows(recorded: &Recorded, analysis: &Analysis) -> Vec<CellRow> {
    analysis
        .comparisons
        .iter()
        .flat_map(|answer| answer.rows.iter().map(move |row| (answer, row)))
        .map(|(answer, row)| cell(recorded, analysis, answer, row))
        .collect()
}

fn cell(recorded: &Recorded, analysis: &Analysis, answer: &Answer, row: &Row) -> CellRow {
    let work = &answer.workload;
    let overhead = analysis.overhead_of(&row.contender);
    let compiled = row.compiled.as_ref();
    let [ratio, ratio_low, ratio_high] = ends(row.ratio);
    let [_, run_low, run_high] = ends(row.ratio_in_run);
    let [without, without_low, without_high] = ends(row.ratio_without_collecting);
    let ranked = row.verdict == Verdict::Failed || !row.verdict.is_absent();
    CellRow {
        contender: row.contender.clone(),
        primitive: row.contender.primitive().unwrap_or(&work.primitive).to_string(),
        operation: work.operation.name().to_string(),
        contract: work.contract.to_string(),
        shape: work.shape.name().to_string(),
        size: work.size,
        ns_median: row.ns.map(|t| t.median),
        ns_low: row.ns.and_then(|t| finite(t.low)),
        ns_high: row.ns.and_then(|t| finite(t.high)),
        ns_net: row
            .ns
            .zip(overhead)
            .and_then(|(t, o)| (o <= t.median / 5.0).then_some(t.median - o)),
        gb_per_s: row.ns.and_then(|t| rate(work, t.median)),
        baseline: answer.baseline.clone().filter(|_| ranked),
        ratio,
        ratio_low,
        ratio_high,
        run_low,
        run_high,
        ratio_levels: ratio_levels(&row.ratio_levels),
        verdict: row.verdict.words(),
        reason: row.reason.clone().or_else(|| row.limit.clone()),
        forks: row.forks,
        rounds: row.rounds,
        dropped: row.dropped,
        floor: finite(answer.floor),
        table_intervals: answer.intervals,
        untrusted: answer.untrusted,
        fixed_ns: row.line.and_then(|l| l.known_fixed_ns()),
        per_byte_ns: row.line.and_then(|l| l.known_per_byte_ns()),
        first_call_ns: row.first_call_ns,
        allocated_per_call: row.allocated_per_call,
        collecting_ns_per_call: row.collecting_ns_per_call,
        ns_without_collecting: row
            .ns
            .zip(row.collecting_ns_per_call)
            .map(|(time, ns)| time.median - ns),
        ratio_without_collecting: without,
        ratio_without_collecting_low: without_low,
        ratio_without_collecting_high: without_high,
        levels: levels(&row.levels),
        slows_next: row.slows_next,
        compile_level: compiled.and_then(|c| c.levels.iter().min().copied()),
        steady_after_ns: compiled.map(|c| c.steady_ns),
        recompiled: compiled.map(|c| c.recompiled),
        unsteady_forks: compiled.map_or(0, |c| c.unsteady.len()),
        steadiness: joined(row.steadiness.iter().map(ToString::to_string)),
        version: row.version.clone(),
        code_path: row.code_path.clone(),
        leaks: recorded.leaks(row.cell),
        leaks_tested: recorded.leak_test(row.cell).map(|test| test.tested.clone()),
    }
}

fn levels(levels: &[Processes]) -> String {
    joined(levels.iter().map(|level| format!("{:.1}:{}", level.ns, level.forks.len())))
}

fn ratio_levels(levels: &[RatioLevel]) -> String {
    joined(levels.iter().map(|level| format!("{:.4}:{}", level.ratio.estimate, level.forks.len())))
}

fn joined(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

/// The message bytes of a call in GB/s, given its time in ns; none if it need not read them.
pub fn rate(work: &Workload, ns: f64) -> Option<f64> {
    (work.primitive != EMPTY).then(|| text::gigabytes(work.bytes_per_call(), ns)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_analyse::Ratio;

    #[test]
    fn levels_are_one_column_with_the_forks_of_each() {
        let of = |ns: f64, forks: u32| Processes { ns, forks: (1..=forks).collect() };
        let times = [of(10.0, 3), of(12.56, 8)];
        assert_eq!(levels(&times), "10.0:3 12.6:8");
        let ratio = Ratio { estimate: 1.25, low: 1.2, high: 1.3 };
        assert_eq!(ratio_levels(&[RatioLevel { ratio, forks: vec![1, 2, 3] }]), "1.2500:3");
    }

    #[test]
    fn each_jdk_has_the_overhead_of_its_own_runner() {
        let overheads = [
            ("jvm/empty@temurin-17", 9.0),
            ("jvm/empty@temurin-25", 3.0),
            ("c/empty", 1.0),
            ("node/empty", 7.0),
            ("node/empty@node-22", 5.0),
        ];
        let overheads = overheads.map(|(name, ns)| (name.into(), ns)).to_vec();
        let analysis = Analysis {
            comparisons: vec![],
            overheads,
            intervals: 1,
            calibration: 1.0,
            scaling: vec![],
        };
        for (name, expected) in [
            ("jvm/jdk@temurin-25", Some(3.0)),
            ("jvm/jdk@temurin-17", Some(9.0)),
            ("jvm/jdk@temurin-21", None),
            ("c/cupel@gcc-12-O2", Some(1.0)),
            ("rust/ring", None),
            ("node/noble", Some(7.0)),
            ("node/noble@node-22", Some(5.0)),
        ] {
            assert_eq!(analysis.overhead_of(&name.into()), expected, "{name}");
        }
    }
}
