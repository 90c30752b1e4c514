//! The programs that a run measures, identified by content and version. If an interrupted run were
//! continued after an update, rounds of two builds would be mixed under one name.

use cupel_host::contender::{self, Contender, State};
use cupel_plan::Plan;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

/// The digest of every file that a command line of these contenders names.
pub fn digests(contenders: &[Contender]) -> BTreeMap<String, String> {
    let mut digests = BTreeMap::new();
    for word in contenders.iter().filter_map(words).flatten() {
        if !digests.contains_key(word) && Path::new(word).is_file() {
            digests.insert(word.clone(), digest(word));
        }
    }
    digests
}

/// What has changed since the run was planned; `None` if it can continue.
pub fn changed(plan: &Plan) -> Option<String> {
    for (file, then) in &plan.programs {
        if digest(file) != *then {
            return Some(format!("{file} has changed"));
        }
    }
    let mut asked: BTreeMap<&Vec<String>, BTreeMap<String, String>> = BTreeMap::new();
    for contender in &plan.contenders {
        let Some(command) = words(contender) else { continue };
        let confined = !contender.unconfined;
        let versions = asked.entry(command).or_insert_with(|| versions(command, confined));
        match versions.get(&contender.implementation) {
            Some(version) if *version == contender.version => {}
            Some(version) => {
                let (name, then) = (&contender.name, &contender.version);
                return Some(format!("{name} was version {then} and is {version}"));
            }
            None => return Some(format!("{} no longer exists", contender.name)),
        }
    }
    None
}

/// The version of each implementation that the runner lists now; empty if it does not start.
fn versions(command: &[String], confined: bool) -> BTreeMap<String, String> {
    let command: Vec<OsString> = command.iter().map(OsString::from).collect();
    contender::ask(&command, confined)
        .map(|(_, list)| list.into_iter().map(|listed| (listed.name, listed.version)).collect())
        .unwrap_or_default()
}

fn words(contender: &Contender) -> Option<&Vec<String>> {
    match &contender.state {
        State::Ready { command, .. } => Some(command),
        _ => None,
    }
}

/// The digest of a file; empty if it cannot be read.
fn digest(file: &str) -> String {
    std::fs::read(file).map_or_else(|_| String::new(), |bytes| hex::encode(Sha256::digest(bytes)))
}
