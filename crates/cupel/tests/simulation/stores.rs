//! Stores of machines that do not exist: each run goes through the measuring core on a simulated
//! stage, so the stores resemble real ones. Tests import them, and so does
//! `examples/simulated_stores.rs`.

use crate::stage::Simulated;
use cupel_base::name::ContenderName;
use cupel_contender::{Contender, State};
use cupel_machine::{Machine, Reading};
use cupel_plan::{Draft, DraftComparison, Judged, Member, Plan};
use cupel_protocol::message::Offer;
use cupel_protocol::workload::{Contract, Operation, Shape, Workload};
use cupel_run::measure::{self, Session, Unwatched};
use cupel_sham::script::{self, Script, WarmUp, World};
use cupel_store::Store;
use cupel_suite::Options;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The primitive that all of them measure.
const PRIMITIVE: &str = "siphash-2-4";
const SIZES: [u64; 3] = [16, 256, 4096];

/// The processors of the simulated machines: the costs of the first, the second and the third
/// contender there, as ns per call and ns per byte. Which one wins depends on processor and size.
const KINDS: [(&str, [(f64, f64); 3]); 4] = [
    ("Simulated A", [(20.0, 1.0), (30.0, 0.5), (60.0, 0.9)]),
    ("Simulated B", [(20.0, 0.4), (30.0, 0.5), (60.0, 0.9)]),
    ("Simulated C", [(40.0, 1.0), (30.0, 0.9), (60.0, 0.2)]),
    ("Simulated D", [(30.0, 0.5), (30.0, 0.5), (60.0, 0.9)]),
];

/// How many runs, and the work of each.
#[derive(Clone, Copy)]
pub struct Runs {
    /// The number of runs in each store.
    pub each: u64,
    /// Forks of each run.
    pub forks: u32,
    /// The simulated time that a run may take.
    pub budget: Duration,
    /// How many different questions the runs of one machine ask, in turn.
    pub questions: u64,
}

/// Writes the store of machine number `machine`. Equal numbers give the same store, but for the
/// moments at which runs begin and end, which depend on their writing.
pub fn store(path: &Path, machine: u64, runs: Runs) {
    let mut store = Store::open(path).expect("a new store");
    let (cpu, costs) = KINDS[(machine % KINDS.len() as u64) as usize];
    let place = Machine {
        node: None,
        masked_by: None,
        uneven: None,
        architecture: "x86_64".to_string(),
        system: Reading::Known("Simulated".to_string()),
        kernel: Reading::Known("6.1".to_string()),
        cpu: Reading::Known(cpu.to_string()),
        stepping: Reading::Known(format!("stepping {machine}")),
        microcode: Reading::Known("1".to_string()),
        flags: Reading::Known(vec!["sse2".to_string(), "avx2".to_string()]),
        cpus: 4,
        processors: Reading::Known(4),
        cores: Reading::Known(4),
        last_level_cache: Reading::Known(1 << 25),
        governor: Reading::Known("performance".to_string()),
        hypervisor: Reading::Known("none".to_string()),
        memory: Reading::Known(1 << 34),
    };
    for number in 0..runs.each {
        let contender = |(place, (fixed_ns, per_byte_ns)): (usize, (f64, f64))| script::Contender {
            name: format!("library-{}", ["a", "b", "c"][place]),
            fixed_ns,
            per_byte_ns,
            fork_sd: 0.003,
            warm_up: WarmUp { slow_factor: 3.0, for_ms: 0.2, ..WarmUp::default() },
            ..script::Contender::default()
        };
        let seed = machine << 32 | number;
        let script = Script {
            seed,
            world: World { noise_sd: 0.005, contamination: 0.01, ..World::default() },
            contenders: costs.into_iter().enumerate().map(contender).collect(),
        };
        script.check().expect("a possible machine");
        let suite = format!("simulated-{}", number % runs.questions);
        let version = format!("1.{}", number / runs.questions % 2);
        let plan = plan(&suite, seed, &script, &version, runs);
        let run = store.begin(&plan, "", &place, "simulated_stores").expect("a run");
        for place in 0..plan.contenders.len() {
            store.verified(run, place, 100, "", None).expect("a contender of the run");
        }
        let mut session = Session {
            plan: &plan,
            run,
            store: &mut store,
            stage: &mut Simulated::new(script, 1.0, 0.0, &[], &[]),
            watch: &mut Unwatched,
            stop: &AtomicBool::new(false),
            cache: Path::new(""),
        };
        measure::run(&mut session, None).expect("a run to its end");
    }
}

fn plan(suite: &str, seed: u64, script: &Script, version: &str, runs: Runs) -> Plan {
    let comparison = |size: u64| DraftComparison {
        workload: Workload {
            primitive: PRIMITIVE.to_string(),
            operation: Operation::Mac,
            size,
            contract: Contract::usual(Operation::Mac),
            shape: Shape::Throughput,
        },
        alternatives: vec![],
        overhead: false,
        members: (0..script.contenders.len()).map(Member::from).collect(),
        baselines: vec![0],
        key_len: 16,
        fixed_key: vec![],
        ad: vec![],
        claimed: vec![],
        pool: 2,
    };
    // The second one has another version in every other run of a question.
    let versions = ["1.0", version, "1.0"];
    let contenders = script.contenders.iter().zip(versions).map(contender).collect();
    let comparisons = SIZES.into_iter().map(comparison).collect();
    let options = Options { forks: runs.forks, budget: runs.budget, ..Options::default() };
    let question = format!("Which of three libraries, on machines of {suite}?");
    let draft = Draft::new(suite, &question, options, seed, contenders, comparisons);
    draft.elect(&Judged::default(), BTreeMap::new())
}

fn contender((contender, version): (&script::Contender, &str)) -> Contender {
    let state = State::Ready {
        command: vec![],
        simulated: true,
        jit: false,
        resolution_ns: cupel_sham::model::RESOLUTION_NS as u64,
    };
    let name = ContenderName::new("sham", &contender.name, None);
    Contender {
        library: contender.name.clone(),
        version: version.to_string(),
        licence: "MIT".to_string(),
        offers: vec![Offer::new(PRIMITIVE, Operation::Mac)],
        ..Contender::new(name, state)
    }
}
