//! Compiler matrices end to end, with the real native runner and this system's C compiler behind
//! scripts: the builds, the kept ones, and the failure of a compiler.

use crate::support::{Cells, Home};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// A home that shares the kernels and the runner with this checkout. Its only family is Cupel's
/// portable code with one flag.
fn home() -> Home {
    let home = Home::empty();
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).canonicalize().unwrap();
    for name in ["crates", "kernels", "protocol", "runners", "vectors"] {
        symlink(root.join(name), home.path(name)).unwrap();
    }
    let shipped = std::fs::read_to_string(root.join("contenders/matrix-portable.toml")).unwrap();
    let (before, after) = shipped.split_once("compilers = [").unwrap();
    let (_, after) = after.split_once("native = true").unwrap();
    let family = format!("{before}compilers = [\"gcc-3\"]\nflags = [\"-O1\"]{after}");
    home.write("contenders/portable.toml", family);
    home.write(
        "suites/q.toml",
        "question = \"Which?\"\nforks = 2\nbudget = \"200ms\"\n[[workload]]\nprimitive = \"sha256\"\n\
         sizes = [64]\ncontenders = [\"c/cupel-portable@*-O1\"]\nbaseline = [\"c/*@*\"]\n",
    );
    home
}

/// A compiler with this name that claims to be the system's, and compiles with this line of a shell
/// script.
fn compiler(home: &Home, name: &str, compile: &str) -> PathBuf {
    let path = home.path(name);
    let text =
        format!("#!/bin/sh\ncase \"$*\" in *-dM*|*--version*) exec cc \"$@\" ;; esac\n{compile}\n");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Runs the suite with these compilers in addition to this system's.
fn run(home: &Home, compilers: &[&Path]) -> (Option<i32>, Cells) {
    let mut arguments: Vec<&str> = Vec::new();
    for compiler in compilers {
        arguments.extend(["--compiler", compiler.to_str().unwrap()]);
    }
    let (status, cells, _) = home.run(&arguments);
    (status, cells)
}

/// The one row of a compiler.
fn row<'a>(cells: &'a Cells, compiler: &str) -> (&'a str, &'a str) {
    let of = |row: &&serde_json::Value| {
        let name = row["contender"].as_str().unwrap();
        name.split_once('@').unwrap().1.contains(compiler)
    };
    let found: Vec<_> = cells.0.iter().filter(of).collect();
    assert_eq!(found.len(), 1, "{compiler} in {:#?}", cells.0);
    let text = |key: &str| found[0][key].as_str().unwrap_or_default();
    (text("verdict"), text("reason"))
}

#[test]
fn a_matrix_is_listed_only_where_it_is_named() {
    let home = home();
    assert!(!home.cupel(&["list"]).out.contains('@'));
    assert!(!home.cupel(&["list", "c/*"]).out.contains('@'));
    let named = home.cupel(&["list", "c/*@*"]).out;
    assert!(named.contains("c/cupel-portable@gcc-3-O1"), "{named}");
    home.write(
        "suites/all.toml",
        "question = \"?\"\n[[workload]]\nprimitive = \"sha256\"\nsizes = [1]\n",
    );
    let all = home.cupel(&["run", "all", "--dry-run"]);
    assert!(all.err.contains("no contender is called"), "{} {}", all.out, all.err);
}

#[test]
fn what_a_compiler_does_wrong_is_a_row_with_its_reason() {
    let home = home();
    let crashes = compiler(&home, "crashes", "kill -SEGV $$");
    let complains = compiler(&home, "complains", "exec cc -include no_such_header.h \"$@\"");
    let silent = compiler(&home, "silent", "exit 0");
    // One constant of SHA-256 is another.
    let miscompiles = compiler(
        &home,
        "miscompiles",
        "for word; do\nshift\ncase $word in */sha256_constants.c)\n\
         sed s/0x428a2f98/0x428a2f99/ \"$word\" >\"$0.$$.c\"; word=\"$0.$$.c\" ;; esac\n\
         set -- \"$@\" \"$word\"\ndone\nexec cc \"$@\"",
    );
    let nothing = home.path("nothing");
    std::fs::write(&nothing, "#!/bin/sh\necho hello\n").unwrap();
    std::fs::set_permissions(&nothing, std::fs::Permissions::from_mode(0o755)).unwrap();
    let absent = home.path("absent");
    let (status, cells) =
        run(&home, &[&crashes, &complains, &silent, &miscompiles, &nothing, &absent]);
    assert_eq!(status, Some(1), "a contender failed");

    let (verdict, reason) = row(&cells, "crashes-O1");
    assert_eq!(verdict, "failed");
    assert!(reason.contains("cupel.c: the compiler printed no message (signal: 11"), "{reason}");
    let (verdict, reason) = row(&cells, "complains-O1");
    assert_eq!(verdict, "failed");
    assert!(reason.contains("no_such_header.h: No such file"), "{reason}");
    let (verdict, reason) = row(&cells, "silent-O1");
    assert_eq!(verdict, "failed");
    assert!(reason.contains("wrote no object"), "{reason}");
    let (verdict, reason) = row(&cells, "miscompiles-O1");
    assert_eq!(verdict, "failed");
    assert!(reason.starts_with("answers wrongly: "), "{reason}");
    let (verdict, reason) = row(&cells, "nothing-O1");
    assert_eq!(verdict, "missing");
    assert!(reason.contains("nothing is not a C compiler"), "{reason}");
    assert_eq!(row(&cells, "absent-O1").0, "missing");
    let (verdict, reason) = row(&cells, "gcc-3-O1");
    assert_eq!(verdict, "missing");
    assert!(reason.contains("gcc-3 is not installed; "), "{reason}");
    let right = cells.0.iter().filter(|row| row["verdict"] == "baseline").count();
    assert_eq!(right, 1, "the system's own compiler does it right: {:#?}", cells.0);
}

#[test]
fn what_is_built_is_kept_until_something_of_it_changes() {
    let home = home();
    let log = home.path("called");
    let line = format!("echo called >>{}\nexec cc \"$@\"", log.display());
    let own = compiler(&home, "own", &line);
    let calls = || std::fs::read_to_string(&log).unwrap_or_default().lines().count();
    let list = |wanted: &str| {
        let pattern = ["list", "c/*@*own*", "--compiler", own.to_str().unwrap()];
        let out = home.cupel(&pattern).out;
        assert!(out.contains(wanted), "no \"{wanted}\" in {out}");
    };
    list("not built");
    assert_eq!(calls(), 0, "listing builds nothing");
    let verify = || {
        let said = home.cupel(&["verify", "c/*@*own-O1", "--compiler", own.to_str().unwrap()]);
        assert!(said.out.contains("correct"), "{} {}", said.out, said.err);
    };
    verify();
    let first = calls();
    assert!(first > 5, "one call a file: {first}");
    list("Cupel 0");
    verify();
    assert_eq!(calls(), first, "nothing has changed");
    // As far as can be determined, another compiler.
    compiler(&home, "own", &format!("{line} # updated"));
    list("not built");
    verify();
    assert_eq!(calls(), 2 * first);
    let family = home.path("contenders/portable.toml");
    let text = std::fs::read_to_string(&family).unwrap();
    std::fs::write(&family, text.replace("-DCUPEL_PORTABLE_ONLY", "-DCUPEL_PORTABLE_ONLY=2"))
        .unwrap();
    list("not built");
}

#[test]
#[ignore = "measures eight layouts on the real clock: make test-all"]
fn every_fork_runs_another_layout_and_the_table_is_a_map() {
    let home = home();
    let only = ["--contender", "c/*@gcc-*"];
    let said = home.cupel(&[&["run", "q", "--forks", "8"], &only[..]].concat());
    assert!(
        said.out.lines().any(|l| l.split_whitespace().eq(["c/cupel-portable", "-O1"])),
        "{}",
        said.out
    );
    assert!(said.out.contains("each build in 8 layouts, one for each fork"), "{}", said.out);
    assert!(said.out.lines().all(|line| line.chars().count() <= 80), "{}", said.out);
    assert!(!said.out.contains('\u{1b}'), "colour is for terminals");
    let plan: String = home
        .database()
        .query_row("select plan from run", [], |row| row.get(0))
        .expect("the plan of the run");
    let plan: serde_json::Value = serde_json::from_str(&plan).unwrap();
    let built = plan["contenders"].as_array().unwrap().iter().find(|c| c["layouts"].is_array());
    let layouts: Vec<PathBuf> = built.unwrap()["layouts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|path| path.as_str().unwrap().into())
        .collect();
    assert_eq!(layouts.len(), 8);
    let mut objects: Vec<Vec<u8>> = layouts.iter().map(|p| std::fs::read(p).unwrap()).collect();
    objects.sort();
    objects.dedup();
    assert_eq!(objects.len(), 8, "no two layouts are one");
    let few = home.cupel(&[&["run", "q"], &only[..]].concat());
    let few = few.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(few.contains("only 2 of the 8 layouts of each build were run"), "{few}");
    assert!(few.contains("fewer forks than layouts, so no verdicts"), "{few}");
}

#[test]
fn a_compiler_that_cannot_be_brought_is_refused_with_those_that_can() {
    let home = home();
    for (words, wanted) in [
        (&["install", "gcc-3"][..], "gcc-9, gcc-11"),
        (&["install", "--remove", "gcc", "9"], "gcc-9"),
        (&["install", "jdk"], "which JDK?"),
        (&["install", "zig", "9"], "`cupel install zig`"),
        (&["install", "--remove", "zig"], "zig-"),
    ] {
        let said = home.cupel(words);
        if words[1] == "--remove" {
            assert!(
                said.out.contains("not installed") && said.out.contains(wanted),
                "{}",
                said.out
            );
        } else {
            assert_eq!(said.status, Some(3));
            assert!(said.err.contains(wanted), "{}", said.err);
        }
    }
    let list = home.cupel(&["list", "toolchains", "--compiler", "/bin/false"]).out;
    assert!(list.contains("/bin/false is not a C compiler"), "{list}");
}
