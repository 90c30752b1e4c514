//! Which forced paths a suite or a filter asks for: those that a pattern matches without matching
//! the contender that selects its code path by itself. `c/*` asks for no forced path,
//! `c/cupel-ssse3` and `c/cupel-*` do.

use super::filter::Filter;
use crate::contender::{Contender, ForcedPath};
use crate::name::{ContenderName, Pattern};
use crate::suite::Suite;

/// Marks the forced paths that were asked for.
pub fn mark(contenders: &mut [Contender], suite: &Suite, filter: &Filter) {
    for contender in contenders {
        let name = &contender.name;
        if let Some(ForcedPath { of, asked_for }) = &mut contender.forced_path {
            *asked_for = asks(suite, filter, name, of);
        }
    }
}

fn asks(suite: &Suite, filter: &Filter, name: &ContenderName, of: &ContenderName) -> bool {
    let asks = |pattern: &Pattern| pattern.fits(name) && !pattern.fits(of);
    let mut of_groups = suite.workloads.iter().flat_map(|g| g.contenders.iter().chain(&g.baseline));
    let claimed = suite.claims.iter().any(|claim| [&claim.a, &claim.b].contains(&name));
    let filtered = filter.contenders.iter().any(|text| asks(&Pattern::new(text)));
    claimed || filtered || of_groups.any(asks)
}
