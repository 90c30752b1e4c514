//! A file with code that a process has mapped: its functions, and which of them belong to a
//! library.

use anyhow::{Context, Result, bail};
use object::elf::PT_LOAD;
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{Endianness, Object as _, ObjectSection, ObjectSymbol, ReadCache, SymbolKind};
use std::collections::HashMap;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

/// An address in the file's own numbering, and the one after the end.
pub type Range = (u64, u64);

/// A function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Where it begins.
    pub at: u64,
    /// How long it is; 0 if that is not known.
    pub bytes: u64,
}

/// The file.
#[derive(Debug)]
pub struct Object {
    /// It stays open: bpftrace reads it by this process's number, whatever its path becomes.
    file: File,
    /// What people call it.
    pub name: String,
    functions: HashMap<String, Function>,
    /// Where parts of it are mapped, and where they lie in the file.
    parts: Vec<(Range, u64)>,
    /// From the first code or data to the last.
    pub whole: Range,
    /// Whether Go compiled it, and passes arguments in registers (since Go 1.18).
    pub is_go: bool,
}

impl Object {
    /// Reads the functions' names.
    ///
    /// # Errors
    /// If it is not a 64-bit ELF file.
    pub fn read(file: File, name: &str) -> Result<Object> {
        let cache = ReadCache::new(&file);
        let elf = ElfFile64::<Endianness, _>::parse(&cache)
            .with_context(|| format!("{name} is not a 64-bit ELF file"))?;
        let mut functions = HashMap::new();
        for symbol in elf.dynamic_symbols().chain(elf.symbols()) {
            // A function in assembly may have no type.
            let is_code = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Label);
            if let (true, true, Ok(word)) = (is_code, symbol.is_definition(), symbol.name()) {
                let function = Function { at: symbol.address(), bytes: symbol.size() };
                functions.entry(word.to_string()).or_insert(function);
            }
        }
        let (mut whole, mut parts) = ((u64::MAX, 0), Vec::new());
        for part in elf.elf_program_headers() {
            let endian = elf.endian();
            if part.p_type(endian) == PT_LOAD {
                let from = part.p_vaddr(endian);
                let to = from.saturating_add(part.p_memsz(endian));
                whole = (whole.0.min(from), whole.1.max(to));
                parts.push(((from, to), part.p_offset(endian)));
            }
        }
        if whole.1 == 0 {
            bail!("{name} has no code");
        }
        let built = elf.section_by_name(".go.buildinfo");
        let start = built.and_then(|section| section.data_range(section.address(), 16).ok()?);
        // Bit 1 of the byte after the pointers' size: its texts follow, as Go 1.18 and later write
        // them.
        let is_go = start.is_some_and(|s| s.starts_with(b"\xff Go buildinf:") && s[15] & 2 != 0);
        drop(elf);
        drop(cache);
        Ok(Object { file, name: name.to_string(), functions, parts, whole, is_go })
    }

    /// A path for another program, without characters that need quotes.
    pub fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd())
    }

    /// A function by its name.
    pub fn function(&self, name: &str) -> Option<Function> {
        self.functions.get(name).copied()
    }

    /// The first bytes of a function's code.
    pub fn code(&self, function: Function) -> [u8; 16] {
        let mut code = [0; 16];
        let part = self.parts.iter().find(|((from, to), _)| (*from..*to).contains(&function.at));
        if let Some(((from, _), offset)) = part {
            // What is not there stays zero, which is not an instruction that anybody looks for.
            let _ = self.file.read_at(&mut code, offset + (function.at - from));
        }
        code
    }

    /// The end of a function: the begin of the next one, if its own size is not known.
    pub fn end(&self, function: Function) -> u64 {
        if function.bytes > 0 {
            return function.at + function.bytes;
        }
        let after = self.functions.values().map(|f| f.at).filter(|at| *at > function.at);
        after.min().unwrap_or(self.whole.1)
    }

    /// The code of a library in C that is linked into a program. A linker leaves the objects of an
    /// archive together: so it reaches from the first function with one of the library's prefixes
    /// to the last one, around `one` of them, and ends where a function of somebody else lies.
    pub fn archive(&self, one: &str, own: &[&str], others: &[&str]) -> Option<Range> {
        let middle = self.function(one)?.at;
        let (mut low, mut high) = (self.whole.0, self.whole.1);
        for (_, function) in self.functions.iter().filter(|(name, _)| begins_with(name, others)) {
            match function.at {
                at if at < middle => low = low.max(at + function.bytes),
                at => high = high.min(at),
            }
        }
        let inside = self.functions.iter().filter(|(name, function)| {
            // The cold parts of functions lie elsewhere.
            begins_with(name, own) && (low..high).contains(&function.at) && !name.contains(".cold")
        });
        let ends = inside.map(|(_, function)| (function.at, self.end(*function)));
        Some(ends.fold((middle, middle), |range, one| (range.0.min(one.0), range.1.max(one.1))))
    }

    /// The code of all functions whose name is wanted, neighbours together.
    pub fn code_of(&self, wanted: impl Fn(&str) -> bool) -> Vec<Range> {
        let mut all: Vec<(Function, bool)> =
            self.functions.iter().map(|(name, function)| (*function, wanted(name))).collect();
        all.sort_by_key(|(function, _)| function.at);
        let mut ranges: Vec<Range> = Vec::new();
        let mut was_wanted = false;
        for (function, is_wanted) in all {
            let end = function.at + function.bytes;
            match ranges.last_mut() {
                Some(last) if is_wanted && was_wanted => last.1 = last.1.max(end),
                _ if is_wanted => ranges.push((function.at, end)),
                _ => {}
            }
            was_wanted = is_wanted;
        }
        ranges
    }
}

fn begins_with(name: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}
