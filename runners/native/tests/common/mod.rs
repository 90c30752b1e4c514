//! A runner process behind two pipes, and objects for it, built as the family files say.
#![allow(dead_code, reason = "each test program uses its part")]

use cupel_protocol::message::{Answer, Ask, Case, Compute, Computed, Input, List, Outcome};
use cupel_protocol::message::{Listed, Prepare, Prepared, Reply, Request, Slice, Sliced};
use cupel_protocol::workload::{Contract, Key, Operation};
use cupel_protocol::{PROTOCOL, line};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A running runner.
pub struct Runner {
    process: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    id: u64,
}

impl Runner {
    /// Starts the runner on these objects and greets it.
    pub fn start(objects: &[impl AsRef<OsStr>]) -> Runner {
        Runner::start_in(Path::new("."), objects)
    }

    /// Starts the runner as the tool does for this contender: with its environment.
    pub fn start_for(contender: &Contender, object: &Path) -> Runner {
        Runner::start_with(Path::new("."), &[object], &contender.environment)
    }

    /// Starts the runner in this folder.
    pub fn start_in(folder: &Path, objects: &[impl AsRef<OsStr>]) -> Runner {
        Runner::start_with(folder, objects, &BTreeMap::new())
    }

    /// Starts the runner with these variables.
    pub fn start_with(
        folder: &Path,
        objects: &[impl AsRef<OsStr>],
        environment: &BTreeMap<String, String>,
    ) -> Runner {
        let mut process = Command::new(env!("CARGO_BIN_EXE_cupel-runner-native"))
            .args(objects)
            .current_dir(folder)
            .envs(environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the runner starts");
        let to = process.stdin.take();
        let from = BufReader::new(process.stdout.take().expect("piped"));
        let mut runner = Runner { process, to, from, id: 0 };
        let hello = Ask::Hello { protocol: PROTOCOL, tool: "test".to_string() };
        let hello: cupel_protocol::message::Hello = ok(runner.ask(hello));
        assert_eq!(hello.runner, "native");
        runner
    }

    /// Sends one request and returns the outcome of its reply.
    pub fn ask<T: DeserializeOwned>(&mut self, ask: Ask) -> Outcome<T> {
        self.id += 1;
        let to = self.to.as_mut().expect("not ended");
        line::write(to, &Request { id: self.id, ask }).expect("the runner reads");
        let mut bytes = Vec::new();
        line::read(&mut self.from, &mut bytes).expect("the runner answers");
        let reply: Reply<T> = line::parse(&bytes).expect("the answer is a reply");
        assert_eq!(reply.id, self.id);
        reply.outcome
    }

    /// The mappings of its code that lie in pages which other processes share.
    #[cfg(target_os = "linux")]
    pub fn shared_code(&self) -> Vec<String> {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.process.id())).unwrap();
        let shared = |line: &&str| line.contains(" r-xp ") && line.contains(" /");
        maps.lines().filter(shared).map(str::to_string).collect()
    }

    /// Everything that it lists.
    pub fn list(&mut self) -> Vec<Listed> {
        ok::<List>(self.ask(Ask::List)).contenders
    }

    /// The outputs for these cases.
    pub fn compute(&mut self, of: &Subject, cases: Vec<Case>) -> Vec<Answer> {
        self.compute_under(&of.contract(), of, cases)
    }

    /// The outputs for these cases under another contract.
    pub fn compute_under(
        &mut self,
        contract: &Contract,
        of: &Subject,
        cases: Vec<Case>,
    ) -> Vec<Answer> {
        let asked = cases.len();
        let answers = ok::<Computed>(self.ask(Ask::Compute(Compute {
            contender: of.contender.clone(),
            primitive: of.primitive.clone(),
            operation: of.operation,
            contract: contract.clone(),
            cases,
        })))
        .answers;
        assert_eq!(answers.len(), asked);
        answers
    }

    /// The output of one case.
    pub fn output(&mut self, of: &Subject, case: Case) -> Vec<u8> {
        match self.compute(of, vec![case]).remove(0) {
            Answer::Output(output) => output,
            other => panic!("{of:?}: {other:?}"),
        }
    }

    /// Prepares a cell.
    pub fn prepare(&mut self, ask: Prepare) -> Outcome<Prepared> {
        self.ask(Ask::Prepare(ask))
    }

    /// Runs a slice.
    pub fn slice(&mut self, ask: Slice) -> Outcome<Sliced> {
        self.ask(Ask::Slice(ask))
    }

    /// Ends the runner and returns its stderr.
    pub fn end(mut self) -> String {
        drop(self.to.take());
        let mut log = String::new();
        self.process.stderr.take().expect("piped").read_to_string(&mut log).expect("UTF-8");
        assert!(self.process.wait().expect("it ends").success(), "{log}");
        log
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        drop(self.to.take());
        let _ = self.process.wait();
    }
}

/// The content of an `ok`.
pub fn ok<T>(outcome: Outcome<T>) -> T {
    match outcome {
        Outcome::Ok(content) => content,
        Outcome::Unsupported(r) => panic!("unsupported: {}", r.reason),
        Outcome::Missing(r) => panic!("missing: {}", r.reason),
        Outcome::Failed(r) => panic!("failed: {}", r.reason),
    }
}

/// One offer of a contender, with the key prepared or given per call.
#[derive(Clone, Debug)]
pub struct Subject {
    pub contender: String,
    pub primitive: String,
    pub operation: Operation,
    pub key: Key,
}

impl Subject {
    pub fn contract(&self) -> Contract {
        Contract { key: self.key, ..Contract::usual(self.operation) }
    }
}

/// A case with nothing but a message.
pub fn case(input: impl Into<Vec<u8>>) -> Case {
    Case {
        input: Input::Hex(input.into()),
        key: vec![],
        nonce: vec![],
        ad: vec![],
        offset: 0,
        chunks: vec![],
        lengths: vec![],
    }
}

/// A file of `contenders/`.
#[derive(Deserialize)]
pub struct Family {
    pub runner: String,
    source: String,
    cflags: Vec<String>,
    #[serde(default)]
    pkg_config: Vec<String>,
    #[serde(default)]
    libs: Vec<String>,
    missing: Missing,
    pub contender: Vec<Contender>,
}

#[derive(Deserialize)]
struct Missing {
    reason: String,
    remedy: String,
}

/// The entry of a contender in a family file.
#[derive(Deserialize)]
pub struct Contender {
    pub name: String,
    // A contender that another hosts has them from its host.
    #[serde(default)]
    pub library: String,
    #[serde(default)]
    pub licence: String,
    pub summary: String,
    pub offers: Vec<String>,
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The contender of the object that this is, in another environment.
    pub hosted_as: Option<String>,
}

/// The families of `contenders/` that are one file in `runners/native/contenders/`, but for
/// `empty`. (`kernels/tests/run` tests families of several units.) The environment variable
/// `CUPEL_TEST_WITHOUT` names the ones that are not installed, so that leaving one out is a
/// decision and not an accident.
pub fn families() -> Vec<String> {
    let without = std::env::var("CUPEL_TEST_WITHOUT").unwrap_or_default();
    let files = std::fs::read_dir(root().join("contenders")).expect("the family files");
    let mut names: Vec<String> = files
        .map(|file| file.expect("a family file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .filter(|path| {
            let text = std::fs::read_to_string(path).expect("a family file");
            let family: toml::Table =
                text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let source = family.get("source").and_then(toml::Value::as_str).unwrap_or_default();
            source.starts_with("runners/native/contenders/") && !family.contains_key("unit")
        })
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .filter(|name| name != "empty" && !without.split(',').any(|w| w == name))
        .collect();
    names.sort();
    names
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Family {
    /// Reads a family with the contenders that its object lists.
    pub fn read(name: &str) -> Family {
        let path = root().join(format!("contenders/{name}.toml"));
        let text = std::fs::read_to_string(&path).expect("a family file");
        let mut family: Family =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        family.contender.retain(|contender| contender.hosted_as.is_none());
        family
    }

    /// Builds the family's object.
    pub fn build(&self) -> PathBuf {
        let mut flags = self.cflags.clone();
        flags.extend(self.libs.iter().cloned());
        if !self.pkg_config.is_empty() {
            let printed = output(
                Command::new("pkg-config").args(["--cflags", "--libs"]).args(&self.pkg_config),
            );
            let printed = printed.unwrap_or_else(|e| panic!("{}\n{e}", self.absence()));
            flags.extend(printed.split_whitespace().map(String::from));
        }
        let source = root().join(&self.source);
        let stem = source.file_stem().expect("a file name").to_string_lossy();
        build(&stem, &source, &flags).unwrap_or_else(|e| panic!("{}\n{e}", self.absence()))
    }

    fn absence(&self) -> String {
        format!("{}: {}, or set CUPEL_TEST_WITHOUT", self.missing.reason, self.missing.remedy)
    }
}

/// Builds a shared object in a new folder. A warning is an error.
pub fn build(name: &str, source: &Path, flags: &[String]) -> Result<PathBuf, String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "{}-{}-{count}",
        env!("CARGO_CRATE_NAME"),
        std::process::id()
    ));
    std::fs::create_dir_all(&folder).expect("a folder for the object");
    let object = folder.join(format!("{name}.so"));
    let standard = if source.extension().is_some_and(|e| e == "cc") { "c++17" } else { "c11" };
    output(
        Command::new("cc")
            .arg(format!("-std={standard}"))
            .args("-fPIC -shared -Wall -Wextra -Wpedantic -Wconversion -Werror".split(' '))
            .arg("-I")
            .arg(root().join("protocol"))
            .arg("-o")
            .arg(&object)
            .arg(source)
            .args(flags),
    )?;
    Ok(object)
}

fn output(command: &mut Command) -> Result<String, String> {
    let done = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if !done.status.success() {
        return Err(format!("{command:?}\n{}", String::from_utf8_lossy(&done.stderr)));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}
