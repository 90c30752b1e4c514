//! The faults that affect the process or its output.

use crate::script::{Fault, FaultKind};
use std::io::{self, Write};
use std::time::Duration;

/// Carries out the fault. Returns if an answer still follows.
pub fn misbehave(fault: &Fault) {
    match fault.kind {
        FaultKind::Crash => std::process::abort(),
        FaultKind::Hang => {
            // Bounded, because the tool under test may forget to kill it.
            std::thread::sleep(Duration::from_secs(3600));
            std::process::exit(0);
        }
        FaultKind::EarlyExit => std::process::exit(fault.status.into()),
        FaultKind::Stops => stop(),
        FaultKind::StepsAside => step_aside(),
        FaultKind::Drips => {
            for byte in b"{\"id\":1,\"stat".iter().chain(std::iter::repeat_n(&b'x', 36_000)) {
                say(&[*byte]);
                std::thread::sleep(Duration::from_millis(100));
            }
            std::process::exit(0);
        }
        FaultKind::Floods => {
            for _ in 0..20 {
                let line = [&[b'x'; 999_999][..], b"\n"].concat();
                // A log that no one reads is no reason to end.
                let _ = io::stderr().write_all(&line);
            }
        }
        FaultKind::HalfLine => {
            say(b"{\"id\":1,\"stat");
            std::process::exit(0);
        }
        FaultKind::Rubbish => say(b"\xff\xfe\x00 not an answer\n"),
        FaultKind::StdoutNoise => say(b"libsham: using the reference implementation\n"),
        FaultKind::LongLine => {
            for _ in 0..200 {
                say(&[b'x'; 1_000_000]);
            }
            say(b"\n");
        }
        FaultKind::SlowAnswers => std::thread::sleep(Duration::from_millis(fault.delay_ms)),
        // These spoil answers: crate::sham.
        FaultKind::WrongOutput
        | FaultKind::WrongAboveSize
        | FaultKind::WrongBeyondAscii
        | FaultKind::IgnoresBytes
        | FaultKind::WrongFold
        | FaultKind::WrongAfterWarmUp
        | FaultKind::AcceptsBadTag
        | FaultKind::SkipsCalls
        | FaultKind::LiesAboutIterations
        | FaultKind::TakesNoTime
        | FaultKind::CountsMicroseconds
        | FaultKind::CountsTicks
        | FaultKind::TimesHalf
        | FaultKind::TimesMost
        | FaultKind::Alters
        | FaultKind::AnswersTwice
        | FaultKind::Fails => {}
    }
}

/// Writes text that is not part of the protocol. If no one reads any more, this process ends.
fn say(bytes: &[u8]) {
    let mut out = io::stdout();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        std::process::exit(1);
    }
}

/// Stops this process, until it is continued or killed.
fn stop() {
    // SAFETY: a signal that ends or stops nothing but this process.
    #[cfg(unix)]
    unsafe {
        libc::raise(libc::SIGSTOP);
    }
}

/// Lets all others run first.
fn step_aside() {
    // SAFETY: the call takes numbers. It concerns this process alone.
    #[cfg(unix)]
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, 5);
    }
}
