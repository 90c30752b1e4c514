//! The sizes of successive calls, drawn from a program's calls.
//!
//! A processor's branch predictor learns a size that comes again and again, and also a short order.
//! So the order is random, and long (docs/internals/decisions/0050). It consists of blocks, each in
//! its own random order. Each block has the bytes that the program asks for with as many calls, and
//! each size about as often. A slice has whole blocks, so that its mean is the program's. A slow
//! contender's slice has few calls, so its blocks are short (docs/internals/decisions/0087).

use cupel_protocol::histogram::Histogram;
use cupel_protocol::workload::{Contract, Lengths};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The calls before the order begins again. In a fork, the order is run through a few times at
/// most.
pub const DRAWS: u32 = 1 << 16;

/// The fewest calls of a block. In a shorter one, the last calls would follow from the first. All
/// stretches of this many calls have about the same number of bytes.
const FEWEST: u64 = 64;

/// A block has no more bytes than this because of [`FEWEST`]: the order of messages that are this
/// long does not matter.
const MOST_BYTES: f64 = (32 << 20) as f64;

/// How far the cost of a block may be off, as its standard deviation divided by its mean. All cells
/// of a round have the same blocks, so a ratio is off by far less.
const TOLERATED: f64 = 0.02;

/// The bytes that the different lengths of a pool may have together, besides four times the
/// longest: a runner may keep a message of each, sealed, or as its own object. A histogram of sizes
/// below [`LONG`] has less.
const TOGETHER: u64 = 64 << 20;

/// Sizes from here on may be drawn as their mean: the time of shorter ones has steps, which a mean
/// hides.
const LONG: u64 = 16 << 10;

/// How far apart long sizes may be that are drawn as one if all together are too long. With the
/// last of these, they have at most four times the bytes of the longest, whatever they are.
const NEAR: [f64; 6] = [1.0, 1.02, 1.05, 1.1, 1.2, 1.5];

/// How much the parts of a cell may scatter if it makes fewer calls than another: the two are not
/// off together.
const ALIKE: f64 = 0.005;

/// The fewest messages of spread lengths that are as long on average as more of them, up to half a
/// percent: a few whole pools, or the golden ratio's even spacing.
const SPREAD: u64 = 256;

/// The cost of a call in addition to its bytes, as the number of bytes that cost as much. Only a
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

/// The fewest calls that cost as much on average as more of them do. A slow cell may make fewer
/// calls than others of its round, but only multiples of these. 1 if all calls are alike.
pub fn part(contract: &Contract) -> u64 {
    match &contract.lengths {
        Lengths::Equal => 1,
        Lengths::Spread => (SPREAD / u64::from(contract.batch)).max(1),
        drawn @ Lengths::Drawn(_) => {
            let all = lengths(drawn, 0);
            let mut part = block(drawn).min(FEWEST);
            while part < u64::from(DRAWS) && scatter(&all, part as usize) > ALIKE {
                part *= 2;
            }
            part
        }
    }
}

/// The standard deviation of the costs of each `part` of these calls, divided by their mean: the
/// larger one of two kinds of cost.
fn scatter(lengths: &[u32], part: usize) -> f64 {
    scatter_of(lengths, part, even_cost).max(scatter_of(lengths, part, sinking_cost))
}

fn scatter_of(lengths: &[u32], part: usize, cost: fn(u32) -> f64) -> f64 {
    let parts = lengths.chunks(part).map(|part| part.iter().map(|&n| cost(n)).sum::<f64>());
    let mean = parts.clone().sum::<f64>() / parts.len() as f64;
    let squares = parts.clone().map(|cost| (cost / mean - 1.0).powi(2)).sum::<f64>();
    (squares / parts.len() as f64).sqrt()
}

/// The cost of a call if all bytes cost the same.
fn even_cost(bytes: u32) -> f64 {
    CALL_BYTES + f64::from(bytes)
}

/// The cost of a call if wide vectors take most bytes of a long message.
fn sinking_cost(bytes: u32) -> f64 {
    let first = bytes.min(256);
    CALL_BYTES + f64::from(first) + 0.3 * f64::from(bytes - first)
}

/// Whether blocks of [`DRAWS`] calls or fewer have the program's sizes. If a size is so rare and so
/// long that only some blocks have it, no slice shows the cost of calls.
pub fn fits(histogram: &Histogram) -> bool {
    deviation(histogram, u64::from(DRAWS)) <= TOLERATED
}

/// The bytes of all different lengths of a pool together; 0 if sizes are not drawn. At most four
/// times the longest and [`TOGETHER`].
pub fn together(lengths: &Lengths) -> u64 {
    lengths.drawn().map_or(0, |histogram| bytes_of(&drawn_for(histogram)))
}

/// The lengths that are drawn for the sizes of a histogram, in the same order: themselves, as long
/// as a message of each has room. Otherwise long ones that are near are drawn as their mean: the
/// cost of long calls is in proportion to their bytes, so the mean of all calls stays as it is.
fn drawn_for(histogram: &Histogram) -> Vec<u64> {
    let room = TOGETHER + 4 * histogram.longest();
    let mut lengths = vec![];
    for near in NEAR {
        lengths = joined(histogram, near);
        if bytes_of(&lengths) <= room {
            break;
        }
    }
    lengths
}

/// The sizes of a histogram, each long one replaced by the mean of those from one on up to `near`
/// times that.
fn joined(histogram: &Histogram, near: f64) -> Vec<u64> {
    let mut rest = histogram.sizes();
    let mut lengths = Vec::with_capacity(rest.len());
    while let Some(&(first, _)) = rest.first() {
        let factor = if first < LONG { 1.0 } else { near };
        let count = rest.partition_point(|(size, _)| *size as f64 <= factor * first as f64);
        let (group, others) = rest.split_at(count);
        let weight: u128 = group.iter().map(|(_, calls)| u128::from(*calls)).sum();
        let bytes: u128 =
            group.iter().map(|(size, calls)| u128::from(*size) * u128::from(*calls)).sum();
        lengths.resize(lengths.len() + count, ((bytes + weight / 2) / weight) as u64);
        rest = others;
    }
    lengths
}

/// The bytes of these lengths, which ascend, each counted once.
fn bytes_of(lengths: &[u64]) -> u64 {
    lengths.chunk_by(|a, b| a == b).map(|same| same[0]).fold(0, u64::saturating_add)
}

/// The lengths of a pool of [`DRAWS`] messages, in bytes: blocks of random order, all from `seed`.
/// Empty if sizes are not drawn.
pub fn lengths(lengths: &Lengths, seed: u64) -> Vec<u32> {
    let Some(histogram) = lengths.drawn() else { return vec![] };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let drawn = drawn_for(histogram);
    let upto: Vec<u64> = histogram
        .sizes()
        .iter()
        .scan(0, |below, (_, count)| {
            *below += count;
            Some(*below)
        })
        .collect();
    // The calls of a program, in the order of their sizes, are cut into as many strata as there are
    // draws, and each draw is a call of another stratum, at random. So each size is as frequent as
    // in the program, up to a rounding that is right on average.
    let draw = |stratum: u32| {
        let (weight, within) = (histogram.weight(), random.random_range(0..histogram.weight()));
        let place = u128::from(stratum) * u128::from(weight) + u128::from(within);
        let place = (place / u128::from(DRAWS)) as u64;
        drawn[upto.partition_point(|below| *below <= place)] as u32
    };
    let all: Vec<u32> = (0..DRAWS).map(draw).collect();
    let mut parts = level(&all, block(lengths).min(FEWEST) as usize, &mut random);
    parts.iter_mut().for_each(|part| part.shuffle(&mut random));
    // They have the same number of bytes, but some have few long messages and others many of middle
    // length. Successive parts mix all kinds.
    parts.sort_by_cached_key(|part| {
        let cost: f64 = part.iter().map(|&bytes| sinking_cost(bytes)).sum();
        cost as u64
    });
    deal(parts, &mut random).concat()
}

/// Lengths in parts of this many, with about the same sum. Each of the `ascending` lengths, from
/// the last on, goes to the part that has least so far.
fn level(ascending: &[u32], size: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Vec<u32>> {
    let mut parts = vec![Vec::with_capacity(size); ascending.len() / size];
    let mut open: BinaryHeap<Reverse<(u64, u64, usize)>> =
        (0..parts.len()).map(|part| Reverse((0, random.random(), part))).collect();
    for &length in ascending.iter().rev() {
        let Some(Reverse((sum, _, part))) = open.pop() else { break };
        parts[part].push(length);
        if parts[part].len() < size {
            // A random one among equals.
            open.push(Reverse((sum + u64::from(length), random.random(), part)));
        }
    }
    parts
}

/// Deals neighbouring parts to the two halves, one to each at random, and the same in each half. So
/// `n` successive parts from a multiple of `n` on, where `n` is a power of two, mix all kinds.
fn deal(parts: Vec<Vec<u32>>, random: &mut Xoshiro256PlusPlus) -> Vec<Vec<u32>> {
    if parts.len() < 2 {
        return parts;
    }
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for (at, part) in parts.into_iter().enumerate() {
        // The second of a pair goes where the first did not.
        let first = if at % 2 == 0 { random.random::<bool>() } else { one.len() < other.len() };
        if first { one.push(part) } else { other.push(part) }
    }
    let mut dealt = deal(one, random);
    dealt.extend(deal(other, random));
    dealt
}

/// The standard deviation of the cost of a block, divided by its mean.
fn deviation(histogram: &Histogram, block: u64) -> f64 {
    let share = 1.0 / block as f64;
    let all = histogram.weight() as f64;
    let mut variance = 0.0;
    // The content so far of the stratum that is being filled: its share of the calls, and of these
    // the sum of costs and of their squares.
    let (mut filled, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for &(size, count) in histogram.sizes() {
        let mut left = count as f64 / all;
        let cost = size as f64 + CALL_BYTES;
        // A stratum of one size has no variance.
        while left > 0.0 {
            let taken = left.min(share - filled);
            (filled, left) = (filled + taken, left - taken);
            (sum, squares) = (sum + taken * cost, squares + taken * cost * cost);
            // The rounding error of a stratum is not a call: shares add up to 1 within 1e-16 or so.
            if share - filled <= 1e-9 * share {
                let mean = sum / filled;
                variance += (squares / filled - mean * mean).max(0.0);
                (filled, sum, squares) = (0.0, 0.0, 0.0);
                let whole = (left / share).floor();
                left -= whole * share;
                // The rounding error is not a call.
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
    use cupel_protocol::workload::Operation;
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
    fn every_block_has_the_bytes_of_the_program_and_each_size_is_as_frequent() {
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
            let wanted = histogram(&of).mean() + CALL_BYTES;
            for part in all.chunks(block as usize) {
                let cost = part.iter().map(|&bytes| even_cost(bytes)).sum::<f64>();
                let off = cost / (block as f64 * wanted) - 1.0;
                assert!(off.abs() < 2.0 * TOLERATED, "{off} of {sizes:?} in {block}");
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
        assert_eq!(block(&drawn(&[(64, 1)])), 64);
        assert_eq!(block(&drawn(&[(64, 1), (4096, 1)])), 64);
        // One call in a thousand has most of the bytes.
        let rare = block(&drawn(&[(64, 999), (1 << 20, 1)]));
        assert!((8192..=65536).contains(&rare), "{rare}");
        // Long messages need no long blocks.
        let long = block(&drawn(&[(1 << 20, 1), (2 << 20, 1)]));
        assert!((8..=64).contains(&long), "{long}");
        assert_eq!(block(&drawn(&[(16 << 20, 1)])), 2);
    }

    /// A slow contender makes few calls, so they must be the program's.
    #[test]
    fn few_calls_cost_as_much_on_average_as_all_of_them() {
        let few = |sizes: &[(u64, u64)]| {
            part(&Contract { lengths: drawn(sizes), ..Contract::usual(Operation::Digest) })
        };
        let mixes = [
            &[(64, 1)][..],
            &[(32, 50), (64, 30), (200, 15), (512, 5)],
            &[(64, 100), (1024, 30), (16_384, 50)],
            &[(64, 12_000), (1000, 3_000), (16_384, 345)],
        ];
        assert_eq!(mixes.map(few), [64, 64, 128, 1024]);
        // Where one call in a thousand has most of the bytes, few calls never do.
        assert!(few(&[(64, 999), (1 << 20, 1)]) >= 8192);
        // Another order of the same mix is no worse.
        let of = drawn(mixes[1]);
        for seed in 1..5 {
            assert!(scatter(&lengths(&of, seed), 64) < 1.2 * ALIKE, "seed {seed}");
        }
        assert_eq!(part(&Contract::usual(Operation::Digest)), 1, "equal calls");
        let many = |batch| Contract {
            lengths: Lengths::Spread,
            batch,
            ..Contract::usual(Operation::DigestMany)
        };
        assert_eq!([1, 64, 1024].map(|batch| part(&many(batch))), [256, 4, 1]);
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

    /// Calls of all lengths up to the longest, as in a program that hashes files.
    #[test]
    fn different_lengths_have_a_few_times_the_bytes_of_the_longest_and_keep_their_mean() {
        const MIB: u64 = 1 << 20;
        let of = |sizes: &mut dyn Iterator<Item = u64>| {
            drawn(&sizes.map(|size| (size, 1 + size % 7)).collect::<Vec<_>>())
        };
        let few = drawn(&[(64, 900), (MIB, 100)]);
        assert_eq!(together(&few), 64 + MIB);
        let short = of(&mut (0..4096));
        assert_eq!(together(&short), 4095 * 4096 / 2, "each is drawn");
        assert!(drawn_for(histogram(&short)).into_iter().eq(0..4096));
        for long in [
            of(&mut (1..=1000).map(|n| n * MIB)),
            of(&mut (0..1000).map(|n| 900 * MIB + n)),
            of(&mut (1..=4096).map(|n| n * 16_384)),
        ] {
            let longest = histogram(&long).longest();
            let all = lengths(&long, 1);
            assert!(together(&long) <= TOGETHER + 4 * longest, "{}", together(&long));
            let different: u64 = counts(&all).into_keys().sum();
            assert!(different <= together(&long), "{different}");
            assert!(counts(&all).into_keys().all(|length| length <= longest));
            let weighed = histogram(&long).sizes().iter().zip(drawn_for(histogram(&long)));
            let bytes: u64 = weighed.map(|((_, calls), length)| calls * length).sum();
            let mean = bytes as f64 / histogram(&long).weight() as f64;
            assert!((mean / histogram(&long).mean() - 1.0).abs() < 1e-6, "{mean}");
        }
        // As few as can be, and none that is short.
        let some = drawn(&[(64, 5), (65, 5), (40 * MIB, 1), (41 * MIB, 1), (200 * MIB, 1)]);
        assert_eq!(drawn_for(histogram(&some)), [64, 65, 40 * MIB, 41 * MIB, 200 * MIB]);
        let short = [1000, 1001, LONG - 1];
        let many = short.into_iter().chain((1..=1000).map(|n| n * MIB));
        let all = drawn_for(histogram(&of(&mut many.into_iter())));
        assert_eq!(all[..3], short);
        assert!(all[3..].windows(2).any(|pair| pair[0] == pair[1]), "{all:?}");
    }

    #[test]
    fn the_blocks_deviate_by_less_than_if_each_drew_its_own_sizes() {
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
        assert!(measured < computed, "{measured}, not below {computed}");
        assert!((block as f64 * (histogram(&of).mean() + CALL_BYTES) / mean - 1.0).abs() < 0.005);
    }
}
