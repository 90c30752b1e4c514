//! Results of other programs: they are imported once and completely, kept apart, and decide
//! nothing.

use crate::support::{Home, Said, value_of};
use cupel_base::text::field;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../questions/gate/tests/fixtures/foreign")
        .join(name)
}

fn import(home: &Home, path: &Path) -> Said {
    home.cupel(&["import", path.to_str().unwrap()])
}

fn results(home: &Home) -> Vec<Value> {
    let said = home.cupel(&["show", "--foreign", "--format", "json"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let document: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((&document["sequential"], &document["control"]), (&json!(true), &json!(false)));
    document["results"].as_array().unwrap().clone()
}

fn named<'a>(results: &'a [Value], name: &str, parameters: &str) -> &'a Value {
    let fits = |r: &&Value| r["name"] == name && r["parameters"] == parameters;
    results.iter().find(fits).unwrap_or_else(|| panic!("no {name} {parameters}"))
}

fn near(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|x| (x / expected - 1.0).abs() < 1e-9)
}

/// A file of JMH's with this name of a benchmark.
fn jmh(name: &str) -> String {
    json!([{
        "jmhVersion": "1.37", "benchmark": name, "mode": "avgt", "forks": 1,
        "measurementIterations": 3, "params": {"=1+1": name},
        "primaryMetric": {
            "score": 5.0, "scoreConfidence": [4.0, 6.0], "scoreUnit": "ns/op", "scoreError": "NaN"
        }
    }])
    .to_string()
}

#[test]
fn jmh_is_imported_as_times_per_call_whatever_the_mode() {
    let home = Home::empty();
    let said = import(&home, &fixture("jmh.json"));
    assert_eq!(said.status, Some(0), "{}", said.err);
    let results = results(&home);
    let text = std::fs::read_to_string(fixture("jmh.json")).unwrap();
    let theirs: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(results.len(), theirs.len());
    for (ours, theirs) in results.iter().zip(&theirs) {
        let metric = &theirs["primaryMetric"];
        let sample = theirs["mode"] == "sample";
        let score = if sample { &metric["scorePercentiles"]["50.0"] } else { &metric["score"] };
        let score = score.as_f64().unwrap();
        let ends = &metric["scoreConfidence"];
        assert_eq!(ours["name"], theirs["benchmark"]);
        assert_eq!((&ours["tool"], &ours["version"]), (&json!("jmh"), &json!("1.37")));
        match metric["scoreUnit"].as_str().unwrap() {
            "ns/op" => assert!(near(&ours["ns"], score)),
            "us/op" => assert!(near(&ours["ns"], score * 1e3)),
            // The ends are exchanged by the inversion.
            "ops/us" => {
                assert!(near(&ours["ns"], 1e3 / score));
                assert!(
                    value_of(ours, "high").is_null()
                        || near(&ours["high"], 1e3 / ends[0].as_f64().unwrap())
                );
            }
            other => panic!("{other}"),
        }
    }
    let modes: std::collections::BTreeSet<_> =
        theirs.iter().map(|b| b["mode"].as_str().unwrap()).collect();
    assert_eq!(modes.len(), 3, "{modes:?}");
}

#[test]
fn criterions_folder_or_one_of_its_files_comes_in() {
    let home = Home::empty();
    let said = import(&home, &fixture("criterion"));
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.contains("2 foreign results added"), "{}", said.out);
    let found = results(&home);
    let result = named(&found, "fnv/plain/64", "");
    let file = fixture("criterion/fnv/plain/64/new/estimates.json");
    let estimates: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let slope = &estimates["slope"];
    assert!(near(&result["ns"], slope["point_estimate"].as_f64().unwrap()));
    let low = &slope["confidence_interval"]["lower_bound"];
    assert!(near(&result["low"], low.as_f64().unwrap()));
    assert_eq!((&result["samples"], &result["bytes"]), (&json!(10), &json!(64)));
    // One benchmark, named by one of its files.
    let said = import(&home, &file);
    assert!(said.out.contains("0 foreign results added, 1 was already here"), "{}", said.out);
}

#[test]
fn criterions_messages_come_in() {
    let home = Home::empty();
    let lines = [
        json!({"reason": "benchmark-complete", "id": "g/f", "measured_values": [1.0, 2.0],
               "typical": {"estimate": 2.5, "lower_bound": 2.0, "upper_bound": 3.0, "unit": "us"},
               "throughput": [{"per_iteration": 64, "unit": "bytes"}]}),
        json!({"reason": "group-complete", "group_name": "g", "benchmarks": ["g/f"]}),
    ];
    home.write("messages", lines.map(|line| line.to_string()).join("\n"));
    assert_eq!(import(&home, &home.path("messages")).status, Some(0));
    let found = results(&home);
    let result = named(&found, "g/f", "");
    assert!(near(&result["ns"], 2500.0) && near(&result["high"], 3000.0), "{result}");
    assert_eq!((&result["samples"], &result["bytes"]), (&json!(2), &json!(64)));
}

#[test]
fn google_benchmark_comes_in_and_what_failed_says_so() {
    let home = Home::empty();
    assert_eq!(import(&home, &fixture("google-benchmark.json")).status, Some(0));
    let found = results(&home);
    assert_eq!(found.len(), 4, "repetitions and aggregates are one result");
    let result = named(&found, "BM_fnv/64", "");
    let text = std::fs::read(fixture("google-benchmark.json")).unwrap();
    let theirs: Value = serde_json::from_slice(&text).unwrap();
    let rows = theirs["benchmarks"].as_array().unwrap();
    let median = |name: &str| {
        let fits = |r: &&Value| r["run_name"] == name && r["aggregate_name"] == "median";
        rows.iter().find(fits).unwrap()["real_time"].as_f64().unwrap()
    };
    assert!(near(&result["ns"], median("BM_fnv/64")), "{result}");
    assert_eq!(result["bytes"], 64);
    assert!(near(&named(&found, "BM_micro", "")["ns"], median("BM_micro") * 1e3));
    assert_eq!(named(&found, "BM_skipped", "")["error"], "no such instruction");
    assert!(home.cupel(&["show", "--foreign"]).out.contains("failed: no such instruction"));
}

#[test]
fn two_imports_of_one_file_count_once() {
    let home = Home::empty();
    for name in ["jmh.json", "google-benchmark.json", "criterion"] {
        import(&home, &fixture(name));
        let before = results(&home);
        let said = import(&home, &fixture(name));
        assert_eq!(said.status, Some(0), "{}", said.err);
        assert!(said.out.contains(": 0 foreign results added"), "{}", said.out);
        assert_eq!(results(&home), before);
    }
}

#[test]
fn a_file_without_results_leaves_the_store_as_it_was() {
    let home = Home::empty();
    import(&home, &fixture("jmh.json"));
    let before = results(&home);
    let refused = |name: &str, text: &[u8], words: &str| {
        home.write(name, text);
        let said = import(&home, &home.path(name));
        assert_eq!(said.status, Some(3), "{name}: {} {}", said.out, said.err);
        assert!(said.err.contains(words) && said.err.contains(name), "{words}: {}", said.err);
        assert_eq!(results(&home), before, "{name}");
    };
    for whole in ["jmh.json", "google-benchmark.json"] {
        let text = std::fs::read(fixture(whole)).unwrap();
        for part in [2, 3, 50] {
            refused("cut", &text[..text.len() / part], "it was cut off");
        }
    }
    refused("empty", b"[]", "empty list");
    refused("other", b"{\"a\": 1}", "no known format\n  help: cupel reads jmh, criterion");
    refused("deep", ("[{\"x\":".to_string() + &"[".repeat(100_000)).as_bytes(), "no known format");
    refused("latin", b"[\"\xe9\"]", "no known format");
    let altered = |change: &dyn Fn(&mut Value)| {
        let mut file: Value = serde_json::from_str(&jmh("a")).unwrap();
        change(&mut file);
        file.to_string().into_bytes()
    };
    refused("newer", &altered(&|f| f[0]["jmhVersion"] = json!("2.0")), "use a newer cupel");
    let mut google: Value =
        serde_json::from_slice(&std::fs::read(fixture("google-benchmark.json")).unwrap()).unwrap();
    google["context"]["json_schema_version"] = json!(2);
    refused("google", google.to_string().as_bytes(), "schema 2");
    std::fs::create_dir(home.path("nothing")).unwrap();
    let said = import(&home, &home.path("nothing"));
    assert!(said.err.contains("no results in a known format"), "{}", said.err);
    assert_eq!(results(&home), before);
}

#[test]
fn an_odd_row_or_file_does_not_refuse_the_others() {
    let home = Home::empty();
    let mut rows: Vec<Value> = serde_json::from_str(&jmh("a")).unwrap();
    let mut reasons = vec![("a".to_string(), Value::Null)];
    let mut odd = |why: &str, change: &dyn Fn(&mut Value)| {
        let name = format!("odd{}", rows.len());
        let mut row = rows[0].clone();
        row["benchmark"] = json!(name);
        change(&mut row);
        rows.push(row);
        reasons.push((name, json!(why)));
    };
    odd("it takes -1 ns, which is impossible", &|row| row["primaryMetric"]["score"] = json!(-1.0));
    let years = format!("it takes {} ns, which is impossible", 2e18);
    odd(&years, &|row| row["primaryMetric"]["score"] = json!(2e18));
    odd("5 fortnights/op is not a time per call", &|row| {
        row["primaryMetric"]["scoreUnit"] = json!("fortnights/op");
    });
    odd("its interval ends before it begins", &|row| {
        row["primaryMetric"]["scoreConfidence"] = json!([9, 1]);
    });
    odd("missing field `mode`", &|row| drop(row.as_object_mut().unwrap().remove("mode")));
    home.write("rows.json", Value::from(rows).to_string());
    let said = import(&home, &home.path("rows.json"));
    assert_eq!(said.status, Some(0), "{}", said.err);
    let found: Vec<(String, Value)> = results(&home)
        .iter()
        .map(|row| (row["name"].as_str().unwrap().to_string(), row["error"].clone()))
        .collect();
    assert_eq!(found, reasons);
    // One benchmark of a folder is broken: the other is imported.
    for (name, text) in [("a", "{}"), ("b", "[]")] {
        let folder = home.path(&format!("criterion/{name}/new"));
        std::fs::create_dir_all(&folder).unwrap();
        for file in ["benchmark", "estimates", "sample"] {
            let from = fixture(&format!("criterion/fnv/plain/64/new/{file}.json"));
            std::fs::copy(from, folder.join(format!("{file}.json"))).unwrap();
        }
        if name == "b" {
            std::fs::write(folder.join("estimates.json"), text).unwrap();
        }
    }
    home.write("nonsense", "12 monkeys");
    let folder = home.path("criterion");
    let nonsense = home.path("nonsense");
    let said = home.cupel(&["import", nonsense.to_str().unwrap(), folder.to_str().unwrap()]);
    assert!(said.err.contains("2 files were not imported"), "{}", said.err);
    assert_eq!(said.status, Some(3));
    assert!(
        said.err.contains("not a file of Criterion") && said.err.contains("b/new/estimates.json"),
        "{}",
        said.err
    );
    assert_eq!(results(&home).len(), 7);
}

#[test]
fn it_decides_nothing_and_is_in_no_comparison() {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"] },
        { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 300 },
    ]));
    home.suite(
        "[64, 1024]",
        "baseline = \"sham/a\"\n[[claim]]\nsays = \"sham/a is faster than sham/b\"\n\
         sizes = [64, 1024]\nsource = \"test\"\nquote = \"test\"",
    );
    assert_eq!(home.cupel(&["run", "q"]).status, Some(0));
    let told = || {
        [
            vec!["show"],
            vec!["show", "--format", "json"],
            vec!["check", "q", "--format", "json"],
            vec!["advise", "--format", "json"],
            vec!["show", "all", "--format", "csv"],
            vec!["show", "all", "--format", "csv", "--slices"],
        ]
        .map(|arguments| {
            let said = home.cupel(&arguments);
            (said.status, said.out)
        })
    };
    let before = told();
    assert!(before[2].0.is_some_and(|status| status < 3), "{before:?}");
    // With our contenders' own names, and as if `b` took no time.
    home.write("jmh.json", jmh("sham/b").replace("5.0", "0.001").replace("4.0", "0.0"));
    assert_eq!(import(&home, &home.path("jmh.json")).status, Some(0));
    assert_eq!(results(&home).len(), 1);
    assert_eq!(told(), before);
}

#[test]
fn any_name_comes_out_as_text() {
    let home = Home::with(json!([{ "name": "a", "primitives": ["siphash-2-4"] }]));
    home.suite("[64]", "baseline = \"sham/a\"");
    assert_eq!(home.cupel(&["run", "q"]).status, Some(0));
    let nasty = "</script><b>\"';=1+1,\u{202e}evil\u{2028}\r\n\u{1b}[31m\u{7}|`*".to_string()
        + &"x".repeat(10_000);
    home.write("jmh.json", jmh(&nasty));
    let said = import(&home, &home.path("jmh.json"));
    assert_eq!(said.status, Some(0), "{}", said.err);
    for arguments in [&["show", "--foreign"][..], &["show", "--foreign", "--format", "markdown"]] {
        let out = home.cupel(arguments).out;
        let steers =
            |c: char| (c.is_control() && c != '\n') || ('\u{2028}'..='\u{202e}').contains(&c);
        assert!(!out.chars().any(steers), "{out:?}");
        // A table in a terminal shortens a name.
        let whole = out.replace(['\n', ' '], "").contains(&"x".repeat(10_000));
        assert!(whole || (arguments.len() == 2 && out.contains("evil")), "{out}");
    }
    let widest = home.cupel(&["show", "--foreign"]).out;
    assert!(widest.lines().all(|line| line.chars().count() <= 80), "{widest}");
    let out = home.cupel(&["show", "--foreign", "--format", "csv"]).out;
    let mut reader = csv::Reader::from_reader(out.as_bytes());
    let place = reader.headers().unwrap().iter().position(|h| h == "name").unwrap();
    assert_eq!(&reader.records().next().unwrap().unwrap()[place], field(&nasty));
    let out = home.cupel(&["show", "--foreign", "--format", "jsonl"]).out;
    let line: Value = serde_json::from_str(out.trim_end_matches('\n')).expect("one line");
    assert_eq!(line["name"], nasty);
    assert_eq!(results(&home)[0]["name"], nasty);
    let page = home.cupel(&["show", "--format", "html"]).out;
    let (_, rest) = page.split_once("id=\"foreign\">").expect("the foreign results");
    let (data, _) = rest.split_once("</script>").unwrap();
    assert!(!data.contains('<'));
    let data: Value = serde_json::from_str(data).unwrap();
    assert_eq!(data[0]["name"], nasty);
}

#[test]
fn results_of_one_program_machine_and_day_are_one_table() {
    let home = Home::empty();
    let text = "Doing x for 3s on 16 size blocks: 3000000 x's in 3.00s\n\
                type             16 bytes     64 bytes\nx                16000.00k    32000.00k\n\
                y                    0.00k        0.00k\n";
    home.write("speed.txt", text);
    let odd = home.path("speed.txt");
    let said =
        home.cupel(&["import", fixture("criterion").to_str().unwrap(), odd.to_str().unwrap()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let out = home.cupel(&["show", "--foreign"]).out;
    assert_eq!(out.matches("benchmark ").count(), 2, "{out}");
    let x = out.lines().find(|line| line.contains("bytes=64)")).expect("its row");
    assert!(x.contains("2000 ns") && x.contains("0.03"), "{out}");
    assert!(out.contains("mean of processor time") && out.contains("failed: "), "{out}");
    assert_eq!(out.matches("imported").count(), 2, "{out}");
    assert!(out.replace('\n', " ").contains("let them take turns: cupel gate"), "{out}");
}

/// As from `cupel import <(openssl speed)`: a pipe gives its bytes only once, and later.
#[test]
fn a_pipe_is_read_once_and_one_without_a_writer_is_refused() {
    let home = Home::empty();
    let pipe = home.path("pipe");
    let path = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
    // SAFETY: the path ends with a NUL.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
    let to = pipe.clone();
    let writer = std::thread::spawn(move || {
        let mut file = std::fs::OpenOptions::new().write(true).open(to).unwrap();
        for line in ["a 1.5 ns\n", "b 2.5 ns\n"] {
            std::thread::sleep(std::time::Duration::from_millis(100));
            std::io::Write::write_all(&mut file, line.as_bytes()).unwrap();
        }
    });
    let said = import(&home, &pipe);
    writer.join().unwrap();
    assert_eq!((said.status, results(&home).len()), (Some(0), 2), "{}", said.err);
    let said = import(&home, &pipe);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("no program writes into it"), "{}", said.err);
    let said = import(&home, Path::new("/dev/zero"));
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("a device"), "{}", said.err);
}

/// As in `openssl speed | cupel import -` and `cupel import - < FILE`.
#[test]
fn a_line_is_the_standard_input() {
    let home = Home::empty();
    home.write("speed.txt", "a 1.5 ns\nb 2.5 ns\n");
    let import =
        |input: Stdio| home.command().args(["import", "-"]).stdin(input).output().expect("cupel");
    let text = || std::fs::File::open(home.path("speed.txt")).unwrap();
    let mut cat = Command::new("cat").stdin(text()).stdout(Stdio::piped()).spawn().unwrap();
    let out = import(cat.stdout.take().unwrap().into());
    cat.wait().unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(said, "-: 2 foreign results added\n", "{out:?}");
    let out = import(text().into());
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success() && said.contains("already"), "{out:?}");
    let out = import(Stdio::null());
    assert_eq!(out.status.code(), Some(3), "{out:?}");
}

#[test]
fn a_folder_says_what_it_left_out_and_a_file_in_two_formats_is_read_in_both() {
    let home = Home::empty();
    std::fs::create_dir_all(home.path("all/deep")).unwrap();
    home.write("all/README.md", "nothing");
    home.write("all/deep/log.txt", "12 monkeys");
    home.write(
        "all/both.txt",
        "test a ... bench: 4 ns/iter (+/- 3)\nb    time:   [9 ns 10 ns 11 ns]\n",
    );
    std::os::unix::fs::symlink("README.md", home.path("all/link")).unwrap();
    let said = import(&home, &home.path("all"));
    assert_eq!(said.status, Some(0), "{}", said.err);
    let said = said.out.replace('\n', " ");
    assert!(said.contains("2 foreign results added"), "{said}");
    assert!(said.contains("left out 1, a link, a pipe or a device ("), "{said}");
    assert!(
        said.contains("left out 2, in no known format (") && said.contains("log.txt"),
        "{said}"
    );
    let tools: Vec<Value> = results(&home).iter().map(|row| row["tool"].clone()).collect();
    assert_eq!(tools, ["criterion", "libtest"]);
}

#[test]
fn broken_json_is_refused_with_its_place() {
    let home = Home::empty();
    home.write("broken.json", "[{\"name\": \"a\",\n  \"value\": 1,, \"unit\": \"ns\"}]");
    let said = import(&home, &home.path("broken.json"));
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("it is not JSON in line 2, column 14"), "{}", said.err);
}
