//! The installed parts of this machine: toolchains and families ([`toolchain`]), the contenders
//! that they make ([`contender`]), and one process of a runner ([`runner`]), which [`steps`] can
//! trace one instruction at a time. It measures no time and decides nothing.

pub mod contender;
pub mod runner;
pub mod steps;
pub mod toolchain;
