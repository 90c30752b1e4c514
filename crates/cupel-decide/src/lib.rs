//! Conclusions from the figures of a run: claims ([`claims`]), what to use ([`advise`]), and what a
//! program's own calls would gain ([`mix`]). It prints nothing.

pub mod advise;
pub mod claims;
pub mod mix;
