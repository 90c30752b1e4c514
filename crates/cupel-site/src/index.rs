//! The first page: every question, its answer first.

use super::Written;
use super::frame::{Parts, frame, list};
use cupel_base::text::count;
use cupel_print::print::escaped;
use std::fmt::Write;

/// The entry of a question in the index.
pub struct Entry {
    /// The address of its page.
    pub page: String,
    /// Its name.
    pub name: String,
    /// Its question.
    pub words: String,
    /// For each claim and each chart: its subject, and the answer.
    pub answers: Vec<(String, String)>,
    /// Its machines and runs.
    pub machines: usize,
    /// Its runs that are shown.
    pub runs: usize,
    /// Whether some of its runs are on a simulated clock.
    pub simulated: bool,
}

impl Entry {
    /// The evidence for its answers.
    pub fn evidence(&self) -> String {
        let clock = if self.simulated { ", on a simulated clock" } else { "" };
        format!("{}, {}{clock}", count(self.machines, "machine"), count(self.runs, "run"))
    }
}

/// The page.
pub fn page(entries: &[Entry], written: Written) -> String {
    let mut body = String::from("<ul class=\"asked\">\n");
    for entry in entries {
        let _ = write!(body, "<li><a href=\"{}\"><strong>", entry.page);
        body.push_str(&escaped(&entry.name));
        body.push_str("</strong></a>\n");
        body.push_str(&list(&entry.answers));
        // A question from a command line has its words as its name.
        let words = if entry.words == entry.name { "" } else { &entry.words };
        let words = format!("{} {}", escaped(words), entry.evidence());
        let _ = writeln!(body, "<p class=\"question\">{}</p></li>", words.trim_start());
    }
    body.push_str("</ul>\n");
    let below = format!(
        "<p class=\"fine\">Runs of <a href=\"machines.html\">{}</a>. Not shown: {}.</p>\n{JOINT}\n",
        count(written.machines, "machine"),
        format_args!(
            "{} that the same machine measured again, {} unfinished",
            count(written.older, "run"),
            written.unfinished
        )
    );
    let answer = format!(
        "{} on {}",
        count(written.questions, "question"),
        count(written.machines, "machine")
    );
    frame("", "Cupel", &answer, &Parts { body, below, ..Parts::default() })
}

/// The words of every page about its certainty.
pub const JOINT: &str = "<p class=\"fine\">The intervals of one run's table are joint at that run's \
    level, usually 95 %. They are not joint over machines: of 100 machines, a few may be wrong \
    somewhere. Only figures of one run are compared, never times of two runs. Times of day are those \
    of each machine's own clock.</p>";
