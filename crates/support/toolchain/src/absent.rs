//! Why a family has no runner here.

use crate::c::cc;
use cupel_contender::{Family, State};
use cupel_protocol::message::Refusal;
use std::path::Path;

/// Why a family has no runner here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absent {
    /// Something is not installed.
    Missing(Refusal),
    /// The build failed, although nothing seems to be missing.
    Failed(Refusal),
    /// It is not built, and building was not wanted.
    Unbuilt,
}

impl Absent {
    pub(crate) fn failed(reason: impl Into<String>) -> Absent {
        Absent::Failed(Refusal::because(reason))
    }

    /// For a file or a folder that Cupel cannot `make`, `read` or `store`.
    pub(crate) fn cannot(act: &str, path: &Path, error: std::io::Error) -> Absent {
        Absent::failed(format!("cannot {act} {}: {error}", path.display()))
    }

    /// The family's own message about something missing, followed by the build's message.
    pub(crate) fn explained_by(self, family: &Family) -> Absent {
        match (self, &family.missing) {
            // Without a compiler the family's own needs are unknown.
            (Absent::Missing(found), _) if found == cc::missing() => Absent::Missing(found),
            (Absent::Missing(found), Some(said)) => Absent::Missing(Refusal {
                reason: format!("{} ({})", said.reason, found.reason),
                remedy: said.remedy.clone().or(found.remedy),
            }),
            (other, _) => other,
        }
    }
}

impl From<Absent> for State {
    fn from(why: Absent) -> State {
        match why {
            Absent::Missing(refusal) => State::Missing(refusal),
            Absent::Failed(refusal) => State::Failed(refusal),
            Absent::Unbuilt => State::Unbuilt,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_base::packages;

    #[test]
    fn without_a_compiler_no_family_names_its_own_packages() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lib.toml");
        let text = "runner = \"native\"\nprefix = \"c\"\nsource = \"x.c\"\n[missing]\n\
                    reason = \"libx is not installed\"\nremedy = \"apt-get install libx\"\n";
        std::fs::write(&path, text).unwrap();
        let family = Family::load(&path).unwrap();
        let compiler = Absent::Missing(cc::missing());
        assert_eq!(compiler.clone().explained_by(&family), compiler);
        let header = Absent::Missing(Refusal::because("x.h: No such file or directory"));
        let Absent::Missing(explained) = header.explained_by(&family) else {
            panic!("still missing")
        };
        assert_eq!(explained.reason, "libx is not installed (x.h: No such file or directory)");
        assert_eq!(explained.remedy, Some(packages::remedy("apt-get install libx")));
    }
}
