//! The product of a build, and the digest of its inputs. The digest shows whether it is up to date,
//! so listing contenders does not start a build tool.

use super::{shipped, stopwatch};
use crate::absent::Absent;
use cupel_base::disk::{Lock, file_next_to, write_whole};
use cupel_base::home::Home;
use cupel_protocol::message::Refusal;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A file that a build makes.
pub struct Artefact<'a> {
    /// The name of the built artefact, in messages.
    pub name: &'a str,
    /// The folder of its sources.
    pub sources: &'a Path,
    /// The file, relative to the folder that it is built in.
    pub product: PathBuf,
    /// The digest of everything that it is made of.
    pub wanted: String,
    /// Its folder below a package's folder, if packages have it.
    pub shipped: Option<&'a str>,
}

impl Artefact<'_> {
    /// The file, made by `make` if it is not up to date. `make` gets the folder to build in.
    ///
    /// # Errors
    /// The errors of `make`; if it is not up to date and is not to be built; if there is no folder
    /// for it.
    pub fn ready(
        &self,
        home: &Home,
        build: bool,
        make: &dyn Fn(&Path) -> Result<(), Absent>,
    ) -> Result<PathBuf, Absent> {
        let targets = targets(home, self.sources);
        let shipped = self.shipped.and_then(|folder| Some(shipped::folder()?.join(folder)));
        let mut places = targets.iter().cloned().chain(shipped);
        if let Some(product) = places.find_map(|target| self.fresh(&target)) {
            return Ok(product);
        }
        if !build {
            return Err(Absent::Unbuilt);
        }
        let Some(target) = targets.iter().find(|target| takes_files(target)) else {
            let tried: Vec<String> = targets.iter().map(|t| t.display().to_string()).collect();
            let name = self.name;
            return Err(Absent::Failed(Refusal {
                reason: format!("{name} has no folder to be built in: tried {}", tried.join(", ")),
                remedy: Some("set CUPEL_CACHE to a folder that you may write".into()),
            }));
        };
        let _alone = alone(target); // Another process may be building it.
        if let Some(product) = self.fresh(target) {
            return Ok(product);
        }
        let key = (target.join(&self.product), self.wanted.clone());
        if let Some(why) = failed().get(&key) {
            return Err(why.clone());
        }
        let _building = stopwatch::start();
        // A build that fails half-way must not pass for the one before.
        let _ = fs::remove_file(self.stamp(target));
        if let Err(why) = make(target) {
            failed().insert(key, why.clone());
            return Err(why);
        }
        // If the stamp cannot be written, the build tool is merely asked again next time.
        let _ = write_whole(&self.stamp(target), &self.wanted);
        Ok(target.join(&self.product))
    }

    fn fresh(&self, target: &Path) -> Option<PathBuf> {
        let product = target.join(&self.product);
        let built = fs::read_to_string(self.stamp(target)).ok()?;
        (product.is_file() && built == self.wanted).then_some(product)
    }

    fn stamp(&self, target: &Path) -> PathBuf {
        shipped::stamp(&target.join(&self.product))
    }
}

/// The builds of this process that failed, by product and digest. Several families share a runner,
/// and none of them need build it again.
fn failed() -> MutexGuard<'static, BTreeMap<(PathBuf, String), Absent>> {
    static FAILED: Mutex<BTreeMap<(PathBuf, String), Absent>> = Mutex::new(BTreeMap::new());
    FAILED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until no other process builds in a folder, and keeps others from it while the returned
/// lock lives. If the system has no locks, it does without.
pub(crate) fn alone(folder: &Path) -> Option<Lock> {
    Lock::take(&folder.join(".cupel-lock")).ok()
}

/// Where sources may be built: next to them, or in the cache if those are read-only.
fn targets(home: &Home, folder: &Path) -> [PathBuf; 2] {
    let mut digest = Sha256::new();
    digest.update(folder.as_os_str().as_encoded_bytes());
    let key = hex::encode(digest.finalize());
    [folder.join("target"), home.cache.join("runners").join(&key[..16])]
}

/// Whether files can be made in a folder, which is made if it is not there.
fn takes_files(folder: &Path) -> bool {
    fs::create_dir_all(folder).and_then(|()| file_next_to(&folder.join("probe"))).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn home(cache: &Path) -> Home {
        Home { root: "/".into(), own: vec![], cache: cache.to_path_buf(), store: "/".into() }
    }

    fn artefact<'a>(sources: &'a Path, wanted: &str) -> Artefact<'a> {
        let (product, wanted) = ("bin/product".into(), wanted.to_string());
        Artefact { name: "it", sources, product, wanted, shipped: None }
    }

    #[test]
    fn sources_that_cannot_be_written_are_built_in_the_cache() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        // A file where the folder should be: not even root can make a folder there.
        fs::write(folder.path().join("target"), "").unwrap();
        let targets = targets(&home(&cache), folder.path());
        let first = targets.iter().find(|target| takes_files(target)).unwrap();
        assert!(first.starts_with(&cache), "{}", first.display());
        assert_eq!(fs::read_dir(first).unwrap().count(), 0, "nothing is left there");
    }

    #[test]
    fn it_is_made_when_its_digest_changes_or_it_is_gone_and_not_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(&folder.path().join("cache"));
        let made = Cell::new(0);
        let make = |target: &Path| {
            made.set(made.get() + 1);
            fs::create_dir_all(target.join("bin")).unwrap();
            fs::write(target.join("bin/product"), "").unwrap();
            Ok(())
        };
        let ready = |wanted: &str| artefact(folder.path(), wanted).ready(&home, true, &make);
        let product = ready("one").unwrap();
        assert_eq!(product, folder.path().join("target/bin/product"));
        ready("one").unwrap();
        assert_eq!(made.get(), 1);
        ready("two").unwrap();
        assert_eq!(made.get(), 2);
        fs::remove_file(product).unwrap();
        let unbuilt = artefact(folder.path(), "two").ready(&home, false, &make);
        assert_eq!(unbuilt, Err(Absent::Unbuilt));
        ready("two").unwrap();
        assert_eq!(made.get(), 3);
    }

    #[test]
    fn a_build_that_fails_half_way_is_not_taken_for_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(&folder.path().join("cache"));
        let make = |target: &Path| {
            fs::create_dir_all(target.join("bin")).unwrap();
            fs::write(target.join("bin/product"), "").unwrap();
            Ok(())
        };
        artefact(folder.path(), "one").ready(&home, true, &make).unwrap();
        let failure = || Absent::Failed(Refusal::because("no"));
        let half = |target: &Path| {
            fs::write(target.join("bin/product"), "half").unwrap();
            Err(failure())
        };
        let two = artefact(folder.path(), "two").ready(&home, true, &half);
        assert_eq!(two, Err(failure()));
        // Another family that needs it does not build it again.
        let never = |_: &Path| -> Result<(), Absent> { panic!("it is built again") };
        let again = artefact(folder.path(), "two").ready(&home, true, &never);
        assert_eq!(again, Err(failure()));
        let one = artefact(folder.path(), "one").ready(&home, false, &make);
        assert_eq!(one, Err(Absent::Unbuilt));
    }
}
