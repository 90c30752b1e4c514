//! `cupel show`: prints a stored run, in any format.

use super::tables::Tables;
use super::which::which;
use super::{Context, Exit, complete, print};
use crate::analyse::recall;
use crate::claims::Verdicts;
use crate::report::{self, Format};
use crate::store::{Recorded, Store};
use crate::suite::asked;
use crate::text;
use anyhow::Result;
use std::path::Path;

/// Print a stored run, the last one by default
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel show                      the last run as tables
  cupel show 7 --format markdown
  cupel show previous             or a day such as 2026-11-21
  cupel show --list               the numbers of the stored runs")]
pub struct Args {
    /// The run: its number; a day (UTC), for the newest that began then; last; previous; or a suite,
    /// for its newest
    #[arg(add = complete::runs())]
    run: Option<String>,
    /// List the stored runs
    #[arg(long, conflicts_with = "run")]
    list: bool,
    /// Show imported results of other programs instead of a run
    #[arg(long, conflicts_with_all = ["run", "list"])]
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
    if args.list {
        let mut out = String::new();
        for run in store.runs()? {
            let state = if run.finished.is_some() { "finished" } else { "unfinished" };
            let what = match run.suite.as_str() {
                // All questions in one line have this name, and only the command says which it was.
                asked::NAME => question(&run.command),
                suite => suite.to_string(),
            };
            let (id, started) = (run.id, run.started);
            out += &format!("{id:>5}  {started}  {state:<10}  {}\n", text::plain(&what));
        }
        if out.is_empty() {
            out = "there are no runs yet; start one with `cupel run`\n".to_string();
        }
        let boots = store.boots()?.len();
        if boots > 0 {
            out += &format!(
                "not listed here: {} of the UEFI image, see `cupel uefi list`\n",
                text::count(boots, "boot")
            );
        }
        print(&out)?;
        return Ok(Exit::Well);
    }
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

/// A command line without the folder of the program.
fn question(command: &str) -> String {
    let (program, words) = command.split_once(' ').unwrap_or((command, ""));
    let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    format!("{name} {words}").trim_end().to_string()
}
