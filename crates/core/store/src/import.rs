//! Adds the runs of another store, usually from another machine. The file is not trusted: it is
//! only read, every value is checked against its run's own plan, and either everything is added or
//! nothing.

use super::{Circumstances, CodePaths, Store, StoreError};
use super::{boots, damaged, genuine, is_time, leak_tests, now, same, schema, wrap};
use cupel_machine::Machine;
use cupel_plan::{FailureKind, Plan, StoredPlan};
use rusqlite::limits::Limit;
use rusqlite::types::{FromSql, ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, params, params_from_iter};
use std::collections::BTreeMap;
use std::path::Path;

/// The result of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Runs that were added.
    pub runs: usize,
    /// Runs that were already here.
    pub known: usize,
    /// Runs that continued there since an earlier import: their new rows were added.
    pub continued: usize,
    /// Runs that are unfinished and were left out: only their own machine could continue them.
    pub unfinished: usize,
    /// Boots of the UEFI image that were added.
    pub boots: usize,
    /// Boots that were already here.
    pub known_boots: usize,
    /// Tests for leaks that were added.
    pub leak_tests: usize,
    /// Runs that were added although they begin in the future, by this machine's clock.
    pub ahead: usize,
    /// Results of other programs that were added. For these, `known` counts results.
    pub results: usize,
}

/// The memory for pages of each store while runs are added, as SQLite counts it: in KiB if
/// negative.
const CACHE_KB: i64 = -64 * 1024;

/// The columns of `run` that are the same for a run in every store.
const RUN: &str = "suite, suite_text, plan, machine, fingerprint, tool, command, started, finished, \
                   measured_ns, sliced_ns, circumstances";

/// Finds a run by its plan, machine and starting time. A run that continues next to another says
/// so in its plan, and is still the same run.
const SAME_RUN: &str = "
    select id, finished is not null from run where machine = ?2 and started = ?3
        and (plan = ?1 or (json_valid(plan)
            and json_remove(plan, '$.options.beside') = json_remove(?1, '$.options.beside')))";

impl Store {
    /// Adds every finished run of another store that is not here yet. Two runs are the same if plan
    /// (with its seed), machine and starting time are. If a part of the run is here, from
    /// [`Store::import_parts`], the rest is added.
    ///
    /// # Errors
    /// If the file cannot be read, is not a store, has another schema or tables, views or triggers
    /// that no store has, has impossible values, or has another content for a run that is already
    /// here. This store is then unchanged.
    pub fn import(&mut self, path: &Path) -> Result<Imported, StoreError> {
        self.import_from(path, false)
    }

    /// Imports a store with the rows so far of unfinished runs. They stay unfinished here.
    ///
    /// # Errors
    /// As [`Store::import`].
    pub fn import_parts(&mut self, path: &Path) -> Result<Imported, StoreError> {
        self.import_from(path, true)
    }

    fn import_from(&mut self, path: &Path, parts: bool) -> Result<Imported, StoreError> {
        if !path.is_file() {
            return Err(StoreError::NoRun(format!("there is no file {}", path.display())));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let from = Connection::open_with_flags(path, flags).map_err(wrap(path))?;
        schema::exists(&from, path)?;
        genuine::check(&from, path)?;
        from.set_limit(Limit::SQLITE_LIMIT_LENGTH, genuine::LARGEST).map_err(wrap(path))?;
        // Pages that lead to the rows are read again and again.
        for db in [&from, &self.db] {
            db.pragma_update(None, "cache_size", CACHE_KB).map_err(wrap(&self.path))?;
        }
        let own = &self.path;
        let to = self
            .db
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .map_err(wrap(own))?;
        let mut imported = Import { from: &from, to: &to, theirs: path, own, parts }.runs()?;
        (imported.boots, imported.known_boots) = boots::import(&from, path, &to, own)?;
        imported.leak_tests = leak_tests::import(&from, path, &to, own)?;
        to.commit().map_err(wrap(own))?;
        Ok(imported)
    }
}

struct Import<'a> {
    from: &'a Connection,
    to: &'a Transaction<'a>,
    /// The other store's file.
    theirs: &'a Path,
    own: &'a Path,
    /// Whether unfinished runs are added too.
    parts: bool,
}

impl Import<'_> {
    fn runs(&self) -> Result<Imported, StoreError> {
        let mut imported = Imported::default();
        let now = now();
        // One at a time, because each has its whole plan.
        for (id, _) in self.rows("select id from run order by id", 0, &[])? {
            let (_, row) = self
                .rows(&format!("select id, {RUN} from run where id = ?"), 12, &[id])?
                .pop()
                .ok_or_else(|| {
                    self.damaged(format!("run {id} appears in some tables but not in others"))
                })?;
            let (suite, tool) = (self.text(id, &row[0])?, self.text(id, &row[5])?);
            let (plan_text, machine_text) = (self.text(id, &row[2])?, self.text(id, &row[3])?);
            let started = self.text(id, &row[7])?;
            let stored: StoredPlan = serde_json::from_str(plan_text)
                .map_err(|e| self.damaged(format!("plan of run {id}: {e}")))?;
            let machine: Machine = serde_json::from_str(machine_text)
                .map_err(|e| self.damaged(format!("machine of run {id}: {e}")))?;
            if machine.fingerprint() != self.text(id, &row[4])? {
                return Err(
                    self.damaged(format!("run {id} does not have its machine's fingerprint"))
                );
            }
            if !row[9..11].iter().all(|spent| is_figure(spent, i64::MAX)) {
                return Err(self.damaged(format!("run {id} took an impossible time")));
            }
            if !is_time(started) {
                return Err(
                    self.damaged(format!("run {id} has an impossible starting time: {started:?}"))
                );
            }
            if !stored.is_sound() {
                return Err(self.damaged(format!("the plan of run {id} contradicts itself")));
            }
            let plan = Plan::from(stored);
            let circumstances: Circumstances = serde_json::from_str(self.text(id, &row[11])?)
                .map_err(|e| self.damaged(format!("circumstances of run {id}: {e}")))?;
            if !circumstances.is_sound(plan.cells.len()) {
                return Err(self.damaged(format!(
                    "the circumstances of run {id} are of cells that it does not have"
                )));
            }
            self.words(id, &[suite, tool], &plan)?;
            let finished = !matches!(row[8], Value::Null);
            if finished && !is_time(self.text(id, &row[8])?) {
                return Err(self.damaged(format!(
                    "run {id} has an impossible time of its end: {:?}",
                    self.text(id, &row[8])?
                )));
            }
            if !finished && !self.parts {
                imported.unfinished += 1;
                continue;
            }
            // The machine as it is recorded, and not its fingerprint: two machines of one kind that
            // begin at once with one seed are two.
            let known: Option<(i64, bool)> = self
                .to
                .query_row(SAME_RUN, params![plan_text, machine_text, started], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .optional()
                .map_err(wrap(self.own))?;
            match known {
                None => {
                    let run = self.insert(&format!("insert into run ({RUN})"), &row)?;
                    self.run(id, run, &plan)?;
                    imported.runs += 1;
                    imported.ahead += usize::from(started > now.as_str());
                }
                Some((run, false)) if self.goes_on(id, run, finished)? => {
                    self.clear(run, &row)?;
                    self.run(id, run, &plan)?;
                    imported.continued += 1;
                }
                Some((run, known_to_its_end)) => {
                    if finished && known_to_its_end {
                        self.same(id, run)?;
                    }
                    imported.known += 1;
                }
            }
        }
        Ok(imported)
    }

    fn damaged(&self, what: impl Into<String>) -> StoreError {
        damaged(self.theirs, what)
    }

    fn text<'v>(&self, run: i64, value: &'v Value) -> Result<&'v str, StoreError> {
        match value {
            Value::Text(text) => Ok(text),
            _ => Err(self.damaged(format!("run {run}: a text column has no text"))),
        }
    }

    /// Whether their copy of an unfinished run has more than ours. Rounds are only ever added, so
    /// one copy must begin with the other.
    fn goes_on(&self, theirs: i64, ours: i64, finished: bool) -> Result<bool, StoreError> {
        let there = rounds(self.from, theirs).map_err(wrap(self.theirs))?;
        let here = rounds(self.to, ours).map_err(wrap(self.own))?;
        if there.iter().zip(&here).any(|(there, here)| there != here) {
            return Err(self.damaged(format!(
                "run {theirs} is the unfinished run {ours} of {}, but with other rounds",
                self.own.display()
            )));
        }
        Ok(there.len() > here.len() || (finished && there.len() == here.len()))
    }

    /// Removes the measurements of our copy of a run, whose number stays, and takes over the new
    /// values of the run's own row.
    fn clear(&self, run: i64, row: &[Value]) -> Result<(), StoreError> {
        const FORKS: &str = "(select id from fork where run = ?1)";
        let parts = [
            format!(
                "delete from slice where round in (select id from round where fork in {FORKS})"
            ),
            format!("delete from round where fork in {FORKS}"),
            format!("delete from warm_up where fork in {FORKS}"),
            "delete from fork where run = ?1".to_string(),
            "delete from cell_failure where run = ?1".to_string(),
            "delete from contender where run = ?1".to_string(),
        ];
        for sql in parts {
            self.to.execute(&sql, [run]).map_err(wrap(self.own))?;
        }
        let sql = "update run set finished = ?2, measured_ns = ?3, sliced_ns = ?4,
                       circumstances = ?5, plan = ?6 where id = ?1";
        let new = [&[Value::Integer(run)][..], &row[8..], &row[2..3]].concat();
        self.to.execute(sql, params_from_iter(new)).map_err(|e| self.damaged(e.to_string()))?;
        Ok(())
    }

    /// Rejects names with control characters: they are in lists, files and addresses. A runner's
    /// words, such as the reason for a failure, may have them, and is escaped wherever it is shown.
    fn words(&self, id: i64, words: &[&str], plan: &Plan) -> Result<(), StoreError> {
        let plan = plan.contenders.iter().flat_map(|c| [c.name.as_str(), &c.library, &c.version]);
        match words.iter().copied().chain(plan).find(|word| word.chars().any(char::is_control)) {
            Some(word) => {
                let what = format!("run {id} has a name with control characters: {word:?}");
                Err(self.damaged(what))
            }
            None => Ok(()),
        }
    }

    /// Rejects a store that has other measurements for a run that is here.
    fn same(&self, theirs: i64, ours: i64) -> Result<(), StoreError> {
        match same::difference(self.from, theirs, self.to, ours).map_err(wrap(self.theirs))? {
            Some(part) => Err(self.damaged(format!(
                "its run {theirs} has the machine, the plan and the starting time of run {ours} of {}, \
                 but {part} differ: one of the two was changed",
                self.own.display()
            ))),
            None => Ok(()),
        }
    }

    fn run(&self, id: i64, run: i64, plan: &Plan) -> Result<(), StoreError> {
        let sql =
            "select position, code_path, verified, notes, failure from contender where run = ?";
        for (position, row) in self.rows(sql, 4, &[id])? {
            self.within(position, plan.contenders.len(), "contender")?;
            if CodePaths::column_result((&row[0]).into()).is_err() {
                return Err(self.damaged(format!(
                    "the code paths of contender {position} are not in the form of a store"
                )));
            }
            if !is_figure(&row[1], i64::MAX) {
                return Err(
                    self.damaged(format!("the cases of contender {position} are impossible"))
                );
            }
            let row = [vec![run.into(), position.into()], row].concat();
            self.insert("insert into contender", &row)?;
        }
        let sql = "select cell, kind, reason from cell_failure where run = ?";
        for (cell, row) in self.rows(sql, 2, &[id])? {
            self.within(cell, plan.cells.len(), "cell")?;
            if !matches!(&row[0], Value::Text(kind) if FailureKind::named(kind).is_some()) {
                return Err(self.damaged(format!("the failure of cell {cell} is of no known kind")));
            }
            let row = [vec![run.into(), cell.into()], row].concat();
            self.insert("insert into cell_failure", &row)?;
        }
        let mut forks: BTreeMap<i64, i64> = BTreeMap::new();
        let sql =
            "select id, ordinal, padding, finished, started from fork where run = ? order by id";
        for (fork, row) in self.rows(sql, 4, &[id])? {
            if !matches!(row[0], Value::Integer(n) if u32::try_from(n).is_ok()) {
                return Err(self.damaged("a fork's number is impossible"));
            }
            if !matches!(&row[3], Value::Text(started) if is_time(started)) {
                return Err(self.damaged("the starting time of a fork is impossible"));
            }
            let sql = "insert into fork (run, ordinal, padding, finished, started)";
            forks.insert(fork, self.insert(sql, &[vec![run.into()], row].concat())?);
        }
        for (theirs, ours) in forks {
            self.fork(theirs, ours, plan)?;
        }
        Ok(())
    }

    fn fork(&self, theirs: i64, ours: i64, plan: &Plan) -> Result<(), StoreError> {
        let sql =
            "select cell, first_call_ns, slices, elapsed_ns, settled, ns_per_call, offset_bytes,
                   level, events, recompiled, unsteady from warm_up where fork = ?";
        for (cell, row) in self.rows(sql, 10, &[theirs])? {
            self.within(cell, plan.cells.len(), "cell")?;
            // The analysis reads these values back as unsigned, finite numbers.
            if !row[..9].iter().all(|value| is_figure(value, i64::from(u32::MAX))) {
                return Err(self.damaged(format!("a warm-up of cell {cell} is impossible")));
            }
            let row = [vec![ours.into(), cell.into()], row].concat();
            self.insert("insert into warm_up", &row)?;
        }
        let sql = "select id, comparison, ordinal, stolen_ns, started_ns from round where fork = ?
                   order by id";
        let mut rounds: BTreeMap<i64, (i64, usize)> = BTreeMap::new();
        for (round, row) in self.rows(sql, 4, &[theirs])? {
            let comparison = match row[0] {
                Value::Integer(n) => n,
                _ => -1,
            };
            self.within(comparison, plan.comparisons.len(), "comparison")?;
            let sql = "insert into round (fork, comparison, ordinal, stolen_ns, started_ns)";
            let new = self.insert(sql, &[vec![Value::Integer(ours)], row].concat())?;
            rounds.insert(round, (new, comparison as usize));
        }
        self.slices(&rounds, plan)
    }

    /// Adds the slices of these rounds: for each of theirs, our number and the comparison. They are
    /// most of a store, so they are read and written in one pass.
    fn slices(&self, rounds: &BTreeMap<i64, (i64, usize)>, plan: &Plan) -> Result<(), StoreError> {
        let (Some((first, _)), Some((last, _))) =
            (rounds.first_key_value(), rounds.last_key_value())
        else {
            return Ok(());
        };
        let mut select = self
            .from
            .prepare_cached(
                "select round, cell, position, iterations, elapsed_ns, cpu_ns, wait_ns,
                        involuntary, faults, disturbed, gc_ns, compile_ns, allocated_per_call
                 from slice where round between ? and ? order by round, cell",
            )
            .map_err(wrap(self.theirs))?;
        let mut insert = self
            .to
            .prepare_cached(
                "insert into slice (round, cell, position, iterations, elapsed_ns, cpu_ns, wait_ns,
                     involuntary, faults, disturbed, gc_ns, compile_ns, allocated_per_call)
                 values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )
            .map_err(wrap(self.own))?;
        let mut rows = select.query([first, last]).map_err(wrap(self.theirs))?;
        while let Some(row) = rows.next().map_err(wrap(self.theirs))? {
            let mut values = [ValueRef::Null; 13];
            for (column, value) in values.iter_mut().enumerate() {
                *value = row.get_ref(column).map_err(wrap(self.theirs))?;
            }
            let round: i64 = row.get(0).map_err(wrap(self.theirs))?;
            // Rounds of other forks may lie between.
            let Some(&(new, comparison)) = rounds.get(&round) else { continue };
            let cell: i64 = row.get(1).map_err(wrap(self.theirs))?;
            self.within(cell, plan.cells.len(), "cell")?;
            let cell_fits = plan.cells[cell as usize].comparison == comparison
                && is_figure(values[2], i64::from(u16::MAX));
            let sane = matches!((values[3], values[4]), (ValueRef::Integer(n), ValueRef::Real(ns))
                if n > 0 && TIMES.contains(&ns) && TIMES.contains(&(ns / n as f64)));
            // The values that follow the times: empty, or not negative.
            let mut others = values[5..=8].iter().chain(&values[10..=12]);
            let others_fit = others.all(|value| is_figure(*value, i64::MAX));
            if !cell_fits || !sane || !others_fit {
                return Err(self.damaged(format!("a slice of cell {cell} is impossible")));
            }
            insert.raw_bind_parameter(1, new).map_err(wrap(self.own))?;
            for (column, value) in values.iter().enumerate().skip(1) {
                let value = ToSqlOutput::Borrowed(*value);
                insert.raw_bind_parameter(column + 1, value).map_err(wrap(self.own))?;
            }
            insert.raw_execute().map_err(|e| self.damaged(e.to_string()))?;
        }
        Ok(())
    }

    fn within(&self, position: i64, all: usize, what: &str) -> Result<(), StoreError> {
        if usize::try_from(position).is_ok_and(|position| position < all) {
            return Ok(());
        }
        Err(self.damaged(format!("{what} {position} is not in the plan")))
    }

    /// Rows of the other store: a first integer, then the `columns`.
    fn rows(
        &self,
        sql: &str,
        columns: usize,
        bound: &[i64],
    ) -> Result<Vec<(i64, Vec<Value>)>, StoreError> {
        let mut select = self.from.prepare_cached(sql).map_err(wrap(self.theirs))?;
        let rows = select.query_map(params_from_iter(bound), |row| {
            let rest = (1..=columns).map(|column| row.get(column)).collect::<Result<_, _>>()?;
            Ok((row.get(0)?, rest))
        });
        rows.and_then(Iterator::collect).map_err(wrap(self.theirs))
    }

    /// Inserts a row. If its types do not fit the table, the other store is damaged.
    fn insert(&self, into: &str, row: &[Value]) -> Result<i64, StoreError> {
        let marks = vec!["?"; row.len()].join(", ");
        self.to
            .prepare_cached(&format!("{into} values ({marks})"))
            .and_then(|mut insert| insert.execute(params_from_iter(row)))
            .map_err(|e| self.damaged(e.to_string()))?;
        Ok(self.to.last_insert_rowid())
    }
}

/// The times of a slice, and of a call in it, that can be, in ns: more than any clock resolves, and
/// less than a year. Ratios of others overflow.
pub(super) const TIMES: std::ops::Range<f64> = 1e-9..3e16;

/// The rounds of a run in their order: planned fork, comparison, number, when it began, and its
/// slices. A sum over them would not do: two cells that swap their times have the same one.
fn rounds(db: &Connection, run: i64) -> Result<Vec<Vec<Value>>, rusqlite::Error> {
    let sql = "select fork.ordinal, comparison, round.ordinal, started_ns,
                      (select group_concat(cell || ' ' || iterations || ' ' || elapsed_ns || ' '
                                           || coalesce(disturbed, '') order by cell)
                       from slice where slice.round = round.id)
               from round join fork on fork.id = round.fork where run = ? order by round.id";
    db.prepare(sql)?
        .query_map([run], |row| (0..5).map(|column| row.get(column)).collect())?
        .collect()
}

/// Whether a value is empty, or a number that is finite and not negative. An integer must also be
/// at most `most`.
fn is_figure<'a>(value: impl Into<ValueRef<'a>>, most: i64) -> bool {
    match value.into() {
        ValueRef::Null => true,
        ValueRef::Integer(n) => (0..=most).contains(&n),
        ValueRef::Real(x) => x.is_finite() && x >= 0.0,
        _ => false,
    }
}
