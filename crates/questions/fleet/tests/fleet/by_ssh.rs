//! Hosts in two network namespaces, each with its own sshd.

use super::{CUPEL, can_run, cupel, home, kill, must, rounds, run, said, until};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;
use tempfile::TempDir;

/// Two namespaces that this machine reaches. They end with this value.
struct Net {
    folder: TempDir,
    id: u32,
    servers: Vec<Child>,
    mounts: Vec<String>,
}

impl Net {
    /// With small file systems of these sizes in bytes. A namespace sees earlier mounts.
    fn start(disks: &[(&str, u64)]) -> Net {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        for key in ["host", "user"] {
            must("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", &at(key)]);
        }
        std::fs::create_dir_all("/run/sshd").unwrap();
        std::fs::write(
            at("sshd_config"),
            format!(
                "HostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\nPidFile none\n\
                 PermitRootLogin prohibit-password\nPasswordAuthentication no\n",
                at("host"),
                at("user.pub")
            ),
        )
        .unwrap();
        // Two tests may have theirs at the same time.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let id = std::process::id() * 2 + NEXT.fetch_add(1, Ordering::Relaxed) % 2;
        let mut net = Net { folder, id, servers: vec![], mounts: vec![] };
        for (name, bytes) in disks {
            let path = net.disk(name);
            std::fs::create_dir(&path).unwrap();
            must("mount", &["-t", "tmpfs", "-o", &format!("size={bytes}"), "tmpfs", &path]);
            net.mounts.push(path);
        }
        for side in ['a', 'b'] {
            let (space, here, there) =
                (net.space(side), net.link(side), format!("{}p", net.link(side)));
            must("ip", &["netns", "add", &space]);
            must("ip", &["link", "add", &here, "type", "veth", "peer", "name", &there]);
            must("ip", &["link", "set", &there, "netns", &space]);
            must("ip", &["address", "add", &format!("{}/30", net.address(side, 1)), "dev", &here]);
            must("ip", &["link", "set", &here, "up"]);
            let inside = |arguments: &[&str]| {
                must("ip", &[&["-n", space.as_str()], arguments].concat());
            };
            inside(&["address", "add", &format!("{}/30", net.address(side, 2)), "dev", &there]);
            inside(&["link", "set", &there, "up"]);
            let config = net.folder.path().join("sshd_config").display().to_string();
            let server = Command::new("ip")
                .args(["netns", "exec", &space, "/usr/sbin/sshd", "-D", "-e", "-f", &config])
                .args(["-o", &format!("ListenAddress={}", net.address(side, 2))])
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            net.servers.push(server);
            let address = format!("{}:22", net.address(side, 2));
            until("sshd listens", || std::net::TcpStream::connect(&address).is_ok());
        }
        net
    }

    fn space(&self, side: char) -> String {
        format!("cupel-{side}-{}", self.id)
    }

    fn link(&self, side: char) -> String {
        format!("cu{side}{}", self.id)
    }

    fn address(&self, side: char, end: u8) -> String {
        let third = (self.id % 120) as u8 * 2 + u8::from(side == 'b');
        format!("10.213.{third}.{end}")
    }

    /// A host of `hosts.toml` on one side.
    fn host(&self, side: char, name: &str, home: &Path, more: &str) -> String {
        let options = [
            "-i",
            &self.folder.path().join("user").display().to_string(),
            "-o",
            "StrictHostKeyChecking=no",
            "-o",
            "UserKnownHostsFile=/dev/null",
            "-o",
            "IdentitiesOnly=yes",
            "-o",
            "ServerAliveInterval=1",
            "-o",
            "ServerAliveCountMax=2",
        ]
        .map(|option| format!("{option:?}"));
        format!(
            "[[host]]\nname = {name:?}\naddress = \"root@{}\"\noptions = [{}]\nhome = {home:?}\n{more}\n",
            self.address(side, 2),
            options.join(", ")
        )
    }

    fn disk(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// The private folders below a folder.
    fn left(&self, below: &str) -> usize {
        let all = std::fs::read_dir(below).unwrap().flatten();
        all.filter(|e| e.file_name().to_string_lossy().starts_with("cupel-fleet-")).count()
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        for server in &mut self.servers {
            kill(server.id() as i32, libc::SIGTERM);
            let _ = server.wait();
        }
        for side in ['a', 'b'] {
            // Sessions of a connection that is gone.
            let ids = Command::new("ip").args(["netns", "pids", &self.space(side)]).output();
            let ids =
                ids.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
            ids.lines()
                .filter_map(|id| id.trim().parse().ok())
                .for_each(|id| kill(id, libc::SIGKILL));
            let _ = Command::new("ip").args(["link", "delete", &self.link(side)]).status();
            let _ = Command::new("ip").args(["netns", "delete", &self.space(side)]).status();
        }
        for mount in &self.mounts {
            let _ = Command::new("umount").args(["-l", mount]).status();
        }
    }
}

#[test]
#[ignore = "needs root, Slurm and sshd: make test-fleet"]
fn what_happens_to_one_host_is_one_line_and_the_others_finish() {
    if !can_run("ssh", &["ssh", "/usr/sbin/sshd", "ssh-keygen", "ip", "mount", "tar"]) {
        return;
    }
    // The tool and half of a store.
    let filling = std::fs::metadata(CUPEL).unwrap().len().next_multiple_of(4096) + (160 << 10);
    let net = Net::start(&[("full", 1 << 20), ("filling", filling)]);
    let home = home(8);
    let root = home.path("");
    let folders: Vec<String> = ["fine", "gone"]
        .iter()
        .map(|name| {
            let path = net.folder.path().join(name);
            std::fs::create_dir(&path).unwrap();
            path.display().to_string()
        })
        .collect();
    let (full, filling) = (net.disk("full"), net.disk("filling"));
    // The head of a program for another processor.
    let mut foreign = std::fs::read(CUPEL).unwrap()[..4096].to_vec();
    foreign[18..20].copy_from_slice(&[0xf3, 0]);
    home.write("foreign", foreign);
    let below = |folder: &str| format!("folder = {folder:?}");
    let hosts = [
        net.host('a', "fine", &root, &below(&folders[0])),
        net.host('b', "gone", &root, &below(&folders[1])),
        net.host('a', "wrong", &root, &format!("tool = {:?}", home.path("foreign"))),
        net.host('a', "full", &root, &below(&full)),
        net.host('a', "filling", &root, &below(&filling)),
    ]
    .concat();
    home.write("work/hosts.toml", hosts);
    let began = Instant::now();
    let child = cupel(&home, &["fleet", "run", "q", "--ssh", "hosts.toml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The link goes while its rounds come.
    let live = || {
        let inside = std::fs::read_dir(&folders[1]).unwrap().flatten().next()?.path();
        Some(inside.join("runs.sqlite"))
    };
    until("rounds", || live().is_some_and(|store| rounds::on_node(&store, "gone").len() > 20));
    let before = rounds::on_node(&live().unwrap(), "gone");
    must("ip", &["link", "set", &net.link('b'), "down"]);
    let (status, said) = said(&child.wait_with_output().unwrap());
    println!("{said}\nafter {:?}", began.elapsed());
    assert_eq!(status, Some(1), "{said}");
    assert!(said.starts_with("1 of 5 machines is finished\n"), "{said}");
    let line = |name: &str| {
        let lines = said.lines().filter(|line| line.starts_with(&format!("cupel: {name}: ")));
        let not = |line: &&str| !line.ends_with(": measures");
        let lines: Vec<&str> = lines.filter(not).collect();
        assert_eq!(lines.len(), 1, "one line of {name}: {said}");
        lines[0].to_string()
    };
    assert!(line("fine").ends_with(": finished"), "{said}");
    let gone = line("gone");
    assert!(gone.contains("not responding") && gone.contains("is kept to go on"), "{gone}");
    let wrong = line("wrong");
    assert!(wrong.contains("the tool does not run there") && wrong.contains("`tool`"), "{wrong}");
    let no_space = line("full");
    assert!(no_space.contains("No space left") && no_space.contains("`folder`"), "{no_space}");
    let filled = line("filling");
    assert!(filled.contains("is full: free some space there"), "{filled}");
    assert_eq!((net.left(&folders[0]), net.left(&full)), (0, 0), "something is left");

    // It comes back. Its results are still there, and it continues.
    must("ip", &["link", "set", &net.link('b'), "up"]);
    let (_, said) = run(&home, &["fleet", "run", "--resume", "fleet-q"]);
    assert!(said.contains("cupel: gone: finished"), "{said}");
    let fleet = home.path("work/fleet-q");
    let now = rounds::on_node(&fleet.join("machines/gone/runs.sqlite"), "gone");
    assert!(now.starts_with(&before) && now.len() > before.len(), "rounds are lost");
    assert_eq!(net.left(&folders[1]), 0);

    let (_, said) = run(&home, &["fleet", "collect"]);
    let collected = fleet.join("collected.sqlite");
    rounds::are_whole(&collected);
    assert_eq!(rounds::on_node(&collected, "gone"), now, "{said}");
    let sql = "select count(distinct json_extract(machine, '$.node')) from run where finished is not null";
    assert_eq!(rounds::count(&collected, sql), 2, "{said}");
    let (_, said) = run(&home, &["fleet", "cancel"]);
    assert!(said.starts_with("q ended"), "{said}");
    assert_eq!(net.left(&filling), 0, "{said}");
}

#[test]
#[ignore = "needs root, Slurm and sshd: make test-fleet"]
fn an_interrupt_ends_the_round_on_each_host_and_fetches_what_there_is() {
    if !can_run("ssh", &["ssh", "/usr/sbin/sshd", "ssh-keygen", "ip"]) {
        return;
    }
    let net = Net::start(&[]);
    let home = home(30);
    // A suite that does not come with the tool is sent along, and keeps its name.
    let suite = std::fs::read_to_string(home.path("suites/q.toml")).unwrap();
    std::fs::create_dir(home.path("work/mine")).unwrap();
    home.write("work/mine/s.toml", suite);
    let folder = net.folder.path().join("there");
    std::fs::create_dir(&folder).unwrap();
    let below = format!("folder = {:?}\nenvironment = {{ CUPEL_CPU = \"none\" }}", folder);
    home.write("work/hosts.toml", net.host('a', "one", &home.path(""), &below));
    let child = cupel(&home, &["fleet", "run", "mine/s.toml", "--ssh", "hosts.toml", "--dir", "f"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let live =
        || Some(std::fs::read_dir(&folder).unwrap().flatten().next()?.path().join("runs.sqlite"));
    until("rounds", || live().is_some_and(|store| rounds::on_node(&store, "one").len() > 5));
    let (status, status_said) = run(&home, &["fleet", "status", "f"]);
    assert_eq!(status, Some(2), "{status_said}");
    assert!(status_said.contains("one  measures"), "{status_said}");
    kill(child.id() as i32, libc::SIGINT);
    let (status, said) = said(&child.wait_with_output().unwrap());
    assert_eq!(status, Some(130), "{said}");
    assert!(said.contains("one: not finished: interrupted"), "{said}");
    let here = home.path("work/f/machines/one/runs.sqlite");
    let before = rounds::on_node(&here, "one");
    assert!(before.len() > 5, "{} rounds came", before.len());
    assert_eq!(rounds::on_node(&live().unwrap(), "one"), before, "the run there went on");
    let (status, said) = run(&home, &["fleet", "run", "--resume", "f"]);
    assert_eq!(status, Some(0), "{said}");
    let now = rounds::on_node(&here, "one");
    assert!(now.starts_with(&before) && now.len() > before.len());
    let sql = "select count(*) from run where suite = 'mine/s.toml'
               and json_extract(machine, '$.masked_by') = 'CUPEL_CPU=none'";
    assert_eq!(rounds::count(&here, sql), 1);
    assert_eq!(net.left(&folder.display().to_string()), 0);
}
