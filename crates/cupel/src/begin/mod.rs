//! How a run begins: a suite becomes a draft, proofs make a plan of the draft, and the store takes
//! the plan. Or how a run that was interrupted goes on.

mod draft;
mod prove;
mod record;
mod resume;
mod wish;

pub use draft::draft;
pub use prove::{Proven, prove};
pub use resume::resume;
pub use wish::Wish;
