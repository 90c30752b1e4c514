//! The releases of one implementation, in their order.

use cupel_base::name::ContenderName;
use cupel_contender::Contender;
use cupel_suite::Relation;
use cupel_suite::said::Said;
use cupel_toolchain::{library, numbers};

/// The releases of one implementation: full names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Releases {
    /// By ascending version.
    pub chain: Vec<ContenderName>,
    /// The system's own library, which others have built, with other flags. It is compared with the
    /// oldest release, but it is in no step: that might be one of the build.
    pub aside: Option<ContenderName>,
}

impl Releases {
    /// The releases among contenders of one implementation. Releases of a library that something
    /// hosts are compared on this `host`.
    pub fn among(all: &[&Contender], host: Option<&str>) -> Releases {
        let mut found: Vec<&Contender> = all.to_vec();
        if found.iter().any(|c| c.name.host_of_release().is_some()) {
            found.retain(|c| c.name.host() == host);
        }
        found.sort_by_key(|c| {
            let release = c.name.release().unwrap_or_default();
            (numbers(&c.version), c.version.clone(), numbers(release), c.name.clone())
        });
        let (chain, usual): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|c| c.name.toolchain().is_some());
        // The usual toolchain of a language is among those that have a name.
        let mut usual = usual.into_iter().filter(|c| {
            library::of_contender(&c.name).is_some_and(library::Library::is_of_the_system)
        });
        Releases {
            chain: chain.iter().map(|c| c.name.clone()).collect(),
            aside: usual.next().map(|c| c.name.clone()),
        }
    }

    /// All of them, the oldest first.
    pub fn all(&self) -> impl Iterator<Item = &ContenderName> {
        self.chain.iter().chain(&self.aside)
    }

    /// Each and the one before it.
    pub fn steps(&self) -> impl Iterator<Item = Pair<'_>> {
        self.chain.windows(2).map(|pair| Pair { later: &pair[1], earlier: &pair[0] })
    }

    /// Each but the first two and the oldest.
    pub(super) fn to_oldest(&self) -> impl Iterator<Item = Pair<'_>> {
        let oldest = self.chain.iter().take(1);
        oldest.flat_map(|earlier| self.all().skip(2).map(move |later| Pair { later, earlier }))
    }

    /// Takes in others; the ones that are known already show where the rest belongs.
    pub(super) fn merge(&mut self, others: Releases) {
        let mut place = 0;
        for name in others.chain {
            match self.chain.iter().position(|known| *known == name) {
                Some(known) => place = known + 1,
                None => {
                    self.chain.insert(place, name);
                    place += 1;
                }
            }
        }
        self.aside = self.aside.take().or(others.aside);
    }
}

/// Two releases that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair<'a> {
    /// The newer one.
    pub later: &'a ContenderName,
    /// The older one.
    pub earlier: &'a ContenderName,
}

impl Pair<'_> {
    /// The claim that both are equally fast, within this share.
    pub(super) fn claim(self, margin: f64) -> Said {
        let Pair { later, earlier } = self;
        Said {
            a: later.to_string(),
            relation: Relation::Equal(margin),
            b: earlier.to_string(),
            text: format!("{later} is as fast as {earlier}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_contender::State;

    fn releases(names: &[(&str, &str)], host: Option<&str>) -> Releases {
        let all: Vec<Contender> = names
            .iter()
            .map(|(name, version)| Contender {
                version: (*version).into(),
                ..Contender::new((*name).into(), State::Unbuilt)
            })
            .collect();
        Releases::among(&all.iter().collect::<Vec<_>>(), host)
    }

    fn said(releases: &Releases) -> (Vec<&str>, Option<&str>) {
        let chain = releases.chain.iter().map(ContenderName::as_str).collect();
        (chain, releases.aside.as_ref().map(ContenderName::as_str))
    }

    #[test]
    fn releases_are_in_the_order_of_their_versions_and_the_system_s_own_is_aside() {
        let openssl = releases(
            &[
                ("c/openssl-reused", "3.0.19"),
                ("c/openssl-reused@3.10.0", "3.10.0"),
                ("c/openssl-reused@3.2.0", "3.2.0"),
                ("c/openssl-reused@1.1.1w", "1.1.1w"),
            ],
            None,
        );
        let chain = ["1.1.1w", "3.2.0", "3.10.0"].map(|v| format!("c/openssl-reused@{v}"));
        assert_eq!(
            said(&openssl),
            (chain.iter().map(|s| &**s).collect(), Some("c/openssl-reused"))
        );
        let said = |pair: Pair<'_>| {
            let [a, b] = [pair.later, pair.earlier].map(|n| n.release().unwrap_or("system"));
            format!("{a} {b}")
        };
        let pairs: Vec<String> = openssl.steps().chain(openssl.to_oldest()).map(said).collect();
        let expected = ["3.2.0 1.1.1w", "3.10.0 3.2.0", "3.10.0 1.1.1w", "system 1.1.1w"];
        assert_eq!(pairs, expected, "the first step is to the oldest already");
    }

    #[test]
    fn releases_on_a_jdk_are_compared_on_one_and_the_usual_jar_is_one_of_them() {
        let names = [
            ("jvm/bouncycastle@temurin-21", "1.86"),
            ("jvm/bouncycastle@temurin-25", "1.86"),
            ("jvm/bouncycastle@temurin-21+1.70", "1.70"),
            ("jvm/bouncycastle@temurin-25+1.70", "1.70"),
        ];
        let on = |host| said(&releases(&names, Some(host))).0.join(" ");
        assert_eq!(
            on("temurin-25"),
            "jvm/bouncycastle@temurin-25+1.70 jvm/bouncycastle@temurin-25"
        );
        let jdks = [("jvm/jdk@temurin-25", "Eclipse 25"), ("jvm/jdk@temurin-21", "Eclipse 21")];
        let (chain, aside) = (["jvm/jdk@temurin-21", "jvm/jdk@temurin-25"], None);
        assert_eq!(said(&releases(&jdks, Some("temurin-25"))), (chain.to_vec(), aside));
    }

    #[test]
    fn the_releases_of_later_looks_come_between_their_neighbours() {
        let releases = |names: &[&str]| Releases {
            chain: names.iter().map(|name| (*name).into()).collect(),
            aside: None,
        };
        let mut all = releases(&["x@1", "x@9"]);
        for look in [["x@1", "x@5", "x@9"], ["x@5", "x@7", "x@9"], ["x@1", "x@3", "x@5"]] {
            all.merge(releases(&look));
        }
        assert_eq!(said(&all).0, ["x@1", "x@3", "x@5", "x@7", "x@9"]);
    }

    #[test]
    fn the_usual_toolchain_of_a_language_is_not_measured_twice() {
        let names =
            [("go/std", "go1.26.8"), ("go/std@go-1.26", "go1.26.8"), ("go/std@go-1.9", "go1.9")];
        assert_eq!(said(&releases(&names, None)), (vec!["go/std@go-1.9", "go/std@go-1.26"], None));
    }
}
