//! `cupel gate SUITE --keep` and `--kept`: an upgrade that makes a shared library slower is found,
//! and an unchanged library is not measured.

use crate::support::{Home, Said};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// A home whose native family loads a shared library that is installed in `lib`.
fn home() -> Home {
    let home = Home::empty();
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).canonicalize().unwrap();
    for name in ["crates", "kernels", "protocol", "runners", "vectors"] {
        symlink(root.join(name), home.path(name)).unwrap();
    }
    home.write("library.c", include_str!("../fixtures/kept/library.c"));
    home.write("contender.c", include_str!("../fixtures/kept/contender.c"));
    let lib = home.path("lib").display().to_string();
    let family = format!(
        "runner = \"native\"\nprefix = \"c\"\nsource = \"contender.c\"\n\
         libs = [\"-L{lib}\", \"-lhash\", \"-Wl,-rpath,{lib}\"]\n"
    );
    home.write("contenders/hash.toml", family);
    home.suite("[64]", "contenders = \"c/upgraded\"");
    upgrade(&home, "1.0", 1);
    home
}

/// Installs a version of the library that computes everything this many `times`.
fn upgrade(home: &Home, version: &str, times: u32) {
    let soname = "libhash.so.1";
    fs::create_dir_all(home.path("lib")).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-shared", "-fPIC", &format!("-Wl,-soname,{soname}")]);
    cc.arg(format!("-DVERSION=\"{version}\"")).arg(format!("-DTIMES={times}"));
    let fresh = home.path("lib/fresh");
    assert!(cc.arg(home.path("library.c")).arg("-o").arg(&fresh).status().unwrap().success());
    // As packages do it: a process that has loaded the old file keeps it.
    fs::rename(fresh, home.path("lib").join(soname)).unwrap();
    let _ = symlink(soname, home.path("lib/libhash.so"));
}

fn gate(home: &Home, more: &[&str]) -> Said {
    home.cupel(&[&["gate", "q"], more].concat())
}

#[test]
fn a_slower_upgrade_of_a_library_is_found_and_an_unchanged_one_is_not_measured() {
    let home = home();
    let said = gate(&home, &["--kept"]);
    assert_eq!(said.status, Some(3), "{said:?}");
    assert!(said.err.contains("no library of the contenders of q was kept"), "{}", said.err);

    // It would have no effect.
    let said = gate(&home, &["--keep", "--may-differ"]);
    assert_eq!(said.status, Some(3), "{said:?}");
    assert!(said.err.contains("cannot be used with"), "{}", said.err);

    let said = gate(&home, &["--keep"]);
    assert_eq!(said.status, Some(0), "{said:?}");
    assert!(said.out.starts_with("kept: hash (libhash.so.1); "), "{}", said.out);
    let said = gate(&home, &["--kept"]);
    assert_eq!(said.status, Some(0), "{said:?}");
    assert!(said.out.starts_with("no library has changed since it was kept: hash ("), "{said:?}");

    upgrade(&home, "1.1", 8);
    let measured = ["--kept", "--forks", "3", "--budget", "1s", "--format", "json"];
    let said = gate(&home, &measured);
    assert_eq!(said.status, Some(1), "{said:?}");
    let document: Value = serde_json::from_str(&said.out).unwrap();
    let version = |name: &str| {
        let cells = document["cells"].as_array().unwrap();
        cells.iter().find(|cell| cell["contender"] == name).unwrap()["version"].clone()
    };
    assert_eq!(
        (version("c/upgraded"), version("c/upgraded@against")),
        ("1.1".into(), "1.0".into())
    );
    assert_eq!(document["gate"]["refuted"], 1, "{document:#}");
}

/// A finding about a library says nothing about the file that takes its place, also if that has the
/// same version.
#[test]
#[ignore = "measures by the real clock: make test-all"]
fn a_library_that_is_mended_without_a_new_version_is_not_the_one_that_was_tested() {
    let home = home();
    let tested = |expected: &str| {
        let words = ["run", "q", "--forks", "2", "--budget", "least", "--format", "json"];
        let said = home.cupel(&words);
        assert!(said.out.starts_with('{'), "{said:?}");
        let document: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(document["cells"][0]["leaks"], expected, "{document:#}");
    };
    tested("not tested");
    let said = home.cupel(&["verify", "--leaks", "siphash-2-4", "64", "c/upgraded"]);
    assert_eq!(said.status, Some(0), "{said:?}");
    tested("none seen");
    upgrade(&home, "1.0", 2);
    tested("not tested");
}

#[test]
fn a_library_of_another_name_is_not_compared_with_itself() {
    let home = home();
    assert_eq!(gate(&home, &["--keep"]).status, Some(0));
    // The next version has another name, as after a change of its interface.
    fs::write(home.path("library.c"), include_str!("../fixtures/kept/library.c")).unwrap();
    let renamed = home.path("lib/libhash.so.2");
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-shared", "-fPIC", "-Wl,-soname,libhash.so.2"]);
    cc.args(["-DVERSION=\"2.0\"", "-DTIMES=8"]).arg(home.path("library.c")).arg("-o").arg(renamed);
    assert!(cc.status().unwrap().success());
    fs::remove_file(home.path("lib/libhash.so")).unwrap();
    symlink("libhash.so.2", home.path("lib/libhash.so")).unwrap();
    // Its object is linked again, as after an upgrade of the headers.
    fs::remove_dir_all(home.path("cache/objects")).unwrap();
    let said = gate(&home, &["--kept"]);
    assert_eq!(said.status, Some(3), "{said:?}");
    assert!(said.err.contains("hash loads libhash.so.2 now, which was not kept"), "{}", said.err);
}

#[test]
fn an_object_that_does_not_load_the_copies_is_refused() {
    let home = home();
    let path = home.path("contenders/hash.toml");
    let family = fs::read_to_string(&path).unwrap();
    // DT_RPATH instead of DT_RUNPATH.
    fs::write(&path, family.replace("\"-lhash\"", "\"-lhash\", \"-Wl,--disable-new-dtags\""))
        .unwrap();
    assert_eq!(gate(&home, &["--keep"]).status, Some(0));
    upgrade(&home, "1.1", 8);
    let said = gate(&home, &["--kept"]);
    assert_eq!(said.status, Some(3), "{said:?}");
    assert!(said.err.contains("whatever LD_LIBRARY_PATH says"), "{}", said.err);
}
