//! The questions that have their own crate, in one line each. Without its line, a question does not
//! exist here: `scripts/without` removes it with the folder of its crate.

use clap::{ArgMatches, Command};
use cupel_verb::register::{Asked, Reads, Verb};
use cupel_verb::{Context, Exit};

/// The questions that options of a verb ask, in the order of the verb's examples.
#[rustfmt::skip]
const ASKED: &[Asked] = &[
    cupel_why::PATHS,
    cupel_history::ASKED,
    cupel_why::WHY,
    cupel_leaks::ASKED,
    cupel_conform::ASKED,
    cupel_gate::SHOWN,
    cupel_site::SHOWN,
];

/// The questions that are verbs.
#[rustfmt::skip]
pub const VERBS: &[Verb] = &[
    cupel_claims::VERB,
    cupel_advise::VERB,
    cupel_trace::VERB,
    cupel_gate::VERB,
    cupel_fleet::VERB,
    cupel_uefi::VERB,
];

/// The questions that read files for `cupel import`.
#[rustfmt::skip]
pub const READS: &[Reads] = &[
    cupel_gate::READS,
];

/// Adds their options, examples, verbs and files.
pub fn added(command: Command) -> Command {
    let command = ASKED.iter().fold(command, |command, question| {
        command.mut_subcommand(question.verb, |verb| with_options(verb, question))
    });
    let command =
        READS.iter().fold(command, |command, reads| command.mut_subcommand("import", reads.about));
    VERBS
        .iter()
        .fold(command, |command, verb| command.subcommand((verb.options)(Command::new(verb.name))))
}

/// A verb with the options of a question, and its examples below the last of the verb's.
fn with_options(verb: Command, question: &Asked) -> Command {
    let below = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (examples, rest) = below.split_once("\n\n").unwrap_or((&below, ""));
    let verb = (question.options)(verb);
    if question.examples.is_empty() {
        return verb;
    }
    let below = format!("{examples}\n{}\n{rest}", question.examples);
    verb.after_help(below.trim_end().to_string())
}

/// The answer, if the command line asks one of these questions.
pub fn answered(context: &Context, found: &ArgMatches) -> Option<anyhow::Result<Exit>> {
    let (name, found) = found.subcommand()?;
    if let Some(verb) = VERBS.iter().find(|verb| verb.name == name) {
        return Some((verb.run)(context, found));
    }
    let mut here = ASKED.iter().filter(|question| question.verb == name);
    here.find_map(|question| (question.answer)(context, found))
}
