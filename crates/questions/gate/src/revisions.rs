//! Two Git revisions as two folders: worktrees in the cache, which are kept and used again.
//!
//! A worktree is like a fresh clone: with its submodules and the content of large files (LFS), and
//! without hooks. The files that choose versions and flags, and that Git ignores, come from the
//! working tree. If something cannot be done, the checkout has a note of it.

use crate::child::{self, Excess};
use crate::places;
use crate::program::{lines, repeat, shell};
use crate::recipe::{CHOOSING, Recipe};
use anyhow::{Context, Result};
use cupel_base::git::git;
use cupel_base::problem::Problem;
use cupel_base::text::count;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

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

/// The file with the recipe of a kept build, or [`FRESH`], or [`BEGUN`]. It is in the worktree, so
/// that both are deleted together.
const BUILT: &str = ".cupel-built";

/// Nothing was built in the worktree yet.
const FRESH: &str = "fresh\n";

/// A build began, and has not ended well: it may have left outputs.
const BEGUN: &str = "begun\n";

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

    /// A note if two checkouts do not differ in exactly the new one's change: they have the same
    /// sources, or the new one lacks commits of the base.
    ///
    /// # Errors
    /// If Git fails.
    pub fn note_of_commits(&self, base: &Checkout, new: &Checkout) -> Result<Option<String>> {
        let Some(of_base) = &base.commit else { return Ok(None) };
        let of_new = match &new.commit {
            Some(commit) => commit.clone(),
            None => git(&self.top, &["rev-parse", "HEAD"])?,
        };
        let (base, new_name) = (&base.revision, &new.revision);
        if *of_base == of_new {
            let is_same =
                new.commit.is_some() || git(&self.top, &["status", "--porcelain"])?.is_empty();
            return Ok(is_same.then(|| {
                format!(
                    "{base} and {new_name} have the same sources: there is no change to measure"
                )
            }));
        }
        let left_out = format!("^{of_new}");
        let lacking = git(&self.top, &["rev-list", "--count", of_base, &left_out])?;
        let lacking: usize = lacking.parse().unwrap_or_default();
        // A clone that is cut off does not know what it lacks.
        let is_cut = git(&self.top, &["rev-parse", "--is-shallow-repository"])? == "true";
        let common = git(&self.top, &["merge-base", of_base, &of_new]);
        let Some(common) = common.ok().filter(|_| lacking > 0 && !is_cut) else { return Ok(None) };
        Ok(Some(format!(
            "{new_name} lacks {} of {base}, as if your change undid this: compare with the commit \
             from which both began, --base-rev {}",
            count(lacking, "commit"),
            &common[..common.len().min(12)],
        )))
    }

    /// A revision, in a worktree below the cache. Its folder has the name of its commit, with this
    /// end: two builds of one commit need two.
    ///
    /// # Errors
    /// If there is no such revision, or Git cannot check it out.
    pub fn check_out(&self, revision: &str, cache: &Path, end: &str) -> Result<Checkout> {
        // A name such as `:/text` ends only with the word, so its commit is a second question. `^name`
        // leaves a commit out.
        let named = git(&self.top, &["rev-parse", "--verify", "--quiet", revision]);
        let commit = named.and_then(|object| {
            let commit = format!("{object}^{{commit}}");
            git(&self.top, &["rev-parse", "--verify", "--quiet", &commit])
        });
        let commit = commit.ok().filter(|commit| !commit.starts_with('^'));
        let Some(commit) = commit else {
            let help = if git(&self.top, &["rev-parse", "--verify", "HEAD"]).is_err() {
                "commit something first: the repository has no commit"
            } else {
                "name a branch, a tag or a commit; if a CI checkout has one commit only, `git fetch` \
                 the other first"
            };
            let what = format!("there is no revision {revision} in {}", self.top.display());
            return Err(Problem::refusal(what, help).into());
        };
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
        checkout.mark(FRESH)
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
        let all =
            folders.iter().flat_map(|folder| CHOOSING.split(' ').map(|name| folder.join(name)));
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

    /// Writes the file with the recipe.
    fn mark(&self, text: &str) -> Result<()> {
        let file = self.top.join(BUILT);
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
    }

    /// Makes the next gate check this out again.
    pub fn forget(&self) {
        if self.commit.is_some() {
            let _ = std::fs::remove_file(self.top.join(BUILT));
        }
    }

    /// Runs the build command, unless this commit was built with it before, and with the same
    /// environment, compilers and lock files. A commit that was built otherwise, or not to the end,
    /// is checked out again: nothing of the other build remains. Without a build command, `run` may
    /// build, too.
    ///
    /// # Errors
    /// If it fails; with its last lines.
    pub fn build(
        &mut self,
        repository: &Repository,
        build: Option<&str>,
        run: &str,
        say: &dyn Fn(&str),
    ) -> Result<Recipe> {
        let mut files = repository.choosing()?;
        files.extend(places::files_outside(build.unwrap_or(run), &self.folder, &self.top));
        let recipe = Recipe::now(build.unwrap_or(run), &self.folder, &files);
        if self.commit.is_some() {
            let before = std::fs::read_to_string(self.top.join(BUILT)).unwrap_or_default();
            let differences = Recipe::of_text(&before).differences(&recipe);
            if differences.is_empty() {
                if build.is_some() {
                    say(&format!("{} was built before", self.revision));
                }
                return Ok(recipe);
            }
            if before != FRESH {
                let why = if before == BEGUN {
                    "its last build did not end well".to_string()
                } else {
                    const NAMED: usize = 4;
                    format!("{} changed", differences[..differences.len().min(NAMED)].join(", "))
                };
                say(&format!("{} is built again, from the beginning: {why}", self.revision));
                repository.fill(self)?;
            }
        }
        if let Some(command) = build {
            if self.commit.is_some() {
                self.mark(BEGUN)?;
            }
            self.run_build(command, say)?;
        }
        if self.commit.is_some() {
            self.note_changes()?;
            self.mark(&recipe.text())?;
        }
        Ok(recipe)
    }

    fn run_build(&self, command: &str, say: &dyn Fn(&str)) -> Result<()> {
        say(&format!("building {}: {command}", self.revision));
        let done = child::run(shell(command, &self.folder), None, Excess::Dropped)
            .with_context(|| format!("cannot run `{command}` in {}", self.folder.display()))?;
        if done.is_well() {
            return Ok(());
        }
        repeat(&lines(&[&done.out[..], &done.err].concat()));
        let folder = self.folder.display();
        let status = done.status.map_or(String::new(), |status| format!(" ({status})"));
        let what =
            format!("{} does not build: `{command}` in {folder} failed{status}", self.revision);
        let help = "run it there by hand, until it ends with status 0";
        Err(Problem::refusal(what, help).into())
    }
}
