//! The system's browser.

use anyhow::{Context as _, Result};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long an opener may take to report that it has no browser.
const OPENER: Duration = Duration::from_secs(2);

/// Asks the system for its browser, and does not wait until it is closed.
pub fn open(path: &Path) -> Result<()> {
    let mut opener = match std::env::consts::OS {
        "macos" => Command::new("open"),
        "windows" => Command::new("explorer"),
        _ => Command::new("xdg-open"),
    };
    opener.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let program = opener.get_program().to_string_lossy().into_owned();
    let help = format!("the page itself is written: open {} in a browser", path.display());
    let mut started = opener.spawn().with_context(|| {
        format!("no browser was opened, because {program} does not start; {help}")
    })?;
    let began = Instant::now();
    while began.elapsed() < OPENER {
        match started.try_wait()? {
            Some(status) if status.success() => return Ok(()),
            Some(_) => anyhow::bail!("no browser was opened: {program} found none; {help}"),
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    Ok(()) // The browser itself is still running.
}
