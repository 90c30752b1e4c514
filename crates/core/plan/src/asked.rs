//! Which secondary contenders a suite or a filter asks for: those that a pattern matches without
//! matching the contender that stands for them. `c/*` asks for no forced path, `c/cupel-ssse3` and
//! `c/cupel-*` do. A pattern that matches nothing but one implementation and its second styles asks
//! for all of them: `c/openssl-*`.

use super::filter::Filter;
use cupel_base::name::{ContenderName, Pattern};
use cupel_contender::SecondaryKind;
use cupel_contender::{Contender, Secondary};
use cupel_suite::Suite;

/// Marks the secondary contenders that were asked for. `all` are the contenders of this machine.
pub fn mark(contenders: &mut [Contender], all: &[Contender], suite: &Suite, filter: &Filter) {
    let filtered: Vec<Pattern> = filter.contenders.iter().map(Pattern::new).collect();
    let of_groups = suite.workloads.iter().flat_map(|g| g.contenders.iter().chain(&g.baseline));
    let patterns: Vec<&Pattern> = of_groups.chain(&filtered).collect();
    for contender in contenders {
        let name = &contender.name;
        let Some(secondary) = &mut contender.secondary else { continue };
        let mut claimed = suite.claims.iter().flat_map(|claim| [&claim.a, &claim.b]);
        secondary.asked_for = claimed.any(|claimed| claimed.without_primitive() == *name)
            || patterns.iter().any(|pattern| asks(pattern, name, secondary, all));
    }
}

fn asks(pattern: &Pattern, name: &ContenderName, secondary: &Secondary, all: &[Contender]) -> bool {
    if !pattern.fits(name) {
        return false;
    }
    if !pattern.fits(&secondary.of) {
        return true;
    }
    let mut meant = all.iter().filter(|contender| contender.is_meant_by(pattern));
    secondary.kind == SecondaryKind::SecondStyle
        && meant.all(|c| c.name == secondary.of || c.style_of() == Some(&*secondary.of))
}
