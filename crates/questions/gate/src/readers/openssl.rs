//! `openssl speed`: a table with a column for each size, tables of public-key operations, or the
//! lines of `-mr`.

use super::text::number;
use super::{BREAKS_OFF, Content, Input, Measured, join};
use cupel_base::text::count;
use std::collections::BTreeSet;

/// A clock that saw less than this share of the time that a measurement was given is wrong, or the
/// measurement was interrupted.
const LEAST_SHARE: f64 = 0.5;

/// The facts known while the lines are read.
#[derive(Default)]
struct State {
    content: Content,
    /// The columns of the table.
    sizes: Vec<u64>,
    /// The operations of a table of public keys.
    operations: Vec<String>,
    /// The processes of `-multi`, in the present run.
    processes: u64,
    /// Whether wall time was measured in it.
    elapsed: bool,
    /// The version of the present run, and its words about the processor.
    version: String,
    cpu: String,
    /// Whether the present run has printed rows: what comes before rows begins another.
    has_rows: bool,
    /// Whether a line was unmistakably this program's.
    known: bool,
    /// The seconds that the measurement in progress was given, in `-mr`.
    given: f64,
    /// The name and size of measurements whose clock was wrong; without a size, all of this name.
    doubtful: BTreeSet<(String, Option<u64>)>,
    /// Whether the present line has no end.
    may_be_cut: bool,
    /// The single measurements of the present run, in case it has no table.
    single: Vec<Measured>,
}

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut state = State { processes: 1, ..State::default() };
    let mut lines = input.text.lines().peekable();
    while let Some(line) = lines.next() {
        state.may_be_cut = !input.is_whole && lines.peek().is_none();
        state.line(line.trim_start_matches(['>', ' ']));
    }
    let State { mut content, single, has_rows, .. } = state;
    if !has_rows {
        content.results.extend(single);
    }
    refuse_without_work(&mut content.results);
    (!content.results.is_empty()).then_some(Ok(content))
}

/// How many processes of -multi there are, by the line of one of them.
fn processes(line: &str) -> Option<u64> {
    let child = match line.strip_prefix("Forked child ") {
        Some(child) => child,
        None => line.strip_prefix("Got: ")?.rsplit_once(" from ")?.1,
    };
    Some(child.trim().parse::<u16>().ok()? as u64 + 1)
}

/// Refuses the rows of an algorithm whose time or rate is the same at all sizes: it did not process
/// the message.
fn refuse_without_work(results: &mut [Measured]) {
    for of_one in results.chunk_by_mut(|a, b| a.name == b.name) {
        let known = of_one.iter().filter_map(|row| Some((row.bytes?, row.ns?)));
        let known: Vec<(u64, f64)> =
            known.filter(|(bytes, ns)| *bytes > 0 && *ns > 0.0 && ns.is_finite()).collect();
        let (Some(least), Some(most)) =
            (known.iter().min_by_key(|k| k.0), known.iter().max_by_key(|k| k.0))
        else {
            continue;
        };
        let larger = most.0 as f64 / least.0 as f64;
        let longer = most.1 / least.1;
        if known.len() > 2
            && larger >= 16.0
            && (longer < 1.01 || (longer / larger - 1.0).abs() < 1e-4)
        {
            for row in of_one {
                let same = if longer < 1.01 { "time" } else { "rate" };
                row.error =
                    Some(format!("its {same} is the same at all sizes, so it did not do the work"));
            }
        }
    }
}

/// The beginnings of lines that come before a run's rows.
const BEFORE_ROWS: [&str; 9] = [
    "Doing ",
    "Forked child ",
    "Got: ",
    "+H:",
    "+DT",
    "type ",
    "version: ",
    "OpenSSL ",
    "LibreSSL ",
];

impl State {
    fn line(&mut self, line: &str) {
        let is_elapsed = line.contains("measure elapsed time");
        if is_elapsed || BEFORE_ROWS.iter().any(|begin| line.starts_with(begin)) {
            if std::mem::take(&mut self.has_rows) {
                (self.processes, self.elapsed) = (1, false);
                self.version.clear();
                self.cpu.clear();
                self.single.clear();
                self.doubtful.clear();
            }
            self.processes = self.processes.max(processes(line).unwrap_or(1));
            self.elapsed |= is_elapsed;
        }
        if let Some(rest) = line.strip_prefix("Doing ") {
            self.doing(rest);
        } else if let Some(rest) = line.strip_prefix("Got: +H:").or(line.strip_prefix("+H:")) {
            let rest = rest.split(' ').next().unwrap_or_default();
            self.known = true;
            self.sizes = rest.split(':').filter_map(|size| size.trim().parse().ok()).collect();
        } else if let Some(rest) = line.strip_prefix("+DT") {
            let fields: Vec<&str> = rest.split(':').collect();
            let seconds = if rest.starts_with("P:") { fields.last() } else { fields.get(2) };
            self.given = seconds.and_then(|s| s.trim().parse().ok()).unwrap_or(0.0);
        } else if line.starts_with("+R") {
            self.measured(line);
        } else if let Some(rest) = line.strip_prefix("+F") {
            self.final_line(rest);
        } else if let Some(sizes) = line.strip_prefix("type ").filter(|l| l.contains("bytes")) {
            let sizes = sizes.split("bytes").filter_map(|size| size.trim().parse().ok());
            self.sizes = sizes.collect();
            self.known = true;
        } else if ["version: ", "OpenSSL ", "LibreSSL "].iter().any(|begin| line.starts_with(begin))
        {
            self.version = line.split(' ').nth(1).unwrap_or_default().to_string();
            join(&mut self.content.version, &self.version);
        } else if let Some(cpu) = line.strip_prefix("CPUINFO: ") {
            self.cpu = cpu.to_string();
        } else {
            self.row(line);
        }
    }

    /// Adds a row of the present run.
    fn push(&mut self, row: Measured) {
        self.has_rows = true;
        let row = self.of_run(row);
        self.content.results.push(row);
    }

    fn of_run(&self, mut row: Measured) -> Measured {
        let wall = self.elapsed || self.processes > 1;
        row.statistic = if wall { "mean" } else { "mean of processor time" }.to_string();
        if self.processes > 1 {
            row.add("threads", self.processes);
        }
        let name = if row.bytes.is_some() { row.name.clone() } else { String::new() };
        if [row.bytes, None].iter().any(|size| self.doubtful.contains(&(name.clone(), *size))) {
            let what = "its clock saw less than half of the time that it measured: add -elapsed";
            row.error = Some(what.to_string());
        }
        row.machine.clone_from(&self.cpu);
        row.from("version", &self.version)
    }

    /// `AES-256-GCM ops for 3s on 16 size blocks: 19911204 AES-256-GCM ops in 2.99s`
    fn doing(&mut self, line: &str) -> Option<()> {
        let (asked, done) = line.split_once(": ")?;
        let (name, asked) = asked.rsplit_once(" for ")?;
        let (given, size) = asked.split_once("s on ").unwrap_or((asked.trim_end_matches('s'), ""));
        let size: Option<u64> = size.split(' ').next()?.parse().ok();
        let name = name.trim_end_matches(" ops").trim_end_matches("'s").trim().to_string();
        let (count, took) = (done.split(' ').next()?, done.rsplit_once(" in ")?.1);
        let (count, took) = (number(count)?, number(took.trim().strip_suffix('s')?)?);
        self.clock(if size.is_some() { &name } else { "" }, size, number(given)?, took);
        let mut row =
            Measured { name, ns: Some(took * 1e9 / count), bytes: size, ..Measured::default() };
        if let Some(size) = size {
            row.add("bytes", size);
        }
        let row = self.of_run(row);
        self.single.push(row);
        self.known = true;
        Some(())
    }

    /// `+R:1900866:sha256:0.240000`, or `+R1:3739:1024:0.24` for a public key.
    fn measured(&mut self, line: &str) -> Option<()> {
        let fields: Vec<&str> = line.split(':').collect();
        let name = if fields[0] == "+R" { *fields.get(2)? } else { "" };
        self.clock(name, None, self.given, number(fields.last()?)?);
        Some(())
    }

    fn clock(&mut self, name: &str, size: Option<u64>, given: f64, took: f64) {
        if took < given * LEAST_SHARE {
            self.doubtful.insert((name.to_string(), size));
        }
    }

    /// `:6:sha256:506897600.00`, or `2:1:1024:15579.166667:269560.869565` for a public key.
    fn final_line(&mut self, line: &str) -> Option<()> {
        let fields: Vec<&str> = line.trim().split(':').collect();
        if fields[0].is_empty() {
            // A rate has two decimals, unless the output was cut off in it.
            let is_whole = |rate: &&&str| {
                let decimals = rate.split_once('.').map_or("", |(_, decimals)| decimals);
                decimals.len() == 2 || !rate.ends_with(|c: char| c.is_ascii_digit() || c == '.')
            };
            let rates = fields.get(3..)?.iter().filter(is_whole).map(|rate| number(rate));
            let rates: Vec<Option<f64>> = rates.collect();
            self.rates(fields.get(2)?, &rates);
            return Some(());
        }
        let kind = match fields[0] {
            "2" => "rsa",
            "3" => "dsa",
            "4" => "ecdsa",
            "5" => "ecdh",
            "8" => "ffdh",
            _ => "",
        };
        let names = fields.get(2..)?.iter().take_while(|field| !field.contains('.'));
        let names: Vec<&str> = std::iter::once(kind).chain(names.copied()).collect();
        let figures = &fields[names.len() + 1..];
        let decimals = |figure: &str| figure.split_once('.').map_or(0, |(_, end)| end.len());
        let [first, last] = [figures.first()?, figures.last()?].map(|figure| decimals(figure));
        let is_three_of_four = kind == "rsa" && figures.len() == 3;
        if last < first || figures.len() < 2 || is_three_of_four {
            self.push(Measured::failed(names.join(" ").trim(), BREAKS_OFF));
            return Some(());
        }
        let figures: Vec<f64> = figures.iter().filter_map(|figure| number(figure)).collect();
        let operations: &[&str] = match (fields[0], figures.len()) {
            ("5" | "8", _) => &["op"],
            (_, 3) => &["keygen", "encaps or sign", "decaps or verify"],
            _ => &["sign", "verify", "encrypt", "decrypt"],
        };
        // Versions before 1.1 write seconds, later ones calls per second. A key agreement has both.
        // The last operation of all others is a fast one.
        let decides = if operations.len() == 1 { figures.first() } else { figures.last() };
        let is_seconds = decides.is_some_and(|figure| *figure < 1.0);
        for (operation, figure) in operations.iter().zip(figures) {
            // The calls of all processes together.
            let seconds = if is_seconds { figure } else { 1.0 / figure };
            let ns = seconds * self.processes as f64 * 1e9;
            let name = format!("{} {operation}", names.join(" ").trim());
            self.push(Measured { name, ns: Some(ns), ..Measured::default() });
        }
        Some(())
    }

    /// `AES-256-GCM 106548.58k 411003.26k`, or a row or header of a table of public keys.
    fn row(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let rates = words.iter().rev().take_while(|word| word.ends_with("/s")).count();
        if rates > 0 && words.len() == 2 * rates {
            self.operations = words[..rates].iter().map(ToString::to_string).collect();
            return Some(());
        }
        let n = self.operations.len();
        let times = words.len().checked_sub(2 * n).map(|at| &words[at..at + n]);
        let is_time = |word: &&str| word.strip_suffix('s').and_then(number).is_some();
        if let Some(times) = times.filter(|times| n > 0 && times.iter().all(is_time)) {
            let name = words[..words.len() - 2 * n].join(" ");
            let rates = &words[words.len() - n..];
            // Each rate has a decimal, unless the output was cut off in it.
            if !rates.last()?.contains('.') || rates.last()?.ends_with('.') {
                self.push(Measured::failed(&name, BREAKS_OFF));
                return Some(());
            }
            for ((operation, time), rate) in self.operations.clone().iter().zip(times).zip(rates) {
                let time = time.trim_end_matches('s');
                let seconds =
                    if digits(time) > digits(rate) { number(time)? } else { 1.0 / number(rate)? };
                let ns = Some(seconds * 1e9 * self.processes as f64);
                let name = format!("{name} {operation}");
                self.push(Measured { name, ns, ..Measured::default() });
            }
            return Some(());
        }
        if !self.known || line.contains(": ") {
            return None;
        }
        // The columns have no space between them if the figures are long.
        let mut rates = Vec::new();
        let mut rest = line.trim_end();
        let is_thousands = |word: &&str| word.strip_suffix('k').and_then(number).is_some();
        if let Some(first) = words.iter().position(is_thousands)
            && words.last().and_then(|last| number(last)).is_some_and(|rate| rate > 0.0)
            && first > 0
        {
            let what = "its last rate has no k as the others have: the output was cut off";
            self.push(Measured::failed(&words[..first].join(" "), what));
            return Some(());
        }
        loop {
            let figure = rest.strip_suffix('k').unwrap_or(rest);
            let start =
                figure.trim_end_matches(|c: char| c.is_ascii_digit() || ".-".contains(c)).len();
            let Some(rate) = number(&figure[start..]).filter(|_| figure[start..].contains('.'))
            else {
                break;
            };
            let thousands = if rest.ends_with('k') { 1e3 } else { 1.0 };
            rates.push(Some(rate * thousands));
            rest = figure[..start].trim_end();
        }
        rates.reverse();
        if rates.is_empty() || rest.is_empty() {
            return None;
        }
        // A row of public keys that lacks its last rates, or one that may lack a k.
        let time = words.iter().position(is_time).filter(|at| *at > 0);
        if time.is_some() || self.may_be_cut && !line.ends_with('k') {
            let name = time.map_or(rest.to_string(), |time| words[..time].join(" "));
            self.push(Measured::failed(&name, BREAKS_OFF));
            return Some(());
        }
        self.rates(rest, &rates);
        Some(())
    }

    /// Adds the rates of one algorithm, in bytes per second, for each size.
    fn rates(&mut self, name: &str, rates: &[Option<f64>]) {
        if rates.len() != self.sizes.len() {
            let what = format!(
                "it has {} for {}",
                count(rates.len(), "rate"),
                count(self.sizes.len(), "size")
            );
            self.push(Measured::failed(name, what));
            return;
        }
        for (size, rate) in self.sizes.clone().into_iter().zip(rates) {
            let ns = rate.map(|rate| size as f64 * 1e9 * self.processes as f64 / rate);
            let mut row =
                Measured { name: name.to_string(), ns, bytes: Some(size), ..Measured::default() };
            row.add("bytes", size);
            self.push(row);
        }
    }
}

/// The significant digits of a figure.
fn digits(figure: &str) -> usize {
    figure.replace('.', "").trim_start_matches('0').len()
}
