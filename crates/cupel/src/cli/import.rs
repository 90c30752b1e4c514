//! `cupel import FILE...`: runs of other machines, boots of the UEFI image, and results of other programs,
//! into this store.

use super::{Context, Exit, print};
use crate::foreign;
use crate::store::Store;
use crate::text::plain;
use crate::uefi::boot;
use anyhow::{Context as _, Result, bail};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Take in the runs of other stores, boots of the UEFI image, and results of other programs
///
/// Of other programs: JMH (-rf json), Criterion (its folder target/criterion, or cargo-criterion's
/// --message-format=json) and Google Benchmark (--benchmark_format=json). They were measured one after the
/// other and without a control: they are kept apart, shown by `cupel show --foreign` and on the page,
/// and decide nothing.
///
/// A run or boot that is here already is counted once. A file that is broken, of another program or of
/// a later cupel is refused, and leaves this store as it is. Claims and advice stay those of this
/// machine; `cupel claims --run N` decides by a run of another. Of a boot, the serial log or
/// results.jsonl is taken; `cupel uefi show` shows it, apart from runs.
#[derive(clap::Args)]
pub struct Args {
    /// Stores of cupel, logs of boots, files of other programs, or Criterion's folder
    #[arg(required = true)]
    file: Vec<PathBuf>,
}

/// How every SQLite file begins.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// More than any log of boots; a boot writes some 5 KiB.
const MOST_LOG: u64 = 64 << 20;

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home_of_store()?;
    let mut store = Store::open(&home.store)?;
    for file in &args.file {
        let line = match log(file)? {
            Some(bytes) if boot::is_log(&bytes) => boots(&mut store, file, &bytes)?,
            _ if foreign::is_foreign(file) => results(&mut store, file)?,
            Some(bytes) => boots(&mut store, file, &bytes)?,
            None => runs(&mut store, file)?,
        };
        print(&(plain(&format!("{}: {line}", file.display())) + "\n"))?;
    }
    Ok(Exit::Well)
}

/// The text of a log; nothing where the file is a store, or is left to the store to refuse.
fn log(path: &Path) -> Result<Option<Vec<u8>>> {
    let Ok(mut file) = std::fs::File::open(path) else { return Ok(None) };
    let mut bytes = Vec::new();
    let read = file.by_ref().take(SQLITE.len() as u64).read_to_end(&mut bytes);
    if read.is_err() || bytes == SQLITE {
        return Ok(None);
    }
    file.take(MOST_LOG + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {}", path.display()))?;
    if bytes.len() as u64 > MOST_LOG {
        bail!("{} is too long for a log of boots, and is no store of cupel's", path.display());
    }
    Ok(Some(bytes))
}

fn results(store: &mut Store, file: &Path) -> Result<String> {
    let imported = store.import_foreign(&foreign::read(file)?)?;
    let mut line = format!("{} foreign results came in", imported.results);
    if imported.known > 0 {
        line += &format!(", {} were here already", imported.known);
    }
    Ok(line)
}

fn boots(store: &mut Store, path: &Path, bytes: &[u8]) -> Result<String> {
    let log = boot::read(bytes)
        .with_context(|| format!("{} is not a database, and as a log", path.display()))?;
    let (mut came, mut numbers) = (0, Vec::new());
    for boot in &log.boots {
        let (id, new) = store.keep_boot(boot)?;
        came += usize::from(new);
        numbers.push(id.to_string());
    }
    let mut line = format!("{came} boots came in");
    if came < log.boots.len() {
        line += &format!(", {} were here already", log.boots.len() - came);
    }
    if log.cut > 0 {
        line += &format!(", {} were cut off and left out", log.cut);
    }
    Ok(format!("{line}; cupel uefi show {} shows them", numbers.join(" or ")))
}

fn runs(store: &mut Store, file: &Path) -> Result<String> {
    let imported = store.import(file)?;
    let mut line = format!("{} runs came in", imported.runs);
    if imported.known > 0 {
        line += &format!(", {} were here already", imported.known);
    }
    if imported.unfinished > 0 {
        line += &format!(", {} are not finished and were left out", imported.unfinished);
    }
    if imported.boots + imported.known_boots > 0 {
        line += &format!("; {} boots came in", imported.boots);
        if imported.known_boots > 0 {
            line += &format!(", {} were here already", imported.known_boots);
        }
    }
    Ok(line)
}
