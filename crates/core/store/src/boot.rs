//! The output of a boot, by the serial port or in a file: JSON Lines, from a record `boot` to a
//! record `end` with their number and SHA-256. A log that lost a character is rejected.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// The unit of the time stamp counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counter {
    /// Instructions of the guest, counted by QEMU's emulation.
    Instructions,
    /// Cycles of the CPU: the counter's ticks divided by the ticks of a chain of multiplications of
    /// known length.
    Cycles,
    /// Nothing that is related to the code.
    None,
}

impl Counter {
    /// The unit of a count.
    pub fn unit(self) -> &'static str {
        match self {
            Counter::Instructions => "instructions",
            Counter::Cycles => "cycles",
            Counter::None => "nothing",
        }
    }
}

/// The machine that was booted, and how the program was built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    format: u32,
    /// Version of the kernels.
    pub version: String,
    /// The counter that was read.
    pub counter: Counter,
    /// If nothing was counted, the reason.
    #[serde(default)]
    pub why: String,
    /// How many ticks of the counter are one instruction.
    ticks_per_instruction: u64,
    /// The cycles that the two chains around a slice take together.
    chain_cycles: u64,
    /// The CPU's own name.
    pub cpu: String,
    /// Its family, model and stepping, as `cpuid` reports them.
    pub signature: u32,
    /// The hypervisor, if one reports itself.
    #[serde(default)]
    pub hypervisor: String,
    /// The way in which AVX was enabled.
    pub avx: String,
    /// The CPU features that select code.
    pub features: Vec<String>,
    /// The vendor of the firmware.
    #[serde(default)]
    pub firmware: String,
    /// The firmware's clock, in an unknown time zone.
    #[serde(default)]
    pub clock: String,
    /// The compiler of the program.
    pub compiler: String,
    /// Its flags.
    pub flags: String,
}

/// An implementation that answered correctly, answered wrongly, or could not run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Implementation {
    /// Its primitive.
    pub primitive: String,
    /// Its name.
    #[serde(rename = "implementation")]
    pub name: String,
    /// The official vectors that it was checked against.
    #[serde(default)]
    pub vectors: u64,
    /// The number of all checked answers.
    #[serde(default)]
    pub cases: u64,
    /// Why it failed or is missing.
    #[serde(default)]
    pub reason: String,
}

/// The raw counts of one implementation at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Its primitive; `none` for the call that does nothing.
    pub primitive: String,
    /// Its name.
    pub implementation: String,
    /// The size of a message, in bytes.
    pub size: u64,
    /// The number of calls in a slice.
    pub calls: u64,
    /// The ticks of each slice.
    ticks: Vec<u64>,
    /// If cycles are counted: the ticks of the chains around each slice.
    #[serde(default)]
    chain: Vec<u64>,
}

/// One line of a log.
#[derive(Deserialize)]
#[serde(tag = "cupel", rename_all = "kebab-case")]
enum Record {
    Boot(Head),
    Verified(Implementation),
    Failed(Implementation),
    Missing(Implementation),
    Cell(Cell),
    End { records: u64, sha256: String },
}

/// A complete, checked boot.
#[derive(Clone, Debug, PartialEq)]
pub struct Boot {
    /// Machine and build.
    pub head: Head,
    /// Implementations that answered correctly.
    pub verified: Vec<Implementation>,
    /// Implementations that answered wrongly. Their counts are dropped.
    pub failed: Vec<Implementation>,
    /// Implementations that this machine cannot run.
    pub missing: Vec<Implementation>,
    /// The cells that were counted.
    pub cells: Vec<Cell>,
    /// SHA-256 of the records, as the last of them states it.
    pub sha256: String,
    /// All records, one per line.
    pub lines: String,
}

/// The boots of a log.
#[derive(Debug, PartialEq)]
pub struct Log {
    /// The complete boots.
    pub boots: Vec<Boot>,
    /// How many boots began but did not end: the machine was reset, or the log cut off.
    pub cut: usize,
}

/// Why a log is rejected.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// It is something else.
    #[error("it has no results of a boot: neither a line with {BEGIN}boot\" nor a run of cupel")]
    Nothing,
    /// A boot began and did not end.
    #[error(
        "its boot was cut off before the end, so it is unknown what is lost; \
         use \\cupel\\results.jsonl from the boot volume, or boot again"
    )]
    Cut,
    /// A record cannot be understood.
    #[error("line {line}: {what}")]
    Record {
        /// The line, from 1.
        line: usize,
        /// The fault, in words.
        what: String,
    },
}

/// The beginning of every record. On a serial line, other text may precede it.
pub(crate) const BEGIN: &str = "{\"cupel\":\"";

/// The format that this version reads.
const FORMAT: u32 = 1;

/// A boot in progress.
#[derive(Default)]
struct Draft {
    head: Option<Head>,
    verified: Vec<Implementation>,
    failed: Vec<Implementation>,
    missing: Vec<Implementation>,
    cells: Vec<Cell>,
    lines: String,
}

/// Whether a text contains a record of a boot.
pub fn is_log(bytes: &[u8]) -> bool {
    bytes.windows(BEGIN.len()).any(|at| at == BEGIN.as_bytes())
}

/// Reads a serial log or `results.jsonl`.
///
/// # Errors
/// If it has no complete boot, or an impossible record.
pub fn read(bytes: &[u8]) -> Result<Log, LogError> {
    let text = String::from_utf8_lossy(bytes);
    let mut log = Log { boots: Vec::new(), cut: 0 };
    let mut draft: Option<Draft> = None;
    for (line, text) in (1..).zip(text.lines()) {
        let Some(at) = text.find(BEGIN) else { continue };
        let json = text[at..].trim_end();
        let record: Record = serde_json::from_str(json)
            .map_err(|e| LogError::Record { line, what: damaged(json, &e) })?;
        if let Record::Boot(head) = record {
            log.cut += usize::from(draft.is_some());
            if head.format != FORMAT {
                let what = format!("format {} is unknown: use a newer cupel", head.format);
                return Err(LogError::Record { line, what });
            }
            draft =
                Some(Draft { head: Some(head), lines: format!("{json}\n"), ..Draft::default() });
            continue;
        }
        let Some(open) = draft.as_mut() else {
            // The beginning of this boot was lost.
            log.cut += usize::from(matches!(record, Record::End { .. }));
            continue;
        };
        match record {
            Record::Boot(_) => unreachable!("starts a draft"),
            Record::Verified(one) => open.verified.push(one),
            Record::Failed(one) => open.failed.push(one),
            Record::Missing(one) => open.missing.push(one),
            Record::Cell(cell) => open.cells.push(cell),
            Record::End { records, sha256 } => {
                let whole = draft.take().unwrap_or_default();
                let boot = whole.seal(records, sha256, json);
                log.boots.push(boot.map_err(|what| LogError::Record { line, what })?);
                continue;
            }
        }
        open.lines += json;
        open.lines.push('\n');
    }
    log.cut += usize::from(draft.is_some());
    match (log.boots.len(), log.cut) {
        (0, 0) => Err(LogError::Nothing),
        (0, _) => Err(LogError::Cut),
        _ => Ok(log),
    }
}

fn damaged(json: &str, error: &serde_json::Error) -> String {
    let start: String = json.chars().take(40).collect();
    format!("the record {start}… cannot be read: {error}; boot again, or use results.jsonl")
}

impl Draft {
    fn seal(self, records: u64, sha256: String, end: &str) -> Result<Boot, String> {
        let found = self.lines.lines().count() as u64;
        if found != records {
            return Err(format!("the boot wrote {records} records, but {found} are here"));
        }
        if hex::encode(Sha256::digest(self.lines.as_bytes())) != sha256 {
            return Err("the records differ from those that the boot wrote (SHA-256 differs); \
                        a serial line loses characters, results.jsonl does not"
                .to_string());
        }
        let head = self.head.ok_or("no record names the machine")?;
        let boot = Boot {
            head,
            verified: self.verified,
            failed: self.failed,
            missing: self.missing,
            cells: self.cells,
            sha256,
            lines: format!("{}{end}\n", self.lines),
        };
        boot.check()?;
        Ok(boot)
    }
}

impl Boot {
    /// Checks that the records agree with each other: only verified code is counted.
    fn check(&self) -> Result<(), String> {
        if self.head.counter == Counter::None && !self.cells.is_empty() {
            return Err("there are counts, but nothing was counted".to_string());
        }
        if self.head.ticks_per_instruction == 0 || self.head.chain_cycles == 0 {
            return Err("the counter's rate is 0".to_string());
        }
        let mut seen = BTreeSet::new();
        for cell in &self.cells {
            let name = format!("{} of {} at {} B", cell.primitive, cell.implementation, cell.size);
            if !seen.insert((&cell.primitive, &cell.implementation, cell.size)) {
                return Err(format!("{name} appears twice"));
            }
            let chains = if self.head.counter == Counter::Cycles { cell.ticks.len() } else { 0 };
            let counts = cell.ticks.iter().chain(&cell.chain);
            if cell.size == 0
                || cell.calls == 0
                || cell.ticks.is_empty()
                || cell.chain.len() != chains
                || counts.into_iter().any(|&count| count == 0)
            {
                return Err(format!("the counts of {name} are impossible"));
            }
            let own = (&cell.primitive, &cell.implementation);
            let is_verified = self.verified.iter().any(|one| (&one.primitive, &one.name) == own);
            if !cell.is_empty() && !is_verified {
                return Err(format!("{name} was counted but not verified"));
            }
        }
        Ok(())
    }

    /// The median and the smallest count of a cell: per byte, or per call if the call does nothing.
    pub fn count(&self, cell: &Cell) -> (f64, f64) {
        let units = cell.calls as f64 * if cell.is_empty() { 1.0 } else { cell.size as f64 };
        let mut counts: Vec<f64> = match self.head.counter {
            Counter::Cycles => {
                let ticks = cell.ticks.iter().zip(&cell.chain);
                let cycles = self.head.chain_cycles as f64;
                ticks.map(|(&ticks, &chain)| ticks as f64 / chain as f64 * cycles).collect()
            }
            _ => {
                let per = self.head.ticks_per_instruction as f64;
                cell.ticks.iter().map(|&ticks| ticks as f64 / per).collect()
            }
        };
        counts.sort_by(f64::total_cmp);
        let middle = counts.len() / 2;
        let median = if counts.len() % 2 == 1 {
            counts[middle]
        } else {
            (counts[middle - 1] + counts[middle]) / 2.0
        };
        (median / units, counts[0] / units)
    }

    /// Whether another cell of this implementation failed. Its other counts are then meaningless.
    pub fn has_failed(&self, cell: &Cell) -> bool {
        self.failed
            .iter()
            .any(|one| one.primitive == cell.primitive && one.name == cell.implementation)
    }
}

impl Cell {
    /// Whether the call does nothing.
    pub fn is_empty(&self) -> bool {
        self.primitive == "none"
    }

    /// The number of counted slices.
    pub fn slices(&self) -> usize {
        self.ticks.len()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A boot's records with their matching end.
    pub fn sealed(records: &[&str]) -> String {
        let lines: String = records.iter().map(|r| format!("{r}\n")).collect();
        let sum = hex::encode(Sha256::digest(lines.as_bytes()));
        format!("{lines}{{\"cupel\":\"end\",\"records\":{},\"sha256\":\"{sum}\"}}\n", records.len())
    }

    pub fn head(counter: &str) -> String {
        format!(
            "{{\"cupel\":\"boot\",\"format\":1,\"version\":\"0.1.0\",\"counter\":\"{counter}\",\
             \"why\":\"\",\"ticks_per_instruction\":16,\"chain_cycles\":192000,\"cpu\":\"a CPU\",\
             \"signature\":1,\"hypervisor\":\"\",\"avx\":\"on already\",\"features\":[\"avx2\"],\
             \"compiler\":\"clang\",\"flags\":\"-O2\"}}"
        )
    }

    pub const VERIFIED: &str = "{\"cupel\":\"verified\",\"primitive\":\"sha1\",\
                                \"implementation\":\"cupel-avx2\",\"vectors\":97,\"cases\":2572}";

    pub fn cell(more: &str) -> String {
        format!(
            "{{\"cupel\":\"cell\",\"primitive\":\"sha1\",\"implementation\":\"cupel-avx2\",\
             \"size\":64,\"calls\":10,{more}}}"
        )
    }

    fn error(text: &str) -> String {
        read(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn instructions_are_ticks_over_the_ticks_of_one() {
        let cell = cell("\"ticks\":[102400,204800,112640]");
        let text = sealed(&[&head("instructions"), VERIFIED, &cell]);
        let log = read(text.as_bytes()).unwrap();
        let boot = &log.boots[0];
        assert_eq!(boot.count(&boot.cells[0]), (11.0, 10.0));
        assert_eq!(boot.lines, text);
    }

    #[test]
    fn cycles_are_ticks_over_those_of_the_chain_whatever_the_counters_rate() {
        // Twice the frequency halves both; 640 bytes at 3 cycles.
        for rate in [1, 2] {
            let (slice, chain) = (1920 / rate, 192_000 / rate);
            let cell = cell(&format!("\"ticks\":[{slice}],\"chain\":[{chain}]"));
            let log = read(sealed(&[&head("cycles"), VERIFIED, &cell]).as_bytes()).unwrap();
            assert_eq!(log.boots[0].count(&log.boots[0].cells[0]), (3.0, 3.0));
        }
    }

    #[test]
    fn a_serial_log_may_have_other_words_around_the_records() {
        let text = sealed(&[&head("instructions"), VERIFIED, &cell("\"ticks\":[640]")]);
        let noisy: String =
            text.lines().map(|l| format!("\u{1b}[2JBdsDxe: starting\r\nCUPEL {l}\r\n")).collect();
        assert_eq!(read(noisy.as_bytes()), read(text.as_bytes()));
        let mut bytes = vec![0xff, 0xfe, b'\n'];
        bytes.extend(noisy.as_bytes());
        assert_eq!(read(&bytes), read(text.as_bytes()));
    }

    #[test]
    fn a_log_that_lost_something_is_refused() {
        let text = sealed(&[&head("instructions"), VERIFIED, &cell("\"ticks\":[6400,6400]")]);
        assert!(error(&text.replacen("6400", "640", 1)).contains("SHA-256 differs"));
        assert!(error(&text.replacen(&format!("{VERIFIED}\n"), "", 1)).contains("wrote 3 records"));
        assert!(error(&text.replacen("\"ticks\":[", "\"ticks\":", 1)).contains("line 3"));
        let cut: Vec<&str> = text.lines().collect();
        assert!(error(&cut[..3].join("\n")).contains("cut off"));
        assert!(error(&cut[1..].join("\n")).contains("cut off"));
        assert!(error("nothing of ours").contains("no results of a boot"));
        let two = format!("{}\n{text}", cut[..2].join("\n"));
        let log = read(two.as_bytes()).unwrap();
        assert_eq!((log.boots.len(), log.cut), (1, 1));
    }

    #[test]
    fn a_boot_that_contradicts_itself_is_refused() {
        let with = |counter: &str, records: &[&str]| {
            let head = head(counter);
            error(&sealed(&[&[head.as_str()], records].concat()))
        };
        let good = cell("\"ticks\":[640]");
        assert!(with("instructions", &[&good]).contains("not verified"));
        assert!(with("none", &[VERIFIED, &good]).contains("nothing was counted"));
        assert!(with("instructions", &[VERIFIED, &good, &good]).contains("twice"));
        assert!(with("cycles", &[VERIFIED, &good]).contains("are impossible"));
        for bad in ["\"ticks\":[]", "\"ticks\":[0]", "\"ticks\":[1],\"chain\":[1]"] {
            assert!(
                with("instructions", &[VERIFIED, &cell(bad)]).contains("are impossible"),
                "{bad}"
            );
        }
        assert!(with("times", &[VERIFIED]).contains("line 1"));
        let newer = sealed(&[&head("cycles").replace("\"format\":1", "\"format\":2"), VERIFIED]);
        assert!(error(&newer).contains("newer cupel"));
    }
}
