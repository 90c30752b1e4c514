//! One suite on several machines through the user's own ssh, with the user's keys and agent. All
//! machines measure at the same time. An event on one of them changes nothing for the others.

use super::progress::last_line;
use super::remote;
use super::shell::word;
use super::state::{self, Fleet, Host, Member};
use super::task::is_finished;
use anyhow::{Context, Result, anyhow, bail};
use cupel_base::disk::write_whole;
use cupel_machine::NODE;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a machine's ssh is looked at.
const GLANCE: Duration = Duration::from_millis(100);

/// How long a run may take to end its round and to write its table after an interruption.
const FAREWELL: Duration = Duration::from_secs(20);

/// An event on a machine. Each is one line for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The tool is there, and measures.
    Measures,
    /// The run is finished, its store is here, and nothing is left there.
    Finished,
    /// The run is not finished. Why, and whether the machine's folder is still there.
    Failed {
        /// Why.
        why: String,
        /// Whether a later run with `--resume` finds its files.
        kept: bool,
    },
}

/// Measures on all machines of a fleet that are not finished, until all have ended. `tell` gets
/// each machine's events. Returns how many are finished.
pub fn measure(
    folder: &Path,
    fleet: &Fleet,
    stop: &AtomicBool,
    tell: &(dyn Fn(&str, &Event) + Sync),
) -> usize {
    std::thread::scope(|scope| {
        let threads: Vec<_> = fleet
            .members
            .iter()
            .enumerate()
            .map(|(position, member)| {
                scope.spawn(move || {
                    let machine = Machine { folder, fleet, position, member, stop };
                    let event = match machine.measure(&|event| tell(&member.name, event)) {
                        Ok(()) => Event::Finished,
                        Err(error) => Event::Failed {
                            why: format!("{error:#}"),
                            kept: machine.private().is_some(),
                        },
                    };
                    tell(&member.name, &event);
                    event == Event::Finished
                })
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|done| *done).count()
    })
}

/// Removes a fleet's files on its machines. Returns each machine that could not be cleared, with
/// the reason.
pub fn clear(folder: &Path, fleet: &Fleet) -> Vec<(String, String)> {
    let stop = AtomicBool::new(false);
    let mut left = Vec::new();
    for (position, member) in fleet.members.iter().enumerate() {
        let machine = Machine { folder, fleet, position, member, stop: &stop };
        if let Some(private) = machine.private()
            && let Err(error) = machine.remove(&private)
        {
            left.push((member.name.clone(), format!("{error:#}; {private} is still there")));
        }
    }
    left
}

struct Machine<'a> {
    folder: &'a Path,
    fleet: &'a Fleet,
    position: usize,
    member: &'a Member,
    stop: &'a AtomicBool,
}

impl Machine<'_> {
    fn measure(&self, tell: &dyn Fn(&Event)) -> Result<()> {
        if is_finished(&state::store(self.folder, self.member))? == Some(true) {
            return match self.private() {
                Some(private) => self.remove(&private),
                None => Ok(()),
            };
        }
        let private = match self.private() {
            // The connection broke then, but perhaps the run continued, or even ended.
            Some(private) => {
                self.end(&private)?;
                self.fetch(&private)?;
                private
            }
            None => self.install()?,
        };
        let before = is_finished(&state::store(self.folder, self.member))?;
        let mut ran = Ok(());
        if before != Some(true) {
            tell(&Event::Measures);
            ran = self.run(&private, before.is_some());
            if let Err(error) = self.fetch(&private) {
                // The first reason is the one to know.
                return Err(ran.err().unwrap_or(error));
            }
        }
        match is_finished(&state::store(self.folder, self.member))? {
            // A contender may have failed: that is in the run, and no failure of the machine.
            Some(true) => self.remove(&private),
            // Rounds that could continue.
            Some(false) => Err(ran.err().unwrap_or_else(|| anyhow!("the run is not finished"))),
            None => {
                let _ = self.remove(&private);
                Err(ran.err().unwrap_or_else(|| anyhow!("the run did not begin")))
            }
        }
    }

    /// The file that remembers the private folder there.
    fn memory(&self) -> PathBuf {
        state::below(self.folder, self.member).join("folder-there")
    }

    fn private(&self) -> Option<String> {
        let folder = std::fs::read_to_string(self.memory()).ok()?;
        remote::is_private(folder.trim()).then(|| folder.trim().to_string())
    }

    /// Copies the tool. Returns the private folder there.
    fn install(&self) -> Result<String> {
        let host = self.host()?;
        let tool = host.tool.clone().unwrap_or_else(|| state::tool(self.folder));
        let program =
            File::open(&tool).with_context(|| format!("cannot read {}", tool.display()))?;
        let length = program.metadata()?.len();
        let output = self
            .ssh(&remote::install(host.folder.as_deref(), length))?
            .stdin(program)
            .output()
            .context("cannot start ssh")?;
        let (out, err) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let private = match (output.status.code(), remote::folder(&out)) {
            (Some(0), Some(private)) => private,
            (Some(4), _) => bail!(unfit(out.lines().next().unwrap_or_default(), &last_of(&err))),
            (Some(255), _) => bail!(unreachable(&last_of(&err), &host.address)),
            _ => bail!("the tool cannot be copied there: {}{}", last_of(&err), remedy(&err)),
        };
        // Remembered before anything else can fail.
        write_whole(&self.memory(), format!("{private}\n"))?;
        let version = out.lines().find_map(|line| line.strip_prefix("cupel ")).unwrap_or_default();
        if version != self.fleet.tool {
            let _ = self.remove(&private);
            bail!(
                "the tool for this host is cupel {version:?}, and this is {}: build the same version \
                 for it",
                self.fleet.tool
            );
        }
        if let Some(suite) = &self.fleet.suite_file {
            self.send_suite(&private, suite)?;
        }
        Ok(private)
    }

    /// Copies the suite, if it does not come with the tool.
    fn send_suite(&self, private: &str, suite: &str) -> Result<()> {
        let path = state::suite(self.folder);
        let text = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let output = self
            .ssh(&remote::receive(private, suite))?
            .stdin(text)
            .output()
            .context("cannot start ssh")?;
        if !output.status.success() {
            let err = String::from_utf8_lossy(&output.stderr);
            bail!("the suite cannot be copied there: {}{}", last_of(&err), remedy(&err));
        }
        Ok(())
    }

    fn run(&self, private: &str, resume: bool) -> Result<()> {
        let host = self.host()?;
        let mut variables = Vec::new();
        for (name, below) in [
            ("CUPEL_CACHE", "cache"),
            ("CUPEL_DATA", ""),
            ("CUPEL_STORE", "runs.sqlite"),
            ("CUPEL_CONFIG", "config"),
            ("TMPDIR", ""),
        ] {
            variables.push((name.to_string(), format!("{private}/{below}")));
        }
        variables.push((NODE.to_string(), self.member.name.clone()));
        variables.extend(host.home.clone().map(|home| ("CUPEL_HOME".to_string(), home)));
        variables.extend(self.member.environment.clone());
        let mut arguments = vec!["--quiet".into(), "run".into(), self.fleet.suite.clone()];
        if resume {
            arguments.push("--resume".to_string());
        } else {
            arguments.extend(self.fleet.arguments.iter().cloned());
        }
        let path = state::log(self.folder, self.position);
        let log = File::options()
            .create(true)
            .append(true)
            .open(&path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        let mut ssh = self.ssh(&remote::run(private, &variables, &arguments))?;
        // Ctrl-C is for this process alone: the run there ends its round, and its store is fetched.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut ssh, 0);
        let child = ssh
            .stdin(Stdio::piped())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .context("cannot start ssh")?;
        let status = self.wait(child)?;
        match status.code() {
            Some(0 | 1) => Ok(()),
            Some(255) => bail!("the connection broke off: {}", last_line(&path)),
            _ if self.stop.load(Ordering::Relaxed) => bail!("interrupted"),
            _ => match last_line(&path) {
                line if line.contains("the disk of the store") => bail!(
                    "the disk with {private} is full: free some space there, then --resume; or begin \
                     again with another `folder` in hosts.toml"
                ),
                line => bail!("{line}"),
            },
        }
    }

    /// Waits for the end, and ends it if the user interrupts.
    fn wait(&self, mut child: Child) -> Result<ExitStatus> {
        let mut stopped: Option<Instant> = None;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            if self.stop.load(Ordering::Relaxed) {
                // The end of standard input ends the run there.
                drop(child.stdin.take());
                if stopped.get_or_insert_with(Instant::now).elapsed() > FAREWELL {
                    child.kill()?;
                }
            }
            std::thread::sleep(GLANCE);
        }
    }

    /// Fetches the store as it is there. An earlier copy stays until the new one is whole.
    fn fetch(&self, private: &str) -> Result<()> {
        let below = state::below(self.folder, self.member);
        let explain = || format!("cannot write {}", below.display());
        let aside =
            tempfile::Builder::new().prefix("fetched").tempdir_in(&below).with_context(explain)?;
        let mut child = self
            .ssh(&remote::fetch(private))?
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start ssh")?;
        let unpacked = child.stdout.take().map_or(Ok(0), |out| unpack(out, aside.path()));
        let output = child.wait_with_output()?;
        if !output.status.success() {
            let err = String::from_utf8_lossy(&output.stderr);
            match output.status.code() {
                Some(255) => bail!(unreachable(&last_of(&err), &self.host()?.address)),
                _ => bail!("the store cannot be copied back: {}{}", last_of(&err), remedy(&err)),
            }
        }
        if unpacked.with_context(explain)? == 0 {
            return Ok(());
        }
        // The log belongs to its store: an old one must not stay next to a new store.
        let store = state::store(self.folder, self.member);
        let fetched = aside.path().join("runs.sqlite");
        let [log, fetched_log] = [&store, &fetched].map(|path| path.with_extension("sqlite-wal"));
        let _ = std::fs::remove_file(&log);
        let _ = std::fs::remove_file(store.with_extension("sqlite-shm"));
        if fetched_log.exists() {
            std::fs::rename(&fetched_log, &log).with_context(explain)?;
        }
        std::fs::rename(&fetched, &store).with_context(explain)
    }

    fn end(&self, private: &str) -> Result<()> {
        self.carry_out(&remote::end(private))
            .with_context(|| format!("{private} there cannot be used any more"))
    }

    fn remove(&self, private: &str) -> Result<()> {
        self.carry_out(&remote::remove(private))
            .with_context(|| format!("{private} cannot be removed there"))?;
        let _ = std::fs::remove_file(self.memory());
        Ok(())
    }

    /// Runs a command there that prints nothing.
    fn carry_out(&self, command: &str) -> Result<()> {
        let output =
            self.ssh(command)?.stdin(Stdio::null()).output().context("cannot start ssh")?;
        let err = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => Ok(()),
            Some(255) => bail!(unreachable(&last_of(&err), &self.host()?.address)),
            _ => bail!("{}", last_of(&err)),
        }
    }

    fn host(&self) -> Result<&Host> {
        self.member.host.as_ref().with_context(|| format!("{} has no address", self.member.name))
    }

    /// The user's ssh, which must ask nothing. It takes the first of two equal options, so the
    /// user's come first.
    fn ssh(&self, command: &str) -> Result<Command> {
        let host = self.host()?;
        if host.address.starts_with('-') {
            bail!("{:?} is not an address", host.address);
        }
        let mut ssh = Command::new("ssh");
        ssh.args(&host.options)
            .args(["-o", "BatchMode=yes", "-o", "ConnectTimeout=15"])
            .args(["-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3", "-T", "--"])
            .arg(&host.address)
            // The user's shell there may be one with other rules.
            .arg(format!("exec sh -c {}", word(command)));
        Ok(ssh)
    }
}

/// Unpacks the store and its log, and nothing else. Returns how many files came.
fn unpack(archive: impl Read, into: &Path) -> std::io::Result<usize> {
    let mut archive = tar::Archive::new(archive);
    let mut came = 0;
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = match entry.path()?.to_str() {
            Some("runs.sqlite") => "runs.sqlite",
            Some("runs.sqlite-wal") => "runs.sqlite-wal",
            _ => continue,
        };
        std::io::copy(&mut entry, &mut File::create(into.join(name))?)?;
        came += 1;
    }
    Ok(came)
}

/// The last line that is not empty.
fn last_of(text: &str) -> String {
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    last.map_or_else(|| "no reason given".to_string(), |line| line.chars().take(300).collect())
}

/// Why the tool does not run there.
fn unfit(architecture: &str, why: &str) -> String {
    let here = std::env::consts::ARCH;
    let built = "build cupel for it, and name that file with `tool` in hosts.toml";
    if !architecture.is_empty() && architecture != here {
        return format!(
            "the tool does not run there: the host is {architecture:?}, this machine is {here}; {built}"
        );
    }
    if why.contains("GLIBC") || why.contains("not found") {
        return format!("the tool does not run there: the host's system is older ({why}); {built}");
    }
    format!("the tool does not run there: {why}; {built}")
}

/// The words of ssh itself.
fn unreachable(why: &str, address: &str) -> String {
    let remedy = if why.contains("Host key") {
        format!("; run `ssh {address}` once, and check the key that it shows")
    } else if why.contains("Permission denied") {
        format!(
            "; a fleet types no password: add your key to the agent (`ssh-add`) and to {address}"
        )
    } else {
        String::new()
    };
    format!("ssh: {}{remedy}", why.trim_start_matches("ssh: "))
}

fn remedy(err: &str) -> &'static str {
    if err.contains("No space left") {
        "; free some space there, or name another `folder` in hosts.toml"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_store_is_unpacked() {
        let mut tar = tar::Builder::new(Vec::new());
        for name in ["runs.sqlite", "other", "runs.sqlite-wal"] {
            let mut header = tar::Header::new_gnu();
            header.set_size(3);
            header.set_mode(0o644);
            tar.append_data(&mut header, name, &b"abc"[..]).unwrap();
        }
        let whole = tar.into_inner().unwrap();
        let into = tempfile::tempdir().unwrap();
        assert_eq!(unpack(&whole[..], into.path()).unwrap(), 2);
        assert_eq!(std::fs::read_dir(into.path()).unwrap().count(), 2);
        assert!(unpack(&whole[..700], into.path()).is_err() || whole.len() < 700);
        assert_eq!(unpack(&b""[..], into.path()).unwrap(), 0, "no store yet");
    }

    #[test]
    fn a_reason_has_its_remedy() {
        let other = unfit("riscv64", "cannot execute");
        assert!(other.contains("the host is \"riscv64\"") && other.contains("`tool`"), "{other}");
        let old = unfit(std::env::consts::ARCH, "libc.so.6: version `GLIBC_2.38' not found");
        assert!(old.contains("the host's system is older"), "{old}");
        assert!(unreachable("Permission denied (publickey).", "a").contains("ssh-add"));
        assert!(unreachable("Host key verification failed.", "a").contains("`ssh a` once"));
        assert!(remedy("cat: write error: No space left on device").contains("`folder`"));
    }
}
