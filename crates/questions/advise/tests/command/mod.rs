//! Advice on stored runs and on mixes, asked of the command.

mod advise;
mod leaders;
mod mix;
