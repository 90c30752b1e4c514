//! The work of a Slurm task on its node: it begins the run or continues it.

use super::state::{self, Fleet};
use anyhow::{Context, Result, bail};
use cupel_machine::NODE;
use cupel_store::Store;
use std::path::Path;
use std::process::{Command, Stdio};

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Its run is finished.
    Finished,
    /// Its run is not finished.
    Unfinished,
}

/// Measures one machine's part of a fleet, on that machine. `node` is the name of the node as Slurm
/// has it: of several nodes on one machine, all have its host name.
///
/// # Errors
/// If the task is not for this node, or the tool does not start.
pub fn task(folder: &Path, position: usize, node: &str) -> Result<Ended> {
    let fleet = Fleet::read(folder)?;
    let member = fleet.members.get(position).with_context(|| {
        format!("fleet.toml has {} machines, and this is task {position}", fleet.members.len())
    })?;
    if member.name != node {
        bail!(
            "task {position} is for the node {}, and this is {node}: submit it with `cupel fleet run`",
            member.name
        );
    }
    let (below, store) = (state::below(folder, member), state::store(folder, member));
    let (cache, temporary) = (below.join("cache"), below.join("tmp"));
    std::fs::create_dir_all(&temporary)
        .with_context(|| format!("cannot write {}", below.display()))?;
    let resume = match is_finished(&store)? {
        Some(true) => return Ok(Ended::Finished),
        other => other.is_some(),
    };
    let again = ["--resume".to_string()];
    // Slurm ends a task with SIGTERM, which its run hears too. The run ends its round; this waits.
    ctrlc::set_handler(|| {})?;
    let mut run = Command::new(state::tool(folder));
    run.args(["--quiet", "run", &fleet.suite, "--store"])
        .arg(&store)
        .args(if resume { &again[..] } else { &fleet.arguments[..] })
        .current_dir(&fleet.began_in)
        .stdin(Stdio::null())
        // The cache is in the fleet's folder: a requeued run needs its programs where they were,
        // and nothing is left on the node, however the task ends.
        .env("CUPEL_CACHE", &cache)
        .env("CUPEL_DATA", &below)
        .env("TMPDIR", &temporary)
        // The fleet was begun only if it was trusted there, which this node need not know.
        .env("CUPEL_TRUST", "1")
        .env(NODE, node)
        .envs(&member.environment);
    if let Some(home) = &fleet.home {
        run.env("CUPEL_HOME", home);
    }
    run.status().context("cannot start the tool")?;
    if is_finished(&store)? != Some(true) {
        return Ok(Ended::Unfinished);
    }
    for folder in [cache, temporary] {
        let _ = std::fs::remove_dir_all(folder);
    }
    Ok(Ended::Finished)
}

/// Whether the newest run of a store is finished; `None` without a run.
pub fn is_finished(store: &Path) -> Result<Option<bool>> {
    if !store.exists() {
        return Ok(None);
    }
    let extents = Store::open(store)?.extents()?;
    Ok(extents.first().map(|extent| extent.finished))
}
