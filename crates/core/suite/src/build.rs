//! Suites that are in no file: questions from the command line, mixes, and classes of batches. They
//! are checked as suites of files are, and stored with their run as the text of such a file.

use super::parse::{RawGroup, RawSuite};
use super::parse_claim::RawClaim;
use super::reader::{Names, Scalar};
use super::{Said, Suite};
use cupel_base::primitives;
use cupel_base::problem::Problem;
use cupel_protocol::workload::{Operation, Shape};
use serde_spanned::Spanned;
use std::path::Path;

/// A suite that is in no file.
#[derive(Clone, Debug)]
pub struct NewSuite<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its question, in one sentence.
    pub question: String,
    /// Sets of fresh processes.
    pub forks: u32,
    /// After how many of these contenders leave whose answers are clear; `None` for the usual number.
    pub first_forks: Option<u32>,
    /// Sets of fresh processes for contenders whose code is compiled at run time; `None` for as
    /// many.
    pub jit_forks: Option<usize>,
    /// After how many of these they leave if they are surely far slower than the fastest; `None`
    /// for never.
    pub jit_first_forks: Option<usize>,
    /// The time for measuring, in seconds; `None` for the usual one.
    pub budget_s: Option<u64>,
    /// The workloads to measure.
    pub workloads: Vec<NewWorkload>,
}

/// A workload of such a suite. A field that it leaves out has the default of a file.
#[derive(Clone, Debug, Default)]
pub struct NewWorkload {
    /// The primitive's standard name, or the names of a choice ([`primitives::choosing`]).
    pub primitive: String,
    /// The operation of the primitive.
    pub operation: Option<Operation>,
    /// Message lengths in bytes.
    pub sizes: Vec<u64>,
    /// Instead of sizes: message lengths that are drawn, with numbers of calls.
    pub drawn: Vec<(u64, u64)>,
    /// The differences from the operation's contract, as keys and values.
    pub contract: Vec<(String, String)>,
    /// Whether a call waits for the previous one.
    pub shape: Option<Shape>,
    /// Full names or patterns of contenders; empty for all.
    pub contenders: Vec<String>,
    /// The contender that the others are compared with.
    pub baseline: Option<String>,
    /// The claims about it, with full names.
    pub claims: Vec<Said>,
}

impl NewSuite<'_> {
    /// The suite.
    ///
    /// # Errors
    /// The fault of the suite, without a file and line.
    pub fn suite(&self) -> Result<Suite, Problem> {
        let claims = self.workloads.iter().flat_map(NewWorkload::claims);
        let raw = RawSuite {
            forks: Some(plain(self.forks.into())),
            first_forks: self.first_forks.map(|forks| plain(forks.into())),
            jit_forks: self.jit_forks.map(|forks| plain(integer(forks as u64))),
            jit_first_forks: self.jit_first_forks.map(|forks| plain(integer(forks as u64))),
            budget: self.budget_s.map(|seconds| plain(Scalar::Text(format!("{seconds}s")))),
            workload: self.workloads.iter().map(|work| plain(work.group())).collect(),
            claim: claims.map(plain).collect(),
            ..RawSuite::asking(plain(self.question.clone()))
        };
        let text = toml::to_string(&raw).expect("a suite consists of texts and numbers");
        // An empty path: a mistake here is in no file.
        let suite = Suite::checked(Path::new(""), text, raw)?;
        Ok(Suite { name: self.name.to_string(), ..suite })
    }
}

impl NewWorkload {
    fn group(&self) -> RawGroup {
        let is_choice = primitives::is_choice(&self.primitive);
        let drawn = self.drawn.iter().map(|&(size, calls)| {
            plain((Scalar::Integer(integer(size)), Scalar::Integer(integer(calls))))
        });
        RawGroup {
            primitive: (!is_choice).then(|| plain(self.primitive.clone())),
            choice: is_choice.then(|| names(primitives::choice(&self.primitive))),
            operation: self.operation.map(|operation| plain(operation.name().to_string())),
            sizes: some(&self.sizes).map(|sizes| plain(sizes.iter().map(size).collect())),
            drawn: some(&self.drawn).map(|_| plain(drawn.collect())),
            contract: self.contract(),
            threads: None,
            shape: self.shape.map(|shape| plain(shape.name().to_string())),
            contenders: some(&self.contenders).map(|all| names(all.iter().map(String::as_str))),
            baseline: self.baseline.as_deref().map(|name| names([name])),
        }
    }

    fn contract(&self) -> Option<Spanned<toml::Value>> {
        let mut table = toml::Table::new();
        for (key, text) in &self.contract {
            let number = text.parse::<i64>().map(toml::Value::from);
            table.insert(key.clone(), number.unwrap_or_else(|_| text.as_str().into()));
        }
        (!table.is_empty()).then(|| plain(toml::Value::from(table)))
    }

    fn claims(&self) -> impl Iterator<Item = RawClaim> {
        self.claims.iter().map(|said| RawClaim {
            source: plain("command line".to_string()),
            quote: plain(said.text.clone()),
            note: None,
            says: plain(said.relation.sentence(&said.a, &said.b)),
            primitive: Some(names([self.primitive.as_str()])),
            operation: self.operation.map(|operation| plain(operation.name().to_string())),
            contract: self.contract(),
            shape: None,
            threads: None,
            sizes: None,
        })
    }
}

/// A value that is at no position of a text.
fn plain<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

fn names<'n>(names: impl IntoIterator<Item = &'n str>) -> Spanned<Names> {
    plain(Names(names.into_iter().map(|name| plain(name.to_string())).collect()))
}

fn size(bytes: &u64) -> Spanned<Scalar> {
    plain(Scalar::Integer(integer(*bytes)))
}

/// TOML has no larger numbers; a number that large is out of range anyway.
fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn some<T>(all: &[T]) -> Option<&[T]> {
    (!all.is_empty()).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stored text must describe the measured work.
    #[test]
    fn the_text_of_a_suite_says_the_same_as_the_suite() {
        let claims =
            ["c/a >= 1.5x c/b", "c/a = c/b +- 3%", "c/a 1.5x..2x c/b", "c/a overtakes c/b at 64"];
        let hostile = "\"\\\n\u{1b}[[claim]]'''";
        let work = NewWorkload {
            primitive: "aes-256-gcm".to_string(),
            operation: Some(Operation::Seal),
            sizes: vec![16, 64],
            contract: vec![("key".into(), "per-call".into()), ("ad".into(), "13".into())],
            contenders: vec!["c/a".into(), "c/b".into(), "c/with \"quotes\"".into()],
            baseline: Some("c/b".into()),
            claims: claims.map(|claim| super::super::said::parse(claim, 0.02).unwrap()).to_vec(),
            ..NewWorkload::default()
        };
        let drawn = NewWorkload {
            primitive: "sha256".to_string(),
            drawn: vec![(64, 3), (1024, 1)],
            ..NewWorkload::default()
        };
        let choice = NewWorkload {
            primitive: primitives::choosing(["sha256", "blake3"]),
            sizes: vec![64],
            shape: Some(Shape::Latency),
            ..NewWorkload::default()
        };
        let suite = NewSuite {
            name: "new",
            question: hostile.to_string(),
            forks: 24,
            first_forks: Some(8),
            jit_forks: Some(11),
            jit_first_forks: Some(3),
            budget_s: Some(20),
            workloads: vec![work, drawn, choice],
        };
        let suite = suite.suite().unwrap();
        let read = Suite::parse(Path::new("new.toml"), suite.text.clone())
            .unwrap_or_else(|e| panic!("{e}\n{}", suite.text));
        assert_eq!(
            (&suite.name, &suite.question, &suite.options),
            (&read.name, &read.question, &read.options)
        );
        assert_eq!(suite.question, hostile);
        assert_eq!(suite.claims.len(), claims.len());
        for (built, read) in suite.claims.iter().zip(&read.claims) {
            assert_eq!(&crate::Claim { line: built.line, ..read.clone() }, built);
        }
        assert_eq!(suite.workloads.len(), 3);
        for (built, read) in suite.workloads.iter().zip(&read.workloads) {
            let texts = |all: &[cupel_base::name::Pattern]| -> Vec<String> {
                all.iter().map(|pattern| pattern.text.clone()).collect()
            };
            assert_eq!(
                (&built.primitive, built.operation, &built.sizes, &built.contract, built.shape),
                (&read.primitive, read.operation, &read.sizes, &read.contract, read.shape)
            );
            assert_eq!(texts(&built.contenders), texts(&read.contenders));
            assert_eq!(texts(&built.baseline), texts(&read.baseline));
        }
    }
}
