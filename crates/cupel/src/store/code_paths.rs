//! The code paths of one contender, one for each primitive and operation: a library that has vector
//! code for SHA-256 may have none for SipHash.

use std::collections::BTreeMap;

/// Keyed by primitive and operation, as in `sha256 digest`. In the store, a JSON object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodePaths(BTreeMap<String, String>);

impl CodePaths {
    /// Parses the text of the store.
    pub fn read(text: Option<String>) -> CodePaths {
        let Some(text) = text else { return CodePaths::default() };
        match serde_json::from_str(&text) {
            Ok(paths) => CodePaths(paths),
            // An older text: one code path for everything.
            Err(_) => CodePaths(BTreeMap::from([(String::new(), text)])),
        }
    }

    /// The text for the store.
    pub fn text(&self) -> String {
        serde_json::to_string(&self.0).expect("texts are JSON")
    }

    /// Adds what a contender reports. Returns whether it is new.
    pub fn add(&mut self, work: &str, code_path: &str) -> bool {
        self.0.insert(work.to_string(), code_path.to_string()).as_deref() != Some(code_path)
    }

    /// The code path for a primitive and operation; empty if unknown.
    pub fn of(&self, work: &str) -> &str {
        self.0.get(work).or_else(|| self.0.get("")).map_or("", String::as_str)
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

#[cfg(test)]
mod tests {
    use super::CodePaths;

    #[test]
    fn each_primitive_has_its_own() {
        let mut paths = CodePaths::read(None);
        assert_eq!((paths.of("sha256 digest"), paths.words().as_str()), ("", "-"));
        assert!(paths.add("sha256 digest", "shani"));
        assert!(!paths.add("sha256 digest", "shani"));
        assert_eq!(paths.words(), "shani");
        assert!(paths.add("siphash-2-4 mac", "portable"));
        let paths = CodePaths::read(Some(paths.text()));
        assert_eq!((paths.of("sha256 digest"), paths.of("siphash-2-4 mac")), ("shani", "portable"));
        assert_eq!(paths.words(), "sha256 digest: shani, siphash-2-4 mac: portable");
    }

    #[test]
    fn one_text_is_one_for_all() {
        let paths = CodePaths::read(Some("avx2".to_string()));
        assert_eq!((paths.of("sha1 digest"), paths.words().as_str()), ("avx2", "avx2"));
    }
}
