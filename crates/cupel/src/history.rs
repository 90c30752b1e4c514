//! `cupel ask --history`: which release of an implementation made it slower.

use super::ask::{Args, Words, find_declared, find_named};
use super::run::{Done, How, carry_out, show_findings};
use super::{Context, Exit};
use anyhow::{Result, bail};
use comfy_table::{Table, presets};
use cupel_analyse::Ratio;
use cupel_base::home::Home;
use cupel_base::name::ContenderName;
use cupel_base::problem::{Written, did_you_mean};
use cupel_base::{primitives, text};
use cupel_decide::claims::{self, Answered, Claimant, Measured, Scope};
use cupel_decide::history::{Change, Releases, between};
use cupel_decide::paths::{self, Seen};
use cupel_host::contender::{Contender, State};
use cupel_host::toolchain::{library, newest};
use cupel_show::report;
use cupel_show::report::progress::Progress;
use cupel_suite::{Asked, Options, Suite};
use serde_json::{Value, json};

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    let words = Words::of(&args.words)?;
    let primitive = words.primitive()?;
    let word = args.history.as_deref().unwrap_or_default();
    if let Some(other) = words.names.first() {
        bail!("{other} is one word too many: a history is of one implementation, {word}");
    }
    let asked = args.asking.asked(&words);
    let group = asked.suite()?.workloads[0].clone();
    let name = implementation(word, &find_declared(context, &home, vec![])?)?;
    let code = name.code();
    let newest_jdk = newest::jdk(&home);
    let host = name.toolchain().or(newest_jdk.as_deref());
    let what = format!("{} of {primitive}", group.operation);
    let releases_of = |all: &[Contender]| {
        let mut found: Vec<&Contender> = all.iter().filter(|c| c.name.code() == code).collect();
        found.retain(|c| c.variant.is_none());
        found.retain(|c| c.is_ready() || c.state == State::Unbuilt);
        found.retain(|c| c.offers_one_of(primitive, group.operation, &group.contract));
        let releases = Releases::of(&found, host);
        if releases.chain.len() < 2 {
            return Err(too_few(&home, &name, &releases, &what));
        }
        Ok(releases)
    };
    let named = [code.to_string(), format!("{code}@*"), format!("{code}@*+*")].to_vec();
    // Nothing is built where there is nothing to compare.
    releases_of(&find_declared(context, &home, named.clone())?)?;
    let measuring = &args.asking.measuring;
    let all = find_named(context, &home, !measuring.dry_run, named)?;
    for absent in all.iter().filter(|c| c.name.code() == code && c.is_on_demand()) {
        if let State::Missing(why) | State::Failed(why) = &absent.state {
            context.say(&format!("{} is left out: {why}", absent.name));
        }
    }
    let mut releases = releases_of(&all)?;
    let title = primitives::in_words(primitive);
    let question = format!("Which release of {code} made {title} slower?");
    let asked = Asked { question: Some(question), ..asked };
    let suite = suite_of(&releases, &asked)?;
    let (how, overrides) = (How::of(measuring), measuring.overrides());
    let Some(done) = carry_out(context, &home, &how, || Ok(suite), &overrides)? else {
        return Ok(Exit::Well);
    };
    let missing = leave_out_missing(&mut releases, &done);
    let answered = decide(&suite_of(&releases, &asked)?, &done)?;
    let seen = step(context, &home, &how, &done, &answered);
    let history = History { releases, answered, seen, missing, done: &done };
    let style = args.asking.tables.style(context.style);
    show_findings(&done, args.asking.printing.format(), style, &history.text(), &|document| {
        document["history"] = history.sizes().map(|size| history.json(size)).collect();
    })?;
    Ok(done.interrupted(context).unwrap_or_else(|| history.exit()))
}

/// The implementation that a word means: the one that stands for its second styles. With the
/// toolchain that the word names, if it does.
fn implementation(word: &str, declared: &[Contender]) -> Result<ContenderName> {
    let some: Vec<&Contender> = declared.iter().filter(|c| c.variant.is_none()).collect();
    let mut found = paths::contenders_meant(word, &some);
    let standing: Vec<&Contender> =
        found.iter().copied().filter(|c| c.secondary.is_none()).collect();
    if !standing.is_empty() {
        found = standing;
    }
    let Some(first) = found.first() else {
        let known =
            some.iter().flat_map(|c| [c.library.as_str(), c.name.code(), c.name.implementation()]);
        let help = did_you_mean(word, known, Written::Word)
            .unwrap_or_else(|| "`cupel list` shows the names".to_string());
        bail!("no contender or library is called {word}; {help}");
    };
    let code = first.name.code();
    if let Some(other) = found.iter().find(|c| c.name.code() != code) {
        bail!("{word} may be {code} or {}: name one", other.name.code());
    }
    let asked = ContenderName::from(word);
    Ok(if asked.toolchain().is_some() { first.name.clone() } else { code.into() })
}

/// That there is nothing to compare, and how to change that.
fn too_few(home: &Home, name: &ContenderName, found: &Releases, what: &str) -> anyhow::Error {
    let code = name.code();
    let here = match found.all().collect::<Vec<_>>()[..] {
        [] => format!("no release of {code} that offers {what} is installed"),
        [only] => format!("only {only} is installed"),
        [one, other, ..] => format!("only {one}, next to the system's {other}, is installed"),
    };
    let remedy = library::of_contender(name).and_then(|library| library.remedy(home));
    let remedy = remedy.unwrap_or_else(|| "`cupel install --help` lists what can be added".into());
    anyhow::anyhow!("a history needs two releases, and {here}; {remedy}")
}

/// What a run shows about the releases.
struct History<'a> {
    releases: Releases,
    answered: Vec<Answered>,
    seen: Seen,
    /// Those that have no time, each with the reason.
    missing: Vec<String>,
    done: &'a Done,
}

/// The question as a suite. The oldest release is the baseline.
fn suite_of(releases: &Releases, asked: &Asked) -> Result<Suite> {
    let contenders: Vec<String> = releases.all().map(ContenderName::to_string).collect();
    let asked = Asked {
        claims: releases.claims(Options::default().tie_zone),
        baseline: contenders.first().cloned(),
        contenders,
        ..asked.clone()
    };
    Ok(asked.suite()?)
}

/// Leaves out the releases that have no time at any size, and says why: the one after such a
/// release is compared with the one before it.
fn leave_out_missing(releases: &mut Releases, done: &Done) -> Vec<String> {
    let rows = || done.analysis.comparisons.iter().flat_map(|answer| &answer.rows);
    let mut missing = Vec::new();
    let mut is_there = |name: &ContenderName| {
        let mut own = rows().filter(|row| row.contender == *name).peekable();
        let reason = own.peek().and_then(|row| row.reason.clone());
        let timed = own.any(|row| row.ns.is_some());
        if !timed {
            let reason = reason.unwrap_or_else(|| "it has no time".to_string());
            missing.push(format!("{name} is left out: {reason}"));
        }
        timed
    };
    releases.chain.retain(&mut is_there);
    releases.aside = releases.aside.take().filter(is_there);
    missing
}

/// What the run shows, all at once.
fn decide(suite: &Suite, done: &Done) -> Result<Vec<Answered>> {
    let scope = Scope { run: Some(done.recorded.run.id), ..Scope::default() };
    Ok(claims::decide(&done.store, &[Claimant::from(suite)], &scope)?.0)
}

/// Sees what a call of each release executes. What is compiled at run time is not compiled yet in
/// the process that is stepped.
fn step(context: &Context, home: &Home, how: &How<'_>, done: &Done, answered: &[Answered]) -> Seen {
    let progress = Progress::new(context.quiet);
    let plan = &done.recorded.plan;
    if plan.contenders.iter().any(Contender::is_jit) {
        return Seen::default();
    }
    Seen::by_stepping(plan, answered, &home.cache, how.patience, &|what| progress.say(what))
}

impl History<'_> {
    fn sizes(&self) -> impl Iterator<Item = u64> {
        self.done.analysis.comparisons.iter().map(|answer| answer.workload.size)
    }

    /// Each release and the one before it.
    fn steps(&self) -> impl Iterator<Item = (&ContenderName, &ContenderName)> {
        self.releases.chain.windows(2).map(|pair| (&pair[1], &pair[0]))
    }

    fn between(
        &self,
        later: &ContenderName,
        earlier: &ContenderName,
        size: u64,
    ) -> Option<&Measured> {
        between(&self.answered, (later, earlier), size)
    }

    fn change(&self, later: &ContenderName, earlier: &ContenderName, size: u64) -> Change {
        self.between(later, earlier, size).map_or(Change::Open, Change::of)
    }

    fn exit(&self) -> Exit {
        let changes = self
            .sizes()
            .flat_map(|size| self.steps().map(move |(later, earlier)| (later, earlier, size)))
            .map(|(later, earlier, size)| self.change(later, earlier, size));
        let changes: Vec<Change> = changes.collect();
        if changes.contains(&Change::Slower) {
            Exit::Refuted
        } else if changes.is_empty() || changes.contains(&Change::Open) {
            Exit::Undecided
        } else {
            Exit::Well
        }
    }

    /// The release in a table: its version where all run on one host.
    fn label(&self, name: &ContenderName) -> String {
        let contenders = &self.done.recorded.plan.contenders;
        let version = || {
            let contender = contenders.iter().find(|contender| contender.name == *name);
            contender.map(|contender| contender.version.clone()).unwrap_or_default()
        };
        let hosted = self.releases.chain.iter().any(|name| name.host_of_release().is_some());
        match name.release() {
            Some(release) if !hosted => release.to_string(),
            Some(_) => version(),
            None => format!("{} of the system", version()),
        }
    }

    /// The answer for each size first, then the releases at each size, then what is not in it.
    fn text(&self) -> String {
        let mut out = String::new();
        for size in self.sizes() {
            out += &(text::folded("", &text::plain(&self.sentence(size))) + "\n");
        }
        for size in self.sizes() {
            out += &format!("\n{}\n{}\n", text::bytes(size), self.table(size));
        }
        let unseen = self.seen.unseen.iter();
        let unseen = unseen.map(|(name, why)| format!("what {name} executes is not known: {why}"));
        for line in self.sizes().flat_map(|size| self.paths(size)).chain(unseen) {
            out += &(text::folded("  ", &text::plain(&line)) + "\n");
        }
        for line in &self.missing {
            out += &(text::folded("  ", &text::plain(line)) + "\n");
        }
        out
    }

    /// `16 B: 3.0.8 takes 31 % more time than 1.1.1w [29 .. 33]; in all, ...`.
    fn sentence(&self, size: u64) -> String {
        let mut parts = Vec::new();
        let (mut open, mut steps) = (Vec::new(), 0);
        for (later, earlier) in self.steps() {
            let measured = self.between(later, earlier, size);
            match self.change(later, earlier, size) {
                Change::Same => {}
                Change::Open => open.push(self.label(later)),
                Change::Slower | Change::Faster => {
                    steps += 1;
                    parts.extend(measured.and_then(|m| m.ratio).map(|ratio| {
                        format!("{} takes {}", self.label(later), self.more(earlier, &ratio))
                    }));
                }
            }
        }
        if self.releases.chain.len() < 2 {
            parts.push("there are no two releases to compare".to_string());
        } else if steps == 0 && open.is_empty() {
            parts.push("each release is as fast as the one before it".to_string());
        } else if steps == 0 {
            parts.push("no release is shown to be slower or faster than the one before it".into());
        }
        if !open.is_empty() {
            parts.push(format!("not decided: {}", open.join(", ")));
        }
        parts.extend(self.in_all(size));
        format!("{}: {}", text::bytes(size), parts.join("; "))
    }

    /// The newest against the oldest, if that is decided, and is not a step itself.
    fn in_all(&self, size: u64) -> Option<String> {
        let [oldest, _, .., newest] = &self.releases.chain[..] else { return None };
        let ratio = self.between(newest, oldest, size)?.ratio?;
        let label = self.label(newest);
        match self.change(newest, oldest, size) {
            Change::Open => None,
            Change::Same => Some(format!("in all, {label} is as fast as {}", self.label(oldest))),
            _ => Some(format!("in all, {label} takes {}", self.more(oldest, &ratio))),
        }
    }

    /// `31 % more time than 1.1.1w [29 .. 33]`.
    fn more(&self, earlier: &ContenderName, ratio: &Ratio) -> String {
        let earlier = self.label(earlier);
        let &Ratio { estimate, low, high } = ratio;
        let percent = |ratio: f64| text::digits((ratio - 1.0).abs() * 100.0);
        if estimate >= 2.0 {
            let times = text::ratio_digits(estimate);
            return format!("{times} times the time of {earlier} [{}]", text::interval(low, high));
        }
        let (word, low, high) =
            if estimate > 1.0 { ("more", low, high) } else { ("less", high, low) };
        format!(
            "{} % {word} time than {earlier} [{} .. {}]",
            percent(estimate),
            percent(low),
            percent(high)
        )
    }

    fn table(&self, size: u64) -> String {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        let oldest = self.releases.chain.first();
        let to = format!("times {}", oldest.map_or(String::new(), |name| self.label(name)));
        table.set_header(["release", "per call", &to, "step", ""]);
        let mut before: Option<&ContenderName> = None;
        for name in self.releases.all() {
            let ratio = |earlier: Option<&ContenderName>| {
                let ratio = self.between(name, earlier?, size)?.ratio?;
                let interval = text::interval(ratio.low, ratio.high);
                Some(format!("{} [{interval}]", text::ratio_digits(ratio.estimate)))
            };
            let is_aside = self.releases.aside.as_ref() == Some(name);
            let before_it = before.replace(name).filter(|_| !is_aside);
            let first = if oldest == Some(name) { "1" } else { "-" };
            let step = before_it.map(|earlier| self.change(name, earlier, size));
            table.add_row([
                text::plain(&self.label(name)),
                self.ns(name, size).map_or("-".into(), text::time),
                ratio(oldest).unwrap_or_else(|| first.into()),
                step.map_or(String::new(), |change| change.word().to_string()),
                ratio(before_it).unwrap_or_default(),
            ]);
        }
        table.trim_fmt()
    }

    fn ns(&self, name: &ContenderName, size: u64) -> Option<f64> {
        let answers = &self.done.analysis.comparisons;
        let answer = answers.iter().find(|answer| answer.workload.size == size)?;
        Some(answer.rows.iter().find(|row| row.contender == *name)?.ns?.median)
    }

    /// The steps at which a release executes instructions that the one before it does not.
    fn paths(&self, size: u64) -> Vec<String> {
        let mut lines = Vec::new();
        for (later, earlier) in self.steps() {
            let executed =
                [later, earlier].map(|name| self.seen.of(name).and_then(|sizes| sizes.get(&size)));
            let [Some(own), Some(other)] = executed else { continue };
            for (one, another, has) in [(own, other, later), (other, own, earlier)] {
                let alone: Vec<&str> = one.only_here(another).map(|(name, _)| name).collect();
                if !alone.is_empty() {
                    lines.push(format!(
                        "{}: of {} and {}, only {} executes instructions of {}",
                        text::bytes(size),
                        self.label(earlier),
                        self.label(later),
                        self.label(has),
                        alone.join(", ")
                    ));
                }
            }
        }
        lines
    }

    /// The releases at a size, as an entry of `history`.
    fn json(&self, size: u64) -> Value {
        let oldest = self.releases.chain.first();
        let mut before: Option<&ContenderName> = None;
        let one = |name: &ContenderName, before: Option<&ContenderName>| {
            let [to_oldest, step] = [oldest, before].map(|earlier| {
                let [ratio, low, high] = report::ends(self.between(name, earlier?, size)?.ratio);
                Some(json!({ "ratio": ratio, "low": low, "high": high }))
            });
            json!({
                "contender": name,
                "release": self.label(name),
                "ns_per_call": self.ns(name, size),
                "to_oldest": to_oldest,
                "change": before.map(|earlier| self.change(name, earlier, size).word()),
                "to_release_before": step,
            })
        };
        let mut releases: Vec<Value> =
            self.releases.chain.iter().map(|name| one(name, before.replace(name))).collect();
        releases.extend(self.releases.aside.iter().map(|name| one(name, None)));
        json!({ "size": size, "releases": releases })
    }
}
