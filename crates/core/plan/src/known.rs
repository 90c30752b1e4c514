//! Whether a name in a suite is the name of a contender. If a misspelt name were silently left out,
//! the answer would be wrong.

use cupel_base::name::Pattern;
use cupel_base::problem::{Problem, Written, did_you_mean};
use cupel_contender::{Contender, why_unknown};
use cupel_suite::Suite;

/// Rejects a pattern of a suite that no contender of this machine fits.
///
/// # Errors
/// With the line of the pattern, and the nearest name.
pub fn must_be_known(suite: &Suite, pattern: &Pattern, all: &[Contender]) -> Result<(), Problem> {
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
