//! How boots of the UEFI image are stored and shown: from logs, without an emulator.
//! (`tests/uefi.rs` boots the image itself.)

use crate::support::{Home, Said};
use cupel_base::packages;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A log of one boot: SHA-1 by two implementations at 1 KiB.
fn log(counter: &str, clock: &str) -> String {
    let chain = if counter == "cycles" { ",\"chain\":[96000,96000,96000]" } else { "" };
    let cell = |name: &str, ticks: u64| {
        format!(
            "{{\"cupel\":\"cell\",\"primitive\":\"sha1\",\"implementation\":\"{name}\",\
             \"size\":1024,\"calls\":10,\"ticks\":[{ticks},{ticks},{}]{chain}}}",
            ticks * 2
        )
    };
    let verified = |name: &str| {
        format!(
            "{{\"cupel\":\"verified\",\"primitive\":\"sha1\",\"implementation\":\"{name}\",\
             \"vectors\":97,\"cases\":2572}}"
        )
    };
    let head = format!(
        "{{\"cupel\":\"boot\",\"format\":1,\"version\":\"0.1.0\",\"counter\":\"{counter}\",\
         \"ticks_per_instruction\":1,\"chain_cycles\":192000,\"cpu\":\"Acme \\u001b[31m9000\",\
         \"signature\":1,\"avx\":\"on already\",\"features\":[\"ssse3\",\"avx2\"],\
         \"clock\":\"{clock}\",\"compiler\":\"clang\",\"flags\":\"-O2\"}}"
    );
    let lines = [
        head,
        verified("cupel-avx2"),
        verified("cupel-ssse3"),
        cell("cupel-avx2", 133_120),
        cell("cupel-ssse3", 174_080),
    ]
    .map(|line| line + "\n")
    .concat();
    let sum = hex::encode(Sha256::digest(lines.as_bytes()));
    format!("{lines}{{\"cupel\":\"end\",\"records\":5,\"sha256\":\"{sum}\"}}\n")
}

fn import(home: &Home, text: &str) -> Said {
    home.write("boot.log", text);
    home.cupel(&["import", home.path("boot.log").to_str().unwrap()])
}

#[test]
fn a_log_comes_in_once_and_is_shown_with_its_unit() {
    let home = Home::empty();
    let said = import(&home, &log("instructions", "a"));
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.contains("1 boot added; cupel kernels show 1"), "{}", said.out);
    let again =
        import(&home, &log("instructions", "a").replace("{\"cupel\"", "\r\nCUPEL {\"cupel\""));
    assert!(again.out.contains("0 boots added, 1 was already here"), "{}", again.out);

    let shown = home.cupel(&["kernels", "show"]).out;
    assert!(shown.contains("instructions/byte"), "{shown}");
    assert!(shown.contains("These are not times"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "what a machine says of itself steers no terminal: {shown}");
    let row = shown.lines().find(|l| l.contains("uefi/cupel-avx2")).expect("a row");
    assert!(row.split_whitespace().any(|word| word == "13.000"), "{row}");

    import(&home, &log("cycles", "b"));
    let said = home.cupel(&["kernels", "show", "--format", "json"]);
    let document: Value = serde_json::from_str(&said.out).expect("JSON");
    let cell = &document["cells"][1];
    assert_eq!(cell["unit"], "cycles/byte");
    assert_eq!(cell["median"], 34.0, "twice the cycles of a chain at half the rate");
    assert_eq!(home.cupel(&["kernels", "list"]).out.lines().count(), 2);
    assert_eq!(home.cupel(&["kernels", "show", "7"]).status, Some(3));
}

#[test]
fn counts_are_in_nothing_that_compares_times() {
    let home = Home::empty();
    import(&home, &log("instructions", "a"));
    // Every verb that reads runs finds none; the one that lists them mentions the boots.
    let csv = ["show", "all", "--format", "csv"];
    for verb in [&["show"][..], &["show", "--format", "html"], &csv, &["show", "1", "2"]] {
        let said = home.cupel(verb);
        assert!(!said.out.contains("cupel-avx2"), "{verb:?}: {}", said.out);
        assert!(said.status == Some(3) || said.out.lines().count() == 1, "{verb:?}: {}", said.out);
    }
    for table in ["run", "contender", "slice"] {
        assert_eq!(home.count(&format!("select count(*) from {table}")), 0);
    }
    let list = home.cupel(&["list", "runs"]).out;
    assert!(list.contains("cupel kernels list"), "{list}");
}

#[test]
fn a_log_that_lost_something_changes_nothing() {
    let home = Home::empty();
    let whole = log("cycles", "a");
    for (text, words) in [
        (whole.replacen("133120", "13312", 1), "SHA-256 differs"),
        (whole.lines().take(4).map(|l| format!("{l}\n")).collect(), "cut off"),
        ("some other text\n".repeat(100), "in no known format"),
    ] {
        let said = import(&home, &text);
        assert_eq!(said.status, Some(3), "{}", said.out);
        assert!(said.err.contains(words), "no \"{words}\" in {}", said.err);
        assert_eq!(home.count("select count(*) from boot"), 0);
    }
}

#[test]
fn boots_come_along_with_another_stores_runs() {
    let (home, other) = (Home::empty(), Home::empty());
    import(&other, &log("cycles", "a"));
    let file = other.store();
    let said = home.cupel(&["import", file.to_str().unwrap()]);
    assert!(said.out.contains("1 boot added"), "{} {}", said.out, said.err);
    let again = home.cupel(&["import", file.to_str().unwrap()]);
    assert!(again.out.contains("0 boots added, 1 was already here"), "{}", again.out);
    assert_eq!(home.cupel(&["kernels", "show", "--format", "json"]).status, Some(0));
    other.database().execute("update boot set lines = replace(lines, '133120', '1')", []).unwrap();
    let said = home.cupel(&["import", file.to_str().unwrap()]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("SHA-256 differs"), "{}", said.err);
}

#[test]
fn what_is_missing_is_reported_with_its_remedy() {
    let home = Home::empty();
    let folder = home.path("stick");
    for (arguments, remedy) in [
        (vec!["kernels", "image", folder.to_str().unwrap()], "apt-get install clang"),
        (vec!["kernels", "boot"], "apt-get install qemu-system-x86"),
    ] {
        let output = home.command().args(&arguments).env("PATH", "").output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.contains(&packages::remedy(remedy)), "{arguments:?}: {err}");
    }
    assert_eq!(home.count("select count(*) from boot"), 0);
}

#[test]
fn another_systems_boot_loader_is_not_overwritten() {
    let home = Home::empty();
    std::fs::create_dir_all(home.path("stick/EFI/BOOT")).unwrap();
    home.write("stick/EFI/BOOT/BOOTX64.EFI", "a loader");
    let said = home.cupel(&["kernels", "image", home.path("stick").to_str().unwrap()]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("another system's boot loader"), "{}", said.err);
    assert_eq!(std::fs::read(home.path("stick/EFI/BOOT/BOOTX64.EFI")).unwrap(), b"a loader");
}
