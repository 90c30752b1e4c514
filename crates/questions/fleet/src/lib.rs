//! A fleet: one suite on many machines, by Slurm or through ssh. Each machine measures into its own
//! store in the fleet's folder, and the stores are collected into one. Nothing of Cupel listens
//! or stays running: Slurm or ssh starts the tool, and the folder is all that there is to know.
//!
//! `verb` reads the command line of `cupel fleet`, and `words` has its output. The command lists
//! [`VERB`].

mod collect;
mod copy;
mod hosts;
mod progress;
mod remote;
mod shell;
mod slurm;
mod ssh;
mod state;
mod task;
mod verb;
mod words;

pub use collect::{Collected, collect};
pub use hosts::{is_variable, read as read_hosts};
pub use progress::{Progress, State, progress};
pub use slurm::{Ask, Node, Queue, cancel, choose, member, nodes, queue, submit};
pub use ssh::{Event, clear as clear_machines, measure};
pub use state::{Engine, Fleet, Host, Member, check_name, clear, hold, make, suite, tool};
pub use task::{Ended, task};
pub use verb::VERB;
