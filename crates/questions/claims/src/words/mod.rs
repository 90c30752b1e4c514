//! Claims of suites, for a terminal of 80 columns, as Markdown, and over machines. The figures of
//! each are in the words of a run.

pub mod fleet;
pub mod markdown;

use cupel_base::text::{self, plain, quoted};
use cupel_decide::claims::{Answered, Decision, Reason};
use cupel_print::Style;
use cupel_print::document::Document;
use cupel_print::print;
use cupel_show::report::claims::{emphasis, found, joint, line_of, sentence, total};
use cupel_suite::asked;
use std::collections::{BTreeMap, BTreeSet};

/// Writes claims for a terminal.
pub fn draw(answered: &[Answered], intervals: usize, alpha: f64, style: Style) -> String {
    let mut document = Document::default();
    document.paragraph(total(answered));
    for of_suite in answered.chunk_by(|a, b| a.suite == b.suite) {
        document.heading(2, &of_suite[0].suite);
        // Printed once, at the first of them.
        let mut printed: Vec<&Reason> = Vec::new();
        for one in of_suite {
            let reason = unmeasured(one).filter(|_| !style.verbose);
            let alike = of_suite.iter().filter(|a| unmeasured(a) == reason).count();
            match reason.filter(|_| alike > FEW) {
                None => claim(&mut document, one, style),
                Some(reason) if printed.contains(&reason) => {}
                Some(reason) => {
                    printed.push(reason);
                    let (claims, why) = (text::count(alike, "claim"), reason.words());
                    let why = plain(&why.unwrap_or_default());
                    document.item(1, format!("{:<9} {claims}: {why}", "undecided"));
                }
            }
        }
    }
    foot(&mut document, answered, intervals, alpha);
    print::text(&document, style)
}

/// Up to this many claims that are undecided for the same reason are listed one by one.
const FEW: usize = 3;

/// The reason that no run covers a claim at any size, if it is the same at all of them.
fn unmeasured(one: &Answered) -> Option<&Reason> {
    let mut reasons = one.points.iter().map(|p| p.measured.as_ref().err().map(|u| &u.reason));
    let first = reasons.next()??;
    reasons.all(|other| other == Some(first)).then_some(first)
}

/// The depth of a claim's grounds: below its sentence, next to the verdict.
const BELOW: usize = 6;

fn claim(document: &mut Document, one: &Answered, style: Style) {
    let decision = one.decision();
    let line = format!("{:<9} {}", decision.word(), sentence(&one.claim));
    document.line(Some(1), line, emphasis(decision));
    for point in &one.points {
        document.item(BELOW, found(&one.claim, point));
    }
    if style.verbose || decision == Decision::Refuted {
        document.item(BELOW, format!("{}: \"{}\"", one.claim.source, one.claim.quote));
        if let Some(note) = &one.claim.note {
            document.item(BELOW, note);
        }
    }
}

/// How sure the intervals are: the ones of suites, and of claims that were asked in one line.
fn sure(answered: &[Answered], intervals: usize, alpha: f64) -> Vec<String> {
    let of_suites = (intervals > 0).then(|| joint(intervals, alpha));
    let is_asked = answered.iter().any(|one| one.suite == asked::NAME);
    let of_asked = "Claims that were asked in one line are decided each by its own run, whose \
                    intervals are joint.";
    of_suites.into_iter().chain(is_asked.then(|| of_asked.to_string())).collect()
}

fn foot(document: &mut Document, answered: &[Answered], intervals: usize, alpha: f64) {
    if intervals > 0 {
        document.gap();
    }
    for line in sure(answered, intervals, alpha) {
        document.paragraph(line);
    }
    // A claim about every machine is decided on one.
    let measured = answered.iter().flat_map(|a| &a.points).filter_map(|p| p.measured.as_ref().ok());
    let machines: BTreeSet<&str> = measured.map(|measured| measured.machine.as_str()).collect();
    for machine in machines {
        document.paragraph(format!("Decided on {machine}. Another machine may differ: --fleet."));
    }
    let missing = to_measure(answered);
    if !missing.is_empty() {
        document.paragraph("To measure the rest:");
    }
    for command in missing {
        document.command(1, command);
    }
}

/// The commands that would measure the points that no run covers: first those that install
/// toolchains, then one for each suite, narrowed if the suite lacks only one claim, and those that
/// test for leaks.
fn to_measure(answered: &[Answered]) -> Vec<String> {
    let mut first: BTreeSet<String> = BTreeSet::new();
    for uncovered in
        answered.iter().flat_map(|a| &a.points).filter_map(|p| p.measured.as_ref().err())
    {
        first.extend(uncovered.first.iter().map(|command| plain(command)));
    }
    let mut lacking: BTreeMap<&str, Vec<&[String]>> = BTreeMap::new();
    let mut tests: BTreeSet<String> = BTreeSet::new();
    // A question of one line is measured by asking again.
    for one in answered.iter().filter(|one| one.suite != asked::NAME) {
        for point in &one.points {
            if let Err(uncovered) = &point.measured {
                match &uncovered.command[..] {
                    [] => {}
                    test if is_test(test) => tests.extend([line_of(test)]),
                    run => lacking.entry(&one.suite).or_default().push(run),
                }
            }
        }
    }
    let runs = lacking.into_iter().map(|(suite, commands)| match commands[..] {
        [only] => line_of(only),
        _ => format!("cupel run {}", quoted(suite)),
    });
    first.into_iter().chain(runs).chain(tests).collect()
}

/// Whether a command tests for leaks: a run does not decide its question.
fn is_test(command: &[String]) -> bool {
    command.iter().any(|word| word == "--leaks")
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_suite::Suite;
    use std::path::Path;

    #[test]
    fn intervals_of_claims_that_were_asked_are_not_those_of_suites() {
        let text = "question = \"?\"\n[[workload]]\nprimitive = \"sha256\"\nsizes = [64]\n\
                    baseline = \"c/b\"\n[[claim]]\nsource = \"a\"\nquote = \"b\"\n\
                    says = \"c/a is faster than c/b\"\n";
        let claim = Suite::parse(Path::new("q.toml"), text.to_string()).unwrap().claims.remove(0);
        let asked = [Answered { suite: asked::NAME.to_string(), claim, points: vec![] }];
        let own = "Claims that were asked in one line are decided each by its own run, whose \
                   intervals are joint.";
        assert_eq!(sure(&asked, 0, 0.05), [own], "and not that there is no interval");
        assert_eq!(sure(&asked, 2, 0.05), ["The 2 intervals are joint at 95 %.", own]);
        assert_eq!(sure(&[], 0, 0.05), [""; 0]);
    }
}
