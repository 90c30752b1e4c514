//! The base of every other crate: text for people, names of contenders, the catalogue of
//! primitives, and where Cupel's own files are. It starts no process of a contender and does not
//! depend on suites, runs or figures.

pub mod chart;
pub mod disk;
pub mod draws;
pub mod files;
pub mod git;
pub mod home;
pub mod name;
pub mod packages;
pub mod primitives;
pub mod problem;
pub mod program;
pub mod strange;
pub mod text;
