//! `cupel verify --protocol` detects and names the faults of a runner: the scripted runner with
//! each of its faults, and the runner of SPEC.md with each mistake that people make.

use cupel_conform::{self as conform, Finding, Section, Verdict};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(30);

/// For a program that hangs. An honest answer takes less on a busy machine, too.
const SHORT: Duration = Duration::from_secs(1);

/// The scripted runner. It belongs to this workspace, and so is built with the tool.
fn sham() -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_cupel")).parent().unwrap();
    let program = folder.join(format!("cupel-sham{}", std::env::consts::EXE_SUFFIX));
    if !program.exists() {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--package", "cupel-sham", "--target-dir"]);
        build.arg(folder.parent().unwrap()).current_dir(env!("CARGO_MANIFEST_DIR"));
        if folder.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().unwrap().success());
    }
    program
}

fn examine_sham(script: &str, patience: Duration) -> Vec<Finding> {
    conform::examine(&[sham().into(), "--script".into(), script.into()], patience)
}

/// The example of SPEC.md, with these texts replaced.
struct Python {
    file: tempfile::NamedTempFile,
}

impl Python {
    fn with(changes: &[(&str, &str)]) -> Python {
        let spec = include_str!("../../../../protocol/SPEC.md");
        let (_, code) = spec.split_once("```python\n").unwrap();
        let mut code = code.split_once("```").unwrap().0.to_string();
        for (from, to) in changes {
            assert!(code.contains(from), "the example has no {from}");
            code = code.replacen(from, to, 1);
        }
        let file = tempfile::Builder::new().suffix(".py").tempfile().unwrap();
        std::fs::write(&file, code).unwrap();
        Python { file }
    }

    fn command(&self) -> [OsString; 2] {
        ["python3".into(), self.file.path().into()]
    }

    fn examine(changes: &[(&str, &str)]) -> Vec<Finding> {
        Python::examine_within(changes, PATIENCE)
    }

    fn examine_within(changes: &[(&str, &str)], patience: Duration) -> Vec<Finding> {
        conform::examine(&Python::with(changes).command(), patience)
    }
}

fn contender(name: &str) -> Section {
    Section::Contender(name.to_string())
}

/// Requires a wrong finding of this check with these words.
#[track_caller]
fn assert_wrong(findings: &[Finding], section: Section, check: &str, words: &[&str]) {
    let of_it = |f: &&Finding| f.section == section && f.check == check;
    let Some(finding) = findings.iter().find(of_it) else {
        panic!("{section} has no {check}:\n{}", conform::report(findings));
    };
    let said = finding.to_string();
    assert!(finding.is_wrong(), "{section}: {said}");
    for word in words {
        assert!(said.contains(word), "{section}: {said}: not {word}");
    }
}

/// Requires that nothing is wrong outside these sections.
#[track_caller]
fn assert_wrong_only_in(findings: &[Finding], sections: &[Section]) {
    for finding in findings.iter().filter(|f| f.is_wrong()) {
        assert!(sections.contains(&finding.section), "{}: {finding}", finding.section);
    }
}

#[test]
fn the_sham_conforms_in_everything_that_it_offers() {
    let all = r#"["sha256", "hmac-sha256", "siphash-2-4", "aes-256-gcm"]"#;
    let script = format!(
        r#"{{"contenders": [{{"name": "a", "primitives": {all}}},
                            {{"name": "b", "missing": "not installed"}}]}}"#
    );
    let findings = examine_sham(&script, PATIENCE);
    let report = conform::report(&findings);
    assert!(
        findings.iter().all(|f| matches!(f.verdict, Verdict::Well) || f.is_skipped()),
        "{report}"
    );
    assert!(report.contains("skipped offers of b: missing: not installed"), "{report}");
    assert!(report.ends_with("conforms: 74 checks, 1 skipped\n"), "{report}");
}

#[test]
fn each_fault_of_a_contender_is_named_and_stops_no_other_check() {
    let mac = "siphash-2-4 mac: ";
    let (throughput, outputs, time) = ("throughput", "outputs", "time");
    let faults: [(&str, &str, &[&str]); 13] = [
        (r#""wrong-output""#, outputs, &["cases are wrong", "compute it as"]),
        (r#""wrong-above-size", "size": 1000"#, outputs, &["of 1001 bytes", "compute it as"]),
        (r#""wrong-fold""#, throughput, &["fold is", "expected", "SPEC.md, \"The fold\""]),
        (r#""skips-calls""#, throughput, &["fold is", "expected"]),
        (r#""lies-about-iterations""#, throughput, &["iterations is 10, but 5 were asked for"]),
        (r#""takes-no-time""#, time, &["elapsed_ns", "is 0", "with a clock that advances"]),
        (r#""crash", "at": "slice""#, throughput, &["ended by signal 6", "answer every request"]),
        (r#""early-exit", "at": "compute""#, outputs, &["ended with status 0 during `compute`"]),
        (r#""rubbish", "at": "compute""#, outputs, &["not an answer", "only replies"]),
        (r#""stdout-noise", "at": "prepare""#, throughput, &["libsham", "only replies"]),
        (r#""half-line", "at": "compute""#, outputs, &["middle of a line", "with a line feed"]),
        (r#""long-line", "at": "compute""#, outputs, &["longer than 48 MiB", "one JSON object"]),
        (r#""fails", "at": "prepare""#, throughput, &["prepare of 0 bytes is answered failed"]),
    ];
    let contenders: Vec<String> = (0..)
        .zip(&faults)
        .map(|(n, (fault, ..))| {
            let fault = format!(r#"{{"kind": {fault}}}"#);
            format!(r#"{{"name": "c{n}", "primitives": ["siphash-2-4"], "fault": {fault}}}"#)
        })
        .collect();
    let script = format!(r#"{{"contenders": [{}]}}"#, contenders.join(", "));
    let findings = examine_sham(&script, PATIENCE);
    for (n, (_, check, words)) in (0..).zip(&faults) {
        assert_wrong(&findings, contender(&format!("c{n}")), &format!("{mac}{check}"), words);
    }
    let spoiled: Vec<Section> = (0..faults.len()).map(|n| contender(&format!("c{n}"))).collect();
    assert_wrong_only_in(&findings, &spoiled);
    assert!(findings.iter().any(|f| f.section == contender("empty")));
    assert!(conform::summary(&findings).starts_with("does not conform: "));
}

#[test]
fn an_open_that_takes_any_tag_is_found_out() {
    let findings = examine_sham(
        r#"{"contenders": [{"name": "a", "primitives": ["aes-256-gcm"],
                            "fault": {"kind": "accepts-bad-tag"}}]}"#,
        PATIENCE,
    );
    let words = ["expected a refusal", "check the whole tag"];
    assert_wrong(&findings, contender("a"), "aes-256-gcm open: outputs", &words);
    assert_eq!(findings.iter().filter(|f| f.is_wrong()).count(), 1);
}

#[test]
fn a_hang_costs_no_more_than_the_patience() {
    let findings = examine_sham(
        r#"{"contenders": [{"name": "a", "primitives": ["siphash-2-4"],
                            "fault": {"kind": "hang", "at": "slice"}}]}"#,
        SHORT,
    );
    let words = ["gave no answer to `slice` within 1 s", "flush standard output"];
    assert_wrong(&findings, contender("a"), "siphash-2-4 mac: throughput", &words);
    assert!(findings.iter().any(|f| f.section == contender("empty")), "the next is examined, too");
}

#[test]
fn a_program_that_does_not_get_past_the_greeting_is_asked_nothing_else() {
    let hello = |fault: &str| {
        let fault = format!(r#"{{"kind": "{fault}", "at": "hello"}}"#);
        examine_sham(&format!(r#"{{"contenders": [{{"name": "a", "fault": {fault}}}]}}"#), SHORT)
    };
    assert_wrong(&hello("hang"), Section::Greeting, "hello", &["no answer to `hello`"]);
    let crash = hello("crash");
    assert_wrong(&crash, Section::Greeting, "hello", &["ended by signal 6"]);
    assert_eq!(crash.len(), 2);
    assert!(crash[1].is_skipped());
    assert_eq!(conform::summary(&crash), "does not conform: 1 of 1 checks are wrong");
    let nothing = conform::examine(&["no-such-runner".into()], PATIENCE);
    assert_wrong(&nothing, Section::Greeting, "hello", &["no-such-runner", "executable program"]);
}

#[test]
fn a_list_that_is_not_answered_leaves_the_transcripts() {
    let findings = examine_sham(
        r#"{"contenders": [{"name": "a", "fault": {"kind": "crash", "at": "list"}}]}"#,
        PATIENCE,
    );
    assert_wrong(&findings, Section::List, "list", &["ended by signal 6", "during `list`"]);
    assert_wrong(&findings, Section::Transcripts, "list", &["line 5 of the transcript"]);
    let bye = findings.iter().find(|f| f.section == Section::Transcripts && f.check == "bye");
    assert_eq!(bye.unwrap().verdict, Verdict::Well);
}

#[test]
fn a_greeting_that_says_nothing_is_wrong() {
    let findings = Python::examine(&[
        (r#""version": "0.1""#, r#""version": """#),
        (r#""resolution_ns": resolution_ns()"#, r#""resolution_ns": 0"#),
    ]);
    assert_wrong(&findings, Section::Greeting, "hello", &["version is empty"]);
    let words = ["resolution_ns is 0", "measure the smallest step"];
    assert_wrong(&findings, Section::Greeting, "clock", &words);
    let findings = Python::examine(&[(r#"{"protocol": 1, "#, r#"{"protocol": 2, "#)]);
    assert_wrong(&findings, Section::Greeting, "hello", &["protocol is 2, but 1 was asked for"]);
}

#[test]
fn a_coarse_clock_is_remarked_upon() {
    // After the list the examination ends: nothing more matters here.
    let findings = Python::examine(&[
        (r#""resolution_ns": resolution_ns()"#, r#""resolution_ns": 1e6"#),
        (r#""operation": "digest"}"#, r#""operation": "digset"}"#),
    ]);
    let clock = findings.iter().find(|f| f.check == "clock").unwrap();
    assert!(matches!(&clock.verdict, Verdict::Remark(what) if what.contains("1 ms")), "{clock}");
    let words = ["offers the operation `digset`", "did you mean `digest`?"];
    assert_wrong(&findings, Section::List, "operations", &words);
}

#[test]
fn a_reply_with_another_number_is_out_of_step() {
    let findings = Python::examine(&[(r#"{"id": number, "#, r#"{"id": 1, "#)]);
    let words = ["answered request 1 instead of 2", "repeat the id"];
    assert_wrong(&findings, Section::List, "list", &words);
    assert_wrong(&findings, Section::Transcripts, "handshake", &["reply.id is 1"]);
}

#[test]
fn a_runner_that_dies_of_what_it_does_not_know_is_told_to_live() {
    let findings = Python::examine(&[(
        "        request = json.loads(line)\n",
        "        try:\n            request = json.loads(line)\n        except ValueError:\n            \
         sys.exit(1)\n        if 'later' in line or 'only' in request:\n            sys.exit(1)\n",
    )]);
    let transcript = |name, words: &[&str]| {
        assert_wrong(&findings, Section::Transcripts, name, words);
    };
    transcript(
        "malformed",
        &["the stream ended", "answer `failed` to a line that is not a request"],
    );
    transcript("unknown-field", &["the stream ended", "ignore unknown fields"]);
    let words = ["ended with status 1 during `prepare`"];
    assert_wrong(&findings, contender("empty"), "unknown fields", &words);
    assert_wrong_only_in(&findings, &[Section::Transcripts, contender("empty")]);
}

#[test]
fn what_must_be_refused_and_is_not_is_named() {
    let changes = [
        ("if any(value not in", "if False and any(value not in"),
        ("if chosen not in (None, contender)", "if False"),
        ("if pool < 1 or pool & pool - 1", "if False"),
        (r#"if workload["shape"] != "throughput""#, "if False"),
        // And two mistakes of other kinds, which show in other checks.
        (
            "elapsed_ns = perf_counter_ns() - start",
            "elapsed_ns = (perf_counter_ns() - start) * 10**6",
        ),
        ("        break\n", "        __import__('time').sleep(60)\n"),
    ];
    // Three checks wait for a process that stays after bye.
    let findings = Python::examine_within(&changes, Duration::from_secs(5));
    let first = |check, words: &[&str]| assert_wrong(&findings, contender("empty"), check, words);
    first("unknown fields", &["an unknown field is not refused", "must not guess"]);
    first("another contender", &["hashlib is prepared in a process of empty"]);
    first("pool", &["a pool of 3 messages is not answered `failed`"]);
    first("empty digest: latency", &["prepare of 0 bytes is not answered `unsupported`"]);
    let second = |check, words: &[&str]| {
        assert_wrong(&findings, contender("hashlib"), check, words);
    };
    second("sha256 digest: time", &["and the answer came after", "give the time in ns"]);
    second("end", &["is still running", "after its reply to `bye`"]);
    assert_wrong(&findings, Section::Transcripts, "bye", &["it does not exit"]);
}

#[test]
fn unknown_fields_inside_a_workload_and_a_request_are_to_be_ignored() {
    let findings = Python::examine(&[(
        "def prepare(cell, contender, workload, seed, pool, **_):\n",
        "def prepare(cell, contender, workload, seed, pool, **_):\n    \
         if 'later' in workload:\n        raise Refused('failed', 'later')\n",
    )]);
    let words = ["prepare with an additional field is answered failed", "ignore unknown fields"];
    assert_wrong(&findings, contender("empty"), "unknown fields", &words);
    assert_eq!(findings.iter().filter(|f| f.is_wrong()).count(), 1);
}

#[test]
fn calls_numbered_wrongly_are_told_what_to_change() {
    let findings = Python::examine(&[(
        "fold = calls(*cells[cell], first + preroll, iterations)",
        "fold = calls(*cells[cell], first, iterations)",
    )]);
    let words = ["fold is", "the first timed call is `first + preroll`"];
    assert_wrong(&findings, contender("hashlib"), "sha256 digest: throughput", &words);
}

#[test]
fn an_audited_slice_folds_its_last_output_or_all_of_them() {
    let asked = "(cell, first, preroll, iterations, **_):";
    let timed = "    elapsed_ns = perf_counter_ns() - start\n";
    let examine = |of_audits: &str| {
        Python::examine(&[
            (asked, "(cell, first, preroll, iterations, fold='all', **_):\n    asked = fold"),
            (timed, &format!("{timed}    if asked == 'last':\n        fold = {of_audits}\n")),
        ])
    };
    let last = "calls(*cells[cell], first + preroll + iterations - 1, 1)";
    assert_wrong_only_in(&examine(last), &[]);
    let first = "calls(*cells[cell], first + preroll, 1)";
    let words = ["iterations 7, last", "fold the last output, or all of them"];
    assert_wrong(&examine(first), contender("hashlib"), "sha256 digest: throughput", &words);
}

#[test]
fn a_program_without_empty_is_told_so_and_held_against_the_rest() {
    let empty = r#"    "empty": ("Python", {"empty": lambda message: b""}),"#;
    let findings = Python::examine(&[(empty, "")]);
    let report = conform::report(&findings);
    let remark = "remark  the contender `empty`: every runner should offer";
    assert!(report.contains(remark), "{report}");
    assert!(report.contains("skipped slice: it is about the contender `empty`"), "{report}");
    assert!(report.contains("ok      unknown-field\n"), "{report}");
    assert!(report.contains("ok      sha256 digest: throughput\n"), "{report}");
    assert!(report.lines().last().unwrap().starts_with("conforms: "), "{report}");
}

#[test]
fn the_command_says_it_in_its_last_line_and_its_exit_status() {
    let conform = |changes: &[(&str, &str)]| {
        let python = Python::with(changes);
        let mut command = Command::new(env!("CARGO_BIN_EXE_cupel"));
        let output =
            command.args(["verify", "--protocol"]).args(python.command()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (status, said) = conform(&[]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.ends_with("conforms: 33 checks, 8 skipped\n"), "{said}");
    let (status, said) = conform(&[(r#""protocol": 1, "#, r#""protocol": 2, "#)]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.ends_with("does not conform: 1 of 2 checks are wrong\n"), "{said}");
}

/// A contender that this machine cannot run is not examined, and its lack is reported once.
#[test]
fn a_contender_that_needs_what_the_machine_lacks_is_skipped() {
    let script = r#"{"contenders": [
        {"name": "wide", "primitives": ["siphash-2-4"], "lacking": "the CPU lacks AVX-512"},
        {"name": "a", "primitives": ["siphash-2-4"]}]}"#;
    let findings = examine_sham(script, PATIENCE);
    let report = conform::report(&findings);
    let of_wide: Vec<&Finding> =
        findings.iter().filter(|f| f.section == contender("wide")).collect();
    assert_eq!(of_wide.len(), 1, "{report}");
    assert!(of_wide[0].is_skipped(), "{report}");
    assert!(of_wide[0].to_string().contains("the CPU lacks AVX-512"), "{report}");
    assert!(findings.iter().any(|f| f.section == contender("a") && f.check == "pool"), "{report}");
    assert!(!findings.iter().any(Finding::is_wrong), "{report}");
}
