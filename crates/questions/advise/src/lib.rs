//! Which contender to use, and how much time a program would save by it: `cupel advise`.
//!
//! `advise` has the decision about stored runs, `mix` the calls of a program and the gain of
//! another contender for them, `words` the report, and `verb` reads the command line and measures a
//! mix. The command lists [`VERB`].

pub mod advise;
pub mod mix;
mod verb;
mod words;

pub use verb::VERB;
