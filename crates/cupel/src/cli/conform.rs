//! `cupel conform PROGRAM`: checks a runner against the protocol.

use super::{Context, Exit, print};
use crate::conform;
use crate::suite;
use anyhow::Result;
use std::ffi::OsString;
use std::time::Duration;

/// Check a program against the runner protocol and explain each violation
///
/// The specification is protocol/SPEC.md. Cupel starts the program many times with the given
/// arguments. The program must speak the protocol on its standard input and output. Each violation
/// is marked WRONG, with advice on what to change. The last line and the exit status are the
/// verdict.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel conform python3 mine/runner.py
  cupel conform --patience 30s java mine/Mine.java")]
pub struct Args {
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<OsString>,
    /// How long the program may take for one answer
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = suite::duration_with_unit)]
    patience: Duration,
}

pub fn run(_context: &Context, args: &Args) -> Result<Exit> {
    let findings = conform::examine(&args.program, args.patience);
    let wrong = findings.iter().any(conform::Finding::is_wrong);
    print(&conform::report(&findings))?;
    Ok(if wrong { Exit::ContenderFailed } else { Exit::Well })
}
