//! `cupel compare RUN_A RUN_B`: what changed between two stored runs, as far as they allow.

use super::{Context, Exit, print};
use crate::analyse::across;
use crate::report;
use crate::store::Store;
use anyhow::{Result, bail};

/// Compare two stored runs: of two days, two versions or two machines
///
/// Absolute times of two runs cannot be compared. This compares the ratios of each contender to a
/// reference that both runs measured, in the same version, on the same workload and contract. To
/// compare two builds of one program, measure both in one run with `cupel run --against`: that is
/// far more precise.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel show --list        the numbers of the stored runs
  cupel compare 3 7")]
pub struct Args {
    /// The number of the first run
    first: i64,
    /// The number of the second run
    second: i64,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: Form,
}

/// An output format for the comparison.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Form {
    /// For a terminal of 80 columns.
    Table,
    /// One JSON document.
    Json,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    if args.first == args.second {
        bail!("run {} is compared with itself", args.first);
    }
    let home = context.home_of_store()?;
    let store = Store::existing(&home.store)?;
    let (first, second) = (store.load(Some(args.first))?, store.load(Some(args.second))?);
    for recorded in [&first, &second] {
        if recorded.run.finished.is_none() {
            let (id, suite) = (recorded.run.id, &recorded.run.suite);
            bail!("run {id} is not finished; `cupel run {suite} --resume` continues it");
        }
    }
    let found = across(&first, &second);
    if found.workloads.is_empty() {
        bail!("the two runs have nothing in common: {}", found.left_out.join("; "));
    }
    print(&match args.format {
        Form::Table => report::compare::draw(&first, &second, &found),
        Form::Json => report::compare::json(&first, &second, &found)?,
    })?;
    Ok(Exit::Well)
}
