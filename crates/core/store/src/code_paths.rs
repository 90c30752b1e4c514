//! The code paths of one contender, one for each primitive and operation: a library that has vector
//! code for SHA-256 may have none for SipHash.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use std::collections::BTreeMap;

/// Keyed by primitive and operation, as in `sha256 digest`. In the store, a JSON object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodePaths(BTreeMap<String, String>);

impl CodePaths {
    /// The text for the store.
    pub fn text(&self) -> String {
        serde_json::to_string(&self.0).expect("texts are JSON")
    }

    /// Adds a contender's report. Returns whether it is new.
    pub fn add(&mut self, work: &str, code_path: &str) -> bool {
        self.0.insert(work.to_string(), code_path.to_string()).as_deref() != Some(code_path)
    }

    /// The code path for a primitive and operation; empty if unknown.
    pub fn path(&self, work: &str) -> &str {
        self.0.get(work).map_or("", String::as_str)
    }

    /// All code paths in words; a single one if they are all the same.
    pub fn words(&self) -> String {
        let mut paths = self.0.values();
        match paths.next() {
            None => "-".to_string(),
            Some(first) if paths.all(|path| path == first) => first.clone(),
            Some(_) => {
                let each = self.0.iter().map(|(work, path)| format!("{work}: {path}"));
                each.collect::<Vec<_>>().join(", ")
            }
        }
    }
}

impl FromSql for CodePaths {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<CodePaths> {
        let paths = serde_json::from_str(value.as_str()?);
        paths.map(CodePaths).map_err(|error| FromSqlError::Other(Box::new(error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_primitive_has_its_own() {
        let mut paths = CodePaths::default();
        assert_eq!((paths.path("sha256 digest"), paths.words().as_str()), ("", "-"));
        assert!(paths.add("sha256 digest", "shani"));
        assert!(!paths.add("sha256 digest", "shani"));
        assert_eq!(paths.words(), "shani");
        assert!(paths.add("siphash-2-4 mac", "portable"));
        let text = paths.text();
        let paths = CodePaths::column_result(ValueRef::Text(text.as_bytes())).unwrap();
        assert_eq!(
            (paths.path("sha256 digest"), paths.path("siphash-2-4 mac")),
            ("shani", "portable")
        );
        assert_eq!(paths.words(), "sha256 digest: shani, siphash-2-4 mac: portable");
    }

    #[test]
    fn a_text_that_is_not_an_object_is_refused() {
        for text in ["avx2", "null", "[]", r#"{"sha1 digest": 1}"#] {
            assert!(CodePaths::column_result(ValueRef::Text(text.as_bytes())).is_err(), "{text}");
        }
        assert!(CodePaths::column_result(ValueRef::Null).is_err());
    }
}
