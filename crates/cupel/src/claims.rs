//! `cupel check [SUITE...]`: decides what suites claim, from the store.

use super::known::hosted_elsewhere;
use super::which::which;
use super::{Context, Exit, complete, print};
use anyhow::{Result, bail};
use cupel_base::home::Home;
use cupel_base::machine::Machine;
use cupel_decide::claims::{self, Claimant, Decision, Scope};
use cupel_show::report::{self, Format};
use cupel_store::Store;
use cupel_suite::{self as suite, Suite};

/// Which runs decide.
#[derive(clap::Args)]
pub struct Deciding {
    /// Decide the claims of suites from this run alone, even if another machine measured it: its
    /// number, a day, last, previous or a suite
    #[arg(long, value_name = "RUN", add = complete::runs())]
    pub run: Option<String>,
    /// Decide the claims of suites on every machine of the store, and over all of them
    #[arg(long, conflicts_with = "run")]
    pub fleet: bool,
}

/// Decides the claims of these suites, from the store; or of all that come with Cupel and have
/// claims, and those that were asked in one line.
pub fn run(
    context: &Context,
    named: &[String],
    deciding: &Deciding,
    format: Format,
) -> Result<Exit> {
    if !matches!(format, Format::Table | Format::Json | Format::Markdown) {
        bail!("claims of suites are written as table, json or markdown: give one of them");
    }
    let home = context.home()?;
    let mut suites = Vec::new();
    if named.is_empty() {
        for name in home.suites() {
            suites.push(Suite::find(&home, &name)?);
        }
        suites.retain(|suite| !suite.claims.is_empty());
    }
    for name in named {
        let suite = Suite::find(&home, name)?;
        if suites.iter().any(|known: &Suite| known.name == suite.name) {
            bail!("{name} is named twice");
        }
        suites.push(suite);
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
            report::claims::markdown::write(&suites, &answered, intervals, alpha, named)
        }
        _ => report::claims::draw(&answered, intervals, alpha, context.style),
    })?;
    Ok(Exit::answered(&answered))
}

/// Decides the claims on every machine of the store.
fn everywhere(home: &Home, store: &Store, suites: &[Suite], format: Format) -> Result<Exit> {
    if format == Format::Markdown {
        bail!("--fleet writes no Markdown: give --format table or --format json");
    }
    // Rejects a misspelt contender. A lack of this machine does not matter to the others.
    hosted_elsewhere(home, store, suites)?;
    let claimants: Vec<Claimant<'_>> = suites.iter().map(Claimant::from).collect();
    let (places, across, intervals) = claims::on_every_machine(store, &claimants)?;
    let alpha = suite::Options::default().alpha;
    print(&match format {
        Format::Json => report::claims::fleet::json(&places, &across, intervals, alpha),
        _ => report::claims::fleet::draw(&places, &across, intervals, alpha),
    })?;
    Ok(Exit::decided(Decision::all(across.iter().map(|claim| {
        // A claim that no machine measured has no decisions, and is not held.
        if claim.each.is_empty() { Decision::Undecided } else { Decision::all(claim.decisions()) }
    }))))
}
