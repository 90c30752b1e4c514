//! `cupel gate`: is the new build slower than the base? For any benchmark, or for contenders.

use crate::child;
use crate::dependency::Wish;
use crate::judge::Outcome;
use crate::places::{
    Outside, note_of_package, note_of_variables, refuse_shared_install, refuse_shared_target,
    refuse_working_tree,
};
use crate::program::{self, Executed, Reads};
use crate::readers;
use crate::record::{Build, Record, Side, State};
use crate::revisions::{Checkout, Repository};
use crate::session::{self, Execute};
use crate::state::{Watch, folder_of};
use crate::words::{OF_GATE, present};
use anyhow::{Context as _, Result, bail, ensure};
use clap::{ArgGroup, ArgMatches, Args as _, FromArgMatches};
use cupel_base::disk;
use cupel_base::home::Home;
use cupel_base::problem::Problem;
use cupel_base::text::{self, tell, utc};
use cupel_contender::Kind;
use cupel_machine::Machine;
use cupel_plan::against::MARGIN;
use cupel_print::{Format, OF_RUN};
use cupel_run::begin::{self, Against, Overrides, find_suite, random_seed};
use cupel_show::report::progress::Progress;
use cupel_store::Store;
use cupel_suite as suite;
use cupel_toolchain::kept::{self, Compared, Kept};
use cupel_verb::carry_out::{Carried, carry_out, finish};
use cupel_verb::how::How;
use cupel_verb::options::{Compilers, Measuring, Part, Printing, Tables, among};
use cupel_verb::{Context, Exit, complete, print, register};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// The verb as the command lists it.
pub const VERB: register::Verb =
    register::Verb { name: "gate", after: "Trust", options: Args::augment_args, run };

/// How often progress is reported where it is not drawn in place.
const EVERY: Duration = Duration::from_secs(10);

/// Find out whether a build is slower, with any benchmark you have
///
/// With benchmark programs, Cupel executes both builds in random order until every benchmark has an
/// answer or the budget is spent. Half of the rounds run the base twice (the control), the others
/// the new build. Each execution gives one value. The intervals are joint: if builds are equal, at
/// most about one gate in twenty has a wrong interval. Cupel cannot verify the programs' results.
///
/// The first lines name everything that was not compared: benchmarks that only one build has or
/// that lack a time, and executions that failed. They also say how many executions of each build
/// take far longer than the others. An execution may take at most a quarter of the budget
/// (--patience). Cupel kills processes that it leaves behind.
///
/// With contenders (SUITE and --against), Cupel verifies both builds of a runner and alternates
/// them in one run, which decides smaller differences in less time. Before an upgrade of your
/// system, --keep copies the libraries that the C contenders of SUITE load. After the upgrade,
/// --kept compares the new libraries with the copies.
#[derive(clap::Args)]
#[command(
    mut_arg("format", |format| among(format, &ALL)),
    group(ArgGroup::new("of_contenders").args(["against", "keep", "kept"])),
    group(ArgGroup::new("of_repository").args(["base_rev", "dep"])),
    after_help = "\
Examples:
  cupel gate --base ./bench-old --new ./bench-new
  cupel gate --base-rev main --build 'cargo bench --no-run' \\
      --run 'cargo bench -q --bench NAME -- --measurement-time 0.5'
  cupel gate --dep aes@0.8.4..0.9.2 --run 'cargo bench -q --bench NAME'
  cupel gate --base-rev HEAD~1 --run 'go test -run - -bench . -benchtime 50ms'
  cupel gate --base './old file' --new './new file' --reads time
  cupel gate sha256 --against ../base/runner
  cupel gate aead --keep                  before an upgrade of your system
  cupel gate aead --kept                  after the upgrade
  cupel show --gate --format markdown     the last gate, for a comment on a PR

Exit status: 0 not slower by more than the margin; 1 slower, or failing more
often; 2 undecided, not compared, not read, or sometimes failing; 3 an error.",
)]
struct Args {
    /// The suite whose contenders are compared in two builds: a name from `cupel list suites`, or a
    /// file
    #[arg(requires = "of_contenders", add = complete::suites())]
    suite: Option<String>,
    /// The command that runs the base's benchmarks
    #[arg(long, value_name = "COMMAND", requires = "new", conflicts_with_all = ["of_repository", "run"])]
    base: Option<String>,
    /// The command that runs the new build's benchmarks
    #[arg(long, value_name = "COMMAND", requires = "base")]
    new: Option<String>,
    /// The Git revision of the base, such as main. Cupel checks it out and builds it once, in the
    /// cache
    #[arg(long, value_name = "REVISION", requires = "run")]
    base_rev: Option<String>,
    /// The Git revision of the new build [default: the working tree as it is]
    #[arg(long, value_name = "REVISION", requires = "base_rev", conflicts_with = "dep")]
    new_rev: Option<String>,
    /// Compare two versions of a dependency: Cupel builds the last commit with each version, which
    /// Cargo, Go, Maven, npm, pip or uv sets. Without OLD, the base has the version in the lock
    /// file
    #[arg(long, value_name = "NAME@[OLD..]NEW", requires = "run")]
    dep: Option<Wish>,
    /// The command that builds a revision; with --base-build, it builds only the new revision
    #[arg(long, value_name = "COMMAND", requires = "of_repository")]
    build: Option<String>,
    /// The command that builds the base, if the builds differ on purpose
    #[arg(long, value_name = "COMMAND", requires_all = ["build", "base_rev"], conflicts_with = "dep")]
    base_build: Option<String>,
    /// The command that runs the benchmarks of a revision; it starts in the revision's folder that
    /// corresponds to your working directory
    #[arg(long, value_name = "COMMAND", requires = "of_repository")]
    run: Option<String>,
    /// The format of the output: criterion, libtest, go, jmh, google-benchmark, lines (of `name
    /// value unit`, or of a pattern: 'lines:{name} {time}') and others; or time, for the time of
    /// the whole command [default: recognised from the output]
    #[arg(long, value_name = "FORMAT")]
    reads: Option<Reads>,
    /// Accept benchmarks or contenders that only one build has, benchmarks without a time, and
    /// times that Cupel could not read: it names them, but they do not make the exit status 2. A
    /// contender that does not run still does
    #[arg(long, conflicts_with = "keep")]
    may_differ: bool,
    /// By how much the new build may be slower [default: 2%]
    #[arg(long, value_name = "SHARE", value_parser = suite::percent_with_unit)]
    margin: Option<f64>,
    /// The other build of a runner, whose contenders are named NAME@against. Put FAMILY= before the
    /// program if the contenders' names do not identify the family
    #[arg(long, value_name = "[FAMILY=]PROGRAM", requires = "suite")]
    against: Option<String>,
    /// Copy the shared libraries that the C contenders of the suite load now, and measure nothing
    #[arg(long, requires = "suite")]
    keep: bool,
    /// Compare with the libraries that --keep has copied. If no library has changed, Cupel measures
    /// nothing
    #[arg(long, requires = "suite")]
    kept: bool,
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

/// The formats of this verb: a gate's over programs, and a run's.
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
const NO_BUILDS: &str = "there are no two builds to compare";
const GIVE_BUILDS: &str = "give --base and --new, or --base-rev or --dep with --run, or a suite \
                           and --against, --keep or --kept";

/// The time for all executions, if none is given.
const BUDGET: Duration = Duration::from_secs(180);

/// The probability with which any interval may be wrong.
const ERROR: f64 = 0.05;

fn run(context: &Context, found: &ArgMatches) -> Result<Exit> {
    let args = Args::from_arg_matches(found)?;
    let format = args.printing.format();
    let (kind, known) = match args.suite {
        Some(_) => ("contenders", &OF_RUN[..]),
        None => ("benchmark programs", &OF_GATE[..]),
    };
    ensure!(
        known.contains(&format),
        "a gate over {kind} has no such --format, but {}",
        Format::names(known)
    );
    if args.suite.is_none() && args.base.is_none() && args.run.is_none() {
        return Err(Problem::refusal(NO_BUILDS, GIVE_BUILDS).into());
    }
    match &args.suite {
        Some(suite) => over_contenders(context, &args, suite),
        None => over_programs(context, &args),
    }
}

/// Both builds of a runner, as a run of the suite.
fn over_contenders(context: &Context, args: &Args, suite: &str) -> Result<Exit> {
    let home = context.home()?;
    let how = How::from_options(&args.measuring);
    let mut overrides = Overrides {
        filter: args.part.filter(),
        against: args.against.clone().map(Against::Program),
        margin: args.margin,
        may_differ: args.may_differ,
        compilers: args.compilers.compiler.clone(),
        ..args.measuring.overrides()
    };
    if args.keep || args.kept {
        if overrides.filter.contenders.is_empty() {
            overrides.filter.contenders = native(&home)?;
        }
        let objects = objects(context, &home, suite, &overrides)?;
        if args.keep {
            return keep(&home, suite, &objects);
        }
        let changed = changed(context, &home, suite, &objects)?;
        if changed.is_empty() {
            return Ok(Exit::Well);
        }
        overrides.against = Some(Against::Kept(changed));
    }
    let suite = || find_suite(&home, suite);
    let Carried::Out(done) = carry_out(context, &home, &how, suite, &overrides)? else {
        return Ok(Exit::Well);
    };
    finish(context, &done, args.printing.format(), &args.tables)
}

/// Patterns of all native contenders: no other loads a library that is kept, so no other is built.
fn native(home: &Home) -> Result<Vec<String>> {
    let mut families = cupel_contender::families(home)?;
    families.retain(|family| matches!(family.kind, Kind::Native(_)));
    let prefixes: BTreeSet<String> = families.into_iter().map(|family| family.prefix).collect();
    Ok(prefixes.into_iter().map(|prefix| format!("{prefix}/*")).collect())
}

/// The objects of the native contenders of a suite, by family.
fn objects(
    context: &Context,
    home: &Home,
    suite: &str,
    overrides: &Overrides,
) -> Result<BTreeMap<String, PathBuf>> {
    let suite = find_suite(home, suite)?;
    let say = |what: &str| context.say(what);
    let draft = begin::draft(home, &suite, &overrides.resolved(home, &say)?, &say, &say)?;
    let mut objects = BTreeMap::new();
    for contender in draft.contenders().iter().filter(|c| !c.is_on_demand()) {
        let object = contender.command().and_then(|command| command.last().map(PathBuf::from));
        if let Some(object) = object.filter(|path| path.extension().is_some_and(|e| e == "so")) {
            objects.insert(contender.family.clone(), object);
        }
    }
    Ok(objects)
}

/// Copies the libraries that the objects load, and prints their names.
fn keep(home: &Home, suite: &str, objects: &BTreeMap<String, PathBuf>) -> Result<Exit> {
    let today = utc(SystemTime::now());
    let today = today.split_once('T').map_or(&*today, |(day, _)| day);
    let mut copied = Vec::new();
    for (family, object) in objects {
        if let Some(kept) = kept::keep(home, family, object, today)? {
            copied.push(format!("{family} ({})", kept.libraries().join(", ")));
        }
    }
    if copied.is_empty() {
        bail!("no contender of {suite} loads a shared library that could be kept");
    }
    let folder = kept::folder(home);
    let megabytes = disk::size(&folder).div_ceil(1_000_000);
    print(&text::folded(
        "",
        &format!(
            "kept: {}; {megabytes} MB in {}. After an upgrade: cupel gate {suite} --kept",
            copied.join(", "),
            folder.display()
        ),
    ))?;
    print("\n")?;
    Ok(Exit::Well)
}

/// The families of the suite whose libraries have changed since they were kept. If there is none,
/// that is printed.
fn changed(
    context: &Context,
    home: &Home,
    suite: &str,
    objects: &BTreeMap<String, PathBuf>,
) -> Result<Vec<Kept>> {
    let (mut changed, mut same, mut another) = (Vec::new(), Vec::new(), Vec::new());
    for one in kept::all(home)? {
        let Some(object) = objects.get(&one.family) else { continue };
        match one.compared(object)? {
            Compared::Same => same.push(format!("{} ({})", one.family, one.date)),
            Compared::Another(name) => {
                another.push(format!("{} loads {name} now, which was not kept", one.family));
            }
            Compared::Changed(names) => {
                let names = names.join(", ");
                context.say(&format!("{} has changed since {}: {names}", one.family, one.date));
                changed.push(one);
            }
        }
    }
    if !changed.is_empty() {
        another.iter().for_each(|line| context.say(&format!("{line}: it is left out")));
        return Ok(changed);
    }
    let keep = format!("`cupel gate {suite} --keep` copies what its contenders load now");
    if !another.is_empty() {
        bail!("nothing can be compared: {}; {keep}", another.join("; "));
    }
    if same.is_empty() {
        bail!("no library of the contenders of {suite} was kept; {keep}");
    }
    let text = format!("no library has changed since it was kept: {}", same.join(", "));
    print(&(text::folded("", &text) + "\n"))?;
    Ok(changed)
}

/// Any two commands, alternately.
fn over_programs(context: &Context, args: &Args) -> Result<Exit> {
    if let Some(option) = args.of_contenders_only() {
        let help = "leave it out, or name a suite and --against";
        return Err(Problem::refusal(format!("{option} is for contenders"), help).into());
    }
    let home = context.home_of_store()?;
    let mut store = Store::open(&home.store)?;
    let progress = Progress::new(context.quiet);
    // Also for the builds: two gates may have one revision.
    let _turn = args.measuring.waiting.turn(&home, "a gate", context.quiet)?;
    // A command is not in the group to which a terminal sends Ctrl-C.
    ctrlc::set_handler(|| {
        child::end();
        tell("cupel: the gate was interrupted, and nothing of it is kept");
        std::process::exit(130);
    })?;
    let Builds { base, new, notes, tops } = args.builds(&home, &|what| progress.say(what))?;
    let patience = args.measuring.runners.patience;
    let mut record = Record {
        started: utc(SystemTime::now()),
        tool: env!("CARGO_PKG_VERSION").to_string(),
        machine: Machine::look().line(),
        base,
        new,
        notes,
        unread: Vec::new(),
        may_differ: args.may_differ,
        margin: args.margin.unwrap_or(MARGIN),
        error: ERROR,
        budget: args.measuring.budget.unwrap_or(BUDGET).as_secs_f64(),
        patience: patience.map(|patience| patience.as_secs_f64()),
        seed: args.measuring.runners.seed.unwrap_or_else(random_seed),
        ..Record::default()
    };
    let mut programs = Programs {
        builds: [record.base.clone(), record.new.clone()],
        reads: args.reads.unwrap_or(Reads::Output(None)),
        expected: None,
        watch: Watch::over(tops),
    };
    progress.say("one execution of each build to begin with");
    let mut teller = Teller { progress: &progress, last: None };
    let judged = session::run(&mut record, &mut programs, &mut |now| teller.say(&now))?;
    progress.clear();
    let number = store.keep_gate(&serde_json::to_string(&record)?)?;
    print(&present(number, &record, &judged, args.printing.format(), context.style))?;
    Ok(match judged.outcome(&record) {
        Outcome::Worse => Exit::Refuted,
        Outcome::Open => Exit::Undecided,
        Outcome::Well => Exit::Well,
    })
}

/// The two builds, and what to know of how they were made.
struct Builds {
    base: Build,
    new: Build,
    notes: Vec<String>,
    /// The folder of each in which executions may keep files.
    tops: [PathBuf; 2],
}

impl Args {
    /// An option that was given and that only a gate over contenders has.
    fn of_contenders_only(&self) -> Option<&'static str> {
        let Measuring { precision, forks, first_forks, jit_forks, dry_run, .. } = &self.measuring;
        let measuring = [
            ("--precision", precision.is_some()),
            ("--forks", forks.is_some()),
            ("--first-forks", first_forks.is_some()),
            ("--jit-forks", jit_forks.is_some()),
            ("--dry-run", *dry_run),
            ("--compiler", !self.compilers.compiler.is_empty()),
        ];
        let given = measuring.into_iter().find(|(_, given)| *given).map(|(name, _)| name);
        given.or(self.part.first_given())
    }

    /// The two builds, ready to run.
    fn builds(&self, home: &Home, say: &dyn Fn(&str)) -> Result<Builds> {
        if let (Some(base), Some(new)) = (&self.base, &self.new) {
            let here = here()?;
            let note = "both commands are the same: there is no change to measure".to_string();
            let notes = Vec::from_iter((base == new).then_some(note));
            let tops = [base, new].map(|command| folder_of(command, &here));
            let [base, new] = [base, new].map(|command| Build {
                command: command.clone(),
                folder: here.display().to_string(),
                revision: None,
            });
            return Ok(Builds { base, new, notes, tops });
        }
        let Some(command) = &self.run else {
            return Err(Problem::refusal(NO_BUILDS, GIVE_BUILDS).into());
        };
        match (&self.base_rev, &self.dep) {
            (Some(base), _) => self.of_revisions(base, command, home, say),
            (None, Some(wish)) => self.of_versions(wish, command, home, say),
            (None, None) => Err(Problem::refusal(NO_BUILDS, GIVE_BUILDS).into()),
        }
    }

    /// Two revisions of the repository around a folder.
    fn of_revisions(
        &self,
        base: &str,
        command: &str,
        home: &Home,
        say: &dyn Fn(&str),
    ) -> Result<Builds> {
        let repository = Repository::around(&here()?)?;
        let base = repository.check_out(base, &home.cache, "")?;
        let end = if self.base_build.is_some() { "-new" } else { "" };
        let new = match &self.new_rev {
            Some(revision) => repository.check_out(revision, &home.cache, end)?,
            None => repository.working_tree(),
        };
        let builds = [self.base_build.clone().or(self.build.clone()), self.build.clone()];
        let note = repository.note_of_commits(&base, &new)?;
        let note = note.filter(|_| self.base_build.is_none());
        let pair = Pair { checkouts: [base, new], builds, run: command.to_string() };
        let mut made = pair.built(&repository, say)?;
        made.notes.extend(note);
        Ok(made)
    }

    /// The last commit of the repository around a folder, with two versions of a dependency.
    fn of_versions(
        &self,
        wish: &Wish,
        command: &str,
        home: &Home,
        say: &dyn Fn(&str),
    ) -> Result<Builds> {
        let here = here()?;
        let repository = Repository::around(&here)?;
        let dependency = wish.in_folder(&here)?;
        let commands: Vec<&str> = self.build.iter().map(String::as_str).chain([command]).collect();
        dependency.refuse_other_lock(&here, &commands)?;
        let [base, new] = dependency.ends();
        let checkouts = [
            repository.check_out("HEAD", &home.cache, &base)?,
            repository.check_out("HEAD", &home.cache, &new)?,
        ];
        let folders = checkouts.clone().map(|checkout| checkout.folder);
        let builds = dependency.builds(self.build.as_deref());
        let run = dependency.in_environment(command);
        let mut made = Pair { checkouts, builds, run }.built(&repository, say)?;
        let versions = dependency.compared([&folders[0], &folders[1]], self.build.is_some())?;
        for (build, name) in [&mut made.base, &mut made.new].into_iter().zip(&versions.names) {
            let commit = build.revision.take().unwrap_or_default();
            build.revision = Some(format!("{name} in {commit}"));
        }
        made.notes.extend(versions.note);
        if repository.has_uncommitted()? {
            made.notes.push(
                "both builds are the last commit: the changes of the working tree are in neither"
                    .to_string(),
            );
        }
        Ok(made)
    }
}

fn here() -> Result<PathBuf> {
    std::env::current_dir().context("the working directory is not known")
}

/// Two checkouts, and the commands that build and run them.
struct Pair {
    checkouts: [Checkout; 2],
    builds: [Option<String>; 2],
    run: String,
}

impl Pair {
    /// Builds both, and refuses commands that would make the two one build.
    fn built(self, repository: &Repository, say: &dyn Fn(&str)) -> Result<Builds> {
        let Pair { checkouts: [mut base, mut new], builds, run } = self;
        let mut notes: Vec<String> = [&base.notes[..], &new.notes].concat();
        notes.dedup();
        let folders = [base.folder.clone(), new.folder.clone()];
        let folders = [folders[0].as_path(), folders[1].as_path()];
        let commands: Vec<&str> =
            builds.iter().flatten().chain([&run]).map(String::as_str).collect();
        // A command of one build only may name it.
        let [of_base, of_new] = &builds;
        let both = of_base.iter().filter(|build| Some(*build) == of_new.as_ref());
        let common: Vec<&str> = both.chain([&run]).map(String::as_str).collect();
        refuse_shared_target(folders, &commands)?;
        refuse_working_tree(&repository.top, &common)?;
        let [all_of_base, all_of_new] = [of_base, of_new].map(|build| match build {
            Some(build) => format!("{build} ; {run}"),
            None => run.clone(),
        });
        notes.extend(refuse_shared_install(folders, [&all_of_base, &all_of_new])?);
        notes.extend(note_of_variables(&repository.top));
        notes.extend(note_of_package(&repository.top, &run));
        let own = [base.top.clone(), new.top.clone()];
        let tops = [own[0].as_path(), own[1].as_path()];
        let of_builds: Vec<&str> = builds.iter().flatten().map(String::as_str).collect();
        let of_base = base.build(repository, builds[0].as_deref(), &run, say)?;
        let before = Outside::now(&of_builds, &run, tops);
        let of_new = new.build(repository, builds[1].as_deref(), &run, say)?;
        if let Some(path) = Outside::now(&of_builds, &run, tops).changed(&before) {
            // Kept builds write nothing, so they would not be refused again.
            [&base, &new].iter().for_each(|checkout| checkout.forget());
            let path = path.display();
            let help = "let each build write below its own folder, and --run name it from there";
            let what = format!("both builds write {path}, so both would run the second one");
            return Err(Problem::refusal(what, help).into());
        }
        let others = of_base.other_compilers(&of_new);
        if !others.is_empty() {
            notes.push(format!("the two builds have different versions of {}", others.join(", ")));
        }
        Ok(Builds { base: build(base, &run), new: build(new, &run), notes, tops: own })
    }
}

/// A checkout as a build that this command runs.
fn build(checkout: Checkout, run: &str) -> Build {
    Build {
        command: run.to_string(),
        folder: checkout.folder.display().to_string(),
        revision: Some(checkout.revision),
    }
}

/// The programs of this machine.
struct Programs {
    builds: [Build; 2],
    reads: Reads,
    /// The format of the first output.
    expected: Option<readers::Format>,
    /// Over the folders of the builds, if they are two.
    watch: Option<Watch>,
}

impl Execute for Programs {
    fn execute(&mut self, side: Side, how: program::How) -> Result<Executed> {
        let Build { command, folder, .. } = &self.builds[usize::from(side.is_new())];
        let folder = Path::new(folder);
        let executed = program::execute(command, folder, how, self.reads, self.expected)?;
        self.expected = self.expected.or_else(|| executed.reads.parse().ok());
        Ok(executed)
    }

    fn state(&mut self, rounds: usize) -> Option<State> {
        self.watch.as_mut()?.look(rounds)
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
