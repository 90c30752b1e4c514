//! The store as flat tables for other programs: every raw slice, or every analysed cell, row by
//! row. Slices are streamed from SQLite, so that ten million of them need no more memory than a
//! few.

mod lines;

use crate::report::{Format, cells};
use anyhow::Result;
use cupel_analyse::recall;
use cupel_store::{Field, Planned, Store};
use serde::Serialize;
use std::io::Write;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A 64-bit integer.
    Integer,
    /// A 64-bit floating-point number.
    Float,
    /// True or false.
    Bool,
    /// UTF-8.
    Text,
}

/// A column's name and kind. Every column may be empty in a row.
pub type Column = (&'static str, Kind);

/// Writes rows in one format.
trait Sink {
    /// Writes one row, with as many fields as columns.
    fn row(&mut self, row: &[Field]) -> Result<()>;
    /// Ends the file.
    fn end(self: Box<Self>) -> Result<()>;
}

/// What each row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Every timed batch of calls, raw: all other figures are computed from these.
    Slices,
    /// Every contender on every workload of every run: ratios, intervals, verdicts.
    Cells,
    /// Imported results of other programs: measured in sequence, without a control, in no run.
    Foreign,
}

/// The columns that both tables begin with.
const RUN: [Column; 4] = [
    ("run", Kind::Integer),
    ("suite", Kind::Text),
    ("started", Kind::Text),
    ("fingerprint", Kind::Text),
];

const SLICES: [Column; 24] = [
    ("contender", Kind::Text),
    ("control", Kind::Bool),
    ("primitive", Kind::Text),
    ("operation", Kind::Text),
    ("contract", Kind::Text),
    ("shape", Kind::Text),
    ("size", Kind::Integer),
    ("version", Kind::Text),
    ("fork", Kind::Integer),
    ("round", Kind::Integer),
    ("position", Kind::Integer),
    ("iterations", Kind::Integer),
    ("elapsed_ns", Kind::Float),
    ("ns_per_call", Kind::Float),
    ("counts", Kind::Bool),
    ("disturbed", Kind::Text),
    ("cpu_ns", Kind::Integer),
    ("wait_ns", Kind::Integer),
    ("involuntary", Kind::Integer),
    ("faults", Kind::Integer),
    ("stolen_ns", Kind::Integer),
    ("gc_ns", Kind::Integer),
    ("compile_ns", Kind::Integer),
    ("allocated_per_call", Kind::Float),
];

const CELLS: [Column; 44] = [
    ("contender", Kind::Text),
    ("primitive", Kind::Text),
    ("operation", Kind::Text),
    ("contract", Kind::Text),
    ("shape", Kind::Text),
    ("size", Kind::Integer),
    ("ns_median", Kind::Float),
    ("ns_low", Kind::Float),
    ("ns_high", Kind::Float),
    ("ns_net", Kind::Float),
    ("gb_per_s", Kind::Float),
    ("baseline", Kind::Text),
    ("ratio", Kind::Float),
    ("ratio_low", Kind::Float),
    ("ratio_high", Kind::Float),
    ("run_low", Kind::Float),
    ("run_high", Kind::Float),
    ("ratio_levels", Kind::Text),
    ("verdict", Kind::Text),
    ("reason", Kind::Text),
    ("forks", Kind::Integer),
    ("rounds", Kind::Integer),
    ("dropped", Kind::Integer),
    ("floor", Kind::Float),
    ("table_intervals", Kind::Integer),
    ("untrusted", Kind::Bool),
    ("fixed_ns", Kind::Float),
    ("per_byte_ns", Kind::Float),
    ("first_call_ns", Kind::Float),
    ("allocated_per_call", Kind::Float),
    ("collecting_ns_per_call", Kind::Float),
    ("ns_without_collecting", Kind::Float),
    ("ratio_without_collecting", Kind::Float),
    ("ratio_without_collecting_low", Kind::Float),
    ("ratio_without_collecting_high", Kind::Float),
    ("levels", Kind::Text),
    ("slows_next", Kind::Float),
    ("compile_level", Kind::Integer),
    ("steady_after_ns", Kind::Float),
    ("recompiled", Kind::Integer),
    ("unsteady_forks", Kind::Integer),
    ("steadiness", Kind::Text),
    ("version", Kind::Text),
    ("code_path", Kind::Text),
];

const FOREIGN: [Column; 15] = [
    ("file", Kind::Integer),
    ("name_of_file", Kind::Text),
    ("tool", Kind::Text),
    ("version", Kind::Text),
    ("machine", Kind::Text),
    ("imported", Kind::Text),
    ("name", Kind::Text),
    ("parameters", Kind::Text),
    ("statistic", Kind::Text),
    ("ns", Kind::Float),
    ("low", Kind::Float),
    ("high", Kind::Float),
    ("samples", Kind::Integer),
    ("bytes", Kind::Integer),
    ("error", Kind::Text),
];

/// Writes one run, or all of them, oldest first. Returns the number of rows.
///
/// # Errors
/// If the store cannot be read, does not have the run, or the rows cannot be written.
pub fn export<'w>(
    store: &Store,
    run: Option<i64>,
    what: What,
    format: Format,
    out: Box<dyn Write + 'w>,
) -> Result<u64> {
    let columns: Vec<Column> = match what {
        What::Slices => RUN.into_iter().chain(SLICES).collect(),
        What::Cells => RUN.into_iter().chain(CELLS).collect(),
        What::Foreign => FOREIGN.to_vec(),
    };
    let mut sink: Box<dyn Sink + 'w> = match format {
        Format::Csv => Box::new(lines::Csv::new(out, &columns)?),
        Format::Jsonl => Box::new(lines::Jsonl::new(out, &columns)),
        _ => anyhow::bail!("rows are written as csv or jsonl"),
    };
    let mut rows = 0;
    if what == What::Foreign {
        anyhow::ensure!(run.is_none(), "results of other programs belong to no run: name no run");
        for row in store.foreign()? {
            sink.row(&fields(&FOREIGN, &row)?)?;
            rows += 1;
        }
        sink.end()?;
        return Ok(rows);
    }
    for planned in store.plans(run)?.iter().rev() {
        rows += match what {
            What::Slices => slices(store, planned, &mut *sink)?,
            What::Cells => self::cells(store, planned, &mut *sink)?,
            What::Foreign => unreachable!("written above"),
        };
    }
    sink.end()?;
    Ok(rows)
}

fn head(planned: &Planned) -> Vec<Field> {
    let run = &planned.run;
    vec![
        Field::Integer(run.id),
        Field::Text(run.suite.clone()),
        Field::Text(run.started.clone()),
        Field::Text(planned.fingerprint.clone()),
    ]
}

fn slices(store: &Store, planned: &Planned, sink: &mut dyn Sink) -> Result<u64> {
    let plan = &planned.plan;
    // The columns that all slices of a cell share are built once.
    let cells: Vec<Vec<Field>> = plan
        .cells
        .iter()
        .enumerate()
        .map(|(number, cell)| {
            let contender = &plan.contenders[cell.contender];
            let work = plan.workload_of(number);
            let mut fields = head(planned);
            fields.extend([
                Field::Text(plan.name_of(number).to_string()),
                Field::Bool(cell.control),
                Field::Text(work.primitive.clone()),
                Field::Text(work.operation.name().to_string()),
                Field::Text(work.contract.to_string()),
                Field::Text(work.shape.name().to_string()),
                Field::Integer(work.size as i64),
                Field::Text(contender.version.clone()),
            ]);
            fields
        })
        .collect();
    let mut rows = 0;
    store.each_slice(planned.run.id, |cell, figures| {
        let Some(fields) = cells.get(cell) else { return Ok(()) };
        rows += 1;
        sink.row(&fields.iter().cloned().chain(figures).collect::<Vec<_>>())
    })?;
    Ok(rows)
}

fn cells(store: &Store, planned: &Planned, sink: &mut dyn Sink) -> Result<u64> {
    let (_, analysis) = recall(store, Some(planned.run.id))?;
    let rows = cells::rows(&analysis);
    for row in &rows {
        sink.row(&head(planned).into_iter().chain(fields(&CELLS, row)?).collect::<Vec<_>>())?;
    }
    Ok(rows.len() as u64)
}

/// A row's fields in the order of its columns, whose names are those of its serialised form.
fn fields(columns: &[Column], row: &impl Serialize) -> Result<Vec<Field>> {
    let row = serde_json::to_value(row)?;
    Ok(columns
        .iter()
        .map(|(name, kind)| match (kind, &row[name]) {
            (Kind::Integer, value) => value.as_i64().map_or(Field::Nothing, Field::Integer),
            (Kind::Float, value) => value.as_f64().map_or(Field::Nothing, Field::Float),
            (Kind::Bool, value) => value.as_bool().map_or(Field::Nothing, Field::Bool),
            (Kind::Text, value) => {
                value.as_str().map_or(Field::Nothing, |text| Field::Text(text.to_string()))
            }
        })
        .collect())
}
