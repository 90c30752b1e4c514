//! How far each machine is, from the engine and the machine's store.

use super::slurm::Queue;
use super::state::{self, Fleet};
use super::{copy, slurm};
use anyhow::Result;
use cupel_store::{Extent, Store};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// The state of a machine of a fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits in the queue, for this reason.
    Queued(String),
    /// It measures.
    Running,
    /// Its run is finished.
    Finished,
    /// It is not in the queue any more, and its run is not finished. The last line that it printed.
    Stopped(String),
}

/// How far a machine is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Its name.
    pub name: String,
    /// Its state.
    pub state: State,
    /// Its newest run, if it has one.
    pub extent: Option<Extent>,
    /// The processor's model, once it has a run.
    pub cpu: Option<String>,
}

/// How far each machine of a fleet is, in the fleet's order.
///
/// # Errors
/// If a store cannot be copied or read.
pub fn progress(folder: &Path, fleet: &Fleet, queue: &[Queue]) -> Result<Vec<Progress>> {
    let mut all = Vec::new();
    for (position, member) in fleet.members.iter().enumerate() {
        let (mut extent, mut cpu) = (None, None);
        if let Some(copy) = copy::copy(&state::store(folder, member))? {
            let store = Store::open(&copy.path)?;
            extent = store.extents()?.into_iter().next();
            let planned = store.plans(extent.as_ref().map(|extent| extent.run))?;
            cpu = planned.first().and_then(|planned| planned.machine.cpu.known().cloned());
        }
        let finished = extent.as_ref().is_some_and(|extent| extent.finished);
        let queued = queue.iter().find(|queued| queued.position == position);
        let state = match queued {
            // It may still be putting its things away.
            _ if finished => State::Finished,
            Some(queued) if queued.runs() => State::Running,
            Some(queued) => State::Queued(slurm::reason(&queued.reason)),
            None => State::Stopped(last_line(&state::log(folder, position))),
        };
        all.push(Progress { name: member.name.clone(), state, extent, cpu });
    }
    Ok(all)
}

fn end_of(log: &Path) -> std::io::Result<String> {
    const ENOUGH: u64 = 4096;
    let mut file = std::fs::File::open(log)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(ENOUGH)))?;
    let mut bytes = Vec::new();
    file.take(ENOUGH).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The last line of a log that is neither empty nor a remedy.
pub fn last_line(log: &Path) -> String {
    let text = end_of(log).unwrap_or_default();
    let mut lines = text.lines().rev().map(str::trim);
    // The remedy of an error stands below it.
    let said = lines.find(|line| !line.is_empty() && !line.starts_with("help: "));
    said.map_or_else(|| "it printed nothing".to_string(), |line| line.chars().take(300).collect())
}
