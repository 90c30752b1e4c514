//! The runs of the store.

use anyhow::Result;
use cupel_base::text::{count, plain};
use cupel_decide::claims::{self, Answered, Decision};
use cupel_store::{RunRow, Store};
use cupel_suite::asked;
use serde_json::{Value, json};
use std::path::Path;

/// A line for each run, the newest first.
pub fn list(store: &Store) -> Result<String> {
    let mut out = String::new();
    for run in store.runs()? {
        let state = if run.finished.is_some() { "finished" } else { "unfinished" };
        let verdict = verdict(store, &run)?.map(|decision| format!(": {}", decision.word()));
        let (subject, verdict) = (subject(&run), verdict.unwrap_or_default());
        let line = format!("{:>5}  {}  {state:<10}  {subject}{verdict}", run.id, run.started);
        out += &(plain(&line) + "\n");
    }
    if out.is_empty() {
        out = "there are no runs yet; start one with `cupel run`\n".to_string();
    }
    let boots = store.boots()?.len();
    if boots > 0 {
        out += &format!(
            "not listed here: {} of the UEFI image, see `cupel kernels list`\n",
            count(boots, "boot")
        );
    }
    Ok(out)
}

/// Every run as JSON, the newest first.
pub fn json(store: &Store) -> Result<Vec<Value>> {
    store.runs()?.iter().map(|run| one(store, run)).collect()
}

fn one(store: &Store, run: &RunRow) -> Result<Value> {
    Ok(json!({
        "run": run.id,
        "suite": run.suite,
        "started": run.started,
        "finished": run.finished,
        "command": run.command,
        "tool": run.tool,
        "verdict": verdict(store, run)?,
    }))
}

/// The decision on the claim that a run was asked in one line.
fn verdict(store: &Store, run: &RunRow) -> Result<Option<Decision>> {
    if run.suite != asked::NAME {
        return Ok(None);
    }
    let asked = claims::asked(store, Some(run.id), None)?;
    Ok(asked.map(|asked| Decision::all(asked.answered.iter().map(Answered::decision))))
}

/// The work that a run measured. All questions in one line belong to one suite, and only the
/// command identifies it: it is printed without the folder of the program.
fn subject(run: &RunRow) -> String {
    if run.suite != asked::NAME {
        return run.suite.clone();
    }
    let (program, words) = run.command.split_once(' ').unwrap_or((&run.command, ""));
    let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    format!("{name} {words}").trim_end().to_string()
}
