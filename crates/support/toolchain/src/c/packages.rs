//! The answer of pkg-config about the libraries of a C contender: whether they are here in a
//! version that it is written for, and the flags that compile and link with them.

use crate::absent::Absent;
use cupel_base::packages;
use cupel_contender::Family;
use cupel_contender::family::Native;
use cupel_protocol::message::Refusal;
use sha2::{Digest, Sha256};
use std::process::{Child, Command, Output, Stdio};

/// The packages of a family, as they are now.
#[derive(Debug, Default)]
pub(crate) struct Packages {
    /// Their versions, one a line.
    versions: String,
    /// The flags that find and link them.
    pub(crate) flags: Vec<String>,
}

impl Packages {
    /// Asks for the packages of a family, if it has any. `program` makes a command that starts
    /// pkg-config.
    pub(crate) fn ask(
        family: &Family,
        native: &Native,
        program: &dyn Fn() -> Command,
    ) -> Result<Packages, Absent> {
        let wanted = &native.pkg_config;
        if wanted.is_empty() {
            return Ok(Packages::default());
        }
        let mut names: Vec<&str> = wanted.iter().map(|package| Demand::parse(package).0).collect();
        names.dedup();
        // No implementation prints versions and flags in one call, so two run side by side.
        let versions = start(program, &["--modversion"], &names);
        let flags = start(program, &["--cflags", "--libs"], wanted);
        let (versions, flags) = (end(family, versions)?, end(family, flags)?);
        let here = String::from_utf8_lossy(&versions.stdout).into_owned();
        if flags.status.success() && versions.status.success() {
            let flags = String::from_utf8_lossy(&flags.stdout);
            let flags = flags.split_whitespace().map(str::to_string).collect();
            return Ok(Packages { versions: here, flags });
        }
        // If a version is known, the package is here, and its family's own words about missing
        // packages would be wrong.
        let here = if versions.status.success() { here } else { String::new() };
        for (name, version) in names.iter().zip(here.lines()) {
            let mut of_it = wanted.iter().filter(|package| Demand::parse(package).0 == *name);
            if exists(program, name) && !of_it.clone().all(|package| exists(program, package)) {
                let demands = of_it.by_ref().filter_map(|package| Demand::parse(package).1);
                let demands = demands.map(|demand| demand.words()).collect::<Vec<_>>().join(", ");
                return Err(Absent::Missing(unfit(family, name, &demands, version)));
            }
        }
        let log = String::from_utf8_lossy(&flags.stderr);
        let line = log.lines().find(|l| l.contains("not found")).or(log.lines().next());
        let refusal = Refusal::because(line.unwrap_or("pkg-config failed").trim());
        Err(Absent::Missing(refusal).explained_by(family))
    }

    /// Adds them to the key of an object: its code depends on the headers of this version.
    pub(crate) fn digest(&self, digest: &mut Sha256) {
        for text in [self.versions.as_str()].into_iter().chain(self.flags.iter().map(|f| &**f)) {
            digest.update(text);
            digest.update([0]);
        }
    }
}

fn start<T: AsRef<std::ffi::OsStr>>(
    program: &dyn Fn() -> Command,
    options: &[&str],
    packages: &[T],
) -> std::io::Result<Child> {
    let mut command = program();
    // The messages are searched for words.
    command.env("LC_ALL", "C").args(options).args(packages);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

fn end(family: &Family, child: std::io::Result<Child>) -> Result<Output, Absent> {
    child.and_then(Child::wait_with_output).map_err(|e| {
        let absent = Absent::Missing(Refusal {
            reason: format!("pkg-config cannot be started: {e}"),
            remedy: Some(packages::remedy("apt-get install pkg-config")),
        });
        absent.explained_by(family)
    })
}

/// Whether a package is here, in a version that will do.
fn exists(program: &dyn Fn() -> Command, package: &str) -> bool {
    let asked = start(program, &["--exists"], &[package]);
    asked.and_then(|mut child| child.wait()).is_ok_and(|status| status.success())
}

/// A library that is here in a version that the contender is not written for.
fn unfit(family: &Family, package: &str, demands: &str, here: &str) -> Refusal {
    let library = family.contenders.iter().map(|c| c.library.as_str()).find(|l| !l.is_empty());
    let library = library.unwrap_or(package);
    Refusal {
        reason: format!("needs {library} {demands}; here is {here}"),
        remedy: Some(format!(
            "install {library} {demands}, and set PKG_CONFIG_PATH to the folder of its {package}.pc"
        )),
    }
}

/// Which versions of a package will do: an operator and a version.
struct Demand<'a>(&'a str, &'a str);

impl<'a> Demand<'a> {
    /// A package as a family's file names it, `nettle` or `nettle >= 3.5`: its name, and which
    /// versions will do.
    fn parse(package: &'a str) -> (&'a str, Option<Demand<'a>>) {
        match package.split_whitespace().collect::<Vec<_>>()[..] {
            [name, operator, version] if operator.starts_with(['<', '>', '=', '!']) => {
                (name, Some(Demand(operator, version)))
            }
            _ => (package, None),
        }
    }

    fn words(&self) -> String {
        match *self {
            Demand(">=", version) => format!("{version} or later"),
            Demand("<", version) => format!("before {version}"),
            Demand(operator, version) => format!("{operator} {version}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_contender::Kind;

    /// The answer for a family that needs these packages where `demo` has this version.
    fn asked(packages: &str, version: &str) -> Result<Packages, Absent> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.toml");
        let text = format!(
            "runner = \"native\"\nprefix = \"c\"\nsource = \"x.c\"\npkg_config = {packages}\n\
             [missing]\nreason = \"Demo is not installed\"\nremedy = \"apt-get install demo\"\n\
             [[contender]]\nname = \"demo\"\nlibrary = \"Demo\"\noffers = [\"sha256:digest\"]\n"
        );
        std::fs::write(&path, text).unwrap();
        let text = format!("Name: d\nDescription: d\nVersion: {version}\nLibs: -ldemo\n");
        std::fs::write(folder.path().join("demo.pc"), text).unwrap();
        let family = Family::load(&path).unwrap();
        let Kind::Native(native) = &family.kind else { panic!("it is native") };
        Packages::ask(&family, native, &|| {
            let mut command = Command::new("pkg-config");
            command.env("PKG_CONFIG_PATH", folder.path());
            command
        })
    }

    fn refused(packages: &str, version: &str) -> (String, String) {
        match asked(packages, version) {
            Err(Absent::Missing(refusal)) => (refusal.reason, refusal.remedy.unwrap_or_default()),
            other => panic!("{packages} with {version}: {other:?}"),
        }
    }

    #[test]
    fn a_version_that_a_contender_is_not_written_for_is_missing_and_told() {
        let since = "[\"demo >= 3.0\"]";
        let between = "[\"demo >= 3.5\", \"demo < 4\"]";
        for (packages, version) in [(since, "3.0"), (since, "3.0.19"), (between, "3.10.1")] {
            let packages = asked(packages, version).expect("it will do");
            assert_eq!(
                (packages.versions.trim(), &packages.flags[..]),
                (version, &["-ldemo".into()][..])
            );
        }
        for (packages, version, reason) in [
            (since, "1.1.1", "needs Demo 3.0 or later; here is 1.1.1"),
            (between, "3.4", "needs Demo 3.5 or later, before 4; here is 3.4"),
            (between, "4.0", "needs Demo 3.5 or later, before 4; here is 4.0"),
        ] {
            let (said, remedy) = refused(packages, version);
            assert_eq!(said, reason);
            // It is installed, so the remedy is not to install it.
            assert!(remedy.contains("PKG_CONFIG_PATH to the folder of its demo.pc"), "{remedy}");
        }
    }

    #[test]
    fn a_package_that_is_not_there_is_told_in_the_words_of_its_family() {
        for packages in ["[\"nowhere\"]", "[\"nowhere >= 3\"]", "[\"demo\", \"nowhere < 3\"]"] {
            let (reason, remedy) = refused(packages, "1");
            assert!(reason.starts_with("Demo is not installed ("), "{reason}");
            assert!(reason.contains("nowhere") && reason.contains("not found"), "{reason}");
            assert_eq!(remedy, packages::remedy("apt-get install demo"));
        }
    }
}
