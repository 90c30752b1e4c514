//! Compares the times that a runner reports with the tool's own clock. A runner that counts in
//! another unit, or leaves a part of its calls outside the time, would otherwise be ranked first.

use super::makeup::Makeup;
use cupel_machine::Usage;
use cupel_runner::Fault;
use cupel_stats::quantile::median;

/// The length of the shorter slices of an audit, in ns. The longer slices last four times as long.
/// The audit searches for a hundredth of that, and waking up takes some thousands of ns.
const SHORT_NS: f64 = 400_000.0;

/// A longer slice has this many times the calls of a shorter one.
const LONGER: u64 = 4;

/// If one call is no shorter than a slice, the longer slice has as many calls as take this time in
/// ns, between two and `LONGER`.
const LONG_NS: f64 = 10e6;

/// The share of the reported time that may pass outside it with every call, because two clocks
/// differ and other programs run. A lie of 5 % (95 ns reported for a call of 100 ns) is above it if
/// calls are long enough for the fold not to matter, from 2 us on. The native runner, at a load of
/// six on two processors, left out half a percent at most. The rest is for machines that no one has
/// tried, because failing an honest contender is the worse mistake.
const TOLERATED: f64 = 0.03;

/// The pairs of slices before the first decision, and the most pairs until the slices are honest.
/// Whatever else runs between request and answer lengthens the wait, and never shortens it. As long
/// as every short slice had to wait, the short slices hide the time that the longer ones leave out.
/// So the audit acquits a runner only when the number of pairs has doubled, not after every pair.
const TRIES: (usize, usize) = (8, 200);

/// The pairs since the last decision acquit a runner, too, if there are this many times as many as
/// the first decision needs: with fewer it is more likely that every short slice had to wait.
const RECENT: usize = 8;

/// If slices last long, fewer pairs are enough, because the delay of an answer is short compared
/// with them: as many as take this time in ns, and no fewer than `FEWEST`.
const ENOUGH_NS: f64 = 300e6;

/// An audit that is not passed after this wait in ns ends. A false unit makes slices endless.
const PATIENCE_NS: f64 = 2e9;

/// The fewest pairs of an audit.
const FEWEST: usize = 2;

/// If less than this share of the reported time passes outside it, the cause is more often a
/// neighbour than the runner: a false unit or an omitted call is more. The audit then waits this
/// many times as long for quiet slices, because failing an honest contender is the worse mistake.
const SMALL: (f64, usize) = (0.3, 10);

/// This many calls of anything take longer than a slice.
const MOST_CALLS: u64 = 1 << 24;

/// No slice lasts twelve days, in ns. A number above it is not a time, and sums of such numbers are
/// not times either.
const MOST_NS: f64 = 1e15;

/// A slice whose reported time is above this multiple of the least was interrupted during its
/// calls.
const ALIKE: f64 = 1.05;

/// If queues for processors are more than this share of all waits, the machine is busy.
const BUSY: f64 = 0.05;

/// Why an audit finds nothing.
const TOO_BUSY: &str = "the machine was too busy to audit its times";

/// The fault of a time that no clock shows, if any. `elapsed_ns` is the time of `iterations` calls,
/// in ns.
pub fn no_time(elapsed_ns: f64, iterations: u64) -> Option<String> {
    (!(0.0..=MOST_NS).contains(&elapsed_ns))
        .then(|| format!("reports {elapsed_ns:e} ns for {iterations} calls, which cannot be true"))
}

/// A slice by both clocks, in ns.
#[derive(Clone, Copy, Debug)]
pub struct Timed {
    /// The time of the timed calls, by the runner.
    pub reported: f64,
    /// The time from the request to the answer, by the tool.
    pub waited: f64,
}

impl Timed {
    /// The fault if the calls took longer than the answer, according to the runner: no disturbance
    /// can cause that. Two clocks may differ by a step (`resolution`, in ns) and by their
    /// calibration.
    pub fn impossible(self, resolution: f64) -> Option<String> {
        let Timed { reported, waited } = self;
        (reported > 1.01 * waited + resolution + 1000.0).then(|| {
            format!(
                "reports {reported:.0} ns for calls whose answer came after {waited:.0} ns: is the \
                 time in ns?"
            )
        })
    }

    fn outside(self) -> f64 {
        self.waited - self.reported
    }
}

/// A slice of an audit.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// By both clocks.
    pub timed: Timed,
    /// The time that the runner's process ran during the slice, in ns. `None` if its system does
    /// not report that, or if the thread that makes the calls slept over them: it then waited for
    /// work that is not work of its process, or for nothing.
    pub cpu: Option<f64>,
    /// The part of the wait in which the threads that make the calls, or the tool's that wait for
    /// the answer, were ready to run and had no processor, in ns. `None` if the system does not
    /// report that.
    pub queued: Option<f64>,
}

impl Sample {
    /// A slice, with the process's usage before and after it, and how long its answers had waited
    /// for processors.
    pub fn between(
        timed: Timed,
        usage: Option<(Usage, Usage)>,
        queued: Option<(u64, u64)>,
    ) -> Sample {
        let cpu = usage
            // It sleeps once in any case, until the next request comes.
            .filter(|(before, after)| after.sleeps <= before.sleeps + 1)
            .and_then(|(before, after)| after.cpu_ns.checked_sub(before.cpu_ns));
        let queued = queued.and_then(|(before, after)| after.checked_sub(before));
        Sample { timed, cpu: cpu.map(|ns| ns as f64), queued: queued.map(|ns| ns as f64) }
    }

    /// The time outside the reported one that no queue for a processor explains, in ns.
    fn unexplained(self) -> Option<f64> {
        Some(self.timed.outside() - self.queued?)
    }
}

/// The smallest times of all slices of this many calls, in ns. Whatever else runs adds to them.
struct Least {
    calls: f64,
    /// The time that was waited and not reported.
    outside: f64,
    cpu: f64,
    reported: f64,
}

impl Least {
    fn for_calls(calls: u64) -> Least {
        let none = f64::INFINITY;
        Least { calls: calls as f64, outside: none, cpu: none, reported: none }
    }

    fn add(&mut self, sample: Sample) {
        self.outside = self.outside.min(sample.timed.outside());
        self.cpu = self.cpu.min(sample.cpu.unwrap_or(f64::INFINITY));
        self.reported = self.reported.min(sample.timed.reported);
    }

    /// Whether the process ran at least as long as it reports. It runs less if another process or
    /// another device makes the calls.
    fn ran(&self) -> bool {
        self.cpu.is_finite() && self.cpu >= self.reported
    }
}

/// The finding of an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The reported times are right, as far as the clocks show.
    Right,
    /// They are not, for this reason.
    False(String),
    /// The machine was so busy that it cannot be known.
    TooBusy(String),
}

/// All slices of an audit, for the time that queues for processors explain.
#[derive(Default)]
struct Slices {
    short: Vec<Sample>,
    long: Vec<Sample>,
}

impl Slices {
    fn add(&mut self, few: Sample, many: Sample) {
        self.short.push(few);
        self.long.push(many);
    }

    /// The time of the additional calls that is outside the reported one and in no queue, in ns.
    /// `None` if the system reports no queues, or if too few slices show it. It is the median of
    /// many slices: in the least of them, a queue of the slice before may be counted as one of
    /// this.
    fn unexplained(&self) -> Option<f64> {
        Some(unexplained(&self.long)? - unexplained(&self.short)?)
    }

    /// Whether the system reports that the queues were a large part of the wait.
    fn was_busy(&self) -> bool {
        let all = self.short.iter().chain(&self.long);
        let queued: Option<f64> = all.clone().map(|sample| sample.queued).sum();
        let waited: f64 = all.map(|sample| sample.timed.waited).sum();
        queued.is_some_and(|queued| queued > BUSY * waited)
    }
}

/// The median time of slices of one length that is outside the reported one and in no queue.
fn unexplained(slices: &[Sample]) -> Option<f64> {
    let least = slices.iter().map(|s| s.timed.reported).fold(f64::INFINITY, f64::min);
    // The interruption of the calls is in the reported time too.
    let counting = slices.iter().filter(|s| s.timed.reported <= ALIKE * least);
    let left: Vec<f64> = counting.map(|s| s.unexplained()).collect::<Option<_>>()?;
    (left.len() >= FEWEST).then(|| median(&left))
}

/// The least of a number of pairs of slices.
struct Pairs {
    count: usize,
    short: Least,
    long: Least,
}

impl Pairs {
    fn for_calls(less: u64, more: u64) -> Pairs {
        Pairs { count: 0, short: Least::for_calls(less), long: Least::for_calls(more) }
    }

    fn add(&mut self, few: Sample, many: Sample) {
        self.count += 1;
        self.short.add(few);
        self.long.add(many);
    }

    /// The additional calls of a longer slice.
    fn apart(&self) -> f64 {
        self.long.calls - self.short.calls
    }

    /// The time that they report, in ns, if a call takes `call` ns: not the time that slices report
    /// because all of them were interrupted.
    fn reported(&self, call: f64) -> f64 {
        self.apart() * call.min(self.long.reported / self.long.calls)
    }

    /// Whether no more than this passes outside. The wall clock decides first; the process's own
    /// clock needs more slices, and counts only if there `are_many`.
    fn acquit(&self, most: f64, are_many: bool) -> bool {
        self.by_wall() <= most || (are_many && self.by_cpu().is_some_and(|ns| ns <= most))
    }

    /// The most that may pass outside that time, in ns, if the outputs are folded in `fold` ns.
    fn tolerated(&self, fold: f64, call: f64) -> f64 {
        fold + TOLERATED * self.reported(call)
    }

    /// The time outside the reported one of the additional calls, in ns by the wall clock.
    fn by_wall(&self) -> f64 {
        self.long.outside - self.short.outside
    }

    /// The time outside the reported one by the process's own clock, if that clock is plausible. It
    /// does not count other processes. A slice that was interrupted reports more than it ran, so
    /// the reported time comes from the shortest slices of either length.
    fn by_cpu(&self) -> Option<f64> {
        let Pairs { short, long, .. } = self;
        let call = (short.reported / short.calls).min(long.reported / long.calls);
        let reported = (long.reported - short.reported).min(call * self.apart());
        (short.ran() && long.ran()).then_some(long.cpu - short.cpu - reported)
    }
}

/// Whether the time outside the reported one grows with the calls, and whether the runner is the
/// cause. `slice` makes a number of untimed calls and then a number of timed ones. `call` is the
/// reported time of one call in ns, and `resolution` the step of the runner's clock in ns. The cost
/// of a slice itself (waking up, parsing, reading counters) and its untimed calls are the same for a
/// few timed calls as for many, and cancel.
///
/// No runner is found false for the time in which a thread waited for a processor. A wait of a
/// thread that makes no calls may be why a call waited, or not: if these waits (`others` reads
/// their sum so far, in ns) are as long as the unexplained time, nothing is known.
///
/// # Errors
/// The errors of `slice`.
pub fn audit(
    slice: &mut dyn FnMut(u64, u64) -> Result<Sample, Fault>,
    others: &mut dyn FnMut() -> Option<f64>,
    call: f64,
    makeup: Makeup,
    resolution: f64,
) -> Result<Finding, Fault> {
    let (preroll, less, more) = lengths(call, makeup.block);
    let pair = (2 * preroll + less + more) as f64 * call;
    let enough = ((ENOUGH_NS / pair).ceil() as usize).clamp(FEWEST, TRIES.0);
    let apart = (more - less) as f64;
    let fold = makeup.outside_ns() * apart;
    let begun = others();
    let (mut all, mut recent) = (Pairs::for_calls(less, more), Pairs::for_calls(less, more));
    let mut slices = Slices::default();
    let mut spent = 0.0;
    for tried in 1.. {
        let few = slice(preroll, less)?;
        let many = slice(preroll, more)?;
        if let Some(reason) = many.timed.impossible(resolution) {
            return Ok(Finding::False(reason));
        }
        slices.add(few, many);
        all.add(few, many);
        recent.add(few, many);
        spent += few.timed.waited + many.timed.waited;
        // If the longer slice leaves out no more in total, no short slice can hide any of it.
        if all.long.outside <= all.tolerated(fold, call) {
            return Ok(Finding::Right);
        }
        let is_small = all.by_wall() - fold < SMALL.0 * all.reported(call);
        let over = is_over(tried, spent, if is_small { SMALL.1 } else { 1 });
        let doubled = tried >= enough && tried.is_power_of_two();
        // Another program that began in between makes every later slice wait longer, and then only
        // the later slices of either length are alike.
        let are_enough = recent.count >= RECENT * enough;
        let are_many = is_over(tried, spent, 1);
        let acquitted = all.acquit(all.tolerated(fold, call), are_many)
            || (are_enough && recent.acquit(recent.tolerated(fold, call), are_many));
        if (over || doubled) && acquitted {
            return Ok(Finding::Right);
        }
        if over {
            let left = slices.unexplained().map(|ns| ns - all.tolerated(fold, call));
            if left.is_some_and(|ns| ns <= 0.0) {
                return Ok(Finding::Right);
            }
            let waits = begun.zip(others()).map(|(begun, now)| now - begun);
            let may_be_busy = match left {
                Some(left) => waits.is_some_and(|waits| waits >= left * tried as f64),
                None => slices.was_busy(),
            };
            if may_be_busy {
                return Ok(Finding::TooBusy(TOO_BUSY.to_string()));
            }
            break;
        }
        if doubled {
            recent = Pairs::for_calls(less, more);
        }
    }
    let reported = all.long.reported / more as f64;
    Ok(Finding::False(format!(
        "reports {reported:.3} ns a call, and the tool waits {:.3} ns for each: is the time in ns, \
         and are all calls inside it?",
        reported + all.by_wall() / apart
    )))
}

/// Whether an audit has had this many times its most pairs, or its time.
fn is_over(tried: usize, spent: f64, times: usize) -> bool {
    tried >= times * TRIES.1 || (tried >= FEWEST && spent > times as f64 * PATIENCE_NS)
}

/// The untimed calls of each slice, and the timed calls of the shorter and of the longer slices,
/// for calls of this time in ns. Timed are whole blocks of calls.
fn lengths(call: f64, block: u64) -> (u64, u64, u64) {
    let calls = ((SHORT_NS / call).ceil() as u64).clamp(1, MOST_CALLS).next_multiple_of(block);
    if calls > block {
        // An untimed call makes short slices equal to each other.
        return (1, calls, LONGER * calls);
    }
    // Slices of long calls are equal without it, and it would cost as much again.
    let blocks = ((LONG_NS / (call * block as f64)).ceil() as u64).clamp(2, LONGER);
    (0, block, blocks * block)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SINGLE: Makeup = Makeup { batch: 1, block: 1, kept: None };

    /// The cost of a slice in addition to its calls, in ns.
    const BESIDE_NS: f64 = 80_000.0;

    /// The fault of a runner, where the system reports no queue of other threads.
    fn doubt(
        slice: &mut dyn FnMut(u64, u64) -> Result<Sample, Fault>,
        call: f64,
        batch: u32,
    ) -> Option<String> {
        match audit(slice, &mut || None, call, Makeup { batch, ..SINGLE }, 1.0).unwrap() {
            Finding::Right | Finding::TooBusy(_) => None,
            Finding::False(reason) => Some(reason),
        }
    }

    /// The audit of a runner whose calls take 100 ns each and which reports what `says` returns.
    fn verdict(says: impl Fn(u64) -> f64, disturbance: impl Fn(usize) -> f64) -> Option<String> {
        verdict_of(100.0, BESIDE_NS, says, disturbance).0
    }

    /// The audit of a runner whose calls take `call` ns each, with `beside` ns in each slice, and
    /// which reports what `says` returns; and the number of calls that the audit asked for.
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
            Ok(Sample { timed: Timed { reported: says(calls), waited }, cpu: None, queued: None })
        };
        let doubt = doubt(&mut slice, says(1000) / 1000.0, 1);
        (doubt, made)
    }

    /// Calls from 1 ns to 10 s, in ns: three per decade, and those on both sides of the lengths at
    /// which the audit changes.
    fn all_lengths() -> impl Iterator<Item = f64> {
        let grid = (0..=30).map(|third| 10_f64.powf(f64::from(third) / 3.0));
        grid.chain([SHORT_NS - 1.0, SHORT_NS, SHORT_NS + 1.0])
    }

    const QUIET: fn(usize) -> f64 = |_| 0.0;

    #[test]
    fn an_honest_runner_passes_whatever_a_slice_costs_beside_its_calls() {
        assert_eq!(verdict(|calls| 100.0 * calls as f64, QUIET), None);
        // A fold made after the clock has stopped.
        assert_eq!(verdict(|calls| 70.0 * calls as f64, QUIET), None);
    }

    #[test]
    fn another_unit_is_detected() {
        let micro = verdict(|calls| 0.1 * calls as f64, QUIET).unwrap();
        assert!(
            micro.contains("reports 0.100 ns a call, and the tool waits 100.000 ns"),
            "{micro}"
        );
        assert!(verdict(|calls| 2.4 * calls as f64, QUIET).is_some(), "ticks of 41.7 ns");
        // A clock of 3 GHz is read as one of 2 GHz, at calls whose fold cannot hide it.
        let (doubt, _) = verdict_of(1e3, BESIDE_NS, |calls| 667.0 * calls as f64, QUIET);
        assert!(doubt.is_some());
    }

    #[test]
    fn calls_outside_the_time_are_detected() {
        assert!(verdict(|calls| 50.0 * calls as f64, QUIET).is_some(), "every other call");
        assert!(verdict(|_| 100.0, QUIET).is_some(), "only one");
    }

    #[test]
    fn an_honest_runner_passes_whatever_the_length_of_its_calls() {
        for call in all_lengths() {
            // A slice may cost more than its calls, for example if a runner waits for its
            // collector.
            for beside in [0.0, BESIDE_NS, 20e6] {
                let (doubt, made) = verdict_of(call, beside, |calls| call * calls as f64, QUIET);
                assert_eq!(doubt, None, "calls of {call} ns, slices of {beside} ns");
                let most = if beside <= TOLERATED * call { 3 } else { 6 };
                assert!(call < 1e9 || made <= most, "{made} calls of {call} ns");
            }
        }
    }

    #[test]
    fn a_liar_is_detected_whatever_the_length_of_its_calls() {
        // A false rate of short calls may hide behind a fold.
        for call in all_lengths().filter(|call| *call >= 100.0) {
            let says: [(&str, &dyn Fn(u64) -> f64); 4] = [
                ("microseconds", &|calls| call / 1000.0 * calls as f64),
                ("ticks of a slower clock", &|calls| call / 2.6 * calls as f64),
                ("every other call", &|calls| call / 2.0 * calls as f64),
                ("one call of all", &|_| call),
            ];
            for (lie, says) in says {
                let (doubt, made) = verdict_of(call, BESIDE_NS, says, QUIET);
                assert!(doubt.is_some(), "{lie}, of {call} ns");
                let reported = says(1000) / 1000.0;
                assert!(reported < 1e9 || made <= 6, "{lie}: {made} calls of {call} ns");
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
    fn a_neighbour_makes_no_runner_a_liar() {
        // All slices except each seventh are answered late, the longer ones later than the shorter.
        let late = |asked: usize| match asked % 7 {
            0 => 0.0,
            n => 1e6 * n as f64 * (1.0 + (asked % 2) as f64),
        };
        assert_eq!(verdict(|calls| 100.0 * calls as f64, late), None);
        let liar = verdict(|calls| 50.0 * calls as f64, late);
        assert!(liar.is_some(), "and no liar honest");
    }

    #[test]
    fn the_audit_waits_longer_if_little_is_outside() {
        // No quiet slice for a long time: the longer ones are answered later, by a quarter of their
        // time.
        let busy = |asked: usize| {
            let quiet = asked > 3 * TRIES.1;
            if quiet || !asked.is_multiple_of(2) { 0.0 } else { 0.75 * SHORT_NS }
        };
        assert_eq!(verdict(|calls| 100.0 * calls as f64, busy), None);
        assert!(verdict(|calls| 50.0 * calls as f64, QUIET).is_some(), "and a lie is detected");
    }

    #[test]
    fn a_small_lie_is_detected_if_no_fold_can_hide_it() {
        for call in all_lengths().filter(|call| *call >= 2e3) {
            let says = |calls| 0.95 * call * calls as f64;
            let (doubt, _) = verdict_of(call, BESIDE_NS, says, QUIET);
            assert!(doubt.is_some(), "5 % of {call} ns");
        }
    }

    #[test]
    fn a_batch_may_be_folded_when_the_clock_has_stopped() {
        let mut slice = |preroll: u64, calls: u64| {
            let waited = BESIDE_NS + 2000.0 * (preroll + calls) as f64;
            let timed = Timed { reported: 1800.0 * calls as f64, waited };
            Ok(Sample { timed, cpu: None, queued: None })
        };
        assert_eq!(doubt(&mut slice, 1800.0, 64), None);
        assert!(doubt(&mut slice, 1800.0, 1).is_some(), "one message");
    }

    /// Another user of a model's processor.
    #[derive(Clone, Copy, Debug)]
    struct Neighbour {
        /// The mean time for which the runner has the processor, in ns.
        leaves: f64,
        /// The mean time for which the neighbour then has it, in ns.
        takes: f64,
        /// The mean delay before the tool wakes, in ns.
        delays: f64,
    }

    const NEIGHBOURS: [Neighbour; 6] = [
        Neighbour { leaves: f64::INFINITY, takes: 0.0, delays: 2e3 },
        // One neighbour of the same weight, and three.
        Neighbour { leaves: 3e6, takes: 3e6, delays: 5e3 },
        Neighbour { leaves: 3e6, takes: 9e6, delays: 5e3 },
        // Interrupts, and short thefts of a hypervisor.
        Neighbour { leaves: 1e6, takes: 5e3, delays: 5e3 },
        Neighbour { leaves: 200e3, takes: 50e3, delays: 10e3 },
        // A neighbour that takes the processor whenever the tool wakes.
        Neighbour { leaves: 2e6, takes: 500e3, delays: 100e3 },
    ];

    /// A runner on a processor with a neighbour; times by the model's clock.
    struct Model {
        neighbour: Neighbour,
        /// The time of every call, in ns.
        call: f64,
        /// The share of it that is outside the reported time.
        hidden: f64,
        /// Whether the system reports how long the process ran.
        tells: bool,
        /// Whether the system reports the queues for processors.
        reports_queues: bool,
        now: f64,
        /// When the neighbour takes the processor next, in ns.
        lost: f64,
        /// The time in queues so far, in ns.
        queued: f64,
        random: u64,
    }

    impl Model {
        fn new(neighbour: Neighbour, call: f64, hidden: f64, tells: bool, seed: u64) -> Model {
            let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let (reports_queues, queued) = (false, 0.0);
            let (now, lost) = (0.0, 0.0);
            let mut model =
                Model { neighbour, call, hidden, tells, reports_queues, now, lost, queued, random };
            model.lost = model.exponential(neighbour.leaves);
            model
        }

        /// Between 0 and 1.
        fn uniform(&mut self) -> f64 {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            (self.random >> 11) as f64 / (1_u64 << 53) as f64
        }

        fn exponential(&mut self, mean: f64) -> f64 {
            -mean * (1.0 - self.uniform()).ln().min(-1e-9)
        }

        /// Runs for this time in ns. Returns how long that takes, in ns.
        fn run(&mut self, mut ns: f64) -> f64 {
            let begun = self.now;
            while self.now + ns > self.lost {
                ns -= self.lost - self.now;
                let taken = self.exponential(self.neighbour.takes);
                self.queued += taken;
                self.now = self.lost + taken;
                self.lost = self.now + self.exponential(self.neighbour.leaves);
            }
            self.now += ns;
            self.now - begun
        }

        fn slice(&mut self, preroll: u64, calls: u64) -> Sample {
            let (begun, queued) = (self.now, self.queued);
            // Waking and parsing; then calls, whose speed differs from slice to slice; then
            // writing.
            let (before, after) = (20e3 + 4e3 * self.uniform(), 40e3 + 8e3 * self.uniform());
            let call = self.call * (1.0 + 0.02 * self.uniform());
            let (untimed, timed) = (call * preroll as f64, call * calls as f64);
            let hidden = self.hidden * timed;
            self.run(before + untimed);
            let reported = self.run(timed - hidden);
            self.run(hidden + after);
            let delay = self.exponential(self.neighbour.delays);
            self.queued += delay;
            self.now += delay;
            let waited = self.now - begun;
            let cpu = self.tells.then_some(before + untimed + timed + after);
            let queued = self.reports_queues.then_some(self.queued - queued);
            Sample { timed: Timed { reported, waited }, cpu, queued }
        }

        fn doubt(mut self) -> Option<String> {
            let reported = self.call * (1.0 - self.hidden);
            doubt(&mut |preroll, calls| Ok(self.slice(preroll, calls)), reported, 1)
        }
    }

    #[test]
    fn beside_a_neighbour_honest_runners_pass() {
        for (neighbour, seed) in NEIGHBOURS.into_iter().flat_map(|n| (0..40).map(move |s| (n, s))) {
            for call in [50.0, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8] {
                for tells in [true, false] {
                    let doubt = Model::new(neighbour, call, 0.0, tells, seed).doubt();
                    assert_eq!(doubt, None, "{neighbour:?} {call} ns, {tells}, seed {seed}");
                }
            }
        }
    }

    /// The users of the processor at a load of eight: the runner and the tool have it for moments,
    /// and the runner is seldom awake twice in a row.
    const CROWDS: [Neighbour; 3] = [
        Neighbour { leaves: 3e6, takes: 24e6, delays: 3e6 },
        Neighbour { leaves: 2e6, takes: 3e6, delays: 2e6 },
        Neighbour { leaves: 700e3, takes: 5e6, delays: 20e3 },
    ];

    impl Model {
        /// A runner in a crowd, whose sleeps hide the time of its process, and whose system reports
        /// the queues or does not.
        fn in_a_crowd(crowd: Neighbour, call: f64, hidden: f64, queues: bool, seed: u64) -> Model {
            Model { reports_queues: queues, ..Model::new(crowd, call, hidden, false, seed) }
        }
    }

    #[test]
    fn in_a_crowd_no_honest_runner_fails() {
        let mut failed = [0, 0];
        for (crowd, seed) in CROWDS.into_iter().flat_map(|n| (0..200).map(move |s| (n, s))) {
            for call in [50.0, 1e3, 1e4, 1e5, 1e6] {
                for (queues, failed) in [false, true].into_iter().zip(&mut failed) {
                    let model = Model::in_a_crowd(crowd, call, 0.0, queues, seed);
                    *failed += usize::from(model.doubt().is_some());
                }
            }
        }
        assert!(failed[0] > 0, "without the queues some would: otherwise the crowd tests nothing");
        assert_eq!(failed[1], 0, "of 3000; without the queues {}", failed[0]);
    }

    #[test]
    fn queues_excuse_no_lie() {
        let quiet = NEIGHBOURS[0];
        // In a crowd, some liars pass with and without the queues.
        let mut detected = [0, 0];
        for seed in 0..20 {
            for call in [5e3, 1e4, 1e5, 1e6, 1e7] {
                let model = Model::in_a_crowd(quiet, call, 0.05, true, seed);
                assert!(model.doubt().is_some(), "5 % of {call} ns, seed {seed}");
            }
            for (crowd, call) in CROWDS.into_iter().flat_map(|n| [1e3, 1e4].map(|call| (n, call))) {
                for (queues, detected) in [false, true].into_iter().zip(&mut detected) {
                    let model = Model::in_a_crowd(crowd, call, 0.5, queues, seed);
                    *detected += usize::from(model.doubt().is_some());
                }
            }
        }
        let [without, with] = detected;
        assert!(with > 60 && 10 * with >= 9 * without, "{with} of 120, without queues {without}");
    }

    /// The finding on a runner whose calls wait for another thread: `works` ns of each call, of
    /// which it reports 1 us, and for `queues` ns of each call that thread stands in a queue.
    fn of_helper(works: f64, queues: f64) -> Finding {
        let total = std::cell::Cell::new(0.0);
        let mut slice = |preroll: u64, calls: u64| {
            let all = (preroll + calls) as f64;
            total.set(total.get() + all * queues);
            let waited = BESIDE_NS + all * (1e3 + works + queues);
            let timed = Timed { reported: 1e3 * calls as f64, waited };
            Ok(Sample { timed, cpu: None, queued: Some(3e3) })
        };
        audit(&mut slice, &mut || Some(total.get()), 1e3, SINGLE, 1.0).unwrap()
    }

    #[test]
    fn a_thread_without_a_processor_is_no_lie_and_work_in_a_thread_is_one() {
        assert_eq!(of_helper(0.0, 500.0), Finding::TooBusy(TOO_BUSY.to_string()));
        for queues in [0.0, 300.0] {
            assert!(matches!(of_helper(1e3, queues), Finding::False(_)), "{queues}");
        }
    }

    #[test]
    fn beside_a_neighbour_liars_are_detected() {
        let mut passed = Vec::new();
        for (neighbour, seed) in NEIGHBOURS.into_iter().flat_map(|n| (0..5).map(move |s| (n, s))) {
            for call in [5e3, 1e4, 1e5, 1e6, 1e7] {
                for tells in [true, false] {
                    let doubt = Model::new(neighbour, call, 0.05, tells, seed).doubt();
                    // If the tool itself always wakes late, that can hide a lie of 5 %.
                    let rarely_late = neighbour.delays < 50e3;
                    let at = format!("{neighbour:?} {call} ns, {tells}, seed {seed}");
                    assert!(doubt.is_some() || !rarely_late, "{at}");
                    passed.extend(doubt.is_none().then_some(at));
                }
            }
        }
        assert!(passed.len() <= 2, "more than two of 50: {passed:#?}");
    }

    /// The verdict on a runner whose every longer slice is answered late, by a fifth of its time.
    fn beside_a_thief(hidden: f64, cpu: impl Fn(f64, f64) -> Option<f64>) -> Option<String> {
        let mut slice = |preroll: u64, calls: u64| {
            let ran = BESIDE_NS + 1e4 * (preroll + calls) as f64;
            let timed = 1e4 * calls as f64;
            let waited = ran + 0.2 * timed;
            let reported = (1.0 - hidden) * timed;
            let timed = Timed { reported, waited };
            Ok(Sample { timed, cpu: cpu(ran, reported), queued: None })
        };
        doubt(&mut slice, 1e4, 1)
    }

    /// The verdict on a runner with calls of 10 us, of which it leaves out `hidden`. After its
    /// first slice another program begins, and every answer comes 120 us later.
    fn beside_what_begins(hidden: f64, tells: bool) -> Option<String> {
        let mut asked = 0;
        let mut slice = |preroll: u64, calls: u64| {
            asked += 1;
            let late = if asked == 1 { 0.0 } else { 120e3 };
            let ran = BESIDE_NS + 1e4 * (preroll + calls) as f64;
            let reported = (1.0 - hidden) * 1e4 * calls as f64;
            let timed = Timed { reported, waited: ran + late };
            Ok(Sample { timed, cpu: tells.then_some(ran), queued: None })
        };
        doubt(&mut slice, 1e4, 1)
    }

    #[test]
    fn what_begins_beside_a_runner_makes_it_no_liar() {
        for tells in [false, true] {
            assert_eq!(beside_what_begins(0.0, tells), None);
            assert!(beside_what_begins(0.05, tells).is_some(), "nor does it hide a lie");
        }
    }

    #[test]
    fn time_that_the_process_did_not_run_does_not_count_against_it() {
        assert_eq!(beside_a_thief(0.0, |ran, _| Some(ran)), None);
        assert!(beside_a_thief(0.05, |ran, _| Some(ran)).is_some(), "nor does it excuse a lie");
        assert!(beside_a_thief(0.0, |_, _| None).is_some(), "if the system does not report it");
    }

    #[test]
    fn a_process_clock_that_leaves_out_what_is_reported_is_not_believed() {
        // A separate process makes the calls; the runner only waits for it.
        assert!(beside_a_thief(0.0, |_, _| Some(5e3)).is_some());
        let of_another = |calls: u64| 0.99 * 1e4 * calls as f64;
        assert!(beside_a_thief(0.0, |_, reported| Some(0.99 * reported)).is_some());
        let mut slice = |preroll: u64, calls: u64| {
            let waited = BESIDE_NS + 1e4 * (preroll + calls) as f64;
            let timed = Timed { reported: 1e4 * calls as f64, waited };
            Ok(Sample { timed, cpu: Some(of_another(calls)), queued: None })
        };
        assert_eq!(doubt(&mut slice, 1e4, 1), None, "and its wall clock is right");
    }

    #[test]
    fn compilers_and_collectors_make_no_runner_a_liar() {
        let mut asked = 0.0;
        let mut slice = |preroll: u64, calls: u64| {
            asked += 1.0;
            let waited = BESIDE_NS + 1e4 * (preroll + calls) as f64;
            let timed = Timed { reported: 1e4 * calls as f64, waited };
            let cpu = Some(waited * (1.3 + (asked % 5.0) / 10.0));
            Ok(Sample { timed, cpu, queued: None })
        };
        assert_eq!(doubt(&mut slice, 1e4, 1), None);
    }

    #[test]
    fn a_runner_that_sleeps_outside_the_time_is_detected() {
        let usage = |cpu_ns, sleeps| Usage { cpu_ns, sleeps };
        let timed = Timed { reported: 4e5, waited: 6e5 };
        let cpu = |after| Sample::between(timed, Some((usage(1000, 7), after)), None).cpu;
        assert_eq!(cpu(usage(501_000, 7)), Some(5e5), "the next request came at once");
        assert_eq!(cpu(usage(501_000, 8)), Some(5e5), "it waits for the next request");
        assert_eq!(cpu(usage(501_000, 9)), None, "it waited for something else too");
        assert_eq!(cpu(usage(0, 8)), None, "a clock that goes back");
        assert_eq!(Sample::between(timed, None, None).cpu, None);
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
