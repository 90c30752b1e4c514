//! A plan as the C library reads it.

use super::choice::{Choice, Chosen};
use std::fmt::Write;

/// The text of a plan: `cpu` is the line of its CPU, `date` the day of the measurement as
/// `2026-11-23`.
pub fn plan(cpu: &str, date: &str, chosen: &[Chosen]) -> String {
    let mut text = format!("cupel-plan 1\n{cpu}\ndate {date}\n");
    for one in chosen {
        if let Choice::Path { path, low, high } = &one.choice {
            let class = &one.class;
            let _ = writeln!(
                text,
                "{}-many {}+ {}+ {path} {low:.3} {high:.3}",
                class.primitive, class.count, class.size
            );
        }
    }
    text + "end\n"
}
