//! Prints documents. This is the only code that knows a format.

mod drawing;
mod fitting;
mod markdown;
mod markup;
mod notes;
mod text;

pub use markdown::{folded, markdown};
pub use markup::escaped;
pub use text::text;

use cupel_base::text::inert_json;

/// JSON on several lines.
pub fn json(document: &serde_json::Value) -> String {
    inert_json(&format!("{document:#}\n"))
}
