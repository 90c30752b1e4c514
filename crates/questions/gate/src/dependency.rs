//! Two versions of a dependency as the two builds of a gate: the question of every pull request
//! that upgrades one.
//!
//! Both builds have one commit. The program that manages its packages sets the version as the first
//! part of each build's command, so a build that is kept has it too. Afterwards both lock files are
//! read: each build must have the version that was asked for, and other differences are printed.

use crate::child::{self, Excess};
use crate::places::{plain, words};
use crate::program::{lines, repeat, shell};
use anyhow::{Context as _, Result};
use cupel_base::problem::Problem;
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::str::FromStr;
use toml::Value;

/// The value of `--dep`: `[MANAGER:]NAME@[OLD..]NEW`.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    manager: Option<Manager>,
    name: String,
    old: Option<String>,
    new: String,
}

/// A program that manages packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manager {
    Cargo,
    Go,
    Maven,
    Npm,
    Pip,
    Uv,
}

/// A dependency in two versions, with the manager of this folder's packages.
#[derive(Clone, Debug)]
pub struct Dependency {
    manager: Manager,
    /// As the manager names it.
    name: String,
    /// `None`: the version that the commit has.
    old: Option<String>,
    new: String,
    /// The options that name its place in the folder's manifest to `cargo add` or `uv add`, if it is
    /// there.
    place: Option<String>,
}

/// The versions of each package that a build has: some managers allow several.
type Packages = BTreeMap<String, BTreeSet<String>>;

/// The managers by the file that shows each, in a folder. The first of one kind is the more exact.
const SHOWN_BY: [(&str, Manager); 8] = [
    ("Cargo.toml", Manager::Cargo),
    ("go.mod", Manager::Go),
    ("pom.xml", Manager::Maven),
    ("package.json", Manager::Npm),
    (UV_LOCK, Manager::Uv),
    ("requirements.txt", Manager::Pip),
    ("pyproject.toml", Manager::Pip),
    ("setup.py", Manager::Pip),
];

/// The lock file of npm.
const NPM_LOCK: &str = "package-lock.json";

/// Lock files of managers that `--dep` does not know: npm would ignore them.
const OTHERS_OF_NODE: [&str; 4] = ["pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"];

/// The sections of a manifest of Cargo, with the option that names each to `cargo add`.
const SECTIONS: [(&str, &str); 3] =
    [("dependencies", ""), ("dev-dependencies", " --dev"), ("build-dependencies", " --build")];

/// The remedy if a command of a manager fails.
const BY_HAND: &str = "run it there by hand, until it ends with status 0; two versions that no \
                       manager can set may be two commits: --base-rev and --new-rev";

/// How many other packages are named that differ.
const NAMED: usize = 4;

impl Manager {
    const ALL: [Manager; 6] =
        [Manager::Cargo, Manager::Go, Manager::Maven, Manager::Npm, Manager::Pip, Manager::Uv];

    /// The prefix that names it.
    fn name(self) -> &'static str {
        match self {
            Manager::Cargo => "cargo",
            Manager::Go => "go",
            Manager::Maven => "maven",
            Manager::Npm => "npm",
            Manager::Pip => "pip",
            Manager::Uv => "uv",
        }
    }

    /// Whether a folder has its own versions of packages.
    fn locks_in(self, folder: &Path) -> bool {
        let has = |file: &str| folder.join(file).is_file();
        match self {
            Manager::Cargo => {
                let manifest = manifest(&folder.join("Cargo.toml"));
                has("Cargo.lock") || manifest.is_ok_and(|table| table.contains_key("workspace"))
            }
            Manager::Go => has("go.mod"),
            Manager::Npm => has(NPM_LOCK),
            Manager::Uv => has(UV_LOCK),
            Manager::Maven | Manager::Pip => false,
        }
    }

    /// The manager of the packages of a folder.
    fn in_folder(folder: &Path) -> Result<Manager> {
        let mut found: Vec<Manager> = Vec::new();
        for (file, manager) in SHOWN_BY {
            let is_second = manager == Manager::Pip && found.contains(&Manager::Uv);
            if folder.join(file).is_file() && !found.contains(&manager) && !is_second {
                found.push(manager);
            }
        }
        let folder = folder.display();
        match found[..] {
            [one] => Ok(one),
            [] => {
                let files = SHOWN_BY.map(|(file, _)| file).join(", ");
                let what = format!("no packages are managed in {folder}");
                let help = format!("run the gate in the folder that has one of {files}");
                Err(Problem::refusal(what, help).into())
            }
            _ => {
                let names: Vec<&str> = found.iter().map(|manager| manager.name()).collect();
                let what = format!("several managers have packages in {folder}");
                let help = format!("put {}: before the name", names.join(":, "));
                Err(Problem::refusal(what, help).into())
            }
        }
    }
}

impl FromStr for Wish {
    type Err = String;

    fn from_str(text: &str) -> Result<Wish, String> {
        let named = Manager::ALL.into_iter().find_map(|manager| {
            let rest = text.strip_prefix(manager.name())?.strip_prefix(':')?;
            Some((Some(manager), rest))
        });
        let (manager, rest) = named.unwrap_or((None, text));
        let Some((name, versions)) = rest.rsplit_once('@').filter(|(name, _)| !name.is_empty())
        else {
            return Err(
                "it has the form NAME@OLD..NEW or NAME@NEW, such as aes@0.8.4..0.9.0".into()
            );
        };
        let (old, new) = match versions.split_once("..") {
            Some((old, new)) => (Some(old), new),
            None => (None, versions),
        };
        if !is_plain(name, "@_.:/~+-") {
            return Err(format!("{name:?} is not the name of a package"));
        }
        for version in old.into_iter().chain([new]) {
            if !is_plain(version, "_.~+-") {
                return Err(format!("{version:?} is not a version"));
            }
        }
        if old == Some(new) {
            return Err(format!("both versions are {new}"));
        }
        Ok(Wish { manager, name: name.into(), old: old.map(str::to_string), new: new.into() })
    }
}

impl Wish {
    /// The dependency, of the packages that are managed in a folder.
    ///
    /// # Errors
    /// If none are, if several managers have some, or if the manager could not set a version.
    pub fn in_folder(&self, folder: &Path) -> Result<Dependency> {
        let manager = match self.manager {
            Some(manager) => manager,
            None => Manager::in_folder(folder)?,
        };
        let Wish { name, old, new, .. } = self.clone();
        let mut dependency = Dependency { manager, name, old, new, place: None };
        match manager {
            Manager::Cargo => dependency.place = section(folder, dependency.bare())?,
            Manager::Npm => refuse_of_npm(folder, &dependency.name)?,
            Manager::Go => {
                dependency.old = dependency.old.map(with_v);
                dependency.new = with_v(dependency.new);
            }
            Manager::Uv => {
                dependency.place = group(folder, &dependency)?;
                // Without a committed lock file it is not known what else is installed.
                if dependency.place.is_none()
                    && in_repository(folder).any(|folder| folder.join(UV_LOCK).is_file())
                {
                    dependency.refuse_unneeded(&locked_by_toml(folder, UV_LOCK)?)?;
                }
            }
            Manager::Maven | Manager::Pip => {}
        }
        Ok(dependency)
    }
}

/// Each word of a command, with the next one.
fn pairs(command: &str) -> Vec<[String; 2]> {
    let words = words(command);
    words.windows(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect()
}

/// Whether a text may be a word of a shell.
fn is_plain(word: &str, others: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || others.contains(c))
}

/// A version as Go writes it.
fn with_v(version: String) -> String {
    if version.starts_with(|c: char| c.is_ascii_digit()) { format!("v{version}") } else { version }
}

/// The options of the section in which the folder's manifest of Cargo has a crate, if it has it: a
/// target may have its own sections, and the crate another name.
fn section(folder: &Path, name: &str) -> Result<Option<String>> {
    let table = manifest(&folder.join("Cargo.toml"))?;
    let targets = table.get("target").and_then(Value::as_table).into_iter().flatten();
    let targets = targets
        .filter(|(target, _)| !target.contains('\''))
        .filter_map(|(target, of)| Some((format!(" --target '{target}'"), of.as_table()?)));
    for (target, of) in std::iter::once((String::new(), &table)).chain(targets) {
        for (section, option) in SECTIONS {
            let all = of.get(section).and_then(Value::as_table).into_iter().flatten();
            let package = |about: &Value| about.get("package")?.as_str().map(str::to_string);
            let mut all = all.map(|(key, about)| (key, package(about).unwrap_or(key.clone())));
            if let Some((key, _)) = all.find(|(_, package)| package == name) {
                let rename = if key == name { String::new() } else { format!(" --rename {key}") };
                return Ok(Some(format!("{option}{target}{rename}")));
            }
        }
    }
    Ok(None)
}

fn manifest(file: &Path) -> Result<toml::Table> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    text.parse().with_context(|| format!("cannot read {}", file.display()))
}

/// The options of the group or extra in which the folder's manifest of Python has a package: none for
/// its own dependencies; `None` if it does not name the package.
fn group(folder: &Path, dependency: &Dependency) -> Result<Option<String>> {
    let table = manifest(&folder.join("pyproject.toml"))?;
    let is_it = |wish: &Value| {
        let wish = wish.as_str().unwrap_or_default();
        let end = wish.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c));
        let name = &wish[..end.unwrap_or(wish.len())];
        dependency.known_as(name) == dependency.known_as(&dependency.name)
    };
    let has = |all: &Value| all.as_array().is_some_and(|all| all.iter().any(is_it));
    let project = table.get("project");
    if project.and_then(|project| project.get("dependencies")).is_some_and(has) {
        return Ok(Some(String::new()));
    }
    let extras = project.and_then(|project| project.get("optional-dependencies"));
    let places = [("group", table.get("dependency-groups")), ("optional", extras)];
    Ok(places.into_iter().find_map(|(option, groups)| {
        let mut groups = groups?.as_table()?.iter();
        groups.find(|(_, all)| has(all)).map(|(group, _)| format!(" --{option} {group}"))
    }))
}

/// npm would add a package that the folder's manifest does not have, next to the one that is used.
fn refuse_of_npm(folder: &Path, name: &str) -> Result<()> {
    if let Some(lock) = nearest_lock_of_node(folder).filter(|lock| *lock != NPM_LOCK) {
        let what = format!("--dep sets versions by npm, which does not read {lock}");
        let help = "commit both versions, and compare them by --base-rev and --new-rev";
        return Err(Problem::refusal(what, help).into());
    }
    let file = folder.join("package.json");
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("cannot read {}", file.display()))?;
    let manifest: Json =
        serde_json::from_str(&text).with_context(|| format!("cannot read {}", file.display()))?;
    let sections = ["dependencies", "devDependencies", "optionalDependencies"];
    let mut named = sections.iter().filter_map(|section| manifest[section].get(name));
    let alias = |wish: &Json| Some(wish.as_str()?.strip_prefix("npm:")?.to_string());
    if let Some(other) = named.clone().find_map(alias) {
        let what = format!("{name} is another name of {other} in {}", file.display());
        let help = "--dep sets no version of an alias: commit both versions, and compare them by \
                    --base-rev and --new-rev";
        return Err(Problem::refusal(what, help).into());
    }
    if named.next().is_none() {
        let what = format!("{} does not depend on {name}", file.display());
        let help = "name a package that it lists: npm would add any other next to the one in use";
        return Err(Problem::refusal(what, help).into());
    }
    Ok(())
}

/// The lock file of JavaScript that counts: a workspace has it above its members.
fn nearest_lock_of_node(folder: &Path) -> Option<&'static str> {
    let locks = [&[NPM_LOCK], &OTHERS_OF_NODE[..]].concat();
    in_repository(folder)
        .find_map(|folder| locks.iter().find(|lock| folder.join(lock).is_file()).copied())
}

/// A folder and those above it, up to the top of its repository.
fn in_repository(folder: &Path) -> impl Iterator<Item = &Path> {
    let top = folder.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(folder);
    folder.ancestors().take_while(move |folder| folder.starts_with(top))
}

impl Dependency {
    /// The name without the version that tells it from another in one lock file (`aes@0.7.5`).
    fn bare(&self) -> &str {
        match self.manager {
            Manager::Cargo => self.name.split('@').next().unwrap_or(&self.name),
            _ => &self.name,
        }
    }

    /// Refuses a command that goes to packages whose versions another lock file has: there, `--dep`
    /// would change nothing.
    ///
    /// # Errors
    /// If one does.
    pub fn refuse_other_lock(&self, folder: &Path, commands: &[&str]) -> Result<()> {
        const INTO: [&str; 7] =
            ["cd", "-C", "--manifest-path", "--prefix", "--cwd", "--directory", "--project"];
        let top = in_repository(folder).last().unwrap_or(folder);
        for pair in commands.iter().flat_map(|command| pairs(command)) {
            let place = plain(&folder.join(&pair[1]));
            let mut around = place.ancestors().take_while(|place| place.starts_with(top));
            let own = around.find(|place| self.manager.locks_in(place));
            if INTO.contains(&pair[0].as_str())
                && let Some(own) = own.filter(|own| !folder.starts_with(own))
            {
                let own = own.strip_prefix(top).unwrap_or(own).display();
                let what =
                    format!("{own} has its own versions, and --dep would not set them there");
                let help = format!("run the gate in {own}, with commands that start there");
                return Err(Problem::refusal(what, help).into());
            }
        }
        Ok(())
    }

    /// The ends of the folders of both checkouts: they have one commit.
    pub fn ends(&self) -> [String; 2] {
        [self.old.as_deref().unwrap_or("locked"), &self.new].map(|version| {
            let end = format!("-{}-{version}", self.name);
            end.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "-")
        })
    }

    /// The build commands of both sides: each sets the version, and then runs the user's command.
    pub fn builds(&self, build: Option<&str>) -> [Option<String>; 2] {
        [self.old.as_deref(), Some(&self.new)].map(|version| {
            let set = self.set(version);
            let then = build.map(|build| self.in_environment(build));
            match (set, then) {
                (Some(set), Some(then)) => Some(format!("{set} && {then}")),
                (set, then) => set.or(then),
            }
        })
    }

    /// A command as it runs with the packages of its folder.
    pub fn in_environment(&self, command: &str) -> String {
        match self.manager {
            Manager::Pip => format!("PATH=\"$PWD/.venv/bin:$PATH\" && export PATH && {command}"),
            _ => command.to_string(),
        }
    }

    /// The command that installs a version, or the one that the commit has.
    fn set(&self, version: Option<&str>) -> Option<String> {
        let name = &self.name;
        let Some(version) = version else {
            return match self.manager {
                Manager::Cargo | Manager::Go | Manager::Maven => None,
                Manager::Npm => Some("npm ci --no-audit --no-fund".to_string()),
                Manager::Pip => Some(PIP.to_string()),
                Manager::Uv => Some("uv sync --quiet".to_string()),
            };
        };
        Some(match self.manager {
            Manager::Cargo => {
                let update = format!("cargo update --quiet {name} --precise {version}");
                match &self.place {
                    // For a version that the manifest does not allow, the manifest has to change.
                    Some(option) => {
                        let bare = self.bare();
                        format!("{{ {update} || cargo add --quiet{option} {bare}@={version}; }}")
                    }
                    None => update,
                }
            }
            // `go get` would add a module that the build does not use. The copied modules must have
            // the versions of go.mod.
            Manager::Go => {
                format!(
                    "go list -mod=readonly -m {name} && go get {name}@{version} && \
                     {{ [ ! -d vendor ] || go mod vendor; }}"
                )
            }
            Manager::Maven => format!(
                "mvn --batch-mode --quiet \
                 org.codehaus.mojo:versions-maven-plugin:2.18.0:use-dep-version \
                 -Dincludes={name} -DdepVersion={version} -DforceVersion=true \
                 -DprocessProperties=true -DgenerateBackupPoms=false"
            ),
            Manager::Npm => {
                format!("npm install --no-audit --no-fund --save-exact {name}@{version}")
            }
            Manager::Pip => {
                format!(
                    "{PIP} && .venv/bin/python -m {PIP_LIST} >{OWN_OF_PIP} && \
                     .venv/bin/python -m pip install --quiet {name}=={version}"
                )
            }
            Manager::Uv => {
                let place = self.place.as_deref().unwrap_or_default();
                format!("uv add --quiet{place} {name}=={version}")
            }
        })
    }

    /// Reads the packages of both builds: their versions, and all other differences.
    ///
    /// # Errors
    /// If one has not the version that was asked for, or both have the same.
    pub fn compared(&self, folders: [&Path; 2], has_build: bool) -> Result<Versions> {
        // The user's build may install what needs it.
        for folder in folders.iter().filter(|_| self.manager == Manager::Pip && !has_build) {
            if let Ok(text) = std::fs::read_to_string(folder.join(OWN_OF_PIP)) {
                self.refuse_unneeded(&self.listed_by_pip(&text)?)?;
            }
        }
        let [base, new] = [self.packages(folders[0])?, self.packages(folders[1])?];
        let name = self.known_as(self.bare());
        let wanted = [("base", &base, self.old.as_deref()), ("new build", &new, Some(&*self.new))];
        for (side, packages, wanted) in wanted {
            let Some(versions) = packages.get(&name) else {
                let what = format!("the {side} does not use {name}");
                let help = "check the name: it is that of the lock file";
                return Err(Problem::refusal(what, help).into());
            };
            if let Some(wanted) = wanted.filter(|wanted| !versions.contains(*wanted)) {
                let what = format!("the {side} has {name} {}, not {wanted}", listed(versions));
                let help = format!(
                    "give all parts of the version; if something else chooses it, ask {} why",
                    self.manager.name()
                );
                return Err(Problem::refusal(what, help).into());
            }
        }
        if base[&name] == new[&name] {
            let what = format!("both builds have {name} {}", listed(&base[&name]));
            let help = format!("give both versions: {name}@OLD..NEW");
            return Err(Problem::refusal(what, help).into());
        }
        let names = [&base, &new].map(|packages| format!("{name} {}", listed(&packages[&name])));
        Ok(Versions { names, note: difference(&name, &base, &new) })
    }

    /// The name as the lock file has it.
    fn known_as(&self, name: &str) -> String {
        match self.manager {
            // PEP 503: names are equal if these characters are.
            Manager::Pip | Manager::Uv => {
                let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
                words.collect::<Vec<_>>().join("-").to_lowercase()
            }
            _ => name.to_string(),
        }
    }

    /// The packages of a build.
    fn packages(&self, folder: &Path) -> Result<Packages> {
        match self.manager {
            Manager::Cargo => locked_by_toml(folder, "Cargo.lock"),
            Manager::Uv => locked_by_toml(folder, UV_LOCK),
            Manager::Npm => locked_by_npm(folder),
            Manager::Go => Ok(listed_by_go(&printed("go list -mod=readonly -m all", folder)?)),
            Manager::Maven => listed_by_maven(folder),
            Manager::Pip => {
                self.listed_by_pip(&printed(&format!(".venv/bin/python -m {PIP_LIST}"), folder)?)
            }
        }
    }

    fn listed_by_pip(&self, text: &str) -> Result<Packages> {
        let all: Vec<Package> =
            serde_json::from_str(text).context("cannot read the list of pip")?;
        Ok(gathered(all.into_iter().map(|one| (self.known_as(&one.name), one.version))))
    }

    /// pip and uv install any package, and a gate of one that nothing uses would be calm. `own` are
    /// the packages without it.
    fn refuse_unneeded(&self, own: &Packages) -> Result<()> {
        if own.contains_key(&self.known_as(&self.name)) {
            return Ok(());
        }
        let name = &self.name;
        let what = match self.manager {
            Manager::Pip => {
                format!("neither requirements.txt nor the package of this folder installs {name}")
            }
            _ => format!("neither pyproject.toml nor {UV_LOCK} has {name}"),
        };
        let help = "name it there if your benchmark uses it: a version of any other package changes \
                    nothing";
        Err(Problem::refusal(what, help).into())
    }
}

/// The lock file of uv.
const UV_LOCK: &str = "uv.lock";

/// The module of Python that lists packages, with its options.
const PIP_LIST: &str = "pip --disable-pip-version-check list --format json";

/// The packages of a folder without the version that `--dep` sets.
const OWN_OF_PIP: &str = ".venv/cupel-own.json";

/// A virtual environment with the packages of the folder.
const PIP: &str = "python3 -m venv --clear .venv && \
    { test ! -f requirements.txt || .venv/bin/python -m pip install --quiet -r requirements.txt; } && \
    { test ! -f pyproject.toml -a ! -f setup.py || .venv/bin/python -m pip install --quiet .; }";

/// The names of the two builds of a gate, and their other differences.
pub struct Versions {
    /// The dependency with its version, of the base and of the new build.
    pub names: [String; 2],
    /// The other packages that differ, in a sentence.
    pub note: Option<String>,
}

#[derive(Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    #[serde(default)]
    version: String,
}

/// A lock file, which is in the folder or above it, and its text.
fn lock(folder: &Path, name: &str) -> Result<(String, String)> {
    let mut above = in_repository(folder).map(|folder| folder.join(name));
    let Some(file) = above.find(|file| file.is_file()) else {
        let what = format!("the build has no {name} in {} or above it", folder.display());
        let help = "commit it, or give both versions: NAME@OLD..NEW";
        return Err(Problem::refusal(what, help).into());
    };
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("cannot read {}", file.display()))?;
    Ok((file.display().to_string(), text))
}

/// The packages of a lock file of Cargo or uv.
fn locked_by_toml(folder: &Path, name: &str) -> Result<Packages> {
    let (file, text) = lock(folder, name)?;
    let lock: Lock = toml::from_str(&text).with_context(|| format!("cannot read {file}"))?;
    Ok(gathered(lock.package.into_iter().map(|one| (one.name, one.version))))
}

/// The packages of npm's lock file.
fn locked_by_npm(folder: &Path) -> Result<Packages> {
    let (file, text) = lock(folder, NPM_LOCK)?;
    let lock: Json = serde_json::from_str(&text).with_context(|| format!("cannot read {file}"))?;
    let packages = lock["packages"].as_object();
    let named = packages.into_iter().flatten().filter_map(|(path, about)| {
        let (_, name) = path.rsplit_once("node_modules/")?;
        Some((name.to_string(), about["version"].as_str()?.to_string()))
    });
    Ok(gathered(named))
}

/// The modules of `go list -m all`. The first one, the main module, has no version. A module that a
/// `replace` line replaces, `NAME VERSION => NAME VERSION` or `=> FOLDER`, has the version of the other.
fn listed_by_go(text: &str) -> Packages {
    let named = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_string(), words.next_back()?.to_string()))
    });
    gathered(named)
}

/// The artifacts that Maven resolves for all modules.
fn listed_by_maven(folder: &Path) -> Result<Packages> {
    const LIST: &str = "target/cupel-dependencies.txt";
    let file = folder.join(LIST);
    // Each module appends to it.
    let _ = std::fs::remove_file(&file);
    printed(
        &format!(
            "mvn --batch-mode --quiet dependency:list -DappendOutput=true \
             -DoutputFile=\"$PWD/{LIST}\""
        ),
        folder,
    )?;
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("cannot read {}", file.display()))?;
    Ok(artifacts(&text))
}

/// Lines of `GROUP:ARTIFACT:TYPE[:CLASSIFIER]:VERSION:SCOPE`, and others.
fn artifacts(text: &str) -> Packages {
    let named = text.lines().filter_map(|line| {
        let line = line.trim().split(' ').next()?;
        let parts: Vec<&str> = line.split(':').collect();
        match parts[..] {
            [group, artifact, _, version, _] | [group, artifact, _, _, version, _] => {
                Some((format!("{group}:{artifact}"), version.to_string()))
            }
            _ => None,
        }
    });
    gathered(named)
}

fn gathered(named: impl Iterator<Item = (String, String)>) -> Packages {
    let mut packages = Packages::new();
    for (name, version) in named.filter(|(_, version)| !version.is_empty()) {
        packages.entry(name).or_default().insert(version);
    }
    packages
}

/// The standard output of a command.
fn printed(command: &str, folder: &Path) -> Result<String> {
    let done = child::run(shell(command, folder), None, Excess::Dropped)
        .with_context(|| format!("cannot run `{command}` in {}", folder.display()))?;
    if !done.is_well() {
        repeat(&lines(&done.err));
        let what = format!("`{command}` failed in {}", folder.display());
        return Err(Problem::refusal(what, BY_HAND).into());
    }
    Ok(String::from_utf8_lossy(&done.out).into_owned())
}

fn listed(versions: &BTreeSet<String>) -> String {
    versions.iter().map(String::as_str).collect::<Vec<_>>().join(" and ")
}

/// The packages besides this one that the builds have in different versions.
fn difference(name: &str, base: &Packages, new: &Packages) -> Option<String> {
    let names: BTreeSet<&String> = base.keys().chain(new.keys()).collect();
    let others = names.into_iter().filter(|other| *other != name);
    let differ: Vec<String> = others
        .filter(|other| base.get(*other) != new.get(*other))
        .map(|other| match (base.get(other), new.get(other)) {
            (Some(before), Some(after)) => {
                format!("{other} ({} and {})", listed(before), listed(after))
            }
            (Some(before), None) => format!("{other} {} (the base only)", listed(before)),
            (None, Some(after)) => format!("{other} {} (the new build only)", listed(after)),
            (None, None) => String::new(),
        })
        .collect();
    let (named, rest) = differ.split_at(differ.len().min(NAMED));
    let more = match rest.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!named.is_empty())
        .then(|| format!("besides {name}, the builds differ in {}{more}", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages(of: &[(&str, &str)]) -> Packages {
        gathered(of.iter().map(|(name, version)| (name.to_string(), version.to_string())))
    }

    #[test]
    fn a_wish_has_a_name_and_one_or_two_versions() {
        let wish: Wish = "aes@0.8.4..0.9.2".parse().unwrap();
        let expected = |name: &str, manager, old: Option<&str>, new: &str| Wish {
            manager,
            name: name.into(),
            old: old.map(str::to_string),
            new: new.into(),
        };
        assert_eq!(wish, expected("aes", None, Some("0.8.4"), "0.9.2"));
        let wish: Wish = "@noble/hashes@1.5.0".parse().unwrap();
        assert_eq!(wish, expected("@noble/hashes", None, None, "1.5.0"));
        let wish: Wish = "maven:org.bouncycastle:bcprov-jdk18on@1.78..1.80".parse().unwrap();
        let name = "org.bouncycastle:bcprov-jdk18on";
        assert_eq!(wish, expected(name, Some(Manager::Maven), Some("1.78"), "1.80"));
        let wish: Wish = "cargo:aes@0.7.5@0.9.0".parse().unwrap();
        assert_eq!(wish, expected("aes@0.7.5", Some(Manager::Cargo), None, "0.9.0"));
        for wrong in ["aes", "@1.0", "aes@", "aes@..1", "aes@1..", "aes@1..1", "aes@1;ls", "a b@1"]
        {
            assert!(wrong.parse::<Wish>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_manager_is_the_one_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let wish: Wish = "aes@0.8.4..0.9.2".parse().unwrap();
        assert!(wish.in_folder(path).unwrap_err().to_string().contains("no packages are managed"));
        std::fs::write(path.join("Cargo.toml"), "[dev-dependencies]\naes = \"0.8\"\n").unwrap();
        let found = wish.in_folder(path).unwrap();
        assert_eq!(found.manager, Manager::Cargo);
        let [base, _] = found.builds(Some("cargo bench --no-run"));
        assert_eq!(
            base.unwrap(),
            "{ cargo update --quiet aes --precise 0.8.4 || cargo add --quiet --dev aes@=0.8.4; } \
             && cargo bench --no-run"
        );
        std::fs::write(path.join("package.json"), "{\"dependencies\": {\"b\": \"1\"}}").unwrap();
        let both = wish.in_folder(path).unwrap_err();
        assert!(both.to_string().contains("several managers"), "{both:#}");
        let absent = "npm:aes@1".parse::<Wish>().unwrap().in_folder(path).unwrap_err();
        assert!(absent.to_string().contains("does not depend on aes"), "{absent:#}");
        assert!("npm:b@1".parse::<Wish>().unwrap().in_folder(path).is_ok());
        let manifest = "{\"dependencies\": {\"b\": \"1\", \"old-b\": \"npm:b@0.9\"}}";
        std::fs::write(path.join("package.json"), manifest).unwrap();
        let alias = "npm:old-b@1".parse::<Wish>().unwrap().in_folder(path).unwrap_err();
        assert!(alias.to_string().contains("old-b is another name of b@0.9"), "{alias:#}");
        std::fs::write(path.join("yarn.lock"), "").unwrap();
        let member = path.join("member");
        std::fs::create_dir(&member).unwrap();
        std::fs::copy(path.join("package.json"), member.join("package.json")).unwrap();
        let of = |folder: &Path| "npm:b@1".parse::<Wish>().unwrap().in_folder(folder);
        assert!(of(&member).is_ok());
        std::fs::create_dir(path.join(".git")).unwrap();
        for folder in [path, &member] {
            let other = of(folder).unwrap_err();
            assert!(other.to_string().contains("does not read yarn.lock"), "{other:#}");
        }
        std::fs::write(member.join(NPM_LOCK), "").unwrap();
        assert!(of(&member).is_ok(), "the nearest lock file counts");
    }

    #[test]
    fn a_command_that_goes_to_another_lock_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for below in [".git", "a", "member", "own/src"] {
            std::fs::create_dir_all(path.join(below)).unwrap();
        }
        let write = |file: &str, text: &str| std::fs::write(path.join(file), text).unwrap();
        write("Cargo.toml", "[workspace]\nmembers = [\"a\", \"member\"]\n");
        write("a/Cargo.toml", "[dependencies]\naes = \"0.8\"\n");
        write("member/Cargo.toml", "[package]\n");
        write("own/Cargo.toml", "[package]\n[workspace]\n");
        let here = path.join("a");
        let found = "aes@0.9.0".parse::<Wish>().unwrap().in_folder(&here).unwrap();
        let refused = |command: &str| found.refuse_other_lock(&here, &[command]);
        for command in
            ["cd ../own/src && cargo bench", "cargo bench --manifest-path=../own/Cargo.toml"]
        {
            let error = refused(command).unwrap_err();
            assert!(error.to_string().contains("own has its own versions"), "{error:#}");
        }
        for command in ["cargo bench own", "cd ../member && cargo bench", "cd .. && cargo bench"] {
            refused(command).unwrap();
        }
    }

    /// Without an option, Maven leaves a version that is `${a.property}` as it is.
    #[test]
    fn a_version_of_maven_may_be_a_property() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("pom.xml"), "<project/>").unwrap();
        let wish: Wish = "org.bouncycastle:bcprov-jdk18on@1.82..1.83".parse().unwrap();
        let [base, new] = wish.in_folder(folder.path()).unwrap().builds(None);
        for (build, version) in [(base, "1.82"), (new, "1.83")] {
            let build = build.unwrap();
            assert!(build.contains(&format!("-DdepVersion={version} ")), "{build}");
            assert!(build.contains(" -DprocessProperties=true "), "{build}");
        }
    }

    #[test]
    fn a_build_without_a_lock_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = locked_by_toml(folder.path(), "Cargo.lock").unwrap_err();
        assert!(error.to_string().contains("the build has no Cargo.lock"), "{error:#}");
        assert!(error.to_string().contains("help: commit it, or give both versions"), "{error:#}");
    }

    /// `cargo add` would add a crate that only others depend on next to the one in use.
    #[test]
    fn only_a_crate_of_the_manifest_may_change_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Cargo.toml"), "[dependencies]\naes = \"0.8\"\n")
            .unwrap();
        let found = "cipher@0.5.0".parse::<Wish>().unwrap().in_folder(folder.path()).unwrap();
        let [base, new] = found.builds(None);
        assert_eq!(base, None, "the commit as it is");
        assert_eq!(new.unwrap(), "cargo update --quiet cipher --precise 0.5.0");
    }

    #[test]
    fn a_crate_may_be_a_targets_and_have_another_name() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = "[dependencies]\nfast = { package = \"aes\", version = \"0.8\" }\nb.workspace = true\n\
                        [target.'cfg(target_os = \"linux\")'.dev-dependencies]\nsha2 = \"0.10\"\n";
        std::fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
        let of = |wish: &str| {
            let found = wish.parse::<Wish>().unwrap().in_folder(folder.path()).unwrap();
            let [_, new] = found.builds(None);
            new.unwrap().split_once(" || ").map(|(_, add)| add.to_string())
        };
        let add = |rest: &str| Some(format!("cargo add --quiet{rest}; }}"));
        assert_eq!(of("aes@0.9.0"), add(" --rename fast aes@=0.9.0"));
        assert_eq!(of("b@2.0.0"), add(" b@=2.0.0"));
        let target = " --dev --target 'cfg(target_os = \"linux\")' sha2@=0.11.0";
        assert_eq!(of("sha2@0.11.0"), add(target));
        assert_eq!(of("fast@1.0.0"), None);
    }

    #[test]
    fn a_package_of_python_may_be_in_a_group() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = "[project]\ndependencies = [\"a>=1\"]\n\
                        [project.optional-dependencies]\nfast = [\"py_nacl [x]<2\"]\n\
                        [dependency-groups]\ndev = [{ include-group = \"x\" }, \"six\", \"a\"]\n";
        std::fs::write(folder.path().join("pyproject.toml"), manifest).unwrap();
        for (name, place) in
            [("a", ""), ("six", " --group dev"), ("py-nacl", " --optional fast"), ("b", "")]
        {
            let wish: Wish = format!("uv:{name}@1.0").parse().unwrap();
            let [_, new] = wish.in_folder(folder.path()).unwrap().builds(None);
            assert_eq!(new.unwrap(), format!("uv add --quiet{place} {name}==1.0"));
        }
    }

    /// Both builds would be the same program, and the gate calm.
    #[test]
    fn a_package_of_python_that_nothing_uses_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".venv")).unwrap();
        let own = r#"[{"name": "PyNaCl", "version": "1.5.0"}, {"name": "pip", "version": "24.0"}]"#;
        std::fs::write(folder.path().join(OWN_OF_PIP), own).unwrap();
        let of_pip = |name: &str, has_build: bool| -> Result<()> {
            let wish: Wish = format!("pip:{name}@1.5.0..1.6.0").parse().unwrap();
            let found = wish.in_folder(folder.path())?;
            found.compared([folder.path(); 2], has_build).map(|_| ())
        };
        let words = |done: Result<()>| format!("{:#}", done.unwrap_err());
        let said = words(of_pip("six", false));
        assert!(said.contains("the package of this folder installs six"), "{said}");
        assert!(!words(of_pip("six", true)).contains("installs six"), "a build may need it");
        assert!(!words(of_pip("pynacl", false)).contains("installs pynacl"), "it has no Python");
        let manifest = "[project]\nname = \"x\"\ndependencies = [\"cffi\"]\n";
        std::fs::write(folder.path().join("pyproject.toml"), manifest).unwrap();
        let of_uv = |name: &str| -> Result<()> {
            format!("uv:{name}@1.0..1.1").parse::<Wish>().unwrap().in_folder(folder.path())?;
            Ok(())
        };
        of_uv("six").unwrap();
        std::fs::write(
            folder.path().join(UV_LOCK),
            "[[package]]\nname = \"idna\"\nversion = \"3.7\"\n",
        )
        .unwrap();
        assert!(words(of_uv("six")).contains("has six"), "{}", words(of_uv("six")));
        of_uv("idna").unwrap();
        of_uv("cffi").unwrap();
    }

    #[test]
    fn lists_of_packages_are_read() {
        let go = "example.org/main\ngolang.org/x/crypto v0.31.0\n\
                  golang.org/x/sys v0.28.0 => golang.org/x/sys v0.19.0\nb v1.0.0 => ./b\n";
        let expected =
            [("golang.org/x/crypto", "v0.31.0"), ("golang.org/x/sys", "v0.19.0"), ("b", "./b")];
        assert_eq!(listed_by_go(go), packages(&expected));
        let maven = "\nThe following files have been resolved:\n   \
                     org.bouncycastle:bcprov-jdk18on:jar:1.78:compile -- module x (auto)\n   \
                     io.netty:netty-tcnative:jar:linux-x86_64:2.0:runtime\n";
        let expected =
            [("org.bouncycastle:bcprov-jdk18on", "1.78"), ("io.netty:netty-tcnative", "2.0")];
        assert_eq!(artifacts(maven), packages(&expected));
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("member");
        std::fs::create_dir(&below).unwrap();
        let lock = "version = 4\n[[package]]\nname = \"aes\"\nversion = \"0.8.4\"\n\
                    [[package]]\nname = \"aes\"\nversion = \"0.7.5\"\n";
        std::fs::write(folder.path().join("Cargo.lock"), lock).unwrap();
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        let read = locked_by_toml(&below, "Cargo.lock").unwrap();
        assert_eq!(read, packages(&[("aes", "0.8.4"), ("aes", "0.7.5")]));
        let lock = "{\"packages\": {\"\": {\"version\": \"1\"}, \
                    \"node_modules/@noble/hashes\": {\"version\": \"1.4.0\"}, \
                    \"node_modules/a/node_modules/b\": {\"version\": \"2.0.0\"}}}";
        std::fs::write(below.join("package-lock.json"), lock).unwrap();
        let member = below.join("packages/a");
        std::fs::create_dir_all(&member).unwrap();
        for folder in [&below, &member] {
            let read = locked_by_npm(folder).unwrap();
            assert_eq!(read, packages(&[("@noble/hashes", "1.4.0"), ("b", "2.0.0")]));
        }
    }

    #[test]
    fn what_else_differs_is_said() {
        let base =
            packages(&[("aes", "0.8.4"), ("cipher", "0.4.4"), ("inout", "0.1.3"), ("z", "1")]);
        let new =
            packages(&[("aes", "0.9.2"), ("cipher", "0.5.1"), ("cpubits", "0.1"), ("z", "1")]);
        assert_eq!(
            difference("aes", &base, &new).unwrap(),
            "besides aes, the builds differ in cipher (0.4.4 and 0.5.1), \
             cpubits 0.1 (the new build only), inout 0.1.3 (the base only)"
        );
        assert_eq!(difference("aes", &base, &base), None);
    }
}
