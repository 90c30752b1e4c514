//! `cupel report`: a stored run as a page for a browser.

use super::which::which;
use super::{Context, Exit, complete, print};
use crate::report::page;
use crate::store::{self, Store};
use crate::suite::Suite;
use crate::text::plain;
use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Write a stored run as one HTML page with charts, the last run by default
///
/// The page is a single file that needs no network. Cupel prints its path.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel report --open
  cupel report 7 --claims seeds/003 -o sha256.html")]
pub struct Args {
    /// The run: its number; a day (UTC), for the newest that began then; last; previous; or a suite,
    /// for its newest
    #[arg(add = complete::runs())]
    run: Option<String>,
    /// The output file; `-` for standard output [default: cupel-RUN.html]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Suites, by name or file, whose claims the page decides in addition to the claims of the
    /// run's own suite
    #[arg(long, value_name = "SUITE", add = complete::suites())]
    claims: Vec<String>,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home_of_store()?;
    let store = Store::existing(&home.store)?;
    let suites = args.claims.iter().map(|n| Suite::find(&home, n)).collect::<Result<Vec<_>>>()?;
    if let Some(suite) = suites.iter().find(|suite| suite.claims.is_empty()) {
        anyhow::bail!("there is no [[claim]] in {}", suite.path.display());
    }
    let run = args.run.as_deref().map(|word| which(&store, word)).transpose()?;
    let (run, page) = page::write(&store, run, &suites)?;
    if args.output.as_deref() == Some(Path::new("-")) {
        anyhow::ensure!(!args.open, "--open needs a file: give --output a file name");
        print(&page)?;
        return Ok(Exit::Well);
    }
    let path = match &args.output {
        Some(path) => path.clone(),
        None => PathBuf::from(format!("cupel-{}.html", run)),
    };
    store::spare(&path)?;
    std::fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    if !context.quiet {
        print(&format!("{}\n", plain(&path.display().to_string())))?;
    }
    if args.open {
        show(&path.canonicalize()?)?;
    }
    Ok(Exit::Well)
}

/// How long an opener may take to report that it has no browser.
const OPENER: Duration = Duration::from_secs(2);

/// Asks the system for its browser, and does not wait until it is closed.
fn show(path: &Path) -> Result<()> {
    let mut opener = match std::env::consts::OS {
        "macos" => Command::new("open"),
        "windows" => Command::new("explorer"),
        _ => Command::new("xdg-open"),
    };
    opener.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let program = opener.get_program().to_string_lossy().into_owned();
    let help = format!("the page itself is written: open {} in a browser", path.display());
    let mut started = opener.spawn().with_context(|| {
        format!("no browser was opened, because {program} does not start; {help}")
    })?;
    let began = Instant::now();
    while began.elapsed() < OPENER {
        match started.try_wait()? {
            Some(status) if status.success() => return Ok(()),
            Some(_) => anyhow::bail!("no browser was opened: {program} found none; {help}"),
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    Ok(()) // The browser itself is still running.
}
