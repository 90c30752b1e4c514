//! `cupel kernels`: counts the cost of our own C library without an operating system.

use crate::qemu::{Fault, Qemu};
use crate::{words, write_image};
use anyhow::Result;
use clap::{ArgMatches, Args as _, FromArgMatches};
use cupel_base::home::Home;
use cupel_print::Format;
use cupel_store::Store;
use cupel_store::boot::Boot;
use cupel_suite as suite;
use cupel_verb::options::{Printing, among};
use cupel_verb::{Context, Exit, print, register};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The verb as the command lists it.
pub const VERB: register::Verb =
    register::Verb { name: "kernels", after: "install", options: Args::augment_args, run };

/// Count the instructions of our own C library
///
/// Under QEMU, Cupel counts instructions; booted on hardware without an operating system, it counts
/// cycles. Neither is a time, so Cupel keeps and shows these results apart from runs.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel kernels boot             boot under QEMU and count instructions
  cupel kernels image /mnt/usb   write a USB stick that counts cycles on a PC")]
struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Boot under QEMU, count instructions, print and save the table
    Boot(Run),
    /// Write a folder that a PC can boot from, as on a USB stick
    Image {
        /// The folder; other files in it are left alone
        folder: PathBuf,
    },
    Show(Show),
    /// List the boots
    List,
}

/// Show a boot, the last one by default
#[derive(clap::Args)]
#[command(mut_arg("format", |format| among(format, &[Format::Table, Format::Json])))]
struct Show {
    /// The boot's number
    boot: Option<i64>,
    #[command(flatten)]
    printing: Printing,
}

#[derive(clap::Args)]
#[command(mut_arg("format", |format| among(format, &[Format::Table, Format::Json])))]
struct Run {
    /// Write the image to this folder and boot it from there, to inspect the volume afterwards
    folder: Option<PathBuf>,
    /// How long a boot may take
    #[arg(long, value_name = "TIME", default_value = "120s", value_parser = suite::duration)]
    patience: Duration,
    /// A fault to inject, for tests
    #[arg(long, hide = true, value_enum)]
    inject: Option<Fault>,
    #[command(flatten)]
    printing: Printing,
}

fn run(context: &Context, found: &ArgMatches) -> Result<Exit> {
    match &Args::from_arg_matches(found)?.what {
        What::Image { folder } => {
            write_image(&context.home()?, folder)?;
            print(&format!(
                "{}: a PC can boot from this folder; README.txt in it says how\n",
                folder.display()
            ))?;
            Ok(Exit::Well)
        }
        What::Boot(args) => count(context, &context.home()?, args),
        What::Show(args) => {
            let store = Store::existing(&context.home_of_store()?.store)?;
            show(context, &store, args.boot, args.printing.format())
        }
        What::List => {
            let store = Store::existing(&context.home_of_store()?.store)?;
            let mut out = String::new();
            for id in store.boots()? {
                out += &(words::line(&store.boot(Some(id))?) + "\n");
            }
            if out.is_empty() {
                out = "there are no boots yet; start one with `cupel kernels boot`\n".to_string();
            }
            print(&out)?;
            Ok(Exit::Well)
        }
    }
}

fn count(context: &Context, home: &Home, args: &Run) -> Result<Exit> {
    let qemu = Qemu::find()?;
    let made = tempfile::tempdir()?;
    let folder: &Path = args.folder.as_deref().unwrap_or(made.path());
    let booted = write_image(home, folder).and_then(|()| {
        context.say("booting under QEMU; this takes some seconds");
        qemu.boot(folder, args.patience, args.inject)
    });
    let booted: Boot = booted?;
    let mut store = Store::open(&home.store)?;
    let (id, _) = store.keep_boot(&booted)?;
    show(context, &store, Some(id), args.printing.format())
}

fn show(context: &Context, store: &Store, id: Option<i64>, format: Format) -> Result<Exit> {
    let row = store.boot(id)?;
    print(&match format {
        Format::Json => words::json(&row),
        _ => words::draw(&row, context.style),
    })?;
    Ok(if row.boot.failed.is_empty() { Exit::Well } else { Exit::ContenderFailed })
}
