//! Conclusions from the figures of a run: claims ([`claims`]), advice ([`advise`]), and the gain of
//! a program's own calls ([`mix`]). It prints nothing.

pub mod advise;
pub mod claims;
pub mod mix;
