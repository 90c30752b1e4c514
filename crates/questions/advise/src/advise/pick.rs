//! Which contender is recommended, by comparisons of any two.

use cupel_base::name::ContenderName;
use cupel_stats::Comparison;

/// How far one that is recommended may be behind the one with the largest certain lead, as a ratio.
const CLOSE: f64 = 1.05;

/// The contenders that are certainly faster than the one in use now (`have`), and certainly not far
/// behind the one whose certain lead is the largest; the preferred ones first. A contender whose
/// times scatter is not certainly slower than anything, so that alone recommends nothing. `compare`
/// divides the time of its first argument by the time of its second.
pub(super) fn ahead<'n, P: Ord>(
    names: &'n [ContenderName],
    have: &ContenderName,
    zone: f64,
    compare: impl Fn(&ContenderName, &ContenderName) -> Option<Comparison>,
    preference: impl Fn(&ContenderName) -> P,
) -> Vec<&'n ContenderName> {
    let others = names.iter().filter(|name| *name != have);
    let all: Vec<(&ContenderName, f64)> = others
        .filter_map(|name| {
            let compared = compare(name, have)?;
            compared.is_faster(zone).then_some((name, compared.interval.high))
        })
        .collect();
    let mut unbeaten = all.clone();
    unbeaten.retain(|(name, _)| {
        all.iter().all(|(other, _)| {
            other == name || compare(name, other).is_none_or(|c| !c.is_slower(zone))
        })
    });
    unbeaten.sort_by(|a, b| a.1.total_cmp(&b.1));
    let Some(&(first, _)) = unbeaten.first() else { return vec![] };
    let mut close: Vec<&ContenderName> = unbeaten.into_iter().map(|(name, _)| name).collect();
    close.retain(|name| *name == first || compare(name, first).is_some_and(is_close));
    close.sort_by_key(|name| preference(name));
    close
}

fn is_close(compared: Comparison) -> bool {
    compared.interval.high <= CLOSE.ln().max(cupel_stats::floor_of(compared.forks))
}

/// The one that may be furthest ahead of the one in use now, if one may be by more than the tie
/// zone, or if the forks are too few to say.
pub(super) fn may_be_ahead(
    all: impl Iterator<Item = (ContenderName, Comparison)>,
    zone: f64,
) -> Option<(ContenderName, Comparison)> {
    let zone = zone.ln_1p();
    let may = all.filter(|(_, compared)| {
        let floor = cupel_stats::floor_of(compared.forks);
        compared.interval.low < -zone || (floor > zone && compared.interval.low <= floor)
    });
    may.min_by(|a, b| a.1.interval.low.total_cmp(&b.1.interval.low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_stats::{ENOUGH_FORKS, Interval};

    /// The contenders ahead of one that takes 100 ns; between two, the later name is preferred.
    /// Each interval reaches 2 % to each side.
    fn picked(times: &[(&str, f64)], forks: usize) -> Vec<String> {
        let have = ContenderName::from("have");
        let names: Vec<ContenderName> =
            times.iter().map(|(name, _)| ContenderName::from(*name)).collect();
        let time = |name: &ContenderName| match times.iter().find(|(known, _)| *name == **known) {
            Some((_, time)) => *time,
            None => 100.0,
        };
        let compare = |one: &ContenderName, two: &ContenderName| {
            let estimate = (time(one) / time(two)).ln();
            let interval = Interval { low: estimate - 0.02, high: estimate + 0.02 };
            Some(Comparison::from_parts(estimate, interval, forks))
        };
        let preference = |name: &ContenderName| std::cmp::Reverse(name.to_string());
        let ahead = ahead(&names, &have, 0.02, compare, preference);
        ahead.into_iter().map(ToString::to_string).collect()
    }

    #[test]
    fn of_those_that_tie_a_rule_decides_and_not_the_smallest_estimate() {
        // 2.5 % apart, give or take 2 %: neither certain, nor more than 5 %.
        assert_eq!(
            picked(&[("lucky", 48.8), ("preferred", 50.0)], ENOUGH_FORKS),
            ["preferred", "lucky"]
        );
        // Certainly slower than the other.
        assert_eq!(picked(&[("lucky", 47.0), ("preferred", 50.0)], ENOUGH_FORKS), ["lucky"]);
        assert_eq!(picked(&[("lucky", 99.0), ("preferred", 101.0)], ENOUGH_FORKS), [""; 0]);
    }

    #[test]
    fn few_forks_recommend_no_small_difference() {
        assert_eq!(picked(&[("one", 90.0)], ENOUGH_FORKS), ["one"]);
        assert_eq!(picked(&[("one", 90.0)], ENOUGH_FORKS - 1), [""; 0]);
        assert_eq!(picked(&[("one", 50.0)], ENOUGH_FORKS - 1), ["one"]);
    }
}
