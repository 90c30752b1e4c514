//! `cupel check`: whether a claim holds here, of one line or of suites.

use crate::one;
use crate::suites::{self, Deciding};
use anyhow::{Result, bail};
use clap::{ArgMatches, Args as _, FromArgMatches};
use cupel_print::OF_RUN;
use cupel_verb::options::among;
use cupel_verb::words::Asking;
use cupel_verb::{Context, Exit, complete, register};
use std::path::Path;

/// The verb as the command lists it.
pub const VERB: register::Verb =
    register::Verb { name: "check", after: "Trust", options: Args::augment_args, run };

/// Check claims: is A at least 1.5 times as fast as B?
///
/// Cupel measures a claim of one line until the claim is decided or the budget ends. Cupel decides
/// each claim of a suite, size by size, from the newest finished run of this machine that measured
/// both contenders. With --budget, --forks or a similar option, it first measures the claims that
/// no run decides: only their contenders and sizes, each in as many forks as it needs. Without
/// such an option, it measures nothing, and prints the command that measures them.
#[derive(clap::Args)]
#[command(mut_arg("format", |format| among(format, &OF_RUN)), after_help = "\
Examples:
  cupel check 'openssl-reused >= 1.5x openssl-oneshot' sha256 64
  cupel check 'ring > sha2-0.11' sha256 16K,1M        faster
  cupel check 'c/cupel = c/cupel-shani' sha256 64     equal, within 2 %
  cupel check 'jdk@21 1.5x..3x bouncycastle@21' aes-256-gcm seal 4K
  cupel check 'c/cupel overtakes rust/ring at 1K' sha256 64,256,1K,4K
  cupel check                       claims of all suites, and your earlier ones
  cupel check seeds/003             of one document, from stored runs
  cupel check seeds/003 --budget 4m first measures its undecided claims
  cupel check seeds/003 --run 7     from run 7 alone
  cupel check seeds/003 --fleet     on every machine with runs in the store

With --fleet, a claim is held or refuted only if all machines agree. A claim
that is held on one machine and refuted on another `depends`, and Cupel lists
the recorded facts that separate these machines.

Exit status: 0 all claims held; 1 at least one refuted (with --fleet: on at
least one machine); 2 none refuted and some undecided; 3 an error; 130
interrupted.")]
struct Args {
    /// Either a claim in quotes (contender A, the relation, contender B), then the primitive, then
    /// in any order an operation and sizes; or a suite's name or file [default: every suite that
    /// comes with Cupel and has claims]
    #[arg(value_name = "CLAIM|SUITE", allow_negative_numbers = true, add = complete::suites())]
    first: Option<String>,
    /// The primitive, operation and sizes of the claim, or more suites
    #[arg(value_name = "WORD", allow_negative_numbers = true, add = complete::question(false))]
    words: Vec<String>,
    #[command(flatten)]
    deciding: Deciding,
    #[command(flatten)]
    asking: Asking,
}

fn run(context: &Context, found: &ArgMatches) -> Result<Exit> {
    let args = &Args::from_arg_matches(found)?;
    if let Some(claim) = args.first.as_deref().filter(|first| is_claim(first)) {
        if args.deciding.run.is_some() || args.deciding.fleet {
            bail!("--run and --fleet are for claims of suites: a claim of one line is measured");
        }
        return one::run(context, claim, &args.words, &args.asking);
    }
    if let Some(option) = args.asking.work.first_given() {
        bail!("{option} is for a claim of one line; a claim of a suite says what it is about");
    }
    let measuring =
        args.asking.measuring.first_given().map(|option| (option, &args.asking.measuring));
    if let Some((option, _)) = measuring
        && (args.deciding.run.is_some() || args.deciding.fleet || args.first.is_none())
    {
        bail!(
            "{option} measures what a suite claims: name the suite, and neither --run nor --fleet"
        );
    }
    let named: Vec<String> = args.first.iter().chain(&args.words).cloned().collect();
    let measuring = measuring.map(|(_, measuring)| measuring);
    suites::run(context, &named, &args.deciding, measuring, args.asking.printing.format())
}

/// Whether a word is a claim: `ring >= 1.2x sha2` has spaces, which no suite's name has.
fn is_claim(word: &str) -> bool {
    word.trim().contains(' ') && !Path::new(word).exists()
}
