//! The shared libraries that a program or an object loads, and where the loader finds them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The libraries that an object loads, and where the loader finds them, if it looks into the folder
/// `first`. `None` if this system cannot list them.
pub fn loads(object: &Path, first: Option<&Path>) -> Option<Vec<(String, PathBuf)>> {
    let mut ldd = Command::new("ldd");
    if let Some(first) = first {
        ldd.env("LD_LIBRARY_PATH", first);
    }
    let output = ldd.env("LC_ALL", "C").arg(object).stdin(Stdio::null()).output().ok()?;
    Some(loaded(&String::from_utf8_lossy(&output.stdout)))
}

/// The libraries that the loader finds, and where: `libx.so.1 => /lib/libx.so.1 (0x7f...)`.
fn loaded(text: &str) -> Vec<(String, PathBuf)> {
    let mut all = Vec::new();
    for (name, path) in text.lines().filter_map(|line| line.trim().split_once(" => ")) {
        let path = PathBuf::from(path.rsplit_once(" (").map_or(path, |(path, _)| path));
        if path.is_absolute() {
            all.push((name.to_string(), path));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_loader_says_is_read() {
        let text = "\tlinux-vdso.so.1 (0x1)\n\tlibx.so.3 => /usr/lib/libx.so.3 (0x2)\n\
                    \tliby.so => not found\n\t/lib64/ld-linux.so.2 (0x3)\n";
        assert_eq!(loaded(text), [("libx.so.3".to_string(), "/usr/lib/libx.so.3".into())]);
    }
}
