//! Two builds of one runner in one run: `cupel gate SUITE --against PROGRAM` adds the contenders of
//! another build, under names of their own, and claims that this build's contenders are not slower.
//!
//! The other build of `rust/ring` is called `rust/ring@against`. Both are verified and run in the
//! same rounds. The other build is the baseline, so the control, which is its second copy, shows
//! the noise.

use crate::{Filter, Plan};
use anyhow::{Result, bail};
use cupel_base::name::{ContenderName, Pattern};
use cupel_base::primitives;
use cupel_base::problem::Problem;
use cupel_contender::Contender;
use cupel_suite::{Claim, Group, Relation, Suite};

/// The margin of a gate if none is given, as a share.
pub const MARGIN: f64 = 0.02;

/// A suite and its filter, narrowed to the contenders that have two builds, with the other build as
/// the baseline. Without `may_differ`, both builds of a contender must offer the same workloads.
///
/// # Errors
/// If no contender of the suite has two builds, or their offers differ.
pub fn narrowed(
    suite: &Suite,
    filter: &Filter,
    contenders: &[Contender],
    may_differ: bool,
    warn: &dyn Fn(&str),
) -> Result<(Suite, Filter)> {
    let wanted: Vec<Pattern> = filter.contenders.iter().map(Pattern::new).collect();
    let mut workloads: Vec<Group> = Vec::new();
    let mut of_one_build: Vec<String> = Vec::new();
    for group in &suite.workloads {
        let (mut own_builds, mut other_builds) = (Vec::new(), Vec::new());
        for other in contenders.iter().filter(|c| c.name.is_against()) {
            let name = other.name.without_against();
            let Some(own) = contenders.iter().find(|c| c.name == name) else { continue };
            // As without another build: a pattern that the default fits does not ask for its
            // forced paths.
            let takes_part = group.contenders.iter().any(|p| filter.takes(own, p))
                && (wanted.is_empty() || wanted.iter().any(|p| p.fits(&name)));
            let [offered_by_own, offered_by_other] = [own, other]
                .map(|c| c.offers_one_of(&group.primitive, group.operation, &group.contract));
            if !takes_part {
                continue;
            }
            if offered_by_own != offered_by_other && own.is_ready() && other.is_ready() {
                let primitive = primitives::in_words(&group.primitive);
                of_one_build.push(format!("{} of {primitive} by {name}", group.operation));
            } else if offered_by_other {
                own_builds.push(Pattern { text: name.to_string(), line: group.line });
                other_builds.push(Pattern { text: other.name.to_string(), line: group.line });
            }
        }
        if !other_builds.is_empty() {
            let contenders = [other_builds.clone(), own_builds].concat();
            workloads.push(Group { contenders, baseline: other_builds, ..group.clone() });
        }
    }
    of_one_build.sort();
    of_one_build.dedup();
    let names = of_one_build.join(", ");
    if may_differ && !names.is_empty() {
        warn(&format!("only one build offers {names}: nothing is claimed about it"));
    } else if !names.is_empty() {
        let help = "--may-differ leaves out the workloads that only one build offers";
        return Err(Problem::refusal(format!("only one build offers {names}"), help).into());
    }
    if workloads.is_empty() {
        bail!("no contender of suite {} has two builds: --against has none of them", suite.name);
    }
    // The patterns above already apply the filter's contenders.
    let among = filter.among(suite);
    let filter = Filter { contenders: vec![], ..filter.clone() };
    Ok((Suite { workloads, among, ..suite.clone() }, filter))
}

/// The claims that no contender is slower than its other build by more than a share, for every
/// comparison of the plan that has both.
pub fn claims(plan: &Plan, margin: f64) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    for comparison in plan.comparisons.iter().filter(|c| !c.overhead) {
        let names: Vec<ContenderName> = comparison.cells.iter().map(|&c| plan.name_of(c)).collect();
        let mut others: Vec<&ContenderName> =
            names.iter().filter(|name| name.is_against()).collect();
        others.dedup();
        for b in others {
            let a = b.without_against();
            if !names.contains(&a) {
                continue;
            }
            let work = &comparison.workload;
            let same = claims.iter_mut().find(|claim| {
                let same_at = Claim { sizes: vec![], ..(**claim).clone() }.workload(work.size);
                claim.a == a && same_at == *work
            });
            if let Some(claim) = same {
                if !claim.sizes.contains(&work.size) {
                    claim.sizes.push(work.size);
                }
                continue;
            }
            claims.push(Claim {
                line: 0,
                source: "cupel gate --against".to_string(),
                quote: "this build is not slower than the other one".to_string(),
                note: None,
                a,
                relation: Relation::NotSlower(margin),
                b: b.clone(),
                primitive: work.primitive.clone(),
                operation: work.operation,
                contract: work.contract.clone(),
                shape: work.shape,
                sizes: vec![work.size],
            });
        }
    }
    claims
}
