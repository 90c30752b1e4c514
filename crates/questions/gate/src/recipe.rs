//! The inputs of a build besides its sources: two builds that differ in them may differ in speed
//! although their sources are equal. A kept build is used again only if none of them has changed.

use crate::child::{self, Excess};
use cupel_base::git::OF_ONE_REPOSITORY;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Programs that compile, with the word that makes them print their version.
const COMPILERS: [(&str, &str); 12] = [
    ("cc", "--version"),
    ("gcc", "--version"),
    ("g++", "--version"),
    ("clang", "--version"),
    ("clang++", "--version"),
    ("rustc", "-vV"),
    ("cargo", "-V"),
    ("go", "version"),
    ("javac", "-version"),
    ("node", "--version"),
    ("python3", "--version"),
    ("zig", "version"),
];

/// The files that choose the versions of a build's dependencies, or its flags. If Git ignores them,
/// a checkout gets them from the working tree.
pub const CHOOSING: &str = "Cargo.lock package-lock.json npm-shrinkwrap.json yarn.lock \
     pnpm-lock.yaml bun.lock go.sum go.work go.work.sum poetry.lock uv.lock Pipfile.lock \
     gradle.lockfile conan.lock .cargo/config.toml .cargo/config rust-toolchain.toml \
     rust-toolchain .tool-versions";

/// Variables that a shell, a terminal or a CI service sets differently each time, and that no build
/// obeys.
const PASSING: &str = "_ COLORTERM COLUMNS DBUS_SESSION_BUS_ADDRESS DISPLAY INVOCATION_ID \
     JOURNAL_STREAM LINES OLDPWD PWD SHLVL STY SYSTEMD_EXEC_PID TERM TERM_PROGRAM \
     TERM_SESSION_ID WAYLAND_DISPLAY WINDOW WINDOWID XAUTHORITY";

/// The beginnings of further ones.
const PASSING_GROUPS: &str =
    "ACTIONS_ CI_JOB_ CI_PIPELINE CUPEL_ GITHUB_ GIT_ RUNNER_ SSH_ TMUX XDG_SESSION";

/// How long a compiler may take to print its version.
const PATIENCE: Duration = Duration::from_secs(20);

/// Digests of all that a build is made with, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipe(BTreeMap<String, String>);

impl Recipe {
    /// The recipe of this command in a folder now, with these files that are not of its commit.
    pub fn now(command: &str, folder: &Path, files: &[PathBuf]) -> Recipe {
        let mut recipe = Recipe::default();
        recipe.add("the command", command.as_bytes());
        recipe.add("the folder", folder.as_os_str().as_encoded_bytes());
        for (name, value) in variables() {
            recipe.add(&name, value.as_encoded_bytes());
        }
        for (name, word) in COMPILERS {
            if let Some(version) = version(name, word, folder) {
                recipe.add(name, &version);
            }
        }
        let of_cargo = cargo_home().map(|home| home.join("config.toml"));
        for file in files.iter().chain(&of_cargo) {
            if let Ok(bytes) = std::fs::read(file) {
                recipe.add(&file.display().to_string(), &bytes);
            }
        }
        recipe
    }

    fn add(&mut self, name: &str, value: &[u8]) {
        // A variable may be secret.
        let digest = hex::encode(&Sha256::digest(value)[..8]);
        self.0.insert(name.replace(['\n', '\t'], " "), digest);
    }

    /// As a file has it.
    pub fn text(&self) -> String {
        self.0.iter().map(|(name, digest)| format!("{digest}\t{name}\n")).collect()
    }

    /// The recipe that a file has.
    pub fn of_text(text: &str) -> Recipe {
        let pairs = text.lines().filter_map(|line| line.split_once('\t'));
        Recipe(pairs.map(|(digest, name)| (name.to_string(), digest.to_string())).collect())
    }

    /// The names of the inputs that differ.
    pub fn differences(&self, other: &Recipe) -> Vec<String> {
        let names: BTreeSet<&String> = self.0.keys().chain(other.0.keys()).collect();
        let differ = names.into_iter().filter(|name| self.0.get(*name) != other.0.get(*name));
        differ.cloned().collect()
    }

    /// The compilers among the inputs that differ.
    pub fn other_compilers(&self, other: &Recipe) -> Vec<String> {
        let mut names = self.differences(other);
        names.retain(|name| COMPILERS.iter().any(|(compiler, _)| compiler == name));
        names
    }
}

/// The variables that reach a build, but for those that change each time.
pub fn variables() -> Vec<(String, OsString)> {
    let all = std::env::vars_os().map(|(name, value)| (name.to_string_lossy().into_owned(), value));
    let is_passing = |name: &str| {
        PASSING.split(' ').any(|passing| passing == name)
            || OF_ONE_REPOSITORY.contains(&name)
            || PASSING_GROUPS.split(' ').any(|group| name.starts_with(group))
    };
    all.filter(|(name, _)| !is_passing(name)).collect()
}

/// The version that a compiler prints, if it is there.
fn version(name: &str, word: &str, folder: &Path) -> Option<Vec<u8>> {
    let path = std::env::var_os("PATH")?;
    let program = std::env::split_paths(&path).map(|folder| folder.join(name));
    let program = program.into_iter().find(|program| program.is_file())?;
    let mut command = Command::new(&program);
    command.arg(word).current_dir(folder);
    let ended = child::run(command, Some(PATIENCE), Excess::Dropped).ok()?;
    // Two compilers may print the same version.
    let real = std::fs::canonicalize(&program).unwrap_or(program);
    Some([real.as_os_str().as_encoded_bytes(), &ended.out, &ended.err].concat())
}

fn cargo_home() -> Option<PathBuf> {
    let own = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    own.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))
}

/// Settings of Cargo that choose a folder for the files of a build, with their variables.
pub const FOLDERS_OF_CARGO: [(&str, &[&str]); 2] = [
    ("target-dir", &["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"]),
    ("build-dir", &["CARGO_BUILD_BUILD_DIR"]),
];

/// The folder that a variable or a configuration chooses for such a setting in this folder.
pub fn chosen_target(setting: &str, variables: &[&str], folder: &Path) -> Option<PathBuf> {
    if let Some(target) = variables.iter().find_map(std::env::var_os).filter(|dir| !dir.is_empty())
    {
        return Some(folder.join(target));
    }
    let configured = |place: PathBuf, base: &Path| {
        let names = ["config.toml", "config"].map(|name| place.join(name));
        let text = names.iter().find_map(|file| std::fs::read_to_string(file).ok())?;
        let table: toml::Table = text.parse().ok()?;
        let target = table.get("build")?.get(setting)?.as_str()?;
        Some(base.join(target))
    };
    let above = folder.ancestors().find_map(|base| configured(base.join(".cargo"), base));
    above.or_else(|| {
        let home = cargo_home()?;
        configured(home.clone(), home.parent()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_is_read_as_it_was_written_and_names_what_differs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let lock = [path.join("Cargo.lock")];
        let before = Recipe::now("make", path, &lock);
        assert_eq!(Recipe::of_text(&before.text()), before);
        assert_eq!(before.differences(&Recipe::now("make", path, &lock)), Vec::<String>::new());
        std::fs::write(&lock[0], "version = 4").unwrap();
        let after = Recipe::now("make all", path, &lock);
        let name = lock[0].display().to_string();
        assert_eq!(before.differences(&after), [name.as_str(), "the command"]);
    }

    #[test]
    fn a_target_folder_of_a_configuration_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("a/b");
        std::fs::create_dir_all(folder.path().join(".cargo")).unwrap();
        std::fs::create_dir_all(&below).unwrap();
        let text = "[build]\ntarget-dir = \"out\"\nbuild-dir = \"parts\"\n";
        std::fs::write(folder.path().join(".cargo/config.toml"), text).unwrap();
        for (setting, out) in [("target-dir", "out"), ("build-dir", "parts")] {
            assert_eq!(chosen_target(setting, &[], &below), Some(folder.path().join(out)));
        }
    }
}
