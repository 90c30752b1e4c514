//! The verdict of each row of a comparison, or why it has none. The causes are in the order in
//! which ARCHITECTURE.md lists them: flaws of the figures come before their results.

use super::evidence::Evidence;
use super::{PartOf, Ratio, RatioLevel, Row, Time, Verdict, collection, failure, impossible};
use cupel_stats::Comparison;
use cupel_store::Recorded;

/// Why an untrusted comparison gives no verdict.
pub const UNTRUSTED: &str =
    "the control differs from the baseline by over 1 %, and its interval excludes 1; run again";

/// The common basis of all verdicts of a comparison.
pub(super) struct Rules<'a> {
    recorded: &'a Recorded,
    evidence: &'a Evidence,
    /// The cell by which the others are divided, unless it failed.
    pub baseline: Option<usize>,
    baseline_time: Option<Time>,
    /// The second copy of the baseline against the baseline.
    pub control: Option<Comparison>,
    /// Whether the control shows that the other intervals are wrong, too.
    pub untrusted: bool,
    /// The smallest difference that the forks can show, in logarithms.
    pub floor: f64,
}

impl<'a> Rules<'a> {
    /// The verdicts of the comparison with this number in the plan.
    pub fn for_comparison(
        recorded: &'a Recorded,
        number: usize,
        evidence: &'a Evidence,
    ) -> Rules<'a> {
        let plan = &recorded.plan;
        let comparison = &plan.comparisons[number];
        // A cell that failed cannot be a baseline, not even for the rounds before it failed.
        let baseline = comparison.baseline.filter(|cell| {
            failure(recorded, *cell).is_none() && !evidence.impossible.contains_key(cell)
        });
        let control = evidence.control(number);
        // Without a control nothing shows that equals would be equal, so nothing is separated.
        let lacks_layouts = comparison.cells.iter().any(|&c| plan.lacks_layouts(c).is_some());
        let floor = match control {
            Some(control) if !lacks_layouts => cupel_stats::floor_of(control.forks),
            _ => f64::INFINITY,
        };
        Rules {
            recorded,
            evidence,
            baseline,
            baseline_time: baseline.and_then(|cell| evidence.time(cell)),
            control,
            untrusted: control.is_some_and(|control| Evidence::is_off(&control)),
            floor,
        }
    }

    /// Whether any row can get a verdict.
    pub fn can_decide(&self) -> bool {
        !self.untrusted && self.floor.is_finite()
    }

    /// Gives a row its verdict, or the reason why it has none, and its ratio if it has one.
    pub fn judge(&self, row: &mut Row) {
        if row.verdict != Verdict::NotSeparated {
            return; // It is absent, with a reason.
        }
        let plan = &self.recorded.plan;
        if let Some(reason) = self.evidence.impossible.get(&row.cell) {
            row.verdict = Verdict::Failed;
            row.reason = Some(reason.clone());
            row.ns = None;
            return;
        }
        if Some(row.cell) == self.baseline {
            row.verdict = Verdict::Baseline;
            return;
        }
        let Some(time) = row.ns else {
            row.reason = Some(too_few(row, plan.fewest_rounds(row.cell)));
            return;
        };
        let Some(compared) = self.evidence.ratio(row.cell) else { return };
        self.add_ratio(row, &compared);
        if self.untrusted {
            row.reason = Some(UNTRUSTED.to_string());
            return;
        }
        let baseline = self.baseline_time;
        row.reason = baseline.and_then(|base| impossible::contradiction(&time, &base, &compared));
        if row.reason.is_some() {
            return;
        }
        if self.floor.is_infinite() {
            row.reason = plan.lacks_layouts(row.cell);
            return;
        }
        let zone = plan.options.tie_zone;
        row.verdict = cupel_stats::verdict(&compared.interval, compared.forks, zone).into();
        row.reason = collection::decides(&compared, zone);
    }

    /// The levels of a ratio, ascending.
    fn ratio_levels(&self, cell: usize, compared: &Comparison) -> Vec<RatioLevel> {
        let Some((levels, baseline)) = compared.levels.zip(self.baseline) else { return vec![] };
        let parts = self.evidence.parts(cell, baseline);
        if parts.len() < levels.len() || !PartOf::are_levels(&parts) {
            return vec![];
        }
        let levels = levels.into_iter().zip(parts).map(|(level, part)| RatioLevel {
            ratio: Ratio::from_log(level.estimate, &level.interval),
            forks: part.forks,
        });
        levels.collect()
    }

    /// The forks that a cell and the baseline both have.
    fn shared(&self, cell: usize) -> Vec<u32> {
        let parts = self.baseline.map(|baseline| self.evidence.parts(cell, baseline));
        let mut forks: Vec<u32> = parts.into_iter().flatten().flat_map(|part| part.forks).collect();
        forks.sort_unstable();
        forks
    }

    /// The ratio of a row, and the rounds that it has from both sides.
    fn add_ratio(&self, row: &mut Row, compared: &Comparison) {
        row.ratio = Some((*compared).into());
        row.ratio_in_run = self.evidence.ratio_in_run(row.cell).map(Ratio::from);
        row.ratio_levels = self.ratio_levels(row.cell, compared);
        row.ratio_without_collecting =
            compared.without.map(|without| Ratio::from_log(without.estimate, &without.interval));
        row.forks = compared.forks;
        row.shared = self.shared(row.cell);
        row.rounds = compared.rounds;
        row.dropped = self.evidence.series.rounds(row.cell).saturating_sub(compared.rounds);
    }
}

/// Why a cell has no time.
fn too_few(row: &Row, fewest: usize) -> String {
    if let Some(reason) = row.compiled.iter().flat_map(|c| &c.unsteady).next() {
        return format!("no fork of it was steady: {reason}");
    }
    let all = row.rounds + row.dropped;
    let busy = if 2 * row.dropped > all {
        format!(
            "; {} of {all} were disturbed: the machine is too busy for calls this long",
            row.dropped
        )
    } else {
        String::new()
    };
    format!("too few rounds: a fork counts if it has {fewest} undisturbed ones, and none has{busy}")
}
