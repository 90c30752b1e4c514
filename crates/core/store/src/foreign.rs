//! Results of other programs, in tables of their own that no analysis reads.

use crate::{Imported, Store, StoreError, now, wrap};
use rusqlite::{TransactionBehavior, params};
use serde::Serialize;

/// A file of another program, or a folder of one of its benchmarks.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignFile {
    /// Its name.
    pub name: String,
    /// SHA-256 of its bytes in hex: the same file is counted once.
    pub digest: String,
    /// The program that measured it.
    pub tool: String,
    /// Its version, if known.
    pub version: String,
    /// The file's words about the machine.
    pub machine: String,
    /// Its results, in the program's order.
    pub results: Vec<ForeignResult>,
}

/// One result of another program.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ForeignResult {
    /// The benchmark's full name.
    pub name: String,
    /// Its parameters: `name=value`, separated by commas.
    pub parameters: String,
    /// The statistic of the figure: `mean`, `median`, `slope`.
    pub statistic: String,
    /// The time of a call in ns, as each thread sees it; absent if there is none.
    pub ns: Option<f64>,
    /// The low end of the interval that the program reports.
    pub low: Option<f64>,
    /// The high end.
    pub high: Option<f64>,
    /// The number of iterations or samples behind it.
    pub samples: u64,
    /// Bytes per call, if they are known.
    pub bytes: Option<u64>,
    /// Why there is no time: it failed, or the figure is impossible or not a time.
    pub error: Option<String>,
}

/// A result of another program, with the file that it is from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForeignRow {
    /// The number of its file in the store.
    pub file: i64,
    /// The file's name when it was imported.
    pub name_of_file: String,
    /// The program that measured it.
    pub tool: String,
    /// Its version, if known.
    pub version: String,
    /// The file's words about the machine.
    pub machine: String,
    /// When it was imported, UTC.
    pub imported: String,
    /// The result itself.
    #[serde(flatten)]
    pub result: ForeignResult,
}

impl Store {
    /// Adds the files of other programs, all of them or none. Files that are already here are
    /// counted as known.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn import_foreign(&mut self, files: &[ForeignFile]) -> Result<Imported, StoreError> {
        let transaction = self
            .db
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(wrap(&self.path))?;
        let mut imported = Imported::default();
        for ForeignFile { name, digest, tool, version, machine, results } in files {
            let new = transaction
                .execute(
                    "insert into foreign_file (digest, name, tool, version, machine, imported)
                     values (?, ?, ?, ?, ?, ?)
                     on conflict do nothing",
                    params![digest, name, tool, version, machine, now()],
                )
                .map_err(wrap(&self.path))?;
            if new == 0 {
                imported.known += results.len();
                continue;
            }
            let file = transaction.last_insert_rowid();
            for (position, result) in results.iter().enumerate() {
                transaction
                    .prepare_cached(
                        "insert into foreign_result values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    )
                    .and_then(|mut insert| {
                        insert.execute(params![
                            file,
                            position as i64,
                            result.name,
                            result.parameters,
                            result.statistic,
                            result.ns,
                            result.low,
                            result.high,
                            i64::try_from(result.samples).unwrap_or(i64::MAX),
                            result.bytes.map(|n| i64::try_from(n).unwrap_or(i64::MAX)),
                            result.error
                        ])
                    })
                    .map_err(wrap(&self.path))?;
            }
            imported.results += results.len();
        }
        transaction.commit().map_err(wrap(&self.path))?;
        Ok(imported)
    }

    /// All of them, in the order of their import.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn foreign(&self) -> Result<Vec<ForeignRow>, StoreError> {
        let sql = "select foreign_file.id, foreign_file.name, tool, version, machine, imported,
                          foreign_result.name, parameters, statistic, ns, low, high, samples,
                          bytes, error
                   from foreign_file join foreign_result on file = foreign_file.id
                   order by foreign_file.id, position";
        self.all(sql, [], |row| {
            Ok(ForeignRow {
                file: row.get(0)?,
                name_of_file: row.get(1)?,
                tool: row.get(2)?,
                version: row.get(3)?,
                machine: row.get(4)?,
                imported: row.get(5)?,
                result: ForeignResult {
                    name: row.get(6)?,
                    parameters: row.get(7)?,
                    statistic: row.get(8)?,
                    ns: row.get(9)?,
                    low: row.get(10)?,
                    high: row.get(11)?,
                    samples: row.get::<_, i64>(12)? as u64,
                    bytes: row.get::<_, Option<i64>>(13)?.map(|n| n as u64),
                    error: row.get(14)?,
                },
            })
        })
    }
}
