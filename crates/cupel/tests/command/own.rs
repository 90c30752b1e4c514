//! A user's own contenders and suites: in the working directory and in the configuration folder.

use crate::support::{Home, Said, sham};
use serde_json::json;
use std::path::Path;

/// Writes a family of one contender, whose program is named relative to the folder.
fn family(folder: &Path, name: &str, prefix: &str) {
    std::fs::create_dir_all(folder.join("contenders")).unwrap();
    let script =
        json!({ "seed": 7, "contenders": [{ "name": "alpha", "primitives": ["siphash-2-4"] }] });
    std::fs::write(folder.join("script.json"), script.to_string()).unwrap();
    let text = format!(
        "runner = \"program\"\nprefix = \"{prefix}\"\n\
         command = [\"{}\", \"--script\", \"script.json\", \"--clock\", \"{}\"]\n",
        sham().display(),
        folder.join("clock").display()
    );
    std::fs::write(folder.join(format!("contenders/{name}.toml")), text).unwrap();
}

fn suite(folder: &Path, name: &str, question: &str) {
    std::fs::create_dir_all(folder.join("suites")).unwrap();
    let text = format!(
        "question = \"{question}\"\n\n[[workload]]\nprimitive = \"siphash-2-4\"\nsizes = [64]\n"
    );
    std::fs::write(folder.join(format!("suites/{name}.toml")), text).unwrap();
}

fn said(home: &Home, folder: &Path, arguments: &[&str]) -> Said {
    let mut command = home.command();
    Said::from(command.current_dir(folder).args(arguments).output().expect("cupel starts"))
}

fn home() -> Home {
    Home::with(json!([{ "name": "alpha", "primitives": ["siphash-2-4"] }]))
}

#[test]
fn they_are_found_in_both_folders_and_listed_with_their_files() {
    let (home, here, elsewhere) =
        (home(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    family(here.path(), "mine", "mine");
    suite(here.path(), "day", "What is it by day?");
    // Its script is found although another folder is the working directory.
    family(&home.path("config"), "kept", "kept");
    suite(&home.path("config"), "night", "What is it by night?");

    let verified = said(&home, here.path(), &["verify", "mine/alpha", "kept/alpha", "sham/alpha"]);
    assert_eq!(verified.status, Some(0), "{}{}", verified.out, verified.err);
    for name in ["mine/alpha", "kept/alpha", "sham/alpha"] {
        assert!(verified.out.contains(&format!("correct  {name} ")), "{}", verified.out);
    }
    let listed = said(&home, here.path(), &["list"]).out;
    for file in ["contenders/mine.toml", "contenders/kept.toml"] {
        assert!(listed.contains(file), "{file}: {listed}");
    }
    assert!(!listed.contains("contenders/sham.toml"), "not the user's: {listed}");
    let suites = said(&home, here.path(), &["list", "suites"]).out;
    for words in ["What is it by day?", "/suites/day.toml", "by night?", "/suites/night.toml"] {
        assert!(suites.contains(words), "{words}: {suites}");
    }
    let doctor = said(&home, here.path(), &["doctor", "--all"]).out;
    let folder = here.path().canonicalize().unwrap();
    assert!(
        doctor.contains(&format!("             {} (your own)\n", folder.display())),
        "{doctor}"
    );
    assert!(doctor.contains("(given by CUPEL_HOME)"), "{doctor}");

    let other = said(&home, elsewhere.path(), &["verify", "mine/alpha"]);
    assert_eq!(other.status, Some(3), "the folder is not the working directory: {}", other.out);
}

#[test]
fn a_name_that_is_taken_is_refused_with_both_files() {
    let (home, here) = (home(), tempfile::tempdir().unwrap());
    home.suite("[64]", "");
    suite(here.path(), "q", "Which is mine?");
    let refused = |arguments: &[&str], files: [&str; 2]| {
        let refused = said(&home, here.path(), arguments);
        assert_eq!(refused.status, Some(3), "{}{}", refused.out, refused.err);
        let here = here.path().canonicalize().unwrap();
        for file in [home.path("").canonicalize().unwrap().join(files[0]), here.join(files[1])] {
            assert!(refused.err.contains(&*file.to_string_lossy()), "{}", refused.err);
        }
    };
    refused(&["run", "q"], ["suites/q.toml", "suites/q.toml"]);
    // A path says which one is meant.
    let by_path = said(&home, here.path(), &["run", "suites/q.toml", "--dry-run"]);
    assert!(by_path.out.contains("Which is mine?"), "{}{}", by_path.out, by_path.err);

    family(here.path(), "sham", "mine");
    refused(&["list"], ["contenders/sham.toml", "contenders/sham.toml"]);
}

/// The variables of a family's file reach the process of that contender, and no other.
#[test]
fn an_environment_reaches_only_its_contenders_process() {
    let home = Home::empty();
    let declared = |name: &str, environment: &str| {
        format!("[[contender]]\nname = \"{name}\"\noffers = [\"siphash-2-4:mac\"]\n{environment}")
    };
    home.family(
        "sham",
        &json!({ "contenders": [
            { "name": "plain", "primitives": ["siphash-2-4"] },
            { "name": "masked", "primitives": ["siphash-2-4"] },
        ] }),
        &format!(
            "{}{}",
            declared("plain", ""),
            declared(
                "masked",
                "forced_path_of = \"plain\"\nenvironment = { CUPEL_TEST_MASK = \"aes off\" }\n"
            ),
        ),
    );
    let path = home.path("contenders/sham.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let log = home.path("environment");
    let note = format!("echo [$CUPEL_TEST_MASK] >> {}; exec ", log.display());
    std::fs::write(&path, text.replace("exec ", &note)).unwrap();
    let seen = |contender: &str| {
        let _ = std::fs::remove_file(&log);
        let said = home.cupel(&["verify", contender]);
        assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
        let text = std::fs::read_to_string(&log).unwrap();
        text.lines().map(String::from).collect::<std::collections::BTreeSet<_>>()
    };
    let only = |line: &str| std::collections::BTreeSet::from([line.to_string()]);
    assert_eq!(seen("sham/plain"), only("[]"));
    // The process that lists the runner's contenders belongs to no contender.
    let masked = seen("sham/masked");
    assert!(masked.contains("[aes off]"), "{masked:?}");
    assert!(masked.is_subset(&["[]", "[aes off]"].map(String::from).into()), "{masked:?}");
}
