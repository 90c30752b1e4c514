//! Why one contender takes longer than another: which of the measured differences accounts for the
//! ratio of their times.
//!
//! The time of a call is the number of its instructions times the time of each, so the logarithm of
//! the ratio is the sum of two parts, and either has a share of it. That is arithmetic; nothing is
//! fitted or assumed. A part *accounts for* a difference if it has two thirds of it ([`MOST`]).

mod verb;
mod words;

pub use verb::run;

use cupel_analyse::{Analysis, Answer, Ratio, Row, UNTRUSTED, Verdict};
use cupel_base::name::ContenderName;
use cupel_run::seen::Seen;
use cupel_stats::{ENOUGH_FORKS, Line};
use cupel_steps::{Executed, Function};
use serde::Serialize;
use std::collections::BTreeMap;

/// The share of a difference with which a part accounts for it.
const MOST: f64 = 2.0 / 3.0;

/// Instructions of a CPU feature with a smaller share of a call's are not its code path: a library
/// that is called aside, such as for copying, chooses its own.
const A_SHARE: f64 = 0.05;

/// How far a line through all sizes may be from the time at one of them, as a share.
const NEAR: f64 = 0.1;

/// The functions of the C library's allocator. None of them calls another by its name.
const ALLOCATOR: [&str; 7] =
    ["malloc", "calloc", "realloc", "free", "posix_memalign", "aligned_alloc", "memalign"];

/// The functions with which the C library locks and unlocks.
const LOCKS: [&str; 5] = [
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_unlock",
];

/// Two contenders at a size, and their differences.
#[derive(Debug)]
pub struct Compared<'a> {
    /// Message length in bytes.
    pub size: u64,
    /// The one that takes more time.
    pub slower: Side<'a>,
    /// The one that takes less time.
    pub faster: Side<'a>,
    /// The time of the slower one divided by the time of the faster one.
    pub ratio: Ratio,
    /// Whether the run has a verdict on it. Otherwise there is nothing to account for.
    pub decided: bool,
    /// Why not, if it is not for the interval alone.
    pub undecided: Option<String>,
    bytes: f64,
}

/// One of the two.
#[derive(Debug)]
pub struct Side<'a> {
    /// Its name.
    pub contender: &'a ContenderName,
    /// The time of a call, in ns, with the collection of its garbage.
    pub ns: f64,
    /// The part of it that is the collection of garbage, if any was seen.
    pub collecting_ns: Option<f64>,
    /// The bytes that a call allocates, if the runner can know.
    pub allocated: Option<f64>,
    /// The time of a call by the length of its message, over all sizes of the run.
    pub line: Option<Line>,
    /// The code path that it reports; empty if it reports none.
    pub code_path: &'a str,
    /// The instructions of a call, if they were seen.
    pub executed: Option<&'a Executed>,
}

/// The cause of a ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The slower one collects more garbage.
    Collection,
    /// It executes more instructions.
    MoreInstructions,
    /// Its instructions take longer.
    SlowerInstructions,
    /// Both of these, neither by itself.
    MoreAndSlowerInstructions,
}

/// The quantity with which a difference of two times grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cost {
    /// It is in each call, whatever its length.
    Call,
    /// It is in each byte.
    Byte,
    /// Both.
    Both,
}

/// Where most of the additional instructions are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// There.
    pub place: Place,
    /// The instructions that the slower one executes there more than the faster one, per call.
    pub more: u64,
}

/// Some of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A function with its callees.
    Function(Function),
    /// The functions that allocate and free memory.
    Allocator,
    /// The functions that lock.
    Locks,
    /// All code of an object.
    Object(String),
}

/// The instructions of one side in some of the code, and the calls of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// How many, per call of the contender.
    pub instructions: u64,
    /// How often its functions are called.
    pub calls: u64,
}

/// Compares two contenders of a run, at each size at which both have a time and a ratio. `b` is the
/// baseline.
pub fn compare<'a>(analysis: &'a Analysis, seen: &'a Seen, a: &str, b: &str) -> Vec<Compared<'a>> {
    analysis.comparisons.iter().filter_map(|answer| Compared::find(answer, seen, a, b)).collect()
}

/// Why the run has no verdict on a row, if it is not for the interval alone.
fn undecided(answer: &Answer, row: &Row, ratio: &Ratio) -> Option<String> {
    if answer.untrusted {
        return Some(UNTRUSTED.to_string());
    }
    let reason = row.reason.as_ref().map(|reason| format!("{}: {reason}", row.contender));
    reason.or_else(|| few_forks(row.forks, ratio))
}

/// That there are too few forks for an interval that excludes 1.
fn few_forks(forks: usize, ratio: &Ratio) -> Option<String> {
    let excludes = ratio.low > 1.0 || ratio.high < 1.0;
    let few = || format!("fewer than {ENOUGH_FORKS} forks show no small difference");
    (excludes && forks < ENOUGH_FORKS).then(few)
}

impl<'a> Compared<'a> {
    fn find(answer: &'a Answer, seen: &'a Seen, a: &str, b: &str) -> Option<Compared<'a>> {
        let size = answer.workload.size;
        let side = |name: &str| {
            let row = answer.rows.iter().find(|row| row.contender == *name)?;
            let executed = seen.by_size(name).and_then(|sizes| sizes.get(&size));
            Some((Side::from_row(row, row.ns?.median, executed), row))
        };
        let ((a, row), (b, _)) = (side(a)?, side(b)?);
        let ratio = row.ratio?;
        let decided = matches!(row.verdict, Verdict::Faster | Verdict::Slower);
        let undecided = undecided(answer, row, &ratio).filter(|_| !decided);
        let bytes = answer.workload.bytes_per_call();
        if ratio.estimate >= 1.0 {
            return Some(Compared { size, slower: a, faster: b, ratio, decided, undecided, bytes });
        }
        let Ratio { estimate, low, high } = ratio;
        let ratio = Ratio { estimate: 1.0 / estimate, low: 1.0 / high, high: 1.0 / low };
        Some(Compared { size, slower: b, faster: a, ratio, decided, undecided, bytes })
    }

    /// The cause of the ratio. `None` if it is not decided, or if nothing that was measured does.
    pub fn cause(&self) -> Option<Cause> {
        if !self.decided {
            return None;
        }
        if self.share(self.collection()?) >= MOST {
            return Some(Cause::Collection);
        }
        Some(match self.share(self.more_instructions()?) {
            share if share >= MOST => Cause::MoreInstructions,
            share if share <= 1.0 - MOST => Cause::SlowerInstructions,
            _ => Cause::MoreAndSlowerInstructions,
        })
    }

    /// The part of the ratio, as a factor, that its garbage collection is.
    pub fn collection(&self) -> Option<f64> {
        let without = |side: &Side<'_>| side.ns - side.collecting_ns.unwrap_or(0.0);
        let ratio = without(&self.slower) / without(&self.faster);
        Some(self.slower.ns / self.faster.ns / ratio).filter(|factor| *factor > 0.0)
    }

    /// How many times the instructions of the faster one the slower one executes.
    pub fn more_instructions(&self) -> Option<f64> {
        let [slower, faster] = [&self.slower, &self.faster]
            .map(|side| side.executed.map(|executed| executed.instructions as f64));
        Some(slower? / faster?).filter(|ratio| ratio.is_finite() && *ratio > 0.0)
    }

    /// The time of an instruction of the slower one, divided by the time of one of the faster.
    pub fn slower_instructions(&self) -> Option<f64> {
        Some(self.ratio.estimate / self.more_instructions()?)
    }

    /// A factor's share of the ratio.
    fn share(&self, factor: f64) -> f64 {
        factor.ln() / self.ratio.estimate.ln()
    }

    /// The quantity with which the difference grows, by the lines through the times of all sizes.
    /// `None` if there are too few sizes for a line, or if one is not near the time at this size.
    pub fn cost(&self) -> Option<Cost> {
        let (slower, faster) = (self.slower.line?, self.faster.line?);
        for (line, side) in [(slower, &self.slower), (faster, &self.faster)] {
            if (line.at(self.bytes) / side.ns - 1.0).abs() > NEAR {
                return None;
            }
        }
        let all = slower.at(self.bytes) - faster.at(self.bytes);
        let share = (slower.fixed_ns - faster.fixed_ns) / all;
        (self.decided && all > 0.0).then_some(match share {
            share if share >= MOST => Cost::Call,
            share if share <= 1.0 - MOST => Cost::Byte,
            _ => Cost::Both,
        })
    }

    /// Where the additional instructions are, if some of the code has most of them: the smallest
    /// such part, and an object only if no function is.
    pub fn part(&self) -> Option<Part> {
        let (slower, faster) = (self.slower.executed?, self.faster.executed?);
        let all = slower.instructions.checked_sub(faster.instructions).filter(|more| *more > 0)?;
        let more = |spent: u64, of_faster: u64| {
            let more = spent.saturating_sub(of_faster);
            (more as f64 >= MOST * all as f64).then_some(more)
        };
        let instead = instead(faster, slower);
        let functions = slower.functions.iter().filter(|(function, _)| function.name.is_some());
        let functions = functions.filter_map(|(function, spent)| {
            let other = faster.functions.get(function);
            if other.is_none() && instead * 2 >= spent.with_callees {
                return None;
            }
            let part = more(spent.with_callees, other.map_or(0, |spent| spent.with_callees))?;
            // A function with far more is around something that the faster one does elsewhere.
            (part as f64 * MOST <= all as f64).then(|| {
                let place = Place::Function(function.clone());
                (spent.with_callees, Part { place, more: part })
            })
        });
        let groups = [Place::Allocator, Place::Locks].into_iter().filter_map(|place| {
            let [spent, other] = [&self.slower, &self.faster].map(|side| side.spent(&place));
            let part = more(spent?.instructions, other?.instructions)?;
            Some((spent?.instructions, Part { place, more: part }))
        });
        let smallest = functions.chain(groups).min_by_key(|(spent, _)| *spent);
        let objects = self.slower.objects().into_iter().filter_map(|(object, spent)| {
            let other = self.faster.objects().get(object).copied().unwrap_or(0);
            let part = more(spent, other)?;
            Some((spent, Part { place: Place::Object(object.to_string()), more: part }))
        });
        smallest.or_else(|| objects.min_by_key(|(spent, _)| *spent)).map(|(_, part)| part)
    }

    /// The features of the CPU that only the faster one uses, then those that only the slower one
    /// uses, each with its number of instructions.
    pub fn only(&self) -> [Vec<(&'static str, u64)>; 2] {
        let (Some(slower), Some(faster)) = (self.slower.executed, self.faster.executed) else {
            return [vec![], vec![]];
        };
        [(faster, slower), (slower, faster)].map(|(own, other)| {
            let least = A_SHARE * own.instructions as f64;
            own.only_here(other).filter(|(_, count)| *count as f64 >= least).collect()
        })
    }
}

impl<'a> Side<'a> {
    fn from_row(row: &'a Row, ns: f64, executed: Option<&'a Executed>) -> Side<'a> {
        Side {
            contender: &row.contender,
            ns,
            collecting_ns: row.collecting_ns_per_call,
            allocated: row.allocated_per_call,
            line: row.line,
            code_path: &row.code_path,
            executed,
        }
    }

    /// The instructions in some of the code, if that was seen.
    pub fn spent(&self, place: &Place) -> Option<Spent> {
        let functions = &self.executed?.functions;
        let mut all = Spent::default();
        for (function, spent) in functions {
            let name = function.name.as_deref().unwrap_or_default();
            let instructions = match place {
                Place::Function(wanted) if function == wanted => spent.with_callees,
                Place::Allocator if ALLOCATOR.contains(&name) => spent.with_callees,
                Place::Locks if LOCKS.contains(&name) => spent.with_callees,
                Place::Object(object) if function.object == *object => spent.own,
                _ => continue,
            };
            all.instructions += instructions;
            all.calls += spent.calls;
        }
        Some(all)
    }

    /// The instructions of each object.
    pub fn objects(&self) -> BTreeMap<&'a str, u64> {
        let mut objects = BTreeMap::new();
        for (function, spent) in self.executed.iter().flat_map(|executed| &executed.functions) {
            *objects.entry(function.object.as_str()).or_default() += spent.own;
        }
        objects
    }
}

/// The most instructions that one side spends in a function that the other does not call: the other
/// may do the same work under another name. A function with half of the call is around it.
fn instead(side: &Executed, other: &Executed) -> u64 {
    let alone = side.functions.iter().filter(|(function, spent)| {
        let is_around = spent.with_callees * 2 >= side.instructions;
        function.name.is_some() && !other.functions.contains_key(function) && !is_around
    });
    alone.map(|(_, spent)| spent.with_callees).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_steps::Spent;

    fn function(name: &str) -> Function {
        Function { object: "lib.so".into(), name: Some(name.into()) }
    }

    /// A call of these functions: own instructions, and with their callees.
    fn executed(functions: &[(&str, u64, u64)]) -> Executed {
        let instructions = functions.iter().map(|(_, own, _)| own).sum();
        let functions = functions.iter().map(|&(name, own, with_callees)| {
            (function(name), Spent { own, with_callees, calls: 1 })
        });
        Executed { instructions, functions: functions.collect(), ..Executed::default() }
    }

    fn side<'a>(ns: f64, executed: &'a Executed, name: &'a ContenderName) -> Side<'a> {
        let executed = Some(executed);
        Side {
            contender: name,
            ns,
            collecting_ns: None,
            allocated: None,
            line: None,
            code_path: "",
            executed,
        }
    }

    /// The result of `look` for a slower call that takes this many ns, and a faster one of 100 ns.
    fn with_compared<T>(
        ns: f64,
        slower: &Executed,
        faster: &Executed,
        look: impl FnOnce(&mut Compared<'_>) -> T,
    ) -> T {
        let [a, b] = ["a", "b"].map(ContenderName::from);
        let estimate = ns / 100.0;
        look(&mut Compared {
            size: 16,
            slower: side(ns, slower, &a),
            faster: side(100.0, faster, &b),
            ratio: Ratio { estimate, low: estimate * 0.99, high: estimate * 1.01 },
            decided: true,
            undecided: None,
            bytes: 16.0,
        })
    }

    #[test]
    fn two_that_are_not_separated_have_the_reason() {
        let said = |forks: usize, low: f64| {
            let ratio = Ratio { estimate: 1.1, low, high: 1.2 };
            let found = with_compared(110.0, &count(1), &count(1), |one| {
                (one.decided, one.ratio, one.undecided) = (false, ratio, few_forks(forks, &ratio));
                words::findings(std::slice::from_ref(one), &[])
            });
            let text = cupel_print::print::text(&found.0, cupel_print::Style::default());
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let head = "16 B: a and b are not separated: the ratio of their times is 1.100 [";
        let few = "1.050 .. 1.200]; fewer than 11 forks show no small difference";
        assert!(said(10, 1.05).starts_with(&format!("{head}{few}")), "{}", said(10, 1.05));
        assert!(!said(10, 0.95).contains("fewer"), "{}", said(10, 0.95));
        assert!(!said(11, 1.05).contains("fewer"), "{}", said(11, 1.05));
    }

    /// A call that executes as many instructions.
    fn count(instructions: u64) -> Executed {
        Executed { instructions, ..Executed::default() }
    }

    #[test]
    fn a_ratio_is_more_instructions_or_slower_ones() {
        let cause = |ns, slower, faster| {
            with_compared(ns, &count(slower), &count(faster), |one| one.cause())
        };
        assert_eq!(cause(300.0, 3000, 1000), Some(Cause::MoreInstructions));
        assert_eq!(cause(300.0, 5000, 1000), Some(Cause::MoreInstructions), "each is faster");
        assert_eq!(cause(300.0, 1000, 1000), Some(Cause::SlowerInstructions));
        assert_eq!(cause(300.0, 500, 1000), Some(Cause::SlowerInstructions));
        assert_eq!(cause(300.0, 1732, 1000), Some(Cause::MoreAndSlowerInstructions));
        // Two thirds of the logarithm of 3 are the logarithm of 2.080, a third is the logarithm of
        // 1.442.
        assert_eq!(cause(300.0, 2079, 1000), Some(Cause::MoreAndSlowerInstructions));
        assert_eq!(cause(300.0, 2081, 1000), Some(Cause::MoreInstructions));
        assert_eq!(cause(300.0, 1443, 1000), Some(Cause::MoreAndSlowerInstructions));
        assert_eq!(cause(300.0, 1442, 1000), Some(Cause::SlowerInstructions));
    }

    #[test]
    fn nothing_accounts_for_what_is_not_decided_or_was_not_seen() {
        let (slower, faster) = (count(3000), count(1000));
        let open = with_compared(300.0, &slower, &faster, |one| {
            one.decided = false;
            (one.cause(), one.cost())
        });
        assert_eq!(open, (None, None));
        let unseen = with_compared(300.0, &slower, &faster, |one| {
            one.faster.executed = None;
            (one.cause(), one.part(), one.only())
        });
        assert_eq!(unseen, (None, None, [vec![], vec![]]));
    }

    /// Garbage is collected by threads that are not stepped, so it needs no instructions here.
    #[test]
    fn garbage_collection_accounts_for_a_ratio_that_is_small_without_it() {
        let cause = |collecting| {
            with_compared(300.0, &count(1000), &count(1000), |one| {
                one.slower.collecting_ns = Some(collecting);
                one.slower.executed = None;
                one.cause()
            })
        };
        assert_eq!(cause(180.0), Some(Cause::Collection));
        assert_eq!(cause(20.0), None);
    }

    #[test]
    fn the_smallest_function_with_most_of_the_additional_instructions_is_named() {
        let slower = executed(&[
            ("loop", 10, 2000),
            ("one_shot", 290, 1990),
            ("fetch", 400, 1200),
            ("lock", 800, 800),
            ("hash", 500, 500),
        ]);
        let faster = executed(&[("loop", 10, 550), ("update", 40, 540), ("hash", 500, 500)]);
        let part = with_compared(300.0, &slower, &faster, |one| one.part()).unwrap();
        let expected = Part { place: Place::Function(function("fetch")), more: 1200 };
        assert_eq!(part, expected, "800 of 1450 are not most");
    }

    /// Two functions of different names may do the same.
    #[test]
    fn a_function_that_the_other_one_may_do_without_its_name_is_not_named() {
        let hashes = |own| ["h1", "h2", "h3", "h4"].map(|name| (name, own, own));
        let slower = executed(
            &[&[("around", 0, 1245), ("init", 345, 345), ("x", 100, 100)][..], &hashes(200)]
                .concat(),
        );
        let part = |own, hash| {
            let faster = executed(&[&[("init2", own, own)][..], &hashes(hash)].concat());
            assert_eq!(slower.instructions - faster.instructions, 412);
            with_compared(140.0, &slower, &faster, |one| one.part()).map(|part| part.place)
        };
        assert_eq!(part(33, 200), Some(Place::Function(function("init"))));
        assert_eq!(part(301, 133), Some(Place::Object("lib.so".into())));
    }

    #[test]
    fn calls_of_the_allocator_count_together_and_an_object_without_names_as_a_whole() {
        let slower = executed(&[("f", 100, 1100), ("malloc", 500, 500), ("free", 500, 500)]);
        let faster = executed(&[("f", 100, 100)]);
        let part = with_compared(300.0, &slower, &faster, |one| {
            let spent = one.slower.spent(&Place::Allocator);
            assert_eq!(spent, Some(super::Spent { instructions: 1000, calls: 2 }));
            one.part()
        });
        assert_eq!(part, Some(Part { place: Place::Allocator, more: 1000 }));
        let mut slower = count(1000);
        let nameless = Function { object: "stripped.so".into(), name: None };
        let spent = Spent { own: 1000, with_callees: 1000, calls: 1 };
        slower.functions = [(nameless, spent)].into();
        let part = with_compared(300.0, &slower, &count(100), |one| one.part());
        let place = Place::Object("stripped.so".into());
        assert_eq!(part, Some(Part { place, more: 1000 }));
        assert_eq!(
            with_compared(300.0, &faster, &slower, |one| one.part()),
            None,
            "there are fewer"
        );
    }

    #[test]
    fn a_feature_that_one_alone_uses_a_little_is_not_its_code_path() {
        let mut faster = count(1000);
        faster.features = [("SHA", 400), ("AVX2", 20), ("SSE4", 60)].into();
        let mut slower = count(4000);
        slower.features = [("SSE4", 100)].into();
        let only = with_compared(300.0, &slower, &faster, |one| one.only());
        assert_eq!(only, [vec![("SHA", 400)], vec![]]);
    }

    #[test]
    fn a_difference_is_in_each_call_or_in_each_byte() {
        let line = |fixed_ns, per_byte_ns| {
            Some(Line { fixed_ns, per_byte_ns, smallest: 16.0, largest: 1024.0 })
        };
        let cost = |slower: Option<Line>, faster: Option<Line>, bytes: f64| {
            let at = |line: Option<Line>| line.map_or(1.0, |line| line.at(bytes));
            with_compared(at(slower), &count(1), &count(1), |one| {
                (one.slower.line, one.faster.line, one.bytes) = (slower, faster, bytes);
                one.faster.ns = at(faster);
                (one.cost(), {
                    one.slower.ns *= 1.2;
                    one.cost()
                })
            })
        };
        let (near, far) = (Some(Cost::Call), None);
        assert_eq!(cost(line(300.0, 1.0), line(50.0, 1.0), 16.0), (near, far));
        assert_eq!(cost(line(50.0, 5.0), line(50.0, 1.0), 16.0), (Some(Cost::Byte), far));
        assert_eq!(cost(line(100.0, 4.0), line(50.0, 1.0), 16.0), (Some(Cost::Both), far));
        assert_eq!(cost(line(300.0, 1.0), None, 16.0), (None, None));
    }
}
