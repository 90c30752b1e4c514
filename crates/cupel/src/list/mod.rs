//! `cupel list`: everything known and stored.

mod contenders;
mod runs;
mod suites;

use super::{Context, Exit, complete, print, toolchains};
use anyhow::{Result, bail};
use clap::ValueEnum;
use comfy_table::{Table, presets};
use cupel_base::primitives::{self, Primitive};
use cupel_base::text::{count, inert_json};
use cupel_show::report::Format;
use cupel_store::Store;
use cupel_verb::options::{Compilers, Length, Printing, among};
use serde_json::{Value, json};

/// List contenders, suites, primitives, toolchains or stored runs
///
/// Prints a line for each family of contenders, with the number that can be measured here. If you
/// name families, contenders or primitives, prints a line for each contender, with its installed
/// version and offers. Prints a line for each suite, or in full the suites that you name.
#[derive(clap::Args)]
#[command(
    mut_arg("format", |format| among(format, &[Format::Table, Format::Json])),
    after_help = "\
Examples:
  cupel list                 how many contenders of each family are ready
  cupel list rust            each contender of a family, and what it offers
  cupel list sha256          who offers SHA-256
  cupel list 'c/*@gcc-*-O2'  these builds of a compiler matrix
  cupel list suites          the questions that `cupel run` answers
  cupel list runs            the runs in the store"
)]
pub struct Args {
    /// What to list: contenders, suites, primitives, toolchains or runs [default: contenders], then
    /// names of contenders, primitives or suites; * stands for any characters. The builds of a
    /// compiler matrix are listed only for names with an @
    #[arg(value_name = "WHAT", add = complete::listed())]
    words: Vec<String>,
    #[command(flatten)]
    length: Length,
    #[command(flatten)]
    compilers: Compilers,
    #[command(flatten)]
    printing: Printing,
}

/// What can be listed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    Contenders,
    Suites,
    Primitives,
    Toolchains,
    Runs,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let first = args.words.first().and_then(|word| What::from_str(word, false).ok());
    let names = &args.words[usize::from(first.is_some())..];
    let what = first.unwrap_or(What::Contenders);
    if !names.is_empty() && !matches!(what, What::Contenders | What::Suites) {
        bail!(
            "only contenders and suites are listed by their names: leave out {}",
            names.join(" ")
        );
    }
    let as_json = args.printing.format() == Format::Json;
    if what == What::Runs {
        let store = Store::existing(&context.home_of_store()?.store)?;
        print(&if as_json { in_json(&runs::json(&store)?)? } else { runs::list(&store)? })?;
        return Ok(Exit::Well);
    }
    let home = context.home()?;
    let compilers = &args.compilers.compiler;
    let all = args.length.all;
    print(&match (what, as_json) {
        (What::Contenders | What::Runs, _) => {
            contenders::list(&home, names, compilers, all, as_json)?
        }
        (What::Suites, false) => suites::list(&home, names, all)?,
        (What::Suites, true) => in_json(&suites::json(&home, names)?)?,
        (What::Primitives, false) => drawn_primitives(),
        (What::Primitives, true) => {
            in_json(&primitives::all().iter().map(primitive).collect::<Vec<_>>())?
        }
        (What::Toolchains, false) => toolchains::list(&home, compilers),
        (What::Toolchains, true) => in_json(&toolchains::json(&home, compilers))?,
    })?;
    Ok(Exit::Well)
}

fn in_json(all: &[Value]) -> Result<String> {
    Ok(inert_json(&(serde_json::to_string_pretty(all)? + "\n")))
}

fn drawn_primitives() -> String {
    let mut table = blank();
    table.set_header(["primitive", "operations", "standard"]);
    for primitive in primitives::all() {
        let operations: Vec<&str> = primitive.operations.iter().map(|o| o.name()).collect();
        table.add_row([primitive.name, &operations.join(" "), primitive.standard]);
    }
    let all = count(primitives::all().len(), "primitive");
    format!(
        "{all} that Cupel can verify: their operations, and the standard that defines them\n\n{table}\n"
    )
}

fn primitive(primitive: &Primitive) -> Value {
    let operations: Vec<&str> = primitive.operations.iter().map(|o| o.name()).collect();
    json!({ "name": primitive.name, "operations": operations, "standard": primitive.standard })
}

fn blank() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(100);
    }
    table
}
