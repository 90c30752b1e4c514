//! Rows as Apache Parquet: typed, optional columns, in groups of rows, so that memory holds one
//! group and not the whole table.

use super::{Column, Kind, Sink};
use crate::store::Field;
use anyhow::Result;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::io::Write;
use std::sync::Arc;

/// Rows in a group: some tens of megabytes.
const GROUP: usize = 100_000;

pub struct Parquet<W: Write + Send> {
    out: SerializedFileWriter<W>,
    columns: Vec<Column>,
    /// For each column: the fields of the group that is being gathered.
    group: Vec<Vec<Field>>,
}

impl<W: Write + Send> Parquet<W> {
    pub fn new(out: W, columns: &[Column]) -> Result<Parquet<W>> {
        let fields = columns.iter().map(column).collect::<Result<Vec<_>>>()?;
        let schema = Type::group_type_builder("cupel").with_fields(fields).build()?;
        let properties = Arc::new(WriterProperties::builder().build());
        let out = SerializedFileWriter::new(out, Arc::new(schema), properties)?;
        Ok(Parquet { out, columns: columns.to_vec(), group: vec![Vec::new(); columns.len()] })
    }

    fn flush(&mut self) -> Result<()> {
        if self.group.first().is_none_or(Vec::is_empty) {
            return Ok(());
        }
        let mut out = self.out.next_row_group()?;
        for ((_, kind), fields) in self.columns.iter().zip(&mut self.group) {
            let fields = std::mem::take(fields);
            match kind {
                Kind::Integer => write::<Int64Type, _>(&mut out, fields, |field| match field {
                    Field::Integer(n) => Some(n),
                    _ => None,
                })?,
                Kind::Float => write::<DoubleType, _>(&mut out, fields, |field| match field {
                    Field::Float(x) => Some(x),
                    _ => None,
                })?,
                Kind::Bool => write::<BoolType, _>(&mut out, fields, |field| match field {
                    Field::Bool(b) => Some(b),
                    _ => None,
                })?,
                Kind::Text => write::<ByteArrayType, _>(&mut out, fields, |field| match field {
                    Field::Text(text) => Some(ByteArray::from(text.into_bytes())),
                    _ => None,
                })?,
            }
        }
        out.close()?;
        Ok(())
    }
}

fn column((name, kind): &Column) -> Result<Arc<Type>> {
    let physical = match kind {
        Kind::Integer => Physical::INT64,
        Kind::Float => Physical::DOUBLE,
        Kind::Bool => Physical::BOOLEAN,
        Kind::Text => Physical::BYTE_ARRAY,
    };
    let logical = (*kind == Kind::Text).then_some(LogicalType::String);
    let column = Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()?;
    Ok(Arc::new(column))
}

/// One column of a group: the values that exist, and for each row whether it has one.
fn write<T: DataType, W: Write + Send>(
    out: &mut SerializedRowGroupWriter<'_, W>,
    fields: Vec<Field>,
    value: impl Fn(Field) -> Option<T::T>,
) -> Result<()> {
    let rows: Vec<Option<T::T>> = fields.into_iter().map(value).collect();
    let present: Vec<i16> = rows.iter().map(|row| i16::from(row.is_some())).collect();
    let values: Vec<T::T> = rows.into_iter().flatten().collect();
    if let Some(mut column) = out.next_column()? {
        column.typed::<T>().write_batch(&values, Some(&present), None)?;
        column.close()?;
    }
    Ok(())
}

impl<W: Write + Send> Sink for Parquet<W> {
    fn row(&mut self, row: &[Field]) -> Result<()> {
        for (column, field) in self.group.iter_mut().zip(row) {
            column.push(field.clone());
        }
        if self.group.first().is_some_and(|column| column.len() >= GROUP) {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn end(mut self: Box<Self>) -> Result<()> {
        self.flush()?;
        self.out.close()?;
        Ok(())
    }
}
