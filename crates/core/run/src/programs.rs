//! The programs that a run measures, identified by content and version. If an interrupted run were
//! continued after an update, rounds of two builds would be mixed under one name.

use cupel_contender::{Contender, State};
use cupel_plan::Plan;
use cupel_toolchain::loads;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The digest of everything that a command line of these contenders names: a file with the shared
/// libraries that it loads, a jar with its libraries, the jars of a class path.
pub fn digests(contenders: &[Contender]) -> BTreeMap<String, String> {
    let mut digests = BTreeMap::new();
    let mut files = Files::default();
    for word in contenders.iter().filter_map(words).flatten() {
        if !digests.contains_key(word)
            && let Some(digest) = files.named(word)
        {
            digests.insert(word.clone(), digest);
        }
    }
    digests
}

/// A change since the run was planned; `None` if it can continue.
pub fn changed(plan: &Plan) -> Option<String> {
    let mut files = Files::default();
    for (word, then) in &plan.programs {
        if files.named(word).as_ref() != Some(then) {
            return Some(format!("{word} has changed, or a library that it loads"));
        }
    }
    let mut asked: BTreeMap<&Vec<String>, BTreeMap<String, String>> = BTreeMap::new();
    for contender in &plan.contenders {
        let Some(command) = words(contender) else { continue };
        let confined = !contender.unconfined;
        let versions = asked.entry(command).or_insert_with(|| versions(command, confined));
        match versions.get(&contender.implementation) {
            Some(version) if *version == contender.version => {}
            Some(version) => {
                let (name, then) = (&contender.name, &contender.version);
                return Some(format!("{name} was version {then} and is {version}"));
            }
            None => return Some(format!("{} no longer exists", contender.name)),
        }
    }
    None
}

/// The version of each implementation that the runner lists now; empty if it does not start.
fn versions(command: &[String], confined: bool) -> BTreeMap<String, String> {
    let command: Vec<OsString> = command.iter().map(OsString::from).collect();
    cupel_toolchain::ask(&command, confined)
        .map(|(_, list)| list.into_iter().map(|listed| (listed.name, listed.version)).collect())
        .unwrap_or_default()
}

fn words(contender: &Contender) -> Option<&Vec<String>> {
    match &contender.state {
        State::Ready { command, .. } => Some(command),
        _ => None,
    }
}

/// The digests of files, each of which is read once.
#[derive(Default)]
struct Files(BTreeMap<PathBuf, String>);

impl Files {
    /// The digest of the file that a word of a command line names; `None` if it names none.
    fn named(&mut self, word: &str) -> Option<String> {
        let named: Vec<PathBuf> = env::split_paths(word).filter(|path| path.is_file()).collect();
        let loaded = named.iter().flat_map(|path| loaded_by(path));
        let all: Vec<String> =
            named.iter().cloned().chain(loaded).map(|path| self.digest(path)).collect();
        match &all[..] {
            [] => None,
            [alone] => Some(alone.clone()),
            several => Some(hex::encode(Sha256::digest(several.concat()))),
        }
    }

    /// The digest of a file; empty if it cannot be read.
    fn digest(&mut self, path: PathBuf) -> String {
        let digest = self.0.entry(path).or_insert_with_key(|path| {
            fs::read(path)
                .map_or_else(|_| String::new(), |bytes| hex::encode(Sha256::digest(bytes)))
        });
        digest.clone()
    }
}

/// The files that a file loads, as far as it says: the shared libraries of a program or an object,
/// and the jars in the folder in which Maven has the libraries of a jar.
fn loaded_by(path: &Path) -> Vec<PathBuf> {
    if path.extension().is_some_and(|extension| extension == "jar") {
        let entries = fs::read_dir(path.with_file_name("lib")).into_iter().flatten().flatten();
        let mut jars: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        jars.sort();
        return jars;
    }
    let mut begin = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut begin));
    if read.is_err() || begin != *b"\x7fELF" {
        return vec![];
    }
    loads(path, None).into_iter().flatten().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_word_stands_for_what_it_names_and_what_that_loads() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let named = |word: &str| Files::default().named(word);
        let write = |name: &str, text: &str| fs::write(at(name), text).unwrap();
        assert_eq!(named("-jar"), None);
        assert_eq!(named(&at("")), None, "a folder");
        write("main.py", "1");
        assert_eq!(named(&at("main.py")), Some(hex::encode(Sha256::digest("1"))));
        fs::create_dir(at("lib")).unwrap();
        for (name, other) in [("a.jar", "b.jar"), ("b.jar", "a.jar"), ("lib/c.jar", "a.jar")] {
            for all in ["a.jar", "b.jar", "lib/c.jar"] {
                write(all, "1");
            }
            let class_path = env::join_paths([at(name), at(other)]).unwrap();
            let class_path = class_path.to_string_lossy();
            let before = named(&class_path);
            write(name, "2");
            assert!(before.is_some() && named(&class_path) != before, "{name}");
        }
    }

    /// A distribution mends a library in its place.
    #[test]
    fn an_object_is_another_one_with_another_build_of_a_library_that_it_loads() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let shared = |source: &str, text: &str, object: &str, more: &[String]| {
            fs::write(at(source), text).unwrap();
            let arguments = ["-shared", "-fPIC", &at(source), "-o", &at(object)];
            let done = Command::new("cc").args(arguments).args(more).status().unwrap();
            assert!(done.success());
        };
        let here = folder.path().display();
        let library =
            |value| shared("f.c", &format!("int f(void) {{ return {value}; }}"), "libf.so", &[]);
        library(1);
        let flags = [format!("-L{here}"), "-lf".to_string(), format!("-Wl,-rpath,{here}")];
        shared("x.c", "int f(void); int x(void) { return f(); }", "x.so", &flags);
        let named = || Files::default().named(&at("x.so"));
        let before = named();
        assert!(before.is_some() && before == named());
        library(2);
        assert_ne!(before, named());
        library(1);
        assert_eq!(before, named());
    }
}
