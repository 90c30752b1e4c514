//! Whether features of the CPU that a command line hides from a runner are hidden. The loader only
//! warns of an object that it cannot load, and a static program has no loader: it would be measured
//! under a false name.

use crate::fault::Fault;
use std::ffi::OsString;
use std::path::Path;

/// Checks a process that has been started with this command line, if it hides anything.
///
/// # Errors
/// If the object that hides is not in the process.
pub fn check(command: &[OsString], process: u32) -> Result<(), Fault> {
    let Some(object) = object(command) else { return Ok(()) };
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    if is_in(Path::new(object), &maps) {
        return Ok(());
    }
    Err(Fault::Start(format!(
        "it has not loaded {object}, so no feature of the CPU is hidden from it: its program may be \
         static, or the object on a file system that forbids execution"
    )))
}

/// The object that hides, if the command line sets both variables.
fn object(command: &[OsString]) -> Option<&str> {
    let mut set = command.iter().map_while(|word| word.to_str());
    command.iter().any(|word| word.to_string_lossy().starts_with("CUPEL_HIDE=")).then_some(())?;
    let preload = set.find_map(|word| word.strip_prefix("LD_PRELOAD="))?;
    preload.split(':').next()
}

/// Whether a file is mapped into the memory that `/proc/PID/maps` lists, under its real name.
fn is_in(object: &Path, maps: &str) -> bool {
    let Ok(real) = object.canonicalize() else { return false };
    maps.lines().any(|line| line.ends_with(&*real.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_hides_needs_the_object_and_it_must_be_mapped() {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let plain = words(&["env", "GODEBUG=cpu.sha=off", "runner"]);
        assert_eq!(object(&plain), None);
        let preloaded = words(&["env", "LD_PRELOAD=/x.so", "runner"]);
        assert_eq!(object(&preloaded), None, "the user's own");
        let hides = words(&["env", "CUPEL_HIDE=aes", "LD_PRELOAD=/hide.so:/x.so", "runner"]);
        assert_eq!(object(&hides), Some("/hide.so"));

        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("hide.so"), folder.path().join("link.so"));
        std::fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let line = "7f00-7f01 r-xp 00000000 fe:00 12 ";
        let maps = format!("{line}/lib/libc.so.6\n{line}{}\n", file.display());
        assert!(is_in(&link, &maps));
        assert!(!is_in(&link, &format!("{line}/lib/libc.so.6\n")));
        assert!(!is_in(Path::new("/nowhere/hide.so"), &maps));
    }
}
