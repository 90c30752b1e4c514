//! What was found: where, of what, and what to do about it.

use crate::runner::Fault;
use cupel_protocol::line::LineError;
use std::fmt;

/// What came of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which part of the talk it belongs to.
    pub section: Section,
    /// What was checked, in a few words.
    pub check: String,
    /// What came of it.
    pub verdict: Verdict,
}

/// A part of the talk. Findings of one section stand together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Section {
    /// The first exchange.
    Greeting,
    /// What the program says that it hosts.
    List,
    /// The golden transcripts.
    Transcripts,
    /// The contender of this name.
    Contender(String),
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Well,
    /// It holds, and something about it deserves a look.
    Remark(String),
    /// It could not be checked, for this reason.
    Skipped(String),
    /// It does not hold.
    Wrong {
        /// What is wrong.
        what: String,
        /// What to do about it.
        remedy: String,
    },
}

impl Verdict {
    /// Something is wrong, and this is to be done about it.
    pub fn wrong(what: impl Into<String>, remedy: impl Into<String>) -> Verdict {
        Verdict::Wrong { what: what.into(), remedy: remedy.into() }
    }
}

impl Finding {
    /// The finding of a check that a runner went through, or did not survive.
    pub fn new(
        section: &Section,
        check: impl Into<String>,
        came: Result<Verdict, Fault>,
    ) -> Finding {
        let verdict = came
            .unwrap_or_else(|fault| Verdict::wrong(format!("the runner {fault}"), remedy(&fault)));
        Finding { section: section.clone(), check: check.into(), verdict }
    }

    /// Whether the program must be changed.
    pub fn is_wrong(&self) -> bool {
        matches!(self.verdict, Verdict::Wrong { .. })
    }

    /// Whether nothing was checked.
    pub fn is_skipped(&self) -> bool {
        matches!(self.verdict, Verdict::Skipped(_))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let check = &self.check;
        match &self.verdict {
            Verdict::Well => write!(f, "ok      {check}"),
            Verdict::Remark(what) => write!(f, "remark  {check}: {what}"),
            Verdict::Skipped(why) => write!(f, "skipped {check}: {why}"),
            Verdict::Wrong { what, remedy } => write!(f, "WRONG   {check}: {what}: {remedy}"),
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Section::Greeting => f.write_str("greeting"),
            Section::List => f.write_str("list"),
            Section::Transcripts => f.write_str("transcripts (protocol/transcripts)"),
            Section::Contender(name) => write!(f, "contender {name}"),
        }
    }
}

/// The findings under the headings of their sections, and the verdict over all in the last line.
pub fn report(findings: &[Finding]) -> String {
    let mut text = String::new();
    let mut section = None;
    for finding in findings {
        if section != Some(&finding.section) {
            section = Some(&finding.section);
            text += &format!("{}\n", finding.section);
        }
        text += &format!("  {finding}\n");
    }
    text + &summary(findings) + "\n"
}

/// The verdict over all findings in one line.
pub fn summary(findings: &[Finding]) -> String {
    let wrong = findings.iter().filter(|f| f.is_wrong()).count();
    let skipped = findings.iter().filter(|f| f.is_skipped()).count();
    let checks = findings.len() - skipped;
    match wrong {
        0 => format!("conforms: {checks} checks, {skipped} skipped"),
        _ => format!("does not conform: {wrong} of {checks} checks are wrong"),
    }
}

/// What to do about a runner that can no longer be talked to.
fn remedy(fault: &Fault) -> &'static str {
    match fault {
        Fault::Start(_) => "give the path of a program that may be executed",
        Fault::Ended { during: "bye", .. } => "leave with status 0 after the reply to bye",
        Fault::Ended { .. } => {
            "answer every request, what cannot be done with `failed` and a reason, and go on until \
             bye or the end of the input; standard error may say why it ended"
        }
        Fault::Silent { .. } => {
            "flush standard output after every reply, and answer each line before reading on; a \
             runner that only needs longer gets it with --patience"
        }
        Fault::Stays { .. } => "leave after the reply to bye, also where other threads still run",
        Fault::Garbled { error: LineError::Half(_) | LineError::End, .. } => {
            "end every reply with a line feed, and flush it before leaving"
        }
        Fault::Garbled { error: LineError::TooLong(_), .. } => {
            "write one JSON object and a line feed a reply"
        }
        Fault::Garbled { error: LineError::Malformed { line, .. }, .. }
            if line.starts_with('{') =>
        {
            "give the reply the fields that SPEC.md names for this request"
        }
        Fault::Garbled { .. } => {
            "write nothing but replies to standard output, one JSON object a line; a library's \
             words and your own go to standard error"
        }
        Fault::OutOfStep { .. } => "repeat the id of the request in its reply, and answer in order",
        Fault::Refused { .. } => "do what the list offers, or do not list it",
    }
}
