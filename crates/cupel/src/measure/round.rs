//! One round: one slice of every live cell of a comparison, in balanced random order, every fold
//! checked. All have the same number of calls, or a whole part of it where a cell is far slower.

use super::clock::{self, Timed};
use super::expectation::Calls;
use super::fork::Fork;
use super::{Session, disturbance, next};
use crate::plan::Plan;
use crate::runner::{Fault, expect_ok};
use crate::store::{RoundRecord, SliceRecord};
use anyhow::Result;
use cupel_protocol::message::{Slice, Sliced};
use cupel_stats::size::stretch;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Why a slice does not count in which its process's code was compiled anew.
const RECOMPILED: &str = "its code was compiled anew";

/// A round about to be run.
pub struct Round<'a> {
    pub fork: &'a mut Fork,
    pub comparison: usize,
    pub random: &'a mut Xoshiro256PlusPlus,
    pub failed: &'a mut [bool],
    /// When the fork's rounds began, on the run's clock.
    pub began: Duration,
}

impl Round<'_> {
    /// Runs it. `last` is the end of the round before, on the run's clock, and then of this one.
    /// Returns the seats, besides, whose code was compiled anew in it, and whether code of the
    /// highest level was discarded for that.
    pub fn run(
        &mut self,
        session: &mut Session<'_>,
        last: &mut Duration,
    ) -> Result<(RoundRecord, BTreeMap<usize, bool>)> {
        let live = &mut self.fork.live[self.comparison];
        let iterations = stretch(live.iterations, next(self.random));
        let calls = Calls::new(live.next_call, iterations);
        live.next_call += calls.preroll + iterations;
        let ordinal = live.rounds;
        live.rounds += 1;
        let order = self.fork.order(session.plan, self.comparison, self.failed, self.random);
        let parts: BTreeSet<u64> = order.iter().map(|cell| self.fork.places[cell].parts).collect();
        self.fork
            .expectation
            .begin(self.comparison, parts.iter().map(|&p| calls.part(p)).collect());
        let started = session.stage.now();
        let stolen = session.stage.stolen_ns();
        let mut replies = Vec::with_capacity(order.len());
        for cell in order {
            let parts = self.fork.places[&cell].parts;
            if let Some(sliced) = self.slice(session, cell, calls.part(parts))? {
                session.stage.elapsed(sliced.elapsed_ns);
                replies.push((cell, parts, sliced));
            }
        }
        let folds: BTreeMap<u64, u64> =
            parts.into_iter().zip(self.fork.expectation.folds()).collect();
        let mut slices = Vec::with_capacity(replies.len());
        let mut restless = BTreeMap::new();
        for (cell, parts, sliced) in replies {
            if let Some(reason) = lie(&sliced, calls.part(parts), folds[&parts]) {
                self.fork.disbelieve(session, cell, &reason, self.failed)?;
                continue;
            }
            let seat = self.fork.places[&cell].seat;
            let change = self.fork.seats[seat].account.take(sliced.compilation);
            if change.highest {
                *restless.entry(seat).or_default() |= change.discarded;
            }
            let disturbed = match change.highest {
                true => Some(RECOMPILED.to_string()),
                false => disturbance::of(sliced.elapsed_ns, &sliced.noise),
            };
            slices.push(SliceRecord {
                cell,
                iterations: sliced.iterations,
                elapsed_ns: sliced.elapsed_ns,
                noise: sliced.noise,
                allocated_per_call: sliced.allocated_per_call,
                disturbed,
            });
        }
        let now = session.stage.now();
        let spent = now.saturating_sub(*last);
        *last = now;
        let stolen_ns =
            stolen.and_then(|before| Some(session.stage.stolen_ns()?.saturating_sub(before)));
        let record = RoundRecord {
            comparison: self.comparison,
            ordinal,
            stolen_ns,
            started_ns: started.saturating_sub(self.began).as_nanos() as u64,
            spent_ns: spent.as_nanos() as u64,
            slices,
        };
        Ok((record, restless))
    }

    fn slice(
        &mut self,
        session: &mut Session<'_>,
        cell: usize,
        calls: Calls,
    ) -> Result<Option<Sliced>> {
        let seat = self.fork.places[&cell].seat;
        let Some(host) = self.fork.seats[seat].host.as_mut() else { return Ok(None) };
        let Calls { first, preroll, iterations } = calls;
        let ask = Slice { cell: cell as u32, first, preroll, iterations };
        let asked = session.stage.clock();
        let reply = host.slice(&ask).and_then(|outcome| expect_ok(outcome, "slice"));
        let waited = asked.map(|asked| asked.elapsed().as_nanos() as f64);
        match reply {
            Ok(sliced) => {
                let timed = waited.map(|waited| Timed { reported: sliced.elapsed_ns, waited });
                let resolution = session.plan.contender_of(cell).resolution_ns();
                let wrong = clock::no_time(sliced.elapsed_ns, iterations)
                    .or_else(|| timed.and_then(|timed| timed.impossible(resolution)));
                if let Some(reason) = wrong {
                    self.fork.disbelieve(session, cell, &reason, self.failed)?;
                    return Ok(None);
                }
                Ok(Some(sliced))
            }
            Err(Fault::Refused { refusal, .. }) => {
                self.fork.fail(session, cell, "failed", &refusal.reason, self.failed)?;
                Ok(None)
            }
            Err(fault) => {
                self.fork.lose(session, seat, &fault, self.failed)?;
                Ok(None)
            }
        }
    }
}

/// A contender's cells that differ from this one in size at most, this one first.
pub fn siblings(plan: &Plan, cell: usize) -> Vec<usize> {
    let work = |c: usize| &plan.comparisons[plan.cells[c].comparison].workload;
    let same = |&c: &usize| {
        c != cell
            && plan.cells[c].contender == plan.cells[cell].contender
            && work(c).same_work(work(cell))
    };
    [cell].into_iter().chain((0..plan.cells.len()).filter(same)).collect()
}

/// What is wrong with a slice's answer: a contender that answers wrongly is failed, never slow.
fn lie(sliced: &Sliced, calls: Calls, expected: u64) -> Option<String> {
    let Calls { first, iterations, preroll } = calls;
    if sliced.iterations != iterations {
        return Some(format!(
            "made {} timed calls where {iterations} were asked",
            sliced.iterations
        ));
    }
    if sliced.fold != expected {
        return Some(format!(
            "answers wrongly while timed: the outputs of calls {} to {} fold to {:016x}, not {expected:016x}",
            first + preroll,
            first + preroll + iterations - 1,
            sliced.fold
        ));
    }
    if sliced.elapsed_ns <= 0.0 {
        return Some(format!("reports {} ns for {iterations} calls", sliced.elapsed_ns));
    }
    None
}

/// The cells of a round that count, with their time a call in ns.
pub fn counted(record: &RoundRecord) -> Vec<(usize, f64)> {
    record
        .slices
        .iter()
        .filter(|slice| slice.disturbed.is_none())
        .map(|slice| (slice.cell, slice.ns_per_call()))
        .collect()
}
