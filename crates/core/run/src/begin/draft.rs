//! From a suite to a draft: finds and builds the contenders, adds another build's, and lays out the
//! comparisons.

use super::known::must_know_claimed;
use super::other_build::Build;
use super::{Against, Overrides};
use anyhow::{Result, anyhow};
use cupel_base::home::Home;
use cupel_base::name::Pattern;
use cupel_contender::{Contender, State};
use cupel_plan::against;
use cupel_plan::{Draft, Filter, lay_out};
use cupel_suite::Suite;
use cupel_toolchain::kept::Kept;
use cupel_toolchain::{Wanted, newest};

/// Lays out the requested part of a suite over the contenders of this machine. `say` gets each
/// phase, and `warn` the warnings about the outcome.
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
    let program = match &overrides.against {
        Some(Against::Program(program)) => {
            Some(Build::ask(program, &cupel_contender::families(home)?)?)
        }
        Some(Against::Kept(_)) | None => None,
    };
    let filter = &overrides.filter;
    let suite =
        &suite.clone().under(&filter.contract, filter.shape, |group| filter.wants(group))?;
    let claims = suite.claims.iter().filter(|_| overrides.claimed);
    let claimed: Vec<String> =
        claims.flat_map(|c| [&c.a, &c.b]).map(|name| name.contender().to_string()).collect();
    let only = newest::named(home, &[&filter.contenders[..], &claimed].concat());
    let wanted = Wanted {
        implementations: program.as_ref().map_or(vec![], Build::implementations),
        ..overrides.wanted(suite, &only)
    };
    let contenders = cupel_toolchain::find(home, &wanted, say)?;
    for family in contenders.iter().filter(|c| c.offers.is_empty()) {
        // It is not known what the family would have offered, so no table can have a row for it.
        if let State::Missing(refusal) | State::Failed(refusal) = &family.state {
            warn(&format!("{} is left out: {}", family.name, refusal.reason));
        }
    }
    cupel_contender::all_known(&only, &contenders).map_err(|e| anyhow!(e))?;
    must_know_claimed(suite, &contenders)?;
    let filter = Filter { contenders: only, ..overrides.filter.clone() };
    let draft = if overrides.against.is_none() {
        lay_out(suite, &contenders, &filter, overrides.options(suite), overrides.seed())?
    } else {
        let mut builds: Vec<Build> = program.into_iter().collect();
        if let Some(Against::Kept(all)) = &overrides.against {
            builds.extend(on_kept(all, &contenders, warn));
        }
        let mut both = contenders;
        for build in builds {
            let joined = build.join(both)?;
            both = joined.contenders;
            if overrides.may_differ {
                let names: Vec<&str> = joined.alone.iter().step_by(2).map(|c| &*c.name).collect();
                if !names.is_empty() {
                    let names = names.join(", ");
                    warn(&format!("only one build has {names}: nothing is claimed about it"));
                }
            } else {
                let is_alone = |c: &Contender| joined.alone.iter().any(|one| one.name == c.name);
                both.retain(|c| !is_alone(c));
                both.extend(joined.alone);
            }
        }
        let (suite, filter) = against::narrowed(suite, &filter, &both, overrides.may_differ, warn)?;
        lay_out(&suite, &both, &filter, overrides.options(&suite), overrides.seed())?
    };
    draft.simulated().map_err(|e| anyhow!(e))?;
    for text in filter.contenders.iter().filter(|text| text.contains('*')) {
        let pattern = Pattern::new(text);
        if !draft.contenders().iter().any(|contender| contender.is_meant_by(&pattern)) {
            warn(&format!("no contender of {} matches {text}, so it selects nothing", suite.name));
        }
    }
    Ok(draft)
}

/// The families on the libraries that were kept of them. One that does not start with them any more
/// is left out.
fn on_kept(all: &[Kept], contenders: &[Contender], warn: &dyn Fn(&str)) -> Vec<Build> {
    let mut builds = Vec::new();
    for kept in all {
        let is_plain =
            |c: &&Contender| c.family == kept.family && c.is_ready() && c.environment().is_empty();
        let Some(known) = contenders.iter().find(is_plain) else { continue };
        match Build::kept(kept, known) {
            Ok(build) => builds.push(build),
            Err(why) => warn(&format!("{why:#}, so it is left out")),
        }
    }
    builds
}
