//! The frame of every page of a site: no script, no file but its own, and every text escaped.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use cupel_print::print::escaped;
use cupel_show::report::page;
use sha2::{Digest, Sha256};

/// The site's additions to the style of a run's page.
const STYLE: &str = include_str!("site.css");

/// The parts of a page, as HTML: the line above the answer, the text after it, and the foot.
#[derive(Default)]
pub struct Parts {
    pub above: String,
    pub body: String,
    pub below: String,
}

/// A page. `up` leads from it to the folder of the index: empty, or `../`. The answer comes first.
pub fn frame(up: &str, title: &str, answer: &str, parts: &Parts) -> String {
    let Parts { above, body, below } = parts;
    let style = format!("{}{STYLE}", page::style());
    let digest = BASE64_STANDARD.encode(Sha256::digest(&style));
    let (title, answer) = (escaped(title), escaped(answer));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
         'sha256-{digest}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n<header>\n\
         <p class=\"brand\"><a href=\"{up}index.html\">Cupel</a></p>\n{above}\n<h1>{answer}</h1>\n\
         </header>\n<main>\n{body}</main>\n<footer>\n{below}</footer>\n</body>\n</html>\n"
    )
}

/// A text as a part of an address.
pub fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                out.push(char::from(byte));
            }
            byte => out += &format!("%{byte:02X}"),
        }
    }
    out
}

/// A table. Heads of rows and cells are HTML.
pub struct Table {
    first: String,
    columns: Vec<String>,
    rows: String,
}

impl Table {
    /// A table without rows: the head of its first column, and the heads of the others.
    pub fn new(first: &str, columns: impl IntoIterator<Item = impl ToString>) -> Table {
        let columns = columns.into_iter().map(|column| escaped(&column.to_string())).collect();
        Table { first: escaped(first), columns, rows: String::new() }
    }

    /// Adds a row. On a narrow screen the name of its column stands next to a cell.
    pub fn row(&mut self, head: &str, cells: impl IntoIterator<Item = String>) {
        self.rows += &format!("<tr><th scope=\"row\">{head}</th>");
        for (column, cell) in self.columns.iter().zip(cells) {
            self.rows += &format!("<td data-column=\"{column}\">{cell}</td>");
        }
        self.rows += "</tr>\n";
    }

    /// The table, which scrolls by itself if the window is too narrow for it.
    pub fn html(&self, label: &str, caption: bool) -> String {
        let label = escaped(label);
        let caption = if caption { format!("<caption>{label}</caption>\n") } else { String::new() };
        let first = &self.first;
        let heads: String =
            self.columns.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
        let rows = &self.rows;
        format!(
            "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{label}\">\n<table>\n\
             {caption}<thead><tr><th scope=\"col\">{first}</th>{heads}</tr></thead>\n<tbody>\n\
             {rows}</tbody>\n</table>\n</div>\n"
        )
    }
}

/// Answers as a list.
pub fn list(answers: &[(String, String)]) -> String {
    let items = answers
        .iter()
        .map(|(about, said)| format!("<li>{}: {}</li>\n", escaped(about), escaped(said)));
    format!("<ul>\n{}</ul>\n", items.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup_or_leaves_its_attribute() {
        let hostile = "</h1><img src=x onerror='a' \"b\">&\u{202e}\u{1b}";
        let page = frame("", hostile, hostile, &Parts::default());
        assert!(!page.contains("<img") && !page.contains("onerror='"), "{page}");
        assert!(!escaped(hostile).contains(['<', '>', '"', '\'', '\u{202e}', '\u{1b}']));
        assert_eq!(encoded("a b&c=\"#é"), "a%20b%26c%3D%22%23%C3%A9");
    }

    #[test]
    fn the_policy_knows_the_style() {
        let page = frame("", "", "", &Parts::default());
        let (_, rest) = page.split_once("<style>").unwrap();
        let (style, _) = rest.split_once("</style>").unwrap();
        let digest = BASE64_STANDARD.encode(Sha256::digest(style));
        assert!(page.contains(&format!("style-src 'sha256-{digest}'")));
    }
}
