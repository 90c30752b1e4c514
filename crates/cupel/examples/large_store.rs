//! Creates a store with a given number of slices, through the store's own writer, to test the tool
//! on large stores: `cargo run --release --example large_store -- FILE SLICES [RUNS]`.
//!
//! The newest of the runs (20 by default) has half of the slices; the others share the rest. A run
//! has 48 comparisons (4 primitives at 12 sizes) of nine contenders and a control in five forks.
//! Times are a cost per call and per byte, with autocorrelated noise and its own level for
//! each process; one slice in fifty is disturbed. `scripts/evidence/large-store.py` times the tool
//! on it.

use cupel_base::name::ContenderName;
use cupel_contender::{Contender, State};
use cupel_machine::Machine;
use cupel_plan::{Draft, DraftComparison, Judged, Member, Plan};
use cupel_protocol::message::Offer;
use cupel_protocol::noise::Noise;
use cupel_protocol::workload::{Contract, Operation, Shape, Workload};
use cupel_store::{RoundRecord, SliceRecord, Store, WarmUpRecord};
use cupel_suite::Options;
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::path::Path;

const PRIMITIVES: [&str; 4] = ["sha1", "sha256", "sha512", "blake3"];
const SIZES: [u64; 12] = [8, 16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536];
const CONTENDERS: usize = 9;
const FORKS: u32 = 5;
/// Slices of one round: every contender and the control.
const ROUND: usize = CONTENDERS + 1;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, slices, runs) = match arguments.as_slice() {
        [file, slices] => (file, slices.parse()?, 20),
        [file, slices, runs] => (file, slices.parse()?, runs.parse()?),
        _ => return Err("usage: large_store FILE SLICES [RUNS]".into()),
    };
    if Path::new(file).exists() {
        return Err(format!("{file} already exists").into());
    }
    let mut store = Store::open(Path::new(file))?;
    let newest = if runs == 1 { slices } else { slices / 2 };
    let mut written = 0;
    for run in 1..runs {
        written += write(&mut store, run as u64, (slices - newest) / (runs - 1))?;
    }
    let newest = write(&mut store, 0, newest)?;
    println!("{} slices in {runs} runs, {newest} of them in the newest", written + newest);
    Ok(())
}

/// Writes one run with about this many slices. Returns how many.
fn write(store: &mut Store, seed: u64, slices: usize) -> Result<usize, Box<dyn std::error::Error>> {
    let plan = plan(seed);
    let run = store.begin(&plan, "", &Machine::look(), "large_store")?;
    for place in 0..CONTENDERS {
        store.verified(run, place, 100, "", None)?;
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let rounds = slices / (ROUND * plan.comparisons.len() * FORKS as usize);
    let mut noise = vec![0.0; plan.cells.len()];
    for ordinal in 0..FORKS {
        let fork = store.begin_fork(run, ordinal, 0)?;
        let level: Vec<f64> =
            noise.iter().map(|_| 0.003 * (random.random::<f64>() - 0.5)).collect();
        for cell in 0..plan.cells.len() {
            let ns = time(&plan, cell);
            store.warmed(
                fork,
                &WarmUpRecord {
                    cell,
                    first_call_ns: 30.0 * ns,
                    slices: 50,
                    elapsed_ns: 1e8,
                    settled: true,
                    ns_per_call: ns,
                    offset: 0,
                    level: None,
                    events: 0,
                },
            )?;
        }
        for round in 0..rounds {
            for comparison in 0..plan.comparisons.len() {
                let mut cells = plan.comparisons[comparison].cells.clone();
                cells.shuffle(&mut random);
                let slice = |cell: usize| {
                    let uniform: f64 = (0..3).map(|_| random.random::<f64>() - 0.5).sum();
                    noise[cell] = 0.3 * noise[cell] + 0.02 * uniform;
                    let ns = time(&plan, cell) * (noise[cell] + level[cell]).exp();
                    let iterations = (2e6 / ns) as u64 + 1;
                    SliceRecord {
                        cell,
                        iterations,
                        elapsed_ns: ns * iterations as f64,
                        noise: Noise { cpu_ns: Some(2_000_000), ..Noise::default() },
                        allocated_per_call: None,
                        disturbed: (random.random_range(0..50) == 0)
                            .then(|| "preempted".to_string()),
                    }
                };
                let record = RoundRecord {
                    comparison,
                    ordinal: round as u64,
                    stolen_ns: Some(0),
                    started_ns: (round as u64) << 24,
                    spent_ns: 22_000_000,
                    slices: cells.into_iter().map(slice).collect(),
                };
                store.round(run, fork, &record)?;
            }
        }
        store.finish_fork(fork)?;
    }
    store.finish(run)?;
    Ok(rounds * ROUND * plan.comparisons.len() * FORKS as usize)
}

/// The true time of a cell's call, in ns. Contenders cross over along the sizes.
fn time(plan: &Plan, cell: usize) -> f64 {
    let cell = &plan.cells[cell];
    let size = plan.comparisons[cell.comparison].workload.size as f64;
    let place = cell.contender as f64;
    60.0 * 1.1_f64.powf(place) + size * 2.5 / 1.06_f64.powf(place)
}

fn plan(seed: u64) -> Plan {
    let comparison = |primitive: &str, size: u64| DraftComparison {
        workload: Workload {
            primitive: primitive.to_string(),
            operation: Operation::Digest,
            size,
            contract: Contract::usual(Operation::Digest),
            shape: Shape::Throughput,
        },
        overhead: false,
        alternatives: vec![],
        members: (0..CONTENDERS).map(Member::from).collect(),
        baselines: vec![0],
        key_len: 0,
        fixed_key: vec![],
        ad: vec![],
        claimed: vec![],
        pool: 2,
    };
    let of = |primitive: &'static str| SIZES.map(|size| comparison(primitive, size));
    let comparisons = PRIMITIVES.into_iter().flat_map(of).collect();
    let question = "How does the tool fare with this many slices?";
    let options = Options { forks: FORKS, ..Options::default() };
    let contenders = (0..CONTENDERS).map(contender).collect();
    let draft = Draft::new("large", question, options, seed, contenders, comparisons);
    draft.elect(&Judged::default(), BTreeMap::new())
}

fn contender(place: usize) -> Contender {
    let state = State::Ready { command: vec![], simulated: true, jit: false, resolution_ns: 20 };
    let library = format!("library-{place}");
    Contender {
        version: "1.0".to_string(),
        licence: "MIT".to_string(),
        offers: PRIMITIVES.map(|p| Offer::new(p, Operation::Digest)).to_vec(),
        ..Contender::new(ContenderName::new("c", &library, None), state)
    }
}
