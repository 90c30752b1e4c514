//! `cupel ask --why`: a difference is accounted for only by measurements.

use crate::audit::audit_of;
use crate::support::{Home, value_of};
use serde_json::{Value, json};

/// A simulated contender has no instructions that could be seen, but times, and garbage.
fn home() -> Home {
    let contender = |name: &str, fixed_ns: u32, per_byte_ns: f64| {
        json!({
            "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed_ns,
            "per_byte_ns": per_byte_ns, "fork_sd": 0.003,
        })
    };
    // A verdict needs a ratio above 1 without collection, too.
    let mut garbage = contender("garbage", 1060, 0.0);
    garbage["allocated_per_call"] = json!(1000);
    garbage["heap"] = json!({ "bytes": 2_000_000, "pause_us": 1000 });
    Home::with(json!([
        contender("short", 100, 1.0),
        contender("long", 400, 1.0),
        contender("bytes", 100, 3.0),
        contender("tidy", 1000, 0.0),
        garbage,
    ]))
}

/// The exit status, the output, and `why` of the document.
fn why(home: &Home, a: &str, b: &str, sizes: &str) -> (Option<i32>, String, Value) {
    let asked = ["ask", "siphash-2-4", sizes, "--budget", "2s", "--forks", "11", "--why", a, b];
    let said = home.cupel(&asked);
    let document = home.cupel(&[&asked[..], &["--format", "json"]].concat());
    let document: Value = serde_json::from_str(&document.out).unwrap_or_else(|e| {
        panic!("{e}: {}", document.err);
    });
    assert_eq!(audit_of(home, std::slice::from_ref(&document)).out, "", "{document:#}");
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    (said.status, words, document["why"].clone())
}

#[test]
fn a_difference_is_in_each_call_or_in_each_byte_whichever_is_named_first() {
    let home = home();
    for [a, b] in [["long", "short"], ["short", "long"]] {
        let (status, said, why) = why(&home, a, b, "16,64,1K");
        assert_eq!(status, Some(2), "no instructions were seen: {said}");
        let first = "16 B: sham/long takes 3.";
        assert!(said.starts_with(first), "{said}");
        let rest = "so nothing accounts for it; the difference is in each call";
        assert!(said.contains(rest), "{said}");
        assert_eq!(why[0]["slower"]["contender"], "sham/long");
        assert_eq!((value_of(&why[0], "cause"), &why[0]["cost"]), (&Value::Null, &json!("call")));
        let ratio = why[0]["ratio"].as_f64().unwrap();
        assert!((ratio / (416.0 / 116.0) - 1.0).abs() < 0.02, "{ratio}");
        assert!(why[0]["ratio_low"].as_f64() < why[0]["ratio_high"].as_f64());
    }
    let (_, _, why) = why(&home, "bytes", "short", "16,64,1K");
    assert_eq!(why[2]["cost"], json!("byte"), "{why:#}");
}

/// A figure that the slices contradict is found, whichever of the two is named first.
#[test]
fn the_auditor_finds_a_wrong_ratio_time_or_cause() {
    let home = home();
    let asked = ["ask", "siphash-2-4", "64", "--budget", "2s", "--forks", "11"];
    let said = home.cupel(&[&asked[..], &["--why", "long", "short", "--format", "json"]].concat());
    let truth: Value = serde_json::from_str(&said.out).expect(&said.err);
    for (place, to, says) in [
        ("/why/0/ratio", json!(1.5), "why: sham/long takes 1.5 times as long as sham/short"),
        ("/why/0/ratio_low", json!(3.0), "it is outside"),
        ("/why/0/slower/contender", json!("sham/tidy"), "why: sham/tidy takes"),
        ("/why/0/faster/ns_per_call", json!(99.0), "sham/short takes 99 ns at 64 B"),
        ("/why/0/more_instructions", json!(2.0), "2.0 times; the slices show no instructions"),
    ] {
        let mut changed = truth.clone();
        *changed.pointer_mut(place).expect(place) = to;
        let said = audit_of(&home, &[changed]);
        assert!(said.out.contains(says), "{place}: {}{}", said.out, said.err);
    }
    let mut changed = truth.clone();
    changed["why"][0]["decided"] = json!(false);
    changed["why"][0]["cause"] = json!("collection");
    assert!(audit_of(&home, &[changed]).out.contains("a cause: collection"));
}

#[test]
fn two_sizes_show_no_cost_and_equal_times_need_no_cause() {
    let home = home();
    let (_, said, found) = why(&home, "long", "short", "16,64");
    assert!(value_of(&found[0], "cost").is_null());
    assert!(!said.contains("in each call"), "{said}");
    let (status, said, found) = why(&home, "bytes", "short", "0");
    assert_eq!((status, &found[0]["decided"]), (Some(2), &json!(false)), "{said}");
    assert!(said.contains("are not separated: the ratio of their times is"), "{said}");
}

#[test]
fn garbage_accounts_for_what_its_collection_takes() {
    let (status, said, why) = why(&home(), "garbage", "tidy", "64");
    assert_eq!((status, &why[0]["cause"]), (Some(0), &json!("collection")), "{said}");
    assert!(said.contains("]: the collection of its garbage is "), "{said}");
    assert!(said.contains("sham/garbage 1000 B (collected in "), "{said}");
}

#[test]
fn what_is_no_pair_is_refused() {
    let home = home();
    for (more, words) in [
        (&["--why", "long", "long"][..], "named twice"),
        (&["--why", "long", "shrot"], "did you mean"),
        (&["bytes", "--why", "long", "short"], "one word too many"),
        (&["--why", "long", "short", "--paths"], "cannot be used with"),
    ] {
        let said = home.cupel(&[&["ask", "siphash-2-4", "64"], more].concat());
        assert_eq!(said.status, Some(3), "{}", said.out);
        assert!(said.err.contains(words), "{words}: {}", said.err);
    }
}
