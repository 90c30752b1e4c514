//! Asks whether contenders of the working directory are trusted.

use anyhow::Result;
use cupel_base::home::Home;
use cupel_base::text::{plain, tell};
use cupel_toolchain::trust::{self, Stranger};
use std::io::{BufRead, IsTerminal, Write};

/// Trusts the files of contenders in the working directory that are new or have changed, if the
/// user has agreed, or agrees now. Otherwise nothing of them is built or run.
///
/// # Errors
/// If it cannot be remembered that they are trusted; or if Cupel's own files are in the working
/// directory, and not trusted.
pub fn settle(home: &Home, trusts: bool) -> Result<()> {
    let strangers = trust::strangers(home);
    if strangers.is_empty() {
        return trust::refuse(home, &[]);
    }
    let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if trusts || (is_terminal && asked(&strangers)) {
        return trust::remember(home, &strangers);
    }
    trust::refuse(home, &strangers)
}

/// Shows the commands of the files, and asks.
fn asked(strangers: &[Stranger]) -> bool {
    for Stranger { path, commands, .. } in strangers {
        tell(&format!("{} {}", plain(&path.display().to_string()), plain(commands)));
    }
    let mut err = std::io::stderr().lock();
    let _ = write!(err, "Build and run what these files of this folder name? [y/N] ");
    let _ = err.flush();
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}
