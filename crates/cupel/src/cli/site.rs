//! `cupel site DIR`: the store as pages for a web server.

use super::{Context, Exit, print};
use crate::site;
use crate::store::Store;
use crate::text::{count, plain};
use anyhow::Result;
use std::path::PathBuf;

/// Write a store as a web site: every question with its answer, for all machines
///
/// The index lists each question with its answer. The page of a question shows which contender is
/// the fastest on each machine at each size, and the ratios of each run. Every figure links to the
/// page of its run, as `cupel report` writes it, and to its raw slices. The pages are plain files;
/// only those of runs have scripts. They load nothing from other sites and need no web server.
///
/// If several runs of one machine measured the same contenders in the same versions, the site shows
/// the newest. The same store always gives the same bytes. A new site replaces an old one in the
/// folder; Cupel refuses a folder with other files. To show many machines, first import their
/// stores.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel site public
  cupel --store all.sqlite import machines/*.sqlite &&
    cupel --store all.sqlite site public")]
pub struct Args {
    /// The folder: a new one, an empty one, or one with a site
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Leave out the raw slices, which take most of a site's space
    #[arg(long)]
    no_slices: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home_of_store()?;
    let store = Store::existing(&home.store)?;
    let written = site::write(&store, &args.folder, !args.no_slices)?;
    if !context.quiet {
        let line = format!(
            "{}: {} on {}, {}",
            args.folder.join(site::INDEX).display(),
            count(written.questions, "question"),
            count(written.machines, "machine"),
            count(written.runs, "run")
        );
        print(&(plain(&line) + "\n"))?;
    }
    Ok(Exit::Well)
}
