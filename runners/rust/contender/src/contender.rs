//! The table of contenders, as the library of the protocol's host.

use cupel_protocol::batch::Batch;
use cupel_protocol::host::{Call, CallError, Host, Io, Library, Refused, Task};
use cupel_protocol::message::{Listed, Offer, Refusal};
use cupel_protocol::serve;
use cupel_protocol::workload::{Contract, Key, Operation, Output};

/// The timed call: a closure, so that a task is looked up once and not in every call.
pub type Timed = Box<dyn FnMut(&Io<'_>, &mut [u8]) -> Result<usize, CallError>>;

/// The timed call of `digest-many`.
pub type TimedMany = Box<dyn FnMut(&Batch<'_>, &mut [u8]) -> Result<usize, CallError>>;

/// One row of a runner's table.
#[derive(Clone, Copy)]
pub struct Contender {
    /// The implementation's name, unique within the runner.
    pub name: &'static str,
    /// The package that it comes from.
    pub library: &'static str,
    /// That package's version in this build: see [`locked`](crate::locked).
    pub version: &'static str,
    /// SPDX expression of that package's licence.
    pub licence: &'static str,
    /// How it is called, in a few words.
    pub summary: &'static str,
    /// The only key that it takes, in hex, if its key cannot be chosen.
    pub fixed_key: Option<&'static str>,
    /// Why it cannot run on this machine, if it cannot.
    pub missing: fn() -> Option<Refusal>,
    /// The code path that it selects here for a primitive.
    pub code_path: fn(primitive: &str) -> String,
    /// Its offers.
    pub offers: &'static [Offered],
}

/// One offer of a contender, with the function that prepares it.
#[derive(Clone, Copy)]
pub struct Offered {
    /// The primitive's standard name.
    pub primitive: &'static str,
    /// The operation of the primitive.
    pub operation: Operation,
    /// Prepares a task of this primitive and operation.
    pub open: Open,
    /// Whether it prepares something that threads may share: a scheduled key.
    pub shares: bool,
}

/// The function that prepares an offer, by the arguments of its call.
#[derive(Clone, Copy)]
pub enum Open {
    /// One message.
    One(fn(&Task) -> Result<Timed, Refused>),
    /// A batch of messages: `digest-many`.
    Many(fn(&Task) -> Result<TimedMany, Refused>),
}

/// A prepared contender. The code path is kept next to the closures, so a call is one indirection.
/// The host calls only the closure of the offer's operation.
pub struct Cell {
    timed: Timed,
    many: TimedMany,
    code_path: String,
}

const ONE_MESSAGE: CallError = CallError::Unsupported("takes one message per call");
const BATCHES: CallError = CallError::Unsupported("takes a batch of messages per call");

impl Call for Cell {
    #[inline(always)]
    fn call(&mut self, io: &Io<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        (self.timed)(io, output)
    }

    #[inline(always)]
    fn call_many(&mut self, batch: &Batch<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        (self.many)(batch, output)
    }

    fn code_path(&self) -> String {
        self.code_path.clone()
    }
}

/// A table of contenders as a [`Library`].
pub struct Contenders(pub &'static [Contender]);

impl Library for Contenders {
    type Cell = Cell;

    fn list(&mut self) -> Vec<Listed> {
        self.0.iter().map(Contender::listed).collect()
    }

    fn open(&mut self, contender: &str, task: &Task) -> Result<Cell, Refused> {
        let found = self.0.iter().find(|c| c.name == contender);
        found
            .ok_or_else(|| Refused::failed(format!("this runner has no contender {contender}")))?
            .open(task)
    }

    fn shares(
        &self,
        contender: &str,
        primitive: &str,
        operation: Operation,
        contract: &Contract,
    ) -> bool {
        let found = self.0.iter().find(|c| c.name == contender);
        let offered = found.and_then(|c| c.offered(primitive, operation));
        contract.key == Key::Prepared && offered.is_some_and(|offered| offered.shares)
    }
}

impl Contender {
    fn offered(&self, primitive: &str, operation: Operation) -> Option<&Offered> {
        self.offers.iter().find(|o| o.primitive == primitive && o.operation == operation)
    }

    fn listed(&self) -> Listed {
        let offers = self.offers.iter().map(|offered| Offer {
            fixed_key: self.fixed_key.map(str::to_string),
            ..Offer::new(offered.primitive, offered.operation)
        });
        Listed {
            name: self.name.to_string(),
            library: self.library.to_string(),
            version: self.version.to_string(),
            licence: self.licence.to_string(),
            summary: self.summary.to_string(),
            offers: offers.collect(),
            missing: (self.missing)(),
        }
    }

    fn open(&self, task: &Task) -> Result<Cell, Refused> {
        if let Some(refusal) = (self.missing)() {
            return Err(Refused::Missing(refusal));
        }
        if task.contract.output != Output::Given {
            return Err(Refused::unsupported(format!(
                "{} writes into a given buffer only",
                self.name
            )));
        }
        let offered = self.offered(&task.primitive, task.operation).ok_or_else(|| {
            Refused::unsupported(format!(
                "{} does not offer {} of {}",
                self.name, task.operation, task.primitive
            ))
        })?;
        let (timed, many): (Timed, TimedMany) = match offered.open {
            Open::One(open) => (open(task)?, Box::new(|_, _| Err(ONE_MESSAGE))),
            Open::Many(open) => (Box::new(|_, _| Err(BATCHES)), open(task)?),
        };
        Ok(Cell { timed, many, code_path: (self.code_path)(offered.primitive) })
    }
}

/// Serves these contenders on standard input and output until `bye`.
///
/// # Errors
/// The errors of the streams.
pub fn serve(runner: &'static str, contenders: &'static [Contender]) -> std::io::Result<()> {
    let mut host = Host::new(runner, env!("CARGO_PKG_VERSION"), Contenders(contenders));
    serve::serve(&mut host, std::io::stdin().lock(), std::io::stdout().lock())
}
