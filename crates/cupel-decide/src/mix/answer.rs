//! The advice on every work of a mix, and what all of it together saves.

use super::{Mix, Saving, Work};
use crate::advise::Advice;
use cupel_analyse::Ratio;
use cupel_base::text;

/// How many times as long as here the calls may have taken in the program, or the reverse, before
/// they are other calls than those that were measured. The trace is an estimate from samples, the
/// program's caches were colder, and its processor may have run at another speed: together that is
/// hardly a factor of two. What makes more of a difference is something that the mix does not have.
const EXPLAINED: f64 = 2.0;

/// The functions of the library by which `trace_ns_per_call` was measured.
const TRACED_FUNCTIONS: f64 = 3.0;

/// A mix that was measured.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Each work with its advice, or why it has none.
    pub works: Vec<(Work, Result<Advice, String>)>,
    /// Why the run does not show what the calls cost in the program, in sentences: they were
    /// measured otherwise than the program makes them, or take another time there. Then nothing is
    /// known of what a change saves.
    pub doubts: Vec<String>,
    /// What the calls save of their own time; `None` if one of them is of an unknown library or has
    /// no advice, and if there are doubts.
    pub of_calls: Option<Saving>,
    /// The same as a share of the program's processor time, if the mix says how much of it is in
    /// the calls, and these are all of them.
    pub of_program: Option<Saving>,
    /// What is not in the advice, in sentences.
    pub notes: Vec<String>,
    /// Whether no calls are left out that matter.
    pub whole: bool,
}

/// What is not measured of a mix.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// What it is, in sentences.
    pub notes: Vec<String>,
    /// What is measured otherwise than the program does it, in sentences.
    pub doubts: Vec<String>,
    /// Whether it hardly takes any time.
    pub whole: bool,
    /// The most that it then takes of the time of all calls, as a share.
    pub most: f64,
}

impl Answer {
    /// The answer for a mix: for all works with their advice, and what else is known of them.
    pub fn new(
        mix: &Mix,
        works: Vec<(Work, Result<Advice, String>)>,
        Rest { mut notes, mut doubts, whole, most }: Rest,
    ) -> Answer {
        let parts = works.iter().map(|(work, advice)| {
            let advice = advice.as_ref().ok().filter(|advice| advice.had)?;
            let kept = Ratio { estimate: 1.0, low: 1.0, high: 1.0 };
            let ratio = advice.choice.as_ref().map_or(kept, |choice| choice.ratio);
            Some((work.calls as f64 * advice.now_ns, ratio))
        });
        let parts = parts.collect::<Option<Vec<_>>>();
        if let Some(parts) = &parts
            && whole
        {
            let now_ns = parts.iter().map(|(now, _)| now).sum();
            doubts.extend(takes_another_time(mix, &works, now_ns));
        }
        let of_calls = parts.filter(|_| doubts.is_empty()).map(|parts| Saving::of_parts(&parts));
        let unknown = mix.unknown.iter().map(|(name, calls)| format!("{name} ({calls})"));
        let unknown: Vec<String> = unknown.collect();
        if !unknown.is_empty() {
            notes.push(format!("calls that Cupel has no advice on: {}", unknown.join(", ")));
        }
        if mix.contradicts_itself() {
            notes.push(
                "the mix has more time in the calls than the program took, so it does not know their share"
                    .to_string(),
            );
        }
        let share = mix.share().filter(|_| whole);
        let of_program =
            of_calls.zip(share).map(|(saving, share)| saving.with_unmeasured(most).of(share));
        Answer { works, doubts, of_calls, of_program, notes, whole }
    }

    /// Whether it is known of every work what the program uses, as far as it has advice.
    pub fn all_had(&self) -> bool {
        self.advice().all(|(_, advice)| advice.had)
    }

    /// How many works have no advice.
    pub fn unanswered(&self) -> usize {
        self.works.iter().filter(|(_, advice)| advice.is_err()).count()
    }

    /// The number of calls of all works.
    pub fn calls(&self) -> u64 {
        self.works.iter().fold(0, |sum, (work, _)| sum.saturating_add(work.calls))
    }

    /// The works with advice.
    pub fn advice(&self) -> impl Iterator<Item = (&Work, &Advice)> {
        self.works.iter().filter_map(|(work, advice)| Some((work, advice.as_ref().ok()?)))
    }

    /// The time of all calls with advice now, in ns.
    pub fn now_ns(&self) -> f64 {
        self.advice().map(|(work, advice)| work.calls as f64 * advice.now_ns).sum()
    }
}

/// If the calls took another time in the program than what they take here with what it uses: that,
/// in a sentence. The clocks of the tracer may have been off by what it adds to each function.
fn takes_another_time(
    mix: &Mix,
    works: &[(Work, Result<Advice, String>)],
    now_ns: f64,
) -> Option<String> {
    let traced = 1e9 * mix.call_seconds.filter(|seconds| *seconds > 0.0)?;
    let functions: f64 = works.iter().map(|(work, _)| work.functions()).sum();
    let added = mix.trace_ns_per_call.unwrap_or(0.0) / TRACED_FUNCTIONS * functions;
    let (least, most) = ((traced - added) / EXPLAINED, (traced + added) * EXPLAINED);
    if (least..=most).contains(&now_ns) {
        return None;
    }
    // A trace ends at the library, and what is measured begins in the program.
    let around = works.iter().find_map(|(work, _)| work.language.as_deref());
    let why = match around.filter(|_| now_ns > traced) {
        Some(language) => format!("the mix has no time of {language} around the library"),
        None => "something decides their time that the mix does not have".to_string(),
    };
    Some(format!(
        "the mix says that its calls took {}, but as they were measured here they take {} with what it \
         uses: {why}",
        text::time(traced),
        text::time(now_ns)
    ))
}

#[cfg(test)]
mod tests {
    use super::super::{parse, works};
    use super::*;
    use std::path::Path;

    /// Whether calls that take this long here may be those of a mix of 1000 digests of three
    /// functions.
    fn fits(head: &str, now_ns: f64) -> bool {
        let text = format!(
            "format = 1\n{head}\n[[calls]]\nprimitive = \"sha256\"\noperation = \"digest\"\n\
             sizes = [[64, 1000]]\n"
        );
        let mix = parse(Path::new("a.mix"), &text).unwrap();
        let unanswered = |work| (work, Err(String::new()));
        let works: Vec<_> = works(&mix).unwrap().works.into_iter().map(unanswered).collect();
        takes_another_time(&mix, &works, now_ns).is_none()
    }

    #[test]
    fn a_factor_of_two_and_the_tracers_own_time_are_explained_and_no_more() {
        let of = |ns: f64| fits("call_seconds = 0.001", ns);
        assert!(of(0.51e6) && of(1.99e6) && !of(0.49e6) && !of(2.01e6));
        assert!(fits("", 1.0), "nothing is known");
        // Short calls: of 1 ms, 0.6 may be the tracer's own.
        let of = |ns: f64| fits("call_seconds = 0.001\ntrace_ns_per_call = 600.0", ns);
        assert!(of(0.21e6) && of(3.1e6) && !of(0.19e6) && !of(3.3e6));
    }
}
