//! Which release of an implementation made it slower: `cupel ask --history`.
//!
//! `history` has the decision, from the results of one run or of several, `bisection` and `range`
//! the releases that are measured, `words` the report, and `inquiry` installs, builds and measures
//! them. The command lists [`ASKED`].

mod bisection;
mod history;
mod inquiry;
mod range;
mod releases;
mod words;

use anyhow::Result;
use clap::{ArgMatches, FromArgMatches};
use cupel_verb::register::{self, INSTEAD};
use cupel_verb::words::OneLine;
use cupel_verb::{Context, Exit};

/// The question as the command lists it.
pub const ASKED: register::Asked = register::Asked {
    verb: "ask",
    options: register::added::<History>,
    answer,
    examples: "  cupel ask --history openssl sha256 16,64,1K   which release made it slower?
  cupel ask --history openssl@1.1.1w.. sha256   which since then? (installs)\n",
};

/// Its option.
#[derive(clap::Args)]
struct History {
    /// Compare the releases of an implementation, and say which one made it slower
    ///
    /// A release is a version of its library, as c/openssl-reused@1.1.1w, or of the toolchain that
    /// hosts it, as go/std@go-1.24: `cupel install` installs it. Cupel measures all installed
    /// releases in one run. A step is a decided difference between two neighbouring releases. The
    /// system's library is measured, too, but has no step, because it was built with other flags.
    ///
    /// A range, openssl@1.1.1w..4.0.3, has all releases from one end to the other that Cupel has or
    /// can install; you may leave out an end. If these are more than four, Cupel installs and
    /// measures the two ends, then the middle of each interval whose ends differ, until it has
    /// located the steps. --budget is then for each run of two releases; a run of three takes half
    /// as much again.
    ///
    /// The exit status is 1 if a release is slower than the one before it (in a range of over four:
    /// than an earlier one), 2 if one of these comparisons is open, else 0.
    #[arg(long, value_name = "IMPLEMENTATION[@RANGE]", group = INSTEAD, display_order = 0)]
    history: Option<String>,
}

fn answer(context: &Context, found: &ArgMatches) -> Option<Result<Exit>> {
    let History { history } = History::from_arg_matches(found).ok()?;
    let named = history?;
    let line = OneLine::from_arg_matches(found).map_err(anyhow::Error::from);
    Some(line.and_then(|line| inquiry::run(context, &line, &named)))
}
