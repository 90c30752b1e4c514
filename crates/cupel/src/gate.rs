//! `cupel gate`: is the new build slower than the base? Of any benchmark, or of contenders.

use super::options::{Compilers, Measuring, Part, Printing, Tables, among};
use super::run::{How, carry_out, finish};
use super::{Context, Exit, complete, print};
use anyhow::{Context as _, Result, bail, ensure};
use cupel_base::home::Home;
use cupel_base::machine::Machine;
use cupel_base::text::utc;
use cupel_gate::judge::{Judged, Verdict};
use cupel_gate::program::{self, Executed, Reads};
use cupel_gate::record::{Build, Record, Side};
use cupel_gate::revisions::{Checkout, Repository};
use cupel_gate::session::{self, Execute};
use cupel_plan::against::MARGIN;
use cupel_run::begin::{Overrides, random_seed};
use cupel_show::report::gate::{OF_GATE, present};
use cupel_show::report::progress::Progress;
use cupel_show::report::{Format, OF_RUN};
use cupel_store::Store;
use cupel_suite::{self as suite, Suite};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// How often progress is reported where it is not drawn in place.
const EVERY: Duration = Duration::from_secs(10);

/// Find out whether a build is slower, by any benchmark you have
///
/// Of a benchmark: runs the base, a second copy of it and the new build in turns, in random order,
/// until every benchmark of their output has an answer or the budget is spent. Each execution is one
/// value. The intervals are joint: of twenty gates of equal builds, at most one has any wrong
/// interval. Cupel cannot verify what the programs compute.
///
/// Of contenders (SUITE and --against): measures both builds of a runner in one run, verified and in
/// interleaved rounds, which decides smaller differences in less time.
#[derive(clap::Args)]
#[command(mut_arg("format", |format| among(format, &ALL)), after_help = "\
Examples:
  cupel gate --base ./bench-old --new ./bench-new
  cupel gate --base-rev main --build 'cargo bench --no-run' \\
      --run 'cargo bench -q --bench NAME -- --measurement-time 0.5'
  cupel gate --base-rev HEAD~1 --run 'go test -run - -bench . -benchtime 50ms'
  cupel gate --base './old file' --new './new file' --reads time
  cupel gate sha256 --against ../base/runner
  cupel show --gate --format markdown     the last one, for a comment on a PR

Exit status: 0 not slower by more than the margin, 1 slower, 2 undecided, 3 an
error.")]
pub struct Args {
    /// The suite of contenders whose two builds are compared: a name from `cupel list suites`, or a
    /// file
    #[arg(requires = "against", add = complete::suites())]
    suite: Option<String>,
    /// The command that runs the base's benchmarks
    #[arg(long, value_name = "COMMAND", requires = "new", conflicts_with_all = ["base_rev", "run"])]
    base: Option<String>,
    /// The command that runs the new build's benchmarks
    #[arg(long, value_name = "COMMAND", requires = "base")]
    new: Option<String>,
    /// The Git revision of the base, such as main. It is checked out and built in the cache, once
    #[arg(long, value_name = "REVISION", requires = "run")]
    base_rev: Option<String>,
    /// The Git revision of the new build [default: the working tree as it is]
    #[arg(long, value_name = "REVISION", requires = "base_rev")]
    new_rev: Option<String>,
    /// The command that builds a revision
    #[arg(long, value_name = "COMMAND", requires = "base_rev")]
    build: Option<String>,
    /// The command that runs the benchmarks of a revision, in the folder that corresponds to the
    /// working directory
    #[arg(long, value_name = "COMMAND", requires = "base_rev")]
    run: Option<String>,
    /// The format of the output: criterion, libtest, go, jmh, google-benchmark, lines (of `name value
    /// unit`) and others; or time, for the time of the whole command [default: as it looks]
    #[arg(long, value_name = "FORMAT")]
    reads: Option<Reads>,
    /// By how much the new build may be slower [default: 2%]
    #[arg(long, value_name = "SHARE", value_parser = suite::percent_with_unit)]
    margin: Option<f64>,
    /// The other build of a runner, whose contenders are named NAME@against. Put FAMILY= before the
    /// program if the contenders' names do not identify the family
    #[arg(long, value_name = "[FAMILY=]PROGRAM", requires = "suite")]
    against: Option<String>,
    #[command(flatten)]
    printing: Printing,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten, next_help_heading = "Of contenders")]
    part: Part,
    #[command(flatten)]
    compilers: Compilers,
    #[command(flatten)]
    tables: Tables,
}

/// The formats of this verb: those of a gate over programs, and of a run.
const ALL: [Format; 7] = [
    Format::Table,
    Format::Json,
    Format::Jsonl,
    Format::Csv,
    Format::Markdown,
    Format::Svg,
    Format::Github,
];

/// What to do if none of the forms of this verb is given.
const NO_BUILDS: &str = "give --base and --new, or --base-rev and --run, or a suite and --against";

/// The time for all executions, if none is given.
const BUDGET: Duration = Duration::from_secs(180);

/// The probability with which any interval may be wrong.
const ERROR: f64 = 0.05;

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let format = args.printing.format();
    let (kind, known) = match args.suite {
        Some(_) => ("contenders", &OF_RUN[..]),
        None => ("benchmark programs", &OF_GATE[..]),
    };
    ensure!(known.contains(&format), "a gate over {kind} has no such --format");
    ensure!(args.suite.is_some() || args.base.is_some() || args.base_rev.is_some(), NO_BUILDS);
    match &args.suite {
        Some(suite) => over_contenders(context, args, suite),
        None => over_programs(context, args),
    }
}

/// Both builds of a runner, as a run of the suite.
fn over_contenders(context: &Context, args: &Args, suite: &str) -> Result<Exit> {
    let home = context.home()?;
    let how = How::of(&args.measuring);
    let overrides = Overrides {
        filter: args.part.filter(),
        against: args.against.clone(),
        margin: args.margin,
        compilers: args.compilers.compiler.clone(),
        ..args.measuring.overrides()
    };
    let suite = || Suite::find(&home, suite);
    let Ok(done) = carry_out(context, &home, &how, suite, &overrides)? else {
        return Ok(Exit::Well);
    };
    finish(context, &done, args.printing.format(), &args.tables)
}

/// Any two commands, in turns.
fn over_programs(context: &Context, args: &Args) -> Result<Exit> {
    if let Some(option) = args.of_contenders_only() {
        bail!("{option} is for contenders: leave it out, or name a suite and --against");
    }
    let home = context.home_of_store()?;
    let mut store = Store::open(&home.store)?;
    let progress = Progress::new(context.quiet);
    let [base, new] = args.builds(&home, &|what| progress.say(what))?;
    let _turn = args.measuring.waiting.turn(&home, "a gate", context.quiet)?;
    let mut record = Record {
        started: utc(SystemTime::now()),
        tool: env!("CARGO_PKG_VERSION").to_string(),
        machine: Machine::look().line(),
        base,
        new,
        margin: args.margin.unwrap_or(MARGIN),
        error: ERROR,
        budget: args.measuring.budget.unwrap_or(BUDGET).as_secs_f64(),
        seed: args.measuring.runners.seed.unwrap_or_else(random_seed),
        ..Record::default()
    };
    let mut programs = Programs {
        builds: [record.base.clone(), record.new.clone()],
        reads: args.reads.unwrap_or(Reads::Output(None)),
    };
    progress.say("one execution of each build to begin with");
    let mut teller = Teller { progress: &progress, last: None };
    let judged = session::run(&mut record, &mut programs, &mut |now| teller.say(&now))?;
    progress.clear();
    let number = store.keep_gate(&serde_json::to_string(&record)?)?;
    print(&present(number, &record, &judged, args.printing.format(), context.style))?;
    Ok(exit(&judged))
}

/// How a gate ends: for one that cannot say that nothing is slower, not well.
fn exit(judged: &Judged) -> Exit {
    if judged.count(Verdict::Slower) > 0 {
        Exit::Refuted
    } else if judged.is_decided() {
        Exit::Well
    } else {
        Exit::Undecided
    }
}

impl Args {
    /// An option that was given and that only a gate over contenders has.
    fn of_contenders_only(&self) -> Option<&'static str> {
        let Measuring { precision, forks, first_forks, jit_forks, dry_run, runners, .. } =
            &self.measuring;
        let measuring = [
            ("--precision", precision.is_some()),
            ("--forks", forks.is_some()),
            ("--first-forks", first_forks.is_some()),
            ("--jit-forks", jit_forks.is_some()),
            ("--dry-run", *dry_run),
            ("--patience", runners.patience.is_some()),
        ];
        let given = measuring.into_iter().find(|(_, given)| *given).map(|(name, _)| name);
        given.or(self.part.first_given())
    }

    /// The two builds, ready to run.
    fn builds(&self, home: &Home, say: &dyn Fn(&str)) -> Result<[Build; 2]> {
        let here = std::env::current_dir().context("the working directory is not known")?;
        if let (Some(base), Some(new)) = (&self.base, &self.new) {
            let build = |command: &String| Build {
                command: command.clone(),
                folder: here.display().to_string(),
                revision: None,
            };
            return Ok([build(base), build(new)]);
        }
        let (Some(base), Some(command)) = (&self.base_rev, &self.run) else {
            bail!(NO_BUILDS);
        };
        let repository = Repository::around(&here)?;
        let base = repository.check_out(base, &home.cache)?;
        let new = match &self.new_rev {
            Some(revision) => repository.check_out(revision, &home.cache)?,
            None => repository.working_tree(),
        };
        for checkout in [&base, &new] {
            if let Some(build) = &self.build {
                checkout.build(build, say)?;
            }
        }
        let build = |checkout: Checkout| Build {
            command: command.clone(),
            folder: checkout.folder.display().to_string(),
            revision: Some(checkout.revision),
        };
        Ok([build(base), build(new)])
    }
}

/// The programs of this machine.
struct Programs {
    builds: [Build; 2],
    reads: Reads,
}

impl Execute for Programs {
    fn execute(&mut self, side: Side, padding: usize) -> Result<Executed> {
        let Build { command, folder, .. } = &self.builds[usize::from(side == Side::New)];
        program::execute(command, Path::new(folder), padding, self.reads)
    }
}

/// Says how far a gate is, now and then.
struct Teller<'a> {
    progress: &'a Progress,
    last: Option<Instant>,
}

impl Teller<'_> {
    fn say(&mut self, now: &session::Progress) {
        if self.last.is_some_and(|last| last.elapsed() < EVERY) && !self.progress.is_live() {
            return;
        }
        self.last = Some(Instant::now());
        let session::Progress { rounds, planned, spent } = now;
        self.progress.say(&format!("round {rounds} of at most {planned}, {spent:.0} s"));
    }
}
