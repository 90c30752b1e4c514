//! The JVM's runner. Maven builds it together with this repository's Java library, once for all
//! JDKs. The sources' content decides whether to build again.

use super::fingerprint::fingerprint;
use super::{Absent, cargo};
use crate::home::Home;
use cupel_protocol::message::Refusal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const JAR: &str = "runners/jvm/target/cupel-runner-jvm-0.1.0.jar";
const BUILD: [&str; 8] = [
    "--quiet",
    "--batch-mode",
    "--projects",
    "runners/jvm",
    "--also-make",
    "-DskipTests",
    "-Dmaven.javadoc.skip",
    "package",
];

/// Identifies what the existing runner was built from.
pub fn stamp(home: &Home) -> String {
    let pom = home.root.join("pom.xml");
    let pom = pom.canonicalize().unwrap_or(pom);
    let root = pom.parent().unwrap_or(&home.root);
    std::fs::read_to_string(root.join(JAR).with_extension("cupel-stamp")).unwrap_or_default()
}

/// The jars of the runner's libraries, each with its size and time. Their content is 25 MB and
/// would have to be read every time.
pub fn libraries(jar: &Path) -> String {
    let folder = jar.with_file_name("lib");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut lines: Vec<String> = entries
        .map(|entry| {
            let data = std::fs::metadata(entry.path());
            let size_and_time = data.map(|d| (d.len(), d.modified().ok()));
            format!("{:?} {size_and_time:?}\n", entry.file_name())
        })
        .collect();
    lines.sort();
    lines.concat()
}

/// The runner's jar, beside the folder of its libraries, built if needed.
pub fn ready(home: &Home, build: bool, say: &dyn Fn(&str)) -> Result<PathBuf, Absent> {
    // Real paths, so that a home made of links shares what is built.
    let real = |path: &str| {
        let path = home.root.join(path);
        path.canonicalize().unwrap_or(path)
    };
    let pom = real("pom.xml");
    let root = pom.parent().unwrap_or(&home.root);
    let jar = root.join(JAR);
    let stamp = jar.with_extension("cupel-stamp");
    let (runner, library) = (root.join("runners/jvm"), root.join("java"));
    let extensions = ["java", "xml", "properties"];
    let wanted = fingerprint(&[&runner, &library], &extensions, &["target", "test", "jmh"]);
    let built = std::fs::read_to_string(&stamp).unwrap_or_default();
    if jar.is_file() && built == wanted {
        return Ok(jar);
    }
    if !build {
        return Err(Absent::Unbuilt);
    }
    say("building the JVM runner (the first time takes a minute)");
    let output =
        Command::new("mvn").args(BUILD).current_dir(root).stdin(Stdio::null()).output().map_err(
            |e| {
                Absent::Missing(Refusal {
                    reason: format!("mvn cannot be started: {e}"),
                    remedy: Some("apt-get install maven openjdk-17-jdk-headless".into()),
                })
            },
        )?;
    if !output.status.success() {
        let log = String::from_utf8_lossy(&output.stdout);
        let line = log.lines().find(|l| l.contains("[ERROR]")).unwrap_or(&log);
        let line = line.trim_start_matches("[ERROR]");
        return Err(Absent::Failed(Refusal {
            reason: format!("the JVM runner does not build: {}", cargo::first_error(line)),
            remedy: Some(format!("mvn -f {} {}", pom.display(), BUILD[1..].join(" "))),
        }));
    }
    // If the stamp cannot be written, Maven is merely asked again next time.
    let _ = std::fs::write(&stamp, wanted);
    Ok(jar)
}
