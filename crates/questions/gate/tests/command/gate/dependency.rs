//! `cupel gate --dep`: one commit, with two versions of a dependency.

use super::revisions::{commit, gate, repository};
use super::{bench, home};
use crate::support::{Home, Said};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

/// As npm for one package: its lock file has the version that it was asked for, `9.9.9` becomes
/// `9.9.8`, and version 2 brings a package along.
const NPM: &str = r#"#!/bin/sh
echo "npm $*" >>"$LOG"
version=1.0.0
for word; do case $word in fast-hash@*) version=${word#fast-hash@};; esac; done
[ "$version" != 9.9.9 ] || version=9.9.8
other=; [ "$version" != 2.0.0 ] || other=',"node_modules/helper": {"version": "0.1.0"}'
echo "{\"packages\": {\"node_modules/fast-hash\": {\"version\": \"$version\"}$other}}" >package-lock.json
echo "$version" >version
"#;

struct Project {
    home: Home,
    folder: PathBuf,
}

impl Project {
    fn new() -> Project {
        let home = home();
        let folder = repository(&home, "project");
        let manifest = r#"{"dependencies": {"fast-hash": "^1.0.0"}}"#;
        commit(&folder, "package.json", manifest);
        let programs = home.path("programs");
        std::fs::create_dir_all(&programs).unwrap();
        std::fs::write(programs.join("npm"), NPM).unwrap();
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(programs.join("npm"), mode).unwrap();
        Project { home, folder }
    }

    /// A gate over a benchmark that takes 6 % longer with version 2.
    fn gate(&self, dep: &str) -> Said {
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", self.home.path("programs").display());
        let log = self.home.path("log").display().to_string();
        let run = "$(case $(cat version) in 2.*) echo 106;; *) echo 100;; esac)";
        let run = bench(&self.home, run);
        let words = ["--dep", dep, "--run", &run];
        gate(&self.home, &self.folder, &words, &[("PATH", &path), ("LOG", &log)])
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.home.path("log")).unwrap()
    }
}

#[test]
fn an_upgrade_that_is_slower_is_found_and_what_came_with_it_is_named() {
    let project = Project::new();
    let Said { status, out, err } = project.gate("fast-hash@1.2.0..2.0.0");
    assert_eq!(status, Some(1), "{out}{err}");
    assert!(out.contains("base: fast-hash 1.2.0 in HEAD ("), "{out}");
    assert!(out.contains("new: fast-hash 2.0.0 in HEAD ("), "{out}");
    let note = "besides fast-hash, the builds differ in helper 0.1.0 (the new build only)";
    assert!(out.replace("\n  ", " ").contains(note), "{out}");
    let install = "npm install --no-audit --no-fund --save-exact";
    let expected = format!("{install} fast-hash@1.2.0\n{install} fast-hash@2.0.0\n");
    assert_eq!(project.log(), expected);
    let Said { status, err, .. } = project.gate("fast-hash@1.2.0..2.0.0");
    assert_eq!(status, Some(1), "{err}");
    assert_eq!(project.log(), expected, "both are kept");
    let text = std::fs::read_to_string(project.folder.join("package.json")).unwrap();
    assert!(text.contains("^1.0.0"), "the user's own folder is as it was: {text}");
}

#[test]
fn without_an_old_version_the_base_has_that_of_the_lock_file() {
    let project = Project::new();
    let manifest = r#"{"dependencies": {"fast-hash": "1"}}"#;
    std::fs::write(project.folder.join("package.json"), manifest).unwrap();
    let Said { status, out, err } = project.gate("fast-hash@1.3.0");
    assert_eq!(status, Some(0), "{out}{err}");
    assert!(out.contains("base: fast-hash 1.0.0 in HEAD ("), "{out}");
    assert!(
        out.replace("\n  ", " ").contains("the changes of the working tree are in neither"),
        "{out}"
    );
    assert!(project.log().starts_with("npm ci --no-audit --no-fund\n"), "{}", project.log());
}

#[test]
fn a_version_that_was_not_reached_is_refused() {
    let project = Project::new();
    let Said { status, err, .. } = project.gate("fast-hash@1.0.0..9.9.9");
    assert_eq!(status, Some(3), "{err}");
    assert!(err.contains("the new build has fast-hash 9.9.8, not 9.9.9"), "{err}");
    let Said { status, err, .. } = project.gate("fast-hash@1.0.0");
    assert_eq!(status, Some(3), "{err}");
    assert!(err.contains("both builds have fast-hash 1.0.0"), "{err}");
    let Said { status, err, .. } = project.gate("slow-hash@1.0.0");
    assert_eq!(status, Some(3), "{err}");
    assert!(err.contains("does not depend on slow-hash"), "{err}");
}
