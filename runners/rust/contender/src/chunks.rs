//! Cuts a message into the chunks in which it is streamed.

use cupel_protocol::host::{Refused, Task};

/// Lengths in bytes, repeated until the message ends.
pub struct Chunks(Vec<usize>);

impl Chunks {
    /// The lengths that a task demands; `None` if the message is passed in one call.
    ///
    /// # Errors
    /// `unsupported` if all lengths are zero, which would never reach the end of a message.
    pub fn of(task: &Task) -> Result<Option<Chunks>, Refused> {
        match &task.chunks[..] {
            [] => Ok(None),
            lengths if lengths.iter().all(|&n| n == 0) => {
                Err(Refused::unsupported("chunks of no bytes never reach the message's end"))
            }
            lengths => Ok(Some(Chunks(lengths.iter().map(|&n| n as usize).collect()))),
        }
    }

    /// Rejects a task that streams, for an operation that cannot.
    ///
    /// # Errors
    /// `unsupported` if the task demands chunks.
    pub fn none(task: &Task) -> Result<(), Refused> {
        match task.chunks[..] {
            [] => Ok(()),
            _ => Err(Refused::unsupported(format!(
                "{} takes the message in one call, not in chunks",
                task.operation
            ))),
        }
    }

    /// The pieces of a message, without copies. A length of zero gives an empty piece; an empty
    /// message has no pieces.
    #[inline(always)]
    pub fn cut<'a>(&'a self, message: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let mut rest = message;
        let mut lengths = self.0.iter().cycle();
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (piece, behind) = rest.split_at((*lengths.next()?).min(rest.len()));
            rest = behind;
            Some(piece)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_take_the_lengths_in_turn_and_end_with_the_message() {
        let chunks = Chunks(vec![7, 0, 3]);
        let message: Vec<u8> = (0..20).collect();
        let lengths: Vec<usize> = chunks.cut(&message).map(<[u8]>::len).collect();
        assert_eq!(lengths, [7, 0, 3, 7, 0, 3]);
        assert_eq!(chunks.cut(&message).flatten().copied().collect::<Vec<u8>>(), message);
        assert_eq!(chunks.cut(&[]).count(), 0);
    }
}
