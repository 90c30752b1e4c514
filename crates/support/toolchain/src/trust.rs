//! Whether the files of contenders in the working directory may choose commands to run. They may
//! have come with whatever the user has just cloned, so the user is asked once about each: it is
//! trusted at its place and as it is.
//!
//! Files of the installation, of `$CUPEL_HOME` and of the configuration folder need no question:
//! the user put them there, or named them.

use anyhow::{Context, Result, bail};
use cupel_base::home::{Home, configuration};
use cupel_base::problem::Problem;
use cupel_base::strange;
use cupel_contender::{Family, Kind};
use cupel_protocol::message::Refusal;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A file of contenders that is not trusted yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stranger {
    /// The file.
    pub path: PathBuf,
    /// The commands that it would have run, in words.
    pub commands: String,
    /// The line that remembers it.
    line: String,
}

/// The agreements, while this process lives.
static AGREED: OnceLock<Agreed> = OnceLock::new();

struct Agreed {
    /// The folders whose files are asked about.
    folders: Vec<PathBuf>,
    /// A line for each file that is trusted as it was when it was asked about. A file that has
    /// changed since, or has come, is not.
    lines: String,
    /// The files that are not trusted.
    refused: Vec<PathBuf>,
}

impl Agreed {
    fn knows(&self, line: &str) -> bool {
        self.lines.lines().any(|known| known == line)
    }
}

/// The remembered line of a trusted file.
fn line(digest: &str, path: &Path) -> String {
    format!("{digest} {}", path.display())
}

/// The files of contenders in or above the working directory that are not trusted yet.
pub fn strangers(home: &Home) -> Vec<Stranger> {
    let trusted = remembered().unwrap_or_default();
    let mut found = Vec::new();
    for folder in home.chanced_upon() {
        let Ok(entries) = std::fs::read_dir(folder.join("contenders")) else { continue };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.into_iter().filter(|path| path.extension().is_some_and(|e| e == "toml")) {
            let Ok(bytes) = strange::bytes(&path, strange::MOST_TEXT) else { continue };
            let line = line(&hex::encode(Sha256::digest(&bytes)), &path);
            if !trusted.lines().any(|known| known == line) {
                let commands = Family::load(&path).map_or_else(|_| String::new(), |f| commands(&f));
                found.push(Stranger { path, commands, line });
            }
        }
    }
    found
}

/// The commands that a family has run, in words.
fn commands(family: &Family) -> String {
    let confined = if family.confined { "" } else { ", not confined" };
    let what = match &family.kind {
        Kind::Program(program) => format!("runs {}", program.command.join(" ")),
        Kind::Native(native) => format!("compiles and runs {}", native.source.display()),
        Kind::Matrix(matrix) => format!("compiles and runs {}", matrix.source.display()),
        Kind::Rust(package) => {
            format!("builds and runs {} of {}", package.package, package.manifest.display())
        }
        Kind::Go(sources) | Kind::Node(sources) | Kind::Python(sources) => {
            format!("builds and runs what is in {}", sources.folder.display())
        }
        Kind::Jvm(jvm) => format!("runs Java with the options {}", jvm.options.join(" ")),
    };
    what + confined
}

/// Trusts these files from now on, until they change.
///
/// # Errors
/// If that cannot be remembered.
pub fn remember(home: &Home, strangers: &[Stranger]) -> Result<()> {
    let folder = configuration()?;
    let path = folder.join("trusted");
    let lines = strangers.iter().fold(String::new(), |mut text, stranger| {
        let _ = writeln!(text, "{}", stranger.line);
        text
    });
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::OpenOptions::new().create(true).append(true).open(&path))
        .and_then(|mut file| file.write_all(lines.as_bytes()))
        .with_context(|| format!("cannot remember in {} what is trusted", path.display()))?;
    agree(home, &[]);
    Ok(())
}

/// From now on, only the remembered files are trusted, and these are not.
fn agree(home: &Home, refused: &[Stranger]) {
    let folders = home.chanced_upon().map(|folder| folder.join("contenders")).collect();
    let refused = refused.iter().map(|stranger| stranger.path.clone()).collect();
    // A second home of the same process has the same working directory.
    let _ = AGREED.set(Agreed { folders, lines: remembered().unwrap_or_default(), refused });
}

fn remembered() -> Result<String> {
    Ok(std::fs::read_to_string(configuration()?.join("trusted"))?)
}

/// These files stay untrusted: nothing that they name is built or run by this process.
///
/// # Errors
/// Also if they are in Cupel's own folder, where its runners are: then nothing can be built.
pub fn refuse(home: &Home, strangers: &[Stranger]) -> Result<()> {
    if let Some(stranger) = strangers.iter().find(|one| one.path.starts_with(&home.root)) {
        bail!("{} is not trusted yet: {REMEDY}", stranger.path.display());
    }
    agree(home, strangers);
    Ok(())
}

/// Requires that no file of the working directory is refused: a run elsewhere cannot ask.
///
/// # Errors
/// If one is.
pub fn require() -> Result<()> {
    match AGREED.get().and_then(|agreed| agreed.refused.first()) {
        Some(path) => bail!("{} is not trusted yet: {REMEDY}", path.display()),
        None => Ok(()),
    }
}

fn is_refused(family: &Family) -> bool {
    let Some(agreed) = AGREED.get() else { return false };
    let is_asked_about = agreed.folders.iter().any(|folder| family.path.parent() == Some(folder));
    is_asked_about && !agreed.knows(&line(&family.digest, &family.path))
}

const REMEDY: &str =
    "read it; if you trust it, --trust lets it, and remembers that until it changes";

/// Why nothing of a family is built or run, if that is so.
pub(crate) fn refusal(family: &Family) -> Option<Refusal> {
    is_refused(family).then(|| Refusal {
        reason: format!("{} is not trusted yet: it {}", family.path.display(), commands(family)),
        remedy: Some(REMEDY.to_string()),
    })
}

/// The refusal as the error of a command that would build and run it.
pub(crate) fn problem(family: &Family) -> Option<Problem> {
    let what = format!("this file is not trusted yet, and it {}", commands(family));
    is_refused(family).then(|| Problem::whole(&family.path, what).help(REMEDY.to_string()))
}
