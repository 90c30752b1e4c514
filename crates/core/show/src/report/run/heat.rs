//! The contenders of a compiler matrix as a map: a line for each compiler, a column for each
//! optimisation level. A figure that is not separated from the baseline is marked and has no
//! colour, so a colour never shows more than the interval does.

use crate::report::document::{Cell, Colour, Document, Fit, Table, left, right};
use cupel_analyse::{Answer, Row, Verdict};
use cupel_base::name::ContenderName;
use cupel_base::text::ratio_digits;
use cupel_contender::Variant;
use cupel_findings::{Finding, Said};
use cupel_plan::Plan;
use cupel_store::Recorded;

/// The word after the name of a compiler that builds for the processor at hand.
const NATIVE: &str = " native";

/// Above this ratio, or below its inverse, a figure gets the strong colour.
const FAR: f64 = 1.25;

/// The variant of a row, if it is part of a matrix.
pub fn variant<'a>(plan: &'a Plan, row: &Row) -> Option<&'a Variant> {
    plan.contender_of(row.cell).variant.as_ref()
}

/// The common part of the builds of a map: the implementation, with its primitive in a choice.
fn implementation(name: &ContenderName) -> ContenderName {
    let code = ContenderName::from(name.code());
    name.primitive().map_or(code.clone(), |primitive| code.with_primitive(primitive))
}

/// One build of a matrix.
struct Build<'a> {
    variant: &'a Variant,
    implementation: ContenderName,
    row: &'a Row,
}

/// The maps of a comparison, one for each implementation, in the order of its plan; none if it has
/// no matrix.
pub fn maps(document: &mut Document, recorded: &Recorded, answer: &Answer, of_run: &[Finding]) {
    let plan = &recorded.plan;
    let rows = answer.rows.iter().filter(|row| row.verdict != Verdict::Missing);
    let mut builds: Vec<Build<'_>> = rows
        .filter_map(|row| {
            let implementation = implementation(&row.contender);
            Some(Build { variant: variant(plan, row)?, implementation, row })
        })
        .collect();
    builds.sort_by_key(|build| build.row.cell);
    for implementation in distinct(&builds, |build| &build.implementation) {
        let of = builds.iter().filter(|build| build.implementation == *implementation);
        document.table(map(implementation, &of.collect::<Vec<_>>()));
    }
    if builds.is_empty() {
        return;
    }
    let base = answer.baseline.as_deref().unwrap_or("none");
    document.note(format!("ratio to the baseline ({base}); ~ is not separated from it"));
    let note = of_run.iter().find_map(|finding| layouts(&finding.said));
    if let Some(note) = note {
        document.note(note);
    }
}

/// In how many of its layouts each build ran.
fn layouts(said: &Said) -> Option<String> {
    let Said::Layouts { layouts, forks } = said else { return None };
    if forks < layouts {
        return Some(format!(
            "only {forks} of the {layouts} layouts of each build were run, so differences may come \
             from the layout; --forks {layouts} runs all"
        ));
    }
    Some(format!("each build in {layouts} layouts, one for each fork"))
}

/// The different values of a property, in the order in which they occur.
fn distinct<'a, T, K: PartialEq>(all: &'a [T], of: impl Fn(&'a T) -> K) -> Vec<K> {
    let mut found: Vec<K> = Vec::new();
    for key in all.iter().map(of) {
        if !found.contains(&key) {
            found.push(key);
        }
    }
    found
}

/// One map.
fn map(implementation: &ContenderName, builds: &[&Build<'_>]) -> Table {
    let flags = distinct(builds, |build| build.variant.flag.as_str());
    let columns = flags.iter().map(|flag| right(*flag));
    let mut table =
        Table::new(Fit::Map, [left(implementation.as_str())].into_iter().chain(columns));
    for line in distinct(builds, |build| (build.variant.compiler.as_str(), build.variant.native)) {
        let (compiler, native) = line;
        let suffix = if native { NATIVE } else { "" };
        let figures = flags.iter().map(|flag| {
            let build = builds.iter().find(|build| {
                (build.variant.compiler.as_str(), build.variant.native) == line
                    && build.variant.flag == *flag
            });
            cell(build.map(|build| build.row))
        });
        table.row([Cell { suffix, ..compiler.into() }].into_iter().chain(figures));
    }
    table
}

/// A ratio to the baseline, with `~` if it is not separated from it.
fn cell(row: Option<&Row>) -> Cell {
    let Some(row) = row else { return "- ".into() };
    let ratio = row.ratio.map(|ratio| ratio.estimate);
    match (row.verdict, ratio) {
        (Verdict::Baseline, _) => "base ".into(),
        (Verdict::Failed, _) => Cell::new("failed ", Some(Colour::Magenta)),
        (_, None) => "- ".into(),
        (Verdict::Faster, Some(r)) => Cell::new(ratio_digits(r) + " ", Some(Colour::Green)),
        (Verdict::Slower, Some(r)) if r < FAR => {
            Cell::new(ratio_digits(r) + " ", Some(Colour::Yellow))
        }
        (Verdict::Slower, Some(r)) => Cell::new(ratio_digits(r) + " ", Some(Colour::Red)),
        (_, Some(r)) => Cell::from(ratio_digits(r) + "~"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_analyse::Ratio;
    use cupel_base::name::ContenderName;

    fn row(verdict: Verdict, ratio: f64) -> Row {
        Row {
            cell: 0,
            contender: ContenderName::default(),
            version: String::new(),
            code_path: String::new(),
            ns: None,
            ratio: Some(Ratio { estimate: ratio, low: ratio, high: ratio }),
            ratio_in_run: None,
            ratio_levels: vec![],
            verdict,
            reason: None,
            limit: None,
            forks: 0,
            rounds: 0,
            dropped: 0,
            steadiness: vec![],
            levels: vec![],
            slows_next: 1.0,
            compiled: None,
            slices: 0,
            disturbed: 0,
            shared: vec![],
            after: vec![],
            aside: false,
            left_early: false,
            unsettled_warm_ups: 0,
            first_call_ns: None,
            allocated_per_call: None,
            collecting_ns_per_call: None,
            ratio_without_collecting: None,
            line: None,
        }
    }

    #[test]
    fn what_is_not_separated_is_marked_and_has_no_colour() {
        for (verdict, ratio, text, coloured) in [
            (Verdict::Faster, 0.9, "0.900 ", true),
            (Verdict::Slower, 1.1, "1.100 ", true),
            (Verdict::Slower, 12.0, "12.00 ", true),
            // However far it seems to be.
            (Verdict::NotSeparated, 1.4, "1.400~", false),
            (Verdict::Baseline, 1.0, "base ", false),
            (Verdict::Failed, 1.0, "failed ", true),
        ] {
            let cell = cell(Some(&row(verdict, ratio)));
            assert_eq!((&*cell.text, cell.colour.is_some()), (text, coloured), "{verdict:?}");
        }
        assert_eq!(cell(None).text, "- ");
    }
}
