//! The rounds of a gate, until its budget is spent or every benchmark has an answer.

use crate::judge::{Judged, judge};
use crate::program::{Executed, Failed, How, repeat};
use crate::record::{Look, NAMED, Record, Side, State, some};
use anyhow::Result;
use cupel_base::problem::Problem;
use cupel_base::text::{count, tell};
use cupel_stats::order::williams;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::time::Duration;

/// The fewest rounds. Fewer cannot show that a program has two speeds
/// (docs/internals/decisions/0031), and this many have each order of three twice.
pub const FEWEST: usize = 12;

/// A look follows after twice as many rounds as the one before, but after this share of the budget
/// only the last one: it would learn little more, and have less of the error left.
const LAST_LOOK_BUT_ONE: f64 = 0.6;

/// A gate that has found nothing ends after this many rounds at the earliest, if its budget has
/// them: if one execution in six is slow, 24 of the new build have one in 99 of 100 gates, and then
/// the gate continues.
const ENOUGH: usize = 24;

/// The largest padding, in bytes.
const MOST_PADDING: usize = 4096;

/// How often a command is tried before the first round. One that fails in two of five executions
/// fails in all of these once in a hundred gates.
const TRIES: usize = 5;

/// The share of the budget that an execution in a round may take. With a budget that has
/// [`FEWEST`] rounds, it takes a ninth of that on average.
const LONGEST: f64 = 0.25;

/// How much of the budget is spent in vain before a gate ends with too few rounds.
const IN_VAIN: f64 = 1.5;

/// Runs one side's command.
pub trait Execute {
    /// One execution. A failure is part of the returned value.
    ///
    /// # Errors
    /// If no command can be started.
    fn execute(&mut self, side: Side, how: How) -> Result<Executed>;

    /// The files that executions changed in the folders of the builds. It is called before the first
    /// round and after each, with the number of rounds.
    fn state(&mut self, _rounds: usize) -> Option<State> {
        None
    }
}

/// How far a session is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The rounds that are done.
    pub rounds: usize,
    /// About as many will be done.
    pub planned: usize,
    /// The time of all executions so far, in s.
    pub spent: f64,
}

/// Fills a record with rounds. `record` has the builds, the margin, the error, the budget and the
/// seed. `note` gets how far it is, before the first round and after each.
///
/// # Errors
/// If a command fails each time, the two have no benchmark in common, or the budget has too few
/// rounds.
pub fn run(
    record: &mut Record,
    programs: &mut dyn Execute,
    note: &mut dyn FnMut(Progress),
) -> Result<Judged> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(record.seed);
    // The first execution of each reads its files from the disk and may finish a build.
    let base = begin(record, programs, Side::Base)?;
    let new = begin(record, programs, Side::New)?;
    refuse_unlike(&base, &new)?;
    let statistics: BTreeMap<String, String> = base
        .statistics
        .iter()
        .chain(&new.statistics)
        .map(|(n, s)| (n.clone(), s.clone()))
        .collect();
    if !base.values.keys().any(|name| new.values.contains_key(name)) {
        let [base, new] = [&base, &new].map(|one| {
            let names: Vec<&String> = one.values.keys().collect();
            some(&names, NAMED)
        });
        let what = "the two builds have no benchmark in common".to_string();
        let help = format!("the base has {base}, the new build {new}: give them common names");
        return Err(Problem::refusal(what, help).into());
    }
    record.reads.clone_from(&base.reads);
    for (base, new) in base.measured_by.iter().zip(&new.measured_by) {
        if base != new && !base.is_empty() && !new.is_empty() {
            let by = &record.reads;
            let note = format!("{by} reports {base} for the base, and {new} for the new build");
            record.notes.push(note);
        }
    }
    let [base, new] = [base, new].map(|one| one.seconds + one.reading);
    let round = 1.5 * (base + new);
    let planned = (record.budget / round).floor() as usize;
    if planned < FEWEST {
        let what = format!(
            "a round takes {round:.1} s (three executions), so {:.0} s have {}, and a verdict \
             needs {FEWEST}",
            record.budget,
            count(planned, "round"),
        );
        let needed = (round * FEWEST as f64 * 1.1).ceil();
        let help = format!("give --budget {needed:.0}s, or let the command measure more briefly");
        return Err(Problem::refusal(what, help).into());
    }
    programs.state(0);
    note(Progress { rounds: 0, planned, spent: 0.0 });
    let limit = seconds(record.patience.unwrap_or(LONGEST * record.budget));
    let mut orders: Vec<Vec<usize>> = Vec::new();
    let mut next_look = FEWEST;
    loop {
        let order = match orders.pop() {
            Some(order) => order,
            None => {
                orders = williams(3, &mut || random.next_u64());
                orders.pop().expect("a design has rows")
            }
        };
        let sides = Side::of_round(record.rounds.len());
        let mut executed = Vec::new();
        for side in order.into_iter().map(|item| sides[item]) {
            let padding = random.random_range(0..MOST_PADDING);
            let one = programs.execute(side, How { padding, limit })?;
            executed.push((side, as_first(one, &record.reads, &statistics)));
        }
        record.add(executed.try_into().expect("three sides"));
        let (rounds, spent) = (record.rounds.len(), record.seconds());
        record.state = programs.state(rounds);
        let mean = spent / rounds as f64;
        let planned = (record.budget / mean).floor() as usize;
        note(Progress { rounds, planned, spent });
        let is_enough = rounds >= FEWEST || spent > IN_VAIN * record.budget;
        let is_last = is_enough && spent + mean > record.budget || is_hopeless(record);
        let share = if is_last { 1.0 } else { spent / record.budget };
        if !is_last && (rounds < next_look || share > LAST_LOOK_BUT_ONE) {
            continue;
        }
        next_look = rounds * 2;
        record.looks.push(Look { rounds, share });
        let judged = judge(record);
        let has_found = judged.is_worse() || rounds >= ENOUGH;
        if is_last || (has_found && judged.is_settled()) {
            return Ok(judged);
        }
    }
}

/// The first execution of a side that has a result. The time of a failed one is not wasted: the
/// next may be the first that finds all files in memory.
fn begin(record: &mut Record, programs: &mut dyn Execute, side: Side) -> Result<Executed> {
    let limit = seconds(record.patience.unwrap_or(record.budget));
    let mut spent = 0.0;
    for tries in 1.. {
        let executed = programs.execute(side, How { padding: 0, limit })?;
        record.begin(side, &executed);
        spent += executed.seconds;
        let Some(failed) = &executed.failed else { return Ok(executed) };
        if !failed.is_certain && tries < TRIES && spent < record.budget {
            continue;
        }
        record.notes.iter().for_each(|note| tell(&format!("BUILDS {note}")));
        repeat(&failed.said);
        let (name, build) =
            if side.is_new() { ("the new build", &record.new) } else { ("the base", &record.base) };
        let what = format!(
            "{name} gives no result in {}, before the first round: `{}` in {} {}",
            count(tries, "execution"),
            build.command,
            build.folder,
            failed.why
        );
        let help = failed.help.clone().unwrap_or_else(|| {
            "run the command there by hand, until it prints its results and ends with status 0"
                .to_string()
        });
        return Err(Problem::refusal(what, help).into());
    }
    unreachable!("the last try returns")
}

/// Refuses two builds whose figures are not of one kind: a mean is not a median.
fn refuse_unlike(base: &Executed, new: &Executed) -> Result<()> {
    let help = "let both builds print their results in the same way";
    if base.reads != new.reads {
        let what = format!("the base prints {}, and the new build {}", base.reads, new.reads);
        return Err(Problem::refusal(what, help).into());
    }
    for (name, of_base) in &base.statistics {
        if let Some(of_new) = new.statistics.get(name).filter(|of_new| *of_new != of_base) {
            let what = format!("{name}: the base prints its {of_base}, the new build its {of_new}");
            return Err(Problem::refusal(what, help).into());
        }
    }
    Ok(())
}

/// An execution, which has failed if it printed another format or another statistic than the first.
fn as_first(executed: Executed, reads: &str, statistics: &BTreeMap<String, String>) -> Executed {
    if executed.failed.is_some() {
        return executed;
    }
    let mut own = executed.statistics.iter();
    let unlike = own.find_map(|(name, own)| {
        let first = statistics.get(name).filter(|first| *first != own)?;
        Some(format!("printed the {own} of {name}, and other executions its {first}"))
    });
    let is_unlike = executed.reads != reads;
    let format =
        is_unlike.then(|| format!("printed {}, and other executions {reads}", executed.reads));
    let Some(why) = format.or(unlike) else { return executed };
    let Executed { seconds, reading, .. } = executed;
    let failed = Some(Failed { why, ..Failed::default() });
    Executed { seconds, reading, failed, ..Executed::default() }
}

/// Whether a build has failed in every round, and there were enough of them.
fn is_hopeless(record: &Record) -> bool {
    let ends_well = |is_new: bool| {
        record.executions().any(|one| one.is_new() == is_new && one.failed.is_none())
    };
    record.rounds.len() >= FEWEST && !(ends_well(true) && ends_well(false))
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Compared, Missing, Verdict};
    use crate::readers::NOT_A_TIME;
    use crate::record::Grown;

    /// How executions of one program differ.
    #[derive(Clone, Copy, Debug)]
    enum Noise {
        /// By this share, as a standard deviation.
        Normal(f64),
        /// By 2 %, and one in ten benchmarks meets a neighbour, which costs it up to 60 %.
        Neighbours,
        /// By 1.5 %, with a drift of 0.3 % from each execution to the next.
        Drift,
        /// By 1 %, and half of all processes are 5 % slower.
        TwoLevels,
    }

    /// Programs that take a second, on a simulated clock.
    struct Simulated {
        random: Xoshiro256PlusPlus,
        noise: Noise,
        drift: f64,
        slower: f64,
        names: [&'static [&'static str]; 2],
    }

    const BOTH: [&[&str]; 2] = [&["a", "b", "c"]; 2];

    impl Simulated {
        fn new(seed: u64, slower: f64) -> Simulated {
            let random = Xoshiro256PlusPlus::seed_from_u64(seed);
            Simulated { random, noise: Noise::Neighbours, drift: 0.0, slower, names: BOTH }
        }

        /// Nearly normal, with a standard deviation of 1.
        fn normal(&mut self) -> f64 {
            (0..6).map(|_| self.random.random_range(-1.0..1.0)).sum::<f64>() / 2.0_f64.sqrt()
        }
    }

    impl Execute for Simulated {
        fn execute(&mut self, side: Side, _how: How) -> Result<Executed> {
            let process = self.normal();
            let is_slow = self.random.random_bool(0.5);
            self.drift += 0.003 * self.normal();
            let names = self.names[usize::from(side.is_new())];
            let mut values = BTreeMap::new();
            for name in names {
                // An effect on a process moves all of its benchmarks.
                let own = 0.6 * process + 0.8 * self.normal();
                let off = match self.noise {
                    Noise::Normal(sd) => sd * own,
                    Noise::Neighbours if self.random.random_bool(0.1) => {
                        0.02 * own + self.random.random_range(0.0..0.6)
                    }
                    Noise::Neighbours => 0.02 * own,
                    Noise::Drift => 0.015 * own + self.drift,
                    Noise::TwoLevels => 0.01 * own + if is_slow { 0.05 } else { 0.0 },
                };
                let is_slower = side.is_new() && *name == "b";
                let factor = if is_slower { self.slower } else { 1.0 };
                values.insert((*name).to_string(), 100.0 * (1.0 + off) * factor);
            }
            Ok(Executed { seconds: 1.0, values, ..Executed::default() })
        }
    }

    fn gate(seed: u64, slower: f64, margin: f64) -> (Record, Judged) {
        simulated(Simulated::new(seed, slower), seed, margin, 180.0)
    }

    fn simulated(mut programs: Simulated, seed: u64, margin: f64, budget: f64) -> (Record, Judged) {
        let mut record = Record { margin, error: 0.05, budget, seed, ..Record::default() };
        let judged = run(&mut record, &mut programs, &mut |_| {}).unwrap();
        (record, judged)
    }

    fn is_slower(judged: &Judged, name: &str) -> bool {
        let mut of = judged.compared.iter().filter(|one| one.name == name);
        of.any(|one| one.verdict == Verdict::Slower)
    }

    /// How many of these gates find "b" slower, and how many anything else.
    fn counts(gates: u64, slower: f64) -> (usize, usize) {
        let (mut found, mut others) = (0, 0);
        for seed in 0..gates {
            let (record, judged) = gate(seed, slower, 0.02);
            assert!(record.seconds() <= 180.0, "{}", record.seconds());
            found += usize::from(is_slower(&judged, "b"));
            others += usize::from(is_slower(&judged, "a") || is_slower(&judged, "c"));
        }
        (found, others)
    }

    /// The rates of docs/internals/decisions/0076.
    #[test]
    #[ignore = "thousands of gates: make evidence"]
    fn rates() {
        let noises = [
            Noise::Normal(0.02),
            Noise::Normal(0.03),
            Noise::Normal(0.04),
            Noise::Neighbours,
            Noise::Drift,
            Noise::TwoLevels,
        ];
        for noise in noises {
            let of = |seed: u64, slower: f64, rounds: usize| {
                let programs = Simulated { noise, ..Simulated::new(seed, slower) };
                simulated(programs, seed, 0.02, 3.0 * rounds as f64).1
            };
            let (mut wrong, mut alarms) = (0, 0);
            for judged in (0..400).map(|seed| of(seed, 1.0, 24)) {
                let is_wrong = |one: &Compared| !one.shift.interval.contains(0.0);
                wrong += usize::from(judged.compared.iter().any(is_wrong));
                alarms += usize::from(judged.count(Verdict::Slower) > 0);
            }
            print!("| {noise:?} | {:.1} % | {:.1} % |", wrong as f64 / 4.0, alarms as f64 / 4.0);
            for (slower, rounds) in [(1.05, 12), (1.05, 24), (1.03, 24), (1.03, 48)] {
                let found = (0..200).filter(|&seed| is_slower(&of(seed, slower, rounds), "b"));
                print!(" {:.0} |", found.count() as f64 / 2.0);
            }
            println!();
            assert!(wrong <= 30 && alarms <= 20, "{noise:?}: {wrong} and {alarms} of 400");
        }
    }

    #[test]
    fn equal_builds_raise_an_alarm_in_one_of_twenty_gates_at_most() {
        let (b, others) = counts(200, 1.0);
        assert!(b + others <= 10, "{b} and {others} of 200");
    }

    #[test]
    fn a_slowdown_of_5_percent_is_found_in_19_of_20_gates_and_of_3_percent_in_15() {
        let (found, others) = counts(60, 1.05);
        assert!(found >= 57 && others <= 3, "{found} and {others} of 60");
        let (found, others) = counts(60, 1.03);
        assert!(found >= 45 && others <= 3, "{found} and {others} of 60");
    }

    #[test]
    fn a_gate_ends_when_all_is_decided_and_a_record_is_judged_again_alike() {
        let (record, judged) = gate(3, 1.3, 0.1);
        assert!(record.rounds.len() < 60, "{} rounds", record.rounds.len());
        assert!(judged.is_settled());
        assert_eq!(crate::judge::judge(&record), judged);
    }

    #[test]
    fn every_order_comes_equally_often() {
        let (record, _) = gate(5, 1.0, 0.02);
        let mut orders = BTreeMap::new();
        for round in &record.rounds[..FEWEST] {
            *orders.entry([round.single(), round.copy()]).or_insert(0) += 1;
        }
        assert_eq!(orders.into_values().collect::<Vec<i32>>(), [2; 6]);
    }

    /// Programs whose executions each take 0.1 % longer than the one before in their folder.
    struct Keeping([f64; 2], Simulated);

    impl Execute for Keeping {
        fn execute(&mut self, side: Side, how: How) -> Result<Executed> {
            let mut executed = self.1.execute(side, how)?;
            let kept = &mut self.0[usize::from(side.is_new())];
            *kept += 0.001;
            executed.values.values_mut().for_each(|ns| *ns *= 1.0 + *kept);
            Ok(executed)
        }
    }

    #[test]
    fn equal_builds_that_keep_a_growing_state_are_equal() {
        let mut wrong = 0;
        for seed in 0..40 {
            let programs = Simulated { noise: Noise::Normal(0.003), ..Simulated::new(seed, 1.0) };
            let mut programs = Keeping([0.0; 2], programs);
            let mut record =
                Record { margin: 0.02, error: 0.05, budget: 300.0, seed, ..Record::default() };
            let judged = run(&mut record, &mut programs, &mut |_| {}).unwrap();
            let [base, new] = programs.0;
            assert!((base - new).abs() < 0.0015, "executions of the base {base}, of the new {new}");
            let is_wrong = |one: &Compared| !one.shift.interval.contains(0.0);
            wrong += usize::from(judged.compared.iter().any(is_wrong));
        }
        assert!(wrong <= 4, "{wrong} of 40");
    }

    #[test]
    fn benchmarks_of_one_build_are_listed_and_a_pair_without_common_ones_is_refused() {
        let run = |names| {
            let mut record =
                Record { margin: 0.02, error: 0.05, budget: 180.0, ..Record::default() };
            let mut programs = Simulated { names, ..Simulated::new(1, 1.0) };
            run(&mut record, &mut programs, &mut |_| {})
        };
        let judged = run([&["a", "old"], &["a", "new"]]).unwrap();
        assert_eq!(judged.compared.len(), 1);
        assert_eq!((judged.only_base, judged.only_new), (vec!["old".into()], vec!["new".into()]));
        let refused = run([&["a"], &["b"]]).unwrap_err().to_string();
        assert!(refused.contains("the base has a, the new build b"), "{refused}");
    }

    #[test]
    fn an_execution_with_another_statistic_than_the_first_has_failed() {
        let statistics =
            |statistic: &str| BTreeMap::from([("a".to_string(), statistic.to_string())]);
        let executed = |statistic: &str| Executed {
            reads: "jmh".to_string(),
            values: BTreeMap::from([("a".to_string(), 5.0)]),
            statistics: statistics(statistic),
            ..Executed::default()
        };
        let why = |one: Executed| one.failed.map(|failed| failed.why);
        let first = statistics("mean");
        assert_eq!(why(as_first(executed("mean"), "jmh", &first)), None);
        let failed = as_first(executed("median"), "jmh", &first);
        assert!(failed.values.is_empty());
        let expected = "printed the median of a, and other executions its mean";
        assert_eq!(why(failed).as_deref(), Some(expected));
    }

    #[test]
    fn a_budget_of_too_few_rounds_is_refused_with_one_that_is_enough() {
        let mut record = Record { budget: 30.0, margin: 0.02, error: 0.05, ..Record::default() };
        let refused = run(&mut record, &mut Simulated::new(1, 1.0), &mut |_| {}).unwrap_err();
        assert!(refused.to_string().contains("give --budget 40s"), "{refused}");
    }

    /// A program whose times are lost if they are above a limit, as a reader might.
    struct Lossy(Simulated);

    impl Execute for Lossy {
        fn execute(&mut self, side: Side, how: How) -> Result<Executed> {
            let mut executed = self.0.execute(side, how)?;
            if executed.values.remove("c").is_some_and(|ns| ns <= 101.0) {
                executed.values.insert("c".to_string(), 100.0);
            }
            executed.errors.insert("bytes".to_string(), format!("5 B {NOT_A_TIME}"));
            let failed = "TypeError: the callback is not a timer".to_string();
            executed.errors.insert("fails".to_string(), failed);
            Ok(executed)
        }
    }

    #[test]
    fn executions_without_a_time_are_counted_with_their_reason() {
        let mut record = Record { budget: 60.0, margin: 0.02, error: 0.05, ..Record::default() };
        let programs = Simulated { noise: Noise::Normal(0.02), ..Simulated::new(1, 1.0) };
        let judged = run(&mut record, &mut Lossy(programs), &mut |_| {}).unwrap();
        let [c, bytes, fails] = &judged.missing[..] else { panic!("{:?}", judged.missing) };
        let at = record.benchmarks.iter().position(|name| name == "c").unwrap();
        let lost = record.executions().filter(|one| one.time(at).is_none()).count();
        let all = record.rounds.len() * 3;
        assert_eq!((c.name.as_str(), c.executions, c.of), ("c", lost, all));
        assert!(c.of_new < lost && !c.is_always(), "{c:?}");
        assert_eq!(c.why, "their output does not have it");
        // The lost executions are the slow ones: the others do not represent the build.
        assert!(c.is_too_many(), "{c:?}");
        let verdict = judged.compared.iter().find(|one| one.name == "c").unwrap().verdict;
        assert_eq!(verdict, Verdict::Undecided);
        assert_eq!((bytes.executions, bytes.of), (all, all));
        assert_eq!((bytes.why.as_str(), bytes.is_no_time()), ("5 B is not a time per call", true));
        assert!(fails.is_always() && !fails.is_no_time(), "{fails:?}");
        // A benchmark that only one build has is not missing in the other.
        let mut record =
            Record { first: Vec::new(), rounds: Vec::new(), looks: Vec::new(), ..record };
        let names: [&[&str]; 2] = [&["a", "old"], &["a"]];
        let mut programs = Simulated { names, ..Simulated::new(1, 1.0) };
        let judged = run(&mut record, &mut programs, &mut |_| {}).unwrap();
        assert_eq!(judged.missing, Vec::new());
    }

    /// Programs that print one more benchmark before the first round.
    struct Beginning(Simulated, usize);

    impl Execute for Beginning {
        fn execute(&mut self, side: Side, how: How) -> Result<Executed> {
            let mut executed = self.0.execute(side, how)?;
            self.1 += 1;
            if self.1 <= 2 {
                executed.values.insert("cold".to_string(), 500.0);
            }
            Ok(executed)
        }
    }

    #[test]
    fn a_benchmark_of_the_first_executions_alone_is_missing() {
        let mut record = Record { budget: 60.0, margin: 0.02, error: 0.05, ..Record::default() };
        let programs = Simulated { noise: Noise::Normal(0.02), ..Simulated::new(1, 1.0) };
        let judged = run(&mut record, &mut Beginning(programs, 0), &mut |_| {}).unwrap();
        let [cold] = &judged.missing[..] else { panic!("{:?}", judged.missing) };
        assert!(cold.name == "cold" && cold.is_always() && judged.is_incomplete(), "{cold:?}");
        assert_eq!(cold.why, "only executions before the first round print it");
    }

    #[test]
    fn a_few_lost_times_leave_the_verdict() {
        let few = |of_new, of_base| {
            let (name, why, executions) = (String::new(), String::new(), of_new + of_base);
            Missing { name, executions, of_new, of: 300, new_of: 100, why }.is_too_many()
        };
        assert!(!few(10, 20));
        assert!(few(11, 0) && few(0, 21));
    }

    /// The copy of a build always takes longer, as if executions left something behind.
    struct Odd(Simulated);

    impl Execute for Odd {
        fn execute(&mut self, side: Side, how: How) -> Result<Executed> {
            let mut executed = self.0.execute(side, how)?;
            if matches!(side, Side::Copy | Side::CopyOfNew) {
                executed.values.values_mut().for_each(|ns| *ns *= 1.2);
            }
            Ok(executed)
        }
    }

    /// Builds that were measured in different states.
    struct Unequal(Simulated);

    impl Execute for Unequal {
        fn execute(&mut self, side: Side, how: How) -> Result<Executed> {
            self.0.execute(side, how)
        }

        fn state(&mut self, _rounds: usize) -> Option<State> {
            Some(State { unequal: vec![Grown::default()], ..State::default() })
        }
    }

    #[test]
    fn no_benchmark_has_a_verdict_if_the_builds_have_different_states() {
        let mut record = Record { budget: 600.0, margin: 0.02, error: 0.05, ..Record::default() };
        let programs = Simulated { noise: Noise::Normal(0.02), ..Simulated::new(1, 1.5) };
        let judged = run(&mut record, &mut Unequal(programs), &mut |_| {}).unwrap();
        assert_eq!(judged.count(Verdict::Undecided), 3);
        assert_eq!(record.rounds.len(), ENOUGH, "no budget decides it");
    }

    #[test]
    fn no_benchmark_has_a_verdict_if_two_executions_of_one_build_differ() {
        let mut record = Record { budget: 60.0, margin: 0.02, error: 0.05, ..Record::default() };
        let programs = Simulated { noise: Noise::Normal(0.02), ..Simulated::new(1, 1.5) };
        let judged = run(&mut record, &mut Odd(programs), &mut |_| {}).unwrap();
        for one in &judged.compared {
            assert!(one.is_untrusted() && one.verdict == Verdict::Undecided, "{one:?}");
        }
    }
}
