//! From `[[claim]]` to a [`Claim`] for each of its primitives, with the line of every mistake. A
//! claim must be about its own workload suite: otherwise no run of the suite could ever decide
//! it.

use super::claim::{Claim, Relation, Unclaimed};
use super::reader::{Names, Reader, Scalar};
use super::said::{self, Said};
use super::{Group, Options, quantity};
use cupel_base::name::{ContenderName, Pattern};
use cupel_base::primitives;
use cupel_base::problem::{Problem, Written, did_you_mean, line_of};
use cupel_protocol::workload::{Operation, Shape};
use serde::{Deserialize, Serialize};
use serde_spanned::Spanned;

/// A `[[claim]]` as it is written.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawClaim {
    pub(super) source: Spanned<String>,
    pub(super) quote: Spanned<String>,
    pub(super) note: Option<String>,
    pub(super) says: Spanned<String>,
    pub(super) primitive: Option<Spanned<Names>>,
    pub(super) operation: Option<Spanned<String>>,
    pub(super) contract: Option<Spanned<toml::Value>>,
    pub(super) shape: Option<Spanned<String>>,
    pub(super) threads: Option<Spanned<i64>>,
    pub(super) sizes: Option<Spanned<Vec<Spanned<Scalar>>>>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawUnclaimed {
    source: Spanned<String>,
    quote: Spanned<String>,
    because: Spanned<String>,
}

impl Reader<'_> {
    pub(super) fn claims(
        &self,
        raw: &Spanned<RawClaim>,
        groups: &[Group],
        options: &Options,
    ) -> Result<Vec<Claim>, Problem> {
        let start = raw.span().start;
        let raw = raw.get_ref();
        self.none_empty(&[&raw.source, &raw.quote])?;
        let at = raw.says.span().start;
        let said = said::parse(raw.says.get_ref(), options.tie_zone)
            .map_err(|wrong| self.at(at, wrong))?;
        let names = [&said.a, &said.b].map(|name| ContenderName::from(name.as_str()));
        let mut claims = Vec::new();
        for primitive in self.claimed_primitives(raw)? {
            let group = self.claimed_group(raw, start, primitive, &names, groups)?;
            let sizes = self.claimed_sizes(raw, group)?;
            let sizes = self.asked_sizes(at, &said, group, sizes)?;
            let threads = self.claimed_threads(raw, start, group)?;
            for name in &names {
                self.must_be_member(name, at, group)?;
                self.must_choose(name, at, group)?;
            }
            let [a, b] = names.clone();
            claims.push(Claim {
                line: line_of(self.text, start),
                source: raw.source.get_ref().clone(),
                quote: raw.quote.get_ref().clone(),
                note: raw.note.clone(),
                a,
                relation: said.relation,
                b,
                primitive: group.primitive.clone(),
                operation: group.operation,
                contract: group.contract_on(threads),
                shape: group.shape,
                sizes,
            });
        }
        Ok(claims)
    }

    /// Rejects any but the name of one contender of the workload.
    fn must_be_member(
        &self,
        name: &ContenderName,
        at: usize,
        group: &Group,
    ) -> Result<(), Problem> {
        if name.contains('*') {
            let what = "a claim names one contender on each side, not a pattern";
            return Err(self.at(at, what));
        }
        if Pattern::new(name.as_str()).names_newest() {
            let what = "a claim is about one toolchain: @newest would make it another claim on another machine";
            let help = "name the toolchain, as in \"jvm/jdk@temurin-25\"";
            return Err(self.at(at, what).help(help));
        }
        let contender = name.without_primitive();
        if group.has(&contender) {
            return Ok(());
        }
        let what = format!(
            "{} is not among the contenders of the workload of line {}",
            contender, group.line
        );
        let known = group.contenders.iter().map(|p| p.text.as_str());
        Err(self.at(at, what).help(
            did_you_mean(&contender, known, Written::Value)
                .unwrap_or_else(|| "add it to `contenders` there".to_string()),
        ))
    }

    /// In a choice, a name has its primitive; elsewhere there is only one.
    fn must_choose(&self, name: &ContenderName, at: usize, group: &Group) -> Result<(), Problem> {
        let known = primitives::choice(&group.primitive);
        let is_choice = primitives::is_choice(&group.primitive);
        match name.primitive() {
            None if is_choice => Err(self
                .at(
                    at,
                    format!(
                        "{name} with which primitive? The workload of line {} is a choice",
                        group.line
                    ),
                )
                .help(format!("write \"{}\"", name.with_primitive(known[0])))),
            Some(primitive) if is_choice && !known.contains(&primitive) => Err(self
                .at(at, format!("{primitive} is not in the choice of line {}", group.line))
                .help(format!("it has {}", known.join(", ")))),
            Some(_) if !is_choice => Err(self
                .at(
                    at,
                    format!(
                        "the workload of line {} is not a choice between primitives",
                        group.line
                    ),
                )
                .help(format!("write \"{}\"", name.contender()))),
            _ => Ok(()),
        }
    }

    pub(super) fn unclaimed(&self, raw: &RawUnclaimed) -> Result<Unclaimed, Problem> {
        self.none_empty(&[&raw.source, &raw.quote, &raw.because])?;
        Ok(Unclaimed {
            source: raw.source.get_ref().clone(),
            quote: raw.quote.get_ref().clone(),
            because: raw.because.get_ref().clone(),
        })
    }

    fn none_empty(&self, texts: &[&Spanned<String>]) -> Result<(), Problem> {
        match texts.iter().find(|text| text.get_ref().trim().is_empty()) {
            Some(empty) => Err(self.at(empty.span().start, "this is empty")),
            None => Ok(()),
        }
    }

    /// The primitives that a claim names; `[None]` if it names none.
    fn claimed_primitives(&self, raw: &RawClaim) -> Result<Vec<Option<&'static str>>, Problem> {
        let Some(names) = &raw.primitive else { return Ok(vec![None]) };
        let mut primitives = Vec::new();
        for (name, at) in Names::with_positions(names) {
            let primitive = Some(self.primitive_at(name, at)?);
            if primitives.contains(&primitive) {
                return Err(self.at(at, format!("primitive \"{name}\" is listed twice")));
            }
            primitives.push(primitive);
        }
        if primitives.is_empty() {
            return Err(self.at(names.span().start, "no primitives"));
        }
        Ok(primitives)
    }

    /// The workload of the suite that a claim is about. The parts that the claim leaves out must be
    /// unambiguous.
    fn claimed_group<'g>(
        &self,
        raw: &RawClaim,
        start: usize,
        primitive: Option<&str>,
        names: &[ContenderName],
        groups: &'g [Group],
    ) -> Result<&'g Group, Problem> {
        let operation = match &raw.operation {
            Some(text) => Some(self.name(text, "operation", &Operation::ALL, |o| o.name())?),
            None => None,
        };
        let shape = match &raw.shape {
            Some(text) => {
                let known = [Shape::Throughput, Shape::Latency];
                Some(self.name(text, "shape", &known, |s| s.name())?)
            }
            None => None,
        };
        let chooses = names.iter().any(|name| name.primitive().is_some());
        if chooses && let Some(named) = &raw.primitive {
            return Err(self
                .at(named.span().start, "the names of this claim say with which primitive already")
                .help("leave out `primitive`"));
        }
        // A claim about a choice names the rows. One without primitives may still mean its only
        // workload.
        let kinds = groups.iter().map(|group| primitives::is_choice(&group.primitive));
        let alike = kinds.clone().any(|is_choice| is_choice == chooses);
        let mut fitting: Vec<&Group> = Vec::new();
        for group in groups {
            if primitive.is_none_or(|p| p == group.primitive)
                && (!alike || primitives::is_choice(&group.primitive) == chooses)
                && operation.is_none_or(|o| o == group.operation)
                && shape.is_none_or(|s| s == group.shape)
                && match &raw.contract {
                    Some(text) => self.contract(Some(text), group.operation)? == group.contract,
                    None => true,
                }
            {
                fitting.push(group);
            }
        }
        if let Some(threads) = &raw.threads {
            let mut wanted = fitting.clone();
            wanted.retain(|group| {
                group.threads.iter().any(|&count| i64::from(count) == *threads.get_ref())
            });
            if !wanted.is_empty() {
                fitting = wanted;
            }
        }
        match fitting[..] {
            [group] => Ok(group),
            [] => Err(self
                .at(
                    start,
                    match primitive {
                        Some(primitive) => format!(
                            "no [[workload]] of this suite measures {primitive} as the claim says"
                        ),
                        None => "no [[workload]] of this suite measures what the claim is about"
                            .to_string(),
                    },
                )
                .help("correct its primitive, operation, contract or shape, or add the workload")),
            [one, other, ..] => Err(self
                .at(
                    start,
                    format!(
                        "which workload is the claim about: that of line {} or of line {}?",
                        one.line, other.line
                    ),
                )
                .help("add its primitive, operation, contract, shape or threads")),
        }
    }

    /// On how many threads it is claimed. No one guesses which of several numbers is meant: a claim
    /// that holds on one thread need not hold on four.
    fn claimed_threads(&self, raw: &RawClaim, start: usize, group: &Group) -> Result<u32, Problem> {
        let numbers: Vec<String> = group.threads.iter().map(u32::to_string).collect();
        let measured = format!(
            "the workload of line {} is measured on {} {}",
            group.line,
            numbers.join(", "),
            if group.threads == [1] { "thread" } else { "threads" }
        );
        let Some(claimed) = &raw.threads else {
            let [only] = group.threads[..] else {
                let what = format!("on how many threads is this claimed? {measured}");
                let keys = numbers.iter().map(|number| format!("threads = {number}"));
                let help = format!("add {}", keys.collect::<Vec<_>>().join(" or "));
                return Err(self.at(start, what).help(help));
            };
            return Ok(only);
        };
        let wanted = *claimed.get_ref();
        let found = group.threads.iter().copied().find(|&threads| i64::from(threads) == wanted);
        found.ok_or_else(|| {
            let what = format!("nothing is measured on {wanted} threads: {measured}");
            let help = "correct the number, or add it to `threads` of the workload";
            self.at(claimed.span().start, what).help(help)
        })
    }

    fn claimed_sizes(&self, raw: &RawClaim, group: &Group) -> Result<Vec<u64>, Problem> {
        let Some(list) = &raw.sizes else { return Ok(group.sizes.clone()) };
        let mut sizes: Vec<u64> = Vec::new();
        for item in list.get_ref() {
            let at = item.span().start;
            let text = item.get_ref().text();
            let ends = text.split_once("..").map(|(low, high)| (low.trim(), high.trim()));
            let (low, high) = ends.unwrap_or((&text, &text));
            let low = quantity::size(low).map_err(|e| self.at(at, e))?;
            let high = quantity::size(high).map_err(|e| self.at(at, e))?;
            let mut found = group.sizes.clone();
            found.retain(|size| (low..=high).contains(size));
            if found.is_empty() {
                let what =
                    format!("the workload of line {} is not measured at \"{text}\"", group.line);
                return Err(self.at(at, what).help(measured_at(&group.sizes)));
            }
            for size in found {
                if sizes.contains(&size) {
                    return Err(self.at(at, format!("size {size} is listed twice")));
                }
                sizes.push(size);
            }
        }
        if sizes.is_empty() {
            return Err(self.at(list.span().start, "no sizes"));
        }
        sizes.sort_unstable();
        Ok(sizes)
    }

    /// The sizes for which the relation has a claim: all, or for a claim of overtaking the smallest
    /// one and all from its own size on.
    fn asked_sizes(
        &self,
        at: usize,
        said: &Said,
        group: &Group,
        sizes: Vec<u64>,
    ) -> Result<Vec<u64>, Problem> {
        let Relation::Overtakes(from) = said.relation else { return Ok(sizes) };
        let (a, line) = (&said.a, group.line);
        let asked: Vec<u64> = sizes
            .iter()
            .enumerate()
            .filter(|&(place, &size)| place == 0 || size >= from)
            .map(|(_, &size)| size)
            .collect();
        if asked[0] >= from {
            let what = format!(
                "the workload of line {line} has no size of the claim below {from} bytes, so {a} overtakes nothing there"
            );
            let help = format!(
                "measure a size at which {a} is still slower, or write \"faster than\"; {}",
                measured_at(&group.sizes)
            );
            return Err(self.at(at, what).help(help));
        }
        if asked.len() == 1 {
            let what = format!(
                "the workload of line {line} has no size of the claim from {from} bytes on"
            );
            return Err(self.at(at, what).help(measured_at(&group.sizes)));
        }
        Ok(asked)
    }
}

/// The message for a size that is not among the measured ones.
fn measured_at(sizes: &[u64]) -> String {
    let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
    format!("it is measured at {} bytes", sizes.join(", "))
}
