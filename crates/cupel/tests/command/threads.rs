//! Threads, from a suite to the share that each contender keeps: the pairs, the first line, and the
//! refusals.

use crate::support::{Home, number};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const THREADS: &str = "threads = [1, 2, 8]";

/// `b` shares something: each further thread costs 10 % of a call on one thread.
fn home(more: &str) -> Home {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["sha256"], "fixed_ns": 200, "per_byte_ns": 0 },
        { "name": "b", "primitives": ["sha256"], "fixed_ns": 260, "per_byte_ns": 0, "contention": 0.1 },
    ]));
    home.write("suites/q.toml", question(more));
    home
}

fn question(more: &str) -> String {
    format!(
        "question = \"Does it scale?\"\nforks = 11\nfirst-forks = 11\nbudget = \"3s\"\n\n[[workload]]\n\
         primitive = \"sha256\"\nsizes = [64]\n{more}\n"
    )
}

#[test]
fn what_a_contender_keeps_is_in_the_first_line_the_table_and_the_files() {
    let home = home(THREADS);
    let said = home.cupel(&["run", "q"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let first = said.out.split("\nquestion:").next().unwrap().replace("\n  ", " ");
    let first = first.lines().next().unwrap();
    assert!(first.starts_with("SHA-256, 64 B: on 8 threads sham/a"), "{first}");
    assert!(first.contains("of its speed per processor; sham/b"), "{first}");
    for words in ["SHA-256, 2 threads, 64 B: ", "inputs hot, 8 threads\n", "only the onset shows"] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    let shown = home.cupel(&["show", "--format", "json"]);
    let document: Value = serde_json::from_str(&shown.out).unwrap();
    let all = document["scaling"].as_array().unwrap();
    assert_eq!(all.len(), 4, "{all:#?}");
    for one in all {
        let threads = number(one, "threads");
        let (contention, words) = match one["contender"].as_str().unwrap() {
            "sham/a" => (0.0, "no loss shown"),
            _ => (0.1, "loses"),
        };
        let truth = 1.0 / (1.0 + contention * (threads - 1.0));
        assert!(number(one, "efficiency_low") <= truth, "{one:#}");
        assert!(truth <= number(one, "efficiency_high"), "{one:#}");
        assert!((number(one, "efficiency") / truth - 1.0).abs() < 0.01, "{one:#}");
        assert_eq!(one["verdict"], words, "{one:#}");
        // `a` keeps most.
        let of_best = one["of_best_low"].as_f64().zip(one["of_best_high"].as_f64());
        let within = of_best.map(|(low, high)| low <= truth && truth <= high);
        assert_eq!(within, (contention > 0.0).then_some(true), "{one:#}");
    }
    let markdown = home.cupel(&["show", "--format", "markdown"]).out;
    assert!(markdown.contains("## threads"), "{markdown}");
    assert!(markdown.contains("| sham/b | 8 |"), "{markdown}");
}

/// A suite can ask about every machine's processors without knowing how many there are.
#[test]
fn all_threads_are_one_for_each_processor() {
    let (_, cells, _) = home("threads = \"all\"").run(&[]);
    let found: BTreeSet<String> = cells
        .all("sham/a")
        .iter()
        .map(|row| row["contract"].as_str().unwrap().to_string())
        .collect();
    let processors = std::thread::available_parallelism().unwrap().get();
    let expected = BTreeSet::from([1, processors]).len();
    assert_eq!(found.len(), expected, "{found:?}");
    let on_all = format!("{processors} threads");
    assert!(
        processors == 1 || found.iter().any(|contract| contract.contains(&on_all)),
        "{found:?}"
    );
}

/// If the best loses too, the machine may be why, so the first line gives the others' share of it.
#[test]
fn what_all_lose_is_not_taken_for_a_fault_of_one() {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["sha256"], "fixed_ns": 200, "per_byte_ns": 0, "contention": 0.1 },
        { "name": "b", "primitives": ["sha256"], "fixed_ns": 260, "per_byte_ns": 0, "contention": 0.3 },
    ]));
    home.write("suites/q.toml", question(THREADS));
    let said = home.cupel(&["run", "q"]);
    let first = said.out.split("\nquestion:").next().unwrap().replace("\n  ", " ");
    // 1/1.7 and 1/3.1: b keeps 54.8 % of a's share.
    assert!(first.contains("of its speed per processor; sham/b 0.1.0 keeps 32."), "{first}");
    assert!(first.contains("which is 54.") && first.contains("of the first's"), "{first}");
}

#[test]
fn all_numbers_of_threads_have_one_offset_in_a_fork() {
    let home = home(THREADS);
    home.overhear("sham");
    let said = home.cupel(&["run", "q"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let mut prepared: BTreeMap<u64, usize> = BTreeMap::new();
    for request in home.requests() {
        if request["ask"] == "prepare" && request["workload"]["primitive"] == "sha256" {
            *prepared.entry(request["offset"].as_u64().unwrap()).or_default() += 1;
        }
    }
    // Two contenders and a control on three numbers of threads: nine cells in each of eleven forks.
    assert_eq!(prepared.values().sum::<usize>(), 9 * 11);
    assert!(prepared.len() > 1 && prepared.values().all(|n| n % 9 == 0), "{prepared:?}");
}

#[test]
fn threads_without_a_meaning_are_refused_at_their_line() {
    let wrong = [
        ("threads = [0, 1]", 9, "0 threads are out of range", "write 1 to 1024"),
        ("threads = [1, 1025]", 9, "1025 threads are out of range", "write 1 to 1024"),
        ("threads = [1, 2, 1]", 9, "1 threads are listed twice", ""),
        ("threads = []", 9, "no threads", "threads = [1, 2, 4]"),
        ("threads = \"most\"", 9, "expected a list of numbers, or \"all\"", ""),
        ("threads = [2]\nshape = \"latency\"", 9, "latency is that of one thread", "leave out"),
        ("contract = { threads = 2 }", 9, "not a key of the contract", "threads = [1, 2]"),
        ("contract = { shared = \"context\" }", 9, "one thread shares nothing", "threads = [1, 2]"),
        ("thread = [1, 2]", 9, "unknown field `thread`", "threads"),
    ];
    for (more, line, what, help) in wrong {
        let said = home(more).cupel(&["run", "q"]);
        assert_eq!(said.status, Some(3), "{more}: {}", said.err);
        assert!(said.err.contains(&format!("q.toml:{line}: ")), "{more}: {}", said.err);
        let err = said.err.replace("\n  ", " ");
        assert!(err.contains(what) && err.contains(help), "{more}: {err}");
    }
}

/// A contender that shares nothing is not asked to share, and says so.
#[test]
fn what_cannot_be_shared_is_unsupported() {
    let home = home("threads = [1, 2]\ncontract = { shared = \"context\" }");
    let (_, cells, err) = home.run(&[]);
    for row in cells.all("sham/a") {
        let threads = row["contract"].as_str().unwrap().contains("2 threads that share a context");
        let expected = if threads { "unsupported" } else { "baseline" };
        assert_eq!(row["verdict"], expected, "{row:#} {err}");
    }
}

const CLAIM: &str = "[[claim]]\nsource = \"x\"\nquote = \"y\"\nsays = \"sham/a >= 1.8x sham/b\"\n";

/// On one thread `a` is 1.3 times as fast as `b`, on eight 2.21 times: the claim holds on eight
/// only.
#[test]
fn a_claim_is_decided_on_the_threads_that_it_names() {
    let home = home(&format!("{THREADS}\n\n{CLAIM}threads = 8\n\n{CLAIM}threads = 1\n"));
    home.run(&[]);
    let said = home.cupel(&["check", "q"]);
    assert_eq!(said.status, Some(1), "{}", said.out);
    assert!(said.out.contains("1 held, 1 refuted, 0 undecided"), "{}", said.out);
    let words = said.out.replace("\n ", " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let on_eight = "held sham/a is at least 1.8 times as fast as sham/b (sha256 digest, throughput, \
                    on 8 threads) 64 B: held: 2.2";
    assert!(words.contains(on_eight), "{words}");
    assert!(words.contains("(sha256 digest, throughput) 64 B: refuted: 1.3"), "{words}");
    let json = home.cupel(&["check", "q", "--format", "json"]).out;
    let claims = serde_json::from_str::<Value>(&json).unwrap()["claims"].clone();
    for (place, threads, verdict) in [(0, 8, "held"), (1, 1, "refuted")] {
        assert_eq!(claims[place]["threads"], threads, "{json}");
        assert_eq!(claims[place]["verdict"], verdict, "{json}");
    }
    let markdown = home.cupel(&["check", "q", "--format", "markdown"]).out;
    assert!(markdown.contains("on 8 threads"), "{markdown}");
}

/// No one guesses on how many threads it is claimed.
#[test]
fn a_claim_on_several_numbers_of_threads_says_which() {
    let wrong = [
        (
            THREADS,
            "",
            11,
            "on how many threads is this claimed? the workload of line 6 is measured on 1, 2, 8 threads",
            "add threads = 1 or threads = 2 or threads = 8",
        ),
        (THREADS, "threads = 4\n", 15, "nothing is measured on 4 threads", "correct the number"),
        ("", "threads = 2\n", 15, "the workload of line 6 is measured on 1 thread", ""),
    ];
    for (workload, key, line, what, help) in wrong {
        let said = home(&format!("{workload}\n\n{CLAIM}{key}")).cupel(&["check", "q"]);
        assert_eq!(said.status, Some(3), "{}{}", said.out, said.err);
        let err = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(err.contains(what) && err.contains(help), "{err}");
        assert!(err.contains(&format!("q.toml:{line}: ")), "{line}: {err}");
    }
    let only = home(&format!("threads = [8]\n\n{CLAIM}"));
    only.run(&[]);
    let said = only.cupel(&["check", "q"]);
    assert_eq!(said.status, Some(0), "one number needs no key: {}{}", said.out, said.err);
    assert!(said.out.contains("on 8 threads"), "{}", said.out);
}

/// Real threads need real processors.
#[test]
fn more_threads_than_processors_are_unsupported() {
    let home = Home::empty();
    let contenders = json!([{ "name": "a", "primitives": ["sha256"], "fixed_ns": 2000 }]);
    home.family("sham", &json!({ "world": { "real": true }, "contenders": contenders }), "");
    let text = "question = \"Does it scale?\"\nforks = 2\nbudget = \"1s\"\n\n[[workload]]\n\
                primitive = \"sha256\"\nsizes = [64]\nthreads = [1, 1024]\n";
    home.write("suites/q.toml", text);
    let (_, cells, err) = home.run(&["--budget", "least", "--anyway"]);
    let row = &cells.all("sham/a")[1];
    assert_eq!(row["verdict"], "unsupported", "{row:#} {err}");
    let reason = row["reason"].as_str().unwrap();
    let here = cupel_machine::processors();
    assert!(reason.starts_with(&format!("this machine has {here} processor")), "{reason}");
}

/// No sentence above a table decides a question that the table leaves open because its control is
/// off.
#[test]
fn a_control_that_is_off_leaves_open_what_threads_keep() {
    let home = home(THREADS);
    assert_eq!(home.cupel(&["run", "q"]).status, Some(0));
    let off = "update slice set elapsed_ns = elapsed_ns * 1.05 where cell in
               (select key from run, json_each(plan, '$.cells')
                where json_extract(json_each.value, '$.control') and
                json_extract(plan, '$.comparisons[' || json_extract(json_each.value, '$.comparison')
                             || '].workload.contract.threads') = 8)";
    home.change(off);
    let shown = home.cupel(&["show"]).out;
    assert!(shown.contains("UNTRUSTED"), "{shown}");
    assert!(shown.starts_with("SHA-256, 64 B: what 8 threads keep is open"), "{shown}");
    let document = home.cupel(&["show", "--format", "json"]).out;
    let document: Value = serde_json::from_str(&document).unwrap();
    let all = document["scaling"].as_array().unwrap();
    for one in all.iter().filter(|one| one["threads"] == 8) {
        assert_eq!(one["verdict"], "untrusted", "{one:#}");
    }
}
