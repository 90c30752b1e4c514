//! `cupel conform PROGRAM`: hold a runner against the protocol.

use super::{Context, Exit, print};
use crate::conform;
use crate::suite;
use anyhow::Result;
use std::ffi::OsString;
use std::time::Duration;

/// Hold any program against the runner protocol and say in words what is wrong
///
/// The specification is protocol/SPEC.md. The program is started many times with the given
/// arguments; it must speak the protocol on its standard input and output. What does not hold is
/// WRONG, with what to do about it; the last line is the verdict, and so is the exit status.
#[derive(clap::Args)]
pub struct Args {
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<OsString>,
    /// How long it may take for one answer
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = suite::told_duration)]
    patience: Duration,
}

pub fn run(_context: &Context, args: &Args) -> Result<Exit> {
    let findings = conform::examine(&args.program, args.patience);
    let wrong = findings.iter().any(conform::Finding::is_wrong);
    print(&conform::report(&findings))?;
    Ok(if wrong { Exit::ContenderFailed } else { Exit::Well })
}
