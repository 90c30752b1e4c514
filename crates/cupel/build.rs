//! Identifies the code that is built, so that a result that another build remembered in a store is
//! computed again: `CUPEL_CODE` is a digest of every source of the tool, of its libraries' versions
//! and of the target.

use std::path::Path;

/// FNV-1a: nobody attacks this.
struct Digest(u64);

impl Digest {
    fn take(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn all(&mut self, path: &Path) -> std::io::Result<()> {
        println!("cargo::rerun-if-changed={}", path.display());
        if path.is_dir() {
            let mut inside: Vec<_> = std::fs::read_dir(path)?
                .map(|entry| Ok(entry?.path()))
                .collect::<Result<_, std::io::Error>>()?;
            inside.sort();
            return inside.iter().try_for_each(|path| self.all(path));
        }
        self.take(path.to_string_lossy().as_bytes());
        self.take(&std::fs::read(path)?);
        Ok(())
    }
}

fn main() -> std::io::Result<()> {
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    for source in ["src", "../cupel-stats/src", "../cupel-protocol/src", "../../Cargo.lock"] {
        digest.all(Path::new(source))?;
    }
    digest.take(std::env::var("TARGET").unwrap_or_default().as_bytes());
    println!("cargo::rustc-env=CUPEL_CODE={:016x}", digest.0);
    Ok(())
}
