//! The `cupel` command.

fn main() -> std::process::ExitCode {
    cupel::main()
}
