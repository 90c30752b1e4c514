//! How a C compiler is started, and its report about itself.

use crate::builds::bounded;
use cupel_protocol::message::Refusal;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// How a compiler is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Its file.
    pub program: PathBuf,
    /// The program that loads it and everything it starts, with arguments, if the system's own
    /// loader is too old for it.
    pub loader: Vec<OsString>,
    /// Arguments that come before all others.
    pub arguments: Vec<OsString>,
    /// Folders with libraries that it needs.
    pub libraries: Option<OsString>,
    /// Whether it only writes assembly text, which the system's own compiler assembles.
    pub text_only: bool,
}

impl Launch {
    /// A compiler that needs only its path.
    pub fn plain(program: PathBuf) -> Launch {
        Launch { program, loader: vec![], arguments: vec![], libraries: None, text_only: false }
    }

    /// A command that starts it, without the arguments of the task.
    pub fn command(&self) -> Command {
        let mut words =
            self.loader.iter().map(OsString::as_os_str).chain([self.program.as_os_str()]);
        let mut command = Command::new(words.next().unwrap_or(OsStr::new("cc")));
        command.args(words).args(&self.arguments);
        if let Some(libraries) = &self.libraries {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        // The messages are searched for words.
        command.env("LC_ALL", "C");
        command
    }
}

/// The time limit for a compiler to identify itself.
const PATIENCE: Duration = Duration::from_secs(10);

/// A compiler's report about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// `gcc` or `clang`.
    pub vendor: &'static str,
    /// `12`
    pub major: u32,
    /// `12.2.0`
    pub number: String,
    /// The full line.
    pub version: String,
}

/// Asks a compiler for its identity. To answer, it must preprocess a C file.
pub fn identify(launch: &Launch) -> Result<Identity, Refusal> {
    let macros = ask(launch, &["-dM", "-E", "-x", "c", "/dev/null"])?;
    if !macros.status.success() || value(&macros.out, "__STDC__").is_none() {
        let word = macros.err.lines().next().unwrap_or("").trim();
        let said = if word.is_empty() { String::new() } else { format!(" ({word})") };
        let what = format!("it does not list its macros for `-dM -E -x c`{said}");
        return Err(refusal(launch, &what));
    }
    let (vendor, names) = match value(&macros.out, "__clang__") {
        Some(_) => ("clang", ["__clang_major__", "__clang_minor__", "__clang_patchlevel__"]),
        None => ("gcc", ["__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__"]),
    };
    let parts: Vec<&str> = names.iter().filter_map(|name| value(&macros.out, name)).collect();
    let major = parts.first().and_then(|p| p.parse().ok());
    let major = major.ok_or_else(|| refusal(launch, "it is neither a gcc nor a clang"))?;
    let version = ask(launch, &["--version"])?;
    let version = version.out.lines().next().unwrap_or("").trim().to_string();
    Ok(Identity { vendor, major, number: parts.join("."), version })
}

fn ask(launch: &Launch, arguments: &[&str]) -> Result<bounded::Output, Refusal> {
    bounded::run(launch.command().args(arguments), PATIENCE)
        .map_err(|e| refusal(launch, &e.to_string()))
}

fn refusal(launch: &Launch, why: &str) -> Refusal {
    Refusal {
        reason: format!("{} is not a C compiler: {why}", launch.program.display()),
        remedy: Some("give the path of a gcc or a clang".to_string()),
    }
}

/// The value of a macro, without quotes.
fn value<'m>(macros: &'m str, name: &str) -> Option<&'m str> {
    let rest = macros.lines().find_map(|l| l.strip_prefix("#define ")?.strip_prefix(name))?;
    Some(rest.strip_prefix(' ')?.trim().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_program_that_is_not_a_compiler_is_refused_with_its_path() {
        for program in ["/bin/true", "/bin/false", "/nowhere/at/all"] {
            let refusal = identify(&Launch::plain(program.into())).unwrap_err();
            assert!(
                refusal.reason.starts_with(&format!("{program} is not a C compiler")),
                "{refusal:?}"
            );
        }
    }
}
