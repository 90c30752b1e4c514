//! Rules for the sources as a whole that no compiler checks: the reading order of ARCHITECTURE.md,
//! the length of each crate, questions that can be removed, a store that is read without runners, no
//! circles between files, and only one place that splits names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every file below a folder whose name ends so, with its path below that folder and its text.
fn sources(folder: &str, end: &str) -> Vec<(String, String)> {
    let top = root().join(folder);
    let mut open = vec![top.clone()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the checkout").flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.to_string_lossy().ends_with(end) {
                let name = path.strip_prefix(&top).unwrap().to_string_lossy().into_owned();
                found.push((name, fs::read_to_string(&path).expect("UTF-8")));
            }
        }
    }
    found.sort();
    found
}

/// The sources of the tool, with their paths below `crates/`.
fn tool() -> Vec<(String, String)> {
    let mut all = sources("crates", ".rs");
    all.retain(|(file, _)| file.contains("/src/"));
    all
}

/// Files, and a folder, that look for a `/` or an `@` in something that is not a contender's name.
const OTHERS: [(&str, &str); 10] = [
    ("questions/fleet/src/hosts.rs", "an address for ssh, such as user@host, and a folder there"),
    ("core/protocol/src/own_pages.rs", "a file in a process's map of memory"),
    ("questions/gate/src/readers/", "a unit of time, such as ns/op, or a name of another program"),
    ("questions/gate/src/dependency.rs", "a package's name and version"),
    ("support/toolchain/src/c/debian.rs", "the address of a mirror"),
    ("support/toolchain/src/c/matrix.rs", "a compiler's path"),
    ("questions/uefi/src/build.rs", "a source's path"),
    ("questions/gate/src/places.rs", "a path in a command"),
    ("questions/gate/src/words.rs", "a name of another program"),
    ("support/print/src/print/markdown.rs", "a name that a platform would mention"),
];

#[test]
fn only_the_module_of_names_takes_a_contenders_name_apart() {
    let mut stray = Vec::new();
    for (file, text) in tool() {
        if file.starts_with("core/base/src/name/") {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let joins = line.contains("join(\"/\"");
            let slash = ["('/'", "(\"/\"", "(['/'"].iter().any(|s| line.contains(s)) && !joins;
            let known = OTHERS.iter().any(|(known, _)| file.starts_with(known));
            let at = line.contains("'@'") || line.contains("\"@");
            if (at || slash) && !known {
                stray.push(format!("crates/{file}:{}: {line}", number + 1));
            }
        }
    }
    for (file, text) in sources("web/src", ".ts") {
        for (number, line) in text.lines().enumerate() {
            if line.contains("'@'") || line.contains("'/'") || line.contains("lastIndexOf") {
                stray.push(format!("web/src/{file}:{}: {line}", number + 1));
            }
        }
    }
    assert!(stray.is_empty(), "take the name apart in cupel_base::name:\n{}", stray.join("\n"));
}

/// A Git that gets the variables of a hook acts on the commit that the hook is for.
#[test]
fn only_one_module_starts_git() {
    let starts = |(file, text): &(String, String)| {
        text.contains("Command::new(\"git\")") && file != "core/base/src/git.rs"
    };
    let stray: Vec<String> = tool().into_iter().filter(starts).map(|(file, _)| file).collect();
    assert!(stray.is_empty(), "call cupel_base::git: {}", stray.join(", "));
}

/// A row of a table of ARCHITECTURE.md: a crate, with the most lines of code that it may have.
struct Listed {
    name: String,
    most: usize,
}

/// The heads of the three tables.
const CORE: &str = "| crate | lines of code, at most | what it does |";
const SUPPORT: &str = "| support | lines of code, at most | what it does |";
const QUESTIONS: &str = "| question | lines of code, at most | what it answers |";

/// The crate of the command, which stands in the table of the core and builds on all others.
const COMMAND: &str = "cupel";

/// The crates of a table.
fn listed(head: &str) -> Vec<Listed> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page");
    let (_, table) = text.split_once(head).expect("the table of crates");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let name = row.split('`').nth(1).expect("a crate's name").to_string();
        let most = row.split('|').nth(2).expect("its lines of code").trim().replace(',', "");
        Listed { name, most: most.parse().expect("a number") }
    })
    .collect()
}

/// The crates of the core, those that support it, the questions, and the command.
fn crates() -> Vec<Listed> {
    let mut all = listed(CORE);
    let command = all.iter().position(|one| one.name == COMMAND).expect("the command");
    let command = all.remove(command);
    all.extend(listed(SUPPORT));
    all.extend(listed(QUESTIONS));
    all.push(command);
    all
}

/// The folder of a crate, below the root: its name without the prefix.
fn folder(name: &str) -> String {
    let Some(short) = name.strip_prefix("cupel-") else { return format!("crates/{name}") };
    let is_in = |table| listed(table).iter().any(|one| one.name == name);
    let kind = match (is_in(SUPPORT), is_in(QUESTIONS)) {
        (true, _) => "support",
        (_, true) => "questions",
        _ => "core",
    };
    format!("crates/{kind}/{short}")
}

fn reading_order() -> Vec<String> {
    crates().into_iter().map(|one| one.name).collect()
}

/// The crates of this workspace that a crate depends on, without its tests'.
fn dependencies(name: &str) -> Vec<String> {
    let path = root().join(folder(name)).join("Cargo.toml");
    let text = fs::read_to_string(path).expect("a crate of the table");
    let text = text.split("[dev-dependencies]").next().unwrap_or_default();
    let words = text.lines().filter_map(|line| line.split(['.', ' ']).next());
    words.filter(|word| word.starts_with("cupel-")).map(String::from).collect()
}

#[test]
fn each_crate_builds_only_on_crates_that_come_before_it() {
    let order = reading_order();
    // Cargo forbids a circle through a crate that supports the core.
    let supports: Vec<String> = listed(SUPPORT).into_iter().map(|one| one.name).collect();
    let mut wrong = Vec::new();
    for (place, name) in order.iter().enumerate() {
        for below in dependencies(name).into_iter().filter(|below| !supports.contains(below)) {
            match order.iter().position(|other| *other == below) {
                Some(there) if there < place => {}
                _ => wrong.push(format!("{name} builds on {below}, which is not above it")),
            }
        }
    }
    let folders: Vec<String> = order.iter().map(|name| folder(name)).collect();
    for crates in ["core", "support", "questions"].map(|kind| format!("crates/{kind}")) {
        for found in fs::read_dir(root().join(&crates)).expect("the crates").flatten() {
            let found = format!("{crates}/{}", found.file_name().to_string_lossy());
            if !folders.contains(&found) {
                wrong.push(format!("{found} is not in the table of its kind"));
            }
        }
    }
    assert!(wrong.is_empty(), "crates and ARCHITECTURE.md differ:\n{}", wrong.join("\n"));
}

/// So each can be removed: `scripts/without`.
#[test]
fn only_the_command_knows_a_question_and_only_in_its_list() {
    let questions: Vec<String> = listed(QUESTIONS).into_iter().map(|one| one.name).collect();
    let mut wrong = Vec::new();
    for name in reading_order().into_iter().filter(|name| name != COMMAND) {
        let known = dependencies(&name).into_iter().filter(|below| questions.contains(below));
        wrong.extend(known.map(|question| format!("{name} builds on {question}")));
    }
    let names: Vec<String> = questions.iter().map(|name| name.replace('-', "_") + "::").collect();
    for (file, text) in sources("crates/cupel/src", ".rs") {
        let is_named = |line: &&str| names.iter().any(|name| line.contains(name));
        if file == "questions.rs" {
            let mut lines = text.lines().filter(is_named);
            let alone = |line: &str| line.trim_start().starts_with("cupel_") && line.ends_with(',');
            wrong.extend(lines.find(|line| !alone(line)).map(|line| format!("{file}: {line}")));
            continue;
        }
        wrong.extend(text.lines().filter(is_named).map(|line| format!("{file}: {line}")));
    }
    assert!(wrong.is_empty(), "a question cannot be removed:\n{}", wrong.join("\n"));
}

/// The crates that make an answer of what a store has, on a machine that may have no contender.
const READERS_OF_A_STORE: [&str; 6] =
    ["cupel-store", "cupel-analyse", "cupel-findings", "cupel-decide", "cupel-print", "cupel-show"];

/// The crates that start a runner, or look for one.
const RUNNERS: [&str; 5] =
    ["cupel-runner", "cupel-steps", "cupel-toolchain", "cupel-verify", "cupel-run"];

/// Everything that a crate builds on, itself or through others.
fn all_below(name: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut open = dependencies(name);
    while let Some(below) = open.pop() {
        open.extend(dependencies(&below));
        all.insert(below);
    }
    all
}

#[test]
fn from_the_store_on_no_code_knows_that_a_runner_exists() {
    let mut wrong = Vec::new();
    for name in READERS_OF_A_STORE {
        let below = all_below(name);
        let runners = RUNNERS.iter().filter(|runner| below.contains(**runner));
        wrong.extend(runners.map(|runner| format!("{name} builds on {runner}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The code of a file without comments and without its inline tests, which may import anything.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut in_tests = false;
    for line in text.lines() {
        in_tests |= line == "mod tests {";
        if !in_tests && !line.trim_start().starts_with("//") {
            code += line;
            code.push('\n');
        }
        in_tests &= line != "}";
    }
    code
}

/// A file's module path in its crate: that of `library/mod.rs` is `library`, that of `c/cc.rs` is
/// `c::cc`.
fn module(file: &str) -> String {
    file.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::")
}

/// Every path after `start` in a text, with groups in braces expanded.
fn uses(code: &str, start: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(start) {
        let before = code[..at].chars().next_back();
        if before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':') {
            write_out("", &code[at + start.len()..], &mut found);
        }
    }
    found
}

/// Expands one path or group at the beginning of a text. Returns the text after it.
fn write_out<'a>(prefix: &str, text: &'a str, found: &mut Vec<String>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut inside) = text.strip_prefix('{') {
        loop {
            inside = inside.trim_start_matches([',', ' ', '\n']);
            if let Some(rest) = inside.strip_prefix('}') {
                return rest;
            }
            let rest = write_out(prefix, inside, found);
            assert!(rest.len() < inside.len(), "a group that does not end: {inside}");
            inside = rest;
        }
    }
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':' || c == '*'))
        .unwrap_or(text.len());
    let (path, rest) = text.split_at(end);
    if rest.starts_with('{') && path.ends_with("::") {
        return write_out(&format!("{prefix}{path}"), rest, found);
    }
    found.push(format!("{prefix}{path}"));
    // `as OTHER`
    rest.find([',', '}', ';', '(', ')']).map_or("", |at| &rest[at..])
}

/// A new ceiling of the table of ARCHITECTURE.md is a multiple of this above the crate's length.
const STEP: usize = 50;

/// A ceiling follows a crate that became shorter by more than this share of it, and by 100 lines.
const SLACK: f64 = 0.05;

#[test]
fn no_crate_becomes_longer_unseen() {
    let mut wrong = Vec::new();
    for Listed { name, most } in crates() {
        let mut files = sources(&format!("{}/src", folder(&name)), ".rs");
        files.retain(|(file, _)| !file.starts_with("tests/"));
        let lines = |text: &str| code(text).lines().filter(|line| !line.trim().is_empty()).count();
        let all: usize = files.iter().map(|(_, text)| lines(text)).sum();
        let loose = most.saturating_sub(all) > STEP.max((SLACK * most as f64) as usize) + STEP;
        if all > most || loose {
            let due = (all + STEP / 2).next_multiple_of(STEP);
            wrong.push(format!("{name} has {all} lines of code: write {due} in its row"));
        }
    }
    assert!(wrong.is_empty(), "ARCHITECTURE.md:\n{}", wrong.join("\n"));
}

#[test]
fn the_page_says_how_long_the_core_is() {
    let sum: usize = listed(CORE).iter().map(|one| one.most).sum();
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page");
    let said = format!("These rows add up to {},{:03} lines.", sum / 1000, sum % 1000);
    assert!(text.contains(&said), "ARCHITECTURE.md lacks: {said}");
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    for name in reading_order() {
        let circles = circles(&format!("{}/src", folder(&name)));
        assert!(circles.is_empty(), "circles of {name}, or what leads into one: {circles:#?}");
    }
}

/// The files of a folder that import each other in a circle, or lead into one, with their imports.
fn circles(folder: &str) -> BTreeMap<String, BTreeSet<String>> {
    let sources: Vec<(String, String)> = sources(folder, ".rs")
        .into_iter()
        .map(|(file, text)| (module(&file), code(&text)))
        .collect();
    let modules: BTreeSet<String> = sources.iter().map(|(module, _)| module.clone()).collect();
    // The file of a path: its longest prefix that is a module.
    let file_of = |path: &str| {
        let ends = path.match_indices("::").map(|(at, _)| at).chain([path.len()]);
        let mut found: Vec<&str> = ends.map(|end| &path[..end]).collect();
        found.retain(|path| modules.contains(*path));
        found.pop().map(String::from)
    };
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, code) in &sources {
        let above = module.rsplit_once("::").map_or("", |(above, _)| above);
        let from_above = uses(code, "super::").into_iter().map(|path| match above {
            "" => path,
            above => format!("{above}::{path}"),
        });
        let targets: BTreeSet<String> = from_above
            .chain(uses(code, "crate::"))
            .filter_map(|path| file_of(&path))
            // A folder's mod.rs represents its folder.
            .filter(|to| to != module && !module.starts_with(&format!("{to}::")))
            .collect();
        arrows.insert(module.clone(), targets);
    }
    // Remove files that import no remaining file, until there are none. The rest are in circles or
    // lead into one.
    loop {
        let left: BTreeSet<String> = arrows.keys().cloned().collect();
        arrows.retain(|_, to| to.iter().any(|to| left.contains(to)));
        if arrows.len() == left.len() {
            break;
        }
    }
    let left: BTreeSet<String> = arrows.keys().cloned().collect();
    for to in arrows.values_mut() {
        to.retain(|to| left.contains(to));
    }
    arrows
}

#[test]
fn runners_have_no_unit_tests_that_their_manifests_would_leave_out() {
    let mut idle = Vec::new();
    for runner in ["native", "rust/asm", "rust/main", "rust/wide"] {
        let mut files = sources(&format!("runners/{runner}/src"), ".rs");
        files.retain(|(_, text)| text.contains("#[test]"));
        idle.extend(files.into_iter().map(|(file, _)| format!("runners/{runner}/src/{file}")));
    }
    assert!(idle.is_empty(), "their Cargo.toml says `test = false`:\n{}", idle.join("\n"));
}

#[test]
fn a_group_of_imports_is_written_out() {
    let code = "use crate::a::{self, B, c::{D as E, f}};\nfn g() { crate::h::i(super::j::K) }";
    assert_eq!(uses(code, "crate::"), ["a::self", "a::B", "a::c::D", "a::c::f", "h::i"]);
    assert_eq!(uses(code, "super::"), ["j::K"]);
}
