//! One call of a prepared contender: its inputs, its output, and the errors that it can have.

use crate::batch::Batch;

/// The inputs of one call.
#[derive(Clone, Copy, Debug)]
pub struct Io<'a> {
    /// The nonce; empty if the operation has none.
    pub nonce: &'a [u8],
    /// The associated data.
    pub ad: &'a [u8],
    /// The message: plaintext for `seal`, ciphertext followed by the tag for `open`.
    pub input: &'a [u8],
}

/// A contender prepared for one task: the timed call.
pub trait Call {
    /// Computes one output into `output` and returns its length in bytes.
    ///
    /// # Errors
    /// [`CallError::Refused`] if the input of `open` is not authentic. `output` must then contain
    /// no plaintext.
    fn call(&mut self, io: &Io<'_>, output: &mut [u8]) -> Result<usize, CallError>;

    /// Computes the digests of a batch into `output`, one after the other, and returns their total
    /// length in bytes. By default it computes one message after the other.
    ///
    /// # Errors
    /// The error of the first message without a digest.
    #[inline(always)]
    fn call_many(&mut self, batch: &Batch<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        self.one_by_one(batch, output)
    }

    /// Computes the digests of a batch with one call for each.
    ///
    /// # Errors
    /// The error of the first message without a digest.
    #[inline(always)]
    fn one_by_one(&mut self, batch: &Batch<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        let mut made = 0;
        for input in batch.messages() {
            let room = output.get_mut(made..).ok_or(LONGER)?;
            made += self.call(&Io { nonce: &[], ad: &[], input }, room)?;
        }
        Ok(made)
    }

    /// The selected code path, in the library's own words if it reports it.
    fn code_path(&self) -> String;
}

impl Call for Box<dyn Call> {
    #[inline(always)]
    fn call(&mut self, io: &Io<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        (**self).call(io, output)
    }

    #[inline(always)]
    fn call_many(&mut self, batch: &Batch<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        (**self).call_many(batch, output)
    }

    fn code_path(&self) -> String {
        (**self).code_path()
    }
}

/// Why a call gave no output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallError {
    /// Not authentic.
    Refused,
    /// The library cannot take this input by its nature (for example, a nonce length).
    Unsupported(&'static str),
    /// The library reported an error.
    Failed(&'static str),
}

/// The output of a call is longer than the space that it was given.
pub(super) const LONGER: CallError = CallError::Failed("output longer than its buffer");
