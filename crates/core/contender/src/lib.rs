//! What a contender is: its names, its offers and its state ([`Contender`]), and the families that
//! declare contenders in the files of `contenders/` ([`Family`]). It is data. Which contenders this
//! machine has is for others to say: nothing here looks for a compiler or starts a runner.

mod contender;
pub mod family;
mod names;

pub use contender::{
    Contender, Secondary, SecondaryKind, State, Variant, contract_to_add, simulated,
    with_environment,
};
pub use family::{Declared, Family, Kind, families};
pub use names::{UNLISTED, all_known, why_unknown};
