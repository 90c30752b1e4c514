//! Which stored run a word means: a number, a day, `last`, `previous` or a suite.

use crate::problem::{Written, did_you_mean};
use crate::store::RunRow;
use crate::text::plain;
use anyhow::{Result, bail};

/// How many runs an error lists.
const LISTED: usize = 5;

/// The number of the run that a word means. `runs` are all runs, the newest first. Only a number
/// can mean an unfinished run.
///
/// # Errors
/// If it means none; the message lists what there is.
pub fn which(runs: &[RunRow], word: &str) -> Result<i64> {
    let finished: Vec<&RunRow> = runs.iter().filter(|run| run.finished.is_some()).collect();
    let none = |why: String| -> Result<i64> { bail!("{why}{}", listed(&finished)) };
    if let Ok(number) = word.parse() {
        return match runs.iter().any(|run| run.id == number) {
            true => Ok(number),
            false => none(format!("there is no run {number}")),
        };
    }
    let Some(last) = finished.first() else {
        bail!("no run is finished yet, so {} means none", plain(word));
    };
    if word == "last" {
        return Ok(last.id);
    }
    if word == "previous" {
        let same = finished.iter().skip(1).find(|run| run.suite == last.suite);
        let suite = plain(&last.suite);
        let why = || none(format!("{suite}, the suite of the last run, has no other finished run"));
        return same.map_or_else(why, |run| Ok(run.id));
    }
    if is_day(word) {
        let that_day = finished.iter().find(|run| run.started.starts_with(word));
        let why = || none(format!("no finished run began on {word} (UTC)"));
        return that_day.map_or_else(why, |run| Ok(run.id));
    }
    if let Some(run) = finished.iter().find(|run| run.suite == word) {
        return Ok(run.id);
    }
    let suites = finished.iter().map(|run| run.suite.as_str());
    let meant = did_you_mean(word, suites.chain(["last", "previous"]), Written::Word);
    none(format!(
        "no finished run is called {}: give a number, a day such as 2026-11-21, last, previous or \
         a suite{}",
        plain(word),
        meant.map_or(String::new(), |meant| format!("; {}", plain(&meant)))
    ))
}

/// Whether a word is a day: `2026-11-21`.
fn is_day(word: &str) -> bool {
    let form =
        |(at, c): (usize, char)| if [4, 7].contains(&at) { c == '-' } else { c.is_ascii_digit() };
    word.len() == 10 && word.chars().enumerate().all(form)
}

/// The newest finished runs, for an error.
fn listed(finished: &[&RunRow]) -> String {
    if finished.is_empty() {
        return "; no run is finished yet".to_string();
    }
    let one = |run: &&RunRow| {
        let day = run.started.get(..10).unwrap_or(&run.started);
        format!("{} ({}, {})", run.id, plain(day), plain(&run.suite))
    };
    let some: Vec<String> = finished.iter().take(LISTED).map(one).collect();
    format!("; finished are {}; `cupel show --list` lists all", some.join(", "))
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
        let means = |word: &str| which(&runs(), word).map_err(|error| error.to_string());
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
        let said = |word: &str| which(&runs(), word).unwrap_err().to_string();
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
        let said = which(&alone, "previous").unwrap_err().to_string();
        assert!(said.contains("q, the suite of the last run, has no other finished run"), "{said}");
        let none = which(&[run(1, "q", "2026-11-20", false)], "last").unwrap_err().to_string();
        assert!(none.contains("no run is finished yet"), "{none}");
    }
}
