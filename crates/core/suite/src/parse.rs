//! From TOML to a [`Suite`], with the line of every mistake.

use super::parse_claim::{RawClaim, RawUnclaimed};
use super::reader::{Names, Reader, Scalar};
use super::{Group, Isolation, MAX_SIZE, MAX_SIZE_OF_MANY, Options, Suite, quantity};
use cupel_base::draws;
use cupel_base::name::Pattern;
use cupel_base::primitives;
use cupel_base::problem::{Problem, line_of, text_of};
use cupel_protocol::histogram::Histogram;
use cupel_protocol::workload::{Contract, Lengths, MAX_THREADS, Operation, Shape, Shared};
use serde::{Deserialize, Serialize};
use serde_spanned::Spanned;
use std::collections::BTreeSet;
use std::path::Path;

/// A suite as it is written.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawSuite {
    pub(super) question: Spanned<String>,
    pub(super) forks: Option<Spanned<i64>>,
    pub(super) first_forks: Option<Spanned<i64>>,
    pub(super) jit_forks: Option<Spanned<i64>>,
    pub(super) jit_first_forks: Option<Spanned<i64>>,
    pub(super) budget: Option<Spanned<Scalar>>,
    pub(super) precision: Option<Spanned<Scalar>>,
    pub(super) tie_zone: Option<Spanned<Scalar>>,
    pub(super) isolation: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) workload: Vec<Spanned<RawGroup>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) claim: Vec<Spanned<RawClaim>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) unclaimed: Vec<RawUnclaimed>,
}

impl RawSuite {
    /// A suite of which only the question is written.
    pub(super) fn asking(question: Spanned<String>) -> RawSuite {
        RawSuite {
            question,
            forks: None,
            first_forks: None,
            jit_forks: None,
            jit_first_forks: None,
            budget: None,
            precision: None,
            tie_zone: None,
            isolation: None,
            workload: vec![],
            claim: vec![],
            unclaimed: vec![],
        }
    }
}

/// A size and a number of calls.
pub(super) type Pair = Spanned<(Scalar, Scalar)>;

/// A `[[workload]]` as it is written.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawGroup {
    pub(super) primitive: Option<Spanned<String>>,
    pub(super) choice: Option<Spanned<Names>>,
    pub(super) operation: Option<Spanned<String>>,
    pub(super) sizes: Option<Spanned<Vec<Spanned<Scalar>>>>,
    pub(super) drawn: Option<Spanned<Vec<Pair>>>,
    pub(super) contract: Option<Spanned<toml::Value>>,
    /// A suite that is built as a value, and so is written, has none.
    #[serde(skip_serializing)]
    pub(super) threads: Option<Spanned<Threads>>,
    pub(super) shape: Option<Spanned<String>>,
    pub(super) contenders: Option<Spanned<Names>>,
    pub(super) baseline: Option<Spanned<Names>>,
}

/// On how many threads a workload is measured.
pub(super) enum Threads {
    Listed(Vec<Spanned<i64>>),
    /// `"all"`: on one, and on one for each processor.
    All,
}

impl<'de> Deserialize<'de> for Threads {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Threads, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Threads;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of numbers, or \"all\"")
            }

            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Threads, E> {
                match word {
                    "all" => Ok(Threads::All),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(word), &self)),
                }
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, s: A) -> Result<Threads, A::Error> {
                let list = Vec::deserialize(serde::de::value::SeqAccessDeserializer::new(s))?;
                Ok(Threads::Listed(list))
            }
        }
        from.deserialize_any(Visitor)
    }
}

/// How many threads can have a processor each.
fn processors() -> u32 {
    (cupel_machine::places().len() as u32).clamp(1, MAX_THREADS)
}

impl Suite {
    /// Reads a suite from a file.
    ///
    /// # Errors
    /// The first mistake, with its line and what to do.
    pub fn load(path: &Path) -> Result<Suite, Problem> {
        Suite::parse(path, text_of(path)?)
    }

    /// Reads a suite from its text; `path` is for messages and the name.
    ///
    /// # Errors
    /// The first mistake, with its line and what to do.
    pub fn parse(path: &Path, text: String) -> Result<Suite, Problem> {
        let raw = toml::from_str(&text).map_err(|e| Problem::of_toml(path, &text, &e))?;
        Suite::checked(path, text, raw)
    }

    /// Checks a suite that was read.
    pub(super) fn checked(path: &Path, text: String, raw: RawSuite) -> Result<Suite, Problem> {
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
            .map(|c| reader.claims(c, &workloads, &options))
            .collect::<Result<Vec<_>, _>>()?
            .concat();
        let unclaimed =
            raw.unclaimed.iter().map(|u| reader.unclaimed(u)).collect::<Result<Vec<_>, _>>()?;
        let name = path.file_stem().map_or("suite".into(), |s| s.to_string_lossy().into_owned());
        let question = raw.question.into_inner();
        let path = path.to_path_buf();
        let among = vec![];
        Ok(Suite { name, path, question, among, options, workloads, claims, unclaimed, text })
    }
}

/// The largest message of an operation that can be measured, in bytes, in batches of this many.
pub fn most_bytes(operation: Operation, batch: u32) -> u64 {
    match operation {
        // The answers of verification have every byte of a sealed message on one line.
        Operation::Seal | Operation::Open => 16 << 20,
        // Here the line has the sealed message and the plaintext.
        Operation::SealOpen => 8 << 20,
        Operation::DigestMany => MAX_SIZE_OF_MANY / u64::from(batch),
        _ => MAX_SIZE,
    }
}

/// Rejects a size at which a workload cannot be measured.
pub(super) fn limits(
    size: u64,
    operation: Operation,
    shape: Shape,
    batch: u32,
) -> Result<(), String> {
    let most = most_bytes(operation, batch);
    if size > most {
        return Err(format!(
            "size {size} is out of range: sizes of {operation} are 0 to {most} bytes"
        ));
    }
    if size == 0 && shape == Shape::Latency {
        return Err(
            "size 0 has no latency shape: there is no byte to depend on the last output".into()
        );
    }
    Ok(())
}

impl Reader<'_> {
    fn forks(&self, number: &Spanned<i64>, key: &str) -> Result<u32, Problem> {
        let forks = u32::try_from(*number.get_ref()).ok().filter(|n| (2..=100).contains(n));
        forks
            .ok_or_else(|| self.at(number.span().start, format!("{key} must be between 2 and 100")))
    }

    /// Some forks of a run are no more than all of them.
    fn at_most(
        &self,
        some: Option<&Spanned<i64>>,
        key: &str,
        all: u32,
        whole: &str,
    ) -> Result<(), Problem> {
        let Some(number) = some.filter(|some| *some.get_ref() > i64::from(all)) else {
            return Ok(());
        };
        let fault = format!("{key} must be at most {whole}, which is {all}");
        Err(self.at(number.span().start, fault))
    }

    fn options(&self, raw: &RawSuite) -> Result<Options, Problem> {
        let mut options = Options::default();
        if let Some(forks) = &raw.forks {
            options.forks = self.forks(forks, "forks")?;
        }
        if let Some(first) = &raw.first_forks {
            options.first_forks = Some(self.forks(first, "first-forks")?);
        }
        if let Some(most) = &raw.jit_forks {
            options.jit_forks = Some(self.forks(most, "jit-forks")?);
        }
        if let Some(first) = &raw.jit_first_forks {
            options.jit_first_forks = Some(self.forks(first, "jit-first-forks")?);
        }
        self.at_most(raw.first_forks.as_ref(), "first-forks", options.forks, "forks")?;
        self.at_most(raw.jit_forks.as_ref(), "jit-forks", options.forks, "forks")?;
        let jit = options.jit_forks();
        self.at_most(raw.jit_first_forks.as_ref(), "jit-first-forks", jit, "jit-forks")?;
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

    fn group(&self, raw: &Spanned<RawGroup>) -> Result<Group, Problem> {
        let start = raw.span().start;
        let raw = raw.get_ref();
        let (primitives, at) = self.primitives(raw, start)?;
        let operation = self.operation(raw, &primitives, at)?;
        let shape = match &raw.shape {
            None => Shape::Throughput,
            Some(shape) => {
                self.name(shape, "shape", &[Shape::Throughput, Shape::Latency], |s| s.name())?
            }
        };
        let mut contract = self.contract(raw.contract.as_ref(), operation)?;
        let sizes = match (&raw.sizes, &raw.drawn) {
            (Some(sizes), None) => self.sizes(sizes, shape, operation, contract.batch)?,
            (None, Some(drawn)) => {
                let histogram = self.drawn(drawn, shape, operation)?;
                let longest = histogram.longest();
                contract.lengths = Lengths::Drawn(histogram);
                vec![longest]
            }
            (None, None) => {
                return Err(self.at(start, "this workload has no sizes").help(
                    "write sizes = [64, \"16 KiB\"], or drawn = [[64, 900], [\"16 KiB\", 100]] for \
                     calls whose sizes are drawn: size and number of calls",
                ));
            }
            (Some(_), Some(drawn)) => {
                let what = "this workload has both `sizes` and `drawn`";
                return Err(self
                    .at(drawn.span().start, what)
                    .help("`sizes` measures each size by itself, `drawn` all of them as one"));
            }
        };
        let lengths_at = raw.drawn.as_ref().map(|drawn| drawn.span().start);
        if let Some(why) = contract.undefined_lengths(operation, shape) {
            return Err(self.at(lengths_at.unwrap_or(start), why));
        }
        if shape == Shape::Latency && !operation.has_latency() {
            let at = raw.shape.as_ref().map_or(start, |s| s.span().start);
            return Err(self
                .at(at, format!("{operation} has no latency shape: its input cannot depend on the last output"))
                .help("leave out `shape`, or use \"throughput\""));
        }
        if let Some(why) = contract.undefined_bytes(operation, shape) {
            let at = raw.contract.as_ref().map_or(start, |c| c.span().start);
            return Err(self.at(at, why).help("leave out `bytes`, or use \"throughput\""));
        }
        if let Some(why) = contract.undefined_prefix(operation) {
            let at = raw.contract.as_ref().map_or(start, |c| c.span().start);
            return Err(self.at(at, why).help("`prefix` is for `digest`, in bytes"));
        }
        let threads = self.threads(raw, &contract, operation, shape)?;
        if let Some(contenders) = &raw.contenders
            && Names::with_positions(contenders).next().is_none()
        {
            let at = contenders.span().start;
            return Err(self.at(at, "no contenders").help("leave `contenders` out to have all"));
        }
        let all = vec![Pattern { text: "*".into(), line: line_of(self.text, start) }];
        Ok(Group {
            primitive: primitives::choosing(primitives),
            operation,
            sizes,
            contract,
            threads,
            shape,
            contenders: self.patterns(raw.contenders.as_ref()).unwrap_or(all),
            baseline: self.patterns(raw.baseline.as_ref()).unwrap_or_default(),
            line: line_of(self.text, start),
        })
    }

    /// The primitive of a workload, or those that it chooses between, and where they are named.
    fn primitives(
        &self,
        raw: &RawGroup,
        start: usize,
    ) -> Result<(Vec<&'static str>, usize), Problem> {
        let list = match (&raw.primitive, &raw.choice) {
            (Some(one), None) => return Ok((vec![self.primitive(one)?], one.span().start)),
            (None, Some(list)) => list,
            (Some(_), Some(list)) => {
                return Err(self
                    .at(list.span().start, "this workload has both `primitive` and `choice`")
                    .help("write the one to measure one primitive, the other to choose between several"));
            }
            (None, None) => {
                return Err(self.at(start, "this workload has no primitive").help(
                    "write primitive = \"sha256\", or choice = [\"sha256\", \"blake3\"] to choose between several",
                ));
            }
        };
        let mut found = Vec::new();
        for (name, at) in Names::with_positions(list) {
            let primitive = self.primitive_at(name, at)?;
            if found.contains(&primitive) {
                return Err(self.at(at, format!("primitive \"{name}\" is listed twice")));
            }
            if primitive == primitives::EMPTY {
                let what = "the empty operation is not a primitive to choose";
                return Err(self.at(at, what).help("leave it out"));
            }
            found.push(primitive);
        }
        let at = list.span().start;
        match found.len() {
            0 | 1 => Err(self
                .at(at, "a choice is between two or more primitives")
                .help("add another one, or write primitive = \"...\"")),
            _ => Ok((found, at)),
        }
    }

    fn operation(
        &self,
        raw: &RawGroup,
        primitives: &[&str],
        at: usize,
    ) -> Result<Operation, Problem> {
        let mut offered = Operation::ALL.to_vec();
        offered.retain(|operation| primitives.iter().all(|p| primitives::knows(p, *operation)));
        let primitive = primitives::in_words(&primitives::choosing(primitives.iter().copied()));
        if offered.is_empty() {
            let kinds = primitives.iter().map(|name| {
                let own = primitives::named(name).map_or(&[][..], |p| p.operations);
                let own: Vec<&str> = own.iter().map(|o| o.name()).collect();
                format!("{name} has {}", own.join(", "))
            });
            let what = "these primitives have no operation in common, so none replaces another";
            return Err(self.at(at, what).help(kinds.collect::<Vec<_>>().join("; ")));
        }
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
                _ => Err(self.at(at, format!("which operation of {primitive}?")).help(format!(
                    "it has {}; in a suite, write operation = \"seal\"",
                    offered.iter().map(|o| o.name()).collect::<Vec<_>>().join(", ")
                ))),
            },
        }
    }

    /// The sizes of calls that are drawn, with the number of calls of each.
    fn drawn(
        &self,
        raw: &Spanned<Vec<Pair>>,
        shape: Shape,
        operation: Operation,
    ) -> Result<Histogram, Problem> {
        let mut sizes = Vec::new();
        for pair in raw.get_ref() {
            let (at, (size, calls)) = (pair.span().start, pair.get_ref());
            let size = quantity::size(&size.text()).map_err(|why| self.at(at, why))?;
            limits(size, operation, shape, 1).map_err(|what| self.at(at, what))?;
            let Scalar::Integer(calls) = calls else {
                return Err(self.at(at, "the number of calls must be an integer"));
            };
            let calls = u64::try_from(*calls).ok().filter(|calls| *calls > 0);
            let Some(calls) = calls else {
                return Err(self.at(at, "the number of calls must be above 0"));
            };
            sizes.push((size, calls));
        }
        let at = raw.span().start;
        let histogram = Histogram::new(sizes).map_err(|why| {
            self.at(at, why).help("for example: drawn = [[64, 900], [\"16 KiB\", 100]]")
        })?;
        if !draws::fits(&histogram) {
            return Err(self
                .at(at, "the longest messages are too rare to be measured with the others")
                .help(format!(
                    "most of the time is in calls of which fewer than one in {} is; give them a \
                     workload of their own",
                    draws::DRAWS
                )));
        }
        Ok(histogram)
    }

    fn sizes(
        &self,
        raw: &Spanned<Vec<Spanned<Scalar>>>,
        shape: Shape,
        operation: Operation,
        batch: u32,
    ) -> Result<Vec<u64>, Problem> {
        let mut sizes = Vec::new();
        for item in raw.get_ref() {
            let size = self.quantity(item, quantity::size)?;
            let start = item.span().start;
            limits(size, operation, shape, batch).map_err(|what| self.at(start, what))?;
            if sizes.contains(&size) {
                return Err(self.at(start, format!("size {size} is listed twice")));
            }
            sizes.push(size);
        }
        if sizes.is_empty() {
            return Err(self.at(raw.span().start, "no sizes"));
        }
        sizes.sort_unstable();
        Ok(sizes)
    }

    /// The numbers of threads, ascending; one if the workload has none.
    fn threads(
        &self,
        raw: &RawGroup,
        contract: &Contract,
        operation: Operation,
        shape: Shape,
    ) -> Result<Vec<u32>, Problem> {
        let Some(threads) = &raw.threads else {
            if contract.shared != Shared::None {
                let at = raw.contract.as_ref().map_or(0, |contract| contract.span().start);
                return Err(self
                    .at(self.key_from(at, "shared"), "one thread shares nothing")
                    .help("add threads = [1, 2], or leave out `shared`"));
            }
            return Ok(vec![1]);
        };
        let at = threads.span().start;
        let mut all: Vec<u32> = match threads.get_ref() {
            Threads::All => BTreeSet::from([1, processors()]).into_iter().collect(),
            Threads::Listed(list) => self.listed(list)?,
        };
        if all.is_empty() {
            return Err(self.at(at, "no threads").help("for example: threads = [1, 2, 4]"));
        }
        for &threads in &all {
            let contract = Contract { threads, shared: Shared::None, ..contract.clone() };
            if let Some(why) = contract.undefined_threads(operation, shape) {
                return Err(self.at(at, why).help("leave out `threads`"));
            }
        }
        all.sort_unstable();
        Ok(all)
    }

    fn listed(&self, list: &[Spanned<i64>]) -> Result<Vec<u32>, Problem> {
        let mut all: Vec<u32> = Vec::new();
        for item in list {
            let (number, at) = (*item.get_ref(), item.span().start);
            let threads = u32::try_from(number).ok().filter(|n| (1..=MAX_THREADS).contains(n));
            let Some(threads) = threads else {
                return Err(self
                    .at(at, format!("{number} threads are out of range"))
                    .help(format!("write 1 to {MAX_THREADS}")));
            };
            if all.contains(&threads) {
                return Err(self.at(at, format!("{threads} threads are listed twice")));
            }
            all.push(threads);
        }
        Ok(all)
    }

    fn patterns(&self, raw: Option<&Spanned<Names>>) -> Option<Vec<Pattern>> {
        let patterns = Names::with_positions(raw?)
            .map(|(name, at)| Pattern { text: name.clone(), line: line_of(self.text, at) });
        Some(patterns.collect())
    }

    /// Rejects a workload that repeats another: one measurement would count as two.
    fn no_doubles(&self, groups: &[Group]) -> Result<(), Problem> {
        for (i, a) in groups.iter().enumerate() {
            for b in &groups[i + 1..] {
                // The order of a choice is nothing that differs.
                let [mut own, mut other] = [a, b].map(|group| primitives::choice(&group.primitive));
                own.sort_unstable();
                other.sort_unstable();
                let same = (a.operation, &a.contract, a.shape, own)
                    == (b.operation, &b.contract, b.shape, other);
                let same = same && a.threads.iter().any(|threads| b.threads.contains(threads));
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
