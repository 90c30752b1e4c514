//! Names addresses of a process: the file that is mapped there, the function, and the offset.

use cupel_base::strange;
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};
use std::ops::Range;
use std::path::{MAIN_SEPARATOR, PathBuf};

/// A place in the code of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file; empty if the code belongs to none.
    pub file: PathBuf,
    /// The address in the file, as disassemblers print it; in the process, if there is no file.
    pub address: u64,
    /// The function around it, if the file names it.
    pub function: Option<String>,
}

/// The mappings of a process.
#[derive(Debug, Default)]
pub struct Places(Vec<Mapping>);

#[derive(Debug, PartialEq)]
struct Mapping {
    addresses: Range<u64>,
    /// Where it begins in the file.
    offset: u64,
    file: PathBuf,
}

impl Places {
    /// The present mappings of a process.
    pub fn read(process: u32) -> Places {
        let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
        Places(maps.lines().filter_map(mapping).collect())
    }

    /// The parts of a process's memory in which the kernel keeps clocks that it may read without a
    /// system call.
    pub fn clocks(process: u32) -> Vec<Range<u64>> {
        let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
        maps.lines().filter(|line| line.contains("[vvar")).filter_map(addresses).collect()
    }

    /// These, and where there are none, others.
    pub fn or(mut self, others: Places) -> Places {
        self.0.extend(others.0);
        self
    }

    /// The place of an address.
    pub fn place(&self, at: u64) -> Place {
        let nowhere = Place { file: PathBuf::new(), address: at, function: None };
        let Some(mapping) = self.0.iter().find(|one| one.addresses.contains(&at)) else {
            return nowhere;
        };
        let offset = at - mapping.addresses.start + mapping.offset;
        let file = mapping.file.clone();
        // The runner has chosen its mappings, and may have put something else in their place.
        let bytes = strange::bytes(&file, strange::MOST_SOURCE).ok();
        let named = bytes.and_then(|bytes| named(&bytes, offset));
        match named {
            Some((address, function)) => Place { file, address, function },
            None => Place { file, address: offset, function: None },
        }
    }
}

/// A line of `/proc/PID/maps` that is about a file.
fn mapping(line: &str) -> Option<Mapping> {
    let file = &line[line.find(MAIN_SEPARATOR)?..];
    let offset = line.split_ascii_whitespace().nth(2)?;
    let offset = u64::from_str_radix(offset, 16).ok()?;
    Some(Mapping { addresses: addresses(line)?, offset, file: PathBuf::from(file) })
}

/// The addresses of a line of `/proc/PID/maps`.
fn addresses(line: &str) -> Option<Range<u64>> {
    let (start, end) = line.split(' ').next()?.split_once('-')?;
    let [start, end] = [start, end].map(|hex| u64::from_str_radix(hex, 16).ok());
    Some(start?..end?)
}

/// The address that an offset of a file has, and the function around it.
fn named(bytes: &[u8], offset: u64) -> Option<(u64, Option<String>)> {
    let file = object::File::parse(bytes).ok()?;
    let address = file.segments().find_map(|segment| {
        let (start, size) = segment.file_range();
        let after = within(start, size, offset)?;
        Some(segment.address().wrapping_add(after))
    })?;
    let symbols = file.symbols().chain(file.dynamic_symbols());
    let mut around = symbols.filter(|symbol| {
        let code = symbol.kind() == SymbolKind::Text;
        code && within(symbol.address(), symbol.size(), address).is_some()
    });
    let name = around.next().and_then(|symbol| symbol.name().ok());
    Some((address, name.map(|name| format!("{:#}", rustc_demangle::demangle(name)))))
}

/// How far a value lies behind the start of a range of this size, if it is in it. A file may claim
/// ranges beyond all numbers.
fn within(start: u64, size: u64, value: u64) -> Option<u64> {
    value.checked_sub(start).filter(|after| *after < size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    #[unsafe(no_mangle)]
    extern "C" fn a_function_to_be_found() -> u32 {
        7
    }

    /// The code of this process may have been moved to pages of no file by another test.
    #[test]
    fn an_address_is_in_a_function_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runner");
        std::fs::copy(std::env::current_exe().unwrap(), &path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let exe = object::File::parse(&*bytes).unwrap();
        let found = exe.symbols().find(|symbol| symbol.name() == Ok("a_function_to_be_found"));
        let start = found.unwrap().address();
        assert_eq!(a_function_to_be_found(), 7);
        let segment = exe.segments().find(|segment| {
            (segment.address()..segment.address() + segment.size()).contains(&start)
        });
        let segment = segment.unwrap();
        let offset = start - segment.address() + segment.file_range().0;
        let maps = format!("7f0000001000-7f00ffffffff r-xp 0 fe:00 12  {}", path.display());
        let places = Places(vec![mapping(&maps).unwrap()]);
        let place = places.place(0x7f00_0000_1000 + offset);
        assert_eq!((&place.file, place.address), (&path, start));
        assert_eq!(place.function.as_deref(), Some("a_function_to_be_found"));
        // A runner maps any file: its code may lie in pages of `/dev/zero`, which has no end.
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(strange::MOST_SOURCE + 1).unwrap();
        assert_eq!(places.place(0x7f00_0000_1000 + offset).function, None);
        let nowhere = Place { file: "".into(), address: 5, function: None };
        assert_eq!(Places::default().or(places).place(5), nowhere);
        assert_eq!(mapping("7f00-7f01 r-xp 00000000 00:00 0 "), None);
    }

    #[test]
    fn a_range_may_end_beyond_all_numbers() {
        assert_eq!(within(5, 2, 6), Some(1));
        assert_eq!([within(5, 2, 7), within(5, 2, 4), within(5, 0, 5)], [None; 3]);
        assert_eq!(within(u64::MAX - 1, u64::MAX, u64::MAX), Some(1));
        assert_eq!(within(u64::MAX - 1, 9, 1), None);
    }
}
