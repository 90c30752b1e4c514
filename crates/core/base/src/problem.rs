//! A fault of a file: its message, its place and a remedy; and suggestions for unknown names.

use crate::strange;
use std::fmt;
use std::path::{Path, PathBuf};

/// A mistake in a TOML file, shown like a compiler's message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file; empty if the mistake is on the command line.
    pub path: PathBuf,
    /// Its line, from 1; 0 if the file could not be read.
    pub line: usize,
    /// The fault, in words.
    pub what: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Problem {
    /// A refusal that is about no file, with its remedy.
    pub fn refusal(what: impl Into<String>, help: impl Into<String>) -> Problem {
        let (what, help) = (what.into(), Some(help.into()));
        Problem { path: PathBuf::new(), line: 0, what, help }
    }

    /// A problem at a byte offset in the text.
    pub fn at(path: &Path, text: &str, offset: usize, what: impl Into<String>) -> Problem {
        let line = line_of(text, offset);
        Problem { path: path.to_path_buf(), line, what: what.into(), help: None }
    }

    /// A problem of a whole file, reported at its first line.
    pub fn whole(path: &Path, what: impl Into<String>) -> Problem {
        Problem { path: path.to_path_buf(), line: 1, what: what.into(), help: None }
    }

    /// A mistake that the TOML reader found: its own message, and the nearest key if one is
    /// unknown.
    pub fn of_toml(path: &Path, text: &str, error: &toml::de::Error) -> Problem {
        let offset = error.span().map_or(0, |span| span.start);
        let message = error.message();
        let problem = Problem::at(path, text, offset, message.lines().next().unwrap_or(message));
        let mut quoted = message.split('`').skip(1).step_by(2);
        match (message.starts_with("unknown "), quoted.next()) {
            (true, Some(unknown)) => {
                Problem { help: did_you_mean(unknown, quoted, Written::Key), ..problem }
            }
            _ => problem,
        }
    }

    /// Adds a remedy to the problem.
    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A question from the command line has no file.
        if !self.path.as_os_str().is_empty() {
            match self.line {
                0 => write!(f, "{}: ", self.path.display())?,
                line => write!(f, "{}:{line}: ", self.path.display())?,
            }
        }
        f.write_str(&self.what)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}

/// A TOML file's text.
///
/// # Errors
/// If it cannot be read, or is not UTF-8; then with the line.
pub fn text_of(path: &Path) -> Result<String, Problem> {
    let bytes = strange::bytes(path, strange::MOST_TEXT).map_err(|e| Problem {
        path: path.to_path_buf(),
        line: 0,
        what: format!("cannot be read: {e}"),
        help: None,
    })?;
    String::from_utf8(bytes).map_err(|e| {
        let offset = e.utf8_error().valid_up_to();
        let line = 1 + e.as_bytes()[..offset].iter().filter(|&&b| b == b'\n').count();
        let what = "this is not UTF-8".to_string();
        let help = Some("save the file as UTF-8, which TOML requires".to_string());
        Problem { path: path.to_path_buf(), line, what, help }
    })
}

/// The line number, from 1, of a byte offset.
pub fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|&&b| b == b'\n').count()
}

/// How a name is written where the mistake is; a suggestion is written in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// A value of a TOML file: `"sha256"`.
    Value,
    /// A key, or a word of the protocol, in backquotes.
    Key,
    /// A word of a command line.
    Word,
}

/// `did you mean NAME?`, with the known name that is most like `name`, if one is similar enough.
pub fn did_you_mean<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    written: Written,
) -> Option<String> {
    let near = nearest(name, known)?;
    Some(match written {
        Written::Value => format!("did you mean \"{near}\"?"),
        Written::Key => format!("did you mean `{near}`?"),
        Written::Word => format!("did you mean {near}?"),
    })
}

/// The known name that is most like `name`, if one is similar enough.
fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= (candidate.len().max(name.len()) / 3).max(1))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// The most names that a message lists.
const NAMED: usize = 8;

/// The contenders that offer something that another does not.
pub fn these_do(names: &[&str]) -> String {
    match names.split_at_checked(NAMED) {
        _ if names.is_empty() => "nothing here does".to_string(),
        Some((first, [_, ..])) => {
            let (all, first) = (names.len(), first.join(", "));
            format!("{all} contenders do, among them {first}; `cupel list` shows all")
        }
        _ => format!("these do: {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_names_the_first_are_listed_and_how_many_there_are() {
        let names: Vec<String> = (1..=9).map(|n| format!("c/{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(these_do(&names[..1]), "these do: c/1");
        assert!(these_do(&names[..8]).ends_with("c/7, c/8"));
        let nine = these_do(&names);
        assert!(nine.starts_with("9 contenders do, among them c/1, "), "{nine}");
        assert!(nine.contains("c/8; `cupel list`") && !nine.contains("c/9"), "{nine}");
        assert_eq!(these_do(&[]), "nothing here does");
    }

    #[test]
    fn a_suggestion_is_written_as_the_mistake_is() {
        let meant = |name, written| did_you_mean(name, ["sha256", "siphash-2-4"], written);
        assert_eq!(meant("sha265", Written::Value).unwrap(), "did you mean \"sha256\"?");
        assert_eq!(meant("siphash24", Written::Key).unwrap(), "did you mean `siphash-2-4`?");
        assert_eq!(meant("sha2556", Written::Word).unwrap(), "did you mean sha256?");
        assert_eq!(meant("aes-gcm", Written::Word), None);
    }
}
