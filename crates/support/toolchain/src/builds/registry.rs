//! The words of a build tool that cannot get the libraries that it needs. Nothing is wrong then
//! with the runner: its libraries are missing, as on a machine without a network.

use cupel_protocol::message::Refusal;

/// Why the libraries are not here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The registry does not answer; the line that reports it.
    Unreachable(String),
    /// The registry has no package for this system or this version of the language; the line that
    /// reports it.
    NoPackage(String),
}

/// Parts of the lines of Go, npm and pip if no registry answers.
const UNREACHABLE: [&str; 24] = [
    // Go
    "dial tcp",
    "proxyconnect",
    "no such host",
    "module lookup disabled by GOPROXY=off",
    "TLS handshake timeout",
    "connection refused",
    "network is unreachable",
    "i/o timeout",
    // npm
    "ENOTCACHED",
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ECONNRESET",
    "ETIMEDOUT",
    "ENETUNREACH",
    "EHOSTUNREACH",
    "ERR_SOCKET_TIMEOUT",
    // pip
    "NewConnectionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "ProxyError",
    "NameResolutionError",
    "Max retries exceeded",
    "connection broken by",
];

/// A part of pip's line if it was answered, but has nothing to install.
const NO_PACKAGE: &str = "No matching distribution found for";

/// The trouble that a log of a build tool reports, if it is one with the registry. A package whose
/// digest is not the recorded one is no such trouble.
pub fn trouble(log: &str) -> Option<Trouble> {
    let rejected = ["HASHES", "EINTEGRITY", "checksum mismatch", "SECURITY ERROR"];
    if line_with(log, &rejected).is_some() {
        return None;
    }
    let unreachable = line_with(log, &UNREACHABLE).map(Trouble::Unreachable);
    unreachable.or_else(|| line_with(log, &[NO_PACKAGE]).map(Trouble::NoPackage))
}

fn line_with(log: &str, words: &[&str]) -> Option<String> {
    let line = log.lines().find(|line| words.iter().any(|word| line.contains(word)))?;
    Some(line.trim().chars().take(200).collect())
}

impl Trouble {
    /// The message about the build, with the remedy.
    pub fn refusal(&self, name: &str) -> Refusal {
        let (why, line, remedy) = match self {
            Trouble::Unreachable(line) => (
                "are not here, and their registry does not answer",
                line,
                "cupel doctor --build, with a network (HTTPS_PROXY names a proxy)",
            ),
            Trouble::NoPackage(line) => (
                "have no package for this system and this version of the language",
                line,
                "install another version of the language: cupel install --help",
            ),
        };
        Refusal {
            reason: format!("the libraries of {name} {why}: {line}"),
            remedy: Some(remedy.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output of the tools without a network, and after another fault.
    #[test]
    fn a_registry_that_does_not_answer_is_distinguished_from_what_does_not_build() {
        for log in [
            "go: github.com/zeebo/blake3@v0.2.4: Get \"https://x/v0.2.4.mod\": proxyconnect tcp: dial \
             tcp 127.0.0.1:9: connect: connection refused",
            "zeebo.go:4:2: github.com/zeebo/blake3@v0.2.4: module lookup disabled by GOPROXY=off",
            "npm error code ECONNREFUSED\nnpm error syscall connect",
            "npm error code ENOTCACHED\nnpm error request to https://x failed",
            "WARNING: Retrying (Retry(total=1)) after connection broken by 'ProxyError(...)': /simple\n\
             ERROR: No matching distribution found for cffi==2.1.1",
        ] {
            assert!(matches!(trouble(log), Some(Trouble::Unreachable(_))), "{log}");
        }
        let none = "ERROR: Could not find a version that satisfies the requirement cffi==2.1.1\n\
                    ERROR: No matching distribution found for cffi==2.1.1";
        assert!(matches!(trouble(none), Some(Trouble::NoPackage(_))));
        for log in [
            "./std.go:8:2: undefined: sha512x",
            "npm error `npm ci` can only install packages when your package.json is in sync",
            "npm error code EINTEGRITY\nnpm error sha512-... integrity checksum failed",
            "verifying github.com/zeebo/blake3@v0.2.4: checksum mismatch\nSECURITY ERROR",
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
        ] {
            assert_eq!(trouble(log), None, "{log}");
        }
    }

    #[test]
    fn a_line_of_what_the_tool_said_is_in_the_reason_and_a_command_in_the_remedy() {
        let refusal = trouble("npm error code ENOTFOUND\nx").unwrap().refusal("the Node.js runner");
        assert!(refusal.reason.ends_with("does not answer: npm error code ENOTFOUND"));
        assert!(refusal.remedy.unwrap().starts_with("cupel doctor --build"));
    }
}
