//! Files: the operation `digest-file`.
//!
//! The reader is created once. Reading the file and rewinding it after each digest are part of
//! the call.

use crate::chunks::Chunks;
use crate::hash::Hash;
use crate::{Offered, Open, Timed};
use cupel_protocol::host::{CallError, Refused, Task};
use cupel_protocol::workload::Operation;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};

/// Offers the digest of a file by a loop over `Read::read` with a buffer of 1 KiB.
pub const fn read_1k<H: Hash>(primitive: &'static str) -> Offered {
    Offered {
        primitive,
        operation: Operation::DigestFile,
        open: Open::One(open_read_1k::<H>),
        shares: false,
    }
}

/// Offers the digest of a file by `std::io::copy` into the hash function.
pub const fn copy<H: Hash>(primitive: &'static str) -> Offered {
    Offered {
        primitive,
        operation: Operation::DigestFile,
        open: Open::One(open_copy::<H>),
        shares: false,
    }
}

fn open_read_1k<H: Hash>(task: &Task) -> Result<Timed, Refused> {
    let mut reader = reader(task)?;
    Ok(Box::new(move |_, output| {
        let mut hash = H::new();
        let mut buffer = [0; 1024];
        loop {
            let n = reader.read(&mut buffer).map_err(unread)?;
            if n == 0 {
                break;
            }
            hash.update(&buffer[..n]);
        }
        reader.rewind().map_err(unread)?;
        Ok(hash.finish(output))
    }))
}

fn open_copy<H: Hash>(task: &Task) -> Result<Timed, Refused> {
    let mut reader = reader(task)?;
    Ok(Box::new(move |_, output| {
        let mut sink = Sink(H::new());
        io::copy(&mut reader, &mut sink).map_err(unread)?;
        reader.rewind().map_err(unread)?;
        Ok(sink.0.finish(output))
    }))
}

fn reader(task: &Task) -> Result<BufReader<File>, Refused> {
    Chunks::none(task)?;
    let path = task.file.as_ref().ok_or_else(|| Refused::failed("no file was named"))?;
    match File::open(path) {
        Ok(file) => Ok(BufReader::new(file)),
        Err(e) => Err(Refused::failed(format!("cannot open {path}: {e}"))),
    }
}

fn unread(_: io::Error) -> CallError {
    CallError::Failed("the file could not be read")
}

/// Makes a hash function a [`Write`] for `io::copy`.
struct Sink<H>(H);

impl<H: Hash> Write for Sink<H> {
    #[inline]
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.0.update(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
