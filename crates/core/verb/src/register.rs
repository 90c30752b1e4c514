//! How a question is listed by the command, in one line: as options of a verb that asks more than
//! one question, as a verb, or as files that are imported. The command lists constants of these
//! types, and nothing else of it names a question.

use crate::{Context, Exit};
use anyhow::{Error, Result};
use clap::{ArgMatches, Args, Command};
use cupel_store::Store;
use std::path::Path;

/// The group of the options that each ask a question in the place of the verb's: only one of them
/// can be given.
pub const INSTEAD: &str = "instead";

/// Options of a verb that ask another question, such as `cupel ask --why`.
pub struct Asked {
    /// The verb's name.
    pub verb: &'static str,
    /// Adds the options to the verb.
    pub options: fn(Command) -> Command,
    /// Answers the question, if the options ask it.
    pub answer: fn(&Context, &ArgMatches) -> Option<Result<Exit>>,
    /// Lines for the end of the verb's examples.
    pub examples: &'static str,
}

/// A verb.
pub struct Verb {
    /// Its name.
    pub name: &'static str,
    /// The verb of the core after which it stands in `cupel --help`; or its question there, such as
    /// `Trust`, under which it stands first.
    pub after: &'static str,
    /// Adds its options to a command of its name.
    pub options: fn(Command) -> Command,
    /// Runs it.
    pub run: fn(&Context, &ArgMatches) -> Result<Exit>,
}

/// Files that `cupel import` adds, apart from runs and boots.
pub struct Reads {
    /// Adds words about them to the verb.
    pub about: fn(Command) -> Command,
    /// Adds them.
    pub add: Add,
}

/// Adds a folder, or a file with these bytes, and returns the outcome in words. The reasons for
/// which parts of a folder are refused go into the last.
pub type Add = fn(&mut Store, &Path, Option<&[u8]>, &mut Vec<Error>) -> Result<String>;

/// How many of the imported records were in the store before.
pub fn already(here: usize) -> String {
    let were = if here == 1 { "was" } else { "were" };
    format!("{here} {were} already here")
}

/// Adds the options of `T` to a verb, whose description stays.
pub fn added<T: Args>(command: Command) -> Command {
    let about = command.get_about().cloned();
    let long_about = command.get_long_about().cloned();
    let command = T::augment_args(command);
    let command = about.map_or(command.clone(), |about| command.about(about));
    long_about.map_or(command.clone(), |about| command.long_about(about))
}
