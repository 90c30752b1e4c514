//! The formats that can be read, and how a program is made to write each.

use super::pattern::Pattern;
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A format of results, named after the program that writes it.
///
/// Each has the arguments that make the program write it, and those for a short measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Rust's Criterion: the output of `cargo bench`, its folder `target/criterion`, or the lines
    /// of `cargo criterion --message-format=json`.
    ///
    /// Short: `cargo bench --bench NAME -- --warm-up-time 0.5 --measurement-time 1 --sample-size 10
    /// --noplot`, and a benchmark's name or part of it before that. Without `--bench NAME`, Cargo
    /// gives these options to the unit tests too, which refuse them.
    Criterion,
    /// Rust's built-in `#[bench]`: the output of `cargo bench`, or the lines of `--format json`.
    ///
    /// It has no option for its time: one benchmark takes about a second. Give a part of the
    /// names: `cargo bench -- NAME`.
    Libtest,
    /// Go: the output of `go test -bench`, plain or with `-json`.
    ///
    /// Short: `go test -run '^$' -bench . -benchtime 100ms`; without `-count`, so that one
    /// execution gives one value.
    Go,
    /// Java's JMH: `-rf json -rff FILE`, `-rf csv`, or its output.
    ///
    /// Short: `-f 1 -wi 3 -w 200ms -i 3 -r 200ms`.
    Jmh,
    /// Google Benchmark for C++: `--benchmark_format=json`, `csv`, or its output.
    ///
    /// Short: `--benchmark_min_time=0.1s` (before 1.8 without the `s`).
    GoogleBenchmark,
    /// `openssl speed`, also with `-mr`.
    ///
    /// Short: `openssl speed -seconds 1 -bytes 1024 -evp aes-128-gcm`.
    OpensslSpeed,
    /// `bssl speed` of BoringSSL and AWS-LC, also with `-json`.
    ///
    /// Short: `bssl speed -timeout 1 -filter AES-128-GCM -chunks 1024`.
    Bssl,
    /// `hyperfine`: `--export-json`, `--export-csv`, `--export-markdown`, or its output.
    ///
    /// Short: `--warmup 1 --runs 5`.
    Hyperfine,
    /// Python's `pyperf`: `-o FILE.json`.
    ///
    /// Short: `--fast`, or `--processes 1 --values 3 --warmups 1`.
    Pyperf,
    /// JavaScript's `mitata`: `run({ format: 'json' })`, or its output.
    ///
    /// It has no option for its time.
    Mitata,
    /// JavaScript's `tinybench`: `console.table(bench.table())`, or that in JSON.
    ///
    /// Short: `new Bench({ time: 100 })`, in ms.
    Tinybench,
    /// .NET's BenchmarkDotNet: `--exporters json`, its CSV or Markdown, or the table that it
    /// prints.
    ///
    /// Short: `--job short`, or `--job dry` for a single call.
    BenchmarkDotNet,
    /// C++'s `nanobench`: the table that it prints, or its template `json()`.
    ///
    /// Short: `bench.minEpochTime(1ms)`.
    Nanobench,
    /// wolfSSL's `benchmark`, also with `-csv`.
    ///
    /// It has no option for its time: one algorithm takes a second. Name them: `benchmark -sha256`.
    Wolfcrypt,
    /// `critcmp`: `--export`, or its output.
    Critcmp,
    /// Go's `benchstat`: its output, or `-format csv`.
    Benchstat,
    /// Rust's `divan`: the tree that it prints.
    ///
    /// Short: `cargo bench --bench NAME -- --max-time 0.1`, and a part of the names before that.
    Divan,
    /// Python's `pytest-benchmark`: `--benchmark-json FILE`, or the table that it prints.
    ///
    /// Short: `--benchmark-only --benchmark-max-time 0.1 --benchmark-min-rounds 3`.
    PytestBenchmark,
    /// `deno bench`: `--json`, or its output.
    ///
    /// Short: `{ n: 100, warmup: 10 }` as options of a benchmark.
    Deno,
    /// `vitest bench`: `--outputJson FILE`, or from version 4 `--reporter=json`.
    ///
    /// Short: `{ time: 100 }` as options of a benchmark, in ms.
    Vitest,
    /// JavaScript's `micro-bmark`, `jsbt` and `benchmark`: their output.
    ///
    /// Short: `setMaxRunTime(0.1)`.
    MicroBmark,
    /// C++'s Catch2: `--reporter xml`.
    ///
    /// Short: `--benchmark-samples 10 --benchmark-warmup-time 10`.
    Catch2,
    /// `botan speed`: `--format=json`, or its output.
    ///
    /// Short: `botan speed --msec=100 --buf-size=1024 AES-256/GCM`.
    Botan,
    /// Zig's `zBench`: `writeJSON`, or its output.
    ///
    /// Short: `.{ .time_budget_ns = 100_000_000 }`.
    Zbench,
    /// Any program: lines of `name value unit`, such as `hash/64 120.5 ns`, and nothing else in
    /// them, or a list of `{"name": ..., "value": ..., "unit": ...}`.
    ///
    /// A unit is one of time (`ns`, `us`, `ms`, `s`; also `ns/op` or `ns/byte`), or a rate of calls
    /// or bytes (`ops/s`, `MB/s`). Lines without a time are left out. A pattern names the lines that
    /// count if they have more, or if others look like them: `lines:{name}: {time} +/- {}`, where
    /// `{}` is any text.
    Lines,
    /// Lines of this pattern. It lives as long as the program, whose argument it is.
    Matching(&'static str),
}

use Format as F;

/// All formats in the order in which they are recognised: each with its name, as files and options
/// have it, and with the option or call with which its program writes it.
const ROWS: [(Format, &str, &str); 25] = [
    (F::Jmh, "jmh", "-rf json"),
    (F::Criterion, "criterion", "cargo bench, or cargo criterion --message-format=json"),
    (F::GoogleBenchmark, "google-benchmark", "--benchmark_format=json"),
    (F::Critcmp, "critcmp", "critcmp --export NAME"),
    (F::Bssl, "bssl", "bssl speed -json"),
    (F::Hyperfine, "hyperfine", "--export-json FILE"),
    (F::Pyperf, "pyperf", "-o FILE.json"),
    (F::Mitata, "mitata", "run({ format: 'json' })"),
    (F::BenchmarkDotNet, "benchmarkdotnet", "--exporters json"),
    (F::Nanobench, "nanobench", "the table that it prints"),
    (F::Tinybench, "tinybench", "console.table(bench.table()), or JSON.stringify of it"),
    (F::Vitest, "vitest", "vitest bench --outputJson FILE, or from version 4 --reporter=json"),
    (F::Divan, "divan", "cargo bench"),
    (F::PytestBenchmark, "pytest-benchmark", "--benchmark-json FILE"),
    (F::Deno, "deno", "deno bench --json"),
    (F::MicroBmark, "micro-bmark", "what it prints: `name x 1,234 ops/sec`"),
    (F::Catch2, "catch2", "--reporter xml"),
    (F::Zbench, "zbench", "what it prints, or writeJSON"),
    (F::OpensslSpeed, "openssl-speed", "openssl speed, also with -mr"),
    (F::Botan, "botan", "botan speed --format=json"),
    (F::Benchstat, "benchstat", "benchstat -format csv"),
    (F::Go, "go", "go test -bench ."),
    (F::Libtest, "libtest", "cargo bench"),
    (F::Wolfcrypt, "wolfcrypt", "./benchmark, also with -csv"),
    (F::Lines, "lines", "lines of `name value unit`, and nothing else in them"),
];

impl Format {
    /// All of them, in the order in which they are recognised.
    pub const ALL: [Format; ROWS.len()] = {
        let mut all = [F::Lines; ROWS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = ROWS[at].0;
            at += 1;
        }
        all
    };

    fn row(self) -> &'static (Format, &'static str, &'static str) {
        let known = ROWS.iter().find(|(format, ..)| *format == self);
        // A pattern is one of lines, the last.
        known.unwrap_or(&ROWS[ROWS.len() - 1])
    }

    /// Whether several rows of one name are repetitions of one benchmark: a program that writes this
    /// format never gives two of them one name.
    pub fn repeats(self) -> bool {
        matches!(self, F::Go | F::Libtest)
    }

    /// Its name, as files and options have it.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The option or call with which the program writes it.
    pub fn written_by(self) -> &'static str {
        self.row().2
    }

    /// All names, as a list in a sentence.
    pub fn names() -> String {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        names.join(", ")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Format, String> {
        if let Some(pattern) = name.strip_prefix("lines:") {
            Pattern::parse(pattern)?;
            return Ok(Format::Matching(Box::leak(pattern.into())));
        }
        let known = Format::ALL.into_iter().find(|format| format.name() == name);
        known
            .ok_or_else(|| format!("no format is called \"{name}\"; there are {}", Format::names()))
    }
}

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}
