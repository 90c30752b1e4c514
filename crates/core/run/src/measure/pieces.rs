//! A slice in pieces. If messages differ much in length, few calls do not represent a program, so a
//! slow contender's slice has as many calls as others, and takes tens of milliseconds. A busy
//! machine disturbs all slices of that length. So they are timed in pieces, as long as other
//! slices: a piece that is disturbed is timed again, and the slice has the sum of the others.

use super::audit::expectation::Calls;
use cupel_protocol::message::Sliced;
use cupel_protocol::noise::Noise;

/// The reply to one request for calls.
pub struct Piece {
    /// The calls that were asked.
    pub calls: Calls,
    /// The answer.
    pub sliced: Sliced,
    /// Whether it was disturbed, and timed again.
    pub repeated: bool,
}

impl Calls {
    /// These calls in this many successive pieces, about equally long. Only the first one follows
    /// another process, so only that has a pre-roll.
    pub fn in_pieces(self, count: u64) -> Vec<Calls> {
        let (start, all) = (self.first + self.preroll, self.iterations);
        let count = count.clamp(1, all.max(1));
        let cut = |piece: u64| start + all * piece / count;
        let rest = (1..count).map(|piece| Calls {
            first: cut(piece),
            preroll: 0,
            iterations: cut(piece + 1) - cut(piece),
        });
        let first = Calls { iterations: cut(1) - start, ..self };
        [first].into_iter().chain(rest).collect()
    }

    /// Later calls on the same messages, of which there are `pool`, after this many untimed ones:
    /// no call is made twice, because a nonce must not be.
    #[must_use]
    pub fn again(self, preroll: u64, pool: u64) -> Calls {
        let start = self.first + self.preroll + (self.iterations + preroll).next_multiple_of(pool);
        Calls { first: start - preroll, preroll, iterations: self.iterations }
    }
}

/// The slice of these pieces, without those that were repeated. `None` if there is none.
pub fn sum(pieces: &[Piece]) -> Option<Sliced> {
    let kept = || pieces.iter().filter(|piece| !piece.repeated).map(|piece| &piece.sliced);
    let last = kept().next_back()?;
    let iterations = kept().map(|sliced| sliced.iterations).sum();
    let allocated = kept().map(|one| Some(one.allocated_per_call? * one.iterations as f64));
    let allocated = allocated.sum::<Option<f64>>();
    Some(Sliced {
        iterations,
        elapsed_ns: kept().map(|sliced| sliced.elapsed_ns).sum(),
        fold: kept().map(|sliced| sliced.fold).fold(0, u64::wrapping_add),
        noise: Noise::together(kept().map(|sliced| sliced.noise)),
        allocated_per_call: allocated.map(|bytes| bytes / iterations as f64),
        compilation: last.compilation,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::fixture::correct;
    use cupel_protocol::message::Slice;

    #[test]
    fn pieces_are_all_calls_of_a_slice_one_after_another() {
        let calls = Calls { first: 100, preroll: 28, iterations: 10 };
        for count in [1, 3, 10, 20] {
            let pieces = calls.in_pieces(count);
            assert_eq!(pieces.len() as u64, count.min(10));
            assert_eq!(pieces[0].first, 100);
            let mut next = 128;
            for piece in pieces {
                assert_eq!(piece.first + piece.preroll, next);
                next += piece.iterations;
            }
            assert_eq!(next, 138, "{count} pieces");
        }
    }

    #[test]
    fn calls_are_made_again_on_the_same_messages_and_none_twice() {
        for (preroll, pool) in [(0, 64), (5, 64), (200, 64), (39, 65536)] {
            let calls = Calls { first: 1000, preroll: 7, iterations: 30 };
            let again = calls.again(preroll, pool);
            assert_eq!((again.first + again.preroll) % pool, 1007 % pool);
            assert!(again.first >= calls.first + calls.all(), "{again:?}");
            assert_eq!(again.iterations, 30);
        }
    }

    #[test]
    fn a_slice_is_the_sum_of_the_pieces_that_were_not_repeated() {
        let piece = |iterations: u64, repeated: bool| {
            let ask = Slice { cell: 0, first: 0, preroll: 0, iterations };
            let calls = Calls::new(0, iterations);
            let noise = Noise { wait_ns: Some(iterations), ..Noise::default() };
            let bytes = Some(iterations as f64);
            let sliced =
                Sliced { fold: u64::MAX, allocated_per_call: bytes, noise, ..correct(&ask) };
            Piece { calls, sliced, repeated }
        };
        let sliced = sum(&[piece(10, false), piece(500, true), piece(30, false)]).unwrap();
        assert_eq!((sliced.iterations, sliced.elapsed_ns), (40, 4000.0));
        assert_eq!((sliced.fold, sliced.noise.wait_ns), (u64::MAX - 1, Some(40)));
        assert_eq!(sliced.allocated_per_call, Some(25.0));
        assert!(sum(&[piece(10, true)]).is_none());
    }
}
