//! Both questions, asked of the command.

#[cfg(unix)]
mod causes;
mod paths;
