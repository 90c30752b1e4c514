//! Runners in Python: their sources, run by a virtual environment that has their libraries.

use super::places;
use super::version::{Language, Need};
use crate::absent::Absent;
use crate::builds::fingerprint::fingerprint;
use crate::builds::shipped;
use crate::c::cc;
use crate::c::wasm;
use crate::language::{self, Recipe};
use cupel_base::packages;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

const NAME: &str = "the virtual environment of the Python runner";
pub(crate) const MAIN: &str = "main.py";
/// The folder in a package that has the sources, and the libraries next to them.
pub(crate) const SHIPPED: &str = "python";
/// The file there that names the versions of Python whose libraries are there, such as `3.12`.
const VERSIONS: &str = "versions";
const REMEDY: &str =
    "install Python 3.9 or later with venv and pip: apt-get install python3 python3-venv";
/// Newer minor versions than this are found as `python3` only.
const NEWEST: u32 = 30;
/// Prints the version of a CPython with a global lock. Others fail: the libraries have no packages
/// for PyPy, and a build without the lock counts as a different implementation with the same
/// version.
const ASK: &str = "import platform, sys, sysconfig
if platform.python_implementation() != 'CPython' or sysconfig.get_config_var('Py_GIL_DISABLED'):
    sys.exit(1)
print(platform.python_version())";

/// Python, whose versions are toolchains.
pub static LANGUAGE: Language = Language {
    word: "python",
    title: "Python",
    numbers: 2,
    // The minimum of the libraries.
    oldest: (3, 9),
    newest: "3.14",
    asks: &["-I", "-c", ASK],
    places: places::python,
    ready,
    remedy: REMEDY,
};

/// The runner's command line, with a virtual environment made if needed: one for each Python.
///
/// # Errors
/// Why there is none.
fn ready(&Need { home, sources, found, build, say }: &Need<'_>) -> Result<Vec<OsString>, Absent> {
    let pythons = found.map_or_else(pythons, |found| vec![found.program.clone()]);
    if pythons.is_empty() {
        return Err(language::missing("python3", "is not there", REMEDY));
    }
    // A Python that comes or goes may change which one is the newest. Two shells may have two
    // paths, so each set of them has its own environment: a run may be using the other.
    let with: Vec<String> = pythons.iter().map(|path| language::identity(path)).collect();
    let with = with.join(" ");
    let set = hex::encode(&Sha256::digest(&with)[..4]);
    let sources = sources.real(home);
    let folder = found.map(|found| format!("{}/", found.name)).unwrap_or_default();
    let venv = format!("{folder}venv-{set}");
    let name = match found {
        Some(found) => format!("{NAME} on {}", found.name),
        None => NAME.to_string(),
    };
    let recipe = Recipe {
        name: &name,
        sources: &sources,
        extensions: &["txt"],
        with: &with,
        product: &format!("{venv}/bin/python"),
        shipped: None,
    };
    let nothing = |_: &Path| Ok(());
    if recipe.ready(home, false, say, &nothing).is_err()
        && let Some(command) = prebuilt(&sources, &pythons)
    {
        return Ok([command, wasm::arguments(home, build, say)].concat());
    }
    let python = recipe.ready(home, build, say, &|target| {
        let newest = newest(&pythons)?;
        let venv = target.join(&venv);
        let mut command = Command::new(newest);
        // With -m, Python takes modules from the folder in which it runs, so not in the user's.
        command.args(["-m", "venv", "--clear"]).arg(&venv).current_dir(target);
        language::run(&mut command, &name).map_err(without_pip)?;
        let mut command = Command::new(venv.join("bin/python"));
        command.current_dir(target);
        command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        // Only packages with the digests of that file, and nothing that has to be compiled.
        command.args(["--require-hashes", "--only-binary", ":all:", "--retries", "2"]);
        command.arg("--requirement").arg(sources.join("requirements.txt"));
        language::run(&mut command, &name)
    })?;
    let command = vec![python.into_os_string(), sources.join(MAIN).into_os_string()];
    Ok([command, wasm::arguments(home, build, say)].concat())
}

/// A command line that runs the prebuilt runner on the newest Python. A package has libraries for
/// the versions that it names. They are next to the program, so Python finds them there.
fn prebuilt(sources: &Path, pythons: &[PathBuf]) -> Option<Vec<OsString>> {
    let main = shipped::file(&format!("{SHIPPED}/{MAIN}"), &digest(sources))?;
    let python = newest(pythons).ok()?;
    let (major, minor) = language::version(python, &["--version"])?;
    let versions = std::fs::read_to_string(main.with_file_name(VERSIONS)).ok()?;
    let serves = versions.lines().any(|version| version == format!("{major}.{minor}"));
    // Nothing is written where the package is.
    serves.then(|| vec![python.into(), "-B".into(), main.into_os_string()])
}

/// A digest of the sources.
pub(crate) fn digest(sources: &Path) -> String {
    fingerprint(&[sources], &["py", "txt"], &["target"])
}

/// Debian has a Python without the parts that `venv` needs: its message says so, and the remedy is
/// a package other than Python.
fn without_pip(absent: Absent) -> Absent {
    match absent {
        Absent::Failed(refusal) if refusal.reason.contains("ensurepip") => {
            let remedy = Some(packages::remedy("apt-get install python3-venv"));
            let reason = "python3 has no ensurepip, so it cannot make a virtual environment";
            Absent::Missing(cupel_protocol::message::Refusal { reason: reason.into(), remedy })
        }
        other => other,
    }
}

/// Every Python on the path.
fn pythons() -> Vec<PathBuf> {
    let numbered = (LANGUAGE.oldest.1..=NEWEST).map(|minor| format!("python3.{minor}"));
    let names = ["python3".to_string()].into_iter().chain(numbered);
    names.filter_map(|name| cc::located(Path::new(&name))).collect()
}

/// The newest of them, which may be the one that is called `python3`. One that does not start does
/// not count: a version manager has names for versions that are not installed.
fn newest(pythons: &[PathBuf]) -> Result<&Path, Absent> {
    let newest = pythons
        .iter()
        .filter_map(|path| Some((language::version(path, &["--version"])?, path)))
        // The first of equals: the plain name.
        .rev()
        .max_by_key(|(version, _)| *version);
    match newest {
        Some((version, path)) if version >= LANGUAGE.oldest => Ok(path),
        found => {
            let why = language::is_old(found.map(|(version, _)| version));
            Err(language::missing("python3", &why, REMEDY))
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Programs that print these versions, or fail.
    fn programs(folder: &Path, said: &[(&str, Option<&str>)]) -> Vec<PathBuf> {
        let program = |(name, version): &(&str, Option<&str>)| {
            let path = folder.join(name);
            let text = match version {
                Some(version) => format!("#!/bin/sh\necho Python {version}\n"),
                None => "#!/bin/sh\necho no such version >&2\nexit 127\n".to_string(),
            };
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
            path
        };
        said.iter().map(program).collect()
    }

    #[test]
    fn the_newest_that_starts_is_taken_by_its_version_and_not_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let all = [
            ("python3", Some("3.9.2")),
            ("python3.10", Some("3.10.1")),
            ("python3.11", Some("3.11.7")),
            ("python3.12", None),
        ];
        let found = programs(folder.path(), &all);
        assert_eq!(newest(&found).unwrap(), folder.path().join("python3.11"));
        let found =
            programs(folder.path(), &[("python3", Some("3.11.7")), ("python3.11", Some("3.11.2"))]);
        assert_eq!(newest(&found).unwrap(), folder.path().join("python3"));
    }

    #[test]
    fn a_python_that_is_too_old_is_named_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let found = programs(folder.path(), &[("python3", Some("3.8.1"))]);
        let Err(Absent::Missing(refusal)) = newest(&found) else { panic!("too old") };
        assert_eq!(refusal.reason, "python3 is too old: 3.8");
        assert!(refusal.remedy.unwrap().contains("3.9"));
    }
}
