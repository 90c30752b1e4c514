//! Reads the file that a tracer keeps for one process. `tracer/file.h` has its form. The traced
//! program could have written anything into it, so nothing in it is believed without a check.

use super::calls::{Calls, Kind, Pieces, Time, language_of};
use cupel_base::text::plain;
use cupel_protocol::workload::Operation;

const MAGIC: &[u8] = b"cupeltr2";
const HEADER: usize = 4096;
const NAMES: usize = 120;
const NAME: usize = 32;
const HEAD: usize = 128;
const SLOT: usize = 24;

/// Adds the counts of one process. Returns whether it called a function of the library.
///
/// # Errors
/// If it is not such a file, in words for a person.
pub fn read(bytes: &[u8], calls: &mut Calls) -> Result<bool, String> {
    let header = bytes.get(..HEADER).ok_or("it is too short")?;
    if !header.starts_with(MAGIC) {
        return Err("it is not a tracer's file".into());
    }
    let family = text(&header[32..48]);
    let caller = Caller { language: language_of(&text(&header[48..80])), library: &family };
    let page = number(header, 12, 4) as usize;
    if !page.is_power_of_two() || !(HEADER..=1 << 20).contains(&page) || family.is_empty() {
        return Err("its header makes no sense".into());
    }
    let names: Vec<String> =
        (0..NAMES).map(|i| text(&header[HEADER - (NAMES - i) * NAME..][..NAME])).collect();
    calls.lost = calls.lost.saturating_add(number(header, 16, 8));
    calls.rounded = calls.rounded.saturating_add(number(header, 24, 8));
    let (mut at, mut called) = (page, false);
    while let Some(head) = bytes.get(at..at + HEAD) {
        let slots = number(head, 4, 4) as usize;
        // A process that was killed while it made a table leaves an empty end.
        if &head[..4] != b"TABL" {
            break;
        }
        let end = slots.checked_mul(SLOT).and_then(|n| n.checked_add(at + HEAD));
        let table =
            end.and_then(|end| bytes.get(at + HEAD..end)).ok_or("a table ends too early")?;
        called = true;
        for (i, time) in [&mut calls.time, &mut calls.other_time].into_iter().enumerate() {
            let values = [0, 1, 2, 3, 4].map(|field| number(head, 8 + i * 40 + field * 8, 8));
            let [exact_ns, sampled_ns, samples, _disturbed, calls] = values;
            time.push(Time { exact_ns, sampled_ns, samples, calls });
        }
        for slot in table.chunks_exact(SLOT) {
            let [key, shape, count] = [0, 8, 16].map(|at| number(slot, at, 8));
            if key >> 63 == 1 && count > 0 {
                take(Slot { key, shape, count }, &caller, &names, calls)?;
            }
        }
        at += (HEAD + slots * SLOT).div_ceil(page) * page;
    }
    Ok(called)
}

/// The caller, and the called library.
struct Caller<'a> {
    language: Option<&'static str>,
    library: &'a str,
}

struct Slot {
    key: u64,
    shape: u64,
    count: u64,
}

fn take(
    Slot { key, shape, count }: Slot,
    caller: &Caller<'_>,
    names: &[String],
    calls: &mut Calls,
) -> Result<(), String> {
    let name = names.get((key >> 41 & 0x7f) as usize).filter(|name| !name.is_empty());
    let name = name.ok_or("a count has no name")?;
    let operation = match key >> 48 & 7 {
        1 => Some(Operation::Digest),
        2 => Some(Operation::Mac),
        3 => Some(Operation::Seal),
        4 => Some(Operation::Open),
        _ => None,
    };
    let Some(operation) = operation.filter(|_| !name.starts_with('?')) else {
        calls.unknown(caller.library, name.trim_start_matches('?'), count);
        return Ok(());
    };
    let (bytes, pieces) = (key & ((1 << 41) - 1), shape >> 32);
    let kind = Kind {
        library: caller.library.to_string(),
        language: caller.language,
        primitive: name.clone(),
        operation: operation.name(),
        pieces: Pieces::from_count(bytes, pieces),
        ad: operation.is_aead().then_some(shape as u32),
        key: [None, Some("kept"), Some("per-call"), None][(key >> 53 & 3) as usize],
    };
    calls.add_in_pieces(kind, bytes, pieces, count);
    Ok(())
}

fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
    bytes[at..at + length].iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte))
}

/// A name, until its first zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    plain(&String::from_utf8_lossy(&bytes[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with one table of these slots.
    fn file(slots: &[(u64, u64)]) -> Vec<u8> {
        let mut bytes = vec![0; HEADER + HEAD];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[12..16].copy_from_slice(&4096u32.to_le_bytes());
        bytes[32..39].copy_from_slice(b"openssl");
        bytes[256..262].copy_from_slice(b"sha256");
        bytes[256 + NAME..][..9].copy_from_slice(b"?SM3\x1b[31m");
        bytes[HEADER..HEADER + 4].copy_from_slice(b"TABL");
        bytes[HEADER + 4..HEADER + 8].copy_from_slice(&(slots.len() as u32).to_le_bytes());
        for (key, count) in slots {
            bytes.extend(key.to_le_bytes());
            bytes.extend((1u64 << 32).to_le_bytes());
            bytes.extend(count.to_le_bytes());
        }
        bytes
    }

    const DIGEST: u64 = 1 << 63 | 1 << 48;
    const UNKNOWN: u64 = 1 << 63 | 1 << 41;

    #[test]
    fn counts_are_read_and_a_name_cannot_control_the_terminal() {
        let mut calls = Calls::default();
        let one = file(&[(DIGEST | 64, 5), (0, 9), (UNKNOWN, 2)]);
        assert_eq!(read(&one, &mut calls), Ok(true));
        assert_eq!(read(&one, &mut calls), Ok(true));
        let entries: Vec<_> = calls.entries().collect();
        assert_eq!(entries.len(), 1);
        assert_eq!((entries[0].0.primitive.as_str(), entries[0].1[&64]), ("sha256", 10));
        let unknown: Vec<_> = calls.others().collect();
        assert_eq!(unknown.len(), 1);
        assert!(unknown[0].1.starts_with("SM3") && !unknown[0].1.contains('\u{1b}'));
        assert_eq!(unknown[0].2, 4);
    }

    #[test]
    fn a_damaged_file_is_refused_and_never_read_beyond_its_end() {
        let whole = file(&[(DIGEST | 64, 5)]);
        for length in 0..whole.len() {
            let _ = read(&whole[..length], &mut Calls::default());
        }
        assert!(read(&whole[..whole.len() - 1], &mut Calls::default()).is_err());
        let mut huge = whole.clone();
        huge[HEADER + 4..HEADER + 8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read(&huge, &mut Calls::default()).is_err());
        let nameless = file(&[(DIGEST | 7 << 41, 1)]);
        assert!(read(&nameless, &mut Calls::default()).is_err());
        let mut page = whole;
        page[12..16].copy_from_slice(&0u32.to_le_bytes());
        assert!(read(&page, &mut Calls::default()).is_err());
    }
}
