//! Advice names a contender that led on another machine and is not here.

use crate::leaders::{FLAGS, family, measure, of_leader, on_processor};
use crate::support::Home;
use serde_json::json;

#[test]
fn advice_names_a_leader_that_is_not_installed_to_those_who_can_use_it() {
    let home = Home::empty();
    family(&home, "c", json!({ "missing": "no library" }));
    family(&home, "rust", json!({}));
    measure(&home, "*", "c/base");
    let said = |flags: &str, words: &[&str]| {
        on_processor(&home, flags);
        let said = home.cupel(&[&["advise"], words].concat());
        assert!(said.out.contains("AES-256-GCM"), "{}{}", said.out, said.err);
        of_leader(&said.out)
    };
    let every = ["--language", "all", "--have", "rust/base"];
    for words in [&[][..], &["--language", "c"], &every, &["--have", "c/base"]] {
        let line = said(FLAGS, words);
        assert!(line.starts_with("not here: c/ipsec-mb, 1."), "{words:?}: {line}");
        assert!(line.ends_with("libipsec-mb-dev)"), "{line}");
    }
    for words in [&["--language", "rust"][..], &["--have", "rust/base"]] {
        assert_eq!(said(FLAGS, words), "", "Rust cannot use it: {words:?}");
    }
    assert_eq!(said("aes avx2 vaes", &[]), "", "another processor");
}

#[test]
fn advice_calls_no_leader_missing_that_is_here() {
    let home = Home::empty();
    family(&home, "c", json!({ "lacking": "the CPU lacks features that the library needs" }));
    measure(&home, "*", "c/base");
    on_processor(&home, FLAGS);
    let said = home.cupel(&["advise"]).out;
    assert!(said.contains("AES-256-GCM") && of_leader(&said).is_empty(), "{said}");
}
