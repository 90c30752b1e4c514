//! Contenders as data: their names, offers and states ([`Contender`]), and the families that declare
//! them in the files of `contenders/` ([`Family`]). Which of them this machine has is for others to
//! say: nothing here looks for a compiler or starts a runner.

mod contender;
pub mod family;
mod names;

pub use contender::{
    Contender, Secondary, SecondaryKind, State, Variant, contract_to_add, simulated,
    with_environment,
};
pub use family::{Declared, Family, Kind, families};
pub use names::{UNLISTED, all_known, why_unknown};
