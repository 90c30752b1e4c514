//! Cupel tests claims about the speed of cryptographic code. ARCHITECTURE.md is the floor plan.
//!
//! The modules follow the flow of data, which only moves to the right: [`suite`] → [`toolchain`],
//! [`contender`], [`runner`] → [`plan`] → [`verify`] → [`begin`] → [`measure`] → [`store`] →
//! [`analyse`] → [`claims`] → [`report`]. Analysis and reports read only the store. [`cli`] has one
//! file for each verb.

pub mod advise;
pub mod against;
pub mod analyse;
pub mod begin;
pub mod chart;
pub mod claims;
pub mod cli;
pub mod conform;
pub mod contender;
pub mod disk;
pub mod draws;
pub mod export;
pub mod files;
pub mod fleet;
pub mod forecast;
pub mod foreign;
pub mod home;
pub mod machine;
pub mod measure;
pub mod mix;
pub mod name;
pub mod paths;
pub mod plan;
pub mod primitives;
pub mod problem;
pub mod programs;
pub mod report;
pub mod runner;
pub mod site;
pub mod steps;
pub mod store;
pub mod suite;
pub mod text;
pub mod toolchain;
pub mod trace;
pub mod tune;
pub mod uefi;
pub mod verify;
