//! `cupel uefi`: the kernels without an operating system.

use super::{Context, Exit, print};
use crate::home::Home;
use crate::report::boot;
use crate::store::Store;
use crate::suite;
use crate::text::tell;
use crate::uefi::boot::Boot;
use crate::uefi::qemu::{Fault, Qemu};
use crate::uefi::write_image;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Count the kernels' instructions or cycles without an operating system
///
/// Under QEMU's emulation it counts instructions, and on hardware it counts cycles. Neither is a
/// time, so Cupel keeps and shows these results apart from runs.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel uefi run             boot under QEMU and count instructions
  cupel uefi image /mnt/usb  write a USB stick that counts cycles on a PC")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Write a folder that a PC can boot from, such as a USB stick's
    Image {
        /// The folder; other files in it are left alone
        folder: PathBuf,
    },
    /// Boot under QEMU, count instructions, print and save the table
    Run(Run),
    /// Show a boot, the last one by default
    Show {
        /// The boot's number
        boot: Option<i64>,
        /// Output format
        #[arg(long, value_enum, default_value = "table")]
        format: Form,
    },
    /// List the boots
    List,
}

#[derive(clap::Args)]
struct Run {
    /// Write the image to this folder and boot it from there, to inspect the volume afterwards
    folder: Option<PathBuf>,
    /// How long a boot may take
    #[arg(long, value_name = "TIME", default_value = "120s", value_parser = suite::duration)]
    time_limit: Duration,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: Form,
    /// A fault to inject, for tests
    #[arg(long, hide = true, value_enum)]
    inject: Option<Fault>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Form {
    Table,
    Json,
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    match &args.what {
        What::Image { folder } => {
            write_image(&home, folder)?;
            print(&format!(
                "{}: a PC can boot from this folder; README.txt in it says how\n",
                folder.display()
            ))?;
            Ok(Exit::Well)
        }
        What::Run(args) => count(context, &home, args),
        What::Show { boot, format } => {
            show(context, &Store::existing(&home.store)?, *boot, *format)
        }
        What::List => {
            let store = Store::existing(&home.store)?;
            let mut out = String::new();
            for id in store.boots()? {
                out += &(boot::line(&store.boot(Some(id))?) + "\n");
            }
            if out.is_empty() {
                out = "there are no boots yet; start one with `cupel uefi run`\n".to_string();
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
        if !context.quiet {
            tell("cupel: booting under QEMU; this takes some seconds");
        }
        qemu.boot(folder, args.time_limit, args.inject)
    });
    let booted: Boot = booted?;
    let mut store = Store::open(&home.store)?;
    let (id, _) = store.keep_boot(&booted)?;
    show(context, &store, Some(id), args.format)
}

fn show(context: &Context, store: &Store, id: Option<i64>, format: Form) -> Result<Exit> {
    let row = store.boot(id)?;
    match format {
        Form::Table => print(&boot::draw(&row, context.style))?,
        Form::Json => print(&boot::json(&row)?)?,
    }
    Ok(if row.boot.failed.is_empty() { Exit::Well } else { Exit::ContenderFailed })
}
