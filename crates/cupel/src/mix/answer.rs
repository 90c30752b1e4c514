//! The advice on every work of a mix, and what all of it together saves.

use super::{Mix, Saving, Work};
use crate::advise::Advice;

/// A mix that was measured.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Each work with its advice, or why it has none.
    pub works: Vec<(Work, Result<Advice, String>)>,
    /// What the calls save of their own time; `None` if one of them is of an unknown library or has
    /// no advice.
    pub of_calls: Option<Saving>,
    /// The same as a share of the program's processor time, if the mix says how much of it is in
    /// the calls, and these are all of them.
    pub of_program: Option<Saving>,
    /// What is not in the advice, in sentences.
    pub notes: Vec<String>,
    /// Whether no calls are left out that matter.
    pub whole: bool,
}

/// What is not measured of a mix.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// What it is, in sentences.
    pub notes: Vec<String>,
    /// Whether it hardly takes any time.
    pub whole: bool,
    /// The most that it then takes of the time of all calls, as a share.
    pub most: f64,
}

impl Answer {
    /// The answer for a mix: for all works with their advice, and what else is known of them.
    pub fn new(
        mix: &Mix,
        works: Vec<(Work, Result<Advice, String>)>,
        Rest { mut notes, whole, most }: Rest,
    ) -> Answer {
        let part = |(work, advice): &(Work, Result<Advice, String>)| {
            let advice = advice.as_ref().ok().filter(|advice| advice.had)?;
            let ratio = advice.choice.as_ref().map(|choice| choice.ratio);
            let ratio = ratio.map_or((1.0, 1.0, 1.0), |r| (r.estimate, r.low, r.high));
            Some((work.calls as f64 * advice.now_ns, ratio))
        };
        let parts: Option<Vec<_>> = works.iter().map(part).collect();
        let of_calls = parts.map(|parts| Saving::of_parts(&parts));
        let unknown = mix.unknown.iter().map(|(name, calls)| format!("{name} ({calls})"));
        let unknown: Vec<String> = unknown.collect();
        if !unknown.is_empty() {
            notes.push(format!("calls that Cupel has no advice on: {}", unknown.join(", ")));
        }
        if mix.contradicts_itself() {
            notes.push(
                "the mix has more time in the calls than the program took, so it does not know their share"
                    .to_string(),
            );
        }
        let share = mix.share().filter(|_| whole);
        let of_program = of_calls.zip(share).map(|(saving, share)| saving.beside(most).of(share));
        Answer { works, of_calls, of_program, notes, whole }
    }

    /// Whether it is known of every work what the program uses, as far as it has advice.
    pub fn all_had(&self) -> bool {
        self.advice().all(|(_, advice)| advice.had)
    }

    /// How many works have no advice.
    pub fn unanswered(&self) -> usize {
        self.works.iter().filter(|(_, advice)| advice.is_err()).count()
    }

    /// The number of calls of all works.
    pub fn calls(&self) -> u64 {
        self.works.iter().fold(0, |sum, (work, _)| sum.saturating_add(work.calls))
    }

    /// The works with advice.
    pub fn advice(&self) -> impl Iterator<Item = (&Work, &Advice)> {
        self.works.iter().filter_map(|(work, advice)| Some((work, advice.as_ref().ok()?)))
    }

    /// The time of all calls with advice now, in ns.
    pub fn now_ns(&self) -> f64 {
        self.advice().map(|(work, advice)| work.calls as f64 * advice.now_ns).sum()
    }
}
