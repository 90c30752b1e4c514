//! `cupel trace` by uprobes: processes that run already, and programs with their libraries inside.
//! What they call is known: `tracer/tests/known.c`, `known.mjs` and `go/known.go`.

use crate::support::{CUPEL, Home, Said};
use crate::trace::{cc, entries, known, mix, root};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// Whether uprobes may be used here. If the kernel, a container or a user that is not root forbids
/// them, each test prints that it is skipped, past the harness, which hides what passing tests print.
fn permitted() -> bool {
    static WHY_NOT: OnceLock<Option<String>> = OnceLock::new();
    let why_not = WHY_NOT.get_or_init(|| {
        let said = trace(&Home::empty(), &["--uprobes", known(), "one"]);
        let forbids = [
            "uprobes need root",
            "this kernel has no uprobes",
            "trace outside the container",
            "on x86-64 only",
            "ermission denied",
            "not permitted",
        ];
        let error = said.err.lines().find(|line| line.starts_with("error:"));
        error.filter(|line| forbids.iter().any(|why| line.contains(why))).map(str::to_string)
    });
    if let Some(why) = why_not {
        let text = format!("SKIPPED: a test of uprobes, because of this: {why}\n");
        std::io::stderr().write_all(text.as_bytes()).unwrap();
    }
    why_not.is_none()
}

fn trace(home: &Home, arguments: &[&str]) -> Said {
    let mut cupel = home.command();
    cupel.env("CUPEL_HOME", root()).current_dir(home.path(""));
    Said::from(cupel.args(["-q", "trace"]).args(arguments).output().unwrap())
}

/// A process that waits for a line on its standard input before it makes its calls.
struct Waiting(Child);

impl Waiting {
    fn start(command: &[&str]) -> Waiting {
        let mut start = Command::new(command[0]);
        start.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::null());
        let process = start.spawn().unwrap();
        // The kernel lets this thread go on before the process has the program's name.
        let name_of = |who: &str| std::fs::read_to_string(format!("/proc/{who}/comm")).unwrap();
        while name_of(&process.id().to_string()) == name_of("thread-self") {
            std::thread::yield_now();
        }
        Waiting(process)
    }

    /// Makes its calls.
    fn go_on(&mut self) {
        self.0.stdin.take().unwrap().write_all(b"\n").unwrap();
    }

    /// Traces it from now on until it ends, or for some time. Others go on with it.
    fn traced(
        &mut self,
        home: &Home,
        more: &[&str],
        others: &mut [Waiting],
    ) -> (Said, Option<i32>) {
        // It must have loaded its libraries.
        std::thread::sleep(std::time::Duration::from_millis(1500));
        let id = self.0.id().to_string();
        let mut cupel = Command::new(CUPEL);
        cupel.args(["trace", "--pid", &id]).args(more).current_dir(home.path(""));
        let mut cupel = cupel.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut err = BufReader::new(cupel.stderr.take().unwrap());
        let mut first = String::new();
        err.read_line(&mut first).unwrap();
        assert!(first.starts_with(&format!("cupel: tracing process {id} (")), "{first}");
        others.iter_mut().for_each(Waiting::go_on);
        self.go_on();
        let mut rest = String::new();
        err.read_to_string(&mut rest).unwrap();
        let mut out = String::new();
        cupel.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        let status = cupel.wait().unwrap().code();
        (Said { status, out, err: rest }, self.0.wait().unwrap().code())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What uprobes know of such entries: neither associated data nor the size of pieces.
fn shapeless(entries: &[&str]) -> Vec<String> {
    let known = |entry: &&str| {
        let words = entry.split(' ').filter(|word| !word.contains('='));
        words.collect::<Vec<_>>().join(" ")
    };
    entries.iter().map(known).collect()
}

#[track_caller]
fn counts(arguments: &[&str], expected: &[impl AsRef<str>]) {
    if !permitted() {
        return;
    }
    let home = Home::empty();
    let said = trace(&home, arguments);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let expected: Vec<&str> = expected.iter().map(AsRef::as_ref).collect();
    assert_eq!(entries(&mix(&home)), expected, "{}", said.err);
    assert!(said.err.contains("by uprobes (three of them"), "{}", said.err);
}

/// The same program and the same truth as for what is preloaded.
#[test]
#[ignore = "waits until a process has loaded its libraries: make test-all"]
fn a_program_s_shared_libraries_are_counted_as_by_what_is_preloaded() {
    counts(&["--uprobes", known(), "digests"], &shapeless(&crate::trace::DIGESTS));
    counts(&["--uprobes", known(), "macs"], &shapeless(&crate::trace::MACS));
    counts(&["--uprobes", known(), "aeads"], &shapeless(&crate::trace::AEADS));
    counts(&["--uprobes", known(), "gcrypt"], &shapeless(&crate::trace::GCRYPT));
}

/// Neither can be preloaded: the libraries are inside.
#[test]
#[ignore = "waits until a process has loaded its libraries: make test-all"]
fn a_static_program_is_counted_and_its_libraries_calls_of_themselves_are_not() {
    let to = format!("{}/known-static", env!("CARGO_TARGET_TMPDIR"));
    let libraries = ["-lcrypto", "-lgcrypt", "-lgpg-error"];
    let flags = ["-std=c11", "-O1", "-w", "-static", "-pthread", "tests/known.c", "-o", &to];
    cc(&[&flags[..], &libraries].concat());
    let home = Home::empty();
    let said = trace(&home, &[&to, "one"]);
    let first = said.err.lines().next().unwrap();
    let hint = format!(
        "has OpenSSL inside, where only uprobes count: as root, `cupel trace --uprobes {to} one`"
    );
    assert!(first.ends_with(&hint), "{}", said.err);
    counts(&["--uprobes", &to, "digests"], &shapeless(&crate::trace::DIGESTS));
    counts(&["--uprobes", &to, "macs"], &shapeless(&crate::trace::MACS));
    counts(&["--uprobes", &to, "aeads"], &shapeless(&crate::trace::AEADS));
}

#[test]
#[ignore = "waits until a process has loaded its libraries: make test-all"]
fn a_process_that_runs_is_counted_from_then_to_its_end() {
    if !permitted() {
        return;
    }
    let home = Home::empty();
    let mut process = Waiting::start(&[known(), "wait", "threads"]);
    let (said, ended) = process.traced(&home, &[], &mut []);
    assert_eq!((said.status, ended), (Some(0), Some(0)), "{}", said.err);
    let expected: String = (0..8)
        .flat_map(|thread| (0..10).map(move |i| format!(" {}:100", 100 * thread + i)))
        .chain([" 5000:500".to_string()])
        .collect();
    assert_eq!(
        entries(&mix(&home)),
        [
            format!("sha256 digest one-shot - openssl{expected}"),
            "sha512 digest chunks - openssl 1024:8".to_string()
        ]
    );
    assert_eq!(mix(&home)["program"].as_str(), Some(format!("{} wait threads", known()).as_str()));
    assert!(said.err.contains("known-calls) was traced for"), "{}", said.err);
}

/// How late the tool may learn that counting has begun, in ms.
const LATE: u64 = 500;

/// Other processes that call the same library do not count, and the process goes on.
#[test]
#[ignore = "waits until a process has loaded its libraries: make test-all"]
fn a_process_is_left_alone_after_the_time() {
    if !permitted() {
        return;
    }
    let home = Home::empty();
    let mut process = Waiting::start(&[known(), "wait", "paced", "77"]);
    let other = Waiting::start(&[known(), "wait", "paced", "78"]);
    let (said, ended) = process.traced(&home, &["--for", "2s"], &mut [other]);
    assert_eq!((said.status, ended), (Some(0), Some(0)), "{}", said.err);
    let lines = entries(&mix(&home));
    let [line] = &lines[..] else { panic!("{lines:?}") };
    let count =
        line.strip_prefix("sha256 digest one-shot - openssl 77:").expect("digests of 77 bytes");
    let count: u64 = count.parse().unwrap();
    // One in 10 ms at most, and 500 in all. A busy machine may notice late that the time is over, or that
    // counting has begun.
    let words: Vec<&str> = said.err.split_whitespace().collect();
    let place = words.windows(3).position(|w| w == ["was", "traced", "for"]).expect("how long");
    let (lasted, unit) = (words[place + 3], words[place + 4]);
    assert_eq!(unit, "ms,", "{}", said.err);
    let lasted: u64 = lasted.parse().unwrap();
    assert!(lasted >= 2000, "{}", said.err);
    let most = (lasted + LATE) / 10;
    assert!((20..=most.min(499)).contains(&count), "{count} in {lasted} ms");
}

#[test]
#[ignore = "waits until a process has loaded its libraries: make test-all"]
fn a_script_of_node_js_is_counted_inside_node() {
    let script = root().join("tracer/tests/known.mjs");
    let script = script.to_str().unwrap();
    counts(&["--uprobes", "node", script], &NODE);
    if !permitted() {
        return;
    }
    let home = Home::empty();
    let (said, ended) = Waiting::start(&["node", script, "wait"]).traced(&home, &[], &mut []);
    assert_eq!((said.status, ended), (Some(0), Some(0)), "{}", said.err);
    assert_eq!(entries(&mix(&home)), NODE, "{}", said.err);
    let said = trace(&home, &["node", "-e", "1"]);
    let first = said.err.lines().next().unwrap();
    assert!(
        first.starts_with("no call was counted: node has OpenSSL inside, where only"),
        "{first}"
    );
}

const NODE: [&str; 8] = [
    "aes-256-gcm open one-shot per-call node 1000:3",
    "aes-256-gcm seal one-shot per-call node 1000:4",
    "hmac-sha256 mac one-shot per-call node 40:3",
    "sha1 digest chunks - node 8:1",
    "sha1 digest one-shot - node 7:1",
    "sha256 digest one-shot - node 33:5 64:500",
    "sha512 digest chunks - node 4196:7",
    "? PBKDF2:1",
];

#[test]
#[ignore = "waits until a process has loaded its libraries: make test-all"]
fn a_go_program_is_counted_also_where_its_stacks_grow() {
    let to = format!("{}/known-go", env!("CARGO_TARGET_TMPDIR"));
    let mut go = Command::new("go");
    go.args(["build", "-o", &to, "."]).current_dir(root().join("tracer/tests/go"));
    let output = go.output().expect("Go");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    counts(&["--uprobes", &to], &GO);
    if !permitted() {
        return;
    }
    let home = Home::empty();
    let (said, ended) = Waiting::start(&[&to, "wait"]).traced(&home, &[], &mut []);
    assert_eq!((said.status, ended), (Some(0), Some(0)), "{}", said.err);
    assert_eq!(entries(&mix(&home)), GO, "{}", said.err);
}

const GO: [&str; 16] = [
    "aes-128-gcm seal one-shot per-call go 0:1 500:1",
    "aes-256-gcm open one-shot kept go 1000:3",
    "aes-256-gcm seal one-shot kept go 1000:2",
    "aes-256-gcm seal one-shot per-call go 1000:1",
    "hmac-sha256 mac chunks kept go 128:1",
    "hmac-sha256 mac one-shot kept go 40:2",
    "hmac-sha256 mac one-shot per-call go 40:1",
    "hmac-sha512 mac one-shot per-call go 50:1",
    "sha1 digest one-shot - go 65:1",
    "sha256 digest chunks - go 30:3",
    "sha256 digest one-shot - go 17:2000 33:4 64:500",
    "sha512 digest one-shot - go 100:7",
    "sha512-256 digest one-shot - go 66:1",
    "? HMAC-SHA1:1",
    "? SHA2-224:1",
    "? SHA2-384:1",
];

#[test]
fn what_cannot_be_traced_says_so_in_one_line() {
    let home = Home::empty();
    let said = trace(&home, &["--pid", "4194305"]);
    assert_eq!(said.status, Some(3));
    assert_eq!(said.err, "error: there is no process 4194305: `ps aux` lists those that run\n");
    let said = trace(&home, &["--for", "3s", "true"]);
    assert_eq!(said.status, Some(3), "{}", said.err);
    assert!(said.err.contains("name it with --pid"), "{}", said.err);
    if !permitted() {
        return;
    }
    let said = trace(&home, &["--uprobes", "true"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.starts_with("error: true has nothing to count: no OpenSSL"), "{}", said.err);
    let mut process = Waiting::start(&["cat"]);
    let said = trace(&home, &["--pid", &process.0.id().to_string()]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("(cat) has nothing to count: no OpenSSL"), "{}", said.err);
    process.0.stdin.take();
    home.write("script", "#!/bin/sh\n");
    let script = home.path("script");
    let said = trace(&home, &["--uprobes", script.to_str().unwrap()]);
    assert!(said.err.contains("is a script: name the program that runs it"), "{}", said.err);
    // Without bpftrace: nothing else is in the path.
    let mut cupel = home.command();
    cupel.env("CUPEL_HOME", root()).env("PATH", home.path("")).current_dir(home.path(""));
    let said =
        Said::from(cupel.args(["-q", "trace", "--uprobes", known(), "one"]).output().unwrap());
    assert_eq!(said.status, Some(3));
    assert_eq!(
        said.err,
        "error: uprobes need bpftrace, which is not installed: apt-get install bpftrace\n"
    );
    assert!(!home.path("cupel.mix").exists());
}

/// Without root, the command to use is printed.
#[test]
fn without_root_the_command_for_root_is_printed() {
    // SAFETY: it has no arguments and cannot fail.
    if unsafe { libc::geteuid() } != 0 || !permitted() {
        return;
    }
    let home = Home::empty();
    let mut cupel = Command::new("setpriv");
    cupel.args([
        "--reuid=65534",
        "--clear-groups",
        CUPEL,
        "trace",
        "-o",
        "/tmp/x.mix",
        "--pid",
        "1",
    ]);
    let said = Said::from(cupel.current_dir(home.path("")).output().unwrap());
    assert_eq!(said.status, Some(3), "{}", said.err);
    assert_eq!(said.err, "error: uprobes need root: sudo cupel trace --pid 1\n");
}
