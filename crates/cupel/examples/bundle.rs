//! Writes the bundle that the packaged crate contains: `cargo run --example bundle -- FILE`.

#[path = "../pack.rs"]
mod pack;

use std::path::Path;

fn main() -> std::io::Result<()> {
    let file = std::env::args_os().nth(1).expect("the file to write");
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    pack::pack(&checkout, Path::new(&file), &|_| ())
}
