//! `cupel man [DIR]`: the manual pages.

use super::{Cli, Exit};
use anyhow::{Context, Result};
use clap::CommandFactory;
use std::path::PathBuf;

/// Print the manual page, or write one for each verb into a folder
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel man | man -l -
  cupel man ~/.local/share/man/man1")]
pub struct Args {
    /// The folder [default: print the page of cupel itself]
    dir: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<Exit> {
    match &args.dir {
        Some(dir) => {
            std::fs::create_dir_all(dir)
                .with_context(|| format!("cannot make {}", dir.display()))?;
            clap_mangen::generate_to(Cli::command(), dir)
                .with_context(|| format!("cannot write into {}", dir.display()))?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            super::print(&String::from_utf8(page)?)?;
        }
    }
    Ok(Exit::Well)
}
