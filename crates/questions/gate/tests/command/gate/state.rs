//! `cupel gate` over programs that keep files in their folder: equal builds that were executed equally
//! often are equal, and builds that were measured in different states have no verdict.

use super::audited::contradictions;
use super::revisions::{commit, gate, git, repository};
use crate::support::{Home, Said};
use std::path::{Path, PathBuf};

/// Each execution takes 0.4 % longer than the one before in this folder.
const KEEPING: &str = "echo ran >>history; echo hash $(( 10007 + 40 * $(wc -l <history) )) ps";

/// A repository with two equal commits, but for a file that no program reads.
fn project(home: &Home) -> PathBuf {
    let project = repository(home, "project");
    commit(&project, "a", "1");
    commit(&project, "a", "2");
    project
}

/// A gate of the working tree, which is equal to its base.
fn gate_of(home: &Home, project: &Path, run: &str) -> Said {
    let said = gate(home, project, &["--base-rev", "HEAD~1", "--run", run], &[]);
    assert_eq!(contradictions(home, &said), "", "{}", said.out);
    said
}

/// The first lines, each as one.
fn first_lines(said: &Said) -> String {
    let (above, _) = said.out.split_once("\n\n").unwrap_or((&said.err, ""));
    above.replace("\n  ", " ")
}

/// The status of a gate and whether its first lines speak of a state.
fn answered(said: &Said) -> (Option<i32>, bool) {
    (said.status, first_lines(said).contains("STATE "))
}

#[test]
fn equal_builds_that_keep_a_history_are_equal_or_have_no_verdict() {
    let home = Home::empty();
    let project = project(&home);
    let said = gate_of(&home, &project, KEEPING);
    assert_eq!(answered(&said), (Some(0), false), "{}{}", said.out, said.err);
    assert!(said.out.starts_with("not slower: none of 1 benchmark"), "{}", said.out);
    let lines =
        |folder: &Path| std::fs::read_to_string(folder.join("history")).unwrap().lines().count();
    let kept = std::fs::read_dir(home.path("cache/gate")).unwrap().next().unwrap().unwrap().path();
    let kept = std::fs::read_dir(kept).unwrap().next().unwrap().unwrap().path();
    assert_eq!(lines(&kept), lines(&project), "both were executed equally often");
    let remark = "executions change 1 file in the folder of their build, such as history";
    assert!(said.out.replace("\n        ", " ").contains(remark), "{}", said.out);
    // The checkout of the base is kept, with its history.
    std::fs::remove_file(project.join("history")).unwrap();
    let said = gate_of(&home, &project, KEEPING);
    assert_eq!(answered(&said), (Some(2), true), "{}{}", said.out, said.err);
    assert!(said.out.starts_with("undecided: 1 of 1 benchmark"), "{}", said.out);
    let note = "STATE history grows with the executions, which read it, and began with ";
    assert!(first_lines(&said).contains(note), "{}", said.out);
    assert!(first_lines(&said).contains("and 16 B in the new build's"), "{}", said.out);
    for format in ["markdown", "github", "json"] {
        let shown = home.cupel(&["show", "--gate", "--format", format]).out;
        assert!(shown.contains("history grows with the executions"), "{shown}");
    }
    // The remedy.
    let said = gate_of(&home, &project, &format!("rm -f history; {KEEPING}"));
    assert_eq!(answered(&said), (Some(0), false), "{}{}", said.out, said.err);
}

#[test]
fn a_history_that_only_one_build_keeps_is_named() {
    let home = Home::empty();
    let project = repository(&home, "project");
    commit(&project, "bench.sh", "echo hash 10007 ps");
    commit(&project, "bench.sh", KEEPING);
    let said = gate_of(&home, &project, "sh bench.sh");
    assert_eq!(answered(&said), (Some(2), true), "{}{}", said.out, said.err);
    let sizes = "began with 0 B in the folder of the base and 16 B in the new build's";
    assert!(first_lines(&said).contains(sizes), "{}", said.out);
}

/// Each execution in a folder takes 0.4 % longer than the one before, whose number it reads.
#[test]
fn equal_builds_that_count_their_executions_have_no_verdict_if_they_began_apart() {
    let home = Home::empty();
    let project = project(&home);
    let counting = "read n <runs || n=1000; n=$(( n + 1 )); echo $n >runs; \
                    echo hash $(( 8007 + 2 * n )) ps";
    let said = gate_of(&home, &project, counting);
    assert_eq!(answered(&said), (Some(0), false), "{}{}", said.out, said.err);
    std::fs::write(project.join("runs"), "2000\n").unwrap();
    let said = gate_of(&home, &project, counting);
    assert_eq!(answered(&said), (Some(2), true), "{}{}", said.out, said.err);
    let note = "STATE runs has a number that moves with each execution, and began with 10";
    assert!(first_lines(&said).contains(note), "{}", said.out);
    let said = gate_of(&home, &project, &format!("rm -f runs; {counting}"));
    assert_eq!(answered(&said), (Some(0), false), "{}{}", said.out, said.err);
}

/// Also if a checkout is kept and the working tree is clean.
#[test]
fn reports_and_caches_are_ordinary() {
    let home = Home::empty();
    let project = project(&home);
    let hash = "echo hash 10007 ps";
    for run in [
        format!("head -c $(( $$ % 97 )) /dev/zero >report; {hash}"),
        format!("[ -e cache ] || echo cached >cache; {hash}"),
        format!(
            "mkdir -p target/criterion/new; mv target/criterion/new target/criterion/base; \
                 mkdir target/criterion/new; echo $$ >target/criterion/new/sample; \
                 rm -rf target/criterion/base; {hash}"
        ),
        format!(
            "cat report >/dev/null 2>&1; date +'%s %N' >report; echo $$ $(( $$ * 7919 % 997 )) >>report; {hash}"
        ),
        format!("f=$(mktemp ./XXXXXX); echo x >$f; rm $f; {hash}"),
        format!("tail -n 3 log >new 2>/dev/null; echo $$ >>new; mv new log; {hash}"),
        format!("echo $$ >>long; mkdir -p logs; mktemp logs/XXXXXX >/dev/null; {hash}"),
    ] {
        for _ in 0..2 {
            let said = gate_of(&home, &project, &run);
            assert_eq!(answered(&said), (Some(0), false), "{run}: {}{}", said.out, said.err);
            git(&project, &["clean", "--quiet", "-fdx"]);
        }
    }
}

#[test]
fn commands_that_change_to_two_folders_are_watched_and_those_of_one_folder_share_its_state() {
    let home = Home::empty();
    for folder in ["old", "new", "one"] {
        std::fs::create_dir(home.path(folder)).unwrap();
    }
    home.write("old/history", "ran\n".repeat(40));
    let gate = |base: &str, new: &str| {
        let path = |folder: &str| home.path(folder).display().to_string();
        let command = |folder: &str| format!("cd {} && {{ {KEEPING}; }}", path(folder));
        home.cupel(&["gate", "--base", &command(base), "--new", &command(new)])
    };
    let said = gate("old", "new");
    assert_eq!(answered(&said), (Some(2), true), "{}{}", said.out, said.err);
    let said = gate("one", "one");
    assert!(!answered(&said).1, "{}{}", said.out, said.err);
    assert!(!said.out.contains("executions change"), "{}", said.out);
}
