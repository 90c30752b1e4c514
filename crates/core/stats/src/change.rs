//! Whether something changed during a run: a series of forks, in the order in which they ran.
//!
//! Agents attach probes, neighbours come and go, libraries are updated in mid-run. A value that
//! belongs to the process (its layout, its compiler's decisions) is as likely in any fork as in any
//! other. So if nothing changed with time, every order of the values is equally probable, and the
//! probability that chance alone puts them in so clear an order is known exactly, whatever their
//! distribution: a permutation test (Fisher, "The Design of Experiments", 1935). The statistic
//! scans for a segment whose mean differs from the rest (Levin & Kline, "The cusum test of
//! homogeneity", 1985). Scores are clipped, so that one stray process cannot be the whole of it. A
//! step that separates all values before it from all values after it by more than they scatter
//! needs no test.

use crate::interval::Interval;
use crate::quantile::{mean, median, robust_sd, squares};
use crate::student::quantile as t_quantile;
use serde::{Deserialize, Serialize};

/// Shorter series show too little: even two values of seven that differ from all others are first
/// or last in one order of ten.
const FEWEST: usize = 8;

/// A segment has at least this many forks: one is a process that differs, and no change.
const SHORTEST: usize = 2;

/// Scores are clipped at this many standard deviations.
const CLIPPED: f64 = 3.0;

/// Statistics below this are never as rare as one in fifty.
const NOTHING_STANDS_OUT: f64 = 2.4;

/// This many orders as extreme as the one that ran are enough to know that it is not rare (Besag &
/// Clifford, "Sequential Monte Carlo p-values", 1991).
const ENOUGH: usize = 10;

/// How a series changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The number of the first value after the change.
    pub first: usize,
    /// The number of the first value after the segment: the length of the series if the change
    /// lasted to its end.
    pub end: usize,
    /// The mean of the values outside the segment.
    pub outside: f64,
    /// The mean of the values in it.
    pub inside: f64,
    /// The kind of change.
    pub shape: Shape,
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// From one value on, all are different.
    Step,
    /// Some values in the middle are different.
    Burst,
    /// They rise or fall all the time.
    Trend,
}

impl Change {
    /// Whether the value with this number is in the changed segment.
    pub fn contains(&self, number: usize) -> bool {
        (self.first..self.end).contains(&number)
    }

    /// The change with its ends where a series of the same length puts them: a value next to an end
    /// that is close to the values on the other side is moved there. A scan of noisy values may be
    /// off by one. At least one value stays on each side.
    #[must_use]
    pub fn placed_by(mut self, values: &[Option<f64>]) -> Change {
        let side = |is_inside: bool| -> Vec<f64> {
            let of_side = (0..values.len()).filter(|&number| self.contains(number) == is_inside);
            of_side.filter_map(|number| values[number]).collect()
        };
        let (inside, outside) = (side(true), side(false));
        if self.shape == Shape::Trend || inside.is_empty() || outside.is_empty() {
            return self;
        }
        let (inside, outside) = (median(&inside), median(&outside));
        let is_near = |number: usize, level: f64| {
            values[number]
                .is_some_and(|value| (value - level).abs() < CLOSE * (inside - outside).abs())
        };
        while self.first > 1 && is_near(self.first - 1, inside) {
            self.first -= 1;
        }
        while self.first + 1 < self.end && is_near(self.first, outside) {
            self.first += 1;
        }
        if self.end == values.len() {
            return self;
        }
        while self.end + 1 < values.len() && is_near(self.end, inside) {
            self.end += 1;
        }
        while self.end > self.first + 1 && is_near(self.end - 1, outside) {
            self.end -= 1;
        }
        self
    }
}

/// A value belongs to one side if its distance from it is at most this share of the change.
const CLOSE: f64 = 0.25;

/// How these values, in the order of time, changed. `error` is the probability with which values
/// that do not change with time seem to. `None` if chance explains their order, or if there are
/// fewer than eight. Values must be finite.
pub fn change(values: &[f64], error: f64) -> Option<Change> {
    if values.len() < FEWEST {
        return None;
    }
    if let Some(first) = clean_step(values) {
        return Some(described(values, Segment { first, end: values.len(), statistic: f64::NAN }));
    }
    let scores = scores(values)?;
    // Each of the two scans has half of the error.
    let (lasting, passing) = (scan(&scores, Scan::ToTheEnd), scan(&scores, Scan::Within));
    // The scan that stands out more counts; the other scan sees a part of it.
    let mut scans = [(lasting, Scan::ToTheEnd), (passing, Scan::Within)];
    if passing.statistic > lasting.statistic {
        scans.reverse();
    }
    let found = scans.into_iter().find(|&(Segment { statistic, .. }, kind)| {
        statistic > NOTHING_STANDS_OUT && is_rare(&scores, statistic, kind, error / 2.0)
    });
    found.map(|(segment, _)| described(values, segment))
}

/// A step of a series that lasts to its end, and may be chance.
pub struct Step {
    /// The number of the first value after it.
    pub first: usize,
    scores: Vec<f64>,
    statistic: f64,
}

impl Step {
    /// The clearest step of a series. `None` if the values hardly differ, or if there are fewer
    /// than eight.
    pub fn find(values: &[f64]) -> Option<Step> {
        if values.len() < FEWEST {
            return None;
        }
        let scores = scores(values)?;
        let Segment { first, statistic, .. } = scan(&scores, Scan::ToTheEnd);
        (statistic > NOTHING_STANDS_OUT).then_some(Step { first, scores, statistic })
    }

    /// Whether values that do not change with time have so clear a step with at most this
    /// probability. The work grows with the length of the series and with the inverse of the error.
    pub fn is_certain(&self, error: f64) -> bool {
        is_rare(&self.scores, self.statistic, Scan::ToTheEnd, error)
    }
}

/// By how much values moved between two parts of a run: the difference of their means, if they
/// differ by a t test with this error. `None` also if a part has fewer than two values.
pub fn shift(from: &[f64], to: &[f64], error: f64) -> Option<f64> {
    if from.len() < 2 || to.len() < 2 {
        return None;
    }
    let df = (from.len() + to.len() - 2) as f64;
    let variance = (squares(from) + squares(to)) / df;
    let spread = (variance * (1.0 / from.len() as f64 + 1.0 / to.len() as f64)).sqrt();
    let moved = mean(to) - mean(from);
    (moved.abs() > t_quantile(1.0 - error / 2.0, df) * spread).then_some(moved)
}

/// The share of a clean step that its gap has.
const CLEAN: f64 = 0.6;

/// The first value after a step so clean that all values before it are far from all values after
/// it; the change may have come while one of them was taken. Two of 24 processes that are strays
/// are both first or both last, and the only ones, less often than once in 400 runs if one process
/// in 20 is a stray. The permutation test does not use how rare strays are, and would need four of
/// them.
fn clean_step(values: &[f64]) -> Option<usize> {
    let n = values.len();
    (SHORTEST..=n - SHORTEST).find_map(|first| {
        if is_clean(&values[..first], &values[first..]) {
            return Some(first);
        }
        let between = first + 1 + SHORTEST <= n;
        (between && is_clean(&values[..first], &values[first + 1..])).then_some(first + 1)
    })
}

fn is_clean(before: &[f64], after: &[f64]) -> bool {
    let [early, late] = [before, after].map(|values| Interval::around(values.iter().copied()));
    let gap = (late.low - early.high).max(early.low - late.high);
    gap > 0.0 && gap >= CLEAN * (mean(after) - mean(before)).abs()
}

/// Which segments are scanned.
#[derive(Clone, Copy)]
enum Scan {
    /// From any value to the last one.
    ToTheEnd,
    /// Segments that begin after the first value and end before the last one.
    Within,
}

/// A segment, and how much it stands out.
#[derive(Clone, Copy)]
struct Segment {
    first: usize,
    end: usize,
    statistic: f64,
}

/// The values as clipped distances from their median; `None` if they do not differ.
fn scores(values: &[f64]) -> Option<Vec<f64>> {
    let middle = median(values);
    let off: Vec<f64> = values.iter().map(|value| value - middle).collect();
    let square: f64 = off.iter().map(|off| off * off).sum();
    // If most values are equal, the robust deviation is zero although others differ.
    let sd = robust_sd(values).max(1e-3 * (square / off.len() as f64).sqrt());
    if sd == 0.0 || !sd.is_finite() {
        return None;
    }
    let clipped: Vec<f64> = off.iter().map(|off| (off / sd).clamp(-CLIPPED, CLIPPED)).collect();
    let centre = mean(&clipped);
    Some(clipped.into_iter().map(|score| score - centre).collect())
}

/// The segment that stands out most: the largest sum of its scores, divided by the standard
/// deviation that such a sum has over all orders, up to a common factor.
fn scan(scores: &[f64], kind: Scan) -> Segment {
    let n = scores.len();
    let mut sums = Vec::with_capacity(n + 1);
    sums.push(0.0);
    for score in scores {
        sums.push(sums[sums.len() - 1] + score);
    }
    let square: f64 = scores.iter().map(|score| score * score).sum();
    let sd = (square / (n - 1) as f64).sqrt();
    let mut most = Segment { first: 0, end: n, statistic: 0.0 };
    let firsts = match kind {
        Scan::ToTheEnd => SHORTEST..n - SHORTEST + 1,
        Scan::Within => 1..n - SHORTEST,
    };
    for first in firsts {
        let ends = match kind {
            Scan::ToTheEnd => n..n + 1,
            Scan::Within => first + SHORTEST..(first + n / 2).min(n - 1) + 1,
        };
        for end in ends {
            let length = (end - first) as f64;
            let spread = sd * (length * (n as f64 - length) / n as f64).sqrt();
            let statistic = (sums[end] - sums[first]).abs() / spread;
            if statistic > most.statistic {
                most = Segment { first, end, statistic };
            }
        }
    }
    most
}

/// Whether at most a share of `error` of all orders of the scores have a statistic of this size.
fn is_rare(scores: &[f64], statistic: f64, kind: Scan, error: f64) -> bool {
    let orders = (ENOUGH as f64 / error).ceil() as usize;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut shuffled = scores.to_vec();
    let mut as_extreme = 0;
    for _ in 0..orders {
        random.shuffle(&mut shuffled);
        // Equal statistics differ by rounding, in the order of their sums.
        as_extreme += usize::from(scan(&shuffled, kind).statistic >= statistic * (1.0 - 1e-9));
        if as_extreme >= ENOUGH {
            return false;
        }
    }
    (as_extreme + 1) as f64 <= error * (orders + 1) as f64
}

/// The change of the values by a segment. A line through all of them that explains more than two
/// levels do is a trend.
fn described(values: &[f64], Segment { first, end, .. }: Segment) -> Change {
    let n = values.len();
    let outside: Vec<f64> = [&values[..first], &values[end..]].concat();
    let inside = &values[first..end];
    let shape = if end < n {
        Shape::Burst
    } else if left_by_line(values) < squares(&outside) + squares(inside) {
        Shape::Trend
    } else {
        Shape::Step
    };
    Change { first, end, outside: mean(&outside), inside: mean(inside), shape }
}

/// The sum of the squares that a straight line leaves.
fn left_by_line(values: &[f64]) -> f64 {
    let (middle, centre) = (mean(values), (values.len() - 1) as f64 / 2.0);
    let (mut square, mut product, mut time) = (0.0, 0.0, 0.0);
    for (number, value) in values.iter().enumerate() {
        let (x, y) = (number as f64 - centre, value - middle);
        square += y * y;
        product += x * y;
        time += x * x;
    }
    square - product * product / time
}

/// For each division of sorted values into two parts: where the second one begins, and the sum of
/// the squares that the means of both leave.
pub(crate) fn squares_of_parts(sorted: &[f64]) -> Vec<(usize, f64)> {
    let n = sorted.len() as f64;
    // Less the middle, so that no digits are lost.
    let middle = mean(sorted);
    let all: f64 = squares(sorted);
    let mut below = 0.0;
    let division = |(at, value): (usize, &f64)| {
        below += value - middle;
        let (few, rest) = ((at + 1) as f64, n - (at + 1) as f64);
        let between = below * below * (1.0 / few + 1.0 / rest);
        (at + 1, (all - between).max(0.0))
    };
    sorted[..sorted.len().saturating_sub(1)].iter().enumerate().map(division).collect()
}

/// SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", 2014): the
/// same orders for the same series, on every machine.
pub(crate) struct Random(u64);

impl Random {
    #[cfg(test)]
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn shuffle(&mut self, values: &mut [f64]) {
        for last in (1..values.len()).rev() {
            let other = ((u128::from(self.next()) * (last as u128 + 1)) >> 64) as usize;
            values.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that scatter by about one percent, always the same.
    fn noise(seed: u64, count: usize) -> Vec<f64> {
        let mut random = Random(seed);
        let mut uniform = || random.next() as f64 / u64::MAX as f64 - 0.5;
        (0..count).map(|_| 0.01 * (0..4).map(|_| uniform()).sum::<f64>() / 0.58).collect()
    }

    #[test]
    fn a_value_next_to_an_end_is_moved_to_those_that_it_is_close_to() {
        let placed = |first: usize, end: usize, values: &[f64]| {
            let shape = if end < values.len() { Shape::Burst } else { Shape::Step };
            let change = Change { first, end, outside: 0.0, inside: 1.0, shape };
            let placed = change.placed_by(&values.iter().copied().map(Some).collect::<Vec<_>>());
            (placed.first, placed.end)
        };
        let step = [0.0, 0.99, 1.0, 1.01, 1.0, 1.0, 0.99, 1.0];
        assert_eq!(placed(2, 8, &step), (1, 8));
        assert_eq!(placed(1, 8, &step), (1, 8), "it is there already");
        assert_eq!(placed(1, 8, &[1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), (2, 8));
        assert_eq!(placed(3, 8, &[0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0]), (3, 8), "half of it");
        let burst = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0];
        assert_eq!((placed(4, 5, &burst), placed(2, 7, &burst)), ((3, 6), (3, 6)));
    }

    /// The noise, with `by` added to the values from `first` to before `end`.
    fn stepped(seed: u64, first: usize, end: usize, by: f64) -> Vec<f64> {
        let mut values = noise(seed, 24);
        values[first..end].iter_mut().for_each(|value| *value += by);
        values
    }

    #[test]
    fn a_step_is_detected_where_it_is() {
        for first in 2..=22 {
            let found = change(&stepped(first as u64, first, 24, 0.2), 0.01).expect("a step");
            assert_eq!((found.first, found.end, found.shape), (first, 24, Shape::Step));
            assert!((found.inside - found.outside - 0.2).abs() < 0.03, "{found:?}");
        }
    }

    #[test]
    fn a_burst_is_detected_where_it_is() {
        for first in 4..=16 {
            let found = change(&stepped(first as u64, first, first + 5, 0.2), 0.01);
            let found = found.expect("a burst");
            assert_eq!((found.first, found.end, found.shape), (first, first + 5, Shape::Burst));
        }
    }

    #[test]
    fn a_trend_is_one() {
        for by in [0.1, -0.1] {
            let mut values = noise(5, 24);
            for (number, value) in values.iter_mut().enumerate() {
                *value += by * number as f64 / 23.0;
            }
            let found = change(&values, 0.01).expect("a trend");
            assert_eq!(found.shape, Shape::Trend, "{found:?}");
            assert!((found.inside - found.outside) * by > 0.0);
        }
    }

    /// Strays and levels of processes come in any order, so they are not a change, however large.
    #[test]
    fn values_that_do_not_depend_on_time_seem_to_change_as_rarely_as_the_error_allows() {
        let count = |make: &dyn Fn(u64) -> Vec<f64>| {
            (0..2000).filter(|&seed| change(&make(seed), 0.01).is_some()).count()
        };
        let plain = count(&|seed| noise(seed, 24));
        let strays = |seed: u64| {
            let mut random = Random(seed ^ 0x5555);
            let mut values = noise(seed, 24);
            values
                .iter_mut()
                .for_each(|v| *v += if random.next().is_multiple_of(15) { 0.2 } else { 0.0 });
            values
        };
        let levels = |seed: u64| {
            let mut random = Random(seed ^ 0xaaaa);
            let mut values = noise(seed, 24);
            values
                .iter_mut()
                .for_each(|v| *v += if random.next().is_multiple_of(3) { 0.3 } else { 0.0 });
            values
        };
        // 20 expected; 36 or more once in a thousand.
        let counts = [plain, count(&strays), count(&levels)];
        println!("of 2000 without a change, {counts:?} seem to");
        assert!(counts.iter().all(|&count| count < 36), "{counts:?}");
    }

    #[test]
    fn a_shift_between_two_parts_is_one_if_they_scatter_less() {
        let (from, to) = (noise(1, 5), stepped(2, 0, 24, 0.1));
        assert!((shift(&from, &to, 0.001).expect("a shift") - 0.1).abs() < 0.02);
        assert_eq!(shift(&from, &noise(2, 19), 0.001), None);
        assert_eq!(shift(&from, &[3.0], 0.001), None, "one fork may be a stray process");
    }

    #[test]
    fn equal_values_and_short_series_do_not_change() {
        assert_eq!(change(&[1.0; 24], 0.01), None);
        assert_eq!(change(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0], 0.01), None);
        assert_eq!(change(&[], 0.01), None);
    }

    #[test]
    fn values_that_are_equal_but_for_a_step_change() {
        let values: Vec<f64> = (0..24).map(|n| if n < 8 { 2.0 } else { 0.0 }).collect();
        let found = change(&values, 0.01).expect("a step");
        assert_eq!((found.first, found.outside, found.inside), (8, 2.0, 0.0));
    }
}
