//! How long code runs slowly after another process had the processor.

use crate::quantile::median;

/// A slice may take this part longer than a slice of code that never stopped.
const TOLERANCE: f64 = 0.003;

/// Code of any kind has cold caches for some microseconds, which is less than [`TOLERANCE`] of a
/// slice but more than copies of one program may differ by. Without these pieces, one copy seems to
/// need none and pays that in all its slices, and another does not. 31 % of simulated runs of
/// copies had only true intervals then, 74 % with one piece.
const FEWEST: usize = 2;

/// How many pieces must pass untimed, so that the `slice` pieces after them take as long as the
/// last third of all. Each element of `turns` has the times of consecutive pieces, of which the
/// first follows another process; all have one length. At least [`FEWEST`], and `pieces - slice` if
/// even that is too little.
pub fn pieces(turns: &[Vec<f64>], slice: usize) -> usize {
    let count = turns.iter().map(Vec::len).min().unwrap_or(0);
    let slice = slice.max(1);
    if count <= slice {
        return 0;
    }
    let middle: Vec<f64> = (0..count)
        .map(|piece| median(&turns.iter().map(|turn| turn[piece]).collect::<Vec<f64>>()))
        .collect();
    let last = &middle[count - count.div_ceil(3)..];
    let steady = median(last);
    let most = count - slice;
    let enough = (0..most).find(|&from| {
        let timed = &middle[from..from + slice];
        timed.iter().sum::<f64>() / (timed.len() as f64 * steady) - 1.0 <= TOLERANCE
    });
    // The first that seems enough is often so by chance, so one piece is added.
    enough.map_or(most, |enough| (enough + 1).max(FEWEST).min(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(pieces: &[f64]) -> Vec<Vec<f64>> {
        vec![pieces.to_vec(); 5]
    }

    #[test]
    fn steady_code_needs_the_fewest() {
        assert_eq!(pieces(&turns(&[1.0; 16]), 5), FEWEST);
        let mut times = [1.0; 16];
        times[0] = 1.01;
        assert_eq!(pieces(&turns(&times), 5), FEWEST);
    }

    #[test]
    fn what_is_slow_at_first_passes_untimed() {
        let mut times = [1.0; 16];
        times[..3].copy_from_slice(&[4.6, 1.6, 1.1]);
        assert_eq!(pieces(&turns(&times), 5), 4);
        // A hundredth in one of five pieces is a five-hundredth of the slice.
        times[..3].copy_from_slice(&[1.2, 1.01, 1.0]);
        assert_eq!(pieces(&turns(&times), 5), 2);
    }

    #[test]
    fn one_disturbed_turn_says_nothing() {
        let mut disturbed = turns(&[1.0; 16]);
        disturbed[2][0] = 9.0;
        assert_eq!(pieces(&disturbed, 5), FEWEST);
    }

    #[test]
    fn what_stays_slow_gets_all_there_is() {
        let falling: Vec<f64> = (0..16).map(|n| 20.0 - f64::from(n)).collect();
        assert_eq!(pieces(&turns(&falling), 5), 11);
    }

    #[test]
    fn too_few_pieces_or_none_are_no_error() {
        assert_eq!(pieces(&[], 5), 0);
        assert_eq!(pieces(&turns(&[1.0, 1.0]), 5), 0);
    }
}
