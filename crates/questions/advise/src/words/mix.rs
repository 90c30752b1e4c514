//! The advice on a mix, for a terminal of 80 columns and as JSON. The first line is the answer.

use crate::advise::Advice;
use crate::mix::{Answer, Change, Doubt, Effect, Mix, Saving, Unsaid};
use cupel_base::text::{self, plain};
use cupel_print::Style;
use cupel_print::document::Document;
use cupel_print::number::finite;
use cupel_print::print;
use serde_json::{Value, json};

/// Writes the answer for a mix; `price` is the price of an hour of one core. With `verbose`, every
/// contender that is not recommended has a line that says why.
pub fn draw(mix: &Mix, answer: &Answer, price: Option<f64>, verbose: bool) -> String {
    let mut document = Document::default();
    document.paragraph(sentence(mix, answer));
    let Effect { of_calls, measured_s, .. } = answer.effect;
    if answer.advice().next().is_none() {
        // The reasons follow.
    } else if !answer.doubts.is_empty() {
        document.note("what a change would save of the program's time is open:");
        for doubt in &answer.doubts {
            document.item(2, words(doubt));
        }
    } else if let (Some(saving), Some(now)) = (of_calls, measured_s) {
        document.note(format!(
            "its {} take {} with what it uses, and {} with the advice, each alone on this machine",
            calls(answer.effect.calls),
            seconds(now),
            seconds(now * (1.0 - saving.estimate))
        ));
    } else if answer.all_had() {
        document.note("what it would save is open: there is no advice on some of its calls");
    } else {
        document.note("what it would save is open: name with --have what the program uses now");
    }
    if let Some(line) = seen(&answer.effect) {
        document.note(line);
    }
    if let Some(line) = price.and_then(|price| money(answer, price)) {
        document.note(line);
    }
    for note in &answer.notes {
        document.note(format!("note: {note}"));
    }
    document.gap();
    let given: Vec<Advice> = answer.advice().map(|(_, advice)| advice.clone()).collect();
    super::write(&mut document, &given, &without(answer), verbose);
    print::text(&document, Style::default())
}

/// The answer in one sentence, which names the calls that it leaves out.
fn sentence(mix: &Mix, answer: &Answer) -> String {
    let sentence = of_counted(mix, answer);
    if mix.uncounted.is_empty() {
        return sentence;
    }
    format!(
        "{sentence}; this is about the counted calls, and not about {}",
        mix.uncounted.join(", ")
    )
}

fn of_counted(mix: &Mix, answer: &Answer) -> String {
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
    match (changes, answer.effect.of_program, answer.effect.of_calls) {
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

/// The part of the program's time to which the saving belongs.
fn seen(effect: &Effect) -> Option<String> {
    effect.of_program.filter(|_| !effect.changes.is_empty())?;
    let (program, seen_s) = (effect.program_s?, effect.seen_s?);
    Some(format!(
        "the mix says that {} of its {} of processor time are in these calls ({:.1} %); nothing beyond \
         that counts as saved, and an error of it is not in the interval",
        seconds(seen_s),
        seconds(program),
        100.0 * (seen_s / program).min(1.0)
    ))
}

/// A time in s, in words.
fn seconds(seconds: f64) -> String {
    text::time(1e9 * seconds)
}

/// A doubt in a sentence, with what to do about it.
fn words(doubt: &Doubt) -> String {
    match doubt {
        Doubt::Unsaid { what, primitive, operation, calls } => {
            let (what, key) = match what {
                Unsaid::Ad => ("how much associated data", "ad"),
                Unsaid::Pieces => ("how many pieces", "chunk"),
            };
            format!(
                "the mix does not say {what} {calls} calls of {primitive} {operation} have: write \
                 `{key}`, in bytes"
            )
        }
        Doubt::LeftOut { calls } => {
            format!("most of the time may be in {} that are left out", self::calls(*calls))
        }
        Doubt::Longer { seen_s, measured_s, program_s, around } => {
            let why = match around {
                Some(language) => format!("the mix has no time of {language} around the library"),
                None => {
                    "the program makes less work of them than the mix says. A copied context, for \
                         example, counts with its whole message each time"
                        .to_string()
                }
            };
            let all = program_s.filter(|all| all < measured_s);
            let all = all.map_or(String::new(), |all| {
                format!(", more than the {} of the whole program", seconds(all))
            });
            format!("{}{all}: {why}", beside(*seen_s, *measured_s))
        }
        Doubt::Shorter { seen_s, measured_s } => format!(
            "{}: something decides their time that the mix does not have",
            beside(*seen_s, *measured_s)
        ),
    }
}

fn beside(seen_s: f64, measured_s: f64) -> String {
    format!(
        "the mix says that its calls took {}, but as they were measured here they take {} with what it \
         uses",
        seconds(seen_s),
        seconds(measured_s)
    )
}

fn money(answer: &Answer, price: f64) -> Option<String> {
    if answer.effect.of_calls.is_none() || answer.effect.changes.is_empty() {
        return None;
    }
    let Some(saving) = answer.effect.of_program else {
        return Some(
            "what it saves in money is open: the mix does not say what share of its time is in the calls \
             (cpu_seconds, call_seconds)"
                .to_string(),
        );
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
        let mut value = super::one(one, &given);
        value["calls"] = work.calls.into();
        value["library"] = work.library.clone().into();
        value
    });
    let document = json!({
        "answer": plain(&sentence(mix, answer)),
        "program": mix.program,
        "uncounted": mix.uncounted,
        "saving_of_calls": saving(answer.effect.of_calls),
        "saving_of_program": saving(answer.effect.of_program),
        "saving": effect(&answer.effect),
        "money_per_core_year": saving(
            price.and_then(|price| Some(answer.effect.of_program?.money(price))),
        ),
        "not_known": answer.doubts.iter().map(doubted).collect::<Vec<_>>(),
        "notes": answer.notes,
        "advice": works.collect::<Vec<_>>(),
        "no_advice": without(answer),
    });
    print::json(&document)
}

fn effect(effect: &Effect) -> Value {
    let changes = effect.changes.iter().map(|change| {
        let Change { primitive, operation, calls, from, to, ratio } = change;
        json!({
            "primitive": primitive, "operation": operation.name(), "calls": calls, "have": from,
            "use": to, "ratio": ratio.estimate, "ratio_low": finite(ratio.low),
            "ratio_high": finite(ratio.high),
        })
    });
    json!({
        "changes": changes.collect::<Vec<_>>(),
        "calls": effect.calls,
        "seconds_of_program": effect.program_s,
        "seconds_seen": effect.seen_s,
        "seconds_measured": effect.measured_s.and_then(finite),
        "seconds_saved": saving(effect.saved_s),
    })
}

fn doubted(doubt: &Doubt) -> Value {
    let mut value = match doubt {
        Doubt::Unsaid { what, primitive, operation, calls } => json!({
            "kind": match what {
                Unsaid::Ad => "unsaid ad",
                Unsaid::Pieces => "unsaid chunk",
            },
            "primitive": primitive, "operation": operation.name(), "calls": calls,
        }),
        Doubt::LeftOut { calls } => json!({ "kind": "left out", "calls": calls }),
        Doubt::Longer { seen_s, measured_s, .. } => json!({
            "kind": "longer", "seconds_seen": seen_s, "seconds_measured": measured_s,
        }),
        Doubt::Shorter { seen_s, measured_s } => json!({
            "kind": "shorter", "seconds_seen": seen_s, "seconds_measured": measured_s,
        }),
    };
    value["words"] = words(doubt).into();
    value
}

fn saving(saving: Option<Saving>) -> Value {
    saving.map_or(
        Value::Null,
        |Saving { estimate, low, high }| json!({ "estimate": estimate, "low": low, "high": high }),
    )
}
