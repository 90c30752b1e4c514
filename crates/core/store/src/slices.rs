//! A run's raw slices, one after the other: they may not all fit into memory.

use super::Store;
use anyhow::Result;
use rusqlite::Row;

/// One field of a table's row: a value of its column's kind, or empty.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// Empty.
    Nothing,
    /// From an integer column.
    Integer(i64),
    /// From a float column.
    Float(f64),
    /// From a Boolean column.
    Bool(bool),
    /// From a text column.
    Text(String),
}

impl Store {
    /// Passes each slice of a run to `take`, in the order in which they ran: the cell's number, and
    /// its figures in the order of the export's columns from `fork` on.
    ///
    /// # Errors
    /// If the store cannot be read, and the errors of `take`.
    pub fn each_slice(
        &self,
        run: i64,
        mut take: impl FnMut(usize, Vec<Field>) -> Result<()>,
    ) -> Result<()> {
        let mut select = self.db.prepare(
            "select slice.cell, fork.ordinal, round.ordinal, slice.position, slice.iterations,
                    slice.elapsed_ns, slice.disturbed, slice.cpu_ns, slice.wait_ns,
                    slice.involuntary, slice.faults, round.stolen_ns, slice.gc_ns,
                    slice.compile_ns, slice.allocated_per_call
             from fork join round on round.fork = fork.id join slice on slice.round = round.id
             where fork.run = ? order by round.id, slice.position",
        )?;
        let mut rows = select.query([run])?;
        while let Some(row) = rows.next()? {
            let (iterations, elapsed): (i64, f64) = (row.get(4)?, row.get(5)?);
            let disturbed: Option<String> = row.get(6)?;
            let figures = vec![
                number(row, 1)?,
                number(row, 2)?,
                number(row, 3)?,
                Field::Integer(iterations),
                Field::Float(elapsed),
                Field::Float(elapsed / iterations as f64),
                Field::Bool(disturbed.is_none()),
                disturbed.map_or(Field::Nothing, Field::Text),
                number(row, 7)?,
                number(row, 8)?,
                number(row, 9)?,
                number(row, 10)?,
                number(row, 11)?,
                number(row, 12)?,
                number(row, 13)?,
                row.get::<_, Option<f64>>(14)?.map_or(Field::Nothing, Field::Float),
            ];
            take(row.get::<_, i64>(0)? as usize, figures)?;
        }
        Ok(())
    }
}

fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<Field> {
    Ok(row.get::<_, Option<i64>>(column)?.map_or(Field::Nothing, Field::Integer))
}
