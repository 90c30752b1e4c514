//! `cupel advise --mix`: measures the calls of a program as they come, and advises on them.

use crate::advise::{self, Advice, EVERY, Languages, Question};
use crate::mix::{self, Answer, Mix, Rest, Unsaid, Work, Works, language_of_library};
use crate::words;
use anyhow::{Result, anyhow, bail};
use cupel_base::home::Home;
use cupel_base::name::ContenderName;
use cupel_base::text::quoted;
use cupel_contender::Contender;
use cupel_machine::Machine;
use cupel_protocol::workload::Workload;
use cupel_run::begin::Lookup;
use cupel_store::{Recorded, Store};
use cupel_suite::{MIX, Suite};
use cupel_toolchain::newest;
use cupel_verb::carry_out::{Carried, carry_out};
use cupel_verb::how::How;
use cupel_verb::options::Measuring;
use cupel_verb::words::find_named;
use cupel_verb::{Context, Exit, print};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// How a mix is measured.
#[derive(clap::Args)]
pub struct Mixed {
    /// A file that `cupel trace` wrote, with your program's own calls. Cupel measures these calls
    /// in random order, and says how much time a change would save
    #[arg(long, value_name = "FILE", conflicts_with = "words")]
    pub mix: Option<PathBuf>,
    /// The price of an hour of one core, in any currency (with --mix)
    #[arg(long, value_name = "PRICE", requires = "mix", value_parser = price)]
    per_core_hour: Option<f64>,
    /// Measure the mix even if this machine has measured it before (with --mix)
    #[arg(long, requires = "mix")]
    again: bool,
}

fn price(text: &str) -> Result<f64, String> {
    let price = text.parse::<f64>().ok().filter(|price| *price > 0.0 && *price < 1e12);
    price.ok_or_else(|| "a price is a number above 0, such as 0.04".to_string())
}

/// The user's words about the program.
pub struct Asked<'a> {
    /// The language, if it was given.
    pub language: Option<&'a str>,
    /// The contender in use now, if it was given.
    pub have: Option<&'a str>,
    /// Whether to print JSON.
    pub json: bool,
    /// How much is measured.
    pub measuring: &'a Measuring,
}

/// A work with all its contenders, the program's own first.
struct Comparison {
    work: Work,
    have: Option<String>,
    languages: Languages,
    contenders: Vec<String>,
}

pub fn run(context: &Context, mixed: &Mixed, file: &Path, asked: &Asked<'_>) -> Result<Exit> {
    let mix = Mix::load(file)?;
    let Works { works, notes, doubts, rest } = mix::works(&mix)?;
    let home = context.home()?;
    let build = !asked.measuring.dry_run;
    let all = find_named(context, &home, build, families(&works, asked))?;
    let newest = newest::jdk(&home);
    let (mut compared, mut without): (Vec<Comparison>, Vec<(Work, String)>) = Default::default();
    for work in works {
        let Workload { primitive, operation, contract, .. } = &work.workload;
        let primitives = std::slice::from_ref(primitive);
        let newest = newest.as_deref();
        let lookup = Lookup { all: &all, primitives, operation: *operation, contract, newest };
        let usual = lookup.usual();
        let have = match asked.have {
            Some(word) => Some(lookup.resolve(word).map_err(|why| anyhow!(why))?),
            None => in_use(&work, &usual),
        };
        match comparison(&work, usual, have, asked.language) {
            Ok(found) => compared.push(found),
            Err(why) => without.push((work, why)),
        }
    }
    if compared.is_empty() {
        let why = without.first().map_or("the mix has no calls", |(_, why)| why);
        bail!("{why}; `cupel list` shows what there is");
    }
    let distinct = distinct(&compared);
    let suite = mix::suite(&mix, &distinct)?;
    let recorded = match measured(context, &home, mixed, asked.measuring, suite, &all)? {
        ControlFlow::Continue(recorded) => recorded,
        ControlFlow::Break(exit) => return Ok(exit),
    };
    let fingerprint = Machine::look().fingerprint();
    let languages = languages_here(&home)?;
    let advised = compared.into_iter().map(|one| {
        let mut advice = advice(&recorded, &one, &fingerprint, distinct.len(), (file, asked));
        if let Ok(advice) = &mut advice {
            let scope = &mut advice.scope;
            scope.left_out = languages.difference(&scope.languages).cloned().collect();
        }
        (one.work, advice)
    });
    let without = without.into_iter().map(|(work, why)| (work, Err(why)));
    let advised = advised.chain(without).collect();
    let answer = Answer::new(&mix, advised, Rest { notes, doubts, most: rest });
    print(&if asked.json {
        words::mix::json(&mix, &answer, mixed.per_core_hour)
    } else {
        words::mix::draw(&mix, &answer, mixed.per_core_hour, context.style.verbose)
    })?;
    Ok(exit(&answer))
}

/// The languages of which there are contenders.
fn languages_here(home: &Home) -> Result<BTreeSet<String>> {
    let families = cupel_contender::families(home)?;
    let names = families.iter().map(|family| ContenderName::from(format!("{}/", family.prefix)));
    Ok(advise::languages(&names.collect::<Vec<_>>()))
}

/// Patterns for all possible contenders, so that nothing else is built; empty for everything.
fn families(works: &[Work], asked: &Asked<'_>) -> Vec<String> {
    let mut languages = match (asked.language, asked.have) {
        (Some(EVERY), _) | (_, Some(_)) => return vec![],
        (Some(language), None) => vec![advise::family_of(language)],
        (None, None) => {
            let known = works.iter().map(language_of_caller);
            let Some(known) = known.collect::<Option<Vec<_>>>() else { return vec![] };
            known
        }
    };
    languages.sort();
    languages.dedup();
    languages.iter().flat_map(|one| [format!("{one}/*"), format!("{one}-*/*")]).collect()
}

/// The language of whoever makes the calls, as a part of contenders' names, if the mix names it.
fn language_of_caller(work: &Work) -> Option<String> {
    let named = work.language.as_deref().map(advise::family_of);
    named.or_else(|| Some(language_of_library(work.library.as_deref()?)?.to_string()))
}

/// Finds which of the usual contenders are compared for a work, or why none is.
fn comparison(
    work: &Work,
    usual: Vec<String>,
    have: Option<String>,
    language: Option<&str>,
) -> Result<Comparison, String> {
    let Workload { primitive, operation, .. } = &work.workload;
    // A program can change its library more easily than its language.
    let name = have.as_deref().map(ContenderName::from);
    let languages = match (&name, language, language_of_caller(work)) {
        (None, None, Some(language)) => Languages::Only(language),
        (_, named, _) => Languages::wanted(named, name.as_ref()),
    };
    let mut others = usual;
    others.retain(|name| {
        Some(name) != have.as_ref() && languages.have(&ContenderName::from(name.as_str()))
    });
    if others.is_empty() {
        let caller = language_of_caller(work);
        let why = match languages.named().or(caller.as_deref()) {
            None => format!("there is no contender for {operation} of {primitive}"),
            Some(language) => format!(
                "there is no other contender for {operation} of {primitive} in {language}; --language \
                 names another one, such as c, or all"
            ),
        };
        return Err(why);
    }
    let contenders = have.iter().cloned().chain(others).collect();
    Ok(Comparison { work: work.clone(), have, languages, contenders })
}

/// The contender that calls a library as programs do in the language of the caller: with its
/// context kept, if there is one.
fn in_use(work: &Work, all: &[String]) -> Option<String> {
    let (library, language) = (work.library.as_deref()?, language_of_caller(work)?);
    let is_aead = work.workload.operation.is_aead();
    let code = match (&*language, library) {
        ("go", _) => "std",
        ("node", _) => "crypto",
        // The two modules of Python that call OpenSSL.
        ("python", "openssl") if is_aead => "cryptography",
        ("python", "openssl") => "hashlib",
        (_, library) => library,
    };
    let plain = format!("{language}/{code}");
    // A provider is called through Java's own interface.
    let named = [format!("{plain}-reused"), format!("{plain}-jce"), plain.clone()];
    let found = named.iter().find_map(|wanted| {
        all.iter().find(|name| ContenderName::from(name.as_str()).code() == wanted)
    });
    found.or_else(|| all.iter().find(|name| name.starts_with(&plain))).cloned()
}

/// Each workload once, with all its contenders. Two libraries may be called alike.
fn distinct(all: &[Comparison]) -> Vec<(Workload, Vec<String>)> {
    let mut distinct: Vec<(Workload, Vec<String>)> = Vec::new();
    for one in all {
        match distinct.iter_mut().find(|(work, _)| *work == one.work.workload) {
            Some((_, names)) => {
                let new = one.contenders.iter().filter(|name| !names.contains(name));
                let new: Vec<String> = new.cloned().collect();
                names.extend(new);
            }
            None => distinct.push((one.work.workload.clone(), one.contenders.clone())),
        }
    }
    distinct
}

/// The newest run of this suite on this machine as it is, with the versions that are here, or a new
/// one; how the verb ends if there is none, after an interruption or a dry run.
fn measured(
    context: &Context,
    home: &Home,
    mixed: &Mixed,
    measuring: &Measuring,
    suite: Suite,
    here: &[Contender],
) -> Result<ControlFlow<Exit, Recorded>> {
    if !mixed.again && !measuring.dry_run {
        let store = Store::open(&home.store)?;
        let fingerprint = Machine::look().fingerprint();
        for planned in store.plans(None)? {
            let run = &planned.run;
            let is_of = run.suite == MIX && run.finished.is_some();
            // An update of a library makes another program of it.
            let is_same = planned.plan.contenders.iter().all(|then| {
                let now = here.iter().find(|now| now.name == then.name);
                now.is_some_and(|now| now.version == then.version)
            });
            if is_of
                && planned.fingerprint == fingerprint
                && is_same
                && store.suite_text(run.id)? == suite.text
            {
                let id = run.id;
                context.say(&format!("run {id} has measured this mix; --again measures it again"));
                return Ok(ControlFlow::Continue(store.load_with_doubts(run.id)?));
            }
        }
    }
    let (how, overrides) = (How::from_options(measuring), measuring.overrides());
    let Carried::Out(done) = carry_out(context, home, &how, || Ok(suite), &overrides)? else {
        if measuring.dry_run {
            return Ok(ControlFlow::Break(Exit::Well));
        }
        bail!("nothing was measured");
    };
    if let Some(exit) = done.interrupted(context) {
        return Ok(ControlFlow::Break(exit));
    }
    // A table needs less than advice.
    Ok(ControlFlow::Continue(done.store.load_with_doubts(done.recorded.run.id)?))
}

/// The advice on one work, whose intervals are joint over all `works`.
fn advice(
    recorded: &Recorded,
    one: &Comparison,
    fingerprint: &str,
    works: usize,
    (file, asked): (&Path, &Asked<'_>),
) -> Result<Advice, String> {
    let Comparison { have, languages, .. } = one;
    let (have, languages) = (have.clone(), languages.clone());
    let question = Question { have, languages, of_program: true, ..Question::default() };
    let mut advice = advise::of_run(recorded, &one.work.workload, &question, fingerprint, works)?;
    advice.warnings.extend(one.work.unknown.iter().map(|what| {
        let what = match what {
            Unsaid::Ad => {
                "how much associated data these calls have: they are measured without any"
            }
            Unsaid::Pieces => "how many pieces these messages have: they are measured in one",
        };
        format!("the mix does not say {what}")
    }));
    if let Some(open) = &mut advice.open {
        // The command compares the same contenders only if it has the user's options on them.
        let file = file.display().to_string();
        let said = [("--have", asked.have), ("--language", asked.language)];
        let said = said.into_iter().filter_map(|(option, value)| Some((option, value?)));
        let words = [("--mix", file.as_str())].into_iter().chain(said);
        let words = words.map(|(option, value)| format!("{option} {}", quoted(value)));
        let words = words.collect::<Vec<_>>().join(" ");
        open.command = open.command.replace("--mix FILE", &words);
    }
    Ok(advice)
}

/// As if the program's contender were claimed to be as fast as any.
fn exit(answer: &Answer) -> Exit {
    // The measured work may differ from the program's: then nothing is decided about it.
    if !answer.doubts.is_empty() {
        return Exit::Undecided;
    }
    if answer.advice().any(|(_, advice)| advice.had && advice.choice.is_some()) {
        return Exit::Refuted;
    }
    let is_open = answer.advice().any(|(_, advice)| advice.open.is_some());
    if is_open || answer.unanswered() > 0 { Exit::Undecided } else { Exit::Well }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_protocol::workload::{Contract, Operation, Shape};

    #[test]
    fn a_traced_library_is_the_contender_that_calls_it_as_programs_do() {
        let all = ["c/openssl-oneshot", "c/openssl-reused", "c/libgcrypt", "jvm/jdk@temurin-25"];
        let more =
            ["go/std", "node/crypto", "node/crypto-hash", "python/cryptography", "python/hashlib"];
        let all: Vec<String> = all.iter().chain(&more).map(ToString::to_string).collect();
        let work = |operation: Operation, library: &str, language: Option<&str>| Work {
            workload: Workload {
                primitive: "any".to_string(),
                operation,
                size: 64,
                contract: Contract::usual(operation),
                shape: Shape::Throughput,
            },
            library: Some(library.to_string()),
            language: language.map(str::to_string),
            calls: 1,
            unknown: vec![],
        };
        let digest = Operation::Digest;
        let used = |library| in_use(&work(digest, library, None), &all).unwrap_or_default();
        assert_eq!(used("openssl"), "c/openssl-reused");
        assert_eq!(used("jdk"), "jvm/jdk@temurin-25");
        assert_eq!(used("go"), "go/std");
        assert_eq!(used("node"), "node/crypto");
        assert_eq!(used("cryptography"), "python/cryptography");
        assert_eq!(in_use(&work(digest, "accp", None), &all), None);
        let python = |operation| {
            in_use(&work(operation, "openssl", Some("python")), &all).unwrap_or_default()
        };
        assert_eq!(python(digest), "python/hashlib");
        assert_eq!(python(Operation::Seal), "python/cryptography");
        assert_eq!(in_use(&work(digest, "openssl", Some("ruby")), &all), None);
    }
}
