//! `cupel import FILE...`: adds runs of other machines, boots of the UEFI image, and files that
//! questions read, to this store.

use super::questions::READS;
use super::{Context, Exit, print};
use anyhow::{Context as _, Error, Result, bail};
use cupel_base::strange;
use cupel_base::text::{count, plain, tell};
use cupel_store::Store;
use cupel_store::boot;
use cupel_verb::register::already;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Add runs of other machines
///
/// Also adds the counts of the UEFI image (`cupel kernels`).
///
/// Cupel skips a run or boot that the store already has. It rejects a file that is damaged, unknown
/// or from a later version of Cupel, adds the other files, and ends with status 3. Claims and
/// advice still use only runs of this machine; to decide claims from an imported run, use `cupel
/// check --run N`. To add a boot, give its serial log or results.jsonl; `cupel kernels show` shows
/// the boot.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel import other-machine.sqlite
  cupel import boot.log && cupel kernels show")]
pub struct Args {
    /// Cupel's stores, and logs of boots
    #[arg(required = true)]
    file: Vec<PathBuf>,
}

/// How every SQLite file begins.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// The name of the standard input.
const INPUT: &str = "-";

/// More than any log of boots has. A boot writes some 5 KiB.
const MOST_LOG: u64 = 64 << 20;

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home_of_store()?;
    let mut store = Store::open(&home.store)?;
    let mut refused = Vec::new();
    for file in &args.file {
        match import(&mut store, file, &mut refused) {
            Ok(line) => print(&(plain(&format!("{}: {line}", file.display())) + "\n"))?,
            Err(e) => refused.push(e),
        }
    }
    match refused.len() {
        0 => Ok(Exit::Well),
        1 => Err(refused.remove(0)),
        n => {
            refused.iter().for_each(|error| tell(&format!("{error:#}")));
            bail!("{n} files were not imported")
        }
    }
}

/// Imports one file or folder, and returns the outcome in words. A refused file of a folder does
/// not keep the rest from being imported.
fn import(store: &mut Store, path: &Path, refused: &mut Vec<Error>) -> Result<String> {
    if path.is_dir() {
        return other(store, path, None, refused);
    }
    // A pipe gives its bytes only once.
    match text(path)? {
        Some(bytes) if boot::is_log(&bytes) => boots(store, path, &bytes),
        Some(bytes) => other(store, path, Some(&bytes), refused),
        None => runs(store, path),
    }
}

/// Adds a folder, or a file with these bytes, that a question reads.
fn other(
    store: &mut Store,
    path: &Path,
    bytes: Option<&[u8]>,
    refused: &mut Vec<Error>,
) -> Result<String> {
    let Some(reads) = READS.first() else {
        bail!("{} is neither a store nor a log of boots", path.display())
    };
    (reads.add)(store, path, bytes, refused)
}

/// The bytes of a text, or nothing if the file is a store or the store should reject it.
fn text(path: &Path) -> Result<Option<Vec<u8>>> {
    let is_input = path == Path::new(INPUT);
    if !is_input && let Ok(mut file) = strange::open(path) {
        let mut begin = Vec::new();
        let read = file.by_ref().take(SQLITE.len() as u64).read_to_end(&mut begin);
        if read.is_err() || begin == SQLITE {
            return Ok(None);
        }
    }
    match if is_input { input() } else { strange::once(path, MOST_LOG) } {
        Ok(bytes) if bytes.starts_with(SQLITE) => {
            bail!("{} gives a store as a stream: save it in a file first", path.display())
        }
        Ok(bytes) if bytes.is_empty() => bail!("{} is empty", path.display()),
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_input || path.exists() => {
            bail!("{} cannot be read: {error}", path.display())
        }
        Err(_) => Ok(None),
    }
}

/// The bytes of the standard input, which is perhaps not a file that can be opened again.
fn input() -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(MOST_LOG + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_LOG {
        let what = format!("it gave more than {} MiB", MOST_LOG >> 20);
        return Err(std::io::Error::other(what));
    }
    Ok(bytes)
}

fn boots(store: &mut Store, path: &Path, bytes: &[u8]) -> Result<String> {
    let log = boot::read(bytes)
        .with_context(|| format!("{} is not a store; read as a log of boots", path.display()))?;
    let (mut came, mut numbers) = (0, Vec::new());
    for boot in &log.boots {
        let (id, new) = store.keep_boot(boot)?;
        came += usize::from(new);
        numbers.push(id.to_string());
    }
    let mut line = format!("{} added", count(came, "boot"));
    if came < log.boots.len() {
        line += &format!(", {}", already(log.boots.len() - came));
    }
    if log.cut > 0 {
        line += &format!(", {} cut off and not added", log.cut);
    }
    Ok(format!("{line}; cupel kernels show {} shows them", numbers.join(" or ")))
}

fn runs(store: &mut Store, file: &Path) -> Result<String> {
    let imported = store.import(file)?;
    let mut line = format!("{} added", count(imported.runs, "run"));
    if imported.continued > 0 {
        line += &format!(", {} completed", imported.continued);
    }
    if imported.ahead > 0 {
        line += &format!(", {} of them in the future by this machine's clock", imported.ahead);
    }
    if imported.known > 0 {
        line += &format!(", {}", already(imported.known));
    }
    if imported.unfinished > 0 {
        line += &format!(", {} unfinished and not added", imported.unfinished);
    }
    if imported.boots + imported.known_boots > 0 {
        line += &format!("; {} added", count(imported.boots, "boot"));
        if imported.known_boots > 0 {
            line += &format!(", {}", already(imported.known_boots));
        }
    }
    if imported.leak_tests > 0 {
        line += &format!("; {} added", count(imported.leak_tests, "leak test"));
    }
    Ok(line)
}
