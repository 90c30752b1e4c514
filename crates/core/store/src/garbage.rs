//! The garbage of calls, and the cost of collecting it: for each cell in each fork.

use cupel_stats::quantile::median;
use std::collections::{BTreeMap, HashMap};

/// The allocations and collections of a run's cells, by cell and fork. Only cells whose runner
/// reports its allocations are in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Garbage {
    /// By cell, then by the number of the fork in the store.
    pub cells: BTreeMap<usize, BTreeMap<i64, Heap>>,
}

/// The allocations and collections of one cell in one fork.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heap {
    /// The sum of the bytes per call over the slices that count.
    pub counting_bytes: f64,
    /// How many slices count.
    pub counting: usize,
    /// All bytes that were allocated in its slices.
    pub bytes: f64,
    /// For each slice in which a collection ended: its time beyond the usual time of its calls, in
    /// ns.
    pub collections_ns: Vec<f64>,
}

impl Heap {
    /// Adds another record.
    pub fn add(&mut self, other: &Heap) {
        self.counting_bytes += other.counting_bytes;
        self.counting += other.counting;
        self.bytes += other.bytes;
        self.collections_ns.extend(&other.collections_ns);
    }
}

/// A slice of a cell whose runner reports its allocations.
#[derive(Clone, Copy, Debug)]
pub struct Allocating {
    /// The timed calls.
    pub calls: f64,
    /// The time of each, in ns.
    pub ns_per_call: f64,
    /// Whether the slice counts.
    pub counts: bool,
    /// Bytes that each call allocated.
    pub bytes_per_call: f64,
    /// The collector's time as the runtime reports it, in ns.
    pub gc_ns: f64,
    /// The time that the thread waited for a processor, in ns.
    pub wait_ns: f64,
    /// The threads that make the calls.
    pub threads: u32,
}

/// Sums up slices, one fork after the other.
#[derive(Default)]
pub struct Tally {
    garbage: Garbage,
    /// The cells of the fork that is read.
    cells: HashMap<usize, OfFork>,
}

#[derive(Default)]
struct OfFork {
    heap: Heap,
    /// The times per call of the slices that count.
    times: Vec<f64>,
    /// The slices in which a collection ended.
    collected: Vec<Allocating>,
}

impl Tally {
    /// Adds a slice of the fork that is read.
    pub fn add(&mut self, cell: usize, slice: Allocating) {
        let of_fork = self.cells.entry(cell).or_default();
        if slice.counts {
            of_fork.heap.counting_bytes += slice.bytes_per_call;
            of_fork.heap.counting += 1;
            of_fork.times.push(slice.ns_per_call);
        }
        of_fork.heap.bytes += slice.calls * slice.bytes_per_call;
        if slice.gc_ns > 0.0 {
            of_fork.collected.push(slice);
        }
    }

    /// Ends the fork with this number in the store.
    pub fn end_fork(&mut self, fork: i64) {
        for (cell, of_fork) in self.cells.drain() {
            let collections_ns = of_fork.collections_ns();
            let heap = Heap { collections_ns, ..of_fork.heap };
            self.garbage.cells.entry(cell).or_default().insert(fork, heap);
        }
    }

    /// The garbage that was read.
    pub fn garbage(self) -> Garbage {
        self.garbage
    }
}

impl OfFork {
    /// The cost of the collections: the time of their slices beyond the time of their calls in the
    /// median slice that counts. The runtime's own figure is only the part that it counts as a
    /// pause; it does not contain how the threads stop and continue, the work that allocating calls
    /// do for a collector that runs at the same time, and the caches that it leaves. And if most
    /// slices contain a collection, so does the median, and only the rest is missing there.
    ///
    /// Without a slice that counts, and with several threads, whose waits are not known one by one,
    /// it is the figure that the runtime reports.
    fn collections_ns(&self) -> Vec<f64> {
        if self.times.is_empty() {
            return self.collected.iter().map(|slice| slice.gc_ns).collect();
        }
        let typical = median(&self.times);
        let costs = self.collected.iter().map(|slice| match slice.threads {
            // Time in which the thread waited for a processor is another program's.
            1 => slice.calls * (slice.ns_per_call - typical) - slice.wait_ns,
            _ => slice.gc_ns,
        });
        costs.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Allocating = Allocating {
        calls: 100.0,
        ns_per_call: 10.0,
        counts: true,
        bytes_per_call: 64.0,
        gc_ns: 0.0,
        wait_ns: 0.0,
        threads: 1,
    };

    fn heap(slices: &[Allocating]) -> Heap {
        let mut tally = Tally::default();
        slices.iter().for_each(|slice| tally.add(0, *slice));
        tally.end_fork(7);
        tally.garbage().cells[&0][&7].clone()
    }

    #[test]
    fn a_collection_costs_what_its_slice_takes_longer() {
        // The runtime reports 1 ms for a pause of 300 us; the thread waited 50 us for a processor.
        let slow = Allocating { ns_per_call: 3510.0, counts: false, gc_ns: 1e6, ..QUIET };
        let waited = Allocating { wait_ns: 50e3, ..slow };
        let heap = heap(&[QUIET, QUIET, slow, QUIET, waited]);
        assert_eq!(heap.collections_ns, [350e3, 300e3]);
        assert_eq!((heap.bytes, heap.counting), (5.0 * 6400.0, 3));
    }

    #[test]
    fn what_the_median_slice_contains_is_not_added_to_it_again() {
        let collects = Allocating { ns_per_call: 30.0, gc_ns: 2000.0, ..QUIET };
        assert_eq!(heap(&[collects, collects, collects]).collections_ns, [0.0; 3]);
        // One of four collects twice.
        let twice = Allocating { ns_per_call: 50.0, gc_ns: 4000.0, ..QUIET };
        let costs = heap(&[collects, collects, collects, twice]).collections_ns;
        assert_eq!(costs, [0.0, 0.0, 0.0, 2000.0]);
    }

    #[test]
    fn without_a_typical_slice_the_runtime_is_believed() {
        let only = Allocating { counts: false, gc_ns: 4000.0, ..QUIET };
        assert_eq!(heap(&[only, only]).collections_ns, [4000.0; 2]);
        let threads = Allocating { threads: 2, gc_ns: 4000.0, ns_per_call: 90.0, ..QUIET };
        assert_eq!(heap(&[QUIET, QUIET, threads]).collections_ns, [4000.0]);
    }

    #[test]
    fn forks_are_apart() {
        let mut tally = Tally::default();
        tally.add(0, QUIET);
        tally.end_fork(1);
        tally.add(0, QUIET);
        tally.add(3, QUIET);
        tally.end_fork(2);
        let garbage = tally.garbage();
        assert_eq!(garbage.cells[&0].keys().copied().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(garbage.cells[&3].keys().copied().collect::<Vec<_>>(), [2]);
    }
}
