//! A state that is copied: the prefix of every message counts, once, in every call.

use super::{Honest, offer};
use crate::{Depth, Verified, verify};
use cupel_protocol::host::{Call, CallError, Host, Io, Library, Refused, Task};
use cupel_protocol::message::{Compute, Listed, Outcome};
use cupel_protocol::serve::Runner;
use cupel_protocol::workload::{Contract, Operation};
use std::convert::Infallible;

/// How a contender copies its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Copies {
    /// As it should.
    Well,
    /// It forgets the prefix.
    Nothing,
    /// The copy is the state itself, so that the next message comes after this one.
    Itself,
    /// Only the whole blocks: the bytes in the buffer are lost.
    WholeBlocks,
    /// It refuses prefixes.
    Refuses,
}

struct Cloning(Copies);

struct Cell {
    copies: Copies,
    honest: super::Cell,
    before: Vec<u8>,
}

impl Library for Cloning {
    type Cell = Cell;

    fn list(&mut self) -> Vec<Listed> {
        vec![]
    }

    fn open(&mut self, name: &str, task: &Task) -> Result<Cell, Refused> {
        let (copies, mut before) = (self.0, task.contract.prefix());
        match copies {
            Copies::Well | Copies::Itself => {}
            Copies::Nothing => before.clear(),
            Copies::WholeBlocks => before.truncate(before.len() / 64 * 64),
            Copies::Refuses => return Err(Refused::unsupported("copies no state")),
        }
        let whole = Contract { prefix: 0, ..task.contract.clone() };
        let honest = Honest.open(name, &Task { contract: whole, ..task.clone() })?;
        Ok(Cell { copies, honest, before })
    }
}

impl Call for Cell {
    fn call(&mut self, io: &Io<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        let whole = [&self.before, io.input].concat();
        let made = self.honest.call(&Io { input: &whole, ..*io }, output);
        if self.copies == Copies::Itself {
            self.before = whole;
        }
        made
    }

    fn code_path(&self) -> String {
        self.honest.code_path()
    }
}

fn verified(copies: Copies, prefix: u32) -> Verified {
    let mut host = Host::new("test", "0", Cloning(copies));
    let mut ask =
        |ask: Compute| -> Result<Outcome<_>, Infallible> { Ok(Runner::compute(&mut host, &ask)) };
    let contract = Contract { prefix, ..Contract::usual(Operation::Digest) };
    let offer = offer("sha256", Operation::Digest);
    let Ok(verified) = verify(&mut ask, "clone", &offer, &contract, Depth::Warm, &[]);
    verified
}

#[test]
fn a_copied_state_goes_on_after_the_prefix_and_one_that_does_not_fails() {
    for prefix in [1, 64, 100] {
        let well = verified(Copies::Well, prefix);
        assert!(well.failure().is_none() && well.cases > 30, "{prefix}: {well:?}");
        for wrong in [Copies::Nothing, Copies::Itself] {
            assert!(verified(wrong, prefix).failure().is_some(), "{wrong:?}, {prefix}");
        }
    }
    assert!(verified(Copies::WholeBlocks, 100).failure().is_some());
    assert!(verified(Copies::WholeBlocks, 64).failure().is_none(), "nothing waits in a buffer");
}

#[test]
fn a_contender_may_refuse_to_copy() {
    let refuses = verified(Copies::Refuses, 64);
    assert!(refuses.failure().is_none() && refuses.cases == 0, "{refuses:?}");
    assert_eq!(refuses.unsupported, ["copies no state"]);
}
