//! The records that a run writes while it is measured.

use super::{CodePaths, Store, StoreError, now, wrap};
use cupel_machine::Machine;
use cupel_plan::{FailureKind, Plan};
use cupel_protocol::noise::Noise;
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};

/// The warm-up of one cell in one fork.
#[derive(Clone, Debug)]
pub struct WarmUpRecord {
    /// The cell's number.
    pub cell: usize,
    /// The cell's first call in a fresh process, in ns.
    pub first_call_ns: f64,
    /// The slices until it settled or was given up.
    pub slices: u64,
    /// The time inside them, in ns.
    pub elapsed_ns: f64,
    /// Whether it settled.
    pub settled: bool,
    /// The time in ns per call at the end.
    pub ns_per_call: f64,
    /// The distance of its buffers from a cache line, in bytes.
    pub offset: u32,
    /// The level of its loop's code, if the runner reports it.
    pub level: Option<u32>,
    /// The work of the compiler of its process by then, in events.
    pub events: u64,
}

/// One round of a comparison.
#[derive(Clone, Debug)]
pub struct RoundRecord {
    /// The position of the comparison in the plan.
    pub comparison: usize,
    /// Its number in the fork and comparison, from 0.
    pub ordinal: u64,
    /// The time that the hypervisor stole during the round, in ns.
    pub stolen_ns: Option<u64>,
    /// The start of the round, in ns since the fork began.
    pub started_ns: u64,
    /// The time of the run's clock that it took, from the end of the round before, in ns.
    pub spent_ns: u64,
    /// The slices in the order in which they ran.
    pub slices: Vec<SliceRecord>,
}

/// One slice.
#[derive(Clone, Debug)]
pub struct SliceRecord {
    /// The cell's number.
    pub cell: usize,
    /// The number of timed calls.
    pub iterations: u64,
    /// The time of all its calls together, in ns.
    pub elapsed_ns: f64,
    /// The system's report about disturbances.
    pub noise: Noise,
    /// Bytes allocated per call, if the runner can know.
    pub allocated_per_call: Option<f64>,
    /// Why it does not count, if it does not.
    pub disturbed: Option<String>,
}

impl SliceRecord {
    /// The time in ns per call.
    pub fn ns_per_call(&self) -> f64 {
        self.elapsed_ns / self.iterations as f64
    }
}

impl Store {
    /// Runs `write` in one transaction: everything that it writes is stored, or nothing.
    ///
    /// # Errors
    /// The errors of `write`, or if the store cannot be written.
    pub fn at_once<T>(
        &mut self,
        write: impl FnOnce(&Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        // The borrow guarantees that no other transaction is open. Dropping it uncommitted rolls it
        // back.
        let whole = Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate)
            .map_err(|e| self.wrap(e))?;
        let done = write(self)?;
        whole.commit().map_err(|e| self.wrap(e))?;
        Ok(done)
    }

    /// Begins a run. Returns its number.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(
        &self,
        plan: &Plan,
        suite_text: &str,
        machine: &Machine,
        command: &str,
    ) -> Result<i64, StoreError> {
        let plan_text = serde_json::to_string(plan).map_err(|e| self.damaged(e.to_string()))?;
        let machine_text =
            serde_json::to_string(machine).map_err(|e| self.damaged(e.to_string()))?;
        self.db
            .execute(
                "insert into run (suite, suite_text, plan, machine, fingerprint, tool, command, started)
                 values (?, ?, ?, ?, ?, ?, ?, ?)",
                params![
                    plan.suite,
                    suite_text,
                    plan_text,
                    machine_text,
                    machine.fingerprint(),
                    env!("CARGO_PKG_VERSION"),
                    command,
                    now()
                ],
            )
            .map_err(|e| self.wrap(e))?;
        Ok(self.db.last_insert_rowid())
    }

    /// Records the verification of a contender.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn verified(
        &self,
        run: i64,
        position: usize,
        cases: usize,
        notes: &str,
        failure: Option<&str>,
    ) -> Result<(), StoreError> {
        self.change(
            "insert into contender (run, position, verified, notes, failure) values (?, ?, ?, ?, ?)
                 on conflict do update set verified = verified + excluded.verified,
                     notes = case when instr(notes, excluded.notes) then notes
                         else trim(notes || '; ' || excluded.notes, '; ') end,
                     failure = coalesce(failure, excluded.failure)",
            params![run, position as i64, cases as i64, notes, failure],
        )
    }

    /// Records the code path that a contender selected for a primitive and operation: a library may
    /// select a different one for each.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn code_path(
        &self,
        run: i64,
        position: usize,
        work: &str,
        code_path: &str,
    ) -> Result<(), StoreError> {
        let known: Option<CodePaths> = self
            .db
            .query_row(
                "select code_path from contender where run = ? and position = ?",
                params![run, position as i64],
                |row| row.get(0),
            )
            .optional()
            .map_err(|e| self.wrap(e))?;
        let mut paths = known.unwrap_or_default();
        if !paths.add(work, code_path) {
            return Ok(());
        }
        self.change(
            "insert into contender (run, position, code_path) values (?, ?, ?)
                 on conflict do update set code_path = excluded.code_path",
            params![run, position as i64, paths.text()],
        )
    }

    /// Records that a cell is not ranked. The first reason is kept.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn cell_failed(
        &self,
        run: i64,
        cell: usize,
        kind: FailureKind,
        reason: &str,
    ) -> Result<(), StoreError> {
        self.change(
            "insert into cell_failure (run, cell, kind, reason) values (?, ?, ?, ?)
                 on conflict do nothing",
            params![run, cell as i64, kind.name(), reason],
        )
    }

    /// Begins a fork. Returns its number.
    ///
    /// # Errors
    /// If it cannot be written, or if the run is finished: such a run never changes.
    pub fn begin_fork(&self, run: i64, ordinal: u32, padding: usize) -> Result<i64, StoreError> {
        self.is_there()?;
        let begun = self
            .db
            .execute(
                "insert into fork (run, ordinal, padding, started)
                 select id, ?2, ?3, ?4 from run
                 where id = ?1 and finished is null",
                params![run, ordinal, padding as i64, now()],
            )
            .map_err(|e| self.wrap(e))?;
        if begun == 0 {
            return Err(StoreError::NoRun(format!(
                "run {run} is finished and cannot go on; leave out --resume to measure again"
            )));
        }
        Ok(self.db.last_insert_rowid())
    }

    /// Records the warm-up of a cell.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn warmed(&self, fork: i64, record: &WarmUpRecord) -> Result<(), StoreError> {
        self.change(
            "insert into warm_up (fork, cell, first_call_ns, slices, elapsed_ns, settled,
                     ns_per_call, offset_bytes, level, events)
                 values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                fork,
                record.cell as i64,
                record.first_call_ns,
                record.slices as i64,
                record.elapsed_ns,
                record.settled,
                record.ns_per_call,
                record.offset,
                record.level,
                record.events as i64
            ],
        )
    }

    /// Records that a cell's code was compiled again in a fork's rounds. Its earlier slices there
    /// measured other code, and do not count.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn compiled_again(&mut self, fork: i64, cell: usize) -> Result<(), StoreError> {
        self.at_once(|store| {
            store.void(fork, cell, "before its code was compiled again")?;
            store.change(
                "update warm_up set recompiled = recompiled + 1 where fork = ? and cell = ?",
                params![fork, cell as i64],
            )
        })
    }

    /// Records the level of the loop that makes a cell's calls in a fork, after the loop was
    /// compiled again. If the runner does not report it, the earlier level stays.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn level(&self, fork: i64, cell: usize, level: Option<u32>) -> Result<(), StoreError> {
        let Some(level) = level else { return Ok(()) };
        self.change(
            "update warm_up set level = ? where fork = ? and cell = ?",
            params![level, fork, cell as i64],
        )
    }

    /// Records that a cell's code did not settle in a fork, and how that was detected. None of its
    /// rounds there counts.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn unsteady(&mut self, fork: i64, cell: usize, reason: &str) -> Result<(), StoreError> {
        self.at_once(|store| {
            store.void(fork, cell, reason)?;
            store.change(
                "update warm_up set unsteady = ? where fork = ? and cell = ?",
                params![reason, fork, cell as i64],
            )
        })
    }

    /// Marks the slices of a cell in a fork as not counting.
    fn void(&self, fork: i64, cell: usize, reason: &str) -> Result<(), StoreError> {
        self.db
            .prepare_cached(
                "update slice set disturbed = ? where cell = ? and disturbed is null
                     and round in (select id from round where fork = ?)",
            )
            .and_then(|mut update| update.execute(params![reason, cell as i64, fork]))
            .map(drop)
            .map_err(|e| self.wrap(e))
    }

    /// Writes a round completely, or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn round(&mut self, run: i64, fork: i64, record: &RoundRecord) -> Result<(), StoreError> {
        let transaction = self.db.transaction().map_err(wrap(&self.path))?;
        {
            let mut insert = transaction
                .prepare_cached(
                    "insert into round (fork, comparison, ordinal, stolen_ns, started_ns)
                     values (?, ?, ?, ?, ?)",
                )
                .map_err(wrap(&self.path))?;
            let round = insert
                .insert(params![
                    fork,
                    record.comparison as i64,
                    record.ordinal as i64,
                    record.stolen_ns.map(|ns| ns as i64),
                    record.started_ns as i64
                ])
                .map_err(wrap(&self.path))?;
            let mut insert = transaction
                .prepare_cached("insert into slice values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .map_err(wrap(&self.path))?;
            for (position, slice) in record.slices.iter().enumerate() {
                insert
                    .execute(params![
                        round,
                        slice.cell as i64,
                        position as i64,
                        slice.iterations as i64,
                        slice.elapsed_ns,
                        number(slice.noise.cpu_ns),
                        number(slice.noise.wait_ns),
                        number(slice.noise.involuntary),
                        number(slice.noise.faults),
                        slice.disturbed,
                        number(slice.noise.gc_ns),
                        number(slice.noise.compile_ns),
                        slice.allocated_per_call
                    ])
                    .map_err(wrap(&self.path))?;
            }
            let sliced: f64 = record.slices.iter().map(|s| s.elapsed_ns).sum();
            transaction
                .prepare_cached(
                    "update run set sliced_ns = sliced_ns + ?, measured_ns = measured_ns + ?
                     where id = ?",
                )
                .and_then(|mut u| u.execute(params![sliced as i64, record.spent_ns as i64, run]))
                .map_err(wrap(&self.path))?;
        }
        transaction.commit().map_err(wrap(&self.path))
    }

    /// Marks a fork as finished.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish_fork(&self, fork: i64) -> Result<(), StoreError> {
        self.change("update fork set finished = 1 where id = ?", params![fork])
    }

    /// Marks a run as finished.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(&self, run: i64) -> Result<(), StoreError> {
        self.change("update run set finished = ? where id = ?", params![now(), run])?;
        self.is_there()
    }

    /// Records, in words, that a run continues at the same time as another.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn goes_on_next_to(&self, run: i64, other: &str) -> Result<(), StoreError> {
        let path = concat!("$.options.", stringify!(beside));
        let sql = "update run set plan = json_set(plan, ?, ?) where id = ?";
        self.change(sql, params![path, other, run])
    }
}

fn number(n: Option<u64>) -> Option<i64> {
    n.map(|n| n as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_is_stored_completely_or_not_at_all() {
        let mut store = Store::in_memory().unwrap();
        let insert = "insert into foreign_file (digest, name, tool, version, machine, imported)
                    values (?, 'n', 'jmh', '1', 'm', 'now')";
        let write = |store: &Store, digest: &str| {
            store.db.execute(insert, [digest]).map_err(|e| store.wrap(e))
        };
        let failed: Result<(), _> = store.at_once(|store| {
            write(store, "first")?;
            Err(StoreError::NoRun("the rest".into()))
        });
        assert!(matches!(failed, Err(StoreError::NoRun(_))));
        store.at_once(|store| write(store, "second").and_then(|_| write(store, "third"))).unwrap();
        let mut all = store.db.prepare("select digest from foreign_file order by id").unwrap();
        let all: Vec<String> =
            all.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        assert_eq!(all, ["second", "third"]);
    }
}
