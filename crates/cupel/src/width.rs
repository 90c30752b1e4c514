//! How wide a table may be.

use cupel_base::text::WIDTH;
use terminal_size::Width;

/// The widest table, in columns: a line across a wall cannot be followed.
const WIDEST: usize = 200;

/// The width of tables on standard output, in columns: the value of `COLUMNS`; otherwise the
/// terminal's; otherwise 80, so that a file has the same lines wherever it is written. A narrower
/// terminal gets 80 columns too.
pub fn of_output() -> usize {
    let asked = std::env::var("COLUMNS").ok();
    let terminal = terminal_size::terminal_size_of(std::io::stdout());
    chosen(asked.as_deref(), terminal.map(|(Width(columns), _)| columns.into()))
}

fn chosen(asked: Option<&str>, terminal: Option<usize>) -> usize {
    let asked = asked.and_then(|text| text.trim().parse().ok()).filter(|&columns| columns > 0);
    asked.or(terminal).unwrap_or(WIDTH).clamp(WIDTH, WIDEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_before_the_terminal_and_both_have_limits() {
        assert_eq!(chosen(None, None), 80, "a file");
        assert_eq!(chosen(None, Some(132)), 132);
        assert_eq!(chosen(Some("120"), Some(132)), 120);
        assert_eq!(chosen(Some("120"), None), 120, "a pipe");
        assert_eq!(chosen(None, Some(40)), 80);
        assert_eq!(chosen(Some("100000"), None), 200);
        for no_number in ["", "wide", "0", "-3"] {
            assert_eq!(chosen(Some(no_number), Some(100)), 100, "{no_number}");
        }
    }
}
