//! A separate home for each test: scripted contenders, suites, cache and store.

use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::time::Duration;
use tempfile::TempDir;

/// The program under test.
pub const CUPEL: &str = env!("CARGO_BIN_EXE_cupel");

/// Longer than any run takes on a busy machine; ends a hang.
pub const WATCHDOG: Duration = Duration::from_secs(600);

/// The scripted runner next to the program under test. Cargo builds only this package's programs
/// for its tests, so the other is built here. As a program of the workspace: of its package alone,
/// dependencies have other features and are built again.
pub fn sham() -> &'static Path {
    static SHAM: OnceLock<PathBuf> = OnceLock::new();
    SHAM.get_or_init(|| {
        let folder = Path::new(CUPEL).parent().expect("a program is in a folder");
        let profile = match folder.file_name().and_then(|name| name.to_str()) {
            Some("debug") | None => "dev",
            Some(other) => other,
        };
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["build", "--quiet", "--workspace", "--bin", "cupel-sham", "--profile", profile])
            .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
            .env("CARGO_TARGET_DIR", folder.parent().expect("the target folder"));
        assert!(cargo.status().expect("cargo starts").success(), "cupel-sham does not build");
        folder.join("cupel-sham")
    })
}

/// A folder with `contenders/` and `suites/`, and with space for cache and store.
pub struct Home(TempDir);

impl Home {
    /// Without contenders.
    pub fn empty() -> Home {
        let home = Home(tempfile::tempdir().expect("a temporary folder"));
        for folder in ["contenders", "suites", "config"] {
            std::fs::create_dir(home.path(folder)).unwrap();
        }
        // Homes of tests lie where runners write.
        let known = [home.store(), home.path("cache")].map(|path| path.display().to_string());
        home.write("config/exposed", known.join("\n") + "\n");
        home
    }

    /// With one family of these contenders, in a quiet world.
    pub fn with(contenders: Value) -> Home {
        let home = Home::empty();
        home.family(
            "sham",
            &json!({ "seed": 7, "world": { "noise_sd": 0.003 }, "contenders": contenders }),
            "",
        );
        home
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn store(&self) -> PathBuf {
        self.path("runs.sqlite")
    }

    /// Adds a family of contenders that one script describes; `declared` is additional TOML. Every
    /// line that the tool sends to its runners is kept (see [`Home::asked`]).
    pub fn family(&self, name: &str, script: &Value, declared: &str) {
        let file = self.path(&format!("{name}.json"));
        std::fs::write(&file, script.to_string()).unwrap();
        let line = format!(
            "exec {} --script {} --clock {}",
            sham().display(),
            file.display(),
            self.path("clock").display()
        );
        let command = ["/bin/sh", "-c", &line];
        let command: Vec<String> = command.iter().map(|c| format!("{c:?}")).collect();
        let text = format!(
            "runner = \"program\"\nprefix = \"{name}\"\ncommand = [{}]\n{declared}",
            command.join(", ")
        );
        self.write(&format!("contenders/{name}.toml"), &text);
    }

    /// Makes a family's runner record every request that it gets.
    pub fn overhear(&self, name: &str) {
        let path = self.path(&format!("contenders/{name}.toml"));
        let text = std::fs::read_to_string(&path).unwrap();
        // Each process has its own file: lines may be longer than a write that is appended whole.
        let tee = format!("tee {}.$$ | ", self.path("asked").display());
        std::fs::write(path, text.replace("exec ", &tee)).unwrap();
    }

    /// The requests that runners were sent, each process's in their order.
    pub fn requests(&self) -> Vec<Value> {
        let files = std::fs::read_dir(self.path("")).unwrap().map(|entry| entry.unwrap().path());
        let asked = files.filter(|file| file.file_stem().is_some_and(|stem| stem == "asked"));
        let texts: Vec<String> = asked.map(|file| std::fs::read_to_string(file).unwrap()).collect();
        // A process that was ended while it got a request has read no whole last line.
        let whole = texts.iter().flat_map(|text| text.split_inclusive('\n'));
        let whole = whole.filter(|line| line.ends_with('\n'));
        whole.map(|line| serde_json::from_str(line).expect("a request")).collect()
    }

    /// Their kinds.
    pub fn asked(&self) -> Vec<String> {
        let kind = |request: Value| request["ask"].as_str().unwrap_or_default().to_string();
        self.requests().into_iter().map(kind).collect()
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// A suite of SipHash-2-4 with these sizes, measured for a short (simulated) time.
    pub fn suite(&self, sizes: &str, more: &str) {
        let text = format!(
            "question = \"Which is the fastest?\"\nforks = 3\nbudget = \"1s\"\n\n\
             [[workload]]\nprimitive = \"siphash-2-4\"\nsizes = {sizes}\n{more}\n"
        );
        self.write("suites/q.toml", text);
    }

    /// The command in this home.
    pub fn command(&self) -> Command {
        let mut command = Command::new(CUPEL);
        self.set_up(&mut command);
        command
    }

    /// Gives a command that starts Cupel this home, and nothing of the developer's or of a
    /// pipeline.
    pub fn set_up(&self, command: &mut Command) {
        command
            .env("CUPEL_HOME", self.path(""))
            .env("CUPEL_CACHE", self.path("cache"))
            .env("CUPEL_STORE", self.store())
            .env("CUPEL_TRUST", "1")
            // Not the developer's configuration.
            .env("CUPEL_CONFIG", self.path("config"))
            .env_remove("CI")
            .env_remove("COLUMNS");
    }

    /// A command in its own namespace of mounts; its arguments follow.
    #[cfg(target_os = "linux")]
    fn apart() -> Command {
        let mut unshare = Command::new("unshare");
        unshare.args(["--map-root-user", "--mount"]);
        unshare
    }

    /// The command in this home where a file of the home lies over one of the system; `None`, with
    /// a word, if no namespace of mounts may be made here.
    #[cfg(target_os = "linux")]
    pub fn command_over(&self, own: &str, system: &str) -> Option<Command> {
        if !Home::apart().arg("true").status().is_ok_and(|status| status.success()) {
            let text =
                format!("SKIPPED: a test with another {system}, as no namespace may be made\n");
            std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes()).unwrap();
            return None;
        }
        let mount = "mount --bind \"$0\" \"$1\" && shift && exec \"$@\"";
        let mut command = Home::apart();
        command.args(["sh", "-c", mount]).arg(self.path(own)).args([system, CUPEL]);
        self.set_up(&mut command);
        Some(command)
    }

    /// Runs the command with a watchdog. A new run always has the same seed.
    pub fn cupel(&self, arguments: &[&str]) -> Said {
        let mut command = assert_cmd::Command::from_std(self.command());
        if let Some(verb @ ("run" | "gate")) = arguments.first().copied()
            && !arguments.contains(&"--resume")
        {
            command.args([verb, "--seed", "1"]);
        } else {
            command.args(arguments.first());
        }
        let arguments = &arguments[1..];
        Said::from(command.args(arguments).timeout(WATCHDOG).output().expect("cupel starts"))
    }

    /// Runs the suite `q` and reads its rows. The caller judges the status.
    pub fn run(&self, more: &[&str]) -> (Option<i32>, Cells, String) {
        let said = self.cupel(&[&["run", "q", "--format", "json"], more].concat());
        assert!(said.out.starts_with('{'), "no JSON: {} {}", said.out, said.err);
        (said.status, Cells::parse(&said.out), said.err)
    }

    /// Gives it the runs that `measure` makes in the first home of its kind: the others get a copy
    /// of that store. No run in it can be resumed elsewhere, because its contenders are in that
    /// home.
    pub fn measured_once(self, stored: &OnceLock<Vec<u8>>, measure: impl FnOnce(&Home)) -> Home {
        let first = || {
            measure(&self);
            std::fs::read(self.store()).expect("the store")
        };
        std::fs::write(self.store(), stored.get_or_init(first)).unwrap();
        self
    }

    /// The store as it is.
    pub fn database(&self) -> Connection {
        let database = Connection::open(self.store()).expect("the store");
        database.busy_timeout(Duration::from_secs(10)).unwrap();
        database
    }

    /// Changes rows of finished runs by an SQL statement, as the tool itself never does, and
    /// forgets the results computed from them.
    pub fn change(&self, sql: &str) {
        let database = self.database();
        assert!(database.execute(sql, []).unwrap() > 0, "{sql}");
        database.execute("delete from remembered", []).unwrap();
    }

    /// A number that an SQL statement finds in the store; 0 if there is no store or no such table.
    pub fn count(&self, sql: &str) -> i64 {
        self.database().query_row(sql, [], |row| row.get(0)).unwrap_or(0)
    }
}

/// The output of the command and how it ended.
#[derive(Debug)]
pub struct Said {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Said {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        let said = Said {
            status: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        };
        assert!(!said.err.contains("panicked"), "a panic: {}", said.err);
        said
    }
}

/// The rows of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells(pub Vec<Value>);

impl Cells {
    pub fn parse(json: &str) -> Cells {
        let document: Value = serde_json::from_str(json).expect("JSON");
        Cells(document["cells"].as_array().expect("cells").clone())
    }

    /// All rows of a contender.
    pub fn all(&self, contender: &str) -> Vec<&Value> {
        self.0.iter().filter(|row| row["contender"] == contender).collect()
    }

    /// The row of a contender in a suite of one comparison.
    pub fn of_contender(&self, contender: &str) -> &Value {
        match self.all(contender)[..] {
            [row] => row,
            ref rows => panic!("{} rows of {contender} in {:#?}", rows.len(), self.0),
        }
    }

    pub fn verdict(&self, contender: &str) -> &str {
        self.of_contender(contender)["verdict"].as_str().expect("a verdict")
    }

    pub fn reason(&self, contender: &str) -> &str {
        self.of_contender(contender)["reason"].as_str().unwrap_or_default()
    }
}

/// A number of a row.
pub fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or_else(|| panic!("no number {name} in {row:#}"))
}

/// The children of a process whose command line names this file.
pub fn children(parent: u32, file: &str) -> Vec<i32> {
    let text = std::fs::read_dir("/proc").expect("/proc").flatten().filter_map(|entry| {
        let id: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let of: u32 = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        let command = std::fs::read(entry.path().join("cmdline")).ok()?;
        (of == parent && String::from_utf8_lossy(&command).contains(file)).then_some(id)
    });
    text.collect()
}

/// A field of a document, which must have it: of a misspelt one, an index says that it is null.
#[track_caller]
pub fn value_of<'a>(document: &'a Value, key: &str) -> &'a Value {
    document.get(key).unwrap_or_else(|| panic!("no {key} in {document:#}"))
}
