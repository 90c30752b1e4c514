//! The content of a package of the tool, so that a machine needs no compiler: runners, and objects
//! for the native runner that load their library by its name. It is in `lib/cupel` next to the
//! folder of the program, as in `/usr/lib/cupel`. Each file has the digest of its sources next to
//! it, and one that was made from other sources than the tool embeds is not used.

use cupel_contender::Family;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The variable that says `no` to all that came with the tool.
const PREBUILT: &str = "CUPEL_PREBUILT";

/// The folder of this program's package, whether or not it has one. `None` if you want to build
/// everything here.
pub fn folder() -> Option<PathBuf> {
    if std::env::var_os(PREBUILT).is_some_and(|value| value == "no") {
        return None;
    }
    let program = std::env::current_exe().ok()?.canonicalize().ok()?;
    Some(program.parent()?.parent()?.join("lib/cupel"))
}

/// A file of the package, if it was made from the sources with this digest.
pub fn file(name: &str, digest: &str) -> Option<PathBuf> {
    let file = folder()?.join(name);
    let made_of = fs::read_to_string(stamp(&file)).ok()?;
    (file.is_file() && made_of == digest).then_some(file)
}

/// Whether a runner's command line has something of the package in it.
pub fn is_used_by(command: &[OsString]) -> bool {
    folder().is_some_and(|folder| command.iter().any(|word| Path::new(word).starts_with(&folder)))
}

/// The compilers and flags that the package was built with, and the system that they ran on.
pub fn built_with() -> String {
    let text = folder().and_then(|folder| fs::read_to_string(folder.join(BUILT_WITH)).ok());
    let text = text.unwrap_or_else(|| "compilers that it does not name".into());
    text.lines().collect::<Vec<_>>().join("; ")
}

/// The file of a package that says this, a line for each compiler.
pub(crate) const BUILT_WITH: &str = "built-with";

/// The name of a family's object in the package.
pub fn object(family: &Family) -> String {
    format!("objects/{}.so", family.name)
}

/// The file with the digest of the sources that a file was made from.
pub(crate) fn stamp(product: &Path) -> PathBuf {
    let mut name = product.file_name().unwrap_or_default().to_os_string();
    name.push(".cupel-stamp");
    product.with_file_name(name)
}
