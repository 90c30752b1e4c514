//! The change of a written answer by a fault: a field with another text, or the same answer twice.

use serde::de::IgnoredAny;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// The fate of one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// This field has this text, which need not be JSON. A field that the answer lacks is added.
    Field {
        /// The name of the field.
        name: String,
        /// The text there.
        text: Vec<u8>,
    },
    /// The answer is written twice.
    Twice,
}

impl Edit {
    /// The line, which ends with a line feed, as it is written in place of `line`.
    fn apply(&self, line: &[u8]) -> Vec<u8> {
        let Edit::Field { name, text } = self else { return line.repeat(2) };
        let key = format!("\"{name}\":");
        let found = line.windows(key.len()).position(|window| window == key.as_bytes());
        let Some(found) = found else {
            let end = line.iter().rposition(|byte| *byte == b'}').unwrap_or(0);
            let added = [b",", key.as_bytes(), text].concat();
            return [&line[..end], &added, &line[end..]].concat();
        };
        let begin = found + key.len();
        let mut values =
            serde_json::Deserializer::from_slice(&line[begin..]).into_iter::<IgnoredAny>();
        values.next();
        let end = begin + values.byte_offset();
        [&line[..begin], text, &line[end..]].concat()
    }
}

/// The edit of the next answer, which a runner and its output share.
#[derive(Clone, Debug, Default)]
pub struct NextEdit(Arc<Mutex<Option<Edit>>>);

impl NextEdit {
    /// The next answer becomes this.
    pub fn set(&self, edit: Edit) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(edit);
    }

    fn take(&self) -> Option<Edit> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// An output whose answers are edited. An answer ends when it is flushed.
pub struct Edited<W> {
    to: W,
    line: Vec<u8>,
    next: NextEdit,
}

impl<W: Write> Edited<W> {
    /// Writes to this stream.
    pub fn new(to: W, next: NextEdit) -> Edited<W> {
        Edited { to, line: vec![], next }
    }
}

impl<W: Write> Write for Edited<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let edit = self.next.take().filter(|_| !line.is_empty());
        self.to.write_all(&edit.map_or_else(|| line.clone(), |edit| edit.apply(&line)))?;
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_has_another_text_and_a_new_one_is_added() {
        let edit = |name: &str, text: &str| {
            let edit = Edit::Field { name: name.to_string(), text: text.into() };
            String::from_utf8(edit.apply(b"{\"id\":3,\"noise\":{\"a\":1},\"ns\":2.5}\n")).unwrap()
        };
        assert_eq!(edit("id", "NaN"), "{\"id\":NaN,\"noise\":{\"a\":1},\"ns\":2.5}\n");
        assert_eq!(edit("noise", "[["), "{\"id\":3,\"noise\":[[,\"ns\":2.5}\n");
        assert_eq!(edit("x", "1"), "{\"id\":3,\"noise\":{\"a\":1},\"ns\":2.5,\"x\":1}\n");
    }
}
