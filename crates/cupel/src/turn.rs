//! Waits for other runs of this machine.

use anyhow::{Context, Result, bail};
use cupel_base::home::Home;
use cupel_base::text::tell;
use cupel_run::begin::Turn;

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

impl Waiting {
    /// Takes the turn for a run of this suite, and waits for it if needed. Without it, the text names
    /// the run that is measured at the same time.
    pub fn turn(&self, home: &Home, suite: &str, quiet: bool) -> Result<Result<Turn, String>> {
        let taken = Turn::take(&home.cache, suite)
            .with_context(|| format!("cannot lock a file in {}", home.cache.display()))?;
        if let Some(turn) = taken {
            return Ok(Ok(turn));
        }
        let holder = Turn::holder(&home.cache);
        if self.anyway {
            return Ok(Err(holder));
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
        Ok(Ok(Turn::wait(&home.cache, suite)?))
    }
}
