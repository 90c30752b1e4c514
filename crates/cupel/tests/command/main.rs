//! Tests Cupel end to end, through its command. All contenders outside `jvms` are scripted ones on
//! a simulated clock (`runners/sham`), so that assertions do not depend on how busy this machine
//! is.

#[path = "../../../questions/advise/tests/command/mod.rs"]
mod advice;
mod ask;
mod audit;
mod audit_whole;
mod awaited;
mod batches;
mod bytes;
mod choice;
#[path = "../../../questions/claims/tests/command/mod.rs"]
mod claims;
mod company;
mod compare;
#[cfg(unix)]
mod completion;
#[cfg(target_os = "linux")]
mod endings;
mod exchange;
mod faults;
#[path = "../../../questions/fleet/tests/command/mod.rs"]
mod fleet;
#[path = "../../../questions/gate/tests/command/mod.rs"]
mod gates;
#[cfg(unix)]
mod hello;
#[path = "../../../questions/history/tests/command/mod.rs"]
mod history;
#[cfg(unix)]
mod install;
mod isolation;
mod jdks;
#[cfg(target_os = "linux")]
mod jvms;
mod leaders;
#[path = "../../../questions/leaks/tests/command/mod.rs"]
mod leaks;
#[cfg(target_os = "linux")]
mod matrix;
mod merge;
mod output;
mod own;
mod prefix;
mod remember;
mod report;
mod resume;
#[cfg(target_os = "linux")]
mod sandbox;
mod schema;
#[path = "../../../questions/site/tests/command/mod.rs"]
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
#[path = "../../../questions/trace/tests/command/mod.rs"]
mod trace;
#[cfg(target_os = "linux")]
mod trust;
mod truth;
#[cfg(unix)]
mod turns;
#[path = "../../../questions/uefi/tests/command/mod.rs"]
mod uefi;
#[cfg(target_os = "linux")]
mod verdicts;
#[cfg(target_os = "linux")]
mod versions;
#[path = "../../../questions/why/tests/command/mod.rs"]
mod why;
mod wrong;
