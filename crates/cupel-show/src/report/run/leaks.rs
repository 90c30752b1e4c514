//! What leak tests say of the contenders of a comparison: the lines below its table, and what its
//! answer says if one of the fastest leaks. Nothing is printed where no contender was tested.

use cupel_analyse::{Answer, Row};
use cupel_base::name::ContenderName;
use cupel_base::text::{self, plain};
use cupel_store::{LeakTest, LeakVerdict, NOT_TESTED, Recorded};
use std::collections::{BTreeMap, BTreeSet};

/// Up to this many contenders that were not tested are named.
const NAMED: usize = 3;

/// The word for those that leak.
pub const LEAKS: &str = LeakVerdict::Leaks.words();

/// A line below a table.
pub struct Below {
    /// What it says.
    pub text: String,
    /// Whether it names contenders that leak.
    pub leaks: bool,
}

/// Whether a contender of a comparison was tested.
pub fn any(recorded: &Recorded, answer: &Answer) -> bool {
    !recorded.leak_tests.is_empty()
        && answer.rows.iter().any(|row| leak_test(recorded, row).is_some())
}

fn leak_test<'a>(recorded: &'a Recorded, row: &Row) -> Option<&'a LeakTest> {
    recorded.leak_test(row.cell)
}

/// The lines below a table: first those that leak, with how. Of the others that were measured, what
/// their tests say, and which have none.
pub fn below(recorded: &Recorded, answer: &Answer, shows: &dyn Fn(&Row) -> bool) -> Vec<Below> {
    if !any(recorded, answer) {
        return vec![];
    }
    let (mut leaking, mut others, mut untested) = (Vec::new(), BTreeMap::new(), Vec::new());
    for row in answer.rows.iter().filter(|row| shows(row) && row.ns.is_some()) {
        match leak_test(recorded, row) {
            Some(test) if test.verdict == LeakVerdict::Leaks => {
                let (name, how) = (&row.contender, how(test, row, answer));
                leaking.push(format!("{name} ({how}, tested {})", test.day()));
            }
            Some(test) => {
                let group: &mut Vec<(&ContenderName, &LeakTest)> =
                    others.entry(test.verdict).or_default();
                group.push((&row.contender, test));
            }
            None => untested.push(row.contender.as_str()),
        }
    }
    let mut lines = Vec::new();
    if !leaking.is_empty() {
        lines.push(Below { text: plain(&format!("{LEAKS}: {}", leaking.join(", "))), leaks: true });
    }
    let mut rest: Vec<String> = others.iter().map(|(verdict, of)| tested(*verdict, of)).collect();
    if !untested.is_empty() {
        let more = untested.len().saturating_sub(NAMED);
        let named = untested[..untested.len() - more].join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        rest.push(format!("{NOT_TESTED} for leaks: {named}{more}"));
    }
    if !rest.is_empty() {
        lines.push(Below { text: plain(&rest.join("; ")), leaks: false });
    }
    lines
}

/// Those with the same verdict, and when they were tested.
fn tested(verdict: LeakVerdict, of: &[(&ContenderName, &LeakTest)]) -> String {
    let said = match verdict {
        LeakVerdict::Leaks => LEAKS,
        LeakVerdict::NoneSeen => "no leak seen",
        LeakVerdict::Undecided => "whether it leaks cannot be decided here",
    };
    let names: Vec<&str> = of.iter().map(|(name, _)| name.as_str()).collect();
    let days: BTreeSet<&str> = of.iter().map(|(_, test)| test.day()).collect();
    let when = match (days.first(), days.last()) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (first, _) => first.copied().unwrap_or_default().to_string(),
    };
    format!("{said}: {} (tested {when})", names.join(", "))
}

/// How a contender leaks: `its addresses depend on the key`; and where, if the test was of
/// other work.
fn how(test: &LeakTest, row: &Row, answer: &Answer) -> String {
    let mut work = answer.workload.clone();
    if let Some(primitive) = row.contender.primitive() {
        work.primitive = primitive.to_string();
    }
    if test.is_of(&work) {
        return test.how();
    }
    format!("{} in {} of {}", test.how(), test.operation, text::bytes(test.size))
}

/// What an answer says if some of the fastest are known to leak: which, how, and which has the shortest
/// time without a known leak.
pub fn of_fastest(
    recorded: &Recorded,
    answer: &Answer,
    fastest: &[ContenderName],
) -> Option<String> {
    let leaks = |row: &&Row| {
        leak_test(recorded, row).is_some_and(|test| test.verdict == LeakVerdict::Leaks)
    };
    let of_fastest = answer.rows.iter().filter(|row| fastest.contains(&row.contender));
    let leaking: Vec<String> = of_fastest
        .filter(leaks)
        .filter_map(|row| {
            let how = how(leak_test(recorded, row)?, row, answer);
            Some(format!("{} leaks ({how})", row.contender))
        })
        .collect();
    if leaking.is_empty() {
        return None;
    }
    let mut others = answer.rows.iter().filter(|row| row.ranked() && !row.aside && !leaks(row));
    let best = others.next().map(|row| {
        let (name, said) = (&row.contender, recorded.leaks(row.cell));
        format!("; of those without a known leak, {name} ({said}) has the shortest time")
    });
    Some(plain(&format!("{}{}", leaking.join(", "), best.unwrap_or_default())))
}
