//! How often a program makes calls of each size.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Sizes in bytes, ascending, each with the weight that its calls have among all. Cheap to copy.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<(u64, u64)>", into = "Vec<(u64, u64)>")]
pub struct Histogram(Arc<[(u64, u64)]>);

/// The most different sizes of a histogram.
pub const MAX_SIZES: usize = 4096;

impl Histogram {
    /// A histogram of these sizes and counts. The counts are divided by their common factor: twice
    /// as many calls of each size are the same work for each call.
    ///
    /// # Errors
    /// Why it is none: no sizes, too many, not ascending, a count of 0, or counts that add up to
    /// more than 2^63 - 1.
    pub fn new(sizes: Vec<(u64, u64)>) -> Result<Histogram, String> {
        if sizes.is_empty() {
            return Err("there are no sizes".to_string());
        }
        if sizes.len() > MAX_SIZES {
            return Err(format!("there are {} sizes, and at most {MAX_SIZES}", sizes.len()));
        }
        if let Some(pair) = sizes.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            return Err(format!("the sizes do not ascend: {} follows {}", pair[1].0, pair[0].0));
        }
        if let Some((size, _)) = sizes.iter().find(|(_, count)| *count == 0) {
            return Err(format!("size {size} has no calls"));
        }
        let all = sizes.iter().try_fold(0_u64, |all, (_, count)| all.checked_add(*count));
        if all.is_none_or(|all| i64::try_from(all).is_err()) {
            return Err("the numbers of calls add up to more than 2^63 - 1".to_string());
        }
        let common = sizes.iter().fold(0, |common, (_, count)| divisor(common, *count));
        Ok(Histogram(sizes.into_iter().map(|(size, count)| (size, count / common)).collect()))
    }

    /// The sizes in bytes with their weights, ascending.
    pub fn sizes(&self) -> &[(u64, u64)] {
        &self.0
    }

    /// The largest size in bytes.
    pub fn longest(&self) -> u64 {
        self.0.last().map_or(0, |(size, _)| *size)
    }

    /// The sum of all weights.
    pub fn weight(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// The mean size of a call in bytes.
    pub fn mean(&self) -> f64 {
        let bytes: f64 = self.0.iter().map(|(size, count)| *size as f64 * *count as f64).sum();
        bytes / self.weight() as f64
    }

    /// A digest of the sizes and weights (FNV-1a, 64 bits), by which words tell two histograms
    /// apart.
    pub fn digest(&self) -> u64 {
        let numbers = self.0.iter().flat_map(|(size, count)| [*size, *count]);
        numbers.flat_map(u64::to_le_bytes).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }
}

impl TryFrom<Vec<(u64, u64)>> for Histogram {
    type Error = String;

    fn try_from(sizes: Vec<(u64, u64)>) -> Result<Histogram, String> {
        Histogram::new(sizes)
    }
}

impl From<Histogram> for Vec<(u64, u64)> {
    fn from(histogram: Histogram) -> Vec<(u64, u64)> {
        histogram.0.to_vec()
    }
}

/// In words. Two histograms are equal exactly if their words are.
impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0[..] {
            [(only, _)] => write!(f, "{only} B"),
            sizes => write!(
                f,
                "{} from {} to {} B (mix {:016x})",
                sizes.len(),
                sizes[0].0,
                self.longest(),
                self.digest()
            ),
        }
    }
}

/// The greatest common divisor.
fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(sizes: &[(u64, u64)]) -> Histogram {
        Histogram::new(sizes.to_vec()).unwrap()
    }

    #[test]
    fn what_counts_is_how_often_a_size_is_beside_the_others() {
        let one = histogram(&[(64, 12), (4096, 3)]);
        assert_eq!(one, histogram(&[(64, 4), (4096, 1)]));
        assert_eq!((one.weight(), one.longest(), one.mean()), (5, 4096, 870.4));
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!(text, "[[64,4],[4096,1]]");
        assert_eq!(serde_json::from_str::<Histogram>(&text).unwrap(), one);
    }

    #[test]
    fn its_words_differ_where_it_differs() {
        let all = [
            histogram(&[(64, 1)]),
            histogram(&[(65, 1)]),
            histogram(&[(64, 1), (128, 1)]),
            histogram(&[(64, 1), (128, 2)]),
            histogram(&[(64, 1), (65, 1), (128, 1)]),
        ];
        let words: Vec<String> = all.iter().map(ToString::to_string).collect();
        for (place, one) in words.iter().enumerate() {
            assert!(!words[place + 1..].contains(one), "{words:?}");
        }
        assert_eq!(words[0], "64 B");
    }

    #[test]
    fn what_is_no_histogram_is_refused() {
        let refused = |sizes: &[(u64, u64)]| Histogram::new(sizes.to_vec()).unwrap_err();
        assert!(refused(&[]).contains("no sizes"));
        assert!(refused(&[(64, 1), (64, 1)]).contains("64 follows 64"));
        assert!(refused(&[(65, 1), (64, 1)]).contains("64 follows 65"));
        assert!(refused(&[(64, 0)]).contains("size 64 has no calls"));
        assert!(refused(&[(1, 1 << 63)]).contains("2^63 - 1"));
        assert!(refused(&[(1, u64::MAX), (2, 1)]).contains("2^63 - 1"));
        let many: Vec<(u64, u64)> = (0..=MAX_SIZES as u64).map(|size| (size, 1)).collect();
        assert!(refused(&many).contains("at most 4096"));
        assert!(serde_json::from_str::<Histogram>("[[1,0]]").is_err(), "from a file, too");
    }
}
