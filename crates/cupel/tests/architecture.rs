//! Rules for the sources as a whole that no compiler checks: the floor plan of ARCHITECTURE.md, no
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

/// Files, and a folder, that look for a `/` or an `@` in something that is not a contender's name.
const OTHERS: [(&str, &str); 6] = [
    ("fleet/hosts.rs", "an address for ssh, such as user@host, and a folder there"),
    ("foreign/jmh.rs", "a unit of time, such as ns/op"),
    ("toolchain/debian.rs", "the address of a mirror"),
    ("toolchain/matrix.rs", "a compiler's path"),
    ("trace/uprobes/", "a map of bpftrace"),
    ("uefi/build.rs", "a source's path"),
];

#[test]
fn only_the_module_of_names_takes_a_contenders_name_apart() {
    let mut stray = Vec::new();
    for (file, text) in sources("crates/cupel/src", ".rs") {
        if file.starts_with("name/") {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let joins = line.contains("join(\"/\"");
            let slash = ["('/'", "(\"/\"", "(['/'"].iter().any(|s| line.contains(s)) && !joins;
            let known = OTHERS.iter().any(|(known, _)| file.starts_with(known));
            let at = line.contains("'@'") || line.contains("\"@");
            if (at || slash) && !known {
                stray.push(format!("crates/cupel/src/{file}:{}: {line}", number + 1));
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
    assert!(stray.is_empty(), "take the name apart in name/mod.rs:\n{}", stray.join("\n"));
}

/// A row of the floor plan.
struct Room {
    floor: u32,
    /// `None` where it may import everything below.
    imports: Option<BTreeSet<String>>,
}

/// The table of ARCHITECTURE.md, by module.
fn plan() -> BTreeMap<String, Room> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the floor plan");
    let (_, table) = text.split_once("| floor |").expect("the table of floors");
    let names = |cell: &str| -> BTreeSet<String> {
        cell.split('`').skip(1).step_by(2).map(String::from).collect()
    };
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [floor, module, _, imports] = cells[..] else { panic!("a row of four: {row}") };
        let floor = floor.parse().expect("a floor's number");
        let imports = (imports != "any").then(|| names(imports));
        (names(module).pop_first().expect("a module's name"), Room { floor, imports })
    })
    .collect()
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

/// A file's module path: `analyse/mod.rs` is `analyse`, `analyse/pairs.rs` is `analyse::pairs`.
fn module(file: &str) -> String {
    file.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::")
}

/// The modules that a text names after `crate::`, alone or as the first names of a group.
fn named_modules(code: &str) -> BTreeSet<String> {
    uses(code, "crate::").into_iter().map(|path| first(&path).to_string()).collect()
}

fn first(path: &str) -> &str {
    path.split("::").next().unwrap_or_default()
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

/// Expands one path or group at the beginning of a text. Returns what follows it.
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

#[test]
fn the_imports_are_those_of_the_floor_plan() {
    let plan = plan();
    let mut arrows: BTreeMap<(String, String), String> = BTreeMap::new();
    for (file, text) in sources("crates/cupel/src", ".rs") {
        let from = first(&module(&file)).to_string();
        if ["lib", "main"].contains(&from.as_str()) {
            continue;
        }
        for to in named_modules(&code(&text)).into_iter().filter(|to| *to != from) {
            arrows.entry((from.clone(), to)).or_insert_with(|| file.clone());
        }
    }
    let mut wrong = Vec::new();
    for ((from, to), file) in &arrows {
        let (Some(above), Some(below)) = (plan.get(from), plan.get(to)) else {
            wrong.push(format!("{file}: {from} or {to} is in no row of the plan"));
            continue;
        };
        if above.floor <= below.floor {
            let (a, b) = (above.floor, below.floor);
            wrong
                .push(format!("{file}: {from} (floor {a}) imports {to} (floor {b}): not downward"));
        } else if above.imports.as_ref().is_some_and(|known| !known.contains(to)) {
            wrong.push(format!("{file}: {from} imports {to}, which its row does not name"));
        }
    }
    for (from, room) in &plan {
        for to in room.imports.iter().flatten() {
            if !arrows.contains_key(&(from.clone(), to.clone())) {
                wrong.push(format!("{from} no longer imports {to}: strike it from its row"));
            }
        }
    }
    assert!(wrong.is_empty(), "imports and ARCHITECTURE.md differ:\n{}", wrong.join("\n"));
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let sources: Vec<(String, String)> = sources("crates/cupel/src", ".rs")
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
        let beside = uses(code, "super::").into_iter().map(|path| match above {
            "" => path,
            above => format!("{above}::{path}"),
        });
        let targets: BTreeSet<String> = beside
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
    assert!(arrows.is_empty(), "circles, or what leads into one: {arrows:#?}");
}

#[test]
fn a_group_of_imports_is_written_out() {
    let code = "use crate::a::{self, B, c::{D as E, f}};\nfn g() { crate::h::i(super::j::K) }";
    assert_eq!(uses(code, "crate::"), ["a::self", "a::B", "a::c::D", "a::c::f", "h::i"]);
    assert_eq!(uses(code, "super::"), ["j::K"]);
}
