//! The form and the file in which a verb writes its output.

use crate::options::Printing;
use crate::{Context, Exit, print};
use anyhow::{Result, bail};
use cupel_base::disk::{fill_whole, write_whole};
use cupel_base::text::plain;
use cupel_print::Format;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// The file, and the form.
#[derive(clap::Args)]
pub struct Written {
    /// Write to this file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The format, if it is given.
    #[command(flatten)]
    pub printing: Printing,
}

impl Written {
    /// The output, if it is a folder: it exists, or is written as one.
    pub fn folder(&self) -> Option<&Path> {
        let is_folder =
            |path: &&Path| path.is_dir() || path.to_string_lossy().ends_with(MAIN_SEPARATOR);
        self.output.as_deref().filter(is_folder)
    }

    /// The format that is given, or that the file's name means, or else `usual`.
    ///
    /// # Errors
    /// If the file's name means none.
    pub fn format(&self, usual: Option<Format>) -> Result<Format> {
        let ending = self.output.as_deref().and_then(Path::extension);
        Ok(match (self.printing.given(), ending.and_then(|ending| ending.to_str())) {
            (Some(given), _) => given,
            (None, Some("html")) => Format::Html,
            (None, Some("csv")) => Format::Csv,
            (None, Some("json")) => Format::Json,
            (None, Some("jsonl")) => Format::Jsonl,
            (None, Some("md")) => Format::Markdown,
            (None, Some("svg")) => Format::Svg,
            (None, other) => match (usual, other) {
                (Some(usual), _) => usual,
                (None, None | Some("txt")) => Format::Table,
                (None, Some(other)) => bail!(
                    "which format has a file that ends in .{other}? Give --format, or end its name \
                     in .csv, .jsonl, .json, .md, .svg, .html or .txt"
                ),
            },
        })
    }

    /// Prints a text, or writes it to the file and prints the file's name.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn text(&self, context: &Context, text: &str) -> Result<Exit> {
        match &self.output {
            Some(path) => {
                write_whole(path, text)?;
                say_written(context, path)?;
            }
            None => print(text)?,
        }
        Ok(Exit::Well)
    }

    /// Prints rows, which `write` writes one by one, or fills the file with them and prints its name.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn rows(
        &self,
        context: &Context,
        write: impl Fn(Box<dyn Write>) -> Result<()>,
    ) -> Result<Exit> {
        let Some(path) = &self.output else {
            write(Box::new(Forgiving(BufWriter::new(std::io::stdout()))))?;
            return Ok(Exit::Well);
        };
        fill_whole(path, |file| write(Box::new(BufWriter::new(file.try_clone()?))))?;
        say_written(context, path)?;
        Ok(Exit::Well)
    }
}

/// Prints the name of a file that was written.
///
/// # Errors
/// If it cannot be printed.
pub fn say_written(context: &Context, path: &Path) -> Result<()> {
    if context.quiet {
        return Ok(());
    }
    print(&format!("{}\n", plain(&path.display().to_string())))
}

/// A reader that stops reading (`| head`) is not an error.
struct Forgiving<W>(W);

impl<W: Write> Write for Forgiving<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.0.write(bytes) {
            Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(bytes.len()),
            other => other,
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self.0.flush() {
            Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }
}
