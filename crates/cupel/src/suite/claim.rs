//! A claim that runs can decide: "A is faster than B (by r) at size n", with its source.

use super::Group;
use crate::name::ContenderName;
use cupel_protocol::workload::{Contract, Operation, Shape, Workload};

/// A sentence that compares two contenders.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The line of the suite on which it begins.
    pub line: usize,
    /// Where it is said: `document 003, line 13`.
    pub source: String,
    /// The quoted sentence.
    pub quote: String,
    /// What you should know besides the verdict, such as why it can differ here.
    pub note: Option<String>,
    /// The contender that the sentence is about.
    pub a: ContenderName,
    /// What it says about `a`.
    pub relation: Relation,
    /// The contender that `a` is compared with.
    pub b: ContenderName,
    /// The primitive's standard name.
    pub primitive: String,
    /// What is done with it.
    pub operation: Operation,
    /// What is inside the timed call.
    pub contract: Contract,
    /// Whether calls wait for each other.
    pub shape: Shape,
    /// Message lengths in bytes, ascending; the claim is made at each of them.
    pub sizes: Vec<u64>,
}

/// A sentence that cannot be written as a claim, with the reason. It is listed, so that no
/// statement of a document is left out silently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclaimed {
    /// Where it is said.
    pub source: String,
    /// The quoted sentence.
    pub quote: String,
    /// Why it cannot be decided here.
    pub because: String,
}

/// How `a` compares with `b`.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// It takes less time, by more than the tie zone.
    Faster(Option<Factor>),
    /// It takes more time, by more than the tie zone.
    Slower(Option<Factor>),
    /// Their times differ by no more than this share.
    Equal(f64),
    /// It takes at most this share longer.
    NotSlower(f64),
}

/// How many times as fast, or as slow.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Factor {
    /// The factor, 1 or more.
    pub ratio: f64,
    /// How far a measured factor may be from this one, as a share, in either direction.
    pub tolerance: f64,
}

impl Relation {
    /// The words that suites use.
    pub const WORDS: [&'static str; 4] = ["faster", "slower", "equal", "not-slower"];

    /// The word in suites and files.
    pub fn word(&self) -> &'static str {
        match self {
            Relation::Faster(_) => Relation::WORDS[0],
            Relation::Slower(_) => Relation::WORDS[1],
            Relation::Equal(_) => Relation::WORDS[2],
            Relation::NotSlower(_) => Relation::WORDS[3],
        }
    }

    /// The claimed factor, if there is one.
    pub fn factor(&self) -> Option<Factor> {
        match self {
            Relation::Faster(factor) | Relation::Slower(factor) => *factor,
            Relation::Equal(_) | Relation::NotSlower(_) => None,
        }
    }

    /// The share by which the times may differ, if the relation has one.
    pub fn margin(&self) -> Option<f64> {
        match self {
            Relation::Equal(margin) | Relation::NotSlower(margin) => Some(*margin),
            Relation::Faster(_) | Relation::Slower(_) => None,
        }
    }
}

impl Claim {
    /// Its workload at one of its sizes.
    pub fn workload(&self, size: u64) -> Workload {
        Workload {
            primitive: self.primitive.clone(),
            operation: self.operation,
            size,
            contract: self.contract.clone(),
            shape: self.shape,
        }
    }
}

impl Group {
    /// Whether a contender takes part in these workloads, or is the other build of a contender that
    /// does.
    pub fn has(&self, name: &ContenderName) -> bool {
        let name = name.without_against();
        self.contenders.iter().any(|pattern| pattern.fits(&name))
    }
}
