//! Anything that `cupel install` installs.

use crate::c::debian::Known;
use crate::c::zig;
use crate::jvm::jre::{self, Jre};
use crate::language::releases::{self, Release};
use crate::language::versions;
use crate::library::{self, Known as OfLibrary};
use anyhow::Result;
use cupel_base::home::Home;
use cupel_base::name::ContenderName;
use cupel_base::problem::Problem;
use cupel_contender::{Kind, families};
use std::path::PathBuf;

/// A toolchain, or a release of a library.
#[derive(Clone, Copy)]
pub enum Installable {
    /// A Java runtime.
    Jre(&'static Jre),
    /// A version of a language.
    Release(&'static Release),
    /// A C compiler.
    Compiler(&'static Known),
    /// A release of a library.
    Library(OfLibrary),
    /// The compiler for WebAssembly.
    Zig,
}

impl Installable {
    /// The releases of an implementation that can be installed: of its library, or else of the
    /// toolchain that hosts it.
    ///
    /// # Errors
    /// If the file of a family is wrong.
    pub fn releases_of(home: &Home, code: &ContenderName) -> Result<Vec<Installable>, Problem> {
        if let Some(library) = library::of_contender(code) {
            return Ok(library.known().map(Installable::Library).collect());
        }
        let families = families(home)?;
        let Some(family) = families.iter().find(|family| family.declares(code)) else {
            return Ok(vec![]);
        };
        if matches!(family.kind, Kind::Jvm(_)) {
            return Ok(jre::KNOWN.iter().map(Installable::Jre).collect());
        }
        let language = versions::language_of(&family.kind).into_iter();
        Ok(language.flat_map(releases::known).map(Installable::Release).collect())
    }

    /// The toolchain in names of its contenders, on `host` if it needs one: `1.1.1w`, `go-1.24`.
    pub fn toolchain(&self, host: Option<&str>) -> String {
        match self {
            Installable::Jre(jre) => format!("temurin-{}", jre.major),
            Installable::Release(release) => release.language.short_name(release.version),
            Installable::Compiler(known) => known.name.to_string(),
            // A jar runs on a JDK; a built program runs by itself.
            Installable::Library(known) => match host.filter(|_| known.library.usual_jar() != "") {
                Some(host) => ContenderName::on_host(host, known.version()),
                None => known.version().to_string(),
            },
            Installable::Zig => "zig".to_string(),
        }
    }

    /// Its name and its size, in words.
    pub fn words(&self) -> String {
        match self {
            Installable::Jre(jre) => format!("Temurin {} (35 MB)", jre.version),
            Installable::Release(release) => {
                let title = release.language.title;
                format!("{title} {} ({} MB)", release.version, release.megabytes())
            }
            Installable::Compiler(known) => format!("{} (20 to 90 MB)", known.name),
            Installable::Library(known) => known.words(),
            Installable::Zig => format!("Zig {} (94 MB)", zig::VERSION),
        }
    }

    /// The folder in which it is or would be installed.
    pub fn folder(&self, home: &Home) -> PathBuf {
        match self {
            Installable::Jre(jre) => jre.folder(home),
            Installable::Release(release) => release.folder(home),
            Installable::Compiler(known) => known.folder(home),
            Installable::Library(known) => known.folder(home),
            Installable::Zig => zig::folder(home),
        }
    }

    /// Installs it, unless it is installed. Returns whether it was installed now.
    ///
    /// # Errors
    /// If a step fails; nothing is left behind then.
    pub fn install(&self, home: &Home, say: &dyn Fn(&str)) -> Result<bool> {
        match self {
            Installable::Jre(jre) => jre.add(home),
            Installable::Release(release) => release.add(home),
            Installable::Compiler(known) => known.add(home),
            Installable::Library(known) => known.add(home, say),
            Installable::Zig => zig::add(home),
        }
    }
}
