//! `@newest` after a contender's name: the newest JDK of this machine, or the newest Go, Node.js or
//! Python. A suite that must run anywhere cannot name a vendor or a version.

use super::found;
use super::versions;
use crate::jvm;
use crate::jvm::jdk;
use cupel_base::home::Home;
use cupel_base::name::Pattern;
use cupel_contender::Family;
use cupel_contender::Kind;
use cupel_contender::families;
use std::cell::{LazyCell, OnceCell};

/// Replaces `@newest` in a pattern. A pattern that may be about several languages becomes one for
/// each. The toolchains are looked up at the first pattern that needs them.
pub fn namer(home: &Home) -> impl Fn(Pattern) -> Vec<Pattern> {
    namer_of(|| Newest::look_up(home))
}

/// The patterns of a filter, with `@newest` replaced.
pub fn named(home: &Home, patterns: &[String]) -> Vec<String> {
    let on_newest = namer(home);
    let all = patterns.iter().flat_map(|pattern| on_newest(Pattern::new(pattern)));
    all.map(|pattern| pattern.text).collect()
}

/// The newest JDK that can run the runner. If there is none, the newest that is missing, so that
/// its contenders are reported as missing. Nothing if no family is hosted on a JDK.
pub fn jdk(home: &Home) -> Option<String> {
    // A mistake in a family's file is reported when the contenders are collected.
    newest_jdk(home, &families(home).ok()?)
}

fn newest_jdk(home: &Home, families: &[Family]) -> Option<String> {
    let majors = families.iter().filter_map(|family| match &family.kind {
        Kind::Jvm(jvm) => Some(jvm.majors.iter().copied().max()),
        _ => None,
    });
    let missed = majors.max()?;
    let found = jdk::found(home).into_iter().rfind(|(_, jdk)| jdk.major >= jvm::OLDEST);
    found.map(|(name, _)| name).or(missed.map(jvm::missing))
}

/// The toolchains that `@newest` may stand for.
struct Newest<'h> {
    home: &'h Home,
    families: Vec<Family>,
    jdk: OnceCell<Option<String>>,
    languages: [OnceCell<String>; versions::ALL.len()],
}

impl Newest<'_> {
    fn look_up(home: &Home) -> Newest<'_> {
        let families = families(home).unwrap_or_default();
        Newest { home, families, jdk: OnceCell::new(), languages: Default::default() }
    }

    /// The toolchains for a pattern: one for each kind of family that it may name. If it names no
    /// family, as in `noble@newest`, those that declare something of that name count.
    fn toolchains(&self, pattern: &Pattern) -> Vec<String> {
        let mut meant: Vec<&Family> = self.families.iter().collect();
        meant.retain(|family| {
            pattern.may_name_family(&family.prefix)
                && (pattern.names_family()
                    || family.contenders.iter().any(|c| pattern.may_name_build_of(&c.name)))
        });
        let mut all = Vec::new();
        for (place, language) in versions::ALL.iter().enumerate() {
            let mut languages =
                meant.iter().filter_map(|family| versions::language_of(&family.kind));
            if languages.any(|other| other.word == language.word) {
                all.push(self.language(place));
            }
        }
        // Whatever is in no such language is on a JDK.
        if all.is_empty() || meant.iter().any(|family| matches!(family.kind, Kind::Jvm(_))) {
            let jdk = self.jdk.get_or_init(|| newest_jdk(self.home, &self.families));
            all.splice(0..0, jdk.clone());
        }
        all
    }

    fn language(&self, place: usize) -> String {
        let language = versions::ALL[place];
        let newest = self.languages[place].get_or_init(|| {
            let found = found::found(self.home, language).pop();
            found.map_or_else(|| language.short_name(language.newest), |found| found.name)
        });
        newest.clone()
    }
}

fn namer_of<'h>(search: impl FnOnce() -> Newest<'h>) -> impl Fn(Pattern) -> Vec<Pattern> {
    let newest = LazyCell::new(search);
    move |pattern: Pattern| {
        if !pattern.names_newest() {
            return vec![pattern];
        }
        let toolchains = newest.toolchains(&pattern);
        if toolchains.is_empty() {
            return vec![pattern];
        }
        toolchains.iter().map(|toolchain| pattern.clone().on_newest(toolchain)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_is_looked_up_only_if_a_pattern_needs_it() {
        let patterns = namer_of(|| panic!("a search"))(Pattern::new("jvm/*"));
        assert_eq!(patterns.iter().map(|p| p.text.as_str()).collect::<Vec<_>>(), ["jvm/*"]);
    }

    #[test]
    fn the_newest_is_that_of_the_language_that_a_pattern_is_about() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        std::fs::create_dir(at.join("contenders")).unwrap();
        for (name, keys, contender) in [
            ("jvm", "runner = \"jvm\"\nmajors = [17]", "jdk"),
            ("go", "runner = \"go\"\nfolder = \"x\"", "std"),
            ("node", "runner = \"node\"\nfolder = \"x\"", "crypto"),
        ] {
            let text = format!(
                "{keys}\nprefix = \"{name}\"\n[[contender]]\nname = \"{contender}\"\noffers = []\n"
            );
            std::fs::write(at.join(format!("contenders/{name}.toml")), text).unwrap();
        }
        let home = Home { root: at.into(), own: vec![], cache: at.into(), store: at.into() };
        let newest = Newest::look_up(&home);
        newest.jdk.set(Some("acme-99".into())).unwrap();
        for (cell, name) in newest.languages.iter().zip(["go-9.9", "node-99", "python-9.9"]) {
            cell.set(name.into()).unwrap();
        }
        let on_newest = namer_of(|| newest);
        let of = |text: &str| {
            on_newest(Pattern::new(text)).into_iter().map(|p| p.text).collect::<Vec<_>>()
        };
        assert_eq!(of("jvm/jdk@newest"), ["jvm/jdk@acme-99"]);
        assert_eq!(of("go/*@newest"), ["go/*@go-9.9"]);
        assert_eq!(of("crypto@newest"), ["crypto@node-99"]);
        assert_eq!(of("bouncy@newest"), ["bouncy@acme-99"], "a name that is shortened further");
        assert_eq!(
            of("*@newest"),
            ["*@acme-99", "*@go-9.9", "*@node-99"],
            "no family is in Python"
        );
        assert_eq!(of("go/std"), ["go/std"]);
    }
}
