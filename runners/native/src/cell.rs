//! A task that a C contender has prepared: the timed call.

use crate::object::Entry;
use crate::{abi, text};
use cupel_protocol::batch::Batch;
use cupel_protocol::host::{Call, CallError, Io, Refused, Task};
use cupel_protocol::message::Refusal;
use cupel_protocol::workload::{Key, Operation, Output};
use std::ffi::{CString, c_int};
use std::ptr;

/// An open task, closed when it is dropped.
pub struct Cell {
    call: abi::CallFn,
    /// The call that takes many messages, if the object has one.
    call_many: Option<abi::CallManyFn>,
    close: abi::CloseFn,
    state: abi::State,
}

impl Cell {
    /// Prepares a task.
    ///
    /// # Errors
    /// The contender's own refusal, or that the C interface cannot express the task.
    pub fn open(entry: Entry, task: &Task) -> Result<Cell, Refused> {
        if task.operation == Operation::DigestFile {
            return Err(Refused::unsupported("a C contender is given memory, not files"));
        }
        if task.contract.output != Output::Given {
            return Err(Refused::unsupported(
                "a C contender writes to the buffer that it is given",
            ));
        }
        let c_string = |text: &str| {
            CString::new(text).map_err(|_| Refused::failed(format!("{text:?} holds a NUL")))
        };
        let primitive = c_string(&task.primitive)?;
        let operation = match task.operation {
            Operation::DigestMany if entry.call_many.is_none() => Operation::Digest,
            operation => operation,
        };
        let operation = c_string(operation.name())?;
        let c_task = abi::Task {
            primitive: primitive.as_ptr(),
            operation: operation.as_ptr(),
            key: task.key.as_ptr(),
            key_len: task.key.len(),
            key_schedule: match task.contract.key {
                Key::None => abi::KEY_NONE,
                Key::Prepared => abi::KEY_PREPARED,
                Key::PerCall => abi::KEY_PER_CALL,
            },
            chunks: task.chunks.as_ptr(),
            chunk_count: task.chunks.len(),
        };
        let mut state =
            abi::State { data: ptr::null_mut(), code_path: ptr::null(), reason: ptr::null() };
        // SAFETY: the task's pointers are valid for their lengths during the call, and the
        // contender may write to the state.
        let code = unsafe { (entry.open)(entry.index, &c_task, &mut state) };
        if code != abi::OK {
            return Err(refused("cupel_open", code, &state));
        }
        let Entry { call, call_many, prefix, close, .. } = entry;
        // Closed from here on.
        let mut cell = Cell { call, call_many, close, state };
        if task.contract.prefix > 0 {
            cell.take_in(prefix, &task.contract.prefix())?;
        }
        Ok(cell)
    }

    /// Passes on the prefix of every message.
    fn take_in(&mut self, function: Option<abi::PrefixFn>, prefix: &[u8]) -> Result<(), Refused> {
        let Some(function) = function else {
            return Err(Refused::unsupported("it has no cupel_prefix: it copies no state"));
        };
        // SAFETY: the state is open, and the prefix is valid for its length.
        let code = unsafe { function(&mut self.state, prefix.as_ptr(), prefix.len()) };
        if code != abi::OK {
            return Err(refused("cupel_prefix", code, &self.state));
        }
        Ok(())
    }

    /// The error for the result code of a call of `function` that gave no output.
    #[cold]
    fn error(&mut self, function: &str, code: c_int, claimed: usize, room: usize) -> CallError {
        // SAFETY: the interface requires a NUL-terminated string or null here.
        let reason = unsafe { text::lossy(self.state.reason) };
        // A later failure must not be explained by this reason.
        self.state.reason = ptr::null();
        // Leaked: errors are rare, and each ends a slice or a case.
        let say = |otherwise: String| -> &'static str { reason.unwrap_or(otherwise).leak() };
        match code {
            abi::OK => CallError::Failed(
                format!("{function} claims {claimed} bytes of output for {room} of room").leak(),
            ),
            abi::REFUSED => CallError::Refused,
            abi::UNSUPPORTED => CallError::Unsupported(say(unexplained(function, code))),
            _ => CallError::Failed(say(unexplained(function, code))),
        }
    }
}

/// The refusal of `function`, which returned `code`.
fn refused(function: &str, code: c_int, state: &abi::State) -> Refused {
    // SAFETY: the interface requires a NUL-terminated string or null here.
    let reason = unsafe { text::lossy(state.reason) };
    let refusal = Refusal::because(reason.unwrap_or_else(|| unexplained(function, code)));
    match code {
        abi::UNSUPPORTED => Refused::Unsupported(refusal),
        abi::MISSING => Refused::Missing(refusal),
        _ => Refused::Failed(refusal),
    }
}

/// The reason that is reported if a contender gives none.
fn unexplained(function: &str, code: c_int) -> String {
    match code {
        abi::UNSUPPORTED => format!("{function} returned CUPEL_UNSUPPORTED and no reason"),
        abi::MISSING => format!("{function} returned CUPEL_MISSING and no reason"),
        abi::FAILED => format!("{function} returned CUPEL_FAILED and no reason"),
        _ => format!("{function} returned {code}, which is not one of its results"),
    }
}

impl Call for Cell {
    #[inline(always)]
    fn call(&mut self, io: &Io<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        let mut buffers = abi::Io {
            nonce: io.nonce.as_ptr(),
            nonce_len: io.nonce.len(),
            ad: io.ad.as_ptr(),
            ad_len: io.ad.len(),
            input: io.input.as_ptr(),
            input_len: io.input.len(),
            output: output.as_mut_ptr(),
            output_len: output.len(),
        };
        // SAFETY: the state is open; every buffer is valid for its length, the contender may write
        // to the output only, and the output overlaps none of the others.
        let code = unsafe { (self.call)(&mut self.state, &mut buffers) };
        if code == abi::OK && buffers.output_len <= output.len() {
            Ok(buffers.output_len)
        } else {
            Err(self.error("cupel_call", code, buffers.output_len, output.len()))
        }
    }

    #[inline(always)]
    fn call_many(&mut self, batch: &Batch<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        let Some(call_many) = self.call_many else { return self.one_by_one(batch, output) };
        let mut buffers = abi::Batch {
            count: batch.count(),
            messages: batch.at().as_ptr(),
            lengths: batch.lengths().as_ptr(),
            output: output.as_mut_ptr(),
            output_len: output.len(),
        };
        // SAFETY: as for one message; both arrays have one entry for each message.
        let code = unsafe { call_many(&mut self.state, &mut buffers) };
        if code == abi::OK && buffers.output_len <= output.len() {
            Ok(buffers.output_len)
        } else {
            Err(self.error("cupel_call_many", code, buffers.output_len, output.len()))
        }
    }

    fn code_path(&self) -> String {
        // SAFETY: a NUL-terminated string or null, which lives until `cupel_close`.
        let reported = unsafe { text::lossy(self.state.code_path) };
        reported.unwrap_or_else(|| "unknown".to_string())
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        // SAFETY: the state was opened, and is closed only here.
        unsafe { (self.close)(&mut self.state) }
    }
}
