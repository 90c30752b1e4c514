//! The fastest contender of a table, and its lead over the runner-up.

use super::evidence::Evidence;
use super::{Ratio, Row};
use cupel_base::name::ContenderName;
use cupel_stats::Comparison;
use serde::{Deserialize, Serialize};

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
    /// If garbage collection is why they are not: what it changes.
    pub collecting: Option<String>,
    /// All contenders from the second on, by rank, up to the first that is certainly slower than
    /// the fastest; empty if the two fastest are separated.
    pub tied: Vec<ContenderName>,
    /// Contenders further behind that are not certainly slower either, because their times scatter.
    pub unclear: Vec<ContenderName>,
    /// How many times as long as another any of those that tie may take, by their intervals and by
    /// what their forks can show; 1 if none ties.
    pub within: f64,
    /// How far the fastest is ahead of each language of which no row may be as fast; in a choice, of
    /// each such primitive.
    pub ahead: Vec<Ahead>,
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
    /// Its time divided by that of the fastest.
    pub ratio: Ratio,
}

/// The lead of the first of the ranked rows over the others. `zone` is the tie zone, a ratio minus
/// one.
pub(super) fn lead(evidence: &Evidence, ranked: &[&Row], zone: f64) -> Option<Lead> {
    let order = order(ranked, zone, |row, other| evidence.pair(row.cell, other.cell))?;
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
        within,
        ahead: ahead(evidence, ranked, &order, zone),
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

/// What else a program would have to change with the contender.
fn group(row: &Row) -> &str {
    row.contender.primitive().unwrap_or_else(|| row.contender.language())
}

/// Who leads, and who is not certainly slower: positions in what was ordered.
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
    /// Those from the second on, up to the first that is certainly slower than the leader; empty if
    /// the two fastest are separated.
    pub tied: Vec<usize>,
    /// Those further behind that are not certainly slower either.
    pub unclear: Vec<usize>,
}

impl Order {
    /// All that are not certainly slower than the leader, and the leader.
    pub fn fastest(&self) -> impl Iterator<Item = usize> {
        [self.leader].into_iter().chain(self.tied.clone()).chain(self.unclear.clone())
    }
}

/// Orders what is sorted by its times. `compare` divides the time of its first argument by that of
/// its second. `None` if there are fewer than two, or if the first two share no fork.
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
