//! The marks of XML, as far as results need them: elements with their attributes, without text.

/// The beginning or the end of an element.
pub struct Mark<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether it ends here.
    pub is_end: bool,
    attributes: &'a str,
}

/// The marks of a text, without comments and declarations. An element that has nothing in it begins
/// and ends.
pub fn marks(text: &str) -> Vec<Mark<'_>> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let skipped = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>"), ("!", ">")];
        if let Some((_, end)) = skipped.iter().find(|(begin, _)| rest.starts_with(begin)) {
            rest = rest.split_once(end).map_or("", |(_, after)| after);
            continue;
        }
        let Some(end) = end(rest) else { break };
        let inside = &rest[..end];
        rest = &rest[end + 1..];
        let is_whole = inside.ends_with('/');
        let is_end = inside.starts_with('/');
        let inside = inside.trim_matches('/');
        let (name, attributes) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
        all.push(Mark { name, is_end, attributes });
        if is_whole {
            all.push(Mark { name, is_end: true, attributes: "" });
        }
    }
    all
}

/// Where a mark ends: a `>` inside quotes is none.
fn end(text: &str) -> Option<usize> {
    let mut quote = None;
    text.char_indices().find_map(|(at, c)| {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
        None
    })
}

impl Mark<'_> {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let mut rest = self.attributes;
        loop {
            let (key, after) = rest.split_once('=')?;
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| ['"', '\''].contains(c))?;
            let (value, after) = after[1..].split_once(quote)?;
            if key.trim() == name {
                return Some(plain(value));
            }
            rest = after;
        }
    }
}

/// A value with its entities replaced.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out += before;
        let Some((name, end)) = after.split_once(';').filter(|(name, _)| name.len() < 10) else {
            out.push('&');
            rest = after;
            continue;
        };
        let c = match name {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => numbered(name),
        };
        match c {
            Some(c) => out.push(c),
            None => out += &format!("&{name};"),
        }
        rest = end;
    }
    out + rest
}

/// The character of `#39` or `#x27`.
fn numbered(name: &str) -> Option<char> {
    let number = name.strip_prefix('#')?;
    let (digits, base) = number.strip_prefix('x').map_or((number, 10), |hex| (hex, 16));
    u32::from_str_radix(digits, base).ok().and_then(char::from_u32)
}
