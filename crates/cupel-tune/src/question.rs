//! The suite that measures every class: a default and its paths, for batches of two numbers and two
//! sizes of each class.

use cupel_base::problem::Problem;
use cupel_decide::paths::Pair;
use cupel_plan::Plan;
use cupel_protocol::workload::Operation;
use cupel_suite::{NewSuite, NewWorkload, Options, Relation, Said, Suite};
use std::collections::BTreeSet;

/// The name of the suite.
pub const NAME: &str = "tune";

/// The contender for which the library decides.
pub const DEFAULT: &str = "c/cupel-many";

/// What it computes.
pub const PRIMITIVES: [&str; 2] = ["sha1", "sha256"];

/// As for questions from the command line.
const FORKS: u32 = 24;

/// A range of numbers of messages, or of sizes: it reaches to where the next one begins.
struct Range {
    /// As in a plan.
    from: u32,
    /// Where it is measured: at the ends, or where a path that wins there would lose (docs/tuning.md).
    at: [u32; 2],
}

const COUNTS: [Range; 4] = [
    // Three and four, twelve and twenty fill the turns with the SHA extensions or nearly so, and leave lanes
    // idle: a path with lanes that gains with five, nine or seventeen may lose there.
    Range { from: 1, at: [3, 4] },
    Range { from: 6, at: [6, 8] },
    Range { from: 9, at: [12, 15] },
    Range { from: 16, at: [20, 150] },
];

const SIZES: [Range; 3] = [
    Range { from: 0, at: [16, 200] },
    Range { from: 256, at: [256, 2048] },
    Range { from: 4096, at: [4096, 8192] },
];

/// Batches that a plan does not distinguish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The primitive's standard name.
    pub primitive: String,
    /// The fewest messages.
    pub count: u32,
    /// The shortest first message, in bytes.
    pub size: u32,
    /// Where it is measured: numbers of messages, each with a size in bytes.
    pub points: [(u32, u64); 2],
}

impl Class {
    /// All classes of these primitives.
    pub fn all(primitives: &[String]) -> Vec<Class> {
        let mut all = Vec::new();
        for primitive in primitives {
            for count in &COUNTS {
                for size in &SIZES {
                    all.push(Class {
                        primitive: primitive.clone(),
                        count: count.from,
                        size: size.from,
                        points: [0, 1].map(|i| (count.at[i], u64::from(size.at[i]))),
                    });
                }
            }
        }
        all
    }
}

/// The suite. Of each pair it claims both: the default is not slower than the path, nor the path
/// than the default.
///
/// # Errors
/// None, unless a pair has a name that no suite can have.
pub fn suite(pairs: &[Pair], primitives: &[String]) -> Result<Suite, Problem> {
    let margin = Options::default().tie_zone;
    let forced = pairs.iter().map(|pair| pair.forced.clone());
    let contenders: Vec<String> = [DEFAULT.to_string()].into_iter().chain(forced).collect();
    let claims: Vec<Said> = pairs
        .iter()
        .flat_map(|pair| {
            let claim = pair.claim(margin);
            let (a, b) = (claim.b.clone(), claim.a.clone());
            let text = format!("{a} is not slower than {b}");
            [claim, Said { a, b, relation: Relation::NotSlower(margin), text }]
        })
        .collect();
    let mut workloads = Vec::new();
    for primitive in primitives {
        for (count, i) in COUNTS.iter().flat_map(|count| [(count, 0), (count, 1)]) {
            workloads.push(NewWorkload {
                primitive: primitive.clone(),
                operation: Some(Operation::DigestMany),
                sizes: SIZES.iter().map(|size| size.at[i].into()).collect(),
                contract: vec![("batch".to_string(), count.at[i].to_string())],
                contenders: contenders.clone(),
                baseline: Some(DEFAULT.to_string()),
                claims: claims.clone(),
                ..NewWorkload::default()
            });
        }
    }
    let suite = NewSuite {
        name: NAME,
        question: "Which code path of our C library is the fastest for which batches?".to_string(),
        forks: FORKS,
        jit_forks: None,
        workloads,
    };
    suite.suite()
}

/// What a stored run of such a suite measured: the pairs and the primitives. No pairs if the default is
/// not in it.
pub fn measured(plan: &Plan) -> (Vec<Pair>, Vec<String>) {
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut primitives: BTreeSet<String> = BTreeSet::new();
    for comparison in plan.comparisons.iter().filter(|comparison| !comparison.overhead) {
        primitives.insert(comparison.workload.primitive.clone());
        let cells = comparison.cells.iter().filter(|&&cell| !plan.cells[cell].control);
        names.extend(cells.map(|&cell| plan.name_of(cell).to_string()));
    }
    if !names.remove(DEFAULT) {
        names.clear();
    }
    let pairs = names.into_iter().map(|forced| Pair { default: DEFAULT.to_string(), forced });
    (pairs.collect(), primitives.into_iter().collect())
}
