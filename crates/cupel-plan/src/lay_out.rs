//! Lays a suite out over the contenders of a machine: workloads times contenders.

use super::asked;
use super::draft::{Draft, DraftComparison, Member};
use super::filter::Filter;
use super::known::claimed;
use super::members::{baselines, members};
use super::overhead;
use super::pool::pool;
use super::{Alternative, Claimed};
use cupel_base::name::ContenderName;
use cupel_base::primitives::{self, EMPTY};
use cupel_base::problem::Problem;
use cupel_host::contender::Contender;
use cupel_protocol::bytes;
use cupel_protocol::workload::{Key, Workload};
use cupel_suite::{Group, Options, Suite};
use std::collections::BTreeSet;
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
        let wanted = |&m: &usize| filter.wants_contender(&contenders[m]);
        let keep: Vec<Member> = members
            .iter()
            .copied()
            .filter(|m| wanted(&m.contender) || baselines.first() == Some(&m.contender))
            .collect();
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
                // What is left of a choice may be another workload of the suite.
                if comparisons.iter().any(|known| known.workload == comparison.workload) {
                    continue;
                }
                comparison.claimed = claims_about(suite, contenders, &comparison);
                comparisons.push(comparison);
            }
        }
    }
    claimed(suite, contenders)?;
    if comparisons.is_empty() {
        return Err(Problem {
            path: suite.path.clone(),
            line: 1,
            what: "nothing of this suite fits the filters".into(),
            help: Some("leave out --primitive, --operation or --size".into()),
        });
    }
    if !suite.workloads.iter().any(|group| group.primitive == EMPTY)
        && let Some((group, members)) = overhead::of(contenders, &comparisons)
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
    Ok(Draft::new(name, question, options, seed, members, comparisons))
}

/// What the suite claims of the members of a comparison.
fn claims_about(
    suite: &Suite,
    contenders: &[Contender],
    comparison: &DraftComparison,
) -> Vec<Claimed> {
    let member = |name: &ContenderName| {
        let is = |member: &&Member| {
            let own = &contenders[member.contender].name;
            match member.alternative {
                Some(_) => own.with_primitive(&comparison.workload_of(**member).primitive) == *name,
                None => own == name,
            }
        };
        comparison.members.iter().find(is)
    };
    let size = comparison.workload.size;
    suite
        .claims
        .iter()
        .filter(|claim| claim.sizes.contains(&size) && claim.workload(size) == comparison.workload)
        .filter_map(|claim| {
            let (a, b) = (member(&claim.a)?, member(&claim.b)?);
            let alternatives = a.alternative.zip(b.alternative);
            let (a, b) = (a.contender, b.contender);
            Some(Claimed { a, b, relation: claim.relation_at(size), alternatives })
        })
        .collect()
}

/// Keeps only the contenders that take part in a comparison, and renumbers them.
fn without_idle(all: &[Contender], comparisons: &mut [DraftComparison]) -> Vec<Contender> {
    let used: BTreeSet<usize> =
        comparisons.iter().flat_map(|c| &c.members).map(|member| member.contender).collect();
    let renumbered = |old: &usize| used.iter().position(|u| u == old);
    for comparison in comparisons {
        let member = |m: &Member| Some(Member { contender: renumbered(&m.contender)?, ..*m });
        comparison.members = comparison.members.iter().filter_map(member).collect();
        comparison.baselines = comparison.baselines.iter().filter_map(renumbered).collect();
        let claim = |claim: &Claimed| {
            Some(Claimed { a: renumbered(&claim.a)?, b: renumbered(&claim.b)?, ..*claim })
        };
        comparison.claimed = comparison.claimed.iter().filter_map(claim).collect();
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
    let takes_part = |b: &usize| members.iter().any(|member| member.contender == *b);
    let baselines: Vec<usize> = baselines.iter().copied().filter(takes_part).collect();
    // If one contender accepts only one key, all of them use that key.
    let fixed = |primitive: &str, alternative: Option<usize>| {
        let own = members.iter().filter(move |member| member.alternative == alternative);
        let mut keys = own.filter_map(|member| {
            let contender = &all[member.contender];
            contender.offer(primitive, group.operation, &group.contract)?.fixed_key.as_ref()
        });
        keys.find_map(|key| hex::decode(key).ok()).unwrap_or_default()
    };
    let key_len = |primitive: &str| match group.contract.key {
        Key::None => 0,
        _ => primitives::named(primitive).map_or(0, |p| p.key),
    };
    let workload = |primitive: &str| Workload {
        primitive: primitive.to_string(),
        operation: group.operation,
        size,
        contract: group.contract.clone(),
        shape: group.shape,
    };
    let alternative = |(number, primitive): (usize, &str)| Alternative {
        workload: workload(primitive),
        key_len: key_len(primitive),
        fixed_key: fixed(primitive, Some(number)),
    };
    let choice = primitives::choice(&group.primitive).into_iter().enumerate();
    let is_choice = primitives::is_choice(&group.primitive);
    DraftComparison {
        workload: workload(&group.primitive),
        alternatives: choice.filter(|_| is_choice).map(alternative).collect(),
        overhead: false,
        claimed: vec![],
        members: members.to_vec(),
        baselines,
        key_len: key_len(&group.primitive),
        fixed_key: fixed(&group.primitive, None),
        ad: bytes::stream(seed, group.contract.ad as usize),
        pool: pool(size, &group.contract, group.operation),
    }
}
