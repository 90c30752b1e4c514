//! The steps of the contenders that claims are about.

use cupel_decide::claims::{Answered, Decision};
use cupel_plan::Plan;
use cupel_run::seen::{AS_EVIDENCE, MOST, Seen};
use std::path::Path;
use std::time::Duration;

/// Steps through the cells of a plan, of the contenders that the claims are about. Where a claim is
/// held, their code is evidence only, and long calls are left out. `tell` hears which contender
/// comes next.
pub fn step_claimed(
    plan: &Plan,
    claims: &[Answered],
    cache: &Path,
    patience: Duration,
    tell: &dyn Fn(&str),
) -> Seen {
    let most = |name: &str| {
        let about = claims.iter().filter(|one| one.claim.a == *name || one.claim.b == *name);
        let mut decisions = about.map(Answered::decision).peekable();
        decisions.peek()?;
        Some(if decisions.all(|d| d == Decision::Held) { AS_EVIDENCE } else { MOST })
    };
    Seen::by_stepping_up_to(&most, plan, cache, patience, tell)
}
