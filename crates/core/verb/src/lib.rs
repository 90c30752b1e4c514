//! The common parts of the command's verbs, which a question also needs to become a verb: the
//! context, the options that several verbs have, the words of a question in one line, and how a run
//! is carried out and printed. `register` has the form in which a question lists its options or its
//! verb.

pub mod carry_out;
pub mod complete;
mod exposed;
pub mod how;
mod interrupt;
pub mod meant;
pub mod options;
mod outline;
mod prepare;
pub mod present;
pub mod register;
pub mod stepped;
pub mod trouble;
mod trust;
pub mod turn;
pub mod verified;
pub mod which;
pub mod words;
pub mod written;

use anyhow::{Context as _, Result};
use cupel_base::home::Home;
use cupel_base::text::tell;
use cupel_decide::claims::{Answered, Decision};
use cupel_print::Style;
use std::path::PathBuf;
use std::time::Instant;

/// How a verb ended, as an exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything succeeded.
    Well,
    /// A contender failed.
    ContenderFailed,
    /// A claim is refuted.
    Refuted,
    /// No claim is refuted, but not all are held.
    Undecided,
    /// A machine of a fleet did not finish.
    MachineFailed,
    /// The user ended it.
    Interrupted,
    /// The status of a program that ran.
    Program(u8),
}

impl Exit {
    /// By the decision about claims.
    pub fn decided(decision: Decision) -> Exit {
        match decision {
            Decision::Held => Exit::Well,
            Decision::Refuted => Exit::Refuted,
            Decision::Undecided => Exit::Undecided,
        }
    }

    /// By these claims together.
    pub fn answered(answered: &[Answered]) -> Exit {
        Exit::decided(Decision::all(answered.iter().map(Answered::decision)))
    }
}

/// The context of every verb.
pub struct Context {
    /// The store, if the user named one.
    pub store: Option<PathBuf>,
    /// Whether to print no progress.
    pub quiet: bool,
    /// Whether to trust the contenders of the working directory.
    pub trust: bool,
    /// How tables are drawn.
    pub style: Style,
    /// When the command began.
    pub began: Instant,
    /// Whether the command accepts these words, its own name first.
    pub accepts: fn(&[String]) -> Result<(), clap::Error>,
}

impl Context {
    /// Cupel's files, for verbs that build or start contenders.
    ///
    /// # Errors
    /// If there are none, or they are not trusted.
    pub fn home(&self) -> Result<Home> {
        let home = Home::find(self.store.as_deref())?;
        trust::settle(&home, self.trust)?;
        Ok(home)
    }

    /// For verbs that read the store and need no checkout.
    ///
    /// # Errors
    /// If there is no folder for the store.
    pub fn home_of_store(&self) -> Result<Home> {
        Home::of_store(self.store.as_deref())
    }

    /// Prints a message on progress, unless the user wants quiet.
    pub fn say(&self, what: &str) {
        if !self.quiet {
            tell(&format!("cupel: {what}"));
        }
    }
}

/// Writes to standard output. A reader that stops reading (`| head`) is not an error.
///
/// # Errors
/// If it cannot be written for any other reason.
pub fn print(text: &str) -> Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}
