//! Nothing: the benchmark is all there is.
