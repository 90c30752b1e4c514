//! The runner of crates that need a newer Rust than the tool does.

mod rind;
mod rscrypto;

use cupel_rust_contender::Contender;
use cupel_rust_contender::empty::EMPTY;

const CONTENDERS: &[Contender] = &[rind::RIND, rscrypto::RSCRYPTO, EMPTY];

fn main() -> std::io::Result<()> {
    cupel_rust_contender::serve("rust-new", CONTENDERS)
}
