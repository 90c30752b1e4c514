//! `cupel run`: plan, build, verify, measure, store, answer.

use super::{Context, Exit, print};
use crate::against;
use crate::analyse::{Analysis, Verdict, recall};
use crate::claims::{self, Answered, Scope};
use crate::contender::{self, State};
use crate::files;
use crate::forecast::{self, Forecast};
use crate::home::Home;
use crate::machine::Machine;
use crate::measure::{self, Ending, Live, Session};
use crate::name::Pattern;
use crate::plan::{Filter, Plan, lay_out};
use crate::problem::{Written, did_you_mean};
use crate::programs;
use crate::report::progress::Progress;
use crate::report::{self, Format};
use crate::store::{Lease, Recorded, Store};
use crate::suite::{self, Suite};
use crate::text;
use crate::toolchain::{Wanted, newest};
use crate::verify::contenders as proof;
use anyhow::{Result, anyhow, bail};
use cupel_protocol::workload::Operation;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Measure a suite and answer its question
///
/// Builds what is not built, proves every contender right, measures all of them in interleaved
/// rounds over several fresh processes, keeps everything, and prints the tables.
#[derive(clap::Args)]
pub struct Args {
    /// A suite's name or file
    #[arg(default_value = "quickstart")]
    suite: String,
    /// Only these contenders and the baseline; * stands for any characters, @newest for the newest JDK
    #[arg(long, value_name = "PATTERN")]
    contender: Vec<String>,
    /// Only this primitive
    #[arg(long, value_name = "NAME")]
    primitive: Vec<String>,
    /// Only this operation
    #[arg(long, value_name = "NAME", value_parser = operation)]
    operation: Vec<Operation>,
    /// Only this size, in bytes
    #[arg(long, value_name = "BYTES", value_parser = suite::size)]
    size: Vec<u64>,
    /// Time for measuring, such as 30s or 5m, in place of the suite's
    #[arg(long, value_name = "TIME", value_parser = suite::told_duration)]
    budget: Option<Duration>,
    /// Stop a comparison once its intervals are this narrow, such as 0.5%
    #[arg(long, value_name = "SHARE", value_parser = suite::told_percent)]
    precision: Option<f64>,
    /// Fresh processes of each contender, in place of the suite's number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100))]
    forks: Option<u32>,
    /// Go on with the suite's run that was interrupted or killed, as it was planned
    #[arg(long, conflicts_with_all = [
        "contender", "primitive", "operation", "size", "budget", "precision", "forks", "seed", "dry_run", "against",
        "compiler",
    ])]
    resume: bool,
    /// A C compiler by its path, beside those that are found; may be repeated
    #[arg(long, value_name = "PATH")]
    compiler: Vec<PathBuf>,
    /// Another build of a runner: its contenders join as NAME@against, and none may be slower.
    /// FAMILY= before it says of which family, where its names alone do not
    #[arg(long, value_name = "[FAMILY=]PROGRAM")]
    against: Option<String>,
    /// By how much this build may be slower than the other one [default: 2%]
    #[arg(long, value_name = "SHARE", value_parser = suite::told_percent)]
    margin: Option<f64>,
    /// Say what would be run, and end
    #[arg(long)]
    dry_run: bool,
    /// How long a runner may take for an answer
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = suite::told_duration)]
    patience: Duration,
    /// Keep a log of what each JVM's compilers do, a file a process, in this folder
    #[arg(long, value_name = "FOLDER")]
    compilation_log: Option<PathBuf>,
    /// Seed of everything random, to repeat a run's orders and messages
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(..1 << 53))]
    seed: Option<u64>,
    /// Form of the answer
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// The margin of a gate that was given none.
const MARGIN: f64 = 0.02;

fn percent(share: f64) -> String {
    format!("{}%", (share * 1e6).round() / 1e4)
}

fn operation(text: &str) -> Result<Operation, String> {
    let names: Vec<&str> = Operation::ALL.iter().map(|o| o.name()).collect();
    Operation::ALL
        .into_iter()
        .find(|o| o.name() == text)
        .ok_or_else(|| format!("known are {}", names.join(", ")))
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    let mut progress = Progress::new(context.quiet);
    let began = Instant::now();
    let mut store = Store::open(&home.store)?;
    let (run, plan, before) = if args.resume {
        resumed(&home, &store, args)?
    } else {
        let Some((run, plan)) = begun(args, &home, &mut store, &mut progress)? else {
            return Ok(Exit::Well);
        };
        // What verification refused is in the store already, and is not started again.
        (run, plan, Some(store.load(Some(run))?))
    };
    let Some(_lease) = Lease::take(&home.cache.join("leases"), store.path(), run)? else {
        bail!("run {run} is being measured by another process; wait for it, or leave out --resume");
    };
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        // The second time, a person means it.
        if heard.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })?;
    let prepared = began.elapsed();
    let simulated = plan.simulated().map_err(|e| anyhow!(e))?;
    files::make(plan.file_sizes(), &home.cache, &|what| progress.say(what))?;
    if let Some(folder) = &args.compilation_log {
        if folder.to_string_lossy().contains(['\'', '"', '%']) {
            bail!(
                "a JVM cannot log to {}: name a folder without quotes and percent signs",
                folder.display()
            );
        }
        std::fs::create_dir_all(folder)
            .map_err(|e| anyhow!("cannot make the folder {}: {e}", folder.display()))?;
    }
    let mut stage =
        Live::new(args.patience, simulated).with_compilation_logs(args.compilation_log.clone());
    let mut session = Session {
        plan: &plan,
        run,
        store: &mut store,
        stage: &mut stage,
        watch: &mut progress,
        stop: &stop,
        cache: &home.cache,
    };
    let ending = measure::run(&mut session, before.as_ref())?;
    progress.clear();
    let (recorded, analysis) = recall(&store, Some(run))?;
    let gate = gate(&store, &recorded, args.margin)?;
    let shown = report::present(&recorded, &analysis, args.format, context.style)?;
    show(context, shown, gate.as_ref(), recorded.plan.options.alpha, args.format)?;
    if context.style.verbose {
        text::tell(&time_spent(&recorded, prepared, began.elapsed()));
    }
    if ending == Ending::Interrupted {
        let suite = &recorded.run.suite;
        text::tell(&format!("cupel: interrupted; `cupel run {suite} --resume` goes on"));
        return Ok(Exit::Interrupted);
    }
    match (exit(&analysis), gate) {
        (Exit::Well, Some((answered, _))) => Ok(super::claims::exit(&answered)),
        (exit, _) => Ok(exit),
    }
}

/// What is to be said of two builds, where the run has two; also of a resumed one.
fn gate(
    store: &Store,
    recorded: &Recorded,
    given: Option<f64>,
) -> Result<Option<(Vec<Answered>, usize)>> {
    // An older cupel did not store it.
    let margin = recorded.plan.options.margin.or(given);
    let claims = against::claims(&recorded.plan, margin.unwrap_or(MARGIN));
    if claims.is_empty() {
        return Ok(None);
    }
    if margin.is_none() {
        text::tell(&format!(
            "cupel: run {} does not say its margin, so {} is taken; --margin says another",
            recorded.run.id,
            percent(MARGIN)
        ));
    }
    let suite = Suite {
        name: recorded.run.suite.clone(),
        path: recorded.run.suite.clone().into(),
        text: String::new(),
        question: String::new(),
        options: recorded.plan.options.clone(),
        workloads: Vec::new(),
        claims,
        unclaimed: Vec::new(),
    };
    let scope = Scope { run: Some(recorded.run.id), ..Scope::default() };
    Ok(Some(claims::decide(store, &[suite], &scope)?))
}

/// Prints a run, and the gate with it: a document stays one document.
fn show(
    context: &Context,
    run: String,
    gate: Option<&(Vec<Answered>, usize)>,
    alpha: f64,
    format: Format,
) -> Result<()> {
    let Some((answered, intervals)) = gate else { return print(&run) };
    let drawn = || report::claims::draw(answered, *intervals, alpha, context.style);
    match format {
        Format::Table => print(&format!("{run}\n{}", drawn())),
        Format::Json => {
            let mut document: serde_json::Value = serde_json::from_str(&run)?;
            let claims = report::claims::json(answered, &[], *intervals, alpha)?;
            document["gate"] = serde_json::from_str(&claims)?;
            print(&(serde_json::to_string_pretty(&document)? + "\n"))
        }
        Format::Csv | Format::Markdown => {
            text::tell(&drawn());
            print(&run)
        }
    }
}

/// Plans, builds, verifies and begins a run; nothing for a dry one.
fn begun(
    args: &Args,
    home: &Home,
    store: &mut Store,
    progress: &mut Progress,
) -> Result<Option<(i64, Plan)>> {
    let mut suite = super::load_suite(home, &args.suite)?;
    let only = newest::named(home, &args.contender);
    let wanted = wanted(&suite, args, &only);
    let mut contenders = contender::find(home, &wanted, &|what| progress.say(what))?;
    for family in contenders.iter().filter(|c| c.offers.is_empty()) {
        // Nobody knows what it would have offered, so no table can have a row of it.
        if let State::Missing(refusal) | State::Failed(refusal) = &family.state {
            let what = format!("{} is left out: {}", family.name, refusal.reason);
            text::tell(&format!("cupel: {}", text::plain(&what)));
        }
    }
    let mut filter = Filter {
        contenders: only.clone(),
        primitives: args.primitive.clone(),
        operations: args.operation.clone(),
        sizes: args.size.clone(),
    };
    for pattern in &only {
        let pattern = Pattern::new(pattern);
        if !contenders.iter().any(|c| c.is_meant_by(&pattern)) {
            let known = contenders.iter().map(|c| c.name.as_str());
            let help = did_you_mean(&pattern.text, known, Written::Word)
                .map_or(String::new(), |meant| format!("; {meant}"));
            bail!("no contender is called {}{help}", pattern.text);
        }
    }
    if let Some(program) = &args.against {
        let alone = against::join(program, &mut contenders)?;
        if !alone.is_empty() {
            text::tell(&format!(
                "cupel: only the build of --against has {}: nothing is claimed of it",
                text::plain(&alone.join(", "))
            ));
        }
        against::narrow(&mut suite, &mut filter, &contenders)?;
    }
    // As many bits as a number in JSON keeps.
    let seed = args.seed.unwrap_or_else(|| rand::random::<u64>() >> 11);
    let mut plan = lay_out(&suite, &contenders, &filter, seed)?;
    plan.options.budget = args.budget.unwrap_or(plan.options.budget);
    plan.options.precision = args.precision.unwrap_or(plan.options.precision);
    plan.options.forks = args.forks.unwrap_or(plan.options.forks);
    plan.options.margin = args.against.as_ref().map(|_| args.margin.unwrap_or(MARGIN));
    plan.simulated().map_err(|e| anyhow!(e))?;
    let forecast = forecast::of(&plan, Live::lanes_here(plan.simulated().unwrap_or(false)));
    if args.dry_run {
        print(&outline(&plan, &forecast))?;
        return Ok(None);
    }
    // On a simulated clock nobody waits.
    if !plan.simulated().unwrap_or(false)
        && let Some(warning) = forecast.warning()
    {
        progress.note(&warning);
    }
    files::make(plan.file_sizes(), &home.cache, &|what| progress.say(what))?;
    let proofs = proof::verify_all(&plan, &home.cache, args.patience, &|what| progress.say(what));
    let wrong: BTreeSet<usize> =
        proofs.iter().filter(|p| p.failure.is_some()).map(|p| p.contender).collect();
    plan.elect(&wrong);
    plan.programs = programs::digests(&plan.contenders);
    let machine = Machine::look();
    let command = std::env::args().collect::<Vec<_>>().join(" ");
    // All in one: a run of which it is not known who was wrong must not be there to go on with.
    let run = store.at_once(|store| {
        let run = store.begin(&plan, &suite.text, &machine, &command)?;
        for proof in &proofs {
            let failure = proof.failure.as_deref();
            store.verified(run, proof.contender, proof.cases, &proof.notes, failure)?;
            let Some(reason) = failure else { continue };
            for cell in (0..plan.cells.len()).filter(|&c| proof.concerns(&plan, c)) {
                store.cell_failed(run, cell, "failed", reason)?;
            }
        }
        Ok(run)
    })?;
    for proof in &proofs {
        if let Some(reason) = &proof.failure {
            let name = &plan.contenders[proof.contender].name;
            measure::Watch::failed(progress, name, "failed", reason);
        }
    }
    Ok(Some((run, plan)))
}

/// Whom a suite and its filters name, and what of it is to be built.
fn wanted(suite: &Suite, args: &Args, only: &[String]) -> Wanted {
    let groups = suite.workloads.iter();
    let patterns = groups.flat_map(|g| g.contenders.iter().chain(&g.baseline)).map(|p| &p.text);
    let claimed =
        suite.claims.iter().flat_map(|claim| [&claim.a, &claim.b]).map(ToString::to_string);
    let named = patterns.chain(only).cloned().chain(claimed).collect();
    let baselines = suite.workloads.iter().flat_map(|g| &g.baseline).map(|p| &p.text);
    let narrow = match only.is_empty() {
        true => vec![],
        false => only.iter().chain(baselines).cloned().collect(),
    };
    Wanted { build: !args.dry_run, named, narrow, compilers: args.compiler.clone() }
}

/// The run to go on with, and what it has measured so far.
fn resumed(home: &Home, store: &Store, args: &Args) -> Result<(i64, Plan, Option<Recorded>)> {
    let Some(run) = store.unfinished(&home.suite_name(&args.suite))? else {
        bail!("no run of {} is unfinished; leave out --resume", args.suite);
    };
    let before = store.load(Some(run))?;
    let now = Machine::look();
    if now.fingerprint() != before.machine.fingerprint() {
        bail!(
            "run {run} was begun on another machine ({}); its rounds cannot be continued here",
            before.machine.line()
        );
    }
    if let (Some(given), Some(begun)) = (args.margin, before.plan.options.margin)
        && given != begun
    {
        // Whoever has seen the rounds must not choose what they are held to.
        let begun = percent(begun);
        bail!("run {run} was begun with --margin {begun}, which stays: leave out --margin");
    }
    if let Some(change) = programs::changed(&before.plan) {
        bail!(
            "run {run} cannot go on: {}; leave out --resume for a run of what is here now",
            text::plain(&change)
        );
    }
    Ok((run, before.plan.clone(), Some(before)))
}

/// What a plan comes to, in words.
fn outline(plan: &Plan, forecast: &Forecast) -> String {
    let mut out = format!("{}\n", text::folded("", &text::plain(&plan.question)));
    for (number, comparison) in plan.comparisons.iter().enumerate() {
        let work = &comparison.workload;
        let names: Vec<&str> =
            plan.cells_of(number).iter().map(|&c| plan.contender_of(c).name.as_str()).collect();
        let line = format!(
            "{} {} {} {}: {}",
            work.primitive,
            work.operation,
            text::bytes(work.size),
            work.shape,
            text::plain(&names.join(", "))
        );
        out += &format!("{}\n", text::folded("", &line));
    }
    out + &format!(
        "{} cells, {} forks, {} s of measuring\n{}\n",
        plan.cells.len(),
        plan.options.forks,
        plan.options.budget.as_secs(),
        text::folded("", &forecast.words())
    )
}

fn time_spent(recorded: &Recorded, prepared: Duration, all: Duration) -> String {
    let run = &recorded.run;
    let share = run.sliced_ns as f64 / (run.measured_ns as f64).max(1.0);
    let warm = recorded.warm_ups.len();
    format!(
        "time: {:.1} s before measuring (build, verify), {:.1} s in rounds, of which {:.1} % inside \
         timed slices, {:.1} s in all; {warm} warm-ups",
        prepared.as_secs_f64(),
        run.measured_ns as f64 / 1e9,
        share * 100.0,
        all.as_secs_f64()
    )
}

fn exit(analysis: &Analysis) -> Exit {
    let failed =
        analysis.comparisons.iter().flat_map(|a| &a.rows).any(|r| r.verdict == Verdict::Failed);
    if failed { Exit::ContenderFailed } else { Exit::Well }
}
