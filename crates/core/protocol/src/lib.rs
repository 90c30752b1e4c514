//! The messages between the `cupel` tool and its runners, and the parts that every runner written
//! in Rust needs.
//!
//! `protocol/SPEC.md` is the specification; this crate implements it in Rust. The tool uses
//! [`message`] and [`line`]; a runner also uses [`serve`], which answers requests, and [`host`],
//! which has the timed loop.

pub mod batch;
pub mod bytes;
pub mod fold;
pub mod histogram;
pub mod host;
pub mod line;
pub mod message;
pub mod noise;
pub mod own_pages;
pub mod serve;
pub mod threads;
pub mod transcript;
pub mod workload;

/// The protocol version of this crate. A runner of another version is rejected by name.
pub const PROTOCOL: u32 = 1;
