//! A contender that answered wrongly in one run is not believed in another: the rounds of a run
//! verify only that run's work.

use super::{Recorded, Store, StoreError};
use cupel_plan::{FailureKind, NotRanked};
use sha2::{Digest, Sha256};

impl Store {
    /// The evidence for a run's verdicts besides the run: which cells of other runs answered
    /// wrongly, and which leak tests there are.
    ///
    /// # Errors
    /// If there is no such run, or the store cannot be read.
    pub fn besides(&self, run: i64) -> Result<String, StoreError> {
        let sql = "select run || ' ' || cell || ' ' || reason from cell_failure
            where kind = ? and run != ? order by run, cell";
        let doubts: Vec<String> =
            self.all(sql, (FailureKind::Wrong.name(), run), |row| row.get(0))?;
        let doubts = hex::encode(&Sha256::digest(doubts.join("\n"))[..8]);
        Ok(format!("doubts {doubts}, leak tests {}", self.leak_tests_of(run)?.digest()))
    }

    /// Loads a complete run. A contender that answered wrongly in another run of this store, with
    /// the same version and the same program, has failed in it, too.
    ///
    /// # Errors
    /// If there is no such run, or the store cannot be read.
    pub fn load_with_doubts(&self, run: i64) -> Result<Recorded, StoreError> {
        let mut recorded = self.load(Some(run))?;
        let sql = "select distinct run from cell_failure where kind = ? and run != ?";
        for other in self.all(sql, (FailureKind::Wrong.name(), run), |row| row.get(0))? {
            let seen = match self.outline(Some(other)) {
                Err(StoreError::Damaged { what, .. }) => {
                    self.leave_out(&format!("run {other}"), &what);
                    continue;
                }
                seen => seen?,
            };
            let mut failures: Vec<(&usize, &NotRanked)> = seen.failures.iter().collect();
            failures.retain(|(_, why)| why.kind == FailureKind::Wrong);
            failures.sort();
            for (&cell, NotRanked { kind, reason }) in failures {
                for own in recorded.plan.cells_of_same_code(&seen.plan, cell) {
                    let reason = format!("in run {other}: {reason}");
                    recorded.failures.entry(own).or_insert(NotRanked { kind: *kind, reason });
                }
            }
        }
        Ok(recorded)
    }
}
