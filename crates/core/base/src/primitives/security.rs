//! The differences in security between primitives that a choice compares. A faster one may promise
//! less, so a table of a choice never stands without these lines.
//!
//! The bits count the work of the best known generic attack. The chance of a repeated random nonce
//! of `n` bits after `m` messages is about `m²/2^(n+1)`, the birthday bound.

/// The promise of a primitive, and how it fails, in one short line with its source; `None` of a
/// primitive that promises no security.
pub fn security(primitive: &str) -> Option<&'static str> {
    Some(match primitive {
        "aes-128-gcm" => {
            "128-bit key, 12-byte nonce. Random nonces: at most 2^32 messages with a key. A repeated \
             nonce reveals the XOR of the messages and lets others forge all further ones. At most \
             64 GiB in a message (SP 800-38D, 5.2.1.1, 8.3, Appendix A)"
        }
        "aes-256-gcm" => {
            "256-bit key, 12-byte nonce. Random nonces: at most 2^32 messages with a key. A repeated \
             nonce reveals the XOR of the messages and lets others forge all further ones. At most \
             64 GiB in a message (SP 800-38D, 5.2.1.1, 8.3, Appendix A)"
        }
        "aes-256-gcm-siv" => {
            "256-bit key, 12-byte nonce. A repeated nonce reveals only whether two messages and their \
             associated data are equal, so that nonces may be random. At most 64 GiB in a message (RFC \
             8452, 1, 6, 9)"
        }
        "chacha20-poly1305" => {
            "256-bit key, 12-byte nonce. Count nonces: random ones repeat with a chance of 2^-33 after \
             2^32 messages. A repeated nonce reveals the XOR of the messages and the one-time key of \
             their tags, so others can forge with that nonce. At most 256 GiB in a message (RFC 8439, \
             2.8, 4)"
        }
        "xchacha20-poly1305" => {
            "256-bit key, 24-byte nonce. Random nonces are what it is for: they repeat with a chance \
             of 2^-33 after 2^80 messages. A repeated nonce is as bad as with ChaCha20-Poly1305. At \
             most 256 GiB in a message (draft-irtf-cfrg-xchacha-03; an expired draft, not an RFC)"
        }
        "sha1" => {
            "broken: chosen-prefix collisions are practical (Leurent and Peyrin, USENIX Security 2020)"
        }
        "sha256" => {
            "collisions take 2^128. Anyone who knows a digest and the length can extend the message, so a key \
             before the message is not a MAC: use HMAC (FIPS 180-4; SP 800-107, 4.1)"
        }
        "sha512" => {
            "collisions take 2^256. Anyone who knows a digest and the length can extend the message, so a key \
             before the message is not a MAC: use HMAC (FIPS 180-4; SP 800-107, 4.1)"
        }
        "sha512-256" => {
            "collisions take 2^128. The digest is cut, so messages cannot be extended (FIPS 180-4; SP \
             800-107, 4.1)"
        }
        "sha3-256" => "collisions take 2^128. Messages cannot be extended (FIPS 202, A.1)",
        "shake128" => {
            "collisions and preimages take 2^128, with 32 bytes of output. Messages cannot be extended \
             (FIPS 202, A.1)"
        }
        "blake2b" => "collisions take 2^256. Messages cannot be extended (RFC 7693)",
        "blake2s" => "collisions take 2^128. Messages cannot be extended (RFC 7693)",
        "blake3" => {
            "collisions take 2^128, and 128 bits are all that is promised. Messages cannot be extended \
             (O'Connor et al.: BLAKE3, 2020). No standard of NIST or the IETF"
        }
        "hmac-sha256" => {
            "a pseudorandom function and a MAC: 256-bit key, 32-byte tag, and collisions take 2^128 even \
             for those who know the key (RFC 2104, FIPS 198-1)"
        }
        "hmac-sha512" => {
            "a pseudorandom function and a MAC: 512-bit key, 64-byte tag, and collisions take 2^256 even \
             for those who know the key (RFC 2104, FIPS 198-1)"
        }
        "blake3-keyed" => {
            "a pseudorandom function and a MAC of 128 bits of security: 256-bit key, 32-byte tag, and \
             collisions take 2^128 even for those who know the key (O'Connor et al.: BLAKE3, 2020). No \
             standard of NIST or the IETF"
        }
        "aes-cmac" => {
            "a pseudorandom function and a MAC: 128-bit key, 16-byte tag, at most 2^48 messages with a \
             key. Those who know the key can make collisions at will (SP 800-38B, Appendix B)"
        }
        "siphash-2-4" | "siphash-1-3" => {
            "a pseudorandom function with a 128-bit key and an 8-byte tag: a guess forges with a chance \
             of 2^-64, and tags collide after about 2^32 messages. It is for tables with untrusted keys, \
             and collision-resistant only against those who do not know the key (Aumasson and Bernstein, \
             INDOCRYPT 2012)"
        }
        "siphash-2-4-128" | "siphash-1-3-128" => {
            "a pseudorandom function with a 128-bit key and a 16-byte tag, collision-resistant only \
             against those who do not know the key (the authors' reference code; not in Aumasson and \
             Bernstein, INDOCRYPT 2012)"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::{all, named};
    use cupel_protocol::workload::Operation;

    /// A primitive without a line would look as good as the others.
    #[test]
    fn every_primitive_but_those_that_promise_nothing_has_a_line() {
        for primitive in all() {
            let marks = ["murmur", "xxh", "wyhash", "komihash", "rapidhash", "empty"];
            let promises = !marks.iter().any(|mark| primitive.name.starts_with(mark));
            assert_eq!(security(primitive.name).is_some(), promises, "{}", primitive.name);
        }
    }

    #[test]
    fn a_line_states_the_lengths_of_the_catalogue() {
        for primitive in all().iter().filter(|p| p.operations.contains(&Operation::Seal)) {
            let line = security(primitive.name).unwrap();
            let lengths = format!("{}-bit key, {}-byte nonce", 8 * primitive.key, primitive.nonce);
            assert!(line.starts_with(&lengths), "{}: {line}", primitive.name);
        }
        for mac in all().iter().filter(|p| p.operations == [Operation::Mac]) {
            let line = security(mac.name).unwrap();
            let key = format!("{}-bit key", 8 * mac.key);
            assert!(line.contains(&key), "{}: {line}", mac.name);
            assert!(line.contains(&format!("{}-byte tag", mac.output)), "{}: {line}", mac.name);
        }
        assert!(named("xchacha20-poly1305").is_some_and(|p| p.standard.contains("draft")));
    }
}
