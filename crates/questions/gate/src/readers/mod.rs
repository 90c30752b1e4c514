//! Results of other benchmarking programs, in the formats that people post and that a gate reads:
//! [`read`] takes files and folders, [`parse`] the output of a program.
//!
//! The files are not trusted: every figure is checked. A row without a possible time says why, and
//! does not refuse the others. It decides nothing from the figures.

mod botan;
mod bssl;
mod cargo;
mod catch2;
mod criterion;
mod deno;
mod divan;
mod dotnet;
mod format;
mod go;
mod google_benchmark;
mod hyperfine;
mod javascript;
mod jmh;
mod json;
mod lines;
mod marked;
mod nanobench;
mod openssl;
mod pattern;
mod pyperf;
mod pytest;
mod rust;
mod table;
mod text;
mod unread;
mod vitest;
mod wolfcrypt;
mod zbench;

use cupel_base::problem::Problem;
use cupel_base::strange;
use cupel_stats::quantile::{median, median_interval};
pub use format::Format;
use json::{Documents, Invalid};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::rc::Rc;
pub use text::NOT_A_TIME;
pub use unread::Unread;

/// No such program writes more. A larger file is not a result.
const MOST_BYTES: u64 = 64 << 20;
/// A longer name is a mistake or an attack.
const LONGEST_NAME: usize = 100_000;
/// A longer description of a machine has been put together from many.
const LONGEST_MACHINE: usize = 1000;
/// How deep folders are searched: Criterion nests group, function and value.
const DEEPEST: usize = 8;

/// Results that one program wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The format.
    pub format: Format,
    /// The version of the program, if it prints it.
    pub version: String,
    /// Its words about the machine.
    pub machine: String,
    /// Notes for a reader of the results, in sentences.
    pub notes: Vec<String>,
    /// The results, in the program's order.
    pub results: Vec<Measured>,
    /// The entries with a time that are part of no result of any format.
    pub unread: Option<Unread>,
}

/// One benchmark's result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Its full name.
    pub name: String,
    /// Its parameters: `name=value`, separated by commas; also `threads` if there are several.
    pub parameters: String,
    /// The statistic of the figure: `mean`, `median`, `slope`.
    pub statistic: String,
    /// The time of a call in ns, as each thread sees it; absent if there is none.
    pub ns: Option<f64>,
    /// The low end of the interval that the program reports.
    pub low: Option<f64>,
    /// The high end.
    pub high: Option<f64>,
    /// The number of iterations or samples behind it.
    pub samples: u64,
    /// Bytes per call, if they are known.
    pub bytes: Option<u64>,
    /// Why there is no time: it failed, or the figure is impossible or not a time.
    pub error: Option<String>,
    /// The mean in ns, if `ns` is another statistic that the program does not always give: of two
    /// builds, both have this one.
    pub mean: Option<f64>,
    /// The samples in ns per call, if the program gives them.
    pub values: Vec<f64>,
    /// The runtime or machine of this result, if the document has several.
    pub machine: String,
    /// The parameters that tell rows of one name apart, the most telling first: the program, file or
    /// section that they are from. All rows of a format have the same ones, perhaps empty.
    pub origin: Vec<(&'static str, String)>,
}

/// A file, or one benchmark's folder, with the results of one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// The path that it was read from.
    pub path: PathBuf,
    /// SHA-256 of its bytes in hex: the same file is counted once.
    pub digest: String,
    /// Its results.
    pub document: Document,
}

/// The results of a file or a folder.
#[derive(Debug, Default)]
pub struct Found {
    /// The files that were read.
    pub files: Vec<File>,
    /// The files that could not be read, and why.
    pub problems: Vec<Problem>,
    /// The other files of the folder, and why they were left out.
    pub left_out: Vec<LeftOut>,
}

/// A part of a folder that was not read.
#[derive(Debug, PartialEq)]
pub struct LeftOut {
    /// Its path.
    pub path: PathBuf,
    /// Why: a few words that several can share.
    pub why: &'static str,
}

/// Reads a file, or every result in a folder.
pub fn read(path: &Path) -> Found {
    if !path.is_dir() && !criterion::is_file(path) && criterion::hint(path).is_none() {
        return match file(path) {
            Ok(bytes) => read_bytes(path, &bytes),
            Err(problem) => Found { problems: vec![problem], ..Found::default() },
        };
    }
    let mut found = Found::default();
    if path.is_dir() {
        let mut hint = None;
        search(path, DEEPEST, &mut found, &mut hint);
        if found.files.is_empty() && found.problems.is_empty() {
            let what = "it contains no results in a known format";
            found.problems.push(hint.unwrap_or_else(|| problem(path, what).help(known())));
        }
        return found;
    }
    match (path.parent(), criterion::hint(path)) {
        (_, Some(hint)) => found.problems.push(problem(path, hint)),
        (folder, _) => found.add(criterion::benchmark(folder.unwrap_or(Path::new("")))),
    }
    found
}

/// Reads the content of a file that the caller has already read; a pipe can be read only once.
pub fn read_bytes(path: &Path, bytes: &[u8]) -> Found {
    if criterion::is_file(path) || criterion::hint(path).is_some() {
        return read(path);
    }
    let mut found = Found::default();
    found.add(of_file(path, bytes));
    found
}

impl Found {
    fn add(&mut self, read: Result<Vec<File>, Problem>) {
        match read {
            Ok(files) => self.files.extend(files),
            Err(problem) => self.problems.push(problem),
        }
    }
}

/// Adds the content of a folder and its subfolders, sorted by name, and notes why a file has no
/// results. Links are not followed.
fn search(path: &Path, depth: usize, found: &mut Found, hint: &mut Option<Problem>) {
    if path.join(criterion::ABOUT).is_file() {
        found.add(criterion::benchmark(path));
        return;
    }
    let mut entries = match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().collect::<Vec<_>>(),
        Err(e) => return found.problems.push(problem(path, format!("cannot be read: {e}"))),
    };
    entries.sort_by_key(std::fs::DirEntry::path);
    // Criterion copies the run before the newest to `base`.
    let has_newest = path.join(criterion::NEWEST).join(criterion::ABOUT).is_file();
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type());
        let mut leave_out = |why| found.left_out.push(LeftOut { path: path.clone(), why });
        if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
            if has_newest && entry.file_name() == "base" {
                leave_out("a run before the newest");
            } else if depth == 0 {
                leave_out("too deep a folder");
            } else {
                search(&path, depth - 1, found, hint);
            }
        } else if let Some(what) = criterion::hint(&path) {
            leave_out("no times");
            hint.get_or_insert_with(|| problem(&path, what));
        } else if !kind.is_ok_and(|kind| kind.is_file()) {
            leave_out("a link, a pipe or a device");
        } else {
            match file(&path).and_then(|bytes| of_file(&path, &bytes)) {
                // A file that is not a result gets the list of formats.
                Err(problem) if problem.help.is_some() => leave_out("in no known format"),
                read => found.add(read),
            }
        }
    }
}

/// The formats that can be read, in a sentence.
fn known() -> String {
    format!("cupel reads {}", Format::names())
}

/// Reads the output of a program: in this format, or in the one that it is recognised as.
///
/// # Errors
/// If it is in no known format, in two or not in this one, or breaks off.
pub fn parse(bytes: &[u8], format: Option<Format>) -> Result<Document, Problem> {
    let mut documents = documents(bytes, format, Content::of_one_program)?;
    if documents.len() > 1 {
        let names: Vec<&str> = documents.iter().map(|one| one.format.name()).collect();
        let what = format!("it has results in several formats: {}", names.join(" and "));
        let help = format!(
            "read one of them (--reads {}), or give the results of each format apart",
            names.join(", or --reads ")
        );
        return Err(problem(Path::new(""), what).help(help));
    }
    Ok(documents.remove(0))
}

/// The results of an output in each format that it has; at least one. This is done with each content
/// before it is checked.
fn documents(
    bytes: &[u8],
    format: Option<Format>,
    first: fn(Content) -> Content,
) -> Result<Vec<Document>, Problem> {
    let text = text::decode(bytes);
    let json = Rc::new(json::documents(&text));
    // A pattern may be one of lines of JSON.
    let is_by_pattern = matches!(format, Some(Format::Matching(_)));
    let text = if is_by_pattern { text } else { json.without(&text) };
    let is_whole = text.is_empty() || text.ends_with('\n');
    let input = Input { text, json, is_whole, chosen: format.is_some() };
    let formats = format.map_or(Format::ALL.to_vec(), |format| vec![format]);
    let mut found: Vec<(Format, Content)> = Vec::new();
    for format in formats {
        let Some(content) = content(format, &input) else { continue };
        let is_lines = input.chosen && format == Format::Lines;
        let content = content.map_err(|what| {
            let problem = problem(Path::new(""), what);
            if is_lines { problem.help(BY_PATTERN) } else { problem }
        })?;
        // Some lines also fit a similar format.
        if !found.iter().any(|(_, known)| content.is_part_of(known)) {
            found.push((format, content.with_machine()));
        }
    }
    if found.iter().any(|(_, content)| content.has_times()) {
        found.retain(|(_, content)| content.has_times());
    } else {
        found.truncate(1);
    }
    let is_broken = input.json.cut.is_some() || input.json.invalid.is_some();
    let has_json = !input.json.values.is_empty() || input.json.is_surely_cut;
    if found.is_empty() || is_broken && has_json {
        return Err(unknown(&input, format));
    }
    let mut documents: Vec<Document> =
        found.into_iter().map(|(format, content)| checked(format, first(content))).collect();
    let unread = unread::find(&input, &documents, is_by_pattern);
    documents.iter_mut().for_each(|document| document.unread.clone_from(&unread));
    Ok(documents)
}

/// A text, and the JSON that was in it.
struct Input {
    text: String,
    json: Rc<Documents>,
    /// Whether its last line has an end. If not, it may have been cut off.
    is_whole: bool,
    /// Whether the format was chosen, not recognised.
    chosen: bool,
}

/// Why a benchmark has no time if its program ended in it.
const DID_NOT_END: &str = "it did not end";

/// Why a row has no time if its figure or its name may be cut.
const BREAKS_OFF: &str = "its row breaks off: the output was cut off";

/// The findings of a reader.
#[derive(Default)]
struct Content {
    version: String,
    machine: String,
    notes: Vec<String>,
    results: Vec<Measured>,
}

impl Content {
    fn has_times(&self) -> bool {
        self.results.iter().any(|row| row.ns.is_some())
    }

    /// The content as a gate compares it: without all that a terminal would not show as text, and
    /// with the machine or runtime as a parameter if there are several. All rows have it then: one
    /// that vanishes in each build could leave a row of another runtime in each.
    fn of_one_program(mut self) -> Content {
        let machines: BTreeSet<&str> =
            self.results.iter().map(|row| lasting(&row.machine)).collect();
        let has_several = machines.iter().filter(|machine| !machine.is_empty()).count() > 1;
        [&mut self.machine, &mut self.version].into_iter().for_each(|it| *it = text::shown(it));
        for row in &mut self.results {
            let machine = std::mem::take(&mut row.machine);
            if has_several && !machine.is_empty() {
                row.add("machine", lasting(&machine));
            }
        }
        self.notes = self.notes.iter().map(|note| text::shown(note)).collect();
        self.results = self.results.into_iter().map(Measured::without_escapes).collect();
        self
    }

    /// Whether another content has all its times, under the same names or parts of them.
    fn is_part_of(&self, other: &Content) -> bool {
        let mut known: HashMap<u64, Vec<&str>> = HashMap::new();
        for row in &other.results {
            if let Some(ns) = row.ns {
                known.entry(ns.to_bits()).or_default().push(&row.name);
            }
        }
        let mut own = self.results.iter().filter(|row| row.ns.is_some()).peekable();
        own.peek().is_some()
            && own.all(|row| {
                let names = row.ns.and_then(|ns| known.get(&ns.to_bits()));
                let mut names = names.into_iter().flatten();
                names.any(|name| row.name.contains(name) || name.contains(&row.name))
            })
    }

    /// The content with its machine, if all results are from one.
    fn with_machine(mut self) -> Content {
        let machines: BTreeSet<&str> =
            self.results.iter().map(|row| row.machine.as_str()).collect();
        if self.machine.is_empty()
            && let Some(machine) = machines.first().filter(|_| machines.len() == 1)
        {
            self.machine = machine.to_string();
        }
        self
    }

    /// Says which figures are not times and are left out.
    fn leave_out<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        let names: Vec<&str> = names.collect();
        if !names.is_empty() {
            self.notes.push(format!("left out, because they are not times: {}", names.join(", ")));
        }
    }
}

/// The words about a machine, without the clock of a moment.
pub fn lasting(machine: &str) -> &str {
    let clock = machine.strip_suffix(" MHz").and_then(|rest| rest.rsplit_once(" of "));
    clock.map_or(machine, |(lasting, _)| lasting)
}

/// Adds to a list of words what is not in it, such as another version.
fn join(list: &mut String, what: &str) {
    let is_known = list.split(", ").any(|known| known == what);
    if !is_known && list.len() < LONGEST_MACHINE {
        let between = if list.is_empty() { "" } else { ", " };
        *list += &format!("{between}{}", what.trim());
    }
}

/// The machine of the results that follow its description.
#[derive(Default)]
struct Machine {
    words: String,
    has_results: bool,
}

impl Machine {
    /// A machine with this description.
    fn of<'a>(words: impl IntoIterator<Item = &'a Value>) -> Machine {
        let mut machine = Machine::default();
        words.into_iter().filter_map(Value::as_str).for_each(|what| machine.add(what));
        machine
    }

    /// Adds to the description. After results, another machine's begins.
    fn add(&mut self, what: &str) {
        if std::mem::take(&mut self.has_results) {
            self.words.clear();
        }
        join(&mut self.words, what);
    }

    /// Gives a result this machine.
    fn with(&mut self, row: Measured) -> Measured {
        self.has_results = true;
        Measured { machine: self.words.clone(), ..row }
    }
}

impl Measured {
    fn new(name: &str, statistic: &str) -> Measured {
        let [name, statistic] = [name, statistic].map(str::to_string);
        Measured { name, statistic, ..Measured::default() }
    }

    /// A row without a time.
    fn failed(name: &str, why: impl Into<String>) -> Measured {
        Measured { error: Some(why.into()), ..Measured::new(name, "") }
    }

    /// Removes all that a terminal would not show as text.
    fn without_escapes(mut self) -> Measured {
        let own = [&mut self.name, &mut self.parameters, &mut self.machine];
        for text in own.into_iter().chain(self.origin.iter_mut().map(|(_, value)| value)) {
            *text = text::shown(text);
        }
        self.error = self.error.map(|error| text::shown(&error));
        self
    }

    /// Adds a parameter that may distinguish it from others of its name.
    fn from(mut self, key: &'static str, value: &str) -> Measured {
        self.origin.push((key, value.to_string()));
        self
    }

    fn origin(&self, at: usize) -> &str {
        self.origin.get(at).map_or("", |(_, value)| value)
    }

    fn set(&mut self, ns: Result<f64, String>) {
        match ns {
            Ok(ns) => self.ns = Some(ns),
            Err(why) => self.error = Some(why),
        }
    }

    fn add(&mut self, parameter: &str, value: impl Display) {
        let between = if self.parameters.is_empty() { "" } else { ", " };
        self.parameters += &format!("{between}{parameter}={value}");
    }

    /// Adds the bytes of a call to the parameters.
    fn add_size(&mut self) {
        if let Some(bytes) = self.bytes {
            self.add("bytes", bytes);
        }
    }
}

/// The content that a reader finds in an input; nothing if it is not in this format.
fn content(format: Format, input: &Input) -> Option<Result<Content, String>> {
    match format {
        Format::Jmh => jmh::read(input),
        Format::Criterion => criterion::read(input),
        Format::GoogleBenchmark => google_benchmark::read(input),
        Format::Critcmp => rust::critcmp(input),
        Format::Libtest => rust::libtest(input),
        Format::Go => go::bench(input),
        Format::Benchstat => go::benchstat(input),
        Format::OpensslSpeed => openssl::read(input),
        Format::Bssl => bssl::read(input),
        Format::Hyperfine => hyperfine::read(input),
        Format::Pyperf => pyperf::read(input),
        Format::Mitata => javascript::mitata(input),
        Format::Tinybench => javascript::tinybench(input),
        Format::BenchmarkDotNet => dotnet::read(input),
        Format::Nanobench => nanobench::read(input),
        Format::Wolfcrypt => wolfcrypt::read(input),
        Format::Lines => lines::read(input),
        Format::Matching(pattern) => lines::matching(input, pattern),
        Format::Divan => divan::read(input),
        Format::PytestBenchmark => pytest::read(input),
        Format::Deno => deno::read(input),
        Format::Vitest => vitest::read(input),
        Format::MicroBmark => javascript::micro_bmark(input),
        Format::Catch2 => catch2::read(input),
        Format::Botan => botan::read(input),
        Format::Zbench => zbench::read(input),
    }
}

/// What to do about lines that have more than a name, a number and a unit.
const BY_PATTERN: &str =
    "say what stands where in the lines that count, such as --reads 'lines:{name}: {time} +/- {}'";

/// Marks of programs, in output that has no results in a readable format.
const MARKS: [(&str, Format); 8] = [
    ("# JMH version", Format::Jmh),
    ("CPU Caches:", Format::GoogleBenchmark),
    ("Benchmarking ", Format::Criterion),
    ("// BenchmarkDotNet", Format::BenchmarkDotNet),
    ("goarch: ", Format::Go),
    ("wolfCrypt Benchmark", Format::Wolfcrypt),
    ("benchmark name  ", Format::Catch2),
    ("BENCH  Summary", Format::Vitest),
];

/// The fault of an input in no known format.
pub const UNKNOWN: &str = "it is in no known format";

/// Why an input is in no known format, or not in this one.
fn unknown(input: &Input, format: Option<Format>) -> Problem {
    if let Some(line) = input.json.cut {
        let what = format!("it ends in the middle (line {line}); it was cut off");
        return problem(Path::new(""), what);
    }
    if let Some(Invalid { line, column, what }) = &input.json.invalid {
        let what = format!("it is not JSON in line {line}, column {column}: {what}");
        return problem(Path::new(""), what);
    }
    if input.json.values == [Value::Array(vec![])] {
        return problem(Path::new(""), "it is an empty list");
    }
    match format {
        Some(Format::Matching(pattern)) => {
            problem(Path::new(""), format!("no line of it matches \"{pattern}\""))
        }
        Some(format) => problem(Path::new(""), format!("it is not in the format {format}"))
            .help(format!("{format} is written by: {}", format.written_by())),
        None => {
            let program = MARKS.iter().find(|(mark, _)| input.text.contains(mark));
            let help = match program {
                Some((_, format)) => format!("{format} is written by: {}", format.written_by()),
                None => known(),
            };
            problem(Path::new(""), UNKNOWN).help(help)
        }
    }
}

/// The documents of a file: one for each format and machine.
fn of_file(path: &Path, bytes: &[u8]) -> Result<Vec<File>, Problem> {
    let documents = documents(bytes, None, |content| content)
        .map_err(|e| Problem { path: path.to_path_buf(), ..e })?;
    let several = documents.len() > 1;
    let mut files = Vec::new();
    for document in documents {
        let hash = hashed(Sha256::new(), bytes);
        let hash = if several { hashed(hash, document.format.name().as_bytes()) } else { hash };
        files.extend(by_machine(path, &hash, document));
    }
    Ok(files)
}

/// The parts of a document: one for each machine.
fn by_machine(path: &Path, hash: &Sha256, document: Document) -> Vec<File> {
    let mut machines: Vec<&str> = Vec::new();
    for result in &document.results {
        if !machines.contains(&result.machine.as_str()) {
            machines.push(&result.machine);
        }
    }
    let files = machines.iter().map(|machine| {
        let of_machine = document.results.iter().filter(|result| result.machine == *machine);
        let hash = hash.clone();
        let hash = if machines.len() > 1 { hashed(hash, machine.as_bytes()) } else { hash };
        let part = Document {
            format: document.format,
            version: document.version.clone(),
            machine: if machine.is_empty() { &document.machine } else { *machine }.to_string(),
            notes: document.notes.clone(),
            results: of_machine.cloned().collect(),
            unread: document.unread.clone(),
        };
        File { path: path.to_path_buf(), digest: hex::encode(hash.finalize()), document: part }
    });
    files.collect()
}

fn problem(path: &Path, what: impl Into<String>) -> Problem {
    Problem { path: path.to_path_buf(), line: 0, what: what.into(), help: None }
}

fn file(path: &Path) -> Result<Vec<u8>, Problem> {
    strange::bytes(path, MOST_BYTES).map_err(|e| problem(path, format!("cannot be read: {e}")))
}

/// One digest of all these bytes, each with its length.
fn digest(parts: &[&[u8]]) -> String {
    hex::encode(parts.iter().fold(Sha256::new(), |hash, part| hashed(hash, part)).finalize())
}

/// A hash with this part added.
fn hashed(hash: Sha256, part: &[u8]) -> Sha256 {
    hash.chain_update((part.len() as u64).to_le_bytes()).chain_update(part)
}

/// The document of a content: repetitions are one row, other rows of one name are told apart, and an
/// impossible one has its reason.
fn checked(format: Format, content: Content) -> Document {
    let Content { version, machine, mut notes, results } = content;
    let mut results = if format.repeats() { gathered(results) } else { with_values(results) };
    tell_apart(&mut results);
    for result in &mut results {
        add_interval(result);
        result.error = impossible(result);
        if result.error.is_some() {
            result.ns = None;
            result.values.clear();
        }
        // Half an interval is none.
        if result.error.is_some() || result.low.is_none() || result.high.is_none() {
            [result.low, result.high] = [None; 2];
        }
        for text in [&mut result.name, &mut result.parameters] {
            if text.len() > LONGEST_NAME {
                *text = text.chars().take(LONGEST_NAME).collect();
            }
        }
    }
    let mut sized =
        results.iter().filter_map(|row| row.bytes.filter(|_| row.ns.is_some())).peekable();
    if sized.peek().is_some() && sized.all(|bytes| bytes == 1) {
        notes.push("a call of 1 byte: these are times per byte, not per call".to_string());
    }
    Document { format, version, machine, notes, results, unread: None }
}

/// A row with a single figure has that as its only value.
fn with_values(mut results: Vec<Measured>) -> Vec<Measured> {
    for row in &mut results {
        let single = row.error.is_none() && row.low.is_none() && row.values.is_empty();
        row.values.extend(row.ns.filter(|_| single));
    }
    results
}

/// The results, with one for all repetitions of a benchmark, which follow one another. For several
/// values that is their median. If one of them failed, all did; a failure may come later.
fn gathered(results: Vec<Measured>) -> Vec<Measured> {
    let mut all: Vec<Measured> = Vec::new();
    let mut places = HashMap::new();
    for row in with_values(results) {
        let key = [&row.name, &row.parameters, &row.machine].map(String::clone);
        let key = (key, row.origin.clone());
        let known = places.get(&key).copied();
        let known = known.filter(|place| row.error.is_some() || place + 1 == all.len());
        let Some(first) = known.map(|place| &mut all[place]) else {
            places.insert(key, all.len());
            all.push(row);
            continue;
        };
        first.error = first.error.take().or(row.error);
        first.bytes = first.bytes.or(row.bytes);
        first.values.extend(row.values);
        first.ns = Some(median(&first.values)).filter(|_| !first.values.is_empty());
        first.samples = first.values.len() as u64;
        first.statistic = "median".to_string();
    }
    all
}

/// Gives rows of one name the parameters of their origin that tell them apart, and then their place
/// among the rows that are still alike, with the number of these: if an output lacks one, the places
/// of the others have changed.
fn tell_apart(results: &mut [Measured]) {
    let most = results.iter().map(|row| row.origin.len()).max().unwrap_or(0);
    for at in 0..=most {
        let mut places: HashMap<[String; 3], Vec<usize>> = HashMap::new();
        for (place, row) in results.iter().enumerate() {
            let key = [&row.name, &row.parameters, &row.machine].map(String::clone);
            places.entry(key).or_default().push(place);
        }
        for places in places.into_values().filter(|places| places.len() > 1) {
            let origins: BTreeSet<&str> =
                places.iter().map(|place| results[*place].origin(at)).collect();
            if at < most && origins.len() < 2 {
                continue;
            }
            let (shared, all) = (shared(&origins), places.len());
            for (place, number) in places.into_iter().zip(1..) {
                let row = &mut results[place];
                match row.origin.get(at).cloned() {
                    Some((key, value)) if !value.is_empty() => row.add(key, &value[shared..]),
                    None if at == most => row.add("row", format!("{number} of {all}")),
                    _ => {}
                }
            }
        }
    }
}

/// The length of the folder that origins share if they are whole paths, because two checkouts are in
/// two folders.
fn shared(origins: &BTreeSet<&str>) -> usize {
    let [first, last] = [origins.first(), origins.last()].map(|one| one.copied().unwrap_or(""));
    if ![first, last].iter().all(|path| path.starts_with('/') || path.starts_with("file://")) {
        return 0;
    }
    let same = first.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count();
    first.as_bytes()[..same].iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1)
}

/// Gives a median of several values its interval of 95 %.
fn add_interval(row: &mut Measured) {
    let interval = median_interval(&row.values, 0.05);
    let is_median = row.statistic == "median" && interval.low.is_finite();
    if row.low.is_none() && is_median && interval.high.is_finite() {
        (row.low, row.high) = (Some(interval.low), Some(interval.high));
    }
}

/// No processor reads a terabyte in a second in one thread, in bytes per ns.
const MOST_RATE: f64 = 1000.0;

/// Nothing was measured for 31 years, in ns.
const MOST_NS: f64 = 1e18;

/// No processor does anything in a thousandth of this, in ns: not even for a byte of many.
const LEAST_NS: f64 = 1e-3;

/// Why a result has no time that can be.
fn impossible(result: &Measured) -> Option<String> {
    if result.error.is_some() {
        return result.error.clone();
    }
    let length = result.name.len() + result.parameters.len();
    if result.name.is_empty() || length > LONGEST_NAME {
        return Some(format!("its name has {length} bytes"));
    }
    let Some(ns) = result.ns else { return Some("it has no time".to_string()) };
    let ends = [result.low, result.high].into_iter().flatten();
    let mut all = ends.chain(result.values.iter().copied()).chain([ns]);
    let odd = all.find(|ns| !(0.0..=MOST_NS).contains(ns));
    if let Some(ns) = odd.or_else(|| (ns == 0.0).then_some(ns)) {
        return Some(format!("it takes {ns} ns, which is impossible"));
    }
    if ns < LEAST_NS {
        return Some(format!("it takes {ns:e} ns, which is impossible"));
    }
    if result.low.zip(result.high).is_some_and(|(low, high)| low > high) {
        return Some("its interval ends before it begins".to_string());
    }
    let rate = result.bytes.map_or(0.0, |bytes| bytes as f64 / ns);
    (rate > MOST_RATE)
        .then(|| format!("it processes {rate:.0} GB in a second, which is impossible"))
}
