//! Crossovers: between which sizes one contender overtakes another.

use super::Verdict;

/// A change of which side is faster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The last size at which one side is certainly faster.
    pub low: u64,
    /// The first size at which the other side is certainly faster. If there is only one crossover,
    /// it lies between the two, with the confidence of the intervals behind the verdicts.
    pub high: u64,
    /// The size at which the estimates cross, interpolated linearly in the logarithms. `None` if a
    /// size is 0, which has no logarithm.
    pub near: Option<f64>,
    /// Whether the contender is faster at the smaller sizes.
    pub faster_below: bool,
}

/// The crossovers along the sizes: `(bytes, ratio, verdict)`, in ascending order of bytes.
pub fn crossings(points: &[(u64, f64, Verdict)]) -> Vec<Crossing> {
    let separated: Vec<usize> = (0..points.len())
        .filter(|&at| matches!(points[at].2, Verdict::Faster | Verdict::Slower))
        .collect();
    separated
        .windows(2)
        .filter(|pair| points[pair[0]].2 != points[pair[1]].2)
        .map(|pair| {
            let (from, to) = (pair[0], pair[1]);
            Crossing {
                low: points[from].0,
                high: points[to].0,
                near: points[from..=to].windows(2).find_map(|w| meet(w[0], w[1])),
                faster_below: points[from].2 == Verdict::Faster,
            }
        })
        .collect()
}

/// The size between two sizes at which the ratio is 1.
fn meet(a: (u64, f64, Verdict), b: (u64, f64, Verdict)) -> Option<f64> {
    let (y1, y2) = (a.1.ln(), b.1.ln());
    if a.0 == 0 || y1.signum() == y2.signum() {
        return None;
    }
    let (x1, x2) = ((a.0 as f64).ln(), (b.0 as f64).ln());
    let near = (x1 + (x2 - x1) * y1 / (y1 - y2)).exp();
    near.is_finite().then_some(near)
}

#[cfg(test)]
mod tests {
    use super::Verdict::{Faster, NotSeparated, Slower};
    use super::*;

    #[test]
    fn the_crossover_lies_between_the_sizes_that_are_separated() {
        let points = [
            (16, 0.5, Faster),
            (64, 0.98, NotSeparated),
            (256, 1.02, NotSeparated),
            (1024, 2.0, Slower),
        ];
        let found = crossings(&points);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].low, found[0].high, found[0].faster_below), (16, 1024, true));
        let near = found[0].near.unwrap();
        assert!((127.0..129.0).contains(&near), "{near}");
    }

    #[test]
    fn estimates_that_cross_without_verdicts_are_no_crossover() {
        assert!(crossings(&[(16, 0.9, NotSeparated), (64, 1.4, Slower)]).is_empty());
        assert!(crossings(&[(16, 0.5, Faster), (64, 1.4, NotSeparated)]).is_empty());
        assert!(crossings(&[(16, 0.5, Faster), (64, 0.9, Faster)]).is_empty());
    }

    #[test]
    fn a_size_of_zero_bounds_but_cannot_be_interpolated() {
        let found = crossings(&[(0, 2.0, Slower), (64, 0.5, Faster), (128, 2.0, Slower)]);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].low, found[0].near, found[0].faster_below), (0, None, false));
        assert!(found[1].near.is_some());
    }
}
