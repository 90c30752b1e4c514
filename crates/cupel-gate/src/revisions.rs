//! Two Git revisions as two folders: worktrees in the cache, which are kept and used again.

use crate::program::{repeat, shell};
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The repository of the working directory.
#[derive(Clone, Debug)]
pub struct Repository {
    /// Its top folder.
    pub top: PathBuf,
    /// The working directory, below the top folder.
    pub below: PathBuf,
}

/// A revision in a folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkout {
    /// The top folder.
    pub top: PathBuf,
    /// The folder that corresponds to the working directory.
    pub folder: PathBuf,
    /// The revision as it was given, and its commit.
    pub revision: String,
    /// The file that says with which command it was built. The working tree has none: it is built
    /// each time.
    built: Option<PathBuf>,
}

impl Repository {
    /// The repository around this folder.
    ///
    /// # Errors
    /// If there is none, or no Git.
    pub fn around(folder: &Path) -> Result<Repository> {
        let top = git(folder, &["rev-parse", "--show-toplevel"])
            .context("--base-rev compares revisions of the Git repository around this folder")?;
        let below = git(folder, &["rev-parse", "--show-prefix"])?;
        Ok(Repository { top: top.into(), below: below.into() })
    }

    /// The working tree as it is.
    pub fn working_tree(&self) -> Checkout {
        Checkout {
            top: self.top.clone(),
            folder: self.top.join(&self.below),
            revision: "the working tree".to_string(),
            built: None,
        }
    }

    /// A revision, in a worktree below the cache.
    ///
    /// # Errors
    /// If there is no such revision, or Git cannot check it out.
    pub fn check_out(&self, revision: &str, cache: &Path) -> Result<Checkout> {
        let commit = git(
            &self.top,
            &["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")],
        )
        .map_err(|_| {
            anyhow::anyhow!(
                "there is no revision {revision} in {}: `git fetch` it first (a CI checkout may \
                     have one commit only)",
                self.top.display()
            )
        })?;
        let short = &commit[..commit.len().min(12)];
        let digest = hex::encode(&Sha256::digest(self.top.as_os_str().as_encoded_bytes())[..4]);
        let name = self.top.file_name().unwrap_or_default().to_string_lossy();
        let trees = cache.join("gate").join(format!("{name}-{digest}"));
        let top = trees.join(short);
        // A worktree that a CI service restored from its cache belongs to another clone.
        let is_there = top.join(".git").exists()
            && git(&top, &["rev-parse", "HEAD"]).is_ok_and(|head| head == commit);
        if !is_there {
            if top.exists() {
                std::fs::remove_dir_all(&top)
                    .with_context(|| format!("cannot remove {}", top.display()))?;
            }
            std::fs::create_dir_all(&trees)
                .with_context(|| format!("cannot create {}", trees.display()))?;
            let path = top.to_string_lossy();
            // A worktree that was deleted is still registered.
            git(&self.top, &["worktree", "prune"])?;
            git(&self.top, &["worktree", "add", "--quiet", "--detach", &path, &commit])?;
        }
        let is_named = commit.starts_with(revision);
        let revision = if is_named { short.to_string() } else { format!("{revision} ({short})") };
        // In the worktree, so that both are deleted together.
        let built = Some(top.join(".cupel-built"));
        Ok(Checkout { folder: top.join(&self.below), top, revision, built })
    }
}

impl Checkout {
    /// Runs the build command, unless this commit was built with it before.
    ///
    /// # Errors
    /// If it fails; with its last lines.
    pub fn build(&self, command: &str, say: &dyn Fn(&str)) -> Result<()> {
        let before = self.built.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
        if before.as_deref() == Some(command) {
            say(&format!("{} was built before", self.revision));
            return Ok(());
        }
        say(&format!("building {}: {command}", self.revision));
        let done = shell(command, &self.folder)
            .output()
            .with_context(|| format!("cannot run `{command}` in {}", self.folder.display()))?;
        if !done.status.success() {
            repeat(&[&done.stdout[..], &done.stderr].concat());
            let folder = self.folder.display();
            bail!("{} does not build: `{command}` in {folder} failed", self.revision);
        }
        if let Some(file) = &self.built {
            std::fs::write(file, command)
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        Ok(())
    }
}

/// The output of Git, without the end of the line.
fn git(folder: &Path, arguments: &[&str]) -> Result<String> {
    let done = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .context("cannot start git")?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        bail!("`git {}` failed: {}", arguments.join(" "), said.trim());
    }
    Ok(String::from_utf8_lossy(&done.stdout).trim_end_matches('\n').to_string())
}
