//! The plan: a suite's workloads times this machine's contenders, as numbered cells. It is stored
//! with its run, so that a resumed run measures what was begun and not what has changed since.

use crate::contender::{Contender, State};
use crate::name::{ContenderName, Pattern};
use crate::primitives::{self, EMPTY};
use crate::problem::{Problem, Written, did_you_mean};
use crate::suite::{Group, Options, Suite};
use crate::toolchain;
use cupel_protocol::bytes;
use cupel_protocol::message::Refusal;
use cupel_protocol::workload::{Contract, Inputs, Key, Operation, Shape, Workload};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Everything that a run will do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// The suite's name.
    pub suite: String,
    /// What it asks.
    pub question: String,
    /// How it is measured.
    pub options: Options,
    /// Seed of everything random in the run.
    pub seed: u64,
    /// The contenders that take part or are missing; a cell names one by its place here.
    pub contenders: Vec<Contender>,
    /// What is compared.
    pub comparisons: Vec<Comparison>,
    /// Every cell; its number is its place here.
    pub cells: Vec<Cell>,
    /// By path: the digest of each program, as the run began.
    #[serde(default)]
    pub programs: BTreeMap<String, String>,
}

/// One workload and the cells that are compared on it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// What is measured.
    pub workload: Workload,
    /// Whether this is the comparison of empty operations, which says what the harness costs.
    pub overhead: bool,
    /// Contenders in the order in which they may become the baseline.
    pub baselines: Vec<usize>,
    /// The baseline, once it is elected.
    pub baseline: Option<usize>,
    /// Length of its key in bytes; 0 where it has none.
    pub key_len: usize,
    /// The key of all its cells where one of them takes this key only; empty where each fork may
    /// have a key of its own.
    #[serde(with = "hex::serde")]
    pub fixed_key: Vec<u8>,
    /// The associated data of all its cells.
    #[serde(with = "hex::serde")]
    pub ad: Vec<u8>,
    /// How many distinct messages; a power of two.
    pub pool: u32,
}

/// A contender on a workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Place of its comparison in the plan.
    pub comparison: usize,
    /// Place of its contender in the plan.
    pub contender: usize,
    /// Whether this is the control: a second copy of the baseline in a process of its own.
    pub twin: bool,
}

/// What of a suite is wanted.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Patterns of contenders; empty for all. The baseline stays in any case.
    pub contenders: Vec<String>,
    /// Primitives; empty for all.
    pub primitives: Vec<String>,
    /// Operations; empty for all.
    pub operations: Vec<Operation>,
    /// Sizes in bytes; empty for all.
    pub sizes: Vec<u64>,
}

impl Filter {
    fn wants(&self, group: &Group, size: u64) -> bool {
        let any = |empty: bool, hit: bool| empty || hit;
        any(self.primitives.is_empty(), self.primitives.contains(&group.primitive))
            && any(self.operations.is_empty(), self.operations.contains(&group.operation))
            && any(self.sizes.is_empty(), self.sizes.contains(&size))
    }

    fn wants_contender(&self, contender: &Contender) -> bool {
        self.contenders.is_empty() || self.means(contender)
    }

    fn means(&self, contender: &Contender) -> bool {
        let fits = |text: &String| contender.is_meant_by(&Pattern::new(text));
        self.contenders.iter().any(fits)
    }
}

/// Lays out a suite over the contenders of this machine.
///
/// # Errors
/// Where a pattern names no contender, or none that offers the workload.
pub fn lay_out(
    suite: &Suite,
    contenders: &[Contender],
    filter: &Filter,
    seed: u64,
) -> Result<Plan, Problem> {
    let mut plan = Plan {
        suite: suite.name.clone(),
        question: suite.question.clone(),
        options: suite.options.clone(),
        seed,
        contenders: contenders.to_vec(),
        comparisons: Vec::new(),
        cells: Vec::new(),
        programs: BTreeMap::new(),
    };
    for group in &suite.workloads {
        let members = members(suite, group, contenders, filter)?;
        let baselines = baselines(suite, group, contenders, &members, filter)?;
        let keep: Vec<usize> = members
            .iter()
            .copied()
            .filter(|&m| filter.wants_contender(&contenders[m]) || baselines.first() == Some(&m))
            .collect();
        for &size in group.sizes.iter().filter(|&&size| filter.wants(group, size)) {
            let comparison = comparison(group, size, contenders, &keep, &baselines, &mut plan);
            plan.comparisons.push(comparison);
        }
    }
    for claim in &suite.claims {
        for name in [&claim.a, &claim.b] {
            let name = name.without_against();
            if hosted_elsewhere(&name, contenders).is_some() {
                continue; // its claims stay undecided
            }
            let pattern = Pattern { text: name.to_string(), line: claim.line };
            must_be_known(suite, &pattern, contenders)?;
        }
    }
    if plan.comparisons.is_empty() {
        return Err(Problem {
            path: suite.path.clone(),
            line: 1,
            what: "nothing of this suite fits the filters".into(),
            help: Some("leave out --primitive, --operation or --size".into()),
        });
    }
    add_overhead(&mut plan);
    Ok(plan.without_idle_contenders())
}

/// The contenders of a group: all that fit its patterns and offer its workload.
fn members(
    suite: &Suite,
    group: &Group,
    all: &[Contender],
    filter: &Filter,
) -> Result<Vec<usize>, Problem> {
    for pattern in group.contenders.iter().chain(&group.baseline) {
        must_be_known(suite, pattern, all)?;
    }
    let offers =
        |c: &Contender| c.offer(&group.primitive, group.operation, &group.contract).is_some();
    for pattern in group.contenders.iter().filter(|p| !p.text.contains('*')) {
        if let Some(contender) = all.iter().find(|c| pattern.fits(&c.name))
            && !offers(contender)
        {
            let what = format!(
                "{} does not offer {} of {} under this contract ({})",
                contender.name, group.operation, group.primitive, group.contract
            );
            let who: Vec<&str> =
                all.iter().filter(|c| offers(c)).map(|c| c.name.as_str()).collect();
            return Err(Problem {
                path: suite.path.clone(),
                line: pattern.line,
                what,
                help: Some(format!("these do: {}", who.join(", "))),
            });
        }
    }
    // One of a matrix takes part where the group means it, or where the group has all of its kind and
    // the filter means it.
    let fits = |c: &Contender| {
        let of_group = |p: &Pattern| c.is_meant_by(p) || (filter.means(c) && p.fits(&c.name));
        group.contenders.iter().any(of_group)
    };
    let members: Vec<usize> =
        (0..all.len()).filter(|&i| offers(&all[i]) && fits(&all[i])).collect();
    if members.is_empty() {
        return Err(Problem {
            path: suite.path.clone(),
            line: group.line,
            what: format!("no contender offers {} of {}", group.operation, group.primitive),
            help: Some("`cupel list` shows what there is".into()),
        });
    }
    Ok(members)
}

/// What to say of a contender on a toolchain that is not here; nothing where it is, or where it is known on
/// no toolchain at all.
pub fn hosted_elsewhere(name: &ContenderName, all: &[Contender]) -> Option<Refusal> {
    let toolchain = name.toolchain()?;
    let same = |c: &Contender| c.name.code() == name.code();
    if all.iter().any(|c| c.name == *name) || !all.iter().any(same) {
        return None;
    }
    toolchain::elsewhere(toolchain)
}

fn must_be_known(suite: &Suite, pattern: &Pattern, all: &[Contender]) -> Result<(), Problem> {
    if all.iter().any(|c| pattern.fits(&c.name)) {
        return Ok(());
    }
    let (path, line) = (suite.path.clone(), pattern.line);
    let what = format!("no contender is called \"{}\"", pattern.text);
    let help = did_you_mean(&pattern.text, all.iter().map(|c| c.name.as_str()), Written::Value)
        .unwrap_or_else(|| "`cupel list` shows the names".to_string());
    Err(Problem { path, line, what, help: Some(help) })
}

/// Members in the order in which they may be the baseline: as the suite prefers them, then the rest;
/// whoever is ready before whoever is not. Of those that one pattern of the suite prefers alike, such as
/// one library on many JDKs, whoever the filter wants comes first.
fn baselines(
    suite: &Suite,
    group: &Group,
    all: &[Contender],
    members: &[usize],
    filter: &Filter,
) -> Result<Vec<usize>, Problem> {
    let mut order: Vec<usize> = Vec::new();
    let preferred = group.baseline.iter().flat_map(|pattern| {
        let fit = members.iter().copied().filter(|&m| pattern.fits(&all[m].name));
        let (wanted, rest): (Vec<usize>, Vec<usize>) =
            fit.partition(|&m| filter.wants_contender(&all[m]));
        wanted.into_iter().chain(rest)
    });
    for member in preferred.chain(members.iter().copied()) {
        if !order.contains(&member) {
            order.push(member);
        }
    }
    if let [only] = &group.baseline[..]
        && !members.iter().any(|&m| only.fits(&all[m].name))
    {
        return Err(Problem {
            path: suite.path.clone(),
            line: only.line,
            what: format!(
                "the baseline \"{}\" is not among the contenders of this workload",
                only.text
            ),
            help: Some("name one that offers it, or several to choose from".into()),
        });
    }
    order.sort_by_key(|&m| !matches!(all[m].state, State::Ready { .. }));
    Ok(order)
}

fn comparison(
    group: &Group,
    size: u64,
    all: &[Contender],
    members: &[usize],
    baselines: &[usize],
    plan: &mut Plan,
) -> Comparison {
    let number = plan.comparisons.len();
    for &contender in members {
        plan.cells.push(Cell { comparison: number, contender, twin: false });
    }
    let baselines: Vec<usize> = baselines.iter().copied().filter(|b| members.contains(b)).collect();
    // Where one contender takes one key only, all take that key.
    let fixed = members
        .iter()
        .filter_map(|&m| {
            all[m].offer(&group.primitive, group.operation, &group.contract)?.fixed_key.as_ref()
        })
        .find_map(|key| hex::decode(key).ok());
    let key_len = match group.contract.key {
        Key::None => 0,
        _ => primitives::named(&group.primitive).map_or(0, |p| p.key),
    };
    Comparison {
        workload: Workload {
            primitive: group.primitive.clone(),
            operation: group.operation,
            size,
            contract: group.contract.clone(),
            shape: group.shape,
        },
        overhead: group.primitive == EMPTY,
        baselines,
        baseline: None,
        key_len,
        fixed_key: fixed.unwrap_or_default(),
        ad: bytes::stream(plan.seed ^ number as u64, group.contract.ad as usize),
        pool: pool(size, &group.contract, group.operation),
    }
}

/// How many messages. Hot: together within half of a 32 KiB first-level cache, from 2 to 64 of them, and
/// never less than a batch. Cold: over twice the last-level cache, within 256 MiB.
fn pool(size: u64, contract: &Contract, operation: Operation) -> u32 {
    if operation == Operation::DigestFile {
        return 1;
    }
    let inputs = contract.inputs;
    let batch = contract.batch.next_power_of_two();
    let room = match inputs {
        Inputs::Hot => 16 << 10,
        Inputs::Cold => {
            let machine = crate::machine::Machine::look();
            let cache = machine.last_level_cache.known().copied().unwrap_or(32 << 20);
            (2 * cache).clamp(64 << 20, 256 << 20)
        }
    };
    let most = if inputs == Inputs::Hot { 64 } else { 1 << 20 };
    let pool = match inputs {
        Inputs::Hot => {
            let count = (room / size.max(1)).clamp(2, most);
            1 << (63 - count.leading_zeros())
        }
        // Rounded up: it must not come out below what the cache holds.
        Inputs::Cold => room.div_ceil(size.max(1)).clamp(2, most).next_power_of_two() as u32,
    };
    batch.max(pool)
}

/// One comparison of all empty operations whose runners take part: what the harness itself costs.
fn add_overhead(plan: &mut Plan) {
    if plan.comparisons.iter().any(|c| c.overhead) {
        return;
    }
    let used: BTreeSet<&ContenderName> =
        plan.cells.iter().map(|cell| &plan.contenders[cell.contender].name).collect();
    let members: Vec<usize> = (0..plan.contenders.len())
        .filter(|&i| {
            let contender = &plan.contenders[i];
            contender.offer(EMPTY, Operation::Digest, &Contract::of(Operation::Digest)).is_some()
                && matches!(contender.state, State::Ready { .. })
                && takes_part(&contender.name, &used)
        })
        .collect();
    if members.is_empty() {
        return;
    }
    let group = Group {
        primitive: EMPTY.to_string(),
        operation: Operation::Digest,
        sizes: vec![16],
        contract: Contract::of(Operation::Digest),
        shape: Shape::Throughput,
        contenders: vec![],
        baseline: vec![],
        line: 0,
    };
    let all = plan.contenders.clone();
    let comparison = comparison(&group, 16, &all, &members, &members, plan);
    plan.comparisons.push(comparison);
}

/// Whether the runner that hosts this empty operation also hosts something that is used: each JDK's is its own,
/// and what would warm up for nothing is left out.
fn takes_part(empty: &ContenderName, used: &BTreeSet<&ContenderName>) -> bool {
    used.iter().any(|name| empty.has_the_runner_of(name))
}

impl Plan {
    /// Leaves only contenders that have a cell, renumbering them.
    fn without_idle_contenders(mut self) -> Plan {
        let used: BTreeSet<usize> = self.cells.iter().map(|c| c.contender).collect();
        let place = |old: usize| used.iter().position(|&u| u == old);
        for cell in &mut self.cells {
            cell.contender = place(cell.contender).expect("a cell's contender is used");
        }
        for comparison in &mut self.comparisons {
            comparison.baselines = comparison.baselines.iter().filter_map(|&b| place(b)).collect();
        }
        self.contenders = used.iter().map(|&old| self.contenders[old].clone()).collect();
        self
    }

    /// Chooses each comparison's baseline, the first that may be one and that is not among the
    /// `wrong`, and adds its twin, the control. Called once, between verification and measuring.
    pub fn elect(&mut self, wrong: &BTreeSet<usize>) {
        for number in 0..self.comparisons.len() {
            let fit = |&&b: &&usize| {
                !wrong.contains(&b) && matches!(self.contenders[b].state, State::Ready { .. })
            };
            let comparison = &mut self.comparisons[number];
            comparison.baseline = comparison.baselines.iter().find(fit).copied();
            if let Some(contender) = comparison.baseline {
                self.cells.push(Cell { comparison: number, contender, twin: true });
            }
        }
    }

    /// A comparison's key in a fork whose messages start at `seed`: another in every fork, so that
    /// no nonce meets a key twice.
    pub fn key(&self, comparison: usize, seed: u64) -> Vec<u8> {
        let Comparison { key_len, fixed_key, .. } = &self.comparisons[comparison];
        if fixed_key.is_empty() {
            // Far from the seeds of the messages.
            bytes::stream(seed ^ (1 << 60), *key_len)
        } else {
            fixed_key.clone()
        }
    }

    /// The numbers of a comparison's cells.
    pub fn cells_of(&self, comparison: usize) -> Vec<usize> {
        (0..self.cells.len()).filter(|&c| self.cells[c].comparison == comparison).collect()
    }

    /// The contender of a cell.
    pub fn contender_of(&self, cell: usize) -> &Contender {
        &self.contenders[self.cells[cell].contender]
    }

    /// What is wrong where a cell's build has more layouts than there are forks: what it shows may then be
    /// a matter of layout.
    pub fn lacks_layouts(&self, cell: usize) -> Option<String> {
        let layouts = self.contender_of(cell).layouts.len();
        (layouts > self.options.forks as usize).then(|| {
            format!(
                "only {} of its {layouts} layouts were run: --forks {layouts}",
                self.options.forks
            )
        })
    }

    /// Whether the run is on a simulated clock.
    ///
    /// # Errors
    /// Where some contenders are and some are not: their times are never compared.
    pub fn simulated(&self) -> Result<bool, String> {
        let kinds: BTreeSet<bool> = self
            .contenders
            .iter()
            .filter_map(|c| match c.state {
                State::Ready { simulated, .. } => Some(simulated),
                _ => None,
            })
            .collect();
        match kinds.len() {
            0 => Ok(false),
            1 => Ok(kinds.contains(&true)),
            _ => Err("simulated and real contenders cannot be in one run: their times are not comparable".into()),
        }
    }

    /// The sizes of the files that its `digest-file` comparisons read.
    pub fn file_sizes(&self) -> impl Iterator<Item = u64> {
        let works = self.comparisons.iter().map(|c| &c.workload);
        works.filter(|w| w.operation == Operation::DigestFile).map(|w| w.size)
    }

    /// The file that a `digest-file` comparison reads, below the cache folder.
    pub fn file(&self, comparison: usize, cache: &std::path::Path) -> Option<PathBuf> {
        let work = &self.comparisons[comparison].workload;
        (work.operation == Operation::DigestFile).then(|| crate::files::path(cache, work.size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overhead_is_that_of_the_runners_that_are_used_and_of_no_other() {
        let names = ["c/cupel@gcc-12-O2", "jvm/jdk@temurin-25"].map(ContenderName::from);
        let used = names.iter().collect();
        for (empty, expected) in [
            ("c/empty", true),
            ("jvm/empty@temurin-25", true),
            ("jvm/empty@debian-17", false),
            ("rust/empty", false),
        ] {
            assert_eq!(takes_part(&empty.into(), &used), expected, "{empty}");
        }
    }
}
