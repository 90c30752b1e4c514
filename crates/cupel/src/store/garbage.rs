//! What calls allocate, and the time of collecting it.

use std::collections::HashMap;

/// The garbage of one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Garbage {
    /// Bytes allocated per call: the mean over the slices that count.
    pub bytes_per_call: f64,
    /// The time of collecting it, in ns, if there were enough collections to compute it.
    pub collecting_ns_per_call: Option<f64>,
}

/// The fewest slices with the end of a collection from which the time of collecting is computed.
/// With fewer, chance decides too much: the last collection may have been just before or just after
/// the rounds.
const ENOUGH: usize = 10;

/// Sums up slices. A collection happens in whichever call fills the heap. So its time is shared by
/// all bytes that the process allocated, and is not charged to the cell in whose slice it happened.
#[derive(Default)]
pub struct Tally {
    cells: HashMap<usize, OfCell>,
}

#[derive(Default)]
struct OfCell {
    counting_bytes: f64,
    counting: usize,
    bytes: f64,
    collecting_ns: f64,
    collections: usize,
}

impl Tally {
    /// Adds a slice: its calls, whether it counts, the bytes allocated per call and the collector's
    /// time.
    pub fn add(
        &mut self,
        cell: usize,
        calls: f64,
        counts: bool,
        bytes_per_call: f64,
        gc_ns: Option<f64>,
    ) {
        let tally = self.cells.entry(cell).or_default();
        if counts {
            tally.counting_bytes += bytes_per_call;
            tally.counting += 1;
        }
        tally.bytes += calls * bytes_per_call;
        let gc_ns = gc_ns.unwrap_or(0.0);
        tally.collecting_ns += gc_ns;
        tally.collections += usize::from(gc_ns > 0.0);
    }

    /// The garbage of each cell that has a slice that counts. `contender` maps a cell to its
    /// process.
    pub fn sum_up(&self, contender: impl Fn(usize) -> Option<usize>) -> HashMap<usize, Garbage> {
        // For each contender: time, bytes and collections.
        let mut collectors: HashMap<_, (f64, f64, usize)> = HashMap::new();
        for (&cell, tally) in &self.cells {
            let (ns, bytes, collections) = collectors.entry(contender(cell)).or_default();
            *ns += tally.collecting_ns;
            *bytes += tally.bytes;
            *collections += tally.collections;
        }
        self.cells
            .iter()
            .filter(|(_, tally)| tally.counting > 0)
            .map(|(&cell, tally)| {
                let bytes_per_call = tally.counting_bytes / tally.counting as f64;
                let (ns, bytes, collections) = collectors[&contender(cell)];
                let known = collections >= ENOUGH && bytes > 0.0;
                let collecting_ns_per_call = known.then(|| bytes_per_call * ns / bytes);
                (cell, Garbage { bytes_per_call, collecting_ns_per_call })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells 0 and 1 are in one process, cell 2 in another.
    fn summed(tally: &Tally) -> HashMap<usize, Garbage> {
        tally.sum_up(|cell| Some(cell / 2))
    }

    #[test]
    fn collecting_belongs_to_every_byte_of_a_process_and_not_to_the_cell_that_it_interrupts() {
        let mut tally = Tally::default();
        for _ in 0..20 {
            tally.add(0, 100.0, true, 10.0, None);
            // Half of the slices contain a collection of 1 ms, and do not count.
            tally.add(1, 10.0, true, 900.0, Some(0.0));
            tally.add(1, 10.0, false, 900.0, Some(1e6));
            tally.add(2, 10.0, true, 64.0, Some(0.0));
        }
        let summed = summed(&tally);
        // 20 ms for 20 * (1000 + 18000) bytes.
        let ns_per_byte = 20e6 / 380_000.0;
        for (cell, bytes) in [(0, 10.0), (1, 900.0)] {
            assert_eq!(summed[&cell].bytes_per_call, bytes);
            let ns = summed[&cell].collecting_ns_per_call.unwrap();
            assert!((ns / (bytes * ns_per_byte) - 1.0).abs() < 1e-12, "{ns}");
        }
        // Another process, which never collected.
        let other = Garbage { bytes_per_call: 64.0, collecting_ns_per_call: None };
        assert_eq!(summed[&2], other);
    }

    #[test]
    fn too_few_collections_give_no_time_per_byte() {
        let mut tally = Tally::default();
        for _ in 1..ENOUGH {
            tally.add(0, 1.0, true, 8.0, Some(1e6));
        }
        assert_eq!(summed(&tally)[&0].collecting_ns_per_call, None);
        tally.add(0, 1.0, true, 8.0, Some(1e6));
        assert_eq!(summed(&tally)[&0].collecting_ns_per_call, Some(1e6));
    }

    #[test]
    fn a_cell_none_of_whose_slices_counts_has_no_figure() {
        let mut tally = Tally::default();
        tally.add(0, 1.0, false, 8.0, None);
        assert!(summed(&tally).is_empty());
    }
}
