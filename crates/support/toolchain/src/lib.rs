//! The compilers, JDKs, languages and releases of libraries ([`library`]) of this machine, and the
//! runner that is built with them for each family, until [`find`] has the contenders of all. It
//! builds and asks; it measures no time and decides nothing.

mod absent;
mod builds;
mod built;
mod c;
mod elsewhere;
mod find;
mod installable;
mod jvm;
mod language;
pub mod library;
mod naming;
mod ready;
pub mod ship;
pub mod trust;
mod variables;
mod wanted;

pub use absent::Absent;
pub use builds::cargo::first_error;
pub use builds::installed::remove;
pub use builds::stopwatch::building;
pub use builds::tracer::{Agent, Tracer, tracer};
pub use built::Built;
pub use c::loads::loads;
pub use c::{cc, compiler, debian, kept, zig};
pub use elsewhere::{elsewhere, is_jdk, is_jit};
pub use find::{ask, find};
pub use installable::Installable;
pub use jvm::jdk::found as jdks;
pub use jvm::jre;
pub use language::found::{found as on_versions, known as on_known_versions};
pub use language::{newest, releases, version, versions};
pub use naming::numbers;
pub use ready::ready;
pub use wanted::{Ask, Wanted};
