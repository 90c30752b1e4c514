//! What a person wants of a suite, and in place of what it says.

use crate::against::MARGIN;
use crate::plan::Filter;
use crate::suite::{Options, Suite};
use crate::toolchain::Wanted;
use std::path::PathBuf;
use std::time::Duration;

/// What is wanted of a suite. What is not given is as the suite says.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// Which part of it.
    pub filter: Filter,
    /// Time for measuring.
    pub budget: Option<Duration>,
    /// How narrow intervals must be.
    pub precision: Option<f64>,
    /// Fresh processes of each contender.
    pub forks: Option<u32>,
    /// Seed of everything random; where there is none, by lot.
    pub seed: Option<u64>,
    /// Another build of a runner: `[FAMILY=]PROGRAM`.
    pub against: Option<String>,
    /// By how much this build may be slower than that one, as a share.
    pub margin: Option<f64>,
    /// C compilers by their paths.
    pub compilers: Vec<PathBuf>,
    /// Whether to build what is not built yet.
    pub build: bool,
}

impl Wish {
    /// How a suite is measured then.
    pub(super) fn options(&self, suite: &Suite) -> Options {
        let options = suite.options.clone();
        Options {
            budget: self.budget.unwrap_or(options.budget),
            precision: self.precision.unwrap_or(options.precision),
            forks: self.forks.unwrap_or(options.forks),
            margin: self.against.as_ref().map(|_| self.margin.unwrap_or(MARGIN)),
            ..options
        }
    }

    /// The seed. One by lot has as many bits as a number in JSON keeps.
    pub(super) fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(|| rand::random::<u64>() >> 11)
    }

    /// Whom a suite and the filters name, and what of it is to be built.
    pub(super) fn wanted(&self, suite: &Suite, only: &[String]) -> Wanted {
        let groups = suite.workloads.iter();
        let patterns = groups.flat_map(|g| g.contenders.iter().chain(&g.baseline)).map(|p| &p.text);
        let claimed =
            suite.claims.iter().flat_map(|claim| [&claim.a, &claim.b]).map(ToString::to_string);
        let named = patterns.chain(only).cloned().chain(claimed).collect();
        let baselines = suite.workloads.iter().flat_map(|g| &g.baseline).map(|p| &p.text);
        let narrow = match only.is_empty() {
            true => vec![],
            false => only.iter().chain(baselines).cloned().collect(),
        };
        Wanted { build: self.build, named, narrow, compilers: self.compilers.clone() }
    }
}
