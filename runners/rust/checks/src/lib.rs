//! What both Rust runners must do. Each check takes the path of a runner's program, asks it for its
//! list and applies the same rules to every contender on it. So a new contender is checked as soon
//! as it is listed.

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
