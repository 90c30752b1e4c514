//! `cupel kernels tune`: the plan names the classes in which a path is faster, and no others; and the C
//! library takes what it names.
#![cfg(target_arch = "x86_64")]

use crate::support::{Home, Said};
use cupel_tune::{Choice, Chosen, Class};
use serde_json::{Value, json};
use std::sync::Mutex;

/// The library in this process has one plan.
static LIBRARY: Mutex<()> = Mutex::new(());

/// The cost of a message: for a call, and for each byte, in ns.
type Cost = (f64, f64);

/// The library's default, which takes `avx512`, and a path of it for each of these.
fn home(default: Cost, paths: &[(&str, Cost)]) -> Home {
    let home = Home::empty();
    let one = |name: &str, code: &str, (fixed, per_byte): Cost| {
        json!({ "name": name, "primitives": ["sha256"], "fixed_ns": fixed, "per_byte_ns": per_byte,
                "fork_sd": 0.003, "code_path": code })
    };
    let mut contenders = vec![one("cupel-many", "avx512", default)];
    let declared = |name: &str, more: &str| {
        format!(
            "\n[[contender]]\nname = \"{name}\"\n{more}library = \"sham\"\nlicence = \"MIT\"\n\
             summary = \"a sham\"\n\
             offers = [\"sha256:digest\", \"sha256:digest-many\", \"sha256:digest-file\"]\n"
        )
    };
    let mut text = declared("cupel-many", "");
    for (code, cost) in paths {
        let name = format!("cupel-many-{code}");
        contenders.push(one(&name, code, *cost));
        text += &declared(&name, "forced_path_of = \"cupel-many\"\n");
    }
    home.family("c", &json!({ "world": { "noise_sd": 0.01 }, "contenders": contenders }), &text);
    home
}

fn tune(home: &Home, more: &[&str]) -> Said {
    let file = home.path("cupel.plan");
    let file = file.to_str().unwrap();
    let usual =
        ["kernels", "tune", "sha256", "-o", file, "--budget", "4s", "--forks", "11", "--seed", "1"];
    home.cupel(&[&usual[..], more].concat())
}

fn plan(home: &Home) -> Vec<String> {
    let text = std::fs::read_to_string(home.path("cupel.plan")).expect("a plan");
    text.lines().map(String::from).collect()
}

/// `shani` is faster for long messages, and at one end of the middle sizes only; `avx2` is as fast
/// as the default.
#[test]
fn a_faster_path_is_written_and_the_library_takes_it() {
    let home = home((100.0, 1.0), &[("shani", (300.0, 0.5)), ("avx2", (100.0, 1.0))]);
    let said = tune(&home, &[]);
    assert!(matches!(said.status, Some(0 | 2)), "{}{}", said.out, said.err);
    let first = said.out.lines().next().unwrap();
    assert!(first.starts_with("4 of 12 classes are faster by another path: "), "{}", said.out);
    let plan = plan(&home);
    assert_eq!((plan[0].as_str(), plan.last().unwrap().as_str()), ("cupel-plan 1", "end"));
    assert_eq!(Some(&plan[1]), cupel_kernels::plan::cpu().as_ref(), "the line of this CPU");
    assert_eq!(plan.len(), 8, "{plan:#?}");
    for (line, count) in plan[3..7].iter().zip([1, 6, 9, 16]) {
        let words: Vec<&str> = line.split(' ').collect();
        let class = format!("{count}+");
        assert_eq!(words[..4], ["sha256-many", class.as_str(), "4096+", "shani"], "{line}");
        let (low, high): (f64, f64) = (words[4].parse().unwrap(), words[5].parse().unwrap());
        // The truth at 4096 and at 8192 bytes.
        let (short, long) = (2348.0 / 4196.0, 4396.0 / 8292.0);
        assert!(low <= long * 1.002 && short <= high * 1.002, "{line}: {long} and {short}");
        assert!(low > 0.5 && high < 0.6, "{line}");
    }

    let _alone = LIBRARY.lock();
    let before = cupel_kernels::plan::sha256_many_code(16, 4096);
    cupel_kernels::plan::load(home.path("cupel.plan")).expect("the library reads it");
    let code = cupel_kernels::plan::sha256_many_code;
    if std::is_x86_feature_detected!("sha") {
        assert_eq!((code(16, 4096), code(1, 100_000)), ("shani", "shani"));
    } else {
        assert_eq!(code(16, 4096), before, "a CPU without that code keeps its default");
    }
    cupel_kernels::plan::clear();
    assert_eq!(code(16, 4096), before);
}

/// Nothing about it is open, and so the default stays, or another path is chosen, as without it.
#[test]
fn a_path_that_this_cpu_lacks_is_not_in_question() {
    let home = home((100.0, 1.0), &[("shani", (300.0, 0.5)), ("avx2", (100.0, 1.0))]);
    let script = home.path("c.json");
    let mut told: Value = serde_json::from_slice(&std::fs::read(&script).unwrap()).unwrap();
    told["contenders"][2]["lacking"] = json!("the CPU lacks AVX2");
    home.write("c.json", told.to_string());
    let said = tune(&home, &[]);
    assert!(matches!(said.status, Some(0 | 2)), "{}{}", said.out, said.err);
    let first = said.out.lines().next().unwrap();
    assert!(first.starts_with("4 of 12 classes are faster by another path: "), "{}", said.out);
    assert!(!said.out.contains("Open"), "{}", said.out);
    assert_eq!(plan(&home).len(), 8, "{}", said.out);
}

/// Each class alone: the library takes the path where the class is measured, and nowhere else.
#[test]
fn the_library_has_the_same_classes() {
    let _alone = LIBRARY.lock();
    let all = Class::all(&cupel_tune::PRIMITIVES.map(String::from));
    assert_eq!(all.len(), 24);
    let code = |primitive: &str, (count, size): (u32, u64)| match primitive {
        "sha1" => cupel_kernels::plan::sha1_many_code(count as usize, size as usize),
        _ => cupel_kernels::plan::sha256_many_code(count as usize, size as usize),
    };
    cupel_kernels::plan::clear();
    let usual: Vec<&str> =
        all.iter().map(|class| code(&class.primitive, class.points[0])).collect();
    for named in &all {
        let choice = Choice::Path { path: "avx2".to_string(), low: 0.8, high: 0.9 };
        let chosen = [Chosen { class: named.clone(), choice }];
        let cpu = cupel_tune::cpu_line().expect("an x86-64 CPU");
        let plan = cupel_tune::plan(&cpu, "2026-11-23", &chosen);
        cupel_kernels::plan::use_text(plan.as_bytes()).expect(&plan);
        let has_it = std::is_x86_feature_detected!("avx2");
        for (class, usual) in all.iter().zip(&usual) {
            let expected = if class == named && has_it { "avx2" } else { usual };
            for point in class.points {
                assert_eq!(code(&class.primitive, point), expected, "{plan} at {point:?}");
            }
        }
    }
    cupel_kernels::plan::clear();
}

/// The plan of a stored run is the one that the run wrote. None is made of half a run, or of another
/// machine's.
#[test]
fn a_plan_can_be_made_of_a_stored_run_of_this_machine() {
    let home = home((100.0, 1.0), &[("shani", (300.0, 0.5))]);
    let first = tune(&home, &[]);
    let written = plan(&home);
    assert!(written.len() > 4, "{}", first.out);
    let file = home.path("cupel.plan");
    let again = |from: &str| {
        let _ = std::fs::remove_file(&file);
        home.cupel(&["kernels", "tune", "--from", from, "-o", file.to_str().unwrap()])
    };
    assert_eq!((again("tune").out, plan(&home)), (first.out, written.clone()));
    assert_eq!(again("1").status, first.status);
    assert_eq!(plan(&home), written);
    assert_eq!(home.count("select count(*) from run"), 1, "nothing was measured");

    let refused = |from: &str, words: &str| {
        let said = again(from);
        assert_eq!(said.status, Some(3), "{}{}", said.out, said.err);
        assert!(said.err.contains(words), "{}", said.err);
        assert!(!file.exists());
    };
    let change = |sql: &str| assert_eq!(home.database().execute(sql, []).unwrap(), 1);
    change("update run set suite = 'other'");
    refused("1", "run 1 is of other, not of `cupel kernels tune`");
    change("update run set suite = 'tune'");
    change("update run set machine = json_set(machine, '$.node', 'n7')");
    refused("1", "run 1 was measured on another machine");
    change("update run set finished = null");
    refused("1", "run 1 is not finished; `cupel run tune --resume` finishes it");
}

#[test]
fn a_tie_is_not_written() {
    let home = home((100.0, 1.0), &[("shani", (100.0, 1.0))]);
    let said = tune(&home, &["--format", "json"]);
    assert!(matches!(said.status, Some(0 | 2)), "{}{}", said.out, said.err);
    let document: Value = serde_json::from_str(&said.out).expect("JSON");
    let classes = document["classes"].as_array().unwrap();
    assert_eq!(classes.len(), 12);
    assert!(classes.iter().all(|class| class["choice"] != "path"), "{document:#}");
    assert_eq!(plan(&home).len(), 4, "no class is named");
}

#[test]
fn slower_paths_leave_the_default_everywhere() {
    let home = home((100.0, 1.0), &[("shani", (200.0, 2.0))]);
    let said = tune(&home, &[]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    let first = said.out.lines().next().unwrap();
    assert_eq!(first, "The default is the fastest everywhere on this CPU.");
    assert_eq!(plan(&home).len(), 4, "no class is named");
}

/// Minutes of measuring would end without a plan.
#[test]
fn a_path_that_answers_wrongly_ends_it_before_anything_is_measured() {
    let home = home((100.0, 1.0), &[("shani", (100.0, 1.0))]);
    let mut script: Value =
        serde_json::from_str(&std::fs::read_to_string(home.path("c.json")).unwrap()).unwrap();
    script["contenders"][1]["fault"] = json!({ "kind": "wrong-output" });
    home.write("c.json", script.to_string());
    let said = tune(&home, &[]);
    assert_eq!(said.status, Some(1), "{}{}", said.out, said.err);
    let words = "no plan is written, and nothing is measured: a code path answers wrongly";
    assert_eq!(said.out.trim_end(), words);
    assert!(said.err.contains("c/cupel-many-shani failed: "), "{}", said.err);
    assert!(!home.path("cupel.plan").exists());
    assert_eq!(home.count("select count(*) from run"), 0);
}

#[test]
fn what_cannot_be_tuned_is_said_before_anything_is_measured() {
    let home = home((100.0, 1.0), &[("shani", (100.0, 1.0))]);
    let wrong = |arguments: &[&str], words: &str| {
        let said = home.cupel(arguments);
        assert_eq!(said.status, Some(3), "{}{}", said.out, said.err);
        assert!(said.err.contains(words), "{}", said.err);
    };
    wrong(&["kernels", "tune", "shake256"], "a plan can name ");
    wrong(&["kernels", "tune", "sha256", "-o", "no/such/folder/plan"], "no folder no/such/folder");
    wrong(&["kernels", "tune", "sha1"], "c/cupel-many has no forced path here");
    let mut command = home.command();
    let output = command
        .args(["kernels", "tune", "sha256"])
        .env("CUPEL_PLAN", "some.plan")
        .output()
        .unwrap();
    let said = Said::from(output);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("CUPEL_PLAN is set"), "{}", said.err);
    assert_eq!(home.count("select count(*) from run"), 0);
}
