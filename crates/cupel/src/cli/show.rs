//! `cupel show`: a stored run again, in any form.

use super::{Context, Exit, print};
use crate::analyse::recall;
use crate::report::{self, Format};
use crate::store::Store;
use crate::text;
use anyhow::Result;

/// Show a stored run, the last one by default
#[derive(clap::Args)]
pub struct Args {
    /// The run's number
    run: Option<i64>,
    /// List the runs
    #[arg(long, conflicts_with = "run")]
    list: bool,
    /// Show results of other programs, which were imported, instead of a run
    #[arg(long, conflicts_with_all = ["run", "list"])]
    foreign: bool,
    /// Form of the answer
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home_of_store()?;
    let store = Store::existing(&home.store)?;
    if args.list {
        let mut out = String::new();
        for run in store.runs()? {
            let state = if run.finished.is_some() { "finished" } else { "unfinished" };
            out += &format!(
                "{:>5}  {}  {state:<10}  {}\n",
                run.id,
                run.started,
                text::plain(&run.suite)
            );
        }
        if out.is_empty() {
            out = "there is no run yet; `cupel run` makes one\n".to_string();
        }
        let boots = store.boots()?.len();
        if boots > 0 {
            out +=
                &format!("{boots} boots of the UEFI image are apart from these: cupel uefi list\n");
        }
        print(&out)?;
        return Ok(Exit::Well);
    }
    if args.foreign {
        print(&report::foreign::present(&store.foreign()?, args.format)?)?;
        return Ok(Exit::Well);
    }
    let (recorded, analysis) = recall(&store, args.run)?;
    print(&report::present(&recorded, &analysis, args.format, context.style)?)?;
    Ok(Exit::Well)
}
