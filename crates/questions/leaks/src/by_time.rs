//! The result of times for a contender whose calls cannot be compared instruction by instruction.
//!
//! One process has cells that differ in one secret only, and a second cell with the same secrets:
//! the control. Cells of forged messages are compared with each other. Which secret has which slot
//! is drawn again for each block of rounds, so if a secret makes no difference, the signs of the
//! blocks' differences are fair coins ([`cupel_stats::signed_rank`]). This module has the
//! differences and decides from them; `cupel-run` measures them.

use crate::secrets::{Inputs, Question, Secret};
use cupel_protocol::bytes;
use cupel_stats::interval::{Interval, Side};
use cupel_stats::quantile::median;
use cupel_stats::signed_rank::{Shift, shift};

/// The probability that a run of the command reports `leaks` for anything that does not, or that
/// any of its intervals is wrong.
pub const ERROR: f64 = 0.01;

/// The same probability for each half of the processes alone: a leak must be seen in both.
const ERROR_OF_HALF: f64 = 0.01;

/// How many stages of processes there are at most: a look-up in a table is a few ns of a call with
/// cold caches, whose times scatter by more. Each look at the times has its part of the error.
pub const STAGES: u64 = 3;

/// "None" is said only if no difference is larger than this share of a call: of calls that follow
/// each other, and of single calls and slow refusals, whose times scatter more.
const BOUND: (f64, f64) = (0.01, 0.05);

/// A smaller difference in ns than this is none either: single calls are timed by a clock with
/// steps of 10 ns or more, and calls that follow each other may take less than that.
const LEAST_NS: (f64, f64) = (0.5, 5.0);

/// A thread that ran for a smaller share of its calls waited for something else to do their work.
const RAN: f64 = 0.8;

/// A thread that ran longer than its reported time, by over this factor, timed something else.
/// Python's harness, whose outputs are folded while the clock stands, needs less.
const RAN_AT_MOST: f64 = 20.0;

/// Among how many seeds the messages with the fewest and the most ones are looked for, and in how
/// many bytes of messages.
const CANDIDATES: (u64, u64) = (4096, 1 << 24);

/// How a call is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Calls that follow each other: the median of a block.
    Hot,
    /// Calls that follow each other: the ninetieth percentile of a block.
    HotTail,
    /// Single calls, before each of which the caches next to the processor were filled with
    /// something else: a look-up in a table shows there, and not where the table is hot. The mean
    /// of the middle half of a block.
    Cold,
}

impl Measure {
    /// All of them.
    pub const ALL: [Measure; 3] = [Measure::Hot, Measure::HotTail, Measure::Cold];
}

/// A secret that is timed.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// The secret that differs from the first class; `None` for the control.
    pub differs: Option<Secret>,
    /// The inputs of the calls.
    pub inputs: Inputs,
    /// The position of the class with which it is compared; its own if it is the first of those
    /// that are compared.
    pub first: usize,
}

/// The times of all classes in one block, in ns per call, by [`Measure::ALL`]. An unmeasured one is
/// NaN.
pub type Block = Vec<[f64; Measure::ALL.len()]>;

/// How much longer calls with one secret take than with the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The secret.
    pub secret: Secret,
    /// The first secret and this one.
    pub apart: [Inputs; 2],
    /// How the calls were timed.
    pub measure: Measure,
    /// How long a call with the first of the two takes, in ns.
    pub call: f64,
    /// How much longer, in ns per call.
    pub shift: Shift,
    /// Whether it was seen in the first half of the processes and in the second half.
    pub is_repeated: bool,
}

/// The result of a contender's times.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    /// The differences of all secrets, in all measures that there are.
    pub differences: Vec<Difference>,
    /// The farthest that the control may be off, in ns per call, by measure.
    pub controls: Vec<(Measure, Shift)>,
    /// The time of a call with the first secret, by measure.
    pub calls: Vec<(Measure, f64)>,
    /// How many other keys were compared with the first one.
    pub keys: usize,
    /// How many other messages.
    pub messages: usize,
    /// The bytes in which tags were forged.
    pub tags: Vec<u8>,
    /// How many blocks count.
    pub blocks: usize,
    /// The number of its processes.
    pub processes: usize,
    /// For which share of its calls the thread that makes them ran, if the system says so.
    pub ran: Option<f64>,
    /// For which share all other threads of the runner and its children ran.
    pub others_ran: Option<f64>,
}

/// The verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Calls with one secret take longer than with another.
    Leaks,
    /// No difference is larger than this, in ns per call: of calls that follow each other, and of
    /// single ones.
    NoneAbove {
        /// Hot.
        hot: Bound,
        /// Cold, if that was measured.
        cold: Option<Bound>,
        /// The bound for calls that refuse their messages, if there are any, hot or cold.
        refused: Option<Bound>,
    },
    /// The times scatter too much for either.
    Open(String),
    /// One secret takes different times, so another may, too; or something else did the work.
    Untrusted(String),
}

/// The upper limit of all differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// In ns per call.
    pub ns: f64,
    /// As a share of a call.
    pub share: f64,
}

/// The secrets that are timed: the first, the same again, and others.
pub fn classes(question: &Question<'_>) -> Vec<Class> {
    let base = question.inputs(0);
    let class = |differs, inputs| Class { differs, inputs, first: 0 };
    let mut classes = vec![class(None, base.clone()), class(None, base.clone())];
    // All zeros, all ones, and one that is drawn.
    let keys = question.other_keys(&base);
    let some = [0, 1, keys.len().saturating_sub(1)].into_iter().filter_map(|n| keys.get(n));
    classes.extend(some.map(|inputs| class(Some(Secret::Key), inputs.clone())));
    if question.size > 0 {
        let drawn = question.inputs(1).seed;
        let alike = question.begins_as(&base);
        let seeds = extremes(question, base.seed).into_iter().chain([drawn]).chain(alike);
        let others = seeds.map(|seed| Inputs { seed, ..base.clone() });
        classes.extend(others.map(|inputs| class(Some(Secret::Message), inputs)));
    }
    let first = classes.len();
    let forged = question.forgeries(&base).into_iter();
    classes.extend(forged.map(|inputs| Class { differs: Some(Secret::Tag), inputs, first }));
    classes
}

/// The seeds of two messages with few and with many ones.
fn extremes(question: &Question<'_>, first: u64) -> [u64; 2] {
    let (most, bytes_in_all) = CANDIDATES;
    let count = (bytes_in_all / question.size).clamp(2, most);
    let ones = |seed: &u64| {
        let message = bytes::stream(*seed, question.size as usize);
        message.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>()
    };
    let seeds = || first + 1..=first + count;
    let fewest = seeds().min_by_key(ones).unwrap_or(first);
    [fewest, seeds().max_by_key(ones).unwrap_or(first)]
}

/// Compares these classes by their blocks. Each process has its blocks. The error is shared by all
/// differences of all questions of a run, in all stages.
pub fn compare(classes: &[Class], processes: &[Vec<Block>], questions: usize) -> Timed {
    let compared = || classes.iter().enumerate().filter(|(number, class)| class.first != *number);
    let asked = compared().count() * questions.max(1);
    let comparisons = asked * Measure::ALL.len() * STAGES as usize;
    let error = ERROR / comparisons as f64;
    let half = processes.len().div_ceil(2);
    let that_differ = |secret| classes.iter().filter(move |class| class.differs == Some(secret));
    let mut timed = Timed {
        differences: vec![],
        controls: vec![],
        calls: vec![],
        keys: that_differ(Secret::Key).count(),
        messages: that_differ(Secret::Message).count(),
        tags: that_differ(Secret::Tag).filter_map(|class| class.inputs.forged).collect(),
        blocks: processes.iter().map(Vec::len).sum(),
        processes: processes.len(),
        ran: None,
        others_ran: None,
    };
    for (number, &measure) in Measure::ALL.iter().enumerate() {
        let of = |processes: &[Vec<Block>], class: usize| -> Vec<f64> {
            let blocks = processes.iter().flatten();
            let first = classes[class].first;
            let differences = blocks.map(|block| block[class][number] - block[first][number]);
            differences.filter(|difference| difference.is_finite()).collect()
        };
        let call = |class: usize| {
            let calls = processes.iter().flatten().map(|block| block[class][number]);
            let calls: Vec<f64> = calls.filter(|ns| ns.is_finite()).collect();
            (!calls.is_empty()).then(|| median(&calls))
        };
        let Some(usual) = call(0) else { continue };
        timed.calls.push((measure, usual));
        for (number, class) in compared() {
            let shifted = shift(&of(processes, number), error);
            let Some(secret) = class.differs else {
                timed.controls.push((measure, shifted));
                continue;
            };
            let halves = [&processes[..half], &processes[half..]].map(|processes| {
                shift(&of(processes, number), ERROR_OF_HALF).interval.excludes(0.0)
            });
            timed.differences.push(Difference {
                secret,
                apart: [classes[class.first].inputs.clone(), class.inputs.clone()],
                measure,
                call: call(class.first).unwrap_or(usual),
                shift: shifted,
                is_repeated: halves[0].is_some() && halves[0] == halves[1],
            });
        }
    }
    timed
}

impl Timed {
    /// The differences that are certain, the largest first.
    pub fn leaks(&self) -> Vec<&Difference> {
        let mut leaks: Vec<&Difference> =
            self.differences.iter().filter(|difference| self.is_leak(difference)).collect();
        leaks.sort_by(|a, b| b.shift.estimate.abs().total_cmp(&a.shift.estimate.abs()));
        leaks
    }

    fn is_leak(&self, difference: &Difference) -> bool {
        let side = difference.shift.interval.excludes(self.off(difference.measure));
        side.is_some() && difference.is_repeated
    }

    /// The control's deviation in this measure, in ns per call.
    fn off(&self, measure: Measure) -> f64 {
        let of = self.controls.iter().find(|(other, _)| *other == measure);
        of.map_or(f64::INFINITY, |(_, control)| control.estimate.abs())
    }

    /// The largest difference that the intervals of these measures allow, of calls that refuse
    /// their messages or of those that do not.
    fn bound(&self, measures: &[Measure], refuse: bool) -> Option<Bound> {
        let of = self.differences.iter().filter(|one| measures.contains(&one.measure));
        let bounds = of.filter(|one| one.refuses() == refuse).map(|one| {
            let ns = one.bound();
            Bound { ns, share: ns / one.call }
        });
        bounds.reduce(|a, b| Bound { ns: a.ns.max(b.ns), share: a.share.max(b.share) })
    }

    /// Whether more processes would add nothing that matters: it leaks, or none above so few ns
    /// that a look-up in a table would have shown.
    pub fn is_settled(&self) -> bool {
        match self.decision() {
            Decision::Leaks => true,
            Decision::NoneAbove { cold, .. } => cold.is_none_or(|cold| cold.ns <= LEAST_NS.1),
            Decision::Open(_) | Decision::Untrusted(_) => false,
        }
    }

    /// Its decision.
    pub fn decision(&self) -> Decision {
        let sides = |shift: &Shift| shift.interval.excludes(0.0);
        let off = self.controls.iter().find(|(_, control)| sides(control).is_some());
        if let Some((measure, control)) = off {
            let longer = if sides(control) == Some(Side::Above) { "longer" } else { "shorter" };
            let ns = control.estimate.abs();
            return Decision::Untrusted(format!(
                "the same secret in another place takes {ns:.2} ns {longer}{}",
                measure.in_words()
            ));
        }
        if !self.leaks().is_empty() {
            return Decision::Leaks;
        }
        if let Some(ran) = self.ran.filter(|ran| *ran < RAN) {
            let percent = 100.0 * ran;
            return Decision::Untrusted(format!(
                "its thread ran for {percent:.0} % of its calls: it waited for others to do the work, \
                 and what that takes hides the rest"
            ));
        }
        if let Some(ran) = self.ran.filter(|ran| *ran > RAN_AT_MOST) {
            return Decision::Untrusted(format!(
                "its thread ran {ran:.0} times as long as the runner says that its calls took"
            ));
        }
        if let Some(others) = self.others_ran.filter(|others| *others > 1.0 - RAN) {
            let percent = 100.0 * others;
            return Decision::Untrusted(format!(
                "other threads or processes of it ran for {percent:.0} % of the time of its calls, \
                 and may have done their work"
            ));
        }
        let wide = self.differences.iter().filter(|one| one.bound() > one.allowed());
        let excess = |one: &&Difference| one.bound() / one.allowed();
        if let Some(widest) = wide.max_by(|a, b| excess(a).total_cmp(&excess(b))) {
            let (bound, allowed, call) = (widest.bound(), widest.allowed(), widest.call);
            let what = if widest.refuses() { "refusal" } else { "call" };
            let (blocks, words) = (self.blocks, widest.measure.in_words());
            if bound.is_infinite() {
                return Decision::Open(format!(
                    "a {what} takes {call:.0} ns, and {blocks} blocks of them are too few to say \
                     anything"
                ));
            }
            return Decision::Open(format!(
                "{bound:.2} ns of a {what} of {call:.0} ns may differ after {blocks} blocks{words}; \
                 {allowed:.2} ns is the limit"
            ));
        }
        let hot = self.bound(&[Measure::Hot, Measure::HotTail], false);
        let cold = self.bound(&[Measure::Cold], false);
        let refused = self.bound(&Measure::ALL, true);
        match hot {
            Some(hot) => Decision::NoneAbove { hot, cold, refused },
            None => Decision::Open("nothing was timed".to_string()),
        }
    }
}

impl Difference {
    /// The largest difference that its interval allows, in ns per call.
    fn bound(&self) -> f64 {
        let Interval { low, high } = self.shift.interval;
        low.abs().max(high.abs())
    }

    /// The largest one with which it is said that there is none.
    fn allowed(&self) -> f64 {
        let scatters = match self.measure {
            Measure::Hot => false,
            Measure::HotTail => self.refuses(),
            Measure::Cold => true,
        };
        let share = if scatters { BOUND.1 } else { BOUND.0 };
        let least = if self.measure == Measure::Cold { LEAST_NS.1 } else { LEAST_NS.0 };
        (share * self.call).max(least)
    }

    /// Whether the calls refuse their messages.
    fn refuses(&self) -> bool {
        self.secret == Secret::Tag
    }
}

impl Measure {
    /// How calls are timed, as the end of a sentence; empty for the usual way.
    pub fn in_words(self) -> &'static str {
        match self {
            Measure::Hot => "",
            Measure::HotTail => ", at the ninetieth percentile",
            Measure::Cold => ", with cold caches",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are as good as random.
    struct Random(u64);

    impl Random {
        fn uniform(&mut self) -> f64 {
            self.0 += 1;
            f64::from(u32::from_le_bytes(bytes::stream(self.0, 4).try_into().unwrap()))
                / 4294967296.0
        }

        /// Noise of a busy machine: one block in ten is slow as a whole, and each time scatters.
        fn noise(&mut self) -> f64 {
            let slow = if self.uniform() < 0.1 { 50.0 } else { 0.0 };
            slow * self.uniform() + self.uniform()
        }
    }

    fn class(differs: Option<Secret>, seed: u64) -> Class {
        Class { differs, inputs: Inputs { key: vec![1, 2], seed, forged: None }, first: 0 }
    }

    /// The first, the control, a key and a message.
    fn four() -> Vec<Class> {
        let differ = [None, None, Some(Secret::Key), Some(Secret::Message)];
        differ.into_iter().zip(0..).map(|(differs, seed)| class(differs, seed)).collect()
    }

    /// The verdict after two processes of 160 blocks, in which the calls with these classes take
    /// these ns longer, by measure.
    fn timed(seed: u64, longer: [[f64; 4]; 3]) -> Timed {
        let mut random = Random(seed << 32);
        let mut block = |_| -> Block {
            let of = |class: usize| longer.map(|by| 100.0 + by[class]);
            (0..4).map(|class| of(class).map(|ns| ns + random.noise())).collect()
        };
        let processes: Vec<Vec<Block>> =
            (0..2).map(|_| (0..160).map(&mut block).collect()).collect();
        compare(&four(), &processes, 1)
    }

    const NOTHING: [f64; 4] = [0.0; 4];

    #[test]
    fn what_takes_longer_leaks_and_is_named() {
        let timed = timed(1, [NOTHING, NOTHING, [0.0, 0.0, 0.0, -3.0]]);
        assert_eq!(timed.decision(), Decision::Leaks);
        let leaks = timed.leaks();
        assert_eq!(leaks.len(), 1, "{leaks:#?}");
        let leak = leaks[0];
        assert_eq!((leak.secret, leak.measure), (Secret::Message, Measure::Cold));
        assert!(leak.shift.interval.contains(-3.0), "{leak:?}");
        assert_eq!(leak.apart.each_ref().map(|inputs| inputs.seed), [0, 3]);
    }

    #[test]
    fn equal_times_are_bounded_and_never_leak() {
        for seed in 1..=60 {
            match timed(seed, [NOTHING; 3]).decision() {
                Decision::NoneAbove { hot, cold, refused: None } => {
                    assert!(hot.ns < 2.0 && cold.unwrap().ns < 2.0);
                }
                other => panic!("{seed}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_one_process_shows_and_the_other_does_not_is_no_leak() {
        let mut random = Random(1);
        let mut block = |by: f64| -> Block {
            let longer = [0.0, 0.0, by, 0.0].map(|by| [100.0 + by; 3]);
            longer.map(|of| of.map(|ns| ns + random.noise())).to_vec()
        };
        let [first, second] = [30.0, 0.0].map(|by| (0..160).map(|_| block(by)).collect());
        let timed = compare(&four(), &[first, second], 1);
        assert!(timed.differences.iter().all(|one| !one.is_repeated), "{timed:#?}");
        assert!(matches!(timed.decision(), Decision::Open(why) if why.contains("may differ")));
    }

    #[test]
    fn a_control_that_is_off_leaves_nothing_to_say() {
        let timed = timed(1, [[0.0, 4.0, 30.0, 0.0], NOTHING, NOTHING]);
        assert!(
            matches!(timed.decision(), Decision::Untrusted(why) if why.contains("another place"))
        );
    }

    #[test]
    fn a_thread_that_waited_for_others_is_not_bounded_but_may_leak() {
        let mut none = timed(1, [NOTHING; 3]);
        none.ran = Some(0.97);
        assert!(matches!(none.decision(), Decision::NoneAbove { .. }), "{none:?}");
        none.ran = Some(0.4);
        assert!(matches!(none.decision(), Decision::Untrusted(why) if why.contains("40 %")));
        none.ran = Some(4.0);
        assert!(matches!(none.decision(), Decision::NoneAbove { .. }), "a harness: {none:?}");
        none.ran = Some(50.0);
        assert!(matches!(none.decision(), Decision::Untrusted(why) if why.contains("50 times")));
        (none.ran, none.others_ran) = (Some(1.0), Some(0.1));
        assert!(matches!(none.decision(), Decision::NoneAbove { .. }), "{none:?}");
        none.others_ran = Some(0.95);
        assert!(matches!(none.decision(), Decision::Untrusted(why) if why.contains("95 %")));
        let leaks = timed(1, [NOTHING, NOTHING, [0.0, 0.0, 0.0, -3.0]]);
        let leaks = Timed { ran: Some(0.4), others_ran: Some(0.9), ..leaks };
        assert_eq!(leaks.decision(), Decision::Leaks);
    }

    #[test]
    fn a_difference_no_larger_than_the_control_s_is_no_leak() {
        let mut timed = timed(1, [[0.0, 0.0, 2.0, 0.0], NOTHING, NOTHING]);
        assert_eq!(timed.decision(), Decision::Leaks);
        let (_, control) = &mut timed.controls[0];
        control.estimate = 3.0;
        assert!(matches!(timed.decision(), Decision::NoneAbove { .. } | Decision::Open(_)));
    }

    #[test]
    fn more_is_timed_where_a_look_up_would_not_have_shown() {
        let mut timed = timed(1, [NOTHING; 3]);
        assert!(timed.is_settled(), "{timed:?}");
        let cold = timed.differences.iter_mut().find(|one| one.measure == Measure::Cold).unwrap();
        (cold.shift.interval, cold.call) = (Interval { low: -1.0, high: 5.5 }, 1000.0);
        assert!(
            matches!(timed.decision(), Decision::NoneAbove { cold: Some(cold), .. } if cold.ns == 5.5)
        );
        assert!(!timed.is_settled());
    }

    #[test]
    fn few_blocks_decide_nothing() {
        let block: Block = vec![[100.0, 100.0, f64::NAN]; 4];
        let timed = compare(&four(), &[vec![block.clone()], vec![block]], 1);
        let Decision::Open(why) = timed.decision() else { panic!("{timed:?}") };
        assert_eq!(why, "a call takes 100 ns, and 2 blocks of them are too few to say anything");
        assert!(timed.calls.iter().all(|(measure, _)| *measure != Measure::Cold));
        assert!(matches!(compare(&four(), &[vec![], vec![]], 1).decision(), Decision::Open(_)));
    }

    #[test]
    fn more_questions_share_the_error() {
        let [one, many] = [1, 1000].map(|questions| {
            let block = |n: usize| vec![[100.0 + (n * 7 % 13) as f64, 100.0, 100.0]; 4];
            let mut blocks: Vec<Block> = (0..160).map(block).collect();
            for (n, block) in blocks.iter_mut().enumerate() {
                block[2][0] += (n % 17) as f64 - 8.0;
            }
            let timed = compare(&four(), &[blocks.clone(), blocks], questions);
            timed.differences[0].shift.interval.half_width()
        });
        assert!(many > 1.2 * one, "{one} {many}");
    }
}
