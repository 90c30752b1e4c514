//! Runners that hang or end before they list their contenders, next to an honest one.

use crate::support::{Home, Said};
use serde_json::json;
use std::time::{Duration, Instant};

/// Longer than anything here takes that waits for no runner, and shorter than the tool waits for an
/// answer to `hello`.
const SOON: Duration = Duration::from_secs(8);

/// An honest family, and one of two contenders whose runner is this shell script.
fn home(script: &str) -> Home {
    let home = Home::empty();
    let one = |name: &str, ns: u64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns, "per_byte_ns": 0 });
    let declared =
        |name: &str| format!("[[contender]]\nname = \"{name}\"\noffers = [\"siphash-2-4:mac\"]\n");
    let honest = json!({ "seed": 7, "contenders": [one("quick", 100), one("slow", 300)] });
    home.family("sham", &honest, &(declared("quick") + &declared("slow")));
    let broken = format!(
        "runner = \"program\"\nprefix = \"broken\"\ncommand = [\"/bin/sh\", \"-c\", \"{script}\"]\n{}{}",
        declared("one"),
        declared("two")
    );
    home.write("contenders/broken.toml", broken);
    home.suite("[64]", "baseline = \"sham/slow\"");
    home
}

fn timed(home: &Home, words: &[&str]) -> (Said, Duration) {
    let began = Instant::now();
    (home.cupel(words), began.elapsed())
}

/// Whether the output tells once that both contenders of the broken family failed, and why.
fn tells_of_one_family(said: &Said, why: &str) {
    assert_eq!(said.status, Some(1), "{} {}", said.out, said.err);
    let rows = said.out.lines().filter(|line| line.starts_with(" broken/")).count();
    assert_eq!(rows, 1, "{}", said.out);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = format!("failed broken/one and 1 more of its family: its runner {why}");
    assert!(words.contains(&told), "no {told} in {}", said.out);
    assert!(!words.contains("broken/two"), "{}", said.out);
}

/// The first time that it is asked, or each time.
#[test]
fn a_runner_that_another_ends_is_asked_again_and_has_not_failed() {
    let home = home("kill -9 $$");
    let said = home.cupel(&["run", "q"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("missing broken/one and 1 more of its family: its runner is lost"),
        "{said}"
    );
    let mark = home.path("mark").display().to_string();
    let sham = home.path("contenders/sham.toml");
    let text = std::fs::read_to_string(&sham).unwrap();
    let (before, command) = text.split_once("command = [").unwrap();
    let once =
        format!("[ -e {mark} ] || {{ : > {mark}; kill -9 $$; }}; exec \\\"$0\\\" \\\"$@\\\"");
    let lost_once = format!("{before}command = [\"/bin/sh\", \"-c\", \"{once}\", {command}");
    std::fs::write(&sham, lost_once).unwrap();
    let said = home.cupel(&["list", "sham/quick"]);
    assert!(home.path("mark").exists() && said.out.contains("sham/quick"), "{said:?}");
    assert!(!said.out.contains("missing"), "{said:?}");
}

#[test]
#[ignore = "waits 20 s of real time: make test-all"]
fn a_runner_that_hangs_delays_only_those_who_need_it() {
    let home = home("exec sleep 60");
    for words in [
        &["run", "q", "--contender", "sham/quick"][..],
        &["ask", "siphash-2-4", "64", "quick", "slow", "--budget", "1s", "--forks", "3"],
        &["check", "quick > slow", "siphash-2-4", "64", "--budget", "1s", "--forks", "3"],
        &["list", "sham/quick"],
    ] {
        let (said, took) = timed(&home, words);
        assert_eq!(said.status, Some(0), "{words:?}: {}", said.err);
        assert!(took < SOON, "{words:?} took {took:?}");
        assert!(!said.err.contains("waiting for"), "{words:?}: {}", said.err);
    }
    let (said, took) = timed(&home, &["run", "q"]);
    assert!(took < Duration::from_secs(30), "it is waited for once: {took:?}");
    tells_of_one_family(&said, "gave no answer to `hello` within 20 s");
    assert!(
        said.err.contains("waiting for the runner of broken, which does not answer yet"),
        "{}",
        said.err
    );
}

#[test]
fn a_runner_that_ends_gives_its_own_reason_once() {
    let home = home("echo 'there is no such device' >&2; exit 3");
    let said = home.cupel(&["run", "q"]);
    let why = "ended with status 3 during `hello`; its log ends: there is no such device";
    tells_of_one_family(&said, why);
}
