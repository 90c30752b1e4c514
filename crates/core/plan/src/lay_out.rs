//! Lays a suite out over the contenders of a machine: workloads times contenders.

use super::asked;
use super::draft::{Draft, DraftComparison, Member};
use super::filter::Filter;
use super::members::{baselines, members};
use super::overhead;
use super::pool::pool;
use super::{Alternative, Claimed};
use cupel_base::name::ContenderName;
use cupel_base::primitives::{self, EMPTY};
use cupel_base::problem::Problem;
use cupel_contender::Contender;
use cupel_protocol::bytes;
use cupel_protocol::workload::{Key, Workload};
use cupel_suite::{Group, Options, Suite};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Lays out a suite over the contenders of this machine, to be measured with these options.
///
/// # Errors
/// If a pattern matches no contender, or none that offers the workload.
pub fn lay_out(
    suite: &Suite,
    contenders: &[Contender],
    filter: &Filter,
    options: Options,
    seed: u64,
) -> Result<Draft, Problem> {
    let mut comparisons: Vec<DraftComparison> = Vec::new();
    for group in &suite.workloads {
        let group = &filter.narrowed(group);
        let members = members(suite, group, contenders, filter)?;
        let baselines = baselines(suite, group, contenders, &members, filter)?;
        let mut keep = members;
        keep.retain(|&Member { contender, .. }| {
            filter.wants_contender(&contenders[contender]) || baselines.first() == Some(&contender)
        });
        for &threads in &group.threads {
            // Each number of threads is its own chart.
            let group = &Group { contract: group.contract_on(threads), ..group.clone() };
            for size in filter.sizes(suite, group) {
                group.allows(size).map_err(|what| Problem {
                    path: PathBuf::new(),
                    line: 0,
                    what,
                    help: None,
                })?;
                // Each comparison has associated data of its own.
                let seed = seed ^ comparisons.len() as u64;
                let mut comparison = comparison(group, size, contenders, &keep, &baselines, seed);
                // The rest of a choice may be another workload of the suite.
                if comparisons.iter().any(|known| known.workload == comparison.workload) {
                    continue;
                }
                comparison.claimed = claims_about(suite, contenders, &comparison);
                comparisons.push(comparison);
            }
        }
    }
    if comparisons.is_empty() {
        return Err(Problem {
            path: suite.path.clone(),
            line: 1,
            what: "nothing of this suite fits the filters".into(),
            help: Some("leave out --primitive, --operation or --size".into()),
        });
    }
    if !suite.workloads.iter().any(|group| group.primitive == EMPTY)
        && let Some((group, members)) = overhead::empty_operations(contenders, &comparisons)
    {
        let seed = seed ^ comparisons.len() as u64;
        let size = overhead::SIZE;
        let all: Vec<Member> = members.iter().copied().map(Member::from).collect();
        let comparison = comparison(&group, size, contenders, &all, &members, seed);
        comparisons.push(DraftComparison { overhead: true, ..comparison });
    }
    let (name, question) = (suite.name.as_str(), suite.question.as_str());
    let mut members = without_idle(contenders, &mut comparisons);
    asked::mark(&mut members, contenders, suite, filter);
    let among = filter.among(suite);
    Ok(Draft::new(name, question, options, seed, members, comparisons).among(among))
}

/// The suite's claims about the members of a comparison.
fn claims_about(
    suite: &Suite,
    contenders: &[Contender],
    comparison: &DraftComparison,
) -> Vec<Claimed> {
    let mut members: BTreeMap<ContenderName, Member> = BTreeMap::new();
    for &member in &comparison.members {
        let name = &contenders[member.contender].name;
        let name = match member.alternative {
            Some(_) => name.with_primitive(&comparison.workload_of(member).primitive),
            None => name.clone(),
        };
        members.entry(name).or_insert(member);
    }
    let size = comparison.workload.size;
    let mut claimed = Vec::new();
    let claims = suite.claims.iter().filter(|claim| claim.relation.is_of_times());
    for claim in claims.filter(|claim| claim.sizes.contains(&size)) {
        if let Some((a, b)) = members.get(&claim.a).zip(members.get(&claim.b))
            && claim.workload(size) == comparison.workload
        {
            let alternatives = a.alternative.zip(b.alternative);
            let (a, b) = (a.contender, b.contender);
            claimed.push(Claimed { a, b, relation: claim.relation_at(size), alternatives });
        }
    }
    claimed
}

/// Keeps only the contenders that take part in a comparison, and renumbers them.
fn without_idle(all: &[Contender], comparisons: &mut [DraftComparison]) -> Vec<Contender> {
    let used: BTreeSet<usize> =
        comparisons.iter().flat_map(|c| &c.members).map(|member| member.contender).collect();
    let numbers: BTreeMap<usize, usize> =
        used.iter().enumerate().map(|(new, &old)| (old, new)).collect();
    for comparison in comparisons {
        // Candidates for the baseline, and contenders of claims, are members.
        let members = comparison.members.iter_mut().map(|member| &mut member.contender);
        let claimed = comparison.claimed.iter_mut().flat_map(|c| [&mut c.a, &mut c.b]);
        for contender in members.chain(&mut comparison.baselines).chain(claimed) {
            *contender = numbers[contender];
        }
    }
    used.iter().map(|&old| all[old].clone()).collect()
}

/// The comparison of a group at one size.
fn comparison(
    group: &Group,
    size: u64,
    all: &[Contender],
    members: &[Member],
    baselines: &[usize],
    seed: u64,
) -> DraftComparison {
    let mut baselines = baselines.to_vec();
    baselines.retain(|baseline| members.iter().any(|member| member.contender == *baseline));
    let mut alternatives = Vec::new();
    if primitives::is_choice(&group.primitive) {
        for (number, primitive) in primitives::choice(&group.primitive).into_iter().enumerate() {
            alternatives.push(measured(group, size, all, members, primitive, Some(number)));
        }
    }
    let Alternative { workload, key_len, fixed_key } =
        measured(group, size, all, members, &group.primitive, None);
    DraftComparison {
        workload,
        alternatives,
        overhead: false,
        claimed: vec![],
        members: members.to_vec(),
        baselines,
        key_len,
        fixed_key,
        ad: bytes::stream(seed, group.contract.ad as usize),
        pool: pool(size, &group.contract, group.operation),
    }
}

/// The workload of the members with an alternative, or of all members if the group is not a choice.
fn measured(
    group: &Group,
    size: u64,
    all: &[Contender],
    members: &[Member],
    primitive: &str,
    alternative: Option<usize>,
) -> Alternative {
    // If one contender accepts only one key, all of them use that key.
    let own = members.iter().filter(|member| member.alternative == alternative);
    let mut fixed_keys = own.filter_map(|member| {
        let contender = &all[member.contender];
        contender.offer(primitive, group.operation, &group.contract)?.fixed_key.as_ref()
    });
    Alternative {
        workload: Workload {
            primitive: primitive.to_string(),
            operation: group.operation,
            size,
            contract: group.contract.clone(),
            shape: group.shape,
        },
        key_len: match group.contract.key {
            Key::None => 0,
            _ => primitives::named(primitive).map_or(0, |p| p.key),
        },
        fixed_key: fixed_keys.find_map(|key| hex::decode(key).ok()).unwrap_or_default(),
    }
}
