//! The lines of a runner, as the tool reads them, and the lines of the tool, as a runner reads
//! them.
#![no_main]

use cupel_protocol::line;
use cupel_protocol::message::{Computed, Done, Hello, List, Prepared, Reply, Request, Sliced};
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde::de::DeserializeOwned;

fuzz_target!(|bytes: &[u8]| {
    let mut from = bytes;
    let mut text = Vec::new();
    while line::read(&mut from, &mut text).is_ok() {
        again::<Request>(&text);
        again::<Reply<Hello>>(&text);
        again::<Reply<List>>(&text);
        again::<Reply<Prepared>>(&text);
        again::<Reply<Computed>>(&text);
        again::<Reply<Sliced>>(&text);
        again::<Reply<Done>>(&text);
    }
});

/// A message that was read is written as a line that is read again.
fn again<T: Serialize + DeserializeOwned>(text: &[u8]) {
    let Ok(message) = line::parse::<T>(text) else { return };
    let mut written = Vec::new();
    line::write(&mut written, &message).expect("memory takes all");
    assert_eq!(written.pop(), Some(b'\n'));
    line::parse::<T>(&written).expect("what was written is a message");
}
