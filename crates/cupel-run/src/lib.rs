//! A run: how it begins or goes on ([`begin`]), how long it will take ([`forecast`]), and its
//! forks, rounds and slices ([`measure`]). It stores its measurements and computes no ratio.

pub mod begin;
pub mod forecast;
pub mod measure;
pub mod programs;
