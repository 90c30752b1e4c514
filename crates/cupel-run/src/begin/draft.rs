//! From a suite to a draft: finds and builds the contenders, adds those of another build, and lays
//! out the comparisons.

use super::Overrides;
use anyhow::{Result, anyhow};
use cupel_base::home::Home;
use cupel_host::contender::{self, State};
use cupel_host::toolchain::{self, Wanted, newest};
use cupel_plan::against::{self, Build};
use cupel_plan::{Draft, Filter, lay_out};
use cupel_suite::Suite;

/// Lays out the requested part of a suite over the contenders of this machine. `say` gets each
/// phase, and `warn` what a person should know about the outcome.
///
/// # Errors
/// A mistake in a file, a name that no contender has, or a request that no contender satisfies.
pub fn draft(
    home: &Home,
    suite: &Suite,
    overrides: &Overrides,
    say: &dyn Fn(&str),
    warn: &dyn Fn(&str),
) -> Result<Draft> {
    let other = match &overrides.against {
        Some(program) => Some(Build::ask(program, &toolchain::families(home)?)?),
        None => None,
    };
    let filter = &overrides.filter;
    let suite =
        &suite.clone().under(&filter.contract, filter.shape, |group| filter.wants(group))?;
    let claims = suite.claims.iter().filter(|_| overrides.claimed);
    let claimed: Vec<String> =
        claims.flat_map(|c| [&c.a, &c.b]).map(|name| name.contender().to_string()).collect();
    let only = newest::named(home, &[&filter.contenders[..], &claimed].concat());
    let wanted = Wanted {
        implementations: other.as_ref().map_or(vec![], Build::implementations),
        ..overrides.wanted(suite, &only)
    };
    let contenders = contender::find(home, &wanted, say)?;
    for family in contenders.iter().filter(|c| c.offers.is_empty()) {
        // It is not known what the family would have offered, so no table can have a row for it.
        if let State::Missing(refusal) | State::Failed(refusal) = &family.state {
            warn(&format!("{} is left out: {}", family.name, refusal.reason));
        }
    }
    contender::all_known(&only, &contenders).map_err(|e| anyhow!(e))?;
    let filter = Filter { contenders: only, ..overrides.filter.clone() };
    let draft = match other {
        None => lay_out(suite, &contenders, &filter, overrides.options(suite), overrides.seed())?,
        Some(other) => {
            let (contenders, alone) = other.join(contenders)?;
            if !alone.is_empty() {
                let alone = alone.join(", ");
                warn(&format!(
                    "only the build of --against has {alone}: nothing is claimed about it"
                ));
            }
            let (suite, filter) = against::narrowed(suite, &filter, &contenders)?;
            lay_out(&suite, &contenders, &filter, overrides.options(&suite), overrides.seed())?
        }
    };
    draft.simulated().map_err(|e| anyhow!(e))?;
    Ok(draft)
}
