//! How this system installs missing packages. Remedies name packages as Debian does. Where Debian's
//! command is not at home, they become the system's, or words if its name for a package is not
//! known for certain: a command that cannot work helps no one.

use std::fs;
use std::sync::OnceLock;

/// How remedies begin a command of Debian.
const APT: &str = "apt-get install ";

/// How Debian, Alpine and Fedora call a package.
struct Named(&'static str, &'static str, &'static str);

/// Only names that are certain. Botan's differ by its version, and Fedora's JDKs by its own.
const KNOWN: [Named; 25] = [
    Named("clang", "clang", "clang"),
    Named("g++", "g++", "gcc-c++"),
    Named("gcc", "gcc", "gcc"),
    Named("golang-go", "go", "golang"),
    Named("libc6-dev", "musl-dev", "glibc-devel"),
    Named("libcrypto++-dev", "crypto++-dev", "cryptopp-devel"),
    Named("libb2-dev", "libb2-dev", "libb2-devel"),
    Named("libgcrypt20-dev", "libgcrypt-dev", "libgcrypt-devel"),
    Named("libgnutls28-dev", "gnutls-dev", "gnutls-devel"),
    Named("libmbedtls-dev", "mbedtls-dev", "mbedtls-devel"),
    Named("libsodium-dev", "libsodium-dev", "libsodium-devel"),
    Named("libssl-dev", "openssl-dev", "openssl-devel"),
    Named("libwolfssl-dev", "wolfssl-dev", "wolfssl-devel"),
    Named("libxxhash-dev", "xxhash-dev", "xxhash-devel"),
    Named("lld", "lld", "lld"),
    Named("maven", "maven", "maven"),
    Named("nettle-dev", "nettle-dev", "nettle-devel"),
    Named("nodejs", "nodejs", "nodejs"),
    Named("npm", "npm", "npm"),
    Named("ovmf", "ovmf", "edk2-ovmf"),
    Named("pkg-config", "pkgconf", "pkgconf-pkg-config"),
    Named("python3", "python3", "python3"),
    Named("python3-pip", "py3-pip", "python3-pip"),
    // There, Python has it.
    Named("python3-venv", "python3", "python3"),
    Named("qemu-system-x86", "qemu-system-x86_64", "qemu-system-x86"),
];

/// A system, by its way to install packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    /// Debian and its derivatives.
    Debian,
    Alpine,
    Fedora,
    Other,
}

/// A remedy as this system can carry it out.
pub fn remedy(of_debian: &str) -> String {
    System::here().remedy(of_debian)
}

/// How this system installs a library whose file is missing, if its package need not be known for
/// that: `libsodium.so.23`. `None` on Debian, whose packages are known.
pub fn library(file: &str) -> Option<String> {
    System::here().library(file)
}

impl System {
    fn here() -> System {
        static HERE: OnceLock<System> = OnceLock::new();
        *HERE.get_or_init(|| {
            System::parse(&fs::read_to_string("/etc/os-release").unwrap_or_default())
        })
    }

    /// By its `os-release`.
    fn parse(release: &str) -> System {
        let field = |name: &str| {
            let line = release.lines().find_map(|line| line.strip_prefix(name));
            line.map_or("", |value| value.trim_matches(['"', '\'']))
        };
        let id = field("ID=");
        let like: Vec<&str> = field("ID_LIKE=").split(' ').chain([id]).collect();
        if like.iter().any(|name| ["debian", "ubuntu"].contains(name)) {
            return System::Debian;
        }
        if like.contains(&"alpine") {
            return System::Alpine;
        }
        // Derivatives of Fedora may lack most of its packages: RHEL does.
        if id == "fedora" { System::Fedora } else { System::Other }
    }

    fn remedy(self, of_debian: &str) -> String {
        let Some((before, rest)) = of_debian.split_once(APT).filter(|_| self != System::Debian)
        else {
            return of_debian.to_string();
        };
        let end = rest.find([',', ';', ')', ':']).unwrap_or(rest.len());
        let (packages, after) = rest.split_at(end);
        format!("{before}{}{after}", self.install(packages))
    }

    /// Installs these packages of Debian.
    fn install(self, packages: &str) -> String {
        let packages: Vec<&str> = packages.split_whitespace().collect();
        let own: Option<Vec<&str>> = packages.iter().map(|package| self.name(package)).collect();
        let Some(mut own) = own else {
            let names = packages.join(" and ");
            return format!("install with your package manager what Debian calls {names}");
        };
        own.dedup();
        let command = if self == System::Alpine { "apk add" } else { "dnf install" };
        format!("{command} {}", own.join(" "))
    }

    /// Its name for a package of Debian, if that is certain.
    fn name(self, of_debian: &str) -> Option<&'static str> {
        let Named(_, alpine, fedora) = KNOWN.iter().find(|known| known.0 == of_debian)?;
        match self {
            System::Alpine => Some(alpine),
            System::Fedora => Some(fedora),
            System::Debian | System::Other => None,
        }
    }

    fn library(self, file: &str) -> Option<String> {
        match self {
            System::Debian => None,
            System::Alpine => Some(format!("apk add so:{file}")),
            System::Fedora => Some(format!("dnf install '{file}()(64bit)'")),
            System::Other => {
                Some(format!("install with your package manager the package that has {file}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALPINE: &str = "NAME=\"Alpine Linux\"\nID=alpine\nVERSION_ID=3.22.1\n";
    const FEDORA: &str = "NAME=\"Fedora Linux\"\nVERSION_ID=43\nID=fedora\n";
    const ARCH: &str = "NAME=\"Arch Linux\"\nID=arch\nBUILD_ID=rolling\n";
    const SUSE: &str = "ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n";
    const RHEL: &str = "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n";

    #[test]
    fn what_is_like_debian_has_debians_command() {
        for release in
            ["ID=debian\n", "ID=ubuntu\nID_LIKE=debian\n", "ID=x\nID_LIKE=\"ubuntu debian\"\n"]
        {
            let remedy = "apt-get install gcc libc6-dev, or set CC";
            assert_eq!(System::parse(release).remedy(remedy), remedy, "{release}");
            assert_eq!(System::parse(release).library("libx.so.1"), None);
        }
    }

    #[test]
    fn elsewhere_a_remedy_is_the_systems_command_or_words() {
        let on = |release: &str, remedy: &str| System::parse(release).remedy(remedy);
        let compiler = "apt-get install gcc libc6-dev, or set CC";
        assert_eq!(on(ALPINE, compiler), "apk add gcc musl-dev, or set CC");
        assert_eq!(on(FEDORA, compiler), "dnf install gcc glibc-devel, or set CC");
        let botan = "apt-get install libbotan-2-dev";
        for release in [ALPINE, FEDORA, ARCH, SUSE, RHEL, ""] {
            let words = "install with your package manager what Debian calls libbotan-2-dev";
            assert_eq!(on(release, botan), words, "{release}");
        }
        for release in [ARCH, SUSE, RHEL, ""] {
            let words = "install with your package manager what Debian calls gcc and libc6-dev";
            assert_eq!(on(release, compiler), format!("{words}, or set CC"), "{release}");
        }
        let python = "install Python 3.9 or later: apt-get install python3 python3-venv";
        assert_eq!(on(FEDORA, python), "install Python 3.9 or later: dnf install python3");
        let go = "install Go (https://go.dev/dl, or apt-get install golang-go)";
        assert_eq!(on(ALPINE, go), "install Go (https://go.dev/dl, or apk add go)");
        assert_eq!(on(ALPINE, "unset OPENSSL_ia32cap"), "unset OPENSSL_ia32cap");
    }

    #[test]
    fn a_library_is_installed_by_the_name_of_its_file() {
        let on = |release: &str| System::parse(release).library("libsodium.so.23").unwrap();
        assert_eq!(on(ALPINE), "apk add so:libsodium.so.23");
        assert_eq!(on(FEDORA), "dnf install 'libsodium.so.23()(64bit)'");
        assert!(on(ARCH).ends_with("the package that has libsodium.so.23"));
    }
}
