//! Finds the smallest failure, by asking between the last correct size and the first wrong one.

use super::cases::{Message, Question};
use super::failure::{Gravity, Wrong};
use super::{Exam, Results};

/// The most sizes that are asked at once.
const PROBES: u64 = 64;

/// The most bytes of messages that are asked at once, so that a failure at 16 MiB is narrowed in
/// seconds.
const BYTES: u64 = 16 << 20;

/// The simplest failure, if any, among those found and the smaller sizes passed in the same way. If
/// correct and wrong sizes alternate, it is a local minimum.
pub(super) fn find<E>(exam: &mut Exam<'_, E>, results: &Results) -> Result<Option<Wrong>, E> {
    let Some(found) = results.wrong.iter().min_by_key(|wrong| wrong.rank()) else {
        return Ok(None);
    };
    if found.gravity == Gravity::Forgery {
        return Ok(Some(found.clone()));
    }
    let messages =
        results.wrong.iter().filter(|wrong| matches!(wrong.question, Question::Message(_)));
    let Some(mut wrong) = messages.min_by_key(|wrong| wrong.rank()).cloned() else {
        return Ok(Some(found.clone()));
    };
    let Question::Message(message) = wrong.question.clone() else { return Ok(Some(wrong)) };
    // `below` is the first size that may still be wrong.
    let mut below = results
        .right_messages
        .iter()
        .filter(|m| {
            Message { size: m.size, nonce: m.nonce.clone(), ad: m.ad, ..message.clone() } == **m
        })
        .filter(|m| m.size < message.size)
        .map(|m| m.size + 1)
        .max()
        .unwrap_or(0);
    while below < wrong.question.size() {
        let sizes = probes(below, wrong.question.size());
        let questions: Vec<_> = sizes
            .iter()
            .map(|&size| Question::Message(Message { size, ..message.clone() }))
            .collect();
        let mut probed = Results::default();
        exam.put(&questions, &mut probed)?;
        match probed.wrong.into_iter().min_by_key(|wrong| wrong.question.size()) {
            Some(smaller) => {
                let size = smaller.question.size();
                below = sizes.iter().filter(|&&s| s < size).max().map_or(below, |s| s + 1);
                wrong = smaller;
            }
            None => below = sizes.last().map_or(wrong.question.size(), |s| s + 1),
        }
    }
    Ok(Some(if wrong.rank() < found.rank() { wrong } else { found.clone() }))
}

/// Sizes spread over `below..wrong`, ascending: all of them if there are few, otherwise such that
/// every gap is at most half of the range.
fn probes(below: u64, wrong: u64) -> Vec<u64> {
    let open = wrong - below;
    let count = (BYTES / wrong.max(1)).clamp(1, PROBES).min(open);
    (1..=count).map(|i| below + open * i / (count + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_lie_in_the_range_and_leave_at_most_half_of_it() {
        for (below, wrong) in
            [(0, 1), (5, 6), (5, 7), (0, 64), (0, 65), (4097, 7680), (1 << 20, 16 << 20)]
        {
            let probes = probes(below, wrong);
            assert!(probes.is_sorted_by(|a, b| a < b), "{probes:?}");
            assert!(probes.iter().all(|p| (below..wrong).contains(p)), "{below}..{wrong}");
            let ends = [&[below][..], &probes, &[wrong]].concat();
            let widest = ends.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
            assert!(widest <= (wrong - below).div_ceil(2), "{below}..{wrong}: {probes:?}");
        }
    }

    #[test]
    fn a_few_sizes_are_all_asked() {
        assert_eq!(probes(57, 63), [57, 58, 59, 60, 61, 62]);
    }
}
