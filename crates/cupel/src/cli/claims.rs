//! `cupel claims [SUITE...]`: decides what suites claim, from the store.

use super::{Context, Exit, print};
use crate::claims::{self, Answered, Decision, Scope};
use crate::contender::{self, Contender};
use crate::home::Home;
use crate::machine::Machine;
use crate::name::ContenderName;
use crate::plan::hosted_elsewhere;
use crate::problem::{Problem, Written, did_you_mean};
use crate::report;
use crate::store::Store;
use crate::suite::{self, Suite};
use crate::toolchain::{self, Wanted};
use anyhow::{Result, bail};
use cupel_protocol::message::Refusal;
use std::collections::{BTreeMap, BTreeSet};

/// Decide what suites claim, from the newest runs of this machine
///
/// Answers: does what a document claims hold on this machine? At each of its sizes, a claim is
/// held, refuted or undecided, by the newest finished run of this machine that measured both its
/// contenders. A claim that no run covers is undecided, and the command that would measure it is
/// printed. This verb measures nothing.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel claims                       all suites that claim something
  cupel claims seeds/003             one document
  cupel claims seeds/003 --run 7     by run 7 alone

Exit status: 0 all claims held, 1 at least one refuted, 2 none refuted and some
undecided, 3 an error.")]
pub struct Args {
    /// Names or files of suites [default: every suite that comes with Cupel and has claims]
    suite: Vec<String>,
    /// Decide by this run alone, even if another machine measured it
    #[arg(long, value_name = "N")]
    run: Option<i64>,
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
            suites.push(super::load_suite(&home, &name)?);
        }
        suites.retain(|suite| !suite.claims.is_empty());
    }
    for name in &args.suite {
        let suite = super::load_suite(&home, name)?;
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
    let elsewhere = must_be_known(&home, &store, &suites)?;
    let here = args.run.is_none().then(|| Machine::look().fingerprint());
    let scope = Scope { run: args.run, fingerprint: here, elsewhere };
    let (answered, intervals) = claims::decide(&store, &suites, &scope)?;
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

/// The exit status.
pub fn exit(answered: &[Answered]) -> Exit {
    match Decision::all(answered.iter().map(Answered::decision)) {
        Decision::Held => Exit::Well,
        Decision::Refuted => Exit::Refuted,
        Decision::Undecided => Exit::Undecided,
    }
}

/// A misspelt contender would stay undecided for ever. A name is known if a run has it, a family
/// declares it, or a runner lists it. Runners are started only for names that the first two lack. A
/// contender on a toolchain that is not installed is known too; it is returned with its
/// explanation.
fn must_be_known(
    home: &Home,
    store: &Store,
    suites: &[Suite],
) -> Result<BTreeMap<ContenderName, Refusal>> {
    let mut known: BTreeSet<ContenderName> = BTreeSet::new();
    for planned in store.plans(None)? {
        known.extend(planned.plan.contenders.into_iter().map(|c| c.name));
    }
    for family in toolchain::families(home)? {
        known.extend(family.contenders.iter().map(|c| family.full_name(&c.name)));
    }
    let mut all: Option<Vec<Contender>> = None;
    let mut elsewhere = BTreeMap::new();
    for (suite, claim) in suites.iter().flat_map(|s| s.claims.iter().map(move |c| (s, c))) {
        for name in [&claim.a, &claim.b] {
            let name = name.without_against();
            if known.contains(&name) || elsewhere.contains_key(&name) {
                continue;
            }
            if all.is_none() {
                let claims = suites.iter().flat_map(|suite| &suite.claims);
                let named =
                    claims.flat_map(|claim| [claim.a.to_string(), claim.b.to_string()]).collect();
                let wanted = Wanted { named, ..Wanted::default() };
                let found = contender::find(home, &wanted, &|_| {})?;
                known.extend(found.iter().map(|c| c.name.clone()));
                all = Some(found);
            }
            if known.contains(&name) {
                continue;
            }
            if let Some(refusal) = hosted_elsewhere(&name, all.as_deref().unwrap_or_default()) {
                elsewhere.insert(name, refusal);
                continue;
            }
            let all = known.iter().map(ContenderName::as_str);
            let help = did_you_mean(&name, all, Written::Value)
                .unwrap_or_else(|| "`cupel list` lists the names".to_string());
            let what = format!("no contender is called \"{name}\"");
            let path = suite.path.clone();
            return Err(Problem { path, line: claim.line, what, help: Some(help) }.into());
        }
    }
    Ok(elsewhere)
}
