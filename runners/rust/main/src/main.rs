//! The runner of Rust crates.

mod contenders;

fn main() -> std::io::Result<()> {
    cupel_rust_contender::serve("rust", contenders::CONTENDERS)
}
