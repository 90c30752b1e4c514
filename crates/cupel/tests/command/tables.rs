//! The tables of a run: which rows, how much of each name, and the intervals as text.

use crate::report::data;
use crate::support::{Cells, Home, Said, value_of};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// `main` takes 200 ns, and three contenders force a code path of it: `main-fast` takes `fast_ns`,
/// the others longer than `main`. `other`, the baseline, takes 150 ns. `lone` forces a code path of
/// a contender that fails.
fn home(fast_ns: u64) -> Home {
    let home = Home::empty();
    let one = |name: &str, ns: u64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns, "per_byte_ns": 0 });
    let wrong = json!({ "name": "wrong", "primitives": ["siphash-2-4"],
        "fault": { "kind": "wrong-output" } });
    let contenders = json!([
        one("main", 200),
        one("main-fast", fast_ns),
        one("main-slow", 400),
        one("main-slower", 500),
        one("other", 150),
        wrong,
        one("lone", 700),
    ]);
    let declared: String = ["main", "other", "wrong"]
        .map(|name| (name, None))
        .into_iter()
        .chain(["main-fast", "main-slow", "main-slower"].map(|name| (name, Some("main"))))
        .chain([("lone", Some("wrong"))])
        .map(|(name, of)| {
            let of = of.map_or(String::new(), |of| format!("forced_path_of = \"{of}\"\n"));
            format!("[[contender]]\nname = \"{name}\"\noffers = [\"siphash-2-4:mac\"]\n{of}")
        })
        .collect();
    let script = json!({ "seed": 7, "world": { "noise_sd": 0.003 }, "contenders": contenders });
    home.family("sham", &script, &declared);
    home.suite("[64]", "baseline = \"sham/other\"");
    home
}

/// Runs the suite, in which `sham/wrong` fails.
fn run(home: &Home, more: &[&str]) -> Said {
    let said = home.cupel(&[&["run", "q"], more].concat());
    assert_eq!(said.status, Some(1), "{}", said.err);
    said
}

/// Whether the first table has a row of a contender.
fn has_row(table: &str, name: &str) -> bool {
    table.lines().any(|line| line.starts_with(&format!(" sham/{name} ")))
}

#[test]
fn forced_paths_that_nobody_asked_for_are_not_in_the_table() {
    let home = home(300);
    let said = run(&home, &[]);
    let rows = |table: &str| {
        ["main", "main-fast", "main-slow", "main-slower", "other", "lone", "wrong"]
            .map(|name| has_row(table, name))
    };
    // Nothing stands for `lone`: the contender whose path it forces has failed.
    assert_eq!(rows(&said.out), [true, false, false, false, true, true, true], "{}", said.out);
    let note = "3 variants hidden (--all)";
    assert!(said.out.contains(note), "{}", said.out);
    let all = home.cupel(&["show", "--all"]).out;
    assert_eq!(rows(&all), [true; 7], "{all}");
    assert!(!all.contains("hidden"), "{all}");
    // Files have all of them.
    for format in ["json", "csv", "markdown"] {
        let file = home.cupel(&["show", "--format", format]).out;
        assert!(file.contains("sham/main-slower"), "{format}: {file}");
    }
    // The page has all of them, and knows which to hide.
    let page = data(&home.cupel(&["show", "--format", "html"]).out);
    let aside = page["comparisons"][0]["aside"].as_array().unwrap().iter();
    let mut aside: Vec<&str> = aside
        .map(|row| page["document"]["cells"][row.as_u64().unwrap() as usize]["contender"].as_str())
        .map(Option::unwrap)
        .collect();
    aside.sort_unstable();
    assert_eq!(aside, ["sham/main-fast", "sham/main-slow", "sham/main-slower"]);
    let json: serde_json::Value =
        serde_json::from_str(&home.cupel(&["show", "--format", "json"]).out).unwrap();
    let of = |name: &str| {
        let contenders = json["contenders"].as_array().unwrap();
        contenders.iter().find(|c| c["name"] == name).unwrap()["forced_path_of"].clone()
    };
    assert_eq!(of("sham/main-slow"), "sham/main");
    assert_eq!(of("sham/main"), serde_json::Value::Null);
}

#[test]
fn a_forced_path_that_was_asked_for_or_is_the_baseline_has_a_row() {
    let home = home(100);
    let said = run(&home, &[]);
    assert!(!has_row(&said.out, "main-fast") && !has_row(&said.out, "main-slow"), "{}", said.out);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let note = "3 variants hidden (--all); of them, sham/main-fast has the shortest time";
    assert!(words.contains(note), "{words}");
    // By name, and by a pattern that does not match the contender whose path it forces.
    let filtered = |patterns: [&str; 2]| {
        let [first, second] = patterns;
        home.cupel(&["run", "q", "--contender", first, "--contender", second]).out
    };
    let out = filtered(["sham/main", "sham/main-slow"]);
    assert!(has_row(&out, "main") && has_row(&out, "main-slow"), "{out}");
    assert!(has_row(&filtered(["sham/main", "sham/main-slow*"]), "main-slower"));
    // A pattern that matches that one too asks for none in particular.
    let out = filtered(["sham/main", "sham/main*"]);
    assert!(!has_row(&out, "main-slower"), "{out}");
    assert!(out.contains("3 variants hidden"), "{out}");
    // In the suite.
    home.suite("[64]", "baseline = \"sham/other\"\ncontenders = [\"sham/*\", \"sham/main-slow\"]");
    let said = run(&home, &[]);
    assert!(has_row(&said.out, "main-slow") && !has_row(&said.out, "main-slower"), "{}", said.out);
    home.suite("[64]", "baseline = \"sham/main-slower\"");
    let said = run(&home, &[]);
    assert!(has_row(&said.out, "main-slower"), "{}", said.out);
}

/// The first lines of `show` at a width.
fn shown(home: &Home, columns: &str, more: &[&str]) -> String {
    let output = home
        .command()
        .arg("show")
        .args(more)
        .env("COLUMNS", columns)
        .output()
        .expect("cupel starts");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn names_are_whole_where_they_fit_and_can_be_copied_where_they_do_not() {
    let long = |end: &str| format!("{}-{end}", "a-name-of-many-letters".repeat(2));
    let home = Home::with(json!([
        { "name": long("one"), "primitives": ["siphash-2-4"], "fixed_ns": 100 },
        { "name": long("two"), "primitives": ["siphash-2-4"], "fixed_ns": 300 },
    ]));
    home.suite("[64, 1024]", "");
    home.run(&[]);
    let names = ["one", "two"].map(|end| format!("sham/{}", long(end)));
    let rows = |text: &str, name: &str| {
        text.lines().filter(|line| line.trim_start().starts_with(name)).count()
    };
    let wide = shown(&home, "160", &["--verbose"]);
    assert!(!wide.contains('…'), "{wide}");
    // Two tables, the fixed costs, and the forks.
    assert!(names.iter().all(|name| rows(&wide, &format!("{name} ")) >= 3), "{wide}");
    let narrow = shown(&home, "80", &[]);
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    assert!(narrow.contains("Names with … are shortened; --all prints them in full."), "{narrow}");
    let listed = shown(&home, "80", &["--all"]);
    let (tables, list) = listed.split_once("\nnames in full\n").expect("a list");
    for name in &names {
        let line = list.lines().find(|line| line.ends_with(name)).expect("the full name");
        let label = line.split_whitespace().next().unwrap();
        assert!(rows(tables, label) >= 2, "no {label} in {tables}");
    }
    assert!(!shown(&home, "160", &["--all"]).contains("names in full"));
}

#[test]
fn wide_tables_draw_the_intervals_and_narrow_ones_do_not() {
    let home = home(300);
    run(&home, &[]);
    let drawn = shown(&home, "120", &[]);
    assert!(drawn.contains("Last column: a bar "), "{drawn}");
    let place = |name: &str, mark: char| {
        let line = drawn.lines().find(|l| l.starts_with(&format!(" sham/{name} "))).unwrap();
        let line: Vec<char> = line.chars().collect();
        line.iter().rposition(|&c| c == mark).unwrap_or_else(|| panic!("no {mark} in {drawn}"))
    };
    // `main` takes a third longer than the baseline, `lone` more than four times as
    // long, which is beyond the scale.
    assert!(place("main", ':') < place("main", 'o'), "{drawn}");
    assert!(place("main", 'o') < place("lone", '>'), "{drawn}");
    assert_eq!(place("main", ':'), place("lone", ':'), "one scale: {drawn}");
    assert!(drawn.lines().all(|line| line.chars().count() <= 120), "{drawn}");
    assert!(drawn.lines().all(|line| line == line.trim_end()), "{drawn}");
    let narrow = shown(&home, "100", &[]);
    assert!(!narrow.contains("Last column"), "{narrow}");
}

/// `lib-reused` takes 200 ns and `base`, the baseline, 300 ns. `lib-oneshot`, a second style of
/// `lib-reused`, takes `second_ns`.
fn home_of_styles(second_ns: u64) -> Home {
    let home = Home::empty();
    let one = |name: &str, ns: u64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns, "per_byte_ns": 0 });
    let contenders =
        json!([one("lib-reused", 200), one("lib-oneshot", second_ns), one("base", 300)]);
    let declared = |name: &str, more: &str| {
        format!("[[contender]]\nname = \"{name}\"\noffers = [\"siphash-2-4:mac\"]\n{more}")
    };
    let declared = declared("lib-reused", "")
        + &declared("lib-oneshot", "style_of = \"lib-reused\"\n")
        + &declared("base", "");
    let script = json!({ "seed": 7, "world": { "noise_sd": 0.003 }, "contenders": contenders });
    home.family("sham", &script, &declared);
    home.suite("[64]", "baseline = \"sham/base\"");
    home
}

const STYLES: &str = "1 variant hidden (--all)";

/// Runs the suite, which no contender fails.
fn run_well(home: &Home, more: &[&str]) -> String {
    let said = home.cupel(&[&["run", "q"], more].concat());
    assert_eq!(said.status, Some(0), "{}", said.err);
    said.out
}

#[test]
fn a_second_style_is_in_neither_the_table_nor_the_answer() {
    // As fast as the usual one: it would tie with it.
    let home = home_of_styles(200);
    let out = run_well(&home, &["--forks", "11"]);
    assert!(has_row(&out, "lib-reused") && !has_row(&out, "lib-oneshot"), "{out}");
    assert!(out.contains(STYLES), "{out}");
    let answer = out.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = "sham/lib-reused 0.1.0 is the fastest; sham/base 0.1.0 takes 1.50 times as long";
    assert!(answer.contains(words), "{out}");
    assert!(has_row(&home.cupel(&["show", "--all"]).out, "lib-oneshot"));
    let json = home.cupel(&["show", "--format", "json"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let contenders = json["contenders"].as_array().unwrap();
    let second = contenders.iter().find(|c| c["name"] == "sham/lib-oneshot").unwrap();
    assert_eq!(second["style_of"], "sham/lib-reused");
    assert!(value_of(second, "forced_path_of").is_null());
    // It was measured and verified like the others, so advice names it among those that tie.
    let advice = home.cupel(&["advise", "--have", "sham/base"]);
    assert_eq!(advice.status, Some(1), "a switch is worth it: {}", advice.err);
    assert!(advice.out.contains("sham/lib-oneshot"), "{}", advice.out);
}

#[test]
fn a_second_style_that_is_faster_than_the_usual_one_is_the_answer() {
    let home = home_of_styles(100);
    let out = run_well(&home, &["--forks", "11"]);
    assert!(has_row(&out, "lib-reused") && has_row(&out, "lib-oneshot"), "{out}");
    assert!(!out.contains("hidden"), "{out}");
    let answer = out.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = "sham/lib-oneshot 0.1.0 is the fastest; sham/lib-reused 0.1.0 takes 2.00 times";
    assert!(answer.contains(words), "{out}");
}

#[test]
fn a_second_style_that_was_asked_for_has_its_row_and_its_part_in_the_answer() {
    let home = home_of_styles(200);
    let shows = |more: &[&str]| has_row(&run_well(&home, more), "lib-oneshot");
    assert!(shows(&["--contender", "sham/lib-oneshot"]));
    // Nothing but the styles of one implementation.
    assert!(shows(&["--contender", "sham/lib-*"]));
    assert!(!shows(&["--contender", "sham/*"]));
    home.suite("[64]", "contenders = [\"sham/lib-reused\", \"sham/lib-oneshot\"]");
    let out = run_well(&home, &["--forks", "11"]);
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(has_row(&out, "lib-oneshot") && words.contains("tie for the fastest"), "{out}");
}

#[test]
fn a_question_measures_the_usual_style_unless_the_other_is_named() {
    let home = home_of_styles(250);
    let ask = |words: &[&str]| {
        let ask = ["ask", "siphash-2-4", "64", "--seed", "1", "--budget", "1s", "--format", "json"];
        let said = home.cupel(&[&ask, words].concat());
        assert_eq!(said.status, Some(0), "{}", said.err);
        Cells::parse(&said.out)
    };
    assert!(ask(&[]).all("sham/lib-oneshot").is_empty());
    assert!(ask(&["lib", "base"]).all("sham/lib-oneshot").is_empty());
    assert_eq!(ask(&["lib-oneshot", "lib"]).all("sham/lib-oneshot").len(), 1);
}

#[test]
fn empty_operations_are_a_table_if_the_suite_asks_for_them_and_the_harness_overhead_if_not() {
    let both = json!({ "name": "both", "primitives": ["siphash-2-4", "empty"], "fixed_ns": 150, "per_byte_ns": 0 });
    let home = Home::with(json!([both]));
    home.suite("[64]", "baseline = \"sham/both\"");
    let out = run_well(&home, &[]);
    // Not of a contender that also does other work: its empty call is no one's harness.
    assert!(out.contains("included in every figure: sham/empty 2.00 ns\n"), "{out}");
    assert!(!has_row(&out, "empty"), "{out}");
    let more = "baseline = \"sham/both\"\n[[workload]]\nprimitive = \"empty\"\nsizes = [64]\n\
                baseline = \"sham/empty\"";
    home.suite("[64]", more);
    let out = run_well(&home, &[]);
    assert!(!out.contains("harness overhead"), "{out}");
    let (_, table) = out.split_once("\nempty digest").expect("a table");
    let row = |name: &str| {
        let row = table.lines().find(|line| line.starts_with(&format!(" sham/{name} ")));
        row.unwrap_or_else(|| panic!("{out}")).split_whitespace().collect::<Vec<_>>()
    };
    // No message is read, so there is no throughput.
    assert_eq!(row("empty")[1..4], ["2.00", "ns", "-"], "{out}");
    assert_eq!(row("both")[1..4], ["150", "ns", "-"], "{out}");
}

#[test]
fn all_times_of_a_column_have_one_unit() {
    let one = |name: &str, ns: u64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns, "per_byte_ns": 0 });
    let home = Home::with(json!([one("short", 2_500), one("long", 40_000)]));
    home.suite("[64]", "baseline = \"sham/short\"");
    let out = run_well(&home, &[]);
    let row = out.lines().find(|line| line.starts_with(" sham/long ")).expect(&out);
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!((words[1].len(), words[2]), (5, "ns"), "{out}");
    let svg = home.cupel(&["show", "--format", "svg"]).out;
    assert!(svg.contains(&format!(">{} ns</text>", words[1])), "{svg}");
    // And it has the table's ratio.
    assert!(svg.contains(&format!(">{}</text>", words[4])), "{words:?}: {svg}");
}

#[test]
fn an_answer_that_its_tables_push_off_the_screen_is_repeated_below_them() {
    let one = |name: &str, ns: u64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns, "per_byte_ns": 0 });
    let home = Home::with(json!([one("short", 100), one("long", 200)]));
    let answers = |sizes: &str| {
        home.suite(sizes, "baseline = \"sham/short\"");
        let out = run_well(&home, &["--forks", "11"]);
        let (answer, _) = out.split_once("\nquestion: ").expect(&out);
        assert!(answer.contains("sham/short 0.1.0 is the fastest"), "{out}");
        (out.matches(answer).count(), out.trim_end().ends_with(answer.trim_end()))
    };
    assert_eq!(answers("[64]"), (1, false));
    assert_eq!(answers("[1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]"), (2, true));
}

#[test]
fn a_picture_has_ten_rows_with_the_best_of_each_language_and_one_scale() {
    let home = Home::empty();
    let one = |name: &str, ns: u64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns, "per_byte_ns": 1 });
    let many: Vec<Value> = (0..12).map(|i| one(&format!("c{i}"), 100 + 10 * i)).collect();
    for (family, contenders) in
        [("c", many), ("go", vec![one("a", 900), one("b", 950)]), ("node", vec![one("a", 1000)])]
    {
        home.family(family, &json!({ "seed": 7, "contenders": contenders }), "");
    }
    let words = ["ask", "siphash-2-4", "64,1K", "node/a", "go", "c", "--seed", "1", "--forks", "3"];
    let said = home.cupel(&[&words[..], &["--budget", "2s"]].concat());
    assert!(said.status.is_some_and(|status| status != 3), "{}", said.err);
    let svg = home.cupel(&["show", "--format", "svg"]).out;
    assert_eq!(svg.matches("<circle").count(), 2 * 10, "{svg}");
    for name in ["c/c0", "go/a", "node/a"] {
        assert_eq!(svg.matches(&format!(">{name}</text>")).count(), 2, "{name}: {svg}");
    }
    assert_eq!(svg.matches(">go/").count(), 2, "only the best of a language: {svg}");
    assert!(svg.contains("; 10 rows not drawn"), "{svg}");
    let lines: BTreeSet<&str> = svg.lines().filter(|line| line.contains("class=\"one\"")).collect();
    let at = |line: &&str| line.split("x1=").nth(1).unwrap().split(' ').next().unwrap().to_string();
    assert_eq!(lines.len(), 2, "{svg}");
    assert_eq!(lines.iter().map(at).collect::<BTreeSet<_>>().len(), 1, "one scale: {svg}");
    assert_eq!(svg.matches("times as long as node/a, logarithmic scale").count(), 2, "{svg}");
}

#[test]
fn of_several_languages_each_has_its_fastest_in_the_answer() {
    let home = Home::empty();
    for (family, ns) in [("c", 100), ("go", 150), ("node", 400)] {
        let contenders = json!([
            { "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": ns, "per_byte_ns": 0 },
            { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 2 * ns, "per_byte_ns": 0 },
        ]);
        home.family(family, &json!({ "seed": 7, "contenders": contenders }), "");
    }
    let words = ["ask", "siphash-2-4", "64", "--seed", "1", "--forks", "11", "--budget", "2s"];
    let said = home.cupel(&[&words[..], &["node", "go", "c"]].concat());
    assert_eq!(said.status, Some(0), "{}", said.err);
    let (answer, _) = said.out.split_once("\nquestion: ").expect(&said.out);
    let flat = answer.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("c/a 0.1.0 is the fastest"), "{answer}");
    assert!(flat.contains("; go/a 0.1.0 takes 1.50 times as long"), "{answer}");
    assert!(flat.contains("other languages: node/a takes 4.0"), "{answer}");
    // Whoever has a clause already, as the baseline has, is not repeated.
    let said = home.cupel(&[&words[..], &["node/a", "go", "c"]].concat());
    assert!(said.out.contains("node/a 0.1.0"), "{}", said.out);
    assert!(!said.out.contains("other languages"), "{}", said.out);
    // Within one language there is nothing to say of others.
    let said = home.cupel(&[&words[..], &["node"]].concat());
    assert!(!said.out.contains("other languages"), "{}", said.out);
}
