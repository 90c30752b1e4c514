//! JVMs that fail as JVMs do: killed, out of memory, with jars that are missing, damaged or too
//! new, or with a library that prints. The JVM, the runner and the jars are real; each test breaks
//! a copy.

use crate::support::{Cells, Home, Said, WATCHDOG, children, number, value_of};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const TARGET: &str = "runners/jvm/target";
const LIB: &str = "runners/jvm/target/lib";

/// The folder of the runner as Maven built it, once for all tests. If a program is missing, the
/// tests fail, unless `CUPEL_TEST_WITHOUT` names `jvm`. Then each test prints that it is skipped,
/// past the harness, which hides the output of passing tests.
fn runner() -> Option<&'static Path> {
    static RUNNER: OnceLock<Option<PathBuf>> = OnceLock::new();
    RUNNER.get_or_init(|| (!left_out()).then(build)).as_deref()
}

fn left_out() -> bool {
    let without = std::env::var("CUPEL_TEST_WITHOUT").unwrap_or_default();
    let left_out = without.split(',').any(|name| name == "jvm");
    if left_out {
        let text = "SKIPPED: all tests of real JVMs, because CUPEL_TEST_WITHOUT names jvm\n";
        std::io::stderr().write_all(text.as_bytes()).unwrap();
    }
    left_out
}

fn build() -> PathBuf {
    for program in ["javac", "jar", "mvn"] {
        let found = Command::new(program).arg("--version").stdout(Stdio::null()).status();
        assert!(
            found.is_ok_and(|status| status.success()),
            "there is no {program} here. `scripts/setup test` installs it (on Debian: \
             apt-get install openjdk-17-jdk-headless maven). To leave the tests of real JVMs out, \
             set CUPEL_TEST_WITHOUT=jvm"
        );
    }
    // A home of links to the sources builds them in their place, if they are not built yet.
    let home = Home::empty();
    home.write("contenders/jvm.toml", "runner = \"jvm\"\nprefix = \"jvm\"\nmajors = []\n");
    for name in ["pom.xml", "runners", "java", "tracer"] {
        std::os::unix::fs::symlink(Path::new(SOURCES).join(name), home.path(name)).unwrap();
    }
    let said = home.cupel(&["doctor", "--build"]);
    let target = Path::new(SOURCES).join(TARGET);
    assert!(target.join("lib").is_dir(), "the runner is not built: {} {}", said.out, said.err);
    target
}

/// A home with the family of real contenders with these options, whose Maven provides a copy of the
/// runner, and with an honest contender that is not on a JVM.
fn home(options: &[&str]) -> Option<Home> {
    let built = runner()?;
    let home = Home::empty();
    let shipped = std::fs::read_to_string(Path::new(SOURCES).join("contenders/jvm.toml")).unwrap();
    let shipped = shipped.replace("majors = [17, 21, 25]", "majors = [25]");
    let more: String = options.iter().map(|option| format!("    \"{option}\",\n")).collect();
    home.write("contenders/jvm.toml", shipped.replacen("\n]\n", &format!("\n{more}]\n"), 1));
    let script = json!({
        "world": { "real": true },
        "contenders": [{
            "name": "honest", "primitives": ["sha256", "siphash-2-4", "empty"], "fixed_ns": 20_000, "per_byte_ns": 0,
        }],
    });
    home.family("sham", &script, "");
    for folder in ["bin", "java", TARGET] {
        std::fs::create_dir_all(home.path(folder)).unwrap();
    }
    home.write("pom.xml", "<project/>");
    // Jars are linked, because they are only ever replaced, never written to.
    let copy = format!(
        "#!/bin/sh\nmkdir -p {LIB}\ncp {0}/*.jar {TARGET}\nln -sf {0}/lib/*.jar {LIB}\n",
        built.canonicalize().unwrap().display()
    );
    executable(&home.path("bin/mvn"), &copy);
    std::fs::remove_dir_all(home.path(TARGET)).unwrap();
    assert_eq!(cupel(&home, &["list"]).status, Some(0), "nothing is built by listing");
    let built = cupel(&home, &["doctor", "--build"]);
    assert!(home.path(LIB).is_dir(), "{} {}", built.out, built.err);
    Some(home)
}

fn executable(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn command(home: &Home) -> Command {
    let mut command = home.command();
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", home.path("bin").display()));
    command
}

fn cupel(home: &Home, arguments: &[&str]) -> Said {
    Said::from(command(home).args(arguments).output().unwrap())
}

/// A suite of these workloads over JVMs on the newest JDK, and the honest contender.
fn suite(home: &Home, workloads: &[(&str, &[&str])]) {
    // If the overhead is wanted, every other runner's is not measured too, which would be another
    // JVM to warm up.
    let mut text = "question = \"Which?\"\nforks = 2\nbudget = \"1s\"\n[[workload]]\n\
                    primitive = \"empty\"\nsizes = [16]\ncontenders = [\"sham/honest\"]\n"
        .to_string();
    for (primitive, contenders) in workloads {
        let names: Vec<String> = contenders
            .iter()
            .map(|name| format!("{name}@newest"))
            .chain(["sham/honest".into()])
            .collect();
        text += &format!(
            "[[workload]]\nprimitive = \"{primitive}\"\nsizes = [64]\ncontenders = {names:?}\n\
             baseline = \"sham/honest\"\n"
        );
    }
    home.write("suites/q.toml", text);
}

const RUN: [&str; 6] = ["run", "q", "--seed", "1", "--format", "json"];

fn run(home: &Home) -> (Option<i32>, Cells) {
    let said = cupel(home, &RUN);
    assert!(said.out.starts_with('{'), "no JSON: {} {}", said.out, said.err);
    (said.status, Cells::parse(&said.out))
}

/// The row of a contender, on any JDK.
fn row<'a>(cells: &'a Cells, name: &str, primitive: &str) -> &'a Value {
    let start = format!("{name}@");
    let is = |row: &&Value| {
        let of = row["contender"].as_str().unwrap();
        (of == name || of.starts_with(&start)) && row["primitive"] == primitive
    };
    let rows: Vec<&Value> = cells.0.iter().filter(is).collect();
    assert_eq!(rows.len(), 1, "rows of {name}: {:#?}", cells.0);
    rows[0]
}

fn has_a_figure(cells: &Cells, name: &str, primitive: &str) {
    let row = row(cells, name, primitive);
    assert!(number(row, "ns_median") > 0.0, "{row:#}");
    assert_eq!(row["forks"], 2, "{row:#}");
}

/// Asserts that a contender's only row has this verdict, no figure, and a reason of one sentence
/// with these words.
fn is_told(cells: &Cells, name: &str, primitive: &str, verdict: &str, words: &[&str]) {
    let row = row(cells, name, primitive);
    let reason = row["reason"].as_str().unwrap_or_default();
    assert_eq!(row["verdict"], verdict, "{row:#}");
    assert!(value_of(row, "ns_median").is_null(), "{row:#}");
    for word in words {
        assert!(reason.contains(word), "no \"{word}\" in: {reason}");
    }
    for trace in ["\tat ", "java.lang.", "Exception", "\n"] {
        assert!(!reason.contains(trace), "a trace, not a reason: {reason}");
    }
}

/// Replaces the jar whose name contains this text, or deletes it.
fn replace(home: &Home, name: &str, with: impl FnOnce(Vec<u8>) -> Option<Vec<u8>>) {
    let entries = std::fs::read_dir(home.path(LIB)).unwrap().flatten().map(|entry| entry.path());
    let found: Vec<PathBuf> =
        entries.filter(|path| path.file_name().unwrap().to_string_lossy().contains(name)).collect();
    let [jar] = &found[..] else { panic!("jars called {name}: {found:?}") };
    let bytes = std::fs::read(jar).unwrap();
    std::fs::remove_file(jar).unwrap(); // a link to the one that was built
    if let Some(bytes) = with(bytes) {
        std::fs::write(jar, bytes).unwrap();
    }
}

/// Runs a program of the JDK in a folder.
fn jdk(folder: &Path, program: &str, arguments: &[&str]) {
    let status = Command::new(program).args(arguments).current_dir(folder).status().unwrap();
    assert!(status.success(), "{program} {arguments:?}");
}

/// The jar with one class as a future compiler would write it.
fn of_the_future(jar: Vec<u8>, class: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.jar"), jar).unwrap();
    jdk(at, "jar", &["xf", "a.jar", class]);
    let mut bytes = std::fs::read(at.join(class)).unwrap();
    bytes[6..8].copy_from_slice(&144_u16.to_be_bytes());
    std::fs::write(at.join(class), bytes).unwrap();
    jdk(at, "jar", &["uf", "a.jar", class]);
    std::fs::read(at.join("a.jar")).unwrap()
}

/// A jar of one of our replacement classes.
fn stand_in(class: &str) -> Vec<u8> {
    stand_in_from("", class)
}

/// A jar of a class from a folder of replacements that do something else.
fn stand_in_from(of: &str, class: &str) -> Vec<u8> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/jvm").join(of);
    let folder = tempfile::tempdir().unwrap();
    let source = sources.join(class).with_extension("java");
    let arguments = ["-nowarn", "--release", "17", "-d", "classes", source.to_str().unwrap()];
    jdk(folder.path(), "javac", &arguments);
    jdk(folder.path(), "jar", &["cf", "a.jar", "-C", "classes", "."]);
    std::fs::read(folder.path().join("a.jar")).unwrap()
}

#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn a_jar_that_is_missing_damaged_or_too_new_is_one_missing_row_that_names_it() {
    let Some(home) = home(&[]) else { return };
    replace(&home, "conscrypt", |_| None);
    replace(&home, "bcprov", |jar| Some(jar[..jar.len() / 2].to_vec()));
    replace(&home, "guava", |mut jar| {
        let (from, to) = (jar.len() / 10, jar.len() * 9 / 10);
        jar[from..to].fill(0x55);
        Some(jar)
    });
    let class = "software/pando/crypto/siphash/SipHash.class";
    replace(&home, "pando", |jar| Some(of_the_future(jar, class)));
    suite(
        &home,
        &[
            ("sha256", &["jvm/jdk", "jvm/conscrypt", "jvm/bouncycastle"]),
            ("siphash-2-4", &["jvm/cupel", "jvm/guava", "jvm/pando"]),
        ],
    );
    let (status, cells) = run(&home);
    assert_eq!(status, Some(0), "what is missing is not a failure: {:#?}", cells.0);
    for (name, primitive) in [
        ("sham/honest", "sha256"),
        ("jvm/jdk", "sha256"),
        ("sham/honest", "siphash-2-4"),
        ("jvm/cupel", "siphash-2-4"),
    ] {
        has_a_figure(&cells, name, primitive);
    }
    let anew = "rm -r runners/jvm/target";
    is_told(&cells, "jvm/conscrypt", "sha256", "missing", &["Conscrypt is not in", anew]);
    is_told(&cells, "jvm/bouncycastle", "sha256", "missing", &["BouncyCastle", "damaged", anew]);
    is_told(&cells, "jvm/guava", "siphash-2-4", "missing", &["Guava", "damaged", anew]);
    let words = ["siphash 1.0.0 needs Java 100", "newer JDK"];
    is_told(&cells, "jvm/pando", "siphash-2-4", "missing", &words);

    // It is enough to follow the reason.
    std::fs::remove_dir_all(home.path(TARGET)).unwrap();
    cupel(&home, &["doctor", "--build"]);
    let list = cupel(&home, &["list", "jvm/*@newest"]).out;
    assert!(list.contains("jvm/conscrypt@") && !list.contains("missing"), "{list}");
}

#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn a_library_that_prints_is_measured_and_one_that_leaks_is_out_of_memory() {
    let Some(home) = home(&["-Xmx96m", "-Xms96m", "-Xmn16m"]) else { return };
    replace(&home, "conscrypt", |_| Some(stand_in("org/conscrypt/OpenSSLProvider")));
    let leaky = "com/amazon/corretto/crypto/provider/AmazonCorrettoCryptoProvider";
    replace(&home, "AmazonCorretto", |_| Some(stand_in(leaky)));
    suite(&home, &[("sha256", &["jvm/jdk", "jvm/conscrypt", "jvm/accp"])]);
    let (status, cells) = run(&home);
    for name in ["sham/honest", "jvm/jdk", "jvm/conscrypt"] {
        has_a_figure(&cells, name, "sha256");
    }
    let words = ["out of memory (Java heap space in about 9", "MiB)", "-Xmx"];
    is_told(&cells, "jvm/accp", "sha256", "failed", &words);
    assert_eq!(status, Some(1), "a failed contender must show in the exit status");
}

#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn a_heap_too_small_for_a_message_is_reported_with_both_sizes() {
    let Some(home) = home(&["-Xmx24m", "-Xms24m", "-Xmn8m"]) else { return };
    suite(&home, &[("sha256", &["jvm/jdk"])]);
    let (status, cells) = run(&home);
    has_a_figure(&cells, "sham/honest", "sha256");
    let words = ["gives an error for sha256 digest of", "bytes", "out of memory", "-Xmx"];
    is_told(&cells, "jvm/jdk", "sha256", "failed", &words);
    assert_eq!(status, Some(1));
}

#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn what_the_jvm_itself_says_is_its_log_and_its_last_line_the_reason() {
    // The JVM writes this to its standard output by default.
    let Some(home) = home(&["-Xmx1k", "-Xms1k"]) else { return };
    suite(&home, &[("sha256", &["jvm/jdk"])]);
    let (status, cells) = run(&home);
    has_a_figure(&cells, "sham/honest", "sha256");
    is_told(&cells, "jvm/jdk", "sha256", "failed", &["during `hello`", "maximum heap"]);
    assert_eq!(status, Some(1));
}

#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn a_runner_without_its_own_library_says_which() {
    let Some(home) = home(&[]) else { return };
    replace(&home, "gson", |_| None);
    suite(&home, &[("sha256", &["jvm/jdk"])]);
    let (status, cells) = run(&home);
    has_a_figure(&cells, "sham/honest", "sha256");
    let words = ["com.google.gson", "not in the runner's lib folder", "rm -r runners/jvm/target"];
    is_told(&cells, "jvm/jdk", "sha256", "failed", &words);
    assert_eq!(status, Some(1));
}

#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn a_jvm_that_is_killed_while_it_warms_up_or_in_the_rounds_fails_alone() {
    let Some(home) = home(&[]) else { return };
    // The victims are recognised by their own option.
    let family = std::fs::read_to_string(home.path("contenders/jvm.toml")).unwrap();
    let victims = family.replace("prefix = \"jvm\"", "prefix = \"victim\"");
    let victims = victims.replacen("\n]\n", "\n    \"-Dvictim\",\n]\n", 1);
    home.write("contenders/victim.toml", victims);
    suite(&home, &[("sha256", &["jvm/jdk", "victim/jdk"])]);
    // A process of a fork that has written four hundred lines is being warmed up: the greeting and
    // the preparation of its cell take two answers, and until then its compilers log a hundred
    // lines.
    let warming = |tool: u32| {
        let answers = |pid: i32| -> Option<u64> {
            let io = std::fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
            io.lines().find_map(|line| line.strip_prefix("syscw: "))?.parse().ok()
        };
        home.count("select count(*) from fork") > 0
            && children(tool, "-Dvictim").into_iter().any(|pid| answers(pid) > Some(400))
    };
    // A complete round has been written: the rounds of `empty`, in which it is not measured, come
    // in between.
    let rounds = |_| {
        let its = "select count(*) from run, slice, json_each(run.plan, '$.cells') cell,
                   json_each(run.plan, '$.contenders') planned
                   where cell.key = slice.cell and planned.key = cell.value ->> '$.contender'
                   and planned.value ->> '$.name' like 'victim/jdk@%'";
        home.count(its) > 0
    };
    let moments: [(&dyn Fn(u32) -> bool, bool); 2] = [(&warming, false), (&rounds, true)];
    for (begun, timed) in moments {
        let _ = std::fs::remove_file(home.store());
        let (status, cells) = with_victims_killed(&home, begun);
        assert_eq!(status, Some(1), "{:#?}", cells.0);
        has_a_figure(&cells, "sham/honest", "sha256");
        has_a_figure(&cells, "jvm/jdk", "sha256");
        let words = ["its runner ended by signal 9 (killed", "during `slice`"];
        is_told(&cells, "victim/jdk", "sha256", "failed", &words);
        let slices = "select count(*) from slice where cell in (select cell from cell_failure)";
        assert_eq!(home.count(slices) > 0, timed, "it was not killed where it should be");
    }
}

/// Runs the suite, and kills the victims when `begun`, given the tool's process, says so.
fn with_victims_killed(home: &Home, begun: &dyn Fn(u32) -> bool) -> (Option<i32>, Cells) {
    let mut tool: Child = command(home).args(RUN).stdout(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while !begun(tool.id()) {
        if began.elapsed() > WATCHDOG || tool.try_wait().unwrap().is_some() {
            let _ = tool.kill();
            panic!("the moment to kill did not come");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let victims = children(tool.id(), "-Dvictim");
    assert!(!victims.is_empty(), "no process to kill");
    for victim in victims {
        // SAFETY: kill() takes two numbers and touches no memory.
        unsafe { libc::kill(victim, libc::SIGKILL) };
    }
    let mut out = String::new();
    std::io::Read::read_to_string(&mut tool.stdout.take().unwrap(), &mut out).unwrap();
    (tool.wait().unwrap().code(), Cells::parse(&out))
}

/// For each cell and fork, the median of the slices that count, in ns per call.
fn forks(home: &Home) -> Vec<Vec<f64>> {
    let database = home.database();
    let mut select = database
        .prepare(
            "select slice.cell, round.fork, elapsed_ns / iterations from slice join round
             on round.id = slice.round where disturbed is null order by 1, 2, 3",
        )
        .unwrap();
    let slices: Vec<(i64, i64, f64)> = select
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let forks: Vec<(i64, f64)> = slices
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .filter(|fork| fork.len() >= cupel_stats::FEWEST_ROUNDS_IF_COMPILED)
        .map(|fork| (fork[0].0, fork[fork.len() / 2].2))
        .collect();
    forks.chunk_by(|a, b| a.0 == b.0).map(|cell| cell.iter().map(|fork| fork.1).collect()).collect()
}

/// At a lower compilation level it takes many times as long; with neighbours at most twice.
fn none_is_of_a_lower_tier(home: &Home) {
    for cell in forks(home) {
        let least = cell.iter().copied().fold(f64::INFINITY, f64::min);
        let most = cell.iter().copied().fold(0.0, f64::max);
        assert!(most < 3.0 * least, "forks of one cell take {cell:?} ns");
    }
}

/// Loading a class makes the compiler discard the code of every call, six times in the life of a
/// process. Earlier slices are then void, and the next ones wait until it is compiled again.
#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn code_that_is_voided_by_loading_a_class_is_waited_for() {
    let Some(home) = home(&[]) else { return };
    replace(&home, "conscrypt", |_| Some(stand_in_from("voided", "org/conscrypt/OpenSSLProvider")));
    suite(&home, &[("sha256", &["jvm/jdk", "jvm/conscrypt"])]);
    let (status, cells) = run(&home);
    assert_eq!(status, Some(0), "{:#?}", cells.0);
    has_a_figure(&cells, "jvm/conscrypt", "sha256");
    none_is_of_a_lower_tier(&home);
    // No slice counts that ran code before the last compilation.
    let slow = "select count(*) from slice join round on round.id = slice.round
                join warm_up on warm_up.fork = round.fork and warm_up.cell = slice.cell
                where disturbed is null and elapsed_ns / iterations > 3 * warm_up.ns_per_call";
    let all = "select count(*) from slice where disturbed is null";
    assert!(
        home.count(slow) * 50 <= home.count(all),
        "{} of {}",
        home.count(slow),
        home.count(all)
    );
    let compiled = "select count(*) from warm_up where events > 0";
    assert!(home.count(compiled) > 0, "the runner tells what is compiled");
}

/// AES-256-GCM with the key in each call is ten times slower before HotSpot's optimising compiler
/// has seen 5000 calls and emptied its queue: half a second and more, in which the time is level.
#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn a_plateau_before_the_highest_level_is_waited_out() {
    let Some(home) = home(&[]) else { return };
    home.write(
        "suites/q.toml",
        "question = \"Which?\"\nforks = 3\nbudget = \"1s\"\n[[workload]]\n\
         primitive = \"aes-256-gcm\"\noperation = \"seal\"\nsizes = [64]\n\
         contract = { key = \"per-call\" }\ncontenders = [\"jvm/jdk@newest\"]\n",
    );
    let (status, cells) = run(&home);
    assert_eq!(status, Some(0), "{:#?}", cells.0);
    let row = row(&cells, "jvm/jdk", "aes-256-gcm");
    assert!(number(row, "ns_median") > 0.0, "{row:#}");
    assert_eq!(row["compile_level"], 4, "{row:#}");
    none_is_of_a_lower_tier(&home);
}
