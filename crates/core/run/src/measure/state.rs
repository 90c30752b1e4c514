//! The state of a fork while it is measured: its processes, the cells that each of them hosts, and
//! how many rounds each comparison has.

use super::audit::expectation::Calls;
use super::failure::CellFailure;
use super::ledger::Ledger;
use super::next;
use super::ready::steady::CompilerState;
use super::schedule::MOST_TRIES;
use anyhow::Result;
use cupel_base::draws;
use cupel_plan::{Comparison, Plan};
use cupel_runner::{Fault, Host};
use cupel_stats::FEWEST_ROUNDS;
use cupel_stats::order::williams;
use cupel_suite::Isolation;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The length in ns of a slice of the fastest cell. Those of slower cells have fewer calls, and are
/// no more than twice as long where their calls allow that.
pub const SLICE_NS: f64 = 500_000.0;

/// How long a cell runs untimed before each of its slices, in ns. Before that, other processes had
/// the processor, and left its caches and predictors to them. Code that is compiled ahead has its
/// own again in microseconds.
const PREROLL_NS: f64 = 200_000.0;

/// The same if a runtime works next to the code, which may be slow for a millisecond: longer than a
/// slice. Each kind of code has one length: if each cell's were learned, chance would give copies
/// of one program different ones for a whole run, and with them different times
/// (docs/internals/decisions/0098).
const PREROLL_IF_MANAGED_NS: f64 = 1_100_000.0;

/// Longer calls, in ns, have no pre-roll of this kind: nothing at their start matters.
const LONG_CALL_NS: f64 = 5e6;

/// The state of a fork.
pub struct ForkState<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The processes. [`CellState::process`] is a position in this list.
    pub processes: Vec<HostedProcess>,
    /// The cells that this fork hosts, by number.
    pub cells: BTreeMap<usize, CellState>,
    /// By comparison.
    pub comparisons: Vec<ComparisonState>,
}

/// A process and the contender that it hosts.
pub struct HostedProcess {
    /// The position of the contender in the plan.
    pub contender: usize,
    /// Whether it hosts the control.
    pub control: bool,
    /// The process; `None` before it is prepared and after it is lost.
    pub host: Option<Box<dyn Host>>,
    /// The state of its compiler.
    pub compiler: CompilerState,
    /// How often its code was compiled again in rounds.
    pub recompiled: u32,
}

/// A cell in a fork.
pub struct CellState {
    /// The position of its process.
    pub process: usize,
    /// Whether it sits out the rest of the fork, because it is surely behind.
    pub sits_out: bool,
    /// Whether its code did not become steady in this fork.
    given_up: bool,
    /// Its slice is one of this many equal parts of the round's calls, or a little more.
    parts: u64,
    /// The time in ns per call, once it is warm.
    pub ns_per_call: Option<f64>,
    /// The least time of its pre-roll in ns.
    preroll_ns: f64,
}

impl CellState {
    /// The calls of its slice, from `first` on or a little later, if an undivided one of this
    /// comparison has `iterations`.
    pub fn calls(&self, first: u64, iterations: u64, comparison: &ComparisonState) -> Calls {
        let short = self.ns_per_call.filter(|ns| *ns <= LONG_CALL_NS);
        let untimed = short.map_or(0.0, |ns| (self.preroll_ns / ns).ceil());
        let timed = self.timed(iterations, comparison.part);
        let unit = if timed < iterations { comparison.part } else { comparison.block };
        Calls::new(first, timed).after(untimed as u64).aligned(unit)
    }

    /// In how many pieces a slice of this many calls is timed, in this comparison: one, unless its
    /// calls cannot be fewer and take more than twice as long as the longest other slices.
    pub fn pieces(&self, iterations: u64, comparison: &ComparisonState) -> u64 {
        let ns = self.ns_per_call.map_or(0.0, |ns| ns * iterations as f64);
        let piece_ns = 2.0 * comparison.slice_ns;
        if comparison.part == 1 || ns <= 2.0 * piece_ns {
            return 1;
        }
        ((ns / piece_ns).ceil() as u64).min(iterations)
    }

    /// The timed calls of its slice, if an undivided one has `iterations`, and fewer calls come in
    /// multiples of `part`.
    pub fn timed(&self, iterations: u64, part: u64) -> u64 {
        (iterations / self.parts).max(1).next_multiple_of(part).min(iterations)
    }
}

/// A comparison in a fork.
pub struct ComparisonState {
    /// A slice has whole blocks of this many calls: 1 unless sizes are drawn.
    pub block: u64,
    /// A slice with fewer calls than others has a multiple of this number of calls: 1 unless calls
    /// differ in length. It may be less than a block.
    pub part: u64,
    /// The timed calls of a slice, before they are stretched.
    pub iterations: u64,
    /// How long a slice of the fastest cell lasts before it is stretched to whole blocks, in ns.
    slice_ns: f64,
    /// The index of the next call, which its cells share.
    pub next_call: u64,
    /// The rounds so far.
    pub rounds: u64,
    /// The rounds since the code of one of its cells was compiled again.
    pub tries: u64,
    /// By cell: the rounds of these in which it counts, and the baseline too.
    pub counted: HashMap<usize, u64>,
    /// The orders that are not used yet, as positions in the list of the cells that take part.
    orders: Vec<Vec<usize>>,
}

impl ComparisonState {
    fn begin(comparison: &Comparison) -> ComparisonState {
        ComparisonState {
            block: draws::block(&comparison.workload.contract.lengths),
            part: draws::part(&comparison.workload.contract),
            iterations: 0,
            slice_ns: SLICE_NS,
            next_call: 0,
            rounds: 0,
            tries: 0,
            counted: HashMap::new(),
            orders: vec![],
        }
    }
}

impl<'a> ForkState<'a> {
    /// The state of a fork before its processes start: one process for each contender and one for
    /// each control, or one for each cell if the suite isolates cells. Cells that have failed have
    /// no process, and neither have cells that are not `open`, if that is given.
    pub fn new(
        plan: &'a Plan,
        open: Option<&BTreeSet<usize>>,
        ledger: &Ledger<'_>,
    ) -> ForkState<'a> {
        let mut processes: Vec<HostedProcess> = Vec::new();
        let mut cells = BTreeMap::new();
        let shared = plan.options.isolation == Isolation::Contender;
        for (number, cell) in plan.cells.iter().enumerate() {
            if open.is_some_and(|open| !open.contains(&number)) {
                continue;
            }
            if ledger.has_failed(number) || !plan.contenders[cell.contender].is_ready() {
                continue;
            }
            let (contender, control) = (cell.contender, cell.control);
            let known = processes
                .iter()
                .position(|p| shared && p.contender == contender && p.control == control);
            let process = known.unwrap_or_else(|| {
                let compiler = CompilerState::default();
                let host = None;
                processes.push(HostedProcess { contender, control, host, compiler, recompiled: 0 });
                processes.len() - 1
            });
            let (sits_out, given_up, parts) = (false, false, 1);
            let is_managed = plan.contenders[contender].managed;
            let preroll_ns = if is_managed { PREROLL_IF_MANAGED_NS } else { PREROLL_NS };
            let ns_per_call = None;
            let state = CellState { process, sits_out, given_up, parts, ns_per_call, preroll_ns };
            cells.insert(number, state);
        }
        let comparisons = plan.comparisons.iter().map(ComparisonState::begin).collect();
        ForkState { plan, processes, cells, comparisons }
    }

    /// The processes that live.
    pub fn hosts(&mut self) -> impl Iterator<Item = &mut Box<dyn Host>> {
        self.processes.iter_mut().filter_map(|process| process.host.as_mut())
    }

    /// The cells of a process, ascending.
    pub fn cells_of(&self, process: usize) -> Vec<usize> {
        let hosted = self.cells.iter().filter(|(_, cell)| cell.process == process);
        hosted.map(|(&number, _)| number).collect()
    }

    /// The comparison of a cell.
    pub fn comparison_of(&mut self, cell: usize) -> &mut ComparisonState {
        &mut self.comparisons[self.plan.cells[cell].comparison]
    }

    /// Whether a cell takes part in the next rounds.
    pub fn takes_part(&self, cell: usize, ledger: &Ledger<'_>) -> bool {
        let hosted = self.cells.get(&cell).is_some_and(|cell| !cell.sits_out && !cell.given_up);
        hosted && !ledger.has_failed(cell)
    }

    /// The cells of a comparison that take part in the next rounds, ascending.
    pub fn participants(
        &self,
        comparison: usize,
        ledger: &Ledger<'_>,
    ) -> impl Iterator<Item = usize> {
        let cells = self.plan.comparisons[comparison].cells.iter().copied();
        cells.filter(move |&cell| self.takes_part(cell, ledger))
    }

    /// The cells that take part in the next round of a comparison, in their order.
    pub fn order(
        &mut self,
        comparison: usize,
        ledger: &Ledger<'_>,
        random: &mut Xoshiro256PlusPlus,
    ) -> Vec<usize> {
        let cells: Vec<usize> = self.participants(comparison, ledger).collect();
        let orders = &mut self.comparisons[comparison].orders;
        if orders.last().is_none_or(|order| order.len() != cells.len()) {
            *orders = williams(cells.len(), &mut || next(random));
        }
        match orders.pop() {
            Some(order) => order.into_iter().map(|position| cells[position]).collect(),
            None => cells,
        }
    }

    /// Whether this fork is not a sample of a comparison yet: a cell that takes part has counted in
    /// too few rounds. A cell that is disturbed too often is not waited for. If there is no time
    /// for `retries`, it gets twice the rounds that it would need if nothing disturbed them.
    pub fn lacks_rounds(&self, comparison: usize, retries: bool, ledger: &Ledger<'_>) -> bool {
        let ComparisonState { tries, counted, .. } = &self.comparisons[comparison];
        let most = if retries { MOST_TRIES } else { 0 };
        *tries < FEWEST_ROUNDS as u64
            || self.participants(comparison, ledger).any(|cell| {
                let fewest = self.plan.fewest_rounds(cell) as u64;
                let counted = counted.get(&cell).copied().unwrap_or_default();
                counted < fewest && *tries < most.max(2 * fewest)
            })
    }

    /// Counts a round for the cells that count in it. If the baseline takes part, it must count
    /// too.
    pub fn count(&mut self, comparison: usize, counted: &[(usize, f64)], ledger: &Ledger<'_>) {
        let baseline = self.plan.comparisons[comparison].baseline;
        let compared = baseline.is_some_and(|cell| self.takes_part(cell, ledger));
        let state = &mut self.comparisons[comparison];
        state.tries += 1;
        if !compared || counted.iter().any(|(cell, _)| Some(*cell) == baseline) {
            for (cell, _) in counted {
                *state.counted.entry(*cell).or_default() += 1;
            }
        }
    }

    /// Whether a cell has counted in enough rounds for this fork to be a sample of it.
    pub fn is_sampled(&self, cell: usize) -> bool {
        let comparison = self.plan.cells[cell].comparison;
        let fewest = self.plan.fewest_rounds(cell) as u64;
        self.comparisons[comparison].counted.get(&cell).is_some_and(|&n| n >= fewest)
    }

    /// Sets the length of slices. All cells of a comparison make one number of calls, enough for
    /// the fastest of them. A cell that takes at least twice as long makes a half, a quarter, an
    /// eighth (and so on) of them: its slice is still the longer one, but not by more than a factor
    /// of two. Otherwise a busy machine would disturb every slice of a slow cell.
    pub fn size_slices(&mut self, ledger: &Ledger<'_>) {
        let plan = self.plan;
        let resolution = plan.contenders.iter().map(|c| c.resolution_ns()).fold(1.0, f64::max);
        for number in 0..plan.comparisons.len() {
            let times: Vec<(usize, f64)> = self
                .participants(number, ledger)
                .filter_map(|cell| Some((cell, self.cells[&cell].ns_per_call?)))
                .collect();
            if times.is_empty() {
                continue;
            }
            let fastest = times.iter().map(|(_, ns)| *ns).fold(f64::INFINITY, f64::min);
            let iterations = cupel_stats::size::iterations(fastest, resolution, SLICE_NS);
            let state = &mut self.comparisons[number];
            state.slice_ns = fastest * iterations as f64;
            state.iterations = iterations.next_multiple_of(state.block);
            for &(cell, _) in &times {
                // A control and its baseline have slices of one size.
                let own = &plan.cells[cell];
                let copies = times.iter().filter(|(at, _)| plan.cells[*at].is_copy_of(own));
                let ns = copies.map(|(_, ns)| *ns).fold(f64::INFINITY, f64::min);
                if let Some(state) = self.cells.get_mut(&cell) {
                    state.parts = cupel_stats::size::parts(ns / fastest, iterations);
                }
            }
        }
    }

    /// A cell's code did not become steady. It leaves the rest of this fork.
    pub fn give_up(&mut self, cell: usize, reason: &str, ledger: &mut Ledger<'_>) -> Result<()> {
        ledger.unsteady(cell, reason)?;
        if let Some(state) = self.cells.get_mut(&cell) {
            state.given_up = true;
        }
        Ok(())
    }

    /// A process is lost. All its cells fail.
    pub fn lose(&mut self, process: usize, fault: &Fault, ledger: &mut Ledger<'_>) -> Result<()> {
        self.processes[process].host = None;
        for cell in self.cells_of(process) {
            ledger.fail(&CellFailure::lost(cell, fault))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Session, Unwatched, fixture};
    use super::*;
    use cupel_contender::Contender;
    use cupel_machine::Machine;
    use cupel_protocol::histogram::Histogram;
    use cupel_protocol::workload::{Contract, Lengths, Operation};
    use cupel_store::Store;
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    /// After how many rounds, all of them disturbed, a fork gives a comparison up.
    fn tries(retries: bool) -> u64 {
        let plan = fixture::plan(&["one", "two"], &[64]);
        let mut store = Store::in_memory().unwrap();
        let run = store.begin(&plan, "", &Machine::look(), "test").unwrap();
        let mut session = Session {
            plan: &plan,
            run,
            store: &mut store,
            stage: &fixture::Stopped,
            watch: &mut Unwatched,
            stop: &AtomicBool::new(false),
            cache: Path::new(""),
        };
        let ledger = Ledger::new(&mut session, None);
        let mut state = ForkState::new(&plan, None, &ledger);
        while state.lacks_rounds(0, retries, &ledger) {
            state.count(0, &[], &ledger);
        }
        state.comparisons[0].tries
    }

    /// The calls of each contender's slice, and the time in ms of each of its pieces, if a call
    /// takes these times in ns.
    fn slices(lengths: &Lengths, times: &[f64]) -> Vec<(Calls, f64)> {
        let names: Vec<String> = (0..times.len()).map(|n| format!("contender-{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        slices_of(&fixture::plan_of_lengths(&names, lengths), times)
    }

    /// The same of the contenders of a plan.
    fn slices_of(plan: &Plan, times: &[f64]) -> Vec<(Calls, f64)> {
        let mut store = Store::in_memory().unwrap();
        let run = store.begin(plan, "", &Machine::look(), "test").unwrap();
        let mut session = Session {
            plan,
            run,
            store: &mut store,
            stage: &fixture::Stopped,
            watch: &mut Unwatched,
            stop: &AtomicBool::new(false),
            cache: Path::new(""),
        };
        let ledger = Ledger::new(&mut session, None);
        let mut state = ForkState::new(plan, None, &ledger);
        for (cell, state) in &mut state.cells {
            state.ns_per_call = Some(times[plan.cells[*cell].contender]);
        }
        state.size_slices(&ledger);
        let comparison = &state.comparisons[0];
        let one = |cell: usize| {
            let calls = state.cells[&cell].calls(1000, comparison.iterations, comparison);
            let pieces = state.cells[&cell].pieces(calls.iterations, comparison);
            let ns = calls.iterations as f64 * times[plan.cells[cell].contender];
            (calls, ns / pieces as f64 / 1e6)
        };
        let controls = plan.cells.iter().position(|cell| cell.control).unwrap();
        assert_eq!(one(0), one(controls), "copies have slices of one length");
        (0..times.len()).map(one).collect()
    }

    fn drawn(sizes: &[(u64, u64)]) -> Lengths {
        Lengths::Drawn(Histogram::new(sizes.to_vec()).unwrap())
    }

    #[test]
    fn code_next_to_a_runtime_runs_for_a_millisecond_before_each_slice() {
        let of = |name, managed| Contender { managed, ..fixture::contender(name) };
        let contenders = vec![of("compiled", false), of("managed", true), of("long", true)];
        let plan = fixture::plan_of_contenders(contenders, &Lengths::Equal);
        let slices = slices_of(&plan, &[1000.0, 1000.0, 6e6]);
        let untimed: Vec<u64> = slices.iter().map(|(calls, _)| calls.preroll).collect();
        assert_eq!(untimed, [200, 1100, 0]);
    }

    /// Times of contenders of Python: 9.5 and 51 times as long as the fastest.
    const PYTHON: [f64; 4] = [577.0, 590.0, 5299.0, 28337.0];

    #[test]
    fn slices_last_about_as_long_whatever_a_call_takes() {
        let short = drawn(&[(32, 50), (64, 30), (200, 15)]);
        // One call in a thousand has most of the bytes.
        let skewed = drawn(&[(64, 999), (1 << 20, 1)]);
        for lengths in [Lengths::Equal, Lengths::Spread, short, skewed] {
            let slices = slices(&lengths, &PYTHON);
            let times: Vec<f64> = slices.iter().map(|(_, ms)| *ms).collect();
            assert!(times.iter().all(|ms| (0.5..2.0).contains(ms)), "{lengths:?}: {times:?}");
            // Within a factor of two, the number of calls is the same.
            assert_eq!(slices[0].0.iterations, slices[1].0.iterations);
        }
        // A call that is longer than a slice has one of its own.
        let long = slices(&Lengths::Equal, &[100.0, 3e6]);
        assert_eq!((long[1].0.iterations, long[1].1), (1, 3.0));
    }

    #[test]
    fn fewer_calls_of_a_mix_begin_where_a_part_of_it_does() {
        let lengths = drawn(&[(64, 30), (200, 15)]);
        let contract = Contract { lengths: lengths.clone(), ..Contract::usual(Operation::Digest) };
        let (block, part) = (draws::block(&lengths), draws::part(&contract));
        let slices_of = slices(&lengths, &PYTHON);
        for (calls, _) in &slices_of {
            let unit = if calls.iterations == slices_of[0].0.iterations { block } else { part };
            assert_eq!(calls.iterations % unit, 0, "{calls:?}");
            assert_eq!((calls.first + calls.preroll) % unit, 0, "{calls:?}");
            assert!(calls.first >= 1000 && calls.preroll < 400, "no more than needed: {calls:?}");
        }
        // Where one call in a thousand has most of the bytes, fewer calls are another mix.
        let skewed = slices(&drawn(&[(64, 999), (1 << 20, 1)]), &PYTHON);
        assert!(skewed.iter().all(|(calls, _)| calls.iterations == skewed[0].0.iterations));
    }

    #[test]
    fn disturbed_rounds_are_repeated_while_there_is_time() {
        assert_eq!(tries(true), MOST_TRIES);
        assert_eq!(tries(false), 2 * FEWEST_ROUNDS as u64, "and twice the fewest without");
    }
}
