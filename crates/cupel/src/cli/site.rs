//! `cupel site DIR`: the store as pages for a web server.

use super::{Context, Exit, print};
use crate::site;
use crate::store::Store;
use crate::text::{count, plain};
use anyhow::Result;
use std::path::PathBuf;

/// Write a store as a site: every question, its answer first, on all machines
///
/// The index has each question with its answer. The page of a question shows which contender is the
/// fastest on which machine at which size, and the ratios of each run. Every figure leads to the page
/// of its run, as `cupel report` writes it, and to its raw slices. The pages are plain files without
/// scripts, except those of runs; they load nothing from elsewhere, and need no web server.
///
/// Of the runs of one machine that measured the same contenders in the same versions, the newest is
/// shown. The same store gives the same bytes. A site that is in the folder is replaced; a folder
/// with other files is refused. To show many machines, first import their stores.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel site public
  cupel --store all.sqlite import machines/*.sqlite && cupel --store all.sqlite site public")]
pub struct Args {
    /// The folder: a new one, an empty one, or one with a site
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Leave out the raw slices, which are most of a site
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
