//! Bars with intervals drawn as text, on one logarithmic scale for a table: equal factors are
//! equally far apart.

use cupel_analyse::Ratio;
use cupel_base::text::ratio_digits;

/// The narrowest and the widest drawing, in columns.
pub const WIDTHS: (usize, usize) = (16, 40);

/// The scale reaches at least this far from 1: in a table of equals, equals must not look
/// different.
const NEAREST: f64 = 1.05;

/// The scale reaches no farther from 1 than this: one slow contender must not press all others
/// together.
const FARTHEST: f64 = 4.0;

/// The scale of a table's drawings.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// A scale for these ratios; `None` if none of them has an interval with two ends.
    pub fn for_ratios<'a>(ratios: impl Iterator<Item = &'a Ratio>) -> Option<Scale> {
        let ends = ratios.filter(|ratio| bounded(ratio)).map(|ratio| (ratio.low, ratio.high));
        let (low, high) = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        Some(Scale {
            low: low.clamp(1.0 / FARTHEST, 1.0 / NEAREST),
            high: high.clamp(NEAREST, FARTHEST),
        })
    }

    /// The head of the column: the ratios at its two ends.
    pub fn head(&self, width: usize) -> String {
        let (low, high) = (ratio_digits(self.low), ratio_digits(self.high));
        let right = width.saturating_sub(low.len());
        format!("{low}{high:>right$}")
    }

    /// A bar from the baseline's mark at 1 to the ratio, with its interval: `:===|--o--|`. An end
    /// beyond the scale is `<` or `>`. Without an interval only the mark is drawn.
    pub fn draw(&self, ratio: Option<&Ratio>, width: usize) -> String {
        let mut line = vec![' '; width];
        if let Some(ratio) = ratio.filter(|ratio| bounded(ratio)) {
            let (from, to) = (self.column(ratio.low, width), self.column(ratio.high, width));
            let (mark, end) = (self.column(1.0, width), self.column(ratio.estimate, width));
            line[mark.min(end)..=mark.max(end)].fill('=');
            line[from..=to].fill('-');
            line[mark] = ':';
            (line[from], line[to]) = ('|', '|');
            line[end] = 'o';
            if ratio.low < self.low {
                line[from] = '<';
            }
            if ratio.high > self.high {
                line[to] = '>';
            }
        } else {
            line[self.column(1.0, width)] = ':';
        }
        line.into_iter().collect()
    }

    /// The column of a ratio, from 0. A ratio beyond an end is at that end.
    fn column(&self, ratio: f64, width: usize) -> usize {
        let share = (ratio / self.low).ln() / (self.high / self.low).ln();
        (share.clamp(0.0, 1.0) * (width - 1) as f64).round() as usize
    }
}

fn bounded(ratio: &Ratio) -> bool {
    ratio.low > 0.0 && ratio.high.is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(low: f64, estimate: f64, high: f64) -> Ratio {
        Ratio { estimate, low, high }
    }

    fn drawn(ratios: &[Ratio]) -> Vec<String> {
        let scale = Scale::for_ratios(ratios.iter()).unwrap();
        ratios.iter().map(|ratio| scale.draw(Some(ratio), 17)).collect()
    }

    #[test]
    fn equal_factors_are_equally_far_from_the_mark() {
        let lines = drawn(&[ratio(0.5, 0.5, 0.5), ratio(0.9, 1.0, 1.1), ratio(1.5, 2.0, 2.0)]);
        assert_eq!(lines[0], "o=======:        ");
        assert_eq!(lines[1], "       |o|       ");
        assert_eq!(lines[2], "        :====|--o");
    }

    #[test]
    fn an_end_beyond_the_scale_is_marked() {
        let lines = drawn(&[ratio(0.1, 0.5, 1.4), ratio(2.0, 8.0, 9.0), ratio(0.01, 0.01, 0.02)]);
        assert_eq!(lines[0], "<---o---:-|      ");
        assert_eq!(lines[1], "        :===|--->");
        assert_eq!(lines[2], "<=======:        ");
        let head = Scale::for_ratios([ratio(0.1, 1.0, 9.0)].iter()).unwrap().head(17);
        assert_eq!(head, "0.250       4.000");
    }

    #[test]
    fn equals_do_not_look_different() {
        let lines = drawn(&[ratio(0.999, 1.0, 1.001), ratio(1.001, 1.002, 1.003)]);
        assert_eq!(lines, ["        o        "; 2]);
    }

    #[test]
    fn without_two_ends_there_is_only_the_mark() {
        let open = ratio(0.0, 1.3, f64::INFINITY);
        assert!(Scale::for_ratios([open].iter()).is_none());
        let scale = Scale::for_ratios([ratio(0.5, 1.0, 2.0)].iter()).unwrap();
        let mark = "        :        ";
        assert_eq!([scale.draw(Some(&open), 17), scale.draw(None, 17)], [mark; 2]);
    }
}
