//! A run's findings with which to read its figures: about the machine while it measured, and the
//! contenders that its budget left out.

use super::{Store, StoreError};
use cupel_base::name::ContenderName;
use cupel_machine::Company;
use rusqlite::params;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The facts stored with a run next to its figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Circumstances {
    /// By cell: why its times could not be compared with the tool's own clock, if they could not.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub not_audited: BTreeMap<usize, String>,
    /// The limit of each JVM's heap in MiB, if all of them needed one to live at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heap_mib: Option<u64>,
    /// The contenders that were left out, because their code is compiled at run time and the budget
    /// was too short to warm them up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<ContenderName>,
    /// How many forks were asked for, if the time until the answer has time for fewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forks_asked: Option<u32>,
    /// Whether forks were not begun or not finished, because the time until the answer was over.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub time_over: bool,
    /// The other programs on the machine.
    pub company: Company,
}

impl Circumstances {
    /// Whether its cells are among the `cells` of a plan. An imported store may come from anywhere.
    pub fn is_sound(&self, cells: usize) -> bool {
        self.not_audited.keys().all(|&cell| cell < cells)
    }
}

impl Store {
    /// Records the circumstances of a run, in place of those that are recorded.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn circumstances(&self, run: i64, found: &Circumstances) -> Result<(), StoreError> {
        let text = serde_json::to_string(found).map_err(|e| self.damaged(e.to_string()))?;
        self.change("update run set circumstances = ? where id = ?", params![text, run])
    }
}
