//! Writes to a runner that may not read: a request can be longer than the system's buffer.

use cupel_machine::End;
use std::io::{self, ErrorKind, Write};
use std::process::{Child, ChildStdin};
use std::time::{Duration, Instant};

/// How long a runner does not read until the tool looks whether it still lives.
const A_LOOK: Duration = Duration::from_secs(1);

/// The input of a runner. A write fails with `TimedOut` if the runner does not read within its
/// patience, and with `BrokenPipe` if it has ended.
pub struct Patient<'a> {
    to: &'a mut ChildStdin,
    child: &'a mut Child,
    began: Instant,
    patience: Duration,
}

impl<'a> Patient<'a> {
    /// The patience begins now.
    pub fn new(to: &'a mut ChildStdin, child: &'a mut Child, patience: Duration) -> Patient<'a> {
        Patient { to, child, began: Instant::now(), patience }
    }
}

impl Write for Patient<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.to.write(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                written => return written,
            }
            let left = self.patience.saturating_sub(self.began.elapsed());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            cupel_machine::await_room(self.to, left.min(A_LOOK));
            // A child of it may keep its input open.
            if cupel_machine::end_of(self.child) != End::NotYet {
                return Err(ErrorKind::BrokenPipe.into());
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
