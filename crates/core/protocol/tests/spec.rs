//! Checks the specification against the code: its examples are messages, field by field, and its
//! numbers equal this crate's.

use cupel_protocol::message::{
    Ask, Computed, Done, Hello, List, Outcome, Prepared, Reply, Request, Sliced,
};
use cupel_protocol::workload::{
    BATCH, Bytes, Contract, Lengths, MAX_BATCH, MAX_PREFIX, MAX_THREADS, Operation,
};
use cupel_protocol::{PROTOCOL, bytes, fold, line};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

const SPEC: &str = include_str!("../../../../protocol/SPEC.md");

/// Reads an example and writes it again.
fn through<T: DeserializeOwned + Serialize>(example: &str) -> Value {
    let read: T = serde_json::from_str(example).unwrap_or_else(|e| panic!("{e}: {example}"));
    serde_json::to_value(read).unwrap()
}

fn through_reply<T: DeserializeOwned + Serialize>(example: &str) -> Value {
    let reply: Reply<T> =
        serde_json::from_str(example).unwrap_or_else(|e| panic!("{e}: {example}"));
    if let Outcome::Unsupported(r) | Outcome::Missing(r) | Outcome::Failed(r) = &reply.outcome {
        assert!(!r.reason.is_empty());
    }
    serde_json::to_value(reply).unwrap()
}

#[test]
fn every_example_is_a_message_of_this_crate_field_by_field() {
    let blocks: Vec<&str> = SPEC
        .split("```json\n")
        .skip(1)
        .map(|rest| rest.split("```").next().expect("a block has an end"))
        .collect();
    let mut asked = Vec::new();
    for block in blocks {
        let lines: Vec<&str> = block.lines().collect();
        for pair in lines.chunks(2) {
            let [request, reply] = pair else { panic!("a request without a reply: {block}") };
            let exact = |example: &str| serde_json::from_str::<Value>(example).unwrap();
            assert_eq!(through::<Request>(request), exact(request));
            let ask = serde_json::from_str::<Request>(request).unwrap().ask;
            let again = match ask {
                Ask::Hello { .. } => through_reply::<Hello>(reply),
                Ask::List => through_reply::<List>(reply),
                Ask::Prepare(_) => through_reply::<Prepared>(reply),
                Ask::Compute(_) => through_reply::<Computed>(reply),
                Ask::Slice(_) | Ask::Audit(_) => through_reply::<Sliced>(reply),
                Ask::Bye => through_reply::<Done>(reply),
            };
            assert_eq!(again, exact(reply));
            asked.push(exact(request)["ask"].as_str().unwrap().to_string());
        }
    }
    asked.dedup();
    assert_eq!(
        asked,
        ["hello", "list", "compute", "prepare", "slice", "prepare", "slice", "prepare", "bye"]
    );
}

fn says(what: &str) {
    assert!(SPEC.contains(what), "the specification does not say: {what}");
}

#[test]
fn the_bytes_below_0x80_that_it_gives_are_those_of_the_code() {
    let message = hex::encode(Bytes::SevenBit.stream(1, 13));
    says(&format!("the stream of seed 1 then is `{message}`"));
}

#[test]
fn its_numbers_are_those_of_the_code() {
    says(&format!("Version {PROTOCOL}."));
    says(&format!("at most {} MiB (50 331 648 bytes)", line::MAX_LINE >> 20));
    assert_eq!(line::MAX_LINE, 50_331_648);
    for (seed, len) in [(0, 24), (1, 13)] {
        says(&format!("| {seed} | {len} | `{}` |", hex::encode(bytes::stream(seed, len))));
    }
    for primitive in ["aes-256-gcm", "xchacha20-poly1305"] {
        let nonce = bytes::CallNonce::new(258, bytes::nonce_length(primitive));
        says(&format!("`{}`", hex::encode(&*nonce)));
    }
    for output in ["010203", "e545be4961ca29a1"] {
        let word = fold::word(&hex::decode(output).unwrap());
        says(&format!("| `{output}` | `{word:016x}`"));
    }
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let word = fold::word(&hex::decode(abc).unwrap());
    says(&format!("| `{abc}` (SHA-256 of `abc`) | `{word:016x}` |"));
}

#[test]
fn the_spread_lengths_that_it_gives_are_those_of_the_code() {
    let first: Vec<String> = (0..5).map(|j| Lengths::Spread.length(j, 2048).to_string()).collect();
    says(&format!("first five of the spread lengths are {}.", first.join(", ")));
    says(&format!("`digest-many` has `batch` {BATCH},"));
    says(&format!("| `batch` | integer, 1 to {MAX_BATCH} | "));
    says(&format!("| `threads` | integer, 1 to {MAX_THREADS} | "));
    says(&format!("| `prefix` | integer, 0 to {MAX_PREFIX} | "));
    let prefixed = Contract { prefix: 8, ..Contract::usual(Operation::Digest) };
    says(&format!("the prefix of 8 bytes is `{}`", hex::encode(prefixed.prefix())));
}

#[test]
fn it_names_every_operation_and_every_field_of_a_contract_with_its_default() {
    for operation in Operation::ALL {
        says(&format!("| `{operation}` | "));
    }
    let mut contract = serde_json::to_value(Contract::default()).unwrap();
    // These are not written if they have their default.
    let Contract { batch, lengths, bytes, result, threads, shared, .. } = Contract::default();
    contract["forged"] = "absent".into();
    contract["prefix"] = 0.into();
    contract["batch"] = batch.into();
    contract["lengths"] = serde_json::to_value(lengths).unwrap();
    contract["bytes"] = serde_json::to_value(bytes).unwrap();
    contract["result"] = serde_json::to_value(result).unwrap();
    contract["threads"] = threads.into();
    contract["shared"] = serde_json::to_value(shared).unwrap();
    for (field, default) in contract.as_object().unwrap() {
        let default = default.as_str().map_or(default.to_string(), |s| format!("`{s}`"));
        let mut rows = SPEC.lines().filter(|row| row.starts_with(&format!("| `{field}` | ")));
        let documented = rows.any(|row| row.contains(&format!(" | {default} | ")));
        assert!(documented, "no row says that {field} is {default} by default");
    }
}
