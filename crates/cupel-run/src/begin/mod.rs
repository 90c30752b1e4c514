//! How a run begins: a suite becomes a draft, proofs make a plan of the draft, and the store
//! records the plan. Also how an interrupted run goes on.

mod draft;
mod lease;
mod names;
mod overrides;
mod prove;
mod record;
mod resolve;
mod resume;
mod turn;

pub use draft::draft;
pub use lease::lease;
pub use names::{Named, Names, Work};
pub use overrides::{Against, Overrides, random_seed};
pub use prove::{Proven, prove};
pub use resolve::{Lookup, Unclear};
pub use resume::{Resumed, resume};
pub use turn::Turn;
