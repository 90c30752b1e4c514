//! The memory that a draft takes, and whether this machine has it. All processes of a fork live at
//! once.

use super::{processes_of, takes_part};
use cupel_base::{draws, text};
use cupel_machine::Room;
use cupel_plan::{Draft, DraftComparison};
use cupel_protocol::workload::{Operation, Workload};
use cupel_suite::MIX;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// The language whose runner has an own object for each length that is drawn.
const PYTHON: &str = "python";

/// The bytes that a runner and the reference keep of each call of a mix: where its message lies,
/// and a word.
const DRAWN: u64 = 16;

/// The memory of a process without any message: of code that is compiled ahead of time, and of a
/// runtime such as Node.js. Sizes of resident memory on 2026-11-26, rounded down.
const NATIVE: u64 = 4 * MIB;
const RUNTIME: u64 = 40 * MIB;

/// A JVM outside its heap, and its smallest heap: it touches all of that (decision 24).
const JVM_OUTSIDE: u64 = 100 * MIB;
const JVM_HEAP: u64 = 128 * MIB;

/// A JVM's heap grows, if nothing limits it, by the garbage of this many of the largest calls:
/// thirty JVMs with calls of 1 MiB had 19.5 GB.
const GARBAGE: u64 = 350;

/// Calls whose arrays are at least this long, in bytes, leave garbage that a JVM collects late.
const LARGE: u64 = 512 << 10;

/// The smallest limit that a heap gets: twice the smallest heap, beyond its messages. Its young
/// generation has a fixed size, half of the smallest heap, so a limit does not change how often
/// that is collected.
const LEAST_HEAP: u64 = 2 * JVM_HEAP;

/// The tool itself, with its store.
const TOOL: u64 = 64 * MIB;

/// The fewest workers of verification.
const WORKERS: u64 = 2;

/// This part of the free memory may be used, in percent.
const USABLE: u64 = 90;

/// How a run copes with the memory that there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The limit of each JVM's heap in MiB, if they need one to live side by side.
    pub heap_mib: Option<u64>,
}

/// The need of a draft, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// The memory of processes that are not JVMs, and of JVMs outside their heaps.
    fixed: u64,
    /// The data of all JVMs, in their heaps.
    in_heaps: u64,
    /// The most of one JVM.
    in_one_heap: u64,
    /// The growth of heaps without a limit.
    garbage: u64,
    jvms: u64,
    processes: u64,
    /// The tool's own.
    tool: u64,
    /// The longest message.
    longest: u64,
    /// Whether it is a mix, whose contenders and sizes no option names.
    is_mix: bool,
}

impl Need {
    /// The need of a draft.
    pub fn estimate(draft: &Draft) -> Need {
        let mut need = Need { is_mix: draft.suite() == MIX, ..Need::default() };
        for (process, cells) in processes_of(draft, &|contender| takes_part(contender)) {
            let name = &draft.contenders()[process.contender].name;
            let jit = super::has_jit(&draft.contenders()[process.contender]);
            let is_jvm = jit && name.toolchain().is_some_and(cupel_toolchain::is_jdk);
            let copies = is_jvm || name.language() == PYTHON;
            let mut own: u64 = 0;
            for (comparison, work) in &cells {
                let pool = messages(work, draft.comparisons()[*comparison].pool, copies);
                own = own.saturating_add(pool).saturating_add(call(work));
            }
            let largest = cells.iter().map(|(_, work)| call(work)).max().unwrap_or_default();
            need.processes += 1;
            if is_jvm {
                need.jvms += 1;
                need.fixed += JVM_OUTSIDE;
                need.in_heaps = need.in_heaps.saturating_add(own.saturating_add(JVM_HEAP));
                need.in_one_heap = need.in_one_heap.max(own.saturating_add(JVM_HEAP));
                let leaves = if largest >= LARGE { GARBAGE.saturating_mul(largest) } else { 0 };
                need.garbage = need.garbage.saturating_add(leaves);
            } else {
                let base = if jit { RUNTIME } else { NATIVE };
                need.fixed = need.fixed.saturating_add(own.saturating_add(base));
            }
        }
        let measured = draft.comparisons().iter().filter(|c| !c.members.is_empty());
        // The reference keeps a pool, and verification a message for each of its workers.
        let kept = measured.clone().map(|DraftComparison { workload, pool, .. }| {
            let workers = WORKERS.saturating_mul(workload.size);
            messages(workload, *pool, false).saturating_add(workers)
        });
        need.tool = TOOL.saturating_add(kept.max().unwrap_or_default());
        need.longest = measured.map(|c| c.workload.size).max().unwrap_or_default();
        need
    }

    /// The least that all of it takes.
    fn least(&self) -> u64 {
        self.fixed.saturating_add(self.in_heaps).saturating_add(self.tool)
    }

    /// The sum, in words.
    pub fn words(&self) -> String {
        format!("memory: at least about {} for {}", in_words(self.least()), self.processes())
    }

    /// Plans the memory of a run on a machine that has this room.
    ///
    /// # Errors
    /// If there is certainly too little, with the figures and what to do.
    pub fn plan(&self, room: Room) -> Result<Memory, String> {
        if let Some(limit) = room.of_process.filter(|&limit| self.tool > limit) {
            return Err(format!(
                "the reference needs about {} of memory for messages of up to {}, and a limit of this \
                 process (ulimit -v) leaves {}: raise the limit, or {}",
                in_words(self.tool),
                text::bytes(self.longest),
                in_words(limit),
                if self.is_mix { LEAVE_OUT } else { "name smaller sizes" }
            ));
        }
        let Some(free) = room.free else { return Ok(Memory { heap_mib: None }) };
        let usable = free / 100 * USABLE;
        if self.least() > usable {
            return Err(self.too_much(self.least(), free));
        }
        if self.jvms == 0 || self.least().saturating_add(self.garbage) <= usable {
            return Ok(Memory { heap_mib: None });
        }
        let each = (usable - self.fixed - self.tool) / self.jvms;
        let fewest = self.in_one_heap + LEAST_HEAP - JVM_HEAP;
        if each < fewest {
            return Err(self.too_much(self.fixed + self.tool + self.jvms * fewest, free));
        }
        Ok(Memory { heap_mib: Some(each / MIB / 64 * 64) })
    }

    fn too_much(&self, least: u64, free: u64) -> String {
        let remedy = if self.is_mix {
            format!("ask for one language, such as --language c, or {LEAVE_OUT}")
        } else {
            "name fewer contenders or smaller sizes".to_string()
        };
        format!(
            "this needs about {} of memory for {}, with messages of up to {}, and {} are free: {remedy}",
            in_words(least),
            self.processes(),
            text::bytes(self.longest),
            in_words(free)
        )
    }

    fn processes(&self) -> String {
        match self.processes {
            1 => "1 process".to_string(),
            several => format!("{several} processes that live at once"),
        }
    }
}

/// The advice that makes the messages of a mix shorter.
const LEAVE_OUT: &str = "leave the longest sizes out of the mix";

/// The messages of a cell, in bytes. All that are drawn are the beginning of one, unless the kept
/// data differ with the length: sealed messages, and in some languages every object.
fn messages(work: &Workload, pool: u32, copies: bool) -> u64 {
    let (pool, Workload { size, operation, contract, .. }) = (u64::from(pool), work);
    match operation {
        // It is read inside the call.
        Operation::DigestFile => 0,
        _ if contract.lengths.drawn().is_none() => pool.saturating_mul(*size),
        _ => {
            let kept = u64::from(copies) + u64::from(*operation == Operation::Open);
            let each = kept * draws::together(&contract.lengths);
            size.saturating_add(each).saturating_add(pool * DRAWN)
        }
    }
}

/// The data of one call, in bytes.
fn call(work: &Workload) -> u64 {
    let written = match work.operation {
        Operation::Seal | Operation::Open | Operation::SealOpen => work.size,
        _ => 0,
    };
    let read = match work.contract.lengths.drawn() {
        Some(histogram) => histogram.longest(),
        None => work.bytes_per_call() as u64,
    };
    read.saturating_add(written).saturating_add(u64::from(work.contract.ad))
}

fn in_words(bytes: u64) -> String {
    match bytes {
        ..GIB => format!("{} MiB", bytes.div_ceil(MIB)),
        _ => format!("{:.1} GiB", bytes as f64 / GIB as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_protocol::histogram::Histogram;
    use cupel_protocol::workload::{Contract, Lengths, Shape};

    /// Thirty JVMs with calls of a MiB, and ten native processes.
    fn jvms() -> Need {
        Need {
            fixed: 30 * JVM_OUTSIDE + 10 * NATIVE,
            in_heaps: 30 * (JVM_HEAP + 4 * MIB),
            in_one_heap: JVM_HEAP + 4 * MIB,
            garbage: 30 * GARBAGE * MIB,
            jvms: 30,
            processes: 40,
            tool: TOOL,
            longest: MIB,
            is_mix: false,
        }
    }

    fn room(free: u64) -> Room {
        Room { free: Some(free), of_process: None }
    }

    #[test]
    fn jvms_have_a_limit_only_where_they_need_one() {
        assert_eq!(jvms().plan(room(32 * GIB)), Ok(Memory { heap_mib: None }));
        let Memory { heap_mib } = jvms().plan(room(16 * GIB)).unwrap();
        let heap = heap_mib.expect("18 of 16 GiB are too much");
        assert!(heap >= LEAST_HEAP / MIB && heap.is_multiple_of(64), "{heap}");
        assert!(30 * (heap * MIB + JVM_OUTSIDE) <= 16 * GIB);
        let unknown = Room { free: None, of_process: None };
        assert_eq!(jvms().plan(unknown), Ok(Memory { heap_mib: None }));
    }

    #[test]
    fn too_little_memory_is_refused_with_the_figures() {
        let reason = jvms().plan(room(10 * GIB)).unwrap_err();
        assert_eq!(
            reason,
            "this needs about 10.6 GiB of memory for 40 processes that live at once, with messages of up \
             to 1 MiB, and 10.0 GiB are free: name fewer contenders or smaller sizes"
        );
        let mix = Need { is_mix: true, ..jvms() }.plan(room(10 * GIB)).unwrap_err();
        let remedy = "ask for one language, such as --language c, or leave the longest sizes out of the \
                      mix";
        assert!(mix.ends_with(remedy), "{mix}");
        let native = Need { fixed: 3 * GIB, processes: 3, tool: 2 * GIB, ..Need::default() };
        assert!(native.plan(room(5 * GIB)).is_err());
        assert_eq!(native.plan(room(6 * GIB)), Ok(Memory { heap_mib: None }));
    }

    /// Whether half of all bytes are in few messages or in many, a process has room for all.
    #[test]
    fn messages_that_are_drawn_are_the_beginning_of_one() {
        let work = |operation, sizes: Vec<(u64, u64)>| {
            let lengths = Lengths::Drawn(Histogram::new(sizes).unwrap());
            let size = lengths.drawn().unwrap().longest();
            let contract = Contract { lengths, ..Contract::usual(operation) };
            let primitive = "any".to_string();
            Workload { primitive, operation, size, contract, shape: Shape::Throughput }
        };
        let of = |work: &Workload, copies| messages(work, draws::DRAWS, copies);
        let two = work(Operation::Digest, vec![(64, 900), (MIB, 100)]);
        assert_eq!(of(&two, false), 2 * MIB);
        assert_eq!(of(&two, true), 3 * MIB + 64);
        let opened = work(Operation::Open, (1..=1000).map(|n| (n * 16 * 1024, 1)).collect());
        let longest = 1000 * 16 * 1024;
        assert!(of(&opened, false) <= 5 * longest + 65 * MIB, "{}", of(&opened, false));
        assert_eq!(call(&two), MIB, "and not their mean");
        let file =
            Workload { operation: Operation::DigestFile, ..work(Operation::Digest, vec![(64, 1)]) };
        assert_eq!(messages(&file, 1, true), 0);
    }

    #[test]
    fn a_limit_of_the_process_is_named() {
        let need = Need { tool: 2 * GIB, ..Need::default() };
        let reason = need.plan(Room { free: None, of_process: Some(GIB) }).unwrap_err();
        assert!(reason.contains("ulimit -v") && reason.contains("leaves 1.0 GiB"), "{reason}");
    }
}
