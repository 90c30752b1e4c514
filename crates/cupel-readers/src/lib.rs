//! Results of other benchmarking programs, in the formats that people post and that a gate reads:
//! [`read`] takes files and folders, [`parse`] the output of a program.
//!
//! The files are not trusted: every figure is checked. A row without a possible time says why, and
//! does not refuse the others. What the figures mean for a verdict is left to others.

mod criterion;
mod format;
mod google_benchmark;
mod jmh;
mod json;
mod text;

use cupel_base::problem::Problem;
pub use format::Format;
use json::Documents;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::{Path, PathBuf};

/// No such program writes more. A larger file is not a result.
const MOST_BYTES: u64 = 64 << 20;
/// A longer name is a mistake or an attack.
const LONGEST_NAME: usize = 100_000;
/// How deep folders are searched: Criterion nests group, function and value.
const DEEPEST: usize = 8;

/// Results that one program wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The format.
    pub format: Format,
    /// The version of the program, if it says so.
    pub version: String,
    /// What it says about the machine.
    pub machine: String,
    /// What a reader of the results must know, in sentences.
    pub notes: Vec<String>,
    /// The results, in the program's order.
    pub results: Vec<Measured>,
}

/// One benchmark's result.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// Its full name.
    pub name: String,
    /// Its parameters: `name=value`, separated by commas; also `threads` if there are several.
    pub parameters: String,
    /// What the figure is: `mean`, `median`, `slope`.
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
    /// The samples in ns per call, if the program gives them.
    #[serde(skip)]
    pub values: Vec<f64>,
    /// The runtime or machine of this result, if those of a document differ.
    #[serde(skip)]
    pub machine: String,
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

/// What is in a file or a folder.
#[derive(Debug, Default)]
pub struct Found {
    /// What was read.
    pub files: Vec<File>,
    /// What could not be read, and why.
    pub problems: Vec<Problem>,
}

/// Whether bytes seem to be results in one of the formats.
pub fn is_known(bytes: &[u8]) -> bool {
    parse(bytes, None).is_ok()
}

/// Reads a file, or every result in a folder.
pub fn read(path: &Path) -> Found {
    let mut found = Found::default();
    if path.is_dir() {
        search(path, DEEPEST, &mut found);
        if found.files.is_empty() && found.problems.is_empty() {
            found.problems.push(problem(path, "it contains no results in a known format"));
        }
        return found;
    }
    match path.parent() {
        Some(folder) if criterion::is_file(path) => found.add(criterion::benchmark(folder)),
        _ => found.add(file(path).and_then(|bytes| of_file(path, &bytes))),
    }
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

/// Adds what a folder and those in it contain, sorted by name. Links are not followed.
fn search(path: &Path, depth: usize, found: &mut Found) {
    if path.join(criterion::ABOUT).is_file() {
        found.add(criterion::benchmark(path));
        return;
    }
    let newest = path.join("new");
    if newest.join(criterion::ABOUT).is_file() {
        found.add(criterion::benchmark(&newest));
        return;
    }
    let mut entries = match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().collect::<Vec<_>>(),
        Err(e) => return found.problems.push(problem(path, format!("cannot be read: {e}"))),
    };
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type());
        if depth > 0 && kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
            search(&path, depth - 1, found);
        } else if kind.is_ok_and(|kind| kind.is_file())
            && let Ok(bytes) = file(&path)
            && is_known(&bytes)
        {
            found.add(of_file(&path, &bytes));
        }
    }
}

/// Reads the output of a program: in this format, or in the one that it is recognised as.
///
/// # Errors
/// If it is in no known format or not in this one, or breaks off.
pub fn parse(bytes: &[u8], format: Option<Format>) -> Result<Document, Problem> {
    let text = text::decode(bytes);
    let json = json::documents(&text);
    let input = Input { text, json };
    let formats = Format::ALL.into_iter().filter(|one| format.is_none_or(|format| format == *one));
    for format in formats {
        if let Some(content) = content(format, &input) {
            let content = content.map_err(|what| problem(Path::new(""), what))?;
            if content.results.is_empty() {
                return Err(problem(Path::new(""), "it contains no results"));
            }
            if let Some(line) = input.json.cut.filter(|_| !input.json.values.is_empty()) {
                let what = format!("it ends in the middle (line {line}); it was cut off");
                return Err(problem(Path::new(""), what));
            }
            return Ok(checked(format, content));
        }
    }
    Err(unknown(&input, format))
}

/// A text, and the JSON in it.
struct Input {
    #[expect(dead_code, reason = "the readers of text come next")]
    text: String,
    json: Documents,
}

/// What a reader finds.
#[derive(Default)]
struct Content {
    version: String,
    machine: String,
    notes: Vec<String>,
    results: Vec<Measured>,
}

/// What a reader makes of an input; nothing if it is not in this format.
fn content(format: Format, input: &Input) -> Option<Result<Content, String>> {
    match format {
        Format::Jmh => jmh::read(input),
        Format::Criterion => criterion::messages(input),
        Format::GoogleBenchmark => google_benchmark::read(input),
        _ => None,
    }
}

/// Why an input is in no known format, or not in this one.
fn unknown(input: &Input, format: Option<Format>) -> Problem {
    if let Some(line) = input.json.cut {
        let what = format!("it ends in the middle (line {line}); it was cut off");
        return problem(Path::new(""), what);
    }
    if input.json.values == [Value::Array(vec![])] {
        return problem(Path::new(""), "it is an empty list");
    }
    match format {
        Some(format) => problem(Path::new(""), format!("it is not in the format {format}"))
            .help(format!("{format} is written by: {}", format.written_by())),
        None => problem(Path::new(""), "it is in no known format")
            .help(format!("cupel reads {}", Format::names())),
    }
}

/// The documents of a file: one for each machine.
fn of_file(path: &Path, bytes: &[u8]) -> Result<Vec<File>, Problem> {
    let document = parse(bytes, None).map_err(|e| Problem { path: path.to_path_buf(), ..e })?;
    let mut machines: Vec<&str> = document.results.iter().map(|r| r.machine.as_str()).collect();
    machines.dedup();
    machines.sort_unstable();
    machines.dedup();
    let files = machines.iter().map(|machine| {
        let mut part = document.clone();
        part.results.retain(|result| result.machine == *machine);
        let mut parts = vec![bytes];
        if machines.len() > 1 {
            parts.push(machine.as_bytes());
        }
        if !machine.is_empty() {
            part.machine = (*machine).to_string();
        }
        File { path: path.to_path_buf(), digest: digest(&parts), document: part }
    });
    Ok(files.collect())
}

fn problem(path: &Path, what: impl Into<String>) -> Problem {
    Problem { path: path.to_path_buf(), line: 0, what: what.into(), help: None }
}

fn file(path: &Path) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|e| problem(path, format!("cannot be read: {e}")))?;
    if bytes.len() as u64 > MOST_BYTES {
        let most = MOST_BYTES >> 20;
        let what = format!("it is larger than {most} MiB, which no benchmark's results are");
        return Err(problem(path, what));
    }
    Ok(bytes)
}

/// One digest of all these bytes, each with its length.
fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize())
}

/// The document of a content, without impossible figures.
fn checked(format: Format, content: Content) -> Document {
    let Content { version, machine, notes, mut results } = content;
    for result in &mut results {
        result.error = impossible(result);
        if result.error.is_some() {
            [result.ns, result.low, result.high] = [None; 3];
            result.values.clear();
        }
        for text in [&mut result.name, &mut result.parameters] {
            if text.len() > LONGEST_NAME {
                *text = text.chars().take(LONGEST_NAME).collect();
            }
        }
    }
    Document { format, version, machine, notes, results }
}

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
    let times = [Some(ns), result.low, result.high];
    let times = times.into_iter().flatten().chain(result.values.iter().copied());
    if let Some(ns) = times.into_iter().find(|ns| !ns.is_finite() || *ns < 0.0) {
        return Some(format!("it takes {ns} ns, which is impossible"));
    }
    if result.low.zip(result.high).is_some_and(|(low, high)| low > high) {
        return Some("its interval ends before it begins".to_string());
    }
    None
}
