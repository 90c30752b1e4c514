//! Turns the workspace's Cargo.lock into a table, so that the versions that are listed are those
//! that were built.

use std::path::Path;
use std::process::Command;

fn main() {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    println!("cargo:rerun-if-changed={}", lock.display());
    println!("cargo:rerun-if-changed=build.rs");
    let text = std::fs::read_to_string(&lock).expect("Cargo.lock next to the workspace's manifest");
    let lock: toml::Table = text.parse().expect("Cargo.lock is TOML");

    let mut rows = String::new();
    for package in lock["package"].as_array().expect("a list of packages") {
        let (name, version) = (&package["name"], &package["version"]);
        rows.push_str(&format!("({name}, {version}),\n"));
    }
    let out = std::env::var("OUT_DIR").expect("set by Cargo");
    std::fs::write(Path::new(&out).join("locked.rs"), format!("&[\n{rows}]\n"))
        .expect("OUT_DIR can be written");

    println!("cargo:rustc-env=CUPEL_RUSTC={}", rustc_version());
}

/// The standard library has the version of its compiler.
fn rustc_version() -> String {
    let rustc = std::env::var("RUSTC").expect("set by Cargo");
    let output = Command::new(rustc).arg("--version").output().expect("rustc prints its version");
    let output = String::from_utf8(output.stdout).expect("in UTF-8");
    output.split(' ').nth(1).expect("as `rustc VERSION (...)`").to_string()
}
