//! `cupel trace`: counts a program's own calls, as a mix.

use super::{Context, Exit, output};
use anyhow::{Result, anyhow, bail};
use cupel_base::disk::write_whole;
use cupel_base::text;
use cupel_host::toolchain::{self, Absent};
use cupel_show::report::trace as report;
use cupel_suite as suite;
use cupel_trace::{self as trace, Traced, mix, uprobes};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Count your program's own calls, as a mix for `cupel advise`
///
/// Calls of OpenSSL, libgcrypt and Java's providers are counted. Your program runs unchanged, with
/// a small library preloaded, and an agent in each JVM. They count its digests, MACs and
/// authenticated encryption: which primitive, how many bytes, in one piece or in several, with the
/// key kept or set for the message. Children are counted too. Only lengths and counts are kept,
/// never data. The answer is printed on standard error, so that the program's output stays its own.
///
/// With --pid a process that runs already is traced, and with --uprobes a program that links its
/// library statically, such as Node.js or a Go program. Both need root and bpftrace.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel trace curl -so /dev/null https://localhost/     what a download calls
  cupel trace -o app.mix python3 app.py                 the mix of app.py
  cupel trace sh -c 'make && ./test'                    several programs
  cupel trace java -jar app.jar                         of a JVM
  sudo cupel trace --pid 1234 --for 30s                 a running process
  sudo cupel trace --uprobes node app.js                one with OpenSSL inside

What is counted: calls of libcrypto 3 and libgcrypt as shared libraries, also
by other libraries; in a JVM of Java 11 or newer, calls of MessageDigest, Mac
and Cipher, whatever provider they have. By uprobes also OpenSSL inside a
program or a module with symbols (Node.js, Python's cryptography), and Go's
SHA-1, SHA-2, HMAC and AES-GCM. Uprobes add microseconds to a call, and count
one process. What is not: other libraries (NSS, GnuTLS), and what a library
calls inside itself, as for a signature.

Exit status: that of the program; 128 and the number of the signal that ended
it; with --pid 0; 3 if it could not be traced: then the last line begins with
`error:`.")]
pub struct Args {
    /// The mix file
    #[arg(long, short, value_name = "FILE", default_value = "cupel.mix")]
    output: PathBuf,
    /// Start JVMs without the agent, and do not count their calls
    ///
    /// A JVM that was made without the module java.instrument does not start with it.
    #[arg(long)]
    no_jvm: bool,
    /// Trace a process that runs already, by uprobes, until it ends or you press Ctrl-C
    #[arg(long, value_name = "PID", conflicts_with_all = ["command", "no_jvm"])]
    pid: Option<u32>,
    /// Stop after this time, for example 30s or 5m
    #[arg(long = "for", value_name = "TIME", value_parser = suite::duration_with_unit)]
    limit: Option<Duration>,
    /// Use uprobes, which also see statically linked libraries
    #[arg(long, conflicts_with_all = ["pid", "no_jvm"])]
    uprobes: bool,
    /// With --uprobes: a file with a library that the program loads later
    #[arg(long, value_name = "FILE", requires = "uprobes")]
    library: Vec<PathBuf>,
    /// The program and its arguments
    #[arg(
        required_unless_present = "pid",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    command: Vec<OsString>,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    output::check(&args.output, "mix")?;
    let traced = traced(context, args, &text::utc(SystemTime::now())[..10])?;
    let answer = report::answer(&traced);
    text::tell(&answer);
    report::table(&traced).lines().for_each(text::tell);
    if traced.calls.total() > 0 {
        write_whole(&args.output, mix::text(&traced, &answer))?;
        text::tell(&format!("  the mix is in {}", args.output.display()));
    } else {
        text::tell("  no mix file is written");
    }
    Ok(Exit::Program(traced.exit()))
}

fn traced(context: &Context, args: &Args, date: &str) -> Result<Traced> {
    if args.limit.is_some() && args.pid.is_none() {
        bail!("--for is for a process that runs already: name it with --pid");
    }
    if let Some(process) = args.pid {
        return uprobes::running(process, args.limit, date, &|what| context.say(what));
    }
    if args.uprobes {
        return uprobes::started(&args.command, &args.library, date);
    }
    let home = context.home()?;
    let tracer = toolchain::tracer(&home, !args.no_jvm, &|what| context.say(what));
    let tracer = tracer.map_err(|absent| match absent {
        Absent::Missing(refusal) | Absent::Failed(refusal) => anyhow!("{refusal}"),
        Absent::Unbuilt => anyhow!("the tracer is not built"),
    })?;
    trace::trace(&tracer, &args.command, date)
}
