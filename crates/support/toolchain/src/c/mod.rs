//! Compilers of C, and their builds: objects of the native runner, matrices of compilers and flags,
//! WebAssembly.

pub mod cc;
pub mod compiler;
pub mod debian;
pub mod folders;
pub mod hide;
pub mod kept;
pub mod launch;
pub mod layout;
pub mod loads;
pub mod matrix;
pub mod native;
pub mod packages;
pub mod wasm;
pub mod zig;
