//! The suites that come with Cupel and the user's own: the question of each, of which primitive, at
//! which sizes, and for how long.

use anyhow::{Result, bail};
use cupel_base::home::Home;
use cupel_base::name::Pattern;
use cupel_base::text::{bytes, count, folded, plain};
use cupel_run::begin::find_suite;
use cupel_suite::{Group, Suite};
use serde_json::{Value, json};
use std::time::Duration;

/// A line for each suite; those that are named, or all if that is wanted, in full. Each has its
/// name at the beginning of a line.
pub fn list(home: &Home, names: &[String], all: bool) -> Result<String> {
    let found = meant(home, names)?;
    let widest = found.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let counted = count(found.len(), "suite");
    if names.is_empty() && !all {
        let mut out =
            format!("{counted} for `cupel run NAME`; `cupel list suites NAME` says more\n\n");
        for name in found {
            let question = match find_suite(home, &name) {
                Ok(suite) => suite.question,
                Err(error) => format!("{error:#}"),
            };
            let line = format!("{:<widest$}  {}", plain(&name), plain(&question));
            out += &(folded("", &line) + "\n" + &whose(home, &name));
        }
        return Ok(out);
    }
    let first =
        "for `cupel run NAME`: the time that each measures, its question, and what it compares";
    let mut out = folded("", &format!("{counted} {first}")) + "\n";
    for name in found {
        out += &match find_suite(home, &name) {
            Ok(suite) => described(&name, widest, &suite) + &whose(home, &name),
            Err(error) => {
                let mistake = folded("    ", &plain(&format!("{error:#}")));
                format!("\n{}\n{mistake}\n", plain(&name))
            }
        };
    }
    Ok(out)
}

/// The names of the suites that these words mean; of all without words.
fn meant(home: &Home, words: &[String]) -> Result<Vec<String>> {
    let mut suites = home.suites();
    for word in words {
        let pattern = Pattern::new(word.as_str());
        if !suites.iter().any(|name| pattern.fits(name)) {
            bail!("no suite is called {word}; `cupel list suites` lists them");
        }
    }
    let patterns: Vec<_> = words.iter().map(|word| Pattern::new(word.as_str())).collect();
    suites.retain(|name| patterns.is_empty() || patterns.iter().any(|one| one.fits(name)));
    Ok(suites)
}

/// Where the suite is, if it is the user's own.
fn whose(home: &Home, name: &str) -> String {
    let path = home.suite(name);
    match home.owner(&path) {
        Some(_) => format!("    yours: {}\n", plain(&path.display().to_string())),
        None => String::new(),
    }
}

fn described(name: &str, widest: usize, suite: &Suite) -> String {
    let name = plain(name);
    let options = &suite.options;
    let time = format!("{} in {}", budget(options.budget), count(options.forks as usize, "fork"));
    let mut out = format!("\n{name:<widest$}  {time}\n");
    out += &(folded("    ", &plain(&suite.question)) + "\n");
    for line in compared(&suite.workloads) {
        out += &(folded("    ", &line) + "\n");
    }
    out
}

/// The comparisons, a line for each primitive: its operations and sizes.
fn compared(groups: &[Group]) -> Vec<String> {
    let mut primitives: Vec<&str> = Vec::new();
    for group in groups {
        if !primitives.contains(&group.primitive.as_str()) {
            primitives.push(&group.primitive);
        }
    }
    let line = |primitive: &str| {
        let own = || groups.iter().filter(move |group| group.primitive == primitive);
        let mut operations: Vec<&str> = Vec::new();
        for group in own() {
            if !operations.contains(&group.operation.name()) {
                operations.push(group.operation.name());
            }
        }
        let mut sizes: Vec<u64> = own().flat_map(|group| &group.sizes).copied().collect();
        sizes.sort_unstable();
        sizes.dedup();
        format!("{} {}: {}", plain(primitive), operations.join(", "), in_words(&sizes))
    };
    primitives.into_iter().map(line).collect()
}

/// Sizes in words; of many, only the ends.
fn in_words(sizes: &[u64]) -> String {
    const FEW: usize = 6;
    match sizes {
        [first, .., last] if sizes.len() > FEW => {
            format!("{} sizes from {} to {}", sizes.len(), bytes(*first), bytes(*last))
        }
        sizes => sizes.iter().map(|&size| bytes(size)).collect::<Vec<_>>().join(", "),
    }
}

/// A budget in words.
fn budget(budget: Duration) -> String {
    match budget.as_secs_f64() {
        seconds if seconds >= 120.0 && seconds % 60.0 == 0.0 => format!("{} min", seconds / 60.0),
        seconds => format!("{seconds} s"),
    }
}

/// Each of these suites as JSON. One with a mistake is listed too, with its mistake.
pub fn json(home: &Home, names: &[String]) -> Result<Vec<Value>> {
    Ok(meant(home, names)?.iter().map(|name| suite(home, name)).collect())
}

fn suite(home: &Home, name: &str) -> Value {
    match find_suite(home, name) {
        Ok(suite) => json!({
            "name": name,
            "question": suite.question,
            "claims": suite.claims.len(),
            "budget_s": suite.options.budget.as_secs_f64(),
            "forks": suite.options.forks,
            "workloads": suite.workloads.iter().map(workload).collect::<Vec<_>>(),
        }),
        Err(error) => json!({ "name": name, "mistake": format!("{error:#}") }),
    }
}

fn workload(group: &Group) -> Value {
    json!({
        "primitive": group.primitive,
        "operation": group.operation.name(),
        "sizes": group.sizes,
    })
}
