//! A run as flat rows, one for each cell: the form that files have in common.

use crate::analyse::{Analysis, Answer, Row, Verdict};
use serde::Serialize;

/// One cell. The names are those of the columns and fields; all times are in ns.
#[derive(Clone, Debug, Serialize)]
pub struct CellRow {
    /// The contender's full name.
    pub contender: String,
    pub primitive: String,
    pub operation: String,
    /// What is inside the timed call, in words.
    pub contract: String,
    /// `throughput` or `latency`.
    pub shape: String,
    /// Message length in bytes.
    pub size: u64,
    pub ns_median: Option<f64>,
    pub ns_low: Option<f64>,
    pub ns_high: Option<f64>,
    /// The median less the harness's own cost; absent where that is over a fifth of it.
    pub ns_net: Option<f64>,
    pub gb_per_s: Option<f64>,
    /// The contender that ratios refer to.
    pub baseline: Option<String>,
    /// Time over the baseline's time.
    pub ratio: Option<f64>,
    pub ratio_low: Option<f64>,
    pub ratio_high: Option<f64>,
    pub verdict: &'static str,
    pub reason: Option<String>,
    pub forks: usize,
    /// Rounds that count.
    pub rounds: usize,
    /// Rounds that do not, because this cell or the baseline was disturbed.
    pub dropped: usize,
    /// No verdict is given within this distance of a ratio of 1.
    pub noise_floor: Option<f64>,
    /// Whether the control says not to trust this comparison.
    pub untrusted: bool,
    /// Fixed cost of a call over all sizes of the chart.
    pub fixed_ns: Option<f64>,
    /// Cost per byte over all sizes of the chart.
    pub per_byte_ns: Option<f64>,
    /// The cell's first call in a fresh process.
    pub first_call_ns: Option<f64>,
    /// Bytes that a call allocated, where the runner can know.
    pub allocated_per_call: Option<f64>,
    /// What collecting them took, where the process collected often enough to tell.
    pub collecting_ns_per_call: Option<f64>,
    /// How each fork ran: `flat`, `warming`, `slowing`, `unsettled`.
    pub steadiness: String,
    pub version: String,
    pub code_path: String,
}

/// Every cell of a run, in the order of the tables.
pub fn rows(analysis: &Analysis) -> Vec<CellRow> {
    analysis
        .comparisons
        .iter()
        .flat_map(|answer| answer.rows.iter().map(move |row| (answer, row)))
        .map(|(answer, row)| cell(analysis, answer, row))
        .collect()
}

fn cell(analysis: &Analysis, answer: &Answer, row: &Row) -> CellRow {
    let work = &answer.workload;
    let finite = |x: f64| x.is_finite().then_some(x);
    let overhead = overhead(analysis, &row.contender);
    let ranked = !matches!(row.verdict, Verdict::Missing | Verdict::Unsupported);
    CellRow {
        contender: row.contender.clone(),
        primitive: work.primitive.clone(),
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
        gb_per_s: row.ns.and_then(|t| super::text::gigabytes(work.bytes_per_call(), t.median)),
        baseline: answer.baseline.clone().filter(|_| ranked),
        ratio: row.ratio.and_then(|r| finite(r.estimate)),
        ratio_low: row.ratio.and_then(|r| finite(r.low).filter(|low| *low > 0.0)),
        ratio_high: row.ratio.and_then(|r| finite(r.high)),
        verdict: row.verdict.words(),
        reason: row.reason.clone(),
        forks: row.forks,
        rounds: row.rounds,
        dropped: row.dropped,
        noise_floor: finite(answer.floor),
        untrusted: answer.untrusted,
        fixed_ns: row.line.map(|l| l.fixed_ns),
        per_byte_ns: row.line.map(|l| l.per_byte_ns),
        first_call_ns: row.first_call_ns,
        allocated_per_call: row.allocated_per_call,
        collecting_ns_per_call: row.collecting_ns_per_call,
        steadiness: row.steadiness.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        version: row.version.clone(),
        code_path: row.code_path.clone(),
    }
}

/// What the harness costs a contender's runner, in ns a call.
pub fn overhead(analysis: &Analysis, contender: &str) -> Option<f64> {
    let prefix = contender.split_once('/')?.0;
    analysis
        .overheads
        .iter()
        .find(|(name, _)| name.split_once('/').is_some_and(|(p, _)| p == prefix))
        .map(|(_, ns)| *ns)
}
