//! wolfSSL's `benchmark`: rates of blocks, and of public-key operations, as text or CSV.

use super::text::{number, rate_of_bytes};
use super::{Content, Input, Measured};

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut results = Vec::new();
    let mut block = None;
    let mut csv = "";
    for line in input.text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some((_, rest)) = line.split_once("block bytes ") {
            block = rest.split([',', ' ', ')']).next().and_then(|bytes| bytes.parse().ok());
        } else if line.starts_with("Algorithm,") {
            csv = line;
        } else if !csv.is_empty() && line.contains(',') {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            results.extend(of_csv(csv, &cells, block));
        } else if let Some(took) =
            words.iter().position(|word| *word == "took").filter(|at| *at > 2)
        {
            csv = "";
            let name = words[..took - 2].join(" ");
            let rate = words.get(took + 3..).unwrap_or_default();
            results.extend(of_text(&name, rate, block));
        }
    }
    (!results.is_empty()).then(|| Ok(Content { results, ..Content::default() }))
}

/// `5060.702 MiB/s Cycles per byte = 0.58`, or `avg 0.061 ms, 16499.123 ops/sec`
fn of_text(name: &str, words: &[&str], block: Option<u64>) -> Option<Measured> {
    let pairs = words.windows(2);
    let mut rates =
        pairs.filter_map(|pair| Some((number(pair[0])?, pair[1].trim_end_matches(','))));
    let (rate, unit) = rates.find(|(_, unit)| unit.ends_with("/s") || unit.ends_with("/sec"))?;
    if unit == "ops/sec" {
        return Some(operation(name, rate));
    }
    Some(match rate_of_bytes(unit) {
        Some(scale) => of_block(name, rate * scale, block),
        None => Measured::failed(name, format!("its rate is in {unit}")),
    })
}

fn operation(name: &str, rate: f64) -> Measured {
    let mut row = Measured::new(name, "mean");
    row.ns = Some(1e9 / rate);
    row
}

/// The time of one block, from bytes per second.
fn of_block(name: &str, rate: f64, block: Option<u64>) -> Measured {
    // They derive a key of a few bytes, of which no block consists.
    if ["PBKDF2", "SCRYPT", "scrypt", "ARGON2"].iter().any(|kdf| name.starts_with(kdf)) {
        return Measured::failed(name, "it derives keys, and its rate is not the time of one");
    }
    let Some(block) = block else {
        return Measured::failed(name, "the line with `block bytes` is missing");
    };
    let mut row = Measured::new(name, "mean");
    row.ns = Some(block as f64 * 1e9 / rate);
    row.bytes = Some(block);
    row.add_size();
    row
}

/// A row of `Algorithm,MB/s,Cycles per byte,`, where MB means MiB, or of `Algorithm,key
/// size,operation,avg ms,ops/sec,`.
fn of_csv(header: &str, cells: &[&str], block: Option<u64>) -> Option<Measured> {
    if let Some(rate) = place(header, "ops/sec") {
        return Some(operation(
            &cells[..rate.min(cells.len())].get(..3)?.join(" "),
            number(cells.get(rate)?)?,
        ));
    }
    let rate = number(cells.get(place(header, "MB/s")?)?)?;
    Some(of_block(cells[0], rate * (1u64 << 20) as f64, block))
}

fn place(header: &str, name: &str) -> Option<usize> {
    header.split(',').position(|column| column.trim() == name)
}
