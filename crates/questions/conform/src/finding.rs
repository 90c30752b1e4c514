//! A finding: its place, the check, and what to do about it.

use cupel_protocol::line::LineError;
use cupel_runner::Fault;
use std::fmt;

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The part of the conversation that it belongs to.
    pub section: Section,
    /// The check, in a few words.
    pub check: String,
    /// The result.
    pub verdict: Verdict,
}

/// A part of the conversation. Findings of one section are printed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Section {
    /// The first exchange.
    Greeting,
    /// The program's list of contenders.
    List,
    /// The golden transcripts.
    Transcripts,
    /// The contender of this name.
    Contender(String),
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It conforms.
    Well,
    /// It conforms, but something deserves a look.
    Remark(String),
    /// It could not be checked, for this reason.
    Skipped(String),
    /// It does not conform.
    Wrong {
        /// The fault, in words.
        what: String,
        /// What to do about it.
        remedy: String,
    },
}

impl Verdict {
    /// Reports a fault and what to do about it.
    pub fn wrong(what: impl Into<String>, remedy: impl Into<String>) -> Verdict {
        Verdict::Wrong { what: what.into(), remedy: remedy.into() }
    }
}

impl Finding {
    /// The finding of a check that a runner completed, or that ended it.
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

/// The findings under the headings of their sections, with the verdict in the last line.
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

/// The verdict on all findings, in one line.
pub fn summary(findings: &[Finding]) -> String {
    let wrong = findings.iter().filter(|f| f.is_wrong()).count();
    let skipped = findings.iter().filter(|f| f.is_skipped()).count();
    let checks = findings.len() - skipped;
    match wrong {
        0 => format!("conforms: {checks} checks, {skipped} skipped"),
        _ => format!("does not conform: {wrong} of {checks} checks are wrong"),
    }
}

/// What to do about a runner that no longer answers.
fn remedy(fault: &Fault) -> &'static str {
    match fault {
        Fault::Start(_) => "give the path of an executable program",
        Fault::NoRoom { .. } | Fault::Starved { .. } | Fault::OutOfTime => {
            "check it again when less else runs on this machine"
        }
        Fault::Ended { during: "bye", .. } => "exit with status 0 after the reply to bye",
        Fault::Ended { .. } => {
            "answer every request, with `failed` and a reason if it cannot be done, and continue until \
             bye or the end of the input; standard error may say why it ended"
        }
        Fault::Silent { .. } => {
            "flush standard output after every reply, and answer each line before you read the next; if \
             the runner only needs longer, use --patience"
        }
        Fault::OutOfMemory { .. } => "use less memory, or check it on a machine that has more",
        Fault::Lost { .. } => "look for what sends signals on this machine, and check it again",
        Fault::Fills { .. } => "write less, to standard output and to files",
        Fault::Stays { .. } => "exit after the reply to bye, even if other threads still run",
        Fault::Garbled { error: LineError::Half(_) | LineError::End, .. } => {
            "end every reply with a line feed, and flush it before you exit"
        }
        Fault::Garbled { error: LineError::TooLong(_), .. } => {
            "write each reply as one JSON object and a line feed"
        }
        Fault::Garbled { error: LineError::Malformed { line, .. }, .. }
            if line.starts_with('{') =>
        {
            "give the reply the fields that SPEC.md lists for this request"
        }
        Fault::Garbled { .. } => {
            "write only replies to standard output, one JSON object per line; output of libraries \
             and your own messages belong on standard error"
        }
        Fault::OutOfStep { .. } => "repeat the id of the request in its reply, and answer in order",
        Fault::Refused { .. } => "support what the list offers, or do not list it",
    }
}
