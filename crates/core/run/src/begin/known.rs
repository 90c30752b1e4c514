//! Contenders that claims name and that are on a toolchain that is not here.

use cupel_base::name::{ContenderName, Pattern};
use cupel_base::problem::Problem;
use cupel_contender::Contender;
use cupel_plan::must_be_known;
use cupel_protocol::message::Refusal;
use cupel_suite::Suite;
use cupel_toolchain::elsewhere;

/// The reason and remedy for a contender on a toolchain that is not here; `None` if it is here, or
/// if no toolchain has such a contender.
pub fn hosted_elsewhere(name: &ContenderName, all: &[Contender]) -> Option<Refusal> {
    name.toolchain()?;
    if let Some(known) = all.iter().find(|c| c.name == *name) {
        return known.version_missing().cloned();
    }
    if !all.iter().any(|c| c.name.code() == name.code()) {
        return None;
    }
    elsewhere(name)
}

/// Checks the contenders that a suite's claims name. A contender on a toolchain that is not here is
/// known too: its claims stay undecided.
pub fn must_know_claimed(suite: &Suite, contenders: &[Contender]) -> Result<(), Problem> {
    for claim in &suite.claims {
        for name in [&claim.a, &claim.b] {
            let name = name.without_primitive().without_against();
            if hosted_elsewhere(&name, contenders).is_some() {
                continue;
            }
            let pattern = Pattern { text: name.to_string(), line: claim.line };
            must_be_known(suite, &pattern, contenders)?;
        }
    }
    Ok(())
}
