//! Which stored run a word means: a number, a day, `last`, `previous` or a suite.

use anyhow::{Result, bail};
use cupel_base::name::ContenderName;
use cupel_base::problem::{Written, did_you_mean};
use cupel_base::text::plain;
use cupel_plan::Plan;
use cupel_store::{RunRow, Store};
use cupel_suite::asked;
use std::collections::BTreeSet;

/// How many runs an error lists.
const LISTED: usize = 5;

/// The number of the run that a word means. Only a number can mean an unfinished run.
///
/// # Errors
/// If it means none; the message lists the runs that there are.
pub fn which(store: &Store, word: &str) -> Result<i64> {
    // Questions from the command line share a name, but not their work.
    of_runs(&store.runs()?, word, &|one, other| {
        let [one, other] = [one, other].map(|run| store.plans(Some(run)));
        Ok(have_a_pair_in_common(&one?.remove(0).plan, &other?.remove(0).plan))
    })
}

/// Whether two runs measured the same two contenders on the same workload.
fn have_a_pair_in_common(one: &Plan, other: &Plan) -> bool {
    one.comparisons.iter().filter(|c| !c.overhead).any(|c| {
        let same = other.comparisons.iter().find(|o| o.workload == c.workload);
        same.is_some_and(|same| {
            names(one, &c.cells).intersection(&names(other, &same.cells)).count() >= 2
        })
    })
}

fn names(plan: &Plan, cells: &[usize]) -> BTreeSet<ContenderName> {
    let measured = cells.iter().filter(|&&cell| !plan.cells[cell].control);
    measured.map(|&cell| plan.name_of(cell)).collect()
}

/// The run among these that the word means; they have the newest first. `comparable` returns
/// whether two runs of questions have something in common.
fn of_runs(
    runs: &[RunRow],
    word: &str,
    comparable: &dyn Fn(i64, i64) -> Result<bool>,
) -> Result<i64> {
    let finished: Vec<&RunRow> = runs.iter().filter(|run| run.finished.is_some()).collect();
    if let Ok(number) = word.parse() {
        if runs.iter().any(|run| run.id == number) {
            return Ok(number);
        }
        bail!("there is no run {number}{}", listed(&finished));
    }
    let Some(last) = finished.first() else {
        bail!("no run is finished yet, so {} means none", plain(word));
    };
    if word == "last" {
        return Ok(last.id);
    }
    if word == "previous" {
        let suite = plain(&last.suite);
        let others: Vec<_> = finished.iter().skip(1).filter(|r| r.suite == last.suite).collect();
        if others.is_empty() {
            bail!(
                "{suite}, the suite of the last run, has no other finished run{}",
                listed(&finished)
            );
        }
        for run in others {
            if run.suite != asked::NAME || comparable(run.id, last.id)? {
                return Ok(run.id);
            }
        }
        bail!(
            "run {}, the last, asked what no other run of {suite} has measured{}",
            last.id,
            listed(&finished)
        );
    }
    if is_day(word) {
        let Some(run) = finished.iter().find(|run| run.started.starts_with(word)) else {
            bail!("no finished run began on {word} (UTC){}", listed(&finished));
        };
        return Ok(run.id);
    }
    if let Some(run) = finished.iter().find(|run| run.suite == word) {
        return Ok(run.id);
    }
    let suites = finished.iter().map(|run| run.suite.as_str());
    let meant = did_you_mean(word, suites.chain(["last", "previous"]), Written::Word);
    bail!(
        "no finished run is called {}: give a number, a day such as 2026-11-21, last, previous or \
         a suite{}{}",
        plain(word),
        meant.map_or(String::new(), |meant| format!("; {}", plain(&meant))),
        listed(&finished)
    );
}

/// Whether a word is a day: `2026-11-21`.
fn is_day(word: &str) -> bool {
    word.len() == 10
        && word.chars().enumerate().all(|(at, letter)| {
            if [4, 7].contains(&at) { letter == '-' } else { letter.is_ascii_digit() }
        })
}

/// The newest finished runs, for an error.
fn listed(finished: &[&RunRow]) -> String {
    if finished.is_empty() {
        return "; no run is finished yet".to_string();
    }
    let newest = finished.iter().take(LISTED).map(|run| {
        let day = run.started.get(..10).unwrap_or(&run.started);
        format!("{} ({}, {})", run.id, plain(day), plain(&run.suite))
    });
    let newest: Vec<String> = newest.collect();
    format!("; finished are {}; `cupel list runs` lists all", newest.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: i64, suite: &str, day: &str, finished: bool) -> RunRow {
        let started = format!("{day}T10:00:00Z");
        RunRow {
            id,
            suite: suite.to_string(),
            finished: finished.then(|| started.clone()),
            started,
            command: String::new(),
            tool: String::new(),
            measured_ns: 0,
            sliced_ns: 0,
        }
    }

    /// The newest first, as the store lists them.
    fn runs() -> Vec<RunRow> {
        vec![
            run(6, "q", "2026-11-22", false),
            run(5, "q", "2026-11-22", true),
            run(4, "other", "2026-11-21", true),
            run(2, "q", "2026-11-21", true),
            run(1, "q", "2026-11-20", true),
        ]
    }

    #[test]
    fn each_word_means_the_newest_finished_run_that_fits() {
        let means = |word: &str| {
            of_runs(&runs(), word, &|_, _| Ok(false)).map_err(|error| error.to_string())
        };
        assert_eq!(means("last"), Ok(5), "6 is not finished");
        assert_eq!(means("previous"), Ok(2), "4 is of another suite");
        assert_eq!(means("2026-11-21"), Ok(4));
        assert_eq!(means("2026-11-20"), Ok(1));
        assert_eq!(means("q"), Ok(5));
        assert_eq!(means("other"), Ok(4));
        assert_eq!(means("6"), Ok(6), "a number means that run");
    }

    #[test]
    fn a_word_that_means_no_run_lists_what_there_is() {
        let of = |runs: &[RunRow], word: &str| {
            of_runs(runs, word, &|_, _| Ok(false)).unwrap_err().to_string()
        };
        let said = |word: &str| of(&runs(), word);
        for (word, words) in [
            ("9", "there is no run 9"),
            ("2026-11-19", "no finished run began on 2026-11-19"),
            ("othr", "did you mean other?"),
            ("lats", "did you mean last?"),
        ] {
            assert!(said(word).contains(words), "{}", said(word));
            assert!(said(word).contains("4 (2026-11-21, other)"), "{}", said(word));
        }
        let alone = [run(1, "q", "2026-11-20", true)];
        let said = of(&alone, "previous");
        assert!(said.contains("q, the suite of the last run, has no other finished run"), "{said}");
        let none = of(&[run(1, "q", "2026-11-20", false)], "last");
        assert!(none.contains("no run is finished yet"), "{none}");
    }

    #[test]
    fn of_questions_the_previous_run_is_one_that_measured_the_same() {
        let asked = [9, 8, 7].map(|id| run(id, asked::NAME, "2026-11-22", true));
        let previous = |same: &[i64]| {
            of_runs(&asked, "previous", &|one, last| Ok(last == 9 && same.contains(&one)))
        };
        assert_eq!(previous(&[8, 7]).unwrap(), 8);
        assert_eq!(previous(&[7]).unwrap(), 7);
        let said = previous(&[]).unwrap_err().to_string();
        assert!(said.starts_with("run 9, the last, asked what no other run of ask"), "{said}");
    }
}
