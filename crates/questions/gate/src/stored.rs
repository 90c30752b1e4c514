//! `cupel show --gate` and `--foreign`: gates and the results of other programs, from the store.

use crate::foreign;
use crate::judge::judge;
use crate::record::Record;
use crate::words::{OF_GATE, present};
use anyhow::{Result, bail, ensure};
use clap::{ArgMatches, FromArgMatches};
use cupel_print::Format;
use cupel_show::export::{What, export};
use cupel_store::{self as store, Store};
use cupel_verb::written::Written;
use cupel_verb::{Context, Exit, register};

/// The options as the command lists them.
pub const SHOWN: register::Asked =
    register::Asked { verb: "show", options: register::added::<Shown>, answer, examples: "" };

/// What is shown instead of a run.
#[derive(clap::Args)]
struct Shown {
    /// Show imported results of other programs instead of a run
    #[arg(long, conflicts_with_all = ["run", "slices", "claims", "open"])]
    foreign: bool,
    /// Show a gate over benchmark programs instead of a run: the last one, or that of a number
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true,
        conflicts_with_all = ["run", "slices", "claims", "open", "foreign"])]
    gate: Option<Option<i64>>,
}

fn answer(context: &Context, found: &ArgMatches) -> Option<Result<Exit>> {
    let shown = Shown::from_arg_matches(found).ok()?;
    if !shown.foreign && shown.gate.is_none() {
        return None;
    }
    let written = Written::from_arg_matches(found).map_err(anyhow::Error::from);
    Some(written.and_then(|written| show(context, &shown, &written)))
}

fn show(context: &Context, shown: &Shown, written: &Written) -> Result<Exit> {
    let store = Store::existing(&context.home_of_store()?.store)?;
    if let Some(folder) = written.folder() {
        bail!(
            "{} is a folder, and a folder gets a web site of all runs: name a file",
            folder.display()
        );
    }
    if let Some(path) = &written.output {
        store::spare(path)?;
    }
    let format = written.format(None)?;
    if let Some(number) = shown.gate {
        return written.text(context, &gate(context, &store, number, format)?);
    }
    if matches!(format, Format::Csv | Format::Jsonl) {
        return written.rows(context, |out| export(&store, None, What::Foreign, format, out));
    }
    written.text(context, &foreign::present(&store.foreign()?, format)?)
}

/// A stored gate, judged again.
fn gate(context: &Context, store: &Store, number: Option<i64>, format: Format) -> Result<String> {
    ensure!(
        OF_GATE.contains(&format),
        "a gate is shown as a table, as JSON, as Markdown or as annotations (--format github)"
    );
    let (number, record) = store.gate(number)?;
    let record: Record = serde_json::from_str(&record)?;
    Ok(present(number, &record, &judge(&record), format, context.style))
}
