//! The last lines of a terminal, drawn again and again: a bar with a message, and the results so
//! far.

use std::cell::RefCell;
use std::io::Write;

/// The length of the bar.
const BAR: usize = 20;

/// The width of a terminal that does not report its own.
const USUAL: usize = 80;

/// The lines, on standard error.
#[derive(Debug, Default)]
pub struct Live(RefCell<State>);

#[derive(Debug, Default)]
struct State {
    share: f64,
    message: String,
    so_far: String,
}

impl Live {
    /// Draws the bar up to this share of it.
    pub fn advance(&self, share: f64) {
        self.0.borrow_mut().share = share;
        self.draw("");
    }

    /// Replaces the message.
    pub fn say(&self, message: &str) {
        self.0.borrow_mut().message = message.to_string();
        self.draw("");
    }

    /// Replaces the results so far, which stand below the bar.
    pub fn so_far(&self, text: String) {
        self.0.borrow_mut().so_far = text;
    }

    /// Prints a line above these, which stays.
    pub fn note(&self, text: &str) {
        self.draw(&format!("{text}\n"));
    }

    /// Leaves nothing.
    pub fn clear(&self) {
        write("");
    }

    fn draw(&self, above: &str) {
        let columns = terminal_size::terminal_size_of(std::io::stderr());
        let columns = columns.map_or(USUAL, |(width, _)| usize::from(width.0));
        let state = self.0.borrow();
        let line = line(state.share, &state.message, columns);
        let below = match state.so_far.as_str() {
            "" => String::new(),
            // The cursor goes back to the first of the two lines.
            so_far => format!("\n{}\x1b[1A\r", cut(so_far, columns)),
        };
        write(&format!("{above}{line}{below}"));
    }
}

/// Writes in place of the lines. Progress that cannot be shown must not end a run.
fn write(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "\r\x1b[J{text}").and_then(|()| out.flush());
}

/// The first line for a terminal of this width.
fn line(share: f64, message: &str, columns: usize) -> String {
    let done = (share.clamp(0.0, 1.0) * BAR as f64) as usize;
    let head = if done < BAR { ">" } else { "" };
    let bar = "=".repeat(done) + head;
    cut(&format!("{bar:BAR$} {message}"), columns)
}

/// The part that fits a terminal of this width. A character in the last column would begin a new
/// line on some terminals.
fn cut(text: &str, columns: usize) -> String {
    text.chars().take(columns.saturating_sub(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_grows_and_the_line_fits_the_terminal() {
        assert_eq!(line(0.0, "fork 1 of 3", 80), ">                    fork 1 of 3");
        assert_eq!(line(0.5, "fork 2 of 3", 80), "==========>          fork 2 of 3");
        assert_eq!(line(1.0, "done", 80), "==================== done");
        assert_eq!(line(7.0, "done", 80), line(1.0, "done", 80));
        assert_eq!(line(1.0, "a message", 25), "==================== a m");
        assert_eq!(line(1.0, "a message", 0), "");
    }
}
