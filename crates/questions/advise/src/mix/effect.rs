//! The saving of a program that follows the advice, and its sources: its trace, and the times of
//! its calls here. It is never more than the trace has seen.

use super::{Mix, Saving, Work};
use crate::advise::Advice;
use cupel_analyse::Ratio;
use cupel_base::name::ContenderName;
use cupel_protocol::workload::Operation;

/// How many times as long as in the program its calls may take here. Here each is alone with a warm
/// cache, so they should take less; the trace is an estimate from samples, and the clock rate
/// differs between two moments.
const MORE: f64 = 1.25;

/// How many times as long as here they may have taken in the program, for the same reasons, and
/// because its caches were colder. A larger difference has a cause that the mix does not have.
const LESS: f64 = 2.0;

/// The functions of the library by which `trace_ns_per_call` was measured.
const TRACED_FUNCTIONS: f64 = 3.0;

/// The time of the calls of a mix, and the advice's saving.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effect {
    /// The kinds of calls that should change.
    pub changes: Vec<Change>,
    /// The calls of all kinds that were measured.
    pub calls: u64,
    /// The processor time of the program in the trace, in s, if the mix says it.
    pub program_s: Option<f64>,
    /// The part of it that the trace has seen inside the calls, in s, if the mix says it.
    pub seen_s: Option<f64>,
    /// The time of the calls here with the program's contenders, in s; `None` if that is not known
    /// of all of them.
    pub measured_s: Option<f64>,
    /// The saving of the program's processor time, in s; `None` if the mix does not have the part
    /// inside the calls, and if there are doubts.
    pub saved_s: Option<Saving>,
    /// The saving as a share of the time that the calls take here; `None` if there are doubts.
    pub of_calls: Option<Saving>,
    /// The saving as a share of the program's processor time.
    pub of_program: Option<Saving>,
}

/// A kind of call that should change.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The primitive's standard name.
    pub primitive: String,
    /// The operation of the primitive.
    pub operation: Operation,
    /// The number of calls.
    pub calls: u64,
    /// The program's contender.
    pub from: ContenderName,
    /// The recommended contender.
    pub to: ContenderName,
    /// The time with that divided by the time now.
    pub ratio: Ratio,
}

/// Why the run does not show the cost of the calls in the program: then the saving of a change is
/// unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// The mix does not describe these calls in full, and they were measured without the rest.
    Unsaid {
        /// The part that they may have.
        what: Unsaid,
        /// The primitive's standard name.
        primitive: String,
        /// The operation of the primitive.
        operation: Operation,
        /// The number of calls.
        calls: u64,
    },
    /// Calls that were not measured have a part of the time that matters.
    LeftOut {
        /// The number of calls.
        calls: u64,
    },
    /// The calls take longer here than the trace has seen of them, in s.
    Longer {
        /// In the trace.
        seen_s: f64,
        /// Here.
        measured_s: f64,
        /// All of the program, if the mix has it.
        program_s: Option<f64>,
        /// The language of the caller around the library, of which a trace sees nothing.
        around: Option<String>,
    },
    /// The calls took far longer in the program than here, in s.
    Shorter {
        /// In the trace.
        seen_s: f64,
        /// Here.
        measured_s: f64,
    },
}

/// A part of calls that a mix does not describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsaid {
    /// How much associated data: they are measured without any.
    Ad,
    /// How many pieces: they are measured in one.
    Pieces,
}

impl Effect {
    /// The saving of the advice on these works, with these doubts about the calls; with doubts that
    /// the times give. `most` is the share of the calls' time that was not measured because it is
    /// too rare.
    pub(super) fn estimate(
        mix: &Mix,
        works: &[(Work, Result<Advice, String>)],
        doubts: &mut Vec<Doubt>,
        most: f64,
    ) -> Effect {
        let parts = works.iter().map(Part::from_work).collect::<Option<Vec<_>>>();
        let measured_s = parts.as_ref().map(|parts| parts.iter().map(|part| part.now_s).sum());
        let seen_s = mix.call_seconds.filter(|seconds| *seconds > 0.0);
        let mut effect = Effect {
            changes: works.iter().filter_map(Change::from_work).collect(),
            calls: works.iter().fold(0, |sum, (work, _)| sum.saturating_add(work.calls)),
            program_s: mix.cpu_seconds,
            seen_s,
            measured_s,
            ..Effect::default()
        };
        // The mix also has the time of unmeasured calls.
        let is_all = !doubts.iter().any(|doubt| matches!(doubt, Doubt::LeftOut { .. }));
        if let (Some(seen_s), Some(measured_s), true) = (seen_s, measured_s, is_all) {
            doubts.extend(contradiction(mix, works, seen_s, measured_s));
        }
        let (Some(parts), true) = (parts, doubts.is_empty()) else { return effect };
        let of_calls = Saving::of_parts(&parts.iter().map(Part::weighed).collect::<Vec<_>>());
        effect.of_calls = Some(of_calls);
        if let (Some(share), Some(program_s), Some(measured_s)) =
            (mix.share(), mix.cpu_seconds, measured_s)
        {
            let seen_s = share * program_s;
            // The time of the program's calls beyond their time here may not depend on the library.
            let sure_s = measured_s.min(seen_s);
            let saved_s = Saving {
                estimate: sure_s * of_calls.estimate,
                low: sure_s * of_calls.with_unmeasured(most).low,
                high: seen_s * of_calls.high,
            };
            effect.saved_s = Some(saved_s);
            effect.of_program = Some(saved_s.scaled_by(1.0 / program_s));
        }
        effect
    }
}

/// The time of a kind of call now, and after a change.
struct Part {
    now_s: f64,
    ratio: Ratio,
}

impl Part {
    /// The effect for a work; `None` if the program's contender for it is unknown.
    fn from_work((work, advice): &(Work, Result<Advice, String>)) -> Option<Part> {
        let advice = advice.as_ref().ok().filter(|advice| advice.had)?;
        let kept = Ratio { estimate: 1.0, low: 1.0, high: 1.0 };
        let ratio = advice.choice.as_ref().map_or(kept, |choice| choice.ratio);
        Some(Part { now_s: work.calls as f64 * advice.now_ns / 1e9, ratio })
    }

    fn weighed(&self) -> (f64, Ratio) {
        (self.now_s, self.ratio)
    }
}

impl Change {
    /// The effect for a work, if it should change.
    fn from_work((work, advice): &(Work, Result<Advice, String>)) -> Option<Change> {
        let advice = advice.as_ref().ok().filter(|advice| advice.had)?;
        let choice = advice.choice.as_ref()?;
        Some(Change {
            primitive: work.workload.primitive.clone(),
            operation: work.workload.operation,
            calls: work.calls,
            from: advice.have.clone(),
            to: choice.contender.clone(),
            ratio: choice.ratio,
        })
    }
}

/// How the time of the calls here contradicts the trace, if it does. The clocks of the tracer may
/// have been off by its cost in each function.
fn contradiction(
    mix: &Mix,
    works: &[(Work, Result<Advice, String>)],
    seen_s: f64,
    measured_s: f64,
) -> Option<Doubt> {
    let functions: f64 = works.iter().map(|(work, _)| work.functions()).sum();
    let added_s = mix.trace_ns_per_call.unwrap_or(0.0) / TRACED_FUNCTIONS * functions / 1e9;
    if measured_s > (seen_s + added_s) * MORE {
        let around = works.iter().find_map(|(work, _)| work.language.clone());
        return Some(Doubt::Longer { seen_s, measured_s, program_s: mix.cpu_seconds, around });
    }
    let is_far_less = measured_s < (seen_s - added_s) / LESS;
    is_far_less.then_some(Doubt::Shorter { seen_s, measured_s })
}

#[cfg(test)]
mod tests {
    use super::super::{parse, works};
    use super::*;
    use std::path::Path;

    /// How it contradicts a mix of 1000 digests of three functions that they take this long here.
    fn contradicts(head: &str, measured_s: f64) -> Option<Doubt> {
        let text = format!(
            "format = 1\n{head}\n[[calls]]\nprimitive = \"sha256\"\noperation = \"digest\"\n\
             sizes = [[64, 1000]]\n"
        );
        let mix = parse(Path::new("a.mix"), &text).unwrap();
        let unanswered = |work| (work, Err(String::new()));
        let works: Vec<_> = works(&mix).unwrap().works.into_iter().map(unanswered).collect();
        contradiction(&mix, &works, mix.call_seconds.unwrap(), measured_s)
    }

    #[test]
    fn calls_take_hardly_more_here_than_in_the_trace_and_no_less_than_half() {
        let of = |ms: f64| contradicts("call_seconds = 0.001", ms / 1e3);
        assert!(of(0.51).is_none() && of(1.24).is_none());
        assert!(matches!(of(0.49), Some(Doubt::Shorter { .. })));
        assert!(matches!(of(1.26), Some(Doubt::Longer { .. })));
        // Short calls: 0.6 ms of 1 ms may be the tracer's own.
        let of = |ms: f64| contradicts("call_seconds = 0.001\ntrace_ns_per_call = 600.0", ms / 1e3);
        assert!(of(0.21).is_none() && of(1.99).is_none());
        assert!(of(0.19).is_some() && of(2.01).is_some());
    }
}
