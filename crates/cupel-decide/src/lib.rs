//! Conclusions from the figures of a run: claims ([`claims`]), what to use ([`advise`]), what a
//! program's own calls would gain ([`mix`]), whether a default misses a faster code path
//! ([`paths`]), which release made an implementation slower ([`history`]), and why one contender
//! takes longer than another ([`why`]). It prints nothing.

pub mod advise;
pub mod claims;
pub mod history;
pub mod mix;
pub mod paths;
pub mod why;
