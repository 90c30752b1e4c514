//! A gate over any benchmark: two builds of a program run alternately, and each benchmark of their
//! output is compared.
//!
//! One execution of a command is one fork: it gives one value for each benchmark. In a round, the
//! base, a second copy of it (the control) and the new build run once each, in random order
//! ([`session`]). [`judge`] decides from the record, so a stored record is judged again and gives
//! the same answer. [`revisions`] makes two commands from two Git revisions, and [`program`] runs a
//! command once.
//!
//! The output of a program is not verified: no one knows what it should be.

pub mod child;
pub mod judge;
pub mod program;
mod recipe;
pub mod record;
pub mod revisions;
pub mod session;
