//! From `[[claim]]` to a [`Claim`], with the line of every mistake. A claim must be about a
//! workload of its own suite: otherwise no run of the suite could ever decide it.

use super::claim::{Claim, Factor, Relation, Unclaimed};
use super::reader::{Reader, Scalar};
use super::{Group, Options, quantity};
use crate::name::{ContenderName, Pattern};
use crate::problem::{Problem, Written, did_you_mean, line_of};
use cupel_protocol::workload::{Operation, Shape};
use serde::Deserialize;
use serde_spanned::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawClaim {
    source: Spanned<String>,
    quote: Spanned<String>,
    note: Option<String>,
    a: Spanned<String>,
    is: Spanned<String>,
    b: Spanned<String>,
    ratio: Option<Spanned<Scalar>>,
    tolerance: Option<Spanned<Scalar>>,
    margin: Option<Spanned<Scalar>>,
    primitive: Option<Spanned<String>>,
    operation: Option<Spanned<String>>,
    contract: Option<Spanned<toml::Value>>,
    shape: Option<Spanned<String>>,
    sizes: Option<Spanned<Vec<Spanned<Scalar>>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawUnclaimed {
    source: Spanned<String>,
    quote: Spanned<String>,
    because: Spanned<String>,
}

/// How far a measured factor may be from a claimed one if the claim does not say. It is wide,
/// because the figures of documents come from other machines, and from programs that were measured
/// one after the other.
const TOLERANCE: f64 = 0.2;

impl Reader<'_> {
    pub(super) fn claim(
        &self,
        raw: &Spanned<RawClaim>,
        groups: &[Group],
        options: &Options,
    ) -> Result<Claim, Problem> {
        let start = raw.span().start;
        let raw = raw.get_ref();
        self.none_empty(&[&raw.source, &raw.quote, &raw.a, &raw.b])?;
        if raw.a.get_ref() == raw.b.get_ref() {
            let what = format!("the claim compares {} with itself", raw.a.get_ref());
            return Err(self.at(raw.b.span().start, what));
        }
        let relation = self.relation(raw, options)?;
        let group = self.claimed_group(raw, start, groups)?;
        let sizes = self.claimed_sizes(raw, group)?;
        for name in [&raw.a, &raw.b] {
            if name.get_ref().contains('*') {
                let what = "a claim names one contender on each side, not a pattern";
                return Err(self.at(name.span().start, what));
            }
            if Pattern::new(name.get_ref()).names_newest() {
                let what = "a claim is about one toolchain: @newest would make it another claim on another machine";
                return Err(self
                    .at(name.span().start, what)
                    .help("name the toolchain, as in \"jvm/jdk@temurin-25\""));
            }
            if !group.has(&ContenderName::from(name.get_ref().as_str())) {
                let what = format!(
                    "{} is not among the contenders of the workload of line {}",
                    name.get_ref(),
                    group.line
                );
                let known = group.contenders.iter().map(|p| p.text.as_str());
                let problem = self.at(name.span().start, what);
                return Err(problem.help(
                    did_you_mean(name.get_ref(), known, Written::Value)
                        .unwrap_or_else(|| "add it to `contenders` there".to_string()),
                ));
            }
        }
        Ok(Claim {
            line: line_of(self.text, start),
            source: raw.source.get_ref().clone(),
            quote: raw.quote.get_ref().clone(),
            note: raw.note.clone(),
            a: raw.a.get_ref().as_str().into(),
            relation,
            b: raw.b.get_ref().as_str().into(),
            primitive: group.primitive.clone(),
            operation: group.operation,
            contract: group.contract.clone(),
            shape: group.shape,
            sizes,
        })
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

    fn relation(&self, raw: &RawClaim, options: &Options) -> Result<Relation, Problem> {
        let words = Relation::WORDS;
        let word = raw.is.get_ref().as_str();
        let refuse = |key: &str, given: Option<&Spanned<Scalar>>| match given {
            Some(given) => Err(self.at(
                given.span().start,
                format!("`{key}` has no meaning in a claim with is = \"{word}\""),
            )),
            None => Ok(()),
        };
        let margin = || match &raw.margin {
            Some(margin) => self.quantity(margin, quantity::percent),
            None => Ok(options.tie_zone),
        };
        match word {
            "faster" | "slower" => {
                refuse("margin", raw.margin.as_ref())?;
                if raw.ratio.is_none() {
                    refuse("tolerance", raw.tolerance.as_ref())?;
                }
                let factor = self.factor(raw)?;
                let faster = word == "faster";
                Ok(if faster { Relation::Faster(factor) } else { Relation::Slower(factor) })
            }
            "equal" | "not-slower" => {
                refuse("ratio", raw.ratio.as_ref())?;
                refuse("tolerance", raw.tolerance.as_ref())?;
                let margin = margin()?;
                let equal = word == "equal";
                Ok(if equal { Relation::Equal(margin) } else { Relation::NotSlower(margin) })
            }
            _ => {
                let what = format!("unknown relation \"{word}\"");
                let problem = self.at(raw.is.span().start, what);
                Err(problem.help(
                    did_you_mean(word, words, Written::Value)
                        .unwrap_or_else(|| format!("the known ones are {}", words.join(", "))),
                ))
            }
        }
    }

    fn factor(&self, raw: &RawClaim) -> Result<Option<Factor>, Problem> {
        let Some(given) = &raw.ratio else { return Ok(None) };
        let text = given.get_ref().text();
        let ratio = text.parse::<f64>().ok().filter(|r| r.is_finite() && (1.0..=1e6).contains(r));
        let Some(ratio) = ratio else {
            let what = format!("\"{text}\" is not a factor: how many times as fast, or as slow?");
            return Err(self
                .at(given.span().start, what)
                .help("write a number of 1 or more; if it is below 1, exchange `a` and `b`"));
        };
        let tolerance = match &raw.tolerance {
            Some(tolerance) => self.quantity(tolerance, quantity::percent)?,
            None => TOLERANCE,
        };
        Ok(Some(Factor { ratio, tolerance }))
    }

    /// The workload of the suite that a claim is about. What the claim leaves out must be
    /// unambiguous.
    fn claimed_group<'g>(
        &self,
        raw: &RawClaim,
        start: usize,
        groups: &'g [Group],
    ) -> Result<&'g Group, Problem> {
        let primitive = raw.primitive.as_ref().map(|p| self.primitive(p)).transpose()?;
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
        let mut fitting: Vec<&Group> = Vec::new();
        for group in groups {
            if primitive.is_none_or(|p| p == group.primitive)
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
        match fitting[..] {
            [group] => Ok(group),
            [] => Err(self
                .at(start, "no [[workload]] of this suite measures what the claim is about")
                .help("correct its primitive, operation, contract or shape, or add the workload")),
            [one, other, ..] => Err(self
                .at(
                    start,
                    format!(
                        "which workload is the claim about: that of line {} or of line {}?",
                        one.line, other.line
                    ),
                )
                .help("add its primitive, operation, contract or shape")),
        }
    }

    fn claimed_sizes(&self, raw: &RawClaim, group: &Group) -> Result<Vec<u64>, Problem> {
        let Some(list) = &raw.sizes else { return Ok(group.sizes.clone()) };
        let measured = || group.sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let mut sizes: Vec<u64> = Vec::new();
        for item in list.get_ref() {
            let at = item.span().start;
            let text = item.get_ref().text();
            let read = |text: &str| quantity::size(text).map_err(|e| self.at(at, e));
            let found: Vec<u64> = match text.split_once("..") {
                Some((low, high)) => {
                    let (low, high) = (read(low.trim())?, read(high.trim())?);
                    group.sizes.iter().copied().filter(|s| (low..=high).contains(s)).collect()
                }
                None => {
                    let size = read(&text)?;
                    group.sizes.iter().copied().filter(|&s| s == size).collect()
                }
            };
            if found.is_empty() {
                let what =
                    format!("the workload of line {} is not measured at \"{text}\"", group.line);
                return Err(self
                    .at(at, what)
                    .help(format!("it is measured at {} bytes", measured())));
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
}
