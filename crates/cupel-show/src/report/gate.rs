//! A gate over two builds of a benchmark program: the answer, a table, and the evidence below it.

use crate::report::document::{Cell, Colour, Document, Emphasis, Fit, Table, left, right};
use crate::report::number::finite;
use crate::report::print;
use crate::report::style::{Format, Style};
use cupel_base::text::{self, count, share};
use cupel_gate::judge::{Compared, Judged, Missing, Verdict};
use cupel_gate::record::{Build, Record};
use cupel_stats::turns::Shift;
use serde_json::{Value, json};

/// The formats of a gate.
pub const OF_GATE: [Format; 4] = [Format::Table, Format::Json, Format::Markdown, Format::Github];

/// How many benchmarks a sentence names.
const NAMED: usize = 3;

/// How many rows a comment on a change has room for. If there are more, it shows those that are not
/// as before, and folds the rest.
const ROWS: usize = 16;

/// More than this times the budget is not recommended.
const MOST_TIMES: f64 = 10.0;

/// Writes a gate. `number` is its number in the store.
pub fn present(
    number: i64,
    record: &Record,
    judged: &Judged,
    format: Format,
    style: Style,
) -> String {
    match format {
        Format::Json => json(number, record, judged),
        Format::Github => annotations(record, judged),
        Format::Markdown => {
            let mut document = head(record, judged);
            let unusual = |one: &&Compared| one.verdict != Verdict::NoSlowdown;
            let long = judged.compared.len() > ROWS;
            if long {
                document.table(table(judged.compared.iter().filter(unusual).take(ROWS)));
            } else {
                document.table(table(&judged.compared));
            }
            let mut evidence = Document::default();
            if long {
                evidence.table(table(&judged.compared));
            }
            remarks(&mut evidence, number, record, judged);
            print::markdown(&document) + &print::folded("Evidence", &evidence)
        }
        _ => {
            let mut document = head(record, judged);
            document.table(table(&judged.compared));
            document.gap();
            remarks(&mut document, number, record, judged);
            print::text(&document, style)
        }
    }
}

/// The first lines.
fn head(record: &Record, judged: &Judged) -> Document {
    let mut document = Document::default();
    document.line(None, answer(record, judged), Emphasis::All);
    for one in judged.compared.iter().filter(|one| one.is_untrusted()) {
        let text = format!(
            "UNTRUSTED {}: two copies of the base differ by {}, so there is no verdict. Does an \
             execution leave something that changes the next one?",
            one.name,
            change(&one.control)
        );
        document.line(None, text, Emphasis::Word("UNTRUSTED", Colour::Magenta));
    }
    for one in judged.missing.iter().filter(|one| !one.is_always()) {
        document.line(None, lost(one), Emphasis::Word("LOST", Colour::Yellow));
    }
    document
}

/// How many executions gave no time of a benchmark, and why.
fn lost(missing: &Missing) -> String {
    let Missing { name, executions, of_new, of, why } = missing;
    let effect = if missing.is_too_many() {
        "they may be the slow ones, so there is no verdict"
    } else {
        "their rounds do not count"
    };
    format!(
        "LOST {name}: {executions} of {of} executions gave no time, {of_new} of them of the new build \
         ({why}); {effect}"
    )
}

/// The answer, in a sentence.
fn answer(record: &Record, judged: &Judged) -> String {
    let all = count(judged.compared.len(), "benchmark");
    let of = |verdict: Verdict| judged.compared.iter().filter(move |one| one.verdict == verdict);
    let named = |verdict: Verdict| {
        let mut names: Vec<String> = of(verdict)
            .take(NAMED)
            .map(|one| format!("{} {}", one.name, change(&one.shift)))
            .collect();
        if judged.count(verdict) > NAMED {
            names.push(format!("and {} more", judged.count(verdict) - NAMED));
        }
        names.join("; ")
    };
    let (slower, undecided) = (judged.count(Verdict::Slower), judged.count(Verdict::Undecided));
    if slower > 0 {
        return format!("slower: {slower} of {all}: {}", named(Verdict::Slower));
    }
    if undecided > 0 {
        let others = judged.compared.len() - undecided;
        let others = match others {
            0 => String::new(),
            n => format!("; {n} not slower"),
        };
        return format!("undecided: {undecided} of {all}: {}{others}", named(Verdict::Undecided));
    }
    let faster = match judged.count(Verdict::Faster) {
        0 => String::new(),
        n => format!("; {n} faster: {}", named(Verdict::Faster)),
    };
    format!("not slower: none of {all} by more than {}{faster}", share(record.margin))
}

/// A change with its interval, in percent.
fn change(shift: &Shift) -> String {
    let percent = |x: f64| x.exp_m1() * 100.0;
    let Shift { estimate, interval } = shift;
    if !interval.half_width().is_finite() {
        return "in too few rounds".to_string();
    }
    format!(
        "{:+.1} % [{:+.1} .. {:+.1}]",
        percent(*estimate),
        percent(interval.low),
        percent(interval.high)
    )
}

fn table<'a>(rows: impl IntoIterator<Item = &'a Compared>) -> Table {
    let columns = [
        left("benchmark"),
        right("base"),
        right("new"),
        right("ratio"),
        left("interval"),
        left(""),
    ];
    let mut table = Table::new(Fit::Names, columns);
    let mut rows: Vec<&Compared> = rows.into_iter().collect();
    rows.sort_by_key(|one| one.verdict);
    for one in rows {
        let colour = match one.verdict {
            Verdict::Slower => Some(Colour::Red),
            Verdict::Faster => Some(Colour::Green),
            Verdict::Undecided => Some(Colour::Yellow),
            Verdict::NoSlowdown => None,
        };
        let Shift { estimate, interval } = one.shift;
        table.row([
            Cell::from(&one.name),
            Cell::from(text::time(one.base_ns)),
            Cell::from(text::time(one.new_ns)),
            Cell::from(text::ratio_digits(estimate.exp())),
            Cell::from(text::interval(interval.low.exp(), interval.high.exp())),
            Cell::new(one.verdict.words(), colour),
        ]);
    }
    table
}

/// How it was measured, and how sure it is.
fn remarks(document: &mut Document, number: i64, record: &Record, judged: &Judged) {
    if let Some(remedy) = remedy(record, judged) {
        document.note(remedy);
    }
    for (names, side) in [(&judged.only_base, "base"), (&judged.only_new, "new build")] {
        if !names.is_empty() {
            document.note(format!("only the {side} has {}: not compared", names.join(", ")));
        }
    }
    let never: Vec<&Missing> = judged.missing.iter().filter(|one| one.is_always()).collect();
    for Missing { name, why, .. } in never.iter().take(NAMED) {
        document.note(format!("no time of {name}: {why}"));
    }
    if never.len() > NAMED {
        document.note(format!("no time of {} more", never.len() - NAMED));
    }
    let sure = (1.0 - record.error) * 100.0;
    document.note(format!(
        "joint at {sure:.0} %: all intervals contain the truth in {sure:.0} of 100 gates, over {} and {}",
        count(judged.compared.len(), "benchmark"),
        count(record.looks.len(), "look")
    ));
    let off = |one: &&Compared| one.control.estimate.abs();
    if let Some(one) = judged.compared.iter().max_by(|a, b| off(a).total_cmp(&off(b))) {
        document.note(format!(
            "control: two copies of the base differ by at most {:.1} % ({})",
            one.control.estimate.abs().exp_m1() * 100.0,
            one.name
        ));
    }
    document.note("not verified: whether the two builds compute the same is not known here");
    document.note(format!(
        "{} of base, copy and new build in random order, {:.0} s; read as {}, seed {}",
        count(record.rounds.len(), "round"),
        record.seconds(),
        record.reads,
        record.seed
    ));
    for (build, side) in [(&record.base, "base"), (&record.new, "new")] {
        let Build { command, folder, revision } = build;
        let revision = revision.as_ref().map_or(String::new(), |name| format!("{name}: "));
        document.note(format!("{side}: {revision}`{command}` in {folder}"));
    }
    let Record { started, machine, tool, .. } = record;
    document.note(format!("gate {number} of {started}, cupel {tool}, {machine}"));
}

/// The command that would decide the undecided benchmarks. The width of an interval falls with the
/// root of the time.
fn remedy(record: &Record, judged: &Judged) -> Option<String> {
    let zone = record.margin.ln_1p();
    let times = judged.compared.iter().filter(|one| one.verdict == Verdict::Undecided);
    let times = times.filter(|one| !one.is_untrusted()).map(|one| {
        let Shift { estimate, interval } = one.shift;
        let needed = if estimate > zone { estimate } else { zone - estimate };
        (interval.half_width() / needed).powi(2)
    });
    let most = times.fold(None, |most: Option<f64>, one| Some(most.map_or(one, |m| m.max(one))))?;
    if most > MOST_TIMES {
        return Some(format!(
            "more time will hardly decide it: the times differ too much from execution to execution, or \
             are too close to the margin; a wider --margin than {} does",
            share(record.margin)
        ));
    }
    let minutes = (record.seconds() * most.max(1.0) * 1.2 / 60.0).ceil();
    Some(format!("--budget {minutes}m would probably decide it"))
}

/// Commands that GitHub Actions shows next to the change.
fn annotations(record: &Record, judged: &Judged) -> String {
    // A name from outside must not begin another command.
    let escaped = |text: String| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let mut out = String::new();
    for one in judged.compared.iter().filter(|one| one.verdict == Verdict::Slower) {
        let text = escaped(format!("{} is slower: {}", one.name, change(&one.shift)));
        out += &format!("::error title=slower::{text}\n");
    }
    for one in judged.missing.iter().filter(|one| !one.is_always()) {
        out += &format!("::warning title=lost::{}\n", escaped(lost(one)));
    }
    let kind = if judged.count(Verdict::Slower) > 0 {
        "error"
    } else if judged.count(Verdict::Undecided) > 0 {
        "warning"
    } else {
        "notice"
    };
    out + &format!("::{kind} title=cupel gate::{}\n", escaped(answer(record, judged)))
}

fn json(number: i64, record: &Record, judged: &Judged) -> String {
    let ratio = |shift: &Shift| {
        let Shift { estimate, interval } = shift;
        let [ratio, low, high] =
            [*estimate, interval.low, interval.high].map(|x| finite(x).map(f64::exp));
        json!({ "ratio": ratio, "low": low, "high": high })
    };
    let compared: Vec<Value> = judged
        .compared
        .iter()
        .map(|one| {
            json!({
                "name": one.name,
                "verdict": one.verdict.words(),
                "untrusted": one.is_untrusted(),
                "base_ns": finite(one.base_ns),
                "new_ns": finite(one.new_ns),
                "change": ratio(&one.shift),
                "control": ratio(&one.control),
                "rounds": one.rounds,
            })
        })
        .collect();
    let missing = judged.missing.iter().map(|one| {
        let Missing { name, executions, of_new, of, why } = one;
        json!({ "name": name, "executions": executions, "of_new": of_new, "of": of, "why": why })
    });
    print::json(&json!({
        "gate": number,
        "answer": answer(record, judged),
        "joint": 1.0 - record.error,
        "verified": false,
        "benchmarks": compared,
        "only_base": judged.only_base,
        "only_new": judged.only_new,
        "missing": missing.collect::<Vec<Value>>(),
        "record": record,
    }))
}
