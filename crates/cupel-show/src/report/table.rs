//! A run as tables for a terminal.

use super::cells::rate;
use super::drawing::Scale;
use super::fitting::fitting;
use super::heat;
use super::notes::Notes;
use super::remarks;
use super::scaling;
use super::secondary;
use super::style::Style;
use super::{details, foot, sentence, verdicts};
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table, presets};
use cupel_analyse::{Analysis, Answer, Ratio, Row, UNTRUSTED, Verdict};
use cupel_base::chart;
use cupel_base::chart::ChartKey;
use cupel_base::primitives;
use cupel_base::text::{self, folded, plain};
use cupel_decide::claims::Verdicts;
use cupel_host::contender::State;
use cupel_plan::Plan;
use cupel_store::Recorded;
use cupel_suite::asked;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Draws the verdicts on what was asked, the answers and every chart of a run, then the notes about
/// the whole run.
pub fn draw(recorded: &Recorded, analysis: &Analysis, verdicts: &Verdicts, style: Style) -> String {
    let mut out = foot::unfinished(recorded) + &verdicts::draw(recorded, verdicts, style);
    if !verdicts.claims.answered.is_empty() && recorded.run.suite == asked::NAME {
        // The claim is the answer. Which contender is the fastest was not asked.
        return format!("{out}\n{}", figures(recorded, analysis, style));
    }
    if !verdicts.is_empty() {
        out.push('\n');
    }
    for line in scaling::lines(analysis) {
        let _ = writeln!(out, "{}", folded("", &line));
    }
    for line in sentence::lines(recorded, analysis) {
        let _ = writeln!(out, "{}", folded("", &line.answer));
        if let Some((cause, command)) = line.open {
            let then = if command.is_some() { "; to decide it:" } else { "" };
            let _ = writeln!(out, "{}", wrapped(&format!("open: {cause}{then}")));
            if let Some(command) = command {
                let _ = writeln!(out, "{}", text::command("    ", &command));
            }
        }
    }
    out + &figures(recorded, analysis, style)
}

/// The same without the answer, for a command that gives another one.
pub fn figures(recorded: &Recorded, analysis: &Analysis, style: Style) -> String {
    let mut out = String::new();
    let question = format!("question: {}", plain(&recorded.plan.question));
    let _ = writeln!(out, "{}", folded("", &question));
    let of = |answer: &Answer| ChartKey::of(&answer.workload);
    let mut notes = Notes::default();
    let mut last_chart = None;
    for (place, answer) in analysis.comparisons.iter().enumerate() {
        let chart = of(answer);
        if last_chart.as_ref() != Some(&chart) {
            let title = primitives::in_words(&chart.primitive);
            let title = format!("{title} {}, {}", chart.operation, chart.shape);
            let contract = format!("contract: {}", chart.contract);
            let _ = writeln!(out, "\n{}\n{}", folded("", &title), folded("", &contract));
            last_chart = Some(chart.clone());
        }
        comparison(&mut out, &recorded.plan, answer, style, &mut notes);
        heat(&mut out, recorded, answer, style, &mut notes);
        let next = analysis.comparisons.get(place + 1).map(of);
        if next.as_ref() != Some(&chart) {
            let answers: Vec<&Answer> =
                analysis.comparisons.iter().filter(|a| of(a) == chart).collect();
            lines(&mut out, &recorded.plan, &answers, style, &mut notes);
            absent(&mut out, &recorded.plan, &answers);
            for line in remarks::security(&chart.primitive) {
                let _ = writeln!(out, "{}", wrapped(&line));
            }
        }
    }
    threads(&mut out, recorded, analysis, style, &mut notes);
    if style.verbose {
        details::draw(&mut out, recorded, analysis, style, &mut notes);
    }
    foot::draw(&mut out, recorded, analysis, style, &notes);
    if style.names {
        notes.names(&mut out);
    }
    out
}

/// "Not separated" in the table of a choice, where names need the width.
const OPEN: &str = "open";

fn comparison(out: &mut String, plan: &Plan, answer: &Answer, style: Style, notes: &mut Notes) {
    let size = match answer.workload.contract.lengths.drawn() {
        Some(_) => "the mix".to_string(),
        None => text::bytes(answer.workload.size),
    };
    let rows: Vec<&Row> =
        answer.rows.iter().filter(|row| shown(plan, answer, row, style)).collect();
    // In a choice, the primitives have a column, in the place of bytes per second.
    let is_choice = primitives::is_choice(&answer.workload.primitive);
    let names: Vec<String> = rows.iter().map(|row| plain(row.contender.contender())).collect();
    let scale = Scale::of(rows.iter().filter_map(|row| ranked_ratio(row)));
    let table = fitting(&names, scale.is_some(), style, notes, |names, drawing| {
        let mut table = blank(style);
        let scale = scale.as_ref().filter(|_| drawing > 0);
        let (size, head) = (format!("at {size}"), scale.map(|scale| scale.head(drawing)));
        let mut first = vec![size.as_str(), "per call", "GB/s", "ratio", "interval", "verdict"];
        if is_choice {
            first[2] = "per call";
            first[1] = "primitive";
        }
        table.set_header(heads(
            &first.into_iter().chain(head.as_deref()).collect::<Vec<_>>(),
            style,
        ));
        for (row, name) in rows.iter().zip(names) {
            let drawn = scale.map(|scale| Cell::new(scale.draw(ranked_ratio(row), drawing)));
            let mut cells = cells(answer, row, name, style);
            if let Some(primitive) = row.contender.primitive() {
                cells.remove(2);
                cells.insert(1, Cell::new(primitive));
                if row.verdict == Verdict::NotSeparated {
                    cells[5] = Cell::new(OPEN);
                }
            }
            table.add_row(cells.into_iter().chain(drawn));
        }
        right(&mut table, if is_choice { &[2, 3] } else { &[1, 2, 3] });
        table
    });
    let _ = writeln!(out, "\n{table}");
    let _ = writeln!(out, "{}", wrapped(&remarks::control(plan, answer)));
    if is_choice && rows.iter().any(|row| row.verdict == Verdict::NotSeparated) {
        let _ = writeln!(out, "  {OPEN}: not separated from the baseline");
    }
    let hidden = |row: &&Row| secondary::out(plan, answer, row, style);
    let ahead = answer.rows.first().filter(hidden).map(|row| plain(&row.contender));
    secondary::note(out, plan, answer.rows.iter().filter(hidden), ahead.as_deref());
    if answer.untrusted {
        let line = format!("UNTRUSTED: {UNTRUSTED}");
        let _ = writeln!(out, "{}", wrapped(&line));
    }
    let shows = |row: &Row| shown(plan, answer, row, style);
    for line in remarks::below(answer, &shows) {
        let _ = writeln!(out, "{}", wrapped(&line));
    }
}

/// Whether a row belongs to the table of figures. The others are listed once for each chart, with
/// the reason. Of a matrix, only the baseline and the fastest are in the table unless `verbose`:
/// the map has the others.
fn shown(plan: &Plan, answer: &Answer, row: &Row, style: Style) -> bool {
    let in_map = heat::variant(plan, row).is_some() && !style.verbose;
    let leads = answer.rows.first().is_some_and(|first| first.cell == row.cell && first.ranked());
    if in_map && !leads && row.verdict != Verdict::Baseline {
        return false;
    }
    if secondary::out(plan, answer, row, style) || is_told_with_another(plan, answer, row) {
        return false;
    }
    row.ns.is_some() || row.verdict == Verdict::Failed
}

/// Whether a row failed together with the whole of its family, of which an earlier row tells.
fn is_told_with_another(plan: &Plan, answer: &Answer, row: &Row) -> bool {
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

/// The ratio that a row shows: what failed has none.
fn ranked_ratio(row: &Row) -> Option<&Ratio> {
    row.ratio.as_ref().filter(|_| row.verdict != Verdict::Failed)
}

/// Draws the builds of a compiler matrix, if the comparison has any.
fn heat(out: &mut String, recorded: &Recorded, answer: &Answer, style: Style, notes: &mut Notes) {
    let maps = heat::maps(&recorded.plan, answer);
    if maps.is_empty() {
        return;
    }
    for map in &maps {
        for (head, lines) in map.parts(style, notes) {
            let mut table = blank(style);
            let head: Vec<&str> = head.iter().map(String::as_str).collect();
            table.set_header(heads(&head, style));
            for line in lines {
                table.add_row(line);
            }
            right(&mut table, &(1..head.len()).collect::<Vec<_>>());
            let _ = writeln!(out, "\n{table}");
        }
    }
    let base = answer.baseline.as_deref().map_or("none".to_string(), plain);
    let legend = format!("ratio to the baseline ({base}); ~ is not separated from it");
    let _ = writeln!(out, "{}", wrapped(&legend));
    let layouts = recorded.plan.contenders.iter().map(|c| c.layouts.len()).max().unwrap_or(0);
    let forks = recorded.forks.iter().filter(|fork| fork.finished).count();
    let seen = match forks {
        _ if layouts == 0 => return,
        n if n < layouts => format!(
            "only {n} of the {layouts} layouts of each build were run, so differences may come from \
             the layout; --forks {layouts} runs all"
        ),
        _ => format!("each build in {layouts} layouts, one for each fork"),
    };
    let _ = writeln!(out, "{}", wrapped(&seen));
}

fn cells(answer: &Answer, row: &Row, name: &str, style: Style) -> Vec<Cell> {
    let ranked = row.verdict != Verdict::Failed;
    let or_dash = |text: Option<String>| text.filter(|_| ranked).unwrap_or_else(|| "-".to_string());
    let ns = row.ns.map(|t| t.median);
    let verdict = Cell::new(row.verdict.words());
    let verdict = match row.verdict {
        _ if !style.colour => verdict,
        Verdict::Faster => verdict.fg(Color::Green),
        Verdict::Slower => verdict.fg(Color::Yellow),
        Verdict::Failed => verdict.fg(Color::Red),
        _ => verdict,
    };
    vec![
        Cell::new(name),
        Cell::new(or_dash(ns.map(text::time))),
        Cell::new(or_dash(ns.and_then(|ns| rate(&answer.workload, ns)).map(text::digits))),
        Cell::new(or_dash(row.ratio.map(|r| text::ratio_digits(r.estimate)))),
        Cell::new(or_dash(row.ratio.map(|r| text::interval(r.low, r.high)))),
        verdict,
    ]
}

/// The fixed cost and the cost per byte of every contender of a chart.
fn lines(out: &mut String, plan: &Plan, answers: &[&Answer], style: Style, notes: &mut Notes) {
    let Some(last) = answers.last() else { return };
    let fitted = last.rows.iter().filter_map(|row| Some((row, row.line?)));
    let (hidden, lines): (Vec<_>, Vec<_>) =
        fitted.partition(|(row, _)| secondary::out(plan, last, row, style));
    if lines.is_empty() {
        return;
    }
    let names: Vec<String> = lines.iter().map(|(row, _)| plain(&row.contender)).collect();
    let table = fitting(&names, false, style, notes, |names, _| {
        let mut table = blank(style);
        table.set_header(heads(&["over all sizes", "a: per call", "b: per byte"], style));
        for ((_, line), name) in lines.iter().zip(names) {
            let (fixed, per_byte) = (line.known_fixed_ns(), line.known_per_byte_ns());
            table.add_row(vec![
                Cell::new(name),
                Cell::new(fixed.map_or("-".into(), |ns| format!("{} ns", text::digits(ns)))),
                Cell::new(per_byte.map_or("-".into(), |ns| format!("{ns:.3} ns"))),
            ]);
        }
        right(&mut table, &[1, 2]);
        table
    });
    let _ = writeln!(out, "\n{table}");
    secondary::note(out, plan, hidden.iter().map(|(row, _)| *row), None);
}

/// A table for each work and size, and what it cannot show.
fn threads(
    out: &mut String,
    recorded: &Recorded,
    analysis: &Analysis,
    style: Style,
    notes: &mut Notes,
) {
    let groups = scaling::by_work(analysis);
    for group in &groups {
        let work = &group[0].workload;
        let names: Vec<String> = group.iter().map(|one| plain(&one.contender)).collect();
        let table = fitting(&names, false, style, notes, |names, _| {
            let mut table = blank(style);
            let size = format!("{}, {}", work.primitive, chart::size(work));
            let head = [size.as_str(), "threads", "per call", "keeps", "interval", "verdict"];
            table.set_header(heads(&head, style));
            for (one, name) in group.iter().zip(names) {
                let (share, interval) = scaling::shares(one);
                table.add_row(vec![
                    Cell::new(name),
                    Cell::new(one.workload.contract.threads),
                    Cell::new(text::time(one.ns)),
                    Cell::new(share),
                    Cell::new(interval),
                    Cell::new(scaling::words(one)),
                ]);
            }
            right(&mut table, &[1, 2, 3]);
            table
        });
        let _ = writeln!(out, "\n{table}");
    }
    for line in scaling::legend(recorded, analysis) {
        let _ = writeln!(out, "{}", wrapped(&line));
    }
}

/// What is missing or failed in a chart, each reason once. Builds of a matrix that share a reason
/// share a line.
fn absent(out: &mut String, plan: &Plan, answers: &[&Answer]) {
    let mut told: Vec<(&Row, &str, BTreeSet<&str>, usize)> = Vec::new();
    for row in answers.iter().flat_map(|a| &a.rows) {
        // What is true of a whole comparison is printed there.
        let Some(reason) = row.reason.as_deref().filter(|r| *r != UNTRUSTED) else { continue };
        let of_matrix = heat::variant(plan, row).is_some();
        let own = row.contender.contender();
        let same = |(other, r, ..): &(&Row, &str, BTreeSet<&str>, usize)| {
            (other.verdict, *r) == (row.verdict, reason)
                && (other.contender.contender() == own
                    || failed_together(plan, other, row)
                    || (of_matrix && heat::variant(plan, other).is_some()))
        };
        match told.iter_mut().find(|line| same(line)) {
            Some((first, _, names, primitives)) => {
                names.insert(own);
                *primitives += usize::from(first.contender != row.contender);
            }
            None => told.push((row, reason, BTreeSet::from([own]), 1)),
        }
    }
    for (row, reason, names, primitives) in told {
        let more = match names.len() {
            1 => String::new(),
            n if heat::variant(plan, row).is_some() => format!(" and {} more builds", n - 1),
            n => format!(" and {} more of its family", n - 1),
        };
        // What is true of several primitives of a contender is true of it.
        let name = if primitives > 1 { row.contender.contender() } else { &row.contender };
        let (verdict, name) = (row.verdict.words(), plain(name));
        let _ = writeln!(out, "{}", wrapped(&format!("{verdict} {name}{more}: {}", plain(reason))));
    }
}

/// Folds and indents a note below a table.
fn wrapped(line: &str) -> String {
    folded("  ", line)
}

pub(super) fn blank(style: Style) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    if !style.colour {
        table.force_no_tty();
    } else {
        table.enforce_styling();
    }
    table
}

pub(super) fn heads(names: &[&str], style: Style) -> Vec<Cell> {
    names
        .iter()
        .map(|name| {
            let cell = Cell::new(name);
            if style.colour { cell.add_attribute(Attribute::Bold) } else { cell }
        })
        .collect()
}

pub(super) fn right(table: &mut Table, columns: &[usize]) {
    for &column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}
