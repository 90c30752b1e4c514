//! `cupel show`: prints a stored run, in any format.

use super::options::Tables;
use super::which::which;
use super::{Context, Exit, complete, print};
use crate::analyse::recall;
use crate::claims::Verdicts;
use crate::report::{self, Format};
use crate::store::{Recorded, Store};
use crate::text;
use anyhow::Result;

/// Print a stored run, the last one by default
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel show                      the last run as tables
  cupel show 7 --format markdown
  cupel show previous             or a day such as 2026-11-21
  cupel list runs                 the numbers of the stored runs")]
pub struct Args {
    /// The run: its number; a day (UTC), for the newest that began then; last; previous; or a suite,
    /// for its newest
    #[arg(add = complete::runs())]
    run: Option<String>,
    /// Show imported results of other programs instead of a run
    #[arg(long, conflicts_with = "run")]
    foreign: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    #[command(flatten)]
    tables: Tables,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home_of_store()?;
    let store = Store::existing(&home.store)?;
    if args.foreign {
        print(&report::foreign::present(&store.foreign()?, args.format)?)?;
        return Ok(Exit::Well);
    }
    let run = args.run.as_deref().map(|word| which(&store, word)).transpose()?;
    let (recorded, analysis) = recall(&store, run)?;
    let verdicts = Verdicts::of(&store, recorded.run.id)?;
    let style = args.tables.style(context.style);
    tell_apart(&recorded, &verdicts, args.format);
    print(&report::present(&recorded, &analysis, &verdicts, args.format, style)?)?;
    Ok(Exit::Well)
}

/// Says what was asked of a run where the format has only rows.
pub fn tell_apart(recorded: &Recorded, verdicts: &Verdicts, format: Format) {
    if format == Format::Csv {
        for line in report::verdicts::lines(recorded, verdicts) {
            text::tell(&line);
        }
    }
}
