//! Hosts contenders that are shared objects with the C interface of `protocol/cupel_contender.h`.
//!
//! Usage: `cupel-runner-native OBJECT.so...`; speaks Cupel's protocol on stdin and stdout.

mod abi;
mod cell;
mod object;
mod objects;
mod text;

use cupel_protocol::host::Host;
use cupel_protocol::serve::serve;
use objects::Objects;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::process::ExitCode;

fn main() -> ExitCode {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    if paths.is_empty() {
        eprintln!("usage: cupel-runner-native OBJECT.so...");
        return ExitCode::from(2);
    }
    match run(paths) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("cupel-runner-native: {e}");
            ExitCode::FAILURE
        }
    }
}

fn run(paths: Vec<std::ffi::OsString>) -> io::Result<()> {
    // Before any object is loaded: constructors may print.
    let output = take_stdout()?;
    let mut host = Host::new("native", env!("CARGO_PKG_VERSION"), Objects::load(paths));
    serve(&mut host, io::stdin().lock(), output)
}

/// Takes stdout for the protocol. From here on, the output of a library goes to stderr: one stray
/// line would break the conversation with the tool.
fn take_stdout() -> io::Result<File> {
    let private = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: both are standard streams of this process, and nothing has been printed yet.
    if unsafe { libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(private.into())
}
