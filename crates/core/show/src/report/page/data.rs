//! The page's data: the document of `cupel show --format json`, unchanged, and the data that only
//! charts need.

use super::pairs::{self, PairsOf};
use super::slices::{self, Slices};
use crate::report::number::ends;
use crate::report::run::{json, secondary};
use crate::report::style::Style;
use anyhow::Result;
use cupel_analyse::{Analysis, Answer, PairTable, Pairs, Verdict, analyse_pairs, crossings};
use cupel_base::chart::ChartKey;
use cupel_base::name::{Build, ContenderName};
use cupel_decide::claims::Verdicts;
use cupel_plan::Plan;
use cupel_protocol::workload::Workload;
use cupel_store::Recorded;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// All data of the page.
#[derive(Serialize)]
pub struct Data<'a> {
    /// The output of `cupel show --format json`.
    document: serde_json::Value,
    /// Every contender's name with its parts: the page itself never splits a name.
    names: BTreeMap<&'a ContenderName, Name<'a>>,
    /// In the order of the document's cells.
    comparisons: Vec<Comparison>,
    /// Where the faster of two contenders changes.
    crossings: Vec<Crossed>,
}

/// The parts of a name.
#[derive(Serialize)]
struct Name<'a> {
    family: &'a str,
    code: &'a str,
    toolchain: Option<&'a str>,
    build: Option<Build<'a>>,
    against: bool,
}

impl<'a> Name<'a> {
    fn in_parts(name: &'a ContenderName) -> Name<'a> {
        Name {
            family: name.family().unwrap_or(name.code()),
            code: name.code(),
            toolchain: name.toolchain(),
            build: name.build(),
            against: name.is_against(),
        }
    }
}

/// One workload. Its rows are the next `rows` cells of the document; all positions count from 0
/// there.
#[derive(Serialize)]
struct Comparison {
    rows: usize,
    /// The position of the baseline's row.
    baseline: Option<usize>,
    control: Option<[Option<f64>; 3]>,
    /// The changes during the run, a sentence for each.
    changes: Vec<String>,
    lead: Option<Lead>,
    rounds: usize,
    disturbed: usize,
    /// The rows of secondary contenders that a table leaves out.
    aside: Vec<usize>,
    /// The rows that can be chosen as the baseline, as alternating first and count.
    offered: Vec<usize>,
    pairs: Vec<PairsOf>,
    /// How many intervals between any two of its contenders are joint.
    pairs_are_joint: usize,
    slices: Slices,
    /// For each row, how each of its forks warmed up.
    warm_ups: Vec<Vec<WarmUp>>,
}

#[derive(Serialize)]
struct Lead {
    tied: Vec<ContenderName>,
    leader: ContenderName,
    runner_up: ContenderName,
    ratio: [Option<f64>; 3],
    separated: bool,
}

/// Fork; first call, time per call at the end and time spent, in ns; whether it settled; the level
/// of its loop's code, if the runner reported it; how often its code was compiled again in rounds.
#[derive(Serialize)]
struct WarmUp(usize, f64, f64, f64, bool, Option<u32>, u32);

#[derive(Serialize)]
struct Crossed {
    primitive: String,
    operation: &'static str,
    contract: String,
    shape: &'static str,
    /// The faster one at smaller sizes.
    below: ContenderName,
    /// The faster one at larger sizes.
    above: ContenderName,
    /// The sizes in bytes between which they cross.
    low: u64,
    high: u64,
    near: Option<f64>,
}

/// Gathers the page's data.
pub fn gather<'a>(recorded: &'a Recorded, verdicts: &Verdicts) -> Result<Data<'a>> {
    let (analysis, pairs) = analyse_pairs(recorded);
    let mut warm = warm_ups(recorded);
    let mut comparisons: Vec<Comparison> = analysis
        .comparisons
        .iter()
        .zip(&pairs.comparisons)
        .zip(slices::gather(recorded, &analysis))
        .map(|((answer, table), slices)| {
            comparison(&recorded.plan, answer, table, slices, &mut warm)
        })
        .collect();
    for (place, comparison) in comparisons.iter_mut().enumerate() {
        let findings = cupel_findings::of_comparison(recorded, &analysis, place);
        comparison.changes = cupel_findings::words::of_changes(&findings);
    }
    let names =
        recorded.plan.contenders.iter().map(|c| (&c.name, Name::in_parts(&c.name))).collect();
    Ok(Data {
        names,
        comparisons,
        crossings: crossed(&analysis, &pairs),
        document: by_question(json::document(recorded, &analysis, verdicts), &analysis),
    })
}

fn comparison(
    plan: &Plan,
    answer: &Answer,
    table: &PairTable,
    slices: Slices,
    warm: &mut HashMap<usize, Vec<WarmUp>>,
) -> Comparison {
    let mut aside: Vec<usize> = (0..answer.rows.len()).collect();
    aside.retain(|&row| secondary::out(plan, answer, &answer.rows[row], Style::default()));
    Comparison {
        aside,
        rows: answer.rows.len(),
        baseline: answer.rows.iter().position(|r| r.verdict == Verdict::Baseline),
        control: answer.control.map(|control| ends(Some(control))),
        changes: vec![],
        lead: answer.lead.as_ref().map(|lead| Lead {
            leader: lead.leader.clone(),
            runner_up: lead.runner_up.clone(),
            ratio: ends(Some(lead.ratio)),
            separated: lead.separated,
            tied: lead.tied.clone(),
        }),
        rounds: answer.rounds,
        disturbed: answer.disturbed,
        offered: pairs::offered(answer, &table.offered),
        pairs: pairs::gather(&table.pairs),
        pairs_are_joint: table.intervals,
        slices,
        warm_ups: answer
            .rows
            .iter()
            .map(|row| warm.remove(&row.cell).unwrap_or_default())
            .collect(),
    }
}

/// The document with the cells of a choice under its question: their names have the primitives, and
/// the page has one chart for each question.
fn by_question(mut document: serde_json::Value, analysis: &Analysis) -> serde_json::Value {
    let works = analysis.comparisons.iter().flat_map(|a| a.rows.iter().map(|_| &a.workload));
    let cells = document["cells"].as_array_mut().into_iter().flatten();
    for (cell, work) in cells.zip(works) {
        cell["primitive"] = work.primitive.as_str().into();
    }
    document
}

/// For each cell, how each of its forks warmed up.
fn warm_ups(recorded: &Recorded) -> HashMap<usize, Vec<WarmUp>> {
    let forks: HashMap<i64, usize> =
        recorded.forks.iter().enumerate().map(|(place, f)| (f.id, place)).collect();
    let mut cells: HashMap<usize, Vec<WarmUp>> = HashMap::new();
    for w in &recorded.warm_ups {
        let fork = forks.get(&w.fork).copied().unwrap_or_default();
        let (ends, settled) = (w.ns_per_call, w.settled);
        let row = WarmUp(fork, w.first_call_ns, ends, w.elapsed_ns, settled, w.level, w.recompiled);
        cells.entry(w.cell).or_default().push(row);
    }
    cells
}

/// For each chart and two contenders: the ratios along its sizes.
type Curves = BTreeMap<(ChartKey, [ContenderName; 2]), Vec<(u64, f64, Verdict)>>;

/// Adds a point to the curve of two contenders, whose order is the same at all sizes.
fn add(
    curves: &mut Curves,
    work: &Workload,
    names: [&ContenderName; 2],
    ratio: f64,
    verdict: Verdict,
) {
    let [one, other] = names.map(Clone::clone);
    let (names, ratio, verdict) = if one < other {
        ([one, other], ratio, verdict)
    } else {
        ([other, one], 1.0 / ratio, verdict.opposite())
    };
    curves
        .entry((ChartKey::for_workload(work), names))
        .or_default()
        .push((work.size, ratio, verdict));
}

/// The crossovers of every two contenders of each chart, along its sizes.
fn crossed(analysis: &Analysis, pairs: &Pairs) -> Vec<Crossed> {
    let mut curves = Curves::new();
    for (answer, table) in analysis.comparisons.iter().zip(&pairs.comparisons) {
        let (work, rows) = (&answer.workload, &answer.rows);
        for row in rows.iter().filter(|row| row.ranked()) {
            if let Some((baseline, ratio)) = answer.baseline.as_ref().zip(row.ratio) {
                add(&mut curves, work, [&row.contender, baseline], ratio.estimate, row.verdict);
            }
        }
        for pair in &table.pairs {
            let names = [&rows[pair.row].contender, &rows[pair.other].contender];
            add(&mut curves, work, names, pair.ratio.estimate, pair.verdict);
        }
    }
    let mut found = Vec::new();
    for ((chart, names), mut points) in curves {
        points.sort_by_key(|p| p.0);
        for crossing in crossings(&points) {
            let [first, second] = names.clone();
            let (below, above) =
                if crossing.faster_below { (first, second) } else { (second, first) };
            found.push(Crossed {
                primitive: chart.primitive.clone(),
                operation: chart.operation.name(),
                contract: chart.contract.clone(),
                shape: chart.shape.name(),
                below,
                above,
                low: crossing.low,
                high: crossing.high,
                near: crossing.near,
            });
        }
    }
    found
}
