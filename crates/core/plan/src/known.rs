//! Whether a name in a suite is the name of a contender. If a misspelt name were silently left out,
//! the answer would be wrong.

use cupel_base::name::{ContenderName, Pattern};
use cupel_base::problem::{Problem, Written, did_you_mean};
use cupel_host::contender::{Contender, why_unknown};
use cupel_host::toolchain;
use cupel_protocol::message::Refusal;
use cupel_suite::Suite;

/// The reason and remedy for a contender on a toolchain that is not here; `None` if it is here, or
/// if no toolchain has such a contender.
pub fn hosted_elsewhere(name: &ContenderName, all: &[Contender]) -> Option<Refusal> {
    name.toolchain()?;
    if let Some(known) = all.iter().find(|c| c.name == *name) {
        return known.version_missing().cloned();
    }
    if !all.iter().any(|c| c.name.code() == name.code()) {
        return None;
    }
    toolchain::elsewhere(name)
}

/// Checks the contenders that a suite's claims name. A contender on a toolchain that is not here is
/// known too: its claims stay undecided.
pub(super) fn claimed(suite: &Suite, contenders: &[Contender]) -> Result<(), Problem> {
    for claim in &suite.claims {
        for name in [&claim.a, &claim.b] {
            let name = name.without_primitive().without_against();
            if hosted_elsewhere(&name, contenders).is_some() {
                continue;
            }
            let pattern = Pattern { text: name.to_string(), line: claim.line };
            must_be_known(suite, &pattern, contenders)?;
        }
    }
    Ok(())
}

pub(super) fn must_be_known(
    suite: &Suite,
    pattern: &Pattern,
    all: &[Contender],
) -> Result<(), Problem> {
    if all.iter().any(|c| pattern.fits(&c.name)) {
        return Ok(());
    }
    let (path, line) = (suite.path.clone(), pattern.line);
    let what = format!("no contender is called \"{}\"", pattern.text);
    let known = all.iter().map(|c| c.name.as_str());
    let help = why_unknown(&pattern.text, all)
        .or_else(|| did_you_mean(&pattern.text, known, Written::Value))
        .unwrap_or_else(|| "`cupel list` shows the names".to_string());
    Err(Problem { path, line, what, help: Some(help) })
}
