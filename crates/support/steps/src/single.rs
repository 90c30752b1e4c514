//! Steps one thread of another process, by ptrace.

use super::Unseen;
use std::collections::HashMap;
use std::io;
use std::ops::{ControlFlow, Range};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// The executed instructions.
#[derive(Default)]
pub struct Trail {
    /// The instructions by their addresses.
    pub steps: HashMap<u64, Step>,
    /// The order in which they were executed.
    pub path: Vec<Moment>,
}

/// The state before an instruction.
#[derive(Clone, Copy)]
pub struct Moment {
    /// The address of the instruction.
    pub at: u64,
    /// The stack pointer.
    pub stack: u64,
}

/// An instruction.
pub struct Step {
    /// The bytes from its address on. The longest instruction has 15.
    pub bytes: [u8; 15],
    /// How often it was executed.
    pub times: u64,
}

/// How often the tool looks for the next step before it gives way to others: a step comes at once,
/// and a thread that waits in the kernel stays there for long.
const LOOKS: u32 = 2_000;

/// Steps a thread while `work` is done, which must make it run and wait for its end. It runs freely
/// after more steps than `most`.
pub fn steps<T>(
    process: u32,
    thread: u32,
    most: u64,
    work: impl FnOnce() -> T,
) -> (T, Result<Trail, Unseen>) {
    let mut trail = Trail::default();
    let (done, seen) = each(process, thread, work, |stop| {
        let at = stop.registers.rip;
        let first = || Step { bytes: stop.code(at), times: 0 };
        trail.steps.entry(at).or_insert_with(first).times += 1;
        trail.path.push(Moment { at, stack: stop.registers.rsp });
        let is_over = trail.path.len() as u64 > most;
        if is_over { Err(Unseen::TooLong(most)) } else { Ok(ControlFlow::Continue(())) }
    });
    (done, seen.map(|()| trail))
}

/// Steps a thread while `work` is done, and shows each stop to `see`: the thread has stopped before
/// an instruction. It runs freely once `see` breaks or fails.
pub fn each<T>(
    process: u32,
    thread: u32,
    work: impl FnOnce() -> T,
    see: impl FnMut(&Stop<'_>) -> Result<ControlFlow<()>, Unseen> + Send,
) -> (T, Result<(), Unseen>) {
    let over = AtomicBool::new(false);
    let (attached, ready) = channel();
    std::thread::scope(|scope| {
        // Only the thread that has attached may ask for steps.
        let tracer = scope.spawn(|| {
            let mut tracee = Tracee::attach(process, thread).map_err(Unseen::Forbidden)?;
            let _ = attached.send(());
            drop(attached);
            tracee.follow(&over, see)
        });
        // An error if it could not attach: then the work is done all the same.
        let _ = ready.recv();
        let done = work();
        over.store(true, Ordering::SeqCst);
        let seen = tracer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (done, seen)
    })
}

/// How long a runner that has answered may take until it waits for the next request.
const PATIENCE: Duration = Duration::from_secs(5);

/// Waits until a thread waits in a read of its standard input. Returns whether it does so in time.
///
/// # Errors
/// If the system does not show its state.
pub fn awaits_a_request(process: u32, thread: u32) -> io::Result<bool> {
    let path = format!("/proc/{process}/task/{thread}/syscall");
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        // The number of the system call, and its first argument: read(0, ...).
        if std::fs::read_to_string(&path)?.starts_with("0 0x0 ") {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_micros(100));
    }
    Ok(false)
}

/// The type in which the C library takes the number of a request.
#[cfg(target_env = "musl")]
type Request = libc::c_int;
#[cfg(not(target_env = "musl"))]
type Request = libc::c_uint;

/// A thread that this one has stopped. It runs freely once this is dropped.
struct Tracee {
    process: libc::pid_t,
    thread: libc::pid_t,
    /// Whether it has stopped since it was last let go.
    stopped: bool,
}

/// A thread that has stopped before an instruction.
pub struct Stop<'a> {
    tracee: &'a Tracee,
    /// Its registers.
    pub registers: libc::user_regs_struct,
}

impl Stop<'_> {
    /// The bytes of the instruction at an address, and the bytes after it.
    pub fn code(&self, at: u64) -> [u8; 15] {
        let mut bytes = [0; 15];
        self.tracee.read(at, &mut bytes);
        bytes
    }

    /// Whether the first bytes of the code at an address can be read: memory may be for execution
    /// only.
    pub fn shows_code(&self, at: u64, length: usize) -> bool {
        let mut bytes = [0; 15];
        let length = length.min(bytes.len());
        self.tracee.read(at, &mut bytes[..length])
    }

    /// Reads its memory from an address on, at most a page; zeros where there is none.
    pub fn read(&self, at: u64, bytes: &mut [u8]) {
        self.tracee.read(at, bytes);
    }

    /// Where the thread names a section of code that the kernel aborts if it interrupts it, as each
    /// step would; `None` before Linux 5.13 and where there is no such place.
    pub fn restarts(&self) -> Option<Range<u64>> {
        self.tracee.restarts()
    }

    /// Its registers of vectors, in the standard form of XSAVE.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn vectors(&self) -> io::Result<Vec<u8>> {
        self.tracee.vectors()
    }
}

/// The codes of the SIGTRAP of a step: after an instruction, after a system call, and before the
/// first instruction of a handler.
const STEPPED: [libc::c_int; 3] = [libc::TRAP_TRACE, libc::TRAP_BRKPT, libc::SIGTRAP];

/// The kernel's number of the registers that XSAVE saves, and more bytes than those have.
const NT_X86_XSTATE: usize = 0x202;
/// The request for a thread's place of sections that the kernel restarts.
const PTRACE_GET_RSEQ_CONFIGURATION: Request = 0x420f;
const MOST_XSAVE: usize = 1 << 14;

impl Tracee {
    fn attach(process: u32, thread: u32) -> io::Result<Tracee> {
        let process = libc::pid_t::try_from(process).map_err(io::Error::other)?;
        let thread = libc::pid_t::try_from(thread).map_err(io::Error::other)?;
        let mut tracee = Tracee { process, thread, stopped: false };
        tracee.ask(libc::PTRACE_SEIZE, 0)?;
        tracee.ask(libc::PTRACE_INTERRUPT, 0)?;
        tracee.next_stop(&AtomicBool::new(false))?;
        // It waits for a request. From now on it steps, so nothing of the answer is missed.
        tracee.ask(libc::PTRACE_SINGLESTEP, 0)?;
        tracee.stopped = false;
        Ok(tracee)
    }

    fn ask(&self, request: Request, data: usize) -> io::Result<()> {
        // SAFETY: none of the requests that are made here writes to this process's memory.
        match unsafe { libc::ptrace(request, self.thread, null_mut::<u8>(), data) } {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// Lets it execute instructions, one by one, until `over` is set or `see` breaks.
    fn follow(
        &mut self,
        over: &AtomicBool,
        mut see: impl FnMut(&Stop<'_>) -> Result<ControlFlow<()>, Unseen>,
    ) -> Result<(), Unseen> {
        let mut handles = false;
        while let Some(signal) = self.next_stop(over).map_err(Unseen::Forbidden)? {
            // Its own signals come between two instructions, and run its handlers.
            if signal == 0 {
                if std::mem::take(&mut handles) {
                    self.let_steps_through().map_err(Unseen::Forbidden)?;
                }
                let registers = self.registers().map_err(Unseen::Forbidden)?;
                if see(&Stop { tracee: self, registers })?.is_break() {
                    break;
                }
            }
            handles |= signal != 0;
            self.ask(libc::PTRACE_SINGLESTEP, signal as usize).map_err(Unseen::Forbidden)?;
            self.stopped = false;
        }
        Ok(())
    }

    /// Waits until it stops; returns the signal that it must still receive, or 0. `None` once
    /// `over` is set.
    fn next_stop(&mut self, over: &AtomicBool) -> io::Result<Option<libc::c_int>> {
        let mut looks = 0;
        loop {
            let mut status = 0;
            // SAFETY: `status` is a number that may be written to.
            match unsafe {
                libc::waitpid(self.thread, &raw mut status, libc::__WALL | libc::WNOHANG)
            } {
                0 => {}
                -1 => return Err(io::Error::last_os_error()),
                _ if libc::WIFSTOPPED(status) => {
                    self.stopped = true;
                    // The upper bytes tell an event of the tracer from a signal.
                    let (signal, event) = (libc::WSTOPSIG(status), status >> 16);
                    let is_of_tracer =
                        event != 0 || (signal == libc::SIGTRAP && self.has_stepped()?);
                    return Ok(Some(if is_of_tracer { 0 } else { signal }));
                }
                _ => return Err(io::Error::other("it ended")),
            }
            if over.load(Ordering::SeqCst) {
                return Ok(None);
            }
            looks += 1;
            if looks > LOOKS {
                std::thread::sleep(Duration::from_micros(100));
            } else {
                std::thread::yield_now();
            }
        }
    }

    /// Whether the SIGTRAP with which it has stopped comes from a step. Its own breakpoints, and
    /// signals that it sends itself, have other codes.
    fn has_stepped(&self) -> io::Result<bool> {
        // SAFETY: a number in each field is a value of this.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: this request writes the information about a signal, and nothing else.
        let got = unsafe {
            libc::ptrace(libc::PTRACE_GETSIGINFO, self.thread, null_mut::<u8>(), &raw mut info)
        };
        if got == -1 {
            return Err(io::Error::last_os_error());
        }
        Ok(STEPPED.contains(&info.si_code))
    }

    /// A handler may hold back other signals. The kernel would take the one of a step for a mistake
    /// of the program, and remove its handler.
    fn let_steps_through(&self) -> io::Result<()> {
        let mut mask = 0_u64;
        self.ask_of_mask(libc::PTRACE_GETSIGMASK, &raw mut mask)?;
        mask &= !(1 << (libc::SIGTRAP - 1));
        self.ask_of_mask(libc::PTRACE_SETSIGMASK, &raw mut mask)
    }

    fn ask_of_mask(&self, request: Request, mask: *mut u64) -> io::Result<()> {
        // SAFETY: these requests read or write the eight bytes of a set of signals.
        match unsafe { libc::ptrace(request, self.thread, size_of::<u64>(), mask) } {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    fn registers(&self) -> io::Result<libc::user_regs_struct> {
        // SAFETY: registers are numbers, for which all zeros is a value.
        let mut registers: libc::user_regs_struct = unsafe { std::mem::zeroed() };
        // SAFETY: this request writes the registers of a stopped thread, and nothing else.
        let got = unsafe {
            libc::ptrace(libc::PTRACE_GETREGS, self.thread, null_mut::<u8>(), &raw mut registers)
        };
        if got == -1 { Err(io::Error::last_os_error()) } else { Ok(registers) }
    }

    /// See [`Stop::restarts`].
    fn restarts(&self) -> Option<Range<u64>> {
        // The kernel's `struct ptrace_rseq_configuration`, which begins with the address of the
        // thread's `struct rseq`, whose second eight bytes name a section.
        let mut of_thread = [0_u64; 3];
        let size = size_of_val(&of_thread);
        // SAFETY: this request writes at most `size` bytes to `of_thread`.
        let got = unsafe {
            libc::ptrace(PTRACE_GET_RSEQ_CONFIGURATION, self.thread, size, &raw mut of_thread)
        };
        let at = of_thread[0];
        (got > 0 && at != 0).then_some(at + 8..at + 16)
    }

    /// The registers of vectors, in the standard form of XSAVE.
    fn vectors(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; MOST_XSAVE];
        let mut into = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        // SAFETY: this request writes at most the number of bytes in the vector.
        let got = unsafe {
            libc::ptrace(libc::PTRACE_GETREGSET, self.thread, NT_X86_XSTATE, &raw mut into)
        };
        bytes.truncate(into.iov_len);
        if got == -1 { Err(io::Error::last_os_error()) } else { Ok(bytes) }
    }

    /// Reads from an address on; zeros where there is no memory, or none that can be read. Returns
    /// whether it has read all.
    fn read(&self, at: u64, bytes: &mut [u8]) -> bool {
        // The next page may be missing: then only this one is read.
        let here = (4096 - at as usize % 4096).min(bytes.len());
        let mut is_all = true;
        for part in [0..here, here..bytes.len()].into_iter().filter(|part| !part.is_empty()) {
            let local = libc::iovec {
                iov_base: bytes[part.clone()].as_mut_ptr().cast(),
                iov_len: part.len(),
            };
            let remote =
                libc::iovec { iov_base: (at as usize + part.start) as *mut _, iov_len: part.len() };
            // SAFETY: the local vector is a part of `bytes`. The remote one is not of this process.
            let read = unsafe {
                libc::process_vm_readv(self.process, &raw const local, 1, &raw const remote, 1, 0)
            };
            is_all &= usize::try_from(read) == Ok(part.len());
        }
        is_all
    }
}

impl Drop for Tracee {
    fn drop(&mut self) {
        // An error means that it ended, and there is nothing to let go.
        let _ = self.let_go();
    }
}

impl Tracee {
    /// Lets it run freely. Only a thread that has stopped can be let go.
    fn let_go(&mut self) -> io::Result<()> {
        let never = AtomicBool::new(false);
        if !self.stopped {
            self.ask(libc::PTRACE_INTERRUPT, 0)?;
            self.next_stop(&never)?;
        }
        // The interrupt may have come before the signal of the last step, which would kill a thread
        // that no one traces.
        while self.has_a_step_pending()? {
            self.ask(libc::PTRACE_CONT, 0)?;
            self.next_stop(&never)?;
        }
        self.ask(libc::PTRACE_DETACH, 0)
    }

    /// Whether the signal of a step waits to be received.
    fn has_a_step_pending(&self) -> io::Result<bool> {
        let path = format!("/proc/{}/task/{}/status", self.process, self.thread);
        let status = std::fs::read_to_string(path)?;
        let pending = status.lines().find_map(|line| line.strip_prefix("SigPnd:"));
        let signals = pending.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok());
        let signals = signals.ok_or_else(|| io::Error::other("its status lacks its signals"))?;
        Ok(signals & (1 << (libc::SIGTRAP - 1)) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};

    /// The CPU executes such code, and the zeros that are read instead of it are an instruction,
    /// too.
    #[test]
    fn code_that_may_only_be_executed_is_not_taken_for_zeros() {
        let page = |may| {
            // SAFETY: a new page takes no other's place.
            let at = unsafe {
                libc::mmap(null_mut(), 4096, may, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
            };
            assert_ne!(at, libc::MAP_FAILED);
            at as u64
        };
        let me = libc::pid_t::try_from(std::process::id()).unwrap();
        // Nothing traces it, so it must not be let go.
        let tracee = Tracee { process: me, thread: me, stopped: false };
        let tracee = std::mem::ManuallyDrop::new(tracee);
        let mut bytes = [0; 15];
        assert!(tracee.read(page(libc::PROT_READ | libc::PROT_EXEC), &mut bytes));
        assert!(!tracee.read(page(libc::PROT_EXEC), &mut bytes));
    }

    /// `cat` reads its input and writes it: two system calls. Whenever it is attached and let go,
    /// neither is missed, and it lives on.
    #[test]
    fn a_process_is_seen_from_request_to_reply_and_lives_on() {
        let mut cat =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut to, mut from) = (cat.stdin.take().unwrap(), cat.stdout.take().unwrap());
        let mut echo = || {
            let mut back = [0];
            to.write_all(b"x").and_then(|()| from.read_exact(&mut back)).map(|()| back)
        };
        // It is ready once it has answered.
        echo().unwrap();
        let id = cat.id();
        for turn in 0..100 {
            let (back, trail) = steps(id, id, 1_000_000, &mut echo);
            assert_eq!(back.unwrap(), *b"x");
            let trail = match trail {
                Ok(trail) => trail,
                Err(why) => panic!("turn {turn}: {why}"),
            };
            let calls = trail.steps.values().filter(|step| step.bytes.starts_with(&[0x0f, 0x05]));
            let calls: u64 = calls.map(|step| step.times).sum();
            assert!(calls >= 1, "turn {turn}: no system call among {} places", trail.steps.len());
            assert_eq!(echo().unwrap(), *b"x", "turn {turn}");
        }
        drop(to);
        assert!(cat.wait().unwrap().success());
    }
}
