//! This build of the tool. Only the command has these facts, and it sets them once, before anything
//! else. A program that does not, such as a test, remembers nothing and embeds no files.

use std::sync::OnceLock;

/// A build of the tool.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Identifies the code: a digest of the tool's sources and of its libraries' versions.
    pub code: &'static str,
    /// The files that the tool reads at run time, as a compressed archive. Empty in a debug build.
    pub bundle: &'static [u8],
}

static THIS: OnceLock<Program> = OnceLock::new();

/// Says which program this is. Only the first call counts.
pub fn set(program: Program) {
    let _ = THIS.set(program);
}

/// The code of this program, if it was set.
pub fn code() -> Option<&'static str> {
    THIS.get().map(|program| program.code)
}

/// The files that this program embeds; empty if there are none.
pub fn bundle() -> &'static [u8] {
    THIS.get().map_or(&[], |program| program.bundle)
}
