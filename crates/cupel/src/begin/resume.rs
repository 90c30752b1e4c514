//! A run that was interrupted goes on, as it was planned: on the same machine, and of the same
//! programs.

use crate::machine::Machine;
use crate::programs;
use crate::store::{Recorded, Store};
use crate::text;
use anyhow::{Result, bail};

/// A suite's run to go on with, and what it has measured so far. `given` is what a person calls the
/// suite, and `name` what the store does.
///
/// # Errors
/// Where there is none, or it cannot go on here.
pub fn resume(store: &Store, name: &str, given: &str) -> Result<Recorded> {
    let Some(run) = store.unfinished(name)? else {
        bail!("no run of {given} is unfinished; leave out --resume");
    };
    let before = store.load(Some(run))?;
    let now = Machine::look();
    if now.fingerprint() != before.machine.fingerprint() {
        bail!(
            "run {run} was begun on another machine ({}); its rounds cannot be continued here",
            before.machine.line()
        );
    }
    if let Some(change) = programs::changed(&before.plan) {
        bail!(
            "run {run} cannot go on: {}; leave out --resume for a run of what is here now",
            text::plain(&change)
        );
    }
    Ok(before)
}
