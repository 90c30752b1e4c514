//! Advice follows the scripted truth, weighs it by the user's sizes, and says nothing if it must
//! not.

use crate::audit::audit;
use crate::support::{Home, value_of};
use serde_json::{Value, json};
use std::sync::OnceLock;

/// Times in ns: `base` 100 + n, `long` 400 + n / 2 (ahead from 600 bytes on), `tie` as `base`.
fn home() -> Home {
    static STORED: OnceLock<Vec<u8>> = OnceLock::new();
    let home = Home::empty();
    let one = |name: &str, fixed: f64, byte: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed, "per_byte_ns": byte });
    let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": [
        one("base", 100.0, 1.0),
        one("long", 400.0, 0.5),
        one("tie", 100.0, 1.0),
        { "name": "wrong", "primitives": ["siphash-2-4"], "fixed_ns": 1, "fault": { "kind": "wrong-fold" } },
        { "name": "gone", "primitives": ["siphash-2-4"], "missing": "needs a newer runtime" },
    ] });
    home.family("sham", &script, "");
    home.suite("[64, 256, 4096]", "baseline = \"sham/base\"");
    home.measured_once(&STORED, |home| {
        let said = home.cupel(&["run", "q", "--precision", "0%"]);
        assert_eq!(said.status, Some(1), "{}", said.err);
    })
}

fn advice(home: &Home, more: &[&str]) -> Value {
    let said = home.cupel(&[&["advise", "--format", "json"], more].concat());
    assert!(matches!(said.status, Some(0..=2)), "{}", said.err);
    let document: Value = serde_json::from_str(&said.out).expect("JSON");
    let advice = document["advice"].as_array().unwrap();
    assert_eq!(advice.len(), 1, "{document:#}");
    assert_eq!(audited(home, &document), "", "{document:#}");
    advice[0].clone()
}

/// What the auditor says of a document.
pub fn audited(home: &Home, document: &Value) -> String {
    home.write("advised.json", document.to_string());
    let (file, store) = (home.path("advised.json"), home.store());
    let said = audit(&["--advised", file.to_str().unwrap(), store.to_str().unwrap()]);
    assert!(matches!(said.status, Some(0 | 1)), "{}", said.err);
    said.out
}

#[test]
fn the_auditor_finds_what_the_slices_contradict() {
    let home = home();
    let said = home.cupel(&["advise", "--format", "json", "64:30%,4096:70%"]);
    let both: Value = serde_json::from_str(&said.out).expect(&said.err);
    let said = home.cupel(&["advise", "--format", "json"]);
    let all: Value = serde_json::from_str(&said.out).expect(&said.err);
    for truth in [&both, &all] {
        assert_eq!(audited(&home, truth), "", "{truth:#}");
    }
    assert_eq!(both["advice"][0]["use"], "sham/long", "{both:#}");
    let switched = json!({ "small": "sham/base", "up_to": 256, "large": "sham/long", "from": 4096,
        "ratio": 0.2, "ratio_low": 0.1, "ratio_high": 0.3 });
    let reversed = json!({ "small": "sham/long", "up_to": 256, "large": "sham/base", "from": 4096,
        "ratio": 1.0, "ratio_low": 0.9, "ratio_high": 1.1 });
    let open = json!({ "contender": "sham/base", "ratio_low": 2.5, "ratio_high": 3.0,
        "command": "cupel ask" });
    for (truth, place, to, says) in [
        (&both, "answer", json!("use sham/long, 9.9x as fast as sham/base"), "times as fast"),
        (&both, "answer", json!("keep sham/base"), "sham/long instead of sham/base"),
        (&both, "use", json!("sham/tie"), "sham/tie takes"),
        (&both, "keep", json!(true), "keep: True"),
        (&both, "ns_per_call_now", json!(1.0), "sham/base takes 1 ns"),
        (&both, "ratio", json!(0.9), "sham/long takes 0.9 times as long"),
        (&both, "ratio_high", json!(0.999), "it is not beyond 0.98"),
        (&both, "ratio_low", json!(0.9), "it is outside"),
        (&both, "gain_ms_per_million_calls/estimate", json!(5.0), "estimate: 5 ms"),
        (&both, "tied", json!(["sham/base"]), "sham/base is as fast as sham/long"),
        (&both, "faster_but_leaks", json!(["sham/base"]), "sham/base is faster than sham/long"),
        (&both, "sizes/0/share", json!(0.5), "shares of 1.2"),
        (&both, "started", json!("2026-01-01T00:00:00Z"), "started: 2026-01-01"),
        (&both, "ranges/0/to", json!(32), "ranges: ranges of [4096]"),
        (&all, "ranges/0/contender", json!("sham/long"), "sham/long is faster than sham/base"),
        (&all, "crossovers/0/after", json!(4096), "the slices show one contender"),
        (&all, "best_two", switched, "they take 0.2 times as long"),
        (&all, "best_two", reversed, "sham/long for small messages; the slices show no such range"),
        (&both, "open", open, "sham/base may be faster: 2.5"),
    ] {
        let mut changed = truth.clone();
        let place = format!("/advice/0/{place}");
        *changed.pointer_mut(&place).expect(&place) = to;
        let said = audited(&home, &changed);
        assert!(said.contains(says), "{place} {says}: {said}");
    }
    let mut changed = both.clone();
    let [ratio, low, high] =
        ["ratio", "ratio_low", "ratio_high"].map(|key| &both["advice"][0][key]);
    let same = json!({ "contender": "sham/long", "reason": "", "ratio": ratio, "ratio_low": low,
        "ratio_high": high });
    changed["advice"][0]["why_not"].as_array_mut().unwrap().push(same);
    let said = audited(&home, &changed);
    assert!(said.contains("sham/long is slower than the fastest"), "{said}");
    let mut changed = all.clone();
    let whys = changed["advice"][0]["why_not"].as_array_mut().unwrap();
    let slower = whys.iter_mut().find(|why| why.get("ratio").is_some()).expect("one is slower");
    slower["ratio"] = json!(7.0);
    assert!(audited(&home, &changed).contains("why not: sham/"));
}

#[test]
fn the_users_own_sizes_decide() {
    let home = home();
    // 2296 of 4196 ns at 4 KiB, 432 of 164 ns at 64 B.
    let large = advice(&home, &["64:30%,4096:70%"]);
    assert_eq!((&large["use"], &large["keep"]), (&json!("sham/long"), &json!(false)));
    let truth = (0.3 * 432.0 + 0.7 * 2448.0) / (0.3 * 164.0 + 0.7 * 4196.0);
    let number = |name: &str| large[name].as_f64().unwrap();
    assert!((number("ratio_low")..=number("ratio_high")).contains(&truth), "{truth} {large:#}");
    assert!(number("ratio_high") / number("ratio_low") < 1.1, "{large:#}");
    let gain = large["gain_ms_per_million_calls"]["estimate"].as_f64().unwrap();
    let truth = (0.3 * 164.0 + 0.7 * 4196.0) - (0.3 * 432.0 + 0.7 * 2448.0);
    assert!((gain / truth - 1.0).abs() < 0.05, "{gain} and {truth}");
    let small = advice(&home, &["64:99%,4096:1%"]);
    assert_eq!((&small["use"], &small["keep"]), (&json!("sham/base"), &json!(true)));
    // From the other side, the same truth is a reason to change.
    let turned = advice(&home, &["64", "--have", "sham/long"]);
    assert_eq!(turned["keep"], false);
    assert_ne!(turned["use"], "sham/long");
}

/// At 64 B the answer is clear after five forks, so that size has no more. That is no reason to say
/// of the mix that so few forks show nothing.
#[test]
fn a_size_that_was_clear_early_does_not_hide_what_the_mix_shows() {
    let home = Home::empty();
    let one = |name: &str, fixed: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed, "per_byte_ns": 1.0 });
    let contenders = [one("base", 70.0), one("sharp", 20.0)];
    let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": contenders });
    home.family("sham", &script, "");
    home.suite("[64, 1024]", "baseline = \"sham/base\"");
    let said = home.cupel(&["run", "q", "--forks", "12", "--precision", "0%"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let one = advice(&home, &["64:50%,1024:50%", "--have", "sham/base"]);
    assert_eq!(one["use"], "sham/sharp", "{one:#}");
    let truth = (84.0 + 1044.0) / (134.0 + 1094.0);
    let number = |name: &str| one[name].as_f64().unwrap();
    assert!((number("ratio_low")..=number("ratio_high")).contains(&truth), "{truth} {one:#}");
    // 134 of 1228 ns come from the size with few forks, which may hide 15 % of that.
    let wide = number("ratio_high") / number("ratio_low");
    assert!(wide > 1.014 * 1.011, "{wide}: {one:#}");
    // If all sizes have few forks, they may hide 15 % of the whole.
    let all = home.cupel(&["run", "q", "--forks", "5", "--precision", "0%"]);
    assert_eq!(all.status, Some(0), "{}", all.err);
    let few = advice(&home, &["64:50%,1024:50%", "--have", "sham/base"]);
    assert_eq!(few["use"], "sham/base", "{few:#}");
}

/// Contenders that take `fixed` ns and `byte` ns for each byte, measured at 64 B and 64 KiB against
/// the first.
fn measured_far_apart(contenders: &[(&str, f64, f64)]) -> Home {
    let home = Home::empty();
    let contenders: Vec<Value> = contenders
        .iter()
        .map(|(name, fixed, byte)| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed, "per_byte_ns": byte }))
        .collect();
    let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": contenders });
    home.family("sham", &script, "");
    home.suite("[64, 65536]", "baseline = \"sham/have\"");
    let said = home.cupel(&["run", "q", "--forks", "11", "--first-forks", "11"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    home
}

#[test]
fn a_size_between_two_is_most_like_the_nearer_one() {
    let home = measured_far_apart(&[("have", 100.0, 1.0), ("fast", 30.0, 0.9)]);
    for size in [65.0, 60_000.0] {
        let one = advice(&home, &[&size.to_string()]);
        let (now, then) = (100.0 + size, 30.0 + 0.9 * size);
        let ratio = one["ratio"].as_f64().unwrap();
        assert!((ratio / (then / now) - 1.0).abs() < 0.01, "{ratio} at {size} B: {one:#}");
        let gain = one["gain_ms_per_million_calls"]["estimate"].as_f64().unwrap();
        assert!((gain / (now - then) - 1.0).abs() < 0.03, "{gain} at {size} B: {one:#}");
    }
}

#[test]
fn the_best_two_are_the_best_at_their_own_sizes() {
    // At 64 KiB `fast` is ahead by less than the tie zone, which is most of the time.
    let home = measured_far_apart(&[("have", 100.0, 1.0), ("fast", 60.0, 0.984)]);
    let one = advice(&home, &["--have", "sham/have"]);
    let two = &one["best_two"];
    assert_eq!(
        (&two["small"], &two["large"]),
        (&json!("sham/fast"), &json!("sham/have")),
        "{one:#}"
    );
    // A size between the two is open until it is measured.
    let between = advice(&home, &["4096", "--have", "sham/have"]);
    let command = between["open"]["command"].as_str().expect("it is open");
    assert!(command.contains("4096") && !command.contains("65536"), "{command}");
}

#[test]
fn one_whose_times_scatter_is_not_called_slower() {
    let home = Home::empty();
    let one = |name: &str, fixed: f64, scatter: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed, "fork_sd": scatter });
    let contenders = [
        one("have", 200.0, 0.0),
        one("fast", 100.0, 0.0),
        one("mid", 112.0, 0.0),
        one("wild", 95.0, 0.3),
    ];
    let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": contenders });
    home.family("sham", &script, "");
    home.suite("[64]", "baseline = \"sham/have\"");
    let said = home.cupel(&["run", "q", "--forks", "24", "--first-forks", "24"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let one = advice(&home, &["--have", "sham/have"]);
    assert_eq!(one["use"], "sham/fast", "{one:#}");
    assert_eq!(one["unclear"][0]["contender"], "sham/wild", "{one:#}");
    // It is slower than the one to use, if not than the scattering one.
    assert_eq!(one["why_not"][0]["contender"], "sham/mid", "{one:#}");
    assert_eq!(one["why_not"].as_array().map(Vec::len), Some(1), "{one:#}");
    let said = home.cupel(&["advise", "--have", "sham/have"]).out;
    assert!(said.contains("why not sham/wild: neither certainly slower"), "{said}");
}

#[test]
fn the_ranges_cross_where_the_truth_does_and_every_other_contender_has_a_reason() {
    let home = home();
    let all = advice(&home, &[]);
    let expected = json!([
        { "from": 64, "to": 256, "contender": "sham/base" },
        { "from": 4096, "to": 4096, "contender": "sham/long" },
    ]);
    assert_eq!(all["ranges"], expected, "600 bytes lie between: {all:#}");
    let why = |name: &str| {
        let lines = all["why_not"].as_array().unwrap();
        let line = lines.iter().find(|l| l["contender"] == name);
        line.unwrap_or_else(|| panic!("no line for {name}: {all:#}"))["reason"].to_string()
    };
    assert!(why("sham/tie").contains("times as long as sham/base"), "{}", why("sham/tie"));
    assert!(why("sham/wrong").contains("answers wrongly"), "{}", why("sham/wrong"));
    assert!(why("sham/gone").contains("needs a newer runtime"), "{}", why("sham/gone"));
    assert!(all["warnings"].to_string().contains("does not replace HMAC"), "{all:#}");
    let said = home.cupel(&["advise"]);
    assert!(said.out.contains("crossover between 256 B and 4 KiB"), "{}", said.out);
    assert!(said.out.lines().all(|line| line.chars().count() <= 80), "{}", said.out);
}

#[test]
fn two_equally_fast_contenders_do_not_take_turns() {
    let home = Home::empty();
    let one = |name: &str, fixed: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed });
    // Both are always faster than the one in use; which of them is fastest at a size is noise.
    let script = json!({ "seed": 5, "world": { "noise_sd": 0.01 }, "contenders": [
        one("slow", 500.0), one("left", 100.0), one("right", 100.0),
    ] });
    home.family("sham", &script, "");
    home.suite("[64, 128, 256, 512, 1024, 2048]", "baseline = \"sham/slow\"");
    let said = home.cupel(&["run", "q", "--forks", "11"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let ranges = advice(&home, &[])["ranges"].clone();
    assert_eq!(ranges.as_array().unwrap().len(), 1, "{ranges:#}");
    assert_eq!((&ranges[0]["from"], &ranges[0]["to"]), (&json!(64), &json!(2048)));
}

#[test]
fn no_advice_beyond_the_evidence() {
    let home = home();
    let refused = |arguments: &[&str], words: &str| {
        let said = home.cupel(&[&["advise", "--format", "json"], arguments].concat());
        assert!(format!("{}{}", said.out, said.err).contains(words), "{} {}", said.out, said.err);
        assert!(!said.out.contains("\"use\""), "{}", said.out);
    };
    refused(&["8192"], "8192 bytes is outside the measured sizes");
    refused(&["--have", "sham/gone"], "sham/gone was not measured");
    refused(&["--have", "sham/wrong"], "sham/wrong has no figure there: failed: ");
    refused(&["--language", "java"], "no contender of that language");
    let unknown = |arguments: &[&str], words: &str| {
        let said = home.cupel(&[&["advise"], arguments].concat());
        assert_eq!(said.status, Some(3), "{} {}", said.out, said.err);
        assert!(said.err.contains(words), "{}", said.err);
    };
    unknown(
        &["--have", "sham/bsae"],
        "no run has a contender called sham/bsae; did you mean sham/base?",
    );
    let in_full = home.cupel(&["advise", "--have", "sham/base"]);
    let short = home.cupel(&["advise", "--have", "base"]);
    assert_eq!((short.status, short.out), (in_full.status, in_full.out), "{}", short.err);
    unknown(&["--language", "cobol"], "cobol; the known ones are sham");
    refused(&["sha256"], "no run of this machine covers that");
    refused(&["siphahs-2-4"], "did you mean siphash-2-4?");
    refused(&["64:80%,256:80%"], "add up to 160 %; give the sizes of all calls, 100 %");
    refused(&["64:70"], "add up to 70 %");
    // Between two measured sizes it may behave like either: 256 says no, 4096 says yes.
    assert_eq!(advice(&home, &["1000"])["keep"], true);
    // A changed machine makes all of it void.
    home.database().execute("update run set fingerprint = 'another'", []).unwrap();
    refused(&[], "another machine");
}

/// The figures that advice lacks are measured by the command that it names: under the contract of
/// its chart, and under no other.
#[test]
fn every_command_asks_under_the_contract_that_the_advice_is_about() {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["sha256", "hmac-sha256"], "fixed_ns": 300 },
        { "name": "b", "primitives": ["sha256", "hmac-sha256"], "fixed_ns": 150 },
        { "name": "c", "primitives": ["sha256", "hmac-sha256"], "fixed_ns": 100 },
    ]));
    let work = |primitive: &str, size: u64, contract: &str| {
        format!(
            "[[workload]]\nprimitive = \"{primitive}\"\nsizes = [{size}, {}]\n{contract}\n\
             contenders = [\"sham/a\", \"sham/b\"]\nbaseline = \"sham/a\"\n\n",
            2 * size
        )
    };
    let all = [
        work("sha256", 64, "contract = { prefix = 64 }"),
        work("sha256", 1024, ""),
        work("sha256", 64, "contract = { chunk = 16 }"),
        work("hmac-sha256", 64, "contract = { key = \"per-call\" }"),
    ];
    let suite = format!("question = \"?\"\nforks = 3\nbudget = \"1s\"\n\n{}", all.concat());
    home.write("suites/q.toml", suite);
    let ran = |words: &[&str]| {
        let said = home.cupel(words);
        assert_eq!(said.status, Some(0), "{words:?}: {}", said.err);
    };
    ran(&["run", "q"]);
    // The usual contract, of which the suite has none.
    ran(&["run", "q", "--primitive", "hmac-sha256", "--contract", "key=prepared"]);
    ran(&["ask", "sha256", "64,128", "a", "b", "--contract", "output=fresh", "--forks", "3"]);
    let without = |words: &[&str]| -> Vec<String> {
        let said = home.cupel(&[&["advise", "--format", "json"], words].concat());
        let document: Value = serde_json::from_str(&said.out).expect("JSON");
        let lines = document["no_advice"].as_array().unwrap();
        lines.iter().map(|line| line.as_str().unwrap().to_string()).collect()
    };
    let mut commands = 0;
    // A size that nothing has, and a contender that another run may have.
    let missing = without(&["7000"]);
    ran(&["ask", "sha256", "16", "a", "c", "--forks", "3"]);
    let missing = [missing, without(&["--have", "sham/c"])].concat();
    for line in &missing {
        let (what, command) = line.split_once("this measures it: ").unwrap_or((line, ""));
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        assert!(!words.is_empty(), "no command: {line}");
        ran(&[&words[..], &["--forks", "3"]].concat());
        let run: Value =
            serde_json::from_str(&home.cupel(&["show", "--format", "json"]).out).unwrap();
        let cells = run["cells"].as_array().unwrap().iter();
        let cells: Vec<&Value> = cells.filter(|cell| cell["primitive"] != "empty").collect();
        assert!(!cells.is_empty(), "{command}");
        for cell in cells {
            let about = format!(
                "{} {}, {}, {}:",
                cell["primitive"].as_str().unwrap(),
                cell["operation"].as_str().unwrap(),
                cell["contract"].as_str().unwrap(),
                cell["shape"].as_str().unwrap()
            );
            assert!(what.starts_with(&about), "{command} measures {about} of {line}");
        }
        commands += 1;
    }
    // Six charts at another size, and five that were measured without the third contender.
    assert_eq!(commands, 11, "{missing:#?}");
}

#[test]
fn what_no_run_has_is_a_question_in_the_users_words() {
    let home = home();
    let refused = |arguments: &[&str], words: &str| {
        let said = home.cupel(&[&["advise"], arguments].concat());
        assert_eq!(said.status, Some(3), "{}", said.out);
        assert!(said.err.contains(words), "{}", said.err);
    };
    let seal = "this measures it: cupel ask aes-256-gcm seal 64,4096; or cupel ask aes-256-gcm open \
                64,4096";
    refused(&["aes-256-gcm", "64:70%,4096:30%"], seal);
    refused(&["aes-256-gcm", "open"], "this measures it: cupel ask aes-256-gcm open");
    refused(&["sha256", "64"], "this measures it: cupel ask sha256 64");
    refused(&["sha256", "--have", "c/none"], "this measures it: cupel ask sha256 c");
    home.database().execute("update run set fingerprint = 'another'", []).unwrap();
    let said = home.cupel(&["advise", "--format", "json"]).out;
    let here = "this measures it here: cupel run q --primitive siphash-2-4 --operation mac --size \
                64,256,4096";
    assert!(said.contains(here), "{said}");
}

#[test]
fn with_a_language_nothing_is_assumed_about_what_the_user_has() {
    let home = home();
    let of = |more: &[&str]| advice(&home, &[&["--language", "sham"], more].concat());
    let open = of(&["64"]);
    assert_eq!(
        ["have", "use", "keep"].map(|key| value_of(&open, key).clone()),
        [json!(null), json!(null), json!(null)]
    );
    assert_eq!(open["compared_with"], "sham/base");
    let large = of(&["4096"]);
    assert_eq!((value_of(&large, "have"), &large["use"]), (&json!(null), &json!("sham/long")));
    let said = of(&["4096", "--have", "sham/tie"]);
    assert_eq!((&said["have"], &said["keep"]), (&json!("sham/tie"), &json!(false)));
    let words = home.cupel(&["advise", "--language", "sham", "64"]).out;
    assert!(!words.contains("what you have") && words.contains("--have"), "{words}");
}

#[test]
fn a_newer_run_that_cannot_answer_does_not_hide_one_that_can() {
    let home = home();
    let before = advice(&home, &["4096"]);
    // It measures only one size, and not the one that was asked about.
    let said = home.cupel(&["run", "q", "--size", "64", "--forks", "3"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    assert_eq!(advice(&home, &["4096"]), before);
    // Neither can one that has everything except the contender in use.
    let said = home.cupel(&["run", "q", "--contender", "sham/tie", "--forks", "3"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let mut now = advice(&home, &["4096"]);
    let note = "run 3 is newer, but measured only 2 of 5 contenders; this is of run 1";
    assert!(now["warnings"].to_string().contains(note), "{now:#}");
    now["warnings"] = before["warnings"].clone();
    assert_eq!(now, before);
    // A newer run that is as complete is asked first; if it cannot answer, the reason is printed.
    home.suite("[256, 1024]", "baseline = \"sham/base\"");
    assert_eq!(home.cupel(&["run", "q", "--forks", "3"]).status, Some(1));
    let after = advice(&home, &["4096"]);
    let warned = after["warnings"].to_string();
    assert!(warned.contains("run 4 cannot answer: 4096 bytes is outside"), "{warned}");
    assert_eq!(after["use"], before["use"]);
}

#[test]
fn a_range_ends_where_its_contender_is_no_longer_certainly_faster() {
    let home = Home::empty();
    let one = |name: &str, fixed: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed, "per_byte_ns": 1 });
    // 84 of 164 ns at 64 B, 276 of 356 at 256 B, 4116 of 4196 at 4 KiB: there it is a tie.
    let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": [
        one("base", 100.0), one("short", 20.0),
    ] });
    home.family("sham", &script, "");
    home.suite("[64, 256, 4096]", "baseline = \"sham/base\"");
    assert_eq!(home.cupel(&["run", "q", "--forks", "11"]).status, Some(0));
    let expected = json!([
        { "from": 64, "to": 256, "contender": "sham/short" },
        { "from": 4096, "to": 4096, "contender": "sham/base" },
    ]);
    assert_eq!(advice(&home, &[])["ranges"], expected);
    let said = home.cupel(&["advise"]).out;
    assert!(said.contains("4 KiB: keep sham/base") && !said.contains("crossover"), "{said}");
    assert!(said.contains("one suffices: sham/short alone is within 2 %"), "{said}");
}

/// 148 and 8212 ns, 532 and 2548 ns: the best two take 2696 ns where the better one takes 3080.
#[test]
fn the_best_two_are_named_with_what_they_save() {
    let home = Home::empty();
    let one = |name: &str, fixed: f64, per_byte: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed, "per_byte_ns": per_byte });
    let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": [
        one("small", 20.0, 2.0), one("large", 500.0, 0.5),
    ] });
    home.family("sham", &script, "");
    home.suite("[64, 4096]", "baseline = \"sham/small\"");
    assert_eq!(home.cupel(&["run", "q", "--forks", "11"]).status, Some(0));
    let two = advice(&home, &[])["best_two"].clone();
    let named = json!([two["small"], two["up_to"], two["large"], two["from"]]);
    assert_eq!(named, json!(["sham/small", 64, "sham/large", 4096]), "{two:#}");
    let [ratio, low, high] =
        ["ratio", "ratio_low", "ratio_high"].map(|key| two[key].as_f64().unwrap());
    assert!((ratio - 2696.0 / 3080.0).abs() < 0.005, "{two:#}");
    assert!(low < ratio && ratio < high && high < 0.9, "{two:#}");
    let said = home.cupel(&["advise"]).out.replace("\n  ", " ");
    assert!(said.contains("the best two: sham/small up to 64 B, sham/large from 4 KiB"), "{said}");
}

#[test]
fn of_contenders_that_tie_a_forced_code_path_is_not_advised() {
    let home = Home::empty();
    let one = |name: &str, fixed: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed });
    let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": [
        one("base", 500.0), one("fast", 100.0), one("fast-forced", 99.0),
    ] });
    let declared = "[[contender]]\nname = \"fast\"\noffers = [\"siphash-2-4:mac\"]\n\n\
        [[contender]]\nname = \"fast-forced\"\nforced_path_of = \"fast\"\n\
        library = \"x\"\nlicence = \"MIT\"\nsummary = \"forced\"\noffers = [\"siphash-2-4:mac\"]\n";
    home.family("sham", &script, declared);
    home.suite("[64]", "baseline = \"sham/base\"");
    let said = home.cupel(&["run", "q", "--forks", "11"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let all = advice(&home, &[]);
    assert_eq!(all["use"], "sham/fast", "{all:#}");
    let ranges = json!([{ "from": 64, "to": 64, "contender": "sham/fast" }]);
    assert_eq!(all["ranges"], ranges, "{all:#}");
    let lines = all["why_not"].as_array().unwrap();
    let other = lines.iter().find(|line| line["contender"] == "sham/fast-forced").unwrap();
    let reason = other["reason"].as_str().unwrap();
    assert!(reason.starts_with("a forced path"), "{reason}");
}

/// The run's CPU counts. Nettle does not report its code, which has tables on a CPU without AES
/// instructions.
#[test]
fn a_library_that_leaks_on_the_cpu_of_the_run_is_not_advised() {
    let home = Home::empty();
    // Microseconds, because the sham and the tool really seal each message of a slice.
    let one = |name: &str, fixed: f64| json!({ "name": name, "primitives": ["aes-256-gcm"], "fixed_ns": fixed });
    let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": [
        one("base", 50_000.0), one("fast", 10_000.0),
    ] });
    home.family("sham", &script, "");
    let text = "question = \"?\"\nforks = 11\nbudget = \"1s\"\n\n[[workload]]\n\
        primitive = \"aes-256-gcm\"\noperation = \"seal\"\nsizes = [64]\nbaseline = \"sham/base\"\n";
    home.write("suites/q.toml", text);
    let said = home.cupel(&["run", "q"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let nettle = "update run set plan = json_set(plan, '$.contenders[1].library', 'Nettle')";
    assert_eq!(home.database().execute(nettle, []).unwrap(), 1);
    let with = |flags: &str| {
        let sql = "update run set machine = json_set(machine, '$.flags', json(?))";
        home.database().execute(sql, [flags]).unwrap();
        advice(&home, &[])
    };
    let without = with(r#"{ "known": ["fp", "asimd"] }"#);
    assert_eq!(without["keep"], true, "{without:#}");
    let reason = without["why_not"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("table look-ups") && reason.contains("no AES"), "{reason}");
    for other in [r#"{ "known": ["ssse3", "aes"] }"#, r#"{ "not-available": "no /proc" }"#] {
        assert_eq!(with(other)["use"], "sham/fast", "{other}");
    }
}

#[test]
fn the_first_line_is_the_advice_and_the_status_says_whether_a_change_pays() {
    let home = home();
    let said = home.cupel(&["advise", "4096"]);
    let first = said.out.lines().next().unwrap();
    assert!(first.starts_with("SipHash-2-4, 4 KiB: use sham/long 0.1.0, 1.71x as fast"), "{first}");
    assert_eq!(said.status, Some(0), "{}", said.err);
    let have = |name: &str| home.cupel(&["advise", "4096", "--have", name]).status;
    assert_eq!(have("sham/base"), Some(1), "a change pays");
    assert_eq!(have("sham/long"), Some(0), "it is the fastest");
    assert_eq!(home.cupel(&["advise", "8192"]).status, Some(2), "not measured");
    let said = home.cupel(&["advise", "8192"]).out;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let command = "cupel run q --primitive siphash-2-4 --operation mac --size 8192";
    assert!(said.contains(command), "{said}");
    // The command does measure it.
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    assert_eq!(home.cupel(&words).status, Some(1), "one of the contenders answers wrongly");
    assert_eq!(advice(&home, &["8192"])["use"], "sham/long");
}

#[test]
fn a_mix_is_one_quantity_and_a_size_that_scatters_does_not_spoil_it() {
    let home = Home::empty();
    // At 16 bytes the processes of `fast` differ by a tenth; almost no time is spent there.
    let one = |name: &str, fixed: f64, byte: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed, "per_byte_ns": byte });
    let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": [
        one("base", 10.0, 1.0), one("fast", 10.0, 0.9),
    ] });
    home.family("sham", &script, "");
    home.suite("[16, 4096]", "baseline = \"sham/base\"");
    assert_eq!(home.cupel(&["run", "q", "--forks", "11"]).status, Some(0));
    let mixed = advice(&home, &["16:99%,4096:1%"]);
    let truth = (0.99 * 24.4 + 0.01 * 3696.4) / (0.99 * 26.0 + 0.01 * 4106.0);
    let number = |name: &str| mixed[name].as_f64().unwrap();
    assert!((number("ratio_low")..=number("ratio_high")).contains(&truth), "{truth} {mixed:#}");
    // Each part alone has an interval; the mix's is not wider than the widest of them.
    let width =
        |of: &Value| of["ratio_high"].as_f64().unwrap() / of["ratio_low"].as_f64().unwrap() - 1.0;
    let parts = ["16", "4096"].map(|size| width(&advice(&home, &[size])));
    assert!(width(&mixed) <= parts[0].max(parts[1]) * 1.2, "{} {parts:?}", width(&mixed));
}

/// No advice contradicts a verdict of its run.
fn agrees(cells: &Value, advice: &Value) {
    let have = &advice["compared_with"];
    let unfit = |name: &Value| {
        let lines = advice["why_not"].as_array().unwrap();
        let line = lines.iter().find(|line| line["contender"] == *name);
        line.is_some_and(|line| !line["reason"].as_str().unwrap().starts_with("takes"))
    };
    let of_chart = |cell: &&Value| {
        ["primitive", "operation", "contract", "shape"].iter().all(|key| cell[key] == advice[key])
    };
    let cells: Vec<&Value> = cells.as_array().unwrap().iter().filter(of_chart).collect();
    let at = |size: u64, name: &Value| {
        cells.iter().find(|c| c["size"] == size && c["contender"] == *name).copied()
    };
    for range in advice["ranges"].as_array().unwrap() {
        let (from, to) = (range["from"].as_u64().unwrap(), range["to"].as_u64().unwrap());
        let pick = &range["contender"];
        let sizes = advice["sizes"].as_array().unwrap().iter();
        for size in sizes.flat_map(|size| size["measured"].as_array().unwrap()) {
            let size = size.as_u64().unwrap();
            if !(from..=to).contains(&size) {
                continue;
            }
            let picked = at(size, pick).unwrap_or_else(|| panic!("{pick} at {size}"));
            if picked["baseline"] == *have && pick != have {
                assert_eq!(picked["verdict"], "faster", "at {size} B: {advice:#}");
            }
            if pick == have && picked["verdict"] == "baseline" {
                let better = cells.iter().find(|c| {
                    c["size"] == size && c["verdict"] == "faster" && !unfit(&c["contender"])
                });
                // If one is certainly faster, keeping is wrong.
                assert!(better.is_none(), "at {size} B, {better:?}: {advice:#}");
            }
            if picked["verdict"] == "slower" {
                let base = at(size, &picked["baseline"]).unwrap();
                assert!(unfit(&base["contender"]), "at {size} B: {advice:#}");
            }
        }
    }
    if let ([_], Some(used)) = (&advice["sizes"].as_array().unwrap()[..], advice["use"].as_str()) {
        assert_eq!(advice["ranges"][0]["contender"], used, "{advice:#}");
    }
}

#[test]
fn advice_never_contradicts_a_verdict() {
    for seed in 1..=2_u64 {
        let home = Home::empty();
        // Three are so close to each other that much is not separated.
        let one = |k: u64| {
            let far = if k < 3 { 0.1 } else { 1.0 };
            let spread = |a: u64, b: u64| far * ((seed * 31 + k * a) % b) as f64;
            json!({ "name": format!("c{k}"), "primitives": ["siphash-2-4"],
                "fixed_ns": 50.0 + spread(17, 13), "per_byte_ns": 0.5 + spread(7, 5) / 50.0 })
        };
        let script = json!({ "seed": seed, "world": { "noise_sd": 0.02 },
            "contenders": (0..5).map(one).collect::<Vec<_>>() });
        home.family("sham", &script, "");
        home.suite("[16, 64, 1024]", "baseline = \"sham/c0\"");
        let said = home.cupel(&["run", "q", "--forks", "11", "--format", "json"]);
        assert_eq!(said.status, Some(0), "{}", said.err);
        let document: Value = serde_json::from_str(&said.out).unwrap();
        for have in ["sham/c0", "sham/c2", "sham/c3"] {
            for more in [&[][..], &["64"], &["16:90%,1024:10%"]] {
                agrees(&document["cells"], &advice(&home, &[&["--have", have], more].concat()));
            }
        }
    }
}

#[test]
fn advice_from_a_run_of_real_libraries_contradicts_none_of_its_verdicts() {
    let home = home();
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/test/run.sqlite");
    let own = home.database();
    let fingerprint: String =
        own.query_row("select fingerprint from run limit 1", [], |row| row.get(0)).unwrap();
    drop(own);
    std::fs::copy(fixture, home.store()).unwrap();
    // Reading it once brings the store to the present version.
    let said = home.cupel(&["show", "--format", "json"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let document: Value = serde_json::from_str(&said.out).unwrap();
    // As if it had been measured here.
    home.database().execute("update run set fingerprint = ?", [&fingerprint]).unwrap();
    let said = home.cupel(&["advise", "--format", "json"]);
    let advice: Value = serde_json::from_str(&said.out).expect(&said.err);
    let all = advice["advice"].as_array().unwrap();
    assert!(!all.is_empty(), "{advice:#}");
    for one in all {
        agrees(&document["cells"], one);
    }
}

/// A run of these contenders with eleven forks; each is its name, its time in ns, and how much its
/// processes differ.
fn scattered(contenders: &[(&str, f64, f64)]) -> Home {
    let home = Home::empty();
    let one = |(name, ns, sd): &(&str, f64, f64)| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns, "fork_sd": sd });
    let all: Vec<Value> = contenders.iter().map(one).collect();
    let script = json!({ "seed": 6, "world": { "noise_sd": 0.003 }, "contenders": all });
    home.family("sham", &script, "");
    home.suite("[64]", "baseline = \"sham/have\"");
    let said = home.cupel(&["run", "q", "--forks", "11", "--first-forks", "11"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    home
}

#[test]
fn a_contender_that_scatters_does_not_hide_one_that_is_certainly_faster() {
    let home = scattered(&[("have", 100.0, 0.0), ("quick", 60.0, 0.0), ("wild", 55.0, 1.0)]);
    let found = advice(&home, &["--have", "sham/have"]);
    assert_eq!(found["use"], "sham/quick", "{found:#}");
    assert_eq!(home.cupel(&["advise", "--have", "sham/have"]).status, Some(1));
}

#[test]
fn a_contender_that_may_be_far_behind_is_not_recommended() {
    let home = scattered(&[("have", 100.0, 0.0), ("sure", 35.0, 0.0), ("aaa-wild", 50.0, 0.3)]);
    let found = advice(&home, &["--have", "sham/have"]);
    assert_eq!(found["use"], "sham/sure", "{found:#}");
    assert_eq!(found["ranges"][0]["contender"], "sham/sure", "{found:#}");
}

#[test]
fn with_few_forks_what_you_have_may_still_be_beaten_and_the_status_says_so() {
    let home = Home::empty();
    let one = |name: &str, ns: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns });
    let script = json!({ "seed": 6, "world": { "noise_sd": 0.003 }, "contenders": [one("have", 100.0), one("other", 102.0)] });
    home.family("sham", &script, "");
    home.suite("[64]", "baseline = \"sham/have\"");
    assert_eq!(home.cupel(&["run", "q", "--forks", "3"]).status, Some(0));
    let said = home.cupel(&["advise", "--have", "sham/have"]);
    assert_eq!(said.status, Some(2), "three forks cannot tell: {}", said.out);
    assert!(said.out.contains("--forks 11"), "{}", said.out);
}

/// Two languages and a family of the user's own: times in ns at 64 B. AES takes longer, because the
/// sham and the tool really seal each message of a slice.
fn languages() -> Home {
    static STORED: OnceLock<Vec<u8>> = OnceLock::new();
    let home = Home::empty();
    let one = |name: &str, ns: f64| json!({ "name": name, "primitives": ["siphash-2-4", "aes-256-gcm"], "fixed_ns": ns, "per_byte_ns": 0.0, "factors": { "aes-256-gcm": 100 } });
    for (family, all) in [
        ("c", json!([one("base", 100.0), one("other", 60.0), one("third", 30.0)])),
        ("rust", json!([one("fast", 20.0)])),
        ("mine", json!([one("own", 90.0)])),
    ] {
        let script = json!({ "seed": 6, "world": { "noise_sd": 0.003 }, "contenders": all });
        home.family(family, &script, "");
    }
    home.suite("[64, 1024]", "baseline = \"c/base\"");
    home.measured_once(&STORED, |home| {
        let said = home.cupel(&["run", "q", "--forks", "5"]);
        assert_eq!(said.status, Some(0), "{}", said.err);
    })
}

#[test]
fn advice_keeps_to_the_language_of_what_is_used_and_says_which_it_left_out() {
    let home = languages();
    let use_of = |more: &[&str]| advice(&home, &[&["--have", "c/base"], more].concat());
    let kept = use_of(&[]);
    assert_eq!(kept["use"], "c/third", "{kept:#}");
    assert_eq!(kept["languages"], json!(["c", "mine"]), "the language of one's own is not known");
    assert_eq!((&kept["languages_left_out"], &kept["contenders"]), (&json!(["rust"]), &json!(4)));
    assert_eq!(use_of(&["--language", "all"])["use"], "rust/fast");
    assert_eq!(use_of(&["--language", "rust"])["use"], "rust/fast");
    // A user who names no contender in use gets the best of all.
    assert_eq!(advice(&home, &[])["use"], "rust/fast");
    let said = home.cupel(&["advise", "--have", "c/base"]).out;
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let scope = "chosen among 4 contenders in c, mine; left out: rust (--language all)";
    assert!(words.contains(scope), "{said}");
}

/// A question about two contenders at its own size does not hide a run of all.
#[test]
fn a_newer_question_about_a_few_contenders_does_not_hide_the_broad_run() {
    let home = languages();
    let asked = home.cupel(&["ask", "siphash-2-4", "96", "c/base", "c/other", "--forks", "5"]);
    assert_eq!(asked.status, Some(0), "{}", asked.err);
    let broad = advice(&home, &["--have", "c/base"]);
    assert_eq!((&broad["use"], &broad["run"]), (&json!("c/third"), &json!(1)), "{broad:#}");
    let note = "run 2 is newer, but measured only 2 of 4 contenders; this is of run 1";
    assert!(broad["warnings"].to_string().contains(note), "{broad:#}");
    // At its size it answers, and its lack is named.
    let exact = advice(&home, &["--have", "c/base", "96"]);
    assert_eq!((&exact["use"], &exact["run"]), (&json!("c/other"), &json!(2)), "{exact:#}");
    // A newer run with another contender is the newest word on those, and names the older one.
    let asked =
        home.cupel(&["ask", "siphash-2-4", "64,1024", "c/base", "rust/fast", "--forks", "5"]);
    assert_eq!(asked.status, Some(0), "{}", asked.err);
    let all = advice(&home, &["--have", "c/base", "--language", "all"]);
    assert_eq!(all["run"], 1, "{all:#}");
}

#[test]
fn advice_is_asked_in_the_words_of_a_question() {
    let home = languages();
    let short = home.cupel(&["advise", "siphash-2-4", "64"]);
    let full = home.cupel(&["advise", "64", "mac", "SipHash-2-4"]);
    assert_eq!((full.status, full.out), (Some(0), short.out), "{}", full.err);
    let weighted = home.cupel(&["advise", "SipHash-2-4", "64:70%,1024:30%"]);
    assert!(
        weighted.out.contains("your mix of 64 B to 1 KiB"),
        "{} {}",
        weighted.out,
        weighted.err
    );
    for operation in ["seal", "open"] {
        let two = ["64", "c/base", "rust/fast", "--forks", "5"];
        let said = home.cupel(&[&["ask", "aes-256-gcm", operation], &two[..]].concat());
        assert_eq!(said.status, Some(0), "{}", said.err);
    }
    let seal = advice(&home, &["aes-256-gcm", "seal"]);
    assert_eq!((&seal["operation"], &seal["use"]), (&json!("seal"), &json!("rust/fast")));
    let refused = |words: &[&str], why: &str| {
        let said = home.cupel(&[&["advise"], words].concat());
        assert_eq!(said.status, Some(3), "{}", said.out);
        assert!(said.err.contains(why), "{}", said.err);
    };
    refused(
        &["siphash-2-4", "rust/fast"],
        "rust/fast is neither an operation nor a size; name what you use",
    );
    refused(&["aead", "64"], "advice is about one primitive");
    refused(&["siphash-2-4", "64", "64:100%"], "give every size a share");
    refused(&["siphash-2-4", "64", "64"], "size 64 appears twice");
    refused(&["siphash-2-4", "--forks", "5"], "--forks is for a mix");
}
