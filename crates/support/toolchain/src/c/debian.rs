//! Compilers that Cupel installs: Debian's packages of several releases, unpacked into the cache,
//! without root. The compiler's own packages must have the recorded checksums. The libraries that
//! it needs are those that the release has now, which apt checks against Debian's signed lists.

use super::launch::{self, Launch};
use crate::builds::{bounded, installed};
use anyhow::{Context, Result, bail};
use cupel_base::home::Home;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// A compiler that can be installed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Its name: `gcc-9`.
    pub name: String,
    /// The Debian release that has it.
    suite: String,
    /// Its path below the prefix.
    program: PathBuf,
    /// Folders of libraries below the prefix.
    #[serde(default)]
    libraries: Vec<PathBuf>,
    /// The loader below the prefix, if the release has a newer C library than other systems. The
    /// compiler then stops at assembly text.
    loader: Option<PathBuf>,
    /// The packages with checksums: the compiler itself.
    packages: Vec<Package>,
    /// Other packages that it needs, by name alone.
    #[serde(default)]
    needs: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Package {
    name: String,
    version: String,
    sha256: String,
}

/// The compilers that can be installed, by ascending version.
pub fn known() -> &'static [Known] {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        compiler: Vec<Known>,
    }
    static KNOWN: OnceLock<Vec<Known>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let file: File = toml::from_str(include_str!("debian.toml")).expect("tested");
        file.compiler
    })
}

/// The compiler of a given name.
///
/// # Errors
/// If there is none, with those that there are.
pub fn find_named(name: &str) -> Result<&'static Known> {
    known().iter().find(|known| known.name == name).with_context(|| {
        let names: Vec<&str> = known().iter().map(|known| known.name.as_str()).collect();
        format!(
            "{name} cannot be installed this way, but {} can; use any other compiler by its path \
             (--compiler)",
            names.join(", ")
        )
    })
}

/// The compilers that are installed already.
pub fn installed(home: &Home) -> Vec<Launch> {
    known().iter().filter(|known| known.folder(home).is_dir()).map(|k| k.launch(home)).collect()
}

/// The list of a compiler's packages with their checksums, which distinguishes it from others.
pub fn packages(program: &Path) -> Option<String> {
    program.ancestors().find_map(|folder| std::fs::read_to_string(folder.join(LIST)).ok())
}

/// The file that lists the unpacked packages.
const LIST: &str = "cupel-packages.txt";

/// The time limit for one step of apt.
const PATIENCE: Duration = Duration::from_secs(600);

impl Known {
    /// The folder in which it is or would be installed.
    pub fn folder(&self, home: &Home) -> PathBuf {
        home.cache.join("toolchains/c").join(&self.name)
    }

    fn launch(&self, home: &Home) -> Launch {
        self.launch_in(&self.folder(home))
    }

    fn launch_in(&self, prefix: &Path) -> Launch {
        let program = prefix.join(&self.program);
        let libraries = std::env::join_paths(self.libraries.iter().map(|l| prefix.join(l))).ok();
        let libraries = libraries.filter(|l| !l.is_empty());
        let Some(loader) = &self.loader else {
            return Launch { libraries, ..Launch::plain(program) };
        };
        let path = libraries.unwrap_or_default();
        let loader = prefix.join(loader).into_os_string();
        // Everything that the driver starts uses the same loader.
        let mut wrapper = loader.clone();
        wrapper.push(",--library-path,");
        wrapper.push(&path);
        Launch {
            loader: vec![loader, "--library-path".into(), path],
            arguments: vec!["-wrapper".into(), wrapper],
            text_only: true,
            ..Launch::plain(program)
        }
    }

    /// Downloads, checks and unpacks it, unless it is installed. Returns whether it was installed
    /// now.
    ///
    /// # Errors
    /// If a step fails; nothing is left behind then.
    pub fn add(&self, home: &Home) -> Result<bool> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            bail!(
                "checksums are recorded only for Linux on x86-64; install {} with your system's tools, and \
                 cupel will find it",
                self.name
            );
        }
        installed::add(home, &self.folder(home), &|work| self.install(work))
    }

    /// The folder with the compiler, below the one to work in.
    fn install(&self, work: &Path) -> Result<PathBuf> {
        let apt = Apt::over(work, &self.suite)?;
        apt.get(&["update"])?;
        let own = self.packages.iter().map(|p| format!("{}={}", p.name, p.version));
        let needed = self.needs.iter().map(|name| format!("{name}/{}", self.suite));
        let names: Vec<String> = own.chain(needed).collect();
        let mut words = vec!["download"];
        words.extend(names.iter().map(String::as_str));
        apt.get(&words)
            .with_context(|| format!("the packages of {} in Debian {}", self.name, self.suite))?;
        let prefix = work.join("prefix");
        self.unpack(&apt.downloads(), &prefix)?;
        if let Err(refusal) = launch::identify(&self.launch_in(&prefix)) {
            bail!("{} was unpacked and does not run here: {}", self.name, refusal.reason);
        }
        Ok(prefix)
    }

    /// Checks the packages of a folder and unpacks them.
    fn unpack(&self, downloads: &Path, prefix: &Path) -> Result<()> {
        std::fs::create_dir_all(prefix)
            .with_context(|| format!("cannot make {}", prefix.display()))?;
        let mut files: Vec<PathBuf> = std::fs::read_dir(downloads)?
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|e| e == "deb"))
            .collect();
        files.sort();
        let mut list = String::new();
        for file in &files {
            let sum = hex::encode(Sha256::digest(std::fs::read(file)?));
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let name = stem.split('_').next().unwrap_or("");
            if let Some(own) = self.packages.iter().find(|own| own.name == name)
                && own.sha256 != sum
            {
                bail!("{stem} has the SHA-256 {sum}, not the recorded {}: rejected", own.sha256);
            }
            list += &format!("{sum}  {stem}\n");
        }
        for own in &self.packages {
            if !list.contains(&format!("  {}_", own.name)) {
                bail!("apt downloaded no package {}", own.name);
            }
        }
        for file in &files {
            end(Command::new("dpkg-deb").arg("-x").arg(file).arg(prefix))?;
        }
        Ok(std::fs::write(prefix.join(LIST), list)?)
    }
}

/// apt with lists of its own. It writes only to this folder.
struct Apt {
    folder: PathBuf,
}

impl Apt {
    fn over(folder: &Path, suite: &str) -> Result<Apt> {
        for part in ["state/lists/partial", "cache/archives/partial", "downloads"] {
            std::fs::create_dir_all(folder.join(part))
                .with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let mirror = mirror(Path::new("/etc/apt"))?;
        let keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let source = format!("deb [arch=amd64 signed-by={keys}] {mirror} {suite} main\n");
        std::fs::write(folder.join("sources.list"), source)?;
        std::fs::write(folder.join("state/status"), "")?;
        Ok(Apt { folder: folder.to_path_buf() })
    }

    fn downloads(&self) -> PathBuf {
        self.folder.join("downloads")
    }

    fn get(&self, words: &[&str]) -> Result<()> {
        let mut command = Command::new("apt-get");
        command.current_dir(self.downloads()).env("LC_ALL", "C").arg("--quiet");
        for (key, part) in [
            ("Dir::State", "state"),
            ("Dir::State::status", "state/status"),
            ("Dir::Cache", "cache"),
            ("Dir::Etc::SourceList", "sources.list"),
        ] {
            let mut option = OsString::from(format!("{key}="));
            option.push(self.folder.join(part));
            command.arg("-o").arg(option);
        }
        for option in [
            "Dir::Etc::SourceParts=/dev/null",
            "APT::Architecture=amd64",
            "APT::Architectures=amd64",
            "Acquire::Languages=none",
            // Only the lists of packages.
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
            "Acquire::IndexTargets::deb::CNF::DefaultEnabled=false",
            // If root runs this, apt's own user cannot write into the folder.
            "APT::Sandbox::User=root",
        ] {
            command.arg("-o").arg(option);
        }
        end(command.args(words))
    }
}

/// Runs a program and requires success.
fn end(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let said = bounded::run(command, PATIENCE)
        .with_context(|| format!("{program}, which is part of Debian and Ubuntu"))?;
    if !said.status.success() {
        let mut worst =
            ["E:", "W:"].iter().filter_map(|s| said.err.lines().find(|l| l.starts_with(s)));
        let line = worst.next().or(said.err.lines().last());
        bail!("{program}: {}", line.unwrap_or("it failed without a message").trim());
    }
    Ok(())
}

/// The Debian mirror that this system uses.
fn mirror(etc: &Path) -> Result<String> {
    if let Some(given) = std::env::var_os("CUPEL_DEBIAN_MIRROR").filter(|m| !m.is_empty()) {
        return Ok(given.to_string_lossy().into_owned());
    }
    let parts = std::fs::read_dir(etc.join("sources.list.d")).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = parts.map(|entry| entry.path()).collect();
    files.sort();
    files.insert(0, etc.join("sources.list"));
    let texts = files.iter().filter_map(|file| std::fs::read_to_string(file).ok());
    texts.into_iter().find_map(|text| mirror_in(&text)).context(
        "apt's sources on this system name no Debian mirror; set CUPEL_DEBIAN_MIRROR to the address \
         of one",
    )
}

fn mirror_in(text: &str) -> Option<String> {
    let lines = text.lines().map(str::trim);
    let sources = lines.filter(|l| l.starts_with("deb ") || l.starts_with("URIs:"));
    let mut words = sources.flat_map(str::split_whitespace);
    words
        .find(|word| word.contains("://") && word.trim_end_matches('/').ends_with("/debian"))
        .map(|word| word.trim_end_matches('/').to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_compiler_has_packages_with_checksums() {
        for known in known() {
            assert!(known.packages.iter().all(|p| p.sha256.len() == 64), "{}", known.name);
            assert!(!known.packages.is_empty() && known.program.is_relative(), "{}", known.name);
        }
        let names: Vec<&str> = known().iter().map(|known| known.name.as_str()).collect();
        assert!(["gcc-9", "gcc-14", "clang-13", "clang-19"].iter().all(|n| names.contains(n)));
        assert!(find_named("gcc-4.8").unwrap_err().to_string().contains("gcc-9, "));
    }

    #[test]
    fn the_archive_is_that_of_this_system() {
        let one = "# deb http://old.example/debian x main\ndeb [arch=amd64] http://a.example/debian/ y main";
        assert_eq!(mirror_in(one).as_deref(), Some("http://a.example/debian"));
        let two = "Types: deb\nURIs: https://b.example/debian\nSuites: y";
        assert_eq!(mirror_in(two).as_deref(), Some("https://b.example/debian"));
        let neither = "deb http://c.example/debian-security y main\nURIs: http://d.example/apt";
        assert_eq!(mirror_in(neither), None);
    }

    #[test]
    fn a_package_with_another_checksum_is_not_unpacked() {
        let (downloads, prefix) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let known = find_named("gcc-9").unwrap();
        for package in &known.packages {
            let name = format!("{}_{}_amd64.deb", package.name, package.version);
            std::fs::write(downloads.path().join(name), "not it").unwrap();
        }
        let error = known.unpack(downloads.path(), prefix.path()).unwrap_err().to_string();
        assert!(error.contains("not the recorded"), "{error}");
        assert_eq!(std::fs::read_dir(prefix.path()).unwrap().count(), 0);
    }
}
