//! The suite that the user names, adapted to this machine.

use anyhow::Result;
use cupel_base::home::Home;
use cupel_suite::{Group, Suite};
use cupel_toolchain::newest;

/// Finds a suite by its name or path, and replaces `@newest` in it by the newest JDK of this
/// machine, or the newest Go, Node.js or Python.
///
/// # Errors
/// If there is no such suite, with the nearest name; or the first mistake in it.
pub fn find_suite(home: &Home, name: &str) -> Result<Suite> {
    let suite = Suite::find(home, name)?;
    let on_newest = newest::namer(home);
    let workloads = suite.workloads.into_iter().map(|group| Group {
        contenders: group.contenders.into_iter().flat_map(&on_newest).collect(),
        baseline: group.baseline.into_iter().flat_map(&on_newest).collect(),
        ..group
    });
    Ok(Suite { workloads: workloads.collect(), ..suite })
}
