//! The scripts behind `make run`: their messages, and when.
#![cfg(unix)]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts").join(name).canonicalize().unwrap()
}

/// A folder of programs that is the whole path: some of the system's, and some that are scripts.
fn programs(links: &[&str], scripts: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    for name in links {
        let found = std::env::split_paths(&path).map(|at| at.join(name)).find(|at| at.is_file());
        symlink(found.expect(name), folder.path().join(name)).unwrap();
    }
    for (name, text) in scripts {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

/// The output of `scripts/setup run` for this user where Maven and libsodium are not installed.
fn setup(user: &str, install: &str) -> String {
    let compiler = "read -r line; case $line in *sodium*) exit 1;; esac";
    let apt = "echo \"APT $*\"; case $* in *install*) echo \"$*\" >\"$(dirname \"$0\")/installed\";; esac";
    let id = format!("echo {user}");
    let folder = programs(
        &["sh", "grep", "dirname"],
        &[
            ("cc", compiler),
            ("g++", ""),
            ("id", &id),
            ("apt-get", apt),
            ("apt-cache", ""),
            ("pkg-config", ""),
            ("javac", ""),
            ("cargo", ""),
        ],
    );
    let mut command = Command::new("/bin/sh");
    command
        .arg(script("setup"))
        .arg("run")
        .env("PATH", folder.path())
        .env("CUPEL_INSTALL", install);
    let Output { stdout, stderr, status } = command.output().unwrap();
    let said = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
    assert!(status.success(), "{said}");
    let installed = folder.path().join("installed").exists();
    assert_eq!(installed, user == "0" && install.is_empty(), "{said}");
    said
}

/// The packages that are missing, with their purpose.
const MISSING: &str = "    libsodium-dev            libsodium's contender\n    \
                       maven                    builds the runner of the Java contenders\n";

#[test]
fn root_is_told_what_is_installed_and_why_before_it_is() {
    let said = setup("0", "");
    let told = said.find(MISSING).unwrap_or_else(|| panic!("{said}"));
    assert!(told < said.find("APT").expect("it installs"), "{said}");
    assert!(said.contains("CUPEL_INSTALL=no"), "{said}");
}

#[test]
fn nothing_is_installed_without_the_right_or_the_will() {
    for (user, install) in [("1000", ""), ("0", "no")] {
        let said = setup(user, install);
        assert!(said.contains(MISSING) && !said.contains("APT"), "{said}");
        assert!(said.contains("sudo apt-get install libsodium-dev maven"), "{said}");
    }
}

#[test]
fn a_terse_step_is_one_line_and_shows_its_output_only_if_it_fails() {
    let folder = tempfile::tempdir().unwrap();
    let step = |terse: &str, command: &str| {
        let mut step = Command::new("/bin/sh");
        step.arg(script("step")).args(["a step", "sh", "-c", command]).env("CUPEL_TERSE", terse);
        let output = step.env_remove("CUPEL_BESIDE").current_dir(folder.path()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (status, out, err) = step("1", "echo said; echo warned >&2");
    assert_eq!((status, &*err), (Some(0), ""));
    assert!(out.starts_with("a step ... ") && out.ends_with(" s\n"), "{out}");
    assert_eq!(out.lines().count(), 1, "{out}");
    let (status, out, err) = step("1", "echo said; exit 3");
    assert_eq!((status, &*err), (Some(3), "said\n"));
    assert!(out.starts_with("a step ... FAILED"), "{out}");
    let (_, out, _) = step("", "echo said");
    assert!(out.contains("said\n") && out.contains("==> a step: done"), "{out}");
    let times = std::fs::read_to_string(folder.path().join("target/times.tsv")).unwrap();
    assert_eq!(times.lines().count(), 3, "{times}");
}
