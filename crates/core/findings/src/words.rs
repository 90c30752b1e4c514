//! The words of findings, as they stand below the table of a comparison: a line for each, or for
//! all of one kind.

use crate::because::OFF;
use crate::{Because, Behind, Contender, Finding, NoControl, Part, Said, Standing};
use cupel_analyse::Processes;
use cupel_base::text::{self, count, plain};
use cupel_stats::Shape;
use cupel_store::{LeakVerdict, NOT_TESTED};
use std::collections::{BTreeMap, BTreeSet};

/// Up to this many contenders are named that were not tested for leaks, or that were slower in
/// every fork.
const NAMED: usize = 3;

/// An interval that reaches this far to each side, as a share, has no figure that helps.
const WILD: f64 = 9.0;

/// The word for those that leak.
pub const LEAKS: &str = LeakVerdict::Leaks.words();

/// A line below a table.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    /// Its words.
    pub text: String,
    /// Whether it names contenders that leak.
    pub leaks: bool,
}

/// The lines below the table of a comparison, given its findings. `shows` returns whether the table
/// has a row for a cell. The control is another line, and verdicts stand in the table.
pub fn below(findings: &[Finding], shows: &dyn Fn(usize) -> bool) -> Vec<Line> {
    let shown = findings.iter().filter(|finding| finding.said.cell().is_none_or(shows));
    let said: Vec<&Said> = shown.clone().map(|finding| &finding.said).collect();
    let all: Vec<&Said> = findings.iter().map(|finding| &finding.said).collect();
    let mut lines = Vec::new();
    if let Some(leaking) = leaking(&said) {
        lines.push(Line { text: plain(&leaking), leaks: true });
    }
    let rest = leak_tests(&said)
        .into_iter()
        .chain(said.first().and_then(|answer| standing(answer, &all)))
        .chain(too_noisy(&said))
        .chain(slower_undecided(&said))
        .chain(changes(&said))
        .chain(said.iter().filter_map(|said| order(said)))
        .chain(limits(&said))
        .chain(levels(&said))
        .chain(shown.filter_map(too_fast))
        .chain(said.iter().filter_map(|said| slows_next(said)))
        .chain(said.iter().filter_map(|said| given_up(said)))
        .chain(not_steady(&said))
        .chain(collecting(&said))
        .chain(overhead(&said));
    lines.extend(rest.map(|text| Line { text: plain(&text), leaks: false }));
    lines
}

/// The result of the control, and the rounds.
pub fn control(said: &Said) -> Option<String> {
    let (shows, rounds, disturbed) = match said {
        Said::Control { times, low, high, rounds, disturbed, .. } => {
            let interval = text::interval(*low, *high);
            (format!("control {} [{interval}]", text::ratio_digits(*times)), rounds, disturbed)
        }
        Said::NoControl { why, rounds, disturbed } => {
            let why = match why {
                NoControl::FewerForksThanLayouts => "fewer forks than layouts, so no verdicts",
                NoControl::TooFewRounds => "too few rounds that count, so no verdicts",
                NoControl::NoBaseline => {
                    "the baseline has no time, so there is no control and no verdict"
                }
            };
            (why.to_string(), rounds, disturbed)
        }
        _ => return None,
    };
    Some(format!("{shows}; {}, {disturbed} disturbed", count(*rounds, "round")))
}

/// Why something is open.
pub fn because(why: &Because) -> String {
    match why {
        Because::FewForks { undecided_below, .. } if undecided_below.is_infinite() => {
            "one fork is not enough".to_string()
        }
        Because::FewForks { enough, undecided_below } => format!(
            "with fewer than {enough} forks, differences up to {:.0} % are not decided",
            100.0 * undecided_below
        ),
        Because::RanInFew { enough } => {
            format!("some of them ran in fewer than {enough} forks, which show no small difference")
        }
        Because::Disturbed { contender, dropped, all } => format!(
            "{dropped} of {all} slices of {} were disturbed: the machine is too busy for calls this \
             long; run again when less else runs",
            contender.name
        ),
        Because::TwoLevels { contender, than, whose, parts } => format!(
            "processes of {} have two speeds: {} takes {} as long as {}",
            one_of_two(whose.as_ref(), contender, than),
            contender.name,
            in_parts(parts),
            than.name
        ),
        Because::Changed { contender, than, whose, parts, from_fork } => format!(
            "{} changed {}: {} takes {} as long as {}",
            one_of_two(whose.as_ref(), contender, than),
            moment(*from_fork),
            contender.name,
            in_parts(parts),
            than.name
        ),
        Because::Wide { contender, reach } if *reach < WILD => format!(
            "processes differ; the interval of {} reaches {:.*} % to each side",
            contender.name,
            usize::from(*reach < 0.1), // a tenth, so that a narrow one does not reach 0 %
            percent(1.0 + reach)
        ),
        Because::Wide { contender, .. } => {
            format!("processes of {} differ too much for so few forks", contender.name)
        }
        Because::NoTime { contender, why } => format!("{} has no time: {why}", contender.name),
        Because::Collecting { contender, why } => format!("{}: {why}", contender.name),
        Because::Untrusted => OFF.to_string(),
        Because::NoBaseline { why, .. } | Because::Unmeasured { why, .. } => why.clone(),
        Because::NoSharedFork => "no fork has the two fastest".to_string(),
    }
}

/// When a contender changed, given the first fork after that, if there is one.
fn moment(from_fork: Option<u32>) -> String {
    from_fork.map_or("all the time".to_string(), |fork| format!("at fork {fork}"))
}

/// The one of two that differs, or both.
fn one_of_two(whose: Option<&Contender>, one: &Contender, other: &Contender) -> String {
    match whose {
        Some(known) => known.name.to_string(),
        None => format!("{} or {}", one.name, other.name),
    }
}

/// `0.951 times in 5 forks and 1.049 times in 6`.
fn in_parts(parts: &[Part]) -> String {
    let each = parts.iter().enumerate().map(|(at, part)| {
        let forks = if at == 0 { " forks" } else { "" };
        format!("{} times in {}{forks}", text::ratio_digits(part.times), part.forks.len())
    });
    each.collect::<Vec<_>>().join(" and ")
}

/// A ratio above 1 in percent: rounded up, so that the bound holds, and with a tenth, so that it
/// agrees with the table.
pub(crate) fn percent(ratio: f64) -> f64 {
    ((ratio - 1.0) * 1000.0).ceil().max(1.0) / 10.0
}

fn listed<'a>(names: impl IntoIterator<Item = &'a Contender>) -> String {
    names.into_iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// How the fastest stand. Others may have no time.
fn standing(answer: &Said, all: &[&Said]) -> Option<String> {
    let (contenders, Standing { others, .. }) = match answer {
        Said::Fastest { contender, standing } => (std::slice::from_ref(contender), standing),
        Said::Tie { contenders, standing, .. }
        | Said::Choice { contenders, standing, .. }
        | Said::Open { contenders, standing, .. } => (&contenders[..], standing),
        _ => return None,
    };
    let [first, rest @ ..] = contenders else { return None };
    let behind = |one: &Contender| others.iter().find(|other| other.contender.cell == one.cell);
    let timed: Vec<&Contender> = rest.iter().filter(|one| behind(one).is_some()).collect();
    let is_timeless = matches!(answer, Said::Open { because: Because::NoTime { .. }, .. });
    let of = if is_timeless { " of those with a time" } else { "" };
    let with_interval = |other: &Behind| text::interval(other.low, other.high);
    let tied =
        if matches!(answer, Said::Tie { .. }) { "tied for fastest" } else { "not told apart" };
    Some(match &timed[..] {
        [] => {
            let is_open = !rest.is_empty()
                || all.iter().any(|said| matches!(said, Said::SlowerUndecided { .. }));
            let leads = match answer {
                Said::Fastest { .. } => "fastest",
                _ if is_timeless && !is_open => "fastest of those with a time",
                _ => "shortest time",
            };
            let second = others.iter().find(|other| !is_lagging(other, all));
            let second = second.map(|other| {
                let times = in_range(other);
                let name = &other.contender.name;
                format!("; {name} takes {times} times as long [{}]", with_interval(other))
            });
            format!("{leads}: {}{}", first.name, second.unwrap_or_default())
        }
        [one] => {
            let interval = behind(one).map(with_interval).unwrap_or_default();
            format!("{tied}{of}: {} and {} [{interval}]", first.name, one.name)
        }
        several => format!("{tied}{of}: {}, {}", first.name, listed(several.iter().copied())),
    })
}

/// `1.105`, or `1.105 to 1.440` if the forks show two ratios.
fn in_range(behind: &Behind) -> String {
    let (low, high) = behind.range();
    let (low, high) = (text::ratio_digits(low), text::ratio_digits(high));
    if low == high { low } else { format!("{low} to {high}") }
}

/// Whether this one was slower in every fork, and is not certainly slower.
fn is_lagging(other: &Behind, all: &[&Said]) -> bool {
    all.iter().any(|said| match said {
        Said::SlowerUndecided { behind, .. } => behind.contender.cell == other.contender.cell,
        _ => false,
    })
}

/// The contenders that may be the fastest although another, which is certainly slower, has a
/// shorter time.
fn too_noisy(said: &[&Said]) -> Option<String> {
    let Some(Said::Open { contenders, standing, .. } | Said::Choice { contenders, standing, .. }) =
        said.first()
    else {
        return None;
    };
    let may_lead = |other: &Behind| contenders.iter().any(|one| one.cell == other.contender.cell);
    let after = standing.others.iter().skip_while(|other| may_lead(other));
    let noisy: Vec<&Contender> =
        after.filter(|other| may_lead(other)).map(|other| &other.contender).collect();
    (!noisy.is_empty())
        .then(|| format!("slower median, but a tie is not ruled out: {}", listed(noisy)))
}

/// The contenders that were slower in every fork than another.
fn slower_undecided(said: &[&Said]) -> Option<String> {
    let words = said.iter().filter_map(|said| {
        let Said::SlowerUndecided { behind, than, because: why } = said else { return None };
        Some(format!(
            "{} took {} times as long as {} in {} ({})",
            behind.contender.name,
            in_range(behind),
            than.name,
            count(behind.forks.len(), "fork"),
            because(why)
        ))
    });
    let mut words: Vec<String> = words.collect();
    let more = words.len().saturating_sub(NAMED);
    words.truncate(NAMED);
    words.extend((more > 0).then(|| format!("{more} more")));
    joined(words.into_iter(), "slower in every fork, and not decided: ", "; ")
}

/// The changes: those that changed in the same forks are one line.
fn changes(said: &[&Said]) -> Vec<String> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for said in said {
        let Some((when, what)) = changed(said) else { continue };
        match groups.iter_mut().find(|(known, _)| *known == when) {
            Some((_, all)) => all.push(what),
            None => groups.push((when, vec![what])),
        }
    }
    groups.into_iter().map(|(when, all)| format!("changed {when}: {}", all.join("; "))).collect()
}

/// When a contender changed, and how.
fn changed(said: &Said) -> Option<(String, String)> {
    let Said::Changed { contender, shape, before, after, from_fork, to_fork, forks, at } = said
    else {
        return None;
    };
    let at = at.as_deref().map(|at| format!(" ({at})")).unwrap_or_default();
    let when = match (shape, to_fork) {
        (Shape::Trend, _) => "all the time".to_string(),
        (_, Some(to)) => format!("from fork {from_fork}{at} to {to} of {forks}"),
        _ => format!("from fork {from_fork} of {forks} on{at}"),
    };
    let (before, after) = (text::time(before.ns), text::time(after.ns));
    let name = &contender.name;
    Some((
        when,
        match shape {
            Shape::Trend => format!("{name} took {before} at first and {after} at the end"),
            Shape::Burst => format!("{name} took {after}, otherwise {before}"),
            Shape::Step => format!("{name} took {before} before, {after} since then"),
        },
    ))
}

/// A sentence for each change of a comparison.
pub fn of_changes(findings: &[Finding]) -> Vec<String> {
    let said: Vec<&Said> = findings.iter().map(|finding| &finding.said).collect();
    changes(&said).iter().map(|line| plain(line)).collect()
}

fn order(said: &Said) -> Option<String> {
    let Said::Order { first, second, times, forks, ns } = said else { return None };
    Some(format!(
        "order: {} stands above {} although {} is more than {}: in the {} that both ran, {} took {} \
         times as long",
        first.name,
        second.name,
        text::time(ns[0]),
        text::time(ns[1]),
        count(forks.len(), "fork"),
        second.name,
        text::ratio_digits(*times)
    ))
}

fn limits(said: &[&Said]) -> Vec<String> {
    let lines = said.iter().filter_map(|said| match said {
        Said::Limit { contender, reason } => Some(format!("{}: {reason}", contender.name)),
        _ => None,
    });
    lines.collect()
}

/// Lines for contenders whose processes have several speeds: one figure would hide that. If most
/// ratios have two levels in the same forks, the processes that differ are the baseline's, and one
/// line reports it.
fn levels(said: &[&Said]) -> Vec<String> {
    let mut lines = Vec::new();
    let ratios = said.iter().filter(|said| matches!(said, Said::Verdict { .. })).count();
    let split: Vec<(&Contender, &Contender, &Vec<Part>)> = said
        .iter()
        .filter_map(|said| match said {
            Said::RatioLevels { contender, than, levels } => Some((contender, than, levels)),
            _ => None,
        })
        .collect();
    let of_baseline = ratios > 2 && 2 * alike(&split) > ratios;
    if let Some((_, baseline, _)) = split.first().filter(|_| of_baseline) {
        let why = match said.iter().find_map(|said| changed_from(said, baseline)) {
            Some(when) => format!("because the baseline, {}, changed {when}", baseline.name),
            None => format!("so it is the baseline, {}, whose processes differ", baseline.name),
        };
        lines.push(format!(
            "levels: {} of {ratios} ratios have two, in the same forks, {why}; intervals reach from \
             one to the other",
            alike(&split)
        ));
    }
    let own = said.iter().filter_map(|said| match said {
        Said::Levels { contender, levels } => Some((contender, levels)),
        _ => None,
    });
    let own: Vec<(&Contender, &Vec<Processes>)> = own.collect();
    lines.extend(own.iter().map(|(contender, levels)| of_processes(contender, levels)));
    let others = split.iter().filter(|(one, ..)| own.iter().all(|(known, _)| known != one));
    let others = others.filter(|_| !of_baseline);
    lines.extend(others.map(|(one, _, levels)| of_ratio(one, levels)));
    lines
}

/// How many of these ratios have their lower level in about the same forks as the first, of those
/// that both have.
fn alike(split: &[(&Contender, &Contender, &Vec<Part>)]) -> usize {
    let Some((_, _, first)) = split.first() else { return 0 };
    split.iter().filter(|(_, _, levels)| is_alike(first, levels)).count()
}

fn is_alike(one: &[Part], other: &[Part]) -> bool {
    let both: BTreeSet<u32> = forks(one).intersection(&forks(other)).copied().collect();
    let [one, other] = [one, other]
        .map(|parts| forks(&parts[..1]).intersection(&both).copied().collect::<BTreeSet<u32>>());
    10 * one.intersection(&other).count() >= 9 * one.union(&other).count()
}

fn forks(parts: &[Part]) -> BTreeSet<u32> {
    parts.iter().flat_map(|part| part.forks.iter().copied()).collect()
}

/// When a contender changed, if it did.
fn changed_from(said: &Said, one: &Contender) -> Option<String> {
    match said {
        Said::Changed { contender, from_fork, shape, .. } if contender == one => {
            Some(moment((*shape != Shape::Trend).then_some(*from_fork)))
        }
        _ => None,
    }
}

fn of_processes(contender: &Contender, levels: &[Processes]) -> String {
    let parts = levels.iter().map(|level| (text::time(level.ns), level.forks.len()));
    let processes = in_each(parts, "process", "processes");
    format!("levels: {} takes {processes}", contender.name)
}

fn of_ratio(contender: &Contender, levels: &[Part]) -> String {
    let parts = levels.iter().map(|part| (text::ratio_digits(part.times), part.forks.len()));
    let forks = in_each(parts, "fork", "forks");
    format!("levels: {} has a ratio of {forks}", contender.name)
}

/// `34.1 us in 5, 52.0 us in 1 of 6 processes`.
fn in_each(parts: impl Iterator<Item = (String, usize)> + Clone, one: &str, many: &str) -> String {
    let all: usize = parts.clone().map(|(_, forks)| forks).sum();
    let words: Vec<String> = parts.map(|(figure, forks)| format!("{figure} in {forks}")).collect();
    format!("{} of {all} {}", words.join(", "), if all == 1 { one } else { many })
}

fn too_fast(finding: &Finding) -> Option<String> {
    let Said::TooFast { contender, from, from_ns, ns } = &finding.said else { return None };
    let size = text::bytes(finding.work.as_ref()?.size);
    let than = match from {
        0 => String::new(),
        from => format!(", and {} for {}", text::time(*from_ns), text::bytes(*from)),
    };
    Some(format!(
        "{} takes {} for {size}{than}: no processor reads them in that time, so it keeps outputs or \
         skips work",
        contender.name,
        text::time(*ns)
    ))
}

fn slows_next(said: &Said) -> Option<String> {
    let Said::SlowsNext { contender, factor } = said else { return None };
    let percent = 100.0 * (factor - 1.0).abs();
    let does = if *factor > 1.0 { "slows" } else { "speeds up" };
    let name = &contender.name;
    Some(format!("{name} {does} the slice after it by {percent:.1} %; removed from all times"))
}

fn given_up(said: &Said) -> Option<String> {
    let Said::GivenUp { contender, forks, all, reason } = said else { return None };
    Some(format!("{}: {forks} of {} do not count: {reason}", contender.name, count(*all, "fork")))
}

/// Names the contenders whose times still moved in half of their forks or more: their median
/// depends on when it was taken.
fn not_steady(said: &[&Said]) -> Option<String> {
    let names = said.iter().filter_map(|said| match said {
        Said::NotSteady { contender, forks, all } => {
            Some(format!("{} ({forks} of {})", contender.name, count(*all, "fork")))
        }
        _ => None,
    });
    joined(names, "not steady while measured: ", ", ")
}

fn collecting(said: &[&Said]) -> Option<String> {
    let words = said.iter().filter_map(|said| {
        let Said::Collecting { contender, ns, bytes, without, ratio_without } = said else {
            return None;
        };
        let ratio = ratio_without.map(|ratio| format!(", ratio {}", text::ratio_digits(ratio)));
        Some(format!(
            "{} {} for {bytes:.0} B (without it {}{})",
            contender.name,
            text::time(*ns),
            text::time(*without),
            ratio.unwrap_or_default()
        ))
    });
    joined(words, "garbage collection, which \"per call\" includes: ", "; ")
}

fn overhead(said: &[&Said]) -> Option<String> {
    let words = said.iter().filter_map(|said| match said {
        Said::Overhead { contender, ns, of, .. } => {
            Some(format!("{} {} of {}", contender.name, text::time(*ns), text::time(*of)))
        }
        _ => None,
    });
    joined(words, "over 5 % of \"per call\" is the harness: ", ", ")
}

fn joined(words: impl Iterator<Item = String>, before: &str, between: &str) -> Option<String> {
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| format!("{before}{}", words.join(between)))
}

/// The contenders that leak, with how.
fn leaking(said: &[&Said]) -> Option<String> {
    let words = said.iter().filter_map(|said| match said {
        Said::Leaks { contender, how, tested } => {
            Some(format!("{} ({how}, tested {tested})", contender.name))
        }
        _ => None,
    });
    joined(words, &format!("{LEAKS}: "), ", ")
}

/// The results of the tests of the others, and which have none.
fn leak_tests(said: &[&Said]) -> Option<String> {
    let mut none_seen: BTreeMap<&str, Vec<(&Contender, &str)>> = BTreeMap::new();
    for said in said {
        if let Said::NoneSeen { contender, compared, tested } = said {
            none_seen.entry(compared).or_default().push((contender, tested.as_str()));
        }
    }
    let none_seen = none_seen.into_iter().filter_map(|(compared, of)| {
        tested("no leak seen", of.into_iter(), &format!("; compared: {compared}"))
    });
    let undecided = said.iter().filter_map(|said| match said {
        Said::LeakUndecided { contender, tested } => Some((contender, tested.as_str())),
        _ => None,
    });
    let untested = said.iter().filter_map(|said| match said {
        Said::NotTested { contender } => Some(contender.name.to_string()),
        _ => None,
    });
    let untested: Vec<String> = untested.collect();
    let more = untested.len().saturating_sub(NAMED);
    let named = untested[..untested.len() - more].join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let untested = (!untested.is_empty()).then(|| format!("{NOT_TESTED} for leaks: {named}{more}"));
    let parts = none_seen
        .chain(tested("whether it leaks cannot be decided here", undecided, ""))
        .chain(untested);
    joined(parts, "", "; ")
}

/// The contenders with the same verdict, and when they were tested, and how.
fn tested<'a>(
    verdict: &str,
    of: impl Iterator<Item = (&'a Contender, &'a str)>,
    how: &str,
) -> Option<String> {
    let of: Vec<(&Contender, &str)> = of.collect();
    let days: BTreeSet<&str> = of.iter().map(|(_, day)| *day).collect();
    let when = match (days.first(), days.last()) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (first, _) => first.copied().unwrap_or_default().to_string(),
    };
    let names = listed(of.iter().map(|(contender, _)| *contender));
    (!of.is_empty()).then(|| format!("{verdict}: {names} (tested {when}{how})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Among;

    fn first_line(findings: &[Finding], shows: &dyn Fn(usize) -> bool) -> String {
        below(findings, shows).swap_remove(0).text
    }

    #[test]
    fn no_interval_reaches_0_percent() {
        let words = |reach: f64| {
            let contender = Contender { name: "c/a".into(), version: String::new(), cell: 0 };
            because(&Because::Wide { contender, reach })
        };
        assert!(words(0.0042).contains("reaches 0.5 % to each side"), "{}", words(0.0042));
        assert!(words(0.0233).contains("reaches 2.4 % to each side"), "{}", words(0.0233));
        assert!(words(0.312).contains("reaches 31 % to each side"), "{}", words(0.312));
    }

    /// One of three has no time. It is decided that the second is slower than the first, or not.
    #[test]
    fn the_fastest_of_those_with_a_time_is_one_that_is_decided() {
        let [first, second, lost] = [("c/a", 0), ("c/b", 1), ("c/c", 2)]
            .map(|(name, cell)| Contender { name: name.into(), version: String::new(), cell });
        let behind = Behind {
            contender: second,
            times: 1.08,
            low: 1.06,
            high: 1.1,
            forks: vec![1, 2, 3],
            parts: vec![],
            changed_at: None,
            ns: 108.0,
            harness_ns: None,
            left_early: false,
        };
        let others = Standing {
            others: vec![behind.clone()],
            groups: vec![],
            baseline: None,
            among: Among::All,
            compared: 2,
            languages: vec!["c".to_string()],
        };
        let open = Finding::of_run(Said::Open {
            contenders: vec![first.clone()],
            standing: others,
            because: Because::NoTime { contender: lost, why: "it was not steady".to_string() },
            remedy: None,
        });
        let few = Because::FewForks { enough: 11, undecided_below: 0.15 };
        let undecided =
            Finding::of_run(Said::SlowerUndecided { behind, than: first, because: few });
        let both = [open, undecided];
        assert_eq!(
            first_line(&both[..1], &|_| true),
            "fastest of those with a time: c/a; c/b takes 1.080 times as long [1.060 .. 1.100]"
        );
        assert_eq!(first_line(&both, &|_| true), "shortest time: c/a");
        let hides_it = |cell: usize| cell == 0;
        assert_eq!(first_line(&both, &hides_it), "shortest time: c/a");
    }
}
