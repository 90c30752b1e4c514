//! `cupel --help`: one screen, with the verbs by the question that they answer; and the options of
//! each verb by subject.

use crate::questions;
use std::fmt::Write;

/// The verbs of the core by the question that they answer.
const VERBS: [(&str, &[&str]); 5] = [
    ("Ask", &["ask", "run", "advise", "trace"]),
    ("Keep", &["show"]),
    ("Trust", &["check", "gate", "verify"]),
    ("Share", &["import"]),
    ("Set up", &["doctor", "list", "install"]),
];

const HEAD: &str = "\
Finds the fastest implementation of a cryptographic primitive on this machine

Usage: cupel VERB [OPTIONS]    (`cupel VERB --help` explains it, with examples)
";

const FOOT: &str = "
Every verb has --store FILE (where the runs are), --trust (run what this folder
names), --quiet, --verbose, --color WHEN and --help; `cupel` has --version.
Status: 0 success, 1 failed or refuted, 2 undecided, 3 error, 130 interrupted.
Variables of the environment: `man cupel`, or docs/formats.md.
Start with: cupel ask sha256 64
";

/// The options by subject.
const GROUPS: [(&str, &[&str]); 5] = [
    ("What", &["contender", "claimed", "primitive", "operation", "size", "contract", "shape"]),
    (
        "How long",
        &["budget", "precision", "forks", "first_forks", "jit_forks", "dry_run", "resume"],
    ),
    ("Output", &["format", "output", "all", "names"]),
    ("Rarely needed", &["patience", "seed", "no_wait", "anyway", "compiler", "compilation_log"]),
    ("Every verb", &["store", "trust", "quiet", "verbose", "color"]),
];

/// Puts the options of a command, and of its verbs, below their subjects.
pub fn grouped(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|option| {
        let is_of = |(_, ids): &&(&str, &[&str])| ids.contains(&option.get_id().as_str());
        match GROUPS.iter().find(is_of) {
            Some((heading, _)) if !option.is_positional() => option.help_heading(*heading),
            _ => option,
        }
    });
    command.mut_subcommands(grouped)
}

/// The verbs by the question that they answer, each followed by those of crates of their own.
fn verbs() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut all = VERBS.map(|(question, verbs)| (question, verbs.to_vec()));
    for (question, verbs) in &mut all {
        let own = questions::VERBS.iter().filter(|verb| verb.heading == *question);
        verbs.extend(own.map(|verb| verb.name));
    }
    all.to_vec()
}

/// The text of `cupel --help`: the words of each verb about itself, in a line.
pub fn overview(command: &clap::Command) -> String {
    let mut out = HEAD.to_string();
    for (question, verbs) in verbs() {
        for (at, verb) in verbs.iter().enumerate() {
            let about = command.find_subcommand(verb).and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let question = if at == 0 { question } else { "" };
            let _ = write!(out, "\n{question:<8}{verb:<9}{about}");
        }
    }
    out + "\n" + FOOT
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn it_is_one_screen_with_every_verb_once() {
        let command = super::super::command();
        let help = overview(&command);
        assert!(help.lines().count() <= 24, "{} lines:\n{help}", help.lines().count());
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        let mut shown: Vec<&str> =
            super::verbs().into_iter().flat_map(|(_, verbs)| verbs).collect();
        shown.sort_unstable();
        let mut verbs: Vec<&str> = command.get_subcommands().map(|verb| verb.get_name()).collect();
        verbs.sort_unstable();
        assert_eq!(shown, verbs);
        assert!(verbs.len() <= 14, "{verbs:?}");
        for option in command.get_arguments().filter_map(clap::Arg::get_long) {
            assert!(help.contains(&format!("--{option}")), "{option} is not in\n{help}");
        }
        let printed = command.clone().render_help().to_string();
        assert_eq!(printed, command.clone().render_long_help().to_string());
        assert_eq!(printed.trim(), help.trim());
    }

    #[test]
    fn the_options_of_a_run_are_in_groups() {
        let mut command = super::super::command();
        command.build();
        let run = command.find_subcommand("run").unwrap();
        let own = run.get_arguments().filter(|option| option.get_help_heading().is_none());
        let own: Vec<&str> = own.filter_map(clap::Arg::get_long).collect();
        assert_eq!(own, ["help"]);
        let help = run.clone().render_help().to_string();
        for (heading, _) in GROUPS {
            assert_eq!(help.matches(&format!("\n{heading}:\n")).count(), 1, "{help}");
        }
    }

    /// More would be too many to learn.
    #[test]
    fn there_are_at_most_70_long_options() {
        fn gather(command: &clap::Command, into: &mut BTreeSet<String>) {
            into.extend(command.get_arguments().filter_map(|arg| arg.get_long().map(String::from)));
            command.get_subcommands().for_each(|sub| gather(sub, into));
        }
        let mut found = BTreeSet::new();
        gather(&super::super::command(), &mut found);
        assert!(found.len() <= 70, "{}: {found:?}", found.len());
    }
}
