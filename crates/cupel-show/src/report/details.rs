//! What `--verbose` adds to the tables: the contenders, and how their processes behaved.

use super::notes::Notes;
use super::style::Style;
use cupel_analyse::{Analysis, Compiled, Row};
use cupel_base::chart;
use cupel_base::text::{self, WIDTH, count, folded, plain};
use cupel_stats::Steadiness;
use cupel_store::Recorded;
use std::fmt::Write;

/// The width of the names in the list of forks in 80 columns.
const NAME: usize = 24;

/// Writes who made each contender and what it runs, and what each of its processes did.
pub(super) fn draw(
    out: &mut String,
    recorded: &Recorded,
    analysis: &Analysis,
    style: Style,
    notes: &mut Notes,
) {
    let widest = NAME + style.width.saturating_sub(WIDTH);
    let _ = writeln!(out, "\ncontenders");
    for (place, contender) in recorded.plan.contenders.iter().enumerate() {
        let found = recorded.contenders.get(&place).cloned().unwrap_or_default();
        let _ = writeln!(
            out,
            "{}",
            folded(
                "  ",
                &format!(
                    "{}: {}{} {} ({}), {}; code path: {}; {} verified{}",
                    plain(&contender.name),
                    contender
                        .variant
                        .as_ref()
                        .map_or(String::new(), |v| format!("built by {}; ", plain(&v.version))),
                    plain(&contender.library),
                    plain(&contender.version),
                    plain(&contender.licence),
                    plain(&contender.summary),
                    plain(&found.code_paths.words()),
                    count(found.verified as usize, "case"),
                    if found.notes.is_empty() {
                        String::new()
                    } else {
                        format!("; not supported: {}", plain(&found.notes))
                    }
                )
            )
        );
    }
    let _ = writeln!(out, "\nfirst call, forks and steadiness");
    for answer in &analysis.comparisons {
        let rows: Vec<&Row> = answer.rows.iter().filter(|r| r.ns.is_some()).collect();
        let names: Vec<String> = rows.iter().map(|row| plain(&row.contender)).collect();
        for (row, name) in rows.into_iter().zip(notes.labels(&names, widest)) {
            let line = format!(
                "{name:<24} {:>8}  first {:>9}  {}, {}, {} dropped; {}{}{}",
                chart::size(&answer.workload),
                row.first_call_ns.map_or("-".to_string(), text::time),
                count(row.forks, "fork"),
                count(row.rounds, "round"),
                row.dropped,
                runs_of(&row.steadiness),
                if row.unsettled_warm_ups > 0 { ", warm-up did not settle" } else { "" },
                row.allocated_per_call
                    .map_or(String::new(), |bytes| format!("; {bytes:.0} B allocated per call"))
                    + &row.compiled.as_ref().map_or(String::new(), compiled)
            );
            let _ = writeln!(out, "{}", folded("  ", &line));
        }
    }
}

/// The steadiness of successive forks: `3 flat, warming, 7 flat`.
fn runs_of(steadiness: &[Steadiness]) -> String {
    let runs = steadiness.chunk_by(PartialEq::eq).map(|run| match run {
        [one] => one.to_string(),
        many => format!("{} {}", many.len(), many[0]),
    });
    runs.collect::<Vec<_>>().join(", ")
}

/// What the compilers of its processes did.
fn compiled(compiled: &Compiled) -> String {
    let levels: Vec<String> = compiled.levels.iter().map(ToString::to_string).collect();
    let times = match compiled.recompiled {
        0 => "never".to_string(),
        1 => "once".to_string(),
        times => format!("{times} times"),
    };
    format!(
        "; code at level {} by fork, steady after {}, compiled again in rounds {times}",
        levels.join(" "),
        text::time(compiled.steady_ns)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successive_forks_that_were_alike_are_counted() {
        use Steadiness::{Flat, Warming};
        assert_eq!(runs_of(&[]), "");
        assert_eq!(runs_of(&[Flat]), "flat");
        assert_eq!(runs_of(&[Flat, Flat, Warming, Flat]), "2 flat, warming, flat");
    }
}
