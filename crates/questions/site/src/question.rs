//! The page of a question: the answer, the winner by machine and size, and the ratios, with
//! machines and versions as rows. Every figure leads to its run.

use super::answer::together;
use super::frame::{Parts, Table, encoded, frame, list};
use super::gather::{Chart, Claimed, Figures, Line, Question};
use super::index::{Entry, JOINT};
use super::{Places, machines, page_of, slices_of};
use cupel_analyse::{Answer, Ratio, Row};
use cupel_base::chart::ChartKey;
use cupel_base::name::ContenderName;
use cupel_base::text::{bytes, count, interval, ratio_digits, time};
use cupel_decide::claims::Decision;
use cupel_findings::subject::{distinction, subject_with};
use cupel_print::print::escaped;
use cupel_protocol::workload::{Contract, Workload};
use cupel_show::report::small_chart;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The most cells of all tables of a page. More is megabytes that no one reads; the CSV has all.
const MOST: usize = 20_000;

/// The page, and its entry in the index. With `slices`, each row leads to its raw slices.
pub fn page(question: &Question, places: &Places, slices: bool) -> (String, Entry) {
    let file = question.asked.file();
    let mut left = MOST;
    let mut body = String::new();
    let mut answers: Vec<(String, String)> =
        question.claims.iter().map(|one| (one.sentence.clone(), decided(one))).collect();
    if answers.len() > 1 {
        body.push_str(&list(&answers));
    }
    let is_alone = question.charts.len() == 1 && answers.is_empty();
    for (key, chart) in &question.charts {
        let about = about(question, chart);
        let said = together(chart, places);
        body.push_str("<section>\n");
        // The only answer is the head of the page.
        if !is_alone {
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
    let lines: Vec<&Line> = question.charts.values().flat_map(|chart| &chart.lines).collect();
    let machines = lines.iter().map(|line| &line.place).collect::<BTreeSet<_>>().len();
    let runs = lines.iter().map(|line| line.run).collect::<BTreeSet<_>>().len();
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
        name: question.asked.name(),
        words: question.words.clone(),
        answers,
        sizes: question
            .charts
            .values()
            .flat_map(Chart::sizes)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect(),
        processors: processors(&lines, places),
        days: lines.iter().map(|line| day(line)).collect::<BTreeSet<_>>().into_iter().collect(),
        chart: drawing(question, places),
        machines,
        runs,
        simulated: question.simulated,
    };
    let answer = match (&entry.answers[..], question.claims.len()) {
        // The figures of a claim are its evidence.
        ([(about, said)], _) | ([(about, said), _], 1) => format!("{about}: {said}"),
        (all, _) => format!("{} on {}", count(all.len(), "answer"), count(machines, "machine")),
    };
    let suite = if question.asked.is_of_a_line() {
        String::new()
    } else {
        format!(" ({}),", escaped(&question.asked.suite))
    };
    let above = format!(
        "<p class=\"question\">{}{suite} {}</p>",
        escaped(&question.words),
        entry.evidence()
    );
    (frame("../", &entry.name, &answer, &Parts { above, body, below }), entry)
}

/// The names of the processors of these runs.
fn processors(lines: &[&Line], places: &Places) -> Vec<String> {
    let known = lines.iter().filter_map(|line| places.get(&line.place));
    let names: BTreeSet<String> = known.map(|place| place.label.clone()).collect();
    names.into_iter().collect()
}

/// The day on which a run began.
fn day(line: &Line) -> String {
    line.started.get(..10).unwrap_or(&line.started).to_string()
}

/// A chart of the first workload: at the size in the middle, on the first machine. It says so.
fn drawing(question: &Question, places: &Places) -> Option<(String, String)> {
    let chart = question.charts.values().next()?;
    let line = chart.lines.first()?;
    let (size, figures) = line.sizes.iter().nth((line.sizes.len() - 1) / 2)?;
    let small = small_chart(&figures.answer)?;
    let place = places.get(&line.place).map_or("unknown", |place| place.label.as_str());
    let part = match small.of - small.drawn {
        0 => String::new(),
        _ => format!("; drawn: {} of {}, the best of each language first", small.drawn, small.of),
    };
    let caption = format!(
        "{} at {}, run {}, {place}, {}{part}",
        about(question, chart),
        bytes(*size),
        line.run,
        day(line)
    );
    Some((small.svg, caption))
}

/// The subject of a chart: `SHA-256`, with its difference from the other charts of its question and
/// from the usual contract, and among which contenders.
fn about(question: &Question, chart: &Chart) -> String {
    let own = &chart.work;
    let mut usual = Contract { threads: own.contract.threads, ..Contract::usual(own.operation) };
    if own.contract.lengths.drawn().is_some() {
        usual.lengths = own.contract.lengths.clone();
    }
    let mut others = vec![Workload { contract: usual, ..own.clone() }];
    let charts = question.charts.values();
    others.extend(charts.map(|chart| Workload { size: own.size, ..chart.work.clone() }));
    let distinction = distinction(own, &[own.size], &others);
    let about = subject_with(own, &distinction, "");
    format!("{}{}", about.trim_end_matches([',', ' ']), question.asked.among())
}

/// On how many machines a claim is held, refuted and undecided.
fn decided(claimed: &Claimed) -> String {
    let number = |decision| claimed.decisions.values().filter(|d| **d == decision).count();
    let parts = [Decision::Held, Decision::Refuted, Decision::Undecided].map(|decision| {
        let machines = number(decision);
        (machines > 0).then(|| format!("{} on {}", decision.word(), count(machines, "machine")))
    });
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
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
        let newest = self.chart.newest();
        let all = newest.values().flat_map(BTreeMap::values).map(|(_, figures)| *figures);
        let wins = wins(all).into_iter().take(COLOURS).enumerate();
        wins.map(|(number, (name, _))| (name, number)).collect()
    }

    fn table_of_sizes(&self, first: &str) -> Table {
        Table::new(first, self.chart.sizes().into_iter().map(bytes))
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
        let mut table = self.table_of_sizes("processor");
        for (label, machines) in processors {
            if !self.fits(sizes.len()) {
                break;
            }
            let number = count(machines.len(), "machine");
            let head = format!("{} <span class=\"sub\">{number}</span>", escaped(label));
            let cells = sizes.iter().map(|size| {
                let all = machines.iter().filter_map(|place| newest[place].get(size));
                let wins = wins(all.map(|(_, figures)| *figures));
                shares(&wins, machines.len(), &colours)
            });
            table.row(&head, cells);
        }
        table.html("The fastest by processor and size", true)
    }

    /// The winner by machine and size.
    fn winners(&mut self) -> String {
        let newest = self.chart.newest();
        let (sizes, colours) = (self.chart.sizes(), self.colours());
        let mut table = self.table_of_sizes("machine");
        for lines in self.chart.lines.chunk_by(|a, b| a.place == b.place) {
            if !self.fits(sizes.len()) {
                break;
            }
            let place = &lines[0].place;
            let head = self.places.get(place).map(machines::head).unwrap_or_default();
            let cells = sizes.iter().map(|size| match newest[place.as_str()].get(size) {
                Some((line, figures)) => self.winner(line.run, *size, figures, &colours),
                None => ABSENT.to_string(),
            });
            table.row(&head, cells);
        }
        table.html("The fastest by machine and size", true)
    }

    /// The winner of one machine at one size.
    fn winner(
        &self,
        run: i64,
        size: u64,
        figures: &Figures,
        colours: &BTreeMap<String, usize>,
    ) -> String {
        let name = fastest(figures);
        format!(
            "<div class=\"win{}\"><a href=\"{}\">{}</a><span class=\"sub\">{}</span></div>",
            colour(colours, &name),
            self.run(run, size),
            escaped(&name),
            escaped(&ahead(figures)),
        )
    }

    /// For each size, the ratios of all contenders: a row for each machine and set of versions.
    fn ratios(&mut self) -> String {
        let versions = versions(self.chart);
        let mut out = String::new();
        for size in self.chart.sizes() {
            if self.left == 0 {
                break;
            }
            let lines = self.chart.lines.iter();
            let lines: Vec<(&Line, &Figures)> =
                lines.filter_map(|line| Some((line, line.sizes.get(&size)?))).collect();
            let rows = lines.iter().flat_map(|(_, figures)| &figures.answer.rows);
            let names: BTreeSet<&str> =
                rows.filter(|row| !row.aside).map(|row| row.contender.as_str()).collect();
            let mut table = Table::new("machine and run", &names);
            for (line, figures) in lines {
                if !self.fits(names.len()) {
                    break;
                }
                let run = self.run(line.run, size);
                let cells = names.iter().map(|name| {
                    let row = figures.answer.rows.iter().find(|row| row.contender == **name);
                    row.map_or(ABSENT.to_string(), |row| figure(row, &run))
                });
                table.row(&self.row(line, figures, &versions), cells);
            }
            let title = format!("Times and ratios at {}", bytes(size));
            let _ = writeln!(
                out,
                "<details>\n<summary><h3>{}</h3></summary>\n{}</details>",
                escaped(&title),
                table.html(&title, false)
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
            escaped(&day(line))
        );
        if line.without_jit {
            out.push_str(", without contenders with a JIT");
        }
        if self.slices {
            let _ = write!(out, ", <a href=\"../{}\">slices</a>", slices_of(line.run));
        }
        for row in &figures.answer.rows {
            if versions.get(row.contender.as_str()).is_some_and(|all| all.len() > 1) {
                let _ = write!(out, "; {} {}", escaped(&row.contender), escaped(&row.version));
            }
        }
        out.push_str("</span>");
        out
    }
}

/// How often each of these is the fastest, the most frequent first.
fn wins<'a>(all: impl Iterator<Item = &'a Figures>) -> Vec<(String, usize)> {
    let mut wins: BTreeMap<String, usize> = BTreeMap::new();
    for figures in all {
        *wins.entry(fastest(figures)).or_default() += 1;
    }
    let mut wins: Vec<(String, usize)> = wins.into_iter().collect();
    wins.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    wins
}

/// On how many of the machines with one processor each of these is the fastest.
fn shares(wins: &[(String, usize)], machines: usize, colours: &BTreeMap<String, usize>) -> String {
    let measured: usize = wins.iter().map(|(_, n)| n).sum();
    let wins = wins.iter().map(|(name, n)| {
        let share = match *n {
            _ if machines == 1 => String::new(),
            n if n == measured => "on all".to_string(),
            n => format!("on {n} of {measured}"),
        };
        let colour = colour(colours, name);
        let name = escaped(name);
        format!("<div class=\"win{colour}\">{name}<span class=\"sub\">{share}</span></div>")
    });
    format!("<div>{}</div>", wins.collect::<String>())
}

/// The text of a cell without a figure.
const ABSENT: &str = "<span class=\"absent\">not measured</span>";

/// The versions of each contender over all runs of a chart.
fn versions(chart: &Chart) -> BTreeMap<String, BTreeSet<String>> {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for figures in chart.lines.iter().flat_map(|line| line.sizes.values()) {
        for row in &figures.answer.rows {
            versions.entry(row.contender.to_string()).or_default().insert(row.version.clone());
        }
    }
    versions
}

/// One ratio with its interval, its time and its verdict.
fn figure(row: &Row, run: &str) -> String {
    let verdict = row.verdict.words();
    let class = verdict.replace(' ', "-");
    let word = format!("<span class=\"verdict {class}\">{verdict}</span>");
    let Some(ns) = row.ns.map(|ns| ns.median) else { return word };
    let ratio = match row.ratio {
        Some(ratio) => format!(
            "<a href=\"{run}\">{}</a><span class=\"interval\">{}</span>",
            ratio_digits(ratio.estimate),
            interval(ratio.low, ratio.high)
        ),
        None => format!("<a href=\"{run}\">{}</a>", time(ns)),
    };
    let time = row.ratio.map(|_| format!("<span class=\"sub\">{}</span>", time(ns)));
    format!("<span class=\"ratio\">{ratio}{}{word}</span>", time.unwrap_or_default())
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
        ([only], true) => certain(&figures.answer, only),
        // A choice of a primitive can be decided while its contenders are not told apart.
        (_, true) => match &figures.answer.lead {
            Some(lead) if lead.unclear.is_empty() => "they tie".to_string(),
            _ => "not told apart".to_string(),
        },
    }
}

/// The time of the fastest, and the ratio of the second's to it in the forks that both have: two
/// times may be of different forks.
fn certain(answer: &Answer, fastest: &ContenderName) -> String {
    let own = answer.rows.iter().find(|row| row.contender == *fastest);
    let Some(ns) = own.and_then(|row| row.ns) else { return String::new() };
    let next = answer.lead.as_ref().map(|lead| {
        let Ratio { estimate, low, high } = lead.ratio;
        format!(", the next {} times as long [{}]", ratio_digits(estimate), interval(low, high))
    });
    time(ns.median) + &next.unwrap_or_default()
}

fn colour(colours: &BTreeMap<String, usize>, name: &str) -> String {
    colours.get(name).map_or(String::new(), |n| format!(" w{n}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_analyse::{Lead, Time, Verdict};
    use cupel_protocol::workload::{Operation, Shape};

    fn row(cell: usize, name: &str, ns: f64) -> Row {
        Row {
            cell,
            contender: name.into(),
            version: String::new(),
            code_path: String::new(),
            ns: Some(Time { median: ns, low: ns, high: ns }),
            ratio: None,
            ratio_in_run: None,
            ratio_levels: vec![],
            verdict: Verdict::NotSeparated,
            reason: None,
            limit: None,
            forks: 0,
            rounds: 0,
            dropped: 0,
            allocated_per_call: None,
            collecting_ns_per_call: None,
            ratio_without_collecting: None,
            steadiness: vec![],
            levels: vec![],
            slows_next: 1.0,
            compiled: None,
            slices: 0,
            disturbed: 0,
            shared: vec![],
            after: vec![],
            aside: false,
            left_early: false,
            unsettled_warm_ups: 0,
            first_call_ns: None,
            line: None,
        }
    }

    /// The second ran in a few forks, in which the machine was fast.
    #[test]
    fn the_next_is_compared_in_the_forks_of_both() {
        let lead = Lead {
            leader: "c/a".into(),
            runner_up: "c/b".into(),
            ratio: Ratio { estimate: 1.25, low: 1.2, high: 1.3 },
            separated: true,
            collecting: None,
            tied: vec![],
            unclear: vec![],
            lagging: vec![],
            others: vec![],
            within: 1.0,
            ahead: vec![],
        };
        let mut answer = Answer {
            workload: Workload {
                primitive: "sha256".to_string(),
                operation: Operation::Digest,
                size: 64,
                contract: Contract::default(),
                shape: Shape::Throughput,
            },
            baseline: None,
            rows: vec![row(0, "c/b", 96.0), row(1, "c/a", 100.0)],
            control: None,
            floor: 0.0,
            intervals: 1,
            untrusted: false,
            lead: Some(lead),
            rounds: 0,
            disturbed: 0,
            changes: vec![],
        };
        let said = certain(&answer, &"c/a".into());
        assert_eq!(said, "100 ns, the next 1.250 times as long [1.200 .. 1.300]");
        answer.lead = None;
        assert_eq!(certain(&answer, &"c/a".into()), "100 ns", "nothing else has a time");
    }
}
