//! Faults that speed does not show: uses that a primitive is unfit for, and code that is known to
//! leak.

use cupel_machine::Machine;

/// The uses that a primitive is unfit for, whatever computes it.
pub fn warning(primitive: &str) -> Option<&'static str> {
    if primitive == "sha1" || primitive == "hmac-sha1" {
        Some(
            "SHA-1 is unfit for signatures, certificates and content addresses: chosen-prefix \
             collisions are practical (Leurent and Peyrin, USENIX Security 2020)",
        )
    } else if primitive.starts_with("md5") {
        Some("MD5 is unfit for anything an attacker touches: collisions take seconds (RFC 6151)")
    } else if ["murmur", "xxh", "wyhash", "komihash", "rapidhash", "cityhash"]
        .into_iter()
        .any(|name| primitive.starts_with(name))
    {
        Some(
            "this is not a keyed hash, even with a seed: inputs are known that collide under every seed \
             (Aumasson and Bernstein 2012), so it is unfit for tables with untrusted keys",
        )
    } else if primitive.starts_with("siphash") {
        Some(
            "SipHash protects tables with untrusted keys from degenerating; it does not replace HMAC, \
             and 1-3 has a smaller margin than the 2-4 of its paper (Aumasson and Bernstein 2012)",
        )
    } else {
        None
    }
}

/// Why a contender is known to leak on the machine that ran it: its AES uses tables that are
/// indexed by key and message, and a neighbour can watch their cache lines (Bernstein,
/// "Cache-timing attacks on AES", 2005). Tables that are loaded before their use count, too: they
/// make the attack harder, and do not rule it out.
pub fn leak(
    primitive: &str,
    (library, version): (&str, &str),
    code_path: &str,
    machine: &Machine,
) -> Option<String> {
    if !primitive.starts_with("aes") {
        return None;
    }
    let path = code_path.to_ascii_lowercase();
    let library = library.to_ascii_lowercase();
    let reported = reports_tables(&library, &path);
    // Its AESEngine and its GCM have only this code.
    let always = library.contains("bouncy") || library.starts_with("bcprov");
    let path = if code_path.is_empty() { "unknown" } else { code_path };
    let what = "its AES uses table look-ups that depend on secrets";
    if reported || always {
        Some(format!("{what} here (code path: {path})"))
    } else if falls_back(&library, version, code_path, machine) {
        Some(format!("{what} if the CPU has no AES instructions, as here (code path: {path})"))
    } else if primitive.contains("gcm") && hashes_by_tables(&library, machine) {
        let what = "its GHASH uses table look-ups that depend on secrets";
        Some(format!("{what} if the CPU has no PCLMULQDQ, as here (code path: {path})"))
    } else {
        None
    }
}

/// Whether a code path reports that AES is computed with tables.
fn reports_tables(library: &str, path: &str) -> bool {
    // Their portable AES is table-based. Their code path reports it.
    let portable = ["portable", "generic", "no feature", "software"];
    let has_tables = ["libgcrypt", "mbed", "wolfssl"].iter().any(|name| library.contains(name));
    // Without HotSpot's code, the tables of com.sun.crypto.provider.AESCrypt are used. GHASH may
    // still have an intrinsic.
    let java = path.starts_with("java, no intrinsic")
        || (path.starts_with("intrinsic: ") && !path.contains("useaesintrinsics"));
    // Not "portable".
    let mut words = path.split(|c: char| !c.is_alphanumeric());
    words.any(|word| word == "table" || word == "tables")
        || (has_tables && portable.into_iter().any(|word| path.contains(word)))
        || (library == "jdk" && java)
}

/// Whether a library that does not report its code computes AES with tables on this machine,
/// because the CPU lacks the instructions for which it has other code. `false` for a machine whose
/// flags are unknown.
///
/// - Go: "not implemented using constant-time algorithms" without hardware support (package
///   crypto/aes).
/// - Java: T1 to T4 of com.sun.crypto.provider.AESCrypt; SunJCE is the JDK's provider.
/// - Nettle: aes-encrypt-table.c. wolfSSL: Te of wolfcrypt/src/aes.c, loaded beforehand. Crypto++:
///   Te of rijndael.cpp, loaded beforehand.
/// - pycryptodomex: Te0 to Te4 of src/AES.c. It has code for the instructions of x86 only
///   (AESNI.c).
/// - libgcrypt: rijndael.c prefers AES instructions, then vector permutations, which have no
///   tables: with SSSE3 from 1.7.0 on, on 64-bit Arm from 1.11.1 on (rijndael-vp-aarch64.c).
/// - OpenSSL, which Node.js contains: on x86-64 its bitsliced code calls scalar code with an S-box
///   for fewer than eight blocks (bsaes-x86_64.pl; seen in docs/trust/evidence/leaks.md).
fn falls_back(library: &str, version: &str, code_path: &str, machine: &Machine) -> bool {
    let Some(flags) = machine.flags.known() else { return false };
    let has_aes = flags.iter().any(|flag| flag == "aes");
    let is_x86 = machine.architecture.starts_with("x86");
    if library.contains("pycryptodome") {
        return !(is_x86 && has_aes);
    }
    if has_aes {
        return false;
    }
    if library.contains("libgcrypt") {
        let permutes = match machine.architecture.as_str() {
            "aarch64" => numbers(version) >= [1, 11, 1],
            _ => is_x86 && flags.iter().any(|flag| flag == "ssse3"),
        };
        return !permutes;
    }
    if is_x86 && has_openssl(library) {
        return true;
    }
    let same = ["go's standard library", "jdk"].contains(&library);
    let named = ["nettle", "wolfssl", "crypto++"].iter().any(|name| library.contains(name));
    same || named || code_path.starts_with("SunJCE")
}

/// Whether a library computes the hash of GCM with tables because an x86 CPU lacks PCLMULQDQ, as
/// `cupel verify --leaks` has shown (docs/trust/evidence/leaks.md).
fn hashes_by_tables(library: &str, machine: &Machine) -> bool {
    let Some(flags) = machine.flags.known() else { return false };
    machine.architecture.starts_with("x86")
        && !flags.iter().any(|flag| flag == "pclmulqdq")
        && (library.contains("libgcrypt") || has_openssl(library))
}

fn has_openssl(library: &str) -> bool {
    ["openssl", "node.js"].contains(&library)
}

/// The first three numbers of a version.
fn numbers(version: &str) -> [u32; 3] {
    let mut parts =
        version.split(|c: char| !c.is_ascii_digit()).map_while(|part| part.parse().ok());
    std::array::from_fn(|_| parts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_machine::Reading;

    #[test]
    fn a_broken_primitive_is_reported_whichever_contender_computes_it() {
        for unfit in ["sha1", "md5", "murmur3-32", "xxh3-64"] {
            assert!(warning(unfit).is_some(), "{unfit}");
        }
        for fit in ["sha256", "hmac-sha256", "aes-256-gcm", "blake3"] {
            assert_eq!(warning(fit), None, "{fit}");
        }
    }

    /// A machine of this architecture, whose kernel lists these flags if it lists any.
    fn machine(architecture: &str, flags: Option<&str>) -> Machine {
        let flags = match flags {
            Some(flags) => Reading::Known(flags.split(' ').map(String::from).collect()),
            None => Reading::NotAvailable("no /proc".to_string()),
        };
        Machine { architecture: architecture.to_string(), flags, ..Machine::look() }
    }

    #[test]
    fn a_fallback_with_tables_leaks_and_the_instruction_does_not() {
        let here = machine("x86_64", Some("ssse3 aes pclmulqdq"));
        let leak = |primitive, library, path| leak(primitive, (library, ""), path, &here);
        let aes = |library, path| leak("aes-256-gcm", library, path);
        assert!(aes("libgcrypt", "hwflist: no feature, portable code").is_some());
        assert!(aes("BouncyCastle", "").is_some());
        assert!(aes("x", "T-tables").is_some());
        assert!(aes("x", "BouncyCastle's AESEngine, which uses tables").is_some());
        assert_eq!(aes("x", "portable Rust"), None, "it may be bitsliced");
        assert!(aes("wolfSSL", "portable C: this wolfSSL was built without assembly").is_some());
        assert!(aes("JDK", "java, no intrinsic").is_some());
        assert!(aes("JDK", "intrinsic: UseGHASHIntrinsics").is_some());
        assert_eq!(aes("JDK", "intrinsic: UseAESIntrinsics, UseAESCTRIntrinsics"), None);
        assert_eq!(aes("JDK", "java or intrinsic: the VM does not tell"), None);
        assert_eq!(aes("libgcrypt", "intel-aesni intel-pclmul"), None);
        assert_eq!(leak("sha256", "libgcrypt", "no feature, portable code"), None);
    }

    /// Libraries with their versions, and the paths that they report on a CPU without AES
    /// instructions.
    const SILENT: [(&str, &str, &str); 7] = [
        ("JDK", "25.0.1", "java or intrinsic: the VM does not tell"),
        ("dev.cupel:cupel", "0.1.0", "SunJCE 21"),
        ("Go's standard library", "go1.24.4", "unknown"),
        ("Nettle", "3.8.1", "unknown: selected by Nettle, which does not report it"),
        ("wolfSSL", "5.5.4", "unknown: selected by wolfSSL, which was built with assembly"),
        ("Crypto++", "8.7", "C++"),
        ("pycryptodomex", "3.23.0", "unknown"),
    ];

    #[test]
    fn a_cpu_without_aes_instructions_makes_libraries_leak_that_do_not_report_it() {
        let leaks = |machine: &Machine, (library, version, path)| {
            leak("aes-256-gcm", (library, version), path, machine).is_some()
        };
        let pi4 = machine("aarch64", Some("fp asimd evtstrm crc32 cpuid"));
        let old_x86 = machine("x86_64", Some("sse2 ssse3 sse4_1"));
        for library in SILENT {
            assert!(leaks(&pi4, library), "{library:?}");
            assert!(leaks(&old_x86, library), "{library:?}");
            assert!(!leaks(&machine("x86_64", Some("ssse3 aes")), library), "{library:?}");
            assert!(!leaks(&machine("x86_64", None), library), "not known: {library:?}");
            let arm_with_aes = machine("aarch64", Some("fp asimd aes pmull"));
            // It has no code for Arm's instructions.
            assert_eq!(leaks(&arm_with_aes, library), library.0 == "pycryptodomex", "{library:?}");
        }
        for library in ["OpenSSL", "Node.js"] {
            assert!(leaks(&old_x86, (library, "3.0.19", "unknown")), "{library}");
            let clmul = machine("x86_64", Some("ssse3 aes pclmulqdq"));
            assert!(!leaks(&clmul, (library, "3.0.19", "unknown")), "{library}");
        }
        // Their code without AES instructions has no tables, or they have none.
        for library in ["OpenSSL", "ring", "aws-lc-rs", "aes-gcm", "Botan", "Conscrypt"] {
            assert!(!leaks(&pi4, (library, "1.0", "unknown")), "{library}");
        }
        let said = leak("aes-256-gcm", ("Nettle", "3.8.1"), "unknown", &pi4).unwrap();
        assert!(said.contains("no AES instructions, as here (code path: unknown)"), "{said}");
    }

    #[test]
    fn libgcrypt_permutes_vectors_where_it_has_the_code_and_the_cpu_the_instructions() {
        let leaks = |architecture, flags, version, path| {
            let machine = machine(architecture, Some(flags));
            leak("aes-256-gcm", ("libgcrypt", version), path, &machine).is_some()
        };
        let neon = "unknown: selected from hwflist:arm-neon:";
        assert!(leaks("aarch64", "fp asimd", "1.10.1", neon));
        assert!(leaks("aarch64", "fp asimd", "1.11.0", neon));
        assert!(!leaks("aarch64", "fp asimd", "1.11.1", neon));
        assert!(!leaks("aarch64", "fp asimd", "1.12.0-beta2", neon));
        assert!(leaks("arm", "half thumb neon", "1.12.0", neon));
        let ssse3 = "unknown: selected from hwflist:intel-ssse3:";
        assert!(leaks("x86_64", "sse2 ssse3", "1.10.1", ssse3), "its GHASH");
        assert!(!leaks("x86_64", "sse2 ssse3 pclmulqdq", "1.10.1", ssse3));
        assert!(leaks("x86_64", "sse2", "1.10.1", "unknown: selected from hwflist:intel-cpu:"));
    }
}
