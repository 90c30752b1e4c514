//! A run as Markdown tables.

use super::cells::rate;
use super::markup::escaped;
use super::{beside, circumstances, foot, remarks, scaling, sentence, verdicts};
use cupel_analyse::{Analysis, UNTRUSTED};
use cupel_base::chart;
use cupel_base::primitives;
use cupel_base::text::{self, plain};
use cupel_decide::claims::Verdicts;
use cupel_store::Recorded;
use std::fmt::Write;

/// The verdicts on what was asked, one table for each comparison, then the circumstances.
pub fn write(recorded: &Recorded, analysis: &Analysis, verdicts: &Verdicts) -> String {
    let mut out = String::new();
    if let Some(line) = foot::not_finished(recorded) {
        let _ = writeln!(out, "**{}**\n", escaped(&line));
    }
    out += &verdicts::markdown(recorded, verdicts);
    for line in scaling::lines(analysis) {
        let _ = writeln!(out, "- {}", escaped(&line));
    }
    for line in sentence::lines(recorded, analysis) {
        let _ = writeln!(out, "- {}", escaped(&line.answer));
        if let Some((cause, command)) = line.open {
            let decides = |command: String| {
                format!("; to decide it: `{}`", plain(&command).replace('`', "'"))
            };
            let then = command.map_or(String::new(), decides);
            let _ = writeln!(out, "  - open: {}{then}", escaped(&cause));
        }
    }
    let _ = writeln!(out, "\n# {}", escaped(&recorded.plan.question));
    for answer in &analysis.comparisons {
        let work = &answer.workload;
        let _ = writeln!(
            out,
            "\n## {} {}, {}, {}\n\nContract: {}.{}\n",
            primitives::in_words(&work.primitive),
            work.operation,
            chart::size(work),
            work.shape,
            work.contract,
            if answer.floor.is_infinite() {
                " There are no verdicts.".to_string()
            } else if answer.floor > 0.0 {
                format!(
                    " With so few forks, nothing below {:.0} % is decided.",
                    answer.floor * 100.0
                )
            } else {
                String::new()
            }
        );
        if answer.untrusted {
            let _ = writeln!(out, "**UNTRUSTED: {UNTRUSTED}**\n");
        }
        out.push_str(
            "| contender | per call | GB/s | ratio | interval | verdict | rounds | dropped |\n",
        );
        out.push_str("|:--|--:|--:|--:|:--|:--|--:|--:|\n");
        for row in &answer.rows {
            let ns = row.ns.map(|t| t.median);
            let verdict = match row.reason.as_ref().or(row.limit.as_ref()) {
                Some(reason) => format!("{}: {}", row.verdict.words(), escaped(reason)),
                None => row.verdict.words().to_string(),
            };
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {verdict} | {} | {} |",
                escaped(&row.contender),
                ns.map_or(String::new(), text::time),
                ns.and_then(|ns| rate(work, ns)).map_or(String::new(), text::digits),
                row.ratio.map_or(String::new(), |r| text::ratio_digits(r.estimate)),
                row.ratio.map_or(String::new(), |r| text::interval(r.low, r.high)),
                row.rounds,
                row.dropped
            );
        }
        let control = remarks::control(&recorded.plan, answer);
        let _ = writeln!(out, "\n- {}", escaped(&control));
        for line in remarks::below(answer, &|_| true) {
            let _ = writeln!(out, "- {}", escaped(&line));
        }
        for line in remarks::security(&work.primitive) {
            let _ = writeln!(out, "- {}", escaped(&line));
        }
    }
    threads(&mut out, recorded, analysis);
    let _ = writeln!(
        out,
        "\nRun {} of {}, cupel {}, `{}`. {}",
        recorded.run.id,
        recorded.run.started,
        recorded.run.tool,
        plain(&recorded.run.command).replace('`', "'"),
        escaped(&recorded.machine.line())
    );
    for line in beside(&recorded.plan).into_iter().chain(circumstances::lines(recorded)) {
        let _ = writeln!(out, "\n{}", escaped(&line));
    }
    out
}

/// What threads cost, if some cells have several.
fn threads(out: &mut String, recorded: &Recorded, analysis: &Analysis) {
    if analysis.scaling.is_empty() {
        return;
    }
    out.push_str("\n## Threads\n\n");
    out.push_str("| contender | work | threads | per call | keeps | interval | verdict |\n");
    out.push_str("|:--|:--|--:|--:|--:|:--|:--|\n");
    for one in &analysis.scaling {
        let (work, (share, interval)) = (&one.workload, scaling::shares(one));
        let _ = writeln!(
            out,
            "| {} | {} {}, {} | {} | {} | {share} | {interval} | {} |",
            escaped(&one.contender),
            work.primitive,
            work.operation,
            chart::size(work),
            work.contract.threads,
            text::time(one.ns),
            scaling::words(one)
        );
    }
    out.push('\n');
    for line in scaling::legend(recorded, analysis) {
        let _ = writeln!(out, "- {line}");
    }
}
