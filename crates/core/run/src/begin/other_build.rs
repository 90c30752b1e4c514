//! Another build of a runner, whose contenders are measured under names of their own: that of
//! `rust/ring` is called `rust/ring@against`.

use anyhow::{Result, anyhow, bail};
use cupel_base::name::ContenderName;
use cupel_base::primitives::EMPTY;
use cupel_base::problem::{Written, did_you_mean};
use cupel_contender::{Contender, Family, State, with_environment};
use cupel_protocol::message::{Listed, Offer, Refusal};
use cupel_toolchain::ask;
use cupel_toolchain::cc::located;
use cupel_toolchain::kept::Kept;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Another build of a runner.
pub struct Build {
    /// Its name in messages: how it was given.
    what: String,
    command: Vec<OsString>,
    /// The family that it is a build of, if that was given.
    family: Option<String>,
    ready: State,
    listed: Vec<Listed>,
}

/// The contenders of both builds.
pub struct Joined {
    /// This machine's, and their counterparts in the other build.
    pub contenders: Vec<Contender>,
    /// Contenders that one build has, as missing in both: each is a pair of names without figures.
    pub alone: Vec<Contender>,
}

impl Build {
    /// Starts the other build and asks for its contenders. `given` is a program with its arguments,
    /// separated by blanks. `FAMILY=` precedes it if the names alone do not say which of the
    /// `families` it is a build of.
    ///
    /// # Errors
    /// If the program does not exist, does not start or breaks the protocol.
    pub fn ask(given: &str, families: &[Family]) -> Result<Build> {
        let (family, line) = match given.split_once('=') {
            Some((family, line)) if families.iter().any(|f| f.name == family) => {
                (Some(family.to_string()), line)
            }
            _ => (None, given),
        };
        let command = words(line);
        let program = command.first().map(Path::new);
        if let Some(program) = program.filter(|p| p.components().count() > 1 && !p.exists()) {
            bail!("--against {given}: there is no file {}", program.display());
        }
        let of_family = families.iter().find(|f| Some(&f.name) == family.as_ref());
        let confined = of_family.is_none_or(|family| family.confined);
        Build::start(format!("--against {line}"), command, family, confined)
    }

    /// A native family on the libraries that were kept, with today's object of its contenders.
    ///
    /// # Errors
    /// If its runner does not start or breaks the protocol.
    pub fn kept(kept: &Kept, known: &Contender) -> Result<Build> {
        let ready = with_environment(&known.state, &[kept.variable()]);
        let State::Ready { command, .. } = ready else { bail!("{} is not ready", known.name) };
        let line = format!("{} as it was kept", kept.family);
        let command = command.into_iter().map(OsString::from).collect();
        Build::start(line, command, Some(kept.family.clone()), !known.unconfined)
    }

    /// Starts a command line and asks for its contenders. `what` names it in messages.
    fn start(
        what: String,
        command: Vec<OsString>,
        family: Option<String>,
        confined: bool,
    ) -> Result<Build> {
        let (ready, mut listed) =
            ask(&command, confined).map_err(|fault| anyhow!("{what}: its runner {fault}"))?;
        // Every runner has an empty operation, so it does not help to identify the family.
        listed.retain(|l| l.offers.is_empty() || l.offers.iter().any(|o| o.primitive != EMPTY));
        Ok(Build { what, command, family, ready, listed })
    }

    /// The names of its contenders.
    pub fn implementations(&self) -> Vec<String> {
        self.listed.iter().map(|listed| listed.name.clone()).collect()
    }

    /// Adds its contenders to this machine's, each under its counterpart's name followed by
    /// `@against`.
    ///
    /// # Errors
    /// If no contender of it is here too, or contenders of two families are.
    pub fn join(self, contenders: Vec<Contender>) -> Result<Joined> {
        let Build { what, command, family, ready, listed } = self;
        // By family: its contenders, if it is a build of that family.
        let mut counterparts: BTreeMap<String, Vec<Contender>> = BTreeMap::new();
        let mut elsewhere: Option<&Contender> = None;
        for other in &listed {
            let of_family =
                contenders.iter().filter(|c| family.as_ref().is_none_or(|f| c.family == *f));
            for known in of_family.filter(|c| c.implementation == other.name) {
                if is_on_another_machine(known, &command) {
                    elsewhere = Some(known);
                } else if let Some(found) = other_build(known, other, &ready) {
                    counterparts.entry(known.family.clone()).or_default().push(found);
                }
            }
        }
        if let (Some(known), true) = (elsewhere, counterparts.is_empty()) {
            bail!(
                "{what}: no contender here runs on {}; {} runs on {}",
                command[0].to_string_lossy(),
                known.name,
                launcher(known).unwrap_or_default().display()
            );
        }
        let most = counterparts.values().map(Vec::len).max().unwrap_or(0);
        let mut fitting = counterparts.into_iter().filter(|(_, found)| found.len() == most);
        match (fitting.next(), fitting.next()) {
            (None, _) => {
                // If a library cannot be loaded, the runner lists its file, with the reason.
                if let Some(refusal) = listed.iter().find_map(|l| l.missing.as_ref()) {
                    bail!("{what}: {}", refusal.reason);
                }
                let names: Vec<&str> = listed.iter().map(|l| l.name.as_str()).collect();
                let here = contenders.iter().map(|c| c.implementation.as_str());
                let help = names
                    .first()
                    .and_then(|name| did_you_mean(name, here, Written::Word))
                    .map_or(String::new(), |meant| format!("; {meant}"));
                bail!(
                    "{what} has {}, and no contender here has such a name{help}",
                    names.join(", ")
                )
            }
            (Some((one, _)), Some((other, _))) => bail!(
                "{what} may be another build of {one} or of {other}: write --against {one}=..."
            ),
            (Some((_, found)), None) => {
                let alone = alone(&contenders, &found, &listed);
                Ok(Joined { contenders: [contenders, found].concat(), alone })
            }
        }
    }
}

/// The contenders that only one build has, of the family that both are builds of, and on each
/// toolchain on which something is compared.
fn alone(here: &[Contender], found: &[Contender], listed: &[Listed]) -> Vec<Contender> {
    let Some(known) = found.first() else { return Vec::new() };
    let lists = |name: &str| listed.iter().any(|other| other.name == name);
    let of_family: Vec<&Contender> = here.iter().filter(|c| c.family == known.family).collect();
    let is_here = |name: &str| of_family.iter().any(|c| c.implementation == name);
    let offers = offers_of(&of_family);
    let of_both = of_family.iter().filter(|c| found.iter().any(|f| f.name == c.name.against()));
    let of_toolchains: BTreeMap<Option<&str>, &Contender> =
        of_both.map(|c| (c.name.toolchain(), *c)).collect();
    let others = listed.iter().filter(|other| other.missing.is_none() && !is_here(&other.name));
    // A matrix, or a release on a host, leaves out here, too, all that its file does not name.
    let takes_all =
        |like: &&&Contender| like.variant.is_none() && like.name.host_of_release().is_none();
    let likes: Vec<&Contender> = of_toolchains.values().filter(takes_all).copied().collect();
    let others = others.flat_map(|other| likes.iter().map(move |like| (other, *like)));
    let gone = others.map(|(other, like)| only_there(other, like, &offers));
    let own = of_family.iter().filter(|c| c.is_ready() && c.forced_path_of().is_none());
    let own = own.filter(|c| of_toolchains.contains_key(&c.name.toolchain()));
    let own = own.filter(|c| !lists(&c.implementation));
    let own = own.filter(|c| c.offers.iter().any(|offer| offer.primitive != EMPTY));
    let new = own.map(|c| Contender { state: missing(NEW), ..(*c).clone() });
    gone.chain(new)
        .flat_map(|one| {
            let name = one.name.against();
            let secondary = None;
            [one.clone(), Contender { name, secondary, layouts: Vec::new(), ..one }]
        })
        .collect()
}

/// A contender of the other build that this one lacks, on the toolchain of one that both have. Its
/// offers are the family's if its runner does not list them.
fn only_there(other: &Listed, like: &Contender, offers: &[Offer]) -> Contender {
    let prefix = like.name.family().unwrap_or_default();
    let name = ContenderName::new(prefix, &other.name, like.name.toolchain());
    Contender {
        implementation: other.name.clone(),
        family: like.family.clone(),
        version: other.version.clone(),
        versioned: like.versioned,
        offers: if other.offers.is_empty() { offers } else { &other.offers }.to_vec(),
        ..Contender::new(name, missing(GONE))
    }
}

/// All that some of the contenders offer.
fn offers_of(contenders: &[&Contender]) -> Vec<Offer> {
    let mut offers: Vec<Offer> = Vec::new();
    for offer in contenders.iter().flat_map(|c| &c.offers) {
        if offer.primitive != EMPTY && !offers.contains(offer) {
            offers.push(offer.clone());
        }
    }
    offers
}

/// Why a contender of one build is not compared.
const GONE: &str = "only the other build has it";
const NEW: &str = "only this build has it, not the other one";

fn missing(why: &str) -> State {
    let remedy =
        Some("--may-differ says that the builds may have different contenders".to_string());
    State::Missing(Refusal { reason: why.to_string(), remedy })
}

/// The path of an existing file is one word, even if it contains blanks.
fn words(line: &str) -> Vec<OsString> {
    if Path::new(line).is_file() {
        return vec![line.into()];
    }
    line.split_whitespace().map(OsString::from).collect()
}

/// Whether a contender's code is compiled at run time by another virtual machine than a command
/// line's: the two would differ by more than the build.
fn is_on_another_machine(known: &Contender, command: &[OsString]) -> bool {
    let one_of_several = known.is_jit() && known.name.toolchain().is_some();
    one_of_several && launcher(known) != command.first().map(file)
}

/// The program that a contender's variables are set for, if it is ready.
fn launcher(known: &Contender) -> Option<PathBuf> {
    let command = known.command()?;
    let variables = known.environment().len();
    // `env` stands before variables, if there are any.
    command.get(if variables == 0 { 0 } else { 1 + variables }).map(file)
}

/// The file of a program, wherever links to it are.
fn file(program: &OsString) -> PathBuf {
    let found = located(Path::new(program)).unwrap_or_else(|| program.into());
    found.canonicalize().unwrap_or(found)
}

/// A contender of the other build, from its counterpart in this one and from its runner's list.
/// `None` for a forced path that cannot be forced here.
fn other_build(known: &Contender, other: &Listed, ready: &State) -> Option<Contender> {
    if known.forced_path_of().is_some() && !known.is_ready() {
        return None;
    }
    Some(Contender {
        name: known.name.against(),
        version: other.version.clone(),
        offers: match &other.offers[..] {
            [] => known.offers.clone(),
            offers => offers.to_vec(),
        },
        state: match &other.missing {
            // A path that variables force is compared with the same path.
            None => with_environment(ready, known.environment()),
            Some(refusal) => State::Missing(refusal.clone()),
        },
        // The layouts were built from this build's objects, and would run instead of the other
        // build.
        layouts: Vec::new(),
        variant: None,
        versioned: false,
        // Its counterpart's row does not stand for another build.
        secondary: None,
        ..known.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_build_never_runs_objects_of_this_one() {
        let ready = |object: &str| State::Ready {
            command: vec!["runner".to_string(), object.to_string()],
            simulated: false,
            jit: false,
            resolution_ns: 1,
        };
        let known = Contender {
            family: "matrix".to_string(),
            version: "2".to_string(),
            layouts: vec!["new-0.so".to_string(), "new-1.so".to_string()],
            ..Contender::new("c/x@gcc-12-O2".into(), ready("new.so"))
        };
        let listed: Listed =
            serde_json::from_str(r#"{"name": "x", "library": "X", "version": "1"}"#).unwrap();
        let other = other_build(&known, &listed, &ready("old.so")).unwrap();
        for layout in 0..2 {
            assert_eq!(other.command_in(layout).unwrap().last().unwrap(), "old.so");
        }
    }

    #[test]
    fn of_several_jdks_only_that_of_the_other_build_is_compared() {
        let folder = tempfile::tempdir().unwrap();
        let java = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        for name in ["java-17", "java-25"] {
            std::fs::write(java(name), "").unwrap();
        }
        std::os::unix::fs::symlink(java("java-17"), java("java")).unwrap();
        let known = |words: &[&str], jit: bool| {
            let command = words.iter().map(ToString::to_string).collect();
            let state = State::Ready { command, simulated: false, jit, resolution_ns: 1 };
            Contender::new("jvm/x@temurin-17".into(), state)
        };
        let on_17 = java("java-17");
        for words in
            [&[&*on_17, "-jar", "new.jar"][..], &["env", "A=1", &*on_17, "-jar", "new.jar"]]
        {
            let elsewhere =
                |name: &str| is_on_another_machine(&known(words, true), &[java(name).into()]);
            assert!(!elsewhere("java-17") && !elsewhere("java"), "{words:?}");
            assert!(elsewhere("java-25"), "{words:?}");
            let compiled_before = known(words, false);
            assert!(!is_on_another_machine(&compiled_before, &[java("java-25").into()]));
        }
    }

    #[test]
    fn a_contender_of_one_build_has_the_toolchain_and_the_offers_of_its_family() {
        let ready =
            State::Ready { command: vec![], simulated: false, jit: false, resolution_ns: 1 };
        let offer = r#"{"primitive": "sha-256", "operation": "digest"}"#;
        let offer: Offer = serde_json::from_str(offer).unwrap();
        let known = |name: &str| Contender {
            offers: vec![offer.clone()],
            ..Contender::new(name.into(), ready.clone())
        };
        let here = ["jvm/x@temurin-25", "jvm/new@temurin-25", "jvm/new@temurin-17"].map(known);
        let found = [known("jvm/x@temurin-25@against")];
        let listed = ["x", "gone"].map(|name| {
            let text = format!(r#"{{"name": "{name}", "library": "X", "version": "1"}}"#);
            serde_json::from_str::<Listed>(&text).unwrap()
        });
        let alone = alone(&here, &found, &listed);
        let names: Vec<&str> = alone.iter().map(|one| &*one.name).collect();
        // Nothing is compared on Temurin 17.
        let expected = [
            "jvm/gone@temurin-25",
            "jvm/gone@temurin-25@against",
            "jvm/new@temurin-25",
            "jvm/new@temurin-25@against",
        ];
        assert_eq!(names, expected);
        assert!(alone.iter().all(|one| one.offers == [offer.clone()]), "{alone:?}");
    }
}
