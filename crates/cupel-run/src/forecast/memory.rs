//! The memory that a draft takes, and whether this machine has it. All processes of a fork live at
//! once.

use super::{processes_of, takes_part};
use cupel_base::machine::Room;
use cupel_host::toolchain;
use cupel_plan::Draft;
use cupel_protocol::workload::{Operation, Workload};

const MIB: u64 = 1 << 20;

/// What a process takes without any message: of code that is compiled ahead of time, and of a
/// runtime such as Node.js. Sizes of resident memory on 2026-11-26, rounded down.
const NATIVE: u64 = 4 * MIB;
const RUNTIME: u64 = 40 * MIB;

/// A JVM outside its heap, and its smallest heap: it touches all of that (decision 24).
const JVM_OUTSIDE: u64 = 100 * MIB;
const JVM_HEAP: u64 = 128 * MIB;

/// A JVM's heap grows, if nothing limits it, by what this many of the largest calls leave behind:
/// thirty JVMs with calls of 1 MiB had 19.5 GB.
const GARBAGE: u64 = 350;

/// Calls whose arrays are at least this long, in bytes, leave garbage that a JVM collects late.
const LARGE: u64 = 512 << 10;

/// The smallest limit that a heap gets: twice the smallest heap, beyond what its messages take. Its
/// young generation has a fixed size, half of the smallest heap, so a limit does not change how
/// often that is collected.
const LEAST_HEAP: u64 = 2 * JVM_HEAP;

/// The tool itself, with its store.
const TOOL: u64 = 64 * MIB;

/// The fewest workers of verification.
const WORKERS: u64 = 2;

/// This part of what is free may be used, in percent.
const USABLE: u64 = 90;

/// What a run does about memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The limit of each JVM's heap in MiB, if they need one to live side by side.
    pub heap_mib: Option<u64>,
}

/// What a draft needs, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Need {
    /// Processes that are not JVMs, and what JVMs have outside their heaps.
    fixed: u64,
    /// The data of all JVMs, in their heaps.
    in_heaps: u64,
    /// The most of one JVM.
    in_one_heap: u64,
    /// What heaps grow by without a limit.
    garbage: u64,
    jvms: u64,
    processes: u64,
    /// The tool's own.
    tool: u64,
}

/// Plans the memory of a draft.
///
/// # Errors
/// If there is certainly too little, with the figures and what to do.
pub fn plan(draft: &Draft, room: Room) -> Result<Memory, String> {
    need(draft).plan(room)
}

fn need(draft: &Draft) -> Need {
    let mut need = Need::default();
    for (process, cells) in processes_of(draft, &|contender| takes_part(contender)) {
        let name = &draft.contenders()[process.contender].name;
        let jit = super::has_jit(&draft.contenders()[process.contender]);
        let is_jvm = jit && name.toolchain().is_some_and(toolchain::is_jdk);
        let mut own: u64 = 0;
        for (comparison, work) in &cells {
            let pool = u64::from(draft.comparisons()[*comparison].pool);
            own = own.saturating_add(pool.saturating_mul(work.size).saturating_add(call(work)));
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
    let messages = draft.comparisons().iter().filter(|c| !c.members.is_empty());
    // The reference keeps a pool, and verification a message for each of its workers.
    let kept = messages.map(|c| (u64::from(c.pool).saturating_add(WORKERS), c.workload.size));
    let most = kept.map(|(messages, size)| messages.saturating_mul(size)).max();
    need.tool = TOOL.saturating_add(most.unwrap_or_default());
    need
}

/// What one call reads and writes, in bytes.
fn call(work: &Workload) -> u64 {
    let written = match work.operation {
        Operation::Seal | Operation::Open | Operation::SealOpen => work.size,
        _ => 0,
    };
    (work.bytes_per_call() as u64)
        .saturating_add(written)
        .saturating_add(u64::from(work.contract.ad))
}

impl Need {
    /// The least that all of it takes.
    fn least(&self) -> u64 {
        self.fixed.saturating_add(self.in_heaps).saturating_add(self.tool)
    }

    fn plan(&self, room: Room) -> Result<Memory, String> {
        if let Some(limit) = room.of_process.filter(|&limit| self.tool > limit) {
            return Err(format!(
                "the reference needs about {} of memory for these messages, and a limit of this \
                 process (ulimit -v) leaves {}: raise the limit, or name smaller sizes",
                gib(self.tool),
                gib(limit)
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
        format!(
            "this needs about {} of memory for {} processes that live at once, and {} are free: \
             name fewer contenders or smaller sizes",
            gib(least),
            self.processes,
            gib(free)
        )
    }
}

fn gib(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1_u64 << 30) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

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
        assert!(
            reason.starts_with("this needs about 10.6 GiB of memory for 40 processes"),
            "{reason}"
        );
        assert!(reason.contains("that live at once, and 10.0 GiB are free"), "{reason}");
        assert!(reason.ends_with("name fewer contenders or smaller sizes"), "{reason}");
        let native = Need { fixed: 3 * GIB, processes: 3, tool: 2 * GIB, ..Need::default() };
        assert!(native.plan(room(5 * GIB)).is_err());
        assert_eq!(native.plan(room(6 * GIB)), Ok(Memory { heap_mib: None }));
    }

    #[test]
    fn a_limit_of_the_process_is_named() {
        let need = Need { tool: 2 * GIB, ..Need::default() };
        let reason = need.plan(Room { free: None, of_process: Some(GIB) }).unwrap_err();
        assert!(reason.contains("ulimit -v") && reason.contains("leaves 1.0 GiB"), "{reason}");
    }
}
