//! Systems without support of their own: every reading is `NotAvailable`.

use super::{Machine, Reading, Usage};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

fn unknown<T>() -> Reading<T> {
    Reading::NotAvailable(format!("not read on {} yet", std::env::consts::OS))
}

pub fn machine() -> Machine {
    Machine {
        architecture: std::env::consts::ARCH.to_string(),
        system: Reading::Known(std::env::consts::OS.to_string()),
        kernel: unknown(),
        cpu: unknown(),
        stepping: unknown(),
        microcode: unknown(),
        flags: unknown(),
        cpus: std::thread::available_parallelism().map_or(1, usize::from),
        processors: unknown(),
        cores: unknown(),
        last_level_cache: unknown(),
        governor: unknown(),
        hypervisor: unknown(),
        memory: unknown(),
        node: None,
        masked_by: None,
        uneven: None,
    }
}

pub fn cpus() -> Option<Vec<usize>> {
    None
}

pub fn allowed(_thread: u32) -> Option<Vec<usize>> {
    None
}

pub fn priority(_thread: u32) -> Option<[i64; 2]> {
    None
}

pub fn written(_process: u32) -> Option<u64> {
    None
}

pub fn give_memory_back() {}

pub fn take(_measuring: usize) {}

pub fn step_aside(_measuring: usize) {}

pub fn let_others_go_first() {}

pub fn go_to(_cpu: usize) {}

pub fn neighbours(cpu: usize) -> Vec<usize> {
    vec![cpu]
}

pub fn siblings(cpu: usize) -> Vec<usize> {
    vec![cpu]
}

pub fn place(_thread: u32, _cpu: usize) {}

pub fn move_process(_process: u32, _caller: Option<u32>, _cpu: usize) {}

pub fn set_free(_command: &mut Command) {}

pub fn set_as_here(_command: &mut Command) {}

pub fn fix_addresses(_command: &mut Command) {}

pub fn end_with_this_process(_command: &mut Command) {}

pub fn stolen_ns(_cpu: Option<usize>) -> Reading<u64> {
    unknown()
}

pub fn usage(_process: u32, _caller: Option<u32>) -> Option<Usage> {
    None
}

pub struct ThreadClock;

impl ThreadClock {
    pub fn open(_process: u32, _thread: u32) -> Option<ThreadClock> {
        None
    }

    pub fn of_this_thread() -> Option<ThreadClock> {
        None
    }

    pub fn ns(&self) -> Option<u64> {
        None
    }

    pub fn queued_ns(&self) -> Option<u64> {
        None
    }
}

pub fn queued_ns(_process: u32) -> BTreeMap<u32, u64> {
    BTreeMap::new()
}

pub fn scheduled(_process: u32) -> BTreeMap<u32, super::Scheduled> {
    BTreeMap::new()
}

pub fn adopt_orphans() {}

pub fn end_orphans(_: &str, _: &BTreeSet<u32>) {}

pub fn is_of_a_runner(_process: u32) -> bool {
    false
}

pub fn killed_for_memory() -> Option<u64> {
    None
}
