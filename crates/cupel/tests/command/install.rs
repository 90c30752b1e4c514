//! `cupel install` of releases, with a Cargo that downloads and builds nothing: the runner is the
//! sham.

use crate::support::{Home, Said, WATCHDOG, sham};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

/// As `libraries.toml` has them.
const SUMS: [(&str, &str); 2] = [
    ("0.17.13", "70ac5d832aa16abd7d1def883a8545280c20a60f523a370aa3a9617c2b8550ee"),
    ("0.17.14", "a4689e6c2294d81e88dc6261c768b63bc4fcdb852be6d1352498b114f61383b7"),
];

/// Makes the sources of Mbed TLS, in which building is making an empty archive.
const VENDOR: &str = "crate=vendor/mbedtls-sys-auto; \
    mkdir -p $crate/vendor/library $crate/vendor/include/mbedtls; \
    sum=${FAKE_SUM-c0fb14d3558a9c3ab8dbaac623ff1278f9ab66b5e2ec89bfa4f78f9d58d2cb13}; \
    printf '{\"package\": \"%s\"}' $sum > $crate/.cargo-checksum.json; \
    touch $crate/vendor/include/mbedtls/config.h $crate/vendor/LICENSE; \
    printf 'libmbedcrypto.a:\\n\\ttouch $@\\n' > $crate/vendor/library/Makefile";

/// A home with a Rust runner of a library and of another runner that needs another version of it.
/// `build` has Cargo's commands.
fn home(build: &str) -> Home {
    let home = Home::empty();
    let sums = SUMS.map(|(version, sum)| format!("{version}) sum={sum};;\n")).concat();
    let cargo = format!(
        "#!/bin/sh\n\
         echo \"$@\" >> {log}\n\
         verb=$1\n\
         while [ $# -gt 0 ]; do\n\
           case $1 in --manifest-path) manifest=$2;; --target-dir) target=$2;; esac\n\
           shift\n\
         done\n\
         here=${{manifest%/Cargo.toml}}\n\
         version=$(sed -n 's/^version = \"=\\(.*\\)\"/\\1/p' $here/main/Cargo.toml)\n\
         case $version in\n{sums}esac\n\
         case $verb in\n\
         vendor) {VENDOR};;\n\
         update) printf '[[package]]\\nname = \"ring\"\\nversion = \"%s\"\\nchecksum = \"%s\"\\n' \
           $version ${{FAKE_SUM-$sum}} > $here/Cargo.lock; cp $manifest {manifest};;\n\
         build) {build};;\n\
         esac\n",
        log = home.path("asked-of-cargo").display(),
        manifest = home.path("workspace").display(),
    );
    for folder in ["bin", "crates/core/protocol", "runner/main/src", "runner/asm/src"] {
        std::fs::create_dir_all(home.path(folder)).unwrap();
    }
    home.write("bin/cargo", cargo);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(home.path("bin/cargo"), executable).unwrap();
    home.write(
        "runner/Cargo.toml",
        "[workspace]\nmembers = [\"main\", \"asm\"]\n[workspace.dependencies]\n\
         cupel-protocol = { path = \"../crates/core/protocol\" }\n",
    );
    home.write("runner/Cargo.lock", "");
    for name in ["main", "asm"] {
        let manifest = format!(
            "[package]\nname = \"runner-{name}\"\n[dependencies.ring]\nversion = \"0.17.14\"\n"
        );
        home.write(&format!("runner/{name}/Cargo.toml"), manifest);
        home.write(&format!("runner/{name}/src/main.rs"), "");
    }
    home.write(
        "contenders/rust.toml",
        "runner = \"rust\"\nprefix = \"rust\"\nmanifest = \"runner/Cargo.toml\"\n\
         package = \"runner-main\"\n[[contender]]\nname = \"ring\"\noffers = [\"siphash-2-4:mac\"]\n\
         [[contender]]\nname = \"sha3\"\noffers = [\"siphash-2-4:mac\"]\n",
    );
    home
}

/// Builds a runner with one contender.
fn sham_as_runner(home: &Home) -> String {
    let script = json!({ "world": { "noise_sd": 0.003 }, "contenders": [
        { "name": "ring", "primitives": ["siphash-2-4"], "fixed_ns": 1000, "per_byte_ns": 0 },
    ] });
    home.write("ring.json", script.to_string());
    format!(
        "mkdir -p $target/release; printf '#!/bin/sh\\nexec {} --script {} --clock {}\\n' \
         > $target/release/runner-main; chmod +x $target/release/runner-main",
        sham().display(),
        home.path("ring.json").display(),
        home.path("clock").display()
    )
}

fn said(home: &Home, words: &[&str], sum: Option<&str>) -> Said {
    let mut command = assert_cmd::Command::from_std(home.command());
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", home.path("bin").display()));
    command.envs(sum.map(|sum| ("FAKE_SUM", sum)));
    Said::from(command.args(words).timeout(WATCHDOG).output().expect("cupel starts"))
}

/// The content of the cache besides the lock.
fn installed(home: &Home) -> Vec<String> {
    let entries = std::fs::read_dir(home.path("cache/toolchains")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.retain(|name| name != "adding");
    let left = std::fs::read_dir(home.path("cache/toolchains/adding")).unwrap().flatten();
    names.extend(left.map(|entry| entry.file_name().into_string().unwrap()));
    names.sort();
    names
}

#[test]
fn releases_of_a_crate_are_installed_measured_built_again_and_removed() {
    let home = home("");
    let build = sham_as_runner(&home);
    let cargo = std::fs::read_to_string(home.path("bin/cargo")).unwrap();
    home.write("bin/cargo", cargo.replace("build) ;;", &format!("build) {build};;")));
    for (version, _) in SUMS {
        let said = said(&home, &["install", "ring", version], None);
        assert_eq!(said.status, Some(0), "{}", said.err);
        assert!(said.out.starts_with("installed: ") && said.out.ends_with(" (1 MB)\n"), "{said:?}");
    }
    let cargo = || std::fs::read_to_string(home.path("asked-of-cargo")).unwrap();
    let built = || cargo().lines().filter(|line| line.starts_with("build")).count();
    assert_eq!(built(), 2);
    assert!(cargo().contains("--locked --no-default-features") && cargo().contains(" ring "));
    // The other runner is not in it, and files outside are not copied.
    let workspace: toml::Table =
        std::fs::read_to_string(home.path("workspace")).unwrap().parse().unwrap();
    assert_eq!(workspace["workspace"]["members"].to_string(), "[\"main\"]");
    let protocol = home.path("crates/core/protocol").canonicalize().unwrap();
    let path = workspace["workspace"]["dependencies"]["cupel-protocol"]["path"].as_str();
    assert_eq!(path, protocol.to_str());

    let asked = ["ask", "siphash-2-4", "64", "--history", "ring", "--budget", "2s"];
    let history = said(&home, &[&asked[..], &["--format", "json"]].concat(), None);
    let document: Value = serde_json::from_str(&history.out).expect(&history.err);
    let releases = document["history"][0]["releases"].as_array().unwrap();
    let names: Vec<&str> = releases.iter().filter_map(|one| one["contender"].as_str()).collect();
    assert_eq!(names, ["rust/ring@0.17.13", "rust/ring@0.17.14"]);

    let before = built();
    home.write("runner/main/src/main.rs", "// changed");
    said(&home, &[&asked[..], &["--dry-run"]].concat(), None);
    assert_eq!(built(), before, "a plan builds nothing");
    said(&home, &["verify", "rust/ring@0.17.14"], None);
    let release = home.path("cache/toolchains/ring/0.17.14");
    assert_eq!(std::fs::read_dir(&release).unwrap().count(), 1, "the older build is deleted");
    assert!(built() > before);

    let removed = said(&home, &["install", "--remove", "ring", "0.17.14"], None);
    assert!(removed.out.starts_with("removed: ") && !release.exists(), "{removed:?}");
}

#[test]
fn a_release_that_does_not_compile_or_is_another_one_leaves_nothing_behind() {
    let failing = home("echo 'warning: x' >&2; echo 'error[E0599]: no method' >&2; exit 101");
    let failed = said(&failing, &["install", "ring", "0.17.14"], None);
    assert_eq!(failed.status, Some(3));
    assert!(
        failed.err.contains("building ring 0.17.14: cargo: error[E0599]: no method"),
        "{failed:?}"
    );
    assert_eq!(installed(&failing), ["lock"]);
    let other = said(&failing, &["install", "ring", "0.17.14"], Some("00"));
    assert!(other.err.contains("has the SHA-256 00, not the recorded a4689e6c"), "{other:?}");
    assert_eq!(installed(&failing), ["lock"]);
    let unknown = said(&failing, &["install", "ring", "0.1"], None);
    assert!(
        unknown.err.contains("ring 0.1 cannot be installed this way, but 0.16.20, "),
        "{unknown:?}"
    );
}

#[test]
fn a_release_of_sources_has_headers_archive_licence_and_the_compilers_that_built_it() {
    let home = home("");
    home.write(
        "contenders/mbedtls.toml",
        "runner = \"native\"\nprefix = \"c\"\nsource = \"x.c\"\n[[contender]]\nname = \"mbedtls\"\n\
         offers = [\"sha256:digest\"]\n",
    );
    let rejected = said(&home, &["install", "mbedtls", "2.12.0"], Some("00"));
    assert!(rejected.err.contains("has the SHA-256 00, not the recorded "), "{rejected:?}");
    assert_eq!(installed(&home), ["lock"]);
    let done = said(&home, &["install", "mbedtls", "2.12.0"], None);
    assert!(done.out.starts_with("installed: "), "{done:?}");
    let release = home.path("cache/toolchains/mbedtls/2.12.0");
    for file in ["include/mbedtls/config.h", "lib/library.a", "LICENSE", "built-by"] {
        assert!(release.join(file).is_file(), "{file}");
    }
    std::fs::write(release.join("built-by"), "other 1.0\n").unwrap();
    let listed = said(&home, &["list", "c/mbedtls@*", "--format", "json"], None);
    assert!(listed.out.contains("Mbed TLS 2.12.0 was built by other 1.0"), "{listed:?}");
}

/// The version that the usual runner has, so its crates are here.
#[test]
#[ignore = "builds a Rust runner: make test-all"]
fn a_release_of_a_crate_is_built_and_answers_correctly() {
    let home = Home::empty();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let said = |words: &[&str]| {
        let mut command = assert_cmd::Command::from_std(home.command());
        command.env("CUPEL_HOME", root).args(words).timeout(WATCHDOG);
        Said::from(command.output().expect("cupel starts"))
    };
    let installed = said(&["install", "siphasher", "1.0.4"]);
    assert_eq!(installed.status, Some(0), "{installed:?}");
    let verified = said(&["verify", "rust/siphasher@1.0.4"]);
    assert_eq!(verified.status, Some(0), "{verified:?}");
    assert!(verified.out.contains("rust/siphasher@1.0.4"), "{verified:?}");
}
