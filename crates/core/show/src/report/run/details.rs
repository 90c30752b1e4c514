//! The additions of `--verbose` to the tables: the contenders, and how their processes behaved.

use crate::report::document::{Cell, Document, Fit, Table, left, right};
use cupel_analyse::{Analysis, Answer, Compiled};
use cupel_base::chart;
use cupel_base::text::{self, count};
use cupel_stats::Steadiness;
use cupel_store::Recorded;

/// Writes the origin and the code of each contender, and the work of each of its processes.
pub fn write(document: &mut Document, recorded: &Recorded, analysis: &Analysis) {
    document.heading(2, "contenders");
    for (place, contender) in recorded.plan.contenders.iter().enumerate() {
        let found = recorded.contenders.get(&place).cloned().unwrap_or_default();
        let built = contender.variant.as_ref().map(|v| format!("built by {}; ", v.version));
        let lacks = Some(found.notes).filter(|notes| !notes.is_empty());
        let lacks = lacks.map(|notes| format!("; not supported: {notes}"));
        document.note(format!(
            "{}: {}{} {} ({}), {}; code path: {}; {} verified{}",
            contender.name,
            built.unwrap_or_default(),
            contender.library,
            contender.version,
            contender.licence,
            contender.summary,
            found.code_paths.words(),
            count(found.verified as usize, "case"),
            lacks.unwrap_or_default()
        ));
    }
    document.heading(2, "first call, forks and steadiness");
    for answer in &analysis.comparisons {
        processes(document, answer);
    }
}

/// The work of the processes of each row.
fn processes(document: &mut Document, answer: &Answer) {
    let size = chart::size(&answer.workload);
    let columns = [right("first call"), right("forks"), right("flat"), right("rounds")];
    let first = [left(format!("at {size}"))].into_iter();
    let mut table = Table::new(Fit::Names, first.chain(columns).chain([right("dropped")]));
    for row in answer.rows.iter().filter(|row| row.ns.is_some()) {
        let flat = row.steadiness.iter().filter(|one| **one == Steadiness::Flat).count();
        table.row([
            Cell::from(&row.contender),
            row.first_call_ns.map_or("-".to_string(), text::time).into(),
            row.forks.into(),
            flat.into(),
            row.rounds.into(),
            row.dropped.into(),
        ]);
    }
    document.table(table);
    for row in answer.rows.iter().filter(|row| row.ns.is_some()) {
        let more = [
            Some(runs_of(&row.steadiness)).filter(|words| words.contains(',')),
            (row.unsettled_warm_ups > 0).then(|| "warm-up did not settle".to_string()),
            row.allocated_per_call.map(|bytes| format!("{bytes:.0} B allocated per call")),
            row.compiled.as_ref().map(compiled),
        ];
        let more: Vec<String> = more.into_iter().flatten().collect();
        if !more.is_empty() {
            document.note(format!("{}: {}", row.contender, more.join("; ")));
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

/// The work of the compilers of its processes.
fn compiled(compiled: &Compiled) -> String {
    let levels: Vec<String> = compiled.levels.iter().map(ToString::to_string).collect();
    let times = match compiled.recompiled {
        0 => "never".to_string(),
        1 => "once".to_string(),
        times => format!("{times} times"),
    };
    format!(
        "code at level {} by fork, steady after {}, compiled again in rounds {times}",
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
