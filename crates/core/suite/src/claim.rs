//! A claim that runs can decide: "A is faster than B (by r) at size n", with its source.

use super::Group;
use cupel_base::name::ContenderName;
use cupel_protocol::workload::{Contract, Operation, Shape, Workload};

/// A sentence that compares two contenders.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Claim {
    /// The line of the suite on which it begins.
    pub line: usize,
    /// Where it is said: `document 003, line 13`.
    pub source: String,
    /// The quoted sentence.
    pub quote: String,
    /// A note besides the verdict, such as why it can differ here.
    pub note: Option<String>,
    /// The contender that the sentence is about.
    pub a: ContenderName,
    /// The relation of `a` to `b`.
    pub relation: Relation,
    /// The contender that `a` is compared with; `a` itself if nothing is compared.
    pub b: ContenderName,
    /// The primitive's standard name.
    pub primitive: String,
    /// The operation of the primitive.
    pub operation: Operation,
    /// The work inside the timed call.
    pub contract: Contract,
    /// Whether calls wait for each other.
    pub shape: Shape,
    /// Message lengths in bytes, ascending; the claim is made at each of them. A claim of
    /// overtaking has the smallest one and those from its own size on.
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
    /// It is this many times as fast, or faster.
    AtLeast(f64),
    /// It is this many times as fast, or slower.
    AtMost(f64),
    /// How many times as fast it is lies in a range.
    Between {
        /// The lower end of the range.
        low: f64,
        /// The upper end, above the lower one.
        high: f64,
    },
    /// It is this many times as fast, whichever of the two is ahead.
    About(Factor),
    /// It is slower at the smallest size of the claim, and faster at every size from this one on,
    /// in bytes. The claim at one size is its own relation ([`Relation::at`]).
    Overtakes(u64),
    /// No leak of it is seen. This compares nothing, and no time decides it.
    NoLeak,
}

/// How many times as fast, or as slow.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Factor {
    /// The factor; 1 or more if the claim says which of the two is ahead.
    pub ratio: f64,
    /// How far a measured factor may be from this one, as a share, in either direction.
    pub tolerance: f64,
}

impl Factor {
    /// The tolerance of a claim that does not give one. It is wide, because the figures of
    /// documents come from other machines, and from programs that were measured one after the
    /// other.
    pub const TOLERANCE: f64 = 0.2;
}

impl Relation {
    /// The words of files. A line may have all but the last.
    pub const WORDS: [&'static str; 10] = [
        "faster",
        "slower",
        "equal",
        "not-slower",
        "at-least",
        "at-most",
        "between",
        "about",
        "overtakes",
        "no-leak",
    ];

    /// The word in files.
    pub fn word(&self) -> &'static str {
        match self {
            Relation::Faster(_) => Relation::WORDS[0],
            Relation::Slower(_) => Relation::WORDS[1],
            Relation::Equal(_) => Relation::WORDS[2],
            Relation::NotSlower(_) => Relation::WORDS[3],
            Relation::AtLeast(_) => Relation::WORDS[4],
            Relation::AtMost(_) => Relation::WORDS[5],
            Relation::Between { .. } => Relation::WORDS[6],
            Relation::About(_) => Relation::WORDS[7],
            Relation::Overtakes(_) => Relation::WORDS[8],
            Relation::NoLeak => Relation::WORDS[9],
        }
    }

    /// Whether times decide it.
    pub fn is_of_times(&self) -> bool {
        *self != Relation::NoLeak
    }

    /// The claimed relation at one size, in bytes. Only a claim of overtaking differs from size to
    /// size.
    pub fn at(&self, size: u64) -> Relation {
        match *self {
            Relation::Overtakes(from) if size < from => Relation::Slower(None),
            Relation::Overtakes(_) => Relation::Faster(None),
            relation => relation,
        }
    }

    /// The factor that is claimed besides a direction, if there is one.
    pub fn factor(&self) -> Option<Factor> {
        match self {
            Relation::Faster(factor) | Relation::Slower(factor) => *factor,
            _ => None,
        }
    }

    /// The one ratio that is claimed, if there is one: how many times as fast, or as long if the
    /// relation is "slower".
    pub fn ratio(&self) -> Option<f64> {
        match self {
            Relation::AtLeast(ratio) | Relation::AtMost(ratio) => Some(*ratio),
            Relation::About(factor) => Some(factor.ratio),
            _ => self.factor().map(|factor| factor.ratio),
        }
    }

    /// How far a measured factor may be from the claimed one, as a share, if the relation has a
    /// limit.
    pub fn tolerance(&self) -> Option<f64> {
        match self {
            Relation::About(factor) => Some(factor.tolerance),
            _ => self.factor().map(|factor| factor.tolerance),
        }
    }

    /// The ends of the range that is claimed, in times as fast. An end that is not claimed is
    /// `None`.
    pub fn range(&self) -> (Option<f64>, Option<f64>) {
        match *self {
            Relation::AtLeast(ratio) => (Some(ratio), None),
            Relation::AtMost(ratio) => (None, Some(ratio)),
            Relation::Between { low, high } => (Some(low), Some(high)),
            _ => (None, None),
        }
    }

    /// The share by which the times may differ, if the relation has one.
    pub fn margin(&self) -> Option<f64> {
        match self {
            Relation::Equal(margin) | Relation::NotSlower(margin) => Some(*margin),
            _ => None,
        }
    }

    /// Whether it says how many times as fast `a` is. The others say how many times as long it
    /// takes.
    pub fn is_of_speed(&self) -> bool {
        match self {
            Relation::Faster(_)
            | Relation::AtLeast(_)
            | Relation::AtMost(_)
            | Relation::Between { .. }
            | Relation::About(_)
            | Relation::Overtakes(_) => true,
            Relation::Slower(_)
            | Relation::Equal(_)
            | Relation::NotSlower(_)
            | Relation::NoLeak => false,
        }
    }
}

impl Claim {
    /// Its relation at one of its sizes.
    pub fn relation_at(&self, size: u64) -> Relation {
        self.relation.at(size)
    }

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
    /// Whether a contender is in these workloads, or is the other build of a contender that does.
    pub fn has(&self, name: &ContenderName) -> bool {
        let name = name.without_against();
        self.contenders.iter().any(|pattern| pattern.fits(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One relation of each kind, with its form in stored plans.
    const STORED: [(Relation, &str); 12] = [
        (Relation::Faster(None), r#"{"faster":null}"#),
        (
            Relation::Slower(Some(Factor { ratio: 1.5, tolerance: 0.2 })),
            r#"{"slower":{"ratio":1.5,"tolerance":0.2}}"#,
        ),
        (Relation::Slower(None), r#"{"slower":null}"#),
        (Relation::Equal(0.05), r#"{"equal":0.05}"#),
        (Relation::NotSlower(0.02), r#"{"not-slower":0.02}"#),
        (Relation::AtLeast(1.5), r#"{"at-least":1.5}"#),
        (Relation::AtMost(0.5), r#"{"at-most":0.5}"#),
        (Relation::Between { low: 1.5, high: 2.0 }, r#"{"between":{"low":1.5,"high":2.0}}"#),
        (
            Relation::About(Factor { ratio: 0.8, tolerance: 1.0 }),
            r#"{"about":{"ratio":0.8,"tolerance":1.0}}"#,
        ),
        (Relation::Overtakes(1024), r#"{"overtakes":1024}"#),
        (Relation::NoLeak, r#""no-leak""#),
        (
            Relation::Faster(Some(Factor { ratio: 2.0, tolerance: 0.1 })),
            r#"{"faster":{"ratio":2.0,"tolerance":0.1}}"#,
        ),
    ];

    #[test]
    fn stores_of_every_version_have_the_same_relations() {
        for (relation, text) in STORED {
            assert_eq!(serde_json::to_string(&relation).unwrap(), text);
            assert_eq!(serde_json::from_str::<Relation>(text).unwrap(), relation);
            // The word of a suite is the name in the store.
            assert!(text.trim_start_matches('{').starts_with(&format!("{:?}", relation.word())));
        }
        let words = STORED.map(|(relation, _)| relation.word());
        assert!(Relation::WORDS.iter().all(|word| words.contains(word)), "one is not listed");
    }

    #[test]
    fn overtaking_is_slower_below_its_size_and_faster_from_it_on() {
        let overtakes = Relation::Overtakes(1024);
        assert_eq!(overtakes.at(1023), Relation::Slower(None));
        assert_eq!(overtakes.at(1024), Relation::Faster(None));
        assert_eq!(overtakes.at(1 << 20), Relation::Faster(None));
        let others = STORED.iter().map(|(relation, _)| *relation).filter(|r| *r != overtakes);
        others.for_each(|relation| assert_eq!(relation.at(16), relation));
    }
}
