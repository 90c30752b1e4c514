//! A contender that led on another machine, by the table that `scripts/evidence/leaders.py` draws,
//! is named if it is not here.

use crate::support::{Home, Said};
use serde_json::{Value, json};

/// The class of processors on which `c/ipsec-mb` led.
pub const FLAGS: &str = "aes avx2 sha_ni avx512f vaes vpclmulqdq ssse3";

/// A family with two contenders; `own` sets the one that led elsewhere apart.
pub fn family(home: &Home, name: &str, own: Value) {
    let base = json!({ "name": "base", "primitives": ["aes-256-gcm"], "fixed_ns": 50_000 });
    let mut leader =
        json!({ "name": "ipsec-mb", "primitives": ["aes-256-gcm"], "fixed_ns": 60_000 });
    leader.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
    let missing = "[missing]\nreason = \"no\"\nremedy = \"apt-get install libipsec-mb-dev\"\n";
    home.family(name, &json!({ "seed": 5, "contenders": [base, leader] }), missing);
}

/// Measures these contenders.
pub fn measure(home: &Home, contenders: &str, baseline: &str) {
    let text = format!(
        "question = \"?\"\nforks = 3\nbudget = \"1s\"\n\n[[workload]]\nprimitive = \"aes-256-gcm\"\n\
         operation = \"seal\"\nsizes = [64]\ncontenders = [\"{contenders}\"]\nbaseline = \"{baseline}\"\n"
    );
    home.write("suites/q.toml", text);
    let said = home.cupel(&["run", "q"]);
    assert_eq!(home.count("select count(*) from run"), 1, "{}", said.err);
}

/// The words about the leader in a run and on its page, on a processor with these extensions.
fn said(home: &Home, flags: &str) -> [String; 2] {
    on_processor(home, flags);
    let page = home.path("page.html");
    let written = home.cupel(&["show", "-o", page.to_str().unwrap()]);
    assert_eq!(written.status, Some(0), "{}", written.err);
    let page = std::fs::read_to_string(page).unwrap();
    [home.cupel(&["show"]).out, page].map(|text| of_leader(&text))
}

/// Gives the runs a processor with these extensions.
pub fn on_processor(home: &Home, flags: &str) {
    let flags = json!({ "known": flags.split(' ').collect::<Vec<_>>() }).to_string();
    let sql = format!("update run set machine = json_set(machine, '$.flags', json('{flags}'))");
    home.change(&sql);
}

/// The words about a leader in a text.
pub fn of_leader(text: &str) -> String {
    // An Intel is called "Intel(R) Xeon(R)".
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("(R)", "");
    let starts = ["not here: ", "failed here: "].map(|words| format!("{words}c/ipsec-mb, "));
    let from = starts.iter().find_map(|start| text.find(start.as_str()));
    let end = |text: &str| text.find(')').map_or(text.len(), |end| end + 1);
    let Some(from) = from else { return String::new() };
    // The remedy follows the machine, which has parentheses, too.
    let rest = &text[from..];
    let machine = end(rest);
    rest[..machine + end(&rest[machine..])].to_string()
}

#[test]
fn a_leader_that_is_not_installed_is_named_on_the_class_of_processors_on_which_it_led() {
    let home = Home::empty();
    family(&home, "c", json!({ "missing": "no library" }));
    measure(&home, "*", "c/base");
    for line in said(&home, FLAGS) {
        assert!(line.starts_with("not here: c/ipsec-mb, 1."), "{line}");
        assert!(line.contains(" times as fast as ") && line.contains(", 2026-1"), "{line}");
        assert!(line.ends_with("libipsec-mb-dev)"), "{line}");
    }
    assert_eq!(said(&home, "aes avx2 vaes"), ["", ""], "another processor");
}

#[test]
fn a_leader_is_not_called_missing_if_it_is_here_or_cannot_run_here() {
    let lacks = "the CPU lacks features that the library needs";
    let states = [
        ("it is here", json!({})),
        ("it is not supported", json!({ "lacking": lacks })),
        ("it answers wrongly", json!({ "fault": { "kind": "wrong-fold" } })),
    ];
    for (state, own) in states {
        let home = Home::empty();
        family(&home, "c", own);
        measure(&home, "*", "c/base");
        assert_eq!(said(&home, FLAGS), ["", ""], "{state}");
    }
    let home = Home::empty();
    family(&home, "c", json!({ "missing": "no library" }));
    measure(&home, "c/base", "c/base");
    assert_eq!(said(&home, FLAGS), ["", ""], "the question leaves it out");
}

#[test]
fn a_leader_that_failed_is_named_with_its_reason_and_not_with_the_command_that_installs_it() {
    let home = Home::empty();
    let base = json!({ "name": "base", "primitives": ["aes-256-gcm"], "fixed_ns": 50_000 });
    home.family("own", &json!({ "seed": 5, "contenders": [base] }), "");
    home.write(
        "contenders/c.toml",
        "runner = \"program\"\nprefix = \"c\"\ncommand = [\"/no/such/program\"]\n\
         [missing]\nreason = \"no\"\nremedy = \"apt-get install libipsec-mb-dev\"\n\
         [[contender]]\nname = \"ipsec-mb\"\noffers = [\"aes-256-gcm:seal\"]\n",
    );
    measure(&home, "*", "own/base");
    for line in said(&home, FLAGS) {
        assert!(line.starts_with("failed here: c/ipsec-mb, 1."), "{line}");
        assert!(line.contains("/no/such/program") && !line.contains("install"), "{line}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn doctor_names_a_leader_until_it_is_here() {
    let home = Home::empty();
    let doctor = |flags: &str| {
        let cpu = format!("processor\t: 0\nmodel name\t: X\nflags\t\t: {flags}\n");
        home.write("cpuinfo", cpu);
        let said = Said::from(
            home.command_over("cpuinfo", "/proc/cpuinfo")?.arg("doctor").output().unwrap(),
        );
        Some((of_leader(&said.out), said.out.contains("leaders ")))
    };
    family(&home, "c", json!({ "missing": "no library" }));
    let Some((line, leads)) = doctor(FLAGS) else { return };
    assert!(leads && line.starts_with("not here: c/ipsec-mb, 1."), "{line}");
    assert!(line.ends_with("libipsec-mb-dev)"), "{line}");
    assert_eq!(doctor("aes avx2 vaes"), Some((String::new(), false)), "another processor");
    family(&home, "c", json!({}));
    assert_eq!(doctor(FLAGS), Some((String::new(), false)), "it is here now");
}
