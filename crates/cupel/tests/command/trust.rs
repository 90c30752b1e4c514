//! Contenders that someone else may have put into the working directory are not built or run before
//! the user has seen the commands of their files.

use crate::support::{Home, Said, sham};
use serde_json::json;
use std::path::Path;
use tempfile::TempDir;

/// A folder with a family whose program leaves a mark where it is started.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("contenders")).unwrap();
    let script = json!({ "contenders": [{ "name": "x", "primitives": ["siphash-2-4"] }] });
    std::fs::write(folder.path().join("script.json"), script.to_string()).unwrap();
    family(folder.path(), "");
    folder
}

fn family(folder: &Path, more: &str) {
    let mark = folder.join("mark");
    let line = format!(
        "touch {}; exec {} --script {}",
        mark.display(),
        sham().display(),
        folder.join("script.json").display()
    );
    let text = format!(
        "runner = \"program\"\nprefix = \"cloned\"\ncommand = [\"sh\", \"-c\", {line:?}]\n{more}"
    );
    std::fs::write(folder.join("contenders/cloned.toml"), text).unwrap();
}

/// The command's output there, and whether the program was started.
fn said(home: &Home, folder: &Path, arguments: &[&str]) -> (Said, bool) {
    let _ = std::fs::remove_file(folder.join("mark"));
    let mut command = home.command();
    command.env_remove("CUPEL_TRUST").current_dir(folder).args(arguments);
    let said = Said::from(command.output().expect("cupel starts"));
    (said, folder.join("mark").exists())
}

fn home() -> Home {
    Home::with(json!([{ "name": "a", "primitives": ["siphash-2-4"] }]))
}

#[test]
fn nothing_of_the_working_directory_runs_before_it_is_trusted() {
    let (home, folder) = (home(), folder());
    let at = folder.path();
    home.suite("[64]", "");
    for arguments in [
        &["verify", "cloned/x"][..],
        &["verify"],
        &["ask", "siphash-2-4", "64", "cloned/x"],
        &["run", "q", "--contender", "cloned/x"],
        &["list"],
        &["list", "cloned/*"],
        &["doctor"],
    ] {
        let (said, ran) = self::said(&home, at, arguments);
        assert!(!ran, "{arguments:?} ran it: {} {}", said.out, said.err);
        let tells = ["list", "doctor"].contains(&arguments[0]);
        assert_eq!(said.status, Some(if tells { 0 } else { 3 }), "{arguments:?}: {}", said.err);
        if !tells {
            for words in ["contenders/cloned.toml", "runs sh -c touch ", "--trust"] {
                assert!(said.err.contains(words), "{arguments:?}: no {words} in {}", said.err);
            }
        }
    }
    family(at, "confined = false\n");
    let (said, _) = self::said(&home, at, &["verify", "cloned/x"]);
    assert!(said.err.contains(", not confined"), "{}", said.err);
    let (said, ran) = self::said(&home, at, &["verify", "sham/a"]);
    assert!(said.status == Some(0) && !ran, "what does not need it goes on: {}", said.err);
}

#[test]
fn what_is_trusted_is_remembered_at_its_place_until_it_changes() {
    let (home, folder) = (home(), folder());
    let at = folder.path();
    let verify = |arguments: &[&str]| said(&home, at, arguments);
    let (said, ran) = verify(&["--trust", "verify", "cloned/x"]);
    assert!(said.status == Some(0) && ran, "{}", said.err);
    let (said, ran) = verify(&["verify", "cloned/x"]);
    assert!(said.status == Some(0) && ran, "it is remembered: {}", said.err);
    family(at, "# changed\n");
    let (said, ran) = verify(&["verify", "cloned/x"]);
    assert!(said.status == Some(3) && !ran, "it has changed: {}", said.err);
    family(at, "");
    let other = self::folder();
    let text = std::fs::read(at.join("contenders/cloned.toml")).unwrap();
    std::fs::write(other.path().join("contenders/cloned.toml"), text).unwrap();
    let (said, _) = self::said(&home, other.path(), &["verify", "cloned/x"]);
    assert_eq!(said.status, Some(3), "the same file elsewhere: {}", said.err);
}

/// The command's output on a terminal, on which `y` answers it after `meanwhile`.
#[cfg(target_os = "linux")]
fn agreed(home: &Home, folder: &Path, meanwhile: impl FnOnce()) -> (String, Option<i32>, bool) {
    use std::io::{Read, Write};
    use std::os::fd::{FromRawFd, OwnedFd};
    let _ = std::fs::remove_file(folder.join("mark"));
    let (mut ours, mut theirs) = (-1, -1);
    let null = std::ptr::null_mut();
    // SAFETY: both are written to; the rest may be null.
    let opened =
        unsafe { libc::openpty(&raw mut ours, &raw mut theirs, null, null.cast(), null.cast()) };
    assert_eq!(opened, 0);
    // SAFETY: they have just been opened, and nothing else owns them.
    let (ours, theirs) = unsafe { (OwnedFd::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) };
    let mut command = home.command();
    command.env_remove("CUPEL_TRUST").current_dir(folder).args(["verify", "cloned/x"]);
    command.stdin(theirs.try_clone().unwrap()).stdout(std::process::Stdio::null()).stderr(theirs);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut terminal = std::fs::File::from(ours);
    let (mut said, mut meanwhile) = (Vec::new(), Some(meanwhile));
    let mut bytes = [0; 4096];
    // It ends with an error when the last writer is gone.
    while let Ok(read @ 1..) = terminal.read(&mut bytes) {
        said.extend(&bytes[..read]);
        if String::from_utf8_lossy(&said).contains("[y/N]")
            && let Some(meanwhile) = meanwhile.take()
        {
            meanwhile();
            terminal.write_all(b"y\n").unwrap();
        }
    }
    let status = child.wait().unwrap().code();
    (String::from_utf8_lossy(&said).into_owned(), status, folder.join("mark").exists())
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_changes_while_it_is_asked_about_is_not_trusted() {
    let (home, folder) = (home(), folder());
    let at = folder.path();
    let (said, status, ran) = agreed(&home, at, || family(at, "# changed\n"));
    assert!(status == Some(3) && !ran, "{said}");
    assert!(said.contains("is not trusted yet"), "{said}");
    let (said, status, ran) = agreed(&home, at, || ());
    assert!(status == Some(0) && ran, "{said}");
    assert!(said.contains("runs sh -c touch"), "{said}");
}

/// Files of the configuration folder are the user's own, and the ones of `CUPEL_HOME` are named.
#[test]
fn what_the_user_has_put_there_needs_no_question() {
    let (home, folder) = (home(), folder());
    std::fs::create_dir_all(home.path("config")).unwrap();
    std::fs::rename(folder.path().join("contenders"), home.path("config/contenders")).unwrap();
    let (said, ran) = self::said(&home, folder.path(), &["verify", "cloned/x", "sham/a"]);
    assert!(said.status == Some(0) && ran, "{}", said.err);
}

/// It looks like a checkout of Cupel, whose runners would be built.
#[test]
fn a_checkout_that_is_not_the_program_s_own_is_asked_about() {
    let (home, folder) = (home(), folder());
    for name in ["suites", "protocol"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    let verify = |more: &[&str]| {
        let _ = std::fs::remove_file(folder.path().join("mark"));
        let mut command = home.command();
        command.env_remove("CUPEL_TRUST").env_remove("CUPEL_HOME");
        command.current_dir(folder.path()).args(more).args(["verify", "cloned/x"]);
        let said = Said::from(command.output().expect("cupel starts"));
        (said, folder.path().join("mark").exists())
    };
    let (said, ran) = verify(&[]);
    assert!(said.status == Some(3) && !ran, "{}", said.err);
    assert!(said.err.contains("contenders/cloned.toml is not trusted yet"), "{}", said.err);
    let (said, ran) = verify(&["--trust"]);
    assert!(said.status == Some(0) && ran, "{}", said.err);
}

/// A runner has its part of the environment, a folder for caches, no descriptor of whatever started
/// the tool, and no core dumps.
#[test]
fn a_runner_is_confined() {
    let (home, folder) = (home(), folder());
    let seen = folder.path().join("seen");
    let line = format!(
        "{{ env; rm $(mktemp -p \"${{XDG_CACHE_HOME?}}\") && echo cached; ls -l /proc/$$/fd; ulimit -c; ulimit -n; ulimit -f; }} > {}; exec {} --script {}",
        seen.display(),
        sham().display(),
        folder.path().join("script.json").display()
    );
    let text =
        format!("runner = \"program\"\nprefix = \"own\"\ncommand = [\"bash\", \"-c\", {line:?}]\n");
    home.write("contenders/own.toml", text);
    let file = std::fs::File::open(folder.path().join("script.json")).unwrap();
    use std::os::fd::AsRawFd;
    // SAFETY: dup2() takes two numbers. The number is one that no one uses here.
    assert_eq!(unsafe { libc::dup2(file.as_raw_fd(), 77) }, 77);
    let mut shell = std::process::Command::new("bash");
    shell.args(["-c", &format!("ulimit -Sn 500; exec {} verify own/x", crate::support::CUPEL)]);
    home.set_up(&mut shell);
    shell
        .env("OPENSSL_CONF", "/dev/null")
        .env("XDG_CACHE_HOME", "/usr")
        .env("CI_JOB_TOKEN", "secret")
        .env("NODE_AUTH_TOKEN", "secret");
    let said = Said::from(shell.output().unwrap());
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(seen.contains("OPENSSL_CONF=/dev/null") && seen.contains("PATH="), "{seen}");
    assert!(seen.contains("\ncached\n"), "a library can keep no cache: {seen}");
    let leaked = seen.lines().filter(|line| line.contains("secret") || line.contains(" 77 -> "));
    assert_eq!(leaked.collect::<Vec<_>>(), [""; 0], "{seen}");
    assert!(seen.ends_with("0\n500\n1048576\n"), "no core dump, descriptors, a GiB: {seen}");
}

/// Cargo obeys `.cargo/config.toml` of the folder in which it runs, and runs the programs that it
/// names.
#[test]
fn builds_run_in_folders_of_cupel() {
    use std::os::unix::fs::PermissionsExt;
    let (home, elsewhere) = (home(), tempfile::tempdir().unwrap());
    for folder in ["rust", "bin"] {
        std::fs::create_dir(home.path(folder)).unwrap();
    }
    home.write("rust/Cargo.toml", "[package]\nname = \"p\"\n");
    home.write("bin/cargo", format!("#!/bin/sh\npwd >{}\nexit 1\n", home.path("seen").display()));
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(home.path("bin/cargo"), executable).unwrap();
    let text =
        "runner = \"rust\"\nprefix = \"r\"\nmanifest = \"rust/Cargo.toml\"\npackage = \"p\"\n";
    home.write("contenders/r.toml", text);
    let path = std::env::var("PATH").unwrap();
    let mut command = home.command();
    command.env("PATH", format!("{}:{path}", home.path("bin").display()));
    let said =
        Said::from(command.current_dir(elsewhere.path()).args(["verify", "r/*"]).output().unwrap());
    let seen = std::fs::read_to_string(home.path("seen")).unwrap_or_default();
    let expected = home.path("rust").canonicalize().unwrap();
    assert_eq!(Path::new(seen.trim()), expected, "{}{}", said.out, said.err);
}

/// Whoever made the folder could otherwise end each command, or the machine, before any question.
#[test]
fn what_cannot_be_a_file_of_contenders_is_refused_at_once() {
    use std::os::unix::fs::symlink;
    let home = home();
    let at = |name: &str| home.path(name);
    let own = at("contenders/own.toml");
    let mut many = "runner = \"program\"\nprefix = \"own\"\ncommand = [\"x\"]\n".to_string();
    for number in 0..20_000 {
        many += &format!("[[contender]]\nname = \"x{number}\"\noffers = [\"sha256:digest\"]\n");
    }
    let pipe = |path: &Path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    for (what, make) in [
        ("no regular file", &(|| symlink("/dev/zero", &own).unwrap()) as &dyn Fn()),
        ("no regular file", &|| pipe(&own)),
        ("is larger than 4 MiB", &|| std::fs::write(&own, vec![b'#'; 5 << 20]).unwrap()),
        ("at most 256 contenders", &|| std::fs::write(&own, &many).unwrap()),
    ] {
        let _ = std::fs::remove_file(&own);
        make();
        for arguments in [&["list"][..], &["verify", "own/x"], &["doctor"]] {
            let said = home.cupel(arguments);
            let text = format!("{}{}", said.out, said.err);
            assert!(text.contains(what), "{arguments:?}: no \"{what}\" in: {text}");
        }
    }
    std::fs::remove_file(&own).unwrap();
    for name in ["mix", "suites/z.toml"] {
        symlink("/dev/zero", at(name)).unwrap();
    }
    let mix = at("mix").display().to_string();
    for (arguments, what) in [
        (&["advise", "--mix", &mix][..], "no regular file"),
        (&["import", &mix], "no regular file"),
        (&["run", "z"], "there is no suite z"),
    ] {
        let said = home.cupel(arguments);
        assert_eq!(said.status, Some(3), "{arguments:?}: {}", said.out);
        assert!(said.err.contains(what), "{arguments:?}: {}", said.err);
    }
    // A source that never ends, or never begins.
    for name in ["zero.c", "pipe.c"] {
        let source = at(name);
        if name == "zero.c" {
            symlink("/dev/zero", &source).unwrap()
        } else {
            pipe(&source)
        }
        let text = format!(
            "runner = \"native\"\nprefix = \"own\"\nsource = {source:?}\n[[contender]]\n\
             name = \"x\"\noffers = [\"sha256:digest\"]\n"
        );
        home.write("contenders/own.toml", text);
        let said = home.cupel(&["list"]);
        let text = format!("{}{}", said.out, said.err);
        assert!(text.contains("no regular file") || said.status == Some(0), "{text}");
    }
}

#[test]
fn a_store_that_runners_can_change_is_said_once_and_refused_in_a_pipeline() {
    let home = home();
    home.suite("[64]", "");
    if cupel_machine::open_to_sandboxed().is_empty() {
        return;
    }
    std::fs::remove_file(home.path("config/exposed")).unwrap();
    let reach = "is below /tmp, where any runner may change it";
    let first = home.cupel(&["run", "q"]);
    assert_eq!(first.err.matches(reach).count(), 2, "the store and the cache: {}", first.err);
    let second = home.cupel(&["run", "q"]);
    assert!(!second.err.contains(reach), "{}", second.err);
    let said = Said::from(home.command().env("CI", "true").args(["run", "q"]).output().unwrap());
    assert_eq!(said.status, Some(3), "{}", said.out);
    assert!(said.err.contains(reach) && said.err.contains("--store"), "{}", said.err);
}
