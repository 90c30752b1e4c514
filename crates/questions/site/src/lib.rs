//! A store as a site: an index with every question and its answer, a page for each question with
//! the machines side by side, and the evidence of every figure. Plain files for any web server.
//!
//! `choose` has the runs that are shown, `gather` their figures, `answer` and `question` the page of
//! a question, and `folder` writes the files. `verb` reads the command line of `cupel show -o DIR/`.
//! The command lists [`SHOWN`].

mod answer;
mod asked;
mod choose;
mod folder;
mod frame;
mod gather;
mod index;
mod machines;
mod question;
mod verb;

pub use verb::SHOWN;

use anyhow::Result;
use choose::Chosen;
use cupel_show::export::{What, cells_as_csv, export};
use cupel_show::report::{Format, page};
use cupel_store::Store;
use folder::Folder;
use gather::Question;
use std::collections::BTreeMap;
use std::path::Path;

/// The content of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Written {
    /// Pages of questions.
    pub questions: usize,
    /// Machines on them.
    pub machines: usize,
    /// Runs that have their own page.
    pub runs: usize,
    /// Finished runs that another run of the same machine stands for.
    pub older: usize,
    /// Unfinished runs, which are left out.
    pub unfinished: usize,
}

/// Writes the site of a store into a folder, and replaces the site that is there. A store always
/// gives the same bytes. With `slices`, the raw slices of each run lie next to its page, as CSV.
///
/// # Errors
/// If the store has no finished run or cannot be read, or if the folder has other files than a
/// site's or cannot be written.
fn write(store: &Store, folder: &Path, slices: bool) -> Result<Written> {
    let chosen = choose::runs(store)?;
    let mut folder = Folder::open(folder, &names(&chosen, slices))?;
    let places = machines::places(&chosen);
    let mut entries = Vec::new();
    for (asked, runs) in &chosen.questions {
        // One question at a time: a store may have more figures than memory.
        let question = Question::gather(store, asked, runs, &places)?;
        let file = asked.file();
        let (page, entry) = question::page(&question, &places, slices);
        folder.write(&format!("{file}.html"), page.as_bytes())?;
        folder
            .write(&format!("{file}.csv"), &cells_as_csv(store, runs.iter().map(|run| run.id))?)?;
        entries.push(entry);
        for run in runs {
            let (_, page) = page::write(store, Some(run.id), &[])?;
            folder.write(&page_of(run.id), page.as_bytes())?;
            if slices {
                let mut bytes = Vec::new();
                export(store, Some(run.id), What::Slices, Format::Csv, Box::new(&mut bytes))?;
                folder.write(&slices_of(run.id), &bytes)?;
            }
        }
    }
    folder.write(MACHINES, machines::page(&places).as_bytes())?;
    let written = Written {
        questions: chosen.questions.len(),
        machines: places.len(),
        runs: chosen.questions.values().map(Vec::len).sum(),
        older: chosen.older,
        unfinished: chosen.unfinished,
    };
    folder.write(INDEX, index::page(&entries, written).as_bytes())?;
    folder.finish()?;
    Ok(written)
}

/// The page that a reader opens first.
const INDEX: &str = "index.html";

const MACHINES: &str = "machines.html";

fn page_of(run: i64) -> String {
    format!("runs/{run}.html")
}

fn slices_of(run: i64) -> String {
    format!("runs/{run}.csv")
}

/// The names of all files.
fn names(chosen: &Chosen, slices: bool) -> Vec<String> {
    let mut names = vec![INDEX.to_string(), MACHINES.to_string()];
    for (asked, runs) in &chosen.questions {
        let file = asked.file();
        names.extend([format!("{file}.html"), format!("{file}.csv")]);
        names.extend(runs.iter().map(|run| page_of(run.id)));
        if slices {
            names.extend(runs.iter().map(|run| slices_of(run.id)));
        }
    }
    names
}

/// The machines of a site.
type Places = BTreeMap<choose::Identity, machines::Place>;
