//! The program for bpftrace. It keeps lengths and counts in the kernel's maps, and no data.
//!
//! `@m` has what is known of each context (of OpenSSL, of libgcrypt), by its address, in one number:
//!
//! | bits | |
//! |---|---|
//! | 0 | a message has begun |
//! | 1 | the key was set for it |
//! | 2, 3 | in how many pieces it came: 0, 1, 2 for several, 3 if that is not known |
//! | 4 | the next call takes a whole record of TLS 1.2 |
//! | from 5 | its bytes |

use super::elf::{Function, Object, Range};
use super::session::TICK;
use std::fmt::Write;

/// What is done, as in `tracer/trace.h`.
pub const DIGEST: u32 = 1;
/// See [`DIGEST`].
pub const MAC: u32 = 2;
/// See [`DIGEST`].
pub const SEAL: u32 = 3;
/// See [`DIGEST`].
pub const OPEN: u32 = 4;

/// One piece, no key: bits 1 to 3 of `@m` without the first.
pub const ONE_SHOT: &str = "2";
/// One piece with a key that was set for it.
pub const KEYED_ONE_SHOT: &str = "3";

/// Messages of how many contexts can have begun, and how many counts there can be.
pub const KEYS: u32 = 65_536;

/// The program, as it grows.
#[derive(Debug)]
pub struct Script {
    process: u32,
    text: String,
    probes: usize,
}

impl Script {
    /// A program that counts in one process. It says regularly that it runs: what comes first is
    /// attached last.
    pub fn new(process: u32) -> Script {
        Script {
            process,
            text: format!("interval:ms:50 {{ printf(\"{TICK}\\n\"); }}\n"),
            probes: 0,
        }
    }

    /// Whether there is nothing to count.
    pub fn is_empty(&self) -> bool {
        self.probes == 0
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// By its address, because bpftrace would look for each name in all of a large program.
    fn probe(&mut self, kind: &str, object: &Object, function: Function, body: &str) {
        self.probes += 1;
        let (path, process) = (object.path(), self.process);
        let _ =
            writeln!(self.text, "{kind}:{path}:{:#x} /pid == {process}/ {{ {body} }}", function.at);
    }

    /// At the begin of a function.
    pub fn at(&mut self, object: &Object, function: &str, body: &str) {
        if let Some(function) = object.function(function) {
            self.probe("uprobe", object, function, body);
        }
    }

    /// At the begin of a function, if its caller is not in one of these parts of the same file.
    pub fn called_by_others(
        &mut self,
        object: &Object,
        inside: &[Range],
        function: &str,
        body: &str,
    ) {
        let Some(own) = object.function(function) else { return };
        let parts: Vec<String> =
            inside.iter().map(|(from, to)| format!("($at < {from} || $at >= {to})")).collect();
        // Where the file lies in memory is known by where this function is.
        let body = format!(
            "$at = (int64)*(uint64 *)reg(\"sp\") - (int64)reg(\"ip\") + {}; if ({}) {{ {body} }}",
            own.at,
            if parts.is_empty() { "1".to_string() } else { parts.join(" && ") }
        );
        self.probe("uprobe", object, own, &body);
    }

    /// At the return of a function.
    pub fn returned(&mut self, object: &Object, function: &str, body: &str) {
        if let Some(function) = object.function(function) {
            self.probe("uretprobe", object, function, body);
        }
    }
}

/// What is counted: the library's index, the kind of number that names it, and that number.
#[derive(Clone, Copy, Debug)]
pub struct What<'a> {
    /// The index of the library.
    pub library: usize,
    /// The kind of the number.
    pub kind: u32,
    /// An expression.
    pub id: &'a str,
}

/// Counts a message.
pub fn count(what: What<'_>, operation: u32, how: &str, bytes: &str) -> String {
    let What { library, kind, id } = what;
    format!(
        "@calls[(uint64){library}, (uint64){kind}, (uint64)({id}), (uint64){operation}, \
         (uint64)({how}), (uint64)({bytes})] = count(); @all = count();"
    )
}

/// A word of the stack, from its top.
pub fn stack(word: u32) -> String {
    format!("*(uint64 *)(reg(\"sp\") + {})", word * 8)
}

/// Keeps a message until its function returns: whether it succeeded is known only then. `group` is
/// that of the functions which may end it.
pub fn keep(group: u32, what: What<'_>, operation: u32, how: &str, bytes: &str) -> String {
    let What { library, kind, id } = what;
    format!(
        "@p[tid] = ((uint64){group}, (uint64){library}, (uint64){kind}, (uint64)({id}), \
         (uint64){operation}, (uint64)({how}), (uint64)({bytes}));"
    )
}

/// Counts the kept message if its function succeeded.
pub fn kept(group: u32, succeeded: &str) -> String {
    format!(
        "if (@p[tid].0 == {group}) {{ if ({succeeded}) {{ @calls[@p[tid].1, @p[tid].2, @p[tid].3, \
         @p[tid].4, @p[tid].5, @p[tid].6] = count(); @all = count(); }} delete(@p[tid]); }}"
    )
}

/// A message begins whose key, if it has one, was set before or is set now.
pub fn begin(context: &str, is_keyed: &str) -> String {
    format!("@m[{context}] = 1 | (@m[{context}] & 2) | (({is_keyed}) ? 2 : 0);")
}

/// A piece of a message.
pub fn add(context: &str, bytes: &str) -> String {
    format!(
        "$v = @m[{context}]; if ($v & 1) {{ \
         @m[{context}] = $v + (((uint64)({bytes})) << 5) + (($v & 8) ? 0 : 4); }}"
    )
}

/// The end of a message, if one has begun.
pub fn end(context: &str, what: What<'_>, operation: u32) -> String {
    let counted = count(what, operation, HOW, "$v >> 5");
    format!("$v = @m[{context}]; if ($v & 1) {{ {counted} delete(@m[{context}]); }}")
}

/// How the message in `$v` came. One without any piece came in one.
pub const HOW: &str = "($v >> 1) & 7";

/// `to` is now a copy of `from`. The key's schedule is copied too, so a copy that was made before
/// its message began has kept its key.
pub fn copy(to: &str, from: &str) -> String {
    format!(
        "$f = @m[{from}]; if ($f & 1) {{ @m[{to}] = ($f & 12) ? $f : $f & ~(uint64)2; }} \
         else {{ delete(@m[{to}]); }}"
    )
}
