//! `cupel doctor`: the installed and the missing parts, and the commands that add these.

use super::{Context, Exit, print, toolchains};
use anyhow::Result;
use cupel_analyse::leaders;
use cupel_base::home::Home;
use cupel_base::text::{count, folded, plain, tell};
use cupel_contender::Contender;
use cupel_machine::{Machine, Reading};
use cupel_toolchain::{Wanted, cc};
use cupel_verb::options::Length;
use cupel_verb::trouble::{in_brief, trouble};
use std::fmt::Write;

/// Report what is installed, what is missing, and how to add it
///
/// Also prints the model of the machine's CPU, and the processor that Cupel measures on. With
/// --all, Cupel adds the disturbances that it can detect, its folders, and the names that it
/// otherwise leaves out.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel doctor
  cupel doctor --build     also reports what fails to build
  cupel doctor --all       more about this machine, and all names")]
pub struct Args {
    /// Build the runners first, and also report what fails to build
    #[arg(long)]
    build: bool,
    /// Print only the path of Cupel's own files: suites, contenders, the runners' sources
    #[arg(long, conflicts_with_all = ["build", "all"])]
    files: bool,
    #[command(flatten)]
    length: Length,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    if args.files {
        print(&format!("{}\n", home.root.display()))?;
        return Ok(Exit::Well);
    }
    let all = args.length.all;
    let contenders = cupel_toolchain::find(&home, &Wanted::plain(args.build), &|what| {
        tell(&format!("cupel: {what}"))
    })?;
    let ready = contenders.iter().filter(|contender| contender.is_ready()).count();
    let prebuilt: Vec<&str> =
        contenders.iter().filter_map(|contender| contender.built_with.as_deref()).collect();
    // The answer comes first.
    let mut out = format!("{ready} of {} ready\n", count(contenders.len(), "contender"));
    if let Some(with) = prebuilt.first() {
        let count = prebuilt.len();
        let _ = writeln!(out, "prebuilt     {count} came with this package, built with {with}");
    }
    about_machine(&mut out, &home, all);
    about_confinement(&mut out, &contenders.iter().collect::<Vec<_>>());
    about_toolchains(&mut out, &home, all);
    if all {
        let _ = writeln!(out, "store        {}", home.store.display());
        let _ = writeln!(out, "cache        {}", home.cache.display());
    }
    about_leaders(&mut out, &contenders);
    out += &trouble(&contenders.iter().collect::<Vec<_>>(), all);
    if !all {
        out += "\n`cupel doctor --all` prints every name, and more about this machine\n";
    }
    for line in out.lines() {
        let indent = line.len() - line.trim_start().len();
        print(&format!("{}\n", folded(&line[..indent], line.trim_start())))?;
    }
    Ok(Exit::Well)
}

/// Extensions of processors that the fast code of some contender uses.
const NOTABLE: [&str; 12] = [
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

/// The features whose absence from an x86-64 processor is worth a word.
const EXPECTED: [&str; 5] = ["sha_ni", "avx2", "avx512f", "vaes", "aes"];

fn about_machine(out: &mut String, home: &Home, all: bool) {
    let machine = Machine::look();
    let _ = writeln!(out, "machine      {}", plain(&machine.line()));
    if all {
        let root = home.root.display().to_string();
        let _ = writeln!(out, "files        {} ({})", plain(&root), home.origin());
        for own in &home.own {
            let own = plain(&own.display().to_string());
            let _ = writeln!(out, "             {own} (your own)");
        }
        reading(out, "stepping", &machine.stepping);
        reading(out, "microcode", &machine.microcode);
        reading(out, "governor", &machine.governor);
    }
    if let Some(flags) = machine.flags.known() {
        let has = |name: &&str| flags.iter().any(|flag| flag == name);
        let here: Vec<&str> = NOTABLE.into_iter().filter(has).collect();
        let is_x86 = machine.architecture == "x86_64";
        let lacks: Vec<&str> = EXPECTED.into_iter().filter(|name| is_x86 && !has(name)).collect();
        let lacks = if lacks.is_empty() { "none".to_string() } else { lacks.join(" ") };
        let _ = writeln!(out, "extensions   {}; lacks {lacks}", here.join(" "));
    }
    let on = match cupel_machine::measuring_cpu() {
        Some(cpu) if machine.cpus > 1 => {
            format!("processor {cpu}; the tool itself runs on the others")
        }
        Some(cpu) => {
            format!("processor {cpu}, the only one, so the tool disturbs what it measures")
        }
        None => "any processor: this system cannot pin a process to one".to_string(),
    };
    let _ = writeln!(out, "measures on  {on}");
    if all {
        let _ = match cupel_machine::stolen_ns(cupel_machine::measuring_cpu()) {
            Reading::Known(_) => {
                writeln!(
                    out,
                    "disturbances seen through schedstat, thread time, page faults, steal"
                )
            }
            Reading::NotAvailable(why) => writeln!(out, "steal        not available here: {why}"),
        };
    }
}

/// The contenders that led on another machine with such a processor, and are not here.
fn about_leaders(out: &mut String, contenders: &[Contender]) {
    let machine = Machine::look();
    let Some(processor) = leaders::Processor::of(&machine) else { return };
    for (led, not_here) in leaders::missing_here(contenders, processor) {
        let _ = writeln!(out, "leaders      {led}: {}", not_here.line());
    }
}

/// The restrictions of runners, and the runners without.
fn about_confinement(out: &mut String, contenders: &[&Contender]) {
    let words = cupel_machine::sandboxing().map(|kept| match kept {
        Reading::Known(words) | Reading::NotAvailable(words) => plain(&words),
    });
    let _ = writeln!(out, "runners      {}", words.join("; "));
    let free: Vec<&Contender> = contenders.iter().copied().filter(|c| c.unconfined).collect();
    if !free.is_empty() {
        let _ = writeln!(out, "             not confined: {}", in_brief(&free, contenders));
    }
}

fn about_toolchains(out: &mut String, home: &Home, all: bool) {
    let compiler = cc::compiler();
    let _ = match cc::located(&compiler) {
        Some(path) => writeln!(out, "C compiler   {}", plain(&path.display().to_string())),
        None => writeln!(
            out,
            "C compiler   none: {} is not there; remedy: {}",
            plain(&compiler.display().to_string()),
            cc::missing().remedy.as_deref().unwrap_or("unknown")
        ),
    };
    for (language, toolchains) in toolchains::by_language(home, all) {
        let _ = writeln!(out, "{language:<12} {toolchains}");
    }
}

fn reading(out: &mut String, name: &str, reading: &Reading<String>) {
    let _ = match reading {
        Reading::Known(fact) => writeln!(out, "{name:<12} {}", plain(fact)),
        Reading::NotAvailable(why) => writeln!(out, "{name:<12} not available here: {why}"),
    };
}
