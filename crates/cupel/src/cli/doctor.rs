//! `cupel doctor`: what is installed, what is missing, and the command that adds it.

use super::{Context, Exit, print};
use crate::contender::{self, State};
use crate::machine::{self, Machine, Reading};
use crate::report::toolchains;
use crate::text::{count, folded, plain, tell};
use crate::toolchain::{Wanted, cc};
use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Report what is installed, what is missing, and the command that adds it
///
/// Also prints what Cupel knows about this machine: its processor, the processor that it measures
/// on, and which disturbances it can detect.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel doctor
  cupel doctor --build     also reports what fails to build")]
pub struct Args {
    /// Build the runners first, to report also what fails to build
    #[arg(long)]
    build: bool,
    /// Print only the folder with Cupel's own files: suites, contenders, the runners' sources
    #[arg(long, conflicts_with = "build")]
    files: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    if args.files {
        print(&format!("{}\n", home.root.display()))?;
        return Ok(Exit::Well);
    }
    let mut out = String::new();
    let machine = Machine::look();
    let _ = writeln!(out, "machine      {}", plain(&machine.line()));
    let root = home.root.display().to_string();
    let _ = writeln!(out, "files        {} ({})", plain(&root), home.origin());
    for own in &home.own {
        let _ = writeln!(out, "             {} (your own)", plain(&own.display().to_string()));
    }
    reading(&mut out, "stepping", &machine.stepping);
    reading(&mut out, "microcode", &machine.microcode);
    reading(&mut out, "governor", &machine.governor);
    if let Some(flags) = machine.flags.known() {
        let notable = [
            "sha_ni",
            "avx2",
            "avx512f",
            "vaes",
            "aes",
            "pclmulqdq",
            "bmi2",
            "ssse3",
            "sha2",
            "sha512",
            "pmull",
            "asimd",
        ];
        let here: Vec<&str> =
            notable.into_iter().filter(|t| flags.iter().any(|f| f == t)).collect();
        let lacks: Vec<&str> = ["sha_ni", "avx2", "avx512f", "vaes", "aes"]
            .into_iter()
            .filter(|t| machine.architecture == "x86_64" && !flags.iter().any(|f| f == t))
            .collect();
        let _ = writeln!(
            out,
            "extensions   {}; lacks {}",
            here.join(" "),
            if lacks.is_empty() { "none".into() } else { lacks.join(" ") }
        );
    }
    match machine::measuring_cpu() {
        Some(cpu) if machine.cpus > 1 => {
            let _ =
                writeln!(out, "measures on  processor {cpu}; the tool itself runs on the others");
        }
        Some(cpu) => {
            let _ = writeln!(
                out,
                "measures on  processor {cpu}, the only one, so the tool disturbs what it measures"
            );
        }
        None => {
            let _ = writeln!(
                out,
                "measures on  any processor: this system cannot pin a process to one"
            );
        }
    }
    match machine::stolen_ns(machine::measuring_cpu()) {
        Reading::Known(_) => drop(writeln!(
            out,
            "disturbances seen through schedstat, thread time, page faults, steal"
        )),
        Reading::NotAvailable(why) => drop(writeln!(out, "steal        not available here: {why}")),
    }
    let missing = cc::missing();
    let _ = match cc::located(&cc::compiler()) {
        Some(path) => writeln!(out, "C compiler   {}", plain(&path.display().to_string())),
        None => writeln!(
            out,
            "C compiler   none: {} is not there; remedy: {}",
            plain(&cc::compiler().display().to_string()),
            missing.remedy.as_deref().unwrap_or("unknown")
        ),
    };
    for (language, toolchains) in toolchains::by_language(&home) {
        let _ = writeln!(out, "{language:<12} {toolchains}");
    }
    let _ = writeln!(out, "store        {}", home.store.display());
    let _ = writeln!(out, "cache        {}", home.cache.display());

    let contenders = contender::find(&home, &Wanted::plain(args.build), &|what| {
        tell(&format!("cupel: {what}"))
    })?;
    let mut ready = 0;
    let mut trouble: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for contender in &contenders {
        let line = match &contender.state {
            State::Ready { .. } => {
                ready += 1;
                continue;
            }
            State::Missing(r) if *r == missing => {
                "there is no C compiler\n    remedy: see above".to_string()
            }
            State::Missing(r) | State::Failed(r) => {
                let remedy =
                    r.remedy.as_deref().map(|remedy| format!("\n    remedy: {}", plain(remedy)));
                plain(&r.reason) + &remedy.unwrap_or_default()
            }
            State::Unbuilt => {
                "not built yet\n    remedy: cupel run, or cupel doctor --build".to_string()
            }
        };
        trouble.entry(line).or_default().push(plain(&contender.name));
    }
    // The answer comes first.
    let all = count(contenders.len(), "contender");
    out.insert_str(0, &format!("{ready} of {all} ready\n"));
    for (line, names) in trouble {
        let _ = writeln!(out, "\n  {}:\n    {line}", names.join(", "));
    }
    for line in out.lines() {
        let indent = line.len() - line.trim_start().len();
        print(&format!("{}\n", folded(&line[..indent], line.trim_start())))?;
    }
    Ok(Exit::Well)
}

fn reading(out: &mut String, name: &str, reading: &Reading<String>) {
    let _ = match reading {
        Reading::Known(fact) => writeln!(out, "{name:<12} {}", plain(fact)),
        Reading::NotAvailable(why) => writeln!(out, "{name:<12} not available here: {why}"),
    };
}
