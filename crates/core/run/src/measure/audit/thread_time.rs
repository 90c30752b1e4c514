//! The audit of every fork, in the first one at every size: compares the times that a runner
//! reports with the time for which its thread ran. No neighbour lengthens that, so a lie of 2 %
//! shows where the wall clock of `clock.rs` must tolerate 3 %.

use super::makeup::Makeup;
use cupel_runner::Fault;
use cupel_stats::eprocess::ln_e_value;

/// The length of the shorter slices, in ns. A slice costs the runner 20,000 to 60,000 ns next to
/// its calls, give or take 5,000, and in Node.js up to 300,000: a longer slice would not make that
/// more precise.
const SHORT_NS: f64 = 125_000.0;

/// A longer slice has at least this many times the calls of a shorter one.
const LONGER: u64 = 4;

/// This many slices show the cost of a slice in addition to its calls. Their median counts.
const COSTS: usize = 3;

/// A longer slice costs up to this share more besides its calls than a shorter one: it displaces
/// more of the runner's own data from the caches. 0.09 was seen in Node.js next to other processes,
/// and 0.8 in JVMs, where 12 ms of calls cost 150,000 ns more than 0.2 ms: so a doubt is asked again
/// ([`Lengths::longer`]).
const COLDER: f64 = 0.2;

/// The longer slice is longer by this many times the cost of a slice in addition to its calls. Then
/// a share of 1 % of its calls is more than what it is colder.
const APART_COSTS: f64 = 30.0;

/// A shorter call, in ns, needs no more calls than one of this length: a share of 1 % of this one is
/// the least that may pass outside with each ([`Makeup::outside_ns`]).
const SHORT_CALL_NS: f64 = 3000.0;

/// More than this, in ns, is not a cost of a slice.
const MOST_COST_NS: f64 = 500e3;

/// If one call is no shorter than a slice, the longer slice has as many calls as take this time in
/// ns, but at least two, and no more than `LONGER` unless the cost of a slice needs more.
const LONG_NS: f64 = 2e6;

/// Longer calls, in ns, are audited in the first fork only, by the wall clock: three of them in
/// each fork would be a large part of its rounds.
pub const LONGEST_CALL_NS: f64 = 20e6;

/// The share of the reported time for which the thread may run outside it. A pair is evidence
/// against a runner if it is above, so half of the pairs of a runner that reports 1 % too little
/// are.
const TOLERATED: f64 = 0.01;

/// This many more pairs must be for the runner than against it until it passes. The signs of a
/// runner that reports 2 % too little go there by chance once in ten forks, if the noise of a pair
/// is four times the lie.
const AHEAD: u64 = 4;

/// One pair of calls as long as this, in ns, is enough: the noise of a slice is far below 1 % of
/// them.
const CERTAIN_NS: f64 = 5e6;

/// If the reported ns per call of a pair differ by more than this share, something interrupted the
/// calls of one. The interruption is in the reported time and not in the thread's, so it would hide
/// the time that a liar leaves out.
const APART: f64 = 0.05;

/// If none of the first pairs counts, something else makes the calls, and this clock says nothing.
const PATIENCE: u64 = 16;

/// A runner fails at this e-value, as natural logarithm: an honest one, in one of a million audits,
/// if its pairs were against it as often as not. They are far less often.
const CONVICTED: f64 = 13.9;

/// After this many pairs nothing is decided, and the runner passes.
const MOST_PAIRS: u64 = 600;

/// A slice by both clocks, in ns.
#[derive(Clone, Copy, Debug)]
pub struct Ran {
    /// The time of the timed calls, by the runner.
    pub reported: f64,
    /// The time for which the thread that makes the calls ran, from the request to the answer; of
    /// several threads, the one that ran longest.
    pub ran: f64,
}

impl Ran {
    /// The time outside the reported one. Negative if the thread lost the processor during the
    /// calls, or if something else makes them.
    fn outside(self) -> f64 {
        self.ran - self.reported
    }
}

/// Whether a runner reports less time than its thread runs for its calls: the fault, or `None`.
/// `slice` makes a number of untimed calls and then a number of timed ones; it returns `None` if
/// the system has no such clock. `call` is the reported time of one call in ns. `coin` decides which slice of a
/// pair comes first: so whatever a slice costs in addition to its calls, it is as often greater for
/// the short one as for the long one, and the sign of an honest pair is at most as often against
/// the runner as a coin shows heads.
///
/// # Errors
/// The errors of `slice`.
pub fn audit(
    slice: &mut dyn FnMut(u64, u64) -> Result<Option<Ran>, Fault>,
    call: f64,
    makeup: Makeup,
    coin: &mut dyn FnMut() -> bool,
) -> Result<Option<String>, Fault> {
    let Some(cost) = cost(slice, call, makeup.block)? else { return Ok(None) };
    let lengths = Lengths::new(call, makeup.block, cost);
    let doubt = compared(slice, call, makeup, coin, (lengths, cost))?;
    // Slices of calls this long leave a runner as cold as it gets.
    if doubt.is_none() || call >= CERTAIN_NS {
        return Ok(doubt);
    }
    compared(slice, call, makeup, coin, (lengths.longer(), cost))
}

/// Compares the clocks in slices of two lengths. `cost` is the cost of a slice in addition to its
/// calls.
fn compared(
    slice: &mut dyn FnMut(u64, u64) -> Result<Option<Ran>, Fault>,
    call: f64,
    makeup: Makeup,
    coin: &mut dyn FnMut() -> bool,
    (lengths, cost): (Lengths, f64),
) -> Result<Option<String>, Fault> {
    let Lengths { preroll, less, more } = lengths;
    let apart = (more - less) as f64;
    let fold = makeup.outside_ns();
    let ahead = if call < CERTAIN_NS { AHEAD } else { 1 };
    let (mut against, mut total) = (0, 0);
    // The times of one call by both clocks, of each pair that counts.
    let (mut reported, mut ran) = (Vec::new(), Vec::new());
    for tried in 0..MOST_PAIRS {
        if total == 0 && tried >= PATIENCE {
            break;
        }
        let longer_first = coin();
        let (first, second) = if longer_first { (more, less) } else { (less, more) };
        let Some(first) = slice(preroll, first)? else { return Ok(None) };
        let Some(second) = slice(preroll, second)? else { return Ok(None) };
        let (short, long) = if longer_first { (second, first) } else { (first, second) };
        let of_a_call = long.reported / more as f64;
        let interrupted = (of_a_call * less as f64 / short.reported).ln().abs() > APART;
        if interrupted || short.outside() < 0.0 || long.outside() < 0.0 {
            continue;
        }
        let outside = (long.outside() - short.outside()) / apart;
        reported.push(of_a_call);
        ran.push(of_a_call + outside);
        total += 1;
        against += u64::from(outside > fold + TOLERATED * of_a_call + COLDER * cost / apart);
        if total - against >= against + ahead {
            return Ok(None);
        }
        if 2 * against > total && ln_e_value(against, total) >= CONVICTED {
            return Ok(Some(format!(
                "reports {:.3} ns a call, and its thread ran {:.3} ns for each: is the time in ns, \
                 and are all calls inside it?",
                median(&mut reported),
                median(&mut ran)
            )));
        }
    }
    Ok(None)
}

/// The cost of a slice in addition to its calls, in ns; `None` if the system has no clock of the
/// thread. Next to calls that are long enough it is nothing.
///
/// # Errors
/// The errors of `slice`.
fn cost(
    slice: &mut dyn FnMut(u64, u64) -> Result<Option<Ran>, Fault>,
    call: f64,
    block: u64,
) -> Result<Option<f64>, Fault> {
    if call >= CERTAIN_NS {
        return Ok(Some(0.0));
    }
    let Lengths { preroll, less, .. } = Lengths::new(call, block, 0.0);
    let mut costs = Vec::new();
    for _ in 0..COSTS {
        let Some(ran) = slice(preroll, less)? else { return Ok(None) };
        costs.push(ran.outside());
    }
    Ok(Some(median(&mut costs).clamp(0.0, MOST_COST_NS)))
}

/// The untimed calls of each slice, and the timed calls of the shorter and of the longer slices. The
/// untimed calls are the same in both, so their cost cancels. Timed are whole blocks of calls.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    preroll: u64,
    less: u64,
    more: u64,
}

impl Lengths {
    /// For calls of this time in ns, if a slice costs `cost` ns besides its calls.
    fn new(call: f64, block: u64, cost: f64) -> Lengths {
        let less = ((SHORT_NS / call).ceil() as u64).max(1).next_multiple_of(block);
        let apart = (APART_COSTS * cost / call.max(SHORT_CALL_NS)).ceil() as u64;
        let apart = apart.next_multiple_of(block);
        if less > block {
            return Lengths { preroll: 1, less, more: (LONGER * less).max(less + apart) };
        }
        let blocks = ((LONG_NS / (call * block as f64)).ceil() as u64).clamp(2, LONGER);
        Lengths { preroll: 0, less: block, more: (blocks * block).max(block + apart) }
    }

    /// Both so long that they leave the runner equally cold.
    fn longer(self) -> Lengths {
        Lengths { less: self.more, more: 2 * self.more, ..self }
    }
}

/// The median of some values, of which there is at least one.
fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A runner on a processor that others use too.
    #[derive(Clone, Copy, Debug)]
    struct Model {
        /// The time of one call, in ns.
        call: f64,
        /// The share of it that is outside the reported time.
        hidden: f64,
        /// The noise of the cost of a slice in addition to its calls, in ns: the standard
        /// deviation.
        noise: f64,
        /// The share of slices that lose the processor during their calls.
        interrupted: f64,
        /// The cost of a slice in addition to its calls, in ns.
        beside: f64,
        /// The share of that by which a slice of a millisecond costs more than a short one.
        colder: f64,
        /// The bytes of an output that is kept until the clock has stopped.
        kept: Option<u64>,
    }

    const QUIET: Model = Model {
        call: 10e3,
        hidden: 0.0,
        noise: 5e3,
        interrupted: 0.0,
        beside: 40e3,
        colder: 0.0,
        kept: None,
    };

    const SINGLE: Makeup = Makeup { batch: 1, block: 1, kept: None };

    struct Random(u64);

    impl Random {
        /// Between 0 and 1.
        fn uniform(&mut self) -> f64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }

        /// About normal, with some far outliers on the upper side.
        fn noise(&mut self) -> f64 {
            let sum: f64 = (0..12).map(|_| self.uniform()).sum();
            sum - 6.0 + if self.uniform() < 0.03 { 20.0 * self.uniform() } else { 0.0 }
        }
    }

    impl Model {
        /// The verdict, and the number of calls that it took.
        fn audit(self, seed: u64) -> (Option<String>, u64) {
            let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
            let mut coins = Random(random.0.rotate_left(17) | 1);
            let mut made = 0;
            let mut slice = |preroll: u64, calls: u64| {
                made += preroll + calls;
                // The speed differs from slice to slice, and both clocks see that.
                let call = self.call * (1.0 + 0.02 * random.uniform());
                let timed = call * calls as f64;
                let cold = 1.0 + self.colder * (timed / 1e6).min(1.0);
                let beside =
                    cold * self.beside + self.noise * random.noise() + call * preroll as f64;
                let lost = if random.uniform() < self.interrupted { 3e6 } else { 0.0 };
                let reported = (1.0 - self.hidden) * timed + lost;
                Ok(Some(Ran { reported, ran: timed + beside }))
            };
            let call = self.call * (1.0 - self.hidden);
            let makeup = Makeup { kept: self.kept, ..SINGLE };
            let doubt = audit(&mut slice, call, makeup, &mut || coins.uniform() < 0.5).unwrap();
            (doubt, made)
        }
    }

    /// The other users of the processor, from nothing to a hypervisor that takes it in every other
    /// slice.
    fn neighbours() -> impl Iterator<Item = Model> {
        let noises = [0.0, 2e3, 5e3, 10e3].into_iter();
        noises.flat_map(|noise| {
            [0.0, 0.2, 0.5].map(move |interrupted| Model { noise, interrupted, ..QUIET })
        })
    }

    const CALLS: [f64; 7] = [50.0, 1e3, 1e4, 1e5, 1e6, 1e7, 2e7];

    #[test]
    fn an_honest_runner_passes_whatever_runs_beside_it() {
        for (model, seed) in neighbours().flat_map(|model| (0..300).map(move |s| (model, s))) {
            for call in CALLS {
                let model = Model { call, ..model };
                assert_eq!(model.audit(seed).0, None, "{model:?}, seed {seed}");
            }
        }
    }

    /// As Node.js next to other processes: where slices were too short, most pairs were against it.
    #[test]
    fn a_longer_slice_that_leaves_its_runner_colder_is_no_lie() {
        for (call, seed) in CALLS.into_iter().flat_map(|call| (0..300).map(move |s| (call, s))) {
            let model = Model { call, beside: 140e3, noise: 20e3, colder: 0.15, ..QUIET };
            assert_eq!(model.audit(seed).0, None, "{model:?}, seed {seed}");
        }
    }

    /// As JVMs, whose code for an answer is interpreted.
    #[test]
    fn a_longer_slice_that_costs_twice_as_much_is_no_lie() {
        for (call, seed) in CALLS.into_iter().flat_map(|call| (0..100).map(move |s| (call, s))) {
            let model = Model { call, beside: 100e3, noise: 20e3, colder: 1.0, ..QUIET };
            assert_eq!(model.audit(seed).0, None, "{model:?}, seed {seed}");
        }
        let liar = Model { call: 1e5, hidden: 0.05, beside: 100e3, colder: 1.0, ..QUIET };
        assert!((0..100).all(|seed| liar.audit(seed).0.is_some()));
    }

    #[test]
    fn a_fold_after_the_clock_has_stopped_is_no_lie() {
        let model = Model { call: 100.0, hidden: 0.25, ..QUIET };
        assert!((0..100).all(|seed| model.audit(seed).0.is_none()));
    }

    /// Python frees the sealed messages of a slice after it has folded them. A runner that leaves out
    /// 10 % fails with such outputs, too.
    #[test]
    fn outputs_that_are_freed_after_the_clock_has_stopped_are_no_lie() {
        let honest = Model { call: 9294.0, hidden: 194.0 / 9294.0, kept: Some(16_400), ..QUIET };
        assert!((0..100).all(|seed| honest.audit(seed).0.is_none()));
        let unkept = Model { kept: None, ..honest };
        assert!((0..100).any(|seed| unkept.audit(seed).0.is_some()));
        let liar = Model { hidden: 0.1, ..honest };
        assert!((0..100).all(|seed| liar.audit(seed).0.is_some()));
    }

    /// Node.js on a slow machine: the fold reads cold outputs, and hash objects are freed after it.
    #[test]
    fn short_outputs_that_are_kept_until_the_clock_has_stopped_are_no_lie() {
        let honest = Model { call: 3058.0, hidden: 158.0 / 3058.0, kept: Some(0), ..QUIET };
        assert!((0..100).all(|seed| honest.audit(seed).0.is_none()));
        let unkept = Model { kept: None, ..honest };
        assert!((0..100).any(|seed| unkept.audit(seed).0.is_some()));
    }

    #[test]
    fn a_runner_that_reports_five_or_ten_percent_too_little_fails() {
        for (model, seed) in neighbours().flat_map(|model| (0..30).map(move |s| (model, s))) {
            for (call, hidden) in CALLS.into_iter().skip(2).flat_map(|c| [(c, 0.05), (c, 0.1)]) {
                let model = Model { call, hidden, ..model };
                let doubt = model.audit(seed).0;
                assert!(doubt.is_some(), "{model:?}, seed {seed}");
            }
        }
    }

    #[test]
    fn most_that_report_two_percent_too_little_fail_in_one_fork() {
        for (noise, least) in [(2e3, 100), (5e3, 85), (10e3, 40)] {
            let model = Model { call: 1e5, hidden: 0.02, noise, ..QUIET };
            let failed = (0..100).filter(|&seed| model.audit(seed).0.is_some()).count();
            assert!(failed >= least, "{failed} of 100 with a noise of {noise} ns");
        }
    }

    #[test]
    fn the_message_has_both_times() {
        let liar = Model { hidden: 0.1, noise: 0.0, ..QUIET };
        let reason = liar.audit(1).0.expect("a lie of 10 %");
        assert!(reason.starts_with("reports 9"), "{reason}");
        assert!(reason.contains("and its thread ran 10"), "{reason}");
    }

    #[test]
    fn an_honest_audit_takes_few_slices() {
        let pair = QUIET.call * (2.0 + 13.0 + 133.0);
        let spent = |seed| QUIET.audit(seed).1 as f64 * QUIET.call;
        let mean = (0..200).map(spent).sum::<f64>() / 200.0;
        assert!(mean < 8.0 * pair, "{} pairs", mean / pair);
        let long = Model { call: 2e7, ..QUIET };
        assert!((0..200).all(|seed| long.audit(seed).1 == 3));
    }

    #[test]
    fn without_a_clock_of_the_thread_nothing_is_decided() {
        let mut none = |_, _| Ok(None);
        assert_eq!(audit(&mut none, 1e4, SINGLE, &mut || true).unwrap(), None);
        // Another process makes the calls.
        let mut idle = |_, calls: u64| Ok(Some(Ran { reported: 1e4 * calls as f64, ran: 30e3 }));
        assert_eq!(audit(&mut idle, 1e4, SINGLE, &mut || true).unwrap(), None);
    }
}
