//! The only place that starts Git.
//!
//! Git gives its hooks variables that name the repository, its index and its objects, and
//! `git commit -a` has an index that only this commit uses. A Git that gets them acts on that
//! repository, whatever its folder is: a worktree that a gate adds in a hook would replace the
//! content of the commit. So no Git, build or benchmark that Cupel starts for a gate gets them.

use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// The variables of one repository, as `git rev-parse --local-env-vars` lists them in any version.
pub const OF_ONE_REPOSITORY: [&str; 19] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Keeps these variables from a command.
pub fn forget_repository(command: &mut Command) {
    for name in OF_ONE_REPOSITORY {
        command.env_remove(name);
    }
}

/// Git in a folder. It runs no hook: a fresh clone has none.
fn command(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(["-c", "core.hooksPath=/dev/null"]).stdin(Stdio::null());
    forget_repository(&mut git);
    git
}

/// The output of Git, without the end of the line.
///
/// # Errors
/// If there is no Git, or it fails; with its own words.
pub fn git<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Result<String> {
    let done = command(folder).args(arguments).output().context("cannot start git")?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let words: Vec<_> = arguments.iter().map(|word| word.as_ref().to_string_lossy()).collect();
        bail!("`git {}` failed: {}", words.join(" "), said.trim());
    }
    Ok(String::from_utf8_lossy(&done.stdout).trim_end_matches('\n').to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_that_this_git_lists_is_forgotten() {
        let Ok(listed) = git(Path::new("."), &["rev-parse", "--local-env-vars"]) else { return };
        assert!(listed.lines().count() > 5, "{listed}");
        for name in listed.lines() {
            assert!(OF_ONE_REPOSITORY.contains(&name), "{name}");
        }
    }
}
