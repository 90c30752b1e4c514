//! How many calls each kind of machine of a fleet has, from a TOML file.

use cupel_base::machine::Machine;
use cupel_base::problem::{Problem, text_of};
use serde::Deserialize;
use serde_spanned::Spanned;
use std::path::Path;

/// One kind of machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// Which machines it has.
    which: Which,
    /// How many of the calls are made there, besides the other kinds.
    pub weight: f64,
    /// The line of the file on which it begins.
    pub line: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum Which {
    /// A part of the name of its processor. A machine that stands in for another one has only the
    /// name of this processor.
    Cpu(String),
    /// The name in its fleet.
    Node(String),
    /// The beginning of its fingerprint.
    Fingerprint(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    #[serde(default)]
    machine: Vec<Spanned<RawKind>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawKind {
    cpu: Option<String>,
    node: Option<String>,
    fingerprint: Option<String>,
    weight: Spanned<f64>,
}

const EXAMPLE: &str =
    "write [[machine]], cpu = \"EPYC 9B14\", weight = 120 for each kind of machine";

/// Reads the kinds of a fleet.
///
/// # Errors
/// The first mistake, with its line and what to do.
pub fn load(path: &Path) -> Result<Vec<Kind>, Problem> {
    parse(path, &text_of(path)?)
}

fn parse(path: &Path, text: &str) -> Result<Vec<Kind>, Problem> {
    let raw: Raw = toml::from_str(text).map_err(|e| Problem::of_toml(path, text, &e))?;
    if raw.machine.is_empty() {
        return Err(Problem::whole(path, "there is no [[machine]]").help(EXAMPLE));
    }
    raw.machine.into_iter().map(|raw| kind(path, text, raw)).collect()
}

fn kind(path: &Path, text: &str, raw: Spanned<RawKind>) -> Result<Kind, Problem> {
    let start = raw.span().start;
    let RawKind { cpu, node, fingerprint, weight } = raw.into_inner();
    let which = match (cpu, node, fingerprint) {
        (Some(cpu), None, None) => Which::Cpu(cpu),
        (None, Some(node), None) => Which::Node(node),
        (None, None, Some(fingerprint)) => Which::Fingerprint(fingerprint),
        _ => {
            let what = "a machine has one of `cpu`, `node` and `fingerprint`";
            return Err(Problem::at(path, text, start, what).help(EXAMPLE));
        }
    };
    if which.text().is_empty() {
        return Err(Problem::at(path, text, start, "the name is empty").help(EXAMPLE));
    }
    let number = *weight.get_ref();
    // Far from where sums of weights overflow, or vanish next to another.
    if !(1e-9..=1e15).contains(&number) {
        let what = if number > 0.0 {
            format!("the weight {number:e} is not from 1e-9 to 1e15")
        } else {
            format!("the weight {number} is not above 0")
        };
        return Err(Problem::at(path, text, weight.span().start, what));
    }
    Ok(Kind { which, weight: number, line: cupel_base::problem::line_of(text, start) })
}

impl Kind {
    /// Whether a machine is of this kind.
    pub fn has(&self, machine: &Machine, fingerprint: &str) -> bool {
        match &self.which {
            Which::Cpu(cpu) => {
                machine.masked_by.is_none()
                    && machine.cpu.known().is_some_and(|name| name.contains(cpu.as_str()))
            }
            Which::Node(node) => machine.node.as_ref() == Some(node),
            Which::Fingerprint(start) => fingerprint.starts_with(start.as_str()),
        }
    }

    /// Its name, as the file gives it.
    pub fn name(&self) -> &str {
        self.which.text()
    }
}

impl Which {
    fn text(&self) -> &str {
        match self {
            Which::Cpu(name) | Which::Node(name) | Which::Fingerprint(name) => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_named_in_one_way_and_each_mistake_has_its_line() {
        let kinds = parse(
            Path::new("w.toml"),
            "[[machine]]\ncpu = \"EPYC\"\nweight = 3\n\n[[machine]]\nnode = \"n1\"\nweight = 0.5\n",
        )
        .unwrap();
        let said: Vec<_> = kinds.iter().map(|k| (k.name(), k.weight, k.line)).collect();
        assert_eq!(said, [("EPYC", 3.0, 1), ("n1", 0.5, 5)]);
        for (wrong, line, words) in [
            ("", 1, "no [[machine]]"),
            ("[[machine]]\nweight = 1", 1, "one of `cpu`"),
            ("[[machine]]\ncpu = \"a\"\nnode = \"b\"\nweight = 1", 1, "one of `cpu`"),
            ("[[machine]]\ncpu = \"a\"\nweight = -1", 3, "not above 0"),
            ("[[machine]]\ncpu = \"a\"\nweight = nan", 3, "not above 0"),
            ("[[machine]]\ncpu = \"a\"\nweight = 1e308", 3, "not from 1e-9 to 1e15"),
            ("[[machine]]\ncpu = \"\"\nweight = 1", 1, "the name is empty"),
            ("[[machine]]\ncpu = \"a\"\nwieght = 1", 3, "unknown field"),
        ] {
            let problem = parse(Path::new("w.toml"), wrong).unwrap_err();
            assert!(problem.to_string().contains(words), "{wrong}: {problem}");
            assert_eq!(problem.line, line, "{wrong}: {problem}");
        }
    }
}
