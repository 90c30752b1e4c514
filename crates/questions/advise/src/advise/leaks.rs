//! Whether a contender is known to leak: by a test of its code on this machine, or by the facts
//! about its library.

use super::fitness;
use cupel_analyse::{Answer, Row};
use cupel_base::name::ContenderName;
use cupel_base::text;
use cupel_store::{LeakTest, LeakVerdict, NOT_TESTED, Recorded};

/// A contender of a chart.
pub(super) struct Suspect<'a> {
    recorded: &'a Recorded,
    /// Its rows at the sizes that are asked about.
    rows: Vec<&'a Row>,
}

impl<'a> Suspect<'a> {
    /// The contender of this name in these answers.
    pub fn new(recorded: &'a Recorded, answers: &'a [Answer], name: &ContenderName) -> Suspect<'a> {
        let rows = answers.iter().flat_map(|answer| &answer.rows);
        Suspect { recorded, rows: rows.filter(|row| row.contender == *name).collect() }
    }

    /// How it is known to leak, in words: at any size, because code that leaks at one is not fit
    /// for the others.
    pub fn leaks(&self) -> Option<String> {
        let row = self.rows.first()?;
        let plan = &self.recorded.plan;
        let primitive = &plan.workload_of(row.cell).primitive;
        if let Some(test) = self.recorded.leak_tests.leak(&plan.code_of(row.cell), primitive) {
            return Some(said(test));
        }
        let contender = plan.contender_of(row.cell);
        let library = (contender.library.as_str(), contender.version.as_str());
        fitness::leak(primitive, library, &row.code_path, &self.recorded.machine)
    }

    /// The results of its tests at all these sizes together.
    pub fn tested(&self) -> &'static str {
        let tests = self.rows.iter().map(|row| self.recorded.leak_test(row.cell));
        let verdicts: Vec<Option<LeakVerdict>> = tests.map(|test| Some(test?.verdict)).collect();
        let of_all = [LeakVerdict::Leaks, LeakVerdict::Undecided].into_iter();
        let mut some = of_all.filter(|verdict| verdicts.contains(&Some(*verdict)));
        match some.next() {
            Some(verdict) => verdict.words(),
            None if verdicts.contains(&None) || verdicts.is_empty() => NOT_TESTED,
            None => LeakVerdict::NoneSeen.words(),
        }
    }
}

/// `leaks (address by key in seal of 64 B, tested 2026-11-27)`.
fn said(test: &LeakTest) -> String {
    let (size, word) = (text::bytes(test.size), test.verdict.words());
    format!("{word} ({} in {} of {size}, tested {})", test.how(), test.operation, test.day())
}
