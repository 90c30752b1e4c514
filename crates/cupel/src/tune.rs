//! `cupel kernels tune`: which code path of our C library a batch takes on this CPU, as a plan for
//! it.

use super::ask::find_named;
use super::options::{Measuring, Printing, among};
use super::run::{How, Needs, carry_out};
use super::which::which;
use super::{Context, Exit, complete, output, print};
use anyhow::{Context as _, Result, bail};
use cupel_analyse::{Analysis, Verdict, recall};
use cupel_base::disk::write_whole;
use cupel_base::machine::Machine;
use cupel_base::primitives;
use cupel_base::text;
use cupel_decide::claims::{self, Claimant, Scope};
use cupel_decide::paths;
use cupel_host::contender::State;
use cupel_protocol::workload::{Contract, Operation};
use cupel_run::begin::Overrides;
use cupel_run::programs;
use cupel_show::report::Format;
use cupel_store::{Recorded, Store};
use cupel_suite::{Options, Suite};
use cupel_tune::{self as tune, Choice, Chosen};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Measure which code path of our C library is the fastest for which batches, and write a plan file
///
/// By default, the library selects the code path of a batch by the CPU's features. This verb
/// measures every forced path against that default, for each class of batches (a number of messages
/// and a size), for ten minutes unless --budget says otherwise. The plan file lists the classes in
/// which another path is faster. The library reads the file that the variable CUPEL_PLAN names, or
/// that your program passes to cupel_plan_load.
#[derive(clap::Args)]
#[command(mut_arg("format", |format| among(format, &[Format::Table, Format::Json])), after_help = "\
Examples:
  cupel kernels tune                         SHA-1 and SHA-256, to cupel.plan
  cupel kernels tune sha256 -o sha256.plan   SHA-256 only
  cupel kernels tune --from tune             the last run's plan; no measuring
  CUPEL_PLAN=$PWD/cupel.plan ./program       a program that uses the plan

Exit status: 0 every class is decided, 1 a contender failed and no plan is
written, 2 some classes are open and keep the default, 3 an error, 130
interrupted.")]
pub struct Args {
    /// What to measure [default: sha1 sha256]
    #[arg(value_name = "PRIMITIVE", value_parser = primitive)]
    primitives: Vec<String>,
    /// The plan file
    #[arg(long, short, value_name = "FILE", default_value = "cupel.plan")]
    output: PathBuf,
    /// Measure nothing, and write the plan of a stored run of this verb: its number, a day, or
    /// `tune` for the newest
    #[arg(long, value_name = "RUN", add = complete::runs(),
          conflicts_with_all = ["primitives", "Measuring", "Runners"])]
    from: Option<String>,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    printing: Printing,
}

/// The time for measuring all classes, if no other is given.
const BUDGET: Duration = Duration::from_secs(600);

fn primitive(text: &str) -> Result<String, String> {
    let meant = primitives::meant(text).map(|primitive| primitive.name);
    match meant.filter(|name| tune::PRIMITIVES.contains(name)) {
        Some(name) => Ok(name.to_string()),
        None => Err(format!("a plan can name {}", tune::PRIMITIVES.join(" and "))),
    }
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    if let Some(word) = &args.from {
        return from_store(context, args, word);
    }
    let home = context.home()?;
    tune::without_plan()?;
    let cpu = this_cpu()?;
    output::check(&args.output, "plan")?;
    let mut primitives = args.primitives.clone();
    primitives.sort();
    primitives.dedup();
    if primitives.is_empty() {
        primitives = tune::PRIMITIVES.map(String::from).to_vec();
    }
    let family = vec![format!("{}*", tune::DEFAULT)];
    let all = find_named(context, &home, !args.measuring.dry_run, family)?;
    let contract = Contract::of(Operation::DigestMany);
    let (mut pairs, _) = paths::pairs(&all, &primitives, Operation::DigestMany, &contract);
    pairs.retain(|pair| pair.default == tune::DEFAULT);
    if pairs.is_empty() {
        let default = all.iter().find(|c| c.name.as_str() == tune::DEFAULT);
        if default.is_some_and(|default| matches!(default.state, State::Unbuilt)) {
            bail!(
                "{} is not built yet: `cupel verify '{}*'` builds it, or leave out --dry-run",
                tune::DEFAULT,
                tune::DEFAULT
            );
        }
        bail!(
            "{} has no forced path here; `cupel list '{}*'` shows why",
            tune::DEFAULT,
            tune::DEFAULT
        );
    }
    let suite = tune::suite(&pairs, &primitives)?;
    let measuring = &args.measuring;
    let how = How { needs: Needs::All, ..How::of(measuring) };
    let overrides = measuring.overrides();
    let overrides = Overrides { budget: overrides.budget.or(Some(BUDGET)), ..overrides };
    let Some(done) = carry_out(context, &home, &how, || Ok(suite.clone()), &overrides)? else {
        if measuring.dry_run {
            return Ok(Exit::Well);
        }
        print("no plan is written, and nothing is measured: a code path answers wrongly\n")?;
        return Ok(Exit::ContenderFailed);
    };
    if let Some(exit) = done.interrupted(context) {
        let run = done.recorded.run.id;
        text::tell(&format!(
            "cupel: no plan is written; when the run is finished, `cupel kernels tune --from {run}` writes it"
        ));
        return Ok(exit);
    }
    conclude(args, &cpu, &done.store, &done.recorded, &done.analysis, &suite, &primitives)
}

fn this_cpu() -> Result<String> {
    tune::cpu_line()
        .context("the C library has plans for x86-64 only: elsewhere batches have one code path")
}

/// The plan of a stored run, which must be of this machine: a plan is for one kind of CPU.
fn from_store(context: &Context, args: &Args, word: &str) -> Result<Exit> {
    let cpu = this_cpu()?;
    output::check(&args.output, "plan")?;
    let store = Store::existing(&context.home_of_store()?.store)?;
    let run = which(&store, word)?;
    let (recorded, analysis) = recall(&store, Some(run))?;
    let (pairs, primitives) = tune::measured(&recorded.plan);
    let are_ours = pairs.iter().all(|pair| pair.forced.starts_with(tune::DEFAULT));
    if recorded.run.suite != tune::NAME || pairs.is_empty() || !are_ours {
        bail!(
            "run {run} is of {}, not of `cupel kernels tune`; `cupel list runs` lists all runs",
            text::plain(&recorded.run.suite)
        );
    }
    if recorded.run.finished.is_none() {
        bail!("run {run} is not finished; `cupel run {} --resume` finishes it", tune::NAME);
    }
    let now = Machine::look();
    if recorded.machine.fingerprint() != now.fingerprint() || recorded.machine.node != now.node {
        bail!("run {run} was measured on another machine: make its plan there");
    }
    if let Some(change) = programs::changed(&recorded.plan) {
        bail!("run {run} measured other code: {}; measure again", text::plain(&change));
    }
    let suite = tune::suite(&pairs, &primitives)?;
    conclude(args, &cpu, &store, &recorded, &analysis, &suite, &primitives)
}

/// Writes the plan of what was measured, and prints what it says.
fn conclude(
    args: &Args,
    cpu: &str,
    store: &Store,
    recorded: &Recorded,
    analysis: &Analysis,
    suite: &Suite,
    primitives: &[String],
) -> Result<Exit> {
    if let Some((name, reason)) = failed(analysis) {
        print(&text::plain(&format!("no plan is written: {name} failed: {reason}\n")))?;
        return Ok(Exit::ContenderFailed);
    }
    let scope = Scope { run: Some(recorded.run.id), ..Scope::default() };
    let (answered, _) = claims::decide(store, &[Claimant::from(suite)], &scope)?;
    let chosen = tune::choose(analysis, &answered, primitives);
    let date = recorded.run.started.get(..10).unwrap_or("1970-01-01");
    write_whole(&args.output, tune::plan(cpu, date, &chosen))?;
    if args.printing.format() == Format::Json {
        let document = as_json(&chosen, &args.output, cpu, recorded.run.id);
        print(&(serde_json::to_string_pretty(&document)? + "\n"))?;
    } else {
        print(&in_words(&chosen, &args.output))?;
    }
    let open = chosen.iter().any(|one| one.choice == Choice::Open);
    Ok(if open { Exit::Undecided } else { Exit::Well })
}

fn failed(analysis: &Analysis) -> Option<(String, String)> {
    let row = analysis.comparisons.iter().flat_map(|answer| &answer.rows);
    let row = row.into_iter().find(|row| row.verdict == Verdict::Failed)?;
    Some((row.contender.to_string(), row.reason.clone().unwrap_or_default()))
}

/// The answer first, then what is open, then what to do with the plan.
fn in_words(chosen: &[Chosen], file: &Path) -> String {
    let all = chosen.len();
    let chosen = chosen.iter();
    let faster = chosen.clone().filter(|one| matches!(one.choice, Choice::Path { .. }));
    let faster: Vec<&Chosen> = faster.collect();
    let open: Vec<&Chosen> = chosen.clone().filter(|one| one.choice == Choice::Open).collect();
    let divided = chosen.filter(|one| matches!(one.choice, Choice::Divided(_)));
    let divided: Vec<&Chosen> = divided.collect();
    let margin = text::share(Options::default().tie_zone);
    let mut lines: Vec<String> = Vec::new();
    if !faster.is_empty() {
        let is = if faster.len() == 1 { "is" } else { "are" };
        let listed: Vec<String> = faster.iter().map(|one| path_in_words(one)).collect();
        lines.push(format!(
            "{} of {all} classes {is} faster by another path: {}.",
            faster.len(),
            listed.join("; ")
        ));
    } else if open.is_empty() && divided.is_empty() {
        lines.push("The default is the fastest everywhere on this CPU.".to_string());
        lines.push(format!(
            "No other path is faster by more than {margin} in any of {all} classes."
        ));
    } else {
        lines.push(format!("The default stays in all of {all} classes."));
    }
    for one in &divided {
        if let Choice::Divided(path) = &one.choice {
            lines.push(format!(
                "{}: {path} is faster at one end of the class and slower at the other, so the default stays.",
                class_in_words(one)
            ));
        }
    }
    if !open.is_empty() {
        let listed: Vec<String> = open.iter().map(|one| class_in_words(one)).collect();
        let listed = if open.len() == all { "all of them".into() } else { listed.join("; ") };
        lines.push(format!(
            "Open, so the default stays: {listed}. More forks, or a longer --budget, may decide."
        ));
    }
    let file = file.display();
    lines.push(format!(
        "wrote {file}: CUPEL_PLAN={file}, or cupel_plan_load, makes the library use it"
    ));
    lines.iter().map(|line| text::folded("", &text::plain(line)) + "\n").collect()
}

fn class_in_words(one: &Chosen) -> String {
    let class = &one.class;
    format!(
        "{}-many from {} and {} on",
        class.primitive,
        text::count(class.count as usize, "message"),
        text::bytes(u64::from(class.size))
    )
}

fn path_in_words(one: &Chosen) -> String {
    let class = class_in_words(one);
    match &one.choice {
        Choice::Path { path, low, high } => {
            format!("{class} by {path} ({} of the time)", text::interval(*low, *high))
        }
        _ => class,
    }
}

fn as_json(chosen: &[Chosen], file: &Path, cpu: &str, run: i64) -> serde_json::Value {
    let classes: Vec<serde_json::Value> = chosen
        .iter()
        .map(|one| {
            let (choice, path, low, high) = match &one.choice {
                Choice::Default => ("default", None, None, None),
                Choice::Path { path, low, high } => ("path", Some(path), Some(low), Some(high)),
                Choice::Divided(path) => ("divided", Some(path), None, None),
                Choice::Open => ("open", None, None, None),
            };
            json!({
                "primitive": one.class.primitive,
                "operation": Operation::DigestMany.name(),
                "messages": one.class.count,
                "size": one.class.size,
                "choice": choice,
                "path": path,
                "ratio_low": low,
                "ratio_high": high,
            })
        })
        .collect();
    json!({ "run": run, "file": file, "cpu": cpu, "classes": classes })
}
