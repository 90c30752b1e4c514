//! The README and the pages agree with the sources.

#[path = "../examples/tables/coverage.rs"]
mod coverage;
#[path = "../examples/tables/steered.rs"]
mod steered;

use clap::ValueEnum;
use cupel_base::home::Home;
use cupel_base::name::ContenderName;
use cupel_contender::Family;
use cupel_show::report::Format;
use cupel_store::LeakVerdict;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The part of a page between the marks of this name.
fn between_marks(page: &str, name: &str) -> String {
    let text = std::fs::read_to_string(root().join(page)).expect(page);
    let (_, after) = text.split_once(&format!("<!-- {name}")).expect("the table begins");
    let (_, after) = after.split_once("-->").expect("the end of the mark");
    let end = format!("<!-- end of {name} -->");
    let (found, _) = after.split_once(&end).expect("the table ends");
    found.trim().to_string()
}

fn families() -> Vec<Family> {
    let nowhere = PathBuf::from("/nonexistent");
    let home = Home { root: root(), own: vec![], cache: nowhere.clone(), store: nowhere };
    cupel_contender::families(&home).expect("families")
}

#[test]
fn the_tables_of_what_is_compared_are_fresh() {
    let families = families();
    let table = coverage::markdown(&families);
    assert!(table.contains("| SHA-256 |") && table.contains("OpenSSL"), "{table}");
    assert_eq!(
        between_marks("docs/reference/coverage.md", "coverage"),
        table.trim(),
        "docs/reference/coverage.md: put the output of `cargo run --example tables -- coverage` \
         between the marks"
    );
    let languages = coverage::by_language(&families);
    assert!(languages.contains("| Rust |") && languages.contains("ring"), "{languages}");
    assert_eq!(
        between_marks("README.md", "coverage"),
        languages.trim(),
        "README.md: put the output of `cargo run --example tables -- languages` between the marks"
    );
}

#[test]
fn every_library_can_be_steered_or_the_page_says_why_not() {
    let families = families();
    let table = steered::markdown(&families);
    assert_eq!(
        between_marks("docs/guide/paths.md", "paths"),
        table.trim(),
        "docs/guide/paths.md: put the output of `cargo run --example tables -- paths` between the \
         marks"
    );
    let column = |line: &str, number: usize| {
        line.split('|').nth(number + 1).unwrap_or_default().trim().to_string()
    };
    let steered: Vec<String> = table.lines().map(|line| column(line, 1)).collect();
    let cannot = between_marks("docs/guide/paths.md", "what cannot");
    let cannot: Vec<String> = cannot
        .lines()
        .flat_map(|line| column(line, 0).split(", ").map(str::to_string).collect::<Vec<_>>())
        .collect();
    let all = families.iter().flat_map(|family| &family.contenders);
    for library in all.map(|c| &c.library).filter(|library| *library != "cupel") {
        let places = [&steered, &cannot].map(|place| place.contains(library));
        assert_ne!(places[0], places[1], "{library}: steered, or in the table of what cannot be");
    }
}

#[test]
fn the_readme_fits_two_screens() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let lines = readme.lines().count();
    assert!(lines <= 120, "{lines} lines: move something to docs/");
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).expect(name)
}

/// A page's row of a table that begins with this.
fn row(name: &str, start: &str) -> String {
    let found = page(name).lines().find(|line| line.starts_with(start)).map(String::from);
    found.unwrap_or_else(|| panic!("{name} has no row {start}"))
}

/// The words in backticks.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(String::from).collect()
}

/// The text without its line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The files of all suites, by name.
fn suites() -> BTreeMap<String, toml::Table> {
    let mut found = BTreeMap::new();
    for folder in ["", "seeds", "pitfalls"] {
        for entry in
            std::fs::read_dir(root().join("suites").join(folder)).expect("suites").flatten()
        {
            let path = entry.path();
            if path.extension().is_some_and(|end| end == "toml") {
                let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
                let name = if folder.is_empty() { stem } else { format!("{folder}/{stem}") };
                let text = std::fs::read_to_string(&path).expect("a suite");
                found.insert(name, text.parse().expect("TOML"));
            }
        }
    }
    found
}

/// Whether our code is the first candidate for the baseline of a workload.
fn has_our_baseline(suite: &toml::Table) -> bool {
    let workloads = suite["workload"].as_array().expect("workloads");
    workloads.iter().filter_map(|workload| workload.get("baseline")).any(|baseline| {
        let first = baseline.as_array().map_or(baseline, |all| &all[0]);
        let name = ContenderName::from(first.as_str().expect("a name"));
        name.implementation().starts_with("cupel")
    })
}

#[test]
fn the_page_on_bias_names_every_suite_whose_baseline_is_ours() {
    let suites = suites();
    let ours = suites.iter().filter(|(_, suite)| has_our_baseline(suite));
    let ours: BTreeSet<String> = ours.map(|(name, _)| name.clone()).collect();
    let said = quoted(&row("docs/trust/bias.md", "| the baseline suits us |"));
    let said: BTreeSet<String> = said.into_iter().filter(|w| suites.contains_key(w)).collect();
    assert!(ours.contains("seeds/002"), "{ours:?}");
    assert_eq!(said, ours);
}

#[test]
fn what_the_evidence_on_the_clock_runs_is_what_its_page_lists() {
    let makefile = page("Makefile");
    let (_, target) = makefile.split_once("\nevidence-clock:").expect("the target");
    let (target, _) = target.split_once("\n\n").expect("its end");
    let scripts = target.split("scripts/evidence/").skip(1).map(|rest| {
        let (command, _) = rest.split_once("||").expect("each runs to its end");
        format!("scripts/evidence/{}", flat(command))
    });
    let scripts: BTreeSet<String> = scripts.collect();
    let known_truth = page("docs/trust/evidence/known-truth.md");
    let (_, table) = known_truth.split_once("## How to run it").expect("the table");
    let (table, _) = table.split_once("Run `make build`").expect("its end");
    let commands = table.lines().filter_map(|line| line.strip_prefix("| `scripts/"));
    let commands = commands.filter_map(|rest| rest.split_once('`'));
    let listed: BTreeSet<String> =
        commands.map(|(command, _)| format!("scripts/{command}")).collect();
    assert!(scripts.len() > 5, "{target}");
    assert_eq!(listed, scripts);
    let time = "six hours";
    for text in [target, table, &page("docs/internals/dev/testing.md")] {
        assert!(flat(text).contains(time), "no \"{time}\" in {text}");
    }
}

#[test]
fn the_formats_that_a_verb_knows_are_those_of_the_page() {
    let output = page("docs/reference/output.md");
    let (_, table) = output.split_once("## Output formats").expect("the table");
    let (table, _) = table.split_once("\n## ").expect("its end");
    let mut listed: BTreeMap<String, String> = BTreeMap::new();
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        let name = quoted(cells[0]).pop_first().expect("a name");
        listed.insert(name, cells[2].to_string());
    }
    let names = Format::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let names: BTreeSet<String> = names.map(|name| name.get_name().to_string()).collect();
    assert_eq!(listed.keys().cloned().collect::<BTreeSet<_>>(), names);
    for verb in ["run", "ask", "check", "show", "gate", "advise", "verify", "list"] {
        let said =
            Command::new(env!("CARGO_BIN_EXE_cupel")).args([verb, "--help"]).output().unwrap();
        let help = String::from_utf8(said.stdout).unwrap();
        let (_, rest) = help.split_once("--format FORMAT ").expect(verb);
        let rest = flat(rest.split("\n\n").next().unwrap());
        // The default stands before the list, where there is room for it.
        let (_, rest) = rest.split_once("]: ").or(rest.split_once(": ")).expect(verb);
        let list = rest.split(" --").next().unwrap();
        let known = list.split(", ").map(|word| word.trim().to_string());
        let of_page = listed
            .iter()
            .filter(|(_, verbs)| verbs.contains("all that have") || quoted(verbs).contains(verb));
        let of_page: BTreeSet<String> = of_page.map(|(name, _)| name.clone()).collect();
        assert_eq!(known.collect::<BTreeSet<_>>(), of_page, "{verb}");
    }
}

#[test]
fn the_verdicts_of_a_leak_test_have_the_same_words_on_every_page() {
    let all = [LeakVerdict::Leaks, LeakVerdict::NoneSeen, LeakVerdict::Undecided];
    let leaks = page("docs/guide/leaks.md");
    let (_, answers) = leaks.split_once("## What the answers mean").expect("the answers");
    let (answers, _) = answers.split_once("\n\nEach verdict").expect("the end of the table");
    let glossary = row("docs/reference/glossary.md", "| leak test |");
    let (tests, column) = (
        row("docs/reference/output.md", "| `leak_tests` |"),
        row("docs/reference/output.md", "| `leaks` |"),
    );
    for verdict in all {
        let word = format!("`{}`", verdict.words());
        for text in [answers, &glossary, &tests, &column] {
            assert!(text.contains(&word), "no {word} in {text}");
        }
    }
    // A test by time has more answers; the glossary says which verdicts those are.
    let rows = answers.lines().filter(|line| line.starts_with("| `"));
    for answer in rows.filter_map(|line| quoted(line.split('|').nth(1)?).pop_first()) {
        let word: String = answer.replace("0.4", "N");
        assert!(word == "missing" || glossary.contains(&format!("`{word}`")), "{word}: {glossary}");
    }
}

/// How many claims of a page have each verdict, by their words.
#[derive(Debug, Default, PartialEq)]
struct Claims {
    held: usize,
    /// Refuted, but the direction is right.
    direction: usize,
    refuted: usize,
    undecided: usize,
}

impl Claims {
    fn decided(&self) -> usize {
        self.held + self.direction + self.refuted
    }
}

/// Whether a refuted claim has the right direction at each of its sizes.
fn is_direction_right(measured: &str) -> bool {
    measured.contains("the direction is correct") && !measured.contains("direction is not as")
}

#[test]
fn the_readme_counts_the_claims_of_documents_as_their_page_does() {
    let seeds = page("docs/trust/seeds.md");
    let [mut size, mut order, mut equal] = [(); 3].map(|()| Claims::default());
    let (_, tables) = seeds.split_once("\n## ").expect("a suite below the summary");
    for line in tables.lines().filter(|line| line.starts_with("| ")) {
        let line = line.replace("\\|", "/");
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        if cells[4].trim() == "verdict" {
            continue;
        }
        let claim = cells[2];
        let kind = if claim.contains(" times as ") {
            &mut size
        } else if claim.contains(" equals ") {
            &mut equal
        } else {
            &mut order
        };
        let verdict = cells[4].trim().trim_matches('*');
        *match verdict {
            "held" => &mut kind.held,
            "refuted" if is_direction_right(cells[3]) => &mut kind.direction,
            "refuted" => &mut kind.refuted,
            "refuted, the direction is correct" => &mut kind.direction,
            _ => &mut kind.undecided,
        } += 1;
    }
    let all = [&size, &order, &equal];
    let decided: usize = all.iter().map(|claims| claims.decided()).sum();
    let claims = decided + all.iter().map(|claims| claims.undecided).sum::<usize>();
    let held: usize = all.iter().map(|claims| claims.held).sum();
    let readme = flat(&page("README.md"));
    for sentence in [
        format!("make {claims} claims"),
        format!("[decided {decided}](docs/trust/seeds.md): **{held} hold.**"),
        format!(
            "{} say how many times as fast: {} hold within a fifth, {} have only the direction right, \
             and in {} the direction",
            size.decided(),
            size.held,
            size.direction,
            size.refuted
        ),
        format!(
            "{} say only which is faster, or not slower: {} hold.",
            order.decided(),
            order.held
        ),
        format!("{} say that two are equally fast: {} hold.", equal.decided(), equal.held),
    ] {
        assert!(readme.contains(&sentence), "no \"{sentence}\"");
    }
    assert!(seeds.contains(&format!("| all | {claims} | {held} |")), "each row was counted");
}

/// The sources that print tables, answers, gates and verifications.
const PRINTING: [&str; 18] = [
    "crates/questions/advise/src/advise",
    "crates/questions/advise/src/mix",
    "crates/questions/advise/src/words",
    "crates/core/analyse/src",
    "crates/support/machine/src/lib.rs",
    "crates/questions/claims/src/facts.rs",
    "crates/questions/claims/src/machines.rs",
    "crates/questions/claims/src/words",
    "crates/core/decide/src",
    "crates/core/findings/src",
    "crates/questions/gate/src/words.rs",
    "crates/questions/history/src",
    "crates/questions/leaks/src",
    "crates/core/show/src",
    "crates/questions/site/src",
    "crates/questions/uefi/src/words.rs",
    "crates/core/verify/src/unfit.rs",
    "crates/questions/why/src",
];

/// Words in capitals with which texts begin that are names.
const NAMES: [&str; 16] = [
    "AES", "AGPL", "AMD", "CPU", "CSV", "GCM", "GODEBUG", "GPL", "JDK", "JSON", "LGPL", "MIT",
    "MPL", "PROGRAM", "SHA", "WITH",
];

/// The files in this folder and in those below it, or the one file that it is.
fn sources(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_path_buf()];
    }
    let entries = std::fs::read_dir(place).expect("a folder of sources").flatten();
    entries.flat_map(|entry| sources(&entry.path())).collect()
}

fn is_in_capitals(word: &str) -> bool {
    word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// The words in capitals with which a text begins: `LEFT OUT` of "LEFT OUT: c/mine, because ...".
fn first_in_capitals(text: &str) -> String {
    let words = text.split(' ').map(|word| word.trim_end_matches([':', ',']));
    words.take_while(|word| is_in_capitals(word)).collect::<Vec<_>>().join(" ")
}

/// The words in backticks of the first column of tables.
fn first_column(text: &str) -> BTreeSet<String> {
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.flat_map(|row| quoted(row.split('|').nth(1).unwrap_or_default())).collect()
}

#[test]
fn the_page_on_messages_has_every_word_in_capitals() {
    let mut printed: BTreeSet<String> = BTreeSet::new();
    let files = PRINTING.iter().flat_map(|place| sources(&root().join(place)));
    for file in files.filter(|file| file.extension().is_some_and(|end| end == "rs")) {
        let source = std::fs::read_to_string(&file).expect("a source");
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        let texts = code.split('"').map(first_in_capitals);
        printed.extend(texts.filter(|word| word.len() > 2 && !NAMES.contains(&word.as_str())));
    }
    assert!(printed.contains("UNTRUSTED") && printed.contains("LEFT OUT"), "{printed:?}");
    let mut listed = first_column(&page("docs/reference/messages.md"));
    listed.retain(|word| first_in_capitals(word) == *word);
    assert_eq!(listed, printed, "docs/reference/messages.md: the words in its tables");
}

/// `FewForks` as `few-forks`, as JSON has it.
fn in_json(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

#[test]
fn the_page_on_messages_has_every_reason_for_which_an_answer_is_open() {
    let source = page("crates/core/findings/src/because.rs");
    let (_, variants) = source.split_once("pub enum Because {").expect("the reasons");
    let (variants, _) = variants.split_once("\n}").expect("their end");
    let names = variants.lines().filter_map(|line| line.strip_prefix("    "));
    let names = names.filter(|line| line.starts_with(|first: char| first.is_ascii_uppercase()));
    let reasons = names.map(|line| in_json(line.trim_end_matches([' ', '{', ','])));
    let reasons: BTreeSet<String> = reasons.collect();
    assert!(reasons.contains("few-forks"), "{reasons:?}");
    let messages = page("docs/reference/messages.md");
    let (_, table) = messages.split_once("## Why is an answer open?").expect("the table");
    let (table, _) = table.split_once("\n## ").expect("its end");
    assert_eq!(first_column(table), reasons, "docs/reference/messages.md: the reasons");
}
