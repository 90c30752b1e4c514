//! The output of the verbs of a fleet. The first line is the answer.

use crate::{Collected, Event, Fleet, Progress, State};
use cupel_base::text::{count, plain, quoted};
use std::path::Path;

/// A fleet that Slurm has.
pub fn submitted(folder: &Path, fleet: &Fleet) -> String {
    let job = fleet.jobs.last().map_or("", String::as_str);
    let shown = shown(folder);
    let mut out = format!(
        "{} on {} as job {job}; `cupel fleet status {shown}` says how far they are\n",
        plain(&fleet.suite),
        count(fleet.members.len(), "node")
    );
    let wide = widest(fleet.members.iter().map(|member| member.name.as_str()));
    for member in &fleet.members {
        let set: Vec<String> =
            member.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let line = format!("  {:<wide$}  {}", member.name, set.join(" "));
        out += &(plain(line.trim_end()) + "\n");
    }
    out
}

/// An event on a machine that ssh reaches.
pub fn event(name: &str, event: &Event) -> String {
    match event {
        Event::Measures => format!("{name}: measures"),
        Event::Finished => format!("{name}: finished"),
        Event::Failed { why, kept: true } => {
            format!("{name}: not finished: {why} (its folder there is kept to go on)")
        }
        Event::Failed { why, kept: false } => format!("{name}: not finished: {why}"),
    }
}

/// The end of a fleet that ssh reaches.
pub fn measured(folder: &Path, fleet: &Fleet, finished: usize) -> String {
    let (all, shown) = (fleet.members.len(), shown(folder));
    let mut out = format!("{}\n", share(finished, all));
    out += &format!("  `cupel fleet collect {shown}` merges what they measured\n");
    if finished < all {
        out += &format!("  `cupel fleet run --resume {shown}` goes on with the others\n");
        out += &format!("  `cupel fleet cancel {shown}` removes what is kept on them\n");
    }
    out
}

/// How far each machine is.
pub fn status(folder: &Path, fleet: &Fleet, progress: &[Progress]) -> String {
    let number = |wanted: fn(&State) -> bool| progress.iter().filter(|p| wanted(&p.state)).count();
    let finished = number(|state| *state == State::Finished);
    let mut parts = vec![share(finished, progress.len())];
    let others: [(usize, &str); 3] = [
        (number(|state| *state == State::Running), "measuring"),
        (number(|state| matches!(state, State::Queued(_))), "waiting"),
        (number(|state| matches!(state, State::Stopped(_))), "stopped"),
    ];
    parts.extend(others.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    let mut out = format!("{}\n", parts.join(", "));
    let wide = widest(progress.iter().map(|one| one.name.as_str()));
    for one in progress {
        let state = match &one.state {
            State::Queued(why) => format!("waits: {why}"),
            State::Running => "measures".to_string(),
            State::Finished => "finished".to_string(),
            State::Stopped(why) => format!("stopped: {why}"),
        };
        let mut line = format!("  {:<wide$}  {state}", one.name);
        if let Some(extent) = &one.extent {
            let (forks, rounds) = (extent.forks as usize, extent.rounds as usize);
            line += &format!("; {}, {}", count(forks, "fork"), count(rounds, "round"));
        }
        if let Some(cpu) = &one.cpu {
            line += &format!("; {cpu}");
        }
        out += &(plain(&line) + "\n");
    }
    let shown = shown(folder);
    out +=
        &format!("`cupel fleet collect {shown}` merges what there is of {}\n", plain(&fleet.suite));
    if number(|state| matches!(state, State::Stopped(_))) > 0 {
        out += &format!("`cupel fleet run --resume {shown}` goes on with what has stopped\n");
    }
    out
}

/// The merged stores.
pub fn collected(store: &Path, collected: &[Collected], progress: &[Progress]) -> String {
    let imported = collected.iter().filter_map(|one| one.imported.as_ref().ok()?.as_ref());
    let (mut added, mut went_on, mut known) = (0, 0, 0);
    for one in imported {
        added += one.runs;
        went_on += one.continued;
        known += one.known;
    }
    let unfinished = progress
        .iter()
        .filter(|one| one.extent.as_ref().is_some_and(|extent| !extent.finished))
        .count();
    let mut parts = vec![format!("{} added", count(added, "run"))];
    let more = [(went_on, "continued"), (known, "already there"), (unfinished, "not finished yet")];
    parts.extend(more.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    let shown = shown(store);
    let mut out = format!("{}; `cupel list runs --store {shown}` lists them\n", parts.join(", "));
    let wide = widest(collected.iter().map(|one| one.name.as_str()));
    for one in collected {
        let what = match &one.imported {
            Ok(Some(_)) => continue,
            Ok(None) => "has no store yet".to_string(),
            Err(error) => format!("left out: {error:#}"),
        };
        out += &(plain(&format!("  {:<wide$}  {what}", one.name)) + "\n");
    }
    out
}

/// A fleet that was ended.
pub fn cancelled(folder: &Path, fleet: &Fleet, left: &[(String, String)]) -> String {
    let mut out = format!(
        "{} ended; `cupel fleet collect {}` merges what was measured\n",
        plain(&fleet.suite),
        shown(folder)
    );
    for (name, why) in left {
        out += &(plain(&format!("  {name}  {why}")) + "\n");
    }
    out
}

fn share(finished: usize, all: usize) -> String {
    let are = if finished == 1 || all == 1 { "is" } else { "are" };
    format!("{finished} of {} {are} finished", count(all, "machine"))
}

/// A folder as the user would write it from here.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let below = path.strip_prefix(here).unwrap_or(path);
    quoted(&below.display().to_string())
}

fn widest<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or(0)
}
