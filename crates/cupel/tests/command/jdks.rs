//! Families on the JVM: one contender for each JDK, and a runner that is built when its sources
//! have changed. JDK and Maven are scripts; JDKs of this machine are found too, but do not matter.

use crate::support::{Home, sham};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A home with a family on the JVM, a JDK 99 by Acme that is the scripted runner, and a Maven that
/// records its calls.
fn home() -> Home {
    let home = Home::empty();
    home.write(
        "contenders/jvm.toml",
        "runner = \"jvm\"\nprefix = \"jvm\"\nmajors = [98, 99]\n\
         [[contender]]\nname = \"alpha\"\noffers = [\"siphash-2-4:mac\"]\n",
    );
    let script =
        json!({ "seed": 7, "contenders": [{ "name": "alpha", "primitives": ["siphash-2-4"] }] });
    home.write("script.json", script.to_string());
    for folder in ["jdk/bin", "bin", "java", "runners/jvm"] {
        std::fs::create_dir_all(home.path(folder)).unwrap();
    }
    home.write("pom.xml", "<project/>");
    home.write("runners/jvm/Main.java", "class Main {}");
    home.write("jdk/release", "IMPLEMENTOR=\"Acme\"\nJAVA_VERSION=\"99.0.1\"\n");
    let (script, clock) = (home.path("script.json"), home.path("clock"));
    let run = format!(
        "exec {} --script {} --clock {}",
        sham().display(),
        script.display(),
        clock.display()
    );
    program(&home.path("jdk/bin/java"), &run);
    let target = "runners/jvm/target";
    let jar = format!("{target}/cupel-runner-jvm-0.1.0.jar");
    program(
        &home.path("bin/mvn"),
        &format!("mkdir -p {target}; touch {jar}; echo called >>mvn.log"),
    );
    home
}

fn program(path: &Path, body: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn cupel(home: &Home, arguments: &[&str]) -> String {
    let path = std::env::var("PATH").unwrap();
    let output = home
        .command()
        .args(arguments)
        .env("JAVA_HOME", home.path("jdk"))
        .env("PATH", format!("{}:{path}", home.path("bin").display()))
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn calls(home: &Home) -> usize {
    std::fs::read_to_string(home.path("mvn.log")).unwrap_or_default().lines().count()
}

#[test]
fn a_jdk_that_is_here_makes_a_contender_and_one_that_is_not_is_missing() {
    let home = home();
    assert!(cupel(&home, &["list", "toolchains"]).contains("acme-99"));
    let list = cupel(&home, &["list", "jvm"]);
    assert!(list.contains("jvm/alpha@acme-99") && list.contains("not built"), "{list}");
    assert_eq!(calls(&home), 0, "listing builds nothing");
    let doctor = cupel(&home, &["doctor", "--build"]);
    assert!(doctor.contains("jvm/alpha@jdk-98:\n    JDK 98 is not installed"), "{doctor}");
    assert!(!doctor.contains("@jdk-99"), "{doctor}");
    assert!(!doctor.contains("@acme-99"), "no trouble with it: {doctor}");
}

#[test]
fn maven_is_called_when_a_source_has_changed_and_only_then() {
    let home = home();
    cupel(&home, &["doctor", "--build"]);
    assert_eq!(calls(&home), 1);
    cupel(&home, &["doctor", "--build"]);
    assert_eq!(calls(&home), 1, "nothing has changed");
    home.write("runners/jvm/Main.java", "class Main { int more; }");
    assert!(cupel(&home, &["list", "jvm"]).contains("not built: cupel run"));
    cupel(&home, &["doctor", "--build"]);
    assert_eq!(calls(&home), 2);
}

#[test]
fn two_processes_do_not_build_the_runner_at_the_same_time() {
    let home = home();
    // A Maven that ends only when a second one has begun, or after two seconds.
    let jar = "runners/jvm/target/cupel-runner-jvm-0.1.0.jar";
    program(
        &home.path("bin/mvn"),
        &format!(
            "echo called >>mvn.log; for i in $(seq 20); do\n\
             [ $(wc -l <mvn.log) -lt 2 ] || exit 1; sleep 0.1\n\
             done; touch {jar}"
        ),
    );
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| cupel(&home, &["doctor", "--build"]));
        }
    });
    assert_eq!(calls(&home), 1, "the second process takes what the first has built");
    assert!(home.path(jar).is_file());
}

#[test]
fn a_version_that_cannot_be_brought_is_refused_with_those_that_can() {
    let home = home();
    let said = home.cupel(&["install", "jdk", "16"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("17, 21, 25"), "{}", said.err);
}

#[test]
fn the_newest_jdk_is_named_in_the_plan_whichever_it_is() {
    let home = home();
    cupel(&home, &["doctor", "--build"]);
    home.write(
        "suites/q.toml",
        "question = \"?\"\n[[workload]]\nprimitive = \"siphash-2-4\"\nsizes = [64]\n\
         contenders = [\"jvm/*@newest\"]\nbaseline = \"jvm/alpha@newest\"\n",
    );
    let plan = cupel(&home, &["run", "q", "--dry-run"]);
    assert!(plan.contains("throughput: jvm/alpha@acme-99\n"), "{plan}");
    let list = cupel(&home, &["list", "jvm/alpha@newest"]);
    assert!(list.contains("jvm/alpha@acme-99") && !list.contains("jdk-98"), "{list}");
}
