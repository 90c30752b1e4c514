//! A mix: how often a program calls which primitive, at which sizes. `cupel trace` writes it,
//! people write it by hand, and `cupel advise --mix` measures it.

mod answer;
mod effect;
mod money;
mod read;
mod work;

pub use answer::{Answer, Rest};
pub use effect::{Change, Doubt, Effect, Unsaid};
pub use money::Saving;
pub use read::parse;
pub use work::{Work, Works, suite, works};

use cupel_base::problem::{Problem, text_of};
use cupel_protocol::workload::Operation;
use std::path::{Path, PathBuf};

/// The libraries whose callers are known, each with their language: those that a trace counts, and
/// those that a mix by hand names.
pub const LIBRARIES: [(&str, &str); 10] = [
    ("openssl", "c"),
    ("libgcrypt", "c"),
    ("go", "go"),
    ("node", "node"),
    ("cryptography", "python"),
    ("jdk", "jvm"),
    ("bouncycastle", "jvm"),
    ("accp", "jvm"),
    ("conscrypt", "jvm"),
    ("java", "jvm"),
];

/// The language of the callers of a library, if it is known.
pub fn language_of_library(library: &str) -> Option<&'static str> {
    LIBRARIES.iter().find(|(name, _)| *name == library).map(|(_, language)| *language)
}

/// A mix file.
#[derive(Clone, Debug, PartialEq)]
pub struct Mix {
    /// Its path, for messages.
    pub path: PathBuf,
    /// The traced program.
    pub program: Option<String>,
    /// Processor time of the program, user and system, in seconds.
    pub cpu_seconds: Option<f64>,
    /// Processor time inside the calls, in seconds.
    pub call_seconds: Option<f64>,
    /// The cost of tracing a call of three functions, in ns.
    pub trace_ns_per_call: Option<f64>,
    /// Other cryptographic code in the program, whose calls could not be counted.
    pub uncounted: Vec<String>,
    /// Its calls.
    pub calls: Vec<Calls>,
    /// Its calls that are not in the catalogue, with their number.
    pub unknown: Vec<(String, u64)>,
}

/// The calls of one operation of one primitive.
#[derive(Clone, Debug, PartialEq)]
pub struct Calls {
    /// The primitive's standard name.
    pub primitive: &'static str,
    /// The operation of the primitive.
    pub operation: Operation,
    /// In which pieces each message comes.
    pub pieces: Pieces,
    /// The bytes of associated data of each message; `None` if the mix does not have it.
    pub ad: Option<u32>,
    /// Whether the key is set for each message.
    pub key_per_call: bool,
    /// The library that is called: one of [`LIBRARIES`], or any other if the mix names the language.
    pub library: Option<String>,
    /// The language of the caller, if it differs from the library's: Python calls OpenSSL.
    pub language: Option<String>,
    /// Sizes of messages in bytes with their number of calls, ascending.
    pub sizes: Vec<(u64, u64)>,
}

/// In which pieces a message comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pieces {
    /// In one.
    One,
    /// In several of about this many bytes.
    Of(u32),
    /// In several of unknown size.
    Unknown,
}

impl Mix {
    /// Reads a mix from a file.
    ///
    /// # Errors
    /// The first mistake, with its line and what to do.
    pub fn load(path: &Path) -> Result<Mix, Problem> {
        parse(path, &text_of(path)?)
    }

    /// The number of calls.
    pub fn total(&self) -> u64 {
        let counts = self.calls.iter().flat_map(|calls| &calls.sizes).map(|(_, count)| *count);
        counts.fold(0, u64::saturating_add)
    }

    /// The share of the program's processor time that is spent in the calls, as far as the mix has
    /// it. Samples may add up to a little more than all. Far more comes from processes that the
    /// program did not wait for, or from another clock, and then the share is not known.
    pub fn share(&self) -> Option<f64> {
        const MOST: f64 = 1.1;
        let share = self.call_seconds? / self.cpu_seconds?;
        (share > 0.0 && share <= MOST).then_some(share.min(1.0))
    }

    /// Whether its calls take far longer than its whole program.
    pub fn contradicts_itself(&self) -> bool {
        let times = self.call_seconds.zip(self.cpu_seconds);
        times.is_some_and(|(calls, _)| calls > 0.0) && self.share().is_none()
    }
}
