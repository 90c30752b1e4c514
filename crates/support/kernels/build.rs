//! Compiles `kernels/`. A file's name ends in the instruction set that it needs; each file is
//! compiled for that set alone. Which code runs is decided at run time.

use std::env;
use std::path::{Path, PathBuf};

/// The end of a file's stem, the architecture, and the flags of its instruction set.
const SETS: [(&str, &str, &[&str]); 5] = [
    ("ssse3", "x86_64", &["-mssse3"]),
    ("avx2", "x86_64", &["-mavx2", "-mbmi", "-mbmi2"]),
    ("avx512", "x86_64", &["-mavx512f", "-mavx512bw", "-mavx512vl"]),
    ("shani", "x86_64", &["-msha", "-msse4.1", "-mssse3"]),
    ("armsha", "aarch64", &["-march=armv8-a+crypto"]),
];

/// Compiled only by the tests of the kernels, or if there is no C library.
const LEFT_OUT: [&str; 4] = ["sha1_ref", "sha256_ref", "siphash_ref", "memory"];

fn main() {
    let kernels = Path::new("../../../kernels");
    println!("cargo:rerun-if-changed={}", kernels.join("src").display());
    println!("cargo:rerun-if-changed={}", kernels.join("include").display());
    let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let detect = match arch.as_str() {
        "x86_64" => "detect_x86",
        "aarch64" => "detect_arm",
        _ => "detect_none",
    };
    let mut plain = build(kernels);
    let mut sets: Vec<cc::Build> = SETS
        .iter()
        .map(|(_, _, flags)| {
            let mut build = build(kernels);
            build.flags(*flags);
            build
        })
        .collect();
    for file in sources(&kernels.join("src")) {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let end = stem.rsplit('_').next().unwrap_or_default();
        match SETS.iter().position(|(set, _, _)| *set == end) {
            Some(set_index) if SETS[set_index].1 == arch => {
                sets[set_index].file(&file);
            }
            Some(_) => {}
            None if LEFT_OUT.contains(&stem.as_str()) => {}
            None if stem.starts_with("detect_") && stem != detect => {}
            None => {
                plain.file(&file);
            }
        }
    }
    plain.compile("cupel_kernels");
    for (build, (set, of, _)) in sets.iter().zip(SETS) {
        if of == arch {
            build.compile(&format!("cupel_kernels_{set}"));
        }
    }
}

fn build(kernels: &Path) -> cc::Build {
    let mut build = cc::Build::new();
    // As for the figures in kernels/NOTES.md, in a debug build too.
    build.std("c11").opt_level(2).include(kernels.join("include"));
    for folder in ["common", "cpu", "sha1", "sha256", "siphash"] {
        build.include(kernels.join("src").join(folder));
    }
    build
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("kernels/src is next to crates/");
    let mut files = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "c") {
            files.push(path);
        }
    }
    files.sort();
    files
}
