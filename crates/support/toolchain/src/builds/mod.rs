//! The common parts of all builds: artefacts with the digest of their sources, Cargo, and the
//! content of a package of the tool.

pub mod archives;
pub mod artefact;
pub mod bounded;
pub mod cargo;
pub mod fingerprint;
pub mod installed;
pub mod registry;
pub mod shipped;
pub mod stopwatch;
pub mod tracer;
pub mod watched;
