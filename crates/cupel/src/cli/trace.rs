//! `cupel trace`: counts a program's own calls, as a mix.

use super::{Context, Exit};
use crate::report::trace as report;
use crate::suite;
use crate::text;
use crate::toolchain::{self, Absent};
use crate::trace::{self, Traced, mix, uprobes};
use anyhow::{Context as _, Result, anyhow, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Count your program's own calls of OpenSSL, libgcrypt and Java's providers, and write them as a mix
///
/// The program runs as always, with a small library preloaded, and an agent in each JVM. They count
/// its digests, MACs and authenticated encryption: which primitive, how many bytes, in one piece or in
/// several, with the key kept or set for the message. Children are counted too. Nothing of the data
/// is kept, only lengths and counts. The answer is printed on standard error, so that the program's
/// output stays its own.
///
/// With --pid a process that runs already is traced, and with --uprobes a program that has its library
/// inside, as Node.js and what Go compiled. Both need root and bpftrace.
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
    /// Trace it for so long: 30s, 5m
    #[arg(long = "for", value_name = "TIME", value_parser = suite::duration_with_unit)]
    limit: Option<Duration>,
    /// Trace by uprobes, also a library inside the program
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
    writable(&args.output)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let traced = traced(context, args, &day(now))?;
    let answer = report::answer(&traced);
    text::tell(&answer);
    report::table(&traced).lines().for_each(text::tell);
    if traced.calls.total() > 0 {
        write(&args.output, &mix::text(&traced, &answer))?;
        text::tell(&format!("  the mix is in {}", args.output.display()));
    } else {
        text::tell("  no mix file is written");
    }
    Ok(Exit::Program(traced.exit()))
}

fn traced(context: &Context, args: &Args, date: &str) -> Result<Traced> {
    let say = |what: &str| {
        if !context.quiet {
            text::tell(&format!("cupel: {what}"));
        }
    };
    if args.limit.is_some() && args.pid.is_none() {
        bail!("--for is for a process that runs already: name it with --pid");
    }
    if let Some(process) = args.pid {
        return uprobes::running(process, args.limit, date, &say);
    }
    if args.uprobes {
        return uprobes::started(&args.command, &args.library, date);
    }
    let home = context.home()?;
    let tracer = toolchain::tracer(&home, !args.no_jvm, &say).map_err(|absent| match absent {
        Absent::Missing(refusal) | Absent::Failed(refusal) => anyhow!("{refusal}"),
        Absent::Unbuilt => anyhow!("the tracer is not built"),
    })?;
    trace::trace(&tracer, &args.command, date)
}

/// Finds out before the program runs whether the file can be written after it.
fn writable(file: &Path) -> Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    if file.is_dir() || file.file_name().is_none() {
        bail!("{} is a folder: name a file with -o", file.display());
    }
    if !folder.is_dir() {
        bail!(
            "there is no folder {} for the mix: make it, or name another file with -o",
            folder.display()
        );
    }
    Ok(())
}

/// Writes the file whole.
fn write(file: &Path, text: &str) -> Result<()> {
    let mut new = file.as_os_str().to_owned();
    new.push(".new");
    let written = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, file));
    written.with_context(|| format!("cannot write {}", file.display()))
}

/// The day of a time, in UTC: 2026-11-23.
fn day(since_1970: Duration) -> String {
    // Years from March, so that a leap day is the last of its year, in cycles of 400 of them.
    let days = since_1970.as_secs() / 86_400 + 719_468;
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, shifted) = (day - (153 * month + 2) / 5 + 1, month >= 10);
    let month = if shifted { month - 9 } else { month + 3 };
    format!("{:04}-{month:02}-{day:02}", cycle * 400 + year + u64::from(shifted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let on = |days: u64| day(Duration::from_secs(days * 86_400 + 86_399));
        assert_eq!(
            [0, 58, 59, 364, 365].map(on).join(" "),
            "1970-01-01 1970-02-28 1970-03-01 1970-12-31 1971-01-01"
        );
        assert_eq!(
            [11_015, 11_016, 19_782, 20_780].map(on).join(" "),
            "2000-02-28 2000-02-29 2024-02-29 2026-11-23"
        );
    }
}
