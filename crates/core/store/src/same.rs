//! Whether two stores have the same run, down to its raw slices.

use rusqlite::{Connection, Error};

/// The parts of a run, each in an order that is the same in every store: numbers of rows differ,
/// the planned fork and the number of a round do not.
const PARTS: [(&str, &str); 6] = [
    (
        "its own row",
        "select suite, suite_text, tool, command, finished, measured_ns, sliced_ns,
                circumstances
         from run where id = ?",
    ),
    (
        "its contenders",
        "select position, code_path, verified, notes, failure from contender where run = ?
         order by position",
    ),
    ("its failures", "select cell, kind, reason from cell_failure where run = ? order by cell"),
    (
        "its warm-ups",
        "select fork.ordinal, fork.padding, fork.finished, fork.started, cell, first_call_ns, slices, elapsed_ns,
                settled, ns_per_call, offset_bytes, level, events, recompiled, unsteady
         from fork left join warm_up on warm_up.fork = fork.id where run = ?
         order by fork.id, cell",
    ),
    (
        "its rounds",
        "select fork.ordinal, comparison, round.ordinal, stolen_ns, started_ns
         from fork join round on round.fork = fork.id where run = ?
         order by fork.id, comparison, round.ordinal",
    ),
    (
        "its slices",
        "select fork.ordinal, comparison, round.ordinal, cell, position, iterations, elapsed_ns,
                cpu_ns, wait_ns, involuntary, faults, disturbed, gc_ns, compile_ns,
                allocated_per_call
         from fork cross join round on round.fork = fork.id cross join slice on slice.round = round.id
         where run = ? order by fork.id, comparison, round.ordinal, cell",
    ),
];

/// Compares run `a` of one store with run `b` of another, row by row. Returns the part that
/// differs, if one does.
///
/// # Errors
/// The errors of SQLite, in either store.
pub fn difference(
    from: &Connection,
    a: i64,
    to: &Connection,
    b: i64,
) -> Result<Option<&'static str>, Error> {
    for (part, sql) in PARTS {
        let (mut one, mut other) = (from.prepare_cached(sql)?, to.prepare_cached(sql)?);
        let columns = one.column_count();
        let (mut one, mut other) = (one.query([a])?, other.query([b])?);
        loop {
            match (one.next()?, other.next()?) {
                (None, None) => break,
                (Some(x), Some(y)) => {
                    for column in 0..columns {
                        if x.get_ref(column)? != y.get_ref(column)? {
                            return Ok(Some(part));
                        }
                    }
                }
                _ => return Ok(Some(part)),
            }
        }
    }
    Ok(None)
}
