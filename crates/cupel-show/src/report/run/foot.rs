//! The text below the tables of a run: how to read them, what more forks would do, where the
//! figures come from, and how to repeat one of them.

use super::circumstances;
use crate::report::document::{Block, Document};
use crate::report::style::Style;
use cupel_analyse::{Analysis, Answer, Row, Verdict};
use cupel_base::text;
use cupel_plan::Plan;
use cupel_stats::ENOUGH_FORKS;
use cupel_stats::verdict::FEW_FORKS_ZONE;
use cupel_store::Recorded;
use cupel_suite::{LEAST_WIDTH, Options, again};
use std::time::Duration;

/// Writes how to read the tables, what more forks would do, and where the figures come from.
pub fn write(document: &mut Document, recorded: &Recorded, analysis: &Analysis, style: Style) {
    let forks = recorded.forks.iter().filter(|f| f.finished).count();
    document.gap();
    document.paragraph(legend(&recorded.plan.options, analysis, forks));
    document.blocks.push(Block::Reading);
    let lines = [
        fewer_forks(&recorded.plan, analysis, forks),
        jit_forks(&recorded.plan, analysis, forks),
        too_few_forks(recorded, analysis, forks),
        overheads(analysis),
        Some(origin(recorded)),
        style.every.then(|| format!("command: {}", recorded.run.command)),
        company(&recorded.plan),
        Some(recorded.machine.line()),
    ];
    for line in lines.into_iter().flatten().chain(circumstances::lines(recorded)) {
        document.paragraph(line);
    }
    if let Some(command) = repeat(recorded, analysis) {
        document.paragraph("repeat one cell:");
        document.command(1, command);
    }
}

/// The note on a run that did not wait for another one.
fn company(plan: &Plan) -> Option<String> {
    let other = plan.options.beside.as_deref()?;
    Some(format!(
        "measured at the same time as {other}: the two may have disturbed each other (--anyway)"
    ))
}

/// The effect of the controls on the intervals, if it is worth a word.
fn widened(calibration: f64) -> String {
    const SHOWN: f64 = 1.05;
    if calibration < SHOWN {
        return String::new();
    }
    format!(
        " All intervals are {calibration:.2} times as wide as the forks alone would make them, \
         because two copies of one program differed by more than expected."
    )
}

fn legend(options: &Options, analysis: &Analysis, forks: usize) -> String {
    let few = if forks < ENOUGH_FORKS {
        format!(", and with so few forks beyond {:.0} %", FEW_FORKS_ZONE * 100.0)
    } else {
        String::new()
    };
    format!(
        "ratio: time over the baseline's; below 1 is faster. A verdict needs the whole interval \
         beyond the tie zone ({:.0} %){few}. The intervals of each table are joint at {:.0} %. \
         {}.{}{}",
        options.tie_zone * 100.0,
        (1.0 - options.alpha) * 100.0,
        text::count(forks, "fork"),
        widened(analysis.calibration),
        least_width(options)
    )
}

/// The least width of intervals, if copies of one program were further from each other than usual.
fn least_width(options: &Options) -> String {
    if options.least_width <= LEAST_WIDTH {
        return String::new();
    }
    format!(
        " No interval is narrower than {:.2} % to either side: in earlier runs on this machine, two \
         copies of one program differed by that much more than their intervals said.",
        100.0 * options.least_width.exp_m1()
    )
}

fn fewer_forks(plan: &Plan, analysis: &Analysis, forks: usize) -> Option<String> {
    let options = &plan.options;
    let first = options.first_forks();
    let returning = (first..options.forks).filter(|&fork| options.returning(fork, false));
    let fewest = first as usize + returning.count();
    // Code that is compiled at run time may have few forks for another reason.
    let is_jit = |row: &Row| plan.contender_of(row.cell).is_jit();
    let mut rows = analysis.comparisons.iter().flat_map(|answer| &answer.rows);
    let some =
        rows.any(|row| row.ranked() && row.forks <= fewest && fewest < forks && !is_jit(row));
    some.then(|| {
        format!(
            "Contenders with a clear answer after {first} forks ran in {fewest} of {forks} \
             (--first-forks {forks}: in all)."
        )
    })
}

fn jit_forks(plan: &Plan, analysis: &Analysis, forks: usize) -> Option<String> {
    let jit = plan.options.jit_forks() as usize;
    let mut rows = analysis.comparisons.iter().flat_map(|answer| &answer.rows);
    if rows.any(|row| row.left_early) {
        return Some(format!(
            "Contenders whose code is compiled at run time ran in at most {jit} of {forks} forks, and \
             in {} if they surely take over 1.5 times as long as the fastest (--jit-forks {jit}: in \
             {jit}).",
            plan.options.look().map_or(jit, |look| look.forks as usize)
        ));
    }
    let some = jit < forks && plan.contenders.iter().any(|contender| contender.is_jit());
    some.then(|| {
        format!(
            "Contenders whose code is compiled at run time ran in {jit} of {forks} forks \
             (--jit-forks {forks}: in all)."
        )
    })
}

fn too_few_forks(recorded: &Recorded, analysis: &Analysis, forks: usize) -> Option<String> {
    let mut rows = analysis.comparisons.iter().flat_map(|answer| &answer.rows);
    let open = rows.any(|row| row.verdict == Verdict::NotSeparated);
    if forks >= ENOUGH_FORKS || !open || recorded.run.finished.is_none() {
        return None;
    }
    // The run may have stopped early: then it was already asked for enough.
    let (wanted, option) = match recorded.plan.options.forks as usize {
        asked if asked < ENOUGH_FORKS => (ENOUGH_FORKS, format!("--forks {ENOUGH_FORKS}")),
        asked => (asked, format!("--forks {asked} --first-forks {asked}")),
    };
    Some(format!(
        "With fewer than {ENOUGH_FORKS} forks, differences up to {:.0} % are not decided: a program \
         may have two speeds, and few processes may all have the same one. {option} decides them \
         in about {}.",
        FEW_FORKS_ZONE * 100.0,
        text::time(time_of(recorded, forks, wanted))
    ))
}

/// The time that this many forks of a run would take, in ns, by the time of its own.
fn time_of(recorded: &Recorded, own: usize, forks: usize) -> f64 {
    let warming: f64 = recorded.warm_ups.iter().map(|warm_up| warm_up.elapsed_ns).sum();
    let all = recorded.run.measured_ns as f64 + warming;
    all / own.max(1) as f64 * forks as f64
}

fn overheads(analysis: &Analysis) -> Option<String> {
    let each = analysis.overheads.iter();
    let each: Vec<String> = each.map(|(name, ns)| format!("{name} {}", text::time(*ns))).collect();
    (!each.is_empty())
        .then(|| format!("harness overhead, included in every figure: {}", each.join(", ")))
}

fn origin(recorded: &Recorded) -> String {
    let run = &recorded.run;
    format!("run {} of {}, cupel {}; seed {}", run.id, run.started, run.tool, recorded.plan.seed)
}

/// The command that measures one cell again.
fn repeat(recorded: &Recorded, analysis: &Analysis) -> Option<String> {
    let (answer, row) = an_example(analysis)?;
    let options = &recorded.plan.options;
    let work = &answer.workload;
    let more =
        format!("--forks {} --budget {}", options.forks, budget_option(options.given_budget()));
    // Alone it would be its own baseline.
    let baseline = answer.baseline.as_deref().filter(|name| row.contender != **name);
    let names = baseline.into_iter().chain([row.contender.as_str()]);
    Some(again(&recorded.run.suite, work, &[work.size], recorded.plan.workloads(), names, &more))
}

/// A budget as an option of `cupel run`.
fn budget_option(budget: Duration) -> String {
    match budget.as_secs_f64() {
        0.0 => "least".to_string(),
        seconds => format!("{seconds}s"),
    }
}

/// The cell that the note about repeating uses: the leader of the first comparison. If that is the
/// baseline, it is the next row that was measured: a baseline alone is compared with nothing.
fn an_example(analysis: &Analysis) -> Option<(&Answer, &Row)> {
    let answer = analysis.comparisons.first()?;
    // The second build of a comparison of two builds is in no suite.
    let usual: Vec<&Row> = answer.rows.iter().filter(|row| !row.contender.is_against()).collect();
    let mut others = usual.clone();
    others.retain(|row| answer.baseline.as_ref() != Some(&row.contender));
    let row = match &answer.lead {
        Some(lead) => others.iter().find(|row| row.contender == lead.leader),
        None => others.first(),
    };
    let measured = others.iter().find(|row| row.ns.is_some());
    Some((answer, *row.or(measured).or(usual.first())?))
}
