//! `cupel fleet run`: begins a fleet, or continues it.

use crate::{self as fleet, Ask, Engine, Event, Fleet, Member, words};
use anyhow::{Context as _, Result, anyhow, bail};
use cupel_base::home::Home;
use cupel_base::text::{count, plain, quoted, tell};
use cupel_suite::Suite;
use cupel_toolchain::trust;
use cupel_verb::{Context, Exit, complete, print};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Start a fleet as one job array of Slurm, or measure through ssh until all machines have finished
///
/// With Slurm, each task has a node to itself. A task that is preempted or requeued, or whose
/// node fails, continues on that node. With ssh, Cupel copies the tool into a private folder on
/// each machine, and removes the folder at the end.
#[derive(clap::Args)]
pub struct Args {
    /// The suite: a name from `cupel list suites`, or a file
    #[arg(required_unless_present = "resume", add = complete::suites())]
    suite: Option<String>,
    /// The fleet's folder [default: fleet-SUITE below the working directory]
    #[arg(long, value_name = "FOLDER", conflicts_with = "resume")]
    dir: Option<PathBuf>,
    /// Slurm's partition
    #[arg(long, value_name = "NAME", conflicts_with_all = ["ssh", "resume"])]
    partition: Option<String>,
    /// Only nodes with these features, joined by & or by |
    #[arg(long, value_name = "FEATURES", conflicts_with_all = ["ssh", "resume"])]
    constraint: Option<String>,
    /// Only these nodes
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with_all = ["ssh", "resume"])]
    nodes: Vec<String>,
    /// One node of each kind. Slurm does not know CPU models, so nodes are of one kind if they have
    /// the same features, sockets, cores and threads
    #[arg(long, conflicts_with_all = ["ssh", "resume"])]
    kinds: bool,
    /// The time limit of a task, in Slurm's notation
    #[arg(long, value_name = "TIME", conflicts_with_all = ["ssh", "resume"])]
    time: Option<String>,
    /// Set a variable on the nodes that have a feature. If the variable hides features of the
    /// processor, as plain:CUPEL_CPU=none does, the nodes stand in for another CPU, and their
    /// records say so
    #[arg(long, value_name = "FEATURE:NAME=VALUE", value_parser = variable, conflicts_with_all = ["ssh", "resume"])]
    env: Vec<Variable>,
    /// Use the machines of this file through your ssh, instead of Slurm's nodes
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    ssh: Option<PathBuf>,
    /// Continue with the machines of this fleet whose runs are not finished
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["suite", "run"])]
    resume: Option<PathBuf>,
    /// Options of `cupel run`
    #[arg(last = true, value_name = "OPTIONS OF RUN")]
    run: Vec<String>,
}

/// A variable for the nodes that have a feature.
#[derive(Clone, Debug)]
struct Variable {
    feature: String,
    name: String,
    value: String,
}

fn variable(text: &str) -> Result<Variable, String> {
    let parts = text.split_once(':').and_then(|(feature, set)| {
        let (name, value) = set.split_once('=')?;
        let fits = !feature.is_empty() && fleet::is_variable(name);
        fits.then(|| Variable { feature: feature.into(), name: name.into(), value: value.into() })
    });
    parts.ok_or_else(|| "write FEATURE:NAME=VALUE, such as plain:CUPEL_CPU=none".to_string())
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    if let Some(folder) = &args.resume {
        return resume(context, folder);
    }
    let given = args.suite.as_deref().unwrap_or_default();
    let home = context.home()?;
    trust::require()?;
    // A fault of the question is reported here, and not by each machine.
    Suite::find(&home, given)?;
    check(context, given, &args.run)?;
    let folder = args.dir.clone().unwrap_or_else(|| default_folder(given));
    // A path that is right wherever a task starts.
    let folder = std::path::absolute(&folder)?;
    match &args.ssh {
        Some(hosts) => by_ssh(context, &home, args, given, &folder, hosts),
        None => by_slurm(&home, args, given, &folder),
    }
}

fn default_folder(suite: &str) -> PathBuf {
    let name = Path::new(suite).with_extension("");
    let plain: String = name
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    PathBuf::from(format!("fleet-{}", plain.trim_matches('-')))
}

/// Rejects options that `cupel run` would reject on every machine.
fn check(context: &Context, suite: &str, arguments: &[String]) -> Result<()> {
    let own = ["--resume", "--dry-run"];
    if let Some(own) = arguments.iter().find(|argument| own.contains(&argument.as_str())) {
        bail!("{own} is not for the runs of a fleet");
    }
    let all =
        ["cupel", "run", suite].into_iter().map(String::from).chain(arguments.iter().cloned());
    match (context.accepts)(&all.collect::<Vec<_>>()) {
        Ok(()) => Ok(()),
        Err(error) => bail!("after `--`: {}", error.to_string().trim_start_matches("error: ")),
    }
}

fn by_slurm(home: &Home, args: &Args, suite: &str, folder: &Path) -> Result<Exit> {
    let ask = Ask {
        partition: args.partition.clone(),
        constraint: args.constraint.clone(),
        nodes: args.nodes.clone(),
        kinds: args.kinds,
    };
    let (nodes, left_out) = fleet::choose(&ask, fleet::nodes(args.partition.as_deref())?)?;
    for variable in &args.env {
        if !nodes.iter().any(|node| node.features.contains(&variable.feature)) {
            bail!("--env: no chosen node has the feature {}", variable.feature);
        }
    }
    let mut members = Vec::new();
    for node in &nodes {
        let of_node = args.env.iter().filter(|v| node.features.contains(&v.feature));
        let set = of_node.map(|v| (v.name.clone(), v.value.clone()));
        members.push(Member { environment: set.collect(), ..fleet::member(node)? });
    }
    let mut fleet = Fleet::new(Engine::Slurm, suite, &args.run, members);
    // The tool's own files, unless it brings them: the folder is on the shared file system, too.
    let brings = Home::is_embedded() && home.origin().starts_with("embedded");
    fleet.home = (!brings).then(|| home.root.clone());
    let passed =
        [("partition", &args.partition), ("constraint", &args.constraint), ("time", &args.time)];
    fleet.sbatch = passed
        .into_iter()
        .filter_map(|(name, value)| Some(format!("--{name}={}", value.as_ref()?)))
        .collect();
    fleet::make(folder, &fleet.members)?;
    let all: Vec<usize> = (0..fleet.members.len()).collect();
    submit(folder, &mut fleet, &all)?;
    let mut out = words::submitted(folder, &fleet);
    for node in left_out {
        out += &plain(&format!("  {}  left out: {}", node.name, node.state));
        out.push('\n');
    }
    print(&out)?;
    Ok(Exit::Well)
}

fn submit(folder: &Path, fleet: &mut Fleet, positions: &[usize]) -> Result<()> {
    // Before the job: a task may start at once, and reads it.
    fleet.write(folder)?;
    let job = fleet::submit(folder, fleet, positions)?;
    fleet.jobs.push(job);
    fleet.write(folder)
}

fn by_ssh(
    context: &Context,
    home: &Home,
    args: &Args,
    suite: &str,
    folder: &Path,
    hosts: &Path,
) -> Result<Exit> {
    let members = fleet::read_hosts(hosts)?;
    let bare = members.iter().find(|member| {
        member.host.as_ref().is_some_and(|host| host.home.is_none() && host.tool.is_none())
    });
    if !Home::is_embedded()
        && let Some(member) = bare
    {
        bail!(
            "this is a debug build, which brings no contenders to {}: use a release build, or give \
             the host a `home`, the folder of a checkout there",
            member.name
        );
    }
    let mut fleet = Fleet::new(Engine::Ssh, suite, &args.run, members);
    let file = home.suite(suite);
    let shipped = file.canonicalize().is_ok_and(|file| file.starts_with(home.root.join("suites")));
    if !shipped {
        fleet.suite_file = Some(sent_as(suite, &file)?);
    }
    fleet::make(folder, &fleet.members)?;
    if !shipped {
        std::fs::copy(&file, fleet::suite(folder))
            .with_context(|| format!("cannot copy {}", file.display()))?;
    }
    fleet.write(folder)?;
    measure(context, folder, &fleet)
}

/// Where a suite of the user's is put on a machine, so that its name stays the same.
fn sent_as(given: &str, file: &Path) -> Result<String> {
    let path = if Path::new(given) == file {
        file.to_path_buf()
    } else {
        PathBuf::from(format!("suites/{given}.toml"))
    };
    let is_below = path.components().all(|part| matches!(part, Component::Normal(_)));
    path.to_str().filter(|_| is_below).map(String::from).ok_or_else(|| {
        anyhow!("{given}: a suite for other machines is a file below the working directory")
    })
}

fn measure(context: &Context, folder: &Path, fleet: &Fleet) -> Result<Exit> {
    let Some(_held) = fleet::hold(folder)? else {
        bail!("{} is being measured by another process; wait for it", folder.display());
    };
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if heard.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })?;
    let quiet = context.quiet;
    let finished = fleet::measure(folder, fleet, &stop, &|name, event| {
        if !(quiet && *event == Event::Measures) {
            tell(&format!("cupel: {}", plain(&words::event(name, event))));
        }
    });
    print(&words::measured(folder, fleet, finished))?;
    Ok(match (finished == fleet.members.len(), stop.load(Ordering::Relaxed)) {
        (true, _) => Exit::Well,
        (false, true) => Exit::Interrupted,
        (false, false) => Exit::MachineFailed,
    })
}

fn resume(context: &Context, folder: &Path) -> Result<Exit> {
    let folder = &std::path::absolute(folder)?;
    let mut fleet = Fleet::read(folder)?;
    if fleet.tool != env!("CARGO_PKG_VERSION") {
        bail!(
            "the fleet was begun by cupel {}, and this is {}: {} is its own",
            fleet.tool,
            env!("CARGO_PKG_VERSION"),
            quoted(&fleet::tool(folder).display().to_string())
        );
    }
    if fleet.engine == Engine::Ssh {
        return measure(context, folder, &fleet);
    }
    let progress = fleet::progress(folder, &fleet, &fleet::queue(&fleet.jobs)?)?;
    let positions: Vec<usize> = progress
        .iter()
        .enumerate()
        .filter(|(_, progress)| matches!(progress.state, fleet::State::Stopped(_)))
        .map(|(position, _)| position)
        .collect();
    if positions.is_empty() {
        print("nothing to go on with: every machine is finished or in the queue\n")?;
        return Ok(Exit::Well);
    }
    submit(folder, &mut fleet, &positions)?;
    let job = fleet.jobs.last().cloned().unwrap_or_default();
    print(&plain(&format!("job {job} goes on with {}", count(positions.len(), "machine"))))?;
    print("\n")?;
    Ok(Exit::Well)
}
