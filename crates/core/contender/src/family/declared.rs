//! A `[[contender]]` of a file of `contenders/`: the facts about it even if it is missing.

use super::reader::File;
use crate::contender::SecondaryKind;
use cupel_base::name::ContenderName;
use cupel_base::problem::{Problem, Written, did_you_mean, line_of};
use cupel_protocol::message::Offer;
use serde::Deserialize;
use serde_spanned::Spanned;
use std::collections::BTreeMap;

/// A contender as its family's file declares it: the facts about it even if it is missing.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// Its name within the runner.
    pub name: String,
    /// The library that it comes from.
    pub library: String,
    /// SPDX expression of the library's licence.
    pub licence: String,
    /// How the library is called.
    pub summary: String,
    /// Its offers.
    pub offers: Vec<Offer>,
    /// The contender of the same family that stands for it, if it is secondary to one, and its
    /// kind.
    pub secondary: Option<(SecondaryKind, String)>,
    /// The variables of its process in addition to the tool's own: `NAME=value`, by name.
    pub environment: Vec<String>,
    /// Features that the CPU must have, as `/proc/cpuinfo` names them.
    pub needs: Vec<String>,
    /// Features of the CPU that are hidden from its process, by the same names.
    pub hides: Vec<String>,
    /// The contender as which its runner lists it, if it has another name there: it is that one,
    /// with an environment or on a lesser CPU.
    pub hosted_as: Option<String>,
    /// The line of the family's file that names it.
    pub line: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawContender {
    pub(crate) name: Spanned<String>,
    #[serde(default)]
    library: String,
    #[serde(default)]
    licence: String,
    #[serde(default)]
    summary: String,
    offers: Vec<Spanned<String>>,
    fixed_key: Option<String>,
    forced_path_of: Option<Spanned<String>>,
    style_of: Option<Spanned<String>>,
    environment: Option<Spanned<BTreeMap<String, String>>>,
    #[serde(default)]
    needs: Vec<Spanned<String>>,
    #[serde(default)]
    hides: Vec<Spanned<String>>,
    hosted_as: Option<Spanned<String>>,
}

impl RawContender {
    /// The contender to which it is secondary, with the way, if it is.
    fn secondary(&self) -> Option<(SecondaryKind, &Spanned<String>)> {
        let forced = self.forced_path_of.as_ref().map(|of| (SecondaryKind::ForcedPath, of));
        forced.or(self.style_of.as_ref().map(|of| (SecondaryKind::SecondStyle, of)))
    }
}

impl RawContender {
    /// The contender, whose mistakes are located.
    pub(crate) fn declared(self, file: &File<'_>) -> Result<Declared, Problem> {
        let secondary = self.secondary().map(|(kind, of)| (kind, of.get_ref().clone()));
        let RawContender { name, library, licence, summary, offers, fixed_key, .. } = self;
        let line = line_of(file.text, name.span().start);
        let name = name.into_inner();
        let environment = match self.environment {
            Some(table) => environment(&name, &table, file)?,
            None => vec![],
        };
        let (needs, hides) =
            (features(&name, self.needs, file)?, features(&name, self.hides, file)?);
        let hosted_as = match self.hosted_as {
            Some(hosted) if environment.is_empty() && hides.is_empty() => {
                let what = format!("{name} would be the same as {}", hosted.get_ref());
                let problem = file.at(hosted.span().start, what);
                return Err(problem.help(
                    "`hosted_as` needs an `environment`, or `hides`, that makes a difference",
                ));
            }
            hosted => hosted.map(Spanned::into_inner),
        };
        let offers = offers
            .iter()
            .map(|text| {
                let offer: Offer = text
                    .get_ref()
                    .parse()
                    .map_err(|e: String| file.at(text.span().start, format!("of {name}: {e}")))?;
                Ok(Offer { fixed_key: fixed_key.clone(), ..offer })
            })
            .collect::<Result<Vec<_>, Problem>>()?;
        Ok(Declared {
            name,
            library,
            licence,
            summary,
            offers,
            secondary,
            environment,
            needs,
            hides,
            hosted_as,
            line,
        })
    }
}

/// The variables of a contender's `environment`, as `NAME=value`.
fn environment(
    contender: &str,
    table: &Spanned<BTreeMap<String, String>>,
    file: &File<'_>,
) -> Result<Vec<String>, Problem> {
    let at = table.span().start;
    if table.get_ref().is_empty() {
        let what = format!("the environment of {contender} sets no variable");
        return Err(file.at(at, what).help("leave out `environment`"));
    }
    for (name, value) in table.get_ref() {
        if name.is_empty()
            || name.starts_with(|c: char| c.is_ascii_digit())
            || name.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        {
            let what = format!(
                "the environment of {contender} names \"{name}\", which cannot be the name of a variable"
            );
            let help = "use letters, digits and `_`, and no digit in front";
            return Err(file.at(at, what).help(help));
        }
        if value.contains('\0') {
            let what = format!("in the environment of {contender}, {name} contains a NUL");
            return Err(file.at(at, what).help("no variable can hold it: leave it out"));
        }
    }
    Ok(table.get_ref().iter().map(|(name, value)| format!("{name}={value}")).collect())
}

/// Names of features of a CPU.
fn features(
    contender: &str,
    names: Vec<Spanned<String>>,
    file: &File<'_>,
) -> Result<Vec<String>, Problem> {
    for spanned in &names {
        let name = spanned.get_ref();
        if name.is_empty() || !name.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_')) {
            let what = format!("{contender} names \"{name}\", which is not a known CPU feature");
            let problem = file.at(spanned.span().start, what);
            return Err(problem.help("use the names of /proc/cpuinfo, such as \"sha_ni\""));
        }
    }
    Ok(names.into_iter().map(Spanned::into_inner).collect())
}

/// Gives a contender with another's code the library and the licence of that one.
pub(crate) fn same_code_is_of_one_library(contenders: &mut [RawContender]) {
    let libraries: BTreeMap<String, (String, String)> = contenders
        .iter()
        .map(|c| (c.name.get_ref().clone(), (c.library.clone(), c.licence.clone())))
        .collect();
    for contender in contenders.iter_mut().filter(|c| c.library.is_empty()) {
        let Some(host) = &contender.hosted_as else { continue };
        if let Some((library, licence)) = libraries.get(host.get_ref()) {
            (contender.library, contender.licence) = (library.clone(), licence.clone());
        }
    }
}

/// Rejects a contender that is secondary to one that is not in this file, or that is secondary
/// itself: the row that stands for it would not be in the table. A full name stands in another
/// file.
pub(crate) fn secondaries_are_known(
    contenders: &[RawContender],
    file: &File<'_>,
) -> Result<(), Problem> {
    let free = contenders.iter().filter(|c| c.secondary().is_none());
    let free: Vec<&str> = free.map(|c| c.name.get_ref().as_str()).collect();
    for contender in contenders {
        let Some((kind, of)) = contender.secondary() else { continue };
        let name = contender.name.get_ref();
        if let (Some(_), Some(style)) = (&contender.forced_path_of, &contender.style_of) {
            let what = format!("{name} has both `forced_path_of` and `style_of`");
            return Err(file.at(style.span().start, what).help("leave out one of them"));
        }
        if free.contains(&of.get_ref().as_str()) || is_of_another(of.get_ref()) {
            continue;
        }
        let what = format!(
            "{name} is a {} of \"{}\", which this file does not declare as a contender that stands \
             for itself",
            kind.words(),
            of.get_ref()
        );
        let help = did_you_mean(of.get_ref(), free.iter().copied(), Written::Value);
        let help = help.unwrap_or_else(|| match &free[..] {
            [] => "declare that contender in this file, without `forced_path_of` and `style_of`"
                .to_string(),
            names => format!("these do: {}", names.join(", ")),
        });
        return Err(file.at(of.span().start, what).help(help));
    }
    Ok(())
}

/// Whether this is a full name, and not one of the same file.
pub(crate) fn is_of_another(contender: &str) -> bool {
    ContenderName::from(contender).family().is_some()
}

#[cfg(test)]
mod tests {
    use crate::Family;

    #[test]
    fn a_mistake_in_an_environment_is_located() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lib.toml");
        let load = |environment: &str| {
            let text = format!(
                "runner = \"program\"\nprefix = \"c\"\ncommand = [\"x\"]\n[[contender]]\n\
                 name = \"a\"\noffers = [\"sha256:digest\"]\nenvironment = {environment}\n"
            );
            std::fs::write(&path, text).unwrap();
            Family::load(&path)
        };
        let good = load("{ B = \"x y=z\", A_1 = \"\" }").unwrap();
        assert_eq!(good.contenders[0].environment, ["A_1=", "B=x y=z"]);
        for (bad, what) in [
            ("{}", "the environment of a sets no variable"),
            (
                "{ \"A=B\" = \"1\" }",
                "the environment of a names \"A=B\", which cannot be the name of a variable",
            ),
            (
                "{ 1A = \"1\" }",
                "the environment of a names \"1A\", which cannot be the name of a variable",
            ),
            ("{ A = \"\\u0000\" }", "in the environment of a, A contains a NUL"),
        ] {
            let problem = load(bad).unwrap_err();
            assert_eq!((problem.line, problem.what.as_str()), (7, what));
            assert!(problem.help.is_some(), "{bad}");
        }
        let problem = load("{ A = 1 }").unwrap_err();
        assert_eq!(problem.line, 7, "{}", problem.what);
    }

    #[test]
    fn a_contender_on_a_lesser_cpu_is_of_the_library_of_its_host() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lib.toml");
        let load = |how: &str| {
            let text = format!(
                "runner = \"program\"\nprefix = \"c\"\ncommand = [\"x\"]\n[[contender]]\n\
                 name = \"a\"\nlibrary = \"liba\"\nlicence = \"MIT\"\noffers = [\"sha256:digest\"]\n\
                 [[contender]]\nname = \"a-less\"\nhosted_as = \"a\"\n{how}offers = [\"sha256:digest\"]\n"
            );
            std::fs::write(&path, text).unwrap();
            Family::load(&path)
        };
        let good = load("hides = [\"sha_ni\", \"avx2\"]\nneeds = [\"ssse3\"]\n").unwrap();
        let less = &good.contenders[1];
        assert_eq!((less.library.as_str(), less.licence.as_str()), ("liba", "MIT"));
        assert_eq!(
            (&less.hides[..], &less.needs[..]),
            (&["sha_ni".into(), "avx2".into()][..], &["ssse3".into()][..])
        );
        for (bad, line, what) in [
            ("", 11, "a-less would be the same as a"),
            ("needs = [\"avx2\"]\n", 11, "a-less would be the same as a"),
            ("hides = []\n", 11, "a-less would be the same as a"),
            ("hides = [\"SHA\"]\n", 12, "a-less names \"SHA\", which is not a known CPU feature"),
            ("hides = [\"a,b\"]\n", 12, "a-less names \"a,b\", which is not a known CPU feature"),
            ("hides = [\"\"]\n", 12, "a-less names \"\", which is not a known CPU feature"),
        ] {
            let problem = load(bad).unwrap_err();
            assert_eq!((problem.line, problem.what.as_str()), (line, what), "{bad}");
            assert!(problem.help.is_some(), "{bad}");
        }
    }
}
