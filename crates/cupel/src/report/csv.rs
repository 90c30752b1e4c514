//! A run as comma-separated values.

use super::cells;
use crate::analyse::Analysis;
use anyhow::Result;

/// One line for each cell, with a header (RFC 4180).
pub fn write(analysis: &Analysis) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in cells::rows(analysis) {
        writer.serialize(row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
