//! How many distinct messages a comparison has: few enough to stay in a cache, or too many for any.

use cupel_base::draws::DRAWS;
use cupel_machine::Machine;
use cupel_protocol::workload::{Contract, Inputs, Operation};

/// The number of messages. Hot: together at most half of a 32 KiB first-level cache, from 2 to 64
/// of them, and never fewer than a batch. Cold: over twice the last-level cache, within 256 MiB.
/// With drawn lengths: as many as are drawn; they share their bytes, and so need no more room than
/// the longest.
pub fn pool(size: u64, contract: &Contract, operation: Operation) -> u32 {
    if operation == Operation::DigestFile {
        return 1;
    }
    if contract.lengths.drawn().is_some() {
        return DRAWS;
    }
    let inputs = contract.inputs;
    let batch = contract.batch.next_power_of_two();
    let room = match inputs {
        Inputs::Hot => 16 << 10,
        Inputs::Cold => {
            let machine = Machine::look();
            let cache = machine.last_level_cache.known().copied().unwrap_or(32 << 20);
            (2 * cache).clamp(64 << 20, 256 << 20)
        }
    };
    let most = if inputs == Inputs::Hot { 64 } else { 1 << 20 };
    let pool = match inputs {
        Inputs::Hot => {
            let count = (room / size.max(1)).clamp(2, most);
            1 << (63 - count.leading_zeros())
        }
        // Rounded up, so that the pool never becomes smaller than the cache.
        Inputs::Cold => room.div_ceil(size.max(1)).clamp(2, most).next_power_of_two() as u32,
    };
    batch.max(pool)
}
