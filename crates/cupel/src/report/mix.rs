//! The advice on a mix, for a terminal of 80 columns and as JSON. The first line is the answer.

use super::advice;
use crate::advise::Advice;
use crate::mix::{Answer, Mix, Saving};
use crate::text::{self, count, folded, plain};
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
    } else if let Some(saving) = answer.of_calls {
        let now = answer.now_ns();
        say(
            "  ",
            &format!(
                "its {} take {} with what it uses, and {} with the advice, each alone on this machine",
                count(answer.works.iter().map(|(work, _)| work.calls as usize).sum(), "call"),
                text::time(now),
                text::time(now * (1.0 - saving.estimate)),
            ),
        );
    } else {
        say("  ", "what it would save is open: name with --have what the program uses now");
    }
    if let (Some(share), Some(_)) = (mix.share(), answer.of_calls) {
        say(
            "  ",
            &format!(
                "{:.1} % of its processor time is in these calls, says the mix",
                100.0 * share
            ),
        );
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
    if answer.advice().next().is_none() {
        return format!("{program}: no advice; the run answers nothing");
    }
    let changes = answer.advice().filter(|(_, advice)| advice.choice.is_some()).count();
    let kinds = match all {
        1 => "its one kind of call".to_string(),
        _ => format!("{changes} of its {all} kinds of calls"),
    };
    match (changes, answer.of_program, answer.of_calls) {
        (0, ..) => format!("{program}: keep what it uses; nothing is certainly faster for its mix"),
        (_, Some(saving), _) => {
            format!("{program}: change {kinds}, and save {} of its processor time", percent(saving))
        }
        (_, None, Some(saving)) => {
            format!("{program}: change {kinds}, and save {} of their time", percent(saving))
        }
        (_, None, None) => format!("{program}: there is a fastest contender for {kinds}"),
    }
}

fn money(answer: &Answer, price: f64) -> Vec<String> {
    let Some(saving) = answer.of_program else {
        if answer.of_calls.is_none() {
            return vec![];
        }
        return vec![
            "what it saves in money is open: the mix lacks cpu_seconds and call_seconds"
                .to_string(),
        ];
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
    let works = answer.advice().map(|(work, one)| {
        let mut value = advice::one(one);
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
        "notes": answer.notes,
        "advice": works.collect::<Vec<_>>(),
        "no_advice": without(answer),
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}
