//! Carries out a run for any verb: plan, build, verify, measure, store; and prints its answer.

use crate::interrupt::{Alarm, Interrupt};
use crate::options::{Measuring, Tables};
use crate::prepare::{Prepared, Preparing};
use crate::present::{present, tell_apart};
use crate::turn::{Company, Waiting};
use crate::{Context, Exit, exposed, print};
use anyhow::{Result, anyhow, bail};
use cupel_analyse::{Analysis, Verdict, recall};
use cupel_base::files;
use cupel_base::home::Home;
use cupel_base::name::ContenderName;
use cupel_base::text;
use cupel_decide::claims::Verdicts;
use cupel_host::toolchain;
use cupel_plan::{FailureKind, NotRanked};
use cupel_print::{Findings, Format, Style};
use cupel_run::begin::{self, Overrides, Remembered, Resumed, Turn};
use cupel_run::measure::{self, Ending, RealProcesses, Session};
use cupel_show::report;
use cupel_show::report::progress::Progress;
use cupel_store::{Recorded, Store};
use cupel_suite::Suite;
use serde_json::Value;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How a run is carried out and printed, whichever verb asks for it.
#[derive(Clone)]
pub struct How<'a> {
    /// How long a runner may take to answer.
    pub patience: Duration,
    /// Where the logs of the JVMs' compilers go.
    pub compilation_log: Option<PathBuf>,
    /// Whether to print the plan only.
    pub dry_run: bool,
    /// The run to resume, by the suite's name as the user gave it; `None` for a new run.
    pub resume: Option<&'a str>,
    /// How many contenders of one comparison must be right for an answer to follow: with fewer,
    /// nothing is measured.
    pub needs: usize,
    /// The suite without contenders that have a JIT, if the user named none of them: it is measured
    /// if the budget is too short for the whole one.
    pub ahead_of_time: Option<Suite>,
    /// What to do if another run is being measured.
    pub waiting: &'a Waiting,
    /// The time until the answer, if the user limits it.
    pub within: Option<Within>,
}

/// A time that contains all that a command does, except waiting for another run and building.
#[derive(Clone, Copy)]
pub struct Within {
    /// When the command began.
    began: Instant,
    /// For how long it waited for another run.
    waited: Duration,
    /// All of the time.
    pub(crate) all: Duration,
}

/// The share of the time by which measuring may be late before it ends where it is.
const LATE: f64 = 0.05;

/// The share of the time that analysing a run and printing its answer may take.
const CLOSING: f64 = 0.04;

impl Within {
    /// The time that is left for measuring.
    pub(crate) fn left(&self) -> Duration {
        let gone = self.began.elapsed().saturating_sub(self.waited + toolchain::building());
        self.all.mul_f64(1.0 - CLOSING).saturating_sub(gone)
    }
}

/// How far a suite was carried out.
pub enum Carried {
    /// It was measured.
    Out(Box<Done>),
    /// Only the plan was wanted.
    Planned,
    /// Too few contenders are right, so nothing was measured.
    TooFew(TooFew),
}

/// A contender that is left out, and why.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// Its name.
    pub name: ContenderName,
    /// The reason.
    pub why: String,
}

/// The reason why a question is not measured.
pub struct TooFew {
    /// The contenders that cannot be compared.
    pub lost: Vec<LeftOut>,
    /// Whether one of them failed: the others are missing.
    pub failed: bool,
}

/// A run that was carried out.
pub struct Done {
    /// The store that has it.
    pub store: Store,
    /// The stored run.
    pub recorded: Recorded,
    /// Its results.
    pub analysis: Analysis,
    /// How it ended.
    ending: Ending,
    /// The time before the first fork, and in all.
    spent: (Duration, Duration),
}

impl<'a> How<'a> {
    /// By these options: a new run, from which an answer follows in any case.
    pub fn of(measuring: &'a Measuring) -> How<'a> {
        How {
            patience: measuring.runners.patience(),
            compilation_log: None,
            dry_run: measuring.dry_run,
            resume: None,
            needs: 0,
            ahead_of_time: None,
            waiting: &measuring.waiting,
            within: None,
        }
    }

    /// As [`How::of`], if the user's budget is the time until the answer: the command measures
    /// once.
    pub fn once(context: &Context, measuring: &'a Measuring) -> How<'a> {
        How::once_of(context, measuring, 1)
    }

    /// As [`How::once`], for the first of this many measurements that share the rest of the time.
    pub fn once_of(context: &Context, measuring: &'a Measuring, measurements: usize) -> How<'a> {
        let gone = context.began.elapsed().saturating_sub(toolchain::building());
        let within = measuring.budget.filter(|all| !all.is_zero()).map(|all| Within {
            began: context.began,
            waited: Duration::ZERO,
            all: gone.min(all) + all.saturating_sub(gone) / measurements.max(1) as u32,
        });
        How { within, ..How::of(measuring) }
    }
}

/// Plans, builds, verifies and measures a suite. After a dry run, or if contenders that `how` needs
/// are not there, nothing is measured or stored.
pub fn carry_out(
    context: &Context,
    home: &Home,
    how: &How<'_>,
    suite: impl FnOnce() -> Result<Suite>,
    overrides: &Overrides,
) -> Result<Carried> {
    let mut progress = Progress::new(context.quiet);
    let began = Instant::now();
    if !how.dry_run {
        exposed::look(home)?;
    }
    let mut store = Store::open(&home.store)?;
    let turn = |suite: &str| how.waiting.turn(home, suite, context.quiet);
    let (run, plan, before, _lease, mut turn) = if let Some(given) = how.resume {
        let suite = home.suite_name(given);
        // Before the wait: a process that measures this very run is not waited for.
        let Resumed { mut before, lease } = begin::resume(home, &store, &suite, given)?;
        let (turn, beside) = split(turn(&suite)?);
        if let Some(other) = beside {
            store.goes_on_next_to(before.run.id, &other)?;
            before = store.load(Some(before.run.id))?;
        }
        (before.run.id, before.plan.clone(), before, lease, turn)
    } else {
        let suite = suite()?;
        // Before the wait, too: a misspelt name is no reason to wait.
        let overrides = overrides.resolved(home, &|what| progress.say(what))?;
        let waits = Instant::now();
        let (turn, beside) = if how.dry_run { (None, None) } else { split(turn(&suite.name)?) };
        let waited = waits.elapsed();
        let within = how.within.map(|within| Within { waited, ..within });
        let how = &How { within, ..how.clone() };
        let overrides = Overrides { beside, ..overrides };
        let mut preparing = Preparing {
            overrides: &overrides,
            how,
            home,
            store: &mut store,
            progress: &mut progress,
        };
        let (run, plan) = match preparing.prepare(&suite)? {
            Prepared::Run { run, plan } => (run, *plan),
            Prepared::Planned => return Ok(Carried::Planned),
            Prepared::TooFew(few) => return Ok(Carried::TooFew(few)),
        };
        let lease = begin::lease(home, &store, run)?;
        // The contenders that failed verification are recorded as failed, and are not started
        // again.
        (run, plan, store.load(Some(run))?, lease, turn)
    };
    if let Some(turn) = &mut turn {
        turn.measures(run)?;
    }
    let suite = text::quoted(&before.run.suite);
    let interrupt = Interrupt::listen(format!("`cupel run {suite} --resume` goes on"))?;
    let prepared = began.elapsed();
    let simulated = plan.simulated().map_err(|e| anyhow!(e))?;
    files::make(plan.file_sizes(), &home.cache, &|what| progress.say(what))?;
    if let Some(folder) = &how.compilation_log {
        measure::make_log_folder(folder)?;
    }
    if plan.times_system_calls() {
        progress.say("runners are not confined: that would slow the system calls in timed calls");
    }
    let stage = RealProcesses::new(how.patience, simulated)
        .with_compilation_logs(how.compilation_log.clone())
        .with_threads(plan.threads())
        .with_system_calls(plan.times_system_calls())
        .with_heap(before.circumstances.heap_mib);
    let mut session = Session {
        plan: &plan,
        run,
        store: &mut store,
        stage: &stage,
        watch: &mut progress,
        stop: &interrupt.stop,
        cache: &home.cache,
    };
    // The forks are planned to end in time, and the last one is then verified. This is for a machine
    // that becomes slower.
    let within = plan.options.within.filter(|_| how.resume.is_none());
    let most = within.map(|all| plan.options.budget + all.mul_f64(LATE));
    let alarm = most.map(|most| Alarm::set(most, &interrupt.stop));
    let mut ending = measure::run(&mut session, Some(&before))?;
    interrupt.measured();
    if alarm.is_some_and(|alarm| alarm.rang()) {
        store.finish(run)?;
        ending = Ending::Finished;
    }
    // The rest disturbs no run.
    drop(turn);
    progress.clear();
    let (recorded, analysis) = recall(&store, Some(run))?;
    forget_wrong(home, &recorded);
    let spent = (prepared, began.elapsed());
    Ok(Carried::Out(Box::new(Done { store, recorded, analysis, ending, spent })))
}

/// A contender that failed in a run is verified before the next one.
fn forget_wrong(home: &Home, recorded: &Recorded) {
    let is_fault = |why: &NotRanked| matches!(why.kind, FailureKind::Failed | FailureKind::Wrong);
    let failed = recorded.failures.iter().filter(|(_, why)| is_fault(why));
    let names = failed.map(|(&cell, _)| recorded.plan.contender_of(cell).name.as_str());
    Remembered::forget_all(&home.cache, &recorded.machine.fingerprint(), names);
}

/// The turn, or next to which run there is none.
fn split(company: Company) -> (Option<Turn>, Option<String>) {
    match company {
        Company::Alone(turn) => (Some(turn), None),
        Company::Beside(run) => (None, Some(run)),
    }
}

/// Prints a run, and returns how the verb ends.
pub fn finish(context: &Context, done: &Done, format: Format, tables: &Tables) -> Result<Exit> {
    let Done { store, recorded, analysis, .. } = done;
    let verdicts = Verdicts::of(store, recorded.run.id)?;
    tell_apart(recorded, &verdicts, format);
    let style = tables.style(context.style);
    if done.is_shown_in_short(format, style) {
        print(&report::interrupted(recorded, analysis, &verdicts, style))?;
    } else {
        print(&present(store, recorded, analysis, &verdicts, format, style)?)?;
    }
    if let Some(exit) = done.interrupted(context) {
        return Ok(exit);
    }
    if let Some(reason) = nothing_measured(analysis) {
        bail!("nothing was measured: {reason}");
    }
    match exit(analysis) {
        Exit::Well if !verdicts.gate.answered.is_empty() => {
            Ok(Exit::answered(&verdicts.gate.answered))
        }
        exit => Ok(exit),
    }
}

/// Prints the findings of a question, and the figures of its run without the run's own answer,
/// which no one asked for. `add` adds the findings to the document of the run.
pub fn show_findings(
    done: &Done,
    format: Format,
    style: Style,
    findings: &Findings,
    add: &dyn Fn(&mut Value),
) -> Result<()> {
    let (recorded, analysis) = (&done.recorded, &done.analysis);
    if done.is_shown_in_short(format, style) {
        return print(&report::so_far(findings, recorded, style));
    }
    if let Format::Table | Format::Markdown = format {
        return print(&report::after(findings, recorded, analysis, format, style));
    }
    let run = present(&done.store, recorded, analysis, &Verdicts::default(), format, style)?;
    if format == Format::Json {
        let mut document: Value = serde_json::from_str(&run)?;
        add(&mut document);
        return print(&text::inert_json(&(serde_json::to_string_pretty(&document)? + "\n")));
    }
    text::tell(&findings.text(Style::default()));
    print(&run)
}

impl Done {
    /// Whether only its answers so far are printed: of a run that the user has ended, unless files
    /// or details are wanted. `cupel show` has the rest.
    pub fn is_shown_in_short(&self, format: Format, style: Style) -> bool {
        self.ending == Ending::Interrupted && format == Format::Table && !style.verbose
    }

    /// Prints where the time went, if that is wanted, and how to resume an interrupted run.
    pub fn interrupted(&self, context: &Context) -> Option<Exit> {
        if context.style.verbose {
            text::tell(&time_spent(&self.recorded, self.spent.0, self.spent.1));
        }
        (self.ending == Ending::Interrupted).then(|| {
            let suite = text::quoted(&self.recorded.run.suite);
            text::tell(&format!("cupel: interrupted; `cupel run {suite} --resume` goes on"));
            Exit::Interrupted
        })
    }
}

fn time_spent(recorded: &Recorded, prepared: Duration, all: Duration) -> String {
    let run = &recorded.run;
    let share = run.sliced_ns as f64 / (run.measured_ns as f64).max(1.0);
    let warm = text::count(recorded.warm_ups.len(), "warm-up");
    format!(
        "time: {:.1} s before measuring (build, verify), {:.1} s in rounds, of which {:.1} % inside \
         timed slices, {:.1} s in all; {warm}",
        prepared.as_secs_f64(),
        run.measured_ns as f64 / 1e9,
        share * 100.0,
        all.as_secs_f64()
    )
}

/// Why no cell has a time, if this machine is the cause.
fn nothing_measured(analysis: &Analysis) -> Option<&str> {
    let rows = || analysis.comparisons.iter().flat_map(|a| &a.rows);
    let unmeasured = rows().find(|row| row.verdict == Verdict::Unmeasured)?;
    rows().all(|row| row.ns.is_none()).then_some(unmeasured.reason.as_deref()?)
}

fn exit(analysis: &Analysis) -> Exit {
    let failed =
        analysis.comparisons.iter().flat_map(|a| &a.rows).any(|r| r.verdict == Verdict::Failed);
    if failed { Exit::ContenderFailed } else { Exit::Well }
}
