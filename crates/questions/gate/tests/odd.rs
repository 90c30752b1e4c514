//! Outputs that were once misread: two formats, rows of one name, lines without a result, numbers
//! of other languages, broken JSON, and control sequences of a terminal. Each gives its figures, or
//! a refusal that says where and what to do.

use cupel_gate::readers::{Format, parse, read};
use std::fmt::Write;
use std::time::Instant;

/// The rows of an output, or the refusal.
fn said(text: &str, format: Option<Format>) -> String {
    match parse(text.as_bytes(), format) {
        Err(problem) => format!("refused: {problem}"),
        Ok(document) => {
            let mut out = document.format.to_string();
            for row in document.results {
                let between = if row.parameters.is_empty() { "" } else { " " };
                let value = match (row.ns, row.error) {
                    (Some(ns), _) => format!("{}", (ns * 1e3).round() / 1e3),
                    (None, error) => error.unwrap_or_default(),
                };
                let _ = write!(out, "; {}{between}{}: {value}", row.name, row.parameters);
            }
            out
        }
    }
}

fn check(cases: &[(&str, &str)], format: Option<Format>) {
    let mut wrong = String::new();
    for (text, expected) in cases {
        let said = said(text, format);
        if said != *expected {
            let _ = write!(wrong, "\n{text:?}\n  gives    {said}\n  expected {expected}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

const SEVERAL: &str = "\n  help: read one of them (--reads criterion, or --reads libtest), or give the \
                       results of each format apart";

#[test]
fn the_format_is_recognised_by_all_of_an_output() {
    let both = "test a ... bench: 4611.27 ns/iter (+/- 3)\nb    time:   [99 ns 100.5 ns 101 ns]\n";
    let refused =
        format!("refused: it has results in several formats: criterion and libtest{SEVERAL}");
    check(&[(both, &refused)], None);
    check(&[(both, "libtest; a: 4611.27")], Some(Format::Libtest));
    check(&[(both, "criterion; b: 100.5")], Some(Format::Criterion));
    check(
        &[
            // The lines of one format that another would take, too.
            (
                "BenchmarkA-2  9  100.0 ns/op\nBenchmarkB-2  9  50 ns/op",
                "go; BenchmarkA-2: 100; BenchmarkB-2: 50",
            ),
            ("x x 100 ops/sec ±0.5% (91 runs sampled)", "micro-bmark; x: 10000000"),
            // A JSON of one format, and a table of another.
            (
                "[{\"name\":\"a\",\"value\":1.5,\"unit\":\"ns\"}]\ntest b ... bench: 98 ns/iter (+/- 3)",
                "refused: it has results in several formats: libtest and lines\n  help: read one of \
                 them (--reads libtest, or --reads lines), or give the results of each format apart",
            ),
        ],
        None,
    );
}

#[test]
fn a_file_with_two_formats_is_read_in_both() {
    let folder = std::env::temp_dir().join(format!("cupel-odd-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("both.txt");
    let both = "test a ... bench: 4611.27 ns/iter (+/- 3)\nb    time:   [99 ns 100.5 ns 101 ns]\n";
    std::fs::write(&file, both).unwrap();
    let found = read(&file);
    std::fs::remove_dir_all(&folder).unwrap();
    let formats: Vec<&str> = found.files.iter().map(|file| file.document.format.name()).collect();
    assert_eq!(formats, ["criterion", "libtest"]);
    assert_ne!(found.files[0].digest, found.files[1].digest);
}

#[test]
fn rows_of_one_name_are_told_apart_unless_they_are_repetitions() {
    let bench =
        |name: &str| format!("     Running benches/{name}.rs (target/release/deps/{name}-1)\n");
    let row = "test hash ... bench: 98 ns/iter (+/- 3)\n";
    let twice = [bench("a"), row.to_string(), bench("b"), row.replace("98", "200")].concat();
    check(
        &[
            (
                "hash 100 ns\nhash 200 ns\nother 5 ns\nhash 400 ns",
                "lines; hash row=1 of 3: 100; hash row=2 of 3: 200; other: 5; hash row=3 of 3: 400",
            ),
            ("BenchmarkA-2 9 100 ns/op\nBenchmarkA-2 9 102 ns/op", "go; BenchmarkA-2: 101"),
            ("BenchmarkA-2 9 100 ns/op\n--- FAIL: BenchmarkA-2", "go; BenchmarkA-2: it failed"),
            (&row.repeat(2), "libtest; hash: 98"),
            (&twice, "libtest; hash bench=benches/a.rs: 98; hash bench=benches/b.rs: 200"),
            (
                "Benchmark  Mode  Cnt  Score   Error  Units\na.b  avgt  5  10.0 ± 0.1  ns/op\na.b  thrpt  5  100.0 ± 0.1  ops/us",
                "jmh; a.b mode=avgt: 10; a.b mode=thrpt: 10",
            ),
        ],
        None,
    );
}

/// The refusal of a line that has more than a result.
fn not_only(line: usize, text: &str) -> String {
    format!(
        "refused: line {line} has a time and is not only a name, a number and a unit: \"{text}\"\n  \
         help: say what stands where in the lines that count, such as --reads 'lines:{{name}}: {{time}} \
         +/- {{}}'"
    )
}

#[test]
fn a_line_is_a_name_a_number_and_a_unit_and_nothing_else() {
    let divan = "Timer precision: 19 ns\nseal  │ 2.4 us │ 3.1 us\nhash 5 ns";
    check(
        &[
            (
                "hash/64 120.5 ns\nhash: 1.5 us/op\nsign = 20000 ops/s",
                "lines; hash/64: 120.5; hash: 1500; sign: 50000",
            ),
            // Other lines without a time are left out.
            ("Compiled 12 files\nhash 5 ns\nok in 0.34s\n50 % done", "lines; hash: 5"),
            (divan, &not_only(2, "seal  │ 2.4 us │ 3.1 us")),
            ("hash: 120 ns +/- 5 ns", &not_only(1, "hash: 120 ns +/- 5 ns")),
            ("a 1 ns\nhash 120 ns ± 5", &not_only(2, "hash 120 ns ± 5")),
            ("seal | 2.400 us |", &not_only(1, "seal | 2.400 us |")),
            ("hash 120ns", &not_only(1, "hash 120ns")),
            ("seal mean=2.4us p99=3.1us", &not_only(1, "seal mean=2.4us p99=3.1us")),
            ("hash 120 ns (5 runs)", &not_only(1, "hash 120 ns (5 runs)")),
            ("hash 10 ns 20 ns", &not_only(1, "hash 10 ns 20 ns")),
            ("hash 10 MiB/s 20 MiB/s", &not_only(1, "hash 10 MiB/s 20 MiB/s")),
        ],
        Some(Format::Lines),
    );
    // As a program whose format is not chosen.
    let nothing = said("Timer precision: 19 ns\nseal | 2.400 us |\nhash: 120 ns +/- 5 ns", None);
    assert!(nothing.starts_with("refused: it is in no known format"), "{nothing}");
}

#[test]
fn a_pattern_names_the_lines_that_count_and_what_stands_where_in_them() {
    let text = "Timer precision: 19 ns\nhash/64: 120.5 ns +/- 5 ns\nelapsed 1.23 s\nseal | 2.4 us |\nx y = 7ns!\n";
    for (pattern, expected) in [
        ("{name}: {time} +/- {}", "lines; hash/64: 120.5"),
        ("hash/{name} {time} {}", "lines; hash/64: 120.5"),
        ("{name} | {time} |", "lines; seal: 2400"),
        ("{name} = {time}!", "lines; x y: 7"),
        ("elapsed{name} {time}", "refused: no line of it matches \"elapsed{name} {time}\""),
        (
            "{name} {time}",
            "lines; Timer precision: 19; hash/64: its name may hold a figure, too; \
             elapsed: 1230000000",
        ),
    ] {
        let format = format!("lines:{pattern}").parse().unwrap();
        check(&[(text, expected)], Some(format));
    }
    for pattern in
        ["lines:", "lines:{name}", "lines:{name} {time} {time}", "lines:{name}{}{}{}{}{time}"]
    {
        assert!(pattern.parse::<Format>().unwrap_err().contains("needs {name} and {time}"));
    }
    let long = format!("{} 5 ns", "a ".repeat(50_000));
    let format = "lines:{}{name}{}b{}{time}".parse().unwrap();
    assert!(parse(long.as_bytes(), Some(format)).is_err());
}

#[test]
fn separators_are_read_as_the_other_numbers_show_them_or_refused() {
    let either = "refused: line 1: 1,250 may be 1.25 or 1250: write a decimal point, and no other \
                  separator";
    check(
        &[
            ("a 0,940 ms\nb 1.234,5 ns", "lines; a: 940000; b: 1234.5"),
            ("a 0,940 ms\nb 1,250 ns\nc 1.250 ns", "lines; a: 940000; b: 1.25; c: 1250"),
            ("a 0.5 ms\nb 1,250 ns", "lines; a: 500000; b: 1250"),
            ("a 12,5 ns", "lines; a: 12.5"),
            ("a 1,234,567 ns", "lines; a: 1234567"),
            ("a 1.250 ns", "lines; a: 1.25"),
            ("a 1,250 ns\nb 3 ns", either),
            ("a 1,250 ns\nb 3.5 ns\nc 3,5 ns", either),
        ],
        None,
    );
}

#[test]
fn a_rate_is_checked_like_a_time() {
    check(
        &[
            ("a 0 ops/s", "lines; a: it takes inf ns, which is impossible"),
            ("a -5 ops/s", "lines; a: it takes -200000000 ns, which is impossible"),
            ("a nan ops/s", "lines; a: it takes NaN ns, which is impossible"),
            ("a inf ops/s", "lines; a: it takes 0 ns, which is impossible"),
            ("a 1e15 ops/s", "lines; a: it takes 1e-6 ns, which is impossible"),
            ("a 0 ns\nb 5 ns", "lines; a: it takes 0 ns, which is impossible; b: 5"),
            (
                "a -5 ns\nb nan ns",
                "lines; a: it takes -5 ns, which is impossible; b: it takes NaN ns, which is impossible",
            ),
            ("a x 0 ops/sec @ 0ns/op", "micro-bmark; a: it takes inf ns, which is impossible"),
        ],
        None,
    );
}

#[test]
fn broken_json_is_named_with_its_line_and_column() {
    check(
        &[
            (
                "building\n[{\"name\": \"a\",\n  \"value\": 1.5,, \"unit\": \"ns\"}]",
                "refused: it is not JSON in line 3, column 16: key must be a string",
            ),
            (
                "[{\"name\": \"a\", \"value\": NaN, \"x\": tru}]",
                "refused: it is not JSON in line 1, column 35: \"tru\" is not a value of JSON",
            ),
            (
                "[{\"name\": \"a\", \"value\": NaN, \"unit\": \"ns\"},]",
                "refused: it is not JSON in line 1, column 44: trailing comma",
            ),
            (
                "[{\"name\": \"a\"\n, \"value\": undefined}]",
                "refused: it is not JSON in line 2, column 12: \"undefined\" is not a value of JSON",
            ),
            (
                "[{\"name\": \"a\",\n\"value\": 1",
                "refused: it ends in the middle (line 2); it was cut off",
            ),
            // The output of a build is not a result.
            (
                "[INFO] Building\n[1/3] x\n[ 50%] y\nhash 5 ns (fast)\ntest b ... bench: 98 ns/iter (+/- 3)",
                "libtest; b: 98",
            ),
        ],
        None,
    );
}

#[test]
fn a_text_is_what_a_terminal_shows_in_the_end() {
    check(
        &[
            // A bar, a title, colours.
            (
                "\u{1b}]0;bench\u{7}\u{1b}[2K\rhash [##..] 50 % ETA 3.0 s\u{1b}[2K\r\u{1b}[1mhash\u{1b}[0m  \u{1b}[32m5.5\u{1b}[0m ns\u{1b}[K\n",
                "lines; hash: 5.5",
            ),
            ("hash 10 %\rhash 99 %\rhash 5.5 ns\n", "lines; hash: 5.5"),
            ("hash 1234 ns\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}7 ns\u{1b}[K\n", "lines; hash: 7"),
            // A bar below the results, written again.
            (
                "a 1 ns\nbar 10 s\u{1b}[1A\u{1b}[1B\u{1b}[2K\rb 2 ns\nc 3 ns\n\u{1b}[1A\u{1b}[2Kd 4 ns\n",
                "lines; a: 1; b: 2; d: 4",
            ),
            ("a 1 ns\r\nb 2 ns\r\r\n", "lines; a: 1; b: 2"),
            ("a 1 ns\rb 2 ns\r", "lines; a: 1; b: 2"),
            ("a\0 1 ns\n\u{1b}(Bb 2 ns\n\u{9b}31mc 3 ns\n", "lines; a: 1; b: 2; c: 3"),
            // In JSON, too, a name has no escapes.
            ("[{\"name\":\"\\u001b[31ma\\u0007\",\"value\":1.5,\"unit\":\"ns\"}]", "lines; a: 1.5"),
        ],
        None,
    );
}

#[test]
fn public_keys_of_openssl_on_several_processes_are_those_of_one() {
    let children = "Forked child 0\nForked child 1\nGot: +F2:2:2048:1000.0:30000.0 from 0\nGot: +F2:2:2048:1000.0:30000.0 from 1\n";
    let of = |lines: &str| format!("{children}{lines}");
    check(
        &[
            (
                &of("+F2:2:2048:2000.000000:60000.000000"),
                "openssl-speed; rsa 2048 sign threads=2: 1000000; rsa 2048 verify threads=2: 33333.333",
            ),
            // Before 1.1 in seconds.
            (
                &of("+F2:2:2048:0.000500:0.000016667"),
                "openssl-speed; rsa 2048 sign threads=2: 1000000; rsa 2048 verify threads=2: 33334",
            ),
            // Slow, and still a rate.
            (
                "+F2:6:15360:0.400000:53.600000",
                "openssl-speed; rsa 15360 sign: 2500000000; rsa 15360 verify: 18656716.418",
            ),
            (&of("+F5:22:253:40000.0:0.000025"), "openssl-speed; ecdh 253 op threads=2: 50000"),
            (
                &of("+H:64\n+F:6:sha256:512000000.00"),
                "openssl-speed; sha256 bytes=64, threads=2: 250",
            ),
        ],
        None,
    );
}

#[test]
fn a_name_may_have_spaces_bars_and_escapes() {
    check(
        &[
            (
                "Benchmark   Time   CPU   Iterations\nBM_seal<int, 64>/16   104 ns   104 ns   7000000\n\
                 BM_x   3.10 ms   3.00 ms   70\nBM_y<a, b>   ERROR OCCURRED: 'no key'",
                "google-benchmark; BM_seal<int, 64>/16: 104; BM_x: 3100000; BM_y<a, b>: no key",
            ),
            (
                "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n|:---|---:|---:|---:|---:|\n\
                 | `cat f \\| a` | 10.0 ± 0.2 | 9.0 | 12.0 | 1.00 |\n\
                 | `cat f \\| b` | 30.0 ± 0.2 | 9.0 | 31.0 | 3.00 |",
                "hyperfine; cat f | a: 10000000; cat f | b: 30000000",
            ),
            (
                "| ns/op | op/s | err% | total | benchmark |\n|---:|---:|---:|---:|:---|\n\
                 | 10.00 | 1.0 | 0.1% | 0.01 | `a | b` |\n| 20.00 | 1.0 | 0.1% | 0.01 | `c`",
                "nanobench; a | b: 10; c: 20",
            ),
            (
                "│ Task name │ Latency avg (ns) │ Samples │\n│ 'a | b' │ '63768 ± 4.02%' │ 15683 │\n\
                 │ 'c' │ '154 ± 7.14%' │ 649 │",
                "tinybench; a | b: 63768; c: 154",
            ),
            (
                "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n|:---|---:|---:|---:|---:|\n\
                 | `tree │ wc` | 10.0 ± 0.2 | 9.0 | 12.0 | 1.00 |",
                "hyperfine; tree │ wc: 10000000",
            ),
        ],
        None,
    );
}

#[test]
fn a_benchmark_of_go_without_ns_per_op_is_named() {
    check(
        &[(
            "BenchmarkA-8 1000 12.5 ns/op\nBenchmarkMetric-8 1000 12.5 p99-us 3 allocs/op\n\
             BenchmarkSlow-8 panic: boom",
            "go; BenchmarkA-8: 12.5; BenchmarkMetric-8: it reports p99-us and no ns/op; \
             BenchmarkSlow-8: it panicked: boom",
        )],
        None,
    );
}

/// With `-count 2`: the second run of a benchmark fails after its first iteration.
#[test]
fn a_benchmark_of_go_that_fails_late_is_named() {
    check(
        &[(
            "BenchmarkA-8 \t 1000\t 12.5 ns/op\nBenchmarkA-8   \t--- FAIL: BenchmarkA-8\n    \
             a_test.go:9: lost\nBenchmarkB-8 \t 1000\t 7 ns/op",
            "go; BenchmarkA-8: it failed; BenchmarkB-8: 7",
        )],
        None,
    );
}

#[test]
fn spaces_between_thousands_are_no_ends_of_names() {
    check(
        &[
            ("base 10 ns\nhash 1\u{202f}234 ns", "lines; base: 10; hash: 1234"),
            ("base 10 ns\nhash 1\u{a0}234,5 ns", "lines; base: 10; hash: 1234.5"),
            ("base 10 ns\nhash 1\u{2009}234\u{2009}567 ns", "lines; base: 10; hash: 1234567"),
            ("sha 3\u{a0}25 ns\nsha\u{a0}512 7 ns", "lines; sha 3: 25; sha\u{a0}512: 7"),
        ],
        None,
    );
}

#[test]
fn a_line_in_another_encoding_leaves_the_others_alone() {
    let text = b"digest: \xff\nseal time:   [99.0 \xc2\xb5s 100.0 \xc2\xb5s 101.0 \xc2\xb5s]\n\
                 open time:   [9.0 \xb5s 10.0 \xb5s 11.0 \xb5s]\n";
    let rows = parse(text, None).expect("criterion").results;
    let times: Vec<Option<f64>> = rows.iter().map(|row| row.ns).collect();
    assert_eq!(times, [Some(100_000.0), Some(10_000.0)]);
}

#[test]
fn a_benchmark_may_be_named_like_an_aggregate() {
    let json = |rows: &[(&str, &str, u32)]| {
        let row = |(name, kind, ns): &(&str, &str, u32)| {
            format!(
                "{{\"name\":\"{name}\",\"run_name\":\"{name}\",\"run_type\":\"{kind}\",\
                 \"iterations\":9,\"real_time\":{ns},\"cpu_time\":1,\"time_unit\":\"ns\"}}"
            )
        };
        let rows: Vec<String> = rows.iter().map(row).collect();
        format!("{{\"context\":{{\"num_cpus\":2}},\"benchmarks\":[{}]}}", rows.join(","))
    };
    let rms = json(&[("audio_RMS", "iteration", 100), ("fit_BigO", "iteration", 50)]);
    check(
        &[
            (&rms, "google-benchmark; audio_RMS: 100; fit_BigO: 50"),
            (
                "rolling_mean 100 ns 100 ns 9\nrolling_median 50 ns 50 ns 9\nx_stddev 7 ns 7 ns 9",
                "google-benchmark; rolling_mean: 100; rolling_median: 50; x_stddev: 7",
            ),
            (
                "a_mean 100 ns 100 ns 3\na_median 90 ns 90 ns 3\na_stddev 1 ns 1 ns 3\n\
                 a_cv 1.00 % 1.00 % 3",
                "google-benchmark; a: 90",
            ),
        ],
        None,
    );
}

#[test]
fn a_name_may_have_the_mark_of_its_reader() {
    check(
        &[
            (
                "array/iterate   100.1 ns/iter 460 ns\nb   50 ns/iter",
                "mitata; array/iterate: 100.1; b: 50",
            ),
            (
                "read/sector x 1,000 ops/sec @ 1ms/op\nb x 2,000 ops/sec @ 500μs/op",
                "micro-bmark; read/sector: 1000000; b: 500000",
            ),
            (
                "benchmark  time/iter (avg)\n| sha (warm … cold) (64 B) | 368.4 ns | 2,714,000 | (341.2 ns … 1.2 µs) |",
                "deno; sha (warm … cold) (64 B): 368.4",
            ),
            (
                "group   base   new\n-----   ----   ---\nseal/16 KiB   1.00   5.0±0.03µs   ? ?/sec   1.20   6.0±0.1µs   ? ?/sec",
                "critcmp; seal/16 KiB baseline=base: 5000; seal/16 KiB baseline=new: 6000",
            ),
            ("ok   10.00 ns/iter\nbroken   error: nope", "mitata; ok: 10; broken: nope"),
            (
                "Benchmark (alg) (size) Mode Cnt Score Error Units\n\
              A.seal AES/GCM NoPad 64 avgt 5 7.0 ± 0.1 ns/op\nA.seal AES 64 avgt 5 8.0 ± 0.1 ns/op",
                "jmh; A.seal: a parameter has spaces, so its parameters are not known: use -rf json; \
              A.seal alg=AES, size=64: 8",
            ),
            ("a 100 kops/s\nb 2 Mops/s", "lines; a: 10000; b: 500"),
        ],
        None,
    );
}

#[test]
fn packages_of_go_may_run_at_a_time() {
    let event = |package: &str, output: &str| {
        format!("{{\"Action\":\"output\",\"Package\":\"{package}\",\"Output\":\"{output}\"}}\n")
    };
    let text = event("a", "BenchmarkSeal-8  ")
        + &event("b", "BenchmarkOpen-8  ")
        + &event("b", "10 3400 ns/op\\n")
        + &event("a", "10 1200 ns/op\\n");
    let expected = "go; BenchmarkSeal-8: 1200; BenchmarkOpen-8: 3400";
    check(&[(&text, expected)], None);
}

#[test]
fn two_benchmarks_of_one_name_are_no_repetitions() {
    let google = |rows: &[(&str, u32)]| {
        let row = |(about, ns): &(&str, u32)| {
            format!("{{\"name\":\"a\",\"real_time\":{ns},\"cpu_time\":1{about}}}")
        };
        let rows: Vec<String> = rows.iter().map(row).collect();
        format!("{{\"context\":{{\"num_cpus\":2}},\"benchmarks\":[{}]}}", rows.join(","))
    };
    let two = "google-benchmark; a row=1 of 2: 100; a row=2 of 2: 9000";
    let family = |n| format!(",\"family_index\":{n},\"repetition_index\":0");
    let aggregates =
        |ns: u32| format!("a_mean {ns} ns 1 ns 2\na_median {ns} ns 1 ns 2\na_stddev 1 ns 1 ns 2\n");
    let [fast, slow] = ["a 100 ns 100 ns 50\n", "a 9000 ns 9000 ns 50\n"];
    let [fasts, slows] =
        [(fast, 100), (slow, 9000)].map(|(row, ns)| row.repeat(2) + &aggregates(ns));
    let jmh = |jdk: &str, score: &str| {
        format!(
            "[{{\"benchmark\":\"a\",\"mode\":\"avgt\",\"jdkVersion\":\"{jdk}\",\"primaryMetric\":\
             {{\"score\":{score},\"scoreUnit\":\"ns/op\"}}}}]\n"
        )
    };
    let go =
        |pkg: &str, ns: u32| format!("goos: linux\npkg: {pkg}\nBenchmarkA-2 9 {ns} ns/op\nPASS\n");
    check(
        &[
            (&google(&[(&family(0), 100), (&family(1), 9000)]), two),
            (&google(&[(&family(0), 100), (&family(0), 102)]), "google-benchmark; a: 101"),
            (&google(&[(",\"repetition_index\":0", 100), (",\"repetition_index\":0", 9000)]), two),
            (
                &google(&[(",\"repetition_index\":0", 100), (",\"repetition_index\":1", 102)]),
                "google-benchmark; a: 101",
            ),
            (&[fast, slow].concat(), two),
            (
                &("b 100 ns 100 ns 50\n".to_string() + &"a ERROR OCCURRED: 'boom'\n".repeat(3)),
                "google-benchmark; b: 100; a: boom",
            ),
            (&fasts, "google-benchmark; a: 100"),
            (&[fasts.as_str(), &slows].concat(), two),
            // One runtime after the other.
            (
                &[jmh("17", "100"), jmh("21", "\"NaN\"")].concat(),
                "jmh; a machine=17: 100; a machine=21: JMH gives no score",
            ),
            // With other flags.
            (
                &[go("x", 100), go("x", 9000), go("y", 5)].concat(),
                "go; BenchmarkA-2 pkg=x, run=1: 100; BenchmarkA-2 pkg=x, run=2: 9000; \
                 BenchmarkA-2 pkg=y: 5",
            ),
            (
                "window.BENCHMARK_DATA = {\"entries\": {\
                 \"x\": [{\"commit\": {\"id\": \"abc\"}, \"benches\": [{\"name\": \"a\", \"value\": 5, \"unit\": \"ns\"}]}],\
                 \"y\": [{\"commit\": {\"id\": \"abc\"}, \"benches\": [{\"name\": \"a\", \"value\": 7, \"unit\": \"ns\"}]}]}}",
                "lines; a commit=abc, suite=x: 5; a commit=abc, suite=y: 7",
            ),
        ],
        None,
    );
}

#[test]
fn a_time_of_several_threads_is_divided_in_every_row_or_in_none() {
    let json = |version: &str, cpu: u32| {
        format!(
            "{{\"context\":{{\"num_cpus\":2{version}}},\"benchmarks\":[{{\"name\":\"a\",\"threads\":2,\
             \"real_time\":100,\"cpu_time\":{cpu}}}]}}"
        )
    };
    let [old, new] =
        ["v1.8.4", "1.9.1-2-gabc"].map(|version| format!(",\"library_version\":\"{version}\""));
    let divided = "google-benchmark; a threads=2: 200";
    let whole = "google-benchmark; a threads=2: 100";
    let unknown =
        "its table does not show whether threads divide its time: use --benchmark_format=json";
    check(
        &[
            (&json(&old, 110), divided),
            (&json(&old, 190), divided),
            (&json(&new, 110), whole),
            (&json(&new, 190), divided),
            (&json("", 110), divided),
            (&json("", 190), divided),
            // A lock's benchmark waits, and is divided like the others.
            (
                "a/threads:2 100 ns 190 ns 9\nlock/threads:2 100 ns 60 ns 9\nb 100 ns 100 ns 9",
                "google-benchmark; a/threads:2 threads=2: 200; lock/threads:2 threads=2: 200; b: 100",
            ),
            // Threads that wait do not show it. Divided, 130 ns would be more than the 100 ns above.
            (
                "lock/threads:2 130 ns 140 ns 9\nb 100 ns 100 ns 9",
                &format!("google-benchmark; lock/threads:2 threads=2: {unknown}; b: 100"),
            ),
            (
                "name,iterations,real_time,cpu_time,time_unit\n\"lock/threads:2\",9,130,140,ns\n\"b\",9,100,100,ns\n",
                &format!("google-benchmark; lock/threads:2 threads=2: {unknown}; b: 100"),
            ),
        ],
        None,
    );
}

#[test]
fn figures_after_the_output_of_a_program_are_read() {
    check(
        &[
            (
                "BenchmarkA-2  9  100 ns/op\nBenchmarkB-2 \tdone 7     9  50 ns/op  5 B/op\n\
                 BenchmarkC-2  x\ny     9  60 ns/op\nit took 9 60 s",
                "go; BenchmarkA-2: 100; BenchmarkB-2: 50; BenchmarkC-2: 60",
            ),
            (
                "BenchmarkA-8  sha256 1024 350.2 MB/s\n   9  100 ns/op\nPASS",
                "go; BenchmarkA-8: 100",
            ),
            ("BenchmarkA\n    a_test.go:9: about 50 ns/op\n   9  100 ns/op", "go; BenchmarkA: 100"),
            (
                "Benchmark    Mode  Cnt    Score   Error  Units\nHash.sha256  avgt    2  123.456          ns/op",
                "jmh; Hash.sha256: 123.456",
            ),
            (
                "test a ... bench: 98 ns/iter (+/- 3)\ntest b ... hello\n\nbench: 50 ns/iter (+/- 3)\n\
                 test c ... yesbench: 60 ns/iter (+/- 3)\ntest d ... ignored\ntest e ... bench: 9 cycles/iter",
                "libtest; a: 98; b: 50; c: 60; e: its figures cannot be read",
            ),
            (
                "BenchmarkA-2  9  100 ns/op\nBenchmarkB-2 \tdone10000000 \t 50 ns/op\nPASS",
                "go; BenchmarkA-2: 100; BenchmarkB-2: its figures cannot be read: does the program \
                 print into its line?",
            ),
            (
                "a   time:   [99 ns 100 ns 101 ns]\n    change:\n    time:   [-1.0% +0.5% +2.0%] (p = 0.45)\n\
                 b   time:   [99 ns 100",
                "criterion; a: 100; b: its times cannot be read",
            ),
            (
                "t  fastest  │ slowest │ median │ mean │ samples │ iters\n\
                 ├─ a  1 ns  │ 1 ns    │ 1.5 ns │ 1 ns │ 9       │ 9\n\
                 ├─ b      hello\n\n2 ns    │ 2 ns    │ 2.5 ns │ 2 ns │ 9       │ 9\n\
                 ├─ c      hello3 ns  │ 3 ns    │ 3.5 ns │ 3 ns │ 9       │ 9\n\
                 ╰─ d      │       │        │      │         │\n   ╰─ e  (ignored)  │ │ │ │ │",
                "divan; t/a: 1.5; t/b: 2.5; t/c: 3.5; t/d/e: it was ignored",
            ),
            (
                "| benchmark |              avg |         min |\n| --------- | ---------------- | ----------- |\n\
                 | sha256    | `509.42 ns/iter` | `500.00 ns` |\n| sha512    | `  1.42 µs/iter` | `500.00 ns` |\n\
                 | bad       | error: boom |",
                "mitata; sha256: 509.42; sha512: 1420; bad: boom",
            ),
        ],
        None,
    );
}

#[test]
fn a_time_may_have_a_long_unit_or_be_of_something_else_than_a_call() {
    check(
        &[
            ("a 5 nsec\nb 2.5 usec\nc 3 milliseconds", "lines; a: 5; b: 2500; c: 3000000"),
            (
                "a 2.5 ns/byte\nb 500 MB/s\nc 1 GiB/s\nd 7 cycles/byte",
                "lines; a per=byte: 2.5; b per=byte: 2; c per=byte: 0.931; \
                 d: 7 cycles/byte is not a time per call",
            ),
            (
                "[{\"name\":\"a\",\"value\":null,\"unit\":\"ns\"},{\"name\":\"b\",\"value\":7,\"unit\":\"ns\"}]",
                "lines; a: its value is null; b: 7",
            ),
            ("a 0 MB/s\nb 5 ns", "lines; a per=byte: it takes inf ns, which is impossible; b: 5"),
        ],
        None,
    );
}

#[test]
fn files_are_told_apart_without_the_folder_of_their_checkout() {
    let deno = |folder: &str| {
        let one = |file: &str, ns: u32| {
            format!(
                "{{\"origin\":\"file:///{folder}/{file}.ts\",\"name\":\"a\",\"results\":[{{\"ok\":\
                 {{\"n\":9,\"avg\":{ns}}}}}]}}"
            )
        };
        format!("{{\"benches\":[{},{}]}}", one("é/x", 5), one("è/y", 7))
    };
    let expected = "deno; a file=é/x.ts: 5; a file=è/y.ts: 7";
    check(&[(&deno("base"), expected), (&deno("home/new"), expected)], None);
}

/// The entries with a time of an output that were not read.
fn unread(text: &str) -> String {
    unread_in(text, None)
}

fn unread_in(text: &str, format: Option<Format>) -> String {
    let unread = parse(text.as_bytes(), format).expect("known").unread;
    unread.map_or(String::new(), |unread| unread.to_string())
}

#[test]
fn a_time_that_no_reader_took_is_named() {
    let go = "BenchmarkA-8  9  100 ns/op\n";
    let of = |more: &str| unread(&format!("{go}{more}\nPASS\nok  x/y  1.204s\n"));
    for (line, first) in [
        ("seal/16384    120 ns", "seal/16384 120 ns"),
        ("open: 25 us per call", "open: 25 us per call"),
        ("mac=1'234.5ns", "mac=1'234.5ns"),
        ("  12.5 ms   hash", "12.5 ms hash"),
        ("rate x 3.5K ops/sec", "rate x 3.5K ops/sec"),
        ("slow  3 ops/min", "slow 3 ops/min"),
        ("bench.Suite.time_a   1.23±0.1ms", "bench.Suite.time_a 1.23±0.1ms"),
        ("sign 2.1s", "sign 2.1s"),
        ("SHA-256 at 64 B: 120 ns", "SHA-256 at 64 B: 120 ns"),
        ("key setup: 120 ns", "key setup: 120 ns"),
        // As long as another benchmark that was read.
        ("seal 100 ns", "seal 100 ns"),
    ] {
        let expected = format!("1 entry with a time was not read, the first: {first}");
        assert_eq!(of(line), expected);
    }
    assert_eq!(
        of("seal 120 ns\nnothing here\nopen 20 ns"),
        "2 entries with a time were not read, the first: seal 120 ns"
    );
    let lines = unread_in("hash 5 ns\nsign 2.1s\n", Some(Format::Lines));
    assert_eq!(lines, "1 entry with a time was not read, the first: sign 2.1s");
    let list = |more: &str| format!("[{{\"name\":\"a\",\"value\":5,\"unit\":\"ns\"}},{more}]");
    for more in [
        "{\"name\":\"b\",\"val\":7,\"unit\":\"ns\"}",
        "{\"id\":\"b\",\"stats\":[],\"mean_ns\":7}",
        "[{\"title\":\"b\",\"n\":7,\"time_unit\":\"us\"}]",
    ] {
        assert!(unread(&list(more)).starts_with("1 entry with a time was not read"), "{more}");
    }
}

#[test]
fn what_tools_say_of_their_work_is_no_time_that_was_not_read() {
    let talk = "   Compiling aes v0.8.4 in 12 s\n    Finished `bench` profile [optimized] target(s) in 0.34s\n\
                go: downloading x 1.2 s elapsed\ntook 3.2 s\nTotal time:  5.1 s\nTimer precision: 19 ns\n\
                # warm-up 5 ms\n    a_test.go:9: about 50 ns/op\n--- 3 passed in 1.23s ---\n\
                  Range (min … max):   9.0 ms … 12.0 ms    10 runs\nwaiting 5 ms for it\n\
                mean   [1.2 ns 1.3 ns] std. dev.  [0.1 ns 0.2 ns]\nIteration   1: 123.4 ns/op\n\
                WorkloadActual   1: 16777216 op, 321.10 ns, 19.1 ns/op\nBenchmarkA-8: p99 150 ns\n";
    assert_eq!(unread(&format!("{talk}BenchmarkA-8  9  100 ns/op\n")), "");
    assert_eq!(unread("{\"name\":\"a\",\"value\":5,\"unit\":\"ns\"}"), "");
}

#[test]
fn a_row_is_read_after_lines_of_other_kinds() {
    let jmh =
        "Benchmark    Mode  Cnt    Score   Error  Units\nA.seal  avgt  5  123.456 ± 3.2  ns/op\n";
    check(
        &[
            (
                &format!("{jmh}\nWARNING: sample 5 files\nA.open  avgt  5  323.4 ± 3.2  ns/op\n"),
                "jmh; A.seal: 123.456; A.open: 323.4",
            ),
            (
                &format!(
                    "{jmh}A.open  avgt  5  1,234.5 ± 3.2  ns/op\nA.mac  avgt  5  N/A  ns/op\n"
                ),
                "jmh; A.seal: 123.456; A.open: JMH gives no score; A.mac: JMH gives no score",
            ),
            (
                "name,iterations,real_time,cpu_time,time_unit\n\"BM_a\",100,12.5,12.4,ns\n\
                 warning: slow\n\nread, or not\n\"BM_b\",100,22.5,22.4,ns\n",
                "google-benchmark; BM_a: 12.5; BM_b: 22.5",
            ),
            (
                "t  fastest  │ slowest │ median │ mean │ samples │ iters\n\
                 ├─ a  1 ns  │ 1 ns    │ 1.5 ns │ 1 ns │ 9       │ 9\n\
                 ╰─ b  1.2 m │ 1.3 m   │ 1.25 m │ 1 m  │ 9       │ 9",
                "divan; t/a: 1.5; t/b: 75000000000",
            ),
            (
                "seal        1'234.56 ns/iter (1'200.1 ns … 1'300 ns)  1'240 ns  1'250 ns  1'260 ns\n\
                 open          368.4 ns/iter (341.2 ns … 1'234 ns)  370 ns  380 ns  390 ns",
                "mitata; seal: 1234.56; open: 368.4",
            ),
            ("a 1'234.5 ns\nb 2'000 ns\nc 2’000’000 ns", "lines; a: 1234.5; b: 2000; c: 2000000"),
            ("BM_a 12,3 ns 12,3 ns 57\nBM_b 5 ns 5 ns 7", "google-benchmark; BM_a: 12.3; BM_b: 5"),
            (
                "{\"name\":\"a\",\"value\":5,\"unit\":\"ns\"}\n{\"name\":\"b\",\"value\":7,\"unit\":\"ns\"}",
                "lines; a: 5; b: 7",
            ),
        ],
        None,
    );
}

#[test]
fn a_decimal_comma_is_one_in_every_format() {
    let dotnet = "| Method | Mean | Error |\n|---|---:|---:|\n| a | 9,876 us | 0,123 us |\n";
    let hyperfine = "command;mean;stddev;median;user;system;min;max\n\
                     a;0,123;0,001;0,122;0,1;0,0;0,1;0,2\nb;1,234;0,001;1,233;0,1;0,0;0,1;0,2";
    let either = "9,876 may be 9.876 or 9876: write a decimal point, and no other separator";
    let json = |other: &str| {
        format!(
            "[{{\"name\":\"a\",\"value\":\"9,876\",\"unit\":\"us\"}},{{\"name\":\"b\",\"value\":\"{other}\",\"unit\":\"us\"}}]"
        )
    };
    check(
        &[
            (&format!("{dotnet}| b | 20,1 us | 0,1 us |"), "benchmarkdotnet; a: 9876; b: 20100"),
            (&dotnet.replace("0,123", "1,234"), &format!("benchmarkdotnet; a: {either}")),
            (&dotnet.replace("0,123", "1,234.5"), "benchmarkdotnet; a: 9876000"),
            (hyperfine, "hyperfine; a: 122000000; b: 1233000000"),
            (&json("1,25"), "lines; a: 9876; b: 1250"),
            (&json("7"), &format!("refused: a: {either}")),
        ],
        None,
    );
}

#[test]
fn tinybench_without_a_latency_has_no_times() {
    let head = "│ (index) │ Task name │";
    check(
        &[
            (
                &format!("{head} Error │ Stack │\n│ 7 │ 'a' │ 'no x' │ 'at y' │"),
                "tinybench; a: no x",
            ),
            (
                &format!("{head} Throughput avg (ops/s) │\n│ 7 │ 'a' │ '18562 ± 1.67%' │"),
                "tinybench; a: it has no time",
            ),
        ],
        Some(Format::Tinybench),
    );
}

#[test]
fn each_of_two_tables_without_a_gap_has_its_own_unit() {
    let hyperfine = |unit: &str, row: &str| {
        format!("| Command | Mean [{unit}] | Min [{unit}] |\n|:---|---:|---:|\n{row}\n")
    };
    let nanobench = |unit: &str, row: &str| {
        format!("| {unit}/op | op/s | err% | total | hash |\n|---:|---:|---:|---:|:---|\n{row}\n")
    };
    let tinybench = |row: &str| {
        let head = "│ (index) │ Task name │ Latency avg (ns) │\n├────┼────┼────┤";
        format!("┌────┬────┬────┐\n{head}\n{row}\n└────┴────┴────┘\n")
    };
    let both = |one: String, other: String| one + &other;
    check(
        &[
            (
                &both(
                    hyperfine("ms", "| `a` | 5.4 ± 0.2 | 5.1 |"),
                    hyperfine("s", "| `b` | 2.413 ± 0.1 | 2.3 |"),
                ),
                "hyperfine; a: 5400000; b: 2413000000",
            ),
            (
                &both(
                    nanobench("ms", "| 1.23 | 8.0 | 0.3% | 0.01 | `a`"),
                    nanobench("ns", "| 981.00 | 9.0 | 0.3% | 0.01 | `b`"),
                ),
                "nanobench; a: 1230000; b: 981",
            ),
            (
                &both(
                    tinybench("│ 0 │ 'a' │ '63768 ± 4.02%' │"),
                    tinybench("│ 0 │ 'b' │ '163768 ± 4.02%' │"),
                ),
                "tinybench; a: 63768; b: 163768",
            ),
        ],
        None,
    );
}

#[test]
fn no_line_with_a_figure_vanishes_silently() {
    check(
        &[
            ("#1-seal 300 ns\n# a comment\n## and 5 ns", "lines; #1-seal: 300"),
            ("a 5 ns\nb 64 980 ns\nc 5 0.1 us", "lines; a: 5; b 64: 980; c 5: 100"),
        ],
        Some(Format::Lines),
    );
    let unknown = "is not known: write ns, us, ms or s";
    let json = |unit: &str| {
        format!(
            "[{{\"name\":\"a\",\"value\":5,\"unit\":\"{unit}\"}},\
             {{\"name\":\"b\",\"value\":7,\"unit\":\"ms\"}}]"
        )
    };
    let other = |unit: &str| format!("lines; a: the unit \"{unit}\" {unknown}; b: 7000000");
    let not_a_time = |unit: &str| format!("lines; a: 5 {unit} is not a time per call; b: 7000000");
    check(
        &[
            (&json("Milliseconds"), &other("Milliseconds")),
            (&json("Seconds/op"), &other("Seconds/op")),
            (&json("ms per call"), &other("ms per call")),
            ("a 5 NS/op\nb 7 ms", &other("NS/op")),
            (&json("Megabytes"), &not_a_time("Megabytes")),
            (&json("cycles/op"), &not_a_time("cycles/op")),
        ],
        None,
    );
    let refused = |text: &str| said(text, Some(Format::Lines));
    assert!(refused("a 5 ns\nb 5 NS").contains("line 2: the unit \"NS\" is not known"));
    assert!(refused("a 5 ns\nb 5 nanos").contains("\"nanos\" is not known"));
    assert!(refused("hash 1 034 ns").contains("line 1 has a time and is not only"));
}

#[test]
fn a_rate_of_something_else_is_one_however_its_unit_is_written() {
    let rate = |unit: &str| {
        format!("lines; a: 5 {unit} is a rate of something other than calls; b: 7000000")
    };
    for unit in ["rps", "kQPS", "Mbps", "Requests/Sec", "req/min", "rows per second"] {
        let json = format!(
            "[{{\"name\":\"a\",\"value\":5,\"unit\":\"{unit}\"}},\
             {{\"name\":\"b\",\"value\":7,\"unit\":\"ms\"}}]"
        );
        check(&[(&json, &rate(unit))], None);
    }
    check(
        &[("a 5 rps\nb 7 ms", &rate("rps")), ("a 5 warps\nb 7 ms", "lines; b: 7000000")],
        Some(Format::Lines),
    );
}

#[test]
fn hashes_per_second_are_no_hours() {
    check(
        &[(
            "a 1500 h/s\nb 20 ns\nc 3 ms/frame",
            "lines; a: 1500 h/s is a rate of something other than calls; b: 20; c per=frame: 3000000",
        )],
        Some(Format::Lines),
    );
    assert!(said("a 1500 h/s\nb 300 h/s", None).starts_with("refused: it is in no known format"));
}

#[test]
fn megabytes_of_wolfcrypt_depend_on_its_version() {
    let of = |version: &str, unit: &str| {
        format!(
            "{version}\nwolfCrypt Benchmark (block bytes 1048576, min 1.0 sec each)\n\
             SHA-256   500 MB took 1.000 seconds,  500.000 {unit}"
        )
    };
    let unknown = |unit: &str| {
        format!(
            "wolfcrypt; SHA-256: {unit} depends on the version of wolfSSL, which is not known here: use a newer one"
        )
    };
    let (old, new) = (" wolfSSL version 5.2.0", " wolfSSL version 5.6.2");
    let (binary, decimal) =
        ("wolfcrypt; SHA-256 bytes=1048576: 2000000", "wolfcrypt; SHA-256 bytes=1048576: 2097152");
    check(
        &[
            (&of(old, "MB/s"), binary),
            (&of(old, "mB/s"), decimal),
            (&of(new, "MB/s"), decimal),
            (&of(new, "MiB/s"), binary),
            (&of("", "MiB/s"), binary),
            (&of("", "MB/s"), &unknown("MB/s")),
            (&of(" wolfSSL version 5.6.0", "MB/s"), &unknown("MB/s")),
        ],
        Some(Format::Wolfcrypt),
    );
}

#[test]
fn a_method_of_jmhs_group_has_its_own_threads() {
    let metric = |score: &str, unit: &str| {
        format!("{{\"score\":{score},\"scoreConfidence\":[],\"scoreUnit\":\"{unit}\"}}")
    };
    let json = |threads: u32, unit: &str| {
        format!(
            "[{{\"jmhVersion\":\"1.37\",\"benchmark\":\"x.g\",\"mode\":\"thrpt\",\"threads\":{threads},\
             \"primaryMetric\":{},\"secondaryMetrics\":{{\"writer\":{}}}}}]",
            metric("4000", unit),
            metric("1000", unit)
        )
    };
    let table = "Benchmark  Mode  Cnt  Score   Error  Units\ng         thrpt    5  4000.0 ± 1.0  ops/s\n\
                 g:reader  thrpt    5  3000.0 ± 1.0  ops/s\ng:writer  thrpt    5  1000.0 ± 1.0  ops/s\n";
    let threads =
        "# Threads: 4 threads (1 group; 3x \"reader\", 1x \"writer\" in each group), will\n";
    let unknown = "JMH does not say here on how many threads of its group it ran: use -bm avgt";
    check(
        &[
            (
                &json(4, "ops/s"),
                &format!("jmh; x.g threads=4: 1000000; x.g:writer threads=4: {unknown}"),
            ),
            // Each thread's time.
            (&json(4, "us/op"), "jmh; x.g threads=4: 4000000; x.g:writer threads=4: 1000000"),
            // A counter of events.
            (&json(1, "ops/s"), "jmh; x.g: 250000"),
            (
                &format!("{threads}{table}"),
                "jmh; g threads=4: 1000000; g:reader threads=3: 1000000; g:writer: 1000000",
            ),
            (
                &format!("{threads}{}{table}", threads.replace("3x", "2x")),
                &format!(
                    "jmh; g threads=4: 1000000; g:reader threads=4: {unknown}; g:writer: 1000000"
                ),
            ),
        ],
        None,
    );
}

#[test]
fn a_printed_single_shot_of_jmh_is_divided_by_its_batch() {
    let of = |batch: &str| format!("# Measurement: 5 iterations, single-shot each{batch}\n");
    let table =
        "Benchmark  Mode  Cnt    Score   Error  Units\na.b  ss  5  123.456 ± 3.210  us/op\n";
    let differ = "the benchmarks differ in the calls of a batch: use -rf json";
    check(
        &[
            (&(of(", 1000 calls per op") + table), "jmh; a.b: 123.456"),
            (&(of("") + table), "jmh; a.b: 123456"),
            (&(of("") + &of(", 10 calls per op") + table), &format!("jmh; a.b: {differ}")),
        ],
        None,
    );
}

#[test]
fn a_row_that_breaks_off_has_no_time() {
    let cut = "its row breaks off: the output was cut off";
    check(
        &[
            (
                "\"title\";\"name\";\"unit\";\"batch\";\"elapsed\";\"error %\"\n\
                 \"t\";\"a\";\"op\";1;1.23e-07;0.01\n\"t\";\"b\";\"op\";1;2.46e-0",
                "nanobench; a: 123; b: it has no time",
            ),
            (
                "command,mean,stddev,median,user,system,min,max\n\
                 a,0.123,0.001,0.122,0.1,0.0,0.1,0.2\nb,1.234,0.001,1.2",
                "hyperfine; a: 122000000; b: it has no time",
            ),
            (
                "| Command | Mean [s] | Min [s] |\n|:---|---:|---:|\n| `a` | 2.4 ± 0.1 | 2.3 |\n| `b` | 2",
                "hyperfine; a: 2400000000; b: it has no time",
            ),
            (
                ",old.txt,,new.txt,\n,sec/op,CI,sec/op,CI\na,3e-06,0%,3.1e-06,1%\nb,4.1e-0",
                &format!(
                    "benchstat; a file=old.txt: 3000; a file=new.txt: 3100; b file=old.txt: {cut}"
                ),
            ),
            (
                " wolfSSL version 5.7.2\nwolfCrypt Benchmark (block bytes 1024, min 1.0 sec each)\n\
                 Algorithm,MB/s,Cycles per byte,\nA,976.5625,1.2,\nB,97",
                &format!("wolfcrypt; A bytes=1024: 1000; B: {cut}"),
            ),
            (
                "type             16 bytes     64 bytes\na  16000.00k   64000.00k\nb  16000.00k   64000.0",
                "openssl-speed; a bytes=16: 1000; a bytes=64: 1000; b: its last rate has no k as \
                 the others have: the output was cut off",
            ),
            (
                "+H:16:64\n+F:6:a:16000000.00:128000000.00\n+F:6:b:16000000.00:12800000",
                "openssl-speed; a bytes=16: 1000; a bytes=64: 500; b: it has 1 rate for 2 sizes",
            ),
        ],
        None,
    );
    let catch2 = include_str!("cases/printed/catch2.xml");
    assert_eq!(
        said(&catch2[..catch2.len() / 2], None),
        "refused: it ends before </Catch2TestRun>; it was cut off"
    );
}

#[test]
fn a_benchmark_that_failed_is_a_row_without_a_time() {
    check(
        &[
            (
                "running 3 tests\ntest a ... bench: 100 ns/iter (+/- 3)\ntest b ... FAILED\n\
                 test t ... ignored\ntest c ... ",
                "libtest; a: 100; b: it failed; c: it did not end",
            ),
            (
                "BenchmarkA-8 \t 100\t 100 ns/op\nBenchmarkB-8 \tsignal: killed\nFAIL\tx/y\t1.2s\n\
                 FAIL\tx/z [build failed]\nFAIL",
                "go; BenchmarkA-8: 100; BenchmarkB-8: it did not end; x/z: it was not built",
            ),
            (
                "BenchmarkA-8 \t 100\t 100 ns/op\nBenchmarkB-8 \t",
                "go; BenchmarkA-8: 100; BenchmarkB-8: it did not end",
            ),
            (
                "BenchmarkA-8 \t 100\t 100 ns/op\nBenchmarkB-8 \tpanic: test timed out after 1s\n\n\
                 running tests:\n\tBenchmarkB (1s)\nFAIL",
                "go; BenchmarkA-8: 100; BenchmarkB-8: it panicked: test timed out after 1s",
            ),
            // With -v, a name comes first, and a group has one, too.
            (
                "BenchmarkG\nBenchmarkG/a\nBenchmarkG/a-8 \t 100\t 100 ns/op\nBenchmarkB\n\
                 exit status 2\nFAIL\tx/y\t1.2s",
                "go; BenchmarkG/a-8: 100; BenchmarkB: it did not end",
            ),
            (
                "BenchmarkG\nBenchmarkG/a-8 \t 100\t 100 ns/op\nBenchmarkH\nPASS",
                "go; BenchmarkG/a-8: 100",
            ),
            (
                "a    time:   [98.0 ns 99.0 ns 100.0 ns]\nBenchmarking b\n\
                 Benchmarking b: Warming up for 3.0000 s\n\nthread 'main' panicked at b.rs:9:5:\nboom",
                "criterion; a: 99; b: it did not end",
            ),
            // JMH continues, and its table lacks them.
            (
                "# Benchmark: org.x.A.b\n# Parameters: (n = 64, key = x)\n\n\
                 # Warmup Iteration   1: <failure>\n\njava.lang.Error: boom\n\n\
                 # Benchmark: org.x.A.c\n# Fork: 1 of 1\n<forked VM failed with exit code 1>\n\
                 <failure>\n# Benchmark: org.x.A.a\nIteration   1: 8.0 ns/op\n\n\
                 Benchmark  Mode  Cnt  Score   Error  Units\nA.a  avgt  3  8.0 ± 0.1  ns/op",
                "jmh; A.b n=64, key=x: it failed; A.c: it failed; A.a: 8",
            ),
            // A test is not a benchmark.
            ("running 1 test\ntest b ... FAILED", &said("nothing", None)),
        ],
        None,
    );
}

#[test]
fn a_mark_of_the_encoding_may_be_in_the_middle() {
    let json =
        |name: &str| format!("\u{feff}[{{\"name\":\"{name}\",\"value\":5,\"unit\":\"ns\"}}]\n");
    check(
        &[
            (&(json("a") + &json("b")), "lines; a: 5; b: 5"),
            (
                "\u{feff}BenchmarkA-8 9 100 ns/op\n\u{feff}BenchmarkB-8 9 200 ns/op",
                "go; BenchmarkA-8: 100; BenchmarkB-8: 200",
            ),
        ],
        None,
    );
}

#[test]
fn benchstat_has_seconds_by_the_thousand_names_with_spaces_and_three_files() {
    check(
        &[
            (
                "          │  old.txt  │\n          │  sec/op   │\nBig 64-8   1.5k ± 3%\nMin 1-8   90.50 ± 3%\nOdd   1.5x ± 3%",
                "benchstat; Big 64-8 file=old.txt: 1500000000000; Min 1-8 file=old.txt: 90500000000; \
                 Odd file=old.txt: its figure cannot be read",
            ),
            (
                "name \\ time/op  a.txt       b.txt       c.txt\n\
                 Encode/64-8     341ns ± 3%  252ns ± 2%  200ns ± 1%",
                "benchstat; Encode/64-8 file=a.txt: 341; Encode/64-8 file=b.txt: 252; \
                 Encode/64-8 file=c.txt: 200",
            ),
        ],
        None,
    );
}

#[test]
fn a_long_line_takes_no_time() {
    let row = "{\"name\":\"a\",\"value\":5,\"unit\":\"ns/iter\"}";
    let rows = vec![row; 20_000].join(",");
    let odd = ["a 1 x/iter ", "a 1 x/sec ", "a (1 x … ", "… "];
    let odd = odd.map(|part| format!("b 50 ns/iter\n{}", part.repeat(100_000)));
    let began = Instant::now();
    let found = parse(format!("[{rows}]").as_bytes(), None).unwrap();
    assert_eq!(found.results.len(), 20_000);
    for text in odd {
        for format in [Format::Mitata, Format::MicroBmark, Format::Deno] {
            let text = format!("benchmark   time/iter (avg)\n{text}");
            let _ = parse(text.as_bytes(), Some(format));
        }
    }
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}

#[test]
fn results_of_two_machines_are_apart() {
    let go = |cpu: &str, ns: u32| {
        format!(
            "goos: linux\ngoarch: amd64\ncpu: {cpu}\nBenchmarkA-8   \t 100\t {ns} ns/op\nPASS\n"
        )
    };
    let deno = |cpu: &str| {
        format!(
            "{{\"benches\":[{{\"name\":\"a\",\"origin\":\"f\",\"results\":[{{\"ok\":{{\"n\":5,\"avg\":100.0}}}}]}}],\
             \"runtime\":\"Deno/2\",\"cpu\":\"{cpu}\"}}\n"
        )
    };
    let pytest = |cpu: &str| {
        format!(
            "{{\"machine_info\":{{\"python_version\":\"3.12\",\"cpu\":{{\"brand_raw\":\"{cpu}\"}}}},\
             \"benchmarks\":[{{\"name\":\"a\",\"fullname\":\"t.py::a\",\"stats\":{{\"median\":1e-6}}}}]}}\n"
        )
    };
    let mitata = |cpu: &str| format!("cpu: {cpu}\nruntime: node 24\na  509.42 ns/iter 5 ns\n");
    let dotnet = "{\"HostEnvironmentInfo\":{\"ProcessorName\":\"A\",\"RuntimeVersion\":\".NET 8.0.1\"},\
                  \"Benchmarks\":[{\"DisplayInfo\":\"B.Sha: Job(Runtime=.NET 9.0) [N=64]\",\"FullName\":\"a\",\
                  \"Statistics\":{\"Median\":5}},{\"DisplayInfo\":\"B.Sha: DefaultJob [N=64]\",\
                  \"FullName\":\"a\",\"Statistics\":{\"Median\":6}}]}";
    let folder = std::env::temp_dir().join(format!("cupel-machines-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("file");
    for (text, expected) in [
        (go("X", 100) + &go("Y", 50), ["linux, amd64, X", "linux, amd64, Y"]),
        (deno("X") + &deno("Y"), ["Deno/2, X", "Deno/2, Y"]),
        (pytest("X") + &pytest("Y"), ["Python 3.12, X", "Python 3.12, Y"]),
        (mitata("X") + &mitata("Y"), ["X, node 24", "Y, node 24"]),
        (
            jmh_text(17, &[("A.a", 1)], "A.a  avgt  3  8.0 ± 0.1  ns/op")
                + &jmh_text(21, &[("A.a", 1)], "A.a  avgt  3  7.0 ± 0.1  ns/op"),
            ["JDK 17, OpenJDK", "JDK 21, OpenJDK"],
        ),
        (dotnet.to_string(), ["A, .NET 9.0", "A, .NET 8.0.1"]),
    ] {
        std::fs::write(&file, &text).unwrap();
        let found = read(&file);
        let machines: Vec<&str> =
            found.files.iter().map(|file| file.document.machine.as_str()).collect();
        assert_eq!(machines, expected, "{text}");
        assert!(found.files.iter().all(|file| file.document.results.len() == 1), "{text}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
    // They are not repetitions, in a gate either.
    check(
        &[
            (
                &(go("X", 100) + &go("Y", 50)),
                "go; BenchmarkA-8 machine=linux, amd64, X: 100; BenchmarkA-8 machine=linux, amd64, Y: 50",
            ),
            (&(go("X", 100) + &go("X", 50)), "go; BenchmarkA-8: 75"),
            (
                &(go("X", 100) + "cpu: 85 %\nBenchmarkB-8 9 5 ns/op"),
                "go; BenchmarkA-8: 100; BenchmarkB-8: 5",
            ),
        ],
        None,
    );
}

#[test]
fn rows_of_one_name_have_their_class_or_group() {
    let test = |class: &str| {
        format!(
            "{{\"name\":\"s\",\"fullname\":\"t.py::{class}::s\",\"stats\":{{\"median\":1e-6}}}}"
        )
    };
    let run = |group: u32| {
        format!(
            "{{\"alias\":\"s\",\"group\":{group},\"runs\":[{{\"name\":\"s\",\"stats\":{{\"p50\":5}}}}]}}"
        )
    };
    check(
        &[
            (
                &format!("{{\"machine_info\":{{}},\"benchmarks\":[{},{}]}}", test("A"), test("B")),
                "pytest-benchmark; s file=t.py::A: 1000; s file=t.py::B: 1000",
            ),
            (
                &format!(
                    "{{\"layout\":[{{\"name\":\"64 B\"}},{{\"name\":\"1 KiB\"}}],\"benchmarks\":[{},{}]}}",
                    run(0),
                    run(1)
                ),
                "mitata; s group=64 B: 5; s group=1 KiB: 5",
            ),
            (
                "• 64 B\nsha  509.42 ns/iter 5 ns\n• 1 KiB\nsha  1.42 µs/iter 5 ns",
                "mitata; sha group=64 B: 509.42; sha group=1 KiB: 1420",
            ),
            (
                "a x 1,968,503 ops/sec @ 508ns/op\nscrypt 94ms\nDone in 12s",
                "micro-bmark; a: 508; scrypt: 94000000",
            ),
        ],
        None,
    );
}

/// One result of JMH, with more members than its name and its score.
fn jmh(more: &str, score: u32) -> String {
    format!(
        "[{{\"benchmark\":\"a\",\"mode\":\"avgt\",\"jdkVersion\":\"21\",{more}\"primaryMetric\":\
         {{\"score\":{score},\"scoreUnit\":\"ns/op\"}}}}]\n"
    )
}

/// What JMH prints: the descriptions of its benchmarks, each with its threads, and its table.
fn jmh_text(jdk: u32, of: &[(&str, u32)], table: &str) -> String {
    let about = |(name, threads): &(&str, u32)| {
        format!(
            "# JMH version: 1.37\n# VM version: JDK {jdk}, OpenJDK\n# Warmup: 1 iterations, 1 s each\n\
             # Measurement: 3 iterations, 1 s each\n# Threads: {threads} threads, will synchronize\n\
             # Benchmark mode: Throughput, ops/time\n# Benchmark: org.x.{name}\n\n\
             # Run progress: 0.00% complete\n# Warmup Iteration   1: 5.0 ops/us\n\n"
        )
    };
    let about: String = of.iter().map(about).collect();
    format!("{about}Benchmark  Mode  Cnt  Score   Error  Units\n{table}\n")
}

#[test]
fn results_of_several_jdks_modes_and_threads_are_told_apart() {
    let [one, other] = [jmh("", 100), jmh("\"threads\":4,", 900)];
    let jdk = jmh("", 50).replace("\"21\"", "\"17\"");
    let b = |text: &str| text.replace("\"a\"", "\"b\"");
    let vm = |version: &str, ns| jmh(&format!("\"vmVersion\":\"21+{version}\","), ns);
    let args = |name: &str, ns| jmh(&format!("\"jvmArgs\":[\"-XX:+Use{name}\"],"), ns);
    let table = |units: &str| format!("A.a  thrpt  3  8.0 ± 0.1  {units}");
    let [alone, four] = [("A.a", 1), ("A.a", 4)].map(|of| jmh_text(21, &[of], &table("ops/us")));
    let old = jmh_text(17, &[("A.a", 1)], &table("ops/ms"));
    let both = "A.a  thrpt  3  8.0 ± 0.1  ops/us\nA.b  thrpt  3  8.0 ± 0.1  ops/us";
    let without_names = alone.replace("# Benchmark: ", "# ") + "x\n" + &four;
    check(
        &[
            (&(one.clone() + &other), "jmh; a: 100; a threads=4: 900"),
            (&(one.clone() + &jdk), "jmh; a machine=21: 100; a machine=17: 50"),
            // If each build lacks another row, they must not have one name.
            (&(one.clone() + &b(&jdk)), "jmh; a machine=21: 100; b machine=17: 50"),
            (
                &(one.clone() + &jmh("", 7).replace("avgt", "ss") + &jdk),
                "jmh; a machine=21, mode=avgt: 100; a machine=21, mode=ss: 7; a machine=17: 50",
            ),
            (&(vm("5", 100) + &vm("9", 50)), "jmh; a vmVersion=21+5: 100; a vmVersion=21+9: 50"),
            (
                &(args("SerialGC", 100) + &args("G1GC", 50)),
                "jmh; a jvmArgs=[\"-XX:+UseSerialGC\"]: 100; a jvmArgs=[\"-XX:+UseG1GC\"]: 50",
            ),
            (&(alone.clone() + &four), "jmh; A.a: 125; A.a threads=4: 500"),
            (&(four.clone() + &alone), "jmh; A.a threads=4: 500; A.a: 125"),
            (
                &(alone.clone() + &old),
                "jmh; A.a machine=JDK 21, OpenJDK: 125; A.a machine=JDK 17, OpenJDK: 125000",
            ),
            // Each benchmark has its own threads.
            (&jmh_text(21, &[("A.a", 1), ("A.b", 4)], both), "jmh; A.a: 125; A.b threads=4: 500"),
            (
                &jmh_text(21, &[("z.A.a", 1), ("y.A.a", 4)], &table("ns/op")),
                "jmh; A.a threads=4: the benchmarks differ in their threads: use -rf json",
            ),
            (&without_names, "jmh; A.a: 125; A.a threads=4: 500"),
        ],
        None,
    );
}

#[test]
fn a_run_of_openssl_has_its_own_processes_version_and_clock() {
    let single = "version: 3.0.19\ntype  64 bytes\nsha256  64000.00k\n";
    let multi = "Forked child 0\nForked child 1\nGot: +H:64 from 0\nGot: +F:6:sha256:64000000.00 from 1\n\
                 version: 3.0.19\ntype  64 bytes\nsha256  64000.00k\n";
    let other = single.replace("3.0.19", "3.5.0");
    let doing = "Doing sha512 ops for 1s on 64 size blocks: 1000000 sha512 ops in 1.00s\n";
    let said = |text: &str| said(text, None);
    for (text, expected) in [
        ([single, multi], "sha256 bytes=64: 1000; sha256 bytes=64, threads=2: 2000"),
        ([multi, single], "sha256 bytes=64, threads=2: 2000; sha256 bytes=64: 1000"),
        (
            [single, &other],
            "sha256 bytes=64, version=3.0.19: 1000; sha256 bytes=64, version=3.5.0: 1000",
        ),
        // The second one was cut off before its table.
        ([single, doing], "sha256 bytes=64: 1000; sha512 bytes=64: 1000"),
    ] {
        assert_eq!(said(&text.concat()), format!("openssl-speed; {expected}"));
    }
    let clock = "You have chosen to measure elapsed time instead of user CPU time.\n";
    let rows = parse([clock, single, single].concat().as_bytes(), None).unwrap();
    let statistics: Vec<&str> = rows.results.iter().map(|row| row.statistic.as_str()).collect();
    assert_eq!(statistics, ["mean", "mean of processor time"]);
    let versions = parse([single, &other].concat().as_bytes(), None).unwrap();
    assert_eq!(versions.version, "3.0.19, 3.5.0");
}

#[test]
fn rows_of_one_name_have_their_program_package_title_or_machine() {
    let google = |executable: &str, mhz: u32| {
        format!(
            "{{\"context\":{{\"num_cpus\":2,\"host_name\":\"h\",\"mhz_per_cpu\":{mhz},\
             \"executable\":\"/tmp/x/{executable}\"}},\"benchmarks\":[{{\"name\":\"a\",\"real_time\":5}}]}}\n"
        )
    };
    let other_host = google("aes", 3000).replace("\"h\"", "\"i\"");
    let catch2 = |program: &str| {
        format!(
            "<Catch2TestRun name=\"{program}\"><TestCase name=\"t\"><BenchmarkResults name=\"b\">\
             <mean value=\"5\"/></BenchmarkResults></TestCase></Catch2TestRun>\n"
        )
    };
    let nanobench = |title: &str| {
        format!("| ns/op | err% | {title} |\n|---:|---:|:---|\n| 5.00 | 0.1% | `a`\n\n")
    };
    let dotnet = |job: &str, runtime: &str| {
        let head = "| Method | Job | Runtime | Mean |\n|---|---|---|---:|";
        format!("{head}\n| a | {job} | {runtime} | 5.0 ns |\n\n")
    };
    let display = |job: &str, runtime: &str| {
        format!(
            "{{\"Benchmarks\":[{{\"DisplayInfo\":\"B.a: {job}(Toolchain={runtime}) [N=64]\",\"FullName\":\"a\",\
             \"Statistics\":{{\"Median\":5}}}}]}}\n"
        )
    };
    let pyperf = |name: &str| {
        format!(
            "{{\"version\":\"1.0\",\"metadata\":{{\"python_version\":\"3.11\",\"python_implementation\":\
             \"{name}\",\"name\":\"a\"}},\"benchmarks\":[{{\"runs\":[{{\"values\":[5e-9]}}]}}]}}\n"
        )
    };
    let pytest = |name: &str| {
        format!(
            "{{\"machine_info\":{{\"python_version\":\"3.11\",\"python_implementation\":\"{name}\"}},\
             \"benchmarks\":[{{\"name\":\"a\",\"stats\":{{\"median\":5e-9}}}}]}}\n"
        )
    };
    let pkg = |name: &str| format!("pkg: {name}\n  │ o │\n  │ sec/op │\nA-8   5.0n ± 1%\n\n");
    let csv = "pkg: x\n,o,\n,sec/op,CI\n\"A/n=1,000-8\",5e-09,1%\nB,x,1%\n";
    let hyperfine = |size: u32| {
        format!(
            "{{\"results\":[{{\"command\":\"a\",\"median\":1,\"parameters\":{{\"n\":{size}}}}}]}}\n"
        )
    };
    check(
        &[
            (
                &(google("aes", 3000) + &google("sha", 3001)),
                "google-benchmark; a executable=aes: 5; a executable=sha: 5",
            ),
            // The clock of a moment is not a name.
            (
                &(google("aes", 3000) + &google("aes", 3001)),
                "google-benchmark; a row=1 of 2: 5; a row=2 of 2: 5",
            ),
            (
                &(google("aes", 3000) + &other_host),
                "google-benchmark; a machine=h, 2 CPUs: 5; a machine=i, 2 CPUs: 5",
            ),
            (&(catch2("x") + &catch2("y")), "catch2; t > b program=x: 5; t > b program=y: 5"),
            (
                &(catch2("x") + &catch2("y").replace("</Catch2TestRun>", "")),
                "refused: it ends before </Catch2TestRun>; it was cut off",
            ),
            (&(nanobench("x") + &nanobench("y")), "nanobench; a title=x: 5; a title=y: 5"),
            (
                &(dotnet("Job-ABCDEF", ".NET 8.0") + &dotnet("Job-UVWXYZ", ".NET 9.0")),
                "benchmarkdotnet; a Runtime=.NET 8.0: 5; a Runtime=.NET 9.0: 5",
            ),
            (
                &(display("Job-ABCDEF", "x") + &display("Job-UVWXYZ", "y")),
                "benchmarkdotnet; a job=Toolchain=x: 5; a job=Toolchain=y: 5",
            ),
            (
                &(pyperf("cpython") + &pyperf("pypy")),
                "pyperf; a machine=Python 3.11: 5; a machine=pypy 3.11: 5",
            ),
            (
                &(pytest("CPython") + &pytest("PyPy")),
                "pytest-benchmark; a machine=Python 3.11: 5; a machine=PyPy 3.11: 5",
            ),
            (&(pkg("x") + &pkg("y")), "benchstat; A-8 file=o, pkg=x: 5; A-8 file=o, pkg=y: 5"),
            (csv, "benchstat; A/n=1,000-8 file=o: 5; B file=o: its figure cannot be read"),
            (&(hyperfine(1) + &hyperfine(2)), "hyperfine; a n=1: 1000000000; a n=2: 1000000000"),
            (
                "[{\"description\":\"a\",\"numCalls\":1,\"microseconds\":5,\"primeSizePerCall\":512}]",
                "bssl; a bits=512: 5000",
            ),
            // Repetitions follow one another. These are the benchmarks of two packages, or of two runs.
            (
                "BenchmarkA-2 9 100 ns/op\nBenchmarkB-2 9 5 ns/op\nBenchmarkA-2 9 900 ns/op",
                "go; BenchmarkA-2 row=1 of 2: 100; BenchmarkB-2: 5; BenchmarkA-2 row=2 of 2: 900",
            ),
        ],
        None,
    );
}

#[test]
fn an_output_that_breaks_off_gives_no_other_name_or_figure() {
    let cut = "its row breaks off: the output was cut off";
    let google = "BM_a/64   131 ns   131 ns   3611\nBM_b";
    let csv = "\"Benchmark\",\"Mode\",\"Threads\",\"Samples\",\"Score\",\"Unit\",\"Param: n\"\n\
               \"a\",\"avgt\",1,15,702.9,\"ns/op\",1024\r\n\"a\",\"avgt\",1,15,802.9,\"ns/op\",20";
    let hyperfine = "command,mean,stddev,median,parameter_n\na,0.1,0.1,0.1,1024\na,0.2,0.1,0.2,20";
    let divan = "t  fastest  │ slowest │ median │ mean │ samples │ iters\n\
                 ├─ a  1 ns  │ 1 ns    │ 1.5 ns │ 1 ns │ 9       │ 9\n╰─ b  1 ms  │ 1 ms    │ 1.25 m";
    let public = "                  sign    verify    sign/s verify/s\n\
                  rsa 2048 bits 0.000500s 0.000016s   2000.0";
    let pytest = "Name (time in us)   Min   Max   Mean   StdDev   Median   IQR   Outliers   OPS   Rounds   Iterations\n\
                  test[a b]   1.0 (1.0)   2.0 (1.0)   1.5 (1.0)   0.1 (1.0)   1.4 (1.0)   0.1 (1.0)   3;4   9.0 (1.0)   9";
    let jmh = "Benchmark  Mode  Cnt  Score   Error  Units\nA.a  avgt  5  10.0 ± 0.1  ns/op\n";
    check(
        &[
            (csv, &format!("jmh; a n=1024: 702.9; a: {cut}")),
            (&format!("{csv}\n"), "jmh; a n=1024: 702.9; a n=20: 802.9"),
            (hyperfine, &format!("hyperfine; a n=1024: 100000000; a: {cut}")),
            (divan, &format!("divan; t/a: 1.5; t/b: {cut}")),
            (
                "| ns/op | err% | t |\n|---:|---:|:---|\n| 5.00 | 0.1% | `seal`\n| 6.00 | 0.1% | `op",
                &format!("nanobench; seal: 5; : {cut}"),
            ),
            (
                &format!("type  64 bytes\nsha256  64000.00k\n{public}"),
                &format!("openssl-speed; sha256 bytes=64: 1000; rsa 2048 bits: {cut}"),
            ),
            (
                &format!("type  64 bytes\nsha256  64000.00k\n{public} 639"),
                &format!("openssl-speed; sha256 bytes=64: 1000; rsa 2048 bits: {cut}"),
            ),
            ("+F2:2:2048:2000.000000:600", &format!("openssl-speed; rsa 2048: {cut}")),
            ("+F2:2:2048:2000.000000:60.", &format!("openssl-speed; rsa 2048: {cut}")),
            (
                "+F2:2:2048:2000.000000:60000.000000:55000.000000",
                &format!("openssl-speed; rsa 2048: {cut}"),
            ),
            (
                "Doing a ops for 3s on 16 size blocks: 1000 a ops in 3.00s\n\
                 Doing b ops for 3s on 16 size blocks: 1000 b ops in 2.9",
                "openssl-speed; a bytes=16: 3000000",
            ),
            (
                "          │  o  │  n  │\n          │  sec/op   │  sec/op   │\nA-8   5.0n ± 3%   6.0n ± ",
                &format!("benchstat; A-8 file=o: 5; A-8 file=n: {cut}"),
            ),
            (
                "BenchmarkA-8 \t 100\t 100 ns/op\nBenchmarkSea",
                "go; BenchmarkA-8: 100; BenchmarkSea: it did not end",
            ),
            (
                " wolfSSL version 5.7.2\nwolfCrypt Benchmark (block bytes 1024, min 1.0 sec each)\n\
                 A  500 MiB took 1.000 seconds,  976.5625 MiB/s\nB  500 MiB took 1.000 seconds,  500.000 Mi",
                &format!("wolfcrypt; A bytes=1024: 1000; B: {cut}"),
            ),
            (
                "{\"type\":\"suite\",\"event\":\"started\",\"test_count\":3}\n\
                 {\"type\":\"test\",\"event\":\"started\",\"name\":\"a\"}\n\
                 {\"type\":\"bench\",\"name\":\"a\",\"median\":5,\"deviation\":1}\n\
                 {\"type\":\"test\",\"event\":\"started\",\"name\":\"t\"}\n\
                 {\"type\":\"test\",\"name\":\"t\",\"event\":\"ok\"}\n\
                 {\"type\":\"test\",\"event\":\"started\",\"name\":\"b\"}\n",
                "libtest; a: 5; b: it did not end",
            ),
            (
                "a x 1 ops/sec @ 850ms/op\nb x 1 ops/sec @ 85",
                "micro-bmark; a: 850000000; b: its time cannot be read: is its row cut off?",
            ),
            ("a 5 ns/byte\nb 7 ns/by", &format!("lines; a per=byte: 5; b: {cut}")),
            ("a 5 ns/byte\nb 7 ns/by\n", "lines; a per=byte: 5; b per=by: 7"),
            ("a 5 ns\nb 7 ns/o", &format!("lines; a: 5; b: {cut}")),
            ("a 5 ns\nb 7 ms/frame", "lines; a: 5; b per=frame: 7000000"),
            (
                "type  64 bytes\na  64000.00k\nb  64000.0",
                &format!("openssl-speed; a bytes=64: 1000; b: {cut}"),
            ),
            (
                "| ns/op | err% | t\n|---:|---:|:---\n| 5.00 | 0.1% | `seal`\n| 6.00 | 0.1% | :wavy",
                &format!("nanobench; seal: 5; : {cut}"),
            ),
            (
                "| ns/op | err% | t\n|---:|---:|:---\n| 5.00 | 0.1% | :wavy_dash: `seal` (Unst",
                "nanobench; seal: 5",
            ),
            ("a 5 ns/byte\nb 7 ns/op", "lines; a per=byte: 5; b: 7"),
            (pytest, &format!("pytest-benchmark; test[a: {cut}")),
            (&format!("{pytest}   7"), "pytest-benchmark; test[a b]: 1400"),
        ],
        None,
    );
    for (text, last) in [
        (google, "BM_b"),
        (&format!("{jmh}A.open  avgt  5  123."), "A.open avgt 5 123."),
        (&format!("{jmh}A.open  avgt  5  123"), "A.open avgt 5 123"),
        (&format!("{jmh}A.op"), "A.op"),
    ] {
        let expected = format!(
            "1 entry with a time was not read, the first: {last}, where the output breaks off"
        );
        assert_eq!(unread(text), expected);
        // With the end of its line, it is other output.
        assert_eq!(unread(&format!("{text}\n")), "");
    }
    let tree = "h\n├─a x 2,000 ops/sec @ 500μs/op\n├─b x 2,000 ops/sec @ 500μs/op │";
    let rows = parse(&tree.as_bytes()[..tree.len() - 1], None).unwrap().results;
    assert_eq!(rows[1].name, "h/b", "a character that breaks off");
    let by_pattern = Some("lines:{name} took {time}".parse().unwrap());
    assert!(
        unread_in("a took 5 ns\nb took 7", by_pattern)
            .ends_with("b took 7, where the output breaks off")
    );
    assert_eq!(unread_in("a took 5 ns\nb is 7 ns\n", by_pattern), "");
    for end in ["PASS", "Done.", "ok  x/y  1.2s", "{}", "-----", "12 passed in 3 s"] {
        assert_eq!(unread(&format!("BenchmarkA-8 \t 9\t 100 ns/op\nPASS\n{end}")), "", "{end}");
    }
}

#[test]
fn a_figure_may_have_an_exponent_underscores_or_several_units() {
    check(
        &[
            (
                "a 1_234 ns\nb 1.5e+03 ns\nc 2 minutes\nd 0.5 secs",
                "lines; a: 1234; b: 1500; c: 120000000000; d: 500000000",
            ),
            (
                "a x 2 ops/sec @ 400ms/op\nb x 968.503 ops/sec @ 1μs/op",
                "micro-bmark; a: 400000000; b: its rate, 968.503, and its time, 1, do not agree",
            ),
            ("a x 0 ops/sec @ 1829ms/op", "micro-bmark; a: 1829000000"),
        ],
        None,
    );
    let go = |more: &str| unread(&format!("BenchmarkA-8  9  100 ns/op\n{more}\nPASS\n"));
    for line in ["seal 1.5e+03 ns", "seal 1_234 ns", "seal 1m30.5s", "seal 1h2m3s", "seal nan ns"] {
        assert_eq!(go(line), format!("1 entry with a time was not read, the first: {line}"));
    }
    // A bound is not a time.
    for sign in ["<", "~", ">=", "≈"] {
        let line = format!("seal {sign} 5 ns");
        assert_eq!(said(&format!("a 1 ns\n{line}"), Some(Format::Lines)), not_only(2, &line));
        let by_pattern = Some("lines:{name} {time}".parse().unwrap());
        let text = format!("a 1 ns\n{line}");
        assert!(said(&text, by_pattern).ends_with("its name may hold a figure, too"), "{text}");
    }
}

#[test]
fn a_log_of_github_has_the_job_and_the_step_before_each_line() {
    let log = |line: &str| format!("bench\tRun it\t2026-10-02T09:11:40.1234567Z {line}\n");
    let text = log("BenchmarkA-8  9  100 ns/op") + &log("BenchmarkB-8  9  50 ns/op");
    check(&[(&text, "go; BenchmarkA-8: 100; BenchmarkB-8: 50")], None);
}

#[test]
fn json_and_text_in_one_output_leave_each_other_alone() {
    let event =
        "{\"Action\":\"output\",\"Package\":\"b\",\"Output\":\"BenchmarkB-8  10 50 ns/op\\n\"}\n";
    let go = "BenchmarkA-8  9  100 ns/op\n";
    let json = "[\n{\"command\": \"x\", \"mean\": 1, \"exit_codes\": [0, 0, 0]},\n{\"a\": 1}]\n";
    let csv = "command,mean,stddev,median,user,system,min,max\n";
    let row = "b,0.1,0.1,0.1,0.1,0.1,0.1,0.1\n";
    check(
        &[
            (&(go.to_string() + event), "go; BenchmarkA-8: 100; BenchmarkB-8: 50"),
            (&(csv.to_string() + row + json), "hyperfine; b: 100000000"),
            (&(csv.to_string() + row + "Range: a, b, c\ndone\n"), "hyperfine; b: 100000000"),
            // Decimal commas, which are also between the cells.
            (
                &(csv.to_string() + "a,0,123,0,001,0,122,0,1,0,0,0,1,0,2\n" + row),
                "hyperfine; a: it has no time; b: 100000000",
            ),
            ("hash 5 ns\n[{\"name\":\"a\",\"value\":7,\"unit\":\"ns\"}]\n", "lines; a: 7; hash: 5"),
        ],
        None,
    );
    let cut = "[{\"name\": \"a\",\n\"extra\": \"b: 5 ns";
    check(&[(cut, "refused: it ends in the middle (line 2); it was cut off")], Some(Format::Lines));
    let by_pattern = Some("lines:{\"{name}\": \"{time}\"}".parse().unwrap());
    check(&[("{\"a\": \"5 ns\"}\n", "lines; {\"a\": 5")], by_pattern);
}
