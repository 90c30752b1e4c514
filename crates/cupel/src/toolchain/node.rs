//! Runners on Node.js: a copy of their sources, with their libraries beside it.

use super::language::{self, Recipe};
use super::{Absent, family::Sources, wasm};
use crate::home::Home;
use cupel_protocol::message::Refusal;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::{fs, io};

const NAME: &str = "the Node.js runner";
const PRODUCT: &str = "main.mjs";
const LOCK: &str = "package-lock.json";
const REMEDY: &str =
    "install Node.js 20.19 or later, with npm: https://nodejs.org, or apt-get install nodejs npm";
/// The oldest Node.js that the libraries support.
const OLDEST: (u32, u32) = (20, 19);

/// The runner's command line, built if needed.
///
/// # Errors
/// Why there is none.
pub fn ready(
    home: &Home,
    family: &Sources,
    build: bool,
    say: &dyn Fn(&str),
) -> Result<Vec<OsString>, Absent> {
    let node = language::tool("node", REMEDY)?;
    let sources = family.real(home);
    let recipe = Recipe {
        name: NAME,
        sources: &sources,
        extensions: &["mjs", "json"],
        with: &node.identity,
        product: PRODUCT,
    };
    let main = recipe.ready(home, build, say, &|target| {
        match language::version(&node.path, &["--version"]) {
            Some(found) if found >= OLDEST => {}
            found => return Err(language::missing("node", &language::is_old(found), REMEDY)),
        }
        let npm = language::tool("npm", REMEDY)?;
        let copied = copy(&sources, target).map_err(|e| {
            let reason = format!("{NAME} cannot be copied to {}: {e}", target.display());
            Absent::Failed(Refusal::because(reason))
        })?;
        if copied == Copied::SameLibraries {
            return Ok(());
        }
        let mut command = Command::new(npm.path);
        // No scripts: a library's own build could do anything.
        command.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]);
        language::run(command.current_dir(target), NAME)
    })?;
    let command = vec![node.path.into_os_string(), main.into_os_string()];
    Ok([command, wasm::arguments(home, build, say)?].concat())
}

/// Whether what was copied needs the libraries that are there.
#[derive(PartialEq, Eq)]
enum Copied {
    SameLibraries,
    OtherLibraries,
}

/// Copies the sources, which find their libraries in the folder that they are in.
fn copy(sources: &Path, target: &Path) -> io::Result<Copied> {
    let installed = target.join("node_modules").join(".package-lock.json");
    let read = |folder: &Path| fs::read(folder.join(LOCK)).ok();
    let same = installed.is_file() && read(sources) == read(target);
    for entry in fs::read_dir(sources)? {
        let path = entry?.path();
        let Some(name) = path.file_name() else { continue };
        if path.extension().is_some_and(|e| e == "mjs" || e == "json") {
            fs::copy(&path, target.join(name))?;
        }
    }
    Ok(if same { Copied::SameLibraries } else { Copied::OtherLibraries })
}
