//! The text that a verb prints, before and after a format is chosen: headings, lines and tables go
//! into a `document`, and only `print` knows formats. It depends on no run and no question; each of
//! those puts its own words into a document.

pub mod document;
mod findings;
pub mod number;
pub mod print;
pub mod style;

pub use findings::Findings;
pub use style::{Format, OF_RUN, Style};
