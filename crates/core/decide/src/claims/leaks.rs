//! The claim that no leak of a contender is seen. Its evidence is a leak test of the build that the
//! deciding run measured, on that run's machine.

use super::{Decision, Measured, Reason, Source, Uncovered};
use cupel_base::text;
use cupel_protocol::workload::Contract;
use cupel_store::LeakVerdict;
use cupel_suite::Claim;
use cupel_suite::rule::alone;

impl Source {
    /// The answer of a test of exactly the work of a cell to a claim that its contender does not
    /// leak. One of other work decides nothing.
    pub(super) fn tested(&self, claim: &Claim, cell: usize) -> Result<Measured, Uncovered> {
        let recorded = &self.recorded;
        let (plan, work) = (&recorded.plan, recorded.plan.workload_of(cell));
        let contender = plan.contender_of(cell);
        let code = plan.code_of(cell);
        let Some(test) = recorded.leak_tests.here(&code, work) else {
            let usual = contender.offer(&work.primitive, work.operation, &work.contract);
            let usual = usual.map(|offer| offer.contract());
            let asked = work.on_one_thread().contract;
            if usual.is_some_and(|usual| Contract { ad: asked.ad, ..usual } != asked) {
                let reason = Reason::OtherContract;
                return Err(Uncovered { reason, first: None, command: vec![] });
            }
            let elsewhere = recorded.leak_tests.leak(&code, &work.primitive);
            let leaks_in =
                elsewhere.map(|test| format!("{} of {}", test.operation, text::bytes(test.size)));
            let sizes: Vec<String> = claim.sizes.iter().map(u64::to_string).collect();
            let (primitive, operation) = (work.primitive.as_str(), work.operation.name());
            let (sizes, name) = (sizes.join(","), contender.name.as_str());
            let words = ["cupel", "verify", "--leaks", primitive, operation, &sizes, name];
            let mut command = words.map(String::from).to_vec();
            if asked.ad > 0 {
                command.extend(["--contract".to_string(), format!("ad={}", asked.ad)]);
            }
            return Err(Uncovered { reason: Reason::NotTested { leaks_in }, first: None, command });
        };
        let decision = match test.verdict {
            LeakVerdict::Leaks => Decision::Refuted,
            LeakVerdict::NoneSeen => Decision::Held,
            LeakVerdict::Undecided => Decision::Undecided,
        };
        let how = match (test.verdict, &test.reason) {
            (LeakVerdict::Leaks, _) => format!(" ({})", test.how()),
            (_, Some(reason)) => format!(": {reason}"),
            (_, None) => String::new(),
        };
        let code_path = self.code_path(cell);
        Ok(Measured {
            run: recorded.run.id,
            started: recorded.run.started.clone(),
            fingerprint: self.fingerprint.clone(),
            machine: recorded.machine.line(),
            command: recorded.run.command.clone(),
            versions: (contender.version.clone(), contender.version.clone()),
            code_paths: (code_path.clone(), code_path),
            ratio: None,
            floor: f64::INFINITY,
            decided: alone(decision),
            reason: Reason::LeakTest { verdict: test.verdict, how, day: test.day().to_string() },
            rounds: 0,
            forks: 0,
        })
    }
}
