//! Go: the text of `go test -bench`, also inside `go test -json`; and `benchstat`, as text or CSV.

use super::text::{half_a_digit, number, per_call, time, whole};
use super::{BREAKS_OFF, Content, DID_NOT_END, Input, Machine, Measured};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub fn bench(input: &Input) -> Option<Result<Content, String>> {
    let text = input.text.clone() + &of_events(&input.json.values);
    let mut content = Content::default();
    let mut left_out = BTreeSet::new();
    let mut package = Package::default();
    // How often the output of each package has begun.
    let mut begun: BTreeMap<&str, usize> = BTreeMap::new();
    let mut machine = Machine::default();
    let mut in_head = false;
    // A program that prints separates the name from its figures.
    let mut waiting = "";
    // Other programs fail, too.
    let mut ended: Vec<Measured> = Vec::new();
    // The line with that name, if it may be the last one.
    let mut begun_in = "";
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(first) = words.first() else { continue };
        let after_head = std::mem::take(&mut in_head);
        if let Some((key, value)) = line.split_once(": ") {
            in_head = key == "goos" || after_head && [MACHINE[1], MACHINE[2], "pkg"].contains(&key);
            // One that fails after its first iteration has its name before that.
            match key.rsplit('\t').next().unwrap_or_default() {
                // A program may print `cpu: 85 %`.
                key if MACHINE.contains(&key) && in_head => machine.add(value),
                "pkg" => {
                    let run = begun.entry(value).or_default();
                    *run += 1;
                    package = Package { name: value, run: *run };
                }
                ended @ ("--- SKIP" | "--- FAIL") if value.starts_with("Benchmark") => {
                    let name = value.split(' ').next().unwrap_or_default();
                    let what = if ended == "--- SKIP" { "it was skipped" } else { "it failed" };
                    content.results.push(machine.with(package.of(Measured::failed(name, what))));
                    (waiting, begun_in) = ("", "");
                    continue;
                }
                _ => {}
            }
        }
        match line.split('\t').next().unwrap_or_default() {
            "PASS" | "ok  " => (waiting, begun_in) = ("", ""),
            "FAIL" => {
                if !begun_in.is_empty() {
                    ended.push(machine.with(package.of(Measured::failed(waiting, DID_NOT_END))));
                }
                (waiting, begun_in) = ("", "");
                if line.ends_with(" failed]") && words.len() > 2 {
                    ended.push(machine.with(Measured::failed(words[1], "it was not built")));
                }
                continue;
            }
            _ => {}
        }
        // A table of JMH begins with the same word.
        let named = first.starts_with("Benchmark") && !words.contains(&"Mode");
        if named && words.get(1) == Some(&"panic:") {
            let why = line.split_once("panic:").map_or("", |(_, why)| why.trim());
            let what = format!("it panicked: {why}");
            content.results.push(machine.with(package.of(Measured::failed(first, what))));
            (waiting, begun_in) = ("", "");
            continue;
        }
        let (name, words) = if named { (*first, &words[1..]) } else { (waiting, &words[..]) };
        if named {
            // Its figures would follow the tab. With -v, only its name is there at first.
            (waiting, begun_in) = (first, if line.starts_with(first) { line } else { "" });
        }
        // A line of `b.Log` begins with its place in the source.
        if first.contains(".go:") && first.ends_with(':') {
            continue;
        }
        // The program may have printed something before its figures.
        let found = (0..words.len()).find_map(|at| {
            // The name and the figures of one line leave no doubt, whatever their units. After other
            // words, only the usual unit leaves none.
            let is_beside = named && at == 0;
            let is_sure = at == 0 || words.get(at + 2) == Some(&"ns/op");
            let iterations = iterations(&words[at..], is_beside).filter(|_| is_sure)?;
            Some((iterations, &words[at..]))
        });
        let Some((iterations, figures)) = found.filter(|_| !name.is_empty()) else {
            if !name.is_empty() && words.contains(&"ns/op") {
                let what = "its figures cannot be read: does the program print into its line?";
                content.results.push(machine.with(package.of(Measured::failed(name, what))));
                (waiting, begun_in) = ("", "");
            }
            continue;
        };
        let mut row = Measured::new(name, "mean");
        row.samples = iterations;
        let (mut rate, mut rounding) = (None, 0.0);
        for pair in figures[1..].chunks_exact(2) {
            match (number(pair[0]), pair[1]) {
                (Some(value), "ns/op") => {
                    row.set(per_call(value, "ns/op", 1));
                    rounding = half_a_digit(pair[0]) / value;
                }
                (Some(value), "MB/s") => rate = Some(value),
                (_, unit) => drop(left_out.insert(unit)),
            }
        }
        if row.ns.is_none() && row.error.is_none() {
            row.error = Some(format!("it reports {} and no ns/op", figures[2]));
        }
        row.bytes =
            rate.zip(row.ns).and_then(|(rate, ns)| whole(rate * ns / 1e3, 0.005 / rate + rounding));
        content.results.push(machine.with(package.of(row)));
        (waiting, begun_in) = ("", "");
    }
    let is_cut = !input.is_whole && !begun_in.is_empty() && text.ends_with(begun_in);
    if begun_in.contains('\t') || is_cut {
        ended.push(machine.with(package.of(Measured::failed(waiting, DID_NOT_END))));
    }
    if content.has_times() {
        content.results.extend(ended);
    }
    content.leave_out(left_out.into_iter());
    (!content.results.is_empty()).then_some(Ok(content))
}

/// The output in the events of `go test -json`, package by package: several may run at a time.
fn of_events(events: &[Value]) -> String {
    let mut packages: Vec<(&str, String)> = Vec::new();
    for event in events.iter().filter(|event| event["Action"] == "output") {
        let package = event["Package"].as_str().unwrap_or_default();
        let output = event["Output"].as_str().unwrap_or_default();
        match packages.iter_mut().find(|(known, _)| *known == package) {
            Some((_, text)) => text.push_str(output),
            None => packages.push((package, output.to_string())),
        }
    }
    packages.into_iter().map(|(_, text)| text).collect()
}

/// The number of iterations, if these words are it and pairs of a figure and its unit.
fn iterations(words: &[&str], any_unit: bool) -> Option<u64> {
    let is_unit = |unit: &str| if any_unit { number(unit).is_none() } else { unit.contains('/') };
    let is_figure =
        words.len() > 2 && words.len() % 2 == 1 && number(words[1]).is_some() && is_unit(words[2]);
    words.first()?.parse().ok().filter(|_| is_figure)
}

/// The package of the lines, and how often its output has begun: with other flags, the same names
/// are other benchmarks.
#[derive(Clone, Copy, Default)]
struct Package<'a> {
    name: &'a str,
    run: usize,
}

impl Package<'_> {
    fn of(self, mut row: Measured) -> Measured {
        if self.name.is_empty() {
            return row;
        }
        row.add("pkg", self.name);
        row.from("run", &self.run.to_string())
    }
}

/// A column of benchstat's figures.
#[derive(Default)]
struct Column {
    /// The file of its results.
    file: String,
    unit: String,
    /// Its place among the cells of CSV.
    at: usize,
}

pub fn benchstat(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    let mut files: Vec<&str> = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    let mut left_out = BTreeSet::new();
    let (mut machine, mut package) = (Machine::default(), "");
    // A row that breaks off may have one comma.
    let mut is_csv = false;
    for line in input.text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let drawn = line.contains('│');
        // A name has quotes if it has a comma.
        let (quoted, rest) = line.strip_prefix('"').and_then(|l| l.split_once("\",")).unzip();
        let cells = rest.unwrap_or(line).split(if drawn { '│' } else { ',' }).map(str::trim);
        let cells: Vec<&str> = quoted.into_iter().chain(cells).collect();
        let csv = !drawn && cells.len() > if is_csv { 1 } else { 2 };
        if let Some((key, value)) =
            line.split_once(": ").filter(|(key, _)| MACHINE.contains(key) || *key == "pkg")
        {
            columns.clear();
            match key {
                "pkg" => package = value,
                _ => machine.add(value),
            }
        } else if (drawn || csv) && cells[0].is_empty() {
            let units = cells.iter().enumerate().filter_map(|(at, cell)| {
                let unit = cell.split(' ').next().filter(|word| is_unit(word))?.to_string();
                // Drawn cells have the figure and its interval, cells of CSV only one of them.
                let file = files.get(at).map_or("", |file| file).to_string();
                Some(Column { file, unit, at })
            });
            columns = units.collect();
            files = cells;
            is_csv = csv;
        } else if words.first() == Some(&"name") && words.iter().any(|word| is_unit(word)) {
            // Until 2022: `name  old time/op  new time/op  delta`, or of three files
            // `name \ time/op  a  b  c`.
            let column = |file: &str, unit: &str| Column {
                file: file.to_string(),
                unit: unit.to_string(),
                at: 0,
            };
            columns = match &words[1..] {
                ["\\", unit, files @ ..] => files.iter().map(|file| column(file, unit)).collect(),
                _ => {
                    let pairs = words.windows(2).filter(|pair| is_unit(pair[1]));
                    pairs.map(|pair| column(pair[0], pair[1])).collect()
                }
            };
        } else if words.is_empty() {
            columns.clear();
            is_csv = false;
        } else if !columns.is_empty()
            && !["geomean", "[Geo"].iter().any(|mean| cells[0].split(' ').next() == Some(mean))
        {
            // The text before the first figure.
            let before = line.split('±').next().unwrap_or_default().trim_end();
            let named = before.rsplit_once(char::is_whitespace).map_or("", |(name, _)| name.trim());
            let name = if csv { cells[0] } else { named };
            let figures = if csv { of_csv(&cells, &columns) } else { of_text(line) };
            let known = csv || figures.len() == columns.len();
            for (figure, column) in figures.into_iter().zip(&columns) {
                if !["sec/op", "time/op"].contains(&column.unit.as_str()) {
                    left_out.insert(column.unit.clone());
                    continue;
                }
                let mut row = Measured::new(name, "median");
                if !["", "name"].contains(&column.file.as_str()) {
                    row.add("file", &column.file);
                }
                match figure {
                    Some(Ok(figure)) => figure.fill(&mut row),
                    Some(Err(why)) => row.error = Some(why.to_string()),
                    None => continue,
                }
                if !known {
                    row.error =
                        Some("not every file has it: use benchstat -format csv".to_string());
                }
                content.results.push(machine.with(row).from("pkg", package));
            }
        }
    }
    content.leave_out(left_out.iter().map(String::as_str));
    (!content.results.is_empty()).then_some(Ok(content))
}

/// The lines that describe the machine.
const MACHINE: [&str; 3] = ["goos", "goarch", "cpu"];

fn is_unit(word: &str) -> bool {
    ["sec/op", "time/op", "B/op", "alloc/op", "allocs/op", "B/s", "speed"].contains(&word)
}

/// A figure of benchstat, with the half width of its interval as a share.
struct Figure {
    ns: f64,
    share: Option<f64>,
}

impl Figure {
    fn fill(&self, row: &mut Measured) {
        row.ns = Some(self.ns);
        row.low = self.share.map(|share| self.ns * (1.0 - share).max(0.0));
        row.high = self.share.map(|share| self.ns * (1.0 + share));
    }
}

const UNREADABLE: &str = "its figure cannot be read";

/// `Encode/gob-48,3.0655e-06,0%,3.07e-06,2%,~,p=0.446 n=10`
fn of_csv(cells: &[&str], columns: &[Column]) -> Vec<Option<Result<Figure, &'static str>>> {
    let there = columns.iter().take_while(|column| column.at < cells.len());
    let figures = there.map(|column| {
        let figure = cells.get(column.at).filter(|figure| !figure.is_empty())?;
        let Some(s) = number(figure) else { return Some(Err(UNREADABLE)) };
        let ns = s * 1e9;
        // An interval, or its empty cell, follows each figure.
        let Some(interval) = cells.get(column.at + 1) else { return Some(Err(BREAKS_OFF)) };
        Some(Ok(Figure { ns, share: share(interval) }))
    });
    figures.collect()
}

/// `Hash8Bytes/New-8         341.0n ±  3%   252.0n ±  2%  -26.10% (p=0.002 n=6)`
fn of_text(line: &str) -> Vec<Option<Result<Figure, &'static str>>> {
    let parts: Vec<&str> = line.split('±').collect();
    let figures = parts.windows(2).map(|pair| {
        let figure = pair[0].split_whitespace().last()?;
        let thousands = figure.strip_suffix('k').and_then(number).map(|value| value * 1e12);
        let ns = time(figure).or_else(|| time(&format!("{figure}s"))).or(thousands);
        let Some(ns) = ns else { return Some(Err(UNREADABLE)) };
        let interval = pair[1].split_whitespace().next();
        Some(interval.map_or(Err(BREAKS_OFF), |width| Ok(Figure { ns, share: share(width) })))
    });
    figures.collect()
}

fn share(text: &str) -> Option<f64> {
    Some(number(text.strip_suffix('%')?)? / 100.0)
}
