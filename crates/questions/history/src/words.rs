//! The history of an implementation: an answer for each size, then its releases, then those that
//! are left out.

use crate::bisection::{AT_ONCE, levels};
use crate::history::{Change, History};
use crate::range::Release;
use crate::releases::Pair;
use cupel_analyse::Ratio;
use cupel_base::name::ContenderName;
use cupel_base::text;
use cupel_print::document::{Cell, Colour, Document, Fit, Table, left};
use cupel_print::number::ends;
use cupel_print::{Findings, Format, Style, print};
use cupel_suite::Asked;
use cupel_verb::how::LeftOut;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The history for people.
pub fn findings(history: &History) -> Findings {
    let mut document = Document::default();
    for &size in &history.sizes {
        document.item(0, sentence(history, size));
    }
    for &size in &history.sizes {
        document.table(table(history, size));
    }
    for line in history.sizes.iter().flat_map(|&size| paths(history, size)) {
        document.note(line);
    }
    for Pair { later, earlier } in history.between_packages() {
        let [later, earlier] = [later, earlier].map(|name| history.label(name));
        document.note(format!(
            "Cupel has installed only one of {earlier} and {later}, so this step may be one of the \
             packages"
        ));
    }
    // A release may be in several runs.
    let unseen: BTreeSet<_> = history.seen.iter().flat_map(|seen| &seen.unseen).collect();
    for (name, why) in unseen {
        document.note(format!("what {name} executes is not known: {why}"));
    }
    for LeftOut { name, why } in &history.left_out {
        document.note(format!("{name} is left out: {why}"));
    }
    if history.is_bisection {
        document.note(effort(history));
    }
    Findings(document)
}

/// `16 B: 3.0.8 takes 31 % more time than 1.1.1w [29 .. 33]; in all, ...`.
fn sentence(history: &History, size: u64) -> String {
    let mut parts = Vec::new();
    let mut open = Vec::new();
    for pair in history.releases.steps() {
        match history.change(pair, size) {
            Change::Same => {}
            Change::Open => open.push(history.label(pair.later)),
            Change::Slower | Change::Faster => parts.push(takes(history, pair, size)),
        }
    }
    for pair in history.unlocated(size) {
        let takes = takes(history, pair, size);
        parts.push(format!("{takes}, and where between the two is not decided"));
    }
    if parts.is_empty() {
        parts.push(match history.ends() {
            None => "there are no two releases to compare".to_string(),
            Some(_) if !open.is_empty() => {
                "no release is shown to be slower or faster than the one before it".to_string()
            }
            Some(pair) if history.is_bisection && history.change(pair, size) == Change::Same => {
                let (size, same) = (text::bytes(size), same(history, pair));
                return format!("{size}: {same}, so no step remains between them");
            }
            Some(_) if history.is_bisection => {
                "each release that was measured is as fast as the one before it".to_string()
            }
            Some(_) => "each release is as fast as the one before it".to_string(),
        });
    }
    if !open.is_empty() {
        parts.push(format!("not decided: {}", open.join(", ")));
    }
    parts.extend(in_all(history, size));
    format!("{}: {}", text::bytes(size), parts.join("; "))
}

/// The newest against the oldest, if that is decided, and is not a step itself.
fn in_all(history: &History, size: u64) -> Option<String> {
    let pair = history.ends()?;
    if history.releases.chain.len() < 3 || history.unlocated(size).contains(&pair) {
        return None;
    }
    match history.change(pair, size) {
        Change::Open => None,
        Change::Same => Some(format!("in all, {}", same(history, pair))),
        Change::Slower | Change::Faster => Some(format!("in all, {}", takes(history, pair, size))),
    }
}

/// `3.5.0 is as fast as 3.3.1`.
fn same(history: &History, Pair { later, earlier }: Pair<'_>) -> String {
    format!("{} is as fast as {}", history.label(later), history.label(earlier))
}

/// `3.0.8 takes 31 % more time than 1.1.1w [29 .. 33]`.
fn takes(history: &History, pair: Pair<'_>, size: u64) -> String {
    let [later, earlier] = [pair.later, pair.earlier].map(|name| history.label(name));
    let Some(Ratio { estimate, low, high }) = history.ratio(pair, size) else {
        return format!("{later} differs from {earlier}");
    };
    if estimate >= 2.0 {
        let (times, interval) = (text::ratio_digits(estimate), text::interval(low, high));
        return format!("{later} takes {times} times the time of {earlier} [{interval}]");
    }
    let percent = |ratio: f64| text::digits((ratio - 1.0).abs() * 100.0);
    let (word, low, high) = if estimate > 1.0 { ("more", low, high) } else { ("less", high, low) };
    format!(
        "{later} takes {} % {word} time than {earlier} [{} .. {}]",
        percent(estimate),
        percent(low),
        percent(high)
    )
}

/// The releases at a size. The releases of a bisection have no ratio to the oldest: no run has
/// both.
fn table(history: &History, size: u64) -> Table {
    let oldest = history.releases.chain.first();
    let mut columns = vec![left(format!("at {}", text::bytes(size))), left("per call")];
    if let Some(name) = oldest.filter(|_| !history.is_bisection) {
        columns.push(left(format!("times {}", history.label(name))));
    }
    columns.extend([left("step"), left("")]);
    let mut table = Table::new(Fit::Whole, columns);
    let mut before = None;
    for later in history.releases.all() {
        let is_aside = history.releases.aside.as_ref() == Some(later);
        let earlier = before.replace(later).filter(|_| !is_aside);
        let step = earlier.map(|earlier| Pair { later, earlier });
        let change = step.map(|pair| history.change(pair, size));
        let mut row = vec![
            Cell::from(history.label(later)),
            Cell::from(history.ns(later, size).map_or("-".into(), text::time)),
        ];
        if let Some(earlier) = oldest.filter(|_| !history.is_bisection) {
            let to_oldest = ratio(history, Some(Pair { later, earlier }), size);
            let none = if later == earlier { "1" } else { "-" };
            row.push(Cell::from(to_oldest.unwrap_or_else(|| none.into())));
        }
        row.push(Cell::new(change.map_or("", Change::word), change.and_then(colour)));
        row.push(Cell::from(ratio(history, step, size).unwrap_or_default()));
        table.row(row);
    }
    table
}

fn colour(change: Change) -> Option<Colour> {
    match change {
        Change::Slower => Some(Colour::Red),
        Change::Faster => Some(Colour::Green),
        Change::Open => Some(Colour::Yellow),
        Change::Same => None,
    }
}

fn ratio(history: &History, pair: Option<Pair<'_>>, size: u64) -> Option<String> {
    let Ratio { estimate, low, high } = history.ratio(pair?, size)?;
    Some(format!("{} [{}]", text::ratio_digits(estimate), text::interval(low, high)))
}

/// The steps at which a release executes instructions that the one before it does not.
fn paths(history: &History, size: u64) -> Vec<String> {
    let mut lines = Vec::new();
    for Pair { later, earlier } in history.releases.steps() {
        let executed = [later, earlier].map(|name| history.executed(name, size));
        let [Some(own), Some(other)] = executed else { continue };
        for (one, another, has) in [(own, other, later), (other, own, earlier)] {
            let alone: Vec<&str> = one.only_here(another).map(|(name, _)| name).collect();
            if !alone.is_empty() {
                let [earlier, later, has] = [earlier, later, has].map(|name| history.label(name));
                lines.push(format!(
                    "{}: of {earlier} and {later}, only {has} executes instructions of {}",
                    text::bytes(size),
                    alone.join(", ")
                ));
            }
        }
    }
    lines
}

/// `6 of 16 releases were measured, in 5 runs: 12, 13, 14, 15, 16`.
fn effort(history: &History) -> String {
    let measured = history.releases.chain.len();
    let all = measured + history.not_measured.len() + history.left_out.len();
    let runs = text::count(history.runs.len(), "run");
    let numbers: Vec<String> = history.runs.iter().map(ToString::to_string).collect();
    format!("{measured} of {all} releases were measured, in {runs}: {}", numbers.join(", "))
}

/// The formats of a history of several runs.
pub const OF_RANGE: [Format; 3] = [Format::Table, Format::Json, Format::Markdown];

/// A history of several runs, so that it has no figures of one.
pub fn present(history: &History, asked: &Asked, format: Format, style: Style) -> String {
    match format {
        Format::Json => {
            let mut document = json!({ "question": asked.question });
            add_to(history, &mut document);
            print::json(&document)
        }
        Format::Markdown => findings(history).markdown(),
        _ => findings(history).text(style),
    }
}

/// The releases of a range, and how they will be measured.
pub fn outline(releases: &[Release]) -> String {
    let all = text::count(releases.len(), "release");
    let are_hosted = releases.iter().any(|one| one.name.host_of_release().is_some());
    let labels = releases.iter().map(|one| match (&one.install, one.name.release()) {
        (Some(_), release) => format!("{} (not installed)", release.unwrap_or_default()),
        (None, _) if are_hosted && one.name.host_of_release().is_none() => {
            "the runner's own".to_string()
        }
        (None, release) => release.unwrap_or_default().to_string(),
    });
    let how = if releases.len() > AT_ONCE {
        format!(
            "first the oldest and the newest are measured, then the middle of each interval whose \
             ends differ, in at most {} more steps",
            levels(releases.len()) - 1
        )
    } else {
        "all of them are measured in one run".to_string()
    };
    let text = format!("{all}: {}; {how}", labels.collect::<Vec<_>>().join(", "));
    text::folded("", &text::plain(&text))
}

/// The releases at each size, as `history` of a document, and the other facts of a range.
pub fn add_to(history: &History, document: &mut Value) {
    document["history"] = history.sizes.iter().map(|&size| json(history, size)).collect();
    if history.is_bisection {
        document["runs"] = json!(history.runs);
        document["not_measured"] = json!(history.not_measured);
    }
    let left_out = history.left_out.iter();
    document["left_out"] =
        left_out.map(|LeftOut { name, why }| json!({ "contender": name, "reason": why })).collect();
}

fn json(history: &History, size: u64) -> Value {
    let oldest = history.releases.chain.first();
    let ratio = |pair: Option<Pair<'_>>| {
        let [ratio, low, high] = ends(Some(history.ratio(pair?, size)?));
        Some(json!({ "ratio": ratio, "low": low, "high": high }))
    };
    let one = |later: &ContenderName, earlier: Option<&ContenderName>| {
        let [to_oldest, step] = [oldest, earlier].map(|e| e.map(|earlier| Pair { later, earlier }));
        json!({
            "contender": later,
            "release": history.label(later),
            "ns_per_call": history.ns(later, size),
            "to_oldest": ratio(to_oldest),
            "change": step.map(|pair| history.change(pair, size).word()),
            "to_release_before": ratio(step),
        })
    };
    let mut before = None;
    let mut releases: Vec<Value> =
        history.releases.chain.iter().map(|name| one(name, before.replace(name))).collect();
    releases.extend(history.releases.aside.iter().map(|name| one(name, None)));
    let unlocated: Vec<Value> = history
        .unlocated(size)
        .into_iter()
        .map(|pair| {
            json!({
                "later": pair.later,
                "earlier": pair.earlier,
                "change": history.change(pair, size).word(),
                "ratio": ratio(Some(pair)),
            })
        })
        .collect();
    json!({ "size": size, "releases": releases, "unlocated": unlocated })
}
