//! The names that others have for a primitive: OpenSSL's, Java's, Go's, and how people write it.

use super::{PRIMITIVES, Primitive, named};

/// Each name without signs, and the primitives that it may mean; the first line of those that mean
/// one. A title, and a name of the catalogue however it is written, need no line.
const OTHERS: &[(&str, &[&str])] = &[
    ("sha2256", &["sha256"]),
    ("sha2512", &["sha512"]),
    ("sha2512256", &["sha512-256"]),
    ("sha512t256", &["sha512-256"]),
    ("blake2b512", &["blake2b"]),
    ("blake2s256", &["blake2s"]),
    ("blake3256", &["blake3"]),
    ("aes128cmac", &["aes-cmac"]),
    ("siphash13128", &["siphash-1-3-128"]),
    ("siphash24128", &["siphash-2-4-128"]),
    ("idaes128gcm", &["aes-128-gcm"]),
    ("idaes256gcm", &["aes-256-gcm"]),
    ("aes128gcmnopadding", &["aes-128-gcm"]),
    ("aes256gcmnopadding", &["aes-256-gcm"]),
    ("chacha20ietfpoly1305", &["chacha20-poly1305"]),
    ("chachapoly", &["chacha20-poly1305"]),
    ("xchacha20ietfpoly1305", &["xchacha20-poly1305"]),
    ("xchachapoly", &["xchacha20-poly1305"]),
    ("blake3keyed", &["blake3-keyed"]),
    // These mean several, or leave out a difference.
    ("sha2", &["sha256", "sha512", "sha512-256"]),
    ("sha", &["sha1", "sha256", "sha512", "sha512-256", "sha3-256"]),
    ("sha3", &["sha3-256"]),
    ("keccak", &["sha3-256", "shake128"]),
    ("shake", &["shake128"]),
    ("blake", &["blake2b", "blake2s", "blake3"]),
    ("blake2", &["blake2b", "blake2s"]),
    ("hmac", &["hmac-sha256", "hmac-sha512"]),
    ("hmacsha2", &["hmac-sha256", "hmac-sha512"]),
    ("cmac", &["aes-cmac"]),
    ("siphash", &["siphash-1-3", "siphash-2-4", "siphash-1-3-128", "siphash-2-4-128"]),
    ("siphash128", &["siphash-1-3-128", "siphash-2-4-128"]),
    ("aes", &["aes-128-gcm", "aes-256-gcm", "aes-256-gcm-siv"]),
    ("aes128", &["aes-128-gcm"]),
    ("aes256", &["aes-256-gcm", "aes-256-gcm-siv"]),
    ("gcm", &["aes-128-gcm", "aes-256-gcm"]),
    ("aesgcm", &["aes-128-gcm", "aes-256-gcm"]),
    ("aesgcmnopadding", &["aes-128-gcm", "aes-256-gcm"]),
    ("gcmsiv", &["aes-256-gcm-siv"]),
    ("aesgcmsiv", &["aes-256-gcm-siv"]),
    ("chacha", &["chacha20-poly1305", "xchacha20-poly1305"]),
    ("chacha20", &["chacha20-poly1305", "xchacha20-poly1305"]),
    ("xchacha20", &["xchacha20-poly1305"]),
    ("murmur3", &["murmur3-32", "murmur3-128"]),
    ("murmurhash3", &["murmur3-32", "murmur3-128"]),
    ("xxh3", &["xxh3-64"]),
    ("wyhash", &["wyhash-final-4"]),
    ("komihash", &["komihash-5-0"]),
    ("rapidhash", &["rapidhash-3"]),
];

/// The first of [`OTHERS`] that does not mean exactly one primitive.
const LOOSE: &str = "sha2";

/// A name without signs and in small letters.
fn bare(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The primitive that a name means, by whatever name it is known, if it means only one.
pub fn meant(name: &str) -> Option<&'static Primitive> {
    let bare_name = bare(name);
    let mut exact = OTHERS.iter().take_while(|(other, _)| *other != LOOSE);
    named(name)
        .or_else(|| PRIMITIVES.iter().find(|p| [p.name, p.title].map(bare).contains(&bare_name)))
        .or_else(|| named(exact.find(|(other, _)| *other == bare_name)?.1[0]))
}

/// What to write for a name that is not a primitive's: the primitives that it may mean, each
/// between two of these marks. It names no other primitive, however similar its name is.
pub fn instead_of(name: &str, mark: &str) -> String {
    let bare_name = bare(name);
    let other = OTHERS.iter().find(|(other, _)| *other == bare_name);
    let primitives: Vec<&str> = match other {
        Some((_, primitives)) => primitives.to_vec(),
        None => {
            let names = PRIMITIVES.iter().map(|p| p.name);
            names.filter(|name| swapped(&bare_name, &bare(name))).collect()
        }
    };
    let marked: Vec<String> = primitives.iter().map(|name| format!("{mark}{name}{mark}")).collect();
    match &marked[..] {
        [] => "`cupel list primitives` lists those that there are".to_string(),
        [one] => format!("did you mean {one}?"),
        [some @ .., last] => format!("write {} or {last}", some.join(", ")),
    }
}

/// Whether two neighbours of one name are swapped in the other. Any other difference may name
/// another primitive: AES-GMAC is not AES-CMAC, and SHA3-512 is not SHA-512.
fn swapped(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let differ: Vec<usize> =
        (0..one.len().min(other.len())).filter(|&i| one[i] != other[i]).collect();
    one.len() == other.len()
        && matches!(differ[..], [i, j] if j == i + 1 && one[i] == other[j] && one[j] == other[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_mean_their_primitive() {
        for (name, primitive) in [
            ("SHA2-256", "sha256"),
            ("SHA-256", "sha256"),
            ("SHA256", "sha256"),
            ("sha-512/256", "sha512-256"),
            ("SHA2-512/256", "sha512-256"),
            ("SHA3-256", "sha3-256"),
            ("SHAKE-128", "shake128"),
            ("BLAKE2B-512", "blake2b"),
            ("BLAKE2s256", "blake2s"),
            ("HmacSHA256", "hmac-sha256"),
            ("HMAC-SHA256", "hmac-sha256"),
            ("SipHash24", "siphash-2-4"),
            ("SipHash-2-4-128", "siphash-2-4-128"),
            ("AES/256/GCM", "aes-256-gcm"),
            ("AES_128/GCM/NoPadding", "aes-128-gcm"),
            ("id-aes256-GCM", "aes-256-gcm"),
            ("ChaCha20Poly1305", "chacha20-poly1305"),
            ("chacha20-ietf-poly1305", "chacha20-poly1305"),
            ("xchacha20poly1305", "xchacha20-poly1305"),
            ("AES-128-CMAC", "aes-cmac"),
            ("empty", "empty"),
        ] {
            assert_eq!(meant(name).map(|p| p.name), Some(primitive), "{name}");
        }
    }

    #[test]
    fn another_primitive_is_never_meant_and_never_suggested() {
        for name in [
            "SHA2-384",
            "sha384",
            "SHA-224",
            "shake256",
            "SHA3-512",
            "SHA-512/224",
            "AES-192-GCM",
            "AES-GMAC",
            "gmac",
            "aes-256-cbc",
            "AES-128-GCM-SIV",
            "blake2bp",
            "blake2xb",
            "md5",
            "hmac-sha1",
            "HMAC-SHA384",
            "poly1305",
            "xxh64",
            "siphash-4-8",
            "kmac128",
            "",
        ] {
            assert!(meant(name).is_none(), "{name}");
            let words = instead_of(name, "");
            assert!(words.starts_with("`cupel list primitives`"), "{name}: {words}");
        }
    }

    #[test]
    fn what_may_be_several_names_them_and_a_slip_is_corrected() {
        for (name, words) in [
            ("AES-GCM", "write aes-128-gcm or aes-256-gcm"),
            ("AES/GCM/NoPadding", "write aes-128-gcm or aes-256-gcm"),
            ("SHA-2", "write sha256, sha512 or sha512-256"),
            ("sha3", "did you mean sha3-256?"),
            ("sha265", "did you mean sha256?"),
            ("aes-256-gmc", "did you mean aes-256-gcm?"),
        ] {
            assert!(meant(name).is_none(), "{name}");
            assert_eq!(instead_of(name, ""), words, "{name}");
        }
        assert_eq!(instead_of("sah256", "\""), "did you mean \"sha256\"?");
    }

    #[test]
    fn the_table_names_primitives_and_no_name_twice() {
        let mut seen = std::collections::BTreeSet::new();
        for (name, primitives) in OTHERS {
            assert_eq!(bare(name), *name);
            assert!(seen.insert(name), "{name} is there twice");
            assert!(primitives.iter().all(|p| named(p).is_some()), "{name}");
        }
        assert!(OTHERS.iter().take_while(|(name, _)| *name != LOOSE).all(|(_, p)| p.len() == 1));
    }
}
