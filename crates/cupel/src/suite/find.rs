//! Finds the suite that the user names, and adapts it to this machine.

use super::{Group, Suite};
use crate::home::Home;
use crate::problem::{Written, did_you_mean};
use crate::toolchain::newest;
use anyhow::{Result, bail};

impl Suite {
    /// Finds a suite by its name or path, and replaces `@newest` in it by the newest JDK of this
    /// machine.
    ///
    /// # Errors
    /// If there is no such suite, with the nearest name; or the first mistake in it.
    pub fn find(home: &Home, name: &str) -> Result<Suite> {
        let path = home.suite(name);
        if path.is_dir() {
            bail!("{} is a folder; name one suite", path.display());
        }
        if !path.is_file() {
            let known = home.suites();
            let help = did_you_mean(name, known.iter().map(String::as_str), Written::Word)
                .unwrap_or_else(|| format!("there are {}", known.join(", ")));
            bail!("there is no suite {name}: {help}");
        }
        let suite = Suite::load(&path)?;
        let on_newest = newest::namer(home);
        let workloads = suite.workloads.into_iter().map(|group| Group {
            contenders: group.contenders.into_iter().map(&on_newest).collect(),
            baseline: group.baseline.into_iter().map(&on_newest).collect(),
            ..group
        });
        Ok(Suite { name: home.suite_name(name), workloads: workloads.collect(), ..suite })
    }
}
