//! A mix is measured as its calls come. The best contender at each size alone may not be best for
//! them, and one that is best for none may be.

use super::advise::audited;
use crate::support::{Home, value_of};
use cupel_advise::advise;
use cupel_analyse::Evidence;
use cupel_store::Store;
use serde_json::{Value, json};

/// `sham/steady` is behind `sham/sharp` at each size alone, by 20 %; but a call of `sharp` takes
/// 600 ns more after one of another size. `sham/short` and `sham/long` are each the fastest at one
/// of the sizes, and `sham/both` at neither.
fn home() -> Home {
    let home = Home::empty();
    let one = |name: &str, primitive: &str, fixed: f64, byte: f64, changed: f64| {
        json!({
            "name": name, "primitives": [primitive],
            "fixed_ns": fixed, "per_byte_ns": byte, "changed_ns": changed,
        })
    };
    let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": [
        one("sharp", "sha256", 100.0, 1.0, 600.0),
        one("steady", "sha256", 120.0, 1.2, 0.0),
        one("old", "sha256", 200.0, 2.0, 0.0),
        one("short", "siphash-2-4", 50.0, 2.0, 0.0),
        one("both", "siphash-2-4", 150.0, 1.0, 0.0),
        one("long", "siphash-2-4", 900.0, 0.5, 0.0),
        { "name": "plain", "primitives": ["siphash-2-4"], "fixed_ns": 10, "one_length": true },
    ] });
    home.family("sham", &script, "");
    home
}

/// Half of a million calls have 64 bytes, the others 1024.
fn mix(home: &Home, primitive: &str, operation: &str, more: &str) -> String {
    let text = format!(
        "format = 1\nprogram = \"app\"\n{more}\n[[calls]]\nprimitive = \"{primitive}\"\n\
         operation = \"{operation}\"\nsizes = [[64, 500000], [1024, 500000]]\n"
    );
    home.write("app.mix", text);
    home.path("app.mix").to_str().unwrap().to_string()
}

fn advice(home: &Home, mix: &str, more: &[&str]) -> Value {
    let said =
        home.cupel(&[&["advise", "--mix", mix, "--forks", "5", "--format", "json"], more].concat());
    assert!(matches!(said.status, Some(0..=2)), "{}", said.err);
    let document: Value =
        serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {}{}", said.out, said.err));
    assert_eq!(audited(home, &document), "", "{document:#}");
    document
}

#[test]
fn the_auditor_finds_a_saving_that_does_not_follow() {
    let home = home();
    let said = "cpu_seconds = 100\ncall_seconds = 1.5";
    let truth = advice(
        &home,
        &mix(&home, "sha256", "digest", said),
        &["--have", "sham/old", "--language", "all"],
    );
    assert!(truth["saving_of_program"]["estimate"].as_f64().is_some(), "{truth:#}");
    for (place, to, says) in [
        ("/saving/changes/0/ratio", json!(0.1), "changes: "),
        ("/saving/seconds_measured", json!(9.0), "its calls take 9 s"),
        ("/saving_of_calls/estimate", json!(0.9), "a saving of 0.9 of its calls"),
        ("/saving/seconds_saved/high", json!(2.0), "high: 2 s are saved"),
        ("/saving_of_program/estimate", json!(0.5), "of the program"),
        ("/not_known", json!([{ "kind": "longer" }]), "that it is not known"),
        ("/answer", json!("app: change all, and save 77 % of its processor time"), "save 77 %"),
        ("/advice/0/ns_per_call_now", json!(1.0), "sham/old takes 1 ns"),
    ] {
        let mut changed = truth.clone();
        *changed.pointer_mut(place).expect(place) = to;
        let said = audited(&home, &changed);
        assert!(said.contains(says), "{place}: {said}");
    }
}

#[test]
fn a_dry_run_says_what_a_mix_would_measure_and_measures_nothing() {
    let home = home();
    let file = mix(&home, "sha256", "digest", "");
    let words = ["advise", "--mix", &file, "--have", "sham/steady", "--language", "all"];
    let said = home.cupel(&[&words[..], &["--forks", "5", "--dry-run"]].concat());
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.contains("sham/sharp") && said.out.contains("5 forks"), "{}", said.out);
    assert_eq!(home.count("select count(*) from run"), 0);
}

/// The two sizes of a program that hashes files: one message of all lengths is kept, and not one
/// for each of the drawn calls.
#[test]
fn a_mix_of_long_messages_needs_the_memory_of_a_few_of_them() {
    let home = home();
    home.write(
        "app.mix",
        "format = 1\n[[calls]]\nprimitive = \"sha256\"\noperation = \"digest\"\n\
         sizes = [[64, 900], [1048576, 100]]\n",
    );
    let file = home.path("app.mix").to_str().unwrap().to_string();
    let asked = ["--have", "sham/old", "--language", "all"];
    let planned = home.cupel(&[&["advise", "--mix", &file, "--dry-run"], &asked[..]].concat());
    // The tool has 64 MiB, each process 4 MiB, and all of them the longest message.
    let (_, said) = planned.out.split_once("memory: at least about ").expect("the memory");
    let (mib, _) = said.split_once(" MiB for ").expect("less than a GiB");
    assert!(mib.parse::<u32>().unwrap() < 128, "{}", planned.out);
    let mixed = advice(&home, &file, &asked);
    assert_eq!(mixed["advice"][0]["use"], "sham/sharp", "{mixed:#}");
    // The mean over the mix, although a slice has few calls.
    let truth = 200.0 + 2.0 * (0.9 * 64.0 + 0.1 * 1_048_576.0);
    let ns = mixed["advice"][0]["ns_per_call_now"].as_f64().unwrap();
    assert!((ns / truth - 1.0).abs() < 0.02, "{ns} and {truth}: {mixed:#}");
}

#[test]
fn the_best_at_every_size_alone_is_not_the_best_for_the_mix() {
    let home = home();
    home.write(
        "suites/q.toml",
        "question = \"Which is the fastest?\"\nbudget = \"2s\"\n[[workload]]\n\
         primitive = \"sha256\"\nsizes = [64, 1024]\nbaseline = \"sham/steady\"\n",
    );
    let said = home.cupel(&["run", "q", "--forks", "5", "--precision", "0%"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let said = home.cupel(&["advise", "--format", "json", "64:50%,1024:50%"]);
    let alone: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(alone["advice"][0]["use"], "sham/sharp", "{alone:#}");

    let file = mix(&home, "sha256", "digest", "cpu_seconds = 5.0\ncall_seconds = 1.0");
    let asked = ["--have", "sham/sharp", "--language", "all", "--per-core-hour", "0.04"];
    let mixed = advice(&home, &file, &asked);
    let one = &mixed["advice"][0];
    assert_eq!(
        (&one["use"], &one["calls"]),
        (&json!("sham/steady"), &json!(1_000_000)),
        "{mixed:#}"
    );
    // Half of the calls have another size than the one before.
    let (sharp, steady) = (100.0 + 544.0 + 300.0, 120.0 + 544.0 * 1.2);
    let truth = steady / sharp;
    let of = |value: &Value, name: &str| value[name].as_f64().unwrap();
    // The slices of five forks have a few thousand of the drawn calls: the share that changes its
    // size is a half, give or take 1 %, so `sharp` is known to 6 ns. A sum over the sizes gives
    // 1.2.
    let holds = |low: f64, high: f64, from: f64, to: f64| low <= to && from <= high;
    let (least, most) = (steady / (sharp + 6.0), steady / (sharp - 6.0));
    let (low, high) = (of(one, "ratio_low"), of(one, "ratio_high"));
    assert!(holds(low, high, least, most), "{truth} {mixed:#}");
    assert!((of(one, "ns_per_call_now") / sharp - 1.0).abs() < 0.02, "{mixed:#}");
    // A fifth of the program's time is in these calls, and a year has 8766 hours.
    let saving = &mixed["saving_of_program"];
    let (least, most) = (0.2 * (1.0 - most), 0.2 * (1.0 - least));
    let (low, high) = (of(saving, "low"), of(saving, "high"));
    assert!(holds(low, high, least, most), "{least} to {most} {mixed:#}");
    let money = of(&mixed["money_per_core_year"], "estimate");
    assert!((money / (of(saving, "estimate") * 8766.0 * 0.04) - 1.0).abs() < 1e-9, "{money}");
    // A mix is not measured twice, and the text says the same in 80 columns.
    let again =
        home.cupel(&["advise", "--mix", &file, "--have", "sham/sharp", "--language", "all"]);
    assert_eq!(again.status, Some(1), "{}", again.err);
    assert!(again.err.contains("has measured this mix"), "{}", again.err);
    assert!(
        again.out.starts_with("app: change its one kind of call, and save 3."),
        "{}",
        again.out
    );
    assert!(
        again.out.contains("SHA-256, a mix of 64 B to 1 KiB: use sham/steady"),
        "{}",
        again.out
    );
    assert!(again.out.lines().all(|line| line.chars().count() <= 80), "{}", again.out);
    // A contender in use that suits the mix is kept.
    let kept =
        home.cupel(&["advise", "--mix", &file, "--have", "sham/steady", "--language", "all"]);
    assert_eq!(kept.status, Some(0), "{} {}", kept.out, kept.err);
    assert!(kept.out.starts_with("app: keep what it uses"), "{}", kept.out);
    // Advice without the mix is not about it, and the table names it.
    let without = home.cupel(&["advise", "sha256"]);
    assert!(without.out.contains("SHA-256, 64 B to 1 KiB"), "{}", without.out);
    assert!(without.out.contains("cupel advise --mix FILE"), "{}", without.out);
    let shown = home.cupel(&["show"]);
    assert!(shown.out.contains("SHA-256, a mix of 64 B to 1 KiB"), "{}", shown.out);
}

#[test]
fn the_best_for_the_mix_may_be_the_best_at_none_of_its_sizes() {
    let home = home();
    let file = mix(&home, "siphash-2-4", "mac", "");
    let mixed = advice(&home, &file, &["--have", "sham/short", "--language", "all"]);
    let one = &mixed["advice"][0];
    assert_eq!(one["use"], "sham/both", "{mixed:#}");
    // The mix lacks the share of the program's time in the calls.
    assert!(
        value_of(&mixed, "saving_of_program").is_null()
            && mixed["saving_of_calls"]["low"].is_number()
    );
    let why = one["why_not"].as_array().unwrap();
    let plain = why.iter().find(|one| one["contender"] == "sham/plain").expect("a reason");
    assert!(plain["reason"].as_str().unwrap().contains("one length"), "{plain}");
    // Without a contender in use, there is nothing to save.
    let ranked = advice(&home, &file, &[]);
    assert!(value_of(&ranked, "saving_of_calls").is_null(), "{ranked:#}");
}

#[test]
fn a_mix_with_a_mistake_is_refused_with_its_line() {
    let home = home();
    let file = mix(&home, "sha256", "digest", "cpu_secs = 1.0");
    let said = home.cupel(&["advise", "--mix", &file]);
    assert_eq!(said.status, Some(3), "{}", said.out);
    assert!(said.err.contains("app.mix:3: unknown field `cpu_secs`"), "{}", said.err);
    let file = mix(&home, "sha256", "digest", "");
    let said = home.cupel(&["advise", "--mix", &file, "--have", "sham/none"]);
    assert_eq!(said.status, Some(3), "{}", said.out);
    assert!(said.err.contains("sham/none"), "{}", said.err);
}

/// Two equal contenders, for two kinds of calls.
fn equals(home: &Home) -> String {
    let one = |name: &str| json!({ "name": name, "primitives": ["sha256", "siphash-2-4"] });
    let script =
        json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": [one("a"), one("b")] });
    home.family("sham", &script, "");
    home.write(
        "app.mix",
        "format = 1\nprogram = \"app\"\ncpu_seconds = 10.0\ncall_seconds = 2.0\n\n\
         [[calls]]\nprimitive = \"sha256\"\noperation = \"digest\"\nsizes = [[64, 5000000]]\n\n\
         [[calls]]\nprimitive = \"siphash-2-4\"\noperation = \"mac\"\nsizes = [[64, 5000000]]\n",
    );
    home.path("app.mix").to_str().unwrap().to_string()
}

#[test]
fn nothing_is_kept_that_is_not_known_and_nothing_is_whole_without_an_answer() {
    let home = Home::empty();
    let file = equals(&home);
    let asked = ["advise", "--mix", &file, "--forks", "11", "--per-core-hour", "1"];
    let said = home.cupel(&asked);
    assert!(said.out.starts_with("app: no contender is certainly the fastest"), "{}", said.out);
    assert!(!said.out.contains("keep what it uses"), "{}", said.out);
    let had = [&asked[..], &["--have", "sham/a"]].concat();
    let kept = home.cupel(&had);
    assert_eq!(kept.status, Some(0), "{} {}", kept.out, kept.err);
    assert!(kept.out.starts_with("app: keep what it uses; nothing"), "{}", kept.out);
    assert!(!kept.out.contains("core-hour"), "no change has no price: {}", kept.out);
    // The program's contender fails for one of the two: then it is not as good as any.
    let fail = "insert into cell_failure (run, cell, kind, reason)
                select run.id, json_each.key, 'failed', 'wrong' from run, json_each(plan, '$.cells')
                where json_extract(json_each.value, '$.comparison') = ?1
                and json_extract(json_each.value, '$.contender') = 0";
    home.database().execute(fail, [0]).unwrap();
    home.database().execute("delete from remembered", []).unwrap();
    let half = home.cupel(&had);
    assert_eq!(half.status, Some(2), "{} {}", half.out, half.err);
    assert!(half.out.starts_with("app: keep what it uses for 1 of its 2 kinds"), "{}", half.out);
    assert!(half.out.contains("there is no advice on some of its calls"), "{}", half.out);
}

#[test]
fn the_time_of_calls_that_are_left_out_is_not_saved() {
    let home = home();
    // Five messages of 8 GiB have nearly all of the two seconds.
    let text = "format = 1\nprogram = \"app\"\ncpu_seconds = 10.0\ncall_seconds = 2.0\n\n\
                [[calls]]\nprimitive = \"sha256\"\noperation = \"digest\"\n\
                sizes = [[64, 500], [8589934592, 5]]\n";
    home.write("app.mix", text);
    let file = home.path("app.mix").to_str().unwrap().to_string();
    let asked = ["--have", "sham/old", "--language", "all", "--per-core-hour", "1"];
    let mixed = advice(&home, &file, &asked);
    assert_eq!(mixed["advice"][0]["use"], "sham/sharp", "{mixed:#}");
    assert!(value_of(&mixed, "saving_of_calls").is_null(), "{mixed:#}");
    assert!(value_of(&mixed, "saving_of_program").is_null(), "{mixed:#}");
    let why = &mixed["not_known"][0];
    assert_eq!((&why["kind"], &why["calls"]), (&json!("left out"), &json!(5)), "{mixed:#}");
    assert!(value_of(&mixed, "money_per_core_year").is_null(), "{mixed:#}");
    let said = home.cupel(&[&["advise", "--mix", &file][..], &asked].concat()).out;
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.starts_with("app: there is a faster contender for its one kind"), "{said}");
    assert!(words.contains("most of the time may be in 5 calls that are left out"), "{said}");
}

/// Calls left out as rare have a part of the program's time too, of which only the bound is known.
#[test]
fn what_is_too_rare_widens_the_saving_of_the_program() {
    let home = home();
    let text = "format = 1\nprogram = \"app\"\ncpu_seconds = 1.5\ncall_seconds = 0.3\n\n\
                [[calls]]\nprimitive = \"sha256\"\noperation = \"digest\"\nsizes = [[64, 900000]]\n\n\
                [[calls]]\nprimitive = \"siphash-2-4\"\noperation = \"mac\"\nsizes = [[64, 1]]\n";
    home.write("app.mix", text);
    let file = home.path("app.mix").to_str().unwrap().to_string();
    let mixed = advice(&home, &file, &["--have", "sham/old", "--language", "all"]);
    assert!(mixed["notes"][0].as_str().unwrap().contains("under 2% of the work"), "{mixed:#}");
    let of = |saving: &str, name: &str| mixed[saving][name].as_f64().unwrap();
    // 0.3 s in the trace, and a little less here.
    let measured = of("saving", "seconds_measured");
    assert!((0.29..0.3).contains(&measured), "{mixed:#}");
    for (name, seconds) in [("low", 0.98 * measured), ("estimate", measured), ("high", 0.3)] {
        let expected = of("saving_of_calls", name) * seconds / 1.5;
        assert!((of("saving_of_program", name) - expected).abs() < 1e-12, "{name}: {mixed:#}");
    }
}

#[test]
fn a_run_of_other_versions_does_not_answer() {
    let home = Home::empty();
    let file = equals(&home);
    let asked = ["advise", "--mix", &file, "--forks", "11", "--have", "sham/a"];
    assert_eq!(home.cupel(&asked).status, Some(0));
    assert!(home.cupel(&asked).err.contains("has measured this mix"));
    let change = "update run set plan = json_set(plan, '$.contenders[1].version', '0.0.1')";
    home.database().execute(change, []).unwrap();
    assert_eq!(home.cupel(&asked).status, Some(0));
    assert_eq!(home.count("select count(*) from run"), 2);
}

#[test]
fn intervals_pay_for_all_kinds_of_calls_and_a_control_for_none() {
    let home = Home::empty();
    let file = equals(&home);
    let said = home.cupel(&["advise", "--mix", &file, "--forks", "11", "--have", "sham/a"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let recorded = Store::existing(&home.store()).unwrap().load(None).unwrap();
    let of = |joint: usize| Evidence::gather(&recorded).joint_over(joint);
    let number = recorded.plan.comparisons.iter().position(|c| !c.overhead).unwrap();
    let cells = &recorded.plan.comparisons[number];
    let base = cells.baseline.unwrap();
    let other = |&&cell: &&usize| cell != base && !recorded.plan.cells[cell].control;
    let other = *cells.cells.iter().find(other).unwrap();
    let width = |joint: usize| of(joint).pair(other, base).unwrap().interval.half_width();
    assert!(width(2) > 1.05 * width(1), "{} and {}", width(2), width(1));
    let control = |joint: usize| of(joint).control(number).unwrap().interval;
    assert_eq!(control(1000), control(1), "who asks does not make a run trusted");
    // The advice covers both kinds.
    let question = advise::Question { have: Some("sham/b".into()), ..Default::default() };
    let workload = &cells.workload;
    let open = |charts| {
        let advice = advise::of_run(&recorded, workload, &question, "", charts).unwrap();
        advice.slower.len() + advice.tied.len()
    };
    assert_eq!(open(2), 1);
}

/// Contenders of two languages. `c/plain` is the library's known name; `c/short` is far ahead
/// without associated data and pieces, and far behind with them. AES takes 20 times as long,
/// because the sham and the tool really seal each message of a slice.
fn languages() -> Home {
    let home = Home::empty();
    let one = |name: &str, fixed: f64, ad: f64, piece: f64| {
        json!({
            "name": name, "primitives": ["aes-256-gcm", "sha256"], "fixed_ns": fixed,
            "per_byte_ns": 0.5, "per_ad_byte_ns": ad, "per_piece_ns": piece,
            "factors": { "aes-256-gcm": 20 },
        })
    };
    let family = |name: &str, contenders: Value| {
        let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": contenders });
        home.family(name, &script, "");
    };
    family("c", json!([one("openssl", 300.0, 0.1, 20.0), one("short", 100.0, 5.0, 80.0)]));
    family("python", json!([one("hashlib", 900.0, 0.1, 90.0), one("fast", 500.0, 0.1, 90.0)]));
    family("rust", json!([one("best", 10.0, 0.01, 1.0)]));
    home
}

/// A mix of `languages`: its calls, and how long they took.
fn traced(home: &Home, call_seconds: f64, calls: &str) -> String {
    let text = format!(
        "format = 1\nprogram = \"./app\"\ncpu_seconds = 20.0\ncall_seconds = {call_seconds}\n\
         trace_ns_per_call = 30.0\n\n[[calls]]\n{calls}\nlibrary = \"openssl\"\n"
    );
    home.write("app.mix", text);
    home.path("app.mix").to_str().unwrap().to_string()
}

const SEALS: &str = "primitive = \"aes-256-gcm\"\noperation = \"seal\"\ncontract = \"one-shot\"\n\
                     key = \"kept\"\nsizes = [[0, 1000000]]";
const DIGESTS: &str = "primitive = \"sha256\"\noperation = \"digest\"\ncontract = \"chunks\"\n\
                       sizes = [[4096, 120000]]";

fn said(home: &Home, mix: &str, more: &[&str]) -> (Option<i32>, String) {
    let said = home.cupel(&[&["advise", "--mix", mix, "--forks", "5"], more].concat());
    assert!(said.err.is_empty() || !said.err.contains("error"), "{}", said.err);
    (said.status, said.out.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A program that uses AES-GCM as a MAC: its messages are empty, and all its time is in their
/// associated data.
#[test]
fn associated_data_is_measured_and_where_it_is_unknown_nothing_is_saved() {
    let home = languages();
    let file = traced(&home, 8.8, &format!("{SEALS}\nad = 1400"));
    let known = advice(&home, &file, &[]);
    assert_eq!(known["advice"][0]["use"], "c/openssl", "{known:#}");
    let ns = known["advice"][0]["ns_per_call_now"].as_f64().unwrap();
    assert!((ns / 8_800.0 - 1.0).abs() < 0.02, "{known:#}");
    let contract = known["advice"][0]["contract"].as_str().unwrap();
    assert!(contract.contains("ad 1400 B"), "{contract}");
    assert!(known["not_known"].as_array().unwrap().is_empty(), "{known:#}");

    let file = traced(&home, 8.8, SEALS);
    let (status, text) = said(&home, &file, &[]);
    assert_eq!(status, Some(2), "{text}");
    let first =
        "./app: there is a faster contender for its one kind of call as they were measured here";
    assert!(text.starts_with(first), "{text}");
    let why =
        "the mix does not say how much associated data 1000000 calls of aes-256-gcm seal have";
    assert!(text.contains(why), "{text}");
    assert!(!text.contains("processor time,") && !text.contains("and save"), "{text}");
    let unknown = advice(&home, &file, &[]);
    assert!(value_of(&unknown, "saving_of_calls").is_null(), "{unknown:#}");
    assert!(value_of(&unknown, "saving_of_program").is_null(), "{unknown:#}");
    let warnings = unknown["advice"][0]["warnings"].to_string();
    assert!(warnings.contains("they are measured without any"), "{warnings}");
}

#[test]
fn messages_in_pieces_are_measured_in_pieces_and_of_unknown_ones_nothing_is_saved() {
    let home = languages();
    // 4096 pieces: 300 + 2048 + 4095 * 20 ns with OpenSSL, four times as much with the other.
    let file = traced(&home, 10.1, &format!("{DIGESTS}\nchunk = 1"));
    let known = advice(&home, &file, &[]);
    assert_eq!(known["advice"][0]["use"], "c/openssl", "{known:#}");
    let ns = known["advice"][0]["ns_per_call_now"].as_f64().unwrap();
    assert!((ns / 84_248.0 - 1.0).abs() < 0.02, "{known:#}");

    let file = traced(&home, 10.1, DIGESTS);
    let (status, text) = said(&home, &file, &[]);
    assert_eq!(status, Some(2), "{text}");
    let why = "the mix does not say how many pieces 120000 calls of sha256 digest have";
    assert!(text.contains(why) && !text.contains("and save"), "{text}");
}

/// Nothing of the mix is unknown, but its calls took a hundred times as long.
#[test]
fn calls_that_took_another_time_in_the_program_are_not_those_that_were_measured() {
    let home = languages();
    let calls = "primitive = \"sha256\"\noperation = \"digest\"\nsizes = [[64, 100000]]";
    // 332 ns each.
    let file = traced(&home, 3.32, calls);
    let (status, text) = said(&home, &file, &[]);
    assert_eq!(status, Some(2), "{text}");
    let why =
        "the mix says that its calls took 3320 ms, but as they were measured here they take 33.";
    assert!(text.contains(why) && !text.contains("and save"), "{text}");
    assert!(text.contains("use c/short"), "the calls as they were measured have a fastest: {text}");
    for (seconds, is_known) in [(0.034, true), (0.06, true), (0.08, false), (0.01, false)] {
        let file = traced(&home, seconds, calls);
        let saving = advice(&home, &file, &[])["saving_of_program"].clone();
        assert_eq!(saving.is_object(), is_known, "{seconds}: {saving}");
    }
}

/// A program that hashes a beginning once, and continues with copies of that state: a trace counts
/// each of its messages whole, so the mix has more work than the program did.
#[test]
fn calls_that_take_more_here_than_the_trace_saw_of_them_save_nothing() {
    let home = languages();
    let of = |call_seconds: f64| {
        let text = format!(
            "format = 1\nprogram = \"./app\"\ncpu_seconds = 0.03\ncall_seconds = {call_seconds}\n\
             trace_ns_per_call = 30.0\n\n[[calls]]\nprimitive = \"sha256\"\noperation = \"digest\"\n\
             chunk = 40\nsizes = [[80, 100000]]\nlibrary = \"openssl\"\n"
        );
        home.write("app.mix", text);
        home.path("app.mix").to_str().unwrap().to_string()
    };
    // 300 + 40 + 20 ns each.
    let file = of(0.023);
    let (status, text) = said(&home, &file, &[]);
    assert_eq!(status, Some(2), "{text}");
    let first = "./app: there is a faster contender for its one kind of call as they were measured";
    assert!(text.starts_with(first), "{text}");
    let why =
        "the mix says that its calls took 23.0 ms, but as they were measured here they take 36.";
    assert!(text.contains(why), "{text}");
    assert!(
        text.contains("more than the 30.0 ms of the whole program: the program makes"),
        "{text}"
    );
    assert!(!text.contains("and save") && !text.contains("counts as saved"), "{text}");
    let doubted = advice(&home, &file, &["--per-core-hour", "1"]);
    assert!(
        value_of(&doubted, "saving_of_calls").is_null()
            && value_of(&doubted, "money_per_core_year").is_null()
    );
    assert!(value_of(&doubted["saving"], "seconds_saved").is_null(), "{doubted:#}");
    let (why, saving) = (&doubted["not_known"][0], &doubted["saving"]);
    assert_eq!((&why["kind"], &why["seconds_seen"]), (&json!("longer"), &json!(0.023)));
    assert_eq!(why["seconds_measured"], saving["seconds_measured"], "{doubted:#}");
    // As long as the samples of the trace may explain it, no more is saved than it saw.
    let file = of(0.028);
    let known = advice(&home, &file, &[]);
    let saving = &known["saving"];
    let number = |of: &Value, name: &str| of[name].as_f64().unwrap();
    assert!(number(saving, "seconds_measured") > 0.035, "{known:#}");
    let change = &saving["changes"][0];
    assert_eq!((&change["have"], &change["use"]), (&json!("c/openssl"), &json!("c/short")));
    let saved = &saving["seconds_saved"];
    let share = 1.0 - number(change, "ratio");
    assert!((number(saved, "estimate") - 0.028 * share).abs() < 1e-12, "{known:#}");
    assert!(number(saved, "high") < 0.028, "{known:#}");
    let (_, text) = said(&home, &file, &[]);
    let seen = "says that 28.0 ms of its 30.0 ms of processor time are in these calls (93.3 %)";
    assert!(text.contains(seen), "{text}");
}

/// The command asks for the same contenders as the user did, by their words.
#[test]
fn what_would_decide_a_mix_is_asked_of_the_same_contenders() {
    let home = Home::empty();
    let file = equals(&home);
    let asked = ["--have", "sham/a", "--language", "all"];
    let open = advice(&home, &file, &asked);
    let command = open["advice"][0]["open"]["command"].as_str().expect("few forks decide nothing");
    let wanted =
        format!("cupel advise --mix {file} --have sham/a --language all --again --forks 11");
    assert!(command.starts_with(&wanted), "{command}");
}

/// Python calls OpenSSL. The alternative that it could call is another module.
#[test]
fn advice_on_a_mix_keeps_to_the_language_of_the_caller_and_names_those_that_it_left_out() {
    let home = languages();
    let calls = "primitive = \"sha256\"\noperation = \"digest\"\nsizes = [[64, 100000]]";
    let of_c = traced(&home, 0.0332, calls);
    let (status, text) = said(&home, &of_c, &[]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("use c/short 0.1.0, 2.5"), "{text}");
    let scope = "chosen among 2 contenders in c; left out: python, rust (--language all)";
    assert!(text.contains(scope), "{text}");
    let of_python = traced(&home, 0.0932, &format!("{calls}\nlanguage = \"python\""));
    let (_, text) = said(&home, &of_python, &[]);
    assert!(
        text.contains("use python/fast") && text.contains("as fast as python/hashlib"),
        "{text}"
    );
    assert!(text.contains("left out: c, rust"), "{text}");
    let (_, text) = said(&home, &of_python, &["--language", "all"]);
    assert!(text.contains("use rust/best") && text.contains("in c, python, rust"), "{text}");
    // A language without contenders.
    let of_ruby = traced(&home, 0.0932, &format!("{calls}\nlanguage = \"ruby\""));
    let none = home.cupel(&["advise", "--mix", &of_ruby]);
    assert_eq!(none.status, Some(3), "{}", none.out);
    assert!(none.err.contains("in ruby; --language names another one"), "{}", none.err);
}

/// The digest of nothing is a message like any other.
#[test]
fn empty_messages_are_measured_as_they_are() {
    let home = home();
    home.write(
        "app.mix",
        "format = 1\n[[calls]]\nprimitive = \"sha256\"\noperation = \"digest\"\nsizes = [[0, 7]]\n",
    );
    let file = home.path("app.mix").to_str().unwrap().to_string();
    let asked = ["--have", "sham/old", "--language", "all"];
    let empty = advice(&home, &file, &asked);
    assert_eq!(empty["advice"][0]["use"], "sham/sharp", "{empty:#}");
    let ns = empty["advice"][0]["ns_per_call_now"].as_f64().unwrap();
    assert!((ns / 200.0 - 1.0).abs() < 0.02, "{empty:#}");
    assert!(
        empty["saving_of_calls"].is_object() && value_of(&empty, "saving_of_program").is_null()
    );
}

#[test]
fn advice_says_what_the_mix_does_not_have() {
    let home = home();
    let file = mix(&home, "sha256", "digest", "uncounted = [\"OpenSSL inside node\"]");
    let asked = ["--have", "sham/old", "--language", "all"];
    let mixed = advice(&home, &file, &asked);
    let end = "; this is about the counted calls, and not about OpenSSL inside node";
    assert!(mixed["answer"].as_str().unwrap().ends_with(end), "{mixed:#}");
    assert_eq!(mixed["uncounted"], json!(["OpenSSL inside node"]));
}
