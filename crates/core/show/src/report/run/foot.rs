//! The text below the tables of a run: how to read them, what more forks would do, where the
//! figures come from, and how to repeat one of them.

use super::circumstances::{self, find};
use crate::report::document::{Block, Document};
use crate::report::style::Style;
use cupel_analyse::{Analysis, Answer, Row};
use cupel_base::text;
use cupel_findings::{Finding, Said};
use cupel_plan::METHOD;
use cupel_store::Recorded;
use cupel_suite::again;
use std::time::Duration;

/// Writes how to read the tables, what more forks would do, and where the figures come from.
pub fn write(
    document: &mut Document,
    recorded: &Recorded,
    analysis: &Analysis,
    findings: &[Finding],
    style: Style,
) {
    document.gap();
    document.paragraph(legend(findings));
    document.blocks.push(Block::Reading);
    let lines = [
        find(findings, retired),
        find(findings, jit_forks),
        find(findings, too_few_forks),
        overheads(findings),
        Some(origin(recorded)),
        style.every.then(|| format!("command: {}", recorded.run.command)),
        find(findings, beside),
        Some(recorded.machine.line()),
    ];
    for line in lines.into_iter().flatten().chain(circumstances::lines(findings)) {
        document.paragraph(line);
    }
    if let Some(command) = repeat(recorded, analysis) {
        document.paragraph("repeat one cell:");
        document.command(1, command);
    }
}

/// The note on a run that did not wait for another one.
fn beside(said: &Said) -> Option<String> {
    let Said::Beside { other } = said else { return None };
    Some(format!(
        "measured at the same time as {other}: the two may have disturbed each other (--anyway)"
    ))
}

fn legend(findings: &[Finding]) -> String {
    let parts = [intervals, forks, widened, least_width];
    parts.into_iter().filter_map(|words| find(findings, words)).collect()
}

fn intervals(said: &Said) -> Option<String> {
    let Said::Intervals { joint, tie_zone, few_forks_zone, .. } = said else { return None };
    let few = few_forks_zone
        .map(|zone| format!(", and with so few forks beyond {:.0} %", zone * 100.0))
        .unwrap_or_default();
    Some(format!(
        "ratio: time over the baseline's; below 1 is faster. A verdict needs the whole interval \
         beyond the tie zone ({} %){few}. The intervals of each table are joint at {:.0} %.",
        // A suite may say "0.5%".
        (tie_zone * 1e4).round() / 1e2,
        joint * 100.0,
    ))
}

fn forks(said: &Said) -> Option<String> {
    let Said::Forks { forks, .. } = said else { return None };
    if *forks == 0 {
        return Some(" No fork was measured to its end.".to_string());
    }
    Some(format!(" {}.", text::count(*forks, "fork")))
}

/// The effect of the controls on the intervals, if it is worth a word.
fn widened(said: &Said) -> Option<String> {
    const SHOWN: f64 = 1.05;
    let Said::Intervals { wider, .. } = said else { return None };
    (*wider >= SHOWN).then(|| {
        format!(
            " All intervals are {wider:.2} times as wide as the forks alone would make them, \
             because two copies of one program differed by more than expected."
        )
    })
}

/// The least width of intervals, if copies of one program were further from each other than usual.
fn least_width(said: &Said) -> Option<String> {
    let Said::Intervals { least_width: Some(width), .. } = said else { return None };
    Some(format!(
        " No interval is narrower than {:.2} % to either side: in earlier runs on this machine, two \
         copies of one program differed by that much more than their intervals said.",
        100.0 * width
    ))
}

fn retired(said: &Said) -> Option<String> {
    let Said::Retired { after, forks, of } = said else { return None };
    Some(format!(
        "Contenders with a clear answer after {after} forks ran in {forks} of {of} \
         (--first-forks {of}: in all)."
    ))
}

fn jit_forks(said: &Said) -> Option<String> {
    let Said::JitForks { forks, of, interpreted, baseline_in_all, left_after, asked } = said else {
        return None;
    };
    let baseline = if *baseline_in_all { ", the baseline in all" } else { "" };
    let mut left = String::new();
    let looks: Vec<String> =
        left_after.iter().filter(|&&after| after > 1).map(u32::to_string).collect();
    if !looks.is_empty() {
        let after = looks.join(" or ");
        left = format!(", in {after} if they surely take over 1.5 times as long as the fastest");
    }
    if left_after.contains(&1) {
        left.push_str(
            ", in 1 if they took over 4 times as long in it as the native one that was the fastest \
             before (the interval of a single fork is a factor of 3 to each side)",
        );
    }
    let remedy = if left.is_empty() {
        format!("--jit-forks {of} --first-forks {of}: in all")
    } else {
        format!("--jit-forks {asked}: in up to {asked}")
    };
    let jit = (*forks > 0).then(|| {
        format!(
            "Contenders with a JIT ran in {forks} of {of} forks at most{baseline}{left} ({remedy})."
        )
    });
    let interpreted = interpreted.map(|ran| {
        format!(
            "Contenders with an interpreter ran in {ran} of {of} forks at most (--jit-forks \
             {asked}: as often as the others)."
        )
    });
    Some(jit.into_iter().chain(interpreted).collect::<Vec<_>>().join(" "))
}

fn too_few_forks(said: &Said) -> Option<String> {
    let Said::TooFewForks { enough, undecided_below, remedy, takes_ns } = said else { return None };
    Some(format!(
        "With fewer than {enough} forks, differences up to {:.0} % are not decided: a program may \
         have two speeds, and few processes may all have the same one. {remedy} decides them in \
         about {}.",
        undecided_below * 100.0,
        text::time(*takes_ns)
    ))
}

fn overheads(findings: &[Finding]) -> Option<String> {
    let each = findings.iter().filter_map(|finding| match &finding.said {
        Said::EmptyCall { runner, ns } => Some(format!("{runner} {}", text::time(*ns))),
        _ => None,
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty())
        .then(|| format!("harness overhead, included in every figure: {}", each.join(", ")))
}

fn origin(recorded: &Recorded) -> String {
    let run = &recorded.run;
    let method = match recorded.plan.method {
        0 | METHOD => String::new(),
        earlier => format!("; method {earlier}, today's is {METHOD} (docs/trust/method.md)"),
    };
    let seed = recorded.plan.seed;
    format!("run {} of {}, cupel {}; seed {seed}{method}", run.id, run.started, run.tool)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_zone_below_one_percent_is_not_rounded_to_nothing() {
        let said = |tie_zone| {
            let (few_forks_zone, least_width) = (None, None);
            let said =
                Said::Intervals { joint: 0.95, tie_zone, few_forks_zone, wider: 1.0, least_width };
            intervals(&said).expect("a legend")
        };
        assert!(said(0.02).contains("the tie zone (2 %)"), "{}", said(0.02));
        assert!(said(0.005).contains("the tie zone (0.5 %)"), "{}", said(0.005));
    }
}
