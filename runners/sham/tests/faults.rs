//! Every fault acts as it claims, seen from outside the process, and a contender without one
//! answers correctly.

use cupel_protocol::line::{self, LineError};
use serde_json::{Value, json};
use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// A running sham process.
struct Sham {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Sham {
    fn start(script: Value, more: &[&str]) -> Sham {
        let mut process = Command::new(env!("CARGO_BIN_EXE_cupel-sham"))
            .args(["--script", &script.to_string()])
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Sham { process, input, output, last: 0 }
    }

    /// One contender `a` with this fault and every primitive.
    fn with(fault: Value) -> Sham {
        let warm_up = json!({"slow_factor": 2, "for_ms": 1});
        let primitives = ["sha256", "hmac-sha256", "siphash-2-4", "aes-256-gcm"];
        let contender =
            json!({"name": "a", "fault": fault, "primitives": primitives, "warm_up": warm_up});
        Sham::start(json!({"contenders": [contender]}), &[])
    }

    fn ask(&mut self, mut request: Value) {
        self.last += 1;
        request["id"] = self.last.into();
        writeln!(self.input, "{request}").unwrap();
    }

    fn line(&mut self) -> Result<Vec<u8>, LineError> {
        let mut bytes = Vec::new();
        line::read(&mut self.output, &mut bytes).map(|()| bytes)
    }

    fn reply(&mut self, request: Value) -> Value {
        self.ask(request);
        let line = self.line().unwrap();
        let reply: Value = line::parse(&line).unwrap();
        assert_eq!(reply["id"], self.last);
        reply
    }

    fn leaves_with(&mut self) -> Option<i32> {
        self.process.wait().unwrap().code()
    }
}

impl Drop for Sham {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

fn hello() -> Value {
    json!({"ask": "hello", "protocol": 1, "tool": "test"})
}

fn prepare_as(primitive: &str, operation: &str, size: u64, shape: &str) -> Value {
    let key = if primitive == "siphash-2-4" { &KEY[..32] } else { KEY };
    json!({"ask": "prepare", "cell": 0, "contender": "a", "seed": 1, "pool": 4, "offset": 0,
        "key": key, "workload": {"primitive": primitive, "operation": operation, "size": size,
            "contract": {}, "shape": shape}})
}

fn prepare() -> Value {
    prepare_as("sha256", "digest", 64, "throughput")
}

fn compute(sizes: &[u64]) -> Value {
    let cases: Vec<Value> =
        sizes.iter().map(|size| json!({"input": {"stream": {"seed": 1, "size": size}}})).collect();
    json!({"ask": "compute", "contender": "a", "primitive": "sha256", "operation": "digest",
        "contract": {}, "cases": cases})
}

fn slice_from(first: u64, iterations: u64) -> Value {
    json!({"ask": "slice", "cell": 0, "first": first, "preroll": 3, "iterations": iterations})
}

fn slice() -> Value {
    slice_from(0, 1000)
}

/// The outputs of a contender without a fault for messages of these lengths.
fn right(sizes: &[u64]) -> Value {
    Sham::with(Value::Null).reply(compute(sizes))["answers"].clone()
}

fn right_slice() -> Value {
    let mut sham = Sham::with(Value::Null);
    sham.reply(prepare());
    sham.reply(slice())
}

#[test]
fn without_a_fault_the_outputs_are_those_of_the_standards() {
    let mut sham = Sham::with(Value::Null);
    let mut output = |primitive: &str, operation: &str, case: Value| {
        let reply = sham.reply(json!({"ask": "compute", "contender": "a", "primitive": primitive,
            "operation": operation, "contract": {}, "cases": [case]}));
        reply["answers"][0].clone()
    };
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let case = json!({"input": {"hex": "616263"}});
    assert_eq!(output("sha256", "digest", case), json!({"output": abc}), "FIPS 180-2, B.1");
    let tag = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
    let case = json!({"key": "0b".repeat(20), "input": {"hex": "4869205468657265"}});
    assert_eq!(output("hmac-sha256", "mac", case), json!({"output": tag}), "RFC 4231, 4.2");
    let case = json!({"key": &KEY[..32], "input": {"hex": "000102030405060708090a0b0c0d0e"}});
    let tag = json!({"output": "e545be4961ca29a1"});
    assert_eq!(output("siphash-2-4", "mac", case), tag, "the SipHash paper, appendix A");
    let (key, nonce) = ("00".repeat(32), "00".repeat(12));
    let case = json!({"key": key, "nonce": nonce, "input": {"hex": "00".repeat(16)}});
    let sealed = "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919";
    assert_eq!(output("aes-256-gcm", "seal", case), json!({"output": sealed}), "GCM test case 14");
    let case = json!({"key": key, "nonce": nonce, "input": {"hex": sealed}});
    assert_eq!(output("aes-256-gcm", "open", case), json!({"output": "00".repeat(16)}));
    let case = json!({"key": key, "nonce": nonce, "ad": "00", "input": {"hex": sealed}});
    assert_eq!(output("aes-256-gcm", "open", case), json!({"refused": "not authentic"}));
    let case = json!({"key": key, "nonce": "00", "input": {"hex": sealed}});
    assert!(output("aes-256-gcm", "open", case)["unsupported"].is_string());
}

/// The fold of the timed calls, from outputs requested one by one.
#[test]
fn folds_are_those_of_the_outputs_of_compute() {
    let word = |hex: &str| {
        let bytes: Vec<u8> = (0..hex.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap())
            .collect();
        cupel_protocol::fold::word(&bytes)
    };
    for (primitive, operation) in [
        ("sha256", "digest"),
        ("siphash-2-4", "mac"),
        ("hmac-sha256", "mac"),
        ("aes-256-gcm", "seal"),
    ] {
        let mut sham = Sham::with(Value::Null);
        let prepared = prepare_as(primitive, operation, 40, "throughput");
        assert_eq!(sham.reply(prepared.clone())["status"], "ok");
        // Calls 5 + 3 to 5 + 3 + 9.
        let cases: Vec<Value> = (8..18)
            .map(|i| {
                json!({"key": prepared["key"], "nonce": format!("{i:024x}"),
                    "input": {"stream": {"seed": 1 + i % 4, "size": 40}}})
            })
            .collect();
        let answers = sham
            .reply(json!({"ask": "compute", "contender": "a", "primitive": primitive,
            "operation": operation, "contract": {}, "cases": cases}))["answers"]
            .clone();
        let mut sum = 0_u64;
        for answer in answers.as_array().unwrap() {
            let nonce_free = operation != "seal";
            let output = answer["output"].as_str().unwrap();
            assert!(nonce_free || output.len() == 2 * 56);
            sum = sum.wrapping_add(word(output));
        }
        assert_eq!(sham.reply(slice_from(5, 10))["fold"], format!("{sum:016x}"), "{primitive}");
    }
}

#[test]
fn open_folds_the_plaintexts() {
    let mut sham = Sham::with(Value::Null);
    sham.reply(prepare_as("aes-256-gcm", "open", 24, "throughput"));
    let mut sum = 0_u64;
    for i in 3..8 {
        let message = cupel_protocol::bytes::stream(1 + i % 4, 24);
        sum = sum.wrapping_add(cupel_protocol::fold::word(&message));
    }
    assert_eq!(sham.reply(slice_from(0, 5))["fold"], format!("{sum:016x}"));
}

#[test]
fn a_file_is_digested_by_slices_and_by_compute() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), b"abc").unwrap();
    let mut sham = Sham::with(Value::Null);
    let mut request = prepare_as("sha256", "digest-file", 3, "throughput");
    assert_eq!(sham.reply(request.clone())["status"], "failed");
    request["file"] = file.path().to_str().into();
    assert_eq!(sham.reply(request)["status"], "ok");
    let reply = sham.reply(json!({"ask": "slice", "cell": 0, "first": 0, "preroll": 0,
        "iterations": 1}));
    assert_eq!(reply["fold"], "97e402822115896e", "as in the specification");
}

#[test]
fn wrong_output_is_one_bit_off_everywhere_or_where_it_is_said() {
    let mut sham = Sham::with(json!({"kind": "wrong-output"}));
    assert_ne!(sham.reply(compute(&[64]))["answers"], right(&[64]));
    sham.reply(prepare());
    assert_ne!(sham.reply(slice())["fold"], right_slice()["fold"]);

    let mut sham = Sham::with(json!({"kind": "wrong-output", "at": "compute", "after": 1}));
    assert_eq!(sham.reply(compute(&[64]))["answers"], right(&[64]));
    assert_ne!(sham.reply(compute(&[64]))["answers"], right(&[64]));
    sham.reply(prepare());
    assert_eq!(sham.reply(slice())["fold"], right_slice()["fold"]);
}

#[test]
fn wrong_above_size_spares_the_messages_up_to_it() {
    let fault = json!({"kind": "wrong-above-size", "size": 63});
    let mut sham = Sham::with(fault);
    let (got, right) = (sham.reply(compute(&[63, 64]))["answers"].clone(), right(&[63, 64]));
    assert_eq!(got[0], right[0]);
    assert_ne!(got[1], right[1]);
    sham.reply(prepare());
    assert_ne!(sham.reply(slice())["fold"], right_slice()["fold"]);
}

#[test]
fn wrong_fold_leaves_the_outputs_right() {
    let mut sham = Sham::with(json!({"kind": "wrong-fold", "after": 1}));
    assert_eq!(sham.reply(compute(&[64]))["answers"], right(&[64]));
    sham.reply(prepare());
    assert_eq!(sham.reply(slice())["fold"], right_slice()["fold"]);
    assert_ne!(sham.reply(slice())["fold"], right_slice()["fold"]);
}

#[test]
fn wrong_after_warm_up_is_right_while_it_is_cold() {
    let mut sham = Sham::with(json!({"kind": "wrong-after-warm-up"}));
    sham.reply(prepare());
    assert_eq!(sham.reply(compute(&[64]))["answers"], right(&[64]));
    assert_eq!(sham.reply(slice())["fold"], right_slice()["fold"]);
    // Warm after 1 ms: 10,000 calls of 164 ns.
    sham.reply(slice_from(2000, 10_000));
    assert_ne!(sham.reply(slice())["fold"], right_slice()["fold"]);
    assert_ne!(sham.reply(compute(&[64]))["answers"], right(&[64]));
}

#[test]
fn accepts_bad_tag_opens_anything() {
    let mut sham = Sham::with(json!({"kind": "accepts-bad-tag"}));
    let reply = sham.reply(json!({"ask": "compute", "contender": "a", "primitive": "aes-256-gcm",
        "operation": "open", "contract": {}, "cases": [
            {"key": KEY, "nonce": "00".repeat(12), "input": {"hex": "ab".repeat(20)}}]}));
    assert_eq!(reply["answers"], json!([{"output": "abababab"}]));
}

#[test]
fn skipped_calls_are_seen_in_time_and_fold_and_not_in_their_number() {
    let mut sham = Sham::with(json!({"kind": "skips-calls"}));
    sham.reply(prepare());
    let (got, right) = (sham.reply(slice()), right_slice());
    assert_eq!(got["iterations"], right["iterations"]);
    assert_ne!(got["fold"], right["fold"]);
    assert_eq!(2.0 * got["elapsed_ns"].as_f64().unwrap(), right["elapsed_ns"].as_f64().unwrap());
}

#[test]
fn lies_about_numbers_and_times_change_only_these() {
    for (kind, field, value) in [
        ("lies-about-iterations", "iterations", json!(2000)),
        ("takes-no-time", "elapsed_ns", json!(0.0)),
    ] {
        let mut sham = Sham::with(json!({"kind": kind}));
        sham.reply(prepare());
        let mut right = right_slice();
        right[field] = value;
        assert_eq!(sham.reply(slice()), right, "{kind}");
    }
}

#[test]
fn fails_answers_failed_with_a_reason_at_each_request() {
    let asks =
        [("list", json!({"ask": "list"})), ("prepare", prepare()), ("compute", compute(&[1]))];
    for (at, request) in asks {
        let reply = Sham::with(json!({"kind": "fails", "at": at})).reply(request);
        assert_eq!(reply["status"], "failed", "{at}");
        assert!(reply["reason"].is_string());
    }
    let mut sham = Sham::with(json!({"kind": "fails", "at": "slice"}));
    assert_eq!(sham.reply(prepare())["status"], "ok");
    assert_eq!(sham.reply(slice())["status"], "failed");
}

/// Brings a process with this fault to the request that it affects, and sends that request.
fn spoiled_at(at: &str, kind: &str) -> Sham {
    let mut sham = Sham::with(json!({"kind": kind, "at": at, "delay_ms": 150}));
    let talk = [
        ("hello", hello()),
        ("list", json!({"ask": "list"})),
        ("compute", compute(&[1])),
        ("prepare", prepare()),
        ("slice", slice()),
    ];
    for (name, request) in talk {
        if name == at {
            sham.ask(request);
            return sham;
        }
        assert_eq!(sham.reply(request)["status"], "ok", "{kind} at {at} spoils {name}");
    }
    panic!("no request {at}");
}

const STAGES: [&str; 5] = ["hello", "list", "compute", "prepare", "slice"];

#[test]
fn a_crash_is_no_exit() {
    for at in STAGES {
        let mut sham = spoiled_at(at, "crash");
        assert!(matches!(sham.line(), Err(LineError::End)), "{at}");
        assert_ne!(sham.leaves_with(), Some(0), "{at}");
    }
}

#[test]
fn an_early_exit_has_status_zero_and_no_answer() {
    for at in STAGES {
        let mut sham = spoiled_at(at, "early-exit");
        assert!(matches!(sham.line(), Err(LineError::End)), "{at}");
        assert_eq!(sham.leaves_with(), Some(0), "{at}");
    }
}

#[test]
fn half_a_line_is_followed_by_the_end() {
    for at in STAGES {
        let mut sham = spoiled_at(at, "half-line");
        assert!(matches!(sham.line(), Err(LineError::Half(_))), "{at}");
        assert_eq!(sham.leaves_with(), Some(0), "{at}");
    }
}

#[test]
fn a_hang_stays_without_an_answer() {
    let mut sham = spoiled_at("slice", "hang");
    std::thread::scope(|scope| {
        let Sham { process, output, .. } = &mut sham;
        let heard = scope.spawn(|| line::read(output, &mut Vec::new()));
        std::thread::sleep(Duration::from_millis(300));
        assert!(process.try_wait().unwrap().is_none(), "it left");
        assert!(!heard.is_finished(), "it wrote or closed its output");
        process.kill().unwrap();
        assert!(matches!(heard.join().unwrap(), Err(LineError::End)));
    });
}

#[test]
fn rubbish_is_a_line_that_no_reader_takes() {
    let mut sham = spoiled_at("prepare", "rubbish");
    let line = sham.line().unwrap();
    assert!(std::str::from_utf8(&line).is_err());
    assert!(line::parse::<Value>(&line).is_err());
}

#[test]
fn chatter_precedes_a_right_answer() {
    let mut sham = spoiled_at("slice", "stdout-noise");
    let chatter = sham.line().unwrap();
    assert!(line::parse::<Value>(&chatter).is_err() && chatter.is_ascii());
    let reply: Value = line::parse(&sham.line().unwrap()).unwrap();
    assert_eq!(reply["fold"], right_slice()["fold"]);
}

#[test]
fn a_long_line_is_longer_than_any_reader_allows() {
    let mut sham = spoiled_at("list", "long-line");
    assert!(matches!(sham.line(), Err(LineError::TooLong(_))));
}

#[test]
fn slow_answers_come_late_and_right() {
    let start = std::time::Instant::now();
    let mut sham = spoiled_at("list", "slow-answers");
    let reply: Value = line::parse(&sham.line().unwrap()).unwrap();
    assert!(start.elapsed() >= Duration::from_millis(150));
    assert_eq!(reply["status"], "ok");
}

#[test]
fn a_process_fault_without_a_place_waits_for_its_contender() {
    let mut sham = Sham::with(json!({"kind": "crash"}));
    assert_eq!(sham.reply(hello())["status"], "ok");
    assert_eq!(sham.reply(json!({"ask": "list"}))["status"], "ok");
    sham.ask(prepare());
    assert!(matches!(sham.line(), Err(LineError::End)));
}

#[test]
fn another_contender_of_the_script_is_not_spoiled() {
    let script = json!({"contenders": [{"name": "a"}, {"name": "b", "fault": {"kind": "crash"}}]});
    let mut sham = Sham::start(script, &[]);
    assert_eq!(sham.reply(prepare())["status"], "ok");
    assert_eq!(sham.reply(slice())["status"], "ok");
}

#[test]
fn a_missing_contender_is_listed_and_answered_missing() {
    let mut sham =
        Sham::start(json!({"contenders": [{"name": "a", "missing": "no library"}]}), &[]);
    let list = sham.reply(json!({"ask": "list"}));
    assert_eq!(list["contenders"][0]["missing"]["reason"], "no library");
    for request in [prepare(), compute(&[1])] {
        let reply = sham.reply(request);
        assert_eq!((&reply["status"], &reply["reason"]), (&json!("missing"), &json!("no library")));
    }
}

#[test]
fn processes_on_one_clock_see_one_time_and_one_neighbour() {
    let folder = tempfile::tempdir().unwrap();
    let clock = folder.path().join("clock");
    let more = ["--clock", clock.to_str().unwrap()];
    let bursts = json!({"per_s": 5, "mean_ms": 100, "factor_low": 2, "factor_high": 2});
    let script = json!({"seed": 9, "world": {"bursts": bursts, "overhead_us": 0},
        "contenders": [{"name": "a", "fixed_ns": 1000, "per_byte_ns": 0}]});
    let (mut one, mut other) = (Sham::start(script.clone(), &more), Sham::start(script, &more));
    one.reply(prepare());
    other.reply(prepare());
    let now_ns = || f64::from_le_bytes(std::fs::read(&clock).unwrap().try_into().unwrap());
    let (mut passed_ns, mut alike, mut slowed) = (0.0, 0, 0);
    for _ in 0..1000 {
        let mut took = |sham: &mut Sham| {
            let reply = sham.reply(json!({"ask": "slice", "cell": 0, "first": 0, "preroll": 0,
                "iterations": 1000}));
            let elapsed_ns = reply["elapsed_ns"].as_f64().unwrap();
            passed_ns += elapsed_ns;
            assert!((now_ns() - passed_ns).abs() < 25.0 * 2000.0, "{} {passed_ns}", now_ns());
            elapsed_ns
        };
        let (a, b) = (took(&mut one), took(&mut other));
        alike += u32::from((a - b).abs() < 50.0);
        slowed += u32::from((a - 2e6).abs() < 50.0);
    }
    assert!(slowed > 100, "{slowed}");
    assert!(alike > 900, "a neighbour slows every process: {alike}");
}

#[test]
fn a_fork_s_number_comes_from_the_environment_and_bad_arguments_are_named() {
    let run = |arguments: &[&str], fork: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_cupel-sham"))
            .args(arguments)
            .env("CUPEL_FORK", fork)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(run(&["--script", "{}"], "3"), (Some(0), String::new()));
    for (arguments, fork, words) in [
        (&["--script", "{}"][..], "x", "CUPEL_FORK=x"),
        (&[], "1", "--script is missing"),
        (&["--script", "no-such-file"], "1", "no-such-file"),
        (&["--scrip", "{}"], "1", "--scrip"),
    ] {
        let (status, said) = run(arguments, fork);
        assert!(status == Some(2) && said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn the_help_names_every_fault() {
    let output = Command::new(env!("CARGO_BIN_EXE_cupel-sham")).arg("--help").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for (_, name, what) in cupel_sham::script::FaultKind::ALL {
        assert!(text.contains(name) && text.contains(what), "{name}");
    }
}
