//! Results of other benchmarking programs, in every format.
#![no_main]

use cupel_gate::readers::{Format, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    look_at(bytes, None);
    for format in Format::ALL {
        look_at(bytes, Some(format));
    }
    let pattern = "lines:{}{name}{}: {time}{}".parse::<Format>();
    look_at(bytes, Some(pattern.expect("a pattern")));
});

fn look_at(bytes: &[u8], format: Option<Format>) {
    let Ok(document) = parse(bytes, format) else { return };
    let times = document.results.iter().filter_map(|row| row.ns);
    assert!(times.into_iter().all(|ns| ns.is_finite() && ns >= 0.0));
}
