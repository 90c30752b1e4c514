//! A run as one self-contained HTML file: the page of `web/` with the run's data in it.

mod claims;
mod column;
mod data;
mod pairs;
mod slices;

use anyhow::{Context, Result};
use cupel_decide::claims::Verdicts;
use cupel_store::Store;
use cupel_suite::Suite;
use sha2::{Digest, Sha256};

/// The page, built by `web/` and committed, so that building the tool needs no Node.
const PAGE: &str = include_str!("../../../../../../web/dist/page.html");

/// The mark that the data replaces.
const PLACE: &str = "<!--run-->";

/// Writes the page of a stored run, by default the newest, and returns that run's number. The page
/// has the claims of the run's own suite as it was then, the claims of `suites`, decided by this
/// run alone, and, apart from both, imported results of other programs. The data of a finished run
/// is remembered in the store.
///
/// # Errors
/// If there is no such run, or the store cannot be read.
pub fn write(store: &Store, run: Option<i64>, suites: &[Suite]) -> Result<(i64, String)> {
    let (before, after) = PAGE.split_once(PLACE).context("the page has no place for a run")?;
    let run = match run {
        Some(run) => Some(run),
        None => store.runs()?.first().map(|run| run.id),
    };
    let run = run.context("there are no runs yet; start one with `cupel run`")?;
    let verdicts = Verdicts::for_run(store, run)?;
    // Other runs may have changed the verdicts, and other tests the known leaks.
    let digest = Sha256::digest(serde_json::to_vec(&verdicts)?);
    let leak_tests = store.leak_tests_of(run)?.digest();
    let what = format!("page {} {leak_tests}", hex::encode(&digest[..8]));
    let (recorded, data) = store.remembered(Some(run), &what, |recorded| {
        store.read_rounds(recorded)?;
        anyhow::Ok(inert(&serde_json::to_string(&data::gather(recorded, &verdicts)?)?))
    })?;
    let claims = inert(&claims::decided(store, recorded.run.id, suites)?);
    let foreign = inert(&serde_json::to_string(&store.foreign()?)?);
    let page = [
        before,
        &script("run", &data),
        &script("claimed", &claims),
        &script("foreign", &foreign),
        after,
    ]
    .concat();
    Ok((recorded.run.id, page))
}

/// The style of the page, for other pages that look like it.
pub fn style() -> &'static str {
    let style = PAGE.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>"));
    style.map_or("", |(style, _)| style)
}

/// A script element with data of the page.
fn script(id: &str, data: &str) -> String {
    format!("<script type=\"application/json\" id=\"{id}\">{data}</script>")
}

/// Escapes JSON so that no HTML parser takes it for markup. The escaped characters occur only
/// inside JSON strings, where an escape means the same.
fn inert(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out += &format!("\\u{:04x}", c as u32),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_ends_the_script() {
        let hostile = "</script><!--<script>&lt;\u{2028}\"'";
        let json = serde_json::to_string(hostile).unwrap();
        let written = inert(&json);
        assert!(!written.contains(['<', '>', '&', '\u{2028}']), "{written}");
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), hostile);
    }

    #[test]
    fn the_page_has_one_place_for_the_run_and_fetches_nothing() {
        assert_eq!(PAGE.matches(PLACE).count(), 1);
        assert!(PAGE.contains("default-src 'none'"));
        assert!(style().contains("--paper"));
    }
}
