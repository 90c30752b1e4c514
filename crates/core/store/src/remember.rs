//! Remembers results computed from a finished run, next to its rows. Nothing changes the rows of a
//! finished run, so a result stays true. Another build of the tool computes it again.

use super::{Recorded, Store, StoreError};
use cupel_base::program;
use rusqlite::{OptionalExtension, params, types::Value};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

impl Store {
    /// A run without its rounds, and the result of `make` from it: remembered under the name `what`
    /// if possible, and remembered from now on if the run is finished. `make` reads the rounds with
    /// [`Store::read_rounds`] if it needs them.
    ///
    /// # Errors
    /// If there is no such run or the store cannot be read, and the errors of `make`.
    pub fn remembered<T, E>(
        &self,
        run: Option<i64>,
        what: &str,
        make: impl FnOnce(&mut Recorded) -> Result<T, E>,
    ) -> Result<(Recorded, T), E>
    where
        T: Serialize + DeserializeOwned,
        E: From<StoreError>,
    {
        // Everything is read in one transaction: another process may be measuring the run.
        let transaction = self.db.unchecked_transaction().map_err(|e| self.wrap(e))?;
        let mut recorded = self.outline(run)?;
        let id = recorded.run.id;
        let key = match recorded.run.finished {
            Some(_) => self.key(id)?,
            None => None,
        };
        if let Some(key) = &key
            && let Some(made) = self.recall(id, what, key)?
        {
            return Ok((recorded, made));
        }
        let made = make(&mut recorded)?;
        recorded.rounds = Vec::new();
        if key.is_some()
            && let Ok(body) = rmp_serde::to_vec_named(&made)
        {
            // If it cannot be stored, as in a read-only store, it is computed again next time.
            let _ = transaction
                .execute(
                    "insert or replace into remembered (run, what, key, body) values (?, ?, ?, ?)",
                    params![id, what, key, body],
                )
                .and_then(|_| transaction.commit());
        }
        Ok((recorded, made))
    }

    /// The results remembered under the name `what` for the newest finished runs of a machine, by
    /// its fingerprint: for at most this many runs, without those that have none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn all_remembered<T: DeserializeOwned>(
        &self,
        fingerprint: &str,
        what: &str,
        most: u32,
    ) -> Result<Vec<T>, StoreError> {
        let sql = "select id from run where fingerprint = ? and finished is not null
                   order by started desc, id desc limit ?";
        let mut all = Vec::new();
        for run in self.all(sql, params![fingerprint, most], |row| row.get(0))? {
            if let Some(key) = self.key(run)? {
                all.extend(self.recall(run, what, &key)?);
            }
        }
        Ok(all)
    }

    fn recall<T: DeserializeOwned>(
        &self,
        run: i64,
        what: &str,
        key: &str,
    ) -> Result<Option<T>, StoreError> {
        let body: Option<Vec<u8>> = self
            .db
            .query_row(
                "select body from remembered where run = ? and what = ? and key = ?",
                params![run, what, key],
                |row| row.get(0),
            )
            .optional()
            .map_err(|e| self.wrap(e))?;
        Ok(body.and_then(|body| rmp_serde::from_slice(&body).ok()))
    }

    /// Depends on the code, and on the run's own row: on its plan with the parameters of the
    /// analysis, on when it was finished, and on how much was measured until then. `None` if this
    /// program does not know its code.
    fn key(&self, run: i64) -> Result<Option<String>, StoreError> {
        let Some(code) = program::code() else { return Ok(None) };
        let row: Vec<Value> = self
            .db
            .query_row("select * from run where id = ?", [run], |row| {
                (0..row.as_ref().column_count()).map(|column| row.get(column)).collect()
            })
            .map_err(|e| self.wrap(e))?;
        let digest = Sha256::digest(format!("{row:?}"));
        Ok(Some(format!("{code} {}", hex::encode(&digest[..16]))))
    }
}
