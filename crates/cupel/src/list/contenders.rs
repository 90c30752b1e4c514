//! The contenders of this machine: a line for each family, or one by one.

use super::blank;
use anyhow::Result;
use comfy_table::{CellAlignment, Table};
use cupel_base::home::Home;
use cupel_base::name::Pattern;
use cupel_base::primitives;
use cupel_base::text::{count, folded, inert_json, plain};
use cupel_contender::Family;
use cupel_contender::{Contender, State};
use cupel_run::begin::Names;
use cupel_toolchain::Wanted;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The contenders that these names mean, or all of them; of primitives, those that offer one.
pub fn list(
    home: &Home,
    names: &[String],
    compilers: &[PathBuf],
    all: bool,
    as_json: bool,
) -> Result<String> {
    let families = cupel_contender::families(home)?;
    let (primitives, names) = primitives_and_names(names);
    let names_of = Names { home, work: None, compilers, build: false, say: &|_| {} };
    let only = if names.is_empty() { vec![] } else { names_of.resolve(&names)?.names };
    let wanted = Wanted { named: only.clone(), compilers: compilers.to_vec(), ..Wanted::default() };
    let mut contenders = cupel_toolchain::find(home, &wanted, &|_| {})?;
    if !only.is_empty() {
        let patterns: Vec<_> = only.iter().map(Pattern::new).collect();
        contenders.retain(|c| patterns.iter().any(|p| c.is_meant_by(p)));
    }
    if !primitives.is_empty() {
        contenders
            .iter_mut()
            .for_each(|c| c.offers.retain(|o| primitives.contains(&&*o.primitive)));
        contenders.retain(|contender| !contender.offers.is_empty());
    }
    if as_json {
        return Ok(inert_json(&(serde_json::to_string_pretty(&contenders)? + "\n")));
    }
    let ready = contenders.iter().filter(|c| c.is_ready()).count();
    let counted = format!("{}, {ready} ready", count(contenders.len(), "contender"));
    if names.is_empty() && primitives.is_empty() && !all {
        let (table, yours) = (by_family(&contenders), yours(home, &families, &contenders));
        return Ok(format!("{counted}, by family\n\n{table}\n{yours}{MORE}"));
    }
    let first = format!("{counted}: the library and version here, and what they offer");
    let mut out = format!("{}\n\n{}\n", folded("", &first), one_by_one(&contenders));
    out += &yours(home, &families, &contenders);
    if contenders.iter().flat_map(|c| &c.offers).any(|o| !has_reference(&o.primitive)) {
        out += &format!("\n{}\n", folded("", UNPROVED));
    }
    Ok(out)
}

/// The words that are primitives, by their standard names, and the others.
fn primitives_and_names(words: &[String]) -> (Vec<&'static str>, Vec<String>) {
    let mut primitives = Vec::new();
    let mut names = Vec::new();
    for word in words {
        match primitives::meant(word) {
            Some(primitive) => primitives.push(primitive.name),
            None => names.push(word.clone()),
        }
    }
    (primitives, names)
}

/// A line for each listed family that is the user's own, with its file.
fn yours(home: &Home, families: &[Family], contenders: &[Contender]) -> String {
    let mut out = String::new();
    for family in families {
        let listed = contenders.iter().any(|c| c.family == family.name);
        if listed && home.owner(&family.path).is_some() {
            let whose = format!("{}/ is yours: {}", family.prefix, family.path.display());
            out += &(plain(&whose) + "\n");
        }
    }
    out
}

/// Printed below the families.
const MORE: &str = "
`cupel list c rust` lists the contenders of these families, `cupel list --all`
every one; `cupel doctor` says what is missing, and how to add it.
";

/// Printed below a list that marks something.
const UNPROVED: &str =
    "* Cupel has no reference for it. It cannot be verified, so it is not measured.";

/// How many contenders of a family on one toolchain are in which state.
#[derive(Default)]
struct Tally {
    all: usize,
    ready: usize,
    unbuilt: usize,
    missing: usize,
    failed: usize,
}

impl Tally {
    fn add(&mut self, state: &State) {
        self.all += 1;
        *match state {
            State::Ready { .. } => &mut self.ready,
            State::Unbuilt => &mut self.unbuilt,
            State::Missing(_) => &mut self.missing,
            State::Failed(_) => &mut self.failed,
        } += 1;
    }

    fn counts(&self) -> [String; 5] {
        let some = |n: usize| if n == 0 { "-".to_string() } else { n.to_string() };
        [self.all, self.ready, self.unbuilt, self.missing, self.failed].map(some)
    }
}

fn by_family(contenders: &[Contender]) -> Table {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for contender in contenders {
        let family = contender.name.family().unwrap_or(contender.name.as_str());
        let on = contender.name.toolchain().map(|toolchain| format!(" on {toolchain}"));
        let family = plain(&(family.to_string() + &on.unwrap_or_default()));
        tallies.entry(family).or_default().add(&contender.state);
    }
    let mut table = blank();
    table.set_header(["family", "contenders", "ready", "not built", "missing", "failed"]);
    for (family, tally) in tallies {
        table.add_row(std::iter::once(family).chain(tally.counts()));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn one_by_one(contenders: &[Contender]) -> Table {
    let mut table = blank();
    table.set_header(["contender", "library", "offers"]);
    for contender in contenders {
        let state = match &contender.state {
            State::Ready { .. } => {
                let prebuilt = if contender.built_with.is_some() { ", prebuilt" } else { "" };
                plain(&format!("{} {}{prebuilt}", contender.library, contender.version))
            }
            State::Missing(_) => "missing: see cupel doctor".to_string(),
            State::Failed(_) => "failed: see cupel doctor".to_string(),
            State::Unbuilt => "not built: cupel run builds it".to_string(),
        };
        table.add_row([plain(&contender.name), state, plain(&offers(contender))]);
    }
    table
}

/// The offers of a contender: `sha256, aes-256-gcm (seal, open)`.
fn offers(contender: &Contender) -> String {
    let mut offers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for offer in &contender.offers {
        offers.entry(&offer.primitive).or_default().push(offer.operation.name());
    }
    let offers: Vec<String> = offers
        .into_iter()
        .map(|(primitive, operations)| {
            let mark = if has_reference(primitive) { "" } else { "*" };
            match operations[..] {
                ["digest"] | ["mac"] => format!("{primitive}{mark}"),
                _ => format!("{primitive}{mark} ({})", operations.join(", ")),
            }
        })
        .collect();
    offers.join(", ")
}

fn has_reference(primitive: &str) -> bool {
    primitives::named(primitive).is_some()
}
