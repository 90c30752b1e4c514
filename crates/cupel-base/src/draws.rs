//! The sizes of successive calls, drawn from what a program asks for.
//!
//! A processor's branch predictor knows a size that comes again and again, and it learns a short
//! order by heart. So the order is random, and long (docs/decisions/0050). It consists of blocks.
//! Each block has each size as often as the program does, up to rounding, in its own random order.
//! A slice has whole blocks, so that its mean is that of the program.

use cupel_protocol::histogram::Histogram;
use cupel_protocol::workload::Lengths;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The calls before the order begins again. In a fork, the order is run through a few times at
/// most.
pub const DRAWS: u32 = 1 << 16;

/// The fewest calls of a block. In a shorter one, the last calls would follow from the first.
const FEWEST: u64 = 256;

/// A block has no more bytes than this because of [`FEWEST`]: of messages that are this long, no
/// order matters.
const MOST_BYTES: f64 = (32 << 20) as f64;

/// How far the cost of a block may be off, as its standard deviation divided by its mean. All cells
/// of a round have the same blocks, so a ratio is off by far less.
const TOLERATED: f64 = 0.02;

/// What a call costs in addition to its bytes, as the number of bytes that cost as much. Only a
/// rough figure is needed.
const CALL_BYTES: f64 = 64.0;

/// The calls of a block; a power of two. 1 if sizes are not drawn.
pub fn block(lengths: &Lengths) -> u64 {
    let Some(histogram) = lengths.drawn() else { return 1 };
    let mut block = FEWEST;
    while block > 1 && block as f64 * histogram.mean() > MOST_BYTES {
        block /= 2;
    }
    while block < u64::from(DRAWS) && deviation(histogram, block) > TOLERATED {
        block *= 2;
    }
    block
}

/// Whether blocks of [`DRAWS`] calls or fewer have what the program asks for. If a size is so rare
/// and so long that only some blocks have it, no slice shows what calls cost.
pub fn fits(histogram: &Histogram) -> bool {
    deviation(histogram, u64::from(DRAWS)) <= TOLERATED
}

/// The lengths of a pool of [`DRAWS`] messages, in bytes: blocks of random order, all from `seed`.
/// Empty if sizes are not drawn.
pub fn lengths(lengths: &Lengths, seed: u64) -> Vec<u32> {
    let Some(histogram) = lengths.drawn() else { return vec![] };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let block = block(lengths);
    let upto: Vec<u64> = histogram
        .sizes()
        .iter()
        .scan(0, |below, (_, count)| {
            *below += count;
            Some(*below)
        })
        .collect();
    let mut all = Vec::with_capacity(DRAWS as usize);
    while all.len() < DRAWS as usize {
        let first = all.len();
        // The calls of a program, in the order of their sizes, are cut into as many strata as a
        // block has calls, and each call is one of another stratum, at random. So a block has the
        // right number of each size up to a rounding that is right on average.
        for stratum in 0..block {
            let (weight, within) = (histogram.weight(), random.random_range(0..histogram.weight()));
            let place = u128::from(stratum) * u128::from(weight) + u128::from(within);
            let place = (place / u128::from(block)) as u64;
            let (size, _) = histogram.sizes()[upto.partition_point(|below| *below <= place)];
            all.push(size as u32);
        }
        all[first..].shuffle(&mut random);
    }
    all
}

/// The standard deviation of the cost of a block, divided by its mean.
fn deviation(histogram: &Histogram, block: u64) -> f64 {
    let share = 1.0 / block as f64;
    let all = histogram.weight() as f64;
    let mut variance = 0.0;
    // What the stratum that is being filled has so far: its share of the calls, and of these the
    // sum of costs and of their squares.
    let (mut filled, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for &(size, count) in histogram.sizes() {
        let mut left = count as f64 / all;
        let cost = size as f64 + CALL_BYTES;
        // A stratum of one size has no variance.
        while left > 0.0 {
            let taken = left.min(share - filled);
            (filled, left) = (filled + taken, left - taken);
            (sum, squares) = (sum + taken * cost, squares + taken * cost * cost);
            // What rounding leaves of a stratum is not a call: shares add up to 1 within 1e-16 or
            // so.
            if share - filled <= 1e-9 * share {
                let mean = sum / filled;
                variance += (squares / filled - mean * mean).max(0.0);
                (filled, sum, squares) = (0.0, 0.0, 0.0);
                let whole = (left / share).floor();
                left -= whole * share;
                // What rounding leaves is not a call.
                if left < 1e-9 * share {
                    left = 0.0;
                }
            }
        }
    }
    // Rounding may keep the last stratum from being full.
    if filled > 0.5 * share {
        let mean = sum / filled;
        variance += (squares / filled - mean * mean).max(0.0);
    }
    variance.sqrt() / (block as f64 * (histogram.mean() + CALL_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn drawn(sizes: &[(u64, u64)]) -> Lengths {
        Lengths::Drawn(Histogram::new(sizes.to_vec()).unwrap())
    }

    fn histogram(lengths: &Lengths) -> &Histogram {
        lengths.drawn().unwrap()
    }

    /// How often each size is in these calls.
    fn counts(lengths: &[u32]) -> BTreeMap<u64, u64> {
        let mut counts = BTreeMap::new();
        for &length in lengths {
            *counts.entry(u64::from(length)).or_default() += 1;
        }
        counts
    }

    #[test]
    fn every_block_has_each_size_as_often_as_the_program_up_to_rounding() {
        for sizes in [
            &[(64, 12_000), (16_384, 345)][..],
            &[(0, 1), (1, 1), (2, 1)],
            &[(16, 900), (32, 90), (64, 9), (128, 1)],
            &[(5, 1)],
        ] {
            let of = drawn(sizes);
            let block = block(&of);
            let all = lengths(&of, 7);
            assert_eq!(all.len(), DRAWS as usize);
            for part in all.chunks(block as usize) {
                let counts = counts(part);
                for &(size, count) in histogram(&of).sizes() {
                    let wanted = count as f64 / histogram(&of).weight() as f64 * block as f64;
                    let have = counts.get(&size).copied().unwrap_or(0) as f64;
                    assert!((have - wanted).abs() < 2.0, "{size}: {have} of {wanted} in {block}");
                }
            }
            // The rounding is right on average.
            let counts = counts(&all);
            for &(size, count) in histogram(&of).sizes() {
                let share = count as f64 / histogram(&of).weight() as f64;
                let have = counts.get(&size).copied().unwrap_or(0) as f64 / f64::from(DRAWS);
                assert!((have - share).abs() < 0.001 + 0.02 * share, "{size}: {have}, not {share}");
            }
        }
    }

    #[test]
    fn the_order_is_of_the_seed_alone_and_no_block_repeats_another() {
        let of = drawn(&[(64, 1), (4096, 1)]);
        let all = lengths(&of, 7);
        assert_eq!(all, lengths(&of, 7));
        assert_ne!(all, lengths(&of, 8));
        let block = block(&of) as usize;
        assert_ne!(all[..block], all[block..2 * block]);
        // A predictor that expects the size of the call before is right half of the time.
        let same = all.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64;
        let share = same / f64::from(DRAWS);
        assert!((0.48..0.52).contains(&share), "{share}");
    }

    #[test]
    fn a_block_is_long_enough_for_rare_sizes_and_no_longer() {
        assert_eq!(block(&Lengths::Equal), 1);
        assert_eq!(block(&drawn(&[(64, 1)])), 256);
        assert_eq!(block(&drawn(&[(64, 1), (4096, 1)])), 256);
        // One call in a thousand has most of the bytes.
        let rare = block(&drawn(&[(64, 999), (1 << 20, 1)]));
        assert!((8192..=65536).contains(&rare), "{rare}");
        // Long messages need no long blocks.
        let long = block(&drawn(&[(1 << 20, 1), (2 << 20, 1)]));
        assert!((8..=64).contains(&long), "{long}");
        assert_eq!(block(&drawn(&[(16 << 20, 1)])), 2);
    }

    #[test]
    fn a_size_that_most_blocks_would_lack_does_not_fit() {
        assert!(fits(histogram(&drawn(&[(64, 999), (1 << 20, 1)]))));
        assert!(
            fits(histogram(&drawn(&[(64, 1 << 20), (65, 1)]))),
            "a rare size that costs as much"
        );
        assert!(!fits(histogram(&drawn(&[(64, 1_000_000), (1 << 24, 1)]))));
    }

    #[test]
    fn the_deviation_is_that_of_the_blocks() {
        let of = drawn(&[(64, 12_000), (1000, 3_000), (16_384, 345)]);
        let block = block(&of);
        let costs: Vec<f64> = (0..8)
            .flat_map(|seed| {
                let all = lengths(&of, seed);
                let cost = |part: &[u32]| {
                    part.iter().map(|&length| f64::from(length) + CALL_BYTES).sum::<f64>()
                };
                all.chunks(block as usize).map(cost).collect::<Vec<_>>()
            })
            .collect();
        let mean = costs.iter().sum::<f64>() / costs.len() as f64;
        let variance = costs.iter().map(|cost| (cost - mean).powi(2)).sum::<f64>();
        let measured = (variance / costs.len() as f64).sqrt() / mean;
        let computed = deviation(histogram(&of), block);
        assert!((0.8..1.25).contains(&(measured / computed)), "{measured}, not {computed}");
        assert!((block as f64 * (histogram(&of).mean() + CALL_BYTES) / mean - 1.0).abs() < 0.005);
    }
}
