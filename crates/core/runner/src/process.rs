//! A runner as a child process: one line out, one line back, within a time limit.

use crate::fault::{Fault, expect_ok};
use crate::host::Host;
use crate::lines::Lines;
use crate::patient::Patient;
use crate::{environment, hidden, spawn};
use cupel_machine::{End, ThreadClock};
use cupel_protocol::line::{self, LineError};
use cupel_protocol::message::{
    Ask, Compute, Computed, Done, Hello, List, Outcome, Prepare, Prepared, Reply, Request, Slice,
    Sliced,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How a runner is started.
#[derive(Clone, Debug)]
pub struct Start {
    /// Program and arguments.
    pub command: Vec<OsString>,
    /// The processor that it is pinned to after the greeting, if the system can do that. It starts
    /// as free as the tool was: a JVM that sees only one processor selects another garbage
    /// collector, and so other machine code, than in a real application.
    pub cpu: Option<usize>,
    /// The number of the fork, for runners that want their own seed.
    pub fork: u64,
    /// Bytes of padding in the environment: its size moves the stack, and so changes the speed
    /// (Mytkowicz et al., ASPLOS 2009).
    pub padding: usize,
    /// How long any answer may take.
    pub patience: Duration,
    /// The file to which a JVM logs the work of its compilers; `%p` in it stands for the process
    /// number.
    pub compilation_log: Option<PathBuf>,
    /// Whether it is kept from the network and from your files ([`cupel_machine::sandbox`]).
    pub confined: bool,
}

impl Start {
    /// A confined runner on any processor that answers within this time.
    pub fn plain(command: Vec<OsString>, patience: Duration) -> Start {
        let (cpu, fork, padding, compilation_log, confined) = (None, 0, 0, None, true);
        Start { command, cpu, fork, padding, patience, compilation_log, confined }
    }
}

/// A live runner. It is killed when this is dropped.
pub struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Lines,
    /// How many processes had been killed for memory when it started.
    killed_before: Option<u64>,
    log: Log,
    patience: Duration,
    next_id: u64,
    /// The runner's report about itself.
    pub hello: Hello,
    /// Whether it is pinned to processors.
    pinned: bool,
    /// The processors on which the first thread that makes calls may run since it was moved.
    place: Option<Vec<usize>>,
    /// When its output was last looked at.
    looked: Option<Instant>,
    /// How it competed for processors when it greeted.
    priority: Option<[i64; 2]>,
    /// The threads that make the calls of its cells, besides the first one.
    others: Vec<u32>,
    /// The clocks of the threads that make calls. A runner that names none has one thread.
    clocks: Option<Vec<ThreadClock>>,
}

/// While a runner waits for processors, the tool waits longer, but at most this many times its
/// patience: a machine that gives a runner no processor for ten minutes measures nothing.
const MOST_PATIENCE: u32 = 10;

/// An answer that comes within this part of the patience is waited for without a look at the
/// runner: looking takes time.
const AT_ONCE: u32 = 60;

/// How long nothing arrives until the tool looks whether the runner still lives.
const A_LOOK: Duration = Duration::from_secs(1);

/// How long a runner is left alone when its compiler has work to do: about the time for one method.
const A_MOMENT: Duration = Duration::from_millis(2);

/// The most bytes that a runner and its children may write in all, its answers included. The
/// answers of the longest verification are a tenth of it.
const MOST_WRITTEN: u64 = 4 << 30;

/// A runner's standard error: its end is kept, for the message about the runner's end.
struct Log {
    kept: Arc<Mutex<Vec<u8>>>,
    /// Nothing is ever sent: it is disconnected once the log has been read to its end.
    ended: Receiver<()>,
}

impl Process {
    /// Starts a runner and exchanges greetings.
    ///
    /// # Errors
    /// If it cannot be started, or does not speak this protocol.
    pub fn start(start: &Start) -> Result<Process, Fault> {
        Process::start_with(start, |_| {})
    }

    /// Starts a runner whose program `change` has prepared in addition.
    ///
    /// # Errors
    /// If it cannot be started, or does not speak this protocol.
    pub fn start_with(start: &Start, change: fn(&mut Command)) -> Result<Process, Fault> {
        let (program, arguments) =
            start.command.split_first().ok_or_else(|| Fault::Start("an empty command".into()))?;
        let mut command = Command::new(program);
        environment::clean(&mut command);
        command
            .args(arguments)
            .env(spawn::FORK, start.fork.to_string())
            .env("CUPEL_PADDING", "x".repeat(start.padding))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(log) = &start.compilation_log {
            // The Java launcher takes these options in addition to the command line's.
            let file = log.to_string_lossy();
            let users = std::env::var("JDK_JAVA_OPTIONS").unwrap_or_default();
            let what = "jit*=debug,nmethod+install=info";
            let log = format!("'-Xlog:{what}:file=\"{file}\":uptime,tags:filecount=0'");
            command.env("JDK_JAVA_OPTIONS", format!("{users} {log}"));
        }
        if start.cpu.is_some() {
            cupel_machine::set_free(&mut command);
        } else {
            cupel_machine::set_as_here(&mut command);
        }
        change(&mut command);
        if start.confined {
            let logs = start.compilation_log.as_ref().and_then(|log| log.parent());
            cupel_machine::sandbox(&mut command, logs);
            environment::move_caches(&mut command);
        }
        let killed_before = cupel_machine::killed_for_memory();
        let mut child =
            spawn::spawn(command).map_err(|e| Fault::unstarted(Path::new(program), &e))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout is piped");
        let stderr = child.stderr.take().expect("stderr is piped");
        let log = match Log::keep(stderr) {
            Ok(log) => log,
            Err(error) => {
                spawn::end(&mut child);
                return Err(Fault::unstarted(Path::new(program), &error));
            }
        };
        let unknown = Hello {
            protocol: 0,
            runner: String::new(),
            version: String::new(),
            clock: cupel_protocol::message::Clock {
                name: String::new(),
                resolution_ns: f64::NAN,
                simulated: false,
            },
            jit: false,
            thread: None,
        };
        let patience = start.patience;
        let mut process = Process {
            child,
            stdin,
            lines: Lines::new(stdout),
            killed_before,
            log,
            patience,
            next_id: 0,
            hello: unknown,
            pinned: false,
            place: None,
            looked: None,
            priority: None,
            others: vec![],
            clocks: None,
        };
        let tool = format!("cupel {}", env!("CARGO_PKG_VERSION"));
        let ask = Ask::Hello { protocol: cupel_protocol::PROTOCOL, tool };
        process.hello = expect_ok(process.ask("hello", ask, patience)?, "hello")?;
        let id = process.child.id();
        hidden::check(&start.command, id)?;
        process.priority = cupel_machine::priority(process.first());
        let first = ThreadClock::open(id, process.first());
        process.clocks = first.map(|clock| vec![clock]);
        process.pinned = start.cpu.is_some();
        if let Some(cpu) = start.cpu {
            process.move_to(cpu);
        }
        Ok(process)
    }

    /// Its number.
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The thread that makes the calls, if only one does.
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    pub fn caller(&self) -> u32 {
        self.first()
    }

    /// Asks for the runner's contenders.
    ///
    /// # Errors
    /// If it does not answer correctly.
    pub fn list(&mut self) -> Result<List, Fault> {
        expect_ok(self.ask("list", Ask::List, self.patience)?, "list")
    }

    /// Sends `bye` and waits a moment for the end. A runner that stays is killed.
    pub fn bye(mut self) {
        let _: Result<Outcome<Done>, Fault> = self.ask("bye", Ask::Bye, Duration::from_millis(500));
    }

    /// Sends `bye` and checks the end: a reply, nothing after it, and an exit with status 0 while
    /// its input is still open.
    ///
    /// # Errors
    /// If it deviates from that.
    pub fn leave(mut self) -> Result<(), Fault> {
        let during = "bye";
        expect_ok(self.ask::<Done>(during, Ask::Bye, self.patience)?, during)?;
        match self.lines.next(self.patience) {
            Err(LineError::End) => {}
            Err(error) => return Err(Fault::Garbled { during, error }),
            Ok(Some(bytes)) => {
                let reason = "a line after the last reply".to_string();
                let error = LineError::Malformed { reason, line: line::excerpt(&bytes) };
                return Err(Fault::Garbled { during, error });
            }
            Ok(None) => return Err(Fault::Stays { after: self.patience }),
        }
        let start = Instant::now();
        loop {
            match spawn::ended(&mut self.child) {
                Ok(Some(exit)) if exit.success() => return Ok(()),
                Ok(Some(exit)) => {
                    let (status, log) = (words(exit), self.log.last_words_of_all());
                    return Err(Fault::Ended { status, during, log });
                }
                _ if start.elapsed() >= self.patience => {
                    return Err(Fault::Stays { after: self.patience });
                }
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// Sends a request that the protocol's types cannot express. Its number is filled in.
    ///
    /// # Errors
    /// The errors of any request.
    pub fn ask_freely(
        &mut self,
        during: &'static str,
        mut request: Value,
    ) -> Result<Outcome<Value>, Fault> {
        request["id"] = (self.next_id + 1).into();
        self.send(during, self.patience, |stdin| line::write(stdin, &request))?;
        self.receive(during, self.patience)
    }

    fn ask<T: DeserializeOwned>(
        &mut self,
        during: &'static str,
        ask: Ask,
        patience: Duration,
    ) -> Result<Outcome<T>, Fault> {
        let request = Request { id: self.next_id + 1, ask };
        self.send(during, patience, |stdin| request.write(stdin))?;
        // A request can be as large as its reply.
        drop(request);
        self.receive(during, patience)
    }

    /// Sends a request with the next number. A runner has as long to read it as to answer it.
    fn send(
        &mut self,
        during: &'static str,
        patience: Duration,
        write: impl FnOnce(&mut Patient<'_>) -> io::Result<()>,
    ) -> Result<(), Fault> {
        self.next_id += 1;
        let written = match &mut self.stdin {
            Some(stdin) => write(&mut Patient::new(stdin, &mut self.child, patience)),
            None => Err(ErrorKind::BrokenPipe.into()),
        };
        let Err(error) = written else { return Ok(()) };
        spawn::stay_if_leaving();
        if error.kind() == ErrorKind::TimedOut {
            let log = self.log.last_words();
            return Err(Fault::Silent { during, after: patience, log });
        }
        Err(self.ended(during))
    }

    /// Waits for the reply to the last request.
    fn receive<T: DeserializeOwned>(
        &mut self,
        during: &'static str,
        patience: Duration,
    ) -> Result<Outcome<T>, Fault> {
        let line = self.next_line(during, patience);
        self.see_what_it_wrote(during)?;
        let bytes = line.inspect_err(|_| spawn::stay_if_leaving())?;
        let reply: Reply<T> =
            line::parse(&bytes).map_err(|error| Fault::Garbled { during, error })?;
        if reply.id != self.next_id {
            return Err(Fault::OutOfStep { wanted: self.next_id, got: reply.id });
        }
        Ok(reply.outcome)
    }

    /// The next line of the runner. Patience is for the time in which the runner has a processor or
    /// wants none: a runner that waits for a processor does not hang.
    fn next_line(&mut self, during: &'static str, patience: Duration) -> Result<Vec<u8>, Fault> {
        let began = Instant::now();
        let mut until = patience / AT_ONCE;
        let mut before: Option<BTreeMap<u32, u64>> = None;
        loop {
            let mut left = until.saturating_sub(began.elapsed()).min(A_LOOK);
            // A child of it may keep its output open. All that it wrote itself has arrived, or is
            // about to.
            let has_ended =
                before.is_some() && cupel_machine::end_of(&mut self.child) != End::NotYet;
            if has_ended {
                left = Log::PATIENCE;
            }
            match self.lines.next(left) {
                Ok(Some(line)) => return Ok(line),
                Ok(None) if has_ended => return Err(self.ended(during)),
                Ok(None) => {}
                Err(LineError::End) => return Err(self.ended(during)),
                Err(error) => return Err(Fault::Garbled { during, error }),
            }
            self.see_what_it_wrote(during)?;
            if before.is_some() && began.elapsed() < until {
                continue;
            }
            let now = cupel_machine::queued_ns(self.child.id());
            let Some(before) = &before else {
                before = Some(now);
                until = patience;
                continue;
            };
            let after = began.elapsed();
            until = match longer(patience, after, longest_wait(before, &now).min(after)) {
                Ok(until) => until,
                Err(Late::Starved { queued }) => {
                    return Err(Fault::Starved { during, after, queued });
                }
                Err(Late::Silent) => {
                    let log = self.log.last_words();
                    return Err(Fault::Silent { during, after: patience, log });
                }
            };
        }
    }

    /// Refuses to continue with a runner that fills a disk. Looking takes microseconds, so it is
    /// done now and then.
    fn see_what_it_wrote(&mut self, during: &'static str) -> Result<(), Fault> {
        if self.looked.is_some_and(|looked| looked.elapsed() < A_LOOK) {
            return Ok(());
        }
        self.looked = Some(Instant::now());
        let written = cupel_machine::written(self.child.id());
        if written.is_some_and(|bytes| bytes > MOST_WRITTEN) {
            spawn::end(&mut self.child);
            return Err(Fault::Fills { during, most: MOST_WRITTEN });
        }
        Ok(())
    }

    /// Takes note of the threads that make the calls of a cell. All cells have the same ones, as
    /// far as they need them.
    fn know(&mut self, threads: &[u32]) {
        let Some((_, others)) = threads.split_first() else { return };
        if others.len() > self.others.len() {
            for &thread in &others[self.others.len()..] {
                let clock = ThreadClock::open(self.child.id(), thread);
                self.clocks = self.clocks.take().zip(clock).map(|(mut clocks, clock)| {
                    clocks.push(clock);
                    clocks
                });
            }
            self.others = others.to_vec();
        }
        if self.pinned {
            self.spread();
        }
    }

    /// Gives the threads besides the first one processors of their own.
    fn spread(&self) {
        for (&thread, &cpu) in self.others.iter().zip(cupel_machine::places().iter().skip(1)) {
            cupel_machine::place(thread, cpu);
        }
    }

    /// The first thread that makes calls.
    fn first(&self) -> u32 {
        self.hello.thread.unwrap_or(self.child.id())
    }

    /// The threads that make calls.
    fn is_caller(&self, thread: u32) -> bool {
        thread == self.first() || self.others.contains(&thread)
    }

    /// The fault of a runner whose output ended. It gets a moment, to find out how it ended.
    fn ended(&mut self, during: &'static str) -> Fault {
        for _ in 0..50 {
            if cupel_machine::end_of(&mut self.child) != End::NotYet {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // A child of it may still write the reason. Then it is ended, too.
        let log = self.log.last_words_of_all();
        let status = match spawn::ended(&mut self.child) {
            Ok(Some(exit)) => {
                let signal = signal_of(exit);
                if signal == Some(9) && cupel_machine::killed_for_memory() > self.killed_before {
                    return Fault::OutOfMemory { during };
                }
                let status = words(exit);
                if signal.is_some_and(|signal| !cupel_machine::is_of_its_own(signal)) {
                    return Fault::Lost { status, during, log };
                }
                status
            }
            _ => "its output while still running".to_string(),
        };
        Fault::Ended { status, during, log }
    }
}

/// How long an answer is waited for in all, if none came in the time `after`, for `queued` of which
/// the runner waited for a processor.
fn longer(patience: Duration, after: Duration, queued: Duration) -> Result<Duration, Late> {
    let most = MOST_PATIENCE * patience;
    if after >= most {
        return Err(Late::Starved { queued });
    }
    // A runner that sleeps waits for a processor now and then, too.
    let wanted = patience + queued;
    if wanted <= after || queued < patience / AT_ONCE {
        return Err(Late::Silent);
    }
    Ok(wanted.min(most))
}

/// Why there is no line.
#[derive(Debug, PartialEq, Eq)]
enum Late {
    /// The runner had its time, and did not answer.
    Silent,
    /// It waited for processors.
    Starved { queued: Duration },
}

/// The longest time for which one of a process's threads waited for a processor: one that calls
/// wait for may be any of them.
fn longest_wait(before: &BTreeMap<u32, u64>, now: &BTreeMap<u32, u64>) -> Duration {
    let waits = now
        .iter()
        .map(|(thread, now)| now.saturating_sub(before.get(thread).copied().unwrap_or_default()));
    Duration::from_nanos(waits.max().unwrap_or_default())
}

/// The signal that ended it, if one did.
fn signal_of(exit: std::process::ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&exit);
    #[cfg(not(unix))]
    return None.filter(|_: &i32| exit.success());
}

fn words(exit: std::process::ExitStatus) -> String {
    if let Some(signal) = signal_of(exit) {
        return format!("by signal {signal}{}", cupel_machine::signal_name(signal));
    }
    match exit.code() {
        Some(code) => format!("with status {code}"),
        None => "for an unknown reason".to_string(),
    }
}

impl Log {
    /// How many bytes are kept.
    const KEPT: usize = 2048;

    /// How long to wait for the end of the log of a runner that has ended. Its end is usually read
    /// within a millisecond. But a child of the runner may keep the pipe open for ever.
    const PATIENCE: Duration = Duration::from_secs(1);

    /// Reads a log to its end on its own thread, so that the runner can always write.
    fn keep(from: impl Read + Send + 'static) -> io::Result<Log> {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (ending, ended) = sync_channel(0);
        // `std::thread::spawn` would panic where the system has no more threads.
        std::thread::Builder::new().spawn({
            let kept = Arc::clone(&kept);
            move || {
                read_all(from, &kept);
                drop(ending);
            }
        })?;
        Ok(Log { kept, ended })
    }

    /// The last line, in words for a fault, once all of the log is read. The runner has ended: its
    /// exit may be known before the line that says why has been read.
    fn last_words_of_all(&self) -> String {
        let _ = self.ended.recv_timeout(Log::PATIENCE);
        self.last_words()
    }

    /// The last line that has been read so far, in words for a fault.
    fn last_words(&self) -> String {
        let kept = self.kept.lock().map(|kept| kept.clone()).unwrap_or_default();
        let text = String::from_utf8_lossy(&kept);
        match text.lines().rev().find(|l| !l.trim().is_empty()) {
            Some(line) => format!("; its log ends: {}", line::excerpt(line.trim().as_bytes())),
            None => String::new(),
        }
    }
}

fn read_all(mut from: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut bytes = [0; 4096];
    loop {
        let n = match from.read(&mut bytes) {
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => return,
            Ok(n) => n,
        };
        let Ok(mut kept) = kept.lock() else { return };
        kept.extend_from_slice(&bytes[..n]);
        let surplus = kept.len().saturating_sub(Log::KEPT);
        kept.drain(..surplus);
    }
}

impl Host for Process {
    fn prepare(&mut self, ask: &Prepare) -> Result<Outcome<Prepared>, Fault> {
        let outcome = self.ask("prepare", Ask::Prepare(ask.clone()), self.patience)?;
        if let Outcome::Ok(Prepared { threads, .. }) = &outcome {
            self.know(threads);
        }
        Ok(outcome)
    }

    fn compute(&mut self, ask: Compute) -> Result<Outcome<Computed>, Fault> {
        self.ask("compute", Ask::Compute(ask), self.patience)
    }

    fn slice(&mut self, ask: &Slice) -> Result<Outcome<Sliced>, Fault> {
        self.ask("slice", Ask::Slice(ask.clone()), self.patience)
    }

    fn audited(&mut self, ask: &Slice) -> Result<Outcome<Sliced>, Fault> {
        self.ask("slice", Ask::Audit(ask.clone().into()), self.patience)
    }

    fn move_to(&mut self, cpu: usize) {
        cupel_machine::move_process(self.child.id(), self.hello.thread, cpu);
        // If the system refuses that, it stays where it is.
        self.place = cupel_machine::allowed(self.first());
        self.spread();
    }

    fn usage(&mut self) -> Option<cupel_machine::Usage> {
        cupel_machine::usage(self.child.id(), self.hello.thread)
    }

    fn thread_ns(&mut self) -> Option<Vec<u64>> {
        self.clocks.as_ref()?.iter().map(ThreadClock::ns).collect()
    }

    fn scheduled(&mut self) -> (BTreeMap<u32, cupel_machine::Scheduled>, Option<u32>) {
        (cupel_machine::scheduled(self.child.id()), self.hello.thread)
    }

    fn queued_ns(&mut self) -> Option<u64> {
        let own = ThreadClock::of_this_thread()?;
        self.clocks.as_ref()?.iter().chain([&own]).map(ThreadClock::queued_ns).sum()
    }

    fn others_queued_ns(&mut self) -> Option<u64> {
        let queued = cupel_machine::queued_ns(self.child.id());
        let others = queued.iter().filter(|(thread, _)| !self.is_caller(**thread));
        (!queued.is_empty()).then(|| others.map(|(_, ns)| ns).sum())
    }

    fn displaced(&mut self) -> Option<String> {
        let place = self.place.as_ref().zip(cupel_machine::allowed(self.first()));
        if place.is_some_and(|(place, allowed)| *place != allowed) {
            return Some("something changed the processors on which it runs".to_string());
        }
        let now = cupel_machine::priority(self.first());
        let changed = now.is_some() && self.priority.is_some() && now != self.priority;
        changed.then(|| "something changed its priority".to_string())
    }

    fn mapped(&mut self) -> Vec<cupel_machine::Mapped> {
        cupel_machine::mapped(self.child.id())
    }

    fn wait(&mut self) -> f64 {
        if self.hello.clock.simulated {
            return 0.0;
        }
        std::thread::sleep(A_MOMENT);
        A_MOMENT.as_nanos() as f64
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Closing its input asks it to exit; the kill is for runners that do not.
        self.stdin = None;
        spawn::end(&mut self.child);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_for_another_c_library_is_not_said_to_be_absent() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("runner");
        let said = || {
            let error = Command::new(&program).spawn().unwrap_err();
            Fault::unstarted(&program, &error).to_string()
        };
        assert!(said().contains("No such file"), "{}", said());
        std::fs::write(&program, "#!/nowhere/ld-musl\n").unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        assert!(said().ends_with("built for another C library"), "{}", said());
    }

    /// The end of a runner ends the orphans of other tests' runners, too.
    fn alone() -> std::sync::MutexGuard<'static, ()> {
        static ONE: Mutex<()> = Mutex::new(());
        ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The reported fault of a runner that is this shell script.
    fn fault(script: &str) -> String {
        let _alone = alone();
        let command = ["sh", "-c", script].map(OsString::from).to_vec();
        let start = Start::plain(command, Duration::from_secs(60));
        match Process::start(&start) {
            Ok(_) => panic!("it never answers"),
            Err(fault) => fault.to_string(),
        }
    }

    #[test]
    fn the_reason_is_in_the_fault_even_if_it_is_read_after_the_end() {
        // The runner ends at once, and its log, which something else writes, 300 ms later. That is
        // how a reader that gets no processor sees every log.
        let said = fault("exec <&-; (sleep 0.3; echo 'the heap is too large' >&2) >&- & exit 1");
        assert!(said.starts_with("ended with status 1 during `hello`"), "{said}");
        assert!(said.ends_with("; its log ends: the heap is too large"), "{said}");
    }

    #[test]
    fn patience_is_for_the_time_in_which_a_runner_has_a_processor() {
        let s = Duration::from_secs;
        let after = |after, queued| longer(s(60), s(after), s(queued));
        assert_eq!(after(60, 0), Err(Late::Silent), "it sleeps, or computes for ever");
        assert_eq!(after(60, 53), Ok(s(113)), "it had a processor for seven seconds");
        assert_eq!(after(113, 53), Err(Late::Silent), "and then it hung");
        assert_eq!(after(113, 100), Ok(s(160)));
        assert_eq!(after(580, 570), Ok(s(600)), "but not for ever");
        assert_eq!(after(600, 570), Err(Late::Starved { queued: s(570) }));
    }

    #[test]
    fn the_thread_that_waited_longest_counts() {
        let before = BTreeMap::from([(1, 5), (2, 7)]);
        let now = BTreeMap::from([(1, 10), (2, 8), (3, 4)]);
        assert_eq!(longest_wait(&before, &now), Duration::from_nanos(5));
        assert_eq!(longest_wait(&before, &BTreeMap::new()), Duration::ZERO);
    }

    #[test]
    fn a_machine_without_time_or_memory_is_no_fault_of_the_runner() {
        let (during, after, queued) =
            ("compute", Duration::from_secs(600), Duration::from_secs(540));
        let starved = Fault::Starved { during, after, queued };
        assert!(starved.is_of_machine() && Fault::OutOfMemory { during }.is_of_machine());
        assert!(!Fault::Silent { during, after, log: String::new() }.is_of_machine());
        assert!(starved.to_string().contains("for 540 of 600 s it was ready to run"), "{starved}");
    }

    /// A shell that greets, and then does this.
    fn greets(then: &str) -> Start {
        let hello = r#"{"id":1,"status":"ok","protocol":1,"runner":"x","version":"1","clock":{"name":"c","resolution_ns":1,"simulated":true},"jit":false}"#;
        let script = format!("echo '{hello}'; {then}");
        let command = ["sh", "-c", &script].map(OsString::from).to_vec();
        Start::plain(command, Duration::from_secs(60))
    }

    /// A runner may leave its processor while it is measured, or its child may move it.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_runner_that_moves_to_other_processors_is_found() {
        let cpus = cupel_machine::allowed(std::process::id()).unwrap_or_default();
        let [here, there, ..] = cpus[..] else { return };
        let moves = format!("taskset -c -p {there} $$ >&2; echo '{{\"id\":3,\"status\":\"ok\"}}'");
        let stays = "echo '{\"id\":2,\"status\":\"ok\"}'";
        let then = format!("read hello; read first; {stays}; read next; {moves}; sleep 86400");
        let _alone = alone();
        let mut process = Process::start(&greets(&then)).expect("it greets");
        process.move_to(here);
        let mut asks = || {
            let answer = process.ask_freely("slice", serde_json::json!({ "ask": "slice" }));
            assert!(matches!(answer, Ok(Outcome::Ok(_))), "{answer:?}");
            process.displaced()
        };
        assert_eq!(asks(), None);
        assert_eq!(asks().as_deref(), Some("something changed the processors on which it runs"));
    }

    /// Writes much, and answers. Its parent has ended by then.
    #[cfg(target_os = "linux")]
    const ORPHAN: &str = r#"(setsid env -i sh -c 'sleep 0.1; head -c 50000000 /dev/zero >/dev/null;
        echo "{\"id\":2,\"status\":\"ok\"}"; exec sleep 86400' &); exec sleep 86400"#;

    /// Otherwise it could fill a disk, or compute for the runner, and nothing would show that.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_an_orphan_writes_counts_as_written_by_the_runner() {
        let _alone = alone();
        let mut process = Process::start(&greets(ORPHAN)).expect("it greets");
        let answer = process.ask_freely("slice", serde_json::json!({ "ask": "slice" }));
        assert!(matches!(answer, Ok(Outcome::Ok(_))), "{answer:?}");
        let written = cupel_machine::written(process.child.id());
        assert!(written.is_some_and(|bytes| bytes >= 50_000_000), "{written:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_orphan_ends_with_a_runner_that_is_not_confined() {
        let _alone = alone();
        let start = Start { confined: false, ..greets(ORPHAN) };
        let mut process = Process::start(&start).expect("it greets");
        let answer = process.ask_freely("slice", serde_json::json!({ "ask": "slice" }));
        assert!(matches!(answer, Ok(Outcome::Ok(_))), "{answer:?}");
        let runner = process.child.id();
        let children = format!("/proc/{runner}/task/{runner}/children");
        let children = std::fs::read_to_string(children).unwrap_or_default();
        let orphan: u32 = children.trim().parse().expect("one child");
        drop(process);
        assert!(!Path::new(&format!("/proc/{orphan}")).exists(), "it lives on");
    }

    #[test]
    fn a_runner_that_reads_only_a_part_of_a_request_is_not_waited_for_without_end() {
        let _alone = alone();
        let mut process = Process::start(&greets("exec sleep 86400")).expect("it greets");
        process.patience = Duration::from_millis(200);
        let long = serde_json::json!({ "ask": "compute", "later": "x".repeat(1 << 20) });
        let fault = process.ask_freely("compute", long).expect_err("it does not answer");
        assert!(matches!(fault, Fault::Silent { during: "compute", .. }), "{fault}");
    }

    #[test]
    fn a_log_that_something_else_keeps_open_is_not_waited_for() {
        let began = Instant::now();
        let said = fault("exec <&-; echo early >&2; sleep 20 >&- & exit 1");
        assert!(said.ends_with("; its log ends: early"), "{said}");
        assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    }
}
