//! The matrix of runners' faults.

use super::{DECLARED, honest, others_are_answered, processes_of};
use crate::support::{Cells, Home, sham, value_of};
use serde_json::{Value, json};

/// A runner's deed, and the message about it.
struct Case {
    /// The name of its family.
    name: &'static str,
    /// The difference from an honest contender, in the words of its script.
    contender: Value,
    /// The commands of its shell before it becomes the runner, or instead.
    shell: &'static str,
    /// Its verdict.
    verdict: &'static str,
    /// Parts of its reason.
    says: &'static [&'static str],
    /// Whether `cupel verify --protocol` finds it, too.
    examined: bool,
}

/// A contender that fails with a reason that says this.
fn fails(name: &'static str, fault: Value, says: &'static [&'static str]) -> Case {
    let contender = json!({ "fault": fault });
    Case { name, contender, shell: "", verdict: "failed", says, examined: true }
}

/// A contender that fails because its answer to this request has this text in place of a field.
fn alters(
    name: &'static str,
    at: &str,
    field: &str,
    text: &str,
    says: &'static [&'static str],
) -> Case {
    fails(name, json!({ "kind": "alters", "at": at, "field": field, "text": text }), says)
}

/// A contender that fails because of its shell.
fn shell(name: &'static str, shell: &'static str, says: &'static [&'static str]) -> Case {
    Case { shell, examined: false, ..fails(name, Value::Null, says) }
}

impl Case {
    /// It is no reason to fail.
    fn passes(self) -> Case {
        Case { verdict: "slower", examined: false, ..self }
    }

    /// Nothing shows that it is at fault.
    fn missing(self) -> Case {
        Case { verdict: "missing", ..self }
    }

    /// `cupel verify --protocol` asks too little to see it, or it is no matter of the protocol.
    fn beyond_the_protocol(self) -> Case {
        Case { examined: false, ..self }
    }
}

/// Every counter of a slice, and as much of it as a number has room for.
const MOST_NOISE: &str = "{\"cpu_ns\":18446744073709551615,\"wait_ns\":18446744073709551615,\
    \"involuntary\":18446744073709551615,\"faults\":18446744073709551615,\
    \"gc_ns\":18446744073709551615,\"compile_ns\":18446744073709551615,\
    \"off_ns\":18446744073709551615}";

/// The largest values of a compiler.
const MOST_COMPILED: &str = "{\"events\":18446744073709551615,\"installed\":18446744073709551615,\
    \"discarded\":18446744073709551615,\"pending\":18446744073709551615}";

/// They end, or print something that no reader takes.
fn processes() -> Vec<Case> {
    let crash = |at: &str| json!({ "kind": "crash", "at": at });
    let exit = |at: &str, status: u8| json!({ "kind": "early-exit", "at": at, "status": status });
    let at = |kind: &str, at: &str| json!({ "kind": kind, "at": at });
    vec![
        fails("crash-hello", crash("hello"), &["ended by signal 6 (abort) during `hello`"]),
        fails("crash-list", crash("list"), &["ended by signal 6 (abort) during `list`"]),
        fails("crash-prepare", crash("prepare"), &["ended by signal 6 (abort) during `prepare`"]),
        fails("crash-compute", crash("compute"), &["ended by signal 6 (abort) during `compute`"]),
        fails("crash-slice", crash("slice"), &["ended by signal 6 (abort) during `slice`"]),
        fails(
            "crash-later",
            json!({ "kind": "crash", "at": "slice", "after": 108 }),
            &["ended by signal 6 (abort) during `slice`"],
        )
        .beyond_the_protocol(),
        fails("exit-3-list", exit("list", 3), &["ended with status 3 during `list`"]),
        fails("exit-3-compute", exit("compute", 3), &["ended with status 3 during `compute`"]),
        fails("exit-3-slice", exit("slice", 3), &["ended with status 3 during `slice`"]),
        fails("exit-0-hello", exit("hello", 0), &["ended with status 0 during `hello`"]),
        fails("exit-0-prepare", exit("prepare", 0), &["ended with status 0 during `prepare`"]),
        fails("exit-0-slice", exit("slice", 0), &["ended with status 0 during `slice`"]),
        fails("rubbish-list", at("rubbish", "list"), &["did not answer `list`", "not an answer"]),
        fails("rubbish-compute", at("rubbish", "compute"), &["`compute`", "not an answer"]),
        fails("rubbish-slice", at("rubbish", "slice"), &["`slice`", "not an answer"]),
        fails("chatter", at("stdout-noise", "prepare"), &["`prepare`", "libsham: using the ref"]),
        fails("half-hello", at("half-line", "hello"), &["`hello`", "middle of a line", "stat"]),
        fails("half-slice", at("half-line", "slice"), &["`slice`", "middle of a line", "stat"]),
        fails("long-compute", at("long-line", "compute"), &["`compute`", "longer than 48 MiB"]),
        fails("long-slice", at("long-line", "slice"), &["`slice`", "longer than 48 MiB"]),
        fails(
            "twice-prepare",
            at("answers-twice", "prepare"),
            &["did not answer `compute`", "code_path"],
        ),
        fails("twice-compute", at("answers-twice", "compute"), &["answered request", "instead of"]),
        fails("twice-slice", at("answers-twice", "slice"), &["answered request", "instead of"]),
        fails("refuses-list", at("fails", "list"), &["the script says so"]),
        fails("refuses-prepare", at("fails", "prepare"), &["the script says so"]),
        fails("refuses-compute", at("fails", "compute"), &["the script says so"]),
        fails("refuses-slice", at("fails", "slice"), &["the script says so"]),
        fails("floods", at("floods", "prepare"), &[]).passes(),
        fails("late", json!({ "kind": "slow-answers", "at": "prepare", "delay_ms": 100 }), &[])
            .passes(),
    ]
}

/// Their answers break the protocol.
fn answers() -> Vec<Case> {
    let deep = |at: &str, field: &str| json!({ "kind": "alters", "at": at, "field": field, "text": "[", "repeat": 1_000_000 });
    vec![
        fails("deep-compute", deep("compute", "answers"), &["`compute`", "recursion limit"]),
        fails("deep-slice", deep("slice", "later"), &["`slice`", "recursion limit"]),
        fails("deep-list", deep("list", "contenders"), &["`list`", "recursion limit"]),
        alters("utf-8-list", "list", "contenders", "\"\u{ff}\u{fe}\"", &["`list`", "code point"]),
        alters("utf-8-path", "prepare", "code_path", "\"\u{ff}\"", &["`prepare`", "code point"]),
        alters("utf-8-fold", "slice", "fold", "\"\u{c3}\u{28}\"", &["`slice`", "code point"]),
        alters("old", "slice", "id", "1", &["answered request 1 instead of"]),
        alters("foreign", "compute", "id", "18446744073709551615", &["18446744073709551615 inst"]),
        alters("negative-id", "slice", "id", "-1", &["`slice`", "-1"]),
        alters("id-of-text", "prepare", "id", "\"7\"", &["`prepare`", "invalid type: string"]),
        alters("no-status", "slice", "status", "\"fine\"", &["`slice`", "unknown variant `fine`"]),
        alters("empty-answer", "compute", "answers", "[]", &["0 answers"]),
        alters("no-answers", "compute", "answers", "null", &["`compute`", "null"]),
        alters(
            "no-hex",
            "compute",
            "answers",
            "[{\"output\":\"zz\"}]",
            &["`compute`", "Invalid character 'z'"],
        ),
    ]
}

/// Their times or counts cannot be true.
fn figures() -> Vec<Case> {
    let time = |name, text, says| alters(name, "slice", "elapsed_ns", text, says);
    let calls = |name, text, says| alters(name, "slice", "iterations", text, says);
    let more = |name, field, text, says| alters(name, "slice", field, text, says);
    vec![
        time("time-zero", "0", &["reports at most 1 ns for"]),
        time("time-minus-zero", "-0.0", &["reports at most 1 ns for"]),
        time("time-tiny", "1e-300", &["reports at most 1 ns for"]),
        time("time-below-a-step", "0.001", &["reports at most 1 ns for"]),
        time("time-negative", "-5", &["reports -5e0 ns for", "cannot be true"]),
        time("time-huge", "1e300", &["reports 1e300 ns for", "cannot be true"]),
        time("time-infinite", "1e999", &["`slice`", "number out of range"]),
        time("time-nan", "NaN", &["`slice`", "expected"]),
        time("time-null", "null", &["`slice`", "null"]),
        time("time-text", "\"5\"", &["`slice`", "string"]),
        calls("calls-none", "0", &["made 0 timed calls where"]),
        calls("calls-fewer", "1", &["made 1 timed calls where"]),
        calls("calls-most", "18446744073709551615", &["18446744073709551615 timed calls where"]),
        calls("calls-negative", "-1", &["`slice`", "-1"]),
        calls("calls-broken", "1.5", &["`slice`", "1.5"]),
        fails("skips", json!({ "kind": "skips-calls" }), &["answers wrongly while timed"]),
        fails("lies", json!({ "kind": "lies-about-iterations" }), &["timed calls where"]),
        more("allocates-less", "allocated_per_call", "-1", &["-1e0 bytes allocated by a call"]),
        more("allocates-more", "allocated_per_call", "1e300", &["1e300 bytes allocated by a call"]),
        more("fold-of-text", "fold", "\"nonsense\"", &["`slice`", "nonsense"]),
        more("fold-long", "fold", "\"00112233445566778899\"", &["`slice`"]),
        Case {
            verdict: "not separated",
            examined: false,
            ..more("noise-most", "noise", MOST_NOISE, &["too few rounds"])
        },
        Case {
            verdict: "not separated",
            examined: false,
            ..fails(
                "steps-aside",
                json!({ "kind": "steps-aside", "at": "slice", "after": 3 }),
                &["something changed its priority"],
            )
        },
        more("noise-negative", "noise", "{\"wait_ns\":-1}", &["`slice`", "-1"]),
        Case {
            verdict: "not separated",
            examined: false,
            ..more("compiled-most", "compilation", MOST_COMPILED, &["steady"])
        },
    ]
}

const WRONGLY: &str = "answers wrongly while timed: the outputs of calls";

/// They answer wrongly.
fn wrong() -> Vec<Case> {
    let warm_up = json!({ "slow_factor": 2, "for_ms": 5 });
    let warm = |at: &str| json!({ "fault": { "kind": "wrong-after-warm-up", "at": at }, "warm_up": warm_up });
    // The slice is one of the rounds. If more cases share their budget, they may begin earlier.
    let once = json!({ "kind": "wrong-fold", "at": "slice", "after": 108, "often": 1 });
    let above = json!({ "kind": "wrong-above-size", "at": "slice", "size": 64 });
    let later = json!({ "kind": "wrong-output", "at": "slice", "from_s": 0.5 });
    vec![
        fails(
            "wrong",
            json!({ "kind": "wrong-output" }),
            &["answers wrongly", "siphash-2-4", "expected", "got", "cases are wrong"],
        ),
        fails(
            "wrong-above-64",
            json!({ "kind": "wrong-above-size", "size": 64 }),
            &["answers wrongly", "65 bytes"],
        ),
        fails("wrong-fold", json!({ "kind": "wrong-fold" }), &[WRONGLY, "fold to"]),
        // In verification it answers correctly at every size, and the slices of 64 bytes are
        // correct.
        fails("wrong-timed-size", above, &[WRONGLY]).beyond_the_protocol(),
        fails("wrong-once", once, &[WRONGLY]).beyond_the_protocol(),
        fails("wrong-later", later, &[WRONGLY]).beyond_the_protocol(),
        // In the timed slices, by their fold.
        Case {
            contender: warm("slice"),
            ..fails("wrong-once-warm", Value::Null, &[WRONGLY]).beyond_the_protocol()
        },
        // And where the timed calls do not go, after the rounds.
        Case {
            contender: warm("compute"),
            ..fails(
                "wrong-afterwards",
                Value::Null,
                &["after its rounds: answers wrongly", "expected", "no figure of it"],
            )
            .beyond_the_protocol()
        },
    ]
}

/// The faults of the programs around a runner.
fn shells() -> Vec<Case> {
    let long = "exec head -c 1000000 /dev/zero | tr '\\\\0' x >&2; exit 3; exec ";
    let colours = "printf '\\\\033[31mred\\\\033[2J\\\\a\\\\n' >&2; exit 3; exec ";
    vec![
        shell(
            "log-of-a-megabyte",
            long,
            &["ended with status 3 during `hello`; its log ends: xxx"],
        ),
        shell("log-in-colours", colours, &["its log ends: \\u{1b}[31mred"]),
        shell("closed", "exec 1>&-; exec ", &["during `hello`"]),
        shell("stays-closed", "exec 1>&-; exec sleep 86400; exec ", &["ended its output while"]),
        shell(
            "killed",
            "kill -9 $$; exec ",
            &["is lost: it was ended by signal 9 (killed) during `hello`"],
        )
        .missing(),
        shell(
            "fills",
            "head -c 4500000000 /dev/zero >/dev/null; exec ",
            &["because it had written more than 4 GiB"],
        ),
        shell("few-files", "ulimit -n 3; exec ", &["during `hello`; its log ends"]),
        shell("little-memory", "ulimit -v 20; exec ", &["during `hello`"]),
        shell("grandchildren", "sleep 86400 & setsid sh -c 'sleep 86400; :' & exec ", &[]).passes(),
        shell("daemon", "setsid env -i sh -c 'sleep 86400; : STORE' & exec ", &[]).passes(),
        Case {
            contender: json!({ "fault": { "kind": "early-exit", "at": "slice", "after": 3 } }),
            ..shell("left", "sleep 86400 & setsid sh -c 'sleep 86400; :' & exec ", &["status 0"])
        },
        shell("deaf", "trap '' TERM HUP INT; exec ", &[]).passes(),
        shell("stays", "trap 'sleep 86400' EXIT; ", &[]).passes(),
        shell("says-bye-with-3", "trap 'exit 3' EXIT; ", &[]).passes(),
    ]
}

/// They give no answer in time.
fn silent() -> Vec<Case> {
    let at = |kind: &str, at: &str| json!({ "kind": kind, "at": at });
    let late = json!({ "kind": "slow-answers", "at": "prepare", "delay_ms": 600_000 });
    vec![
        fails("hangs-prepare", at("hang", "prepare"), &["gave no answer to `prepare` within"]),
        fails("hangs-compute", at("hang", "compute"), &["gave no answer to `compute` within"]),
        fails("hangs-slice", at("hang", "slice"), &["gave no answer to `slice` within"]),
        fails("drips-compute", at("drips", "compute"), &["gave no answer to `compute` within"]),
        fails("drips-slice", at("drips", "slice"), &["gave no answer to `slice` within"]),
        fails("stops-compute", at("stops", "compute"), &["gave no answer to `compute` within"]),
        fails("stops-slice", at("stops", "slice"), &["gave no answer to `slice` within"]),
        shell("reads-half", "(head -c 5000; sleep 86400) | exec ", &["gave no answer to"]),
        fails("too-late", late, &["gave no answer to `prepare` within"]),
    ]
}

fn cases() -> Vec<Case> {
    [processes(), answers(), figures(), wrong(), shells()].into_iter().flatten().collect()
}

/// Their families, next to the honest one.
fn home(cases: &[Case]) -> Home {
    let home = honest();
    for case in cases {
        let script = json!({ "seed": 3, "contenders": [contender("x", case)] });
        home.family(case.name, &script, DECLARED);
        let path = home.path(&format!("contenders/{}.toml", case.name));
        let text = std::fs::read_to_string(&path).unwrap();
        if !case.shell.is_empty() {
            let shell = case.shell.replace("STORE", home.store().to_str().unwrap());
            std::fs::write(path, text.replace("exec ", &shell)).unwrap();
        }
    }
    home
}

/// The contender of a case in a script, slower than the honest ones.
fn contender(name: &str, case: &Case) -> Value {
    let mut contender = json!({ "primitives": ["siphash-2-4"], "fixed_ns": 400, "per_byte_ns": 4 });
    let object = contender.as_object_mut().unwrap();
    object.insert("name".to_string(), name.into());
    object.extend(case.contender.as_object().unwrap().clone());
    contender
}

/// The faults of a run's message about a case.
fn faults(case: &Case, cells: &Cells) -> Vec<String> {
    let name = format!("{}/x", case.name);
    let rows = cells.all(&name);
    let mut faults = Vec::new();
    if rows.len() != 2 {
        faults.push(format!("{name} has {} rows", rows.len()));
    }
    for row in rows {
        let reason = row["reason"].as_str().unwrap_or_default();
        if row["verdict"] != case.verdict {
            faults.push(format!("{name} is {}, not {}: {reason}", row["verdict"], case.verdict));
        }
        if case.verdict == "failed"
            && !(value_of(row, "ns_median").is_null() && value_of(row, "ratio").is_null())
        {
            faults.push(format!("{name} failed and has a figure: {row}"));
        }
        if reason.len() > 600 || reason.chars().any(char::is_control) {
            faults.push(format!("{name} has no reason of one line: {reason:?}"));
        }
        let lacking = case.says.iter().find(|words| !reason.contains(*words));
        faults.extend(lacking.map(|words| format!("{name}: no \"{words}\" in: {reason}")));
    }
    faults
}

#[test]
fn every_fault_has_its_reason_and_spoils_nothing_else() {
    let cases = cases();
    let home = home(&cases);
    let (status, cells, said) = home.run(&[]);
    assert_eq!(status, Some(1), "a failed contender must show in the exit status: {said}");
    let faults: Vec<String> = cases.iter().flat_map(|case| faults(case, &cells)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    others_are_answered(&cells);
    assert_eq!(home.count("select count(*) from run where finished is not null"), 1);
    assert_eq!(processes_of(home.store().to_str().unwrap()), [""; 0]);
    let shown = home.cupel(&["show"]);
    assert!(!shown.out.contains('\u{1b}'), "{}", shown.out);
}

/// On a busy machine an honest answer may take as long as the patience, so the test tries again
/// with more of it.
#[test]
fn silence_is_not_waited_for_longer_than_the_patience() {
    let cases = silent();
    let mut last = Vec::new();
    for patience in ["2s", "8s", "32s", "128s"] {
        let home = home(&cases);
        let (status, cells, _) = home.run(&["--patience", patience]);
        assert_eq!(processes_of(home.store().to_str().unwrap()), [""; 0]);
        last = cases.iter().flat_map(|case| faults(case, &cells)).collect();
        let honest = ["sham/a", "sham/b"].map(|name| cells.all(name)).concat();
        if last.is_empty() && honest.iter().all(|row| row["verdict"] != "failed") {
            assert_eq!(status, Some(1));
            return others_are_answered(&cells);
        }
    }
    panic!("{}", last.join("\n"));
}

/// The examination's section about this contender.
fn section<'a>(report: &'a str, name: &str) -> &'a str {
    let heading = format!("\ncontender {name}\n");
    let (_, rest) = report.split_once(&heading).unwrap_or_else(|| panic!("no {name}: {report}"));
    rest.split_once("\ncontender ").map_or(rest, |(section, _)| section)
}

/// A fault that shows only before a contender is chosen has its own program.
#[test]
fn an_examination_of_the_protocol_finds_what_a_run_finds() {
    let examined: Vec<Case> = cases().into_iter().filter(|case| case.examined).collect();
    let first = |case: &&Case| {
        ["hello", "list"].contains(&case.contender["fault"]["at"].as_str().unwrap_or_default())
    };
    let (unchosen, chosen): (Vec<&Case>, Vec<&Case>) = examined.iter().partition(first);
    let report = |cases: &[&Case]| {
        let contenders: Vec<Value> = cases.iter().map(|case| contender(case.name, case)).collect();
        let home = Home::empty();
        home.write("script.json", json!({ "contenders": contenders }).to_string());
        let script = home.path("script.json");
        let program = [sham().to_str().unwrap(), "--script", script.to_str().unwrap()];
        let said = home.cupel(&[&["verify", "--protocol"][..], &program].concat());
        assert_eq!(said.status, Some(1), "{}", said.out);
        said.out
    };
    let all = report(&chosen);
    let missed = chosen.iter().filter(|case| !section(&all, case.name).contains("WRONG "));
    let unchosen = unchosen.iter().filter(|case| !report(&[*case]).contains("WRONG "));
    let missed: Vec<&str> = missed.chain(unchosen).map(|case| case.name).collect();
    assert!(missed.is_empty(), "nothing wrong with {missed:?}: {all}");
}

/// One that something killed may be the fastest, so the other is not.
#[test]
fn who_is_left_after_others_were_killed_is_not_called_the_fastest() {
    // It is killed once Cupel knows its contenders.
    let ran = |does: &str| {
        let home = Home::with(json!([{ "name": "a", "primitives": ["siphash-2-4"] }]));
        let seen = home.path("seen");
        let words = format!("[ -e {0} ] && {does}; touch {0}; exec ", seen.display());
        home.suite("[64]", "");
        let script = json!({ "contenders": [{ "name": "x", "primitives": ["siphash-2-4"] }] });
        home.family("bad", &script, DECLARED);
        let path = home.path("contenders/bad.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, text.replace("exec ", &words)).unwrap();
        let out = home.cupel(&["run", "q"]).out;
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let lost = ran("kill -9 $$");
    assert!(lost.contains("bad/x has no time: its runner is lost"), "{lost}");
    assert!(!lost.contains("nothing to compare it with"), "{lost}");
    let failed = ran("exit 3");
    assert!(failed.contains("nothing to compare it with"), "{failed}");
}
