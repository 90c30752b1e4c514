//! The contenders of this machine: the families' declarations, compared with their runners' lists.

use crate::builds::shipped;
use crate::built::Built;
use crate::c::hide::Features;
use crate::c::wasm::UNBUILT;
use crate::ready::ready;
use crate::trust;
use crate::variables::variables;
use crate::wanted::Wanted;
use cupel_base::disk::write_whole;
use cupel_base::home::Home;
use cupel_base::packages;
use cupel_base::problem::Problem;
use cupel_contender::{
    Contender, Declared, Family, Kind, Secondary, SecondaryKind, State, UNLISTED, families,
    with_environment,
};
use cupel_protocol::message::{Hello, List, Listed, Refusal};
use cupel_runner::{Fault, Process, Start};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How many runners are asked at a time.
const SIDE_BY_SIDE: usize = 32;

/// How long a runner may take for each answer about its contenders. With 31 others, on two
/// processors and with nothing in memory, one has taken over 10 s.
const PATIENCE: Duration = Duration::from_secs(20);

/// After this time, the user learns which runners are waited for.
const QUIET: Duration = Duration::from_secs(2);

/// Every contender of this machine that is wanted, in the order of families. They are built first
/// if that is wanted.
///
/// # Errors
/// A mistake in a family's file. All other errors become a contender's state.
pub fn find(home: &Home, wanted: &Wanted, say: &dyn Fn(&str)) -> Result<Vec<Contender>, Problem> {
    let families = families(home)?;
    // If no family can be meant, a name is misspelt, and the nearest one may be in any family.
    let misspelt = !families.iter().any(|family| wanted.concerns(&family.prefix));
    let unbuilt = Wanted { build: false, ..wanted.clone() };
    let mut built: Vec<(Built, bool)> = Vec::new();
    for family in families.iter().filter(|f| misspelt || wanted.concerns(&f.prefix)) {
        let may_host = wanted.may_host(family, &families);
        let asks = misspelt || (may_host && wanted.asks(family, &families));
        if wanted.build
            && may_host
            && let Some(problem) = trust::problem(family)
        {
            return Err(problem);
        }
        let wanted = if may_host { wanted } else { &unbuilt };
        built.extend(ready(home, family, wanted, say).into_iter().map(|b| (b, asks)));
    }
    let asked = built.iter().filter(|(_, asks)| *asks);
    let hides = asked.flat_map(|(b, _)| &b.family.contenders).any(|c| !c.hides.is_empty());
    let features = Features::look(home, hides, wanted.build, say);
    let lists = lists(&built, &features, say);
    let mut all: Vec<Contender> = Vec::new();
    for ((built, _), list) in built.iter().zip(lists) {
        for contender in list {
            if let Some(other) = all.iter().find(|other| other.name == contender.name) {
                let what = format!(
                    "{} is also a contender of the family {}: choose another prefix",
                    contender.name, other.family
                );
                return Err(Problem::whole(&built.family.path, what));
            }
            all.push(contender);
        }
    }
    Ok(all)
}

/// The contenders of each family. Runners are asked side by side: each takes some milliseconds to
/// load its library, and one that hangs must not keep the others waiting.
fn lists(built: &[(Built, bool)], features: &Features, say: &dyn Fn(&str)) -> Vec<Vec<Contender>> {
    let mut lists: Vec<Option<Vec<Contender>>> = vec![None; built.len()];
    let (next, began) = (AtomicUsize::new(0), Instant::now());
    let (done, results) = channel();
    std::thread::scope(|scope| {
        for _ in 0..built.len().min(SIDE_BY_SIDE) {
            let (done, next) = (done.clone(), &next);
            scope.spawn(move || {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some((one, asks)) = built.get(place) else { return };
                    if done.send((place, of_family(one, *asks, features))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(done);
        let mut said = false;
        loop {
            let patience = if said { PATIENCE } else { QUIET.saturating_sub(began.elapsed()) };
            match results.recv_timeout(patience) {
                Ok((place, list)) => lists[place] = Some(list),
                Err(RecvTimeoutError::Timeout) if !said => {
                    said = true;
                    let open = lists.iter().zip(built).filter(|(list, _)| list.is_none());
                    let names: BTreeSet<&str> =
                        open.map(|(_, (one, _))| one.family.name.as_str()).collect();
                    let names = names.into_iter().collect::<Vec<_>>().join(", ");
                    say(&format!("waiting for the runner of {names}, which does not answer yet"));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    });
    lists.into_iter().map(Option::unwrap_or_default).collect()
}

fn of_family(built: &Built, asks: bool, features: &Features) -> Vec<Contender> {
    let mut found = listed_or_declared(built, asks, features);
    let built_with = is_prebuilt(built).then(shipped::built_with);
    let layouts: Vec<String> =
        built.layouts.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    for contender in &mut found {
        contender.variant = built.variant.clone();
        contender.versioned = built.family.is_versioned();
        contender.layouts = layouts.clone();
        contender.unconfined = built.is_unconfined();
        contender.built_with = built_with.clone().filter(|_| contender.is_ready());
    }
    found
}

fn is_prebuilt(built: &Built) -> bool {
    built.command.as_ref().is_ok_and(|command| shipped::is_used_by(command))
}

fn listed_or_declared(built: &Built, asks: bool, features: &Features) -> Vec<Contender> {
    let family = &built.family;
    let command = match &built.command {
        Ok(command) => command,
        Err(why) => return absent(family, &why.clone().into()),
    };
    if !asks {
        return family.contenders.iter().map(|d| declared(family, d, State::Unbuilt)).collect();
    }
    let asked = match remembered(built) {
        Some(answers) => Ok(answers),
        None => answers(command, !built.is_unconfined())
            .inspect(|(hello, list)| remember(built, &(hello, list))),
    };
    let (ready, list) =
        match asked.map(|(hello, list)| (ready_state(command, &hello), list.contenders)) {
            Ok(answers) => answers,
            Err(fault) => {
                let refusal = Refusal {
                    reason: format!("its runner {fault}"),
                    remedy: Some(format!("see its output: {}", shown(command))),
                };
                // It has not failed if nothing shows that it is at fault.
                let state = if fault.is_of_machine() { State::Missing } else { State::Failed };
                return absent(family, &state(refusal));
            }
        };
    match unusable(family, &list, is_prebuilt(built)) {
        Some(state) => absent(family, &state),
        None => compared(family, &list, (&ready, features), command),
    }
}

/// The declared contenders of a family, or a row for the family if there are none.
fn absent(family: &Family, state: &State) -> Vec<Contender> {
    if family.contenders.is_empty() {
        let unknown = Declared { name: UNLISTED.to_string(), ..Declared::default() };
        return vec![declared(family, &unknown, state.clone())];
    }
    family.contenders.iter().map(|d| declared(family, d, state.clone())).collect()
}

/// The state of all contenders if a runner lists only the reason why it hosts none: the native
/// runner lists an object that it cannot use under the name of the object's file.
fn unusable(family: &Family, list: &[Listed], prebuilt: bool) -> Option<State> {
    let [only] = list else { return None };
    let refusal = only.missing.as_ref().filter(|_| only.offers.is_empty())?;
    let object = matches!(family.kind, Kind::Native(_) | Kind::Matrix(_));
    let is_declared = family.contenders.iter().any(|c| c.name == only.name);
    // One contender of an object may have the object's name.
    if family.contenders.is_empty() || is_declared && !(object && only.name == family.name) {
        return None;
    }
    if !object {
        return Some(State::Missing(explained(family, refusal)));
    }
    // Nothing is missing that could be installed: the object itself is wrong.
    if !NO_LIBRARY.iter().any(|words| refusal.reason.contains(words)) {
        return Some(State::Failed(refusal.clone()));
    }
    if prebuilt {
        let mut words = refusal.reason.split([' ', ':']);
        let library = words.find(|word| word.contains(".so"));
        let known = family.missing.as_ref().and_then(|missing| missing.remedy.clone());
        // Elsewhere, a package may have another version of the library than the one it was built
        // with.
        let remedy = library.and_then(packages::library).or(known);
        return Some(State::Missing(Refusal {
            reason: format!("{} is not installed", library.unwrap_or("its library")),
            remedy,
        }));
    }
    // It was built against this library, so installing that again would not help.
    let remedy = "let the loader find this library: run ldconfig as root, or set LD_LIBRARY_PATH \
                  to its folder";
    let reason = refusal.reason.clone();
    Some(State::Missing(Refusal { reason, remedy: Some(remedy.to_string()) }))
}

/// The words of glibc's and musl's loaders if a library is not where they search.
const NO_LIBRARY: [&str; 2] = ["cannot open shared object file", "Error loading shared library"];

/// The contenders that a runner lists, and the others that its family declares, with the reason why
/// they are not listed.
fn compared(
    family: &Family,
    list: &[Listed],
    (ready, features): (&State, &Features),
    command: &[OsString],
) -> Vec<Contender> {
    let mut found: Vec<Contender> = Vec::new();
    // An object of a matrix may have more contenders than its family wants, and a runner hosts
    // others next to a release's.
    let declared_only = match family.kind {
        Kind::Matrix(_) => true,
        Kind::Jvm(_) => family.is_versioned(),
        _ => false,
    };
    for listed in list {
        let known = family.contenders.iter().find(|d| d.name == listed.name);
        if known.is_some() || !declared_only {
            found.push(of_list(family, known, listed, (ready, features)));
        }
    }
    for known in &family.contenders {
        if list.iter().any(|l| l.name == known.name) {
            continue;
        }
        let hosted = known.hosted_as.as_ref();
        if let Some(listed) = hosted.and_then(|name| list.iter().find(|l| l.name == *name)) {
            // Its words and offers are its own: it may lack some of the other's.
            let listed = Listed { summary: String::new(), offers: vec![], ..listed.clone() };
            found.push(of_list(family, Some(known), &listed, (ready, features)));
        } else {
            let refusal =
                Refusal::because(format!("its runner does not list it: {}", shown(command)));
            found.push(declared(family, known, State::Failed(refusal)));
        }
    }
    found
}

/// The last answers of the runner, if answers may be kept.
fn remembered(built: &Built) -> Option<(Hello, List)> {
    serde_json::from_slice(&std::fs::read(built.listing.as_ref()?).ok()?).ok()
}

/// Keeps the answers. An answer that cannot be kept is asked for again.
fn remember(built: &Built, answers: &(&Hello, &List)) {
    let Some(path) = &built.listing else { return };
    let Some(folder) = path.parent() else { return };
    let Ok(text) = serde_json::to_vec(answers) else { return };
    let _ = std::fs::create_dir_all(folder).and_then(|()| write_whole(path, text));
}

/// The list of a runner's contenders. It is asked again if nothing shows that it is the cause of
/// its end.
fn answers(command: &[OsString], confined: bool) -> Result<(Hello, List), Fault> {
    match greet(command, confined) {
        Err(fault) if fault.is_of_machine() => greet(command, confined),
        answers => answers,
    }
}

/// Asks a runner, confined or not, for its contenders, and for the command line with which they are
/// measured.
///
/// # Errors
/// If it does not start, or breaks the protocol.
pub fn ask(command: &[OsString], confined: bool) -> Result<(State, Vec<Listed>), Fault> {
    greet(command, confined).map(|(hello, list)| (ready_state(command, &hello), list.contenders))
}

fn greet(command: &[OsString], confined: bool) -> Result<(Hello, List), Fault> {
    let start = Start { confined, ..Start::plain(command.to_vec(), PATIENCE) };
    let mut process = Process::start(&start)?;
    let list = process.list()?;
    let hello = process.hello.clone();
    process.bye();
    Ok((hello, list))
}

fn ready_state(command: &[OsString], hello: &Hello) -> State {
    State::Ready {
        command: command.iter().map(|part| part.to_string_lossy().into_owned()).collect(),
        simulated: hello.clock.simulated,
        jit: hello.jit,
        resolution_ns: (hello.clock.resolution_ns.clamp(1.0, 1e9)) as u64,
    }
}

/// This state as a contender's declaration wants its process: with variables, and without features
/// of the CPU.
fn steered(ready: &State, known: &Declared, features: &Features) -> State {
    let forces = matches!(known.secondary, Some((SecondaryKind::ForcedPath, _)));
    let variables = features.has(&known.needs).and_then(|()| {
        let hidden = features.without(&known.hides)?;
        let declared = variables(&known.environment, forces, |name| std::env::var(name).ok())?;
        Ok([hidden, declared].concat())
    });
    match variables {
        Ok(variables) => with_environment(ready, &variables),
        Err(why) => why.into(),
    }
}

/// A contender that a runner lists, with the facts of its family's file (`known`).
fn of_list(
    family: &Family,
    known: Option<&Declared>,
    listed: &Listed,
    (ready, features): (&State, &Features),
) -> Contender {
    let state = match &listed.missing {
        None => known.map_or_else(|| ready.clone(), |known| steered(ready, known, features)),
        Some(refusal) if refusal.reason == UNBUILT => State::Unbuilt,
        Some(refusal) => State::Missing(explained(family, refusal)),
    };
    let mut contender = match known {
        Some(known) => declared(family, known, state),
        None => Contender::new(family.full_name(&listed.name), state),
    };
    contender.keeps_outputs = matches!(family.kind, Kind::Node(_) | Kind::Python(_));
    contender.managed = has_runtime(&family.kind);
    contender.interpreted = matches!(family.kind, Kind::Python(_));
    contender.implementation = listed.name.clone();
    contender.family = family.name.clone();
    contender.version = listed.version.clone();
    // The runner's words replace the declared ones.
    for (own, said) in [
        (&mut contender.library, &listed.library),
        (&mut contender.licence, &listed.licence),
        (&mut contender.summary, &listed.summary),
    ] {
        if !said.is_empty() {
            own.clone_from(said);
        }
    }
    if !listed.offers.is_empty() {
        contender.offers.clone_from(&listed.offers);
    }
    contender
}

/// A runner's words about something missing, with the family's remedy if it names none.
fn explained(family: &Family, refusal: &Refusal) -> Refusal {
    let known = family.missing.as_ref().and_then(|missing| missing.remedy.as_ref());
    let remedy = refusal.remedy.as_ref().or(known).cloned();
    Refusal { reason: refusal.reason.clone(), remedy }
}

fn declared(family: &Family, known: &Declared, state: State) -> Contender {
    Contender {
        family: family.name.clone(),
        library: known.library.clone(),
        licence: known.licence.clone(),
        summary: known.summary.clone(),
        offers: known.offers.clone(),
        secondary: secondary(family, known),
        managed: has_runtime(&family.kind),
        interpreted: matches!(family.kind, Kind::Python(_)),
        ..Contender::new(family.full_name(&known.name), state)
    }
}

/// Whether a runtime works next to the code of such a family, or might.
fn has_runtime(kind: &Kind) -> bool {
    !matches!(kind, Kind::Native(_) | Kind::Matrix(_) | Kind::Rust(_))
}

fn secondary(family: &Family, known: &Declared) -> Option<Secondary> {
    let (kind, of) = known.secondary.as_ref()?;
    Some(Secondary {
        kind: *kind,
        of: family.full_name(of),
        asked_for: false,
        same_code: known.hosted_as.is_some(),
    })
}

fn shown(command: &[OsString]) -> String {
    command.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_protocol::message::Offer;
    use cupel_protocol::workload::Operation;
    use std::path::Path;

    #[test]
    fn only_code_in_c_and_rust_has_no_runtime_next_to_it() {
        let contenders = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../contenders");
        for (file, expected) in [
            ("cupel", false),
            ("matrix-portable", false),
            ("rust", false),
            ("go", true),
            ("jvm", true),
            ("node", true),
            ("python", true),
        ] {
            let family = Family::load(&contenders.join(format!("{file}.toml"))).unwrap();
            assert_eq!(has_runtime(&family.kind), expected, "{file}");
        }
    }

    #[test]
    fn a_part_that_is_not_built_leaves_the_rest_of_its_family_ready() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("node.toml");
        std::fs::write(&path, "runner = \"node\"\nprefix = \"node\"\nfolder = \"x\"\n").unwrap();
        let family = Family::load(&path).unwrap();
        let listed = |name: &str, missing: Option<&str>| Listed {
            name: name.to_string(),
            library: name.to_string(),
            version: String::new(),
            licence: String::new(),
            summary: String::new(),
            offers: vec![Offer::new("sha256", Operation::Digest)],
            missing: missing.map(Refusal::because),
        };
        let ready = State::Ready { command: vec![], simulated: false, jit: true, resolution_ns: 1 };
        let list = [listed("crypto", None), listed("wasm", Some(UNBUILT)), listed("x", Some("no"))];
        let features = Features::look(
            &Home { root: folder.path().into(), own: vec![], cache: "".into(), store: "".into() },
            false,
            false,
            &|_| (),
        );
        let all = compared(&family, &list, (&ready, &features), &[]);
        let states: Vec<&State> = all.iter().map(|contender| &contender.state).collect();
        let missing = State::Missing(Refusal::because("no"));
        assert_eq!(states, [&ready, &State::Unbuilt, &missing]);
    }

    #[test]
    fn an_object_that_cannot_be_used_is_the_reason_of_all_its_contenders() {
        let folder = tempfile::tempdir().unwrap();
        let family = |name: &str, contenders: &[&str]| {
            let path = folder.path().join(format!("{name}.toml"));
            let declared = contenders.iter().map(|contender| {
                format!("[[contender]]\nname = \"{contender}\"\noffers = [\"sha256:digest\"]\n")
            });
            let head = "runner = \"native\"\nprefix = \"c\"\nsource = \"x.c\"\n".to_string();
            std::fs::write(&path, head + &declared.collect::<String>()).unwrap();
            Family::load(&path).unwrap()
        };
        let listed = |name: &str, reason: &str| Listed {
            name: name.to_string(),
            library: name.to_string(),
            version: String::new(),
            licence: String::new(),
            summary: String::new(),
            offers: vec![],
            missing: Some(Refusal::because(reason)),
        };
        let library = "cannot be loaded: libcrypto.so.3: cannot open shared object file: No such \
                       file or directory";
        let library_of_musl = "cannot be loaded: Error loading shared library libcrypto.so.3: No \
                               such file or directory (needed by objects/openssl.so)";
        let other = family("openssl", &["openssl-reused", "openssl-oneshot"]);
        let same = family("libgcrypt", &["libgcrypt", "libgcrypt-avx"]);
        for family in [&other, &same] {
            let Some(State::Missing(refusal)) =
                unusable(family, &[listed(&family.name, library)], false)
            else {
                panic!("{}: a library is missing", family.name)
            };
            assert_eq!(refusal.reason, library);
            assert!(refusal.remedy.is_some_and(|remedy| remedy.contains("ldconfig")));
            for said in [library, library_of_musl] {
                let Some(State::Missing(refusal)) =
                    unusable(family, &[listed(&family.name, said)], true)
                else {
                    panic!("{}: a library is missing", family.name)
                };
                assert_eq!(refusal.reason, "libcrypto.so.3 is not installed");
            }
            let wrong = listed(&family.name, "lacks the function cupel_call");
            assert!(
                matches!(unusable(family, &[wrong], false), Some(State::Failed(_))),
                "{}",
                family.name
            );
        }
        let avx = listed("libgcrypt-avx", "this CPU has no AVX");
        assert_eq!(
            unusable(&same, std::slice::from_ref(&avx), false),
            None,
            "only that one is missing"
        );
        assert_eq!(
            unusable(&same, &[avx, listed("libgcrypt", "no")], false),
            None,
            "each has its reason"
        );
        assert_eq!(
            unusable(&family("own", &[]), &[listed("own", library)], false),
            None,
            "its only row"
        );
    }
}
