//! From the words of a command line to contenders, for every verb: before anything is built, and
//! before another run is waited for.

use super::resolve::Lookup;
use anyhow::{Result, anyhow};
use cupel_base::home::Home;
use cupel_base::name::ContenderName;
use cupel_contender::Family;
use cupel_contender::{Contender, State};
use cupel_protocol::workload::{Contract, Operation};
use cupel_toolchain::{Ask, Wanted, newest};
use std::path::PathBuf;

/// The work that contenders must offer to be meant by words.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// The primitives; each may be a choice.
    pub primitives: &'a [String],
    /// The operation of the primitives.
    pub operation: Operation,
    /// The contract; `None` if any will do.
    pub contract: Option<&'a Contract>,
}

/// How words are looked up.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// Where the families are.
    pub home: &'a Home,
    /// The work that the contenders must offer; `None` if anything will do.
    pub work: Option<Work<'a>>,
    /// Compilers given by path.
    pub compilers: &'a [PathBuf],
    /// Whether to build a family of which only its runner knows what it has.
    pub build: bool,
    /// Gets each phase.
    pub say: &'a dyn Fn(&str),
}

/// The meaning of words.
pub struct Named {
    /// The words, with `@newest` and whole families replaced.
    pub words: Vec<String>,
    /// For each of them, a full name or a pattern.
    pub names: Vec<String>,
    /// The contenders of the families that the words may mean, as far as they had to be known.
    pub all: Vec<Contender>,
}

impl Named {
    /// The contenders that are named in full and are known to be missing, without a build.
    pub fn missing(&self) -> Vec<&Contender> {
        let missing = self.all.iter().filter(|c| matches!(c.state, State::Missing(_)));
        missing.filter(|c| self.names.iter().any(|name| *name == *c.name)).collect()
    }
}

impl Names<'_> {
    /// The meaning of these words. A name that a family declares needs no runner to be resolved:
    /// one that hangs delays no request for others. A misspelt name builds nothing but the families
    /// that may yet turn out to have it.
    ///
    /// # Errors
    /// A word that no contender, or more than one, is meant by; or a mistake in a family's file.
    pub fn resolve(&self, words: &[String]) -> Result<Named> {
        let families = cupel_contender::families(self.home)?;
        let words = newest::named(self.home, &of_whole_families(words, &families));
        let compilers = self.compilers.to_vec();
        let wanted = Wanted { named: words.clone(), compilers, ..Wanted::default() };
        let newest = newest::jdk(self.home);
        let resolved = |all: &[Contender]| self.resolved(&words, all, newest.as_deref());
        let named = |names, all| Ok(Named { words: words.clone(), names, all });

        let mut declared = self.find(Wanted { ask: Ask::None, ..wanted.clone() })?;
        declared.retain(|contender| !hides_names(contender));
        if let Ok(names) = resolved(&declared) {
            return named(names, declared);
        }
        let all = self.find(wanted.clone())?;
        let narrow: Vec<String> = all
            .iter()
            .filter(|contender| hides_names(contender))
            .filter_map(|contender| contender.name.family())
            .map(|family| format!("{family}/*"))
            .collect();
        let names = resolved(&all);
        if names.is_ok() || !self.build || narrow.is_empty() {
            return named(names.map_err(|why| anyhow!(why))?, all);
        }
        let all = self.find(Wanted { build: true, narrow, ..wanted })?;
        named(resolved(&all).map_err(|why| anyhow!(why))?, all)
    }

    fn find(&self, wanted: Wanted) -> Result<Vec<Contender>> {
        Ok(cupel_toolchain::find(self.home, &wanted, self.say)?)
    }

    fn resolved(
        &self,
        words: &[String],
        all: &[Contender],
        newest: Option<&str>,
    ) -> Result<Vec<String>, String> {
        let anything = Work { primitives: &[], operation: Operation::Digest, contract: None };
        let Work { primitives, operation, contract } = self.work.unwrap_or(anything);
        let usual = Contract::usual(operation);
        let lookup =
            Lookup { all, primitives, operation, contract: contract.unwrap_or(&usual), newest };
        let resolved = words.iter().map(|word| match contract {
            Some(_) => lookup.resolve(word),
            None => lookup.resolve_any(word),
        });
        resolved.collect()
    }
}

/// Whether this stands for a family whose file declares no contenders: only its runner knows them.
fn hides_names(contender: &Contender) -> bool {
    contender.offers.is_empty() && contender.state == State::Unbuilt
}

/// The names, where a family's alone means all that it has: `rust` is `rust/*`.
fn of_whole_families(names: &[String], families: &[Family]) -> Vec<String> {
    let mut whole = Vec::new();
    for name in names {
        let is_one = families.iter().any(|f| f.contenders.iter().any(|c| c.name == *name));
        let is_family = families.iter().any(|family| family.prefix == *name);
        let all = || ContenderName::new(name, "*", None).to_string();
        whole.push(if is_family && !is_one { all() } else { name.clone() });
    }
    whole
}
