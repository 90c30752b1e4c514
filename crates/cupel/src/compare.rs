//! `cupel compare RUN_A RUN_B`: what changed between two stored runs, as far as they allow.

use super::options::{Printing, among};
use super::which::which;
use super::{Context, Exit, complete, print};
use anyhow::{Result, bail};
use cupel_analyse::across;
use cupel_show::report::{self, Format};
use cupel_store::Store;

/// Compare two stored runs: of two days, versions or machines
///
/// Absolute times of two runs cannot be compared. This verb compares each contender's ratio to a
/// contender that both runs measured in the same version, on the same workload and contract. To
/// compare two builds of one program, measure both in one run with `cupel run --against`, which is
/// far more precise.
#[derive(clap::Args)]
#[command(mut_arg("format", |format| among(format, &[Format::Table, Format::Json])), after_help = "\
Examples:
  cupel list runs                the numbers of the stored runs
  cupel compare 3 7
  cupel compare previous last    the two newest runs of the last question
  cupel compare 2026-11-14 2026-11-21")]
pub struct Args {
    /// The first run: its number; a day (UTC), for the newest that began then; last; previous, for
    /// the one before the last of the same suite or question; or a suite, for its newest. Only a number can
    /// mean an unfinished run
    #[arg(value_name = "RUN", add = complete::runs())]
    first: String,
    /// The second run, given in the same way
    #[arg(value_name = "OTHER_RUN", add = complete::runs())]
    second: String,
    #[command(flatten)]
    printing: Printing,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home_of_store()?;
    let store = Store::existing(&home.store)?;
    let (first, second) = (which(&store, &args.first)?, which(&store, &args.second)?);
    if first == second {
        bail!("run {first} is compared with itself: name two runs, such as previous and last");
    }
    let (first, second) = (store.load(Some(first))?, store.load(Some(second))?);
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
    print(&match args.printing.format() {
        Format::Json => report::compare::json(&first, &second, &found),
        _ => report::compare::draw(&first, &second, &found),
    })?;
    Ok(Exit::Well)
}
