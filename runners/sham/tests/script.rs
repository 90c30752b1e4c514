//! A script is parsed strictly: if a misspelt fault were ignored, its test would pass.

use cupel_sham::script::{Fault, FaultKind, Script, Stage};

#[test]
fn an_empty_script_is_a_quiet_machine() {
    assert_eq!(Script::parse("{}").unwrap(), Script::default());
    let script = Script::parse(r#"{"contenders": [{"name": "a"}]}"#).unwrap();
    assert_eq!(script.contenders[0].fault, None);
    assert_eq!(script.contenders[0].true_ns(64), 164.0);
}

#[test]
fn a_script_survives_being_written() {
    let json = r#"{"seed": 3, "world": {"noise_sd": 0.1, "bursts": {"per_s": 2}},
        "contenders": [{"name": "a", "primitives": ["aes-256-gcm", "siphash-2-4", "hmac-sha256"],
            "fault": {"kind": "wrong-above-size", "size": 64, "after": 2}, "missing": "gone"}]}"#;
    let script = Script::parse(json).unwrap();
    assert_eq!(Script::parse(&serde_json::to_string(&script).unwrap()).unwrap(), script);
    let fault = Fault { size: 64, after: 2, ..Fault::new(FaultKind::WrongAboveSize) };
    assert_eq!(script.contenders[0].fault, Some(fault));
}

#[test]
fn what_no_machine_could_be_is_refused_in_words() {
    let cases = [
        (r#"{"sede": 1}"#, "sede"),
        (r#"{"world": {"noise": 1}}"#, "noise"),
        (r#"{"world": {"autocorrelation": 1}}"#, "autocorrelation"),
        (r#"{"world": {"bursts": {"factor_low": 0.5}}}"#, "factor_low"),
        (r#"{"world": {"contamination": 2}}"#, "contamination"),
        (r#"{"contenders": [{"name": "a"}, {"name": "a"}]}"#, "a: the name is taken"),
        (r#"{"contenders": [{"name": "a", "fixed_ns": -1}]}"#, "a: fixed_ns"),
        (r#"{"contenders": [{"fault": {"kind": "crush"}}]}"#, "crush"),
        (r#"{"contenders": [{"fault": {"kind": "crash", "att": "slice"}}]}"#, "att"),
        (
            r#"{"contenders": [{"fault": {"kind": "wrong-fold", "at": "hello"}}]}"#,
            "cannot happen at this request",
        ),
    ];
    for (json, words) in cases {
        let reason = Script::parse(json).expect_err(json);
        assert!(reason.contains(words), "{json}: {reason}");
    }
}

#[test]
fn every_kind_is_listed_under_the_name_that_a_script_gives_it() {
    for (kind, name, _) in FaultKind::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), name);
    }
}

#[test]
fn a_fault_spoils_the_request_that_it_names() {
    let fault = Fault::new(FaultKind::Crash);
    assert!(fault.spoils(Stage::Hello) && fault.spoils(Stage::Slice));
    let fault = fault.at(Stage::Prepare, 2);
    assert!(fault.spoils(Stage::Prepare) && !fault.spoils(Stage::Slice));
}
