//! `cupel show -o DIR/`: a folder for the output means a site.

use crate::{INDEX, write};
use anyhow::{Error, Result, bail};
use clap::{Arg, ArgMatches, Command, FromArgMatches};
use cupel_base::text::{count, plain};
use cupel_print::Format;
use cupel_store::Store;
use cupel_verb::written::Written;
use cupel_verb::{Context, Exit, print, register};
use std::path::Path;

/// The question as the command lists it.
pub const SHOWN: register::Asked = register::Asked {
    verb: "show",
    options: about,
    answer,
    examples: "  cupel show -o public/                a web site of the whole store",
};

/// The verb's text about a site.
const WORDS: &str = "\
A site shows each question of the store with its answer on each machine, and a page of each run. \
It consists of plain files, loads nothing from other sites and needs no web server. The same \
store always gives the same bytes. A new site replaces an older one in the folder; Cupel \
refuses a folder that has files but no site. To show many machines, first import their stores.";

/// Adds a site to the words of the verb and of its options.
fn about(verb: Command) -> Command {
    let brief = verb.get_about().map(ToString::to_string).unwrap_or_default();
    let long = verb.get_long_about().map(ToString::to_string).unwrap_or_default();
    let long = long.trim_start_matches(&brief).trim_start();
    let brief = brief.replacen("a stored run", "a stored run or a site", 1);
    verb.long_about(format!("{brief}\n\n{long}\n\n{WORDS}")).about(brief).mut_args(with_site)
}

/// An option with the words about a site.
fn with_site(option: Arg) -> Arg {
    let help = option.get_help().map(ToString::to_string).unwrap_or_default();
    match option.get_id().as_str() {
        "output" => option
            .value_name("FILE|DIR/")
            .help(format!("{help}; if you name a folder (DIR/), write a web site of all runs")),
        "slices" => option
            .help(format!("{help}. For a site, add the raw slices, which take most of its space")),
        _ => option,
    }
}

fn answer(context: &Context, found: &ArgMatches) -> Option<Result<Exit>> {
    let written = match Written::from_arg_matches(found) {
        Ok(written) => written,
        Err(error) => return Some(Err(Error::from(error))),
    };
    Some(write_site(context, found, &written, written.folder()?))
}

fn write_site(
    context: &Context,
    found: &ArgMatches,
    written: &Written,
    folder: &Path,
) -> Result<Exit> {
    let store = Store::existing(&context.home_of_store()?.store)?;
    let is_page = written.printing.given().is_none_or(|format| format == Format::Html);
    let one = found.get_one::<String>("run").is_some_and(|run| run != "all");
    if one || !is_page || found.contains_id("claims") || found.get_flag("open") {
        bail!(
            "{} is a folder, and a folder gets a web site of all runs: name a file",
            folder.display()
        );
    }
    let written = write(&store, folder, found.get_flag("slices"))?;
    if !context.quiet {
        let line = format!(
            "{}: {} on {}, {}",
            folder.join(INDEX).display(),
            count(written.questions, "question"),
            count(written.machines, "machine"),
            count(written.runs, "run")
        );
        print(&(plain(&line) + "\n"))?;
    }
    Ok(Exit::Well)
}
