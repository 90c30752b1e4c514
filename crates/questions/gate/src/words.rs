//! A gate over two builds of a benchmark program: the answer, a table, and the evidence below it.

use crate::judge::{Compared, Failed, Failures, Judged, Missing, Outcome, Verdict};
use crate::record::{Build, Grown, NAMED, OfSide, Record, Side, State, some};
use cupel_base::text::{self, count, share};
use cupel_print::document::{Cell, Colour, Document, Emphasis, Fit, Table, left, right};
use cupel_print::number::finite;
use cupel_print::{Format, Style, print};
use cupel_stats::Interval;
use cupel_stats::shares::{Share, ShareChange};
use cupel_stats::turns::Shift;
use serde_json::{Value, json};

/// The formats of a gate.
pub const OF_GATE: [Format; 4] = [Format::Table, Format::Json, Format::Markdown, Format::Github];

/// How many benchmarks have a line each below the answer, of each kind.
const LISTED: usize = 5;

/// How many rows a comment on a change has room for. If there are more, it shows those that are not
/// as before, and folds the rest.
const ROWS: usize = 16;

/// How many characters the rows of a comment may have: GitHub accepts 65,536 in a comment.
const ROOM: usize = 40_000;

/// The names in a remark, of each kind.
const REMARKED: usize = 50;

/// Times with this many digits do not repeat by chance.
const MANY_DIGITS: usize = 6;

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
            let sorted = sorted(judged);
            let mut evidence = Document::default();
            if sorted.len() > ROWS {
                let unusual = sorted.len() - judged.count(Verdict::NoSlowdown);
                document.table(table(&sorted[..unusual.min(ROWS)]));
                let room = room(&sorted);
                evidence.table(table(&sorted[..room]));
                if room < sorted.len() {
                    let more = count(sorted.len() - room, "benchmark");
                    evidence.note(format!("{more} more: `cupel show --gate` has all"));
                }
            } else {
                document.table(table(&sorted));
            }
            remarks(&mut evidence, number, record, judged);
            print::markdown(&document) + &print::folded("Evidence", &evidence)
        }
        _ => {
            let mut document = head(record, judged);
            document.table(table(&sorted(judged)));
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
    for note in notes(record, judged) {
        let colour = if note.is_bad { Colour::Magenta } else { Colour::Yellow };
        document.line(None, note.sentence(), Emphasis::Word(note.word, colour));
    }
    document
}

/// A line that no reader may overlook, below the answer.
struct Note {
    word: &'static str,
    text: String,
    is_bad: bool,
}

impl Note {
    fn sentence(&self) -> String {
        format!("{} {}", self.word, self.text)
    }
}

/// The notes on lacking comparisons, failures, and limits of the figures.
fn notes(record: &Record, judged: &Judged) -> Vec<Note> {
    let mut notes = Vec::new();
    let note = |word, is_bad, text| Note { word, text, is_bad };
    if let Some(failures) = &judged.failures {
        notes.push(note("FAILED", true, failed(failures)));
    }
    let untrusted = judged.compared.iter().filter(|one| one.is_untrusted()).map(|one| {
        let text = format!(
            "{}: two executions of one build differ by {}, so there is no verdict. Does an \
             execution leave something that changes the next one?",
            one.name,
            change(&one.control)
        );
        note("UNTRUSTED", true, text)
    });
    add_first(&mut notes, untrusted, "whose two executions of one build differ");
    let unequal = record.state.iter().flat_map(|state| &state.unequal);
    notes.extend(unequal.map(|one| note("STATE", true, grown(one))));
    for (names, has, lacks) in
        [(&judged.only_base, "base", "new build"), (&judged.only_new, "new build", "base")]
    {
        let alone = names.iter().map(|name| {
            let why = judged.missing.iter().find(|one| one.name == *name);
            let why = why.map_or(String::new(), |one| format!(" ({})", one.why));
            let text = format!("{name}: only the {has} has it, the {lacks} gives no time{why}");
            note("NOT COMPARED", true, text)
        });
        add_first(&mut notes, alone, &format!("that only the {has} has"));
    }
    let lost = judged.lost().map(|one| {
        if one.is_always() {
            let text = format!("{}: no build gives a time ({})", one.name, one.why);
            return note("NOT COMPARED", true, text);
        }
        note("LOST", false, lost(one))
    });
    add_first(&mut notes, lost, "without a time in some executions, or in all");
    let leveled = judged.compared.iter().filter_map(|one| {
        // One slow execution is chance, unless it may be the first of many.
        let levels = one.levels.as_ref().filter(|all| all.base.marked + all.new.marked > 1)?;
        Some(note("LEVELS", levels.grew(), format!("{}: {}", one.name, shares(levels))))
    });
    add_first(&mut notes, leveled, "with slow executions");
    let coarse = judged.compared.iter().filter_map(|one| {
        Some(note("COARSE", false, format!("{}: {}", one.name, coarse(record, one)?)))
    });
    add_first(&mut notes, coarse, "with times in large steps");
    let mut add = |word, is_bad, text| notes.push(note(word, is_bad, text));
    for OfSide { side, what } in &record.unread {
        add("NOT READ", true, format!("{}: {what}", name_of(*side)));
    }
    for OfSide { side, what } in &record.doubts {
        let text = format!(
            "{} printed \"{what}\" and ended with status 0: a pipe hides the status of its first \
             command",
            name_of(*side)
        );
        add("DOUBTFUL", true, text);
    }
    for note in &record.notes {
        add("BUILDS", false, note.clone());
    }
    notes
}

/// Adds the first of some notes on benchmarks, and how many more there are.
fn add_first(notes: &mut Vec<Note>, all: impl Iterator<Item = Note>, of_more: &str) {
    let mut all = all;
    notes.extend(all.by_ref().take(LISTED));
    if let Some(Note { word, is_bad, .. }) = all.next() {
        let text = format!("{} more {of_more}", count(1 + all.count(), "benchmark"));
        notes.push(Note { word, text, is_bad });
    }
}

fn name_of(side: Side) -> &'static str {
    if side.is_new() { "the new build" } else { "the base" }
}

/// How a file that grows or counts began.
fn grown(one: &Grown) -> String {
    let Grown { path, is_folder, is_number, began, .. } = one;
    let [base, new] = began.map(|size| match usize::try_from(size) {
        _ if *is_number => size.to_string(),
        Ok(entries) if *is_folder => count(entries, "file"),
        _ => text::bytes(size),
    });
    let does = if *is_number {
        "has a number that moves with each execution"
    } else {
        "grows with the executions, which read it"
    };
    format!(
        "{path} {does}, and began with {base} in the folder of the base and {new} in the new build's. \
         It may decide the times, so there is no verdict: let the command first remove it",
    )
}

/// The executions without a result, by side.
fn failed(failures: &Failures) -> String {
    let Failures { base, new, change } = failures;
    let side = |name: &str, one: &Failed| {
        if one.executions == 0 {
            return format!("{name}: none of {}", one.of);
        }
        let rounds: Vec<String> = one.rounds.iter().take(NAMED).map(usize::to_string).collect();
        let more = if one.executions > NAMED { ", ..." } else { "" };
        let rounds = rounds.join(", ");
        format!("{name}: {} of {} (round {rounds}{more}: {})", one.executions, one.of, one.why)
    };
    format!(
        "executions without a result. {}. {}. By {} in the rounds; they do not count as times",
        side("The base", base),
        side("The new build", new),
        points(change)
    )
}

/// The shares of slow executions, and whether they changed.
fn shares(levels: &ShareChange) -> String {
    let ShareChange { factor, base, new, .. } = levels;
    let verdict = if levels.grew() {
        "it grew"
    } else if levels.interval.high < 0.0 {
        "it fell"
    } else if levels.is_open() {
        "it may have grown: undecided"
    } else {
        "no change is shown"
    };
    format!(
        "some executions take {factor:.1} times as long as the others: {} of {} of the base, {} of {} \
         of the new build; this share changed by {}: {verdict}",
        base.marked,
        base.of,
        new.marked,
        new.of,
        points(levels)
    )
}

/// A change of a share with its interval, in percentage points.
fn points(change: &ShareChange) -> String {
    let points = |share: f64| rounded(share * 100.0, 1.0);
    let Interval { low, high } = change.interval;
    format!(
        "{:+.0} percentage points [{:+.0} .. {:+.0}]",
        points(change.change()),
        points(low),
        points(high)
    )
}

/// A number rounded to this unit, which is not printed with the sign of a zero.
fn rounded(number: f64, unit: f64) -> f64 {
    (number / unit).round() * unit + 0.0
}

/// What a benchmark's clock hides, if it is too coarse for the margin. A cache prints the results
/// of the first execution again, which differ between the builds.
fn coarse(record: &Record, one: &Compared) -> Option<String> {
    let Some(step) = one.step_ns else {
        let is_stored = one.repeats && [one.base_ns, one.new_ns].into_iter().any(has_many_digits);
        return is_stored.then(|| format!("each build always printed its own one time: {STORED}"));
    };
    let hidden = step / one.base_ns.min(one.new_ns);
    if hidden >= 1.0 {
        let time = text::time(step);
        let few = "a change in further digits is not seen";
        let why = if has_many_digits(step) { STORED } else { few };
        return Some(format!("all executions printed the same time, {time}: {why}"));
    }
    let text = format!(
        "its times are multiples of {}, so one execution shows no change of less than {:.1} %, and \
         rounding moves the ratio a little",
        text::time(step),
        hidden * 100.0
    );
    (hidden > record.margin).then_some(text)
}

/// The question about times that repeat in many digits.
const STORED: &str =
    "a clock hardly repeats all these digits, so is this stored, and not measured?";

/// Whether a time, and the rate that it may be computed from, do not repeat by chance.
fn has_many_digits(ns: f64) -> bool {
    [ns, 1.0 / ns].into_iter().all(|figure| digits(figure) >= MANY_DIGITS)
}

/// The significant digits that a program printed, before units were converted.
fn digits(number: f64) -> usize {
    let text = format!("{number:.11e}");
    let digits = text.split('e').next().unwrap_or_default().trim_end_matches('0');
    digits.chars().filter(char::is_ascii_digit).count()
}

/// How many executions gave no time of a benchmark, and why.
fn lost(missing: &Missing) -> String {
    let Missing { name, executions, of_new, of, why, .. } = missing;
    let effect = if missing.is_too_many() {
        "they may be the slow ones, so there is no verdict"
    } else {
        "their rounds do not count"
    };
    format!(
        "{name}: {executions} of {of} executions gave no time, {of_new} of them of the new build \
         ({why}); {effect}"
    )
}

/// The answer, in a sentence: the worst first.
fn answer(record: &Record, judged: &Judged) -> String {
    let mut parts = Vec::new();
    if let Some(Failures { base, new, .. }) = &judged.failures {
        let share = |one: &Failed| {
            let percent = 100.0 * one.executions as f64 / one.of.max(1) as f64;
            format!("{percent:.0} % of its executions ({} of {})", one.executions, one.of)
        };
        parts.push(format!("fails: the new build in {}, the base in {}", share(new), share(base)));
    }
    let (gone, mut lacks) = (gone(judged), Vec::new());
    if !gone.is_empty() {
        lacks.push(format!("not compared in every execution: {}", some(&gone, NAMED)));
    }
    if !record.unread.is_empty() {
        lacks.push("some times were not read".to_string());
    }
    let is_calm = judged.count(Verdict::Slower) + judged.count(Verdict::Undecided) == 0;
    if !lacks.is_empty() && is_calm && !record.may_differ {
        parts.push(format!("incomplete: {}", lacks.join("; ")));
        lacks.clear();
    }
    parts.push(of_compared(record, judged));
    parts.extend(lacks);
    parts.join("; ")
}

/// The benchmarks that were not compared in every execution.
fn gone(judged: &Judged) -> Vec<&str> {
    let alone = judged.only_base.iter().chain(&judged.only_new).map(String::as_str);
    alone.chain(judged.lost().map(|one| one.name.as_str())).collect()
}

/// The answer on the benchmarks that both builds have.
fn of_compared(record: &Record, judged: &Judged) -> String {
    let all = count(judged.compared.len(), "benchmark");
    let of = |verdict: Verdict| judged.compared.iter().filter(move |one| one.verdict == verdict);
    let named = |verdict: Verdict| {
        let mut names: Vec<String> = of(verdict)
            .take(NAMED)
            .map(|one| format!("{} {}", one.name, changes(record, one)))
            .collect();
        if judged.count(verdict) > NAMED {
            names.push(format!("and {} more", judged.count(verdict) - NAMED));
        }
        names.join("; ")
    };
    if judged.compared.is_empty() {
        return "undecided: no benchmark was compared".to_string();
    }
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

/// What decided about a benchmark: the change of its time, or of its share of slow executions.
fn changes(record: &Record, one: &Compared) -> String {
    let time = change(&one.shift);
    let Some(levels) = one.levels.filter(|levels| levels.grew() || levels.is_open()) else {
        return time;
    };
    let slow = format!(
        "in {} of {} executions {:.1} times as long (the base in {} of {})",
        levels.new.marked, levels.new.of, levels.factor, levels.base.marked, levels.base.of
    );
    let is_slower = one.shift.interval.low > 0.0 && one.shift.estimate > record.margin.ln_1p();
    if is_slower { format!("{time}, and {slow}") } else { slow }
}

/// A change with its interval, in percent.
fn change(shift: &Shift) -> String {
    let percent = |x: f64| rounded(x.exp_m1() * 100.0, 0.1);
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

/// The compared benchmarks, the worst first.
fn sorted(judged: &Judged) -> Vec<&Compared> {
    let mut rows: Vec<&Compared> = judged.compared.iter().collect();
    rows.sort_by_key(|one| one.verdict);
    rows
}

/// How many rows a comment has room for.
fn room(rows: &[&Compared]) -> usize {
    /// The characters of a row without its name, in which some may be escaped.
    const OTHERS: usize = 90;
    let mut used = 0;
    let fit = rows.iter().take_while(|one| {
        used += OTHERS + 2 * one.name.len();
        used <= ROOM
    });
    fit.count()
}

fn table(rows: &[&Compared]) -> Table {
    let columns = [
        left("benchmark"),
        right("base"),
        right("new"),
        right("ratio"),
        left("interval"),
        left(""),
    ];
    let mut table = Table::new(Fit::Names, columns);
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
            let named = some(names, REMARKED);
            document.note(format!("only the {side} has {named}: not compared"));
        }
    }
    if judged.is_incomplete() && !record.may_differ {
        document.note("--may-differ says that the builds may have different benchmarks");
    }
    if !record.unread.is_empty() && !record.may_differ {
        document.note("--may-differ accepts times that were not read");
    }
    let never: Vec<&Missing> = judged.missing.iter().filter(|one| one.is_no_time()).collect();
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
            "control: two executions of one build differ by at most {:.1} % ({})",
            one.control.estimate.abs().exp_m1() * 100.0,
            one.name
        ));
    }
    if let Some(State { changing, such_as, is_cut, .. }) = &record.state {
        let files = count(*changing, "file");
        let cut = if *is_cut { ". Only those nearest to the top were watched" } else { "" };
        document.note(format!(
            "executions change {files} in the folder of their build, such as {such_as}; both builds \
             ran equally often{cut}"
        ));
    }
    document.note("not verified: whether the two builds compute the same is not known here");
    document.note(format!(
        "{} of three executions in random order, {} of the base and {} of the new build, {:.0} s; \
         read as {}, seed {}",
        count(record.rounds.len(), "round"),
        record.executions().filter(|one| !one.is_new()).count(),
        record.executions().filter(|one| one.is_new()).count(),
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

/// What would decide the undecided benchmarks. The width of an interval falls with the root of the
/// time, but only where nothing else is in the way of a verdict.
fn remedy(record: &Record, judged: &Judged) -> Option<String> {
    let zone = record.margin.ln_1p();
    let undecided = judged.compared.iter().filter(|one| one.verdict == Verdict::Undecided);
    let open: Vec<&Compared> =
        undecided.filter(|one| !one.is_untrusted() && !one.is_biased).collect();
    if open.is_empty() || judged.is_unequal {
        return None;
    }
    if open.iter().any(|one| !one.shift.interval.half_width().is_finite()) {
        return Some(
            "too few rounds have a time of both builds: first let each execution end well \
                     and in time"
                .to_string(),
        );
    }
    let doubtful = open.iter().filter(|one| one.levels.is_some_and(|levels| levels.is_open()));
    let doubtful = doubtful.count();
    if doubtful == open.len() {
        return Some(
            "more executions decide whether slow ones are more frequent: give a longer \
                     --budget; how much longer depends on how rare they are"
                .to_string(),
        );
    }
    let is_between = |one: &&Compared| {
        let levels = one.levels.filter(|levels| levels.base.marked > 0 && levels.new.marked > 0);
        levels.is_some_and(|levels| one.shift.interval.half_width() > levels.factor.ln() / 2.0)
    };
    if open.iter().any(is_between) {
        return Some(
            "the interval reaches from one level to the other: no budget is sure to narrow it; find \
             out why executions differ (memory layout, a thread that may wander, a cold cache)"
                .to_string(),
        );
    }
    let is_wide = |one: &&&Compared| !one.levels.is_some_and(|levels| levels.is_open());
    let times = open.iter().filter(is_wide).map(|one| {
        let Shift { estimate, interval } = one.shift;
        let needed = if estimate > zone { estimate } else { zone - estimate };
        (interval.half_width() / needed).powi(2)
    });
    let most = times.fold(0.0, f64::max);
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
    let escaped = |text: String| text::plain(&text).replace('%', "%25");
    let kind = match judged.outcome(record) {
        Outcome::Worse => "error",
        Outcome::Open => "warning",
        Outcome::Well => "notice",
    };
    let mut out = format!("::{kind} title=cupel gate::{}\n", escaped(answer(record, judged)));
    for note in notes(record, judged) {
        let is_expected = record.may_differ && ["NOT COMPARED", "NOT READ"].contains(&note.word);
        let kind = if is_expected { "notice" } else { "warning" };
        out += &format!("::{kind} title={}::{}\n", note.word.to_lowercase(), escaped(note.text));
    }
    for one in judged.compared.iter().filter(|one| one.verdict == Verdict::Slower) {
        let text = escaped(format!("{} is slower: {}", one.name, changes(record, one)));
        out += &format!("::error title=slower::{text}\n");
    }
    out
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
                "levels": one.levels.as_ref().map(levels_json),
                "step_ns": one.step_ns.and_then(finite),
                "rounds": one.rounds,
            })
        })
        .collect();
    let missing = judged.missing.iter().map(|one| {
        let Missing { name, executions, of_new, of, why, .. } = one;
        json!({ "name": name, "executions": executions, "of_new": of_new, "of": of, "why": why })
    });
    let outcome = match judged.outcome(record) {
        Outcome::Worse => "worse",
        Outcome::Open => "open",
        Outcome::Well => "well",
    };
    let notes: Vec<String> = notes(record, judged).iter().map(Note::sentence).collect();
    print::json(&json!({
        "gate": number,
        "answer": answer(record, judged),
        "notes": notes,
        "outcome": outcome,
        "failures": judged.failures.as_ref().map(failures_json),
        "joint": 1.0 - record.error,
        "verified": false,
        "benchmarks": compared,
        "only_base": judged.only_base,
        "only_new": judged.only_new,
        "missing": missing.collect::<Vec<Value>>(),
        "record": record,
    }))
}

fn share_json(share: Share) -> Value {
    json!({ "executions": share.marked, "of": share.of })
}

fn change_json(change: &ShareChange) -> Value {
    let Interval { low, high } = change.interval;
    json!({ "points": change.change(), "low": low, "high": high })
}

fn levels_json(levels: &ShareChange) -> Value {
    json!({
        "factor": finite(levels.factor),
        "base": share_json(levels.base),
        "new": share_json(levels.new),
        "change": change_json(levels),
        "grew": levels.grew(),
    })
}

fn failures_json(failures: &Failures) -> Value {
    let side = |one: &Failed| {
        let Failed { executions, of, rounds, why } = one;
        json!({ "executions": executions, "of": of, "rounds": rounds, "why": why })
    };
    json!({
        "base": side(&failures.base),
        "new": side(&failures.new),
        "change": change_json(&failures.change),
        "grew": failures.change.grew(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::judge;
    use crate::program::Executed;
    use crate::record::Look;
    use std::collections::BTreeMap;

    /// Twelve rounds of these benchmarks. `time` gives the ns of one in an execution of a side.
    fn record(names: &[String], time: &dyn Fn(Side, usize) -> f64) -> Record {
        const ROUNDS: usize = 12;
        let mut record = Record { margin: 0.02, error: 0.05, budget: 60.0, ..Record::default() };
        for round in 0..ROUNDS {
            let executed = |side| {
                let values: BTreeMap<String, f64> =
                    names.iter().map(|name| (name.clone(), time(side, round))).collect();
                (side, Executed { seconds: 1.0, values, ..Executed::default() })
            };
            record.add([Side::Base, Side::Copy, Side::New].map(executed));
        }
        record.looks = vec![Look { rounds: ROUNDS, share: 1.0 }];
        record
    }

    fn presented(record: &Record, format: Format) -> String {
        present(1, record, &judge(record), format, Style::default())
    }

    fn named(count: usize) -> Vec<String> {
        (0..count).map(|n| format!("@noble/hashes_{n}")).collect()
    }

    #[test]
    fn a_time_that_repeats_in_all_digits_looks_stored() {
        let said = |ns: f64| {
            let text = presented(&record(&named(1), &|_, _| ns), Format::Json);
            assert!(text.contains("all executions printed the same time"), "{text}");
            text.contains("is this stored, and not measured?")
        };
        assert!(said(123.456789));
        assert!(said(0.123456789e9));
        // The third is a rate of 3 operations in a second.
        for few in [123.0, 1.1 * 1e3, 1e9 / 3.0] {
            assert!(!said(few), "{few}");
        }
    }

    #[test]
    fn two_times_that_each_repeat_in_all_digits_look_stored() {
        let said = |base: f64, new: f64, noise: f64| {
            let time = |side: Side, round: usize| {
                let ns = if side.is_new() { new } else { base };
                ns + noise * round as f64
            };
            let text = presented(&record(&named(1), &time), Format::Json);
            text.contains("COARSE @noble/hashes_0: each build always printed its own one time")
        };
        assert!(said(123.456789, 130.987654, 0.0));
        // Few digits, and a clock that moves.
        assert!(!said(120.0, 130.0, 0.0));
        assert!(!said(123.456789, 130.987654, 1e-3));
    }

    #[test]
    fn a_list_of_notes_ends_with_how_many_more_there_are() {
        let text = presented(&record(&named(7), &|_, _| 5.0), Format::Json);
        assert!(text.contains("COARSE 2 benchmarks more with times in large steps"), "{text}");
        let noise = |round: usize| 1.0 + round as f64 * 1e-4;
        let drifting = |side, round| match side {
            Side::Copy => 103.0 * noise(round),
            _ => 100.0 * noise(round),
        };
        let text = presented(&record(&named(7), &drifting), Format::Json);
        assert!(text.contains("UNTRUSTED 2 benchmarks more whose two executions"), "{text}");
    }

    #[test]
    fn a_comment_on_a_change_is_never_too_long() {
        let noise = |_, round: usize| 100.0 + round as f64 * 0.01;
        let mut record = record(&named(2000), &noise);
        for (n, name) in record.benchmarks.iter_mut().enumerate().skip(1500) {
            *name = format!("{n}-{}", "long".repeat(20));
        }
        let text = presented(&record, Format::Markdown);
        assert!(text.chars().count() < 65_536, "{}", text.chars().count());
        assert!(text.contains(" more: \\`cupel show --gate\\` has all"), "{text}");
        assert!(text.contains("| @&#8203;noble/hashes\\_0 |"), "{text}");
        record.benchmarks.truncate(20);
        let text = presented(&record, Format::Markdown);
        assert!(!text.contains("`cupel show --gate` has all"), "{text}");
    }
}
