//! `cupel claims [SUITE...]`: decides what suites claim, from the store.

use super::which::which;
use super::{Context, Exit, complete, print};
use crate::claims::{self, Answered, Claimant, Decision, Scope};
use crate::home::Home;
use crate::machine::Machine;
use crate::report;
use crate::store::Store;
use crate::suite::{self, Suite};
use anyhow::{Result, bail};

/// Decide the claims of suites, from the newest runs of this machine
///
/// Does a document's claim hold on this machine? At each of its sizes, a claim is held, refuted or
/// undecided. The newest finished run of this machine that measured both contenders decides. If no
/// run covers a claim, it is undecided, and Cupel prints the command that would measure it. This
/// verb measures nothing.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel claims                       all suites with claims
  cupel claims seeds/003             one document
  cupel claims seeds/003 --run 7     from run 7 alone
  cupel claims seeds/003 --fleet     on every machine with runs in the store

With --fleet, a claim is held if it is held on every machine, refuted if it is
refuted on every machine, and it depends if it is held on one and refuted on
another; then the recorded facts that separate the two are listed.

Exit status: 0 all claims held, 1 at least one refuted (with --fleet: on at
least one machine), 2 none refuted and some undecided, 3 an error.")]
pub struct Args {
    /// Names or files of suites [default: every suite that comes with Cupel and has claims]
    #[arg(add = complete::suites())]
    suite: Vec<String>,
    /// Decide from this run alone, even if another machine measured it: its number, a day, last,
    /// previous or a suite
    #[arg(long, value_name = "RUN", add = complete::runs())]
    run: Option<String>,
    /// Decide on every machine of the store, and over all of them
    #[arg(long, conflicts_with = "run")]
    fleet: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: Form,
}

/// An output format for decided claims.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum Form {
    /// For a terminal of 80 columns.
    Table,
    /// One JSON document.
    Json,
    /// A Markdown page: what each suite claims, what holds here, and why the rest does not.
    Markdown,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    let mut suites = Vec::new();
    if args.suite.is_empty() {
        for name in home.suites() {
            suites.push(Suite::find(&home, &name)?);
        }
        suites.retain(|suite| !suite.claims.is_empty());
    }
    for name in &args.suite {
        let suite = Suite::find(&home, name)?;
        if suites.iter().any(|known: &Suite| known.name == suite.name) {
            bail!("{name} is named twice");
        }
        suites.push(suite);
    }
    if suites.iter().all(|suite| suite.claims.is_empty()) {
        bail!(
            "there is no [[claim]] in {}",
            if args.suite.is_empty() { "suites/".into() } else { args.suite.join(", ") }
        );
    }
    let store = if home.store.exists() { Store::open(&home.store)? } else { Store::in_memory()? };
    if args.fleet {
        return everywhere(&home, &store, &suites, args.format);
    }
    let elsewhere = claims::hosted_elsewhere(&home, &store, &suites)?;
    let run = args.run.as_deref().map(|word| which(&store, word)).transpose()?;
    let here = run.is_none().then(|| Machine::look().fingerprint());
    let scope = Scope { run, fingerprint: here, elsewhere };
    let claimants: Vec<Claimant<'_>> = suites.iter().map(Claimant::from).collect();
    let (answered, intervals) = claims::decide(&store, &claimants, &scope)?;
    let alpha = suite::Options::default().alpha;
    print(&match args.format {
        Form::Table => report::claims::draw(&answered, intervals, alpha, context.style),
        Form::Json => {
            let named = |s: &Suite| {
                let name = s.name.clone();
                s.unclaimed.clone().into_iter().map(move |said| (name.clone(), said))
            };
            let unclaimed: Vec<_> = suites.iter().flat_map(named).collect();
            report::claims::json(&answered, &unclaimed, intervals, alpha)?
        }
        Form::Markdown => {
            report::claims_markdown::write(&suites, &answered, intervals, alpha, &args.suite)
        }
    })?;
    Ok(exit(&answered))
}

/// Decides the claims on every machine of the store.
fn everywhere(home: &Home, store: &Store, suites: &[Suite], format: Form) -> Result<Exit> {
    if matches!(format, Form::Markdown) {
        bail!("--fleet writes no Markdown: give --format table or --format json");
    }
    // Rejects a misspelt contender. What this machine lacks does not matter to the others.
    claims::hosted_elsewhere(home, store, suites)?;
    let claimants: Vec<Claimant<'_>> = suites.iter().map(Claimant::from).collect();
    let (places, across, intervals) = claims::on_every_machine(store, &claimants)?;
    let alpha = suite::Options::default().alpha;
    print(&match format {
        Form::Json => report::claims_fleet::json(&places, &across, intervals, alpha)?,
        _ => report::claims_fleet::draw(&places, &across, intervals, alpha),
    })?;
    // A claim that no machine measured has no decisions, and is not held.
    let of = |one: &claims::Across| match one.each.is_empty() {
        true => Decision::Undecided,
        false => Decision::all(one.decisions()),
    };
    Ok(status(Decision::all(across.iter().map(of))))
}

/// The exit status.
pub fn exit(answered: &[Answered]) -> Exit {
    status(Decision::all(answered.iter().map(Answered::decision)))
}

fn status(decision: Decision) -> Exit {
    match decision {
        Decision::Held => Exit::Well,
        Decision::Refuted => Exit::Refuted,
        Decision::Undecided => Exit::Undecided,
    }
}
