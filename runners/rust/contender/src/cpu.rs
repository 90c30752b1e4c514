//! The features of this processor, and a crate's selection from them. For crates that do not report
//! their selection, the crates' own tests are repeated here.

/// The code path of a crate that does not report its selection: `unknown`, and the possible ones.
pub fn unreported() -> String {
    let offered = FEATURES.iter().filter(|(_, test)| test()).map(|(name, _)| *name);
    let offered: Vec<&str> = offered.collect();
    format!("unknown: selected from what the CPU offers, {}", offered.join(", "))
}

/// RustCrypto's selection for a SHA primitive; `soft` if the processor offers nothing that it uses.
/// From sha1 0.10.6 and 0.11.0 (src/compress.rs), sha2 0.10.9 and 0.11.1 (src/sha256.rs,
/// src/sha512.rs). `arm` says whether this build tests for Arm's instructions: 0.11 does, 0.10 only
/// with its feature `asm`.
pub fn rustcrypto_sha(primitive: &str, soft: &str, arm: bool) -> String {
    let candidates: [(&str, &[&str]); 2] = match primitive {
        "sha512" | "sha512-256" | "hmac-sha512" => {
            [("avx2", &["avx2"]), ("Arm sha512 instructions", &["sha3"])]
        }
        _ => {
            [("sha-ni", &["sha", "sse2", "ssse3", "sse4.1"]), ("Arm sha2 instructions", &["sha2"])]
        }
    };
    let candidates = &candidates[..if arm { 2 } else { 1 }];
    let found = candidates.iter().find(|(_, needs)| offers(needs));
    found.map_or(soft, |(name, _)| name).to_string()
}

/// The selection of aes 0.9 (src/lib.rs).
pub fn rustcrypto_aes() -> &'static str {
    match () {
        () if cfg!(aes_backend = "avx512") && offers(&["avx512f", "vaes"]) => {
            "aes: vaes with avx512"
        }
        () if !offers(&["aes"]) => "aes: soft",
        () if cfg!(target_arch = "aarch64") => "aes: Arm aes instructions",
        () => "aes: aes-ni",
    }
}

/// The selection of polyval 0.7 (src/backend/intrinsics), independently of the crate aes.
pub fn rustcrypto_polyval() -> &'static str {
    match () {
        () if offers(&["avx", "pclmulqdq"]) => "polyval: pclmulqdq",
        () if cfg!(target_arch = "aarch64") && offers(&["aes"]) => "polyval: Arm pmull instruction",
        () => "polyval: soft",
    }
}

/// The selection of chacha20 0.10 (src/lib.rs) and poly1305 0.9 (src/backend). On 64-bit Arm,
/// chacha20 uses NEON if it is built for it, which is the default there.
pub fn rustcrypto_chacha20_poly1305() -> String {
    let chacha20 = match () {
        () if cfg!(chacha20_avx512) && offers(&["avx512f", "avx512vl"]) => "avx512",
        () if offers(&["avx2"]) => "avx2",
        () if offers(&["sse2"]) => "sse2",
        () if cfg!(all(target_arch = "aarch64", target_feature = "neon")) => "neon",
        () => "soft",
    };
    let poly1305 = if offers(&["avx2"]) { "avx2" } else { "soft" };
    format!("chacha20: {chacha20}, poly1305: {poly1305}")
}

/// Whether this processor offers all of these of the [`FEATURES`].
pub fn offers(names: &[&str]) -> bool {
    names.iter().all(|name| FEATURES.iter().any(|(known, test)| known == name && test()))
}

/// A feature's name and whether this processor offers it.
pub type Feature = (&'static str, fn() -> bool);

macro_rules! features {
    ($detected:ident: $($name:tt)*) => {
        &[$(($name, || std::arch::$detected!($name))),*]
    };
}

/// The features that cryptographic code uses, with their tests. Features of other architectures
/// count as not offered.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub const FEATURES: &[Feature] = features!(is_x86_feature_detected:
    "sse2" "ssse3" "sse4.1" "aes" "pclmulqdq" "avx" "bmi1" "bmi2" "adx" "avx2" "sha" "vaes"
    "vpclmulqdq" "avx512f" "avx512bw" "avx512vl");

/// The features that cryptographic code uses, with their tests. Features of other architectures
/// count as not offered.
#[cfg(target_arch = "aarch64")]
pub const FEATURES: &[Feature] =
    features!(is_aarch64_feature_detected: "neon" "aes" "pmull" "sha2" "sha3");

/// The standard library has no tests for the features of this architecture.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
pub const FEATURES: &[Feature] = &[];
