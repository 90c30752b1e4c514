//! The source of claims, and the options by which they are decided.

use cupel_suite::{Claim, Options, Suite};

/// Claims that are decided together: a suite's, or a run's with two builds.
#[derive(Clone, Copy, Debug)]
pub struct Claimant<'a> {
    /// The suite's name. Its runs decide the claims.
    pub name: &'a str,
    /// How a run must have measured so that it can decide, and which differences are too small to
    /// matter.
    pub options: &'a Options,
    /// The claims to decide.
    pub claims: &'a [Claim],
}

impl<'a> From<&'a Suite> for Claimant<'a> {
    fn from(suite: &'a Suite) -> Claimant<'a> {
        Claimant { name: &suite.name, options: &suite.options, claims: &suite.claims }
    }
}
