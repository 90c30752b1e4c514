//! A claim: "A is faster than B (by r) at size n", with its source. It can be decided.

use super::Group;
use crate::name::ContenderName;
use cupel_protocol::workload::{Contract, Operation, Shape, Workload};

/// A sentence that compares two contenders.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The line of the suite that it begins on.
    pub line: usize,
    /// Who says so, and where: `document 003, line 13`.
    pub source: String,
    /// The words themselves.
    pub quote: String,
    /// What is to be known beside the verdict, such as why it can differ here.
    pub note: Option<String>,
    /// The contender that is spoken of.
    pub a: ContenderName,
    /// What is said of it.
    pub relation: Relation,
    /// What it is compared with.
    pub b: ContenderName,
    /// The primitive's standard name.
    pub primitive: String,
    /// What is done with it.
    pub operation: Operation,
    /// What is inside the timed call.
    pub contract: Contract,
    /// Whether calls wait for each other.
    pub shape: Shape,
    /// Message lengths in bytes, rising; the claim is made at each of them.
    pub sizes: Vec<u64>,
}

/// A sentence that no claim can put, with the reason: so that what a document says and nobody decides is
/// not passed over in silence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclaimed {
    /// Who says so, and where.
    pub source: String,
    /// The words themselves.
    pub quote: String,
    /// Why it cannot be decided here.
    pub because: String,
}

/// What is said of `a` against `b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relation {
    /// It takes less time, by more than the tie zone.
    Faster(Option<Factor>),
    /// It takes more time, by more than the tie zone.
    Slower(Option<Factor>),
    /// Their times differ by no more than this share.
    Equal(f64),
    /// It takes no more than this share longer.
    NotSlower(f64),
}

/// How many times as fast, or as slow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// The factor, 1 or more.
    pub ratio: f64,
    /// The share by which a measured factor may lie off, to either side.
    pub tolerance: f64,
}

impl Relation {
    /// The words of suites.
    pub const WORDS: [&'static str; 4] = ["faster", "slower", "equal", "not-slower"];

    /// The word of suites and files.
    pub fn word(&self) -> &'static str {
        match self {
            Relation::Faster(_) => Relation::WORDS[0],
            Relation::Slower(_) => Relation::WORDS[1],
            Relation::Equal(_) => Relation::WORDS[2],
            Relation::NotSlower(_) => Relation::WORDS[3],
        }
    }

    /// The factor that is claimed, where one is.
    pub fn factor(&self) -> Option<Factor> {
        match self {
            Relation::Faster(factor) | Relation::Slower(factor) => *factor,
            Relation::Equal(_) | Relation::NotSlower(_) => None,
        }
    }

    /// The share within which times may differ, where that is what is claimed.
    pub fn margin(&self) -> Option<f64> {
        match self {
            Relation::Equal(margin) | Relation::NotSlower(margin) => Some(*margin),
            Relation::Faster(_) | Relation::Slower(_) => None,
        }
    }
}

impl Claim {
    /// The workload that it speaks of, at one of its sizes.
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
    /// Whether a contender takes part in these workloads, or is the other build of one that does.
    pub fn has(&self, name: &ContenderName) -> bool {
        let name = name.without_against();
        self.contenders.iter().any(|pattern| pattern.fits(&name))
    }
}
