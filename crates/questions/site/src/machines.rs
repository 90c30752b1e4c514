//! The machines of a site.

use super::Places;
use super::choose::Chosen;
use super::frame::{Parts, Table, frame};
use cupel_base::text::count;
use cupel_machine::Machine;
use cupel_print::print::escaped;

/// One machine.
pub struct Place {
    /// The name of its processor, for the head of a row.
    pub label: String,
    /// The start of its fingerprint, with its name in a fleet: it distinguishes machines of one
    /// model.
    pub short: String,
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
        let place = Place { label, short, machine: machine.clone(), runs: 0 };
        places.insert(identity.clone(), place);
    }
    for shown in chosen.questions.values().flatten() {
        if let Some(place) = places.get_mut(&shown.place) {
            place.runs += 1;
        }
    }
    places
}

/// A machine as the head of a row: its processor, and a link to its other facts.
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
    let mut table = Table::new("machine", ["what it is", "microcode", "runs"]);
    for place in all {
        let short = escaped(&place.short);
        let microcode = place.machine.microcode.known().map_or("unknown", String::as_str);
        table.row(
            &format!("<span id=\"m-{short}\">{short}</span>"),
            [escaped(&place.machine.line()), escaped(microcode), place.runs.to_string()],
        );
    }
    let body = table.html("The machines", false);
    let answer = count(places.len(), "machine");
    frame("", "Machines", &answer, &Parts { body, ..Parts::default() })
}
