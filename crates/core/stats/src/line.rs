//! A cost model: a fixed cost per call and a cost per byte.

use serde::{Deserialize, Serialize};

/// How many times as long as the shortest message the longest must be. Over a narrower range, the
/// noise of the times decides how a time is divided into its two costs.
const SPAN: f64 = 4.0;

/// The share of a call that a cost must have, at the size where it weighs most, to be known.
const KNOWN: f64 = 0.02;

/// The time of a call as `fixed_ns + per_byte_ns * bytes`; neither is negative.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The cost of a call with no bytes, in ns.
    pub fixed_ns: f64,
    /// The cost of each byte, in ns.
    pub per_byte_ns: f64,
    /// The smallest size that it was fitted through, in bytes.
    pub smallest: f64,
    /// The largest one.
    pub largest: f64,
}

impl Line {
    /// The cost of a call with no bytes, in ns, if the times show it. A cost that they do not show
    /// is zero only because it cannot be negative.
    pub fn known_fixed_ns(&self) -> Option<f64> {
        (self.fixed_ns > KNOWN * self.at(self.smallest)).then_some(self.fixed_ns)
    }

    /// The cost of each byte, in ns, if the times show it.
    pub fn known_per_byte_ns(&self) -> Option<f64> {
        let bytes_ns = self.per_byte_ns * self.largest;
        (bytes_ns > KNOWN * self.at(self.largest)).then_some(self.per_byte_ns)
    }

    /// The modelled time of a call, in ns.
    pub fn at(&self, bytes: f64) -> f64 {
        self.fixed_ns + self.per_byte_ns * bytes
    }

    /// The line through two points; `None` if one of its costs would be negative.
    fn through((n1, t1): (f64, f64), (n2, t2): (f64, f64)) -> Option<Line> {
        let per_byte_ns = (t2 - t1) / (n2 - n1);
        let fixed_ns = t1 - per_byte_ns * n1;
        (per_byte_ns >= 0.0 && fixed_ns >= 0.0).then_some(Line::new(fixed_ns, per_byte_ns))
    }

    /// A line whose range is not known yet.
    fn new(fixed_ns: f64, per_byte_ns: f64) -> Line {
        Line { fixed_ns, per_byte_ns, smallest: 0.0, largest: 0.0 }
    }
}

/// Fits `(bytes, ns)` points by the least sum of absolute relative errors. Relative, because sizes
/// span six orders of magnitude and the smallest counts as much as the largest; absolute and not
/// squared, because a cliff at one size or a burst at one point must not bend the line.
///
/// `None` for fewer than three distinct sizes, because two points always lie on a line, and if the
/// largest is less than four times the smallest. Points without a
/// positive finite time or with a negative size are ignored. The work grows with the cube of the
/// number of points; give one point per size.
pub fn fit(points: &[(f64, f64)]) -> Option<Line> {
    let mut points = points.to_vec();
    points.retain(|&(n, t)| n >= 0.0 && n.is_finite() && t > 0.0 && t.is_finite());
    let mut sizes: Vec<f64> = points.iter().map(|p| p.0).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    sizes.dedup();
    let (&smallest, &largest) = (sizes.first()?, sizes.last()?);
    if sizes.len() < 3 || largest < SPAN * smallest {
        return None;
    }
    // The sum is convex and piecewise linear in the two costs, so its minimum is where two of its
    // creases or bounds meet: on a line through two points, or through one point with one cost
    // fixed at zero. Noise at large sizes can ask for a negative fixed cost, which no code has. The
    // lines through the origin apply that bound and fit the slope again.
    let pairs = points.iter().enumerate().flat_map(|(i, &p)| {
        points[..i].iter().filter(move |q| q.0 != p.0).filter_map(move |&q| Line::through(p, q))
    });
    let proportional = points.iter().filter(|p| p.0 > 0.0).map(|&(n, t)| Line::new(0.0, t / n));
    let constant = points.iter().map(|&(_, t)| Line::new(t, 0.0));
    pairs
        .chain(proportional)
        .chain(constant)
        .map(|line| {
            let errors = points.iter().map(|&(n, t)| (line.at(n) / t - 1.0).abs());
            (errors.sum::<f64>(), line)
        })
        .min_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, line)| Line { smallest, largest, ..line })
}
