//! The runners in Go, Node.js and Python: each speaks the protocol and lists its family's declared
//! contenders. They and those in C, Rust and Java are caught when one bit of one size is wrong. The
//! tests that build a runner need its language: `make test-languages` runs them.

use cupel_base::home::Home;
use cupel_contender::Family;
use cupel_toolchain::Wanted;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[path = "../../questions/conform/tests/languages.rs"]
mod conform;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A family of the checkout, and its runner's command line, built if needed.
fn built(name: &str) -> (Family, Vec<OsString>) {
    let cache = tempfile::tempdir().unwrap();
    let home =
        Home { root: root(), own: vec![], cache: cache.path().into(), store: cache.path().into() };
    let families = cupel_contender::families(&home).unwrap();
    let family = families.into_iter().find(|family| family.name == name).expect("its file");
    let [built] = &cupel_toolchain::ready(&home, &family, &Wanted::plain(true), &|_| {})[..] else {
        panic!("one runner");
    };
    let command = built.command.clone().unwrap_or_else(|absent| panic!("{name}: {absent:?}"));
    (family, command)
}

/// The family's file repeats the runner's list: the tool needs it where the runner cannot be built.
#[track_caller]
fn lists_what_is_declared(name: &str) {
    let (family, command) = built(name);
    let (_, listed) = cupel_toolchain::ask(&command, true).unwrap();
    let listed: Vec<_> =
        listed.into_iter().map(|c| (c.name, c.library, c.licence, c.summary, c.offers)).collect();
    let declared: Vec<_> = family
        .contenders
        .into_iter()
        // The runner lists the contender that hosts it, in an environment that it does not know.
        .filter(|c| c.hosted_as.is_none())
        .map(|c| (c.name, c.library, c.licence, c.summary, c.offers))
        .collect();
    assert_eq!(listed, declared, "the runner, and {}", family.path.display());
}

/// A home with a family's file and a copy of its sources.
struct Copy(tempfile::TempDir);

impl Copy {
    fn sources_of(name: &str) -> Copy {
        Copy::with(name, &[&format!("runners/{name}")])
    }

    /// With these files and folders of the checkout.
    fn with(family: &str, sources: &[&str]) -> Copy {
        let folder = tempfile::tempdir().unwrap();
        for made in ["contenders", "suites"] {
            fs::create_dir(folder.path().join(made)).unwrap();
        }
        for path in [&[&*format!("contenders/{family}.toml")], sources].concat() {
            let (from, to) = (root().join(path), folder.path().join(path));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            if from.is_file() {
                fs::copy(from, to).unwrap();
            } else {
                copy(&from, &to);
            }
        }
        Copy(folder)
    }

    fn replace(&self, file: &str, from: &str, to: &str) {
        let path = self.0.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    }

    fn cupel(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cupel"));
        command
            .args(arguments)
            .env("CUPEL_HOME", self.0.path())
            .env("CUPEL_CACHE", self.0.path().join("cache"))
            .env("CUPEL_STORE", self.0.path().join("runs.sqlite"))
            .env("COLUMNS", "200");
        command
    }
}

/// A home with a family's file, a copy of its sources, and one of the kernels.
fn with_kernels(name: &str) -> Copy {
    let home = Copy::sources_of(name);
    for folder in ["kernels/include", "kernels/src"] {
        copy(&root().join(folder), &home.0.path().join(folder));
    }
    home
}

/// Copies the sources of a runner, without builds.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_file() {
            fs::copy(path, to.join(name)).unwrap();
        } else if name != "target" && name != "__pycache__" {
            copy(&path, &to.join(name));
        }
    }
}

fn words(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

/// Verifies a contender of a changed runner, which must be reported as wrong for messages of 111
/// bytes. `file` and the texts name the change.
#[track_caller]
fn is_caught(runner: &str, contender: &str, file: &str, from: &str, to: &str) {
    is_caught_in(
        &Copy::sources_of(runner),
        contender,
        &format!("runners/{runner}/{file}"),
        from,
        to,
    );
}

/// The same for a copy. If a contender's name ends in `@`, every toolchain is verified.
#[track_caller]
fn is_caught_in(home: &Copy, contender: &str, file: &str, from: &str, to: &str) {
    home.replace(file, from, to);
    let pattern = if contender.ends_with('@') { format!("{contender}*") } else { contender.into() };
    let output = home.cupel(&["verify", &pattern]).output().unwrap();
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("sha256 digest of 111 bytes"), "{said}");
    // Only that primitive is wrong, and so the runner works.
    let correct = format!("correct  {contender}");
    let works = |l: &str| l.starts_with(&correct) && l.contains(" sha512 digest");
    assert!(said.lines().any(works), "{said}");
}

#[test]
#[ignore = "needs Go: make test-languages"]
fn the_go_runner_lists_what_is_declared() {
    lists_what_is_declared("go");
}

#[test]
#[ignore = "needs Node.js: make test-languages"]
fn the_node_runner_lists_what_is_declared() {
    lists_what_is_declared("node");
}

#[test]
#[ignore = "needs Python: make test-languages"]
fn the_python_runner_lists_what_is_declared() {
    lists_what_is_declared("python");
}

/// No code of a process that has prepared a cell lies in pages that other processes share.
#[track_caller]
#[cfg(target_os = "linux")]
fn moves_its_code(name: &str, contender: &str) {
    use cupel_protocol::line;
    let (_, command) = built(name);
    let mut runner = Command::new(&command[0])
        .args(&command[1..])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let (mut to, from) = (runner.stdin.take().unwrap(), runner.stdout.take().unwrap());
    let mut from = std::io::BufReader::new(from);
    let contract = json!({ "key": "none", "nonce": "none", "output": "given", "inputs": "hot" });
    let workload = json!({
        "primitive": "sha256", "operation": "digest", "size": 64, "contract": contract,
        "shape": "throughput",
    });
    for ask in [
        json!({ "id": 1, "ask": "hello", "protocol": 1, "tool": "test" }),
        json!({
            "id": 2, "ask": "prepare", "cell": 0, "contender": contender, "workload": workload,
            "seed": 1, "pool": 2, "offset": 0,
        }),
        json!({ "id": 3, "ask": "slice", "cell": 0, "first": 0, "preroll": 1, "iterations": 5 }),
    ] {
        line::write(&mut to, &ask).unwrap();
        let mut bytes = Vec::new();
        line::read(&mut from, &mut bytes).unwrap();
        let reply: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(reply["status"], "ok", "{ask}: {reply}");
    }
    let maps = fs::read_to_string(format!("/proc/{}/maps", runner.id())).unwrap();
    let shared: Vec<&str> =
        maps.lines().filter(|line| line.contains(" r-xp ") && line.contains(" /")).collect();
    assert_eq!(shared, Vec::<&str>::new());
    drop(to);
    runner.wait().unwrap();
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "needs Go: make test-languages"]
fn the_go_runner_moves_its_code() {
    moves_its_code("go", "std");
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "needs Python: make test-languages"]
fn the_python_runner_moves_its_code() {
    moves_its_code("python", "cryptography");
}

#[test]
#[ignore = "needs Go: make test-languages"]
fn one_wrong_bit_in_go_is_caught() {
    let sum = "sum := sha256.Sum256(input)";
    let wrong = format!("{sum}\nif len(input) == 111 {{\nsum[5] ^= 4\n}}");
    is_caught("go", "go/std", "std.go", sum, &wrong);
}

#[test]
#[ignore = "needs Node.js: make test-languages"]
fn one_wrong_bit_in_node_is_caught() {
    let call = "return (input) => crypto.hash(name, input, 'buffer');";
    let wrong = "return (input) => {
        const output = crypto.hash(name, input, 'buffer');
        if (primitive === 'sha256' && input.length === 111) output[5] ^= 4;
        return output;
    };";
    is_caught("node", "node/crypto-hash", "crypto.mjs", call, wrong);
}

#[test]
#[ignore = "needs Python: make test-languages"]
fn one_wrong_bit_in_python_is_caught() {
    let call = "return lambda message: new(message).digest()";
    let wrong = "wrong = lambda message: 4 << 208 if len(message) == 111 and new().name == 'sha256' else 0
    return lambda message: (int.from_bytes(new(message).digest(), 'big') ^ wrong(message)).to_bytes(new().digest_size, 'big')";
    is_caught("python", "python/hashlib", "hosts/std.py", call, wrong);
}

/// Verifies a contender whose prepared object takes every tag once it has opened a message.
#[track_caller]
fn a_tag_after_an_opened_message_is_checked(
    runner: &str,
    contender: &str,
    file: &str,
    changes: &[(&str, &str)],
) {
    let home = Copy::sources_of(runner);
    for (from, to) in changes {
        home.replace(&format!("runners/{runner}/{file}"), from, to);
    }
    let output = home.cupel(&["verify", contender]).output().unwrap();
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("and then the same one with a forged tag"), "{said}");
}

#[test]
#[ignore = "needs Go: make test-languages"]
fn a_tag_is_checked_after_an_opened_message_in_go() {
    let changes = [
        ("func open(made", "var opened = map[cipher.AEAD]bool{}\n\nfunc open(made"),
        (
            "if err != nil {\n\t\treturn nil, errRefused",
            "if err != nil && opened[made] {\n\t\treturn input[:0], nil\n\t}\n\topened[made] = err == nil\n\tif err != nil {\n\t\treturn nil, errRefused",
        ),
    ];
    a_tag_after_an_opened_message_is_checked("go", "go/std", "aead.go", &changes);
}

#[test]
#[ignore = "needs Node.js: make test-languages"]
fn a_tag_is_checked_after_an_opened_message_in_node() {
    let changes = [
        (
            "const lengths = NONCES[name];\n    return (input, nonce) => {\n        check(nonce, lengths);\n        if (input.length < TAG) throw",
            "const lengths = NONCES[name];\n    let opened = false;\n    return (input, nonce) => {\n        check(nonce, lengths);\n        if (input.length < TAG) throw",
        ),
        (
            "        } catch {\n            throw new NotAuthentic();\n        }\n        return",
            "        } catch {\n            if (opened) return first;\n            throw new NotAuthentic();\n        }\n        opened = true;\n        return",
        ),
    ];
    a_tag_after_an_opened_message_is_checked("node", "node/crypto", "crypto.mjs", &changes);
}

#[test]
#[ignore = "needs Python: make test-languages"]
fn a_tag_is_checked_after_an_opened_message_in_python() {
    let changes = [(
        "    def open_(message, nonce):\n        try:\n            return kept.decrypt(nonce, message, ad)\n        except InvalidTag:\n",
        "    known = []\n\n    def open_(message, nonce):\n        try:\n            known.append(kept.decrypt(nonce, message, ad))\n            return known[-1]\n        except InvalidTag:\n            if known:\n                return known[-1]\n",
    )];
    let file = "hosts/pyca.py";
    a_tag_after_an_opened_message_is_checked("python", "python/cryptography", file, &changes);
}

/// The replies of a runner to `prepare` and to `compute`, in environments that its user may have.
#[track_caller]
fn prepared_and_computed(
    command: &[OsString],
    environment: &[(&str, &str)],
    (contender, primitive, operation): (&str, &str, &str),
    contract: &Value,
) -> [Value; 2] {
    let key = "00".repeat(32);
    let hello = json!({"id": 1, "ask": "hello", "protocol": 1});
    let workload = json!({"primitive": primitive, "operation": operation, "size": 16,
                          "contract": contract, "shape": "throughput"});
    let prepare = json!({"id": 2, "ask": "prepare", "cell": 0, "contender": contender,
                         "workload": workload, "seed": 1, "pool": 1, "key": key});
    let cases = [json!({"input": {"hex": "00"}, "key": key, "nonce": "00".repeat(12)})];
    let compute = json!({"id": 3, "ask": "compute", "contender": contender, "contract": contract,
                         "primitive": primitive, "operation": operation, "cases": cases});
    let mut runner = assert_cmd::Command::new(&command[0]);
    runner.args(&command[1..]).envs(environment.iter().copied());
    let output = runner.write_stdin(format!("{hello}\n{prepare}\n{compute}\n")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let replies: Vec<Value> =
        said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [_, prepared, computed] = &replies[..] else { panic!("{}", words(&output)) };
    [prepared.clone(), computed.clone()]
}

/// A function that an older Go lacks is not a wrong answer: neither to verification nor to
/// measurement. This Go takes the files for one before 1.24.
#[test]
#[ignore = "needs Go: make test-languages"]
fn what_an_older_go_lacks_is_missing() {
    let home = Copy::sources_of("go");
    for file in ["sha3.go", "sha3_before.go", "fips.go", "fips_before.go"] {
        home.replace(&format!("runners/go/{file}"), "go1.24", "go1.99");
    }
    let output =
        home.cupel(&["verify", "go/std", "go/std-reused", "go/std-fips"]).output().unwrap();
    let said = words(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let sha3 = "Go has crypto/sha3 from version 1.24 on";
    let fips = "Go has its FIPS 140-3 module from version 1.24 on";
    for (what, why) in [
        ("go/std sha3-256 digest and shake128 digest", sha3),
        ("go/std-reused sha3-256 digest and shake128 digest", sha3),
        ("go/std-fips sha256 digest, sha512 digest and 7 more", fips),
    ] {
        assert!(said.contains(&format!("missing  {what}: {why}")), "{said}");
    }
    assert!(said.contains("correct  go/std sha256 digest"), "{said}");
    let runner = home.0.path().join("runners/go/target/cupel-runner-go");
    for (primitive, godebug) in [("sha3-256", ""), ("sha256", "fips140=on")] {
        let (command, environment) = ([runner.clone().into_os_string()], [("GODEBUG", godebug)]);
        let asked = ("std", primitive, "digest");
        for reply in prepared_and_computed(&command, &environment, asked, &json!({})) {
            assert_eq!(reply["status"], "missing", "{reply}");
            let remedy = reply["remedy"].as_str().unwrap();
            assert!(remedy.starts_with("cupel install go"), "{reply}");
        }
    }
}

/// OpenSSL in a mode of which no provider here is approved, so that it refuses every algorithm, as
/// it refuses some in FIPS mode. Without random numbers, Node.js would not start.
const ALL_REFUSED: &str = "
nodejs_conf = conf
openssl_conf = conf
[conf]
alg_section = algorithms
random = random
[algorithms]
default_properties = fips=yes
[random]
properties = -fips
seed_properties = -fips
";

/// A primitive that OpenSSL refuses is missing, to verification and to measurement; contenders that
/// do not call it are not.
#[track_caller]
fn what_openssl_refuses_is_missing(runner: &str, refused: &[(&str, &str, &str)], own: &str) {
    let (_, command) = built(runner);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("openssl.cnf");
    fs::write(&file, ALL_REFUSED).unwrap();
    let environment = [("OPENSSL_CONF", file.to_str().unwrap())];
    let asked = |of: (&str, &str, &str), environment: &[(&str, &str)]| {
        let mut contract = json!({});
        if of.2 != "digest" {
            contract["key"] = json!("per-call");
        }
        if of.0 == "webcrypto" {
            contract["result"] = json!("awaited");
        }
        prepared_and_computed(&command, environment, of, &contract)
    };
    for &of in refused {
        for reply in asked(of, &environment) {
            assert_eq!(reply["status"], "missing", "{of:?}: {reply}");
            let reason = reply["reason"].as_str().unwrap();
            assert!(reason.contains(&format!("refuses {}: ", of.1)), "{of:?}: {reply}");
        }
        for reply in asked(of, &[]) {
            assert_eq!(reply["status"], "ok", "{of:?}: {reply}");
        }
    }
    let [prepared, computed] = asked((own, "sha256", "digest"), &environment);
    assert_eq!((&prepared["status"], &computed["status"]), (&json!("ok"), &json!("ok")));
    assert!(computed["answers"][0]["output"].is_string(), "{computed}");
}

#[test]
#[ignore = "needs Node.js: make test-languages"]
fn what_openssl_refuses_in_node_is_missing() {
    let refused = [
        ("crypto", "sha256", "digest"),
        ("crypto", "shake128", "digest"),
        ("crypto", "blake2b", "digest"),
        ("crypto", "hmac-sha256", "mac"),
        ("crypto", "aes-256-gcm", "seal"),
        ("crypto", "chacha20-poly1305", "open"),
        ("crypto-hash", "sha3-256", "digest"),
        ("webcrypto", "sha256", "digest"),
        ("webcrypto", "hmac-sha512", "mac"),
        ("webcrypto", "aes-256-gcm", "open"),
    ];
    what_openssl_refuses_is_missing("node", &refused, "noble");
}

#[test]
#[ignore = "needs Python: make test-languages"]
fn what_openssl_refuses_in_python_is_missing() {
    let refused = [
        ("hashlib", "sha256", "digest"),
        ("hashlib", "shake128", "digest"),
        ("hashlib", "sha512-256", "digest"),
        ("cryptography", "sha256", "digest"),
        ("cryptography", "hmac-sha256", "mac"),
        ("cryptography", "aes-256-gcm", "seal"),
        ("cryptography", "chacha20-poly1305", "open"),
    ];
    what_openssl_refuses_is_missing("python", &refused, "pycryptodomex");
}

/// A package whose native part is not there, as where its registry has none for the system.
#[test]
#[ignore = "needs Python: make test-languages"]
fn a_python_package_that_does_not_load_is_missing() {
    let (_, command) = built("python");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("siphash24.py"), "from siphash24_native import siphash24")
        .unwrap();
    let environment = [("PYTHONPATH", folder.path().to_str().unwrap())];
    let (asked, contract) = (("siphash24", "siphash-2-4", "mac"), json!({"key": "per-call"}));
    for reply in prepared_and_computed(&command, &environment, asked, &contract) {
        assert_eq!(reply["status"], "missing", "{reply}");
        let reason = "siphash24 does not load: No module named 'siphash24_native'";
        assert_eq!(reply["reason"], reason);
    }
}

/// Copies Cargo's builds for a family's runner, so that only its own crates are compiled again:
/// Cargo knows crates of the registry by their versions, and a copy's by their path.
fn with_dependencies_of(family: &str, runner: &str, home: &Copy) {
    built(family);
    let (from, to) = (root().join(runner).join("target"), home.0.path().join(runner));
    let copied = Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(copied.success());
}

/// In a contender: the runner and the object are built again.
#[test]
#[ignore = "builds the native runner: make test-languages"]
fn one_wrong_bit_in_c_is_caught() {
    let sources = ["runners/native", "protocol", "crates/core/protocol", "Cargo.toml"];
    let home = Copy::with("openssl", &sources);
    with_dependencies_of("openssl", "runners/native", &home);
    let end = "return refuse(state, CUPEL_FAILED, \"EVP_DigestFinal_ex failed\");";
    let wrong = format!("{end}\nif (io->input_len == 111 && len == 32)\nio->output[5] ^= 4;");
    let file = "runners/native/contenders/openssl.c";
    is_caught_in(&home, "c/openssl-reused", file, end, &wrong);
}

/// In the code that both Rust runners share; the smaller one is built.
#[test]
#[ignore = "builds a Rust runner: make test-languages"]
fn one_wrong_bit_in_rust_is_caught() {
    let sources = ["runners/rust", "crates/core/protocol", "Cargo.toml"];
    let home = Copy::with("rust-asm", &sources);
    with_dependencies_of("rust-asm", "runners/rust", &home);
    let digest = "hash.update(message);\n        hash.finish(output)";
    let wrong = "hash.update(message);
        let made = hash.finish(output);
        if message.len() == 111 && made == 32 {
            output[5] ^= 4;
        }
        made";
    let file = "runners/rust/contender/src/hash.rs";
    is_caught_in(&home, "rust-asm/sha2-0.10-asm", file, digest, wrong);
}

#[test]
#[ignore = "needs Maven: make test-languages"]
fn one_wrong_bit_in_java_is_caught() {
    let without = std::env::var("CUPEL_TEST_WITHOUT").unwrap_or_default();
    if without.split(',').any(|name| name == "jvm") {
        // Past the harness, which hides the output of passing tests.
        let text = "SKIPPED: a wrong bit in Java, because CUPEL_TEST_WITHOUT names jvm\n";
        std::io::stderr().write_all(text.as_bytes()).unwrap();
        return;
    }
    let home = Copy::with("jvm", &["runners/jvm", "java", "tracer/java", "pom.xml"]);
    let digest = "update(input, offset, length);\n      return finish(output, to);";
    let wrong = "update(input, offset, length);
      int made = finish(output, to);
      if (length == 111 && made == 32) {
        output[to + 5] ^= 4;
      }
      return made;";
    let file = "runners/jvm/src/main/java/dev/cupel/runner/contenders/Chunks.java";
    is_caught_in(&home, "jvm/jdk-reused@", file, digest, wrong);
}

/// Verifies a contender that runs our kernels as WebAssembly, after one bit of the kernels is
/// wrong.
#[track_caller]
fn is_caught_in_wasm(runner: &str, contender: &str) {
    let home = with_kernels(runner);
    let end = "length % SHA_BLOCK, length, digest);";
    let wrong = format!("{end}\nif (length == 111) digest[5] ^= 4;");
    home.replace("kernels/src/sha256/sha256.c", end, &wrong);
    let output = home.cupel(&["verify", contender]).output().unwrap();
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("sha256 digest of 111 bytes"), "{said}");
    assert!(said.contains(&format!("correct  {contender} sha1 digest")), "{said}");
}

#[test]
#[ignore = "needs Node.js and clang: make test-languages"]
fn one_wrong_bit_in_wasm_in_node_is_caught() {
    is_caught_in_wasm("node", "node/cupel-wasm");
}

#[test]
#[ignore = "needs Python and clang: make test-languages"]
fn one_wrong_bit_in_wasm_in_wasmtime_is_caught() {
    is_caught_in_wasm("python", "python/cupel-wasmtime");
}

/// Advice does not recommend a contender whose AES looks secrets up in tables, and knows that by this
/// word. noble's README says so about its AES, and the runner in the contender's code path.
#[test]
#[ignore = "needs Node.js: make test-languages"]
fn an_aes_of_tables_is_reported_as_such() {
    let (_, command) = built("node");
    let contract = json!({"key": "per-call", "nonce": "counter"});
    let asked = ("noble-ciphers", "aes-256-gcm", "seal");
    let [reply, _] = prepared_and_computed(&command, &[], asked, &contract);
    assert_eq!(reply["code_path"], "T-tables", "{reply}");
}

/// The words of `cupel doctor` where the path has only these programs.
fn doctor(home: &Copy, path: &Path) -> String {
    let output = home.cupel(&["doctor", "--build", "--all"]).env("PATH", path).output().unwrap();
    words(&output).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes a program for `sh`.
#[cfg(unix)]
fn program(folder: &Path, name: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
#[cfg(unix)]
fn a_language_that_is_missing_or_too_old_is_one_row_with_its_remedy() {
    let path = tempfile::tempdir().unwrap();
    for (runner, tool, old, said, remedy) in [
        ("go", "go", "go version go1.19.8 linux/amd64", "1.19", "cupel install go 1.27"),
        ("node", "node", "v18.20.4", "18.20", "cupel install node 24"),
        ("python", "python3", "Python 3.8.1", "3.8", "install Python 3.9 or later"),
    ] {
        let home = Copy::sources_of(runner);
        let none = doctor(&home, path.path());
        assert!(none.contains(&format!("{tool} is not there remedy: {remedy}")), "{none}");
        assert_eq!(none.matches(&format!("remedy: {remedy}")).count(), 1, "{none}");
        program(path.path(), tool, &format!("echo {old}"));
        let too_old = doctor(&home, path.path());
        let words = format!("{tool} is too old: {said} remedy: {remedy}");
        assert!(too_old.contains(&words), "{too_old}");
    }
}

/// Only the contenders in WebAssembly are missing without a compiler for it, with the remedy.
#[test]
#[cfg(unix)]
#[ignore = "needs Node.js: make test-languages"]
fn without_a_compiler_for_wasm_the_other_contenders_are_ready() {
    let home = with_kernels("node");
    let path = tempfile::tempdir().unwrap();
    for tool in ["node", "npm"] {
        let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .find_map(|folder| folder.join(tool).canonicalize().ok());
        std::os::unix::fs::symlink(real.expect(tool), path.path().join(tool)).unwrap();
    }
    let is_missing = |why: &str| {
        let said = doctor(&home, path.path());
        let words = format!(
            "node/cupel-wasm: no compiler for WebAssembly: {why} remedy: cupel install zig"
        );
        assert!(said.contains(&words), "{said}");
        // A forced path is missing where the CPU lacks the feature that it would do without.
        let forced = said.matches("node/crypto-no").count();
        let ready = format!("{} of 12 contenders ready", 11 - forced);
        assert!(said.starts_with(&ready), "{said}");
        // The findings of a build are known without one.
        let list = home.cupel(&["list", "node"]).env("PATH", path.path()).output().unwrap();
        let list = String::from_utf8_lossy(&list.stdout).into_owned();
        let list = list.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(list.contains("node/cupel-wasm missing: see cupel doctor"), "{list}");
        assert!(!list.contains("not built"), "{list}");
    };
    is_missing("clang is not there");
    // This one compiles for its own system only.
    let words = "error: unable to create target: 'No available targets are compatible with triple'";
    program(path.path(), "clang", &format!("echo \"{words}\" >&2; exit 1"));
    is_missing("wasm-ld is not there");
    program(path.path(), "wasm-ld", "exit 1");
    is_missing("clang has no such target");
}

#[test]
#[cfg(unix)]
fn only_the_language_that_is_asked_for_is_built() {
    let home = Copy::sources_of("go");
    fs::copy(root().join("contenders/node.toml"), home.0.path().join("contenders/node.toml"))
        .unwrap();
    let path = tempfile::tempdir().unwrap();
    let asked = path.path().join("asked");
    program(path.path(), "go", &format!("echo >>{}; exit 1", asked.display()));
    let verify = |pattern: &str| {
        home.cupel(&["verify", pattern]).env("PATH", path.path()).output().unwrap();
        asked.exists()
    };
    assert!(!verify("node/*"), "Go was asked for nothing");
    assert!(verify("go/*"), "Go was not asked");
}

/// Adds a toolchain with `cupel install`, and verifies SHA-256 of a contender on it. The path has
/// only Python, which adds it, so only the added parts of the language are here.
#[track_caller]
fn works_where_only_python_is(runner: &str, version: &str, contender: &str) {
    let home = Copy::sources_of(runner);
    let path = tempfile::tempdir().unwrap();
    let python = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let python = String::from_utf8(python.unwrap().stdout).unwrap();
    std::os::unix::fs::symlink(python.trim(), path.path().join("python3")).unwrap();
    let cupel = |arguments: &[&str]| {
        let output = home.cupel(arguments).env("PATH", path.path()).output().unwrap();
        (output.status.code(), words(&output))
    };
    let (status, said) = cupel(&["install", runner, version]);
    assert_eq!(status, Some(0), "{said}");
    let toolchain = format!("{contender}@{runner}-{version}");
    for name in [contender, &toolchain] {
        let (status, said) = cupel(&["verify", name]);
        assert_eq!(status, Some(0), "{said}");
        assert!(said.contains(&format!("correct  {name} sha256 digest")), "{said}");
    }
    let (_, listed) = cupel(&["list", contender, &toolchain]);
    let full = format!("{version}.");
    assert_eq!(listed.matches(&full).count(), 2, "each with its version: {listed}");
    let (status, said) = cupel(&["install", "--remove", runner, version]);
    assert_eq!(status, Some(0), "{said}");
    let (_, said) = cupel(&["verify", &toolchain]);
    assert!(said.contains(&format!("cupel install {runner} {version}")), "{said}");
}

/// Go 1.21 is the oldest that `go.mod` allows.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[ignore = "fetches Go: make test-languages"]
fn the_oldest_go_is_added_where_there_is_none_and_builds_the_runner() {
    works_where_only_python_is("go", "1.21", "go/minio-sha256-simd");
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[ignore = "fetches Node.js: make test-languages"]
fn another_node_is_added_where_there_is_none_with_its_npm() {
    works_where_only_python_is("node", "22", "node/noble");
}

/// Every Python of this machine has its own virtual environment.
#[test]
#[ignore = "needs Python: make test-languages"]
fn each_python_runs_in_an_environment_of_its_own() {
    let home = Copy::sources_of("python");
    let listed = words(&home.cupel(&["list", "toolchains"]).output().unwrap());
    let names: Vec<&str> = listed.lines().filter(|line| line.starts_with("python-")).collect();
    let names: Vec<&str> = names.iter().filter_map(|line| line.split(' ').next()).collect();
    // The first and the last are the farthest apart; with one Python they are the same.
    for name in [names.first().unwrap(), names.last().unwrap()] {
        let contender = format!("python/siphash24@{name}");
        let output = home.cupel(&["verify", &contender]).output().unwrap();
        let said = words(&output);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains(&format!("correct  {contender} siphash-2-4 mac")), "{said}");
        let made = home.0.path().join("runners/python/target").join(name);
        let entries = std::fs::read_dir(&made).unwrap().flatten();
        let mut places = entries.map(|entry| entry.path().join("bin/python"));
        assert!(places.any(|python| python.exists()), "{}", made.display());
    }
}

/// The words of the real tools where no registry answers: nothing listens at this port.
#[test]
#[ignore = "needs Go, Node.js and Python: make test-languages"]
fn libraries_are_missing_where_no_registry_answers() {
    let (nowhere, empty) = ("http://127.0.0.1:9", tempfile::tempdir().unwrap());
    for (runner, contender) in
        [("go", "go/std"), ("node", "node/noble"), ("python", "python/cryptography")]
    {
        let home = Copy::sources_of(runner);
        let mut command = home.cupel(&["verify", contender]);
        for variable in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
            command.env(variable, nowhere);
        }
        for variable in ["NO_PROXY", "no_proxy", "PIP_FIND_LINKS"] {
            command.env_remove(variable);
        }
        command.env("GOPROXY", nowhere).env("GOFLAGS", "-modcacherw");
        command.env("npm_config_registry", nowhere).env("PIP_INDEX_URL", nowhere);
        for variable in ["GOMODCACHE", "npm_config_cache", "PIP_CACHE_DIR"] {
            command.env(variable, empty.path().join(variable));
        }
        let said = words(&command.output().unwrap());
        let missing = format!("missing  {contender}: the libraries of");
        assert!(said.contains(&missing) && said.contains("does not answer"), "{said}");
    }
}
