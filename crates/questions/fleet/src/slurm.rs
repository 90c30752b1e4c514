//! Slurm: which nodes there are, one job array over them, its queue, and its end.
//!
//! A run continues only on the machine on which it began, so each task of the array is bound to one
//! node before the array is released. Slurm's accounting is not needed.

use super::state::{self, Fleet, Member};
use anyhow::{Context, Result, anyhow, bail};
use std::path::Path;
use std::process::Command;

/// A node of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its features, as the cluster's administrator names them.
    pub features: Vec<String>,
    /// Slurm's facts about its kind: features, and sockets, cores and threads.
    pub kind: String,
    /// Its state, such as `idle` or `down*`.
    pub state: String,
}

impl Node {
    fn is_usable(&self) -> bool {
        !["down", "drain", "fail", "unk", "future", "power", "reboot", "maint"]
            .iter()
            .any(|state| self.state.contains(state))
    }
}

/// Which nodes are wanted.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// The partition; absent for the cluster's default.
    pub partition: Option<String>,
    /// Features, joined by `&` or by `|`.
    pub constraint: Option<String>,
    /// Only these.
    pub nodes: Vec<String>,
    /// One node of each kind.
    pub kinds: bool,
}

/// The nodes that Slurm has, each once.
///
/// # Errors
/// If Slurm does not answer.
pub fn nodes(partition: Option<&str>) -> Result<Vec<Node>> {
    let mut sinfo = Command::new("sinfo");
    sinfo.args(["--noheader", "--Node", "--format=%N|%f|%X:%Y:%Z|%T|%P"]);
    if let Some(partition) = partition {
        sinfo.arg(format!("--partition={partition}"));
    }
    let out = said(&mut sinfo)
        .map_err(|e| anyhow!("{e}. Without Slurm: `cupel fleet run SUITE --ssh hosts.toml`"))?;
    let lines: Vec<Vec<&str>> = out
        .lines()
        .map(|line| line.split('|').collect())
        .filter(|l: &Vec<_>| l.len() == 5)
        .collect();
    // Slurm marks the default partition. Where no partition is the default, each counts.
    let has_default = lines.iter().any(|line| line[4].ends_with('*'));
    let mut nodes: Vec<Node> = Vec::new();
    for line in lines {
        let [name, features, shape, state, its_partition] = line[..] else { continue };
        let counts = partition.is_some() || !has_default || its_partition.ends_with('*');
        if !counts || nodes.iter().any(|node| node.name == name) {
            continue;
        }
        let mut features: Vec<String> =
            features.split(',').filter(|f| *f != "(null)").map(String::from).collect();
        features.sort();
        nodes.push(Node {
            name: name.to_string(),
            kind: format!("{} {shape}", features.join(",")),
            features,
            state: state.to_string(),
        });
    }
    Ok(nodes)
}

/// Chooses from the nodes. The second list has the nodes that are left out because of their state.
///
/// # Errors
/// If none is left, or one that is named does not exist.
pub fn choose(ask: &Ask, all: Vec<Node>) -> Result<(Vec<Node>, Vec<Node>)> {
    for name in &ask.nodes {
        if !all.iter().any(|node| node.name == *name) {
            let names: Vec<&str> = all.iter().map(|node| node.name.as_str()).collect();
            bail!("Slurm has no node {name} there; it has {}", names.join(", "));
        }
    }
    let mut chosen = all;
    if !ask.nodes.is_empty() {
        chosen.retain(|node| ask.nodes.contains(&node.name));
    }
    if let Some(constraint) = &ask.constraint {
        let mut wanted = Vec::new();
        for node in chosen {
            if fits(constraint, &node.features)? {
                wanted.push(node);
            }
        }
        chosen = wanted;
        if chosen.is_empty() {
            bail!("no node has the features {constraint}; `sinfo --format='%N %f'` lists them");
        }
    }
    let (mut chosen, left_out): (Vec<Node>, Vec<Node>) =
        chosen.into_iter().partition(Node::is_usable);
    if ask.kinds {
        // The first idle node of each kind, because it begins at once.
        chosen.sort_by_key(|node| node.state != "idle");
        let mut kinds: Vec<String> = Vec::new();
        chosen.retain(|node| {
            let new = !kinds.contains(&node.kind);
            kinds.extend(new.then(|| node.kind.clone()));
            new
        });
        chosen.sort_by(|a, b| a.name.cmp(&b.name));
    }
    if chosen.is_empty() {
        let why: Vec<String> =
            left_out.iter().map(|node| format!("{} is {}", node.name, node.state)).collect();
        let why = if why.is_empty() { "it has none".to_string() } else { why.join(", ") };
        bail!("Slurm has no node that could measure: {why}; `sinfo` shows the partitions");
    }
    Ok((chosen, left_out))
}

/// Whether a node has the features of a constraint. Slurm's other operators count nodes, which does
/// not concern a fleet.
fn fits(constraint: &str, features: &[String]) -> Result<bool> {
    if constraint.contains(['[', ']', '*', '(', ')', ',']) {
        bail!(
            "--constraint {constraint}: a fleet knows only features joined by & or by |; name the \
             nodes with --nodes"
        );
    }
    let fits = constraint.split('|').any(|all| {
        all.split('&').all(|feature| features.iter().any(|known| known == feature.trim()))
    });
    Ok(fits)
}

/// Submits the tasks of these members, each bound to its node, and returns the job's number.
///
/// # Errors
/// If Slurm refuses, with its reason. Nothing is then queued.
pub fn submit(folder: &Path, fleet: &Fleet, positions: &[usize]) -> Result<String> {
    let folder_text = folder.to_str().filter(|text| !text.contains('%')).with_context(|| {
        format!(
            "Slurm takes no path with % or with bytes that are not UTF-8: choose another folder than {}",
            folder.display()
        )
    })?;
    let list: Vec<String> = positions.iter().map(ToString::to_string).collect();
    let mut sbatch = Command::new("sbatch");
    sbatch
        .args(["--parsable", "--hold", "--nodes=1", "--exclusive", "--requeue"])
        .args(["--open-mode=append", "--export=ALL", "--input=/dev/null"])
        .arg(format!("--array={}", list.join(",")))
        .arg(format!("--job-name=cupel-{}", job_name(&fleet.suite)))
        .arg(format!("--chdir={}", fleet.began_in.display()))
        .arg(format!("--output={folder_text}/task-%a.log"))
        .args(&fleet.sbatch)
        .arg(state::script(folder))
        .arg(folder_text);
    let out = said(&mut sbatch)?;
    // In a federation the cluster's name follows.
    let job = out.trim().split(';').next().unwrap_or_default().to_string();
    if !is_job(&job) {
        bail!("sbatch printed no number of a job: {out:?}");
    }
    let bound = positions.iter().try_for_each(|&position| {
        said(Command::new("scontrol").args([
            "update",
            &format!("JobId={job}_{position}"),
            &format!("ReqNodeList={}", fleet.members[position].name),
        ]))
        .map(drop)
    });
    let released =
        bound.and_then(|()| said(Command::new("scontrol").args(["release", &job])).map(drop));
    if let Err(error) = released {
        let _ = cancel(&[job]);
        return Err(error);
    }
    Ok(job)
}

/// A suite's name without characters that a queue's table could not show.
fn job_name(suite: &str) -> String {
    suite.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// A task in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// The member's position.
    pub position: usize,
    /// Slurm's state, such as `RUNNING`.
    pub state: String,
    /// Why it waits.
    pub reason: String,
}

impl Queue {
    /// A machine that measures without Slurm.
    pub fn running(position: usize) -> Queue {
        Queue { position, state: "RUNNING".to_string(), reason: String::new() }
    }

    /// Whether it has its node.
    pub fn runs(&self) -> bool {
        ["RUNNING", "COMPLETING", "CONFIGURING", "STOPPED", "SUSPENDED"]
            .contains(&self.state.as_str())
    }
}

/// The tasks of these jobs that are in the queue.
///
/// # Errors
/// If Slurm does not answer.
pub fn queue(jobs: &[String]) -> Result<Vec<Queue>> {
    let mut all = Vec::new();
    for job in jobs.iter().filter(|job| is_job(job)) {
        let mut squeue = Command::new("squeue");
        squeue.args(["--noheader", "--array", "--format=%K|%T|%r", &format!("--jobs={job}")]);
        match said(&mut squeue) {
            Ok(out) => all.extend(out.lines().filter_map(task_of)),
            // Slurm forgets a job some minutes after its end.
            Err(e) if e.to_string().contains("Invalid job id") => {}
            Err(e) => return Err(e),
        }
    }
    Ok(all)
}

fn task_of(line: &str) -> Option<Queue> {
    let mut fields = line.splitn(3, '|').map(str::trim);
    Some(Queue {
        position: fields.next()?.parse().ok()?,
        state: fields.next()?.to_string(),
        reason: fields.next()?.to_string(),
    })
}

/// Why a task waits, in words.
pub fn reason(slurms: &str) -> String {
    match slurms {
        "None" | "" => "it was submitted just now".to_string(),
        "BeginTime" => "Slurm waits a moment before it begins again".to_string(),
        "Resources" | "Priority" => format!("its node is busy ({slurms})"),
        other => other.to_string(),
    }
}

/// Ends these jobs, whether they wait or run.
///
/// # Errors
/// If Slurm does not answer.
pub fn cancel(jobs: &[String]) -> Result<()> {
    for job in jobs.iter().filter(|job| is_job(job)) {
        match said(Command::new("scancel").arg(job)) {
            Err(e) if !e.to_string().contains("Invalid job id") => return Err(e),
            _ => {}
        }
    }
    Ok(())
}

/// Whether a text from `fleet.toml` is a job's number, and no option.
fn is_job(text: &str) -> bool {
    !text.is_empty() && text.len() < 20 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The member for a node.
pub fn member(node: &Node) -> Result<Member> {
    state::check_name(&node.name).map_err(|e| anyhow!(e))?;
    Ok(Member { name: node.name.clone(), environment: Default::default(), host: None })
}

/// The output of one of Slurm's commands.
fn said(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| {
        anyhow!(
            "cannot start {name}: {e}; Slurm's commands must be on the PATH (`module load slurm`, or \
             Debian's package slurm-client)"
        )
    })?;
    if !output.status.success() {
        let err = String::from_utf8_lossy(&output.stderr);
        let line = err.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
        bail!("{name} failed: {}", line.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, features: &str, state: &str) -> Node {
        let features: Vec<String> = features.split(',').map(String::from).collect();
        let kind = format!("{} 2:8:2", features.join(","));
        Node { name: name.to_string(), features, kind, state: state.to_string() }
    }

    fn names(nodes: &[Node]) -> Vec<&str> {
        nodes.iter().map(|node| node.name.as_str()).collect()
    }

    fn all() -> Vec<Node> {
        vec![
            node("n1", "milan,ib", "allocated"),
            node("n2", "milan,ib", "idle"),
            node("n3", "icelake", "idle"),
            node("n4", "icelake,ib", "down*"),
        ]
    }

    #[test]
    fn one_of_each_kind_is_an_idle_one() {
        let ask = Ask { kinds: true, ..Ask::default() };
        let (chosen, left_out) = choose(&ask, all()).unwrap();
        assert_eq!((names(&chosen), names(&left_out)), (vec!["n2", "n3"], vec!["n4"]));
    }

    #[test]
    fn a_constraint_is_a_choice_of_features() {
        let chosen = |constraint: &str| {
            let constraint = Some(constraint.to_string());
            choose(&Ask { constraint, ..Ask::default() }, all())
                .map(|(chosen, _)| chosen.into_iter().map(|node| node.name).collect::<Vec<_>>())
        };
        assert_eq!(chosen("ib").unwrap(), ["n1", "n2"]);
        assert_eq!(chosen("milan|icelake").unwrap(), ["n1", "n2", "n3"]);
        assert_eq!(chosen("milan&ib|icelake").unwrap(), ["n1", "n2", "n3"]);
        assert!(chosen("skylake").unwrap_err().to_string().contains("no node has the features"));
        assert!(chosen("[a*2]").unwrap_err().to_string().contains("--nodes"));
    }

    #[test]
    fn a_node_that_is_not_there_or_not_up_is_named() {
        let ask = |name: &str| Ask { nodes: vec![name.to_string()], ..Ask::default() };
        let none = choose(&ask("n9"), all()).unwrap_err().to_string();
        assert!(none.contains("no node n9 there; it has n1, n2"), "{none}");
        let down = choose(&ask("n4"), all()).unwrap_err().to_string();
        assert!(down.contains("n4 is down*"), "{down}");
    }

    #[test]
    fn a_line_of_the_queue_is_read() {
        let task = task_of("3|PENDING|BeginTime").unwrap();
        assert_eq!((task.position, task.runs()), (3, false));
        assert!(task_of("0|RUNNING|None").unwrap().runs());
        assert_eq!(task_of("N/A|RUNNING|None"), None);
    }

    #[test]
    fn only_a_number_is_a_job() {
        assert!(is_job("123"));
        for text in ["", "1;rm", "--me", "1_2", "123456789012345678901"] {
            assert!(!is_job(text), "{text}");
        }
    }
}
