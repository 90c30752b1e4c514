//! How a run begins: a suite becomes a draft, proofs make a plan of the draft, and the store
//! records the plan. Also how an interrupted run goes on.

mod afford;
mod draft;
mod find_suite;
mod known;
mod lease;
mod names;
mod other_build;
mod overrides;
mod prove;
mod record;
mod remembered;
mod resolve;
mod resume;
mod turn;

pub use cupel_verify::contenders::Asking;

pub use afford::{Afforded, afforded};
pub use draft::draft;
pub use find_suite::find_suite;
pub use known::hosted_elsewhere;
pub use lease::lease;
pub use names::{Named, Names, Work};
pub use overrides::{Against, Overrides, random_seed};
pub use prove::{Proven, prove};
pub use remembered::Remembered;
pub use resolve::{Lookup, Unclear};
pub use resume::{Resumed, resume};
pub use turn::Turn;
