//! One digest of everything that a build is made of. It decides by content whether to build again,
//! because every checkout changes file times.

use cupel_base::strange;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// A digest of the names and contents of all files below `folders` that have one of these
/// extensions, without the folders named in `without`. It does not depend on where the folders are,
/// so that a program that was built elsewhere from equal sources is known to be up to date.
pub fn fingerprint(folders: &[&Path], extensions: &[&str], without: &[&str]) -> String {
    let mut digest = Sha256::new();
    for folder in folders {
        let mut files = Vec::new();
        collect(folder, extensions, without, &mut files);
        files.sort();
        for file in files {
            let name = file.strip_prefix(folder).unwrap_or(&file);
            digest.update(name.as_os_str().as_encoded_bytes());
            digest.update([0]);
            digest.update(strange::bytes(&file, strange::MOST_SOURCE).unwrap_or_default());
            digest.update([0]);
        }
        digest.update([1]);
    }
    hex::encode(digest.finalize())
}

fn collect(folder: &Path, extensions: &[&str], without: &[&str], files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() {
            if !without.iter().any(|skipped| name == *skipped) {
                collect(&path, extensions, without, files);
            }
        } else if extensions.iter().any(|e| path.extension().is_some_and(|x| x == *e)) {
            files.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_changes_with_what_counts_and_with_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let write = |name: &str, text: &str| {
            let path = at.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let now = || fingerprint(&[at], &["java"], &["target"]);
        write("src/A.java", "a");
        let first = now();
        write("target/B.java", "b");
        write("src/notes.txt", "n");
        assert_eq!(now(), first);
        write("src/A.java", "b");
        let changed = now();
        assert_ne!(changed, first);
        write("src/C.java", "c");
        assert_ne!(now(), changed);
    }
}
