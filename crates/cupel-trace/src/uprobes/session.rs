//! bpftrace, as it runs: its start, its end, and what it counted.

use anyhow::{Context, Result, anyhow, bail};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

/// The counts of each map, by its key's parts.
pub type Maps = BTreeMap<String, Vec<(String, u64)>>;

/// What the program prints regularly.
pub const TICK: &str = "running";

/// A running bpftrace. It ends with this value, whatever happens; the kernel then takes away its
/// probes, which may take a tenth of a second for each. No one waits for that.
#[derive(Debug)]
pub struct Session {
    child: Child,
    out: BufReader<ChildStdout>,
    errors: Option<JoinHandle<String>>,
}

impl Session {
    /// Starts it, and returns when all probes are attached.
    ///
    /// # Errors
    /// If it cannot be started, or says why it cannot attach them.
    pub fn start(script: &str, keys: u32) -> Result<Session> {
        let mut command = Command::new("bpftrace");
        command.args(["-f", "json", "-"]).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env("BPFTRACE_MAP_KEYS_MAX", keys.to_string());
        command.env("BPFTRACE_MAX_PROBES", "4096");
        // Ctrl-C is for this process, which then ends that one.
        command.process_group(0);
        // SAFETY: it is one system call.
        unsafe {
            command.pre_exec(|| {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGINT);
                Ok(())
            });
        }
        let mut child = command.spawn().context("bpftrace cannot be started")?;
        let (input, out) = (child.stdin.take(), child.stdout.take());
        let (mut input, out) = input.zip(out).context("bpftrace has no standard input")?;
        let errors = child.stderr.take().map(|mut errors| {
            std::thread::spawn(move || {
                let mut text = Vec::new();
                let _ = errors.read_to_end(&mut text);
                String::from_utf8_lossy(&text).into_owned()
            })
        });
        let mut session = Session { child, out: BufReader::new(out), errors };
        let written = input.write_all(script.as_bytes());
        drop(input);
        let mut line = String::new();
        while written.is_ok() && session.out.read_line(&mut line).is_ok_and(|n| n > 0) {
            if line.contains(TICK) {
                return Ok(session);
            }
            line.clear();
        }
        Err(session.why())
    }

    /// Why it ended: its first error that is one.
    fn why(&mut self) -> anyhow::Error {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let text = self.errors.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let error = text.lines().find(|line| {
            let is_harmless = line.contains("RLIMIT_MEMLOCK") || line.contains("detach");
            line.to_lowercase().contains("error") && !is_harmless
        });
        let line = error.or(text.lines().last()).unwrap_or("it says nothing");
        anyhow!("bpftrace does not trace: {}", line.trim())
    }

    /// Ends it, and returns what it counted until now.
    ///
    /// # Errors
    /// If it ended before.
    pub fn stop(mut self) -> Result<Maps> {
        // It prints its maps when it gets this signal. At its end it would print them after it has
        // taken all probes away.
        // SAFETY: it has not been waited for, so the number is its own.
        unsafe { libc::kill(self.child.id() as libc::pid_t, libc::SIGUSR1) };
        let (mut text, mut line) = (String::new(), String::new());
        while self.out.read_line(&mut line).context("bpftrace's counts cannot be read")? > 0 {
            if line.contains("\"map\"") {
                text += &line;
            } else if line.contains(TICK) && !text.is_empty() {
                return maps(&text);
            }
            line.clear();
        }
        Err(self.why())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// The maps in bpftrace's output. A map without a key has one count, whose key is empty.
fn maps(text: &str) -> Result<Maps> {
    let mut maps = Maps::new();
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let value: serde_json::Value = serde_json::from_str(line)
            .with_context(|| format!("bpftrace printed invalid JSON: {line}"))?;
        if value["type"] != "map" {
            continue;
        }
        let Some(data) = value["data"].as_object() else {
            bail!("a map of bpftrace is none: {line}")
        };
        for (name, counts) in data {
            let entries = maps.entry(name.clone()).or_default();
            match counts {
                serde_json::Value::Object(counts) => entries.extend(
                    counts.iter().filter_map(|(key, count)| Some((key.clone(), count.as_u64()?))),
                ),
                count => entries.extend(count.as_u64().map(|count| (String::new(), count))),
            }
        }
    }
    Ok(maps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_and_what_is_no_count_is_left_out() {
        let text = "{\"type\": \"attached_probes\", \"data\": {\"probes\": 3}}\n\n\
                    {\"type\": \"map\", \"data\": {\"@calls\": {\"0,1,672,1,2,64\": 5, \"0,1,64,1,2,0\": 1}}}\n\
                    {\"type\": \"map\", \"data\": {\"@all\": 6}}\n";
        let maps = maps(text).unwrap();
        assert_eq!(maps["@all"], [(String::new(), 6)]);
        assert_eq!(maps["@calls"].iter().map(|(_, n)| n).sum::<u64>(), 6);
        assert!(super::maps("{\"type\": \"map\", \"data\": {").is_err());
    }
}
