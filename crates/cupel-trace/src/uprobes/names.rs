//! From the numbers and names that the libraries use to those of the catalogue.

use super::script::{MAC, OPEN, SEAL};

/// OpenSSL's number of a digest.
pub const DIGEST_NUMBER: u32 = 1;
/// HMAC with the digest of this number of OpenSSL.
pub const HMAC: u32 = 2;
/// CMAC with the cipher of this number of OpenSSL.
pub const CMAC: u32 = 3;
/// OpenSSL's number of a cipher.
pub const CIPHER: u32 = 4;
/// A digest by its name.
pub const NAMED_DIGEST: u32 = 5;
/// A MAC by its name, that of what it is made of, and SipHash's parameters.
pub const NAMED_MAC: u32 = 6;
/// libgcrypt's number of a digest.
pub const GCRYPT_DIGEST: u32 = 7;
/// HMAC with the digest of this number of libgcrypt.
pub const GCRYPT_HMAC: u32 = 8;
/// libgcrypt's number of a MAC; with bit 16 if its key is longer than 16 bytes.
pub const GCRYPT_MAC: u32 = 9;
/// libgcrypt's numbers of a cipher and, from bit 16, of its mode.
pub const GCRYPT_CIPHER: u32 = 10;
/// The bits of a digest of the SHA family, as Go has them.
pub const SHA: u32 = 11;
/// HMAC with it.
pub const HMAC_SHA: u32 = 12;
/// AES-GCM by the rounds of its cipher.
pub const GCM_ROUNDS: u32 = 13;
/// A key derivation: which one.
pub const DERIVATION: u32 = 14;

/// The name in the catalogue, or else (`Err`) what people call it.
pub type Name = Result<&'static str, String>;

/// The name of what such a number names.
pub fn of_number(kind: u32, id: u64) -> Name {
    match kind {
        DIGEST_NUMBER => digest(id),
        HMAC => hmac(digest(id)),
        CMAC => match id {
            419 => Ok("aes-cmac"),
            _ => Err(format!("CMAC-{}", shown(cipher(id)))),
        },
        CIPHER => cipher(id),
        GCRYPT_DIGEST => gcrypt_digest(id),
        GCRYPT_HMAC => hmac(gcrypt_digest(id)),
        GCRYPT_MAC => match id {
            0 => Err("a MAC that was opened before the trace".into()),
            101 => Ok("hmac-sha256"),
            103 => Ok("hmac-sha512"),
            201 => Ok("aes-cmac"),
            n if n & 0xffff == 201 => Err("CMAC-AES, longer key".into()),
            n => Err(format!("MAC {}", n & 0xffff)),
        },
        GCRYPT_CIPHER => match (id & 0xffff, id >> 16) {
            (0, _) => Err("a cipher that was opened before the trace".into()),
            (7, 9) => Ok("aes-128-gcm"),
            (9, 9) => Ok("aes-256-gcm"),
            (9, 16) => Ok("aes-256-gcm-siv"),
            (316, 10) => Ok("chacha20-poly1305"),
            (cipher, mode) => Err(format!("cipher {cipher}, mode {mode}")),
        },
        SHA => sha(id),
        HMAC_SHA => hmac(sha(id)),
        GCM_ROUNDS => match id {
            10 => Ok("aes-128-gcm"),
            14 => Ok("aes-256-gcm"),
            12 => Err("AES-192-GCM".into()),
            _ => Err("AES-GCM".into()),
        },
        DERIVATION => Err(match id {
            1 => "PBKDF2".into(),
            2 => "SCRYPT".into(),
            _ => "a key derivation".into(),
        }),
        _ => Err(format!("number {id}")),
    }
}

/// The name of what such names name.
pub fn of_text(kind: u32, first: &str, second: &str, more: u64) -> Name {
    if kind == NAMED_DIGEST {
        return digest_named(first);
    }
    match first.to_uppercase().as_str() {
        "HMAC" if second.is_empty() => Err("HMAC of which the digest was set before".into()),
        "HMAC" => hmac(digest_named(second)),
        "CMAC" if second.eq_ignore_ascii_case("AES-128-CBC") => Ok("aes-cmac"),
        "CMAC" => Err(format!("CMAC-{second}")),
        "SIPHASH" => {
            // 0 stands for the usual 2, 4 and 16.
            match (more >> 16, more >> 8 & 0xff, more & 0xff) {
                (1, 3, 8) => Ok("siphash-1-3"),
                (0 | 2, 0 | 4, 8) => Ok("siphash-2-4"),
                (1, 3, 0 | 16) => Ok("siphash-1-3-128"),
                (0 | 2, 0 | 4, 0 | 16) => Ok("siphash-2-4-128"),
                _ => Err("SipHash".into()),
            }
        }
        _ => Err(first.to_string()),
    }
}

/// The operation's name.
pub fn operation(number: u64) -> &'static str {
    match u32::try_from(number).unwrap_or(0) {
        MAC => "mac",
        SEAL => "seal",
        OPEN => "open",
        _ => "digest",
    }
}

fn shown(name: Name) -> String {
    name.map_or_else(|own| own, str::to_uppercase)
}

fn hmac(digest: Name) -> Name {
    match digest {
        Ok("sha256") => Ok("hmac-sha256"),
        Ok("sha512") => Ok("hmac-sha512"),
        other => Err(format!("HMAC-{}", shown(other))),
    }
}

fn digest(id: u64) -> Name {
    Ok(match id {
        64 => "sha1",
        672 => "sha256",
        674 => "sha512",
        1095 => "sha512-256",
        1097 => "sha3-256",
        1100 => "shake128",
        1056 => "blake2b",
        1057 => "blake2s",
        _ => {
            return Err(match id {
                4 => "MD5".into(),
                114 => "MD5-SHA1".into(),
                117 => "RIPEMD-160".into(),
                673 => "SHA2-384".into(),
                675 => "SHA2-224".into(),
                1094 => "SHA2-512/224".into(),
                1096 => "SHA3-224".into(),
                1098 => "SHA3-384".into(),
                1099 => "SHA3-512".into(),
                1101 => "SHAKE-256".into(),
                101_100 => "SHAKE128, long output".into(),
                1143 => "SM3".into(),
                0 => "a digest without a number".into(),
                n => format!("digest {}", n % 100_000),
            });
        }
    })
}

fn digest_named(name: &str) -> Name {
    Ok(match name.to_uppercase().as_str() {
        "SHA1" | "SHA-1" => "sha1",
        "SHA256" | "SHA2-256" | "SHA-256" => "sha256",
        "SHA512" | "SHA2-512" | "SHA-512" => "sha512",
        "SHA512-256" | "SHA2-512/256" | "SHA-512/256" => "sha512-256",
        "SHA3-256" => "sha3-256",
        "SHAKE128" | "SHAKE-128" => "shake128",
        "BLAKE2B512" | "BLAKE2B-512" => "blake2b",
        "BLAKE2S256" | "BLAKE2S-256" => "blake2s",
        _ => return Err(name.to_string()),
    })
}

fn cipher(id: u64) -> Name {
    Ok(match id {
        895 => "aes-128-gcm",
        901 => "aes-256-gcm",
        1018 => "chacha20-poly1305",
        _ => {
            return Err(match id {
                44 => "DES-EDE3-CBC".into(),
                418 => "AES-128-ECB".into(),
                419 => "AES-128-CBC".into(),
                423 => "AES-192-CBC".into(),
                426 => "AES-256-ECB".into(),
                427 => "AES-256-CBC".into(),
                896 => "AES-128-CCM".into(),
                898 => "AES-192-GCM".into(),
                902 => "AES-256-CCM".into(),
                904 => "AES-128-CTR".into(),
                906 => "AES-256-CTR".into(),
                913 => "AES-128-XTS".into(),
                914 => "AES-256-XTS".into(),
                916 => "AES-128-CBC-HMAC-SHA1".into(),
                918 => "AES-256-CBC-HMAC-SHA1".into(),
                948 => "AES-128-CBC-HMAC-SHA256".into(),
                950 => "AES-256-CBC-HMAC-SHA256".into(),
                1019 => "ChaCha20".into(),
                0 => "a cipher without a number".into(),
                n => format!("cipher {n}"),
            });
        }
    })
}

fn gcrypt_digest(id: u64) -> Name {
    Ok(match id {
        2 => "sha1",
        8 => "sha256",
        10 => "sha512",
        327 => "sha512-256",
        313 => "sha3-256",
        316 => "shake128",
        318 => "blake2b",
        322 => "blake2s",
        _ => {
            return Err(match id {
                0 => "a digest that was opened before the trace".into(),
                1 => "MD5".into(),
                3 => "RIPEMD160".into(),
                9 => "SHA384".into(),
                11 => "SHA224".into(),
                n => format!("digest {n}"),
            });
        }
    })
}

fn sha(bits: u64) -> Name {
    Ok(match bits {
        1 => "sha1",
        256 => "sha256",
        512 => "sha512",
        512_256 => "sha512-256",
        512_224 => return Err("SHA2-512/224".into()),
        n => return Err(format!("SHA2-{n}")),
    })
}
