//! Answers for people and programs: tables, Markdown, JSON, CSV and the page ([`report`]), and the
//! rows of the store ([`export`]). It decides nothing.

pub mod export;
pub mod report;
