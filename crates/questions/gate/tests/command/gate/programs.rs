//! Programs that were once misread, or that ended a gate in a wrong way: in each form, equal,
//! slower, without a benchmark, failing, hanging. No answer is false, no gate hangs, and faults are
//! in the first lines. All figures are made up.

use super::audited::contradictions;
use crate::support::{Home, Said};
use std::fmt::Write;

/// The functions with which the programs are written. Figures have one percent of noise.
const WORDS: &str = r#"
n=$(cat "$COUNT" 2>/dev/null || echo 0)
echo $(( n + 1 )) >"$COUNT"
seed=$(( (n * 2654435761 + 12345) % 2147483648 ))
next() {
    seed=$(( (seed * 1103515245 + 12345) % 2147483648 ))
}
next
# near NAME NS: a line with a time
near() {
    next
    echo "$1 $(( $2 * (99000 + seed / 65536 % 2000) / 100 )) ps"
}
# one_in_1000 N: in N of 1000 executions
one_in_1000() {
    next
    [ $(( seed / 65536 % 1000 )) -lt "$1" ]
}
both() {
    near hash 100
    near seal 5000
}
hyperfine_json() {
    echo '{"results":[{"command":"hash","mean":0.3,"median":0.1,"times":[0.1,0.5]}]}'
}
hyperfine_text() {
    echo 'Benchmark 1: hash'
    echo '  Time (mean ± σ):  100.0 ms ±  1.0 ms    [User: 0.9 ms, System: 0.8 ms]'
}
# google NAME NS MORE...: as Google Benchmark prints it
google() {
    echo '{"context": {"num_cpus": 1}, "benchmarks": ['
    next
    echo "{\"name\": \"hash\", \"real_time\": $(( 100000 + seed / 65536 % 2000 ))},"
    echo "$1 ]}"
}
go() {
    next
    echo "Benchmark$1-2  9  $(( $2 * (99000 + seed / 65536 % 2000) / 100 )).0 ns/op"
}
"#;

/// Two programs, and what is to be said of them.
struct Case {
    name: &'static str,
    base: &'static str,
    new: &'static str,
    options: &'static str,
    /// How the gate may end. 2 is allowed where a small budget may leave something open.
    status: &'static [i32],
    /// What must be in the first lines: the answer and the notes above the table.
    says: &'static [&'static str],
    /// What must not be there.
    never: &'static [&'static str],
}

const EQUAL: Case = Case {
    name: "equal",
    base: "both",
    new: "both",
    options: "",
    status: &[0],
    says: &["not slower: none of 2 benchmarks"],
    never: &["NOT COMPARED", "LOST", "LEVELS", "FAILED", "incomplete", "COARSE", "NOT READ"],
};

/// The new build lacks a benchmark, or cannot have its time.
const fn lacks(name: &'static str, base: &'static str, new: &'static str) -> Case {
    let says = &["incomplete: not compared in every execution: ", "NOT COMPARED "];
    Case { name, base, new, status: &[2], says, never: &["slower: 1"], ..EQUAL }
}

/// The gate is refused.
const fn refused(name: &'static str, new: &'static str, says: &'static [&'static str]) -> Case {
    Case { name, new, status: &[3], says, never: &["not slower"], ..EQUAL }
}

const CASES: &[Case] = &[
    EQUAL,
    Case {
        name: "slower",
        new: "near hash 105; near seal 5000",
        status: &[1],
        says: &["slower: 1 of 2 benchmarks: hash +"],
        ..EQUAL
    },
    Case {
        name: "much slower",
        new: "near hash 100; near seal 15000",
        status: &[1],
        says: &["slower: 1 of 2 benchmarks: seal +"],
        ..EQUAL
    },
    Case {
        name: "faster",
        new: "near hash 90; near seal 5000",
        says: &["1 faster: hash -"],
        ..EQUAL
    },
    Case {
        name: "a slower one in another form",
        base: "go Hash 100; echo seal/64: 100 ns each; echo Finished in 3.2 s",
        new: "go Hash 100; echo seal/64: 200 ns each; echo Finished in 3.2 s",
        status: &[2],
        says: &[
            "incomplete: some times were not read; not slower: none of 1 benchmark",
            "NOT READ the new build: 1 entry with a time",
        ],
        never: &["LOST", "FAILED"],
        ..EQUAL
    },
    Case {
        name: "another form, which may differ",
        base: "go Hash 100; echo seal/64: 100 ns each",
        new: "go Hash 100; echo seal/64: 100 ns each",
        options: "--may-differ",
        says: &["not slower: none of 1 benchmark", "NOT READ the new build: 1 entry with a time"],
        never: &["incomplete", "LOST", "FAILED"],
        ..EQUAL
    },
    Case {
        name: "another form, beside a slower one",
        base: "go Hash 100; echo seal/64: 100 ns each",
        new: "go Hash 110; echo seal/64: 100 ns each",
        status: &[1],
        says: &["slower: 1 of 1 benchmark: BenchmarkHash-2 +", "; some times were not read"],
        never: &["incomplete", "LOST", "FAILED"],
        ..EQUAL
    },
    Case { name: "loud", base: "head -c 300000 /dev/zero | tr '\\0' x >&2; both", ..EQUAL },
    // What vanishes.
    lacks("gone", "both", "near hash 100"),
    lacks("new", "near hash 100", "both"),
    lacks("renamed", "both", "near hash 100; near sealed 7000"),
    lacks(
        "skipped in Go",
        "go Hash 100; go Seal 5000",
        "go Hash 100; echo '--- SKIP: BenchmarkSeal'",
    ),
    lacks(
        "one of three of one name",
        "near hash 100; near x 100; near x 200; near x 400",
        "near hash 100; near x 200; near x 400",
    ),
    lacks("zero", "both", "near hash 100; echo seal 0 ns"),
    lacks("negative", "both", "near hash 100; echo seal -5 ns"),
    lacks("not a number", "both", "near hash 100; echo seal nan ns"),
    lacks("infinite", "both", "near hash 100; echo seal inf ns"),
    lacks(
        "an error of Google Benchmark",
        "google '{\"name\": \"seal\", \"real_time\": 5000}'",
        "google '{\"name\": \"seal\", \"real_time\": 5000, \"error_occurred\": true}'",
    ),
    Case {
        says: &["no build gives a time"],
        ..lacks("zero in both", "near hash 100; echo seal 0 ns", "near hash 100; echo seal 0 ns")
    },
    Case {
        says: &["LOST seal: "],
        ..lacks("at times", "near hash 100; one_in_1000 250 || near seal 5000", "both")
    }
    .open(),
    Case {
        says: &["not compared in every execution: "],
        ..lacks(
            "another name each time",
            "near hash 100; near run-$n 5000",
            "near hash 100; near run-$n 5000",
        )
    },
    Case {
        name: "gone, as allowed",
        new: "near hash 100",
        options: "--may-differ",
        says: &["not slower: none of 1 benchmark", "NOT COMPARED seal: only the base has it"],
        never: &["incomplete"],
        ..EQUAL
    },
    Case {
        name: "gone, and slower",
        new: "near hash 110",
        status: &[1],
        says: &["slower: 1 of 1 benchmark: hash +", "not compared in every execution: seal"],
        never: &[],
        ..EQUAL
    },
    Case {
        base: "hyperfine_json",
        ..refused(
            "a median and a mean",
            "hyperfine_text",
            &["hash: the base prints its median, the new build its mean"],
        )
    },
    Case {
        base: "go Hash 100; echo seal/64 100 ns",
        ..refused(
            "lines next to a format",
            "both",
            &["read one of them (--reads go, or --reads lines)"],
        )
    },
    refused("another format", "go hash 100", &["the base prints lines, and the new build go"]),
    Case {
        name: "another format at times",
        base: "go X 100",
        new: "[ $(( n % 5 )) = 4 ] && echo BenchmarkX-2 100 ns || go X 100",
        status: &[1, 2],
        says: &["FAILED", "printed lines, and other executions go"],
        never: &[],
        ..EQUAL
    },
    refused(
        "all renamed",
        "near a 100; near b 5000",
        &["no benchmark in common", "help: the base has hash, seal"],
    ),
    // Programs that fail. A time before the failure measures work that was not done.
    Case {
        name: "fails in a share",
        new: "if one_in_1000 400; then near hash 10; exit 3; fi; both",
        status: &[1],
        says: &[
            "fails: the new build in ",
            "the base in 0 % of its executions",
            "FAILED executions without a result",
            "exit status: 3",
            "none of 2 benchmarks",
        ],
        never: &["faster"],
        ..EQUAL
    },
    Case {
        name: "fails in a share of both",
        base: "one_in_1000 250 && exit 3; both",
        new: "one_in_1000 250 && exit 3; both",
        status: &[2],
        says: &["fails: the new build in ", "FAILED executions"],
        never: &["slower: 1"],
        ..EQUAL
    },
    Case {
        name: "is killed in a share",
        new: "one_in_1000 500 && kill -9 $$; both",
        status: &[1],
        says: &["fails: the new build in ", "signal: 9"],
        never: &[],
        ..EQUAL
    },
    Case {
        name: "breaks off in a share",
        base: "google '{\"name\": \"seal\", \"real_time\": 5000}'",
        new: "if one_in_1000 500; then echo '{\"context\": {'; else google '{\"name\": \"seal\", \"real_time\": 5000}'; fi",
        status: &[1],
        says: &["fails: the new build in ", "cannot be read"],
        never: &[],
        ..EQUAL
    },
    refused(
        "fails",
        "exit 7",
        &["the new build gives no result in 5 executions", "exit status: 7", "help: "],
    ),
    refused(
        "is not there",
        "./no-such-program",
        &["the new build gives no result in 1 execution", "was not found"],
    ),
    refused(
        "prints nothing",
        "true",
        &["the new build gives no result", "printed nothing on its standard output", "help: "],
    ),
    Case {
        name: "a failure that a pipe hides",
        new: "{ both; echo 'FAIL example.org/x'; exit 1; } | cat",
        says: &[
            "not slower: none of 2 benchmarks",
            "DOUBTFUL the new build printed \"FAIL example.org/x\" and ended with status 0",
        ],
        ..EQUAL
    },
    refused(
        "prints no time",
        "echo hash 5 MB",
        &["the new build gives no result", "printed no time: hash: "],
    ),
    refused(
        "ignores a failure",
        "printf 'Benchmark 1: x\n  Time (mean ± σ): 10 ms ± 1 ms\n'; echo Ignoring non-zero exit code. >&2",
        &["ran a command that failed, as hyperfine warns", "help: do without its --ignore-failure"],
    ),
    // Each execution ends at once: one that had its whole time would have spent the budget.
    refused(
        "prints without end",
        "yes hash 5 ns",
        &["gives no result in 5 executions", "printed more than 64 MiB"],
    ),
    // Programs that do not end.
    refused(
        "hangs",
        "sleep 9999",
        &["the new build gives no result in ", "did not end within 2 s", "help: --patience"],
    )
    .limited(),
    Case {
        name: "hangs in a share",
        new: "one_in_1000 400 && sleep 9999; both",
        status: &[1, 2],
        says: &["fails: the new build in ", "did not end within "],
        never: &["slower: 1"],
        ..EQUAL
    }
    .limited(),
    Case { name: "leaves a child", base: "sleep 9999 & both", ..EQUAL },
    Case { name: "leaves a daemon", new: "setsid sleep 20 & both", ..EQUAL },
    // Clocks.
    Case {
        name: "constant",
        base: "echo hash 12 ms",
        new: "echo hash 12 ms",
        says: &[
            "not slower: none of 1 benchmark",
            "COARSE hash: all executions printed the same time",
        ],
        never: &["UNTRUSTED", "-0.0 %"],
        ..EQUAL
    },
    Case {
        name: "constant, slower",
        base: "echo hash 12 ms",
        new: "echo hash 13 ms",
        status: &[1],
        says: &["slower: 1 of 1 benchmark: hash +8.3 % [+8.3 .. +8.3]"],
        never: &["UNTRUSTED", "LEVELS"],
        ..EQUAL
    },
    Case {
        name: "a clock of 1 ms",
        base: "one_in_1000 500 && echo hash 12 ms || echo hash 13 ms",
        new: "one_in_1000 500 && echo hash 12 ms || echo hash 13 ms",
        status: &[0, 2],
        says: &["COARSE hash: its times are multiples of 1000 us"],
        never: &["UNTRUSTED", "LEVELS", "slower: 1"],
        ..EQUAL
    },
    Case {
        name: "a clock of 1 ms, slower",
        base: "one_in_1000 500 && echo hash 12 ms || echo hash 13 ms",
        new: "one_in_1000 500 && echo hash 14 ms || echo hash 15 ms",
        status: &[1],
        says: &["slower: 1 of 1 benchmark: hash +1"],
        never: &["UNTRUSTED", "LEVELS"],
        ..EQUAL
    },
    // Levels and rare slowness.
    Case {
        name: "rarely slow: new",
        base: "near hash 100",
        new: "one_in_1000 167 && near hash 1000 || near hash 100",
        options: "--budget 60s",
        status: &[1],
        says: &[
            "slower: 1 of 1 benchmark: hash in ",
            "times as long (the base in 0 of ",
            "LEVELS hash: ",
            "it grew",
        ],
        never: &["not slower"],
    },
    Case {
        name: "rarely slow",
        base: "one_in_1000 167 && near hash 1000 || near hash 100",
        new: "one_in_1000 167 && near hash 1000 || near hash 100",
        status: &[0, 2],
        says: &["LEVELS hash: some executions take "],
        never: &["slower: 1", "it grew"],
        ..EQUAL
    },
    Case {
        name: "two levels",
        base: "one_in_1000 500 && near hash 150 || near hash 100",
        new: "one_in_1000 500 && near hash 150 || near hash 100",
        options: "--budget 6s --patience 20s",
        status: &[0, 2, 3],
        says: &[],
        never: &["slower: 1", "it grew"],
    },
    Case {
        name: "two levels, another share",
        base: "one_in_1000 100 && near hash 150 || near hash 100",
        new: "one_in_1000 900 && near hash 150 || near hash 100",
        status: &[1],
        says: &["slower: 1 of 1 benchmark: hash ", "LEVELS hash: ", "it grew"],
        never: &["not slower"],
        ..EQUAL
    },
    // The time of the whole command.
    Case {
        name: "time of a command that fails",
        base: "true",
        new: "one_in_1000 500 && exit 4; true",
        options: "--reads time --budget 30s",
        status: &[1, 2],
        says: &["fails: the new build in ", "exit status: 4"],
        never: &[],
    },
];

impl Case {
    /// Its executions may take two seconds.
    const fn limited(self) -> Case {
        Case { options: "--patience 2s --budget 30s", ..self }
    }

    /// The gate does not report incomplete parts before that.
    const fn open(self) -> Case {
        Case { never: &[], ..self }
    }

    fn command(&self, home: &Home, program: &str) -> String {
        let [count, words] = ["count", "words"].map(|name| home.path(name).display().to_string());
        format!("COUNT={count}; . {words}; {program}")
    }

    /// Makes a gate of it, and returns what is wrong with it.
    fn gate(&self) -> String {
        let home = Home::empty();
        home.write("words", WORDS);
        let (base, new) = (self.command(&home, self.base), self.command(&home, self.new));
        let mut words = vec!["gate", "--base", &base, "--new", &new];
        words.extend(self.options.split_whitespace());
        if !self.options.contains("--budget") {
            words.extend(["--budget", "45s"]);
        }
        let said = home.cupel(&words);
        let mut faults = self.faults(&said);
        for line in contradictions(&home, &said).lines() {
            let _ = writeln!(faults, "{}: {line}\n{}", self.name, said.out);
        }
        faults
    }

    /// The faults in a gate's output.
    fn faults(&self, said: &Said) -> String {
        let mut faults = String::new();
        let Said { status, out, err } = said;
        if !status.is_some_and(|status| self.status.contains(&status)) {
            let _ = writeln!(faults, "{}: status {status:?}, not {:?}", self.name, self.status);
        }
        let first = out.split("\n\n").next().unwrap_or_default();
        let first = format!("{first}\n{err}").replace("\n  ", " ").replace('\n', " ");
        for word in self.says.iter().filter(|word| !first.contains(**word)) {
            let _ = writeln!(faults, "{}: the first lines lack \"{word}\"", self.name);
        }
        let decided = if *status == Some(3) { "" } else { first.as_str() };
        for word in self.never.iter().filter(|word| decided.contains(**word)) {
            let _ = writeln!(faults, "{}: the first lines have \"{word}\"", self.name);
        }
        if faults.is_empty() { faults } else { format!("{faults}{out}{err}\n") }
    }
}

#[test]
fn difficult_programs_get_no_false_answer() {
    let only = std::env::var("CUPEL_CASE").ok();
    let chosen = CASES.iter().filter(|case| only.as_deref().is_none_or(|only| case.name == only));
    let faults: String = chosen.map(Case::gate).collect();
    assert!(faults.is_empty(), "{faults}");
    assert!(CASES.len() >= 40, "{}", CASES.len());
}

/// A name must not begin a command of GitHub's or steer a terminal, in any format.
#[test]
fn a_name_from_outside_is_only_a_name() {
    let home = Home::empty();
    let name = r"printf 'ha\033[31msh%%0A::error::x 100 ns\n'; ";
    let said = home.cupel(&[
        "gate",
        "--base",
        &format!("{name} echo a 5 ns"),
        "--new",
        "echo a 5 ns",
        "--format",
        "github",
    ]);
    assert!(!said.out.contains('\u{1b}'), "{}", said.out);
    for line in said.out.lines() {
        let title = line.split_once("::").map(|(_, rest)| rest.split_once("::").unwrap().0);
        assert!(title.is_some_and(|title| title.contains(" title=")), "{line}");
    }
}
