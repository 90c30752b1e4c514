//! Waits for other runs of this machine.

use anyhow::{Result, bail};
use cupel_base::home::Home;
use cupel_base::problem::Problem;
use cupel_base::text::{tell, time};
use cupel_run::begin::Turn;
use std::path::Path;
use std::time::{Duration, Instant};

/// What to do if another run is being measured.
#[derive(clap::Args)]
pub struct Waiting {
    /// If another run is being measured on this machine, exit with a message instead of waiting
    /// for it
    #[arg(long, conflicts_with = "anyway")]
    pub no_wait: bool,
    /// If another run is being measured, measure at the same time. The two disturb each other, and
    /// the tables say so
    #[arg(long)]
    pub anyway: bool,
}

/// Whether a run has the machine for itself.
pub enum Company {
    /// No other run is measured while this lives.
    Alone(Turn),
    /// The user wants to measure next to this run, in words.
    Beside(String),
}

impl Waiting {
    /// Takes the turn for a run of this suite, and waits for it if needed.
    pub fn turn(&self, home: &Home, suite: &str, quiet: bool) -> Result<Company> {
        let taken = Turn::take(&home.cache, suite).map_err(|e| {
            let what = format!("cannot lock a file in {}: {e:#}", home.cache.display());
            Problem::refusal(what, "name a folder that you may write in CUPEL_CACHE")
        })?;
        if let Some(turn) = taken {
            return Ok(Company::Alone(turn));
        }
        let holder = Turn::holder(&home.cache);
        if self.anyway {
            return Ok(Company::Beside(holder));
        }
        if self.no_wait {
            bail!(
                "{holder} is being measured on this machine, and two runs disturb each other: leave \
                 out --no-wait to wait for it, or measure at the same time with --anyway"
            );
        }
        if !quiet {
            tell(&format!(
                "cupel: waiting for {holder}, because two runs disturb each other; --anyway does not \
                 wait, --no-wait exits"
            ));
        }
        let say = |line: &str| {
            if !quiet {
                tell(line);
            }
        };
        Ok(Company::Alone(wait(&home.cache, suite, (PAUSE, EVERY), &say)?))
    }
}

/// How often the turn is tried, and how often the user sees the time spent waiting.
const PAUSE: Duration = Duration::from_millis(200);
const EVERY: Duration = Duration::from_secs(30);

/// Waits for the turn, and prints now and then for which run, and how long.
fn wait(
    cache: &Path,
    suite: &str,
    (pause, every): (Duration, Duration),
    say: &dyn Fn(&str),
) -> Result<Turn> {
    let began = Instant::now();
    let mut next = every;
    loop {
        if let Some(turn) = Turn::take(cache, suite)? {
            return Ok(turn);
        }
        if began.elapsed() >= next {
            next = began.elapsed() + every;
            let waited = time(began.elapsed().as_nanos() as f64);
            say(&format!("cupel: waiting for {}, {waited} so far", Turn::holder(cache)));
        }
        std::thread::sleep(pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn who_waits_learns_for_which_run_and_how_long() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path();
        let first = RefCell::new(Turn::take(cache, "q").unwrap());
        let said = RefCell::new(Vec::new());
        let say = |line: &str| {
            said.borrow_mut().push(line.to_string());
            first.take();
        };
        wait(cache, "r", (Duration::ZERO, Duration::ZERO), &say).unwrap();
        let [line] = &said.borrow()[..] else { panic!("{said:?}") };
        assert!(
            line.starts_with("cupel: waiting for a run of q, which is being prepared"),
            "{line}"
        );
        assert!(line.ends_with(" so far"), "{line}");
    }
}
