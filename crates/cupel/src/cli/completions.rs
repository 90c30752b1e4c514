//! `cupel completions SHELL`.

use super::{Cli, Exit};
use anyhow::Result;
use clap::CommandFactory;

/// Print the completion script for a shell
#[derive(clap::Args)]
#[command(after_help = "\
Example, for the current bash:
  source <(cupel completions bash)")]
pub struct Args {
    /// The shell
    shell: clap_complete::Shell,
}

pub fn run(args: &Args) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "cupel", &mut script);
    super::print(&String::from_utf8(script)?)?;
    Ok(Exit::Well)
}
