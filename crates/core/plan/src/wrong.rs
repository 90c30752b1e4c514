//! How far a wrong answer reaches. Code that is wrong for one message is no one's fastest code, so
//! no figure counts that the same contender has for the same primitive: at any size, by any
//! operation, under any contract. Its code for other primitives differs, and is marked.

use super::{Code, Draft, Plan};
use cupel_protocol::workload::{Bytes, Contract, Workload};
use std::collections::BTreeSet;

/// A wrong answer.
#[derive(Clone, Copy, Debug)]
pub struct WrongAnswer<'a> {
    /// The position of the contender.
    pub contender: usize,
    /// The primitive that it was wrong in.
    pub primitive: &'a str,
    /// The contract under which it was.
    pub contract: &'a Contract,
}

impl WrongAnswer<'_> {
    /// Whether a contender is not to be believed on a workload. One that is wrong only for bytes
    /// that a contract leaves out keeps that contract.
    pub fn reaches(&self, contender: usize, work: &Workload) -> bool {
        let Contract { bytes, .. } = work.contract;
        contender == self.contender
            && work.primitive == self.primitive
            && (bytes == Bytes::Any || bytes == self.contract.bytes)
    }

    /// The members of a draft that it reaches: the numbers of comparisons, and the positions among
    /// their members.
    pub fn members(&self, draft: &Draft) -> BTreeSet<(usize, usize)> {
        let mut reached = BTreeSet::new();
        for (number, comparison) in draft.comparisons().iter().enumerate() {
            for (position, &member) in comparison.members.iter().enumerate() {
                if self.reaches(member.contender, comparison.workload_of(member)) {
                    reached.insert((number, position));
                }
            }
        }
        reached
    }

    /// The cells of a plan that it reaches, controls among them.
    pub fn cells(&self, plan: &Plan) -> Vec<usize> {
        (0..plan.cells.len())
            .filter(|&cell| self.reaches(plan.cells[cell].contender, plan.workload_of(cell)))
            .collect()
    }
}

impl Plan {
    /// The wrong answer of a cell.
    pub fn wrong_answer(&self, cell: usize) -> WrongAnswer<'_> {
        let Workload { primitive, contract, .. } = self.workload_of(cell);
        WrongAnswer { contender: self.cells[cell].contender, primitive, contract }
    }

    /// The cells whose contender has the same code as a cell of another plan.
    pub fn cells_of_same_code(&self, other: &Plan, cell: usize) -> Vec<usize> {
        let theirs = other.code_of(cell);
        let same = self
            .contenders
            .iter()
            .position(|own| Code::from_programs(own, &self.programs) == theirs);
        let Some(contender) = same else { return vec![] };
        WrongAnswer { contender, ..other.wrong_answer(cell) }.cells(self)
    }
}
