//! Carries out a run for any verb: plan, build, verify, measure, store; and prints its answer.

use crate::how::{How, TooFew};
use crate::interrupt::{Alarm, Interrupt};
use crate::options::Tables;
use crate::prepare::{Prepared, Preparing};
use crate::present::{present, tell_apart};
use crate::turn::Company;
use crate::{Context, Exit, exposed, print};
use anyhow::{Result, anyhow, bail};
use cupel_analyse::{Analysis, Verdict, recall};
use cupel_base::files;
use cupel_base::home::Home;
use cupel_base::text;
use cupel_decide::claims::Verdicts;
use cupel_plan::{FailureKind, NotRanked};
use cupel_print::{Findings, Format, Style};
use cupel_run::begin::{self, Overrides, Remembered, Resumed, Turn};
use cupel_run::measure::{self, Ending, RealProcesses, Session};
use cupel_show::report;
use cupel_show::report::progress::Progress;
use cupel_store::{Circumstances, Recorded, Store};
use cupel_suite::Suite;
use serde_json::Value;
use std::time::{Duration, Instant};

/// The share of the time by which measuring may be late before it ends where it is.
const LATE: f64 = 0.05;

/// How far a suite was carried out.
pub enum Carried {
    /// It was measured.
    Out(Box<Done>),
    /// Only the plan was wanted.
    Planned,
    /// Too few contenders are right, so nothing was measured.
    TooFew(TooFew),
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
        let within = how.within.map(|within| within.waited(waited));
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
    let within = plan.options.within.zip(plan.options.limit).filter(|_| how.resume.is_none());
    let most = within.map(|(all, left)| left + all.mul_f64(LATE));
    let alarm = most.map(|most| Alarm::set(most, &interrupt.stop));
    let mut ending = measure::run(&mut session, Some(&before))?;
    interrupt.measured();
    if alarm.is_some_and(|alarm| alarm.rang()) {
        let circumstances = store.load(Some(run))?.circumstances;
        store.circumstances(run, &Circumstances { time_over: true, ..circumstances })?;
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
    let verdicts = Verdicts::for_run(store, recorded.run.id)?;
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
    let exit = exit(analysis);
    if exit == Exit::Well
        && let Some(reason) = nothing_measured(analysis)
    {
        bail!("nothing was measured: {reason}");
    }
    match exit {
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
