//! Adds the runs of another store, usually from another machine. The file is not trusted: it is
//! only read, every value is checked against its run's own plan, and either everything is added or
//! nothing.

use super::{Store, StoreError, boots, schema, wrap};
use crate::machine::Machine;
use crate::plan::{Plan, StoredPlan};
use rusqlite::types::Value;
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
    /// Runs that went on there since an earlier import: what is new of them was added.
    pub continued: usize,
    /// Runs that are unfinished and were left out: only their own machine could continue them.
    pub unfinished: usize,
    /// Boots of the UEFI image that were added.
    pub boots: usize,
    /// Boots that were already here.
    pub known_boots: usize,
    /// Results of other programs that were added. For these, `known` counts results.
    pub results: usize,
}

/// The columns of `run` that are the same for a run in every store.
const RUN: &str = "suite, suite_text, plan, machine, fingerprint, tool, command, started, finished, \
                   measured_ns, sliced_ns";

impl Store {
    /// Adds every finished run of another store that is not here yet. Two runs are the same if plan
    /// (with its seed), machine and starting time are. If a part of the run is here, from
    /// [`Store::import_parts`], the rest is added.
    ///
    /// # Errors
    /// If the file cannot be read, is not a store, comes from a later Cupel, or has impossible
    /// values. This store is then unchanged.
    pub fn import(&mut self, path: &Path) -> Result<Imported, StoreError> {
        self.import_from(path, false)
    }

    /// The same, and of unfinished runs what there is so far. They stay unfinished here.
    ///
    /// # Errors
    /// As [`Store::import`].
    pub fn import_parts(&mut self, path: &Path) -> Result<Imported, StoreError> {
        self.import_from(path, true)
    }

    fn import_from(&mut self, path: &Path, parts: bool) -> Result<Imported, StoreError> {
        let theirs = |source| wrap(path, source);
        let damaged = |what: String| StoreError::Damaged { path: path.to_path_buf(), what };
        if !path.is_file() {
            return Err(StoreError::NoRun(format!("there is no file {}", path.display())));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let from = Connection::open_with_flags(path, flags).map_err(theirs)?;
        schema::check(&from, path)?;
        schema::is_newest(&from, path)?;
        // Views and triggers of the other store must not run. A broken page is detected before the
        // first row.
        from.pragma_update(None, "trusted_schema", "off").map_err(theirs)?;
        let health: String =
            from.query_row("pragma quick_check", [], |row| row.get(0)).map_err(theirs)?;
        if health != "ok" {
            return Err(damaged(health));
        }
        let own = self.path.clone();
        let to = self
            .db
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .map_err(|e| wrap(&own, e))?;
        let mut imported =
            Import { from: &from, to: &to, damaged: &damaged, theirs: &theirs, own: &own, parts }
                .runs()?;
        (imported.boots, imported.known_boots) =
            boots::import(&from, &to, &own, &theirs, &damaged)?;
        to.commit().map_err(|e| wrap(&own, e))?;
        Ok(imported)
    }
}

struct Import<'a> {
    from: &'a Connection,
    to: &'a Transaction<'a>,
    damaged: &'a dyn Fn(String) -> StoreError,
    theirs: &'a dyn Fn(rusqlite::Error) -> StoreError,
    own: &'a Path,
    /// Whether unfinished runs are added too.
    parts: bool,
}

impl Import<'_> {
    fn runs(&self) -> Result<Imported, StoreError> {
        let mut imported = Imported::default();
        for (id, row) in self.rows(&format!("select id, {RUN} from run order by id"), 11, &[])? {
            let text = |column: usize| match &row[column] {
                Value::Text(text) => Ok(text.as_str()),
                _ => Err((self.damaged)(format!("run {id}: a text column has no text"))),
            };
            let stored: StoredPlan = serde_json::from_str(text(2)?)
                .map_err(|e| (self.damaged)(format!("plan of run {id}: {e}")))?;
            let machine: Machine = serde_json::from_str(text(3)?)
                .map_err(|e| (self.damaged)(format!("machine of run {id}: {e}")))?;
            if machine.fingerprint() != text(4)? {
                return Err((self.damaged)(format!(
                    "run {id} does not have its machine's fingerprint"
                )));
            }
            if !row[9..].iter().all(|spent| is_figure(spent, i64::MAX)) {
                return Err((self.damaged)(format!("run {id} took an impossible time")));
            }
            if !is_time(text(7)?) {
                return Err((self.damaged)(format!(
                    "run {id} has an impossible starting time: {:?}",
                    text(7)?
                )));
            }
            if !stored.is_sound() {
                return Err((self.damaged)(format!("the plan of run {id} contradicts itself")));
            }
            let plan = Plan::from(stored);
            let finished = !matches!(row[8], Value::Null);
            if !finished && !self.parts {
                imported.unfinished += 1;
                continue;
            }
            // The machine as it is recorded, and not its fingerprint: two machines of one kind that
            // begin at once with one seed are two.
            let known: Option<(i64, bool)> = self
                .to
                .query_row(
                    "select id, finished is not null from run
                     where plan = ? and machine = ? and started = ?",
                    params![text(2)?, text(3)?, text(7)?],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()
                .map_err(|e| wrap(self.own, e))?;
            match known {
                None => {
                    let run = self.insert(&format!("insert into run ({RUN})"), &row)?;
                    self.run(id, run, &plan)?;
                    imported.runs += 1;
                }
                Some((run, false)) if self.goes_on(id, run, finished)? => {
                    self.clear(run, &row)?;
                    self.run(id, run, &plan)?;
                    imported.continued += 1;
                }
                Some(_) => imported.known += 1,
            }
        }
        Ok(imported)
    }

    /// Whether their copy of an unfinished run has more than ours. Rounds are only ever added, so
    /// one copy must begin with the other.
    fn goes_on(&self, theirs: i64, ours: i64, finished: bool) -> Result<bool, StoreError> {
        let there = rounds(self.from, theirs).map_err(self.theirs)?;
        let here = rounds(self.to, ours).map_err(|e| wrap(self.own, e))?;
        if there.iter().zip(&here).any(|(there, here)| there != here) {
            return Err((self.damaged)(format!(
                "run {theirs} is the unfinished run {ours} of {}, but with other rounds",
                self.own.display()
            )));
        }
        Ok(there.len() > here.len() || (finished && there.len() == here.len()))
    }

    /// Removes the measurements of our copy of a run, whose number stays, and takes over what is new
    /// in the run's own row.
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
            self.to.execute(&sql, [run]).map_err(|e| wrap(self.own, e))?;
        }
        let sql = "update run set finished = ?2, measured_ns = ?3, sliced_ns = ?4 where id = ?1";
        let new = [vec![Value::Integer(run)], row[8..].to_vec()].concat();
        self.to.execute(sql, params_from_iter(new)).map_err(|e| (self.damaged)(e.to_string()))?;
        Ok(())
    }

    fn run(&self, id: i64, run: i64, plan: &Plan) -> Result<(), StoreError> {
        let ours = |row: Vec<Value>| [vec![Value::Integer(run)], row].concat();
        let sql = "select place, code_path, verified, notes, failure from contender where run = ?";
        for (position, row) in self.rows(sql, 4, &[id])? {
            self.within(position, plan.contenders.len(), "contender")?;
            if !is_figure(&row[1], i64::MAX) {
                return Err((self.damaged)(format!(
                    "the cases of contender {position} are impossible"
                )));
            }
            self.insert("insert into contender", &ours([vec![position.into()], row].concat()))?;
        }
        let sql = "select cell, kind, reason from cell_failure where run = ?";
        for (cell, row) in self.rows(sql, 2, &[id])? {
            self.within(cell, plan.cells.len(), "cell")?;
            self.insert("insert into cell_failure", &ours([vec![cell.into()], row].concat()))?;
        }
        let mut forks: BTreeMap<i64, i64> = BTreeMap::new();
        let sql = "select id, ordinal, padding, finished from fork where run = ? order by id";
        for (fork, row) in self.rows(sql, 3, &[id])? {
            if !matches!(row[0], Value::Integer(n) if u32::try_from(n).is_ok()) {
                return Err((self.damaged)("a fork's number is impossible".into()));
            }
            let sql = "insert into fork (run, ordinal, padding, finished)";
            forks.insert(fork, self.insert(sql, &ours(row))?);
        }
        for (theirs, ours) in forks {
            self.fork(theirs, ours, plan)?;
        }
        Ok(())
    }

    fn fork(&self, theirs: i64, ours: i64, plan: &Plan) -> Result<(), StoreError> {
        let with = |key: i64, first: i64, row: Vec<Value>| {
            [vec![Value::Integer(key), Value::Integer(first)], row].concat()
        };
        let sql =
            "select cell, first_call_ns, slices, elapsed_ns, settled, ns_per_call, offset_bytes,
                   level, events, recompiled, unsteady from warm_up where fork = ?";
        for (cell, row) in self.rows(sql, 10, &[theirs])? {
            self.within(cell, plan.cells.len(), "cell")?;
            // The analysis reads these values back as unsigned, finite numbers.
            if !row[..9].iter().all(|value| is_figure(value, i64::from(u32::MAX))) {
                return Err((self.damaged)(format!("a warm-up of cell {cell} is impossible")));
            }
            self.insert("insert into warm_up", &with(ours, cell, row))?;
        }
        let sql = "select id, comparison, ordinal, stolen_ns, started_ns from round where fork = ?
                   order by id";
        let slices =
            "select cell, position, iterations, elapsed_ns, cpu_ns, wait_ns, involuntary, faults,
                             disturbed, gc_ns, compile_ns, allocated_per_call
                      from slice where round = ?";
        for (round, row) in self.rows(sql, 4, &[theirs])? {
            let comparison = match row[0] {
                Value::Integer(n) => n,
                _ => -1,
            };
            self.within(comparison, plan.comparisons.len(), "comparison")?;
            let sql = "insert into round (fork, comparison, ordinal, stolen_ns, started_ns)";
            let new = self.insert(sql, &[vec![Value::Integer(ours)], row].concat())?;
            for (cell, row) in self.rows(slices, 11, &[round])? {
                self.within(cell, plan.cells.len(), "cell")?;
                let cell_fits = plan.cells[cell as usize].comparison as i64 == comparison;
                let sane = matches!((&row[1], &row[2]), (Value::Integer(n), Value::Real(ns))
                    if *n > 0 && ns.is_finite() && *ns > 0.0);
                // The values that follow the times: empty, or not negative.
                let others_fit =
                    row[3..7].iter().chain(&row[8..]).all(|value| is_figure(value, i64::MAX));
                if !cell_fits || !sane || !others_fit {
                    return Err((self.damaged)(format!("a slice of cell {cell} is impossible")));
                }
                self.insert("insert into slice", &with(new, cell, row))?;
            }
        }
        Ok(())
    }

    fn within(&self, position: i64, all: usize, what: &str) -> Result<(), StoreError> {
        if usize::try_from(position).is_ok_and(|position| position < all) {
            return Ok(());
        }
        Err((self.damaged)(format!("{what} {position} is not in the plan")))
    }

    /// Rows of the other store: a first integer, then the `columns`.
    fn rows(
        &self,
        sql: &str,
        columns: usize,
        bound: &[i64],
    ) -> Result<Vec<(i64, Vec<Value>)>, StoreError> {
        let read = |row: &rusqlite::Row<'_>| {
            let rest = (1..=columns).map(|c| row.get::<_, Value>(c)).collect::<Result<_, _>>()?;
            Ok((row.get::<_, i64>(0)?, rest))
        };
        self.from
            .prepare_cached(sql)
            .and_then(|mut select| select.query_map(params_from_iter(bound), read)?.collect())
            .map_err(self.theirs)
    }

    /// Inserts a row. If its types do not fit the table, the other store is damaged.
    fn insert(&self, into: &str, row: &[Value]) -> Result<i64, StoreError> {
        let marks = vec!["?"; row.len()].join(", ");
        self.to
            .prepare_cached(&format!("{into} values ({marks})"))
            .and_then(|mut insert| insert.execute(params_from_iter(row)))
            .map_err(|e| (self.damaged)(e.to_string()))?;
        Ok(self.to.last_insert_rowid())
    }
}

/// The rounds of a run in their order: planned fork, comparison, number, when it began, and a digest
/// of its slices.
fn rounds(db: &Connection, run: i64) -> Result<Vec<Vec<Value>>, rusqlite::Error> {
    let sql = "select fork.ordinal, comparison, round.ordinal, started_ns,
                      (select total(iterations) from slice where slice.round = round.id),
                      (select total(elapsed_ns) from slice where slice.round = round.id)
               from round join fork on fork.id = round.fork where run = ? order by round.id";
    db.prepare(sql)?
        .query_map([run], |row| (0..6).map(|column| row.get(column)).collect())?
        .collect()
}

/// Whether a value is empty, or a number that is finite and not negative. An integer must also be
/// at most `most`.
fn is_figure(value: &Value, most: i64) -> bool {
    match value {
        Value::Null => true,
        Value::Integer(n) => (0..=most).contains(n),
        Value::Real(x) => x.is_finite() && *x >= 0.0,
        _ => false,
    }
}

/// Whether a text is a time in the form that stores use. Runs are sorted by these texts, so a time
/// in another form would always or never be the newest.
fn is_time(text: &str) -> bool {
    let form = b"0000-00-00T00:00:00Z";
    text.len() == form.len()
        && text.bytes().zip(form).all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            _ => byte == *form,
        })
}
