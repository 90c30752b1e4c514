//! The ledger of a run: it lists the failed cells, writes to the store and calls the watch. Nothing
//! else in the measuring core has that list, writes to the store or calls the watch.

use super::audit::company::Watcher;
use super::failure::{CellFailure, Reach};
use super::{Estimate, Session, Watch};
use anyhow::Result;
use cupel_plan::{FailureKind, Plan};
use cupel_runner::Host;
use cupel_store::{Circumstances, Recorded, RoundRecord, Store, WarmUpRecord};
use std::collections::BTreeSet;
use std::time::Duration;

/// The ledger of a run.
pub struct Ledger<'a> {
    plan: &'a Plan,
    /// The run's number in the store.
    run: i64,
    /// The number in the store of the fork that began last.
    fork: i64,
    store: &'a mut Store,
    watch: &'a mut dyn Watch,
    /// By cell: whether it has failed.
    failed: Vec<bool>,
    /// The facts about the machine.
    circumstances: Circumstances,
    /// Looks at other programs on it; none if it is simulated.
    watcher: Option<Watcher>,
}

impl<'a> Ledger<'a> {
    /// The ledger of a session's run. The cells that failed `before` stay failed.
    pub fn new(session: &'a mut Session<'_>, before: Option<&Recorded>) -> Ledger<'a> {
        let mut failed = vec![false; session.plan.cells.len()];
        for &cell in before.iter().flat_map(|before| before.failures.keys()) {
            if let Some(failed) = failed.get_mut(cell) {
                *failed = true;
            }
        }
        Ledger {
            plan: session.plan,
            run: session.run,
            fork: 0,
            store: &mut *session.store,
            watch: &mut *session.watch,
            failed,
            watcher: session.stage.has_company().then(Watcher::new),
            circumstances: before.map(|before| before.circumstances.clone()).unwrap_or_default(),
        }
    }

    /// Looks at other programs on the machine, and at the files that these processes run.
    pub fn look_around<'h>(
        &mut self,
        hosts: impl Iterator<Item = &'h mut Box<dyn Host>>,
    ) -> Result<()> {
        let Some(watcher) = &mut self.watcher else { return Ok(()) };
        watcher.look(hosts, &mut self.circumstances.company);
        Ok(self.store.circumstances(self.run, &self.circumstances)?)
    }

    /// Records that a fork does not begin, because the time until the answer would be over.
    pub fn time_is_over(&mut self) -> Result<()> {
        self.circumstances.time_over = true;
        Ok(self.store.circumstances(self.run, &self.circumstances)?)
    }

    /// The cells whose times could not be compared with the tool's own clock so far.
    pub fn not_audited(&self) -> BTreeSet<usize> {
        self.circumstances.not_audited.keys().copied().collect()
    }

    /// Records that the times of a cell were compared with the tool's own clock, or why that showed
    /// nothing.
    pub fn audited(&mut self, cell: usize, why_not: Option<String>) -> Result<()> {
        let known = &mut self.circumstances.not_audited;
        let before = match &why_not {
            Some(reason) => known.insert(cell, reason.clone()),
            None => known.remove(&cell),
        };
        if before == why_not {
            return Ok(());
        }
        Ok(self.store.circumstances(self.run, &self.circumstances)?)
    }

    /// Whether a cell has failed.
    pub fn has_failed(&self, cell: usize) -> bool {
        self.failed[cell]
    }

    /// A fork begins, with this many bytes of padding in the environment of its processes. All
    /// later records belong to it.
    pub fn begin_fork(&mut self, ordinal: u32, padding: usize) -> Result<()> {
        self.watch.fork(ordinal, self.plan.options.forks);
        self.fork = self.store.begin_fork(self.run, ordinal, padding)?;
        Ok(())
    }

    /// The warm-up of a cell begins: `done` of `all` cells began before.
    pub fn warming(&mut self, done: usize, all: usize, cell: usize) {
        self.watch.warming(done, all, &self.plan.contender_of(cell).name);
    }

    /// Records the code path that a runner named for a cell.
    pub fn code_path(&mut self, cell: usize, code_path: &str) -> Result<()> {
        let work = self.plan.workload_of(cell).name();
        let contender = self.plan.cells[cell].contender;
        Ok(self.store.code_path(self.run, contender, &work, code_path)?)
    }

    /// Records the warm-up of a cell.
    pub fn warmed_up(&mut self, record: &WarmUpRecord) -> Result<()> {
        Ok(self.store.warmed(self.fork, record)?)
    }

    /// Records that a cell's code did not become steady in this fork, and why.
    pub fn unsteady(&mut self, cell: usize, reason: &str) -> Result<()> {
        Ok(self.store.unsteady(self.fork, cell, reason)?)
    }

    /// Records that a cell's code was compiled again in the rounds of this fork.
    pub fn compiled_anew(&mut self, cell: usize) -> Result<()> {
        Ok(self.store.compiled_again(self.fork, cell)?)
    }

    /// Records the compilation level of a cell's loop after its code was compiled again.
    pub fn level(&mut self, cell: usize, level: Option<u32>) -> Result<()> {
        Ok(self.store.level(self.fork, cell, level)?)
    }

    /// Records a round.
    pub fn round(&mut self, record: &RoundRecord) -> Result<()> {
        Ok(self.store.round(self.run, self.fork, record)?)
    }

    /// Says how far the fork is: `used` is the part of its share that is spent, 0 to 1, and `left`
    /// the rest.
    pub fn advance(
        &mut self,
        comparison: usize,
        estimate: Option<Estimate>,
        used: f64,
        left: Duration,
    ) {
        self.watch.round(self.plan, comparison, estimate, used, left);
    }

    /// Records that a cell failed, and all cells of its contender that the failure reaches. The
    /// first failure of a cell counts; the other cells go on.
    pub fn fail(&mut self, failure: &CellFailure) -> Result<()> {
        let CellFailure { cell, kind, ref reason, reach } = *failure;
        self.fail_cell(cell, kind, reason)?;
        let reached = match reach {
            Reach::Cell => vec![],
            Reach::Work => siblings(self.plan, cell),
            Reach::Answer => self.plan.wrong_answer(cell).cells(self.plan),
        };
        let work = self.plan.workload_of(cell);
        for other in reached {
            let same_work = self.plan.workload_of(other).same_work(work);
            let counts = if same_work { "" } else { "; no figure of it counts" };
            self.fail_cell(other, kind, &format!("{reason}{counts}"))?;
        }
        Ok(())
    }

    fn fail_cell(&mut self, cell: usize, kind: FailureKind, reason: &str) -> Result<()> {
        if std::mem::replace(&mut self.failed[cell], true) {
            return Ok(());
        }
        self.store.cell_failed(self.run, cell, kind, reason)?;
        self.watch.failed(&self.plan.contender_of(cell).name, kind, reason);
        Ok(())
    }

    /// Records that the fork ended as planned.
    pub fn finish_fork(&mut self) -> Result<()> {
        Ok(self.store.finish_fork(self.fork)?)
    }

    /// Records that the run ended as planned.
    pub fn finish_run(&mut self) -> Result<()> {
        Ok(self.store.finish(self.run)?)
    }
}

/// The cells of a cell's contender that differ from it in size at most, the cell itself first.
fn siblings(plan: &Plan, cell: usize) -> Vec<usize> {
    let mut siblings = vec![cell];
    siblings.extend((0..plan.cells.len()).filter(|&other| {
        other != cell
            && plan.cells[other].contender == plan.cells[cell].contender
            && plan.workload_of(other).same_work(plan.workload_of(cell))
    }));
    siblings
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use cupel_machine::Machine;
    use cupel_plan::NotRanked;
    use std::collections::HashMap;
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    /// A failure that a watch heard of: contender, kind, reason.
    type Reported = [String; 3];

    /// The stored reason for each cell that is not ranked.
    type Stored = HashMap<usize, NotRanked>;

    #[derive(Default)]
    struct Log(Vec<Reported>);

    impl Watch for Log {
        fn failed(&mut self, contender: &str, kind: FailureKind, reason: &str) {
            self.0.push([contender, kind.name(), reason].map(String::from));
        }
    }

    /// Records these failures in the ledger of a new run. Returns the reports to the watch, and the
    /// stored failures.
    fn failures(plan: &Plan, failures: &[CellFailure]) -> (Vec<Reported>, Stored) {
        let mut store = Store::in_memory().unwrap();
        let run = store.begin(plan, "", &Machine::look(), "test").unwrap();
        let mut log = Log::default();
        let mut session = Session {
            plan,
            run,
            store: &mut store,
            stage: &fixture::Stopped,
            watch: &mut log,
            stop: &AtomicBool::new(false),
            cache: Path::new(""),
        };
        let mut ledger = Ledger::new(&mut session, None);
        for failure in failures {
            ledger.fail(failure).unwrap();
            assert!(ledger.has_failed(failure.cell));
        }
        (log.0, store.load(Some(run)).unwrap().failures)
    }

    #[test]
    fn a_cell_that_fails_twice_is_stored_once_and_reported_once() {
        let plan = fixture::plan(&["a", "b"], &[64]);
        let first = CellFailure::failed(1, "the first reason");
        let second = CellFailure::lie(plan.workload_of(1), 1, "the second reason");
        let (reported, stored) = failures(&plan, &[first, second]);
        assert_eq!(reported, [["b", "failed", "the first reason"].map(String::from)]);
        let reason = "the first reason".to_string();
        let kept = NotRanked { kind: FailureKind::Failed, reason };
        assert_eq!(stored, HashMap::from([(1, kept)]));
    }

    #[test]
    fn a_lie_fails_the_contender_at_every_size_and_its_control() {
        // Cells: a at 64, b at 64, a at 4096, b at 4096, then the two controls of a.
        let plan = fixture::plan(&["a", "b"], &[64, 4096]);
        let (reported, stored) =
            failures(&plan, &[CellFailure::lie(plan.workload_of(2), 2, "lies")]);
        let mut failed: Vec<usize> = stored.keys().copied().collect();
        failed.sort_unstable();
        assert_eq!(failed, [0, 2, 4, 5]);
        assert!(stored.values().all(|why| why.reason == "empty digest at 4 KiB: lies"));
        assert_eq!(reported.len(), 4, "{reported:?}");
    }

    #[test]
    fn cells_that_failed_before_a_run_was_resumed_are_not_reported_again() {
        let plan = fixture::plan(&["a", "b"], &[64]);
        let mut store = Store::in_memory().unwrap();
        let run = store.begin(&plan, "", &Machine::look(), "test").unwrap();
        store.cell_failed(run, 1, FailureKind::Missing, "not installed").unwrap();
        let before = store.load(Some(run)).unwrap();
        let mut log = Log::default();
        let mut session = Session {
            plan: &plan,
            run,
            store: &mut store,
            stage: &fixture::Stopped,
            watch: &mut log,
            stop: &AtomicBool::new(false),
            cache: Path::new(""),
        };
        let mut ledger = Ledger::new(&mut session, Some(&before));
        assert!(ledger.has_failed(1) && !ledger.has_failed(0));
        ledger.fail(&CellFailure::failed(1, "again")).unwrap();
        assert!(log.0.is_empty(), "{:?}", log.0);
    }

    #[test]
    fn a_finished_run_gets_no_more_forks() {
        let store = Store::in_memory().unwrap();
        let plan = fixture::plan(&["a"], &[64]);
        let run = store.begin(&plan, "", &Machine::look(), "test").unwrap();
        store.begin_fork(run, 0, 0).unwrap();
        store.finish(run).unwrap();
        let refused = store.begin_fork(run, 1, 0).unwrap_err().to_string();
        assert!(refused.contains("is finished and cannot go on"), "{refused}");
        assert_eq!(store.load(Some(run)).unwrap().forks.len(), 1);
    }
}
