//! The requirements of every Rust runner. Each check takes the path of a runner's program, asks it
//! for its list and applies the same rules to every contender on it. So a new contender is checked
//! as soon as it is listed.

mod answers;
mod known;
mod listing;
mod slices;
mod symbols;
mod talk;

pub use answers::{
    a_prefix_comes_before_every_message, chunks_change_nothing,
    files_are_digested_whole_every_time, known_answers_are_given, what_is_not_authentic_is_refused,
    what_is_not_offered_is_unsupported,
};
pub use listing::{family_file_agrees, versions_and_licences_are_the_packages_own};
#[cfg(target_os = "linux")]
pub use slices::code_is_moved_to_pages_of_the_process;
pub use slices::the_fold_of_a_slice_is_that_of_its_outputs;
pub use symbols::links;

/// Defines the path of a runner's program as `RUNNER`, and as tests: that its family's file and the
/// packages agree with its list, and each of the named checks.
#[macro_export]
macro_rules! check_runner {
    ($program:literal, $family:literal: $($check:ident),+ $(,)?) => {
        const RUNNER: &str = env!(concat!("CARGO_BIN_EXE_", $program));

        fn beside(path: &str) -> std::path::PathBuf {
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
        }

        #[test]
        fn the_family_file_agrees_with_the_runner() {
            let file = concat!("../../contenders/", $family, ".toml");
            $crate::family_file_agrees(RUNNER, &beside(file));
        }

        #[test]
        fn versions_and_licences_are_the_packages_own() {
            $crate::versions_and_licences_are_the_packages_own(RUNNER, &beside("Cargo.toml"));
        }

        $(
            #[test]
            fn $check() {
                $crate::$check(RUNNER);
            }
        )+
    };
}
