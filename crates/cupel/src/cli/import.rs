//! `cupel import FILE...`: runs of other machines into this store.

use super::{Context, Exit, print};
use crate::report::plain;
use crate::store::Store;
use anyhow::Result;
use std::path::PathBuf;

/// Take in the runs of other stores, such as other machines'
///
/// A run that is here already is counted once. A file that is broken, of another program or of a later
/// cupel is refused, and leaves this store as it is. Claims and advice stay those of this machine;
/// `cupel claims --run N` decides by a run of another.
#[derive(clap::Args)]
pub struct Args {
    /// Stores of cupel
    #[arg(required = true)]
    file: Vec<PathBuf>,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    let mut store = Store::open(&home.store)?;
    for file in &args.file {
        let imported = store.import(file)?;
        let mut line = format!("{}: {} runs came in", file.display(), imported.runs);
        if imported.known > 0 {
            line += &format!(", {} were here already", imported.known);
        }
        if imported.unfinished > 0 {
            line += &format!(", {} are not finished and were left out", imported.unfinished);
        }
        print(&(plain(&line) + "\n"))?;
    }
    Ok(Exit::Well)
}
