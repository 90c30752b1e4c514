//! The first exchange: which program it is, and which clock it uses.

use super::{Finding, Program, Section, Verdict};
use cupel_protocol::PROTOCOL;
use cupel_protocol::message::{Clock, Hello};

/// A clock with coarser steps than this, in ns, needs slices that are too long to stay undisturbed:
/// a slice lasts at least a thousand steps.
const COARSE_NS: f64 = 100_000.0;

pub fn examine(program: &Program) -> Vec<Finding> {
    let section = &Section::Greeting;
    match program.start() {
        Ok(process) => vec![
            Finding::new(section, "hello", Ok(hello(&process.hello))),
            Finding::new(section, "clock", Ok(clock(&process.hello.clock))),
        ],
        Err(fault) => vec![Finding::new(section, "hello", Err(fault))],
    }
}

fn hello(hello: &Hello) -> Verdict {
    if hello.protocol != PROTOCOL {
        let what = format!("protocol is {}, but {PROTOCOL} was asked for", hello.protocol);
        return Verdict::wrong(
            what,
            "answer `unsupported` to a version that the program does not speak",
        );
    }
    for (field, text) in [("runner", &hello.runner), ("version", &hello.version)] {
        if text.trim().is_empty() {
            return Verdict::wrong(format!("{field} is empty"), "name the program and its version");
        }
    }
    Verdict::Well
}

fn clock(clock: &Clock) -> Verdict {
    let Clock { name, resolution_ns, .. } = clock;
    if name.trim().is_empty() {
        return Verdict::wrong("clock.name is empty", "name the clock");
    }
    if !(resolution_ns.is_finite() && *resolution_ns > 0.0) {
        let what = format!("clock.resolution_ns is {resolution_ns}");
        let remedy = "at start, measure the smallest step above 0 between two readings, in ns";
        return Verdict::wrong(what, remedy);
    }
    if *resolution_ns > COARSE_NS {
        return Verdict::Remark(format!(
            "a step of {name} is {} ms, and a slice lasts at least 1000 steps: is there a finer \
             monotonic clock?",
            resolution_ns / 1e6
        ));
    }
    Verdict::Well
}
