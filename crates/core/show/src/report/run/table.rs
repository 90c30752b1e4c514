//! The tables of a run: the figures of a comparison, the fixed costs of a chart, and the missing
//! contenders.

use super::{heat, secondary};
use crate::report::document::{Cell, Colour, Document, Emphasis, Fit, Table, left, right};
use crate::report::run::cells::rate;
use crate::report::style::Style;
use cupel_analyse::{Answer, Row, UNTRUSTED, Verdict};
use cupel_base::primitives;
use cupel_base::text::{self, TimeUnit};
use cupel_contender::State;
use cupel_findings::words;
use cupel_findings::{Because, Finding, Said};
use cupel_plan::Plan;
use cupel_store::Recorded;
use std::collections::BTreeSet;

/// "Not separated" in the table of a choice, where names need the width.
const OPEN: &str = "open";

/// The figures of one comparison, and the remarks about them.
pub fn comparison(
    document: &mut Document,
    recorded: &Recorded,
    answer: &Answer,
    findings: &[Finding],
    style: Style,
) {
    let plan = &recorded.plan;
    let size = match answer.workload.contract.lengths.drawn() {
        Some(_) => "the mix".to_string(),
        None => text::bytes(answer.workload.size),
    };
    // In a choice, the primitives have a column, in the place of bytes per second.
    let is_choice = primitives::is_choice(&answer.workload.primitive);
    let mut columns = vec![left(format!("at {size}"))];
    if is_choice {
        columns.extend([left("primitive"), right("per call")]);
    } else {
        columns.extend([right("per call"), right("GB/s")]);
    }
    columns.extend([right("ratio"), left("interval"), left("verdict")]);
    if style.every {
        columns.extend([right("rounds"), right("dropped")]);
    }
    let has_leaks = style.every && findings.iter().any(|finding| is_leak_test(&finding.said));
    if has_leaks {
        columns.push(left("leaks"));
    }
    let mut table = Table::new(Fit::Intervals, columns);
    let shows = |row: &Row| shown(plan, answer, row, style);
    let rows: Vec<&Row> = answer.rows.iter().filter(|row| shows(row)).collect();
    let unit = TimeUnit::for_shortest(rows.iter().filter_map(|row| Some(row.ns?.median)));
    for row in rows {
        let ratio = row.ratio.filter(|_| row.verdict != Verdict::Failed);
        let mut cells = cells(answer, row, unit, style);
        if has_leaks {
            cells.push(leak(recorded, row));
        }
        table.drawn_row(cells, ratio);
    }
    document.table(table);
    let control = findings.iter().find_map(|finding| words::control(&finding.said));
    document.note(control.unwrap_or_default());
    let mut open = answer.rows.iter().filter(|row| row.verdict == Verdict::NotSeparated);
    if is_choice && open.any(shows) {
        document.note(format!("{OPEN}: not separated from the baseline"));
    }
    secondary::note(document, plan, answer, findings, style);
    let answered = findings.first().map(|finding| &finding.said);
    if let Some(Said::NoAnswer { because: because @ Because::Untrusted, .. }) = answered {
        let why = words::because(because);
        document.line(Some(1), format!("UNTRUSTED: {why}"), Emphasis::All);
    }
    let shown: BTreeSet<usize> =
        answer.rows.iter().filter(|row| shows(row)).map(|row| row.cell).collect();
    for line in words::below(findings, &|cell| shown.contains(&cell)) {
        let loud = Emphasis::Word(words::LEAKS, Colour::Red);
        document.line(Some(1), line.text, if line.leaks { loud } else { Emphasis::None });
    }
}

/// Whether a contender was tested for leaks: the others of its comparison were not.
fn is_leak_test(said: &Said) -> bool {
    matches!(said, Said::Leaks { .. } | Said::NoneSeen { .. } | Said::LeakUndecided { .. })
}

/// The results of the leak tests of a row.
fn leak(recorded: &Recorded, row: &Row) -> Cell {
    let said = recorded.leaks(row.cell);
    Cell::new(said, (said == words::LEAKS).then_some(Colour::Red))
}

/// Whether a row belongs to the table of figures. The others are listed once for each chart, with
/// the reason. Only a matrix's baseline and its fastest are in the table unless `verbose`: the map
/// has the others.
fn shown(plan: &Plan, answer: &Answer, row: &Row, style: Style) -> bool {
    if style.every {
        return true;
    }
    let in_map = heat::variant(plan, row).is_some() && !style.verbose;
    let leads = answer.rows.first().is_some_and(|first| first.cell == row.cell && first.ranked());
    if in_map && !leads && row.verdict != Verdict::Baseline {
        return false;
    }
    if secondary::out(plan, answer, row, style) || is_explained_before(plan, answer, row) {
        return false;
    }
    row.ns.is_some() || row.verdict == Verdict::Failed
}

/// Whether a row failed together with the whole of its family, which an earlier row already
/// reports.
fn is_explained_before(plan: &Plan, answer: &Answer, row: &Row) -> bool {
    let before = answer.rows.iter().take_while(|other| other.cell != row.cell);
    before.into_iter().any(|other| failed_together(plan, other, row))
}

/// Whether two contenders cannot be measured for one reason, which is their runner's: it does not
/// build or does not answer.
fn failed_together(plan: &Plan, one: &Row, other: &Row) -> bool {
    let [one, other] = [one, other].map(|row| plan.contender_of(row.cell));
    matches!(&one.state, State::Failed(_))
        && one.state == other.state
        && one.family == other.family
        && one.name.toolchain() == other.name.toolchain()
}

fn cells(answer: &Answer, row: &Row, unit: TimeUnit, style: Style) -> Vec<Cell> {
    let ranked = row.verdict != Verdict::Failed;
    let figure = |text: Option<String>| Cell::from(text.filter(|_| ranked).unwrap_or("-".into()));
    let ns = row.ns.map(|t| t.median);
    let colour = match row.verdict {
        Verdict::Faster => Some(Colour::Green),
        Verdict::Slower => Some(Colour::Yellow),
        Verdict::Failed => Some(Colour::Red),
        _ => None,
    };
    let per_call = figure(ns.map(|ns| unit.time(ns)));
    let rate = figure(ns.and_then(|ns| rate(&answer.workload, ns)).map(text::digits));
    let (second, third, open) = match row.contender.primitive() {
        Some(primitive) => (primitive.into(), per_call, OPEN),
        None => (per_call, rate, Verdict::NotSeparated.words()),
    };
    let verdict = if row.verdict == Verdict::NotSeparated { open } else { row.verdict.words() };
    let mut cells = vec![
        Cell::from(row.contender.contender()),
        second,
        third,
        figure(row.ratio.map(|r| text::ratio_digits(r.estimate))),
        figure(row.ratio.map(|r| text::interval(r.low, r.high))),
        Cell::new(verdict, colour),
    ];
    if style.every {
        cells.extend([row.rounds, row.dropped].map(Cell::from));
    }
    cells
}

/// The fixed cost and the cost per byte of every contender of a chart.
pub fn lines(document: &mut Document, plan: &Plan, answers: &[Answer], style: Style) {
    let Some(last) = answers.last() else { return };
    let columns = [left("over all sizes"), right("a: per call"), right("b: per byte")];
    let mut table = Table::new(Fit::Names, columns);
    let fitted = last.rows.iter().filter_map(|row| Some((row, row.line?)));
    let (hidden, lines): (Vec<_>, Vec<_>) =
        fitted.partition(|(row, _)| secondary::out(plan, last, row, style));
    for (row, line) in &lines {
        let fixed = line.known_fixed_ns().map(|ns| format!("{} ns", text::digits(ns)));
        let per_byte = line.known_per_byte_ns().map(|ns| format!("{ns:.3} ns"));
        let figures = [fixed, per_byte].map(|ns| Cell::from(ns.unwrap_or("-".into())));
        table.row([Cell::from(&row.contender)].into_iter().chain(figures));
    }
    if !lines.is_empty() {
        document.table(table);
        secondary::count(document, hidden.len(), "");
    }
}

/// A reason that is printed once, and the rows that it holds for.
struct Absent<'a> {
    row: &'a Row,
    reason: &'a str,
    names: BTreeSet<&'a str>,
    primitives: usize,
}

/// The contenders that failed in a chart, each reason once.
pub fn failed(document: &mut Document, plan: &Plan, answers: &[Answer]) {
    absent(document, plan, answers, &|row| row.verdict != Verdict::Missing);
}

/// The contenders that are missing in a run, each reason once: they are missing in all charts.
pub fn missing(document: &mut Document, plan: &Plan, answers: &[Answer]) {
    absent(document, plan, answers, &|row| row.verdict == Verdict::Missing);
}

/// Why rows have no figure, each reason once. Builds of a matrix that share a reason share a line.
fn absent(document: &mut Document, plan: &Plan, answers: &[Answer], of: &dyn Fn(&Row) -> bool) {
    let mut lines: Vec<Absent<'_>> = Vec::new();
    for row in answers.iter().flat_map(|a| &a.rows).filter(|row| of(row)) {
        // The reason of a whole comparison is printed there.
        let Some(reason) = row.reason.as_deref().filter(|r| *r != UNTRUSTED) else { continue };
        let name = row.contender.contender();
        match lines.iter_mut().find(|line| line.joins(plan, row, reason)) {
            Some(line) => {
                line.names.insert(name);
                line.primitives += usize::from(line.row.contender != row.contender);
            }
            None => {
                let names = BTreeSet::from([name]);
                lines.push(Absent { row, reason, names, primitives: 1 });
            }
        }
    }
    for Absent { row, reason, names, primitives } in lines {
        let more = match names.len() {
            1 => String::new(),
            n if row.verdict == Verdict::Unmeasured => format!(" and {} more", n - 1),
            n if heat::variant(plan, row).is_some() => format!(" and {} more builds", n - 1),
            n => format!(" and {} more of its family", n - 1),
        };
        // A reason that holds for several primitives of a contender holds for the contender.
        let name = if primitives > 1 { row.contender.contender() } else { &row.contender };
        document.note(format!("{} {name}{more}: {reason}", row.verdict.words()));
    }
}

impl Absent<'_> {
    /// Whether a row belongs to this line.
    fn joins(&self, plan: &Plan, row: &Row, reason: &str) -> bool {
        let of_matrix = |row: &Row| heat::variant(plan, row).is_some();
        (self.row.verdict, self.reason) == (row.verdict, reason)
            && (self.row.contender.contender() == row.contender.contender()
                || row.verdict == Verdict::Unmeasured
                || (row.verdict == Verdict::Missing
                    && self.row.contender.all_alike() == row.contender.all_alike())
                || failed_together(plan, self.row, row)
                || (of_matrix(self.row) && of_matrix(row)))
    }
}
