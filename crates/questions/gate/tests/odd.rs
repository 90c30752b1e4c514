//! Outputs that were once misread: two formats, rows of one name, lines without a result, numbers
//! of other languages, broken JSON, and control sequences of a terminal. Each gives its figures, or
//! a refusal that says where and what to do.

use cupel_gate::readers::{Format, parse, read};
use std::fmt::Write;

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
        ("{name} {time}", "lines; Timer precision: 19; elapsed: 1230000000"),
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
                "jmh; a row=1 of 2: 100; a row=2 of 2: JMH gives no score",
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
