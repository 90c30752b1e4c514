//! Why an answer is open or there is none, and how to decide it.

use crate::{Contender, Part};
use cupel_analyse::{Answer, Behind, Changed, Lagging, Row, UNTRUSTED, Verdict};
use cupel_base::name::ContenderName;
use cupel_stats::{ENOUGH_FORKS, Shape};
use cupel_store::Recorded;
use serde::Serialize;

/// A reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Because {
    /// The run has too few forks to decide small differences.
    FewForks {
        /// How many are enough.
        enough: usize,
        /// Up to this difference nothing is decided, as a share; absent if the two share one fork,
        /// which is not enough.
        #[serde(serialize_with = "crate::finite")]
        undecided_below: f64,
    },
    /// Some of the fastest ran in too few of the run's forks.
    RanInFew {
        /// How many are enough.
        enough: usize,
    },
    /// Few slices of a contender count.
    Disturbed {
        /// The contender.
        contender: Contender,
        /// The slices that do not count.
        dropped: usize,
        /// All of its slices.
        all: usize,
    },
    /// The ratio of two has two levels, one on each side or too far apart.
    TwoLevels {
        /// The one.
        contender: Contender,
        /// The other.
        than: Contender,
        /// The one of the two whose processes differ, if that is known.
        whose: Option<Contender>,
        /// The levels of its time divided by the other's.
        parts: Vec<Part>,
    },
    /// The ratio of two changed during the run.
    Changed {
        /// The one.
        contender: Contender,
        /// The other.
        than: Contender,
        /// The one of the two that changed, if that is known.
        whose: Option<Contender>,
        /// The ratio before and after.
        parts: Vec<Part>,
        /// The first fork after the change; absent if it changed all the time.
        from_fork: Option<u32>,
    },
    /// Processes differ so much that an interval is wide.
    Wide {
        /// The contender.
        contender: Contender,
        /// How far the interval of its ratio reaches to each side, as a share.
        reach: f64,
    },
    /// A contender ran and has no time.
    NoTime {
        /// It.
        contender: Contender,
        /// Why.
        why: String,
    },
    /// The verdicts with and without garbage collection differ.
    Collecting {
        /// The contender.
        contender: Contender,
        /// Both ratios, in words.
        why: String,
    },
    /// The control is off.
    Untrusted,
    /// The baseline has no time.
    NoBaseline {
        /// It.
        contender: Contender,
        /// Why.
        why: String,
    },
    /// Nothing has a time.
    Unmeasured {
        /// One whose fault says why.
        #[serde(skip_serializing_if = "Option::is_none")]
        contender: Option<Contender>,
        /// Why.
        why: String,
    },
    /// The two fastest have no fork in common.
    NoSharedFork,
}

/// A reason, and the options of the command that would remove it, if one would.
pub(crate) struct Open {
    pub because: Because,
    pub remedy: Option<String>,
}

impl Open {
    fn new(because: Because, remedy: String) -> Open {
        Open { because, remedy: Some(remedy) }
    }

    fn without_remedy(because: Because) -> Open {
        Open { because, remedy: None }
    }
}

/// The forks of a run, and how many to ask for if they were not enough.
#[derive(Clone, Copy)]
pub(crate) struct Forks {
    /// As many as it was asked for; as many as it has, if it can be resumed.
    pub asked: u32,
    /// The same number if time ended the run before, otherwise twice as many.
    pub more: u32,
}

impl Forks {
    pub fn of(recorded: &Recorded) -> Forks {
        let (planned, circumstances) = (recorded.plan.options.forks, &recorded.circumstances);
        let ended = recorded.forks.iter().filter(|fork| fork.finished).count() as u32;
        if recorded.run.finished.is_none() && ended > 0 {
            return Forks::for_run(ended, false);
        }
        let is_cut = circumstances.time_over || circumstances.forks_asked.is_some();
        Forks::for_run(circumstances.forks_asked.unwrap_or(planned), is_cut || ended == 0)
    }

    fn for_run(asked: u32, is_cut: bool) -> Forks {
        Forks { asked, more: if is_cut { asked } else { 2 * asked } }
    }
}

/// More than this share of a contender's slices that do not count is why it is not decided: another
/// run next to the same load would not decide it either.
const MANY_DROPPED: f64 = 0.5;

/// Why the fastest of a comparison are not told apart, and the options that would do it.
pub(crate) fn of_open(answer: &Answer, fastest: &[ContenderName], forks: u32) -> Open {
    let enough = ENOUGH_FORKS as u32;
    let rows: Vec<&Row> =
        answer.rows.iter().filter(|row| fastest.contains(&row.contender)).collect();
    if let Some(row) = rows.iter().find(|row| is_disturbed(row)) {
        return Open::without_remedy(disturbed(row));
    }
    let others = || rows.iter().filter(|row| row.verdict != Verdict::Baseline);
    let fewest = others().map(|row| row.forks as u32).min();
    if forks >= enough && fewest.is_some_and(|fewest| fewest < enough) {
        return Open::new(
            Because::RanInFew { enough: ENOUGH_FORKS },
            format!("--forks {forks} --first-forks {forks}"),
        );
    }
    if forks < enough {
        return Open::new(few_forks(answer), format!("--forks {enough}"));
    }
    if let Some(open) = divided(answer, fastest, forks) {
        return open;
    }
    // Contenders that are compiled at run time may have had fewer than the run.
    let doubled = 2 * fewest.unwrap_or(forks);
    let more = format!("--forks {doubled} --first-forks {doubled}");
    let widest = others()
        .filter_map(|row| Some((row, row.ratio.map(|ratio| ratio.high / ratio.estimate - 1.0)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let (row, reach) = match widest {
        Some((row, reach)) => (*row, reach),
        None => (rows[0], f64::INFINITY),
    };
    Open::new(Because::Wide { contender: contender(row), reach }, more)
}

/// The answer is open if the ratio of two of the fastest has two levels or changed. More forks have
/// the same levels, so no command decides that; a run in which nothing changes may.
fn divided(answer: &Answer, fastest: &[ContenderName], forks: u32) -> Option<Open> {
    let lead = answer.lead.as_ref()?;
    let divided = |other: &&Behind| other.parts.len() > 1 && fastest.contains(&other.contender);
    let behind = lead.others.iter().find(divided)?;
    let one = contender_of(answer, &behind.contender)?;
    let than = contender_of(answer, &lead.leader)?;
    let parts = parts(behind);
    let moved = moved(&answer.changes, behind, &[one.cell, than.cell]);
    let differs = moved.as_ref().map_or(behind.differs, |moved| moved.cell);
    let whose = [&one, &than].into_iter().find(|contender| Some(contender.cell) == differs);
    let whose = whose.cloned();
    Some(match moved {
        Some(Moved { from_fork, .. }) => Open::new(
            Because::Changed { contender: one, than, whose, parts, from_fork },
            format!("--forks {forks}"),
        ),
        None => Open::without_remedy(Because::TwoLevels { contender: one, than, whose, parts }),
    })
}

/// The change that divides the forks of two contenders.
#[derive(Debug, PartialEq)]
pub(crate) struct Moved {
    /// The cell of the one that changed, if it is known.
    pub cell: Option<usize>,
    /// The first fork after it; `None` if it changed all the time.
    pub from_fork: Option<u32>,
}

/// The change of one of these cells that makes the parts of a ratio, or else the ratio's own.
pub(crate) fn moved(changes: &[Changed], behind: &Behind, cells: &[usize]) -> Option<Moved> {
    let parts = parts(behind);
    let mut own = changes.iter().filter(|change| cells.contains(&change.cell));
    let own = own.find(|change| divides(change, &parts));
    let own = own.map(|own| (Some(own.cell), (own.from_fork, own.shape)));
    let (cell, (from_fork, shape)) = own.or(behind.changed_at.map(|at| (behind.differs, at)))?;
    Some(Moved { cell, from_fork: (shape != Shape::Trend).then_some(from_fork) })
}

/// Whether the parts of a ratio are the forks during a change, and the others.
fn divides(change: &Changed, parts: &[Part]) -> bool {
    let during = change.from_fork..=change.to_fork.unwrap_or(u32::MAX);
    let [some, rest] = [true, false].map(|inside| {
        parts
            .iter()
            .filter(|part| part.forks.iter().all(|fork| during.contains(fork) == inside))
            .count()
    });
    some > 0 && rest > 0 && some + rest == parts.len()
}

/// Why it is not decided that a contender is slower which was slower in every fork.
pub(crate) fn of_lagging(answer: &Answer, row: &Row, behind: &Behind) -> Because {
    if is_disturbed(row) {
        return disturbed(row);
    }
    if behind.forks.len() == 1 {
        return Because::FewForks { enough: ENOUGH_FORKS, undecided_below: f64::INFINITY };
    }
    let ratio = behind.ratio;
    if behind.forks.len() < ENOUGH_FORKS && ratio.low > 1.0 {
        return few_forks(answer);
    }
    Because::Wide { contender: contender(row), reach: ratio.high / ratio.estimate - 1.0 }
}

/// Why nothing is decided although one contender was the fastest in every fork, by the one that is
/// nearest to it, and the options that would decide it.
pub(crate) fn of_only_lagging(answer: &Answer, nearest: &Lagging, forks: Forks) -> Option<Open> {
    let row = answer.rows.iter().find(|row| row.cell == nearest.behind.cell)?;
    let because = of_lagging(answer, row, &nearest.behind);
    if matches!(because, Because::Disturbed { .. }) {
        return Some(Open::without_remedy(because));
    }
    let more = forks.more.max(ENOUGH_FORKS as u32);
    Some(Open::new(because, format!("--forks {more} --first-forks {more}")))
}

fn few_forks(answer: &Answer) -> Because {
    let undecided_below = answer.floor.max(cupel_stats::verdict::FEW_FORKS_ZONE);
    Because::FewForks { enough: ENOUGH_FORKS, undecided_below }
}

fn is_disturbed(row: &Row) -> bool {
    row.disturbed as f64 > MANY_DROPPED * row.slices as f64
}

fn disturbed(row: &Row) -> Because {
    let (dropped, all) = (row.disturbed, row.slices);
    Because::Disturbed { contender: contender(row), dropped, all }
}

/// How fast one is that did not fail and has no time is not known: why, and the options that may
/// give it one.
pub(crate) fn of_timeless(row: &Row, forks: Forks) -> Open {
    let why = row.reason.clone().unwrap_or_default();
    let because = Because::NoTime { contender: contender(row), why };
    // Code that is compiled again in rounds is not a machine that is too busy.
    if is_disturbed(row) && row.compiled.is_none() {
        return Open::without_remedy(because);
    }
    // The cause of its end may not be there the next time.
    if row.verdict == Verdict::Unmeasured {
        return Open::new(because, format!("--forks {}", forks.asked));
    }
    Open::new(because, format!("--forks {}", forks.more))
}

/// Why a comparison has no answer at all, if it has none whatever its times.
pub(crate) fn of_none(recorded: &Recorded, answer: &Answer, number: usize) -> Option<Open> {
    let same_forks = || format!("--forks {}", recorded.plan.options.forks);
    if !answer.rows.iter().any(|row| row.ranked() && !row.aside) {
        return Some(Open::without_remedy(unmeasured(answer, |_| true)));
    }
    if let Some(because) = lost_baseline(recorded, answer, number) {
        return Some(Open::without_remedy(because));
    }
    if answer.untrusted {
        return Some(Open::new(Because::Untrusted, same_forks()));
    }
    if !answer.floor.is_finite() || answer.baseline.is_none() {
        // If there is a baseline, one that failed or is missing is not why nothing is compared.
        let may_be_why = |row: &Row| answer.baseline.is_none() || !row.verdict.is_absent();
        return Some(Open::new(unmeasured(answer, may_be_why), same_forks()));
    }
    None
}

/// Why there are no ratios, if the baseline was elected and then had no time: it was lost, or
/// answered only when it was prepared that it does not support this.
fn lost_baseline(recorded: &Recorded, answer: &Answer, number: usize) -> Option<Because> {
    let plan = &recorded.plan;
    let baseline = plan.name_of(plan.comparisons[number].baseline?);
    let row = answer.rows.iter().find(|row| row.contender == baseline)?;
    let reason = row.reason.as_ref().filter(|_| row.ns.is_none())?;
    let why = match row.verdict {
        Verdict::Failed => format!("the baseline {} failed: {reason}", row.contender),
        verdict => format!("the baseline {} is {}: {reason}", row.contender, verdict.words()),
    };
    Some(Because::NoBaseline { contender: contender(row), why })
}

/// Why nothing has a time, or nothing is compared: the fault of the first row that may be why.
fn unmeasured(answer: &Answer, may_be_why: impl Fn(&Row) -> bool) -> Because {
    let mut rows = answer.rows.iter().filter(|row| may_be_why(row));
    let fault = rows.find_map(|row| Some((row, row.reason.as_ref()?)));
    if let Some((row, reason)) = fault {
        let why = format!("{} {}: {reason}", row.verdict.words(), row.contender);
        return Because::Unmeasured { contender: Some(contender(row)), why };
    }
    let why = match answer.baseline {
        None => "the baseline failed",
        Some(_) => "too few rounds that count",
    };
    Because::Unmeasured { contender: None, why: why.to_string() }
}

/// The parts of the forks of two contenders.
pub(crate) fn parts(behind: &Behind) -> Vec<Part> {
    let parts = behind.parts.iter();
    parts.map(|part| Part { times: part.times, forks: part.forks.clone() }).collect()
}

pub(crate) fn contender(row: &Row) -> Contender {
    Contender { name: row.contender.clone(), version: row.version.clone(), cell: row.cell }
}

pub(crate) fn contender_of(answer: &Answer, name: &ContenderName) -> Option<Contender> {
    answer.rows.iter().find(|row| row.contender == *name).map(contender)
}

/// Why a comparison whose control is off gives no verdict.
pub(crate) const OFF: &str = UNTRUSTED;

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_analyse::{PartOf, Processes, Ratio};

    /// Cell 1 has two parts, of forks 1 to 4 and 5 to 8, and its own change.
    #[test]
    fn only_a_change_between_the_parts_is_why_there_are_two_and_a_trend_has_no_fork() {
        let part = |times, forks: std::ops::RangeInclusive<u32>| {
            let forks = forks.collect();
            PartOf { times, low: times, high: times, nearest: times, forks }
        };
        let behind = |changed_at| Behind {
            contender: "c/b".into(),
            cell: 1,
            ratio: Ratio { estimate: 1.2, low: 1.1, high: 1.3 },
            forks: (1..=8).collect(),
            parts: vec![part(1.1, 1..=4), part(1.3, 5..=8)],
            changed_at,
            differs: Some(1),
        };
        let own = |shape, from_fork| Changed {
            contender: "c/b".into(),
            cell: 1,
            shape,
            from_fork,
            to_fork: None,
            forks: 8,
            at: None,
            before: Processes { ns: 110.0, forks: vec![1] },
            after: Processes { ns: 130.0, forks: vec![8] },
        };
        let said = |change, of_pair| moved(&[change], &behind(of_pair), &[1]);
        let at = |from_fork| Some(Moved { cell: Some(1), from_fork });
        assert_eq!(said(own(Shape::Step, 5), None), at(Some(5)));
        assert_eq!(said(own(Shape::Step, 7), None), None, "the parts have another cause");
        assert_eq!(said(own(Shape::Trend, 5), None), at(None));
        assert_eq!(said(own(Shape::Step, 7), Some((5, Shape::Trend))), at(None));
    }

    #[test]
    fn a_run_that_time_ended_needs_no_more_forks_than_it_was_asked_for() {
        assert_eq!([Forks::for_run(24, true).more, Forks::for_run(24, false).more], [24, 48]);
    }
}
