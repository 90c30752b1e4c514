//! Which instructions a call executes: a runner is stepped through slices of a few calls, one
//! instruction at a time. So the code path of a library that does not report one is seen.
//!
//! The instructions of a slice besides its calls (reading the request, writing the reply) are about
//! the same for one call as for more, so the difference is the calls. How many instructions a
//! runner needs to write a time depends on its digits, so a short call is counted in slices of
//! several. A runtime with threads of its own may do other work in a slice, such as collecting its
//! garbage, which would be counted as a part of the call. There, only a difference that two pairs
//! of slices have is taken for a call.

//!
//! [`trace`] records calls in their order, with the memory that they touch, to compare them.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod decode;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod functions;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod others;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod record;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod single;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod touched;

pub mod places;
mod step;
pub mod trace;

use cupel_protocol::message::{Prepare, Slice};
use cupel_runner::Host;
use cupel_runner::Process;
use cupel_runner::{Fault, expect_ok};
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
use functions::Symbols;
use std::collections::BTreeMap;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
type Symbols = ();

/// The instructions that one call executes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    /// How many.
    pub instructions: u64,
    /// How many need a feature of the CPU that the first 64-bit CPUs did not have, by the name of
    /// the feature, such as `SHA` or `AVX2`.
    pub features: BTreeMap<&'static str, u64>,
    /// How many each function executes.
    pub functions: BTreeMap<Function, Spent>,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Function {
    /// The name of the file that it is in, such as `libcrypto.so.3`, or [`Function::AT_RUN_TIME`].
    pub object: String,
    /// Its name. `None` for all functions of the object that have none there.
    pub name: Option<String>,
}

impl Function {
    /// The object of code that is in no file.
    pub const AT_RUN_TIME: &str = "code compiled at run time";
}

/// The instructions of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Its own instructions.
    pub own: u64,
    /// Those, and the instructions of the functions that it calls.
    pub with_callees: u64,
    /// How often it is called.
    pub calls: u64,
}

/// Fewer instructions of a feature than this are not a code path: a process does more than calls.
const A_FEW: u64 = 16;

/// Replies of other numbers need this many instructions more or less.
const DIGITS: u64 = 1000;

impl Executed {
    /// The surplus of the second of two counts over the first.
    fn beyond(&self, less: &Executed) -> Executed {
        let mut features = self.features.clone();
        features.retain(|name, count| {
            *count = count.saturating_sub(less.features.get(name).copied().unwrap_or(0));
            *count >= A_FEW
        });
        let mut functions = self.functions.clone();
        for (function, spent) in &mut functions {
            let less = less.functions.get(function).copied().unwrap_or_default();
            *spent = Spent {
                own: spent.own.saturating_sub(less.own),
                with_callees: spent.with_callees.saturating_sub(less.with_callees),
                calls: spent.calls.saturating_sub(less.calls),
            };
        }
        let instructions = self.instructions.saturating_sub(less.instructions);
        Executed { instructions, features, functions }
    }

    /// One of several calls that were counted together.
    fn one_of(mut self, calls: u64) -> Executed {
        let one = |count| (count + calls / 2) / calls;
        self.instructions = one(self.instructions);
        self.functions.retain(|_, spent| {
            *spent = Spent {
                own: one(spent.own),
                with_callees: one(spent.with_callees),
                calls: one(spent.calls),
            };
            spent.own > 0 || spent.with_callees > 0
        });
        self.features.retain(|_, count| {
            *count /= calls;
            *count >= A_FEW
        });
        self
    }

    /// Whether both are one call of the same kind: they differ by less than an eighth, or than the
    /// digits in a reply.
    fn is_as_long_as(&self, other: &Executed) -> bool {
        let (own, other) = (self.instructions, other.instructions);
        own.abs_diff(other) <= (own.max(other) / 8).max(DIGITS)
    }

    /// Whether both execute as many instructions of each feature, and some. Their other
    /// instructions are not a measure: how many a runner needs to write a time depends on its
    /// digits.
    pub fn is_the_code_of(&self, other: &Executed) -> bool {
        !self.features.is_empty() && self.features == other.features
    }

    /// Whether both use the same features.
    pub fn has_the_features_of(&self, other: &Executed) -> bool {
        self.features.keys().eq(other.features.keys())
    }

    /// The features that this uses and the other does not.
    pub fn only_here<'a>(
        &'a self,
        other: &'a Executed,
    ) -> impl Iterator<Item = (&'static str, u64)> + 'a {
        let all = self.features.iter().map(|(name, count)| (*name, *count));
        all.filter(|(name, _)| !other.features.contains_key(name))
    }
}

/// Why nothing is known of the instructions of a call.
#[derive(Debug, thiserror::Error)]
pub enum Unseen {
    /// This system or CPU has no way to step.
    #[error("instructions can only be seen on Linux with an x86-64 CPU")]
    Elsewhere,
    /// The system forbids it, such as in some containers.
    #[error("the system does not let Cupel step the runner: {0}")]
    Forbidden(std::io::Error),
    /// The calls are too long.
    #[error("a slice of more than {0} instructions takes too long to step")]
    TooLong(u64),
    /// A second call seems to take no instructions, or each pair of slices differs by other
    /// instructions than all others.
    #[error("its slices differ by more than a call")]
    Unsteady,
    /// The work of a call may have been done by something that was not stepped, in words.
    #[error("{0}")]
    HandedOn(String),
    /// Threads of the runner's language may have done the work, in words.
    #[error("{0}")]
    Threads(String),
    /// It reads a clock, or its own flags.
    #[error(
        "its calls read a clock, or may notice that they are stepped, and do something else then"
    )]
    Sees,
    /// What it does is not known.
    #[error("its calls execute instructions that cannot be read or decoded")]
    Unreadable,
    /// It gets its requests in another way.
    #[error("the runner does not wait for a request in a read of its standard input")]
    NoRequest,
    /// The runner did not read its clock where it did so before.
    #[error("the runner does not come from the calls before its clock to its clock")]
    NoClock,
    /// The runner failed.
    #[error(transparent)]
    Runner(#[from] Fault),
}

/// Slices of this many calls are run first, so that a run-time compiler has done its work.
const WARM_UP: u64 = 20_000;

/// The most pairs of slices that are stepped until two differ by the same.
const PAIRS: usize = 5;

/// The most calls of which one is counted, and the most instructions that they have together.
const CALLS: u64 = 16;
const TOGETHER: u64 = 32_000;

/// Prepares a cell in a process of its contender, and steps through a call of it. Slices of more
/// instructions than `most` are not stepped to their end: a step takes 5 to 40 us.
///
/// # Errors
/// See [`Unseen`].
pub fn of_a_call(process: &mut Process, ask: &Prepare, most: u64) -> Result<Executed, Unseen> {
    expect_ok(process.prepare(ask)?, "prepare")?;
    let mut first = 0;
    let mut slice = |iterations| {
        let slice = Slice { cell: ask.cell, first, preroll: 0, iterations };
        first += iterations;
        slice
    };
    let calls = if process.hello.jit { WARM_UP } else { 1 };
    expect_ok(process.slice(&slice(calls))?, "slice")?;
    let mut symbols = Symbols::default();
    // The first slice that is stepped also runs the code that a slice runs once.
    stepped(process, &slice(1), most, &mut symbols)?;
    let has_threads = process.hello.thread.is_some();
    let mut a_pair = |calls| {
        let one = stepped(process, &slice(1), most, &mut symbols)?;
        let more = stepped(process, &slice(1 + calls), most, &mut symbols)?;
        Ok(more.beyond(&one).one_of(calls))
    };
    if has_threads {
        return first_repeated(|| a_pair(1));
    }
    let mut call = a_pair(1)?;
    let calls = (TOGETHER / call.instructions.max(1)).min(CALLS);
    if calls > 1 {
        call = a_pair(calls)?;
    }
    if call.instructions > 0 { Ok(call) } else { Err(Unseen::Unsteady) }
}

/// The first difference that an earlier pair of slices had as well.
fn first_repeated(
    mut a_pair: impl FnMut() -> Result<Executed, Unseen>,
) -> Result<Executed, Unseen> {
    let mut earlier: Vec<Executed> = Vec::new();
    for _ in 0..PAIRS {
        let call = a_pair()?;
        if call.instructions == 0 {
            continue;
        }
        let mut pairs = earlier.iter();
        match pairs.find(|seen| call.is_as_long_as(seen) && call.has_the_features_of(seen)) {
            Some(seen) => return Ok(seen.clone()),
            None => earlier.push(call),
        }
    }
    Err(Unseen::Unsteady)
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn stepped(
    process: &mut Process,
    slice: &Slice,
    most: u64,
    symbols: &mut Symbols,
) -> Result<Executed, Unseen> {
    let thread = process.caller();
    let (answer, trail) = single::steps(process.id(), thread, most, || process.slice(slice));
    let trail = trail?;
    expect_ok(answer?, "slice")?;
    let functions = symbols.spent(process.id(), &trail);
    Ok(Executed { functions, ..decode::executed(&trail) })
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn stepped(_: &mut Process, _: &Slice, _: u64, (): &mut Symbols) -> Result<Executed, Unseen> {
    Err(Unseen::Elsewhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executed(instructions: u64) -> Executed {
        Executed { instructions, ..Executed::default() }
    }

    #[test]
    fn of_several_calls_each_has_its_share() {
        let features = BTreeMap::from([("SHA", 16 * 64), ("AVX", 100)]);
        let one =
            Executed { instructions: 16 * 300 + 5, features, ..Executed::default() }.one_of(16);
        let features = BTreeMap::from([("SHA", 64)]);
        assert_eq!(one, Executed { instructions: 300, features, ..Executed::default() });
    }

    #[test]
    fn a_collection_in_a_slice_is_not_taken_for_a_call() {
        assert!(!executed(480_000).is_as_long_as(&executed(40_000)));
        assert!(executed(40_300).is_as_long_as(&executed(40_000)));
        assert!(executed(60).is_as_long_as(&executed(700)), "a reply has more digits");
        assert!(!executed(60).is_as_long_as(&executed(2_000)));
    }

    #[test]
    fn a_difference_is_a_call_once_two_pairs_have_it() {
        let of = |lengths: &[u64]| {
            let mut lengths = lengths.iter().copied();
            let found = first_repeated(|| Ok(executed(lengths.next().unwrap())));
            (found.map(|call| call.instructions).ok(), lengths.len())
        };
        assert_eq!(of(&[40_000, 40_100, 1]), (Some(40_000), 1), "no third pair");
        assert_eq!(of(&[480_000, 40_000, 900_000, 40_100]), (Some(40_000), 0));
        assert_eq!(of(&[0, 60, 0, 60]), (Some(60), 0), "a call is not nothing");
        assert_eq!(of(&[10_000, 20_000, 40_000, 80_000, 160_000, 160_000]), (None, 1));
    }
}
