//! The advice on every work of a mix, and the saving of all of it together.

use super::{Doubt, Effect, Mix, Work};
use crate::advise::Advice;

/// A mix that was measured.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Each work with its advice, or why it has none.
    pub works: Vec<(Work, Result<Advice, String>)>,
    /// Why the run does not show the cost of the calls in the program: they were measured otherwise
    /// than the program makes them, or take another time there. Then the saving of a change is
    /// unknown.
    pub doubts: Vec<Doubt>,
    /// The saving of a change, as far as it is known.
    pub effect: Effect,
    /// The parts of the answer that are not in the advice, in sentences.
    pub notes: Vec<String>,
}

/// The unmeasured part of a mix.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// The unmeasured part, in sentences.
    pub notes: Vec<String>,
    /// The work that is measured otherwise than the program does it, or left out although it
    /// matters.
    pub doubts: Vec<Doubt>,
    /// The most that the rest takes of the time of all calls, as a share.
    pub most: f64,
}

impl Answer {
    /// The answer for a mix: for all works with their advice, and the other facts about them.
    pub fn new(
        mix: &Mix,
        works: Vec<(Work, Result<Advice, String>)>,
        Rest { mut notes, mut doubts, most }: Rest,
    ) -> Answer {
        let effect = Effect::estimate(mix, &works, &mut doubts, most);
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
        Answer { works, doubts, effect, notes }
    }

    /// Whether the program's contender is known for every work that has advice.
    pub fn all_had(&self) -> bool {
        self.advice().all(|(_, advice)| advice.had)
    }

    /// How many works have no advice.
    pub fn unanswered(&self) -> usize {
        self.works.iter().filter(|(_, advice)| advice.is_err()).count()
    }

    /// The works with advice.
    pub fn advice(&self) -> impl Iterator<Item = (&Work, &Advice)> {
        self.works.iter().filter_map(|(work, advice)| Some((work, advice.as_ref().ok()?)))
    }
}
