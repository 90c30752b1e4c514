//! Which secondary contenders a suite or a filter asks for: those that a pattern matches without
//! matching the contender that stands for them. `c/*` asks for no forced path, `c/cupel-ssse3` and
//! `c/cupel-*` do. Who names nothing but the styles of one implementation asks for all of them:
//! `c/openssl-*`.

use super::filter::Filter;
use cupel_base::name::{ContenderName, Pattern};
use cupel_host::contender::{Contender, Secondary};
use cupel_host::toolchain::SecondaryKind;
use cupel_suite::{Claim, Suite};

/// Marks the secondary contenders that were asked for. `all` are the contenders of this machine.
pub fn mark(contenders: &mut [Contender], all: &[Contender], suite: &Suite, filter: &Filter) {
    let filtered: Vec<Pattern> = filter.contenders.iter().map(Pattern::new).collect();
    let of_groups = suite.workloads.iter().flat_map(|g| g.contenders.iter().chain(&g.baseline));
    let patterns: Vec<&Pattern> = of_groups.chain(&filtered).collect();
    for contender in contenders {
        let name = &contender.name;
        let Some(secondary) = &mut contender.secondary else { continue };
        let names = |claim: &Claim| [&claim.a, &claim.b].map(ContenderName::without_primitive);
        let claimed = suite.claims.iter().any(|claim| names(claim).contains(name));
        let asks = |pattern: &&Pattern| asks(pattern, name, secondary, all);
        secondary.asked_for = claimed || patterns.iter().any(asks);
    }
}

fn asks(pattern: &Pattern, name: &ContenderName, secondary: &Secondary, all: &[Contender]) -> bool {
    let of_it = |c: &Contender| c.name == secondary.of || c.style_of() == Some(&*secondary.of);
    let nothing_else = || all.iter().filter(|c| c.is_meant_by(pattern)).all(of_it);
    pattern.fits(name)
        && (!pattern.fits(&secondary.of)
            || (secondary.kind == SecondaryKind::SecondStyle && nothing_else()))
}
