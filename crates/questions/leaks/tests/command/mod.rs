//! The question, asked of the command, and the places that show its verdicts.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod leak_verdicts;
mod planted;
