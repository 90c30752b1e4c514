//! Whether the contenders of claims are known, here or on a toolchain that is not here.

use anyhow::Result;
use cupel_base::home::Home;
use cupel_base::name::ContenderName;
use cupel_base::problem::{Problem, Written, did_you_mean};
use cupel_contender::Contender;
use cupel_protocol::message::Refusal;
use cupel_run::begin;
use cupel_store::Store;
use cupel_suite::Suite;
use cupel_toolchain::Wanted;
use std::collections::{BTreeMap, BTreeSet};

/// Rejects a misspelt contender, whose claims would be undecided for ever. A contender is known if
/// a run measured it, a family declares it, or a runner lists it. Runners are started only for a
/// name that no run and no family has. Returns the contenders on toolchains that are not here, each
/// with the reason and the remedy.
///
/// # Errors
/// If no contender has a name, or if a file or the store cannot be read.
pub fn hosted_elsewhere(
    home: &Home,
    store: &Store,
    suites: &[Suite],
) -> Result<BTreeMap<ContenderName, Refusal>> {
    let mut known: BTreeSet<ContenderName> = BTreeSet::new();
    for planned in store.plans(None)? {
        known.extend(planned.plan.contenders.iter().map(|c| c.name.clone()));
    }
    for family in cupel_contender::families(home)? {
        known.extend(family.contenders.iter().map(|c| family.full_name(&c.name)));
    }
    let mut all: Option<Vec<Contender>> = None;
    let mut elsewhere = BTreeMap::new();
    for (suite, claim) in suites.iter().flat_map(|s| s.claims.iter().map(move |c| (s, c))) {
        for name in [&claim.a, &claim.b] {
            let name = name.without_primitive().without_against();
            if known.contains(&name) || elsewhere.contains_key(&name) {
                continue;
            }
            if all.is_none() {
                let claims = suites.iter().flat_map(|suite| &suite.claims);
                let names = claims.flat_map(|claim| [&claim.a, &claim.b]);
                let named = names.map(|name| name.contender().to_string()).collect();
                let wanted = Wanted { named, ..Wanted::default() };
                let found = cupel_toolchain::find(home, &wanted, &|_| {})?;
                let here = found.iter().filter(|c| c.version_missing().is_none());
                known.extend(here.map(|c| c.name.clone()));
                all = Some(found);
            }
            if known.contains(&name) {
                continue;
            }
            if let Some(refusal) =
                begin::hosted_elsewhere(&name, all.as_deref().unwrap_or_default())
            {
                elsewhere.insert(name, refusal);
                continue;
            }
            let all = known.iter().map(ContenderName::as_str);
            let help = did_you_mean(&name, all, Written::Value)
                .unwrap_or_else(|| "`cupel list` shows the names".to_string());
            let what = format!("no contender is called \"{name}\"");
            let path = suite.path.clone();
            return Err(Problem { path, line: claim.line, what, help: Some(help) }.into());
        }
    }
    Ok(elsewhere)
}
