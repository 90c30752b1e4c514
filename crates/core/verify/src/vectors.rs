//! The official vectors: the outputs that standards and reference implementations publish.
//! `vectors/PROVENANCE.md` has the source of each file and its omissions.

use cupel_base::primitives;
use cupel_protocol::workload::Operation;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

/// One published input with its output.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The file or test set that contains it.
    pub file: &'static str,
    /// Its number there: records from 1, Wycheproof's `tcId`, table entries by message length.
    pub record: usize,
    /// The key; empty if there is none.
    pub key: Vec<u8>,
    /// The nonce; empty if there is none.
    pub nonce: Vec<u8>,
    /// The associated data.
    pub ad: Vec<u8>,
    /// The message: ciphertext followed by the tag for `open`.
    pub input: Vec<u8>,
    /// The output; `None` if the input must be refused.
    pub output: Option<Vec<u8>>,
}

/// A chain of digests with published checkpoints (SHAVS, section 6.4).
#[derive(Debug)]
pub struct MonteCarlo {
    /// The file that contains it.
    pub file: &'static str,
    seed: Vec<u8>,
    /// The digest after every thousand steps.
    pub checkpoints: Vec<Vec<u8>>,
}

impl MonteCarlo {
    /// The thousand messages that lead to a checkpoint, each with its digest by `hash`. Every
    /// message is made from the three digests before it; the first three are the previous
    /// checkpoint, or the seed.
    pub fn steps(
        &self,
        checkpoint: usize,
        hash: impl Fn(&[u8]) -> Vec<u8>,
    ) -> Vec<(Vec<u8>, Vec<u8>)> {
        let seed = checkpoint.checked_sub(1).map_or(&self.seed, |c| &self.checkpoints[c]);
        let mut last = [seed.clone(), seed.clone(), seed.clone()];
        (0..1000)
            .map(|_| {
                let message = last.concat();
                let digest = hash(&message);
                last.rotate_left(1);
                last[2].clone_from(&digest);
                (message, digest)
            })
            .collect()
    }
}

/// A committed file: its name for messages, and its text.
macro_rules! file {
    ($path:literal) => {
        (concat!("vectors/", $path), include_str!(concat!("../../../../vectors/", $path)))
    };
}

type File = (&'static str, &'static str);

/// All vectors of an operation; empty if none are published.
pub fn for_operation(primitive: &str, operation: Operation) -> &'static [Vector] {
    // The content of a file is digested like any other message, and so is a message of a batch.
    let operation = match operation {
        Operation::DigestFile | Operation::DigestMany => Operation::Digest,
        other => other,
    };
    let read = ALL.get(primitive).map(|read| read.get_or_init(|| published(primitive)));
    read.and_then(|read| read.get(&operation)).map_or(&[], Vec::as_slice)
}

/// The Monte Carlo chain of a hash, if one is published.
pub fn monte_carlo(primitive: &str) -> Option<MonteCarlo> {
    let file = match primitive {
        "sha1" => file!("nist-cavp/SHA1Monte.rsp"),
        "sha256" => file!("nist-cavp/SHA256Monte.rsp"),
        "sha512" => file!("nist-cavp/SHA512Monte.rsp"),
        "sha512-256" => file!("nist-cavp/SHA512_256Monte.rsp"),
        _ => return None,
    };
    Some(chain(file))
}

/// The published vectors for the operations of a primitive.
type Published = HashMap<Operation, Vec<Vector>>;

/// By primitive. Files are read when their primitive is first asked for: a run verifies few of
/// them.
static ALL: LazyLock<HashMap<&str, OnceLock<Published>>> =
    LazyLock::new(|| primitives::all().iter().map(|p| (p.name, OnceLock::new())).collect());

fn published(primitive: &str) -> Published {
    let gcm_file = file!("wycheproof/aes_gcm.txt");
    match primitive {
        "sha1" => {
            digests(&[file!("nist-cavp/SHA1ShortMsg.rsp"), file!("nist-cavp/SHA1LongMsg.rsp")])
        }
        "sha256" => {
            digests(&[file!("nist-cavp/SHA256ShortMsg.rsp"), file!("nist-cavp/SHA256LongMsg.rsp")])
        }
        "sha512" => {
            digests(&[file!("nist-cavp/SHA512ShortMsg.rsp"), file!("nist-cavp/SHA512LongMsg.rsp")])
        }
        "sha512-256" => digests(&[
            file!("nist-cavp/SHA512_256ShortMsg.rsp"),
            file!("nist-cavp/SHA512_256LongMsg.rsp"),
        ]),
        "sha3-256" => digests(&[
            file!("nist-cavp/SHA3_256ShortMsg.rsp"),
            file!("nist-cavp/SHA3_256LongMsg.rsp"),
        ]),
        "shake128" => digests(&[file!("keccak/ShortMsgKAT_SHAKE128.txt")]),
        "blake2b" => digest(table(file!("blake2/blake2b.txt"), 0)),
        "blake2s" => digest(table(file!("blake2/blake2s.txt"), 0)),
        "blake3" => digest(blake3(file!("blake3/blake3.txt"), &[])),
        "blake3-keyed" => {
            let key = b"whats the Elvish word for friend";
            mac(blake3(file!("blake3/blake3-keyed.txt"), key), vec![])
        }
        "hmac-sha256" => mac(
            hashes(file!("rfc/rfc-4231-sha256.txt")),
            wycheproof_mac(file!("wycheproof/hmac_sha256.txt"), None, 32),
        ),
        "hmac-sha512" => mac(
            hashes(file!("rfc/rfc-4231-sha512.txt")),
            wycheproof_mac(file!("wycheproof/hmac_sha512.txt"), None, 64),
        ),
        "aes-cmac" => mac(
            hashes(file!("nist-800-38b/aes128.txt")),
            wycheproof_mac(file!("wycheproof/aes_cmac.txt"), Some(16), 16),
        ),
        "siphash-2-4" => mac(
            table(file!("siphash/siphash-2-4.txt"), 16),
            wycheproof_mac(file!("wycheproof/siphash_2_4.txt"), Some(16), 8),
        ),
        "siphash-2-4-128" => mac(
            table(file!("siphash/siphash-2-4-128.txt"), 16),
            wycheproof_mac(file!("wycheproof/siphashx_2_4.txt"), Some(16), 16),
        ),
        "siphash-1-3" => {
            mac(vec![], wycheproof_mac(file!("wycheproof/siphash_1_3.txt"), Some(16), 8))
        }
        "aes-128-gcm" => aead(
            &[file!("nist-cavp/gcmEncryptExtIV128.rsp"), file!("nist-cavp/gcmDecrypt128.rsp")],
            gcm_file,
            16,
        ),
        "aes-256-gcm" => aead(
            &[file!("nist-cavp/gcmEncryptExtIV256.rsp"), file!("nist-cavp/gcmDecrypt256.rsp")],
            gcm_file,
            32,
        ),
        "aes-256-gcm-siv" => aead(&[], file!("wycheproof/aes_gcm_siv.txt"), 32),
        "chacha20-poly1305" => aead(&[], file!("wycheproof/chacha20_poly1305.txt"), 32),
        "xchacha20-poly1305" => aead(&[], file!("wycheproof/xchacha20_poly1305.txt"), 32),
        _ => HashMap::new(),
    }
}

fn digest(vectors: Vec<Vector>) -> Published {
    HashMap::from([(Operation::Digest, vectors)])
}

fn digests(files: &[File]) -> Published {
    digest(files.iter().flat_map(|&file| hashes(file)).collect())
}

fn mac(own: Vec<Vector>, wycheproof: Vec<Vector>) -> Published {
    HashMap::from([(Operation::Mac, [own, wycheproof].concat())])
}

fn aead(cavp: &[File], wycheproof: File, key: usize) -> Published {
    let (mut seal, mut open) = (Vec::new(), Vec::new());
    let records = cavp.iter().flat_map(|&file| gcm(file));
    for sealed in records.chain(wycheproof_aead(wycheproof, key)) {
        sealed.into_vectors(&mut seal, &mut open);
    }
    let round_trips = seal.iter().map(|v: &Vector| {
        let output = v.output.as_ref().map(|sealed| [&sealed[..], &v.input].concat());
        Vector { output, ..v.clone() }
    });
    let round_trips = round_trips.collect();
    HashMap::from([
        (Operation::SealOpen, round_trips),
        (Operation::Seal, seal),
        (Operation::Open, open),
    ])
}

/// The records of a CAVP file: blocks of `Name = value` lines, separated by comments and bracketed
/// group lines. A line without a value (`FAIL`) has an empty value.
fn records(text: &'static str) -> Vec<HashMap<&'static str, &'static str>> {
    text.split("\n\n")
        .map(|block| {
            block
                .lines()
                .filter(|line| !line.starts_with(['#', '[']))
                .map(|line| line.split_once('=').unwrap_or((line, "")))
                .map(|(name, value)| (name.trim(), value.trim()))
                .collect::<HashMap<_, _>>()
        })
        .filter(|record| !record.is_empty())
        .collect()
}

/// The bytes of a field. A committed file that does not parse is a bug, which the tests of this
/// file detect.
fn hex_of(record: &HashMap<&str, &str>, name: &str) -> Vec<u8> {
    hex::decode(record.get(name).copied().unwrap_or_default()).expect("a committed vector in hex")
}

/// Digests and MACs: `Len` in bits, `Msg`, `MD`, and `Key` if there is one.
fn hashes((file, text): File) -> Vec<Vector> {
    records(text)
        .into_iter()
        .filter(|record| record.contains_key("Len"))
        .enumerate()
        .map(|(i, record)| {
            let bits: usize = record["Len"].parse().expect("a committed length");
            let mut input = hex_of(&record, "Msg");
            // The empty message is written as one zero byte.
            input.truncate(bits / 8);
            assert_eq!(input.len() * 8, bits, "{file}: record {}", i + 1);
            Vector {
                file,
                record: i + 1,
                key: hex_of(&record, "Key"),
                nonce: vec![],
                ad: vec![],
                input,
                output: Some(hex_of(&record, "MD")),
            }
        })
        .collect()
}

fn chain((file, text): File) -> MonteCarlo {
    let records = records(text);
    let seed = records.iter().find(|r| r.contains_key("Seed")).expect("a seed");
    let checkpoints =
        records.iter().filter(|r| r.contains_key("COUNT")).map(|r| hex_of(r, "MD")).collect();
    MonteCarlo { file, seed: hex_of(seed, "Seed"), checkpoints }
}

/// A sealed message. Both operations follow from it.
struct Sealed {
    open: Vector,
    plaintext: Vec<u8>,
}

impl Sealed {
    fn into_vectors(self, seal: &mut Vec<Vector>, open: &mut Vec<Vector>) {
        if self.open.output.is_some() {
            let output = Some(self.open.input.clone());
            seal.push(Vector { input: self.plaintext, output, ..self.open.clone() });
        }
        open.push(self.open);
    }
}

fn gcm((file, text): File) -> Vec<Sealed> {
    records(text)
        .into_iter()
        .filter(|record| record.contains_key("Count"))
        .enumerate()
        .map(|(i, record)| {
            let plaintext = hex_of(&record, "PT");
            let open = Vector {
                file,
                record: i + 1,
                key: hex_of(&record, "Key"),
                nonce: hex_of(&record, "IV"),
                ad: hex_of(&record, "AAD"),
                input: [hex_of(&record, "CT"), hex_of(&record, "Tag")].concat(),
                output: (!record.contains_key("FAIL")).then(|| plaintext.clone()),
            };
            Sealed { open, plaintext }
        })
        .collect()
}

/// Wycheproof's AEADs with keys of this many bytes.
fn wycheproof_aead((file, text): File, key: usize) -> Vec<Sealed> {
    records(text)
        .into_iter()
        .filter(|record| hex_of(record, "Key").len() == key)
        .map(|record| {
            let plaintext = hex_of(&record, "Msg");
            let open = Vector {
                file,
                record: id_of(&record),
                key: hex_of(&record, "Key"),
                nonce: hex_of(&record, "IV"),
                ad: hex_of(&record, "AAD"),
                input: [hex_of(&record, "CT"), hex_of(&record, "Tag")].concat(),
                output: (record["Result"] == "valid").then(|| plaintext.clone()),
            };
            Sealed { open, plaintext }
        })
        .collect()
}

/// Wycheproof's MACs with keys of this many bytes, if they may not have any length, and tags of
/// this many. Its invalid vectors are altered tags, which do not apply to a function that makes
/// tags.
fn wycheproof_mac((file, text): File, key: Option<usize>, tag: usize) -> Vec<Vector> {
    records(text)
        .into_iter()
        .filter(|record| record["Result"] == "valid")
        .map(|record| Vector {
            file,
            record: id_of(&record),
            key: hex_of(&record, "Key"),
            nonce: vec![],
            ad: vec![],
            input: hex_of(&record, "Msg"),
            output: Some(hex_of(&record, "Tag")),
        })
        .filter(|vector| key.is_none_or(|key| vector.key.len() == key))
        .filter(|vector| vector.output.as_ref().is_some_and(|output| output.len() == tag))
        .collect()
}

/// Wycheproof's number of a record.
fn id_of(record: &HashMap<&str, &str>) -> usize {
    record["Id"].parse().expect("a committed number")
}

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

/// SipHash's and BLAKE2's tables: the key, if there is one, and the messages count up from 00.
fn table((file, text): File, key: u8) -> Vec<Vector> {
    lines(text)
        .enumerate()
        .map(|(n, tag)| Vector {
            file,
            record: n,
            key: (0..key).collect(),
            nonce: vec![],
            ad: vec![],
            input: (0..n).map(|byte| byte as u8).collect(),
            output: Some(hex::decode(tag).expect("a committed tag in hex")),
        })
        .collect()
}

fn blake3((file, text): File, key: &[u8]) -> Vec<Vector> {
    lines(text)
        .enumerate()
        .map(|(i, line)| {
            let (len, hash) = line.split_once(' ').expect("a committed length and hash");
            let len = len.parse().expect("a committed length");
            Vector {
                file,
                record: i + 1,
                key: key.to_vec(),
                nonce: vec![],
                ad: vec![],
                input: (0..=250).cycle().take(len).collect(),
                output: Some(hex::decode(hash).expect("a committed hash in hex")),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::{self, Ready};
    use aes::cipher::{BlockCipherEncrypt, BlockSizeUser};
    use aes::{Aes128, Aes256};
    use aes_gcm::AesGcm;
    use aes_gcm::aead::array::typenum as n;
    use aes_gcm::aead::{Aead, KeyInit, Payload};
    use std::collections::HashSet;

    /// How many vectors an operation has, after the reference has passed each of them.
    fn held(primitive: &str, operation: Operation) -> usize {
        let vectors = for_operation(primitive, operation);
        for v in vectors {
            let usual = primitives::named(primitive).unwrap().nonce;
            let got = match v.nonce.len() {
                0 => reference::compute(primitive, operation, &v.key, &[], &[], &v.input).ok(),
                n if n == usual => {
                    reference::compute(primitive, operation, &v.key, &v.nonce, &v.ad, &v.input).ok()
                }
                _ if v.key.len() == 16 => gcm_of_any_nonce::<Aes128>(operation, v),
                _ => gcm_of_any_nonce::<Aes256>(operation, v),
            };
            assert_eq!(got, v.output, "{primitive} {operation}: {} record {}", v.file, v.record);
        }
        let places: HashSet<_> = vectors.iter().map(|v| (v.file, v.record)).collect();
        assert_eq!(places.len(), vectors.len(), "{primitive} {operation}: two have one place");
        vectors.len()
    }

    /// The reference takes only 12-byte nonces, because no workload has others. The crate behind it
    /// shows that the vectors with other nonces are read correctly too.
    fn gcm_of_any_nonce<A>(operation: Operation, v: &Vector) -> Option<Vec<u8>>
    where
        A: BlockCipherEncrypt + BlockSizeUser<BlockSize = n::U16> + KeyInit,
    {
        macro_rules! lengths {
            ($($len:ident)*) => {
                match v.nonce.len() {
                    $(len if len == <n::$len as n::Unsigned>::USIZE => {
                        let gcm = AesGcm::<A, n::$len>::new_from_slice(&v.key).unwrap();
                        let payload = Payload { msg: &v.input, aad: &v.ad };
                        let nonce = v.nonce.as_slice().try_into().unwrap();
                        match operation {
                            Operation::Seal => gcm.encrypt(nonce, payload).ok(),
                            Operation::SealOpen => {
                                gcm.encrypt(nonce, payload).ok().map(|s| [&s[..], &v.input].concat())
                            }
                            _ => gcm.decrypt(nonce, payload).ok(),
                        }
                    })*
                    other => panic!("a vector with a nonce of {other} bytes"),
                }
            };
        }
        lengths!(U1 U2 U4 U6 U8 U10 U15 U16 U20 U32 U64 U128 U257)
    }

    #[test]
    fn the_reference_answers_every_official_vector() {
        use Operation::{Digest, Mac, Open, Seal, SealOpen};
        for (primitive, operation, vectors) in [
            ("sha1", Digest, 65 + 32),
            ("sha256", Digest, 65 + 64),
            ("sha512", Digest, 129 + 16),
            ("sha512-256", Digest, 129 + 8),
            ("sha3-256", Digest, 137 + 10),
            ("shake128", Digest, 256),
            ("blake2b", Digest, 256),
            ("blake2s", Digest, 256),
            ("blake3", Digest, 35),
            ("blake3-keyed", Mac, 35),
            ("hmac-sha256", Mac, 6 + 33),
            ("hmac-sha512", Mac, 6 + 33),
            ("aes-cmac", Mac, 4 + 21),
            ("siphash-1-3", Mac, 40),
            ("siphash-2-4", Mac, 64 + 40),
            ("siphash-2-4-128", Mac, 64 + 40),
        ] {
            assert_eq!(held(primitive, operation), vectors, "{primitive}");
        }
        // How many records CAVP has, how many of them are marked FAIL, and how many valid and
        // invalid ones Wycheproof has.
        for (primitive, cavp, fail, valid, invalid) in [
            ("aes-128-gcm", 525 + 525, 278, 79, 27 + 2),
            ("aes-256-gcm", 525 + 525, 268, 76, 27 + 2),
            ("aes-256-gcm-siv", 0, 0, 69, 34),
            ("chacha20-poly1305", 0, 0, 256, 60),
            ("xchacha20-poly1305", 0, 0, 246, 60),
        ] {
            let forged =
                for_operation(primitive, Open).iter().filter(|v| v.output.is_none()).count();
            assert_eq!(held(primitive, Seal), cavp - fail + valid, "{primitive}");
            assert_eq!(held(primitive, SealOpen), cavp - fail + valid, "{primitive}");
            assert_eq!(held(primitive, Open), cavp + valid + invalid, "{primitive}");
            assert_eq!(forged, fail + invalid, "{primitive}");
        }
    }

    #[test]
    fn the_reference_reaches_every_checkpoint_of_the_monte_carlo_chains() {
        for primitive in ["sha1", "sha256", "sha512", "sha512-256"] {
            let ready = Ready::new(primitive, Operation::Digest, &[]).unwrap();
            let chain = monte_carlo(primitive).unwrap();
            assert_eq!(chain.checkpoints.len(), 100);
            for (i, checkpoint) in chain.checkpoints.iter().enumerate() {
                let steps = chain.steps(i, |message| ready.hash(message));
                assert_eq!(&steps[999].1, checkpoint, "{} checkpoint {i}", chain.file);
            }
        }
    }

    #[test]
    fn the_record_of_length_zero_is_the_empty_message() {
        let first = &for_operation("sha256", Operation::Digest)[0];
        assert_eq!((first.record, first.input.len()), (1, 0));
    }

    /// SipHash written directly from its paper (section 2.1, and the reference's 128-bit variant),
    /// with any number of rounds: the only check of `siphash-1-3-128`, for which no vectors are
    /// published.
    fn siphash(c: usize, d: usize, wide: bool, key: &[u8], message: &[u8]) -> Vec<u8> {
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
        let (k0, k1) = (word(&key[..8]), word(&key[8..]));
        let mut v = [
            k0 ^ 0x736f_6d65_7073_6575,
            k1 ^ 0x646f_7261_6e64_6f6d,
            k0 ^ 0x6c79_6765_6e65_7261,
            k1 ^ 0x7465_6462_7974_6573,
        ];
        if wide {
            v[1] ^= 0xee;
        }
        let round = |v: &mut [u64; 4]| {
            for (a, b, c, d, by) in [(0, 1, 2, 3, [13, 16]), (2, 1, 0, 3, [17, 21])] {
                v[a] = v[a].wrapping_add(v[b]);
                v[b] = v[b].rotate_left(by[0]) ^ v[a];
                v[a] = v[a].rotate_left(32);
                v[c] = v[c].wrapping_add(v[d]);
                v[d] = v[d].rotate_left(by[1]) ^ v[c];
            }
        };
        let mut padded = message.to_vec();
        padded.resize(message.len() / 8 * 8 + 7, 0);
        padded.push(message.len() as u8);
        for block in padded.chunks(8) {
            v[3] ^= word(block);
            (0..c).for_each(|_| round(&mut v));
            v[0] ^= word(block);
        }
        let mut out = Vec::new();
        v[2] ^= if wide { 0xee } else { 0xff };
        for half in 0..=usize::from(wide) {
            v[1] ^= if half == 1 { 0xdd } else { 0 };
            (0..d).for_each(|_| round(&mut v));
            out.extend_from_slice(&(v[0] ^ v[1] ^ v[2] ^ v[3]).to_le_bytes());
        }
        out
    }

    #[test]
    fn siphash_1_3_128_agrees_with_a_plain_reading_of_the_paper() {
        for (name, c, d, wide) in [
            ("siphash-2-4", 2, 4, false),
            ("siphash-2-4-128", 2, 4, true),
            ("siphash-1-3", 1, 3, false),
        ] {
            for v in for_operation(name, Operation::Mac) {
                let got = siphash(c, d, wide, &v.key, &v.input);
                assert_eq!(Some(got), v.output, "the reading itself: {} {}", v.file, v.record);
            }
        }
        for v in for_operation("siphash-2-4-128", Operation::Mac) {
            let ready = Ready::new("siphash-1-3-128", Operation::Mac, &v.key).unwrap();
            assert_eq!(ready.hash(&v.input), siphash(1, 3, true, &v.key, &v.input));
        }
    }
}
