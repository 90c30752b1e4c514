//! `cupel run`: plan, build, verify, measure, store, answer.

use super::{Context, Exit, complete};
use anyhow::Result;
use cupel_print::OF_RUN;
use cupel_run::begin::{Overrides, find_suite};
pub use cupel_verb::carry_out::{Carried, carry_out, finish};
pub use cupel_verb::how::How;
use cupel_verb::options::{Compilers, Measuring, Part, Printing, Tables, among};
use std::path::PathBuf;

/// Measure a suite and answer its question
///
/// Cupel builds the contenders if necessary, verifies that each answers correctly, and measures
/// them in alternating rounds, each contender in several fresh processes. It stores all results and
/// prints the tables.
#[derive(clap::Args)]
#[command(mut_arg("format", |format| among(format, &OF_RUN)), after_help = "\
Examples:
  cupel run                                       the quickstart suite
  cupel run sha256 --size 64 --budget 30s         one size, half a minute
  cupel run seeds/004 --contender 'jvm/*@newest'  only the newest JDK
  cupel run sha256 --dry-run                      what it would measure

Exit status: 0 measured, 1 a contender failed, 3 an error, 130 interrupted. A
gate that --resume continues has the exit status of `cupel gate`.")]
pub struct Args {
    /// The suite: a name from `cupel list suites`, or a file
    #[arg(default_value = "quickstart", add = complete::suites())]
    suite: String,
    #[command(flatten)]
    part: Part,
    #[command(flatten)]
    measuring: Measuring,
    /// Continue an interrupted or killed run of the suite, with the same plan
    #[arg(long, conflicts_with_all = [
        "contender", "primitive", "operation", "size", "contract", "shape", "budget", "precision", "forks", "first_forks", "jit_forks", "seed", "dry_run",
        "compiler",
    ])]
    resume: bool,
    #[command(flatten)]
    compilers: Compilers,
    /// Keep a log of each JVM's compilers in this folder, with one file per process
    #[arg(long, value_name = "FOLDER")]
    compilation_log: Option<PathBuf>,
    #[command(flatten)]
    printing: Printing,
    #[command(flatten)]
    tables: Tables,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    let how = How {
        compilation_log: args.compilation_log.clone(),
        resume: args.resume.then_some(&args.suite),
        ..How::once(context, &args.measuring)
    };
    // A resumed run follows its own plan: the suite's present text does not matter.
    let suite = || find_suite(&home, &args.suite);
    let Carried::Out(done) = carry_out(context, &home, &how, suite, &args.overrides())? else {
        return Ok(Exit::Well);
    };
    finish(context, &done, args.printing.format(), &args.tables)
}

impl Args {
    /// The overrides of the suite by these arguments.
    fn overrides(&self) -> Overrides {
        Overrides {
            filter: self.part.filter(),
            compilers: self.compilers.compiler.clone(),
            ..self.measuring.overrides()
        }
    }
}
