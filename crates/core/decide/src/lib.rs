//! Conclusions from the figures of a run: which of its claims they hold or refute ([`claims`]). It
//! prints nothing.

pub mod claims;
