//! Decided claims as a Markdown page: for each suite the claims, which of them hold on this
//! machine, and why the rest does not. A claim's note explains why it fails, so it is printed only
//! if it is not held.

use super::{sure, to_measure, unmeasured};
use cupel_base::text;
use cupel_decide::claims::{Answered, Decision, Measured, Point};
use cupel_print::document::{Cell, Document, Fit, Table, left, right};
use cupel_print::print;
use cupel_show::report::claims::{self, said, sentence, work};
use cupel_suite::Suite;
use std::collections::BTreeMap;

/// The meaning of the figures of claims.
const FIGURE: &str = "Where a claim says \"fast\", \"faster\" or \"overtakes\", a figure is the ratio of \
     the two speeds, elsewhere that of the two times.";

/// Writes the page, which names the command that writes it again.
pub fn write(
    suites: &[Suite],
    answered: &[Answered],
    intervals: usize,
    alpha: f64,
    command: &str,
) -> String {
    let mut document = Document::default();
    document.heading(1, "What was claimed, and what holds here");
    document.paragraph("Do not edit this page by hand. It is written by");
    document.command(0, command.to_string());
    let figures = [FIGURE.to_string()].into_iter().chain(sure(answered, intervals, alpha));
    document.paragraph(figures.collect::<Vec<_>>().join(" "));
    let suites: Vec<(&Suite, Vec<&Answered>)> = suites
        .iter()
        .filter(|suite| !suite.claims.is_empty())
        .map(|suite| (suite, answered.iter().filter(|a| a.suite == suite.name).collect()))
        .collect();
    let counts = ["claims", "held", "refuted", "undecided"].map(right);
    let mut summary = Table::new(Fit::Whole, [left("suite")].into_iter().chain(counts));
    for (suite, of) in &suites {
        summary.row(counted(&suite.name, of));
    }
    summary.row(counted("all", &answered.iter().collect::<Vec<_>>()));
    document.table(summary);
    for (suite, of) in suites {
        section(&mut document, suite, &of);
    }
    let missing = to_measure(answered);
    if !missing.is_empty() {
        document.heading(2, "To measure the rest");
    }
    for command in missing {
        document.command(0, command);
    }
    print::markdown(&document)
}

/// How many claims of a suite have each decision.
fn counted(suite: &str, of: &[&Answered]) -> Vec<Cell> {
    let counts = claims::counts(of.iter().copied()).map(Cell::from);
    [suite.into(), of.len().into()].into_iter().chain(counts).collect()
}

fn section(document: &mut Document, suite: &Suite, of: &[&Answered]) {
    document.heading(2, &suite.name);
    document.paragraph(&suite.question);
    runs(document, of);
    let shown: Vec<&Answered> = of.iter().copied().filter(|a| unmeasured(a).is_none()).collect();
    let about = Shared::among(&shown);
    if let Some(work) = &about.work {
        document.paragraph(format!("All claims of the table are about {work}."));
    }
    let source = about.document.as_deref().unwrap_or("source");
    let columns = [source, "what it says", "claim", "measured", "verdict"].map(left);
    let mut table = Table::new(Fit::Whole, columns);
    for one in shown {
        table.row(claim(one, &about));
    }
    if !table.rows.is_empty() {
        document.table(table);
    }
    why(document, of);
    undecided(document, of);
    if !suite.unclaimed.is_empty() {
        document.paragraph("Also said, but not decidable by comparing two implementations:");
    }
    for said in &suite.unclaimed {
        document.item(0, format!("{}, \"{}\": {}", said.source, said.quote, said.because));
    }
}

/// Which runs decided, on which machine, with which command.
fn runs(document: &mut Document, of: &[&Answered]) {
    let measured = of.iter().flat_map(|a| &a.points).filter_map(|p| p.measured.as_ref().ok());
    let runs: BTreeMap<i64, &Measured> =
        measured.map(|measured| (measured.run, measured)).collect();
    for (run, measured) in runs {
        let Measured { started, machine, fingerprint, command, .. } = measured;
        document.item(0, format!("run {run} of {started}, {machine}, fingerprint {fingerprint}"));
        document.command(1, without_paths(command));
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

/// What all claims of a table have in common, and its rows need not repeat.
struct Shared {
    /// The name of their document, before the comma of their sources.
    document: Option<String>,
    work: Option<String>,
}

impl Shared {
    fn among(shown: &[&Answered]) -> Shared {
        let documents = shown.iter().map(|a| {
            let (document, _) = a.claim.source.split_once(", ")?;
            Some(document.to_string())
        });
        let works = shown.iter().map(|a| Some(work(&a.claim)));
        Shared { document: common(documents), work: common(works) }
    }
}

/// The text that all of them are.
fn common(mut texts: impl Iterator<Item = Option<String>>) -> Option<String> {
    let first = texts.next()??;
    texts.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

fn claim(one: &Answered, about: &Shared) -> Vec<Cell> {
    let measured: Vec<String> = one.points.iter().map(|p| figure(one, p)).collect();
    let decision = one.decision();
    let verdict = Cell::new(decision.word(), Some(claims::colour(decision)));
    let claim = &one.claim;
    let source = match (&about.document, claim.source.split_once(", ")) {
        (Some(_), Some((_, place))) => place,
        _ => claim.source.as_str(),
    };
    let sentence = if about.work.is_some() { said(claim) } else { sentence(claim) };
    let cells = [source, &claim.quote, &sentence, &measured.join("; ")];
    cells.map(Cell::from).into_iter().chain([verdict]).collect()
}

fn figure(one: &Answered, point: &Point) -> String {
    if !one.claim.relation.is_of_times() {
        return claims::found(&one.claim, point);
    }
    let size = claims::size_of(&one.claim, point);
    let ratio = point.measured.as_ref().ok().and_then(|measured| measured.ratio);
    let Some(ratio) = ratio.map(|r| claims::as_claimed(&one.claim, &r)) else {
        return format!("{size}: -");
    };
    let (estimate, interval) =
        (text::ratio_digits(ratio.estimate), text::interval(ratio.low, ratio.high));
    // Why some are undecided is below the table.
    let is_open = point.decision() == Decision::Undecided;
    let why = point.why(&one.claim).filter(|_| !is_open);
    let why = why.map_or(String::new(), |why| format!(", {why}"));
    format!("{size}: {estimate} [{interval}]{why}")
}

/// The notes of claims that are not held, each once, with all places that it is about.
fn why(document: &mut Document, of: &[&Answered]) {
    let failed = of.iter().filter(|a| a.decision() == Decision::Refuted);
    let noted = failed.filter_map(|a| Some((a.claim.note.clone()?, a.claim.source.as_str())));
    grouped(document, "Why some differ here:", noted);
}

/// Why the others are undecided.
fn undecided(document: &mut Document, of: &[&Answered]) {
    let open = of.iter().filter(|a| a.decision() == Decision::Undecided);
    let reasons = open.flat_map(|a| {
        let points = a.points.iter().filter(|p| p.decision() == Decision::Undecided);
        points.filter_map(|p| Some((p.why(&a.claim)?, a.claim.source.as_str())))
    });
    grouped(document, "Undecided, and why:", reasons);
}

/// A list of texts, each once, followed by all its sources.
fn grouped<'a>(document: &mut Document, head: &str, all: impl Iterator<Item = (String, &'a str)>) {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (text, source) in all {
        match groups.iter_mut().find(|(known, _)| *known == text) {
            Some((_, sources)) if sources.contains(&source) => {}
            Some((_, sources)) => sources.push(source),
            None => groups.push((text, vec![source])),
        }
    }
    if !groups.is_empty() {
        document.paragraph(head);
    }
    for (text, sources) in groups {
        document.item(0, format!("{text} ({})", shortened(&sources)));
    }
}

/// Sources in a row. A document's name is omitted if it repeats the one before.
fn shortened(sources: &[&str]) -> String {
    let mut last = "";
    let mut parts: Vec<&str> = Vec::new();
    for source in sources {
        let (document, place) = source.split_once(", ").unwrap_or(("", source));
        let repeats = document == last && !parts.is_empty();
        parts.push(if repeats { place } else { source });
        last = document;
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_names_no_file_of_the_machine() {
        let command =
            "/somewhere/target/release/cupel --store /tmp/x.sqlite run seeds/003 --budget 20s";
        assert_eq!(without_paths(command), "cupel run seeds/003 --budget 20s");
        assert_eq!(without_paths("cupel run --store=/tmp/x q"), "cupel run q");
    }

    #[test]
    fn a_document_is_named_once_in_a_row_of_its_lines() {
        let row = shortened(&["document 1, line 2", "document 1, line 3", "document 2, line 4"]);
        assert_eq!(row, "document 1, line 2; line 3; document 2, line 4");
    }
}
