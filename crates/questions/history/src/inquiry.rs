//! `cupel ask --history`: which release of an implementation made it slower.

use crate::bisection::{AT_ONCE, Look, Shown, bisect};
use crate::history::{Change, History, timeless};
use crate::range::{Release, within};
use crate::releases::Releases;
use crate::words as report;
use anyhow::{Result, anyhow, bail};
use cupel_base::home::Home;
use cupel_base::name::ContenderName;
use cupel_base::primitives;
use cupel_base::problem::{Written, did_you_mean};
use cupel_contender::{Contender, State};
use cupel_decide::claims::Answered;
use cupel_run::seen::Seen;
use cupel_show::report::progress::Progress;
use cupel_suite::{Asked, Group, asked};
use cupel_toolchain::{Installable, library, newest};
use cupel_verb::carry_out::{Carried, Done, carry_out, show_findings};
use cupel_verb::how::{How, LeftOut, TooFew};
use cupel_verb::meant::contenders_meant;
use cupel_verb::stepped::step_claimed;
use cupel_verb::words::{OneLine, Words, find_declared, find_named};
use cupel_verb::{Context, Exit, print};
use std::path::Path;

/// Answers the question about the releases of an implementation, which may name a range of them.
///
/// # Errors
/// If fewer than two of them can be measured, or the words are wrong.
pub fn run(context: &Context, args: &OneLine, named: &str) -> Result<Exit> {
    let home = context.home()?;
    let words = Words::sort(&args.words)?;
    let primitive = words.primitive()?;
    let word = ContenderName::from(named);
    if let Some(other) = words.names.first() {
        bail!("{other} is one word too many: a history is of one implementation, {word}");
    }
    let asked = args.asking.asked(&words);
    let group = asked.suite()?.workloads[0].clone();
    let range = word.range_of_releases();
    let declared = find_declared(context, &home, vec![])?;
    let name = implementation(range.as_ref().map_or(&word, |(name, _)| name), &declared)?;
    let (code, title) = (name.code(), primitives::in_words(primitive));
    let question = Some(format!("Which release of {code} made {title} slower?"));
    let host = name.toolchain().map(String::from).or_else(|| newest::jdk(&home));
    let mut inquiry = Inquiry {
        asked: Asked { question, ..asked },
        history: History::default(),
        interrupted: None,
        context,
        args,
        home,
        group,
        host,
        name,
    };
    match range {
        None => inquiry.of_all(),
        Some((_, ends)) => inquiry.of_range(ends),
    }
}

/// The implementation that a word means: the one that stands for its second styles. With the
/// toolchain that the word names, if it does.
fn implementation(word: &ContenderName, declared: &[Contender]) -> Result<ContenderName> {
    let some: Vec<&Contender> = declared.iter().filter(|c| c.variant.is_none()).collect();
    let mut found = contenders_meant(word, &some);
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
    Ok(if word.toolchain().is_some() { first.name.clone() } else { code.into() })
}

/// A requested history, and the results so far.
struct Inquiry<'a> {
    context: &'a Context,
    args: &'a OneLine,
    home: Home,
    asked: Asked,
    group: Group,
    /// The implementation; with the host of its releases, if the user named one.
    name: ContenderName,
    /// The host of its releases, if there is one.
    host: Option<String>,
    history: History,
    /// How it ends if the user ended it.
    interrupted: Option<Exit>,
}

impl Inquiry<'_> {
    /// Measures all releases that are installed in one run.
    fn of_all(&mut self) -> Result<Exit> {
        let (here, unfit) = self.here()?;
        if here.chain.len() < 2 {
            self.history.left_out = unfit;
            return Err(self.too_few(&here));
        }
        let unfit = unfit.into_iter().map(|lost| lost.name);
        self.at_once(here.all().cloned().chain(unfit).collect())
    }

    /// Measures a range: a short one in one run, of a longer one only the intervals that can hold a
    /// step.
    fn of_range(&mut self, ends: [&str; 2]) -> Result<Exit> {
        let (here, _) = self.here()?;
        let code = ContenderName::from(self.name.code());
        let can_be = Installable::releases_of(&self.home, &code)?;
        let of = (&code, self.host.as_deref());
        let releases = within(ends, &here.chain, of, can_be).map_err(|e| anyhow!(e))?;
        if releases.is_empty() {
            return Err(self.too_few(&here));
        }
        if releases.len() < 2 {
            bail!("a history needs two releases, and this range has {}", releases.len());
        }
        let measuring = &self.args.asking.measuring;
        let are_here = releases.iter().all(|release| release.install.is_none());
        if measuring.dry_run && !(are_here && releases.len() <= AT_ONCE) {
            print(&(report::outline(&releases) + "\n"))?;
            return Ok(Exit::Well);
        }
        if releases.len() > AT_ONCE {
            return self.bisected(&releases);
        }
        let mut names = Vec::new();
        for release in &releases {
            match self.install(release) {
                Ok(()) => names.push(release.name.clone()),
                Err(lost) => self.history.left_out.push(lost),
            }
        }
        self.at_once(names.into_iter().chain(here.aside).collect())
    }

    /// Measures these in one run, and prints the history and the figures of the run.
    fn at_once(&mut self, names: Vec<ContenderName>) -> Result<Exit> {
        let (found, absent) = self.found(&names)?;
        self.history.left_out.extend(absent);
        let releases = Releases::among(&found.iter().collect::<Vec<_>>(), self.host.as_deref());
        if releases.chain.len() < 2 {
            return Err(self.too_few(&releases));
        }
        let Some((done, _)) = self.measured(releases, 1)? else { return Ok(Exit::Well) };
        let history = &self.history;
        let asking = &self.args.asking;
        let style = asking.tables.style(self.context.style);
        let findings = report::findings(history);
        show_findings(&done, asking.printing.format(), style, &findings, &|document| {
            report::add_to(history, document);
        })?;
        Ok(self.interrupted.unwrap_or_else(|| exit(history)))
    }

    /// Measures in several runs the intervals that can hold a step, and prints the history.
    fn bisected(&mut self, releases: &[Release]) -> Result<Exit> {
        let format = self.args.asking.printing.format();
        if !report::OF_RANGE.contains(&format) {
            bail!(
                "a history of {} releases is of several runs, which this format cannot hold; \
                 --format table, markdown or json can, and `cupel show` prints each run",
                releases.len()
            );
        }
        self.history.is_bisection = true;
        self.context.say(&report::outline(releases));
        bisect(releases.len(), |look| self.look(releases, look))?;
        let history = &mut self.history;
        if history.runs.is_empty() && self.interrupted.is_none() {
            let why = history.left_out.iter().map(|LeftOut { name, why }| format!("{name}: {why}"));
            bail!("no two of these releases were measured: {}", why.collect::<Vec<_>>().join("; "));
        }
        let all = releases.iter().map(|release| &release.name);
        let is_known = |name: &&ContenderName| {
            history.releases.chain.contains(name)
                || history.left_out.iter().any(|lost| lost.name == **name)
        };
        history.not_measured = all.filter(|name| !is_known(name)).cloned().collect();
        print(&report::present(history, &self.asked, format, self.context.style))?;
        Ok(self.interrupted.unwrap_or_else(|| exit(history)))
    }

    /// The bisection's result of a look.
    fn look(&mut self, releases: &[Release], look: &Look) -> Result<Shown> {
        let of_look: Vec<&Release> = look.releases.iter().map(|place| &releases[*place]).collect();
        let known = self.history.left_out.len();
        let differs = self.tried(&of_look, look.parts)?;
        if self.interrupted.is_some() {
            return Ok(Shown::Ended);
        }
        if let Some(differs) = differs {
            return Ok(Shown::Differs(differs));
        }
        let lost = &self.history.left_out[known..];
        let mut places = look.releases.clone();
        places.retain(|place| lost.iter().any(|lost| lost.name == releases[*place].name));
        if places.is_empty() {
            bail!("nothing was measured");
        }
        Ok(Shown::Lost(places))
    }

    /// Installs, builds and measures all of these releases, or leaves out those that cannot be.
    fn tried(&mut self, releases: &[&Release], parts: usize) -> Result<Option<Vec<bool>>> {
        let chain: Vec<ContenderName> = releases.iter().map(|one| one.name.clone()).collect();
        self.context.say(&format!("next: {}", chain.join(", ")));
        let mut lost: Vec<LeftOut> = Vec::new();
        for release in releases {
            lost.extend(self.install(release).err());
        }
        if lost.is_empty() {
            lost = self.found(&chain)?.1;
        }
        if !lost.is_empty() {
            self.history.left_out.extend(lost);
            return Ok(None);
        }
        let measured = self.measured(Releases { chain, aside: None }, parts)?;
        Ok(measured.map(|(_, differs)| differs))
    }

    /// Measures releases in one run, with one of this many `parts` of the error. Returns whether
    /// each but the first differs from the one before it; nothing after a dry run, or if one of a
    /// bisection cannot be measured, which is then left out.
    fn measured(
        &mut self,
        mut releases: Releases,
        parts: usize,
    ) -> Result<Option<(Done, Vec<bool>)>> {
        let measuring = &self.args.asking.measuring;
        let is_bisection = self.history.is_bisection;
        let needs = if is_bisection { releases.chain.len() } else { 0 };
        let how = How { needs, ..How::from_options(measuring) };
        let mut overrides = measuring.overrides();
        if is_bisection {
            // Whether a budget is too short is known at the first run, which measures two releases.
            overrides.budget = overrides.budget.map(|budget| budget * needs as u32 / 2);
            // Contenders would leave once their answers are clear with all of the error.
            let forks = overrides.forks.unwrap_or(asked::FORKS);
            overrides.first_forks.get_or_insert(forks);
            overrides.seed = overrides.seed.map(|seed| seed + self.history.runs.len() as u64);
        }
        let suite = self.history.suite(&self.asked, &releases)?;
        let done = match carry_out(self.context, &self.home, &how, || Ok(suite), &overrides)? {
            Carried::Out(done) => done,
            Carried::Planned => return Ok(None),
            Carried::TooFew(TooFew { lost, .. }) => {
                self.history.left_out.extend(lost);
                return Ok(None);
            }
        };
        self.interrupted = done.interrupted(self.context);
        let lost = timeless(&releases, &done.analysis);
        let is_there = |name: &ContenderName| lost.iter().all(|lost| lost.name != *name);
        let all_are_there = releases.all().all(is_there);
        releases.chain.retain(is_there);
        releases.aside.take_if(|name| !is_there(name));
        self.history.left_out.extend(lost);
        if is_bisection && !all_are_there {
            return Ok(None);
        }
        let suite = self.history.suite(&self.asked, &releases)?;
        let answered = History::decide(&done.store, done.recorded.run.id, &suite, parts)?;
        self.history.seen.push(self.stepped(&how, &done, &answered));
        for contender in &done.recorded.plan.contenders {
            if self.is_ours(contender) {
                self.history.installed.push(contender.name.clone());
            }
        }
        let differs = self.history.take(&done.recorded, &done.analysis, releases, answered);
        Ok(Some((*done, differs)))
    }

    /// Steps through a call of each release. Code that is compiled at run time is not compiled yet
    /// in the process that is stepped.
    fn stepped(&self, how: &How<'_>, done: &Done, answered: &[Answered]) -> Seen {
        let progress = Progress::new(self.context.quiet);
        let plan = &done.recorded.plan;
        if plan.contenders.iter().any(Contender::is_jit) {
            return Seen::default();
        }
        let say = |what: &str| progress.say(what);
        step_claimed(plan, answered, &self.home.cache, how.patience, &say)
    }

    /// Whether Cupel has installed or built the code that a contender runs.
    fn is_ours(&self, contender: &Contender) -> bool {
        let command = contender.command().unwrap_or_default();
        command.first().is_some_and(|program| Path::new(program).starts_with(&self.home.cache))
    }

    /// Installs a release, unless it is here.
    fn install(&self, release: &Release) -> Result<(), LeftOut> {
        let Some(one) = &release.install else { return Ok(()) };
        let context = self.context;
        context.say(&format!("installing {}", one.words()));
        let done = one.install(&self.home, &|what| context.say(what));
        let lost = |why| LeftOut { name: release.name.clone(), why: format!("{why:#}") };
        done.map(drop).map_err(lost)
    }

    /// The installed releases, and the ones of them that cannot be measured: nothing is built or
    /// asked.
    fn here(&self) -> Result<(Releases, Vec<LeftOut>)> {
        let code = self.name.code();
        let named = [code.to_string(), format!("{code}@*"), format!("{code}@*+*")].to_vec();
        let mut all = find_declared(self.context, &self.home, named)?;
        all.retain(|c| c.name.code() == code);
        let mut unfit = Vec::new();
        for contender in all.iter().filter(|c| c.name.release().is_some() && c.variant.is_none()) {
            let name = contender.name.clone();
            unfit.extend(self.why_not(contender).map(|why| LeftOut { name, why }));
        }
        all.retain(|c| self.why_not(c).is_none());
        let releases = Releases::among(&all.iter().collect::<Vec<_>>(), self.host.as_deref());
        Ok((releases, unfit))
    }

    /// The releases of these names, built, and the names that have none to measure.
    fn found(&self, names: &[ContenderName]) -> Result<(Vec<Contender>, Vec<LeftOut>)> {
        let build = !self.args.asking.measuring.dry_run;
        let named = names.iter().map(ContenderName::to_string).collect();
        let mut all = find_named(self.context, &self.home, build, named)?;
        let mut absent = Vec::new();
        for name in names {
            let why = match all.iter().find(|contender| contender.name == *name) {
                Some(contender) => self.why_not(contender),
                None => Some("it is not here".to_string()),
            };
            absent.extend(why.map(|why| LeftOut { name: name.clone(), why }));
        }
        all.retain(|c| names.contains(&c.name) && absent.iter().all(|lost| lost.name != c.name));
        Ok((all, absent))
    }

    /// Why a contender cannot be measured as a release.
    fn why_not(&self, contender: &Contender) -> Option<String> {
        let Group { primitive, operation, contract, .. } = &self.group;
        match &contender.state {
            State::Missing(why) | State::Failed(why) => Some(why.to_string()),
            _ if contender.variant.is_some() => Some("it is a build of a matrix".to_string()),
            _ if !contender.offers_one_of(primitive, *operation, contract) => {
                Some(format!("it does not offer {operation} of {primitive}"))
            }
            State::Ready { .. } | State::Unbuilt => None,
        }
    }

    /// The error that there is nothing to compare, and its remedy.
    fn too_few(&self, found: &Releases) -> anyhow::Error {
        let (code, group) = (self.name.code(), &self.group);
        let what = format!("{} of {}", group.operation, group.primitive);
        let here = match found.all().collect::<Vec<_>>()[..] {
            [] => format!("no release of {code} that offers {what} is installed"),
            [only] => format!("only {only} is installed"),
            [one, other, ..] => format!("only {one}, next to the system's {other}, is installed"),
        };
        let library = library::of_contender(&self.name);
        let remedy = library.and_then(|library| library.remedy(&self.home));
        let remedy =
            remedy.unwrap_or_else(|| "`cupel install --help` lists what can be added".into());
        let lost = self.history.left_out.iter();
        let lost: String = lost.map(|l| format!("{} is left out: {}; ", l.name, l.why)).collect();
        anyhow!("a history needs two releases, and {here}; {lost}{remedy}")
    }
}

fn exit(history: &History) -> Exit {
    let changes: Vec<Change> = history.changes().collect();
    if changes.contains(&Change::Slower) {
        Exit::Refuted
    } else if changes.is_empty() || changes.contains(&Change::Open) {
        Exit::Undecided
    } else {
        Exit::Well
    }
}
