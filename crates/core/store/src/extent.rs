//! How far the runs of a store are, without their measurements.

use super::{Store, StoreError};

/// How far one run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Its number.
    pub run: i64,
    /// The suite's name.
    pub suite: String,
    /// Whether it is finished.
    pub finished: bool,
    /// Forks that ended as planned.
    pub forks: u32,
    /// Rounds.
    pub rounds: u64,
}

impl Store {
    /// How far each run is, the one that was stored last first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn extents(&self) -> Result<Vec<Extent>, StoreError> {
        let sql = "select id, suite, finished is not null,
                          (select count(*) from fork where fork.run = run.id and fork.finished = 1),
                          (select count(*) from round join fork on fork.id = round.fork
                           where fork.run = run.id)
                   from run order by id desc";
        self.all(sql, [], |row| {
            Ok(Extent {
                run: row.get(0)?,
                suite: row.get(1)?,
                finished: row.get(2)?,
                forks: row.get(3)?,
                rounds: row.get::<_, i64>(4)?.unsigned_abs(),
            })
        })
    }
}
