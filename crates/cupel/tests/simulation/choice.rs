//! A choice between primitives: every contender has a row for each. Equal rows are not separated, a
//! known difference is found, and no interval belongs to another primitive's row.

use crate::law::{at_least, at_most, runs};
use crate::scenario::Scenario;
use crate::tally::Tally;
use cupel_analyse::{Answer, analyse};
use std::collections::BTreeSet;
use std::time::Duration;

const CHOICE: [&str; 2] = ["hmac-sha256", "siphash-2-4"];

/// Contenders with these true ratios and two primitives each. The calls are long, so that the
/// reference computes only a few outputs for each slice.
fn scenario(ratios: &[f64]) -> Scenario {
    let mut scenario = Scenario::with_ratios(ratios);
    scenario.choice = CHOICE.to_vec();
    for contender in &mut scenario.contenders {
        contender.fixed_ns *= 1000.0;
    }
    scenario.options.budget = Duration::from_secs(2);
    scenario
}

fn tally(scenario: &Scenario, all: u64) -> (Tally, Vec<Answer>) {
    let answers = scenario.runs(runs(all));
    let tally = Tally::count(scenario, &answers);
    println!("choice: {tally}");
    (tally, answers)
}

#[test]
fn equal_rows_of_two_primitives_are_not_separated() {
    let (tally, answers) = tally(&scenario(&[1.0]), 300);
    assert!(tally.covered >= at_least(0.95, tally.runs), "{tally}");
    assert!(tally.verdicts <= at_most(0.005, tally.runs), "{tally}");
    assert_eq!(tally.unbounded, 0, "{tally}");
    for answer in &answers {
        let rows: BTreeSet<&str> = answer.rows.iter().map(|row| row.contender.as_str()).collect();
        assert_eq!(rows.len(), 4, "two contenders with two primitives: {rows:?}");
        assert_eq!(answer.baseline.as_deref(), Some("contender-00 with hmac-sha256"));
        let lead = answer.lead.as_ref().expect("two rows to compare");
        assert!(!lead.separated && lead.ahead.is_empty(), "{lead:?}");
    }
}

/// The second primitive takes half as long in the first contender, and 1.5 times as long in the
/// second one. If a row had another row's figures, its interval would miss its truth.
#[test]
fn each_row_has_the_figures_of_its_own_primitive() {
    let mut scenario = scenario(&[1.5]);
    for (contender, factor) in scenario.contenders.iter_mut().zip([0.5, 1.5]) {
        contender.factors = [(CHOICE[1].to_string(), factor)].into();
    }
    let (tally, answers) = tally(&scenario, 100);
    assert!(tally.covered >= at_least(0.95, tally.runs), "{tally}");
    assert_eq!(tally.wrong, 0, "{tally}");
    assert_eq!(tally.all_separated, tally.runs, "{tally}");
    for answer in &answers {
        let lead = answer.lead.as_ref().expect("rows to compare");
        assert_eq!(lead.leader, "contender-00 with siphash-2-4");
        let [ahead] = &lead.ahead[..] else { panic!("one other primitive: {lead:?}") };
        let (best, sole) = (ahead.best.as_str(), ahead.sole);
        assert_eq!((best, sole), ("contender-00 with hmac-sha256", true));
        assert!((ahead.ratio.estimate / 2.0 - 1.0).abs() < 0.02, "{ahead:?}");
    }
}

/// A stored choice is read back with its alternatives: all cells of a contender share a process,
/// and only the baseline has a control.
#[test]
fn a_stored_choice_has_a_cell_for_each_primitive_and_one_control() {
    let recorded = scenario(&[1.0]).recorded(1);
    let plan = &recorded.plan;
    let names: Vec<String> = (0..plan.cells.len()).map(|c| plan.name_of(c).to_string()).collect();
    let baseline = "contender-00 with hmac-sha256";
    assert_eq!(names[..2], [baseline, "contender-00 with siphash-2-4"]);
    assert_eq!(names[4..], [baseline]);
    assert_eq!(plan.control_of(0), Some(4));
    assert_eq!(plan.control_of(1), None);
    let key = |alternative: usize| plan.key(0, Some(alternative), 1).len();
    assert_eq!([key(0), key(1)], [32, 16]);
    assert_eq!(analyse(&recorded).comparisons[0].rows.len(), 4);
}
