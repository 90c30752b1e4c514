//! Whether a program speaks the runner protocol (`protocol/SPEC.md`), explained to its author:
//! `cupel verify --protocol`. Every group of checks has its own process, so that one that crashes or
//! hangs does not stop the others. The command lists [`ASKED`].

mod contender;
mod finding;
mod fold;
mod greeting;
mod list;
mod transcripts;

pub use finding::{Finding, Section, Verdict, report, summary};

use anyhow::Result;
use clap::{ArgMatches, FromArgMatches};
use cupel_runner::{Fault, Process, Start};
use cupel_verb::register::{self, INSTEAD, added};
use cupel_verb::verified::Verified;
use cupel_verb::{Context, Exit, print};
use std::ffi::OsString;
use std::time::Duration;

/// The question as the command lists it.
pub const ASKED: register::Asked = register::Asked {
    verb: "verify",
    options: added::<Protocol>,
    answer,
    examples: "  cupel verify --protocol python3 mine/runner.py
  cupel verify --patience 30s --protocol java mine/Mine.java\n",
};

/// How long a program may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Its options.
#[derive(clap::Args)]
struct Protocol {
    /// See instead whether a program that hosts contenders speaks the runner protocol
    /// (protocol/SPEC.md) on its standard input and output. All words after PROGRAM are its
    /// arguments, so give --patience before --protocol [default of --patience: 10s]
    ///
    /// Cupel starts the program many times, marks each violation WRONG, and says how to correct the
    /// program.
    #[arg(long, value_name = "PROGRAM", num_args = 1.., allow_hyphen_values = true, group = INSTEAD,
          conflicts_with_all = ["contenders", "compiler", "seed", "long"])]
    protocol: Vec<OsString>,
}

fn answer(_: &Context, found: &ArgMatches) -> Option<Result<Exit>> {
    let Protocol { protocol } = Protocol::from_arg_matches(found).ok()?;
    if protocol.is_empty() {
        return None;
    }
    let verified = Verified::from_arg_matches(found).map_err(anyhow::Error::from);
    Some(verified.and_then(|verified| {
        let findings = examine(&protocol, verified.runners.patience.unwrap_or(PATIENCE));
        print(&report(&findings))?;
        let wrong = findings.iter().any(Finding::is_wrong);
        Ok(if wrong { Exit::ContenderFailed } else { Exit::Well })
    }))
}

/// Checks a program, started with its arguments, against the protocol. No single answer may take
/// longer than `patience`.
pub fn examine(program: &[OsString], patience: Duration) -> Vec<Finding> {
    let program = Program { command: program.to_vec(), patience };
    let mut findings = greeting::examine(&program);
    if findings.iter().any(Finding::is_wrong) {
        let why = "nothing else can be asked until the greeting is correct".to_string();
        findings.push(Finding::new(&Section::Greeting, "the rest", Ok(Verdict::Skipped(why))));
        return findings;
    }
    let (of_list, listed) = list::examine(&program);
    findings.extend(of_list);
    findings.extend(transcripts::examine(&program, listed.as_deref()));
    findings.extend(contender::examine(&program, listed.as_deref().unwrap_or_default()));
    findings
}

/// The program under examination.
struct Program {
    command: Vec<OsString>,
    patience: Duration,
}

impl Program {
    /// A fresh process of it, after the greeting.
    fn start(&self) -> Result<Process, Fault> {
        Process::start(&Start::plain(self.command.clone(), self.patience))
    }
}
