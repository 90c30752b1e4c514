//! The answer of each comparison in one sentence; if it is open, with the way to decide it.

use crate::subject::{distinction, named, subject_with};
use crate::words::{because, percent};
use crate::{Among, Because, Behind, Contender, Finding, Group, Said, Standing, gather};
use cupel_analyse::{Analysis, Answer};
use cupel_base::chart::{self, ChartKey};
use cupel_base::name::{ContenderName, language_title};
use cupel_base::{primitives, text};
use cupel_store::{LeakVerdict, NOT_TESTED, Recorded};
use cupel_suite::again;
use serde::Serialize;

/// How many of the fastest a sentence names.
const NAMED: usize = 4;

/// The answer of one comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Sentence {
    /// The primitive's standard name.
    pub primitive: String,
    /// The operation's name.
    pub operation: &'static str,
    /// The work inside the timed call, in words.
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
    /// The contenders that may be the fastest, the one with the shortest time first.
    pub fastest: Vec<ContenderName>,
    /// The contender that led elsewhere and is not here, if there is one.
    pub not_here: Option<String>,
}

/// The answers of a run, in the order of its comparisons.
pub fn all(recorded: &Recorded, analysis: &Analysis) -> Vec<Sentence> {
    let places = 0..analysis.comparisons.len();
    places.map(|place| sentence(recorded, analysis, place)).collect()
}

/// The answer at one size, or at several with the same answer.
pub struct Line {
    /// One sentence.
    pub answer: String,
    /// The answer without those that are slower and not decided.
    pub brief: String,
    /// The fastest of each language, if there are several.
    pub languages: Option<String>,
    /// The contender that led elsewhere and is not here, if there is one.
    pub not_here: Option<String>,
    /// If it is open: why.
    pub open: Option<String>,
    /// The command that would decide it.
    pub command: Option<String>,
}

/// The answers of a run for people: neighbouring sizes with the same answer share a line.
pub fn lines(recorded: &Recorded, analysis: &Analysis) -> Vec<Line> {
    let mut lines: Vec<(Vec<&Answer>, Vec<Core>)> = Vec::new();
    for (place, answer) in analysis.comparisons.iter().enumerate() {
        let core = Core::from_findings(&gather::of_comparison(recorded, analysis, place));
        match lines.last_mut() {
            Some((before, known))
                if ChartKey::for_workload(&before[0].workload)
                    == ChartKey::for_workload(&answer.workload)
                    && known[0].joins(&core) =>
            {
                before.push(answer);
                known.push(core);
            }
            _ => lines.push((vec![answer], vec![core])),
        }
    }
    lines.into_iter().map(|(answers, cores)| line(recorded, analysis, &answers, cores)).collect()
}

fn line(recorded: &Recorded, analysis: &Analysis, answers: &[&Answer], cores: Vec<Core>) -> Line {
    let sizes = match answers {
        [one] => chart::size(&one.workload),
        [first, .., last] => {
            let (first, last) = (first.workload.size, last.workload.size);
            format!("{} to {}", text::bytes(first), text::bytes(last))
        }
        [] => String::new(),
    };
    let languages = languages(&cores);
    let each: Vec<String> = answers.iter().map(|answer| chart::size(&answer.workload)).collect();
    let causes = cores.iter().map(|core| core.open.as_ref().map(|open| open.cause.as_str()));
    let open = why_open(&each, &causes.collect::<Vec<_>>());
    let core = cores.into_iter().reduce(Core::with).expect("a line has a size");
    let subject = among(analysis, answers, &sizes);
    Line {
        answer: text::plain(&format!("{subject}: {}", core.words(core.undecided.as_deref()))),
        brief: text::plain(&format!("{subject}: {}", core.words(None))),
        languages,
        not_here: core.not_here.clone(),
        command: core.command(recorded, answers),
        open,
    }
}

/// Why the answers of a line are open. If the reasons differ, it is the first one with its sizes.
fn why_open(sizes: &[String], causes: &[Option<&str>]) -> Option<String> {
    let cause = *causes.iter().flatten().next()?;
    let with_it = sizes.iter().zip(causes).filter(|(_, other)| **other == Some(cause));
    let with_it: Vec<String> = with_it.map(|(size, _)| size.clone()).collect();
    if with_it.len() == sizes.len() {
        return Some(cause.to_string());
    }
    let others = causes.iter().flatten().filter(|other| **other != cause).count();
    let others = match others {
        0 => String::new(),
        1 => "; at another size for another reason".to_string(),
        _ => format!("; at {others} other sizes for other reasons"),
    };
    Some(format!("at {}, {cause}{others}", list(&with_it)))
}

/// The fastest of each language that the answer does not name, if one leads or ties and others are
/// certainly slower at all these sizes.
fn languages(cores: &[Core]) -> Option<String> {
    let first = cores.first()?;
    if first.is_choice() {
        return None;
    }
    let mut others: Vec<Slower> = Vec::new();
    for group in first.groups() {
        let at_each = cores.iter().map(|core| core.best_of(group));
        let Some(at_each) = at_each.collect::<Option<Vec<(&Group, &Behind)>>>() else { continue };
        if cores.iter().zip(&at_each).all(|(core, (_, best))| core.says_of(best)) {
            continue;
        }
        let name = &at_each[0].1.contender.name;
        let is_sole = at_each.iter().all(|(at, best)| at.sole && best.contender.name == *name);
        let name = if is_sole {
            name.to_string()
        } else {
            format!("the best of {}", language_title(&group.group))
        };
        let slower = at_each.iter().map(|(_, best)| Slower::from_behind(name.clone(), best));
        others.extend(slower.reduce(Slower::with));
    }
    let (first, rest) = others.split_first()?;
    let rest = rest.iter().map(Slower::without_verb);
    let each: Vec<String> = [first.words()].into_iter().chain(rest).collect();
    Some(text::plain(&format!("other languages: {}", each.join(", "))))
}

/// The subject of a sentence of a run, with its difference from the other comparisons.
fn among(analysis: &Analysis, answers: &[&Answer], words: &str) -> String {
    let sizes: Vec<u64> = answers.iter().map(|answer| answer.workload.size).collect();
    let work = &answers[0].workload;
    let all = analysis.comparisons.iter().map(|answer| &answer.workload);
    subject_with(work, &distinction(work, &sizes, all), words)
}

fn sentence(recorded: &Recorded, analysis: &Analysis, place: usize) -> Sentence {
    let answer = &analysis.comparisons[place];
    let core = Core::from_findings(&gather::of_comparison(recorded, analysis, place));
    let work = &answer.workload;
    let subject = among(analysis, &[answer], &chart::size(work));
    let command = core.command(recorded, &[answer]);
    Sentence {
        primitive: work.primitive.clone(),
        operation: work.operation.name(),
        contract: work.contract.to_string(),
        shape: work.shape.name(),
        size: work.size,
        answer: text::plain(&format!("{subject}: {}", core.words(core.undecided.as_deref()))),
        decided: core.open.is_none() && !matches!(core.said, Said::NoAnswer { .. }),
        cause: core.open.as_ref().map(|open| open.cause.clone()),
        command,
        fastest: core.fastest.into_iter().map(|one| one.name).collect(),
        not_here: core.not_here,
    }
}

/// How many times as fast, given a ratio of times: `1.82x`.
pub fn faster(ratio: f64) -> String {
    format!("{}x", text::digits(1.0 / ratio))
}

/// How fast a contender may be, up to the name of the other, given the least ratio of their times.
/// Two forks leave ratios open that no machine has.
pub fn may_be(least: f64) -> String {
    if least < 0.01 {
        return "may be far faster than".to_string();
    }
    format!("may be up to {} as fast as", faster(least))
}

/// The parts of a sentence. Several sizes may share one.
#[derive(Debug)]
struct Core {
    /// The answer.
    said: Said,
    /// The contenders that may be the fastest.
    fastest: Vec<Contender>,
    /// How far those that tie may be apart, as a ratio.
    within: f64,
    /// Others that the sentence names: the runner-up and the baseline; in a choice, the runner-up
    /// and the best of each other primitive.
    slower: Vec<Slower>,
    /// The contenders that were slower in every fork, and are not decided.
    undecided: Option<String>,
    /// Their names.
    lagging: Vec<ContenderName>,
    /// If some of the fastest are known to leak: which, and which of the others is the fastest.
    leaks: Option<String>,
    /// The contender that led elsewhere and is not here.
    not_here: Option<String>,
    open: Option<Open>,
}

/// One that was slower than another in every fork.
struct Lagging<'a> {
    behind: &'a Behind,
    than: &'a Contender,
    because: &'a Because,
}

/// Why an answer is open, and the options of the command that would decide it, if one would.
#[derive(Debug)]
struct Open {
    cause: String,
    options: Option<String>,
    /// The one whose time it lacks.
    lacks: Option<ContenderName>,
}

/// An interval whose ends differ by more than this factor is said by its lower end.
const WIDE: f64 = 2.0;

/// One that is slower than the leader.
#[derive(Debug)]
struct Slower {
    name: String,
    /// The range of ratios of its time to the leader's.
    low: f64,
    high: f64,
    /// Whether that is how well it is known, because it had few forks.
    about: bool,
    /// Its interval, if the range comes from the only fork of each size.
    single: Option<(f64, f64)>,
    /// Why it is a range at one size, if it is.
    why: Option<String>,
    /// The time of the harness in each of its calls, in ns, if it is worth a word.
    harness_ns: Option<f64>,
}

/// A range to two digits.
fn rounded_outwards(low: f64, high: f64) -> (f64, f64) {
    ((low * 10.0).floor() / 10.0, (high * 10.0).ceil() / 10.0)
}

impl Slower {
    fn from_behind(name: String, behind: &Behind) -> Slower {
        let interval = rounded_outwards(behind.low, behind.high);
        let harness_ns = behind.harness_ns;
        if behind.forks.len() == 1 {
            let (low, high) = (behind.times, behind.times);
            let why = Some("in the only fork of both".to_string());
            return Slower {
                name,
                low,
                high,
                about: false,
                single: Some(interval),
                why,
                harness_ns,
            };
        }
        let about = behind.left_early && behind.high.is_finite();
        if about {
            let (low, high) = interval;
            return Slower { name, low, high, about, single: None, why: None, harness_ns };
        }
        let (low, high) = behind.range();
        let why = (low < high).then(|| match behind.changed_at {
            Some(fork) => format!("it changed at fork {fork}"),
            None => "by fork".to_string(),
        });
        Slower { name, low, high, about, single: None, why, harness_ns }
    }

    /// With its interval in place of the figure of a single fork.
    fn without_single(self) -> Slower {
        match self.single {
            Some((low, high)) => Slower { low, high, about: true, single: None, why: None, ..self },
            None => self,
        }
    }

    /// Widens this to cover the next size.
    fn with(self, next: Slower) -> Slower {
        let (one, next) = match (self.single, next.single) {
            (Some(_), Some(_)) | (None, None) => (self, next),
            _ => (self.without_single(), next.without_single()),
        };
        let single = one.single.zip(next.single);
        Slower {
            low: one.low.min(next.low),
            high: one.high.max(next.high),
            about: one.about || next.about,
            single: single.map(|(one, next)| (one.0.min(next.0), one.1.max(next.1))),
            // A reason that holds at one size is not said of all.
            why: one.why.filter(|why| next.why.as_ref() == Some(why)),
            harness_ns: one.harness_ns.or(next.harness_ns),
            name: one.name,
        }
    }

    fn words(&self) -> String {
        format!("{} takes {} as long{}", self.name, self.times(), self.notes())
    }

    /// The words without the verb, for use after others that have it.
    fn without_verb(&self) -> String {
        format!("{} {}{}", self.name, self.times(), self.notes())
    }

    fn times(&self) -> String {
        // The upper end of a wide interval says nothing about the contender.
        if self.about && self.high > WIDE * self.low {
            return format!("over {:.1} times", self.low);
        }
        if self.about {
            return format!("about {:.1} to {:.1} times", self.low, self.high);
        }
        times(self.low, self.high)
    }

    fn notes(&self) -> String {
        let harness =
            self.harness_ns.map(|ns| format!("{} per call are its harness", text::time(ns)));
        let notes: Vec<String> = self.why.iter().cloned().chain(harness).collect();
        if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) }
    }
}

impl Core {
    /// The sentence of a comparison with these findings, of which the first is its answer.
    fn from_findings(findings: &[Finding]) -> Core {
        let said = findings[0].said.clone();
        let fastest: Vec<Contender> = match &said {
            Said::Fastest { contender, .. } | Said::Alone { contender, .. } => {
                vec![contender.clone()]
            }
            Said::Tie { contenders, .. }
            | Said::Choice { contenders, .. }
            | Said::Open { contenders, .. } => contenders.clone(),
            _ => vec![],
        };
        let open = match &said {
            Said::Open { because: why, remedy, .. }
            | Said::NoAnswer { because: why, remedy }
            | Said::Alone { because: Some(why), remedy, .. } => Some(Open {
                cause: because(why),
                options: remedy.clone(),
                lacks: match why {
                    Because::NoTime { contender, .. } => Some(contender.name.clone()),
                    _ => None,
                },
            }),
            _ => None,
        };
        // The answer has already named the reasons that no command removes.
        let open =
            open.filter(|open| open.options.is_some() || !matches!(said, Said::NoAnswer { .. }));
        let lagging = findings.iter().filter_map(|finding| match &finding.said {
            Said::SlowerUndecided { behind, than, because } => {
                Some(Lagging { behind, than, because })
            }
            _ => None,
        });
        // Which primitive is the fastest is decided, whichever of its contenders is.
        let lagging = lagging.filter(|_| !matches!(said, Said::Choice { .. }));
        let lagging: Vec<Lagging<'_>> = lagging.collect();
        Core {
            within: if let Said::Tie { within, .. } = said { within } else { 1.0 },
            slower: slower(&said, &fastest),
            undecided: undecided(&lagging, fastest.first()),
            lagging: lagging.iter().map(|one| one.behind.contender.name.clone()).collect(),
            leaks: leaks(findings, &said, &fastest),
            not_here: not_here(findings),
            said,
            fastest,
            open,
        }
    }

    fn standing(&self) -> Option<&Standing> {
        standing(&self.said)
    }

    fn is_choice(&self) -> bool {
        self.fastest.iter().any(|one| one.name.primitive().is_some())
    }

    fn groups(&self) -> &[Group] {
        self.standing().map_or(&[], |standing| &standing.groups)
    }

    /// The best of a language here.
    fn best_of(&self, group: &Group) -> Option<(&Group, &Behind)> {
        let own = self.groups().iter().find(|own| own.group == group.group)?;
        let mut others = self.standing()?.others.iter();
        Some((own, others.find(|other| other.contender.cell == own.best)?))
    }

    /// Whether the answer at the next size is the same.
    fn joins(&self, next: &Core) -> bool {
        !matches!(self.said, Said::NoAnswer { .. } | Said::Alone { .. })
            && std::mem::discriminant(&self.said) == std::mem::discriminant(&next.said)
            && self.named() == next.named()
            && self.among() == next.among()
            && self.leaks == next.leaks
            && self.not_here == next.not_here
            && self.undecided.is_none()
            && next.undecided.is_none()
            && self.slower.iter().map(|one| &one.name).eq(next.slower.iter().map(|one| &one.name))
    }

    /// Whether the sentence says how far this one is behind.
    fn says_of(&self, other: &Behind) -> bool {
        self.slower.iter().any(|one| one.name == with_version(&other.contender))
    }

    /// The names, in an order that times do not change where several tie.
    fn named(&self) -> Vec<String> {
        let mut names: Vec<String> = self.fastest.iter().map(with_version).collect();
        if !matches!(self.said, Said::Fastest { .. }) {
            names.sort_unstable();
        }
        names
    }

    /// Merges the answer at the next size.
    fn with(self, next: Core) -> Core {
        let slower = self.slower.into_iter().zip(next.slower);
        Core {
            within: self.within.max(next.within),
            slower: slower.map(|(one, next)| one.with(next)).collect(),
            open: self.open.or(next.open),
            ..self
        }
    }

    /// The command that would decide the open questions at the sizes of these answers.
    fn command(&self, recorded: &Recorded, answers: &[&Answer]) -> Option<String> {
        let open = self.open.as_ref()?;
        let options = open.options.as_ref()?;
        let sizes: Vec<u64> = answers.iter().map(|answer| answer.workload.size).collect();
        // A contender alone would be compared with nothing.
        let names = self.fastest.iter().map(|one| &one.name).chain(&self.lagging);
        let names = names.chain(&open.lacks);
        let names = names.map(ContenderName::as_str);
        let (work, all) = (&answers[0].workload, recorded.plan.workloads());
        Some(again(&recorded.run.suite, work, &sizes, all, names, options))
    }

    /// Among how many the fastest is. A sentence that names all of them need not count them, and
    /// one of primitives counts no contenders.
    fn among(&self) -> String {
        let Some(standing) = self.standing() else { return String::new() };
        let jit = if standing.among == Among::WithoutJit { " without a JIT" } else { "" };
        if self.is_choice() || standing.compared <= self.fastest.len() + self.slower.len() {
            return if jit.is_empty() { String::new() } else { format!(" of those{jit}") };
        }
        let titles: Vec<&str> =
            standing.languages.iter().map(|language| language_title(language)).collect();
        format!(" of {}{jit} ({})", standing.compared, titles.join(", "))
    }

    fn words(&self, undecided: Option<&str>) -> String {
        let names: Vec<String> = self.fastest.iter().map(with_version).collect();
        let names = list(&names);
        let among = self.among();
        let answer = match &self.said {
            Said::NoAnswer { because: why, .. } => return format!("no answer: {}", because(why)),
            Said::Alone { ns, because: Some(_), .. } => {
                format!("{names} takes {}; no other has a time", text::time(*ns))
            }
            Said::Alone { ns, .. } => {
                format!("{names} takes {}; there is nothing to compare it with", text::time(*ns))
            }
            Said::Fastest { .. } => format!("{names} is the fastest{among}"),
            Said::Tie { .. } => {
                format!("{names} tie for the fastest{among}, within {} %", percent(self.within))
            }
            Said::Choice { primitive, .. } => {
                let title = primitives::title(primitive);
                let own: Vec<String> = self.fastest.iter().map(in_choice).collect();
                match &own[..] {
                    [one] => format!("{title} ({one}) is the fastest{among}"),
                    _ => format!("{title} is the fastest{among} (one of {})", list(&own)),
                }
            }
            _ if self.fastest.len() == 1 => format!("{names} has the shortest time{among}"),
            _ => format!("the fastest{among} is one of {names}"),
        };
        let slower = self.slower.iter().map(Slower::words);
        let undecided = undecided.map(str::to_string);
        let parts = [answer].into_iter().chain(slower).chain(undecided).chain(self.leaks.clone());
        parts.collect::<Vec<_>>().join("; ")
    }
}

fn standing(said: &Said) -> Option<&Standing> {
    match said {
        Said::Fastest { standing, .. }
        | Said::Tie { standing, .. }
        | Said::Choice { standing, .. }
        | Said::Open { standing, .. } => Some(standing),
        _ => None,
    }
}

/// The contenders that were slower in every fork, with the reason of the first.
fn undecided(lagging: &[Lagging<'_>], leader: Option<&Contender>) -> Option<String> {
    let why = lagging.first()?.because;
    let mut each: Vec<String> = lagging.iter().map(|one| in_every_fork(one, leader)).collect();
    let more = each.len().saturating_sub(NAMED - 1);
    each.truncate(NAMED - 1);
    let more = if more > 0 { format!(", and {more} more were slower, too") } else { String::new() };
    Some(format!("{}{more}: not decided ({})", each.join(", "), because(why)))
}

/// How one that was slower in every fork took longer: than the leader, unless another contender is
/// named.
fn in_every_fork(one: &Lagging<'_>, leader: Option<&Contender>) -> String {
    let Lagging { behind, than, .. } = one;
    let (low, high) = behind.whole_range();
    let forks = match behind.forks.len() {
        1 => " in the only fork".to_string(),
        2 => ", and longer in both forks".to_string(),
        all => format!(", and longer in each of {all} forks"),
    };
    let name = with_version(&behind.contender);
    let other = if leader == Some(*than) { String::new() } else { format!(" as {}", than.name) };
    format!("{name} took {} as long{other}{forks}", times(low, high))
}

/// The others that the sentence names. In a choice they are the best of each other primitive, and a
/// runner-up of the same primitive.
fn slower(said: &Said, fastest: &[Contender]) -> Vec<Slower> {
    let Some(standing) = standing(said).filter(|_| !matches!(said, Said::Open { .. })) else {
        return vec![];
    };
    let Some(leader) = fastest.first() else { return vec![] };
    let leads = matches!(said, Said::Fastest { .. });
    let mut slower = Vec::new();
    let runner_up = standing.others.first().filter(|_| leads);
    let same = |other: &&Behind| other.contender.name.primitive() == leader.name.primitive();
    if let Some(other) = runner_up.filter(same) {
        slower.push(Slower::from_behind(with_version(&other.contender), other));
    }
    let of = |cell: usize| standing.others.iter().find(|other| other.contender.cell == cell);
    if leader.name.primitive().is_some() {
        for group in &standing.groups {
            let Some(best) = of(group.best) else { continue };
            let or = if group.sole { "" } else { " or another" };
            let name = format!("the best {} ({}{or})", group.group, in_choice(&best.contender));
            slower.push(Slower::from_behind(name, best));
        }
        return slower;
    }
    let is_named = |cell: usize| {
        fastest.iter().any(|one| one.cell == cell)
            || runner_up.is_some_and(|other| other.contender.cell == cell)
    };
    let baseline = standing.baseline.filter(|cell| !is_named(*cell)).and_then(of);
    slower.extend(baseline.map(|other| Slower::from_behind(with_version(&other.contender), other)));
    slower
}

/// The words of an answer if some of the fastest are known to leak: which, how, and which has the
/// shortest time without a known leak.
fn leaks(findings: &[Finding], said: &Said, fastest: &[Contender]) -> Option<String> {
    let leak_of = |cell: usize| {
        findings.iter().find_map(|finding| match &finding.said {
            Said::Leaks { contender, how, .. } if contender.cell == cell => Some(how),
            _ => None,
        })
    };
    let leaking = fastest.iter().filter_map(|one| Some((one, leak_of(one.cell)?)));
    let leaking: Vec<String> =
        leaking.map(|(one, how)| format!("{} leaks ({how})", one.name)).collect();
    if leaking.is_empty() {
        return None;
    }
    let others = standing(said).into_iter().flat_map(|standing| &standing.others);
    let others = others.map(|other| &other.contender);
    // By rank: one that may lead because its times scatter may have a longer time than others.
    let mut all = fastest.iter().take(1).chain(others).chain(fastest);
    let best = all.find(|one| leak_of(one.cell).is_none()).map(|one| {
        let said = tested(findings, one.cell);
        format!("; of those without a known leak, {} ({said}) has the shortest time", one.name)
    });
    Some(format!("{}{}", leaking.join(", "), best.unwrap_or_default()))
}

/// The contenders that led on another machine and are not here.
fn not_here(findings: &[Finding]) -> Option<String> {
    let lines = findings.iter().filter_map(|finding| match &finding.said {
        Said::NotHere(not_here) => Some(not_here.line()),
        _ => None,
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("; "))
}

/// The result of a leak test of a contender without a known leak.
fn tested(findings: &[Finding], cell: usize) -> &'static str {
    let said = findings.iter().find_map(|finding| match &finding.said {
        Said::NoneSeen { contender, .. } if contender.cell == cell => {
            Some(LeakVerdict::NoneSeen.words())
        }
        Said::LeakUndecided { contender, .. } if contender.cell == cell => {
            Some(LeakVerdict::Undecided.words())
        }
        _ => None,
    });
    said.unwrap_or(NOT_TESTED)
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

fn with_version(one: &Contender) -> String {
    named(&one.name, &one.version)
}

/// A contender of a choice without its primitive, which the sentence names.
fn in_choice(one: &Contender) -> String {
    ContenderName::from(with_version(one)).contender().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_interval_is_said_by_its_lower_end() {
        let slower = |low, high| {
            let (name, why, harness_ns) = (String::new(), None, None);
            Slower { name, low, high, about: true, single: None, why, harness_ns }.times()
        };
        assert_eq!(slower(2.1, 2.5), "about 2.1 to 2.5 times");
        assert_eq!(slower(1.7, 63.0), "over 1.7 times");
    }

    #[test]
    fn a_figure_of_a_single_fork_is_joined_with_others_by_its_interval() {
        let of = |times: f64, single: Option<(f64, f64)>| {
            let why = single.map(|_| "in the only fork of both".to_string());
            let name = "a".to_string();
            let about = single.is_none();
            Slower { name, low: times, high: times, about, single, why, harness_ns: None }
        };
        let one = || of(5.0, Some((1.6, 15.1)));
        let joined = one().with(of(9.0, Some((3.0, 27.0))));
        assert_eq!(joined.words(), "a takes 5.00 to 9.00 times as long (in the only fork of both)");
        assert_eq!(one().with(of(11.0, None)).words(), "a takes over 1.6 times as long");
        assert_eq!(of(11.0, None).with(one()).words(), "a takes over 1.6 times as long");
    }

    #[test]
    fn reasons_that_differ_by_size_are_not_said_of_all_sizes() {
        let sizes = ["16 B", "64 B", "1 KiB"].map(String::from);
        let why = |causes: [Option<&str>; 3]| why_open(&sizes, &causes);
        assert_eq!(why([None; 3]), None);
        assert_eq!(why([Some("few forks"); 3]).unwrap(), "few forks");
        assert_eq!(why([None, Some("few forks"), None]).unwrap(), "at 64 B, few forks");
        let two = [Some("few forks"), Some("it changed"), Some("few forks")];
        let said = "at 16 B and 1 KiB, few forks; at another size for another reason";
        assert_eq!(why(two).unwrap(), said);
        let three = [Some("few forks"), Some("it changed"), Some("no control")];
        assert_eq!(why(three).unwrap(), "at 16 B, few forks; at 2 other sizes for other reasons");
    }

    /// The first leaks. The second's times scatter, so it may lead; the third is certainly slower
    /// than the first, and yet faster than the second.
    #[test]
    fn the_shortest_time_without_a_known_leak_is_by_rank() {
        let [first, second, third] = [("c/a", 0), ("c/b", 1), ("c/c", 2)]
            .map(|(name, cell)| Contender { name: name.into(), version: String::new(), cell });
        let behind = |contender: &Contender, times| Behind {
            contender: contender.clone(),
            times,
            low: times / 1.1,
            high: times * 1.1,
            forks: vec![1, 2, 3],
            parts: vec![],
            changed_at: None,
            ns: 100.0 * times,
            harness_ns: None,
            left_early: false,
        };
        let standing = Standing {
            others: vec![behind(&third, 1.3), behind(&second, 1.9)],
            groups: vec![],
            baseline: None,
            among: Among::All,
            compared: 3,
            languages: vec!["c".to_string()],
        };
        let fastest = [first.clone(), second];
        let contenders = fastest.to_vec();
        let because = Because::NoSharedFork;
        let open = Said::Open { contenders, standing, because, remedy: None };
        let (how, tested) = ("its addresses depend on the key".to_string(), String::new());
        let leak = Finding::of_run(Said::Leaks { contender: first, how, tested });
        assert_eq!(
            leaks(&[leak], &open, &fastest).unwrap(),
            "c/a leaks (its addresses depend on the key); of those without a known leak, c/c (not \
             tested) has the shortest time"
        );
    }

    #[test]
    fn what_two_forks_leave_open_is_no_number_of_45_digits() {
        assert_eq!(may_be(0.5), "may be up to 2.00x as fast as");
        assert_eq!(may_be(4.5e-44), "may be far faster than");
        assert_eq!(may_be(0.0), "may be far faster than");
    }
}
