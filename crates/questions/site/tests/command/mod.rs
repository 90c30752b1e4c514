//! A store as a site: complete, the same each time, without a way out of its folder.

use crate::stores::{Runs, store};
use crate::support::{Home, Said, number};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Enough to decide.
const DECIDED: Runs = Runs { each: 1, forks: 11, budget: Duration::from_millis(300), questions: 1 };
const SHORT: Runs = Runs { each: 2, forks: 2, budget: Duration::from_millis(20), questions: 2 };

fn merged(machines: u64, runs: Runs) -> Home {
    let home = Home::empty();
    for machine in 0..machines {
        let file = home.path(&format!("{machine}.sqlite"));
        store(&file, machine, runs);
        let said = home.cupel(&["import", file.to_str().unwrap()]);
        assert_eq!(said.status, Some(0), "{}", said.err);
    }
    home
}

fn site(home: &Home, folder: &str) -> Said {
    home.cupel(&["show", "--slices", "-o", &format!("{}/", home.path(folder).display())])
}

/// All files below a folder, by their names in it.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(&at).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_string();
            found.insert(name, std::fs::read(&path).unwrap());
        }
    }
    found
}

/// The pages that the site itself draws.
fn own(files: &BTreeMap<String, Vec<u8>>) -> BTreeMap<&str, &str> {
    let pages =
        files.iter().filter(|(name, _)| name.ends_with(".html") && !name.starts_with("runs"));
    pages.map(|(name, bytes)| (name.as_str(), std::str::from_utf8(bytes).unwrap())).collect()
}

fn question(files: &BTreeMap<String, Vec<u8>>, end: &str) -> String {
    let found = files.iter().find(|(name, _)| name.starts_with("questions") && name.ends_with(end));
    String::from_utf8(found.expect("a question").1.clone()).unwrap()
}

#[test]
fn every_link_of_a_site_leads_to_a_file_of_it() {
    let home = merged(3, SHORT);
    let said = site(&home, "out");
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.ends_with("index.html: 2 questions on 3 machines, 6 runs\n"), "{}", said.out);
    let files = files(&home.path("out"));
    let index = std::str::from_utf8(&files["index.html"]).unwrap();
    let heading = "<h1>Which implementation is the fastest? 2 questions, 3 machines</h1>";
    assert!(index.contains(heading), "{index}");
    let mut linked = BTreeSet::new();
    for (name, text) in own(&files) {
        assert!(!text.contains("<script") && !text.contains("://"), "{name}");
        assert!(text.contains("default-src 'none'; style-src 'sha256-"), "{name}");
        for part in text.split("href=\"").skip(1) {
            let address = part.split('"').next().unwrap();
            let (path, mark) = address.split_once('#').unwrap_or((address, ""));
            let from = Path::new(name).parent().unwrap();
            let to = match path.strip_prefix("../") {
                Some(up) => PathBuf::from(up),
                None => from.join(path),
            };
            let to = to.to_str().unwrap().to_string();
            let there = files.get(&to).unwrap_or_else(|| panic!("{name} leads to {to}"));
            if mark.starts_with("m-") {
                let there = std::str::from_utf8(there).unwrap();
                assert!(there.contains(&format!("id=\"{mark}\"")), "{name}: no {mark} in {to}");
            }
            linked.insert(to);
        }
    }
    let all: BTreeSet<String> =
        files.keys().filter(|name| *name != ".cupel-site").cloned().collect();
    assert_eq!(linked, all, "every file can be reached, and nothing else is linked");
}

#[test]
fn the_same_store_gives_the_same_bytes() {
    let home = merged(3, SHORT);
    for folder in ["one", "two"] {
        assert_eq!(site(&home, folder).status, Some(0));
        // The second time, nothing is remembered.
        home.database().execute("delete from remembered", []).unwrap();
    }
    let (one, two) = (files(&home.path("one")), files(&home.path("two")));
    assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>());
    for (name, bytes) in &one {
        assert!(two[name] == *bytes, "{name} differs");
    }
}

#[test]
fn the_winners_are_the_true_ones_and_the_figures_those_of_the_runs() {
    let home = merged(5, DECIDED);
    assert_eq!(site(&home, "out").status, Some(0));
    let files = files(&home.path("out"));
    let page = question(&files, ".html");
    // Machines 0 and 4 have the processor A: 20 + n, 30 + n / 2 and 60 + 0.9 n ns.
    let rows: Vec<&str> =
        page.split("<tr>").filter(|row| row.contains("machines.html#m-")).collect();
    let row = |label: &str| -> Vec<&str> {
        let row = rows.iter().find(|row| row.contains(&format!(">{label}</a>"))).unwrap();
        let names = row.split("<td ").skip(1).map(|cell| {
            let (_, name) = cell.split_once("<a href=").unwrap().1.split_once('>').unwrap();
            name.split_once('<').unwrap().0
        });
        names.collect()
    };
    let (a, b, c) = ("sham/library-a", "sham/library-b", "sham/library-c");
    assert_eq!(row("Simulated A"), [a, b, b]);
    assert_eq!(row("Simulated B"), [a, a, a]);
    assert_eq!(row("Simulated C"), [b, c, c]);
    let tie = "sham/library-a or sham/library-b";
    assert_eq!(row("Simulated D"), [tie, tie, tie]);
    let answer = "it depends on processor and size: of 15 answers, 5 are sham/library-a, \
                  5 are sham/library-b, 2 are sham/library-c, in 3 several tie or may lead";
    assert!(page.contains(&format!("<h1>SipHash-2-4: {answer}</h1>")), "{page}");
    let index = String::from_utf8(files["index.html"].clone()).unwrap();
    assert!(index.contains(answer), "{index}");
    // Each figure of the CSV comes from its run.
    let text = question(&files, ".csv");
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<BTreeMap<String, String>> =
        csv.deserialize().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), 5 * 3 * 3);
    for run in 1..=5 {
        let run = run.to_string();
        let said = home.cupel(&["show", &run, "--format", "json"]);
        let document: Value = serde_json::from_str(&said.out).unwrap();
        for cell in document["cells"].as_array().unwrap() {
            let size = cell["size"].to_string();
            let fits = |row: &&BTreeMap<String, String>| {
                row["run"] == run
                    && json!(row["contender"]) == cell["contender"]
                    && row["size"] == size
            };
            let row = rows.iter().find(fits).expect("a row of the cell");
            assert_eq!(json!(row["verdict"]), cell["verdict"]);
            assert_eq!(json!(row["fingerprint"]), document["fingerprint"]);
            let ns: f64 = row["ns_median"].parse().unwrap();
            assert!((ns / number(cell, "ns_median") - 1.0).abs() < 1e-12);
            if cell["ratio"].is_number() {
                for (name, of_cell) in
                    [("ratio", "ratio"), ("ratio_low", "ratio_low"), ("ratio_high", "ratio_high")]
                {
                    let x: f64 = row[name].parse().unwrap();
                    assert!((x / number(cell, of_cell) - 1.0).abs() < 1e-12, "{name}");
                }
            }
        }
    }
}

#[test]
fn of_a_machine_the_newest_run_of_each_version_is_shown() {
    // The second library has version 1.0 in runs 1 and 3, and 1.1 in runs 2 and 4.
    let home = merged(1, Runs { each: 4, questions: 1, ..SHORT });
    let times = "update run set started = '2026-01-0' || (5 - id) || 'T00:00:00Z'";
    home.database().execute(times, []).unwrap();
    home.database().execute("update run set finished = null where id = 2", []).unwrap();
    let said = site(&home, "out");
    assert!(said.out.contains("1 question on 1 machine, 2 runs"), "{} {}", said.out, said.err);
    let files = files(&home.path("out"));
    let runs: Vec<&String> =
        files.keys().filter(|name| name.starts_with("runs") && name.ends_with("html")).collect();
    assert_eq!(runs, ["runs/1.html", "runs/4.html"], "1 began after 3; 2 is not finished");
    let page = question(&files, ".html");
    for words in ["run 1</a> of 2026-01-04", "sham/library-b 1.0", "sham/library-b 1.1"] {
        assert!(page.contains(words), "no \"{words}\" in {page}");
    }
    assert!(!page.contains("sham/library-a 1.0"), "a version that is everywhere the same");
    let index = String::from_utf8(files["index.html"].clone()).unwrap();
    assert!(index.contains("1 run that the same machine measured again, 1 unfinished"), "{index}");
}

#[test]
fn names_from_outside_stay_text() {
    let odd = "x,\"<b>\"\u{202e};='1+1&amp;\u{1b}[31m";
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"] },
        { "name": odd, "primitives": ["siphash-2-4"], "fixed_ns": 10 },
    ]));
    let suite = "question = '''</p><script>alert(1)</script>'''\nforks = 2\nbudget = \"1s\"\n\n\
                 [[workload]]\nprimitive = \"siphash-2-4\"\nsizes = [64]\n";
    home.write("suites/q.toml", suite);
    assert_eq!(home.cupel(&["run", "q"]).status, Some(0));
    let change = "update run set plan = json_set(plan, '$.suite', '../../<i>')";
    home.database().execute(change, []).unwrap();
    assert_eq!(site(&home, "out").status, Some(0));
    let files = files(&home.path("out"));
    for (name, text) in own(&files) {
        for markup in ["<b>", "<script", "<i>", "\u{202e}", "\u{1b}"] {
            assert!(!text.contains(markup), "{name}: {markup:?}");
        }
    }
    let name = files.keys().find(|name| name.starts_with("questions")).unwrap();
    assert!(name.starts_with("questions/-------i--"), "{name}");
    assert!(question(&files, ".html").contains("x,&quot;&lt;b&gt;&quot;"));
}

#[test]
fn a_site_replaces_only_a_site() {
    let home = merged(1, SHORT);
    std::fs::create_dir(home.path("mine")).unwrap();
    home.write("mine/thesis.txt", "years of work");
    let said = site(&home, "mine");
    assert_eq!(said.status, Some(3), "{}", said.out);
    assert!(said.err.contains("has files and is not a site of cupel"), "{}", said.err);
    assert_eq!(files(&home.path("mine")).len(), 1);
    // A list that would delete something else is not a list.
    for list in ["cupel site 1\n../mine/thesis.txt\n", "cupel site 1\nthesis.txt\n", "else\n"] {
        home.write("mine/.cupel-site", list);
        let said = site(&home, "mine");
        assert_eq!(said.status, Some(3), "{list}: {}", said.out);
        assert!(said.err.contains("not the list of a site's files"), "{}", said.err);
        assert!(home.path("mine/thesis.txt").exists());
    }
    // Files that only the earlier site had are removed, and nothing else.
    assert_eq!(site(&home, "out").status, Some(0));
    home.write("out/CNAME", "example.org");
    home.database().execute("update run set finished = null where id = 2", []).unwrap();
    assert!(home.path("out/runs/2.csv").exists());
    let said = home.cupel(&["show", "-o", &format!("{}/", home.path("out").display())]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let left = files(&home.path("out"));
    let runs: Vec<&String> = left.keys().filter(|name| name.starts_with("runs")).collect();
    assert_eq!(runs, ["runs/1.html"]);
    assert!(left.contains_key("CNAME"));
    assert!(!question(&left, ".html").contains("slices</a>"));
}

#[test]
fn without_a_finished_run_nothing_is_written() {
    let home = merged(1, SHORT);
    home.database().execute("update run set finished = null", []).unwrap();
    let said = site(&home, "out");
    assert_eq!(said.status, Some(3), "{}", said.out);
    assert!(said.err.contains("there is no finished run"), "{}", said.err);
    assert!(!home.path("out").exists());
}

#[test]
fn a_machine_that_ranks_nothing_agrees_with_nobody() {
    let home = Home::empty();
    let suite = "question = '?'\nforks = 11\nbudget = \"1s\"\n\n[[workload]]\n\
                 primitive = \"siphash-2-4\"\nsizes = [64]\n";
    home.write("suites/q.toml", suite);
    let one = |name: &str, ns: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns });
    let measure = |contenders: Vec<Value>, mask: &str| {
        let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": contenders });
        home.family("sham", &script, "");
        let mut command = home.command();
        // Another mask is another machine.
        command.env("CUPEL_CPU", mask);
        let said = Said::from(command.args(["run", "q", "--seed", "1"]).output().unwrap());
        assert_eq!(said.status, Some(0), "{}", said.err);
    };
    measure(vec![one("a", 50.0), one("b", 100.0)], "1");
    measure(vec![one("a", 50.0), one("b", 100.0)], "2");
    assert_eq!(site(&home, "out").status, Some(0));
    let heading = |home: &Home| {
        let page = question(&files(&home.path("out")), ".html");
        page.split("<h1>").nth(1).unwrap().split("</h1>").next().unwrap().to_string()
    };
    assert_eq!(heading(&home), "SipHash-2-4: sham/a is the fastest on all 2 machines at 64 B");
    // There, b is the only one that was measured: it is the fastest of nothing.
    measure(vec![one("b", 100.0)], "3");
    assert_eq!(site(&home, "out").status, Some(0));
    let answer =
        "SipHash-2-4: sham/a is the fastest on 2 machines at 64 B; 1 other could not rank any";
    assert_eq!(heading(&home), answer);
}

#[test]
fn a_site_says_where_a_budget_left_contenders_out() {
    let home = merged(2, DECIDED);
    let heading = || {
        assert_eq!(site(&home, "out").status, Some(0));
        let page = question(&files(&home.path("out")), ".html");
        let (_, rest) = page.split_once("<h1>").unwrap();
        (rest.split_once("</h1>").unwrap().0.to_string(), page)
    };
    let what = "contenders with a JIT";
    let (whole, page) = heading();
    assert!(!page.contains(what), "{page}");
    let leave_out = |runs: &str| {
        let found = r#"{"left_out":["jvm/a"]}"#;
        home.change(&format!("update run set circumstances = '{found}' where {runs}"));
    };
    leave_out("id = 1");
    let (one, page) = heading();
    assert_eq!(one, format!("{whole}; in 3 of 6 answers, {what} were left out"));
    assert_eq!(page.matches(&format!(", without {what}")).count(), 3, "{page}");
    leave_out("id > 0");
    assert_eq!(heading().0, format!("{whole}; {what} were left out"));
}

/// Two nodes of one model have one fingerprint, and are two machines with a clock each.
#[test]
fn nodes_of_one_model_do_not_stand_for_each_other() {
    let home = Home::empty();
    let suite = "question = '?'\nforks = 11\nbudget = \"1s\"\n\n[[workload]]\n\
                 primitive = \"siphash-2-4\"\nsizes = [64]\n";
    home.write("suites/q.toml", suite);
    let one = |name: &str, ns: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns });
    for (node, a) in [("n1", 50.0), ("n/2", 200.0)] {
        let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": [one("a", a), one("b", 100.0)] });
        home.family("sham", &script, "");
        let mut command = home.command();
        command.env("CUPEL_NODE", node);
        let said = Said::from(command.args(["run", "q", "--seed", "1"]).output().unwrap());
        assert_eq!(said.status, Some(0), "{}", said.err);
    }
    let said = site(&home, "out");
    assert!(said.out.contains("1 question on 2 machines, 2 runs"), "{} {}", said.out, said.err);
    let files = files(&home.path("out"));
    let page = question(&files, ".html");
    assert!(page.contains("of 2 answers, 1 are sham/a, 1 are sham/b"), "{page}");
    let machines = std::str::from_utf8(&files["machines.html"]).unwrap();
    for id in ["-n1\"", "-n-2\""] {
        assert!(machines.contains(id) && page.contains(id), "{id}: {machines}");
    }
}

/// At 64 B, `c` is the fastest of all for SipHash, and `a` of the first two; HMAC takes longer.
fn asking() -> Home {
    let one = |name: &str, ns: u32| {
        let primitives = ["siphash-2-4", "hmac-sha256"];
        json!({
            "name": name, "primitives": primitives, "fixed_ns": ns, "per_byte_ns": 0,
            "factors": { "hmac-sha256": 3.0 },
        })
    };
    let script = json!({
        "seed": 5, "world": { "noise_sd": 0.003 },
        "contenders": [one("a", 1000), one("b", 2000), one("c", 500)],
    });
    let home = Home::empty();
    home.family("sham", &script, "");
    home.write(
        "suites/q.toml",
        "question = 'Which MAC?'\nforks = 11\nbudget = \"1s\"\n\n\
         [[workload]]\nprimitive = \"siphash-2-4\"\nsizes = [64]\n",
    );
    home
}

fn run(home: &Home, words: &[&str]) {
    let said = home.cupel(&[words, &["--forks", "11", "--budget", "1s"]].concat());
    // A difference that is not accounted for has the status 2, and its figures are stored.
    assert!([Some(0), Some(2)].contains(&said.status), "{words:?}: {}", said.err);
}

/// For each question of the index, in its order: its name, and its answers.
fn questions(home: &Home) -> Vec<(String, Vec<String>)> {
    let said = site(home, "out");
    assert_eq!(said.status, Some(0), "{}", said.err);
    let index = String::from_utf8(files(&home.path("out"))["index.html"].clone()).unwrap();
    let text = |part: &str, end: &str| part.split(end).next().unwrap().to_string();
    let entries = index.split("<strong>").skip(1).map(|entry| {
        let answers = entry.split("<li>").skip(1).filter(|part| part.contains("</li>"));
        let answers = answers.filter(|part| !part.starts_with("<a ")).map(|a| text(a, "</li>"));
        (text(entry, "</strong>"), answers.collect())
    });
    entries.collect()
}

/// The questions of the site as lines.
fn lines(home: &Home) -> Vec<String> {
    let entries = questions(home).into_iter();
    entries.map(|(name, answers)| format!("{name} {}", answers.join("; "))).collect()
}

const ALL: &str = "Which siphash-2-4 is the fastest? SipHash-2-4: sham/c is the fastest at 64 B";

#[test]
fn no_answer_of_named_contenders_stands_for_a_primitive() {
    let home = asking();
    run(&home, &["ask", "siphash-2-4", "64"]);
    for words in [["sham/a", "sham/b"], ["sham/b", "sham/a"]] {
        run(&home, &[&["ask", "siphash-2-4", "64"], &words[..]].concat());
    }
    let named = "Which of sham/a and sham/b is the fastest for siphash-2-4? SipHash-2-4, among sham/a \
                 and sham/b: sham/a is the fastest at 64 B";
    assert_eq!(lines(&home), [ALL, named], "the newer run is about two contenders");
}

#[test]
fn a_question_why_and_a_claim_are_not_one_answer_at_two_sizes() {
    let home = asking();
    run(&home, &["ask", "siphash-2-4", "16", "--why", "sham/b", "sham/c"]);
    run(&home, &["check", "sham/c >= 1.5x sham/a", "siphash-2-4", "16K"]);
    let [claim, why] = &questions(&home)[..] else { panic!("{:?}", questions(&home)) };
    assert!(claim.0.starts_with("Does it hold that sham/c "), "{claim:?}");
    let decided = &claim.1[0];
    assert!(
        decided.starts_with("sham/c is ") && decided.ends_with(": held on 1 machine"),
        "{decided}"
    );
    let of_two = "SipHash-2-4, among sham/a and sham/c: sham/c is the fastest at 16 KiB";
    assert_eq!(claim.1[1..], [of_two]);
    assert_eq!(why.0, "Why do sham/b and sham/c not take the same time for siphash-2-4?");
    assert_eq!(why.1, ["SipHash-2-4, among sham/b and sham/c: sham/c is the fastest at 16 B"]);
    // The claim is the head of its page, and its figures follow.
    let pages = files(&home.path("out"));
    assert!(own(&pages).values().any(|page| page.contains(&format!("<h1>{decided}</h1>"))));
}

#[test]
fn another_contract_and_a_choice_are_other_questions() {
    let home = asking();
    run(&home, &["ask", "siphash-2-4", "64"]);
    run(&home, &["ask", "siphash-2-4", "64", "--contract", "key=per-call"]);
    run(&home, &["ask", "siphash-2-4", "hmac-sha256", "64"]);
    let lines = lines(&home);
    let per_call = "SipHash-2-4, key per call: sham/c is the fastest at 64 B";
    let choice = "SipHash-2-4 or HMAC-SHA-256: sham/c with siphash-2-4 is the fastest at 64 B";
    for answer in [ALL, per_call, choice] {
        let own = lines.iter().filter(|line| line.ends_with(answer));
        assert_eq!(own.count(), 1, "{answer}: {lines:?}");
    }
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(lines[0], ALL, "the usual contract comes first");
}

#[test]
fn a_part_of_a_suites_contenders_does_not_answer_for_the_suite() {
    let home = asking();
    run(&home, &["run", "q"]);
    run(&home, &["run", "q", "--contender", "sham/a", "--contender", "sham/b"]);
    let two = "q, among sham/a and sham/b SipHash-2-4, among sham/a and sham/b: sham/a is the fastest at 64 B";
    assert_eq!(lines(&home), ["q SipHash-2-4: sham/c is the fastest at 64 B", two]);
}

/// It is neither a site of one run nor rows in a folder.
#[test]
fn what_a_folder_cannot_get_is_refused() {
    let home = merged(1, SHORT);
    for words in [&["1"][..], &["--format", "csv"], &["--claims", "q"], &["--open"]] {
        let said = home.cupel(&[&["show", "-o", "site/"], words].concat());
        assert_eq!(said.status, Some(3), "{words:?}: {}", said.out);
        assert!(said.err.contains("a folder gets a web site of all runs"), "{}", said.err);
    }
    assert!(!home.path("site").exists());
}
