//! Two nodes of Slurm on this machine, and a fleet on them that is disturbed.

use super::{Home, can_run, cupel, exists, home, kill, must, processes, rounds, run, said, until};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A cluster of two nodes, one of which has no feature of a processor. It ends with this value.
struct Cluster {
    folder: TempDir,
    programs: Vec<Child>,
}

impl Cluster {
    fn start() -> Cluster {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        for name in ["state", "spool", "munge"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::write(at("munge/key"), [7_u8; 64].map(|byte| byte ^ 0x5a)).unwrap();
        must("chmod", &["-R", "go-rwx", &at("munge")]);
        must("chmod", &["755", &at("")]);
        let host = must("hostname", &[]);
        let ports: Vec<u16> = free_ports(3);
        let conf = format!(
            "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={ctld}\n\
             SlurmUser=root\nSlurmdUser=root\nAuthType=auth/munge\nCredType=cred/munge\n\
             AuthInfo=socket={munge},cred_expire=5\nStateSaveLocation={state}\n\
             SlurmdSpoolDir={spool}/%n\nSlurmctldPidFile={state}/ctld.pid\n\
             SlurmdPidFile={state}/%n.pid\nProctrackType=proctrack/pgid\nTaskPlugin=task/none\n\
             SelectType=select/linear\nSchedulerType=sched/builtin\nSchedulerParameters=sched_interval=1\n\
             KillWait=5\nMpiDefault=none\nAccountingStorageType=accounting_storage/none\n\
             JobAcctGatherType=jobacct_gather/none\nReturnToService=2\nSlurmdParameters=config_overrides\n\
             NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={n1} CPUs=2 Feature=full\n\
             NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={n2} CPUs=2 Feature=plain\n\
             PartitionName=main Nodes=n1,n2 Default=YES State=UP\n",
            host = host.trim(),
            munge = at("munge/socket"),
            state = at("state"),
            spool = at("spool"),
            ctld = ports[0],
            n1 = ports[1],
            n2 = ports[2],
        );
        std::fs::write(at("slurm.conf"), conf).unwrap();
        let mut cluster = Cluster { folder, programs: vec![] };
        let munge = |name: &str| {
            format!("--{name}-file={}", at2(&cluster.folder, &format!("munge/{name}")))
        };
        cluster.start_one(
            "munged",
            &[
                "--foreground",
                "--force",
                &munge("key"),
                &munge("pid"),
                &munge("log"),
                &munge("seed"),
                &format!("--socket={}", at2(&cluster.folder, "munge/socket")),
            ],
        );
        let socket = cluster.folder.path().join("munge/socket");
        until("munge starts", || exists(&socket));
        cluster.start_one("slurmctld", &["-D", "-c"]);
        cluster.start_one("slurmd", &["-D", "-N", "n1"]);
        cluster.start_one("slurmd", &["-D", "-N", "n2"]);
        until("both nodes are idle", || {
            let output = cluster.slurm("sinfo", &["-h", "-N", "-o", "%T"]);
            output.matches("idle").count() == 2 && !output.contains("idle*")
        });
        cluster
    }

    fn start_one(&mut self, program: &str, arguments: &[&str]) {
        let log = std::fs::File::create(self.folder.path().join(format!("{program}.log"))).unwrap();
        let child = Command::new(program)
            .args(arguments)
            .env("SLURM_CONF", self.conf())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .expect(program);
        self.programs.push(child);
    }

    fn conf(&self) -> PathBuf {
        self.folder.path().join("slurm.conf")
    }

    fn slurm(&self, program: &str, arguments: &[&str]) -> String {
        let mut command = Command::new(program);
        command.args(arguments).env("SLURM_CONF", self.conf());
        said(&command.output().expect(program)).1
    }

    fn cupel(&self, home: &Home, arguments: &[&str]) -> (Option<i32>, String) {
        said(&cupel(home, arguments).env("SLURM_CONF", self.conf()).output().unwrap())
    }
}

fn at2(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

fn free_ports(number: usize) -> Vec<u16> {
    let listen = |_| std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let sockets: Vec<_> = (0..number).map(listen).collect();
    sockets.iter().map(|socket| socket.local_addr().unwrap().port()).collect()
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.slurm("scancel", &["--user=root"]);
        for program in self.programs.iter_mut().rev() {
            kill(program.id() as i32, libc::SIGTERM);
            let _ = program.wait();
        }
    }
}

#[test]
#[ignore = "needs root, Slurm and sshd: make test-fleet"]
fn a_fleet_survives_a_requeue_and_a_kill() {
    let needed = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel"];
    if !can_run("slurm", &needed) {
        return;
    }
    let cluster = Cluster::start();
    // About twelve seconds of rounds: if one node starts late, the other must not be finished then.
    let home = home(24);
    let (status, said) =
        cluster.cupel(&home, &["fleet", "run", "q", "--env", "plain:CUPEL_CPU=none"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.starts_with("q on 2 nodes as job "), "{said}");
    let fleet = home.path("work/fleet-q");
    let store = |node: &str| fleet.join("machines").join(node).join("runs.sqlite");
    let some_rounds = |node: &str| {
        until(&format!("{node} has rounds"), || rounds::on_node(&store(node), node).len() > 20);
    };

    // One task is preempted in its rounds. Its run of the other node is killed, as by a lack of
    // memory: Slurm does not start that one again.
    some_rounds("n1");
    let (status, said) = cluster.cupel(&home, &["fleet", "status"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("0 of 2 machines are finished"), "{said}");
    let jobs = cluster.slurm("squeue", &["-h", "-r", "-t", "R", "-o", "%F_%K %N"]);
    let first = jobs.lines().find_map(|line| line.strip_suffix(" n1")).expect("the task on n1");
    let before_requeue = rounds::on_node(&store("n1"), "n1");
    assert!(!before_requeue.is_empty());
    cluster.slurm("scontrol", &["requeue", first]);
    some_rounds("n2");
    let runs_there = store("n2").display().to_string();
    let run_there = processes(&["cupel", "run q", &runs_there]);
    let before_kill = rounds::on_node(&store("n2"), "n2");
    assert_eq!(rounds::count(&store("n2"), "select count(*) from run where finished is null"), 1);
    assert_eq!(run_there.len(), 1, "one run on n2");
    kill(run_there[0], libc::SIGKILL);
    until("n2 is stopped", || {
        cluster.cupel(&home, &["fleet", "status"]).1.contains("n2  stopped: ")
    });

    // The present results can be collected, although neither is finished.
    let (status, said) = cluster.cupel(&home, &["fleet", "collect"]);
    let collected = fleet.join("collected.sqlite");
    assert_eq!(status, Some(1), "one has stopped: {said}");
    assert!(said.starts_with("2 runs added, 2 not finished yet; "), "{said}");
    assert!(rounds::on_node(&collected, "n2").starts_with(&before_kill));
    assert!(rounds::on_node(&collected, "n1").starts_with(&before_requeue));
    assert_eq!(rounds::count(&collected, "select count(*) from run where finished is null"), 2);

    // The killed one is resumed only on request, the requeued one by itself.
    let (status, said) = cluster.cupel(&home, &["fleet", "run", "--resume", "fleet-q"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("goes on with 1 machine\n"), "{said}");
    until("both are finished", || cluster.cupel(&home, &["fleet", "status"]).0 == Some(0));
    for (node, before) in [("n1", &before_requeue), ("n2", &before_kill)] {
        let now = rounds::on_node(&store(node), node);
        assert!(now.starts_with(before) && now.len() > before.len(), "{node} lost rounds");
        rounds::are_whole(&store(node));
        assert_eq!(rounds::count(&store(node), "select count(*) from run"), 1, "it went on");
        for part in ["cache", "tmp"] {
            assert!(!exists(&fleet.join("machines").join(node).join(part)), "{part} is left");
        }
    }

    // The rest comes, nothing comes twice.
    let (status, said) = cluster.cupel(&home, &["fleet", "collect"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.starts_with("0 runs added, 2 continued; "), "{said}");
    let (_, said) = cluster.cupel(&home, &["fleet", "collect"]);
    assert!(said.starts_with("0 runs added, 2 already there; "), "{said}");
    rounds::are_whole(&collected);
    assert_eq!(rounds::count(&collected, "select count(*) from run where finished is not null"), 2);
    for node in ["n1", "n2"] {
        assert_eq!(
            rounds::on_node(&collected, node),
            rounds::on_node(&store(node), node),
            "{node}"
        );
    }
    // Two machines, of which one stands in for another CPU and says so.
    let sql = "select count(distinct fingerprint) from run";
    assert_eq!(rounds::count(&collected, sql), 2);
    let sql =
        "select count(*) from run where json_extract(machine, '$.masked_by') = 'CUPEL_CPU=none'
               and json_extract(machine, '$.node') = 'n2'";
    assert_eq!(rounds::count(&collected, sql), 1);
    let shown = run(&home, &["show", "--store", &collected.display().to_string()]).1;
    assert!(shown.contains("node n"), "{shown}");
}

#[test]
#[ignore = "needs root, Slurm and sshd: make test-fleet"]
fn a_fleet_that_is_cancelled_leaves_only_what_it_measured() {
    if !can_run("slurm", &["munged", "slurmctld", "slurmd", "sbatch"]) {
        return;
    }
    let cluster = Cluster::start();
    let home = home(50);
    let (status, said) = cluster.cupel(
        &home,
        &["fleet", "run", "q", "--nodes", "n2", "--partition", "main", "--", "--budgte", "1s"],
    );
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("after `--`: ") && said.contains("--budgte"), "{said}");
    let (status, said) = cluster.cupel(&home, &["fleet", "run", "q", "--constraint", "full&plain"]);
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("no node has the features full&plain"), "{said}");
    // The node that Slurm would take last.
    let (status, said) =
        cluster.cupel(&home, &["fleet", "run", "q", "--nodes", "n2", "--", "--forks", "2"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.starts_with("q on 1 node as job "), "{said}");
    let machine = home.path("work/fleet-q/machines/n2");
    until("rounds", || rounds::on_node(&machine.join("runs.sqlite"), "n2").len() > 3);
    let (status, said) = cluster.cupel(&home, &["fleet", "cancel"]);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(cluster.slurm("squeue", &["-h"]), "");
    assert!(!exists(&machine.join("cache")) && !exists(&machine.join("tmp")));
    let (status, said) = cluster.cupel(&home, &["fleet", "collect"]);
    assert_eq!(status, Some(1), "it stopped unfinished: {said}");
    assert!(said.starts_with("1 run added, 1 not finished yet"), "{said}");
    let forks = "select count(*) from run where plan like '%\"forks\":2,%'";
    assert_eq!(rounds::count(&home.path("work/fleet-q/collected.sqlite"), forks), 1, "its options");
}
