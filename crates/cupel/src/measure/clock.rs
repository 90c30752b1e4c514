//! Holds the times that a runner reports against the tool's own clock. A runner that counts in another
//! unit, or leaves a part of its calls outside the time, would otherwise be ranked first.

use crate::runner::Fault;

/// How long the shorter slices of an audit last, in ns; the longer ones last four times as long.
const SHORT_NS: f64 = 100_000.0;

/// A slice of so many times the calls.
const LONGER: u64 = 4;

/// A call from this length on, in ns, is audited by itself: beside it a slice's own cost is nothing.
const LONG_CALL_NS: f64 = 5e6;

/// Share of the reported time that may pass outside it with every call: two clocks, and what else runs.
const TOLERATED: f64 = 0.1;

/// So much more may pass outside with every call, in ns: some fold the outputs when the clock has stopped.
/// A false rate hides behind it at short calls only, and is found at the longer ones.
const FOLD_NS: f64 = 30.0;

/// So many pairs of slices are asked for, and then as many as the second until they are honest: whatever else
/// runs between request and answer lengthens the wait, and never shortens it. One short slice that had to
/// wait would hide what the longer one leaves out.
const TRIES: (usize, usize) = (3, 200);

/// An audit that is not passed by then ends, in ns of waiting; a false unit makes slices endless.
const PATIENCE_NS: f64 = 2e9;

/// Below this share of the reported time what passes outside is more often a neighbour's doing than the runner's: a
/// false unit or a call left out is more. So much longer is waited for quiet slices then, for an honest
/// contender that is failed is the worse mistake.
const SMALL: (f64, usize) = (0.3, 10);

/// So many calls of anything take longer than a slice.
const MOST_CALLS: u64 = 1 << 24;

/// No slice lasts twelve days, in ns: a number above it is no time, and sums of such numbers are none either.
const MOST_NS: f64 = 1e15;

/// What is wrong with a time that no clock shows, whatever was done in it.
pub fn no_time(elapsed_ns: f64, iterations: u64) -> Option<String> {
    (!(0.0..=MOST_NS).contains(&elapsed_ns))
        .then(|| format!("reports {elapsed_ns:e} ns for {iterations} calls, which is no time"))
}

/// A slice by both clocks, in ns.
#[derive(Clone, Copy, Debug)]
pub struct Timed {
    /// What the runner says of its timed calls.
    pub reported: f64,
    /// From the request to the answer, by the tool.
    pub waited: f64,
}

impl Timed {
    /// What is wrong where the calls are said to have taken longer than the answer: no disturbance can
    /// bring that about. Two clocks may differ by a step (`resolution`, in ns) and by their calibration.
    pub fn impossible(self, resolution: f64) -> Option<String> {
        let Timed { reported, waited } = self;
        (reported > 1.01 * waited + resolution + 1000.0).then(|| {
            format!(
                "reports {reported:.0} ns for calls whose answer came after {waited:.0} ns: is the time \
                 in ns?"
            )
        })
    }

    fn outside(self) -> f64 {
        self.waited - self.reported
    }
}

/// Whether the time outside what is reported grows with the calls: what is wrong, or `None`. `slice`
/// makes a number of calls; `call` is what one of them is said to take, and `resolution` the step of the
/// runner's clock, in ns. What a slice costs by itself (waking up, parsing, reading counters) is the same
/// for a few calls as for many, and cancels.
///
/// # Errors
/// Those of `slice`.
pub fn audit(
    slice: &mut dyn FnMut(u64) -> Result<Timed, Fault>,
    call: f64,
    resolution: f64,
) -> Result<Option<String>, Fault> {
    let calls = ((SHORT_NS / call).ceil() as u64).clamp(1, MOST_CALLS);
    // No calls at all cost no time by anybody's clock.
    let (less, more) = if call < LONG_CALL_NS { (calls, LONGER * calls) } else { (0, 1) };
    let apart = (more - less) as f64;
    let (mut few, mut many) = (f64::INFINITY, f64::INFINITY);
    let (mut spent, mut reported) = (0.0, f64::INFINITY);
    for tried in 1.. {
        let short = if less == 0 { NOTHING } else { slice(less)? };
        let long = slice(more)?;
        if let Some(reason) = long.impossible(resolution) {
            return Ok(Some(reason));
        }
        few = few.min(short.outside());
        many = many.min(long.outside());
        reported = reported.min(long.reported * apart / more as f64);
        spent += short.waited + long.waited;
        let enough = less == 0 || tried >= TRIES.0;
        let outside = many - few - FOLD_NS * apart;
        if enough && outside <= TOLERATED * reported {
            return Ok(None);
        }
        let longer = if outside < SMALL.0 * reported { SMALL.1 } else { 1 };
        if tried >= longer * TRIES.1 || (tried > 3 && spent > longer as f64 * PATIENCE_NS) {
            break;
        }
    }
    let (said, hidden) = (reported / apart, (many - few) / apart);
    Ok(Some(format!(
        "reports {said:.3} ns a call, and the tool waits {:.3} ns for each: is the time in ns, and are all \
         calls inside it?",
        said + hidden
    )))
}

/// A slice of no calls.
const NOTHING: Timed = Timed { reported: 0.0, waited: 0.0 };

#[cfg(test)]
mod tests {
    use super::*;

    /// A runner whose calls take 100 ns each beside 80 us a slice, and what it says of them.
    fn verdict(says: impl Fn(u64) -> f64, disturbance: impl Fn(usize) -> f64) -> Option<String> {
        let mut asked = 0;
        let mut slice = |calls: u64| {
            asked += 1;
            let waited = 80_000.0 + 100.0 * calls as f64 + disturbance(asked);
            Ok(Timed { reported: says(calls), waited })
        };
        audit(&mut slice, says(1000) / 1000.0, 1.0).unwrap()
    }

    const QUIET: fn(usize) -> f64 = |_| 0.0;

    #[test]
    fn an_honest_runner_passes_whatever_a_slice_costs_beside_its_calls() {
        assert_eq!(verdict(|calls| 100.0 * calls as f64, QUIET), None);
        // A fold made after the clock has stopped.
        assert_eq!(verdict(|calls| 70.0 * calls as f64, QUIET), None);
    }

    #[test]
    fn another_unit_is_found() {
        let micro = verdict(|calls| 0.1 * calls as f64, QUIET).unwrap();
        assert!(
            micro.contains("reports 0.100 ns a call, and the tool waits 100.000 ns"),
            "{micro}"
        );
        assert!(verdict(|calls| 2.4 * calls as f64, QUIET).is_some(), "ticks of 41.7 ns");
        // 3 GHz taken for a clock of 2 GHz, where a fold cannot hide it.
        let longer = |calls: u64| {
            Ok(Timed { reported: 667.0 * calls as f64, waited: 8e4 + 1e3 * calls as f64 })
        };
        assert!(audit(&mut { longer }, 667.0, 1.0).unwrap().is_some());
    }

    #[test]
    fn calls_outside_the_time_are_found() {
        assert!(verdict(|calls| 50.0 * calls as f64, QUIET).is_some(), "every other call");
        assert!(verdict(|_| 100.0, QUIET).is_some(), "only one");
    }

    #[test]
    fn a_neighbour_makes_nobody_a_liar() {
        // Every slice but each seventh is answered late, the longer ones more than the shorter.
        let late = |asked: usize| match asked % 7 {
            0 => 0.0,
            n => 1e6 * n as f64 * (1.0 + (asked % 2) as f64),
        };
        assert_eq!(verdict(|calls| 100.0 * calls as f64, late), None);
        assert!(verdict(|calls| 50.0 * calls as f64, late).is_some(), "nor a liar honest");
    }

    #[test]
    fn a_little_outside_is_waited_for_longer_than_a_lie() {
        // For long never a quiet slice: the longer ones are answered later, by a third of their time.
        let busy = |asked: usize| {
            let quiet = asked > 3 * TRIES.1;
            if quiet { 0.0 } else { 150_000.0 * f64::from(u8::from(asked.is_multiple_of(2))) }
        };
        assert_eq!(verdict(|calls| 100.0 * calls as f64, busy), None);
        assert!(verdict(|calls| 50.0 * calls as f64, QUIET).is_some(), "and a lie is found");
    }

    #[test]
    fn no_call_takes_longer_than_its_answer() {
        let timed = |reported| Timed { reported, waited: 500_000.0 };
        assert_eq!(timed(490_000.0).impossible(1.0), None);
        assert_eq!(timed(502_000.0).impossible(1.0), None, "two clocks");
        assert!(timed(520_000.0).impossible(1.0).is_some());
        assert_eq!(timed(520_000.0).impossible(100_000.0), None, "a coarse clock");
        assert!(timed(1_300_000.0).impossible(1.0).is_some(), "ticks of a processor of 2.6 GHz");
    }
}
