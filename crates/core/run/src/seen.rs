//! Steps through a call of every cell of a run, each contender in its own process.

use crate::measure;
use cupel_plan::Plan;
use cupel_runner::{Process, Start};
use cupel_steps::Executed;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// The instructions of a contender for one call, by the size of the message in bytes.
pub type BySize = BTreeMap<u64, Executed>;

/// The longest slices that are stepped, in instructions, where a claim depends on it: a minute of
/// steps.
pub const MOST: u64 = 2_000_000;

/// The longest where it does not.
pub const AS_EVIDENCE: u64 = 300_000;

/// The steps that were seen of the contenders.
#[derive(Default)]
pub struct Seen {
    calls: BTreeMap<String, BySize>,
    /// For each contender that was not seen at some size: its name, and why.
    pub unseen: Vec<(String, String)>,
}

impl Seen {
    /// Steps through the cells of these contenders. Code that is compiled at run time is not
    /// compiled yet in the process that would be stepped.
    pub fn of_these(
        names: &[&str],
        plan: &Plan,
        cache: &Path,
        patience: Duration,
        tell: &dyn Fn(&str),
    ) -> Seen {
        let is_jit = |name: &str| plan.contenders.iter().any(|c| c.name == *name && c.is_jit());
        let most = |name: &str| (names.contains(&name) && !is_jit(name)).then_some(MOST);
        let mut seen = Seen::by_stepping_up_to(&most, plan, cache, patience, tell);
        let jits = names.iter().filter(|name| is_jit(name));
        seen.unseen
            .extend(jits.map(|name| (name.to_string(), "it is compiled at run time".into())));
        seen
    }

    /// Steps through the cells of a plan. `most` has the longest slices of a contender that are
    /// stepped, if it is stepped at all; `tell` hears which contender comes next. A simulated
    /// contender has no code that would say anything.
    pub fn by_stepping_up_to(
        most: &dyn Fn(&str) -> Option<u64>,
        plan: &Plan,
        cache: &Path,
        patience: Duration,
        tell: &dyn Fn(&str),
    ) -> Seen {
        let mut seen = Seen::default();
        if plan.simulated() != Ok(false) {
            return seen;
        }
        for number in 0..plan.contenders.len() {
            let name = plan.contenders[number].name.to_string();
            let Some(most) = most(&name) else { continue };
            tell(&format!("step through a call of {name}"));
            if let Err(why) = seen.contender(plan, number, most, cache, patience) {
                seen.unseen.push((name, why));
            }
        }
        seen
    }

    /// The instructions of a contender, if they were seen at any size.
    pub fn by_size(&self, contender: &str) -> Option<&BySize> {
        self.calls.get(contender)
    }

    fn contender(
        &mut self,
        plan: &Plan,
        number: usize,
        most: u64,
        cache: &Path,
        patience: Duration,
    ) -> Result<(), String> {
        let contender = &plan.contenders[number];
        let Some(command) = contender.command() else { return Ok(()) };
        // Many times as slow as usual: a step is a change between processes.
        let patience = patience.max(Duration::from_secs(120));
        let start = Start { confined: !contender.unconfined, ..Start::plain(command, patience) };
        let mut process = Process::start(&start).map_err(|e| e.to_string())?;
        let mut sizes = BTreeSet::new();
        for cell in (0..plan.cells.len()).filter(|cell| plan.cells[*cell].contender == number) {
            let size = plan.workload_of(cell).size;
            if !sizes.insert(size) {
                continue;
            }
            let ask = measure::preparation(plan, cache, cell, plan.seed, 0);
            let executed =
                cupel_steps::of_a_call(&mut process, &ask, most).map_err(|e| e.to_string())?;
            self.calls.entry(contender.name.to_string()).or_default().insert(size, executed);
        }
        process.bye();
        Ok(())
    }
}
