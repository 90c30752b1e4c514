//! `cupel show`: stored runs as tables, rows, pictures or a page, and the changes between two of
//! them.

use super::compare::compared;
use super::{Context, Exit, browser, complete, print};
use anyhow::{Result, bail, ensure};
use cupel_analyse::recall;
use cupel_base::disk::write_whole;
use cupel_decide::claims::Verdicts;
use cupel_run::begin::find_suite;
use cupel_show::export::{What, export};
use cupel_show::report::{Format, page};
use cupel_store::{self as store, Store};
use cupel_suite::Suite;
use cupel_verb::options::{Tables, among};
use cupel_verb::present::{present, tell_apart};
use cupel_verb::which::which;
use cupel_verb::written::{Written, say_written};
use std::path::PathBuf;

/// Show a stored run, or what changed between two runs
///
/// Cupel shows the last run, or the run that you name. If you name two runs, Cupel shows what
/// changed between them. Absolute times of two runs are not comparable, so Cupel compares ratios:
/// each contender to another that both runs measured in the same version, on the same workload
/// and contract. To compare two builds, measure both at once (`cupel gate`), which is far more
/// precise. A page is a single file with charts, and needs no network. Other programs can read
/// rows, one for each cell (a contender on a workload) or for each raw slice:
/// docs/reference/output.md explains the columns, and docs/guide/analysis.md how to read rows with
/// DuckDB and pandas.
#[derive(clap::Args)]
#[command(
    mut_arg("format", |format| among(format, &ALL).help(FORMAT)),
    after_help = "\
Examples:
  cupel show                           the last run as tables
  cupel show previous                  also 2026-11-21 (a day) or a suite's name
  cupel show previous last             what changed between them
  cupel show --open                    as a page with charts, in the browser
  cupel show 7 --claims seeds/003 -o sha256.html
  cupel show 7 --format markdown       for a pull request
  cupel show all -o cells.csv          the rows of all runs
  cupel show 7 --slices -o 7.jsonl     every raw slice of run 7"
)]
pub struct Args {
    /// The run: its number, `last` or `previous`. A day (UTC) or a suite means its newest run, and
    /// `all` means the rows of all runs
    #[arg(add = complete::runs())]
    run: Option<String>,
    /// A second run, named in the same way, to compare with. To show an unfinished run, give its
    /// number
    #[arg(value_name = "OTHER_RUN", conflicts_with_all = ["slices", "claims", "open"], add = complete::runs())]
    other: Option<String>,
    #[command(flatten)]
    written: Written,
    /// Write the raw slices instead of the cells
    #[arg(long)]
    slices: bool,
    /// Decide the claims of these suites and show them on the page. Give names or files of suites
    #[arg(long, value_name = "SUITE", add = complete::suites())]
    claims: Vec<String>,
    /// Write a page and open it in the browser [default of --output: cupel-RUN.html]
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    tables: Tables,
}

/// The formats of this verb.
const ALL: [Format; 8] = [
    Format::Table,
    Format::Json,
    Format::Jsonl,
    Format::Csv,
    Format::Markdown,
    Format::Svg,
    Format::Html,
    Format::Github,
];

const FORMAT: &str = "Output format [default: table; with --output, by the file's ending]";

/// The word for every run.
const EVERY: &str = "all";

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home_of_store()?;
    let store = Store::existing(&home.store)?;
    if let Some(path) = &args.written.output {
        store::spare(path)?;
    }
    let format = args.format()?;
    if let (Some(first), Some(second)) = (&args.run, &args.other) {
        ensure!(
            matches!(format, Format::Table | Format::Json),
            "two runs are compared as a table or as JSON: leave out --format, or give --format json"
        );
        return args.written.text(context, &compared(&store, first, second, format)?);
    }
    let has_rows = matches!(format, Format::Csv | Format::Jsonl);
    ensure!(has_rows || !args.slices, "--slices needs rows: give --format csv or jsonl");
    ensure!(
        args.claims.is_empty() || format == Format::Html,
        "--claims is for a page: give --format html, --open, or a file that ends in .html"
    );
    let every = args.run.as_deref() == Some(EVERY);
    ensure!(
        has_rows || !every,
        "all runs are shown as rows (--format csv or jsonl) or as a site (--output DIR/)"
    );
    let word = args.run.as_deref().filter(|_| !every);
    let run = word.map(|word| which(&store, word)).transpose()?;
    match format {
        Format::Csv | Format::Jsonl if every || args.slices => {
            let run = if every { None } else { Some(run.map_or_else(|| newest(&store), Ok)?) };
            write_rows(context, args, &store, run, format)
        }
        Format::Html => {
            let suites = args.claims.iter().map(|name| find_suite(&home, name));
            write_page(context, args, &store, run, &suites.collect::<Result<Vec<_>>>()?)
        }
        _ => {
            let (recorded, analysis) = recall(&store, run)?;
            let verdicts = Verdicts::for_run(&store, recorded.run.id)?;
            let style = args.tables.style(context.style);
            tell_apart(&recorded, &verdicts, format);
            let text = present(&store, &recorded, &analysis, &verdicts, format, style)?;
            args.written.text(context, &text)
        }
    }
}

/// The newest run.
fn newest(store: &Store) -> Result<i64> {
    match store.runs()?.first() {
        Some(run) => Ok(run.id),
        None => bail!("there are no runs yet; start one with `cupel run`"),
    }
}

impl Args {
    /// The format that is given, or that the file's name or --open means.
    fn format(&self) -> Result<Format> {
        let format = self.written.format(self.open.then_some(Format::Html))?;
        ensure!(!self.open || format == Format::Html, "--open opens a page: leave out --format");
        Ok(format)
    }
}

fn write_page(
    context: &Context,
    args: &Args,
    store: &Store,
    run: Option<i64>,
    suites: &[Suite],
) -> Result<Exit> {
    if let Some(suite) = suites.iter().find(|suite| suite.claims.is_empty()) {
        bail!("there is no [[claim]] in {}", suite.path.display());
    }
    let (run, page) = page::write(store, run, suites)?;
    if !args.open && args.written.output.is_none() {
        print(&page)?;
        return Ok(Exit::Well);
    }
    let path =
        args.written.output.clone().unwrap_or_else(|| PathBuf::from(format!("cupel-{run}.html")));
    store::spare(&path)?;
    write_whole(&path, page)?;
    say_written(context, &path)?;
    if args.open {
        browser::open(&path.canonicalize()?)?;
    }
    Ok(Exit::Well)
}

/// Writes rows: of one run, or of all.
fn write_rows(
    context: &Context,
    args: &Args,
    store: &Store,
    run: Option<i64>,
    format: Format,
) -> Result<Exit> {
    let what = if args.slices { What::Slices } else { What::Cells };
    args.written.rows(context, |out| export(store, run, what, format, out))
}
