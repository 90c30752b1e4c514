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
    /// In a choice: how far the fastest is ahead of each primitive of which no row may be as fast.
    pub ahead: Vec<Ahead>,
}

/// How far the fastest row of a choice is ahead of another primitive.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ahead {
    /// The primitive.
    pub primitive: String,
    /// The row of it with the shortest time.
    pub best: ContenderName,
    /// Whether all other rows of the primitive are certainly slower than that one.
    pub sole: bool,
    /// Its time divided by that of the fastest.
    pub ratio: Ratio,
}

/// The lead of the first of the ranked rows over the others. `zone` is the tie zone, a ratio minus
/// one.
pub(super) fn lead(evidence: &Evidence, ranked: &[&Row], zone: f64) -> Option<Lead> {
    let order = order(ranked, zone, |row, other| evidence.rivals(row.cell, other.cell))?;
    let name = |&place: &usize| ranked[place].contender.clone();
    let tie: Vec<usize> = [order.leader].into_iter().chain(order.tied.iter().copied()).collect();
    let apart = |(one, two): (usize, usize)| {
        let compared = evidence.rivals(ranked[one].cell, ranked[two].cell);
        compared.map_or(f64::INFINITY, |c| {
            let floor = cupel_stats::floor_of(c.forks);
            c.interval.high.max(-c.interval.low).max(floor).exp()
        })
    };
    let pairs = (0..tie.len()).flat_map(|at| (at + 1..tie.len()).map(move |later| (at, later)));
    let furthest = pairs.map(|(at, later)| apart((tie[at], tie[later])));
    Some(Lead {
        leader: name(&order.leader),
        runner_up: name(&order.second),
        ratio: order.behind.into(),
        separated: order.separated,
        collecting: super::collection::decides(&order.behind, zone),
        tied: order.tied.iter().map(name).collect(),
        unclear: order.unclear.iter().map(name).collect(),
        within: furthest.fold(1.0, f64::max),
        ahead: ahead(evidence, ranked, &order, zone),
    })
}

/// How far the leader is ahead of the primitives that none of the fastest has.
fn ahead(evidence: &Evidence, ranked: &[&Row], order: &Order, zone: f64) -> Vec<Ahead> {
    let primitive = |place: usize| ranked[place].contender.primitive();
    let fastest: Vec<Option<&str>> = order.fastest().map(primitive).collect();
    let compare = |row: usize, other: usize| evidence.rivals(ranked[row].cell, ranked[other].cell);
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for best in 0..ranked.len() {
        let Some(own) = primitive(best).filter(|own| !fastest.contains(&Some(own))) else {
            continue;
        };
        if seen.contains(&own) {
            continue;
        }
        seen.push(own);
        let behind = compare(best, order.leader).filter(|c| c.is_slower(zone));
        let Some(behind) = behind else { continue };
        let mut others = (best + 1..ranked.len()).filter(|&other| primitive(other) == Some(own));
        found.push(Ahead {
            primitive: own.to_string(),
            best: ranked[best].contender.clone(),
            sole: others.all(|other| compare(other, best).is_some_and(|c| c.is_slower(zone))),
            ratio: behind.into(),
        });
    }
    found
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
    let level = |&place: &usize| {
        compare(&ranked[place], &ranked[leader]).is_none_or(|compared| !compared.is_slower(zone))
    };
    let mut rest = (2..ranked.len()).peekable();
    let mut tied = Vec::new();
    if !separated {
        tied.push(second);
        tied.extend(std::iter::from_fn(|| rest.next_if(level)));
    }
    let unclear = rest.filter(level).collect();
    Some(Order { leader, second, behind, separated, tied, unclear })
}
