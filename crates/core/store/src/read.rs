//! The records that the analysis reads back.

use super::garbage::{Allocating, Tally};
use super::import::TIMES;
use super::{
    Circumstances, CodePaths, Garbage, LeakTest, LeakTests, NOT_TESTED, Store, StoreError,
};
use cupel_machine::Machine;
use cupel_plan::{FailureKind, METHOD, NotRanked, Plan};
use rusqlite::types::Type;
use rusqlite::{Error, OptionalExtension, params};
use serde::de::DeserializeOwned;
use std::collections::HashMap;

/// The data of one run.
#[derive(Clone, Debug)]
pub struct RunRow {
    /// Its number.
    pub id: i64,
    /// The suite's name.
    pub suite: String,
    /// When it began, UTC.
    pub started: String,
    /// When it was finished, UTC.
    pub finished: Option<String>,
    /// The command line.
    pub command: String,
    /// Version of cupel.
    pub tool: String,
    /// The time spent measuring, in ns.
    pub measured_ns: u64,
    /// The part of it inside timed slices, in ns.
    pub sliced_ns: u64,
}

/// A run without its measurements: enough to see its coverage.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Its data.
    pub run: RunRow,
    /// Its plan.
    pub plan: Plan,
    /// Its machine.
    pub machine: Machine,
    /// The machine's fingerprint when it ran.
    pub fingerprint: String,
}

/// One complete run.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Its data.
    pub run: RunRow,
    /// Its plan.
    pub plan: Plan,
    /// Its machine.
    pub machine: Machine,
    /// Its findings about the machine while it measured.
    pub circumstances: Circumstances,
    /// For each contender: selected code paths, verified cases, its missing features.
    pub contenders: HashMap<usize, ContenderRow>,
    /// Why cells are not ranked, by their numbers.
    pub failures: HashMap<usize, NotRanked>,
    /// The forks in the order of their starts.
    pub forks: Vec<ForkRow>,
    /// The rounds in the order in which they were measured; none if they were not loaded.
    pub rounds: Vec<RoundRow>,
    /// The allocations and collections of the cells, if their runners can know; nothing without the
    /// rounds.
    pub garbage: Garbage,
    /// How cells warmed up.
    pub warm_ups: Vec<WarmUpRow>,
    /// The results of the contenders' leak tests: another store may have other tests.
    pub leak_tests: LeakTests,
}

/// The record of one run about a contender.
#[derive(Clone, Debug, Default)]
pub struct ContenderRow {
    /// The code paths that were selected.
    pub code_paths: CodePaths,
    /// The cases that verification checked.
    pub verified: u64,
    /// The features that it lacks.
    pub notes: String,
}

/// A fork.
#[derive(Clone, Debug)]
pub struct ForkRow {
    /// Its number in the store.
    pub id: i64,
    /// The number of the planned fork, from 0. A resumed run may have two forks of one number.
    pub ordinal: u32,
    /// Whether it ended as planned.
    pub finished: bool,
    /// When it began, UTC.
    pub started: String,
}

/// A round.
#[derive(Clone, Debug)]
pub struct RoundRow {
    /// Its fork's number in the store.
    pub fork: i64,
    /// The position of its comparison in the plan.
    pub comparison: usize,
    /// Its slices, by cell.
    pub slices: Vec<SliceRow>,
}

/// A slice.
#[derive(Clone, Debug)]
pub struct SliceRow {
    /// The cell's number. A small type, because there are millions.
    pub cell: u32,
    /// Its position in the order of the round, from 0.
    pub position: u16,
    /// The time in ns per call.
    pub ns_per_call: f64,
    /// Whether it counts.
    pub counts: bool,
}

/// The warm-up of a cell in a fork.
#[derive(Clone, Debug)]
pub struct WarmUpRow {
    /// The fork's number in the store.
    pub fork: i64,
    /// The cell's number.
    pub cell: usize,
    /// The cell's first call in a fresh process, in ns.
    pub first_call_ns: f64,
    /// Whether the warm-up settled.
    pub settled: bool,
    /// The time inside its slices, in ns.
    pub elapsed_ns: f64,
    /// The time in ns per call at its end.
    pub ns_per_call: f64,
    /// The level of its loop's code at its end, if the runner reported it.
    pub level: Option<u32>,
    /// The work of the compiler of its process by then, in events, if the runner reported it.
    pub events: Option<u64>,
    /// How often its code was compiled again in rounds.
    pub recompiled: u32,
    /// Why no round of it in this fork counts, if none does.
    pub unsteady: Option<String>,
}

impl Recorded {
    /// The first part that its plan does not have, if there is one. The rounds are checked as they are
    /// read.
    fn misfit(&self) -> Option<String> {
        let cells = self.warm_ups.iter().map(|one| one.cell).chain(self.failures.keys().copied());
        let beyond = |all: usize| move |position: &usize| *position >= all;
        let cell = cells.into_iter().find(beyond(self.plan.cells.len()));
        let contender = self.contenders.keys().copied().find(beyond(self.plan.contenders.len()));
        let of_cell = cell.map(|cell| format!("cell {cell} is not in the plan"));
        of_cell.or_else(|| contender.map(|one| format!("contender {one} is not in the plan")))
    }

    /// The leak test that counts for a cell; `None` if it was not tested.
    pub fn leak_test(&self, cell: usize) -> Option<&LeakTest> {
        if self.leak_tests.is_empty() {
            return None;
        }
        self.leak_tests.counting(&self.plan.code_of(cell), self.plan.workload_of(cell))
    }

    /// The results of tests for leaks of a cell, in words.
    pub fn leaks(&self, cell: usize) -> &'static str {
        self.leak_test(cell).map_or(NOT_TESTED, |test| test.verdict.words())
    }
}

/// The order of runs, everywhere: the run that began last is the newest, on whichever machine it
/// began. So an imported run that is older than a run of this machine does not come before it. If
/// two runs began in the same second, the one that was stored last is the newer.
const NEWEST_FIRST: &str = "started desc, id desc";

impl Store {
    /// All runs, newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn runs(&self) -> Result<Vec<RunRow>, StoreError> {
        let sql = format!(
            "select id, suite, started, finished, command, tool, measured_ns, sliced_ns
             from run order by {NEWEST_FIRST}"
        );
        self.readable("run", &sql, [], run_row)
    }

    /// The plans of all runs, or of one run, newest first.
    ///
    /// # Errors
    /// If the store cannot be read, or does not have that run.
    pub fn plans(&self, run: Option<i64>) -> Result<Vec<Planned>, StoreError> {
        let sql = format!(
            "select id, suite, started, finished, command, tool, measured_ns, sliced_ns,
                    plan, machine, fingerprint
             from run where ?1 is null or id = ?1 order by {NEWEST_FIRST}"
        );
        if let Some(id) = run {
            let rows = self.all(&sql, [id], with_texts)?;
            let row = rows.into_iter().next().ok_or_else(|| no_run(id))?;
            return Ok(vec![self.planned(row)?]);
        }
        let mut all = Vec::new();
        for row in self.readable("run", &sql, params![run], with_texts)? {
            let id = row.0.id;
            match self.planned(row) {
                Ok(planned) => all.push(planned),
                Err(StoreError::Damaged { what, .. }) => {
                    self.leave_out(&format!("run {id}"), &what);
                }
                Err(other) => return Err(other),
            }
        }
        Ok(all)
    }

    fn planned(&self, row: (RunRow, [String; 3])) -> Result<Planned, StoreError> {
        let (run, [plan, machine, fingerprint]) = row;
        let plan = self.parsed(&format!("plan of run {}", run.id), &plan)?;
        let machine = self.parsed(&format!("machine of run {}", run.id), &machine)?;
        Ok(Planned { run, plan, machine, fingerprint })
    }

    /// A value that is stored as JSON.
    fn parsed<T: DeserializeOwned>(&self, what: &str, text: &str) -> Result<T, StoreError> {
        serde_json::from_str(text).map_err(|e| self.damaged(format!("{what}: {e}")))
    }

    /// The newest unfinished run of a suite.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn unfinished(&self, suite: &str) -> Result<Option<i64>, StoreError> {
        let sql = format!(
            "select id from run where finished is null and suite = ? order by {NEWEST_FIRST} limit 1"
        );
        self.db
            .query_row(&sql, params![suite], |row| row.get(0))
            .optional()
            .map_err(|e| self.wrap(e))
    }

    /// Loads one complete run, by default the newest.
    ///
    /// # Errors
    /// If there is none, or the store cannot be read.
    pub fn load(&self, run: Option<i64>) -> Result<Recorded, StoreError> {
        let mut recorded = self.outline(run)?;
        self.read_rounds(&mut recorded)?;
        Ok(recorded)
    }

    /// The newest run of a suite on a machine, by its fingerprint, without its rounds.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn newest(&self, suite: &str, fingerprint: &str) -> Result<Option<Recorded>, StoreError> {
        let sql = format!(
            "select id from run where suite = ? and fingerprint = ? order by {NEWEST_FIRST} limit 1"
        );
        let found = self.db.query_row(&sql, params![suite, fingerprint], |row| row.get(0));
        let run: Option<i64> = found.optional().map_err(|e| self.wrap(e))?;
        run.map(|run| self.outline(Some(run))).transpose()
    }

    /// Loads one run without its rounds, which may be many.
    pub(super) fn outline(&self, run: Option<i64>) -> Result<Recorded, StoreError> {
        let sql = format!(
            "select id, suite, started, finished, command, tool, measured_ns, sliced_ns,
                    plan, machine, circumstances
             from run where id = coalesce(?, (select id from run order by {NEWEST_FIRST} limit 1))"
        );
        let found = self
            .db
            .query_row(&sql, params![run], with_texts)
            .optional()
            .map_err(|e| self.wrap(e))?;
        let Some((row, [plan, machine, circumstances])) = found else {
            return Err(match run {
                Some(id) => no_run(id),
                None => StoreError::NoRun(
                    "there are no runs yet; start one with `cupel run`".to_string(),
                ),
            });
        };
        let id = row.id;
        let plan: Plan = self.parsed(&format!("plan of run {id}"), &plan)?;
        if plan.method > METHOD {
            let path = self.path.clone();
            return Err(StoreError::LaterMethod {
                path,
                run: id,
                found: plan.method,
                known: METHOD,
            });
        }
        let machine: Machine = self.parsed(&format!("machine of run {id}"), &machine)?;
        let circumstances = self.parsed(&format!("circumstances of run {id}"), &circumstances)?;
        let leak_tests = self.leak_tests(&plan, &machine.fingerprint())?;
        let recorded = self.parts(id, row, plan, machine, circumstances);
        let recorded = recorded.map_err(|e| self.wrap(e))?;
        if let Some(what) = recorded.misfit() {
            return Err(self.damaged(format!("run {id}: {what}")));
        }
        Ok(Recorded { leak_tests, ..recorded })
    }

    fn parts(
        &self,
        id: i64,
        run: RunRow,
        plan: Plan,
        machine: Machine,
        circumstances: Circumstances,
    ) -> Result<Recorded, rusqlite::Error> {
        let contenders = self
            .db
            .prepare("select position, code_path, verified, notes from contender where run = ?")?
            .query_map([id], |row| {
                let found = ContenderRow {
                    code_paths: row.get(1)?,
                    verified: row.get::<_, i64>(2)? as u64,
                    notes: row.get(3)?,
                };
                Ok((row.get::<_, i64>(0)? as usize, found))
            })?
            .collect::<Result<_, _>>()?;
        let failures = self
            .db
            .prepare("select cell, kind, reason from cell_failure where run = ?")?
            .query_map([id], |row| {
                let kind = FailureKind::named(row.get_ref(1)?.as_str()?)
                    .ok_or(rusqlite::types::FromSqlError::InvalidType)?;
                Ok((row.get::<_, i64>(0)? as usize, NotRanked { kind, reason: row.get(2)? }))
            })?
            .collect::<Result<_, _>>()?;
        let forks = self
            .db
            .prepare("select id, ordinal, finished, started from fork where run = ? order by id")?
            .query_map([id], |row| {
                Ok(ForkRow {
                    id: row.get(0)?,
                    ordinal: row.get(1)?,
                    finished: row.get(2)?,
                    started: row.get(3)?,
                })
            })?
            .collect::<Result<Vec<_>, _>>()?;
        let warm_ups = self
            .db
            .prepare(
                "select fork, cell, first_call_ns, settled, elapsed_ns, ns_per_call, level, events,
                        recompiled, unsteady
                 from warm_up where fork in (select id from fork where run = ?)",
            )?
            .query_map([id], |row| {
                Ok(WarmUpRow {
                    fork: row.get(0)?,
                    cell: row.get::<_, i64>(1)? as usize,
                    first_call_ns: row.get(2)?,
                    settled: row.get(3)?,
                    elapsed_ns: row.get(4)?,
                    ns_per_call: row.get(5)?,
                    level: row.get(6)?,
                    events: row.get::<_, Option<i64>>(7)?.map(|n| n as u64),
                    recompiled: row.get(8)?,
                    unsteady: row.get(9)?,
                })
            })?
            .collect::<Result<_, _>>()?;
        let rounds = Vec::new();
        let garbage = Garbage::default();
        Ok(Recorded {
            run,
            plan,
            machine,
            circumstances,
            contenders,
            failures,
            forks,
            rounds,
            garbage,
            warm_ups,
            leak_tests: LeakTests::default(),
        })
    }

    /// Reads the rounds of a run that was loaded without them.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn read_rounds(&self, recorded: &mut Recorded) -> Result<(), StoreError> {
        (recorded.rounds, recorded.garbage) =
            self.rounds(&recorded.forks, &recorded.plan).map_err(|e| self.wrap(e))?;
        Ok(())
    }

    /// The text of a run's suite, as it was when the run began.
    ///
    /// # Errors
    /// If the store cannot be read, or does not have the run.
    pub fn suite_text(&self, run: i64) -> Result<String, StoreError> {
        self.db
            .query_row("select suite_text from run where id = ?", [run], |row| row.get(0))
            .optional()
            .map_err(|e| self.wrap(e))?
            .ok_or_else(|| no_run(run))
    }

    /// The rounds, and the allocations and collections of the cells in them.
    fn rounds(
        &self,
        forks: &[ForkRow],
        plan: &Plan,
    ) -> Result<(Vec<RoundRow>, Garbage), rusqlite::Error> {
        let cells: Vec<usize> = plan.comparisons.iter().map(|c| c.cells.len()).collect();
        let mut all = Vec::new();
        let mut tally = Tally::default();
        let mut of_fork =
            self.db.prepare("select id, comparison from round where fork = ? order by id")?;
        // In the order of the file. Rounds of other runs between them are skipped.
        let mut in_range = self.db.prepare(
            "select round, cell, elapsed_ns / iterations, disturbed is null, allocated_per_call,
                 iterations, gc_ns, position, wait_ns
             from slice
             where round between ? and ? order by round, cell",
        )?;
        for fork in forks {
            let rounds: Vec<(i64, usize)> = of_fork
                .query_map([fork.id], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as usize)))?
                .collect::<Result<_, _>>()?;
            let (Some(first), Some(last)) = (rounds.first(), rounds.last()) else { continue };
            let mut rows = in_range.query([first.0, last.0])?;
            let mut expected = rounds.iter().peekable();
            let mut current = None;
            while let Some(row) = rows.next()? {
                let id: i64 = row.get(0)?;
                if current != Some(id) {
                    while expected.next_if(|round| round.0 < id).is_some() {}
                    let Some(&&(_, comparison)) = expected.peek().filter(|round| round.0 == id)
                    else {
                        continue;
                    };
                    current = Some(id);
                    let room = cells.get(comparison).copied().unwrap_or_default();
                    let slices = Vec::with_capacity(room);
                    all.push(RoundRow { fork: fork.id, comparison, slices });
                }
                let slice = SliceRow {
                    cell: row.get(1)?,
                    position: row.get(7)?,
                    ns_per_call: row.get(2)?,
                    counts: row.get(3)?,
                };
                let round = all.last().expect("a round was just pushed");
                if !is_possible(&slice, round.comparison, plan) {
                    let what = format!("a slice of cell {} is impossible", slice.cell);
                    let what = what.into();
                    return Err(Error::FromSqlConversionFailure(1, Type::Integer, what));
                }
                if let Some(bytes) = row.get(4)? {
                    let cell = slice.cell as usize;
                    let allocating = Allocating {
                        calls: row.get(5)?,
                        ns_per_call: slice.ns_per_call,
                        counts: slice.counts,
                        bytes_per_call: bytes,
                        gc_ns: row.get::<_, Option<f64>>(6)?.unwrap_or_default(),
                        wait_ns: row.get::<_, Option<f64>>(8)?.unwrap_or_default(),
                        threads: plan.workload_of(cell).contract.threads,
                    };
                    tally.add(cell, allocating);
                }
                all.last_mut().expect("a round was just pushed").slices.push(slice);
            }
            tally.end_fork(fork.id);
        }
        Ok((all, tally.garbage()))
    }
}

/// Whether a slice may be one of this comparison.
fn is_possible(slice: &SliceRow, comparison: usize, plan: &Plan) -> bool {
    let cell = plan.cells.get(slice.cell as usize);
    cell.is_some_and(|cell| cell.comparison == comparison)
        && (0.0..TIMES.end).contains(&slice.ns_per_call)
}

fn no_run(id: i64) -> StoreError {
    StoreError::NoRun(format!("there is no run {id}; `cupel list runs` lists the runs"))
}

/// A run, and the three texts after it.
fn with_texts(row: &rusqlite::Row<'_>) -> Result<(RunRow, [String; 3]), rusqlite::Error> {
    Ok((run_row(row)?, [row.get(8)?, row.get(9)?, row.get(10)?]))
}

fn run_row(row: &rusqlite::Row<'_>) -> Result<RunRow, rusqlite::Error> {
    Ok(RunRow {
        id: row.get(0)?,
        suite: row.get(1)?,
        started: row.get(2)?,
        finished: row.get(3)?,
        command: row.get(4)?,
        tool: row.get(5)?,
        measured_ns: row.get::<_, i64>(6)? as u64,
        sliced_ns: row.get::<_, i64>(7)? as u64,
    })
}
