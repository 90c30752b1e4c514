//! Boots of the UEFI image, in their own table. Nothing that loads a run reads it: these
//! counts are not times, and no analysis may compare the two.

use super::{Store, StoreError, damaged, now, wrap};
use crate::boot::{self, Boot};
use rusqlite::{Connection, OptionalExtension, params};
use std::path::Path;

/// A boot in the store.
#[derive(Clone, Debug, PartialEq)]
pub struct BootRow {
    /// Its number.
    pub id: i64,
    /// When it was added to this store: UTC, ISO 8601.
    pub added: String,
    /// Its measurements.
    pub boot: Boot,
}

impl Store {
    /// Stores a boot. Returns its number and whether it is new.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn keep_boot(&mut self, boot: &Boot) -> Result<(i64, bool), StoreError> {
        keep(&self.db, &self.path, boot)
    }

    /// Loads one boot, by default the last one added.
    ///
    /// # Errors
    /// If there is none, or the stored data cannot be read.
    pub fn boot(&self, id: Option<i64>) -> Result<BootRow, StoreError> {
        let sql = "select id, added, lines from boot where ?1 is null or id = ?1
                   order by id desc limit 1";
        let row: Option<(i64, String, String)> = self
            .db
            .query_row(sql, params![id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()
            .map_err(|e| self.wrap(e))?;
        match (row, id) {
            (Some((id, added, lines)), _) => {
                let boot =
                    one(&lines).map_err(|what| self.damaged(format!("boot {id}: {what}")))?;
                Ok(BootRow { id, added, boot })
            }
            (None, Some(id)) => Err(StoreError::NoRun(format!(
                "there is no boot {id}; `cupel kernels list` lists them"
            ))),
            (None, None) => Err(StoreError::NoRun(
                "there are no boots yet; start one with `cupel kernels boot`, or add one with `cupel import`"
                    .into(),
            )),
        }
    }

    /// The numbers of all boots, newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn boots(&self) -> Result<Vec<i64>, StoreError> {
        self.all("select id from boot order by id desc", [], |row| row.get(0))
    }
}

/// Adds the boots of another store, which is not trusted: each is parsed again. Returns how many
/// were added and how many were already here.
pub(super) fn import(
    from: &Connection,
    theirs: &Path,
    to: &Connection,
    own: &Path,
) -> Result<(usize, usize), StoreError> {
    let rows: Vec<(i64, String)> = from
        .prepare("select id, lines from boot order by id")
        .and_then(|mut select| {
            select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
        .map_err(wrap(theirs))?;
    let (mut added, mut known) = (0, 0);
    for (id, lines) in rows {
        let boot = one(&lines).map_err(|what| damaged(theirs, format!("boot {id}: {what}")))?;
        match keep(to, own, &boot)? {
            (_, true) => added += 1,
            (_, false) => known += 1,
        }
    }
    Ok((added, known))
}

fn one(lines: &str) -> Result<Boot, String> {
    let mut boots = boot::read(lines.as_bytes()).map_err(|e| e.to_string())?.boots;
    let boot = boots.pop().ok_or("no boot")?;
    if boots.is_empty() { Ok(boot) } else { Err("more than one boot".to_string()) }
}

fn keep(db: &Connection, path: &Path, boot: &Boot) -> Result<(i64, bool), StoreError> {
    let sql = "insert into boot (sha256, added, lines)
               values (?, ?, ?) on conflict do nothing";
    let new = db.execute(sql, params![boot.sha256, now(), boot.lines]).map_err(wrap(path))?;
    let id = db
        .query_row("select id from boot where sha256 = ?", [&boot.sha256], |row| row.get(0))
        .map_err(wrap(path))?;
    Ok((id, new == 1))
}
