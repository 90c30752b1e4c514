//! Checks whether a program speaks the runner protocol (`protocol/SPEC.md`), and explains the
//! result to its author. Every group of checks has its own process, so that one that crashes
//! or hangs does not stop the others.

mod contender;
mod finding;
mod fold;
mod greeting;
mod list;
mod transcripts;

pub use finding::{Finding, Section, Verdict, report, summary};

use cupel_runner::{Fault, Process, Start};
use std::ffi::OsString;
use std::time::Duration;

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
