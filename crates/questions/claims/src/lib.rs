//! Whether claims hold: `cupel check`. The core decides the claims that a run was asked, and shows
//! them with it; here are those of suites, over all runs of this machine or of every machine.
//!
//! `one` measures a claim of one line, `suites` decides those of suites and measures the open ones,
//! `known` rejects misspelt contenders, `machines` decides over machines, and `facts` finds
//! the facts that separate them. `words` has the report, and `verb` reads the command line. The
//! command lists [`VERB`].

mod facts;
mod known;
mod machines;
mod one;
mod suites;
mod verb;
mod words;

pub use facts::Fact;
pub use machines::{Across, Everywhere, OnMachine, Place, on_every_machine};
pub use verb::VERB;
