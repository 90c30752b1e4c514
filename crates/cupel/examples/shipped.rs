//! Builds the content of a package of the tool, and copies it into a folder: `cargo run --release
//! --example shipped -- FOLDER`. The folder becomes `lib/cupel` of the package.

use cupel_base::home::Home;
use cupel_toolchain::ship;
use std::path::PathBuf;

fn main() -> anyhow::Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| anyhow::anyhow!("usage: shipped FOLDER"))?;
    let filled = ship::fill(&Home::find(None)?, &folder, &|what| eprintln!("{what}"))?;
    println!("{}", filled.join(" "));
    Ok(())
}
