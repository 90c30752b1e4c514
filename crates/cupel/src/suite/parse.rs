//! From TOML to a [`Suite`], with every mistake placed.

use super::parse_claim::{RawClaim, RawUnclaimed};
use super::problem::{Problem, nearest};
use super::{
    Group, Isolation, MAX_AD, MAX_SIZE, MAX_SIZE_OF_MANY, Options, Pattern, Suite, quantity,
};
use crate::verify::reference;
use cupel_protocol::workload::{Contract, Key, MAX_BATCH, Nonce, Operation, Shape};
use serde::Deserialize;
use serde_spanned::Spanned;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawSuite {
    question: Spanned<String>,
    forks: Option<Spanned<i64>>,
    budget: Option<Spanned<Scalar>>,
    precision: Option<Spanned<Scalar>>,
    tie_zone: Option<Spanned<Scalar>>,
    isolation: Option<Spanned<String>>,
    #[serde(default)]
    workload: Vec<Spanned<RawGroup>>,
    #[serde(default)]
    claim: Vec<Spanned<RawClaim>>,
    #[serde(default)]
    unclaimed: Vec<RawUnclaimed>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawGroup {
    primitive: Spanned<String>,
    operation: Option<Spanned<String>>,
    sizes: Spanned<Vec<Spanned<Scalar>>>,
    contract: Option<Spanned<toml::Value>>,
    shape: Option<Spanned<String>>,
    contenders: Option<Spanned<Names>>,
    baseline: Option<Spanned<Names>>,
}

/// A number or a string, as people write quantities.
#[derive(Deserialize)]
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

/// A name or a list of names, each with its place. (An untagged enum would lose the places.)
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
                // Its place is that of the whole value, which the reader of the suite knows.
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

impl Suite {
    /// Reads a suite from a file.
    ///
    /// # Errors
    /// The first mistake, with its line and what to do.
    pub fn load(path: &Path) -> Result<Suite, Problem> {
        Suite::parse(path, super::problem::text_of(path)?)
    }

    /// Reads a suite from its text; `path` is for messages and the name.
    ///
    /// # Errors
    /// The first mistake, with its line and what to do.
    pub fn parse(path: &Path, text: String) -> Result<Suite, Problem> {
        let raw: RawSuite = toml::from_str(&text).map_err(|e| Problem::of_toml(path, &text, &e))?;
        let reader = Reader { path, text: &text };
        let options = reader.options(&raw)?;
        if raw.workload.is_empty() {
            return Err(reader.at(raw.question.span().start, "the suite has no [[workload]]"));
        }
        let workloads =
            raw.workload.iter().map(|w| reader.group(w)).collect::<Result<Vec<_>, _>>()?;
        reader.no_doubles(&workloads)?;
        let claims = raw
            .claim
            .iter()
            .map(|c| reader.claim(c, &workloads, &options))
            .collect::<Result<Vec<_>, _>>()?;
        let unclaimed =
            raw.unclaimed.iter().map(|u| reader.unclaimed(u)).collect::<Result<Vec<_>, _>>()?;
        let name = path.file_stem().map_or("suite".into(), |s| s.to_string_lossy().into_owned());
        let question = raw.question.into_inner();
        let path = path.to_path_buf();
        Ok(Suite { name, path, question, options, workloads, claims, unclaimed, text })
    }
}

pub(super) struct Reader<'a> {
    path: &'a Path,
    pub(super) text: &'a str,
}

impl Reader<'_> {
    pub(super) fn at(&self, offset: usize, what: impl Into<String>) -> Problem {
        Problem::at(self.path, self.text, offset, what)
    }

    fn options(&self, raw: &RawSuite) -> Result<Options, Problem> {
        let mut options = Options::default();
        if let Some(forks) = &raw.forks {
            options.forks = u32::try_from(*forks.get_ref())
                .ok()
                .filter(|n| (2..=100).contains(n))
                .ok_or_else(|| self.at(forks.span().start, "forks must be between 2 and 100"))?;
        }
        if let Some(budget) = &raw.budget {
            options.budget = self.quantity(budget, quantity::duration)?;
        }
        if let Some(precision) = &raw.precision {
            options.precision = self.quantity(precision, quantity::percent)?;
        }
        if let Some(zone) = &raw.tie_zone {
            options.tie_zone = self.quantity(zone, quantity::percent)?;
        }
        if let Some(isolation) = &raw.isolation {
            let kinds = [Isolation::Contender, Isolation::Cell];
            options.isolation = self.name(isolation, "isolation", &kinds, |kind| kind.name())?;
        }
        Ok(options)
    }

    pub(super) fn quantity<T>(
        &self,
        scalar: &Spanned<Scalar>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, Problem> {
        read(&scalar.get_ref().text()).map_err(|e| self.at(scalar.span().start, e))
    }

    fn group(&self, raw: &Spanned<RawGroup>) -> Result<Group, Problem> {
        let start = raw.span().start;
        let raw = raw.get_ref();
        let primitive = self.primitive(&raw.primitive)?;
        let operation = self.operation(raw, primitive)?;
        let shape = match &raw.shape {
            None => Shape::Throughput,
            Some(shape) => {
                self.name(shape, "shape", &[Shape::Throughput, Shape::Latency], |s| s.name())?
            }
        };
        let contract = self.contract(raw.contract.as_ref(), operation)?;
        let sizes = self.sizes(raw, shape, operation, contract.batch)?;
        if shape == Shape::Latency && !operation.has_latency() {
            let at = raw.shape.as_ref().map_or(start, |s| s.span().start);
            return Err(self
                .at(at, format!("{operation} has no latency shape: its input cannot depend on the last output"))
                .help("leave out `shape`, or use \"throughput\""));
        }
        let all =
            vec![Pattern { text: "*".into(), line: super::problem::line_of(self.text, start) }];
        Ok(Group {
            primitive: primitive.to_string(),
            operation,
            sizes,
            contract,
            shape,
            contenders: self.patterns(raw.contenders.as_ref()).unwrap_or(all),
            baseline: self.patterns(raw.baseline.as_ref()).unwrap_or_default(),
            line: super::problem::line_of(self.text, start),
        })
    }

    pub(super) fn primitive(&self, raw: &Spanned<String>) -> Result<&'static str, Problem> {
        let known = reference::primitives().iter().map(|p| p.name);
        known.clone().find(|name| name == raw.get_ref()).ok_or_else(|| {
            let problem =
                self.at(raw.span().start, format!("unknown primitive \"{}\"", raw.get_ref()));
            match nearest(raw.get_ref(), known.clone()) {
                Some(name) => problem.help(format!("did you mean \"{name}\"?")),
                None => problem.help(format!("known are {}", known.collect::<Vec<_>>().join(", "))),
            }
        })
    }

    fn operation(&self, raw: &RawGroup, primitive: &str) -> Result<Operation, Problem> {
        let offered: Vec<Operation> = Operation::ALL
            .into_iter()
            .filter(|&operation| reference::knows(primitive, operation))
            .collect();
        match &raw.operation {
            Some(text) => {
                let operation = self.name(text, "operation", &Operation::ALL, |o| o.name())?;
                if !offered.contains(&operation) {
                    let names: Vec<&str> = offered.iter().map(|o| o.name()).collect();
                    return Err(self
                        .at(
                            text.span().start,
                            format!("{primitive} has no operation \"{operation}\""),
                        )
                        .help(format!("it has {}", names.join(", "))));
                }
                Ok(operation)
            }
            None => match offered[..] {
                [Operation::Digest, ..] => Ok(Operation::Digest),
                [only] => Ok(only),
                _ => Err(self
                    .at(raw.primitive.span().start, format!("which operation of {primitive}?"))
                    .help("add a line such as operation = \"seal\"")),
            },
        }
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
            match nearest(raw.get_ref(), names.iter().copied()) {
                Some(name) => problem.help(format!("did you mean \"{name}\"?")),
                None => problem.help(format!("known are {}", names.join(", "))),
            }
        })
    }

    pub(super) fn contract(
        &self,
        raw: Option<&Spanned<toml::Value>>,
        operation: Operation,
    ) -> Result<Contract, Problem> {
        let default = Contract::of(operation);
        let Some(raw) = raw else { return Ok(default) };
        let start = raw.span().start;
        if raw.get_ref().is_array() {
            return Err(self
                .at(start, "two contracts on one axis: what is compared must do the same work")
                .help(
                    "write one [[workload]] for each contract; each becomes a chart of its own",
                ));
        }
        let Some(given) = raw.get_ref().as_table() else {
            return Err(self
                .at(start, "the contract must be a table")
                .help("for example: contract = { key = \"per-call\", ad = 13 }"));
        };
        // What is not given keeps the operation's default, so the two tables are laid over each other.
        let mut table = toml::Table::try_from(&default)
            .map_err(|e| self.at(start, format!("the contract cannot be read: {e}")))?;
        let mut keys: Vec<String> = table.keys().cloned().collect();
        if operation == Operation::DigestMany {
            keys.push("lengths".into()); // not written where they are equal
        }
        for (key, value) in given {
            if !keys.contains(key) {
                let place = self.key_from(start, key);
                if ["batch", "lengths"].contains(&key.as_str()) {
                    let what =
                        format!("{operation} takes one message a call, so it has no `{key}`");
                    return Err(self.at(place, what).help("batches are of \"digest-many\""));
                }
                let problem = self.at(place, format!("unknown key `{key}` in the contract"));
                return Err(match nearest(key, keys.iter().map(String::as_str)) {
                    Some(known) => problem.help(format!("did you mean `{known}`?")),
                    None => problem.help(format!("known are {}", keys.join(", "))),
                });
            }
            table.insert(key.clone(), value.clone());
        }
        let contract: Contract = table.try_into().map_err(|e: toml::de::Error| {
            self.at(start, format!("in the contract: {}", e.message().lines().next().unwrap_or("")))
        })?;
        if (default.key == Key::None) != (contract.key == Key::None) {
            let key =
                toml::Value::try_from(contract.key).map_err(|e| self.at(start, e.to_string()))?;
            return Err(self.at(start, format!("a contract of {operation} cannot say key = {key}")));
        }
        if (contract.nonce == Nonce::Counter) != (default.nonce == Nonce::Counter)
            || (contract.ad > 0 && default.nonce == Nonce::None)
        {
            return Err(self.at(start, format!("{operation} has no such nonce or associated data")));
        }
        if !(1..=MAX_BATCH).contains(&contract.batch) {
            return Err(self
                .at(self.key_from(start, "batch"), format!("no batch of {}", contract.batch))
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
                .help(format!("it has 0 to {MAX_AD} bytes")));
        }
        Ok(contract)
    }

    /// Where a key is given a value, from a place in the text on: a table may run over several lines.
    fn key_from(&self, start: usize, key: &str) -> usize {
        let rest = &self.text[start..];
        let found = rest.match_indices(key).find(|(at, _)| {
            rest[at + key.len()..].trim_start_matches(['"', '\'', ' ', '\t']).starts_with('=')
        });
        start + found.map_or(0, |(at, _)| at)
    }

    fn sizes(
        &self,
        raw: &RawGroup,
        shape: Shape,
        operation: Operation,
        batch: u32,
    ) -> Result<Vec<u64>, Problem> {
        let mut sizes = Vec::new();
        for item in raw.sizes.get_ref() {
            let size = self.quantity(item, quantity::size)?;
            let start = item.span().start;
            let most = match operation {
                // Verification shows every byte of a sealed message on one line.
                Operation::Seal | Operation::Open => 16 << 20,
                // And both sides of a round trip.
                Operation::SealOpen => 8 << 20,
                Operation::DigestMany => MAX_SIZE_OF_MANY / u64::from(batch),
                _ => MAX_SIZE,
            };
            if size > most {
                return Err(self
                    .at(start, format!("size {size} is out of range"))
                    .help(format!("sizes of {operation} are 0 to {most} bytes")));
            }
            if size == 0 && shape == Shape::Latency {
                return Err(self.at(
                    start,
                    "size 0 has no latency shape: there is no byte to depend on the last output",
                ));
            }
            if sizes.contains(&size) {
                return Err(self.at(start, format!("size {size} stands here twice")));
            }
            sizes.push(size);
        }
        if sizes.is_empty() {
            return Err(self.at(raw.sizes.span().start, "no sizes"));
        }
        sizes.sort_unstable();
        Ok(sizes)
    }

    fn patterns(&self, raw: Option<&Spanned<Names>>) -> Option<Vec<Pattern>> {
        let raw = raw?;
        let place = |name: &Spanned<String>| {
            super::problem::line_of(self.text, name.span().start.max(raw.span().start))
        };
        let Names(names) = raw.get_ref();
        let pattern =
            |name: &Spanned<String>| Pattern { text: name.get_ref().clone(), line: place(name) };
        Some(names.iter().map(pattern).collect())
    }

    /// The same cell twice would count one measurement as two.
    fn no_doubles(&self, groups: &[Group]) -> Result<(), Problem> {
        for (i, a) in groups.iter().enumerate() {
            for b in &groups[i + 1..] {
                let same = (&a.primitive, a.operation, &a.contract, a.shape)
                    == (&b.primitive, b.operation, &b.contract, b.shape);
                if let Some(size) = a.sizes.iter().find(|size| same && b.sizes.contains(size)) {
                    return Err(Problem {
                        path: self.path.to_path_buf(),
                        line: b.line,
                        what: format!(
                            "this workload repeats the one of line {} at size {size}",
                            a.line
                        ),
                        help: Some("put all contenders of a workload into one [[workload]]".into()),
                    });
                }
            }
        }
        Ok(())
    }
}
