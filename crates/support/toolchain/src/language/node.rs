//! Runners on Node.js: a copy of their sources, with their libraries next to it.

use super::places;
use super::version::{Language, Need};
use crate::absent::Absent;
use crate::c::wasm;
use crate::language::{self, Host, Recipe};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::{fs, io};

const NAME: &str = "the Node.js runner";
const PRODUCT: &str = "main.mjs";
const LOCK: &str = "package-lock.json";
/// Its folder in a package.
pub(crate) const SHIPPED: &str = "node";
const REMEDY: &str = "cupel install node 24, or install Node.js 20.19 or later, with npm \
                      (https://nodejs.org, or apt-get install nodejs npm)";

/// Node.js, whose versions are toolchains.
pub static LANGUAGE: Language = Language {
    word: "node",
    title: "Node.js",
    numbers: 1,
    // The minimum of the libraries.
    oldest: (20, 19),
    newest: "24",
    asks: &["--version"],
    places: places::node,
    ready,
    remedy: REMEDY,
};

/// The runner's command line, built if needed. All versions run the same files: the libraries are
/// JavaScript and WebAssembly, and nothing of them is compiled when they are installed.
///
/// # Errors
/// Why there is none.
fn ready(&Need { home, sources, found, build, say }: &Need<'_>) -> Result<Vec<OsString>, Absent> {
    let host = Host::find(home, &LANGUAGE, found)?;
    let sources = sources.real(home);
    let recipe = Recipe {
        name: NAME,
        sources: &sources,
        extensions: &["mjs", "json"],
        with: "",
        product: PRODUCT,
        shipped: Some(SHIPPED),
    };
    let main = recipe.ready(home, build, say, &|target| {
        let mut npm = npm(&host)?;
        let copied = copy(&sources, target).map_err(|e| {
            Absent::failed(format!("{NAME} cannot be copied to {}: {e}", target.display()))
        })?;
        if copied == Copied::SameLibraries {
            return Ok(());
        }
        // No scripts: a library's own build could do anything.
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]);
        // Its own pauses before it tries again are 10 s and a minute.
        npm.args(["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"]);
        language::run(npm.current_dir(target), NAME)
    })?;
    let command = vec![host.program.into_os_string(), main.into_os_string()];
    Ok([command, wasm::arguments(home, build, say)].concat())
}

/// The npm that came with a Node.js, or that on the path.
fn npm(host: &Host) -> Result<Command, Absent> {
    let prefix = host.program.canonicalize().ok();
    let prefix = prefix.as_deref().and_then(Path::parent).and_then(Path::parent);
    let own = prefix.map(|prefix| prefix.join("lib/node_modules/npm/bin/npm-cli.js"));
    if let Some(own) = own.filter(|own| own.is_file()) {
        let mut command = Command::new(&host.program);
        command.arg(own);
        return Ok(command);
    }
    Ok(Command::new(language::located("npm", REMEDY)?))
}

/// Whether the copy needs the libraries that are there.
#[derive(PartialEq, Eq)]
enum Copied {
    SameLibraries,
    OtherLibraries,
}

/// Copies the sources, which find their libraries in the folder that they are in.
fn copy(sources: &Path, target: &Path) -> io::Result<Copied> {
    let installed = target.join("node_modules").join(".package-lock.json");
    let same = installed.is_file()
        && fs::read(sources.join(LOCK)).ok() == fs::read(target.join(LOCK)).ok();
    for entry in fs::read_dir(sources)? {
        let path = entry?.path();
        let Some(name) = path.file_name() else { continue };
        if path.extension().is_some_and(|e| e == "mjs" || e == "json") {
            fs::copy(&path, target.join(name))?;
        }
    }
    Ok(if same { Copied::SameLibraries } else { Copied::OtherLibraries })
}
