//! Finds the suite that the user names.

use super::Suite;
use anyhow::{Result, bail};
use cupel_base::home::Home;
use cupel_base::primitives;
use cupel_base::problem::{Written, did_you_mean};

impl Suite {
    /// Finds a suite by its name or path. `@newest` stays in it: which toolchains are here, a file
    /// does not say.
    ///
    /// # Errors
    /// If there is no such suite, with the nearest name; or the first mistake in it.
    pub fn find(home: &Home, name: &str) -> Result<Suite> {
        let path = home.suite(name);
        if let [one, other, ..] = &home.suites_named(name)[..]
            && path == *one
        {
            bail!(
                "there are two suites {name}: {} and {}; rename one, or give a path",
                one.display(),
                other.display()
            );
        }
        if path.is_dir() {
            bail!("{} is a folder; name one suite", path.display());
        }
        if !path.is_file() {
            if let Some(other) = other_than_suite(home, name) {
                bail!("there is no suite {name}: {other}");
            }
            let known = home.suites();
            let help = did_you_mean(name, known.iter().map(String::as_str), Written::Word)
                .unwrap_or_else(|| format!("there are {}", known.join(", ")));
            bail!("there is no suite {name}: {help}");
        }
        let suite = Suite::load(&path)?;
        Ok(Suite { name: home.suite_name(name), ..suite })
    }
}

/// The kind of a name that is not a suite's, and how to ask about it.
fn other_than_suite(home: &Home, name: &str) -> Option<String> {
    if primitives::named(name).is_some() {
        return Some(format!("it is a primitive; `cupel ask {name}` asks about it"));
    }
    // A mistake in a family's file is reported when the contenders are collected.
    let families = cupel_contender::families(home).ok()?;
    let mut declared =
        families.iter().flat_map(|family| family.contenders.iter().map(move |c| (family, c)));
    let (_, contender) =
        declared.find(|(family, c)| c.name == name || family.full_name(&c.name) == *name)?;
    let common = contender.offers.iter().find(|offer| offer.primitive == "sha256");
    let primitive = &common.or(contender.offers.first())?.primitive;
    Some(format!("it is a contender; `cupel ask {primitive} {name}` asks about it"))
}
