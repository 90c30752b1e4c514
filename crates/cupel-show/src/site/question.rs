//! The page of a question: the answer, the winner by machine and size, and the ratios, with
//! machines and versions as rows. Every figure leads to its run.

use super::answer::together;
use super::frame::{Parts, cell, encoded, escaped, frame, wide};
use super::gather::{Chart, Figure, Figures, Line, Question};
use super::index::{Entry, JOINT};
use super::{Places, machines, page_of, slices_of};
use crate::report::sentence::subject;
use anyhow::Result;
use cupel_base::chart::ChartKey;
use cupel_base::text::{bytes, count, interval, ratio_digits, time};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The most cells of all tables of a page. More is megabytes that no one reads; the CSV has all.
const MOST: usize = 20_000;

/// The page, and what the index says of it. With `slices`, each row leads to its raw slices.
pub fn page(question: &Question, places: &Places, slices: bool) -> (String, Entry) {
    let file = question.file();
    let mut left = MOST;
    let mut body = String::new();
    let mut answers = Vec::new();
    for (key, chart) in &question.charts {
        let about = about(chart);
        let said = together(chart, places);
        body.push_str("<section>\n");
        // The only answer is the head of the page.
        if question.charts.len() > 1 {
            let _ = writeln!(body, "<h2>{}: {}</h2>", escaped(&about), escaped(&said));
        }
        let _ = writeln!(body, "<p class=\"fine\">Contract: {}.</p>", escaped(&key.contract));
        let mut page = Page { places, chart, key, slices, left };
        body.push_str(&page.by_processor());
        body.push_str(&page.winners());
        body.push_str(&page.ratios());
        left = page.left;
        body.push_str("</section>\n");
        answers.push((about, said));
    }
    let lines = || question.charts.values().flat_map(|chart| &chart.lines);
    let machines = lines().map(|line| &line.place).collect::<BTreeSet<_>>().len();
    let runs = lines().map(|line| line.run).collect::<BTreeSet<_>>().len();
    let csv = format!("{file}.csv").replacen("questions/", "", 1);
    let ends = match left {
        0 => " The tables end where this page would be too long; the file has the rest.",
        _ => "",
    };
    let below = format!(
        "<p class=\"fine\">All figures of this page: <a href=\"{csv}\">{csv}</a>.{ends}</p>\n{JOINT}\n"
    );
    let entry = Entry {
        page: format!("{file}.html"),
        suite: question.suite.clone(),
        asked: question.asked.clone(),
        answers,
        machines,
        runs,
        simulated: question.simulated,
    };
    let answer = match &entry.answers[..] {
        [(about, said)] => format!("{about}: {said}"),
        all => format!("{} on {}", count(all.len(), "answer"), count(machines, "machine")),
    };
    let above = format!(
        "<p class=\"question\">{} ({}), {}, {}{}</p>",
        escaped(&question.asked),
        escaped(&question.suite),
        count(machines, "machine"),
        count(runs, "run"),
        if question.simulated { ", on a simulated clock" } else { "" }
    );
    (frame("../", &question.suite, &answer, &Parts { above, body, below }), entry)
}

/// What a chart is about: `SHA-256`.
fn about(chart: &Chart) -> String {
    subject(&chart.work, "").trim_end_matches([',', ' ']).to_string()
}

struct Page<'a> {
    places: &'a Places,
    chart: &'a Chart,
    key: &'a ChartKey,
    slices: bool,
    /// The cells that still fit.
    left: usize,
}

impl Page<'_> {
    /// Whether a row of this many cells fits.
    fn fits(&mut self, cells: usize) -> bool {
        let fits = cells <= self.left;
        self.left = if fits { self.left - cells } else { 0 };
        fits
    }

    /// The address of a run's page that shows this workload.
    fn run(&self, run: i64, size: u64) -> String {
        format!(
            "../{}#primitive={}&amp;operation={}&amp;shape={}&amp;contract={}&amp;size={size}",
            page_of(run),
            encoded(&self.key.primitive),
            self.key.operation,
            self.key.shape,
            encoded(&self.key.contract),
        )
    }

    /// The winners, the most frequent first, with the number of their colour.
    fn colours(&self) -> BTreeMap<String, usize> {
        const COLOURS: usize = 6;
        let mut wins: BTreeMap<String, usize> = BTreeMap::new();
        for sizes in self.chart.newest().values() {
            for (_, figures) in sizes.values() {
                *wins.entry(fastest(figures)).or_default() += 1;
            }
        }
        let mut wins: Vec<(String, usize)> = wins.into_iter().collect();
        wins.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        wins.into_iter().take(COLOURS).enumerate().map(|(n, (name, _))| (name, n)).collect()
    }

    /// The winner by processor and size, if several machines have the same processor.
    fn by_processor(&mut self) -> String {
        let newest = self.chart.newest();
        let mut processors: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for place in newest.keys() {
            let label = self.places.get(*place).map_or("unknown", |place| place.label.as_str());
            processors.entry(label).or_default().push(place);
        }
        if processors.len() == newest.len() {
            return String::new();
        }
        let (sizes, colours) = (self.chart.sizes(), self.colours());
        let mut table = head("The fastest by processor and size", "processor", &sizes);
        for (label, machines) in processors {
            if !self.fits(sizes.len()) {
                break;
            }
            let _ = write!(
                table,
                "<tr><th scope=\"row\">{} <span class=\"sub\">{}</span></th>",
                escaped(label),
                count(machines.len(), "machine")
            );
            for size in &sizes {
                let mut wins: BTreeMap<String, usize> = BTreeMap::new();
                for place in &machines {
                    if let Some((_, figures)) = newest[place].get(size) {
                        *wins.entry(fastest(figures)).or_default() += 1;
                    }
                }
                let mut wins: Vec<(String, usize)> = wins.into_iter().collect();
                wins.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
                let mut content = String::from("<div>");
                let measured: usize = wins.iter().map(|(_, n)| n).sum();
                for (name, n) in &wins {
                    let share = match n {
                        _ if machines.len() == 1 => String::new(),
                        n if *n == measured => "on all".to_string(),
                        n => format!("on {n} of {measured}"),
                    };
                    let _ = write!(
                        content,
                        "<div class=\"win{}\">{}<span class=\"sub\">{share}</span></div>",
                        colour(&colours, name),
                        escaped(name)
                    );
                }
                content.push_str("</div>");
                table.push_str(&cell(&bytes(*size), &content));
            }
            table.push_str("</tr>\n");
        }
        table.push_str("</tbody>\n</table>\n");
        wide("The fastest by processor and size", &table)
    }

    /// The winner by machine and size.
    fn winners(&mut self) -> String {
        let newest = self.chart.newest();
        let (sizes, colours) = (self.chart.sizes(), self.colours());
        let mut table = head("The fastest by machine and size", "machine", &sizes);
        let mut before = None;
        for line in &self.chart.lines {
            if before.replace(&line.place) == Some(&line.place) {
                continue;
            }
            if !self.fits(sizes.len()) {
                break;
            }
            let machine = self.places.get(&line.place).map(machines::head).unwrap_or_default();
            let _ = write!(table, "<tr><th scope=\"row\">{machine}</th>");
            for size in &sizes {
                let Some((line, figures)) = newest[line.place.as_str()].get(size) else {
                    table.push_str(&cell(&bytes(*size), ABSENT));
                    continue;
                };
                let name = fastest(figures);
                let content = format!(
                    "<div class=\"win{}\"><a href=\"{}\">{}</a><span class=\"sub\">{}</span></div>",
                    colour(&colours, &name),
                    self.run(line.run, *size),
                    escaped(&name),
                    escaped(&ahead(figures)),
                );
                table.push_str(&cell(&bytes(*size), &content));
            }
            table.push_str("</tr>\n");
        }
        table.push_str("</tbody>\n</table>\n");
        wide("The fastest by machine and size", &table)
    }

    /// For each size, the ratios of all contenders: a row for each machine and set of versions.
    fn ratios(&mut self) -> String {
        let versions = versions(self.chart);
        let mut out = String::new();
        for size in self.chart.sizes() {
            let at = |line: &&Line| line.sizes.contains_key(&size);
            let lines: Vec<&Line> = self.chart.lines.iter().filter(at).collect();
            let shown = |line: &&Line| -> Vec<String> {
                let rows = line.sizes[&size].rows.iter();
                rows.filter(|row| !row.aside).map(|row| row.contender.clone()).collect()
            };
            let names: BTreeSet<String> = lines.iter().flat_map(shown).collect();
            if self.left == 0 {
                break;
            }
            let title = format!("Times and ratios at {}", bytes(size));
            let mut table =
                "<table>\n<thead><tr><th scope=\"col\">machine and run</th>".to_string();
            for name in &names {
                let _ = write!(table, "<th scope=\"col\">{}</th>", escaped(name));
            }
            table.push_str("</tr></thead>\n<tbody>\n");
            for line in lines {
                if !self.fits(names.len()) {
                    break;
                }
                let figures = &line.sizes[&size];
                let _ =
                    write!(table, "<tr><th scope=\"row\">{}", self.row(line, figures, &versions));
                table.push_str("</th>");
                let rows: BTreeMap<&str, &Figure> =
                    figures.rows.iter().map(|row| (row.contender.as_str(), row)).collect();
                for name in &names {
                    let run = self.run(line.run, size);
                    let content = rows.get(name.as_str()).map(|row| figure(row, &run));
                    table.push_str(&cell(name, content.as_deref().unwrap_or(ABSENT)));
                }
                table.push_str("</tr>\n");
            }
            table.push_str("</tbody>\n</table>\n");
            let _ = writeln!(
                out,
                "<details>\n<summary><h3>{}</h3></summary>\n{}</details>",
                escaped(&title),
                wide(&title, &table)
            );
        }
        out
    }

    /// The head of a run's row: machine, run, its versions where runs differ in them, its evidence.
    fn row(
        &self,
        line: &Line,
        figures: &Figures,
        versions: &BTreeMap<String, BTreeSet<String>>,
    ) -> String {
        let mut out = self.places.get(&line.place).map(machines::head).unwrap_or_default();
        let _ = write!(
            out,
            "<span class=\"sub\"><a href=\"../{}\">run {}</a> of {}",
            page_of(line.run),
            line.run,
            escaped(line.started.get(..10).unwrap_or(&line.started))
        );
        if self.slices {
            let _ = write!(out, ", <a href=\"../{}\">slices</a>", slices_of(line.run));
        }
        for row in &figures.rows {
            if versions.get(&row.contender).is_some_and(|all| all.len() > 1) {
                let _ = write!(out, "; {} {}", escaped(&row.contender), escaped(&row.version));
            }
        }
        out.push_str("</span>");
        out
    }
}

/// What a cell of a table has if there is no figure.
const ABSENT: &str = "<span class=\"absent\">not measured</span>";

/// The versions of each contender over all runs of a chart.
fn versions(chart: &Chart) -> BTreeMap<String, BTreeSet<String>> {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for figures in chart.lines.iter().flat_map(|line| line.sizes.values()) {
        for row in &figures.rows {
            versions.entry(row.contender.clone()).or_default().insert(row.version.clone());
        }
    }
    versions
}

/// One ratio with its interval, its time and its verdict.
fn figure(row: &Figure, run: &str) -> String {
    let verdict = row.verdict.words();
    let class = verdict.replace(' ', "-");
    let word = format!("<span class=\"verdict {class}\">{verdict}</span>");
    let Some(ns) = row.ns else { return word };
    let ratio = match row.ratio {
        Some(ratio) => format!(
            "<a href=\"{run}\">{}</a><span class=\"interval\">{}</span>",
            ratio_digits(ratio.estimate),
            interval(ratio.low, ratio.high)
        ),
        None => format!("<a href=\"{run}\">{}</a>", time(ns)),
    };
    let beside = row.ratio.map(|_| format!("<span class=\"sub\">{}</span>", time(ns)));
    format!("<span class=\"ratio\">{ratio}{}{word}</span>", beside.unwrap_or_default())
}

/// The names of the fastest, or why there is none.
fn fastest(figures: &Figures) -> String {
    const NAMED: usize = 3;
    let mut names: Vec<&str> = figures.said.fastest.iter().map(|name| name.as_str()).collect();
    names.sort_unstable();
    match names.len() {
        0 => "nothing was ranked".to_string(),
        n if n <= NAMED => names.join(" or "),
        n => format!("{} or {} others", names[..NAMED].join(" or "), n - NAMED),
    }
}

/// Whether the winner is certain, and how the second compares.
fn ahead(figures: &Figures) -> String {
    let said = &figures.said;
    match (&said.fastest[..], said.decided) {
        ([], _) => String::new(),
        (_, false) => "open".to_string(),
        ([_], true) => {
            let times = || figures.rows.iter().filter(|row| !row.aside).filter_map(|row| row.ns);
            match (times().next(), times().nth(1)) {
                (Some(first), Some(second)) => {
                    format!(
                        "{}, the next {} times as long",
                        time(first),
                        ratio_digits(second / first)
                    )
                }
                (Some(first), None) => time(first),
                _ => String::new(),
            }
        }
        (_, true) => "they tie".to_string(),
    }
}

fn colour(colours: &BTreeMap<String, usize>, name: &str) -> String {
    colours.get(name).map_or(String::new(), |n| format!(" w{n}"))
}

fn head(caption: &str, first: &str, sizes: &[u64]) -> String {
    let mut table =
        format!("<table>\n<caption>{caption}</caption>\n<thead><tr><th scope=\"col\">{first}</th>");
    for size in sizes {
        let _ = write!(table, "<th scope=\"col\">{}</th>", bytes(*size));
    }
    table.push_str("</tr></thead>\n<tbody>\n");
    table
}

/// All figures of a question, one row for each contender, workload and run.
///
/// # Errors
/// None in practice; those of the writer.
pub fn csv(question: &Question, places: &Places) -> Result<Vec<u8>> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record([
        "machine",
        "fingerprint",
        "run",
        "started",
        "primitive",
        "operation",
        "contract",
        "shape",
        "size",
        "contender",
        "version",
        "code_path",
        "ns_per_call",
        "baseline",
        "ratio",
        "ratio_low",
        "ratio_high",
        "verdict",
    ])?;
    let number =
        |x: Option<f64>| x.filter(|x| x.is_finite()).map_or(String::new(), |x| x.to_string());
    for (key, chart) in &question.charts {
        for line in &chart.lines {
            let machine = places.get(&line.place);
            let fingerprint = machine.map_or("", |place| place.fingerprint.as_str());
            let machine = machine.map_or("", |place| place.label.as_str());
            for (size, figures) in &line.sizes {
                for row in &figures.rows {
                    let low = row.ratio.map(|ratio| ratio.low).filter(|low| *low > 0.0);
                    out.write_record([
                        machine,
                        fingerprint,
                        &line.run.to_string(),
                        &line.started,
                        &key.primitive,
                        key.operation.name(),
                        &key.contract,
                        key.shape.name(),
                        &size.to_string(),
                        &row.contender,
                        &row.version,
                        &row.code_path,
                        &number(row.ns),
                        figures.baseline.as_deref().unwrap_or_default(),
                        &number(row.ratio.map(|ratio| ratio.estimate)),
                        &number(low),
                        &number(row.ratio.map(|ratio| ratio.high)),
                        row.verdict.words(),
                    ])?;
                }
            }
        }
    }
    Ok(out.into_inner()?)
}
