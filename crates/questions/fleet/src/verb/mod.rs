//! `cupel fleet`: one suite on many machines.

mod look;
mod run;

use crate as fleet;
use anyhow::{Context as _, Result, bail};
use clap::{ArgMatches, Args as _, FromArgMatches};
use cupel_verb::{Context, Exit, register};
use std::path::{Path, PathBuf};

/// The verb as the command lists it.
pub const VERB: register::Verb =
    register::Verb { name: "fleet", after: "import", options: Args::augment_args, run };

/// Measure one suite on many machines, by Slurm or through ssh
///
/// A fleet has a folder. Each machine measures into its own store there, and `cupel fleet
/// collect` merges the stores. Cupel has no daemon, and it never asks for a password.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel fleet run sha256                       each node of Slurm's partition
  cupel fleet run sha256 --kinds -- --forks 11 a node of each kind
  cupel fleet run sha256 --ssh hosts.toml      the machines in a file, by ssh
  cupel fleet status                           the progress of each machine
  cupel fleet collect                          merge the stores, at any time

With Slurm, the fleet's folder must be on a file system that the nodes share.
docs/guide/fleet.md explains hosts.toml, and what to do in a CI matrix.

Exit status: 0 all machines are finished (run: submitted); 1 a machine stopped
before its run was finished; 2 some machines still wait or measure (status,
collect); 3 an error; 130 interrupted.")]
struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    Run(Box<run::Args>),
    Status(look::Status),
    Collect(look::Collect),
    Cancel(look::Cancel),
    #[command(hide = true)]
    Task(Task),
}

/// Measure one machine's part of a fleet: Slurm starts this
#[derive(clap::Args)]
struct Task {
    /// The fleet's folder
    folder: PathBuf,
}

fn run(context: &Context, found: &ArgMatches) -> Result<Exit> {
    match &Args::from_arg_matches(found)?.verb {
        Verb::Run(args) => run::run(context, args),
        Verb::Status(args) => look::status(context, args),
        Verb::Collect(args) => look::collect(context, args),
        Verb::Cancel(args) => look::cancel(context, args),
        Verb::Task(args) => task(&args.folder),
    }
}

fn task(folder: &Path) -> Result<Exit> {
    let position = slurms("SLURM_ARRAY_TASK_ID")?;
    let position = position.parse().context("SLURM_ARRAY_TASK_ID is not a number")?;
    Ok(match fleet::task(folder, position, &slurms("SLURMD_NODENAME")?)? {
        fleet::Ended::Finished => Exit::Well,
        fleet::Ended::Unfinished => Exit::MachineFailed,
    })
}

/// A variable that Slurm sets for a task.
fn slurms(name: &str) -> Result<String> {
    std::env::var(name).with_context(|| format!("{name} is not set: only Slurm starts this verb"))
}

/// The fleet's folder: the one that was given, else the folder of the fleet here that began or was
/// resumed last.
fn folder(given: Option<&PathBuf>) -> Result<PathBuf> {
    if let Some(given) = given {
        return Ok(given.clone());
    }
    let paths = std::fs::read_dir(".")?.flatten().map(|entry| entry.path());
    let fleets = paths.filter_map(|path| {
        let is_fleet = path.file_name()?.to_str()?.starts_with("fleet-");
        let began = path.join("fleet.toml").metadata().ok()?.modified().ok()?;
        is_fleet.then_some((began, path))
    });
    match fleets.max() {
        Some((_, path)) => Ok(path.strip_prefix(".").map(Path::to_path_buf).unwrap_or(path)),
        None => bail!(
            "there is no folder fleet-* here: begin one with `cupel fleet run SUITE`, or give its \
             folder"
        ),
    }
}
