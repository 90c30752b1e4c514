//! The common part of the readers of suites and of claims: positions in the text, quantities and
//! names.

use super::MAX_AD;
use cupel_base::primitives;
use cupel_base::problem::{Problem, Written, did_you_mean};
use cupel_protocol::workload::{Contract, Key, MAX_BATCH, Nonce, Operation};
use serde::{Deserialize, Serialize};
use serde_spanned::Spanned;
use std::path::Path;

/// A number or a string, as people write quantities.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum Scalar {
    Integer(i64),
    Float(f64),
    Text(String),
}

impl Scalar {
    pub(super) fn text(&self) -> String {
        match self {
            Scalar::Integer(n) => n.to_string(),
            Scalar::Float(x) => x.to_string(),
            Scalar::Text(text) => text.clone(),
        }
    }
}

/// A name or a list of names, each with its position. (An untagged enum would lose the positions.)
#[derive(Serialize)]
pub(super) struct Names(pub(super) Vec<Spanned<String>>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Names, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Names;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a name or a list of names")
            }

            fn visit_str<E>(self, name: &str) -> Result<Names, E> {
                // `Names::with_positions` uses the position of the whole value instead.
                Ok(Names(vec![Spanned::new(0..0, name.to_string())]))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut s: A) -> Result<Names, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = s.next_element()? {
                    names.push(name);
                }
                Ok(Names(names))
            }
        }
        from.deserialize_any(Visitor)
    }
}

impl Names {
    /// Each name with its position in the text.
    pub(super) fn with_positions(raw: &Spanned<Names>) -> impl Iterator<Item = (&String, usize)> {
        let start = raw.span().start;
        let Names(names) = raw.get_ref();
        names.iter().map(move |name| (name.get_ref(), name.span().start.max(start)))
    }
}

/// A suite's file while it is read.
pub(super) struct Reader<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

impl Reader<'_> {
    pub(super) fn at(&self, offset: usize, what: impl Into<String>) -> Problem {
        Problem::at(self.path, self.text, offset, what)
    }

    pub(super) fn quantity<T>(
        &self,
        scalar: &Spanned<Scalar>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, Problem> {
        read(&scalar.get_ref().text()).map_err(|e| self.at(scalar.span().start, e))
    }

    pub(super) fn primitive(&self, raw: &Spanned<String>) -> Result<&'static str, Problem> {
        self.primitive_at(raw.get_ref(), raw.span().start)
    }

    pub(super) fn primitive_at(&self, name: &str, at: usize) -> Result<&'static str, Problem> {
        let meant = primitives::meant(name).map(|p| p.name);
        meant.ok_or_else(|| {
            self.at(at, format!("unknown primitive \"{name}\""))
                .help(primitives::instead_of(name, "\""))
        })
    }

    pub(super) fn name<T: Copy>(
        &self,
        raw: &Spanned<String>,
        what: &str,
        known: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Result<T, Problem> {
        known.iter().copied().find(|&k| name(k) == raw.get_ref()).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|&k| name(k)).collect();
            let problem =
                self.at(raw.span().start, format!("unknown {what} \"{}\"", raw.get_ref()));
            problem.help(
                did_you_mean(raw.get_ref(), names.iter().copied(), Written::Value)
                    .unwrap_or_else(|| format!("the known ones are {}", names.join(", "))),
            )
        })
    }

    pub(super) fn contract(
        &self,
        raw: Option<&Spanned<toml::Value>>,
        operation: Operation,
    ) -> Result<Contract, Problem> {
        let default = Contract::usual(operation);
        let Some(raw) = raw else { return Ok(default) };
        let start = raw.span().start;
        if raw.get_ref().is_array() {
            return Err(self
                .at(start, "two contracts on one axis: what is compared must do the same work")
                .help("write one [[workload]] for each contract; each becomes its own chart"));
        }
        let Some(given) = raw.get_ref().as_table() else {
            return Err(self
                .at(start, "the contract must be a table")
                .help("for example: contract = { key = \"per-call\", ad = 13 }"));
        };
        // Keys that are not given keep the operation's default, so the given table overrides the
        // default one.
        let mut table = toml::Table::try_from(&default)
            .map_err(|e| self.at(start, format!("the contract cannot be read: {e}")))?;
        let known = contract_keys(&table, operation);
        for (key, value) in given {
            if key == "threads" || !known.contains(key) {
                return Err(self.unknown_in_contract(start, key, &known, operation));
            }
            table.insert(key.clone(), value.clone());
        }
        let contract: Contract = table.try_into().map_err(|e: toml::de::Error| {
            self.at(start, format!("in the contract: {}", e.message().lines().next().unwrap_or("")))
        })?;
        self.check_contract(start, &contract, operation)?;
        Ok(contract)
    }

    /// The problem with a key that the contracts of an operation do not have.
    fn unknown_in_contract(
        &self,
        start: usize,
        key: &str,
        known: &[String],
        operation: Operation,
    ) -> Problem {
        let position = self.key_from(start, key);
        match key {
            "threads" => self
                .at(position, "`threads` is not a key of the contract")
                .help("write it next to the contract: threads = [1, 2]"),
            "batch" | "lengths" => self
                .at(
                    position,
                    format!("{operation} takes one message per call, so it has no `{key}`"),
                )
                .help("batches are of \"digest-many\""),
            "bytes" => self
                .at(position, format!("{operation} takes any bytes, so it has no `bytes`"))
                .help("leave it out"),
            _ => self.at(position, format!("unknown key `{key}` in the contract")).help(
                did_you_mean(key, known.iter().map(String::as_str), Written::Key)
                    .unwrap_or_else(|| format!("the known ones are {}", known.join(", "))),
            ),
        }
    }

    /// Rejects values that do not fit the operation, or are out of range.
    fn check_contract(
        &self,
        start: usize,
        contract: &Contract,
        operation: Operation,
    ) -> Result<(), Problem> {
        let default = Contract::usual(operation);
        if (default.key == Key::None) != (contract.key == Key::None) {
            let key =
                toml::Value::try_from(contract.key).map_err(|e| self.at(start, e.to_string()))?;
            return Err(
                self.at(start, format!("a contract of {operation} cannot have key = {key}"))
            );
        }
        if (contract.nonce == Nonce::Counter) != (default.nonce == Nonce::Counter)
            || (contract.ad > 0 && default.nonce == Nonce::None)
        {
            return Err(self.at(start, format!("{operation} has no such nonce or associated data")));
        }
        if !(1..=MAX_BATCH).contains(&contract.batch) {
            return Err(self
                .at(
                    self.key_from(start, "batch"),
                    format!("a batch of {} is out of range", contract.batch),
                )
                .help(format!("a batch has 1 to {MAX_BATCH} messages")));
        }
        if operation == Operation::DigestMany && contract.chunk != 0 {
            return Err(self
                .at(self.key_from(start, "chunk"), "the messages of a batch are not streamed")
                .help("leave out `chunk`"));
        }
        if contract.ad > MAX_AD {
            return Err(self
                .at(start, format!("associated data of {} bytes is out of range", contract.ad))
                .help(format!("write 0 to {MAX_AD} bytes")));
        }
        Ok(())
    }

    /// Where a key is assigned, at or after a position in the text. A table may span several lines.
    pub(super) fn key_from(&self, start: usize, key: &str) -> usize {
        let rest = &self.text[start..];
        let found = rest.match_indices(key).find(|(at, _)| {
            rest[at + key.len()..].trim_start_matches(['"', '\'', ' ', '\t']).starts_with('=')
        });
        start + found.map_or(0, |(at, _)| at)
    }
}

/// The keys of an operation's contract. The default leaves out some of them where they have no
/// meaning.
fn contract_keys(default: &toml::Table, operation: Operation) -> Vec<String> {
    let mut keys: Vec<String> = default.keys().cloned().collect();
    if operation == Operation::DigestMany {
        keys.push("lengths".into()); // not written where they are equal
    }
    keys.push("result".into()); // not written where the call returns it
    if operation.restricts_bytes() {
        keys.push("bytes".into()); // not written where they are any
    }
    if operation == Operation::Digest {
        keys.push("prefix".into()); // not written where it is empty
    }
    keys.push("shared".into()); // not written where it is nothing
    keys
}
