//! How a Rust crate becomes a contender.
//!
//! A contender is one row of a table ([`Contender`]): its name and origin, and a list of its offers
//! ([`Offered`]), each with the function that prepares it. To add a crate, implement one trait for
//! its kind: [`Hash`](hash::Hash), [`Mac`](mac::Mac) or [`Aead`](aead::Aead). The code around these
//! calls (one-shot and chunked, key prepared or per call, refusals) is written here once,
//! generically. The timed work is one indirect call and then the crate.

pub mod aead;
pub mod chunks;
mod contender;
pub mod cpu;
pub mod empty;
pub mod file;
pub mod hash;
pub mod key;
pub mod mac;
pub mod rustcrypto_010;
mod version;

pub use contender::{Cell, Contender, Contenders, Offered, Open, Timed, TimedMany, serve};
pub use version::{RUSTC, locked};
