//! A folder that a PC can boot from: copied to a USB stick, or given to QEMU as a drive.

use super::build::{SIGN, build};
use anyhow::{Context, Result, bail};
use cupel_base::home::Home;
use std::path::Path;

const README: &str = "\
Cupel: the kernels before any operating system

EFI/BOOT/BOOTX64.EFI verifies SHA-1, SHA-256 and SipHash against the official vectors,
counts the cycles that they take, and powers the machine off. It reads nothing but this
volume and writes nothing but cupel/results.jsonl on it.

To use it: format a USB stick with FAT32, copy this folder's content to it, switch Secure
Boot off in the machine's setup, and choose the stick in its boot menu. Then, on any machine:

    cupel import cupel/results.jsonl

The same records go to the first serial port (COM1) with the word CUPEL before each.
Words in cupel/options.txt change what it does:

    poweroff   does not wait for a key at the end
";

/// Writes the folder.
///
/// # Errors
/// If it cannot be built or written, or if another system boots from that folder.
pub fn write(home: &Home, folder: &Path) -> Result<()> {
    let program = folder.join("EFI/BOOT/BOOTX64.EFI");
    if program.exists() && !is_ours(&program) {
        bail!(
            "{} is another system's boot loader; name a folder from which nothing boots",
            program.display()
        );
    }
    fill(home, folder, &program)
        .with_context(|| format!("cannot write the image in {}", folder.display()))
}

fn fill(home: &Home, folder: &Path, program: &Path) -> Result<()> {
    let work = tempfile::tempdir()?;
    let built = build(home, work.path())?;
    std::fs::create_dir_all(folder.join("EFI/BOOT"))?;
    std::fs::copy(built, program)?;
    std::fs::write(folder.join("README.txt"), README.replace('\n', "\r\n"))?;
    Ok(())
}

fn is_ours(program: &Path) -> bool {
    let bytes = std::fs::read(program).unwrap_or_default();
    bytes.windows(SIGN.len()).any(|window| window == SIGN.as_bytes())
}
