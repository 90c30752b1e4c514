//! A claim in one line, with signs or in words: `c/openssl-reused >= 1.5x c/openssl-oneshot`. Suites
//! and the command line write claims like this. On the command line names may be shortened: they are
//! words here, and whoever has the contenders resolves them.

use super::{Factor, Relation, quantity};
use cupel_base::name::ContenderName;
use cupel_base::problem::{Written, did_you_mean};

/// How the question begins that one claim is put to the test with.
pub const QUESTION: &str = "Does it hold that ";

/// A claim as it is written in one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// The contender that it is about: a name, perhaps a shortened one.
    pub a: String,
    /// The relation of `a` to `b`.
    pub relation: Relation,
    /// The contender that `a` is compared with: a name, perhaps a shortened one; `a` itself if
    /// nothing is compared.
    pub b: String,
    /// The line itself.
    pub text: String,
}

/// Reads a claim. `docs/guide/claims.md` lists the forms. Two contenders are equal within `margin`
/// if the line has no margin.
///
/// # Errors
/// A sentence that names the word not understood and shows two claims.
pub fn parse(text: &str, margin: f64) -> Result<Said, String> {
    let claim = words(text).and_then(|words| Line { words, next: 0, margin }.claim());
    let (a, relation, b) = claim.map_err(|wrong| {
        format!(
            "\"{}\" is not a claim: {wrong}; a claim is, for example, \
             \"c/libsodium >= 1.5x c/libgcrypt\" or \"c/libsodium faster than c/libgcrypt\"",
            text.trim()
        )
    })?;
    Ok(Said { a, relation, b, text: text.trim().to_string() })
}

/// The signs, which need no space around them.
const SIGNS: [&str; 9] = ["<", "<=", ">", ">=", "=", "==", "~", "+-", ".."];

/// A name that has a sign or a space in it stands between two of one of these.
const QUOTES: [char; 2] = ['\'', '"'];

/// A name as [`parse`] reads it.
pub(super) fn quoted(name: &str) -> String {
    let is_read = words(name).is_ok_and(|words| match &words[..] {
        [word] => word == name,
        [row, with, primitive] => with == "with" && format!("{row} with {primitive}") == name,
        _ => false,
    });
    if is_read {
        return name.to_string();
    }
    let quote = QUOTES[usize::from(name.contains(QUOTES[0]))];
    format!("{quote}{name}{quote}")
}

/// Words that are never names.
const FILLERS: [&str; 5] = ["is", "equals", "than", "takes", "as"];

/// Splits a line at its spaces and around its signs. Quoted text is one word.
fn words(text: &str) -> Result<Vec<String>, String> {
    let (mut words, mut rest) = (Vec::new(), text);
    while let Some(at) = opening_quote(rest) {
        let (before, quoted) = rest.split_at(at);
        let (quote, quoted) = quoted.split_at(1);
        let Some((name, left)) = quoted.split_once(quote) else {
            return Err(format!("{quote}{quoted} has no second {quote}"));
        };
        words.extend(unquoted(before));
        words.push(name.to_string());
        rest = left;
    }
    words.extend(unquoted(rest));
    Ok(words)
}

/// Where the first word begins that stands in quotes.
fn opening_quote(text: &str) -> Option<usize> {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if QUOTES.contains(&c) && (before.is_whitespace() || "<>=~".contains(before)) {
            return Some(at);
        }
        before = c;
    }
    None
}

fn unquoted(text: &str) -> impl Iterator<Item = String> {
    let text = text
        .replace('≥', ">=")
        .replace('≤', "<=")
        .replace('≈', "~")
        .replace('×', "x")
        .replace('±', " +-")
        .replace("+/-", "+-");
    let mut spaced = String::new();
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        if !"<>=~".contains(c) {
            spaced.push(c);
            continue;
        }
        spaced.extend([' ', c]);
        if let Some(equals) = characters.next_if_eq(&'=')
            && c != '~'
        {
            spaced.push(equals);
        }
        spaced.push(' ');
    }
    let mut words: Vec<String> = Vec::new();
    for word in spaced.split_whitespace() {
        match words.last_mut() {
            // `5 %` is one word.
            Some(last)
                if word == "%" && last.rsplit("+-").next().is_some_and(starts_with_digit) =>
            {
                last.push('%');
            }
            _ => words.push(word.to_string()),
        }
    }
    words.into_iter().flat_map(|word| parted(&word))
}

/// Parts a word at the signs that may also be in a name: `b+-5%`, but not `c/x@g++-12`, and
/// `1.5x..2x`.
fn parted(word: &str) -> Vec<String> {
    let (before, sign, after) = match (word.rsplit_once("+-"), word.split_once("..")) {
        (Some((name, share)), _) if share.is_empty() || is_share(share) => (name, "+-", share),
        (_, Some((low, high)))
            if [low, high].iter().all(|end| end.is_empty() || is_number(end)) =>
        {
            (low, "..", high)
        }
        _ => return vec![word.to_string()],
    };
    let parts = [before, sign, after].into_iter().filter(|part| !part.is_empty());
    parts.map(String::from).collect()
}

fn starts_with_digit(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

/// Whether a word is a number, with or without an x.
fn is_number(word: &str) -> bool {
    starts_with_digit(word) && word.strip_suffix('x').unwrap_or(word).parse::<f64>().is_ok()
}

/// Whether a word is a number with a percent sign.
fn is_share(word: &str) -> bool {
    starts_with_digit(word) && word.strip_suffix('%').is_some_and(is_number)
}

/// The words of a line, and how far it is read.
struct Line {
    words: Vec<String>,
    next: usize,
    margin: f64,
}

impl Line {
    fn claim(&mut self) -> Result<(String, Relation, String), String> {
        let is_of_leaks = self.skip(&["no", "leak", "of"]);
        let a = self.name(if is_of_leaks { "after \"of\"" } else { "at its beginning" })?;
        let (relation, b) = if is_of_leaks {
            self.skip(&["is", "seen"]);
            (Relation::NoLeak, a.clone())
        } else {
            self.relation(&a)?
        };
        if let Some(rest) = self.words.get(self.next..).filter(|rest| !rest.is_empty()) {
            let rest = rest.join(" ");
            let hint = if starts_with_digit(rest.trim_start_matches("+-")) {
                " (a tolerance is written +-5%)"
            } else if rest.starts_with("by more than") {
                " (write the least factor before the second name, as in >= 1.05x)"
            } else {
                ""
            };
            return Err(format!("\"{rest}\" at its end was not understood{hint}"));
        }
        if a == b && relation.is_of_times() {
            return Err(format!("it compares {a} with itself"));
        }
        Ok((a, relation, b))
    }

    /// The relation claimed for `a`, and the contender that it is compared with.
    fn relation(&mut self, a: &str) -> Result<(Relation, String), String> {
        self.skip(&["is"]);
        if self.at_factor() {
            return self.bare_factor();
        }
        let Some(word) = self.take() else {
            return Err(format!("it says nothing about {a}"));
        };
        // `at least`, `at most` and `not slower` are words with a hyphen elsewhere.
        let word = match (word.as_str(), self.peek()) {
            ("at", Some("least" | "most")) | ("not", Some("slower")) => {
                format!("{word}-{}", self.take().unwrap_or_default())
            }
            _ => word,
        };
        match word.as_str() {
            ">" | "<" if self.at_factor() => {
                Err(format!("\"{word}\" has no factor: write {word}= with one, or none"))
            }
            ">" | "faster" => Ok((Relation::Faster(None), self.other("than")?)),
            "<" | "slower" => Ok((Relation::Slower(None), self.other("than")?)),
            ">=" | "at-least" => Ok((Relation::AtLeast(self.factor(&word)?), self.compared()?)),
            "<=" | "at-most" => Ok((Relation::AtMost(self.factor(&word)?), self.compared()?)),
            "=" | "==" if self.at_factor() => {
                Err(format!("\"{word}\" has no factor: for a factor write ~, as in \"~ 1.5x\""))
            }
            "=" | "==" | "equal" | "equals" => {
                let b = self.other("to")?;
                self.no_least_difference(&b)?;
                Ok((Relation::Equal(self.margin()?), b))
            }
            "not-slower" => {
                let b = self.other("than")?;
                Ok((Relation::NotSlower(self.margin()?), b))
            }
            "~" | "about" => {
                let ratio = self.factor(&word)?;
                let b = self.compared()?;
                let tolerance = self.tolerance(&b)?;
                Ok((Relation::About(Factor { ratio, tolerance }), b))
            }
            "between" => {
                let low = self.end_of_range("between")?;
                self.range(low, "and")
            }
            "takes" => {
                let ratio = self.factor(&word)?;
                self.skip(&["as", "long", "as"]);
                let (factor, b) = self.with_direction(ratio)?;
                Ok((Relation::Slower(Some(factor)), b))
            }
            "overtakes" => self.overtakes(),
            "no-leak" => Err(format!(
                "in a suite write \"{}\"; `cupel verify --leaks` tests it",
                Relation::NoLeak.sentence(a, a)
            )),
            _ => {
                let known = did_you_mean(&word, Relation::WORDS, Written::Word);
                let known = known.map_or(String::new(), |known| format!(" ({known})"));
                Err(format!("\"{word}\" after {a} was not understood{known}"))
            }
        }
    }

    /// `1.5x..2x B`, or `2 times as fast as B`.
    fn bare_factor(&mut self) -> Result<(Relation, String), String> {
        let low = self.end_of_range("is")?;
        if self.peek() == Some("..") {
            return self.range(low, "..");
        }
        let shown = format!("{low}x");
        if self.skip(&AS_FAST_AS) {
            let (factor, b) = self.with_direction(low)?;
            return Ok((Relation::Faster(Some(factor)), b));
        }
        match self.peek() {
            Some("slower") => Err(format!(
                "\"{shown} slower\" can mean two things: write takes {shown} as long as the other"
            )),
            Some("faster") => Err(format!(
                "\"{shown} faster\" can mean two things: write >= {shown}, or ~ {shown} for about \
                 {low} times as fast"
            )),
            _ => Err(format!(
                "before \"{shown}\" there is no sign: write >= for at least, <= for at most, or ~ \
                 for about"
            )),
        }
    }

    /// The upper end of a range, after its lower one, and the other contender.
    fn range(&mut self, low: f64, between: &str) -> Result<(Relation, String), String> {
        if !self.skip(&[between]) {
            return Err(format!("after {low}x it has no \"{between}\" and no upper end"));
        }
        let high = self.factor(between)?;
        if low >= high {
            return Err(format!(
                "the range from {low}x to {high}x is empty: the lower end is first"
            ));
        }
        Ok((Relation::Between { low, high }, self.compared()?))
    }

    /// The other contender and the size of `A overtakes B at 1 KiB`.
    fn overtakes(&mut self) -> Result<(Relation, String), String> {
        let b = self.name("after \"overtakes\"")?;
        if !self.skip(&["at"]) {
            return Err("it does not say at which size: end it with \"at 1K\"".to_string());
        }
        self.skip(&["or", "below"]);
        let mut size = String::new();
        while self.peek().is_some_and(|word| word != "or") {
            size += &self.take().unwrap_or_default();
        }
        self.skip(&["or", "below"]);
        Ok((Relation::Overtakes(quantity::size(&size)?), b))
    }

    fn peek(&self) -> Option<&str> {
        self.words.get(self.next).map(String::as_str)
    }

    fn take(&mut self) -> Option<String> {
        let word = self.words.get(self.next).cloned();
        self.next += usize::from(word.is_some());
        word
    }

    /// Goes past these words if they come next.
    fn skip(&mut self, words: &[&str]) -> bool {
        let next = self.words[self.next..].iter().map(String::as_str).take(words.len());
        let found = next.eq(words.iter().copied());
        self.next += if found { words.len() } else { 0 };
        found
    }

    /// The name of a contender; in a choice, of a row.
    fn name(&mut self, place: &str) -> Result<String, String> {
        let Some(name) = self.take() else {
            return Err(format!("{place}, a contender's name is missing"));
        };
        let word = name.as_str();
        if word.is_empty()
            || SIGNS.contains(&word)
            || FILLERS.contains(&word)
            || Relation::WORDS.contains(&word)
            || is_number(word)
            || is_share(word)
        {
            return Err(format!("{place}, where a contender's name must be, it has \"{word}\""));
        }
        if !self.skip(&["with"]) {
            return Ok(name);
        }
        match self.take() {
            Some(primitive) => Ok(ContenderName::from(name).with_primitive(&primitive).to_string()),
            None => Err(format!("after \"{name} with\", the name of a primitive is missing")),
        }
    }

    /// The other contender, perhaps after a filler.
    fn other(&mut self, filler: &str) -> Result<String, String> {
        self.skip(&[filler]);
        self.name("at its end")
    }

    /// The other contender after a factor.
    fn compared(&mut self) -> Result<String, String> {
        self.skip(&AS_FAST_AS);
        self.name("after the factor")
    }

    /// Whether a factor comes next.
    fn at_factor(&self) -> bool {
        self.peek().is_some_and(is_number)
    }

    /// A factor with its unit: `1.5x`, `1.5 times`.
    fn factor(&mut self, after: &str) -> Result<f64, String> {
        let Some(word) = self.take() else {
            return Err(format!("after \"{after}\" a factor such as 1.5x is missing"));
        };
        let number = match word.strip_suffix('x') {
            Some(number) => number,
            None if self.skip(&["x"]) || self.skip(&["times"]) => word.as_str(),
            None => {
                return Err(format!(
                    "after \"{after}\", where a factor such as 1.5x must be, it has \"{word}\""
                ));
            }
        };
        quantity::ratio(number)
    }

    /// A factor with a second one after it, whose unit then holds for both.
    fn end_of_range(&mut self, after: &str) -> Result<f64, String> {
        let another =
            matches!(self.words.get(self.next + 1).map(String::as_str), Some(".." | "and"));
        match self.peek() {
            Some(number) if another && starts_with_digit(number) && !number.ends_with('x') => {
                let ratio = quantity::ratio(number);
                self.next += 1;
                ratio
            }
            _ => self.factor(after),
        }
    }

    /// A share at the end, if there is one: `+-5%`, `within 5%`, `by more than 5%`.
    fn share(&mut self, read: fn(&str) -> Result<f64, String>) -> Result<Option<f64>, String> {
        if !(self.skip(&["+-"]) || self.skip(&["within"]) || self.skip(&["by", "more", "than"])) {
            return Ok(None);
        }
        match self.take() {
            Some(share) if share.ends_with('%') => read(&share).map(Some),
            Some(share) => Err(format!("\"{share}\" has no percent sign: write +-5%")),
            None => Err("its tolerance is missing: write +-5%".to_string()),
        }
    }

    /// Rejects `by more than 5%` after words that say that two contenders do not differ.
    fn no_least_difference(&mut self, b: &str) -> Result<(), String> {
        if !self.skip(&["by", "more", "than"]) {
            return Ok(());
        }
        let share = self.peek().unwrap_or("5%").to_string();
        Err(format!(
            "\"by more than {share}\" is not a tolerance: if the two differ by at most that, write {b} \
             +-{share}; if the first may be faster, write not-slower than {b} by more than {share}"
        ))
    }

    /// The share by which two contenders may differ that are equal.
    fn margin(&mut self) -> Result<f64, String> {
        Ok(self.share(quantity::percent)?.unwrap_or(self.margin))
    }

    /// The share by which a factor may be off.
    fn tolerance(&mut self, b: &str) -> Result<f64, String> {
        if self.skip(&["by", "more", "than"]) {
            let share = self.peek().unwrap_or("5%");
            return Err(format!(
                "\"by more than {share}\" is not a tolerance: if the factor may be off by that, \
                 write {b} +-{share}"
            ));
        }
        Ok(self.share(quantity::tolerance)?.unwrap_or(Factor::TOLERANCE))
    }

    /// The factor of a sentence that also says which of the two is ahead, and the other contender.
    fn with_direction(&mut self, ratio: f64) -> Result<(Factor, String), String> {
        let b = self.name("after \"as\"")?;
        if ratio < 1.0 {
            return Err(format!("{ratio} is below 1: write ~ {ratio}x, or exchange the two names"));
        }
        Ok((Factor { ratio, tolerance: self.tolerance(&b)? }, b))
    }
}

const AS_FAST_AS: [&str; 3] = ["as", "fast", "as"];

#[cfg(test)]
mod tests {
    use super::super::{Claim, NewSuite, NewWorkload, Suite};
    use super::*;
    use std::path::Path;

    const A: &str = "c/openssl-reused";
    const B: &str = "c/openssl-oneshot";

    fn parse(line: &str) -> Result<Said, String> {
        super::parse(line, 0.02)
    }

    fn about(ratio: f64, tolerance: f64) -> Relation {
        Relation::About(Factor { ratio, tolerance })
    }

    /// Lines about A and B, with their relations. The first of each kind come from the
    /// documentation.
    fn lines() -> Vec<(&'static str, Relation)> {
        let faster = |ratio, tolerance| Relation::Faster(Some(Factor { ratio, tolerance }));
        let slower = |ratio, tolerance| Relation::Slower(Some(Factor { ratio, tolerance }));
        let (half, double) = (1.5, 2.0);
        let between = Relation::Between { low: half, high: double };
        vec![
            ("A >= 1.5x B", Relation::AtLeast(half)),
            ("A at-least 1.5x B", Relation::AtLeast(half)),
            ("A at least 1.5x as fast as B", Relation::AtLeast(half)),
            ("A is at least 1.5 times as fast as B", Relation::AtLeast(half)),
            ("A>=1.5x B", Relation::AtLeast(half)),
            ("A ≥ 1.5× B", Relation::AtLeast(half)),
            ("A >= 1.5 x B", Relation::AtLeast(half)),
            ("A >= .5x B", Relation::AtLeast(0.5)),
            ("A <= 2x B", Relation::AtMost(double)),
            ("A at-most 2x B", Relation::AtMost(double)),
            ("A at most 2x as fast as B", Relation::AtMost(double)),
            ("A<=2x B", Relation::AtMost(double)),
            ("A ≤ 0.8x B", Relation::AtMost(0.8)),
            ("A ~ 1.5x B", about(half, 0.2)),
            ("A ~ 1.5x B +-10%", about(half, 0.1)),
            ("A about 1.5x B", about(half, 0.2)),
            ("A is about 1.5x as fast as B within 10%", about(half, 0.1)),
            ("A~1.5x B+-10%", about(half, 0.1)),
            ("A ~ 1.5x B +- 10 %", about(half, 0.1)),
            ("A ~ 1.5x B+-10 %", about(half, 0.1)),
            ("A ≈ 0.8x B ±100%", about(0.8, 1.0)),
            ("A ~ 1.5x B +/-2.5%", about(half, 0.025)),
            ("A 1.5x..2x B", between),
            ("A between 1.5x and 2x B", between),
            ("A 1.5x .. 2x B", between),
            ("A 1.5..2x B", between),
            ("A 1.5x.. 2x B", between),
            ("A is between 1.5 and 2 times as fast as B", between),
            ("A > B", Relation::Faster(None)),
            ("A faster than B", Relation::Faster(None)),
            ("A is faster than B", Relation::Faster(None)),
            ("A>B", Relation::Faster(None)),
            ("  A   >   B  ", Relation::Faster(None)),
            ("A < B", Relation::Slower(None)),
            ("A slower than B", Relation::Slower(None)),
            ("A<B", Relation::Slower(None)),
            ("A = B", Relation::Equal(0.02)),
            ("A == B", Relation::Equal(0.02)),
            ("A equal to B", Relation::Equal(0.02)),
            ("A = B +-5%", Relation::Equal(0.05)),
            ("A=B+-5%", Relation::Equal(0.05)),
            ("A = B ± 5 %", Relation::Equal(0.05)),
            ("A equal to B within 5%", Relation::Equal(0.05)),
            ("A equals B within 5 %", Relation::Equal(0.05)),
            ("A not-slower than B", Relation::NotSlower(0.02)),
            ("A is not slower than B", Relation::NotSlower(0.02)),
            ("A not-slower than B by more than 5%", Relation::NotSlower(0.05)),
            ("A not-slower than B +-5%", Relation::NotSlower(0.05)),
            ("A overtakes B at 1K", Relation::Overtakes(1024)),
            ("A overtakes B at 1 KiB", Relation::Overtakes(1024)),
            ("A overtakes B at or below 1000", Relation::Overtakes(1000)),
            ("A overtakes B at 1 kB or below", Relation::Overtakes(1000)),
            ("A is 2x as fast as B", faster(double, 0.2)),
            ("A 2 times as fast as B", faster(double, 0.2)),
            ("A 2x as fast as B +-10%", faster(double, 0.1)),
            ("A takes 2x as long as B", slower(double, 0.2)),
            ("A takes 2x as long as B within 400 %", slower(double, 4.0)),
        ]
    }

    /// A line in which these are the contenders.
    fn said_of(line: &str, a: &str, b: &str) -> String {
        line.replacen('A', a, 1).replacen('B', b, 1)
    }

    #[test]
    fn every_form_is_read_with_any_name() {
        let names = [
            (A, B),
            ("openssl", "nettle"),
            ("jvm/jdk@temurin-25", "jvm/bc-1.78@temurin-17"),
            ("c/cupel-ssse3@gcc-12-O2", "c/cupel-ssse3@g++-12"),
            ("c/x@g++-12", "rust/sha2-0.10"),
            ("./runner/is.x", "2-way"),
            ("c/x-2x", "4x-lanes"),
            ("go/std with aes-128-gcm", "rust/ring with chacha20-poly1305"),
        ];
        for (line, relation) in lines() {
            for (a, b) in names {
                let line = said_of(line, a, b);
                let said = parse(&line).unwrap_or_else(|e| panic!("{e}"));
                assert_eq!((&said.a[..], &said.b[..]), (a, b), "{line}");
                assert_eq!(said.relation, relation, "{line}");
                assert_eq!(said.text, line.trim());
            }
        }
        let words = lines().iter().map(|(_, relation)| relation.word()).collect::<Vec<_>>();
        let compares = Relation::WORDS.iter().filter(|word| **word != Relation::NoLeak.word());
        assert!(compares.into_iter().all(|word| words.contains(word)), "one has no line");
    }

    #[test]
    fn a_line_about_leaks_names_one_contender() {
        for line in ["no leak of c/x is seen", "no leak of c/x"] {
            let said = parse(line).unwrap();
            assert_eq!((&said.a[..], said.relation, &said.b[..]), ("c/x", Relation::NoLeak, "c/x"));
        }
    }

    #[test]
    fn a_margin_that_is_not_said_is_that_of_the_suite() {
        for (line, margin) in [("a = b", 0.01), ("a not-slower than b", 0.01), ("a = b +-5%", 0.05)]
        {
            let said = super::parse(line, 0.01).unwrap();
            assert_eq!(said.relation.margin(), Some(margin), "{line}");
        }
    }

    #[test]
    fn what_is_not_understood_is_named_and_two_examples_are_shown() {
        for (line, named) in [
            ("", "at its beginning, a contender's name is missing"),
            ("A", "it says nothing about c/a"),
            ("A B", "\"c/b\" after c/a was not understood"),
            ("> B", "at its beginning, where a contender's name must be, it has \">\""),
            ("faster than B", "it has \"faster\""),
            ("A >", "at its end, a contender's name is missing"),
            ("A faster than", "at its end, a contender's name is missing"),
            ("A => B", "at its end, where a contender's name must be, it has \">\""),
            ("A fastre than B", "\"fastre\" after c/a was not understood (did you mean faster?)"),
            ("A overtaks B at 1K", "(did you mean overtakes?)"),
            ("A quicker than B", "\"quicker\" after c/a was not understood"),
            ("A >= B", "where a factor such as 1.5x must be, it has \"c/b\""),
            ("A >= 1.5 B", "where a factor such as 1.5x must be, it has \"1.5\""),
            ("A >= 1.5x", "after the factor, a contender's name is missing"),
            ("A >=", "after \">=\" a factor such as 1.5x is missing"),
            ("A >= 0x B", "\"0\" is not a ratio"),
            ("A >= -2x B", "\"-2\" is not a ratio"),
            ("A >= NaNx B", "\"NaN\" is not a ratio"),
            ("A > 1.5x B", "\">\" has no factor: write >= with one, or none"),
            ("A < 1.5x B", "\"<\" has no factor: write <= with one, or none"),
            ("A = 1.5x B", "for a factor write ~"),
            ("A 1.5x B", "before \"1.5x\" there is no sign"),
            ("A 2x faster than B", "\"2x faster\" can mean two things"),
            ("A 2x slower than B", "write takes 2x as long as"),
            ("A 0.5x as fast as B", "0.5 is below 1: write ~ 0.5x"),
            ("A 2x..1.5x B", "the range from 2x to 1.5x is empty"),
            ("A 2x..2x B", "the range from 2x to 2x is empty"),
            ("A between 1.5x 2x B", "after 1.5x it has no \"and\" and no upper end"),
            ("A between 1.5x and B", "where a factor such as 1.5x must be, it has \"c/b\""),
            ("A = B +-5", "\"+-5\" at its end was not understood (a tolerance is written +-5%)"),
            ("A = B within 5", "\"5\" has no percent sign"),
            ("A = B within", "its tolerance is missing"),
            ("A = B +-60%", "\"60%\" is not a share"),
            ("A ~ 2x B +-500%", "\"500%\" is not a tolerance"),
            (
                "A = B by more than 5%",
                "write c/b +-5%; if the first may be faster, write not-slower",
            ),
            ("A ~ 2x B by more than 5%", "\"by more than 5%\" is not a tolerance"),
            ("A > B by more than 5%", "write the least factor before the second name"),
            ("A 2x as fast as B +-500%", "\"500%\" is not a tolerance"),
            ("A takes 2x as long as B by more than 5%", "is not a tolerance"),
            ("'' > B", "where a contender's name must be, it has \"\""),
            ("A > 'B", "has no second '"),
            ("A no-leak", "write \"no leak of c/a is seen\""),
            ("no leak of", "after \"of\", a contender's name is missing"),
            ("no leak of A B", "\"c/b\" at its end was not understood"),
            ("A with", "after \"c/a with\", the name of a primitive is missing"),
            ("A > B +-5%", "\"+- 5%\" at its end was not understood"),
            ("A > B C", "\"C\" at its end was not understood"),
            ("A > B > C", "\"> C\" at its end was not understood"),
            ("A overtakes B", "it does not say at which size"),
            ("A overtakes B at", "is not a size"),
            ("A overtakes B at noon", "\"noon\" is not a size"),
            ("c/a > c/a", "it compares c/a with itself"),
        ] {
            let line = said_of(line, "c/a", "c/b");
            let wrong = parse(&line).expect_err(&line);
            assert!(wrong.starts_with(&format!("\"{line}\" is not a claim: ")), "{wrong}");
            assert!(wrong.contains(named), "{line}: no {named} in: {wrong}");
            let (_, examples) = wrong.rsplit_once("for example, ").expect("examples");
            let examples: Vec<&str> = examples.split('"').skip(1).step_by(2).collect();
            assert_eq!(examples.len(), 2, "{wrong}");
            assert!(examples.iter().all(|example| parse(example).is_ok()), "{wrong}");
        }
    }

    /// A suite with this claim, as it is read back from its text.
    fn suite(claim: Said) -> Suite {
        let work = NewWorkload {
            primitive: "sha256".to_string(),
            sizes: vec![16, 1024, 4096],
            claims: vec![claim],
            ..NewWorkload::default()
        };
        let question = "?".to_string();
        let suite = NewSuite {
            name: "q",
            question,
            forks: 2,
            first_forks: None,
            jit_forks: None,
            jit_first_forks: None,
            budget_s: None,
            workloads: vec![work],
        };
        let suite = suite.suite().unwrap();
        let read = Suite::parse(Path::new("q.toml"), suite.text.clone());
        let read = read.unwrap_or_else(|e| panic!("{e}\n{}", suite.text));
        assert_eq!(suite.claims.len(), read.claims.len());
        let [built, read_back] = [&suite, &read].map(|suite| suite.claims[0].clone());
        assert_eq!(Claim { line: built.line, ..read_back }, built);
        read
    }

    #[test]
    fn a_line_becomes_a_claim_of_a_suite_that_says_the_same() {
        for (line, relation) in lines() {
            let line = said_of(line, A, B);
            let suite = suite(parse(&line).unwrap());
            let [claim] = &suite.claims[..] else {
                panic!("{line}: {} claims", suite.claims.len())
            };
            assert_eq!((claim.a.as_str(), claim.b.as_str()), (A, B));
            assert_eq!(claim.relation, relation, "{line}");
            assert_eq!((&claim.source[..], &claim.quote[..]), ("command line", line.trim()));
        }
        let text = "\"\\\n\u{1b}[[claim]]'''".to_string();
        let hostile = Said { text: text.clone(), ..parse("a > b").unwrap() };
        assert_eq!(suite(hostile).claims[0].quote, text);
    }
}
