//! The command lines that ssh runs on another machine, for any POSIX shell.

use super::shell::word;

/// Before the name of the private folder.
pub const FOLDER: &str = "cupel-folder ";

/// How the private folder's name begins. Only such a folder is ever removed.
const PREFIX: &str = "cupel-fleet-";

/// Reads the tool from standard input into a new private folder, and prints the folder, the
/// processor's architecture and the tool's version. If that fails, nothing is left.
pub fn install(above: Option<&str>, length: u64) -> String {
    let above = above.map_or_else(|| "\"${TMPDIR:-/tmp}\"".to_string(), word);
    format!(
        "umask 077; d=$(mktemp -d {above}/{PREFIX}XXXXXXXX) || exit 3; \
         trap 'rm -rf \"$d\"' EXIT; trap 'exit 3' HUP INT TERM; \
         cat >\"$d/cupel\" || exit 3; \
         [ \"$(wc -c <\"$d/cupel\")\" -eq {length} ] || {{ echo 'the copy is too short' >&2; exit 3; }}; \
         chmod 700 \"$d/cupel\"; uname -m; \"$d/cupel\" --version || exit 4; \
         trap - EXIT; echo \"{FOLDER}$d\""
    )
}

/// Writes standard input to a file below the folder.
pub fn receive(folder: &str, file: &str) -> String {
    format!("cd {} && mkdir -p \"$(dirname {1})\" && cat >{1}", word(folder), word(file))
}

/// Ends an earlier run whose connection broke, and waits for its end. A process with its number but
/// another working directory is a different one.
pub fn end(folder: &str) -> String {
    format!(
        "cd {} || exit 3; p=$(cat pid 2>/dev/null) || exit 0; n=0; \
         while [ \"$(readlink \"/proc/$p/cwd\")\" = \"$(pwd -P)\" ]; do \
         [ $n -lt 100 ] && kill -TERM \"$p\" || kill -KILL \"$p\"; n=$((n+1)); sleep 0.2; done",
        word(folder)
    )
}

/// Runs the tool in its folder, until standard input ends: then this machine has gone, and the run
/// ends after its round.
pub fn run(folder: &str, variables: &[(String, String)], arguments: &[String]) -> String {
    let set: Vec<String> =
        variables.iter().map(|(name, value)| word(&format!("{name}={value}"))).collect();
    let arguments: Vec<String> = arguments.iter().map(|argument| word(argument)).collect();
    format!(
        "cd {} || exit 3; exec 3<&0; env {} ./cupel {} </dev/null 3<&- & p=$!; echo $p >pid; \
         (cat <&3; kill -TERM $p) >/dev/null 2>&1 & w=$!; exec 3<&-; wait $p; s=$?; kill $w 2>/dev/null; exit $s",
        word(folder),
        set.join(" "),
        arguments.join(" ")
    )
}

/// Writes the store, and its log if there is one, to standard output as a tar archive. Writes
/// nothing if there is no store.
pub fn fetch(folder: &str) -> String {
    format!(
        "cd {} || exit 3; [ -e runs.sqlite ] || exit 0; l=; [ -s runs.sqlite-wal ] && l=runs.sqlite-wal; \
         exec tar -cf - runs.sqlite $l",
        word(folder)
    )
}

/// Removes the private folder, whatever still measures in it.
pub fn remove(folder: &str) -> String {
    format!("[ -d {0} ] || exit 0; ({1}) && rm -rf {0}", word(folder), end(folder))
}

/// The private folder in the output of [`install`]; `None` if it is no such folder.
pub fn folder(out: &str) -> Option<String> {
    let folder = out.lines().find_map(|line| line.strip_prefix(FOLDER))?;
    is_private(folder).then(|| folder.to_string())
}

/// Whether a folder is one that [`install`] makes.
pub fn is_private(folder: &str) -> bool {
    let name = folder.rsplit_once(std::path::MAIN_SEPARATOR).map_or("", |(_, name)| name);
    let end = name.strip_prefix(PREFIX).unwrap_or_default();
    std::path::Path::new(folder).is_absolute()
        && !folder.contains("..")
        && !folder.contains(char::is_control)
        && end.len() >= 6
        && end.chars().all(|c| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Output, Stdio};

    fn sh(line: &str, input: &[u8]) -> Output {
        let mut child = Command::new("sh")
            .args(["-c", line])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap()
    }

    fn names(folder: &std::path::Path) -> usize {
        std::fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn what_is_installed_runs_in_a_private_folder() {
        use std::os::unix::fs::PermissionsExt;
        let above = tempfile::tempdir().unwrap();
        let tool = b"#!/bin/sh\necho cupel 9\n";
        let line = install(above.path().to_str(), tool.len() as u64);
        let output = sh(&line, tool);
        let out = String::from_utf8(output.stdout).unwrap();
        assert!(out.contains("cupel 9"), "{out}");
        let folder = folder(&out).expect("a folder");
        let mode = std::fs::metadata(&folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        sh(&remove(&folder), b"");
        assert_eq!(names(above.path()), 0);
    }

    #[test]
    fn a_copy_that_ends_early_or_does_not_run_leaves_nothing() {
        let above = tempfile::tempdir().unwrap();
        let tool = b"#!/bin/sh\nexit 7\n";
        for (length, said) in [(99, Some(3)), (tool.len() as u64, Some(4))] {
            let output = sh(&install(above.path().to_str(), length), tool);
            assert_eq!(output.status.code(), said);
            assert_eq!(folder(&String::from_utf8_lossy(&output.stdout)), None);
            assert_eq!(names(above.path()), 0, "something is left");
        }
    }

    #[test]
    fn a_run_ends_when_its_standard_input_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cupel");
        // It says how it ended, and would not end by itself.
        let tool = "#!/bin/sh\ntrap 'echo ended; exit 130' TERM\n: >begun\n\
                    while [ -e begun ]; do sleep 0.02; done\n";
        std::fs::write(&path, tool).unwrap();
        sh(&format!("chmod 700 {}", path.display()), b"");
        let mut child = Command::new("sh")
            .args(["-c", &run(folder.path().to_str().unwrap(), &[], &[])])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        while !folder.path().join("begun").exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(child.try_wait().unwrap().is_none(), "it ended with standard input open");
        drop(child.stdin.take());
        // Ends a hang: then the file that keeps the program alive is gone.
        let began = std::time::Instant::now();
        while child.try_wait().unwrap().is_none() && began.elapsed().as_secs() < 60 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        std::fs::remove_file(folder.path().join("begun")).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "ended\n");
    }

    #[test]
    fn a_run_whose_connection_broke_is_ended_before_another_begins() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let mut forsaken =
            Command::new("sleep").arg("60").current_dir(folder.path()).spawn().unwrap();
        let mut other =
            Command::new("sleep").arg("60").current_dir(std::env::temp_dir()).spawn().unwrap();
        std::fs::write(folder.path().join("pid"), other.id().to_string()).unwrap();
        assert!(sh(&end(path), b"").status.success());
        assert!(other.try_wait().unwrap().is_none(), "a process of someone else was ended");
        other.kill().unwrap();
        other.wait().unwrap();
        std::fs::write(folder.path().join("pid"), forsaken.id().to_string()).unwrap();
        let waits = std::thread::spawn(move || forsaken.wait().unwrap());
        assert!(sh(&end(path), b"").status.success());
        assert!(!waits.join().unwrap().success(), "it ended by itself");
    }

    #[test]
    fn a_run_has_its_variables_and_its_status() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cupel");
        std::fs::write(&path, "#!/bin/sh\nprintf '%s,%s,%s' \"$A\" \"$1\" \"$2\"; exit 5\n")
            .unwrap();
        sh(&format!("chmod 700 {}", path.display()), b"");
        let variables = [("A".to_string(), "it's $HOME".to_string())];
        let arguments = ["a b".to_string(), "*".to_string()];
        let line = run(folder.path().to_str().unwrap(), &variables, &arguments);
        // Standard input stays open until the run has ended.
        let mut child = Command::new("sh")
            .args(["-c", &line])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let open = child.stdin.take();
        let output = child.wait_with_output().unwrap();
        drop(open);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "it's $HOME,a b,*");
        assert_eq!(output.status.code(), Some(5));
    }

    #[test]
    fn only_a_folder_of_this_kind_is_ever_removed() {
        assert!(is_private("/tmp/cupel-fleet-aB3dE6gH"));
        for folder in [
            "/",
            "",
            "cupel-fleet-aB3dE6gH",
            "/tmp/cupel-fleet-",
            "/var/lib/me",
            "/tmp/../cupel-fleet-aB3dE6gH",
            "/tmp/cupel-fleet-a b'cde",
        ] {
            assert!(!is_private(folder), "{folder}");
            assert_eq!(super::folder(&format!("{FOLDER}{folder}")), None);
        }
    }
}
