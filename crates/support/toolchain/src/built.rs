//! A family with the command line of its runner.

use crate::absent::Absent;
use crate::c::cc;
use cupel_contender::{Family, Variant};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A family that is ready, or why it is not.
#[derive(Clone, Debug)]
pub struct Built {
    /// The family.
    pub family: Family,
    /// The runner's command line, or why all its contenders are absent.
    pub command: Result<Vec<OsString>, Absent>,
    /// Where the runner's list can be kept between runs: only for a runner that starts slowly, and
    /// whose list depends only on the file name.
    pub listing: Option<PathBuf>,
    /// Its difference from its siblings, if it is part of a matrix.
    pub variant: Option<Variant>,
    /// The last argument of the command for each layout, if it has several.
    pub layouts: Vec<PathBuf>,
}

impl Built {
    pub(crate) fn alone(
        family: Family,
        command: Result<Vec<OsString>, Absent>,
        listing: Option<PathBuf>,
    ) -> Built {
        Built { family, command, listing, variant: None, layouts: Vec::new() }
    }

    /// Whether its runner is not confined: the family's file says so, or its program gains
    /// privileges by being started, which a confined process cannot.
    pub(crate) fn is_unconfined(&self) -> bool {
        let program = self.command.as_ref().ok().and_then(|words| words.first());
        !self.family.confined || program.is_some_and(|program| gains_privileges(program))
    }
}

/// Whether a program runs as another user or group than the one that starts it, or is a snap, which
/// such a program starts.
#[cfg(unix)]
fn gains_privileges(program: &OsStr) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let real = cc::located(Path::new(program)).and_then(|path| path.canonicalize().ok());
    let Some(real) = real else { return false };
    let mode = real.metadata().map_or(0, |about| about.permissions().mode());
    mode & 0o6000 != 0 || real.file_name().is_some_and(|name| name == "snap")
}

#[cfg(not(unix))]
fn gains_privileges(_: &OsStr) -> bool {
    false
}
