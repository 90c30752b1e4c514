//! A file of `contenders/` while it is being read: its keys one by one, and mistakes with their
//! line.

use cupel_base::problem::{Problem, line_of};
use serde::de::DeserializeOwned;
use serde_spanned::Spanned;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// A family's file while it is being read.
pub(crate) struct File<'a> {
    pub(crate) path: &'a Path,
    pub(crate) text: &'a str,
}

impl File<'_> {
    /// A problem at this offset.
    pub(crate) fn at(&self, offset: usize, what: impl Into<String>) -> Problem {
        Problem::at(self.path, self.text, offset, what)
    }

    /// A string that must be there, taken out of the table.
    pub(crate) fn text_at(
        &self,
        key: &str,
        table: &mut Spanned<DeTable<'_>>,
    ) -> Result<Spanned<String>, Problem> {
        let found = table.get_mut().remove(key);
        let Some(value) = found else {
            return Err(self.at(0, format!("`{key}` is missing")));
        };
        let span = value.span();
        match value.into_inner() {
            DeValue::String(text) => Ok(Spanned::new(span, text.into_owned())),
            _ => Err(self.at(span.start, format!("`{key}` must be a string"))),
        }
    }

    /// The value of a key, taken out of the table, if it is there.
    pub(crate) fn optional<T: DeserializeOwned>(
        &self,
        key: &str,
        table: &mut Spanned<DeTable<'_>>,
    ) -> Result<Option<T>, Problem> {
        let Some(value) = table.get_mut().remove(key) else { return Ok(None) };
        let start = value.span().start;
        let read = T::deserialize(toml::de::ValueDeserializer::from(value));
        read.map(Some).map_err(|e| self.mistake(&e, start))
    }

    /// The rest of the table: all its keys must be known.
    pub(crate) fn rest<T: DeserializeOwned>(
        &self,
        table: Spanned<DeTable<'_>>,
    ) -> Result<T, Problem> {
        let read = T::deserialize(toml::de::Deserializer::from(table));
        read.map_err(|e| self.mistake(&e, 0))
    }

    /// The reader's own message, at the place that it names, otherwise at `start`.
    fn mistake(&self, error: &toml::de::Error, start: usize) -> Problem {
        let mut problem = Problem::of_toml(self.path, self.text, error);
        if error.span().is_none() {
            problem.line = line_of(self.text, start);
        }
        problem
    }
}
