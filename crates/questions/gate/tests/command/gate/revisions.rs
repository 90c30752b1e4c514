//! `cupel gate` over two Git revisions: each is built as a fresh clone would be, both are built
//! alike, and nothing of the user's is touched.

use super::{bench, home};
use crate::support::{Home, Said};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.current_dir(folder).args(["-c", "user.name=A", "-c", "user.email=a@example.org"]);
    let done = git.args(["-c", "protocol.file.allow=always"]).args(arguments).output();
    let done = done.expect("Git");
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).trim().to_string()
}

/// A new repository in this home.
pub(super) fn repository(home: &Home, name: &str) -> PathBuf {
    let path = home.path(name);
    std::fs::create_dir_all(&path).unwrap();
    git(&path, &["init", "--quiet", "--initial-branch", "main"]);
    path
}

pub(super) fn commit(folder: &Path, file: &str, text: &str) {
    std::fs::write(folder.join(file), text).unwrap();
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "-m", file]);
}

/// A gate in this folder, with these variables.
pub(super) fn gate(
    home: &Home,
    folder: &Path,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> Said {
    let mut command = home.command();
    command.current_dir(folder).args(["gate", "--seed", "1"]).args(arguments);
    let done = command.envs(variables.iter().copied()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said { status: done.status.code(), out: text(&done.stdout), err: text(&done.stderr) }
}

#[test]
fn two_revisions_are_checked_out_and_built_once() {
    let home = home();
    let top = repository(&home, "project");
    let project = top.join("sub");
    std::fs::create_dir_all(&project).unwrap();
    for percent in ["100", "106"] {
        commit(&project, "percent", percent);
    }
    let built = home.path("built").display().to_string();
    let build = format!("cp percent percent.built; cat percent >>{built}; echo >>{built}");
    let run = bench(&home, "$(cat percent.built)");
    let gate = |more: &[&str]| {
        let words = ["--base-rev", "HEAD~1", "--build", &build, "--run", &run];
        gate(&home, &project, &[&words, more].concat(), &[])
    };
    let Said { status, out, err } = gate(&["--new-rev", "HEAD"]);
    assert_eq!(status, Some(1), "{out}{err}");
    assert!(out.contains("base: HEAD~1 ("), "{out}");
    let Said { status, out, err } = gate(&["--new-rev", "HEAD"]);
    assert_eq!(status, Some(1), "{out}{err}");
    assert!(err.contains("was built before"), "{err}");
    assert_eq!(std::fs::read_to_string(&built).unwrap(), "100\n106\n", "each was built once");
    std::fs::write(project.join("percent"), "100").unwrap();
    let Said { status, out, err } = gate(&[]);
    assert_eq!(status, Some(0), "the working tree: {out}{err}");
    assert!(out.contains("new: the working tree"), "{out}");
    for revision in ["nowhere", "^HEAD"] {
        let Said { status, err, .. } = gate(&["--new-rev", revision]);
        assert_eq!(status, Some(3));
        assert!(err.contains(&format!("there is no revision {revision} in")), "{err}");
        assert!(err.contains("help: name a branch, a tag or a commit"), "{err}");
    }
    let empty = repository(&home, "empty");
    let said = self::gate(&home, &empty, &["--base-rev", "HEAD", "--run", &run], &[]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("help: commit something first"), "{}", said.err);
}

#[test]
fn a_comparison_of_other_than_the_change_is_told_in_the_first_lines() {
    let home = Home::empty();
    let project = repository(&home, "project");
    commit(&project, "ns", "100");
    let first_lines = |words: &[&str]| {
        let run = ["--run", "echo hash $(cat ns) ns"];
        let said = gate(&home, &project, &[words, &run].concat(), &[]);
        let (above, _) = said.out.split_once("benchmark  ").unwrap_or((&said.err, ""));
        above.replace("\n  ", " ")
    };
    let same = "have the same sources: there is no change to measure";
    assert!(first_lines(&["--base-rev", "HEAD"]).contains(same));
    assert!(first_lines(&["--base-rev", "HEAD", "--new-rev", "main"]).contains(same));
    std::fs::write(project.join("ns"), "101").unwrap();
    assert!(!first_lines(&["--base-rev", "HEAD"]).contains(same));
    git(&project, &["checkout", "--quiet", "-b", "change"]);
    commit(&project, "a", "a");
    git(&project, &["checkout", "--quiet", "main"]);
    let began = git(&project, &["rev-parse", "HEAD"]);
    commit(&project, "ns", "80");
    git(&project, &["checkout", "--quiet", "change"]);
    let said = first_lines(&["--base-rev", "main"]);
    assert!(said.contains("the working tree lacks 1 commit of main ("), "{said}");
    assert!(said.contains(&format!("--base-rev {}", &began[..12])), "{said}");
    assert!(!first_lines(&["--base-rev", &began]).contains("lacks"));
    let said = home.cupel(&["gate", "--base", "echo hash 5 ns", "--new", "echo hash 5 ns"]);
    assert!(said.out.contains("BUILDS both commands are the same"), "{}", said.out);
}

#[test]
fn an_option_without_an_effect_is_refused() {
    let home = Home::empty();
    let project = repository(&home, "project");
    let dep = ["--dep", "aes@0.8.4..0.9.2", "--run", "true", "--build", "true"];
    let programs = ["--base", "true", "--new", "true"];
    let with = |words: &[&str], more: [&str; 2], wanted: &str| {
        let said = gate(&home, &project, &[words, &more].concat(), &[]);
        assert_eq!(said.status, Some(3), "{}{}", said.out, said.err);
        assert!(said.err.contains(wanted), "{}", said.err);
    };
    with(&dep, ["--new-rev", "HEAD~7"], "cannot be used with");
    with(&dep, ["--base-build", "exit 7"], "cannot be used with");
    with(&programs, ["--compiler", "gcc"], "--compiler is for contenders");
}

/// Git gives a hook of `git commit -a` an index that only this commit has.
#[test]
fn a_hook_with_a_gate_leaves_the_commit_as_it_is() {
    let home = home();
    let project = repository(&home, "project");
    for (file, text) in [("a", "old"), ("percent", "100")] {
        commit(&project, file, text);
    }
    commit(&project, "a", "newer");
    let run = bench(&home, "$(cat percent)").replace('"', "\\\"");
    let hook = project.join(".git/hooks/pre-commit");
    let script = format!(
        "#!/bin/sh\nenv >\"{}\"\n\"{}\" gate --seed 1 --base-rev HEAD~1 --run '{run}' >\"{}\" 2>&1\n",
        home.path("variables").display(),
        crate::support::CUPEL,
        home.path("said").display(),
    );
    std::fs::write(&hook, script).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&hook, mode).unwrap();
    std::fs::write(project.join("a"), "newest").unwrap();
    let mut commit = Command::new("git");
    home.set_up(&mut commit);
    commit.current_dir(&project).args(["-c", "user.name=A", "-c", "user.email=a@example.org"]);
    let done = commit.args(["commit", "--quiet", "-a", "-m", "newest"]).output().unwrap();
    let said = std::fs::read_to_string(home.path("said")).unwrap_or_default();
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    assert!(said.contains("not slower: none of 2 benchmarks"), "{said}");
    let variables = std::fs::read_to_string(home.path("variables")).unwrap();
    assert!(variables.contains("GIT_INDEX_FILE="), "a hook as it was: {variables}");
    assert_eq!(git(&project, &["show", "HEAD:a"]), "newest");
    assert_eq!(git(&project, &["show", "--name-only", "--format=", "HEAD"]), "a");
    assert_eq!(git(&project, &["status", "--porcelain"]), "");
    git(&project, &["fsck", "--strict"]);
}

#[test]
fn no_variable_of_git_reaches_a_build_or_a_benchmark() {
    let home = Home::empty();
    let project = repository(&home, "project");
    commit(&project, "a", "1");
    let elsewhere = repository(&home, "elsewhere");
    commit(&elsewhere, "a", "2");
    let seen = home.path("seen").display().to_string();
    let look = format!("env | grep -E '^GIT_(DIR|INDEX_FILE|WORK_TREE)=' >>{seen};");
    let (build, run) = (format!("{look} true"), format!("{look} echo hash 5 ns"));
    let index = home.path("index").display().to_string();
    let dir = elsewhere.join(".git").display().to_string();
    let variables = [("GIT_DIR", dir.as_str()), ("GIT_INDEX_FILE", &index), ("GIT_WORK_TREE", "/")];
    let words = ["--base-rev", "HEAD", "--build", &build, "--run", &run];
    let said = gate(&home, &project, &words, &variables);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    assert_eq!(std::fs::read_to_string(&seen).unwrap(), "");
    assert!(!Path::new(&index).exists());
    assert_eq!(git(&elsewhere, &["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_checkout_has_its_submodules_and_large_files_or_says_what_it_lacks() {
    let home = Home::empty();
    let library = repository(&home, "library");
    commit(&library, "times", "hash 5 ns\n");
    let project = repository(&home, "project");
    let address = library.display().to_string();
    git(&project, &["submodule", "--quiet", "add", &address, "library"]);
    // As Git LFS leaves files, and the place where it keeps their content.
    let id = "4aa6892909e369933b9f1babc10519121e2dfd1042551f6b9bdd4eae51f1f0c2";
    let pointer = |id: &str| {
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{id}\nsize 12\n")
    };
    commit(&project, ".gitattributes", "large* filter=lfs diff=lfs merge=lfs -text\n");
    commit(&project, "large", &pointer(id));
    let object = project.join(format!(".git/lfs/objects/{}/{}", &id[..2], &id[2..4]));
    std::fs::create_dir_all(&object).unwrap();
    std::fs::write(object.join(id), "seal 7 ns\n").unwrap();
    std::fs::write(project.join("large"), "seal 7 ns\n").unwrap();
    let words = ["--base-rev", "HEAD", "--run", "cat library/times large", "--may-differ"];
    let said = gate(&home, &project, &words, &[]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.starts_with("not slower: none of 2 benchmarks"), "{}", said.out);
    assert!(!said.out.contains("BUILDS"), "{}", said.out);
    let modules = git(&project, &["config", "--get-regexp", "^submodule"]);
    assert_eq!(modules.lines().count(), 2, "the user's configuration is as it was: {modules}");
    // Content that is not here, and a part of the tree.
    std::fs::write(project.join("large"), pointer(id)).unwrap();
    commit(&project, "large-too", &pointer(&id.replace('4', "5")));
    std::fs::create_dir(project.join("part")).unwrap();
    commit(&project, "part/a", "a");
    git(&project, &["sparse-checkout", "set", "part"]);
    let said = gate(&home, &project, &["--base-rev", "HEAD", "--run", "echo hash 5 ns"], &[]);
    let folded = said.out.replace("\n  ", " ");
    assert!(folded.contains("BUILDS HEAD ("), "{}{}", said.out, said.err);
    assert!(folded.contains("is a sparse checkout"), "{}", said.out);
    assert!(folded.contains("1 file of Git LFS without"), "{}", said.out);
    // The kept checkout gets the parts that came since.
    git(&project, &["sparse-checkout", "disable"]);
    let objects = project.join(".git/lfs/objects");
    let other = id.replace('4', "5");
    let folder = objects.join(&other[..2]).join(&other[2..4]);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(&other), "open 9 ns\n").unwrap();
    let words = ["--base-rev", "HEAD", "--new-rev", "HEAD", "--run", "cat large library/times"];
    let said = gate(&home, &project, &words, &[]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    assert!(!said.out.contains("Git LFS") && !said.out.contains("sparse"), "{}", said.out);
}

#[test]
fn a_base_that_does_not_run_is_told_with_what_it_lacks() {
    let home = Home::empty();
    let library = repository(&home, "library");
    commit(&library, "times", "hash 5 ns\n");
    let project = repository(&home, "project");
    let address = library.display().to_string();
    git(&project, &["submodule", "--quiet", "add", &address, "library"]);
    commit(&project, "a", "a");
    git(&project, &["rm", "--quiet", "-f", "library"]);
    std::fs::create_dir(project.join("library")).unwrap();
    commit(&project, "library/times", "hash 5 ns\n");
    let words = ["--base-rev", "HEAD~1", "--run", "cat library/times"];
    let said = gate(&home, &project, &words, &[]);
    assert_eq!(said.status, Some(3), "{}{}", said.out, said.err);
    let lacks = "the submodule library is empty: the working tree has none there";
    assert!(said.err.contains(lacks), "{}", said.err);
    let said = gate(&home, &project, &words, &[("CUPEL_CACHE", "/dev/null/cache")]);
    assert_eq!(said.status, Some(3), "{}{}", said.out, said.err);
    assert!(said.err.contains("help: name a folder that you may write in CUPEL_CACHE"));
}

#[test]
fn a_kept_build_is_used_again_only_if_all_that_it_was_made_with_is_the_same() {
    let home = Home::empty();
    let project = repository(&home, "project");
    commit(&project, ".gitignore", "Cargo.lock\nout\n");
    std::fs::write(project.join("Cargo.lock"), "1").unwrap();
    let run = "cat out";
    let build = "test -e Cargo.lock && test ! -e out && echo hash $(( 100 * OPT )) ns >out";
    let words = ["--base-rev", "HEAD", "--build", build, "--run", run];
    let built = |opt: &str, lock: &str| {
        std::fs::write(project.join("Cargo.lock"), lock).unwrap();
        // As a clean build of the user's.
        let _ = std::fs::remove_file(project.join("out"));
        let said = gate(&home, &project, &words, &[("OPT", opt)]);
        assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
        assert!(said.out.starts_with("not slower: none of 1 benchmark"), "{}", said.out);
        said.err
    };
    assert!(!built("1", "1").contains("again"));
    assert!(built("1", "1").contains("was built before"));
    let err = built("2", "1");
    assert!(err.contains("is built again, from the beginning: OPT changed"), "{err}");
    let err = built("2", "2");
    assert!(err.contains("Cargo.lock changed"), "{err}");
}

/// As with Make, which takes outputs that are there for its own.
#[test]
fn outputs_of_a_build_that_did_not_end_are_not_taken() {
    let home = Home::empty();
    let project = repository(&home, "project");
    commit(&project, "a", "a");
    let build = "test -e out || echo hash $OPT ns >out; test $OPT = 100";
    let words = ["--base-rev", "HEAD", "--new-rev", "HEAD", "--build", build, "--run", "cat out"];
    let said = gate(&home, &project, &words, &[("OPT", "999")]);
    assert_eq!(said.status, Some(3), "{}{}", said.out, said.err);
    let said = gate(&home, &project, &words, &[("OPT", "100")]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    assert!(said.err.contains("its last build did not end well"), "{}", said.err);
    assert!(said.out.contains(" 100 ns  100 ns "), "{}", said.out);
}

#[test]
fn a_command_that_also_builds_does_so_again_if_its_inputs_change() {
    let home = Home::empty();
    let project = repository(&home, "project");
    commit(&project, ".gitignore", "Cargo.lock\nout\n");
    let run = "test -e out || echo hash $(( OPT * $(cat Cargo.lock) )) ns >out; cat out";
    let words = ["--base-rev", "HEAD", "--run", run];
    for (opt, lock, time) in
        [("1", "100", "100 ns"), ("2", "100", "200 ns"), ("2", "150", "300 ns")]
    {
        std::fs::write(project.join("Cargo.lock"), lock).unwrap();
        // As a clean build of the user's.
        let _ = std::fs::remove_file(project.join("out"));
        let said = gate(&home, &project, &words, &[("OPT", opt)]);
        assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
        assert!(said.out.contains(&format!(" {time}  {time} ")), "both builds: {}", said.out);
    }
}

#[test]
fn a_build_of_another_folder_or_by_another_script_is_no_kept_one() {
    let home = Home::empty();
    let project = repository(&home, "project");
    for (folder, ns) in [("hash", "100"), ("sign", "200")] {
        std::fs::create_dir(project.join(folder)).unwrap();
        commit(&project, &format!("{folder}/ns"), ns);
    }
    let script = home.path("build.sh");
    let build = format!("sh {}", script.display());
    let words = ["--base-rev", "HEAD", "--new-rev", "HEAD", "--build", &build, "--run", "cat out"];
    let built = |folder: &str, text: &str, time: &str| {
        std::fs::write(&script, text).unwrap();
        let said = gate(&home, &project.join(folder), &words, &[]);
        assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
        assert!(said.out.contains(&format!(" {time}  {time} ")), "{}", said.out);
    };
    let text = "echo hash $(cat ns) ns >out";
    built("hash", text, "100 ns");
    built("sign", text, "200 ns");
    built("sign", "echo hash 300 ns >out", "300 ns");
}

#[test]
fn builds_that_would_overwrite_each_other_are_refused() {
    let home = Home::empty();
    let project = repository(&home, "project");
    commit(&project, "percent", "100");
    commit(&project, "percent", "200");
    let refused = |words: &[&str], variables: &[(&str, &str)], wanted: &str| {
        let words = [&["--base-rev", "HEAD~1"], words].concat();
        let said = gate(&home, &project, &words, variables);
        assert_eq!(said.status, Some(3), "{}{}", said.out, said.err);
        assert!(said.err.contains(wanted) && said.err.contains("help: "), "{}", said.err);
    };
    let target = home.path("target").display().to_string();
    let shared = format!("would share the target folder {target}");
    let build = ["--build", "cargo build", "--run", "echo hash 5 ns"];
    refused(&build, &[("CARGO_TARGET_DIR", &target)], &shared);
    std::fs::create_dir(project.join(".cargo")).unwrap();
    let config = format!("[build]\ntarget-dir = \"{target}\"\n");
    std::fs::write(project.join(".cargo/config.toml"), &config).unwrap();
    git(&project, &["add", "."]);
    git(&project, &["commit", "--quiet", "-m", "a folder"]);
    commit(&project, "percent", "300");
    refused(&build, &[], &shared);
    let config = config.replace("target-dir", "build-dir");
    commit(&project, ".cargo/config.toml", &config);
    commit(&project, "percent", "400");
    refused(&build, &[], &shared);
    commit(&project, ".cargo/config.toml", "");
    commit(&project, "percent", "500");
    refused(&build, &[("CARGO_BUILD_BUILD_DIR", &target)], &shared);
    let installs = ["--build", "pip install .", "--run", "python bench.py"];
    refused(&installs, &[], "`pip install .` installs both builds into one place");
    let in_words = format!("cargo build --target-dir {target}");
    refused(&["--build", &in_words, "--run", "./x"], &[], "which the command names");
    let out = home.path("out").display().to_string();
    let (build, run) = (format!("cp percent {out}"), format!("echo hash $(cat {out}) ns"));
    let both = format!("both builds write {out}");
    refused(&["--build", &build, "--run", &run], &[], &both);
    // In other words, and where both builds are kept.
    let folder = home.path("bin").display().to_string();
    std::fs::create_dir(&folder).unwrap();
    let out = format!("{folder}/x");
    let both = format!("both builds write {out}");
    let script = "printf 'echo hash %s ns' $(cat percent)";
    let build = format!("{script} >{out}; chmod +x {out}");
    let variables = [("OUT", folder.as_str())];
    for run in [format!("cd {folder} && ./x"), format!("PATH={folder}:$PATH x"), "$OUT/x".into()] {
        for new in [&["--new-rev", "HEAD"][..], &["--new-rev", "HEAD"], &[]] {
            refused(&[&["--build", &build, "--run", &run], new].concat(), &variables, &both);
        }
    }
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    let build = format!("{script} >{folder}/y; mv {folder}/y {folder}/x; chmod +x {folder}/x");
    refused(&["--build", &build, "--run", "x"], &[("PATH", &path)], &both);
}

#[test]
fn an_installation_whose_place_is_not_known_is_noted() {
    let home = Home::empty();
    let project = repository(&home, "project");
    commit(&project, "Makefile", "install:\n\ttrue\n");
    let words = ["--base-rev", "HEAD", "--build", "make install", "--run", "echo hash 5 ns"];
    let said = gate(&home, &project, &words, &[]);
    let note = "BUILDS `make install` may install both builds into one place";
    assert!(said.out.replace("\n  ", " ").contains(note), "{}{}", said.out, said.err);
}

#[test]
fn one_revision_is_compared_with_itself_built_in_another_way() {
    let home = Home::empty();
    let project = repository(&home, "project");
    commit(&project, "a", "a");
    let words = ["--base-rev", "HEAD", "--new-rev", "HEAD", "--run", "cat out"];
    let builds = ["--base-build", "echo hash 100 ns >out", "--build", "echo hash 109 ns >out"];
    let said = gate(&home, &project, &[&words[..], &builds].concat(), &[]);
    assert_eq!(said.status, Some(1), "{}{}", said.out, said.err);
    assert!(said.out.starts_with("slower: 1 of 1 benchmark: hash +9.0 %"), "{}", said.out);
}

#[test]
fn a_command_that_names_the_working_tree_is_refused() {
    let home = Home::empty();
    let project = repository(&home, "project");
    for ns in ["100", "150"] {
        commit(&project, "times", &format!("hash {ns} ns\n"));
    }
    let top = project.display().to_string();
    for run in [format!("cat {top}/times"), format!("cd '{top}' && cat times")] {
        let said = gate(&home, &project, &["--base-rev", "HEAD~1", "--run", &run], &[]);
        assert_eq!(said.status, Some(3), "{}{}", said.out, said.err);
        let what = "names the working tree, so both builds would be that one";
        assert!(said.err.contains(what) && said.err.contains("help: "), "{}", said.err);
    }
    let link = home.path("link");
    std::os::unix::fs::symlink(&project, &link).unwrap();
    let variables = [("HOME", top.as_str()), ("HERE", &top)];
    for run in [&*format!("cat {}/times", link.display()), "cat ~/times", "cat ${HERE}/times"] {
        let said = gate(&home, &project, &["--base-rev", "HEAD~1", "--run", run], &variables);
        assert_eq!(said.status, Some(3), "{run}: {}{}", said.out, said.err);
        assert!(said.err.contains("names the working tree"), "{}", said.err);
    }
    let path = format!("{top}/src:/nowhere");
    let run = ["--base-rev", "HEAD~1", "--run", "cat times"];
    let said = gate(&home, &project, &run, &[("PYTHONPATH", &path)]);
    let note = "BUILDS PYTHONPATH leads into the working tree, so both builds may use its files";
    assert!(said.out.replace("\n  ", " ").contains(note), "{}", said.out);
    let said = gate(&home, &project, &run, &[("PYTHONPATH", "/nowhere")]);
    assert!(!said.out.contains("BUILDS"), "{}", said.out);
    // The build of the working tree alone, and neighbours with longer names.
    let other = format!("true {top}-other ./x{top}; cat times");
    let build = format!("true {top}");
    let words =
        ["--base-rev", "HEAD~1", "--base-build", "true", "--build", &build, "--run", &other];
    let said = gate(&home, &project, &words, &[]);
    assert_eq!(said.status, Some(1), "{}{}", said.out, said.err);
}

#[test]
fn a_kept_checkout_that_was_changed_since_is_made_again() {
    let home = Home::empty();
    let library = repository(&home, "library");
    commit(&library, "times", "hash 5 ns\n");
    let project = repository(&home, "project");
    let address = library.display().to_string();
    git(&project, &["submodule", "--quiet", "add", &address, "library"]);
    commit(&project, "ns", "100");
    // The first base is kept without its submodule.
    git(&project, &["submodule", "--quiet", "deinit", "--force", "library"]);
    std::fs::remove_dir_all(project.join(".git/modules")).unwrap();
    let run = "echo hash $(cat ns) ns; cat library/times 2>&- || echo none";
    let words = ["--base-rev", "HEAD", "--reads", "lines", "--run", run];
    let said = gate(&home, &project, &words, &[]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.contains("the submodule library is empty"), "{}", said.out);
    git(&project, &["submodule", "--quiet", "update", "--init"]);
    let said = gate(&home, &project, &words, &[]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    assert!(!said.out.contains("the submodule library is empty"), "{}", said.out);
    // The benchmark writes into a file that Git tracks, after it has read it.
    let run = "echo hash $(cat ns) ns; echo 60 >ns";
    let words = ["--base-rev", "HEAD", "--reads", "lines", "--run", run];
    gate(&home, &project, &words, &[]);
    git(&project, &["checkout", "--quiet", "ns"]);
    let words = ["--base-rev", "HEAD", "--run", "echo hash $(cat ns) ns"];
    let said = gate(&home, &project, &words, &[]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.starts_with("not slower: none of 1 benchmark"), "{}", said.out);
}

#[test]
fn a_program_that_prints_elsewhere_is_told_where_its_results_must_be() {
    let home = Home::empty();
    for run in ["echo hash 1 ns >&2", "true"] {
        let said = home.cupel(&["gate", "--base", run, "--new", run]);
        assert_eq!(said.status, Some(3), "{}{}", said.out, said.err);
        assert!(said.err.contains("printed nothing on its standard output"), "{}", said.err);
        assert!(said.err.contains("add 2>&1"), "{}", said.err);
        assert_eq!(said.err.contains("| hash 1 ns"), run != "true", "{}", said.err);
    }
}

#[test]
fn a_folder_that_a_revision_lacks_is_named() {
    let home = Home::empty();
    let folder = repository(&home, "young");
    commit(&folder, "bench.sh", "echo hash 5 ns");
    let below = folder.join("benches");
    std::fs::create_dir(&below).unwrap();
    let said = gate(&home, &below, &["--base-rev", "HEAD", "--run", "sh ../bench.sh"], &[]);
    assert_eq!(said.status, Some(3), "{}", said.out);
    for words in ["has no folder benches", "help: run the gate in a folder that both"] {
        assert!(said.err.contains(words), "no \"{words}\" in {}", said.err);
    }
}
