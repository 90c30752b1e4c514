//! Cryptographic code in the traced processes whose calls cannot be counted, because it is inside a
//! program or module, or in another library. `tracer/process.c` lists their files.

use crate::calls::language_of;
use crate::list::List;
use memchr::memmem;
use object::elf::PT_INTERP;
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Larger files are not searched. Browsers have some 300 MB.
const MOST_BYTES: u64 = 512 << 20;

/// The libraries whose calls are counted, and system libraries that have constants of ciphers for
/// other purposes, such as its passwords. A JVM's agent counts its calls, also of providers with
/// libraries.
const NOT_SEARCHED: [&str; 12] = [
    "libcrypto.so.3",
    "libgcrypt.so.20",
    "libssl.so.3",
    "libcrypt.so.",
    "libc.so.",
    "ld-linux",
    "libm.so.",
    "libstdc++.so.",
    "libgcc_s.so.",
    "libjvm.so",
    "libconscrypt",
    "libamazonCorretto",
];

/// Other libraries, by the begin of their file's name.
const LIBRARIES: [(&str, &str); 16] = [
    ("libcrypto.so.1.", "OpenSSL 1"),
    ("libcrypto-", "OpenSSL"),
    ("libcrypto.so", "another libcrypto"),
    ("libnettle.so", "Nettle"),
    ("libgnutls.so", "GnuTLS"),
    ("libsodium.so", "libsodium"),
    ("libmbedcrypto.so", "Mbed TLS"),
    ("libtfpsacrypto.so", "Mbed TLS"),
    ("libwolfssl.so", "wolfSSL"),
    ("libbotan-", "Botan"),
    ("libcrypto++", "Crypto++"),
    ("libcryptopp", "Crypto++"),
    ("libfreebl", "NSS"),
    ("libb2.so", "libb2"),
    ("libtomcrypt", "LibTomCrypt"),
    ("libgcrypt.so", "another libgcrypt"),
];

/// Text that the code of a library has in it, also if its symbols were stripped.
const MARKS: [(&str, &str); 6] = [
    ("AWS-LC", "AWS-LC"),
    ("BoringSSL", "BoringSSL"),
    ("/ring-0.", "Rust's ring"),
    ("/ring-core/", "Rust's ring"),
    ("Mbed TLS ", "Mbed TLS"),
    ("CRYPTOGAMS by ", "OpenSSL"),
];

/// Rust's crates, whose sources a program names where it may panic.
const CRATES: [&str; 9] = [
    "/sha2-0.",
    "/sha1-0.",
    "/sha3-0.",
    "/blake2-0.",
    "/blake3-1.",
    "/aes-gcm-0.",
    "/chacha20poly1305-0.",
    "/aws-lc-rs-1.",
    "/graviola-0.",
];

/// Constants that code of SHA-256, BLAKE2s and BLAKE3 has in its memory: the first of SHA-256's rounds,
/// and the state with which all of them begin.
const CONSTANTS: [[u32; 4]; 2] = [
    [0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5],
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a],
];

/// The code whose calls cannot be counted in the processes of a list, in words: `OpenSSL inside node`.
pub fn uncounted(list: &List, tracer: &Path) -> Vec<String> {
    let mut all = BTreeSet::new();
    for path in list.loaded.iter().filter(|path| !list.started.contains(*path)) {
        all.extend(inside(path, tracer, false));
    }
    for path in &list.started {
        let found = inside(path, tracer, true);
        let is_untraced = list.untraced.contains(path);
        let whole = || format!("all of {} (it could not be traced)", name_of(path));
        all.extend(found.or_else(|| is_untraced.then(whole)));
    }
    let spaces = list.in_namespaces.iter();
    all.extend(spaces.map(|path| format!("{} in a namespace of dlmopen", name_of(path))));
    let jvms = list.without_agent.iter();
    all.extend(jvms.map(|path| format!("the JVM of {} (without the agent)", name_of(path))));
    all.into_iter().collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The cryptographic code inside a file. A file that was only started may be a program that cannot
/// be traced.
fn inside(path: &Path, tracer: &Path, is_started: bool) -> Option<String> {
    // Only the process can open a file of another name.
    if !path.is_absolute() || path.starts_with("/proc") || path.starts_with(tracer) {
        return None;
    }
    let path = &std::fs::canonicalize(path).unwrap_or(path.to_path_buf());
    let name = name_of(path);
    if NOT_SEARCHED.iter().any(|known| name.starts_with(known)) {
        return None;
    }
    if let Some((_, library)) = LIBRARIES.iter().find(|(begin, _)| name.starts_with(begin)) {
        return Some(format!("{library} ({name})"));
    }
    if is_started && std::fs::metadata(path).is_ok_and(|meta| meta.mode() & 0o6000 != 0) {
        return Some(format!("all of {name} (setuid or setgid)"));
    }
    let mut file = File::open(path).ok()?;
    let mut magic = [0; 4];
    file.read_exact(&mut magic).ok()?;
    if magic != *b"\x7fELF" || file.metadata().ok()?.len() > MOST_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    let elf = ElfFile64::<Endianness, _>::parse(&*bytes).ok()?;
    if let Some(library) = library_in(&elf).or_else(|| marked(&bytes)) {
        return Some(format!("{library} inside {name}"));
    }
    let headers = elf.elf_program_headers();
    let is_library = name.contains(".so");
    if is_started && !is_library && !headers.iter().any(|p| p.p_type(elf.endian()) == PT_INTERP) {
        return Some(format!("all of {name} (static)"));
    }
    (may_use_a_table(path, &name, is_library) && has_constants(&bytes))
        .then(|| format!("a hash function inside {name}"))
}

/// Whether code of a hash function is in a file, as all machines here have their words.
fn has_constants(bytes: &[u8]) -> bool {
    CONSTANTS.iter().any(|words| {
        let words: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memmem::find(bytes, &words).is_some()
    })
}

/// A library whose symbols a file defines, or whose language has one.
fn library_in<'a>(elf: &ElfFile64<'a, Endianness, &'a [u8]>) -> Option<&'static str> {
    if elf.section_by_name(".go.buildinfo").is_some() {
        return Some("Go's own packages");
    }
    let mut own = elf.dynamic_symbols().chain(elf.symbols()).filter(ObjectSymbol::is_definition);
    own.find_map(|symbol| match symbol.name() {
        Ok("EVP_DigestUpdate" | "SHA256_Update") => Some("OpenSSL"),
        Ok("gcry_md_write") => Some("libgcrypt"),
        _ => None,
    })
}

/// A library that left its text in a file.
fn marked(bytes: &[u8]) -> Option<&'static str> {
    let library = MARKS.iter().find(|(mark, _)| has(bytes, mark)).map(|(_, library)| *library);
    library.or_else(|| CRATES.iter().any(|name| has(bytes, name)).then_some("Rust's crates"))
}

fn has(bytes: &[u8], text: &str) -> bool {
    memmem::find(bytes, text.as_bytes()).is_some()
}

/// Whether such constants in a file are there to be used. Python prefers OpenSSL's to those that it
/// has, and libraries of the system have some for other purposes.
fn may_use_a_table(path: &Path, name: &str, is_library: bool) -> bool {
    let text = path.to_string_lossy();
    if language_of(name) == Some("python") || text.contains("/lib-dynload/") {
        return false;
    }
    let of_system = ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"];
    let is_module = ["-packages/", "/perl/", "/perl5/", "/node_modules/", "/ruby/"];
    !is_library
        || !of_system.iter().any(|folder| text.starts_with(folder))
        || is_module.iter().any(|folder| text.contains(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_with_what_is_inside_and_the_counted_ones_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("tracer")).unwrap();
        for name in ["libcrypto.so.3", "libnettle.so.8", "libcrypto.so.1.1", "tracer/libnettle.so"]
        {
            std::fs::write(at(name), "").unwrap();
        }
        std::fs::write(at("script"), "#!/bin/sh\nCRYPTOGAMS by x").unwrap();
        // This program has the constants in it.
        let own = std::env::current_exe().unwrap();
        let own_name = own.file_name().unwrap().to_string_lossy().into_owned();
        let list: String = [
            "libcrypto.so.3",
            "libnettle.so.8",
            "libcrypto.so.1.1",
            "script",
            "none",
            "tracer/libnettle.so",
        ]
        .iter()
        .map(|name| format!("L 7 {}\n", at(name).display()))
        .collect();
        let list = format!("{list}L 7 {}\nL 8 {}\nnonsense\n", own.display(), own.display());
        let found = uncounted(&List::of(&list, &BTreeSet::new()), &at("tracer"));
        for one in ["Nettle (libnettle.so.8)", "OpenSSL 1 (libcrypto.so.1.1)"] {
            assert!(found.iter().any(|found| found == one), "{found:?}");
        }
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().any(|one| one.ends_with(&format!(" inside {own_name}"))), "{found:?}");
    }
}
