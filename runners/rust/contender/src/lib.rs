//! How a Rust crate becomes a contender.
//!
//! A contender is one row of a table ([`Contender`]): who it is, and a list of what it [`Offered`]
//! with the function that makes it ready. A crate is brought by implementing one trait for what it
//! has: [`Hash`](hash::Hash), [`Mac`](mac::Mac) or [`Aead`](aead::Aead). The calls around these
//! (one-shot and chunked, key prepared or per call, refusals) are written here once, generically,
//! so that what is timed is one indirect call and then the crate.

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

pub use contender::{Cell, Contender, Contenders, Offered, Timed, serve};
pub use version::{RUSTC, locked};
