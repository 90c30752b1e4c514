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
    /// Runs that are unfinished: only their own machine could continue them.
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
    /// (with its seed), machine and starting time are.
    ///
    /// # Errors
    /// If the file cannot be read, is not a store, comes from a later Cupel, or has impossible
    /// values. This store is then unchanged.
    pub fn import(&mut self, path: &Path) -> Result<Imported, StoreError> {
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
            Import { from: &from, to: &to, damaged: &damaged, theirs: &theirs, own: &own }
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
            if matches!(row[8], Value::Null) {
                imported.unfinished += 1;
                continue;
            }
            let known: Option<i64> = self
                .to
                .query_row(
                    "select id from run where plan = ? and fingerprint = ? and started = ?",
                    params![text(2)?, text(4)?, text(7)?],
                    |row| row.get(0),
                )
                .optional()
                .map_err(|e| wrap(self.own, e))?;
            if known.is_some() {
                imported.known += 1;
                continue;
            }
            let run = self.insert(&format!("insert into run ({RUN})"), &row)?;
            self.run(id, run, &plan)?;
            imported.runs += 1;
        }
        Ok(imported)
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
