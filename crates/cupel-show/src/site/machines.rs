//! The machines of a site.

use super::Places;
use super::choose::Chosen;
use super::frame::{Parts, cell, escaped, frame, wide};
use cupel_base::machine::Machine;
use cupel_base::text::count;
use std::fmt::Write;

/// One machine.
pub struct Place {
    /// What its processor calls itself, for the head of a row.
    pub label: String,
    /// The start of its fingerprint, with its name in a fleet: it distinguishes machines of one model.
    pub short: String,
    /// Its fingerprint.
    pub fingerprint: String,
    machine: Machine,
    /// The runs of it that are shown.
    runs: usize,
}

/// How much of a fingerprint is shown, and of a name in a fleet.
const SHORT: usize = 8;
const NODE: usize = 40;

/// The machines of the chosen runs.
pub fn places(chosen: &Chosen) -> Places {
    let mut places: Places = Places::new();
    for (identity, (fingerprint, machine)) in &chosen.machines {
        let cpu = machine.cpu.known().cloned();
        let label = cpu.unwrap_or_else(|| machine.architecture.clone());
        let mut short: String = fingerprint.chars().take(SHORT).collect();
        if let Some(node) = &machine.node {
            // It is a part of an address on the page.
            let safe = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
            short.extend(['-'].into_iter().chain(node.chars().take(NODE).map(safe)));
        }
        let fingerprint = fingerprint.clone();
        let place = Place { label, short, fingerprint, machine: machine.clone(), runs: 0 };
        places.insert(identity.clone(), place);
    }
    for shown in chosen.questions.values().flatten() {
        if let Some(place) = places.get_mut(&shown.place) {
            place.runs += 1;
        }
    }
    places
}

/// A machine as the head of a row: its processor, and a link to what else is known of it.
pub fn head(place: &Place) -> String {
    format!(
        "<a href=\"../machines.html#m-{short}\">{}</a> <span class=\"version\">{short}</span>",
        escaped(&place.label),
        short = escaped(&place.short),
    )
}

/// The page of all machines.
pub fn page(places: &Places) -> String {
    let mut all: Vec<&Place> = places.values().collect();
    all.sort_by(|a, b| (&a.label, &a.short).cmp(&(&b.label, &b.short)));
    let mut table = String::from(
        "<table>\n<thead><tr><th scope=\"col\">machine</th><th scope=\"col\">what it is</th>\
         <th scope=\"col\">microcode</th><th scope=\"col\">runs</th></tr></thead>\n\
         <tbody>\n",
    );
    for place in all {
        let microcode = place.machine.microcode.known().map_or("unknown", String::as_str);
        let _ = writeln!(
            table,
            "<tr id=\"m-{short}\"><th scope=\"row\">{short}</th>{}{}{}</tr>",
            cell("what it is", &escaped(&place.machine.line())),
            cell("microcode", &escaped(microcode)),
            cell("runs", &place.runs.to_string()),
            short = escaped(&place.short),
        );
    }
    table.push_str("</tbody>\n</table>\n");
    let answer = count(places.len(), "machine");
    let body = wide("The machines", &table);
    frame("", "Machines", &answer, &Parts { body, ..Parts::default() })
}
