//! A cost model: a fixed cost per call and a cost per byte.

use serde::{Deserialize, Serialize};

/// The time of a call as `fixed_ns + per_byte_ns * bytes`; neither is negative.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The cost of a call with no bytes, in ns.
    pub fixed_ns: f64,
    /// The cost of each byte, in ns.
    pub per_byte_ns: f64,
}

impl Line {
    /// The modelled time of a call, in ns.
    pub fn at(&self, bytes: f64) -> f64 {
        self.fixed_ns + self.per_byte_ns * bytes
    }

    /// The line through two points; `None` if one of its costs would be negative.
    fn through((n1, t1): (f64, f64), (n2, t2): (f64, f64)) -> Option<Line> {
        let per_byte_ns = (t2 - t1) / (n2 - n1);
        let fixed_ns = t1 - per_byte_ns * n1;
        (per_byte_ns >= 0.0 && fixed_ns >= 0.0).then_some(Line { fixed_ns, per_byte_ns })
    }
}

/// Fits `(bytes, ns)` points by the least sum of absolute relative errors. Relative, because sizes
/// span six orders of magnitude and the smallest counts as much as the largest; absolute and not
/// squared, because a cliff at one size or a burst at one point must not bend the line.
///
/// `None` for fewer than three distinct sizes: two points always lie on a line. Points without a
/// positive finite time or with a negative size are ignored. The work grows with the cube of the
/// number of points; give one point per size.
pub fn fit(points: &[(f64, f64)]) -> Option<Line> {
    let usable = |&(n, t): &(f64, f64)| n >= 0.0 && n.is_finite() && t > 0.0 && t.is_finite();
    let points: Vec<(f64, f64)> = points.iter().copied().filter(usable).collect();
    let mut sizes: Vec<f64> = points.iter().map(|p| p.0).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    sizes.dedup();
    if sizes.len() < 3 {
        return None;
    }
    // The sum is convex and piecewise linear in the two costs, so its minimum is where two of its
    // creases or bounds meet: on a line through two points, or through one point with one cost
    // fixed at zero. Noise at large sizes can ask for a negative fixed cost, which no code has. The
    // lines through the origin apply that bound and fit the slope again.
    let pairs = points.iter().enumerate().flat_map(|(i, &p)| {
        points[..i].iter().filter(move |q| q.0 != p.0).filter_map(move |&q| Line::through(p, q))
    });
    let proportional = points
        .iter()
        .filter(|p| p.0 > 0.0)
        .map(|&(n, t)| Line { fixed_ns: 0.0, per_byte_ns: t / n });
    let constant = points.iter().map(|&(_, t)| Line { fixed_ns: t, per_byte_ns: 0.0 });
    let error =
        |line: &Line| points.iter().map(|&(n, t)| (line.at(n) / t - 1.0).abs()).sum::<f64>();
    pairs
        .chain(proportional)
        .chain(constant)
        .map(|line| (error(&line), line))
        .min_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, line)| line)
}

/// The size in bytes, above zero, at which two lines cost the same; `None` if one is cheaper at
/// every size.
pub fn crossover(a: &Line, b: &Line) -> Option<f64> {
    let bytes = (b.fixed_ns - a.fixed_ns) / (a.per_byte_ns - b.per_byte_ns);
    (bytes.is_finite() && bytes > 0.0).then_some(bytes)
}
