//! `cupel export`: the store as a table, for other programs.

use super::which::which;
use super::{Context, Exit, complete};
use crate::disk::fill_whole;
use crate::export::{Form, What, export};
use crate::store::{self, Store};
use crate::text::{count, tell};
use anyhow::Result;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Write the store as CSV or JSON Lines
///
/// The rows are the analysed cells or the raw slices, of one run or of all. docs/formats.md
/// explains the columns; docs/analysis.md shows how to read the file with DuckDB and pandas.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel export --format csv > cells.csv
  cupel export --format jsonl --what slices --run 7 -o slices.jsonl")]
pub struct Args {
    /// File format
    #[arg(long, value_enum)]
    format: Form,
    /// What each row contains
    #[arg(long, value_enum, default_value = "cells")]
    what: What,
    /// Only this run: its number; a day (UTC), for the newest that began then; last; previous; or a
    /// suite, for its newest
    #[arg(long, value_name = "RUN", add = complete::runs())]
    run: Option<String>,
    /// The output file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home_of_store()?;
    let store = Store::existing(&home.store)?;
    let run = args.run.as_deref().map(|word| which(&store, word)).transpose()?;
    let Some(path) = &args.output else {
        let out = BufWriter::new(std::io::stdout());
        match export(&store, run, args.what, args.format, Box::new(Forgiving(out))) {
            Ok(_) => return Ok(Exit::Well),
            Err(error) => return Err(error),
        }
    };
    store::spare(path)?;
    let rows = fill_whole(path, |file| {
        let out = Box::new(BufWriter::new(file.try_clone()?));
        export(&store, run, args.what, args.format, out)
    })?;
    if !context.quiet {
        tell(&format!("cupel: {} in {}", count(rows.try_into()?, "row"), path.display()));
    }
    Ok(Exit::Well)
}

/// A reader that stops reading (`| head`) is not an error.
struct Forgiving<W>(W);

impl<W: Write> Write for Forgiving<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.0.write(bytes) {
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            other => other,
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self.0.flush() {
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }
}
