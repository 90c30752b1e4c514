//! The advice on a mix, for a terminal of 80 columns and as JSON. The first line is the answer.

use super::advice;
use cupel_base::text::{self, folded, plain};
use cupel_decide::advise::Advice;
use cupel_decide::mix::{Answer, Mix, Saving};
use serde_json::{Value, json};
use std::fmt::Write;

/// Writes the answer for a mix; `price` is that of an hour of one core. With `verbose`, every
/// contender that is not recommended has a line that says why.
pub fn draw(mix: &Mix, answer: &Answer, price: Option<f64>, verbose: bool) -> String {
    let mut out = String::new();
    let mut say = |indent: &str, line: &str| {
        let _ = writeln!(out, "{}", folded(indent, &plain(line)));
    };
    say("", &sentence(mix, answer));
    if answer.advice().next().is_none() {
        // The reasons follow.
    } else if !answer.doubts.is_empty() {
        say("  ", "what a change would save of the program's time is open:");
        for doubt in &answer.doubts {
            say("    ", doubt);
        }
    } else if let Some(saving) = answer.of_calls {
        let now = answer.now_ns();
        say(
            "  ",
            &format!(
                "its {} take {} with what it uses, and {} with the advice, each alone on this machine",
                calls(answer.calls()),
                text::time(now),
                text::time(now * (1.0 - saving.estimate)),
            ),
        );
    } else if answer.all_had() {
        say("  ", "what it would save is open: there is no advice on some of its calls");
    } else {
        say("  ", "what it would save is open: name with --have what the program uses now");
    }
    match (mix.share(), answer.of_calls) {
        (Some(_), Some(_)) if !answer.whole => say(
            "  ",
            "what that saves of its processor time is open: calls that are left out have a part of it",
        ),
        (Some(share), Some(_)) => say(
            "  ",
            &format!(
                "{:.1} % of its processor time is in these calls, says the mix; the interval takes \
                 that as exact",
                100.0 * share
            ),
        ),
        _ => {}
    }
    for line in price.iter().flat_map(|price| money(answer, *price)) {
        say("  ", &line);
    }
    for note in &answer.notes {
        say("  ", &format!("note: {note}"));
    }
    out.push('\n');
    let given: Vec<Advice> = answer.advice().map(|(_, advice)| advice.clone()).collect();
    out + &advice::draw(&given, &without(answer), verbose)
}

/// The answer in one sentence.
fn sentence(mix: &Mix, answer: &Answer) -> String {
    let program = mix.program.clone().unwrap_or_else(|| mix.path.display().to_string());
    let all = answer.works.len();
    let answered = all - answer.unanswered();
    if answered == 0 {
        return format!("{program}: no advice; the run answers nothing");
    }
    let changes = answer.advice().filter(|(_, advice)| advice.choice.is_some()).count();
    let kinds = match all {
        1 => "its one kind of call".to_string(),
        _ => format!("{changes} of its {all} kinds of calls"),
    };
    match (changes, answer.of_program, answer.of_calls) {
        (1.., None, None) if !answer.doubts.is_empty() => {
            format!("{program}: there is a faster contender for {kinds} as they were measured here")
        }
        (0, ..) if !answer.doubts.is_empty() => format!(
            "{program}: no advice; nothing is certainly faster for its calls as they were measured \
             here, and they may not be what it does"
        ),
        (0, ..) if !answer.all_had() => format!(
            "{program}: no contender is certainly the fastest for its calls; name with --have what it \
             uses now"
        ),
        (0, ..) if answered < all => format!(
            "{program}: keep what it uses for {answered} of its {all} kinds of calls; there is no \
             advice on the others"
        ),
        (0, ..) => format!("{program}: keep what it uses; nothing is certainly faster for its mix"),
        (_, Some(saving), _) => {
            format!("{program}: change {kinds}, and save {} of its processor time", percent(saving))
        }
        (_, None, Some(saving)) => {
            format!("{program}: change {kinds}, and save {} of their time", percent(saving))
        }
        (_, None, None) if answer.all_had() => format!("{program}: change {kinds}"),
        (_, None, None) => format!("{program}: there is a fastest contender for {kinds}"),
    }
}

fn calls(count: u64) -> String {
    match count {
        1 => "1 call".to_string(),
        n => format!("{n} calls"),
    }
}

fn money(answer: &Answer, price: f64) -> Vec<String> {
    if answer.of_calls.is_none() || answer.advice().all(|(_, advice)| advice.choice.is_none()) {
        return vec![];
    }
    let Some(saving) = answer.of_program else {
        let why = match answer.whole {
            true => {
                "the mix does not say what share of its time is in the calls (cpu_seconds, call_seconds)"
            }
            false => "the share of its time that is in these calls is not known",
        };
        return vec![format!("what it saves in money is open: {why}")];
    };
    let Saving { estimate, low, high } = saving.money(price);
    vec![format!(
        "at {price} per core-hour: {estimate:.2} [{low:.2} .. {high:.2}] a year for each core that \
         the program keeps busy"
    )]
}

fn percent(saving: Saving) -> String {
    let Saving { estimate, low, high } = saving;
    let digits = if estimate.abs() < 0.1 { 2 } else { 1 };
    let [estimate, low, high] = [estimate, low, high].map(|share| 100.0 * share);
    format!("{estimate:.digits$} % [{low:.digits$} .. {high:.digits$}]")
}

fn without(answer: &Answer) -> Vec<String> {
    let without = answer.works.iter().filter_map(|(work, advice)| {
        let why = advice.as_ref().err()?;
        Some(format!("{} {}: {why}", work.workload.primitive, work.workload.operation))
    });
    without.collect()
}

/// Writes the answer for a mix as one JSON document.
///
/// # Errors
/// None in practice; those of the writer.
pub fn json(mix: &Mix, answer: &Answer, price: Option<f64>) -> anyhow::Result<String> {
    let saving = |saving: Option<Saving>| -> Value {
        saving.map_or(Value::Null, |Saving { estimate, low, high }| {
            json!({ "estimate": estimate, "low": low, "high": high })
        })
    };
    let given: Vec<Advice> = answer.advice().map(|(_, advice)| advice.clone()).collect();
    let works = answer.advice().map(|(work, one)| {
        let mut value = advice::one(one, &given);
        value["calls"] = work.calls.into();
        value["library"] = work.library.clone().into();
        value
    });
    let document = json!({
        "answer": plain(&sentence(mix, answer)),
        "program": mix.program,
        "saving_of_calls": saving(answer.of_calls),
        "saving_of_program": saving(answer.of_program),
        "money_per_core_year": saving(
            price.and_then(|price| Some(answer.of_program?.money(price))),
        ),
        "not_known": answer.doubts,
        "notes": answer.notes,
        "advice": works.collect::<Vec<_>>(),
        "no_advice": without(answer),
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}
