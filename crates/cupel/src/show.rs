//! `cupel show`: stored runs as tables, rows, pictures, a page or a web site, and the changes
//! between two of them.

use super::compare::compared;
use super::which::which;
use super::{Context, Exit, browser, complete, print};
use anyhow::{Result, bail, ensure};
use cupel_analyse::recall;
use cupel_base::disk::{fill_whole, write_whole};
use cupel_base::text::{count, plain};
use cupel_decide::claims::Verdicts;
use cupel_gate::judge::judge;
use cupel_gate::record::Record;
use cupel_show::export::{What, export};
use cupel_show::report::{self, Format, page};
use cupel_show::site;
use cupel_store::{self as store, Store};
use cupel_suite::Suite;
use cupel_verb::options::{Printing, Tables, among};
use cupel_verb::present::{present, tell_apart};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Show a stored run or a site, or what changed between two runs
///
/// Without a word, it is the last run. With two, it is what changed from the first to the second.
/// Absolute times of two runs cannot be compared, so Cupel compares each contender's ratio to a
/// contender that both runs measured in the same version, on the same workload and contract. To
/// compare two builds, measure both at once (`cupel gate`), which is far more precise.
/// A page is a single file with charts that needs no network.
/// Rows, one for each contender and workload, or for each raw slice, are for other programs:
/// docs/formats.md explains the columns, docs/analysis.md shows how to read them with DuckDB and
/// pandas.
///
/// A site has each question of the store with its answer on each machine, and the page of each run.
/// It consists of plain files, loads nothing from other sites and needs no web server. The same
/// store always gives the same bytes. A new site replaces an old one in the folder; Cupel refuses a
/// folder with other files. To show many machines, first import their stores.
#[derive(clap::Args)]
#[command(
    mut_arg("format", |format| among(format, &ALL).help(FORMAT)),
    after_help = "\
Examples:
  cupel show                           the last run as tables
  cupel show previous                  or a day such as 2026-11-21, or a suite
  cupel show previous last             what changed between them
  cupel show --open                    as a page with charts, in the browser
  cupel show 7 --claims seeds/003 -o sha256.html
  cupel show 7 --format markdown       for a pull request
  cupel show all -o cells.csv          the rows of all runs
  cupel show 7 --slices -o 7.jsonl     every raw slice of one
  cupel show -o public/                a web site of the whole store"
)]
pub struct Args {
    /// The run: its number; a day (UTC), for the newest that began then; last; previous; a suite,
    /// for its newest; or all, for the rows of all runs
    #[arg(add = complete::runs())]
    run: Option<String>,
    /// A second run, named in the same way: show what changed. To show an unfinished run, give its
    /// number
    #[arg(value_name = "OTHER_RUN", conflicts_with_all = ["slices", "claims", "open"], add = complete::runs())]
    other: Option<String>,
    /// Write to this file; into a folder (DIR/), a web site of all runs
    #[arg(long, short, value_name = "FILE|DIR/")]
    output: Option<PathBuf>,
    /// As rows: the raw slices in the place of the cells. With a site: also the raw slices, which
    /// take most of its space
    #[arg(long)]
    slices: bool,
    /// On a page: decide the claims of these suites, too, given by name or file
    #[arg(long, value_name = "SUITE", add = complete::suites())]
    claims: Vec<String>,
    /// Write a page and open it in the browser [default of --output: cupel-RUN.html]
    #[arg(long, conflicts_with = "foreign")]
    open: bool,
    /// Show imported results of other programs instead of a run
    #[arg(long, conflicts_with_all = ["run", "slices", "claims"])]
    foreign: bool,
    /// Show a gate over benchmark programs instead of a run: the last one, or that of a number
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true,
        conflicts_with_all = ["run", "slices", "claims", "open", "foreign"])]
    gate: Option<Option<i64>>,
    #[command(flatten)]
    printing: Printing,
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

const FORMAT: &str = "Output format [default: table; with --output, as the file's name ends]";

/// The word for every run.
const EVERY: &str = "all";

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home_of_store()?;
    let store = Store::existing(&home.store)?;
    if let Some(folder) = args.output.as_ref().filter(|path| is_folder(path)) {
        return write_site(context, args, &store, folder);
    }
    if let Some(path) = &args.output {
        store::spare(path)?;
    }
    let format = args.format()?;
    if let Some(number) = args.gate {
        return write(context, args, &gate(context, &store, number, format)?);
    }
    if let (Some(first), Some(second)) = (&args.run, &args.other) {
        ensure!(
            matches!(format, Format::Table | Format::Json),
            "two runs are compared as a table or as JSON: leave out --format, or give --format json"
        );
        return write(context, args, &compared(&store, first, second, format)?);
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
    if args.foreign {
        if has_rows {
            return write_rows(context, args, &store, None, format);
        }
        return write(context, args, &report::foreign::present(&store.foreign()?, format)?);
    }
    let word = args.run.as_deref().filter(|_| !every);
    let run = word.map(|word| which(&store, word)).transpose()?;
    match format {
        Format::Csv | Format::Jsonl if every || args.slices => {
            let run = if every { None } else { Some(run.map_or_else(|| newest(&store), Ok)?) };
            write_rows(context, args, &store, run, format)
        }
        Format::Html => {
            let suites = args.claims.iter().map(|name| Suite::find(&home, name));
            write_page(context, args, &store, run, &suites.collect::<Result<Vec<_>>>()?)
        }
        _ => {
            let (recorded, analysis) = recall(&store, run)?;
            let verdicts = Verdicts::of(&store, recorded.run.id)?;
            let style = args.tables.style(context.style);
            tell_apart(&recorded, &verdicts, format);
            let text = present(&store, &recorded, &analysis, &verdicts, format, style)?;
            write(context, args, &text)
        }
    }
}

/// A stored gate, judged again.
fn gate(context: &Context, store: &Store, number: Option<i64>, format: Format) -> Result<String> {
    ensure!(
        report::gate::OF_GATE.contains(&format),
        "a gate is shown as a table, as JSON, as Markdown or as annotations (--format github)"
    );
    let (number, record) = store.gate(number)?;
    let record: Record = serde_json::from_str(&record)?;
    Ok(report::gate::present(number, &record, &judge(&record), format, context.style))
}

/// The newest run.
fn newest(store: &Store) -> Result<i64> {
    match store.runs()?.first() {
        Some(run) => Ok(run.id),
        None => bail!("there are no runs yet; start one with `cupel run`"),
    }
}

/// Whether an output is a folder: it exists, or is written as one.
fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.to_string_lossy().ends_with(std::path::MAIN_SEPARATOR)
}

impl Args {
    /// The format that is given, or that the file's name or --open means.
    fn format(&self) -> Result<Format> {
        let ending = self.output.as_deref().and_then(Path::extension);
        let format = match (self.printing.given(), ending.and_then(|ending| ending.to_str())) {
            (Some(given), _) => given,
            (None, Some("html")) => Format::Html,
            (None, Some("csv")) => Format::Csv,
            (None, Some("json")) => Format::Json,
            (None, Some("jsonl")) => Format::Jsonl,
            (None, Some("md")) => Format::Markdown,
            (None, Some("svg")) => Format::Svg,
            (None, _) if self.open => Format::Html,
            (None, None | Some("txt")) => Format::Table,
            (None, Some(other)) => bail!(
                "which format has a file that ends in .{other}? Give --format, or end its name in \
                 .csv, .jsonl, .json, .md, .svg, .html or .txt"
            ),
        };
        ensure!(!self.open || format == Format::Html, "--open opens a page: leave out --format");
        Ok(format)
    }
}

/// Prints a text, or writes it to the file and prints the file's name.
fn write(context: &Context, args: &Args, text: &str) -> Result<Exit> {
    match &args.output {
        Some(path) => {
            write_whole(path, text)?;
            say_written(context, path)?;
        }
        None => print(text)?,
    }
    Ok(Exit::Well)
}

fn say_written(context: &Context, path: &Path) -> Result<()> {
    if context.quiet {
        return Ok(());
    }
    print(&format!("{}\n", plain(&path.display().to_string())))
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
    if !args.open && args.output.is_none() {
        print(&page)?;
        return Ok(Exit::Well);
    }
    let path = args.output.clone().unwrap_or_else(|| PathBuf::from(format!("cupel-{run}.html")));
    store::spare(&path)?;
    write_whole(&path, page)?;
    say_written(context, &path)?;
    if args.open {
        browser::open(&path.canonicalize()?)?;
    }
    Ok(Exit::Well)
}

fn write_site(context: &Context, args: &Args, store: &Store, folder: &Path) -> Result<Exit> {
    let is_page = args.printing.given().is_none_or(|format| format == Format::Html);
    let one = args.run.as_deref().is_some_and(|run| run != EVERY);
    if one || args.foreign || !is_page || !args.claims.is_empty() || args.open {
        bail!(
            "{} is a folder, and a folder gets a web site of all runs: name a file",
            folder.display()
        );
    }
    let written = site::write(store, folder, args.slices)?;
    if !context.quiet {
        let line = format!(
            "{}: {} on {}, {}",
            folder.join(site::INDEX).display(),
            count(written.questions, "question"),
            count(written.machines, "machine"),
            count(written.runs, "run")
        );
        print(&(plain(&line) + "\n"))?;
    }
    Ok(Exit::Well)
}

/// Writes rows: of one run, of all, or of other programs.
fn write_rows(
    context: &Context,
    args: &Args,
    store: &Store,
    run: Option<i64>,
    format: Format,
) -> Result<Exit> {
    let what = match (args.foreign, args.slices) {
        (true, _) => What::Foreign,
        (false, true) => What::Slices,
        (false, false) => What::Cells,
    };
    let Some(path) = &args.output else {
        let out = BufWriter::new(std::io::stdout());
        export(store, run, what, format, Box::new(Forgiving(out)))?;
        return Ok(Exit::Well);
    };
    fill_whole(path, |file| {
        let out = Box::new(BufWriter::new(file.try_clone()?));
        export(store, run, what, format, out)
    })?;
    say_written(context, path)?;
    Ok(Exit::Well)
}

/// A reader that stops reading (`| head`) is not an error.
struct Forgiving<W>(W);

impl<W: Write> Write for Forgiving<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.0.write(bytes) {
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            other => other,
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self.0.flush() {
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }
}
