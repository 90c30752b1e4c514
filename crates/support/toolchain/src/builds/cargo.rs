//! Runners that Cargo builds.

use super::artefact::Artefact;
use super::fingerprint::fingerprint;
use super::watched;
use crate::absent::Absent;
use crate::c::cc;
use cupel_base::disk::real;
use cupel_base::home::Home;
use cupel_contender::family::Package;
use cupel_protocol::message::Refusal;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program of a package, built if needed.
pub fn ready(
    home: &Home,
    of: &Package,
    build: bool,
    say: &dyn Fn(&str),
) -> Result<PathBuf, Absent> {
    let Package { package, cfgs, .. } = of;
    let manifest = manifest(home, of);
    let folder = manifest.parent().unwrap_or(&home.root);
    let mut wanted = sources(home, of);
    wanted.extend(cfgs.iter().flat_map(|cfg| [" ", cfg.as_str()]));
    // Other flags change every crate, and Cargo keeps one build of each in a folder.
    let own = if cfgs.is_empty() { Path::new("") } else { Path::new(package) };
    let product = own.join("release").join(package);
    let shipped = Some("runners");
    let artefact = Artefact { name: package, sources: folder, product, wanted, shipped };
    let has_cargo = cc::located(Path::new("cargo")).is_some();
    let made = artefact.ready(home, build && has_cargo, &|target| {
        cargo_build(&manifest, package, cfgs, &target.join(own), say)
    });
    match made {
        // The advice must not be to build it.
        Err(Absent::Unbuilt) if !has_cargo => Err(Absent::Missing(Refusal {
            reason: "it is built by cargo, which is not installed".into(),
            remedy: Some("install Rust: https://rustup.rs".into()),
        })),
        made => made,
    }
}

/// The manifest of a package's workspace: a real path, so that a home made of links shares its
/// builds.
pub fn manifest(home: &Home, package: &Package) -> PathBuf {
    real(&home.root.join(&package.manifest))
}

/// The digest of the sources of a package.
pub fn sources(home: &Home, package: &Package) -> String {
    let manifest = manifest(home, package);
    let folder = manifest.parent().unwrap_or(&home.root);
    let protocol = real(&home.root.join("crates/core/protocol"));
    fingerprint(&[folder, &protocol], &["rs", "toml", "lock"], &["target", "tests"])
}

fn cargo_build(
    manifest: &Path,
    package: &str,
    cfgs: &[String],
    target: &Path,
    say: &dyn Fn(&str),
) -> Result<(), Absent> {
    let mut command = Command::new("cargo");
    if !cfgs.is_empty() {
        let mut flags = std::env::var("RUSTFLAGS").unwrap_or_default();
        flags.extend(cfgs.iter().flat_map(|cfg| [" --cfg ", cfg.as_str()]));
        command.env("RUSTFLAGS", flags);
    }
    command
        .args(["build", "--release", "--locked", "--quiet", "-p", package, "--manifest-path"])
        .arg(manifest)
        // Otherwise CARGO_TARGET_DIR or a configuration file may set another folder.
        .arg("--target-dir")
        .arg(target)
        // Cargo and rustup obey files of the folder in which they run, such as .cargo/config.toml.
        // The user's working directory may have files of a stranger.
        .current_dir(manifest.parent().unwrap_or(manifest));
    let what = format!("building {package} (the first time takes minutes)");
    let output = watched::run(&mut command, &what, say).map_err(|e| {
        Absent::Missing(Refusal {
            reason: format!("cargo cannot be started: {e}"),
            remedy: Some("install Rust: https://rustup.rs".into()),
        })
    })?;
    if output.status.success() {
        return Ok(());
    }
    let log = String::from_utf8_lossy(&output.stderr);
    if cc::misses_linker(&log) {
        return Err(Absent::Missing(cc::missing()));
    }
    Err(Absent::Failed(Refusal {
        reason: format!("{package} does not build: {}", first_error(&log)),
        remedy: Some(format!(
            "cargo build --release --locked -p {package} --manifest-path {}",
            manifest.display()
        )),
    }))
}

/// The first line of a compiler's output that names an error, otherwise its first line. If linking
/// failed, the first complaint of the linker itself: the compiler only reports that there is one.
pub fn first_error(log: &str) -> String {
    let of_linker = log.contains("ld returned 1 exit status")
        || log.contains("linker command failed")
        || log.contains("error: linking with");
    let line = log
        .lines()
        .find(|line| of_linker && LINKER_COMPLAINS.iter().any(|words| line.contains(words)))
        .or_else(|| log.lines().find(|line| line.contains("error") || line.contains("not found")))
        .or_else(|| log.lines().find(|line| !line.trim().is_empty()))
        .unwrap_or("no message");
    line.trim().chars().take(300).collect()
}

/// The words of a linker's line that names the fault: GNU's, LLVM's, gold's and macOS's.
const LINKER_COMPLAINS: [&str; 11] = [
    "undefined reference to",
    "undefined symbol",
    "Undefined symbols",
    "multiple definition of",
    "duplicate symbol",
    "cannot find ",
    "unable to find library",
    "library not found",
    "recompile with -fPIC",
    "file format not recognized",
    "file in wrong format",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_failed_link_the_linker_s_own_words_are_told() {
        for (log, said) in [
            (
                "x.c:3:5: warning: unused variable 'error'\n\
                 /usr/bin/ld: /tmp/cc1.o: in function `cupel_describe':\n\
                 x.c:(.text+0x9): undefined reference to `missing_function'\n\
                 collect2: error: ld returned 1 exit status\n",
                "x.c:(.text+0x9): undefined reference to `missing_function'",
            ),
            (
                "/usr/bin/ld: cannot find -lnowhere: No such file or directory\n\
                 collect2: error: ld returned 1 exit status\n",
                "/usr/bin/ld: cannot find -lnowhere: No such file or directory",
            ),
            (
                "ld.lld: error: undefined symbol: f\n\
                 clang: error: linker command failed with exit code 1\n",
                "ld.lld: error: undefined symbol: f",
            ),
            (
                "x.c:1:2: error: #error cannot find it\nx.c:2:1: error: other\n",
                "x.c:1:2: error: #error cannot find it",
            ),
            (
                "/usr/bin/ld: something new\ncollect2: error: ld returned 1 exit status\n",
                "collect2: error: ld returned 1 exit status",
            ),
        ] {
            assert_eq!(first_error(log), said);
        }
    }
}
