//! The advice on a mix, for a terminal of 80 columns and as JSON. The first line is the answer.

use crate::report::advice;
use crate::report::document::Document;
use crate::report::print;
use crate::report::style::Style;
use cupel_base::text::{self, plain};
use cupel_decide::advise::Advice;
use cupel_decide::mix::{Answer, Mix, Saving};
use serde_json::{Value, json};

/// Writes the answer for a mix; `price` is that of an hour of one core. With `verbose`, every
/// contender that is not recommended has a line that says why.
pub fn draw(mix: &Mix, answer: &Answer, price: Option<f64>, verbose: bool) -> String {
    let mut document = Document::default();
    document.paragraph(sentence(mix, answer));
    let (now, all) = (answer.now_ns(), calls(answer.calls()));
    if answer.advice().next().is_none() {
        // The reasons follow.
    } else if !answer.doubts.is_empty() {
        document.note("what a change would save of the program's time is open:");
        for doubt in &answer.doubts {
            document.item(2, doubt);
        }
    } else if let Some(saving) = answer.of_calls {
        let then = text::time(now * (1.0 - saving.estimate));
        document.note(format!(
            "its {all} take {} with what it uses, and {then} with the advice, each alone on this \
             machine",
            text::time(now)
        ));
    } else if answer.all_had() {
        document.note("what it would save is open: there is no advice on some of its calls");
    } else {
        document.note("what it would save is open: name with --have what the program uses now");
    }
    match (mix.share(), answer.of_calls) {
        (Some(_), Some(_)) if !answer.whole => document.note(
            "what that saves of its processor time is open: calls that are left out have a part of it",
        ),
        (Some(share), Some(_)) => document.note(format!(
            "{:.1} % of its processor time is in these calls; this share is taken from the mix, and is \
             not in the interval",
            100.0 * share
        )),
        _ => {}
    }
    if let Some(line) = price.and_then(|price| money(answer, price)) {
        document.note(line);
    }
    for note in &answer.notes {
        document.note(format!("note: {note}"));
    }
    document.gap();
    let given: Vec<Advice> = answer.advice().map(|(_, advice)| advice.clone()).collect();
    advice::write(&mut document, &given, &without(answer), verbose);
    print::text(&document, Style::default())
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
    text::count(count as usize, "call")
}

fn money(answer: &Answer, price: f64) -> Option<String> {
    if answer.of_calls.is_none() || answer.advice().all(|(_, advice)| advice.choice.is_none()) {
        return None;
    }
    let Some(saving) = answer.of_program else {
        let why = if answer.whole {
            "the mix does not say what share of its time is in the calls (cpu_seconds, call_seconds)"
        } else {
            "the share of its time that is in these calls is not known"
        };
        return Some(format!("what it saves in money is open: {why}"));
    };
    let Saving { estimate, low, high } = saving.money(price);
    Some(format!(
        "at {price} per core-hour: {estimate:.2} [{low:.2} .. {high:.2}] a year for each core that \
         the program keeps busy"
    ))
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
pub fn json(mix: &Mix, answer: &Answer, price: Option<f64>) -> String {
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
    print::json(&document)
}

fn saving(saving: Option<Saving>) -> Value {
    saving.map_or(
        Value::Null,
        |Saving { estimate, low, high }| json!({ "estimate": estimate, "low": low, "high": high }),
    )
}
