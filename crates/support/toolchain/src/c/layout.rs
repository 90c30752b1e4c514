//! The addresses of code and constants are arbitrary, and they change a figure by more than a flag
//! does (Curtsinger and Berger, ASPLOS 2013). So every build of a matrix is linked several times,
//! from the same objects in different orders and with gaps of different sizes between them, and
//! each fork runs a different one. The compiler's output is the same in all of them, to the byte;
//! see docs/internals/decisions/0017-layouts.md.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// How many layouts a build is linked in. It is even, because a control runs the layout that is
/// half of them further on.
pub const COUNT: usize = 8;

/// How many sizes of gap there are.
pub const GAPS: usize = 32;

/// The bytes of a gap: spread over a page, and over a cache line for every alignment of the code
/// after it.
pub fn gap_bytes(gap: usize) -> usize {
    gap * 131
}

/// An object, with the gap before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Padded {
    /// The number of the gap.
    pub gap: usize,
    /// The number of the object.
    pub object: usize,
}

/// The objects in the order of a layout. The first layout is the written order without gaps.
pub fn in_order(layout: usize, objects: usize) -> Vec<Padded> {
    let mut order: Vec<Padded> = (0..objects).map(|object| Padded { gap: 0, object }).collect();
    if layout > 0 {
        // A fixed seed for each layout, so that its number reproduces it.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(layout as u64);
        order.shuffle(&mut random);
        for padded in &mut order {
            padded.gap = (random.next_u64() % GAPS as u64) as usize;
        }
    }
    order
}

/// The assembly text of a gap, in code and in constants.
pub fn gap_text(gap: usize) -> String {
    let bytes = gap_bytes(gap);
    format!(
        ".text\n.skip {bytes}\n.section .rodata\n.skip {bytes}\n.section .note.GNU-stack,\"\",%progbits\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_layouts_are_alike_and_each_links_everything_once() {
        let all: Vec<Vec<Padded>> = (0..COUNT).map(|layout| in_order(layout, 9)).collect();
        for (number, layout) in all.iter().enumerate() {
            let objects: BTreeSet<usize> = layout.iter().map(|padded| padded.object).collect();
            assert_eq!(objects.len(), 9, "layout {number}");
            assert!(all[..number].iter().all(|other| other != layout), "layout {number}");
        }
        assert!(all[0].iter().enumerate().all(|(n, p)| p.gap == 0 && p.object == n));
    }

    #[test]
    fn gaps_move_what_follows_to_every_offset_that_alignment_allows() {
        for aligned in [1, 16, 32] {
            let up = |bytes: usize| bytes.div_ceil(aligned) * aligned;
            let met: BTreeSet<usize> = (0..GAPS).map(|gap| up(gap_bytes(gap)) % 64).collect();
            assert!(met.len() >= (64 / aligned).min(GAPS), "aligned to {aligned}: {met:?}");
        }
    }
}
