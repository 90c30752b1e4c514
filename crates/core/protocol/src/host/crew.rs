//! The further threads of a process. They exist since the `prepare` of the first cell that needs
//! them, open their own contenders there, so that no two of them write next to each other, and
//! sleep between slices.

use super::cell::Cell;
use super::library::{Library, Refused};
use super::prepare::Order;
use super::together::{Part, Together};
use crate::noise::{Meter, thread_number};
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

/// The further threads, in the order of their ranges.
#[derive(Default)]
pub(super) struct Crew {
    hands: Vec<Hand>,
}

/// A thread.
struct Hand {
    /// The system's number of it.
    number: u32,
    todo: Sender<Todo>,
}

/// A task for a thread.
enum Todo {
    /// Prepare a cell.
    Prepare(Arc<Order>, Sender<Result<(), Refused>>),
    /// Make its calls of a slice of this cell.
    Slice(u32, Arc<Together>, Sender<Part>),
}

impl Crew {
    /// Prepares a cell on as many threads as its contract has besides the calling one. Returns the
    /// system's numbers of these threads.
    pub(super) fn prepare<L: Library>(
        &mut self,
        library: &Arc<Mutex<L>>,
        order: &Arc<Order>,
    ) -> Result<Vec<u32>, Refused> {
        let needed = order.ask.workload.contract.threads as usize - 1;
        while self.hands.len() < needed {
            let index = self.hands.len() as u32 + 1;
            self.hands.push(hire(index, Arc::clone(library))?);
        }
        // One after the other: a library need not be able to prepare two at once.
        for hand in &self.hands[..needed] {
            let (done, result) = channel();
            // A thread that ends takes the process with it.
            let _ = hand.todo.send(Todo::Prepare(Arc::clone(order), done));
            result.recv().unwrap_or_else(|_| Err(Refused::failed("a thread ended")))?;
        }
        Ok(self.hands[..needed].iter().map(|hand| hand.number).collect())
    }

    /// Lets the threads begin a slice of this cell. The calling thread must do its own part. It
    /// then receives the parts of the others.
    pub(super) fn begin(&self, cell: u32, together: &Arc<Together>) -> Receiver<Part> {
        let (done, parts) = channel();
        for hand in &self.hands[..together.threads() as usize - 1] {
            let _ = hand.todo.send(Todo::Slice(cell, Arc::clone(together), done.clone()));
        }
        parts
    }
}

/// Starts the thread with this index.
fn hire<L: Library>(index: u32, library: Arc<Mutex<L>>) -> Result<Hand, Refused> {
    let (todo, tasks) = channel();
    let (greet, number) = channel();
    let started = std::thread::Builder::new().name(format!("calls-{index}")).spawn(move || {
        let _end = EndsProcess;
        let _ = greet.send(thread_number());
        work(index, &library, &tasks);
    });
    started.map_err(|e| Refused::failed(format!("thread {index} cannot be started: {e}")))?;
    let number = number.recv().map_err(|_| Refused::failed("a thread ended"))?;
    Ok(Hand { number, todo })
}

/// Does each task, until the process ends.
fn work<L: Library>(index: u32, library: &Mutex<L>, tasks: &Receiver<Todo>) {
    let meter = Meter::new();
    let mut cells: HashMap<u32, Cell<L::Cell>> = HashMap::new();
    for task in tasks {
        match task {
            Todo::Prepare(order, done) => {
                let built = order.build(&mut *super::lock(library));
                let _ = done.send(built.map(|(cell, _)| {
                    cells.insert(order.ask.cell, cell);
                }));
            }
            Todo::Slice(cell, together, done) => {
                let cell = cells.get_mut(&cell).expect("prepared by the same request");
                let _ = done.send(together.follow(index, cell, &meter));
            }
        }
    }
}

/// If a contender panics, its process ends, as it does on the first thread: the other threads would
/// wait for this one for ever.
struct EndsProcess;

impl Drop for EndsProcess {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::exit(101);
        }
    }
}
