//! The files that the tool reads at run time, embedded in it: contenders, suites, vectors and the
//! sources of the runners. A tool that finds no checkout unpacks them into the cache, once.

use crate::program;
use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Whether the tool embeds any.
pub fn is_there() -> bool {
    !program::bundle().is_empty()
}

/// The folder with the embedded files, below the cache. It is named after their content, so another
/// version of the tool has another folder.
///
/// # Errors
/// If the tool embeds none, or the cache cannot be written.
pub fn unpacked(cache: &Path) -> Result<PathBuf> {
    if program::bundle().is_empty() {
        bail!(
            "no folder with contenders/, suites/ and protocol/ here or above, and a debug build has \
             none embedded; set CUPEL_HOME to a checkout of Cupel"
        );
    }
    unpack(program::bundle(), cache)
}

/// The folder of everything that was unpacked.
pub fn above(cache: &Path) -> PathBuf {
    cache.join("home")
}

/// Unpacks a bundle next to its place and then moves it there, so that an interrupted one is never
/// used and two at the same time do no harm.
fn unpack(bundle: &[u8], cache: &Path) -> Result<PathBuf> {
    let digest = hex::encode(Sha256::digest(bundle));
    let above = above(cache);
    let folder = above.join(&digest[..16]);
    if folder.is_dir() {
        return Ok(folder);
    }
    unpack_into(&folder, &above, bundle).with_context(|| {
        format!(
            "cannot unpack Cupel's own files into {}; set CUPEL_CACHE to a folder that you may write",
            above.display()
        )
    })?;
    Ok(folder)
}

fn unpack_into(folder: &Path, above: &Path, bundle: &[u8]) -> std::io::Result<()> {
    std::fs::create_dir_all(above)?;
    let aside = tempfile::tempdir_in(above)?;
    let fresh = aside.path().join("unpacked");
    tar::Archive::new(GzDecoder::new(bundle)).unpack(&fresh)?;
    match std::fs::rename(&fresh, folder) {
        // Another process was faster.
        Err(_) if folder.is_dir() => Ok(()),
        moved => moved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    fn bundle(files: &[(&str, &str)]) -> Vec<u8> {
        let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, text) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            tar.append_data(&mut header, path, text.as_bytes()).unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn each_content_has_its_own_folder_and_is_unpacked_once() {
        let cache = tempfile::tempdir().unwrap();
        let one = bundle(&[("suites/a.toml", "a"), ("contenders/c.toml", "c")]);
        let folder = unpack(&one, cache.path()).unwrap();
        assert_eq!(std::fs::read_to_string(folder.join("suites/a.toml")).unwrap(), "a");
        // The files of a user's build stay there.
        std::fs::write(folder.join("built"), "").unwrap();
        assert_eq!(unpack(&one, cache.path()).unwrap(), folder);
        assert_eq!(names(&folder), ["built", "contenders", "suites"]);
        let other = unpack(&bundle(&[("suites/a.toml", "b")]), cache.path()).unwrap();
        assert_ne!(other, folder);
        assert_eq!(names(&cache.path().join("home")).len(), 2, "nothing is left next to them");
    }

    #[test]
    fn a_bundle_that_ends_too_early_leaves_nothing_that_would_be_used() {
        let cache = tempfile::tempdir().unwrap();
        let whole = bundle(&[("suites/a.toml", "a"), ("suites/b.toml", &"b".repeat(9999))]);
        assert!(unpack(&whole[..whole.len() / 2], cache.path()).is_err());
        assert_eq!(names(&cache.path().join("home")), [""; 0]);
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_named_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = unpack(&bundle(&[("a", "a")]), &file).unwrap_err().to_string();
        assert!(error.contains("/file/home") && error.contains("set CUPEL_CACHE"), "{error}");
    }

    #[test]
    fn two_at_the_same_time_do_no_harm() {
        let cache = tempfile::tempdir().unwrap();
        let bundle = bundle(&[("suites/a.toml", "a"), ("suites/b.toml", &"b".repeat(99_999))]);
        let together = std::sync::Barrier::new(8);
        let unpack = || {
            together.wait();
            let folder = unpack(&bundle, cache.path()).unwrap();
            std::fs::read(folder.join("suites/b.toml")).map(|b| b.len()).unwrap()
        };
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(unpack)).collect();
            all.into_iter().for_each(|one| assert_eq!(one.join().unwrap(), 99_999));
        });
        assert_eq!(names(&cache.path().join("home")).len(), 1, "nothing is left next to it");
    }
}
