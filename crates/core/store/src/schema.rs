//! The tables. `user_version` is the number of the schema: version 1, which later versions of Cupel
//! keep reading.

use super::{StoreError, gates, leak_tests, wrap};
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;

/// The number of this schema.
const VERSION: i64 = 1;

/// SQLite's application id of the file: "CUPL".
const APPLICATION: i64 = 0x4355_504c;

/// A time is in ns unless it is a date, which is UTC and ISO 8601. A position counts from 0.
const TABLES: &str = "
    create table run (
        id integer primary key,
        suite text not null,              -- its name
        suite_text text not null,         -- TOML
        plan text not null,               -- JSON of the whole plan
        machine text not null,            -- JSON of the machine
        fingerprint text not null,        -- of the machine
        tool text not null,               -- version of cupel
        command text not null,            -- the command line
        started text not null,            -- a date
        finished text,                    -- a date; null while it is measured or can be resumed
        measured_ns integer not null default 0,  -- time spent measuring
        sliced_ns integer not null default 0,    -- of which inside timed slices
        circumstances text not null default '{}' -- JSON of what was found out about the machine
    ) strict;
    -- A run of another store is looked for by the moment at which it began, and so is the newest.
    create index run_by_start on run (started);

    create table contender (              -- what is particular to this run
        run integer not null references run,
        position integer not null,        -- in the plan
        code_path text not null default '{}', -- JSON: a code path for each primitive and operation
        verified integer not null default 0,  -- cases that were checked
        notes text not null default '',   -- what it does not support
        failure text,                     -- why it is not ranked; null if it is
        primary key (run, position)
    ) strict, without rowid;

    create table cell_failure (
        run integer not null references run,
        cell integer not null,            -- position in the plan
        kind text not null,               -- failed, wrong, missing, unsupported or not measured
        reason text not null,
        primary key (run, cell)
    ) strict, without rowid;

    create table fork (
        id integer primary key,
        run integer not null references run,
        ordinal integer not null,         -- planned fork, from 0
        padding integer not null,         -- bytes of environment
        finished integer not null default 0,  -- 1 if it ended as planned
        started text not null             -- a date
    ) strict;
    create index fork_of_run on fork (run);

    create table warm_up (
        fork integer not null references fork,
        cell integer not null,            -- position in the plan
        first_call_ns real not null,
        slices integer not null,          -- until it was steady or was given up
        elapsed_ns real not null,         -- in them
        settled integer not null,         -- 1 if it became steady
        ns_per_call real not null,        -- at its end
        offset_bytes integer not null,    -- of its buffers from a cache line
        level integer,                    -- of its loop's code at the end; null if not reported
        events integer not null,          -- of its process's compiler until then; 0 if not reported
        recompiled integer not null default 0,  -- times, in rounds
        unsteady text,                    -- why no round of it in this fork counts; null if they do
        primary key (fork, cell)
    ) strict, without rowid;

    create table round (
        id integer primary key,
        fork integer not null references fork,
        comparison integer not null,      -- position in the plan
        ordinal integer not null,         -- in the fork and comparison, from 0
        stolen_ns integer,                -- by the hypervisor; null if not known
        started_ns integer not null,      -- since the fork began
        unique (fork, comparison, ordinal)
    ) strict;

    create table slice (
        round integer not null references round,
        cell integer not null,            -- position in the plan
        position integer not null,        -- in the order of the round
        iterations integer not null,      -- timed calls
        elapsed_ns real not null,         -- of all of them together
        cpu_ns integer,                   -- the rest but disturbed: null if not known
        wait_ns integer,                  -- for a processor
        involuntary integer,              -- context switches
        faults integer,                   -- of pages
        disturbed text,                   -- why it does not count; null if it does
        gc_ns integer,                    -- garbage collection
        compile_ns integer,               -- the runtime's compiler
        allocated_per_call real,          -- bytes
        primary key (round, cell)
    ) strict, without rowid;

    -- What was computed from a finished run, so that a run of millions of slices is shown at once.
    create table remembered (
        id integer primary key,
        run integer not null references run,
        what text not null,               -- such as analysis or page
        key text not null,                -- digests of the code that made it and of the run's row
        body blob not null,               -- MessagePack
        unique (run, what)
    ) strict;

    -- Results of other programs. Nothing that compares reads these two tables.
    create table foreign_file (
        id integer primary key,
        digest text not null unique,      -- of its bytes: one file is counted once
        name text not null,
        tool text not null,               -- jmh, criterion or google-benchmark
        version text not null,
        machine text not null,            -- as the file says it
        imported text not null            -- a date
    ) strict;
    create table foreign_result (
        file integer not null references foreign_file,
        position integer not null,        -- in the file
        name text not null,
        parameters text not null,
        statistic text not null,          -- what the time is: mean, median, slope
        ns real,                          -- per call
        low real,                         -- the interval that the program gives, ns per call
        high real,
        samples integer not null,
        bytes integer,                    -- per call
        error text,                       -- why there is no time
        primary key (file, position)
    ) strict, without rowid;

    -- Boots of the UEFI image: counts, never times. No run refers to them.
    create table boot (
        id integer primary key,
        sha256 text not null unique,      -- of its records, as the last of them says
        added text not null,              -- to this store: a date
        lines text not null               -- its records as they were written, JSON Lines
    ) strict;
";

/// Creates the tables in a new file.
///
/// # Errors
/// If the file is not new and not a store of this schema, or cannot be written.
pub fn create(db: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let transaction =
        db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrap(path))?;
    if exists(&transaction, path)? {
        return Ok(());
    }
    transaction.execute_batch(TABLES).map_err(wrap(path))?;
    transaction.execute_batch(gates::TABLE).map_err(wrap(path))?;
    transaction.execute_batch(leak_tests::TABLE).map_err(wrap(path))?;
    transaction.pragma_update(None, "application_id", APPLICATION).map_err(wrap(path))?;
    transaction.pragma_update(None, "user_version", VERSION).map_err(wrap(path))?;
    transaction.commit().map_err(wrap(path))
}

/// Whether a file has the tables; not if it is new. It only reads: a rejected file must stay
/// unchanged.
///
/// # Errors
/// If the file is the database of another program, or a store of another schema.
pub fn exists(db: &Connection, path: &Path) -> Result<bool, StoreError> {
    if number(db, "select count(*) from sqlite_master").map_err(wrap(path))? == 0 {
        return Ok(false);
    }
    if number(db, "pragma application_id").map_err(wrap(path))? != APPLICATION {
        return Err(StoreError::Foreign { path: path.to_path_buf() });
    }
    let found = number(db, "pragma user_version").map_err(wrap(path))?;
    if found != VERSION {
        return Err(StoreError::OtherSchema { path: path.to_path_buf(), found, known: VERSION });
    }
    Ok(true)
}

fn number(db: &Connection, sql: &str) -> rusqlite::Result<i64> {
    db.query_row(sql, [], |row| row.get(0))
}

/// An empty store in memory.
///
/// # Errors
/// The errors of SQLite.
pub fn empty() -> Result<Connection, rusqlite::Error> {
    let db = Connection::open_in_memory()?;
    db.execute_batch(TABLES)?;
    db.execute_batch(gates::TABLE)?;
    db.execute_batch(leak_tests::TABLE)?;
    Ok(db)
}
