//! Two Git revisions as two folders: worktrees in the cache, which are kept and used again.
//!
//! A worktree is like a fresh clone: with its submodules and the content of large files (LFS), and
//! without hooks. The files that choose versions and flags, and that Git ignores, come from the
//! working tree. If something cannot be done, the checkout has a note of it.

use crate::child::{self, Excess};
use crate::program::{lines, repeat, shell};
use crate::recipe::{CHOOSING, Recipe, chosen_target};
use anyhow::{Context, Result};
use cupel_base::git::git;
use cupel_base::problem::Problem;
use cupel_base::text::count;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

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
    /// The commit of a worktree of the cache. The working tree has none: it is built each time.
    commit: Option<String>,
    /// The parts of a fresh clone that this lacks, in sentences.
    pub notes: Vec<String>,
}

/// The file with the recipe of a kept build; empty before it is built. It is in the worktree, so
/// that both are deleted together.
const BUILT: &str = ".cupel-built";

/// The file with a digest of all changes to tracked files of a worktree that was just built. A
/// benchmark may change them, and the next gate would measure other sources.
const CHANGES: &str = ".cupel-changes";

/// The remedy if a worktree cannot be written.
const WRITABLE: &str = "see whether the cache can be written and has room, or name a folder elsewhere \
                        in CUPEL_CACHE";

/// A file that Git LFS has not replaced by its content begins so.
const POINTER: &str = "version https://git-lfs.github.com/spec/v1";

impl Repository {
    /// The repository around this folder.
    ///
    /// # Errors
    /// If there is none, or no Git.
    pub fn around(folder: &Path) -> Result<Repository> {
        let top = git(folder, &["rev-parse", "--show-toplevel"]).map_err(|e| {
            let what = "--base-rev compares revisions of the Git repository around this folder";
            let help = "run it inside a repository, or give two commands: --base and --new";
            Problem::refusal(format!("{what}: {e:#}"), help)
        })?;
        let below = git(folder, &["rev-parse", "--show-prefix"])?;
        Ok(Repository { top: top.into(), below: below.into() })
    }

    /// The working tree as it is.
    pub fn working_tree(&self) -> Checkout {
        Checkout {
            top: self.top.clone(),
            folder: self.top.join(&self.below),
            revision: "the working tree".to_string(),
            commit: None,
            notes: Vec::new(),
        }
    }

    /// Whether files that Git tracks have changes that are not committed.
    ///
    /// # Errors
    /// If Git fails.
    pub fn has_uncommitted(&self) -> Result<bool> {
        let changes = git(&self.top, &["status", "--porcelain", "--untracked-files=no"])?;
        Ok(!changes.is_empty())
    }

    /// A revision, in a worktree below the cache. Its folder has the name of its commit, with this
    /// end: two builds of one commit need two.
    ///
    /// # Errors
    /// If there is no such revision, or Git cannot check it out.
    pub fn check_out(&self, revision: &str, cache: &Path, end: &str) -> Result<Checkout> {
        // A name such as `:/text` ends only with the word, so its commit is a second question.
        let named = git(&self.top, &["rev-parse", "--verify", "--quiet", revision]);
        let commit = named.and_then(|object| {
            let commit = format!("{object}^{{commit}}");
            git(&self.top, &["rev-parse", "--verify", "--quiet", &commit])
        });
        let commit = commit.map_err(|_| {
            Problem::refusal(
                format!("there is no revision {revision} in {}", self.top.display()),
                "`git fetch` it first (a CI checkout may have one commit only)",
            )
        })?;
        let short = &commit[..commit.len().min(12)];
        let digest = hex::encode(&Sha256::digest(self.top.as_os_str().as_encoded_bytes())[..4]);
        let name = self.top.file_name().unwrap_or_default().to_string_lossy();
        let top = cache.join("gate").join(format!("{name}-{digest}"));
        let top = top.join(format!("{short}{end}"));
        let is_named = commit.starts_with(revision);
        let revision = if is_named { short.to_string() } else { format!("{revision} ({short})") };
        let folder = top.join(&self.below);
        let mut checkout =
            Checkout { folder, top, revision, commit: Some(commit.clone()), notes: Vec::new() };
        // A worktree that a CI service restored from its cache belongs to another clone.
        let is_there = checkout.top.join(BUILT).exists()
            && checkout.top.join(".git").exists()
            && git(&checkout.top, &["rev-parse", "HEAD"]).is_ok_and(|head| head == commit);
        let is_changed = is_there && !checkout.is_unchanged();
        if !is_there || is_changed || !self.has_parts_of(&checkout.top) {
            self.fill(&checkout)?;
        }
        if !checkout.folder.is_dir() {
            let what = format!("{} has no folder {}", checkout.revision, self.below.display());
            let help = "run the gate in a folder that both revisions have, and let --run change to \
                        the folder of each";
            return Err(Problem::refusal(what, help).into());
        }
        checkout.notes = self.lacking(&checkout)?;
        if is_changed {
            let what = "was checked out again, because files that Git tracks had changed in it";
            checkout.notes.push(format!("{} {what}", checkout.revision));
        }
        Ok(checkout)
    }

    /// Makes the worktree of a checkout. One that is there is replaced.
    fn fill(&self, checkout: &Checkout) -> Result<()> {
        let Checkout { top, commit: Some(commit), .. } = checkout else { return Ok(()) };
        if top.exists() {
            std::fs::remove_dir_all(top)
                .with_context(|| format!("cannot remove {}", top.display()))?;
        }
        add_worktree(&self.top, top, commit)?;
        add_submodules(&self.top, top)?;
        self.copy_large_files(top)?;
        self.copy_choosing(checkout)?;
        checkout.note_changes()?;
        // All of it is there: an interrupted checkout lacks this.
        let file = top.join(BUILT);
        std::fs::write(&file, "").with_context(|| format!("cannot write {}", file.display()))
    }

    /// Whether a worktree has every part that the working tree has: a submodule, the content of a
    /// large file or a folder outside of a sparse checkout may be newer.
    fn has_parts_of(&self, top: &Path) -> bool {
        let sparse = [&*self.top, top].map(|top| git(top, &["sparse-checkout", "list"]).ok());
        if sparse[0] != sparse[1] || self.large_files(top).is_ok_and(|files| !files.is_empty()) {
            return false;
        }
        let is_known = |path: &&String| {
            let entry = git(top, &["ls-files", "--stage", "--", path]);
            is_checked_out(&self.top, path) && entry.is_ok_and(|entry| entry.starts_with("160000 "))
        };
        submodules(top).iter().filter(is_known).all(|path| is_checked_out(top, path))
    }

    /// Fills in the files that Git LFS left out, if their content is here.
    fn copy_large_files(&self, top: &Path) -> Result<()> {
        for (file, object) in self.large_files(top)? {
            // Those that cannot be copied are reported later.
            let _ = std::fs::copy(object, file);
        }
        Ok(())
    }

    /// The files that Git LFS left out in a worktree, and their content, if it is here.
    fn large_files(&self, top: &Path) -> Result<Vec<(PathBuf, PathBuf)>> {
        let common = PathBuf::from(git(&self.top, &["rev-parse", "--git-common-dir"])?);
        let objects = self.top.join(common).join("lfs/objects");
        let with_content = pointers(top).into_iter().filter_map(|file| {
            let text = std::fs::read_to_string(&file).ok()?;
            let id = text.lines().find_map(|line| line.strip_prefix("oid sha256:"))?;
            let parts = id.get(..2).zip(id.get(2..4)).filter(|_| id.len() == 64);
            let object = objects.join(parts?.0).join(parts?.1).join(id);
            object.is_file().then_some((file, object))
        });
        Ok(with_content.collect())
    }

    /// Copies the lock files and the like that only the working tree has.
    fn copy_choosing(&self, checkout: &Checkout) -> Result<()> {
        for from in self.choosing()? {
            let to = checkout.top.join(from.strip_prefix(&self.top).unwrap_or(&from));
            let Some(folder) = to.parent().filter(|_| !to.exists()) else { continue };
            std::fs::create_dir_all(folder)
                .and_then(|()| std::fs::copy(&from, &to).map(drop))
                .with_context(|| format!("cannot write {}", to.display()))?;
        }
        Ok(())
    }

    /// The files of the working tree that choose versions and flags, and that Git does not know.
    fn choosing(&self) -> Result<Vec<PathBuf>> {
        let folders = BTreeSet::from([self.top.clone(), self.top.join(&self.below)]);
        let all = folders.iter().flat_map(|folder| CHOOSING.map(|name| folder.join(name)));
        let mut own = Vec::new();
        for file in all.filter(|file| file.is_file()) {
            let words = ["ls-files", "--"].map(OsStr::new);
            if git(&self.top, &[&words[..], &[file.as_os_str()]].concat())?.is_empty() {
                own.push(file);
            }
        }
        Ok(own)
    }

    /// The parts of a fresh clone that a worktree lacks.
    fn lacking(&self, checkout: &Checkout) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        let revision = &checkout.revision;
        if git(&self.top, &["config", "--bool", "core.sparseCheckout"]).is_ok_and(|on| on == "true")
        {
            notes.push(format!(
                "{revision}: the working tree is a sparse checkout, so this has the same part only"
            ));
        }
        let left = pointers(&checkout.top);
        if let Some(first) = left.first() {
            let name = first.strip_prefix(&checkout.top).unwrap_or(first).display();
            notes.push(format!(
                "{revision}: {} of Git LFS without their content, such as {name}: `git lfs fetch \
                 --all` brings it",
                count(left.len(), "file")
            ));
        }
        for path in submodules(&checkout.top) {
            let is_empty = std::fs::read_dir(checkout.top.join(&path))
                .map_or(true, |mut entries| entries.next().is_none());
            if is_empty {
                notes.push(format!(
                    "{revision}: the submodule {path} is empty: the working tree has none there"
                ));
            }
        }
        for base in self.top.ancestors().skip(1) {
            let config = base.join(".cargo/config.toml");
            let is_for_all = checkout.top.starts_with(base);
            if config.is_file() && !is_for_all {
                notes
                    .push(format!("{revision}: {} is for the working tree only", config.display()));
            }
        }
        Ok(notes)
    }
}

/// Adds a worktree of a repository, and nothing else: `git worktree prune` could forget one of the
/// user's that is on a disk that is not mounted.
fn add_worktree(repository: &Path, top: &Path, commit: &str) -> Result<()> {
    if let Some(folder) = top.parent() {
        std::fs::create_dir_all(folder).map_err(|e| {
            Problem::refusal(format!("cannot create {}: {e}", folder.display()), WRITABLE)
        })?;
    }
    // A worktree that was deleted is still registered; --force takes its place.
    let words = ["worktree", "add", "--quiet", "--force", "--detach"].map(OsStr::new);
    git(repository, &[&words[..], &[top.as_os_str(), OsStr::new(commit)]].concat())
        .map_err(|e| Problem::refusal(format!("{e:#}"), WRITABLE))?;
    Ok(())
}

/// Gives a worktree the submodules that the working tree has, each as a worktree of that one.
fn add_submodules(from: &Path, to: &Path) -> Result<()> {
    for path in submodules(to) {
        let own = from.join(&path);
        if !is_checked_out(from, &path) {
            continue;
        }
        let entry = git(to, &["ls-files", "--stage", "--", &path])?;
        let Some(commit) = entry.strip_prefix("160000 ").and_then(|rest| rest.split(' ').next())
        else {
            continue;
        };
        let target = to.join(&path);
        if add_worktree(&own, &target, commit).is_err() {
            // The revision may need a commit that the working tree's does not have yet.
            git(&own, &["fetch", "--quiet", "origin", commit])
                .and_then(|_| add_worktree(&own, &target, commit))
                .map_err(|e| {
                    let what = format!("the submodule {path} cannot be checked out: {e:#}");
                    Problem::refusal(
                        what,
                        "`git submodule update --init` or `git fetch` in it first",
                    )
                })?;
        }
        add_submodules(&own, &target)?;
    }
    Ok(())
}

/// Whether a worktree has the content of a submodule.
fn is_checked_out(top: &Path, submodule: &str) -> bool {
    top.join(submodule).join(".git").exists()
}

/// The paths of a worktree's submodules.
fn submodules(top: &Path) -> Vec<String> {
    let file = top.join(".gitmodules");
    if !file.is_file() {
        return Vec::new();
    }
    let words = ["config", "--file", ".gitmodules", "--get-regexp", r"^submodule\..*\.path$"];
    let listed = git(top, &words).unwrap_or_default();
    listed.lines().filter_map(|line| line.split_once(' ')).map(|(_, path)| path.into()).collect()
}

/// The files of a worktree that Git LFS has not replaced by their content.
fn pointers(top: &Path) -> Vec<PathBuf> {
    let has_large = ["grep", "--quiet", "filter=lfs", "--", ".gitattributes", "*/.gitattributes"];
    if git(top, &has_large).is_err() {
        return Vec::new();
    }
    let listed = git(top, &["grep", "-l", "-z", &format!("^{POINTER}")]).unwrap_or_default();
    let names = listed.split('\0').filter(|name| !name.is_empty());
    names.map(|name| top.join(name)).filter(|file| is_pointer(file)).collect()
}

fn is_pointer(file: &Path) -> bool {
    const LONGEST: u64 = 1024;
    let is_short = file.metadata().is_ok_and(|about| about.len() <= LONGEST);
    is_short && std::fs::read_to_string(file).is_ok_and(|text| text.starts_with(POINTER))
}

impl Checkout {
    /// A digest of the tracked files that are not as they were committed.
    fn changes(&self) -> Result<String> {
        let words = ["diff", "HEAD", "--name-only", "-z", "--ignore-submodules=none"];
        let listed = git(&self.top, &words)?;
        let mut digest = Sha256::new();
        for name in listed.split('\0').filter(|name| !name.is_empty()) {
            digest.update(name);
            // A submodule is a folder, and a deleted file is none.
            if let Ok(file) = std::fs::File::open(self.top.join(name)) {
                let mut file = BufReader::new(file);
                while let Some(part) = file.fill_buf().ok().filter(|part| !part.is_empty()) {
                    digest.update(part);
                    let count = part.len();
                    file.consume(count);
                }
            }
        }
        Ok(hex::encode(digest.finalize()))
    }

    /// Notes them.
    fn note_changes(&self) -> Result<()> {
        let file = self.top.join(CHANGES);
        std::fs::write(&file, self.changes()?)
            .with_context(|| format!("cannot write {}", file.display()))
    }

    /// Whether they are as they were noted.
    fn is_unchanged(&self) -> bool {
        let noted = std::fs::read_to_string(self.top.join(CHANGES));
        noted.is_ok_and(|noted| self.changes().is_ok_and(|now| now == noted))
    }

    /// Runs the build command, unless this commit was built with it before, and with the same
    /// environment, compilers and lock files. A commit that was built otherwise is checked out
    /// again: nothing of the other build remains.
    ///
    /// # Errors
    /// If it fails; with its last lines.
    pub fn build(
        &mut self,
        repository: &Repository,
        command: &str,
        say: &dyn Fn(&str),
    ) -> Result<Recipe> {
        let recipe = Recipe::now(command, &self.folder, &repository.choosing()?);
        let file = self.top.join(BUILT);
        if self.commit.is_some()
            && let Ok(before) = std::fs::read_to_string(&file)
            && !before.is_empty()
        {
            let differences = Recipe::of_text(&before).differences(&recipe);
            if differences.is_empty() {
                say(&format!("{} was built before", self.revision));
                return Ok(recipe);
            }
            const NAMED: usize = 4;
            let named = differences[..differences.len().min(NAMED)].join(", ");
            say(&format!("{} is built again, from the beginning: {named} changed", self.revision));
            repository.fill(self)?;
        }
        say(&format!("building {}: {command}", self.revision));
        let done = child::run(shell(command, &self.folder), None, Excess::Dropped)
            .with_context(|| format!("cannot run `{command}` in {}", self.folder.display()))?;
        if !done.is_well() {
            repeat(&lines(&[&done.out[..], &done.err].concat()));
            let folder = self.folder.display();
            let status = done.status.map_or(String::new(), |status| format!(" ({status})"));
            let what =
                format!("{} does not build: `{command}` in {folder} failed{status}", self.revision);
            let help = "run it there by hand, until it ends with status 0";
            return Err(Problem::refusal(what, help).into());
        }
        if self.commit.is_some() {
            self.note_changes()?;
            std::fs::write(&file, recipe.text())
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        Ok(recipe)
    }
}

/// The words of commands that begin with a slash: files that both builds might write.
pub struct Outside(Vec<(PathBuf, Option<(SystemTime, u64)>)>);

impl Outside {
    /// As they are now. Those in one of the folders are not outside.
    pub fn now(commands: &[&str], folders: &[&Path]) -> Outside {
        let paths = commands.iter().flat_map(|command| absolute_paths(command));
        let outside = paths.filter(|path| !folders.iter().any(|folder| path.starts_with(folder)));
        let now = |path: PathBuf| {
            let about = path.metadata().ok().filter(std::fs::Metadata::is_file);
            let state = about.and_then(|about| Some((about.modified().ok()?, about.len())));
            (path, state)
        };
        Outside(outside.map(now).collect())
    }

    /// The first one that is not as it was before.
    pub fn changed(&self, before: &Outside) -> Option<&Path> {
        let pairs = self.0.iter().zip(&before.0);
        let mut changed = pairs.filter(|(now, before)| now.1.is_some() && now.1 != before.1);
        changed.next().map(|(now, _)| now.0.as_path())
    }
}

/// Refuses commands of both builds that name the working tree: in the folder of a revision, they
/// would build or run the working tree's files.
///
/// # Errors
/// If one does.
pub fn refuse_working_tree(top: &Path, commands: &[&str]) -> Result<()> {
    let Some(command) = commands.iter().find(|command| names(command, top)) else { return Ok(()) };
    let what = format!("`{command}` names the working tree, so both builds would be that one");
    let help = "name files from the folder of the build (./bench), and copy a script that both \
                builds use out of the repository";
    Err(Problem::refusal(what, help).into())
}

/// Whether a command names a folder or something in it: by the path itself, which may have spaces,
/// or by another path that leads there.
fn names(command: &str, folder: &Path) -> bool {
    let path = folder.to_string_lossy();
    let written = command.match_indices(&*path).any(|(at, _)| {
        let before = command[..at].chars().next_back();
        let after = command[at + path.len()..].chars().next();
        before.is_none_or(divides) && after.is_none_or(|c| divides(c) || c == '/')
    });
    let leads_there = |path: PathBuf| {
        let there = path.ancestors().find_map(|part| part.canonicalize().ok());
        there.is_some_and(|there| there.starts_with(folder))
    };
    written || absolute_paths(command).any(leads_there)
}

/// Whether a character divides the words of a shell.
fn divides(c: char) -> bool {
    c.is_whitespace() || "=\"'();&|<>:".contains(c)
}

/// The words of a command that begin with a slash.
fn absolute_paths(command: &str) -> impl Iterator<Item = PathBuf> {
    let words = command.split(divides);
    words.filter(|word| word.starts_with(std::path::is_separator)).map(PathBuf::from)
}

/// Refuses two builds whose Cargo would write into one folder.
///
/// # Errors
/// If they do.
pub fn refuse_shared_target(folders: [&Path; 2], commands: &[&str]) -> Result<()> {
    let help = "give each its own: unset CARGO_TARGET_DIR, and leave [build] target-dir and \
                --target-dir out for the gate";
    for word in ["--target-dir /", "--target-dir=/", "CARGO_TARGET_DIR=/"] {
        if commands.iter().any(|command| command.contains(word)) {
            let what = "both builds would share the target folder that the command names";
            return Err(Problem::refusal(what, help).into());
        }
    }
    let is_cargos = folders[0].ancestors().any(|folder| folder.join("Cargo.toml").is_file())
        || commands.iter().any(|command| command.to_lowercase().contains("cargo"));
    let [base, new] = folders.map(chosen_target);
    if is_cargos && base.is_some() && base == new {
        let shared = base.unwrap_or_default();
        let what = format!("both builds would share the target folder {}", shared.display());
        return Err(Problem::refusal(what, help).into());
    }
    Ok(())
}
