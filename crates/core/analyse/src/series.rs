//! Stored slices as series: by cell and fork, in time order, with a mark on those that count.

use super::carry_over::CarryOver;
use super::{Processes, Time};
use cupel_stats::quantile::{median, median_interval};
use cupel_stats::{Pair, Prior, Steadiness, compare, steadiness};
use cupel_store::{Recorded, RoundRow};
use std::collections::{BTreeMap, HashMap};

/// The share of its fewest rounds that each cell of a pair must have in common with the other: they
/// may have lost different ones.
const SHARED: f64 = 0.8;

/// The times of every cell.
pub struct Series {
    cells: HashMap<usize, CellSeries>,
    /// For each comparison: its rounds, and the rounds with a disturbed slice.
    rounds: HashMap<usize, (usize, usize)>,
    /// For each round, its effect on the cells that stay to the end: the median over them of the
    /// distance from their own middle, in logarithms. Subtracting it removes the effects common to
    /// all cells.
    common: Vec<f64>,
    /// The effect of cells on the next one. No point includes it.
    carry_over: CarryOver,
    /// By the number of a fork in the store: its number in the run, from 1.
    numbers: HashMap<i64, u32>,
    alpha: f64,
}

/// The ratio of two cells in a fork.
pub struct ForkRatio {
    /// The fork's number in the store.
    pub fork: i64,
    /// The median log-ratio of its rounds.
    pub median: f64,
    /// The number of these rounds.
    pub rounds: usize,
}

struct CellSeries {
    /// The fewest rounds that must count in a fork for it to be a sample.
    fewest: usize,
    /// For each fork, in the order of their starts: one entry for each round in which the cell ran.
    forks: BTreeMap<i64, Vec<Point>>,
}

/// A cell's slice in one round. Small, because there are millions.
#[derive(Clone, Copy)]
struct Point {
    /// The logarithm of the time in ns per call.
    ln: f64,
    /// The position of the round among all rounds.
    round: u32,
    counts: bool,
}

impl Series {
    /// Gathers a run's slices, without the effect of the slice before each of them.
    pub fn gather(recorded: &Recorded) -> Series {
        let carry_over = CarryOver::estimate(recorded);
        let mut cells: HashMap<usize, CellSeries> = HashMap::new();
        let mut rounds: HashMap<usize, (usize, usize)> = HashMap::new();
        let mut room: HashMap<(i64, u32), usize> = HashMap::new();
        for round in &recorded.rounds {
            for slice in &round.slices {
                *room.entry((round.fork, slice.cell)).or_default() += 1;
            }
        }
        for (number, round) in recorded.rounds.iter().enumerate() {
            let count = rounds.entry(round.comparison).or_default();
            count.0 += 1;
            count.1 += usize::from(round.slices.iter().any(|s| !s.counts));
            let carried = carry_over.carried(&recorded.rounds, number);
            for slice in &round.slices {
                let ln = slice.ns_per_call.ln() - carried.onto(slice);
                let number = u32::try_from(number).expect("fewer rounds than that fit a store");
                let cell = slice.cell as usize;
                cells
                    .entry(cell)
                    .or_insert_with(|| CellSeries::empty(recorded.plan.fewest_rounds(cell)))
                    .forks
                    .entry(round.fork)
                    .or_insert_with(|| Vec::with_capacity(room[&(round.fork, slice.cell)]))
                    .push(Point { ln, round: number, counts: slice.counts });
            }
        }
        let common = common(recorded, &cells);
        let numbers = recorded.forks.iter().map(|fork| (fork.id, fork.ordinal + 1)).collect();
        let alpha = recorded.plan.options.alpha;
        Series { cells, rounds, common, carry_over, numbers, alpha }
    }

    /// The factor by which a cell slows the slice after it; 1 if that is uncertain or nothing.
    pub fn slows_next(&self, cell: usize) -> f64 {
        self.carry_over.of_cell(cell as u32).exp()
    }

    /// The ratio of two cells in each fork: the median log-ratio of the rounds in which both count.
    /// Forks with too few rounds of either for a sample are left out, and those with too few of
    /// both.
    pub fn ratios(&self, cell: usize, other: usize) -> Vec<ForkRatio> {
        self.ratios_in_turn(cell, other, 1)
    }

    /// The ratio in each fork of two cells of comparisons whose rounds follow each other in turn,
    /// `turns` of them: the median log-ratio of neighbouring rounds in which both count.
    pub fn ratios_in_turn(&self, cell: usize, other: usize, turns: usize) -> Vec<ForkRatio> {
        let (Some(a), Some(b)) = (self.cells.get(&cell), self.cells.get(&other)) else {
            return Vec::new();
        };
        let fewest_shared = (SHARED * a.fewest.max(b.fewest) as f64) as usize;
        let mut found = Vec::new();
        for (&fork, points) in &a.forks {
            let Some(others) = b.forks.get(&fork) else { continue };
            let ratios = paired(points, others, turns);
            let samples = a.is_sample(points) && b.is_sample(others);
            if samples && ratios.len() >= fewest_shared {
                found.push(ForkRatio { fork, median: median(&ratios), rounds: ratios.len() });
            }
        }
        found
    }

    /// A cell's time per call: the median over its rounds that count, in forks that have enough of
    /// them. The interval comes from its forks, as a ratio's does, so it covers the levels of its
    /// processes and both sides of a change.
    pub fn time(&self, cell: usize) -> Option<Time> {
        let series = self.cells.get(&cell)?;
        let samples = series.forks.values().filter(|points| series.is_sample(points));
        let times: Vec<f64> = samples.flatten().filter(|p| p.counts).map(|p| p.ln.exp()).collect();
        if times.is_empty() {
            return None;
        }
        let median = median(&times);
        let forks: Vec<f64> = self.by_fork(cell).into_values().collect();
        let interval = match forks.len() {
            1 => median_interval(&times, self.alpha),
            _ => {
                let pair = Pair { forks, rounds: times.len() };
                compare(&pair, self.alpha, &Prior::NOTHING, 1.0).interval.exp()
            }
        };
        Some(Time { median, low: interval.low.min(median), high: interval.high.max(median) })
    }

    /// The logarithm of a cell's median time per call in each fork that is a sample of it, by the
    /// fork's number in the store.
    pub fn by_fork(&self, cell: usize) -> BTreeMap<i64, f64> {
        let Some(series) = self.cells.get(&cell) else { return BTreeMap::new() };
        let samples = series.forks.iter().filter(|(_, points)| series.is_sample(points));
        samples.map(|(&fork, points)| (fork, median(&counted(points)))).collect()
    }

    /// The logarithms of a cell's times per call in a fork, by round, of the rounds that count.
    pub fn in_fork(&self, cell: usize, fork: i64) -> BTreeMap<u32, f64> {
        let points = self.cells.get(&cell).and_then(|series| series.forks.get(&fork));
        let counted = points.into_iter().flatten().filter(|point| point.counts);
        counted.map(|point| (point.round, point.ln)).collect()
    }

    fn points(&self, cell: usize) -> impl Iterator<Item = &Point> {
        self.cells.get(&cell).into_iter().flat_map(|c| c.forks.values().flatten())
    }

    /// The rounds in which a cell ran.
    pub fn rounds(&self, cell: usize) -> usize {
        self.points(cell).count()
    }

    /// The rounds in which a cell ran undisturbed.
    pub fn counting(&self, cell: usize) -> usize {
        self.points(cell).filter(|p| p.counts).count()
    }

    /// The forks in which enough rounds of a cell count.
    pub fn forks(&self, cell: usize) -> usize {
        self.cells
            .get(&cell)
            .map_or(0, |c| c.forks.values().filter(|points| c.is_sample(points)).count())
    }

    /// The rounds of a comparison, and those with a disturbed slice.
    pub fn disturbed(&self, comparison: usize) -> (usize, usize) {
        self.rounds.get(&comparison).copied().unwrap_or_default()
    }

    /// The numbers of forks in the run, from 1, given those in the store.
    pub fn numbers<'a>(&self, forks: impl IntoIterator<Item = &'a i64>) -> Vec<u32> {
        let known = forks.into_iter().filter_map(|fork| self.numbers.get(fork).copied());
        known.collect()
    }

    /// The times of a cell's processes in these forks, if it has a time in one of them: the time of
    /// one of them, which as many took less as took more.
    pub fn processes(&self, cell: usize, forks: &[i64]) -> Option<Processes> {
        let series = self.cells.get(&cell)?;
        let mut own: BTreeMap<i64, f64> = BTreeMap::new();
        for fork in forks {
            let points = series.forks.get(fork).filter(|points| series.is_sample(points));
            let Some(points) = points else { continue };
            let times: Vec<f64> = counted(points).into_iter().map(f64::exp).collect();
            own.insert(*fork, median(&times));
        }
        let mut times: Vec<f64> = own.values().copied().collect();
        times.sort_by(f64::total_cmp);
        let ns = *times.get(times.len().checked_sub(1)? / 2)?;
        Some(Processes { ns, forks: self.numbers(own.keys()) })
    }

    /// How the time of a cell developed in each fork while it was measured.
    pub fn steadiness(&self, cell: usize) -> Vec<Steadiness> {
        let Some(series) = self.cells.get(&cell) else { return Vec::new() };
        let mut found = Vec::new();
        for points in series.forks.values() {
            let counting = points.iter().filter(|p| p.counts);
            let off: Vec<f64> = counting.map(|p| p.ln - self.common[p.round as usize]).collect();
            found.push(steadiness(&off));
        }
        found
    }
}

impl CellSeries {
    fn empty(fewest: usize) -> CellSeries {
        CellSeries { fewest, forks: BTreeMap::new() }
    }

    fn is_sample(&self, points: &[Point]) -> bool {
        points.iter().filter(|p| p.counts).count() >= self.fewest
    }

    /// The median of the logarithms of all its times in a fork.
    fn middle(&self, fork: i64) -> Option<f64> {
        let lns: Vec<f64> = self.forks.get(&fork)?.iter().map(|p| p.ln).collect();
        Some(median(&lns))
    }
}

/// The log-ratios of the rounds that count and are fewer than `turns` apart, each in one pair. Both
/// are in the order of their rounds. This must be fast: a page compares every pair.
fn paired(points: &[Point], others: &[Point], turns: usize) -> Vec<f64> {
    let mut others = others.iter().filter(|p| p.counts).peekable();
    let mut ratios = Vec::new();
    for &Point { ln, round, .. } in points.iter().filter(|p| p.counts) {
        while others.next_if(|o| o.round < round && (round - o.round) as usize >= turns).is_some() {
        }
        if let Some(other) = others.next_if(|o| (o.round.abs_diff(round) as usize) < turns) {
            ratios.push(ln - other.ln);
        }
    }
    ratios
}

/// The logarithms of the times that count.
fn counted(points: &[Point]) -> Vec<f64> {
    points.iter().filter(|point| point.counts).map(|point| point.ln).collect()
}

/// The effect of each round on the cells that ran in all rounds of their fork. A median over all
/// cells present would fall when slow cells sit out the rest of a fork, and all others would seem
/// to slow down. A median of the times themselves would be the time of one cell, the middle one,
/// and all others would seem to move when it does.
fn common(recorded: &Recorded, cells: &HashMap<usize, CellSeries>) -> Vec<f64> {
    let last: HashMap<(i64, usize), &RoundRow> =
        recorded.rounds.iter().map(|r| ((r.fork, r.comparison), r)).collect();
    let mut middles: HashMap<(i64, usize), HashMap<u32, f64>> = HashMap::new();
    for (key, round) in last {
        let stay = round.slices.iter().map(|s| s.cell);
        let stay =
            stay.filter_map(|cell| Some((cell, cells.get(&(cell as usize))?.middle(key.0)?)));
        middles.insert(key, stay.collect());
    }
    let mut common = Vec::with_capacity(recorded.rounds.len());
    let mut off = Vec::new();
    for round in &recorded.rounds {
        let middles = &middles[&(round.fork, round.comparison)];
        let slices = round.slices.iter();
        off.clear();
        off.extend(slices.filter_map(|s| Some(s.ns_per_call.ln() - middles.get(&s.cell)?)));
        common.push(median(&off));
    }
    common
}
