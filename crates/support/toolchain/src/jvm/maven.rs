//! The JVM's runner. Maven builds it together with this repository's Java library, once for all
//! JDKs. The sources' content decides whether to build again.

use crate::absent::Absent;
use crate::builds::artefact::alone;
use crate::builds::cargo;
use crate::builds::fingerprint::fingerprint;
use crate::builds::{shipped, watched};
use cupel_base::disk::{real, write_whole};
use cupel_base::home::Home;
use cupel_base::packages;
use cupel_protocol::message::Refusal;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// Its name in a package, next to the folder of its libraries.
pub(crate) const SHIPPED: &str = "jvm/cupel-runner-jvm.jar";

/// The folder of its sources. A real path, so that a home made of links shares its builds.
fn root(home: &Home) -> PathBuf {
    let pom = real(&home.root.join("pom.xml"));
    pom.parent().unwrap_or(&home.root).to_path_buf()
}

/// A digest of its sources.
pub(crate) fn wanted(home: &Home) -> String {
    let root = root(home);
    let (runner, library) = (root.join("runners/jvm"), root.join("java"));
    let extensions = ["java", "xml", "properties"];
    fingerprint(&[&runner, &library], &extensions, &["target", "test", "jmh"])
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

/// The runner's jar, next to the folder of its libraries, built if needed.
pub fn ready(home: &Home, build: bool, say: &dyn Fn(&str)) -> Result<PathBuf, Absent> {
    let root = root(home);
    let jar = root.join(JAR);
    let stamp = shipped::stamp(&jar);
    let wanted = wanted(home);
    if is_built(&jar, &stamp, &wanted) {
        return Ok(jar);
    }
    if let Some(jar) = shipped::file(SHIPPED, &wanted) {
        return Ok(jar);
    }
    if !build {
        return Err(Absent::Unbuilt);
    }
    // Another process may be building it: two of Maven in one folder break each other's files.
    let target = root.join("runners/jvm/target");
    let _ = std::fs::create_dir_all(&target);
    let _alone = alone(&target);
    if is_built(&jar, &stamp, &wanted) {
        return Ok(jar);
    }
    let pom = root.join("pom.xml");
    let again = format!("mvn -f {} {}", pom.display(), BUILD[1..].join(" "));
    mvn("the JVM runner", Some(again), Command::new("mvn").args(BUILD).current_dir(root), say)?;
    // If the stamp cannot be written, Maven is merely asked again next time.
    let _ = write_whole(&stamp, &wanted);
    Ok(jar)
}

fn is_built(jar: &Path, stamp: &Path, wanted: &str) -> bool {
    jar.is_file() && std::fs::read_to_string(stamp).is_ok_and(|built| built == wanted)
}

/// Runs Maven to build `what`.
///
/// # Errors
/// Missing if Maven cannot be started; failed with its first complaint and this remedy otherwise.
pub(crate) fn mvn(
    what: &str,
    remedy: Option<String>,
    command: &mut Command,
    say: &dyn Fn(&str),
) -> Result<(), Absent> {
    let building = format!("building {what} (the first time takes a minute)");
    let output = watched::run(command, &building, say).map_err(|e| {
        Absent::Missing(Refusal {
            reason: format!("mvn cannot be started: {e}"),
            remedy: Some(packages::remedy("apt-get install maven openjdk-17-jdk-headless")),
        })
    })?;
    if output.status.success() {
        return Ok(());
    }
    let log = String::from_utf8_lossy(&output.stdout);
    let reason = format!("{what} does not build: {}", complaint(&log));
    Err(Absent::Failed(Refusal { reason, remedy }))
}

/// The first line that Maven marks as an error, from behind the mark: also without a terminal Maven
/// 3.8 prints a sequence for terminals before it.
fn complaint(log: &str) -> String {
    let line = log.lines().find(|line| line.contains("[ERROR]")).unwrap_or(log);
    cargo::first_error(line.rsplit("[ERROR]").next().unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_complaint_is_without_what_maven_puts_before_it() {
        for (log, said) in [
            ("\u{1b}[0m[ERROR] Failed to copy\n[ERROR] more\n", "Failed to copy"),
            ("\u{1b}[0m[ERROR] [ERROR] Some problems\n[FATAL] x\n", "Some problems"),
            ("Error: could not find java\n", "Error: could not find java"),
        ] {
            assert_eq!(complaint(log), said);
        }
    }
}
