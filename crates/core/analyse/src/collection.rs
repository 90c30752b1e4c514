//! Garbage collection as a part of a call's cost: its time per call, and its share of a ratio.
//!
//! A collection happens in whichever call fills the heap, and few slices contain one. So its cost
//! is shared out by bytes: the time of all collections divided by all bytes that were allocated,
//! times the bytes of a call. This time is added to the time of a call in every fork alike, because
//! the one or two collections of a fork would depend more on chance than on the process. The error
//! of the common figure by chance is the jackknife's error over the forks, and widens the interval.

use super::series::Series;
use cupel_plan::Plan;
use cupel_stats::quantile::median;
use cupel_stats::{Comparison, Interval, Without};
use cupel_store::{Garbage, Heap};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

/// The fewest collections from which the time per byte of a group is computed; with fewer, a larger
/// group is asked. Their error is known, but not how far a larger group is from this one: one
/// contender's garbage may cost many times as much to collect as another's.
const ENOUGH: usize = 5;

/// From this number of its own collections, a cell's time per byte is known to within a sixth. With
/// fewer, the collections of other cells of its contender count too if their calls allocate about
/// as much: their garbage is alike, and in one heap.
const MANY: usize = 50;

/// Calls allocate about as much if the one allocates at most this many times as much as the other.
const ALIKE: f64 = 1.5;

/// How many times as long as the typical one of its group a collection counts at most. If other
/// programs keep the processors busy, the collector's own threads wait for one, and nothing tells
/// that wait from work.
const MOST: f64 = 4.0;

/// A call that allocates less than this, in bytes, allocates nothing: the rest is the runner's.
const NOTHING: f64 = 1.0;

/// The cost of collection to the calls of the cells that allocate. It has nothing about the other
/// cells.
#[derive(Default)]
pub struct Collection {
    cells: HashMap<usize, OfCell>,
    /// The allocation of a call, in bytes, for every cell whose runner reports it.
    allocated: HashMap<usize, f64>,
}

/// The direction in which garbage collection moves a ratio. It costs time, so it makes the ratio of
/// a contender that allocates to one that does not larger, however little is known of its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// Only the contender allocates.
    Up,
    /// Only the one that it is compared with allocates.
    Down,
    /// Both allocate.
    Either,
}

impl Moves {
    /// The direction of two ratios together.
    pub fn and(self, other: Moves) -> Moves {
        if self == other { self } else { Moves::Either }
    }

    /// The direction of the reciprocal.
    pub fn inverse(self) -> Moves {
        match self {
            Moves::Up => Moves::Down,
            Moves::Down => Moves::Up,
            Moves::Either => Moves::Either,
        }
    }

    /// The interval of a ratio with collection, given the one of all that is known but the cost.
    fn bounded(self, with: Interval, known: &Interval) -> Interval {
        match self {
            Moves::Up => Interval { low: with.low.max(known.low), ..with },
            Moves::Down => Interval { high: with.high.min(known.high), ..with },
            Moves::Either => with,
        }
    }
}

struct OfCell {
    /// The time of collecting a call's garbage, in ns.
    ns: f64,
    /// The same time without one fork.
    ns_without: BTreeMap<i64, f64>,
    /// The time per call of each fork without collection, in ns.
    typical: BTreeMap<i64, f64>,
    /// Their median, in ns.
    middle: f64,
}

/// The collections of a group of cells, fork by fork.
#[derive(Clone, Default)]
struct Group {
    forks: BTreeMap<i64, Heap>,
}

impl Group {
    fn add(&mut self, forks: &BTreeMap<i64, Heap>) {
        for (&fork, heap) in forks {
            self.forks.entry(fork).or_default().add(heap);
        }
    }

    fn collections(&self) -> usize {
        self.forks.values().map(|heap| heap.collections_ns.len()).sum()
    }

    /// The most that one collection counts, in ns.
    fn most_ns(&self) -> f64 {
        let all: Vec<f64> =
            self.forks.values().flat_map(|heap| &heap.collections_ns).copied().collect();
        if all.len() < ENOUGH { f64::INFINITY } else { MOST * median(&all).max(0.0) }
    }

    /// The time of collecting a byte, in ns, from all forks but one.
    fn ns_per_byte(&self, without: Option<i64>, most_ns: f64) -> f64 {
        let (mut ns, mut bytes) = (0.0, 0.0);
        for (_, heap) in self.forks.iter().filter(|(fork, _)| Some(**fork) != without) {
            ns += heap.collections_ns.iter().map(|ns| ns.min(most_ns)).sum::<f64>();
            bytes += heap.bytes;
        }
        if bytes > 0.0 { (ns / bytes).max(0.0) } else { 0.0 }
    }
}

/// The time per call of each fork without collection, in ns.
fn typical(series: &Series, cell: usize) -> BTreeMap<i64, f64> {
    series.by_fork(cell).into_iter().map(|(fork, ln)| (fork, ln.exp())).collect()
}

/// The first of these, from the narrowest to the widest, with as many collections as it needs:
/// [`MANY`] of a cell, [`ENOUGH`] of a group; otherwise the last one.
fn narrowest<'a>(own: &'a Group, groups: [&'a Group; 3]) -> &'a Group {
    if own.collections() >= MANY {
        return own;
    }
    let enough = groups.into_iter().find(|group| group.collections() >= ENOUGH);
    enough.unwrap_or(groups[2])
}

impl Collection {
    /// The cost of collection to each cell of a run.
    pub fn estimate(plan: &Plan, garbage: &Garbage, series: &Series) -> Collection {
        let allocated: HashMap<usize, f64> = garbage
            .cells
            .iter()
            .filter_map(|(&cell, forks)| Some((cell, bytes_per_call(forks)?)))
            .collect();
        // From the narrowest group to the widest: the cell and its second copy; the cells of its
        // contender, which may share a process, that allocate about as much; all cells of the
        // contender; everything that its runtime hosts.
        let by_copies = grouped(garbage, |cell| copies(plan, cell));
        let contenders = grouped(garbage, |cell| plan.cells[cell].contender);
        let runtimes = grouped(garbage, |cell| runtime(plan, cell));
        let mut cells = HashMap::new();
        for (&cell, &bytes) in allocated.iter().filter(|(_, bytes)| **bytes >= NOTHING) {
            let own = &by_copies[&copies(plan, cell)];
            let allocates_alike = |&other: &usize| {
                hosted(plan, other) == hosted(plan, cell)
                    && allocated.get(&other).is_some_and(|&others| is_alike(bytes, others))
            };
            let alike = together(garbage, allocates_alike);
            let contender = &contenders[&plan.cells[cell].contender];
            let groups = [&alike, contender, &runtimes[&runtime(plan, cell)]];
            let group = narrowest(own, groups);
            if let Some(of_cell) = OfCell::estimate(bytes, group, typical(series, cell)) {
                cells.insert(cell, of_cell);
            }
        }
        Collection { cells, allocated }
    }

    /// The bytes that a call of a cell allocates, if its runner reports them.
    pub fn allocated(&self, cell: usize) -> Option<f64> {
        self.allocated.get(&cell).copied()
    }

    /// The time of collecting the garbage of a cell's call, in ns, if any was seen.
    pub fn ns(&self, cell: usize) -> Option<f64> {
        self.cells.get(&cell).map(|of_cell| of_cell.ns)
    }

    /// How it moves the ratio of two cells, if it does.
    pub fn moves(&self, cell: usize, other: usize) -> Option<Moves> {
        if ![cell, other].iter().any(|cell| self.cells.contains_key(cell)) {
            return None;
        }
        // One whose garbage was never collected may have a cost, too.
        let allocates = |cell: usize| {
            let bytes = self.allocated.get(&cell).copied().unwrap_or(0.0);
            self.cells.contains_key(&cell) || bytes >= NOTHING
        };
        Some(match (allocates(cell), allocates(other)) {
            (true, true) => Moves::Either,
            (true, false) => Moves::Up,
            (false, _) => Moves::Down,
        })
    }

    /// The addition of collection to the log-ratio of two cells in a fork.
    pub fn added(&self, cell: usize, other: usize, fork: i64) -> f64 {
        let [own, others] = [cell, other]
            .map(|cell| self.cells.get(&cell).map_or(0.0, |of_cell| of_cell.in_fork(fork)));
        own - others
    }

    /// The standard error of its part of the log-ratio of two cells: by the jackknife, from the
    /// collections of all forks. Two cells of one runtime may share their figure, and then most of
    /// its error.
    pub fn error(&self, cell: usize, other: usize) -> f64 {
        let known = [cell, other].map(|cell| self.cells.get(&cell));
        let forks: BTreeSet<i64> =
            known.iter().flatten().flat_map(|of_cell| of_cell.ns_without.keys().copied()).collect();
        if forks.len() < 2 {
            return 0.0;
        }
        let mut values = Vec::with_capacity(forks.len());
        for &fork in &forks {
            let [own, others] = known.map(|of| of.map_or(0.0, |of_cell| of_cell.without(fork)));
            values.push(own - others);
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        (squares * (n - 1.0) / n).sqrt()
    }
}

impl OfCell {
    /// `None` if no time of the cell is known, or if nothing was collected.
    fn estimate(bytes: f64, group: &Group, typical: BTreeMap<i64, f64>) -> Option<OfCell> {
        let times: Vec<f64> = typical.values().copied().collect();
        let most_ns = group.most_ns();
        let ns = bytes * group.ns_per_byte(None, most_ns);
        if times.is_empty() || ns <= 0.0 {
            return None;
        }
        // Few events scatter more than those that happened show, by about two of them.
        let collections = group.collections().max(1) as f64;
        let wider = ((collections + 2.0) / collections).sqrt();
        let mut ns_without = BTreeMap::new();
        for &fork in group.forks.keys() {
            let off = bytes * group.ns_per_byte(Some(fork), most_ns) - ns;
            ns_without.insert(fork, (ns + wider * off).max(0.0));
        }
        Some(OfCell { ns, ns_without, typical, middle: median(&times) })
    }

    /// The addition of collection to the logarithm of the time of a fork.
    fn in_fork(&self, fork: i64) -> f64 {
        (self.ns / self.typical.get(&fork).copied().unwrap_or(self.middle)).ln_1p()
    }

    /// The addition to the logarithm of the time of a typical fork, without the collections of one
    /// fork.
    fn without(&self, fork: i64) -> f64 {
        (self.ns_without.get(&fork).copied().unwrap_or(self.ns) / self.middle).ln_1p()
    }
}

/// The mean over the slices that count; `None` if none does.
fn bytes_per_call(forks: &BTreeMap<i64, Heap>) -> Option<f64> {
    let bytes: f64 = forks.values().map(|heap| heap.counting_bytes).sum();
    let counting: usize = forks.values().map(|heap| heap.counting).sum();
    (counting > 0).then(|| bytes / counting as f64)
}

/// The comparison, contender and alternative of a cell, which its second copy shares.
fn copies(plan: &Plan, cell: usize) -> (usize, usize, Option<usize>) {
    let cell = &plan.cells[cell];
    (cell.comparison, cell.contender, cell.alternative)
}

/// The contender of a cell, and the number of threads that fill its heap.
fn hosted(plan: &Plan, cell: usize) -> (usize, u32) {
    (plan.cells[cell].contender, plan.workload_of(cell).contract.threads)
}

/// The family and the toolchain of a cell's host.
fn runtime(plan: &Plan, cell: usize) -> (Option<&str>, Option<&str>) {
    let name = &plan.contender_of(cell).name;
    (name.family(), name.host())
}

/// Whether calls that allocate as many bytes allocate about as much.
fn is_alike(bytes: f64, others: f64) -> bool {
    bytes <= ALIKE * others && others <= ALIKE * bytes
}

/// The collections of these cells.
fn together(garbage: &Garbage, is_one: impl Fn(&usize) -> bool) -> Group {
    let mut group = Group::default();
    let cells = garbage.cells.iter().filter(|(cell, _)| is_one(cell));
    cells.for_each(|(_, forks)| group.add(forks));
    group
}

fn grouped<K: Eq + Hash>(garbage: &Garbage, key: impl Fn(usize) -> K) -> HashMap<K, Group> {
    let mut groups: HashMap<K, Group> = HashMap::new();
    for (&cell, forks) in &garbage.cells {
        groups.entry(key(cell)).or_default().add(forks);
    }
    groups
}

/// A comparison of times with collection, from that and the one of times without. `error` is the
/// standard error that all forks share, `miss` the probability with which the interval may miss. A
/// verdict must hold with collection and without it, so the interval reaches from one to the other.
pub fn both(
    with: Comparison,
    without: &Comparison,
    moves: Moves,
    error: f64,
    miss: f64,
) -> Comparison {
    // Only the error of the cost is limited by that: the interval of the values is as wide as it is.
    let known = with.interval.hull(&without.interval);
    let with = with.with_shared_error(error, miss);
    let cost = moves.bounded(with.interval, &known);
    Comparison {
        interval: cost.hull(&without.interval),
        without: Some(Without {
            with: cost,
            estimate: without.estimate,
            interval: without.interval,
        }),
        ..with
    }
}

/// The words for a comparison that garbage collection decides: with it or without it alone there
/// would be a verdict. `None` if it does not matter.
pub fn decides(compared: &Comparison, zone: f64) -> Option<String> {
    let without = compared.without?;
    let [both, with, alone] = [compared.interval, without.with, without.interval]
        .map(|interval| cupel_stats::verdict(&interval, compared.forks, zone).is_some());
    (!both && (with || alone)).then(|| with_and_without(compared, &without))
}

/// Both ratios, for a reader who wonders why there is no verdict.
pub fn with_and_without(compared: &Comparison, without: &Without) -> String {
    let [with, alone] = [compared.estimate, without.estimate].map(f64::exp);
    if without.interval.contains(compared.estimate) || without.with.contains(without.estimate) {
        let [low, high] = [without.with.low, without.with.high].map(f64::exp);
        return format!(
            "with garbage collection the ratio is {with:.3}, from {low:.3} to {high:.3}, without it \
             {alone:.3}; what collection costs is not known well enough"
        );
    }
    format!(
        "with garbage collection the ratio is {with:.3}, without it {alone:.3}; a verdict needs \
         both on one side"
    )
}

/// A comparison whose intervals cover both of two estimates of the same ratio.
pub fn reaching(one: Comparison, other: &Comparison) -> Comparison {
    let without = one.without.zip(other.without).map(|(own, later)| Without {
        with: own.with.hull(&later.with),
        interval: own.interval.hull(&later.interval),
        ..own
    });
    Comparison { interval: one.interval.hull(&other.interval), without, ..one }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Forks by the collections of each, of this many ns, and the bytes that it allocated.
    fn group(forks: &[(usize, f64, f64)]) -> Group {
        let heap = |(fork, &(collections, ns, bytes)): (usize, &(usize, f64, f64))| {
            let collections_ns = vec![ns; collections];
            (fork as i64, Heap { bytes, collections_ns, ..Heap::default() })
        };
        Group { forks: forks.iter().enumerate().map(heap).collect() }
    }

    fn collection(cells: [(f64, &Group); 2], ns: f64) -> Collection {
        let typical = |group: &Group| group.forks.keys().map(|&fork| (fork, ns)).collect();
        let cells = cells.into_iter().enumerate();
        let cells = cells
            .filter_map(|(cell, (bytes, group))| {
                Some((cell, OfCell::estimate(bytes, group, typical(group))?))
            })
            .collect();
        Collection { cells, allocated: HashMap::new() }
    }

    #[test]
    fn collecting_is_shared_out_by_bytes_over_all_forks() {
        let known = group(&[(4, 500.0, 1e4), (0, 0.0, 1e4), (2, 500.0, 1e4)]);
        // 3000 ns for 30,000 bytes: a tenth of a ns for each.
        let collection = collection([(1000.0, &known), (0.0, &known)], 100.0);
        assert_eq!(collection.ns(0), Some(100.0));
        assert_eq!(collection.ns(1), None, "what allocates nothing costs nothing");
        for fork in 0..3 {
            assert!((collection.added(0, 1, fork) - 2_f64.ln()).abs() < 1e-12);
            assert!((collection.added(1, 0, fork) + 2_f64.ln()).abs() < 1e-12);
        }
        let directions = [(0, 1), (1, 0), (0, 0), (1, 2)].map(|(a, b)| collection.moves(a, b));
        assert_eq!(directions, [Some(Moves::Up), Some(Moves::Down), Some(Moves::Either), None]);
        // Two cells of one runtime share their figure with its error.
        let alike = self::collection([(1000.0, &known), (1000.0, &known)], 100.0);
        assert!(alike.error(0, 1) < 1e-12 && collection.error(0, 1) > 0.1);
        let uncollected = Collection { allocated: HashMap::from([(1, 848.0)]), ..collection };
        assert_eq!(uncollected.moves(0, 1), Some(Moves::Either), "nothing of it was collected yet");
    }

    #[test]
    fn a_collection_whose_threads_waited_counts_as_a_few() {
        let quiet = group(&[(9, 500.0, 1e4), (1, 500.0, 1e4)]);
        let busy = group(&[(9, 500.0, 1e4), (1, 80_000.0, 1e4)]);
        let of = |group: &Group| group.ns_per_byte(None, group.most_ns());
        assert_eq!(of(&quiet), 10.0 * 500.0 / 2e4);
        assert_eq!(of(&busy), 13.0 * 500.0 / 2e4);
        assert_eq!(group(&[(ENOUGH - 1, 1.0, 1.0)]).most_ns(), f64::INFINITY);
    }

    #[test]
    fn a_larger_group_is_asked_only_if_a_smaller_one_has_too_few_collections() {
        let of = |collections| group(&[(collections, 1.0, 1.0)]);
        let chosen = |own, groups: [usize; 3]| {
            let [alike, contender, runtime] = groups.map(of);
            narrowest(&of(own), [&alike, &contender, &runtime]).collections()
        };
        assert_eq!(chosen(MANY, [100, 200, 300]), MANY);
        assert_eq!(chosen(MANY - 1, [100, 200, 300]), 100);
        assert_eq!(chosen(1, [ENOUGH - 1, 200, 300]), 200);
        assert_eq!(chosen(0, [0, ENOUGH - 1, 300]), 300);
        assert_eq!(chosen(0, [0, 0, 1]), 1);
    }

    #[test]
    fn calls_that_allocate_much_more_say_nothing_about_a_call() {
        assert!(is_alike(4243.0, 4272.0) && is_alike(4272.0, 4243.0) && is_alike(200.0, 300.0));
        assert!(!is_alike(4243.0, 1_050_000.0) && !is_alike(1_050_000.0, 4243.0));
    }

    #[test]
    fn a_verdict_needs_both_on_one_side() {
        let of = |estimate: f64| {
            let interval = Interval { low: estimate - 0.01, high: estimate + 0.01 };
            Comparison::from_parts(estimate, interval, 24)
        };
        let alike = both(of(0.5), &of(0.4), Moves::Up, 0.0, 0.05);
        assert_eq!(alike.interval, Interval { low: 0.39, high: 0.51 });
        assert_eq!(alike.own_interval(), of(0.5).interval);
        assert_eq!(decides(&alike, 0.02), None);
        let apart = both(of(0.5), &of(0.0), Moves::Up, 0.0, 0.05);
        let words = decides(&apart, 0.02).unwrap();
        assert!(words.contains("ratio is 1.649, without it 1.000"), "{words}");
        let open = both(of(0.0), &of(0.01), Moves::Down, 0.0, 0.05);
        assert_eq!(decides(&open, 0.02), None, "both are open");
        assert_eq!(decides(&apart.inverse(), 0.02).map(|w| w.contains("is 0.607")), Some(true));
    }

    #[test]
    fn a_cost_that_is_hardly_known_does_not_make_the_contender_faster() {
        let of = |estimate: f64| {
            let interval = Interval { low: estimate - 0.1, high: estimate + 0.1 };
            Comparison::from_parts(estimate, interval, 3)
        };
        let own = both(of(0.5), &of(0.4), Moves::Up, 1.0, 0.05).interval;
        assert!((own.low - 0.3).abs() < 1e-12 && own.high > 2.0, "{own:?}");
        let others = both(of(0.4), &of(0.5), Moves::Down, 1.0, 0.05).interval;
        assert!((others.high - 0.6).abs() < 1e-12 && others.low < -2.0, "{others:?}");
        // The values with collection have levels, and reach further down.
        let interval = Interval { low: 0.0, high: 1.0 };
        let levels = Comparison { interval, ..of(0.5) };
        let own = both(levels, &of(0.4), Moves::Up, 1.0, 0.05).interval;
        assert!(own.low.abs() < 1e-12, "{own:?}");
        let either = both(of(0.5), &of(0.4), Moves::Either, 1.0, 0.05).interval;
        assert!(either.low < -2.0 && either.high > 2.0, "{either:?}");
    }

    /// Forks in which collections are rare events, each with its own cost: how often the interval
    /// of their addition to a logarithm misses the truth, and how far off the estimate is on
    /// average.
    fn missed(forks: usize, mean: f64, share: f64) -> (f64, f64) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(forks as u64 + (1000.0 * mean) as u64);
        let exponential = |random: &mut Xoshiro256PlusPlus| -(1.0 - random.random::<f64>()).ln();
        let (mut misses, mut off, mut all) = (0, 0.0, 0);
        while all < 1000 {
            let drawn: Vec<(usize, f64, f64)> = (0..forks)
                .map(|_| {
                    let bytes = random.random_range(0.7..1.3);
                    let mut left = mean * bytes - exponential(&mut random);
                    let (mut collections, mut ns) = (0, 0.0);
                    while left > 0.0 {
                        collections += 1;
                        ns += (0..4).map(|_| exponential(&mut random) / 4.0).sum::<f64>();
                        left -= exponential(&mut random);
                    }
                    (collections, ns / collections.max(1) as f64, bytes)
                })
                .collect();
            let drawn = group(&drawn);
            if drawn.collections() < ENOUGH {
                continue;
            }
            let collection = collection([(share / mean, &drawn), (0.0, &drawn)], 1.0);
            let found = collection.added(0, 1, 0) - share.ln_1p();
            let of = |ln: f64| Comparison::from_parts(ln, Interval { low: ln, high: ln }, forks);
            let seen = both(of(found), &of(found), Moves::Either, collection.error(0, 1), 0.05);
            misses += usize::from(!seen.own_interval().contains(0.0));
            off += found;
            all += 1;
        }
        (f64::from(misses as u32) / f64::from(all), off / f64::from(all))
    }

    #[test]
    fn the_interval_contains_the_truth_however_rare_collections_are() {
        for (forks, mean) in [(5, 3.0), (11, 1.0), (24, 1.0), (24, 10.0)] {
            for share in [0.05, 0.8] {
                let (missed, off) = missed(forks, mean, share);
                assert!(missed <= 0.08, "{forks} forks of {mean}: missed {missed}");
                // The value of each fork from its own collections would be 2 to 22 % too low.
                assert!(off.abs() < 0.02, "{forks} forks of {mean}: {off} off");
            }
        }
    }
}
