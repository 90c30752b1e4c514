//! `cupel gate` over benchmark programs. They are shell scripts that print figures, so no assertion
//! depends on how long anything takes here.

mod action;
mod audited;
mod dependency;
mod programs;
mod revisions;
mod state;

use crate::support::{Home, Said};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Prints two benchmarks as Google Benchmark does. The times differ by up to 1 % from execution to
/// execution; the second's are longer by a factor, in percent. Further words are further
/// benchmarks.
pub const BENCH: &str = r#"
seed=$(cat "$COUNT" 2>/dev/null || echo 1)
next() {
    seed=$(( (seed * 1103515245 + 12345) % 2147483648 ))
}
row() {
    next
    echo "$3{\"name\": \"$1\", \"real_time\": $(( $2 + seed / 65536 % 2000 * $2 / 200000 ))}"
}
echo '{"context": {"num_cpus": 1}, "benchmarks": ['
row hash/64 200000
row hash/1024 $(( 4000 * $1 )) ,
shift
for name in "$@"; do row "$name" 5000 ,; done
echo ']}'
next
echo "$seed" >"$COUNT"
"#;

pub fn home() -> Home {
    let home = Home::empty();
    home.write("bench", BENCH);
    home
}

pub fn bench(home: &Home, arguments: &str) -> String {
    let [count, bench] = ["count", "bench"].map(|name| home.path(name).display().to_string());
    format!("COUNT={count} sh {bench} {arguments}")
}

fn gate(home: &Home, base: &str, new: &str, more: &[&str]) -> Said {
    let commands = ["gate", "--base", base, "--new", new];
    let said = home.cupel(&[&commands[..], more].concat());
    assert_eq!(audited::contradictions(home, &said), "", "{}", said.out);
    said
}

#[test]
fn a_slower_build_is_found_and_shown_again_in_every_format() {
    let home = home();
    let (base, new) = (bench(&home, "100"), bench(&home, "105"));
    let said = gate(&home, &base, &new, &[]);
    assert_eq!(said.status, Some(1), "{}{}", said.out, said.err);
    let first = said.out.lines().next().unwrap();
    assert!(first.starts_with("slower: 1 of 2 benchmarks: hash/1024 +"), "{first}");
    for words in ["no slowdown", "joint at 95 %", "not verified", "control: two executions"] {
        assert!(said.out.contains(words), "no \"{words}\" in\n{}", said.out);
    }
    for line in said.out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert_eq!(home.cupel(&["show", "--gate"]).out, said.out, "from what is stored");
    assert_eq!(home.cupel(&["show", "--gate=1"]).out, said.out);
    let shown = |format| home.cupel(&["show", "--gate", "--format", format]).out;
    let document: Value = serde_json::from_str(&shown("json")).unwrap();
    assert_eq!(
        (document["verified"].as_bool(), document["joint"].as_f64()),
        (Some(false), Some(0.95))
    );
    let verdicts: Vec<(&str, &str)> = document["benchmarks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["name"].as_str().unwrap(), one["verdict"].as_str().unwrap()))
        .collect();
    assert_eq!(verdicts, [("hash/1024", "slower"), ("hash/64", "no slowdown")]);
    let markdown = shown("markdown");
    let (above, folded) = markdown.split_once("<details>").expect("folded evidence");
    assert!(above.starts_with("**slower") && above.contains("| hash/1024 |"), "{above}");
    assert!(
        folded.contains("joint at 95 %") && folded.trim_end().ends_with("</details>"),
        "{folded}"
    );
    let lines = shown("github");
    assert!(lines.starts_with("::error title=cupel gate::slower: 1 of 2 benchmarks: "), "{lines}");
    assert!(lines.contains("\n::error title=slower::hash/1024 is slower: +"), "{lines}");
}

#[test]
fn equal_builds_are_not_slower() {
    let home = home();
    let same = bench(&home, "100");
    let said = gate(&home, &same, &format!("{same};"), &["--format", "github"]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    let expected =
        "::notice title=cupel gate::not slower: none of 2 benchmarks by more than 2%25\n";
    assert_eq!(said.out, expected);
    assert!(home.cupel(&["show", "--gate=2"]).err.contains("there is no gate 2"));
    let folder = home.cupel(&["show", "--gate", "--output", "site/"]);
    assert!(
        folder.err.contains("site/ is a folder, and a folder gets a web site"),
        "{}",
        folder.err
    );
}

#[test]
fn what_only_one_build_has_is_in_the_first_lines_of_every_format() {
    let home = home();
    let (base, new) = (bench(&home, "100 old"), bench(&home, "90 new other"));
    let said = gate(&home, &base, &new, &[]);
    assert_eq!(said.status, Some(2), "{}{}", said.out, said.err);
    let first = said.out.lines().next().unwrap();
    assert!(first.starts_with("incomplete: not compared in every execution: old, new"), "{first}");
    assert!(said.out.replace("\n  ", " ").contains("1 faster: hash/1024 -"), "{}", said.out);
    let (above, _) = said.out.split_once("joint at 95 %").unwrap();
    assert!(above.contains("NOT COMPARED old: only the base has it"), "{}", said.out);
    assert!(above.contains("NOT COMPARED other: only the new build has it"), "{}", said.out);
    assert!(said.out.contains("only the new build has new, other: not compared"), "{}", said.out);
    let shown = |format| home.cupel(&["show", "--gate", "--format", format]).out;
    let markdown = shown("markdown");
    let (above, _) = markdown.split_once("<details>").unwrap();
    assert!(above.starts_with("**incomplete: "), "{above}");
    assert!(above.contains("**NOT COMPARED** old"), "{above}");
    let lines = shown("github");
    assert!(lines.starts_with("::warning title=cupel gate::incomplete: "), "{lines}");
    assert!(lines.contains("\n::warning title=not compared::old: only the base has it"), "{lines}");
    let document: Value = serde_json::from_str(&shown("json")).unwrap();
    assert!(document["answer"].as_str().unwrap().starts_with("incomplete: "), "{document:#}");
    assert!(document["notes"][0].as_str().unwrap().starts_with("NOT COMPARED old"));
    assert_eq!(document["outcome"], "open");
    let said = gate(&home, &base, &new, &["--may-differ"]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    let first = said.out.lines().next().unwrap();
    assert!(first.starts_with("not slower: none of 2 benchmarks"), "{first}");
    assert!(said.out.contains("NOT COMPARED old: "), "it is named all the same: {}", said.out);
}

/// Prints a benchmark as Criterion does, with each figure in its own unit, a benchmark that is not
/// a time, and one that is missing in every seventh execution.
const CRITERION: &str = r#"
seed=$(cat "$COUNT" 2>/dev/null || echo 0)
echo $(( seed + 1 )) >"$COUNT"
echo "sort                    time:   [99$(( seed % 7 )).56 µs 1.00$(( seed % 7 )) ms 1.0113 ms]"
[ $(( seed % 7 )) = 0 ] || echo "often                   time:   [20.0 ns 20.0$(( seed % 7 )) ns 20.1 ns]"
echo "cycles                  time:   [3364.2 cycles 3371.0 cycles 3380.0 cycles]"
"#;

/// Another JDK, interpreter or library is not the change that is asked about.
#[test]
fn what_the_builds_report_about_their_toolchain_is_compared() {
    let jmh = |jdk: u32| {
        format!(
            r#"[{{"jmhVersion": "1.37", "benchmark": "a.B.hash", "mode": "avgt", "vmName": "OpenJDK",
                "jdkVersion": "{jdk}", "primaryMetric": {{"score": 12.5, "scoreUnit": "ns/op"}}}}]"#
        )
    };
    let json_of_python = |version: &str, own: &str| {
        format!(
            r#"{{"machine_info": {{"python_implementation": "CPython", "python_version": "{version}"}},
                "version": "{own}", "benchmarks": [{{"name": "hash", "stats": {{"median": 1e-6}}}}]}}"#
        )
    };
    let python = |version: &str| {
        format!(
            "platform linux -- Python {version}, pytest-8.0\n\n\
             Name (time in us)  Median\ntest_hash  1.5\n"
        )
    };
    let google = |library: &str, version: &str| {
        format!(
            r#"{{"context": {{"num_cpus": 2, "mhz_per_cpu": {}, "host_name": "h",
                "library_version": "{version}", "library_build_type": "{library}"}},
                "benchmarks": [{{"name": "hash", "real_time": 5.0}}]}}"#,
            2000 + library.len()
        )
    };
    let go = |os: &str| format!("goos: {os}\ngoarch: amd64\nBenchmarkHash 100 50.0 ns/op\n");
    let dotnet = |version: u32| {
        format!(
            "  [Host]     : .NET {version}.0.1, X64 RyuJIT\n\n\
             | Method | Mean     |\n|------- |---------:|\n| Hash   | 12.50 ns |\n"
        )
    };
    let home = Home::empty();
    let gate = |base: &str, new: &str| {
        home.write("base", base);
        home.write("new", new);
        let read = |name: &str| format!("cat {}", home.path(name).display());
        let said = home.cupel(&["gate", "--base", &read("base"), "--new", &read("new")]);
        assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
        said.out.split("\n\n").next().unwrap().replace("\n  ", " ")
    };
    for (base, new, note) in [
        (
            json_of_python("3.11", "5.1"),
            json_of_python("3.12", "5.1"),
            "pytest-benchmark reports Python 3.11 for the base, and Python 3.12 for the new build",
        ),
        (
            json_of_python("3.11", "5.0"),
            json_of_python("3.11", "5.1"),
            "reports version 5.0 for the base, and version 5.1 for the new build",
        ),
        (python("3.11"), python("3.12"), "Python 3.11, pytest-8.0 for the base"),
        (google("release", "v1.9"), google("debug", "v1.9"), "and h, debug library, 2 CPUs for"),
        (go("linux"), go("darwin"), "reports linux, amd64 for the base, and darwin, amd64 for the"),
        (dotnet(8), dotnet(9), "benchmarkdotnet reports .NET 8.0.1, X64 RyuJIT for the base"),
        (jmh(17), jmh(21), "jmh reports OpenJDK 17 for the base, and OpenJDK 21 for the new build"),
    ] {
        let said = gate(&base, &new);
        assert!(said.contains("\nBUILDS ") && said.contains(note), "{said}");
    }
    for format in ["markdown", "json", "github"] {
        let shown = home.cupel(&["show", "--gate", "--format", format]).out;
        assert!(shown.contains("OpenJDK 21 for the new build"), "{shown}");
    }
    // A clock of the moment, and facts that only one reports.
    for (base, new) in [
        (google("release", "v1.9"), google("optimised", "v1.9")),
        (jmh(17), jmh(17).replace("17", "").replace("OpenJDK", "")),
    ] {
        let said = gate(&base, &new);
        assert!(!said.contains("BUILDS"), "{said}");
    }
}

#[test]
fn times_that_are_lost_are_counted_and_give_their_reason() {
    let home = Home::empty();
    home.write("criterion", CRITERION);
    let [count, bench] = ["count", "criterion"].map(|name| home.path(name).display().to_string());
    let same = format!("COUNT={count} sh {bench}");
    let said = gate(&home, &same, &same, &["--budget", "20s"]);
    let lost = said.out.lines().find(|line| line.starts_with("LOST ")).expect(&said.out);
    assert!(lost.contains("LOST often: "), "{}", said.out);
    assert!(
        said.out.replace("\n  ", " ").contains("(their output does not have it)"),
        "{}",
        said.out
    );
    assert!(said.out.contains("no time of cycles: 3371.0 cycles is not a time"), "{}", said.out);
    let lines = home.cupel(&["show", "--gate", "--format", "github"]).out;
    assert!(lines.contains("::warning title=lost::often: "), "{lines}");
    let document = home.cupel(&["show", "--gate", "--format", "json"]).out;
    let document: Value = serde_json::from_str(&document).unwrap();
    let missing = document["missing"].as_array().unwrap();
    let names: Vec<&str> = missing.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["often", "cycles"]);
}

#[test]
fn a_command_that_fails_is_quoted_with_what_it_said() {
    let home = home();
    let same = bench(&home, "100");
    let refused = |new: &str, more: &[&str], words: &[&str]| {
        let said = gate(&home, &same, new, more);
        assert_eq!(said.status, Some(3), "{}", said.out);
        for word in words {
            assert!(said.err.contains(word), "no \"{word}\" in {}", said.err);
        }
    };
    refused(
        "echo no such thing >&2; exit 7",
        &[],
        &["the new build gives no result in 5 executions", "exit status: 7", "| no such thing"],
    );
    refused(
        "./no-such-program",
        &[],
        &["the new build gives no result in 1 execution", "was not found", "--build COMMAND can"],
    );
    refused(
        "Cargo.toml -q",
        &[],
        &["was not found", "help: the file Cargo.toml is there, so write ./"],
    );
    let noisy = "echo Running; echo a 5 ns";
    refused(noisy, &[], &["in no known format", "--reads lines takes its lines"]);
    refused("echo nothing", &[], &["cannot be read", "in no known format", "lines", "| nothing"]);
    refused(&same, &["--reads", "jmh"], &["not in the format jmh"]);
    refused(&same, &["--reads", "abacus"], &["abacus"]);
    refused(&same, &["--forks", "20"], &["--forks is for contenders", "help: leave it out"]);
    refused(&same, &["--format", "csv"], &["has no such --format"]);
    refused(
        &format!("sleep 1; {same}"),
        &["--budget", "10s"],
        &["a verdict needs 12", "help: give --budget"],
    );
}

#[test]
fn a_program_without_a_time_says_why() {
    let home = Home::empty();
    let said = gate(&home, "echo a 5 B", "echo a 5 ns", &["--reads", "lines"]);
    let why = "printed no time: a: 5 B is not a time per call";
    assert!(said.err.contains(why), "{}", said.err);
}

#[test]
fn the_time_of_a_whole_command_is_a_benchmark_too() {
    let home = home();
    let said =
        gate(&home, "true", "true", &["--reads", "time", "--budget", "10s", "--format", "json"]);
    let document: Value =
        serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {}", said.err));
    let names: Vec<&Value> =
        document["benchmarks"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["processor time", "wall time"]);
}

#[test]
#[ignore = "says how soon a process ends, in real time: make test-all"]
fn the_processes_of_a_killed_gate_end_with_it() {
    let home = Home::empty();
    let number = home.path("number");
    let command = format!("sleep 600 & echo $! >{}; wait", number.display());
    let mut gate = home.command();
    gate.args(["gate", "--base", &command, "--new", &command]);
    let mut gate = gate.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    let wait = || {
        assert!(began.elapsed() < Duration::from_secs(60), "nothing happens");
        std::thread::sleep(Duration::from_millis(5));
    };
    let number = loop {
        let text = std::fs::read_to_string(&number).unwrap_or_default();
        if let Some(number) = text.strip_suffix('\n') {
            break number.to_string();
        }
        wait();
    };
    gate.kill().unwrap();
    gate.wait().unwrap();
    let stat = Path::new("/proc").join(number).join("stat");
    // One that no one waits for any more may be a zombie.
    let lives = |stat: &String| !stat.contains(") Z ") && !stat.contains(") X ");
    while std::fs::read_to_string(&stat).is_ok_and(|stat| lives(&stat)) {
        wait();
    }
}

/// A build may get a slope of Criterion's, and the slower one only a mean.
#[test]
fn two_exports_of_criterion_are_compared_by_the_mean_that_both_have() {
    let home = Home::empty();
    let estimate = |ns: f64| {
        let interval = serde_json::json!({"lower_bound": ns, "upper_bound": ns});
        serde_json::json!({"point_estimate": ns, "confidence_interval": interval})
    };
    let export = |name: &str, mean: f64, slope: Option<f64>| {
        let one = serde_json::json!({
            "fullname": "hash",
            "criterion_benchmark_v1": {"full_id": "hash", "throughput": null},
            "criterion_estimates_v1": {"mean": estimate(mean), "slope": slope.map(estimate)},
        });
        home.write(name, serde_json::json!({"benchmarks": {"hash": one}}).to_string());
        format!("cat {}", home.path(name).display())
    };
    let (base, new) = (export("base", 100.0, Some(50.0)), export("new", 110.0, None));
    let said = gate(&home, &base, &new, &[]);
    assert_eq!(said.status, Some(1), "{}{}", said.out, said.err);
    assert!(said.out.starts_with("slower: 1 of 1 benchmark: hash +10.0 %"), "{}", said.out);
}
