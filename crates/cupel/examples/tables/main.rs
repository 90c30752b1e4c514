//! Prints a table of the pages from the declarations in `contenders/`: `cargo run --example tables
//! -- languages|coverage|paths`.

mod coverage;
mod steered;

use cupel_base::home::Home;

fn main() -> anyhow::Result<()> {
    let families = cupel_contender::families(&Home::find(None)?)?;
    let which = std::env::args().nth(1).unwrap_or_default();
    let table = match which.as_str() {
        "languages" => coverage::by_language(&families),
        "coverage" => coverage::markdown(&families),
        "paths" => steered::markdown(&families),
        _ => anyhow::bail!("usage: tables languages|coverage|paths"),
    };
    print!("{table}");
    Ok(())
}
