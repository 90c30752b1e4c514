//! `cupel compare RUN_A RUN_B`: what changed between two stored runs, as far as that can be told.

use super::{Context, Exit, print};
use crate::analyse::across;
use crate::report;
use crate::store::Store;
use anyhow::{Result, bail};

/// Compare two stored runs: of two days, two versions, two machines
///
/// Times of two runs are never compared. What is compared is how each contender stands to a reference
/// that both runs measured, in the same version, on the same workload and contract. For two builds of
/// one program, `cupel run --against` measures both in one run, which tells far more.
#[derive(clap::Args)]
pub struct Args {
    /// The number of the first run
    first: i64,
    /// The number of the second run
    second: i64,
    /// Form of the answer
    #[arg(long, value_enum, default_value = "table")]
    format: Form,
}

/// A form of the comparison.
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
            bail!("run {id} is not finished; `cupel run {suite} --resume` goes on");
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
