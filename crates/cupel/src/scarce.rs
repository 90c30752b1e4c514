//! How the tool ends where it gets no memory and no threads: in one line with a remedy, as after
//! any other error. The store has every round that was finished.

use cupel_base::text::tell;
use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, which prints a remedy if it has no more.
struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

const NO_MEMORY: &str = "error: there is no more memory: end other programs, raise `ulimit -v`, or \
    name fewer contenders or smaller sizes; finished rounds are safe, and --resume goes on\n";

// SAFETY: these are the functions of the system's allocator, and none returns without memory.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: passed on as it came.
        some(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: passed on as it came.
        some(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: passed on as it came.
        some(unsafe { System.realloc(old, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: passed on as it came.
        unsafe { System.dealloc(memory, layout) };
    }
}

const NO_THREADS: &str = "error: the system has no more processes and threads for this user: end \
    other programs, raise `ulimit -u`, or name fewer contenders; finished rounds are safe, and \
    --resume goes on";

/// The memory, if there is any. Runners end with this process.
fn some(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        cupel_machine::end_without_memory(NO_MEMORY);
    }
    memory
}

/// Lets the system's limits be errors like others, from now on.
pub fn explain() {
    cupel_machine::outlive_file_limit();
    cupel_machine::allow_many_files();
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let said = panic.payload().downcast_ref::<String>().map_or("", String::as_str);
        // The message of `std::thread::spawn`. Most threads here are scoped ones, which panic in
        // this case.
        if !said.starts_with("failed to spawn thread") {
            return usual(panic);
        }
        tell(NO_THREADS);
        cupel_runner::end_all();
        std::process::exit(3);
    }));
}
