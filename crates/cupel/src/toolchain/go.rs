//! Runners in Go: one static program.

use super::language::{self, Recipe};
use super::{Absent, family::Sources};
use crate::home::Home;
use std::ffi::OsString;
use std::process::Command;

const NAME: &str = "the Go runner";
const PRODUCT: &str = "cupel-runner-go";
const REMEDY: &str = "install Go 1.21 or later: https://go.dev/dl, or apt-get install golang-go";
/// The oldest Go that `go.mod` allows.
const OLDEST: (u32, u32) = (1, 21);

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
    let go = language::tool("go", REMEDY)?;
    let sources = family.real(home);
    let recipe = Recipe {
        name: NAME,
        sources: &sources,
        extensions: &["go", "mod", "sum", "s"],
        with: &go.identity,
        product: PRODUCT,
    };
    let program = recipe.ready(home, build, say, &|target| {
        match language::version(&go.path, &["version"]) {
            Some(found) if found >= OLDEST => {}
            found => return Err(language::missing("go", &language::is_old(found), REMEDY)),
        }
        let mut command = Command::new(&go.path);
        // Read-only: what is built is what go.sum says. Without cgo the program is static.
        command.args(["build", "-trimpath", "-mod=readonly", "-o"]).arg(target.join(PRODUCT));
        command.arg(".").current_dir(&sources).env("CGO_ENABLED", "0");
        language::run(&mut command, NAME)
    })?;
    Ok(vec![program.into_os_string()])
}
