//! `cupel trace`: counts a program's own calls, as a mix.

use crate::{Traced, mix, trace, words};
use anyhow::{Result, anyhow, bail};
use clap::{ArgMatches, Args as _, FromArgMatches};
use cupel_base::disk::write_whole;
use cupel_base::text;
use cupel_toolchain::Absent;
use cupel_verb::{Context, Exit, register};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The verb as the command lists it.
pub const VERB: register::Verb =
    register::Verb { name: "trace", after: "run", options: Args::augment_args, run };

/// Count your program's own calls, for `cupel advise --mix`
///
/// Cupel counts calls to OpenSSL, libgcrypt and Java's providers, and writes the counts as a mix.
/// Your program runs unchanged, with a small library preloaded and an agent in each JVM. The
/// library and the agents count your program's digests, MACs and authenticated encryption: the
/// primitive, the number of bytes, whether a message came in one piece or in several, and whether
/// its key was kept or set for it. Calls by child processes are counted, too. Cupel keeps only
/// lengths and counts, never data. The answer is printed on standard error, apart from the
/// program's output.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel trace curl -so /dev/null https://localhost/     what a download calls
  cupel trace -o app.mix python3 app.py                 the mix of app.py
  cupel trace sh -c 'make && ./test'                    several programs
  cupel trace java -jar app.jar                         calls in a JVM

Counted: calls to the shared libraries libcrypto 3 and libgcrypt, even by other
libraries; in a JVM of Java 11 or newer, calls to MessageDigest, Mac and Cipher,
with any provider. Not counted, but named in the answer's first line and in the
mix: libraries inside a program or a module (Node.js, Go, Python's
cryptography), and other libraries (NSS, GnuTLS). Calls that a library makes
within itself, as for a signature, are not counted. You can write a mix by hand
(docs/reference/suites.md#mixes).

Exit status: the program's own; 128 plus the signal's number if a signal ended
the program; 3 if Cupel could not trace it (the last line then begins with
`error:`).")]
struct Args {
    /// The file for the mix
    #[arg(long, short, value_name = "FILE", default_value = "cupel.mix")]
    output: PathBuf,
    /// Start JVMs without the agent, and do not count their calls
    ///
    /// A JVM that was made without the module java.instrument does not start with the agent.
    #[arg(long)]
    no_jvm: bool,
    /// The program and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    command: Vec<OsString>,
}

fn run(context: &Context, found: &ArgMatches) -> Result<Exit> {
    let args = Args::from_arg_matches(found)?;
    check(&args.output)?;
    let traced = traced(context, &args, &text::utc(SystemTime::now())[..10])?;
    let answer = words::answer(&traced);
    text::tell(&answer);
    words::table(&traced).lines().for_each(text::tell);
    if traced.calls.total() > 0 {
        write_whole(&args.output, mix::text(&traced, &answer))?;
        text::tell(&format!("  the mix is in {}", args.output.display()));
    } else {
        text::tell("  no mix file is written");
    }
    Ok(Exit::Program(traced.exit()))
}

/// Finds out before the program is started whether the mix can be written after it.
fn check(file: &Path) -> Result<()> {
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

fn traced(context: &Context, args: &Args, date: &str) -> Result<Traced> {
    let home = context.home()?;
    let tracer = cupel_toolchain::tracer(&home, !args.no_jvm, &|what| context.say(what));
    let tracer = tracer.map_err(|absent| match absent {
        Absent::Missing(refusal) | Absent::Failed(refusal) => anyhow!("{refusal}"),
        Absent::Unbuilt => anyhow!("the tracer is not built"),
    })?;
    trace(&tracer, &args.command, date)
}
