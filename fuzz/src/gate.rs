//! The output of a gate's programs, from the first execution to the verdict.
#![no_main]

use anyhow::Result;
use cupel_gate::judge::judge;
use cupel_gate::program::{Executed, How, summarised};
use cupel_gate::readers::parse;
use cupel_gate::record::{Record, Side};
use cupel_gate::session::{self, Execute};
use libfuzzer_sys::fuzz_target;

/// The outputs of a program, execution by execution, and again from the first one.
struct Outputs<'a> {
    all: Vec<&'a [u8]>,
    executed: usize,
}

impl Execute for Outputs<'_> {
    fn execute(&mut self, _side: Side, _how: How) -> Result<Executed> {
        let output = self.all[self.executed % self.all.len()];
        self.executed += 1;
        let document = parse(output, None)?;
        let reads = document.format.name().to_string();
        Ok(Executed { seconds: 1.0, reads, ..summarised(document.results) })
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut outputs = Outputs { all: bytes.split(|byte| *byte == 0).collect(), executed: 0 };
    let mut record = Record { margin: 0.02, error: 0.05, budget: 60.0, ..Record::default() };
    if let Ok(judged) = session::run(&mut record, &mut outputs, &mut |_| {}) {
        assert_eq!(judged.compared.len(), judge(&record).compared.len());
        // As it is stored.
        let text = serde_json::to_string(&record).expect("JSON");
        let read: Record = serde_json::from_str(&text).expect("what was written");
        let _ = judge(&read);
    }
});
