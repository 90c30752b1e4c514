//! The command line: one file for each verb, which reads arguments, calls the crates above, and
//! prints. No figure is computed here.
//!
//! The variants of `Verb` are the verbs of the core; `questions` lists the additions of the crates
//! of questions. In the other files, `compare` is a part of `show`; the rest is for more than one
//! verb, or for all. Code that questions need, too, is in `cupel-verb`.

mod ask;
mod browser;
mod compare;
mod doctor;
mod help;
mod import;
mod install;
mod list;
mod questions;
mod run;
mod scarce;
mod shells;
mod show;
mod toolchains;
mod verify;
mod width;

use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::CompleteEnv;
use cupel_base::primitives;
use cupel_base::problem::Problem;
use cupel_base::program::{self, Program};
use cupel_base::text::{self, folded, plain, tell};
use cupel_print::Style;
pub use cupel_verb::Exit;
use cupel_verb::{Context, complete, print, register};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Finds the fastest implementation of a cryptographic primitive on this machine.
///
/// Cupel detects the installed implementations (C libraries, Rust crates, Java providers and
/// others), verifies that each one answers correctly, measures them against each other in
/// interleaved rounds, and reports which differences are real.
#[derive(Parser)]
#[command(name = "cupel", version, max_term_width = 100, after_help = AFTER)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

/// The options of every verb.
#[derive(clap::Args)]
struct Every {
    /// The file that holds all runs [default: runs.sqlite in the user's data folder]
    #[arg(long, global = true, value_name = "FILE", env = "CUPEL_STORE")]
    store: Option<PathBuf>,
    /// Print no progress
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Print more: versions, code paths, how long each step took
    #[arg(long, short, global = true)]
    verbose: bool,
    /// Trust the contenders of the working directory: build and run what their files name. Cupel
    /// remembers this until the files change
    #[arg(long, global = true, env = "CUPEL_TRUST", value_parser = clap::builder::FalseyValueParser::new())]
    trust: bool,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: When,
}

/// This build; `build.rs` makes both.
const THIS: Program = Program {
    code: env!("CUPEL_CODE"),
    bundle: include_bytes!(concat!(env!("OUT_DIR"), "/bundle.tar.gz")),
};

/// The text below the options in the manual; `cupel --help` has no room for it.
const AFTER: &str = "\
Exit status: 0 success; 1 a contender failed (wrong answers, a crash), a claim
is refuted, a benchmark is slower, or a machine of a fleet failed; 2 a claim or
a benchmark is undecided, or a fleet is not finished; 3 an error (also in the
command line); 130 interrupted.

Environment: CUPEL_HOME, a checkout of Cupel, which replaces the contenders and
suites that the tool embeds; CUPEL_CONFIG, a folder with your own contenders
and suites; CUPEL_TRUST=1, the same as --trust; CUPEL_CACHE, the folder for
builds and downloads; CUPEL_DATA, the store's folder; CUPEL_STORE, the store;
CUPEL_NODE, this machine's name in a fleet; CUPEL_PREBUILT=no, to build here
what came with the tool's package; CUPEL_DEBIAN_MIRROR, the source of
compilers; CUPEL_COMPLETE, the shell whose completion script to print; CC, the
C compiler that links; JAVA_HOME, an additional JDK; NO_COLOR; COLUMNS, the
width of tables.";

#[derive(Clone, Copy, clap::ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand)]
enum Verb {
    Run(run::Args),
    Ask(ask::Args),
    List(list::Args),
    Doctor(doctor::Args),
    Verify(verify::Args),
    Show(show::Args),
    Import(import::Args),
    Install(install::Args),
}

/// The command line for clap.
pub fn command() -> clap::Command {
    let command = help::grouped(questions::added(register::added::<Every>(Cli::command())));
    let help = help::overview(&command);
    command.override_help(help)
}

/// Whether these words are a command line.
fn accepts(words: &[String]) -> Result<(), clap::Error> {
    command().try_get_matches_from(words).map(drop)
}

/// Reads the command line and runs its verb.
pub fn main() -> ExitCode {
    let began = Instant::now();
    program::set(THIS);
    // If a shell asks for its script or for completions, this answers and ends. The script names
    // the program by its name on the path: a script that is installed must outlive this build.
    CompleteEnv::with_factory(command)
        .var(complete::VARIABLE)
        .completer("cupel")
        .shells(shells::ALL)
        .complete();
    cupel_machine::give_memory_back();
    scarce::explain();
    let done = match command().try_get_matches() {
        Ok(found) => run(began, &found),
        Err(error) => return refused(&error),
    };
    match done {
        Ok(Exit::Well) => ExitCode::SUCCESS,
        Ok(Exit::ContenderFailed | Exit::Refuted | Exit::MachineFailed) => ExitCode::from(1),
        Ok(Exit::Undecided) => ExitCode::from(2),
        Ok(Exit::Interrupted) => ExitCode::from(130),
        Ok(Exit::Program(status)) => ExitCode::from(status),
        Err(error) => {
            match error.downcast_ref::<Problem>() {
                // Only a problem has a second line. A name from outside must not start one.
                Some(problem) => {
                    let what = plain(&problem.what);
                    let help = problem.help.as_deref().map(plain);
                    complain(&format!("error: {}", Problem { what, help, ..problem.clone() }));
                }
                None => complain(&plain(&format!("error: {error:#}"))),
            }
            ExitCode::from(3)
        }
    }
}

/// Ends with the message of clap, which has not understood the command line, or was asked for help.
/// clap would exit with 2, which means "undecided" here. A misspelt option in a pipeline must not
/// look like an answer.
fn refused(error: &clap::Error) -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if error.kind() == ErrorKind::DisplayHelp {
        let mut command = command();
        command.build();
        let _ = print(&help::asked(&command, &arguments));
        return ExitCode::SUCCESS;
    }
    if error.kind() == ErrorKind::InvalidSubcommand && is_question(&arguments) {
        let asked: Vec<String> = arguments.iter().map(|word| text::quoted(word)).collect();
        tell(&format!(
            "error: a verb is missing before {}\nhelp: `cupel ask {}` asks this question",
            asked[0],
            asked.join(" ")
        ));
        return ExitCode::from(3);
    }
    let status = if error.use_stderr() { 3 } else { 0 };
    let _ = error.print();
    ExitCode::from(status)
}

/// Whether the first argument is a primitive, where a verb was expected.
fn is_question(arguments: &[String]) -> bool {
    arguments.first().is_some_and(|first| primitives::meant(first).is_some())
}

/// Runs the verb.
fn run(began: Instant, found: &ArgMatches) -> anyhow::Result<Exit> {
    let every = Every::from_arg_matches(found)?;
    let colour = match every.color {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            std::io::stdout().is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        }
    };
    let width = width::of_output();
    let style = Style { colour, verbose: every.verbose, width, ..Style::default() };
    let Every { store, quiet, trust, .. } = every;
    let context = Context { store, quiet, trust, style, began, accepts };
    if let Some(done) = questions::answered(&context, found) {
        return done;
    }
    match Cli::from_arg_matches(found)?.verb {
        Verb::Run(args) => run::run(&context, &args),
        Verb::Ask(args) => ask::run(&context, &args),
        Verb::List(args) => list::run(&context, &args),
        Verb::Doctor(args) => doctor::run(&context, &args),
        Verb::Verify(args) => verify::run(&context, &args),
        Verb::Show(args) => show::run(&context, &args),
        Verb::Import(args) => import::run(&context, &args),
        Verb::Install(args) => install::run(&context, &args),
    }
}

/// Prints an error, folded for a terminal. A reader of a file or a pipe gets whole lines.
fn complain(error: &str) {
    if !std::io::stderr().is_terminal() {
        return tell(error);
    }
    for line in error.lines() {
        let text = line.trim_start();
        tell(&folded(&line[..line.len() - text.len()], text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// clap folds a longer line once more, in the wrong place.
    #[test]
    fn what_stands_below_the_options_fits_80_columns() {
        fn check(command: &clap::Command, below: &mut usize) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines() {
                assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
                *below += 1;
            }
            command.get_subcommands().for_each(|sub| check(sub, below));
        }
        let mut below = 0;
        check(&command(), &mut below);
        assert!(below > 100, "{below} lines: the examples are not there");
    }
}
