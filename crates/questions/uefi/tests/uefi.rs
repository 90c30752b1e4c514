//! The UEFI image, built and booted under QEMU. Not part of an ordinary `cargo test`, because it
//! needs clang, lld, QEMU and its firmware, and some seconds for each boot: `make test-uefi`.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

const CUPEL: &str = env!("CARGO_BIN_EXE_cupel");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The command with its own store and cache.
fn cupel(root: &Path, own: &Path, arguments: &[&str]) -> Output {
    Command::new(CUPEL)
        .args(arguments)
        .env("CUPEL_HOME", root)
        .env("CUPEL_CACHE", own.join("cache"))
        .env("CUPEL_STORE", own.join("runs.sqlite"))
        .output()
        .expect("cupel starts")
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {}", words(output)))
}

/// The median count of a cell.
fn median(boot: &Value, primitive: &str, contender: &str, size: u64) -> f64 {
    let cells = boot["cells"].as_array().expect("cells");
    let cell = cells.iter().find(|cell| {
        cell["primitive"] == primitive && cell["contender"] == contender && cell["size"] == size
    });
    cell.and_then(|cell| cell["median"].as_f64())
        .unwrap_or_else(|| panic!("no {primitive} of {contender} at {size} in {boot:#}"))
}

/// Each implementation was held against every record of the official files of its primitive, and
/// those that any x86-64 of this emulator runs are there.
fn every_vector_was_checked(boot: &Value) {
    let verified = boot["verified"].as_array().expect("what was verified");
    for (primitive, vectors, always) in [
        ("sha1", 97, &["cupel-portable", "cupel-ssse3", "cupel-avx2"][..]),
        ("sha256", 129, &["cupel-portable", "cupel-ssse3", "cupel-avx2"]),
        ("siphash-2-4", 64, &["cupel-portable"]),
    ] {
        let of: Vec<&Value> = verified.iter().filter(|one| one["primitive"] == primitive).collect();
        for name in always {
            assert!(of.iter().any(|one| one["implementation"] == *name), "{name}: {verified:#?}");
        }
        for one in of {
            assert_eq!(one["vectors"], vectors, "every record of every file: {one:#}");
        }
    }
}

#[test]
#[ignore = "make test-uefi"]
fn counts_repeat_from_boot_to_boot_and_avx2_runs() {
    let own = tempfile::tempdir().unwrap();
    let volume = own.path().join("volume: with, marks");
    let root = Path::new(ROOT);
    let kept = ["kernels", "boot", volume.to_str().unwrap(), "--format", "json"];
    let boots = [&kept[..], &["kernels", "boot", "--format", "json"]]
        .map(|arguments| cupel(root, own.path(), arguments));
    let boots = boots.map(|output| {
        assert_eq!(output.status.code(), Some(0), "{}", words(&output));
        document(&output)
    });
    for boot in &boots {
        assert_eq!(boot["failed"], serde_json::json!([]));
        assert_eq!(boot["machine"]["counter"], "instructions");
        assert_eq!(boot["machine"]["hypervisor"], "TCGTCGTCGTCG");
        assert_eq!(boot["machine"]["avx"], "switched on by this program");
        let features = boot["machine"]["features"].as_array().unwrap();
        assert!(features.iter().any(|feature| feature == "avx2"), "{features:?}");
        every_vector_was_checked(boot);
    }
    let mut compared = 0;
    for primitive in ["sha1", "sha256"] {
        for code in ["portable", "ssse3", "avx2"] {
            for size in [64, 1024, 8192] {
                let name = format!("uefi/cupel-{code}");
                let [a, b] = [0, 1].map(|boot| median(&boots[boot], primitive, &name, size));
                assert!((a / b - 1.0).abs() < 1e-3, "{name} {primitive} at {size}: {a} and {b}");
                compared += 1;
            }
        }
        // The code has its claimed identity: each has fewer instructions than the last.
        let at = |code: &str| median(&boots[0], primitive, &format!("uefi/cupel-{code}"), 8192);
        assert!(at("portable") > 1.1 * at("ssse3") && at("ssse3") > 1.1 * at("avx2"));
    }
    assert_eq!(compared, 18);
    assert!(median(&boots[0], "siphash-2-4", "uefi/cupel-portable", 1024) > 1.0);

    // The volume has the same records, and nothing that was put there only for the run.
    let file = volume.join("cupel/results.jsonl");
    let said = words(&cupel(root, own.path(), &["import", file.to_str().unwrap()]));
    assert!(said.contains("0 boots added, 1 was already here"), "{said}");
    assert!(!volume.join("cupel/options.txt").exists());
    assert!(volume.join("README.txt").is_file());
}

#[test]
#[ignore = "make test-uefi"]
fn a_hang_ends_by_its_time_limit_with_a_reason() {
    let own = tempfile::tempdir().unwrap();
    let limit = ["--inject", "hang", "--patience", "40s"];
    let output = cupel(Path::new(ROOT), own.path(), &[&["kernels", "boot"], &limit[..]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", words(&output));
    let said = words(&output);
    assert!(said.contains("the program began and did not end within 40 s"), "{said}");
    assert!(!own.path().join("runs.sqlite").exists(), "nothing is kept of it");
}

#[test]
#[ignore = "make test-uefi"]
fn a_clock_that_counts_time_is_not_taken_for_instructions() {
    let own = tempfile::tempdir().unwrap();
    let arguments = ["kernels", "boot", "--inject", "mislabelled", "--format", "json"];
    let boot = document(&cupel(Path::new(ROOT), own.path(), &arguments));
    assert_eq!(boot["machine"]["counter"], "none");
    assert!(boot["machine"]["why"].as_str().unwrap().contains("another number of ticks"));
    assert_eq!(boot["cells"], serde_json::json!([]));
    assert!(!boot["verified"].as_array().unwrap().is_empty());
}

#[test]
#[ignore = "make test-uefi"]
#[cfg(unix)]
fn a_kernel_that_answers_wrongly_is_failed_and_not_counted() {
    let own = tempfile::tempdir().unwrap();
    let root = own.path().join("root");
    std::fs::create_dir_all(root.join("suites")).unwrap();
    for folder in ["contenders", "runners", "vectors"] {
        let whole = Path::new(ROOT).canonicalize().unwrap().join(folder);
        std::os::unix::fs::symlink(whole, root.join(folder)).unwrap();
    }
    for part in ["include", "src/common", "src/cpu", "src/sha1", "src/sha256", "src/siphash"] {
        let to = root.join("kernels").join(part);
        std::fs::create_dir_all(&to).unwrap();
        for file in std::fs::read_dir(Path::new(ROOT).join("kernels").join(part)).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }
    let kernel = root.join("kernels/src/sha256/sha256_ssse3.c");
    let source = std::fs::read_to_string(&kernel).unwrap();
    let broken = source.replacen("psrld $10, %xmm6", "psrld $11, %xmm6", 1);
    assert_ne!(source, broken);
    std::fs::write(&kernel, broken).unwrap();

    let output = cupel(&root, own.path(), &["kernels", "boot", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1), "{}", words(&output));
    let boot = document(&output);
    let failed = boot["failed"].as_array().unwrap();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(failed[0]["implementation"], "cupel-ssse3");
    assert!(failed[0]["reason"].as_str().unwrap().contains("NIST"), "{failed:?}");
    let counted =
        boot["cells"].as_array().unwrap().iter().filter(|cell| {
            cell["primitive"] == "sha256" && cell["contender"] == "uefi/cupel-ssse3"
        });
    assert_eq!(counted.count(), 0);
    assert!(median(&boot, "sha1", "uefi/cupel-ssse3", 64) > 1.0, "the other hash goes on");
}
