//! A runner that was agreed to has no network and writes nothing but temporary files, unless its
//! family's file says otherwise, or that would change the measurement.

use crate::support::{Home, Said, sham};
use cupel_machine::Reading;
use serde_json::json;
use std::fs::{read_to_string, write};
use std::net::{TcpListener, UdpSocket};
use std::path::Path;
use tempfile::TempDir;

/// A home with a contender `own/x` whose runner first executes these words of a shell.
fn home(words: &str, more: &str) -> Home {
    let home = Home::empty();
    let contenders = [json!({ "name": "x", "primitives": ["siphash-2-4"] })];
    home.write("script.json", json!({ "contenders": contenders }).to_string());
    let script = home.path("script.json");
    let line = format!("{words}; exec {} --script {}", sham().display(), script.display());
    let head = "runner = \"program\"\nprefix = \"own\"\n";
    home.write(
        "contenders/own.toml",
        format!("{head}command = [\"bash\", \"-c\", {line:?}]\n{more}"),
    );
    home
}

/// Whether this machine lacks the means of the tests.
fn cannot_confine() -> bool {
    let lacks = cupel_machine::sandboxing().into_iter().find_map(|kept| match kept {
        Reading::NotAvailable(why) => Some(why),
        Reading::Known(_) => None,
    });
    lacks.is_some_and(|why| {
        eprintln!("skipped: runners can {why}");
        true
    })
}

/// The words with which a shell tries everything, and writes its successes to a file.
fn attempts(folder: &Path, seen: &Path, tcp: u16, udp: u16) -> String {
    let all = [
        ("tcp", format!("exec 3<>/dev/tcp/127.0.0.1/{tcp}")),
        ("udp", format!("echo x >/dev/udp/127.0.0.1/{udp}")),
        ("makes", format!("echo x >{}/made", folder.display())),
        ("changes", format!("echo x >>{}/there", folder.display())),
        ("empties", format!("truncate -s 0 {}/there", folder.display())),
        ("renames", format!("mv {0}/there {0}/elsewhere", folder.display())),
        ("temporary", "echo x >$(mktemp -p /tmp cupel-test-XXXXXX)".to_string()),
        ("null", "echo x >/dev/null".to_string()),
    ];
    let tried = all.map(|(name, words)| format!("({words}) && echo {name}"));
    format!(
        "{{ {}; grep Speculation /proc/self/status; }} >{} 2>{}.err",
        tried.join("; "),
        seen.display(),
        seen.display()
    )
}

#[test]
fn a_runner_has_no_network_and_writes_temporary_files_only() {
    if cannot_confine() {
        return;
    }
    // Not a temporary folder of programs.
    let folder = TempDir::new_in("/var/tmp").unwrap();
    let there = folder.path().join("there");
    let seen = tempfile::tempdir().unwrap();
    let seen = seen.path().join("seen");
    let (tcp, udp) =
        (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    let port = tcp.local_addr().unwrap().port();
    let words = attempts(folder.path(), &seen, port, udp.local_addr().unwrap().port());
    let of_this = read_to_string("/proc/self/status").unwrap();
    let speed = of_this.lines().filter(|line| line.starts_with("Speculation"));
    let speed = speed.map(|line| format!("{line}\n")).collect::<String>();
    let did = |more: &str| {
        write(&there, "mine").unwrap();
        let home = home(&words, more);
        let mut command = home.command();
        command.env("HOME", folder.path());
        let said = Said::from(command.args(["verify", "own/x"]).output().unwrap());
        assert_eq!(said.status, Some(0), "it works all the same: {}{}", said.out, said.err);
        (read_to_string(&seen).unwrap(), home.cupel(&["doctor"]).out)
    };

    let (done, doctor) = did("");
    let errors = read_to_string(seen.with_extension("err")).unwrap_or_default();
    assert_eq!(done, format!("temporary\nnull\n{speed}"), "and is not slowed: {errors}");
    assert_eq!(tcp.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    assert_eq!(udp.recv(&mut [0]).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    assert_eq!(read_to_string(&there).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is made");
    assert!(doctor.contains("runners      no network; write only below /tmp, "), "{doctor}");
    assert!(!doctor.contains("not confined"), "{doctor}");

    let (done, doctor) = did("confined = false\n");
    let all = "tcp\nudp\nmakes\nchanges\nempties\nrenames\ntemporary\nnull\n";
    assert_eq!(done, format!("{all}{speed}"), "its family wants that");
    assert!(doctor.contains("not confined: own/"), "{doctor}");
    for entry in std::fs::read_dir("/tmp").unwrap().flatten() {
        if entry.file_name().to_string_lossy().starts_with("cupel-test-") {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// A runner's attempts on another process, and on itself, by the programs of the system.
fn meddling(other: u32, folder: &Path, seen: &Path) -> String {
    let to = |target: &str| {
        [
            ("limits", format!("prlimit --pid {target} --cpu=90000")),
            ("priority", format!("renice -n 5 -p {target}")),
            ("disks", format!("ionice -c 3 -p {target}")),
            ("processors", format!("taskset -a -p 1 {target} || taskset -p 1 {target}")),
            ("schedule", format!("chrt -b -p 0 {target}")),
            ("signals", format!("kill -CONT {target} && kill -USR2 {target}")),
            ("environment", format!("test -n \"$(tr -d '\\\\0' </proc/{target}/environ)\"")),
        ]
    };
    let own = to("$$").into_iter().filter(|(name, _)| *name != "signals");
    let own = own.map(|(name, words)| (format!("own {name}"), words));
    let mut tried: Vec<(String, String)> = own.collect();
    tried.extend(to(&other.to_string()).map(|(name, words)| (name.to_string(), words)));
    tried.push(("tool's environment".into(), "tr -d '\\\\0' </proc/$PPID/environ".into()));
    tried.push(("mounts".into(), format!("mount -t tmpfs none {}", folder.display())));
    tried.push(("namespaces".into(), "unshare --user true".into()));
    tried.push(("queues".into(), "ipcmk --shmem 4096".into()));
    let words = tried.iter().map(|(name, words)| format!("({words}) >&2 && echo \"{name}\""));
    let words: Vec<String> = words.collect();
    format!(
        "{{ {}; grep Cap /proc/self/status; }} >{} 2>{}.err",
        words.join("; "),
        seen.display(),
        seen.display()
    )
}

#[test]
fn a_runner_does_nothing_to_other_processes() {
    if cannot_confine() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let mut other = std::process::Command::new("sleep").arg("86400").spawn().unwrap();
    let state = |id: u32| (cupel_machine::allowed(id), cupel_machine::priority(id));
    let before = state(other.id());
    let home = home(&meddling(other.id(), folder.path(), &seen), "");
    let said = home.cupel(&["verify", "own/x"]);
    let after = (state(other.id()), other.try_wait().unwrap());
    let _ = other.kill();
    let _ = other.wait();
    assert_eq!(said.status, Some(0), "it works all the same: {}{}", said.out, said.err);
    assert_eq!(after, (before, None));
    let did = read_to_string(&seen).unwrap();
    let errors = read_to_string(seen.with_extension("err")).unwrap_or_default();
    let (privileges, did): (Vec<&str>, Vec<&str>) =
        did.lines().partition(|line| line.starts_with("Cap"));
    let own = ["limits", "priority", "disks", "processors", "schedule", "environment"];
    assert_eq!(did, own.map(|name| format!("own {name}")), "{errors}");
    // The reading of others' files is left to root's runners. Others cannot give up a right that
    // only a program of root could give them, because no program that they start can be root any
    // more.
    // SAFETY: geteuid has no preconditions.
    let is_root = unsafe { libc::geteuid() } == 0;
    for line in privileges {
        if !is_root && line.split(':').next() == Some("CapBnd") {
            continue;
        }
        let all = u64::from_str_radix(line.split_whitespace().last().unwrap(), 16).unwrap();
        assert_eq!(all & !(1 << 2), 0, "{line}");
    }
}

/// A program that a user's file has made one of another user cannot be one if it is confined.
#[test]
fn a_program_that_gains_privileges_is_not_confined() {
    use std::os::unix::fs::PermissionsExt;
    let home = home(":", "");
    let own = home.path("bash");
    std::fs::copy("/bin/bash", &own).unwrap();
    let text = read_to_string(home.path("contenders/own.toml")).unwrap();
    home.write("contenders/own.toml", text.replace("\"bash\"", &format!("{own:?}")));
    let doctor = |mode| {
        std::fs::set_permissions(&own, std::fs::Permissions::from_mode(mode)).unwrap();
        home.cupel(&["doctor"]).out
    };
    assert!(!doctor(0o755).contains("not confined"));
    let doctor = doctor(0o2755);
    assert!(doctor.contains("not confined: own/"), "{doctor}");
}

/// Confinement makes each system call of a process take longer.
#[test]
fn runners_are_not_confined_where_calls_of_the_system_are_timed() {
    if cannot_confine() {
        return;
    }
    let ran = |contract: &str| {
        let home = home(":", "");
        let seen = home.path("seen");
        let text = read_to_string(home.path("contenders/own.toml")).unwrap();
        let look = format!(
            "[\"bash\", \"-c\", \"grep NoNewPrivs /proc/self/status >>{}; ",
            seen.display()
        );
        home.write("contenders/own.toml", text.replace("[\"bash\", \"-c\", \":; ", &look));
        home.suite("[64]", contract);
        let run = home.cupel(&["run", "q", "--forks", "2"]);
        assert!(run.status.is_some_and(|status| status < 3), "{}{}", run.out, run.err);
        // The last process of all belongs to a fork.
        let last = read_to_string(&seen).unwrap().lines().last().unwrap_or_default().to_string();
        (last, run.err)
    };
    let (last, said) = ran("");
    assert_eq!(last, "NoNewPrivs:\t1");
    assert!(!said.contains("confined"), "{said}");
    let (last, said) = ran("contract = { result = \"awaited\" }");
    assert_eq!(last, "NoNewPrivs:\t0");
    assert!(said.contains("runners are not confined"), "{said}");
}
