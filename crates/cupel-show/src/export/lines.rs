//! Rows as lines of text: CSV and JSON Lines.

use super::{Column, Sink};
use anyhow::Result;
use cupel_store::Field;
use std::io::Write;

/// RFC 4180. An empty value is an empty field. A number is written with all its digits.
pub struct Csv<W: Write> {
    out: csv::Writer<W>,
}

impl<W: Write> Csv<W> {
    pub fn new(out: W, columns: &[Column]) -> Result<Csv<W>> {
        let mut out = csv::Writer::from_writer(out);
        out.write_record(columns.iter().map(|(name, _)| name))?;
        Ok(Csv { out })
    }
}

impl<W: Write> Sink for Csv<W> {
    fn row(&mut self, row: &[Field]) -> Result<()> {
        self.out.write_record(row.iter().map(|field| match field {
            Field::Nothing => String::new(),
            Field::Integer(n) => n.to_string(),
            Field::Float(x) => x.to_string(),
            Field::Bool(b) => b.to_string(),
            Field::Text(text) => text.clone(),
        }))?;
        Ok(())
    }

    fn end(mut self: Box<Self>) -> Result<()> {
        Ok(self.out.flush()?)
    }
}

/// One object for each row. An empty value is `null`.
pub struct Jsonl<W: Write> {
    out: W,
    columns: Vec<Column>,
}

impl<W: Write> Jsonl<W> {
    pub fn new(out: W, columns: &[Column]) -> Jsonl<W> {
        Jsonl { out, columns: columns.to_vec() }
    }
}

impl<W: Write> Sink for Jsonl<W> {
    fn row(&mut self, row: &[Field]) -> Result<()> {
        let value = |field: &Field| match field {
            Field::Nothing => serde_json::Value::Null,
            Field::Integer(n) => (*n).into(),
            Field::Float(x) => (*x).into(),
            Field::Bool(b) => (*b).into(),
            Field::Text(text) => text.clone().into(),
        };
        let row: serde_json::Map<String, serde_json::Value> = self
            .columns
            .iter()
            .zip(row)
            .map(|((name, _), f)| (name.to_string(), value(f)))
            .collect();
        serde_json::to_writer(&mut self.out, &row)?;
        Ok(self.out.write_all(b"\n")?)
    }

    fn end(mut self: Box<Self>) -> Result<()> {
        Ok(self.out.flush()?)
    }
}
