//! The rounds of a store, to compare two copies of it.

use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// A round: planned fork, fork's position in its run, comparison, number, and the slices.
pub type Round = (i64, i64, i64, i64, String);

/// The rounds of the newest run on a machine of this name, in their order. None if there is no
/// store.
pub fn on_node(store: &Path, node: &str) -> Vec<Round> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let Ok(db) = Connection::open_with_flags(store, flags) else { return vec![] };
    db.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
    let sql = "select fork.ordinal,
                      (select count(*) from fork as f where f.run = fork.run and f.id < fork.id),
                      comparison, round.ordinal,
                      (select group_concat(cell || ' ' || position || ' ' || iterations || ' ' || elapsed_ns)
                       from (select * from slice where slice.round = round.id order by cell))
               from round join fork on fork.id = round.fork join run on run.id = fork.run
               where json_extract(machine, '$.node') = ? order by round.id";
    let Ok(mut select) = db.prepare(sql) else { return vec![] };
    let read = |row: &rusqlite::Row<'_>| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
    };
    select.query_map([node], read).unwrap().map(Result::unwrap).collect()
}

/// One number that an SQL statement finds.
pub fn count(store: &Path, sql: &str) -> i64 {
    let Ok(db) = Connection::open_with_flags(store, OpenFlags::SQLITE_OPEN_READ_ONLY) else {
        return 0;
    };
    db.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
    db.query_row(sql, [], |row| row.get(0)).unwrap_or(0)
}

/// No round is there twice, and none has half of its slices.
pub fn are_whole(store: &Path) {
    let twice = "select count(*) from (select 1 from round group by fork, comparison, ordinal
                 having count(*) > 1)";
    assert_eq!(count(store, twice), 0, "a round is there twice");
    let halves = "select count(*) from round where comparison = 0
                  and (select count(*) from slice where slice.round = round.id) != 3";
    assert_eq!(count(store, halves), 0, "half a round is there");
}
