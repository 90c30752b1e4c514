//! Texts from outside in Markdown.

use cupel_base::text::plain;

/// Escapes a text from outside, so that it cannot end its cell or start markup.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in plain(text).chars() {
        if matches!(c, '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '&') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn a_name_cannot_leave_its_cell() {
        assert_eq!(escaped("a|b<script>`"), "a\\|b\\<script\\>\\`");
    }
}
