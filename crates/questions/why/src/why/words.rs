//! Why one contender takes longer than another: the answer for each size, and the measured
//! differences below it.

use super::{Cause, Compared, Cost, Part, Place, Side};
use cupel_base::text::{self, bytes, digits, ratio_digits};
use cupel_print::Findings;
use cupel_print::document::{Document, Emphasis, Fit, Table, left, right};
use cupel_print::number::ends;
use cupel_protocol::message::knows_its_code;
use cupel_steps::{Executed, Function};
use serde_json::{Value, json};
use std::cmp::Reverse;

/// How many functions a table has.
const ROWS: usize = 8;

/// A function has a row if its instructions differ by this share of a call's. The number of
/// instructions with which a runner writes its reply varies by less.
const LEAST: f64 = 0.01;

/// The answers. `unseen` lists the contenders of which a call could not be stepped, and why.
pub fn findings(all: &[Compared<'_>], unseen: &[(String, String)]) -> Findings {
    let mut document = Document::default();
    if all.is_empty() {
        document.line(None, "nothing is compared: at no size do both have a time", Emphasis::All);
    }
    for one in all {
        document.line(None, answer(one), Emphasis::All);
    }
    for one in all {
        let size = bytes(one.size);
        let heading = if one.decided { "What differs" } else { "What each executes" };
        document.heading(2, format!("{heading} at {size}"));
        for line in lines(one) {
            document.item(1, line);
        }
        if let (Some(slower), Some(faster)) = (one.slower.executed, one.faster.executed) {
            document.table(functions(one, slower, faster));
        }
    }
    for (name, why) in unseen {
        document.item(1, format!("what {name} executes is not known: {why}"));
    }
    Findings(document)
}

/// The ratio, and its cause.
fn answer(one: &Compared<'_>) -> String {
    let (slower, faster) = (&one.slower.contender, &one.faster.contender);
    let interval = text::interval(one.ratio.low, one.ratio.high);
    let times = ratio_digits(one.ratio.estimate);
    let size = bytes(one.size);
    if !one.decided {
        let why = one.undecided.as_ref().map_or(String::new(), |why| format!("; {why}"));
        return format!(
            "{size}: {slower} and {faster} are not separated: the ratio of their times is {times} \
             [{interval}]{why}"
        );
    }
    let mut parts = vec![cause(one)];
    if one.cause().is_none() {
        parts.extend(reported(one));
    }
    parts.extend(only(one).into_iter().next());
    parts.extend(one.cost().map(|cost| match cost {
        Cost::Call => "the difference is in each call".to_string(),
        Cost::Byte => "the difference is in each byte".to_string(),
        Cost::Both => "the difference is in each call and in each byte".to_string(),
    }));
    format!(
        "{size}: {slower} takes {times} times the time of {faster} [{interval}]: {}",
        parts.join("; ")
    )
}

/// The cause of the ratio, in words.
fn cause(one: &Compared<'_>) -> String {
    let factor = |factor: Option<f64>| digits(factor.unwrap_or(f64::NAN));
    let (more, slower) = (factor(one.more_instructions()), factor(one.slower_instructions()));
    match one.cause() {
        None => "the instructions of both were not seen, so nothing accounts for it".to_string(),
        Some(Cause::Collection) => {
            let ns = one.slower.collecting_ns.unwrap_or(0.0);
            format!("the collection of its garbage is {} of its time", text::time(ns))
        }
        Some(Cause::MoreInstructions) => match one.part() {
            Some(part) => format!("{more} times the instructions, {}", in_part(one, &part)),
            None => format!("{more} times the instructions, in no single function"),
        },
        Some(Cause::SlowerInstructions) => {
            format!("{more} times the instructions, but each takes {slower} times as long")
        }
        Some(Cause::MoreAndSlowerInstructions) => {
            format!("{more} times the instructions, and each takes {slower} times as long")
        }
    }
}

/// `1200 of the 1510 additional ones in EVP_MD_fetch (libcrypto.so.3) and what it calls`.
fn in_part(one: &Compared<'_>, Part { place, more }: &Part) -> String {
    let [slower, faster] = [&one.slower, &one.faster]
        .map(|side| side.executed.map_or(0, |executed| executed.instructions));
    let place = match place {
        Place::Function(function) => format!("{} and what it calls", named(function)),
        Place::Allocator => "the allocator".to_string(),
        Place::Locks => "locks".to_string(),
        Place::Object(object) => object.clone(),
    };
    let all = slower - faster;
    if *more > all {
        return format!("{more} more in {place}, and {} fewer elsewhere", more - all);
    }
    format!("{more} of the {all} additional ones in {place}")
}

/// `EVP_MD_fetch (libcrypto.so.3)`.
fn named(function: &Function) -> String {
    match &function.name {
        Some(name) => format!("{name} ({})", function.object),
        None if function.object == Function::AT_RUN_TIME => function.object.clone(),
        None => format!("{} without a name", function.object),
    }
}

/// `only rust/ring executes instructions of SHA (952 of its 2010)`, for the faster one first.
fn only(one: &Compared<'_>) -> Vec<String> {
    let sides = [&one.faster, &one.slower];
    let said = sides.into_iter().zip(one.only()).filter_map(|(side, features)| {
        let all = side.executed?.instructions;
        let features: Vec<String> =
            features.iter().map(|(name, count)| format!("{name} ({count})")).collect();
        (!features.is_empty()).then(|| {
            format!(
                "only {} executes instructions of {}, of its {all}",
                side.contender,
                features.join(", ")
            )
        })
    });
    said.collect()
}

/// The measured differences, each in a line.
fn lines(one: &Compared<'_>) -> Vec<String> {
    let sides = [&one.slower, &one.faster];
    let both = |figure: &dyn Fn(&Side<'_>) -> String| {
        sides.map(|side| format!("{} {}", side.contender, figure(side))).join(", ")
    };
    let mut lines = vec![both(&|side| {
        let executed = side.executed.map_or(String::new(), |executed| {
            let count = executed.instructions;
            let rate = digits(count as f64 / side.ns);
            format!(" for {count} instructions, {rate} in each ns")
        });
        text::time(side.ns) + &executed
    })];
    if let (Some(more), Some(slower)) = (one.more_instructions(), one.slower_instructions()) {
        lines.push(format!(
            "the ratio {} is {} times the instructions, and {} times the time of each",
            ratio_digits(one.ratio.estimate),
            digits(more),
            digits(slower)
        ));
    }
    lines.extend(only(one));
    for (place, what) in [(Place::Allocator, "the allocator"), (Place::Locks, "locks")] {
        let spent = sides.map(|side| side.spent(&place).unwrap_or_default());
        if spent.iter().any(|spent| spent.calls > 0) {
            lines.push(format!(
                "in {what}, per call: {}",
                both(&|side| {
                    let spent = side.spent(&place).unwrap_or_default();
                    format!(
                        "{} instructions in {}",
                        spent.instructions,
                        text::count(spent.calls as usize, "call")
                    )
                })
            ));
        }
    }
    if sides.iter().any(|side| side.allocated.is_some_and(|bytes| bytes >= 1.0)) {
        lines.push(format!(
            "allocated per call: {}",
            both(&|side| {
                let allocated = side.allocated;
                let allocated = allocated.map_or("unknown".to_string(), |b| format!("{b:.0} B"));
                let collecting = side.collecting_ns;
                allocated
                    + &collecting
                        .map_or(String::new(), |ns| format!(" (collected in {})", text::time(ns)))
            })
        ));
    }
    if sides.iter().all(|side| side.line.is_some()) {
        lines.push(format!(
            "over all sizes: {}",
            both(&|side| {
                let line = side.line.expect("both have a line");
                format!(
                    "{} ns for each call and {} for each byte",
                    digits(line.fixed_ns),
                    ratio_digits(line.per_byte_ns)
                )
            })
        ));
    }
    lines.extend(reported(one));
    lines
}

/// The code paths that both report, if they differ.
fn reported(one: &Compared<'_>) -> Option<String> {
    let [slower, faster] = [&one.slower, &one.faster].map(|side| side.code_path);
    (slower != faster && knows_its_code(slower) && knows_its_code(faster))
        .then(|| format!("they report the code paths \"{slower}\" and \"{faster}\""))
}

/// The functions whose numbers of instructions differ most.
fn functions(one: &Compared<'_>, slower: &Executed, faster: &Executed) -> Table {
    let [a, b] = [&one.slower, &one.faster].map(|side| side.contender.to_string());
    let columns = [left("instructions of a call in"), right(a), right(b)];
    let mut table = Table::new(Fit::Names, columns);
    let own = |executed: &Executed, function: &Function| {
        executed.functions.get(function).map_or(0, |spent| spent.own)
    };
    let mut rows: Vec<(&Function, u64, u64)> = slower
        .functions
        .keys()
        .chain(faster.functions.keys().filter(|function| !slower.functions.contains_key(function)))
        .map(|function| (function, own(slower, function), own(faster, function)))
        .collect();
    rows.sort_by_key(|(function, a, b)| (Reverse(a.abs_diff(*b)), *function));
    let least = LEAST * slower.instructions as f64;
    rows.retain(|(_, a, b)| a.abs_diff(*b) as f64 >= least);
    for (function, a, b) in rows.into_iter().take(ROWS) {
        table.row([named(function), a.to_string(), b.to_string()].map(Into::into));
    }
    table
}

/// The answers as entries of `why`.
pub fn json(all: &[Compared<'_>]) -> Value {
    all.iter().map(one_as_json).collect()
}

fn one_as_json(one: &Compared<'_>) -> Value {
    let [ratio, low, high] = ends(Some(one.ratio));
    let part = one.part().filter(|_| one.cause() == Some(Cause::MoreInstructions)).map(|part| {
        let (object, function) = match part.place {
            Place::Function(function) => (Some(function.object), function.name),
            Place::Allocator => (None, Some("the allocator".to_string())),
            Place::Locks => (None, Some("locks".to_string())),
            Place::Object(object) => (Some(object), None),
        };
        json!({ "object": object, "function": function, "instructions": part.more })
    });
    json!({
        "size": one.size,
        "ratio": ratio,
        "ratio_low": low,
        "ratio_high": high,
        "decided": one.decided,
        "cause": one.cause(),
        "more_instructions": one.more_instructions(),
        "slower_instructions": one.slower_instructions(),
        "part": part,
        "cost": one.cost(),
        "slower": side_as_json(&one.slower),
        "faster": side_as_json(&one.faster),
    })
}

fn side_as_json(side: &Side<'_>) -> Value {
    let functions: Option<Vec<Value>> = side.executed.map(|executed| {
        let functions = executed.functions.iter().map(|(function, spent)| {
            json!({
                "object": function.object,
                "function": function.name,
                "instructions": spent.own,
                "with_callees": spent.with_callees,
                "calls": spent.calls,
            })
        });
        functions.collect()
    });
    json!({
        "contender": side.contender,
        "ns_per_call": side.ns,
        "fixed_ns": side.line.map(|line| line.fixed_ns),
        "per_byte_ns": side.line.map(|line| line.per_byte_ns),
        "allocated_per_call": side.allocated,
        "collecting_ns_per_call": side.collecting_ns,
        "code_path": side.code_path,
        "instructions": side.executed.map(|executed| executed.instructions),
        "features": side.executed.map(|executed| &executed.features),
        "functions": functions,
    })
}
