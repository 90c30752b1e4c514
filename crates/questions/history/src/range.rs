//! Which releases a range means: those that are installed or can be, from one end to the other.

use cupel_base::name::{ContenderName, is_end};
use cupel_base::problem::{Written, did_you_mean};
use cupel_toolchain::{Installable, numbers};
use std::cmp::Ordering;

/// A release of an implementation that is here or can be installed.
pub struct Release {
    /// Its full name: `c/openssl-reused@1.1.1w`.
    pub name: ContenderName,
    /// What to install first, if it is not here.
    pub install: Option<Installable>,
}

/// The releases of an implementation from one end to the other, ascending: those that are `here`,
/// and of `all` that can be installed the others, on `host` if they need one. An end may be as
/// short as in other names, and an empty one is open.
///
/// # Errors
/// A sentence, if an end is none of them, or if they are in the wrong order.
pub fn within(
    [from, to]: [&str; 2],
    here: &[ContenderName],
    (code, host): (&ContenderName, Option<&str>),
    all: Vec<Installable>,
) -> Result<Vec<Release>, String> {
    let here = here.iter().map(|name| Release { name: name.clone(), install: None });
    let mut releases: Vec<Release> = here.collect();
    for one in all {
        let toolchain = one.toolchain(host);
        let family = code.family().unwrap_or_default();
        let name = ContenderName::new(family, code.implementation(), Some(&toolchain));
        if releases.iter().all(|release| release.name != name) {
            releases.push(Release { name, install: Some(one) });
        }
    }
    if releases.iter().any(|release| release.name.host_of_release().is_some()) {
        releases.retain(|release| release.name.host() == host);
    }
    releases.sort_by(|one, other| by_version(&one.name, &other.name));
    let unknown = |end: &str| {
        let known = || releases.iter().filter_map(|release| release.name.release());
        let near = did_you_mean(end, known(), Written::Word).map(|near| format!(" ({near})"));
        format!(
            "{end} is not a release of {code} that is installed or can be{}; these are: {}",
            near.unwrap_or_default(),
            known().collect::<Vec<_>>().join(", ")
        )
    };
    let is = |end: &str, release: &Release| {
        let toolchain = release.name.toolchain().unwrap_or_default();
        release.name.release() == Some(end) || is_end(end, toolchain)
    };
    let first = match from {
        "" => 0,
        _ => releases.iter().position(|one| is(from, one)).ok_or_else(|| unknown(from))?,
    };
    let last = match to {
        "" => releases.len().saturating_sub(1),
        _ => releases.iter().rposition(|one| is(to, one)).ok_or_else(|| unknown(to))?,
    };
    if last < first {
        return Err(format!("{to} comes before {from}: a range begins with its oldest release"));
    }
    releases.truncate(last + 1);
    Ok(releases.split_off(first))
}

/// The usual release of a library that something hosts is its newest, and its name does not have
/// the version.
fn by_version(one: &ContenderName, other: &ContenderName) -> Ordering {
    match (one.host_of_release(), other.host_of_release()) {
        (None, Some(_)) => return Ordering::Greater,
        (Some(_), None) => return Ordering::Less,
        _ => {}
    }
    let [one, other] = [one, other].map(|name| name.release().unwrap_or_default());
    numbers(one).cmp(&numbers(other)).then_with(|| one.cmp(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_toolchain::{library, releases, versions};

    fn names(
        ends: [&str; 2],
        here: &[&str],
        code: (&str, Option<&str>),
        all: Vec<Installable>,
    ) -> Result<Vec<String>, String> {
        let here: Vec<ContenderName> = here.iter().map(|name| (*name).into()).collect();
        let found = within(ends, &here, (&code.0.into(), code.1), all)?;
        let said = found.iter().map(|one| {
            let mark = if one.install.is_some() { "+" } else { "" };
            format!("{mark}{}", one.name.release().unwrap_or_default())
        });
        Ok(said.collect())
    }

    fn of_library(word: &str) -> Vec<Installable> {
        library::with_word(word).unwrap().known().map(Installable::Library).collect()
    }

    #[test]
    fn a_range_has_what_is_here_and_what_can_be_installed_in_the_order_of_versions() {
        let openssl = |ends: [&str; 2], here: &[&str]| {
            names(ends, here, ("c/openssl-reused", None), of_library("openssl"))
        };
        let here = ["c/openssl-reused@3.0.8", "c/openssl-reused@3.4.0"];
        let found = openssl(["1.1.1w", "3.5.0"], &here).unwrap();
        assert_eq!((&*found[0], found.last().unwrap().as_str()), ("+1.1.1w", "+3.5.0"));
        let places = ["3.0.8", "+3.3.1", "3.4.0"].map(|one| {
            found.iter().position(|name| name == one).unwrap_or_else(|| panic!("{one}: {found:?}"))
        });
        assert!(places.is_sorted(), "{found:?}");
        let all = openssl(["", ""], &[]).unwrap();
        assert_eq!(all.len(), of_library("openssl").len());
        let said = openssl(["1.1.1", ""], &[]).unwrap_err();
        assert!(said.starts_with("1.1.1 is not a release of c/openssl-reused"), "{said}");
        assert!(said.contains("1.1.1w, "), "{said}");
        let said = openssl(["4.0.3", "1.1.1w"], &[]).unwrap_err();
        assert!(said.starts_with("1.1.1w comes before 4.0.3"), "{said}");
    }

    #[test]
    fn an_end_is_as_short_as_in_other_names() {
        let go = versions::with_word("go").unwrap();
        let all = || releases::known(go).map(Installable::Release).collect();
        let found = names(["1.22", "go-1.24"], &["go/std@go-1.23"], ("go/std", None), all());
        assert_eq!(found.unwrap(), ["+go-1.22", "go-1.23", "+go-1.24"]);
    }

    #[test]
    fn the_usual_jar_is_the_newest_release() {
        let host = Some("temurin-25");
        let here = [
            "jvm/bouncycastle@temurin-17",
            "jvm/bouncycastle@temurin-25",
            "jvm/bouncycastle@temurin-25+1.60",
        ];
        let of = ("jvm/bouncycastle", host);
        let found = names(["1.60", ""], &here, of, of_library("bouncycastle")).unwrap();
        assert_eq!((&*found[0], found.last().unwrap().as_str()), ("1.60", "temurin-25"));
        assert!(found.contains(&"+1.70".to_string()), "{found:?}");
        assert!(!found.contains(&"temurin-17".to_string()), "on one JDK: {found:?}");
    }
}
