//! The command line's choice from a suite, and its replacements in it.

use super::names::Names;
use anyhow::Result;
use cupel_base::home::Home;
use cupel_plan::Filter;
use cupel_plan::against::MARGIN;
use cupel_suite::{Options, Suite};
use cupel_toolchain::kept::Kept;
use cupel_toolchain::{Ask, Wanted};
use std::path::PathBuf;
use std::time::Duration;

/// The part of a suite to measure, and how. The suite decides the rest.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// The part of the suite to measure.
    pub filter: Filter,
    /// The time for measuring.
    pub budget: Option<Duration>,
    /// How narrow the intervals must be.
    pub precision: Option<f64>,
    /// Fresh processes of each contender.
    pub forks: Option<u32>,
    /// The forks in which all contenders run.
    pub first_forks: Option<u32>,
    /// The most forks of contenders whose code is compiled at run time.
    pub jit_forks: Option<u32>,
    /// Whether only the contenders that the suite's claims compare are measured, and the baseline.
    pub claimed: bool,
    /// Seed of everything random; random itself if it is not given.
    pub seed: Option<u64>,
    /// The build that this one is compared with, in a gate.
    pub against: Option<Against>,
    /// By how much this build may be slower than the other, as a share.
    pub margin: Option<f64>,
    /// Whether the builds may have different contenders.
    pub may_differ: bool,
    /// C compilers, by path.
    pub compilers: Vec<PathBuf>,
    /// Whether to build contenders that are not built yet.
    pub build: bool,
    /// The run next to which this one is measured, in words, if there is one.
    pub beside: Option<String>,
}

/// Other builds of the contenders.
#[derive(Clone, Debug)]
pub enum Against {
    /// Another build of a runner: `[FAMILY=]PROGRAM`.
    Program(String),
    /// These families on the libraries that were kept of them.
    Kept(Vec<Kept>),
}

/// A seed with as many bits as a JSON number represents exactly.
pub fn random_seed() -> u64 {
    rand::random::<u64>() >> 11
}

impl Overrides {
    /// These overrides with the full names of the contenders that the filter means. `say` gets each
    /// phase.
    ///
    /// # Errors
    /// A word that means no contender, or more than one.
    pub fn resolved(&self, home: &Home, say: &dyn Fn(&str)) -> Result<Overrides> {
        let mut resolved = self.clone();
        if !self.filter.contenders.is_empty() {
            let (build, compilers) = (self.build, &self.compilers);
            let names = Names { home, work: None, compilers, build, say };
            resolved.filter.contenders = names.resolve(&self.filter.contenders)?.names;
        }
        Ok(resolved)
    }

    /// The options of the suite, with those that the command line replaces.
    pub(super) fn options(&self, suite: &Suite) -> Options {
        let options = suite.options.clone();
        // A gate looks for a few percent, which fewer forks cannot decide.
        let fewest = if self.against.is_some() { cupel_stats::ENOUGH_FORKS as u32 } else { 0 };
        Options {
            budget: self.budget.unwrap_or(options.budget),
            precision: self.precision.unwrap_or(options.precision),
            forks: self.forks.unwrap_or(options.forks.max(fewest)),
            first_forks: self.first_forks.or(options.first_forks),
            // Asked for more forks, all contenders have them: the answer that is missing may be
            // about code that is compiled at run time.
            jit_forks: self.jit_forks.or(options.jit_forks.filter(|_| self.forks.is_none())),
            // Nor does one leave early if the user says in how many forks it runs.
            jit_first_forks: options
                .jit_first_forks
                .filter(|_| self.forks.or(self.first_forks).or(self.jit_forks).is_none()),
            margin: self.against.as_ref().map(|_| self.margin.unwrap_or(MARGIN)),
            beside: self.beside.clone(),
            ..options
        }
    }

    /// The seed.
    pub(super) fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(random_seed)
    }

    /// The contenders that the suite and the filters name, and which of them to build.
    pub(super) fn wanted(&self, suite: &Suite, only: &[String]) -> Wanted {
        let groups = suite.workloads.iter();
        let patterns = groups.flat_map(|g| g.contenders.iter().chain(&g.baseline)).map(|p| &p.text);
        let claimed = suite
            .claims
            .iter()
            .flat_map(|claim| [&claim.a, &claim.b])
            .map(|n| n.contender().to_string());
        let mut named: Vec<String> = patterns.chain(only).cloned().chain(claimed).collect();
        let baselines = suite.workloads.iter().flat_map(|g| &g.baseline).map(|p| &p.text);
        let mut narrow =
            if only.is_empty() { vec![] } else { only.iter().chain(baselines).cloned().collect() };
        if let Some(Against::Program(_)) = self.against {
            if only.is_empty() {
                narrow.clone_from(&named);
            }
            // Names alone show another build's family, so all families are looked at.
            named.push("*".to_string());
        }
        // Without a baseline in the suite, any ready contender of it may become the baseline.
        let elects = suite.workloads.iter().any(|group| group.baseline.is_empty());
        let all = elects || self.against.is_some() || narrow.is_empty();
        let ask = if all { Ask::Every } else { Ask::Only(narrow.clone()) };
        let (build, compilers) = (self.build, self.compilers.clone());
        Wanted { build, named, narrow, ask, compilers, implementations: vec![] }
    }
}
