//! What a runner writes, line by line. The thread that asks reads, too: another one would still be
//! busy with the last answer when the next slice begins on the same processor.

use cupel_protocol::line::{self, LineError};
use std::io::{self, BufReader, ErrorKind, Read};
use std::process::ChildStdout;
use std::time::{Duration, Instant};

/// The lines of a runner's standard output.
pub struct Lines {
    from: BufReader<Timely>,
    /// The beginning of a line whose end has not come yet.
    begun: Vec<u8>,
}

/// A pipe whose reads fail with [`ErrorKind::TimedOut`] if nothing comes until then.
struct Timely {
    pipe: ChildStdout,
    until: Instant,
}

impl Lines {
    /// The lines of this pipe.
    pub fn new(pipe: ChildStdout) -> Lines {
        cupel_machine::never_block(&pipe);
        let from = Timely { pipe, until: Instant::now() };
        Lines { from: BufReader::with_capacity(1 << 16, from), begun: Vec::new() }
    }

    /// The next line without its line feed; `None` if it does not end within this time.
    ///
    /// # Errors
    /// As [`line::read`].
    pub fn next(&mut self, patience: Duration) -> Result<Option<Vec<u8>>, LineError> {
        self.from.get_mut().until = Instant::now() + patience;
        match line::read_on(&mut self.from, &mut self.begun) {
            Err(LineError::Io(error)) if error.kind() == ErrorKind::TimedOut => Ok(None),
            read => read.map(|()| Some(std::mem::take(&mut self.begun))),
        }
    }
}

impl Read for Timely {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.pipe.read(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => return read,
            }
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            cupel_machine::await_input(&self.pipe, Some(left));
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Child, Command, Stdio};

    /// A shell script, and its lines.
    fn lines(script: &str) -> (Child, Lines) {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        let lines = Lines::new(child.stdout.take().unwrap());
        (child, lines)
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_line_that_comes_in_parts_is_whole_and_the_next_one_is_not_lost() {
        let (mut shell, mut lines) = lines("printf on; read go; printf 'e\\ntwo\\nhal'");
        while lines.begun != b"on" {
            assert_eq!(lines.next(Duration::from_millis(10)).unwrap(), None);
        }
        shell.stdin.take().unwrap().write_all(b"go\n").unwrap();
        assert_eq!(lines.next(LONG).unwrap(), Some(b"one".to_vec()));
        assert_eq!(lines.next(LONG).unwrap(), Some(b"two".to_vec()));
        assert!(matches!(lines.next(LONG), Err(LineError::Half(half)) if half == "hal"));
        shell.wait().unwrap();
    }

    #[test]
    fn the_end_is_no_line() {
        let (mut shell, mut lines) = lines("echo one");
        assert_eq!(lines.next(LONG).unwrap(), Some(b"one".to_vec()));
        assert!(matches!(lines.next(LONG), Err(LineError::End)));
        shell.wait().unwrap();
    }

    #[test]
    fn a_line_that_is_already_there_needs_no_time() {
        let (mut shell, mut lines) = lines("printf 'one\\ntwo\\n'");
        assert_eq!(lines.next(LONG).unwrap(), Some(b"one".to_vec()));
        assert_eq!(lines.next(Duration::ZERO).unwrap(), Some(b"two".to_vec()));
        shell.wait().unwrap();
    }
}
