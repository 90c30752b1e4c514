//! The report on code paths: sentences, and the part of the run's JSON.

use super::proof::Proof;
use super::{Judged, Pair};
use cupel_base::text;
use cupel_decide::claims::{Decision, Point};
use cupel_run::seen::Seen;
use cupel_steps::Executed;
use serde_json::{Value, json};

/// The findings to print.
pub struct Findings<'a> {
    pub judged: &'a [Judged<'a>],
    pub seen: &'a Seen,
    pub absent: &'a [(Pair, String)],
}

/// A line below a heading, and how far it is indented.
struct Line {
    depth: usize,
    text: String,
}

impl Findings<'_> {
    /// The answer first: the defaults that are slower than they could be, or that there are none.
    /// Then each pair.
    pub fn lines(&self) -> cupel_print::Findings {
        let mut lines: Vec<Line> = self.slower().map(|text| Line { depth: 0, text }).collect();
        if lines.is_empty() {
            lines.push(Line { depth: 0, text: nothing_slower(self.judged) });
        }
        for one in self.judged {
            self.add_pair(one, &mut lines);
        }
        for (name, why) in &self.seen.unseen {
            let text = format!("what {name} executes is not known: {why}");
            lines.push(Line { depth: 1, text });
        }
        lines.extend(self.absent.iter().map(|one| Line { depth: 1, text: not_forced(one) }));
        let mut findings = cupel_print::Findings::default();
        for Line { depth, text } in lines {
            findings.item(depth, text);
        }
        findings
    }

    /// The defaults that are slower than one of their forced paths, each in a sentence.
    fn slower(&self) -> impl Iterator<Item = String> {
        self.judged.iter().filter(|one| !one.findings().is_empty()).map(|one| {
            let at: Vec<String> = one.findings().into_iter().map(slower_by).collect();
            let (a, b) = (&one.answered.claim.a, &one.answered.claim.b);
            format!("{a} misses its fast code: {b} is faster, {}", at.join(", "))
        })
    }

    /// Which code ran, the instructions of a call of each side, and the ratio at each size.
    fn add_pair(&self, one: &Judged<'_>, lines: &mut Vec<Line>) {
        let (a, b) = (&one.answered.claim.a, &one.answered.claim.b);
        lines.push(Line { depth: 1, text: format!("{a} and {b}: {}", code_that_ran(one)) });
        for name in [a, b] {
            let sizes = self.seen.by_size(name);
            let Some((size, executed)) = sizes.and_then(|sizes| sizes.last_key_value()) else {
                continue;
            };
            let text = format!("{name} executes {} at {}", said(executed), text::bytes(*size));
            lines.push(Line { depth: 2, text });
        }
        // If both ran the same code, their ratio does not concern a path.
        if !matches!(one.proof, Proof::Same(_)) {
            let points = one.answered.points.iter();
            lines.extend(points.map(|point| Line { depth: 2, text: found(point) }));
        }
    }

    /// Adds `paths` and `not_forced` to the document of the run.
    pub fn add_to(&self, document: &mut Value) {
        document["paths"] = self.judged.iter().map(|one| one_as_json(one, self.seen)).collect();
        document["not_forced"] = self
            .absent
            .iter()
            .map(|(pair, why)| json!({ "forced": pair.forced, "reason": why }))
            .collect();
    }
}

/// Why no default is slower than one of its forced paths, or why that is not known.
fn nothing_slower(judged: &[Judged<'_>]) -> String {
    let slower: Vec<&str> = judged
        .iter()
        .filter(|one| one.is_slower_by_unknown_code())
        .map(|one| one.answered.claim.a.as_str())
        .collect();
    if !slower.is_empty() {
        return format!(
            "{}: slower than a forced path, but it is not known whether the two ran different code",
            slower.join(", ")
        );
    }
    if judged.is_empty() {
        return "nothing was compared: this CPU cannot take any of the forced paths".to_string();
    }
    let different: Vec<Decision> = judged.iter().filter_map(Judged::decision).collect();
    if different.is_empty() {
        return "nothing was compared: every forced path is the default's own".to_string();
    }
    let count = text::count(different.len(), "forced path");
    let held = different.iter().filter(|decision| **decision == Decision::Held).count();
    if held == different.len() {
        return format!(
            "no default is slower than one of its forced paths: {count} compared, all decided"
        );
    }
    format!(
        "no default is shown to be slower; for {held} of {count}, that is decided at every size"
    )
}

/// Whether the two of a pair ran different code, and the consequence if that is not known.
fn code_that_ran(one: &Judged<'_>) -> String {
    match &one.proof {
        Proof::Different(own, forced) => format!("{own} against {forced}"),
        Proof::Same(path) => format!("both take {path}, so the switch changes nothing"),
        Proof::Unknown if one.decision() == Some(Decision::Held) => {
            "which code ran is not known; whichever it was, the default is not slower".to_string()
        }
        Proof::Unknown => {
            "which code ran is not known, so a slower default is not a finding".to_string()
        }
    }
}

/// `64 B: not slower, 0.211 [0.209 .. 0.213] times the forced path's time`.
fn found(point: &Point) -> String {
    let size = text::bytes(point.size);
    let word = match point.decision() {
        Decision::Held => "not slower",
        Decision::Refuted => "slower",
        Decision::Undecided => "open",
    };
    let ratio = point.measured.as_ref().ok().and_then(|measured| measured.ratio);
    let figure = ratio.map(|ratio| {
        format!(
            "{} [{}] times the forced path's time",
            text::ratio_digits(ratio.estimate),
            text::interval(ratio.low, ratio.high)
        )
    });
    let why = point.reason().words();
    let parts = [Some(format!("{size}: {word}")), figure, why];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// `rust/ring-nosha is not forced here: this CPU has no sha_ni, ...`.
pub fn not_forced((pair, why): &(Pair, String)) -> String {
    format!("{} is not forced here: {why}", pair.forced)
}

/// `4312 instructions a call: SHA 160, SSSE3 40`.
fn said(executed: &Executed) -> String {
    let mut features: Vec<_> = executed.features.iter().collect();
    features.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), **name));
    let features: Vec<String> =
        features.into_iter().map(|(name, count)| format!("{name} {count}")).collect();
    let all = format!("{} instructions a call", executed.instructions);
    if features.is_empty() { all } else { format!("{all}: {}", features.join(", ")) }
}

/// How far the default is behind at a size: `1.90x [1.85 .. 1.95] at 64 B`.
fn slower_by(point: &Point) -> String {
    let ratio = point.measured.as_ref().ok().and_then(|measured| measured.ratio);
    let figure = ratio.map_or(String::new(), |r| {
        let interval = text::interval(r.low, r.high);
        format!("{}x [{interval}] ", text::ratio_digits(r.estimate))
    });
    format!("{figure}at {}", text::bytes(point.size))
}

fn executed(seen: &Seen, name: &str, size: u64) -> Option<Value> {
    let executed = seen.by_size(name)?.get(&size)?;
    Some(json!({ "instructions": executed.instructions, "features": executed.features }))
}

fn one_as_json(one: &Judged<'_>, seen: &Seen) -> Value {
    let (own, forced, same) = match &one.proof {
        Proof::Different(own, forced) => (Some(own), Some(forced), Some(false)),
        Proof::Same(path) => (Some(path), Some(path), Some(true)),
        Proof::Unknown => (None, None, None),
    };
    let sizes: Vec<Value> = one
        .answered
        .points
        .iter()
        .map(|point| {
            let ratio = point.measured.as_ref().ok().and_then(|measured| measured.ratio);
            json!({
                "size": point.size,
                "executed": executed(seen, &one.answered.claim.a, point.size),
                "forced_executed": executed(seen, &one.answered.claim.b, point.size),
                "default_is_not_slower": point.decision().word(),
                "ratio": ratio.map(|r| r.estimate),
                "ratio_low": ratio.map(|r| r.low).filter(|low| low.is_finite()),
                "ratio_high": ratio.map(|r| r.high).filter(|high| high.is_finite()),
            })
        })
        .collect();
    json!({
        "default": one.answered.claim.a,
        "forced": one.answered.claim.b,
        "code_path": own,
        "forced_code_path": forced,
        "same_code_path": same,
        "finding": !one.findings().is_empty(),
        "sizes": sizes,
    })
}
