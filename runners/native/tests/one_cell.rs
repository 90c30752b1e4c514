//! Promises that verification by the protocol does not show, because it opens a cell for each case
//! and keeps the buffers of refused messages to itself: calls of one cell leave nothing to the next,
//! and a refused message leaves no plaintext. So these tests call the objects by their C interface.

#[path = "../src/abi.rs"]
#[allow(dead_code, reason = "this test opens and calls, and lists nothing")]
mod abi;
mod common;

use common::{Family, families};
use libloading::Library;
use std::collections::BTreeMap;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

const FILL: u8 = 0xa5;
const ROOM: usize = 192;
static KEY: [u8; 32] = [7; 32];
static NONCE: [u8; 12] = [1; 12];

/// An object's first contender, made ready. The others of a family share its code, and libgcrypt
/// can be started once a process only.
struct Cell {
    library: &'static Library,
    state: abi::State,
}

impl Cell {
    fn open(library: &'static Library, operation: &std::ffi::CStr, chunks: &[u32]) -> Option<Cell> {
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
        // SAFETY: the type is that of the interface, and the task is valid during the call.
        let code = unsafe {
            library.get::<abi::OpenFn>("cupel_open").expect("defined")(0, &task, &mut state)
        };
        (code == abi::OK).then(|| Cell { library, state })
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
        // SAFETY: the type is that of the interface, and the buffers are valid for their lengths.
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
        // SAFETY: the type is that of the interface, and the state was opened.
        unsafe {
            self.library.get::<abi::CloseFn>("cupel_close").expect("defined")(&mut self.state);
        }
    }
}

/// The objects that are loaded, each once and for good as in the runner. Held by a test for as long
/// as it lasts, because the interface promises contenders a single thread.
static LOADED: Mutex<BTreeMap<&str, &Library>> = Mutex::new(BTreeMap::new());

/// Every family's object, and the lock under which it may be called.
fn objects() -> MutexGuard<'static, BTreeMap<&'static str, &'static Library>> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    for family in families() {
        loaded.entry(family).or_insert_with(|| {
            // SAFETY: loading runs constructors of an object that was built for this.
            let library = unsafe { Library::new(Family::read(family).build()) };
            Box::leak(Box::new(library.expect("it loads")))
        });
    }
    loaded
}

#[test]
fn a_bad_tag_leaves_no_plaintext_in_the_output() {
    for (&family, &library) in objects().iter() {
        for chunks in [&[][..], &[16]] {
            let cell = |operation| Cell::open(library, operation, chunks);
            let (Some(mut seal), Some(mut open)) = (cell(c"seal"), cell(c"open")) else {
                assert_eq!((family, chunks), ("libsodium", &[16][..]), "only it cannot stream");
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
    for (&family, &library) in objects().iter() {
        let mut seal = Cell::open(library, c"seal", &[]).expect("it opens");
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
