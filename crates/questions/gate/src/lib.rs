//! A gate: is the new build slower than the base? Over contenders it is a run (`verb`). Over any
//! benchmark, two builds of a program run alternately, and each benchmark of their output is
//! compared.
//!
//! One execution of a command is one fork: it gives one value for each benchmark. In a round, one
//! build runs once and the other twice (the control), in random order; they swap these parts
//! ([`session`]). [`judge`] decides from the record, so a stored record is judged again and gives
//! the same answer. `revisions` makes two commands from two Git revisions, `places` looks for places
//! that both use, `state` for files that executions keep, and [`program`] runs a command once.
//!
//! The output of a program is not verified, because its correct value is unknown. [`readers`] reads
//! it, in the formats of many programs. Output that such a program wrote earlier can be imported
//! (`import`), and is only shown (`foreign`).
//!
//! `words` has the output of a gate, and `stored` the options of `cupel show` for gates and results
//! in the store. The command lists [`VERB`], [`SHOWN`] and [`READS`].

mod child;
mod dependency;
mod foreign;
mod import;
pub mod judge;
mod places;
pub mod program;
pub mod readers;
mod recipe;
pub mod record;
mod revisions;
pub mod session;
mod state;
mod stored;
mod verb;
mod words;

pub use import::READS;
pub use stored::SHOWN;
pub use verb::VERB;
