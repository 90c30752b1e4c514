//! Whether the execution of a contender depends on secrets: `cupel verify --leaks`.
//!
//! `secrets` chooses keys and messages, `traces` compares the steps of calls with them, and `timed`
//! times calls whose steps cannot be compared, which `by_time` decides. `words` has the report, and
//! `verb` keeps each verdict in the store: from then on it is a fact about that code, which the
//! core shows next to its speed. The command lists [`ASKED`].

mod by_time;
mod secrets;
mod timed;
mod traces;
mod verb;
mod words;

use anyhow::Result;
use clap::{ArgMatches, FromArgMatches};
use cupel_print::Format;
use cupel_verb::options::{Printing, among};
use cupel_verb::register::{self, INSTEAD, added};
use cupel_verb::verified::Verified;
use cupel_verb::{Context, Exit};

/// The question as the command lists it.
pub const ASKED: register::Asked = register::Asked {
    verb: "verify",
    options: added::<Leaks>,
    answer,
    examples: "  cupel verify --leaks aes-256-gcm seal 64,1K c/mine 'rust/*'
  cupel verify --leaks --contract ad=13 aes-256-gcm seal 64 c/mine\n",
};

/// Its options.
#[derive(clap::Args)]
#[command(mut_arg("format", |format| {
    among(format, &[Format::Table, Format::Json]).requires("leaks")
}))]
struct Leaks {
    /// See whether calls depend on secrets: by their instructions or, if Cupel cannot compare
    /// these, by their times. Give the primitive, then in any order an operation, sizes (64,1K if
    /// there are none) and contenders
    ///
    /// Cupel steps through calls with one key and one set of messages, and through the same calls
    /// with others. A contender leaks if the secret changes which instructions are executed, which
    /// addresses are touched, or the operands of an instruction whose time depends on them, such as
    /// a division (docs/guide/leaks.md). This is a test, not a proof. Code that is compiled while it
    /// runs, or has its own threads, is timed instead: calls with different secrets alternate in
    /// the same process. Cupel keeps the verdict, and shows it next to the contender's speed.
    #[arg(long, group = INSTEAD, display_order = 0)]
    leaks: bool,
    /// How many bytes of associated data each message of seal or open has, such as ad=13 (with
    /// --leaks)
    #[arg(long = "contract", value_name = "AD", requires = "leaks", display_order = 1,
          value_parser = associated_data)]
    ad: Option<u32>,
    #[command(flatten)]
    printing: Printing,
}

/// Reads `ad=13`, the only part of a contract that a leak test can vary.
fn associated_data(text: &str) -> Result<u32, String> {
    let length = text.strip_prefix("ad=").and_then(|length| length.parse().ok());
    length.filter(|length| *length <= cupel_suite::MAX_AD).ok_or_else(|| {
        format!("write ad= and a length in bytes up to {}, such as ad=13", cupel_suite::MAX_AD)
    })
}

fn answer(context: &Context, found: &ArgMatches) -> Option<Result<Exit>> {
    let own = Leaks::from_arg_matches(found).ok()?;
    if !own.leaks {
        return None;
    }
    let verified = Verified::from_arg_matches(found).map_err(anyhow::Error::from);
    let format = own.printing.format();
    Some(verified.and_then(|verified| verb::run(context, &verified, own.ad, format)))
}
