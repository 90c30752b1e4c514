//! The content of a build of the tool besides its code.
//!
//! - `CUPEL_CODE` identifies the code that is built, so that a result that another build remembered
//!   in a store is computed again: a digest of every source of the tool, of its libraries' versions
//!   and of the target.
//! - `bundle.tar.gz` in `OUT_DIR` has the files that the tool reads at run time if it finds no
//!   checkout. In a debug build without `CUPEL_EMBED` it is empty: such a build is run in its
//!   checkout, and would be compiled again after each change of a suite.

mod pack;

use std::fs::File;
use std::io::Result;
use std::path::{Path, PathBuf};

/// FNV-1a: no one attacks this.
struct Digest(u64);

impl Digest {
    fn take(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn all(&mut self, path: &Path) -> Result<()> {
        watch(path);
        if path.is_dir() {
            return pack::entries(path)?.iter().try_for_each(|path| self.all(path));
        }
        self.take(path.to_string_lossy().as_bytes());
        self.take(&std::fs::read(path)?);
        Ok(())
    }
}

fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn main() -> Result<()> {
    watch(Path::new("build.rs"));
    watch(Path::new("pack.rs"));
    let checkout = Path::new("../..").canonicalize()?;
    let bundle = PathBuf::from(variable("OUT_DIR")).join("bundle.tar.gz");
    println!("cargo::rerun-if-env-changed=CUPEL_EMBED");
    if variable("PROFILE") == "release" || std::env::var_os("CUPEL_EMBED").is_some() {
        pack::pack(&checkout, &bundle, &watch)?;
    } else {
        File::create(&bundle)?;
    }

    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    digest.all(Path::new("src"))?;
    for crates in ["../core", "../questions"] {
        for folder in pack::entries(Path::new(crates))? {
            digest.all(&folder.join("src"))?;
        }
    }
    digest.all(Path::new("../../Cargo.lock"))?;
    digest.take(variable("CARGO_PKG_VERSION").as_bytes());
    digest.take(variable("TARGET").as_bytes());
    println!("cargo::rustc-env=CUPEL_CODE={:016x}", digest.0);
    Ok(())
}
