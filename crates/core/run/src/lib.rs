//! A run: how it begins or goes on ([`begin`]), how long it will take ([`forecast`]), and its
//! forks, rounds and slices ([`measure`]); after it, the steps of a call of each contender ([`seen`]).
//! It stores its measurements and computes no ratio.

pub mod begin;
pub mod forecast;
pub mod measure;
pub mod programs;
pub mod seen;
