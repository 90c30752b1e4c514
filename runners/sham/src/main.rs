//! `cupel-sham`: the scripted runner as a program.

use cupel_sham::clock::SharedClock;
use cupel_sham::edit::Edited;
use cupel_sham::script::{FaultKind, Script};
use cupel_sham::sham::Sham;
use std::io;
use std::process::ExitCode;

const USAGE: &str = "\
cupel-sham: a runner that follows a script, on a simulated clock

Usage: cupel-sham --script FILE|JSON [--clock FILE]

  --script FILE|JSON  the script; a text that begins with { is the script itself
  --clock FILE        the file with the simulated time that the processes of one run share;
                      without it, each process has its own time

The environment variable CUPEL_FORK is the number of the fork. Forks differ in
their offsets and noise. All fields of a script have defaults:

  {\"seed\": 1,
   \"world\": {\"noise_sd\": 0.01, \"autocorrelation\": 0, \"drift_per_s\": 0,
             \"swing\": {\"amplitude\": 0, \"period_s\": 10},
             \"bursts\": {\"per_s\": 0.5, \"mean_ms\": 300, \"factor_low\": 1.6, \"factor_high\": 2},
             \"contamination\": 0, \"overhead_us\": 50, \"real\": false},
   \"contenders\": [{\"name\": \"a\", \"primitives\": [\"sha256\"], \"fixed_ns\": 100,
             \"per_byte_ns\": 1, \"fork_sd\": 0, \"drift_per_s\": 0,
             \"warm_up\": {\"slow_factor\": 3, \"for_ms\": 200, \"after_compute_ms\": 0},
             \"allocated_per_call\": 48,
             \"heap\": {\"bytes\": 1e6, \"pause_us\": 300},
             \"fault\": {\"kind\": \"crash\", \"at\": \"slice\", \"after\": 10},
             \"missing\": \"why it is not available\"}]}

Primitives: empty, sha256, hmac-sha256, siphash-2-4, aes-256-gcm.
A fault happens at hello, list, prepare, compute or slice, once \"after\" such requests
were answered honestly. Without \"at\" it happens at every request that names the
contender and that the kind can spoil. The kinds:
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|a| a == "--help" || a == "-h") {
        print!("{USAGE}");
        for (_, name, what) in FaultKind::ALL {
            println!("  {name:<20} {what}");
        }
        return ExitCode::SUCCESS;
    }
    let served = sham(&arguments).and_then(|mut sham| {
        // Not locked: faults write to the same stream between two answers.
        let output = Edited::new(io::stdout(), sham.next_edit());
        cupel_protocol::serve::serve(&mut sham, io::stdin().lock(), output)
            .map_err(|e| e.to_string())
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("cupel-sham: {reason}");
            ExitCode::from(2)
        }
    }
}

fn sham(arguments: &[String]) -> Result<Sham, String> {
    let (mut script, mut clock) = (None, None);
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().ok_or(format!("{flag} needs a value (see --help)"));
        match flag.as_str() {
            "--script" => script = Some(value()?),
            "--clock" => clock = Some(SharedClock::new(value()?)),
            _ => return Err(format!("unknown option {flag} (see --help)")),
        }
    }
    let script = script.ok_or("--script is missing (see --help)")?;
    let json = if script.trim_start().starts_with('{') {
        script.clone()
    } else {
        std::fs::read_to_string(script).map_err(|e| format!("{script}: {e}"))?
    };
    let fork = match std::env::var("CUPEL_FORK") {
        Ok(fork) => fork.parse().map_err(|_| format!("CUPEL_FORK={fork} is not a number"))?,
        Err(_) => 0,
    };
    Ok(Sham::new(Script::parse(&json)?, fork, clock))
}
