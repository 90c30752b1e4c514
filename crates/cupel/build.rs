//! What a build of the tool contains besides its code.
//!
//! - `CUPEL_CODE` identifies the code that is built, so that a result that another build remembered
//!   in a store is computed again: a digest of every source of the tool, of its libraries' versions
//!   and of the target.
//! - `CUPEL_SOURCES` is the folder with the files that are compiled into the program: the checkout,
//!   or, in the packaged crate, what its `bundle.tar.gz` contains.
//! - `bundle.tar.gz` in `OUT_DIR` is what the tool reads at run time if it finds no checkout. In a
//!   debug build it is empty: such a build is run in its checkout, and would be compiled again
//!   after each change of a suite.

mod pack;

use flate2::read::GzDecoder;
use std::fs::File;
use std::io::Result;
use std::path::{Path, PathBuf};

/// The bundle of a packaged crate, which `make package` writes.
const PACKED: &str = "bundle.tar.gz";

/// FNV-1a: no one attacks this.
struct Digest(u64);

impl Digest {
    fn take(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn all(&mut self, path: &Path) -> Result<()> {
        println!("cargo::rerun-if-changed={}", path.display());
        if path.is_dir() {
            return pack::entries(path)?.iter().try_for_each(|path| self.all(path));
        }
        self.take(path.to_string_lossy().as_bytes());
        self.take(&std::fs::read(path)?);
        Ok(())
    }
}

fn main() -> Result<()> {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let out = PathBuf::from(variable("OUT_DIR"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=pack.rs");
    let checkout = Path::new("../..").canonicalize()?;
    let bundle = out.join(PACKED);
    let is_packaged = !checkout.join("contenders").is_dir();
    let sources = if is_packaged {
        println!("cargo::rerun-if-changed={PACKED}");
        std::fs::copy(PACKED, &bundle)?;
        let sources = out.join("sources");
        tar::Archive::new(GzDecoder::new(File::open(PACKED)?)).unpack(&sources)?;
        sources
    } else {
        if variable("PROFILE") == "release" {
            let changed = |path: &Path| println!("cargo::rerun-if-changed={}", path.display());
            pack::pack(&checkout, &bundle, &changed)?;
        } else {
            File::create(&bundle)?;
        }
        checkout.clone()
    };
    println!("cargo::rustc-env=CUPEL_SOURCES={}", sources.display());

    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    digest.all(Path::new("src"))?;
    if is_packaged {
        digest.take(&std::fs::read(&bundle)?);
    } else {
        for source in [
            "../cupel-stats/src",
            "../cupel-reference/src",
            "../cupel-protocol/src",
            "../../Cargo.lock",
        ] {
            digest.all(Path::new(source))?;
        }
    }
    digest.take(variable("CARGO_PKG_VERSION").as_bytes());
    digest.take(variable("TARGET").as_bytes());
    println!("cargo::rustc-env=CUPEL_CODE={:016x}", digest.0);
    Ok(())
}
