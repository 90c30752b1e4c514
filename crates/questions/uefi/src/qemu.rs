//! A boot under QEMU's emulation, which counts instructions, with a time limit: a hanging program
//! without an operating system reports nothing.

use super::volume::Volume;
use super::{missing, needed};
use anyhow::{Context, Result, bail};
use cupel_store::boot::{self, Boot};
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use tempfile::TempPath;

/// The firmware and the file of its variables, where distributions install them.
const FIRMWARE: [(&str, &str); 6] = [
    ("/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"),
    ("/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd"),
    ("/usr/share/edk2/x64/OVMF_CODE.4m.fd", "/usr/share/edk2/x64/OVMF_VARS.4m.fd"),
    ("/usr/share/edk2/ovmf/OVMF_CODE.fd", "/usr/share/edk2/ovmf/OVMF_VARS.fd"),
    ("/usr/share/qemu/ovmf-x86_64-code.bin", "/usr/share/qemu/ovmf-x86_64-vars.bin"),
    ("/opt/homebrew/share/qemu/edk2-x86_64-code.fd", "/opt/homebrew/share/qemu/edk2-i386-vars.fd"),
];

/// Counting: 2^4 ticks per instruction. With one tick, the firmware's own waits, which follow the
/// clock, would take sixteen times as many instructions: half a minute.
const COUNTING: [&str; 2] = ["-icount", "shift=4,sleep=off"];

/// Far more than a boot writes. Firmware that reports faults without end is stopped here.
const MOST_LOG: usize = 4 << 20;

/// A fault to inject, for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Fault {
    /// The program never ends.
    Hang,
    /// The program learns that instructions are counted, but they are not.
    Mislabelled,
}

/// The emulator and its firmware.
pub struct Qemu {
    program: PathBuf,
    firmware: (PathBuf, PathBuf),
}

/// QEMU, killed when this is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Qemu {
    /// Finds both.
    ///
    /// # Errors
    /// If one is missing, with the command that installs it.
    pub fn find() -> Result<Qemu> {
        let program = needed("qemu-system-x86_64", "qemu-system-x86")?;
        let firmware = FIRMWARE
            .iter()
            .map(|(code, variables)| (PathBuf::from(code), PathBuf::from(variables)))
            .find(|(code, variables)| code.is_file() && variables.is_file())
            .with_context(|| missing("there is no UEFI firmware for QEMU", "ovmf"))?;
        Ok(Qemu { program, firmware })
    }

    /// Boots the image of a folder and reads the program's output on the serial port and on its
    /// volume, which must agree. The results are also written to the folder, as on a stick.
    ///
    /// # Errors
    /// If it does not end within the limit, or its output is incomplete.
    pub fn boot(&self, folder: &Path, limit: Duration, fault: Option<Fault>) -> Result<Boot> {
        let hang = if fault == Some(Fault::Hang) { " hang" } else { "" };
        let program = folder.join("EFI/BOOT/BOOTX64.EFI");
        let volume = Volume::make(&program, &format!("icount poweroff{hang}\n"))?;
        let log = self.serial_log(volume.path(), limit, fault)?;
        let mut boots = boot::read(&log).context("the serial log")?.boots;
        let boot = match (boots.pop(), boots.is_empty()) {
            (Some(boot), true) => boot,
            _ => bail!("the serial log has more than one boot"),
        };
        let results = volume.results()?;
        if results != boot.lines.as_bytes() {
            bail!("the volume and the serial port have different results");
        }
        let kept = folder.join("cupel/results.jsonl");
        std::fs::create_dir_all(folder.join("cupel"))
            .and_then(|()| OpenOptions::new().create(true).append(true).open(&kept))
            .and_then(|mut file| file.write_all(&results))
            .with_context(|| format!("cannot write {}", kept.display()))?;
        Ok(boot)
    }

    fn serial_log(&self, volume: &Path, limit: Duration, fault: Option<Fault>) -> Result<Vec<u8>> {
        // The firmware writes its variables into a temporary copy.
        let variables = copy_of(&self.firmware.1)?;
        let child = self
            .command(volume, &variables, fault)
            .spawn()
            .with_context(|| format!("{} cannot be started", self.program.display()))?;
        let mut qemu = Running(child);
        let mut serial = qemu.0.stdout.take().context("no serial port")?;
        let mut complaints = qemu.0.stderr.take().context("no standard error")?;
        let (to_us, pieces) = channel();
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(n @ 1..) = serial.read(&mut piece) {
                if to_us.send(piece[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        let said = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = complaints.by_ref().take(1 << 16).read_to_end(&mut text);
            String::from_utf8_lossy(&text).trim().to_string()
        });
        let deadline = Instant::now() + limit;
        let mut log = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match pieces.recv_timeout(left) {
                Ok(piece) => log.extend(piece),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                    bail!("{}", hung(&log, limit));
                }
            }
            if log.len() > MOST_LOG {
                bail!("the serial port does not stop writing; its last line: {}", last_line(&log));
            }
        }
        let status = qemu.0.wait()?;
        drop(qemu);
        if !status.success() {
            bail!("QEMU ended with {status}: {}", said.join().unwrap_or_default());
        }
        Ok(log)
    }

    fn command(&self, volume: &Path, variables: &Path, fault: Option<Fault>) -> Command {
        let mut command = Command::new(&self.program);
        let flash = |unit: u32, more: &str, path: &Path| {
            let mut drive = OsString::from(format!("if=pflash,format=raw,unit={unit}{more},file="));
            drive.push(path.to_string_lossy().replace(',', ",,"));
            drive
        };
        let disk = format!(
            "if=none,id=volume,format=raw,file={}",
            volume.to_string_lossy().replace(',', ",,")
        );
        command
            // Only emulation counts instructions.
            .args(["-machine", "q35,accel=tcg", "-cpu", "max", "-m", "128"])
            .args(COUNTING.iter().filter(|_| fault != Some(Fault::Mislabelled)))
            .args(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"])
            .arg("-drive")
            .arg(flash(0, ",readonly=on", &self.firmware.0))
            .arg("-drive")
            .arg(flash(1, "", variables))
            .args(["-drive", &disk])
            .args(["-device", "virtio-blk-pci,drive=volume", "-serial", "stdio"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// A temporary copy of a file, deleted when this is dropped.
fn copy_of(path: &Path) -> Result<TempPath> {
    let made = tempfile::Builder::new().prefix("cupel-").suffix(".fd").tempfile();
    let copy = made.context("cannot make a temporary file")?.into_temp_path();
    std::fs::copy(path, &copy).with_context(|| format!("cannot write {}", copy.display()))?;
    Ok(copy)
}

/// Reports how far a boot came that did not end.
fn hung(log: &[u8], limit: Duration) -> String {
    let began = String::from_utf8_lossy(log).contains("CUPEL {");
    let what = if began {
        "the program began and did not end"
    } else {
        "the firmware did not start the program"
    };
    format!(
        "{what} within {} s, and was stopped (--patience sets another limit); the serial port's last line: {}",
        limit.as_secs_f64(),
        last_line(log)
    )
}

fn last_line(log: &[u8]) -> String {
    let text = String::from_utf8_lossy(log);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    line.unwrap_or("none").chars().take(160).collect()
}
