//! Claims of suites, on this machine and on every one, asked of the command.

mod machines;
mod suites;
