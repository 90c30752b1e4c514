//! `cupel import FILE...`: runs of other machines, and results of other programs, into this store.

use super::{Context, Exit, print};
use crate::foreign;
use crate::report::plain;
use crate::store::Store;
use anyhow::Result;
use std::path::PathBuf;

/// Take in the runs of other stores, such as other machines', and results of other programs
///
/// Of other programs: JMH (-rf json), Criterion (its folder target/criterion, or cargo-criterion's
/// --message-format=json) and Google Benchmark (--benchmark_format=json). They were measured one after the
/// other and without a control: they are kept apart, shown by `cupel show --foreign` and on the page,
/// and decide nothing.
///
/// A run that is here already is counted once. A file that is broken, of another program or of a later
/// cupel is refused, and leaves this store as it is. Claims and advice stay those of this machine;
/// `cupel claims --run N` decides by a run of another.
#[derive(clap::Args)]
pub struct Args {
    /// Stores of cupel, files of other programs, or Criterion's folder
    #[arg(required = true)]
    file: Vec<PathBuf>,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    let mut store = Store::open(&home.store)?;
    for file in &args.file {
        if foreign::is_foreign(file) {
            let imported = store.import_foreign(&foreign::read(file)?)?;
            let mut line =
                format!("{}: {} foreign results came in", file.display(), imported.results);
            if imported.known > 0 {
                line += &format!(", {} were here already", imported.known);
            }
            print(&(plain(&line) + "\n"))?;
            continue;
        }
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
