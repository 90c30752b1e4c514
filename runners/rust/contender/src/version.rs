//! The versions of the built crates, from the lock file and the compiler.

/// Every package of Cargo.lock: name and version.
const LOCKED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/locked.rs"));

/// The version of the compiler, and so of its standard library.
pub const RUSTC: &str = env!("CUPEL_RUSTC");

/// The version of `package` in Cargo.lock that begins with `line` (for example, `0.10`): the lock
/// file may contain several versions of one package.
///
/// # Panics
/// If there is none. Meant for constants, so that the build fails and not a run.
pub const fn locked(package: &str, line: &str) -> &'static str {
    let mut i = 0;
    while i < LOCKED.len() {
        let (name, version) = LOCKED[i];
        if same(name.as_bytes(), package.as_bytes()) && of_line(version, line) {
            return version;
        }
        i += 1;
    }
    panic!("no such package and version in Cargo.lock")
}

const fn of_line(version: &str, line: &str) -> bool {
    let (version, line) = (version.as_bytes(), line.as_bytes());
    version.len() > line.len()
        && version[line.len()] == b'.'
        && same(version.split_at(line.len()).0, line)
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_lines_of_one_package_are_told_apart() {
        assert!(locked("digest", "0.10").starts_with("0.10."));
        assert!(locked("digest", "0.11").starts_with("0.11."));
    }

    #[test]
    fn a_line_is_whole_numbers_and_not_a_prefix_of_digits() {
        assert!(of_line("0.10.9", "0.10"));
        assert!(!of_line("0.10.9", "0.1"));
        assert!(!of_line("0.10", "0.10"));
    }

    #[test]
    #[should_panic(expected = "Cargo.lock")]
    fn a_package_that_is_not_locked_is_an_error() {
        locked("dige", "0.10");
    }
}
