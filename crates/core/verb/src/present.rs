//! A stored run as text.

use anyhow::Result;
use cupel_analyse::Analysis;
use cupel_base::text;
use cupel_decide::claims::Verdicts;
use cupel_print::{Format, Style};
use cupel_show::export::{What, export};
use cupel_show::report;
use cupel_store::{Recorded, Store};

/// A run as text. Its rows have no place for its questions: see [`tell_apart`].
pub fn present(
    store: &Store,
    recorded: &Recorded,
    analysis: &Analysis,
    verdicts: &Verdicts,
    format: Format,
    style: Style,
) -> Result<String> {
    if !matches!(format, Format::Csv | Format::Jsonl) {
        return Ok(report::present(recorded, analysis, verdicts, format, style));
    }
    let mut out = Vec::new();
    export(store, Some(recorded.run.id), What::Cells, format, Box::new(&mut out))?;
    Ok(String::from_utf8(out)?)
}

/// Prints the questions of a run where the format has only rows.
pub fn tell_apart(recorded: &Recorded, verdicts: &Verdicts, format: Format) {
    if matches!(format, Format::Csv | Format::Jsonl) {
        for line in report::claims::of_run::lines(recorded, verdicts) {
            text::tell(&line);
        }
    }
}
