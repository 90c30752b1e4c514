//! Decided claims as a Markdown page: for each suite what was said, what holds on this machine, and
//! why the rest does not. A claim's note explains why it fails, so it is printed only if it is not
//! held.

use super::claims::{self, sentence};
use super::joint;
use super::markup::escaped;
use cupel_base::text::{self, plain};
use cupel_decide::claims::{Answered, Decision, Measured, Point};
use cupel_suite::{Suite, Unclaimed};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Writes the page. `named` has the suites as the command line named them.
pub fn write(
    suites: &[Suite],
    answered: &[Answered],
    intervals: usize,
    alpha: f64,
    named: &[String],
) -> String {
    let mut out = String::from("# What was claimed, and what holds here\n\n");
    let command = format!("cupel check {} --format markdown", named.join(" "));
    let command = command.split_whitespace().collect::<Vec<_>>().join(" ");
    let _ = writeln!(out, "Written by `{}`. Do not edit it by hand.", inline(&command));
    let _ = writeln!(out, "{} {}\n", claims::FIGURE, joint(intervals, alpha));
    summary(&mut out, suites, answered);
    for suite in suites.iter().filter(|s| !s.claims.is_empty()) {
        let of: Vec<&Answered> = answered.iter().filter(|a| a.suite == suite.name).collect();
        section(&mut out, suite, &of);
    }
    let missing = claims::to_measure(answered);
    if !missing.is_empty() {
        let _ = writeln!(out, "\n## To measure the rest\n");
        for command in missing {
            let _ = writeln!(out, "    {command}");
        }
    }
    out
}

fn count<'a>(answered: impl Iterator<Item = &'a Answered>, wanted: Decision) -> usize {
    answered.filter(|a| a.decision() == wanted).count()
}

fn summary(out: &mut String, suites: &[Suite], answered: &[Answered]) {
    out.push_str("| suite | claims | held | refuted | undecided |\n|:--|--:|--:|--:|--:|\n");
    let mut row = |name: &str, of: &[&Answered]| {
        let count = |wanted| count(of.iter().copied(), wanted);
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            escaped(name),
            of.len(),
            count(Decision::Held),
            count(Decision::Refuted),
            count(Decision::Undecided)
        );
    };
    for suite in suites.iter().filter(|s| !s.claims.is_empty()) {
        row(&suite.name, &answered.iter().filter(|a| a.suite == suite.name).collect::<Vec<_>>());
    }
    row("all", &answered.iter().collect::<Vec<_>>());
}

fn section(out: &mut String, suite: &Suite, of: &[&Answered]) {
    let _ = writeln!(out, "\n## {}\n\n{}\n", escaped(&suite.name), escaped(&suite.question));
    runs(out, of);
    let told: Vec<&&Answered> = of.iter().filter(|a| claims::unmeasured(a).is_none()).collect();
    if !told.is_empty() {
        out.push_str("\n| source | what it says | claim | measured | verdict |\n");
        out.push_str("|:--|:--|:--|:--|:--|\n");
        for one in told {
            claim(out, one);
        }
    }
    why(out, of);
    undecided(out, of);
    unclaimed(out, &suite.unclaimed);
}

/// Which runs decided, on which machine, with which command.
fn runs(out: &mut String, of: &[&Answered]) {
    let mut runs: BTreeMap<i64, &Measured> = BTreeMap::new();
    for measured in of.iter().flat_map(|a| &a.points).filter_map(|p| p.measured.as_ref().ok()) {
        runs.insert(measured.run, measured);
    }
    for (run, measured) in runs {
        let _ = writeln!(
            out,
            "- run {run} of {}, `{}`, {}, fingerprint {}",
            escaped(&measured.started),
            inline(&without_paths(&measured.command)),
            escaped(&measured.machine),
            escaped(&measured.fingerprint)
        );
    }
}

/// A command line without file names of this machine, and with the program's bare name.
fn without_paths(command: &str) -> String {
    let mut words = command.split(' ').skip(1);
    let mut kept = vec!["cupel"];
    while let Some(word) = words.next() {
        match word {
            "--store" => drop(words.next()),
            word if word.starts_with("--store=") => {}
            word => kept.push(word),
        }
    }
    kept.join(" ")
}

fn claim(out: &mut String, one: &Answered) {
    let measured: Vec<String> = one.points.iter().map(|p| figure(one, p)).collect();
    let decision = one.decision();
    let word = match decision {
        Decision::Held => decision.word().to_string(),
        _ => format!("**{}**{}", decision.word(), part(one)),
    };
    let _ = writeln!(
        out,
        "| {} | {} | {} | {} | {word} |",
        escaped(&one.claim.source),
        escaped(&one.claim.quote),
        escaped(&sentence(&one.claim)),
        measured.join("<br>")
    );
}

/// If only the factor fails, the direction is still correct.
fn part(one: &Answered) -> &'static str {
    let direction =
        |p: &Point| p.measured.as_ref().is_ok_and(|m| m.decided.direction == Decision::Held);
    match one.claim.relation.factor() {
        Some(_) if one.points.iter().all(direction) => ", the direction is correct",
        _ => "",
    }
}

fn figure(one: &Answered, point: &Point) -> String {
    let size = claims::size_of(&one.claim, point);
    let ratio = match &point.measured {
        Ok(measured) if measured.reason.is_none() => measured.ratio,
        _ => None,
    };
    match ratio.map(|r| claims::as_claimed(&one.claim, &r)) {
        Some(ratio) => {
            format!(
                "{size}: {} [{}]",
                text::ratio_digits(ratio.estimate),
                text::interval(ratio.low, ratio.high)
            )
        }
        None => format!("{size}: -"),
    }
}

/// The notes of claims that are not held, each once, with all places that it is about.
fn why(out: &mut String, of: &[&Answered]) {
    let failed = of.iter().filter(|a| a.decision() == Decision::Refuted);
    let noted = failed.filter_map(|a| Some((a.claim.note.as_deref()?, a.claim.source.as_str())));
    grouped(out, "Why some differ here:", noted);
}

/// Why the others are undecided.
fn undecided(out: &mut String, of: &[&Answered]) {
    let open = of.iter().filter(|a| a.decision() == Decision::Undecided);
    let reasons = open.flat_map(|a| {
        a.points
            .iter()
            .filter(|p| p.decision() == Decision::Undecided)
            .map(|p| (reason(p), a.claim.source.as_str()))
    });
    grouped(out, "Undecided, and why:", reasons);
}

fn reason(point: &Point) -> &str {
    match &point.measured {
        Err(uncovered) => &uncovered.reason,
        Ok(measured) => measured
            .reason
            .as_deref()
            .unwrap_or("the interval includes values on both sides of the claim"),
    }
}

fn unclaimed(out: &mut String, all: &[Unclaimed]) {
    if all.is_empty() {
        return;
    }
    out.push_str("\nAlso said, but not decidable by comparing two implementations:\n\n");
    for said in all {
        let _ = writeln!(
            out,
            "- {}, \"{}\": {}",
            escaped(&said.source),
            escaped(&said.quote),
            escaped(&said.because)
        );
    }
}

/// A list of texts, each once, followed by all its sources.
fn grouped<'a>(out: &mut String, head: &str, all: impl Iterator<Item = (&'a str, &'a str)>) {
    let mut order: Vec<&str> = Vec::new();
    let mut sources: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (text, source) in all {
        let known = sources.entry(text).or_insert_with(|| {
            order.push(text);
            Vec::new()
        });
        if !known.contains(&source) {
            known.push(source);
        }
    }
    if order.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{head}\n");
    for text in order {
        let _ = writeln!(out, "- {} ({})", escaped(text), escaped(&shortened(&sources[text])));
    }
}

/// Sources in a row. A document's name is omitted if it repeats the one before.
fn shortened(sources: &[&str]) -> String {
    let mut last = "";
    let mut seen = BTreeSet::new();
    let mut parts: Vec<String> = Vec::new();
    for source in sources {
        let (document, place) = source.split_once(", ").unwrap_or(("", source));
        if document == last && seen.insert(*source) {
            parts.push(place.to_string());
        } else if seen.insert(*source) {
            last = document;
            parts.push((*source).to_string());
        }
    }
    parts.join("; ")
}

/// Escapes a text for a code span.
fn inline(text: &str) -> String {
    plain(text).replace('`', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_names_no_file_of_the_machine() {
        let told =
            "/somewhere/target/release/cupel --store /tmp/x.sqlite run seeds/003 --budget 20s";
        assert_eq!(without_paths(told), "cupel run seeds/003 --budget 20s");
        assert_eq!(without_paths("cupel run --store=/tmp/x q"), "cupel run q");
    }

    #[test]
    fn a_document_is_named_once_in_a_row_of_its_lines() {
        let row = shortened(&["document 1, line 2", "document 1, line 3", "document 2, line 4"]);
        assert_eq!(row, "document 1, line 2; line 3; document 2, line 4");
    }
}
