//! The store as flat tables for other programs: every raw slice, or every analysed cell, row by
//! row. Slices are streamed from SQLite, so that ten million of them need no more memory than a
//! few.

use crate::report::Format;
use crate::report::run::cells::{self, CellRow};
use anyhow::Result;
use cupel_analyse::recall;
use cupel_base::text::{field, inert_json};
use cupel_store::{Field, Planned, Store};
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::Write;

/// The subject of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Every timed batch of calls, raw: all other figures are computed from these.
    Slices,
    /// Every contender on every workload of every run: ratios, intervals, verdicts.
    Cells,
    /// Imported results of other programs: measured in sequence, without a control, in no run.
    Foreign,
}

/// The columns with which the rows of runs begin.
const RUN: &str = "run suite started fingerprint";

/// The columns of a slice: its cell's, and from `fork` on the store's.
const SLICES: &str = "contender control primitive operation contract shape size version \
     fork round position iterations elapsed_ns ns_per_call counts disturbed cpu_ns wait_ns \
     involuntary faults stolen_ns gc_ns compile_ns allocated_per_call";

/// The columns of a foreign result.
const FOREIGN: &str = "file name_of_file tool version machine imported name parameters statistic \
     ns low high samples bytes error";

/// Writes the rows of one run, or of all of them, oldest first. Foreign results are in no run.
///
/// # Errors
/// If the store cannot be read, does not have the run, or the rows cannot be written.
pub fn export<'w>(
    store: &Store,
    run: Option<i64>,
    what: What,
    format: Format,
    out: Box<dyn Write + 'w>,
) -> Result<()> {
    let mut rows = Rows::new(columns(what)?, format, out)?;
    if what == What::Foreign {
        for row in store.foreign()? {
            rows.object(vec![], &row)?;
        }
        return rows.end();
    }
    for planned in store.plans(run)?.iter().rev() {
        if what == What::Slices {
            slices(store, planned, &mut rows)?;
        } else {
            cells(store, planned, &mut rows)?;
        }
    }
    rows.end()
}

/// The cells of some runs as CSV.
///
/// # Errors
/// If the store cannot be read, or does not have one of the runs.
pub fn cells_as_csv(store: &Store, runs: impl IntoIterator<Item = i64>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rows = Rows::new(columns(What::Cells)?, Format::Csv, Box::new(&mut bytes))?;
    for run in runs {
        for planned in store.plans(Some(run))? {
            cells(store, &planned, &mut rows)?;
        }
    }
    rows.end()?;
    Ok(bytes)
}

fn columns(what: What) -> Result<Vec<String>> {
    Ok(match what {
        What::Slices => [words(RUN), words(SLICES)].concat(),
        What::Cells => [words(RUN), cell_columns()?].concat(),
        What::Foreign => words(FOREIGN),
    })
}

fn words(columns: &str) -> Vec<String> {
    columns.split(' ').map(String::from).collect()
}

/// The columns of a cell: the fields of its row, in their order.
fn cell_columns() -> Result<Vec<String>> {
    let mut header = csv::Writer::from_writer(Vec::new());
    header.serialize(CellRow::default())?;
    let header = header.into_inner()?;
    Ok(csv::Reader::from_reader(&*header).headers()?.iter().map(String::from).collect())
}

fn head(planned: &Planned) -> Vec<Value> {
    let run = &planned.run;
    vec![
        run.id.into(),
        run.suite.as_str().into(),
        run.started.as_str().into(),
        planned.fingerprint.as_str().into(),
    ]
}

fn cells(store: &Store, planned: &Planned, rows: &mut Rows<'_>) -> Result<()> {
    let (recorded, analysis) = recall(store, Some(planned.run.id))?;
    for row in cells::rows(&recorded, &analysis) {
        rows.object(head(planned), &row)?;
    }
    Ok(())
}

fn slices(store: &Store, planned: &Planned, rows: &mut Rows<'_>) -> Result<()> {
    let plan = &planned.plan;
    // The columns that all slices of a cell share are built once.
    let cells: Vec<Vec<Value>> = plan
        .cells
        .iter()
        .enumerate()
        .map(|(number, cell)| {
            let work = plan.workload_of(number);
            let mut fields = head(planned);
            fields.extend([
                plan.name_of(number).as_str().into(),
                cell.control.into(),
                work.primitive.as_str().into(),
                work.operation.name().into(),
                work.contract.to_string().into(),
                work.shape.name().into(),
                work.size.into(),
                plan.contenders[cell.contender].version.as_str().into(),
            ]);
            fields
        })
        .collect();
    store.each_slice(planned.run.id, |cell, figures| match cells.get(cell) {
        Some(fields) => rows.row(fields.iter().cloned().chain(figures.into_iter().map(value))),
        None => Ok(()),
    })
}

fn value(field: Field) -> Value {
    match field {
        Field::Nothing => Value::Null,
        Field::Integer(n) => n.into(),
        Field::Float(x) => x.into(),
        Field::Bool(b) => b.into(),
        Field::Text(text) => text.into(),
    }
}

/// A file of rows that have the same columns.
struct Rows<'w> {
    columns: Vec<String>,
    out: Out<'w>,
}

enum Out<'w> {
    /// RFC 4180. An empty value is an empty field. A number is written with all its digits. No text
    /// is a formula, or steers a terminal.
    Csv(Box<csv::Writer<Box<dyn Write + 'w>>>),
    /// One object for each row, in ASCII where a terminal would obey. An empty value is `null`.
    Jsonl(Box<dyn Write + 'w>),
}

impl<'w> Rows<'w> {
    fn new(columns: Vec<String>, format: Format, out: Box<dyn Write + 'w>) -> Result<Rows<'w>> {
        let out = match format {
            Format::Csv => {
                let mut out = csv::Writer::from_writer(out);
                out.write_record(&columns)?;
                Out::Csv(Box::new(out))
            }
            Format::Jsonl => Out::Jsonl(out),
            _ => anyhow::bail!("rows are written as csv or jsonl"),
        };
        Ok(Rows { columns, out })
    }

    /// Writes one row, with as many fields as columns.
    fn row(&mut self, fields: impl Iterator<Item = Value>) -> Result<()> {
        match &mut self.out {
            Out::Csv(out) => out.write_record(fields.map(text))?,
            Out::Jsonl(out) => {
                let row: Map<String, Value> = self.columns.iter().cloned().zip(fields).collect();
                let row = inert_json(&serde_json::to_string(&row)?);
                writeln!(out, "{row}")?;
            }
        }
        Ok(())
    }

    /// Writes one row: some fields, then an object's, which are named as the other columns.
    fn object(&mut self, first: Vec<Value>, object: &impl Serialize) -> Result<()> {
        let mut object = serde_json::to_value(object)?;
        let others = self.columns[first.len()..].iter();
        let others: Vec<Value> = others.map(|name| object[name].take()).collect();
        self.row(first.into_iter().chain(others))
    }

    fn end(self) -> Result<()> {
        match self.out {
            Out::Csv(mut out) => Ok(out.flush()?),
            Out::Jsonl(mut out) => Ok(out.flush()?),
        }
    }
}

fn text(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => field(&text),
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map_or(String::new(), |number| number.to_string())
        }
        other => other.to_string(),
    }
}
