//! The answer of each comparison in one sentence, with what would decide it if it is open.

pub mod subject;

use crate::report::run::leaks;
use cupel_analyse::{Ahead, Analysis, Answer, Lead, Row, UNTRUSTED, Verdict};
use cupel_base::chart;
use cupel_base::chart::ChartKey;
use cupel_base::name::ContenderName;
use cupel_base::text;
use cupel_stats::ENOUGH_FORKS;
use cupel_store::Recorded;
use cupel_suite::again;
use serde::Serialize;
use subject::{distinction, named, subject_with};

/// Up to this difference a tie is an answer: few programs would notice more precision.
const CLOSE: f64 = 1.05;

/// How many of the fastest a sentence names.
const NAMED: usize = 4;

/// Among whom the fastest is, if the budget left out those with a JIT.
const WITHOUT_JIT: &str = " of those without a JIT";

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
    /// The fastest of each language, if there are several.
    pub languages: Option<String>,
    /// If it is open: why.
    pub open: Option<String>,
    /// The command that would decide it.
    pub command: Option<String>,
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
    lines.into_iter().map(|(answers, core)| line(recorded, analysis, &answers, core)).collect()
}

fn line(recorded: &Recorded, analysis: &Analysis, answers: &[&Answer], core: Core) -> Line {
    let sizes = match answers {
        [one] => chart::size(&one.workload),
        [first, .., last] => {
            let (first, last) = (first.workload.size, last.workload.size);
            format!("{} to {}", text::bytes(first), text::bytes(last))
        }
        [] => String::new(),
    };
    Line {
        answer: format!("{}: {}", among(analysis, answers, &sizes), core.words()),
        languages: languages(answers, &core),
        command: core.command(recorded, answers),
        open: core.open.map(|open| open.cause),
    }
}

/// The fastest of each language that the answer does not name, if one leads and others are certainly
/// slower at all these sizes.
fn languages(answers: &[&Answer], core: &Core) -> Option<String> {
    let leads: Vec<&Lead> =
        answers.iter().map(|answer| answer.lead.as_ref()).collect::<Option<_>>()?;
    let first = leads.first().filter(|lead| lead.leader.primitive().is_none())?;
    let others = first.ahead.iter().filter_map(|ahead| {
        let at_each = leads.iter().map(|lead| lead.ahead.iter().find(|a| a.group == ahead.group));
        let at_each: Vec<&Ahead> = at_each.collect::<Option<_>>()?;
        let mut best = answers.iter().zip(&at_each);
        if best.all(|(answer, at)| core.says_of(&with_version(answer, &at.best))) {
            return None;
        }
        let name = if at_each.iter().all(|at| at.sole && at.best == ahead.best) {
            ahead.best.to_string()
        } else {
            format!("the best of {}", ahead.group)
        };
        let ratios = at_each.iter().map(|at| at.ratio.estimate);
        let low = ratios.clone().fold(f64::INFINITY, f64::min);
        Some(Slower { name, low, high: ratios.fold(0.0, f64::max) })
    });
    let others: Vec<Slower> = others.collect();
    let (first, rest) = others.split_first()?;
    let rest = rest.iter().map(|one| format!("{} {}", one.name, times(one.low, one.high)));
    let each: Vec<String> = [first.words()].into_iter().chain(rest).collect();
    Some(format!("other languages: {}", each.join(", ")))
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
    Said {
        primitive: work.primitive.clone(),
        operation: work.operation.name(),
        contract: work.contract.to_string(),
        shape: work.shape.name(),
        size: work.size,
        answer: text::plain(&format!("{subject}: {}", core.words())),
        decided: core.open.is_none() && !matches!(core.kind, Kind::Nothing(_)),
        cause: core.open.map(|open| open.cause),
        command,
        fastest: core.fastest,
    }
}

/// How many times as fast, given a ratio of times: `1.82x`.
pub fn faster(ratio: f64) -> String {
    format!("{}x", text::digits(1.0 / ratio))
}

/// How fast a contender may be, up to the name of the other one, given the least ratio of their
/// times. Two forks leave ratios open that no machine has.
pub fn may_be(least: f64) -> String {
    if least < 0.01 {
        return "may be far faster than".to_string();
    }
    format!("may be up to {} as fast as", faster(least))
}

/// The parts of a sentence. Those of several sizes may share one.
#[derive(Debug)]
struct Core {
    kind: Kind,
    /// Among whom, if not among all.
    among: &'static str,
    /// The leader, and those that are not certainly slower.
    fastest: Vec<ContenderName>,
    /// The same with their versions.
    names: Vec<String>,
    /// How far those that tie may be apart, as a ratio.
    within: f64,
    /// Others that the sentence names: the runner-up and the baseline; in a choice, the runner-up and
    /// the best of each other primitive.
    slower: Vec<Slower>,
    /// If some of the fastest are known to leak: which, and which of the others is the fastest.
    leaks: Option<String>,
    open: Option<Open>,
}

#[derive(Debug, PartialEq)]
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

/// One that is certainly slower than the leader.
#[derive(Debug)]
struct Slower {
    name: String,
    /// The range of ratios of its time to the leader's.
    low: f64,
    high: f64,
}

impl Slower {
    /// One whose time is this many times the leader's.
    fn new(name: String, ratio: f64) -> Slower {
        Slower { name, low: ratio, high: ratio }
    }

    fn words(&self) -> String {
        format!("{} takes {} as long", self.name, times(self.low, self.high))
    }
}

/// Why an answer is open, and the options of the command that would decide it, if one would.
#[derive(Debug)]
struct Open {
    cause: String,
    options: Option<String>,
}

impl Open {
    fn new(cause: impl Into<String>, options: String) -> Open {
        Open { cause: cause.into(), options: Some(options) }
    }
}

impl Core {
    /// No answer, for a reason that these options may remove.
    fn nothing(cause: String, options: Option<String>) -> Core {
        let open = options.map(|options| Open::new(cause.clone(), options));
        Core { open, ..Core::of(Kind::Nothing(cause)) }
    }

    fn of(kind: Kind) -> Core {
        let (fastest, names, slower) = (vec![], vec![], vec![]);
        Core { kind, among: "", fastest, names, within: 1.0, slower, leaks: None, open: None }
    }

    /// Whether the answer at the next size is the same.
    fn joins(&self, next: &Core) -> bool {
        !matches!(self.kind, Kind::Nothing(_) | Kind::Alone(_))
            && self.kind == next.kind
            && self.named() == next.named()
            && self.leaks == next.leaks
            && self.slower.iter().map(|one| &one.name).eq(next.slower.iter().map(|one| &one.name))
    }

    /// Whether the sentence says how far this one is behind.
    fn says_of(&self, name: &str) -> bool {
        self.slower.iter().any(|one| one.name == name)
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
        for (one, next) in self.slower.iter_mut().zip(next.slower) {
            one.low = one.low.min(next.low);
            one.high = one.high.max(next.high);
        }
        self.open = self.open.take().or(next.open);
    }

    /// The command that would decide what is open at the sizes of these answers.
    fn command(&self, recorded: &Recorded, answers: &[&Answer]) -> Option<String> {
        let options = self.open.as_ref()?.options.as_ref()?;
        let sizes: Vec<u64> = answers.iter().map(|answer| answer.workload.size).collect();
        let names = self.fastest.iter().map(|name| name.as_str());
        let (work, all) = (&answers[0].workload, recorded.plan.workloads());
        Some(again(&recorded.run.suite, work, &sizes, all, names, options))
    }

    fn words(&self) -> String {
        let (names, among) = (list(&self.names), self.among);
        let answer = match &self.kind {
            Kind::Nothing(why) => return format!("no answer: {why}"),
            Kind::Alone(time) => {
                format!("{names} takes {time}; there is nothing to compare it with")
            }
            Kind::Leads => format!("{names} is the fastest{among}"),
            Kind::Ties => {
                // Rounded up, so that the bound holds; with a tenth, so that it agrees with the table.
                let within = ((self.within - 1.0) * 1000.0).ceil().max(1.0) / 10.0;
                format!("{names} tie for the fastest{among}, within {within} %")
            }
            Kind::MayLead => format!("the fastest{among} is one of {names}"),
        };
        let slower = self.slower.iter().map(Slower::words);
        [answer].into_iter().chain(slower).chain(self.leaks.clone()).collect::<Vec<_>>().join("; ")
    }
}

/// How many times as long, over several sizes.
fn times(least: f64, most: f64) -> String {
    let (least, most) = (text::digits(least), text::digits(most));
    if least == most { format!("{least} times") } else { format!("{least} to {most} times") }
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
    let core = of_speeds(recorded, answer);
    Core { leaks: leaks::of_fastest(recorded, answer, &core.fastest), ..core }
}

fn of_speeds(recorded: &Recorded, answer: &Answer) -> Core {
    let ranked: Vec<&Row> = answer.rows.iter().filter(|row| row.ranked() && !row.aside).collect();
    let forks = recorded.plan.options.forks;
    let same_forks = Some(format!("--forks {forks}"));
    let Some(first) = ranked.first() else {
        return Core::nothing(unmeasured(answer), None);
    };
    if let Some(why) = lost_baseline(recorded, answer) {
        return Core::nothing(why, None); // More forks would not mend it.
    }
    if answer.untrusted {
        return Core::nothing(UNTRUSTED.to_string(), same_forks);
    }
    if !answer.floor.is_finite() || answer.baseline.is_none() {
        return Core::nothing(unmeasured(answer), same_forks);
    }
    let Some(lead) = &answer.lead else {
        if ranked.len() > 1 {
            return Core::nothing("no fork has the two fastest".to_string(), same_forks);
        }
        return alone(answer, first, forks);
    };
    let leading = [&lead.leader].into_iter().chain(&lead.tied).chain(&lead.unclear);
    let timeless = answer.timeless().map(|row| &row.contender);
    let fastest: Vec<ContenderName> = leading.chain(timeless).cloned().collect();
    // Few forks may all have the same one of two speeds, so they show no tie.
    let within = lead.within.max(1.0 + answer.floor);
    let timeless = answer.timeless().next();
    let decided =
        timeless.is_none() && lead.unclear.is_empty() && (lead.separated || within <= CLOSE);
    let open = (!decided).then(|| match (timeless, &lead.collecting) {
        (Some(row), _) => without_time(row, forks),
        (None, Some(words)) => {
            Open { cause: format!("{}: {words}", lead.runner_up), options: None }
        }
        (None, None) => cause(answer, &fastest, forks),
    });
    let kind = match (decided, lead.separated) {
        (true, true) => Kind::Leads,
        (true, false) => Kind::Ties,
        (false, _) => Kind::MayLead,
    };
    let is_whole = recorded.circumstances.left_out.is_empty();
    Core {
        among: if is_whole { "" } else { WITHOUT_JIT },
        names: fastest.iter().map(|name| with_version(answer, name)).collect(),
        // A factor of the one with the shortest time says nothing of the others that may lead.
        slower: if decided { slower(answer, lead, &fastest) } else { vec![] },
        kind,
        fastest,
        within,
        leaks: None,
        open,
    }
}

/// The answer if only one contender has a time.
fn alone(answer: &Answer, row: &Row, forks: u32) -> Core {
    let timeless: Vec<&Row> = answer.timeless().collect();
    let fastest = [row].into_iter().chain(timeless.iter().copied());
    Core {
        fastest: fastest.map(|row| row.contender.clone()).collect(),
        names: vec![with_version(answer, &row.contender)],
        open: timeless.first().map(|row| without_time(row, forks)),
        ..Core::of(Kind::Alone(row.ns.map_or(String::new(), |ns| text::time(ns.median))))
    }
}

/// The others that the sentence names. In a choice they are the best of each other primitive, and a
/// runner-up of the same primitive.
fn slower(answer: &Answer, lead: &Lead, fastest: &[ContenderName]) -> Vec<Slower> {
    let mut slower = Vec::new();
    if lead.separated && lead.runner_up.primitive() == lead.leader.primitive() {
        // The runner-up's time is divided by the leader's there.
        slower.push(Slower::new(with_version(answer, &lead.runner_up), lead.ratio.estimate));
    }
    let is_choice = lead.leader.primitive().is_some();
    for ahead in lead.ahead.iter().filter(|_| is_choice) {
        let best = ContenderName::from(with_version(answer, &ahead.best));
        let or = if ahead.sole { "" } else { " or another" };
        let name = format!("the best {} ({}{or})", ahead.group, best.contender());
        slower.push(Slower::new(name, ahead.ratio.estimate));
    }
    let is_named = |name: &ContenderName| {
        fastest.contains(name) || (lead.separated && *name == lead.runner_up)
    };
    let baseline = answer.baseline.as_ref().filter(|name| !is_named(name));
    let leader = answer.rows.iter().find(|row| row.contender == lead.leader);
    let ratio = leader.and_then(|row| row.ratio).filter(|_| !is_choice);
    if let Some((name, ratio)) = baseline.zip(ratio) {
        slower.push(Slower::new(with_version(answer, name), 1.0 / ratio.estimate));
    }
    slower
}

fn with_version(answer: &Answer, name: &ContenderName) -> String {
    let row = answer.rows.iter().find(|row| row.contender == *name);
    named(name, row.map_or("", |row| row.version.as_str()))
}

/// One that ran and has no time may be the fastest: why, and the options that may give it one.
fn without_time(row: &Row, forks: u32) -> Open {
    let why = row.reason.clone().unwrap_or_default();
    Open::new(format!("{} has no time: {why}", row.contender), format!("--forks {}", 2 * forks))
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
fn cause(answer: &Answer, fastest: &[ContenderName], forks: u32) -> Open {
    let enough = ENOUGH_FORKS as u32;
    let rows: Vec<&Row> =
        answer.rows.iter().filter(|row| fastest.contains(&row.contender)).collect();
    let others = || rows.iter().filter(|row| row.verdict != Verdict::Baseline);
    let fewest = others().map(|row| row.forks as u32).min();
    if forks >= enough && fewest.is_some_and(|fewest| fewest < enough) {
        return Open::new(
            format!(
                "some of them ran in fewer than {ENOUGH_FORKS} forks, which show no small difference"
            ),
            format!("--forks {forks} --first-forks {forks}"),
        );
    }
    if forks < enough {
        return Open::new(
            format!(
                "with fewer than {ENOUGH_FORKS} forks, differences up to {:.0} % are not decided",
                100.0 * answer.floor
            ),
            format!("--forks {enough}"),
        );
    }
    // Those that were compiled at run time may have had fewer than the run.
    let doubled = 2 * fewest.unwrap_or(forks);
    let more = format!("--forks {doubled} --first-forks {doubled}");
    let split = rows.iter().find(|row| !row.levels.is_empty() || !row.ratio_levels.is_empty());
    if let Some(row) = split {
        return Open::new(format!("processes of {} have two speeds", row.contender), more);
    }
    let widest = others()
        .filter_map(|row| Some((row, row.ratio.map(|ratio| ratio.high / ratio.estimate - 1.0)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((row, width)) = widest else {
        return Open::new("the processes differ too much", more);
    };
    Open::new(
        format!(
            "processes differ; the interval of {} reaches {:.0} % to each side",
            row.contender,
            100.0 * width
        ),
        more,
    )
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
}
