//! `cupel fleet status`, `collect` and `cancel`.

use super::folder;
use crate::{self as fleet, Engine, Fleet, Progress, Queue, State, words};
use anyhow::{Result, bail};
use cupel_store::Store;
use cupel_verb::{Context, Exit, print};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long Slurm may take to end the tasks of a job.
const END: Duration = Duration::from_secs(60);

/// Print the progress of each machine
#[derive(clap::Args)]
pub struct Status {
    /// The fleet's folder [default: the newest fleet-* here]
    folder: Option<PathBuf>,
}

/// Merge the stores of all machines into one, including machines that still measure
///
/// If you collect again, Cupel adds only the new rounds. It leaves out a damaged store, and prints
/// the reason.
#[derive(clap::Args)]
pub struct Collect {
    /// The fleet's folder [default: the newest fleet-* here]. Cupel merges the runs into the
    /// folder's collected.sqlite, or into the store that --store names
    folder: Option<PathBuf>,
}

/// End the fleet, and remove the files that only a resumed run needs. Measurements stay
#[derive(clap::Args)]
pub struct Cancel {
    /// The fleet's folder [default: the newest fleet-* here]
    folder: Option<PathBuf>,
}

pub fn status(_context: &Context, args: &Status) -> Result<Exit> {
    let folder = folder(args.folder.as_ref())?;
    let fleet = Fleet::read(&folder)?;
    let progress = fleet::progress(&folder, &fleet, &queue(&folder, &fleet)?)?;
    print(&words::status(&folder, &fleet, &progress))?;
    Ok(exit(&progress))
}

pub fn collect(context: &Context, args: &Collect) -> Result<Exit> {
    let folder = folder(args.folder.as_ref())?;
    let fleet = Fleet::read(&folder)?;
    let path = context.store.clone().unwrap_or_else(|| folder.join("collected.sqlite"));
    let mut store = Store::open(&path)?;
    let collected = fleet::collect(&folder, &fleet, &mut store);
    let progress = fleet::progress(&folder, &fleet, &queue(&folder, &fleet)?);
    print(&words::collected(&path, &collected, progress.as_deref().unwrap_or_default()))?;
    if collected.iter().any(|one| one.imported.is_err()) {
        return Ok(Exit::MachineFailed);
    }
    Ok(exit(&progress?))
}

pub fn cancel(_context: &Context, args: &Cancel) -> Result<Exit> {
    let folder = folder(args.folder.as_ref())?;
    let fleet = Fleet::read(&folder)?;
    let mut left = Vec::new();
    if fleet.engine == Engine::Slurm {
        fleet::cancel(&fleet.jobs)?;
        let began = Instant::now();
        // A task that still writes would put its things back.
        while !fleet::queue(&fleet.jobs)?.is_empty() {
            if began.elapsed() > END {
                bail!("Slurm has not ended the tasks within {} s; try again", END.as_secs());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    } else {
        let Some(_held) = fleet::hold(&folder)? else {
            bail!("{} is being measured in another terminal: press Ctrl-C there", folder.display());
        };
        left = fleet::clear_machines(&folder, &fleet);
    }
    fleet::clear(&folder, &fleet);
    print(&words::cancelled(&folder, &fleet, &left))?;
    Ok(if left.is_empty() { Exit::Well } else { Exit::MachineFailed })
}

/// The queued and the running jobs.
fn queue(folder: &Path, fleet: &Fleet) -> Result<Vec<Queue>> {
    if fleet.engine == Engine::Slurm {
        return fleet::queue(&fleet.jobs);
    }
    Ok(match fleet::hold(folder)? {
        Some(_) => vec![],
        None => (0..fleet.members.len()).map(Queue::running).collect(),
    })
}

fn exit(progress: &[Progress]) -> Exit {
    if progress.iter().any(|one| matches!(one.state, State::Stopped(_))) {
        return Exit::MachineFailed;
    }
    let done = progress.iter().all(|one| one.state == State::Finished);
    if done { Exit::Well } else { Exit::Undecided }
}
