//! The runners in Go, Node.js and Python speak the protocol.

use super::built;
use cupel_conform::{Finding, examine, report};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(30);

#[track_caller]
fn conforms(name: &str) {
    let (_, command) = built(name);
    let findings = examine(&command, PATIENCE);
    assert!(!findings.iter().any(Finding::is_wrong), "{}", report(&findings));
}

#[test]
#[ignore = "needs Go: make test-languages"]
fn the_go_runner_conforms() {
    conforms("go");
}

#[test]
#[ignore = "needs Node.js: make test-languages"]
fn the_node_runner_conforms() {
    conforms("node");
}

#[test]
#[ignore = "needs Python: make test-languages"]
fn the_python_runner_conforms() {
    conforms("python");
}
