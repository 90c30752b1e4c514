//! `cupel ask --paths`: whether each implementation's default is the best of its code paths.

use super::ask::{Args, Words, find_declared, find_named};
use super::run::{Done, How, carry_out, show_findings};
use super::{Context, Exit};
use anyhow::{Result, bail};
use cupel_base::home::Home;
use cupel_base::name::ContenderName;
use cupel_base::primitives;
use cupel_base::problem::{Written, did_you_mean};
use cupel_base::text;
use cupel_decide::claims::Claimant;
use cupel_decide::claims::{self, Answered, Decision, Point, Scope};
use cupel_decide::paths::{self, Judged, Pair, Proof, Seen};
use cupel_host::contender::Contender;
use cupel_host::steps::Executed;
use cupel_host::toolchain::{self, Family, newest};
use cupel_show::report;
use cupel_show::report::progress::Progress;
use cupel_suite::{Asked, Group, Options, Suite};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    let words = Words::of(&args.words)?;
    let primitive = words.primitive()?;
    let asked = args.asking.asked(&words);
    let group = asked.suite()?.workloads[0].clone();
    let named = concerned(&home, primitive, &words.names)?;
    let measuring = &args.asking.measuring;
    let what = format!("{} of {primitive}", group.operation);
    must_be_declared(&words.names, &find_declared(context, &home, named.clone())?, &what)?;
    let all = find_named(context, &home, !measuring.dry_run, named)?;
    let mut paths = Paths::of(&all, primitive, &group);
    if words.names.is_empty() {
        paths.keep_usual(newest::jdk(&home).as_deref());
    }
    paths.keep_meant(&words.names, &all, &what)?;
    if paths.compared.is_empty() {
        bail!(
            "no implementation here has a forced path for {} of {primitive}{}",
            group.operation,
            paths.why_none()
        );
    }
    let suite = paths.question(asked, primitive).suite()?;
    let (how, overrides) = (How::of(measuring), measuring.overrides());
    let Ok(done) = carry_out(context, &home, &how, || Ok(suite.clone()), &overrides)? else {
        return Ok(Exit::Well);
    };
    let answered = paths.decide(&suite, &done)?;
    let seen = step(context, &home, &how, &done, &answered);
    let judged = paths::judge(&done.analysis, &answered, &seen);
    let findings = Findings { judged: &judged, seen: &seen, absent: &paths.absent };
    let style = args.asking.tables.style(context.style);
    show_findings(&done, args.asking.printing.format(), style, &findings.lines(), &|document| {
        findings.add_to(document);
    })?;
    Ok(done.interrupted(context).unwrap_or_else(|| exit(&judged)))
}

/// The paths of the contenders that the question is about.
struct Paths {
    /// Those that this CPU can take.
    compared: Vec<Pair>,
    /// The others, with the reason.
    absent: Vec<(Pair, String)>,
}

impl Paths {
    /// All that these contenders have for a workload.
    fn of(all: &[Contender], primitive: &str, group: &Group) -> Paths {
        let (compared, absent) = paths::pairs(all, primitive, group.operation, &group.contract);
        Paths { compared, absent }
    }

    /// Leaves out every JDK but the newest, as a question does that names none.
    fn keep_usual(&mut self, newest: Option<&str>) {
        let is_usual = |pair: &Pair| {
            let default = ContenderName::from(pair.default.as_str());
            default.toolchain().is_none() || default.toolchain() == newest
        };
        self.compared.retain(is_usual);
        self.absent.retain(|(pair, _)| is_usual(pair));
    }

    /// Leaves only those that these words mean, if there are any words.
    fn keep_meant(&mut self, words: &[String], all: &[Contender], operation: &str) -> Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        let known: Vec<&Pair> =
            self.compared.iter().chain(self.absent.iter().map(|(pair, _)| pair)).collect();
        let mut meant: Vec<Pair> = Vec::new();
        for word in words {
            let found = paths::meant(word, &known, |name| {
                all.iter().find(|c| c.name == *name).map_or("", |contender| &contender.library)
            });
            if found.is_empty() {
                bail!(without_path(word, all, &known, operation));
            }
            meant.extend(found.into_iter().cloned());
        }
        self.compared.retain(|pair| meant.contains(pair));
        self.absent.retain(|(pair, _)| meant.contains(pair));
        Ok(())
    }

    /// The end of the sentence that nothing can be compared.
    fn why_none(&self) -> String {
        if self.absent.is_empty() {
            return "; `forced_path_of` in the files of contenders/ declares them".to_string();
        }
        format!(": {}", self.absent.iter().map(not_forced).collect::<Vec<_>>().join("; "))
    }

    /// The question that compares each default with its paths. The first default is the baseline.
    fn question(&self, asked: Asked, primitive: &str) -> Asked {
        let margin = Options::default().tie_zone;
        let mut contenders: Vec<String> = Vec::new();
        for name in self.compared.iter().flat_map(|pair| [&pair.default, &pair.forced]) {
            if !contenders.contains(name) {
                contenders.push(name.clone());
            }
        }
        Asked {
            claims: self.compared.iter().map(|pair| pair.claim(margin)).collect(),
            baseline: contenders.first().cloned(),
            contenders,
            question: Some(format!(
                "Does each {} take its fast code path?",
                primitives::in_words(primitive)
            )),
            ..asked
        }
    }

    /// The run's verdict on each pair. A contender may report only when its runner asks for the
    /// path that this CPU lacks what the path needs: such a pair becomes absent.
    fn decide(&mut self, suite: &Suite, done: &Done) -> Result<Vec<Answered>> {
        let scope = Scope { run: Some(done.recorded.run.id), ..Scope::default() };
        let (decided, _) = claims::decide(&done.store, &[Claimant::from(suite)], &scope)?;
        let mut answered = Vec::new();
        for one in decided {
            let (default, forced) = (one.claim.a.to_string(), one.claim.b.to_string());
            match done.analysis.missing(&forced).or_else(|| done.analysis.missing(&default)) {
                Some(why) => self.absent.push((Pair { default, forced }, why)),
                None => answered.push(one),
            }
        }
        Ok(answered)
    }
}

/// The findings to print.
struct Findings<'a> {
    judged: &'a [Judged<'a>],
    seen: &'a Seen,
    absent: &'a [(Pair, String)],
}

/// Patterns of the families that declare a contender of this primitive, or only of those that the
/// words may mean, if any.
fn concerned(home: &Home, primitive: &str, words: &[String]) -> Result<Vec<String>> {
    let mut families = toolchain::families(home)?;
    families.retain(|family| {
        let mut offers = family.contenders.iter().flat_map(|contender| &contender.offers);
        offers.any(|offer| offer.primitive == primitive)
    });
    // A family has its contenders once for each toolchain.
    let words: Vec<_> = words.iter().map(|word| ContenderName::from(word.as_str())).collect();
    let meant: Vec<&Family> = families
        .iter()
        .filter(|family| words.iter().any(|word| may_mean(word.code(), family)))
        .collect();
    let wanted = if meant.is_empty() { families.iter().collect() } else { meant };
    Ok(wanted.iter().map(|family| format!("{}/*", family.prefix)).collect())
}

/// Whether a word may mean a contender of a family, or one that stands for it.
fn may_mean(word: &str, family: &Family) -> bool {
    family.contenders.iter().any(|contender| {
        let main = contender.secondary.as_ref().map(|(_, main)| main.as_str());
        let mut names = std::iter::once(contender.name.as_str()).chain(main);
        names.any(|name| paths::may_mean(word, &family.full_name(name), &contender.library))
    })
}

/// Rejects a misspelt name before anything is built.
fn must_be_declared(words: &[String], declared: &[Contender], operation: &str) -> Result<()> {
    let forced = declared.iter().filter_map(|contender| {
        let (default, forced) = (contender.forced_path_of()?, &contender.name);
        Some(Pair { default: default.to_string(), forced: forced.to_string() })
    });
    let known: Vec<Pair> = forced.collect();
    let is_unknown = |word: &&String| {
        let is_meant = |c: &Contender| paths::may_mean(word, &c.name, &c.library);
        let is_default =
            |pair: &Pair| paths::may_mean(word, &ContenderName::from(pair.default.as_str()), "");
        !declared.iter().any(is_meant) && !known.iter().any(is_default)
    };
    match words.iter().find(is_unknown) {
        Some(word) => {
            bail!(without_path(word, declared, &known.iter().collect::<Vec<_>>(), operation))
        }
        None => Ok(()),
    }
}

/// Why a word means none of the pairs: what it names has no forced path, or it names nothing.
fn without_path(word: &str, all: &[Contender], known: &[&Pair], operation: &str) -> String {
    let defaults: BTreeSet<&str> = known.iter().map(|pair| pair.default.as_str()).collect();
    if let Some(one) = all.iter().find(|c| paths::may_mean(word, &c.name, &c.library)) {
        let names = defaults.into_iter().collect::<Vec<_>>().join(", ");
        return format!(
            "{} has no forced path for {operation} here; these have one: {names}",
            one.name
        );
    }
    let libraries = all.iter().filter(|c| defaults.contains(c.name.as_str()));
    let names = libraries.flat_map(|c| [c.library.as_str(), c.name.as_str(), &c.implementation]);
    let help = did_you_mean(word, names, Written::Word)
        .unwrap_or_else(|| "docs/paths.md lists what has forced paths".to_string());
    format!("no contender or library is called {word}; {help}")
}

/// Steps through a call of each contender.
fn step(context: &Context, home: &Home, how: &How<'_>, done: &Done, answered: &[Answered]) -> Seen {
    let progress = Progress::new(context.quiet);
    let plan = &done.recorded.plan;
    Seen::by_stepping(plan, answered, &home.cache, how.patience, &|what| progress.say(what))
}

fn exit(judged: &[Judged<'_>]) -> Exit {
    if judged.iter().any(|one| !one.findings().is_empty()) {
        return Exit::Refuted;
    }
    let mut decisions = judged.iter().filter_map(Judged::decision);
    if decisions.all(|decision| decision == Decision::Held) { Exit::Well } else { Exit::Undecided }
}

/// A line below a heading, and how far it is indented.
struct Line {
    depth: usize,
    text: String,
}

impl Findings<'_> {
    /// The answer first: the defaults that are slower than they could be, or that there are none.
    /// Then each pair.
    fn lines(&self) -> report::Findings {
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
        let mut findings = report::Findings::default();
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
            let sizes = self.seen.of(name);
            let Some((size, executed)) = sizes.and_then(|sizes| sizes.last_key_value()) else {
                continue;
            };
            let text = format!("{name} executes {} at {}", said(executed), text::bytes(*size));
            lines.push(Line { depth: 2, text });
        }
        // If both ran the same code, their ratio says nothing about a path.
        if !matches!(one.proof, Proof::Same(_)) {
            let points = one.answered.points.iter();
            lines.extend(points.map(|point| Line { depth: 2, text: found(point) }));
        }
    }

    /// Adds `paths` and `not_forced` to the document of the run.
    fn add_to(&self, document: &mut Value) {
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
fn not_forced((pair, why): &(Pair, String)) -> String {
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
    let executed = seen.of(name)?.get(&size)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_names_none_is_about_the_newest_jdk() {
        let pair = |default: &str| Pair {
            default: default.to_string(),
            forced: default.replace("jdk", "jdk-nosha"),
        };
        let all = ["c/jdk", "jvm/jdk@temurin-21", "jvm/jdk@temurin-25"].map(pair).to_vec();
        let absent = all.iter().map(|pair| (pair.clone(), "no CPUID faults".to_string())).collect();
        let mut paths = Paths { compared: all, absent };
        paths.keep_usual(Some("temurin-25"));
        assert_eq!(paths.compared, [pair("c/jdk"), pair("jvm/jdk@temurin-25")]);
        assert_eq!(paths.absent.len(), 2);
    }
}
