//! The identity of a contender's code among builds of the same name: findings about one say nothing
//! about the other.

use super::Plan;
use cupel_base::name::ContenderName;
use cupel_contender::{Contender, State};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The code of a contender, as far as a plan knows it: for files that a program loads only when it
/// needs them, such as Python's modules, that is the version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// The contender's full name.
    pub contender: ContenderName,
    /// Its library's version.
    pub version: String,
    /// The variables, as `NAME=value`, that its command line sets: they may choose a code path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// The digests of the programs that its command line names, in their order, each with the
    /// shared libraries that it loads.
    pub programs: Vec<String>,
}

impl Code {
    /// The code of a contender, given the digests of programs by path.
    pub fn from_programs(contender: &Contender, programs: &BTreeMap<String, String>) -> Code {
        let words = match &contender.state {
            State::Ready { command, .. } => &command[..],
            _ => &[],
        };
        Code {
            contender: contender.name.clone(),
            version: contender.version.clone(),
            environment: contender.environment().to_vec(),
            programs: words.iter().filter_map(|word| programs.get(word).cloned()).collect(),
        }
    }
}

impl Plan {
    /// The code of a cell's contender.
    pub fn code_of(&self, cell: usize) -> Code {
        Code::from_programs(self.contender_of(cell), &self.programs)
    }
}
