//! Both questions, asked of the command.

mod paths;
#[cfg(unix)]
mod why;
