//! Writes the manual, a page for `cupel` and one for each verb, into a folder:
//! `cargo run --example manual -- FOLDER`.

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).expect("the folder to write into"));
    std::fs::create_dir_all(&folder)?;
    clap_mangen::generate_to(cupel::command(), folder)
}
