//! `cupel verify --leaks`: whether the execution of contenders depends on secrets.

use crate::by_time::Difference;
use crate::secrets::Question;
use crate::timed::time;
use crate::traces::{self, Leak, OPERATIONS, Unknown, in_words};
use crate::words::{Line, largest, present};
use anyhow::{Result, bail};
use cupel_base::primitives;
use cupel_base::text::digits;
use cupel_contender::{Contender, State};
use cupel_machine::Machine;
use cupel_plan::Code;
use cupel_print::Format;
use cupel_protocol::workload::Operation;
use cupel_run::begin::Work;
use cupel_run::measure::RealProcesses;
use cupel_run::programs;
use cupel_store::{LeakTest, SeenLeak, Store};
use cupel_verb::verified::{self, Verified};
use cupel_verb::words::Words;
use cupel_verb::{Context, Exit, print};

/// The sizes that are examined if none is named: below the limit of code for long messages, and
/// within.
const SIZES: [u64; 2] = [64, 1024];

/// Examines the contenders that the words mean, keeps the verdicts, and prints them.
///
/// # Errors
/// If nothing can be examined, or the words are wrong.
pub fn run(context: &Context, args: &Verified, ad: Option<u32>, format: Format) -> Result<Exit> {
    let words = Words::sort(&args.contenders)?;
    let primitive = words.primitive()?.clone();
    let operations = operations(&primitive, &words)?;
    let sizes = if words.sizes.is_empty() { &SIZES[..] } else { &words.sizes };
    let contenders = contenders(context, args, &words.names, &primitive, &operations)?;
    let programs = programs::digests(&contenders);
    let mut store = Store::open(&context.home()?.store)?;
    let fingerprint = Machine::look().fingerprint();
    let seed = args.runners.seed.unwrap_or(1);
    let patience = args.runners.patience();
    let ad = ad.unwrap_or(0);
    if ad > 0 && !operations.iter().all(has_ad) {
        bail!(
            "only seal and open have associated data: leave out --contract, or name a primitive that has them"
        );
    }
    let mut questions = Vec::new();
    for contender in &contenders {
        let offers = contender.offers.iter().filter(|offer| offer.primitive == primitive);
        for offer in offers.filter(|offer| operations.contains(&offer.operation)) {
            let question = |&size| Question { contender, offer, size, seed, ad, patience };
            questions.extend(sizes.iter().map(question));
        }
    }
    let mut lines: Vec<Line> = Vec::new();
    for question in &questions {
        let line = examined(context, question, questions.len());
        context.say(&line.in_words());
        let code = Code::from_programs(question.contender, &programs);
        if let Some(test) = test(&line, question, code) {
            store.keep_leak_test(&fingerprint, &test)?;
        }
        lines.push(line);
    }
    if lines.iter().all(Line::is_missing) {
        bail!(
            "nothing was examined: no contender that offers this is ready; `cupel list` shows why"
        );
    }
    // The answer first.
    lines.sort_by_key(|line| !line.leaks());
    print(&present(&lines, format, context.style))?;
    if lines.iter().any(Line::leaks) {
        return Ok(Exit::ContenderFailed);
    }
    let is_decided = |line: &Line| line.is_decided() || line.is_missing();
    Ok(if lines.iter().all(is_decided) { Exit::Well } else { Exit::Undecided })
}

/// The record for the store, so that the verdict is shown wherever the contender's speed is;
/// nothing of a contender that is not there.
fn test(line: &Line, question: &Question<'_>, code: Code) -> Option<LeakTest> {
    let seen = |leak: &Leak| SeenLeak {
        kind: leak.kind.name().to_string(),
        secret: leak.secret.name().to_string(),
        place: in_words(&leak.place),
    };
    let timed = |leak: &Difference| SeenLeak {
        kind: "time".to_string(),
        secret: leak.secret.name().to_string(),
        place: format!("{} ns{}", digits(leak.shift.estimate.abs()), leak.measure.in_words()),
    };
    let seen = line.found.iter().flat_map(|examined| &examined.leaks).map(seen);
    let leaks = seen.chain(line.timed.iter().flat_map(largest).map(timed)).collect();
    Some(LeakTest {
        tested: String::new(),
        code,
        primitive: line.primitive.clone(),
        operation: line.operation,
        size: line.size,
        contract: question.contract(),
        method: line.method().unwrap_or("trace").to_string(),
        seed: question.seed,
        verdict: line.tested()?,
        reason: line.reason(),
        leaks,
        compared: line.compared(),
    })
}

/// Steps through the calls of a contender, and times them if the steps cannot be compared.
fn examined(context: &Context, question: &Question<'_>, questions: usize) -> Line {
    let Question { contender, offer, size, ad, patience, .. } = *question;
    let (name, primitive) = (contender.name.to_string(), offer.primitive.clone());
    let operation = offer.operation;
    context.say(&format!("step {name} {primitive} {operation}, {size} B"));
    let mut line = Line {
        contender: name,
        primitive,
        operation,
        size,
        ad,
        found: traces::examine(question),
        timed: None,
    };
    let is_simulated = matches!(contender.state, State::Ready { simulated: true, .. });
    let Err(Unknown::Undecided(why)) = &line.found else { return line };
    context
        .say(&format!("time {} {} {operation}, {size} B: {why}", line.contender, line.primitive));
    let stage = RealProcesses::new(patience, is_simulated);
    match time(question, &stage, questions) {
        Ok(timed) => line.timed = Some(timed),
        Err(reason) => line.found = Err(Unknown::Undecided(format!("{why}, and {reason}"))),
    }
    line
}

/// Whether the messages of an operation can have associated data.
fn has_ad(operation: &Operation) -> bool {
    matches!(operation, Operation::Seal | Operation::Open)
}

/// The operations that are asked about, or all that can be examined.
fn operations(primitive: &str, words: &Words) -> Result<Vec<Operation>> {
    let known = primitives::named(primitive).map_or(&[][..], |primitive| primitive.operations);
    let mut operations = OPERATIONS.to_vec();
    operations.retain(|operation| known.contains(operation));
    if let Some(operation) = words.operation {
        operations.retain(|one| *one == operation);
        if operations.is_empty() {
            bail!("{operation} of {primitive} cannot be examined for leaks");
        }
    }
    Ok(operations)
}

/// The contenders that the words mean, or all, of those that offer the primitive.
fn contenders(
    context: &Context,
    args: &Verified,
    names: &[String],
    primitive: &String,
    operations: &[Operation],
) -> Result<Vec<Contender>> {
    let home = context.home()?;
    let primitives = std::slice::from_ref(primitive);
    let work = operations.first().map(|&operation| Work { primitives, operation, contract: None });
    let mut all = verified::contenders(context, &home, args, names, work)?;
    all.retain(|contender| contender.offers.iter().any(|offer| offer.primitive == *primitive));
    Ok(all)
}
