//! A family's runner, ready to be started, and built first if that is wanted.

use crate::absent::Absent;
use crate::builds::cargo;
use crate::built::Built;
use crate::c::{matrix, native};
use crate::language::{go, node, python, versions};
use crate::wanted::Wanted;
use crate::{jvm, library, trust};
use cupel_base::home::Home;
use cupel_contender::family::Package;
use cupel_contender::{Family, Kind};
use cupel_protocol::message::Refusal;
use std::ffi::OsString;

/// Prepares a family's runner, and builds it first if that is wanted. `say` reports everything that
/// takes long. A family that is hosted on several toolchains is returned once for each.
pub fn ready(home: &Home, family: &Family, wanted: &Wanted, say: &dyn Fn(&str)) -> Vec<Built> {
    if let Some(refusal) = trust::refusal(family) {
        return vec![Built::alone(family.clone(), Err(Absent::Missing(refusal)), None)];
    }
    let build = wanted.builds(&family.prefix);
    let command = match &family.kind {
        Kind::Jvm(jvm) => return jvm::ready(home, family, jvm, wanted, say),
        Kind::Matrix(matrix) => return matrix::ready(home, family, matrix, wanted, say),
        Kind::Native(native) => {
            let usual = library::usual(home, family, native)
                .and_then(|native| native::ready(home, family, &native, build, say));
            return with_releases(home, family, usual, wanted, &|release| {
                native::ready(home, &release.family, &release.native(native)?, release.build, say)
            });
        }
        Kind::Rust(package) => {
            let usual = rust(home, family, package, wanted, say);
            return with_releases(home, family, usual, wanted, &|release| {
                release.runner(home, package, say)
            });
        }
        Kind::Go(sources) => {
            return versions::ready(home, family, (&go::LANGUAGE, sources), wanted, say);
        }
        Kind::Node(sources) => {
            return versions::ready(home, family, (&node::LANGUAGE, sources), wanted, say);
        }
        Kind::Python(sources) => {
            return versions::ready(home, family, (&python::LANGUAGE, sources), wanted, say);
        }
        Kind::Program(program) => Ok(program.command.iter().map(OsString::from).collect()),
    };
    vec![Built::alone(family.clone(), command, None)]
}

/// A family as usual, then on each installed release of a library of it that is named, with the
/// command that `on` makes.
fn with_releases(
    home: &Home,
    family: &Family,
    usual: Result<Vec<OsString>, Absent>,
    wanted: &Wanted,
    on: &dyn Fn(&library::OnRelease) -> Result<Vec<OsString>, Absent>,
) -> Vec<Built> {
    let mut all = vec![Built::alone(family.clone(), usual, None)];
    for release in library::named(home, family, None, wanted) {
        let command = on(&release);
        all.push(Built::alone(release.family, command, None));
    }
    all
}

/// A Cargo package. One with flags of its own is built only where it is named: it needs another
/// build of all its crates, and few questions ask for it.
fn rust(
    home: &Home,
    family: &Family,
    package: &Package,
    wanted: &Wanted,
    say: &dyn Fn(&str),
) -> Result<Vec<OsString>, Absent> {
    let build = wanted.builds(&family.prefix);
    let named = package.cfgs.is_empty() || !wanted.named.is_empty();
    match cargo::ready(home, package, build && named, say) {
        Ok(program) => Ok(vec![program.into_os_string()]),
        Err(Absent::Unbuilt) if build && !named => Err(Absent::Missing(Refusal {
            reason: "it is built only if it is named, because it is one more build of its crates"
                .to_string(),
            remedy: Some(format!("cupel verify '{}/*'", family.prefix)),
        })),
        Err(absent) => Err(absent.explained_by(family)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_with_flags_of_its_own_is_built_only_if_it_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wide.toml");
        let home = Home {
            root: folder.path().to_path_buf(),
            own: vec![],
            cache: folder.path().join("cache"),
            store: folder.path().join("store"),
        };
        let state = |cfgs: &str, named: &[&str]| {
            let text = format!(
                "runner = \"rust\"\nprefix = \"wide\"\nmanifest = \"none/Cargo.toml\"\n\
                 package = \"none\"\ncfgs = {cfgs}\n"
            );
            std::fs::write(&path, text).unwrap();
            let family = Family::load(&path).unwrap();
            let named = named.iter().map(ToString::to_string).collect();
            let wanted = Wanted { build: true, named, ..Wanted::default() };
            ready(&home, &family, &wanted, &|_| ()).remove(0).command.unwrap_err()
        };
        // There is nothing to build, so a build fails.
        assert!(matches!(state("[]", &[]), Absent::Failed(_)));
        assert!(matches!(state("[\"wide\"]", &["wide/*"]), Absent::Failed(_)));
        let Absent::Missing(refusal) = state("[\"wide\"]", &[]) else { panic!("it was built") };
        assert_eq!(refusal.remedy.as_deref(), Some("cupel verify 'wide/*'"));
    }
}
