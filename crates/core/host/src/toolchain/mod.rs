//! Where contenders come from: the families of `contenders/`, and the compilers and build tools
//! that turn each family into a runner's command line.

mod builds;
mod c;
mod family;
mod installable;
mod jvm;
mod language;
pub mod library;
pub mod ship;
pub mod trust;

pub use builds::cargo::first_error;
pub use builds::installed::remove;
pub use builds::stopwatch::building;
pub use builds::tracer::{Agent, Tracer, tracer};
pub use c::hide::Features;
pub use c::loads::loads;
pub use c::matrix::Variant;
pub use c::wasm::UNBUILT;
pub use family::declared::{Declared, SecondaryKind};
pub use family::environment::variables;
pub use family::naming::numbers;
pub use family::{Family, Kind};
pub use installable::Installable;
pub use jvm::jdk::{Jdk, found as jdks};
pub use language::found::{found as on_versions, known as on_known_versions};

pub use builds::shipped;
pub use c::{cc, compiler, debian, kept, layout, zig};
pub use jvm::jre;
pub use language::{newest, releases, version, versions};

use builds::cargo;
use c::{matrix, native};
use jvm::jdk;
use language::{go, node, python};

use cupel_base::home::Home;
use cupel_base::name::{ContenderName, Pattern};
use cupel_base::primitives::EMPTY;
use cupel_base::problem::Problem;
use cupel_protocol::message::Refusal;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A family that is ready, or why it is not.
#[derive(Clone, Debug)]
pub struct Built {
    /// The family.
    pub family: Family,
    /// The runner's command line, or why all its contenders are absent.
    pub command: Result<Vec<OsString>, Absent>,
    /// Where the runner's list can be kept between runs: only for a runner that starts slowly, and
    /// whose list depends only on the file name.
    pub listing: Option<PathBuf>,
    /// Its difference from its siblings, if it is part of a matrix.
    pub variant: Option<Variant>,
    /// The last argument of the command for each layout, if it has several.
    pub layouts: Vec<PathBuf>,
}

impl Built {
    fn alone(
        family: Family,
        command: Result<Vec<OsString>, Absent>,
        listing: Option<PathBuf>,
    ) -> Built {
        Built { family, command, listing, variant: None, layouts: Vec::new() }
    }

    /// Whether its runner is not confined: the family's file says so, or its program gains
    /// privileges by being started, which a confined process cannot.
    pub fn is_unconfined(&self) -> bool {
        let program = self.command.as_ref().ok().and_then(|words| words.first());
        !self.family.confined || program.is_some_and(|program| gains_privileges(program))
    }
}

/// Whether a program runs as another user or group than the one that starts it, or is a snap, which
/// such a program starts.
#[cfg(unix)]
fn gains_privileges(program: &OsStr) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let real = cc::located(Path::new(program)).and_then(|path| path.canonicalize().ok());
    let Some(real) = real else { return false };
    let mode = real.metadata().map_or(0, |about| about.permissions().mode());
    mode & 0o6000 != 0 || real.file_name().is_some_and(|name| name == "snap")
}

#[cfg(not(unix))]
fn gains_privileges(_: &OsStr) -> bool {
    false
}

/// Which contenders of this machine are wanted.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Whether to build contenders that are not built yet.
    pub build: bool,
    /// Names and patterns with which a suite, a filter or a claim asks for contenders. A matrix is
    /// included only if one of these names the part after the `@`.
    pub named: Vec<String>,
    /// Build only contenders that may match one of these; empty for everything that is named.
    pub narrow: Vec<String>,
    /// The runners to ask for their contenders. The others' contenders are known from the families'
    /// files.
    pub ask: Ask,
    /// Build and ask only families that declare one of these implementations, or none at all; empty
    /// for every family.
    pub implementations: Vec<String>,
    /// Compilers given by path.
    pub compilers: Vec<PathBuf>,
}

/// The runners that are asked for their contenders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ask {
    /// The runners of every family that is named.
    #[default]
    Every,
    /// Only the runners that one of the patterns may mean.
    Only(Vec<String>),
    /// None.
    None,
}

impl Wanted {
    /// Whether anything of a family may be meant, given the first part of its contenders' names.
    pub fn concerns(&self, prefix: &str) -> bool {
        may_mean(&self.named, prefix)
    }

    /// Whether a family's runner has to be asked for its contenders.
    pub fn asks(&self, family: &Family, families: &[Family]) -> bool {
        let ask = match &self.ask {
            Ask::Every => true,
            Ask::Only(texts) => may_be_of(texts, family, families),
            Ask::None => false,
        };
        ask && may_be_of(&self.named, family, families)
    }

    /// Whether a family may host one of the implementations, or the empty operation for one. If no
    /// family declares any of them, a name may be misspelt, and all may.
    pub fn may_host(&self, family: &Family, families: &[Family]) -> bool {
        let mut hosts = families.iter().filter(|family| self.names_one_of(family)).peekable();
        hosts.peek().is_none()
            || family.contenders.is_empty()
            || self.names_one_of(family)
            || (has_empty(family) && hosts.any(|host| host.prefix == family.prefix))
    }

    fn names_one_of(&self, family: &Family) -> bool {
        family.contenders.iter().any(|declared| self.implementations.contains(&declared.name))
    }

    /// Whether a family is to be built, if it is not.
    pub fn builds(&self, prefix: &str) -> bool {
        self.build && may_mean(&self.narrow, prefix)
    }

    /// Everything that the families declare, without matrices.
    pub fn plain(build: bool) -> Wanted {
        Wanted { build, ..Wanted::default() }
    }
}

fn may_mean(patterns: &[String], prefix: &str) -> bool {
    let mut all = patterns.iter().map(Pattern::new);
    patterns.is_empty() || all.any(|pattern| pattern.may_name_family(prefix))
}

/// Whether one of these, if there are any, may mean a contender of a family's runner. A name that a
/// file of `families` declares belongs to no other family. An empty operation is needed with all
/// contenders of its runner.
fn may_be_of(texts: &[String], family: &Family, families: &[Family]) -> bool {
    texts.is_empty()
        || texts.iter().any(|text| {
            let name = ContenderName::from(text.as_str());
            let of_another = !has_empty(family)
                && !text.contains('*')
                && !family.declares(name.code())
                && families.iter().any(|other| other.declares(name.code()));
            !of_another && Pattern::new(text).may_name_family(&family.prefix)
        })
}

fn has_empty(family: &Family) -> bool {
    let mut offers = family.contenders.iter().flat_map(|c| &c.offers);
    offers.any(|offer| offer.primitive == EMPTY)
}

/// Why a family has no runner here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absent {
    /// Something is not installed.
    Missing(Refusal),
    /// The build failed, although nothing seems to be missing.
    Failed(Refusal),
    /// It is not built, and building was not wanted.
    Unbuilt,
}

impl Absent {
    fn failed(reason: impl Into<String>) -> Absent {
        Absent::Failed(Refusal::because(reason))
    }

    /// For a file or a folder that Cupel cannot `make`, `read` or `store`.
    fn cannot(act: &str, path: &Path, error: std::io::Error) -> Absent {
        Absent::failed(format!("cannot {act} {}: {error}", path.display()))
    }
}

/// The message about a contender whose toolchain is not installed. Nothing if no toolchain has this
/// name, as when it is misspelt.
pub fn elsewhere(contender: &ContenderName) -> Option<Refusal> {
    let toolchain = contender.toolchain()?;
    let library = library::of_contender(contender);
    if let Some(known) = library.and_then(|l| l.release(contender.release()).ok()) {
        let (library::Library { name, title, .. }, version) = (known.library, known.version());
        return Some(Refusal {
            reason: format!("{title} {version} is not installed"),
            remedy: Some(format!("cupel install {name} {version}")),
        });
    }
    if let Some(major) = jdk::major_of(toolchain) {
        let remedy = match jre::of(major) {
            // Cupel installs only Temurin's.
            Ok(_) if toolchain.starts_with("temurin-") => {
                format!("cupel install jdk {major}")
            }
            _ => format!("install {toolchain}"),
        };
        return Some(Refusal {
            reason: format!("{toolchain} is not installed"),
            remedy: Some(remedy),
        });
    }
    if let Some((language, version)) = versions::named(toolchain) {
        return Some(versions::absence(language, version, &[]));
    }
    let (compiler, version) = toolchain.split_once('-')?;
    let number = version.split('-').next().and_then(|v| v.split('.').next()?.parse::<u32>().ok());
    if !["gcc", "clang"].contains(&compiler) {
        return None;
    }
    let name = format!("{compiler}-{}", number?);
    Some(Refusal {
        reason: format!("{name} is not installed, or was not asked for"),
        remedy: Some(format!("cupel install {name}")),
    })
}

/// Whether code is compiled at run time on a toolchain of this name: a JDK or a Node.js.
pub fn is_jit(toolchain: &str) -> bool {
    jdk::major_of(toolchain).is_some() || versions::is_jit(toolchain)
}

/// Whether a toolchain of this name is a JDK.
pub fn is_jdk(toolchain: &str) -> bool {
    jdk::major_of(toolchain).is_some()
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
    family::no_doubles(&families)?;
    family::others_are_known(&families)?;
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

/// Prepares a family's runner, and builds it first if that is wanted. `say` reports everything that
/// takes long. A family that is hosted on several toolchains is returned once for each.
pub fn ready(home: &Home, family: &Family, wanted: &Wanted, say: &dyn Fn(&str)) -> Vec<Built> {
    if let Some(refusal) = trust::refusal(family) {
        return vec![Built::alone(family.clone(), Err(Absent::Missing(refusal)), None)];
    }
    let build = wanted.builds(&family.prefix);
    let command = match &family.kind {
        Kind::Jvm(jvm) => return jvm::ready(home, family, jvm, wanted, say),
        Kind::Matrix(matrix) => return matrix::ready(home, family, matrix, wanted, say),
        Kind::Native(native) => {
            let usual = library::usual(home, family, native)
                .and_then(|native| native::ready(home, family, &native, build, say));
            return with_releases(home, family, usual, wanted, &|release| {
                native::ready(home, &release.family, &release.native(native)?, release.build, say)
            });
        }
        Kind::Rust(package) => {
            let usual = rust(home, family, package, wanted, say);
            return with_releases(home, family, usual, wanted, &|release| {
                release.runner(home, package, say)
            });
        }
        Kind::Go(sources) => {
            return versions::ready(home, family, (&go::LANGUAGE, sources), wanted, say);
        }
        Kind::Node(sources) => {
            return versions::ready(home, family, (&node::LANGUAGE, sources), wanted, say);
        }
        Kind::Python(sources) => {
            return versions::ready(home, family, (&python::LANGUAGE, sources), wanted, say);
        }
        Kind::Program(program) => Ok(program.command.iter().map(OsString::from).collect()),
    };
    vec![Built::alone(family.clone(), command, None)]
}

/// A family as usual, then on each installed release of a library of it that is named, with the
/// command that `on` makes.
fn with_releases(
    home: &Home,
    family: &Family,
    usual: Result<Vec<OsString>, Absent>,
    wanted: &Wanted,
    on: &dyn Fn(&library::OnRelease) -> Result<Vec<OsString>, Absent>,
) -> Vec<Built> {
    let mut all = vec![Built::alone(family.clone(), usual, None)];
    for release in library::named(home, family, None, wanted) {
        let command = on(&release);
        all.push(Built::alone(release.family, command, None));
    }
    all
}

/// A Cargo package. One with flags of its own is built only where it is named: it needs another
/// build of all its crates, and few questions ask for it.
fn rust(
    home: &Home,
    family: &Family,
    package: &family::Package,
    wanted: &Wanted,
    say: &dyn Fn(&str),
) -> Result<Vec<OsString>, Absent> {
    let build = wanted.builds(&family.prefix);
    let named = package.cfgs.is_empty() || !wanted.named.is_empty();
    match cargo::ready(home, package, build && named, say) {
        Ok(program) => Ok(vec![program.into_os_string()]),
        Err(Absent::Unbuilt) if build && !named => Err(Absent::Missing(Refusal {
            reason: "it is built only if it is named, because it is one more build of its crates"
                .to_string(),
            remedy: Some(format!("cupel verify '{}/*'", family.prefix)),
        })),
        Err(absent) => Err(family.explain(absent)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_with_flags_of_its_own_is_built_only_if_it_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wide.toml");
        let home = Home {
            root: folder.path().to_path_buf(),
            own: vec![],
            cache: folder.path().join("cache"),
            store: folder.path().join("store"),
        };
        let state = |cfgs: &str, named: &[&str]| {
            let text = format!(
                "runner = \"rust\"\nprefix = \"wide\"\nmanifest = \"none/Cargo.toml\"\n\
                 package = \"none\"\ncfgs = {cfgs}\n"
            );
            std::fs::write(&path, text).unwrap();
            let family = Family::load(&path).unwrap();
            let named = named.iter().map(ToString::to_string).collect();
            let wanted = Wanted { build: true, named, ..Wanted::default() };
            ready(&home, &family, &wanted, &|_| ()).remove(0).command.unwrap_err()
        };
        // There is nothing to build, so a build fails.
        assert!(matches!(state("[]", &[]), Absent::Failed(_)));
        assert!(matches!(state("[\"wide\"]", &["wide/*"]), Absent::Failed(_)));
        let Absent::Missing(refusal) = state("[\"wide\"]", &[]) else { panic!("it was built") };
        assert_eq!(refusal.remedy.as_deref(), Some("cupel verify 'wide/*'"));
    }

    #[test]
    fn only_runners_of_which_something_may_be_wanted_are_asked() {
        let folder = tempfile::tempdir().unwrap();
        let family = |name: &str, prefix: &str, declared: &str| {
            let path = folder.path().join(format!("{name}.toml"));
            let text = format!("runner = \"program\"\nprefix = \"{prefix}\"\ncommand = [\"x\"]\n");
            std::fs::write(&path, text + declared).unwrap();
            Family::load(&path).unwrap()
        };
        let one = |name: &str, offer: &str| {
            format!("[[contender]]\nname = \"{name}\"\noffers = [\"{offer}\"]\n")
        };
        let families = [
            family("known", "c", &one("x", "sha256:digest")),
            family("unknown", "c", ""),
            family("empty", "c", &one("empty", "empty:digest")),
            family("jvm", "jvm", &one("jdk", "sha256:digest")),
        ];
        let asked = |named: &[&str], ask: Ask| {
            let named = named.iter().map(ToString::to_string).collect();
            let wanted = Wanted { named, ask, ..Wanted::default() };
            let asked = families.iter().filter(|family| wanted.asks(family, &families));
            asked.map(|family| family.name.as_str()).collect::<Vec<_>>()
        };
        let of_c = ["known", "unknown", "empty"];
        assert_eq!(asked(&[], Ask::Every), ["known", "unknown", "empty", "jvm"]);
        assert_eq!(asked(&["c/*"], Ask::Every), of_c);
        assert_eq!(asked(&["c/x"], Ask::Every), ["known", "empty"]);
        assert_eq!(asked(&["c/y"], Ask::Every), of_c, "no family declares it");
        assert_eq!(asked(&["jvm/jdk@temurin-21"], Ask::Every), ["jvm"]);
        let only = |text: &str| Ask::Only(vec![text.to_string()]);
        assert_eq!(asked(&["c/*", "jvm/*"], only("c/x")), ["known", "empty"]);
        assert!(asked(&["c/*"], Ask::None).is_empty());

        let may_host = |implementation: &str| {
            let wanted =
                Wanted { implementations: vec![implementation.to_string()], ..Wanted::default() };
            let hosts = families.iter().filter(|family| wanted.may_host(family, &families));
            hosts.map(|family| family.name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(may_host("x"), of_c);
        assert_eq!(may_host("jdk"), ["unknown", "jvm"]);
        assert_eq!(may_host("jdkk"), ["known", "unknown", "empty", "jvm"]);
    }
}
