//! The code that two contenders execute, and the conclusions from it: whether an implementation's
//! default misses a faster code path of its own (`cupel ask --paths`), and which measured
//! difference accounts for the ratio of two contenders' times (`cupel ask --why`). Each has its
//! decision in `mod.rs`, its report in `words.rs`, and carries its run out in `verb.rs`. The
//! command lists [`PATHS`] and [`WHY`].

mod paths;
mod why;

use anyhow::Result;
use clap::{ArgMatches, FromArgMatches};
use cupel_verb::register::{Asked, INSTEAD, added};
use cupel_verb::words::OneLine;
use cupel_verb::{Context, Exit};

/// The question about code paths as the command lists it.
pub const PATHS: Asked = Asked {
    verb: "ask",
    options: added::<Paths>,
    answer: answer_paths,
    examples: "  cupel ask --paths sha256               is each SHA-256 on its fastest path?
  cupel ask --paths aes-256-gcm seal libgcrypt          one library\n",
};

/// The question about a ratio as the command lists it.
pub const WHY: Asked = Asked {
    verb: "ask",
    options: added::<Why>,
    answer: answer_why,
    examples: "  cupel ask --why openssl-oneshot openssl-reused sha256 16   why so much slower?\n",
};

/// The option that asks about code paths.
#[derive(clap::Args)]
struct Paths {
    /// Compare the code path that each implementation chooses with those that it can be forced to
    /// take, and say where its choice is slower. Names mean implementations
    ///
    /// Without names, Cupel compares all implementations with forced paths (`forced_path_of` in the
    /// files of `contenders/`). A finding needs a decided difference and different code. Cupel does
    /// not rely on the code path that a library reports: after the run, it steps through one call
    /// of each contender, one instruction at a time, and prints the executed instructions (on Linux
    /// with an x86-64 CPU). Where it cannot, it compares the reports of the libraries: different ones
    /// count as different code, and equal ones prove nothing. The exit status is 0 if no default is
    /// slower, 1 if one misses faster code, else 2.
    #[arg(long, group = INSTEAD, help_heading = "What", display_order = 0)]
    paths: bool,
}

/// The option that asks about a ratio.
#[derive(clap::Args)]
struct Why {
    /// Compare two contenders, and say which measured difference explains the ratio of their times
    ///
    /// After the run, Cupel steps through one call of each (as with `--paths`) and counts the
    /// instructions of each function. The answer says whether the slower contender executes more
    /// instructions or slower ones, and which function has most of them. With three sizes, it also
    /// says whether the difference is in each call or in each byte. The exit status is 0 if a
    /// measured difference explains the ratio at every size, else 2.
    #[arg(long, num_args = 2, value_names = ["A", "B"], group = INSTEAD, display_order = 0)]
    why: Vec<String>,
}

fn answer_paths(context: &Context, found: &ArgMatches) -> Option<Result<Exit>> {
    let Paths { paths } = Paths::from_arg_matches(found).ok()?;
    if !paths {
        return None;
    }
    let line = OneLine::from_arg_matches(found).map_err(anyhow::Error::from);
    Some(line.and_then(|line| paths::run(context, &line)))
}

fn answer_why(context: &Context, found: &ArgMatches) -> Option<Result<Exit>> {
    let Why { why } = Why::from_arg_matches(found).ok()?;
    if why.is_empty() {
        return None;
    }
    let line = OneLine::from_arg_matches(found).map_err(anyhow::Error::from);
    Some(line.and_then(|line| why::run(context, &line, &why)))
}
