//! `cupel ask --paths`: whether each implementation's default is the best of its code paths.

use super::named;
use super::words::{Findings, not_forced};
use super::{Judged, Pair, judge, pairs};
use anyhow::{Result, bail};
use cupel_base::home::Home;
use cupel_base::name::ContenderName;
use cupel_base::primitives;
use cupel_base::problem::{Written, did_you_mean};
use cupel_contender::Family;
use cupel_contender::{Contender, State};
use cupel_decide::claims::{self, Answered, Claimant, Decision, Scope};
use cupel_run::seen::Seen;
use cupel_show::report::progress::Progress;
use cupel_suite::{Asked, Group, Options, Suite};
use cupel_toolchain::newest;
use cupel_verb::carry_out::{Carried, Done, carry_out, show_findings};
use cupel_verb::how::How;
use cupel_verb::meant::may_mean;
use cupel_verb::stepped::step_claimed;
use cupel_verb::words::{OneLine, Words, find_declared, find_named};
use cupel_verb::{Context, Exit};
use std::collections::BTreeSet;

/// Answers whether each implementation's default is the best of its paths.
///
/// # Errors
/// If none of them has a forced path here, or the words are wrong.
pub fn run(context: &Context, args: &OneLine) -> Result<Exit> {
    let home = context.home()?;
    let words = Words::sort(&args.words)?;
    let primitive = words.primitive()?;
    let asked = args.asking.asked(&words);
    let group = asked.suite()?.workloads[0].clone();
    let named = concerned(&home, primitive, &words.names)?;
    let measuring = &args.asking.measuring;
    let what = format!("{} of {primitive}", group.operation);
    must_be_declared(&words.names, &find_declared(context, &home, named.clone())?, &what)?;
    let all = find_named(context, &home, !measuring.dry_run, named)?;
    let mut paths = Paths::among(&all, primitive, &group);
    if words.names.is_empty() {
        paths.keep_usual(newest::jdk(&home).as_deref());
    }
    paths.keep_meant(&words.names, &all, &what)?;
    if paths.compared.is_empty() {
        bail!(
            "no implementation here has a forced path for {} of {primitive}{}",
            group.operation,
            paths.why_none()
        );
    }
    let suite = paths.question(asked, primitive).suite()?;
    let (how, overrides) = (How::from_options(measuring), measuring.overrides());
    let Carried::Out(done) = carry_out(context, &home, &how, || Ok(suite.clone()), &overrides)?
    else {
        return Ok(Exit::Well);
    };
    let answered = paths.decide(&suite, &done)?;
    let seen = step(context, &home, &how, &done, &answered);
    let judged = judge(&done.analysis, &answered, &seen);
    let findings = Findings { judged: &judged, seen: &seen, absent: &paths.absent };
    let style = args.asking.tables.style(context.style);
    show_findings(&done, args.asking.printing.format(), style, &findings.lines(), &|document| {
        findings.add_to(document);
    })?;
    Ok(done.interrupted(context).unwrap_or_else(|| exit(&judged)))
}

/// The paths of the contenders that the question is about.
struct Paths {
    /// The pairs whose forced path this CPU can take.
    compared: Vec<Pair>,
    /// The others, with the reason.
    absent: Vec<(Pair, String)>,
}

impl Paths {
    /// All that these contenders have for a workload.
    fn among(all: &[Contender], primitive: &str, group: &Group) -> Paths {
        let (compared, absent) = pairs(all, primitive, group.operation, &group.contract);
        Paths { compared, absent }
    }

    /// Leaves out every JDK but the newest, as a question does that names none.
    fn keep_usual(&mut self, newest: Option<&str>) {
        let is_usual = |pair: &Pair| {
            let default = ContenderName::from(pair.default.as_str());
            default.toolchain().is_none() || default.toolchain() == newest
        };
        self.compared.retain(is_usual);
        self.absent.retain(|(pair, _)| is_usual(pair));
    }

    /// Leaves only those that these words mean, if there are any words.
    fn keep_meant(&mut self, words: &[String], all: &[Contender], operation: &str) -> Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        let known: Vec<&Pair> =
            self.compared.iter().chain(self.absent.iter().map(|(pair, _)| pair)).collect();
        let mut meant: Vec<Pair> = Vec::new();
        for word in words {
            let found = named::meant(word, &known, |name| {
                all.iter().find(|c| c.name == *name).map_or("", |contender| &contender.library)
            });
            if found.is_empty() {
                bail!(without_path(word, all, &known, operation));
            }
            meant.extend(found.into_iter().cloned());
        }
        self.compared.retain(|pair| meant.contains(pair));
        self.absent.retain(|(pair, _)| meant.contains(pair));
        Ok(())
    }

    /// The end of the sentence that nothing can be compared.
    fn why_none(&self) -> String {
        if self.absent.is_empty() {
            return "; `forced_path_of` in the files of contenders/ declares them".to_string();
        }
        format!(": {}", self.absent.iter().map(not_forced).collect::<Vec<_>>().join("; "))
    }

    /// The question that compares each default with its paths. The first default is the baseline.
    fn question(&self, asked: Asked, primitive: &str) -> Asked {
        let margin = Options::default().tie_zone;
        let mut contenders: Vec<String> = Vec::new();
        for name in self.compared.iter().flat_map(|pair| [&pair.default, &pair.forced]) {
            if !contenders.contains(name) {
                contenders.push(name.clone());
            }
        }
        Asked {
            claims: self.compared.iter().map(|pair| pair.claim(margin)).collect(),
            baseline: contenders.first().cloned(),
            contenders,
            question: Some(format!(
                "Does each {} take its fast code path?",
                primitives::in_words(primitive)
            )),
            ..asked
        }
    }

    /// The run's verdict on each pair. A contender may report only when its runner asks for the
    /// path that this CPU lacks an instruction of the path: such a pair becomes absent.
    fn decide(&mut self, suite: &Suite, done: &Done) -> Result<Vec<Answered>> {
        let scope = Scope { run: Some(done.recorded.run.id), ..Scope::default() };
        let (decided, _) = claims::decide(&done.store, &[Claimant::from(suite)], &scope)?;
        let mut answered = Vec::new();
        for one in decided {
            let (default, forced) = (one.claim.a.to_string(), one.claim.b.to_string());
            match done.analysis.missing(&forced).or_else(|| done.analysis.missing(&default)) {
                Some(why) => self.absent.push((Pair { default, forced }, why)),
                None => answered.push(one),
            }
        }
        Ok(answered)
    }
}

/// Patterns of the families that declare a contender of this primitive, or only of those that the
/// words may mean, if any.
fn concerned(home: &Home, primitive: &str, words: &[String]) -> Result<Vec<String>> {
    let mut families = cupel_contender::families(home)?;
    families.retain(|family| {
        let mut offers = family.contenders.iter().flat_map(|contender| &contender.offers);
        offers.any(|offer| offer.primitive == primitive)
    });
    // A family has its contenders once for each toolchain.
    let words: Vec<_> = words.iter().map(|word| ContenderName::from(word.as_str())).collect();
    let meant: Vec<&Family> = families
        .iter()
        .filter(|family| words.iter().any(|word| may_mean_one_of(word.code(), family)))
        .collect();
    let wanted = if meant.is_empty() { families.iter().collect() } else { meant };
    Ok(wanted.iter().map(|family| format!("{}/*", family.prefix)).collect())
}

/// Whether a word may mean a contender of a family, or one that stands for it.
fn may_mean_one_of(word: &str, family: &Family) -> bool {
    family.contenders.iter().any(|contender| {
        let main = contender.secondary.as_ref().map(|(_, main)| main.as_str());
        let mut names = std::iter::once(contender.name.as_str()).chain(main);
        names.any(|name| may_mean(word, &family.full_name(name), &contender.library))
    })
}

/// Rejects a misspelt name before anything is built.
fn must_be_declared(words: &[String], declared: &[Contender], operation: &str) -> Result<()> {
    let forced = declared.iter().filter_map(|contender| {
        let (default, forced) = (contender.forced_path_of()?, &contender.name);
        Some(Pair { default: default.to_string(), forced: forced.to_string() })
    });
    let known: Vec<Pair> = forced.collect();
    let is_unknown = |word: &&String| {
        let is_meant = |c: &Contender| may_mean(word, &c.name, &c.library);
        let is_default =
            |pair: &Pair| may_mean(word, &ContenderName::from(pair.default.as_str()), "");
        !declared.iter().any(is_meant) && !known.iter().any(is_default)
    };
    match words.iter().find(is_unknown) {
        Some(word) => {
            bail!(without_path(word, declared, &known.iter().collect::<Vec<_>>(), operation))
        }
        None => Ok(()),
    }
}

/// Why a word means none of the pairs: its contender has no forced path, or it names none.
fn without_path(word: &str, all: &[Contender], known: &[&Pair], operation: &str) -> String {
    let defaults: BTreeSet<&str> = known.iter().map(|pair| pair.default.as_str()).collect();
    if let Some(one) = all.iter().find(|c| may_mean(word, &c.name, &c.library)) {
        let name = &one.name;
        if matches!(one.state, State::Unbuilt) {
            return format!(
                "{name} is not built yet, so its forced paths are not known: without --dry-run, it \
                 is built"
            );
        }
        let names = defaults.into_iter().collect::<Vec<_>>().join(", ");
        let others = match names.as_str() {
            "" => "nor has any other contender".to_string(),
            names => format!("these have one: {names}"),
        };
        return format!("{name} has no forced path for {operation} here; {others}");
    }
    let libraries = all.iter().filter(|c| defaults.contains(c.name.as_str()));
    let names = libraries.flat_map(|c| [c.library.as_str(), c.name.as_str(), &c.implementation]);
    let help = did_you_mean(word, names, Written::Word)
        .unwrap_or_else(|| "docs/guide/paths.md lists what has forced paths".to_string());
    format!("no contender or library is called {word}; {help}")
}

/// Steps through a call of each contender.
fn step(context: &Context, home: &Home, how: &How<'_>, done: &Done, answered: &[Answered]) -> Seen {
    let progress = Progress::new(context.quiet);
    let plan = &done.recorded.plan;
    step_claimed(plan, answered, &home.cache, how.patience, &|what| progress.say(what))
}

fn exit(judged: &[Judged<'_>]) -> Exit {
    if judged.iter().any(|one| !one.findings().is_empty()) {
        return Exit::Refuted;
    }
    let mut decisions = judged.iter().filter_map(Judged::decision);
    if decisions.all(|decision| decision == Decision::Held) { Exit::Well } else { Exit::Undecided }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_others_is_never_empty() {
        let unbuilt = Contender::new("c/mine".into(), State::Unbuilt);
        let said = without_path("mine", &[unbuilt], &[], "digest of sha256");
        assert!(said.contains("is not built yet"), "{said}");
        let command = vec!["mine".to_string()];
        let state = State::Ready { command, simulated: false, jit: false, resolution_ns: 1 };
        let ready = Contender::new("c/mine".into(), state);
        let said = without_path("mine", &[ready], &[], "digest of sha256");
        assert!(said.ends_with("here; nor has any other contender"), "{said}");
    }

    #[test]
    fn a_question_that_names_none_is_about_the_newest_jdk() {
        let pair = |default: &str| Pair {
            default: default.to_string(),
            forced: default.replace("jdk", "jdk-nosha"),
        };
        let all = ["c/jdk", "jvm/jdk@temurin-21", "jvm/jdk@temurin-25"].map(pair).to_vec();
        let absent = all.iter().map(|pair| (pair.clone(), "no CPUID faults".to_string())).collect();
        let mut paths = Paths { compared: all, absent };
        paths.keep_usual(Some("temurin-25"));
        assert_eq!(paths.compared, [pair("c/jdk"), pair("jvm/jdk@temurin-25")]);
        assert_eq!(paths.absent.len(), 2);
    }
}
