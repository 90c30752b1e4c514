//! libgcrypt. A handle says what it computes only when it is opened, so one from before the trace
//! is not known.

use super::elf::{Object, Range};
use super::names::{GCRYPT_CIPHER, GCRYPT_DIGEST, GCRYPT_HMAC, GCRYPT_MAC};
use super::script::{
    DIGEST, HOW, KEYED_ONE_SHOT, MAC, ONE_SHOT, OPEN, SEAL, Script, What, add, begin, copy, count,
    end, keep, kept,
};

/// Where libgcrypt's own code is in this file; `None` if it has none.
pub fn inside(object: &Object) -> Option<Range> {
    object.function("gcry_md_open")?;
    if object.name.contains("libgcrypt.so") {
        return Some(object.whole);
    }
    object.archive("gcry_md_open", &["gcry_", "_gcry_"], &["_Z", "_R"])
}

/// The functions whose success decides.
mod group {
    pub const VERIFY: u32 = 5;
    pub const OPEN: u32 = 6;
}

/// In `@ga`: the algorithm of a handle, and from bit 16 a digest's flags or a cipher's mode.
const ALGORITHM: &str = "@ga[arg0] & 0xffff";
const IS_HMAC: &str = "(@ga[arg0] >> 16) & 2";
/// The modes with a tag. Without one, a message ends where the next one begins.
const HAS_TAG: &str = "((uint64)0x1cf00 >> ($a >> 16)) & 1";

/// Counts the calls that do not come from the library itself.
pub fn probes(script: &mut Script, object: &Object, library: usize, inside: Range) {
    let mut all = Probes { script, object, library, inside };
    all.digests();
    all.macs();
    all.ciphers();
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

    /// A function that writes a new handle to its first argument.
    fn opens(&mut self, function: &str, third: &str) {
        self.at(&[function], &format!("@go[tid] = arg0; @gn[tid] = (uint64)arg1 | {third};"));
        self.returned(
            &[function],
            "if (@go[tid]) { if ((int32)retval == 0) { $h = *(uint64 *)@go[tid]; \
             @ga[$h] = @gn[tid]; @m[$h] = 1; } delete(@go[tid]); delete(@gn[tid]); }",
        );
    }

    fn digests(&mut self) {
        self.opens("gcry_md_open", "((uint64)arg2 & 2) << 16");
        self.at(
            &["gcry_md_enable"],
            "if ((@ga[arg0] & 0xffff) == 0) { @ga[arg0] = @ga[arg0] | arg1; }",
        );
        // A macro writes into the handle's buffer without a call.
        let filled = "$n = (int64)*(int32 *)(arg0 + 8);";
        let before = add("arg0", "$n");
        self.at(
            &["gcry_md_write"],
            &format!(
                "{filled} if ($n > 0) {{ {before} }} if (arg2 > 0 || $n <= 0) {{ {} }}",
                add("arg0", "arg2")
            ),
        );
        let hmac = count(self.what(GCRYPT_HMAC, ALGORITHM), MAC, HOW, "$v >> 5");
        let digest = count(self.what(GCRYPT_DIGEST, ALGORITHM), DIGEST, HOW, "$v >> 5");
        let ends = format!(
            "{filled} if ($n > 0) {{ {before} }} $v = @m[arg0]; if ($v & 1) {{ if ({IS_HMAC}) {{ {hmac} }} \
             else {{ {digest} }} delete(@m[arg0]); }}"
        );
        self.at(&["gcry_md_ctl"], &format!("if (arg1 == 5) {{ {ends} }}"));
        self.at(&["gcry_md_read", "gcry_md_extract"], &ends);
        self.at(&["gcry_md_reset"], &begin("arg0", "0"));
        self.at(&["gcry_md_setkey"], &begin("arg0", "1"));
        self.at(&["gcry_md_close", "gcry_mac_close"], "delete(@m[arg0]); delete(@ga[arg0]);");
        // Copying empties the buffer of the original.
        self.at(
            &["gcry_md_copy"],
            &format!(
                "$n = (int64)*(int32 *)(arg1 + 8); if ($n > 0) {{ {} }} @go[tid] = arg0; @gf[tid] = arg1;",
                add("arg1", "$n")
            ),
        );
        let copied = copy("$h", "@gf[tid]");
        self.returned(
            &["gcry_md_copy"],
            &format!(
                "if (@go[tid]) {{ if ((int32)retval == 0) {{ $h = *(uint64 *)@go[tid]; {copied} \
                 @ga[$h] = @ga[@gf[tid]]; }} delete(@go[tid]); delete(@gf[tid]); }}"
            ),
        );
        let whole = count(self.what(GCRYPT_DIGEST, "arg0"), DIGEST, ONE_SHOT, "arg3");
        self.at(&["gcry_md_hash_buffer"], &whole);
        // With HMAC the first piece is the key. A piece: its space, its offset, its bytes, its data.
        let digest = count(self.what(GCRYPT_DIGEST, "arg0"), DIGEST, ONE_SHOT, "$n");
        let mac = count(self.what(GCRYPT_HMAC, "arg0"), MAC, KEYED_ONE_SHOT, "$n");
        self.at(
            &["gcry_md_hash_buffers"],
            &format!(
                "$n = (uint64)0; $i = (uint64)0; unroll(8) {{ if ($i < arg4 && ($i > 0 || (arg1 & 2) == 0)) \
                 {{ $n = $n + *(uint64 *)(arg3 + $i * 32 + 16); }} $i = $i + 1; }} \
                 if (arg1 & 2) {{ {mac} }} else {{ {digest} }}"
            ),
        );
    }

    fn macs(&mut self) {
        self.opens("gcry_mac_open", "0");
        let longer = "if (arg2 != 16) { @ga[arg0] = @ga[arg0] | 0x10000; }";
        self.at(
            &["gcry_mac_setkey"],
            &format!("if ((@ga[arg0] & 0xffff) == 201) {{ {longer} }} {}", begin("arg0", "1")),
        );
        self.at(&["gcry_mac_write"], &add("arg0", "arg2"));
        let what = self.what(GCRYPT_MAC, "@ga[arg0]");
        self.at(&["gcry_mac_read"], &end("arg0", what, MAC));
        let verified = keep(group::VERIFY, what, MAC, HOW, "$v >> 5");
        let body = format!("$v = @m[arg0]; if ($v & 1) {{ {verified} delete(@m[arg0]); }}");
        self.at(&["gcry_mac_verify"], &body);
        self.returned(&["gcry_mac_verify"], &kept(group::VERIFY, "(int32)retval == 0"));
        self.at(&["gcry_mac_ctl"], &format!("if (arg1 == 4) {{ {} }}", begin("arg0", "0")));
    }

    fn ciphers(&mut self) {
        self.opens("gcry_cipher_open", "((uint64)arg2 << 16)");
        let what = self.what(GCRYPT_CIPHER, "@ga[arg0]");
        let without = format!(
            "$a = @ga[arg0]; $v = @m[arg0]; if ({HAS_TAG} == 0 && ($v & 1) && ($v >> 5) > 0) \
             {{ {} @m[arg0] = 0; }}",
            count(what, SEAL, HOW, "$v >> 5")
        );
        self.at(&["gcry_cipher_setkey"], &format!("{without} {}", begin("arg0", "1")));
        self.at(&["gcry_cipher_setiv"], &format!("{without} {}", begin("arg0", "0")));
        let reset = format!("if (arg1 == 4) {{ {without} {} }}", begin("arg0", "0"));
        self.at(&["gcry_cipher_ctl"], &reset);
        let closed = format!("{without} delete(@m[arg0]); delete(@ga[arg0]);");
        self.at(&["gcry_cipher_close"], &closed);
        // Without input, it works in place. A choice between arguments is what the kernel refuses.
        let bytes = "$n = (uint64)(arg3 == 0); ";
        let added = format!("{bytes}{}", add("arg0", "arg4 * (1 - $n) + arg2 * $n"));
        self.at(&["gcry_cipher_encrypt"], &added);
        // The two modes with a nonce that may repeat check the tag themselves.
        let own = "$a = @ga[arg0] >> 16; if ($a == 15 || $a == 16) { @go[tid] = arg0; }";
        self.at(&["gcry_cipher_decrypt"], &format!("{added} {own}"));
        let at_once = end("$h", self.what(GCRYPT_CIPHER, "@ga[$h]"), OPEN);
        self.returned(
            &["gcry_cipher_decrypt"],
            &format!(
                "$h = @go[tid]; if ($h) {{ if ((int32)retval == 0) {{ {at_once} }} delete(@go[tid]); }}"
            ),
        );
        self.at(&["gcry_cipher_gettag"], &end("arg0", what, SEAL));
        let opened = keep(group::OPEN, what, OPEN, HOW, "$v >> 5");
        let body = format!("$v = @m[arg0]; if ($v & 1) {{ {opened} delete(@m[arg0]); }}");
        self.at(&["gcry_cipher_checktag"], &body);
        let done = kept(group::OPEN, "(int32)retval == 0");
        self.returned(&["gcry_cipher_checktag"], &done);
    }
}
