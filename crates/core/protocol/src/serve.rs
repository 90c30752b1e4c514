//! The runner's side: reads requests and answers each one. A bad request does not end it.

use crate::PROTOCOL;
use crate::line::{self, LineError};
use crate::message::{
    Ask, Audit, Compute, Computed, Done, Hello, List, Outcome, Prepare, Prepared, Refusal, Reply,
    Request, Slice, Sliced,
};
use serde::Serialize;
use std::io::{self, BufRead, Write};

/// The interface of a runner. Each method is one request.
pub trait Runner {
    /// Which runner this is.
    fn hello(&mut self) -> Hello;
    /// Its contenders.
    fn list(&mut self) -> Outcome<List>;
    /// Prepares a cell.
    fn prepare(&mut self, ask: &Prepare) -> Outcome<Prepared>;
    /// Computes outputs.
    fn compute(&mut self, ask: &Compute) -> Outcome<Computed>;
    /// Runs one timed batch.
    fn slice(&mut self, ask: &Slice) -> Outcome<Sliced>;
}

/// Serves requests until `bye` or the end of the input.
///
/// # Errors
/// The errors of the streams. A bad request is answered; it is not an error.
pub fn serve(
    runner: &mut impl Runner,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    loop {
        match line::read(&mut input, &mut bytes) {
            Ok(()) => {}
            Err(LineError::End) => return Ok(()),
            Err(LineError::Io(e)) => return Err(e),
            Err(e) => {
                let refusal = Refusal::because(e.to_string());
                return reply(&mut output, 0, Outcome::<Done>::Failed(refusal));
            }
        }
        let request: Request = match line::parse(&bytes) {
            Ok(request) => request,
            Err(e) => {
                refuse(&mut output, &bytes, &e)?;
                continue;
            }
        };
        let id = request.id;
        match request.ask {
            Ask::Hello { protocol, .. } if protocol != PROTOCOL => {
                let reason = format!("this runner speaks protocol {PROTOCOL}, not {protocol}");
                let remedy = "use the runner and the tool of one release".to_string();
                let refusal = Refusal { reason, remedy: Some(remedy) };
                reply(&mut output, id, Outcome::<Done>::Unsupported(refusal))?;
            }
            Ask::Hello { .. } => reply(&mut output, id, Outcome::Ok(runner.hello()))?,
            Ask::List => reply(&mut output, id, runner.list())?,
            Ask::Prepare(ask) => reply(&mut output, id, runner.prepare(&ask))?,
            Ask::Compute(ask) => reply(&mut output, id, runner.compute(&ask))?,
            Ask::Slice(ask) | Ask::Audit(Audit { slice: ask, .. }) => {
                reply(&mut output, id, runner.slice(&ask))?
            }
            Ask::Bye => return reply(&mut output, id, Outcome::Ok(Done {})),
        }
    }
}

/// Answers a line that is not a valid request: `unsupported` if it belongs to a later protocol,
/// otherwise `failed`, with the number of the request if it can be read.
fn refuse(output: &mut impl Write, bytes: &[u8], error: &LineError) -> io::Result<()> {
    const KNOWN: [&str; 6] = ["hello", "list", "prepare", "compute", "slice", "bye"];
    let value: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
    let id = value["id"].as_u64().unwrap_or(0);
    match value["ask"].as_str() {
        Some(ask) if !KNOWN.contains(&ask) => {
            let asked = line::excerpt(ask.as_bytes());
            let refusal =
                Refusal::because(format!("this runner does not know the request {asked}"));
            reply(output, id, Outcome::<Done>::Unsupported(refusal))
        }
        _ => reply(output, id, Outcome::<Done>::Failed(Refusal::because(error.to_string()))),
    }
}

fn reply<T: Serialize>(output: &mut impl Write, id: u64, outcome: Outcome<T>) -> io::Result<()> {
    line::write(output, &Reply { id, outcome })
}
