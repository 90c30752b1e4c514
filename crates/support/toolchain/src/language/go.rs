//! Runners in Go: one static program for each toolchain.

use super::found;
use super::places;
use super::version::{Language, Need};
use crate::absent::Absent;
use crate::builds::fingerprint::fingerprint;
use crate::builds::shipped;
use crate::language::{self, Host, Recipe};
use cupel_base::home::Home;
use cupel_contender::family::Sources;
use std::ffi::OsString;
use std::process::Command;

const NAME: &str = "the Go runner";
const PRODUCT: &str = "cupel-runner-go";
const EXTENSIONS: [&str; 4] = ["go", "mod", "sum", "s"];

/// Go, whose versions are toolchains.
pub static LANGUAGE: Language = Language {
    word: "go",
    title: "Go",
    numbers: 2,
    // The minimum of `go.mod`.
    oldest: (1, 21),
    newest: "1.27",
    asks: &["version"],
    places: places::go,
    ready,
    remedy: "cupel install go 1.27, or install Go 1.21 or later (https://go.dev/dl, or apt-get \
             install golang-go)",
};

/// Its name in a package.
pub(crate) const SHIPPED: &str = "go/cupel-runner-go";

/// A digest of its sources.
pub(crate) fn digest(home: &Home, family: &Sources) -> String {
    fingerprint(&[&family.real(home)], &EXTENSIONS, &["target"])
}

/// The runner's command line, built if needed.
///
/// # Errors
/// Why there is none.
fn ready(&Need { home, sources, found, build, say }: &Need<'_>) -> Result<Vec<OsString>, Absent> {
    let host = match Host::find(home, &LANGUAGE, found) {
        Ok(host) => host,
        // It is static. Where there is a Go, that one is measured, and so is a version that you
        // name.
        Err(absent) if found.is_none() => {
            let program = shipped::file(SHIPPED, &digest(home, sources)).ok_or(absent)?;
            return Ok(vec![program.into_os_string()]);
        }
        Err(absent) => return Err(absent),
    };
    let sources = sources.real(home);
    let product = host.product(PRODUCT);
    let recipe = Recipe {
        name: &host.named(NAME),
        sources: &sources,
        extensions: &EXTENSIONS,
        with: &host.identity,
        product: &product,
        shipped: None,
    };
    let program = recipe.ready(home, build, say, &|target| {
        let mut command = Command::new(&host.program);
        // Read-only: the build has the modules that go.sum lists. Without cgo the program is
        // static.
        command.args(["build", "-trimpath", "-mod=readonly", "-o"]).arg(target.join(&product));
        command.arg(".").current_dir(&sources).env("CGO_ENABLED", "0");
        found::alone(&mut command);
        language::run(&mut command, recipe.name)
    })?;
    Ok(vec![program.into_os_string()])
}
