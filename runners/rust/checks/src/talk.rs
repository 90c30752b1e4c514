//! A runner process and the requests to it.

use cupel_protocol::PROTOCOL;
use cupel_protocol::line;
use cupel_protocol::message::{
    Answer, Ask, Case, Compute, Computed, Done, Hello, Input, List, Listed, Offer, Outcome,
    Prepare, Prepared, Reply, Request, Slice, Sliced,
};
use cupel_protocol::workload::{Contract, Operation, Shape, Workload};
use serde::de::DeserializeOwned;
use std::io::BufReader;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running runner; ended with `bye` and checked for its exit status when dropped.
pub struct Talk {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    id: u64,
}

impl Talk {
    pub fn start(program: &str) -> Talk {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| panic!("{program}: {e}"));
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().expect("piped"));
        let mut talk = Talk { child, to, from, id: 0 };
        let hello: Hello = talk.ok(Ask::Hello { protocol: PROTOCOL, tool: "checks".to_string() });
        assert_eq!(hello.protocol, PROTOCOL);
        talk
    }

    pub fn ask<T: DeserializeOwned>(&mut self, ask: Ask) -> Outcome<T> {
        self.id += 1;
        let to = self.to.as_mut().expect("open until dropped");
        line::write(to, &Request { id: self.id, ask }).expect("the runner reads");
        let mut bytes = Vec::new();
        line::read(&mut self.from, &mut bytes).expect("the runner answers");
        let reply: Reply<T> = line::parse(&bytes).expect("a reply");
        assert_eq!(reply.id, self.id);
        reply.outcome
    }

    pub fn ok<T: DeserializeOwned + std::fmt::Debug>(&mut self, ask: Ask) -> T {
        match self.ask(ask) {
            Outcome::Ok(reply) => reply,
            other => panic!("{other:?}"),
        }
    }

    /// The mappings of its code that lie in pages which other processes share.
    #[cfg(target_os = "linux")]
    pub fn shared_code(&self) -> Vec<String> {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.child.id()));
        let maps = maps.expect("of a process of ours");
        let shared = |line: &&str| line.contains(" r-xp ") && line.contains(" /");
        maps.lines().filter(shared).map(str::to_string).collect()
    }

    /// The runner's answer to one case.
    pub fn answer(&mut self, what: &What, contract: &Contract, case: Case) -> Answer {
        let ask = Ask::Compute(Compute {
            contender: what.contender.clone(),
            primitive: what.offer.primitive.clone(),
            operation: what.offer.operation,
            contract: contract.clone(),
            cases: vec![case],
        });
        let computed: Computed = self.ok(ask);
        computed.answers.into_iter().next().expect("one answer a case")
    }

    /// The output for one case; anything else fails the check.
    pub fn output(&mut self, what: &What, contract: &Contract, case: Case) -> Vec<u8> {
        match self.answer(what, contract, case.clone()) {
            Answer::Output(output) => output,
            other => panic!("{what}: {other:?} for {case:?} of {contract}"),
        }
    }

    /// Prepares cell 1 with [`POOL`] messages of stream [`SEED`].
    pub fn prepare(
        &mut self,
        what: &What,
        (contract, shape, size): (&Contract, Shape, u64),
        (key, ad): (&[u8], &[u8]),
        file: Option<String>,
    ) -> Prepared {
        self.ok(Ask::Prepare(Prepare {
            cell: 1,
            contender: what.contender.clone(),
            workload: Workload {
                primitive: what.offer.primitive.clone(),
                operation: what.offer.operation,
                size,
                contract: contract.clone(),
                shape,
            },
            seed: SEED,
            pool: POOL,
            lengths: vec![],
            offset: 5,
            key: key.to_vec(),
            ad: ad.to_vec(),
            file,
        }))
    }

    pub fn slice(&mut self, first: u64, preroll: u64, iterations: u64) -> Sliced {
        self.ok(Ask::Slice(Slice { cell: 1, first, preroll, iterations }))
    }
}

/// Messages in the pool of a prepared cell.
pub const POOL: u32 = 16;
/// Seed of the first of them.
pub const SEED: u64 = 77;

impl Drop for Talk {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The check has failed already; the runner ends with its input.
            self.to.take();
            let _ = self.child.wait();
            return;
        }
        let Outcome::Ok(Done {}) = self.ask(Ask::Bye) else { panic!("no farewell") };
        let status = self.child.wait().expect("a status");
        assert!(status.success(), "{status}");
    }
}

/// One offer of a contender.
#[derive(Clone, Debug)]
pub struct What {
    pub contender: String,
    pub offer: Offer,
}

impl std::fmt::Display for What {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}:{}", self.contender, self.offer.primitive, self.offer.operation)
    }
}

/// Whether the contender takes a message in pieces.
pub fn takes_pieces(what: &What) -> bool {
    matches!(what.offer.operation, Operation::Digest | Operation::Mac)
        && what.contender != "wyhash-final4"
}

/// Whether the crate copies the state of this hash function.
pub fn copies_states(what: &What) -> bool {
    match &*what.contender {
        "graviola" => what.offer.primitive != "sha3-256",
        "komihash" | "rapidhash" | "wyhash-final4" => false,
        _ => true,
    }
}

/// Everything that a runner lists.
pub fn list(program: &str) -> Vec<Listed> {
    let list: List = Talk::start(program).ok(Ask::List);
    assert!(!list.contenders.is_empty());
    list.contenders
}

/// Every offer of the contenders that are not missing here.
pub fn offers(program: &str) -> Vec<What> {
    let here = list(program).into_iter().filter(|listed| listed.missing.is_none());
    here.flat_map(|listed| {
        let contender = listed.name;
        listed.offers.into_iter().map(move |offer| What { contender: contender.clone(), offer })
    })
    .collect()
}

/// A case of this message.
pub fn message(bytes: &[u8]) -> Case {
    Case {
        input: Input::Hex(bytes.to_vec()),
        key: vec![],
        nonce: vec![],
        ad: vec![],
        offset: 0,
        chunks: vec![],
        lengths: vec![],
    }
}
