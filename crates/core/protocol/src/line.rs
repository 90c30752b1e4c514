//! One JSON object per line, with a limit on the line's length: a runner that never ends its line
//! must not use up the tool's memory.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, BufRead, Read, Write};

/// The longest line that is read, in bytes. The longest valid one carries a sealed 16 MiB message
/// in hex.
pub const MAX_LINE: usize = 48 << 20;

/// Why no message could be read.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// The stream ended between two lines.
    #[error("the stream ended")]
    End,
    /// The stream ended inside a line.
    #[error("the stream ended in the middle of a line, after: {0}")]
    Half(String),
    /// The line is longer than [`MAX_LINE`].
    #[error("a line is longer than {limit} MiB and begins: {0}", limit = MAX_LINE >> 20)]
    TooLong(String),
    /// The line is not the message that was expected.
    #[error("{reason}, in the line: {line}")]
    Malformed {
        /// The JSON reader's message.
        reason: String,
        /// The beginning of the line.
        line: String,
    },
    /// The stream could not be read.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
}

/// Reads one line without its line feed into `line`, which is cleared first.
///
/// # Errors
/// [`LineError::End`], [`LineError::Half`], [`LineError::TooLong`] or [`LineError::Io`].
pub fn read(from: &mut impl BufRead, line: &mut Vec<u8>) -> Result<(), LineError> {
    line.clear();
    read_on(from, line)
}

/// Reads the rest of a line, of which `line` has what came before an error of the stream.
///
/// # Errors
/// As [`read`]. After [`LineError::Io`], `line` has all that was read so far.
pub fn read_on(from: &mut impl BufRead, line: &mut Vec<u8>) -> Result<(), LineError> {
    let room = (MAX_LINE + 1).saturating_sub(line.len());
    from.take(room as u64).read_until(b'\n', line)?;
    if line.len() > MAX_LINE {
        return Err(LineError::TooLong(excerpt(line)));
    }
    match line.pop() {
        Some(b'\n') => Ok(()),
        None => Err(LineError::End),
        Some(last) => {
            line.push(last);
            Err(LineError::Half(excerpt(line)))
        }
    }
}

/// Reads a message from the bytes of a line.
///
/// # Errors
/// [`LineError::Malformed`] with the JSON reader's message and the beginning of the line.
pub fn parse<T: DeserializeOwned>(line: &[u8]) -> Result<T, LineError> {
    serde_json::from_slice(line)
        .map_err(|e| LineError::Malformed { reason: e.to_string(), line: excerpt(line) })
}

/// Writes a message as one line and flushes it.
///
/// # Errors
/// The errors of the stream.
pub fn write(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    // A short line is written at once; a long one is not kept in memory twice.
    let mut to = io::BufWriter::with_capacity(1 << 16, to);
    serde_json::to_writer(&mut to, message)?;
    to.write_all(b"\n")?;
    to.flush()
}

/// The first bytes of a line, for a message: at most 120 characters, with control characters
/// escaped.
pub fn excerpt(line: &[u8]) -> String {
    let head = &line[..line.len().min(480)];
    let text: String = String::from_utf8_lossy(head).chars().take(120).collect();
    let mut shown: String = text.chars().flat_map(shown_char).collect();
    if text.len() < line.len() {
        shown.push('…');
    }
    shown
}

fn shown_char(c: char) -> impl Iterator<Item = char> {
    let escaped = c.is_control();
    let plain = (!escaped).then_some(c);
    plain.into_iter().chain(escaped.then(|| c.escape_default()).into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn lines_come_one_by_one_and_the_end_is_distinguished_from_half_a_line() {
        let mut from = Cursor::new(b"one\n\ntwo\nhal".to_vec());
        let mut line = Vec::new();
        for expected in ["one", "", "two"] {
            read(&mut from, &mut line).unwrap();
            assert_eq!(line, expected.as_bytes());
        }
        assert!(matches!(read(&mut from, &mut line), Err(LineError::Half(h)) if h == "hal"));
        assert!(matches!(read(&mut from, &mut line), Err(LineError::End)));
    }

    #[test]
    fn an_endless_line_is_refused_before_it_fills_the_memory() {
        let mut from = io::BufReader::new(io::repeat(b'x'));
        let mut line = Vec::new();
        assert!(matches!(read(&mut from, &mut line), Err(LineError::TooLong(_))));
        assert!(line.len() < MAX_LINE + (1 << 20));
    }

    #[test]
    fn an_excerpt_holds_no_control_characters() {
        let shown = excerpt(b"\x1b[31mred\x07");
        assert!(!shown.chars().any(char::is_control), "{shown:?}");
        assert!(shown.contains("red"));
    }
}
