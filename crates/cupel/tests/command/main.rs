//! Tests Cupel end to end, through its command. All contenders outside `jvms` are scripted ones on
//! a simulated clock (`runners/sham`), so that assertions do not depend on how busy this machine
//! is.

mod advise;
mod against;
mod ask;
mod audit;
mod awaited;
mod batches;
mod bytes;
mod choice;
mod claims;
mod company;
mod compare;
#[cfg(unix)]
mod completion;
#[cfg(target_os = "linux")]
mod endings;
mod exchange;
mod faults;
mod fleet;
mod foreign;
#[cfg(unix)]
mod gate;
#[cfg(unix)]
mod hello;
mod history;
#[cfg(unix)]
mod install;
mod isolation;
mod jdks;
#[cfg(target_os = "linux")]
mod jvms;
mod kept;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod leak_verdicts;
mod leaks;
mod machines;
#[cfg(target_os = "linux")]
mod matrix;
mod merge;
mod mix;
mod output;
mod own;
mod paths;
mod prefix;
mod remember;
mod report;
mod resume;
#[cfg(target_os = "linux")]
mod sandbox;
mod schema;
mod site;
mod snapshots;
#[path = "../simulation/stage.rs"]
mod stage;
#[path = "../simulation/stores.rs"]
mod stores;
mod suites;
mod support;
mod tables;
mod threads;
mod trace;
#[cfg(target_os = "linux")]
mod trust;
mod truth;
#[cfg(unix)]
mod turns;
mod uefi;
#[cfg(target_os = "linux")]
mod verdicts;
#[cfg(target_os = "linux")]
mod versions;
#[cfg(unix)]
mod why;
mod wrong;
