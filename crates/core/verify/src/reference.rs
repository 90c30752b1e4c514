//! The reference: every operation of the catalogue's primitives, by the computations of
//! `cupel-reference`. Its speed matters only where a run would wait for it.

use cupel_base::primitives::{self, TAG};
use cupel_protocol::bytes::nonce_length;
use cupel_protocol::message::Refusal;
use cupel_protocol::workload::Operation;
use cupel_reference::aead::Aead;
use cupel_reference::{Computation, Hash, WrongKey, computation};
use std::fs::File;
use std::path::Path;

/// The correct output: digest, tag, ciphertext followed by the tag, plaintext, or the last two one
/// after the other. `input` is the path of a file for `digest-file`, and one message for
/// `digest-many`.
///
/// # Errors
/// An input that the primitive does not define (such as the length of a key or nonce), a file that
/// cannot be read, and for `open` an input that is not authentic.
pub fn compute(
    primitive: &str,
    operation: Operation,
    key: &[u8],
    nonce: &[u8],
    ad: &[u8],
    input: &[u8],
) -> Result<Vec<u8>, Refusal> {
    let ready = Ready::new(primitive, operation, key)?;
    match operation {
        Operation::Digest | Operation::DigestMany | Operation::Mac => Ok(ready.hash(input)),
        Operation::DigestFile => {
            let path = std::str::from_utf8(input)
                .map_err(|_| Refusal::because("the path of the file is not UTF-8"))?;
            ready.hash_file(Path::new(path))
        }
        Operation::Seal => ready.seal(nonce, ad, input),
        Operation::Open => ready.open(nonce, ad, input),
        Operation::SealOpen => ready.seal_open(nonce, ad, input),
    }
}

/// A primitive with its key schedule done.
pub struct Ready {
    computation: Computation,
    /// Bytes of its nonces.
    nonce_length: usize,
    /// The prefix of every message that is hashed.
    prefix: Vec<u8>,
}

impl Ready {
    /// Prepares a primitive for an operation with a key, which is empty if it has none.
    ///
    /// # Errors
    /// A primitive or operation that the tool does not know, a key of the wrong length.
    pub fn new(primitive: &str, operation: Operation, key: &[u8]) -> Result<Ready, Refusal> {
        let Some(known) = primitives::named(primitive) else {
            let names: Vec<_> = primitives::all().iter().map(|p| p.name).collect();
            return Err(Refusal {
                reason: format!("the tool has no reference for the primitive {primitive}"),
                remedy: Some(format!("name one of {}", names.join(", "))),
            });
        };
        if !known.operations.contains(&operation) {
            return Err(Refusal::because(format!("{primitive} has no operation {operation}")));
        }
        // HMAC takes keys of any length.
        if !primitive.starts_with("hmac-") && key.len() != known.key {
            let (want, got) = (known.key, key.len());
            return Err(Refusal::because(format!(
                "{primitive} takes a key of {want} bytes, not {got}"
            )));
        }
        let found = computation(primitive, key).map_err(|WrongKey| {
            Refusal::because(format!("{primitive} takes no key of {} bytes", key.len()))
        })?;
        let computation = found.ok_or_else(|| {
            Refusal::because(format!(
                "the tool has no reference for the primitive {primitive}, although its catalogue \
                 lists it"
            ))
        })?;
        Ok(Ready { computation, nonce_length: nonce_length(primitive), prefix: vec![] })
    }

    /// Puts `prefix` before every message that is hashed.
    #[must_use]
    pub fn after(self, prefix: Vec<u8>) -> Ready {
        Ready { prefix, ..self }
    }

    /// Bytes of the nonce that sealing and opening take.
    pub fn nonce_length(&self) -> usize {
        self.nonce_length
    }

    /// The digest or tag of a message; empty if the primitive has neither.
    pub fn hash(&self, message: &[u8]) -> Vec<u8> {
        if !self.prefix.is_empty() {
            let whole = [&self.prefix, message].concat();
            return self.hash_of(&whole);
        }
        self.hash_of(message)
    }

    fn hash_of(&self, message: &[u8]) -> Vec<u8> {
        match &self.computation {
            Computation::Hash(hash) => (hash.message)(message),
            Computation::Mac(mac) => mac(message),
            Computation::Aead(_) => vec![],
        }
    }

    /// The digest of a file's content, which is never completely in memory.
    ///
    /// # Errors
    /// A file that cannot be read; a primitive that is not a hash.
    pub fn hash_file(&self, path: &Path) -> Result<Vec<u8>, Refusal> {
        let Computation::Hash(Hash { file: Some(hash), .. }) = &self.computation else {
            return Err(Refusal::because("this primitive has no digest of a file"));
        };
        File::open(path).and_then(hash).map_err(|e| Refusal {
            reason: format!("cannot read {}: {e}", path.display()),
            remedy: Some("give a file that this user may read".to_string()),
        })
    }

    /// Ciphertext followed by the tag.
    ///
    /// # Errors
    /// As [`Ready::seal_in_place`].
    pub fn seal(&self, nonce: &[u8], ad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>, Refusal> {
        let mut out = Vec::with_capacity(plaintext.len() + TAG);
        out.extend_from_slice(plaintext);
        self.seal_in_place(nonce, ad, &mut out)?;
        Ok(out)
    }

    /// The result of a round trip: ciphertext, tag, and the plaintext again.
    ///
    /// # Errors
    /// As [`Ready::seal_in_place`].
    pub fn seal_open(&self, nonce: &[u8], ad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>, Refusal> {
        let mut out = self.seal(nonce, ad, plaintext)?;
        out.extend_from_slice(plaintext);
        Ok(out)
    }

    /// Replaces the plaintext in `text` by the ciphertext followed by the tag.
    ///
    /// # Errors
    /// A nonce of the wrong length, a primitive that does not seal.
    pub fn seal_in_place(
        &self,
        nonce: &[u8],
        ad: &[u8],
        text: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        self.aead()?.seal(nonce, ad, text)
    }

    /// The plaintext of a ciphertext followed by its tag.
    ///
    /// # Errors
    /// An input that is not authentic, and the errors of [`Ready::seal_in_place`].
    pub fn open(&self, nonce: &[u8], ad: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Refusal> {
        let mut text = sealed.to_vec();
        self.aead()?.open(nonce, ad, &mut text)?;
        Ok(text)
    }

    fn aead(&self) -> Result<&dyn Aead, Refusal> {
        match &self.computation {
            Computation::Aead(aead) => Ok(&**aead),
            _ => Err(Refusal::because("this primitive neither seals nor opens")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digest_and_tag_has_the_length_that_the_catalogue_states() {
        for known in primitives::all() {
            let key = vec![0; known.key];
            for &operation in known.operations {
                if matches!(operation, Operation::Digest | Operation::Mac) {
                    let ready = Ready::new(known.name, operation, &key).unwrap();
                    assert_eq!(ready.hash(b"message").len(), known.output, "{}", known.name);
                }
            }
        }
    }

    /// A primitive without a reference would fail every contender that offers it.
    #[test]
    fn every_operation_of_the_catalogue_has_a_reference() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("message");
        let message = b"message";
        std::fs::write(&path, message).unwrap();
        for primitive in primitives::all() {
            let (name, key, nonce) =
                (primitive.name, vec![7; primitive.key], vec![1; primitive.nonce]);
            for &operation in primitive.operations {
                let reference = |operation: Operation, input: &[u8]| {
                    compute(name, operation, &key, &nonce, b"ad", input)
                        .unwrap_or_else(|refusal| panic!("{name} {operation}: {}", refusal.reason))
                };
                let (input, length) = match operation {
                    Operation::Digest | Operation::DigestMany | Operation::Mac => {
                        (message.to_vec(), primitive.output)
                    }
                    Operation::DigestFile => {
                        (path.to_str().unwrap().as_bytes().to_vec(), primitive.output)
                    }
                    Operation::Seal => (message.to_vec(), message.len() + TAG),
                    Operation::SealOpen => (message.to_vec(), 2 * message.len() + TAG),
                    Operation::Open => (reference(Operation::Seal, message), message.len()),
                };
                assert_eq!(reference(operation, &input).len(), length, "{name} {operation}");
            }
        }
    }
}
