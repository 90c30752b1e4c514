//! Writes the stores of machines that do not exist, through the measuring core on a simulated stage:
//! `cargo run --release --example simulated_stores -- FOLDER MACHINES [RUNS]`.
//!
//! Each store is `FOLDER/NUMBER.sqlite`, with RUNS runs (10 by default) of three contenders at three
//! sizes. `scripts/evidence/merged.py` imports them and draws their site.

#[path = "../tests/simulation/fleet.rs"]
mod fleet;
#[path = "../tests/simulation/stage.rs"]
mod stage;

use fleet::{Runs, store};
use std::path::Path;
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, machines, each) = match arguments.as_slice() {
        [folder, machines] => (Path::new(folder), machines.parse::<u64>()?, 10),
        [folder, machines, runs] => (Path::new(folder), machines.parse()?, runs.parse()?),
        _ => return Err("usage: simulated_stores FOLDER MACHINES [RUNS]".into()),
    };
    let runs = Runs { each, forks: 11, budget: Duration::from_millis(500), questions: 4 };
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            scope.spawn(move || {
                for machine in (worker..machines).step_by(workers as usize) {
                    let path = folder.join(format!("{machine:04}.sqlite"));
                    if !path.exists() {
                        store(&path, machine, runs);
                    }
                }
            });
        }
    });
    Ok(())
}
