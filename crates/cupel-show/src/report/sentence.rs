//! The answer of each comparison in one sentence, with what would decide it if it is open.

use super::label::distinction;
use cupel_analyse::{Ahead, Analysis, Answer, Row, UNTRUSTED, Verdict};
use cupel_base::chart;
use cupel_base::chart::ChartKey;
use cupel_base::name::ContenderName;
use cupel_base::primitives;
use cupel_base::text;
use cupel_protocol::workload::{Operation, Shape, Workload};
use cupel_stats::ENOUGH_FORKS;
use cupel_store::Recorded;
use cupel_suite::again;
use serde::Serialize;

/// Up to this difference a tie is an answer: few programs would notice more precision.
const CLOSE: f64 = 1.05;

/// How many of the fastest a sentence names.
const NAMED: usize = 4;

/// The answer of one comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Said {
    /// The primitive's standard name.
    pub primitive: String,
    /// The operation's name.
    pub operation: &'static str,
    /// What is inside the timed call, in words.
    pub contract: String,
    /// `throughput` or `latency`.
    pub shape: &'static str,
    /// Message length in bytes.
    pub size: u64,
    /// One sentence.
    pub answer: String,
    /// Whether the evidence decides which contenders are the fastest.
    pub decided: bool,
    /// Why not, in words.
    pub cause: Option<String>,
    /// The command that would decide it.
    pub command: Option<String>,
    /// The leader, and those that are not certainly slower.
    pub fastest: Vec<ContenderName>,
}

/// The answers of a run, in the order of its comparisons.
pub fn all(recorded: &Recorded, analysis: &Analysis) -> Vec<Said> {
    analysis.comparisons.iter().map(|answer| said(recorded, analysis, answer)).collect()
}

/// The answer at one size, or at several with the same answer.
pub struct Line {
    /// One sentence.
    pub answer: String,
    /// If it is open: why, and the command that would decide it.
    pub open: Option<(String, Option<String>)>,
}

/// The answers of a run for people: neighbouring sizes with the same answer share a line.
pub fn lines(recorded: &Recorded, analysis: &Analysis) -> Vec<Line> {
    let mut lines: Vec<(Vec<&Answer>, Core)> = Vec::new();
    for answer in &analysis.comparisons {
        let core = core(recorded, answer);
        match lines.last_mut() {
            Some((before, known))
                if ChartKey::of(&before[0].workload) == ChartKey::of(&answer.workload)
                    && known.joins(&core) =>
            {
                before.push(answer);
                known.take(core);
            }
            _ => lines.push((vec![answer], core)),
        }
    }
    let line = |(answers, core): (Vec<&Answer>, Core)| {
        let sizes = match answers[..] {
            [one] => chart::size(&one.workload),
            [first, .., last] => {
                let (first, last) = (first.workload.size, last.workload.size);
                format!("{} to {}", text::bytes(first), text::bytes(last))
            }
            [] => String::new(),
        };
        let subject = among(analysis, &answers, &sizes);
        let cause = core.open.as_ref().map(|(cause, _)| text::plain(cause));
        let open = cause.map(|cause| (cause, core.command(recorded, &answers)));
        Line { answer: text::plain(&format!("{subject}: {}", core.words())), open }
    };
    lines.into_iter().map(line).collect()
}

/// What a sentence of a run is about, with what tells it from its other comparisons.
fn among(analysis: &Analysis, answers: &[&Answer], words: &str) -> String {
    let sizes: Vec<u64> = answers.iter().map(|answer| answer.workload.size).collect();
    let work = &answers[0].workload;
    let all = analysis.comparisons.iter().map(|answer| &answer.workload);
    subject_with(work, &distinction(work, &sizes, all), words)
}

fn said(recorded: &Recorded, analysis: &Analysis, answer: &Answer) -> Said {
    let core = core(recorded, answer);
    let work = &answer.workload;
    let subject = among(analysis, &[answer], &chart::size(work));
    let command = core.command(recorded, &[answer]);
    let cause = core.open.as_ref().map(|(cause, _)| cause.clone());
    Said {
        primitive: work.primitive.clone(),
        operation: work.operation.name(),
        contract: work.contract.to_string(),
        shape: work.shape.name(),
        size: work.size,
        answer: text::plain(&format!("{subject}: {}", core.words())),
        decided: cause.is_none() && !matches!(core.kind, Kind::Nothing(_)),
        cause,
        command,
        fastest: core.fastest,
    }
}

/// What a sentence is about: `SHA-256, 64 B`. A hash is digested and a code is computed, so only
/// other operations are named.
pub fn subject(work: &Workload, sizes: &str) -> String {
    subject_with(work, "", sizes)
}

/// The same with what tells the workload from others ([`distinction`]).
pub fn subject_with(work: &Workload, distinction: &str, sizes: &str) -> String {
    let title = primitives::title(&work.primitive);
    let operation = match work.operation {
        Operation::Digest | Operation::Mac => String::new(),
        other => format!(" {other}"),
    };
    let shape = match work.shape {
        Shape::Throughput => "",
        Shape::Latency => ", latency",
    };
    let threads = match work.contract.threads {
        1 => String::new(),
        threads => format!(", {threads} threads"),
    };
    let what = format!("{title}{operation}{shape}{threads}{distinction}");
    format!("{}, {sizes}", what.trim_end_matches(','))
}

/// A contender with its version: `c/openssl-reused 3.0.19`. A JDK's name has its version already.
pub fn named(name: &ContenderName, version: &str) -> String {
    // `Eclipse Adoptium 21.0.8+9-LTS, OpenJDK 64-Bit Server VM` is a version, too.
    // So are `20.20.2 (OpenSSL 3.0.19)` and `v1.0.1 (go1.26.8)`: what is added stands in brackets.
    let own = version.split([',', '(']).next().map(str::trim_end);
    let short = own.and_then(|words| words.split(' ').next_back());
    let contender = name.contender();
    let told = match short.filter(|short| !short.is_empty() && !contender.ends_with(short)) {
        Some(short) => format!("{contender} {short}"),
        None => contender.to_string(),
    };
    match name.primitive() {
        Some(primitive) => ContenderName::from(told).with_primitive(primitive).to_string(),
        None => told,
    }
}

/// How many times as fast, given a ratio of times: `1.82x`.
pub fn faster(ratio: f64) -> String {
    format!("{}x", text::digits(1.0 / ratio))
}

/// How fast a contender may be, up to the name of the other one, given the least ratio of their
/// times. Two forks leave ratios open that no machine has.
pub fn may_be(least: f64) -> String {
    match least < 0.01 {
        true => "may be far faster than".to_string(),
        false => format!("may be up to {} as fast as", faster(least)),
    }
}

/// The parts of a sentence. Those of several sizes may share one.
#[derive(Clone, Debug)]
struct Core {
    kind: Kind,
    /// The leader, and those that are not certainly slower.
    fastest: Vec<ContenderName>,
    /// The same with their versions.
    names: Vec<String>,
    /// How far those that tie may be apart, as a ratio.
    within: f64,
    /// The runner-up, with the range of ratios of the leader's time to its time.
    second: Option<(String, f64, f64)>,
    /// The same for the baseline, if it is certainly slower.
    baseline: Option<(String, f64, f64)>,
    /// In a choice: the same for the best row of each other primitive, in words.
    ahead: Vec<(String, f64, f64)>,
    /// Why the answer is open, and the options of the command that would decide it, if one would.
    open: Option<(String, Option<String>)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// There is none, for a reason.
    Nothing(String),
    /// Nothing else was measured; its time.
    Alone(String),
    /// One leads.
    Leads,
    /// Several tie.
    Ties,
    /// Several may lead.
    MayLead,
}

impl Core {
    /// Whether the answer at the next size is the same.
    fn joins(&self, next: &Core) -> bool {
        let name =
            |other: &Option<(String, f64, f64)>| other.as_ref().map(|(name, ..)| name.clone());
        let single = matches!(self.kind, Kind::Nothing(_) | Kind::Alone(_));
        !single
            && self.kind == next.kind
            && self.named() == next.named()
            && name(&self.second) == name(&next.second)
            && name(&self.baseline) == name(&next.baseline)
            && self.ahead.iter().map(|a| &a.0).eq(next.ahead.iter().map(|a| &a.0))
    }

    /// The names, in an order that times do not change where several tie.
    fn named(&self) -> Vec<&String> {
        let mut names: Vec<&String> = self.names.iter().collect();
        if self.kind != Kind::Leads {
            names.sort_unstable();
        }
        names
    }

    /// Takes in the answer at the next size.
    fn take(&mut self, next: Core) {
        self.within = self.within.max(next.within);
        let widen = |own: &mut Option<(String, f64, f64)>, next: Option<(String, f64, f64)>| {
            if let (Some(own), Some(next)) = (own, next) {
                *own = (next.0, own.1.min(next.1), own.2.max(next.2));
            }
        };
        widen(&mut self.second, next.second);
        widen(&mut self.baseline, next.baseline);
        for (own, next) in self.ahead.iter_mut().zip(next.ahead) {
            *own = (next.0, own.1.min(next.1), own.2.max(next.2));
        }
        self.open = self.open.take().or(next.open);
    }

    /// The command that would decide what is open at the sizes of these answers.
    fn command(&self, recorded: &Recorded, answers: &[&Answer]) -> Option<String> {
        let options = self.open.as_ref()?.1.as_ref()?;
        let sizes: Vec<u64> = answers.iter().map(|answer| answer.workload.size).collect();
        let names = self.fastest.iter().map(|name| name.as_str());
        let (work, all) = (&answers[0].workload, recorded.plan.workloads());
        Some(again(&recorded.run.suite, work, &sizes, all, names, options))
    }

    fn words(&self) -> String {
        // Rounded up, so that the bound holds; with a tenth, so that it agrees with the table.
        let within = || format!("{} %", ((self.within - 1.0) * 1000.0).ceil().max(1.0) / 10.0);
        let mut words = match &self.kind {
            Kind::Nothing(why) => return format!("no answer: {why}"),
            Kind::Alone(time) => {
                return format!(
                    "{} takes {time}; there is nothing to compare it with",
                    self.names[0]
                );
            }
            Kind::Leads => format!("{} is the fastest", self.names[0]),
            Kind::Ties => format!("{} tie for the fastest, within {}", list(&self.names), within()),
            Kind::MayLead => format!("the fastest is one of {}", list(&self.names)),
        };
        if let Some((name, low, high)) = &self.second {
            words += &format!(", {} as fast as {name}", times(*low, *high));
        }
        if let Some((name, low, high)) = &self.baseline {
            let and = if self.second.is_some() { " and" } else { "," };
            words += &format!("{and} {} as fast as {name}", times(*low, *high));
        }
        for (name, low, high) in &self.ahead {
            words += &format!(", {} as fast as {name}", times(*low, *high));
        }
        words
    }
}

/// How many times as fast, over the ratios of several sizes.
fn times(low: f64, high: f64) -> String {
    let (least, most) = (faster(high), faster(low));
    if least == most { least } else { format!("{least} to {most}") }
}

/// Names in a sentence; the first few, if there are many.
fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [some @ .., last] if names.len() <= NAMED => format!("{} and {last}", some.join(", ")),
        many => {
            let others = many.len() - (NAMED - 1);
            format!("{} and {others} others", many[..NAMED - 1].join(", "))
        }
    }
}

fn core(recorded: &Recorded, answer: &Answer) -> Core {
    let nothing = |why: String| Core {
        kind: Kind::Nothing(why),
        fastest: vec![],
        names: vec![],
        within: 1.0,
        second: None,
        baseline: None,
        ahead: vec![],
        open: None,
    };
    let ranked: Vec<&Row> = answer.rows.iter().filter(|row| row.ranked() && !row.aside).collect();
    let Some(first) = ranked.first() else {
        return nothing(unmeasured(answer));
    };
    let forks = recorded.plan.options.forks;
    if let Some(why) = lost_baseline(recorded, answer) {
        return nothing(why); // More forks would not mend it.
    }
    if answer.untrusted || !answer.floor.is_finite() || answer.baseline.is_none() {
        let why = if answer.untrusted { UNTRUSTED.to_string() } else { unmeasured(answer) };
        let open = Some((why.clone(), Some(format!("--forks {forks}"))));
        return Core { open, ..nothing(why) };
    }
    let with_version = |name: &ContenderName| {
        let version = answer.rows.iter().find(|row| row.contender == *name).map(|r| &r.version);
        named(name, version.map_or("", String::as_str))
    };
    let Some(lead) = &answer.lead else {
        if ranked.len() > 1 {
            let why = "no fork has the two fastest".to_string();
            let open = Some((why.clone(), Some(format!("--forks {forks}"))));
            return Core { open, ..nothing(why) };
        }
        let timeless: Vec<&Row> = answer.timeless().collect();
        let fastest = [*first].into_iter().chain(timeless.iter().copied());
        return Core {
            kind: Kind::Alone(first.ns.map_or(String::new(), |ns| text::time(ns.median))),
            fastest: fastest.map(|row| row.contender.clone()).collect(),
            names: vec![with_version(&first.contender)],
            open: timeless.first().map(|row| without_time(row, forks)),
            ..nothing(String::new())
        };
    };
    let leading = [&lead.leader].into_iter().chain(&lead.tied).chain(&lead.unclear);
    let timeless = answer.timeless().map(|row| &row.contender);
    let fastest: Vec<ContenderName> = leading.chain(timeless).cloned().collect();
    let of = |name: &ContenderName| answer.rows.iter().find(|row| row.contender == *name);
    let second = lead.separated.then(|| {
        // The runner-up's time is divided by the leader's there.
        let ratio = 1.0 / lead.ratio.estimate;
        (with_version(&lead.runner_up), ratio, ratio)
    });
    let baseline = answer
        .baseline
        .as_ref()
        .filter(|name| !fastest.contains(name) && (!lead.separated || **name != lead.runner_up));
    let baseline = baseline.and_then(|name| {
        let ratio = of(&lead.leader)?.ratio?.estimate;
        Some((with_version(name), ratio, ratio))
    });
    let ahead = |ahead: &Ahead| {
        let best = with_version(&ahead.best);
        let best = ContenderName::from(best);
        let or = if ahead.sole { "" } else { " or another" };
        let name = format!("the best {}, {}{or}", ahead.primitive, best.contender());
        let ratio = 1.0 / ahead.ratio.estimate;
        (name, ratio, ratio)
    };
    let ahead: Vec<_> = lead.ahead.iter().map(ahead).collect();
    // Few forks may all have the same one of two speeds, so they show no tie.
    let within = lead.within.max(1.0 + answer.floor);
    let timeless = answer.timeless().next();
    let decided =
        timeless.is_none() && lead.unclear.is_empty() && (lead.separated || within <= CLOSE);
    let open = (!decided).then(|| match (timeless, &lead.collecting) {
        (Some(row), _) => without_time(row, forks),
        (None, Some(words)) => (format!("{}: {words}", lead.runner_up), None),
        (None, None) => cause(answer, &fastest, forks),
    });
    let kind = match (decided, lead.separated) {
        (true, true) => Kind::Leads,
        (true, false) => Kind::Ties,
        (false, _) => Kind::MayLead,
    };
    // In a choice, the answer has the best of each other primitive, and a runner-up of the same
    // primitive.
    let same = lead.runner_up.primitive() == lead.leader.primitive();
    let is_choice = lead.leader.primitive().is_some();
    Core {
        names: fastest.iter().map(with_version).collect(),
        second: second.filter(|_| kind == Kind::Leads && same),
        // A factor of the one with the shortest time says nothing of the others that may lead.
        baseline: baseline.filter(|_| !is_choice && kind != Kind::MayLead),
        ahead: ahead.into_iter().filter(|_| decided).collect(),
        kind,
        fastest,
        within,
        open,
    }
}

/// One that ran and has no time may be the fastest: why, and the options that may give it one.
fn without_time(row: &Row, forks: u32) -> (String, Option<String>) {
    let why = row.reason.clone().unwrap_or_default();
    (format!("{} has no time: {why}", row.contender), Some(format!("--forks {}", 2 * forks)))
}

/// Why there are no ratios, if the baseline was elected and then had no time: it was lost, or
/// answered only when it was prepared that it does not support this.
fn lost_baseline(recorded: &Recorded, answer: &Answer) -> Option<String> {
    let plan = &recorded.plan;
    let mut comparisons = plan.comparisons.iter().filter(|c| !c.overhead);
    let baseline = plan.name_of(comparisons.find(|c| c.workload == answer.workload)?.baseline?);
    let row = answer.rows.iter().find(|row| row.contender == baseline)?;
    let reason = row.reason.as_ref().filter(|_| row.ns.is_none())?;
    Some(match row.verdict {
        Verdict::Failed => format!("the baseline {} failed: {reason}", row.contender),
        verdict => format!("the baseline {} is {}: {reason}", row.contender, verdict.words()),
    })
}

/// Why a comparison has no answer at all.
fn unmeasured(answer: &Answer) -> String {
    let reason = answer.rows.iter().find_map(|row| {
        let reason = row.reason.as_ref()?;
        Some(format!("{} {}: {reason}", row.verdict.words(), row.contender))
    });
    match answer.baseline {
        None => reason.unwrap_or_else(|| "the baseline failed".to_string()),
        Some(_) => reason.unwrap_or_else(|| "too few rounds that count".to_string()),
    }
}

/// Why the fastest are not told apart, and the options that would do it.
fn cause(answer: &Answer, fastest: &[ContenderName], forks: u32) -> (String, Option<String>) {
    let enough = ENOUGH_FORKS as u32;
    let own = |row: &&Row| fastest.contains(&row.contender) && row.verdict != Verdict::Baseline;
    let fewest = answer.rows.iter().filter(own).map(|row| row.forks as u32).min();
    if forks >= enough && fewest.is_some_and(|fewest| fewest < enough) {
        let words = format!(
            "some of them ran in fewer than {ENOUGH_FORKS} forks, which show no small difference"
        );
        return (words, Some(format!("--forks {forks} --first-forks {forks}")));
    }
    if forks < enough {
        let words = format!(
            "with fewer than {ENOUGH_FORKS} forks, differences up to {:.0} % are not decided",
            100.0 * answer.floor
        );
        return (words, Some(format!("--forks {enough}")));
    }
    // Those that were compiled at run time may have had fewer than the run.
    let doubled = 2 * fewest.unwrap_or(forks);
    let more = Some(format!("--forks {doubled} --first-forks {doubled}"));
    let own = |row: &&Row| fastest.contains(&row.contender);
    let rows: Vec<&Row> = answer.rows.iter().filter(own).collect();
    let split = rows.iter().find(|row| !row.levels.is_empty() || !row.ratio_levels.is_empty());
    if let Some(row) = split {
        return (format!("processes of {} have two speeds", row.contender), more);
    }
    let width = |row: &&&Row| row.ratio.map(|ratio| ratio.high / ratio.estimate - 1.0);
    let widest = rows
        .iter()
        .filter(|row| row.verdict != Verdict::Baseline)
        .filter_map(|row| Some((*row, width(&row)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    match widest {
        Some((row, width)) => {
            let words = format!(
                "processes differ; the interval of {} reaches {:.0} % to each side",
                row.contender,
                100.0 * width
            );
            (words, more)
        }
        None => ("the processes differ too much".to_string(), more),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_forks_leave_open_is_no_number_of_45_digits() {
        assert_eq!(may_be(0.5), "may be up to 2.00x as fast as");
        assert_eq!(may_be(4.5e-44), "may be far faster than");
        assert_eq!(may_be(0.0), "may be far faster than");
    }

    #[test]
    fn a_contender_is_named_with_its_own_version_and_not_with_what_it_runs_on() {
        for (version, expected) in [
            ("3.0.19", "x/y 3.0.19"),
            ("3.11.7 (OpenSSL 3.0.19)", "x/y 3.11.7"),
            ("0.1.0 (clang 14.0.6, wasmtime 50.0.1, Python 3.11.7)", "x/y 0.1.0"),
            ("Eclipse Adoptium 21.0.8+9-LTS, OpenJDK 64-Bit Server VM", "x/y 21.0.8+9-LTS"),
            ("", "x/y"),
        ] {
            assert_eq!(named(&"x/y".into(), version), expected);
        }
    }
}
