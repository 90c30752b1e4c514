//! What would be run: `cupel run --dry-run`.

use crate::report::answer::subject::distinction;
use cupel_base::chart;
use cupel_base::primitives;
use cupel_base::text;
use cupel_plan::Draft;
use cupel_run::forecast::Forecast;

/// What a draft comes to, in words.
pub fn outline(draft: &Draft, forecast: &Forecast) -> String {
    let mut out = format!("{}\n", text::folded("", &text::plain(draft.question())));
    for comparison in draft.comparisons() {
        let work = &comparison.workload;
        let names: Vec<String> = comparison
            .members
            .chunk_by(|a, b| a.contender == b.contender)
            .map(|rows| {
                let name = &draft.contenders()[rows[0].contender].name;
                match comparison.alternatives.len() {
                    0 => name.to_string(),
                    of => format!("{name} ({} of {of})", rows.len()),
                }
            })
            .collect();
        let threads = match work.contract.threads {
            1 => String::new(),
            threads => format!(" on {threads} threads"),
        };
        let all = draft.comparisons().iter().map(|comparison| &comparison.workload);
        let line = format!(
            "{} {} {} {}{threads}{}: {}",
            primitives::in_words(&work.primitive),
            work.operation,
            chart::size(work),
            work.shape,
            distinction(work, &[work.size], all),
            text::plain(&names.join(", "))
        );
        out += &format!("{}\n", text::folded("", &line));
    }
    let budget = match draft.options().budget.as_secs_f64() {
        0.0 => "the fewest rounds".to_string(),
        seconds => format!("{seconds} s of measuring"),
    };
    out + &format!(
        "{}, {}, {budget}\n{}\n",
        text::count(draft.cells(), "cell"),
        text::count(draft.options().forks as usize, "fork"),
        text::folded("", &forecast.words())
    )
}
