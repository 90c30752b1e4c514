//! The GitHub action and the GitLab component: their steps, as they are written, in a repository
//! with a pull request. Nothing is fetched.

use super::revisions::{commit, git, repository};
use super::{BENCH, home};
use crate::support::{CUPEL, Home};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn file(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).expect(name)
}

/// The inputs that `action.yml` declares, with their defaults.
fn defaults() -> BTreeMap<String, String> {
    let text = file("action.yml");
    let (_, inputs) = text.split_once("\ninputs:\n").unwrap();
    let (inputs, _) = inputs.split_once("\noutputs:\n").unwrap();
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut last = String::new();
    for line in inputs.lines() {
        if let Some(name) = line.strip_prefix("  ").and_then(|line| line.strip_suffix(':')) {
            last = name.to_string();
            found.insert(last.clone(), String::new());
        } else if let Some(value) = line.strip_prefix("    default: ") {
            found.insert(last.clone(), value.trim_matches('"').to_string());
        }
    }
    found
}

/// The step of `action.yml` that runs the gate: its variables, and its command.
struct Step {
    variables: BTreeMap<String, String>,
    run: String,
}

impl Step {
    fn read() -> Step {
        let text = file("action.yml");
        let (_, step) = text.split_once("- id: gate\n").expect("the step");
        let lines = step.lines().map(str::trim).filter_map(|line| line.split_once(": "));
        let mut variables: BTreeMap<String, String> =
            lines.map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let run = variables.remove("run").expect("a command");
        variables.retain(|name, _| name.starts_with("GATE_"));
        Step { variables, run }
    }
}

/// What the action did.
struct Done {
    status: Option<i32>,
    log: String,
    summary: String,
    outputs: String,
}

/// A pull request: a repository, and what is checked out.
struct Pull {
    home: Home,
    project: PathBuf,
    /// The base that the event names.
    base: String,
}

impl Pull {
    /// `main` has this benchmark, and the change another one. What is checked out is the merge that
    /// GitHub makes of them, after `main` has moved on.
    fn new(base: &str, change: &str) -> Pull {
        let home = home();
        let project = repository(&home, "project");
        commit(&project, "bench", BENCH);
        commit(&project, "arguments", "100 old");
        git(&project, &["checkout", "--quiet", "-b", "change"]);
        commit(&project, "other", "changed");
        if change != "100 old" {
            commit(&project, "arguments", change);
        }
        git(&project, &["checkout", "--quiet", "main"]);
        if base != "100 old" {
            commit(&project, "arguments", base);
        }
        commit(&project, "later", "main moved on");
        let base = git(&project, &["rev-parse", "HEAD"]);
        git(&project, &["checkout", "--quiet", "-b", "merge"]);
        let merge = ["merge", "--quiet", "--no-ff", "-X", "theirs", "-m", "merge", "change"];
        git(&project, &merge);
        Pull { home, project, base }
    }

    /// The step in a folder, as GitHub runs it.
    fn action(&self, folder: &Path, inputs: &[(&str, &str)], more: &[(&str, &str)]) -> Done {
        let head = git(folder, &["rev-parse", "HEAD"]);
        let Step { variables, run } = Step::read();
        let mut command = Command::new("sh");
        self.home.set_up(&mut command);
        let [summary, outputs] = ["summary", "outputs"].map(|name| self.home.path(name));
        for path in [&summary, &outputs] {
            std::fs::write(path, "").unwrap();
        }
        command
            .current_dir(folder)
            .args(["-e", "-c", &run])
            .env("CI", "true")
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_ACTION_PATH", root())
            .env("GITHUB_EVENT_NAME", "pull_request")
            .env("GITHUB_SHA", head)
            .env("GITHUB_STEP_SUMMARY", &summary)
            .env("GITHUB_OUTPUT", &outputs)
            .env("RUNNER_TEMP", self.home.path("temporary"))
            .env("COUNT", self.home.path("count"))
            .env("GATE_CUPEL", CUPEL);
        let mut given = defaults();
        given.insert("run".to_string(), "sh bench $(cat arguments)".to_string());
        for (name, value) in inputs {
            assert!(given.insert((*name).to_string(), (*value).to_string()).is_some(), "{name}");
        }
        for (name, value) in variables {
            let value = value.trim_start_matches("${{ ").trim_end_matches(" }}");
            let value = match value.strip_prefix("inputs.") {
                Some(input) => given.get(input).unwrap_or_else(|| panic!("no input {input}")),
                None => {
                    assert!(value.starts_with("github.event.pull_request.base.sha || "), "{value}");
                    &self.base
                }
            };
            command.env(name, value);
        }
        let done = command.envs(more.iter().copied()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        Done {
            status: done.status.code(),
            log: text(&done.stdout) + &text(&done.stderr),
            summary: read(&summary),
            outputs: read(&outputs),
        }
    }

    fn done(&self, inputs: &[(&str, &str)]) -> Done {
        self.action(&self.project, inputs, &[])
    }
}

impl Done {
    /// Ended so, with this verdict, and a summary that begins so.
    #[track_caller]
    fn is(&self, status: i32, verdict: &str, summary: &str) {
        let Done { log, outputs, .. } = self;
        assert_eq!(self.status, Some(status), "{log}");
        assert!(outputs.contains(&format!("verdict={verdict}\n")), "{outputs}{log}");
        assert!(self.summary.starts_with(summary), "{}{log}", self.summary);
    }
}

#[test]
fn a_change_that_is_not_slower_passes() {
    let done = Pull::new("100 old", "100 old").done(&[]);
    done.is(0, "well", "**not slower: none of 3 benchmarks by more than 2%**");
    assert!(done.log.contains("::notice title=cupel gate::not slower"), "{}", done.log);
    assert!(done.outputs.contains("answer=not slower: "), "{}", done.outputs);
}

#[test]
fn a_slower_change_fails_and_in_shadow_mode_only_says_so() {
    let pull = Pull::new("100 old", "110 old");
    let begin = "**slower: 1 of 3 benchmarks: hash/1024 +";
    let done = pull.done(&[]);
    done.is(1, "worse", begin);
    assert!(done.log.contains("::error title=slower::hash/1024"), "{}", done.log);
    let done = pull.done(&[("mode", "shadow")]);
    done.is(0, "worse", begin);
    assert!(!done.log.contains("::error "), "{}", done.log);
    assert!(done.log.starts_with("slower: 1 of 3 benchmarks: hash/1024 +"), "{}", done.log);
    assert!(done.log.contains("otherwise its status would be 1"), "{}", done.log);
}

#[test]
fn a_benchmark_that_vanished_is_not_green_and_is_named_first() {
    let pull = Pull::new("100 old", "100");
    let done = pull.done(&[]);
    done.is(1, "incomplete", "**incomplete: not compared in every execution: old; not slower");
    assert!(done.log.contains("NOT COMPARED old: only the base has it"), "{}", done.log);
    let done = pull.done(&[("may-differ", "true")]);
    done.is(0, "well", "**not slower: none of 2 benchmarks");
    assert!(done.summary.contains("**NOT COMPARED** old"), "{}", done.summary);
    let done = pull.done(&[("may-differ", "yes")]);
    done.is(3, "error", "**The gate did not run: may-differ is true or false, not yes.**");
}

/// `main` became slower after the change began: that is not the change's.
#[test]
fn a_change_is_compared_with_what_it_is_merged_into() {
    let pull = Pull::new("130 old", "100 old");
    git(&pull.project, &["checkout", "--quiet", "change"]);
    let done = pull.done(&[]);
    done.is(0, "well", "**not slower: none of 3 benchmarks by more than 2%**");
    let mut pull = Pull::new("130 old", "130 old");
    // The merge may be of a later `main` than the event.
    pull.base = git(&pull.project, &["rev-parse", "HEAD^2~2"]);
    let done = pull.done(&[]);
    done.is(0, "well", "**not slower: none of 3 benchmarks by more than 2%**");
    let done = pull.done(&[("base", "HEAD^2~2")]);
    done.is(1, "worse", "**slower: 1 of 3 benchmarks: hash/1024 +");
}

#[test]
fn a_base_that_is_not_in_the_clone_is_named_with_what_to_do() {
    let pull = Pull::new("100 old", "110 old");
    let clone = |depth: &str| {
        let address = format!("file://{}", pull.project.display());
        let name = format!("depth-{depth}");
        git(&pull.home.path(""), &["clone", "--quiet", "--depth", depth, &address, &name]);
        pull.home.path(&name)
    };
    let shallow = clone("1");
    let done = pull.action(&shallow, &[], &[]);
    done.is(3, "error", "**The gate did not run: the base revision ");
    assert!(
        done.log.contains("help: This clone is shallow. Give actions/checkout"),
        "{}",
        done.log
    );
    let done = pull.action(&shallow, &[("mode", "shadow")], &[]);
    done.is(0, "error", "**The gate did not run: the base revision ");
    assert!(done.log.contains("::warning title=cupel gate::the base revision"), "{}", done.log);
    // Its parents are enough.
    pull.action(&clone("2"), &[], &[]).is(1, "worse", "**slower: ");
    let done = pull.done(&[("base", "nowhere")]);
    done.is(
        3,
        "error",
        "**The gate did not run: the base revision nowhere is not in this clone.**",
    );
    assert!(done.log.contains("help: Fetch it before the gate"), "{}", done.log);
}

#[test]
fn what_would_compare_nothing_is_refused() {
    let pull = Pull::new("100 old", "100 old");
    let done = pull.done(&[("base", "HEAD")]);
    done.is(3, "error", "**The gate did not run: the base is the commit that is checked out");
    let done = pull.done(&[("run", "")]);
    done.is(3, "error", "**The gate did not run: there is no command");
    let done = pull.done(&[("mode", "quiet")]);
    done.is(3, "error", "**The gate did not run: there is no mode quiet");
    let done = pull.done(&[("budget", "1x")]);
    done.is(3, "error", "**The gate did not run: `cupel gate` ended with status ");
    assert!(done.log.contains("\nerror: ") || done.log.starts_with("error: "), "{}", done.log);
    // The working tree is another build.
    std::fs::write(pull.project.join("arguments"), "110 old").unwrap();
    pull.done(&[("base", "HEAD")]).is(1, "worse", "**slower: ");
}

/// How each answer ends: on GitHub, and elsewhere.
#[test]
fn only_what_is_undecided_passes_without_being_well() {
    let pull = Pull::new("100 old", "100 old");
    let script = "#!/bin/sh\necho \"::notice title=cupel gate::$ANSWER\"\n\
                  case $1 in gate) exit \"$STATUS\" ;; esac\n";
    pull.home.write("stub", script);
    let stub = pull.home.path("stub");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&stub, mode).unwrap();
    let stub = stub.display().to_string();
    for (status, answer, verdict, on_github, elsewhere) in [
        ("0", "not slower: none of 1 benchmark", "well", 0, 0),
        ("1", "slower: 1 of 1 benchmark: hash +9 %25", "worse", 1, 1),
        ("2", "undecided: 1 of 1 benchmark: hash +1 %25", "undecided", 0, 2),
        ("2", "undecided: no benchmark was compared", "incomplete", 1, 1),
        ("2", "undecided: 1 of 2; not compared in every execution: x", "incomplete", 1, 1),
        ("2", "incomplete: not compared in every execution: x", "incomplete", 1, 1),
        ("2", "undecided: 1 of 2; some times were not read", "incomplete", 1, 1),
        ("2", "fails: the new build in 3 %25; not slower", "failing", 1, 1),
        ("3", "", "error", 3, 3),
        ("101", "", "error", 3, 3),
    ] {
        for (github, wanted) in [("true", on_github), ("", elsewhere)] {
            let more = [
                ("GATE_CUPEL", &*stub),
                ("STATUS", status),
                ("ANSWER", answer),
                ("GITHUB_ACTIONS", github),
            ];
            let done = pull.action(&pull.project, &[], &more);
            done.is(wanted, verdict, "");
            let answer = format!("answer={}", answer.replace("%25", "%"));
            assert!(done.outputs.contains(&answer), "{}", done.outputs);
        }
    }
}

#[test]
fn cupel_is_installed_from_a_wheel() {
    let home = Home::empty();
    std::fs::create_dir_all(home.path("tree/bin")).unwrap();
    home.write("tree/bin/cupel", "#!/bin/sh\necho installed \"$@\"\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(home.path("tree/bin/cupel"), mode).unwrap();
    let mut wheel = Command::new(root().join("scripts/wheel"));
    wheel.arg(home.path("tree")).args(["0.1.0", "any"]).arg(home.path(""));
    assert!(wheel.status().unwrap().success());
    let script = root().join("scripts/gate-action");
    let install = |wheel: &str| {
        let mut install = Command::new(&script);
        install.arg("install").env("HOME", home.path("")).env("PIP_NO_INDEX", "1");
        let done = install.env("GATE_WHEEL", home.path(wheel)).output().unwrap();
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    let (status, err) = install("cupel-0.1.0-py3-none-any.whl");
    assert_eq!(status, Some(0), "{err}");
    let program = home.path(".cache/cupel-gate/wheel/bin/cupel");
    let said = Command::new(program).arg("gate").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout), "installed gate\n");
    let (status, err) = install("nothing.whl");
    assert_eq!(status, Some(3), "{err}");
    assert!(err.contains("error: the wheel of Cupel was not installed\nhelp: "), "{err}");
}

/// In its own folder, without the flags of the benchmarks, and again only if the sources changed.
#[test]
fn cupel_is_built_once_from_the_sources_of_the_action() {
    let home = Home::empty();
    for folder in ["source/scripts", "source/crates", "bin", "project"] {
        std::fs::create_dir_all(home.path(folder)).unwrap();
    }
    std::fs::copy(root().join("scripts/gate-action"), home.path("source/scripts/gate-action"))
        .unwrap();
    for file in ["Cargo.toml", "Cargo.lock", "crates/a.rs"] {
        home.write(&format!("source/{file}"), "1");
    }
    let built = home.path("built");
    let cargo = format!(
        "#!/bin/sh\necho \"$(basename \"$PWD\") ${{RUSTFLAGS-}}\" >>{}\nmkdir -p target/release\n\
         printf '#!/bin/sh\\n' >target/release/cupel\nchmod +x target/release/cupel\n",
        built.display()
    );
    home.write("bin/cargo", cargo);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(home.path("bin/cargo"), mode).unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", home.path("bin").display());
    let install = || {
        let mut install = Command::new(home.path("source/scripts/gate-action"));
        install.arg("install").current_dir(home.path("project")).env("PATH", &path);
        install.env("HOME", home.path("")).env("RUSTFLAGS", "-C opt-level=0");
        let done = install.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        std::fs::read_to_string(&built).unwrap()
    };
    assert_eq!(install(), "source \n");
    assert_eq!(install(), "source \n", "it is kept");
    home.write("source/crates/a.rs", "2");
    assert_eq!(install(), "source \nsource \n");
}

/// The variables of the script are its interface: each has its input on GitHub and on GitLab.
#[test]
fn the_action_and_the_component_give_the_script_the_same_variables() {
    let script = file("scripts/gate-action");
    let read: Vec<&str> = script.split("${GATE_").skip(1).collect();
    let names = read.iter().map(|text| text.split([':', '}']).next().unwrap());
    let names: std::collections::BTreeSet<&str> = names.collect();
    assert!(names.len() > 10, "{names:?}");
    let (action, component) = (file("action.yml"), file("templates/gate.yml"));
    for name in names {
        let line = format!(" GATE_{name}:");
        // The inputs of a test, or one service alone.
        let only = match name {
            "CUPEL" => continue,
            "EVENT_BASE" => [true, false],
            "OUT" | "CACHE" => [false, true],
            _ => [true, true],
        };
        assert_eq!([&action, &component].map(|text| text.contains(&line)), only, "{name}");
    }
    for input in defaults().keys().filter(|input| *input != "folder") {
        assert!(component.contains(&format!("\n    {input}:\n")), "{input}");
        assert!(component.contains(&format!("$[[ inputs.{input} ]]")), "{input}");
    }
}
