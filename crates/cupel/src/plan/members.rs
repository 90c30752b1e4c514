//! Who takes part in a workload, and who may be its baseline.

use super::filter::Filter;
use super::known::must_be_known;
use crate::contender::Contender;
use crate::name::Pattern;
use crate::problem::Problem;
use crate::suite::{Group, Suite};

/// The contenders of a group: all that fit its patterns and offer its workload.
pub fn members(
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
    // One of a matrix takes part where the group means it, or where the group has all of its kind
    // and the filter means it.
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

/// Members in the order in which they may be the baseline: as the suite prefers them, then the
/// rest; whoever is ready before whoever is not. Of those that one pattern of the suite prefers
/// alike, such as one library on many JDKs, whoever the filter wants comes first.
pub fn baselines(
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
    order.sort_by_key(|&m| !all[m].is_ready());
    Ok(order)
}
