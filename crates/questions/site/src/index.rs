//! The first page: every question, its answer first.

use super::Written;
use super::frame::{Parts, frame, list};
use cupel_base::text::{bytes, count};
use cupel_print::print::escaped;
use std::fmt::Write;

/// How many processors an entry names.
const NAMED: usize = 3;

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
    /// The sizes that were measured, in bytes, ascending.
    pub sizes: Vec<u64>,
    /// The processors of its machines.
    pub processors: Vec<String>,
    /// The days on which its runs began, ascending.
    pub days: Vec<String>,
    /// A chart of one of its workloads, and its title.
    pub chart: Option<(String, String)>,
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

    /// Sizes, machines and days, in a line.
    fn facts(&self) -> String {
        let sizes = match &self.sizes[..] {
            [] => String::new(),
            [only] => bytes(*only),
            [first, .., last] => {
                let number = count(self.sizes.len(), "size");
                format!("{number} from {} to {}", bytes(*first), bytes(*last))
            }
        };
        let days = match &self.days[..] {
            [] => String::new(),
            [only] => only.clone(),
            [first, .., last] => format!("{first} to {last}"),
        };
        let processors = match self.processors.len() {
            0..=NAMED => self.processors.join(", "),
            more => format!("{} and {} more", self.processors[0], more - 1),
        };
        let facts = [sizes, processors, days, self.evidence()];
        facts
            .iter()
            .filter(|fact| !fact.is_empty())
            .map(|fact| escaped(fact))
            .collect::<Vec<_>>()
            .join(" · ")
    }

    /// The entry as HTML.
    fn html(&self) -> String {
        let (name, words) = (escaped(&self.name), escaped(&self.words));
        let mut out = format!("<li class=\"entry\">\n<div>\n<h2><a href=\"{}\">", self.page);
        // A question from a command line has its words as its name.
        let title = if name == words {
            format!("<strong>{name}</strong></a></h2>\n")
        } else {
            format!("{words}</a></h2>\n<p class=\"question\"><strong>{name}</strong></p>\n")
        };
        out.push_str(&title);
        out.push_str(&list(&self.answers));
        let _ = writeln!(out, "<p class=\"fine\">{}</p>\n</div>", self.facts());
        if let Some((chart, shows)) = &self.chart {
            let shows = escaped(shows);
            let _ = writeln!(out, "<figure>\n<figcaption>{shows}</figcaption>\n{chart}</figure>");
        }
        out.push_str("</li>\n");
        out
    }
}

/// The page.
pub fn page(entries: &[Entry], written: Written) -> String {
    let mut body = String::from("<ul class=\"asked\">\n");
    for entry in entries {
        body.push_str(&entry.html());
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
        "Which implementation is the fastest? {}, {}",
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
