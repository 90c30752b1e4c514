//! `cupel trace`: a program's calls are counted as often as it makes them. The programs are
//! OpenSSL's own, the system's, and `tracer/tests/known.c`.

use crate::support::{Home, Said};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn cc(arguments: &[&str]) {
    let output = Command::new("cc").args(arguments).current_dir(root().join("tracer")).output();
    let output = output.expect("a C compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The program with known calls.
fn known() -> &'static str {
    static KNOWN: OnceLock<String> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let to = format!("{}/known-calls", env!("CARGO_TARGET_TMPDIR"));
        cc(&["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "tests/known.c", "-o"]
            .into_iter()
            .chain([to.as_str(), "-lcrypto", "-lgcrypt"])
            .collect::<Vec<_>>());
        to
    })
}

/// Runs a traced program, which leaves nothing in the folder for temporary files.
fn trace(home: &Home, command: &[&str]) -> Said {
    let temporary = home.path("tmp");
    std::fs::create_dir_all(&temporary).unwrap();
    // A trace that counts nothing writes none, and leaves an earlier one.
    let _ = std::fs::remove_file(home.path("cupel.mix"));
    let mut cupel = home.command();
    cupel.env("CUPEL_HOME", root()).env("TMPDIR", &temporary).current_dir(home.path(""));
    let said = Said::from(cupel.args(["-q", "trace"]).args(command).output().unwrap());
    let left = std::fs::read_dir(temporary).unwrap().count();
    assert_eq!(left, 0, "nothing is left");
    said
}

fn mix(home: &Home) -> toml::Table {
    let text = std::fs::read_to_string(home.path("cupel.mix")).expect("a mix file");
    text.parse().expect("TOML")
}

/// The entries of a mix, one a line: `sha256 digest one-shot - openssl 64:3 128:1`, with `ad=13`
/// and `chunk=500` before the sizes where they are known.
fn entries(mix: &toml::Table) -> Vec<String> {
    let text = |entry: &toml::Value, key: &str| {
        entry.get(key).map_or("-".to_string(), |value| value.as_str().unwrap().to_string())
    };
    let calls = mix.get("calls").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    let known = calls.iter().map(|entry| {
        let words = ["primitive", "operation", "contract", "key", "library"];
        let mut line = words.map(|key| text(entry, key)).join(" ");
        for key in ["ad", "chunk"] {
            if let Some(value) = entry.get(key) {
                line += &format!(" {key}={value}");
            }
        }
        for pair in entry["sizes"].as_array().unwrap() {
            line += &format!(" {}:{}", pair[0], pair[1]);
        }
        line
    });
    let unknown = mix.get("unknown").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    let unknown = unknown.iter().map(|one| format!("? {}:{}", text(one, "name"), one["calls"]));
    known.chain(unknown).collect()
}

#[track_caller]
fn counts(calls: &str, expected: &[&str]) {
    let home = Home::empty();
    let said = trace(&home, &[known(), calls]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert_eq!(entries(&mix(&home)), expected, "{}", said.err);
}

const DIGESTS: [&str; 8] = [
    "sha1 digest one-shot - openssl 7:1",
    "sha256 digest unknown - openssl 37:1",
    "sha256 digest chunks - openssl chunk=15 30:2",
    "sha256 digest one-shot - openssl 33:1 34:1 35:1 36:1 64:3",
    "sha512 digest chunks - openssl chunk=51 101:1",
    "sha512 digest one-shot - openssl 100:1",
    "? PBKDF2:2",
    "? SHA3-384:2",
];

#[test]
fn digests_are_counted_once_by_whichever_function() {
    counts("digests", &DIGESTS);
}

/// Python loads OpenSSL in this way. The library is in no list that a preloaded object searches.
#[test]
fn a_library_that_only_a_module_sees_is_counted() {
    let home = Home::empty();
    let (module, program) = (home.path("module.so"), home.path("load"));
    let (module, program) = (module.to_str().unwrap(), program.to_str().unwrap());
    cc(&["-shared", "-fPIC", "tests/known.c", "-o", module, "-lcrypto", "-lgcrypt"]);
    cc(&["tests/load.c", "-o", program, "-ldl"]);
    let said = trace(&home, &[program, module, "one"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert_eq!(entries(&mix(&home)), ["sha256 digest one-shot - openssl 500:1"]);
}

/// Such a program never looks at preloaded objects: systemd, Python's `ctypes` and `cffi`, and JNA.
#[test]
fn functions_that_are_taken_from_a_handle_are_counted() {
    let home = Home::empty();
    let program = home.path("handle");
    let program = program.to_str().unwrap();
    cc(&["-O1", "-pthread", "tests/handle.c", "-o", program, "-ldl"]);
    for from in ["handle", "default", "version"] {
        let said = trace(&home, &[program, from]);
        assert_eq!(said.status, Some(0), "{}", said.err);
        let entries = entries(&mix(&home));
        assert_eq!(entries, ["sha256 digest one-shot - openssl 300:4500"], "{from}: {}", said.err);
    }
    let python = "import ctypes\nlibrary = ctypes.CDLL('libcrypto.so.3')\n\
                  library.SHA256(b'x' * 77, 77, ctypes.create_string_buffer(32))";
    let said = trace(&home, &["python3", "-c", python]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert_eq!(entries(&mix(&home)), ["sha256 digest one-shot - openssl 77:1"], "{}", said.err);
}

/// Hosts of plug-ins open them so. The functions of a module that is bound late, or at once, and
/// found by its name alone.
#[test]
fn a_module_that_prefers_its_own_libraries_is_counted() {
    let home = Home::empty();
    let path = |name: &str| home.path(name).to_str().unwrap().to_string();
    let (module, program) = (path("module.so"), path("load"));
    let found = format!("-Wl,-rpath,{}", path(""));
    cc(&["tests/load.c", "-o", &program, "-ldl", &found]);
    for bound in ["-Wl,-z,lazy", "-Wl,-z,now"] {
        let sources = ["-shared", "-fPIC", "tests/known.c", "-o", &module, bound];
        cc(&[&sources[..], &["-lcrypto", "-lgcrypt"]].concat());
        for name in [module.as_str(), "module.so"] {
            let said = trace(&home, &[&program, name, "one", "deep"]);
            assert_eq!(said.status, Some(0), "{}", said.err);
            let entries = entries(&mix(&home));
            assert_eq!(entries, ["sha256 digest one-shot - openssl 500:1"], "{bound} {name}");
        }
    }
}

/// The tracer is not in such a namespace.
#[test]
fn a_library_in_a_namespace_is_named() {
    let home = Home::empty();
    let program = home.path("handle");
    let program = program.to_str().unwrap();
    cc(&["-O1", "-pthread", "tests/handle.c", "-o", program, "-ldl"]);
    let said = trace(&home, &[program, "space"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let first = said.err.lines().next().unwrap();
    let none = "no call was counted, and none can be of libcrypto.so.3 in a namespace of dlmopen; ";
    assert!(first.starts_with(none), "{first}");
}

/// Such as `env -i`, a build tool, or a program that clears `LD_PRELOAD` before it starts another.
#[test]
fn a_program_that_is_started_without_the_environment_is_counted() {
    let home = Home::empty();
    let program = home.path("starts");
    let program = program.to_str().unwrap();
    cc(&["-O1", "tests/starts.c", "-o", program]);
    for how in [
        "execve",
        "execle",
        "execvpe",
        "fexecve",
        "execveat",
        "posix_spawn",
        "posix_spawnp",
        "execv",
        "execvp",
        "execl",
        "execlp",
        "system",
        "popen",
    ] {
        let said = trace(&home, &[program, how, known(), "one"]);
        assert_eq!(said.status, Some(0), "{how}: {}", said.err);
        let entries = entries(&mix(&home));
        assert_eq!(entries, ["sha256 digest one-shot - openssl 500:1"], "{how}: {}", said.err);
        let first = said.err.lines().next().unwrap();
        assert!(first.ends_with(" inside them"), "{how}: {first}");
        std::fs::remove_file(home.path("cupel.mix")).unwrap();
    }
    // Objects that another preloads stay, and other variables are left alone.
    let script = "env -i LD_PRELOAD=libm.so.6 X=1 env | sed 's/^LD_PRELOAD=.*:/preloads /' | sort";
    let said = trace(&home, &["--no-jvm", "sh", "-c", script]);
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", said.out);
    assert!(lines.contains(&"preloads libm.so.6") && lines.contains(&"X=1"), "{}", said.out);
}

/// Its interpreter is static, which only the kernel sees.
#[test]
fn a_program_that_ran_without_the_tracer_is_named() {
    let home = Home::empty();
    let path = |name: &str| home.path(name).to_str().unwrap().to_string();
    home.write("fixed.c", "int main(void) { return 0; }\n");
    cc(&["-static", &path("fixed.c"), "-o", &path("fixed")]);
    home.write("script", format!("#!{}\n", path("fixed")));
    let script = "\"$0\" one && chmod +x script && ./script";
    let said = trace(&home, &["sh", "-c", script, known()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let first = said.err.lines().next().unwrap();
    let named = "; not counted: all of script (it could not be traced)";
    assert!(first.ends_with(named), "{first}");
}

/// musl's loader ends a program for which it cannot load the tracer.
#[test]
fn a_program_of_musl_runs_as_it_does_alone() {
    let home = Home::empty();
    let (source, program) = (home.path("plain.c"), home.path("plain"));
    home.write("plain.c", "int main(void) { return 7; }\n");
    let mut musl = Command::new("musl-gcc");
    let status = musl.arg(&source).arg("-o").arg(&program).status().expect("musl-gcc");
    assert!(status.success());
    let program = program.to_str().unwrap();
    for command in [&[program][..], &["sh", "-c", "\"$0\"", program]] {
        let said = trace(&home, command);
        assert_eq!((said.status, said.err.contains("Error")), (Some(7), false), "{}", said.err);
        assert!(said.err.starts_with("no call was counted"), "{}", said.err);
        assert!(said.err.contains("plain"), "{}", said.err);
    }
}

/// Servers do so, for their workers: none of these may write to the folder of the counts. The test
/// needs the rights of root to become another user.
#[test]
fn calls_of_another_user_are_named() {
    let home = Home::empty();
    let program = "import hashlib, os, sys\nhashlib.sha256(b'x').digest()\nif os.getuid() != 0: \
                   sys.exit()\nif os.fork() == 0:\n  os.setuid(65534)\n  for i in range(9): \
                   hashlib.sha256(b'x').digest()\n  os._exit(0)\nos.wait()\nif os.fork() == 0:\n  \
                   os.setuid(65534)\n  os.execv('/bin/sleep', ['sleep', '0'])\nos.wait()";
    let said = trace(&home, &["python3", "-c", program]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let first = said.err.lines().find(|line| line.starts_with("sha256 ")).expect("the answer");
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let named =
        "; not counted: all of sleep (it could not be traced), 9 calls that could not be recorded";
    assert_eq!(first.ends_with(named), is_root, "{first}");
}

/// A daemon outlives the program that started it.
#[test]
fn a_program_that_still_runs_is_named() {
    let home = Home::empty();
    let script = "import hashlib, os, time\nhashlib.sha256(b'x').digest()\n\
                  if os.fork() == 0:\n  os.setsid()\n  open('daemon', 'w').write(str(os.getpid()))\n  \
                  time.sleep(600)\nwhile not os.path.exists('daemon') or not open('daemon').read(): \
                  time.sleep(0.01)";
    std::fs::create_dir_all(home.path("tmp")).unwrap();
    let mut cupel = home.command();
    cupel.env("CUPEL_HOME", root()).current_dir(home.path("")).stdout(std::process::Stdio::null());
    cupel.stderr(std::fs::File::create(home.path("said")).unwrap());
    let status = cupel.args(["-q", "trace", "python3", "-c", script]).status().unwrap();
    let daemon = std::fs::read_to_string(home.path("daemon")).unwrap();
    Command::new("kill").arg(daemon).status().unwrap();
    let said = std::fs::read_to_string(home.path("said")).unwrap();
    assert!(status.success(), "{said}");
    let first = said.lines().next().unwrap();
    let (_, named) = first.split_once("; not counted: the later calls of python").expect(first);
    assert!(named.ends_with(" (it still runs)"), "{first}");
}

/// `/proc/self/exe` is another file in each process, and a name may be below its folder or in its
/// PATH.
#[test]
fn a_program_is_the_file_that_its_process_started() {
    let home = Home::empty();
    let path = |name: &str| home.path(name).to_str().unwrap().to_string();
    std::fs::create_dir(home.path("sub")).unwrap();
    home.write("fixed.c", "int main(void) { return 0; }\n");
    cc(&["-static", &path("fixed.c"), "-o", &path("sub/fixed")]);
    for script in [
        "\"$0\" one && cd sub && exec ./fixed",
        "\"$0\" one && PATH=$PWD/sub && exec fixed",
        "\"$0\" one && exec python3 -c 'import os; os.execve(\"sub/fixed\", [\"x\"], {})'",
    ] {
        let said = trace(&home, &["sh", "-c", script, known()]);
        assert_eq!(said.status, Some(0), "{}", said.err);
        let first = said.err.lines().next().unwrap();
        assert!(first.ends_with("; not counted: all of fixed (static)"), "{script}: {first}");
    }
    let script = "import os, sys\nif len(sys.argv) < 3: os.execv('/proc/self/exe', ['python3', '-c', \
                  sys.argv[1], sys.argv[1], 'again'])\nimport hashlib; hashlib.sha256(b'x').digest()";
    let said = trace(&home, &["python3", "-c", script, script]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let first = said.err.lines().next().unwrap();
    assert!(!first.contains("not counted"), "{first}");
}

/// A JVM whose options were cleared gets the agent; one that refuses it is named.
#[test]
fn jvms_without_the_agent_are_named_and_those_without_its_variable_have_it() {
    let home = Home::empty();
    let java = java(&["macs"]);
    let words = java.iter().map(String::as_str);
    let command: Vec<&str> =
        ["env", "-u", "JAVA_TOOL_OPTIONS", "-u", "LD_PRELOAD"].into_iter().chain(words).collect();
    let said = trace(&home, &command);
    assert_eq!((said.status, said.out.as_str()), (Some(0), "done\n"), "{}", said.err);
    assert!(!entries(&mix(&home)).is_empty());
    assert!(!said.err.lines().next().unwrap().contains("not counted"), "{}", said.err);
    let said = trace(&home, &[&["--no-jvm"], &command[..]].concat());
    let named = "no call was counted, and none can be of the JVM of java (without the agent); ";
    assert!(said.err.starts_with(named), "{}", said.err);
}

/// `RTLD_NEXT` is about the object that asks.
#[test]
fn another_preloaded_object_finds_the_function_after_itself() {
    let home = Home::empty();
    let object = home.path("next.so");
    cc(&["-shared", "-fPIC", "tests/next.c", "-o", object.to_str().unwrap(), "-ldl"]);
    let program = "import os, hashlib\nassert os.getppid() > 1\nhashlib.sha256(b'x').digest()";
    std::fs::create_dir_all(home.path("tmp")).unwrap();
    let mut cupel = home.command();
    cupel.env("CUPEL_HOME", root()).env("LD_PRELOAD", &object).current_dir(home.path(""));
    let said = Said::from(cupel.args(["-q", "trace", "python3", "-c", program]).output().unwrap());
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert_eq!(entries(&mix(&home)), ["sha256 digest one-shot - openssl 1:1"], "{}", said.err);
}

/// A stripped copy of OpenSSL, a program in Go and one that is static, all next to calls that are
/// counted.
#[test]
fn what_else_is_there_and_cannot_be_counted_is_said_first_and_in_the_mix() {
    let home = Home::empty();
    let path = |name: &str| home.path(name).to_str().unwrap().to_string();
    let (copy, fixed) = (path("copy"), path("fixed"));
    let library = ["-Wl,-Bstatic", "-lcrypto", "-Wl,-Bdynamic", "-lgcrypt", "-ldl"];
    cc(&[&["-s", "-pthread", "tests/known.c", "-o", &copy][..], &library].concat());
    home.write("fixed.c", "int main(void) { return 0; }\n");
    cc(&["-static", &path("fixed.c"), "-o", &fixed]);
    let script = "\"$0\" one && \"$1\" && go version >/dev/null && exec \"$2\" one";
    let said = trace(&home, &["sh", "-c", script, &copy, &fixed, known()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let first = said.err.lines().next().unwrap();
    let uncounted = ["Go's own packages inside go", "OpenSSL inside copy", "all of fixed (static)"];
    let end = format!("; not counted: {}", uncounted.join(", "));
    assert!(first.contains(" of 1 counted call;") && first.ends_with(&end), "{first}");
    let mix = mix(&home);
    let named: Vec<&str> =
        mix["uncounted"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert_eq!(named, uncounted);
    // A module that is loaded later, with the text that OpenSSL's assembly has.
    home.write(
        "module.c",
        "const char mark[] = \"AES for x86_64, CRYPTOGAMS by <appro@openssl.org>\";\n\
         int main(void) { return mark[0] != 'A'; }\n",
    );
    let (module, load) = (path("module.so"), path("load"));
    cc(&["-shared", "-fPIC", &path("module.c"), "-o", &module]);
    cc(&["tests/load.c", "-o", &load, "-ldl"]);
    let script = "\"$0\" \"$1\" x && exec \"$2\" one";
    let said = trace(&home, &["sh", "-c", script, &load, &module, known()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let first = said.err.lines().next().unwrap();
    assert!(first.ends_with("; not counted: OpenSSL inside module.so"), "{first}");
    // None of that is counted, but all other calls are.
    assert_eq!(entries(&mix), ["sha256 digest one-shot - openssl 500:1"]);
    let said = trace(&home, &["sh", "-c", "\"$0\" one", &copy]);
    let first = said.err.lines().next().unwrap();
    let none = "no call was counted, and none can be of OpenSSL inside copy; write its mix by hand";
    assert!(first.starts_with(none), "{first}");
}

/// Byte by byte (corretto's ACCP 52), two threads at the size from which Python lets go of its lock
/// (pyca 15359), and the chain of keys of a signed request (aws-c-cal 258).
#[test]
fn programs_of_public_reports_are_counted_as_they_are_written() {
    let home = Home::empty();
    for (program, expected) in [
        (
            "import hashlib\nfor _ in range(2):\n  h = hashlib.sha256()\n  for b in range(4096): \
             h.update(b'x')\n  h.digest()",
            &["sha256 digest chunks - openssl chunk=1 4096:2"][..],
        ),
        (
            "import hashlib, threading\ndef work():\n  for _ in range(30): \
             hashlib.sha256(bytes(2048)).digest()\nall = [threading.Thread(target=work) for _ in \
             range(2)]\n[t.start() for t in all]\n[t.join() for t in all]",
            &["sha256 digest one-shot - openssl 2048:60"],
        ),
        (
            "import hashlib, hmac\ndef mac(k, t): return hmac.new(k, t, hashlib.sha256).digest()\n\
             for i in range(3):\n  body = hashlib.sha256(b'').hexdigest()\n  key = mac(mac(mac(mac(b'AWS4' \
             + b'k' * 40, b'20261004'), b'eu-west-1'), b's3'), b'aws4_request')\n  mac(key, b'x' * 99 \
             + body.encode())",
            &[
                "hmac-sha256 mac one-shot per-call openssl 2:3 8:3 9:3 12:3 163:3",
                "sha256 digest one-shot - openssl 0:3",
            ],
        ),
    ] {
        let said = trace(&home, &["python3", "-c", program]);
        assert_eq!(said.status, Some(0), "{}", said.err);
        assert_eq!(entries(&mix(&home)), expected, "{}", said.err);
    }
}

const MACS: [&str; 7] = [
    "aes-cmac mac one-shot per-call openssl 70:1",
    "hmac-sha256 mac one-shot kept openssl 90:1",
    "hmac-sha256 mac one-shot per-call openssl 40:2 91:1 92:1",
    "hmac-sha512 mac one-shot kept openssl 50:2 60:1",
    "hmac-sha512 mac one-shot per-call openssl 50:1",
    "siphash-2-4 mac one-shot per-call openssl 80:1",
    "? HMAC-SHA1:1",
];

#[test]
fn macs_say_whether_the_key_was_kept() {
    counts("macs", &MACS);
}

const AEADS: [&str; 5] = [
    "aes-256-gcm open one-shot per-call openssl ad=13 1000:1",
    "aes-256-gcm seal chunks kept openssl ad=13 chunk=500 1000:2",
    "aes-256-gcm seal chunks per-call openssl ad=13 chunk=500 1000:1",
    "chacha20-poly1305 seal one-shot per-call openssl ad=13 500:1",
    "? AES-128-CBC:1",
];

#[test]
fn an_aead_is_counted_with_its_associated_data_and_pieces_and_a_forgery_not_at_all() {
    counts("aeads", &AEADS);
    counts(
        "shapes",
        &[
            "aes-256-gcm seal one-shot kept openssl ad=0 0:2",
            "aes-256-gcm seal one-shot kept openssl ad=20 0:1",
            "aes-256-gcm seal one-shot kept openssl ad=1400 0:4",
            "aes-256-gcm seal one-shot per-call openssl ad=1400 0:1",
            "sha256 digest chunks - openssl chunk=1 4096:3",
            "sha256 digest chunks - openssl chunk=2 7:1",
            "sha256 digest chunks - openssl chunk=6667 20000:1",
        ],
    );
}

/// Its pieces of output are more than Cupel measures. The library of this test stands in for one
/// that is new enough.
#[test]
fn output_that_is_squeezed_is_named() {
    let home = Home::empty();
    home.write(
        "new.c",
        "int EVP_DigestSqueeze(void *c, unsigned char *to, unsigned long n) \
         { (void)c; *to = (unsigned char)n; return 1; }\n",
    );
    home.write("new.map", "OPENSSL_3.3.0 { global: EVP_DigestSqueeze; };\n");
    let path = |name: &str| home.path(name).to_str().unwrap().to_string();
    let (library, program) = (path("libnew.so"), path("squeeze"));
    let map = format!("-Wl,--version-script={}", path("new.map"));
    cc(&["-shared", "-fPIC", &path("new.c"), &map, "-o", &library]);
    let found = format!("-Wl,-rpath,{}", path(""));
    cc(&["-O1", "tests/squeeze.c", &library, "-lcrypto", &found, "-o", &program]);
    let said = trace(&home, &[&program]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let words = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("5 output by EVP_DigestSqueeze (openssl)"), "{words}");
    assert!(words.contains("what the program calls is not in the catalogue"), "{words}");
}

/// All time of such a program is in hashes that the library calls itself.
#[test]
fn a_key_derivation_is_named_with_its_time() {
    let home = Home::empty();
    let program = "import hashlib\nfor i in range(20): hashlib.pbkdf2_hmac('sha256', b'p', b's', 9999)\n\
                   hashlib.scrypt(b'p', salt=b's', n=2, r=8, p=1)";
    let said = trace(&home, &["python3", "-c", program]);
    let words = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("not in the catalogue; ") && words.contains("is inside that"),
        "{words}"
    );
    assert!(words.contains("20 PBKDF2 (openssl), 1 SCRYPT (openssl)"), "{words}");
    let share = words.split("catalogue; ").nth(1).and_then(|rest| rest.split(" %").next());
    let share: f64 = share.and_then(|share| share.parse().ok()).expect("a share");
    assert!(share > 20.0, "{words}");
}

/// Calls of Python's own modules count as a Python program's.
#[test]
fn the_language_of_whoever_calls_is_that_of_the_program_file() {
    let home = Home::empty();
    let program = "import hashlib, hmac\nhashlib.sha256(b'x').digest()\n\
                   hmac.new(b'k', b'text', 'sha256').digest()";
    let python = trace(&home, &["sh", "-c", "\"$0\" one; python3 -c \"$1\"", known(), program]);
    assert_eq!(python.status, Some(0), "{}", python.err);
    let mix = mix(&home);
    let calls = mix["calls"].as_array().unwrap();
    let of = |entry: &toml::Value| entry.get("language").map(|l| l.as_str().unwrap().to_string());
    let all: Vec<Option<String>> = calls.iter().map(of).collect();
    let python = Some("python".to_string());
    assert_eq!(all, [python.clone(), None, python], "{:?}", entries(&mix));
}

const GCRYPT: [&str; 8] = [
    "aes-256-gcm open one-shot kept libgcrypt ad=13 68:1",
    "aes-256-gcm seal one-shot per-call libgcrypt ad=13 68:1",
    "aes-cmac mac one-shot per-call libgcrypt 67:1",
    "hmac-sha512 mac one-shot kept libgcrypt 66:1",
    "hmac-sha512 mac one-shot per-call libgcrypt 66:1",
    "sha1 digest one-shot - libgcrypt 65:1",
    "sha256 digest chunks - libgcrypt chunk=953 10001:1 10002:1",
    "sha256 digest one-shot - libgcrypt 64:1",
];

#[test]
fn libgcrypt_is_counted_with_the_bytes_that_its_macro_writes() {
    counts("gcrypt", &GCRYPT);
}

/// Eight threads at a time, contexts that another thread ends, and 500 threads one after the other.
#[test]
fn threads_count_apart_and_are_added() {
    let home = Home::empty();
    // A table for each of the 500 would not fit: they are used again.
    let said = trace(&home, &["sh", "-c", "ulimit -f 1000; exec \"$0\" threads", known()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let expected: String = (0..8)
        .flat_map(|thread| (0..10).map(move |i| format!(" {}:100", 100 * thread + i)))
        .chain([" 5000:500".to_string()])
        .collect();
    assert_eq!(
        entries(&mix(&home)),
        [
            format!("sha256 digest one-shot - openssl{expected}"),
            "sha512 digest chunks - openssl chunk=512 1024:8".to_string()
        ]
    );
}

#[test]
fn many_contexts_at_once_are_all_known() {
    let sizes = [
        "sha256 digest chunks - openssl chunk=1 1:20000 2:20000",
        "sha256 digest chunks - openssl chunk=2 3:20000 4:20000",
    ];
    counts("many", &sizes);
}

/// A digest that both sides of a fork end, children by `fork`, by the bare system call and by
/// `vfork`, one that is killed, and a process that replaces its program.
#[test]
fn every_process_counts_for_itself_and_a_killed_one_until_then() {
    let home = Home::empty();
    let said = trace(&home, &[known(), "forks"]);
    assert_eq!(
        entries(&mix(&home)),
        [
            "sha256 digest chunks - openssl chunk=6 11:1 12:1",
            "sha256 digest one-shot - openssl 200:220 300:3 400:1 500:2",
        ]
    );
    assert!(said.err.contains("25 of 25 traced processes called a library"), "{}", said.err);
}

#[test]
fn too_many_sizes_are_rounded_down_and_no_call_is_lost() {
    let home = Home::empty();
    let said = trace(&home, &[known(), "sizes"]);
    let mix = mix(&home);
    let [entry] = &entries(&mix)[..] else { panic!("{:?}", entries(&mix)) };
    let pairs: Vec<(u64, u64)> = entry
        .split(' ')
        .skip(5)
        .map(|pair| pair.split_once(':').unwrap())
        .map(|(size, count)| (size.parse().unwrap(), count.parse().unwrap()))
        .collect();
    assert!((4000..=4096).contains(&pairs.len()), "{}", pairs.len());
    assert!(pairs.is_sorted_by(|a, b| a.0 < b.0), "sizes are distinct and ascend");
    assert_eq!(pairs.iter().map(|pair| pair.1).sum::<u64>(), 30_000);
    // A rounded value stays below its power of two's double.
    let below = |limit: u64| pairs.iter().filter(|p| p.0 < limit).map(|p| p.1).sum::<u64>();
    assert_eq!((below(1 << 12), below(1 << 14)), (1 << 12, 1 << 14));
    assert!(said.err.contains("there were too many sizes"), "{}", said.err);
}

/// OpenSSL counts for itself, and prints it.
#[test]
fn openssl_speed_counts_the_same() {
    for (what, name) in [("sha256", "sha256 digest"), ("aes-256-gcm", "aes-256-gcm seal")] {
        let home = Home::empty();
        let command = ["openssl", "speed", "-seconds", "1", "-bytes", "64", "-evp", what];
        let said = trace(&home, &command);
        assert_eq!(said.status, Some(0), "{}", said.err);
        let line = said.err.lines().find(|line| line.starts_with("Doing ")).expect("its count");
        let (_, count) = line.split_once("blocks: ").expect("its count");
        let count = count.split(' ').next().unwrap();
        let entries = entries(&mix(&home));
        let counted: Vec<&String> = entries.iter().filter(|e| e.starts_with(name)).collect();
        assert_eq!(counted.len(), 1, "{entries:?}");
        assert!(counted[0].ends_with(&format!(" 64:{count}")), "{line}\n{entries:?}");
        assert_eq!(mix(&home)["program"].as_str(), Some(command.join(" ").as_str()));
    }
}

#[test]
fn the_answer_comes_first_and_apart_from_the_program_s_output() {
    let home = Home::empty();
    let said = trace(&home, &["sh", "-c", "\"$0\" one && echo output \"$@\"", known(), "-o", "x"]);
    assert_eq!((said.status, said.out.as_str()), (Some(0), "output -o x\n"));
    let first = said.err.lines().next().unwrap();
    let start = "sha256 digests of 500 B are 100 % of 1 call; ";
    assert!(first.starts_with(start) && first.ends_with(" inside them"), "{}", said.err);
    assert!(said.err.contains("1 of 2 traced processes called a library"), "{}", said.err);
    assert!(said.err.contains("to a call of openssl (a SHA-256 digest"), "{}", said.err);
    assert!(!said.err.contains("to a call of libgcrypt"), "{}", said.err);
    let mix = mix(&home);
    assert_eq!(mix["format"].as_integer(), Some(1));
    let seconds = |key: &str| mix[key].as_float().unwrap();
    assert!(seconds("cpu_seconds") > 0.0 && seconds("call_seconds") >= 0.0);
    assert!(mix["trace_ns_per_call"].as_float().is_some());
}

#[test]
fn the_program_s_end_is_the_tool_s() {
    let home = Home::empty();
    assert_eq!(trace(&home, &[known(), "status"]).status, Some(42));
    assert_eq!(trace(&home, &[known(), "signal"]).status, Some(128 + 15));
    let said = trace(&home, &["no-such-program-anywhere"]);
    assert_eq!(said.status, Some(3));
    assert!(
        said.err.contains("error: there is no program no-such-program-anywhere"),
        "{}",
        said.err
    );
    assert!(!home.path("cupel.mix").exists());
}

#[test]
fn a_file_that_cannot_be_written_is_found_before_the_program_runs() {
    let home = Home::empty();
    let said = trace(&home, &["-o", "none/x.mix", "touch", "ran"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("there is no folder none for the mix"), "{}", said.err);
    assert!(!home.path("ran").exists());
}

#[test]
fn a_program_that_cannot_be_traced_or_calls_nothing_says_so() {
    let home = Home::empty();
    home.write("static.c", "int main(void) { return 7; }\n");
    let (source, program) = (home.path("static.c"), home.path("static"));
    cc(&["-static", source.to_str().unwrap(), "-o", program.to_str().unwrap()]);
    let said = trace(&home, &[program.to_str().unwrap()]);
    assert_eq!(said.status, Some(7));
    let first = said.err.lines().next().unwrap();
    assert_eq!(first, cannot_be_counted("static has its libraries inside"), "{}", said.err);
    // Node.js exports the functions of its OpenSSL itself. Go's command is a Go program.
    for (command, why) in [
        (["node", "--version"], "node has OpenSSL inside"),
        (["go", "version"], "go has Go's own packages inside"),
    ] {
        let said = trace(&home, &command);
        let first = said.err.lines().next().unwrap();
        assert_eq!((said.status, first), (Some(0), &*cannot_be_counted(why)), "{}", said.err);
    }
    let said = trace(&home, &["true"]);
    assert_eq!(said.status, Some(0));
    let first = said.err.lines().next().unwrap();
    assert!(first.starts_with("no call was counted: 1 traced process called no"), "{}", said.err);
    // OpenSSL reads this file through its own chain.
    home.write("file", "x");
    let said = trace(&home, &["openssl", "dgst", "-sha256", "file"]);
    let first = said.err.lines().next().unwrap();
    assert!(first.contains("the program finished no message itself"), "{}", said.err);
    assert!(!said.err.contains("calls above"), "no table is above: {}", said.err);
    assert!(!home.path("cupel.mix").exists(), "there is nothing to write");
}

/// The first line about a program that contains its library.
fn cannot_be_counted(why: &str) -> String {
    format!(
        "no call was counted: {why}, where no call can be counted; write its mix by hand for `cupel \
         advise --mix` (docs/reference/suites.md#mixes)"
    )
}

/// More than the limit would be a signal, which ends most programs.
#[test]
fn a_limit_of_the_files_does_no_harm_to_the_program() {
    let home = Home::empty();
    let script = "ulimit -f 10; exec \"$0\" one";
    let said = trace(&home, &["sh", "-c", script, known()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let first = said.err.lines().next().unwrap();
    assert_eq!(first, "no call was counted: none could be recorded", "{}", said.err);
    assert!(said.err.contains("1 more calls could not be recorded"), "{}", said.err);
}

/// A word of the command line cannot add a line to the mix, and earlier preloads stay.
#[test]
fn the_command_line_is_quoted_and_the_environment_kept() {
    let home = Home::empty();
    let mut cupel = home.command();
    cupel.env("CUPEL_HOME", root()).env("LD_PRELOAD", "libm.so.6").current_dir(home.path(""));
    let script = "\"$0\" one; echo $LD_PRELOAD";
    cupel.args(["-q", "trace", "sh", "-c", script, known(), "\"\nformat = 9 \u{1b}[31m"]);
    let said = Said::from(cupel.output().unwrap());
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.ends_with(":libm.so.6\n"), "{}", said.out);
    let mix = mix(&home);
    assert_eq!(mix["format"].as_integer(), Some(1));
    let program = mix["program"].as_str().unwrap();
    assert!(program.contains("\" format = 9 \\u{1b}[31m"), "{program}");
}

/// The calls of `tracer/tests/Known.java` in a JVM, with Bouncy Castle from the JVM runner's
/// libraries.
#[track_caller]
fn counts_in_jvm(calls: &str, expected: &[&str]) {
    let home = Home::empty();
    let said = trace(&home, &java(&[calls]).iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((said.status, said.out.as_str()), (Some(0), "done\n"), "{}", said.err);
    assert_eq!(entries(&mix(&home)), expected, "{}", said.err);
    assert!(said.err.contains("to a call in a JVM (an update and a digest"), "{}", said.err);
}

/// The command that makes these calls.
fn java(calls: &[&str]) -> Vec<String> {
    static KNOWN: OnceLock<String> = OnceLock::new();
    let classes = KNOWN.get_or_init(|| {
        let to = format!("{}/known-java", env!("CARGO_TARGET_TMPDIR"));
        let mut javac = Command::new("javac");
        let output = javac.args(["-d", &to]).arg(root().join("tracer/tests/Known.java")).output();
        let output = output.expect("a Java compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let libraries = root().join("runners/jvm/target/lib");
        assert!(libraries.is_dir(), "{} is not built", libraries.display());
        format!("{to}:{}/*", libraries.display())
    });
    let words = ["java", "-cp", classes, "Known"];
    words.iter().chain(calls).map(ToString::to_string).collect()
}

#[test]
fn jvms_a_digest_is_counted_with_all_its_pieces_and_by_whichever_thread_ends_it() {
    counts_in_jvm(
        "digests",
        &[
            "sha1 digest one-shot - jdk 8:1",
            "sha256 digest chunks - jdk chunk=11 31:1",
            "sha256 digest chunks - jdk chunk=18 35:1",
            "sha256 digest one-shot - jdk 0:1 30:1 37:1 41:1 64:3 77:1",
            "sha3-256 digest one-shot - jdk 9:1",
            "sha512 digest chunks - jdk chunk=51 101:1",
            "? SHA-384:1",
        ],
    );
}

#[test]
fn jvms_a_mac_and_a_cipher_say_whether_the_key_was_kept() {
    counts_in_jvm(
        "macs",
        &[
            "hmac-sha256 mac chunks kept jdk chunk=45 90:1",
            "hmac-sha256 mac one-shot kept jdk 60:1 90:1",
            "hmac-sha256 mac one-shot per-call jdk 40:1 61:1 62:1",
            "? HmacSHA1:1",
        ],
    );
    counts_in_jvm(
        "aeads",
        &[
            "aes-128-gcm seal chunks per-call jdk ad=0 chunk=100 200:1",
            "aes-256-gcm open chunks kept jdk ad=13 chunk=500 1000:1",
            "aes-256-gcm open one-shot kept jdk ad=13 1000:1",
            "aes-256-gcm seal one-shot kept jdk ad=13 1000:2",
            "aes-256-gcm seal one-shot per-call jdk ad=13 1000:1",
            "chacha20-poly1305 seal one-shot per-call jdk ad=0 500:1",
            "? AES/CBC/PKCS5Padding:1",
        ],
    );
}

#[test]
fn jvms_every_provider_is_a_library_and_what_it_calls_itself_does_not_count() {
    counts_in_jvm(
        "bouncycastle",
        &[
            "aes-256-gcm open one-shot kept bouncycastle ad=0 201:1",
            "aes-256-gcm seal chunks per-call bouncycastle ad=0 chunk=101 201:1",
            "aes-256-gcm seal one-shot kept bouncycastle ad=0 201:1",
            "blake2b digest one-shot - bouncycastle 11:1",
            "hmac-sha256 mac one-shot per-call bouncycastle 400:1",
            "sha256 digest chunks - bouncycastle chunk=21 42:1",
            "sha256 digest one-shot - bouncycastle 30:1 640:5",
        ],
    );
    counts_in_jvm("within", &["sha256 digest one-shot - jdk 3:1"]);
}

/// Eight threads at a time, then 500 one after the other, and a JVM that is killed.
#[test]
fn jvms_threads_share_tables_and_no_call_is_lost() {
    let expected: String = (0..8)
        .flat_map(|thread| (0..10).map(move |i| format!(" {}:10000", 100 * thread + i)))
        .chain([" 5000:500".to_string()])
        .collect();
    counts_in_jvm("threads", &[&format!("sha256 digest one-shot - jdk{expected}")]);
    let home = Home::empty();
    let said = trace(&home, &java(&["killed"]).iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(said.status, Some(128 + 9), "{}", said.err);
    assert_eq!(entries(&mix(&home)), ["sha256 digest one-shot - jdk 200:400"]);
}

#[test]
fn jvms_the_options_that_they_had_stay_and_without_the_agent_nothing_is_counted() {
    let home = Home::empty();
    let mut cupel = home.command();
    cupel.env("CUPEL_HOME", root()).env("JAVA_TOOL_OPTIONS", "-Dkept=yes");
    cupel.current_dir(home.path("")).args(["-q", "trace", "sh", "-c", "echo $JAVA_TOOL_OPTIONS"]);
    let said = Said::from(cupel.output().unwrap());
    assert!(said.out.starts_with("-Dkept=yes '-javaagent:"), "{}", said.out);
    let command = java(&["digests"]);
    let command = ["--no-jvm"].into_iter().chain(command.iter().map(String::as_str));
    let said = trace(&home, &command.collect::<Vec<_>>());
    assert_eq!((said.status, said.out.as_str()), (Some(0), "done\n"), "{}", said.err);
    assert!(said.err.contains("no call was counted"), "{}", said.err);
}

/// An older JVM must load the agent's first class, or its program would not start.
#[test]
fn jvms_the_first_class_of_the_agent_is_one_of_java_8() {
    trace(&Home::empty(), &["true"]);
    let folder = tempfile::tempdir().unwrap();
    let jar = root().join("tracer/java/target/cupel-tracer.jar");
    let class = "dev/cupel/tracer/Premain.class";
    let mut extract = Command::new("jar");
    let status = extract.arg("xf").arg(&jar).arg(class).current_dir(folder.path()).status();
    assert!(status.unwrap().success());
    let bytes = std::fs::read(folder.path().join(class)).unwrap();
    assert_eq!(bytes[6..8], [0, 52], "the version of the class file");
}

#[test]
fn the_tracers_compile_without_a_warning() {
    let folder = root().join("tracer");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|end| end == "c"))
        .map(|path| path.to_str().unwrap().to_string())
        .collect();
    assert!(files.len() >= 8, "{files:?}");
    let flags = ["-std=c11", "-O2", "-fPIC", "-Wall", "-Wextra", "-Wconversion", "-Wshadow"];
    for file in &files {
        cc(&[&flags[..], &["-Werror", "-c", file.as_str(), "-o", "/dev/null"]].concat());
    }
}
