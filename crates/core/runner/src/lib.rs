//! One process of a runner: how it is started and kept from your files ([`Start`]), asked one
//! request at a time ([`Process`]), and how it can fail ([`Fault`]). The measuring core depends on
//! nothing more than a [`Host`], so that simulated runners can replace processes in tests that must
//! take no time. It knows no contender and builds nothing.

mod environment;
mod fault;
mod hidden;
mod host;
mod lines;
mod patient;
mod process;
mod spawn;

pub use fault::{Fault, expect_ok};
pub use host::Host;
pub use process::{Process, Start};
pub use spawn::end_all;
