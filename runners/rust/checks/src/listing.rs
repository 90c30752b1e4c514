//! The requirements of `list`: the same as the family's file, and correct versions and licences.

use crate::talk::list;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The part of a family's file that the runner repeats.
#[derive(Deserialize)]
struct Family {
    contender: Vec<Described>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Described {
    name: String,
    // A contender that another hosts has them from its host.
    #[serde(default)]
    library: String,
    #[serde(default)]
    licence: String,
    summary: String,
    offers: Vec<String>,
    fixed_key: Option<String>,
    /// The contender of the runner that this is, in another environment.
    hosted_as: Option<String>,
}

/// The family's file and the runner name the same contenders, in the same order and words.
pub fn family_file_agrees(program: &str, file: &Path) {
    let text = std::fs::read_to_string(file).expect("the family's file");
    let mut family: Family = toml::from_str(&text).expect("the family's file is TOML");
    family.contender.retain(|described| described.hosted_as.is_none());
    let listed: Vec<Described> = list(program)
        .into_iter()
        .map(|listed| Described {
            offers: listed.offers.iter().map(ToString::to_string).collect(),
            fixed_key: listed.offers.iter().find_map(|offer| offer.fixed_key.clone()),
            name: listed.name,
            library: listed.library,
            licence: listed.licence,
            summary: listed.summary,
            hosted_as: None,
        })
        .collect();
    assert_eq!(family.contender, listed, "{} (left) and the runner (right)", file.display());
}

/// Versions and licences are those that Cargo reports for the packages that were built.
pub fn versions_and_licences_are_the_packages_own(program: &str, manifest: &Path) {
    let output = Command::new(std::env::var_os("CARGO").expect("set by Cargo"))
        .args(["metadata", "--locked", "--offline", "--format-version=1", "--manifest-path"])
        .arg(manifest)
        .output()
        .expect("cargo metadata");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut packages = BTreeMap::new();
    for package in output["packages"].as_array().expect("packages") {
        let text = |field: &str| package[field].as_str().unwrap_or("none").to_string();
        packages.insert((text("name"), text("version")), text("license").replace('/', " OR "));
    }
    for listed in list(program) {
        // Not packages: the standard library and the runner itself.
        if ["std", "cupel"].contains(&&*listed.library) {
            continue;
        }
        let package = (listed.library, listed.version);
        assert_eq!(packages.get(&package), Some(&listed.licence), "{}: {package:?}", listed.name);
        if let Some((_, line)) = listed.name.split_once("-0.") {
            let line: String = line.chars().take_while(char::is_ascii_digit).collect();
            assert!(package.1.starts_with(&format!("0.{line}.")), "{}: {package:?}", listed.name);
        }
    }
}
