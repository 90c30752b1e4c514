//! `cupel advise`: which contender to use, or whether to keep yours.

mod mix;

use crate::advise::{Advice, Languages, Question, advise, must_be_known};
use crate::words;
use anyhow::{Result, anyhow, bail};
use clap::{ArgMatches, Args as _, FromArgMatches};
use cupel_base::home::Home;
use cupel_base::name::ContenderName;
use cupel_base::primitives;
use cupel_contender::{Contender, State};
use cupel_machine::Machine;
use cupel_print::Format;
use cupel_protocol::workload::{Contract, Operation};
use cupel_run::begin::{Lookup, Names, Unclear};
use cupel_store::Store;
use cupel_suite as suite;
use cupel_toolchain::newest;
use cupel_verb::options::{Measuring, Printing, among};
use cupel_verb::words::Words;
use cupel_verb::{Context, Exit, complete, print, register};
use mix::Mixed;

/// The verb as the command lists it.
pub const VERB: register::Verb =
    register::Verb { name: "advise", after: "run", options: Args::augment_args, run };

/// Recommend what to use at your message sizes
///
/// Cupel advises from this machine's newest run of each primitive, operation, contract and shape,
/// unless an older run measured more contenders. Cupel recommends a contender if its answers are
/// correct, it is not known to leak secrets here, and its lead is certain. If several contenders
/// tie, the one that you use comes first, and Cupel's own code last. If no change is worth it, the
/// advice is to keep what you have.
#[derive(clap::Args)]
#[command(
    mut_arg("format", |format| among(format, &[Format::Table, Format::Json])),
    after_help = "\
Examples:
  cupel advise sha256
  cupel advise aes-256-gcm seal 4K,16K
  cupel advise 64:70%,4096:30%            70 % of your calls have 64 bytes
  cupel advise --have rust/ring           only contenders in Rust
  cupel advise --have rust/ring --language all
  cupel advise --verbose                  why not the other contenders
  cupel advise --mix app.mix --per-core-hour 0.04   your program's own calls

Exit status: 0 advice given; 1 a change is worth it (only with --have); 2 the
evidence leaves the advice open, or there is no advice; 3 an error."
)]
struct Args {
    /// Only this primitive, then in any order an operation and message sizes. A size may have its
    /// share of your calls, as 64:70% [default: all measured sizes]
    #[arg(value_name = "WORD", add = complete::question(false), conflicts_with = "mix")]
    words: Vec<String>,
    /// Only contenders in this language, such as rust, c or java; `all` for every language
    /// [default: with --have or --mix, the language of the contender in use; otherwise every
    /// language]
    #[arg(long, value_name = "NAME")]
    language: Option<String>,
    /// The contender that you use now; you may shorten its name if it stays unambiguous [default:
    /// the baseline; with --language, no contender]
    #[arg(long, value_name = "CONTENDER", add = complete::contenders())]
    have: Option<String>,
    #[command(flatten)]
    mixed: Mixed,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    printing: Printing,
}

/// Sizes in bytes, with shares that add up to 1.
type Histogram = Vec<(u64, f64)>;

/// Parses `64:70%,4096:30%`, or sizes alone, which then have equal shares.
fn histogram(text: &str) -> Result<Histogram, String> {
    let mut sizes: Vec<(u64, f64)> = Vec::new();
    for part in text.split(',') {
        let (size, share) = match part.split_once(':') {
            Some((size, share)) => {
                let number = share.trim().strip_suffix('%').unwrap_or(share).trim();
                let number: f64 =
                    number.parse().map_err(|_| format!("\"{share}\" is not a share"))?;
                (size, number)
            }
            None => (part, 1.0),
        };
        if !(share.is_finite() && share > 0.0) {
            return Err(format!("the share of \"{part}\" must be above 0"));
        }
        let size = suite::size(size)?;
        if sizes.iter().any(|(known, _)| *known == size) {
            return Err(format!("size {size} appears twice"));
        }
        sizes.push((size, share));
    }
    let given = text.contains(':');
    if given && text.split(',').any(|part| !part.contains(':')) {
        return Err("give every size a share, or give no shares".to_string());
    }
    let all: f64 = sizes.iter().map(|(_, share)| share).sum();
    // Parts of 1 add up to about 1, and percentages do not, with or without their sign.
    let whole = if text.contains('%') || all > 2.0 { 100.0 } else { 1.0 };
    if given && (all / whole - 1.0).abs() > 0.011 {
        let percent = (all / whole * 1e6).round() / 1e4;
        return Err(format!(
            "the shares add up to {percent} %; give the sizes of all calls, 100 %"
        ));
    }
    Ok(sizes.into_iter().map(|(size, share)| (size, share / all)).collect())
}

fn run(context: &Context, found: &ArgMatches) -> Result<Exit> {
    let args = &Args::from_arg_matches(found)?;
    if let Some(file) = &args.mixed.mix {
        if let Some(word) = &args.have {
            must_be_here(context, word)?;
        }
        let (language, have) = (args.language.as_deref(), args.have.as_deref());
        let json = args.printing.format() == Format::Json;
        let asked = mix::Asked { language, have, json, measuring: &args.measuring };
        return mix::run(context, &args.mixed, file, &asked);
    }
    if let Some(option) = args.measuring.first_given() {
        bail!("{option} is for a mix (--mix), which is measured; other advice reads stored runs");
    }
    let home = context.home_of_store()?;
    let asked = Asked::parse(&args.words)?;
    let as_json = args.printing.format() == Format::Json;
    let store = Store::existing(&home.store)?;
    let have = match &args.have {
        Some(word) => Some(in_full(&home, &store, asked.primitive.as_ref(), word)?),
        None => None,
    };
    let name = have.as_deref().map(ContenderName::from);
    let question = Question {
        primitive: asked.primitive,
        operation: asked.operation,
        languages: Languages::wanted(args.language.as_deref(), name.as_ref()),
        sizes: asked.sizes,
        have,
        of_program: false,
    };
    must_be_known(&store, &question)?;
    let (advice, left_out) = advise(&store, &question, &Machine::look().fingerprint())?;
    if advice.is_empty() && left_out.is_empty() {
        let commands = question.commands();
        if commands.is_empty() {
            bail!(
                "no run of this machine covers that; measure it with `cupel run SUITE` (see `cupel list \
                 suites`)"
            );
        }
        bail!("no run of this machine covers that; this measures it: {}", commands.join("; or "));
    }
    print(&if as_json {
        words::json(&advice, &left_out)
    } else {
        words::draw(&advice, &left_out, context.style.verbose)
    })?;
    Ok(exit(&advice, &left_out, question.have.is_some()))
}

/// Rejects the contender in use now before anything is built or measured for its advice: a word
/// that means no contender or several, or one that is missing.
fn must_be_here(context: &Context, word: &str) -> Result<()> {
    let (home, say) = (context.home()?, |what: &str| context.say(what));
    let names = Names { home: &home, work: None, compilers: &[], build: true, say: &say };
    let named = names.resolve(&[word.to_string()])?;
    match named.missing().first().map(|contender| (&contender.name, &contender.state)) {
        Some((name, State::Missing(refusal))) => bail!("{name} is missing: {refusal}"),
        _ => Ok(()),
    }
}

/// The subject of the advice.
#[derive(Debug, Default, PartialEq)]
struct Asked {
    primitive: Option<String>,
    operation: Option<Operation>,
    sizes: Histogram,
}

impl Asked {
    /// The question of the words and the options.
    ///
    /// # Errors
    /// An unknown primitive, several of them, or a word that is not a part of a question.
    fn parse(words: &[String]) -> Result<Asked> {
        // `64:70%,4096:30%`: no primitive and no contender has a colon in its name.
        let (weighted, words): (Vec<String>, Vec<String>) =
            words.iter().cloned().partition(|word| word.contains(':'));
        let Words { primitives, operation, sizes, names } = Words::sorted(&words)?;
        if let Some(name) = names.first() {
            bail!(
                "{name} is neither an operation nor a size; name what you use with --have, and a language \
                 with --language"
            );
        }
        if primitives.len() > 1 {
            bail!("{}: ask about one primitive at a time", primitives.join(" and "));
        }
        let primitive = primitives.into_iter().next();
        if let Some(primitive) = primitive.as_ref().filter(|one| primitives::is_choice(one)) {
            bail!(
                "advice is about one primitive, and {} is a choice between several",
                primitives::in_words(primitive)
            );
        }
        let plain = Some(sizes).filter(|sizes| !sizes.is_empty());
        let plain =
            plain.map(|sizes| sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(","));
        let given: Vec<String> = weighted.into_iter().chain(plain).collect();
        let sizes = match &given[..] {
            [] => Histogram::new(),
            [one] => histogram(one).map_err(|why| anyhow!(why))?,
            _ => bail!("give every size a share, or give no shares"),
        };
        Ok(Asked { primitive, operation, sizes })
    }
}

/// The full name of the stored contender that a word means, as `cupel ask` understands it. A word
/// that means none stays as it is.
///
/// # Errors
/// If it may mean several, with their names.
fn in_full(home: &Home, store: &Store, primitive: Option<&String>, word: &str) -> Result<String> {
    let mut all: Vec<Contender> = Vec::new();
    let plans = store.plans(None)?;
    for contender in plans.iter().flat_map(|planned| &planned.plan.contenders) {
        if !all.iter().any(|known| known.name == contender.name) {
            all.push(contender.clone());
        }
    }
    let newest = newest::jdk(home);
    let operation = primitive
        .and_then(|name| primitives::named(name)?.operations.first().copied())
        .unwrap_or(Operation::Digest);
    let lookup = Lookup {
        all: &all,
        primitives: primitive.map_or(&[][..], std::slice::from_ref),
        operation,
        contract: &Contract::usual(operation),
        newest: newest.as_deref(),
    };
    match lookup.named(word) {
        Ok(found) => Ok(found.name.to_string()),
        Err(Unclear::Several(why)) => Err(anyhow!(why)),
        Err(Unclear::Unknown(_)) => Ok(word.to_string()),
    }
}

/// The exit status: as if the user's contender were claimed to be as fast as any.
fn exit(advice: &[Advice], left_out: &[String], named: bool) -> Exit {
    if named && advice.iter().any(|one| one.choice.is_some()) {
        Exit::Refuted
    } else if advice.iter().any(|one| one.open.is_some())
        || (advice.is_empty() && !left_out.is_empty())
    {
        Exit::Undecided
    } else {
        Exit::Well
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_has_shares_that_make_a_whole() {
        assert_eq!(histogram("64:70%,4 KiB:30%"), Ok(vec![(64, 0.7), (4096, 0.3)]));
        assert_eq!(histogram("64,128"), Ok(vec![(64, 0.5), (128, 0.5)]));
        for wrong in
            ["64:70%,4096:50%", "64:70%,128", "64:0%", "64:-1", "x:100%", "64,64", "", "64:NaN"]
        {
            assert!(histogram(wrong).is_err(), "{wrong}");
        }
    }
}
