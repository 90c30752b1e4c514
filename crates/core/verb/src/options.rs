//! The options that several verbs have. Each is declared once, here.

use crate::complete;
use crate::turn::Waiting;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use cupel_base::primitives;
use cupel_plan::Filter;
use cupel_print::{Format, Style};
use cupel_protocol::workload::{Operation, Shape};
use cupel_run::begin::Overrides;
use cupel_suite::{self as suite, asked};
use std::path::PathBuf;
use std::time::Duration;

/// Which part of a suite is measured.
#[derive(clap::Args)]
pub struct Part {
    /// Only these contenders and the baseline; * stands for any characters, and @newest stands for
    /// the newest JDK
    #[arg(long, value_name = "PATTERN", add = complete::contenders())]
    contender: Vec<String>,
    /// Only these primitives; in a choice between primitives, compare only these
    #[arg(long, value_name = "NAME", value_parser = primitive, value_delimiter = ',', add = complete::primitives())]
    primitive: Vec<String>,
    /// Only this operation
    #[arg(long, value_name = "NAME", value_parser = operation, add = complete::operations())]
    operation: Vec<Operation>,
    #[command(flatten)]
    work: Work,
}

impl Part {
    /// The first of these options that was given.
    pub fn first_given(&self) -> Option<&'static str> {
        let own = first_of(&[
            ("--contender", !self.contender.is_empty()),
            ("--primitive", !self.primitive.is_empty()),
            ("--operation", !self.operation.is_empty()),
        ]);
        own.or(self.work.first_given())
    }

    /// The part of a suite that is measured.
    pub fn filter(&self) -> Filter {
        Filter {
            contenders: self.contender.clone(),
            primitives: self.primitive.clone(),
            operations: self.operation.clone(),
            sizes: self.work.size.clone(),
            contract: self.work.contract(),
            shape: self.work.shape,
        }
    }
}

fn primitive(text: &str) -> Result<String, String> {
    let meant = primitives::meant(text).map(|primitive| primitive.name.to_string());
    meant.ok_or_else(|| primitives::instead_of(text, ""))
}

fn operation(text: &str) -> Result<Operation, String> {
    let names: Vec<&str> = Operation::ALL.iter().map(|o| o.name()).collect();
    Operation::ALL
        .into_iter()
        .find(|o| o.name() == text)
        .ok_or_else(|| format!("the known ones are {}", names.join(", ")))
}

/// What is measured, whatever a suite or a question usually takes.
#[derive(clap::Args)]
pub struct Work {
    /// Message lengths, such as 64,4K. They need not be sizes of the suite
    #[arg(long, value_name = "SIZE", value_parser = suite::size, value_delimiter = ',')]
    pub size: Vec<u64>,
    /// How calls differ from the usual contract, such as key=per-call,ad=13
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = contract)]
    contract: Option<Contract>,
    /// throughput, or latency (each call waits for the previous one)
    #[arg(long, value_name = "SHAPE", value_parser = shape)]
    pub shape: Option<Shape>,
}

impl Work {
    /// The first of these options that was given.
    pub fn first_given(&self) -> Option<&'static str> {
        first_of(&[
            ("--size", !self.size.is_empty()),
            ("--contract", self.contract.is_some()),
            ("--shape", self.shape.is_some()),
        ])
    }

    /// The differences from the usual contract, by its keys.
    pub fn contract(&self) -> Vec<(String, String)> {
        self.contract.clone().map(|contract| contract.0).unwrap_or_default()
    }
}

/// How much is measured, and whether to wait for it. The defaults are those of the suite, or else
/// those that the help names.
#[derive(clap::Args)]
pub struct Measuring {
    /// The time until the answer (alias --within), such as 30s or 5m, excluding the first build of
    /// contenders; `least` means the fewest rounds. `advise`, `gate`, and `ask` with --why, --paths
    /// or --history count only the time for measuring [default: for any other `ask` without numbers
    /// of forks, 3m, plus 90s for each further size; otherwise the suite's time for measuring, or
    /// 60s]
    #[arg(long, visible_alias = "within", value_name = "TIME", value_parser = budget)]
    pub budget: Option<Duration>,
    /// Stop a comparison once its intervals are this narrow, such as 0.5% [default: the suite's, or
    /// 1%]
    #[arg(long, value_name = "SHARE", value_parser = suite::percent_with_unit)]
    pub precision: Option<f64>,
    /// How many fresh processes (forks) each contender gets [default: the suite's, or 24]. With
    /// fewer than 11 forks, Cupel decides no difference of up to 15 %
    #[arg(long, value_name = "N", value_parser = forks)]
    pub forks: Option<u32>,
    /// After this many forks, contenders with a clear answer run in only a few more [default: the
    /// suite's, or 5; in `ask` without names of contenders, 11]. If this number equals --forks, all
    /// contenders run in all forks
    #[arg(long, value_name = "N", value_parser = forks)]
    pub first_forks: Option<u32>,
    /// The most forks of a contender that is compiled at run time; each takes seconds
    /// [default: the suite's, or 11; with --forks, the same number as for other contenders]
    #[arg(long, value_name = "N", value_parser = forks)]
    pub jit_forks: Option<u32>,
    /// Print what Cupel would measure and how long that would take, and exit
    #[arg(long)]
    pub dry_run: bool,
    /// How runners are asked.
    #[command(flatten)]
    pub runners: Runners,
    /// What to do if another run is being measured.
    #[command(flatten)]
    pub waiting: Waiting,
}

impl Measuring {
    /// The first of these options that was given.
    pub fn first_given(&self) -> Option<&'static str> {
        first_of(&[
            ("--budget", self.budget.is_some()),
            ("--precision", self.precision.is_some()),
            ("--forks", self.forks.is_some()),
            ("--first-forks", self.first_forks.is_some()),
            ("--jit-forks", self.jit_forks.is_some()),
            ("--dry-run", self.dry_run),
            ("--patience", self.runners.patience.is_some()),
            ("--seed", self.runners.seed.is_some()),
            ("--no-wait", self.waiting.no_wait),
            ("--anyway", self.waiting.anyway),
        ])
    }

    /// The values that replace the options of the suite.
    pub fn overrides(&self) -> Overrides {
        Overrides {
            budget: self.budget,
            precision: self.precision,
            forks: self.forks,
            first_forks: self.first_forks,
            jit_forks: self.jit_forks,
            seed: self.runners.seed,
            build: !self.dry_run,
            ..Overrides::default()
        }
    }
}

/// How runners are asked.
#[derive(clap::Args)]
pub struct Runners {
    /// How long a runner may take to answer [default: 60s]; in a gate over programs, how long one
    /// execution may take [default: a quarter of the gate's budget]
    #[arg(long, value_name = "TIME", value_parser = suite::duration_with_unit)]
    pub patience: Option<Duration>,
    /// The random seed, to repeat the orders and messages of a run, or the sizes of a verification
    #[arg(long, value_name = "NUMBER", value_parser = seed)]
    pub seed: Option<u64>,
}

impl Runners {
    /// How long a runner may take to answer.
    pub fn patience(&self) -> Duration {
        self.patience.unwrap_or(Duration::from_secs(60))
    }
}

fn first_of(options: &[(&'static str, bool)]) -> Option<&'static str> {
    options.iter().find(|(_, given)| *given).map(|(name, _)| *name)
}

/// The differences from the usual contract. (clap would take a plain list for many values.)
#[derive(Clone, Debug)]
struct Contract(Vec<(String, String)>);

fn contract(text: &str) -> Result<Contract, String> {
    asked::contract(text).map(Contract)
}

fn shape(text: &str) -> Result<Shape, String> {
    [Shape::Throughput, Shape::Latency]
        .into_iter()
        .find(|shape| shape.name() == text)
        .ok_or_else(|| "the known ones are throughput and latency".to_string())
}

/// A time, or none for `least`.
fn budget(text: &str) -> Result<Duration, String> {
    if text == "least" { Ok(Duration::ZERO) } else { suite::duration_with_unit(text) }
}

/// A number of forks. One alone has no interval.
fn forks(text: &str) -> Result<u32, String> {
    let forks = text.parse().ok().filter(|forks| (2..=100).contains(forks));
    forks.ok_or_else(|| {
        "a fork is a set of fresh processes, one for each contender; give a number from 2 to 100, \
         11 or more to decide differences below 15 %"
            .to_string()
    })
}

/// A seed: a number that JSON represents exactly.
fn seed(text: &str) -> Result<u64, String> {
    const MOST: u64 = (1 << 53) - 1;
    let seed = text.parse().ok().filter(|seed| *seed <= MOST);
    seed.ok_or_else(|| format!("a seed is a whole number from 0 to {MOST}"))
}

/// In which form a verb prints what it has found.
#[derive(clap::Args)]
pub struct Printing {
    /// Output format [default: table]
    #[arg(long, value_enum)]
    format: Option<Format>,
}

impl Printing {
    /// The format, if one was given.
    pub fn given(&self) -> Option<Format> {
        self.format
    }

    /// The format; a table if none was given.
    pub fn format(&self) -> Format {
        self.format.unwrap_or_default()
    }
}

/// Restricts `--format` to the formats that a verb can write.
pub fn among(format: clap::Arg, known: &[Format]) -> clap::Arg {
    let names = known.iter().filter_map(ValueEnum::to_possible_value);
    let parser = PossibleValuesParser::new(names);
    format.value_parser(parser.map(|name| Format::from_str(&name, false).expect("a known format")))
}

/// What the tables of a run show.
#[derive(clap::Args)]
pub struct Tables {
    /// Also print the rows of secondary contenders, and below the tables the full form of each
    /// shortened name. A secondary contender makes an implementation take one code path, or calls
    /// it in another way. Tables leave it out if they have the usual contender, unless the suite or
    /// --contender asks for it
    #[arg(long)]
    all: bool,
}

impl Tables {
    /// The style with these options.
    pub fn style(&self, style: Style) -> Style {
        Style { all: self.all, ..style }
    }
}

/// Whether a verb prints more than a screen.
#[derive(clap::Args)]
pub struct Length {
    /// Print everything, even more than fits on a screen
    #[arg(long)]
    pub all: bool,
}

/// C compilers that Cupel does not detect.
#[derive(clap::Args)]
pub struct Compilers {
    /// The path of a C compiler, in addition to those that Cupel detects; may be repeated
    #[arg(long, value_name = "PATH")]
    pub compiler: Vec<PathBuf>,
}
