//! Which contenders of this machine are wanted, and so which families are built and which runners
//! are asked.

use cupel_base::name::{ContenderName, Pattern};
use cupel_base::primitives::EMPTY;
use cupel_contender::Family;
use std::path::PathBuf;

/// Which contenders of this machine are wanted.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Whether to build contenders that are not built yet.
    pub build: bool,
    /// Names and patterns with which a suite, a filter or a claim asks for contenders. A matrix is
    /// included only if one of these names the part after the `@`.
    pub named: Vec<String>,
    /// Build only contenders that may match one of these; empty for everything that is named.
    pub narrow: Vec<String>,
    /// The runners to ask for their contenders. The others' contenders are known from the families'
    /// files.
    pub ask: Ask,
    /// Build and ask only families that declare one of these implementations, or none at all; empty
    /// for every family.
    pub implementations: Vec<String>,
    /// Compilers given by path.
    pub compilers: Vec<PathBuf>,
}

/// The runners that are asked for their contenders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ask {
    /// The runners of every family that is named.
    #[default]
    Every,
    /// Only the runners that one of the patterns may mean.
    Only(Vec<String>),
    /// None.
    None,
}

impl Wanted {
    /// Whether anything of a family may be meant, given the first part of its contenders' names.
    pub(crate) fn concerns(&self, prefix: &str) -> bool {
        may_mean(&self.named, prefix)
    }

    /// Whether a family's runner has to be asked for its contenders.
    pub(crate) fn asks(&self, family: &Family, families: &[Family]) -> bool {
        let ask = match &self.ask {
            Ask::Every => true,
            Ask::Only(texts) => may_be_of(texts, family, families),
            Ask::None => false,
        };
        ask && may_be_of(&self.named, family, families)
    }

    /// Whether a family may host one of the implementations, or the empty operation for one. If no
    /// family declares any of them, a name may be misspelt, and all may.
    pub(crate) fn may_host(&self, family: &Family, families: &[Family]) -> bool {
        let mut hosts = families.iter().filter(|family| self.names_one_of(family)).peekable();
        hosts.peek().is_none()
            || family.contenders.is_empty()
            || self.names_one_of(family)
            || (has_empty(family) && hosts.any(|host| host.prefix == family.prefix))
    }

    fn names_one_of(&self, family: &Family) -> bool {
        family.contenders.iter().any(|declared| self.implementations.contains(&declared.name))
    }

    /// Whether a family is to be built, if it is not.
    pub(crate) fn builds(&self, prefix: &str) -> bool {
        self.build && may_mean(&self.narrow, prefix)
    }

    /// Everything that the families declare, without matrices.
    pub fn plain(build: bool) -> Wanted {
        Wanted { build, ..Wanted::default() }
    }
}

fn may_mean(patterns: &[String], prefix: &str) -> bool {
    let mut all = patterns.iter().map(Pattern::new);
    patterns.is_empty() || all.any(|pattern| pattern.may_name_family(prefix))
}

/// Whether one of these, if there are any, may mean a contender of a family's runner. A name that a
/// file of `families` declares belongs to no other family. An empty operation is needed with all
/// contenders of its runner.
fn may_be_of(texts: &[String], family: &Family, families: &[Family]) -> bool {
    texts.is_empty()
        || texts.iter().any(|text| {
            let name = ContenderName::from(text.as_str());
            let of_another = !has_empty(family)
                && !text.contains('*')
                && !family.declares(name.code())
                && families.iter().any(|other| other.declares(name.code()));
            !of_another && Pattern::new(text).may_name_family(&family.prefix)
        })
}

fn has_empty(family: &Family) -> bool {
    let mut offers = family.contenders.iter().flat_map(|c| &c.offers);
    offers.any(|offer| offer.primitive == EMPTY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runners_of_which_something_may_be_wanted_are_asked() {
        let folder = tempfile::tempdir().unwrap();
        let family = |name: &str, prefix: &str, declared: &str| {
            let path = folder.path().join(format!("{name}.toml"));
            let text = format!("runner = \"program\"\nprefix = \"{prefix}\"\ncommand = [\"x\"]\n");
            std::fs::write(&path, text + declared).unwrap();
            Family::load(&path).unwrap()
        };
        let one = |name: &str, offer: &str| {
            format!("[[contender]]\nname = \"{name}\"\noffers = [\"{offer}\"]\n")
        };
        let families = [
            family("known", "c", &one("x", "sha256:digest")),
            family("unknown", "c", ""),
            family("empty", "c", &one("empty", "empty:digest")),
            family("jvm", "jvm", &one("jdk", "sha256:digest")),
        ];
        let asked = |named: &[&str], ask: Ask| {
            let named = named.iter().map(ToString::to_string).collect();
            let wanted = Wanted { named, ask, ..Wanted::default() };
            let asked = families.iter().filter(|family| wanted.asks(family, &families));
            asked.map(|family| family.name.as_str()).collect::<Vec<_>>()
        };
        let of_c = ["known", "unknown", "empty"];
        assert_eq!(asked(&[], Ask::Every), ["known", "unknown", "empty", "jvm"]);
        assert_eq!(asked(&["c/*"], Ask::Every), of_c);
        assert_eq!(asked(&["c/x"], Ask::Every), ["known", "empty"]);
        assert_eq!(asked(&["c/y"], Ask::Every), of_c, "no family declares it");
        assert_eq!(asked(&["jvm/jdk@temurin-21"], Ask::Every), ["jvm"]);
        let only = |text: &str| Ask::Only(vec![text.to_string()]);
        assert_eq!(asked(&["c/*", "jvm/*"], only("c/x")), ["known", "empty"]);
        assert!(asked(&["c/*"], Ask::None).is_empty());

        let may_host = |implementation: &str| {
            let wanted =
                Wanted { implementations: vec![implementation.to_string()], ..Wanted::default() };
            let hosts = families.iter().filter(|family| wanted.may_host(family, &families));
            hosts.map(|family| family.name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(may_host("x"), of_c);
        assert_eq!(may_host("jdk"), ["unknown", "jvm"]);
        assert_eq!(may_host("jdkk"), ["known", "unknown", "empty", "jvm"]);
    }
}
