//! The output: the same figures in every format, within 80 columns, and nothing that controls the
//! terminal or harms a file.

use crate::support::{Cells, Home, Said, number, value_of};
use cupel_base::packages;
use cupel_run::measure::RealProcesses;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

const FIELDS: [&str; 17] = [
    "contender",
    "primitive",
    "operation",
    "contract",
    "shape",
    "size",
    "ns_median",
    "ns_low",
    "ns_high",
    "baseline",
    "ratio",
    "ratio_low",
    "ratio_high",
    "verdict",
    "forks",
    "rounds",
    "dropped",
];

/// Escape, right-to-left override and isolate, line feed, carriage return, bell, C1, line
/// separator.
const HOSTILE: &str = "x\u{1b}[2J\u{202e}\u{2067}\nroot\r\u{7}\u{9b}31m\u{2028}\u{200f}";

fn home() -> Home {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": 100 },
        { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 300 },
        { "name": "gone", "primitives": ["siphash-2-4"], "missing": "libgone is not installed" },
        { "name": "x", "primitives": ["siphash-2-4"], "fault": { "kind": "wrong-fold" } },
    ]));
    home.suite("[64, 1024]", "baseline = \"sham/a\"");
    home
}

/// The rows of CSV, by column.
fn csv_rows(text: &str) -> Vec<HashMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.deserialize().collect::<Result<_, _>>();
    rows.expect("CSV")
}

#[test]
fn every_form_has_the_same_rows_and_figures() {
    let home = home();
    let (status, json, _) = home.run(&[]);
    assert_eq!(status, Some(1));
    assert_eq!(json, Cells::parse(&home.cupel(&["show", "--format", "json"]).out));
    let csv = csv_rows(&home.cupel(&["show", "--format", "csv"]).out);
    let table = home.cupel(&["show"]).out;
    let markdown = home.cupel(&["show", "--format", "markdown"]).out;
    assert_eq!(json.0.len(), 8);
    assert_eq!(csv.len(), 8);
    for (row, line) in json.0.iter().zip(&csv) {
        for field in FIELDS {
            assert!(row.get(field).is_some(), "JSON has no {field}: {row:#}");
            let text = line.get(field).unwrap_or_else(|| panic!("CSV has no {field}: {line:?}"));
            match &row[field] {
                Value::Null => assert_eq!(text, "", "{field}"),
                Value::String(word) => assert_eq!(text, word, "{field}"),
                value => {
                    // This JSON reader is correct except for the last digit.
                    let (a, b) = (text.parse::<f64>().unwrap(), value.as_f64().unwrap());
                    assert!((a - b).abs() <= 1e-12 * b.abs(), "{field}: {a} and {b}");
                }
            }
        }
        let contender = row["contender"].as_str().unwrap();
        let verdict = row["verdict"].as_str().unwrap();
        let ratio = row["ratio"].as_f64().map(|ratio| format!("{ratio:.3}"));
        let shown = |text: &str, columns: &str| {
            text.lines().any(|line| {
                line.contains(contender)
                    && line.contains(verdict)
                    && ratio.as_ref().is_none_or(|ratio| line.contains(ratio))
                    && line.contains(columns)
            })
        };
        assert!(shown(&table, ""), "not in the table: {row:#}\n{table}");
        assert!(shown(&markdown, "|"), "not in the Markdown: {row:#}\n{markdown}");
    }
}

#[test]
fn the_name_of_a_file_says_what_is_written() {
    let home = home();
    home.run(&[]);
    let written = |name: &str, more: &[&str]| {
        let path = home.path(name).to_string_lossy().into_owned();
        let said = home.cupel(&[&["show", "-o", &path], more].concat());
        assert_eq!((said.status, said.out), (Some(0), format!("{path}\n")), "{}", said.err);
        std::fs::read_to_string(path).unwrap()
    };
    for (name, format) in [
        ("a.html", "html"),
        ("a.csv", "csv"),
        ("a.json", "json"),
        ("a.jsonl", "jsonl"),
        ("a.md", "markdown"),
        ("a.svg", "svg"),
        ("a", "table"),
    ] {
        let shown = home.cupel(&["show", "--format", format]).out;
        assert!(written(name, &[]) == shown, "{name} is not {format}");
    }
    assert!(written("b.txt", &["--format", "csv"]).starts_with("run,suite,started,"));
    let refused = |words: &[&str], why: &str| {
        let said = home.cupel(&[&["show"], words].concat());
        assert_eq!(said.status, Some(3), "{words:?}: {}", said.out);
        assert!(said.err.contains(why), "{words:?}: {}", said.err);
    };
    refused(&["all"], "all runs are shown as rows");
    refused(&["-o", "a.parquet"], "Give --format, or end its name in .csv, ");
    refused(&["--slices"], "--slices needs rows");
    refused(&["--claims", "q"], "--claims is for a page");
    refused(&["--open", "--format", "csv"], "leave out --format");
}

#[test]
fn show_prints_what_run_printed() {
    for format in ["table", "json", "jsonl", "csv", "markdown"] {
        let home = home();
        let run = home.cupel(&["run", "q", "--format", format]);
        assert_eq!(run.status, Some(1), "{}", run.err);
        let show = home.cupel(&["show", "--format", format]);
        assert_eq!(show.status, Some(0));
        assert_eq!(show.out, run.out, "{format}");
        assert_eq!(home.cupel(&["show", "1", "--format", format]).out, run.out);
        assert!(home.cupel(&["list", "runs"]).out.contains("finished"));
    }
}

#[test]
fn every_verb_takes_the_same_words_for_a_run() {
    let home = home();
    home.cupel(&["run", "q"]);
    home.cupel(&["run", "q"]);
    let of = |words: &[&str]| {
        let said = home.cupel(words);
        assert_eq!(said.status, Some(0), "{words:?}: {}", said.err);
        said.out
    };
    let shown = |run: &str| of(&["show", run, "--format", "csv"]);
    assert_eq!((shown("last"), shown("previous")), (shown("2"), shown("1")));
    assert_ne!(shown("last"), shown("previous"));
    let exported = |run: &str| of(&["show", run, "--format", "csv"]);
    assert_eq!((exported("q"), exported("previous")), (exported("2"), exported("1")));
    assert_ne!(exported("last"), exported("previous"));
    let page = home.path("page.html");
    let page = page.to_string_lossy();
    assert!(of(&["show", "previous", "--format", "html"]).contains("<!doctype html>"));
    let said = home.cupel(&["show", "lats", "-o", &page]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("did you mean last?"), "{}", said.err);
}

#[test]
fn a_misspelt_filter_of_a_list_gets_the_nearest_name() {
    let home = home();
    for verb in ["list", "verify"] {
        let words: &[&str] =
            if verb == "list" { &["list", "sham/aa"] } else { &["verify", "sham/aa"] };
        let said = home.cupel(words);
        assert_eq!(said.status, Some(3), "{}", said.out);
        let told = "no contender is called sham/aa; did you mean sham/a?";
        assert!(said.err.contains(told), "{}", said.err);
    }
}

#[test]
fn a_list_of_a_primitive_has_who_offers_it() {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4", "sha256"] },
        { "name": "b", "primitives": ["sha256"] },
    ]));
    let listed = |words: &[&str]| home.cupel(&[&["list"], words].concat()).out;
    let out = listed(&["siphash-2-4"]);
    assert!(
        out.contains("sham/a ") && !out.contains("sham/b ") && !out.contains("sha256"),
        "{out}"
    );
    let out = listed(&["SHA-256", "sham/b"]);
    assert!(out.contains("sham/b ") && !out.contains("sham/a ") && out.contains("sha256"), "{out}");
}

#[test]
fn a_number_out_of_range_is_told_what_it_is_for() {
    let home = home();
    for (words, told) in [
        (
            &["ask", "siphash-2-4", "--seed", "9007199254740992"][..],
            "a seed is a whole number from 0 to 90071",
        ),
        (&["verify", "--seed", "x"], "a seed is a whole number"),
        (&["run", "q", "--forks", "1"], "a fork is a set of fresh processes"),
        (&["run", "q", "--size", "4KB"], "\"4KB\" is ambiguous: 4K is 4096 bytes, 4kB is 4000"),
    ] {
        let said = home.cupel(words);
        assert_eq!(said.status, Some(3), "{words:?}: {}", said.out);
        assert!(said.err.contains(told), "{words:?}: {}", said.err);
    }
}

#[test]
fn markdown_has_the_remarks_that_the_table_has() {
    let home = home();
    home.cupel(&["run", "q", "--forks", "11"]);
    let words =
        |text: String| text.replace('\\', "").split_whitespace().collect::<Vec<_>>().join(" ");
    let table = words(home.cupel(&["show"]).out);
    let markdown = words(home.cupel(&["show", "--format", "markdown"]).out);
    let (_, control) = table.split_once(" control ").expect("a control");
    let (control, _) = control.split_once(" disturbed").unwrap();
    assert!(markdown.contains(&format!("- control {control} disturbed")), "{markdown}");
    let lead = ["tied for fastest: ", "fastest: "].iter().find(|lead| table.contains(*lead));
    let lead = lead.expect("a line says who leads");
    assert!(markdown.contains(&format!("- {lead}sham/")), "{markdown}");
}

#[test]
fn a_missing_run_is_reported_with_a_remedy() {
    let home = home();
    let said = home.cupel(&["show"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("there are no runs yet; start one with `cupel run`"), "{}", said.err);
    assert!(!home.store().exists(), "looking makes no store");
    home.cupel(&["run", "q"]);
    let said = home.cupel(&["show", "99"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("there is no run 99; finished are 1 ("), "{}", said.err);
}

fn fits(said: &Said) {
    for line in said.out.lines() {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
    }
}

#[test]
fn the_table_fits_80_columns_whatever_stands_in_it() {
    let long = |letter: &str| letter.repeat(60);
    let home = Home::with(json!([
        { "name": long("a"), "primitives": ["siphash-2-4"], "fixed_ns": 2.5, "per_byte_ns": 0.002 },
        { "name": long("b"), "primitives": ["siphash-2-4"], "fixed_ns": 123_456, "per_byte_ns": 777 },
        { "name": long("c"), "primitives": ["siphash-2-4"], "fixed_ns": 2.6, "per_byte_ns": 0.002 },
        { "name": long("d"), "primitives": ["siphash-2-4"], "missing": "w".repeat(200) },
        { "name": long("e"), "primitives": ["siphash-2-4"], "fault": { "kind": "wrong-output" } },
    ]));
    home.write(
        "suites/q.toml",
        format!(
            "question = \"{}?\"\nforks = 2\nbudget = \"100ms\"\n[[workload]]\n\
             primitive = \"siphash-2-4\"\nsizes = [64, 100000]\nbaseline = \"sham/{}\"\n\
             contract = {{ key = \"per-call\", chunk = 16, inputs = \"cold\", align = \"line\", output = \"fresh\" }}\n",
            "Which of them is it ".repeat(9),
            long("a")
        ),
    );
    let said = home.cupel(&["run", "q", "--verbose"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    assert!(said.out.contains("slower"), "{}", said.out);
    fits(&said);
    fits(&home.cupel(&["show"]));
    let coloured = home.cupel(&["show", "--color", "always"]);
    assert!(coloured.out.contains("\u{1b}["));
}

#[test]
fn nothing_that_comes_from_outside_steers_the_terminal() {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"] },
        { "name": format!("b{HOSTILE}"), "primitives": ["siphash-2-4"], "fixed_ns": 300 },
        { "name": format!("c{HOSTILE}"), "primitives": ["siphash-2-4"], "missing": HOSTILE },
        { "name": format!("d{HOSTILE}"), "primitives": ["siphash-2-4"],
          "fault": { "kind": "wrong-output" } },
    ]));
    // A runner with a hostile log, which exits.
    let toml = |text: &str| Value::from(text).to_string();
    home.write(
        "contenders/log.toml",
        format!(
            "runner = \"program\"\nprefix = \"log\"\ncommand = [\"/bin/sh\", \"-c\", {}]\n\
             [missing]\nreason = {}\n[[contender]]\nname = {}\nlibrary = {}\noffers = [\"siphash-2-4:mac\"]\n",
            toml(&format!("printf '%s' '{HOSTILE}' >&2; exit 3")),
            toml(HOSTILE),
            toml(&format!("e{HOSTILE}")),
            toml(HOSTILE),
        ),
    );
    home.suite("[64]", "baseline = \"sham/a\"");
    let text = std::fs::read_to_string(home.path("suites/q.toml")).unwrap();
    home.write("suites/q.toml", text.replace("\"Which is the fastest?\"", &toml(HOSTILE)));
    let steers = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    for arguments in [
        &["run", "q", "--verbose"][..],
        &["show", "--format", "markdown"],
        &["show", "--verbose"],
        &["list", "runs"],
        &["list"],
        &["doctor"],
        &["verify"],
        &["run", "q", "--dry-run"],
        &["run", "q", "--contender", "sham/bb"],
        &["run", HOSTILE],
    ] {
        let said = home.cupel(arguments);
        for text in [&said.out, &said.err] {
            assert!(!text.contains(steers), "{arguments:?} prints {text:?}");
            // A line feed within a name would start a new line.
            assert!(!text.lines().any(|line| line.starts_with("root")), "{arguments:?}: {text}");
        }
    }
    let (_, cells, _) = home.run(&[]);
    let names: Vec<&str> = cells.0.iter().filter_map(|row| row["contender"].as_str()).collect();
    assert!(names.contains(&&*format!("sham/b{HOSTILE}")), "JSON changes names: {names:?}");
    let csv = csv_rows(&home.cupel(&["show", "--format", "csv"]).out);
    let names: Vec<&str> = csv.iter().map(|row| &*row["contender"]).collect();
    assert!(names.iter().any(|name| name.starts_with("sham/bx") && !name.contains(steers)));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let home = home();
    assert_eq!(home.cupel(&["run", "q"]).status, Some(1));
    for arguments in
        [&["show"][..], &["show", "--format", "json"], &["list"], &["doctor"], &["run", "q"]]
    {
        let mut command = home.command();
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        let status = child.wait().unwrap().code();
        assert!(!err.contains("panicked"), "{arguments:?}: {err}");
        assert_eq!(status, Some(i32::from(arguments == ["run", "q"])), "{arguments:?}: {err}");
    }
}

#[test]
fn a_reader_of_the_log_that_has_seen_enough_is_no_error() {
    let home = home();
    for (arguments, status) in [
        (&["run", "q"][..], 1),
        (&["run", "nothing"], 3),
        (&["verify"], 0),
        (&["doctor", "--build"], 0),
    ] {
        let mut command = home.command();
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(status), "{arguments:?}");
    }
    assert_eq!(home.count("select count(*) from run where finished is not null"), 1);
}

/// Asserts that a store is rejected with these words and left unchanged.
fn refused(home: &Home, words: &[&str]) {
    let before = std::fs::read(home.store()).unwrap();
    for arguments in [&["show"][..], &["list", "runs"], &["run", "q"], &["run", "q", "--resume"]] {
        let said = home.cupel(arguments);
        assert_eq!(said.status, Some(3), "{}", said.err);
        for word in words {
            assert!(said.err.contains(word), "no \"{word}\" in {}", said.err);
        }
        assert!(said.err.contains("runs.sqlite"), "{}", said.err);
        assert!(std::fs::read(home.store()).unwrap() == before, "{arguments:?} changed the file");
    }
}

#[test]
fn a_store_of_another_schema_is_refused_and_left_as_it_is() {
    let words =
        ["has schema 99", "reads schema 1 only", "use the cupel that made it", "another file"];
    let home = home();
    assert_eq!(home.cupel(&["run", "q"]).status, Some(1));
    home.database().execute_batch("pragma user_version = 99").unwrap();
    refused(&home, &words);
    // From another Cupel that keeps no write-ahead log.
    home.database().execute_batch("pragma journal_mode = delete").unwrap();
    refused(&home, &words);
}

#[test]
fn a_file_that_is_not_a_store_is_refused_and_left_as_it_is() {
    let home = home();
    home.write("runs.sqlite", "These are my notes of the year.\n".repeat(100));
    refused(&home, &["is not a store of cupel, or it is damaged", "--store"]);
}

/// As after a copy that was cut short.
#[test]
fn a_truncated_store_is_refused_with_what_to_do() {
    let home = home();
    assert_eq!(home.cupel(&["run", "q"]).status, Some(1));
    home.database().execute_batch("pragma journal_mode = delete").unwrap();
    let whole = std::fs::read(home.store()).unwrap();
    home.write("runs.sqlite", &whole[..whole.len() / 2]);
    refused(&home, &["is damaged: database disk image is malformed", "move it away"]);
}

/// Today's rules may not hold for it.
#[test]
fn a_run_of_a_later_method_is_not_shown_and_an_earlier_one_is_named() {
    let home = home();
    assert_eq!(home.cupel(&["run", "q"]).status, Some(1));
    let with = |method: &str| {
        let sql = "update run set plan = json_set(plan, '$.method', json(?))";
        home.database().execute(sql, [method]).unwrap();
        home.cupel(&["show"])
    };
    let later = with("99");
    assert_eq!(later.status, Some(3), "{}", later.out);
    assert!(later.err.contains("was measured by method 99"), "{}", later.err);
    let earlier = with("9");
    assert!(earlier.out.contains("; method 9, today's is "), "{}", earlier.out);
}

#[test]
fn the_database_of_another_program_is_refused_and_left_as_it_is() {
    let home = home();
    home.database()
        .execute_batch("create table notes (text); insert into notes values (1)")
        .unwrap();
    refused(&home, &["not a store of cupel", "--store"]);
}

#[test]
fn a_family_that_describes_nothing_is_not_left_out_silently() {
    let home = home();
    let text = "runner = \"program\"\nprefix = \"mute\"\ncommand = [\"/bin/false\"]\n";
    home.write("contenders/mute.toml", text);
    let said = home.cupel(&["run", "q"]);
    assert_eq!(said.status, Some(1), "for sham/x, not for it: {}", said.err);
    assert!(said.err.contains("mute/? is left out: its runner ended"), "{}", said.err);
    assert!(home.cupel(&["list", "mute"]).out.contains("mute/?"));
}

#[test]
fn one_name_is_one_contender() {
    let home = home();
    home.family("twice", &json!({ "contenders": [{ "name": "a" }] }), "");
    let path = home.path("contenders/twice.toml");
    let text = std::fs::read_to_string(&path).unwrap().replace("\"twice\"", "\"sham\"");
    std::fs::write(path, text).unwrap();
    let said = home.cupel(&["run", "q"]);
    assert_eq!(said.status, Some(3), "{}", said.err);
    assert!(said.err.contains("twice.toml:1: sham/a is also a contender"), "{}", said.err);
}

#[test]
fn simulated_and_real_contenders_are_never_in_one_run() {
    let home = home();
    home.overhear("sham");
    let real = format!(
        "while read -r line; do echo \"$line\" >> {}; case $line in\n{}\n{}\n*) exit 1;; esac; done",
        home.path("real").display(),
        r#"*hello*) echo '{"id":1,"status":"ok","protocol":1,"runner":"r","version":"1","clock":{"name":"c","resolution_ns":1,"simulated":false},"jit":false}';;"#,
        r#"*list*) echo '{"id":2,"status":"ok","contenders":[{"name":"r","library":"l","version":"1","licence":"MIT","summary":"","offers":[{"primitive":"siphash-2-4","operation":"mac"}]}]}';;"#,
    );
    home.write(
        "contenders/real.toml",
        format!(
            "runner = \"program\"\nprefix = \"real\"\ncommand = [\"/bin/sh\", \"-c\", {}]\n",
            Value::from(real)
        ),
    );
    let listed = home.cupel(&["list", "real"]);
    assert!(listed.out.contains("real/r"), "{}", listed.out);
    assert!(!listed.out.contains("failed: see"), "{}", listed.out);
    let said = home.cupel(&["run", "q"]);
    assert_eq!(said.status, Some(3), "{}", said.out);
    assert!(
        said.err.contains("simulated and real contenders cannot be in one run"),
        "{}",
        said.err
    );
    assert_eq!(home.count("select count(*) from run"), 0);
    let asked = std::fs::read_to_string(home.path("real")).unwrap() + &home.asked().join("\n");
    assert!(!asked.contains("compute") && !asked.contains("prepare"), "{asked}");
    // Each kind alone is fine.
    assert_eq!(home.cupel(&["run", "q", "--dry-run", "--contender", "sham/*"]).status, Some(0));
}

#[test]
fn list_and_doctor_name_what_is_missing_with_its_remedy() {
    let home = home();
    let script = json!({ "contenders": [
        { "name": "lost", "primitives": ["siphash-2-4"], "missing": "liblost is not installed" },
    ] });
    home.family(
        "away",
        &script,
        "[missing]\nreason = \"no\"\nremedy = \"apt-get install liblost\"\n",
    );
    home.write(
        "contenders/none.toml",
        "runner = \"program\"\nprefix = \"none\"\ncommand = [\"/no/such/program\"]\n\
         [[contender]]\nname = \"n\"\nlibrary = \"libn\"\noffers = [\"siphash-2-4:mac\"]\n",
    );
    let list = home.cupel(&["list", "--all"]);
    assert_eq!(list.status, Some(0));
    for name in ["sham/a", "sham/gone", "away/lost", "none/n"] {
        assert!(list.out.contains(name), "no {name} in {}", list.out);
    }
    let line = |name: &str| list.out.lines().find(|line| line.contains(name)).unwrap();
    assert!(line("away/lost").contains("missing: see cupel doctor"), "{}", list.out);
    assert!(line("none/n").contains("failed: see cupel doctor"), "{}", list.out);
    let doctor = home.cupel(&["doctor"]);
    assert_eq!(doctor.status, Some(0));
    for words in [
        "away/lost",
        "liblost is not installed",
        "sham/gone",
        "libgone is not installed",
        "none/n",
        "/no/such/program",
        "remedy: see its output",
    ] {
        assert!(doctor.out.contains(words), "no \"{words}\" in {}", doctor.out);
    }
    assert!(!doctor.out.contains("sham/a,"), "what is here needs no remedy: {}", doctor.out);
    let remedy = packages::remedy("apt-get install liblost");
    let words = doctor.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("remedy: {remedy}")), "no {remedy} in {words}");
}

#[test]
#[cfg(target_os = "linux")]
fn doctor_says_what_another_distribution_installs() {
    let home = Home::empty();
    home.write("os-release", "NAME=\"Alpine Linux\"\nID=alpine\n");
    for (name, package) in [("known", "libsodium-dev"), ("unknown", "libunknown-dev")] {
        let why = format!("no {name}");
        let lost = json!({ "name": name, "primitives": ["siphash-2-4"], "missing": why });
        let missing = format!("reason = \"no\"\nremedy = \"apt-get install {package}\"");
        home.family(name, &json!({ "contenders": [lost] }), &format!("[missing]\n{missing}\n"));
    }
    let doctor = |variables: &[(&str, &str)]| {
        let mut doctor = home.command_over("os-release", "/etc/os-release")?;
        let output = doctor.arg("doctor").envs(variables.iter().copied()).output().unwrap();
        Some(Said::from(output).out.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let Some(said) = doctor(&[]) else { return };
    assert!(said.contains("remedy: apk add libsodium-dev"), "{said}");
    assert!(said.contains("manager what Debian calls libunknown-dev"), "{said}");
    let said = doctor(&[("CC", "/no/such/cc")]).unwrap();
    assert!(said.contains("apk add gcc musl-dev, or set CC"), "{said}");
}

#[test]
fn a_question_leaves_out_what_its_budget_cannot_warm_up() {
    let home = Home::empty();
    for (family, for_ms) in [("aot", 0), ("jit", 1)] {
        let contender = |name| {
            json!({
                "name": name, "primitives": ["siphash-2-4"], "fixed_ns": 20_000, "per_byte_ns": 0,
                "warm_up": { "slow_factor": 2, "for_ms": for_ms },
            })
        };
        let both = json!([contender("a"), contender("b")]);
        home.family(family, &json!({ "world": { "real": true }, "contenders": both }), "");
    }
    let ask = ["ask", "siphash-2-4", "64", "--dry-run", "--budget"];
    let said = home.cupel(&[&ask[..], &["4s"]].concat());
    assert_eq!(said.status, Some(0), "{}", said.err);
    for words in ["compiled at run time are left out", " contenders with a JIT", "--budget "] {
        assert!(said.err.contains(words), "{}", said.err);
    }
    assert!(said.out.contains("aot/b") && !said.out.contains("jit/a"), "{}", said.out);
    let whole = home.cupel(&[&ask[..], &["1h"]].concat());
    assert!(whole.out.contains("jit/a") && !whole.err.contains("left out"), "{}", whole.err);
    // Whoever names them wants them.
    let named = home.cupel(&[&ask[..], &["4s", "aot", "jit"]].concat());
    assert_eq!(named.status, Some(0), "{}", named.err);
    assert!(named.out.contains("jit/a") && !named.err.contains("left out"), "{}", named.err);
    // The run that follows has them in its store. Its own times do not matter.
    let short = ["ask", "siphash-2-4", "64", "--forks", "2", "--budget", "9s", "--quiet"];
    home.cupel(&short);
    let shown = home.cupel(&["show", "--format", "json"]);
    let document: Value = serde_json::from_str(&shown.out).expect(&shown.err);
    assert_eq!(document["circumstances"]["left_out"], json!(["jit/a", "jit/b"]), "{document:#}");
}

#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn a_suite_s_budget_that_is_too_short_gets_a_warning_and_one_of_the_user_ends_the_run() {
    let home = Home::empty();
    let contender = |name| {
        json!({
            "name": name, "primitives": ["siphash-2-4"], "fixed_ns": 20_000, "per_byte_ns": 0,
            "warm_up": { "slow_factor": 2, "for_ms": 1 },
        })
    };
    let both = json!([contender("a"), contender("b")]);
    for (family, real) in [("sham", true), ("stage", false)] {
        home.family(family, &json!({ "world": { "real": real }, "contenders": both }), "");
    }
    home.suite("[64]", "contenders = [\"sham/*\"]\nbaseline = \"sham/a\"");
    // Three processes, whose contenders look as if they had a JIT.
    let lanes = RealProcesses::lanes_here(false, 1) as f64;
    let forecast = 3.0 * f64::max(1.4, 4.2 / lanes);
    let (short, hopeless) = (format!("{}s", 0.7 * forecast), "300ms");
    let dry = home.cupel(&["run", "q", "--dry-run", "--budget", &short]);
    assert_eq!(dry.status, Some(0), "{}", dry.err);
    assert!(dry.out.contains("measuring takes at least about "), "{}", dry.out);
    let unwrapped = dry.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(unwrapped.contains(" with a JIT take about "), "{}", dry.out);
    let suite = home.path("suites/q.toml");
    let text = std::fs::read_to_string(&suite).unwrap();
    std::fs::write(&suite, text.replace("budget = \"1s\"", &format!("budget = \"{short}\"")))
        .unwrap();
    let said = home.cupel(&["run", "q"]);
    let warning = "this takes at least about ";
    assert_eq!(said.status, Some(0), "{}", said.err);
    let (told, measured) = (said.err.find(warning), said.err.find("fork 1 of 3"));
    assert!(told.is_some() && told < measured, "{}", said.err);
    assert!(said.err.contains("fewer contenders"), "{}", said.err);
    // A remembered result needs no time, and no fork has enough of it.
    let said = home.cupel(&["run", "q", "--budget", hopeless]);
    assert_eq!(said.status, Some(3), "{} {}", said.out, said.err);
    assert!(said.err.contains("error: nothing was measured: "), "{}", said.err);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, why) = words.split_once("no answer: not measured ").expect(&said.out);
    let (why, _) = why.split_once(" question: ").expect(&said.out);
    assert!(why.contains("no time was left for its first round"), "{}", said.out);
    assert!(
        said.out.contains("TIME: a limit of 0.3 s ended the run in the first of 3 forks"),
        "{}",
        said.out
    );
    let least = home.cupel(&["run", "q", "--budget", "least", "--quiet"]);
    assert_eq!(least.status, Some(0), "{}", least.err);
    assert!(!least.err.contains(warning), "{}", least.err);
    assert!(least.out.trim_end().ends_with(" --budget least"), "{}", least.out);
    let enough = home.cupel(&["run", "q", "--dry-run", "--budget", "1h"]);
    assert!(enough.out.contains("measuring takes at least about "), "{}", enough.out);
    // On a simulated clock the user does not wait.
    home.suite("[64]", "contenders = [\"stage/*\"]\nbaseline = \"stage/a\"");
    let simulated = home.cupel(&["run", "q", "--budget", hopeless]);
    assert_eq!(simulated.status, Some(0), "{}", simulated.err);
    assert!(!simulated.err.contains(warning), "{}", simulated.err);
}

#[test]
fn a_dry_run_says_what_it_would_do_and_does_none_of_it() {
    let home = home();
    home.overhear("sham");
    let said = home.cupel(&["run", "q", "--dry-run"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    for words in
        ["Which is the fastest?", "siphash-2-4 mac 64 B throughput", "sham/a, sham/b", "3 forks"]
    {
        assert!(said.out.contains(words), "no \"{words}\" in {}", said.out);
    }
    assert_eq!(home.count("select count(*) from run"), 0);
    // A runner that is slow to say goodbye is not waited for.
    let asked: Vec<String> = home.asked().into_iter().filter(|ask| ask != "bye").collect();
    assert_eq!(asked, ["hello", "list"]);
    assert!(!Path::new(&home.path("cache")).exists(), "it wrote to the cache");
    let (_, cells, _) = home.run(&[]);
    assert_eq!(number(cells.all("sham/a")[0], "forks"), 3.0);
}

#[test]
fn every_contender_tied_for_fastest_is_named() {
    let one = |name: &str, ns: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns });
    let home = Home::with(json!([
        one("a", 100.0),
        one("b", 100.2),
        one("c", 100.1),
        one("d", 100.3),
        one("slow", 150.0),
    ]));
    home.suite("[64]", "baseline = \"sham/a\"");
    // Few forks show no tie.
    for (forks, words) in [("11", "tied for fastest: "), ("3", "not told apart: ")] {
        let more = ["--forks", forks, "--first-forks", forks, "--precision", "0%"];
        let said = home.cupel(&[&["run", "q"][..], &more].concat());
        let out = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, line) = out.split_once(words).unwrap_or_else(|| {
            panic!("no {words} in {}", said.out);
        });
        let names = line.split(" over all").next().unwrap().split(" ratio:").next().unwrap();
        for name in ["sham/a", "sham/b", "sham/c", "sham/d"] {
            assert!(names.contains(name), "no {name} in {names}");
        }
        assert!(!names.contains("sham/slow"), "{names}");
    }
}

#[test]
fn the_line_below_a_table_agrees_with_it_and_names_contenders_that_scatter_too_much() {
    let one = |name: &str, ns: f64, fork_sd: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns, "fork_sd": fork_sd });
    let home =
        Home::with(json!([one("a", 100.0, 0.0), one("b", 400.0, 0.005), one("wild", 2000.0, 1.5)]));
    // The fastest contender is the baseline in one run and not in the other. One pair has one
    // interval in both.
    for (baseline, row) in [("sham/a", "sham/b"), ("sham/b", "sham/a")] {
        home.suite("[64]", &format!("baseline = \"{baseline}\""));
        let (_, cells, _) = home.run(&["--forks", "3"]);
        let said = home.cupel(&["show"]);
        let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let row = cells.of_contender(row);
        let (low, high) = (number(row, "ratio_low"), number(row, "ratio_high"));
        let (low, high) = if low < 1.0 { (1.0 / high, 1.0 / low) } else { (low, high) };
        let line = format!("[{low:.3} .. {high:.3}]");
        let fastest = words.split_once("shortest time: sham/a; sham/b takes").expect(&said.out).1;
        let told = fastest.split_once("as long ").unwrap().1;
        assert!(told.starts_with(&line), "{line} is not in {told}");
        let names = "slower in every fork, and not decided: sham/wild took";
        assert!(told.contains(names), "{told}");
        let command = words.split_once("to decide it: ").expect(&said.out).1;
        let command = command.split_once(" question:").expect(&said.out).0;
        assert!(command.contains("sham/a") && command.contains("sham/wild"), "{command}");
    }
}

#[test]
fn sizes_that_span_nothing_show_no_cost_of_a_call_or_byte() {
    let home = home();
    for (sizes, shown) in [("[8191, 8192, 8193]", false), ("[16, 1024, 4096]", true)] {
        home.suite(sizes, "baseline = \"sham/a\"");
        let (_, cells, _) = home.run(&[]);
        let known = |field: &str| cells.all("sham/a").iter().all(|row| row[field].is_f64());
        assert_eq!((known("fixed_ns"), known("per_byte_ns")), (shown, shown), "{sizes}");
        assert_eq!(home.cupel(&["show"]).out.contains("over all sizes"), shown, "{sizes}");
    }
}

/// A baseline of 1000 ns that allocates nothing, next to contenders that fill their heaps with
/// every 2000 calls: the name of each, its time in ns, and how long a collection stops it in us.
fn collecting(contenders: &[(&str, u32, u32)], forks: u32) -> Home {
    let quiet = json!({
        "name": "quiet", "primitives": ["siphash-2-4"], "fixed_ns": 1000, "per_byte_ns": 0,
    });
    let collected = contenders.iter().map(|(name, ns, pause)| {
        json!({
            "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns, "per_byte_ns": 0,
            "allocated_per_call": 1000, "heap": { "bytes": 2_000_000, "pause_us": pause },
        })
    });
    let home = Home::with([quiet].into_iter().chain(collected).collect());
    home.suite("[64]", "baseline = \"sham/quiet\"");
    let text = std::fs::read_to_string(home.path("suites/q.toml")).unwrap();
    home.write("suites/q.toml", text.replace("forks = 3", &format!("forks = {forks}")));
    home
}

#[test]
fn the_time_of_a_call_contains_the_collection_of_what_it_allocates() {
    let contenders = [("fast", 800, 100), ("turned", 800, 2400), ("slow", 1200, 400)];
    let home = collecting(&contenders, 12);
    let (status, cells, _) = home.run(&[]);
    assert_eq!(status, Some(0));
    for (name, ns, pause) in contenders {
        let row = cells.of_contender(&format!("sham/{name}"));
        let (ns, with) = (f64::from(ns), f64::from(ns) + f64::from(pause) / 2.0);
        for (field, truth) in [
            ("ns_without_collecting", ns),
            ("ns_median", with),
            ("ratio_without_collecting", ns / 1000.0),
            ("ratio", with / 1000.0),
        ] {
            // How many collections there are is chance.
            let chance = 0.02 + 0.3 * (with / ns - 1.0);
            let off = number(row, field) / truth - 1.0;
            assert!(off.abs() < chance, "{field} is {off:+.3} off: {row:#}");
        }
        let interval = number(row, "ratio_low")..number(row, "ratio_high");
        assert!(interval.contains(&(with / 1000.0)), "{row:#}");
    }
    assert_eq!(cells.verdict("sham/fast"), "faster");
    assert_eq!(cells.verdict("sham/slow"), "slower");
    // Faster without collection, slower with it.
    assert_eq!(cells.verdict("sham/turned"), "not separated");
    let reason = cells.reason("sham/turned");
    assert!(reason.contains("without it 0.8"), "{reason}");
    let quiet = cells.of_contender("sham/quiet");
    assert!(
        value_of(quiet, "collecting_ns_per_call").is_null()
            && value_of(quiet, "ns_without_collecting").is_null()
    );
    // The rows are in the order of the times with collection.
    let order: Vec<&str> = cells.0.iter().map(|row| row["contender"].as_str().unwrap()).collect();
    assert_eq!(order, ["sham/fast", "sham/quiet", "sham/slow", "sham/turned"]);
    let said = home.cupel(&["show"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "garbage collection, which \"per call\" includes: sham/fast",
        "for 1000 B (without it 800 ns, ratio 0.8",
        "not separated sham/turned: with garbage collection the ratio is",
    ] {
        assert!(said.contains(words), "{words} is not in {said}");
    }
}

/// A cell sees few collections in three forks. At another size its contender allocates as much.
#[test]
fn cells_that_allocate_alike_share_their_collections() {
    let home = collecting(&[("fast", 800, 100)], 3);
    let text = std::fs::read_to_string(home.path("suites/q.toml")).unwrap();
    home.write("suites/q.toml", text.replace("[64]", "[64, 1024]"));
    let (_, cells, _) = home.run(&[]);
    let costs: Vec<f64> = cells
        .all("sham/fast")
        .iter()
        .map(|row| number(row, "collecting_ns_per_call") / number(row, "allocated_per_call"))
        .collect();
    assert_eq!(costs.len(), 2);
    assert!((costs[0] / costs[1] - 1.0).abs() < 1e-9, "ns per byte: {costs:?}");
}

#[test]
fn what_only_collection_decides_is_no_lead_and_no_claim() {
    let home = collecting(&[("turned", 700, 2400)], 12);
    let text = std::fs::read_to_string(home.path("suites/q.toml")).unwrap();
    let claim = "[[claim]]\nsource = \"a document\"\nquote = \"said so\"\n\
                 says = \"sham/turned is slower than sham/quiet\"\n";
    home.write("suites/q.toml", text + claim);
    home.run(&[]);
    let said = home.cupel(&["show"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("the fastest is one of"), "{said}");
    assert!(said.contains("open: sham/turned: with garbage collection the ratio is"), "{said}");
    assert!(!said.contains("to decide it"), "more forks would not: {said}");
    let said = home.cupel(&["check", "q"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("undecided: 1.") && said.contains("], with garbage collection the ratio is"),
        "{said}"
    );
}

#[test]
fn what_allocates_and_is_never_collected_stays_as_it_is() {
    let plain = |heap: Value| {
        let home = Home::with(json!([
            { "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": 100 },
            { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 200,
              "allocated_per_call": 64, "heap": heap },
        ]));
        home.suite("[64]", "baseline = \"sham/a\"");
        let (_, mut cells, _) = home.run(&[]);
        for row in &mut cells.0 {
            row["allocated_per_call"] = Value::Null;
        }
        cells
    };
    assert_eq!(plain(Value::Null), plain(json!({ "bytes": 1e15, "pause_us": 1 })));
}

#[test]
fn lists_are_json_where_that_is_asked_for_and_mark_what_cannot_be_proven() {
    let home = Home::with(json!([{ "name": "a", "primitives": ["siphash-2-4"] }]));
    let unknown = "runner = \"program\"\nprefix = \"o\"\ncommand = [\"/no/such/program\"]\n\
                   [[contender]]\nname = \"unknown\"\noffers = [\"speedhash-9:digest\"]\n";
    home.write("contenders/other.toml", unknown);
    home.suite("[64]", "");
    home.write("suites/wrong.toml", "question = 3\n");
    home.run(&[]);
    let json = |what: &str| -> Value {
        let said = home.cupel(&["list", what, "--format", "json"]);
        serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {} {}", said.out, said.err))
    };
    let suites = json("suites");
    assert_eq!(
        suites[0],
        json!({
            "name": "q", "question": "Which is the fastest?", "claims": 0, "budget_s": 1.0,
            "forks": 3, "workloads": [{ "primitive": "siphash-2-4", "operation": "mac", "sizes": [64] }],
        })
    );
    assert!(suites[1]["mistake"].as_str().is_some_and(|m| m.contains("wrong.toml:1:")), "{suites}");
    assert!(json("primitives").as_array().unwrap().iter().any(|p| p["name"] == "siphash-2-4"));
    assert!(json("contenders").is_array() && json("toolchains").is_array());
    assert_eq!(json("runs")[0]["suite"], "q");
    let brief = home.cupel(&["list", "suites"]).out;
    assert!(brief.starts_with("2 suites for `cupel run NAME`"), "{brief}");
    assert!(brief.contains("\nq      Which is the fastest?\n"), "{brief}");
    let drawn = home.cupel(&["list", "suites", "--all"]).out;
    assert_eq!(home.cupel(&["list", "suites", "*"]).out, drawn);
    let q = "\nq      1 s in 3 forks\n    Which is the fastest?\n    siphash-2-4 mac: 64 B\n";
    assert!(drawn.contains(q) && drawn.contains("wrong.toml:1:"), "{drawn}");
    assert!(home.cupel(&["list", "primitives"]).out.contains("primitives that Cupel can verify"));
    let drawn = home.cupel(&["list", "--all"]).out;
    assert!(drawn.starts_with("3 contenders, 2 ready"), "{drawn}");
    assert!(drawn.contains("speedhash-9*") && drawn.contains("cannot be verified"), "{drawn}");
    assert!(!drawn.contains("siphash-2-4*"), "{drawn}");
}

#[test]
fn a_list_without_names_has_a_line_for_each_family() {
    let many = (0..40).map(|n| json!({ "name": format!("c{n}"), "primitives": ["siphash-2-4"] }));
    let home = Home::with(many.collect());
    let lost = json!({ "contenders": [
        { "name": "lost", "primitives": ["siphash-2-4"], "missing": "it is not installed" },
        { "name": "here", "primitives": ["siphash-2-4"] },
    ] });
    home.family("other", &lost, "");
    let list = home.cupel(&["list"]).out;
    assert!(list.starts_with("44 contenders, 43 ready, by family\n"), "{list}");
    let row = |family: &str| -> Vec<&str> {
        let lines = list.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        lines.into_iter().find(|row| row.first() == Some(&family)).unwrap_or_default()
    };
    assert_eq!(row("sham"), ["sham", "41", "41", "-", "-", "-"]);
    assert_eq!(row("other"), ["other", "3", "2", "-", "1", "-"]);
    assert!(list.lines().count() <= 24 && !list.contains("sham/c7"), "{list}");
    let whole = home.cupel(&["list", "sham"]).out;
    assert!(whole.contains("sham/c7 ") && !whole.contains("other/"), "{whole}");
    assert!(home.cupel(&["list", "--all"]).out.contains("other/lost"));
    let said = home.cupel(&["list", "primitives", "sha256"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("leave out sha256"), "{}", said.err);
}

#[test]
fn the_doctor_names_a_whole_family_once() {
    let home = Home::with(json!([{ "name": "a", "primitives": ["siphash-2-4"] }]));
    let one =
        |n: usize| format!("[[contender]]\nname = \"c{n}\"\noffers = [\"siphash-2-4:mac\"]\n");
    let all: String = (0..31).map(one).collect();
    let family = "runner = \"program\"\nprefix = \"lost\"\ncommand = [\"/no/such/program\"]\n";
    home.write("contenders/lost.toml", family.to_string() + &all);
    let doctor = home.cupel(&["doctor"]).out;
    assert!(doctor.contains("\n  lost/* (31):\n") && !doctor.contains("lost/c7"), "{doctor}");
    assert!(doctor.lines().count() <= 24, "{doctor}");
    let all = home.cupel(&["doctor", "--all"]).out;
    assert!(all.contains("lost/c30") && all.contains("\nstore "), "{all}");
}

#[test]
fn doctor_and_a_dry_run_keep_to_the_terminals_columns() {
    let many: Vec<Value> = (0..12)
        .map(|n| {
            json!({ "name": format!("a-long-name-{n}"), "primitives": ["siphash-2-4"],
                         "missing": "a library of many words that is not installed here" })
        })
        .chain([json!({ "name": "here", "primitives": ["siphash-2-4"] })])
        .collect();
    let home = Home::with(json!(many));
    home.suite("[64]", "");
    for (arguments, named) in [
        (&["doctor"][..], "sham/a-long-name-1 and 10 more:\n"),
        (&["doctor", "--all"], "sham/a-long-name-11:\n"),
        (&["run", "q", "--dry-run"], "a-long-name-11"),
    ] {
        let said = home.cupel(arguments);
        assert_eq!(said.status, Some(0), "{}", said.err);
        assert!(said.out.contains(named), "{}", said.out);
        for line in said.out.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}

#[test]
fn the_store_is_read_where_there_is_no_checkout() {
    let home = Home::with(json!([{ "name": "a", "primitives": ["siphash-2-4"] }]));
    home.suite("[64]", "");
    home.run(&[]);
    let elsewhere = tempfile::tempdir().unwrap();
    let program = elsewhere.path().join("cupel");
    std::fs::copy(env!("CARGO_BIN_EXE_cupel"), &program).unwrap();
    let said = |verb: &str| {
        std::process::Command::new(&program)
            .arg(verb)
            .current_dir(elsewhere.path())
            .env_remove("CUPEL_HOME")
            .env("CUPEL_STORE", home.store())
            .output()
            .unwrap()
    };
    let shown = said("show");
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    assert_eq!(shown.stdout, home.cupel(&["show"]).out.as_bytes());
    let run = said("run");
    assert_eq!(run.status.code(), Some(3), "to measure, it needs the contenders");
}

#[test]
fn the_evidence_scripts_read_the_document_as_it_is() {
    let home = Home::with(json!([
        { "name": "same", "primitives": ["siphash-2-4"], "fixed_ns": 100 },
        { "name": "plus-5", "primitives": ["siphash-2-4"], "fixed_ns": 105 },
    ]));
    home.suite("[64]", "baseline = \"sham/same\"");
    let said = home.cupel(&["run", "q", "--forks", "11", "--format", "json"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    home.write("run.json", &said.out);
    let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/evidence");
    let read = "import json, sys\nsys.path.insert(0, sys.argv[1])\nimport rig\n\
        print([a['judged'] for a in rig.answers(json.load(open(sys.argv[2])), 0.02)])";
    let output = std::process::Command::new("python3")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args(["-c", read, scripts])
        .arg(home.path("run.json"))
        .output()
        .expect("python3 starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.trim(), "['right']", "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn that_there_is_no_compiler_is_said_once() {
    let home = Home::with(json!([{ "name": "a", "primitives": ["siphash-2-4"] }]));
    for name in ["one", "two"] {
        let text = format!(
            "runner = \"native\"\nprefix = \"c\"\nsource = \"{name}.c\"\n[missing]\n\
             reason = \"lib{name} is not installed\"\nremedy = \"apt-get install lib{name}\"\n\
             [[contender]]\nname = \"{name}\"\noffers = [\"siphash-2-4:mac\"]\n"
        );
        home.write(&format!("contenders/{name}.toml"), text);
        home.write(&format!("{name}.c"), "int x;\n");
    }
    std::fs::create_dir(home.path("protocol")).unwrap();
    home.write("protocol/cupel_contender.h", "");
    let output = home.command().args(["doctor"]).env("CC", "/no/such/cc").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("2 of 4 contenders ready\n"), "{said}");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(said.matches("/no/such/cc is not there").count(), 1, "{said}");
    assert!(said.contains(&packages::remedy("apt-get install gcc libc6-dev")), "{said}");
}

#[test]
fn a_run_says_what_it_knows_so_far_and_calls_it_that() {
    let home = home();
    let said = home.cupel(&["run", "q", "--forks", "2"]);
    let so_far = |line: &&str| line.contains("so far: ");
    let lines: Vec<&str> = said.err.lines().filter(so_far).collect();
    assert!(!lines.is_empty(), "{}", said.err);
    for line in lines {
        assert!(line.contains(" s left; so far: SipHash-2-4, "), "{line}");
        assert!(line.contains("sham/b takes about "), "{line}");
        assert!(line.ends_with(" times as long as sham/a"), "{line}");
    }
    // It is no answer, so it is not among them.
    assert!(!said.out.contains("so far"), "{}", said.out);
    let quiet = home.cupel(&["run", "q", "--forks", "2", "--quiet"]);
    assert!(!quiet.err.contains("so far"), "{}", quiet.err);
}

/// A spreadsheet would compute it, and a terminal obey it.
#[test]
fn rows_for_other_programs_neither_compute_nor_steer() {
    let path = format!("=HYPERLINK(1){HOSTILE}");
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": 100, "code_path": path },
        { "name": "@b", "primitives": ["siphash-2-4"], "fixed_ns": 300 },
    ]));
    home.suite("[64]", "");
    assert_eq!(home.run(&[]).0, Some(0));
    let site = home.path("site").display().to_string() + "/";
    assert_eq!(home.cupel(&["show", "all", "-o", &site, "--slices"]).status, Some(0));
    let of_site = ["questions", "runs"].map(|folder| {
        let files = std::fs::read_dir(home.path("site").join(folder)).unwrap().flatten();
        let csv = files.filter(|file| file.path().extension().is_some_and(|end| end == "csv"));
        csv.map(|file| std::fs::read_to_string(file.path()).unwrap()).collect::<String>()
    });
    assert!(of_site.iter().all(|text| text.contains("siphash-2-4")), "{of_site:?}");
    let mut all: Vec<String> = of_site.into();
    for format in ["csv", "jsonl", "json", "table", "markdown"] {
        all.push(home.cupel(&["show", "--format", format]).out);
    }
    for (which, rows) in [("all", "csv"), ("all", "jsonl")] {
        all.push(home.cupel(&["show", which, "--format", rows, "--slices"]).out);
    }
    all.push(home.cupel(&["list", "--format", "json"]).out);
    for text in &all {
        let steers =
            |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{2067}\u{2028}".contains(c);
        assert!(!text.contains(steers), "{text:?}");
    }
    for text in all.iter().filter(|text| text.starts_with("run,")) {
        for row in csv_rows(text) {
            for (column, field) in row {
                let begins = field.starts_with(['=', '+', '@']);
                assert!(!begins, "{column} is a formula: {field}");
            }
        }
    }
    let json = home.cupel(&["show", "--format", "json"]).out;
    assert!(json.contains("\\u001b[2J"), "the value is still there: {json}");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(json.to_string().contains("HYPERLINK"), "{json:#}");
}
