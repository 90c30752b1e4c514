//! The runner in the specification works: it reproduces the golden transcripts, and its outputs and
//! folds equal the sham's, which shares no code with it.

use cupel_protocol::message::{Ask, Request, Slice};
use cupel_protocol::serve::serve;
use cupel_protocol::transcript;
use cupel_sham::script::Script;
use cupel_sham::sham::Sham;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

const SPEC: &str = include_str!("../../../protocol/SPEC.md");

/// The specification's runner as a file.
fn written() -> tempfile::NamedTempFile {
    let program = SPEC.split("```python\n").nth(1).and_then(|rest| rest.split("```").next());
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(program.expect("a block of Python").as_bytes()).unwrap();
    file
}

/// This test needs `python3`, 3.8 or later, on the path.
fn python(file: &tempfile::NamedTempFile) -> Command {
    let mut command = Command::new("python3");
    command.arg(file.path());
    command
}

#[test]
fn the_runner_in_the_specification_holds_every_talk() {
    let file = written();
    for (name, text) in transcript::ALL {
        if let Err(mismatch) = transcript::replay(&mut python(&file), text) {
            panic!("{name}: {mismatch}");
        }
    }
}

fn prepare(shape: &str) -> Value {
    json!({"id": 1, "ask": "prepare", "cell": 0, "contender": "hashlib", "seed": 1000, "pool": 4,
        "offset": 0, "workload": {"primitive": "sha256", "operation": "digest", "size": 64,
            "contract": {}, "shape": shape}})
}

fn slice(first: u64, preroll: u64, iterations: u64) -> Value {
    let ask = Ask::Slice(Slice { cell: 0, first, preroll, iterations });
    serde_json::to_value(Request { id: 2, ask }).unwrap()
}

fn compute() -> Value {
    let sizes = [0, 1, 7, 8, 13, 55, 56, 64, 1000];
    let cases: Vec<Value> =
        sizes.iter().map(|size| json!({"input": {"stream": {"seed": 5, "size": size}}})).collect();
    json!({"id": 3, "ask": "compute", "contender": "hashlib", "primitive": "sha256",
        "operation": "digest", "contract": {}, "cases": cases})
}

fn lines(requests: &[Value]) -> Vec<u8> {
    requests.iter().flat_map(|r| format!("{r}\n").into_bytes()).collect()
}

fn replies(output: &[u8]) -> Vec<Value> {
    output.split(|&b| b == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

fn of_the_sham(requests: &[Value]) -> Vec<Value> {
    let script = Script::parse(r#"{"contenders": [{"name": "hashlib"}]}"#).unwrap();
    let mut output = Vec::new();
    serve(&mut Sham::new(script, 0, None), &lines(requests)[..], &mut output).unwrap();
    replies(&output)
}

fn of_the_specification(requests: &[Value]) -> Vec<Value> {
    let file = written();
    let mut command = python(&file);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&lines(requests)).unwrap();
    replies(&child.wait_with_output().unwrap().stdout)
}

#[test]
fn both_runners_answer_alike() {
    let requests =
        [prepare("throughput"), slice(1, 2, 10), slice(100, 0, 3), slice(200, 7, 0), compute()];
    let (sham, specification) = (of_the_sham(&requests), of_the_specification(&requests));
    for at in 1..4 {
        assert_eq!(sham[at]["fold"], specification[at]["fold"], "slice {at}");
    }
    assert_eq!(sham[4]["answers"], specification[4]["answers"]);
    assert_eq!(sham[4]["answers"].as_array().unwrap().len(), 9);
}

/// The golden transcripts cannot show this: there is no second contender that every runner has.
#[test]
fn both_refuse_a_second_contender_that_they_host() {
    let mut second = prepare("throughput");
    second["contender"] = "empty".into();
    second["workload"]["primitive"] = "empty".into();
    let requests = [prepare("throughput"), second.clone()];
    for replies in [of_the_sham(&requests), of_the_specification(&requests)] {
        assert_eq!(
            (&replies[0]["status"], &replies[1]["status"]),
            (&json!("ok"), &json!("failed"))
        );
    }
    for replies in [of_the_sham(&[second.clone()]), of_the_specification(&[second.clone()])] {
        assert_eq!(replies[0]["status"], "ok", "alone it is taken");
    }
}

/// As a reader does it: the runner in a file, the lines in a shell.
#[test]
fn one_slice_by_hand_has_the_fold_that_the_specification_gives() {
    let file = written();
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(file.path(), folder.path().join("runner.py")).unwrap();
    let command = SPEC.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next());
    let mut shell = Command::new("sh");
    shell.current_dir(&folder).args(["-c", command.expect("a block of commands")]);
    let replies = replies(&shell.output().unwrap().stdout);
    let status: Vec<&Value> = replies.iter().map(|reply| &reply["status"]).collect();
    assert_eq!(status, ["ok"; 3], "{replies:?}");
    let fold = replies[2]["fold"].as_str().unwrap();
    let said = format!("The last reply has the time and the fold, `{fold}`");
    assert!(SPEC.contains(&said), "{replies:?}");
}

#[test]
fn the_specification_s_worked_folds_are_right() {
    for (shape, ask) in [("throughput", slice(1, 2, 10)), ("latency", slice(0, 2, 3))] {
        let replies = of_the_sham(&[prepare(shape), ask]);
        let fold = replies[1]["fold"].as_str().unwrap();
        assert!(SPEC.contains(&format!("the fold is `{fold}`")), "{shape}: {fold}");
    }
}
