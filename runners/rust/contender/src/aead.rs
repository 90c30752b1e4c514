//! Authenticated encryption: the operations `seal` and `open`.

use crate::chunks::Chunks;
use crate::key::{self, Keyed};
use crate::{Offered, Open, Timed};
use cupel_protocol::host::{CallError, Io, Refused, Task};
use cupel_protocol::workload::Operation;

/// Nonce length in bytes of every AEAD but XChaCha20-Poly1305 (RFC 5116 section 5.1).
pub const NONCE: usize = 12;
/// Nonce length in bytes of XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03 section 2).
pub const XNONCE: usize = 24;
/// Tag length in bytes (RFC 5116 section 5.1).
pub const TAG: usize = 16;

/// An AEAD with its key, as a crate implements it: nonces of `N` bytes, tags of 16.
///
/// A crate that works only in place first copies the input to the output. The copy belongs to the
/// call, because the contract gives the output its own buffer.
pub trait Aead<const N: usize>: Keyed {
    /// Encrypts `plaintext` into `ciphertext`, which is as long.
    ///
    /// # Errors
    /// The crate's own, as `Failed`.
    fn seal(
        &self,
        nonce: &[u8; N],
        ad: &[u8],
        plaintext: &[u8],
        ciphertext: &mut [u8],
        tag: &mut [u8; TAG],
    ) -> Result<(), CallError>;

    /// Decrypts `ciphertext` into `plaintext`, which is as long, and verifies the tag.
    ///
    /// # Errors
    /// `Refused` if the tag is wrong; the caller then clears `plaintext`.
    fn open(
        &self,
        nonce: &[u8; N],
        ad: &[u8],
        ciphertext: &[u8],
        tag: &[u8; TAG],
        plaintext: &mut [u8],
    ) -> Result<(), CallError>;
}

/// Offers the encryption of a primitive with nonces of `N` bytes.
pub const fn seal<const N: usize, A: Aead<N>>(primitive: &'static str) -> Offered {
    Offered {
        primitive,
        operation: Operation::Seal,
        open: Open::One(open_seal::<N, A>),
        shares: true,
    }
}

/// Offers the decryption of a primitive with nonces of `N` bytes.
pub const fn open<const N: usize, A: Aead<N>>(primitive: &'static str) -> Offered {
    Offered {
        primitive,
        operation: Operation::Open,
        open: Open::One(open_open::<N, A>),
        shares: true,
    }
}

fn open_seal<const N: usize, A: Aead<N>>(task: &Task) -> Result<Timed, Refused> {
    Chunks::none(task)?;
    key::with_key_schedule(task, sealed::<N, A>)
}

fn open_open<const N: usize, A: Aead<N>>(task: &Task) -> Result<Timed, Refused> {
    Chunks::none(task)?;
    key::with_key_schedule(task, opened::<N, A>)
}

#[inline(always)]
fn sealed<const N: usize, A: Aead<N>>(
    aead: &A,
    io: &Io<'_>,
    output: &mut [u8],
) -> Result<usize, CallError> {
    let n = io.input.len();
    let (ciphertext, behind) = output.split_at_mut(n);
    let tag = behind.first_chunk_mut().ok_or(NO_ROOM)?;
    aead.seal(nonce(io)?, io.ad, io.input, ciphertext, tag)?;
    Ok(n + TAG)
}

#[inline(always)]
fn opened<const N: usize, A: Aead<N>>(
    aead: &A,
    io: &Io<'_>,
    output: &mut [u8],
) -> Result<usize, CallError> {
    let nonce = nonce(io)?;
    let (ciphertext, tag) = io.input.split_last_chunk().ok_or(CallError::Refused)?;
    let plaintext = output.get_mut(..ciphertext.len()).ok_or(NO_ROOM)?;
    // Cleared for every crate: some leave plaintext that they decrypted before they verified the
    // tag.
    aead.open(nonce, io.ad, ciphertext, tag, plaintext).inspect_err(|_| plaintext.fill(0))?;
    Ok(plaintext.len())
}

const NO_ROOM: CallError = CallError::Failed("the output buffer is too short");

#[inline(always)]
fn nonce<'a, const N: usize>(io: &Io<'a>) -> Result<&'a [u8; N], CallError> {
    io.nonce.try_into().map_err(|_| {
        CallError::Unsupported(match N {
            NONCE => "takes nonces of 12 bytes only",
            XNONCE => "takes nonces of 24 bytes only",
            _ => "takes nonces of another length only",
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_protocol::host::Common;
    use cupel_protocol::workload::Contract;

    /// Decrypts before it verifies, as a careless crate might, and always refuses.
    struct Leaky;

    impl Keyed for Leaky {
        fn new(_key: &[u8]) -> Result<Self, &'static str> {
            Ok(Leaky)
        }
    }

    impl Aead<NONCE> for Leaky {
        fn seal(
            &self,
            _nonce: &[u8; NONCE],
            _ad: &[u8],
            plaintext: &[u8],
            ciphertext: &mut [u8],
            tag: &mut [u8; TAG],
        ) -> Result<(), CallError> {
            ciphertext.copy_from_slice(plaintext);
            *tag = [9; TAG];
            Ok(())
        }

        fn open(
            &self,
            _nonce: &[u8; NONCE],
            _ad: &[u8],
            ciphertext: &[u8],
            _tag: &[u8; TAG],
            plaintext: &mut [u8],
        ) -> Result<(), CallError> {
            plaintext.copy_from_slice(ciphertext);
            Err(CallError::Refused)
        }
    }

    fn task(operation: Operation) -> Task {
        Task {
            primitive: "leaky".to_string(),
            operation,
            contract: Contract::usual(operation),
            key: vec![],
            chunks: vec![],
            file: None,
            common: Common::default(),
        }
    }

    #[test]
    fn a_refused_input_leaves_no_plaintext_whatever_the_crate_does() {
        let mut timed =
            open_open::<NONCE, Leaky>(&task(Operation::Open)).unwrap_or_else(|_| panic!());
        let mut output = [0xa5; 64];
        let io = Io { nonce: &[0; NONCE], ad: &[], input: &[7; 40] };
        assert_eq!(timed(&io, &mut output), Err(CallError::Refused));
        assert_eq!(output[..24], [0; 24]);
        assert_eq!(output[24..], [0xa5; 40]);
    }

    #[test]
    fn an_input_shorter_than_its_tag_is_refused() {
        let mut timed =
            open_open::<NONCE, Leaky>(&task(Operation::Open)).unwrap_or_else(|_| panic!());
        let io = Io { nonce: &[0; NONCE], ad: &[], input: &[7; TAG - 1] };
        assert_eq!(timed(&io, &mut [0; 64]), Err(CallError::Refused));
    }

    #[test]
    fn a_nonce_of_another_length_and_a_buffer_without_room_are_told() {
        let mut timed =
            open_seal::<NONCE, Leaky>(&task(Operation::Seal)).unwrap_or_else(|_| panic!());
        let io = Io { nonce: &[0; 8], ad: &[], input: &[7; 4] };
        assert!(matches!(timed(&io, &mut [0; 64]), Err(CallError::Unsupported(_))));
        let io = Io { nonce: &[0; NONCE], ad: &[], input: &[7; 4] };
        assert_eq!(timed(&io, &mut [0; 19]), Err(NO_ROOM));
        assert_eq!(timed(&io, &mut [0; 20]), Ok(20));
    }
}
