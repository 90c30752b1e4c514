//! Writes the stores of machines that do not exist, through the measuring core on a simulated
//! stage: `cargo run --release --example simulated_stores -- FOLDER MACHINES [RUNS [QUESTIONS]]`.
//!
//! Each store is `FOLDER/NUMBER.sqlite`, with RUNS runs (10 by default) of three contenders at
//! three sizes, which ask QUESTIONS questions (4) in turn. `scripts/evidence/merged.py` imports
//! them and draws their site.

#[path = "../tests/simulation/stage.rs"]
mod stage;
#[path = "../tests/simulation/stores.rs"]
mod stores;

use std::path::Path;
use std::time::Duration;
use stores::{Runs, store};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, numbers) = match arguments.as_slice() {
        [folder, numbers @ ..] if (1..=3).contains(&numbers.len()) => (Path::new(folder), numbers),
        _ => return Err("usage: simulated_stores FOLDER MACHINES [RUNS [QUESTIONS]]".into()),
    };
    let number = |place: usize, usual: u64| numbers.get(place).map_or(Ok(usual), |n| n.parse());
    let (machines, each, questions) = (number(0, 1)?, number(1, 10)?, number(2, 4)?);
    let runs = Runs { each, forks: 11, budget: Duration::from_millis(500), questions };
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
