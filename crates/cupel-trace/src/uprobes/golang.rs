//! Go's own SHA-1, SHA-2, HMAC and AES-GCM, in a program with symbols.
//!
//! A Go function may begin twice: its first instructions ask for a larger stack, or for the
//! processor, and then it starts again. And nothing may be attached to its return, because its
//! stack moves. So a message is noted where it ends (`Sum`, by the goroutine, of which R14 has the
//! address), which may happen twice, and is counted by `checkSum`, which `Sum` always calls, the
//! first time that this begins. The functions of AES-GCM in assembly have no such begin.
//!
//! Arguments are in AX, BX, CX, DI, SI, R8, R9, R10, R11, and on the stack if they are too many; in
//! assembly always on the stack. How long a message is stands in the digest.

use super::elf::{Object, Range};
use super::names::{GCM_ROUNDS, HMAC_SHA, SHA};
use super::script::{DIGEST, MAC, OPEN, SEAL, Script, What, count, stack};

/// A digest: its package, where its length stands, its block, and which one it is.
struct Hash {
    package: &'static str,
    length: u32,
    block: u32,
    which: &'static str,
    whole: &'static [&'static str],
}

const HASHES: [Hash; 3] = [
    Hash { package: "sha1", length: 96, block: 64, which: "1", whole: &["Sum"] },
    Hash {
        package: "sha256",
        length: 104,
        block: 64,
        which: "((*(uint8 *)(reg(\"ax\") + 112)) ? 224 : 256)",
        whole: &["Sum256", "Sum224"],
    },
    Hash {
        package: "sha512",
        length: 200,
        block: 128,
        // Its output in bytes, or until Go 1.23 the number of the hash.
        which: "($o == 64 || $o == 7 ? 512 : ($o == 48 || $o == 6 ? 384 : \
                ($o == 32 || $o == 15 ? 512256 : 512224)))",
        whole: &["Sum512", "Sum384", "Sum512_256", "Sum512_224"],
    },
];

const AX: &str = "reg(\"ax\")";
const GOROUTINE: &str = "reg(\"r14\")";

/// Counts the calls that do not come from Go's cryptographic packages themselves. Its TLS is a
/// program that uses them.
pub fn probes(script: &mut Script, object: &Object, library: usize) {
    if !object.is_go {
        return;
    }
    let inside = object.code_of(|name| {
        let is_own = name.starts_with("crypto/") || name.starts_with("vendor/golang.org/x/crypto/");
        is_own && !name.starts_with("crypto/tls.")
    });
    for hash in &HASHES {
        digest(script, object, library, &inside, hash);
    }
    // What is summed: the inner digest. `marshaled` says that it was reset, with its key.
    for sum in ["crypto/internal/fips140/hmac.(*HMAC).Sum", "crypto/hmac.(*hmac).Sum"] {
        let body = format!(
            "@gg[{GOROUTINE}] = 3 + (*(uint8 *)({AX} + 80) ? 4 : 0); \
             @gd[{GOROUTINE}] = *(uint64 *)({AX} + 72);"
        );
        script.called_by_others(object, &inside, sum, &body);
    }
    gcm(script, object, library);
}

fn digest(script: &mut Script, object: &Object, library: usize, inside: &[Range], hash: &Hash) {
    let Hash { package, length, block, which, whole } = hash;
    // Since Go 1.24 the module for FIPS 140 has most of them.
    let methods = [
        format!("crypto/internal/fips140/{package}.(*Digest)"),
        format!("crypto/{package}.(*digest)"),
    ];
    let [Some(sum), Some(write), Some(check)] = ["Sum", "Write", "checkSum"].map(|name| {
        let mut all = methods.iter().map(|methods| format!("{methods}.{name}"));
        all.find(|function| object.function(function).is_some())
    }) else {
        return;
    };
    for function in *whole {
        let body = format!("@gg[{GOROUTINE}] = 1;");
        script.called_by_others(object, inside, &format!("crypto/{package}.{function}"), &body);
    }
    let body = format!("@gg[{GOROUTINE}] = 2; @gd[{GOROUTINE}] = {AX};");
    script.called_by_others(object, inside, &sum, &body);
    // In how many pieces a message came: what was there before each, so that it may begin twice.
    // HMAC's inner digest has the key's block before the message. The padding does not count.
    let padding: Vec<Range> =
        object.function(&check).map(|f| (f.at, object.end(f))).into_iter().collect();
    let body = format!(
        "if (reg(\"cx\") > 0) {{ $n = *(uint64 *)({AX} + {length}); if ($n == 0) {{ @gw[{AX}] = 1; }} \
         else {{ @gw[{AX}] = @gw[{AX}] | ($n == {block} ? 2 : 4); }} }}"
    );
    script.called_by_others(object, &padding, &write, &body);
    let mac = count(
        What { library, kind: HMAC_SHA, id: "$i" },
        MAC,
        "($s & 4 ? 0 : 1) | ($w & 4 ? 4 : ($w & 2 || $n == 0 ? 2 : 6))",
        "$n",
    );
    let whole = count(What { library, kind: SHA, id: "$i" }, DIGEST, "2", "$n");
    let summed = count(
        What { library, kind: SHA, id: "$i" },
        DIGEST,
        "($w & 6 ? 4 : ($w == 1 || $n == 0 ? 2 : 6))",
        "$n",
    );
    let output =
        if *package == "sha512" { format!("$o = *(uint64 *)({AX} + 208);") } else { String::new() };
    let body = format!(
        "$s = @gg[{GOROUTINE}]; if ($s) {{ $n = *(uint64 *)({AX} + {length}); {output} \
         $i = (uint64){which}; $d = @gd[{GOROUTINE}]; $w = @gw[$d]; \
         if ($s == 1) {{ {whole} }} else {{ if ($s == 2) {{ {summed} }} else {{ $n = $n - {block}; {mac} }} \
         delete(@gw[$d]); }} delete(@gg[{GOROUTINE}]); delete(@gd[{GOROUTINE}]); }}"
    );
    script.at(object, &check, &body);
}

/// AES-GCM as it is on processors with instructions for it. `gcmAesInit` gets a key, `gcmAesFinish`
/// makes the tag of a message, and, if a nonce has not 12 bytes, something of it before.
fn gcm(script: &mut Script, object: &Object, library: usize) {
    let new = "crypto/internal/fips140/aes/gcm.";
    let old = "crypto/aes.";
    let package =
        if object.function(&format!("{new}gcmAesFinish.abi0")).is_some() { new } else { old };
    for (operation, names) in
        [(SEAL, ["seal", "(*gcmAsm).Seal"]), (OPEN, ["open", "(*gcmAsm).Open"])]
    {
        let (name, rounds) = if package == new {
            (names[0], "*(uint64 *)reg(\"di\")".to_string())
        } else {
            (names[1], format!("((*(uint64 *)({AX} + 8)) / 4 - 1)"))
        };
        let body = format!(
            "@gr[{GOROUTINE}] = {rounds} | {operation} << 8 | (reg(\"r8\") == 12 ? 0 : 1) << 16;"
        );
        script.at(object, &format!("{package}{name}"), &body);
    }
    let table = stack(1);
    script.at(object, &format!("{package}gcmAesInit.abi0"), &format!("@gk[{table}] = 1;"));
    let what = What { library, kind: GCM_ROUNDS, id: "$r & 0xff" };
    let [seal, open] = [SEAL, OPEN].map(|o| count(what, o, "2 | @gk[$t]", &stack(4)));
    let body = format!(
        "$r = @gr[{GOROUTINE}]; if ($r >> 16) {{ @gr[{GOROUTINE}] = $r & 0xffff; }} else {{ if ($r) {{ \
         $t = {table}; if ((($r >> 8) & 0xff) == {SEAL}) {{ {seal} }} else {{ {open} }} delete(@gk[$t]); \
         delete(@gr[{GOROUTINE}]); }} }}"
    );
    script.at(object, &format!("{package}gcmAesFinish.abi0"), &body);
}
