//! The input of a user: a claim line, a contract, names and patterns.
#![no_main]

use cupel_base::name::{ContenderName, Pattern};
use cupel_suite::{asked, said};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(claim) = said::parse(text, 0.02) {
        let line = claim.relation.sentence(&claim.a, &claim.b);
        if let Ok(again) = said::parse(&line, 0.02) {
            assert_eq!((again.a, again.b), (claim.a.clone(), claim.b.clone()));
        }
        for name in [&claim.a, &claim.b] {
            look_at(name);
        }
    }
    let _ = asked::contract(text);
    look_at(text);
});

/// Everything that a name is taken apart for.
fn look_at(text: &str) {
    let name = ContenderName::from(text);
    let parts = (name.family(), name.implementation(), name.toolchain(), name.release());
    let _ = (parts, name.host_of_release(), name.range_of_releases(), name.code());
    let _ = (name.against().is_against(), name.without_against());
    let pattern = Pattern::new(text);
    let _ = (pattern.fits(&name), pattern.may_name_family(text), pattern.may_shorten(text));
}
