//! One file of `contenders/`: how a family of contenders is found and built, and their versions.

mod declared;
mod reader;

pub use self::declared::Declared;

use self::declared::{RawContender, is_of_another};
use self::declared::{same_code_is_of_one_library, secondaries_are_known};
use self::reader::File;
use cupel_base::disk::real;
use cupel_base::home::Home;
use cupel_base::name::ContenderName;
use cupel_base::packages;
use cupel_base::problem::{Problem, Written, did_you_mean, text_of};
use cupel_protocol::message::Refusal;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// The values of `runner`.
const RUNNERS: [&str; 8] = ["native", "matrix", "rust", "go", "node", "python", "jvm", "program"];

/// The most contenders of a family: three times the largest family's.
const MOST_CONTENDERS: usize = 256;

/// A family of contenders that one runner hosts.
#[derive(Clone, Debug)]
pub struct Family {
    /// Its file.
    pub path: PathBuf,
    /// The file's name without the extension: `openssl`.
    pub name: String,
    /// The first part of its contenders' names: `c` in `c/openssl-reused`.
    pub prefix: String,
    /// The last part of its contenders' names, if it is hosted on several toolchains: `temurin-25`
    /// in `jvm/jdk@temurin-25`.
    pub toolchain: Option<String>,
    /// The way in which it is built and hosted.
    pub kind: Kind,
    /// The message if something that it needs is missing.
    pub missing: Option<Refusal>,
    /// The SHA-256 of the file, in hex: its content may have changed since.
    pub digest: String,
    /// Whether its runner is kept from the network and from your files.
    pub confined: bool,
    /// Its contenders.
    pub contenders: Vec<Declared>,
}

/// The way in which a family is built and hosted.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A C file, loaded by the native runner.
    Native(Native),
    /// A C file, built by every compiler with every flag.
    Matrix(Matrix),
    /// A Cargo package that is a runner.
    Rust(Package),
    /// A Go module that is a runner.
    Go(Sources),
    /// A package of Node.js that is a runner.
    Node(Sources),
    /// A program in Python that is a runner, and its requirements.
    Python(Sources),
    /// A program that is a runner.
    Program(Program),
    /// The runner on the JVM, on every JDK that was found.
    Jvm(Jvm),
}

/// A C file and its flags.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Native {
    /// The C file, relative to Cupel's folder.
    pub source: PathBuf,
    /// Compiler flags.
    #[serde(default)]
    pub cflags: Vec<String>,
    /// The packages to ask `pkg-config` for.
    #[serde(default)]
    pub pkg_config: Vec<String>,
    /// Linker flags, for libraries that `pkg-config` does not know.
    #[serde(default)]
    pub libs: Vec<String>,
    /// Folders that all files may include from, relative to Cupel's folder.
    #[serde(default)]
    pub include: Vec<PathBuf>,
    /// Other C files of the same object, in groups with flags of their own.
    #[serde(default)]
    pub unit: Vec<Unit>,
}

/// A C file, with the compilers and flags to build it with.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// The C file, relative to Cupel's folder.
    pub source: PathBuf,
    /// Names of compilers (`gcc-12`) that are listed as missing if they are not installed, and
    /// paths of others. All other compilers that were found are used too.
    #[serde(default)]
    pub compilers: Vec<String>,
    /// The optimisation levels, one by one: `-O2`.
    pub flags: Vec<String>,
    /// Whether to build each level a second time with `-march=native`.
    #[serde(default)]
    pub native: bool,
    /// The flags that all builds share.
    #[serde(default)]
    pub cflags: Vec<String>,
    /// Folders that all files may include from, relative to Cupel's folder.
    #[serde(default)]
    pub include: Vec<PathBuf>,
    /// Other C files of the same object, in groups with flags of their own.
    #[serde(default)]
    pub unit: Vec<Unit>,
}

/// C files that are compiled with the same flags.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// The C files, relative to Cupel's folder.
    pub sources: Vec<PathBuf>,
    /// Compiler flags in addition to the family's own.
    #[serde(default)]
    pub cflags: Vec<String>,
    /// The only architecture that they are for, in Rust's spelling: `x86_64`, `aarch64`.
    pub arch: Option<String>,
}

impl Native {
    /// The additional files for this machine's architecture, with their own flags.
    pub fn units(&self) -> impl Iterator<Item = (&PathBuf, &[String])> {
        let arch = std::env::consts::ARCH;
        let here = self.unit.iter().filter(move |u| u.arch.as_deref().is_none_or(|a| a == arch));
        here.flat_map(|unit| unit.sources.iter().map(|source| (source, unit.cflags.as_slice())))
    }
}

/// A Cargo package.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    /// Its workspace's manifest, relative to Cupel's folder.
    pub manifest: PathBuf,
    /// Its name, which is also its binary's.
    pub package: String,
    /// The configuration of its crates, as `--cfg` of the compiler: `aes_backend="avx512"`.
    #[serde(default)]
    pub cfgs: Vec<String>,
}

/// The sources of a runner in a language with its own build tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sources {
    /// Their folder, relative to Cupel's folder.
    pub folder: PathBuf,
}

impl Sources {
    /// Their real folder, so that a home made of links shares its builds.
    pub fn real(&self, home: &Home) -> PathBuf {
        real(&home.root.join(&self.folder))
    }
}

/// A command line; relative paths are relative to the working directory.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Program and arguments.
    pub command: Vec<String>,
}

/// How to start the runner on the JVM.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jvm {
    /// Major versions of Java that are listed as missing if there is no JDK of them. Others are
    /// used too.
    pub majors: Vec<u32>,
    /// Options of the JVM.
    #[serde(default)]
    pub options: Vec<String>,
}

/// The `missing` table of a file. Unlike a message's refusal, it must not have unknown fields: they
/// are misspelt.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMissing {
    reason: String,
    remedy: Option<String>,
}

impl Family {
    /// Reads a family's file.
    ///
    /// # Errors
    /// The first mistake, with its line.
    pub fn load(path: &Path) -> Result<Family, Problem> {
        let text = text_of(path)?;
        let file = File { path, text: &text };
        let mut table = DeTable::parse(&text).map_err(|e| Problem::of_toml(path, &text, &e))?;
        // The keys that all families share are taken out. The rest must be the keys of this kind of
        // runner.
        let runner = file.text_at("runner", &mut table)?;
        let prefix = file.text_at("prefix", &mut table)?.into_inner();
        let missing = file.optional::<RawMissing>("missing", &mut table)?;
        let missing = missing.map(|RawMissing { reason, remedy }| Refusal {
            reason,
            remedy: remedy.as_deref().map(packages::remedy),
        });
        let confined = file.optional("confined", &mut table)?.unwrap_or(true);
        let contenders: Option<Vec<RawContender>> = file.optional("contender", &mut table)?;
        let too_many = contenders.as_ref().and_then(|contenders| contenders.get(MOST_CONTENDERS));
        if let Some(first) = too_many {
            let what = format!("a family has at most {MOST_CONTENDERS} contenders");
            let problem = file.at(first.name.span().start, what);
            return Err(problem.help("divide it into several files"));
        }
        let kind = match runner.get_ref().as_str() {
            "native" => Kind::Native(file.rest(table)?),
            "matrix" => Kind::Matrix(file.rest(table)?),
            "rust" => Kind::Rust(file.rest(table)?),
            "go" => Kind::Go(file.rest(table)?),
            "node" => Kind::Node(file.rest(table)?),
            "python" => Kind::Python(file.rest(table)?),
            "program" => Kind::Program(file.rest(table)?),
            "jvm" => Kind::Jvm(file.rest(table)?),
            other => {
                let problem = file.at(runner.span().start, format!("unknown runner \"{other}\""));
                return Err(problem.help(
                    did_you_mean(other, RUNNERS, Written::Value)
                        .unwrap_or_else(|| format!("the known ones are {}", RUNNERS.join(", "))),
                ));
            }
        };
        let mut contenders = contenders.unwrap_or_default();
        secondaries_are_known(&contenders, &file)?;
        same_code_is_of_one_library(&mut contenders);
        let contenders =
            contenders.into_iter().map(|raw| raw.declared(&file)).collect::<Result<Vec<_>, _>>()?;
        let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let path = path.to_path_buf();
        let digest = hex::encode(Sha256::digest(&text));
        Ok(Family {
            path,
            name,
            prefix,
            toolchain: None,
            kind,
            missing,
            digest,
            confined,
            contenders,
        })
    }

    /// This family with its files in this folder instead of Cupel's.
    fn below(mut self, folder: &Path) -> Family {
        let paths: Vec<&mut PathBuf> = match &mut self.kind {
            Kind::Native(Native { source, include, unit, .. })
            | Kind::Matrix(Matrix { source, include, unit, .. }) => {
                let of_units = unit.iter_mut().flat_map(|unit| &mut unit.sources);
                [source].into_iter().chain(include).chain(of_units).collect()
            }
            Kind::Rust(package) => vec![&mut package.manifest],
            Kind::Go(sources) | Kind::Node(sources) | Kind::Python(sources) => {
                vec![&mut sources.folder]
            }
            // As in a shell, a program without a slash is one of the path.
            Kind::Program(Program { command }) => {
                for (at, word) in command.iter_mut().enumerate() {
                    let file = folder.join(&*word);
                    let is_path = at > 0 || Path::new(word).components().count() > 1;
                    if is_path && file.is_file() {
                        *word = file.to_string_lossy().into_owned();
                    }
                }
                vec![]
            }
            Kind::Jvm(_) => vec![],
        };
        for path in paths {
            *path = folder.join(&*path);
        }
        self
    }

    /// A contender's full name: `c/openssl-reused`, `jvm/jdk@temurin-25`. One of another family is
    /// full already.
    pub fn full_name(&self, contender: &str) -> ContenderName {
        let full = ContenderName::from(contender);
        if full.family().is_some() {
            return full;
        }
        ContenderName::new(&self.prefix, contender, self.toolchain.as_deref())
    }

    /// Whether it declares a contender of this full name.
    pub fn declares(&self, name: &str) -> bool {
        self.contenders.iter().any(|c| self.full_name(&c.name) == *name)
    }

    /// Whether it is on one of several versions of its language or its library, next to the same
    /// family without one.
    pub fn is_versioned(&self) -> bool {
        let is_release = self.full_name("").host_of_release().is_some();
        match self.kind {
            Kind::Matrix(_) => false,
            Kind::Jvm(_) => is_release,
            _ => self.toolchain.is_some(),
        }
    }

    /// This family on a toolchain.
    pub fn on(&self, toolchain: &str) -> Family {
        Family { toolchain: Some(toolchain.to_string()), ..self.clone() }
    }
}

/// Reads every family of `contenders/`, in the order of their file names, then the user's own.
///
/// # Errors
/// The first mistake in one of the files.
pub fn families(home: &Home) -> Result<Vec<Family>, Problem> {
    let mut families = families_in(&home.root)?;
    for folder in home.own.iter().filter(|folder| folder.join("contenders").is_dir()) {
        families.extend(families_in(folder)?.into_iter().map(|family| family.below(folder)));
    }
    no_doubles(&families)?;
    others_are_known(&families)?;
    Ok(families)
}

/// The families whose files are in the folder `contenders/` of this one.
fn families_in(folder: &Path) -> Result<Vec<Family>, Problem> {
    let folder = folder.join("contenders");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .map_err(|e| Problem {
            path: folder.clone(),
            line: 0,
            what: format!("cannot read the folder: {e}"),
            help: None,
        })?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    paths.iter().map(|path| Family::load(path)).collect()
}

/// Rejects two families or two contenders with one name.
fn no_doubles(families: &[Family]) -> Result<(), Problem> {
    let mut files = HashMap::new();
    let mut seen = HashMap::new();
    for family in families {
        if let Some(other) = files.insert(&family.name, &family.path) {
            let what = format!("the family {} is in {} too", family.name, other.display());
            return Err(Problem::whole(&family.path, what).help("rename one of the files"));
        }
        // A matrix has no contender with the bare name.
        let matrix = matches!(family.kind, Kind::Matrix(_));
        for contender in &family.contenders {
            let name = family.full_name(&contender.name);
            if let Some(other) = seen.insert((name.clone(), matrix), &family.path) {
                let name = if matrix { format!("{name}@") } else { name.to_string() };
                let what = format!("contender {name} is declared in {} too", other.display());
                return Err(Problem {
                    path: family.path.clone(),
                    line: contender.line,
                    what,
                    help: None,
                });
            }
        }
    }
    Ok(())
}

/// Rejects a contender that is secondary to one of another family that is not there, or is
/// secondary itself.
fn others_are_known(families: &[Family]) -> Result<(), Problem> {
    let mut independent = HashSet::new();
    for family in families {
        let own = family.contenders.iter().filter(|c| c.secondary.is_none());
        independent.extend(own.map(|c| family.full_name(&c.name)));
    }
    for family in families {
        for contender in &family.contenders {
            let Some((kind, other)) = &contender.secondary else { continue };
            if is_of_another(other) && !independent.contains(&ContenderName::from(other.as_str())) {
                let what = format!(
                    "{} is a {} of \"{other}\", which is itself a forced path or a second style",
                    contender.name,
                    kind.words()
                );
                return Err(Problem {
                    path: family.path.clone(),
                    line: contender.line,
                    what,
                    help: Some("`cupel list` shows the names".into()),
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_another_family_s_contender_must_be_of_one_that_stands_for_itself() {
        let folder = tempfile::tempdir().unwrap();
        let load = |name: &str, rest: &str| {
            let path = folder.path().join(format!("{name}.toml"));
            let text = format!(
                "runner = \"program\"\nprefix = \"{name}\"\ncommand = [\"x\"]\n[[contender]]\n\
                 name = \"a\"\noffers = [\"sha256:digest\"]\n{rest}"
            );
            std::fs::write(&path, text).unwrap();
            Family::load(&path).unwrap()
        };
        let all = |of: &str| {
            let path = format!("forced_path_of = \"{of}\"\n");
            others_are_known(&[
                load("own", ""),
                load("wide", &path),
                load("third", "style_of = \"wide/a\"\n"),
            ])
        };
        let (_, second) = (load("own", ""), load("wide", "forced_path_of = \"own/a\"\n"));
        assert_eq!(others_are_known(&[load("own", ""), second.clone()]), Ok(()));
        assert_eq!(
            second.full_name(&second.contenders[0].secondary.as_ref().unwrap().1).as_str(),
            "own/a"
        );
        let problem = all("own/b").unwrap_err();
        assert_eq!(problem.line, 5, "{problem:?}");
        assert!(problem.what.starts_with("a is a forced path of \"own/b\", which"), "{problem:?}");
        let problem = all("own/a").unwrap_err();
        assert!(problem.path.ends_with("third.toml"), "{problem:?}");
    }
}
