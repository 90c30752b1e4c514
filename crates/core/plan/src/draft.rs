//! A draft: a suite laid out over the contenders of a machine, before any contender is verified.
//! Only a verified contender may be a baseline, so a draft has neither baselines nor controls, and
//! its cells have no numbers yet.

use super::{Alternative, Cell, Claimed, Comparison, METHOD, Plan, PlanParts, starts_late};
use cupel_contender::Contender;
use cupel_protocol::workload::{Operation, Workload};
use cupel_suite::{Isolation, Options};
use std::collections::{BTreeMap, BTreeSet};

/// A suite laid out over the contenders of a machine. It never changes: [`Draft::elect`] makes a
/// plan of it.
#[derive(Clone, Debug)]
pub struct Draft {
    suite: String,
    question: String,
    among: Vec<String>,
    options: Options,
    seed: u64,
    contenders: Vec<Contender>,
    comparisons: Vec<DraftComparison>,
}

/// The results of verification for the contenders of a draft. They are given by comparison and
/// position among its members: a contender that fails at one offer may be right at all others.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Members that answered wrongly, or that need something that this machine lacks.
    pub unfit: BTreeSet<(usize, usize)>,
    /// The fault outside the messages of that workload.
    pub limits: BTreeMap<(usize, usize), String>,
}

/// A workload and the contenders to compare on it.
#[derive(Clone, Debug)]
pub struct DraftComparison {
    /// The measured workload.
    pub workload: Workload,
    /// In a choice: the workloads of its cells; empty if all measure the workload.
    pub alternatives: Vec<Alternative>,
    /// Whether this is the comparison of empty operations, which shows the harness overhead.
    pub overhead: bool,
    /// The members. In a choice, a contender takes part with each alternative that it offers, in
    /// their order.
    pub members: Vec<Member>,
    /// The contenders that are candidates for the baseline, in order of preference.
    pub baselines: Vec<usize>,
    /// The suite's claims here, about its members.
    pub claimed: Vec<Claimed>,
    /// Length of its key in bytes; 0 if it has none.
    pub key_len: usize,
    /// The key of all its cells, if a contender accepts only this key; empty if each fork may have
    /// its own key.
    pub fixed_key: Vec<u8>,
    /// The associated data of all its cells.
    pub ad: Vec<u8>,
    /// How many distinct messages; a power of two.
    pub pool: u32,
}

/// A member of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// The position of the contender in the draft.
    pub contender: usize,
    /// In a choice: which of the comparison's alternatives it computes.
    pub alternative: Option<usize>,
}

impl From<usize> for Member {
    /// A contender in a comparison that is not a choice.
    fn from(contender: usize) -> Member {
        Member { contender, alternative: None }
    }
}

impl DraftComparison {
    /// The workload of a member.
    pub fn workload_of(&self, member: Member) -> &Workload {
        member.alternative.map_or(&self.workload, |number| &self.alternatives[number].workload)
    }
}

impl Draft {
    /// A draft of these comparisons. `suite` and `question` are the suite's name and question.
    pub fn new(
        suite: impl Into<String>,
        question: impl Into<String>,
        options: Options,
        seed: u64,
        contenders: Vec<Contender>,
        comparisons: Vec<DraftComparison>,
    ) -> Draft {
        let (suite, question) = (suite.into(), question.into());
        Draft { suite, question, among: vec![], options, seed, contenders, comparisons }
    }

    /// The draft, asked among these contenders only ([`PlanParts::among`]).
    #[must_use]
    pub fn among(self, among: Vec<String>) -> Draft {
        Draft { among, ..self }
    }

    /// The suite's name.
    pub fn suite(&self) -> &str {
        &self.suite
    }

    /// The question of the suite.
    pub fn question(&self) -> &str {
        &self.question
    }

    /// No interval of the run is to be narrower than this ([`Options::least_width`]).
    pub fn set_least_width(&mut self, least: f64) {
        self.options.least_width = least;
    }

    /// Contenders whose code is compiled at run time have no more forks than this.
    pub fn set_jit_forks(&mut self, most: u32) {
        self.options.jit_forks = Some(most);
    }

    /// The run has no more forks than this. Forks in which nothing runs must not be planned: each
    /// has a share of the time.
    pub fn set_forks(&mut self, most: u32) {
        self.options.forks = most;
    }

    /// How it is measured.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The seed of everything random in the run.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The contenders that take part or are missing.
    pub fn contenders(&self) -> &[Contender] {
        &self.contenders
    }

    /// The comparisons of the draft.
    pub fn comparisons(&self) -> &[DraftComparison] {
        &self.comparisons
    }

    /// Whether the cells of a contender share a process.
    pub fn shares_processes(&self) -> bool {
        self.options.isolation == Isolation::Contender
    }

    /// How many cells it has, without the controls.
    pub fn cells(&self) -> usize {
        self.comparisons.iter().map(|comparison| comparison.members.len()).sum()
    }

    /// Whether the run is on a simulated clock.
    ///
    /// # Errors
    /// If some contenders are and some are not: their times are never compared.
    pub fn simulated(&self) -> Result<bool, String> {
        cupel_contender::simulated(&self.contenders)
    }

    /// The most threads of a cell.
    pub fn threads(&self) -> u32 {
        self.comparisons.iter().map(|c| c.workload.contract.threads).max().unwrap_or(1)
    }

    /// The sizes of the files that its `digest-file` comparisons read.
    pub fn file_sizes(&self) -> impl Iterator<Item = u64> {
        let works = self.comparisons.iter().map(|c| &c.workload);
        works.filter(|w| w.operation == Operation::DigestFile).map(|w| w.size)
    }

    /// Makes the plan. The baseline of a comparison is its first candidate that is ready and not
    /// unfit. A second copy of the baseline is its control; each other compiler that works at run
    /// time has its own control. `programs` are the digests of the measured programs, by path.
    pub fn elect(self, judged: &Judged, programs: BTreeMap<String, String>) -> Plan {
        let Draft { suite, question, among, mut options, seed, contenders, comparisons } = self;
        if !contenders.iter().any(|contender| starts_late(&options, contender)) {
            // No look at them takes a share of the error.
            options.jit_forks = None;
        }
        let mut cells = Vec::new();
        let mut elected = Vec::new();
        for (number, draft) in comparisons.into_iter().enumerate() {
            let DraftComparison { workload, overhead, members, baselines, .. } = draft;
            let first = cells.len();
            for (position, &Member { contender, alternative }) in members.iter().enumerate() {
                let limit = judged.limits.get(&(number, position)).cloned();
                let control = false;
                cells.push(Cell { comparison: number, contender, alternative, control, limit });
            }
            let mut ready = baselines.iter().filter(|&&baseline| contenders[baseline].is_ready());
            // Its first alternative that is fit, if it has several.
            let baseline = ready.find_map(|&baseline| {
                (0..members.len()).find(|&position| {
                    members[position].contender == baseline
                        && !judged.unfit.contains(&(number, position))
                })
            });
            elected.push(Comparison {
                workload,
                alternatives: draft.alternatives,
                overhead,
                baselines,
                cells: (first..cells.len()).collect(),
                baseline: baseline.map(|position| first + position),
                control: None,
                claimed: draft.claimed,
                key_len: draft.key_len,
                fixed_key: draft.fixed_key,
                ad: draft.ad,
                pool: draft.pool,
            });
        }
        // The numbers of the controls follow all other cells'.
        for (number, comparison) in elected.iter_mut().enumerate() {
            let Some(baseline) = comparison.baseline else { continue };
            comparison.control = Some(cells.len());
            let originals = with_controls(comparison, baseline, &cells, &contenders, |position| {
                !judged.unfit.contains(&(number, position))
            });
            for original in originals {
                comparison.cells.push(cells.len());
                cells.push(Cell { control: true, ..cells[original].clone() });
            }
        }
        let comparisons = elected;
        Plan(PlanParts {
            suite,
            question,
            method: METHOD,
            among,
            options,
            seed,
            contenders,
            comparisons,
            cells,
            programs,
        })
    }
}

/// The cells of a comparison that have a control: first the baseline, then the first fit contender
/// of each run-time compiler (each JDK, each version of Node.js) that is not the baseline's.
/// Processes whose code is compiled at run time differ more than others, so a baseline in C says
/// nothing about them. The harness overhead is not a comparison of contenders, and has only the
/// baseline's.
fn with_controls(
    comparison: &Comparison,
    baseline: usize,
    cells: &[Cell],
    contenders: &[Contender],
    is_fit: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let mut seen = vec![run_time_compiler(&contenders[cells[baseline].contender])];
    let mut chosen = vec![baseline];
    for (position, &cell) in comparison.cells.iter().enumerate().filter(|_| !comparison.overhead) {
        let compiler = run_time_compiler(&contenders[cells[cell].contender]);
        if compiler.is_some() && !seen.contains(&compiler) && is_fit(position) {
            seen.push(compiler);
            chosen.push(cell);
        }
    }
    chosen
}

fn run_time_compiler(contender: &Contender) -> Option<(&str, Option<&str>)> {
    contender.is_jit().then(|| (contender.family.as_str(), contender.name.host()))
}
