//! The output of `--format json` follows `docs/reference/schema/run.json`.

use crate::support::Home;
use serde_json::{Value, json};

/// The keywords of JSON Schema that the schemas here use. Others would be promises without a check.
const CHECKED: [&str; 8] =
    ["$ref", "additionalProperties", "anyOf", "enum", "items", "properties", "required", "type"];
const NOTES: [&str; 4] = ["$defs", "$schema", "description", "title"];

struct Schema(Value);

/// A change that makes a right document wrong.
type Change = fn(&mut Value);

impl Schema {
    fn of_a_run() -> Schema {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/schema/run.json");
        let text = std::fs::read_to_string(file).expect(file);
        Schema(serde_json::from_str(&text).expect("a JSON document"))
    }

    /// The faults of a document, each with its place.
    fn faults(&self, document: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        self.check(&self.0, document, "", &mut faults);
        faults
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
        let schema = schema.as_object().unwrap_or_else(|| panic!("no schema at {at}: {schema}"));
        for keyword in schema.keys().map(String::as_str) {
            assert!(CHECKED.contains(&keyword) || NOTES.contains(&keyword), "{at}: {keyword}");
        }
        if let Some(reference) = schema.get("$ref") {
            let pointer = reference.as_str().and_then(|r| r.strip_prefix('#')).expect("a pointer");
            let target = self.0.pointer(pointer).unwrap_or_else(|| panic!("{pointer} is missing"));
            self.check(target, value, at, faults);
        }
        if let Some(types) = schema.get("type")
            && !names(types).any(|name| has_type(value, name))
        {
            faults.push(format!("{at}: {value} has not the type {types}"));
        }
        if let Some(allowed) = schema.get("enum")
            && !allowed.as_array().unwrap().contains(value)
        {
            faults.push(format!("{at}: {value} is not one of {allowed}"));
        }
        if let Some(any) = schema.get("anyOf") {
            let fits = |one: &Value| {
                let mut its = Vec::new();
                self.check(one, value, at, &mut its);
                its.is_empty()
            };
            if !any.as_array().unwrap().iter().any(fits) {
                faults.push(format!("{at}: {value} has none of the allowed forms"));
            }
        }
        for required in schema.get("required").into_iter().flat_map(names) {
            if value.get(required).is_none() {
                faults.push(format!("{at}/{required} is missing"));
            }
        }
        for (key, part) in value.as_object().into_iter().flatten() {
            let at = format!("{at}/{key}");
            match (
                schema.get("properties").and_then(|p| p.get(key)),
                schema.get("additionalProperties"),
            ) {
                (Some(known), _) => self.check(known, part, &at, faults),
                (None, Some(Value::Bool(false))) => {
                    faults.push(format!("{at} is not in the schema"))
                }
                (None, Some(others)) => self.check(others, part, &at, faults),
                (None, None) => {}
            }
        }
        if let Some(items) = schema.get("items") {
            for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                self.check(items, item, &format!("{at}/{number}"), faults);
            }
        }
    }
}

/// A text, or the texts of a list.
fn names(value: &Value) -> impl Iterator<Item = &str> {
    value
        .as_str()
        .into_iter()
        .chain(value.as_array().into_iter().flatten().filter_map(Value::as_str))
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => panic!("no type is called {name}"),
    }
}

/// A suite with a choice, several threads, a claim, and a contender that is wrong.
fn home() -> Home {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4", "hmac-sha256", "empty"], "fixed_ns": 200, "per_byte_ns": 1 },
        { "name": "b", "primitives": ["siphash-2-4", "sha256"], "fixed_ns": 260, "per_byte_ns": 1,
          "contention": 0.1 },
        { "name": "c", "primitives": ["siphash-2-4"], "fixed_ns": 300, "per_byte_ns": 1,
          "fault": { "kind": "wrong-output" } },
    ]));
    let text = "question = \"Which?\"\nforks = 3\nbudget = \"1s\"\n\n\
        [[workload]]\nprimitive = \"siphash-2-4\"\nsizes = [16, 64, 1024]\n\n\
        [[workload]]\nchoice = [\"siphash-2-4\", \"hmac-sha256\"]\nsizes = [64]\n\n\
        [[workload]]\nprimitive = \"sha256\"\nsizes = [64]\nthreads = [1, 2]\n\n\
        [[claim]]\nsays = \"sham/a is faster than sham/b\"\nprimitive = \"siphash-2-4\"\n\
        sizes = [64]\nsource = \"a test\"\nquote = \"a is faster\"\n";
    home.write("suites/q.toml", text);
    home
}

#[test]
fn a_run_is_written_as_the_schema_says() {
    let (home, schema) = (home(), Schema::of_a_run());
    let ran = home.cupel(&["run", "q", "--format", "json"]);
    home.change("update run set circumstances = '{\"left_out\": [\"jvm/a\"]}'");
    let shown = home.cupel(&["show", "--format", "json"]);
    for said in [&ran, &shown] {
        let document: Value = serde_json::from_str(&said.out).expect(&said.err);
        assert_eq!(schema.faults(&document), Vec::<String>::new());
        for part in ["scaling", "security", "claims"] {
            assert!(document.get(part).is_some(), "{part} would not be checked");
        }
        let verdicts: Vec<&Value> =
            document["cells"].as_array().unwrap().iter().map(|c| &c["verdict"]).collect();
        assert!(verdicts.contains(&&json!("failed")), "{verdicts:?}");
    }
    assert!(shown.out.contains("\"circumstances\""), "it would not be checked");
}

#[test]
fn the_schema_refuses_what_it_does_not_say() {
    let (home, schema) = (home(), Schema::of_a_run());
    home.cupel(&["run", "q"]);
    let shown = home.cupel(&["show", "--format", "json"]);
    let right: Value = serde_json::from_str(&shown.out).expect(&shown.err);
    let faults = |change: Change| {
        let mut document = right.clone();
        change(&mut document);
        schema.faults(&document)
    };
    let changes: [(Change, &str); 6] = [
        (|d| d["cells"][0]["extra"] = json!(1), "/cells/0/extra is not in the schema"),
        (|d| drop(d.as_object_mut().unwrap().remove("run")), "/run is missing"),
        (|d| d["run"] = json!("1"), "/run: \"1\" has not the type"),
        (|d| d["cells"][0]["verdict"] = json!("fast"), "/cells/0/verdict: \"fast\" is not one of"),
        (|d| d["machine"]["cpu"] = json!({}), "/machine/cpu: {} has none of the allowed forms"),
        (|d| d["claims"]["claims"][0]["line"] = json!(null), "/claims/claims/0/line: null"),
    ];
    for (change, expected) in changes {
        let found = faults(change);
        assert!(found.len() == 1 && found[0].contains(expected), "{expected}: {found:?}");
    }
}
