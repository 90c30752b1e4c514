//! From a suite to a draft: its contenders found and built, another build of them joined, the whole
//! laid out.

use super::Wish;
use crate::against;
use crate::contender::{self, Contender, State};
use crate::home::Home;
use crate::name::Pattern;
use crate::plan::{Draft, Filter, lay_out};
use crate::problem::{Written, did_you_mean};
use crate::suite::Suite;
use crate::toolchain::newest;
use anyhow::{Result, anyhow, bail};

/// Lays out what is wanted of a suite over the contenders of this machine. `say` hears each phase,
/// and `warn` what a person should know of the outcome.
///
/// # Errors
/// A mistake in a file, a name that nobody has, and a wish that nothing fulfils.
pub fn draft(
    home: &Home,
    suite: &Suite,
    wish: &Wish,
    say: &dyn Fn(&str),
    warn: &dyn Fn(&str),
) -> Result<Draft> {
    let only = newest::named(home, &wish.filter.contenders);
    let contenders = contender::find(home, &wish.wanted(suite, &only), say)?;
    for family in contenders.iter().filter(|c| c.offers.is_empty()) {
        // Nobody knows what it would have offered, so no table can have a row of it.
        if let State::Missing(refusal) | State::Failed(refusal) = &family.state {
            warn(&format!("{} is left out: {}", family.name, refusal.reason));
        }
    }
    all_known(&only, &contenders)?;
    let filter = Filter { contenders: only, ..wish.filter.clone() };
    let draft = match &wish.against {
        None => lay_out(suite, &contenders, &filter, wish.options(suite), wish.seed())?,
        Some(program) => {
            let (contenders, alone) = against::join(program, contenders)?;
            if !alone.is_empty() {
                let alone = alone.join(", ");
                warn(&format!("only the build of --against has {alone}: nothing is claimed of it"));
            }
            let (suite, filter) = against::narrowed(suite, &filter, &contenders)?;
            lay_out(&suite, &contenders, &filter, wish.options(&suite), wish.seed())?
        }
    };
    draft.simulated().map_err(|e| anyhow!(e))?;
    Ok(draft)
}

/// A pattern that fits nobody is misspelt.
fn all_known(only: &[String], contenders: &[Contender]) -> Result<()> {
    for pattern in only {
        let pattern = Pattern::new(pattern);
        if !contenders.iter().any(|c| c.is_meant_by(&pattern)) {
            let known = contenders.iter().map(|c| c.name.as_str());
            let help = did_you_mean(&pattern.text, known, Written::Word)
                .map_or(String::new(), |meant| format!("; {meant}"));
            bail!("no contender is called {}{help}", pattern.text);
        }
    }
    Ok(())
}
