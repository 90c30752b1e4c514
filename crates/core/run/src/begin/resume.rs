//! Resumes an interrupted run as it was planned: on the same machine and with the same programs.

use super::lease;
use crate::programs;
use anyhow::{Result, bail};
use cupel_base::disk::Lock;
use cupel_base::home::Home;
use cupel_base::text;
use cupel_machine::Machine;
use cupel_plan::METHOD;
use cupel_store::{Recorded, Store};

/// A run that goes on.
pub struct Resumed {
    /// Its measurements so far.
    pub before: Recorded,
    /// The right to measure it.
    pub lease: Lock,
}

/// Finds the run of a suite to resume. `given` is the user's name for the suite, and `name` the
/// store's.
///
/// # Errors
/// If there is no such run, if another process measures it, or if it cannot go on here.
pub fn resume(home: &Home, store: &Store, name: &str, given: &str) -> Result<Resumed> {
    let Some(run) = store.unfinished(name)? else {
        bail!("no run of {given} is unfinished; leave out --resume");
    };
    // Before the run is loaded: until then, another process may measure more of it.
    let lease = lease(home, store, run)?;
    let before = store.load(Some(run))?;
    if before.run.finished.is_some() {
        bail!("run {run} was finished by another process meanwhile; leave out --resume");
    }
    let now = Machine::look();
    if now.fingerprint() != before.machine.fingerprint() {
        bail!(
            "run {run} was begun on another machine ({}); its rounds cannot be continued here",
            before.machine.line()
        );
    }
    // Two machines of one kind have one fingerprint, but not one speed.
    if now.node != before.machine.node {
        let [begun, here] = [&before.machine.node, &now.node]
            .map(|node| text::plain(node.as_deref().unwrap_or("no node")));
        bail!(
            "run {run} was begun on {begun} of a fleet, and this is {here}; its rounds cannot be \
             continued here"
        );
    }
    if before.plan.method != METHOD {
        bail!(
            "run {run} was begun by a Cupel that measures in another way (method {}, and this is \
             {METHOD}); leave out --resume to measure again",
            before.plan.method
        );
    }
    if let Some(change) = programs::changed(&before.plan) {
        bail!(
            "run {run} cannot go on: {}; leave out --resume to measure what is here now",
            text::plain(&change)
        );
    }
    Ok(Resumed { before, lease })
}
