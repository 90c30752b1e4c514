//! The shortest time that a draft takes, and its memory, printed before it starts. Preparing
//! processes and the fewest rounds take this time even if the budget is smaller.

mod memory;

pub use memory::{Memory, Need};

use cupel_base::draws;
use cupel_base::name::ContenderName;
use cupel_contender::{Contender, State};
use cupel_plan::{Draft, DraftComparison, Member, fewest_rounds, starts_late};
use cupel_protocol::workload::Workload;
use cupel_store::Recorded;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

// The times of the steps, in s. They are at the lower end of the measurements of 2026-11-22 on two
// processors (AMD EPYC, family 26 model 2) with busy neighbours, by `cupel run SUITE --budget 1s
// --forks 2 --verbose` and from the warm-ups in its store, because a forecast gives the shortest
// time.

/// A process with code compiled ahead of time: start, greeting, preparation, verification while
/// warm. From `pitfalls/one-size` (0.03) and `many` (0.08).
const NATIVE_PROCESS: f64 = 0.03;

/// One cell of it: a warm-up of at least 4 ms. From the same suites (0.007 and 0.012).
const NATIVE_CELL: f64 = 0.007;

/// A process with code that is compiled at run time: the same. From `tutorial` (2.2) and
/// `pitfalls/warm-up` (1.0).
const JIT_PROCESS: f64 = 1.0;

/// Its first size of some work, warmed up until nothing more is compiled. From `pitfalls/warm-up`
/// (0.4).
const JIT_WORK: f64 = 0.4;

/// Each further size of that work. From `tutorial` (0.25) and `seeds/000` (0.15).
const JIT_SIZE: f64 = 0.15;

/// One slice in a round, with its pre-roll and the pause between slices. From `quickstart` (1.1
/// ms).
const SLICE: f64 = 0.8e-3;

/// How much longer a slice is if a runtime works next to the code, because of its pre-roll.
const LONGER_PREROLL: f64 = 0.9e-3;

/// One byte of a message, by a fast digest. It matters for slices of a single call, such as of
/// large files.
const BYTE: f64 = 0.4e-9;

/// How many calls warm up a cell whose calls are longer than a slice.
const LONG_CALLS: f64 = 4.0;

/// The share of these times that the fastest machine may need. A budget is refused only if even
/// that machine exceeds it: refusing one that is enough is the worse mistake.
const FASTEST: f64 = 0.4;

/// The share of the shortest warm-up of an earlier run that the next one may need: all of that run
/// may have had a neighbour.
const QUIETER: f64 = 0.5;

/// One slice at least, with its pre-roll: the calls of the fastest cell last this long by choice,
/// on every machine.
const SHORTEST_SLICE: f64 = 0.53e-3;

/// How long the warm-ups of an earlier run took, and the calls after them: more precise than any
/// constant.
#[derive(Default)]
pub struct Known(HashMap<(String, Workload), Times>);

/// The times of a contender and workload in the forks of a run, ascending, in s.
#[derive(Default)]
struct Times {
    warm_ups: Vec<f64>,
    calls: Vec<f64>,
}

impl Known {
    /// The times that a run recorded, in s by contender and workload.
    pub fn from_run(recorded: &Recorded) -> Known {
        let mut known: HashMap<_, Times> = HashMap::new();
        for warm_up in &recorded.warm_ups {
            let contender = recorded.plan.contender_of(warm_up.cell).name.to_string();
            let workload = recorded.plan.workload_of(warm_up.cell).clone();
            let times = known.entry((contender, workload)).or_default();
            times.warm_ups.push(warm_up.elapsed_ns / 1e9);
            times.calls.push(warm_up.ns_per_call / 1e9);
        }
        for times in known.values_mut() {
            times.warm_ups.sort_by(f64::total_cmp);
            times.calls.sort_by(f64::total_cmp);
        }
        Known(known)
    }

    /// The time of a warm-up of this contender for this workload, in s: at least, and as a rule.
    fn warm_up(&self, contender: &Contender, workload: &Workload) -> Option<(f64, f64)> {
        let times = &self.times(contender, workload)?.warm_ups;
        Some((QUIETER * times.first()?, times[times.len() / 2]))
    }

    /// The time of a call of this contender for this workload, in s: at least, and as a rule.
    fn call(&self, contender: &Contender, workload: &Workload) -> (f64, f64) {
        let bytes = call(workload);
        let guess = (FASTEST * bytes, bytes);
        let known = self.times(contender, workload).map(|times| &times.calls);
        let times =
            known.and_then(|calls| Some((QUIETER * calls.first()?, calls[calls.len() / 2])));
        times.unwrap_or(guess)
    }

    fn times(&self, contender: &Contender, workload: &Workload) -> Option<&Times> {
        self.0.get(&(contender.name.to_string(), workload.clone()))
    }
}

/// The shortest time that a draft takes, and its cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Preparing the processes of one fork, in s.
    pub ready: f64,
    /// The fewest rounds of one fork, in s.
    pub rounds: f64,
    /// The least that both can take, on any machine, in s.
    pub least: f64,
    /// How many forks there are in which all contenders run.
    pub forks: u32,
    /// The further forks, in which no contender runs that takes long to start: all of them, in s.
    pub further: f64,
    /// The least that they can take, in s.
    pub least_further: f64,
    /// How many contenders have a JIT.
    pub jit: usize,
    /// How many have none.
    pub native: usize,
    /// How many cells take part, including controls.
    pub cells: usize,
    /// The budget, in s; 0 asks for the fewest rounds, however long they take.
    pub budget: f64,
}

/// The forecast for a draft whose processes are prepared on `lanes` processors, with the facts from
/// an earlier run. Contenders that are not built yet are included, missing ones are not.
pub fn for_draft(draft: &Draft, lanes: usize, known: &Known) -> Forecast {
    let members = draft.contenders().iter().filter(|c| takes_part(c));
    let (jit, native): (Vec<&Contender>, Vec<&Contender>) = members.partition(|c| has_jit(c));
    let (jit, native) = (jit.len(), native.len());
    let options = draft.options();
    let is_late = |contender: &Contender| has_jit(contender) || starts_late(options, contender);
    // After a look, contenders that take long to start may have left.
    let of_jit = options.look().map_or(options.jit_forks(), |look| look.forks);
    let has_late = draft.contenders().iter().any(|one| takes_part(one) && is_late(one));
    let forks = if has_late { of_jit } else { options.forks };
    let one = fork(draft, lanes, known, &|_| true);
    let others = fork(draft, lanes, known, &|contender| !is_late(contender));
    let further = f64::from(options.forks - forks);
    Forecast {
        ready: one.ready,
        rounds: one.rounds,
        least: one.least,
        forks,
        further: further * (others.ready + others.rounds),
        least_further: further * others.least,
        jit,
        native,
        cells: one.cells,
        budget: options.budget.as_secs_f64(),
    }
}

/// The contenders with a JIT that a draft ranks: none that only shows a runner's overhead.
pub fn with_jit(draft: &Draft) -> Vec<ContenderName> {
    let ranked = draft.comparisons().iter().filter(|comparison| !comparison.overhead);
    let members: BTreeSet<usize> =
        ranked.flat_map(|comparison| &comparison.members).map(|member| member.contender).collect();
    let members = members.into_iter().map(|place| &draft.contenders()[place]);
    members.filter(|c| takes_part(c) && has_jit(c)).map(|c| c.name.clone()).collect()
}

/// The time of one fork, in s.
struct Fork {
    ready: f64,
    rounds: f64,
    least: f64,
    cells: usize,
}

/// A cell that has its own process: its comparison and its alternative.
type Apart = (usize, Option<usize>);

/// A process of a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Process {
    contender: usize,
    /// Whether it is the control.
    control: bool,
    /// The cell that it is for, if each has its own process.
    apart: Option<Apart>,
}

/// The cells of a comparison, each with whether it is the control. The baseline is elected after
/// verification. Most likely it is the first candidate.
fn cells_of(
    draft: &Draft,
    comparison: &DraftComparison,
    among: &dyn Fn(&Contender) -> bool,
) -> Vec<(Member, bool)> {
    let contenders = draft.contenders();
    let mut present = comparison.members.clone();
    present.retain(|member| among(&contenders[member.contender]));
    let first = comparison.baselines.iter().find(|&&baseline| among(&contenders[baseline]));
    let first = first.and_then(|b| present.iter().find(|member| member.contender == *b));
    present.iter().map(|&m| (m, false)).chain(first.map(|&m| (m, true))).collect()
}

/// The processes of a fork of these contenders, each with its workloads and the numbers of their
/// comparisons.
fn processes_of<'d>(
    draft: &'d Draft,
    among: &dyn Fn(&Contender) -> bool,
) -> BTreeMap<Process, Vec<(usize, &'d Workload)>> {
    let mut processes: BTreeMap<Process, Vec<(usize, &Workload)>> = BTreeMap::new();
    for (number, comparison) in draft.comparisons().iter().enumerate() {
        for (member, control) in cells_of(draft, comparison, among) {
            let apart = (!draft.shares_processes()).then_some((number, member.alternative));
            let process = Process { contender: member.contender, control, apart };
            processes.entry(process).or_default().push((number, comparison.workload_of(member)));
        }
    }
    processes
}

/// A fork of the contenders that take part in it.
fn fork(draft: &Draft, lanes: usize, known: &Known, among: &dyn Fn(&Contender) -> bool) -> Fork {
    let (mut rounds, mut least, mut cells) = (0.0, 0.0, 0);
    let here = |contender: &Contender| takes_part(contender) && among(contender);
    for comparison in draft.comparisons() {
        let cells_here = cells_of(draft, comparison, &here);
        // All cells of a comparison have as many rounds as the one that needs most.
        let hosted: Vec<&Contender> =
            cells_here.iter().map(|(member, _)| &draft.contenders()[member.contender]).collect();
        let fewest = hosted.iter().map(|c| fewest_rounds(has_jit(c))).max().unwrap_or(0) as f64;
        let block = block(&comparison.workload);
        for ((member, _), contender) in cells_here.iter().zip(hosted) {
            // A slice lasts about as long in every cell, but it has a whole call, or a whole block.
            let (shortest, usual) = known.call(contender, comparison.workload_of(*member));
            let more = if contender.managed { LONGER_PREROLL } else { 0.0 };
            rounds += fewest * (SLICE + more).max(block * usual);
            least += fewest * (SHORTEST_SLICE + more).max(block * shortest);
        }
        cells += cells_here.len();
    }
    let (mut shortest, mut usual) = (Vec::new(), Vec::new());
    for (Process { contender, .. }, works) in processes_of(draft, &here) {
        let works: Vec<&Workload> = works.into_iter().map(|(_, work)| work).collect();
        let (least, typical) = process(draft, contender, &works, known);
        shortest.push(least);
        usual.push(typical);
    }
    least += side_by_side(&shortest, lanes);
    Fork { ready: side_by_side(&usual, lanes), rounds, least, cells }
}

/// The time of processes that are prepared on this many processors, given the time of each.
fn side_by_side(times: &[f64], lanes: usize) -> f64 {
    let longest = times.iter().copied().fold(0.0, f64::max);
    longest.max(times.iter().sum::<f64>() / lanes.max(1) as f64)
}

/// Preparing one process for its cells, in s: at least, and as a rule.
fn process(draft: &Draft, contender: usize, works: &[&Workload], known: &Known) -> (f64, f64) {
    let contender = &draft.contenders()[contender];
    let jit = has_jit(contender);
    let start = if jit { JIT_PROCESS } else { NATIVE_PROCESS };
    let (mut least, mut usual) = (FASTEST * start, start);
    for (position, &work) in works.iter().enumerate() {
        let again = works[..position].iter().any(|before| before.same_work(work));
        let cell: f64 = match (jit, again) {
            (false, _) => NATIVE_CELL,
            (true, false) => JIT_WORK,
            (true, true) => JIT_SIZE,
        };
        let cell = cell.max(LONG_CALLS * block(work) * call(work));
        let (shortest, median) = known.warm_up(contender, work).unwrap_or((FASTEST * cell, cell));
        least += shortest;
        usual += median;
    }
    (least, usual)
}

/// The fewest calls of a slice.
fn block(work: &Workload) -> f64 {
    draws::block(&work.contract.lengths) as f64
}

/// One call, in s.
fn call(work: &Workload) -> f64 {
    BYTE * (work.bytes_per_call() + f64::from(work.contract.ad))
}

fn takes_part(contender: &Contender) -> bool {
    matches!(contender.state, State::Ready { .. } | State::Unbuilt)
}

/// Whether a contender has a JIT. If it is not built yet, its name decides.
pub fn has_jit(contender: &Contender) -> bool {
    match contender.state {
        State::Ready { jit, .. } => jit,
        _ => contender.name.toolchain().is_some_and(cupel_toolchain::is_jit),
    }
}

impl Forecast {
    /// All forks, in s.
    pub fn all(&self) -> f64 {
        f64::from(self.forks) * (self.ready + self.rounds) + self.further
    }

    /// The forecast, in words.
    pub fn words(&self) -> String {
        format!("measuring takes at least about {}, because {}", time(self.all()), self.reason())
    }

    /// Why no run with this budget can keep to it, and what would do; `None` if one may. The forks
    /// would have nothing but their fewest rounds, and often not even those that count.
    pub fn refusal(&self) -> Option<String> {
        let least = f64::from(self.forks) * self.least + self.least_further;
        if self.budget == 0.0 || least <= self.budget {
            return None;
        }
        let fits = (self.budget / (self.ready + self.rounds)) as u32;
        let forks = if fits >= 2 { format!(", --forks {fits}") } else { String::new() };
        Some(format!(
            "a budget of {} s is too short for the fewest rounds in each fork: {}; --budget {}s{forks} \
             or fewer contenders would do",
            self.budget,
            self.words(),
            self.all().ceil().max(1.0)
        ))
    }

    /// The warning before a run that takes longer than its budget, with what makes it shorter.
    pub fn warning(&self) -> Option<String> {
        if self.budget == 0.0 || self.all() <= self.budget {
            return None;
        }
        let fits = (self.budget / (self.ready + self.rounds)) as u32;
        let remedy = match fits {
            2.. => format!("--forks {fits} or fewer contenders make it shorter"),
            _ if self.forks > 2 => "--forks 2 and fewer contenders make it shorter".to_string(),
            _ => "fewer contenders or sizes make it shorter".to_string(),
        };
        Some(format!(
            "this takes at least about {}, not {} s: {}; {remedy}",
            time(self.all()),
            self.budget,
            self.reason()
        ))
    }

    /// The cause of most of the time.
    pub fn reason(&self) -> String {
        let (count, one, several) = if self.rounds > self.ready {
            (self.cells, "cell takes", "cells take")
        } else if self.jit > 0 {
            (self.jit, "contender with a JIT takes", "contenders with a JIT take")
        } else {
            (self.native, "contender takes", "contenders take")
        };
        let take = if count == 1 { one } else { several };
        let (seconds, to) = if self.rounds > self.ready {
            (self.rounds, "for the fewest rounds")
        } else {
            (self.ready, "to warm up")
        };
        let forks = if self.forks == 1 {
            "1 fork".to_string()
        } else {
            format!("each of {} forks", self.forks)
        };
        format!("{count} {take} about {} {to} in {forks}", time(seconds))
    }
}

/// A time in words, no more precise than a forecast; in s.
fn time(seconds: f64) -> String {
    match Duration::from_secs_f64(seconds.max(0.0)).as_millis() as u64 {
        ms @ 0..950 => format!("{ms} ms"),
        ms @ 950..9_500 if ms % 1000 >= 50 && ms % 1000 < 950 => {
            format!("{:.1} s", ms as f64 / 1e3)
        }
        ms @ 0..95_000 => format!("{:.0} s", ms as f64 / 1e3),
        ms @ 0..5_700_000 => format!("{:.0} min", ms as f64 / 60e3),
        ms => format!("{:.1} h", ms as f64 / 3.6e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_plan::DraftComparison;
    use cupel_protocol::histogram::Histogram;
    use cupel_protocol::workload::{Contract, Lengths, Operation, Shape};
    use cupel_suite::{Isolation, Options};

    fn contender(name: &str, state: State) -> Contender {
        Contender::new(name.into(), state)
    }

    fn ready(jit: bool) -> State {
        State::Ready { command: vec![], simulated: false, jit, resolution_ns: 1 }
    }

    /// Every contender at every size; the first is the baseline.
    fn draft(contenders: Vec<Contender>, sizes: &[u64], options: Options) -> Draft {
        let all: Vec<usize> = (0..contenders.len()).collect();
        let comparison = |&size: &u64| DraftComparison {
            workload: Workload {
                primitive: "sha256".to_string(),
                operation: Operation::Digest,
                size,
                contract: Contract::usual(Operation::Digest),
                shape: Shape::Throughput,
            },
            alternatives: vec![],
            overhead: false,
            members: all.iter().copied().map(Member::from).collect(),
            baselines: all.clone(),
            key_len: 0,
            fixed_key: vec![],
            ad: vec![],
            claimed: vec![],
            pool: 2,
        };
        let comparisons = sizes.iter().map(comparison).collect();
        Draft::new("", "", options, 1, contenders, comparisons)
    }

    fn forks(forks: u32) -> Options {
        Options { forks, budget: Duration::from_secs(10), ..Options::default() }
    }

    fn close(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 1e-9
    }

    #[test]
    fn every_process_and_every_cell_counts_the_control_s_too() {
        let jit = vec![contender("jvm/a", ready(true)), contender("jvm/b", ready(true))];
        let forecast = for_draft(&draft(jit.clone(), &[16, 64], forks(6)), 1, &Known::default());
        let one = JIT_PROCESS + JIT_WORK + JIT_SIZE;
        assert!(close(forecast.ready, 3.0 * one), "{forecast:?}");
        assert_eq!((forecast.jit, forecast.native, forecast.cells), (2, 0, 6));
        assert!(close(forecast.rounds, 6.0 * 20.0 * SLICE), "{forecast:?}");
        assert!(close(forecast.all(), 6.0 * (forecast.ready + forecast.rounds)));
        // One process is not split between processors.
        assert!(close(
            for_draft(&draft(jit.clone(), &[16, 64], forks(6)), 2, &Known::default()).ready,
            1.5 * one
        ));
        assert!(close(
            for_draft(&draft(jit, &[16, 64], forks(6)), 64, &Known::default()).ready,
            one
        ));
    }

    #[test]
    fn code_compiled_at_run_time_counts_in_its_own_forks_only() {
        let all = || vec![contender("c/a", ready(false)), contender("jvm/b", ready(true))];
        let of = |options| for_draft(&draft(all(), &[16], options), 1, &Known::default());
        let forecast = of(Options { jit_forks: Some(4), ..forks(10) });
        let native = 2.0 * (NATIVE_PROCESS + NATIVE_CELL);
        let with = native + JIT_PROCESS + JIT_WORK + 3.0 * 20.0 * SLICE;
        let without = native + 2.0 * 10.0 * SLICE;
        assert!(close(forecast.all(), 4.0 * with + 6.0 * without), "{forecast:?}");
        let every = of(forks(10));
        assert!(close(every.all(), 10.0 * with), "{every:?}");
        // A budget is refused by the time of all forks, not of one kind.
        let least = 4.0 * forecast.least + forecast.least_further;
        assert!(forecast.least_further > 0.0);
        assert!(Forecast { budget: 0.99 * least, ..forecast.clone() }.refusal().is_some());
        assert!(Forecast { budget: 1.01 * least, ..forecast }.refusal().is_none());
    }

    #[test]
    fn each_cell_by_itself_has_a_process_of_its_own() {
        let options = Options { isolation: Isolation::Cell, ..forks(2) };
        let apart = draft(vec![contender("c/a", ready(false))], &[16, 64], options);
        assert!(close(
            for_draft(&apart, 1, &Known::default()).ready,
            4.0 * (NATIVE_PROCESS + NATIVE_CELL)
        ));
    }

    #[test]
    fn what_is_missing_takes_no_time_and_what_is_not_built_takes_its_own() {
        let gone = State::Missing(cupel_protocol::message::Refusal::because("gone"));
        let all = vec![
            contender("c/a", ready(false)),
            contender("jvm/b@temurin-25", State::Unbuilt),
            contender("c/c", State::Unbuilt),
            contender("jvm/d@temurin-25", gone),
        ];
        let forecast = for_draft(&draft(all, &[16], forks(2)), 1, &Known::default());
        assert_eq!((forecast.jit, forecast.native, forecast.cells), (1, 2, 4));
        let native = 3.0 * (NATIVE_PROCESS + NATIVE_CELL);
        assert!(close(forecast.ready, native + JIT_PROCESS + JIT_WORK), "{forecast:?}");
    }

    #[test]
    fn a_slice_of_one_long_call_takes_as_long_as_the_call() {
        let large = for_draft(
            &draft(vec![contender("c/a", ready(false))], &[100_000_000], forks(2)),
            1,
            &Known::default(),
        );
        assert!(close(large.rounds, 2.0 * 10.0 * 1e8 * BYTE), "{large:?}");
        assert!(large.ready > 2.0 * LONG_CALLS * 1e8 * BYTE, "{large:?}");
    }

    /// A slow contender's slices are no longer than others, unless a call is, or a block of a mix.
    #[test]
    fn a_slow_contender_s_slices_are_long_only_if_they_must_be() {
        let contenders = || vec![contender("c/a", ready(false)), contender("c/slow", ready(false))];
        let rounds = |draft: Draft, call: f64| {
            let workload = draft.comparisons()[0].workload.clone();
            let times = Times { warm_ups: vec![0.01], calls: vec![call] };
            let known = Known([(("c/slow".to_string(), workload), times)].into_iter().collect());
            for_draft(&draft, 1, &known).rounds / 10.0
        };
        let equal = || draft(contenders(), &[64], forks(2));
        assert!(close(rounds(equal(), 28e-6), 3.0 * SLICE));
        assert!(close(rounds(equal(), 5e-3), 2.0 * SLICE + 5e-3));
        let mut comparison = equal().comparisons()[0].clone();
        let histogram = Histogram::new(vec![(32, 1), (64, 1)]).unwrap();
        comparison.workload.contract.lengths = Lengths::Drawn(histogram);
        let drawn = Draft::new("", "", forks(2), 1, contenders(), vec![comparison]);
        assert!(close(rounds(drawn, 28e-6), 2.0 * SLICE + 64.0 * 28e-6));
    }

    #[test]
    fn a_budget_that_is_too_short_gets_a_warning_with_a_remedy() {
        let base = Forecast {
            ready: 25.0,
            rounds: 1.0,
            least: 11.0,
            forks: 6,
            further: 0.0,
            least_further: 0.0,
            jit: 24,
            native: 3,
            cells: 100,
            budget: 160.0,
        };
        assert_eq!(base.warning(), None);
        assert_eq!(
            base.words(),
            "measuring takes at least about 3 min, because 24 contenders with a JIT take about 25 s to warm \
             up in each of 6 forks"
        );
        let warning = |budget| Forecast { budget, ..base.clone() }.warning().unwrap();
        assert_eq!(
            warning(80.0),
            "this takes at least about 3 min, not 80 s: 24 contenders with a JIT take about 25 s to \
             warm up in each of 6 forks; --forks 3 or fewer contenders make it shorter"
        );
        assert!(warning(10.0).ends_with("; --forks 2 and fewer contenders make it shorter"));
        let two = Forecast { forks: 2, budget: 1.0, jit: 0, ready: 0.4, ..base.clone() };
        assert_eq!(
            two.warning().unwrap(),
            "this takes at least about 2.8 s, not 1 s: 100 cells take about 1 s for the fewest rounds \
             in each of 2 forks; fewer contenders or sizes make it shorter"
        );
        let one = Forecast { jit: 1, ready: 2.0, ..two };
        assert!(
            one.words().contains(", because 1 contender with a JIT takes about 2 s "),
            "{}",
            one.words()
        );
    }

    #[test]
    fn a_budget_that_no_machine_can_keep_is_refused_with_the_one_that_would_do() {
        let base = Forecast {
            ready: 7.0,
            rounds: 0.5,
            least: 3.0,
            forks: 11,
            further: 0.0,
            least_further: 0.0,
            jit: 5,
            native: 0,
            cells: 12,
            budget: 20.0,
        };
        assert_eq!(
            base.refusal().unwrap(),
            "a budget of 20 s is too short for the fewest rounds in each fork: measuring takes at least \
             about 82 s, because 5 contenders with a JIT take about 7 s to warm up in each of 11 \
             forks; --budget 83s, --forks 2 or fewer contenders would do"
        );
        let short = Forecast { budget: 10.0, ..base.clone() };
        assert!(short.refusal().unwrap().contains("; --budget 83s or fewer contenders would do"));
        // A budget that a faster machine may keep gets a warning.
        let close = Forecast { budget: 33.0, ..base.clone() };
        assert!(close.refusal().is_none() && close.warning().is_some());
        assert!(Forecast { budget: 83.0, ..base.clone() }.warning().is_none());
        let least = Forecast { budget: 0.0, ..base };
        assert!(least.refusal().is_none() && least.warning().is_none());
    }

    #[test]
    fn the_least_time_is_that_of_a_machine_much_faster_than_the_forecast_s() {
        let jit = vec![contender("jvm/a", ready(true)), contender("jvm/b", ready(true))];
        let forecast = for_draft(&draft(jit, &[16, 64], forks(6)), 1, &Known::default());
        let slices = 6.0 * 20.0 * SHORTEST_SLICE;
        assert!(close(forecast.least, FASTEST * forecast.ready + slices), "{forecast:?}");
        assert!(forecast.least < 0.5 * (forecast.ready + forecast.rounds), "{forecast:?}");
    }

    #[test]
    fn warm_ups_of_an_earlier_run_replace_the_constants() {
        let jit = vec![contender("jvm/a", ready(true)), contender("jvm/b", ready(true))];
        let draft = draft(jit, &[16], forks(6));
        let workload = draft.comparisons()[0].workload.clone();
        let times = [("jvm/a", vec![2.0, 3.0, 9.0]), ("jvm/c", vec![70.0])];
        let entry = |(name, warm_ups): (&str, _)| {
            let times = Times { warm_ups, calls: vec![1e-6] };
            ((name.to_string(), workload.clone()), times)
        };
        let known = Known(times.into_iter().map(entry).collect());
        // The baseline, its control, and one that the run did not have.
        let forecast = for_draft(&draft, 1, &known);
        assert!(close(forecast.ready, 3.0 * JIT_PROCESS + 3.0 + 3.0 + JIT_WORK), "{forecast:?}");
        let slices = 3.0 * 20.0 * SHORTEST_SLICE;
        let least = FASTEST * (3.0 * JIT_PROCESS + JIT_WORK) + 2.0 * QUIETER * 2.0 + slices;
        assert!(close(forecast.least, least), "{forecast:?}");
    }

    #[test]
    fn a_forecast_time_is_rounded() {
        for (seconds, words) in [
            (0.3, "300 ms"),
            (0.96, "1 s"),
            (2.54, "2.5 s"),
            (10.2, "10 s"),
            (94.0, "94 s"),
            (96.0, "2 min"),
            (3600.0, "60 min"),
            (7200.0, "2.0 h"),
        ] {
            assert_eq!(time(seconds), words);
        }
    }
}
