//! Who claims something, and by which measure.

use crate::suite::{Claim, Options, Suite};

/// Claims that are decided alike: those of a suite, or of a run with two builds.
#[derive(Clone, Copy, Debug)]
pub struct Claimant<'a> {
    /// The suite's name; a run of it answers.
    pub name: &'a str,
    /// How a run that answers must have measured, and what is too close to matter.
    pub options: &'a Options,
    /// What is claimed.
    pub claims: &'a [Claim],
}

impl<'a> From<&'a Suite> for Claimant<'a> {
    fn from(suite: &'a Suite) -> Claimant<'a> {
        Claimant { name: &suite.name, options: &suite.options, claims: &suite.claims }
    }
}
