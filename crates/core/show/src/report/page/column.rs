//! Columns of numbers and lists of positions for the page. A run of hundreds of contenders has a
//! hundred thousand slices and as many pairs: as text they would be most of the page.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::ops::Range;

/// Numbers as 32-bit floats, little-endian, in base 64. Five characters hold seven digits, more
/// than any chart or table of the page shows. A missing value is NaN.
pub fn floats(values: impl IntoIterator<Item = f64>) -> String {
    let bytes: Vec<u8> = values.into_iter().flat_map(|x| (x as f32).to_le_bytes()).collect();
    STANDARD.encode(bytes)
}

/// Ascending positions as alternating first and count.
pub fn runs(places: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for place in places {
        match found.last_mut() {
            Some(last) if last.end == place => last.end += 1,
            _ => found.push(place..place + 1),
        }
    }
    found.into_iter().flat_map(|run| [run.start, run.len()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_as_runs() {
        assert_eq!(runs([]), [0; 0]);
        assert_eq!(runs([0, 1, 2]), [0, 3]);
        assert_eq!(runs([1, 2, 4, 7, 8]), [1, 2, 4, 1, 7, 2]);
    }

    #[test]
    fn a_number_keeps_seven_digits_and_its_sign() {
        let bytes = STANDARD.decode(floats([1234.5678, -0.001_234_567_8, f64::NAN])).unwrap();
        let back: Vec<f32> =
            bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        assert!((f64::from(back[0]) / 1234.5678 - 1.0).abs() < 1e-7, "{}", back[0]);
        assert!((f64::from(back[1]) / -0.001_234_567_8 - 1.0).abs() < 1e-7, "{}", back[1]);
        assert!(back[2].is_nan());
    }
}
