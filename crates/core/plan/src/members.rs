//! Which contenders take part in a workload, and which are candidates for its baseline.

use super::draft::Member;
use super::filter::Filter;
use super::known::must_be_known;
use cupel_base::primitives;
use cupel_base::problem::{Problem, these_do};
use cupel_contender::Contender;
use cupel_suite::{Group, Suite};

/// The contenders of a group: all that match its patterns and offer its workload. In a choice, each
/// comes with every alternative that it offers.
pub fn members(
    suite: &Suite,
    group: &Group,
    all: &[Contender],
    filter: &Filter,
) -> Result<Vec<Member>, Problem> {
    for pattern in group.contenders.iter().chain(&group.baseline) {
        must_be_known(suite, pattern, all)?;
    }
    for pattern in group.contenders.iter().filter(|p| !p.text.contains('*')) {
        if let Some(contender) = all.iter().find(|c| pattern.fits(&c.name))
            && !offers(contender, group)
        {
            let what = format!(
                "{} does not offer {} of {} under this contract ({})",
                contender.name,
                group.operation,
                primitives::in_words(&group.primitive),
                group.contract
            );
            let offering = all.iter().filter(|c| offers(c, group));
            let names: Vec<&str> = offering.map(|c| c.name.as_str()).collect();
            return Err(Problem {
                path: suite.path.clone(),
                line: pattern.line,
                what,
                help: Some(these_do(&names)),
            });
        }
    }
    let primitives = primitives::choice(&group.primitive);
    let mut members = Vec::new();
    for (contender, known) in all.iter().enumerate() {
        if !group.contenders.iter().any(|pattern| filter.takes(known, pattern)) {
            continue;
        }
        for (number, primitive) in primitives.iter().enumerate() {
            if known.offer(primitive, group.operation, &group.contract).is_some() {
                let alternative = (primitives.len() > 1).then_some(number);
                members.push(Member { contender, alternative });
            }
        }
    }
    if members.is_empty() {
        return Err(Problem {
            path: suite.path.clone(),
            line: group.line,
            what: format!(
                "no contender offers {} of {}",
                group.operation,
                primitives::in_words(&group.primitive)
            ),
            help: Some("`cupel list` shows what there is".into()),
        });
    }
    Ok(members)
}

fn offers(contender: &Contender, group: &Group) -> bool {
    contender.offers_one_of(&group.primitive, group.operation, &group.contract)
}

/// Members in the order in which they are candidates for the baseline: those that are ready first,
/// and among these in the suite's order of preference, then the rest. If one pattern of the suite
/// matches several, such as one library on many JDKs, those that the filter selects come first.
pub fn baselines(
    suite: &Suite,
    group: &Group,
    all: &[Contender],
    members: &[Member],
    filter: &Filter,
) -> Result<Vec<usize>, Problem> {
    let members: Vec<usize> = members.iter().map(|member| member.contender).collect();
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
