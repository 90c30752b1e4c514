//! `cupel show --format html`: the page contains the output of `cupel show` and the raw rounds, and
//! is written where it was asked for. Its display in a browser is tested in `web/`.

use crate::support::{Cells, Home, value_of};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::path::Path;

/// A home with the run that the tests of the page use.
fn home() -> Home {
    let home = Home::empty();
    let store = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/test/run.sqlite");
    std::fs::copy(store, home.store()).expect("the stored run");
    home
}

/// The data in a page.
pub fn data(page: &str) -> Value {
    let (_, rest) = page.split_once(r#"<script type="application/json" id="run">"#).expect("data");
    let (json, _) = rest.split_once("</script>").expect("an end");
    serde_json::from_str(json).expect("JSON")
}

/// A number as an index.
fn place(v: &Value) -> usize {
    usize::try_from(v.as_u64().expect("a place")).unwrap()
}

/// The positions that are written as first and count.
fn places(runs: &Value) -> Vec<usize> {
    let runs: Vec<usize> = runs.as_array().expect("runs").iter().map(place).collect();
    runs.as_chunks::<2>().0.iter().flat_map(|[from, count]| *from..from + count).collect()
}

/// The numbers that are written as 32-bit floats.
fn floats(written: &Value) -> Vec<f32> {
    let bytes = STANDARD.decode(written.as_str().expect("floats")).expect("base 64");
    bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

#[test]
fn the_page_holds_what_show_says_to_the_last_digit() {
    let home = home();
    let shown = home.cupel(&["show", "--format", "json"]).out;
    let page = home.cupel(&["show", "--format", "html"]).out;
    assert_eq!(data(&page)["document"], serde_json::from_str::<Value>(&shown).unwrap());
    assert_eq!(Cells::parse(&shown).0.len(), 55);
    for _ in 0..8 {
        assert_eq!(home.cupel(&["show", "--format", "json"]).out, shown, "another answer");
        assert_eq!(home.cupel(&["show", "--format", "html"]).out, page, "another page");
    }
}

#[test]
fn every_two_contenders_are_compared_once_and_judged_by_their_interval() {
    let page = data(&home().cupel(&["show", "--format", "html"]).out);
    let cells = page["document"]["cells"].as_array().unwrap();
    let (mut from, mut separated) = (0, 0);
    for comparison in page["comparisons"].as_array().unwrap() {
        let rows = usize::try_from(comparison["rows"].as_u64().unwrap()).unwrap();
        let here = &cells[from..from + rows];
        from += rows;
        let ranked: Vec<usize> = (0..rows)
            .filter(|&i| {
                !value_of(&here[i], "ns_median").is_null()
                    && !["failed", "baseline"].contains(&here[i]["verdict"].as_str().unwrap())
            })
            .collect();
        let wanted: Vec<(usize, usize)> = ranked
            .iter()
            .flat_map(|&a| ranked.iter().filter(move |&&b| b > a).map(move |&b| (a, b)))
            .collect();
        let mut found = Vec::new();
        let floor = here[0]["floor"].as_f64().unwrap_or(f64::INFINITY);
        let zone = 1.0 + floor.max(0.02);
        let untrusted = here[0]["untrusted"] == true;
        for pairs in comparison["pairs"].as_array().unwrap() {
            let (row, others) = (place(&pairs["row"]), places(&pairs["others"]));
            let ratios = floats(&pairs["ratios"]);
            let verdicts = pairs["verdicts"].as_str().unwrap();
            assert_eq!((ratios.len(), verdicts.len()), (3 * others.len(), others.len()));
            for ((ratio, letter), other) in
                ratios.as_chunks().0.iter().zip(verdicts.chars()).zip(others)
            {
                found.push((row, other));
                let [_, low, high] = ratio.map(f64::from);
                let word = match letter {
                    _ if untrusted => 'n',
                    _ if high < 1.0 / zone => 'f',
                    _ if low > zone => 's',
                    _ => 'n',
                };
                assert_eq!(letter, word, "{row} {other}: {ratio:?}, floor {floor}");
                separated += usize::from(word != 'n');
            }
        }
        assert_eq!(found, wanted);
        // Any of them can be the baseline.
        let offered = places(&comparison["offered"]);
        assert!(ranked.iter().all(|row| offered.contains(row)), "{offered:?}");
    }
    assert_eq!(from, cells.len());
    assert!(separated > 5, "{separated}");
}

#[test]
fn every_slice_is_in_the_page_and_a_disturbed_one_is_marked() {
    let home = home();
    let page = data(&home.cupel(&["show", "--format", "html"]).out);
    let (mut slices, mut disturbed) = (0, 0);
    for comparison in page["comparisons"].as_array().unwrap() {
        assert_eq!(comparison["slices"]["every"], 1);
        let rounds = comparison["slices"]["fork"].as_array().unwrap().len();
        for column in comparison["slices"]["columns"].as_array().unwrap() {
            let (ran, ns) = (places(&column["rounds"]), floats(&column["ns"]));
            assert_eq!(ran.len(), ns.len());
            assert!(ran.iter().all(|&round| round < rounds));
            slices += ns.len();
            disturbed += ns.iter().filter(|&&x| x < 0.0).count();
        }
    }
    // The comparison of empty operations is the last of the plan, and is not drawn.
    let drawn = page["comparisons"].as_array().unwrap().len();
    let count = |more: &str| {
        let sql = format!(
            "select count(*) from slice join round on id = round
             where comparison < {drawn} and {more}"
        );
        usize::try_from(home.count(&sql)).unwrap()
    };
    assert_eq!(slices, count("true"));
    assert_eq!(disturbed, count("disturbed is not null"));
    assert!(disturbed > 0, "nothing was disturbed");
}

#[test]
fn it_is_written_where_it_was_asked_for() {
    let home = home();
    let folder = tempfile::tempdir().unwrap();
    let mut command = home.command();
    let said = command.current_dir(folder.path()).args(["show", "-o", "a.html"]).output().unwrap();
    assert!(said.status.success());
    assert_eq!(String::from_utf8_lossy(&said.stdout), "a.html\n");
    let page = std::fs::read_to_string(folder.path().join("a.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));

    let file = folder.path().join("no/such/folder/page.html");
    let said = home.cupel(&["show", "--output", &file.to_string_lossy()]);
    assert_eq!(said.status, Some(3));
    assert!(
        said.err.contains("cannot write") && said.err.contains("no/such/folder"),
        "{}",
        said.err
    );
    let said = home.cupel(&["show", "7"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("there is no run 7"), "{}", said.err);
}

#[test]
#[cfg(target_os = "linux")]
fn it_is_shown_in_the_browser_that_the_system_names() {
    use std::os::unix::fs::PermissionsExt;
    let home = home();
    let folder = tempfile::tempdir().unwrap();
    let (seen, file) = (folder.path().join("seen"), folder.path().join("a page.html"));
    let opener = folder.path().join("xdg-open");
    // Renamed when it is complete.
    let script = "#!/bin/sh\nprintf %s \"$1\" >\"$SEEN.new\" && mv \"$SEEN.new\" \"$SEEN\"\n";
    std::fs::write(&opener, script).unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let report = |path: &str| {
        let mut command = home.command();
        command.args(["show", "--open", "--output"]).arg(&file).env("PATH", path);
        command.env("SEEN", &seen).output().unwrap()
    };
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    assert!(report(&path).status.success());
    // The command does not wait for it.
    for _ in 0..600 {
        if seen.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let opened = std::fs::read_to_string(&seen).expect("the browser was started");
    assert_eq!(Path::new(&opened), file.canonicalize().unwrap());

    // An opener without a browser ends with a status, as xdg-open does with 3.
    std::fs::write(&opener, "#!/bin/sh\nexit 3\n").unwrap();
    let said = report(&path);
    assert_eq!(said.status.code(), Some(3));
    let err = String::from_utf8_lossy(&said.stderr);
    assert!(
        err.contains("no browser was opened") && err.contains("the page itself is written"),
        "{err}"
    );

    let nothing = tempfile::tempdir().unwrap();
    let said = report(&nothing.path().to_string_lossy());
    assert_eq!(said.status.code(), Some(3));
    let err = String::from_utf8_lossy(&said.stderr);
    assert!(err.contains("xdg-open") && err.contains("a page.html in a browser"), "{err}");
}

/// A part of the page's data.
fn part(page: &str, id: &str) -> Value {
    let (_, rest) = page.split_once(&format!("id=\"{id}\">")).expect("the part");
    serde_json::from_str(rest.split_once("</script>").unwrap().0).expect("JSON")
}

#[test]
fn the_claims_are_decided_as_cupel_claims_decides_them() {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"] },
        { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 300 },
    ]));
    let claim = |is: &str| {
        format!(
            "[[claim]]\nsource = \"<b>\"\nquote = \"</script>\"\nsays = \"sham/a is {is} than sham/b\"\n"
        )
    };
    home.suite("[64, 1024]", &format!("baseline = \"sham/a\"\n{}", claim("faster")));
    assert_eq!(home.cupel(&["run", "q"]).status, Some(0));
    let page = |more: &[&str]| {
        let said = home.cupel(&[&["show", "1", "--format", "html"], more].concat());
        assert_eq!(said.status, Some(0), "{}", said.err);
        part(&said.out, "claimed")
    };
    let decided = |suites: &[&str]| -> Value {
        let words = [&["check"], suites, &["--run", "1", "--format", "json"]].concat();
        serde_json::from_str(&home.cupel(&words).out).expect("JSON")
    };
    assert_eq!(page(&[]), decided(&["q"]));
    assert_eq!(page(&[])["held"], 1);
    // Also if the suite no longer exists: the store has its text.
    let text = std::fs::read_to_string(home.path("suites/q.toml")).unwrap();
    home.write("suites/r.toml", text.replace("is faster", "is slower"));
    let both = page(&["--claims", "r"]);
    assert_eq!(both, decided(&["q", "r"]));
    assert_eq!((&both["held"], &both["refuted"]), (&json!(1), &json!(1)));
    std::fs::remove_file(home.path("suites/q.toml")).unwrap();
    assert_eq!(page(&[])["held"], 1);
    home.change("update slice set elapsed_ns = elapsed_ns * 9 where cell in (0, 2, 3, 5)");
    assert_ne!(page(&[])["held"], 1);

    home.write("suites/s.toml", text.split("[[claim]]").next().unwrap());
    let said = home.cupel(&["show", "--claims", "s", "--format", "html"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("no [[claim]]") && said.err.contains("s.toml"), "{}", said.err);
    home.write("suites/q.toml", text.split("[[claim]]").next().unwrap());
    assert_eq!(home.cupel(&["run", "q"]).status, Some(0));
    let said = home.cupel(&["show", "--format", "html"]);
    assert_eq!(part(&said.out, "claimed"), Value::Null);
}
