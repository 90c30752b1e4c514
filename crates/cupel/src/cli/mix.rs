//! `cupel advise --mix`: measures the calls of a program as they come, and advises on them.

use super::ask::find_named;
use super::run::{How, Needs, carry_out};
use super::turn::Waiting;
use super::{Context, Exit, print};
use crate::advise::{self, Advice, Question, is_of_language};
use crate::begin::{Lookup, Overrides};
use crate::contender::Contender;
use crate::home::Home;
use crate::machine::Machine;
use crate::mix::{self, Answer, Mix, Rest, Work, Works};
use crate::name::ContenderName;
use crate::report;
use crate::store::{Recorded, Store};
use crate::suite::{self, MIX, Suite};
use crate::text::tell;
use crate::toolchain::newest;
use anyhow::{Result, anyhow, bail};
use cupel_protocol::workload::Workload;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How a mix is measured.
#[derive(clap::Args)]
pub struct Mixed {
    /// A file that `cupel trace` wrote, with your program's own calls. Cupel measures these calls
    /// in random order, and says how much time a change would save
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sizes", "primitive"])]
    pub mix: Option<PathBuf>,
    /// With --mix: the price of an hour of one core, in any currency
    #[arg(long, value_name = "PRICE", requires = "mix", value_parser = price)]
    per_core_hour: Option<f64>,
    /// With --mix: measure, even if this machine has already measured this mix
    #[arg(long, requires = "mix")]
    again: bool,
    /// With --mix: time for measuring, such as 30s or 5m [default: 60s]
    #[arg(long, value_name = "TIME", requires = "mix", value_parser = super::run::budget)]
    budget: Option<Duration>,
    /// With --mix: how many fresh processes of each contender (forks) [default: 24]
    #[arg(long, value_name = "N", requires = "mix", value_parser = super::run::forks)]
    forks: Option<u32>,
    /// With --mix: after this many forks, only contenders without a clear answer continue [default:
    /// 5]
    #[arg(long, value_name = "N", requires = "mix", value_parser = super::run::forks)]
    first_forks: Option<u32>,
    /// With --mix: stop once the intervals are this narrow, such as 0.5% [default: 1%]
    #[arg(long, value_name = "SHARE", requires = "mix", value_parser = suite::percent_with_unit)]
    precision: Option<f64>,
    /// With --mix: how long a runner may take to answer
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = suite::duration_with_unit)]
    patience: Duration,
    #[command(flatten)]
    waiting: Waiting,
}

/// The language for which contenders of every language take part.
const EVERY: &str = "all";

fn price(text: &str) -> Result<f64, String> {
    let price = text.parse::<f64>().ok().filter(|price| *price > 0.0 && *price < 1e12);
    price.ok_or_else(|| "a price is a number above 0, such as 0.04".to_string())
}

/// What the user says of the program.
pub struct Asked<'a> {
    /// The language, if it was given.
    pub language: Option<&'a str>,
    /// What is used now, if it was given.
    pub have: Option<&'a str>,
    /// Whether to print JSON.
    pub json: bool,
}

/// A work with what the program uses and with all that take part, that one first.
struct Comparison {
    work: Work,
    have: Option<String>,
    language: Option<String>,
    contenders: Vec<String>,
}

pub fn run(context: &Context, mixed: &Mixed, file: &Path, asked: &Asked<'_>) -> Result<Exit> {
    let mix = Mix::load(file)?;
    let Works { works, notes, whole, rest } = mix::works(&mix)?;
    let rest = Rest { notes, whole, most: rest };
    let home = context.home()?;
    let all = find_named(context, &home, true, families(&works, asked))?;
    let newest = newest::jdk(&home);
    let compared: Vec<Comparison> = works
        .into_iter()
        .map(|work| comparison(work, &all, newest.as_deref(), asked))
        .collect::<Result<_>>()?;
    let distinct = distinct(&compared);
    let suite = mix::suite(&mix, &distinct)?;
    let Some(recorded) = measured(context, &home, mixed, suite, &all)? else {
        return Ok(Exit::Interrupted);
    };
    let fingerprint = Machine::look().fingerprint();
    let advised = compared.into_iter().map(|one| {
        let advice = advice(&recorded, &one, &fingerprint, distinct.len(), file);
        (one.work, advice)
    });
    let answer = Answer::new(&mix, advised.collect(), rest);
    print(&if asked.json {
        report::mix::json(&mix, &answer, mixed.per_core_hour)?
    } else {
        report::mix::draw(&mix, &answer, mixed.per_core_hour, context.style.verbose)
    })?;
    Ok(exit(&answer))
}

/// Patterns for all that can take part, so that nothing else is built; empty for everything.
fn families(works: &[Work], asked: &Asked<'_>) -> Vec<String> {
    let mut languages = match (asked.language, asked.have) {
        (Some(EVERY), _) | (_, Some(_)) => return vec![],
        (Some(language), None) => vec![advise::family_of(language)],
        (None, None) => {
            let known = works.iter().map(|work| work.library.as_deref().map(family_of_library));
            let Some(known) = known.collect::<Option<Vec<_>>>() else { return vec![] };
            known.into_iter().map(str::to_string).collect()
        }
    };
    languages.sort();
    languages.dedup();
    languages.iter().flat_map(|one| [format!("{one}/*"), format!("{one}-*/*")]).collect()
}

/// The family of contenders that call a library which can be traced.
fn family_of_library(library: &str) -> &'static str {
    match library {
        "openssl" | "libgcrypt" => "c",
        "go" => "go",
        "node" => "node",
        "cryptography" => "python",
        _ => "jvm",
    }
}

/// Finds what takes part for a work.
fn comparison(
    work: Work,
    all: &[Contender],
    newest: Option<&str>,
    asked: &Asked<'_>,
) -> Result<Comparison> {
    let Workload { primitive, operation, contract, .. } = &work.workload;
    let primitives = std::slice::from_ref(primitive);
    let lookup = Lookup { all, primitives, operation: *operation, contract, newest };
    let usual = lookup.usual();
    let have = match asked.have {
        Some(word) => Some(lookup.resolve(word).map_err(|why| anyhow!(why))?),
        None => work.library.as_ref().and_then(|library| in_use(library, &usual)),
    };
    // A program can change its library more easily than its language.
    let language = match asked.language {
        Some(EVERY) => None,
        Some(language) => Some(language.to_string()),
        None => have
            .as_deref()
            .and_then(|have| ContenderName::from(have).family().map(ToString::to_string)),
    };
    let wanted = |name: &String| {
        Some(name) != have.as_ref()
            && is_of_language(&ContenderName::from(name.as_str()), language.as_ref())
    };
    let others: Vec<String> = usual.iter().filter(|name| wanted(name)).cloned().collect();
    if others.is_empty() {
        bail!(
            "there is no contender for {operation} of {primitive}{}; `cupel list` shows what there is",
            language.map_or(String::new(), |language| format!(" in {language}"))
        );
    }
    let contenders = have.iter().cloned().chain(others).collect();
    Ok(Comparison { work, have, language, contenders })
}

/// The contender that calls a library as programs do: with its context kept, if there is one.
fn in_use(library: &str, all: &[String]) -> Option<String> {
    let code = match library {
        "go" => "std",
        "node" => "crypto",
        library => library,
    };
    let plain = format!("{}/{code}", family_of_library(library));
    // A provider is called through Java's own interface.
    let named = [format!("{plain}-reused"), format!("{plain}-jce"), plain.clone()];
    let calls =
        |wanted: &String, name: &String| ContenderName::from(name.as_str()).code() == wanted;
    let found = named.iter().find_map(|wanted| all.iter().find(|name| calls(wanted, name)));
    found.or_else(|| all.iter().find(|name| name.starts_with(&plain))).cloned()
}

/// Each workload once, with all contenders that take part in it. Two libraries may be called alike.
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
/// one; `None` if it was interrupted.
fn measured(
    context: &Context,
    home: &Home,
    mixed: &Mixed,
    suite: Suite,
    here: &[Contender],
) -> Result<Option<Recorded>> {
    if !mixed.again {
        let store = Store::open(&home.store)?;
        let fingerprint = Machine::look().fingerprint();
        for planned in store.plans(None)? {
            let run = &planned.run;
            let is_of = run.suite == MIX && run.finished.is_some();
            // An update of a library makes another program of it.
            let is_version = |then: &Contender| {
                let now = here.iter().find(|now| now.name == then.name);
                now.is_some_and(|now| now.version == then.version)
            };
            if is_of
                && planned.fingerprint == fingerprint
                && planned.plan.contenders.iter().all(is_version)
                && store.suite_text(run.id)? == suite.text
            {
                if !context.quiet {
                    tell(&format!(
                        "cupel: run {} has measured this mix; --again measures it again",
                        run.id
                    ));
                }
                return Ok(Some(store.load_with_doubts(run.id)?));
            }
        }
    }
    let how = How {
        patience: mixed.patience,
        compilation_log: None,
        dry_run: false,
        resume: None,
        margin: None,
        needs: Needs::Nothing,
        waiting: &mixed.waiting,
    };
    let overrides = Overrides {
        budget: mixed.budget,
        precision: mixed.precision,
        forks: mixed.forks,
        first_forks: mixed.first_forks,
        build: true,
        ..Overrides::default()
    };
    let Some(done) = carry_out(context, home, &how, || Ok(suite), &overrides)? else {
        bail!("nothing was measured");
    };
    if done.interrupted(context).is_some() {
        return Ok(None);
    }
    // What a table needs is less than what advice needs.
    Ok(Some(done.store.load_with_doubts(done.recorded.run.id)?))
}

/// The advice on one work, whose intervals are joint with those of all `works`.
fn advice(
    recorded: &Recorded,
    one: &Comparison,
    fingerprint: &str,
    works: usize,
    file: &Path,
) -> Result<Advice, String> {
    let Comparison { have, language, .. } = one;
    let (have, language) = (have.clone(), language.clone());
    let question = Question { have: have.clone(), language, ..Question::default() };
    let mut advice = advise::of_run(recorded, &one.work.workload, &question, fingerprint, works)?;
    // What the others are compared with is not what the program uses.
    advice.had = have.is_some();
    if let Some(open) = &mut advice.open {
        let file = crate::text::quoted(&file.display().to_string());
        open.command = open.command.replace("--mix FILE", &format!("--mix {file}"));
    }
    Ok(advice)
}

/// As if what the program uses were claimed to be as fast as any.
fn exit(answer: &Answer) -> Exit {
    if answer.advice().any(|(_, advice)| advice.had && advice.choice.is_some()) {
        Exit::Refuted
    } else if answer.advice().any(|(_, advice)| advice.open.is_some()) || answer.unanswered() > 0 {
        Exit::Undecided
    } else {
        Exit::Well
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traced_library_is_the_contender_that_calls_it_as_programs_do() {
        let all = ["c/openssl-oneshot", "c/openssl-reused", "c/libgcrypt", "jvm/jdk@temurin-25"];
        let more = ["go/std", "node/crypto", "node/crypto-hash", "python/cryptography"];
        let all: Vec<String> = all.iter().chain(&more).map(ToString::to_string).collect();
        let used = |library| in_use(library, &all).unwrap_or_default();
        assert_eq!(used("openssl"), "c/openssl-reused");
        assert_eq!(used("jdk"), "jvm/jdk@temurin-25");
        assert_eq!(used("go"), "go/std");
        assert_eq!(used("node"), "node/crypto");
        assert_eq!(used("cryptography"), "python/cryptography");
        assert_eq!(in_use("accp", &all), None);
    }
}
