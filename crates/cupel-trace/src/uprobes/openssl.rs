//! OpenSSL: its digests, MACs and ciphers, as a shared library or inside another file.
//!
//! The first word of a context of OpenSSL points to what it computes, and that begins with its
//! number (`<openssl/obj_mac.h>`), in versions 1.1 and 3. So contexts from before the trace are
//! known too.

use super::elf::{Object, Range};
use super::names::{CIPHER, CMAC, DERIVATION, DIGEST_NUMBER, HMAC, NAMED_DIGEST, NAMED_MAC};
use super::script::{
    DIGEST, HOW, KEYED_ONE_SHOT, MAC, ONE_SHOT, OPEN, SEAL, Script, What, add, begin, copy, count,
    end, keep, kept, stack,
};

/// A function that every program has which digests or encrypts by OpenSSL. Others have a
/// `SHA256_Update` of their own.
const MARKS: [&str; 2] = ["EVP_DigestUpdate", "EVP_EncryptUpdate"];

/// How names of libcrypto's functions begin.
const OWN: [&str; 17] = [
    "EVP_", "evp_", "ossl_", "OSSL_", "CRYPTO_", "OPENSSL_", "BIO_", "ASN1_", "X509_", "RAND_",
    "PKCS", "ERR_", "BN_", "RSA_", "EC_", "SHA", "HMAC",
];

/// How those of its neighbours begin: of libssl, of C++ and of Rust.
const OTHERS: [&str; 7] =
    ["_Z", "_R", "SSL_", "ossl_statem_", "tls_construct_", "tls_process_", "tls_post_process_"];

/// Where libcrypto's own code is in this file; `None` if it has none.
pub fn inside(object: &Object) -> Option<Range> {
    let mark = MARKS.into_iter().find(|mark| object.function(mark).is_some())?;
    if object.name.contains("libcrypto.so") {
        return Some(object.whole);
    }
    object.archive(mark, &OWN, &OTHERS)
}

/// The number of the digest in a context, or of HMAC's.
const NUMBER: &str = "*(int32 *)*(uint64 *)";

/// The functions whose success decides: those with the same number may end each other's messages.
mod group {
    pub const OPEN: u32 = 1;
    pub const DIGEST: u32 = 2;
    pub const MAC: u32 = 3;
    pub const OLD: u32 = 4;
}

/// Counts the calls that do not come from the library itself.
pub fn probes(script: &mut Script, object: &Object, library: usize, inside: Range) {
    let mut all = Probes { script, object, library, inside };
    all.digests();
    all.old_digests();
    all.macs();
    all.hmac_and_cmac();
    all.ciphers();
    all.derivations();
}

/// Where a cipher's context says whether it encrypts: the library's own function reads it from
/// there, by `mov N(%rdi),%eax`. It is 16, and 8 since version 4, which has no engines.
fn direction(object: &Object) -> u8 {
    let names = ["EVP_CIPHER_CTX_is_encrypting", "EVP_CIPHER_CTX_encrypting"];
    let function = names.iter().find_map(|name| object.function(name));
    let code = function.map(|function| object.code(function)).unwrap_or_default();
    code.windows(3).find(|bytes| bytes.starts_with(&[0x8b, 0x47])).map_or(16, |bytes| bytes[2])
}

struct Probes<'a> {
    script: &'a mut Script,
    object: &'a Object,
    library: usize,
    inside: Range,
}

impl Probes<'_> {
    fn at(&mut self, functions: &[&str], body: &str) {
        for function in functions {
            self.script.called_by_others(self.object, &[self.inside], function, body);
        }
    }

    fn returned(&mut self, functions: &[&str], body: &str) {
        for function in functions {
            self.script.returned(self.object, function, body);
        }
    }

    fn what<'i>(&self, kind: u32, id: &'i str) -> What<'i> {
        What { library: self.library, kind, id }
    }

    /// A function that returns a copy of its argument.
    fn duplicates(&mut self, functions: &[&str], more: &str) {
        self.at(functions, "@dup[tid] = arg0;");
        let copied = copy("retval", "@dup[tid]");
        let body =
            format!("if (@dup[tid]) {{ if (retval) {{ {copied} {more} }} delete(@dup[tid]); }}");
        self.returned(functions, &body);
    }

    fn digests(&mut self) {
        let begins = ["EVP_DigestInit", "EVP_DigestInit_ex", "EVP_DigestInit_ex2"];
        self.at(&begins, "@m[arg0] = 1;");
        self.at(&["EVP_DigestUpdate"], &add("arg0", "arg2"));
        let number = format!("{NUMBER}arg0");
        let ends = end("arg0", self.what(DIGEST_NUMBER, &number), DIGEST);
        self.at(&["EVP_DigestFinal", "EVP_DigestFinal_ex"], &ends);
        // More output than one block of SHAKE128 is more work than what Cupel measures.
        let long = format!("{number} + (arg2 > 168 ? 100000 : 0)");
        let ends = end("arg0", self.what(DIGEST_NUMBER, &long), DIGEST);
        self.at(&["EVP_DigestFinalXOF"], &ends);
        self.at(&["EVP_MD_CTX_copy", "EVP_MD_CTX_copy_ex"], &copy("arg0", "arg1"));
        self.duplicates(&["EVP_MD_CTX_dup"], "");
        let number = "*(int32 *)arg4";
        let whole = self.what(DIGEST_NUMBER, number);
        self.at(&["EVP_Digest"], &keep(group::DIGEST, whole, DIGEST, ONE_SHOT, "arg1"));
        self.returned(&["EVP_Digest"], &kept(group::DIGEST, "(int32)retval > 0"));
        self.at(&["EVP_Q_digest"], "@q[tid] = str(arg1, 32); @qn[tid] = arg4 + 1;");
        self.named("EVP_Q_digest", NAMED_DIGEST, DIGEST, "(int32)retval > 0");
    }

    /// What hashes many times, by the library's own calls.
    fn derivations(&mut self) {
        let all = [
            ("PKCS5_PBKDF2_HMAC", "1"),
            ("PKCS5_PBKDF2_HMAC_SHA1", "1"),
            ("EVP_PBE_scrypt", "2"),
            ("EVP_KDF_derive", "0"),
        ];
        for (function, which) in all {
            let counted = count(self.what(DERIVATION, which), DIGEST, ONE_SHOT, "0");
            self.at(&[function], &counted);
        }
    }

    /// Counts by two names that were kept in `@q` and `@qs`, with the size and one in `@qn`.
    fn named(&mut self, function: &str, kind: u32, operation: u32, succeeded: &str) {
        let second = if kind == NAMED_MAC { "@qs[tid]" } else { "\"\"" };
        let how = if kind == NAMED_MAC { KEYED_ONE_SHOT } else { ONE_SHOT };
        let named =
            named(self.library, kind, ("@q[tid]", second, "0"), operation, how, "@qn[tid] - 1");
        let body = format!("if (@qn[tid]) {{ if ({succeeded}) {{ {named} }} delete(@qn[tid]); }}");
        self.returned(&[function], &body);
    }

    /// The older functions of each digest. How long the message is stands in the structure, which
    /// the program may have copied by itself: then no one knows in how many pieces it came.
    fn old_digests(&mut self) {
        for (name, number, bytes) in [
            ("SHA1", "64", length_at(20)),
            ("SHA224", "675", length_at(32)),
            ("SHA256", "672", length_at(32)),
            ("SHA384", "673", LONG_LENGTH.to_string()),
            ("SHA512", "674", LONG_LENGTH.to_string()),
            ("MD5", "4", length_at(16)),
        ] {
            self.at(&[&format!("{name}_Init")], "@m[arg0] = 1;");
            self.at(&[&format!("{name}_Update")], &add("arg0", "arg2"));
            let what = self.what(DIGEST_NUMBER, number);
            let is_known = "(($v & 1) && ($v >> 5) == $n) ? ($v >> 1) & 7 : 6";
            let counted = count(what, DIGEST, is_known, "$n");
            let body = format!("$v = @m[arg1]; $n = {bytes}; {counted} delete(@m[arg1]);");
            self.at(&[&format!("{name}_Final")], &body);
            self.at(&[name], &keep(group::OLD, what, DIGEST, ONE_SHOT, "arg1"));
            self.returned(&[name], &kept(group::OLD, "retval != 0"));
        }
    }

    /// `EVP_MAC_...`, which are known by names.
    fn macs(&mut self) {
        let begins = format!("{} {}", begin("arg0", "arg1 != 0"), learn("arg3"));
        self.at(&["EVP_MAC_init"], &begins);
        self.at(&["EVP_MAC_CTX_set_params"], &learn("arg1"));
        self.at(&["EVP_MAC_update"], &add("arg0", "arg2"));
        // The structure of a MAC: its provider, a number, its name.
        let name = "str(*(uint64 *)(*(uint64 *)arg0 + 16), 32)";
        let names = (name, "@mac[arg0]", "@sip[arg0]");
        let counted = named(self.library, NAMED_MAC, names, MAC, HOW, "$v >> 5");
        // Without space for the output they only say how long it is.
        let ends =
            format!("$v = @m[arg0]; if (arg1 != 0 && ($v & 1)) {{ {counted} delete(@m[arg0]); }}");
        self.at(&["EVP_MAC_final", "EVP_MAC_finalXOF"], &ends);
        let more = "@mac[retval] = @mac[@dup[tid]]; @sip[retval] = @sip[@dup[tid]];";
        self.duplicates(&["EVP_MAC_CTX_dup"], more);
        self.at(&["EVP_MAC_CTX_free"], "delete(@m[arg0]); delete(@mac[arg0]); delete(@sip[arg0]);");
        let kept = format!(
            "if ({} != 0) {{ @q[tid] = str(arg1, 32); @qs[tid] = str(arg3, 32); @qn[tid] = {} + 1; }}",
            stack(4),
            stack(3)
        );
        self.at(&["EVP_Q_mac"], &kept);
        self.named("EVP_Q_mac", NAMED_MAC, MAC, "retval != 0");
    }

    fn hmac_and_cmac(&mut self) {
        self.at(&["HMAC_Init", "HMAC_Init_ex"], &begin("arg0", "arg1 != 0"));
        self.at(&["HMAC_Update", "CMAC_Update"], &add("arg0", "arg2"));
        let number = format!("{NUMBER}arg0");
        let ends = end("arg0", self.what(HMAC, &number), MAC);
        self.at(&["HMAC_Final"], &ends);
        self.at(&["HMAC_CTX_copy", "CMAC_CTX_copy"], &copy("arg0", "arg1"));
        let whole = self.what(HMAC, "*(int32 *)arg0");
        self.at(&["HMAC"], &keep(group::MAC, whole, MAC, KEYED_ONE_SHOT, "arg4"));
        self.returned(&["HMAC"], &kept(group::MAC, "retval != 0"));
        self.at(&["CMAC_Init"], &begin("arg0", "arg1 != 0"));
        let number = format!("{NUMBER}*(uint64 *)arg0");
        let ends = end("arg0", self.what(CMAC, &number), MAC);
        self.at(&["CMAC_Final"], &format!("if (arg1 != 0) {{ {ends} }}"));
    }

    fn ciphers(&mut self) {
        let third = ["EVP_EncryptInit", "EVP_DecryptInit", "EVP_CipherInit"];
        let third_too = ["EVP_EncryptInit_ex2", "EVP_DecryptInit_ex2", "EVP_CipherInit_ex2"];
        self.at(&third, &begin("arg0", "arg2 != 0"));
        self.at(&third_too, &begin("arg0", "arg2 != 0"));
        let fourth = ["EVP_EncryptInit_ex", "EVP_DecryptInit_ex", "EVP_CipherInit_ex"];
        self.at(&fourth, &begin("arg0", "arg3 != 0"));
        let number = format!("{NUMBER}arg0");
        let what = self.what(CIPHER, &number);
        let is_sealing = &format!("*(int32 *)(arg0 + {})", direction(self.object));
        let seal = end("arg0", what, SEAL);
        let open = format!(
            "$v = @m[arg0]; if ($v & 1) {{ {} delete(@m[arg0]); }}",
            keep(group::OPEN, what, OPEN, HOW, "$v >> 5")
        );
        let either = format!("if ({is_sealing}) {{ {seal} }} else {{ {open} }}");
        // Without a place for output it is associated data.
        let added = |operation: &str, bytes: &str| {
            let around = format!("(16 + ({number} == 1018 ? 0 : 8))");
            let [seal, open] = [SEAL, OPEN].map(|o| count(what, o, "2 | (($v >> 1) & 1)", "$n"));
            format!(
                "if (arg1 != 0 && (int32){bytes} >= 0) {{ $r = @m[arg0]; if ($r & 16) {{ $v = $r; \
                 $n = (uint64)({bytes} > {around} ? {bytes} - {around} : 0); \
                 if ({operation}) {{ {seal} }} else {{ {open} }} delete(@m[arg0]); }} else {{ {} }} }}",
                add("arg0", bytes)
            )
        };
        // It ends with a jump to one of the two others, if the compiler has not put them into it.
        let jump = "reg(\"sp\") + arg0 + arg3 + arg4";
        self.at(
            &["EVP_CipherUpdate"],
            &format!("@jump[tid] = {jump}; if (arg3 != 0) {{ {} }}", added(is_sealing, "arg4")),
        );
        for (function, operation) in [("EVP_EncryptUpdate", "1"), ("EVP_DecryptUpdate", "0")] {
            let body = format!(
                "if (@jump[tid] == {jump}) {{ delete(@jump[tid]); }} else {{ if (arg3 != 0) {{ {} }} }}",
                added(operation, "arg4")
            );
            self.at(&[function], &body);
        }
        self.at(&["EVP_EncryptFinal", "EVP_EncryptFinal_ex"], &seal);
        let opens = ["EVP_DecryptFinal", "EVP_DecryptFinal_ex"];
        self.at(&opens, &open);
        self.at(&["EVP_CipherFinal", "EVP_CipherFinal_ex"], &either);
        let opened = kept(group::OPEN, "(int32)retval > 0");
        self.returned(&opens, &opened);
        self.returned(&["EVP_CipherFinal", "EVP_CipherFinal_ex"], &opened);
        // Update and final in one function: without input it is the final call.
        let body =
            format!("if (arg2 == 0) {{ {either} }} else {{ {} }}", added(is_sealing, "arg3"));
        self.at(&["EVP_Cipher"], &body);
        self.returned(&["EVP_Cipher"], &kept(group::OPEN, "(int32)retval >= 0"));
        // EVP_CTRL_AEAD_TLS1_AAD
        let record = "if (arg1 == 0x16) { @m[arg0] = @m[arg0] | 16; }";
        self.at(&["EVP_CIPHER_CTX_ctrl"], record);
        self.at(&["EVP_CIPHER_CTX_copy"], &copy("arg0", "arg1"));
        self.duplicates(&["EVP_CIPHER_CTX_dup"], "");
    }
}

/// The length of a message in bytes, of a structure with the bits in one number.
const LONG_LENGTH: &str = "(*(uint64 *)(arg1 + 64)) >> 3";

/// The same where they are in two numbers, the lower one at `at`.
fn length_at(at: u32) -> String {
    format!(
        "(((uint64)*(uint32 *)(arg1 + {})) << 29) | ((uint64)*(uint32 *)(arg1 + {at})) >> 3",
        at + 4
    )
}

/// Counts a message that is known by two names and a number.
fn named(
    library: usize,
    kind: u32,
    (first, second, more): (&str, &str, &str),
    operation: u32,
    how: &str,
    bytes: &str,
) -> String {
    format!(
        "@named[(uint64){library}, (uint64){kind}, {first}, {second}, (uint64)({more}), \
         (uint64){operation}, (uint64)({how}), (uint64)({bytes})] = count(); @all = count();"
    )
}

/// What a MAC computes, from the parameters that it gets: HMAC's digest, CMAC's cipher, SipHash's
/// rounds and output. An entry of the list has 40 bytes: a name, a type, where the value is and its
/// size.
fn learn(parameters: &str) -> String {
    let number = "((*(uint64 *)($l + 24)) == 8 ? *(uint64 *)*(uint64 *)($l + 16) : \
                  (uint64)*(uint32 *)*(uint64 *)($l + 16))";
    format!(
        "$c = arg0; $l = (uint64){parameters}; unroll(6) {{ if ($l != 0) {{ $k = *(uint64 *)$l; if ($k == 0) \
         {{ $l = (uint64)0; }} else {{ \
         if (str($k, 16) == \"digest\" || str($k, 16) == \"cipher\") \
         {{ @mac[$c] = str(*(uint64 *)($l + 16), 32); }} \
         if (str($k, 16) == \"c-rounds\") {{ @sip[$c] = (@sip[$c] & 0xffff) | ({number}) << 16; }} \
         if (str($k, 16) == \"d-rounds\") \
         {{ @sip[$c] = (@sip[$c] & 0xff00ff) | ({number}) << 8; }} \
         if (str($k, 16) == \"size\") {{ @sip[$c] = (@sip[$c] & 0xffff00) | {number}; }} \
         $l = $l + 40; }} }} }}"
    )
}
