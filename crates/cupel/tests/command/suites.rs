//! A mistake in a suite or in a family's file is shown with its line and the nearest valid name,
//! and nothing is run.

use crate::support::{Home, Said};
use cupel_suite::Suite;
use proptest::prelude::*;
use serde_json::json;
use std::path::Path;

/// Marks in each bad suite the line that the message must name.
const HERE: &str = "# here";

/// A home whose runner records its requests.
fn home() -> Home {
    let home = Home::with(json!([
        { "name": "alpha", "primitives": ["siphash-2-4", "aes-256-gcm"] },
        { "name": "beta", "primitives": ["siphash-2-4"] },
    ]));
    home.overhear("sham");
    home
}

fn line_of_mistake(text: &str) -> usize {
    let line = text.lines().position(|line| line.contains(HERE));
    1 + line.unwrap_or_else(|| panic!("no \"{HERE}\" in {text}"))
}

/// Asserts that nothing was measured or even verified: a runner may have been asked only for its
/// contenders.
fn nothing_was_run(home: &Home) {
    assert_eq!(home.count("select count(*) from run"), 0, "a run was begun");
    let more = home.asked().into_iter().find(|kind| !["hello", "list", "bye"].contains(&&kind[..]));
    assert_eq!(more, None, "a runner was set to work");
}

/// Runs a bad suite; asserts line, words and status, and that nothing was run.
fn refused(text: &str, words: &[&str]) {
    refused_at(text.as_bytes(), line_of_mistake(text), words);
}

fn refused_at(text: &[u8], line: usize, words: &[&str]) {
    let home = home();
    home.write("suites/q.toml", text);
    let said = home.cupel(&["run", "q"]);
    let place = format!("error: {}:{line}: ", home.path("suites/q.toml").display());
    let shown = String::from_utf8_lossy(text);
    assert!(said.err.contains(&place), "not at line {line}:\n{}\n{shown}", said.err);
    says(&said, words);
    assert_eq!(said.status, Some(3), "{}", said.err);
    assert_eq!(said.out, "");
    nothing_was_run(&home);
}

fn says(said: &Said, words: &[&str]) {
    for word in words {
        assert!(said.err.contains(word), "no \"{word}\" in: {}", said.err);
    }
}

/// A suite whose workload has these lines.
fn workload(lines: &str) -> String {
    format!("question = \"?\"\nforks = 2\n\n[[workload]]\n{lines}\n")
}

#[test]
fn the_suite_that_the_bad_ones_differ_from_is_good() {
    let home = home();
    home.write("suites/q.toml", workload("primitive = \"siphash-2-4\"\nsizes = [64]"));
    let said = home.cupel(&["run", "q", "--dry-run"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.contains("sham/alpha, sham/beta"), "{}", said.out);
}

#[test]
fn what_is_not_toml_is_shown_at_its_line() {
    refused("question = \"?\"\n[[workload # here\nsizes = [1]\n", &[]);
    refused("question = \"?\"\nforks = = 2 # here\n", &[]);
    refused("question = \"?\"\nforks = 2\nforks = 3 # here\n", &["duplicate"]);
}

#[test]
fn an_unknown_key_is_shown_with_the_nearest_one() {
    refused("question = \"?\"\nfork = 3 # here\n", &["unknown field `fork`", "mean `forks`?"]);
    refused(
        &workload("primitive = \"siphash-2-4\"\nsize = [64] # here\nsizes = [64]"),
        &["unknown field `size`", "did you mean `sizes`?"],
    );
}

#[test]
fn an_empty_list_of_contenders_is_refused() {
    refused(
        &workload("primitive = \"siphash-2-4\"\nsizes = [64]\ncontenders = [] # here"),
        &["no contenders", "leave `contenders` out"],
    );
}

#[test]
fn a_missing_key_is_named() {
    refused("forks = 2 # here\n", &["missing field `question`"]);
    refused(
        "question = \"?\"\n\n[[workload]] # here\nprimitive = \"siphash-2-4\"\n",
        &["this workload has no sizes"],
    );
}

#[test]
fn an_unknown_name_is_shown_with_the_nearest_one() {
    refused(
        &workload("primitive = \"siphahs-2-4\" # here\nsizes = [64]"),
        &["unknown primitive \"siphahs-2-4\"", "did you mean \"siphash-2-4\"?"],
    );
    refused(
        &workload("primitive = \"aes-256-gcm\"\nsizes = [64]\noperation = \"sael\" # here"),
        &["unknown operation \"sael\"", "did you mean \"seal\"?"],
    );
    refused(
        &workload("primitive = \"siphash-2-4\"\nsizes = [64]\nshape = \"latancy\" # here"),
        &["unknown shape \"latancy\"", "did you mean \"latency\"?"],
    );
    refused(
        &workload("primitive = \"qqqqqqqqqqqqqqqqq\" # here\nsizes = [64]"),
        &["unknown primitive", "`cupel list primitives` lists those that there are"],
    );
    refused(
        &workload("primitive = \"SHA2-384\" # here\nsizes = [64]"),
        &["unknown primitive \"SHA2-384\"", "help: `cupel list primitives` lists"],
    );
}

#[test]
fn an_operation_that_the_primitive_does_not_have_is_refused() {
    refused(
        &workload("primitive = \"siphash-2-4\"\nsizes = [64]\noperation = \"seal\" # here"),
        &["siphash-2-4 has no operation \"seal\"", "it has mac"],
    );
    refused(
        &workload("sizes = [64]\nprimitive = \"aes-256-gcm\" # here"),
        &["which operation of aes-256-gcm?", "operation = \"seal\""],
    );
}

#[test]
fn a_misspelt_contender_or_baseline_is_never_left_out() {
    let with = |line: &str| workload(&format!("primitive = \"siphash-2-4\"\nsizes = [64]\n{line}"));
    refused(
        &with("contenders = [\n  \"sham/beta\",\n  \"sham/alhpa\", # here\n]"),
        &["no contender is called \"sham/alhpa\"", "did you mean \"sham/alpha\"?"],
    );
    refused(
        &with("contenders = [\"sham/*\"]\nbaseline = \"sham/btea\" # here"),
        &["no contender is called \"sham/btea\"", "did you mean \"sham/beta\"?"],
    );
    refused(
        &with(
            "contenders = [\n  \"sham/beta\", # not this: \"sham/gama\"\n  \"sham/gama\", # here\n]",
        ),
        &["no contender is called \"sham/gama\""],
    );
}

#[test]
fn a_contender_that_does_not_offer_the_workload_is_refused() {
    refused(
        &workload(
            "primitive = \"aes-256-gcm\"\noperation = \"seal\"\nsizes = [64]\ncontenders = [\"sham/beta\"] # here",
        ),
        &["sham/beta does not offer seal of aes-256-gcm", "these do: sham/alpha"],
    );
    refused(
        &workload(
            "primitive = \"aes-256-gcm\"\noperation = \"seal\"\nsizes = [64]\nbaseline = \"sham/beta\" # here",
        ),
        &["the baseline \"sham/beta\" is not among the contenders"],
    );
    refused(
        "question = \"?\"\n[[workload]] # here\nprimitive = \"sha256\"\nsizes = [64]\n",
        &["no contender offers digest of sha256", "cupel list"],
    );
}

#[test]
fn invalid_sizes_are_refused() {
    let with = |line: &str| workload(&format!("primitive = \"siphash-2-4\"\n{line}"));
    refused(&with("sizes = [64,\n 2000000000, # here\n]"), &["size 2000000000 is out of range"]);
    refused(&with("sizes = [64,\n -1] # here"), &["\"-1\" is not a size"]);
    refused(&with("sizes = [64,\n 1.5] # here"), &["\"1.5\" is not a size"]);
    refused(&with("sizes = [\n 64, \"1 KiB\",\n 1024, # here\n]"), &["1024 is listed twice"]);
    refused(&with("sizes = [] # here"), &["no sizes"]);
    refused(&with("sizes = [0] # here\nshape = \"latency\""), &["size 0 has no latency"]);
}

#[test]
fn two_contracts_never_share_an_axis() {
    refused(
        &workload(
            "primitive = \"siphash-2-4\"\nsizes = [64]\ncontract = [{ key = \"per-call\" }, { key = \"prepared\" }] # here",
        ),
        &["two contracts on one axis", "one [[workload]] for each contract"],
    );
}

#[test]
fn a_contract_that_the_operation_cannot_have_is_refused() {
    let with = |p: &str, contract: &str| {
        workload(&format!("primitive = {p}\nsizes = [64]\ncontract = {contract} # here"))
    };
    refused(&with("\"siphash-2-4\"", "{ kee = \"prepared\" }"), &["unknown key `kee`", "`key`?"]);
    refused(&with("\"siphash-2-4\"", "{ key = \"none\" }"), &["cannot have key = \"none\""]);
    refused(&with("\"sha256\"", "{ key = \"prepared\" }"), &["cannot have key = \"prepared\""]);
    refused(&with("\"sha256\"", "{ key = \"per-call\" }"), &["cannot have key = \"per-call\""]);
    refused(&with("\"siphash-2-4\"", "{ ad = 13 }"), &["no such nonce or associated data"]);
    refused(&with("\"siphash-2-4\"", "{ key = 4 }"), &["in the contract"]);
    refused(&with("\"siphash-2-4\"", "\"hot\""), &["must be a table"]);
    refused(
        &workload(
            "primitive = \"aes-256-gcm\"\noperation = \"seal\"\nsizes = [64]\ncontract = { ad = 4294967295 } # here",
        ),
        &["associated data"],
    );
}

#[test]
fn a_mistake_in_a_contracts_table_is_shown_at_its_own_line() {
    refused(
        "question = \"?\"\n[[workload]]\nprimitive = \"siphash-2-4\"\nsizes = [64]\n\
         [workload.contract]\nkey = \"prepared\"\nchunks = 4 # here\n",
        &["unknown key `chunks`", "did you mean `chunk`?"],
    );
}

#[test]
fn a_suite_without_workloads_is_refused() {
    refused("question = \"?\" # here\nforks = 2\n", &["no [[workload]]"]);
    refused_at(b"", 1, &["missing field `question`"]);
}

#[test]
fn options_out_of_range_are_refused() {
    let with = |line: &str| {
        format!(
            "question = \"?\"\n{line} # here\n[[workload]]\nprimitive = \"siphash-2-4\"\nsizes = [1]\n"
        )
    };
    refused(&with("forks = 1"), &["forks must be between 2 and 100"]);
    refused(&with("forks = -3"), &["forks must be between 2 and 100"]);
    refused(
        &with("forks = 2\nfirst-forks = 5"),
        &["first-forks must be at most forks, which is 2"],
    );
    refused(&with("forks = 9\njit-forks = 10"), &["jit-forks must be at most forks, which is 9"]);
    let jit_first = with("forks = 9\njit-forks = 4\njit-first-forks = 5");
    refused(&jit_first, &["jit-first-forks must be at most jit-forks, which is 4"]);
    refused(&with("budget = \"soon\""), &["\"soon\" is not a time", "90s"]);
    refused(&with("budget = 0"), &["is not between 1 ms and 7 days"]);
    refused(&with("budget = inf"), &["\"inf\" is not a time"]);
    refused(&with("precision = \"200%\""), &["is not a share"]);
    refused(&with("tie-zone = nan"), &["is not a share"]);
}

#[test]
fn open_has_no_latency_shape() {
    refused(
        &workload(
            "primitive = \"aes-256-gcm\"\noperation = \"open\"\nsizes = [64]\nshape = \"latency\" # here",
        ),
        &["open has no latency shape", "throughput"],
    );
}

#[test]
fn a_repeated_workload_is_refused() {
    refused(
        "question = \"?\"\n[[workload]]\nprimitive = \"siphash-2-4\"\nsizes = [64]\n\n\
         [[workload]] # here\nprimitive = \"siphash-2-4\"\nsizes = [32, 64]\n",
        &["repeats the one of line 2 at size 64"],
    );
}

#[test]
fn what_is_not_utf_8_is_shown_at_its_line() {
    refused_at(b"question = \"?\"\n# fine\nforks = \"\xff\"\n", 3, &["not UTF-8"]);
}

#[test]
fn a_missing_suite_is_reported_with_the_nearest_name() {
    let home = home();
    home.suite("[64]", "");
    std::fs::rename(home.path("suites/q.toml"), home.path("suites/quick.toml")).unwrap();
    let said = home.cupel(&["run", "quikc"]);
    assert_eq!(said.status, Some(3));
    says(&said, &["there is no suite quikc", "did you mean quick?"]);
    let folder = home.path("suites");
    let said = home.cupel(&["run", folder.to_str().unwrap()]);
    assert_eq!(said.status, Some(3));
    says(&said, &["is a folder"]);
    nothing_was_run(&home);
}

#[test]
fn a_misspelt_filter_is_never_an_empty_run() {
    let home = home();
    home.suite("[64]", "");
    let said = home.cupel(&["run", "q", "--contender", "sham/alhpa"]);
    assert_eq!(said.status, Some(3));
    says(&said, &["no contender is called sham/alhpa", "did you mean sham/alpha?"]);
    let said = home.cupel(&["run", "q", "--primitive", "sha256"]);
    assert_eq!(said.status, Some(3));
    says(&said, &["nothing of this suite fits the filters"]);
    for (option, number) in [("--forks", "0"), ("--forks", "1"), ("--first-forks", "101")] {
        let said = home.cupel(&["run", "q", option, number]);
        assert_eq!(said.status, Some(3));
        says(&said, &["a fork is a set of fresh processes", "a number from 2 to 100"]);
    }
    nothing_was_run(&home);
}

/// Writes a family's file that is wrong on the line with [`HERE`].
fn family_refused(text: &str, words: &[&str]) {
    let home = home();
    home.write("contenders/bad.toml", text);
    home.suite("[64]", "");
    let line = line_of_mistake(text);
    let place = format!("error: {}:{line}: ", home.path("contenders/bad.toml").display());
    for arguments in [&["run", "q"][..], &["list"], &["doctor"]] {
        let said = home.cupel(arguments);
        assert_eq!(said.status, Some(3), "{}", said.err);
        assert!(said.err.contains(&place), "not at line {line}:\n{}\n{text}", said.err);
        says(&said, words);
    }
    assert_eq!(home.asked(), [""; 0], "a runner was started");
}

#[test]
fn a_mistake_in_a_familys_file_is_shown_at_its_line() {
    family_refused("runner = \"progam\" # here\nprefix = \"x\"\n", &["progam", "program"]);
    family_refused("runner = 3 # here\nprefix = \"x\"\n", &["`runner` must be a string"]);
    family_refused("runner = \"program\" # here\ncommand = [\"x\"]\n", &["`prefix` is missing"]);
    family_refused(
        "runner = \"program\"\nprefix = \"x\"\ncomand = [\"x\"] # here\n",
        &["unknown field `comand`", "did you mean `command`?"],
    );
    family_refused(
        "runner = \"native\"\nprefix = \"x\"\nsource = \"x.c\"\ncflags = \"-O2\" # here\n",
        &["expected a sequence"],
    );
    let start = "runner = \"program\"\nprefix = \"x\"\ncommand = [\"x\"]\n";
    family_refused(
        &format!("{start}[missing]\nreason = \"no\"\nremdy = 3 # here\n"),
        &["unknown field `remdy`", "did you mean `remedy`?"],
    );
    family_refused(
        &format!(
            "{start}[[contender]]\nname = \"n\"\noffers = [\n\"sha256:digest\",\n\"sha256\", # here\n]\n"
        ),
        &["\"sha256\" is not PRIMITIVE:OPERATION"],
    );
    family_refused(
        &format!(
            "{start}[[contender]]\nname = \"n\"\noffers = []\n[[contender]]\nname = \"n\" # here\noffers = []\n"
        ),
        &["contender x/n is declared in"],
    );
    family_refused(
        &format!("{start}[[contender]] # here\nname = \"n\"\n"),
        &["missing field `offers`"],
    );
    let of = |name: &str, of: &str| {
        format!("[[contender]]\nname = \"{name}\"\noffers = []\nforced_path_of = \"{of}\"")
    };
    let free = "[[contender]]\nname = \"free\"\noffers = []\n";
    family_refused(
        &format!("{start}{free}{} # here\n", of("forced", "fre")),
        &["forced is a forced path of \"fre\"", "did you mean \"free\"?"],
    );
    // A chain would leave both rows out next to one that is not there.
    family_refused(
        &format!("{start}{free}{}\n{} # here\n", of("one", "free"), of("two", "one")),
        &["two is a forced path of \"one\"", "these do: free"],
    );
    family_refused(&format!("{start}{} # here\n", of("one", "one")), &["declare that contender"]);
}

const VALID: &str = r#"
question = "Which is the fastest?"
forks = 3
budget = "55s"
precision = "1%"
tie-zone = 0.02

[[workload]]
primitive = "sha256"
operation = "digest"
sizes = [16, "1 KiB", 16384]
baseline = ["c/openssl-reused", "rust/ring"]

[[workload]]
primitive = "aes-256-gcm"
operation = "seal"
sizes = [16]
shape = "latency"
contract = { key = "per-call", ad = 13, chunk = 7 }
contenders = "c/*"
"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever bytes a suite has, the result is a suite or a problem with one of its lines.
    #[test]
    fn no_bytes_make_the_reader_of_suites_panic(
        edits in prop::collection::vec((0..VALID.len(), any::<u8>(), 0..4_u8), 1..6),
        junk in "\\PC{0,12}",
    ) {
        let mut bytes = VALID.as_bytes().to_vec();
        for (at, byte, kind) in edits {
            let at = at.min(bytes.len() - 1);
            match kind {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, byte % 128),
                _ => drop(bytes.splice(at..at, junk.bytes())),
            }
        }
        if let Ok(text) = String::from_utf8(bytes)
            && let Err(problem) = Suite::parse(Path::new("q.toml"), text.clone())
        {
            prop_assert!((1..=text.matches('\n').count() + 1).contains(&problem.line), "{problem}");
            prop_assert!(!problem.what.is_empty());
        }
    }

    /// Any text as a quantity.
    #[test]
    fn no_value_makes_the_reader_of_suites_panic(
        value in prop_oneof!["[0-9]{1,25}", "-?[0-9]{1,3}\\.[0-9]{1,3}e[0-9]{1,3}", "\"\\PC{0,8}\"", "nan|inf|true|\\[\\]|\\{\\}|1979-05-27"],
        key in 0..10_usize,
    ) {
        let keys = ["forks", "budget", "precision", "tie-zone", "sizes", "sizes = [", "contract", "shape", "contenders", "baseline"];
        let line = match keys[key] {
            "sizes = [" => format!("sizes = [{value}]"),
            key => format!("{key} = {value}"),
        };
        let text = match key {
            0..=3 => format!("question = \"?\"\n{line}\n[[workload]]\nprimitive = \"sha256\"\nsizes = [1]\n"),
            4 | 5 => format!("question = \"?\"\n[[workload]]\nprimitive = \"sha256\"\n{line}\n"),
            _ => format!("question = \"?\"\n[[workload]]\nprimitive = \"sha256\"\nsizes = [1]\n{line}\n"),
        };
        if let Err(problem) = Suite::parse(Path::new("q.toml"), text) {
            prop_assert!(problem.line >= 1, "{problem}");
        }
    }
}

#[test]
fn of_one_baseline_on_many_toolchains_the_filter_chooses() {
    let home = Home::with(json!([
        { "name": "base@one", "primitives": ["siphash-2-4"] },
        { "name": "base@two", "primitives": ["siphash-2-4"] },
        { "name": "other@two", "primitives": ["siphash-2-4"] },
    ]));
    home.suite("[64]", "baseline = \"sham/base@*\"");
    let baseline = |more: &[&str]| {
        let (_, cells, _) = home.run(more);
        cells.of_contender("sham/other@two")["baseline"].clone()
    };
    assert_eq!(baseline(&[]), "sham/base@one");
    assert_eq!(baseline(&["--contender", "sham/*@two"]), "sham/base@two");
    // The contender that is asked for is compared with the baseline, and does not become it.
    assert_eq!(baseline(&["--contender", "sham/other@two"]), "sham/base@one");
}

#[test]
fn sizes_that_are_drawn_are_read_and_each_mistake_is_said() {
    let home = Home::empty();
    home.family("sham", &json!({ "contenders": [{ "name": "a" }] }), "");
    let refused = |workload: &str, words: &str| {
        let text = format!("question = \"?\"\n[[workload]]\n{workload}\n");
        home.write("suites/q.toml", text);
        let said = home.cupel(&["run", "q"]);
        assert_eq!(said.status, Some(3), "{workload}: {}", said.out);
        assert!(said.err.contains(words), "{workload}: {}", said.err);
    };
    let hash = "primitive = \"sha256\"\n";
    refused(&format!("{hash}sizes = [1]\ndrawn = [[1, 1]]"), "both `sizes` and `drawn`");
    refused(&format!("{hash}drawn = []"), "no sizes");
    refused(&format!("{hash}drawn = [[64, 1], [1, 1]]"), "the sizes do not ascend");
    refused(&format!("{hash}drawn = [[64, 0]]"), "must be above 0");
    refused(&format!("{hash}drawn = [[64, 1.5]]"), "must be an integer");
    refused(&format!("{hash}drawn = [[\"64 KB\", 1]]"), "64 KB");
    refused(&format!("{hash}drawn = [[1, 1]]\nshape = \"latency\""), "has no latency of sizes");
    refused(&format!("{hash}drawn = [[1, 1]]\nthreads = [2]"), "on one thread only");
    refused(&format!("{hash}drawn = [[64, 1000000], [\"16 MiB\", 1]]"), "too rare");
    let many = "operation = \"digest-many\"\ndrawn = [[64, 1]]";
    refused(&format!("{hash}{many}"), "takes no sizes that are drawn");
}
