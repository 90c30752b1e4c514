//! `scripts/audit` on the findings about a whole run: its forks, its intervals, its threads, and
//! other programs on the machine.

use crate::audit::{OF_RUN, audit_of};
use crate::support::Home;
use serde_json::{Value, json};

const SUITE: &str = "question = \"Does it scale?\"\nforks = 9\nfirst-forks = 3\njit-forks = 4\n\
                     budget = \"9s\"\n\n[[workload]]\nprimitive = \"sha256\"\nsizes = [64]\n\
                     threads = [1, 2, 8]\n";

/// A contender that takes this long for a call on one thread, in ns.
fn contender(name: &str, ns: f64) -> Value {
    json!({ "name": name, "primitives": ["sha256"], "fixed_ns": ns, "per_byte_ns": 0 })
}

/// A run on several threads with few forks, of which some contenders have fewer, and in which much
/// happened.
fn troubled() -> Home {
    let (mut sharing, mut late) = (contender("b", 260.0), contender("late", 900.0));
    sharing["contention"] = json!(0.1);
    late["jit"] = json!({ "tiers": [{ "slow_factor": 3, "calls": 1000, "compile_ms": 1 }] });
    let (first, near) = (contender("a", 200.0), contender("near", 201.0));
    let home = Home::with(json!([first, sharing, near]));
    let script = json!({ "seed": 8, "world": { "noise_sd": 0.003 }, "contenders": [late] });
    home.family("tiers", &script, "");
    home.write("suites/q.toml", SUITE);
    let said = home.cupel(&["run", "q"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let company = json!({ "seconds": 10.0, "programs": { "cc1plus": 8.0, "cat": 0.1 },
        "unseen": 3.0, "throttled": 2.0, "altered": { "/lib/a.so": "bpftrace" },
        "replaced": ["/lib/b.so"] });
    let found = json!({ "heap_mib": 512, "not_audited": { "0": "busy" },
        "company": company });
    let options = json!({ "options": { "beside": "run 7" } });
    home.change(&format!(
        "update run set circumstances = '{found}', plan = json_patch(plan, '{options}')"
    ));
    home
}

/// A document with a mistake, and the auditor's words about it.
struct Mistake {
    document: Value,
    says: &'static str,
}

/// The document of a run.
struct Truth(Value);

impl Truth {
    /// With another value at this place of the first finding of a kind.
    fn at(&self, place: &str, to: Value, says: &'static str) -> Mistake {
        let (kind, way) = place.split_once('/').expect("a kind and a way");
        let mut document = self.0.clone();
        let findings = document["findings"].as_array_mut().unwrap();
        let finding = findings.iter_mut().find(|finding| finding["kind"] == kind).expect(kind);
        *finding.pointer_mut(&format!("/{way}")).expect(place) = to;
        Mistake { document, says }
    }

    /// Without the findings of a kind.
    fn without(&self, kind: &str, says: &'static str) -> Mistake {
        let mut document = self.0.clone();
        document["findings"].as_array_mut().unwrap().retain(|finding| finding["kind"] != kind);
        assert_ne!(document, self.0, "there is no {kind}");
        Mistake { document, says }
    }

    /// With one more finding.
    fn with(&self, finding: Value, says: &'static str) -> Mistake {
        let mut document = self.0.clone();
        document["findings"].as_array_mut().unwrap().push(finding);
        Mistake { document, says }
    }

    fn finding(&self, kind: &str) -> &Value {
        let mut findings = self.0["findings"].as_array().unwrap().iter();
        findings.find(|finding| finding["kind"] == kind).expect(kind)
    }
}

fn mistakes(truth: &Truth) -> Vec<Mistake> {
    let none = json!(null);
    let stranger = json!({ "name": "sham/x", "version": "0.1.0", "cell": 0 });
    let keeps = truth.finding("keeps");
    let aside = json!({ "kind": "shortest-aside", "comparison": 0, "ns": 200.0,
        "work": truth.0["findings"][0]["work"],
        "contender": { "name": "sham/a", "version": "0.1.0", "cell": 0 } });
    let left = json!({ "kind": "jit-forks", "forks": 4, "of": 9, "baseline_in_all": false,
        "left_after": [4, 9], "asked": 4 });
    let left_at_once = json!({ "kind": "jit-forks", "forks": 4, "of": 9, "baseline_in_all": false,
        "left_after": [1], "asked": 3 });
    let interpreted = json!({ "kind": "jit-forks", "forks": 4, "of": 9, "baseline_in_all": false,
        "interpreted": 3, "asked": 4 });
    let shared = json!({ "kind": "shared-cores", "threads": 2, "processors": 100_000, "cores": 1 });
    vec![
        truth.at("forks/forks", json!(8), "forks: 8; the slices show 9"),
        truth.at("forks/of", json!(24), "of: 24; the slices show 9"),
        truth.at("forks/finished", json!(false), "finished: False"),
        truth.at("forks/within_s", json!(60.0), "within_s: 60.0"),
        truth.at("intervals/joint", json!(0.99), "joint: 0.99"),
        truth.at("intervals/tie_zone", json!(0.01), "tie_zone: 0.01"),
        truth.at("intervals/few_forks_zone", none.clone(), "few_forks_zone: None"),
        truth.at("intervals/wider", json!(50), "50 times as wide because of the controls"),
        truth.at("intervals/least_width", json!(0.5), "no interval is narrower than 0.5"),
        truth.at("retired/forks", json!(7), "some ran in 7 forks"),
        truth.at("retired/after", json!(5), "after: 5; the slices show 3"),
        truth.at("jit-forks/forks", json!(2), "ran in 2 forks at most"),
        truth.at("jit-forks/baseline_in_all", json!(true), "baseline_in_all: True"),
        truth.at("too-few-forks/takes_ns", json!(1.0), "takes_ns: 1.0"),
        truth.at("too-few-forks/remedy", json!("--forks 10"), "--forks 10 decides it"),
        truth.at("too-few-forks/enough", json!(20), "fewer than (20, 0.15)"),
        truth.at("empty-call/ns", json!(77.0), "takes 77 ns"),
        truth.at("empty-call/runner", json!("sham/other"), "no empty call of it"),
        truth.at("beside/other", json!("run 8"), "other: run 8; the slices show run 7"),
        truth.at("not-audited/contender", stranger.clone(), "cell 0 is sham/x"),
        truth.at("not-audited/contender/cell", json!(1), "cell 1 is sham/"),
        truth.at("probed/by", none, "/lib/a.so was changed by None"),
        truth.at("replaced/file", json!("/lib/c.so"), "/lib/c.so changed"),
        truth.at("throttled/seconds", json!(3.0), "seconds: 3.0; the slices show 2.0"),
        truth.at("heap-limit/mib", json!(64), "mib: 64; the slices show 512"),
        truth.at("other-programs/programs/0/share", json!(0.4), "cc1plus used 0.4"),
        truth.at("other-programs/programs", json!([]), "programs: ; the slices show cc1plus"),
        truth.at("other-programs/unseen", json!(0.1), "unseen: 0.1; the slices show 0.3"),
        truth.at("keeps/share", json!(0.7), "keeps 0.7 on 2 threads"),
        truth.at("keeps/threads", json!(4), "on 4 threads"),
        truth.at("keeps/low", json!(1.5), "outside its interval"),
        truth.at("keeps/verdict", json!("faster"), "1 is in its interval"),
        truth.at("keeps/forks", json!(10), "10 forks"),
        truth.at("keeps/alone", keeps["contender"]["cell"].clone(), "on 2"),
        truth.at("keeps/of_best/than", stranger, "sham/x keeps most"),
        truth.at("keeps/of_best/share", json!(0.5), "keeps 0.5 of what "),
        truth.without("control", "trusted; the slices show that a table has no control"),
        truth.without("replaced", "/lib/b.so, which no finding names"),
        truth.without("heap-limit", "heap-limit: nothing; the slices show it"),
        truth.with(json!({ "kind": "layouts", "layouts": 4, "forks": 9 }), "layouts: 4"),
        truth.with(left, "some left after 9 forks"),
        truth.with(left_at_once, "some left after 1 forks"),
        truth.with(interpreted, "code with an interpreter ran in 3 forks"),
        truth.with(shared, "processors: 100000"),
        truth.with(aside, "sham/a is left out; the slices show nothing"),
    ]
}

#[test]
fn what_is_said_of_a_whole_run_is_audited() {
    let home = troubled();
    let shown = home.cupel(&["show", "--format", "json"]);
    let truth = Truth(serde_json::from_str(&shown.out).expect(&shown.err));
    let said = audit_of(&home, std::slice::from_ref(&truth.0));
    assert_eq!((said.status, said.out.as_str()), (Some(0), ""), "{}", said.err);
    let mut all = String::new();
    for Mistake { document, says } in mistakes(&truth) {
        let said = audit_of(&home, &[document]);
        assert_eq!(said.status, Some(1), "{says}: {}{}", said.out, said.err);
        assert!(said.out.contains(says), "{says}: {}", said.out);
        all += &said.out;
    }
    for kind in OF_RUN {
        assert!(all.contains(&format!(", {kind}: ")), "no mistake breaks the rule of {kind}");
    }
}
