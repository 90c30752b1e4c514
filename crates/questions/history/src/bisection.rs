//! Finds steps in a long range of releases by measuring few of them: first the two ends, then the
//! middle of each interval whose ends differ, until a step lies between two neighbours. Releases
//! are their places in the range, and a function measures them.

/// One interleaved run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The places of the releases that are measured, ascending: the ends of an interval, or these
    /// and the one in their middle.
    pub releases: Vec<usize>,
    /// Into how many parts the error of the whole history is divided. This look may use one.
    pub parts: usize,
}

/// The result of a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// For each release but the first, whether it is decided to differ from the one before it, at
    /// any size.
    Differs(Vec<bool>),
    /// These cannot be measured, so nothing is decided.
    Lost(Vec<usize>),
    /// The user has ended it.
    Ended,
}

/// Up to how many releases are measured in one run instead.
pub const AT_ONCE: usize = 4;

/// The most levels of a bisection of this many releases, the one of the ends included. The error is
/// divided by it before anything is measured.
pub fn levels(releases: usize) -> usize {
    let between = releases.saturating_sub(2);
    1 + (usize::BITS - between.leading_zeros()) as usize
}

/// Bisects a range of this many releases. A release that cannot be measured is replaced by one next
/// to it. Each level of intervals has the same part of the error, and so has each interval of a
/// level. A look in which a release is lost decides nothing, so it is repeated with the same part.
///
/// # Errors
/// The first of `measure`.
pub fn bisect<E>(
    releases: usize,
    mut measure: impl FnMut(&Look) -> Result<Shown, E>,
) -> Result<(), E> {
    let levels = levels(releases);
    let mut left: Vec<usize> = (0..releases).collect();
    let mut intervals = Vec::new();
    while let [first, .., last] = left[..] {
        match measure(&Look { releases: vec![first, last], parts: levels })? {
            Shown::Lost(lost) => left.retain(|place| !lost.contains(place)),
            Shown::Differs(differs) => {
                intervals = differing(&[first, last], &differs);
                break;
            }
            Shown::Ended => return Ok(()),
        }
    }
    loop {
        intervals.retain(|interval| middle(&left, *interval).is_some());
        if intervals.is_empty() {
            return Ok(());
        }
        let parts = levels * intervals.len();
        let mut halves = Vec::new();
        for (from, to) in intervals {
            while let Some(middle) = middle(&left, (from, to)) {
                let look = Look { releases: vec![from, middle, to], parts };
                match measure(&look)? {
                    Shown::Lost(lost) if lost.contains(&middle) => {
                        left.retain(|place| !lost.contains(place));
                    }
                    // An end that was measured before is lost now: its interval stays as it is.
                    Shown::Lost(_) => break,
                    Shown::Differs(differs) => {
                        halves.extend(differing(&look.releases, &differs));
                        break;
                    }
                    Shown::Ended => return Ok(()),
                }
            }
        }
        intervals = halves;
    }
}

/// The pairs of neighbours of a look that differ.
fn differing(releases: &[usize], differs: &[bool]) -> Vec<(usize, usize)> {
    let pairs = releases.windows(2).zip(differs).filter(|(_, differs)| **differs);
    pairs.map(|(pair, _)| (pair[0], pair[1])).collect()
}

/// The release in the middle of an interval, if one is left there.
fn middle(left: &[usize], (from, to): (usize, usize)) -> Option<usize> {
    let between: Vec<usize> = left.iter().copied().filter(|at| from < *at && *at < to).collect();
    between.get(between.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::convert::Infallible;

    /// A bisection of releases with these times, of which some cannot be measured. Two differ if
    /// their times do.
    #[derive(Default)]
    struct Told {
        looks: Vec<Look>,
        measured: BTreeSet<usize>,
        /// The pairs that differ and between which no release was measured.
        steps: BTreeSet<(usize, usize)>,
    }

    fn bisected(times: &[u32], lost: &[usize]) -> Told {
        let mut told = Told::default();
        let done = bisect::<Infallible>(times.len(), |look| {
            told.looks.push(look.clone());
            let of: Vec<usize> =
                look.releases.iter().copied().filter(|place| lost.contains(place)).collect();
            if !of.is_empty() {
                return Ok(Shown::Lost(of));
            }
            told.measured.extend(&look.releases);
            let mut differs = Vec::new();
            for pair in look.releases.windows(2) {
                let differ = times[pair[0]] != times[pair[1]];
                if differ {
                    told.steps.insert((pair[0], pair[1]));
                }
                differs.push(differ);
            }
            Ok(Shown::Differs(differs))
        });
        done.unwrap();
        let measured = told.measured.clone();
        told.steps.retain(|(from, to)| measured.range(from + 1..*to).next().is_none());
        told
    }

    #[test]
    fn a_step_between_any_two_of_sixteen_is_found_by_measuring_six() {
        for place in 1..16usize {
            let times: Vec<u32> = (0..16).map(|at| 100 + 5 * u32::from(at >= place)).collect();
            let told = bisected(&times, &[]);
            assert_eq!(told.steps, BTreeSet::from([(place - 1, place)]));
            assert!(told.measured.len() <= 6, "{:?}", told.measured);
        }
        let told = bisected(&[100; 16], &[]);
        assert_eq!((told.looks.len(), told.steps.len()), (1, 0), "the ends are enough");
        // Steps that cancel each other are not found: the ends are equal.
        assert!(bisected(&[100, 100, 105, 105, 105, 100], &[]).steps.is_empty());
    }

    #[test]
    fn what_cannot_be_measured_is_replaced_by_what_is_next_to_it() {
        // The oldest, the newest, and the middle of the whole range.
        let told = bisected(&[1, 1, 1, 1, 2, 2, 2, 2, 2], &[0, 4, 8]);
        assert_eq!(told.looks[0].releases, [0, 8]);
        assert_eq!(told.looks[1].releases, [1, 7]);
        assert_eq!(told.looks[2].releases, [1, 4, 7]);
        assert_eq!(told.looks[3].releases, [1, 5, 7]);
        assert_eq!(told.looks[3].parts, told.looks[2].parts, "the lost look decided nothing");
        assert_eq!(told.steps, BTreeSet::from([(3, 5)]), "4 lies between them");
        assert!(bisected(&[1, 2, 2], &[0, 1]).steps.is_empty(), "only one is left");
    }

    /// Neither an interval whose ends are not decided to differ, nor one that ended, is divided
    /// further.
    #[test]
    fn an_open_middle_bounds_the_step() {
        let mut looks = Vec::new();
        let open = bisect::<Infallible>(9, |look| {
            looks.push(look.releases.clone());
            Ok(Shown::Differs(vec![look.releases.len() == 2; look.releases.len() - 1]))
        });
        open.unwrap();
        assert_eq!(looks, [vec![0, 8], vec![0, 4, 8]]);
        let mut count = 0;
        let ended = bisect::<Infallible>(9, |_| {
            count += 1;
            Ok(if count == 2 { Shown::Ended } else { Shown::Differs(vec![true]) })
        });
        ended.unwrap();
        assert_eq!(count, 2);
    }

    /// However many steps there are and whatever is lost, the parts that decide add up to the whole
    /// error at most.
    #[test]
    fn the_parts_of_the_error_never_add_up_to_more_than_all_of_it() {
        let mut state = 1u64;
        for _ in 0..2000 {
            let mut below = |most: u64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) % most
            };
            let count = 2 + below(60) as usize;
            let kinds = 1 + below(6);
            let times: Vec<u32> = (0..count).map(|_| below(kinds) as u32).collect();
            let lost: Vec<usize> = (0..count).filter(|_| below(5) == 0).collect();
            let told = bisected(&times, &lost);
            let decisive =
                told.looks.iter().filter(|l| !l.releases.iter().any(|at| lost.contains(at)));
            let spent: f64 = decisive.map(|look| 1.0 / look.parts as f64).sum();
            assert!(spent < 1.0 + 1e-9, "{times:?} {lost:?}: {spent}");
        }
    }
}
