//! Which function of which object each instruction of a trail belongs to. Objects are the files
//! that the process has mapped. Their symbols have the names of functions: a stripped library names
//! only the functions that it exports.

use super::single::{Moment, Trail};
use super::{Function, Spent};
use cupel_base::strange;
use iced_x86::{Decoder, DecoderOptions, FlowControl};
use object::read::elf::ElfFile64;
use object::{Object, ObjectSegment, ObjectSymbol, ReadCache, SymbolKind};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// A mapping begins at a multiple of it.
const PAGE: u64 = 4096;

/// The symbols of the objects of one process. Each object is read once.
#[derive(Default)]
pub struct Symbols {
    tables: HashMap<String, Table>,
}

/// A part of a process's memory.
#[derive(Debug, PartialEq)]
struct Mapping {
    start: u64,
    end: u64,
    /// The offset of `start` in the file.
    offset: u64,
    /// The path of the file, or the kernel's name for memory without a file; empty without one.
    path: String,
}

/// The code in an object.
#[derive(Default)]
struct Table {
    segments: Vec<Segment>,
    /// By ascending address.
    functions: Vec<Symbol>,
}

struct Segment {
    offset: u64,
    size: u64,
    address: u64,
}

struct Symbol {
    address: u64,
    /// 0 if the object does not have it.
    size: u64,
    name: String,
}

/// The facts about an address.
struct Place {
    /// Its function, by number.
    function: usize,
    /// Whether the function begins here.
    begins: bool,
    /// Whether its instruction is a call.
    calls: bool,
}

/// A call that has not returned yet.
struct Frame {
    function: usize,
    /// Where its return address is.
    stack: u64,
    /// Its instructions with its callees'.
    spent: u64,
    /// Whether the function had not returned from another call.
    nested: bool,
}

impl Symbols {
    /// The instructions of each function on the trail of a process, which still has the mappings of
    /// then.
    pub fn spent(&mut self, process: u32, trail: &Trail) -> BTreeMap<Function, Spent> {
        let maps = Mapping::all(process);
        spent(trail, &mut |address| self.function(&maps, address))
    }

    /// The function at an address, and whether it begins there. A runner moves the code of its
    /// objects to pages without a file, but leaves it at its addresses: the nearest part of a file
    /// before it shows which file that is.
    fn function(&mut self, maps: &[Mapping], address: u64) -> (Function, bool) {
        let at_run_time = || {
            let object = Function::AT_RUN_TIME.to_string();
            (Function { object, name: None }, false)
        };
        let after = maps.partition_point(|map| map.start <= address);
        let Some(map) = maps[..after].iter().rfind(|map| !map.path.is_empty()) else {
            return at_run_time();
        };
        let path = map.path.as_str();
        let table = self.tables.entry(path.to_string()).or_insert_with(|| Table::read(path));
        let there = table.address(map.offset).map(|start| start + (address - map.start));
        let is_in = there.is_some_and(|address| table.has(address));
        if !is_in && address >= map.end {
            return at_run_time();
        }
        let symbol = there.and_then(|address| table.at(address));
        let begins = symbol.is_some_and(|(_, begins)| begins);
        let name = symbol.map(|(symbol, _)| symbol.name.clone());
        let file = path.rsplit(std::path::MAIN_SEPARATOR).next().unwrap_or(path);
        (Function { object: file.to_string(), name }, begins)
    }
}

/// The instructions of each function. `function` finds the one at an address, and whether it begins
/// there.
fn spent(
    trail: &Trail,
    function: &mut dyn FnMut(u64) -> (Function, bool),
) -> BTreeMap<Function, Spent> {
    let mut numbers: BTreeMap<Function, usize> = BTreeMap::new();
    let mut places: HashMap<u64, Place> = HashMap::new();
    for (&at, step) in &trail.steps {
        let (function, begins) = function(at);
        let next = numbers.len();
        let function = *numbers.entry(function).or_insert(next);
        let decoded = Decoder::new(64, &step.bytes, DecoderOptions::NONE).decode();
        let calls = matches!(decoded.flow_control(), FlowControl::Call | FlowControl::IndirectCall);
        places.insert(at, Place { function, begins, calls });
    }
    let mut all = vec![Spent::default(); numbers.len()];
    let mut frames: Vec<Frame> = Vec::new();
    let mut before: Option<Moment> = None;
    for moment in &trail.path {
        // The caller of the rest has returned if its return address is no longer on the stack.
        while frames.last().is_some_and(|frame| frame.stack < moment.stack) {
            leave(&mut frames, &mut all);
        }
        let place = &places[&moment.at];
        let is_called =
            before.is_some_and(|b| places[&b.at].calls && b.stack == moment.stack.wrapping_add(8));
        // A jump to the beginning of another function is a call, too: it returns for the first one.
        let is_jumped_to = place.begins
            && frames.last().is_some_and(|frame| {
                frame.stack == moment.stack && frame.function != place.function
            });
        if is_called || is_jumped_to {
            all[place.function].calls += 1;
            let nested = frames.iter().any(|frame| frame.function == place.function);
            frames.push(Frame { function: place.function, stack: moment.stack, spent: 0, nested });
        }
        all[place.function].own += 1;
        if let Some(frame) = frames.last_mut() {
            frame.spent += 1;
        }
        before = Some(*moment);
    }
    while !frames.is_empty() {
        leave(&mut frames, &mut all);
    }
    numbers.into_iter().map(|(function, number)| (function, all[number])).collect()
}

/// Ends the innermost call.
fn leave(frames: &mut Vec<Frame>, all: &mut [Spent]) {
    let Some(frame) = frames.pop() else { return };
    if !frame.nested {
        all[frame.function].with_callees += frame.spent;
    }
    if let Some(caller) = frames.last_mut() {
        caller.spent += frame.spent;
    }
}

impl Mapping {
    /// The mappings of a process by ascending address; none if it has ended.
    fn all(process: u32) -> Vec<Mapping> {
        let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
        maps.lines().filter_map(Mapping::parse).collect()
    }

    /// A line of a process's `maps`.
    fn parse(line: &str) -> Option<Mapping> {
        let mut words = line.splitn(6, ' ');
        let (start, end) = words.next()?.split_once('-')?;
        let offset = words.nth(1)?;
        let path = words.nth(2).unwrap_or_default().trim_start();
        let hex = |text| u64::from_str_radix(text, 16).ok();
        Some(Mapping {
            start: hex(start)?,
            end: hex(end)?,
            offset: hex(offset)?,
            path: path.into(),
        })
    }
}

impl Table {
    /// The functions of a file; none if it is not an object.
    fn read(path: &str) -> Table {
        let Ok(file) = strange::open(Path::new(path)) else { return Table::default() };
        let cache = ReadCache::new(file);
        let Ok(object) = ElfFile64::<object::Endianness, _>::parse(&cache) else {
            return Table::default();
        };
        let segments = object.segments().map(|segment| {
            let (offset, size) = segment.file_range();
            Segment { offset, size, address: segment.address() }
        });
        let symbols = object.symbols().chain(object.dynamic_symbols());
        let symbols = symbols.filter(|s| s.is_definition() && s.kind() == SymbolKind::Text);
        let mut functions: Vec<Symbol> = symbols
            .filter_map(|symbol| {
                let name = format!("{:#}", rustc_demangle::demangle(symbol.name().ok()?));
                Some(Symbol { address: symbol.address(), size: symbol.size(), name })
            })
            .collect();
        // The shortest of several names of one function is the one that people call it by.
        functions.sort_by(|a, b| {
            let key = |s: &Symbol| (s.address, s.size == 0, s.name.len());
            key(a).cmp(&key(b)).then_with(|| a.name.cmp(&b.name))
        });
        functions.dedup_by_key(|symbol| symbol.address);
        Table { segments: segments.collect(), functions }
    }

    /// The address of an offset in the file at which a mapping begins, which is the beginning of a
    /// page.
    fn address(&self, offset: u64) -> Option<u64> {
        let of = |s: &&Segment| (s.offset & !(PAGE - 1)..s.offset + s.size).contains(&offset);
        self.segments.iter().find(of).map(|s| s.address.wrapping_add(offset).wrapping_sub(s.offset))
    }

    fn has(&self, address: u64) -> bool {
        self.segments.iter().any(|s| (s.address..s.address + s.size).contains(&address))
    }

    /// The function at an address, and whether it begins there.
    fn at(&self, address: u64) -> Option<(&Symbol, bool)> {
        let after = self.functions.partition_point(|symbol| symbol.address <= address);
        let symbol = &self.functions[after.checked_sub(1)?];
        let is_in = symbol.size == 0 || address < symbol.address + symbol.size;
        (is_in && self.has(address)).then_some((symbol, symbol.address == address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::single::{Step, steps};
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};

    const NOP: &[u8] = &[0x90];
    const CALL: &[u8] = &[0xe8, 0, 0, 0, 0];
    const JUMP: &[u8] = &[0xff, 0xe0];
    const RETURN: &[u8] = &[0xc3];

    /// A trail of instructions at these addresses, with these stack pointers.
    fn trail(path: &[(u64, &[u8], u64)]) -> Trail {
        let mut trail = Trail::default();
        for &(at, code, stack) in path {
            let mut bytes = [0; 15];
            bytes[..code.len()].copy_from_slice(code);
            trail.steps.entry(at).or_insert(Step { bytes, times: 0 }).times += 1;
            trail.path.push(Moment { at, stack });
        }
        trail
    }

    /// The functions begin at multiples of 100, and are called by that number.
    fn spent_on(path: &[(u64, &[u8], u64)]) -> Vec<(String, Spent)> {
        let mut function = |at: u64| {
            let name = Some((at / 100).to_string());
            (Function { object: "o".into(), name }, at.is_multiple_of(100))
        };
        let spent = spent(&trail(path), &mut function);
        spent.into_iter().map(|(function, spent)| (function.name.unwrap(), spent)).collect()
    }

    fn expected(all: &[(&str, u64, u64, u64)]) -> Vec<(String, Spent)> {
        let one = |&(name, own, with_callees, calls): &(&str, _, _, _)| {
            (name.to_string(), Spent { own, with_callees, calls })
        };
        all.iter().map(one).collect()
    }

    #[test]
    fn what_a_function_calls_is_its_own_until_it_returns() {
        let path: &[(u64, &[u8], u64)] = &[
            (110, CALL, 80),
            (200, CALL, 72),
            (300, NOP, 64),
            (301, RETURN, 64),
            (205, RETURN, 72),
            (115, NOP, 80),
        ];
        assert_eq!(spent_on(path), expected(&[("1", 2, 0, 0), ("2", 2, 4, 1), ("3", 2, 2, 1)]));
    }

    /// As it is with every call of another object, and with the last call of a function.
    #[test]
    fn a_jump_to_the_beginning_of_a_function_is_a_call() {
        let path: &[(u64, &[u8], u64)] = &[
            (110, CALL, 80),
            (250, JUMP, 72),
            (300, NOP, 72),
            (301, RETURN, 72),
            (115, NOP, 80),
            (120, JUMP, 80),
        ];
        assert_eq!(spent_on(path), expected(&[("1", 3, 0, 0), ("2", 1, 3, 1), ("3", 2, 2, 1)]));
        // A loop is none.
        let path: &[(u64, &[u8], u64)] =
            &[(110, CALL, 80), (200, NOP, 72), (201, JUMP, 72), (200, NOP, 72), (201, RETURN, 72)];
        assert_eq!(spent_on(path), expected(&[("1", 1, 0, 0), ("2", 4, 4, 1)]));
    }

    #[test]
    fn a_function_that_calls_itself_is_counted_once() {
        let path: &[(u64, &[u8], u64)] = &[
            (110, CALL, 80),
            (200, CALL, 72),
            (200, NOP, 64),
            (206, RETURN, 64),
            (205, RETURN, 72),
        ];
        assert_eq!(spent_on(path), expected(&[("1", 1, 0, 0), ("2", 4, 4, 2)]));
    }

    #[test]
    fn a_mapping_has_its_file() {
        let line = "7f00-7f80 r-xp 00001000 fe:01 1234                       /usr/lib/a b.so";
        let expected =
            Mapping { start: 0x7f00, end: 0x7f80, offset: 0x1000, path: "/usr/lib/a b.so".into() };
        assert_eq!(Mapping::parse(line), Some(expected));
        let none = Mapping::parse("7f00-7f80 rwxp 00000000 00:00 0 ").unwrap();
        assert_eq!(none.path, "");
        assert_eq!(Mapping::parse("nothing"), None);
    }

    #[test]
    fn an_address_after_the_end_of_a_function_is_in_none() {
        let segment = |offset, size, address| Segment { offset, size, address };
        let symbol = |address, size, name: &str| Symbol { address, size, name: name.into() };
        let table = Table {
            segments: vec![segment(0, 0x800, 0), segment(0x1100, 0x1000, 0x5100)],
            functions: vec![symbol(0x5100, 0x10, "sized"), symbol(0x5200, 0, "open")],
        };
        assert_eq!((table.address(0), table.address(0x1000)), (Some(0), Some(0x5000)));
        let at = |address| table.at(address).map(|(symbol, begins)| (symbol.name.as_str(), begins));
        assert_eq!(at(0x5100), Some(("sized", true)));
        assert_eq!(at(0x510f), Some(("sized", false)));
        assert_eq!(at(0x5110), None);
        assert_eq!(at(0x60ff), Some(("open", false)));
        assert_eq!((at(0x50ff), at(0x6100)), (None, None));
    }

    #[test]
    fn code_that_was_moved_from_its_file_keeps_its_function() {
        let map =
            |start, end, offset, path: &str| Mapping { start, end, offset, path: path.into() };
        let maps = [
            map(0x70000, 0x71000, 0, "/o/lib.so"),
            map(0x71000, 0x73000, 0, ""),
            map(0x73000, 0x74000, 0x3000, "/o/lib.so"),
            map(0x80000, 0x90000, 0, ""),
            map(0xa0000, 0xb0000, 0, "[vdso]"),
        ];
        let mut symbols = Symbols::default();
        let table = Table {
            segments: vec![Segment { offset: 0, size: 0x4000, address: 0x10000 }],
            functions: vec![Symbol { address: 0x11800, size: 0x10, name: "f".into() }],
        };
        symbols.tables.insert("/o/lib.so".into(), table);
        let mut of = |address| {
            let (function, begins) = symbols.function(&maps, address);
            (function.object, function.name.unwrap_or_default(), begins)
        };
        let said =
            |object: &str, name: &str, begins| (object.to_string(), name.to_string(), begins);
        assert_eq!(of(0x71800), said("lib.so", "f", true));
        assert_eq!(of(0x73100), said("lib.so", "", false));
        assert_eq!(of(0x80000), said(Function::AT_RUN_TIME, "", false));
        assert_eq!(of(0xa0010), said("[vdso]", "", false));
        assert_eq!(of(0x10), said(Function::AT_RUN_TIME, "", false));
    }

    #[test]
    fn code_of_this_process_has_its_name_where_it_was_moved() {
        let function = cupel_protocol::own_pages::own_pages;
        function().unwrap();
        let maps = Mapping::all(std::process::id());
        let found = Symbols::default().function(&maps, function as *const () as u64);
        assert!(
            found.1 && found.0.name.as_ref().is_some_and(|n| n.contains("own_pages")),
            "{found:?}"
        );
    }

    #[test]
    fn the_functions_of_a_process_have_names() {
        let mut cat =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut to, mut from) = (cat.stdin.take().unwrap(), cat.stdout.take().unwrap());
        let mut echo = || to.write_all(b"x").and_then(|()| from.read_exact(&mut [0])).unwrap();
        // It is ready once it has answered.
        echo();
        let trail = steps(cat.id(), cat.id(), 1_000_000, &mut echo).1.ok().unwrap();
        let spent = Symbols::default().spent(cat.id(), &trail);
        drop(to);
        cat.wait().unwrap();
        let own: u64 = spent.values().map(|spent| spent.own).sum();
        assert_eq!(own, trail.path.len() as u64);
        let writes =
            spent.iter().filter(|(f, _)| f.name.as_ref().is_some_and(|n| n.contains("write")));
        let calls: Vec<u64> = writes.map(|(_, spent)| spent.calls).collect();
        assert_eq!(calls, [1], "{spent:#?}");
    }
}
