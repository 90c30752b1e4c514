//! Gates over benchmark programs, in their own table: no run refers to them, and nothing that
//! compares contenders reads them.

use super::{Store, StoreError, has};
use rusqlite::{OptionalExtension, params};

/// Its name. Stores that were made before there were gates do not have it.
pub(super) const NAME: &str = "gate";

/// The table.
pub(super) const TABLE: &str = "
    create table if not exists gate (
        id integer primary key,
        added text not null,              -- a date
        record text not null              -- JSON of all that was measured
    ) strict;
";

impl Store {
    /// Stores a gate's record and returns its number.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn keep_gate(&mut self, record: &str) -> Result<i64, StoreError> {
        self.db.execute_batch(TABLE).map_err(|e| self.wrap(e))?;
        self.db
            .execute(
                "insert into gate (added, record) values (?, ?)",
                params![super::now(), record],
            )
            .map_err(|e| self.wrap(e))?;
        Ok(self.db.last_insert_rowid())
    }

    /// The record of a gate, by default of the last one, with its number.
    ///
    /// # Errors
    /// If there is none.
    pub fn gate(&self, id: Option<i64>) -> Result<(i64, String), StoreError> {
        let sql =
            "select id, record from gate where ?1 is null or id = ?1 order by id desc limit 1";
        let found = if has(&self.db, NAME).map_err(|e| self.wrap(e))? {
            self.db
                .query_row(sql, params![id], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()
                .map_err(|e| self.wrap(e))?
        } else {
            None
        };
        found.ok_or_else(|| {
            let which = id.map_or("there are no gates yet".to_string(), |id| {
                format!("there is no gate {id}")
            });
            StoreError::NoRun(format!(
                "{which}; `cupel gate --base COMMAND --new COMMAND` makes one"
            ))
        })
    }
}
