//! A plan as the store keeps it. All cells are in one list, and slices refer to them by their
//! positions in it. A comparison names the contender of its baseline. This form is part of the
//! schema of the store.

use super::{Alternative, Cell, Claimed, Comparison, Plan, PlanParts};
use cupel_contender::Contender;
use cupel_protocol::workload::Workload;
use cupel_suite::Options;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A plan in the store's form.
#[derive(Serialize, Deserialize)]
pub struct StoredPlan {
    suite: String,
    question: String,
    #[serde(default)]
    method: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    among: Vec<String>,
    options: Options,
    seed: u64,
    contenders: Vec<Contender>,
    comparisons: Vec<StoredComparison>,
    cells: Vec<Cell>,
    programs: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct StoredComparison {
    workload: Workload,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<Alternative>,
    overhead: bool,
    baselines: Vec<usize>,
    /// The position of its contender.
    baseline: Option<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    claimed: Vec<Claimed>,
    key_len: usize,
    #[serde(with = "hex::serde")]
    fixed_key: Vec<u8>,
    #[serde(with = "hex::serde")]
    ad: Vec<u8>,
    pool: u32,
}

impl StoredPlan {
    /// Whether its positions are in range and its shares are shares. The analysis relies on them,
    /// and an imported plan may come from anywhere.
    pub fn is_sound(&self) -> bool {
        for cell in &self.cells {
            let Some(comparison) = self.comparisons.get(cell.comparison) else { return false };
            if cell.alternative.is_some_and(|number| number >= comparison.alternatives.len()) {
                return false;
            }
        }
        let baselines = self.comparisons.iter().flat_map(|c| c.baselines.iter().chain(&c.baseline));
        let mut contenders = self.cells.iter().map(|cell| &cell.contender).chain(baselines);
        let options = &self.options;
        let shares = [options.alpha, options.tie_zone, options.precision];
        contenders.all(|&contender| contender < self.contenders.len())
            && shares.into_iter().chain(options.margin).all(|share| (0.0..=0.5).contains(&share))
            && options.alpha > 0.0
    }
}

impl From<StoredPlan> for Plan {
    fn from(stored: StoredPlan) -> Plan {
        let cells = stored.cells;
        // In one pass, because a plan has thousands of cells. A cell of a comparison that does not
        // exist is left out: such a plan is not sound.
        let mut numbers: Vec<Vec<usize>> = vec![Vec::new(); stored.comparisons.len()];
        for (number, cell) in cells.iter().enumerate() {
            if let Some(numbers) = numbers.get_mut(cell.comparison) {
                numbers.push(number);
            }
        }
        let comparisons = stored.comparisons.into_iter().zip(numbers).map(|(c, numbers)| {
            let copies =
                numbers.iter().copied().filter(|&n| Some(cells[n].contender) == c.baseline);
            let (controls, originals): (Vec<usize>, Vec<usize>) =
                copies.partition(|&n| cells[n].control);
            Comparison {
                workload: c.workload,
                alternatives: c.alternatives,
                overhead: c.overhead,
                baselines: c.baselines,
                baseline: originals.first().copied(),
                control: controls.first().copied(),
                claimed: c.claimed,
                cells: numbers,
                key_len: c.key_len,
                fixed_key: c.fixed_key,
                ad: c.ad,
                pool: c.pool,
            }
        });
        Plan(PlanParts {
            suite: stored.suite,
            question: stored.question,
            method: stored.method,
            among: stored.among,
            options: stored.options,
            seed: stored.seed,
            contenders: stored.contenders,
            comparisons: comparisons.collect(),
            cells,
            programs: stored.programs,
        })
    }
}

impl From<Plan> for StoredPlan {
    fn from(Plan(plan): Plan) -> StoredPlan {
        let PlanParts {
            suite,
            question,
            method,
            among,
            options,
            seed,
            contenders,
            comparisons,
            cells,
            programs,
        } = plan;
        let comparisons = comparisons.into_iter().map(|c| StoredComparison {
            workload: c.workload,
            alternatives: c.alternatives,
            overhead: c.overhead,
            baselines: c.baselines,
            baseline: c.baseline.map(|cell| cells[cell].contender),
            claimed: c.claimed,
            key_len: c.key_len,
            fixed_key: c.fixed_key,
            ad: c.ad,
            pool: c.pool,
        });
        let comparisons = comparisons.collect();
        StoredPlan {
            suite,
            question,
            method,
            among,
            options,
            seed,
            contenders,
            comparisons,
            cells,
            programs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Draft, DraftComparison, Judged, Member};
    use cupel_contender::State;
    use cupel_protocol::workload::{Contract, Operation, Shape};
    use cupel_suite::Relation;
    use serde_json::json;
    use std::collections::BTreeSet;

    fn contender(name: &str) -> Contender {
        let state = State::Ready { command: vec![], simulated: true, jit: false, resolution_ns: 1 };
        Contender::new(name.into(), state)
    }

    fn comparison(size: u64, baselines: &[usize]) -> DraftComparison {
        DraftComparison {
            workload: Workload {
                primitive: "sha256".to_string(),
                operation: Operation::Digest,
                size,
                contract: Contract::usual(Operation::Digest),
                shape: Shape::Throughput,
            },
            alternatives: vec![],
            overhead: false,
            members: vec![0.into(), 1.into()],
            baselines: baselines.to_vec(),
            key_len: 0,
            fixed_key: vec![0xab],
            ad: vec![],
            claimed: vec![],
            pool: 2,
        }
    }

    /// The first comparison has the second contender as its baseline, and the second comparison has
    /// none, because the first contender is wrong in both.
    fn plan() -> Plan {
        let comparisons = vec![comparison(16, &[0, 1]), comparison(64, &[0])];
        let contenders = vec![contender("a"), contender("b")];
        let draft = Draft::new("suite", "", Options::default(), 7, contenders, comparisons);
        let wrong = BTreeSet::from([(0, 0), (1, 0)]);
        draft.elect(&Judged { unfit: wrong, ..Judged::default() }, BTreeMap::new())
    }

    #[test]
    fn the_first_correct_candidate_is_elected_and_its_control_follows_all_other_cells() {
        let plan = plan();
        let (first, second) = (&plan.comparisons[0], &plan.comparisons[1]);
        assert_eq!((first.baseline, first.control), (Some(1), Some(4)));
        assert_eq!((second.baseline, second.control), (None, None));
        assert_eq!((&first.cells[..], &second.cells[..]), (&[0, 1, 4][..], &[2, 3][..]));
        assert!(plan.is_baseline(1) && !plan.is_baseline(4) && plan.cells[4].control);
    }

    #[test]
    fn a_contender_that_fails_one_offer_is_the_baseline_of_the_others() {
        let elected = |wrong: (usize, usize)| {
            let comparisons = vec![comparison(16, &[0, 1]), comparison(64, &[0, 1])];
            let contenders = vec![contender("a"), contender("b")];
            let draft = Draft::new("suite", "", Options::default(), 7, contenders, comparisons);
            let judged = Judged { unfit: BTreeSet::from([wrong]), ..Judged::default() };
            let plan = draft.elect(&judged, BTreeMap::new());
            [0, 1].map(|number| plan.comparisons[number].baseline.map(|b| plan.cells[b].contender))
        };
        assert_eq!(elected((0, 0)), [Some(1), Some(0)]);
        assert_eq!(elected((1, 0)), [Some(0), Some(1)]);
        assert_eq!(elected((0, 1)), [Some(0), Some(0)]);
    }

    #[test]
    fn each_jdk_and_each_node_has_a_control_beside_the_baselines() {
        let jvm = |name: &str| Contender {
            family: cupel_base::name::ContenderName::from(name).family().unwrap().to_string(),
            state: State::Ready { command: vec![], simulated: true, jit: true, resolution_ns: 1 },
            ..contender(name)
        };
        let contenders = vec![
            contender("c/a"),
            jvm("jvm/wrong@temurin-17"),
            jvm("jvm/jdk@temurin-17"),
            jvm("jvm/bc@temurin-17"),
            jvm("jvm/jdk@temurin-21"),
        ];
        let members: Vec<Member> = (0..contenders.len()).map(Member::from).collect();
        let plan = |baseline: usize| {
            let comparison =
                DraftComparison { members: members.clone(), ..comparison(16, &[baseline]) };
            let all = contenders.clone();
            let draft = Draft::new("suite", "", Options::default(), 7, all, vec![comparison]);
            let judged = Judged { unfit: BTreeSet::from([(0, 1)]), ..Judged::default() };
            draft.elect(&judged, BTreeMap::new())
        };
        let controls = |plan: &Plan| {
            let copies = plan.cells.iter().enumerate().filter(|(_, cell)| cell.control);
            copies.map(|(number, cell)| (number, cell.contender)).collect::<Vec<_>>()
        };
        let native = plan(0);
        assert_eq!(controls(&native), [(5, 0), (6, 2), (7, 4)]);
        assert_eq!((native.comparisons[0].control, native.control_of(2)), (Some(5), Some(6)));
        assert_eq!((native.control_of(3), native.control_of(6)), (None, None));
        let on_jvm = plan(4);
        assert_eq!(controls(&on_jvm), [(5, 4), (6, 2)], "code that is compiled ahead needs none");
        let text = serde_json::to_string(&on_jvm).unwrap();
        let again: Plan = serde_json::from_str(&text).unwrap();
        assert_eq!((again.comparisons[0].control, again.control_of(2)), (Some(5), Some(6)));
        let go = |name: &str| Contender { family: "go".to_string(), ..contender(name) };
        let all =
            [jvm("node/x"), jvm("node/x@node-22"), jvm("node/y@node-22"), jvm("node/x@node-24")];
        let all = [&all[..], &[go("go/std"), go("go/std@go-1.24")]].concat();
        let members = (0..all.len()).map(Member::from).collect();
        let one = DraftComparison { members, ..comparison(16, &[0]) };
        let draft = Draft::new("suite", "", Options::default(), 7, all, vec![one]);
        let versions = draft.elect(&Judged::default(), BTreeMap::new());
        assert_eq!(controls(&versions), [(6, 0), (7, 1), (8, 3)], "Go's code is compiled ahead");
    }

    #[test]
    fn the_stored_form_is_that_of_schema_1() {
        let text = serde_json::to_string(&plan()).unwrap();
        let stored: serde_json::Value = serde_json::from_str(&text).unwrap();
        let cell = |comparison: usize, contender: usize, control: bool| json!({ "comparison": comparison, "contender": contender, "control": control });
        let mut cells: Vec<_> = [(0, 0), (0, 1), (1, 0), (1, 1)]
            .map(|(of, contender)| cell(of, contender, false))
            .to_vec();
        cells.push(cell(0, 1, true));
        assert_eq!(stored["cells"], json!(cells));
        let mut first = stored["comparisons"][0].clone();
        first.as_object_mut().unwrap().remove("workload");
        assert_eq!(
            first,
            json!({
                "overhead": false, "baselines": [0, 1], "baseline": 1, "key_len": 0,
                "fixed_key": "ab", "ad": "", "pool": 2,
            })
        );
        assert_eq!(stored["comparisons"][1].get("baseline"), Some(&json!(null)));
        let keys = ["suite", "question", "options", "seed", "contenders", "comparisons", "cells"];
        let at = keys.map(|key| text.find(&format!("\"{key}\":")).unwrap());
        assert!(at.is_sorted(), "imports compare the text: {text}");
        let again: Plan = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), text);
        assert_eq!(again.comparisons[0].cells, [0, 1, 4]);
    }

    #[test]
    fn claims_of_old_and_new_kinds_are_in_the_store() {
        let between = Relation::Between { low: 1.5, high: 2.0 };
        let relations = [Relation::Slower(None), Relation::AtLeast(1.5), between];
        let claimed =
            relations.map(|relation| Claimed { a: 0, b: 1, relation, alternatives: None }).to_vec();
        let comparisons = vec![DraftComparison { claimed, ..comparison(16, &[0]) }];
        let contenders = vec![contender("a"), contender("b")];
        let draft = Draft::new("suite", "", Options::default(), 7, contenders, comparisons);
        let plan = draft.elect(&Judged::default(), BTreeMap::new());
        let text = serde_json::to_string(&plan).unwrap();
        let stored: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            stored["comparisons"][0]["claimed"],
            json!([
                { "a": 0, "b": 1, "relation": { "slower": null } },
                { "a": 0, "b": 1, "relation": { "at-least": 1.5 } },
                { "a": 0, "b": 1, "relation": { "between": { "low": 1.5, "high": 2.0 } } },
            ])
        );
        let again: Plan = serde_json::from_str(&text).unwrap();
        assert_eq!(again.comparisons[0].claimed, plan.comparisons[0].claimed);
    }

    #[test]
    fn a_plan_that_contradicts_itself_is_not_sound() {
        let sound = |change: &dyn Fn(&mut StoredPlan)| {
            let mut stored = StoredPlan::from(plan());
            change(&mut stored);
            let is_sound = stored.is_sound();
            // Reading it must not panic.
            let _ = Plan::from(stored);
            is_sound
        };
        assert!(sound(&|_| {}));
        assert!(!sound(&|p| p.cells[0].contender = 2));
        assert!(!sound(&|p| p.cells[0].comparison = 2));
        assert!(!sound(&|p| p.comparisons[0].baseline = Some(2)));
        assert!(!sound(&|p| p.options.alpha = 0.0));
    }
}
