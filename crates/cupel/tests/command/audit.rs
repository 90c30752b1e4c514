//! `scripts/audit` finds no contradiction in a true document, and each that is planted in one.

use crate::support::{Home, Said, sham};
use serde_json::{Value, json};
use std::process::Command;

const FORKS: u64 = 12;

/// Each contender with its costs in ns, per call and per byte.
const COSTS: [(&str, f64, f64); 5] = [
    ("base", 60.0, 1.0),
    ("short", 30.0, 1.03),
    ("two", 3000.0, 0.0),
    ("step", 5000.0, 0.0),
    ("heap", 7000.0, 0.0),
];

/// The time of `two` in odd forks, and `step` from fork 7 on.
const TWO_NS: f64 = 4000.0;
const STEP_NS: f64 = 6500.0;

/// The time of a call at 64 bytes.
const BASE_NS: f64 = 124.0;
const SHORT_NS: f64 = 95.92;

/// The kinds whose mistakes are in `audit_whole.rs`.
pub const OF_RUN: [&str; 17] = [
    "beside",
    "empty-call",
    "forks",
    "heap-limit",
    "intervals",
    "jit-forks",
    "keeps",
    "layouts",
    "not-audited",
    "other-programs",
    "probed",
    "replaced",
    "retired",
    "shared-cores",
    "shortest-aside",
    "throttled",
    "too-few-forks",
];

/// A home with one run of two sizes. At 64 bytes `short` is the fastest, at 1024 bytes it ties with
/// `base`. All contenders run in all forks.
fn home() -> Home {
    let home = Home::empty();
    for variant in 0..4 {
        let (odd, late) = (variant % 2 == 1, variant >= 2);
        let contender = |(name, fixed_ns, per_byte_ns): (&str, f64, f64)| {
            let fixed_ns = match name {
                "two" if odd => TWO_NS,
                "step" if late => STEP_NS,
                _ => fixed_ns,
            };
            let mut contender = json!({ "name": name, "primitives": ["siphash-2-4"],
                "fixed_ns": fixed_ns, "per_byte_ns": per_byte_ns });
            if name == "heap" {
                contender["allocated_per_call"] = json!(1000);
                contender["heap"] = json!({ "bytes": 200_000, "pause_us": 100 });
            }
            contender
        };
        let contenders = COSTS.map(contender);
        let script = json!({ "seed": 7, "world": { "noise_sd": 0.002 }, "contenders": contenders });
        home.write(&format!("script{variant}.json"), script.to_string());
    }
    let line = format!(
        "V=$((CUPEL_FORK % 2 + 2 * (CUPEL_FORK >= 7))); exec {} --script {}$V.json --clock {}",
        sham().display(),
        home.path("script").display(),
        home.path("clock").display()
    );
    let command = format!("[\"/bin/sh\", \"-c\", {line:?}]");
    let family = format!("runner = \"program\"\nprefix = \"sham\"\ncommand = {command}\n");
    home.write("contenders/sham.toml", family);
    home.suite("[64, 1024]", "baseline = \"sham/base\"");
    let forks = FORKS.to_string();
    let said = home.cupel(&["run", "q", "--forks", &forks, "--first-forks", &forks]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    home
}

/// The auditor.
pub fn audit(arguments: &[&str]) -> Said {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/audit");
    Command::new(script).args(arguments).output().expect("python3").into()
}

/// Writes documents, one in each line, and audits them against the store.
pub fn audit_of(home: &Home, documents: &[Value]) -> Said {
    let lines: Vec<String> = documents.iter().map(Value::to_string).collect();
    home.write("documents.json", lines.join("\n"));
    let (file, store) = (home.path("documents.json"), home.store());
    audit(&["--json", file.to_str().unwrap(), store.to_str().unwrap()])
}

/// The cells of a run, by comparison and name.
struct Cells(Value);

impl Cells {
    fn of_only_run(home: &Home) -> Cells {
        let text = home.database().query_row("select plan from run", [], |row| row.get(0));
        let text: String = text.expect("a plan");
        Cells(serde_json::from_str(&text).unwrap())
    }

    /// A contender as findings name it.
    fn named(&self, comparison: usize, name: &str) -> Value {
        let position = COSTS.iter().position(|cost| cost.0 == name).expect("a contender");
        let is = |cell: &Value| {
            cell["comparison"] == comparison
                && cell["contender"] == position
                && cell["control"] == false
        };
        let cell = self.0["cells"].as_array().unwrap().iter().position(is).expect("a cell");
        json!({ "name": format!("sham/{name}"), "cell": cell })
    }
}

/// The document of the run, with findings that are true.
fn document(home: &Home) -> Value {
    let shown = home.cupel(&["show", "--format", "json"]).out;
    let mut document: Value = serde_json::from_str(&shown).unwrap();
    let cells = Cells::of_only_run(home);
    let row = |name: &str| {
        let rows = document["cells"].as_array().unwrap();
        let is = |row: &&Value| row["contender"] == format!("sham/{name}") && row["size"] == 64;
        rows.iter().find(is).expect("a row").clone()
    };
    let of = |name: &str| cells.named(0, name);
    let all: Vec<u64> = (1..=FORKS).collect();
    let odd: Vec<u64> = all.iter().copied().filter(|fork| fork % 2 == 1).collect();
    let even: Vec<u64> = all.iter().copied().filter(|fork| fork % 2 == 0).collect();
    let (early, late) = (&all[..6], &all[6..]);
    let disturbed = "select count(distinct round) from slice join round on round.id = round
        where disturbed is not null and comparison = 0";
    let disturbed = home.count(disturbed);
    let rounds = home.count("select count(*) from round where comparison = 0");
    let [base, two, heap] = ["base", "two", "heap"].map(row);
    let (collecting, without) = (&heap["collecting_ns_per_call"], &heap["ns_without_collecting"]);
    assert!(collecting.as_f64() > Some(70.0), "{heap:#}");
    let behind = |name: &str, times: f64, parts: Value| {
        json!({ "contender": of(name), "times": times, "low": 0.99 * times, "high": null,
            "ns": row(name)["ns_median"], "forks": all, "parts": parts,
            "left_early": false })
    };
    let (slow, fast) = (TWO_NS / SHORT_NS, 3000.0 / SHORT_NS);
    let parts = json!([{ "times": fast, "forks": even }, { "times": slow, "forks": odd }]);
    let others = [
        behind("base", BASE_NS / SHORT_NS, json!([{ "times": BASE_NS / SHORT_NS, "forks": all }])),
        behind("two", 0.5 * (slow + fast), parts),
    ];
    let mut undecided = others[1].clone();
    undecided["kind"] = json!("slower-undecided");
    undecided["than"] = of("short");
    undecided["because"] = json!({ "reason": "levels" });
    let mut findings = [
        json!({ "kind": "fastest", "contender": of("short"), "others": others, "among": "all",
            "compared": COSTS.len(), "languages": ["sham"] }),
        undecided,
        json!({ "kind": "levels", "contender": of("two"), "levels": [
            { "ns": 3000, "forks": even }, { "ns": TWO_NS, "forks": odd }] }),
        json!({ "kind": "ratio-levels", "contender": of("two"), "than": of("base"), "levels": [
            { "times": 3000.0 / BASE_NS, "forks": even },
            { "times": TWO_NS / BASE_NS, "forks": odd }] }),
        json!({ "kind": "changed", "contender": of("step"), "shape": "step",
            "before": { "ns": 5000, "forks": early }, "after": { "ns": STEP_NS, "forks": late },
            "from_fork": 7, "to_fork": null }),
        json!({ "kind": "overhead", "contender": of("base"), "ns": 2, "share": 2.0 / BASE_NS,
            "of": base["ns_median"] }),
        json!({ "kind": "collecting", "contender": of("heap"), "ns": collecting, "bytes": 1000,
            "without": without }),
        json!({ "kind": "control", "contender": of("base"), "times": 1.0, "low": 0.99,
            "high": 1.01, "rounds": rounds, "disturbed": disturbed }),
        json!({ "kind": "verdict", "contender": of("two"), "than": of("base"),
            "verdict": "slower", "times": two["ratio"], "low": two["ratio_low"],
            "high": two["ratio_high"], "forks": all }),
        json!({ "kind": "not-tested", "contenders": [of("base")] }),
    ]
    .to_vec();
    let tied = ["base", "short"].map(|name| cells.named(1, name));
    findings.push(json!({ "kind": "tie", "contenders": tied, "within": 1.02 }));
    let sizes = [64, 1024];
    let work = |size: u64| {
        json!({ "primitive": base["primitive"], "operation": base["operation"],
            "contract": base["contract"], "shape": base["shape"], "size": size })
    };
    for finding in &mut findings {
        let comparison = usize::from(finding["kind"] == "tie");
        finding["comparison"] = json!(comparison);
        finding["work"] = work(sizes[comparison]);
    }
    for (answer, sentence, fastest) in [
        (0, "sham/short 0.1.0 is the fastest; sham/base 0.1.0 takes 1.29 times as long", 1),
        (1, "sham/base 0.1.0 and sham/short 0.1.0 tie for the fastest", 2),
    ] {
        document["answers"][answer]["answer"] = json!(sentence);
        let names = if fastest == 1 { json!(["sham/short"]) } else { json!(["sham/base"]) };
        document["answers"][answer]["fastest"] = names;
    }
    document["findings"] = json!(findings);
    document
}

/// A document with one mistake.
#[derive(Clone)]
struct Planted {
    /// The kind of the finding and the way to the figure in it, or the way in the document.
    at: &'static str,
    /// The value in its place.
    to: Value,
    /// The auditor's words about it.
    says: &'static str,
}

fn planted(at: &'static str, to: Value, says: &'static str) -> Planted {
    Planted { at, to, says }
}

/// A mistake in each figure that a rule reads.
fn mistakes(cells: &Cells) -> Vec<Planted> {
    let of = |name: &str| cells.named(0, name);
    let other = |name: &str| cells.named(1, name);
    let mixed = json!([
        { "ns": 3000, "forks": [2, 4, 6, 8, 10, 11] },
        { "ns": TWO_NS, "forks": [1, 3, 5, 7, 9, 12] },
    ]);
    let mixed_ratios = json!([
        { "times": 3000.0 / BASE_NS, "forks": [2, 4, 6, 8, 10, 11] },
        { "times": TWO_NS / BASE_NS, "forks": [1, 3, 5, 7, 9, 12] },
    ]);
    vec![
        planted("fastest/contender", of("base"), "nothing is faster than sham/base"),
        planted("fastest/compared", json!(6), "6 (sham); the slices show 5 (sham)"),
        planted("fastest/languages", json!(["c"]), "5 (c); the slices show 5 (sham)"),
        planted("fastest/contender/cell", json!(1000), "no such cell in the plan"),
        planted("fastest/contender/name", json!("sham/two"), "that it is sham/short"),
        planted("fastest/contender", other("short"), "is in another"),
        planted(
            concat!("fastest/work", "/size"),
            json!(128),
            "size 128; the slices show that it is 64",
        ),
        planted("fastest/others/0/times", json!(1.5), "takes 1.5 times as long"),
        planted("fastest/others/0/low", json!(1.4), "outside its interval"),
        planted("fastest/others/0/forks", json!([1, 2, 3, 4]), "forks 5-12 as well"),
        planted("fastest/others/0/forks", json!([12, 13]), "no figure in forks 13"),
        planted("fastest/others/0/forks", json!([]), "they are none"),
        planted("fastest/others/0/forks", json!([2]), "one process, which may be off by 3.0"),
        planted(
            "fastest/others/0/left_early",
            json!(true),
            "ran in 12 forks, of 0 before the look",
        ),
        planted("fastest/others/0/left_early", json!(true), " times the time of the fastest"),
        planted("fastest/others/1/parts", json!([]), "and that in none"),
        planted("fastest/others/1/parts/0/times", json!(40), "takes 40 times as long"),
        planted("fastest/others/1/parts/0/forks", json!([2, 4]), "not the parts of forks 1-12"),
        planted("fastest/others/0/parts/0/times", json!(1.5), "takes 1.5 times as long"),
        planted("fastest/others/0/ns", json!(130), "ns_median is 12"),
        planted("slower-undecided/than", of("step"), "took longer than sham/step in every fork"),
        planted("levels/levels/0/ns", json!(3100), "none of these processes took that"),
        planted("levels/levels/0/forks", json!([2, 4]), "not the parts of forks 1-12"),
        planted("levels/levels", mixed, "that they overlap"),
        planted("levels/kind", json!("new"), "it has no rule"),
        planted("ratio-levels/levels/0/times", json!(28), "takes 28 times as long"),
        planted("ratio-levels/levels", mixed_ratios, "that they overlap"),
        planted("changed/before/ns", json!(5300), "none of these processes took that"),
        planted("changed/after/forks", json!([8, 9, 10, 11, 12]), "that these are not its parts"),
        planted("changed/before/forks", json!([1, 2, 3, 4]), "that these are not its parts"),
        planted("changed/from_fork", json!(3), "a step from fork 3; the slices show nothing"),
        planted("changed/shape", json!("burst"), "a burst from fork 7; the slices show nothing"),
        planted("changed/contender", of("base"), "took 5000 ns, and then 6500 ns"),
        planted("overhead/ns", json!(5), "the empty call of sham/base takes 5 ns"),
        planted("overhead/share", json!(0.5), "is a share of 0.5"),
        planted("collecting/ns", json!(1), "collecting_ns_per_call is"),
        planted("collecting/bytes", json!(500), "allocates 500 B per call"),
        planted("collecting/without", json!(6000), "takes 6000 ns without collecting"),
        planted("control/times", json!(1.2), "the control of sham/base is 1.2"),
        planted("control/rounds", json!(100_000), "100000 rounds, "),
        planted("control/disturbed", json!(5), "5 of them disturbed"),
        planted("verdict/low", json!(5), "ratio_low is"),
        planted("verdict/verdict", json!("faster"), "the opposite in 12 of 12 forks"),
        planted("verdict/times", json!(20), "takes 20 times as long"),
        planted("not-tested/kind", json!("leaks"), "no leak test in the store"),
        planted("not-tested/kind", json!("none-seen"), "no leak test in the store"),
        planted("/cells/1/leaks", json!("leaks"), "its row says leaks"),
        planted("tie/contenders/1", other("two"), "sham/two ties with sham/base"),
        planted(
            "tie/contenders",
            json!([other("step"), other("heap")]),
            "is faster than sham/step",
        ),
        planted("tie/within", json!(0.9), "is within 0.9 of"),
        planted("/cells/0/ns_median", json!(97.5), "sham/short takes 97.5 ns"),
        planted("/cells/0/ns_median", json!(200), "comes before sham/base"),
        planted("/cells/0/ns_median", json!(null), "sham/short has no time"),
        planted("/cells/0/ratio", json!(0.9), "has a ratio of 0.9"),
        planted("/cells/0/forks", json!(9), "the baseline have 9 forks"),
        planted("/cells/0/verdict", json!("slower"), "sham/short is slower"),
        planted("/cells/2/levels", json!("3500.0:6 4000.0:6"), "none of its processes did"),
        planted("/cells/2/levels", json!("3000.0:5 4000.0:6"), "12 processes"),
        planted("/cells/2/ratio_levels", json!("28.0:6 32.3:6"), "that none had it"),
        planted("/answers/0/answer", json!("sham/heap is the fastest"), "names sham/heap"),
        planted("/answers/0/answer", json!("1.50 times as long"), "the sentence has 1.50 times"),
        planted("/answers/0/fastest", json!(["sham/two"]), "fastest: sham/two"),
    ]
}

/// Findings that are false of the run, with the auditor's words about each. Those that answer stand
/// in the place of the tie.
fn false_findings(cells: &Cells) -> Vec<Planted> {
    let of = |name: &str| cells.named(0, name);
    let other = |name: &str| cells.named(1, name);
    let (base, two, step) = (other("base"), other("two"), other("step"));
    let all: Vec<u64> = (1..=FORKS).collect();
    let order = json!({ "kind": "order", "first": base, "second": other("short"), "times": 1.0,
        "forks": all });
    let far = json!({ "kind": "order", "first": base, "second": step, "times": 5500.0 / 1084.0,
        "forks": all });
    let open = json!({ "kind": "open", "contenders": [base, two], "because": { "reason": "x" },
        "remedy": null, "others": [] });
    let behind = json!({ "contender": other("short"), "times": 1.0, "low": null, "high": null,
        "forks": all, "parts": [{ "times": 1.0, "forks": all }] });
    let open_because = |because: Value| {
        json!({ "kind": "open", "contenders": [base, other("short")], "others": [behind],
            "remedy": null, "because": because })
    };
    let few = open_because(json!({ "reason": "few-forks", "enough": 11, "undecided_below": 0.15 }));
    let ran_in_few = open_because(json!({ "reason": "ran-in-few", "enough": 11 }));
    let ns = |forks: &[u64], times: f64| json!({ "times": times, "forks": forks });
    let alone = json!({ "kind": "slower-undecided", "contender": step, "than": base,
        "times": 5000.0 / 1084.0, "low": null, "high": null, "forks": [1],
        "parts": [ns(&[1], 5000.0 / 1084.0)],
        "because": { "reason": "wide", "contender": step, "reach": null } });
    let disturbed = open_because(json!({ "reason": "disturbed", "contender": other("short"),
        "dropped": 900, "all": 1000 }));
    let (early, late): (Vec<u64>, Vec<u64>) = all.iter().partition(|fork| **fork < 7);
    let [steps, than] = ["step", "base"].map(of);
    let speeds = json!({ "kind": "open", "comparison": 0, "contenders": [steps, than], "others": [],
        "remedy": null, "because": { "reason": "two-levels", "contender": steps, "than": than,
            "whose": null,
            "parts": [ns(&early, 5000.0 / BASE_NS), ns(&late, STEP_NS / BASE_NS)] } });
    let blames = json!({ "kind": "open", "contenders": [two, base], "others": [], "remedy": null,
        "because": { "reason": "levels", "contender": base } });
    vec![
        planted("tie", ran_in_few, "too few forks: fewer than (11, 0.15)"),
        planted("tie", few, "too few forks: fewer than (11, 0.15)"),
        planted("", speeds, "two speeds: sham/step than sham/base"),
        planted("", alone, "processes differ; the slices show one process of each"),
        planted("tie", disturbed, "900 of 1000 rounds of sham/short are disturbed"),
        planted("tie", blames, "that those of sham/two differ between these forks"),
        planted("tie", open, "sham/two may be as fast as sham/base"),
        planted("tie", json!({ "kind": "alone", "contender": base, "ns": 1084 }), "times of "),
        planted("tie", json!({ "kind": "no-answer", "because": {} }), "the table has verdicts of"),
        planted(
            "tie",
            json!({ "kind": "no-answer", "because": { "reason": "untrusted" } }),
            "the control is off",
        ),
        planted("", order, "their times are in this order"),
        planted("", far, "not neighbouring rows"),
        planted(
            "",
            json!({ "kind": "not-here", "contender": "sham/base", "times": 1.5, "next": "sham/short",
                "size": 64, "machine": "AMD EPYC", "day": "2026-11-28" }),
            "no such row of the leaders",
        ),
        planted(
            "",
            json!({ "kind": "left-out", "contenders": ["sham/two"] }),
            "sham/two was left out",
        ),
        planted(
            "",
            json!({ "kind": "limit", "contender": { "name": "sham/x", "cell": of("base")["cell"] } }),
            "is sham/x",
        ),
        planted(
            "",
            json!({ "kind": "not-steady", "contender": two, "forks": [1, 2], "all": FORKS }),
            "was not steady in 2 of 12",
        ),
        planted(
            "",
            json!({ "kind": "too-fast", "contender": two, "from": 0, "from_ns": 0.0, "ns": 3500.0 }),
            "that it takes 3",
        ),
        planted(
            "",
            json!({ "kind": "slows-next", "contender": two, "factor": 1.1 }),
            "slows the next by 1.1",
        ),
        planted(
            "tie",
            json!({ "kind": "choice", "primitive": "sha256", "contenders": [base, other("short")],
                "because": null, "others": [] }),
            "sha256 is the fastest; the slices show nothing: sham/base may be it",
        ),
        planted(
            "",
            json!({ "kind": "given-up", "contender": two, "forks": 2, "all": FORKS }),
            "2 of 12 forks of sham/two do not count",
        ),
        planted(
            "",
            json!({ "kind": "leak-undecided", "contenders": [two] }),
            "no leak test in the store",
        ),
        planted(
            "",
            json!({ "kind": "no-control", "why": "no-baseline", "rounds": 0, "disturbed": 0 }),
            "the baseline has no time",
        ),
    ]
}

/// The document with that mistake.
fn with(document: &Value, planted: &Planted) -> Value {
    let mut changed = document.clone();
    let findings = document["findings"].as_array().unwrap();
    let (kind, way) = planted.at.split_once('/').unwrap_or((planted.at, ""));
    let mut to = planted.to.clone();
    if kind.is_empty() && !way.is_empty() {
        *changed.pointer_mut(planted.at).expect(planted.at) = to;
        return changed;
    }
    if to.get("kind").is_some() {
        let answer = if to["comparison"] == 0 { "fastest" } else { "tie" };
        let answer = findings.iter().find(|finding| finding["kind"] == answer).expect("an answer");
        to["comparison"] = answer["comparison"].clone();
        to["work"] = answer["work"].clone();
    }
    if kind.is_empty() {
        changed["findings"].as_array_mut().unwrap().push(to);
        return changed;
    }
    let number = findings.iter().position(|finding| finding["kind"] == kind).expect(kind);
    let pointer = if way.is_empty() { String::new() } else { format!("/{way}") };
    *changed["findings"][number].pointer_mut(&pointer).expect(planted.at) = to;
    changed
}

#[test]
fn the_auditor_finds_what_the_slices_contradict_and_nothing_in_a_true_document() {
    let home = home();
    let (true_, cells) = (document(&home), Cells::of_only_run(&home));
    let said = audit_of(&home, &[true_.clone(), true_.clone()]);
    assert_eq!((said.status, said.out.as_str()), (Some(0), ""), "{}", said.err);

    let mistakes = [mistakes(&cells), false_findings(&cells)].concat();
    let mut list = String::new();
    for (number, planted) in mistakes.iter().enumerate() {
        let name = format!("mistake-{number}.json");
        home.write(&name, with(&true_, planted).to_string());
        list += &format!("{}\t{}\n", home.store().display(), home.path(&name).display());
    }
    home.write("list", list);
    let said = audit(&["--many", home.path("list").to_str().unwrap()]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    let mut missed = vec![];
    for (number, planted) in mistakes.iter().enumerate() {
        let name = format!("mistake-{number}.json: ");
        let lines: Vec<&str> = said.out.lines().filter(|line| line.contains(&name)).collect();
        if !lines.iter().any(|line| line.contains(planted.says)) {
            missed.push(format!("{} {}: {lines:#?}", planted.at, planted.to));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    let rules = audit(&["--rules"]).out;
    let kinds: Vec<&str> = rules.lines().collect();
    assert!(kinds.is_sorted() && kinds.len() > 15, "{rules}");
    for kind in kinds.iter().filter(|kind| !OF_RUN.contains(kind)) {
        assert!(said.out.contains(&format!("), {kind}: ")), "no mistake breaks the rule of {kind}");
    }
}

#[test]
fn an_answer_that_depends_on_the_baseline_is_found() {
    let home = Home::empty();
    let work =
        json!({ "primitive": "p", "operation": "o", "contract": "c", "shape": "s", "size": 1 });
    let [a, b] = ["a", "b"].map(|name| json!({ "name": name, "cell": 0 }));
    let fastest = |of: &Value| json!({ "kind": "fastest", "work": work, "contender": of });
    let tie = json!({ "kind": "tie", "work": work, "contenders": [a, b] });
    let open = |reason: &str, blamed: &Value| {
        json!({ "kind": "open", "work": work, "contenders": [a, b],
            "because": { "reason": reason, "contender": blamed } })
    };
    for (one, other, status) in [
        (fastest(&a), fastest(&a), 0),
        (fastest(&a), fastest(&b), 1),
        (fastest(&a), tie.clone(), 0),
        (tie.clone(), open("levels", &a), 1),
        (open("levels", &a), tie.clone(), 1),
        (tie, open("wide", &a), 0),
        (open("levels", &a), open("levels", &a), 0),
        (open("levels", &a), open("levels", &b), 1),
    ] {
        for (name, finding) in [("a.json", &one), ("b.json", &other)] {
            home.write(name, json!({ "findings": [finding] }).to_string());
        }
        let files = ["a.json", "b.json"].map(|name| home.path(name));
        let said = audit(&["--swapped", files[0].to_str().unwrap(), files[1].to_str().unwrap()]);
        assert_eq!(said.status, Some(status), "{one} {other}: {}{}", said.out, said.err);
        assert_eq!(said.out.contains("depends on the baseline"), status == 1, "{}", said.out);
    }
}

#[test]
fn what_cannot_be_audited_has_a_status_of_its_own() {
    let home = Home::empty();
    home.write("none.json", "{}");
    home.write("text.json", "no document");
    home.write("list", "no tab\n");
    let path = |name: &str| home.path(name).to_str().unwrap().to_string();
    for arguments in [
        vec![path("runs.sqlite")],
        vec!["--json".to_string(), path("none.json"), path("runs.sqlite")],
        vec!["--many".to_string(), path("list")],
        vec!["--swapped".to_string(), path("text.json"), path("none.json")],
        vec!["--no-such-option".to_string()],
        vec![],
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let said = audit(&arguments);
        assert_eq!(said.status, Some(3), "{arguments:?}: {}{}", said.out, said.err);
        assert!(said.err.contains("audit: "), "{}", said.err);
    }
}

/// A kind without a rule would be a sentence that is not checked.
#[test]
fn every_kind_of_finding_has_a_rule_and_is_in_the_schema() {
    let rules = audit(&["--rules"]).out;
    assert_eq!(rules.lines().collect::<Vec<_>>(), cupel_findings::Said::KINDS);
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/schema/run.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let kinds = &schema["properties"]["findings"]["items"]["properties"]["kind"]["enum"];
    assert_eq!(kinds, &json!(cupel_findings::Said::KINDS));
}
