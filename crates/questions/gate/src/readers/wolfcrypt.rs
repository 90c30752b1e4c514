//! wolfSSL's `benchmark`: rates of blocks, and of public-key operations, as text or CSV.

use super::text::{number, rate_of_bytes};
use super::{BREAKS_OFF, Content, Input, Measured, join};

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    let mut block = None;
    let mut csv = "";
    let mut known_version = "";
    for line in input.text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(version) = line.trim().strip_prefix("wolfSSL version ") {
            known_version = version;
            join(&mut content.version, version);
        }
        if let Some((_, rest)) = line.split_once("block bytes ") {
            block = rest.split([',', ' ', ')']).next().and_then(|bytes| bytes.parse().ok());
        } else if line.starts_with("Algorithm,") {
            csv = line;
        } else if let Some(took) =
            words.iter().position(|word| *word == "took").filter(|at| *at > 2)
        {
            csv = "";
            let name = words[..took - 2].join(" ");
            let rate = words.get(took + 3..).unwrap_or_default();
            // The end of the line has the rate.
            let cut = || block.map(|_| Measured::failed(&name, BREAKS_OFF));
            content.results.extend(of_text(&name, rate, known_version, block).or_else(cut));
        } else if !csv.is_empty() && line.contains(',') {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            content.results.extend(of_csv(csv, &cells, block));
        }
    }
    (!content.results.is_empty()).then_some(Ok(content))
}

/// `5060.702 MiB/s Cycles per byte = 0.58`, or `avg 0.061 ms, 16499.123 ops/sec`
fn of_text(name: &str, words: &[&str], version: &str, block: Option<u64>) -> Option<Measured> {
    let pairs = words.windows(2);
    let mut rates =
        pairs.filter_map(|pair| Some((number(pair[0])?, pair[1].trim_end_matches(','))));
    let (rate, unit) = rates.find(|(_, unit)| unit.ends_with("/s") || unit.ends_with("/sec"))?;
    if unit == "ops/sec" {
        return Some(operation(name, rate));
    }
    Some(match scale(unit, version) {
        Ok(scale) => of_block(name, rate * scale, block),
        Err(why) => Measured::failed(name, why),
    })
}

/// The bytes per second of a unit. Until 5.4, `MB` and `KB` are powers of two, and `mB` and `kB`
/// powers of ten; from 5.6.2 on, `MiB` and `MB` are. Between them, releases differ.
fn scale(unit: &str, version: &str) -> Result<f64, String> {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    let version = [(); 3].map(|()| parts.next().flatten());
    let is_known = version[..2].iter().all(Option::is_some);
    let is_old = is_known && version < [Some(5), Some(5), None];
    let is_new = is_known && version >= [Some(5), Some(6), Some(2)];
    match unit {
        "MB/s" if is_old => Ok((1u64 << 20) as f64),
        "KB/s" if is_old => Ok(1024.0),
        "mB/s" if is_old => Ok(1e6),
        "MB/s" | "KB/s" if !is_new => Err(format!(
            "{unit} depends on the version of wolfSSL, which is not known here: use a newer one"
        )),
        _ => rate_of_bytes(unit).ok_or_else(|| format!("its rate is in {unit}")),
    }
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
        if cells.len() == rate + 1 {
            return Some(Measured::failed(&cells[..rate].get(..3)?.join(" "), BREAKS_OFF));
        }
        return Some(operation(
            &cells[..rate.min(cells.len())].get(..3)?.join(" "),
            number(cells.get(rate)?)?,
        ));
    }
    let at = place(header, "MB/s")?;
    let rate = number(cells.get(at)?)?;
    // Each cell has a comma after it.
    if cells.len() == at + 1 {
        return Some(Measured::failed(cells[0], BREAKS_OFF));
    }
    Some(of_block(cells[0], rate * (1u64 << 20) as f64, block))
}

fn place(header: &str, name: &str) -> Option<usize> {
    header.split(',').position(|column| column.trim() == name)
}
