//! What the `cupel` tool and its runners say to each other, and the parts of that talk which every
//! runner written in Rust needs.
//!
//! `protocol/SPEC.md` is the specification; this crate is its one Rust form. The tool uses
//! [`message`] and [`line`]; a runner also uses [`serve`], which answers requests, and [`host`],
//! which holds the timed loop.

pub mod batch;
pub mod bytes;
pub mod fold;
pub mod host;
pub mod line;
pub mod message;
pub mod noise;
pub mod serve;
pub mod transcript;
pub mod workload;

/// The protocol version that this crate speaks. A runner of another version is refused by name.
pub const PROTOCOL: u32 = 1;
