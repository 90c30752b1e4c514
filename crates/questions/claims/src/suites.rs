//! `cupel check [SUITE...]`: decides the claims of suites, from the store.

use crate::known::hosted_elsewhere;
use crate::{on_every_machine, words};
use anyhow::{Result, bail};
use cupel_base::home::Home;
use cupel_base::{primitives, text};
use cupel_decide::claims::{self, Answered, Claimant, Decision, Point, Reason, Scope};
use cupel_machine::Machine;
use cupel_print::Format;
use cupel_run::begin::{Overrides, find_suite};
use cupel_show::report;
use cupel_store::Store;
use cupel_suite::{self as suite, Claim, Suite};
use cupel_verb::carry_out::carry_out;
use cupel_verb::how::How;
use cupel_verb::options::Measuring;
use cupel_verb::which::which;
use cupel_verb::{Context, Exit, complete, print};

/// Which runs decide.
#[derive(clap::Args)]
pub struct Deciding {
    /// Decide the claims of suites from this run alone, even if another machine measured it: its
    /// number, a day, last, previous or a suite
    #[arg(long, value_name = "RUN", add = complete::runs())]
    pub run: Option<String>,
    /// Decide each claim of the suites on every machine of the store, and give one verdict for all
    #[arg(long, conflicts_with = "run")]
    pub fleet: bool,
}

/// Decides the claims of these suites, from the store; or of all that come with Cupel and have
/// claims, and those that were asked in one line.
pub fn run(
    context: &Context,
    named: &[String],
    deciding: &Deciding,
    measuring: Option<&Measuring>,
    format: Format,
) -> Result<Exit> {
    if !matches!(format, Format::Table | Format::Json | Format::Markdown) {
        bail!("claims of suites are written as table, json or markdown: give one of them");
    }
    let home = context.home()?;
    let mut suites = Vec::new();
    if named.is_empty() {
        for name in home.suites() {
            suites.push(find_suite(&home, &name)?);
        }
        suites.retain(|suite| !suite.claims.is_empty());
    }
    for name in named {
        let suite = find_suite(&home, name)?;
        if suites.iter().any(|known: &Suite| known.name == suite.name) {
            bail!("{name} is named twice");
        }
        suites.push(suite);
    }
    if let Some(measuring) = measuring {
        for (done, suite) in suites.iter().enumerate() {
            measure(context, &home, suite, measuring, suites.len() - done)?;
        }
    }
    let store = if home.store.exists() { Store::open(&home.store)? } else { Store::in_memory()? };
    let run = deciding.run.as_deref().map(|word| which(&store, word)).transpose()?;
    let here = run.is_none().then(|| Machine::look().fingerprint());
    let asked = match named {
        [] if !deciding.fleet => claims::asked(&store, run, here.as_deref())?,
        _ => None,
    };
    if asked.is_none() && suites.iter().all(|suite| suite.claims.is_empty()) {
        bail!(
            "there is no [[claim]] in {}",
            if named.is_empty() { "suites/".into() } else { named.join(", ") }
        );
    }
    if deciding.fleet {
        return everywhere(&home, &store, &suites, format);
    }
    let elsewhere = hosted_elsewhere(&home, &store, &suites)?;
    let scope = Scope { run, fingerprint: here, elsewhere, ..Scope::default() };
    let claimants: Vec<Claimant<'_>> = suites.iter().map(Claimant::from).collect();
    let (mut answered, intervals) = claims::decide(&store, &claimants, &scope)?;
    let alpha = suite::Options::default().alpha;
    if let Some(asked) = asked {
        answered.extend(asked.answered);
        suites.push(asked.suite);
    }
    print(&match format {
        Format::Json => {
            let mut unclaimed = Vec::new();
            for suite in &suites {
                unclaimed.extend(suite.unclaimed.iter().map(|s| (suite.name.clone(), s.clone())));
            }
            report::claims::json(&answered, &unclaimed, intervals, alpha)
        }
        Format::Markdown => {
            let command = command(named, run);
            words::markdown::write(&suites, &answered, intervals, alpha, &command)
        }
        _ => words::draw(&answered, intervals, alpha, context.style),
    })?;
    Ok(Exit::answered(&answered))
}

/// The command that writes the page of these suites again.
fn command(named: &[String], run: Option<i64>) -> String {
    let words = ["cupel", "check"].into_iter().chain(named.iter().map(String::as_str));
    let mut command = words.map(text::quoted).collect::<Vec<_>>().join(" ");
    if let Some(run) = run {
        command += &format!(" --run {run}");
    }
    command + " --format markdown"
}

/// Measures the claims of a suite that no run of this machine decides, in its share of the time
/// that is left for this many suites.
fn measure(
    context: &Context,
    home: &Home,
    suite: &Suite,
    measuring: &Measuring,
    suites: usize,
) -> Result<()> {
    let answered = decided_here(home, suite)?;
    let undecided = measurable(&answered);
    context.say(&format!("{}: {}", suite.name, intent(undecided.len(), &answered)));
    if undecided.is_empty() {
        return Ok(());
    }
    let suite = only(suite, undecided);
    let overrides = Overrides {
        claimed: true,
        forks: measuring.forks.or(Some(suite.options.forks.max(MOST_FORKS))),
        first_forks: measuring.first_forks.or(suite.options.first_forks).or(Some(FIRST_FORKS)),
        ..measuring.overrides()
    };
    let how = How::once_of(context, measuring, suites);
    // A suite whose contenders are missing has its reasons in the verdicts.
    let _ = carry_out(context, home, &how, || Ok(suite), &overrides)?;
    Ok(())
}

/// The most forks that a claim gets, where its suite has not more: as a question in one line. It
/// gets them only while it is open and time is left.
const MOST_FORKS: u32 = 24;

/// The forks after which only open claims are measured further, if the suite does not say.
const FIRST_FORKS: u32 = 5;

/// The claims of a suite, decided by the runs of this machine.
fn decided_here(home: &Home, suite: &Suite) -> Result<Vec<Answered>> {
    let store = if home.store.exists() { Store::open(&home.store)? } else { Store::in_memory()? };
    let elsewhere = hosted_elsewhere(home, &store, std::slice::from_ref(suite))?;
    let fingerprint = Some(Machine::look().fingerprint());
    let scope = Scope { fingerprint, elsewhere, ..Scope::default() };
    Ok(claims::decide(&store, &[Claimant::from(suite)], &scope)?.0)
}

/// The undecided claims that a run here may decide: none about leaks, and none that needs a
/// toolchain that is not here.
fn measurable(answered: &[Answered]) -> Vec<Claim> {
    let open = answered.iter().filter(|one| {
        let is_here = |point: &Point| !matches!(point.reason(), Reason::NotInstalled(_));
        one.claim.relation.is_of_times()
            && one.decision() == Decision::Undecided
            && one.points.iter().any(is_here)
    });
    open.map(|one| one.claim.clone()).collect()
}

/// The step that follows for the claims of a suite, given how many can be measured.
fn intent(measurable: usize, answered: &[Answered]) -> String {
    let is_open = |one: &&Answered| one.decision() == Decision::Undecided;
    match (measurable, answered.iter().filter(is_open).count()) {
        (0, 0) => "every claim is decided".to_string(),
        (0, _) => "no run here would decide the undecided claims".to_string(),
        (1, _) => "measures what 1 claim needs".to_string(),
        (many, _) => format!("measures what {} need", text::count(many, "claim")),
    }
}

/// A suite with these claims, and only the workloads and sizes that they are about.
fn only(suite: &Suite, claims: Vec<Claim>) -> Suite {
    let mut suite = suite.clone();
    for group in &mut suite.workloads {
        let is_of = |claim: &&Claim| {
            claim.operation == group.operation
                && claim.shape == group.shape
                && primitives::choice(&group.primitive).contains(&&*claim.primitive)
        };
        let about: Vec<&Claim> = claims.iter().filter(is_of).collect();
        group.sizes.retain(|size| about.iter().any(|claim| claim.sizes.contains(size)));
    }
    suite.workloads.retain(|group| !group.sizes.is_empty());
    Suite { claims, ..suite }
}

/// Decides the claims on every machine of the store.
fn everywhere(home: &Home, store: &Store, suites: &[Suite], format: Format) -> Result<Exit> {
    if format == Format::Markdown {
        bail!("--fleet writes no Markdown: give --format table or --format json");
    }
    // Rejects a misspelt contender. A lack of this machine does not matter to the others.
    hosted_elsewhere(home, store, suites)?;
    let claimants: Vec<Claimant<'_>> = suites.iter().map(Claimant::from).collect();
    let (places, across, intervals) = on_every_machine(store, &claimants)?;
    let alpha = suite::Options::default().alpha;
    print(&match format {
        Format::Json => words::fleet::json(&places, &across, intervals, alpha),
        _ => words::fleet::draw(&places, &across, intervals, alpha),
    })?;
    Ok(Exit::decided(Decision::all(across.iter().map(|claim| {
        // A claim that no machine measured has no decisions, and is not held.
        if claim.each.is_empty() { Decision::Undecided } else { Decision::all(claim.decisions()) }
    }))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_decide::claims::Uncovered;
    use std::path::Path;

    /// A claim that no run decides, for a reason.
    fn open(reason: Reason) -> Answered {
        let text = "question = \"?\"\n[[workload]]\nprimitive = \"sha256\"\nsizes = [64]\n\
                    baseline = \"c/b\"\n[[claim]]\nsource = \"a\"\nquote = \"b\"\n\
                    says = \"c/a is faster than c/b\"\n";
        let suite = Suite::parse(Path::new("q.toml"), text.to_string()).unwrap();
        let measured = Err(Uncovered { reason, first: None, command: vec![] });
        let points = vec![Point { size: 64, measured }];
        Answered { suite: suite.name, claim: suite.claims[0].clone(), points }
    }

    #[test]
    fn only_claims_that_a_run_here_may_decide_are_measured() {
        let said = |all: &[Answered]| intent(measurable(all).len(), all);
        let here = || open(Reason::NotMeasured);
        let absent = || open(Reason::NotInstalled("no JDK".to_string()));
        assert_eq!(said(&[]), "every claim is decided");
        assert_eq!(said(&[absent()]), "no run here would decide the undecided claims");
        assert_eq!(said(&[absent(), here()]), "measures what 1 claim needs");
        assert_eq!(said(&[here(), here()]), "measures what 2 claims need");
    }

    #[test]
    fn the_command_of_a_page_has_the_run_that_decides() {
        let named = ["seeds/003".to_string()];
        assert_eq!(command(&named, None), "cupel check seeds/003 --format markdown");
        assert_eq!(command(&[], Some(7)), "cupel check --run 7 --format markdown");
    }
}
