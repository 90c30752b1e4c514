//! The proofs of earlier verifications. A build that answered every case correctly on this machine is
//! not asked all of them again before each run: only a few builds are, by chance. Whatever a run or
//! `cupel verify` finds wrong is forgotten, with all that is remembered of its contender. Each process
//! is still verified while warm, and every fold of a run is checked.

use crate::programs;
use cupel_base::disk::write_whole;
use cupel_base::program;
use cupel_contender::{Contender, State};
use cupel_verify::SIZES;
use cupel_verify::contenders::{Claim, Proof};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The file of the proofs, in Cupel's cache folder.
const FILE: &str = "proofs.json";

/// One claim in this many that is remembered is verified again.
const AGAIN: u64 = 16;

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// The proofs that are remembered.
pub struct Remembered {
    path: PathBuf,
    known: Known,
    /// The digests of the programs that the contenders' command lines name, by word.
    programs: BTreeMap<String, String>,
}

/// The content of the file.
#[derive(Default, Serialize, Deserialize)]
struct Known {
    /// The tool's code, with its cases and its reference, and the machine. What others remember
    /// does not count.
    of: String,
    proofs: BTreeMap<String, Entry>,
}

/// A proof that found nothing wrong.
#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    /// The contender's name.
    contender: String,
    /// The sizes that were asked, in addition to the lists'.
    sizes: BTreeSet<u64>,
    cases: usize,
    notes: String,
    limit: Option<String>,
}

impl Remembered {
    /// The proofs of these contenders that this program remembers on the machine with this
    /// fingerprint. A file that cannot be read remembers nothing.
    pub fn open(cache: &Path, machine: &str, contenders: &[Contender]) -> Remembered {
        let path = cache.join(FILE);
        let of = program::code().map(|code| format!("{code} on {machine}"));
        let is_small = path.metadata().is_ok_and(|file| file.is_file() && file.len() <= MOST_BYTES);
        let text = if is_small { std::fs::read(&path).unwrap_or_default() } else { vec![] };
        let known: Known = serde_json::from_slice(&text).unwrap_or_default();
        let known = match of {
            Some(of) if known.of == of => known,
            of => Known { of: of.unwrap_or_default(), ..Known::default() },
        };
        Remembered { path, known, programs: programs::digests(contenders) }
    }

    /// The digests of the programs that the contenders' command lines name, by word.
    pub fn into_programs(self) -> BTreeMap<String, String> {
        self.programs
    }

    /// The proof of a claim, if it is remembered and is not one of those that this seed asks again.
    pub fn proof(&self, contenders: &[Contender], claim: &Claim, seed: u64) -> Option<Proof> {
        let key = self.key(&contenders[claim.contender], claim)?;
        let entry = self.known.proofs.get(&key)?;
        let is_covered = |size: &u64| SIZES.contains(size) || entry.sizes.contains(size);
        if !claim.sizes.iter().all(is_covered) || is_asked_again(&key, seed) {
            return None;
        }
        let Entry { cases, notes, limit, .. } = entry.clone();
        Some(Proof {
            contender: claim.contender,
            primitive: claim.offer.primitive.clone(),
            operation: claim.offer.operation,
            contract: claim.contract.clone(),
            cases,
            notes,
            unfit: None,
            limit,
        })
    }

    /// Remembers the proofs of claims that found nothing wrong, and forgets the contenders of the
    /// others. Both lists have one order.
    pub fn learn(&mut self, contenders: &[Contender], claims: &[Claim], proofs: &[Proof]) {
        for (claim, proof) in claims.iter().zip(proofs) {
            let contender = &contenders[claim.contender];
            if let Some(unfit) = &proof.unfit {
                if unfit.is_failure() {
                    self.forget(&contender.name);
                }
            } else if let Some(key) = self.key(contender, claim) {
                let mut sizes: BTreeSet<u64> = claim.sizes.iter().copied().collect();
                sizes.extend(self.known.proofs.get(&key).iter().flat_map(|before| &before.sizes));
                let contender = contender.name.to_string();
                let Proof { cases, notes, limit, .. } = proof.clone();
                self.known.proofs.insert(key, Entry { contender, sizes, cases, notes, limit });
            }
        }
    }

    /// Forgets what this machine's file remembers of contenders that a run found wrong.
    pub fn forget_all<'n>(cache: &Path, machine: &str, names: impl Iterator<Item = &'n str>) {
        let mut names = names.peekable();
        if names.peek().is_none() {
            return;
        }
        let mut remembered = Remembered::open(cache, machine, &[]);
        names.for_each(|name| remembered.forget(name));
        remembered.save();
    }

    /// Forgets all that is remembered of a contender.
    fn forget(&mut self, contender: &str) {
        self.known.proofs.retain(|_, entry| entry.contender != contender);
    }

    /// Writes the file. A proof that could not be written is made again, so nothing is lost.
    pub fn save(&self) {
        if !self.known.of.is_empty()
            && let Ok(text) = serde_json::to_vec(&self.known)
        {
            let _ = write_whole(&self.path, text);
        }
    }

    /// Identifies a claim of a build: what runs, what it says that it is, and what it is asked.
    /// `None` if the tool does not know its own code, or the contender is not ready.
    fn key(&self, contender: &Contender, claim: &Claim) -> Option<String> {
        let State::Ready { command, .. } = &contender.state else { return None };
        if self.known.of.is_empty() {
            return None;
        }
        let programs: Vec<Option<&String>> =
            command.iter().map(|word| self.programs.get(word)).collect();
        let facts = (
            (command, programs, contender.unconfined),
            (&contender.name, &contender.implementation, &contender.version),
            (&claim.offer, &claim.contract),
        );
        Some(hex::encode(Sha256::digest(serde_json::to_vec(&facts).ok()?)))
    }
}

/// Whether a claim with this key is verified again although it is remembered.
fn is_asked_again(key: &str, seed: u64) -> bool {
    let drawn = Sha256::digest(format!("{key} {seed}"));
    drawn.iter().take(8).fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte)) % AGAIN == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_base::program::Program;
    use cupel_protocol::message::Offer;
    use cupel_protocol::workload::{Contract, Operation};
    use cupel_runner::Fault;

    fn contender(program: &str) -> Contender {
        let command = vec![program.to_string()];
        let state = State::Ready { command, simulated: false, jit: false, resolution_ns: 1 };
        Contender::new("c/mine".into(), state)
    }

    fn claim(sizes: &[u64]) -> Claim {
        Claim {
            contender: 0,
            offer: Offer::new("sha256", Operation::Digest),
            contract: Contract::usual(Operation::Digest),
            sizes: sizes.to_vec(),
        }
    }

    fn proof(unfit: bool) -> Proof {
        let Claim { contender, offer, contract, .. } = claim(&[]);
        let lost = Fault::Start("gone".to_string());
        let Offer { primitive, operation, .. } = offer;
        let unfit = unfit.then(|| lost.into());
        let (notes, limit) = (String::new(), None);
        Proof { contender, primitive, operation, contract, cases: 7, notes, unfit, limit }
    }

    /// A seed that asks nothing of this claim again.
    fn quiet_seed(key: &str) -> u64 {
        (0..1000).find(|&seed| !is_asked_again(key, seed)).unwrap()
    }

    #[test]
    fn a_build_is_proved_once_and_again_after_any_change() {
        cupel_base::program::set(Program { code: "a", bundle: &[] });
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("runner");
        std::fs::write(&program, "1").unwrap();
        let all = [contender(&program.display().to_string())];
        let open = || Remembered::open(folder.path(), "here", &all);
        let (claims, mut first) = ([claim(&[77, 16])], open());
        let seed = quiet_seed(&first.key(&all[0], &claims[0]).unwrap());
        let found = |claim: &Claim| open().proof(&all, claim, seed).map(|proof| proof.cases);
        assert_eq!(found(&claims[0]), None);
        first.learn(&all, &claims, &[proof(false)]);
        first.save();
        assert_eq!(found(&claims[0]), Some(7));
        assert_eq!(found(&claim(&[16, 64])), Some(7), "a size of the lists");
        assert_eq!(found(&claim(&[77, 78])), None, "a size that was not asked");
        std::fs::write(&program, "2").unwrap();
        assert_eq!(found(&claims[0]), None, "another build");
        std::fs::write(&program, "1").unwrap();
        assert_eq!(found(&claims[0]), Some(7));
        let there = Remembered::open(folder.path(), "there", &all);
        assert!(there.proof(&all, &claims[0], seed).is_none(), "another machine");
    }

    #[test]
    fn what_is_found_wrong_is_forgotten() {
        cupel_base::program::set(Program { code: "a", bundle: &[] });
        let folder = tempfile::tempdir().unwrap();
        let all = [contender("runner")];
        let mut known = Remembered::open(folder.path(), "here", &all);
        let claims = [claim(&[64]), claim(&[65])];
        known.learn(&all, &claims, &[proof(false), proof(false)]);
        let seed = quiet_seed(&known.key(&all[0], &claims[0]).unwrap());
        assert!(known.proof(&all, &claims[0], seed).is_some());
        known.learn(&all, &claims[1..], &[proof(true)]);
        assert!(known.proof(&all, &claims[0], seed).is_none());
    }

    #[test]
    fn one_in_sixteen_is_asked_again_each_time() {
        let again = (0..16_000).filter(|&seed| is_asked_again("key", seed)).count();
        assert!((900..1100).contains(&again), "{again}");
    }
}
