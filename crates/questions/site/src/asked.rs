//! The identity of a store's questions. A question is its contenders and its contract: an answer
//! among contenders that someone named does not hold for all others.

use cupel_base::chart::ChartKey;
use cupel_plan::Plan;
use cupel_protocol::workload::Contract;
use cupel_suite::{MIX, asked};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// A question. In the order of a site: first those about all contenders.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Asked {
    is_part: bool,
    /// The suite's name.
    pub suite: String,
    line: Option<Line>,
    /// Whether two builds of each contender are compared.
    builds: bool,
    /// Among which contenders; empty for all.
    among: Vec<String>,
}

/// A question that is in no file. All of these share the name of their suite.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Line {
    is_unusual: bool,
    charts: BTreeSet<ChartKey>,
    question: String,
}

impl Asked {
    /// The question of a run.
    pub fn from_plan(plan: &Plan) -> Asked {
        let in_no_file = [asked::NAME, MIX].contains(&plan.suite.as_str());
        let builds = plan.options.margin.is_some();
        Asked {
            is_part: builds || !plan.among.is_empty(),
            suite: plan.suite.clone(),
            line: in_no_file.then(|| Line {
                is_unusual: plan.workloads().any(|w| w.contract != Contract::usual(w.operation)),
                charts: plan.workloads().map(ChartKey::for_workload).collect(),
                question: plan.question.clone(),
            }),
            builds,
            among: plan.among.clone(),
        }
    }

    /// Whether it is from a command line, where the claims are the question.
    pub fn is_of_a_line(&self) -> bool {
        self.line.is_some()
    }

    /// Its name: the question itself if it is in no file, otherwise the suite's, with the
    /// contenders if it is about a part of them.
    pub fn name(&self) -> String {
        match &self.line {
            Some(line) => line.question.clone(),
            None => format!("{}{}", self.suite, self.among()),
        }
    }

    /// Among which contenders it was asked, in words: empty, or `, among c/a and c/b`.
    pub fn among(&self) -> String {
        let builds = if self.builds { ", two builds" } else { "" };
        if self.among.is_empty() {
            return builds.to_string();
        }
        format!("{builds}, among {}", asked::listed(&self.among))
    }

    /// The name of its page, without the end. Names come from outside: characters that no file name
    /// should have are left out, and a digest keeps two questions apart.
    pub fn file(&self) -> String {
        const MOST: usize = 40;
        let safe = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let stem: String = self.suite.chars().take(MOST).map(safe).collect();
        let digest = hex::encode(&Sha256::digest(self.parts().join("\0"))[..4]);
        format!("questions/{stem}-{digest}")
    }

    /// All that tells it from others, as texts.
    fn parts(&self) -> Vec<String> {
        let mut parts = vec![self.suite.clone()];
        if let Some(line) = &self.line {
            parts.push(line.question.clone());
            parts.extend(line.charts.iter().map(|chart| {
                let ChartKey { primitive, operation, contract, shape } = chart;
                format!("{primitive} {operation} {contract} {}", shape.name())
            }));
        }
        if self.builds {
            parts.push("two builds".to_string());
        }
        parts.extend(self.among.iter().map(|name| format!("among {name}")));
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_suite(suite: &str) -> Asked {
        let suite = suite.to_string();
        Asked { is_part: false, suite, line: None, builds: false, among: vec![] }
    }

    #[test]
    fn a_suites_name_stays_in_its_folder_and_two_names_are_two_pages() {
        let name = of_suite("../../etc/passwd\0<b>").file();
        assert!(name.starts_with("questions/------etc-passwd") && !name.contains(".."), "{name}");
        assert_ne!(of_suite("a/b").file(), of_suite("a-b").file());
        assert!(of_suite(&"x".repeat(5000)).file().len() < 80);
        let part = Asked { is_part: true, among: vec!["c/a".into()], ..of_suite("a") };
        assert_ne!(part.file(), of_suite("a").file());
    }

    #[test]
    fn contenders_are_named_or_counted() {
        let among = |names: &[&str]| {
            let among = names.iter().map(ToString::to_string).collect();
            Asked { among, ..of_suite("a") }.among()
        };
        assert_eq!(among(&[]), "");
        assert_eq!(among(&["c/*"]), ", among c/*");
        assert_eq!(among(&["c/a", "c/b", "c/c"]), ", among c/a, c/b and c/c");
        assert_eq!(among(&["a", "b", "c", "d", "e"]), ", among 5 contenders that were named");
    }
}
