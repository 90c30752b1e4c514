//! `cupel import` of results of other programs. They are kept apart from all runs.

use crate::readers::{self, File, Found, LeftOut};
use anyhow::{Error, Result};
use clap::Command;
use cupel_base::text::count;
use cupel_store::{ForeignFile, ForeignResult, Store};
use cupel_verb::register;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The files as the command lists them.
pub const READS: register::Reads = register::Reads { about, add };

/// The verb's text about them.
const WORDS: &str = "\
Cupel also reads the results of Criterion, divan, libtest, go test -bench, JMH, Google Benchmark, \
Catch2, nanobench, zBench, openssl speed, bssl speed, botan speed, wolfCrypt, hyperfine, pyperf, \
pytest-benchmark, mitata, tinybench, vitest, deno bench, micro-bmark, BenchmarkDotNet, critcmp and \
benchstat, and lines of `name value unit`. Those programs measure one contender after the other, \
without a control. So Cupel keeps their results apart, shows them with `cupel show --foreign` and \
on the page, and decides nothing from them.";

/// The words about its argument.
const FILES: &str =
    "Cupel's stores, logs of boots, files of other programs, or folders of those; - is the input";

/// An example of them.
const EXAMPLE: &str = "  cupel import jmh-result.json speed.txt target/criterion";

/// Adds them to the words of the verb.
fn about(verb: Command) -> Command {
    let brief = verb.get_about().map(ToString::to_string).unwrap_or_default();
    let long = verb.get_long_about().map(ToString::to_string).unwrap_or_default();
    let long = long.trim_start_matches(&brief).trim_start();
    let (boots, rest) = long.split_once("\n\n").unwrap_or((long, ""));
    let examples = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (examples, last) = examples.rsplit_once('\n').unwrap_or((&examples, ""));
    let brief = format!("{brief}, or results of other programs");
    verb.long_about(format!("{brief}\n\n{boots} {WORDS}\n\n{rest}"))
        .about(brief)
        .after_help(format!("{examples}\n{EXAMPLE}\n{last}"))
        .mut_arg("file", |file| file.help(FILES))
}

/// Adds the results of a file or a folder, and prints the outcome.
fn add(
    store: &mut Store,
    path: &Path,
    bytes: Option<&[u8]>,
    refused: &mut Vec<Error>,
) -> Result<String> {
    let mut found: Found = match bytes {
        Some(bytes) => readers::read_bytes(path, bytes),
        None => readers::read(path),
    };
    if found.files.is_empty() && !found.problems.is_empty() {
        let first = found.problems.remove(0);
        refused.extend(found.problems.into_iter().map(Error::from));
        return Err(first.into());
    }
    refused.extend(found.problems.into_iter().map(Error::from));
    let files: Vec<ForeignFile> = found.files.iter().map(kept).collect();
    let imported = store.import_foreign(&files)?;
    let mut line = format!("{} added", count(imported.results, "foreign result"));
    if imported.known > 0 {
        line += &format!(", {}", register::already(imported.known));
    }
    let notes: BTreeSet<&String> = found.files.iter().flat_map(|f| &f.document.notes).collect();
    for note in notes {
        line += &format!("; {note}");
    }
    let mut unread = found.files.iter().filter_map(|file| file.document.unread.as_ref());
    if let Some(unread) = unread.next() {
        line += &format!("; {unread}");
    }
    let failed = found.files.iter().flat_map(|file| &file.document.results);
    let failed: Vec<_> = failed.filter(|result| result.ns.is_none()).collect();
    if let Some(first) = failed.first() {
        let why = first.error.as_deref().unwrap_or_default();
        line += &format!("; {} without a time ({}: {why})", failed.len(), first.name);
    }
    Ok(line + &left_out(&found.left_out))
}

/// The parts of a file that the store keeps.
fn kept(file: &File) -> ForeignFile {
    let File { path, digest, document } = file;
    let results = document.results.iter().map(|one| ForeignResult {
        name: one.name.clone(),
        parameters: one.parameters.clone(),
        statistic: one.statistic.clone(),
        ns: one.ns,
        low: one.low,
        high: one.high,
        samples: one.samples,
        bytes: one.bytes,
        error: one.error.clone(),
    });
    ForeignFile {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        digest: digest.clone(),
        tool: document.format.name().to_string(),
        version: document.version.clone(),
        machine: document.machine.clone(),
        results: results.collect(),
    }
}

/// The most names of files that are listed.
const MOST_NAMES: usize = 3;

/// The files of a folder that were not read, by reason.
fn left_out(all: &[LeftOut]) -> String {
    let mut by_reason: BTreeMap<&str, Vec<&Path>> = BTreeMap::new();
    for one in all {
        by_reason.entry(one.why).or_default().push(&one.path);
    }
    let mut out = String::new();
    for (why, paths) in by_reason {
        let names = paths.iter().take(MOST_NAMES).map(|path| path.display().to_string());
        let names: Vec<String> = names.collect();
        let more = if paths.len() > MOST_NAMES { ", ..." } else { "" };
        out += &format!("; left out {}, {why} ({}{more})", paths.len(), names.join(", "));
    }
    out
}
