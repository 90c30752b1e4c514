//! What uprobes add to a call, measured now, in this process: the same three probes as those of a
//! digest of OpenSSL, on three functions of the C library that nothing here calls otherwise.

use super::elf::Object;
use super::names::DIGEST_NUMBER;
use super::script::{DIGEST, Script, What, add, end};
use super::session::Session;
use anyhow::{Context, Result};
use std::ffi::{CStr, c_void};
use std::fs::File;
use std::time::Instant;

const FUNCTIONS: [&CStr; 3] = [c"ffs", c"ffsl", c"ffsll"];
const TURNS: usize = 101;
const CALLS: usize = 20;

type Function = extern "C" fn(*const c_void, usize, usize) -> usize;

/// The time that three probes add to a message, in ns.
///
/// # Errors
/// If the functions are not there, or nothing can be attached.
pub fn added() -> Result<f64> {
    let functions = FUNCTIONS.map(|name| {
        // SAFETY: the name ends with a zero.
        unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
    });
    if functions.iter().any(|function| function.is_null()) {
        anyhow::bail!("the C library lacks a function");
    }
    // SAFETY: each takes one number, reads no memory, and ignores what else is passed.
    let functions = functions.map(|f| unsafe { std::mem::transmute::<*mut c_void, Function>(f) });
    let without = median(&functions);
    let library = mapped_at(functions[0] as usize).context("the C library is not mapped")?;
    let object = Object::read(File::open(&library)?, &library)?;
    let mut script = Script::new(std::process::id());
    let what = What { library: 0, kind: DIGEST_NUMBER, id: "*(int32 *)*(uint64 *)arg0" };
    script.called_by_others(&object, &[(0, 1)], "ffs", "@m[arg0] = 1;");
    script.called_by_others(&object, &[(0, 1)], "ffsl", &add("arg0", "arg2"));
    script.called_by_others(&object, &[(0, 1)], "ffsll", &end("arg0", what, DIGEST));
    let session = Session::start(script.text(), 64)?;
    let with = median(&functions);
    session.stop()?;
    Ok(with - without)
}

/// ns per message of three calls.
fn median(functions: &[Function; 3]) -> f64 {
    let number = [672u32, 0];
    let context = [number.as_ptr()];
    let mut times: Vec<f64> = (0..TURNS)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..CALLS {
                for function in functions {
                    std::hint::black_box(function(context.as_ptr().cast(), 0, 64));
                }
            }
            start.elapsed().as_secs_f64() * 1e9 / CALLS as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[TURNS / 2]
}

/// The file that is mapped at an address.
fn mapped_at(address: usize) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        let from = usize::from_str_radix(from, 16).ok()?;
        let to = usize::from_str_radix(to, 16).ok()?;
        let path = &rest[rest.find('/')?..];
        (from <= address && address < to).then(|| path.to_string())
    })
}
