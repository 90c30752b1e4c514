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
    /// the calls.
    pub of_program: Option<Saving>,
    /// What is not in the advice, in sentences.
    pub notes: Vec<String>,
}

impl Answer {
    /// The answer for a mix.
    pub fn new(
        mix: &Mix,
        works: Vec<(Work, Result<Advice, String>)>,
        mut notes: Vec<String>,
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
        let of_program = of_calls.zip(mix.share()).map(|(saving, share)| saving.of(share));
        Answer { works, of_calls, of_program, notes }
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
