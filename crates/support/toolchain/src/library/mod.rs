//! Releases of libraries as toolchains: `c/openssl-reused@1.1.1w`,
//! `jvm/bouncycastle@temurin-25+1.70`. Each is installed once into the cache, from a package with a
//! recorded checksum, and each runs in its own process. The usual contenders of the family are
//! there without it.

mod jar;
mod known;
mod on_release;
mod runner;
mod sources;
mod step;
mod wheels;

use self::known::{Form, Release};
use self::runner::Runner;
use self::sources::Sources;
use self::wheels::Wheels;
use crate::builds::installed;
use anyhow::{Context, Result, bail};
use cupel_base::home::Home;
use cupel_contender::{Family, Kind};

pub(crate) use jar::class_path;
pub use known::{Known, Library, libraries, of_contender, with_word};
pub(crate) use on_release::{OnRelease, named, usual};

impl Known {
    /// Downloads, checks and, unless it is a jar, builds it, if it is not installed. Returns
    /// whether it was installed now.
    ///
    /// # Errors
    /// If a step fails; nothing is left behind then.
    pub fn add(&self, home: &Home, say: &dyn Fn(&str)) -> Result<bool> {
        let (folder, what) = (self.folder(home), self.title());
        let Release { package, sha256, options, .. } = self.release;
        match &self.library.form {
            Form::Jar(_) => {
                installed::add(home, &folder, &|work| jar::copy(package, sha256, work, &what, say))
            }
            Form::Sources(recipe) => {
                let package = package.split_once(' ').context("a crate and its version")?;
                let sources = Sources { recipe, package, sha256, options, what: &what, say };
                sources.add(home, &folder)
            }
            Form::Wheels(places) => {
                let (name, version) = package.split_once(' ').context("a wheel and its version")?;
                let first = format!("{name}=={version} --hash=sha256:{sha256}");
                let wanted = [std::slice::from_ref(&first), options].concat().join("\n");
                Wheels { places, wanted, what: &what, say }.add(home, &folder)
            }
            Form::Crate(hosted) => {
                let file = home.root.join("contenders").join(&self.library.family);
                let family = Family::load(&file.with_extension("toml"))?;
                let Kind::Rust(package) = &family.kind else {
                    bail!("{} is not hosted by a Rust runner", self.library.title)
                };
                Runner { home, package, hosted, known: *self }.add(say)
            }
        }
    }
}
