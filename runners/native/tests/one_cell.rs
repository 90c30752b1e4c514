//! Promises of the C interface that verification cannot check, because it opens a cell for each
//! case and hides the buffers of refused messages: a call does not change the next call of the same
//! cell, and a refused message leaves no plaintext. These tests call the objects through the C
//! interface.

#[path = "../src/abi.rs"]
#[allow(dead_code, reason = "this test opens and calls, and lists nothing")]
mod abi;
mod common;

use common::{Family, families};
use libloading::Library;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_int};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

const FILL: u8 = 0xa5;
const ROOM: usize = 192;
static KEY: [u8; 32] = [7; 32];
static NONCE: [u8; 12] = [1; 12];

/// An object's first contender, prepared. The others of a family share its code, and libgcrypt can
/// be initialised only once in a process.
struct Cell {
    library: &'static Library,
    state: abi::State,
}

impl Cell {
    /// Opens AES-256-GCM, or returns the code with which the contender rejects the task.
    fn open(library: &'static Library, operation: &CStr, chunks: &[u32]) -> Result<Cell, c_int> {
        let task = abi::Task {
            primitive: c"aes-256-gcm".as_ptr(),
            operation: operation.as_ptr(),
            key: KEY.as_ptr(),
            key_len: 32,
            key_schedule: abi::KEY_PREPARED,
            chunks: chunks.as_ptr(),
            chunk_count: chunks.len(),
        };
        let mut state =
            abi::State { data: ptr::null_mut(), code_path: ptr::null(), reason: ptr::null() };
        // SAFETY: the type is the interface's, and the task is valid during the call.
        let code = unsafe {
            library.get::<abi::OpenFn>("cupel_open").expect("defined")(0, &task, &mut state)
        };
        if code == abi::OK { Ok(Cell { library, state }) } else { Err(code) }
    }

    /// The result and the whole output buffer.
    fn call(&mut self, nonce: &[u8], input: &[u8]) -> (i32, usize, Vec<u8>) {
        let mut output = vec![FILL; input.len() + ROOM];
        let mut io = abi::Io {
            nonce: nonce.as_ptr(),
            nonce_len: nonce.len(),
            ad: NONCE.as_ptr(),
            ad_len: 0,
            input: input.as_ptr(),
            input_len: input.len(),
            output: output.as_mut_ptr(),
            output_len: output.len(),
        };
        // SAFETY: the type is the interface's, and the buffers are valid for their lengths.
        let code = unsafe {
            self.library.get::<abi::CallFn>("cupel_call").expect("defined")(
                &mut self.state,
                &mut io,
            )
        };
        (code, io.output_len, output)
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        // SAFETY: the type is the interface's, and the state was opened.
        unsafe {
            self.library.get::<abi::CloseFn>("cupel_close").expect("defined")(&mut self.state);
        }
    }
}

/// The objects that are loaded, each once and for good, as in the runner. A test holds the lock
/// until it ends, because the interface promises contenders a single thread.
static LOADED: Mutex<BTreeMap<String, &Library>> = Mutex::new(BTreeMap::new());

/// The object of every family whose first contender seals, behind the lock that a caller must hold.
fn objects() -> MutexGuard<'static, BTreeMap<String, &'static Library>> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    for name in families() {
        let family = Family::read(&name);
        if !family.contender[0].offers.iter().any(|offer| offer == "aes-256-gcm:seal") {
            continue;
        }
        loaded.entry(name).or_insert_with(|| {
            // SAFETY: loading runs constructors of an object that was built for this.
            let library = unsafe { Library::new(family.build()) };
            Box::leak(Box::new(library.expect("it loads")))
        });
    }
    loaded
}

/// A cell that seals AES-256-GCM and one that opens it; `None` if the library does not have it here
/// (libsodium needs AES instructions), or cannot stream it. `libraries.rs` checks which can stream.
fn seal_and_open(family: &str, library: &'static Library, chunks: &[u32]) -> Option<(Cell, Cell)> {
    match (Cell::open(library, c"seal", chunks), Cell::open(library, c"open", chunks)) {
        (Ok(seal), Ok(open)) => Some((seal, open)),
        (Err(abi::MISSING), Err(abi::MISSING)) => None,
        (Err(abi::UNSUPPORTED), Err(abi::UNSUPPORTED)) if !chunks.is_empty() => None,
        (seal, open) => {
            panic!("{family} in {chunks:?}: seal {:?}, open {:?}", seal.err(), open.err())
        }
    }
}

#[test]
fn a_bad_tag_leaves_no_plaintext_in_the_output() {
    for (family, &library) in objects().iter() {
        for chunks in [&[][..], &[16]] {
            let Some((mut seal, mut open)) = seal_and_open(family, library, chunks) else {
                continue;
            };
            let plain: Vec<u8> = (1..=100).collect();
            let (code, len, mut sealed) = seal.call(&NONCE, &plain);
            assert_eq!((code, len), (abi::OK, 116), "{family}");
            sealed.truncate(len);

            let (code, len, opened) = open.call(&NONCE, &sealed);
            assert_eq!((code, &opened[..len]), (abi::OK, &plain[..]), "{family}");

            sealed[115] ^= 0x80;
            let (code, _, left) = open.call(&NONCE, &sealed);
            assert_eq!(code, abi::REFUSED, "{family}");
            assert!(left.iter().all(|&b| b == 0 || b == FILL), "{family} leaves {left:?}");

            sealed[115] ^= 0x80;
            let (code, len, opened) = open.call(&NONCE, &sealed);
            assert_eq!((code, &opened[..len]), (abi::OK, &plain[..]), "{family}, after a refusal");
        }
    }
}

#[test]
fn a_nonce_of_another_length_or_of_none_does_not_change_the_next_call() {
    for (family, &library) in objects().iter() {
        let Some((mut seal, _)) = seal_and_open(family, library, &[]) else { continue };
        let plain = [3; 20];
        let (code, len, first) = seal.call(&NONCE, &plain);
        assert_eq!((code, len), (abi::OK, 36), "{family}");
        for between in [8, 0, 16, 1000] {
            let (code, len, other) = seal.call(&vec![1; between], &plain);
            if between == 0 {
                assert_eq!(code, abi::UNSUPPORTED, "{family}");
            }
            if code == abi::OK {
                assert_ne!(other[..len], first[..36], "{family}");
            }
            let (code, _, again) = seal.call(&NONCE, &plain);
            assert_eq!((code, &again[..36]), (abi::OK, &first[..36]), "{family} after {between}");
        }
    }
}
