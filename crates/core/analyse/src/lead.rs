//! The fastest contender of a table, and its lead over the runner-up.

use super::evidence::Evidence;
use super::{Ratio, Row};
use cupel_base::name::ContenderName;
use cupel_stats::{Comparison, Shape};
use serde::{Deserialize, Serialize};

/// A contender that took this many times as long as the fastest in every fork is not named among
/// those that may be the fastest, whatever its interval.
const BEHIND: f64 = 1.05;

/// The fastest contender's lead over the runner-up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lead {
    /// The fastest.
    pub leader: ContenderName,
    /// The second.
    pub runner_up: ContenderName,
    /// The runner-up's time divided by the leader's.
    pub ratio: Ratio,
    /// Whether the two are separated.
    pub separated: bool,
    /// If garbage collection is why they are not: its effect, in words.
    pub collecting: Option<String>,
    /// Contenders from the second on, by rank, up to the first that is certainly slower than the
    /// fastest; empty if the two fastest are separated. None of them is in `lagging`.
    pub tied: Vec<ContenderName>,
    /// Contenders further behind that are not certainly slower either, because their times scatter.
    pub unclear: Vec<ContenderName>,
    /// Contenders that took longer than another of the fastest in every fork that both have, and
    /// yet are not certainly slower: too few forks show it, or they differ too much.
    pub lagging: Vec<Lagging>,
    /// Each other contender compared with the fastest, by rank.
    pub others: Vec<Behind>,
    /// How many times as long as another any of those that tie may take, by their intervals and by
    /// the smallest difference that their forks can show; 1 if none ties.
    pub within: f64,
    /// How far the fastest is ahead of each language of which no row may be as fast; in a choice,
    /// of each such primitive.
    pub ahead: Vec<Ahead>,
}

/// How far a contender is behind another, usually the fastest of its table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Behind {
    /// The contender.
    pub contender: ContenderName,
    /// Its cell.
    pub cell: usize,
    /// Its time divided by the other's.
    pub ratio: Ratio,
    /// The forks that both have, from 1.
    pub forks: Vec<u32>,
    /// The result of these forks: one part, or two if the ratio has two levels or changed.
    pub parts: Vec<PartOf>,
    /// The first fork after it changed, if the two parts are before a change and after it; and the
    /// kind of that change.
    pub changed_at: Option<(u32, Shape)>,
    /// The cell of the two whose own times differ between the two parts, if the other's do not.
    pub differs: Option<usize>,
}

/// A contender that was slower than another in every fork, and is not certainly slower.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lagging {
    /// The contender, and how far it is behind the other.
    pub behind: Behind,
    /// The other.
    pub than: ContenderName,
}

/// A part of the forks of a pair, and its ratios.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartOf {
    /// The ratio of the two times: the mean over the forks.
    pub times: f64,
    /// The least ratio of a fork.
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// The ratio of a fork that is nearest to the mean.
    pub nearest: f64,
    /// The forks, from 1.
    pub forks: Vec<u32>,
}

impl PartOf {
    /// How far the mean of a level may be from a fork of it.
    const OFF: f64 = 1.02;

    /// Whether each of these ascending parts is one speed: its forks are no further from each other
    /// than half of the gap to the next, and one of them shows the mean. Two processes of a
    /// baseline with two speeds, whose mean takes three, make parts that are none; nor is a part
    /// one speed that has two itself, next to a stray fork.
    pub(crate) fn are_levels(parts: &[PartOf]) -> bool {
        let are_apart = parts.windows(2).all(|pair| {
            let gap = (pair[1].low / pair[0].high).ln();
            pair.iter().all(|part| 2.0 * (part.high / part.low).ln() <= gap)
        });
        let is_shown = |part: &PartOf| (part.times / part.nearest).ln().abs() <= PartOf::OFF.ln();
        are_apart && parts.iter().all(is_shown)
    }
}

/// How far the fastest row is ahead of another language, or in a choice of another primitive.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ahead {
    /// The language or the primitive.
    pub group: String,
    /// The row of it with the shortest time.
    pub best: ContenderName,
    /// Whether all other rows of the group are certainly slower than that one.
    pub sole: bool,
    /// Its time divided by the fastest's.
    pub ratio: Ratio,
}

/// The lead of the first of the ranked rows over the others. `zone` is the tie zone, a ratio minus
/// one.
pub(super) fn lead(evidence: &Evidence, ranked: &[&Row], zone: f64) -> Option<Lead> {
    let mut order = order(ranked, zone, |row, other| evidence.pair(row.cell, other.cell))?;
    let mut lagging = Vec::new();
    let candidates: Vec<usize> = order.fastest().collect();
    for &row in &candidates[1..] {
        let others = candidates.iter().filter(|other| **other != row);
        match others.filter_map(|&other| lag(evidence, ranked, row, other, zone)).next() {
            None => continue,
            Some(Lag::Undecided(one)) => lagging.push(one),
            Some(Lag::Certain) => {}
        }
        order.tied.retain(|other| *other != row);
        order.unclear.retain(|other| *other != row);
    }
    let tie: Vec<usize> = [order.leader].into_iter().chain(order.tied.iter().copied()).collect();
    let mut within: f64 = 1.0;
    for (at, &one) in tie.iter().enumerate() {
        for &two in &tie[at + 1..] {
            within = within.max(apart(evidence, ranked[one], ranked[two]));
        }
    }
    Some(Lead {
        leader: ranked[order.leader].contender.clone(),
        runner_up: ranked[order.second].contender.clone(),
        ratio: order.behind.into(),
        separated: order.separated,
        collecting: super::collection::decides(&order.behind, zone),
        tied: order.tied.iter().map(|&row| ranked[row].contender.clone()).collect(),
        unclear: order.unclear.iter().map(|&row| ranked[row].contender.clone()).collect(),
        lagging,
        others: others(evidence, ranked, order.leader),
        within,
        ahead: ahead(evidence, ranked, &order, zone),
    })
}

/// How a row that might lead is behind another, so that it does not.
enum Lag {
    /// It is certainly slower.
    Certain,
    /// It was slower in every fork.
    Undecided(Lagging),
}

fn lag(evidence: &Evidence, ranked: &[&Row], row: usize, other: usize, zone: f64) -> Option<Lag> {
    let (row, other) = (ranked[row], ranked[other]);
    if evidence.pair(row.cell, other.cell).is_some_and(|pair| pair.is_slower(zone)) {
        return Some(Lag::Certain);
    }
    if !evidence.always_behind(row.cell, other.cell, BEHIND) {
        return None;
    }
    let than = other.contender.clone();
    Some(Lag::Undecided(Lagging { behind: behind(evidence, row, other)?, than }))
}

/// Each of the others compared with the leader.
fn others(evidence: &Evidence, ranked: &[&Row], leader: usize) -> Vec<Behind> {
    let others = ranked.iter().enumerate().filter(|(at, _)| *at != leader);
    others.filter_map(|(_, row)| behind(evidence, row, ranked[leader])).collect()
}

/// A row compared with another, from the forks that both have.
fn behind(evidence: &Evidence, row: &Row, other: &Row) -> Option<Behind> {
    let compared = evidence.pair(row.cell, other.cell)?;
    let parts = evidence.parts(row.cell, other.cell);
    let mut forks: Vec<u32> = parts.iter().flat_map(|part| part.forks.iter().copied()).collect();
    forks.sort_unstable();
    let changed_at =
        compared.change.and_then(|change| Some((*forks.get(change.first)?, change.shape)));
    Some(Behind {
        contender: row.contender.clone(),
        cell: row.cell,
        ratio: compared.into(),
        forks,
        differs: evidence.differs(row.cell, other.cell),
        parts,
        changed_at,
    })
}

/// How many times as long as the other either of two may take.
fn apart(evidence: &Evidence, one: &Row, two: &Row) -> f64 {
    let Some(compared) = evidence.pair(one.cell, two.cell) else { return f64::INFINITY };
    let floor = cupel_stats::floor_of(compared.forks);
    compared.interval.high.max(-compared.interval.low).max(floor).exp()
}

/// How far the leader is ahead of the groups that none of the fastest is in.
fn ahead(evidence: &Evidence, ranked: &[&Row], order: &Order, zone: f64) -> Vec<Ahead> {
    let mut seen: Vec<&str> = order.fastest().map(|row| group(ranked[row])).collect();
    let mut found = Vec::new();
    for (at, row) in ranked.iter().enumerate() {
        let of = group(row);
        if seen.contains(&of) {
            continue;
        }
        seen.push(of);
        let behind = evidence.pair(row.cell, ranked[order.leader].cell);
        let Some(behind) = behind.filter(|c| c.is_slower(zone)) else { continue };
        let mut later = ranked[at + 1..].iter().filter(|other| group(other) == of);
        found.push(Ahead {
            group: of.to_string(),
            best: row.contender.clone(),
            sole: later.all(|other| {
                evidence.pair(other.cell, row.cell).is_some_and(|c| c.is_slower(zone))
            }),
            ratio: behind.into(),
        });
    }
    found
}

/// A program that changes its contender must change this, too: the primitive of a choice, or else
/// the language.
fn group(row: &Row) -> &str {
    row.contender.primitive().unwrap_or_else(|| row.contender.language())
}

/// The leader, and those that are not certainly slower: positions in the ordered input.
#[derive(Clone, Debug)]
pub struct Order {
    /// The fastest.
    pub leader: usize,
    /// The second.
    pub second: usize,
    /// The second's time divided by the leader's.
    pub behind: Comparison,
    /// Whether the two are separated.
    pub separated: bool,
    /// The contenders from the second on, up to the first that is certainly slower than the leader;
    /// empty if the two fastest are separated.
    pub tied: Vec<usize>,
    /// Contenders further behind that are not certainly slower either.
    pub unclear: Vec<usize>,
}

impl Order {
    /// All that are not certainly slower than the leader, and the leader.
    pub fn fastest(&self) -> impl Iterator<Item = usize> {
        [self.leader].into_iter().chain(self.tied.clone()).chain(self.unclear.clone())
    }
}

/// Orders items that are sorted by their times. `compare` divides the time of its first argument by
/// the time of its second. `None` if there are fewer than two, or if the first two share no fork.
pub fn order<T>(
    ranked: &[T],
    zone: f64,
    compare: impl Fn(&T, &T) -> Option<Comparison>,
) -> Option<Order> {
    let (mut leader, mut second) = (0, 1);
    let mut behind = compare(ranked.get(second)?, ranked.get(leader)?)?;
    // They are sorted by their ratios to the baseline. If the two lost different rounds, the ratio
    // of the pair itself is more accurate.
    if behind.is_faster(zone) {
        (leader, second) = (second, leader);
        behind = behind.inverse();
    }
    let separated = behind.is_slower(zone);
    let mut tied = if separated { vec![] } else { vec![second] };
    let mut unclear = Vec::new();
    let mut is_tie = !separated;
    for at in 2..ranked.len() {
        if compare(&ranked[at], &ranked[leader]).is_some_and(|c| c.is_slower(zone)) {
            is_tie = false;
        } else if is_tie {
            tied.push(at);
        } else {
            unclear.push(at);
        }
    }
    Some(Order { leader, second, behind, separated, tied, unclear })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(low: f64, high: f64) -> PartOf {
        PartOf { times: (low * high).sqrt(), low, high, nearest: low, forks: vec![] }
    }

    #[test]
    fn levels_are_speeds_and_not_halves_of_a_spread() {
        assert!(PartOf::are_levels(&[part(0.95, 0.96), part(1.00, 1.01)]));
        assert!(!PartOf::are_levels(&[part(0.90, 0.91), part(0.95, 1.05)]), "0.95, 1.00 and 1.05");
        assert!(!PartOf::are_levels(&[part(0.95, 1.05), part(1.10, 1.11)]));
        assert!(!PartOf::are_levels(&[part(0.95, 1.05), part(6.8, 6.8)]), "no fork takes 1.00");
    }
}
