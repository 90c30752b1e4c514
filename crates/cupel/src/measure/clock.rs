//! Holds the times that a runner reports against the tool's own clock. A runner that counts in another
//! unit, or leaves a part of its calls outside the time, would otherwise be ranked first.

use crate::runner::Fault;

/// How long the shorter slices of an audit last, in ns; the longer ones last four times as long.
const SHORT_NS: f64 = 100_000.0;

/// A slice of so many times the calls.
const LONGER: u64 = 4;

/// A call from this length on, in ns, is audited by slices of one call and of two, and one pair may be enough: of
/// a call of ten seconds an audit takes three calls where all is well, and six at most.
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

/// It does not end before so many pairs: short slices, and those of long calls.
const FEWEST: (usize, usize) = (4, 2);

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
/// makes a number of untimed calls and then a number of timed ones; `call` is what one of them is said to take, and
/// `resolution` the step of the runner's clock, in ns. What a slice costs by itself (waking up, parsing, reading
/// counters) and its untimed calls are the same for a few timed calls as for many, and cancel.
///
/// # Errors
/// Those of `slice`.
pub fn audit(
    slice: &mut dyn FnMut(u64, u64) -> Result<Timed, Fault>,
    call: f64,
    resolution: f64,
) -> Result<Option<String>, Fault> {
    let long = call >= LONG_CALL_NS;
    let calls = ((SHORT_NS / call).ceil() as u64).clamp(1, MOST_CALLS);
    // Untimed calls make short slices alike; those of long calls are alike without, and would cost as much again.
    let (preroll, less, more) = if long { (0, 1, 2) } else { (1, calls, LONGER * calls) };
    let (enough, fewest) = if long { (1, FEWEST.1) } else { (TRIES.0, FEWEST.0) };
    let apart = (more - less) as f64;
    let (mut few, mut many) = (f64::INFINITY, f64::INFINITY);
    let (mut spent, mut reported) = (0.0, f64::INFINITY);
    for tried in 1.. {
        let short = slice(preroll, less)?;
        let long = slice(preroll, more)?;
        if let Some(reason) = long.impossible(resolution) {
            return Ok(Some(reason));
        }
        few = few.min(short.outside());
        many = many.min(long.outside());
        reported = reported.min(long.reported * apart / more as f64);
        spent += short.waited + long.waited;
        let outside = many - few - FOLD_NS * apart;
        if tried >= enough && outside <= TOLERATED * reported {
            return Ok(None);
        }
        let longer = if outside < SMALL.0 * reported { SMALL.1 } else { 1 };
        if tried >= longer * TRIES.1 || (tried >= fewest && spent > longer as f64 * PATIENCE_NS) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What a slice costs beside its calls, in ns.
    const BESIDE_NS: f64 = 80_000.0;

    /// A runner whose calls take 100 ns each, and what it says of them.
    fn verdict(says: impl Fn(u64) -> f64, disturbance: impl Fn(usize) -> f64) -> Option<String> {
        verdict_of(100.0, BESIDE_NS, says, disturbance).0
    }

    /// A runner whose calls take `call` ns each, with `beside` ns in each slice, and what it says of them; besides,
    /// how many calls the audit asked for.
    fn verdict_of(
        call: f64,
        beside: f64,
        says: impl Fn(u64) -> f64,
        disturbance: impl Fn(usize) -> f64,
    ) -> (Option<String>, u64) {
        let (mut asked, mut made) = (0, 0);
        let mut slice = |preroll: u64, calls: u64| {
            asked += 1;
            made += preroll + calls;
            let waited = beside + call * (preroll + calls) as f64 + disturbance(asked);
            Ok(Timed { reported: says(calls), waited })
        };
        let doubt = audit(&mut slice, says(1000) / 1000.0, 1.0).unwrap();
        (doubt, made)
    }

    /// Calls from 1 ns to 10 s, in ns: three a decade, and those on both sides of where the audit changes.
    fn lengths() -> impl Iterator<Item = f64> {
        let grid = (0..=30).map(|third| 10_f64.powf(f64::from(third) / 3.0));
        grid.chain([SHORT_NS - 1.0, SHORT_NS, LONG_CALL_NS - 1.0, LONG_CALL_NS, LONG_CALL_NS + 1.0])
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
        let (found, _) = verdict_of(1e3, BESIDE_NS, |calls| 667.0 * calls as f64, QUIET);
        assert!(found.is_some());
    }

    #[test]
    fn calls_outside_the_time_are_found() {
        assert!(verdict(|calls| 50.0 * calls as f64, QUIET).is_some(), "every other call");
        assert!(verdict(|_| 100.0, QUIET).is_some(), "only one");
    }

    #[test]
    fn an_honest_runner_passes_whatever_the_length_of_its_calls() {
        for call in lengths() {
            // A slice may cost more than a call of it, as where a runner waits for its collector.
            for beside in [0.0, BESIDE_NS, 20e6] {
                let (doubt, made) = verdict_of(call, beside, |calls| call * calls as f64, QUIET);
                assert_eq!(doubt, None, "calls of {call} ns, slices of {beside} ns");
                assert!(call < LONG_CALL_NS || made <= 3, "{made} calls of {call} ns");
            }
        }
    }

    #[test]
    fn a_liar_is_found_whatever_the_length_of_its_calls() {
        // A false rate of short calls may hide behind a fold.
        for call in lengths().filter(|call| *call >= 100.0) {
            let says: [(&str, &dyn Fn(u64) -> f64); 4] = [
                ("microseconds", &|calls| call / 1000.0 * calls as f64),
                ("ticks of a slower clock", &|calls| call / 2.6 * calls as f64),
                ("every other call", &|calls| call / 2.0 * calls as f64),
                ("one call of all", &|_| call),
            ];
            for (lie, says) in says {
                let (doubt, made) = verdict_of(call, BESIDE_NS, says, QUIET);
                assert!(doubt.is_some(), "{lie}, of {call} ns");
                let said = says(1000) / 1000.0;
                assert!(said < 1e9 || made <= 6, "{lie}: {made} calls of {call} ns");
            }
        }
    }

    #[test]
    fn a_neighbour_is_waited_out_at_long_calls_too() {
        // The first two longer slices are answered late, by half of their time.
        let late = |call: f64| move |asked: usize| if [2, 4].contains(&asked) { call } else { 0.0 };
        for call in [5e6, 20e6, 200e6] {
            let honest = verdict_of(call, BESIDE_NS, |calls| call * calls as f64, late(call));
            assert_eq!(honest.0, None, "calls of {call} ns");
            let half = verdict_of(call, BESIDE_NS, |n| call / 2.0 * n as f64, late(call));
            assert!(half.0.is_some(), "calls of {call} ns");
        }
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
