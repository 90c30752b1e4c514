//! Empty: Cargo wants a target besides the benchmark.
