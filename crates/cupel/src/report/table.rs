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
use super::{beside, joint_in_table, sentence, widened};
use crate::analyse::{Analysis, Answer, Compiled, Ratio, Row, UNTRUSTED, Verdict};
use crate::chart;
use crate::chart::ChartKey;
use crate::contender::State;
use crate::plan::Plan;
use crate::primitives;
use crate::store::Recorded;
use crate::suite::again;
use crate::text::{self, WIDTH, count, folded, plain};
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table, presets};
use cupel_stats::ENOUGH_FORKS;
use cupel_stats::Steadiness;
use cupel_stats::verdict::FEW_FORKS_ZONE;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;

/// The width of the names in the list of forks (`--verbose`) in 80 columns.
const NAME: usize = 24;

/// Draws every chart of a run, then the notes about the whole run.
pub fn draw(recorded: &Recorded, analysis: &Analysis, style: Style) -> String {
    let mut out = String::new();
    unfinished(&mut out, recorded);
    for line in scaling::lines(analysis) {
        let _ = writeln!(out, "{}", folded("", &line));
    }
    for line in sentence::lines(recorded, analysis) {
        let _ = writeln!(out, "{}", folded("", &line.answer));
        if let Some((cause, command)) = line.open {
            let _ = writeln!(out, "{}", wrapped(&format!("open: {cause}; to decide it:")));
            let _ = writeln!(out, "{}", text::command("    ", &command));
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
        details(&mut out, recorded, analysis, style, &mut notes);
    }
    foot(&mut out, recorded, analysis, style, &notes);
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
            table.add_row(vec![
                Cell::new(name),
                Cell::new(format!("{} ns", text::digits(line.fixed_ns))),
                Cell::new(format!("{:.3} ns", line.per_byte_ns)),
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

fn details(
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
            wrapped(&format!(
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
            ))
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
            let _ = writeln!(out, "{}", wrapped(&line));
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

/// The time that this many forks of a run would take, in ns, by what its own took.
fn time_of(recorded: &Recorded, own: usize, forks: usize) -> f64 {
    let warming: f64 = recorded.warm_ups.iter().map(|warm_up| warm_up.elapsed_ns).sum();
    let all = recorded.run.measured_ns as f64 + warming;
    all / own.max(1) as f64 * forks as f64
}

/// Of a run that was killed, first of all that it was: its answers are of fewer forks than were asked
/// for.
fn unfinished(out: &mut String, recorded: &Recorded) {
    if recorded.run.finished.is_some() {
        return;
    }
    let forks = recorded.forks.iter().filter(|fork| fork.finished).count();
    let asked = text::count(recorded.plan.options.forks as usize, "fork");
    let line = format!("NOT FINISHED: {forks} of {asked} were measured; to go on:");
    let _ = writeln!(out, "{}", folded("", &line));
    let resume = format!("cupel run {} --resume", text::quoted(&recorded.run.suite));
    let _ = writeln!(out, "{}", text::command("    ", &resume));
}

fn foot(out: &mut String, recorded: &Recorded, analysis: &Analysis, style: Style, notes: &Notes) {
    let run = &recorded.run;
    let options = &recorded.plan.options;
    let forks = recorded.forks.iter().filter(|f| f.finished).count();
    let overheads: Vec<String> = analysis
        .overheads
        .iter()
        .map(|(name, ns)| format!("{} {}", plain(name), text::time(*ns)))
        .collect();
    let few = match forks < ENOUGH_FORKS {
        true => format!(", and with so few forks beyond {:.0} %", FEW_FORKS_ZONE * 100.0),
        false => String::new(),
    };
    let legend = format!(
        "ratio: time over the baseline's; below 1 is faster. A verdict needs the whole interval \
         beyond the tie zone ({:.0} %){few}. {} {}.{}",
        options.tie_zone * 100.0,
        joint_in_table(options.alpha),
        text::count(forks, "fork"),
        widened(analysis.calibration)
    );
    let _ = writeln!(out, "\n{}", folded("", &legend));
    notes.explain(out, style);
    let first = options.first_forks() as usize;
    let mut rows = analysis.comparisons.iter().flat_map(|answer| &answer.rows);
    if rows.any(|row| row.ranked() && row.forks == first && first < forks) {
        let line = format!(
            "Contenders whose answer was clear after {first} forks have no more of them; \
             --first-forks {forks} gives all of them {forks}."
        );
        let _ = writeln!(out, "{}", folded("", &line));
    }
    let jit = options.jit_forks() as usize;
    if jit < forks && recorded.plan.contenders.iter().any(|contender| contender.is_jit()) {
        let line = format!(
            "Contenders whose code is compiled at run time have {jit} forks; --jit-forks {forks} \
             gives them as many as the others."
        );
        let _ = writeln!(out, "{}", folded("", &line));
    }
    let mut rows = analysis.comparisons.iter().flat_map(|answer| &answer.rows);
    let open = rows.any(|row| row.verdict == Verdict::NotSeparated);
    if forks < ENOUGH_FORKS && open && run.finished.is_some() {
        // The run may have stopped early: then it was already asked for enough.
        let (wanted, option) = match options.forks as usize {
            asked if asked < ENOUGH_FORKS => (ENOUGH_FORKS, format!("--forks {ENOUGH_FORKS}")),
            asked => (asked, format!("--forks {asked} --first-forks {asked}")),
        };
        let line = format!(
            "A program may have two speeds, and few processes may all have the same one: with fewer \
             than {ENOUGH_FORKS} forks, differences up to {:.0} % are not decided. To decide them: \
             {option}, which takes about {}.",
            FEW_FORKS_ZONE * 100.0,
            text::time(time_of(recorded, forks, wanted))
        );
        let _ = writeln!(out, "{}", folded("", &line));
    }
    if !overheads.is_empty() {
        let _ = writeln!(
            out,
            "{}",
            folded(
                "",
                &format!("harness overhead, included in every figure: {}", overheads.join(", "))
            )
        );
    }
    let (started, tool) = (plain(&run.started), plain(&run.tool));
    let told = format!("run {} of {started}, cupel {tool}; seed {}", run.id, recorded.plan.seed);
    let _ = writeln!(out, "{}", folded("", &told));
    if let Some(line) = beside(&recorded.plan) {
        let _ = writeln!(out, "{}", folded("", &line));
    }
    let _ = writeln!(out, "{}", folded("", &plain(&recorded.machine.line())));
    if let Some((answer, row)) = an_example(analysis) {
        let work = &answer.workload;
        let more = format!("--forks {} --budget {}", options.forks, budget_option(options.budget));
        // Alone it would be its own baseline.
        let baseline = answer.baseline.as_deref().filter(|name| row.contender != **name);
        let names = baseline.into_iter().chain([row.contender.as_str()]);
        let command = again(&run.suite, work, &[work.size], names, &more);
        let _ = writeln!(out, "repeat one cell:\n{}", text::command("  ", &command));
    }
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
    let usual = || answer.rows.iter().filter(|row| !row.contender.is_against());
    let is_baseline = |row: &Row| answer.baseline.as_deref().is_some_and(|b| row.contender == *b);
    let leader = answer.lead.as_ref().map(|lead| &lead.leader);
    let leads = |row: &&Row| !is_baseline(row) && leader.is_none_or(|l| row.contender == *l);
    let others = || usual().find(|row| !is_baseline(row) && row.ns.is_some());
    let row = usual().find(leads).or_else(others).or_else(|| usual().next())?;
    Some((answer, row))
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
