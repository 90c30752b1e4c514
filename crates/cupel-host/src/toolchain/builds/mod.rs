//! What all builds share: artefacts with the digest of their sources, Cargo, and what a package of
//! the tool brings along.

pub mod archives;
pub mod artefact;
pub mod bounded;
pub mod cargo;
pub mod fingerprint;
pub mod installed;
pub mod registry;
pub mod shipped;
pub mod tracer;
pub mod watched;
