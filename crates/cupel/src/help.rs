//! `cupel --help`: one screen, with the verbs by the question that they answer; and the options of
//! each verb by subject.

use crate::questions;
use std::fmt::Write;

/// The verbs of the core by the question that they answer.
const VERBS: [(&str, &[&str]); 5] = [
    ("Ask", &["ask", "run"]),
    ("Keep", &["show"]),
    ("Trust", &["verify"]),
    ("Share", &["import"]),
    ("Set up", &["doctor", "list", "install"]),
];

const HEAD: &str = "\
Finds the fastest implementation of a cryptographic primitive on this machine

Usage: cupel VERB [OPTIONS]    (`cupel VERB --help` explains it, with examples)
";

const FOOT: &str = "
Every verb has --store FILE (holds the runs), --trust (runs contenders of this
folder), --quiet, --verbose, --color WHEN and --help; `cupel` has --version.
Status: 0 success, 1 failed or refuted, 2 undecided, 3 error, 130 interrupted.
Environment variables: `man cupel`, or docs/reference/store.md.
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

/// The verbs by the question that they answer, with the verbs of question crates after their
/// neighbours.
fn verbs() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut all = Vec::new();
    for (question, core) in VERBS {
        let mut verbs: Vec<&str> = after(question).collect();
        for name in core {
            verbs.push(*name);
            verbs.extend(after(name));
        }
        all.push((question, verbs));
    }
    all
}

/// The verbs of question crates that stand after this verb, or first under this question.
fn after(place: &str) -> impl Iterator<Item = &'static str> {
    questions::VERBS.iter().filter(move |verb| verb.after == place).map(|verb| verb.name)
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

/// The help that these arguments of `cupel` ask for: of the verb that they name, a screen for `-h`,
/// and more for `--help`.
pub fn asked(command: &clap::Command, arguments: &[String]) -> String {
    let mut path = vec![command];
    for word in arguments {
        path.extend(path[path.len() - 1].find_subcommand(word));
    }
    let is_brief = !arguments.iter().any(|word| word == "--help" || word == "help");
    match &path[..] {
        [_] => overview(command),
        [above @ .., verb] => {
            let above: Vec<&str> = above.iter().map(|verb| verb.get_name()).collect();
            of_verb(&above.join(" "), verb, is_brief)
        }
        [] => String::new(),
    }
}

/// The most lines of the help for `-h`, a screen, and of the one for `--help`.
const BRIEF: usize = 24;
const LONG: usize = 60;

/// How many examples `-h` has.
const EXAMPLES: usize = 6;

/// The most columns of a line.
const WIDTH: usize = 80;

/// The column at which the words about an option begin.
const INDENT: usize = 26;

/// The options that most questions need, in their order. The others follow in the order of
/// [`GROUPS`], as far as the screen reaches.
const FIRST: [&str; 15] = [
    "base",
    "new",
    "base_rev",
    "build",
    "run",
    "reads",
    "budget",
    "size",
    "contract",
    "contender",
    "leaks",
    "why",
    "paths",
    "format",
    "all",
];

/// The help of a verb: the six first examples, then the options that fit.
fn of_verb(above: &str, verb: &clap::Command, is_brief: bool) -> String {
    let name = format!("{above} {}", verb.get_name());
    let about = if is_brief { None } else { verb.get_long_about() };
    let about = about.or(verb.get_about()).map(ToString::to_string).unwrap_or_default();
    let mut out: Vec<String> = Vec::new();
    for paragraph in about.lines() {
        out.extend(wrapped(paragraph, WIDTH));
    }
    out.push(String::new());
    let usage = verb.clone().render_usage().to_string();
    let usage = usage.replace(&format!("Usage: {}", verb.get_name()), &format!("Usage: {name}"));
    out.extend(usage.lines().map(ToString::to_string));
    let below = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
    let examples: Vec<&str> =
        below.lines().skip_while(|line| !line.starts_with("Examples:")).collect();
    let end = examples.iter().position(|line| line.is_empty()).unwrap_or(examples.len());
    if end > 0 {
        out.push(String::new());
        let most = if is_brief { EXAMPLES + 1 } else { end };
        out.extend(examples[..end.min(most)].iter().map(ToString::to_string));
    }
    if !is_brief {
        out.extend(examples[end..].iter().map(ToString::to_string));
        let arguments: Vec<&clap::Arg> = verb.get_positionals().collect();
        if !arguments.is_empty() {
            out.push(String::new());
            arguments.iter().for_each(|argument| out.extend(entry(argument, false)));
        }
    }
    let verbs: Vec<&clap::Command> =
        verb.get_subcommands().filter(|verb| verb.get_name() != "help").collect();
    if !verbs.is_empty() {
        out.push(String::new());
    }
    for verb in verbs {
        let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
        out.extend(described(&format!("  {}", verb.get_name()), &about));
    }
    options(&mut out, &name, verb, is_brief);
    out.join("\n") + "\n"
}

/// Adds the options that fit, and names the others.
fn options(out: &mut Vec<String>, name: &str, verb: &clap::Command, is_brief: bool) {
    let mut all: Vec<&clap::Arg> = verb
        .get_opts()
        .chain(
            verb.get_arguments()
                .filter(|arg| !arg.is_positional() && !arg.get_action().takes_values()),
        )
        .filter(|option| {
            !option.is_global_set() && option.get_long().is_some_and(|long| long != "help")
        })
        .collect();
    all.sort_by_key(|option| rank(option.get_id().as_str()));
    let room = (if is_brief { BRIEF } else { LONG }).saturating_sub(out.len());
    // The first ones in full, as far as there is room for a sentence about each; else as many
    // sentences as fit.
    let full = (0..=if is_brief { 0 } else { all.len() }).rev().map(|full| (all.len(), full));
    let sentences = (0..all.len()).rev().map(|count| (count, 0));
    let lists = full
        .chain(sentences)
        .map(|(count, full)| listed(name, all.split_at(count), full, is_brief));
    out.extend(lists.into_iter().find(|list| list.len() <= room).unwrap_or_default());
}

/// The first options, this many with all their words and the others with a sentence, and the names
/// of those that are left out.
fn listed(
    name: &str,
    (said, unsaid): (&[&clap::Arg], &[&clap::Arg]),
    full: usize,
    is_brief: bool,
) -> Vec<String> {
    let mut out = vec![String::new()];
    for (at, option) in said.iter().enumerate() {
        out.extend(entry(option, at >= full));
    }
    if !said.is_empty() {
        out.push(String::new());
    }
    let names = unsaid.iter().filter_map(|option| option.get_long());
    let unsaid: Vec<String> = names.map(|long| format!("--{long}")).collect();
    let page = name.replace(' ', "-");
    let more = match (unsaid.len(), is_brief) {
        (0, true) => format!("More: `{name} --help`; shared options: `cupel --help`."),
        (0, false) if full < said.len() => {
            format!("In full: `man {page}`; shared options: `cupel --help`.")
        }
        (0, false) => format!("As a page: `man {page}`; shared options: `cupel --help`."),
        (count, true) => {
            format!("{count} more options: `{name} --help`; shared ones: `cupel --help`.")
        }
        (_, false) => format!("Also, in `man {page}`: {}.", unsaid.join(", ")),
    };
    out.extend(wrapped(&more, WIDTH));
    out
}

/// Where an option stands among others.
fn rank(id: &str) -> usize {
    let first = FIRST.iter().position(|first| *first == id);
    let group = || GROUPS.iter().position(|(_, ids)| ids.contains(&id));
    first.unwrap_or_else(|| FIRST.len() + group().map_or(0, |group| group + 1))
}

/// An option with its words: only the first sentence if `is_brief`.
fn entry(option: &clap::Arg, is_brief: bool) -> Vec<String> {
    let value = option
        .get_value_names()
        .map(|names| names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" "));
    let value = value.filter(|_| option.is_positional() || option.get_action().takes_values());
    let flag = match (option.get_long(), value) {
        (None, value) => value.unwrap_or_default(),
        (Some(long), None) => format!("--{long}"),
        (Some(long), Some(value)) => format!("--{long} {value}"),
    };
    let help = option.get_help().map(ToString::to_string).unwrap_or_default();
    let mut words = if is_brief { first_sentence(&help) } else { help };
    let values: Vec<String> =
        option.get_possible_values().iter().map(|value| value.get_name().to_string()).collect();
    if !values.is_empty() && option.get_action().takes_values() {
        words += &format!(": {}", values.join(", "));
    }
    described(&format!("  {flag}"), &words)
}

fn first_sentence(text: &str) -> String {
    let text = text.split(" [default").next().unwrap_or(text);
    let end = [". ", "; ", ": "].iter().filter_map(|mark| text.find(mark)).min();
    text[..end.unwrap_or(text.len())].to_string()
}

/// A term with its words next to it, or below it if it is long.
fn described(term: &str, words: &str) -> Vec<String> {
    let mut lines = wrapped(words, WIDTH - INDENT);
    lines.iter_mut().for_each(|line| *line = format!("{:INDENT$}{line}", ""));
    if term.chars().count() + 2 > INDENT {
        lines.insert(0, term.to_string());
    } else if let Some(first) = lines.first_mut() {
        *first = format!("{term:INDENT$}{}", first.trim_start());
    }
    lines
}

/// The lines of a text, each of at most this many characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a first line");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_string());
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines
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

    /// A terminal has 24 lines. Whatever does not fit is in the manual.
    #[test]
    fn the_help_of_a_verb_is_a_screen_and_the_long_one_at_most_60_lines() {
        let mut command = super::super::command();
        command.build();
        for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
            let name = verb.get_name().to_string();
            for (flag, most) in [("-h", BRIEF), ("--help", LONG)] {
                let help = asked(&command, &[name.clone(), flag.to_string()]);
                assert!(help.lines().count() <= most, "{} lines:\n{help}", help.lines().count());
                for line in help.lines() {
                    assert!(line.chars().count() <= WIDTH, "{line}");
                }
                assert!(help.contains(&format!("Usage: cupel {name}")), "{help}");
                assert!(help.contains("\nExamples:\n  cupel "), "{help}");
                if flag == "--help" {
                    let own = verb.get_arguments().filter(|option| !option.is_global_set());
                    let longs =
                        own.filter(|option| !option.is_hide_set()).filter_map(clap::Arg::get_long);
                    for long in longs.filter(|long| *long != "help") {
                        assert!(help.contains(&format!("--{long}")), "{long} is not in\n{help}");
                    }
                }
            }
        }
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
