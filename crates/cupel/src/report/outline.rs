//! What would be run: `cupel run --dry-run`.

use crate::forecast::Forecast;
use crate::plan::Draft;
use crate::text;

/// What a draft comes to, in words.
pub fn outline(draft: &Draft, forecast: &Forecast) -> String {
    let mut out = format!("{}\n", text::folded("", &text::plain(draft.question())));
    for comparison in draft.comparisons() {
        let work = &comparison.workload;
        let names: Vec<&str> =
            comparison.members.iter().map(|&m| draft.contenders()[m].name.as_str()).collect();
        let line = format!(
            "{} {} {} {}: {}",
            work.primitive,
            work.operation,
            text::bytes(work.size),
            work.shape,
            text::plain(&names.join(", "))
        );
        out += &format!("{}\n", text::folded("", &line));
    }
    out + &format!(
        "{} cells, {} forks, {} s of measuring\n{}\n",
        draft.cells(),
        draft.options().forks,
        draft.options().budget.as_secs(),
        text::folded("", &forecast.words())
    )
}
