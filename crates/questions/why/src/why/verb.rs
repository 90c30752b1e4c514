//! `cupel ask --why`: which measured difference accounts for the ratio of two contenders' times.

use super::{compare, words as report};
use anyhow::{Result, bail};
use cupel_analyse::Verdict;
use cupel_base::primitives;
use cupel_run::seen::Seen;
use cupel_show::report::progress::Progress;
use cupel_suite::Asked;
use cupel_verb::carry_out::{Carried, carry_out, show_findings};
use cupel_verb::how::{How, TooFew};
use cupel_verb::words::{OneLine, Words, nothing_compared, with_contenders};
use cupel_verb::{Context, Exit};

/// Answers why two contenders do not take the same time.
///
/// # Errors
/// If they cannot be measured, or the words are wrong.
pub fn run(context: &Context, args: &OneLine, two: &[String]) -> Result<Exit> {
    let home = context.home()?;
    let words = Words::sort(&args.words)?;
    let primitive = words.primitive()?;
    if let Some(other) = words.names.first() {
        bail!("{other} is one word too many: --why compares the two that follow it");
    }
    let asking = &args.asking;
    let format = asking.printing.format();
    let asked = asking.asked(&words);
    // The second one is the baseline: the question is about the first.
    let names: Vec<String> = two.iter().rev().cloned().collect();
    let chosen = with_contenders(context, &home, asking, &asked, &names)?;
    if !asking.measuring.dry_run && chosen.tell_too_few(2) {
        return nothing_compared(2, false, format);
    }
    let asked = chosen.asked;
    let [b, a] = &asked.contenders[..] else {
        bail!("--why compares two contenders; {} are meant", asked.contenders.join(", "));
    };
    let (a, b) = (a.clone(), b.clone());
    let title = primitives::in_words(primitive);
    let question = Some(format!("Why do {a} and {b} not take the same time for {title}?"));
    let suite = Asked { question, ..asked }.suite()?;
    let measuring = &asking.measuring;
    let how = How { needs: 2, ..How::from_options(measuring) };
    let done = match carry_out(context, &home, &how, || Ok(suite), &measuring.overrides())? {
        Carried::Out(done) => done,
        Carried::Planned => return Ok(Exit::Well),
        Carried::TooFew(TooFew { failed, .. }) => return nothing_compared(2, failed, format),
    };
    let progress = Progress::new(context.quiet);
    let tell = |what: &str| progress.say(what);
    let plan = &done.recorded.plan;
    let seen = Seen::of_these(&[&a, &b], plan, &home.cache, how.patience, &tell);
    let compared = compare(&done.analysis, &seen, &a, &b);
    let style = asking.tables.style(context.style);
    let findings = report::findings(&compared, &seen.unseen);
    show_findings(&done, asking.printing.format(), style, &findings, &|document| {
        document["why"] = report::json(&compared);
    })?;
    if let Some(exit) = done.interrupted(context) {
        return Ok(exit);
    }
    let rows = || done.analysis.comparisons.iter().flat_map(|answer| &answer.rows);
    if rows().any(|row| row.verdict == Verdict::Failed) {
        return Ok(Exit::ContenderFailed);
    }
    let answered = compared.len() == done.analysis.comparisons.len()
        && compared.iter().all(|one| one.cause().is_some());
    Ok(if answered { Exit::Well } else { Exit::Undecided })
}
