//! From the text of a mix file to a [`Mix`], with the line of every mistake.

use super::{Calls, LIBRARIES, Mix, Pieces, language_of_library};
use cupel_base::primitives;
use cupel_base::problem::{Problem, Written, did_you_mean};
use cupel_protocol::histogram::Histogram;
use cupel_protocol::workload::Operation;
use cupel_suite::MAX_AD;
use serde::Deserialize;
use serde_spanned::Spanned;
use std::path::Path;

/// The version of the format.
const FORMAT: i64 = 1;

/// The largest message of a mix, in bytes. Longer than any that can be measured, so that every
/// trace can be written down.
const MAX_SIZE: i64 = 1 << 40;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    format: Spanned<i64>,
    program: Option<String>,
    #[serde(rename = "date")]
    _date: Option<String>,
    cpu_seconds: Option<Spanned<f64>>,
    call_seconds: Option<Spanned<f64>>,
    trace_ns_per_call: Option<Spanned<f64>>,
    #[serde(default)]
    uncounted: Vec<String>,
    #[serde(default)]
    calls: Vec<Spanned<RawCalls>>,
    #[serde(default)]
    unknown: Vec<RawUnknown>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCalls {
    primitive: Spanned<String>,
    operation: Spanned<String>,
    contract: Option<Spanned<String>>,
    chunk: Option<Spanned<i64>>,
    ad: Option<Spanned<i64>>,
    key: Option<Spanned<String>>,
    library: Option<Spanned<String>>,
    language: Option<String>,
    sizes: Spanned<Vec<Spanned<(i64, i64)>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawUnknown {
    name: String,
    calls: Spanned<i64>,
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
}

/// Reads a mix; `path` is for messages.
///
/// # Errors
/// The first mistake, with its line and what to do.
pub fn parse(path: &Path, text: &str) -> Result<Mix, Problem> {
    let raw: Raw = toml::from_str(text).map_err(|e| Problem::of_toml(path, text, &e))?;
    let reader = Reader { path, text };
    if *raw.format.get_ref() != FORMAT {
        let what = format!("this is a mix of format {}", raw.format.get_ref());
        return Err(reader
            .at(raw.format.span().start, what)
            .help(format!("this version of cupel reads format {FORMAT}")));
    }
    if raw.calls.is_empty() {
        return Err(reader.at(0, "the mix has no [[calls]]").help(
            "write what is called: [[calls]], primitive = \"sha256\", operation = \"digest\", \
             sizes = [[64, 900], [16384, 100]]",
        ));
    }
    let calls = raw.calls.iter().map(|calls| reader.calls(calls)).collect::<Result<_, _>>()?;
    let unknown = raw.unknown.into_iter().map(|one| {
        let count = reader.count(*one.calls.get_ref(), one.calls.span().start)?;
        Ok((one.name, count))
    });
    Ok(Mix {
        path: path.to_path_buf(),
        program: raw.program,
        cpu_seconds: reader.seconds(raw.cpu_seconds.as_ref())?,
        call_seconds: reader.seconds(raw.call_seconds.as_ref())?,
        trace_ns_per_call: reader.seconds(raw.trace_ns_per_call.as_ref())?,
        uncounted: raw.uncounted,
        calls,
        unknown: unknown.collect::<Result<_, _>>()?,
    })
}

impl Reader<'_> {
    fn at(&self, offset: usize, what: impl Into<String>) -> Problem {
        Problem::at(self.path, self.text, offset, what)
    }

    /// A time, which is not negative.
    fn seconds(&self, raw: Option<&Spanned<f64>>) -> Result<Option<f64>, Problem> {
        let Some(raw) = raw else { return Ok(None) };
        let time = *raw.get_ref();
        if !(time.is_finite() && time >= 0.0) {
            return Err(self.at(raw.span().start, format!("{time} is not a time")));
        }
        Ok(Some(time))
    }

    fn count(&self, count: i64, at: usize) -> Result<u64, Problem> {
        let positive = u64::try_from(count).ok().filter(|count| *count > 0);
        positive.ok_or_else(|| self.at(at, format!("{count} calls: write 1 or more")))
    }

    fn one_of<T: Copy>(
        &self,
        raw: &Spanned<String>,
        what: &str,
        known: &[(&str, T)],
    ) -> Result<T, Problem> {
        let text = raw.get_ref();
        known.iter().find(|(name, _)| name == text).map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            let meant = did_you_mean(text, names.iter().copied(), Written::Value);
            let problem = self.at(raw.span().start, format!("unknown {what} \"{text}\""));
            problem.help(meant.unwrap_or(format!("the known ones are {}", names.join(", "))))
        })
    }

    fn calls(&self, raw: &Spanned<RawCalls>) -> Result<Calls, Problem> {
        let raw = raw.get_ref();
        let name = raw.primitive.get_ref();
        let primitive = primitives::meant(name).ok_or_else(|| {
            let at = raw.primitive.span().start;
            let problem = self.at(at, format!("unknown primitive \"{name}\""));
            problem.help(primitives::instead_of(name, "\""))
        })?;
        let mut operations: Vec<_> = primitive.operations.iter().map(|o| (o.name(), *o)).collect();
        operations.retain(|(_, operation)| {
            !matches!(
                operation,
                Operation::DigestMany | Operation::DigestFile | Operation::SealOpen
            )
        });
        let what = format!("operation of {}", primitive.name);
        let operation = self.one_of(&raw.operation, &what, &operations)?;
        let keys = [("kept", false), ("per-call", true)];
        let key = raw.key.as_ref().map(|key| self.one_of(key, "key", &keys)).transpose();
        if operation == Operation::Digest
            && let Some(key) = &raw.key
        {
            return Err(self.at(key.span().start, "a digest has no key").help("leave it out"));
        }
        Ok(Calls {
            primitive: primitive.name,
            operation,
            pieces: self.pieces(raw)?,
            ad: self.ad(raw, operation)?,
            key_per_call: key?.unwrap_or(false),
            library: self.library(raw)?,
            language: raw.language.clone(),
            sizes: self.sizes(&raw.sizes)?,
        })
    }

    fn library(&self, raw: &RawCalls) -> Result<Option<String>, Problem> {
        let Some(library) = &raw.library else { return Ok(None) };
        let name = library.get_ref();
        if raw.language.is_none() && language_of_library(name).is_none() {
            let known: Vec<&str> = LIBRARIES.iter().map(|(name, _)| *name).collect();
            let problem = self.at(library.span().start, format!("unknown library \"{name}\""));
            return Err(problem.help(format!(
                "write one of {}, or add the language of your program: language = \"c\"",
                known.join(", ")
            )));
        }
        Ok(Some(name.clone()))
    }

    fn pieces(&self, raw: &RawCalls) -> Result<Pieces, Problem> {
        let known = [("one-shot", false), ("chunks", true), ("unknown", true)];
        let contract = raw.contract.as_ref();
        let contract = contract.map(|c| self.one_of(c, "contract", &known)).transpose()?;
        let Some(chunk) = &raw.chunk else {
            return Ok(if contract == Some(true) { Pieces::Unknown } else { Pieces::One });
        };
        let at = chunk.span().start;
        if contract == Some(false) {
            return Err(self
                .at(at, "a message that comes in one piece has no `chunk`")
                .help("leave it out, or write contract = \"chunks\""));
        }
        let bytes = u32::try_from(*chunk.get_ref()).ok().filter(|bytes| *bytes > 0);
        let bytes = bytes.ok_or_else(|| {
            let what = format!("pieces of {} bytes", chunk.get_ref());
            self.at(at, what).help("write the typical size of a piece, from 1 to 2^32 - 1 bytes")
        })?;
        Ok(Pieces::Of(bytes))
    }

    fn ad(&self, raw: &RawCalls, operation: Operation) -> Result<Option<u32>, Problem> {
        let Some(ad) = &raw.ad else { return Ok((!operation.is_aead()).then_some(0)) };
        let at = ad.span().start;
        if !operation.is_aead() {
            let what = format!("a {operation} has no associated data");
            return Err(self.at(at, what).help("leave out `ad`"));
        }
        let bytes = u32::try_from(*ad.get_ref()).map_err(|_| {
            let what = format!("associated data of {} bytes", ad.get_ref());
            self.at(at, what).help(format!("up to {MAX_AD} bytes can be measured"))
        })?;
        Ok(Some(bytes))
    }

    fn sizes(&self, raw: &Spanned<Vec<Spanned<(i64, i64)>>>) -> Result<Vec<(u64, u64)>, Problem> {
        let mut sizes: Vec<(u64, u64)> = Vec::new();
        for pair in raw.get_ref() {
            let ((size, count), at) = (*pair.get_ref(), pair.span().start);
            if !(0..=MAX_SIZE).contains(&size) {
                return Err(self.at(at, format!("size {size} is not from 0 to 2^40 bytes")));
            }
            sizes.push((size as u64, self.count(count, at)?));
        }
        Histogram::new(sizes.clone()).map_err(|why| {
            self.at(raw.span().start, why).help("write sizes = [[bytes, calls], ...], ascending")
        })?;
        Ok(sizes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIX: &str = r#"
format = 1
program = "app"
date = "2026-11-24"
cpu_seconds = 2.0
call_seconds = 0.5
trace_ns_per_call = 38.0

[[calls]]
primitive = "sha256"
operation = "digest"
contract = "chunks"
library = "openssl"
sizes = [[64, 900], [16384, 100]]

[[calls]]
primitive = "aes-256-gcm"
operation = "seal"
key = "per-call"
ad = 13
chunk = 512
sizes = [[0, 1]]

[[unknown]]
name = "SHA3-384"
calls = 12
"#;

    #[test]
    fn a_mix_is_read_whole() {
        let mix = parse(Path::new("app.mix"), MIX).unwrap();
        assert_eq!((mix.total(), mix.share()), (1001, Some(0.25)));
        assert_eq!(mix.unknown, [("SHA3-384".to_string(), 12)]);
        let [hash, seal] = &mix.calls[..] else { panic!("{mix:?}") };
        assert_eq!(
            (hash.primitive, hash.operation, hash.pieces, hash.ad),
            ("sha256", Operation::Digest, Pieces::Unknown, Some(0))
        );
        assert_eq!(hash.library.as_deref(), Some("openssl"));
        assert_eq!(hash.sizes, [(64, 900), (16384, 100)]);
        assert!(seal.key_per_call && seal.library.is_none());
        assert_eq!((seal.ad, seal.pieces), (Some(13), Pieces::Of(512)));
        let without = MIX.replacen("ad = 13\nchunk = 512\n", "", 1);
        let seal = &parse(Path::new("app.mix"), &without).unwrap().calls[1];
        assert_eq!((seal.ad, seal.pieces), (None, Pieces::One), "it is not knowns associated data");
    }

    #[test]
    fn calls_that_take_longer_than_the_program_have_no_share() {
        let share = |calls: &str| {
            let text = MIX.replacen("call_seconds = 0.5", &format!("call_seconds = {calls}"), 1);
            let mix = parse(Path::new("app.mix"), &text).unwrap();
            (mix.share(), mix.contradicts_itself())
        };
        assert_eq!(share("2.0"), (Some(1.0), false));
        assert_eq!(share("2.02"), (Some(1.0), false), "what samples may be off by");
        assert_eq!(share("3.0"), (None, true));
        assert_eq!(share("0.0"), (None, false));
    }

    #[test]
    fn each_mistake_has_its_line() {
        for (right, wrong, line, said) in [
            ("format = 1", "format = 2", 2, "format 2"),
            ("cpu_seconds = 2.0", "cpu_seconds = -2.0", 5, "not a time"),
            ("cpu_seconds = 2.0", "cpu_secs = 2.0", 5, "unknown field `cpu_secs`"),
            ("\"sha256\"", "\"sha265\"", 10, "did you mean"),
            ("\"digest\"", "\"seal\"", 11, "unknown operation of sha256 \"seal\""),
            ("\"digest\"", "\"digest-many\"", 11, "unknown operation"),
            ("\"chunks\"", "\"pieces\"", 12, "unknown contract"),
            ("[64, 900]", "[64, 0]", 14, "0 calls"),
            ("[64, 900]", "[-1, 900]", 14, "not from 0"),
            ("[64, 900]", "[16384, 900]", 14, "do not ascend"),
            ("[[64, 900], [16384, 100]]", "[]", 14, "no sizes"),
            ("\"per-call\"", "\"each\"", 19, "unknown key"),
            ("ad = 13", "ad = -1", 20, "associated data of -1 bytes"),
            ("chunk = 512", "chunk = 0", 21, "pieces of 0 bytes"),
            ("chunk = 512", "contract = \"one-shot\"\nchunk = 512", 22, "has no `chunk`"),
            ("\"openssl\"", "\"OpenSSL\"", 13, "unknown library"),
            ("library = \"openssl\"", "ad = 1", 13, "a digest has no associated data"),
            ("calls = 12", "calls = 0", 26, "0 calls"),
        ] {
            assert!(MIX.contains(right), "{right}");
            let problem = parse(Path::new("app.mix"), &MIX.replacen(right, wrong, 1)).unwrap_err();
            let told = problem.to_string();
            assert!(told.contains(said), "{wrong}: {told}");
            assert_eq!(problem.line, line, "{wrong}: {told}");
        }
        assert!(
            parse(Path::new("x"), "format = 1").unwrap_err().to_string().contains("no [[calls]]")
        );
        let keyed = MIX.replacen("contract = \"chunks\"", "key = \"kept\"", 1);
        assert!(parse(Path::new("x"), &keyed).unwrap_err().to_string().contains("has no key"));
    }
}
