//! The words about a run hold, whatever steps in mid-run, has two levels, or is named first. Each
//! run is stored, and `scripts/audit` derives the true sentences from its raw slices. Here the
//! sentences are held against the truth.

use crate::law::{at_most, few_runs};
use crate::scenario::{Scenario, shared_machine};
use cupel_analyse::{Verdict, analyse};
use cupel_base::name::ContenderName;
use cupel_decide::claims::Verdicts;
use cupel_findings::{Finding, Said};
use cupel_machine::Machine;
use cupel_sham::script::{Alteration, World};
use cupel_show::report::{Format, Style, present};
use cupel_store::Store;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The forks of each run, and its length in simulated seconds.
const FORKS: u32 = 24;
const RUN_S: f64 = 6.0;

/// The forks in which something steps, and by how much.
const MOMENTS: [u32; 4] = [3, 8, 12, 20];
const FACTORS: [f64; 5] = [1.03, 1.2, 2.0, 4.0, 8.0];

/// The true ratios from which the contenders' are drawn.
const RATIOS: [f64; 8] = [1.0, 1.01, 1.1, 1.3, 2.0, 0.9, 3.0, 0.7];

/// The most contenders, with the baseline.
const MOST: u64 = 12;

/// A truth in fewer forks than this may be overlooked.
const LASTING: usize = 3;

/// The part that is not as steady as the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Victim {
    /// The baseline steps.
    Baseline,
    /// Another contender steps.
    Contender,
    /// The baseline and another contender, which call one library, step.
    Library,
    /// Each process of the baseline is 5 % slower or faster.
    TwoLevelsBaseline,
    /// Each process of another contender is.
    TwoLevelsContender,
}

/// A run, and the truth about it.
struct Case {
    scenario: Scenario,
    victims: Vec<usize>,
    change: Option<Alteration>,
}

/// The false words of a run.
#[derive(Debug, Default, PartialEq)]
struct Wrong {
    verdicts: usize,
    fastest: usize,
    levels: usize,
    changes: usize,
}

fn case(world: &World, victim: Victim, seed: u64) -> Case {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x5e17);
    let mut draw = |among: u64| random.next_u64() % among;
    let others = 1 + draw(MOST - 1);
    let ratios: Vec<f64> =
        (0..others).map(|_| RATIOS[draw(RATIOS.len() as u64) as usize]).collect();
    let mut scenario = Scenario::with_ratios(&ratios);
    scenario.world = world.clone();
    scenario.options.forks = FORKS;
    scenario.options.budget = Duration::from_secs_f64(RUN_S);
    scenario.options.precision = 0.0;
    scenario.baseline = match victim {
        // Only the last contender can have two speeds.
        Victim::TwoLevelsBaseline => others as usize,
        _ => 0,
    };
    let other = 1 + draw(others) as usize;
    let victims = match victim {
        Victim::Baseline => vec![0],
        Victim::Contender => vec![other],
        Victim::Library => {
            scenario.libraries = vec!["one library"];
            scenario.libraries.extend((1..other).map(|_| ""));
            scenario.libraries.push("one library");
            vec![0, other]
        }
        Victim::TwoLevelsBaseline | Victim::TwoLevelsContender => {
            scenario.two_speeds = 0.05;
            return Case { victims: vec![others as usize], scenario, change: None };
        }
    };
    let moment = f64::from(MOMENTS[draw(4) as usize] - 1) * RUN_S / f64::from(FORKS);
    let factor = FACTORS[draw(FACTORS.len() as u64) as usize];
    let change = match draw(2) {
        0 => Alteration { factor, from_s: moment, ..Alteration::default() },
        _ => Alteration { factor, until_s: Some(moment), ..Alteration::default() },
    };
    for &victim in &victims {
        scenario.contenders[victim].change = Some(change.clone());
    }
    Case { scenario, victims, change: Some(change) }
}

impl Case {
    fn number(&self, name: &ContenderName) -> usize {
        let found = self.scenario.contenders.iter().position(|one| one.name == **name);
        found.expect("a contender of this")
    }

    /// How long a contender takes at a moment of the run, in seconds, as a multiple of the first
    /// one's time if nothing changes. Two levels are left out.
    fn truth(&self, name: &ContenderName, moment: f64) -> f64 {
        let number = self.number(name);
        let change = self.change.as_ref().filter(|_| self.victims.contains(&number));
        self.scenario.truth(name) * change.map_or(1.0, |change| change.factor_at(moment))
    }

    /// In how many of these forks a contender took longer than another.
    fn slower_in(&self, one: &ContenderName, other: &ContenderName, middles: &[f64]) -> usize {
        let slower =
            |moment: &&f64| self.truth(one, **moment) > 1.001 * self.truth(other, **moment);
        middles.iter().filter(slower).count()
    }

    /// How many false sentences there are among these.
    fn wrong(&self, findings: &[Finding], middles: &[f64]) -> Wrong {
        let mut wrong = Wrong::default();
        let is_victim = |name: &ContenderName| self.victims.contains(&self.number(name));
        for Finding { said, .. } in findings {
            match said {
                Said::Verdict { contender, than, verdict, .. } => {
                    let (one, other) = (&contender.name, &than.name);
                    let against = match verdict {
                        Verdict::Faster => middles.len() - self.slower_in(other, one, middles),
                        Verdict::Slower => middles.len() - self.slower_in(one, other, middles),
                        _ => 0,
                    };
                    let levelled = self.change.is_none() && (is_victim(one) || is_victim(other));
                    wrong.verdicts += usize::from(against >= LASTING && !levelled);
                }
                Said::Fastest { contender, standing } => {
                    let against = standing.others.iter().filter(|other| {
                        let (one, other) = (&contender.name, &other.contender.name);
                        2 * self.slower_in(one, other, middles) > middles.len()
                    });
                    wrong.fastest += usize::from(against.count() > 0);
                }
                Said::Levels { contender, .. } => {
                    wrong.levels += usize::from(!is_victim(&contender.name));
                }
                Said::Changed { contender, .. } => {
                    let is_true = self.change.is_some() && is_victim(&contender.name);
                    wrong.changes += usize::from(!is_true);
                }
                _ => {}
            }
        }
        if std::env::var_os("CUPEL_SHOW").is_some() && wrong != Wrong::default() {
            println!("{wrong:?}: {:?} {:?}; {middles:?}", self.victims, self.change);
            findings.iter().for_each(|finding| println!("  {:?}", finding.said));
        }
        wrong
    }
}

/// Makes a run, stores it, and writes its document next to the store.
fn run(folder: &Path, case: &Case, seed: u64) -> (Vec<Finding>, Vec<f64>) {
    let path = folder.join(format!("{seed}.sqlite"));
    let mut store = Store::open(&path).expect("a store");
    let middles = case.scenario.record(seed, &mut store, &Machine::look());
    let recorded = store.load(None).expect("the run that was stored");
    let analysis = analyse(&recorded);
    let verdicts = Verdicts::default();
    let document = present(&recorded, &analysis, &verdicts, Format::Json, Style::default());
    std::fs::write(path.with_extension("json"), document).expect("a document");
    (cupel_findings::all(&recorded, &analysis), middles)
}

/// The output of `scripts/audit` on these runs; empty if nothing is wrong.
fn audited(folder: &Path, seeds: Range<u64>) -> String {
    let mut list = String::new();
    for seed in seeds {
        let path = folder.join(seed.to_string());
        let (store, json) = (path.with_extension("sqlite"), path.with_extension("json"));
        let _ = writeln!(list, "{}\t{}", store.display(), json.display());
    }
    let file = folder.join("list");
    std::fs::write(&file, list).expect("a list");
    let audit = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/audit");
    let output = Command::new(audit).arg("--many").arg(&file).output().expect("the auditor starts");
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if output.status.success() { String::new() } else { said.concat() }
}

fn audit_runs(world: &World, victim: Victim) {
    let folder = tempfile::tempdir().expect("a folder");
    let seeds = few_runs(1000);
    let seen = Scenario::with_ratios(&[1.0]).each(seeds, |seed| {
        let case = case(world, victim, seed);
        let (findings, middles) = run(folder.path(), &case, seed);
        (seed, case.wrong(&findings, &middles))
    });
    let count = |of: fn(&Wrong) -> usize| seen.iter().filter(|(_, wrong)| of(wrong) > 0).count();
    let [verdicts, fastest, levels, changes] =
        [count(|w| w.verdicts), count(|w| w.fastest), count(|w| w.levels), count(|w| w.changes)];
    println!(
        "{victim:?}: {seeds} runs; runs with a false verdict {verdicts}, fastest {fastest}, level \
         {levels}, change {changes}"
    );
    let said = audited(folder.path(), 0..seeds);
    if std::env::var_os("CUPEL_SHOW").is_some() && !said.is_empty() {
        println!("{said}");
    }
    assert_eq!(said, "", "{victim:?}");
    let few = at_most(0.05, seeds as usize);
    for (what, wrong) in
        [("verdicts", verdicts), ("fastest", fastest), ("levels", levels), ("changes", changes)]
    {
        assert!(wrong <= few, "{victim:?}: {what} are false in {wrong} of {seeds} runs");
    }
    assert_eq!(verdicts + fastest, 0, "{victim:?}: {seen:?}");
}

fn quiet() -> World {
    World { noise_sd: 0.005, autocorrelation: 0.1, ..World::default() }
}

#[test]
fn what_is_said_of_a_baseline_that_steps_is_what_its_slices_show() {
    audit_runs(&quiet(), Victim::Baseline);
    audit_runs(&shared_machine(), Victim::Baseline);
}

#[test]
fn what_is_said_of_a_contender_that_steps_is_what_its_slices_show() {
    audit_runs(&quiet(), Victim::Contender);
    audit_runs(&shared_machine(), Victim::Contender);
}

#[test]
fn what_is_said_of_a_library_that_steps_is_what_its_slices_show() {
    audit_runs(&quiet(), Victim::Library);
    audit_runs(&shared_machine(), Victim::Library);
}

#[test]
fn what_is_said_of_two_levels_is_what_the_slices_show() {
    audit_runs(&quiet(), Victim::TwoLevelsBaseline);
    audit_runs(&quiet(), Victim::TwoLevelsContender);
    audit_runs(&shared_machine(), Victim::TwoLevelsContender);
}

/// The choice of the baseline changes no answer: two runs of one question, in which another
/// contender is named first, may leave an answer open that the other decides, and never say the
/// opposite.
#[test]
fn an_answer_does_not_depend_on_who_is_named_first() {
    let said = |baseline: usize, two_speeds: f64, seed: u64| {
        let mut scenario = Scenario::with_ratios(&[1.0]);
        scenario.world = quiet();
        scenario.options.forks = FORKS;
        scenario.options.budget = Duration::from_secs_f64(RUN_S / 2.0);
        scenario.two_speeds = two_speeds;
        scenario.baseline = baseline;
        let recorded = scenario.recorded(seed);
        let findings = cupel_findings::all(&recorded, &analyse(&recorded));
        matches!(findings[0].said, Said::Tie { .. })
    };
    let all = few_runs(400);
    for baseline in [0, 1] {
        let of = Scenario::with_ratios(&[1.0]);
        let levels =
            of.each(all, |seed| said(baseline, 0.05, seed)).iter().filter(|tie| **tie).count();
        let none =
            of.each(all, |seed| said(baseline, 0.0, seed)).iter().filter(|tie| **tie).count();
        println!("baseline {baseline}: of {all}, ties with two levels {levels}, without {none}");
        assert_eq!(levels, 0, "processes 5 % faster or slower than the other do not tie with it");
        assert!(none as f64 >= 0.8 * all as f64, "{none} of {all}");
    }
}

/// A burst of a neighbour over the halves of two forks is in the median of one contender there and
/// not in another's. The rounds that they share show that both met it.
#[test]
fn a_neighbour_in_mid_fork_is_not_a_change_of_one_contender() {
    let folder = tempfile::tempdir().expect("a folder");
    // The medians of this run show such a change.
    let seed = 4;
    let case = case(&shared_machine(), Victim::TwoLevelsContender, seed);
    let (findings, middles) = run(folder.path(), &case, seed);
    assert_eq!(case.wrong(&findings, &middles), Wrong::default());
}

/// Where a process was lost, two contenders may have no fork in common. The machine was faster in the
/// forks of one: by comparison with the fastest it comes last, and its time is shorter.
#[test]
fn rows_without_a_common_fork_are_in_the_order_of_their_times() {
    const EARLY: usize = 1;
    let mut scenario = Scenario::with_ratios(&[1.5, 1.6]);
    scenario.world = quiet();
    scenario.options.forks = FORKS;
    let mut recorded = scenario.recorded(0);
    let middle = recorded.forks[recorded.forks.len() / 2].id;
    let cell = |contender: usize| {
        let cells = &recorded.plan.cells;
        cells.iter().position(|cell| cell.contender == contender).expect("a cell") as u32
    };
    let (early, late) = (cell(EARLY), cell(EARLY + 1));
    for round in &mut recorded.rounds {
        let is_late = round.fork >= middle;
        let lost = if is_late { early } else { late };
        round.slices.retain(|slice| slice.cell != lost);
        for slice in &mut round.slices {
            slice.ns_per_call *= if is_late { 0.8 } else { 1.0 };
        }
    }
    let rows = analyse(&recorded).comparisons.pop().expect("one comparison").rows;
    let times: Vec<f64> = rows.iter().map(|row| row.ns.expect("a time").median).collect();
    assert!(times.is_sorted(), "{times:?}");
    assert!(rows[1].cell == late as usize && rows[2].cell == early as usize, "{times:?}");
}

/// A baseline that becomes four times as fast, and a contender that left some forks: it took less
/// than the baseline in most of its forks, and so did the baseline than the others in theirs.
#[test]
fn an_answer_is_not_led_by_one_that_another_certainly_beats() {
    let folder = tempfile::tempdir().expect("a folder");
    // The contenders of this run beat each other in a circle.
    let seed = 926;
    let case = case(&quiet(), Victim::Baseline, seed);
    run(folder.path(), &case, seed);
    assert_eq!(audited(folder.path(), seed..seed + 1), "");
}
