//! The content of a program, by its symbol table.

/// Whether a program that was not stripped has a symbol of exactly this name.
pub fn links(program: &str, symbol: &str) -> bool {
    let program = std::fs::read(program).expect("the program");
    // Names are separated by zero bytes in the string table.
    let name = format!("\0{symbol}\0");
    program.windows(name.len()).any(|window| window == name.as_bytes())
}
