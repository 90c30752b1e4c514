//! The call that does nothing: its time is the harness overhead.

use crate::hash::{Hash, digest};
use crate::{Contender, Offered};

#[derive(Clone)]
struct Empty;

impl Hash for Empty {
    fn new() -> Self {
        Empty
    }

    fn update(&mut self, _piece: &[u8]) {}

    fn finish(self, _output: &mut [u8]) -> usize {
        0
    }
}

const OFFERS: &[Offered] = &[digest::<Empty>("empty")];

/// The contender `empty`.
pub const EMPTY: Contender = Contender {
    name: "empty",
    library: "cupel",
    version: env!("CARGO_PKG_VERSION"),
    licence: "MIT OR Apache-2.0",
    summary: "nothing, through the same indirect call: what the harness itself costs",
    fixed_key: None,
    missing: || None,
    code_path: |_| "none".to_string(),
    offers: OFFERS,
};
