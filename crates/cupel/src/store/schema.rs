//! The tables, and the migrations from each schema to the next. `user_version` is the schema's
//! number.

use super::{StoreError, wrap};
use crate::machine::Machine;
use rusqlite::Connection;
use std::path::Path;

/// One step for each schema version; the last one is the newest.
const MIGRATIONS: [Step; 9] = [
    Step::Sql(RUNS),
    Step::Sql(BOOTS),
    Step::Sql(REMEMBERED),
    Step::Sql(FOREIGN),
    Step::Sql(RUNTIME),
    Step::Sql(COMPILATION),
    Step::Code(fingerprints),
    Step::Sql(STARTED),
    Step::Sql(CIRCUMSTANCES),
];

/// From one schema to the next.
enum Step {
    Sql(&'static str),
    Code(fn(&Connection) -> Result<(), rusqlite::Error>),
}

impl Step {
    fn take(&self, db: &Connection) -> Result<(), rusqlite::Error> {
        match self {
            Step::Sql(sql) => db.execute_batch(sql),
            Step::Code(change) => change(db),
        }
    }
}

const RUNS: &str = "
    create table run (
        id integer primary key,
        suite text not null,
        suite_text text not null,
        plan text not null,               -- JSON of the whole plan
        machine text not null,            -- JSON of the machine
        fingerprint text not null,
        tool text not null,               -- version of cupel
        command text not null,            -- the command line
        started text not null,            -- UTC, ISO 8601
        finished text,                    -- absent while it runs or after a kill
        measured_ns integer not null default 0,  -- time spent measuring
        sliced_ns integer not null default 0     -- of which inside timed slices
    ) strict;
    create table contender (              -- what is particular to this run
        run integer not null references run,
        place integer not null,           -- in the plan
        code_path text,
        verified integer not null default 0,  -- cases that were checked
        notes text not null default '',   -- what it does not support
        failure text,                     -- why it is not ranked
        primary key (run, place)
    ) strict, without rowid;
    create table cell_failure (
        run integer not null references run,
        cell integer not null,            -- in the plan
        kind text not null,               -- failed, wrong, missing or unsupported
        reason text not null,
        primary key (run, cell)
    ) strict, without rowid;
    create table fork (
        id integer primary key,
        run integer not null references run,
        ordinal integer not null,         -- planned fork, from 0
        padding integer not null,         -- bytes of environment
        finished integer not null default 0
    ) strict;
    create index fork_of_run on fork (run);
    create table warm_up (
        fork integer not null references fork,
        cell integer not null,
        first_call_ns real not null,
        slices integer not null,
        elapsed_ns real not null,
        settled integer not null,
        ns_per_call real not null,        -- at its end
        offset_bytes integer not null,    -- of its buffers from a cache line
        primary key (fork, cell)
    ) strict, without rowid;
    create table round (
        id integer primary key,
        fork integer not null references fork,
        comparison integer not null,
        ordinal integer not null,         -- in the fork and comparison, from 0
        stolen_ns integer,                -- by the hypervisor, from the measuring processor
        started_ns integer not null,      -- since the fork began
        unique (fork, comparison, ordinal)
    ) strict;
    create table slice (
        round integer not null references round,
        cell integer not null,
        position integer not null,        -- in the round's order, from 0
        iterations integer not null,      -- timed calls
        elapsed_ns real not null,         -- of all of them
        cpu_ns integer,
        wait_ns integer,
        involuntary integer,
        faults integer,
        disturbed text,                   -- why it does not count; absent where it does
        primary key (round, cell)
    ) strict, without rowid;
";

const BOOTS: &str = "
    create table boot (                   -- of the UEFI image: counts, never times; no run refers to it
        id integer primary key,
        sha256 text not null unique,      -- of its records, as the last of them says
        came text not null,               -- into this store: UTC, ISO 8601
        lines text not null               -- its records as they were written, JSON Lines
    ) strict;
";

/// A statement that drops what is remembered of a run whenever one of its rows changes, even if
/// another program or a person at SQLite's shell changes it.
macro_rules! forget {
    ($table:literal, $run:literal, $($row:literal),*) => {
        concat!(
            "create trigger forget_after_insert_on_", $table, " after insert on ", $table,
            " begin delete from remembered where run in (", $run, "new.", $($row,)* "); end;
             create trigger forget_after_update_on_", $table, " after update on ", $table,
            " begin delete from remembered where run in (", $run, "new.", $($row,)* ");
                    delete from remembered where run in (", $run, "old.", $($row,)* "); end;
             create trigger forget_after_delete_on_", $table, " after delete on ", $table,
            " begin delete from remembered where run in (", $run, "old.", $($row,)* "); end;\n",
        )
    };
}

/// What was computed from a finished run, so that a run of millions of slices is shown at once.
const REMEMBERED: &str = concat!(
    "
    create table remembered (
        id integer primary key,
        run integer not null references run,
        what text not null,               -- analysis or page
        key text not null,                -- of the code that made it and the plan it was made from
        body blob not null,
        unique (run, what)
    ) strict;
    ",
    forget!("run", "", "id"),
    forget!("contender", "", "run"),
    forget!("cell_failure", "", "run"),
    forget!("fork", "", "run"),
    forget!("warm_up", "select run from fork where id = ", "fork"),
    forget!("round", "select run from fork where id = ", "fork"),
    forget!(
        "slice",
        "select run from fork join round on round.fork = fork.id where round.id = ",
        "round"
    ),
);

/// Results of other programs. Nothing that compares reads these tables.
const FOREIGN: &str = "
    create table foreign_file (
        id integer primary key,
        digest text not null unique,      -- of its bytes: one file is counted once
        name text not null,
        tool text not null,               -- jmh, criterion or google-benchmark
        version text not null,
        machine text not null,            -- as the file says it
        imported text not null            -- UTC, ISO 8601
    ) strict;
    create table foreign_result (
        file integer not null references foreign_file,
        place integer not null,           -- in the file
        name text not null,
        parameters text not null,
        statistic text not null,          -- what the time is: mean, median, slope
        ns real,                          -- time of a call
        low real,                         -- the interval that the program gives
        high real,
        samples integer not null,
        bytes integer,                    -- a call
        error text,                       -- why there is no time
        primary key (file, place)
    ) strict, without rowid;
";

/// What a runtime with a garbage collector and a compiler reports about a slice.
const RUNTIME: &str = "
    alter table slice add column gc_ns integer;
    alter table slice add column compile_ns integer;
    alter table slice add column allocated_per_call real;  -- bytes
";

/// A run of another store is looked for by the moment at which it began, and so is the newest.
const STARTED: &str = "
    create index run_by_start on run (started);
";

/// What a run found out about the machine while it measured, as JSON, and when its forks began.
const CIRCUMSTANCES: &str = "
    alter table run add column circumstances text not null default '{}';
    alter table fork add column started text;          -- UTC, ISO 8601
";

/// What a runtime reports about its compiler.
const COMPILATION: &str = "
    alter table warm_up add column level integer;      -- of its loop's code, when it was warm
    alter table warm_up add column events integer;     -- of its process's compiler, by then
    alter table warm_up add column recompiled integer not null default 0;  -- times, in rounds
    alter table warm_up add column unsteady text;      -- why no round of it in this fork counts
";

/// The fingerprint covers other facts than before. Each run has its machine stored in full, so the
/// fingerprint is recomputed, and stored claims and advice stay valid.
fn fingerprints(db: &Connection) -> Result<(), rusqlite::Error> {
    let runs: Vec<(i64, String)> = db
        .prepare("select id, machine from run")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (run, machine) in runs {
        // A machine that cannot be parsed is reported when its run is loaded.
        let Ok(machine) = serde_json::from_str::<Machine>(&machine) else { continue };
        let sql = "update run set fingerprint = ? where id = ?";
        db.execute(sql, (machine.fingerprint(), run))?;
    }
    Ok(())
}

/// SQLite's application id of the file: "CUPL".
const APPLICATION: i64 = 0x4355_504c;

/// Rejects a store of a later Cupel, and the database of another program. It only reads: a rejected
/// file must stay unchanged.
///
/// # Errors
/// If it is newer than this, or is not a store.
pub fn check(db: &Connection, path: &Path) -> Result<(), StoreError> {
    let known = MIGRATIONS.len() as i64;
    let found: i64 = db
        .query_row("pragma user_version", [], |row| row.get(0))
        .map_err(|source| wrap(path, source))?;
    let tables: i64 = db
        .query_row("select count(*) from sqlite_master", [], |row| row.get(0))
        .map_err(|source| wrap(path, source))?;
    let mark: i64 = db
        .query_row("pragma application_id", [], |row| row.get(0))
        .map_err(|source| wrap(path, source))?;
    if tables > 0 && mark != APPLICATION {
        return Err(StoreError::Foreign { path: path.to_path_buf() });
    }
    if found > known {
        return Err(StoreError::Newer { path: path.to_path_buf(), found, known });
    }
    Ok(())
}

/// Whether a store has an earlier schema than the newest.
///
/// # Errors
/// If the file cannot be read.
pub fn is_older(db: &Connection, path: &Path) -> Result<bool, StoreError> {
    let found: i64 = db
        .query_row("pragma user_version", [], |row| row.get(0))
        .map_err(|source| wrap(path, source))?;
    Ok(found < MIGRATIONS.len() as i64)
}

/// An empty store in memory as the version of this schema made it.
///
/// # Errors
/// Those of SQLite.
pub fn of_version(version: i64) -> Result<Connection, rusqlite::Error> {
    let db = Connection::open_in_memory()?;
    for step in MIGRATIONS.iter().take(usize::try_from(version).unwrap_or(0)) {
        step.take(&db)?;
    }
    Ok(db)
}

/// Migrates a store to the newest schema.
///
/// # Errors
/// If it is newer than this, or is not a store.
pub fn migrate(db: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let sqlite = |source| wrap(path, source);
    let newest = MIGRATIONS.len() as i64;
    let transaction =
        db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(sqlite)?;
    check(&transaction, path)?;
    let found: i64 =
        transaction.query_row("pragma user_version", [], |row| row.get(0)).map_err(sqlite)?;
    for step in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        step.take(&transaction).map_err(sqlite)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION).map_err(sqlite)?;
    transaction.pragma_update(None, "user_version", newest).map_err(sqlite)?;
    transaction.commit().map_err(sqlite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_runs_get_the_fingerprints_of_today() {
        let path = Path::new(":memory:");
        let mut db = of_version(6).unwrap();
        let machine = Machine::look();
        for text in [serde_json::to_string(&machine).unwrap(), "no machine".to_string()] {
            let sql = "insert into run (suite, suite_text, plan, machine, fingerprint, tool, command, started)
                       values ('q', '', '{}', ?, 'of before', '', '', '')";
            db.execute(sql, [text]).unwrap();
        }
        db.pragma_update(None, "application_id", APPLICATION).unwrap();
        db.pragma_update(None, "user_version", 6).unwrap();
        migrate(&mut db, path).unwrap();
        let mut all = db.prepare("select fingerprint from run order by id").unwrap();
        let all: Vec<String> =
            all.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        assert_eq!(all, [machine.fingerprint(), "of before".to_string()]);
    }
}
