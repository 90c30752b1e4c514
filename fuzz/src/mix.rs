//! A mix of calls, and the suite that is made of it.
#![no_main]

use cupel_advise::mix;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|text: &str| {
    if let Ok(parsed) = mix::parse(Path::new("fuzzed.mix"), text) {
        let _ = (parsed.total(), parsed.share(), parsed.contradicts_itself());
        let _ = mix::works(&parsed);
    }
});
