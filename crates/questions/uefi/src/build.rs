//! Builds the UEFI application: the kernels and `runners/uefi`, with clang and LLVM's linker. The
//! tools run in the repository's root with relative names, so that the program contains no path of
//! this machine.

use super::needed;
use anyhow::{Context, Result, bail};
use cupel_base::home::Home;
use cupel_toolchain::first_error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Printed by the program, and the mark by which an image is recognised.
pub const SIGN: &str = "Cupel: the kernels before any operating system";

/// The optimisation level, which the program reports.
const OPTIMISE: &str = "-O2";

const FLAGS: [&str; 10] = [
    "--target=x86_64-unknown-windows", // object format and calling convention of UEFI
    "-std=c11",
    "-ffreestanding",
    "-fshort-wchar",
    "-mno-red-zone", // the firmware's interrupts use this stack
    "-fno-stack-protector",
    "-mno-stack-arg-probe",
    OPTIMISE,
    "-Wall",
    "-DCUPEL_FREESTANDING",
];

const INCLUDES: [&str; 7] = [
    "runners/uefi/include",
    "kernels/include",
    "kernels/src/common",
    "kernels/src/cpu",
    "kernels/src/sha1",
    "kernels/src/sha256",
    "kernels/src/siphash",
];

/// Folders of sources, their files, and the flags for these alone.
const UNITS: [(&[&str], &[&str]); 4] = [
    (
        &[],
        &[
            "common/secret",
            "cpu/cpu",
            "cpu/detect_x86",
            "sha1/sha1",
            "sha1/sha1_constants",
            "sha1/sha1_portable",
            "sha1/sha1_ref",
            "sha256/sha256",
            "sha256/sha256_constants",
            "sha256/sha256_portable",
            "sha256/sha256_ref",
            "siphash/siphash",
            "siphash/siphash_ref",
        ],
    ),
    (&["-mssse3"], &["sha1/sha1_ssse3", "sha256/sha256_ssse3"]),
    (&["-mavx2", "-mbmi", "-mbmi2"], &["sha1/sha1_avx2", "sha256/sha256_avx2"]),
    (&["-msha", "-msse4.1", "-mssse3"], &["sha1/sha1_shani", "sha256/sha256_shani"]),
];

const OWN: [&str; 9] =
    ["counter", "kernel", "machine", "main", "measure", "memory", "out", "text", "vectors"];

/// Finds the build tools.
///
/// # Errors
/// If one is missing, with the command that installs it.
pub fn tools() -> Result<(PathBuf, PathBuf)> {
    let clang = needed("clang", "clang")?;
    let linker = needed("lld-link", "lld")?;
    Ok((clang, linker))
}

/// Builds the application into a folder and returns its path.
///
/// # Errors
/// If a tool is missing or a source does not compile.
pub fn build(home: &Home, folder: &Path) -> Result<PathBuf> {
    let (clang, linker) = tools()?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let folder = folder.canonicalize()?;
    let mut objects = Vec::new();
    let kernels = UNITS.iter().flat_map(|(flags, files)| {
        files.iter().map(move |file| (*flags, format!("kernels/src/{file}.c")))
    });
    let own =
        OWN.iter().chain(&["verify"]).map(|file| (&[][..], format!("runners/uefi/src/{file}.c")));
    for (flags, source) in kernels.chain(own) {
        let object = folder.join(source.replace('/', "-").replace(".c", ".o"));
        let mut command = Command::new(&clang);
        command.current_dir(&home.root).args(FLAGS).args(flags);
        for include in INCLUDES {
            command.arg("-I").arg(include);
        }
        command.arg(format!("-DCUPEL_FLAGS=\"{OPTIMISE}\"")).arg("-DCUPEL_VECTORS=\"vectors\"");
        run(command.arg("-c").arg(&source).arg("-o").arg(&object), &source)?;
        objects.push(object);
    }
    let program = folder.join("BOOTX64.EFI");
    let mut command = Command::new(&linker);
    command.args([
        "-subsystem:efi_application",
        "-nodefaultlib",
        "-entry:efi_main",
        "-timestamp:0",
    ]);
    let mut out = std::ffi::OsString::from("-out:");
    out.push(&program);
    run(command.arg(out).args(&objects), "the UEFI application")?;
    Ok(program)
}

fn run(command: &mut Command, what: &str) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{name} cannot be started"))?;
    if !output.status.success() {
        let log = String::from_utf8_lossy(&output.stderr);
        bail!("{name} does not build {what}: {}", first_error(&log));
    }
    Ok(())
}
