//! How the runner treats objects that violate the C interface: each remains listed, with a reason,
//! and the conversation continues.

mod common;

use common::{Runner, Subject, build, case, ok};
use cupel_protocol::message::{
    Answer, Ask, Compute, Computed, Listed, Outcome, Prepare, Prepared, Slice,
};
use cupel_protocol::workload::{Contract, Key, Operation, Output, Shape, Workload};
use std::path::{Path, PathBuf};

/// The faulty object, with these macros.
fn faulty(name: &str, macros: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faulty.c");
    let flags: Vec<String> = macros.iter().map(|m| format!("-D{m}")).collect();
    build(name, &source, &flags).unwrap_or_else(|e| panic!("{e}"))
}

/// The entry listed for an object that must be one missing contender, and the reason.
fn absence(object: &Path) -> (Listed, String) {
    let mut listed = Runner::start(&[object]).list();
    assert_eq!(listed.len(), 1, "{listed:?}");
    let listed = listed.remove(0);
    let reason = listed.missing.clone().expect("it is missing").reason;
    (listed, reason)
}

fn digest(primitive: &str) -> Subject {
    Subject {
        contender: "faulty".to_string(),
        primitive: primitive.to_string(),
        operation: Operation::Digest,
        key: Key::None,
    }
}

fn prepare(of: &Subject, cell: u32) -> Prepare {
    let workload = Workload {
        primitive: of.primitive.clone(),
        operation: of.operation,
        size: 64,
        contract: of.contract(),
        shape: Shape::Throughput,
    };
    let contender = of.contender.clone();
    let (key, ad, file) = (vec![], vec![], None);
    Prepare {
        cell,
        contender,
        workload,
        seed: 1,
        pool: 2,
        lengths: vec![],
        offset: 0,
        key,
        ad,
        file,
    }
}

#[test]
fn an_object_that_cannot_be_used_is_missing_under_its_files_name_with_the_reason() {
    let cases: [(&[&str], &str); 10] = [
        (&["ABI=99"], "version 99"),
        (&["NO_CALL"], "lacks the function cupel_call"),
        (&["UNDEFINED"], "defined_nowhere"),
        (&["NAME=NULL"], "name is NULL"),
        (&["NAME=\"\""], "name is empty"),
        (&["VERSION=\"\\xff\""], "version is not UTF-8"),
        (&["OFFERS=\"sha256\""], "\"sha256\""),
        (&["OFFERS=\"sha256:brew\""], "\"sha256:brew\""),
        (&["ENDLESS"], "more than 1000"),
        (&["NOTHING"], "no contender"),
    ];
    for (macros, expected) in cases {
        let (listed, reason) = absence(&faulty("broken", macros));
        assert_eq!(listed.name, "broken");
        assert!(reason.contains(expected), "{macros:?}: {reason}");
    }
}

#[test]
fn a_file_that_is_no_object_or_not_there_is_missing_with_the_loaders_words() {
    let text = Path::new(env!("CARGO_TARGET_TMPDIR")).join("text.so");
    std::fs::write(&text, "not an object").unwrap();
    assert!(absence(&text).1.contains("cannot be loaded: "), "{}", absence(&text).1);
    let nowhere = Path::new("nowhere.so");
    let (listed, reason) = absence(nowhere);
    assert_eq!(listed.name, "nowhere");
    assert!(reason.contains("No such file"), "{reason}");
}

#[test]
fn a_bare_file_name_is_a_file_of_the_working_folder_and_no_library_of_the_system() {
    let object = faulty("faulty", &[]);
    let folder = object.parent().expect("it lies in a folder");
    let listed = Runner::start_in(folder, &["faulty.so"]).list();
    assert_eq!(listed[0].missing, None);
}

#[test]
fn opening_a_contender_that_is_missing_says_why_it_is() {
    let mut runner = Runner::start(&[faulty("broken", &["ABI=99"])]);
    let of = Subject { contender: "broken".to_string(), ..digest("sha256") };
    let Outcome::<Prepared>::Missing(refusal) = runner.prepare(prepare(&of, 1)) else {
        panic!("not missing");
    };
    assert!(refusal.reason.contains("version 99"), "{}", refusal.reason);
}

#[test]
fn of_two_contenders_with_one_name_the_second_is_missing() {
    let listed = Runner::start(&[faulty("one", &[]), faulty("two", &[])]).list();
    let missing: Vec<bool> = listed.iter().map(|l| l.missing.is_some()).collect();
    assert_eq!(missing, [false, true]);
}

#[test]
fn a_task_that_is_not_opened_is_answered_by_kind_with_the_contenders_words() {
    let mut runner = Runner::start(&[faulty("faulty", &[])]);
    let mut refused = |primitive: &str| match runner.prepare(prepare(&digest(primitive), 1)) {
        Outcome::Ok(_) => panic!("{primitive} was opened"),
        Outcome::Unsupported(r) => ("unsupported", r.reason),
        Outcome::Missing(r) => ("missing", r.reason),
        Outcome::Failed(r) => ("failed", r.reason),
    };
    let own = "in the contender's own words".to_string();
    assert_eq!(refused("open-unsupported"), ("unsupported", own.clone()));
    assert_eq!(refused("open-missing"), ("missing", own));
    let (kind, reason) = refused("open-failed");
    assert_eq!(kind, "failed");
    assert!(reason.contains("no reason"), "{reason}");
    let (kind, reason) = refused("open-nonsense");
    assert_eq!(kind, "failed");
    assert!(reason.contains("77"), "{reason}");
    let (kind, reason) = refused("md5");
    assert_eq!(kind, "unsupported");
    assert!(reason.contains("does not offer md5:digest"), "{reason}");
}

#[test]
fn what_the_machine_lacks_is_no_answer_to_a_case() {
    let mut runner = Runner::start(&[faulty("faulty", &[])]);
    let of = digest("open-missing");
    let Outcome::<Computed>::Missing(refusal) = runner.ask(Ask::Compute(Compute {
        contender: of.contender.clone(),
        primitive: of.primitive.clone(),
        operation: of.operation,
        contract: of.contract(),
        cases: vec![case("abc"), case("abcd")],
    })) else {
        panic!("not missing");
    };
    assert_eq!(refusal.reason, "in the contender's own words");
}

#[test]
fn contracts_that_the_interface_cannot_express_are_unsupported() {
    let mut runner = Runner::start(&[faulty("faulty", &[])]);
    let mut ask = prepare(&digest("prints"), 1);
    ask.workload.contract = Contract { output: Output::Fresh, ..ask.workload.contract };
    assert!(matches!(runner.prepare(ask), Outcome::Unsupported(_)));
}

#[test]
fn more_output_than_room_is_a_failure_in_verification_in_a_slice_and_in_sealing() {
    let mut runner = Runner::start(&[faulty("faulty", &[])]);
    let of = digest("long-output");
    let Answer::Failed(reason) = runner.compute(&of, vec![case("abc")]).remove(0) else {
        panic!("not failed");
    };
    assert!(reason.contains("of room"), "{reason}");

    ok(runner.prepare(prepare(&of, 1)));
    let Outcome::Failed(refusal) =
        runner.slice(Slice { cell: 1, first: 0, preroll: 0, iterations: 1 })
    else {
        panic!("not failed");
    };
    assert!(refusal.reason.contains("of room"), "{}", refusal.reason);

    let open = Subject { operation: Operation::Open, ..of };
    let Outcome::<Prepared>::Failed(refusal) = runner.prepare(prepare(&open, 2)) else {
        panic!("not failed");
    };
    assert!(refusal.reason.contains("of room"), "{}", refusal.reason);
}

#[test]
fn a_call_that_gives_no_output_is_answered_by_kind() {
    let mut runner = Runner::start(&[faulty("faulty", &[])]);
    let unsupported = runner.compute(&digest("call-unsupported"), vec![case("abc")]).remove(0);
    assert_eq!(unsupported, Answer::Unsupported("in the contender's own words".to_string()));
    let Answer::Failed(reason) =
        runner.compute(&digest("call-nonsense"), vec![case("abc")]).remove(0)
    else {
        panic!("not failed");
    };
    assert!(reason.contains("77"), "{reason}");
}

#[test]
fn the_reason_of_one_failure_does_not_explain_the_next() {
    let mut runner = Runner::start(&[faulty("faulty", &[])]);
    ok(runner.prepare(prepare(&digest("call-once"), 1)));
    let mut reason = || match runner.slice(Slice { cell: 1, first: 0, preroll: 0, iterations: 1 }) {
        Outcome::Failed(refusal) => refusal.reason,
        other => panic!("{other:?}"),
    };
    assert!(reason().contains("of the first call"));
    let second = reason();
    assert!(second.contains("no reason"), "{second}");
}

#[test]
fn what_an_object_prints_goes_to_the_log_and_not_into_the_talk() {
    let mut runner = Runner::start(&[faulty("faulty", &["CONSTRUCTOR_PRINTS"])]);
    assert_eq!(runner.output(&digest("prints"), case("abc")), [0; 8]);
    let log = runner.end();
    assert!(log.contains("printed by a constructor") && log.contains("printed by a call"), "{log}");
}

#[test]
fn every_task_that_was_opened_is_closed_once() {
    let mut runner = Runner::start(&[faulty("faulty", &[])]);
    runner.compute(&digest("call-unsupported"), vec![case("a"), case("b")]);
    for cell in [1, 1, 2] {
        ok(runner.prepare(prepare(&digest("call-once"), cell)));
    }
    assert!(matches!(runner.prepare(prepare(&digest("open-failed"), 3)), Outcome::Failed(_)));
    let log = runner.end();
    assert_eq!(log.matches("opened").count(), 5, "{log}");
    assert_eq!(log.matches("closed").count(), 5, "{log}");
}
