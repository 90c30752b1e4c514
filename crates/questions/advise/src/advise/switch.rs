//! Two contenders and a size between them: the saving of a user who calls one up to that size, and
//! the other beyond it.

use super::chart::{Chart, measured};
use super::{Range, Switch};
use cupel_analyse::{Part, Ratio};
use cupel_base::name::ContenderName;
use std::collections::BTreeSet;

/// A pair of contenders, with the first size of the second.
#[derive(Clone, Copy)]
struct Pair<'a> {
    small: &'a ContenderName,
    large: &'a ContenderName,
    from: u64,
}

impl Pair<'_> {
    fn at(&self, size: u64) -> &ContenderName {
        if size < self.from { self.small } else { self.large }
    }
}

impl Chart<'_> {
    /// The best pair, each of which is the best somewhere on its side of a border of two ranges,
    /// against one contender for all sizes; `None` if one is the best everywhere.
    pub(super) fn switch(&self, ranges: &[Range], alone: &ContenderName) -> Option<Switch> {
        let mut pairs = Vec::new();
        for (at, range) in ranges.iter().enumerate().skip(1) {
            let [shorter, longer] = [&ranges[..at], &ranges[at..]]
                .map(|some| some.iter().map(|one| &one.contender).collect::<BTreeSet<_>>());
            for small in shorter {
                let larger = longer.iter().filter(|&&large| large != small);
                pairs.extend(larger.map(|&large| Pair { small, large, from: range.from }));
            }
        }
        let timed = pairs.into_iter().filter_map(|pair| Some((pair, self.takes(pair, alone)?)));
        let (pair, ratio) = timed.min_by(|a, b| a.1.estimate.total_cmp(&b.1.estimate))?;
        let up_to = ranges.iter().map(|range| range.to).filter(|&to| to < pair.from).max()?;
        let (small, large, from) = (pair.small.clone(), pair.large.clone(), pair.from);
        Some(Switch { small, up_to, large, from, ratio })
    }

    /// The time of a pair over all calls of the user, divided by the time of one contender alone.
    fn takes(&self, pair: Pair<'_>, alone: &ContenderName) -> Option<Ratio> {
        let (mut parts, mut same) = (Vec::new(), 0.0);
        for size in self.sizes() {
            for (bytes, weight) in self.weights(alone, size) {
                if pair.at(bytes) == alone {
                    same += weight;
                    continue;
                }
                let answer = self.at(bytes)?;
                let (one, other) = (measured(answer, pair.at(bytes))?, measured(answer, alone)?);
                parts.push(Part { cell: one.cell, other: other.cell, weight });
            }
        }
        let differ: f64 = parts.iter().map(|part| part.weight).sum();
        let Ratio { estimate, low, high } = self.mixed(&parts)?;
        let [estimate, low, high] =
            [estimate, low, high].map(|ratio| (same + differ * ratio) / (same + differ));
        Some(Ratio { estimate, low, high })
    }
}
