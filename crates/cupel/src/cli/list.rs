//! `cupel list`: the known contenders, primitives and suites.

mod suites;

use super::{Context, Exit, complete, print};
use crate::contender::{self, Contender, State};
use crate::name::Pattern;
use crate::primitives::{self, Primitive};
use crate::report;
use crate::text::{count, folded, plain};
use crate::toolchain::{self, Wanted, newest};
use anyhow::{Result, anyhow};
use comfy_table::{Table, presets};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// List contenders, primitives or suites
///
/// For each contender, the list shows the installed version and the primitives that it offers.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel list
  cupel list --contender 'c/*@gcc-*-O2'
  cupel list suites")]
pub struct Args {
    /// What to list
    #[arg(value_enum, default_value = "contenders")]
    what: What,
    /// Only these contenders; * stands for any characters. Contenders of a compiler matrix are
    /// listed only if a pattern names the part after the @, as 'c/*@gcc-*-O2' does
    #[arg(long, value_name = "PATTERN", add = complete::contenders())]
    contender: Vec<String>,
    /// The path of an additional C compiler; may be repeated
    #[arg(long, value_name = "PATH")]
    compiler: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    Contenders,
    Primitives,
    Suites,
    /// What can be compared, as a Markdown table: the libraries of each language
    Languages,
    /// The same in full: the libraries of each primitive, by language
    Coverage,
    /// What `cupel paths` compares, as a Markdown table: the forced paths of each default
    Paths,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    match args.what {
        What::Suites if args.json => {
            let suites = suites::json(&home);
            print(&(serde_json::to_string_pretty(&suites)? + "\n"))?;
        }
        What::Suites => print(&suites::list(&home))?,
        What::Languages => {
            print(&report::coverage::by_language(&toolchain::families(&home)?))?;
        }
        What::Coverage => {
            print(&report::coverage::markdown(&toolchain::families(&home)?))?;
        }
        What::Paths => print(&report::steered::markdown(&toolchain::families(&home)?))?,
        What::Primitives if args.json => {
            let all: Vec<Value> = primitives::all().iter().map(primitive).collect();
            print(&(serde_json::to_string_pretty(&all)? + "\n"))?;
        }
        What::Primitives => {
            let mut table = blank();
            table.set_header(["primitive", "operations", "standard"]);
            for primitive in primitives::all() {
                let operations: Vec<&str> = primitive.operations.iter().map(|o| o.name()).collect();
                table.add_row([primitive.name, &operations.join(" "), primitive.standard]);
            }
            let all = count(primitives::all().len(), "primitive");
            let what =
                "that Cupel can verify: their operations, and the standard that defines them";
            print(&format!("{all} {what}\n\n{table}\n"))?;
        }
        What::Contenders => {
            let only = newest::named(&home, &args.contender);
            let wanted = Wanted {
                named: only.clone(),
                compilers: args.compiler.clone(),
                ..Wanted::default()
            };
            let mut contenders = contender::find(&home, &wanted, &|_| {})?;
            contender::all_known(&only, &contenders).map_err(|e| anyhow!(e))?;
            if !only.is_empty() {
                let patterns: Vec<_> = only.into_iter().map(Pattern::new).collect();
                contenders.retain(|c| patterns.iter().any(|p| c.is_meant_by(p)));
            }
            if args.json {
                print(&(serde_json::to_string_pretty(&contenders)? + "\n"))?;
            } else {
                let here = contenders.iter().filter(|c| c.is_ready()).count();
                let all = count(contenders.len(), "contender");
                let first = format!(
                    "{all}, {here} ready: the library and version here, and what they offer"
                );
                print(&format!("{}\n\n{}\n", folded("", &first), draw(&contenders)))?;
                for family in toolchain::families(&home)? {
                    let listed = contenders.iter().any(|c| c.family == family.name);
                    if listed && home.owner(&family.path).is_some() {
                        let whose =
                            format!("{}/ is yours: {}", family.prefix, family.path.display());
                        print(&format!("{}\n", plain(&whose)))?;
                    }
                }
                if contenders.iter().flat_map(|c| &c.offers).any(|o| !has_reference(&o.primitive)) {
                    print(&format!("\n{}\n", folded("", UNPROVED)))?;
                }
            }
        }
    }
    Ok(Exit::Well)
}

/// Printed below a list that marks something.
const UNPROVED: &str =
    "* Cupel has no reference for it. It cannot be verified, so it is not measured.";

fn has_reference(primitive: &str) -> bool {
    primitives::named(primitive).is_some()
}

fn primitive(primitive: &Primitive) -> Value {
    let operations: Vec<&str> = primitive.operations.iter().map(|o| o.name()).collect();
    json!({ "name": primitive.name, "operations": operations, "standard": primitive.standard })
}

fn draw(contenders: &[Contender]) -> Table {
    let mut table = blank();
    table.set_header(["contender", "library", "offers"]);
    for contender in contenders {
        let state = match &contender.state {
            State::Ready { .. } => plain(&format!("{} {}", contender.library, contender.version)),
            State::Missing(_) => "missing: see cupel doctor".to_string(),
            State::Failed(_) => "failed: see cupel doctor".to_string(),
            State::Unbuilt => "not built: cupel run builds it".to_string(),
        };
        let mut offers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for offer in &contender.offers {
            offers.entry(&offer.primitive).or_default().push(offer.operation.name());
        }
        let offers: Vec<String> = offers
            .into_iter()
            .map(|(primitive, operations)| {
                let mark = if has_reference(primitive) { "" } else { "*" };
                match operations[..] {
                    ["digest"] | ["mac"] => format!("{primitive}{mark}"),
                    _ => format!("{primitive}{mark} ({})", operations.join(", ")),
                }
            })
            .collect();
        table.add_row([plain(&contender.name), state, plain(&offers.join(", "))]);
    }
    table
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
