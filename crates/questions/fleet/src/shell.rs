//! Words of a shell's command line on another machine.

/// One word, whatever it holds.
pub fn word(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        for text in ["", "plain", "two words", "it's", "$HOME `id` \\ \"", "-n", "a\nb", "*"] {
            let line = format!("printf '[%s]' {}", word(text));
            let output = Command::new("sh").args(["-c", &line]).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), format!("[{text}]"));
        }
    }
}
