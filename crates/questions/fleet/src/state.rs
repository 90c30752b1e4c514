//! The description of a fleet in its folder: `fleet.toml`, and where everything else is.

use anyhow::{Context, Result, bail};
use cupel_base::disk::{Lock, write_whole};
use cupel_base::problem::{Problem, text_of};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The version of `fleet.toml`. A tool with another version rejects the file.
const VERSION: u32 = 1;

/// The program that starts the tool on the machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// A job array of Slurm.
    Slurm,
    /// The user's ssh.
    Ssh,
}

/// A fleet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fleet {
    /// Version of this file.
    version: u32,
    /// The suite, as the user named it.
    pub suite: String,
    /// More arguments for `cupel run`.
    pub arguments: Vec<String>,
    /// The version of the tool that measures.
    pub tool: String,
    /// The program that starts it.
    pub engine: Engine,
    /// Where the suite is on a machine that ssh reaches, from its private folder; absent if the
    /// suite comes with the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suite_file: Option<String>,
    /// `CUPEL_HOME` on the machines; absent if the tool brings its own files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<PathBuf>,
    /// The working directory in which the fleet began: relative names start there.
    pub began_in: PathBuf,
    /// Options for `sbatch`, such as `--partition=fast`.
    #[serde(default)]
    pub sbatch: Vec<String>,
    /// Slurm's jobs, the last one last.
    #[serde(default)]
    pub jobs: Vec<String>,
    /// The machines. A task's number is the position in this list, from 0.
    #[serde(rename = "machine")]
    pub members: Vec<Member>,
}

/// A machine of a fleet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// The name of its node, or the one in `hosts.toml`. Also the name of its folder.
    pub name: String,
    /// Variables of the environment for its run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// How ssh reaches it; absent with Slurm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
}

/// How ssh reaches a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The address, as ssh takes it: `user@address` or a name of the user's configuration.
    pub address: String,
    /// Options for ssh.
    #[serde(default)]
    pub options: Vec<String>,
    /// The tool for this machine, if it is not the one that runs here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<PathBuf>,
    /// `CUPEL_HOME` there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// The folder in which the private one is made; absent for `$TMPDIR` or `/tmp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

impl Fleet {
    /// A fleet that has not begun.
    pub fn new(engine: Engine, suite: &str, arguments: &[String], members: Vec<Member>) -> Fleet {
        Fleet {
            version: VERSION,
            suite: suite.to_string(),
            arguments: arguments.to_vec(),
            tool: env!("CARGO_PKG_VERSION").to_string(),
            engine,
            suite_file: None,
            home: None,
            began_in: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            sbatch: vec![],
            jobs: vec![],
            members,
        }
    }

    /// Reads the fleet of a folder.
    ///
    /// # Errors
    /// If there is none, or its file has a mistake, with the line.
    pub fn read(folder: &Path) -> Result<Fleet> {
        let path = file(folder);
        if !path.is_file() {
            bail!(
                "{} has no fleet.toml: give the folder that `cupel fleet run` printed",
                folder.display()
            );
        }
        let text = text_of(&path)?;
        let fleet: Fleet = toml::from_str(&text).map_err(|e| {
            // A later version may have other keys: its number explains more than an unknown key.
            let version = toml::from_str::<toml::Table>(&text)
                .ok()
                .and_then(|table| table.get("version")?.as_integer());
            match version {
                Some(found) if found != i64::from(VERSION) => later(&path, found),
                _ => Problem::of_toml(&path, &text, &e),
            }
        })?;
        if fleet.version != VERSION {
            return Err(later(&path, i64::from(fleet.version)).into());
        }
        for member in &fleet.members {
            if let Err(what) = check_name(&member.name) {
                return Err(Problem::whole(&path, what).into());
            }
        }
        Ok(fleet)
    }

    /// Writes the file. An earlier one stays whole until the new one is.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = file(folder);
        let text = format!(
            "# Written by `cupel fleet`. `cupel fleet status` and `cupel fleet collect` read it.\n{}",
            toml::to_string(self)?
        );
        Ok(write_whole(&path, text)?)
    }
}

fn later(path: &Path, found: i64) -> Problem {
    Problem::whole(path, format!("this file has version {found}, and this cupel knows {VERSION}"))
        .help("use the version of cupel that began the fleet")
}

fn file(folder: &Path) -> PathBuf {
    folder.join("fleet.toml")
}

/// The tool's copy in a fleet's folder.
pub fn tool(folder: &Path) -> PathBuf {
    folder.join("cupel")
}

/// The script that Slurm starts.
pub fn script(folder: &Path) -> PathBuf {
    folder.join("task.sh")
}

/// The suite that is sent to machines that ssh reaches.
pub fn suite(folder: &Path) -> PathBuf {
    folder.join("suite.toml")
}

/// The right to measure through ssh, which one process has at a time; `None` if another has it.
///
/// # Errors
/// If the folder cannot be written.
pub fn hold(folder: &Path) -> Result<Option<Lock>> {
    let path = folder.join("lock");
    Lock::try_take(&path).with_context(|| format!("cannot lock {}", path.display()))
}

/// Removes the files that the machines' runs need only to continue; afterwards they cannot.
pub fn clear(folder: &Path, fleet: &Fleet) {
    for member in &fleet.members {
        for part in ["cache", "tmp"] {
            let _ = std::fs::remove_dir_all(below(folder, member).join(part));
        }
    }
}

/// Makes the fleet's folder, with a copy of this tool and Slurm's script.
///
/// # Errors
/// If there is a fleet already, or the folder cannot be written.
pub fn make(folder: &Path, members: &[Member]) -> Result<()> {
    if file(folder).exists() {
        bail!(
            "{} has a fleet already: `cupel fleet run --resume {0}` goes on with it, or give another \
             folder with --dir",
            folder.display()
        );
    }
    let explain = || format!("cannot write {}", folder.display());
    for member in members {
        std::fs::create_dir_all(below(folder, member)).with_context(explain)?;
    }
    let this = std::env::current_exe().context("where is this program?")?;
    std::fs::copy(&this, tool(folder)).with_context(explain)?;
    std::fs::write(
        script(folder),
        "#!/bin/sh\n\
         # A task of a fleet: measures on its node. After a requeue, it goes on.\n\
         exec \"$1/cupel\" fleet task \"$1\"\n",
    )
    .with_context(explain)
}

/// A machine's folder.
pub fn below(folder: &Path, member: &Member) -> PathBuf {
    folder.join("machines").join(&member.name)
}

/// A machine's store.
pub fn store(folder: &Path, member: &Member) -> PathBuf {
    below(folder, member).join("runs.sqlite")
}

/// The output of a machine's run.
pub fn log(folder: &Path, position: usize) -> PathBuf {
    folder.join(format!("task-{position}.log"))
}

/// Rejects a name that is not the name of one folder: it comes from a file or from Slurm.
///
/// # Errors
/// Rejects a name that cannot be a machine's, with the reason.
pub fn check_name(name: &str) -> Result<(), String> {
    if name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.len() <= 100
    {
        return Ok(());
    }
    Err(format!(
        "{name:?} cannot name a machine: a name has letters, digits and . _ -, begins with one of \
         the first two, and has at most 100 characters"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fleet() -> Fleet {
        let member = |name: &str| Member {
            name: name.to_string(),
            environment: [("CUPEL_CPU".to_string(), "none".to_string())].into(),
            host: Some(Host { address: "root@a".to_string(), ..Host::default() }),
        };
        Fleet::new(Engine::Ssh, "sha256", &[], vec![member("a"), member("b")])
    }

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        fleet().write(folder.path()).unwrap();
        assert_eq!(Fleet::read(folder.path()).unwrap(), fleet());
        assert!(!folder.path().join("fleet.toml.new").exists());
    }

    #[test]
    fn another_version_and_a_mistake_are_said_with_their_place() {
        let folder = tempfile::tempdir().unwrap();
        fleet().write(folder.path()).unwrap();
        let path = file(folder.path());
        let text = std::fs::read_to_string(&path).unwrap();
        let said = |text: &str| {
            std::fs::write(&path, text).unwrap();
            format!("{:#}", Fleet::read(folder.path()).unwrap_err())
        };
        let newer = said(&text.replace("version = 1", "version = 2\nthrusters = 3"));
        assert!(newer.contains("has version 2, and this cupel knows 1"), "{newer}");
        let unknown = said(&text.replace("suite =", "suit ="));
        assert!(unknown.contains("fleet.toml:3:") && unknown.contains("suit"), "{unknown}");
        let outside = said(&text.replace("name = \"b\"", "name = \"../b\""));
        assert!(outside.contains("cannot name a machine"), "{outside}");
        let none = Fleet::read(Path::new("/nonexistent")).unwrap_err().to_string();
        assert!(none.contains("has no fleet.toml"), "{none}");
    }

    #[test]
    fn a_name_is_the_name_of_one_folder() {
        assert_eq!(check_name("node-7.rack_2"), Ok(()));
        for name in ["", ".", "..", "a/b", "-rf", "a\nb", ".hidden", &"a".repeat(101)] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }
}
