//! What speed does not show: what a primitive must not be used for, and code that is known to leak.

/// What a primitive must not be used for, whatever computes it.
pub fn warning(primitive: &str) -> Option<&'static str> {
    let starts = |name: &str| primitive.starts_with(name);
    if primitive == "sha1" || primitive == "hmac-sha1" {
        Some(
            "SHA-1 is unfit for signatures, certificates and content addresses: chosen-prefix \
             collisions are practical (Leurent and Peyrin, USENIX Security 2020)",
        )
    } else if starts("md5") {
        Some("MD5 is unfit for anything an attacker touches: collisions take seconds (RFC 6151)")
    } else if ["murmur", "xxh", "wyhash", "komihash", "rapidhash", "cityhash"]
        .into_iter()
        .any(starts)
    {
        Some(
            "this is not a keyed hash, even with a seed: inputs are known that collide under every seed \
             (Aumasson and Bernstein 2012), so it is unfit for tables with untrusted keys",
        )
    } else if starts("siphash") {
        Some(
            "SipHash protects tables with untrusted keys from degenerating; it does not replace HMAC, \
             and 1-3 has a smaller margin than the 2-4 of its paper (Aumasson and Bernstein 2012)",
        )
    } else {
        None
    }
}

/// Why a contender is known to leak on this machine: its AES uses tables that are indexed by key
/// and message, and a neighbour can watch their cache lines (Bernstein, "Cache-timing attacks on
/// AES", 2005).
pub fn leak(primitive: &str, library: &str, code_path: &str) -> Option<String> {
    if !primitive.starts_with("aes") {
        return None;
    }
    let path = code_path.to_ascii_lowercase();
    let library = library.to_ascii_lowercase();
    let said = path.contains("table");
    // Their portable AES is table-based. Their code path says when it runs.
    let portable = ["portable", "generic", "no feature", "software"];
    let fallback = (library.contains("libgcrypt") || library.contains("mbed"))
        && portable.into_iter().any(|word| path.contains(word));
    // Its AESEngine and its GCM have only this code.
    let always = library.contains("bouncy") || library.starts_with("bcprov");
    (said || fallback || always).then(|| {
        let path = if code_path.is_empty() { "unknown" } else { code_path };
        format!("its AES uses table look-ups that depend on secrets here (code path: {path})")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_primitive_is_reported_whichever_contender_computes_it() {
        for unfit in ["sha1", "md5", "murmur3-32", "xxh3-64"] {
            assert!(warning(unfit).is_some(), "{unfit}");
        }
        for fit in ["sha256", "hmac-sha256", "aes-256-gcm", "blake3"] {
            assert_eq!(warning(fit), None, "{fit}");
        }
    }

    #[test]
    fn a_fallback_with_tables_leaks_and_the_instruction_does_not() {
        assert!(leak("aes-256-gcm", "libgcrypt", "no feature, portable code").is_some());
        assert!(leak("aes-256-gcm", "BouncyCastle", "").is_some());
        assert!(leak("aes-256-gcm", "x", "T-tables").is_some());
        assert_eq!(leak("aes-256-gcm", "libgcrypt", "intel-aesni intel-pclmul"), None);
        assert_eq!(leak("sha256", "libgcrypt", "no feature, portable code"), None);
    }
}
