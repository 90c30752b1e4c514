//! Whether a file that is not trusted has the tables of a store, and nothing else: a view in the
//! place of a table can compute for ever, and so can a check that SQLite evaluates for each row.

use super::{StoreError, damaged, gates, leak_tests, schema, wrap};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::Path;

/// The largest size of one value of a file: far more than any plan has.
pub const LARGEST: i32 = 64 << 20;

/// Rejects a file whose tables, indices or triggers are not those that the tool makes, or that is
/// broken. Nothing of the file is evaluated before its schema is known.
///
/// # Errors
/// Names the missing, foreign or broken part.
pub fn check(db: &Connection, path: &Path) -> Result<(), StoreError> {
    db.pragma_update(None, "trusted_schema", "off").map_err(wrap(path))?;
    let known = schema::empty().and_then(|db| parts(&db)).map_err(wrap(path))?;
    let parts = parts(db).map_err(wrap(path))?;
    for (part, text) in &parts {
        let (kind, name) = part;
        match known.get(part) {
            None => {
                let what = format!("it has the {kind} {name:?}, which no store has");
                return Err(damaged(path, what));
            }
            Some(known) if known != text => {
                return Err(damaged(path, format!("its {kind} {name:?} is not that of a store")));
            }
            Some(_) => {}
        }
    }
    let is_missing = |(kind, name): &&(String, String)| {
        !parts.contains_key(&(kind.clone(), name.clone()))
            && ![gates::NAME, leak_tests::NAME].contains(&name.as_str())
    };
    if let Some((kind, name)) = known.keys().find(is_missing) {
        return Err(damaged(path, format!("it has no {kind} {name:?}")));
    }
    // A broken page is detected before the first row is read.
    let health: String =
        db.query_row("pragma quick_check(1)", [], |row| row.get(0)).map_err(wrap(path))?;
    if health == "ok" { Ok(()) } else { Err(damaged(path, health)) }
}

/// Everything that a schema declares, by kind and name: the table that it belongs to, and its text.
type Parts = BTreeMap<(String, String), (String, String)>;

fn parts(db: &Connection) -> Result<Parts, rusqlite::Error> {
    db.prepare("select type, name, tbl_name, coalesce(sql, '') from sqlite_master")?
        .query_map([], |row| {
            let text: String = row.get(3)?;
            Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, meaning(&text))))
        })?
        .collect()
}

/// A statement of the schema without its comments and line breaks, which may differ between
/// versions of the tool. No statement of a store has quotation marks before a comment, so none can
/// be hidden.
fn meaning(text: &str) -> String {
    let code = text.lines().map(|line| line.split_once("--").map_or(line, |(code, _)| code));
    let words: Vec<&str> = code.flat_map(str::split_whitespace).collect();
    words.join(" ")
}
