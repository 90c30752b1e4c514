//! The completions of a shell.

use crate::support::{CUPEL, Home};
use std::path::Path;
use std::process::Command;

/// Two suites, and a family whose runner leaves a file behind if it is started.
fn home() -> Home {
    let home = Home::empty();
    home.suite("[64]", "");
    home.write("suites/quantum.toml", "");
    let started = home.path("started");
    home.write(
        "contenders/mine.toml",
        format!(
            "runner = \"program\"\nprefix = \"mine\"\n\
             command = [\"/bin/sh\", \"-c\", \"touch {}\"]\n\
             [[contender]]\nname = \"siphash-fast\"\noffers = [\"siphash-2-4:mac\"]\n",
            started.display()
        ),
    );
    home
}

/// The completions after these words, of which the last is not complete.
fn completed(home: &Home, words: &[&str]) -> Vec<String> {
    let mut command = home.command();
    let index = words.len().to_string();
    command.env("CUPEL_COMPLETE", "bash").env("_CLAP_IFS", "\n");
    command.env("_CLAP_COMPLETE_INDEX", index).args(["--", "cupel"]).args(words);
    let output = command.current_dir(home.path("contenders")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(String::from).collect()
}

#[test]
fn suites_contenders_primitives_and_runs_are_completed_and_nothing_is_started() {
    let home = home();
    for (words, expected) in [
        (&["run", "q"][..], &["q", "quantum"][..]),
        (&["check", "qua"], &["quantum"]),
        (&["run", "q", "--contender", "mi"], &["mine/siphash-fast"]),
        (&["verify", "mine"], &["mine/siphash-fast"]),
        (&["advise", "--have", "mine/s"], &["mine/siphash-fast"]),
        (&["run", "--primitive", "siphash-2-4-"], &["siphash-2-4-128"]),
        (&["ask", "aes-256"], &["aes-256-gcm", "aes-256-gcm-siv"]),
        (&["ask", "siphash-2-4", "mi"], &["mine/siphash-fast"]),
        (&["ask", "sha256", "digest-f"], &["digest-file"]),
        (&["show", "1", "prev"], &["previous"]),
        (&["show", "la"], &["last"]),
    ] {
        assert_eq!(completed(&home, words), expected, "{words:?}");
    }
    assert!(!home.path("started").exists(), "the runner was started");
    assert!(!home.path("cache").exists() && !home.store().exists(), "something was written");
}

#[test]
fn every_shell_has_a_script_that_asks_cupel() {
    let home = home();
    for shell in ["bash", "zsh", "fish"] {
        let output = home.command().env("CUPEL_COMPLETE", shell).output().unwrap();
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{shell}: {script}");
        assert!(script.contains("CUPEL_COMPLETE"), "{shell}: {script}");
        // The program is found on the path, not where it was built.
        assert!(!script.contains(CUPEL), "{shell}: {script}");
    }
}

/// The completions of bash for these words, as bash itself parts them, by the function that the
/// script registers.
fn completed_by_bash(home: &Home, words: &str) -> String {
    let script = format!(
        "source <(CUPEL_COMPLETE=bash cupel); COMP_WORDS=({words}); COMP_TYPE=9; \
         COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); registered=$(complete -p cupel); \
         registered=${{registered##*-F }}; \
         ${{registered%% *}} cupel \"${{COMP_WORDS[COMP_CWORD]}}\" before; echo \"${{COMPREPLY[*]}}\""
    );
    let path = std::env::var("PATH").unwrap();
    let folder = Path::new(CUPEL).parent().unwrap();
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", &script]).env("CUPEL_HOME", home.path(""));
    bash.env("PATH", format!("{}:{path}", folder.display())).current_dir(home.path(""));
    let output = bash.output().expect("bash starts");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

#[test]
fn bash_completes_with_its_script() {
    let home = home();
    home.write(
        "contenders/jvm.toml",
        "runner = \"jvm\"\nprefix = \"jvm\"\nmajors = []\n\
         [[contender]]\nname = \"jdk\"\noffers = [\"sha256:digest\"]\n",
    );
    assert_eq!(completed_by_bash(&home, "cupel run quan"), "quantum");
    assert_eq!(completed_by_bash(&home, "cupel run q --contender jvm/jdk@new"), "newest");
    // As bash parts it at the @.
    assert_eq!(completed_by_bash(&home, "cupel run q --contender jvm/jdk @ new"), "newest");
}
